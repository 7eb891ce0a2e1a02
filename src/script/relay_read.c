/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The tree of a Relay text -> functions of the module. A call, a projection and a tuple that has a
 * name become bindings, in the order of the text; the condition's branches become bodies of their
 * own. A function without branches and function values is one dataflow block. A closed function
 * value that says Primitive=1, as fusion writes them, becomes a private function of the module. */
#include <stdarg.h>
#include <string.h>

#include "script/relay.h"

enum { MAX_TEXT_BYTES = 1 << 30 };

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
static const char *python_name(tn_relay_reader *r, const char *name) {
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

static const tn_node *new_var(tn_relay_reader *r, const tn_relay *at, const char *name,
                              const tn_node *type) {
  const tn_node *var =
      tn_node_new(r->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = name}, 1, &type);
  tn_ir_set_pos(r->ir, var, at->pos);
  return var;
}

static void add_stmt(tn_relay_reader *r, const tn_relay *at, const tn_node *stmt) {
  tn_ir_set_pos(r->ir, stmt, at->pos);
  TN_VEC_PUSH(r->stmts, stmt);
}

static void bind_var(tn_relay_reader *r, const tn_relay *at, const tn_node *var,
                     const tn_node *value) {
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  add_stmt(r, at, tn_node_new(r->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in));
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
  const tn_node *var = new_var(r, at, tn_ir_text(r->ir, name), type);
  bind_var(r, at, var, value);
  return var;
}

static bool is_atom(const tn_node *n) {
  return n->op == TN_OP_GVAR || n->op == TN_OP_CONST || n->op == TN_OP_GLOBAL;
}

