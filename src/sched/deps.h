/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: questions about dependences, decided exactly with integer sets (arith/sets.h) after
 * cheap tests. A block is one step that touches its regions; a statement outside of blocks may touch
 * all of the buffers it names. Answers are NULL (legal) or an error that names the two accesses and
 * example rounds, or says that it could not be decided. */
#ifndef TN_SCHED_DEPS_H
#define TN_SCHED_DEPS_H

#include "sched/sched_priv.h"

/// Do two rounds of `loop` (a FOR; the loops around it in equal rounds) touch one element, one of
/// them writing it? moves_reductions: two updates of one reduction block do not count (they may
/// change places, not run at once).
TN_MUST_USE tn_status tn_deps_carried(tn_sched *s, const tn_tree *tree, const tn_node *loop,
                                      bool moves_reductions);
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
