/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* `with` of the loop level, and the calls that are statements there: raw memory, attributes,
 * threads, evaluate. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

/* ---- raw memory ---- */

static const char *one_name(tn_reader *r, const tn_call *call) {
  if (call->n_names == 1 && call->names[0]->kind == TN_AST_NAME) {
    return call->names[0]->text;
  }
  tn_read_fail(r, call->ast, "needs-one-name", NULL,
               "the result of %s is given one name: name = %s(...)", call->row->name,
               call->row->name);
  return NULL;
}

static tn_val call_allocate(tn_reader *r, const tn_call *call) {
  const tn_ast *args[5];
  tn_dtype dtype = TN_DT_F32;
  const char *name = one_name(r, call);
  if (name == NULL ||
      !tn_bind_args(r, call->ast, "extents dtype scope? condition? annotations?", args) ||
      !tn_read_dtype(r, args[1], &dtype)) {
    return tn_val_error();
  }
  const tn_node *extents = tn_to_index_list(r, args[0], tn_read_val(r, args[0]));
  const char *scope = args[2] == NULL ? "global" : tn_to_str(r, args[2], tn_read_val(r, args[2]));
  const tn_node *cond = args[3] == NULL ? tn_bool(r->ir, true) : tn_read_cond(r, args[3]);
  const tn_node *annotations = NULL;
  if (extents == NULL || scope == NULL || cond == NULL ||
      !tn_read_annotations(r, args[4], &annotations)) {
    return tn_val_error();
  }
  const tn_node *var = tn_var_new(r->ir, name, TN_DT_HANDLE);
  const tn_node *in[] = {[TN_ALLOC_VAR] = var,
                         [TN_ALLOC_EXTENTS] = extents,
                         [TN_ALLOC_COND] = cond,
                         [TN_ALLOC_SCOPE] = tn_str(r->ir, scope),
                         [TN_ALLOC_ANNOTATIONS] = annotations};
  tn_map_set(&r->pointers, var->id, (uint64_t)(uintptr_t)extents);
  tn_add_stmt(r, call->ast, tn_node_new(r->ir, TN_OP_ALLOC, dtype, (tn_attr){0}, 5, in));
  return tn_val_node(var);
}

/* True when the element holds the number. A float is rounded to a narrower one, never cut to an
 * integer. */
static bool set_element(tn_array *array, int64_t i, tn_val v) {
  if (v.kind == TN_VAL_FLOAT) {
    tn_array_set_f64(array, i, v.f64);
    return tn_dtype_is_any_float(array->dtype) || tn_array_get_f64(array, i) == v.f64;
  }
  if (tn_dtype_is_any_float(array->dtype)) {
    tn_array_set_f64(array, i, v.kind == TN_VAL_UINT ? (double)v.u64 : (double)v.i64);
    return true;
  }
  tn_array_set_i64(array, i, v.i64);
  bool is_u64 = array->dtype == TN_DT_U64;
  return v.kind == TN_VAL_UINT ? is_u64
                               : tn_array_get_i64(array, i) == v.i64 && (v.i64 >= 0 || !is_u64);
}

/* Fills the array from a flat or nested list of numbers; false, reported. */
static bool fill_elements(tn_reader *r, const tn_ast *at, tn_val v, tn_array *array, int64_t n,
                          int64_t *filled) {
  if (v.kind == TN_VAL_LIST) {
    for (uint32_t i = 0; i < v.n; ++i) {
      if (!fill_elements(r, at, v.items[i], array, n, filled)) {
        return false;
      }
    }
    return true;
  }
  if (*filled >= n) {
    tn_read_fail(r, at, "bad-constant", NULL,
                 "more than the %" PRId64 " elements that the shape has", n);
    return false;
  }
  if (tn_val_is_node(v, TN_OP_FLOAT)) {
    v = (tn_val){.kind = TN_VAL_FLOAT, .f64 = v.node->attr.f64};
  } else if (tn_val_is_node(v, TN_OP_INT)) {
    v = (tn_val){.kind = TN_VAL_INT, .i64 = v.node->attr.i64};
  }
  if (!tn_val_is_number(v)) {
    tn_read_fail(r, at, "bad-constant", NULL, "expected numbers, got %s", tn_val_what(v));
    return false;
  }
  if (!set_element(array, (*filled)++, v)) {
    char dtype[TN_DTYPE_TEXT_BYTES];
    tn_read_fail(r, at, "bad-constant", NULL, "element %" PRId64 " of the constant does not fit %s",
                 *filled - 1, tn_dtype_print(array->dtype, dtype));
    return false;
  }
  return true;
}

