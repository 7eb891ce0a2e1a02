/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The graph interpreter: walks the tree of a function, statement by statement, exactly in order. It
 * is what compiled code is compared with, before and after every graph pass. This file has runs,
 * frames, statements and plain expressions; interp_call.c has the operators, interp_match.c the
 * binding of symbolic sizes. */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "graph/interp_priv.h"

struct tn_captured {
  uint32_t n_vars;
  uint32_t n_syms;
  uint64_t *var_ids;
  tn_value *values;
  uint64_t *sym_ids;
  int64_t *sym_values;
  const tn_node *self; /* the function's own name, for calls of itself; NULL: it has none */
};

/* ---- runs ---- */

tn_interp *tn_interp_new(const tn_module *module, const tn_interp_hooks *hooks) {
  tn_interp *in = calloc(1, sizeof *in);
  TN_CHECK(in != NULL, "no memory for an interpreter");
  in->module = module;
  if (hooks != NULL) {
    in->hooks = *hooks;
  }
  tn_arena_init(&in->arena, 0);
  return in;
}

static void free_array(tn_interp *in, tn_array *array) {
  if (in->hooks.checker != NULL && !array->is_view) {
    tn_tir_checker_forget(in->hooks.checker, array->data);
  }
  tn_array_deinit(array);
  free(array);
}

void tn_interp_free(tn_interp *in) {
  if (in == NULL) {
    return;
  }
  for (size_t i = 0; i < in->arrays.len; ++i) {
    free_array(in, in->arrays.data[i].array);
  }
  TN_VEC_DEINIT(&in->arrays);
  tn_arena_deinit(&in->arena);
  free(in);
}

static void mark(tn_map *keep, const tn_value *value) {
  if (value->kind == TN_V_ARRAY) {
    tn_map_set(keep, (uint64_t)(uintptr_t)value->array, 1);
  }
  for (int32_t i = 0; i < value->n && value->items != NULL; ++i) {
    mark(keep, &value->items[i]);
  }
  const struct tn_captured *captured = value->kind == TN_V_FUNC ? value->captured : NULL;
  for (uint32_t i = 0; captured != NULL && i < captured->n_vars; ++i) {
    mark(keep, &captured->values[i]);
  }
}

/* Frees the arrays made since `first` that are no part of the result. Newest first, so that a kept
 * view is seen before the memory it shows. */
static void sweep(tn_interp *in, size_t first, const tn_value *result) {
  tn_map keep = {0};
  if (result != NULL) {
    mark(&keep, result);
  }
  size_t n_kept = in->arrays.len;
  for (size_t i = in->arrays.len; i-- > first;) {
    tn_owned_array owned = in->arrays.data[i];
    if (tn_map_find(&keep, (uint64_t)(uintptr_t)owned.array, NULL)) {
      if (owned.base != NULL) {
        tn_map_set(&keep, (uint64_t)(uintptr_t)owned.base, 1);
      }
      in->arrays.data[--n_kept] = owned;
    } else {
      free_array(in, owned.array);
    }
  }
  size_t n = in->arrays.len - n_kept;
  if (n > 0) {
    memmove(in->arrays.data + first, in->arrays.data + n_kept, n * sizeof *in->arrays.data);
  }
  in->arrays.len = first + n;
  tn_map_deinit(&keep);
}

tn_status tn_interp_array(tn_interp *in, tn_dtype dtype, int32_t ndim, const int64_t *shape,
                          tn_value *out) {
  tn_array *array = calloc(1, sizeof *array);
  TN_CHECK(array != NULL, "no memory for an array");
  tn_status st = tn_array_init(array, dtype, ndim, shape);
  if (st != NULL) {
    free(array);
    return st;
  }
  TN_VEC_PUSH(&in->arrays, (tn_owned_array){.array = array});
  *out = (tn_value){.kind = TN_V_ARRAY, .array = array};
  return NULL;
}

