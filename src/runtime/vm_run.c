/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The machine's loop: fetch, dispatch, calls and returns. Calls between VM functions push a frame
 * and do not recurse in C; only functions of the host that call back do. Operands were checked when
 * the image was loaded (exec_code.c). */
#include <string.h>

#include "runtime/mem.h"
#include "runtime/vm_priv.h"

tn_status tn_vm_load(tn_vm_run *run, tn_vm_frame *frame, int64_t word, tn_arg *out_value) {
  int64_t value = TN_ARGW_VALUE(word);
  switch (TN_ARGW_KIND(word)) {
    case TN_ARGW_REG:
      *out_value = frame->regs[value];
      return NULL;
    case TN_ARGW_IMM:
      *out_value = tn_arg_of_int(value);
      return NULL;
    case TN_ARGW_CONST:
      *out_value = run->vm->exec->consts[value];
      return NULL;
    case TN_ARGW_FUNC: {
      tn_func *func = NULL;
      TN_TRY(tn_vm_closure_create(run->vm, (uint32_t)value, NULL, 0, &func));
      *out_value = tn_arg_of_func(func);
      return NULL;
    }
    default:
      *out_value = tn_arg_of_int(frame->slots[value]);
      return NULL;
  }
}

tn_status tn_vm_load_args(tn_vm_run *run, tn_vm_frame *frame, const int64_t *words, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    tn_status st = tn_vm_load(run, frame, words[i], &frame->scratch[i]);
    if (st != NULL) {
      tn_vm_drop_args(frame, words, i);
      return st;
    }
  }
  return NULL;
}

void tn_vm_drop_args(tn_vm_frame *frame, const int64_t *words, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (TN_ARGW_KIND(words[i]) == TN_ARGW_FUNC) {
      tn_arg_release(&frame->scratch[i]);
    }
  }
}

tn_status tn_vm_load_int(tn_vm_run *run, tn_vm_frame *frame, int64_t word, int64_t *out_value) {
  int64_t value = TN_ARGW_VALUE(word);
  switch (TN_ARGW_KIND(word)) {
    case TN_ARGW_IMM:
      *out_value = value;
      return NULL;
    case TN_ARGW_SLOT:
      *out_value = frame->slots[value];
      return NULL;
    default:
      if (frame->regs[value].kind != TN_ARG_INT) {
        return TN_ERR(TN_INVALID, "register %lld of '%s' should hold an int and holds a %s",
                      (long long)value, tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name),
                      tn_arg_kind_name(frame->regs[value].kind));
      }
      *out_value = frame->regs[value].u.i64;
      return NULL;
  }
}

/* ---- calls ---- */

/* Makes the kernel's arguments of n words. A function value among them is an error: no kernel takes
 * one. */
static tn_status load_kernel_args(tn_vm_run *run, tn_vm_frame *frame, const char *signature,
                                  const int64_t *words, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    tn_arg *arg = &frame->scratch[i];
    if (TN_ARGW_KIND(words[i]) == TN_ARGW_FUNC) {
      return TN_ERR(TN_INVALID, "argument %lld when calling %s: a kernel takes no function",
                    (long long)i, signature);
    }
    TN_TRY(tn_vm_load(run, frame, words[i], arg));
    const tn_tensor *tensor = arg->u.ptr;
    if (arg->kind == TN_ARG_TENSOR_OBJ && tn_dl_is_cpu(&tensor->dl)) { /* nearly always */
      *arg = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &tensor->dl}};
    } else {
      TN_TRY(tn_call_lower_arg(&run->call, signature, (int32_t)i, arg, arg));
    }
  }
  return NULL;
}

static tn_status call_kernel(tn_vm_run *run, tn_vm_frame *frame, uint32_t index,
                             const int64_t *words, int64_t n) {
  const char *signature = tn_vm_signature(run->view, &run->view->funcs[index]);
  TN_TRY(load_kernel_args(run, frame, signature, words, n));
  tn_vm *vm = run->vm;
  int32_t code = vm->times != NULL
                     ? tn_vm_timed_kernel(vm, index, &run->call.env, frame->scratch, (int32_t)n)
                     : vm->exec->kernels[index](&run->call.env, frame->scratch, (int32_t)n);
  return tn_call_status(&run->call, code, signature);
}

