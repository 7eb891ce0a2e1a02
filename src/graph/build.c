/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What all graph passes stand on: the walk that rebuilds bodies statement by statement, and small
 * makers. */
#include <string.h>

#include "graph/graph_priv.h"

/* ---- the walk ---- */

static tn_status rebuild_dataflow(tn_gpass *pass, const tn_node *stmt, const tn_node **out) {
  const tn_node *in[] = {NULL, stmt->in[TN_DATAFLOW_OUTPUTS]};
  TN_TRY(tn_gpass_body(pass, stmt->in[TN_DATAFLOW_BODY], &in[TN_DATAFLOW_BODY]));
  *out = tn_node_with(pass->ir, stmt, in);
  return NULL;
}

static tn_status rebuild_branch(tn_gpass *pass, const tn_node *body, const tn_node **out) {
  if (pass->branch != NULL) {
    pass->branch(pass, true);
  }
  TN_TRY(tn_gpass_body(pass, body, out));
  if (pass->branch != NULL) {
    pass->branch(pass, false);
  }
  return NULL;
}

static tn_status rebuild_gif(tn_gpass *pass, const tn_node *stmt, const tn_node **out) {
  const tn_node *in[4] = {stmt->in[TN_GIF_VAR], stmt->in[TN_GIF_COND]};
  TN_TRY(rebuild_branch(pass, stmt->in[TN_GIF_THEN], &in[TN_GIF_THEN]));
  TN_TRY(rebuild_branch(pass, stmt->in[TN_GIF_ELSE], &in[TN_GIF_ELSE]));
  *out = tn_node_with(pass->ir, stmt, in);
  return NULL;
}

static tn_status rebuild_stmt(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  if (stmt->op != TN_OP_DATAFLOW && stmt->op != TN_OP_GIF) {
    return pass->leaf(pass, stmt, out);
  }
  const tn_node *done = NULL;
  if (stmt->op == TN_OP_DATAFLOW) {
    TN_TRY(rebuild_dataflow(pass, stmt, &done));
  } else {
    TN_TRY(rebuild_gif(pass, stmt, &done));
  }
  if (pass->nested != NULL) {
    return pass->nested(pass, done, out);
  }
  TN_VEC_PUSH(out, done);
  return NULL;
}

tn_status tn_gpass_body(tn_gpass *pass, const tn_node *body, const tn_node **out_body) {
  tn_stmts out = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    TN_GOTO(st, rebuild_stmt(pass, tn_body_at(body, i), &out), done);
  }
  if (body->op == TN_OP_SEQ) { /* an untouched body stays the same node */
    *out_body = tn_node_with_n(pass->ir, body, (uint32_t)out.len, out.data);
  } else {
    *out_body = tn_seq(pass->ir, (uint32_t)out.len, out.data);
  }
done:
  TN_VEC_DEINIT(&out);
  return st;
}

const tn_node *tn_gfunc_with_body(tn_ir *ir, const tn_node *func, const tn_node *body) {
  const tn_node *in[] = {func->in[TN_GFUNC_PARAMS], func->in[TN_GFUNC_RET],
                         func->in[TN_GFUNC_ATTRS], func->in[TN_GFUNC_IS_PURE], body};
  return tn_node_with(ir, func, in);
}

tn_status tn_each_gfunc(tn_module *module, void *ctx,
                        tn_status (*one)(tn_module *module, const tn_node *func, void *ctx,
                                         const tn_node **out)) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const tn_node *func = module->funcs[i].func;
    if (func->op != TN_OP_GFUNC) {
      continue;
    }
    const char *name = module->funcs[i].name; /* the table may move while `one` adds functions */
    const tn_node *done = func;
    TN_TRY_MSG(one(module, func, ctx, &done), "function '%s'", name);
    if (done != func) {
      tn_module_set(module, name, done);
    }
  }
  return tn_ir_status(module->ir);
}

/* ---- values that took the place of others ---- */

const tn_node *tn_value_now(const tn_map *became, const tn_node *value) {
  uint64_t word = 0;
  while (value->op == TN_OP_GVAR && tn_map_find(became, value->id, &word)) {
    value = (const tn_node *)(uintptr_t)word;
  }
  return value;
}

