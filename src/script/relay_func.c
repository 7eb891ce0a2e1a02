/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions of a Relay text, and the file. A function without branches and function values is one
 * dataflow block. A closed function value that says Primitive=1, as fusion writes them, becomes a
 * private function of the module. What a function calls is read before it. */
#include <string.h>

#include "script/relay.h"

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
      params[n_params++] = tn_relay_new_var(r, ast, tn_relay_python_name(r, ast->text), type);
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
  tn_relay_add_stmt(r, at, tn_node_new(r->ir, TN_OP_DATAFLOW, TN_DT_NONE, (tn_attr){0}, 2, in));
}

/* What the text says of the result, or what is inferred where it says nothing, or ?. */
static const tn_node *result_type(tn_relay_reader *r, const tn_relay *ret, const tn_relay *at,
                                  const tn_node *value) {
  if (ret != NULL && !tn_relay_fits(r, at, value, ret)) {
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
  const tn_node *value = tn_relay_body(r, f->body);
  tn_scopes_pop(&r->scopes);
  if (value != NULL && !tn_relay_is_atom(value)) {
    value = tn_relay_bind(r, f->body->in[f->body->n - 1], "gv", value);
  }
  if (value != NULL && params != NULL && r->diags->n + r->diags->n_dropped == n_before) {
    const tn_node *ret = result_type(r, f->ret, f->body, value);
    wrap_dataflow(r, f->body, value);
    const tn_node *body = tn_relay_end_body(r, f->body->in[f->body->n - 1], TN_OP_RETURN, value);
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
  const char *wanted = tn_relay_python_name(r, tn_ir_text(r->ir, tn_buf_text(&text)));
  tn_buf_deinit(&text);
  const char *name = tn_module_fresh_name(r->module, wanted);
  const tn_node *named =
      tn_node_new(r->ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = name}, func->n_in, func->in);
  tn_ir_set_pos(r->ir, named, ast->pos);
  tn_module_set(r->module, name, named);
  return tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE, (tn_attr){.text = name}, 0, NULL);
}

const tn_node *tn_relay_fn(tn_relay_reader *r, const tn_relay *ast) {
  const function f = {.at = ast,
                      .params = ast->in + TN_RELAY_FN_PARAMS,
                      .n_params = ast->n - TN_RELAY_FN_PARAMS,
                      .ret = ast->in[TN_RELAY_FN_RET],
                      .body = ast->in[TN_RELAY_FN_BODY]};
  const tn_node *func = read_function(r, &f);
  return func != NULL && is_primitive(ast) && is_closed(func) ? private_function(r, ast, func)
                                                              : func;
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
    const char *name = tn_relay_python_name(r, def->text);
    tn_module_set(r->module, name,
                  make_func(r, def, name, params, type, true, tn_seq(r->ir, 0, NULL)));
  }
  tn_strmap_set(&r->made, def->text, value.ptr);
  r->diags = diags;
  r->n_symbols = n_symbols;
  tn_diags_deinit(&scratch);
}

static void read_def(tn_relay_reader *r, const tn_relay *def) {
  const function f = {.name = tn_relay_python_name(r, def->text),
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

/* Levels of expressions, from the first function of a chain of calls on: stack is spent on them. */
enum { MAX_CALL_LEVELS = 2 * TN_RELAY_MAX_DEPTH };

static void read_after_callees(tn_relay_reader *r, const tn_relay *def, uint32_t depth);

static void read_callees(tn_relay_reader *r, const tn_relay *ast, uint32_t depth) {
  const tn_relay *def = ast->kind == TN_RELAY_GLOBAL ? tn_strmap_find(&r->funcs, ast->text) : NULL;
  if (def != NULL) {
    read_after_callees(r, def, depth + 1);
  }
  for (uint32_t i = 0; i < ast->n; ++i) {
    if (ast->in[i] != NULL) {
      read_callees(r, ast->in[i], depth + 1);
    }
  }
}

/* What a function calls comes first, so that its result is known as well as it can be. In a circle,
 * and past a depth that no program has, the types that are written serve. */
static void read_after_callees(tn_relay_reader *r, const tn_relay *def, uint32_t depth) {
  if (tn_map_find(&r->begun, (uint64_t)(uintptr_t)def, NULL) || depth > MAX_CALL_LEVELS) {
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
