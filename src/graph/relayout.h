/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors in other orders: what a private loop function takes and gives laid out in another way, and
 * the same done to types, to constants while compiling, and to tensors by a copy.
 *
 *   // [n, c, h, w] as [n, c // 8, h, w, c % 8]
 *   tn_layout blocked = tn_layout_blocked(4, 1, 8);
 *   tn_relayout items[] = {{.buffer = data, .layout = blocked}, {.buffer = weight, .is_free = true}};
 *   if (tn_relayout_func(ir, func, 2, items, &made)) {
 *     // the weight's new layout stands in items[1].layout; n 0: as it was
 *   } */
#ifndef TN_GRAPH_RELAYOUT_H
#define TN_GRAPH_RELAYOUT_H

#include "graph/graph.h"

/// A dimension of a layout: index `dim` of the tensor, divided by div, and of that the remainder by
/// mod (0: all of it).
typedef struct tn_layout_dim {
  uint32_t dim;
  int64_t div;
  int64_t mod;
} tn_layout_dim;

/// The parts of each dimension hold all of it: what one takes the remainder by, the next divides by.
typedef struct tn_layout {
  uint32_t n; /* 0: as it is */
  tn_layout_dim dims[TN_MAX_NDIM];
} tn_layout;

/// Dimension `dim` in blocks of `size`, the places in a block innermost.
tn_layout tn_layout_blocked(uint32_t ndim, uint32_t dim, int64_t size);
bool tn_layout_equal(const tn_layout *a, const tn_layout *b);
/// A TY_TENSOR of known extents, laid out.
const tn_node *tn_layout_type(tn_ir *ir, const tn_node *type, const tn_layout *layout);
/// The elements of an array in that order, in memory of their own.
TN_MUST_USE tn_status tn_layout_array(const tn_array *array, const tn_layout *layout,
                                      tn_array *out);
/// A private PRIM_FUNC that copies a tensor of that type, of known extents, into the layout; is_back:
/// from the layout.
TN_MUST_USE tn_status tn_layout_copy_func(tn_ir *ir, const tn_node *type, const tn_layout *layout,
                                          bool is_back, const tn_node **out_func);

/// What shall become of a buffer.
typedef struct tn_relayout {
  const tn_node *buffer; /* of a parameter, or memory of the function's own; plain */
  bool is_free;          /* any layout will do: one that suits how axes are cut */
  tn_layout layout;      /* wanted; of a free one, an output */
} tn_relayout;

/// The function with buffers in other layouts. It is serial loops around blocks of one store each.
/// An axis that walks a divided dimension is cut the same way, and its inner part goes innermost
/// of its kind, so a sum's terms may come in another order. False when that does not come out even:
/// an index of a remainder would be more than such an inner axis.
bool tn_relayout_func(tn_ir *ir, const tn_node *func, uint32_t n, tn_relayout *items,
                      const tn_node **out_func);

#endif
