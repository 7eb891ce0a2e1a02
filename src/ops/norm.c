/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Means and deviations: batch_norm, layer_norm, rms_norm, variance, std, log_softmax, dropout.
 * Floats alone. Sums of float16 and bfloat16 are taken in float32, those of the reference in
 * float64. The variance is the mean of the squares of what differs from the mean (not unbiased).
 * batch_norm is inference: it takes the moving mean and variance and gives them back unchanged;
 * training=True is refused. A mean of nothing is 0/0. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* In what sums are taken. */
static tn_dtype sum_dtype(tn_dtype dtype) { return tn_dtype_bits(dtype) < 32 ? TN_DT_F32 : dtype; }

/* ---- axes ---- */

/* A field of one axis or several; otherwise all (deviations), or the last (normalizations). */
static tn_status read_axes(const tn_node *call, int32_t field, int64_t ndim, bool takes_all,
                           bool *out_reduced) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = 0;
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions", ndim);
  }
  TN_TRY(tn_op_ints(call, field, axes, &n));
  for (int32_t d = 0; d < ndim; ++d) {
    out_reduced[d] = n < 0 && (takes_all || d == ndim - 1);
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

/* The reduced dimensions of x have a weight each: same extents, same order. */
static tn_status check_weight(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                              const tn_node *x, const bool *is_reduced) {
  const tn_node *weight = NULL;
  char what[40];
  uint32_t n = 0;
  (void)snprintf(what, sizeof what, "argument %u", i);
  TN_TRY(tn_op_arg_type(ctx, call, i, &weight));
  TN_TRY(tn_op_same_dtype(x, weight));
  for (int64_t d = 0; d < x->attr.i64; ++d) {
    n += is_reduced[d] ? 1 : 0;
  }
  TN_TRY(tn_op_rank(weight, n, what));
  const tn_node *have = tn_op_shape(weight);
  const tn_node *shape = tn_op_shape(x);
  n = 0;
  for (int64_t d = 0; have != NULL && shape != NULL && d < x->attr.i64; ++d) {
    if (is_reduced[d]) {
      TN_TRY(tn_op_same_extent(ctx->ir, have->in[n], what, shape->in[d], "the data's dimension"));
      ++n;
    }
  }
  return NULL;
}

/* ---- sums over groups, for the references ---- */

typedef struct groups {
  int64_t n;                   /* how many */
  int64_t n_each;              /* elements in each */
  int64_t stride[TN_MAX_NDIM]; /* of a kept dimension in the number of the group */
  int64_t within[TN_MAX_NDIM]; /* of a reduced one in the number within it */
  double *sum;                 /* owned */
  double *square;              /* of what differs from the mean; owned */
} groups;

static void groups_deinit(groups *g) {
  free(g->sum);
  free(g->square);
}

static int64_t place(const tn_array *x, const int64_t *strides, int64_t i) {
  int64_t at = 0;
  for (int32_t d = x->ndim; d-- > 0;) {
    at += i % x->shape[d] * strides[d];
    i /= x->shape[d];
  }
  return at;
}

static void groups_init(groups *g, const tn_array *x, const bool *is_reduced, bool is_centred) {
  *g = (groups){.n = 1, .n_each = 1};
  for (int32_t d = x->ndim; d-- > 0;) {
    g->stride[d] = is_reduced[d] ? 0 : g->n;
    g->within[d] = is_reduced[d] ? g->n_each : 0;
    g->n *= is_reduced[d] ? 1 : x->shape[d];
    g->n_each *= is_reduced[d] ? x->shape[d] : 1;
  }
  g->sum = calloc((size_t)g->n + 1, sizeof *g->sum);
  g->square = calloc((size_t)g->n + 1, sizeof *g->square);
  TN_CHECK(g->sum != NULL && g->square != NULL, "no memory for sums");
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    g->sum[place(x, g->stride, i)] += tn_array_get_f64(x, i);
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = place(x, g->stride, i);
    double mean = is_centred ? g->sum[at] / (double)g->n_each : 0;
    double apart = tn_array_get_f64(x, i) - mean;
    g->square[at] += apart * apart;
  }
}

/* ---- sums over groups, in loops ---- */

static const tn_node *count_of(tn_kernel *k, const tn_node *x, const bool *is_reduced,
                               tn_dtype dtype) {
  const tn_node *count = tn_int(k->ir, TN_DT_I64, 1);
  for (uint32_t d = 0; d < tn_buffer_ndim(x); ++d) {
    if (is_reduced[d]) {
      count = tn_te_mul(k->te, count, x->in[TN_BUFFER_SHAPE]->in[d]);
    }
  }
  return tn_te_cast(k->te, dtype, tn_op_simplify(k->ir, count));
}

