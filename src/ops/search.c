/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* argmax, argmin: the place of the first element that is largest (smallest); over all axes the
 * place in row-major order; NaN is the largest and the smallest. cumsum: sums along an axis, in its
 * order. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* ---- argmax, argmin ---- */

enum { ARG_AXIS, ARG_KEEPDIMS };

static bool finds_max(const tn_node *call) { return call->attr.def->name[4] == 'a'; }

static tn_status arg_axes(const tn_node *call, int64_t ndim, bool *out_reduced) {
  int64_t axis = -1;
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions", ndim);
  }
  bool is_all = tn_call_field(call, ARG_AXIS) == NULL;
  if (!is_all) {
    TN_TRY(tn_op_axis(call->attr.def->name, tn_op_int(call, ARG_AXIS), ndim, &axis));
  }
  for (int64_t d = 0; d < ndim; ++d) {
    out_reduced[d] = is_all || d == axis;
  }
  return NULL;
}

tn_status tn_op_infer_arg(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *type = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  if (type->attr.i64 < 0) {
    *out_type = tn_ty_tensor(ctx->ir, TN_DT_I64, -1, NULL);
    return NULL;
  }
  TN_TRY(arg_axes(call, type->attr.i64, is_reduced));
  bool keeps = tn_op_int(call, ARG_KEEPDIMS) != 0;
  *out_type = tn_op_reduced_type(ctx->ir, type, TN_DT_I64, is_reduced, keeps);
  return NULL;
}

/* Is the element at a to be chosen, with the one at b the best before it? */
static bool beats(const tn_node *call, const tn_array *x, int64_t a, int64_t b) {
  double fa = tn_array_get_f64(x, a);
  double fb = tn_array_get_f64(x, b);
  if (tn_dtype_is_float(x->dtype)) {
    return !isnan(fb) && (isnan(fa) || (finds_max(call) ? fa > fb : fa < fb));
  }
  int64_t ia = tn_array_get_i64(x, a);
  int64_t ib = tn_array_get_i64(x, b);
  bool is_signed = tn_dtype_is_int(x->dtype);
  bool is_more = is_signed ? ia > ib : (uint64_t)ia > (uint64_t)ib;
  return finds_max(call) ? is_more : ia != ib && !is_more;
}

/* Elements first, first + stride ... : the place of the best. */
static int64_t best_of(const tn_node *call, const tn_array *x, int64_t first, int64_t stride,
                       int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    best = beats(call, x, first + i * stride, first + best * stride) ? i : best;
  }
  return best;
}

tn_status tn_op_eval_arg(const tn_node *call, const tn_array *const *args, int32_t n_args,
                         tn_array *out) {
  bool is_reduced[TN_MAX_NDIM];
  int64_t shape[TN_MAX_NDIM];
  int32_t n_dims = 0;
  int64_t stride = 1;
  int64_t extent = 1;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  bool is_all = tn_call_field(call, ARG_AXIS) == NULL;
  TN_TRY(arg_axes(call, x->ndim, is_reduced));
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (!is_reduced[d] || tn_op_int(call, ARG_KEEPDIMS) != 0) {
      shape[n_dims++] = is_reduced[d] ? 1 : x->shape[d];
    }
    extent *= is_reduced[d] ? x->shape[d] : 1;
  }
  for (int32_t d = x->ndim; !is_all && d-- > 0 && !is_reduced[d];) {
    stride *= x->shape[d];
  }
  TN_TRY(tn_array_init(out, TN_DT_I64, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t first = i / stride * stride * extent + i % stride;
    tn_array_set_i64(out, i, best_of(call, x, first, stride, extent));
  }
  return NULL;
}

/* Place of the block's element among the reduced dimensions. */
static const tn_node *place_of(tn_kernel *k, const tn_node *x, const bool *is_reduced,
                               const tn_node *const *whole) {
  const tn_node *at = NULL;
  for (uint32_t d = 0; d < tn_buffer_ndim(x); ++d) {
    if (is_reduced[d]) {
      at = at == NULL
               ? whole[d]
               : tn_te_add(k->te, tn_te_mul(k->te, at, x->in[TN_BUFFER_SHAPE]->in[d]), whole[d]);
    }
  }
  return at == NULL ? tn_int(k->ir, TN_DT_I64, 0) : at;
}

