/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: questions about dependences, decided exactly with integer sets (arith/sets.h) after
 * cheap tests. A block is one step that touches its regions; a statement outside of blocks may touch
 * all of the buffers it names. Answers are NULL (legal) or an error that names the two accesses and
 * example rounds, or says that it could not be decided. */
#ifndef TN_SCHED_DEPS_H
#define TN_SCHED_DEPS_H

#include "sched/touches.h"

/// Do two rounds of `loop` (a FOR; the loops around it in equal rounds) touch one element, one of
/// them writing it? kind: the tn_for_kind that the loop has or is to have; for a parallel one memory
/// that is private to its rounds does not count, since lowering gives each round its own.
TN_MUST_USE tn_status tn_deps_carried(tn_sched *s, const tn_tree *tree, const tn_node *loop,
                                      int64_t kind);
/// Each round of the loop uses a buffer of its scope for itself: nothing outside of the loop touches
/// it, and a round reads what it has written before. touches: of the loop. (private.c)
TN_MUST_USE tn_status tn_prove_private(tn_sched *s, const tn_tree *tree, const tn_node *loop,
                                       tn_touches *touches, const tn_node *buffer);
/// May the nest `old_loops` (FORs, outermost first, each the only thing in the one before) run in the
/// order `new_loops` (the same FORs)? Updates of a reduction may change places, but its first value
/// comes first.
TN_MUST_USE tn_status tn_deps_reorder(tn_sched *s, const tn_tree *tree, uint32_t n,
                                      const tn_node *const *old_loops,
                                      const tn_node *const *new_loops);
/// May the rounds of `first` and of `second`, siblings in one SEQ with `second` later and nothing
/// between, be interleaved round by round: round i of both before round i + 1? (merge, fusion)
TN_MUST_USE tn_status tn_deps_interleave(tn_sched *s, const tn_tree *tree, const tn_node *first,
                                         const tn_node *second);
/// May statement `stmt` of a SEQ change places with its neighbour `other`?
TN_MUST_USE tn_status tn_deps_swap(tn_sched *s, const tn_tree *tree, const tn_node *stmt,
                                   const tn_node *other);

#endif