typedef struct sums {
  const tn_node *x;
  const bool *is_reduced;
  const tn_node *sum;
  const tn_node *square;
} sums;

/* A temporary with an element a group. */
static const tn_node *group_temp(tn_kernel *k, const sums *s, const char *name) {
  const tn_node *dims[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t d = 0; d < tn_buffer_ndim(s->x); ++d) {
    if (!s->is_reduced[d]) {
      dims[n++] = s->x->in[TN_BUFFER_SHAPE]->in[d];
    }
  }
  return tn_te_declare(k->te, name, sum_dtype(s->x->dtype), n, dims);
}

/* The value of the element's group; the block is over all of x. */
static const tn_node *of_group(tn_kernel *k, const sums *s, const tn_node *temp) {
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t d = 0; d < tn_buffer_ndim(s->x); ++d) {
    if (!s->is_reduced[d]) {
      indices[n++] = k->axes[d];
    }
  }
  return tn_te_load(k->te, temp, indices);
}

/* target += f(element), f being: itself (mean NULL), or the square of what differs from the
 * mean. */
static void build_sum(tn_kernel *k, const sums *s, const char *name, const tn_node *mean_of,
                      bool is_square, const tn_node *target) {
  const tn_node *whole[TN_MAX_NDIM];
  const tn_node *kept[TN_MAX_NDIM];
  tn_dtype dtype = target->dtype;
  tn_kernel_begin_reduction(k, name, s->x, s->is_reduced);
  tn_kernel_whole_index(k, tn_buffer_ndim(s->x), s->is_reduced, whole);
  (void)tn_kernel_kept_index(k, tn_buffer_ndim(s->x), s->is_reduced, false, kept);
  const tn_node *value = tn_te_cast(k->te, dtype, tn_te_load(k->te, s->x, whole));
  if (mean_of != NULL) {
    const tn_node *mean =
        tn_te_div(k->te, tn_te_load(k->te, mean_of, kept), count_of(k, s->x, s->is_reduced, dtype));
    value = tn_te_sub(k->te, value, mean);
  }
  value = is_square ? tn_te_mul(k->te, value, value) : value;
  tn_te_end_reduce_into(k->te, TN_TE_SUM, target, kept, value);
}

static void build_sums(tn_kernel *k, sums *s) {
  s->sum = group_temp(k, s, "T_sum");
  s->square = group_temp(k, s, "T_square");
  build_sum(k, s, "T_sum", NULL, false, s->sum);
  build_sum(k, s, "T_square", s->sum, true, s->square);
}

/* ---- layer_norm, rms_norm ---- */

enum { NORM_AXES, NORM_EPSILON, NORM_CENTER, NORM_SCALE }; /* rms_norm has the first two */

static bool is_rms(const tn_node *call) { return strcmp(call->attr.def->name, "nn.rms_norm") == 0; }

tn_status tn_op_infer_layer_norm(const tn_infer_ctx *ctx, const tn_node *call,
                                 const tn_node **out_type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *type = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_want_float(type));
  if (type->attr.i64 >= 0) {
    TN_TRY(read_axes(call, NORM_AXES, type->attr.i64, false, is_reduced));
    for (uint32_t i = 1; i < call->in[TN_CALL_ARGS]->n_in; ++i) {
      TN_TRY(check_weight(ctx, call, i, type, is_reduced));
    }
  }
  *out_type = type;
  return NULL;
}

static bool has_weight(const tn_node *call, int32_t i) {
  return i == 1 ? is_rms(call) || tn_op_int(call, NORM_SCALE) != 0
                : !is_rms(call) && tn_op_int(call, NORM_CENTER) != 0;
}

