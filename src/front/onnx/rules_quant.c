/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Quantised operators: products of integers are summed exactly in int32; everything else goes
 * through float32 and back. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/quant.h"
#include "front/onnx/rules.h"

const tn_node *tn_onnx_one_or_stand(tn_onnx_call *c, const tn_node *x, int32_t ndim, int32_t axis) {
  const tn_node *own = tn_onnx_dims(c, x);
  if (own == NULL || own->n_in != 1) {
    return own == NULL ? NULL : x;
  }
  return tn_is_int(own->in[0], 1) ? tn_onnx_reshape(c, x, tn_list(c->ir, 0, NULL))
                                  : tn_onnx_stand(c, x, ndim, axis);
}

const tn_node *tn_onnx_quant_blocks(tn_onnx_call *c, const char *op, const tn_node *const *args,
                                    int64_t axis, int64_t block, tn_dtype out) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_set_int(&b, "block_size", block);
  tn_onnx_set_dtype(&b, "out_dtype", out);
  return tn_onnx_end(&b, 3, args);
}

const tn_node *tn_onnx_quant(tn_onnx_call *c, const char *op, const tn_node *x,
                             const tn_node *scale, const tn_node *zero, int64_t axis,
                             tn_dtype out) {
  const tn_node *args[] = {x, scale, zero};
  if (zero == NULL) {
    bool is_back = op[0] == 'd';
    args[2] = tn_onnx_scalar(c, is_back ? tn_onnx_type_of(c, x) : out, 0);
  }
  return tn_onnx_quant_blocks(c, op, args, axis, 0, out);
}

static const tn_node *zero_of(tn_onnx_call *c, const tn_node *zero, tn_dtype type) {
  return zero != NULL ? zero : tn_onnx_scalar(c, type, 0);
}

/* ---- scale and zero point: one, one along an axis, or one a block of the axis ---- */

/* The axis, or 0 where it is of no meaning: one scale for all. */
static int64_t scale_axis(tn_onnx_call *c, const tn_node *x, const tn_node *scale) {
  int64_t axis = tn_onnx_attr_int(c, "axis", 1);
  return tn_onnx_ndim(c, scale) == 0 || tn_onnx_ndim(c, x) == 0
             ? 0
             : tn_onnx_axis(c, tn_onnx_ndim(c, x) == 1 ? 0 : axis, tn_onnx_ndim(c, x));
}

/* Elements of the axis for each scale; 0: no blocks. Old operators have no such attribute. */
static int64_t block_size(tn_onnx_call *c, const tn_node *scale) {
  int64_t block = tn_onnx_attr_int(c, "block_size", 0);
  if (block < 0 || block > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "block_size %" PRId64, block);
  }
  return tn_onnx_ndim(c, scale) == 0 ? 0 : block;
}

/* A scale that broadcasts with x. */
static const tn_node *spread(tn_onnx_call *c, const tn_node *x, const tn_node *scale, int64_t axis,
                             int64_t block) {
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || block == 0) {
    return dims == NULL ? NULL : tn_onnx_one_or_stand(c, scale, (int32_t)dims->n_in, (int32_t)axis);
  }
  tn_onnx_build b = tn_onnx_begin(c, "repeat");
  tn_onnx_set_int(&b, "repeats", block);
  tn_onnx_set_int(&b, "axis", axis);
  scale = tn_onnx_end1(&b, scale);
  const tn_node *whole = tn_onnx_dims(c, scale);
  if (whole == NULL || tn_dim_compare(c->ir, whole->in[axis], dims->in[axis]) == TN_DIM_EQUAL) {
    return scale;
  }
  if (dims->in[axis]->op != TN_OP_INT) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "blocks of an axis whose extent is not known");
    return NULL;
  }
  return tn_onnx_part(c, scale, axis, 0, dims->in[axis]->attr.i64);
}

/* ---- QuantizeLinear, DequantizeLinear ---- */

static tn_onnx_elem quantized_type(tn_onnx_call *c, const tn_node *zero) {
  tn_onnx_elem type = {TN_DT_U8, false};
  if (zero != NULL) {
    type = tn_onnx_elem_of(c, zero);
  } else if (tn_onnx_attr_int(c, "output_dtype", 0) != 0) {
    tn_onnx_fail(c, tn_onnx_elem_find(tn_onnx_attr_int(c, "output_dtype", 0), &type));
  }
  return type;
}

