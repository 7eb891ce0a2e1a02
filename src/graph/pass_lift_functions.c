/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* lift_functions: a function written inside another becomes a private one of the module; what it
 * uses from outside is captured and comes after its own parameters.
 *
 *   @R.function
 *   def inner(y): return R.add(y, x)      ->   inner = R.make_closure(cls.main_inner, (x,))
 *
 * Sizes from outside that are no extents of captured tensors come with a captured shape; a function
 * that calls itself makes itself anew:
 *
 *   inner = R.make_closure(cls.main_inner, (x, R.shape([n])))
 *
 * Requires: normalize. Guarantees: no GFUNC stands inside a GFUNC. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct free_vars {
  tn_map bound;  /* GVAR and VAR ids */
  tn_stmts used; /* GVARs and VARs in the order of first use, not yet filtered */
} free_vars;

/* A function whose inner ones are being lifted. */
typedef struct outer_func {
  const struct outer_func *outer; /* around it; NULL: none */
  const char *name;
  tn_map sizes; /* VAR ids that have a meaning in it */
} outer_func;

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

static bool is_size_of(const outer_func *outer, const tn_node *var) {
  for (; outer != NULL; outer = outer->outer) {
    if (tn_map_find(&outer->sizes, var->id, NULL)) {
      return true;
    }
  }
  return false;
}

/* What the function uses from outside: variables, and the sizes that do not come with them. A size
 * of a parameter that also has a meaning outside is one of those: the two must agree. */
static void find_captured(const tn_ir *ir, const tn_node *func, const tn_node *self,
                          const outer_func *outer, tn_stmts *vars, tn_stmts *sizes) {
  free_vars f = {0};
  tn_map come = {0};
  tn_walk_once(ir, func, collect, &f);
  for (size_t i = 0; i < f.used.len; ++i) {
    const tn_node *var = f.used.data[i];
    if (var->op == TN_OP_GVAR && var != self && !tn_map_find(&f.bound, var->id, NULL)) {
      TN_VEC_PUSH(vars, var);
      bind_dims_of(&come, var->in[0]);
    }
  }
  for (size_t i = 0; i < f.used.len; ++i) {
    const tn_node *var = f.used.data[i];
    if (var->op == TN_OP_VAR && is_size_of(outer, var) && !tn_map_find(&come, var->id, NULL)) {
      TN_VEC_PUSH(sizes, var);
    }
  }
  TN_VEC_DEINIT(&f.used);
  tn_map_deinit(&f.bound);
  tn_map_deinit(&come);
}

static const tn_node *closure_of(tn_ir *ir, const char *name, const tn_stmts *captured) {
  const tn_node *args[] = {
      tn_node_new(ir, TN_OP_GLOBAL, TN_DT_NONE, (tn_attr){.text = tn_ir_text(ir, name)}, 0, NULL),
      tn_node_new(ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)captured->len,
                  captured->data),
  };
  return tn_call_new(ir, tn_graph_builtin(TN_BUILTIN_MAKE_CLOSURE), 2, args, NULL, NULL);
}

static void find_self(const tn_node *n, void *ctx) {
  const tn_node **self = ctx;
  *self = n == *self ? NULL : *self;
}

/* `func` with what it captures as parameters at the end. self: its own name. */
static const tn_node *close_over(tn_ir *ir, const tn_node *func, const tn_node *self,
                                 const char *name, const tn_stmts *captured,
                                 const tn_stmts *params) {
  const tn_node *own = func->in[TN_GFUNC_PARAMS];
  const tn_node *body = func->in[TN_GFUNC_BODY];
  const tn_node *wanted = self;
  tn_stmts all = {0};
  for (uint32_t i = 0; i < own->n_in; ++i) {
    TN_VEC_PUSH(&all, own->in[i]);
  }
  for (size_t i = 0; i < params->len; ++i) {
    TN_VEC_PUSH(&all, params->data[i]);
  }
  tn_walk_once(ir, body, find_self, &wanted);
  if (wanted == NULL) { /* it calls itself */
    tn_stmts stmts = {0};
    TN_VEC_PUSH(&stmts, tn_gbind_new(ir, self, closure_of(ir, name, captured), NULL));
    for (uint32_t i = 0; i < tn_body_n(body); ++i) {
      TN_VEC_PUSH(&stmts, tn_body_at(body, i));
    }
    body = tn_seq(ir, (uint32_t)stmts.len, stmts.data);
    TN_VEC_DEINIT(&stmts);
  }
  const tn_node *in[] = {tn_list(ir, (uint32_t)all.len, all.data), func->in[TN_GFUNC_RET],
                         func->in[TN_GFUNC_ATTRS], func->in[TN_GFUNC_IS_PURE], body};
  TN_VEC_DEINIT(&all);
  return tn_clone_fresh(ir, tn_node_with(ir, func, in));
}

