/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What several rules do: a primitive by name, loops as one, marks for later. */
#include <stdlib.h>

#include "sched/rules/rules.h"

tn_status tn_rule_apply(tn_rules *r, const char *prim, uint32_t n_args, const tn_node *const *args,
                        const tn_node **out) {
  return tn_sched_apply(r->s, tn_prim_find(prim), n_args, args, out);
}

tn_status tn_rule_fuse(tn_rules *r, const tn_node *const *loops, uint32_t n,
                       const tn_node **out_loop) {
  if (n == 1) {
    *out_loop = loops[0];
    return NULL;
  }
  return tn_sched_fuse(r->s, n, loops, out_loop);
}

uint32_t tn_rule_loops(tn_rules *r, const tn_node *label, uint32_t cap, const tn_node **out) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *now = tn_sched_current(r->s, label);
  const tn_tree *tree = tn_sched_tree(r->s, now);
  const tn_node *block = tree == NULL ? NULL : tn_tree_site(tree, now);
  uint32_t n = block == NULL ? 0 : tn_tree_loops(tree, block, loops);
  if (n > cap) {
    return 0;
  }
  for (uint32_t i = 0; i < n; ++i) {
    out[i] = loops[i]->in[TN_FOR_VAR];
  }
  return n;
}

void tn_rule_mark_later(tn_rules *r, tn_status (*set)(tn_rules *r, void *ctx), void *ctx) {
  TN_VEC_PUSH(&r->marks, ((tn_rule_marks){set, ctx}));
}

void tn_rule_drop_marks(tn_rules *r, size_t first) {
  while (r->marks.len > first) {
    free(r->marks.data[--r->marks.len].ctx);
  }
}

void tn_rule_set_marks(tn_rules *r) {
  for (size_t i = 0; i < r->marks.len; ++i) {
    tn_sched *before = tn_sched_copy(r->s);
    tn_status st = r->marks.data[i].set(r, r->marks.data[i].ctx);
    if (st == NULL) {
      tn_sched_free(before);
    } else {
      tn_rule_undo(r, before, st);
    }
  }
  tn_rule_drop_marks(r, 0);
}

void tn_rule_undo(tn_rules *r, tn_sched *before, tn_status why) {
  tn_status_free(why);
  tn_sched_free(r->s);
  r->s = before;
}
