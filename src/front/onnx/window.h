/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What convolutions, pools and their relatives have in common: windows that slide over the spatial
 * dimensions of [N, C, ...]. */
#ifndef TN_FRONT_ONNX_WINDOW_H
#define TN_FRONT_ONNX_WINDOW_H

#include "front/onnx/rules.h"

enum { TN_ONNX_MAX_SPATIAL = 3 };

typedef struct tn_onnx_window {
  int32_t n; /* spatial dimensions */
  int64_t kernel[TN_ONNX_MAX_SPATIAL];
  int64_t stride[TN_ONNX_MAX_SPATIAL];
  int64_t dilation[TN_ONNX_MAX_SPATIAL];
  int64_t pads[2 * TN_ONNX_MAX_SPATIAL]; /* all before, all after */
} tn_onnx_window;

/// kernel_shape, strides, dilations, pads and auto_pad for data x [N, C, ...]. kernel: the extents of
/// a tensor of weights, NULL: kernel_shape has to tell.
tn_onnx_window tn_onnx_window_read(tn_onnx_call *c, const tn_node *x, const tn_node *kernel);
/// An attribute of `n` numbers, each at least `least`.
void tn_onnx_window_list(tn_onnx_call *c, const char *name, int32_t n, int64_t otherwise,
                         int64_t least, int64_t *out);
/// The fields strides, dilation and padding.
void tn_onnx_window_set(tn_onnx_build *b, const tn_onnx_window *w);
/// The pool `op` ("nn.avg_pool2d") with ceil_mode and count_include_pad of the node.
const tn_node *tn_onnx_pool(tn_onnx_call *c, const tn_node *x, const char *op,
                            const tn_onnx_window *w);
/// "nn.conv2d" of "nn.conv", 2 and "d"; a text of the arena.
const char *tn_onnx_numbered(tn_onnx_call *c, const char *stem, int32_t n, const char *end);

#endif
