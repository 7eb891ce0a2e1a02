/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the machine adds to its kernels: one call_tir (a tensor in kept memory, a call with three
 * arguments, the tensor dropped) against the same kernel called in a loop. The kernel is empty, so
 * that only the machine is seen. */
#include <stdio.h>

#include "base/vec.h"
#include "row.h"
#include "runtime/exec_image.h"
#include "tenon/bench.h"
#include "tenon/runtime.h"

enum { N_CALLS = 256 };

static int32_t empty(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)env;
  (void)args;
  return n_args == 3 ? 0 : 1;
}

static tn_kernel_fn find_empty(void *ctx, const char *name) {
  (void)ctx;
  (void)name;
  return empty;
}

/* main(x): N_CALLS times { t = tensor; empty(x, x, t) } */
static tn_status build(tn_image *out_image) {
  tn_buf strings = TN_BUF_INIT;
  TN_VEC(int64_t) code = {0};
#define PUT(...)                                                            \
  for (size_t k = 0; k < sizeof((const int64_t[]){__VA_ARGS__}) / 8; ++k) { \
    TN_VEC_PUSH(&code, ((const int64_t[]){__VA_ARGS__})[k]);                \
  }
  PUT(TN_VM_ALLOC_STORAGE, 1, TN_ARGW(TN_ARGW_IMM, 4096), 0, 1)
  for (int i = 0; i < N_CALLS; ++i) {
    PUT(TN_VM_ALLOC_TENSOR, 2, 1, 0, TN_DT_F32, 2, TN_ARGW(TN_ARGW_IMM, 1),
        TN_ARGW(TN_ARGW_IMM, 128))
    PUT(TN_VM_CALL, -1, 0, 3, TN_ARGW(TN_ARGW_REG, 0), TN_ARGW(TN_ARGW_REG, 0),
        TN_ARGW(TN_ARGW_REG, 2))
    PUT(TN_VM_KILL, 2)
  }
  PUT(TN_VM_RET, TN_ARGW(TN_ARGW_IMM, 0))
#undef PUT
  tn_exec_type types[2] = {{.ndim = -1}, {.ndim = -1}};
  tn_exec_func funcs[2] = {{.kind = TN_EXEC_FN_KERNEL}, {.kind = TN_EXEC_FN_VM}};
  funcs[0].name = tn_image_add_string(&strings, "empty");
  funcs[1].name = tn_image_add_string(&strings, "main");
  funcs[1].n_params = 1;
  funcs[1].n_regs = 3;
  funcs[1].is_public = 1;
  funcs[1].code_end = (uint32_t)code.len;
  tn_image_section sections[] = {
      {TN_EXEC_STRINGS, strings.data, strings.len},
      {TN_EXEC_FUNCS, funcs, sizeof funcs},
      {TN_EXEC_PARAMS, types, sizeof types},
      {TN_EXEC_CODE, code.data, code.len * sizeof(int64_t)},
  };
  tn_image_spec spec = {.n_sections = 4, .sections = sections};
  tn_status st = tn_image_build(&spec, out_image);
  tn_buf_deinit(&strings);
  TN_VEC_DEINIT(&code);
  return st;
}

typedef struct state {
  tn_vm *vm;
  tn_arg x;
  tn_kernel_fn volatile kernel; /* so that the loop below really calls */
} state;

static tn_status run_vm(void *ctx) {
  state *s = ctx;
  return tn_vm_call(s->vm, "main", &s->x, 1, NULL);
}

static tn_status run_direct(void *ctx) {
  state *s = ctx;
  const tn_arg args[3] = {s->x, s->x, s->x};
  int32_t code = 0;
  for (int i = 0; i < N_CALLS; ++i) {
    code |= s->kernel(NULL, args, 3);
  }
  return code == 0 ? NULL : TN_ERR(TN_INTERNAL, "the kernel stopped");
}

static tn_status measure(tn_image *image, tn_bench_pair *out_pair) {
  tn_status st = NULL;
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  tn_tensor *x = NULL;
  state s = {.kernel = empty};
  TN_GOTO(st, build(image), done);
  TN_GOTO(st, tn_runtime_create(1, &rt), done);
  TN_GOTO(st, tn_exec_from_memory(image->bytes, image->n_bytes, find_empty, NULL, NULL, &exec),
          done);
  TN_GOTO(st, tn_vm_create(rt, exec, NULL, 0, &s.vm), done);
  TN_GOTO(st, tn_tensor_create(TN_DT_F32, 1, (const int64_t[]){128}, NULL, &x), done);
  s.x = tn_arg_of_tensor(x);
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_call vm_call = {run_vm, &s};
  tn_bench_call direct_call = {run_direct, &s};
  TN_GOTO(st, tn_bench_compare(&vm_call, &direct_call, &opts, out_pair), done);
done:
  tn_tensor_release(x);
  tn_vm_release(s.vm);
  tn_exec_release(exec);
  tn_runtime_release(rt);
  return st;
}

int main(void) {
  tn_image image = {0};
  tn_bench_pair pair;
  tn_status st = measure(&image, &pair);
  if (st != NULL) {
    tn_status_print(stderr, st, true);
    tn_status_free(st);
    return 1;
  }
  double vm_ns = pair.a.median_us * 1e3 / N_CALLS;
  double direct_ns = pair.b.median_us * 1e3 / N_CALLS;
  row_print(&(row){"one call_tir of an empty kernel, above it", vm_ns - direct_ns, "ns",
                   ROW_AT_MOST, 150, NULL});
  tn_bench_pair_deinit(&pair);
  tn_image_deinit(&image);
  return 0;
}
