/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions of a Relay text as graph values. A call, a projection and a tuple that has a name
 * become bindings, in the order of the text; an atom that has a name is what the name stands for.
 * The branches of an if become bodies of their own. */
#include <stdarg.h>
#include <string.h>

#include "script/relay.h"

/* ---- problems ---- */

const tn_node *tn_relay_fail(tn_relay_reader *r, const tn_relay *at, const char *id,
                             const char *hint, const char *fmt, ...) {
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  tn_diags_add(r->diags, id, at->pos, hint, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return NULL;
}

bool tn_relay_ok(tn_relay_reader *r, const tn_relay *at, const char *id, tn_status st) {
  if (st == NULL) {
    return true;
  }
  (void)tn_relay_fail(r, at, id, NULL, "%s", tn_status_message(st));
  tn_status_free(st);
  return false;
}

/* ---- names, bindings ---- */

/* A name of the text as one of TVMScript: %0 is lv0, %a.b is a_b. */
const char *tn_relay_python_name(tn_relay_reader *r, const char *name) {
  static const char *const taken[] = {
      "and",   "as",     "assert", "break",  "class",   "continue", "def",      "del",
      "elif",  "else",   "except", "False",  "finally", "for",      "from",     "global",
      "if",    "import", "in",     "is",     "lambda",  "None",     "nonlocal", "not",
      "or",    "pass",   "raise",  "return", "True",    "try",      "while",    "with",
      "yield", "T",      "R",      "I",      "cls",     "async",    "await",    "metadata"};
  tn_buf text = TN_BUF_INIT;
  if (*name >= '0' && *name <= '9') {
    tn_buf_puts(&text, "lv");
  }
  for (const char *p = name; *p != '\0'; ++p) {
    bool is_word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                   (*p >= '0' && *p <= '9') || *p == '_';
    tn_buf_putc(&text, is_word ? *p : '_');
  }
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i) {
    if (strcmp(tn_buf_text(&text), taken[i]) == 0) {
      tn_buf_putc(&text, '_');
      break;
    }
  }
  const char *interned = tn_ir_text_n(r->ir, tn_buf_text(&text), text.len);
  tn_buf_deinit(&text);
  return interned;
}

const tn_node *tn_relay_infer(tn_relay_reader *r, const tn_relay *at, const tn_node *value) {
  const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
  const tn_node *type = NULL;
  return tn_relay_ok(r, at, "type-error", tn_graph_infer(&ctx, value, &type)) ? type : NULL;
}

const tn_node *tn_relay_new_var(tn_relay_reader *r, const tn_relay *at, const char *name,
                                const tn_node *type) {
  const tn_node *var =
      tn_node_new(r->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = name}, 1, &type);
  tn_ir_set_pos(r->ir, var, at->pos);
  return var;
}

void tn_relay_add_stmt(tn_relay_reader *r, const tn_relay *at, const tn_node *stmt) {
  tn_ir_set_pos(r->ir, stmt, at->pos);
  TN_VEC_PUSH(r->stmts, stmt);
}

static void bind_var(tn_relay_reader *r, const tn_relay *at, const tn_node *var,
                     const tn_node *value) {
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  tn_relay_add_stmt(r, at, tn_node_new(r->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in));
}

const tn_node *tn_relay_bind(tn_relay_reader *r, const tn_relay *at, const char *name,
                             const tn_node *value) {
  const tn_node *type = value == NULL ? NULL : tn_relay_infer(r, at, value);
  if (type == NULL) {
    return NULL;
  }
  if (value->op == TN_OP_GFUNC) { /* a function has the name of its variable */
    tn_attr attr = {.text = tn_ir_text(r->ir, name)};
    value = tn_node_new(r->ir, TN_OP_GFUNC, TN_DT_NONE, attr, value->n_in, value->in);
    tn_ir_set_pos(r->ir, value, at->pos);
  }
  const tn_node *var = tn_relay_new_var(r, at, tn_ir_text(r->ir, name), type);
  bind_var(r, at, var, value);
  return var;
}

bool tn_relay_is_atom(const tn_node *n) {
  return n->op == TN_OP_GVAR || n->op == TN_OP_CONST || n->op == TN_OP_GLOBAL;
}