tn_status tn_interp_fresh_array(tn_interp *in, tn_dtype dtype, int32_t ndim, const int64_t *shape,
                                tn_value *out) {
  TN_TRY(tn_interp_array(in, dtype, ndim, shape, out));
  if (in->hooks.checker != NULL) {
    tn_tir_checker_fresh(in->hooks.checker, out->array->data, tn_array_n_bytes(out->array));
  }
  return NULL;
}

tn_value tn_interp_shape(tn_interp *in, int32_t n, const int64_t *dims) {
  int64_t *copy = TN_ARENA_ARRAY(&in->arena, int64_t, n);
  for (int32_t i = 0; i < n; ++i) {
    copy[i] = dims[i];
  }
  return (tn_value){.kind = TN_V_SHAPE, .n = n, .dims = copy};
}

/* ---- frames ---- */

static void frame_deinit(tn_frame *frame) {
  tn_map_deinit(&frame->vars);
  tn_map_deinit(&frame->syms);
  TN_VEC_DEINIT(&frame->values);
}

static void frame_set(tn_frame *frame, const tn_node *var, const tn_value *value) {
  tn_map_set(&frame->vars, var->id, frame->values.len);
  TN_VEC_PUSH(&frame->values, *value);
}

static const struct tn_captured *capture(tn_interp *in, const tn_frame *frame,
                                         const tn_node *self) {
  struct tn_captured *c = TN_ARENA_NEW(&in->arena, struct tn_captured);
  c->self = self;
  c->var_ids = TN_ARENA_ARRAY(&in->arena, uint64_t, frame->vars.len);
  c->values = TN_ARENA_ARRAY(&in->arena, tn_value, frame->vars.len);
  c->sym_ids = TN_ARENA_ARRAY(&in->arena, uint64_t, frame->syms.len);
  c->sym_values = TN_ARENA_ARRAY(&in->arena, int64_t, frame->syms.len);
  for (size_t i = 0; i < frame->vars.cap; ++i) {
    if (frame->vars.used[i] != 0) {
      c->var_ids[c->n_vars] = frame->vars.slots[2 * i];
      c->values[c->n_vars++] = frame->values.data[frame->vars.slots[2 * i + 1]];
    }
  }
  for (size_t i = 0; i < frame->syms.cap; ++i) {
    if (frame->syms.used[i] != 0) {
      c->sym_ids[c->n_syms] = frame->syms.slots[2 * i];
      c->sym_values[c->n_syms++] = (int64_t)frame->syms.slots[2 * i + 1];
    }
  }
  return c;
}

static void restore(tn_frame *frame, const tn_value *func) {
  const struct tn_captured *c = func->captured;
  for (uint32_t i = 0; i < c->n_vars; ++i) {
    tn_map_set(&frame->vars, c->var_ids[i], frame->values.len);
    TN_VEC_PUSH(&frame->values, c->values[i]);
  }
  for (uint32_t i = 0; i < c->n_syms; ++i) {
    tn_map_set(&frame->syms, c->sym_ids[i], (uint64_t)c->sym_values[i]);
  }
  if (c->self != NULL) {
    frame_set(frame, c->self, func);
  }
}

static tn_value func_value(tn_interp *in, const tn_frame *frame, const tn_node *func,
                           const tn_node *self) {
  return (tn_value){.kind = TN_V_FUNC,
                    .func = func,
                    .str = func->attr.text,
                    .captured = capture(in, frame, self)};
}

/* ---- expressions ---- */

static tn_status eval_list(tn_interp *in, tn_frame *frame, const tn_node *list, tn_value **out) {
  tn_value *items = TN_ARENA_ARRAY(&in->arena, tn_value, list->n_in);
  for (uint32_t i = 0; i < list->n_in; ++i) {
    TN_TRY(tn_interp_eval(in, frame, list->in[i], &items[i]));
  }
  *out = items;
  return NULL;
}

static tn_status eval_get(tn_interp *in, tn_frame *frame, const tn_node *expr, tn_value *out) {
  tn_value tuple = {0};
  TN_TRY(tn_interp_eval(in, frame, expr->in[0], &tuple));
  if (tuple.kind != TN_V_TUPLE || expr->attr.i64 < 0 || expr->attr.i64 >= tuple.n) {
    return TN_ERR(TN_INVALID, "item %" PRId64 " of what is no tuple of so many", expr->attr.i64);
  }
  *out = tuple.items[expr->attr.i64];
  return NULL;
}

