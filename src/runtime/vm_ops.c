/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The machine's instructions on values: shapes, storages, tensors, tuples, closures. Each computes
 * first, then replaces its destination, so that a destination may also be an operand. What cannot
 * be known before the values are there (kinds, extents, indices) is checked here and becomes an
 * error that says where. */
#include <string.h>

#include "runtime/mem.h"
#include "runtime/vm_priv.h"

static tn_status wrong_kind(const tn_vm_run *run, const tn_vm_frame *frame, int64_t reg,
                            const char *want) {
  return TN_ERR(TN_INVALID, "register %lld of '%s' should hold a %s and holds a %s", (long long)reg,
                tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name), want,
                tn_arg_kind_name(frame->regs[reg].kind));
}

/* ---- integers and shapes ---- */

static tn_status scalar_is_true(tn_tensor *tensor, bool *out_is_true) {
  tn_tensor *copy = NULL;
  tn_dtype dtype = tn_dl_dtype(&tensor->dl);
  bool is_whole = tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype);
  if (tn_dl_n_elems(&tensor->dl) != 1 || !is_whole || tn_dtype_is_packed(dtype)) {
    char got[TN_DL_TEXT_BYTES];
    tn_dl_print(&tensor->dl, got, sizeof got);
    return TN_ERR(TN_INVALID, "a condition must be one bool or integer, and is %s", got);
  }
  if (!tn_dl_is_cpu(&tensor->dl)) {
    TN_TRY(tn_tensor_copy(NULL, tensor, (DLDevice){kDLCPU, 0}, &copy));
  }
  const uint8_t *bytes = copy == NULL ? tensor->dl.data : copy->dl.data;
  *out_is_true = false;
  for (size_t i = 0; i < tn_dtype_bytes(dtype); ++i) {
    *out_is_true |= bytes[i] != 0;
  }
  tn_tensor_release(copy);
  return NULL;
}

tn_status tn_vm_is_true(const tn_arg *cond, bool *out_is_true) {
  if (cond->kind == TN_ARG_INT) {
    *out_is_true = cond->u.i64 != 0;
    return NULL;
  }
  if (cond->kind == TN_ARG_TENSOR_OBJ) {
    return scalar_is_true(cond->u.ptr, out_is_true);
  }
  return TN_ERR(TN_INVALID, "a condition must be one bool or integer, and is a %s",
                tn_arg_kind_name(cond->kind));
}

tn_status tn_vm_op_branch_false(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  bool is_true = false;
  TN_TRY_MSG(tn_vm_is_true(&frame->regs[in[1]], &is_true), "register %lld of '%s'",
             (long long)in[1], tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name));
  frame->pc = is_true ? frame->pc + 3 : (size_t)in[2];
  return NULL;
}

/* False when the result does not exist: overflow or a division by zero. */
static bool compute(int64_t op, int64_t a, int64_t b, int64_t *slot) {
  bool is_divisible = b != 0 && !(a == INT64_MIN && b == -1);
  switch ((tn_vm_shape_op)op) {
    case TN_VM_SH_ADD:
      return !__builtin_add_overflow(a, b, slot);
    case TN_VM_SH_SUB:
      return !__builtin_sub_overflow(a, b, slot);
    case TN_VM_SH_MUL:
      return !__builtin_mul_overflow(a, b, slot);
    case TN_VM_SH_FLOORDIV:
      *slot = is_divisible ? a / b - (a % b != 0 && (a % b < 0) != (b < 0)) : 0;
      return is_divisible;
    case TN_VM_SH_FLOORMOD:
      *slot = is_divisible ? a % b + ((a % b != 0 && (a % b < 0) != (b < 0)) ? b : 0) : 0;
      return is_divisible;
    case TN_VM_SH_MIN:
      *slot = a < b ? a : b;
      return true;
    case TN_VM_SH_MAX:
      *slot = a > b ? a : b;
      return true;
    case TN_VM_SH_MOVE:
      *slot = a;
      return true;
    case TN_VM_SH_EQ:
      *slot = a == b;
      return true;
    case TN_VM_SH_LT:
      *slot = a < b;
      return true;
    case TN_VM_SH_LE:
      *slot = a <= b;
      return true;
    case TN_VM_SH_AND:
      *slot = a != 0 && b != 0;
      return true;
    case TN_VM_SH_OR:
      *slot = a != 0 || b != 0;
      return true;
    case TN_VM_SH_NOT:
      *slot = a == 0;
      return true;
    case TN_VM_SH_SELECT:
      *slot = *slot != 0 ? a : b;
      return true;
  }
  return false;
}