bool tn_fill_array(tn_reader *r, const tn_ast *at, tn_val v, tn_array *array) {
  int64_t n = tn_array_n_elems(array);
  int64_t filled = 0;
  if (!fill_elements(r, at, v, array, n, &filled)) {
    return false;
  }
  if (filled != n) {
    tn_read_fail(r, at, "bad-constant", NULL, "%" PRId64 " elements for a shape of %" PRId64,
                 filled, n);
    return false;
  }
  return true;
}

/* Numbers in a flat or nested list, counted no further than `limit`. */
static int64_t count_numbers(tn_val v, int64_t limit) {
  int64_t n = v.kind == TN_VAL_LIST ? 0 : 1;
  for (uint32_t i = 0; v.kind == TN_VAL_LIST && i < v.n && n < limit; ++i) {
    n += count_numbers(v.items[i], limit - n);
  }
  return n;
}

enum { MAX_CONST_ELEMS = 1 << 27 }; /* a text of the largest size has no more numbers */

/* As many numbers as the shape has elements, looked at before memory is made for them: a shape of a
 * few digits asks for more than there is. False, reported. */
static bool check_count(tn_reader *r, const tn_ast *at, tn_val data, uint32_t ndim,
                        const int64_t *shape) {
  int64_t n = 1;
  for (uint32_t i = 0; i < ndim; ++i) {
    if (shape[i] < 0 || __builtin_mul_overflow(n, shape[i], &n)) {
      return true; /* making the array says so */
    }
  }
  int64_t limit = n < MAX_CONST_ELEMS ? n : MAX_CONST_ELEMS;
  int64_t n_given = count_numbers(data, limit);
  if (n_given >= n) {
    return true;
  }
  tn_read_fail(r, at, "bad-constant", NULL, "%" PRId64 " elements for a shape of %" PRId64, n_given,
               n);
  return false;
}

static tn_val call_allocate_const(tn_reader *r, const tn_call *call) {
  const tn_ast *args[4];
  tn_dtype dtype = TN_DT_F32;
  int64_t shape[TN_MAX_NDIM];
  const char *name = one_name(r, call);
  if (name == NULL || !tn_bind_args(r, call->ast, "data dtype extents annotations?", args) ||
      !tn_read_dtype(r, args[1], &dtype)) {
    return tn_val_error();
  }
  tn_val dims = tn_read_val(r, args[2]);
  if (dims.kind != TN_VAL_LIST || dims.n > TN_MAX_NDIM || tn_dtype_lanes(dtype) != 1 ||
      tn_dtype_is_handle(dtype)) {
    return tn_val_is_error(dims) ? dims
                                 : tn_read_fail(r, args[2], "bad-constant", NULL,
                                                "expected a list of at most %d extents "
                                                "and a plain element type",
                                                TN_MAX_NDIM);
  }
  for (uint32_t i = 0; i < dims.n; ++i) {
    if (!tn_to_int(r, args[2], dims.items[i], &shape[i])) {
      return tn_val_error();
    }
  }
  tn_val data = tn_read_val(r, args[0]);
  tn_array array = {0};
  if (tn_val_is_error(data) || !check_count(r, args[0], data, dims.n, shape) ||
      !tn_read_ok(r, args[2], "bad-constant",
                  tn_array_init(&array, dtype, (int32_t)dims.n, shape))) {
    return tn_val_error();
  }
  if (!tn_fill_array(r, args[0], data, &array)) {
    tn_array_deinit(&array);
    return tn_val_error();
  }
  const tn_node *var = tn_var_new(r->ir, name, TN_DT_HANDLE);
  const tn_node *in[] = {
      [TN_CONST_ALLOC_VAR] = var, [TN_CONST_ALLOC_ARRAY] = tn_const_new(r->ir, &array)};
  tn_add_stmt(r, call->ast, tn_node_new(r->ir, TN_OP_CONST_ALLOC, TN_DT_NONE, (tn_attr){0}, 2, in));
  return tn_val_node(var);
}

