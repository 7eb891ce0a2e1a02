/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Declares the functions that the rows of onnx/rules.def name. A function may serve many rows. */
#ifndef TN_FRONT_ONNX_RULES_H
#define TN_FRONT_ONNX_RULES_H

#include "front/onnx/build.h"

#define RULE(domain, op, since, fn, word) void tn_onnx_rule_##fn(tn_onnx_call *c);
#include "front/onnx/rules.def"
#undef RULE

/// The convolution that the node's attributes describe.
const tn_node *tn_onnx_conv(tn_onnx_call *c, const tn_node *x, const tn_node *kernel,
                            const tn_node *bias);

/// Elements [begin, end) of an axis.
const tn_node *tn_onnx_part(tn_onnx_call *c, const tn_node *x, int64_t axis, int64_t begin,
                            int64_t end);
/// `before` and `after` elements of a value at the ends of each axis; below 0 cuts.
const tn_node *tn_onnx_pad(tn_onnx_call *c, const tn_node *x, double value, const int64_t *before,
                           const int64_t *after);
/// A vector along dimension 1 of `ndim`.
const tn_node *tn_onnx_along_channels(tn_onnx_call *c, const tn_node *x, int32_t ndim);

/* ---- forms.c ---- */

const tn_node *tn_onnx_i64(tn_onnx_call *c, int64_t value);
/// A constant scalar of x's type.
const tn_node *tn_onnx_scalar_like(tn_onnx_call *c, const tn_node *x, double value);
/// x * by
const tn_node *tn_onnx_scaled(tn_onnx_call *c, const tn_node *x, double by);
/// x repeated to these extents, a LIST.
const tn_node *tn_onnx_broadcast(tn_onnx_call *c, const tn_node *x, const tn_node *dims);
const tn_node *tn_onnx_concat(tn_onnx_call *c, int64_t axis, uint32_t n,
                              const tn_node *const *items);
/// 0, 1 ... extent - 1, int64, of any extent.
const tn_node *tn_onnx_counted(tn_onnx_call *c, const tn_node *extent);
/// The vector x as a tensor of rank `ndim` that stands along `axis`.
const tn_node *tn_onnx_stand(tn_onnx_call *c, const tn_node *x, int32_t ndim, int32_t axis);
/// Numbers of [0, 1) in the shape of x, float32. They follow from the attribute `seed`, or else from
/// the node's name, and from `which`, and are the same whenever the model runs.
const tn_node *tn_onnx_random(tn_onnx_call *c, const tn_node *x, int64_t which);

/* ---- rules_move.c ---- */

/// Indices below 0 count from the end of an axis of that extent.
const tn_node *tn_onnx_from_start(tn_onnx_call *c, const tn_node *index, const tn_node *extent);

/* ---- rules_attention.c ---- */

/// [B, S, H * D] to [B, H, S, D].
const tn_node *tn_onnx_split_heads(tn_onnx_call *c, const tn_node *x, int64_t n_heads);
/// Each head of x serves several of n_heads, one after another.
const tn_node *tn_onnx_repeat_heads(tn_onnx_call *c, const tn_node *x, const tn_node *n_heads);

#endif
