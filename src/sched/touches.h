/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: what the steps of a nest touch, as footprints for integer sets. A step is a block,
 * by the regions that it declares (promise.c proves them), or a store outside of blocks. */
#ifndef TN_SCHED_TOUCHES_H
#define TN_SCHED_TOUCHES_H

#include "arith/sets.h"
#include "base/arena.h"
#include "sched/sched_priv.h"

typedef struct tn_touch {
  const tn_node *step; /* BLOCK or STORE */
  const tn_node *buffer;
  bool is_write;
  tn_footprint print; /* over the loops from the collected statement inwards; other variables are
                         symbols */
} tn_touch;

typedef struct tn_touches {
  TN_VEC(tn_touch) list; /* in the order of the text */
  tn_arena arena;
  tn_map own; /* data variables of memory that lives inside the statement */
} tn_touches;

/// Everything that `stmt` touches of memory that lives outside of it. Errors: what can not be told,
/// as a call with effects.
TN_MUST_USE tn_status tn_touches_collect(tn_sched *s, const tn_tree *tree, const tn_node *stmt,
                                         tn_touches *out);
void tn_touches_deinit(tn_touches *touches);
/// Different indices of the buffer name different places. False: it has strides that are not known
/// to see to that; strides that are no numbers are trusted.
bool tn_buffer_keeps_apart(const tn_node *buffer);
/// Do two buffers share memory as far as names tell?
bool tn_touches_meet(const tn_touch *a, const tn_touch *b);
/// True when different rounds of the loop that was collected touch different elements wherever one
/// writes, by the form of the indices alone; false: not known.
bool tn_touches_are_apart(tn_sched *s, const tn_touches *touches);
/// Assumes the ranges of what is around stmt (stmt itself excluded) for the questions to come;
/// returns the mark for tn_sets_pop.
size_t tn_sched_assume_around(tn_sched *s, const tn_tree *tree, const tn_node *stmt);
/// Assumes the ranges of a block's axes alone.
size_t tn_sched_assume_axes(tn_sched *s, const tn_node *block);
/// The elements of a REGION, over the axes of its block. (sure.c)
tn_footprint tn_region_print(const tn_node *region, tn_arena *arena);
/// Appends ", for example at i=0 and at i=1 with n=4"; nothing when the answer has no example.
void tn_sched_print_points(const tn_answer *answer, tn_buf *out);
/// The schedule's context for questions.
tn_sets *tn_sched_sets(tn_sched *s);

#endif
