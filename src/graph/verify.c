/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The level rules of graph functions, on top of those of ir (scopes, single binding, statement
 * parents). Run on what the reader made and after every pass. Each rule has one diagnostic id:
 *
 * - calls: undefined-global, wrong-callee, call-tir-arity, call-tir-arg, writes-input, bad-field,
 *   bad-call
 * - effects: dataflow-impure, dataflow-statement, dataflow-output, impure-in-pure
 * - types: type-mismatch, type-unproved, return-type, bad-dim, bad-condition
 * - form: missing-return, missing-yield, misplaced-statement, not-normal */
#include <inttypes.h>

#include "base/check.h"
#include "graph/graph_priv.h"

typedef struct checker {
  const tn_module *module;
  const tn_node *func;
  tn_infer_ctx infer;
  tn_diags *diags;
  bool is_normal;
  bool is_dataflow; /* inside a dataflow block */
  tn_pos pos;       /* of the statement at hand */
} checker;

static void check_body(checker *c, const tn_node *body, tn_op last);
static void check_func(checker *c, const tn_node *func);

static void report(checker *c, const char *id, tn_status st) {
  tn_diags_add(c->diags, id, c->pos, NULL, "%s", tn_status_message(st));
  tn_status_free(st);
}

/* ---- types ---- */

static void report_types(checker *c, const char *id, const char *what, const tn_node *got,
                         const tn_node *want, const char *hint) {
  tn_buf got_text = TN_BUF_INIT;
  tn_buf want_text = TN_BUF_INIT;
  tn_ty_print(got, &got_text);
  tn_ty_print(want, &want_text);
  tn_diags_add(c->diags, id, c->pos, hint, "%s has type %s, declared %s", what,
               tn_buf_text(&got_text), tn_buf_text(&want_text));
  tn_buf_deinit(&got_text);
  tn_buf_deinit(&want_text);
}

/* A declared type must follow from the value. In lowered code extents have names of their own,
 * which nothing relates to the expressions they stand for: there only contradictions are errors. */
static void check_declared(checker *c, const char *id, const char *what, const tn_node *got,
                           const tn_node *want) {
  bool is_unsure = false;
  if (tn_is_none(want) || tn_ty_is_subtype(c->infer.ir, got, want, &is_unsure)) {
    return;
  }
  if (!is_unsure) {
    report_types(c, id, what, got, want, NULL);
  } else if (!tn_gfunc_is_lowered(c->func)) {
    report_types(c, "type-unproved", what, got, want,
                 "nothing proves them equal; R.match_cast(value, type) asks when it runs");
  }
}

static void check_dims(checker *c, const tn_node *dims) {
  if (tn_is_none(dims)) {
    return;
  }
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    const tn_node *dim = dims->in[i];
    if (dim->dtype != TN_DT_I64) {
      char text[TN_DTYPE_TEXT_BYTES];
      tn_diags_add(c->diags, "bad-dim", c->pos, NULL, "extent %u has type %s, expected int64", i,
                   tn_dtype_print(dim->dtype, text));
    } else if (dim->op == TN_OP_INT && dim->attr.i64 < 0) {
      tn_diags_add(c->diags, "bad-dim", c->pos, NULL, "extent %u is negative: %" PRId64, i,
                   dim->attr.i64);
    }
  }
}

static void check_type(checker *c, const tn_node *type) {
  if (type->op == TN_OP_TY_TENSOR && tn_dtype_is_handle(type->dtype)) {
    tn_diags_add(c->diags, "type-error", c->pos, NULL,
                 "a tensor's elements are numbers, and handle is an address");
  }
  if (type->op == TN_OP_TY_TENSOR || type->op == TN_OP_TY_SHAPE) {
    check_dims(c, type->in[0]);
  } else if (type->op == TN_OP_TY_TUPLE) {
    for (uint32_t i = 0; i < type->n_in; ++i) {
      check_type(c, type->in[i]);
    }
  }
}

/* ---- calls ---- */