tn_status tn_op_eval_layer_norm(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                tn_array *out) {
  bool is_reduced[TN_MAX_NDIM];
  groups g;
  bool rms = is_rms(call);
  if (n_args != (rms ? 2 : 3) || args[0] == NULL || args[1] == NULL || args[n_args - 1] == NULL) {
    return TN_ERR(TN_INVALID, "expected tensors");
  }
  const tn_array *x = args[0];
  TN_TRY(read_axes(call, NORM_AXES, x->ndim, false, is_reduced));
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  groups_init(&g, x, is_reduced, !rms);
  for (int32_t a = 1; a < n_args; ++a) {
    if (tn_array_n_elems(args[a]) != g.n_each) {
      groups_deinit(&g);
      tn_array_deinit(out);
      return TN_ERR(TN_INVALID, "argument %d has not the extents of the axes", a);
    }
  }
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = place(x, g.stride, i);
    int64_t w = place(x, g.within, i);
    double mean = g.sum[at] / (double)g.n_each;
    double square = g.square[at] / (double)g.n_each;
    double value = tn_array_get_f64(x, i) - (rms ? 0 : mean);
    value /= sqrt(square + tn_op_float(call, NORM_EPSILON));
    value *= has_weight(call, 1) ? tn_array_get_f64(args[1], w) : 1;
    value += has_weight(call, 2) ? tn_array_get_f64(args[2], w) : 0;
    tn_array_set_f64(out, i, value);
  }
  groups_deinit(&g);
  return NULL;
}

static const tn_node *weight_of(tn_kernel *k, const sums *s, uint32_t i, tn_dtype dtype) {
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t d = 0; d < tn_buffer_ndim(s->x); ++d) {
    if (s->is_reduced[d]) {
      indices[n++] = k->axes[d];
    }
  }
  return tn_te_cast(k->te, dtype, tn_te_load(k->te, k->buffers.data[i], indices));
}

static tn_status build_layer_norm(tn_kernel *k, const tn_node *type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *out = NULL;
  bool rms = is_rms(k->call);
  sums s = {.x = k->buffers.data[0], .is_reduced = is_reduced};
  tn_dtype dtype = sum_dtype(s.x->dtype);
  TN_TRY(read_axes(k->call, NORM_AXES, tn_buffer_ndim(s.x), false, is_reduced));
  TN_TRY(tn_kernel_result(k, type, &out));
  if (rms) {
    s.square = group_temp(k, &s, "T_square");
    build_sum(k, &s, "T_square", NULL, true, s.square);
  } else {
    build_sums(k, &s);
  }
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_norm", shape->n_in, shape->in, 0, NULL);
  const tn_node *count = count_of(k, s.x, is_reduced, dtype);
  const tn_node *value = tn_te_cast(k->te, dtype, tn_te_load(k->te, s.x, k->axes));
  if (!rms) {
    value = tn_te_sub(k->te, value, tn_te_div(k->te, of_group(k, &s, s.sum), count));
  }
  const tn_node *square = tn_te_div(k->te, of_group(k, &s, s.square), count);
  square = tn_te_add(k->te, square, tn_te_number(k->te, dtype, tn_op_float(k->call, NORM_EPSILON)));
  value = tn_te_div(k->te, value, tn_te_intrin(k->te, TN_INTRIN_SQRT, TN_TE_LIST(square)));
  if (has_weight(k->call, 1)) {
    value = tn_te_mul(k->te, value, weight_of(k, &s, 1, dtype));
  }
  if (has_weight(k->call, 2)) {
    value = tn_te_add(k->te, value, weight_of(k, &s, 2, dtype));
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_layer_norm(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_layer_norm, out_func);
}

/* ---- variance, std ---- */

enum { DEVIATION_AXIS, DEVIATION_KEEPDIMS };

tn_status tn_op_infer_deviation(const tn_infer_ctx *ctx, const tn_node *call,
                                const tn_node **out_type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *type = NULL;
  uint32_t n = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_want_float(type));
  if (type->attr.i64 < 0) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, -1, NULL);
    return NULL;
  }
  TN_TRY(read_axes(call, DEVIATION_AXIS, type->attr.i64, true, is_reduced));
  const tn_node *shape = tn_op_shape(type);
  for (int64_t d = 0; d < type->attr.i64; ++d) {
    if (!is_reduced[d] || tn_op_int(call, DEVIATION_KEEPDIMS) != 0) {
      dims[n++] = is_reduced[d]   ? tn_int(ctx->ir, TN_DT_I64, 1)
                  : shape == NULL ? NULL
                                  : shape->in[d];
    }
  }
  *out_type =
      tn_ty_tensor(ctx->ir, type->dtype, n, shape == NULL ? NULL : tn_list(ctx->ir, n, dims));
  return NULL;
}

static bool is_std(const tn_node *call) { return strcmp(call->attr.def->name, "std") == 0; }