static tn_status eval_shape(tn_interp *in, tn_frame *frame, const tn_node *expr, tn_value *out) {
  *out = (tn_value){.kind = TN_V_SHAPE, .n = (int32_t)expr->n_in};
  out->dims = TN_ARENA_ARRAY(&in->arena, int64_t, expr->n_in);
  for (uint32_t i = 0; i < expr->n_in; ++i) {
    TN_TRY(tn_dim_eval(expr->in[i], &frame->syms, &out->dims[i]));
  }
  return NULL;
}

static tn_status eval_prim(tn_frame *frame, const tn_node *value, tn_value *out) {
  if (value->op == TN_OP_FLOAT) {
    *out = (tn_value){.kind = TN_V_FLOAT, .f64 = value->attr.f64};
    return NULL;
  }
  *out = (tn_value){.kind = TN_V_INT};
  return tn_dim_eval(value, &frame->syms, &out->i64);
}

static tn_status eval_var(tn_frame *frame, const tn_node *expr, tn_value *out) {
  uint64_t at = 0;
  if (!tn_map_find(&frame->vars, expr->id, &at)) {
    return TN_ERR(TN_INVALID, "'%s' has no value here", expr->attr.text);
  }
  *out = frame->values.data[at];
  return NULL;
}

static tn_status eval_global(tn_interp *in, const tn_node *expr, tn_value *out) {
  const tn_node *func = tn_module_find(in->module, expr->attr.text);
  if (func == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", expr->attr.text);
  }
  *out = (tn_value){.kind = TN_V_FUNC, .func = func, .str = expr->attr.text};
  return NULL;
}

static tn_status eval_invoke(tn_interp *in, tn_frame *frame, const tn_node *expr, tn_value *out) {
  const tn_node *args = expr->in[TN_INVOKE_ARGS];
  tn_value callee = {0};
  tn_value *items = NULL;
  TN_TRY(tn_interp_eval(in, frame, expr->in[TN_INVOKE_CALLEE], &callee));
  TN_TRY(eval_list(in, frame, args, &items));
  return tn_interp_apply(in, &callee, items, (int32_t)args->n_in, out);
}

tn_status tn_interp_eval(tn_interp *in, tn_frame *frame, const tn_node *expr, tn_value *out) {
  switch ((int)expr->op) {
    case TN_OP_GVAR:
      return eval_var(frame, expr, out);
    case TN_OP_CONST: /* nobody writes to a constant: kernels write to outputs only */
      *out = (tn_value){.kind = TN_V_ARRAY, .array = (tn_array *)(uintptr_t)expr->attr.array};
      return NULL;
    case TN_OP_GLOBAL:
      return eval_global(in, expr, out);
    case TN_OP_EXTERN:
      *out = (tn_value){.kind = TN_V_FUNC, .func = expr, .str = expr->attr.text};
      return NULL;
    case TN_OP_GFUNC:
      *out = func_value(in, frame, expr, NULL);
      return NULL;
    case TN_OP_TUPLE:
      *out = (tn_value){.kind = TN_V_TUPLE, .n = (int32_t)expr->n_in};
      return eval_list(in, frame, expr, &out->items);
    case TN_OP_GET:
      return eval_get(in, frame, expr, out);
    case TN_OP_SHAPE:
      return eval_shape(in, frame, expr, out);
    case TN_OP_PRIM:
      return eval_prim(frame, expr->in[0], out);
    case TN_OP_STR:
      *out = (tn_value){.kind = TN_V_STR, .str = expr->attr.text};
      return NULL;
    case TN_OP_DTYPE: {
      char *text = TN_ARENA_ARRAY(&in->arena, char, TN_DTYPE_TEXT_BYTES);
      *out = (tn_value){.kind = TN_V_STR, .str = tn_dtype_print((tn_dtype)expr->attr.i64, text)};
      return NULL;
    }
    case TN_OP_CALL:
      return tn_status_wrap(tn_interp_builtin(in, frame, expr, out), "R.%s", expr->attr.def->name);
    case TN_OP_INVOKE:
      return eval_invoke(in, frame, expr, out);
    default:
      return eval_prim(frame, expr, out);
  }
}