tn_status tn_vm_op_shape_op(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  int64_t a = 0;
  int64_t b = 0;
  TN_TRY(tn_vm_load_int(run, frame, in[3], &a));
  TN_TRY(tn_vm_load_int(run, frame, in[4], &b));
  if (!compute(in[2], a, b, &frame->slots[in[1]])) {
    return TN_ERR(
        TN_INVALID, "a shape computation of '%s' with %lld and %lld overflows or divides by zero",
        tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name), (long long)a, (long long)b);
  }
  frame->pc += 5;
  return NULL;
}

static tn_status match_error(const tn_vm_run *run, const tn_vm_frame *frame, const int64_t *in,
                             const char *why) {
  char got[TN_DL_TEXT_BYTES];
  const tn_arg *value = &frame->regs[in[1]];
  const DLTensor *dl = tn_arg_dl(value);
  if (dl != NULL) {
    tn_dl_print(dl, got, sizeof got);
  } else {
    snprintf(got, sizeof got, "%s", tn_arg_kind_name(value->kind));
  }
  const char *place = in[2] == -1 ? "a match" : tn_arg_text(&run->vm->exec->consts[in[2]]);
  return TN_ERR(TN_INVALID, "%s in '%s': got %s%s", place,
                tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name), got, why);
}

static tn_status match_dims(const tn_vm_run *run, tn_vm_frame *frame, const int64_t *in,
                            const int64_t *shape) {
  for (int64_t i = 0; i < in[5]; ++i) {
    int64_t value = TN_ARGW_VALUE(in[6 + i]);
    int32_t kind = TN_ARGW_KIND(in[6 + i]);
    if (kind == TN_VM_DIM_STORE) {
      frame->slots[value] = shape[i];
      continue;
    }
    int64_t want = kind == TN_VM_DIM_EQ_SLOT ? frame->slots[value] : value;
    if (kind != TN_VM_DIM_ANY && shape[i] != want) {
      char why[96];
      snprintf(why, sizeof why, ": extent %lld is %lld, not %lld", (long long)i,
               (long long)shape[i], (long long)want);
      return match_error(run, frame, in, why);
    }
  }
  return NULL;
}

/* NULL: it fits. */
static const char *misfit(const tn_arg *value, int64_t kind, int64_t n) {
  const tn_tuple *tuple = tn_arg_tuple(value);
  switch (kind) {
    case TN_VM_MATCH_TUPLE:
      if (tuple == NULL) {
        return ": not a tuple";
      }
      return n < 0 || tuple->n == n ? NULL : ": another number of items";
    case TN_VM_MATCH_FUNC:
      return tn_arg_func(value) != NULL ? NULL : ": not a function";
    case TN_VM_MATCH_INT:
      return value->kind == TN_ARG_INT ? NULL : ": not an integer";
    default:
      return value->kind == TN_ARG_INT || value->kind == TN_ARG_FLOAT ? NULL : ": not a number";
  }
}

