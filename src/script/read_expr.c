/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions of both levels: literals, names, operators, subscripts, attributes, calls. What an
 * operator means is decided by its sides: two Python numbers are folded as Python does, a graph
 * value makes a graph operator, everything else is typed by tir. Recursion follows the syntax tree,
 * whose depth the parser has bounded. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

/* ---- leaves ---- */

static const char *gone_hint(const tn_reader *r, const char *name) {
  uint64_t kind = 0;
  if (!tn_map_find(&r->scopes.gone, (uint64_t)(uintptr_t)name, &kind)) {
    return NULL;
  }
  return kind == TN_FRAME_DATAFLOW
             ? "it belongs to a dataflow block: name it in R.output(...) to use it afterwards"
             : "it belongs to a branch: only the variable that both branches end with lives on";
}

static const tn_node *global_of(tn_reader *r, const char *name) {
  tn_attr attr = {.text = tn_ir_text(r->ir, name)};
  return tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE, attr, 0, NULL);
}

tn_val tn_read_name(tn_reader *r, const tn_ast *ast) {
  const tn_binding *binding = tn_scopes_find(&r->scopes, ast->text);
  if (binding != NULL && binding->val.kind == TN_VAL_CELL) {
    return tn_read_cell(r, ast, binding->val.node);
  }
  if (binding != NULL) {
    return binding->val;
  }
  if (r->class_name != NULL && strcmp(ast->text, r->class_name) == 0) {
    return (tn_val){.kind = TN_VAL_MODULE};
  }
  tn_val given;
  if (tn_find_define(r, ast, &given)) {
    return given;
  }
  if (tn_is_foreign(r, ast->text)) {
    return tn_read_fail(r, ast, "needs-python", "write its value into the text, or give it by -D",
                        "'%s' comes from an import, and this text is read without Python",
                        ast->text);
  }
  const char *why = gone_hint(r, ast->text);
  if (why != NULL) {
    return tn_read_fail(r, ast, "out-of-scope", why, "'%s' is not visible here", ast->text);
  }
  if (tn_strmap_has(&r->funcs, ast->text)) { /* f for cls.f */
    return tn_val_node(global_of(r, ast->text));
  }
  char *hint = tn_near_visible(r, ast->text);
  hint = hint != NULL ? hint : tn_near_define(r, ast->text);
  tn_buf define = TN_BUF_INIT;
  tn_buf_printf(&define, "-D %s=VALUE gives it a value from outside", ast->text);
  tn_val v = tn_read_fail(r, ast, "undefined-name",
                          hint != NULL           ? hint
                          : r->name_hint != NULL ? r->name_hint
                                                 : tn_buf_text(&define),
                          "undefined name '%s'", ast->text);
  tn_buf_deinit(&define);
  free(hint);
  tn_scopes_set(&r->scopes, ast->text, v); /* told once */
  return v;
}

static tn_val read_int(const tn_ast *ast) {
  if (ast->u64 > INT64_MAX) {
    return (tn_val){.kind = TN_VAL_UINT, .u64 = ast->u64};
  }
  return (tn_val){.kind = TN_VAL_INT, .i64 = (int64_t)ast->u64};
}

static tn_val read_items(tn_reader *r, const tn_ast *ast, tn_val_kind kind) {
  tn_val *items = TN_ARENA_ARRAY(&r->arena, tn_val, ast->n + 1);
  bool is_ok = true;
  for (uint32_t i = 0; i < ast->n; ++i) {
    items[i] = tn_read_val(r, ast->in[i]);
    is_ok = is_ok && !tn_val_is_error(items[i]);
    if (items[i].kind == TN_VAL_VOID) {
      return tn_read_fail(r, ast->in[i], "not-an-expression", NULL,
                          "expected a value, got a statement");
    }
  }
  return is_ok ? (tn_val){.kind = kind,
                          .is_tuple = ast->kind == TN_AST_TUPLE,
                          .n = ast->n,
                          .items = items}
               : tn_val_error();
}

/* ---- operators ---- */

