/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The graph interpreter's operators: calls of loop functions on fresh outputs, of the host's
 * functions through the hook, shapes, raw memory as lowered code uses it, and reference evaluation
 * of everything in the operator table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "graph/interp_priv.h"

/* ---- loop functions and the host ---- */

static tn_status to_tir_arg(const tn_value *value, tn_tir_arg *out) {
  switch (value->kind) {
    case TN_V_ARRAY:
      *out = (tn_tir_arg){.array = value->array};
      return NULL;
    case TN_V_INT: /* a parameter of either kind takes it */
      *out = (tn_tir_arg){.i64 = value->i64, .f64 = (double)value->i64};
      return NULL;
    case TN_V_FLOAT:
      *out = (tn_tir_arg){.f64 = value->f64, .is_float = true};
      return NULL;
    default:
      return TN_ERR(TN_INVALID, "a loop function takes tensors and scalars only");
  }
}

/* T.call_packed inside a loop function. */
static tn_status call_from_tir(void *ctx, const char *name, const tn_tir_arg *args, int32_t n_args,
                               tn_tir_arg *out_ret) {
  tn_interp *in = ctx;
  tn_value *values = TN_ARENA_ARRAY(&in->arena, tn_value, n_args);
  for (int32_t i = 0; i < n_args; ++i) {
    values[i] = args[i].array != NULL  ? (tn_value){.kind = TN_V_ARRAY, .array = args[i].array}
                : args[i].text != NULL ? (tn_value){.kind = TN_V_STR, .str = args[i].text}
                : args[i].is_pointer   ? (tn_value){.kind = TN_V_PTR, .i64 = args[i].i64}
                : args[i].is_float     ? (tn_value){.kind = TN_V_FLOAT, .f64 = args[i].f64}
                                       : (tn_value){.kind = TN_V_INT, .i64 = args[i].i64};
  }
  tn_value ret = {0};
  TN_TRY(tn_interp_extern(in, name, values, n_args, &ret));
  if (out_ret != NULL && (ret.kind == TN_V_INT || ret.kind == TN_V_FLOAT)) {
    return to_tir_arg(&ret, out_ret);
  }
  return NULL;
}

static tn_value number_of(const tn_node *type, const tn_tir_arg *ret) {
  return tn_dtype_is_float(type->dtype) ? (tn_value){.kind = TN_V_FLOAT, .f64 = ret->f64}
                                        : (tn_value){.kind = TN_V_INT, .i64 = ret->i64};
}

tn_status tn_interp_prim_func(tn_interp *in, const char *name, const tn_value *args, int32_t n_args,
                              tn_value *out) {
  tn_tir_arg *tir_args = TN_ARENA_ARRAY(&in->arena, tn_tir_arg, n_args);
  for (int32_t i = 0; i < n_args; ++i) {
    TN_TRY_MSG(to_tir_arg(&args[i], &tir_args[i]), "argument %d of %s", i, name);
  }
  tn_tir_arg ret = {0};
  tn_tir_hooks hooks = {.call_packed = call_from_tir,
                        .ctx = in,
                        .max_steps = in->hooks.max_steps,
                        .checker = in->hooks.checker};
  TN_TRY(tn_tir_interp(in->module, name, tir_args, n_args, &hooks, &ret));
  const tn_node *type = tn_module_find(in->module, name)->in[TN_PRIM_FUNC_RET];
  *out = tn_is_none(type) ? (tn_value){0} : number_of(type, &ret);
  return NULL;
}

tn_status tn_interp_extern(tn_interp *in, const char *name, const tn_value *args, int32_t n_args,
                           tn_value *out) {
  if (in->hooks.call == NULL) {
    return TN_ERR(TN_NOT_FOUND, "no function is registered as '%s'", name);
  }
  *out = (tn_value){0};
  TN_TRY_MSG(in->hooks.call(in->hooks.ctx, name, args, n_args, out), "%s", name);
  for (int32_t i = 0; in->hooks.checker != NULL && i < n_args; ++i) {
    if (args[i].kind == TN_V_ARRAY) { /* it may have: nobody knows what it does */
      tn_tir_checker_wrote(in->hooks.checker, args[i].array->data, tn_array_n_bytes(args[i].array));
    }
  }
  return NULL;
}

