/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What does nothing goes: empty loops and branches, evaluations and `let`s of pure values nobody
 * uses, memory nobody touches.
 *
 *   x = A[0] * 2                      (gone)
 *   B = T.allocate([8])        ->     (gone)
 *   for i in range(n): pass           (gone)
 *
 * Repeats until nothing changes, since what goes may have been the last use of something else. */
#include "base/check.h"
#include "lower/lower_priv.h"

typedef struct no_op_ctx {
  tn_ir *ir;
  tn_map used;                 /* ids of the variables and buffers that something uses */
  tn_map unused;               /* id of a variable without use so far -> its statement */
  TN_VEC(const tn_node *) now; /* statements whose variable came into use; still to be looked at */
} no_op_ctx;

static bool has_effect(const tn_node *n) { return (n->flags & TN_NF_EFFECT) != 0; }

static bool is_nothing(const tn_node *n) {
  return tn_is_none(n) || (tn_is(n, TN_OP_SEQ) && n->n_in == 0);
}

/* ---- uses ---- */

static void use_var(no_op_ctx *c, const tn_node *var) {
  const tn_node *stmt = tn_lower_map_find(&c->unused, var);
  tn_map_set(&c->used, var->id, 0);
  if (stmt != NULL) {
    tn_map_remove(&c->unused, var->id);
    TN_VEC_PUSH(&c->now, stmt);
  }
}

static bool binds_without_effect(const tn_node *n) {
  return tn_is(n, TN_OP_ALLOC) || tn_is(n, TN_OP_CONST_ALLOC) ||
         (tn_is(n, TN_OP_BIND) && !has_effect(n->in[TN_BIND_VALUE]));
}

/* What a binding uses counts once its variable is used: so a chain of unused ones goes at once. */
static tn_visit add_uses(const tn_node *n, void *ctx) {
  no_op_ctx *c = ctx;
  if (tn_is(n, TN_OP_VAR)) {
    use_var(c, n);
    return TN_SKIP;
  }
  if (tn_is(n, TN_OP_BUFFER)) {
    bool is_known = tn_map_find(&c->used, n->id, NULL);
    tn_map_set(&c->used, n->id, 0);
    return is_known ? TN_SKIP : TN_DESCEND;
  }
  if (tn_is(n, TN_OP_DECL)) { /* declaring is no use */
    return TN_SKIP;
  }
  if (binds_without_effect(n) && !tn_map_find(&c->used, n->in[0]->id, NULL)) {
    tn_lower_map_set(&c->unused, n->in[0], n);
    return TN_SKIP;
  }
  if (tn_is(n, TN_OP_BIND)) { /* the variable that it binds is no use of itself */
    (void)tn_walk_distinct(n->in[TN_BIND_VALUE], add_uses, ctx);
    return TN_SKIP;
  }
  return TN_DESCEND;
}

static void find_uses(no_op_ctx *c, const tn_node *body) {
  (void)tn_walk_distinct(body, add_uses, c);
  while (c->now.len > 0) {
    const tn_node *stmt = TN_VEC_POP(&c->now);
    for (uint32_t i = 1; i < stmt->n_in; ++i) {
      (void)tn_walk_distinct(stmt->in[i], add_uses, c);
    }
  }
}

/* ---- removal: the statement, or an empty SEQ ---- */

static bool is_used(const no_op_ctx *c, const tn_node *leaf) {
  return tn_map_find(&c->used, leaf->id, NULL);
}

static bool is_removable(const no_op_ctx *c, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_FOR:
      return is_nothing(n->in[TN_FOR_BODY]) && !has_effect(n->in[TN_FOR_MIN]) &&
             !has_effect(n->in[TN_FOR_EXTENT]);
    case TN_OP_IF:
      return is_nothing(n->in[TN_IF_THEN]) && is_nothing(n->in[TN_IF_ELSE]) &&
             !has_effect(n->in[TN_IF_COND]);
    case TN_OP_EVAL:
      return !has_effect(n->in[0]);
    case TN_OP_BIND:
      return !is_used(c, n->in[TN_BIND_VAR]) && !has_effect(n->in[TN_BIND_VALUE]);
    case TN_OP_ALLOC:
    case TN_OP_CONST_ALLOC:
      return !is_used(c, n->in[0]);
    case TN_OP_DECL:
      return !is_used(c, n->in[0]);
    case TN_OP_ATTR:
      return is_nothing(n->in[TN_ATTR_BODY]) && !has_effect(n->in[TN_ATTR_VALUE]);
    default:
      return false;
  }
}

static const tn_node *remove_rule(tn_rewriter *rw, const tn_node *n) {
  const no_op_ctx *c = rw->ctx;
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT) {
    return NULL;
  }
  if (is_removable(c, n)) {
    return tn_seq(rw->ir, 0, NULL);
  }
  if (tn_is(n, TN_OP_IF) && !tn_is_none(n->in[TN_IF_ELSE]) && is_nothing(n->in[TN_IF_ELSE])) {
    const tn_node *in[3] = {n->in[TN_IF_COND], n->in[TN_IF_THEN], tn_none(rw->ir)};
    return tn_node_with(rw->ir, n, in);
  }
  return NULL;
}

static tn_status remove_no_op(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  const tn_node *before = NULL;
  while (body != before) {
    before = body;
    no_op_ctx c = {.ir = ir};
    find_uses(&c, body);
    body = tn_rewrite(ir, body, remove_rule, &c);
    tn_map_deinit(&c.used);
    tn_map_deinit(&c.unused);
    TN_VEC_DEINIT(&c.now);
  }
  *out_func = tn_lower_with_body(ir, func, body);
  return NULL;
}

tn_status tn_pass_remove_no_op(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, remove_no_op);
}