static bool binary_op(tn_tok tok, tn_op *out) {
  static const struct {
    tn_tok tok;
    tn_op op;
  } rows[] = {
      {TN_TOK_PLUS, TN_OP_ADD},
      {TN_TOK_MINUS, TN_OP_SUB},
      {TN_TOK_STAR, TN_OP_MUL},
      {TN_TOK_SLASH, TN_OP_DIV},
      {TN_TOK_FLOORDIV, TN_OP_FLOORDIV},
      {TN_TOK_PERCENT, TN_OP_FLOORMOD},
      {TN_TOK_AMP, TN_OP_BAND},
      {TN_TOK_PIPE, TN_OP_BOR},
      {TN_TOK_CARET, TN_OP_BXOR},
      {TN_TOK_SHL, TN_OP_SHL},
      {TN_TOK_SHR, TN_OP_SHR},
      {TN_TOK_EQ, TN_OP_EQ},
      {TN_TOK_NE, TN_OP_NE},
      {TN_TOK_LT, TN_OP_LT},
      {TN_TOK_LE, TN_OP_LE},
      {TN_TOK_GT, TN_OP_GT},
      {TN_TOK_GE, TN_OP_GE},
      {TN_TOK_AND, TN_OP_AND},
      {TN_TOK_OR, TN_OP_OR},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (rows[i].tok == tok) {
      *out = rows[i].op;
      return true;
    }
  }
  return false;
}

/* Python's `a and b` on what is known now. */
static tn_val fold_boolop(tn_tok tok, tn_val a, tn_val b) {
  bool is_true = a.kind == TN_VAL_FLOAT ? a.f64 != 0 : a.u64 != 0;
  return (tok == TN_TOK_AND) == is_true ? b : a;
}