const tn_node *tn_relay_atom(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node *value = tn_relay_expr(r, ast);
  return value == NULL || tn_relay_is_atom(value) ? value : tn_relay_bind(r, ast, "gv", value);
}

/* ---- leaves ---- */

const tn_node *tn_relay_number(tn_relay_reader *r, tn_dtype dtype, double f64, int64_t i64) {
  tn_array array = {0};
  tn_status st = tn_array_init(&array, dtype, 0, NULL);
  if (st != NULL) { /* no memory for one number: the ir's limit says the rest */
    tn_status_free(st);
    return NULL;
  }
  if (tn_dtype_is_float(dtype)) {
    tn_array_set_f64(&array, 0, f64);
  } else {
    tn_array_set_i64(&array, 0, i64);
  }
  return tn_const_new(r->ir, &array);
}

static const tn_node *read_local(tn_relay_reader *r, const tn_relay *ast) {
  const tn_binding *binding = tn_scopes_find(&r->scopes, ast->text);
  if (binding != NULL) {
    return binding->val.kind == TN_VAL_NODE ? binding->val.node : NULL; /* else reported already */
  }
  TN_VEC(const char *) names = {0};
  for (size_t i = 0; i < r->scopes.bindings.len; ++i) {
    TN_VEC_PUSH(&names, r->scopes.bindings.data[i].name);
  }
  char *hint = tn_near_of(ast->text, names.data, names.len);
  TN_VEC_DEINIT(&names);
  uint64_t kind = 0;
  bool is_gone = tn_map_find(&r->scopes.gone, (uint64_t)(uintptr_t)ast->text, &kind);
  if (is_gone) {
    (void)tn_relay_fail(r, ast, "out-of-scope", "name the value of the 'if' instead",
                        "'%%%s' was bound in a branch, which has ended", ast->text);
  } else {
    (void)tn_relay_fail(r, ast, "undefined-name", hint, "undefined name '%%%s'", ast->text);
  }
  free(hint);
  return NULL;
}

static const tn_node *read_global(tn_relay_reader *r, const tn_relay *ast) {
  const tn_relay *def = tn_strmap_find(&r->funcs, ast->text);
  if (def == NULL) {
    char *hint = tn_near_of(ast->text, (const char *const *)r->funcs.keys, r->funcs.len);
    (void)tn_relay_fail(r, ast, "undefined-function", hint, "the text defines no '@%s'", ast->text);
    free(hint);
    return NULL;
  }
  if (!tn_strmap_has(&r->made, ast->text)) {
    return tn_relay_fail(r, ast, "missing-annotation", NULL,
                         "'@%s' is used before its result is known: write its type, '-> ...'",
                         ast->text);
  }
  tn_attr attr = {.text = tn_relay_python_name(r, ast->text)};
  return tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE, attr, 0, NULL);
}

static const tn_node *read_get(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node *tuple = tn_relay_expr(r, ast->in[0]);
  if (tuple == NULL) {
    return NULL;
  }
  if (tuple->op == TN_OP_TUPLE && ast->i64 >= 0 && ast->i64 < (int64_t)tuple->n_in) {
    return tuple->in[ast->i64];
  }
  if (!tn_relay_is_atom(tuple)) {
    tuple = tn_relay_bind(r, ast->in[0], "gv", tuple);
  }
  if (tuple == NULL) {
    return NULL;
  }
  return tn_node_new(r->ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = ast->i64}, 1, &tuple);
}

static const tn_node *read_tuple(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node **items = TN_ARENA_ARRAY(&r->arena, const tn_node *, ast->n + 1);
  for (uint32_t i = 0; i < ast->n; ++i) {
    items[i] = tn_relay_atom(r, ast->in[i]);
    if (items[i] == NULL) {
      return NULL;
    }
  }
  return tn_node_new(r->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, ast->n, items);
}

/* ---- bodies ---- */