const tn_node *tn_relay_atom(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node *value = tn_relay_expr(r, ast);
  return value == NULL || is_atom(value) ? value : tn_relay_bind(r, ast, "gv", value);
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
  tn_attr attr = {.text = python_name(r, ast->text)};
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
  if (!is_atom(tuple)) {
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
static bool fits_annotation(tn_relay_reader *r, const tn_relay *at, const tn_node *value,
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
  if (value != NULL && let->n > 1 && !fits_annotation(r, let, value, let->in[1])) {
    value = NULL;
  }
  if (value != NULL && !is_atom(value)) {
    value = tn_relay_bind(r, let, python_name(r, let->text), value);
  }
  tn_scopes_set(&r->scopes, let->text, value == NULL ? tn_val_error() : tn_val_node(value));
}

/* The bindings go to r->stmts; the names stay in the scope that is open. */
static const tn_node *read_body(tn_relay_reader *r, const tn_relay *body) {
  for (uint32_t i = 0; i + 1 < body->n; ++i) {
    read_let(r, body->in[i]);
  }
  return tn_relay_expr(r, body->in[body->n - 1]);
}

static const tn_node *read_inner_body(tn_relay_reader *r, const tn_relay *body) {
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  const tn_node *value = read_body(r, body);
  tn_scopes_pop(&r->scopes);
  return value;
}

static const tn_node *end_body(tn_relay_reader *r, const tn_relay *at, tn_op op,
                               const tn_node *value) {
  const tn_node *stmt = tn_node_new(r->ir, op, TN_DT_NONE, (tn_attr){0}, 1, &value);
  add_stmt(r, at, stmt);
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
  const tn_node *value = ast->kind == TN_RELAY_BODY ? read_body(r, ast) : tn_relay_expr(r, ast);
  tn_scopes_pop(&r->scopes);
  if (value != NULL && !is_atom(value)) {
    value = tn_relay_bind(r, ast, "gv", value);
  }
  *out_type = value == NULL ? NULL : tn_relay_infer(r, ast, value);
  if (*out_type != NULL) {
    body = end_body(r, ast, TN_OP_YIELD, value);
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
  in[TN_GIF_VAR] = new_var(r, ast, tn_ir_text(r->ir, "gv"), type);
  add_stmt(r, ast, tn_node_new(r->ir, TN_OP_GIF, TN_DT_NONE, (tn_attr){0}, 4, in));
  return in[TN_GIF_VAR];
}

/* ---- functions ---- */

static bool is_param(const tn_relay *ast) { return ast->kind == TN_RELAY_PARAM; }

/* Makes and defines the parameters in the open scope; NULL, reported. */
static const tn_node *read_params(tn_relay_reader *r, const tn_relay *const *asts, uint32_t n) {
  const tn_node **params = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  uint32_t n_params = 0;
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_relay *ast = asts[i];
    const tn_node *type = NULL;
    if (!is_param(ast)) {
      continue;
    }
    if (ast->n == 0) {
      (void)tn_relay_fail(r, ast, "missing-annotation", NULL, "parameter '%%%s' needs a type",
                          ast->text);
    } else {
      type = tn_relay_type(r, ast->in[0], true);
    }
    if (tn_scopes_is_local(&r->scopes, ast->text)) {
      (void)tn_relay_fail(r, ast, "name-reused", NULL, "there is a parameter '%%%s' already",
                          ast->text);
      type = NULL;
    }
    is_ok = is_ok && type != NULL;
    if (type != NULL) {
      params[n_params++] = new_var(r, ast, python_name(r, ast->text), type);
    }
    tn_scopes_set(&r->scopes, ast->text,
                  type == NULL ? tn_val_error() : tn_val_node(params[n_params - 1]));
  }
  return is_ok ? tn_list(r->ir, n_params, params) : NULL;
}

static const tn_node *make_func(tn_relay_reader *r, const tn_relay *at, const char *name,
                                const tn_node *params, const tn_node *ret, bool is_public,
                                const tn_node *body) {
  const tn_node *attrs = tn_node_new(r->ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
  if (is_public) {
    attrs = tn_dict_set(r->ir, attrs, "global_symbol", tn_str(r->ir, name));
  }
  const tn_node *in[5] = {[TN_GFUNC_PARAMS] = params,
                          [TN_GFUNC_RET] = ret == NULL ? tn_none(r->ir) : ret,
                          [TN_GFUNC_ATTRS] = attrs,
                          [TN_GFUNC_IS_PURE] = tn_bool(r->ir, true),
                          [TN_GFUNC_BODY] = body};
  const tn_node *func = tn_node_new(r->ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = name}, 5, in);
  tn_ir_set_pos(r->ir, func, at->pos);
  return func;
}

/* One dataflow block, when there are bindings alone and the result is one of them. */
static void wrap_dataflow(tn_relay_reader *r, const tn_relay *at, const tn_node *result) {
  tn_node_vec *stmts = r->stmts;
  bool is_bound = false;
  for (size_t i = 0; i < stmts->len; ++i) {
    const tn_node *stmt = stmts->data[i];
    if (stmt->op != TN_OP_GBIND || stmt->in[TN_BIND_VALUE]->op == TN_OP_GFUNC) {
      return;
    }
    is_bound = is_bound || stmt->in[TN_BIND_VAR] == result;
  }
  if (!is_bound) {
    return;
  }
  const tn_node *in[2] = {[TN_DATAFLOW_BODY] = tn_seq(r->ir, (uint32_t)stmts->len, stmts->data),
                          [TN_DATAFLOW_OUTPUTS] = tn_list(r->ir, 1, &result)};
  stmts->len = 0;
  add_stmt(r, at, tn_node_new(r->ir, TN_OP_DATAFLOW, TN_DT_NONE, (tn_attr){0}, 2, in));
}

/* What the text says of the result, or what is inferred where it says nothing, or ?. */
static const tn_node *result_type(tn_relay_reader *r, const tn_relay *ret, const tn_relay *at,
                                  const tn_node *value) {
  if (ret != NULL && !fits_annotation(r, at, value, ret)) {
    return NULL;
  }
  bool is_given = ret != NULL && !tn_relay_type_is_open(ret);
  return is_given ? tn_relay_type(r, ret, false) : NULL;
}

typedef struct function {
  const char *name;
  const tn_relay *at;
  const tn_relay *const *params;
  uint32_t n_params;
  const tn_relay *ret; /* NULL: not given */
  const tn_relay *body;
  bool is_public;
} function;

static const tn_node *read_function(tn_relay_reader *r, const function *f) {
  int32_t n_before = r->diags->n + r->diags->n_dropped;
  tn_node_vec stmts = {0};
  tn_node_vec *outer = r->stmts;
  const tn_node *func = NULL;
  r->stmts = &stmts;
  tn_scopes_push(&r->scopes, f->name == NULL ? TN_FRAME_PLAIN : TN_FRAME_FUNCTION);
  const tn_node *params = read_params(r, f->params, f->n_params);
  const tn_node *value = read_body(r, f->body);
  tn_scopes_pop(&r->scopes);
  if (value != NULL && !is_atom(value)) {
    value = tn_relay_bind(r, f->body->in[f->body->n - 1], "gv", value);
  }
  if (value != NULL && params != NULL && r->diags->n + r->diags->n_dropped == n_before) {
    const tn_node *ret = result_type(r, f->ret, f->body, value);
    wrap_dataflow(r, f->body, value);
    const tn_node *body = end_body(r, f->body->in[f->body->n - 1], TN_OP_RETURN, value);
    const char *name = f->name == NULL ? "fn" : f->name;
    func = make_func(r, f->at, tn_ir_text(r->ir, name), params, ret, f->is_public, body);
  }
  r->stmts = outer;
  TN_VEC_DEINIT(&stmts);
  if (func != NULL && r->diags->n + r->diags->n_dropped == n_before &&
      tn_is_none(func->in[TN_GFUNC_RET])) {
    const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
    const tn_node *type = NULL;
    if (!tn_relay_ok(r, f->at, "type-error", tn_func_type(&ctx, func, &type))) {
      return NULL;
    }
    const tn_node *in[5];
    memcpy(in, func->in, sizeof in);
    in[TN_GFUNC_RET] = type->in[TN_TY_FUNC_RET];
    func = tn_node_with(r->ir, func, in);
    tn_ir_set_pos(r->ir, func, f->at->pos);
  }
  return r->diags->n + r->diags->n_dropped == n_before ? func : NULL;
}

static bool is_primitive(const tn_relay *fn) {
  for (uint32_t i = TN_RELAY_FN_PARAMS; i < fn->n; ++i) {
    if (fn->in[i]->kind == TN_RELAY_ATTR && strcmp(fn->in[i]->text, "Primitive") == 0) {
      return fn->in[i]->in[0]->kind == TN_RELAY_NUMBER && fn->in[i]->in[0]->i64 == 1;
    }
  }
  return false;
}

/* fused_conv2d_add_relu: of the operators in the order of the text. */
static void name_fused(const tn_relay *ast, tn_buf *out) {
  for (uint32_t i = 0; i < ast->n && out->len < 60; ++i) {
    if (ast->in[i] != NULL) {
      name_fused(ast->in[i], out);
    }
  }
  if (ast->kind == TN_RELAY_CALL && ast->in[0]->kind == TN_RELAY_NAME) {
    tn_buf_printf(out, "_%s", ast->in[0]->text);
  }
}

/* Another function's variables are not visible from a function of the module. */
static tn_visit find_free(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_GVAR && !tn_map_find(ctx, n->id, NULL)) {
    return TN_STOP;
  }
  return TN_DESCEND;
}

static tn_visit note_bound(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_GBIND || n->op == TN_OP_GIF) {
    tn_map_set(ctx, n->in[0]->id, 1);
  }
  for (uint32_t i = 0; n->op == TN_OP_GFUNC && i < n->in[TN_GFUNC_PARAMS]->n_in; ++i) {
    tn_map_set(ctx, n->in[TN_GFUNC_PARAMS]->in[i]->id, 1);
  }
  return TN_DESCEND;
}

