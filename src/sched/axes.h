/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: the steps of a block as a set: which of its axes' points its loops reach, which it
 * needs for a box of a buffer, and a nest of loops for those. */
#ifndef TN_SCHED_AXES_H
#define TN_SCHED_AXES_H

#include "sched/rewrite.h"

/// The block knows its loops through its axes alone, whose ranges are the same in all rounds: so it
/// means the same elsewhere.
TN_MUST_USE tn_status tn_block_axes_stay(const tn_tree *tree, const tn_node *block);
/// That, and the loops reach every point of the axes; a reduction each exactly once, the first of each element
/// first.
TN_MUST_USE tn_status tn_prove_all_steps(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// What `reader` reads of what `writer` writes is not written again in a later round of the loops
/// that they share: it reads final values.
TN_MUST_USE tn_status tn_prove_final(tn_sched *s, const tn_tree *tree, const tn_node *reader,
                                     const tn_node *writer);
/// Loops around the block of that label whose rounds run at once (parallel, vectorized, threads) do
/// not meet in what is written below them.
TN_MUST_USE tn_status tn_prove_rounds_apart(tn_sched *s, const tn_node *label);
/// The updates of a reduction may come in the order of its axes: they commute, or they come so.
TN_MUST_USE tn_status tn_prove_free_order(tn_sched *s, const tn_tree *tree, const tn_node *block);

enum { TN_MAX_AXES = TN_SCHED_MAX_LOOPS };

/// Ranges of a block's axes, over what is around the place where it is going to stand.
typedef struct tn_ranges {
  uint32_t n;
  const tn_node *mins[TN_MAX_AXES];
  const tn_node *extents[TN_MAX_AXES];
  bool is_solved[TN_MAX_AXES]; /* else the whole axis */
} tn_ranges;
/// All of every axis.
void tn_ranges_whole(const tn_node *block, tn_ranges *out);
/// Narrows the spatial axes to the steps whose region touches the box: `region` of the block, over
/// its axes. Where the form is not understood the axis stays whole.
void tn_ranges_for_box(tn_sched *s, tn_arith *arith, const tn_node *block, const tn_node *region,
                       const tn_box *box, tn_ranges *ranges);
/// Both may be needed: where they differ the axis is whole again.
void tn_ranges_join(const tn_node *block, const tn_ranges *other, tn_ranges *ranges);
/// Loops ax0, ax1 ... over the ranges around the block, with a condition where a range may leave its
/// axis. around: the loop in which the nest will stand. keeps_units: loops of one round too.
const tn_node *tn_ranges_nest(tn_sched *s, const tn_tree *tree, const tn_node *around,
                              const tn_node *block, const tn_ranges *ranges, bool keeps_units);

#endif
