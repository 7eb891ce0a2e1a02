/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of the loop level that only the spelling of 2022 has: T.var, T.let, loads and stores through
 * pointers, buffers declared before they were flattened. Each becomes what later spellings say in
 * other words. */
#include <string.h>

#include "script/reader.h"

/* n = T.var("int64") is n = T.int64(). */
static tn_val call_var(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  tn_dtype dtype = TN_DT_I32;
  if (!tn_bind_args(r, call->ast, "dtype?", args) ||
      (args[0] != NULL && !tn_read_dtype(r, args[0], &dtype))) {
    return tn_val_error();
  }
  return tn_new_symbol(r, call, dtype);
}

/* A variable and the value for it, of its type; false, reported. */
static bool read_pair(tn_reader *r, const tn_ast *var_ast, const tn_ast *value_ast,
                      const tn_node **out_var, const tn_node **out_value) {
  tn_val var = tn_read_val(r, var_ast);
  if (!tn_val_is_node(var, TN_OP_VAR)) {
    if (!tn_val_is_error(var)) {
      tn_read_fail(r, var_ast, "bad-let", NULL, "expected a variable, as from T.var, got %s",
                   tn_val_what(var));
    }
    return false;
  }
  *out_var = var.node;
  *out_value = tn_to_expr(r, value_ast, tn_read_val(r, value_ast), var.node->dtype);
  return *out_value != NULL &&
         tn_read_ok(r, value_ast, "type-mismatch",
                    tn_tir_cast(r->ir, var.node->dtype, *out_value, out_value));
}

tn_val tn_read_let(tn_reader *r, const tn_ast *at, const tn_ast *var_ast, const tn_ast *value_ast) {
  const tn_node *in[2];
  if (!read_pair(r, var_ast, value_ast, &in[TN_BIND_VAR], &in[TN_BIND_VALUE])) {
    return tn_val_error();
  }
  tn_add_stmt(r, at, tn_node_new(r->ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){0}, 2, in));
  return tn_val_void();
}

/* T.let(x, value) as a statement or `with`, T.let(x, value, body) as an expression; x comes from
 * T.var. */
static tn_val call_let(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  const tn_node *in[3];
  if (!tn_bind_args(r, call->ast, "var value body?", args)) {
    return tn_val_error();
  }
  if (args[2] == NULL) {
    return tn_read_let(r, call->ast, args[0], args[1]);
  }
  if (!read_pair(r, args[0], args[1], &in[TN_LET_VAR], &in[TN_LET_VALUE])) {
    return tn_val_error();
  }
  in[TN_LET_BODY] = tn_read_expr(r, args[2]);
  return in[TN_LET_BODY] == NULL ? tn_val_error()
                                 : tn_val_node(tn_node_new(r->ir, TN_OP_LET,
                                                           in[TN_LET_BODY]->dtype, (tn_attr){0}, 3,
                                                           in));
}

/* ---- through pointers ---- */

static const tn_node *product_of(tn_reader *r, const tn_ast *at, const tn_node *list) {
  tn_val size = {.kind = TN_VAL_INT, .i64 = 1};
  for (uint32_t i = 0; i < list->n_in && !tn_val_is_error(size); ++i) {
    tn_val extent = list->in[i]->op == TN_OP_INT
                        ? (tn_val){.kind = TN_VAL_INT, .i64 = list->in[i]->attr.i64}
                        : tn_val_node(list->in[i]);
    size = i == 0 ? extent : tn_apply_binary(r, at, TN_TOK_STAR, size, extent);
  }
  return tn_to_index(r, at, size);
}

/* The memory behind a pointer as a buffer of one dimension: the buffer that has it, or a view. NULL,
 * reported. */
static const tn_node *buffer_of(tn_reader *r, const tn_ast *at, tn_dtype elem) {
  tn_val v = tn_read_val(r, at);
  uint64_t found = 0;
  if (tn_val_is_error(v)) {
    return NULL;
  }
  if (!tn_val_is_node(v, TN_OP_VAR) || !tn_map_find(&r->pointers, v.node->id, &found)) {
    tn_read_fail(r, at, "bad-access", NULL,
                 "expected a pointer whose memory is known, as from T.allocate or A.data, got %s",
                 tn_val_what(v));
    return NULL;
  }
  const tn_node *memory = (const tn_node *)(uintptr_t)found;
  bool is_buffer = memory->op == TN_OP_BUFFER;
  if (is_buffer && tn_buffer_ndim(memory) == 1 && memory->dtype == elem &&
      tn_buffer_is_plain(memory)) {
    return memory;
  }
  const tn_node *size = product_of(r, at, is_buffer ? memory->in[TN_BUFFER_SHAPE] : memory);
  if (size == NULL) {
    return NULL;
  }
  const tn_buffer_spec spec = {.name = v.node->attr.text,
                               .dtype = elem,
                               .ndim = 1,
                               .shape = &size,
                               .data = v.node,
                               .scope = is_buffer ? memory->in[TN_BUFFER_SCOPE]->attr.text : NULL};
  const tn_node *view = tn_buffer_new(r->ir, &spec);
  tn_mark(r, view, at);
  tn_add_stmt(r, at, tn_node_new(r->ir, TN_OP_DECL, TN_DT_NONE, (tn_attr){0}, 1, &view));
  return view;
}

