/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Quantised operators: products of integers are summed exactly in int32; everything else goes
 * through float32 and back. */
#include <string.h>

#include "front/onnx/rules.h"

static const tn_node *quant(tn_onnx_call *c, const char *op, const tn_node *x, const tn_node *scale,
                            const tn_node *zero, int64_t axis, tn_dtype out) {
  const tn_node *args[] = {x, scale, zero};
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_set_dtype(&b, "out_dtype", out);
  return tn_onnx_end(&b, 3, args);
}

static const tn_node *zero_of(tn_onnx_call *c, const tn_node *zero, tn_dtype type) {
  return zero != NULL ? zero : tn_onnx_scalar(c, type, 0);
}

static void no_blocks(tn_onnx_call *c) {
  if (tn_onnx_attr_int(c, "block_size", 0) != 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "quantisation in blocks");
  }
}

/* The axis, or 0 where it is of no meaning: one scale for all. */
static int64_t scale_axis(tn_onnx_call *c, const tn_node *x, const tn_node *scale) {
  int64_t axis = tn_onnx_attr_int(c, "axis", 1);
  return tn_onnx_ndim(c, scale) == 0 || tn_onnx_ndim(c, x) == 0
             ? 0
             : tn_onnx_axis(c, tn_onnx_ndim(c, x) == 1 ? 0 : axis, tn_onnx_ndim(c, x));
}

void tn_onnx_rule_quantize(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *scale = tn_onnx_in(c, 1);
  const tn_node *zero = tn_onnx_maybe(c, 2);
  tn_dtype type = TN_DT_U8;
  no_blocks(c);
  if (zero != NULL) {
    type = tn_onnx_type_of(c, zero);
  } else if (tn_onnx_attr_int(c, "output_dtype", 0) != 0) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "output_dtype", 0), &type));
  }
  x = tn_dtype_is_float(tn_onnx_type_of(c, x)) ? x : tn_onnx_cast(c, x, TN_DT_F32);
  tn_onnx_give(
      c, 0, quant(c, "quantize", x, scale, zero_of(c, zero, type), scale_axis(c, x, scale), type));
}

void tn_onnx_rule_dequantize(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *scale = tn_onnx_in(c, 1);
  tn_dtype type = tn_onnx_type_of(c, scale);
  no_blocks(c);
  tn_onnx_give(c, 0,
               quant(c, "dequantize", x, scale,
                     zero_of(c, tn_onnx_maybe(c, 2), tn_onnx_type_of(c, x)),
                     scale_axis(c, x, scale), type));
}

/* scale = (max - min) / 255 of the values and 0; zero point: where 0 comes to lie. */
void tn_onnx_rule_dynamic_quantize(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, x);
  for (int32_t i = 0; i < ndim && i < TN_MAX_NDIM; ++i) {
    axes[i] = i;
  }
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_F32, 0);
  const tn_node *high = ndim == 0 ? x : tn_onnx_reduce(c, "max", x, (size_t)ndim, axes, false);
  const tn_node *low = ndim == 0 ? x : tn_onnx_reduce(c, "min", x, (size_t)ndim, axes, false);
  high = tn_onnx_op2(c, "maximum", high, zero);
  low = tn_onnx_op2(c, "minimum", low, zero);
  const tn_node *scale = tn_onnx_op2(c, "divide", tn_onnx_op2(c, "subtract", high, low),
                                     tn_onnx_scalar(c, TN_DT_F32, 255));
  const tn_node *at = tn_onnx_op1(c, "round", tn_onnx_op2(c, "divide", low, scale));
  at = tn_onnx_cast(c, tn_onnx_op2(c, "subtract", zero, at), TN_DT_U8);
  tn_onnx_give(c, 0, quant(c, "quantize", x, scale, at, 0, TN_DT_U8));
  tn_onnx_give(c, 1, scale);
  tn_onnx_give(c, 2, at);
}

/* ---- products of integers ---- */

/* A vector as a tensor of `ndim` dimensions that stands along `axis`; one number stays itself. */
static const tn_node *stand(tn_onnx_call *c, const tn_node *x, int32_t ndim, int32_t axis) {
  const tn_node *own = tn_onnx_dims(c, x);
  const tn_node *dims[TN_MAX_NDIM];
  if (own == NULL || own->n_in != 1 || tn_is_int(own->in[0], 1)) {
    return own == NULL || own->n_in == 0 || own->n_in > 1
               ? x
               : tn_onnx_reshape(c, x, tn_list(c->ir, 0, NULL));
  }
  for (int32_t i = 0; i < ndim; ++i) {
    dims[i] = i == axis ? own->in[0] : tn_int(c->ir, TN_DT_I64, 1);
  }
  return tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)ndim, dims));
}

/* x - zero in int32. axis: what a vector of zero points stands along. */
static const tn_node *centred(tn_onnx_call *c, const tn_node *x, const tn_node *zero,
                              int32_t axis) {
  int32_t ndim = tn_onnx_ndim(c, x);
  x = tn_onnx_cast(c, x, TN_DT_I32);
  if (zero == NULL) {
    return x;
  }
  zero = tn_onnx_cast(c, stand(c, zero, ndim, axis < 0 ? axis + ndim : axis), TN_DT_I32);
  return tn_onnx_op2(c, "subtract", x, zero);
}

void tn_onnx_rule_matmul_integer(tn_onnx_call *c) {
  const tn_node *a = centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 2), -2);
  const tn_node *b = centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 3), -1);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "matmul", a, b));
}

void tn_onnx_rule_conv_integer(tn_onnx_call *c) {
  const tn_node *x = centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 2), 1);
  const tn_node *w = centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 3), 0);
  tn_onnx_give(c, 0, tn_onnx_conv(c, x, w, NULL));
}