/* ---- statements ---- */

/* is_tail: what the body gives is what the function gives. */
static tn_status run_body(tn_interp *in, tn_frame *frame, const tn_node *body, bool is_tail,
                          tn_value *out);

static tn_status is_true(const tn_value *value, bool *out) {
  if (value->kind == TN_V_INT) {
    *out = value->i64 != 0;
    return NULL;
  }
  if (value->kind == TN_V_ARRAY && tn_array_n_elems(value->array) == 1) {
    *out = tn_array_get_f64(value->array, 0) != 0;
    return NULL;
  }
  return TN_ERR(TN_INVALID, "the condition of an if is not one value");
}

static bool has_next(const tn_frame *frame) { return frame->next.kind == TN_V_FUNC; }

static tn_status run_if(tn_interp *in, tn_frame *frame, const tn_node *stmt, bool is_tail) {
  tn_value cond = {0};
  tn_value value = {0};
  bool is_taken = false;
  TN_TRY(tn_interp_eval(in, frame, stmt->in[TN_GIF_COND], &cond));
  TN_TRY(is_true(&cond, &is_taken));
  TN_TRY(run_body(in, frame, stmt->in[is_taken ? TN_GIF_THEN : TN_GIF_ELSE], is_tail, &value));
  if (!has_next(frame)) {
    frame_set(frame, stmt->in[TN_GIF_VAR], &value);
  }
  return NULL;
}

static tn_status run_match_cast(tn_interp *in, tn_frame *frame, const tn_node *stmt) {
  const tn_node *type = stmt->in[TN_MATCH_CAST_TYPE];
  const tn_node *var = stmt->in[TN_MATCH_CAST_VAR];
  tn_value value = {0};
  TN_TRY(tn_interp_eval(in, frame, stmt->in[TN_MATCH_CAST_VALUE], &value));
  tn_interp_bind(frame, type, &value);
  tn_buf what = TN_BUF_INIT;
  tn_buf_printf(&what, "match_cast to '%s'", var->attr.text);
  tn_status st = tn_interp_check(frame, type, &value, tn_buf_text(&what));
  tn_buf_deinit(&what);
  frame_set(frame, var, &value);
  return st;
}

/* The call that comes in the place of this one. */
static tn_status set_next(tn_interp *in, tn_frame *frame, const tn_node *invoke) {
  const tn_node *args = invoke->in[TN_INVOKE_ARGS];
  tn_value callee = {0};
  TN_TRY(tn_interp_eval(in, frame, invoke->in[TN_INVOKE_CALLEE], &callee));
  TN_TRY(eval_list(in, frame, args, &frame->next_args));
  if (callee.kind != TN_V_FUNC) {
    return TN_ERR(TN_INVALID, "what is called is not a function");
  }
  frame->n_next_args = (int32_t)args->n_in;
  frame->next = callee;
  return NULL;
}

static tn_status run_bind(tn_interp *in, tn_frame *frame, const tn_node *stmt, bool is_tail) {
  const tn_node *expr = stmt->in[TN_BIND_VALUE];
  tn_value value = {0};
  if (is_tail && expr->op == TN_OP_INVOKE) {
    return set_next(in, frame, expr);
  }
  if (expr->op == TN_OP_GFUNC) {
    value = func_value(in, frame, expr, stmt->in[TN_BIND_VAR]);
  } else {
    TN_TRY(tn_interp_eval(in, frame, expr, &value));
  }
  frame_set(frame, stmt->in[TN_BIND_VAR], &value);
  return NULL;
}

