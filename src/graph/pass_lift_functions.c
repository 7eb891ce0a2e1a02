/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* lift_functions: a function written inside another becomes a private one of the module; what it
 * uses from outside is captured and comes after its own parameters.
 *
 *   @R.function
 *   def inner(y): return R.add(y, x)      ->   inner = R.make_closure(cls.main_inner, (x,))
 *
 * Requires: normalize. Guarantees: no GFUNC stands inside a GFUNC. A symbolic size used inside must
 * be an extent of a parameter or of a captured tensor, else UNSUPPORTED. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct free_vars {
  tn_map bound;  /* GVAR and VAR ids */
  tn_stmts used; /* GVARs and VARs in the order of first use, not yet filtered */
} free_vars;

static void bind_dims_of(tn_map *bound, const tn_node *type) {
  tn_map own = {0};
  tn_ty_bind(type, type, &own);
  for (size_t i = 0; i < own.cap; ++i) {
    if (own.used[i] != 0) {
      tn_map_set(bound, own.slots[2 * i], 1);
    }
  }
  tn_map_deinit(&own);
}

static void collect(const tn_node *n, void *ctx) {
  free_vars *f = ctx;
  switch ((int)n->op) {
    case TN_OP_GFUNC: {
      const tn_node *params = n->in[TN_GFUNC_PARAMS];
      for (uint32_t i = 0; i < params->n_in; ++i) {
        tn_map_set(&f->bound, params->in[i]->id, 1);
        bind_dims_of(&f->bound, params->in[i]->in[0]);
      }
      break;
    }
    case TN_OP_MATCH_CAST:
      bind_dims_of(&f->bound, n->in[TN_MATCH_CAST_TYPE]);
      tn_map_set(&f->bound, n->in[TN_MATCH_CAST_VAR]->id, 1);
      break;
    case TN_OP_GBIND:
    case TN_OP_GIF:
      tn_map_set(&f->bound, n->in[0]->id, 1);
      break;
    case TN_OP_GVAR:
    case TN_OP_VAR:
      TN_VEC_PUSH(&f->used, n);
      break;
    default:
      break;
  }
}

/* Captured variables become parameters at the end; a size has to come in with one of them. */
static tn_status close_over(tn_ir *ir, const tn_node *func, tn_stmts *captured,
                            const tn_node **out) {
  free_vars f = {0};
  tn_status st = NULL;
  tn_stmts params = {0};
  tn_walk_once(ir, func, collect, &f);
  const tn_node *own = func->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < own->n_in; ++i) {
    TN_VEC_PUSH(&params, own->in[i]);
  }
  for (size_t i = 0; i < f.used.len; ++i) {
    const tn_node *var = f.used.data[i];
    if (var->op == TN_OP_GVAR && !tn_map_find(&f.bound, var->id, NULL)) {
      TN_VEC_PUSH(captured, var);
      TN_VEC_PUSH(&params, var);
      bind_dims_of(&f.bound, var->in[0]);
    }
  }
  for (size_t i = 0; i < f.used.len; ++i) {
    const tn_node *var = f.used.data[i];
    if (var->op == TN_OP_VAR && !tn_map_find(&f.bound, var->id, NULL)) {
      TN_GOTO(st,
              TN_ERR(TN_UNSUPPORTED,
                     "inner function '%s' uses the size '%s', which none of its tensors has",
                     func->attr.text, var->attr.text),
              done);
    }
  }
  const tn_node *in[] = {tn_list(ir, (uint32_t)params.len, params.data), func->in[TN_GFUNC_RET],
                         func->in[TN_GFUNC_ATTRS], func->in[TN_GFUNC_IS_PURE],
                         func->in[TN_GFUNC_BODY]};
  *out = tn_clone_fresh(ir, tn_node_with(ir, func, in));
done:
  TN_VEC_DEINIT(&params);
  TN_VEC_DEINIT(&f.used);
  tn_map_deinit(&f.bound);
  return st;
}

/* Inner functions of the inner function first: the walk has not seen them. */
static tn_status lift_inside(tn_module *module, const tn_node *func, const tn_node **out);

static tn_status lift(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  if (stmt->op != TN_OP_GBIND || stmt->in[TN_BIND_VALUE]->op != TN_OP_GFUNC) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  const char *outer = pass->ctx;
  const tn_node *inner = NULL;
  const tn_node *closed = NULL;
  tn_stmts captured = {0};
  TN_TRY(lift_inside(pass->module, stmt->in[TN_BIND_VALUE], &inner));
  tn_status st = close_over(pass->ir, inner, &captured, &closed);
  if (st == NULL) {
    tn_buf base = TN_BUF_INIT;
    tn_buf_printf(&base, "%s_%s", outer, inner->attr.text);
    const char *name = tn_module_fresh_name(pass->module, tn_buf_text(&base));
    tn_buf_deinit(&base);
    tn_module_set(pass->module, name, closed);
    const tn_node *args[] = {
        tn_node_new(pass->ir, TN_OP_GLOBAL, TN_DT_NONE,
                    (tn_attr){.text = tn_ir_text(pass->ir, name)}, 0, NULL),
        tn_node_new(pass->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)captured.len,
                    captured.data),
    };
    const tn_node *closure =
        tn_call_new(pass->ir, tn_graph_builtin(TN_BUILTIN_MAKE_CLOSURE), 2, args, NULL, NULL);
    const tn_node *in[] = {stmt->in[TN_BIND_VAR], closure};
    TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  }
  TN_VEC_DEINIT(&captured);
  return st;
}

static tn_status lift_inside(tn_module *module, const tn_node *func, const tn_node **out) {
  char *outer = (char *)(uintptr_t)func->attr.text; /* read only */
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = lift, .ctx = outer};
  const tn_node *body = NULL;
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body));
  *out = tn_gfunc_with_body(module->ir, func, body);
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  return lift_inside(module, func, out);
}

tn_status tn_pass_lift_functions(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