/* ---- attributes and threads ---- */

static void push_wrap(tn_reader *r, const tn_ast *at, tn_op op, const char *text, const tn_node *a,
                      const tn_node *b) {
  tn_wrap wrap = {.op = op,
                  .text = text,
                  .a = a,
                  .b = b,
                  .start = r->body->stmts.len,
                  .pos = tn_ast_pos(at, r->source)};
  TN_VEC_PUSH(&r->body->wraps, wrap);
}

enum { MAX_WRAPS = 200 }; /* each is a level of nesting when it is printed */

static bool may_wrap(tn_reader *r, const tn_ast *at) {
  if (!tn_in_body(r, at)) {
    return false;
  }
  if (r->body->wraps.len < MAX_WRAPS) {
    return true;
  }
  tn_read_fail(r, at, "nested-too-deep", NULL, "more than %d attributes over one block", MAX_WRAPS);
  return false;
}

/* T.attr(node, key, value) over the rest of the block; an env_thread's "thread_extent" is a launch.
 */
static tn_val call_attr(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  if (!tn_bind_args(r, call->ast, "node attr_key value", args) || !may_wrap(r, call->ast)) {
    return tn_val_error();
  }
  const tn_node *node = tn_to_attr(r, args[0], tn_read_val(r, args[0]));
  const char *key = tn_to_str(r, args[1], tn_read_val(r, args[1]));
  const tn_node *value = tn_to_attr(r, args[2], tn_read_val(r, args[2]));
  if (node == NULL || key == NULL || value == NULL) {
    return tn_val_error();
  }
  uint64_t tag = 0;
  if (strcmp(key, "thread_extent") == 0 && node->op == TN_OP_VAR &&
      tn_map_find(&r->env_threads, node->id, &tag)) {
    if (!tn_read_ok(r, args[2], "type-mismatch", tn_tir_cast(r->ir, node->dtype, value, &value))) {
      return tn_val_error();
    }
    push_wrap(r, call->ast, TN_OP_LAUNCH, (const char *)(uintptr_t)tag, node, value);
  } else {
    push_wrap(r, call->ast, TN_OP_ATTR, key, node, value);
  }
  return tn_val_void();
}

static tn_val call_env_thread(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  tn_dtype dtype = TN_DT_I32;
  const char *name = one_name(r, call);
  if (name == NULL || !tn_bind_args(r, call->ast, "thread_tag dtype?", args) ||
      (args[1] != NULL && !tn_read_dtype(r, args[1], &dtype))) {
    return tn_val_error();
  }
  const char *tag = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  if (tag == NULL) {
    return tn_val_error();
  }
  const tn_node *var = tn_var_new(r->ir, name, dtype);
  tn_map_set(&r->env_threads, var->id, (uint64_t)(uintptr_t)tn_ir_text(r->ir, tag));
  return tn_val_node(var);
}

/* T.launch_thread("blockIdx.x", 4) makes the variable; T.launch_thread(bx, 4) takes one of
 * T.env_thread. */
