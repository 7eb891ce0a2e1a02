/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Norms: mean 0 and variance 1, or length 1, over some of the axes; dropout. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

/* ---- batch norm ---- */

/* The mean and the variance of each channel, in at least float32. */
static void measure(tn_onnx_call *c, const tn_node *x, size_t n, const int64_t *axes,
                    const tn_node **out_mean, const tn_node **out_variance) {
  tn_dtype type = tn_onnx_type_of(c, x);
  x = tn_onnx_cast(c, x, tn_dtype_bits(type) < 32 ? TN_DT_F32 : type);
  *out_mean = tn_onnx_reduce(c, "mean", x, n, axes, false);
  *out_variance = tn_onnx_reduce(c, "variance", x, n, axes, false);
}

/* old * momentum + now * (1 - momentum) */
static const tn_node *running(tn_onnx_call *c, const tn_node *old, const tn_node *now) {
  tn_dtype type = tn_onnx_type_of(c, old);
  tn_dtype in = tn_onnx_type_of(c, now);
  double momentum = tn_onnx_attr_float(c, "momentum", 0.9);
  old = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, old, in), tn_onnx_scalar(c, in, momentum));
  now = tn_onnx_op2(c, "multiply", now, tn_onnx_scalar(c, in, 1 - momentum));
  return tn_onnx_cast(c, tn_onnx_op2(c, "add", old, now), type);
}

/* Up to opset 6 an attribute says whether a node trains, up to 13 its outputs do. */
static bool trains(tn_onnx_call *c) {
  if (c->version < 7) {
    return tn_onnx_attr_int(c, "is_test", 0) == 0;
  }
  return c->version < 14 ? tn_onnx_wants(c, 1) || tn_onnx_wants(c, 2)
                         : tn_onnx_attr_int(c, "training_mode", 0) != 0;
}

enum { SCALE, BIAS, MEAN, VARIANCE, N_PARAMS };

/* Every element of a picture has parameters of its own (spatial 0). */
static const tn_node *norm_elements(tn_onnx_call *c, const tn_node *x,
                                    const tn_node *const *params) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *epsilon = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "epsilon", 1e-5));
  const tn_node *root = tn_onnx_op1(c, "sqrt", tn_onnx_op2(c, "add", params[VARIANCE], epsilon));
  const tn_node *y = tn_onnx_op2(c, "divide", tn_onnx_op2(c, "subtract", x, params[MEAN]), root);
  return tn_onnx_op2(c, "add", tn_onnx_op2(c, "multiply", y, params[SCALE]), params[BIAS]);
}

/* In training the batch's own mean and variance count, and the running ones come out. */
void tn_onnx_rule_batch_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *params[N_PARAMS];
  int64_t axes[TN_MAX_NDIM];
  size_t n = 0;
  bool is_spatial = c->version >= 9 || tn_onnx_attr_int(c, "spatial", 1) != 0;
  int32_t ndim = tn_onnx_ndim(c, x);
  for (uint32_t i = 0; i < N_PARAMS; ++i) {
    params[i] = tn_onnx_in(c, 1 + i);
  }
  for (int32_t i = 0; i < ndim; ++i) {
    if (i == 0 || (is_spatial && i > 1)) {
      axes[n++] = i;
    }
  }
  if (trains(c)) {
    const tn_node *mean = NULL;
    const tn_node *variance = NULL;
    measure(c, x, n, axes, &mean, &variance);
    tn_onnx_give(c, 1, running(c, params[MEAN], mean));
    tn_onnx_give(c, 2, running(c, params[VARIANCE], variance));
    tn_onnx_give(c, 3, mean); /* the batch's own, before opset 14 */
    tn_onnx_give(c, 4, variance);
    params[MEAN] = mean;
    params[VARIANCE] = variance;
  } else {
    tn_onnx_no_outputs_from(c, 1);
  }
  const tn_node *args[1 + N_PARAMS] = {x};
  for (uint32_t i = 0; i < N_PARAMS; ++i) { /* from opset 14 on they may be wider than the data */
    params[i] = tn_onnx_cast(c, params[i], tn_onnx_type_of(c, x));
    args[1 + i] = params[i];
  }
  if (!is_spatial) {
    tn_onnx_give(c, 0, norm_elements(c, x, params));
    return;
  }
  tn_onnx_build b = tn_onnx_begin(c, "nn.batch_norm");
  tn_onnx_set_int(&b, "axis", 1);
  tn_onnx_set_float(&b, "epsilon", tn_onnx_attr_float(c, "epsilon", 1e-5));
  tn_onnx_give(c, 0, tn_onnx_item(c, tn_onnx_end(&b, 1 + N_PARAMS, args), 0));
}

