/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements of the loop level: assignments in all their forms, loops, branches, `with`. A
 * statement with an error is left out, its names are defined as errors, and reading goes on. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

/* ---- bodies ---- */

void tn_body_deinit(tn_body *body) {
  TN_VEC_DEINIT(&body->stmts);
  TN_VEC_DEINIT(&body->wraps);
}

/* The statements from `start` on, which leave the body. */
static const tn_node *take_from(tn_reader *r, tn_body *body, size_t start) {
  uint32_t n = (uint32_t)(body->stmts.len - start);
  body->stmts.len = start;
  return tn_seq(r->ir, n, n == 0 ? NULL : body->stmts.data + start);
}

const tn_node *tn_finish_body(tn_reader *r, tn_body *body) {
  while (body->wraps.len > 0) {
    tn_wrap wrap = TN_VEC_POP(&body->wraps);
    const tn_node *in[3] = {wrap.a, wrap.b, take_from(r, body, wrap.start)};
    const tn_node *node =
        tn_node_new(r->ir, wrap.op, TN_DT_NONE, (tn_attr){.text = wrap.text}, 3, in);
    tn_ir_set_pos(r->ir, node, wrap.pos);
    TN_VEC_PUSH(&body->stmts, node);
  }
  return take_from(r, body, 0);
}

void tn_read_stmts(tn_reader *r, const tn_ast *suite) {
  for (uint32_t i = 0; i < suite->n; ++i) {
    tn_read_tir_stmt(r, suite->in[i]);
  }
}

const tn_node *tn_read_suite(tn_reader *r, const tn_ast *suite) {
  tn_body body = {0};
  tn_body *outer = r->body;
  r->body = &body;
  tn_read_stmts(r, suite);
  r->body = outer;
  const tn_node *node = tn_finish_body(r, &body);
  tn_body_deinit(&body);
  return node;
}

/* ---- assignments ---- */

/* Names of a target that could not be given a value, so that their uses stay silent. */
static void define_errors(tn_reader *r, const tn_ast *target) {
  if (target->kind == TN_AST_NAME && !tn_scopes_is_local(&r->scopes, target->text)) {
    tn_scopes_set(&r->scopes, target->text, tn_val_error());
  }
  for (uint32_t i = 0; target->kind == TN_AST_TUPLE && i < target->n; ++i) {
    define_errors(r, target->in[i]);
  }
}

/* Calls that make something which has a name; what they give is bound as it is. */
static bool is_named_value(const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_BUFFER:
    case TN_OP_REDUCER:
    case TN_OP_LAMBDA:
    case TN_OP_TARGET:
    case TN_OP_DTYPE:
      return true;
    default:
      return false;
  }
}

/* x = value: a BIND, unless the value is a thing of its own (a buffer, a new variable, an axis). */
static void bind_name(tn_reader *r, const tn_ast *stmt, const tn_ast *name, tn_val v,
                      bool is_new_var, tn_dtype dtype) {
  bool is_thing = v.kind == TN_VAL_LIST || v.kind == TN_VAL_DICT || v.kind == TN_VAL_MODULE ||
                  v.kind == TN_VAL_MACRO || (v.kind == TN_VAL_NODE && is_named_value(v.node)) ||
                  is_new_var;
  if (tn_val_is_error(v)) {
    define_errors(r, name);
    return;
  }
  bool is_void_call = tn_val_is_node(v, TN_OP_INVOKE) && v.node->dtype == TN_DT_NONE;
  if (v.kind == TN_VAL_VOID || v.kind == TN_VAL_NONE || is_void_call) {
    tn_read_fail(r, stmt, "not-an-expression", NULL, "'%s' is given no value", name->text);
    define_errors(r, name);
    return;
  }
  if (is_thing) {
    tn_define(r, name, v);
    return;
  }
  const tn_node *value = tn_to_expr(r, stmt, v, dtype);
  if (value != NULL && dtype != TN_DT_NONE &&
      !tn_read_ok(r, stmt, "type-mismatch", tn_tir_cast(r->ir, dtype, value, &value))) {
    value = NULL;
  }
  if (value == NULL) {
    define_errors(r, name);
    return;
  }
  const tn_node *var = tn_var_new(r->ir, name->text, value->dtype);
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  tn_define(r, name, tn_val_node(var));
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){0}, 2, in));
}

