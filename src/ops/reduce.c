/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reductions over axes (sum, mean, max, min, prod) and softmax. Sums of floats are taken in float64
 * by the reference; the mean of integers rounds toward zero. The maximum of nothing is the type's
 * least value, the mean of nothing 0/0, of integers 0. max and min are NaN where an element is. */
#include <inttypes.h>
#include <math.h>

#include "arith/arith.h"
#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

typedef enum reduction { SUM, MEAN, MAX, MIN, PROD } reduction;

static reduction reduction_of(const tn_node *call) {
  static const char *const names[] = {
      [SUM] = "sum", [MEAN] = "mean", [MAX] = "max", [MIN] = "min", [PROD] = "prod"};
  for (int r = SUM; r < PROD; ++r) {
    if (strcmp(names[r], call->attr.def->name) == 0) {
      return (reduction)r;
    }
  }
  return PROD;
}

static bool keeps_dims(const tn_node *call) {
  const tn_node *field = tn_call_field(call, 1);
  return field != NULL && field->attr.i64 != 0;
}

/* out_reduced[d]: axis d goes. */
static tn_status read_axes(const tn_node *call, int64_t ndim, bool *out_reduced) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = 0;
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions", ndim);
  }
  TN_TRY(tn_op_ints(call, 0, axes, &n));
  for (int32_t d = 0; d < ndim; ++d) {
    out_reduced[d] = n < 0;
  }
  for (int32_t i = 0; i < n; ++i) {
    int64_t axis = 0;
    TN_TRY(tn_op_axis(call->attr.def->name, axes[i], ndim, &axis));
    if (out_reduced[axis]) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " is there twice", axis);
    }
    out_reduced[axis] = true;
  }
  return NULL;
}

tn_status tn_op_infer_reduce(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *type = NULL;
  bool is_reduced[TN_MAX_NDIM];
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  if (tn_dtype_is_bool(type->dtype) && reduction_of(call) == MEAN) {
    return TN_ERR(TN_INVALID, "the operand has type bool, expected numbers");
  }
  if (type->attr.i64 < 0) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, -1, NULL);
    return NULL;
  }
  TN_TRY(read_axes(call, type->attr.i64, is_reduced));
  *out_type = tn_op_reduced_type(ctx->ir, type, type->dtype, is_reduced, keeps_dims(call));
  return NULL;
}

/* ---- reference ---- */

typedef struct accumulator {
  double f64;
  int64_t i64;
  int64_t n;
} accumulator;

/* The value that changes nothing: 0, or the type's least (max) or greatest (min). */
static accumulator neutral(reduction r, tn_dtype dtype) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (r == SUM || r == MEAN) {
    return (accumulator){0};
  }
  if (r == PROD) {
    return (accumulator){.f64 = 1, .i64 = 1};
  }
  if (tn_dtype_is_float(dtype)) {
    return (accumulator){.f64 = r == MAX ? -INFINITY : INFINITY};
  }
  if (tn_dtype_is_bool(dtype)) {
    return (accumulator){.i64 = r == MIN};
  }
  if (!tn_dtype_is_int(dtype)) {
    return (accumulator){.i64 = r == MAX ? 0 : (int64_t)(UINT64_MAX >> (64 - bits))};
  }
  int64_t least = (int64_t)((uint64_t)-1 << (bits - 1));
  return (accumulator){.i64 = r == MAX ? least : -(least + 1)};
}

/* Of equal zeros the later is taken, as loops do it. */
static void accumulate(reduction r, const tn_array *x, int64_t i, accumulator *acc) {
  double f = tn_array_get_f64(x, i);
  int64_t v = tn_dtype_is_float(x->dtype) ? 0 : tn_array_get_i64(x, i);
  bool is_less = tn_dtype_is_int(x->dtype) ? acc->i64 < v : (uint64_t)acc->i64 < (uint64_t)v;
  ++acc->n;
  if (r == SUM || r == MEAN) {
    acc->f64 += f;
    acc->i64 = (int64_t)((uint64_t)acc->i64 + (uint64_t)v);
  } else if (r == PROD) {
    acc->f64 *= f;
    acc->i64 = (int64_t)((uint64_t)acc->i64 * (uint64_t)v);
  } else {
    acc->f64 = r == MAX ? tn_op_maximum(f, acc->f64) : tn_op_minimum(f, acc->f64);
    acc->i64 = (r == MAX) == is_less ? v : acc->i64;
  }
}

