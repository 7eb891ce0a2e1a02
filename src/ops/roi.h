/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What operators on regions of pictures share. */
#ifndef TN_OPS_ROI_H
#define TN_OPS_ROI_H

#include "graph/graph.h"

/// The type of parts size[0] x size[1] of regions [R, 5] of floats, arguments 1, of pictures
/// [N, C, H, W], argument 0: [R, C, size[0], size[1]]. INVALID when there is no picture, or with
/// needs_elements one without elements.
TN_MUST_USE tn_status tn_roi_type(const tn_infer_ctx *ctx, const tn_node *call,
                                  const int64_t size[2], bool needs_elements,
                                  const tn_node **out_type);

#endif
