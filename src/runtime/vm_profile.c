/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Where a machine's time goes: calls and nanoseconds of each kernel that its functions call. Costs two
 * looks at the clock a call, and nothing while it is off. */
#include "base/clock.h"
#include "runtime/mem.h"
#include "runtime/vm_priv.h"

tn_status tn_vm_profile(tn_vm *vm) {
  size_t n_bytes = sizeof(tn_vm_func_time) * vm->exec->view.n_funcs;
  tn_vm_func_time *times = tn_mem_alloc(n_bytes);
  if (times == NULL) {
    return tn_mem_error("the times of kernels", n_bytes);
  }
  pthread_mutex_lock(&vm->lock);
  tn_mem_free(vm->times);
  vm->times = times;
  pthread_mutex_unlock(&vm->lock);
  return NULL;
}

int32_t tn_vm_timed_kernel(tn_vm *vm, uint32_t index, const tn_env *env, const tn_arg *args,
                           int32_t n_args) {
  int64_t start = tn_clock_ns();
  int32_t code = vm->exec->kernels[index](env, args, n_args);
  vm->times[index].ns += tn_clock_ns() - start;
  ++vm->times[index].n_calls;
  return code;
}

int32_t tn_vm_kernel_time(const tn_vm *vm, int32_t i, tn_kernel_time *out_time) {
  const tn_exec_view *view = &vm->exec->view;
  for (uint32_t f = 0; vm->times != NULL && f < view->n_funcs; ++f) {
    if (view->funcs[f].kind == TN_EXEC_FN_KERNEL && i-- == 0) {
      *out_time = (tn_kernel_time){.name = tn_exec_str(view, view->funcs[f].name),
                                   .signature = tn_vm_signature(view, &view->funcs[f]),
                                   .n_calls = vm->times[f].n_calls,
                                   .ns = vm->times[f].ns};
      return 1;
    }
  }
  return 0;
}