const tn_node *tn_dataflow_outputs(tn_ir *ir, const tn_node *outputs, const tn_node *body,
                                   const tn_map *became) {
  tn_map bound = {0};
  tn_stmts kept = {0};
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    tn_map_set(&bound, tn_body_at(body, i)->in[TN_BIND_VAR]->id, 1);
  }
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    const tn_node *value = tn_value_now(became, outputs->in[i]);
    if (tn_map_find(&bound, value->id, NULL)) {
      TN_VEC_PUSH(&kept, value);
      tn_map_remove(&bound, value->id);
    }
  }
  const tn_node *list = tn_node_with_n(ir, outputs, (uint32_t)kept.len, kept.data);
  TN_VEC_DEINIT(&kept);
  tn_map_deinit(&bound);
  return list;
}

/* ---- makers ---- */

const tn_node *tn_gvar_new(tn_ir *ir, const char *name, const tn_node *type) {
  tn_attr attr = {.text = tn_ir_text(ir, name)};
  return tn_node_new(ir, TN_OP_GVAR, TN_DT_NONE, attr, 1, &type);
}

const tn_node *tn_gbind_new(tn_ir *ir, const tn_node *var, const tn_node *value,
                            const tn_node *from) {
  const tn_node *in[] = {var, value};
  const tn_node *bind = tn_node_new(ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in);
  if (from != NULL) {
    tn_pos pos = tn_ir_pos(ir, from);
    if (pos.line != 0) {
      tn_ir_set_pos(ir, bind, pos);
    }
  }
  return bind;
}

const tn_node *tn_gbind_nothing(tn_ir *ir, const tn_node *value, const tn_node *from) {
  return tn_gbind_new(ir, tn_gvar_new(ir, "_", tn_ty_tuple(ir, 0, NULL)), value, from);
}

/* ---- questions ---- */

bool tn_gfunc_is_lowered(const tn_node *func) {
  const tn_node *flag = tn_dict_find(func->in[TN_GFUNC_ATTRS], "relax.force_pure");
  return flag != NULL && tn_is_int(flag, 1);
}

static tn_visit find_inplace(const tn_node *n, void *ctx) {
  (void)ctx;
  bool is_found = tn_is_builtin(n, TN_BUILTIN_CALL_TIR_INPLACE) ||
                  tn_is_builtin(n, TN_BUILTIN_CALL_INPLACE_PACKED);
  return is_found ? TN_STOP : TN_DESCEND;
}

bool tn_gfunc_has_values(const tn_node *func) {
  bool is_pure = func->in[TN_GFUNC_IS_PURE]->attr.i64 != 0;
  return is_pure && !tn_gfunc_is_lowered(func) && tn_walk_distinct(func, find_inplace, NULL);
}

const tn_node *tn_gfunc_lowered_body(tn_ir *ir, const tn_node *func, const tn_node *body) {
  if (body == func->in[TN_GFUNC_BODY]) {
    return func;
  }
  const tn_node *attrs =
      tn_dict_set(ir, func->in[TN_GFUNC_ATTRS], "relax.force_pure", tn_bool(ir, true));
  const tn_node *in[] = {func->in[TN_GFUNC_PARAMS], func->in[TN_GFUNC_RET], attrs,
                         func->in[TN_GFUNC_IS_PURE], body};
  return tn_node_with(ir, func, in);
}

bool tn_func_is_public(const tn_node *func) {
  switch ((int)func->op) {
    case TN_OP_GFUNC:
      return tn_dict_find(func->in[TN_GFUNC_ATTRS], "global_symbol") != NULL;
    case TN_OP_PRIM_FUNC:
      return tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "global_symbol") != NULL;
    default:
      return true;
  }
}

bool tn_is_atom(const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_GVAR:
    case TN_OP_CONST:
    case TN_OP_GLOBAL:
    case TN_OP_EXTERN:
    case TN_OP_SHAPE:
    case TN_OP_PRIM:
    case TN_OP_STR:
    case TN_OP_DTYPE:
      return true;
    default:
      return false;
  }
}

/* ---- integer expressions over sizes ---- */

static int64_t floor_div(int64_t a, int64_t b) {
  if (b == -1) {
    return (int64_t)(0 - (uint64_t)a);
  }
  int64_t q = a / b;
  return q - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

static tn_status eval_division(const tn_node *n, int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return TN_ERR(TN_INVALID, "division by zero in a size");
  }
  int64_t floor_q = floor_div(a, b);
  int64_t trunc_q = b == -1 ? floor_q : a / b;
  switch ((int)n->op) {
    case TN_OP_FLOORDIV:
      *out = floor_q;
      break;
    case TN_OP_FLOORMOD:
      *out = (int64_t)((uint64_t)a - (uint64_t)wrap_mul(floor_q, b));
      break;
    case TN_OP_DIV:
      *out = trunc_q;
      break;
    default:
      *out = (int64_t)((uint64_t)a - (uint64_t)wrap_mul(trunc_q, b));
      break;
  }
  return NULL;
}