static const tn_node *find_global(checker *c, const tn_node *global) {
  const tn_node *func = tn_module_find(c->module, global->attr.text);
  if (func != NULL) {
    return func;
  }
  TN_VEC(const char *) names = {0};
  for (uint32_t i = 0; i < c->module->n_funcs; ++i) {
    TN_VEC_PUSH(&names, c->module->funcs[i].name);
  }
  const char *near = tn_near_name(global->attr.text, names.data, names.len);
  char hint[256];
  if (near != NULL) {
    (void)snprintf(hint, sizeof hint, "did you mean '%.200s'?", near);
  }
  tn_diags_add(c->diags, "undefined-global", c->pos, near == NULL ? NULL : hint,
               "the module has no function '%s'", global->attr.text);
  TN_VEC_DEINIT(&names);
  return NULL;
}

static bool field_fits(tn_field_kind kind, const tn_node *value) {
  switch (kind) {
    case TN_FIELD_INT:
      return value->op == TN_OP_INT;
    case TN_FIELD_FLOAT:
      return value->op == TN_OP_FLOAT || value->op == TN_OP_INT;
    case TN_FIELD_BOOL:
      return value->op == TN_OP_INT && tn_dtype_is_bool(value->dtype);
    case TN_FIELD_STR:
      return value->op == TN_OP_STR;
    case TN_FIELD_DTYPE:
      return value->op == TN_OP_DTYPE || value->op == TN_OP_STR;
    case TN_FIELD_DICT:
      return value->op == TN_OP_DICT;
    case TN_FIELD_INTS:
      break;
    case TN_FIELD_INT_OR_INTS:
      if (value->op == TN_OP_INT) {
        return true;
      }
      break;
  }
  if (value->op != TN_OP_LIST) {
    return false;
  }
  for (uint32_t i = 0; i < value->n_in; ++i) {
    if (value->in[i]->op != TN_OP_INT) {
      return false;
    }
  }
  return true;
}

static void check_fields(checker *c, const tn_node *call) {
  const tn_op_def *op = tn_op_of(call);
  for (int32_t i = 0; i < op->n_fields; ++i) {
    const tn_node *value = tn_call_field(call, i);
    if (value != NULL && !field_fits(op->fields[i].kind, value)) {
      tn_diags_add(c->diags, "bad-field", c->pos, NULL,
                   "field '%s' of R.%s holds a wrong kind of value", op->fields[i].name,
                   op->def.name);
    }
  }
}

/* As the text has it: a buffer parameter goes by its buffer's name. */
static const char *param_name(const tn_node *prim, uint32_t i) {
  const tn_node *buffer = prim->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  return tn_is_none(buffer) ? prim->in[TN_PRIM_FUNC_PARAMS]->in[i]->attr.text : buffer->attr.text;
}

/* A tensor, shape or scalar against parameter `i` of the loop function. */
static void check_tir_arg(checker *c, const tn_node *prim, uint32_t i, const tn_node *type,
                          tn_map *syms) {
  const tn_node *buffer = prim->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  const char *param =
      (tn_is_none(buffer) ? prim->in[TN_PRIM_FUNC_PARAMS]->in[i] : buffer)->attr.text;
  if (type->op == TN_OP_TY_OBJECT) {
    return;
  }
  if (tn_is_none(buffer)) {
    if (type->op != TN_OP_TY_PRIM) {
      tn_diags_add(c->diags, "call-tir-arg", c->pos, NULL,
                   "parameter '%s' of %s is a scalar, the argument is none", param,
                   prim->attr.text);
    }
    return;
  }
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *want = tn_ty_tensor(c->infer.ir, buffer->dtype, -1, shape);
  tn_ty_bind(want, type, syms);
  const tn_node *bound = tn_ty_instantiate(c->infer.ir, want, syms);
  bool is_unsure = false;
  if (!tn_ty_is_subtype(c->infer.ir, type, bound, &is_unsure) && !is_unsure) {
    tn_buf what = TN_BUF_INIT;
    tn_buf_printf(&what, "the argument for parameter '%s' of %s", param, prim->attr.text);
    report_types(c, "call-tir-arg", tn_buf_text(&what), type, want, NULL);
    tn_buf_deinit(&what);
  }
}