static tn_val call_launch_thread(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "thread extent", args) || !may_wrap(r, call->ast)) {
    return tn_val_error();
  }
  tn_val thread = tn_read_val(r, args[0]);
  const tn_node *extent = tn_read_index(r, args[1]);
  if (extent == NULL || tn_val_is_error(thread)) {
    return tn_val_error();
  }
  uint64_t tag = 0;
  if (tn_val_is_node(thread, TN_OP_VAR) && tn_map_find(&r->env_threads, thread.node->id, &tag)) {
    if (!tn_read_ok(r, args[1], "type-mismatch",
                    tn_tir_cast(r->ir, thread.node->dtype, extent, &extent))) {
      return tn_val_error();
    }
    push_wrap(r, call->ast, TN_OP_LAUNCH, (const char *)(uintptr_t)tag, thread.node, extent);
    return call->n_names == 0 ? tn_val_void() : thread;
  }
  const char *text = tn_to_str(r, args[0], thread);
  const char *name = text == NULL ? NULL
                     : call->n_names == 1 && call->names[0]->kind == TN_AST_NAME
                         ? call->names[0]->text
                         : "tx";
  if (text == NULL) {
    return tn_val_error();
  }
  const tn_node *var = tn_var_new(r->ir, name, extent->dtype);
  push_wrap(r, call->ast, TN_OP_LAUNCH, tn_ir_text(r->ir, text), var, extent);
  return call->n_names == 0 ? tn_val_void() : tn_val_node(var);
}

/* ---- evaluate, return, function attributes ---- */

static tn_val call_ret(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (tn_bind_args(r, call->ast, "value", args)) {
    tn_add_return(r, call->ast, args[0]);
  }
  return tn_val_void();
}

static tn_val call_evaluate(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "value", args)) {
    return tn_val_error();
  }
  tn_val v = tn_read_val(r, args[0]);
  if (v.kind == TN_VAL_VOID) {
    return v; /* T.evaluate(T.ret(x)) */
  }
  const tn_node *value =
      tn_val_is_node(v, TN_OP_INVOKE) ? v.node : tn_to_expr(r, args[0], v, TN_DT_NONE);
  if (value == NULL) {
    return tn_val_error();
  }
  tn_add_stmt(r, call->ast, tn_node_new(r->ir, TN_OP_EVAL, TN_DT_NONE, (tn_attr){0}, 1, &value));
  return tn_val_void();
}

static tn_val call_let_stmt(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "value var?", args)) {
    return tn_val_error();
  }
  return args[1] != NULL ? tn_read_let(r, call->ast, args[1], args[0]) : tn_read_val(r, args[0]);
}

/* Says again what `def` says; another name is a mistake. */
static tn_val call_func_name(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "name", args)) {
    return tn_val_error();
  }
  const char *name = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  if (name != NULL && (r->func_name == NULL || strcmp(name, r->func_name) != 0)) {
    return tn_read_fail(r, args[0], "given-twice", NULL, "the function has a name already: '%s'",
                        r->func_name == NULL ? "" : r->func_name);
  }
  return name == NULL ? tn_val_error() : tn_val_void();
}

/* T.Assert(...) as a statement and as a `with`: it holds from here on. */
static tn_val call_assert(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "condition message?", args)) {
    return tn_val_error();
  }
  tn_add_assert(r, call->ast, args[0], args[1]);
  return tn_val_void();
}

static tn_val call_func_attr(tn_reader *r, const tn_call *call) {
  tn_read_func_attr(r, call->ast);
  return tn_val_void();
}