static tn_status eval_binary(const tn_node *n, int64_t a, int64_t b, int64_t *out) {
  switch ((int)n->op) {
    case TN_OP_ADD:
      *out = (int64_t)((uint64_t)a + (uint64_t)b);
      return NULL;
    case TN_OP_SUB:
      *out = (int64_t)((uint64_t)a - (uint64_t)b);
      return NULL;
    case TN_OP_MUL:
      *out = wrap_mul(a, b);
      return NULL;
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
    case TN_OP_DIV:
    case TN_OP_MOD:
      return eval_division(n, a, b, out);
    case TN_OP_MIN:
      *out = a < b ? a : b;
      return NULL;
    case TN_OP_MAX:
      *out = a > b ? a : b;
      return NULL;
    case TN_OP_EQ:
      *out = a == b;
      return NULL;
    case TN_OP_NE:
      *out = a != b;
      return NULL;
    case TN_OP_LT:
      *out = a < b;
      return NULL;
    case TN_OP_LE:
      *out = a <= b;
      return NULL;
    case TN_OP_GT:
      *out = a > b;
      return NULL;
    case TN_OP_GE:
      *out = a >= b;
      return NULL;
    case TN_OP_AND:
      *out = a != 0 && b != 0;
      return NULL;
    case TN_OP_OR:
      *out = a != 0 || b != 0;
      return NULL;
    default:
      return TN_ERR(TN_UNSUPPORTED, "'%s' in a size", tn_op_info_get((tn_op)n->op)->text);
  }
}

static tn_status eval_var(const tn_node *n, const tn_map *syms, int64_t *out) {
  uint64_t value = 0;
  if (!tn_map_find(syms, n->id, &value)) {
    return TN_ERR(TN_INVALID, "the size '%s' has no value here", n->attr.text);
  }
  *out = (int64_t)value;
  return NULL;
}

tn_status tn_dim_eval(const tn_node *expr, const tn_map *syms, int64_t *out) {
  int64_t a = 0;
  int64_t b = 0;
  switch ((int)expr->op) {
    case TN_OP_INT:
      *out = expr->attr.i64;
      return NULL;
    case TN_OP_VAR:
      return eval_var(expr, syms, out);
    case TN_OP_CAST:
      return tn_dim_eval(expr->in[0], syms, out); /* sizes are int64: only widenings occur */
    case TN_OP_NEG:
      TN_TRY(tn_dim_eval(expr->in[0], syms, &a));
      *out = (int64_t)(0 - (uint64_t)a);
      return NULL;
    case TN_OP_NOT:
      TN_TRY(tn_dim_eval(expr->in[0], syms, &a));
      *out = a == 0;
      return NULL;
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      TN_TRY(tn_dim_eval(expr->in[TN_SELECT_COND], syms, &a));
      return tn_dim_eval(expr->in[a != 0 ? TN_SELECT_A : TN_SELECT_B], syms, out);
    default:
      break;
  }
  if (expr->n_in != 2) {
    return TN_ERR(TN_UNSUPPORTED, "'%s' in a size", tn_op_info_get((tn_op)expr->op)->text);
  }
  TN_TRY(tn_dim_eval(expr->in[TN_A], syms, &a));
  TN_TRY(tn_dim_eval(expr->in[TN_B], syms, &b));
  return eval_binary(expr, a, b, out);
}

/* ---- what a body gives ---- */

bool tn_body_gives(const tn_node *body, uint32_t i) {
  const tn_node *stmt = tn_body_at(body, i);
  bool is_if = stmt->op == TN_OP_GIF;
  for (uint32_t j = i + 1; (is_if || stmt->op == TN_OP_GBIND) && j < tn_body_n(body); ++j) {
    const tn_node *s = tn_body_at(body, j);
    if (s->op == TN_OP_YIELD || s->op == TN_OP_RETURN) {
      return s->in[0] == stmt->in[0] && (is_if || s->op == TN_OP_YIELD);
    }
    if (s->op != TN_OP_GBIND || !tn_is_builtin(s->in[TN_BIND_VALUE], TN_BUILTIN_VM_KILL_OBJECT)) {
      return false;
    }
  }
  return false;
}