/* best[...] over x, then the least place of an element that equals it. */
static void build_places(tn_kernel *k, const tn_node *x, const bool *is_reduced,
                         const tn_node *best, const tn_node *place) {
  const tn_node *whole[TN_MAX_NDIM];
  const tn_node *kept[TN_MAX_NDIM];
  uint32_t ndim = tn_buffer_ndim(x);
  tn_te_reduction reduction = finds_max(k->call) ? TN_TE_MAXIMUM : TN_TE_MINIMUM;
  tn_kernel_begin_reduction(k, "T_best", x, is_reduced);
  tn_kernel_whole_index(k, ndim, is_reduced, whole);
  (void)tn_kernel_kept_index(k, ndim, is_reduced, false, kept);
  tn_te_end_reduce_into(k->te, reduction, best, kept, tn_te_load(k->te, x, whole));
  tn_kernel_begin_reduction(k, "T_place", x, is_reduced);
  tn_kernel_whole_index(k, ndim, is_reduced, whole);
  (void)tn_kernel_kept_index(k, ndim, is_reduced, false, kept);
  const tn_node *none = tn_int(k->ir, TN_DT_I64, INT64_MAX);
  const tn_node *is_best =
      tn_kernel_is_extremum(k, tn_te_load(k->te, x, whole), tn_te_load(k->te, best, kept));
  const tn_node *at = tn_te_if_then_else(k->te, is_best, place_of(k, x, is_reduced, whole), none);
  tn_te_end_reduce_into(k->te, TN_TE_MIN, place, kept, at);
}

static tn_status build_arg(tn_kernel *k, const tn_node *type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *indices[TN_MAX_NDIM];
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  uint32_t n = 0;
  uint32_t ndim = tn_buffer_ndim(x);
  bool keeps = tn_op_int(k->call, ARG_KEEPDIMS) != 0;
  TN_TRY(arg_axes(k->call, ndim, is_reduced));
  TN_TRY(tn_kernel_result(k, type, &out));
  for (uint32_t d = 0; d < ndim; ++d) {
    if (!is_reduced[d]) {
      dims[n++] = x->in[TN_BUFFER_SHAPE]->in[d];
    }
  }
  const tn_node *best = tn_te_declare(k->te, "T_best", x->dtype, n, dims);
  const tn_node *place = tn_te_declare(k->te, "T_place", TN_DT_I64, n, dims);
  build_places(k, x, is_reduced, best, place);
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_arg", shape->n_in, shape->in, 0, NULL);
  n = 0;
  for (uint32_t d = 0, at = 0; d < ndim; ++d) {
    if (!is_reduced[d]) {
      indices[n++] = k->axes[at];
    }
    at += !is_reduced[d] || keeps ? 1 : 0;
  }
  const tn_node *found = tn_te_load(k->te, place, indices);
  const tn_node *is_none = tn_te_eq(k->te, found, tn_int(k->ir, TN_DT_I64, INT64_MAX));
  tn_te_end_into(k->te, out, k->axes,
                 tn_te_if_then_else(k->te, is_none, tn_int(k->ir, TN_DT_I64, 0), found), NULL);
  return NULL;
}

tn_status tn_op_lower_arg(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_arg, out_func);
}

/* ---- cumsum, cumprod ---- */

enum { SUM_AXIS, SUM_DTYPE, SUM_EXCLUSIVE };

static bool is_product(const tn_node *call) { return call->attr.def->name[3] == 'p'; }

static tn_status sum_axis(const tn_node *call, int64_t ndim, int64_t *out) {
  if (tn_call_field(call, SUM_AXIS) == NULL && ndim != 1) {
    return TN_ERR(TN_UNSUPPORTED, "%s of %" PRId64 " dimensions needs an axis",
                  call->attr.def->name, ndim);
  }
  return tn_op_axis(call->attr.def->name, tn_op_int(call, SUM_AXIS), ndim, out);
}