/* ---- call_tir and its kin ---- */

static tn_status fresh_output(tn_interp *in, tn_frame *frame, const tn_node *type, tn_value *out) {
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  int64_t dims[TN_MAX_NDIM];
  if (tn_is_none(shape) || shape->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "an output has no known shape, or more than %d dimensions",
                  (int)TN_MAX_NDIM);
  }
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    TN_TRY(tn_dim_eval(shape->in[d], &frame->syms, &dims[d]));
  }
  return tn_interp_fresh_array(in, type->dtype, (int32_t)shape->n_in, dims, out);
}

static tn_status copy_array(tn_interp *in, const tn_value *value, tn_value *out) {
  if (value->kind != TN_V_ARRAY) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = value->array;
  TN_TRY(tn_interp_array(in, x->dtype, x->ndim, x->shape, out));
  if (tn_array_n_elems(x) > 0) {
    memcpy(out->array->data, x->data, tn_array_n_bytes(x));
  }
  return NULL;
}

/* The array of output `i`: where the call works in place, a copy of the input, which stands for it;
 * compiled code leaves the copy out where nobody could tell. */
static tn_status make_output(tn_interp *in, tn_frame *frame, const tn_node *call, uint32_t i,
                             tn_value *inputs, bool *out_fresh, tn_value *out) {
  const tn_node *indices =
      tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE) ? tn_call_field(call, 0) : NULL;
  int64_t at = indices != NULL && i < indices->n_in ? indices->in[i]->attr.i64 : -1;
  *out_fresh = at < 0;
  if (at < 0) {
    return fresh_output(in, frame, call->in[TN_CALL_TYPES]->in[i], out);
  }
  if (at >= (int64_t)tn_call_arg(call, 1)->n_in) {
    return TN_ERR(TN_INVALID, "inplace_indices holds %" PRId64, at);
  }
  TN_TRY(copy_array(in, &inputs[at], out));
  inputs[at] = *out;
  return NULL;
}

static tn_status call_dps(tn_interp *in, tn_frame *frame, const tn_node *call, tn_value *out) {
  const tn_node *callee = tn_call_arg(call, 0);
  const tn_node *inputs = tn_call_arg(call, 1);
  const tn_node *vars = call->in[TN_CALL_ARGS]->n_in == 3 ? tn_call_arg(call, 2) : NULL;
  uint32_t n_outs = call->in[TN_CALL_TYPES]->n_in;
  uint32_t n_vars = vars == NULL ? 0 : vars->n_in;
  tn_value *args = TN_ARENA_ARRAY(&in->arena, tn_value, inputs->n_in + n_outs + n_vars);
  tn_value *outs = TN_ARENA_ARRAY(&in->arena, tn_value, n_outs);
  int32_t n = 0;
  for (uint32_t i = 0; i < inputs->n_in; ++i) {
    TN_TRY(tn_interp_eval(in, frame, inputs->in[i], &args[n++]));
  }
  for (uint32_t i = 0; i < n_outs; ++i) {
    bool is_fresh = false;
    TN_TRY_MSG(make_output(in, frame, call, i, args, &is_fresh, &outs[i]), "output %u", i);
    if (is_fresh) {
      args[n++] = outs[i];
    }
  }
  for (uint32_t i = 0; i < n_vars; ++i) {
    args[n] = (tn_value){.kind = TN_V_INT};
    TN_TRY(tn_dim_eval(vars->in[i], &frame->syms, &args[n++].i64));
  }
  tn_value ignored = {0};
  if (callee->op == TN_OP_EXTERN) {
    TN_TRY(tn_interp_extern(in, callee->attr.text, args, n, &ignored));
  } else {
    TN_TRY(tn_interp_prim_func(in, callee->attr.text, args, n, &ignored));
  }
  *out = outs[0];
  if (n_outs != 1) {
    *out = (tn_value){.kind = TN_V_TUPLE, .n = (int32_t)n_outs, .items = outs};
  }
  return NULL;
}

/* ---- the other builtins, their arguments evaluated ---- */

typedef struct builtin_call {
  tn_interp *in;
  const tn_node *call;
  const tn_value *args;
  int32_t n_args;
} builtin_call;

