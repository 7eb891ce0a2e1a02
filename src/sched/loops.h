/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: what the primitives on loops share. */
#ifndef TN_SCHED_LOOPS_H
#define TN_SCHED_LOOPS_H

#include "arith/itermap.h"
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

/// The loops around a block as a domain, and what its axes are bound to.
typedef struct tn_nest {
  const tn_node *block;
  uint32_t n;
  const tn_node *loops[TN_SCHED_MAX_LOOPS]; /* outermost first */
  const tn_node *vars[TN_SCHED_MAX_LOOPS];
  const tn_node *mins[TN_SCHED_MAX_LOOPS];
  const tn_node *extents[TN_SCHED_MAX_LOOPS];
  const tn_node *cond; /* the predicate, and the conditions of IFs between; true: none */
  uint32_t n_values;
  const tn_node *values[TN_SCHED_MAX_LOOPS]; /* bindings */
  bool is_chain;                             /* nothing but loops from the first one inwards */
} tn_nest;
/// outermost: the first loop to be taken, NULL for all of the scope. Errors: what stands between has
/// effects on the steps that a domain can not say.
TN_MUST_USE tn_status tn_nest_find(tn_sched *s, const tn_tree *tree, const tn_node *block,
                                   const tn_node *outermost, tn_nest *out);
tn_domain tn_nest_domain(const tn_nest *nest);
/// A VAR or LABEL like another one, with something added to its name.
const tn_node *tn_leaf_suffixed(tn_ir *ir, const tn_node *named, const char *suffix);
/// The block without init, under another label; what it writes it then reads too, and says so first.
const tn_node *tn_block_without_init(tn_ir *ir, const tn_node *block, const tn_node *label);
/// What is below a loop becomes one block: blockize, for other primitives.
TN_MUST_USE tn_status tn_sched_blockize(tn_sched *s, const tn_node *loop, bool keeps_units,
                                        const tn_node **out_label);
/// Is there a load from memory of this data variable (NULL: of any) in a statement or expression?
bool tn_loads_data(const tn_node *n, const tn_node *data);
/// Does an expression use one of the variables?
bool tn_expr_uses(const tn_node *expr, uint32_t n, const tn_node *const *vars);

#endif
