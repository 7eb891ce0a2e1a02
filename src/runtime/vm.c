/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The virtual machine from outside: its life, entry, function values; and the frames, with what
 * they keep from run to run. The loop is in vm_run.c. */
#include <string.h>

#include "base/buf.h"
#include "runtime/mem.h"
#include "runtime/vm_builtins.h"
#include "runtime/vm_priv.h"

/* ---- life ---- */

static void free_frame(tn_vm_frame *frame) {
  for (uint32_t r = 0; r < frame->n_regs; ++r) {
    tn_tensor_release(frame->spares[r]);
    if (frame->kept[r] != NULL) {
      tn_object_release(&frame->kept[r]->obj);
    }
  }
  tn_mem_free(frame);
}

static void destroy_vm(tn_object *obj) {
  tn_vm *vm = (tn_vm *)obj;
  for (size_t i = 0; vm->states != NULL && i < vm->exec->view.n_funcs; ++i) {
    while (vm->states[i].free_frames != NULL) {
      tn_vm_frame *frame = vm->states[i].free_frames;
      vm->states[i].free_frames = frame->next;
      free_frame(frame);
    }
    tn_func_release(vm->states[i].packed);
  }
  tn_mem_free(vm->states);
  tn_mem_free(vm->times);
  tn_mem_free(vm->devices);
  pthread_mutex_destroy(&vm->lock);
  tn_exec_release(vm->exec);
  tn_runtime_release(vm->rt);
  tn_mem_free(vm);
}

static const tn_object_type vm_type = {destroy_vm, "virtual machine"};

static tn_status init_devices(tn_vm *vm, const DLDevice *devices, int32_t n_devices) {
  const DLDevice cpu = {kDLCPU, 0};
  const tn_device_row *row = NULL;
  if (devices == NULL || n_devices == 0) {
    devices = &cpu;
    n_devices = 1;
  }
  if (n_devices < 0 || n_devices > UINT8_MAX) {
    return TN_ERR(TN_INVALID, "a machine with %d devices", n_devices);
  }
  vm->devices = tn_mem_alloc(sizeof(DLDevice) * (size_t)n_devices);
  if (vm->devices == NULL) {
    return tn_mem_error("a device list", sizeof(DLDevice) * (size_t)n_devices);
  }
  for (int32_t i = 0; i < n_devices; ++i) {
    TN_TRY(tn_runtime_device_row(vm->rt, devices[i], &row));
    vm->devices[i] = devices[i];
  }
  vm->n_devices = n_devices;
  return NULL;
}

tn_status tn_vm_create(tn_runtime *rt, tn_exec *exec, const DLDevice *devices, int32_t n_devices,
                       tn_vm **out_vm) {
  tn_status st = NULL;
  tn_vm *vm = tn_mem_alloc(sizeof *vm);
  if (vm == NULL) {
    return tn_mem_error("a virtual machine", sizeof *vm);
  }
  tn_object_init(&vm->obj, &vm_type);
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&vm->lock, &attr);
  pthread_mutexattr_destroy(&attr);
  vm->rt = rt;
  tn_runtime_retain(rt);
  vm->exec = exec;
  tn_exec_retain(exec);
  TN_GOTO(st, init_devices(vm, devices, n_devices), done);
  vm->states = tn_mem_alloc(sizeof(tn_vm_func_state) * exec->view.n_funcs);
  if (vm->states == NULL) {
    TN_GOTO(st, tn_mem_error("a virtual machine", sizeof(tn_vm_func_state) * exec->view.n_funcs),
            done);
  }
  *out_vm = vm;
  vm = NULL;
done:
  tn_vm_release(vm);
  return st;
}

void tn_vm_retain(tn_vm *vm) {
  if (vm != NULL) {
    tn_object_retain(&vm->obj);
  }
}

void tn_vm_release(tn_vm *vm) {
  if (vm != NULL) {
    tn_object_release(&vm->obj);
  }
}

/* ---- frames and registers ---- */

static size_t round_up_64(size_t n) { return (n + 63) / 64 * 64; }