/* "x: {}" with each {} replaced; what has no {} follows at the end. */
static void format_values(const tn_node *format, const tn_value *args, int32_t n, tn_buf *out) {
  int32_t used = 0;
  const char *p = format == NULL ? "" : format->attr.text;
  while (*p != '\0') {
    if (p[0] == '{' && p[1] == '}' && used < n) {
      tn_value_print(&args[used++], out);
      p += 2;
    } else {
      tn_buf_putc(out, *p++);
    }
  }
  for (; used < n; ++used) {
    tn_buf_puts(out, out->len == 0 ? "" : " ");
    tn_value_print(&args[used], out);
  }
}

static tn_status run_print(const builtin_call *b) {
  tn_buf text = TN_BUF_INIT;
  format_values(tn_call_field(b->call, 0), b->args, b->n_args, &text);
  (void)fprintf(stderr, "%s\n", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return NULL;
}

static tn_status run_assert(const builtin_call *b) {
  const tn_value *cond = &b->args[0];
  bool is_true = cond->kind == TN_V_INT && cond->i64 != 0;
  if (cond->kind == TN_V_ARRAY && tn_array_n_elems(cond->array) == 1) {
    is_true = tn_array_get_f64(cond->array, 0) != 0;
  }
  if (is_true) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  format_values(tn_call_field(b->call, 0), b->args + 1, b->n_args - 1, &text);
  tn_status st =
      TN_ERR(TN_INVALID, "assertion failed%s%s", text.len == 0 ? "" : ": ", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

static tn_status run_tensor_to_shape(const builtin_call *b, tn_value *out) {
  const tn_value *x = &b->args[0];
  if (x->kind != TN_V_ARRAY || x->array->ndim != 1 || x->array->dtype != TN_DT_I64) {
    return TN_ERR(TN_INVALID, "expected an int64 tensor of one dimension");
  }
  *out = tn_interp_shape(b->in, (int32_t)x->array->shape[0], x->array->data);
  return NULL;
}

static tn_status run_shape_to_tensor(const builtin_call *b, tn_value *out) {
  const tn_value *x = &b->args[0];
  if (x->kind != TN_V_SHAPE) {
    return TN_ERR(TN_INVALID, "expected a shape");
  }
  int64_t n = x->n;
  TN_TRY(tn_interp_array(b->in, TN_DT_I64, 1, &n, out));
  for (int32_t i = 0; i < x->n; ++i) {
    tn_array_set_i64(out->array, i, x->dims[i]);
  }
  return NULL;
}

static tn_status run_alloc_tensor(const builtin_call *b, tn_value *out) {
  const tn_value *shape = &b->args[0];
  if (shape->kind != TN_V_SHAPE || tn_call_arg(b->call, 1)->op != TN_OP_DTYPE) {
    return TN_ERR(TN_INVALID, "expected a shape and a dtype");
  }
  return tn_interp_fresh_array(b->in, (tn_dtype)tn_call_arg(b->call, 1)->attr.i64, shape->n,
                               shape->dims, out);
}

static tn_status run_alloc_storage(const builtin_call *b, tn_value *out) {
  const tn_value *shape = &b->args[0];
  if (shape->kind != TN_V_SHAPE || shape->n != 1) {
    return TN_ERR(TN_INVALID, "expected a shape of one extent, the number of bytes");
  }
  return tn_interp_fresh_array(b->in, TN_DT_U8, 1, shape->dims, out);
}

/* Another look at bytes of `base` from `offset` on. */
static tn_status view_of(tn_interp *in, const tn_value *base, int64_t offset, const tn_value *shape,
                         tn_dtype dtype, tn_value *out) {
  size_t n_bytes = 0;
  if (base->kind != TN_V_ARRAY || shape->kind != TN_V_SHAPE || shape->n > TN_MAX_NDIM ||
      !tn_shape_bytes(shape->n, shape->dims, dtype, &n_bytes)) {
    return TN_ERR(TN_INVALID, "expected memory and a shape");
  }
  size_t have = tn_array_n_bytes(base->array);
  if (offset < 0 || (size_t)offset > have || n_bytes > have - (size_t)offset) {
    return TN_ERR(TN_INVALID, "%zu bytes from %" PRId64 " on leave the storage of %zu", n_bytes,
                  offset, have);
  }
  if (offset % (int64_t)tn_dtype_bytes(tn_dtype_elem(dtype)) != 0) {
    return TN_ERR(TN_INVALID, "byte offset %" PRId64 " splits an element", offset);
  }
  tn_array *view = calloc(1, sizeof *view);
  TN_CHECK(view != NULL, "no memory for an array");
  *view = (tn_array){.data = (char *)base->array->data + offset,
                     .dtype = dtype,
                     .ndim = shape->n,
                     .is_view = true};
  for (int32_t d = 0; d < shape->n; ++d) {
    view->shape[d] = shape->dims[d];
  }
  TN_VEC_PUSH(&in->arrays, (tn_owned_array){.array = view, .base = base->array});
  *out = (tn_value){.kind = TN_V_ARRAY, .array = view};
  return NULL;
}

static tn_status run_storage_tensor(const builtin_call *b, tn_value *out) {
  if (b->args[1].kind != TN_V_INT || tn_call_arg(b->call, 3)->op != TN_OP_DTYPE) {
    return TN_ERR(TN_INVALID, "expected a byte offset and a dtype");
  }
  tn_dtype dtype = (tn_dtype)tn_call_arg(b->call, 3)->attr.i64;
  return view_of(b->in, &b->args[0], b->args[1].i64, &b->args[2], dtype, out);
}

static tn_status run_view(const builtin_call *b, tn_value *out) {
  if (b->args[3].kind != TN_V_INT || tn_call_arg(b->call, 2)->op != TN_OP_DTYPE) {
    return TN_ERR(TN_INVALID, "expected a dtype and a byte offset");
  }
  tn_dtype dtype = (tn_dtype)tn_call_arg(b->call, 2)->attr.i64;
  return view_of(b->in, &b->args[0], b->args[3].i64, &b->args[1], dtype, out);
}

static tn_status run_direct(const builtin_call *b) {
  tn_value ignored = {0};
  if (b->args[0].kind != TN_V_FUNC) {
    return TN_ERR(TN_INVALID, "expected a function");
  }
  return tn_interp_apply(b->in, &b->args[0], b->args + 1, b->n_args - 1, &ignored);
}

/* The extents of the last argument, a shape, come one by one. */
static tn_status run_tir_dyn(const builtin_call *b) {
  const tn_value *tuple = &b->args[1];
  bool is_ok = b->args[0].kind == TN_V_FUNC && tuple->kind == TN_V_TUPLE && tuple->n > 0 &&
               tuple->items[tuple->n - 1].kind == TN_V_SHAPE;
  if (!is_ok) {
    return TN_ERR(TN_INVALID, "expected a function and a tuple that ends in a shape");
  }
  int32_t n = tuple->n - 1;
  const tn_value *shape = &tuple->items[n];
  tn_value *args = TN_ARENA_ARRAY(&b->in->arena, tn_value, n + shape->n);
  for (int32_t i = 0; i < n + shape->n; ++i) {
    args[i] = i < n ? tuple->items[i] : (tn_value){.kind = TN_V_INT, .i64 = shape->dims[i - n]};
  }
  tn_value ignored = {0};
  return tn_interp_apply(b->in, &b->args[0], args, n + shape->n, &ignored);
}

static tn_status run_make_closure(const builtin_call *b, tn_value *out) {
  if (b->args[0].kind != TN_V_FUNC || b->args[1].kind != TN_V_TUPLE) {
    return TN_ERR(TN_INVALID, "expected a function and a tuple");
  }
  *out = b->args[0];
  out->items = b->args[1].items;
  out->n = b->args[1].n;
  return NULL;
}

static tn_status run_invoke_closure(const builtin_call *b, tn_value *out) {
  if (b->args[1].kind != TN_V_TUPLE) {
    return TN_ERR(TN_INVALID, "expected a tuple of arguments");
  }
  return tn_interp_apply(b->in, &b->args[0], b->args[1].items, b->args[1].n, out);
}

static tn_status run_shape_of(const builtin_call *b, tn_value *out) {
  if (b->args[0].kind != TN_V_ARRAY) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  *out = tn_interp_shape(b->in, b->args[0].array->ndim, b->args[0].array->shape);
  return NULL;
}

/* What an operator's reference gets: tensors, and shapes as vectors; NULL for anything else. */
static const tn_array *array_of(const builtin_call *b, const tn_value *value) {
  if (value->kind != TN_V_SHAPE) {
    return value->kind == TN_V_ARRAY ? value->array : NULL;
  }
  tn_array *vector = TN_ARENA_NEW(&b->in->arena, tn_array);
  *vector = (tn_array){.data = value->dims, .dtype = TN_DT_I64, .ndim = 1, .is_view = true};
  vector->shape[0] = value->n;
  return vector;
}

/* The items of tuples stand one by one. */
static int32_t gather_arrays(const builtin_call *b, const tn_array ***out) {
  int32_t n = 0;
  for (int32_t i = 0; i < b->n_args; ++i) {
    n += b->args[i].kind == TN_V_TUPLE ? b->args[i].n : 1;
  }
  const tn_array **arrays = TN_ARENA_ARRAY(&b->in->arena, const tn_array *, n + 1);
  *out = arrays;
  for (int32_t i = 0; i < b->n_args; ++i) {
    const tn_value *arg = &b->args[i];
    bool is_tuple = arg->kind == TN_V_TUPLE;
    for (int32_t j = 0; j < (is_tuple ? arg->n : 1); ++j) {
      *arrays++ = array_of(b, is_tuple ? &arg->items[j] : arg);
    }
  }
  return n;
}

/* Gives an array to the run. */
static tn_value own_array(tn_interp *in, const tn_array *array) {
  tn_array *copy = calloc(1, sizeof *copy);
  TN_CHECK(copy != NULL, "no memory for an array");
  *copy = *array;
  TN_VEC_PUSH(&in->arrays, (tn_owned_array){.array = copy});
  return (tn_value){.kind = TN_V_ARRAY, .array = copy};
}

static void check_operands(const builtin_call *b, const tn_array **arrays, int32_t n) {
  tn_tir_checker *checker = b->in->hooks.checker;
  for (int32_t i = 0; checker != NULL && i < n; ++i) {
    if (arrays[i] != NULL && b->in->place != NULL &&
        !tn_tir_checker_is_written(checker, arrays[i]->data, tn_array_n_bytes(arrays[i]))) {
      tn_tir_checker_add(checker, "never-written", b->in->place,
                         "R.%s: a part of its argument %d was never written",
                         b->call->attr.def->name, i);
    }
  }
}

/* An operator of the table by its reference. */
static tn_status run_eval(const builtin_call *b, tn_value *out) {
  const tn_op_def *op = tn_op_of(b->call);
  const tn_infer_ctx infer = {.ir = b->in->module->ir, .module = b->in->module};
  const tn_node *type = NULL;
  const tn_array **arrays = NULL;
  if (op->eval == NULL) {
    return TN_ERR(TN_UNSUPPORTED, "the interpreter cannot evaluate it");
  }
  int32_t n = gather_arrays(b, &arrays);
  check_operands(b, arrays, n);
  TN_TRY(tn_graph_infer(&infer, b->call, &type));
  bool is_tuple = type->op == TN_OP_TY_TUPLE;
  uint32_t n_results = is_tuple ? type->n_in : 1;
  tn_array *results = TN_ARENA_ARRAY(&b->in->arena, tn_array, n_results + 1);
  for (int32_t i = 0; i < n && (op->flags & TN_OPD_MOVES) == 0; ++i) {
    if (arrays[i] != NULL && tn_dtype_is_storage(arrays[i]->dtype)) {
      return TN_ERR(TN_UNSUPPORTED, "an operand is of a type in which nothing is computed");
    }
  }
  TN_TRY(op->eval(b->call, arrays, n, results));
  if (!is_tuple) {
    *out = own_array(b->in, results);
    return NULL;
  }
  tn_value *items = TN_ARENA_ARRAY(&b->in->arena, tn_value, n_results + 1);
  for (uint32_t i = 0; i < n_results; ++i) {
    items[i] = own_array(b->in, &results[i]);
  }
  *out = (tn_value){.kind = TN_V_TUPLE, .n = (int32_t)n_results, .items = items};
  return NULL;
}

static tn_status run_row(const builtin_call *b, tn_builtin_id id, tn_value *out) {
  switch (id) {
    case TN_BUILTIN_CALL_PACKED:
    case TN_BUILTIN_CALL_PURE_PACKED:
    case TN_BUILTIN_CALL_INPLACE_PACKED:
      return tn_interp_apply(b->in, &b->args[0], b->args + 1, b->n_args - 1, out);
    case TN_BUILTIN_CALL_BUILTIN_CTX:
    case TN_BUILTIN_INVOKE_CLOSURE:
    case TN_BUILTIN_INVOKE_PURE_CLOSURE:
      return run_invoke_closure(b, out);
    case TN_BUILTIN_MAKE_CLOSURE:
      return run_make_closure(b, out);
    case TN_BUILTIN_PRINT:
      return run_print(b);
    case TN_BUILTIN_ASSERT_OP:
      return run_assert(b);
    case TN_BUILTIN_SHAPE_OF:
      return run_shape_of(b, out);
    case TN_BUILTIN_TENSOR_TO_SHAPE:
      return run_tensor_to_shape(b, out);
    case TN_BUILTIN_LIST_MAKE:
    case TN_BUILTIN_LIST_INSERT:
    case TN_BUILTIN_LIST_ERASE:
    case TN_BUILTIN_LIST_AT:
    case TN_BUILTIN_LIST_LENGTH:
    case TN_BUILTIN_LIST_CONCAT:
    case TN_BUILTIN_LIST_SPLIT:
    case TN_BUILTIN_IS_NULL:
      return tn_interp_list(b->in, id, b->args, b->n_args, out);
    case TN_BUILTIN_VM_COPY:
      return copy_array(b->in, &b->args[0], out);
    case TN_BUILTIN_SHAPE_TO_TENSOR:
      return run_shape_to_tensor(b, out);
    case TN_BUILTIN_NULL_VALUE:
    case TN_BUILTIN_KILL_STORAGE:
    case TN_BUILTIN_KILL_TENSOR:
    case TN_BUILTIN_VM_KILL_OBJECT:
      return NULL;
    case TN_BUILTIN_STOP_LIFT_PARAMS:
    case TN_BUILTIN_ENSURE_ZERO_OFFSET:
      *out = b->args[0];
      return NULL;
    case TN_BUILTIN_ALLOC_TENSOR:
      return run_alloc_tensor(b, out);
    case TN_BUILTIN_ALLOC_STORAGE:
    case TN_BUILTIN_VM_ALLOC_STORAGE:
      return run_alloc_storage(b, out);
    case TN_BUILTIN_STORAGE_TENSOR:
    case TN_BUILTIN_VM_ALLOC_TENSOR:
      return run_storage_tensor(b, out);
    case TN_BUILTIN_MEMORY_VIEW:
      return run_view(b, out);
    case TN_BUILTIN_VM_CALL_DPS:
      return run_direct(b);
    case TN_BUILTIN_TO_VDEVICE:
    case TN_BUILTIN_HINT_ON_DEVICE:
      *out = b->args[0];
      return tn_check_host_device(b->call);
    case TN_BUILTIN_VM_CALL_TIR_DYN:
      return run_tir_dyn(b);
    case TN_BUILTIN_CALL_TIR:
    case TN_BUILTIN_CALL_TIR_INPLACE:
    case TN_BUILTIN_CALL_TIR_WITH_GRAD:
    case TN_BUILTIN_CALL_DPS_PACKED:
      break;
  }
  TN_UNREACHABLE();
}

tn_status tn_interp_builtin(tn_interp *in, tn_frame *frame, const tn_node *call, tn_value *out) {
  const tn_op_def *op = tn_op_of(call);
  *out = (tn_value){0};
  if ((op->flags & TN_OPD_DPS) != 0) {
    return call_dps(in, frame, call, out);
  }
  const tn_node *list = call->in[TN_CALL_ARGS];
  tn_value *args = TN_ARENA_ARRAY(&in->arena, tn_value, list->n_in);
  for (uint32_t i = 0; i < list->n_in; ++i) {
    TN_TRY(tn_interp_eval(in, frame, list->in[i], &args[i]));
  }
  builtin_call b = {.in = in, .call = call, .args = args, .n_args = (int32_t)list->n_in};
  int32_t id = tn_builtin_of(call);
  return id < 0 ? run_eval(&b, out) : run_row(&b, (tn_builtin_id)id, out);
}