static void store_result(reduction r, const accumulator *acc, tn_array *out, int64_t i) {
  if (tn_dtype_is_float(out->dtype)) {
    tn_array_set_f64(out, i, r == MEAN ? acc->f64 / (double)acc->n : acc->f64);
    return;
  }
  tn_array_set_i64(out, i, acc->i64);
  if (r == MEAN && acc->n > 0) {
    int64_t sum = tn_array_get_i64(out, i); /* wrapped to the type, as the loops' */
    bool has_sign = tn_dtype_is_int(out->dtype);
    tn_array_set_i64(out, i, has_sign ? sum / acc->n : (int64_t)((uint64_t)sum / (uint64_t)acc->n));
  }
}

tn_status tn_op_eval_reduce(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  bool is_reduced[TN_MAX_NDIM];
  int64_t shape[TN_MAX_NDIM];
  int64_t out_stride[TN_MAX_NDIM];
  int32_t n_dims = 0;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(read_axes(call, x->ndim, is_reduced));
  int64_t stride = 1;
  for (int32_t d = x->ndim; d-- > 0;) {
    out_stride[d] = is_reduced[d] ? 0 : stride;
    stride *= is_reduced[d] ? 1 : x->shape[d];
  }
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (!is_reduced[d] || keeps_dims(call)) {
      shape[n_dims++] = is_reduced[d] ? 1 : x->shape[d];
    }
  }
  int64_t n = tn_array_n_elems(x);
  TN_TRY(tn_array_init(out, x->dtype, n_dims, shape));
  accumulator *acc = calloc((size_t)tn_array_n_elems(out) + 1, sizeof *acc);
  TN_CHECK(acc != NULL, "no memory for a reduction");
  for (int64_t i = 0; i < tn_array_n_elems(out); ++i) {
    acc[i] = neutral(reduction_of(call), x->dtype);
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    int64_t at = 0;
    for (int32_t d = x->ndim; d-- > 0;) {
      at += rest % x->shape[d] * out_stride[d];
      rest /= x->shape[d];
    }
    accumulate(reduction_of(call), x, i, &acc[at]);
  }
  for (int64_t i = 0; i < tn_array_n_elems(out); ++i) {
    store_result(reduction_of(call), &acc[i], out, i);
  }
  free(acc);
  return NULL;
}

/* ---- loop-level form ---- */

static tn_te_reduction step_of(reduction r) {
  return r == MAX ? TN_TE_MAXIMUM : r == MIN ? TN_TE_MINIMUM : r == PROD ? TN_TE_PROD : TN_TE_SUM;
}

/* The block's element of a tensor of so many dimensions. */
static const tn_node *element_of(tn_kernel *k, const tn_node *x, uint32_t ndim,
                                 const bool *is_reduced) {
  const tn_node *indices[TN_MAX_NDIM];
  tn_kernel_whole_index(k, ndim, is_reduced, indices);
  return tn_te_load(k->te, x, indices);
}

/* out = sums / number of reduced elements */
static void divide_by_count(tn_kernel *k, const tn_node *x, const bool *is_reduced,
                            const tn_node *sums, const tn_node *out) {
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  const tn_node *count = tn_int(k->ir, TN_DT_I64, 1);
  tn_arith *arith = tn_arith_new(k->ir);
  for (uint32_t d = 0; d < tn_buffer_ndim(x); ++d) {
    if (is_reduced[d]) {
      count = tn_arith_simplify(arith,
                                tn_binary(k->ir, TN_OP_MUL, count, x->in[TN_BUFFER_SHAPE]->in[d]));
    }
  }
  tn_arith_free(arith);
  tn_dtype type = out->dtype;
  if (!tn_dtype_is_float(type)) { /* narrow types may not hold the count; of nothing it is 0 */
    type = tn_dtype_is_int(type) ? TN_DT_I64 : TN_DT_U64;
    count = tn_binary(k->ir, TN_OP_MAX, count, tn_int(k->ir, TN_DT_I64, 1));
  }
  tn_kernel_begin(k, "T_divide", shape->n_in, shape->in, 0, NULL);
  const tn_node *sum = tn_te_cast(k->te, type, tn_te_load(k->te, sums, k->axes));
  const tn_node *mean = tn_te_div(k->te, sum, tn_te_cast(k->te, type, count));
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, mean), NULL);
}

static tn_status build_reduce(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *indices[TN_MAX_NDIM];
  const tn_node *x = k->buffers.data[0];
  reduction r = reduction_of(k->call);
  TN_TRY(tn_kernel_result(k, type, &out));
  TN_TRY(read_axes(k->call, tn_buffer_ndim(x), is_reduced));
  const tn_node *sums = out;
  if (r == MEAN) {
    const tn_node *shape = out->in[TN_BUFFER_SHAPE];
    sums = tn_te_declare(k->te, "T_sum", out->dtype, shape->n_in, shape->in);
  }
  tn_kernel_begin_reduction(k, "T_reduce", x, is_reduced);
  (void)tn_kernel_kept_index(k, tn_buffer_ndim(x), is_reduced, keeps_dims(k->call), indices);
  tn_te_end_reduce_into(k->te, step_of(r), sums, indices,
                        element_of(k, x, tn_buffer_ndim(x), is_reduced));
  if (r == MEAN) {
    divide_by_count(k, x, is_reduced, sums, out);
  }
  return NULL;
}