tn_status tn_op_eval_deviation(const tn_node *call, const tn_array *const *args, int32_t n_args,
                               tn_array *out) {
  bool is_reduced[TN_MAX_NDIM];
  int64_t shape[TN_MAX_NDIM];
  int32_t n_dims = 0;
  groups g;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(read_axes(call, DEVIATION_AXIS, x->ndim, true, is_reduced));
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (!is_reduced[d] || tn_op_int(call, DEVIATION_KEEPDIMS) != 0) {
      shape[n_dims++] = is_reduced[d] ? 1 : x->shape[d];
    }
  }
  TN_TRY(tn_array_init(out, x->dtype, n_dims, shape));
  groups_init(&g, x, is_reduced, true);
  for (int64_t i = 0; i < g.n; ++i) {
    double variance = g.square[i] / (double)g.n_each;
    tn_array_set_f64(out, i, is_std(call) ? sqrt(variance) : variance);
  }
  groups_deinit(&g);
  return NULL;
}

static tn_status build_deviation(tn_kernel *k, const tn_node *type) {
  bool is_reduced[TN_MAX_NDIM];
  const tn_node *indices[TN_MAX_NDIM];
  const tn_node *out = NULL;
  sums s = {.x = k->buffers.data[0], .is_reduced = is_reduced};
  tn_dtype dtype = sum_dtype(s.x->dtype);
  uint32_t ndim = tn_buffer_ndim(s.x);
  uint32_t n = 0;
  bool keeps = tn_op_int(k->call, DEVIATION_KEEPDIMS) != 0;
  TN_TRY(read_axes(k->call, DEVIATION_AXIS, ndim, true, is_reduced));
  TN_TRY(tn_kernel_result(k, type, &out));
  build_sums(k, &s);
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_variance", shape->n_in, shape->in, 0, NULL);
  for (uint32_t d = 0, at = 0; d < ndim; ++d) {
    if (!is_reduced[d]) {
      indices[n++] = k->axes[at];
    }
    at += !is_reduced[d] || keeps ? 1 : 0;
  }
  const tn_node *value =
      tn_te_div(k->te, tn_te_load(k->te, s.square, indices), count_of(k, s.x, is_reduced, dtype));
  value = is_std(k->call) ? tn_te_intrin(k->te, TN_INTRIN_SQRT, TN_TE_LIST(value)) : value;
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_deviation(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_deviation, out_func);
}

/* ---- batch_norm: data, gamma, beta, mean, variance ---- */

enum { BATCH_AXIS, BATCH_EPSILON, BATCH_CENTER, BATCH_SCALE, BATCH_MOMENTUM, BATCH_TRAINING };

tn_status tn_op_infer_batch_norm(const tn_infer_ctx *ctx, const tn_node *call,
                                 const tn_node **out_type) {
  const tn_node *types[3] = {NULL, NULL, NULL};
  bool is_reduced[TN_MAX_NDIM] = {false};
  TN_TRY(tn_op_arg_type(ctx, call, 0, &types[0]));
  TN_TRY(tn_op_want_float(types[0]));
  if (tn_op_int(call, BATCH_TRAINING) != 0) {
    return TN_ERR(TN_UNSUPPORTED, "training=True: only inference is there");
  }
  TN_TRY(tn_op_arg_type(ctx, call, 3, &types[1]));
  TN_TRY(tn_op_arg_type(ctx, call, 4, &types[2]));
  int64_t ndim = types[0]->attr.i64;
  if (ndim >= 0 && ndim <= TN_MAX_NDIM) {
    int64_t axis = 0;
    TN_TRY(tn_op_axis("batch_norm", tn_op_int(call, BATCH_AXIS), ndim, &axis));
    is_reduced[axis] = true;
    for (uint32_t i = 1; i < 5; ++i) {
      TN_TRY(check_weight(ctx, call, i, types[0], is_reduced));
    }
  }
  *out_type = tn_ty_tuple(ctx->ir, 3, types);
  return NULL;
}

static double batch_value(const tn_node *call, const tn_array *const *args, double x, int64_t c) {
  double variance = tn_array_get_f64(args[4], c);
  double value =
      (x - tn_array_get_f64(args[3], c)) / sqrt(variance + tn_op_float(call, BATCH_EPSILON));
  value *= tn_op_int(call, BATCH_SCALE) != 0 ? tn_array_get_f64(args[1], c) : 1;
  return value + (tn_op_int(call, BATCH_CENTER) != 0 ? tn_array_get_f64(args[2], c) : 0);
}

