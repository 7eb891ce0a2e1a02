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

#endif