static const tn_call_row rows[] = {
    {"T.allocate", call_allocate, 0, TN_USE_TIR},
    {"T.allocate_const", call_allocate_const, 0, TN_USE_TIR},
    {"T.attr", call_attr, 0, TN_USE_TIR},
    {"T.env_thread", call_env_thread, 0, TN_USE_TIR},
    {"T.launch_thread", call_launch_thread, 0, TN_USE_TIR},
    {"T.LetStmt", call_let_stmt, 0, TN_USE_TIR},
    {"T.bind", call_let_stmt, 0, TN_USE_TIR},
    {"T.Bind", call_let_stmt, 0, TN_USE_TIR},
    {"T.evaluate", call_evaluate, 0, TN_USE_TIR},
    {"T.ret", call_ret, 0, TN_USE_TIR},
    {"T.func_attr", call_func_attr, 0, TN_USE_TIR},
    {"R.func_attr", call_func_attr, 0, TN_USE_GRAPH},
    {"T.func_name", call_func_name, 0, TN_USE_TIR},
    {"R.func_name", call_func_name, 0, TN_USE_GRAPH},
    {"T.Assert", call_assert, 0, TN_USE_TIR},
};

tn_call_table tn_tir_stmt_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}

/* ---- with ---- */

/* The forms whose effect lasts for the block: they work on an inner body, which becomes one
 * statement. */
static void read_scoped_with(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *item = stmt->in[TN_AST_WITH_ITEM];
  const tn_ast *target = stmt->in[TN_AST_WITH_TARGET];
  tn_body body = {0};
  tn_body *outer = r->body;
  r->body = &body;
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  if (target != NULL) {
    const tn_ast *parts[2] = {target, item};
    tn_read_tir_stmt(r, tn_ast_like(&r->arena, stmt, TN_AST_ASSIGN, 2, parts));
  } else {
    (void)tn_read_rhs(r, item, 0, NULL);
  }
  tn_read_stmts(r, stmt->in[TN_AST_WITH_BODY]);
  tn_scopes_pop(&r->scopes);
  r->body = outer;
  const tn_node *node = tn_finish_body(r, &body);
  tn_body_deinit(&body);
  TN_VEC_PUSH(&r->body->stmts, node);
}

void tn_read_with(tn_reader *r, const tn_ast *stmt) {
  static const char *const scoped[] = {"T.attr",           "T.LetStmt",     "T.allocate",
                                       "T.allocate_const", "T.decl_buffer", "T.launch_thread",
                                       "T.Assert",         "T.let",         "T.buffer_decl",
                                       "T.bind",           "T.Bind",        "T.realize"};
  static const char *const known[] = {
      "T.block",       "T.sblock",        "T.init",           "T.attr",   "T.LetStmt", "T.allocate",
      "T.decl_buffer", "T.launch_thread", "T.allocate_const", "T.Assert", "T.While",   "T.realize"};
  const tn_ast *item = stmt->in[TN_AST_WITH_ITEM];
  const char *name = item->kind == TN_AST_CALL ? tn_dotted(r, item->in[0]) : NULL;
  if (name != NULL && (strcmp(name, "T.block") == 0 || strcmp(name, "T.sblock") == 0)) {
    tn_read_block(r, stmt, item);
    return;
  }
  if (name != NULL && strcmp(name, "T.init") == 0) {
    tn_read_init(r, stmt);
    return;
  }
  for (size_t i = 0; name != NULL && i < sizeof scoped / sizeof scoped[0]; ++i) {
    if (strcmp(name, scoped[i]) == 0) {
      read_scoped_with(r, stmt);
      return;
    }
  }
  if (name != NULL && strcmp(name, "T.While") == 0 && item->n == 2 &&
      item->in[1]->kind != TN_AST_KEYWORD) {
    const tn_ast *parts[2] = {item->in[1], stmt->in[TN_AST_WITH_BODY]};
    tn_read_tir_stmt(r, tn_ast_like(&r->arena, stmt, TN_AST_WHILE, 2, parts));
    return;
  }
  char *hint = name == NULL ? NULL : tn_near_of(name, known, sizeof known / sizeof known[0]);
  tn_read_fail(r, item, "unknown-with", hint,
               "expected T.block, T.init, T.attr, T.LetStmt, T.allocate, T.decl_buffer or "
               "T.launch_thread after 'with'");
  free(hint);
}