/* True for calls whose result is a variable made by them: T.int64(), T.axis.spatial(...). */
static bool makes_var(tn_reader *r, const tn_ast *value, tn_val v) {
  static const char *const makers[] = {"T.allocate",      "T.allocate_const", "T.env_thread",
                                       "T.launch_thread", "T.handle",         "T.meta_var"};
  const char *name = value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  if (name == NULL || !tn_val_is_node(v, TN_OP_VAR)) {
    return name != NULL && strcmp(name, "T.meta_var") == 0; /* stays what it is */
  }
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; ++i) {
    if (strcmp(name, makers[i]) == 0) {
      return true;
    }
  }
  tn_dtype dtype = TN_DT_NONE;
  bool is_type = tn_dtype_parse(name + 2, strlen(name + 2), &dtype);
  return strncmp(name, "T.axis.", 7) == 0 || (is_type && tn_n_positional(value) == 0);
}

static void store_value(tn_reader *r, const tn_ast *stmt, const tn_ast *target, tn_val v) {
  tn_val base = tn_read_val(r, target->in[0]);
  if (tn_val_is_error(base) || tn_val_is_error(v)) {
    return;
  }
  if (!tn_val_is_node(base, TN_OP_BUFFER)) {
    tn_read_fail(r, target, "not-a-buffer", NULL, "%s cannot be stored to: expected a buffer",
                 tn_val_what(base));
    return;
  }
  uint32_t n = 0;
  const tn_node *const *indices = tn_read_indices(r, target, base.node, &n);
  const tn_node *value =
      indices == NULL ? NULL : tn_to_expr(r, stmt, v, tn_dtype_elem(base.node->dtype));
  const tn_node *store = NULL;
  if (value != NULL &&
      tn_read_ok(r, target, "bad-access",
                 tn_tir_store(r->ir, base.node, value, n, indices, NULL, &store))) {
    tn_add_stmt(r, stmt, store);
  }
}

static void assign_one(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                       const tn_ast *value_ast, tn_val v, tn_dtype dtype) {
  if (target->kind == TN_AST_NAME) {
    bind_name(r, stmt, target, v, value_ast != NULL && makes_var(r, value_ast, v), dtype);
  } else if (target->kind == TN_AST_INDEX) {
    store_value(r, stmt, target, v);
  } else {
    tn_read_fail(r, target, "bad-target", NULL,
                 "expected a name or an element of a buffer on the left of '='");
  }
}

/* a, b = x, y and vi, vj = T.axis.remap(...) */
static void assign_many(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                        const tn_ast *value) {
  if (value->kind == TN_AST_TUPLE || value->kind == TN_AST_LIST) {
    if (value->n != target->n) {
      tn_read_fail(r, stmt, "wrong-target-count", NULL, "%u names for %u values", target->n,
                   value->n);
      define_errors(r, target);
      return;
    }
    for (uint32_t i = 0; i < target->n; ++i) {
      tn_val v = tn_read_rhs(r, value->in[i], 1, &target->in[i]);
      assign_one(r, stmt, target->in[i], value->in[i], v, TN_DT_NONE);
    }
    return;
  }
  tn_val v = tn_read_rhs(r, value, target->n, target->in);
  if (v.kind != TN_VAL_LIST || v.n != target->n) {
    if (!tn_val_is_error(v)) {
      tn_read_fail(r, stmt, "wrong-target-count", NULL, "%u names for %s", target->n,
                   v.kind == TN_VAL_LIST ? "another number of values" : tn_val_what(v));
    }
    define_errors(r, target);
    return;
  }
  for (uint32_t i = 0; i < target->n; ++i) {
    assign_one(r, stmt, target->in[i], value, v.items[i], TN_DT_NONE);
  }
}

static void read_assign(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_ast *value = stmt->in[1];
  if (target->kind == TN_AST_TUPLE || target->kind == TN_AST_LIST) {
    assign_many(r, stmt, target, value);
    return;
  }
  assign_one(r, stmt, target, value, tn_read_rhs(r, value, 1, &target), TN_DT_NONE);
}