tn_status tn_vm_op_match(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  const tn_arg *value = &frame->regs[in[1]];
  if (in[3] < TN_VM_MATCH_SHAPE) {
    const char *why = misfit(value, in[3], in[4]);
    if (why != NULL) {
      return match_error(run, frame, in, why);
    }
    frame->pc += 6;
    return NULL;
  }
  const DLTensor *dl = tn_arg_dl(value);
  const tn_shape *shape = tn_arg_shape(value);
  bool wants_shape = in[3] == TN_VM_MATCH_SHAPE;
  if (wants_shape ? shape == NULL : dl == NULL) {
    return match_error(run, frame, in, wants_shape ? ": not a shape" : ": not a tensor");
  }
  if (!wants_shape && in[3] != 0 && tn_dl_dtype(dl) != (tn_dtype)in[3]) {
    return match_error(run, frame, in, ": another element type");
  }
  int32_t ndim = wants_shape ? shape->ndim : dl->ndim;
  if (in[4] >= 0 && ndim != in[4]) {
    return match_error(run, frame, in, ": another number of dimensions");
  }
  TN_TRY(match_dims(run, frame, in, wants_shape ? shape->dims : dl->shape));
  frame->pc += 6 + (size_t)in[5];
  return NULL;
}

/* Integers of n words, in the scratch of the frame (two would fit where one value does). */
static tn_status load_ints(tn_vm_run *run, tn_vm_frame *frame, const int64_t *words, int64_t n,
                           int64_t **out_ints) {
  int64_t *ints = (int64_t *)(void *)frame->scratch;
  for (int64_t i = 0; i < n; ++i) {
    TN_TRY(tn_vm_load_int(run, frame, words[i], &ints[i]));
  }
  *out_ints = ints;
  return NULL;
}

tn_status tn_vm_op_make_shape(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  int64_t *dims = NULL;
  tn_shape *shape = NULL;
  TN_TRY(load_ints(run, frame, in + 3, in[2], &dims));
  TN_TRY(tn_shape_create((int32_t)in[2], dims, &shape));
  tn_vm_reg_set(frame, in[1], tn_arg_of_shape(shape));
  frame->pc += 3 + (size_t)in[2];
  return NULL;
}

tn_status tn_vm_op_to_slot(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  const tn_arg *value = &frame->regs[in[2]];
  if (value->kind != TN_ARG_INT) {
    return wrong_kind(run, frame, in[2], "int");
  }
  frame->slots[in[1]] = value->u.i64;
  frame->pc += 3;
  return NULL;
}

tn_status tn_vm_op_shape_of(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  const DLTensor *dl = tn_arg_dl(&frame->regs[in[2]]);
  tn_shape *shape = NULL;
  if (dl == NULL) {
    return wrong_kind(run, frame, in[2], "tensor");
  }
  TN_TRY(tn_shape_create(dl->ndim, dl->shape, &shape));
  tn_vm_reg_set(frame, in[1], tn_arg_of_shape(shape));
  frame->pc += 3;
  return NULL;
}

/* ---- storages and tensors ---- */

static tn_storage *find_kept(const tn_vm_frame *frame, int64_t reg, size_t n_bytes,
                             DLDevice device) {
  tn_storage *kept = frame->kept[reg];
  bool is_good = kept != NULL && kept->n_bytes >= n_bytes &&
                 kept->device.device_type == device.device_type &&
                 kept->device.device_id == device.device_id && tn_object_is_unique(&kept->obj);
  return is_good ? kept : NULL; /* not unique: a result escaped after all, and keeps it */
}

tn_status tn_vm_op_alloc_storage(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  int64_t n_bytes = 0;
  TN_TRY(tn_vm_load_int(run, frame, in[2], &n_bytes));
  if (n_bytes < 0 || in[3] >= run->vm->n_devices) {
    return TN_ERR(TN_INVALID, "'%s' allocates %lld bytes on device %lld of %d",
                  tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name), (long long)n_bytes,
                  (long long)in[3], run->vm->n_devices);
  }
  DLDevice device = run->vm->devices[in[3]];
  bool is_kept = (in[4] & 1) != 0;
  tn_vm_reg_clear(frame, in[1]);
  tn_storage *storage = is_kept ? find_kept(frame, in[1], (size_t)n_bytes, device) : NULL;
  if (storage != NULL) {
    tn_object_retain(&storage->obj);
  } else {
    TN_TRY(tn_storage_create(run->vm->rt, device, (size_t)n_bytes, &storage));
    if (is_kept) {
      tn_storage *old = frame->kept[in[1]];
      frame->kept[in[1]] = storage;
      tn_object_retain(&storage->obj);
      tn_object_release(old == NULL ? NULL : &old->obj);
    }
  }
  frame->regs[in[1]] = (tn_arg){.kind = TN_ARG_STORAGE, .u = {.ptr = storage}};
  frame->pc += 5;
  return NULL;
}