tn_status tn_op_eval_batch_norm(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                tn_array *out) {
  int64_t axis = 0;
  int64_t stride = 1;
  for (int32_t i = 0; i < 5; ++i) {
    if (n_args != 5 || args[i] == NULL) {
      return TN_ERR(TN_INVALID, "expected five tensors");
    }
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("batch_norm", tn_op_int(call, BATCH_AXIS), x->ndim, &axis));
  for (int32_t i = 1; i < 5; ++i) {
    if (tn_array_n_elems(args[i]) != x->shape[axis]) {
      return TN_ERR(TN_INVALID, "argument %d has not the extent of the axis", i);
    }
  }
  tn_array results[3] = {{0}};
  tn_status st = tn_array_init(&results[0], x->dtype, x->ndim, x->shape);
  st = st == NULL ? tn_array_init_copy(&results[1], args[3]) : st;
  st = st == NULL ? tn_array_init_copy(&results[2], args[4]) : st;
  if (st != NULL) {
    for (int32_t i = 0; i < 3; ++i) {
      tn_array_deinit(&results[i]);
    }
    return st;
  }
  for (int32_t d = x->ndim - 1; d > axis; --d) {
    stride *= x->shape[d];
  }
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    double value = batch_value(call, args, tn_array_get_f64(x, i), i / stride % x->shape[axis]);
    tn_array_set_f64(&results[0], i, value);
  }
  memcpy(out, results, sizeof results);
  return NULL;
}

static void build_copy(tn_kernel *k, const tn_node *from, const tn_node *to) {
  const tn_node *shape = to->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_copy", shape->n_in, shape->in, 0, NULL);
  tn_te_end_into(k->te, to, k->axes, tn_te_load(k->te, from, k->axes), NULL);
}

static tn_status build_batch_norm(tn_kernel *k, const tn_node *type) {
  const tn_node *outs[3];
  const tn_node *const *in = k->buffers.data;
  int64_t axis = 0;
  TN_TRY(tn_op_axis("batch_norm", tn_op_int(k->call, BATCH_AXIS), tn_buffer_ndim(in[0]), &axis));
  for (int32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &outs[i]));
  }
  in = k->buffers.data; /* the results came to the same list */
  const tn_node *shape = outs[0]->in[TN_BUFFER_SHAPE];
  tn_dtype dtype = sum_dtype(outs[0]->dtype);
  tn_kernel_begin(k, "T_norm", shape->n_in, shape->in, 0, NULL);
  const tn_node *w[5];
  for (int32_t i = 0; i < 5; ++i) {
    w[i] = tn_te_cast(k->te, dtype, tn_te_load(k->te, in[i], i == 0 ? k->axes : &k->axes[axis]));
  }
  const tn_node *epsilon = tn_te_number(k->te, dtype, tn_op_float(k->call, BATCH_EPSILON));
  const tn_node *root =
      tn_te_intrin(k->te, TN_INTRIN_SQRT, TN_TE_LIST(tn_te_add(k->te, w[4], epsilon)));
  const tn_node *value = tn_te_div(k->te, tn_te_sub(k->te, w[0], w[3]), root);
  if (tn_op_int(k->call, BATCH_SCALE) != 0) {
    value = tn_te_mul(k->te, value, w[1]);
  }
  if (tn_op_int(k->call, BATCH_CENTER) != 0) {
    value = tn_te_add(k->te, value, w[2]);
  }
  tn_te_end_into(k->te, outs[0], k->axes, tn_te_cast(k->te, outs[0]->dtype, value), NULL);
  build_copy(k, in[3], outs[1]);
  build_copy(k, in[4], outs[2]);
  return NULL;
}

tn_status tn_op_lower_batch_norm(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "batch_norm", build_batch_norm, out_func);
}

/* ---- log_softmax: x - max - log(sum(exp(x - max))) ---- */

tn_status tn_op_eval_log_softmax(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                 tn_array *out) {
  int64_t axis = 0;
  int64_t stride = 1;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("log_softmax", tn_op_int(call, 0), x->ndim, &axis));
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  for (int32_t d = x->ndim - 1; d > axis; --d) {
    stride *= x->shape[d];
  }
  int64_t extent = x->shape[axis];
  int64_t n_rows = extent == 0 ? 0 : tn_array_n_elems(x) / extent;
  for (int64_t row = 0; row < n_rows; ++row) {
    int64_t first = row / stride * stride * extent + row % stride;
    double top = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < extent; ++i) {
      double value = tn_array_get_f64(x, first + i * stride);
      top = top > value ? top : value;
    }
    for (int64_t i = 0; i < extent; ++i) {
      sum += exp(tn_array_get_f64(x, first + i * stride) - top);
    }
    for (int64_t i = 0; i < extent; ++i) {
      double value = tn_array_get_f64(x, first + i * stride);
      tn_array_set_f64(out, first + i * stride, value - top - log(sum));
    }
  }
  return NULL;
}

