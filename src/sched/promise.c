/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Does a block do what it says? */
#include "sched/sched_priv.h"

tn_status tn_block_keeps_promise(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  (void)s;
  (void)tree;
  (void)block;
  return NULL;
}
