/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* normalize: every nested expression becomes a binding of its own, in the order of evaluation.
 *
 *   y = R.add(R.multiply(x, x), c)      ->   gv = R.multiply(x, x)
 *                                            y = R.add(gv, c)
 *
 * Also: variables without a type get the inferred one, functions their result type, a call of an
 * extern function becomes call_packed. Guarantees: arguments, conditions and results are variables,
 * constants, sizes or names; the tuple of inputs of a call stays in its place. Idempotent. */
#include "base/check.h"
#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct normalizer {
  tn_infer_ctx infer;
  tn_map vars; /* GVAR id -> the typed one */
} normalizer;

static tn_status normal_func(normalizer *nz, tn_module *module, const tn_node *func,
                             const tn_node **out);
static tn_status flatten(tn_gpass *pass, const tn_node *expr, tn_stmts *out,
                         const tn_node **out_expr);

/* ---- expressions ---- */

static tn_status type_of(tn_gpass *pass, const tn_node *expr, const tn_node **out) {
  normalizer *nz = pass->ctx;
  return tn_graph_infer(&nz->infer, expr, out);
}

static tn_status atomize(tn_gpass *pass, const tn_node *expr, tn_stmts *out,
                         const tn_node **out_atom) {
  const tn_node *flat = NULL;
  const tn_node *type = NULL;
  TN_TRY(flatten(pass, expr, out, &flat));
  if (tn_is_atom(flat)) {
    *out_atom = flat;
    return NULL;
  }
  TN_TRY(type_of(pass, flat, &type));
  const tn_node *var = tn_gvar_new(pass->ir, "gv", type);
  TN_VEC_PUSH(out, tn_gbind_new(pass->ir, var, flat, NULL));
  *out_atom = var;
  return NULL;
}

/* is_tuple_ok: a TUPLE may stay, its items become atoms. */
static tn_status atomize_list(tn_gpass *pass, const tn_node *list, bool is_tuple_ok, tn_stmts *out,
                              const tn_node **out_list) {
  TN_VEC(const tn_node *) items = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < list->n_in; ++i) {
    const tn_node *item = NULL;
    if (is_tuple_ok && list->in[i]->op == TN_OP_TUPLE) {
      TN_GOTO(st, atomize_list(pass, list->in[i], false, out, &item), done);
    } else {
      TN_GOTO(st, atomize(pass, list->in[i], out, &item), done);
    }
    TN_VEC_PUSH(&items, item);
  }
  *out_list = tn_node_with_n(pass->ir, list, list->n_in, items.data);
done:
  TN_VEC_DEINIT(&items);
  return st;
}

/* A variable that holds a tuple, as the tuple of its items: operators take tensors one by one. */
static tn_status spread_tuple(tn_gpass *pass, const tn_node *arg, const tn_node *type,
                              tn_stmts *out, const tn_node **out_arg) {
  TN_VEC(const tn_node *) items = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *item =
        tn_node_new(pass->ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = i}, 1, &arg);
    TN_GOTO(st, atomize(pass, item, out, &item), done);
    TN_VEC_PUSH(&items, item);
  }
  *out_arg =
      tn_node_new(pass->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)items.len, items.data);
done:
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status spread_tuples(tn_gpass *pass, const tn_node *args, tn_stmts *out,
                               const tn_node **out_args) {
  TN_VEC(const tn_node *) items = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *arg = args->in[i];
    const tn_node *type = NULL;
    if (arg->op == TN_OP_GVAR) {
      TN_GOTO(st, type_of(pass, arg, &type), done);
    }
    if (type != NULL && type->op == TN_OP_TY_TUPLE) {
      TN_GOTO(st, spread_tuple(pass, arg, type, out, &arg), done);
    }
    TN_VEC_PUSH(&items, arg);
  }
  *out_args = tn_node_with_n(pass->ir, args, args->n_in, items.data);
done:
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status flatten_call(tn_gpass *pass, const tn_node *call, tn_stmts *out,
                              const tn_node **out_expr) {
  const tn_node *in[] = {NULL, call->in[TN_CALL_FIELDS], call->in[TN_CALL_TYPES]};
  TN_TRY(atomize_list(pass, call->in[TN_CALL_ARGS], true, out, &in[TN_CALL_ARGS]));
  if (tn_builtin_of(call) < 0) {
    TN_TRY(spread_tuples(pass, in[TN_CALL_ARGS], out, &in[TN_CALL_ARGS]));
  }
  *out_expr = tn_node_with(pass->ir, call, in);
  return NULL;
}

