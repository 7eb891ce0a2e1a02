/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* @T.prim_func: parameters, return type, attributes, body. Buffers allocated at function level make
 * the body a block labelled "root" without axes and regions; a function without them has no such
 * block. */
#include <string.h>

#include "script/reader.h"

static const tn_node *dict_new(tn_ir *ir) {
  return tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
}

/* ---- attributes (both levels) ---- */

void tn_read_func_attr(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call, "attrs", args)) {
    return;
  }
  if (r->has_attrs) {
    tn_read_fail(r, call, "given-twice", NULL, "a function has one func_attr");
    return;
  }
  const tn_node *attrs = tn_to_attr(r, args[0], tn_read_val(r, args[0]));
  if (attrs != NULL && attrs->op != TN_OP_DICT) {
    tn_read_fail(r, args[0], "bad-attribute", NULL, "expected a dictionary of attributes");
  } else if (attrs != NULL) {
    r->has_attrs = true;
    r->attrs = attrs;
  }
}

const tn_node *tn_final_attrs(tn_reader *r, const tn_ast *def, bool is_private) {
  const tn_node *given = r->has_attrs ? r->attrs : dict_new(r->ir);
  const tn_node *symbol = tn_dict_find(given, "global_symbol");
  if (is_private && symbol != NULL) {
    tn_read_fail(r, def, "private-with-symbol", NULL, "private function '%s' has a global_symbol",
                 def->text);
    return NULL;
  }
  const tn_node *out = dict_new(r->ir);
  if (!is_private) {
    out = tn_dict_set(r->ir, out, "global_symbol",
                      symbol != NULL ? symbol : tn_str(r->ir, def->text));
  }
  for (uint32_t i = 0; i + 1 < given->n_in; i += 2) {
    out = tn_dict_set(r->ir, out, given->in[i]->attr.text, given->in[i + 1]);
  }
  return out;
}

/* ---- parameters ---- */

static void add_param(tn_reader *r, const tn_ast *param, const tn_node *var,
                      const tn_node *buffer) {
  tn_mark(r, var, param);
  tn_map_set(&r->param_index, var->id, r->params.len);
  TN_VEC_PUSH(&r->params, var);
  TN_VEC_PUSH(&r->buffers, buffer == NULL ? tn_none(r->ir) : buffer);
  tn_define(r, param, tn_val_node(buffer == NULL ? var : buffer));
}

/* A size named in quotes or in def f[n: T.int32](...): a variable that the buffers' shapes bind. */
static void define_size(tn_reader *r, const tn_ast *at, const char *name, tn_dtype dtype) {
  const tn_node *var = tn_var_new(r->ir, name, dtype);
  tn_mark(r, var, at);
  tn_scopes_set(&r->scopes, name, tn_val_node(var));
}

void tn_read_type_params(tn_reader *r, const tn_ast *params) {
  for (uint32_t i = 0; params != NULL && i < params->n; ++i) {
    const tn_ast *param = params->in[i];
    tn_dtype dtype = r->bare_int;
    if (param->in[0] != NULL && !tn_read_dtype(r, param->in[0], &dtype)) {
      tn_scopes_set(&r->scopes, param->text, tn_val_error());
    } else if (r->is_graph && dtype != TN_DT_I64) {
      tn_read_fail(r, param, "type-mismatch", NULL, "a symbolic size of a graph is int64");
      tn_scopes_set(&r->scopes, param->text, tn_val_error());
    } else if (!tn_dtype_is_int(dtype) && !tn_dtype_is_uint(dtype)) {
      tn_read_fail(r, param, "not-an-integer", NULL, "size '%s' is no integer", param->text);
      tn_scopes_set(&r->scopes, param->text, tn_val_error());
    } else {
      define_size(r, param, param->text, dtype);
    }
  }
}

static bool is_param_name(const tn_ast *def, const char *name) {
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    if (def->in[i]->text == name) {
      return true;
    }
  }
  return false;
}