/* ---- other norms ---- */
/* (x - mean) / sqrt(variance + epsilon) over axes; also mean and 1 / sqrt(...) of x's rank. */
static const tn_node *normalised(tn_onnx_call *c, const tn_node *x, size_t n, const int64_t *axes,
                                 double epsilon, const tn_node **out_mean,
                                 const tn_node **out_inverse) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *mean = tn_onnx_reduce(c, "mean", x, n, axes, true);
  const tn_node *d = tn_onnx_op2(c, "subtract", x, mean);
  const tn_node *variance =
      tn_onnx_reduce(c, "mean", tn_onnx_op2(c, "multiply", d, d), n, axes, true);
  const tn_node *sum = tn_onnx_op2(c, "add", variance, tn_onnx_scalar(c, type, epsilon));
  const tn_node *inverse =
      tn_onnx_op2(c, "divide", tn_onnx_scalar(c, type, 1), tn_onnx_op1(c, "sqrt", sum));
  *out_mean = mean;
  *out_inverse = inverse;
  return tn_onnx_op2(c, "multiply", d, inverse);
}

void tn_onnx_rule_instance_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t ndim = tn_onnx_ndim(c, x);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t axes[TN_MAX_NDIM];
  for (int32_t i = 2; i < ndim; ++i) {
    axes[i - 2] = i;
  }
  if (c->st == NULL && ndim < 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, expected 3 or more", ndim);
  }
  double epsilon = tn_onnx_attr_float(c, "epsilon", 1e-5);
  const tn_node *y =
      c->st != NULL ? NULL : normalised(c, x, (size_t)ndim - 2, axes, epsilon, &mean, &inverse);
  y = tn_onnx_op2(c, "multiply", y, tn_onnx_along_channels(c, tn_onnx_in(c, 1), ndim));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, tn_onnx_in(c, 2), ndim)));
}

/* The axes from `axis` on. */
static size_t last_axes(tn_onnx_call *c, const tn_node *x, int64_t axis, int64_t *out) {
  int32_t ndim = tn_onnx_ndim(c, x);
  size_t n = 0;
  for (int32_t i = tn_onnx_axis(c, axis, ndim); i < ndim; ++i) {
    out[n++] = i;
  }
  return n;
}

/* float16 and bfloat16 are computed in float32, as stash_type says by default. */
static tn_dtype stash_type(tn_onnx_call *c, tn_dtype type) {
  bool is_single = tn_onnx_attr_int(c, "stash_type", 1) == 1;
  return is_single && tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
}

void tn_onnx_rule_layer_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t axes[TN_MAX_NDIM];
  tn_dtype type = tn_onnx_type_of(c, x);
  size_t n = last_axes(c, x, tn_onnx_attr_int(c, "axis", -1), axes);
  const tn_node *y = normalised(c, tn_onnx_cast(c, x, stash_type(c, type)), n, axes,
                                tn_onnx_attr_float(c, "epsilon", 1e-5), &mean, &inverse);
  y = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, y, type), tn_onnx_in(c, 1));
  if (tn_onnx_maybe(c, 2) != NULL) {
    y = tn_onnx_op2(c, "add", y, tn_onnx_maybe(c, 2));
  }
  tn_onnx_give(c, 0, y);
  tn_onnx_give(c, 1, mean);
  tn_onnx_give(c, 2, inverse);
}