static bool is_closed(const tn_node *func) {
  tn_map bound = {0};
  (void)tn_walk_distinct(func, note_bound, &bound);
  bool is_done = tn_walk_distinct(func, find_free, &bound);
  tn_map_deinit(&bound);
  return is_done;
}

static const tn_node *private_function(tn_relay_reader *r, const tn_relay *ast,
                                       const tn_node *func) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "fused");
  name_fused(ast->in[TN_RELAY_FN_BODY], &text);
  const char *wanted = python_name(r, tn_ir_text(r->ir, tn_buf_text(&text)));
  tn_buf_deinit(&text);
  const char *name = tn_module_fresh_name(r->module, wanted);
  const tn_node *named =
      tn_node_new(r->ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = name}, func->n_in, func->in);
  tn_ir_set_pos(r->ir, named, ast->pos);
  tn_module_set(r->module, name, named);
  return tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE, (tn_attr){.text = name}, 0, NULL);
}

static const tn_node *read_fn(tn_relay_reader *r, const tn_relay *ast) {
  const function f = {.at = ast,
                      .params = ast->in + TN_RELAY_FN_PARAMS,
                      .n_params = ast->n - TN_RELAY_FN_PARAMS,
                      .ret = ast->in[TN_RELAY_FN_RET],
                      .body = ast->in[TN_RELAY_FN_BODY]};
  const tn_node *func = read_function(r, &f);
  return func != NULL && is_primitive(ast) && is_closed(func) ? private_function(r, ast, func)
                                                              : func;
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
      return read_fn(r, ast);
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

/* ---- operators that are not there ---- */

typedef struct missing {
  tn_strmap names; /* -> the first CALL */
  tn_map counts;   /* index in names -> how many */
} missing;

static void find_missing(const tn_relay_reader *r, const tn_relay *ast, missing *m) {
  if (ast->kind == TN_RELAY_CALL && ast->in[0]->kind == TN_RELAY_NAME &&
      !tn_relay_knows(r, ast->in[0]->text)) {
    const char *name = ast->in[0]->text;
    uint64_t n = 0;
    if (!tn_strmap_has(&m->names, name)) {
      union {
        const tn_relay *ast;
        void *ptr;
      } first = {ast->in[0]};
      tn_strmap_set(&m->names, name, first.ptr);
    }
    (void)tn_map_find(&m->counts, (uint64_t)(uintptr_t)name, &n);
    tn_map_set(&m->counts, (uint64_t)(uintptr_t)name, n + 1);
  }
  for (uint32_t i = 0; i < ast->n; ++i) {
    if (ast->in[i] != NULL) {
      find_missing(r, ast->in[i], m);
    }
  }
}

static char *near_operator(const char *name) {
  uint32_t n = 0;
  const tn_relay_row *rows = tn_relay_rows(&n);
  TN_VEC(const char *) names = {0};
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&names, rows[i].name);
  }
  char *hint = tn_near_of(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return hint;
}