/* The value with what the text says about its type; NULL, reported, when it contradicts it. */
bool tn_relay_fits(tn_relay_reader *r, const tn_relay *at, const tn_node *value,
                   const tn_relay *annotation) {
  const tn_node *want = tn_relay_type(r, annotation, false);
  const tn_node *have = want == NULL ? NULL : tn_relay_infer(r, at, value);
  bool is_unsure = false;
  if (have == NULL) {
    return false;
  }
  if (have->op == TN_OP_TY_OBJECT || tn_ty_is_subtype(r->ir, have, want, &is_unsure) || is_unsure) {
    return true;
  }
  tn_buf have_text = TN_BUF_INIT;
  tn_buf want_text = TN_BUF_INIT;
  tn_ty_print(have, &have_text);
  tn_ty_print(want, &want_text);
  (void)tn_relay_fail(r, annotation, "type-mismatch", NULL, "the value has type %s, not %s",
                      tn_buf_text(&have_text), tn_buf_text(&want_text));
  tn_buf_deinit(&have_text);
  tn_buf_deinit(&want_text);
  return false;
}

static void read_let(tn_relay_reader *r, const tn_relay *let) {
  const tn_node *value = tn_relay_expr(r, let->in[0]);
  if (value != NULL && let->n > 1 && !tn_relay_fits(r, let, value, let->in[1])) {
    value = NULL;
  }
  if (value != NULL && !tn_relay_is_atom(value)) {
    value = tn_relay_bind(r, let, tn_relay_python_name(r, let->text), value);
  }
  tn_scopes_set(&r->scopes, let->text, value == NULL ? tn_val_error() : tn_val_node(value));
}

/* The bindings go to r->stmts; the names stay in the scope that is open. */
const tn_node *tn_relay_body(tn_relay_reader *r, const tn_relay *body) {
  for (uint32_t i = 0; i + 1 < body->n; ++i) {
    read_let(r, body->in[i]);
  }
  return tn_relay_expr(r, body->in[body->n - 1]);
}

static const tn_node *read_inner_body(tn_relay_reader *r, const tn_relay *body) {
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  const tn_node *value = tn_relay_body(r, body);
  tn_scopes_pop(&r->scopes);
  return value;
}

const tn_node *tn_relay_end_body(tn_relay_reader *r, const tn_relay *at, tn_op op,
                                 const tn_node *value) {
  const tn_node *stmt = tn_node_new(r->ir, op, TN_DT_NONE, (tn_attr){0}, 1, &value);
  tn_relay_add_stmt(r, at, stmt);
  return tn_seq(r->ir, (uint32_t)r->stmts->len, r->stmts->data);
}

/* ---- if ---- */

static const tn_node *read_branch(tn_relay_reader *r, const tn_relay *ast,
                                  const tn_node **out_type) {
  tn_node_vec stmts = {0};
  tn_node_vec *outer = r->stmts;
  const tn_node *body = NULL;
  r->stmts = &stmts;
  tn_scopes_push(&r->scopes, TN_FRAME_BRANCH);
  const tn_node *value = ast->kind == TN_RELAY_BODY ? tn_relay_body(r, ast) : tn_relay_expr(r, ast);
  tn_scopes_pop(&r->scopes);
  if (value != NULL && !tn_relay_is_atom(value)) {
    value = tn_relay_bind(r, ast, "gv", value);
  }
  *out_type = value == NULL ? NULL : tn_relay_infer(r, ast, value);
  if (*out_type != NULL) {
    body = tn_relay_end_body(r, ast, TN_OP_YIELD, value);
  }
  r->stmts = outer;
  TN_VEC_DEINIT(&stmts);
  return body;
}

