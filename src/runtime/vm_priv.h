/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The machine's insides, shared by vm.c (life, entry, argument checks), vm_run.c (the loop and
 * calls), vm_ops.c (the other instructions) and vm_profile.c (where the time goes).
 *
 * A frame is one activation of a VM function: registers, shape heap, and what it keeps for its next
 * activation, so that code that runs again allocates nothing: tensor objects (`spares`) and
 * storages (`kept`), both by register. Frames themselves go back to a list of their function. */
#ifndef TN_RUNTIME_VM_PRIV_H
#define TN_RUNTIME_VM_PRIV_H

#include <pthread.h>

#include "base/check.h"
#include "runtime/exec.h"
#include "runtime/kernel_call.h"
#include "runtime/tensor.h"

typedef struct tn_vm_frame tn_vm_frame;

struct tn_vm_frame {
  tn_vm_frame *next; /* the caller's frame; the next one in the list of free frames */
  uint32_t func_index;
  uint32_t n_regs;
  size_t pc;   /* of the next instruction, in CODE */
  int64_t dst; /* the caller's register for the result, or -1 */
  tn_arg *regs;
  tn_tensor **spares; /* by register; blank objects */
  tn_storage **kept;  /* by register */
  int64_t *slots;
  tn_arg *scratch; /* arguments of the call at hand */
};

typedef struct tn_vm_func_state {
  tn_vm_frame *free_frames;
  int32_t n_free;
  tn_func *packed; /* retained; NULL before the first call */
} tn_vm_func_state;

typedef struct tn_vm_func_time {
  int64_t n_calls;
  int64_t ns;
} tn_vm_func_time;

struct tn_vm {
  tn_object obj;
  tn_runtime *rt; /* retained */
  tn_exec *exec;  /* retained */
  DLDevice *devices;
  int32_t n_devices;
  int32_t depth;            /* frames in use */
  pthread_mutex_t lock;     /* recursive: functions of the host may call back */
  tn_vm_func_state *states; /* one per function */
  tn_vm_func_time *times;   /* one per function; NULL: nothing is measured */
};

enum { TN_VM_MAX_DEPTH = 1000, TN_VM_MAX_FREE_FRAMES = 4 };

/// One entry from outside: its frames, and the services of the kernels it calls.
typedef struct tn_vm_run {
  tn_vm *vm;
  const tn_exec_view *view;
  tn_vm_frame *frame; /* the running one; NULL at the end */
  tn_arg result;      /* owned */
  tn_call call;
} tn_vm_run;

/// A VM function as a value: the ctx of a tn_func.
typedef struct tn_vm_closure {
  tn_vm *vm; /* retained */
  uint32_t func_index;
  int32_t n_captured;
  tn_arg captured[]; /* owned; they come after the arguments of a call */
} tn_vm_closure;

static inline const tn_exec_func *tn_vm_frame_func(const tn_vm_run *run, const tn_vm_frame *frame) {
  return &run->view->funcs[frame->func_index];
}

static inline const char *tn_vm_signature(const tn_exec_view *view, const tn_exec_func *f) {
  const char *doc = tn_exec_str(view, f->doc);
  return doc[0] != 0 ? doc : tn_exec_str(view, f->name);
}

/* ---- vm.c ---- */

/// Calls function `index` of any kind from outside the loop. out_ret may be NULL.
TN_MUST_USE tn_status tn_vm_enter(tn_vm *vm, uint32_t index, const tn_arg *args, int32_t n_args,
                                  tn_arg *out_ret);
/// A value for function `index`; captured: retained.
TN_MUST_USE tn_status tn_vm_closure_create(tn_vm *vm, uint32_t index, const tn_arg *captured,
                                           int32_t n_captured, tn_func **out_func);
/// The closure inside a function value when it is one of this machine; NULL otherwise.
const tn_vm_closure *tn_vm_closure_of(const tn_vm *vm, const tn_func *func);
/// Takes a frame for function `index`; registers empty, slots zero. INVALID when too deep.
TN_MUST_USE tn_status tn_vm_frame_push(tn_vm *vm, uint32_t index, tn_vm_frame **out_frame);
/// Empties the frame and gives it back.
void tn_vm_frame_pop(tn_vm *vm, tn_vm_frame *frame);
/// A blank tensor object for register `reg`: the spare one, or a new one.
TN_MUST_USE tn_status tn_vm_take_tensor(tn_vm_frame *frame, int64_t reg, int32_t ndim,
                                        tn_tensor **out_tensor);
/// Drops what a register holds, keeping a tensor object nobody else holds as its spare.
void tn_vm_reg_clear(tn_vm_frame *frame, int64_t reg);
/// value: ownership passes to the register.
void tn_vm_reg_set(tn_vm_frame *frame, int64_t reg, tn_arg value);
/// The packed function behind `index`, looked up once. NOT_FOUND naming it.
TN_MUST_USE tn_status tn_vm_find_packed(tn_vm *vm, uint32_t index, tn_func **out_func);

/* ---- vm_run.c ---- */

/// Runs until the frame at the bottom returns; on an error all frames are popped.
TN_MUST_USE tn_status tn_vm_loop(tn_vm_run *run);
/// The value of an argument word. Objects are borrowed, but for function words, which make one (see
/// tn_vm_drop_args).
TN_MUST_USE tn_status tn_vm_load(tn_vm_run *run, tn_vm_frame *frame, int64_t word,
                                 tn_arg *out_value);
/// Loads n words into the frame's scratch.
TN_MUST_USE tn_status tn_vm_load_args(tn_vm_run *run, tn_vm_frame *frame, const int64_t *words,
                                      int64_t n);
/// Releases the function values that loading the first n words made.
void tn_vm_drop_args(tn_vm_frame *frame, const int64_t *words, int64_t n);
/// An integer from an IMM, SLOT or REG word.
TN_MUST_USE tn_status tn_vm_load_int(tn_vm_run *run, tn_vm_frame *frame, int64_t word,
                                     int64_t *out_value);

/* ---- vm_ops.c: one instruction each; `in` points at its opcode ---- */

/// Whether a condition holds: an int, or a tensor of one bool or integer, on any device.
TN_MUST_USE tn_status tn_vm_is_true(const tn_arg *cond, bool *out_is_true);

TN_MUST_USE tn_status tn_vm_op_branch_false(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_shape_op(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_match(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_make_shape(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_alloc_storage(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_alloc_tensor(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_make_tuple(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_tuple_get(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_move(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_to_slot(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_shape_of(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_copy_tensor(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);
TN_MUST_USE tn_status tn_vm_op_make_closure(tn_vm_run *run, tn_vm_frame *frame, const int64_t *in);

/* ---- vm_profile.c ---- */

/// Calls kernel `index` and takes the time; the machine measures.
int32_t tn_vm_timed_kernel(tn_vm *vm, uint32_t index, const tn_env *env, const tn_arg *args,
                           int32_t n_args);

/* ---- vm_args.c ---- */

/// Checks the arguments of a call from outside against the declared types.
TN_MUST_USE tn_status tn_vm_check_args(tn_vm *vm, uint32_t index, const tn_arg *args,
                                       int32_t n_args);

#endif
