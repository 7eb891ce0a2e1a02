/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: what the primitives on loops share. */
#ifndef TN_SCHED_LOOPS_H
#define TN_SCHED_LOOPS_H

#include "sched/sched_priv.h"

/// A loop that may be taken apart or joined: no annotations, no thread, nothing leaves it early, and
/// its bounds are the same in every round (what they read is not written below it).
TN_MUST_USE tn_status tn_loop_check_plain(tn_sched *s, const tn_node *loop);
/// The second half of it: nothing leaves the loop early, its bounds are the same in every round.
TN_MUST_USE tn_status tn_loop_check_bounds_stay(tn_sched *s, const tn_node *loop);
/// The only statement of a loop's body when that is a loop too; else NULL.
const tn_node *tn_loop_only_inner(const tn_node *loop);
/// `body` under a condition on loops: in the predicate of each block when nothing else stands in it,
/// else an IF around it all (what is outside of blocks has no predicate).
const tn_node *tn_stmt_guard(tn_ir *ir, const tn_node *body, const tn_node *cond);

#endif