/* Calls a function of the host, and stores its result. */
static tn_status call_host(tn_vm_run *run, tn_vm_frame *frame, tn_func *func, const int64_t *words,
                           int64_t n, int64_t dst) {
  tn_arg ret = {0};
  TN_TRY(tn_vm_load_args(run, frame, words, n));
  tn_func_retain(func); /* the call may overwrite the registry's or the register's reference */
  tn_status st = tn_func_call(func, frame->scratch, (int32_t)n, &ret);
  tn_func_release(func);
  tn_vm_drop_args(frame, words, n);
  if (st != NULL) {
    return st;
  }
  if (dst >= 0 && (ret.kind == TN_ARG_TENSOR || ret.kind == TN_ARG_STR)) {
    return TN_ERR(TN_INVALID, "the function returned a borrowed %s; it must return an object",
                  tn_arg_kind_name(ret.kind));
  }
  if (dst >= 0) {
    tn_vm_reg_set(frame, dst, ret);
  } else {
    tn_arg_release(&ret);
  }
  return NULL;
}

/* Pushes the callee's frame; its parameters are the arguments, then what a closure captured. */
static tn_status call_vm(tn_vm_run *run, tn_vm_frame *frame, uint32_t index, const int64_t *words,
                         int64_t n, const tn_vm_closure *closure, int64_t dst) {
  tn_vm_frame *callee = NULL;
  TN_TRY(tn_vm_frame_push(run->vm, index, &callee));
  for (int64_t i = 0; i < n; ++i) {
    tn_status st = tn_vm_load(run, frame, words[i], &callee->regs[i]);
    if (st != NULL) {
      tn_vm_frame_pop(run->vm, callee);
      return st;
    }
    if (TN_ARGW_KIND(words[i]) != TN_ARGW_FUNC) { /* those are made for us already */
      tn_arg_retain(&callee->regs[i]);
    }
  }
  for (int32_t i = 0; closure != NULL && i < closure->n_captured; ++i) {
    callee->regs[n + i] = closure->captured[i];
    tn_arg_retain(&closure->captured[i]);
  }
  callee->dst = dst;
  callee->next = frame;
  run->frame = callee;
  return NULL;
}

static tn_status op_call(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  uint32_t index = (uint32_t)in[2];
  int64_t n = in[3];
  const int64_t *words = in + 4;
  const tn_exec_func *f = &run->view->funcs[index];
  frame->pc += 4 + (size_t)n;
  if (f->kind == TN_EXEC_FN_KERNEL) {
    return call_kernel(run, frame, index, words, n);
  }
  if (f->kind == TN_EXEC_FN_VM) {
    return call_vm(run, frame, index, words, n, NULL, in[1]);
  }
  tn_func *func = NULL;
  TN_TRY(tn_vm_find_packed(run->vm, index, &func));
  TN_TRY_MSG(call_host(run, frame, func, words, n, in[1]), "calling '%s'",
             tn_exec_str(run->view, f->name));
  return NULL;
}

static tn_status op_call_value(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  int64_t n = in[3];
  const int64_t *words = in + 4;
  tn_func *func = tn_arg_func(&frame->regs[in[2]]);
  frame->pc += 4 + (size_t)n;
  if (func == NULL) {
    return TN_ERR(TN_INVALID, "register %lld of '%s' should hold a function and holds a %s",
                  (long long)in[2], tn_exec_str(run->view, tn_vm_frame_func(run, frame)->name),
                  tn_arg_kind_name(frame->regs[in[2]].kind));
  }
  const tn_vm_closure *closure = tn_vm_closure_of(run->vm, func);
  if (closure == NULL || run->view->funcs[closure->func_index].kind != TN_EXEC_FN_VM) {
    return call_host(run, frame, func, words, n, in[1]);
  }
  const tn_exec_func *f = &run->view->funcs[closure->func_index];
  if (n + closure->n_captured != f->n_params) {
    return TN_ERR(TN_INVALID, "number of arguments of '%s': expected %lld, got %lld",
                  tn_exec_str(run->view, f->name), (long long)f->n_params - closure->n_captured,
                  (long long)n);
  }
  return call_vm(run, frame, closure->func_index, words, n, closure, in[1]);
}

static tn_status op_ret(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  tn_arg value = {0};
  TN_TRY(tn_vm_load(run, frame, in[1], &value));
  if (TN_ARGW_KIND(in[1]) != TN_ARGW_FUNC) {
    tn_arg_retain(&value);
  }
  tn_vm_frame *caller = frame->next;
  int64_t dst = frame->dst;
  tn_vm_frame_pop(run->vm, frame);
  run->frame = caller;
  if (caller == NULL) {
    run->result = value;
  } else if (dst >= 0) {
    tn_vm_reg_set(caller, dst, value);
  } else {
    tn_arg_release(&value);
  }
  return NULL;
}