static tn_status run_stmt(tn_interp *in, tn_frame *frame, const tn_node *stmt, bool is_tail,
                          tn_value *out) {
  in->place = stmt;
  if (in->hooks.max_steps > 0 && ++in->n_steps > in->hooks.max_steps) {
    return TN_ERR(TN_TIMEOUT, "more than %" PRId64 " statements", in->hooks.max_steps);
  }
  switch ((int)stmt->op) {
    case TN_OP_GBIND:
      return run_bind(in, frame, stmt, is_tail);
    case TN_OP_MATCH_CAST:
      return run_match_cast(in, frame, stmt);
    case TN_OP_DATAFLOW:
      return run_body(in, frame, stmt->in[TN_DATAFLOW_BODY], false, out);
    case TN_OP_GIF:
      return run_if(in, frame, stmt, is_tail);
    case TN_OP_YIELD:
    case TN_OP_RETURN:
      return tn_interp_eval(in, frame, stmt->in[0], out);
    default:
      return TN_ERR(TN_INVALID, "'%s' in a graph function", tn_op_info_get((tn_op)stmt->op)->text);
  }
}

/* A statement that fails is named by its variable and its place in the text; of many calls in each
 * other, the innermost few and the first. */
static tn_status wrap_stmt(tn_interp *in, const tn_node *stmt, tn_status st) {
  enum { MAX_PLACES = 4 };
  if (st == NULL || (in->n_places++ >= MAX_PLACES && in->depth > 1)) {
    return st;
  }
  bool has_var = stmt->op == TN_OP_GBIND || stmt->op == TN_OP_MATCH_CAST;
  const char *name = has_var ? stmt->in[TN_BIND_VAR]->attr.text : "";
  tn_pos pos = tn_ir_pos(in->module->ir, stmt);
  if (!has_var) {
    return st;
  }
  if (pos.line == 0) {
    return tn_status_wrap(st, "'%s'", name);
  }
  return tn_status_wrap(st, "line %u: '%s'", pos.line, name);
}

static tn_status run_body(tn_interp *in, tn_frame *frame, const tn_node *body, bool is_tail,
                          tn_value *out) {
  for (uint32_t i = 0; i < tn_body_n(body) && !has_next(frame); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    tn_status st = run_stmt(in, frame, stmt, is_tail && tn_body_gives(body, i), out);
    if (st != NULL) {
      return wrap_stmt(in, stmt, st);
    }
  }
  return NULL;
}

/* ---- calls ---- */

static tn_status bind_params(tn_frame *frame, const tn_node *func, const tn_value *args,
                             int32_t n_args) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  if ((int64_t)params->n_in != n_args) {
    return TN_ERR(TN_INVALID, "%s takes %u arguments, got %d", func->attr.text, params->n_in,
                  n_args);
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_interp_bind(frame, params->in[i]->in[0], &args[i]);
    frame_set(frame, params->in[i], &args[i]);
  }
  tn_status st = NULL;
  for (uint32_t i = 0; i < params->n_in && st == NULL; ++i) {
    tn_buf what = TN_BUF_INIT;
    tn_buf_printf(&what, "argument '%s' of %s", params->in[i]->attr.text, func->attr.text);
    st = tn_interp_check(frame, params->in[i]->in[0], &args[i], tn_buf_text(&what));
    tn_buf_deinit(&what);
  }
  return st;
}

/* The arguments of a call with those that the function captured after them. */
static void join_captured(tn_interp *in, const tn_value *func, const tn_value **args,
                          int32_t *n_args) {
  if (func->n == 0) {
    return;
  }
  tn_value *all = TN_ARENA_ARRAY(&in->arena, tn_value, *n_args + func->n);
  for (int32_t i = 0; i < *n_args + func->n; ++i) {
    all[i] = i < *n_args ? (*args)[i] : func->items[i - *n_args];
  }
  *args = all;
  *n_args += func->n;
}

/* Arrays of the rounds before, of which the next round sees its arguments only. They are looked at
 * when there are twice as many as were left the last time. */