typedef struct store_search {
  const tn_node *data;
  bool is_found;
} store_search;

static void find_store(const tn_node *n, void *ctx) {
  store_search *s = ctx;
  s->is_found = s->is_found ||
                (n->op == TN_OP_STORE && n->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA] == s->data);
}

/* A store is there for certain; what a view or a called function might do is not looked at: this is
 * to find mistakes, not to suspect them. */
static bool stores_to_param(const tn_ir *ir, const tn_node *prim, uint32_t i) {
  const tn_node *buffer = prim->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  if (tn_is_none(buffer)) {
    return false;
  }
  store_search s = {.data = buffer->in[TN_BUFFER_DATA]};
  tn_walk_once(ir, prim->in[TN_PRIM_FUNC_BODY], find_store, &s);
  return s.is_found;
}

/* What a pure call reads must stay as it is: others may look at it, and constants lie in memory
 * that cannot be written. */
static void check_not_written(checker *c, const tn_node *prim, uint32_t i, const char *why) {
  if (stores_to_param(c->infer.ir, prim, i)) {
    tn_diags_add(c->diags, "writes-input", c->pos, NULL, "%s writes to its parameter '%s', %s",
                 prim->attr.text, param_name(prim, i), why);
  }
}

static bool is_overwritten(const tn_node *call, uint32_t input) {
  const tn_node *indices =
      tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE) ? tn_call_field(call, 0) : NULL;
  for (uint32_t i = 0; indices != NULL && i < indices->n_in; ++i) {
    if (indices->in[i]->attr.i64 == (int64_t)input) {
      return true;
    }
  }
  return false;
}

/* A direct call may write to any argument but a constant. */
static void check_direct_call(checker *c, const tn_node *prim, const tn_node *args,
                              uint32_t first) {
  uint32_t n_params = prim->in[TN_PRIM_FUNC_PARAMS]->n_in;
  if (args->n_in - first != n_params) {
    tn_diags_add(c->diags, "call-tir-arity", c->pos, NULL,
                 "%s has %u parameters, the call gives %u arguments", prim->attr.text, n_params,
                 args->n_in - first);
    return;
  }
  for (uint32_t i = 0; i < n_params; ++i) {
    if (args->in[first + i]->op == TN_OP_CONST) {
      check_not_written(c, prim, i, "which is a constant here");
    }
  }
}

static bool is_fresh_output(const tn_node *call, uint32_t i) {
  if (!tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE)) {
    return true;
  }
  const tn_node *indices = tn_call_field(call, 0);
  return indices == NULL || i >= indices->n_in || indices->in[i]->attr.i64 < 0;
}

/* False when something was reported. */
static bool check_inplace(checker *c, const tn_node *call) {
  const tn_node *indices = tn_call_field(call, 0);
  const tn_node *types = call->in[TN_CALL_TYPES];
  uint32_t n_inputs = tn_call_arg(call, 1)->n_in;
  if (indices == NULL || indices->op != TN_OP_LIST || indices->n_in != types->n_in) {
    tn_diags_add(c->diags, "bad-field", c->pos, NULL,
                 "inplace_indices needs one entry for each of the %u outputs", types->n_in);
    return false;
  }
  bool is_ok = true;
  for (uint32_t i = 0; i < indices->n_in; ++i) {
    int64_t at = indices->in[i]->attr.i64;
    if (at < -1 || at >= (int64_t)n_inputs) {
      tn_diags_add(c->diags, "bad-field", c->pos, NULL,
                   "inplace_indices holds %" PRId64 ", there are %u inputs", at, n_inputs);
      is_ok = false;
    }
  }
  return is_ok;
}

/* inputs, fresh outputs, then tir_vars: as the loop function has its parameters. Called only when
 * the call's own form is right (inference succeeded). */
