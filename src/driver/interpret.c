/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs programs with the reference interpreters and joins them to the runtime: tensors come in as
 * arrays that look at their memory, results go out as tensors, library functions are found in the
 * registry. */
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "driver/driver_priv.h"
#include "graph/graph.h"

/* One run: everything made on the way, freed at its end. */
typedef struct run {
  tn_runtime *rt;
  tn_arena arena;         /* array headers, tuple items, extents */
  TN_VEC(tn_arg) results; /* of library functions; values look at their memory */
} run;

/* ---- values of the runtime -> values of the interpreter ---- */

static tn_status to_value(run *r, const tn_arg *arg, tn_value *out_value) {
  tn_value value = {0};
  if (tn_arg_dl(arg) != NULL) {
    value.kind = TN_V_ARRAY;
    value.array = TN_ARENA_NEW(&r->arena, tn_array);
    TN_TRY(tn_array_view_dl(tn_arg_dl(arg), value.array));
  } else if (tn_arg_tuple(arg) != NULL) {
    value.kind = TN_V_TUPLE;
    value.n = tn_tuple_size(tn_arg_tuple(arg));
    value.items = TN_ARENA_ARRAY(&r->arena, tn_value, value.n);
    for (int32_t i = 0; i < value.n; ++i) {
      TN_TRY(to_value(r, tn_tuple_at(tn_arg_tuple(arg), i), &value.items[i]));
    }
  } else if (tn_arg_shape(arg) != NULL) {
    value.kind = TN_V_SHAPE;
    value.n = tn_shape_ndim(tn_arg_shape(arg));
    value.dims = TN_ARENA_ARRAY(&r->arena, int64_t, value.n + 1);
    memcpy(value.dims, tn_shape_dims(tn_arg_shape(arg)), sizeof(int64_t) * (size_t)value.n);
  } else if (tn_arg_text(arg) != NULL) {
    value.kind = TN_V_STR;
    value.str = tn_arg_text(arg);
  } else if (arg->kind == TN_ARG_INT) {
    value.kind = TN_V_INT;
    value.i64 = arg->u.i64;
  } else if (arg->kind == TN_ARG_FLOAT) {
    value.kind = TN_V_FLOAT;
    value.f64 = arg->u.f64;
  } else if (arg->kind != TN_ARG_NONE) {
    return TN_ERR(TN_UNSUPPORTED, "a value of kind %s in interpreted code",
                  tn_arg_kind_name(arg->kind));
  }
  *out_value = value;
  return NULL;
}

/* ---- and back ---- */

static tn_status to_arg(const tn_value *value, tn_arg *out_arg);