tn_val tn_apply_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b) {
  if (tn_val_is_error(a) || tn_val_is_error(b)) {
    return tn_val_error();
  }
  if (tn_val_is_number(a) && tn_val_is_number(b)) {
    return tok == TN_TOK_AND || tok == TN_TOK_OR ? fold_boolop(tok, a, b)
                                                 : tn_fold_binary(r, at, tok, a, b);
  }
  if (r->is_graph && (tn_is_graph_value(a) || tn_is_graph_value(b))) {
    return tn_graph_binary(r, at, tok, a, b);
  }
  tn_op op = TN_OP_ADD;
  if (!binary_op(tok, &op)) {
    return tn_read_fail(r, at, "unsupported", tok == TN_TOK_POW ? "write T.pow(a, b)" : NULL,
                        "not supported: operator '%s' between expressions", tn_tok_text(tok));
  }
  const tn_node *x = NULL;
  const tn_node *y = NULL;
  const tn_node *out = NULL;
  if (!tn_pair_exprs(r, at, a, b, &x, &y) ||
      !tn_read_ok(r, at, "type-mismatch", tn_tir_binary(r->ir, op, x, y, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

static tn_val read_unary(tn_reader *r, const tn_ast *ast) {
  tn_val a = tn_read_val(r, ast->in[0]);
  if (tn_val_is_error(a)) {
    return a;
  }
  if (tn_val_is_number(a)) {
    return tn_fold_unary(r, ast, ast->tok, a);
  }
  if (tn_is_graph_value(a)) {
    return tn_graph_unary(r, ast, ast->tok, a);
  }
  const tn_node *x = tn_to_expr(r, ast->in[0], a, TN_DT_NONE);
  if (x == NULL) {
    return tn_val_error();
  }
  if (ast->tok == TN_TOK_PLUS) {
    return tn_val_node(x);
  }
  tn_op op = ast->tok == TN_TOK_MINUS ? TN_OP_NEG : ast->tok == TN_TOK_NOT ? TN_OP_NOT : TN_OP_BNOT;
  const tn_node *out = NULL;
  return tn_read_ok(r, ast, "type-mismatch", tn_tir_unary(r->ir, op, x, &out)) ? tn_val_node(out)
                                                                               : tn_val_error();
}

/* Long chains group to the left: the left spine is walked in a loop, so that depth costs no stack.
 */
static tn_val read_binary(tn_reader *r, const tn_ast *ast) {
  TN_VEC(const tn_ast *) spine = {0};
  const tn_ast *left = ast;
  while (left->kind == TN_AST_BINARY || left->kind == TN_AST_COMPARE ||
         left->kind == TN_AST_BOOLOP) {
    TN_VEC_PUSH(&spine, left);
    left = left->in[0];
  }
  tn_val v = tn_read_val(r, left);
  while (spine.len > 0) {
    const tn_ast *op = TN_VEC_POP(&spine);
    r->n_conditions += op->kind == TN_AST_BOOLOP ? 1 : 0;
    tn_val b = tn_read_val(r, op->in[1]);
    r->n_conditions -= op->kind == TN_AST_BOOLOP ? 1 : 0;
    v = tn_apply_binary(r, op, op->tok, v, b);
  }
  TN_VEC_DEINIT(&spine);
  return v;
}

/* a if cond else b: decided now when cond is known, else lazily when run. */
static tn_val read_cond(tn_reader *r, const tn_ast *ast) {
  tn_val cond = tn_read_val(r, ast->in[1]);
  if (tn_val_is_error(cond)) {
    return cond;
  }
  if (tn_val_is_number(cond)) {
    return tn_read_val(r, ast->in[cond.u64 != 0 ? 0 : 2]);
  }
  const tn_node *c = tn_to_expr(r, ast->in[1], cond, TN_DT_NONE);
  r->n_conditions += 1;
  tn_val a = tn_read_val(r, ast->in[0]);
  tn_val b = tn_read_val(r, ast->in[2]);
  r->n_conditions -= 1;
  const tn_node *x = NULL;
  const tn_node *y = NULL;
  const tn_node *out = NULL;
  if (c == NULL || !tn_pair_exprs(r, ast, a, b, &x, &y) ||
      !tn_read_ok(r, ast, "type-mismatch",
                  tn_tir_select(r->ir, TN_OP_IF_THEN_ELSE, c, x, y, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

/* ---- subscripts and attributes ---- */

/* metadata["relax.expr.Constant"][3] */
static bool is_metadata(const tn_reader *r, const tn_ast *ast) {
  if (ast->kind != TN_AST_INDEX || ast->in[0]->kind != TN_AST_INDEX) {
    return false;
  }
  const tn_ast *name = ast->in[0]->in[0];
  return name->kind == TN_AST_NAME && strcmp(name->text, "metadata") == 0 &&
         tn_scopes_find(&r->scopes, name->text) == NULL;
}

/* From the text itself, else from the file beside it. False, reported. */
static bool load_constant(tn_reader *r, const tn_ast *ast, uint64_t index, tn_array *out) {
  const tn_ast *text = r->meta_ast;
  if (text != NULL && r->metadata == NULL && !r->is_metadata_bad) {
    r->is_metadata_bad = !tn_read_ok(
        r, text, "bad-metadata", tn_metadata_parse(text->text, strlen(text->text), &r->metadata));
  }
  if (text != NULL && index <= INT64_MAX) {
    return !r->is_metadata_bad &&
           tn_read_ok(r, ast, "bad-metadata",
                      tn_metadata_load(r->metadata, "relax.expr.Constant", (int64_t)index, out));
  }
  if (index > INT64_MAX || r->opts->find_const == NULL) {
    tn_read_fail(r, ast, "missing-constant", "print it with its metadata: show_meta=True",
                 "constant %" PRIu64
                 " is not in the text, and no file of constants stands beside it",
                 index);
    return false;
  }
  return tn_read_ok(r, ast, "missing-constant",
                    r->opts->find_const(r->opts->ctx, (int64_t)index, out));
}

static tn_val read_metadata(tn_reader *r, const tn_ast *ast) {
  const tn_ast *key = ast->in[0]->in[1];
  const tn_ast *at = ast->in[1];
  if (key->kind != TN_AST_STR || strcmp(key->text, "relax.expr.Constant") != 0 ||
      at->kind != TN_AST_INT || ast->n != 2) {
    return tn_read_fail(r, ast, "bad-metadata", NULL,
                        "expected metadata[\"relax.expr.Constant\"][index]");
  }
  uint64_t found = 0;
  if (tn_map_find(&r->consts, at->u64, &found)) {
    return tn_val_node((const tn_node *)(uintptr_t)found);
  }
  tn_array array = {0};
  if (!load_constant(r, ast, at->u64, &array)) {
    return tn_val_error();
  }
  const tn_node *node = tn_const_new(r->ir, &array);
  tn_map_set(&r->consts, at->u64, (uint64_t)(uintptr_t)node);
  return tn_val_node(node);
}

static tn_val index_list(tn_reader *r, const tn_ast *ast, tn_val base) {
  int64_t i = 0;
  if (ast->n != 2 || !tn_to_int(r, ast->in[1], tn_read_val(r, ast->in[1]), &i)) {
    return ast->n != 2 ? tn_read_fail(r, ast, "wrong-index-count", NULL, "a list takes one index")
                       : tn_val_error();
  }
  if (i < -(int64_t)base.n || i >= (int64_t)base.n) {
    return tn_read_fail(r, ast->in[1], "index-out-of-range", NULL,
                        "index %" PRId64 " of a list of %u", i, base.n);
  }
  return base.items[i < 0 ? i + (int64_t)base.n : i];
}

static bool is_same_key(tn_val a, tn_val b) {
  if (a.kind != b.kind) {
    return false;
  }
  return a.kind == TN_VAL_STR ? strcmp(a.text, b.text) == 0
                              : a.kind == TN_VAL_INT && a.i64 == b.i64;
}

/* CONFIG["n"] of a dictionary that the file gives a name. */
static tn_val index_dict(tn_reader *r, const tn_ast *ast, tn_val base) {
  tn_val key = ast->n == 2 ? tn_read_val(r, ast->in[1]) : tn_val_void();
  for (uint32_t i = 0; i + 1 < base.n; i += 2) {
    if (is_same_key(base.items[i], key)) {
      return base.items[i + 1];
    }
  }
  return tn_val_is_error(key)
             ? key
             : tn_read_fail(r, ast, "index-out-of-range", NULL, "the dictionary has no such key");
}

static bool has_graph_value(tn_val list) {
  for (uint32_t i = 0; i < list.n; ++i) {
    if (tn_is_graph_value(list.items[i])) {
      return true;
    }
  }
  return false;
}

static tn_val read_index(tn_reader *r, const tn_ast *ast) {
  if (is_metadata(r, ast)) {
    return read_metadata(r, ast);
  }
  tn_val base = tn_read_val(r, ast->in[0]);
  if (tn_val_is_error(base)) {
    return base;
  }
  if (tn_val_is_node(base, TN_OP_BUFFER)) {
    return tn_read_load(r, ast, base.node);
  }
  if (base.kind == TN_VAL_LIST && has_graph_value(base)) { /* (x, y)[1] is an item of a tuple */
    const tn_node *tuple = tn_to_graph(r, ast->in[0], base);
    return tuple == NULL ? tn_val_error() : tn_graph_index(r, ast, tn_val_node(tuple));
  }
  if (base.kind == TN_VAL_LIST) {
    return index_list(r, ast, base);
  }
  if (base.kind == TN_VAL_DICT) {
    return index_dict(r, ast, base);
  }
  if (tn_is_graph_value(base)) {
    return tn_graph_index(r, ast, base);
  }
  return tn_read_fail(r, ast, "not-a-buffer", NULL, "%s cannot be indexed: expected a buffer",
                      tn_val_what(base));
}

static tn_val read_module_member(tn_reader *r, const tn_ast *ast) {
  if (!tn_strmap_has(&r->funcs, ast->text)) {
    char *hint = tn_near_key(&r->funcs, ast->text);
    tn_val v = tn_read_fail(r, ast, "undefined-function", hint, "the module has no function '%s'",
                            ast->text);
    free(hint);
    return v;
  }
  return tn_val_node(global_of(r, ast->text));
}

/* What stands before a dot. */
static tn_val read_base(tn_reader *r, const tn_ast *ast) {
  const char *hint = r->name_hint;
  r->name_hint = hint != NULL || ast->kind != TN_AST_NAME
                     ? hint
                     : "Python's modules are not here; what a program may call is T.*, R.* and I.*";
  tn_val v = tn_read_val(r, ast);
  r->name_hint = hint;
  return v;
}

static tn_val read_attr(tn_reader *r, const tn_ast *ast) {
  const char *name = tn_dotted(r, ast);
  if (name != NULL) {
    if (tn_is_type_text(r, ast)) {
      const tn_node *type = tn_read_type(r, ast);
      return type == NULL ? tn_val_error() : tn_val_node(type);
    }
    tn_dtype dtype = TN_DT_NONE;
    if (strncmp(name, "T.", 2) == 0 && tn_dtype_parse(name + 2, strlen(name + 2), &dtype)) {
      return tn_val_node(
          tn_node_new(r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL));
    }
    return tn_read_fail(r, ast, "not-an-expression", NULL,
                        "'%s' is no value here: did you mean to call it?", name);
  }
  tn_val base = read_base(r, ast->in[0]);
  if (tn_val_is_error(base)) {
    return base;
  }
  return base.kind == TN_VAL_MODULE ? read_module_member(r, ast) : tn_read_attribute(r, ast, base);
}

/* ---- calls ---- */

/* max(a, b) in a loop function is T.max(a, b). */
static char *hint_of_call(tn_reader *r, const char *name) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "T.%s", name);
  bool is_known = strchr(name, '.') == NULL && !r->is_graph &&
                  (tn_strmap_has(&r->calls, tn_buf_text(&text)) || tn_intrin_find(name) != NULL);
  if (!is_known) {
    tn_buf_deinit(&text);
    return tn_near_key(&r->calls, name);
  }
  tn_buf_clear(&text);
  tn_buf_printf(&text, "did you mean 'T.%s'?", name);
  return tn_buf_take(&text);
}

static tn_val unknown_call(tn_reader *r, const tn_ast *ast, const char *name) {
  char *hint = hint_of_call(r, name);
  tn_val v = tn_read_fail(r, ast->in[0], "unknown-function", hint, "unknown function '%s'", name);
  free(hint);
  return v;
}

/* Python's float("inf"), float("nan") and float(2), as constants are printed. */
static bool is_python_float(const tn_ast *ast) {
  return strcmp(ast->in[0]->text, "float") == 0 && ast->n == 2 &&
         (ast->in[1]->kind == TN_AST_STR || ast->in[1]->kind == TN_AST_INT ||
          ast->in[1]->kind == TN_AST_FLOAT);
}

static tn_val read_python_float(tn_reader *r, const tn_ast *ast) {
  const tn_ast *arg = ast->in[1];
  double value = arg->kind == TN_AST_INT ? (double)arg->u64 : arg->f64;
  if (arg->kind == TN_AST_STR) {
    char *end = NULL;
    value = strtod(arg->text, &end);
    if (end == arg->text || *end != '\0') {
      return tn_read_fail(r, arg, "bad-number", NULL, "'%s' is no number", arg->text);
    }
  }
  return (tn_val){.kind = TN_VAL_FLOAT, .f64 = value};
}

static tn_val read_named_call(tn_reader *r, const tn_call *call, const char *name) {
  const tn_ast *ast = call->ast;
  if (call->row != NULL) {
    uint32_t level = r->is_graph ? TN_USE_GRAPH : TN_USE_TIR;
    if ((call->row->uses & (TN_USE_GRAPH | TN_USE_TIR)) != 0 && (call->row->uses & level) == 0) {
      return tn_read_fail(r, ast->in[0], "wrong-level", NULL, "'%s' belongs in %s", name,
                          r->is_graph ? "a @T.prim_func" : "a @R.function");
    }
    return call->row->fn(r, call);
  }
  if (tn_is_type_text(r, ast)) {
    const tn_node *type = tn_read_type(r, ast);
    return type == NULL ? tn_val_error() : tn_val_node(type);
  }
  if (strncmp(name, "T.", 2) == 0) {
    return tn_read_tir_named(r, call, name);
  }
  if (strncmp(name, "R.", 2) == 0 && r->is_graph) {
    return tn_read_operator(r, call, name);
  }
  return unknown_call(r, ast, name);
}

static tn_val call_value(tn_reader *r, const tn_ast *ast, tn_val callee) {
  if (tn_val_is_error(callee)) {
    return callee;
  }
  if (callee.kind == TN_VAL_MACRO && r->is_graph) {
    return tn_expand_macro(r, ast, callee.macro);
  }
  if (callee.kind == TN_VAL_MACRO) {
    return tn_read_fail(r, ast, "wrong-place", NULL,
                        "a macro has no value: a call of it is a statement by itself");
  }
  bool is_callable = callee.kind == TN_VAL_NODE &&
                     (callee.node->op == TN_OP_GLOBAL || callee.node->op == TN_OP_GVAR ||
                      callee.node->op == TN_OP_EXTERN);
  if (is_callable && r->func_name == NULL) {
    return tn_read_fail(r, ast, "wrong-place", NULL, "a call belongs into a function");
  }
  if (is_callable && r->is_graph) {
    return tn_graph_invoke(r, ast, callee.node);
  }
  if (is_callable) {
    return tn_read_invoke(r, ast, callee.node);
  }
  return tn_read_fail(r, ast, "not-callable", NULL, "%s cannot be called", tn_val_what(callee));
}

static tn_val read_call(tn_reader *r, const tn_ast *ast, uint32_t n_names,
                        const tn_ast *const *names) {
  const char *name = NULL;
  tn_call call = {
      .ast = ast, .row = tn_find_call(r, ast, &name), .n_names = n_names, .names = names};
  if (name != NULL) {
    return read_named_call(r, &call, name);
  }
  const tn_ast *callee = ast->in[0];
  if (callee->kind == TN_AST_NAME && tn_scopes_find(&r->scopes, callee->text) == NULL &&
      !tn_strmap_has(&r->funcs, callee->text)) {
    if (is_python_float(ast)) {
      return read_python_float(r, ast);
    }
    return tn_is_foreign(r, callee->text) ? tn_read_name(r, callee)
                                          : unknown_call(r, ast, callee->text);
  }
  if (callee->kind == TN_AST_ATTR) {
    tn_val base = read_base(r, callee->in[0]);
    if (base.kind == TN_VAL_MODULE) {
      return call_value(r, ast, read_module_member(r, callee));
    }
    return tn_val_is_error(base) ? base : tn_read_method(r, ast, base);
  }
  return call_value(r, ast, tn_read_val(r, callee));
}

tn_val tn_read_rhs(tn_reader *r, const tn_ast *ast, uint32_t n_names, const tn_ast *const *names) {
  return ast->kind == TN_AST_CALL ? read_call(r, ast, n_names, names) : tn_read_val(r, ast);
}

/* Past its limit the arena keeps a small reserve: what is read from here on stays silent, and the
 * caller of the reader gets the one problem that counts. */
static bool has_memory(const tn_reader *r) {
  tn_status st = tn_ir_status(r->ir);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok;
}

tn_val tn_read_val(tn_reader *r, const tn_ast *ast) {
  if (!has_memory(r) || !tn_macro_step(r, ast)) {
    return tn_val_error();
  }
  tn_val more;
  if (r->read_more != NULL && r->read_more(r, ast, &more)) {
    return more;
  }
  switch (ast->kind) {
    case TN_AST_NAME:
      return tn_read_name(r, ast);
    case TN_AST_INT:
      return read_int(ast);
    case TN_AST_FLOAT:
      return (tn_val){.kind = TN_VAL_FLOAT, .f64 = ast->f64};
    case TN_AST_STR:
      return (tn_val){.kind = TN_VAL_STR, .text = ast->text};
    case TN_AST_BOOL:
      return (tn_val){.kind = TN_VAL_BOOL, .i64 = ast->tok == TN_TOK_TRUE};
    case TN_AST_NONE:
      return (tn_val){.kind = TN_VAL_NONE};
    case TN_AST_TUPLE:
    case TN_AST_LIST:
      return read_items(r, ast, TN_VAL_LIST);
    case TN_AST_DICT:
      return read_items(r, ast, TN_VAL_DICT);
    case TN_AST_ATTR:
      return read_attr(r, ast);
    case TN_AST_INDEX:
      return read_index(r, ast);
    case TN_AST_CALL:
      return read_call(r, ast, 0, NULL);
    case TN_AST_UNARY:
      return read_unary(r, ast);
    case TN_AST_BINARY:
    case TN_AST_COMPARE:
    case TN_AST_BOOLOP:
      return read_binary(r, ast);
    case TN_AST_COND:
      return read_cond(r, ast);
    case TN_AST_LAMBDA:
      return tn_read_fail(r, ast, "not-an-expression", NULL,
                          "a lambda stands only in T.comm_reducer and T.index_map");
    default:
      break;
  }
  return tn_read_fail(r, ast, "not-an-expression", NULL, "expected an expression");
}

const tn_node *tn_read_expr(tn_reader *r, const tn_ast *ast) {
  return tn_to_expr(r, ast, tn_read_val(r, ast), TN_DT_NONE);
}

const tn_node *tn_read_index(tn_reader *r, const tn_ast *ast) {
  return tn_to_index(r, ast, tn_read_val(r, ast));
}

const tn_node *tn_read_cond(tn_reader *r, const tn_ast *ast) {
  const tn_node *cond = tn_read_expr(r, ast);
  if (cond == NULL) {
    return NULL;
  }
  if (!tn_dtype_is_bool(cond->dtype)) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_read_fail(r, ast, "not-a-condition", NULL, "expected a condition, got %s",
                 cond->op == TN_OP_STR ? "a string" : tn_dtype_print(cond->dtype, text));
    return NULL;
  }
  return cond;
}