static tn_status flatten_invoke(tn_gpass *pass, const tn_node *call, tn_stmts *out,
                                const tn_node **out_expr) {
  const tn_node *callee = call->in[TN_INVOKE_CALLEE];
  const tn_node *args = NULL;
  TN_TRY(atomize(pass, callee, out, &callee));
  TN_TRY(atomize_list(pass, call->in[TN_INVOKE_ARGS], false, out, &args));
  if (callee->op != TN_OP_EXTERN) {
    const tn_node *in[] = {callee, args, call->in[TN_INVOKE_TYPES]};
    *out_expr = tn_node_with(pass->ir, call, in);
    return NULL;
  }
  TN_VEC(const tn_node *) all = {0};
  TN_VEC_PUSH(&all, callee);
  for (uint32_t i = 0; i < args->n_in; ++i) {
    TN_VEC_PUSH(&all, args->in[i]);
  }
  *out_expr = tn_call_new(pass->ir, tn_graph_builtin(TN_BUILTIN_CALL_PACKED), (uint32_t)all.len,
                          all.data, NULL, call->in[TN_INVOKE_TYPES]);
  TN_VEC_DEINIT(&all);
  return NULL;
}

/* One level of an expression over atoms. */
static tn_status flatten(tn_gpass *pass, const tn_node *expr, tn_stmts *out,
                         const tn_node **out_expr) {
  normalizer *nz = pass->ctx;
  switch ((int)expr->op) {
    case TN_OP_GVAR: {
      uint64_t to = 0;
      bool is_new = tn_map_find(&nz->vars, expr->id, &to);
      *out_expr = is_new ? (const tn_node *)(uintptr_t)to : expr;
      return NULL;
    }
    case TN_OP_CALL:
      return flatten_call(pass, expr, out, out_expr);
    case TN_OP_INVOKE:
      return flatten_invoke(pass, expr, out, out_expr);
    case TN_OP_TUPLE:
    case TN_OP_GET:
      return atomize_list(pass, expr, false, out, out_expr);
    case TN_OP_GFUNC:
      return normal_func(nz, pass->module, expr, out_expr);
    default:
      break;
  }
  bool is_size = expr->dtype != TN_DT_NONE && !tn_is_atom(expr);
  *out_expr =
      is_size ? tn_node_new(pass->ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &expr) : expr;
  return NULL;
}

/* ---- statements ---- */

/* The variable, or a new one that has the type. */
static const tn_node *typed_var(normalizer *nz, const tn_node *var, const tn_node *type) {
  if (!tn_is_none(var->in[0])) {
    return var;
  }
  const tn_node *typed = tn_node_with(nz->infer.ir, var, &type);
  tn_map_set(&nz->vars, var->id, (uint64_t)(uintptr_t)typed);
  return typed;
}

static tn_status normal_bind(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  normalizer *nz = pass->ctx;
  const tn_node *in[] = {stmt->in[TN_BIND_VAR], NULL};
  TN_TRY(flatten(pass, stmt->in[TN_BIND_VALUE], out, &in[TN_BIND_VALUE]));
  if (tn_is_none(in[TN_BIND_VAR]->in[0])) {
    const tn_node *type = NULL;
    TN_TRY_MSG(type_of(pass, in[TN_BIND_VALUE], &type), "'%s'", in[TN_BIND_VAR]->attr.text);
    in[TN_BIND_VAR] = typed_var(nz, in[TN_BIND_VAR], type);
  }
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

static tn_status normal_match_cast(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  const tn_node *type = stmt->in[TN_MATCH_CAST_TYPE];
  const tn_node *in[] = {typed_var(pass->ctx, stmt->in[TN_MATCH_CAST_VAR], type), NULL, type};
  TN_TRY(atomize(pass, stmt->in[TN_MATCH_CAST_VALUE], out, &in[TN_MATCH_CAST_VALUE]));
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

static tn_status normal_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  switch ((int)stmt->op) {
    case TN_OP_GBIND:
      return normal_bind(pass, stmt, out);
    case TN_OP_MATCH_CAST:
      return normal_match_cast(pass, stmt, out);
    default:
      break;
  }
  const tn_node *value = NULL; /* RETURN and YIELD */
  TN_TRY(atomize(pass, stmt->in[0], out, &value));
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, &value));
  return NULL;
}

