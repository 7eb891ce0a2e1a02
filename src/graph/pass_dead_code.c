/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* dead_code: drops pure bindings whose variable nobody uses, outputs of dataflow blocks that nobody
 * uses, ifs without effect, and private functions that no public one reaches. An impure call stays
 * even when its result is unused, in its place; so does match_cast, which is a check. Idempotent.
 */
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct dce {
  tn_ir *ir;
  const tn_module *module;
  tn_map used; /* GVAR id */
} dce;

static void mark_var(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_GVAR) {
    tn_map_set(ctx, n->id, 1);
  }
}

static void mark_uses(dce *d, const tn_node *expr) {
  tn_walk_once(d->ir, expr, mark_var, &d->used);
}

static bool is_used(const dce *d, const tn_node *var) {
  return tn_map_find(&d->used, var->id, NULL);
}

/* True when running the body has no effect but its value. */
static bool body_is_pure(const dce *d, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *s = tn_body_at(body, i);
    switch ((int)s->op) {
      case TN_OP_GBIND:
        if (!tn_expr_is_pure(d->module, s->in[TN_BIND_VALUE])) {
          return false;
        }
        break;
      case TN_OP_GIF:
        if (!body_is_pure(d, s->in[TN_GIF_THEN]) || !body_is_pure(d, s->in[TN_GIF_ELSE])) {
          return false;
        }
        break;
      case TN_OP_YIELD:
        break;
      default:
        return false;
    }
  }
  return true;
}

static const tn_node *sweep_body(dce *d, const tn_node *body);

/* The statement without its dead parts, NULL when all of it is dead. Uses are marked on the way,
 * last statement first, so that a use is seen before the binding it keeps. */
static const tn_node *sweep_dataflow(dce *d, const tn_node *stmt) {
  const tn_node *outputs = stmt->in[TN_DATAFLOW_OUTPUTS];
  tn_stmts kept = {0};
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    if (is_used(d, outputs->in[i])) {
      TN_VEC_PUSH(&kept, outputs->in[i]);
    }
  }
  const tn_node *in[] = {sweep_body(d, stmt->in[TN_DATAFLOW_BODY]),
                         tn_node_with_n(d->ir, outputs, (uint32_t)kept.len, kept.data)};
  TN_VEC_DEINIT(&kept);
  return tn_body_n(in[TN_DATAFLOW_BODY]) == 0 ? NULL : tn_node_with(d->ir, stmt, in);
}

static const tn_node *sweep_if(dce *d, const tn_node *stmt) {
  if (!is_used(d, stmt->in[TN_GIF_VAR]) && body_is_pure(d, stmt->in[TN_GIF_THEN]) &&
      body_is_pure(d, stmt->in[TN_GIF_ELSE])) {
    return NULL;
  }
  const tn_node *in[] = {stmt->in[TN_GIF_VAR], stmt->in[TN_GIF_COND],
                         sweep_body(d, stmt->in[TN_GIF_THEN]),
                         sweep_body(d, stmt->in[TN_GIF_ELSE])};
  mark_uses(d, stmt->in[TN_GIF_COND]);
  return tn_node_with(d->ir, stmt, in);
}

static const tn_node *sweep_stmt(dce *d, const tn_node *stmt) {
  switch ((int)stmt->op) {
    case TN_OP_DATAFLOW:
      return sweep_dataflow(d, stmt);
    case TN_OP_GIF:
      return sweep_if(d, stmt);
    case TN_OP_GBIND:
      if (!is_used(d, stmt->in[TN_BIND_VAR]) &&
          tn_expr_is_pure(d->module, stmt->in[TN_BIND_VALUE])) {
        return NULL;
      }
      mark_uses(d, stmt->in[TN_BIND_VALUE]);
      return stmt;
    default:
      mark_uses(d, stmt);
      return stmt;
  }
}

static const tn_node *sweep_body(dce *d, const tn_node *body) {
  uint32_t n = tn_body_n(body);
  tn_stmts kept = {0};
  for (uint32_t i = n; i-- > 0;) {
    const tn_node *stmt = sweep_stmt(d, tn_body_at(body, i));
    if (stmt != NULL) {
      TN_VEC_PUSH(&kept, stmt);
    }
  }
  for (size_t i = 0; i < kept.len / 2; ++i) {
    const tn_node *other = kept.data[kept.len - 1 - i];
    kept.data[kept.len - 1 - i] = kept.data[i];
    kept.data[i] = other;
  }
  const tn_node *out = body->op == TN_OP_SEQ
                           ? tn_node_with_n(d->ir, body, (uint32_t)kept.len, kept.data)
                           : tn_seq(d->ir, (uint32_t)kept.len, kept.data);
  TN_VEC_DEINIT(&kept);
  return out;
}

const tn_node *tn_gfunc_without_dead_code(const tn_module *module, const tn_node *func) {
  dce d = {.ir = module->ir, .module = module};
  const tn_node *out =
      tn_gfunc_with_body(module->ir, func, sweep_body(&d, func->in[TN_GFUNC_BODY]));
  tn_map_deinit(&d.used);
  return out;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  *out = tn_gfunc_without_dead_code(module, func);
  return NULL;
}

/* ---- functions ---- */

typedef struct reach {
  const tn_module *module;
  tn_strmap seen;
  TN_VEC(const tn_node *) todo;
} reach;

static void reach_name(reach *r, const char *name) {
  const tn_node *func = tn_module_find(r->module, name);
  if (func != NULL && !tn_strmap_has(&r->seen, name)) {
    tn_strmap_set(&r->seen, name, r);
    TN_VEC_PUSH(&r->todo, func);
  }
}

/* A text may be the name by which a loop function calls another (T.call_packed). */
static void reach_from(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_GLOBAL || n->op == TN_OP_EXTERN || n->op == TN_OP_STR) {
    reach_name(ctx, n->attr.text);
  }
}

/* Only what the functions named so far reach stays. */
static void drop_unreached(tn_module *module, reach *r) {
  while (r->todo.len > 0) {
    const tn_node *func = TN_VEC_POP(&r->todo);
    tn_walk_once(module->ir, func, reach_from, r);
  }
  for (uint32_t i = module->n_funcs; i-- > 0;) {
    if (!tn_strmap_has(&r->seen, module->funcs[i].name)) {
      tn_module_remove(module, module->funcs[i].name);
    }
  }
  TN_VEC_DEINIT(&r->todo);
  tn_strmap_deinit(&r->seen);
}

static void drop_functions(tn_module *module) {
  reach r = {.module = module};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (tn_func_is_public(module->funcs[i].func) || strcmp(module->funcs[i].name, "main") == 0) {
      reach_name(&r, module->funcs[i].name);
    }
  }
  drop_unreached(module, &r);
}

void tn_module_keep_only(tn_module *module, const char *name) {
  reach r = {.module = module};
  if (tn_module_find(module, name) != NULL) {
    reach_name(&r, name);
    drop_unreached(module, &r);
  }
}

tn_status tn_pass_dead_code(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  TN_TRY(tn_each_gfunc(module, NULL, one));
  if (module->n_funcs > 0) {
    drop_functions(module);
  }
  return NULL;
}