static void check_call_tir(checker *c, const tn_node *call, const tn_node *prim) {
  const tn_node *inputs = tn_call_arg(call, 1);
  const tn_node *types = call->in[TN_CALL_TYPES];
  uint32_t n_vars = call->in[TN_CALL_ARGS]->n_in == 3 ? tn_call_arg(call, 2)->n_in : 0;
  if (tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE) && !check_inplace(c, call)) {
    return;
  }
  uint32_t n_outputs = 0;
  for (uint32_t i = 0; i < types->n_in; ++i) {
    n_outputs += is_fresh_output(call, i) ? 1 : 0;
  }
  uint32_t n_params = prim->in[TN_PRIM_FUNC_PARAMS]->n_in;
  if (inputs->n_in + n_outputs + n_vars != n_params) {
    tn_diags_add(c->diags, "call-tir-arity", c->pos, NULL,
                 "%s has %u parameters, the call gives %u inputs, %u outputs and %u tir_vars",
                 prim->attr.text, n_params, inputs->n_in, n_outputs, n_vars);
    return;
  }
  tn_map syms = {0};
  uint32_t at = 0;
  for (uint32_t i = 0; i < inputs->n_in; ++i, ++at) {
    const tn_node *type = NULL;
    tn_status st = tn_graph_infer(&c->infer, inputs->in[i], &type);
    if (st == NULL) {
      check_tir_arg(c, prim, at, type, &syms);
    }
    if (!is_overwritten(call, i)) {
      check_not_written(c, prim, at, "which is an input of the call");
    }
    tn_status_free(st); /* reported where the input itself is checked */
  }
  for (uint32_t i = 0; i < types->n_in; ++i) {
    if (is_fresh_output(call, i)) {
      check_tir_arg(c, prim, at++, types->in[i], &syms);
    }
  }
  tn_map_deinit(&syms);
}

/* ---- expressions ---- */

static void check_atoms(checker *c, const tn_node *list, bool is_tuple_ok) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    const tn_node *arg = list->in[i];
    if (is_tuple_ok && arg->op == TN_OP_TUPLE) {
      check_atoms(c, arg, false);
    } else if (!tn_is_atom(arg)) {
      tn_diags_add(c->diags, "not-normal", c->pos, NULL,
                   "argument %u is %s, expected a variable or constant", i,
                   tn_op_info_get((tn_op)arg->op)->text);
    }
  }
}

static void check_normal(checker *c, const tn_node *expr) {
  switch ((int)expr->op) {
    case TN_OP_CALL:
      check_atoms(c, expr->in[TN_CALL_ARGS], true);
      break;
    case TN_OP_INVOKE:
      check_atoms(c, expr->in[TN_INVOKE_ARGS], false);
      break;
    case TN_OP_TUPLE:
    case TN_OP_GET:
      check_atoms(c, expr, false);
      break;
    default:
      break;
  }
}

static bool check_expr(checker *c, const tn_node *expr);

static bool check_children(checker *c, const tn_node *list) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n_in; ++i) {
    is_ok = check_expr(c, list->in[i]) && is_ok;
  }
  return is_ok;
}

/* The callee of a call_tir must be a loop function. Returns false when something was reported. */
static bool check_callee(checker *c, const tn_node *call) {
  const tn_node *callee = tn_call_arg(call, 0);
  if (callee->op != TN_OP_GLOBAL) {
    return true; /* inference refuses what is neither */
  }
  const tn_node *func = tn_module_find(c->module, callee->attr.text);
  if (func == NULL || func->op == TN_OP_PRIM_FUNC) {
    return true; /* unknown names are reported as arguments */
  }
  tn_diags_add(c->diags, "wrong-callee", c->pos, NULL,
               "R.%s calls a loop function, '%s' is a graph function", call->attr.def->name,
               callee->attr.text);
  return false;
}

static const tn_node *called_kernel(const checker *c, const tn_node *callee) {
  const tn_node *func =
      callee->op == TN_OP_GLOBAL ? tn_module_find(c->module, callee->attr.text) : NULL;
  return func != NULL && func->op == TN_OP_PRIM_FUNC ? func : NULL;
}