/* Names in the quoted size `inner`, whose place is `at`; not those of functions: "T.max(n, 1)". */
static void define_names(tn_reader *r, const tn_ast *def, const tn_ast *at, const tn_ast *inner) {
  if (inner->kind == TN_AST_NAME) {
    if (tn_scopes_find(&r->scopes, inner->text) == NULL && !is_param_name(def, inner->text)) {
      define_size(r, at, inner->text, r->bare_int);
    }
    return;
  }
  for (uint32_t i = 0; inner->kind != TN_AST_ATTR && i < inner->n; ++i) {
    if (inner->in[i] != NULL) {
      define_names(r, def, at, inner->in[i]);
    }
  }
}

/* T.Buffer(("n + 1", n)): quoted sizes define what they name, for the whole signature. */
static void define_quoted(tn_reader *r, const tn_ast *def, const tn_ast *ast) {
  if (ast->kind == TN_AST_STR) {
    const tn_ast *inner = tn_parse_inner(r, ast);
    if (inner != NULL) {
      define_names(r, def, ast, inner);
    }
    return;
  }
  for (uint32_t i = 0; (ast->kind == TN_AST_TUPLE || ast->kind == TN_AST_LIST) && i < ast->n; ++i) {
    define_quoted(r, def, ast->in[i]);
  }
}

static bool is_buffer_type(tn_reader *r, const tn_ast *annotation) {
  bool has_args =
      annotation != NULL && (annotation->kind == TN_AST_CALL || annotation->kind == TN_AST_INDEX);
  const char *name = has_args ? tn_dotted(r, annotation->in[0]) : NULL;
  return name != NULL && strcmp(name, "T.Buffer") == 0;
}

static bool is_constexpr(tn_reader *r, const tn_ast *param) {
  const char *name = param->in[0] == NULL ? NULL : tn_dotted(r, param->in[0]);
  return name != NULL && strcmp(name, "T.constexpr") == 0;
}

/* T.constexpr: what the function is compiled for, from -D or its default; no parameter when run. */
static void read_constexpr(tn_reader *r, const tn_ast *param) {
  tn_val v = tn_val_error();
  if (!tn_find_define(r, param, &v)) {
    v = param->in[1] == NULL ? tn_read_fail(r, param, "needs-value", "give it by -D NAME=VALUE",
                                            "'%s' is a T.constexpr and has no value", param->text)
                             : tn_read_val(r, param->in[1]);
  }
  tn_scopes_set(&r->scopes, param->text, v);
}

static void define_sizes(tn_reader *r, const tn_ast *def) {
  tn_read_type_params(r, def->in[TN_AST_DEF_TYPE_PARAMS]);
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    if (is_constexpr(r, def->in[i])) {
      read_constexpr(r, def->in[i]);
    }
  }
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    const tn_ast *annotation = def->in[i]->in[0];
    if (is_buffer_type(r, annotation) && annotation->n > 1) {
      const tn_ast *shape = annotation->in[1];
      define_quoted(r, def, shape->kind == TN_AST_KEYWORD ? shape->in[0] : shape);
    }
  }
}

static void read_buffer_param(tn_reader *r, const tn_ast *param, const tn_ast *call) {
  const tn_node *buffer = tn_read_buffer_param(r, call, param->text);
  if (buffer == NULL) {
    tn_scopes_set(&r->scopes, param->text, tn_val_error());
    return;
  }
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_handle", param->text);
  add_param(r, param, tn_var_new(r->ir, tn_buf_text(&name), TN_DT_HANDLE), buffer);
  tn_buf_deinit(&name);
}

/* "did you mean" for what is near T.Buffer; names near an element type are told as such. */
static char *near_type(const char *name) {
  static const char *const known[] = {"T.Buffer", "T.handle", "T.constexpr"};
  tn_dtype dtype = TN_DT_NONE;
  return tn_dtype_parse(name + 2, strlen(name + 2), &dtype)
             ? NULL
             : tn_near_of(name, known, sizeof known / sizeof known[0]);
}

