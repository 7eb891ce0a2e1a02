/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* lower_shapes: a size computed from other sizes gets a name just before its first use, once for
 * all uses that it reaches; code generation gives each name a slot of the shape heap.
 *
 *   s = R.memory.alloc_storage(R.shape([n * 16 + 48]), ...)
 *   -> _: R.Shape([size]) = R.match_cast(R.shape([n * 16 + 48]), R.Shape([size]))
 *      s = R.memory.alloc_storage(R.shape([size]), ...)
 *
 * Touches sizes that are evaluated: R.shape and int64 R.prim_value. Types keep their expressions.
 * Idempotent. */
#include "arith/arith.h"
#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct namer {
  tn_arith *arith;
  tn_map names;                      /* expression id -> its VAR */
  TN_VEC(uint64_t) scoped;           /* ids named since the function began, innermost branch last */
  TN_VEC(size_t) marks;              /* length of `scoped` at the begin of each open branch */
  TN_VEC(const tn_node *) new_exprs; /* of the statement at hand */
  TN_VEC(const tn_node *) new_vars;
} namer;

static bool is_plain(const tn_node *expr) { return expr->op == TN_OP_INT || expr->op == TN_OP_VAR; }

static const tn_node *name_of(namer *nm, tn_ir *ir, const tn_node *expr) {
  if (expr->dtype != TN_DT_I64) {
    return expr;
  }
  expr = tn_arith_simplify(nm->arith, expr);
  if (is_plain(expr)) {
    return expr;
  }
  uint64_t known = 0;
  if (tn_map_find(&nm->names, expr->id, &known)) {
    return (const tn_node *)(uintptr_t)known;
  }
  const tn_node *var = tn_var_new(ir, "size", TN_DT_I64);
  tn_map_set(&nm->names, expr->id, (uint64_t)(uintptr_t)var);
  TN_VEC_PUSH(&nm->scoped, expr->id);
  TN_VEC_PUSH(&nm->new_exprs, expr);
  TN_VEC_PUSH(&nm->new_vars, var);
  return var;
}

static bool is_sized(const tn_node *n) {
  if (n->op == TN_OP_PRIM) {
    return n->in[0]->dtype == TN_DT_I64;
  }
  return n->op == TN_OP_SHAPE;
}

/* Post-order, so that a SHAPE's own expressions are untouched yet. A rule would see types too; this
 * goes only where sizes are evaluated. */
static const tn_node *replace(namer *nm, tn_ir *ir, const tn_node *n) {
  bool is_list = n->op == TN_OP_LIST || n->op == TN_OP_TUPLE || n->op == TN_OP_GET;
  bool is_call = n->op == TN_OP_CALL || n->op == TN_OP_INVOKE;
  if (!is_sized(n) && !is_list && !is_call) {
    return n;
  }
  TN_VEC(const tn_node *) in = {0};
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_value = !is_call || i == (n->op == TN_OP_CALL ? TN_CALL_ARGS : TN_INVOKE_ARGS);
    const tn_node *child = n->in[i];
    if (is_sized(n)) {
      child = name_of(nm, ir, child);
    } else if (is_value) {
      child = replace(nm, ir, child);
    }
    TN_VEC_PUSH(&in, child);
  }
  const tn_node *out = tn_node_with_n(ir, n, n->n_in, in.data);
  TN_VEC_DEINIT(&in);
  return out;
}

/* The names that the statement needs and that are new. */
static void push_names(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  namer *nm = pass->ctx;
  uint32_t n = (uint32_t)nm->new_exprs.len;
  if (n == 0) {
    return;
  }
  const tn_node *type = tn_ty_shape(pass->ir, n, tn_list(pass->ir, n, nm->new_vars.data));
  const tn_node *in[] = {
      tn_gvar_new(pass->ir, "_", type),
      tn_node_new(pass->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, n, nm->new_exprs.data),
      type,
  };
  const tn_node *cast = tn_node_new(pass->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in);
  tn_pos pos = tn_ir_pos(pass->ir, stmt);
  if (pos.line != 0) {
    tn_ir_set_pos(pass->ir, cast, pos);
  }
  TN_VEC_PUSH(out, cast);
  nm->new_exprs.len = 0;
  nm->new_vars.len = 0;
}

static tn_status name_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  if (stmt->op == TN_OP_MATCH_CAST) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  bool is_bind = stmt->op == TN_OP_GBIND;
  const tn_node *value = replace(pass->ctx, pass->ir, stmt->in[is_bind ? TN_BIND_VALUE : 0]);
  push_names(pass, stmt, out);
  if (is_bind) {
    const tn_node *in[] = {stmt->in[TN_BIND_VAR], value};
    TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  } else {
    TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, &value));
  }
  return NULL;
}

/* A name made in a branch is not known after it. */
static void branch(tn_gpass *pass, bool is_begin) {
  namer *nm = pass->ctx;
  if (is_begin) {
    TN_VEC_PUSH(&nm->marks, nm->scoped.len);
    return;
  }
  size_t mark = TN_VEC_POP(&nm->marks);
  while (nm->scoped.len > mark) {
    tn_map_remove(&nm->names, TN_VEC_POP(&nm->scoped));
  }
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  namer nm = {.arith = tn_arith_new(module->ir)};
  tn_gpass pass = {
      .ir = module->ir, .module = module, .leaf = name_leaf, .branch = branch, .ctx = &nm};
  const tn_node *body = NULL;
  tn_status st = tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body);
  if (st == NULL) {
    *out = tn_gfunc_lowered_body(module->ir, func, body);
  }
  tn_arith_free(nm.arith);
  tn_map_deinit(&nm.names);
  TN_VEC_DEINIT(&nm.scoped);
  TN_VEC_DEINIT(&nm.marks);
  TN_VEC_DEINIT(&nm.new_exprs);
  TN_VEC_DEINIT(&nm.new_vars);
  return st;
}

tn_status tn_pass_lower_shapes(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