/* A type that holds the values of both; NULL, reported, when they are of different kinds. */
static const tn_node *common_type(tn_relay_reader *r, const tn_relay *at, const tn_node *a,
                                  const tn_node *b) {
  bool is_unsure = false;
  if (a == b || tn_ty_is_subtype(r->ir, b, a, &is_unsure)) {
    return a;
  }
  if (tn_ty_is_subtype(r->ir, a, b, &is_unsure)) {
    return b;
  }
  if (a->op == TN_OP_TY_TENSOR && b->op == TN_OP_TY_TENSOR && a->dtype == b->dtype) {
    return tn_ty_tensor(r->ir, a->dtype, a->attr.i64 == b->attr.i64 ? a->attr.i64 : -1, NULL);
  }
  tn_buf text = TN_BUF_INIT;
  tn_ty_print(a, &text);
  tn_buf_puts(&text, ", the other ");
  tn_ty_print(b, &text);
  (void)tn_relay_fail(r, at, "branch-mismatch", NULL, "one branch gives %s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return NULL;
}

static const tn_node *read_if(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node *types[2] = {NULL, NULL};
  const tn_node *in[4] = {NULL};
  in[TN_GIF_COND] = tn_relay_atom(r, ast->in[TN_RELAY_IF_COND]);
  in[TN_GIF_THEN] = read_branch(r, ast->in[TN_RELAY_IF_THEN], &types[0]);
  in[TN_GIF_ELSE] = read_branch(r, ast->in[TN_RELAY_IF_ELSE], &types[1]);
  if (in[TN_GIF_COND] == NULL || in[TN_GIF_THEN] == NULL || in[TN_GIF_ELSE] == NULL) {
    return NULL;
  }
  const tn_node *type = common_type(r, ast, types[0], types[1]);
  if (type == NULL) {
    return NULL;
  }
  in[TN_GIF_VAR] = tn_relay_new_var(r, ast, tn_ir_text(r->ir, "gv"), type);
  tn_relay_add_stmt(r, ast, tn_node_new(r->ir, TN_OP_GIF, TN_DT_NONE, (tn_attr){0}, 4, in));
  return in[TN_GIF_VAR];
}

/* ---- calls ---- */

static const tn_node *read_invoke(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node *callee = tn_relay_atom(r, ast->in[0]);
  const tn_node **args = TN_ARENA_ARRAY(&r->arena, const tn_node *, ast->n + 1);
  bool is_ok = callee != NULL;
  for (uint32_t i = 1; i < ast->n; ++i) {
    if (ast->in[i]->kind == TN_RELAY_ATTR) {
      (void)tn_relay_fail(r, ast->in[i], "unknown-argument", NULL,
                          "a call of a function has no attributes");
      is_ok = false;
      continue;
    }
    args[i - 1] = tn_relay_atom(r, ast->in[i]);
    is_ok = is_ok && args[i - 1] != NULL;
  }
  if (!is_ok) {
    return NULL;
  }
  const tn_node *in[3] = {[TN_INVOKE_CALLEE] = callee,
                          [TN_INVOKE_ARGS] = tn_list(r->ir, ast->n - 1, args),
                          [TN_INVOKE_TYPES] = tn_none(r->ir)};
  return tn_node_new(r->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, in);
}

const tn_node *tn_relay_expr(tn_relay_reader *r, const tn_relay *ast) {
  switch (ast->kind) {
    case TN_RELAY_LOCAL:
      return read_local(r, ast);
    case TN_RELAY_GLOBAL:
      return read_global(r, ast);
    case TN_RELAY_NUMBER:
      return tn_relay_number(r, ast->dtype, ast->f64, ast->i64);
    case TN_RELAY_TUPLE:
      return read_tuple(r, ast);
    case TN_RELAY_GET:
      return read_get(r, ast);
    case TN_RELAY_CALL:
      return ast->in[0]->kind == TN_RELAY_NAME ? tn_relay_operator(r, ast) : read_invoke(r, ast);
    case TN_RELAY_META:
      return tn_relay_constant(r, ast);
    case TN_RELAY_IF:
      return read_if(r, ast);
    case TN_RELAY_FN:
      return tn_relay_fn(r, ast);
    case TN_RELAY_BODY:
      return read_inner_body(r, ast);
    case TN_RELAY_NAME:
      return tn_relay_fail(r, ast, "not-an-expression", NULL,
                           "the operator '%s' is called or not named at all", ast->text);
    case TN_RELAY_STR:
    case TN_RELAY_LIST:
    case TN_RELAY_ATTR:
    case TN_RELAY_LET:
    case TN_RELAY_PARAM:
    case TN_RELAY_FILE:
    case TN_RELAY_TY_TENSOR:
    case TN_RELAY_TY_TUPLE:
    case TN_RELAY_TY_FUNC:
    case TN_RELAY_TY_NAME:
    case TN_RELAY_ANY:
      break;
  }
  return tn_relay_fail(r, ast, "not-an-expression", NULL,
                       "expected a value: a text or a list "
                       "stands among attributes only");
}