/* x as a float, of the type that `precision` (opset 23) names. */
static const tn_node *dividend(tn_onnx_call *c, const tn_node *x) {
  tn_dtype type = TN_DT_F32;
  if (tn_onnx_attr_int(c, "precision", 0) != 0) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "precision", 0), &type));
    return tn_onnx_cast(c, x, type);
  }
  return tn_dtype_is_float(tn_onnx_type_of(c, x)) ? x : tn_onnx_cast(c, x, TN_DT_F32);
}

/* x / scale + zero in float32, converted: a float has no places to round to first. */
static const tn_node *quantized_float(tn_onnx_call *c, const tn_node *const *args, int64_t axis,
                                      int64_t block, tn_onnx_elem type) {
  const tn_node *scale = tn_onnx_cast(c, spread(c, args[0], args[1], axis, block), TN_DT_F32);
  const tn_node *y = tn_onnx_op2(c, "divide", tn_onnx_cast(c, args[0], TN_DT_F32), scale);
  if (args[2] != NULL) {
    const tn_node *zero = tn_onnx_cast(c, spread(c, args[0], args[2], axis, block), TN_DT_F32);
    y = tn_onnx_op2(c, "add", y, zero);
  }
  return tn_onnx_cast_to(c, y, type, tn_onnx_attr_int(c, "saturate", 1) != 0);
}

void tn_onnx_rule_quantize(tn_onnx_call *c) {
  const tn_node *zero = tn_onnx_maybe(c, 2);
  const tn_node *args[] = {dividend(c, tn_onnx_in(c, 0)), tn_onnx_in(c, 1), zero};
  int64_t axis = scale_axis(c, args[0], args[1]);
  int64_t block = block_size(c, args[1]);
  tn_onnx_elem type = quantized_type(c, zero);
  if (tn_dtype_is_small_float(type.dtype)) {
    tn_onnx_give(c, 0, quantized_float(c, args, axis, block, type));
    return;
  }
  args[2] = zero_of(c, zero, type.dtype);
  if (!type.is_two_bits) {
    tn_onnx_give(c, 0, tn_onnx_quant_blocks(c, "quantize", args, axis, block, type.dtype));
    return;
  }
  bool is_signed = tn_dtype_is_int(type.dtype);
  const tn_node *y =
      tn_onnx_quant_blocks(c, "quantize", args, axis, block, is_signed ? TN_DT_I8 : TN_DT_U8);
  tn_onnx_build b = tn_onnx_begin(c, "clip");
  tn_onnx_set_float(&b, "min", is_signed ? -2 : 0);
  tn_onnx_set_float(&b, "max", is_signed ? 1 : 3);
  tn_onnx_give(c, 0, tn_onnx_cast_to(c, tn_onnx_end1(&b, y), type, true));
}

void tn_onnx_rule_dequantize(tn_onnx_call *c) {
  const tn_node *args[] = {tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)};
  tn_dtype type = tn_onnx_type_of(c, args[1]);
  if (tn_onnx_attr_int(c, "output_dtype", 0) != 0) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "output_dtype", 0), &type));
  }
  bool is_float = tn_dtype_is_any_float(tn_onnx_type_of(c, args[0]));
  args[2] = zero_of(c, args[2], is_float ? TN_DT_F32 : tn_onnx_type_of(c, args[0]));
  if (!tn_dtype_is_float(tn_onnx_type_of(c, args[1]))) { /* float8e8m0 */
    args[1] = tn_onnx_cast(c, args[1], TN_DT_F32);
  }
  tn_onnx_give(c, 0,
               tn_onnx_quant_blocks(c, "dequantize", args, scale_axis(c, args[0], args[1]),
                                    block_size(c, args[1]), type));
}

/* scale = (max - min) / 255 of the values and 0; zero point: where 0 comes to lie. */
void tn_onnx_quantize_range(tn_onnx_call *c, const tn_node *x, const tn_node *out[3]) {
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
  out[1] = tn_onnx_op2(c, "divide", tn_onnx_op2(c, "subtract", high, low),
                       tn_onnx_scalar(c, TN_DT_F32, 255));
  const tn_node *at = tn_onnx_op1(c, "round", tn_onnx_op2(c, "divide", low, out[1]));
  out[2] = tn_onnx_cast(c, tn_onnx_op2(c, "subtract", zero, at), TN_DT_U8);
  out[0] = tn_onnx_quant(c, "quantize", x, out[1], out[2], 0, TN_DT_U8);
}