/* One block for the frame and all its arrays. */
static tn_vm_frame *frame_new(const tn_exec_view *view, uint32_t index) {
  const tn_exec_func *f = &view->funcs[index];
  size_t n_regs = f->n_regs;
  size_t n_scratch = tn_exec_max_args(view, index);
  size_t head = round_up_64(sizeof(tn_vm_frame));
  size_t n_bytes = head + n_regs * (sizeof(tn_arg) + 2 * sizeof(void *)) +
                   f->n_slots * sizeof(int64_t) + n_scratch * sizeof(tn_arg);
  char *block = tn_mem_alloc(n_bytes);
  if (block == NULL) {
    return NULL;
  }
  tn_vm_frame *frame = (tn_vm_frame *)(void *)block;
  frame->func_index = index;
  frame->n_regs = f->n_regs;
  frame->regs = (tn_arg *)(void *)(block + head);
  frame->scratch = frame->regs + n_regs;
  frame->spares = (tn_tensor **)(void *)(frame->scratch + n_scratch);
  frame->kept = (tn_storage **)(void *)(frame->spares + n_regs);
  frame->slots = (int64_t *)(void *)(frame->kept + n_regs);
  return frame;
}

tn_status tn_vm_frame_push(tn_vm *vm, uint32_t index, tn_vm_frame **out_frame) {
  const tn_exec_view *view = &vm->exec->view;
  tn_vm_func_state *state = &vm->states[index];
  if (vm->depth >= TN_VM_MAX_DEPTH) {
    return TN_ERR(TN_INVALID, "recursion deeper than %d calls in '%s'", (int)TN_VM_MAX_DEPTH,
                  tn_exec_str(view, view->funcs[index].name));
  }
  tn_vm_frame *frame = state->free_frames;
  if (frame != NULL) {
    state->free_frames = frame->next;
    --state->n_free;
    memset(frame->slots, 0, sizeof(int64_t) * view->funcs[index].n_slots);
  } else {
    frame = frame_new(view, index);
    if (frame == NULL) {
      return TN_ERR(TN_NO_MEMORY, "no memory for a call of '%s'",
                    tn_exec_str(view, view->funcs[index].name));
    }
  }
  ++vm->depth;
  frame->next = NULL;
  frame->pc = view->funcs[index].code_begin;
  frame->dst = -1;
  *out_frame = frame;
  return NULL;
}

void tn_vm_frame_pop(tn_vm *vm, tn_vm_frame *frame) {
  tn_vm_func_state *state = &vm->states[frame->func_index];
  for (uint32_t r = 0; r < frame->n_regs; ++r) {
    tn_vm_reg_clear(frame, r);
  }
  --vm->depth;
  if (state->n_free >= TN_VM_MAX_FREE_FRAMES) { /* left over from a deep recursion */
    free_frame(frame);
    return;
  }
  frame->next = state->free_frames;
  state->free_frames = frame;
  ++state->n_free;
}

void tn_vm_reg_clear(tn_vm_frame *frame, int64_t reg) {
  tn_arg *value = &frame->regs[reg];
  if (value->kind == TN_ARG_TENSOR_OBJ && frame->spares[reg] == NULL) {
    tn_tensor *tensor = value->u.ptr;
    if (tn_object_is_unique(&tensor->obj)) {
      tn_tensor_clear(tensor);
      frame->spares[reg] = tensor;
      *value = (tn_arg){0};
      return;
    }
  }
  tn_arg_release(value);
}

void tn_vm_reg_set(tn_vm_frame *frame, int64_t reg, tn_arg value) {
  tn_vm_reg_clear(frame, reg);
  frame->regs[reg] = value;
}

tn_status tn_vm_take_tensor(tn_vm_frame *frame, int64_t reg, int32_t ndim, tn_tensor **out_tensor) {
  tn_tensor *spare = frame->spares[reg];
  frame->spares[reg] = NULL;
  if (spare != NULL && spare->cap_ndim >= ndim) {
    *out_tensor = spare;
    return NULL;
  }
  tn_tensor_release(spare);
  return tn_tensor_new_blank(ndim, out_tensor);
}

tn_status tn_vm_find_packed(tn_vm *vm, uint32_t index, tn_func **out_func) {
  tn_vm_func_state *state = &vm->states[index];
  if (state->packed == NULL) {
    const char *name = tn_exec_str(&vm->exec->view, vm->exec->view.funcs[index].name);
    tn_callback builtin = tn_vm_builtin_find(name);
    if (builtin != NULL) {
      TN_TRY(tn_func_create(builtin, NULL, NULL, &state->packed));
    } else {
      TN_TRY(tn_registry_find(vm->rt->registry, name, &state->packed));
    }
  }
  *out_func = state->packed;
  return NULL;
}

