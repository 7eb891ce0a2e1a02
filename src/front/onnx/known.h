/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Arithmetic on sizes while reading (known.c), and what reads tensors by sizes that it gives
 * (rules_dynamic.c). */
#ifndef TN_FRONT_ONNX_KNOWN_H
#define TN_FRONT_ONNX_KNOWN_H

#include "arith/arith.h"
#include "front/onnx/build.h"

/// Notes what the elements of `var`, the result of `call`, are where they follow from known ones.
void tn_onnx_know_call(tn_onnx_call *c, const tn_node *var, const tn_node *call,
                       const tn_node *type);
/// cond ? a : b
const tn_node *tn_onnx_pick(tn_ir *ir, const tn_node *cond, const tn_node *a, const tn_node *b);

/// Whether all elements are numbers now.
bool tn_onnx_is_fixed(tn_onnx_call *c, const tn_node *value);
/// A scalar of integers as an expression: what is known, or a new size that run time knows; below 0
/// it is 0 there.
const tn_node *tn_onnx_count(tn_onnx_call *c, const tn_node *value);
/// The same, where a number below 0 is an error. what: its name in messages.
const tn_node *tn_onnx_run_size(tn_onnx_call *c, const tn_node *value, const char *what);
/// Element i of a vector of integers, an int64 scalar.
const tn_node *tn_onnx_element(tn_onnx_call *c, const tn_node *vector, int64_t i);
/// Elements begin, begin + step ... of an axis, `n` (an expression) of them; begin and step: int64
/// scalars, which may be values of run time.
const tn_node *tn_onnx_walk_axis(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                 const tn_node *begin, const tn_node *n, const tn_node *step);
/// Slice where starts, ends or steps are not all numbers; axes.data NULL: the first ones. steps:
/// NULL: 1 each.
const tn_node *tn_onnx_slice_dynamic(tn_onnx_call *c, const tn_node *x, tn_onnx_i64s axes,
                                     const tn_node *starts, const tn_node *ends,
                                     const tn_node *steps);
/// Pad where pads are not all numbers, or along extents that are none.
const tn_node *tn_onnx_pad_dynamic(tn_onnx_call *c, const tn_node *x, const char *mode,
                                   tn_onnx_i64s axes, const tn_node *pads, const tn_node *value);
/// Tile where repeats are not all numbers.
const tn_node *tn_onnx_tile_dynamic(tn_onnx_call *c, const tn_node *x, const tn_node *repeats);
/// start, start + delta ... as many as are below (above) limit.
const tn_node *tn_onnx_range_dynamic(tn_onnx_call *c, const tn_node *start, const tn_node *limit,
                                     const tn_node *delta);
/// Split into all wanted outputs; sizes NULL: equal parts.
void tn_onnx_split_dynamic(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *sizes);
/// TopK where k is no number.
void tn_onnx_topk_dynamic(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *k);
/// OneHot where depth is no number; axis as the attribute has it.
const tn_node *tn_onnx_one_hot_dynamic(tn_onnx_call *c, const tn_node *index, const tn_node *depth,
                                       int64_t axis, const tn_node *on, const tn_node *off);
/// Makes operands that broadcast with each other, but whose extents nobody knows to be equal or 1, so
/// that they are. False: nothing changed.
/// skip: so many last axes stay as they are.
bool tn_onnx_align(tn_onnx_call *c, uint32_t n, const tn_node **args, uint32_t skip);
/// The first `n` elements of an axis.
const tn_node *tn_onnx_first(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *n);

#endif