tn_status tn_vm_op_alloc_tensor(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  if (frame->regs[in[2]].kind != TN_ARG_STORAGE) {
    return wrong_kind(run, frame, in[2], "storage");
  }
  int64_t *shape = NULL;
  int32_t ndim = (int32_t)in[5];
  tn_tensor *tensor = NULL;
  TN_TRY(load_ints(run, frame, in + 6, ndim, &shape));
  if (in[1] != in[2]) {
    tn_vm_reg_clear(frame, in[1]); /* first: its tensor object may be the one to use */
  }
  TN_TRY(tn_vm_take_tensor(frame, in[1], ndim, &tensor));
  tn_status st = tn_tensor_set_in_storage(tensor, frame->regs[in[2]].u.ptr, in[3], (tn_dtype)in[4],
                                          ndim, shape);
  if (st != NULL) {
    tn_tensor_release(tensor);
    return tn_status_wrap(st, "allocating in '%s'",
                          tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name));
  }
  tn_vm_reg_set(frame, in[1], tn_arg_of_tensor(tensor));
  frame->pc += 6 + (size_t)ndim;
  return NULL;
}

tn_status tn_vm_op_copy_tensor(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  tn_tensor *src = tn_arg_tensor(&frame->regs[in[2]]);
  tn_tensor *copy = NULL;
  if (src == NULL) {
    return wrong_kind(run, frame, in[2], "tensor");
  }
  TN_TRY(tn_tensor_copy(run->vm->rt, src, src->dl.device, &copy));
  tn_vm_reg_set(frame, in[1], tn_arg_of_tensor(copy));
  frame->pc += 3;
  return NULL;
}

/* ---- tuples, moves, closures ---- */

tn_status tn_vm_op_make_tuple(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  tn_tuple *tuple = NULL;
  TN_TRY(tn_vm_load_args(run, frame, in + 3, in[2]));
  tn_status st = tn_tuple_create((int32_t)in[2], frame->scratch, &tuple);
  tn_vm_drop_args(frame, in + 3, in[2]);
  if (st != NULL) {
    return st;
  }
  tn_vm_reg_set(frame, in[1], tn_arg_of_tuple(tuple));
  frame->pc += 3 + (size_t)in[2];
  return NULL;
}

tn_status tn_vm_op_tuple_get(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  const tn_tuple *tuple = tn_arg_tuple(&frame->regs[in[2]]);
  if (tuple == NULL) {
    return wrong_kind(run, frame, in[2], "tuple");
  }
  if (in[3] >= tuple->n) {
    return TN_ERR(TN_INVALID, "item %lld of a tuple of %d in '%s'", (long long)in[3], tuple->n,
                  tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name));
  }
  tn_arg item = tuple->items[in[3]];
  tn_arg_retain(&item);
  tn_vm_reg_set(frame, in[1], item);
  frame->pc += 4;
  return NULL;
}

tn_status tn_vm_op_move(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  tn_arg value = {0};
  TN_TRY(tn_vm_load(run, frame, in[2], &value));
  if (TN_ARGW_KIND(in[2]) != TN_ARGW_FUNC) {
    tn_arg_retain(&value);
  }
  tn_vm_reg_set(frame, in[1], value);
  frame->pc += 3;
  return NULL;
}

tn_status tn_vm_op_make_closure(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  tn_func *func = NULL;
  TN_TRY(tn_vm_load_args(run, frame, in + 4, in[3]));
  tn_status st =
      tn_vm_closure_create(run->vm, (uint32_t)in[2], frame->scratch, (int32_t)in[3], &func);
  tn_vm_drop_args(frame, in + 4, in[3]);
  if (st != NULL) {
    return st;
  }
  tn_vm_reg_set(frame, in[1], tn_arg_of_func(func));
  frame->pc += 4 + (size_t)in[3];
  return NULL;
}