static tn_status normal_dataflow(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  const tn_node *in[] = {stmt->in[TN_DATAFLOW_BODY], NULL};
  tn_stmts none = {0};
  TN_TRY(atomize_list(pass, stmt->in[TN_DATAFLOW_OUTPUTS], false, &none, &in[1]));
  TN_ASSERT(none.len == 0, "outputs are variables");
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

/* The type that both branches have, else Object. */
static tn_status if_type(tn_gpass *pass, const tn_node *stmt, const tn_node **out) {
  const tn_node *types[2] = {NULL, NULL};
  for (int k = 0; k < 2; ++k) {
    const tn_node *last = tn_body_last(stmt->in[TN_GIF_THEN + k]);
    if (last == NULL || last->op != TN_OP_YIELD) {
      return TN_ERR(TN_INVALID, "a branch of an if gives no value");
    }
    TN_TRY(type_of(pass, last->in[0], &types[k]));
  }
  if (tn_ty_is_subtype(pass->ir, types[0], types[1], NULL)) {
    *out = types[1];
  } else if (tn_ty_is_subtype(pass->ir, types[1], types[0], NULL)) {
    *out = types[0];
  } else {
    *out = tn_ty_object(pass->ir);
  }
  return NULL;
}

static tn_status normal_nested(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  if (stmt->op == TN_OP_DATAFLOW) {
    return normal_dataflow(pass, stmt, out);
  }
  const tn_node *in[] = {stmt->in[TN_GIF_VAR], NULL, stmt->in[TN_GIF_THEN], stmt->in[TN_GIF_ELSE]};
  TN_TRY(atomize(pass, stmt->in[TN_GIF_COND], out, &in[TN_GIF_COND]));
  if (tn_is_none(in[TN_GIF_VAR]->in[0])) {
    const tn_node *type = NULL;
    TN_TRY(if_type(pass, stmt, &type));
    in[TN_GIF_VAR] = typed_var(pass->ctx, in[TN_GIF_VAR], type);
  }
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

/* ---- functions ---- */

static tn_status normal_func(normalizer *nz, tn_module *module, const tn_node *func,
                             const tn_node **out) {
  tn_ir *ir = nz->infer.ir;
  tn_gpass pass = {
      .ir = ir, .module = module, .leaf = normal_leaf, .nested = normal_nested, .ctx = nz};
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  const tn_node *in[] = {NULL, func->in[TN_GFUNC_RET], func->in[TN_GFUNC_ATTRS],
                         func->in[TN_GFUNC_IS_PURE], NULL};
  TN_VEC(const tn_node *) typed = {0};
  for (uint32_t i = 0; i < params->n_in; ++i) {
    TN_VEC_PUSH(&typed, typed_var(nz, params->in[i], tn_ty_object(ir)));
  }
  in[TN_GFUNC_PARAMS] = tn_node_with_n(ir, params, params->n_in, typed.data);
  TN_VEC_DEINIT(&typed);
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &in[TN_GFUNC_BODY]));
  const tn_node *done = tn_node_with(ir, func, in);
  if (tn_is_none(in[TN_GFUNC_RET])) {
    const tn_node *type = NULL;
    TN_TRY(tn_func_type(&nz->infer, done, &type));
    in[TN_GFUNC_RET] = type->in[TN_TY_FUNC_RET];
    done = tn_node_with(ir, func, in);
  }
  *out = done;
  return NULL;
}

static tn_status normalize_one(tn_module *module, const tn_node *func, void *ctx,
                               const tn_node **out) {
  (void)ctx;
  normalizer nz = {.infer = {.ir = module->ir, .module = module}};
  tn_status st = normal_func(&nz, module, func, out);
  tn_map_deinit(&nz.vars);
  return st;
}

tn_status tn_pass_normalize(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, normalize_one);
}