/* A predicate of one that is always true is none. False, reported. */
static bool read_predicate(tn_reader *r, const tn_ast *ast, const tn_node **out) {
  *out = NULL;
  if (ast == NULL || ast->kind == TN_AST_NONE || ast->kind == TN_AST_BOOL) {
    return true;
  }
  *out = tn_read_expr(r, ast);
  return *out != NULL;
}

/* T.load("float32x4", p, T.ramp(i, 1, 4), predicate) */
static tn_val call_load(tn_reader *r, const tn_call *call) {
  const tn_ast *args[4];
  tn_dtype dtype = TN_DT_NONE;
  const tn_node *predicate = NULL;
  if (!tn_bind_args(r, call->ast, "dtype var index predicate?", args) ||
      !tn_in_body(r, call->ast) || !tn_read_dtype(r, args[0], &dtype)) {
    return tn_val_error();
  }
  const tn_node *buffer = buffer_of(r, args[1], tn_dtype_elem(dtype));
  const tn_node *index = buffer == NULL ? NULL : tn_read_index(r, args[2]);
  const tn_node *out = NULL;
  if (index == NULL || !read_predicate(r, args[3], &predicate) ||
      !tn_read_ok(r, call->ast, "bad-access",
                  tn_tir_load(r->ir, buffer, 1, &index, predicate, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

static tn_val call_store(tn_reader *r, const tn_call *call) {
  const tn_ast *args[4];
  const tn_node *predicate = NULL;
  if (!tn_bind_args(r, call->ast, "var index value predicate?", args)) {
    return tn_val_error();
  }
  const tn_node *value = tn_read_expr(r, args[2]);
  const tn_node *buffer = value == NULL ? NULL : buffer_of(r, args[0], tn_dtype_elem(value->dtype));
  const tn_node *index = buffer == NULL ? NULL : tn_read_index(r, args[1]);
  const tn_node *out = NULL;
  if (index == NULL || !read_predicate(r, args[3], &predicate) ||
      !tn_read_ok(r, call->ast, "bad-access",
                  tn_tir_store(r->ir, buffer, value, 1, &index, predicate, &out))) {
    return tn_val_error();
  }
  tn_add_stmt(r, call->ast, out);
  return tn_val_void();
}

/* ---- flattened buffers ---- */

/* T.preflattened_buffer(A, shape, dtype, ...): the parameter has this shape for those who call; in
 * the body its name stands for the same memory as it was declared. */
static tn_val call_preflattened(tn_reader *r, const tn_call *call) {
  const tn_ast *args[10];
  const tn_ast *first = call->ast->n > 1 ? call->ast->in[1] : NULL;
  if (!tn_bind_args(r, call->ast,
                    "postflattened shape dtype? data? strides? elem_offset? scope? align? "
                    "offset_factor? buffer_type?",
                    args)) {
    return tn_val_error();
  }
  tn_val v = tn_read_val(r, first);
  uint32_t index = 0;
  while (index < r->buffers.len &&
         (!tn_val_is_node(v, TN_OP_BUFFER) || r->buffers.data[index] != v.node)) {
    ++index;
  }
  if (index == r->buffers.len || first->kind != TN_AST_NAME) {
    return tn_val_is_error(v)
               ? v
               : tn_read_fail(r, first, "bad-match-buffer", NULL,
                              "expected a buffer that is a parameter, got %s", tn_val_what(v));
  }
  tn_buffer_args whole = {.shape = args[1], .dtype = args[2]};
  const tn_node *param = tn_read_buffer(r, call->ast, first->text, &whole);
  if (param == NULL) {
    return tn_val_error();
  }
  const tn_buffer_spec spec = {.name = first->text,
                               .dtype = v.node->dtype,
                               .ndim = tn_buffer_ndim(v.node),
                               .shape = v.node->in[TN_BUFFER_SHAPE]->in,
                               .data = param->in[TN_BUFFER_DATA]};
  const tn_node *view = tn_buffer_new(r->ir, &spec);
  tn_mark(r, view, first);
  r->buffers.data[index] = param;
  tn_scopes_set(&r->scopes, first->text, tn_val_node(view));
  tn_add_stmt(r, call->ast, tn_node_new(r->ir, TN_OP_DECL, TN_DT_NONE, (tn_attr){0}, 1, &view));
  return tn_val_void();
}

static const tn_call_row rows[] = {
    {"T.var", call_var, 0, TN_USE_TIR},
    {"T.let", call_let, 0, TN_USE_TIR},
    {"T.load", call_load, 0, TN_USE_TIR},
    {"T.store", call_store, 0, TN_USE_TIR},
    {"T.preflattened_buffer", call_preflattened, 0, TN_USE_TIR},
};

tn_call_table tn_tir_old_calls(void) { return (tn_call_table){rows, sizeof rows / sizeof rows[0]}; }