/* The arguments of n words with references of their own. */
static tn_status load_owned(tn_vm_run *run, tn_vm_frame *frame, const int64_t *words, int64_t n) {
  TN_TRY(tn_vm_load_args(run, frame, words, n));
  for (int64_t i = 0; i < n; ++i) {
    if (TN_ARGW_KIND(words[i]) != TN_ARGW_FUNC) {
      tn_arg_retain(&frame->scratch[i]);
    }
  }
  return NULL;
}

/* A function that calls itself begins anew in the same frame, with the memory kept there; another
 * one gets a frame in the place of this one. */
static tn_status op_tail_call(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  uint32_t index = (uint32_t)in[1];
  int64_t n = in[2];
  const tn_exec_func *f = &run->view->funcs[index];
  tn_vm_frame *callee = frame;
  TN_TRY(load_owned(run, frame, in + 3, n));
  if (index != frame->func_index) {
    --run->vm->depth; /* this frame goes */
    tn_status st = tn_vm_frame_push(run->vm, index, &callee);
    ++run->vm->depth;
    for (int64_t i = 0; st != NULL && i < n; ++i) {
      tn_arg_release(&frame->scratch[i]);
    }
    TN_TRY(st);
    callee->dst = frame->dst;
    callee->next = frame->next;
  }
  for (uint32_t r = 0; callee == frame && r < frame->n_regs; ++r) {
    tn_vm_reg_clear(frame, r);
  }
  for (int64_t i = 0; i < n; ++i) {
    callee->regs[i] = frame->scratch[i];
  }
  if (callee == frame) {
    memset(frame->slots, 0, sizeof(int64_t) * f->n_slots);
    frame->pc = f->code_begin;
  } else {
    tn_vm_frame_pop(run->vm, frame);
  }
  run->frame = callee;
  return NULL;
}

/* ---- the loop ---- */

static tn_status step(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in) {
  switch ((tn_vm_op)in[0]) {
    case TN_VM_CALL:
      return op_call(run, frame, in);
    case TN_VM_RET:
      return op_ret(run, frame, in);
    case TN_VM_JUMP:
      frame->pc = (size_t)in[1];
      return NULL;
    case TN_VM_BRANCH_FALSE:
      return tn_vm_op_branch_false(run, frame, in);
    case TN_VM_SHAPE_OP:
      return tn_vm_op_shape_op(run, frame, in);
    case TN_VM_MATCH:
      return tn_vm_op_match(run, frame, in);
    case TN_VM_MAKE_SHAPE:
      return tn_vm_op_make_shape(run, frame, in);
    case TN_VM_ALLOC_STORAGE:
      return tn_vm_op_alloc_storage(run, frame, in);
    case TN_VM_ALLOC_TENSOR:
      return tn_vm_op_alloc_tensor(run, frame, in);
    case TN_VM_MAKE_TUPLE:
      return tn_vm_op_make_tuple(run, frame, in);
    case TN_VM_TUPLE_GET:
      return tn_vm_op_tuple_get(run, frame, in);
    case TN_VM_KILL:
      tn_vm_reg_clear(frame, in[1]);
      frame->pc += 2;
      return NULL;
    case TN_VM_MOVE:
      return tn_vm_op_move(run, frame, in);
    case TN_VM_TO_SLOT:
      return tn_vm_op_to_slot(run, frame, in);
    case TN_VM_SHAPE_OF:
      return tn_vm_op_shape_of(run, frame, in);
    case TN_VM_COPY_TENSOR:
      return tn_vm_op_copy_tensor(run, frame, in);
    case TN_VM_MAKE_CLOSURE:
      return tn_vm_op_make_closure(run, frame, in);
    case TN_VM_CALL_VALUE:
      return op_call_value(run, frame, in);
    case TN_VM_TAIL_CALL:
      return op_tail_call(run, frame, in);
  }
  TN_UNREACHABLE(); /* checked at load */
}

tn_status tn_vm_loop(tn_vm_run *run) {
  tn_status st = NULL;
  while (run->frame != NULL && st == NULL) {
    tn_vm_frame *frame = run->frame;
    st = step(run, frame, run->view->code + frame->pc);
  }
  while (run->frame != NULL) { /* an error: nobody returns any more */
    tn_vm_frame *frame = run->frame;
    run->frame = frame->next;
    tn_vm_frame_pop(run->vm, frame);
  }
  return st;
}