static tn_status tuple_to_arg(const tn_value *value, tn_arg *out_arg) {
  tn_status st = NULL;
  tn_tuple *tuple = NULL;
  TN_VEC(tn_arg) items = {0};
  for (int32_t i = 0; i < value->n; ++i) {
    tn_arg item = tn_arg_none();
    TN_GOTO(st, to_arg(&value->items[i], &item), done);
    TN_VEC_PUSH(&items, item);
  }
  TN_GOTO(st, tn_tuple_create(value->n, items.data, &tuple), done);
  *out_arg = tn_arg_of_tuple(tuple);
done:
  for (size_t i = 0; i < items.len; ++i) {
    tn_arg_release(&items.data[i]);
  }
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status to_arg(const tn_value *value, tn_arg *out_arg) {
  tn_tensor *tensor = NULL;
  tn_shape *shape = NULL;
  tn_string *text = NULL;
  switch (value->kind) {
    case TN_V_NONE:
      *out_arg = tn_arg_none();
      return NULL;
    case TN_V_INT:
      *out_arg = tn_arg_of_int(value->i64);
      return NULL;
    case TN_V_FLOAT:
      *out_arg = tn_arg_of_float(value->f64);
      return NULL;
    case TN_V_ARRAY:
      TN_TRY(tn_tensor_of_array(value->array, &tensor));
      *out_arg = tn_arg_of_tensor(tensor);
      return NULL;
    case TN_V_TUPLE:
      return tuple_to_arg(value, out_arg);
    case TN_V_SHAPE:
      TN_TRY(tn_shape_create(value->n, value->dims, &shape));
      *out_arg = tn_arg_of_shape(shape);
      return NULL;
    case TN_V_STR:
      TN_TRY(tn_string_create(value->str, &text));
      *out_arg = tn_arg_of_string(text);
      return NULL;
    case TN_V_PTR:
      *out_arg = (tn_arg){.kind = TN_ARG_PTR, .u = {.ptr = (void *)(uintptr_t)value->i64}};
      return NULL;
    case TN_V_FUNC:
      return TN_ERR(TN_UNSUPPORTED, "a function as a result of interpreted code");
  }
  TN_UNREACHABLE();
}

/* ---- library functions ---- */

/* The array's memory as a DLTensor, so that the function writes in place. */
static const DLTensor *dl_of(run *r, tn_array *array) {
  DLTensor *dl = TN_ARENA_NEW(&r->arena, DLTensor);
  dl->data = array->data;
  dl->device = (DLDevice){kDLCPU, 0};
  dl->ndim = array->ndim;
  dl->dtype =
      (DLDataType){(uint8_t)tn_dtype_code(array->dtype), (uint8_t)tn_dtype_bits(array->dtype),
                   (uint16_t)tn_dtype_lanes(array->dtype)};
  dl->shape = array->shape;
  return dl;
}

static tn_status call_library(void *ctx, const char *name, const tn_value *values, int32_t n,
                              tn_value *out_ret) {
  run *r = ctx;
  tn_status st = NULL;
  tn_func *func = NULL;
  tn_arg ret = tn_arg_none();
  tn_arg *args = TN_ARENA_ARRAY(&r->arena, tn_arg, n + 1);
  TN_TRY(tn_registry_find(tn_runtime_registry(r->rt), name, &func));
  for (int32_t i = 0; i < n; ++i) {
    if (values[i].kind == TN_V_ARRAY) {
      args[i] = tn_arg_of_dl(dl_of(r, values[i].array));
    } else {
      TN_GOTO(st, to_arg(&values[i], &args[i]), done);
    }
  }
  TN_GOTO(st, tn_func_call(func, args, n, &ret), done);
  TN_VEC_PUSH(&r->results, ret);
  if (out_ret != NULL) {
    TN_GOTO(st, to_value(r, &TN_VEC_LAST(&r->results), out_ret), done);
  }
done:
  for (int32_t i = 0; i < n; ++i) {
    tn_arg_release(&args[i]); /* does nothing for the plain views */
  }
  tn_func_release(func);
  return st;
}

/* ---- running ---- */

typedef struct call {
  const tn_module *module;
  const char *func;
  const tn_value *args;
  int32_t n_args;
} call;

static tn_tir_checker *make_checker(const call *c, const tn_interpret_opts *opts) {
  tn_tir_checker *checker = tn_tir_checker_new(c->module->ir);
  for (int32_t i = 0; opts->are_room != NULL && i < c->n_args; ++i) {
    if (opts->are_room[i] && c->args[i].kind == TN_V_ARRAY) {
      tn_tir_checker_fresh(checker, c->args[i].array->data, tn_array_n_bytes(c->args[i].array));
    }
  }
  return checker;
}

static tn_status run_function(run *r, const call *c, const tn_interpret_opts *opts,
                              tn_arg *out_ret) {
  tn_value ret = {0};
  tn_interp_hooks hooks = {.call = call_library, .ctx = r};
  bool is_checked = opts != NULL && opts->is_checked;
  hooks.checker = is_checked ? make_checker(c, opts) : NULL;
  tn_interp *interp = tn_interp_new(c->module, &hooks);
  tn_status st = tn_interp_call(interp, c->func, c->args, c->n_args, &ret);
  st = is_checked ? tn_tir_checker_finish(hooks.checker, st) : st;
  if (st == NULL && out_ret != NULL) {
    st = to_arg(&ret, out_ret);
  }
  tn_interp_free(interp);
  tn_tir_checker_free(hooks.checker);
  return st;
}

tn_status tn_program_interpret(const tn_program *program, tn_runtime *rt, const char *func,
                               const tn_arg *args, int32_t n_args, const tn_interpret_opts *opts,
                               tn_arg *out_ret) {
  tn_status st = NULL;
  run r = {.rt = rt};
  const tn_node *node = tn_module_find(&program->module, func);
  if (node == NULL || tn_is(node, TN_OP_EXTERN)) {
    return TN_ERR(TN_NOT_FOUND, "no function '%s' in %s", func, program->module.name);
  }
  tn_arena_init(&r.arena, 0);
  tn_value *values = TN_ARENA_ARRAY(&r.arena, tn_value, n_args + 1);
  for (int32_t i = 0; i < n_args; ++i) {
    TN_GOTO(st, tn_status_wrap(to_value(&r, &args[i], &values[i]), "argument %d of %s", i, func),
            done);
  }
  call c = {.module = &program->module, .func = func, .args = values, .n_args = n_args};
  TN_GOTO(st, run_function(&r, &c, opts, out_ret), done);
done:
  for (size_t i = 0; i < r.results.len; ++i) {
    tn_arg_release(&r.results.data[i]);
  }
  TN_VEC_DEINIT(&r.results);
  tn_arena_deinit(&r.arena);
  return st;
}