static bool check_call(checker *c, const tn_node *expr) {
  check_fields(c, expr);
  bool is_ok = check_children(c, expr->in[TN_CALL_ARGS]);
  if ((tn_op_of(expr)->flags & TN_OPD_DPS) != 0 && expr->in[TN_CALL_ARGS]->n_in >= 2) {
    is_ok = check_callee(c, expr) && is_ok;
  }
  if (!is_ok) {
    return false;
  }
  const tn_node *type = NULL;
  tn_status st = tn_graph_infer(&c->infer, expr, &type);
  if (st != NULL) {
    report(c, "bad-call", st);
    return false;
  }
  if ((tn_op_of(expr)->flags & TN_OPD_DPS) != 0 && tn_call_arg(expr, 0)->op == TN_OP_GLOBAL) {
    check_call_tir(c, expr, tn_module_find(c->module, tn_call_arg(expr, 0)->attr.text));
  }
  const tn_node *prim =
      tn_is_builtin(expr, TN_BUILTIN_VM_CALL_DPS) ? called_kernel(c, tn_call_arg(expr, 0)) : NULL;
  if (prim != NULL) {
    check_direct_call(c, prim, expr->in[TN_CALL_ARGS], 1);
  }
  return true;
}

/* False when the expression is wrong and was reported. */
static bool check_expr(checker *c, const tn_node *expr) {
  tn_status st = NULL;
  const tn_node *type = NULL;
  switch ((int)expr->op) {
    case TN_OP_GLOBAL:
      return find_global(c, expr) != NULL;
    case TN_OP_CALL:
      return check_call(c, expr);
    case TN_OP_INVOKE:
      if (!check_expr(c, expr->in[TN_INVOKE_CALLEE]) ||
          !check_children(c, expr->in[TN_INVOKE_ARGS])) {
        return false;
      }
      if (called_kernel(c, expr->in[TN_INVOKE_CALLEE]) != NULL) {
        check_direct_call(c, called_kernel(c, expr->in[TN_INVOKE_CALLEE]), expr->in[TN_INVOKE_ARGS],
                          0);
      }
      break;
    case TN_OP_TUPLE:
    case TN_OP_GET:
      if (!check_children(c, expr)) {
        return false;
      }
      break;
    case TN_OP_GFUNC: {
      checker inner = *c;
      inner.is_dataflow = false;
      inner.func = expr;
      check_func(&inner, expr);
      return true;
    }
    case TN_OP_GVAR:
      return !tn_is_none(expr->in[0]); /* its binding was reported */
    default:
      break;
  }
  st = tn_graph_infer(&c->infer, expr, &type);
  if (st != NULL) {
    report(c, "bad-call", st);
    return false;
  }
  return true;
}

static void check_effects(checker *c, const tn_node *expr) {
  if (tn_expr_is_pure(c->module, expr)) {
    return;
  }
  if (c->is_dataflow) {
    tn_diags_add(
        c->diags, "dataflow-impure", c->pos, NULL,
        "an impure call stands in a dataflow block; its effect would have no place in order");
  } else if (c->func->in[TN_GFUNC_IS_PURE]->attr.i64 != 0 && !tn_gfunc_is_lowered(c->func)) {
    tn_diags_add(c->diags, "impure-in-pure", c->pos, "declare it with pure=False",
                 "function '%s' is pure and makes an impure call", c->func->attr.text);
  }
}

/* Checks an expression and, when it is right, gives its type; else NULL. */
static const tn_node *check_value(checker *c, const tn_node *expr) {
  if (!check_expr(c, expr)) {
    return NULL;
  }
  check_effects(c, expr);
  if (c->is_normal) {
    check_normal(c, expr);
  }
  const tn_node *type = NULL;
  tn_status st = tn_graph_infer(&c->infer, expr, &type);
  tn_status_free(st); /* only of a local function without a result, which was reported */
  return type;
}

/* ---- statements ---- */

static void check_result(checker *c, const tn_node *value, const char *id, const char *what,
                         const tn_node *declared) {
  const tn_node *type = check_value(c, value);
  if (c->is_normal && !tn_is_atom(value)) {
    tn_diags_add(c->diags, "not-normal", c->pos, NULL, "%s is %s, expected a variable or constant",
                 what, tn_op_info_get((tn_op)value->op)->text);
  }
  if (type != NULL) {
    check_declared(c, id, what, type, declared);
  }
}

