/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors whose elements follow from their places: arange, eye, eye_like, hamming_window; numbers
 * are computed in float64, and converted. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { RANGE_START, RANGE_END, RANGE_STEP, RANGE_DTYPE };
enum { EYE_N, EYE_M, EYE_K, EYE_DTYPE };
enum { LIKE_K, LIKE_DTYPE };
enum { WINDOW_SIZE, WINDOW_PERIODIC, WINDOW_ALPHA, WINDOW_BETA, WINDOW_DTYPE };

typedef enum kind { RANGE, EYE, EYE_LIKE, WINDOW } kind;

typedef struct sequence {
  kind kind;
  int32_t ndim;
  int64_t shape[2];
  tn_dtype dtype;
  double a;  /* arange: start, hamming_window: alpha */
  double b;  /* step; beta */
  int64_t k; /* eye: the diagonal; hamming_window: what a period is divided into */
} sequence;

static kind kind_of(const tn_node *call) {
  const char *name = call->attr.def->name;
  return name[0] == 'a' ? RANGE : name[0] == 'h' ? WINDOW : name[3] == '_' ? EYE_LIKE : EYE;
}

static bool is_whole(double x) { return x == trunc(x) && fabs(x) < 0x1p53; }

static tn_status read_range(const tn_node *call, sequence *s) {
  bool has_end = tn_call_field(call, RANGE_END) != NULL;
  double end = tn_op_float(call, has_end ? RANGE_END : RANGE_START);
  s->a = has_end ? tn_op_float(call, RANGE_START) : 0;
  s->b = tn_op_float(call, RANGE_STEP);
  bool is_int = is_whole(s->a) && is_whole(end) && is_whole(s->b);
  double n = ceil((end - s->a) / s->b);
  if (s->b == 0 || !(n < 0x1p40)) {
    return TN_ERR(TN_INVALID, "from %g to %g by %g is no number of steps", s->a, end, s->b);
  }
  s->ndim = 1;
  s->shape[0] = n > 0 ? (int64_t)n : 0;
  return tn_op_dtype_field(call, RANGE_DTYPE, is_int ? TN_DT_I64 : TN_DT_F32, &s->dtype);
}

static tn_status read_window(const tn_node *call, sequence *s) {
  int64_t n = tn_op_int(call, WINDOW_SIZE);
  if (n < 0 || n > INT32_MAX) {
    return TN_ERR(TN_INVALID, "a window of %" PRId64 " elements", n);
  }
  s->ndim = 1;
  s->shape[0] = n;
  s->a = tn_op_float(call, WINDOW_ALPHA);
  s->b = tn_op_float(call, WINDOW_BETA);
  s->k = tn_op_int(call, WINDOW_PERIODIC) != 0 ? n : n - 1;
  s->k = s->k < 1 ? 1 : s->k;
  TN_TRY(tn_op_dtype_field(call, WINDOW_DTYPE, TN_DT_F32, &s->dtype));
  return tn_dtype_is_float(s->dtype) ? NULL : TN_ERR(TN_INVALID, "'dtype' is no float type");
}

/* All but the shape and type of what eye_like is like. */
static tn_status read_sequence(const tn_node *call, sequence *out) {
  sequence s = {.kind = kind_of(call), .ndim = 2};
  switch (s.kind) {
    case RANGE:
      TN_TRY(read_range(call, &s));
      break;
    case WINDOW:
      TN_TRY(read_window(call, &s));
      break;
    case EYE:
      s.shape[0] = tn_op_int(call, EYE_N);
      s.shape[1] = tn_call_field(call, EYE_M) == NULL ? s.shape[0] : tn_op_int(call, EYE_M);
      s.k = tn_op_int(call, EYE_K);
      if (s.shape[0] < 0 || s.shape[1] < 0) {
        return TN_ERR(TN_INVALID, "%" PRId64 " rows and %" PRId64 " columns", s.shape[0],
                      s.shape[1]);
      }
      TN_TRY(tn_op_dtype_field(call, EYE_DTYPE, TN_DT_F32, &s.dtype));
      break;
    case EYE_LIKE:
      s.k = tn_op_int(call, LIKE_K);
      break;
  }
  *out = s;
  return NULL;
}