/* The type of `x: T.float32 = e`; NONE for handles, whose values are never converted. */
static bool read_let_type(tn_reader *r, const tn_ast *annotation, tn_dtype *out) {
  bool has_args = annotation->kind == TN_AST_CALL || annotation->kind == TN_AST_INDEX;
  const char *name = tn_dotted(r, has_args ? annotation->in[0] : annotation);
  bool is_later = name != NULL && (annotation->kind == TN_AST_INDEX || strcmp(name, "T.let") == 0);
  if (is_later) {
    tn_read_fail(r, annotation, "unsupported", NULL,
                 "not supported yet: this annotation, of the spelling of 2026");
    return false;
  }
  bool is_handle = name != NULL && strcmp(name, "T.handle") == 0;
  if (!is_handle && !tn_read_dtype(r, annotation, out)) {
    return false;
  }
  if (is_handle || tn_dtype_is_handle(*out)) {
    *out = TN_DT_NONE;
  }
  return true;
}

static void read_annotated(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_ast *value = stmt->in[2];
  tn_dtype dtype = TN_DT_NONE;
  if (target->kind != TN_AST_NAME || value == NULL) {
    tn_read_fail(r, stmt, "bad-target", NULL, "expected 'name: T.type = value'");
    return;
  }
  if (!read_let_type(r, stmt->in[1], &dtype)) {
    define_errors(r, target);
    return;
  }
  tn_val v = tn_read_rhs(r, value, 1, &target);
  bind_name(r, stmt, target, v, makes_var(r, value, v), dtype);
}

static void read_augment(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  if (target->kind != TN_AST_INDEX) {
    tn_read_fail(r, target, "bad-target", NULL,
                 "only an element of a buffer can be changed, as in 'A[i] += x'");
    return;
  }
  tn_val old = tn_read_val(r, target);
  tn_val change = tn_read_val(r, stmt->in[1]);
  if (!tn_val_is_error(old) && !tn_val_is_error(change)) {
    store_value(r, stmt, target, tn_apply_binary(r, stmt, stmt->tok, old, change));
  }
}

/* ---- branches and the small ones ---- */

static const tn_node *read_scope(tn_reader *r, const tn_ast *suite) {
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  const tn_node *body = tn_read_suite(r, suite);
  tn_scopes_pop(&r->scopes);
  return body;
}

/* A condition that is known now chooses the branch now, as Python does. */
static bool read_known_if(tn_reader *r, const tn_ast *stmt, tn_val cond) {
  if (!tn_val_is_number(cond)) {
    return false;
  }
  const tn_ast *suite = stmt->in[cond.u64 != 0 ? TN_AST_IF_THEN : TN_AST_IF_ELSE];
  if (suite != NULL) {
    tn_read_stmts(r, suite);
  }
  return true;
}

static void read_if(tn_reader *r, const tn_ast *stmt) {
  tn_val v = tn_read_val(r, stmt->in[TN_AST_IF_COND]);
  if (read_known_if(r, stmt, v)) {
    return;
  }
  const tn_node *cond = tn_to_expr(r, stmt->in[TN_AST_IF_COND], v, TN_DT_NONE);
  if (cond != NULL && !tn_dtype_is_bool(cond->dtype)) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_read_fail(r, stmt->in[TN_AST_IF_COND], "not-a-condition", NULL,
                 "expected a condition, got %s", tn_dtype_print(cond->dtype, text));
  }
  r->n_conditions += 1;
  const tn_node *then = read_scope(r, stmt->in[TN_AST_IF_THEN]);
  const tn_node *orelse =
      stmt->in[TN_AST_IF_ELSE] == NULL ? tn_none(r->ir) : read_scope(r, stmt->in[TN_AST_IF_ELSE]);
  r->n_conditions -= 1;
  if (cond != NULL) {
    const tn_node *in[3] = {[TN_IF_COND] = cond, [TN_IF_THEN] = then, [TN_IF_ELSE] = orelse};
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_IF, TN_DT_NONE, (tn_attr){0}, 3, in));
  }
}

static void read_while(tn_reader *r, const tn_ast *stmt) {
  const tn_node *cond = tn_read_cond(r, stmt->in[0]);
  r->n_conditions += 1;
  const tn_node *body = read_scope(r, stmt->in[1]);
  r->n_conditions -= 1;
  if (cond != NULL) {
    const tn_node *in[2] = {[TN_WHILE_COND] = cond, [TN_WHILE_BODY] = body};
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_WHILE, TN_DT_NONE, (tn_attr){0}, 2, in));
  }
}