static void check_cond(checker *c, const tn_node *cond) {
  const tn_node *type = check_value(c, cond);
  if (type == NULL || type->op == TN_OP_TY_OBJECT) {
    return;
  }
  bool is_ok = type->op == TN_OP_TY_PRIM && tn_dtype_is_bool(type->dtype);
  if (type->op == TN_OP_TY_TENSOR) {
    is_ok = (type->dtype == TN_DT_BOOL || type->dtype == TN_DT_NONE) && type->attr.i64 <= 0;
  }
  if (!is_ok) {
    tn_buf text = TN_BUF_INIT;
    tn_ty_print(type, &text);
    tn_diags_add(c->diags, "bad-condition", c->pos, NULL,
                 "the condition has type %s, expected a bool scalar", tn_buf_text(&text));
    tn_buf_deinit(&text);
  }
}

static void check_branch(checker *c, const tn_node *body, const tn_node *declared) {
  tn_pos pos = c->pos;
  check_body(c, body, TN_OP_YIELD);
  const tn_node *last = tn_body_last(body);
  if (last != NULL && last->op == TN_OP_YIELD) {
    check_result(c, last->in[0], "type-mismatch", "the value of the branch", declared);
  }
  c->pos = pos;
}

static void check_dataflow(checker *c, const tn_node *stmt) {
  const tn_node *body = stmt->in[TN_DATAFLOW_BODY];
  const tn_node *outputs = stmt->in[TN_DATAFLOW_OUTPUTS];
  tn_map bound = {0};
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *s = tn_body_at(body, i);
    if (s->op == TN_OP_GBIND || s->op == TN_OP_MATCH_CAST) {
      tn_map_set(&bound, s->in[TN_BIND_VAR]->id, 1);
    } else {
      tn_diags_add(c->diags, "dataflow-statement", tn_ir_pos(c->infer.ir, s), NULL,
                   "a dataflow block holds bindings only, found %s",
                   tn_op_info_get((tn_op)s->op)->text);
    }
  }
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    if (!tn_map_find(&bound, outputs->in[i]->id, NULL)) {
      tn_diags_add(c->diags, "dataflow-output", c->pos, NULL,
                   "'%s' is an output of a dataflow block that does not bind it",
                   outputs->in[i]->attr.text);
    }
  }
  tn_map_deinit(&bound);
  bool was_dataflow = c->is_dataflow;
  c->is_dataflow = true;
  check_body(c, body, TN_OP_NONE);
  c->is_dataflow = was_dataflow;
}

static void check_bind(checker *c, const tn_node *stmt) {
  const tn_node *var = stmt->in[TN_BIND_VAR];
  const tn_node *type = check_value(c, stmt->in[TN_BIND_VALUE]);
  check_type(c, var->in[0]);
  if (type != NULL) {
    tn_buf what = TN_BUF_INIT;
    tn_buf_printf(&what, "the value of '%s'", var->attr.text);
    check_declared(c, "type-mismatch", tn_buf_text(&what), type, var->in[0]);
    tn_buf_deinit(&what);
  }
}

/* match_cast is checked when it runs; what can never hold is refused here. */
static void check_match_cast(checker *c, const tn_node *stmt) {
  const tn_node *want = stmt->in[TN_MATCH_CAST_TYPE];
  const tn_node *type = check_value(c, stmt->in[TN_MATCH_CAST_VALUE]);
  check_type(c, want);
  if (type == NULL) {
    return;
  }
  tn_map syms = {0};
  tn_ty_bind(want, type, &syms);
  const tn_node *bound = tn_ty_instantiate(c->infer.ir, want, &syms);
  tn_map_deinit(&syms);
  bool is_unsure = false;
  if (!tn_ty_is_subtype(c->infer.ir, type, bound, &is_unsure) && !is_unsure) {
    report_types(c, "type-mismatch", "the value of match_cast", type, want, NULL);
  }
}