tn_status tn_op_infer_sequence(const tn_infer_ctx *ctx, const tn_node *call,
                               const tn_node **out_type) {
  const tn_node *like = NULL;
  const tn_node *dims[2];
  sequence s;
  TN_TRY(read_sequence(call, &s));
  if (s.kind == EYE_LIKE) {
    TN_TRY(tn_op_arg_type(ctx, call, 0, &like));
    TN_TRY(tn_op_rank(like, 2, "the tensor"));
    TN_TRY(tn_op_dtype_field(call, LIKE_DTYPE, like->dtype, &s.dtype));
    *out_type = tn_ty_tensor(ctx->ir, s.dtype, 2, tn_op_shape(like));
    return NULL;
  }
  for (int32_t d = 0; d < s.ndim; ++d) {
    dims[d] = tn_int(ctx->ir, TN_DT_I64, s.shape[d]);
  }
  *out_type = tn_ty_tensor(ctx->ir, s.dtype, s.ndim, tn_list(ctx->ir, (uint32_t)s.ndim, dims));
  return NULL;
}

tn_status tn_op_eval_sequence(const tn_node *call, const tn_array *const *args, int32_t n_args,
                              tn_array *out) {
  sequence s;
  int64_t at[2] = {0, 0};
  TN_TRY(read_sequence(call, &s));
  if (s.kind == EYE_LIKE) {
    if (n_args != 1 || args[0] == NULL || args[0]->ndim != 2) {
      return TN_ERR(TN_INVALID, "expected a matrix");
    }
    memcpy(s.shape, args[0]->shape, sizeof s.shape);
    TN_TRY(tn_op_dtype_field(call, LIKE_DTYPE, args[0]->dtype, &s.dtype));
  }
  TN_TRY(tn_array_init(out, s.dtype, s.ndim, s.shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    double value = at[1] - at[0] == s.k;
    if (s.kind == RANGE) {
      value = s.a + (double)i * s.b;
    } else if (s.kind == WINDOW) {
      value = s.a - s.b * cos(2 * M_PI * (double)i / (double)s.k);
    }
    tn_array_set_f64(out, i, value);
  }
  return NULL;
}

static tn_status build_sequence(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *value = NULL;
  sequence s;
  TN_TRY(read_sequence(k->call, &s));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *i = k->axes[0];
  if (s.kind == RANGE && is_whole(s.a) && is_whole(s.b)) {
    const tn_node *far = tn_te_mul(k->te, i, tn_int(k->ir, TN_DT_I64, (int64_t)s.b));
    value = tn_te_add(k->te, tn_int(k->ir, TN_DT_I64, (int64_t)s.a), far);
  } else if (s.kind == RANGE) {
    const tn_node *far =
        tn_te_mul(k->te, tn_te_cast(k->te, TN_DT_F64, i), tn_te_number(k->te, TN_DT_F64, s.b));
    value = tn_te_add(k->te, tn_te_number(k->te, TN_DT_F64, s.a), far);
  } else if (s.kind == WINDOW) {
    const tn_node *angle = tn_te_mul(k->te, tn_te_cast(k->te, TN_DT_F64, i),
                                     tn_te_number(k->te, TN_DT_F64, 2 * M_PI / (double)s.k));
    const tn_node *wave = tn_te_mul(k->te, tn_te_number(k->te, TN_DT_F64, s.b),
                                    tn_te_intrin(k->te, TN_INTRIN_COS, TN_TE_LIST(angle)));
    value = tn_te_sub(k->te, tn_te_number(k->te, TN_DT_F64, s.a), wave);
  } else {
    const tn_node *off = tn_te_sub(k->te, k->axes[1], i);
    value = tn_te_eq(k->te, off, tn_int(k->ir, TN_DT_I64, s.k));
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_sequence(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_sequence, out_func);
}