/* All operators that the file uses and that we do not have, in one message. */
static bool check_operators(tn_relay_reader *r, const tn_relay *file) {
  missing m = {0};
  find_missing(r, file, &m);
  bool is_ok = m.names.len == 0;
  if (!is_ok) {
    tn_buf text = TN_BUF_INIT;
    for (size_t i = 0; i < m.names.len; ++i) {
      uint64_t n = 0;
      const char *name = tn_ir_text(r->ir, m.names.keys[i]);
      (void)tn_map_find(&m.counts, (uint64_t)(uintptr_t)name, &n);
      tn_buf_printf(&text, "%s%s", i == 0 ? "" : ", ", name);
      if (n > 1) {
        tn_buf_printf(&text, " (%u times)", (uint32_t)n);
      }
    }
    char *hint = m.names.len == 1 ? near_operator(m.names.keys[0]) : NULL;
    (void)tn_relay_fail(r, m.names.values[0], "unknown-operator", hint, "unknown operator%s: %s",
                        m.names.len == 1 ? "" : "s", tn_buf_text(&text));
    free(hint);
    tn_buf_deinit(&text);
  }
  tn_strmap_deinit(&m.names);
  tn_map_deinit(&m.counts);
  return is_ok;
}

/* ---- the file ---- */

/* Known by name and type before its body is read, when its result's type is written. */
static void declare(tn_relay_reader *r, const tn_relay *def) {
  const tn_relay *ret = def->in[TN_RELAY_FN_RET];
  union {
    const tn_relay *ast;
    void *ptr;
  } value = {def};
  if (tn_strmap_has(&r->funcs, def->text)) {
    (void)tn_relay_fail(r, def, "duplicate-function", NULL, "there is a function '@%s' already",
                        def->text);
    return;
  }
  tn_strmap_set(&r->funcs, def->text, value.ptr);
  if (ret == NULL) {
    return;
  }
  uint32_t n_symbols = r->n_symbols;
  tn_diags scratch = {0}; /* problems are told when it is read in earnest */
  tn_diags *diags = r->diags;
  r->diags = &scratch;
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  const tn_node *params = read_params(r, def->in + TN_RELAY_FN_PARAMS, def->n - TN_RELAY_FN_PARAMS);
  tn_scopes_pop(&r->scopes);
  const tn_node *type = tn_relay_type(r, ret, false);
  if (params != NULL && type != NULL) {
    const char *name = python_name(r, def->text);
    tn_module_set(r->module, name,
                  make_func(r, def, name, params, type, true, tn_seq(r->ir, 0, NULL)));
  }
  tn_strmap_set(&r->made, def->text, value.ptr);
  r->diags = diags;
  r->n_symbols = n_symbols;
  tn_diags_deinit(&scratch);
}

static void read_def(tn_relay_reader *r, const tn_relay *def) {
  const function f = {.name = python_name(r, def->text),
                      .at = def,
                      .params = def->in + TN_RELAY_FN_PARAMS,
                      .n_params = def->n - TN_RELAY_FN_PARAMS,
                      .ret = def->in[TN_RELAY_FN_RET],
                      .body = def->in[TN_RELAY_FN_BODY],
                      .is_public = true};
  if (tn_strmap_find(&r->funcs, def->text) != (const void *)def) {
    return; /* a second one of that name: reported */
  }
  const tn_node *func = read_function(r, &f);
  if (func != NULL) {
    tn_module_set(r->module, f.name, func);
  }
  tn_strmap_set(&r->made, def->text, r);
}