void tn_onnx_rule_dynamic_quantize(tn_onnx_call *c) {
  const tn_node *out[3] = {NULL, NULL, NULL};
  tn_onnx_quantize_range(c, tn_onnx_in(c, 0), out);
  for (uint32_t i = 0; i < 3; ++i) {
    tn_onnx_give(c, i, out[i]);
  }
}

/* ---- products of integers ---- */

const tn_node *tn_onnx_centred(tn_onnx_call *c, const tn_node *x, const tn_node *zero,
                               int32_t axis) {
  int32_t ndim = tn_onnx_ndim(c, x);
  x = tn_onnx_cast(c, x, TN_DT_I32);
  if (zero == NULL) {
    return x;
  }
  zero = tn_onnx_cast(c, tn_onnx_one_or_stand(c, zero, ndim, axis < 0 ? axis + ndim : axis),
                      TN_DT_I32);
  return tn_onnx_op2(c, "subtract", x, zero);
}

void tn_onnx_rule_matmul_integer(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 2), -2);
  const tn_node *b = tn_onnx_centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 3), -1);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "matmul", a, b));
}

void tn_onnx_rule_conv_integer(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 2), 1);
  const tn_node *w = tn_onnx_centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 3), 0);
  tn_onnx_give(c, 0, tn_onnx_conv(c, x, w, NULL));
}

/* quantize(sum * (a_scale * b_scale / y_scale)); the scales' vectors stand along an axis of the sum. One
 * factor in float32, as ONNX's formula has it: rounding twice gives other integers at times. */
static const tn_node *requantised(tn_onnx_call *c, const tn_node *sum, const tn_node *a_scale,
                                  const tn_node *b_scale, const tn_node *y_scale,
                                  const tn_node *y_zero) {
  const tn_node *product = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, a_scale, TN_DT_F32),
                                       tn_onnx_cast(c, b_scale, TN_DT_F32));
  const tn_node *scale = tn_onnx_op2(c, "divide", product, tn_onnx_cast(c, y_scale, TN_DT_F32));
  const tn_node *y = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, sum, TN_DT_F32), scale);
  return tn_onnx_quant(c, "quantize", y, tn_onnx_scalar(c, TN_DT_F32, 1),
                       tn_onnx_one_or_stand(c, y_zero, 1, 0), 0, tn_onnx_type_of(c, y_zero));
}

void tn_onnx_rule_qlinear_matmul(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_in(c, 2), -2);
  const tn_node *b = tn_onnx_centred(c, tn_onnx_in(c, 3), tn_onnx_in(c, 5), -1);
  const tn_node *sum = tn_onnx_op2(c, "matmul", a, b);
  int32_t ndim = tn_onnx_ndim(c, sum);
  tn_onnx_give(c, 0,
               requantised(c, sum, tn_onnx_one_or_stand(c, tn_onnx_in(c, 1), ndim, ndim - 2),
                           tn_onnx_one_or_stand(c, tn_onnx_in(c, 4), ndim, ndim - 1),
                           tn_onnx_one_or_stand(c, tn_onnx_in(c, 6), ndim, ndim - 2),
                           tn_onnx_in(c, 7)));
}

void tn_onnx_rule_qlinear_conv(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_in(c, 2), 1);
  const tn_node *w = tn_onnx_centred(c, tn_onnx_in(c, 3), tn_onnx_in(c, 5), 0);
  const tn_node *sum = tn_onnx_conv(c, x, w, tn_onnx_maybe(c, 8));
  int32_t ndim = tn_onnx_ndim(c, sum);
  tn_onnx_give(c, 0,
               requantised(c, sum, tn_onnx_one_or_stand(c, tn_onnx_in(c, 1), ndim, 1),
                           tn_onnx_one_or_stand(c, tn_onnx_in(c, 4), ndim, 1),
                           tn_onnx_one_or_stand(c, tn_onnx_in(c, 6), ndim, 1), tn_onnx_in(c, 7)));
}