/* quantize(sum * (a_scale * b_scale)); the scales' vectors stand along `axis` of the sum. */
static const tn_node *requantised(tn_onnx_call *c, const tn_node *sum, const tn_node *a_scale,
                                  const tn_node *b_scale, const tn_node *y_scale,
                                  const tn_node *y_zero) {
  const tn_node *scale = tn_onnx_op2(c, "multiply", a_scale, b_scale);
  const tn_node *y = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, sum, TN_DT_F32),
                                 tn_onnx_cast(c, scale, TN_DT_F32));
  return quant(c, "quantize", y, tn_onnx_cast(c, stand(c, y_scale, 1, 0), TN_DT_F32),
               stand(c, y_zero, 1, 0), 0, tn_onnx_type_of(c, y_zero));
}

void tn_onnx_rule_qlinear_matmul(tn_onnx_call *c) {
  const tn_node *a = centred(c, tn_onnx_in(c, 0), tn_onnx_in(c, 2), -2);
  const tn_node *b = centred(c, tn_onnx_in(c, 3), tn_onnx_in(c, 5), -1);
  const tn_node *sum = tn_onnx_op2(c, "matmul", a, b);
  int32_t ndim = tn_onnx_ndim(c, sum);
  tn_onnx_give(c, 0,
               requantised(c, sum, stand(c, tn_onnx_in(c, 1), ndim, ndim - 2),
                           stand(c, tn_onnx_in(c, 4), ndim, ndim - 1), tn_onnx_in(c, 6),
                           tn_onnx_in(c, 7)));
}

void tn_onnx_rule_qlinear_conv(tn_onnx_call *c) {
  const tn_node *x = centred(c, tn_onnx_in(c, 0), tn_onnx_in(c, 2), 1);
  const tn_node *w = centred(c, tn_onnx_in(c, 3), tn_onnx_in(c, 5), 0);
  const tn_node *sum = tn_onnx_conv(c, x, w, tn_onnx_maybe(c, 8));
  int32_t ndim = tn_onnx_ndim(c, sum);
  tn_onnx_give(c, 0,
               requantised(c, sum, stand(c, tn_onnx_in(c, 1), ndim, 1),
                           stand(c, tn_onnx_in(c, 4), ndim, 1), tn_onnx_in(c, 6),
                           tn_onnx_in(c, 7)));
}

/* ---- through float32 (com.microsoft) ---- */

static const tn_node *opened(tn_onnx_call *c, uint32_t at) {
  const tn_node *x = tn_onnx_in(c, at);
  const tn_node *zero = zero_of(c, tn_onnx_maybe(c, at + 2), tn_onnx_type_of(c, x));
  return quant(c, "dequantize", x, stand(c, tn_onnx_in(c, at + 1), 1, 0), stand(c, zero, 1, 0), 0,
               TN_DT_F32);
}

static const tn_node *closed(tn_onnx_call *c, const tn_node *y, uint32_t at, tn_dtype type) {
  const tn_node *zero = zero_of(c, tn_onnx_maybe(c, at + 1), type);
  return quant(c, "quantize", y, stand(c, tn_onnx_in(c, at), 1, 0), stand(c, zero, 1, 0), 0, type);
}

void tn_onnx_rule_qlinear_binary(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *y = tn_onnx_op2(c, c->rule->word, opened(c, 0), opened(c, 3));
  tn_onnx_give(c, 0, closed(c, y, 6, type));
}

void tn_onnx_rule_qlinear_sigmoid(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_onnx_give(c, 0, closed(c, tn_onnx_op1(c, "sigmoid", opened(c, 0)), 3, type));
}

void tn_onnx_rule_qlinear_leaky_relu(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_onnx_build b = tn_onnx_begin(c, "nn.leakyrelu");
  tn_onnx_set_float(&b, "alpha", tn_onnx_attr_float(c, "alpha", 0.01));
  tn_onnx_give(c, 0, closed(c, tn_onnx_end1(&b, opened(c, 0)), 3, type));
}

void tn_onnx_rule_qlinear_global_pool(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, tn_onnx_in(c, 0));
  bool is_last = tn_onnx_attr_int(c, "channels_last", 0) != 0;
  for (int32_t i = 0; i + 2 < ndim && i < TN_MAX_NDIM; ++i) {
    axes[i] = is_last ? i + 1 : i + 2;
  }
  if (c->st == NULL && ndim < 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, expected 3 or more", ndim);
  }
  const tn_node *x = opened(c, 0);
  const tn_node *y =
      c->st != NULL ? NULL : tn_onnx_reduce(c, "mean", x, (size_t)ndim - 2, axes, true);
  tn_onnx_give(c, 0, closed(c, y, 3, type));
}

/* y_scale, y_zero, then (x, scale, zero) for each part. */
void tn_onnx_rule_qlinear_concat(tn_onnx_call *c) {
  uint32_t n = c->n_in < 5 ? 0 : (c->n_in - 2) / 3;
  const tn_node **parts = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, n + 1);
  if (n == 0 || c->n_in != 2 + 3 * n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u inputs, expected 2 and 3 for each part", c->n_in);
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    parts[i] = opened(c, 2 + 3 * i);
  }
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", tn_onnx_attr_int(c, "axis", 0));
  const tn_node *y = c->st != NULL ? NULL : tn_onnx_end1(&b, tn_onnx_tuple(c, n, parts));
  tn_onnx_give(c, 0, closed(c, y, 0, tn_onnx_type_of(c, tn_onnx_in(c, 2))));
}