/* ---- entry ---- */

/* Puts a value from outside into a parameter's register. Borrowed tensors get an object, borrowed
 * texts a copy. */
static tn_status set_param(tn_vm *vm, tn_vm_frame *frame, int32_t reg, const tn_arg *value) {
  if (value->kind == TN_ARG_TENSOR) {
    tn_tensor *tensor = NULL;
    TN_TRY(tn_vm_take_tensor(frame, reg, value->u.tensor->ndim, &tensor));
    tn_status st = tn_tensor_set_borrowed(tensor, vm->rt, value->u.tensor);
    if (st != NULL) {
      tn_tensor_release(tensor);
      return tn_status_wrap(st, "argument %d", reg);
    }
    frame->regs[reg] = tn_arg_of_tensor(tensor);
  } else if (value->kind == TN_ARG_STR) {
    tn_string *str = NULL;
    TN_TRY(tn_string_create(value->u.str, &str));
    frame->regs[reg] = tn_arg_of_string(str);
  } else {
    frame->regs[reg] = *value;
    tn_arg_retain(value);
  }
  return NULL;
}

/* A kernel writes into its arguments; one with a result of its own gets an argument more for it.
 * The convention's const is about the array, and says nothing about that last place. */
static tn_status call_kernel(tn_vm *vm, uint32_t index, const tn_arg *args, int32_t n_args,
                             tn_arg *out_ret) {
  const tn_exec_view *view = &vm->exec->view;
  const tn_exec_func *f = &view->funcs[index];
  const char *signature = tn_vm_signature(view, f);
  int32_t n_results = view->types[f->params + f->n_params].kind == TN_EXEC_TY_SCALAR ? 1 : 0;
  size_t n_bytes = sizeof(tn_arg) * (size_t)(n_args + n_results);
  tn_arg *lowered = tn_mem_alloc(n_bytes);
  if (lowered == NULL) {
    return tn_mem_error("the arguments of a call", n_bytes);
  }
  tn_status st = NULL;
  tn_call call;
  tn_call_init(&call, vm->rt);
  for (int32_t i = 0; st == NULL && i < n_args; ++i) {
    st = tn_call_lower_arg(&call, signature, i, &args[i], &lowered[i]);
  }
  if (st == NULL) {
    int32_t code = vm->exec->kernels[index](&call.env, lowered, n_args + n_results);
    st = tn_call_status(&call, code, signature);
  }
  if (st == NULL && out_ret != NULL) {
    *out_ret = n_results == 1 ? lowered[n_args] : tn_arg_none();
  }
  tn_mem_free(lowered);
  return st;
}

static tn_status enter_locked(tn_vm *vm, uint32_t index, const tn_arg *args, int32_t n_args,
                              tn_arg *out_ret) {
  const tn_exec_func *f = &vm->exec->view.funcs[index];
  if (f->kind == TN_EXEC_FN_PACKED) {
    tn_func *func = NULL;
    TN_TRY(tn_vm_find_packed(vm, index, &func));
    return tn_func_call(func, args, n_args, out_ret);
  }
  tn_vm_frame *frame = NULL;
  TN_TRY(tn_vm_check_args(vm, index, args, n_args));
  if (f->kind == TN_EXEC_FN_KERNEL) {
    return call_kernel(vm, index, args, n_args, out_ret);
  }
  TN_TRY(tn_vm_frame_push(vm, index, &frame));
  for (int32_t i = 0; i < n_args; ++i) {
    tn_status st = set_param(vm, frame, i, &args[i]);
    if (st != NULL) {
      tn_vm_frame_pop(vm, frame);
      return tn_status_wrap(st, "calling '%s'", tn_exec_str(&vm->exec->view, f->name));
    }
  }
  tn_vm_run run;
  run.vm = vm;
  run.view = &vm->exec->view;
  run.frame = frame;
  run.result = (tn_arg){0};
  tn_call_init(&run.call, vm->rt);
  tn_status st = tn_vm_loop(&run);
  if (st != NULL) {
    return tn_status_wrap(st, "calling '%s'", tn_exec_str(&vm->exec->view, f->name));
  }
  if (out_ret == NULL) {
    tn_arg_release(&run.result);
  } else {
    *out_ret = run.result;
  }
  return NULL;
}

