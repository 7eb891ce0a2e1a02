/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements of the loop level: bodies, branches, the small ones. A statement with an error is left
 * out, its names are defined as errors, and reading goes on. */
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

/* "m", or ("RuntimeError", ["m", "n"]) as 2026 prints it. NULL, reported. */
static const char *read_message(tn_reader *r, const tn_ast *ast) {
  if (ast == NULL) {
    return "";
  }
  tn_val v = tn_read_val(r, ast);
  bool is_pair = v.kind == TN_VAL_LIST && v.n == 2 && v.items[0].kind == TN_VAL_STR &&
                 v.items[1].kind == TN_VAL_LIST;
  if (!is_pair) {
    return tn_to_str(r, ast, v);
  }
  tn_buf text = TN_BUF_INIT;
  const char *out = "";
  for (uint32_t i = 0; i < v.items[1].n && out != NULL; ++i) {
    out = tn_to_str(r, ast, v.items[1].items[i]);
    tn_buf_puts(&text, out == NULL ? "" : out);
  }
  out = out == NULL ? NULL : tn_ir_text(r->ir, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return out;
}

void tn_add_assert(tn_reader *r, const tn_ast *stmt, const tn_ast *cond_ast,
                   const tn_ast *message_ast) {
  const tn_node *cond = tn_read_cond(r, cond_ast);
  const char *message = read_message(r, message_ast);
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
    if (tn_dtype_is_handle(value->dtype)) {
      tn_read_fail(r, value_ast, "type-mismatch", NULL, "a function cannot return a handle");
      return;
    }
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
    (void)tn_expand_macro(r, value, macro);
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
    case TN_AST_ANNOTATE:
    case TN_AST_AUGMENT:
      tn_read_assign(r, stmt);
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