void tn_onnx_rule_rms_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t axes[TN_MAX_NDIM];
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = stash_type(c, type);
  size_t n = last_axes(c, x, tn_onnx_attr_int(c, "axis", -1), axes);
  x = tn_onnx_cast(c, x, in);
  const tn_node *mean = tn_onnx_reduce(c, "mean", tn_onnx_op2(c, "multiply", x, x), n, axes, true);
  const tn_node *epsilon = tn_onnx_scalar(c, in, tn_onnx_attr_float(c, "epsilon", 1e-5));
  const tn_node *root = tn_onnx_op1(c, "sqrt", tn_onnx_op2(c, "add", mean, epsilon));
  const tn_node *y = tn_onnx_cast(c, tn_onnx_op2(c, "divide", x, root), type);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", y, tn_onnx_in(c, 1)));
}

/* x split into groups of channels: [N, G, C / G * ...]. Opset 18 scales groups, 21 channels. */
void tn_onnx_rule_group_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t n_groups = tn_onnx_attr_int(c, "num_groups", 1);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  const int64_t axes[] = {2};
  if (dims == NULL || dims->n_in < 2 || n_groups < 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " groups of such data", n_groups);
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  int32_t ndim = (int32_t)dims->n_in;
  const tn_node *grouped[] = {dims->in[0], tn_int(c->ir, TN_DT_I64, n_groups),
                              tn_int(c->ir, TN_DT_I64, -1)};
  const tn_node *flat = tn_onnx_cast(c, tn_onnx_reshape(c, x, tn_list(c->ir, 3, grouped)),
                                     c->version < 21 ? type : stash_type(c, type));
  const tn_node *y =
      normalised(c, flat, 1, axes, tn_onnx_attr_float(c, "epsilon", 1e-5), &mean, &inverse);
  y = tn_onnx_cast(c, y, type);
  if (c->version < 21) {
    y = tn_onnx_op2(c, "multiply", y, tn_onnx_along_channels(c, tn_onnx_in(c, 1), 3));
    y = tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, tn_onnx_in(c, 2), 3));
    tn_onnx_give(c, 0, tn_onnx_reshape(c, y, dims));
    return;
  }
  y = tn_onnx_reshape(c, y, dims);
  y = tn_onnx_op2(c, "multiply", y, tn_onnx_along_channels(c, tn_onnx_in(c, 1), ndim));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, tn_onnx_in(c, 2), ndim)));
}

void tn_onnx_rule_lp_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t p = tn_onnx_attr_int(c, "p", 2);
  const int64_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), tn_onnx_ndim(c, x));
  if (p != 1 && p != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "p is %" PRId64 ", expected 1 or 2", p);
  }
  const tn_node *size = p == 1 ? tn_onnx_op1(c, "abs", x) : tn_onnx_op2(c, "multiply", x, x);
  const tn_node *norm = tn_onnx_reduce(c, "sum", size, 1, &axis, true);
  norm = p == 1 ? norm : tn_onnx_op1(c, "sqrt", norm);
  const tn_node *zero = tn_onnx_scalar(c, tn_onnx_type_of(c, x), 0);
  const tn_node *y = tn_onnx_op2(c, "divide", x, norm);
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", tn_onnx_op2(c, "equal", norm, zero), zero, y));
}

void tn_onnx_rule_mean_variance_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t usual[] = {0, 2, 3};
  tn_onnx_i64s axes = tn_onnx_attr_ints(c, "axes");
  axes = axes.data == NULL ? (tn_onnx_i64s){usual, 3} : axes;
  tn_onnx_give(c, 0, normalised(c, x, axes.len, axes.data, 1e-9, &mean, &inverse));
}

/* x / (bias + alpha * mean of the squares of `size` channels around) ^ beta: the mean is a pool over
 * [N, 1, C, ...] that counts what lies outside as 0. */
