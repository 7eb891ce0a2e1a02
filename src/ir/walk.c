/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Walking: every occurrence with enter and leave (for analyses that keep scopes), or every distinct
 * node once. Recursion is as deep as the node (readers refuse more than TN_MAX_DEPTH), never as a
 * SEQ is long. */
#include "ir/ir.h"

static bool walk(const tn_node *n, tn_enter_fn enter, tn_leave_fn leave, void *ctx) {
  tn_visit visit = enter(n, ctx);
  if (visit == TN_STOP) {
    return false;
  }
  for (uint32_t i = 0; visit == TN_DESCEND && i < n->n_in; ++i) {
    if (!walk(n->in[i], enter, leave, ctx)) {
      return false;
    }
  }
  if (leave != NULL) {
    leave(n, ctx);
  }
  return true;
}

bool tn_walk(const tn_node *root, tn_enter_fn enter, tn_leave_fn leave, void *ctx) {
  return walk(root, enter, leave, ctx);
}

typedef struct distinct_ctx {
  tn_map seen; /* ids of nodes with children */
  tn_enter_fn enter;
  void *ctx;
} distinct_ctx;

static bool walk_distinct(distinct_ctx *c, const tn_node *n) {
  if (n->n_in > 0 && tn_map_find(&c->seen, n->id, NULL)) {
    return true;
  }
  tn_visit visit = c->enter(n, c->ctx);
  if (visit == TN_STOP) {
    return false;
  }
  for (uint32_t i = 0; visit == TN_DESCEND && i < n->n_in; ++i) {
    if (!walk_distinct(c, n->in[i])) {
      return false;
    }
  }
  if (n->n_in > 0) {
    tn_map_set(&c->seen, n->id, 0);
  }
  return true;
}

bool tn_walk_distinct(const tn_node *root, tn_enter_fn enter, void *ctx) {
  distinct_ctx c = {.enter = enter, .ctx = ctx};
  bool is_done = walk_distinct(&c, root);
  tn_map_deinit(&c.seen);
  return is_done;
}

typedef struct once_ctx {
  tn_map seen; /* node id -> 0: small next to a tn_ir with a million other nodes */
  tn_leave_fn visit;
  void *ctx;
} once_ctx;

static void walk_once(once_ctx *c, const tn_node *n) {
  if (tn_map_find(&c->seen, n->id, NULL)) {
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    walk_once(c, n->in[i]);
  }
  tn_map_set(&c->seen, n->id, 0);
  c->visit(n, c->ctx);
}

void tn_walk_once(const tn_ir *ir, const tn_node *root, tn_leave_fn visit, void *ctx) {
  (void)ir;
  once_ctx c = {.visit = visit, .ctx = ctx};
  walk_once(&c, root);
  tn_map_deinit(&c.seen);
}
