/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tn_arg values: making them, asking what they are, counting the objects in them. */
#include "runtime/object.h"
#include "runtime/tensor.h"

static tn_arg of_object(int32_t kind, void *obj) {
  return (tn_arg){.kind = obj == NULL ? TN_ARG_NONE : kind, .u = {.ptr = obj}};
}

tn_arg tn_arg_none(void) { return (tn_arg){.kind = TN_ARG_NONE}; }

tn_arg tn_arg_of_int(int64_t value) { return (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = value}}; }

tn_arg tn_arg_of_float(double value) { return (tn_arg){.kind = TN_ARG_FLOAT, .u = {.f64 = value}}; }

tn_arg tn_arg_of_text(const char *text) {
  return (tn_arg){.kind = text == NULL ? TN_ARG_NONE : TN_ARG_STR, .u = {.str = text}};
}

tn_arg tn_arg_of_dl(const DLTensor *tensor) {
  return (tn_arg){.kind = tensor == NULL ? TN_ARG_NONE : TN_ARG_TENSOR, .u = {.tensor = tensor}};
}

tn_arg tn_arg_of_tensor(tn_tensor *tensor) { return of_object(TN_ARG_TENSOR_OBJ, tensor); }

tn_arg tn_arg_of_shape(tn_shape *shape) { return of_object(TN_ARG_SHAPE, shape); }

tn_arg tn_arg_of_tuple(tn_tuple *tuple) { return of_object(TN_ARG_TUPLE, tuple); }

tn_arg tn_arg_of_func(tn_func *func) { return of_object(TN_ARG_FUNC, func); }

tn_arg tn_arg_of_string(tn_string *str) { return of_object(TN_ARG_STR_OBJ, str); }

void tn_arg_retain(const tn_arg *arg) {
  if (tn_arg_is_object(arg)) {
    tn_object_retain(arg->u.ptr);
  }
}

void tn_arg_release(tn_arg *arg) {
  if (arg == NULL) {
    return;
  }
  tn_arg old = *arg;
  *arg = (tn_arg){0};
  if (tn_arg_is_object(&old)) {
    tn_object_release(old.u.ptr);
  }
}

const DLTensor *tn_arg_dl(const tn_arg *arg) {
  if (arg->kind == TN_ARG_TENSOR) {
    return arg->u.tensor;
  }
  return arg->kind == TN_ARG_TENSOR_OBJ ? &((const tn_tensor *)arg->u.ptr)->dl : NULL;
}

tn_tensor *tn_arg_tensor(const tn_arg *arg) {
  return arg->kind == TN_ARG_TENSOR_OBJ ? arg->u.ptr : NULL;
}

tn_shape *tn_arg_shape(const tn_arg *arg) { return arg->kind == TN_ARG_SHAPE ? arg->u.ptr : NULL; }

tn_tuple *tn_arg_tuple(const tn_arg *arg) { return arg->kind == TN_ARG_TUPLE ? arg->u.ptr : NULL; }

tn_func *tn_arg_func(const tn_arg *arg) { return arg->kind == TN_ARG_FUNC ? arg->u.ptr : NULL; }

const char *tn_arg_text(const tn_arg *arg) {
  if (arg->kind == TN_ARG_STR) {
    return arg->u.str;
  }
  return arg->kind == TN_ARG_STR_OBJ ? ((const tn_string *)arg->u.ptr)->text : NULL;
}

const char *tn_arg_kind_name(int32_t kind) {
  switch (kind) {
    case TN_ARG_NONE:
      return "nothing";
    case TN_ARG_INT:
      return "int";
    case TN_ARG_FLOAT:
      return "float";
    case TN_ARG_PTR:
      return "pointer";
    case TN_ARG_TENSOR:
    case TN_ARG_TENSOR_OBJ:
      return "tensor";
    case TN_ARG_STR:
    case TN_ARG_STR_OBJ:
      return "text";
    case TN_ARG_SHAPE:
      return "shape";
    case TN_ARG_TUPLE:
      return "tuple";
    case TN_ARG_STORAGE:
      return "storage";
    case TN_ARG_FUNC:
      return "function";
    default:
      return "value of unknown kind";
  }
}