enum { MAX_CALL_CHAIN = 200 };

static void read_after_callees(tn_relay_reader *r, const tn_relay *def, uint32_t depth);

static void read_callees(tn_relay_reader *r, const tn_relay *ast, uint32_t depth) {
  const tn_relay *def = ast->kind == TN_RELAY_GLOBAL ? tn_strmap_find(&r->funcs, ast->text) : NULL;
  if (def != NULL) {
    read_after_callees(r, def, depth + 1);
  }
  for (uint32_t i = 0; i < ast->n; ++i) {
    if (ast->in[i] != NULL) {
      read_callees(r, ast->in[i], depth);
    }
  }
}

/* What a function calls comes first, so that its result is known as well as it can be. In a circle,
 * and past a length that no program has, the types that are written serve. */
static void read_after_callees(tn_relay_reader *r, const tn_relay *def, uint32_t depth) {
  if (tn_map_find(&r->begun, (uint64_t)(uintptr_t)def, NULL) || depth > MAX_CALL_CHAIN) {
    return;
  }
  tn_map_set(&r->begun, (uint64_t)(uintptr_t)def, 1);
  read_callees(r, def, depth);
  read_def(r, def);
}

/* A text that is one expression: the function main over its free variables, or what the function
 * value is. */
static void read_fragment(tn_relay_reader *r, const tn_relay *file, const tn_relay *body) {
  const tn_relay *fn = body->n == 1 ? body->in[0] : NULL;
  function f = {.name = "main",
                .at = body,
                .params = file->in,
                .n_params = file->n,
                .body = body,
                .is_public = true};
  if (fn != NULL && fn->kind == TN_RELAY_FN && file->n == 1) {
    f.at = fn;
    f.params = fn->in + TN_RELAY_FN_PARAMS;
    f.n_params = fn->n - TN_RELAY_FN_PARAMS;
    f.ret = fn->in[TN_RELAY_FN_RET];
    f.body = fn->in[TN_RELAY_FN_BODY];
  }
  const tn_node *func = read_function(r, &f);
  if (func != NULL) {
    tn_module_set(r->module, tn_ir_text(r->ir, "main"), func);
  }
}

static void read_file(tn_relay_reader *r, const tn_relay *file) {
  const tn_relay *body = NULL;
  for (uint32_t i = 0; i < file->n; ++i) {
    if (file->in[i]->kind == TN_RELAY_FN) {
      declare(r, file->in[i]);
    } else if (file->in[i]->kind == TN_RELAY_BODY) {
      body = file->in[i];
    }
  }
  for (uint32_t i = 0; i < file->n; ++i) {
    if (file->in[i]->kind == TN_RELAY_FN) {
      read_after_callees(r, file->in[i], 0);
    }
  }
  if (body != NULL) {
    read_fragment(r, file, body);
  } else if (r->funcs.len == 0) {
    (void)tn_relay_fail(r, file, "empty-module", NULL, "there is no function in this file");
  }
}

static void reader_deinit(tn_relay_reader *r) {
  tn_scopes_deinit(&r->scopes);
  tn_strmap_deinit(&r->funcs);
  tn_strmap_deinit(&r->made);
  tn_map_deinit(&r->begun);
  tn_relay_meta_free(r->meta);
  tn_arena_deinit(&r->arena);
}

void tn_relay_read(const char *text, size_t len, uint32_t source, const tn_script_opts *opts,
                   tn_module *module, tn_diags *diags) {
  tn_relay_reader r = {.ir = module->ir,
                       .module = module,
                       .opts = opts,
                       .diags = diags,
                       .source = source,
                       .text = text};
  tn_rtoken_vec tokens = {0};
  tn_arena_init(&r.arena, 0);
  tn_relay_lex(text, len, source, &tokens, diags);
  if (diags->n == 0) {
    tn_relay_parser p = {.ir = r.ir,
                         .arena = &r.arena,
                         .text = text,
                         .source = source,
                         .toks = tokens.data,
                         .diags = diags};
    const tn_relay *file = tn_relay_parse_file(&p, &r.json);
    TN_VEC_DEINIT(&p.stack);
    if (file != NULL && diags->n == 0 && check_operators(&r, file)) {
      tn_scopes_push(&r.scopes, TN_FRAME_PLAIN);
      read_file(&r, file);
      tn_scopes_pop(&r.scopes);
    }
  }
  TN_VEC_DEINIT(&tokens);
  reader_deinit(&r);
}