static void sweep_rounds(tn_interp *in, size_t first, const tn_value *func, const tn_value *args,
                         int32_t n_args, size_t *limit) {
  enum { LEAST = 256 };
  if (in->arrays.len - first < *limit) {
    return;
  }
  tn_value *kept = TN_ARENA_ARRAY(&in->arena, tn_value, n_args + 1);
  for (int32_t i = 0; i <= n_args; ++i) {
    kept[i] = i < n_args ? args[i] : *func;
  }
  const tn_value all = {.kind = TN_V_TUPLE, .n = n_args + 1, .items = kept};
  sweep(in, first, &all);
  size_t n_left = in->arrays.len - first;
  *limit = n_left < LEAST / 2 ? LEAST : 2 * n_left;
}

static tn_status call_gfunc(tn_interp *in, const tn_value *callee, const tn_value *args,
                            int32_t n_args, tn_value *out) {
  if (in->depth >= TN_INTERP_MAX_DEPTH) {
    return TN_ERR(TN_INVALID, "calls nest deeper than %d", (int)TN_INTERP_MAX_DEPTH);
  }
  tn_frame frame = {0};
  tn_status st = NULL;
  tn_value func = *callee;
  tn_value result = {0};
  size_t first = in->arrays.len;
  size_t limit = 0;
  ++in->depth;
  for (bool is_done = false; !is_done && st == NULL;) {
    frame = (tn_frame){0};
    if (func.captured != NULL) {
      restore(&frame, &func);
    }
    st = bind_params(&frame, func.func, args, n_args);
    st = st != NULL ? st : run_body(in, &frame, func.func->in[TN_GFUNC_BODY], true, &result);
    frame_deinit(&frame);
    is_done = !has_next(&frame);
    if (!is_done && st == NULL) {
      func = frame.next;
      args = frame.next_args;
      n_args = frame.n_next_args;
      sweep_rounds(in, first, &func, args, n_args, &limit);
      if (func.func->op != TN_OP_GFUNC) {
        st = tn_interp_apply(in, &func, args, n_args, &result);
        break;
      }
      join_captured(in, &func, &args, &n_args);
    }
  }
  --in->depth;
  if (st == NULL) {
    *out = result;
  }
  return st;
}

tn_status tn_interp_apply(tn_interp *in, const tn_value *func, const tn_value *args, int32_t n_args,
                          tn_value *out) {
  if (func->kind != TN_V_FUNC) {
    return TN_ERR(TN_INVALID, "what is called is not a function");
  }
  join_captured(in, func, &args, &n_args);
  *out = (tn_value){0};
  switch ((int)func->func->op) {
    case TN_OP_GFUNC:
      return call_gfunc(in, func, args, n_args, out);
    case TN_OP_PRIM_FUNC:
      return tn_interp_prim_func(in, func->str, args, n_args, out);
    default:
      return tn_interp_extern(in, func->func->attr.text, args, n_args, out);
  }
}

/* What a function gives back without ever having written it is not what compiled code gives. */
static void check_result(tn_interp *in, const tn_node *func, const tn_value *value) {
  const tn_array *array = value->kind == TN_V_ARRAY ? value->array : NULL;
  for (int32_t i = 0; i < value->n && value->items != NULL; ++i) {
    check_result(in, func, &value->items[i]);
  }
  if (array != NULL &&
      !tn_tir_checker_is_written(in->hooks.checker, array->data, tn_array_n_bytes(array))) {
    tn_tir_checker_add(in->hooks.checker, "never-written", func,
                       "%s: a part of its result was never written", func->attr.text);
  }
}

tn_status tn_interp_call(tn_interp *in, const char *func, const tn_value *args, int32_t n_args,
                         tn_value *out) {
  const tn_node *node = tn_module_find(in->module, func);
  if (node == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", func);
  }
  size_t first = in->arrays.len;
  in->n_places = in->depth == 0 ? 0 : in->n_places;
  tn_value callee = {.kind = TN_V_FUNC, .func = node, .str = func};
  tn_value result = {0};
  tn_status st = tn_interp_apply(in, &callee, args, n_args, &result);
  if (st == NULL && in->hooks.checker != NULL && in->depth == 0) {
    check_result(in, node, &result);
  }
  sweep(in, first, st == NULL ? &result : NULL);
  if (st == NULL) {
    *out = result;
  }
  return st;
}