tn_status tn_op_infer_cumsum(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *type = NULL;
  tn_dtype dtype = TN_DT_NONE;
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_dtype_field(call, SUM_DTYPE, type->dtype, &dtype));
  if (type->attr.i64 >= 0) {
    TN_TRY(sum_axis(call, type->attr.i64, &axis));
  }
  *out_type = tn_ty_tensor(ctx->ir, dtype, type->attr.i64, tn_op_shape(type));
  return NULL;
}

/* Element i as an integer of the result's type. */
static int64_t integer_at(const tn_array *x, int64_t i, tn_dtype dtype) {
  int64_t cell = 0;
  tn_array one = {.data = &cell, .dtype = dtype, .is_view = true};
  if (!tn_dtype_is_any_float(x->dtype)) {
    return tn_array_get_i64(x, i);
  }
  tn_array_set_f64(&one, 0, tn_array_get_f64(x, i));
  return tn_array_get_i64(&one, 0);
}

tn_status tn_op_eval_cumsum(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  int64_t axis = 0;
  int64_t stride = 1;
  tn_dtype dtype = TN_DT_NONE;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  bool is_exclusive = tn_op_int(call, SUM_EXCLUSIVE) != 0;
  TN_TRY(sum_axis(call, x->ndim, &axis));
  TN_TRY(tn_op_dtype_field(call, SUM_DTYPE, x->dtype, &dtype));
  TN_TRY(tn_array_init(out, dtype, x->ndim, x->shape));
  for (int32_t d = x->ndim - 1; d > axis; --d) {
    stride *= x->shape[d];
  }
  int64_t extent = x->shape[axis];
  int64_t n_rows = extent == 0 ? 0 : tn_array_n_elems(x) / extent;
  for (int64_t row = 0; row < n_rows; ++row) {
    int64_t first = row / stride * stride * extent + row % stride;
    double sum = is_product(call);
    uint64_t isum = is_product(call);
    for (int64_t i = 0; i < extent; ++i) {
      int64_t from = first + (is_exclusive ? i - 1 : i) * stride;
      if (!is_exclusive || i > 0) {
        double value = tn_array_get_f64(x, from);
        uint64_t ivalue = (uint64_t)integer_at(x, from, dtype);
        sum = is_product(call) ? sum * value : sum + value;
        isum = is_product(call) ? isum * ivalue : isum + ivalue;
      }
      if (tn_dtype_is_float(dtype)) {
        tn_array_set_f64(out, first + i * stride, sum);
      } else {
        tn_array_set_i64(out, first + i * stride, (int64_t)isum);
      }
    }
  }
  return NULL;
}

static const tn_node *joined(tn_kernel *k, const tn_node *so_far, const tn_node *value) {
  return is_product(k->call) ? tn_te_mul(k->te, so_far, value) : tn_te_add(k->te, so_far, value);
}

/* out[i] = (i > 0 ? out[i - 1] : 0) + x[i]; exclusive: x[i - 1]; products likewise, from 1 */
static tn_status build_cumsum(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *before[TN_MAX_NDIM];
  int64_t axis = 0;
  bool is_exclusive = tn_op_int(k->call, SUM_EXCLUSIVE) != 0;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(sum_axis(k->call, tn_buffer_ndim(x), &axis));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  tn_te_scan(k->te, (uint32_t)axis);
  memcpy(before, k->axes, sizeof before);
  before[axis] = tn_te_sub(k->te, k->axes[axis], tn_int(k->ir, TN_DT_I64, 1));
  const tn_node *is_later = tn_te_gt(k->te, k->axes[axis], tn_int(k->ir, TN_DT_I64, 0));
  const tn_node *start = tn_te_number(k->te, out->dtype, is_product(k->call));
  const tn_node *so_far = tn_te_load(k->te, out, before);
  const tn_node *value = NULL;
  if (is_exclusive) {
    value = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, x, before));
    value = tn_te_if_then_else(k->te, is_later, joined(k, so_far, value), start);
  } else {
    value = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, x, k->axes));
    value = joined(k, tn_te_if_then_else(k->te, is_later, so_far, start), value);
  }
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_cumsum(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_cumsum, out_func);
}