/* Inner functions of the inner function first: the walk has not seen them. */
static tn_status lift_inside(tn_module *module, const tn_node *func, const outer_func *outer,
                             const tn_node **out);

static tn_status lift(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  if (stmt->op != TN_OP_GBIND || stmt->in[TN_BIND_VALUE]->op != TN_OP_GFUNC) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  tn_ir *ir = pass->ir;
  const outer_func *outer = pass->ctx;
  const tn_node *self = stmt->in[TN_BIND_VAR];
  const tn_node *inner = NULL;
  tn_stmts captured = {0};
  tn_stmts params = {0};
  tn_stmts sizes = {0};
  TN_TRY(lift_inside(pass->module, stmt->in[TN_BIND_VALUE], outer, &inner));
  find_captured(ir, inner, self, outer, &captured, &sizes);
  for (size_t i = 0; i < captured.len; ++i) {
    TN_VEC_PUSH(&params, captured.data[i]);
  }
  if (sizes.len > 0) {
    uint32_t n = (uint32_t)sizes.len;
    const tn_node *type = tn_ty_shape(ir, n, tn_list(ir, n, sizes.data));
    TN_VEC_PUSH(&params, tn_gvar_new(ir, "sizes", type));
    TN_VEC_PUSH(&captured, tn_node_new(ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, n, sizes.data));
  }
  tn_buf base = TN_BUF_INIT;
  tn_buf_printf(&base, "%s_%s", outer->name, inner->attr.text);
  const char *name = tn_module_fresh_name(pass->module, tn_buf_text(&base));
  tn_buf_deinit(&base);
  tn_module_set(pass->module, name, close_over(ir, inner, self, name, &captured, &params));
  const tn_node *in[] = {self, closure_of(ir, name, &captured)};
  TN_VEC_PUSH(out, tn_node_with(ir, stmt, in));
  TN_VEC_DEINIT(&captured);
  TN_VEC_DEINIT(&params);
  TN_VEC_DEINIT(&sizes);
  return NULL;
}

/* Sizes of the function's own statements; those of inner functions are their own. */
static tn_visit collect_sizes(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_MATCH_CAST) {
    bind_dims_of(ctx, n->in[TN_MATCH_CAST_TYPE]);
  }
  bool is_body = n->op == TN_OP_SEQ || n->op == TN_OP_DATAFLOW || n->op == TN_OP_GIF;
  return is_body ? TN_DESCEND : TN_SKIP;
}

static tn_status lift_inside(tn_module *module, const tn_node *func, const outer_func *outer,
                             const tn_node **out) {
  outer_func here = {.outer = outer, .name = func->attr.text};
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = lift, .ctx = &here};
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  const tn_node *body = NULL;
  for (uint32_t i = 0; i < params->n_in; ++i) {
    bind_dims_of(&here.sizes, params->in[i]->in[0]);
  }
  tn_walk_distinct(func->in[TN_GFUNC_BODY], collect_sizes, &here.sizes);
  tn_status st = tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body);
  tn_map_deinit(&here.sizes);
  if (st == NULL) {
    *out = tn_gfunc_with_body(module->ir, func, body);
  }
  return st;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  return lift_inside(module, func, NULL, out);
}

tn_status tn_pass_lift_functions(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