static tn_status build_log_softmax(tn_kernel *k, const tn_node *type) {
  bool is_reduced[TN_MAX_NDIM] = {false};
  const tn_node *whole[TN_MAX_NDIM];
  const tn_node *kept[TN_MAX_NDIM];
  const tn_node *out = NULL;
  int64_t axis = 0;
  sums s = {.x = k->buffers.data[0], .is_reduced = is_reduced};
  uint32_t ndim = tn_buffer_ndim(s.x);
  tn_dtype dtype = sum_dtype(s.x->dtype);
  TN_TRY(tn_op_axis("log_softmax", tn_op_int(k->call, 0), ndim, &axis));
  TN_TRY(tn_kernel_result(k, type, &out));
  is_reduced[axis] = true;
  const tn_node *top = group_temp(k, &s, "T_softmax_maxelem");
  const tn_node *sum = group_temp(k, &s, "T_softmax_expsum");
  tn_kernel_begin_reduction(k, "T_softmax_maxelem", s.x, is_reduced);
  tn_kernel_whole_index(k, ndim, is_reduced, whole);
  (void)tn_kernel_kept_index(k, ndim, is_reduced, false, kept);
  const tn_node *value = tn_te_cast(k->te, dtype, tn_te_load(k->te, s.x, whole));
  tn_te_end_reduce_into(k->te, TN_TE_MAX, top, kept, value);
  tn_kernel_begin_reduction(k, "T_softmax_expsum", s.x, is_reduced);
  tn_kernel_whole_index(k, ndim, is_reduced, whole);
  (void)tn_kernel_kept_index(k, ndim, is_reduced, false, kept);
  value = tn_te_cast(k->te, dtype, tn_te_load(k->te, s.x, whole));
  value = tn_te_intrin(k->te, TN_INTRIN_EXP,
                       TN_TE_LIST(tn_te_sub(k->te, value, tn_te_load(k->te, top, kept))));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, sum, kept, value);
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_log_softmax", shape->n_in, shape->in, 0, NULL);
  value = tn_te_cast(k->te, dtype, tn_te_load(k->te, s.x, k->axes));
  value = tn_te_sub(k->te, value, of_group(k, &s, top));
  value =
      tn_te_sub(k->te, value, tn_te_intrin(k->te, TN_INTRIN_LOG, TN_TE_LIST(of_group(k, &s, sum))));
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_log_softmax(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "log_softmax", build_log_softmax, out_func);
}

tn_status tn_op_infer_log_softmax(const tn_infer_ctx *ctx, const tn_node *call,
                                  const tn_node **out_type) {
  return tn_op_infer_softmax(ctx, call, out_type);
}

/* ---- dropout of a network in use: nothing is dropped; the mask is all ones ---- */

tn_status tn_op_infer_dropout(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *type = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_want_float(type));
  const tn_node *types[] = {type, type};
  *out_type = tn_ty_tuple(ctx->ir, 2, types);
  return NULL;
}

tn_status tn_op_eval_dropout(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  tn_array mask = {0};
  (void)call;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  TN_TRY(tn_array_init(&mask, args[0]->dtype, args[0]->ndim, args[0]->shape));
  tn_status st = tn_array_init_copy(&out[0], args[0]);
  if (st != NULL) {
    tn_array_deinit(&mask);
    return st;
  }
  int64_t n = tn_array_n_elems(&mask);
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_f64(&mask, i, 1);
  }
  out[1] = mask;
  return NULL;
}

static tn_status build_dropout(tn_kernel *k, const tn_node *type) {
  const tn_node *outs[2];
  const tn_node *x = k->buffers.data[0];
  for (int32_t i = 0; i < 2; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &outs[i]));
  }
  build_copy(k, x, outs[0]);
  const tn_node *shape = outs[1]->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_mask", shape->n_in, shape->in, 0, NULL);
  tn_te_end_into(k->te, outs[1], k->axes, tn_te_number(k->te, outs[1]->dtype, 1), NULL);
  return NULL;
}

tn_status tn_op_lower_dropout(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "dropout", build_dropout, out_func);
}