tn_status tn_vm_enter(tn_vm *vm, uint32_t index, const tn_arg *args, int32_t n_args,
                      tn_arg *out_ret) {
  tn_vm_retain(vm); /* a function of the host may drop the last other reference */
  pthread_mutex_lock(&vm->lock);
  tn_status st = enter_locked(vm, index, args, n_args, out_ret);
  pthread_mutex_unlock(&vm->lock);
  tn_vm_release(vm);
  return st;
}

static tn_status find_public(const tn_vm *vm, const char *name, uint32_t *out_index) {
  const tn_exec *exec = vm->exec;
  int32_t i = tn_exec_find_function(exec, name);
  if (i >= 0) {
    *out_index = (uint32_t)exec->publics[i];
    return NULL;
  }
  tn_buf names = TN_BUF_INIT;
  for (int32_t k = 0; k < exec->n_publics; ++k) {
    tn_buf_printf(&names, "%s%s", k == 0 ? "" : ", ", tn_exec_function_name(exec, k));
  }
  tn_status st = TN_ERR(TN_NOT_FOUND, "no function '%s' in the executable; it has: %s", name,
                        tn_buf_text(&names));
  tn_buf_deinit(&names);
  return st;
}

tn_status tn_vm_call(tn_vm *vm, const char *func, const tn_arg *args, int32_t n_args,
                     tn_arg *out_ret) {
  uint32_t index = 0;
  TN_TRY(find_public(vm, func, &index));
  return tn_vm_enter(vm, index, args, n_args, out_ret);
}

/* ---- function values ---- */

static void free_closure(void *ctx) {
  tn_vm_closure *closure = ctx;
  for (int32_t i = 0; i < closure->n_captured; ++i) {
    tn_arg_release(&closure->captured[i]);
  }
  tn_vm_release(closure->vm);
  tn_mem_free(closure);
}

static tn_status call_closure(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  const tn_vm_closure *closure = ctx;
  if (closure->n_captured == 0) {
    return tn_vm_enter(closure->vm, closure->func_index, args, n_args, out_ret);
  }
  size_t n_all = (size_t)n_args + (size_t)closure->n_captured;
  tn_arg *all = tn_mem_alloc(sizeof(tn_arg) * n_all);
  if (all == NULL) {
    return tn_mem_error("the arguments of a closure", sizeof(tn_arg) * n_all);
  }
  for (int32_t i = 0; i < n_args; ++i) {
    all[i] = args[i];
  }
  memcpy(all + n_args, closure->captured, sizeof(tn_arg) * (size_t)closure->n_captured);
  tn_status st = tn_vm_enter(closure->vm, closure->func_index, all, (int32_t)n_all, out_ret);
  tn_mem_free(all);
  return st;
}

tn_status tn_vm_closure_create(tn_vm *vm, uint32_t index, const tn_arg *captured,
                               int32_t n_captured, tn_func **out_func) {
  uint32_t depth = 0;
  TN_TRY(tn_object_depth_over(n_captured, captured, &depth));
  size_t n_bytes = sizeof(tn_vm_closure) + sizeof(tn_arg) * (size_t)n_captured;
  tn_vm_closure *closure = tn_mem_alloc(n_bytes);
  if (closure == NULL) {
    return tn_mem_error("a closure", n_bytes);
  }
  tn_status st = tn_func_create(call_closure, closure, free_closure, out_func);
  if (st != NULL) {
    tn_mem_free(closure);
    return st;
  }
  (*out_func)->obj.depth = depth;
  closure->vm = vm;
  tn_vm_retain(vm);
  closure->func_index = index;
  closure->n_captured = n_captured;
  for (int32_t i = 0; i < n_captured; ++i) {
    closure->captured[i] = captured[i];
    tn_arg_retain(&captured[i]);
  }
  return NULL;
}

const tn_vm_closure *tn_vm_closure_of(const tn_vm *vm, const tn_func *func) {
  const tn_vm_closure *closure = func->callback == call_closure ? func->ctx : NULL;
  return closure != NULL && closure->vm == vm ? closure : NULL;
}

tn_status tn_vm_function(tn_vm *vm, const char *func, tn_func **out_func) {
  uint32_t index = 0;
  TN_TRY(find_public(vm, func, &index));
  return tn_vm_closure_create(vm, index, NULL, 0, out_func);
}
