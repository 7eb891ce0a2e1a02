/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One compiled loop function in memory, for bench programs that call it as a plain C host would:
 * with an environment of their own and DLTensors. */
#ifndef TN_BENCH_KERNEL_H
#define TN_BENCH_KERNEL_H

#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "driver/driver_priv.h"

typedef struct kernel {
  tn_jit *jit;
  tn_kernel_fn fn;
} kernel;

static inline void kernel_deinit(kernel *k) {
  tn_jit_free(k->jit);
  *k = (kernel){0};
}

static inline tn_status kernel_emit(const tn_lowered *lowered, const tn_compile_opts *opts,
                                    tn_buf *object) {
  tn_codegen_opts own = {.target = lowered->target,
                         .opt_level = opts->opt_level,
                         .is_strict_math = opts->is_strict_math};
  return tn_llvm_emit(&lowered->module, &own, TN_EMIT_OBJ, object);
}

/// Compiles the loop function `name` of `program` for this machine.
static inline tn_status kernel_init_as(const tn_program *program, const char *name,
                                       const tn_compile_opts *opts, kernel *out_k) {
  tn_status st = NULL;
  tn_lowered lowered = {0};
  tn_buf object = TN_BUF_INIT;
  kernel k = {0};
  union {
    void *object;
    tn_kernel_fn fn;
  } address = {NULL};
  TN_GOTO(st, tn_driver_lower(program, opts, &lowered), done);
  TN_GOTO(st, kernel_emit(&lowered, opts, &object), done);
  TN_GOTO(st, tn_jit_new(&(tn_objects){.n = 1, .all = {object}}, &k.jit), done);
  address.object = tn_jit_find(k.jit, name);
  if (address.object == NULL) {
    kernel_deinit(&k);
    st = TN_ERR(TN_NOT_FOUND, "no compiled function is called '%s'", name);
    goto done;
  }
  k.fn = address.fn;
  *out_k = k;
done:
  tn_buf_deinit(&object);
  tn_lowered_deinit(&lowered);
  return st;
}

static inline tn_status kernel_init(const tn_program *program, const char *name, kernel *out_k) {
  static const tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  return kernel_init_as(program, name, &opts, out_k);
}

static inline int32_t kernel_serial_for(const tn_env *env, tn_par_body body, void *closure,
                                        int64_t n) {
  return body(env, 0, n, closure);
}
static inline void *kernel_alloc(const tn_env *env, int64_t n_bytes) {
  (void)env;
  return aligned_alloc(64, ((size_t)n_bytes + 63) / 64 * 64);
}
static inline void kernel_free(const tn_env *env, void *ptr) {
  (void)env;
  free(ptr);
}
static inline int32_t kernel_fail(const tn_env *env, int32_t code, const char *text,
                                  int64_t expected, int64_t got) {
  (void)env;
  fprintf(stderr, "kernel refuses: %s: expected %lld, got %lld\n", text, (long long)expected,
          (long long)got);
  return code;
}

/// The least that a host must offer.
static inline tn_env kernel_env(void) {
  return (tn_env){.abi_version = TN_KERNEL_ABI_VERSION,
                  .struct_bytes = sizeof(tn_env),
                  .parallel_for = kernel_serial_for,
                  .workspace_alloc = kernel_alloc,
                  .workspace_free = kernel_free,
                  .fail = kernel_fail};
}

enum { KERNEL_MAX_ARGS = 8, KERNEL_MAX_NDIM = 6 };

/// A call, ready to be repeated: float32 tensors that it owns.
typedef struct kernel_call {
  kernel k;
  tn_env env;
  int32_t n_args;
  tn_arg args[KERNEL_MAX_ARGS];
  DLTensor tensors[KERNEL_MAX_ARGS];
  int64_t shapes[KERNEL_MAX_ARGS][KERNEL_MAX_NDIM];
} kernel_call;

/// Adds a tensor of small whole numbers. Returns its elements, NULL without memory.
static inline float *kernel_call_add(kernel_call *call, int32_t ndim, const int64_t *shape) {
  int32_t i = call->n_args++;
  size_t n_elems = 1;
  for (int32_t d = 0; d < ndim; ++d) {
    call->shapes[i][d] = shape[d];
    n_elems *= (size_t)shape[d];
  }
  float *data = aligned_alloc(64, (n_elems * sizeof(float) + 63) / 64 * 64);
  for (size_t e = 0; data != NULL && e < n_elems; ++e) {
    data[e] = (float)((int)(e * 7 + (size_t)i * 3) % 9 - 4);
  }
  call->tensors[i] = (DLTensor){.data = data,
                                .device = {kDLCPU, 0},
                                .ndim = ndim,
                                .dtype = {2 /* float */, 32, 1},
                                .shape = call->shapes[i]};
  call->args[i] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &call->tensors[i]}};
  return data;
}

static inline void kernel_call_deinit(kernel_call *call) {
  for (int32_t i = 0; i < call->n_args; ++i) {
    free(call->tensors[i].data);
  }
  kernel_deinit(&call->k);
}

/// For the bench core; ctx is a kernel_call.
static inline tn_status kernel_call_run(void *ctx) {
  kernel_call *call = ctx;
  int32_t code = call->k.fn(&call->env, call->args, call->n_args);
  return code == 0 ? NULL : TN_ERR(TN_INTERNAL, "the kernel returned code %d", code);
}

#endif
