/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the rules of quantised operators share. */
#ifndef TN_FRONT_ONNX_QUANT_H
#define TN_FRONT_ONNX_QUANT_H

#include "front/onnx/build.h"

/// quantize or dequantize with one scale and zero point, or with vectors along an axis. zero NULL: 0.
const tn_node *tn_onnx_quant(tn_onnx_call *c, const char *op, const tn_node *x,
                             const tn_node *scale, const tn_node *zero, int64_t axis, tn_dtype out);
/// dequantize with args x, scale, zero point: one of these for each block of an axis.
const tn_node *tn_onnx_quant_blocks(tn_onnx_call *c, const char *op, const tn_node *const *args,
                                    int64_t axis, int64_t block, tn_dtype out);
/// A vector as a tensor of `ndim` dimensions that stands along `axis`; one number stays itself.
const tn_node *tn_onnx_one_or_stand(tn_onnx_call *c, const tn_node *x, int32_t ndim, int32_t axis);
/// x - zero in int32. axis: what a vector of zero points stands along. zero NULL: 0.
const tn_node *tn_onnx_centred(tn_onnx_call *c, const tn_node *x, const tn_node *zero,
                               int32_t axis);
/// x, float32, as uint8: the result, its scale and its zero point (DynamicQuantizeLinear).
void tn_onnx_quantize_range(tn_onnx_call *c, const tn_node *x, const tn_node *out[3]);

#endif