static void read_param(tn_reader *r, const tn_ast *param) {
  const tn_ast *annotation = param->in[0];
  tn_dtype dtype = TN_DT_NONE;
  if (is_constexpr(r, param)) {
    return; /* defined for the whole signature */
  }
  if (param->in[1] != NULL) {
    tn_read_fail(r, param, "unsupported", NULL, "not supported: a parameter with a default value");
  }
  if (annotation == NULL) {
    tn_read_fail(r, param, "missing-annotation", NULL,
                 "parameter '%s' needs a type: T.handle, T.Buffer(...), T.int32 ...", param->text);
    tn_scopes_set(&r->scopes, param->text, tn_val_error());
    return;
  }
  bool is_call = annotation->kind == TN_AST_CALL;
  const char *name = tn_dotted(r, is_call ? annotation->in[0] : annotation);
  if (is_buffer_type(r, annotation)) { /* T.Buffer[(8, 4), "float32"] is a call in 2022 */
    read_buffer_param(
        r, param, tn_ast_like(&r->arena, annotation, TN_AST_CALL, annotation->n, annotation->in));
    return;
  }
  char *hint = NULL;
  if (name == NULL || strncmp(name, "T.", 2) != 0 || (hint = near_type(name)) != NULL) {
    tn_read_fail(r, annotation, "bad-annotation", hint,
                 "expected the type of a parameter: T.handle, T.Buffer(...), T.int32 ...");
    free(hint);
  } else if (tn_to_dtype(r, annotation, (tn_val){.kind = TN_VAL_STR, .text = name + 2}, &dtype)) {
    if (!is_call || tn_dtype_is_handle(dtype)) {
      add_param(r, param, tn_var_new(r->ir, param->text, dtype), NULL);
      return;
    }
    tn_read_fail(r, annotation, "bad-annotation", NULL, "a type stands here without a call: %s",
                 name);
  }
  tn_scopes_set(&r->scopes, param->text, tn_val_error());
}

/* -> None is no result. */
static void read_ret_type(tn_reader *r, const tn_ast *ret) {
  if (ret == NULL || ret->kind == TN_AST_NONE) {
    return;
  }
  if (tn_read_dtype(r, ret, &r->ret_dtype) && tn_dtype_is_handle(r->ret_dtype)) {
    tn_read_fail(r, ret, "bad-annotation", NULL, "a function cannot return a handle");
  }
}

/* ---- the function ---- */

static void begin_function(tn_reader *r, const tn_ast *def) {
  r->func_name = def->text;
  r->n_seen = r->diags->n + r->diags->n_dropped;
  r->is_graph = false;
  r->bare_int = TN_DT_I32;
  r->has_attrs = false;
  r->params.len = 0;
  r->buffers.len = 0;
  tn_map_clear(&r->param_index);
  tn_map_clear(&r->loop_domains);
  tn_map_clear(&r->env_threads);
  r->free_buffers.len = 0;
  tn_map_clear(&r->pointers);
  r->ret_dtype = TN_DT_NONE;
  r->n_conditions = 0;
}

static bool has_problem(const tn_reader *r) {
  return r->diags->n + r->diags->n_dropped != r->n_seen;
}

static const tn_node *read_body(tn_reader *r, const tn_ast *def, const tn_ast *suite) {
  tn_body body = {0};
  tn_block_ctx root = {.body = &body, .is_root = true};
  r->body = &body;
  r->block = &root;
  tn_read_stmts(r, suite);
  const tn_node *node = tn_finish_body(r, &body);
  if (root.allocs.len > 0) {
    node = tn_make_block(r, def, &root, "root", node);
    tn_mark(r, node, def);
  }
  r->body = NULL;
  r->block = NULL;
  tn_body_deinit(&body);
  tn_block_deinit(&root);
  return node;
}

/* The function of what was read, into the module; def: what stands for it in messages. */
static void finish_function(tn_reader *r, const tn_ast *def, const tn_node *body, bool is_private) {
  const tn_node *attrs = tn_final_attrs(r, def, is_private);
  if (attrs != NULL && !has_problem(r) && body->depth + 4 > TN_MAX_DEPTH) {
    tn_read_fail(r, def, "nested-too-deep", NULL, "function '%s' is nested too deeply", def->text);
  }
  if (attrs == NULL || has_problem(r)) { /* callers need not report it as missing too */
    tn_module_set(
        r->module, def->text,
        tn_prim_func_new(r->ir, def->text, NULL, NULL, NULL, NULL, tn_seq(r->ir, 0, NULL)));
    return;
  }
  const tn_node *ret = r->ret_dtype == TN_DT_NONE ? NULL : tn_ty_prim(r->ir, r->ret_dtype, NULL);
  const tn_node *func =
      tn_prim_func_new(r->ir, def->text, tn_list(r->ir, (uint32_t)r->params.len, r->params.data),
                       tn_list(r->ir, (uint32_t)r->buffers.len, r->buffers.data), ret, attrs, body);
  tn_mark(r, func, def);
  tn_module_set(r->module, def->text, func);
}

