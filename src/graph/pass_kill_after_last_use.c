/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* kill_after_last_use: a value is dropped right after the last statement that uses its variable, so
 * that its memory can go and its register can be used again.
 *
 *   b = f(a)          ->   b = f(a)
 *   c = g(b)               _ = R.vm.kill_object(a)
 *                          c = g(b) ...
 *
 * A variable that only a branch of an if uses last is dropped after the if. Parameters and what is
 * returned or yielded last are left alone. Requires: to_nondataflow. Idempotent. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

enum { NO_INDEX = -1 };

typedef struct killer {
  tn_ir *ir;
} killer;

/* Variables bound in one body, by the statement that uses them last. */
typedef struct last_uses {
  tn_map index; /* GVAR id -> statement */
  uint32_t now;
  TN_VEC(const tn_node *) bound;
  TN_VEC(int64_t) next;  /* chain of variables with the same last statement */
  TN_VEC(int64_t) first; /* by statement */
} last_uses;

static void note_use(const tn_node *n, void *ctx) {
  last_uses *u = ctx;
  if (n->op == TN_OP_GVAR && tn_map_find(&u->index, n->id, NULL)) {
    tn_map_set(&u->index, n->id, u->now);
  }
}

static const tn_node *bound_var(const tn_node *stmt) {
  bool is_binding =
      stmt->op == TN_OP_GBIND || stmt->op == TN_OP_MATCH_CAST || stmt->op == TN_OP_GIF;
  return is_binding ? stmt->in[0] : NULL;
}

static bool holds_nothing(const tn_node *var) {
  return var->in[0]->op == TN_OP_TY_TUPLE && var->in[0]->n_in == 0;
}

static void find_last_uses(killer *k, const tn_node *body, last_uses *u) {
  uint32_t n = tn_body_n(body);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    const tn_node *var = bound_var(stmt);
    u->now = i;
    tn_walk_once(k->ir, stmt, note_use, u);
    if (var != NULL && !holds_nothing(var)) {
      tn_map_set(&u->index, var->id, i);
      TN_VEC_PUSH(&u->bound, var);
    }
    TN_VEC_PUSH(&u->first, NO_INDEX);
  }
  for (size_t v = u->bound.len; v-- > 0;) { /* backwards: chains come out in binding order */
    uint64_t last = 0;
    TN_VEC_PUSH(&u->next, NO_INDEX);
    (void)tn_map_find(&u->index, u->bound.data[v]->id, &last);
    u->next.data[u->next.len - 1] = u->first.data[last];
    u->first.data[last] = (int64_t)u->next.len - 1;
  }
}

/* The chain counts variables from the back. */
static const tn_node *chained(const last_uses *u, int64_t link) {
  return u->bound.data[u->bound.len - 1 - (size_t)link];
}

static const tn_node *kill_body(killer *k, const tn_node *body);

static const tn_node *kill_inside(killer *k, const tn_node *stmt) {
  if (stmt->op != TN_OP_GIF) {
    return stmt;
  }
  const tn_node *in[] = {stmt->in[TN_GIF_VAR], stmt->in[TN_GIF_COND],
                         kill_body(k, stmt->in[TN_GIF_THEN]), kill_body(k, stmt->in[TN_GIF_ELSE])};
  return tn_node_with(k->ir, stmt, in);
}

static bool is_kill(const tn_node *stmt) {
  return stmt->op == TN_OP_GBIND &&
         tn_is_builtin(stmt->in[TN_BIND_VALUE], TN_BUILTIN_VM_KILL_OBJECT);
}

static const tn_node *kill_body(killer *k, const tn_node *body) {
  last_uses u = {0};
  tn_stmts out = {0};
  find_last_uses(k, body, &u);
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = kill_inside(k, tn_body_at(body, i));
    bool is_end = stmt->op == TN_OP_RETURN || stmt->op == TN_OP_YIELD;
    TN_VEC_PUSH(&out, stmt);
    for (int64_t at = u.first.data[i]; at >= 0 && !is_end && !is_kill(stmt); at = u.next.data[at]) {
      const tn_node *var = chained(&u, at);
      const tn_node *call =
          tn_call_new(k->ir, tn_graph_builtin(TN_BUILTIN_VM_KILL_OBJECT), 1, &var, NULL, NULL);
      TN_VEC_PUSH(&out, tn_gbind_nothing(k->ir, call, NULL));
    }
  }
  const tn_node *done = body->op == TN_OP_SEQ
                            ? tn_node_with_n(k->ir, body, (uint32_t)out.len, out.data)
                            : tn_seq(k->ir, (uint32_t)out.len, out.data);
  TN_VEC_DEINIT(&out);
  TN_VEC_DEINIT(&u.bound);
  TN_VEC_DEINIT(&u.next);
  TN_VEC_DEINIT(&u.first);
  tn_map_deinit(&u.index);
  return done;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  killer k = {.ir = module->ir};
  *out = tn_gfunc_lowered_body(module->ir, func, kill_body(&k, func->in[TN_GFUNC_BODY]));
  return NULL;
}

tn_status tn_pass_kill_after_last_use(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