void tn_onnx_rule_lrn(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t size = tn_onnx_attr_int(c, "size", 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  if (dims == NULL || dims->n_in < 2 || size < 1 || size > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "size %" PRId64 " over such data", size);
    return;
  }
  const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
  const tn_node *rows[] = {dims->in[0], one, dims->in[1], tn_int(c->ir, TN_DT_I64, -1)};
  const int64_t pool[] = {size, 1};
  const int64_t pads[] = {(size - 1) / 2, 0, size - 1 - (size - 1) / 2, 0};
  tn_onnx_build b = tn_onnx_begin(c, "nn.avg_pool2d");
  tn_onnx_set_ints(&b, "pool_size", 2, pool);
  tn_onnx_set_ints(&b, "padding", 4, pads);
  tn_onnx_set_bool(&b, "count_include_pad", true);
  const tn_node *squares = tn_onnx_op2(c, "multiply", x, x);
  const tn_node *mean = tn_onnx_end1(&b, tn_onnx_reshape(c, squares, tn_list(c->ir, 4, rows)));
  mean = tn_onnx_reshape(c, mean, dims);
  const tn_node *alpha = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "alpha", 0.0001));
  const tn_node *bias = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "bias", 1));
  const tn_node *beta = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "beta", 0.75));
  const tn_node *base = tn_onnx_op2(c, "add", bias, tn_onnx_op2(c, "multiply", alpha, mean));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "divide", x, tn_onnx_op2(c, "power", base, beta)));
}

/* ---- dropout ---- */

/* Up to opset 6 an attribute says whether a node trains, from 12 on an input; between them none
 * does. NULL: it does not. */
static const tn_node *training(tn_onnx_call *c) {
  const tn_node *given = c->version < 12 ? NULL : tn_onnx_maybe(c, 2);
  const tn_array *is_on = tn_onnx_need_array(c, given);
  if (c->version < 7) {
    return tn_onnx_attr_int(c, "is_test", 0) == 0 ? tn_onnx_scalar(c, TN_DT_BOOL, 1) : NULL;
  }
  if (is_on != NULL && tn_array_n_elems(is_on) == 1 && tn_array_get_i64(is_on, 0) == 0) {
    return NULL;
  }
  return given;
}

/* x / (1 - ratio) where `keeps`, 0 elsewhere. */
static const tn_node *thinned(tn_onnx_call *c, const tn_node *x, const tn_node *ratio,
                              const tn_node *keeps) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *left = tn_onnx_op2(c, "subtract", tn_onnx_scalar(c, TN_DT_F64, 1), ratio);
  const tn_node *scale = tn_onnx_op2(c, "divide", tn_onnx_scalar(c, TN_DT_F64, 1), left);
  const tn_node *y = tn_onnx_op2(c, "multiply", x, tn_onnx_cast(c, scale, type));
  return tn_onnx_op3(c, "where", keeps, y, tn_onnx_scalar(c, type, 0));
}

void tn_onnx_rule_dropout(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *is_on = training(c);
  tn_dtype mask_type = c->version < 10 ? tn_onnx_type_of(c, x) : TN_DT_BOOL;
  if (is_on == NULL) {
    tn_onnx_give(c, 0, x);
    if (tn_onnx_wants(c, 1)) {
      tn_onnx_give(c, 1, tn_onnx_broadcast(c, tn_onnx_scalar(c, mask_type, 1), dims));
    }
    return;
  }
  const tn_node *ratio = c->version < 12 ? NULL : tn_onnx_maybe(c, 1);
  ratio = ratio == NULL ? tn_onnx_scalar(c, TN_DT_F64, tn_onnx_attr_float(c, "ratio", 0.5))
                        : tn_onnx_cast(c, ratio, TN_DT_F64);
  const tn_node *scalar = tn_list(c->ir, 0, NULL);
  ratio = tn_onnx_reshape(c, ratio, scalar);
  is_on = tn_onnx_reshape(c, is_on, scalar);
  const tn_node *draw = tn_onnx_cast(c, tn_onnx_random(c, x, 0), TN_DT_F64);
  const tn_node *keeps = tn_onnx_op2(c, "greater_equal", draw, ratio);
  keeps = tn_onnx_op2(c, "logical_or", keeps, tn_onnx_op1(c, "logical_not", is_on));
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", is_on, thinned(c, x, ratio, keeps), x));
  tn_onnx_give(c, 1, tn_onnx_cast(c, keeps, mask_type));
}