static void check_stmt(checker *c, const tn_node *stmt) {
  tn_pos pos = tn_ir_pos(c->infer.ir, stmt);
  if (pos.line != 0) {
    c->pos = pos;
  }
  switch ((int)stmt->op) {
    case TN_OP_GBIND:
      check_bind(c, stmt);
      break;
    case TN_OP_MATCH_CAST:
      check_match_cast(c, stmt);
      break;
    case TN_OP_DATAFLOW:
      check_dataflow(c, stmt);
      break;
    case TN_OP_GIF:
      check_cond(c, stmt->in[TN_GIF_COND]);
      check_branch(c, stmt->in[TN_GIF_THEN], stmt->in[TN_GIF_VAR]->in[0]);
      check_branch(c, stmt->in[TN_GIF_ELSE], stmt->in[TN_GIF_VAR]->in[0]);
      break;
    case TN_OP_RETURN:
      if (tn_is_none(stmt->in[0])) {
        tn_diags_add(c->diags, "missing-return", c->pos, NULL,
                     "function '%s' returns without a value", c->func->attr.text);
        return;
      }
      check_result(c, stmt->in[0], "return-type", "the result", c->func->in[TN_GFUNC_RET]);
      break;
    case TN_OP_YIELD:
      break; /* checked by its branch */
    default:
      tn_diags_add(c->diags, "misplaced-statement", c->pos, NULL,
                   "'%s' does not belong in a graph function",
                   tn_op_info_get((tn_op)stmt->op)->text);
      break;
  }
}

/* last: what the body must end in, NONE for a dataflow block. */
static void check_body(checker *c, const tn_node *body, tn_op last) {
  uint32_t n = tn_body_n(body);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    bool is_end = stmt->op == TN_OP_RETURN || stmt->op == TN_OP_YIELD;
    if (is_end && (i + 1 < n || stmt->op != last) && !c->is_dataflow) {
      tn_diags_add(c->diags, "misplaced-statement", tn_ir_pos(c->infer.ir, stmt), NULL,
                   "'%s' must be the last statement of its body",
                   tn_op_info_get((tn_op)stmt->op)->text);
      continue;
    }
    if (is_end && c->is_dataflow) {
      continue; /* reported by the block */
    }
    check_stmt(c, stmt);
  }
  const tn_node *end = tn_body_last(body);
  if (last != TN_OP_NONE && (end == NULL || end->op != last)) {
    tn_diags_add(c->diags, last == TN_OP_RETURN ? "missing-return" : "missing-yield", c->pos, NULL,
                 last == TN_OP_RETURN ? "function '%s' does not end in a return"
                                      : "a branch of an if in '%s' gives no value",
                 c->func->attr.text);
  }
}

static void check_func(checker *c, const tn_node *func) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_pos pos = tn_ir_pos(c->infer.ir, func);
  if (pos.line != 0) {
    c->pos = pos;
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    check_type(c, params->in[i]->in[0]);
  }
  check_type(c, func->in[TN_GFUNC_RET]);
  check_body(c, func->in[TN_GFUNC_BODY], TN_OP_RETURN);
}

void tn_graph_verify(const tn_module *module, const tn_node *func, bool is_normal,
                     tn_diags *diags) {
  int32_t n_before = diags->n + diags->n_dropped;
  tn_ir_verify_func(module->ir, func, diags);
  if (diags->n + diags->n_dropped > n_before) {
    return; /* with scopes broken, what follows would only repeat it */
  }
  checker c = {.module = module,
               .func = func,
               .infer = {.ir = module->ir, .module = module},
               .diags = diags,
               .is_normal = is_normal};
  check_func(&c, func);
}

void tn_module_verify(const tn_module *module, tn_diags *diags) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const tn_node *func = module->funcs[i].func;
    if (func->op == TN_OP_GFUNC) {
      tn_graph_verify(module, func, false, diags);
    } else if (func->op == TN_OP_PRIM_FUNC) {
      int32_t n_before = diags->n + diags->n_dropped;
      tn_tir_verify(module->ir, func, diags);
      if (diags->n + diags->n_dropped == n_before) {
        tn_tir_verify_calls(module, func, diags);
      }
    }
  }
}
