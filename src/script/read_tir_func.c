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

static void read_param(tn_reader *r, const tn_ast *param) {
  const tn_ast *annotation = param->in[0];
  tn_dtype dtype = TN_DT_NONE;
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
  const char *name =
      tn_dotted(r, is_call || annotation->kind == TN_AST_INDEX ? annotation->in[0] : annotation);
  if (is_call && name != NULL && strcmp(name, "T.Buffer") == 0) {
    read_buffer_param(r, param, annotation);
    return;
  }
  if (annotation->kind == TN_AST_INDEX && name != NULL && strcmp(name, "T.Buffer") == 0) {
    tn_read_fail(r, annotation, "unsupported", "write T.Buffer((8, 4), \"float32\")",
                 "not supported yet: T.Buffer[...], the spelling of 2022");
  } else if (name == NULL || strncmp(name, "T.", 2) != 0) {
    tn_read_fail(r, annotation, "bad-annotation", NULL,
                 "expected the type of a parameter: T.handle, T.Buffer(...), T.int32 ...");
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
  r->ret_dtype = TN_DT_NONE;
  r->n_conditions = 0;
}

static bool has_problem(const tn_reader *r) {
  return r->diags->n + r->diags->n_dropped != r->n_seen;
}

static const tn_node *read_body(tn_reader *r, const tn_ast *def) {
  tn_body body = {0};
  tn_block_ctx root = {.body = &body, .is_root = true};
  r->body = &body;
  r->block = &root;
  tn_read_stmts(r, def->in[TN_AST_DEF_BODY]);
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

void tn_read_prim_func(tn_reader *r, const tn_ast *def, bool is_private) {
  begin_function(r, def);
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    read_param(r, def->in[i]);
  }
  read_ret_type(r, def->in[TN_AST_DEF_RET]);
  const tn_node *body = read_body(r, def);
  tn_scopes_pop(&r->scopes);
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