void tn_read_prim_func(tn_reader *r, const tn_ast *def, bool is_private) {
  begin_function(r, def);
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  define_sizes(r, def);
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    read_param(r, def->in[i]);
  }
  read_ret_type(r, def->in[TN_AST_DEF_RET]);
  const tn_node *body = read_body(r, def, def->in[TN_AST_DEF_BODY]);
  tn_check_free_buffers(r);
  tn_scopes_pop(&r->scopes);
  finish_function(r, def, body, is_private);
}

/* ---- fragments ---- */

/* n = T.int32() and A = T.Buffer((n,)) are parameters of a fragment; true when the line is one. */
static bool read_free(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->kind == TN_AST_ASSIGN ? stmt->in[0] : NULL;
  const tn_ast *value = target != NULL && target->kind == TN_AST_NAME ? stmt->in[1] : NULL;
  const char *name =
      value != NULL && value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  tn_dtype dtype = TN_DT_NONE;
  if (name == NULL || strncmp(name, "T.", 2) != 0) {
    return false;
  }
  const tn_ast *parts[2] = {value, NULL};
  const tn_ast *param = tn_ast_like(&r->arena, target, TN_AST_PARAM, 2, parts);
  if (strcmp(name, "T.Buffer") == 0 && tn_keyword(value, "data") == NULL) {
    read_buffer_param(r, param, value);
    return true;
  }
  if (!tn_dtype_parse(name + 2, strlen(name + 2), &dtype) || tn_n_positional(value) > 0) {
    return false;
  }
  add_param(r, param, tn_var_new(r->ir, target->text, dtype), NULL);
  return true;
}

static bool is_bound_by_shape(const tn_reader *r, const tn_node *var) {
  for (size_t i = 0; i < r->buffers.len; ++i) {
    const tn_node *buffer = r->buffers.data[i];
    const tn_node *shape = tn_is_none(buffer) ? NULL : buffer->in[TN_BUFFER_SHAPE];
    for (uint32_t k = 0; shape != NULL && k < shape->n_in; ++k) {
      if (shape->in[k] == var) {
        return true;
      }
    }
  }
  return false;
}

/* Sizes come with the buffers that have them and need not be given. */
static void drop_bound_params(tn_reader *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->params.len; ++i) {
    if (!is_bound_by_shape(r, r->params.data[i])) {
      r->params.data[n] = r->params.data[i];
      r->buffers.data[n++] = r->buffers.data[i];
    }
  }
  r->params.len = n;
  r->buffers.len = n;
}

void tn_read_fragment(tn_reader *r, const tn_ast *file) {
  tn_ast *def = tn_ast_like(&r->arena, file->in[0], TN_AST_DEF, 0, NULL);
  def->text = tn_ir_text(r->ir, "main");
  const tn_ast **rest = TN_ARENA_ARRAY(&r->arena, const tn_ast *, file->n + 1);
  uint32_t n = 0;
  begin_function(r, def);
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  for (uint32_t i = 0; i < file->n; ++i) {
    const tn_ast *stmt = file->in[i];
    if (stmt->kind == TN_AST_IMPORT) {
      tn_read_import(r, stmt);
    } else if (!read_free(r, stmt)) {
      rest[n++] = stmt;
    }
  }
  drop_bound_params(r);
  const tn_node *body = read_body(r, def, tn_ast_like(&r->arena, file, TN_AST_SUITE, n, rest));
  tn_check_free_buffers(r);
  tn_scopes_pop(&r->scopes);
  finish_function(r, def, body, false);
}
