/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* sort, argsort and topk along an axis: stable, NaN counting as greater than everything. Loop form:
 * the rank of each element is the number of those that come before it, and the element of each rank
 * is found from that:
 *
 *   rank[i] = sum over j of (x[j] comes before x[i])
 *   from[r] = sum over j of (rank[j] == r ? j : 0)     out[r] = x[from[r]]
 *
 * that is n * n steps, all of which may run at once. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { SORT_AXIS, SORT_DESCENDING, SORT_DTYPE };
enum { TOPK_K, TOPK_AXIS, TOPK_RET_TYPE, TOPK_LARGEST, TOPK_DTYPE };

typedef struct sorting {
  int64_t axis;
  int64_t n; /* elements that stay; -1: all */
  bool is_descending;
  bool has_values;
  bool has_indices;
  tn_dtype index_dtype;
} sorting;

static tn_status read_topk(const tn_node *call, int64_t ndim, sorting *s) {
  const char *kind = tn_op_text(call, TOPK_RET_TYPE);
  bool is_both = *kind == '\0' || strcmp(kind, "both") == 0;
  s->n = tn_op_int(call, TOPK_K);
  s->is_descending = tn_op_int(call, TOPK_LARGEST) != 0;
  s->has_values = is_both || strcmp(kind, "values") == 0;
  s->has_indices = is_both || strcmp(kind, "indices") == 0;
  if (!s->has_values && !s->has_indices) {
    return TN_ERR(TN_INVALID, "ret_type '%s' is none of both, values, indices", kind);
  }
  TN_TRY(tn_op_dtype_field(call, TOPK_DTYPE, TN_DT_I32, &s->index_dtype));
  return tn_op_axis("topk", tn_op_int(call, TOPK_AXIS), ndim, &s->axis);
}

static tn_status read_sorting(const tn_node *call, int64_t ndim, sorting *out) {
  const char *name = call->attr.def->name;
  sorting s = {.n = -1, .index_dtype = TN_DT_I32};
  if (name[0] == 't') {
    TN_TRY(read_topk(call, ndim, &s));
  } else {
    s.has_indices = name[0] == 'a';
    s.has_values = !s.has_indices;
    s.is_descending = tn_op_int(call, SORT_DESCENDING) != 0;
    TN_TRY(tn_op_axis(name, tn_op_int(call, SORT_AXIS), ndim, &s.axis));
    if (s.has_indices) {
      TN_TRY(tn_op_dtype_field(call, SORT_DTYPE, TN_DT_I32, &s.index_dtype));
    }
  }
  if (!tn_dtype_is_int(s.index_dtype) && !tn_dtype_is_uint(s.index_dtype)) {
    return TN_ERR(TN_INVALID, "'dtype' is no integer type, which indices need");
  }
  *out = s;
  return NULL;
}

/* ---- type ---- */

static tn_status kept_shape(tn_ir *ir, const tn_node *type, const sorting *s,
                            const tn_node **out_shape) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *shape = tn_op_shape(type);
  *out_shape = shape;
  if (shape == NULL || s->n < 0) {
    return NULL;
  }
  const tn_node *extent = shape->in[s->axis];
  if (s->n == 0 || (extent->op == TN_OP_INT && s->n > extent->attr.i64)) {
    return TN_ERR(TN_INVALID, "'k' is %" PRId64 " for an axis of extent %" PRId64, s->n,
                  extent->op == TN_OP_INT ? extent->attr.i64 : 0);
  }
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  dims[s->axis] = tn_int(ir, TN_DT_I64, s->n);
  *out_shape = tn_list(ir, shape->n_in, dims);
  return NULL;
}

