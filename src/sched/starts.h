/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: where a reduction begins. Of each element that it updates below a loop, the step with
 * all reduce axes at their beginning exists and is the first; which loops and which condition reach
 * every such element once the loops of the reduction are left out. */
#ifndef TN_SCHED_STARTS_H
#define TN_SCHED_STARTS_H

#include "arith/sets.h"
#include "sched/loops.h"

typedef struct tn_starts {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  tn_nest nest;
  const tn_node *first; /* all reduce axes are at their beginning */
  bool by_form;         /* proved by the form of the bindings */
  tn_map dropped;       /* loops that no spatial axis uses -> their first value */
  bool is_kept[TN_SCHED_MAX_LOOPS];
  const tn_node *cond; /* over the loops that are kept: those rounds reach every element */
} tn_starts;

/// Proves it of the block below `loop` (NULL: all loops of its scope), or says which element does not
/// begin so. Deinit in either case.
TN_MUST_USE tn_status tn_starts_init(tn_starts *starts, tn_sched *s, const tn_tree *tree,
                                     const tn_node *block, const tn_node *loop);
void tn_starts_deinit(tn_starts *starts);
/// The error of an integer-set question that was not answered with yes: "<what>, for example at ...".
TN_MUST_USE tn_status tn_starts_refuse(const tn_starts *starts, const tn_answer *answer,
                                       const char *what);
/// The statement whose surroundings are symbols in questions.
const tn_node *tn_starts_top(const tn_starts *starts);
/// An axis that is not spatial.
bool tn_iter_is_reduce(const tn_node *iter);

#endif
