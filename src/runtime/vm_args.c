/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Checks the arguments of a call from outside against the types that the module declares, before
 * any code runs:
 *   argument 0 ('x') of 'main': expected R.Tensor((1, 784), dtype="float32"),
 *   got Tensor((1, 783), float32): extent 1 is 783, not 784
 * Symbolic extents are left to the MATCH instructions of the function. */
#include <stdio.h>

#include "runtime/vm_priv.h"

enum { GOT_BYTES = TN_DL_TEXT_BYTES, WHY_BYTES = 96 };

static void print_got(const tn_arg *arg, char *out, size_t n_bytes) {
  const DLTensor *dl = tn_arg_dl(arg);
  if (dl != NULL) {
    tn_dl_print(dl, out, n_bytes);
  } else {
    snprintf(out, n_bytes, "%s", tn_arg_kind_name(arg->kind));
  }
}

/* Fills `why` and returns false when a tensor does not fit; an empty `why` says all. */
static bool fits_dims(const tn_exec_view *view, const tn_exec_type *t, int32_t ndim,
                      const int64_t *shape, char why[WHY_BYTES]) {
  if (t->ndim >= 0 && ndim != t->ndim) {
    snprintf(why, WHY_BYTES, ": it has %d dimensions, not %d", ndim, t->ndim);
    return false;
  }
  for (int32_t i = 0; i < t->ndim; ++i) {
    int64_t want = view->dims[t->dims + (uint32_t)i];
    if (want >= 0 && shape[i] != want) {
      snprintf(why, WHY_BYTES, ": extent %d is %lld, not %lld", i, (long long)shape[i],
               (long long)want);
      return false;
    }
  }
  return true;
}

static bool fits_tensor(const tn_exec_view *view, const tn_exec_type *t, const tn_arg *arg,
                        char why[WHY_BYTES]) {
  const DLTensor *dl = tn_arg_dl(arg);
  if (dl == NULL || dl->ndim < 0 || dl->ndim > TN_MAX_NDIM || (dl->ndim > 0 && dl->shape == NULL)) {
    return false;
  }
  if (t->dtype != TN_DT_NONE && tn_dl_dtype(dl) != t->dtype) {
    char name[TN_DTYPE_TEXT_BYTES];
    snprintf(why, WHY_BYTES, ": its elements are not %s", tn_dtype_print(t->dtype, name));
    return false;
  }
  return fits_dims(view, t, dl->ndim, dl->shape, why);
}

/* A float takes an int too: hosts write 1 for 1.0, and kernels accept it. */
static bool fits_scalar(const tn_exec_type *t, const tn_arg *arg) {
  bool takes_float = t->dtype == TN_DT_NONE || tn_dtype_is_float(t->dtype);
  return arg->kind == TN_ARG_INT || (takes_float && arg->kind == TN_ARG_FLOAT);
}

static bool fits(const tn_exec_view *view, const tn_exec_type *t, const tn_arg *arg,
                 char why[WHY_BYTES]) {
  switch ((tn_exec_type_kind)t->kind) {
    case TN_EXEC_TY_ANY:
      return true;
    case TN_EXEC_TY_TENSOR:
      return fits_tensor(view, t, arg, why);
    case TN_EXEC_TY_SHAPE: {
      const tn_shape *shape = tn_arg_shape(arg);
      return shape != NULL && fits_dims(view, t, shape->ndim, shape->dims, why);
    }
    case TN_EXEC_TY_SCALAR:
      return fits_scalar(t, arg);
    case TN_EXEC_TY_TUPLE:
      return tn_arg_tuple(arg) != NULL;
    case TN_EXEC_TY_FUNC:
      return tn_arg_func(arg) != NULL;
  }
  return false;
}

static const char *type_text(const tn_exec_view *view, const tn_exec_type *t) {
  static const char *const names[] = {"a value",  "a tensor", "a shape",
                                      "a number", "a tuple",  "a function"};
  const char *text = tn_exec_str(view, t->text);
  return text[0] != 0 ? text : names[t->kind];
}

tn_status tn_vm_check_args(tn_vm *vm, uint32_t index, const tn_arg *args, int32_t n_args) {
  const tn_exec_view *view = &vm->exec->view;
  const tn_exec_func *f = &view->funcs[index];
  const char *name = tn_exec_str(view, f->name);
  if (n_args < 0 || (uint32_t)n_args != f->n_params) {
    return TN_ERR(TN_INVALID, "number of arguments of '%s': expected %u, got %d", name, f->n_params,
                  n_args);
  }
  for (int32_t i = 0; i < n_args; ++i) {
    const tn_exec_type *t = &view->types[f->params + (uint32_t)i];
    char why[WHY_BYTES] = "";
    if (fits(view, t, &args[i], why)) {
      continue;
    }
    char got[GOT_BYTES];
    print_got(&args[i], got, sizeof got);
    return TN_ERR(TN_INVALID, "argument %d ('%s') of '%s': expected %s, got %s%s", i,
                  tn_exec_str(view, t->name), name, type_text(view, t), got, why);
  }
  return NULL;
}