tn_status tn_op_infer_sort(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *shape = NULL;
  sorting s = {0};
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  bool is_known = type->attr.i64 >= 0 && type->attr.i64 <= TN_MAX_NDIM;
  TN_TRY(read_sorting(call, is_known ? type->attr.i64 : TN_MAX_NDIM, &s));
  TN_TRY(kept_shape(ctx->ir, type, &s, &shape));
  const tn_node *types[2] = {tn_ty_tensor(ctx->ir, type->dtype, type->attr.i64, shape),
                             tn_ty_tensor(ctx->ir, s.index_dtype, type->attr.i64, shape)};
  *out_type =
      s.has_values && s.has_indices ? tn_ty_tuple(ctx->ir, 2, types) : types[s.has_values ? 0 : 1];
  return NULL;
}

/* ---- reference ---- */

/* Element i comes before element j, whatever their places. */
static bool comes_before(const sorting *s, const tn_array *x, int64_t i, int64_t j) {
  if (tn_dtype_is_float(x->dtype)) {
    double a = tn_array_get_f64(x, s->is_descending ? j : i);
    double b = tn_array_get_f64(x, s->is_descending ? i : j);
    return a < b || (isnan(b) && !isnan(a));
  }
  int64_t a = tn_array_get_i64(x, s->is_descending ? j : i);
  int64_t b = tn_array_get_i64(x, s->is_descending ? i : j);
  return tn_dtype_is_int(x->dtype) ? a < b : (uint64_t)a < (uint64_t)b;
}

/* Inserts the places 0 ... n - 1 of a row one after another. */
static void sort_row(const sorting *s, const tn_array *x, int64_t first, int64_t stride, int64_t n,
                     int64_t *order) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t to = i;
    while (to > 0 && comes_before(s, x, first + i * stride, first + order[to - 1] * stride)) {
      order[to] = order[to - 1];
      --to;
    }
    order[to] = i;
  }
}

static tn_status init_results(const sorting *s, const tn_array *x, const int64_t *shape,
                              tn_array *results) {
  int n = 0;
  if (s->has_values) {
    TN_TRY(tn_array_init(&results[n++], x->dtype, x->ndim, shape));
  }
  if (s->has_indices) {
    tn_status st = tn_array_init(&results[n], s->index_dtype, x->ndim, shape);
    if (st != NULL && n > 0) {
      tn_array_deinit(&results[0]);
    }
    return st;
  }
  return NULL;
}

tn_status tn_op_eval_sort(const tn_node *call, const tn_array *const *args, int32_t n_args,
                          tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t stride = 1;
  sorting s;
  if (n_args != 1 || args[0] == NULL || args[0]->ndim == 0) {
    return TN_ERR(TN_INVALID, "expected a tensor with an axis");
  }
  const tn_array *x = args[0];
  TN_TRY(read_sorting(call, x->ndim, &s));
  int64_t extent = x->shape[s.axis];
  int64_t kept = s.n < 0 ? extent : s.n;
  if (kept > extent) {
    return TN_ERR(TN_INVALID, "'k' is %" PRId64 " for an axis of extent %" PRId64, kept, extent);
  }
  memcpy(shape, x->shape, sizeof shape);
  shape[s.axis] = kept;
  TN_TRY(init_results(&s, x, shape, out));
  for (int32_t d = x->ndim - 1; d > s.axis; --d) {
    stride *= x->shape[d];
  }
  int64_t *order = calloc((size_t)extent + 1, sizeof *order);
  TN_CHECK(order != NULL, "no memory for a sort");
  int64_t n_rows = extent == 0 ? 0 : tn_array_n_elems(x) / extent;
  for (int64_t row = 0; row < n_rows; ++row) {
    int64_t first = row / stride * stride * extent + row % stride;
    int64_t to = row / stride * stride * kept + row % stride;
    sort_row(&s, x, first, stride, extent, order);
    for (int64_t i = 0; i < kept; ++i) {
      if (s.has_values) {
        tn_copy_element(x, first + order[i] * stride, &out[0], to + i * stride);
      }
      if (s.has_indices) {
        tn_array_set_i64(&out[s.has_values ? 1 : 0], to + i * stride, order[i]);
      }
    }
  }
  free(order);
  return NULL;
}

/* ---- loop form ---- */

static const tn_node *is_nan(tn_kernel *k, const tn_node *x) {
  return tn_te_intrin(k->te, TN_INTRIN_ISNAN, TN_TE_LIST(x));
}