tn_status tn_op_lower_reduce(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_reduce, out_func);
}

/* ---- softmax: exp(x - max) / sum ---- */

static tn_status softmax_axis(const tn_node *call, int64_t ndim, int64_t *out) {
  const tn_node *field = tn_call_field(call, 0);
  return tn_op_axis("softmax", field == NULL ? -1 : field->attr.i64, ndim, out);
}

tn_status tn_op_infer_softmax(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  char text[TN_DTYPE_TEXT_BYTES];
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, out_type));
  if ((*out_type)->dtype != TN_DT_NONE && !tn_dtype_is_float((*out_type)->dtype)) {
    return TN_ERR(TN_INVALID, "the operand has type %s, expected a float type",
                  tn_dtype_print((*out_type)->dtype, text));
  }
  return (*out_type)->attr.i64 < 0 ? NULL : softmax_axis(call, (*out_type)->attr.i64, &axis);
}

static void softmax_row(const tn_array *x, int64_t at, int64_t n, int64_t stride, tn_array *out) {
  double top = -INFINITY;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    double value = tn_array_get_f64(x, at + i * stride);
    top = value > top ? value : top;
  }
  for (int64_t i = 0; i < n; ++i) {
    sum += exp(tn_array_get_f64(x, at + i * stride) - top);
  }
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_f64(out, at + i * stride, exp(tn_array_get_f64(x, at + i * stride) - top) / sum);
  }
}

tn_status tn_op_eval_softmax(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  int64_t axis = 0;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(softmax_axis(call, x->ndim, &axis));
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  int64_t stride = 1;
  for (int32_t d = x->ndim - 1; d > axis; --d) {
    stride *= x->shape[d];
  }
  int64_t n = x->shape[axis];
  int64_t n_rows = n == 0 ? 0 : tn_array_n_elems(x) / n;
  for (int64_t row = 0; row < n_rows; ++row) {
    softmax_row(x, row / stride * stride * n + row % stride, n, stride, out);
  }
  return NULL;
}

/* The value of each row: `from`, of the argument's shape, reduced along the axis. */
static const tn_node *row_value(tn_kernel *k, tn_te_reduction r, const char *name,
                                const tn_node *from, const bool *is_reduced) {
  const tn_node *extents[TN_MAX_NDIM];
  const tn_node *x = k->buffers.data[0];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  uint32_t n = 0;
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (!is_reduced[d]) {
      extents[n++] = shape->in[d];
    }
  }
  const tn_node *rows = tn_te_declare(k->te, name, x->dtype, n, extents);
  tn_kernel_begin_reduction(k, name, x, is_reduced);
  tn_te_end_reduce_into(k->te, r, rows, k->axes, element_of(k, from, shape->n_in, is_reduced));
  return rows;
}

/* rows, whose index is that of the block's element without the axis */
static const tn_node *load_row(tn_kernel *k, const tn_node *rows, const bool *is_reduced) {
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t d = 0; d < k->n_spatial; ++d) {
    if (!is_reduced[d]) {
      indices[n++] = k->axes[d];
    }
  }
  return tn_te_load(k->te, rows, indices);
}

static tn_status build_softmax(tn_kernel *k, const tn_node *type) {
  bool is_reduced[TN_MAX_NDIM];
  int64_t axis = 0;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  TN_TRY(tn_kernel_result(k, type, &out));
  TN_TRY(softmax_axis(k->call, shape->n_in, &axis));
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    is_reduced[d] = d == axis;
  }
  const tn_node *top = row_value(k, TN_TE_MAX, "T_softmax_maxelem", x, is_reduced);
  tn_kernel_begin(k, "T_softmax_exp", shape->n_in, shape->in, 0, NULL);
  const tn_node *shifted =
      tn_te_sub(k->te, tn_te_load(k->te, x, k->axes), load_row(k, top, is_reduced));
  const tn_node *exps = tn_te_end(k->te, tn_te_intrin(k->te, TN_INTRIN_EXP, 1, &shifted));
  const tn_node *sum = row_value(k, TN_TE_SUM, "T_softmax_expsum", exps, is_reduced);
  tn_kernel_begin(k, "T_softmax_norm", shape->n_in, shape->in, 0, NULL);
  const tn_node *share =
      tn_te_div(k->te, tn_te_load(k->te, exps, k->axes), load_row(k, sum, is_reduced));
  tn_te_end_into(k->te, out, k->axes, share, NULL);
  return NULL;
}

tn_status tn_op_lower_softmax(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "softmax", build_softmax, out_func);
}