void tn_add_assert(tn_reader *r, const tn_ast *stmt, const tn_ast *cond_ast,
                   const tn_ast *message_ast) {
  const tn_node *cond = tn_read_cond(r, cond_ast);
  const char *message =
      message_ast == NULL ? "" : tn_to_str(r, message_ast, tn_read_val(r, message_ast));
  if (cond != NULL && message != NULL) {
    const tn_node *in[2] = {[TN_ASSERT_COND] = cond, [TN_ASSERT_MESSAGE] = tn_str(r->ir, message)};
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_ASSERT, TN_DT_NONE, (tn_attr){0}, 2, in));
  }
}

void tn_add_return(tn_reader *r, const tn_ast *stmt, const tn_ast *value_ast) {
  const tn_node *value = tn_to_expr(r, value_ast, tn_read_val(r, value_ast), r->ret_dtype);
  if (value == NULL) {
    return;
  }
  if (r->ret_dtype == TN_DT_NONE) {
    r->ret_dtype = value->dtype;
  }
  if (tn_read_ok(r, value_ast, "type-mismatch", tn_tir_cast(r->ir, r->ret_dtype, value, &value))) {
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &value));
  }
}

static void read_return(tn_reader *r, const tn_ast *stmt) {
  if (stmt->in[0] == NULL || stmt->in[0]->kind == TN_AST_NONE) {
    const tn_node *none = tn_none(r->ir);
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &none));
    return;
  }
  tn_add_return(r, stmt, stmt->in[0]);
}

/* A call as a statement: what gives nothing has done its work; an expression is evaluated. */
static void read_expr_stmt(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *value = stmt->in[0];
  if (value->kind == TN_AST_STR || value->kind == TN_AST_ELLIPSIS) {
    return; /* documentation */
  }
  tn_macro *macro = tn_called_macro(r, value);
  if (macro != NULL) {
    tn_expand_macro(r, value, macro);
    return;
  }
  tn_val v = tn_read_val(r, value);
  if (v.kind == TN_VAL_ERROR || v.kind == TN_VAL_VOID) {
    return;
  }
  if (!tn_val_is_node(v, TN_OP_INTRIN) && !tn_val_is_node(v, TN_OP_INVOKE)) {
    tn_read_fail(r, stmt, "no-effect", "write T.evaluate(...) to keep it",
                 "this expression does nothing");
    return;
  }
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_EVAL, TN_DT_NONE, (tn_attr){0}, 1, &v.node));
}

void tn_read_tir_stmt(tn_reader *r, const tn_ast *stmt) {
  switch (stmt->kind) {
    case TN_AST_ASSIGN:
      read_assign(r, stmt);
      return;
    case TN_AST_ANNOTATE:
      read_annotated(r, stmt);
      return;
    case TN_AST_AUGMENT:
      read_augment(r, stmt);
      return;
    case TN_AST_FOR:
      tn_read_for(r, stmt);
      return;
    case TN_AST_WHILE:
      read_while(r, stmt);
      return;
    case TN_AST_IF:
      read_if(r, stmt);
      return;
    case TN_AST_WITH:
      tn_read_with(r, stmt);
      return;
    case TN_AST_ASSERT:
      tn_add_assert(r, stmt, stmt->in[0], stmt->in[1]);
      return;
    case TN_AST_RETURN:
      read_return(r, stmt);
      return;
    case TN_AST_EXPR:
      read_expr_stmt(r, stmt);
      return;
    case TN_AST_PASS:
      return;
    case TN_AST_BREAK:
    case TN_AST_CONTINUE: {
      tn_op op = stmt->kind == TN_AST_BREAK ? TN_OP_BREAK : TN_OP_CONTINUE;
      tn_add_stmt(r, stmt, tn_node_new(r->ir, op, TN_DT_NONE, (tn_attr){0}, 0, NULL));
      return;
    }
    case TN_AST_DEF:
    case TN_AST_CLASS:
      tn_read_fail(r, stmt, "wrong-place", NULL, "a definition cannot stand in a @T.prim_func");
      return;
    case TN_AST_IMPORT:
      tn_read_fail(r, stmt, "wrong-place", NULL, "an import cannot stand in a function");
      return;
    default:
      tn_read_fail(r, stmt, "unsupported", NULL, "not supported: this statement in a @T.prim_func");
  }
}