static const tn_node *before(tn_kernel *k, const sorting *s, const tn_node *a, const tn_node *b) {
  const tn_node *low = s->is_descending ? b : a;
  const tn_node *high = s->is_descending ? a : b;
  const tn_node *is_less = tn_te_lt(k->te, low, high);
  if (!tn_dtype_is_float(a->dtype)) {
    return is_less;
  }
  const tn_node *is_last = tn_te_and(k->te, is_nan(k, high), tn_te_not(k->te, is_nan(k, low)));
  return tn_te_or(k->te, is_less, is_last);
}

/* rank[...] = how many elements of the row come before, those before it of equal ones too */
static const tn_node *build_ranks(tn_kernel *k, const sorting *s, const tn_node *x) {
  const tn_node *other[TN_MAX_NDIM];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  const tn_node *rank = tn_te_declare(k->te, "T_rank", TN_DT_I64, shape->n_in, shape->in);
  tn_kernel_begin(k, "T_rank", shape->n_in, shape->in, 1, &shape->in[s->axis]);
  const tn_node *j = k->axes[shape->n_in];
  memcpy(other, k->axes, sizeof(const tn_node *) * shape->n_in);
  other[s->axis] = j;
  const tn_node *a = tn_te_load(k->te, x, other);
  const tn_node *b = tn_te_load(k->te, x, k->axes);
  const tn_node *is_equal_before =
      tn_te_and(k->te, tn_te_not(k->te, before(k, s, b, a)), tn_te_lt(k->te, j, k->axes[s->axis]));
  const tn_node *counts = tn_te_or(k->te, before(k, s, a, b), is_equal_before);
  tn_te_end_reduce_into(k->te, TN_TE_SUM, rank, k->axes, tn_te_cast(k->te, TN_DT_I64, counts));
  return rank;
}

static tn_status build_sort(tn_kernel *k, const tn_node *type) {
  const tn_node *outs[2] = {NULL, NULL};
  const tn_node *at[TN_MAX_NDIM];
  sorting s;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(read_sorting(k->call, tn_buffer_ndim(x), &s));
  bool is_both = s.has_values && s.has_indices;
  uint32_t n_outs = is_both ? 2 : 1;
  for (uint32_t i = 0; i < n_outs; ++i) {
    TN_TRY(tn_kernel_result(k, is_both ? type->in[i] : type, &outs[i]));
  }
  const tn_node *rank = build_ranks(k, &s, x);
  const tn_node *shape = outs[0]->in[TN_BUFFER_SHAPE];
  const tn_node *from = tn_te_declare(k->te, "T_from", TN_DT_I64, shape->n_in, shape->in);
  tn_kernel_begin(k, "T_from", shape->n_in, shape->in, 1, &x->in[TN_BUFFER_SHAPE]->in[s.axis]);
  const tn_node *j = k->axes[shape->n_in];
  memcpy(at, k->axes, sizeof(const tn_node *) * shape->n_in);
  at[s.axis] = j;
  const tn_node *is_it = tn_te_eq(k->te, tn_te_load(k->te, rank, at), k->axes[s.axis]);
  const tn_node *place = tn_te_if_then_else(k->te, is_it, j, tn_int(k->ir, TN_DT_I64, 0));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, from, k->axes, place);
  for (uint32_t i = 0; i < n_outs; ++i) {
    tn_kernel_begin(k, "T_sorted", shape->n_in, shape->in, 0, NULL);
    memcpy(at, k->axes, sizeof(const tn_node *) * shape->n_in);
    at[s.axis] = tn_te_load(k->te, from, k->axes);
    const tn_node *value = i == 0 && s.has_values ? tn_te_load(k->te, x, at)
                                                  : tn_te_cast(k->te, s.index_dtype, at[s.axis]);
    tn_te_end_into(k->te, outs[i], k->axes, value, NULL);
  }
  return NULL;
}

tn_status tn_op_lower_sort(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_sort, out_func);
}
