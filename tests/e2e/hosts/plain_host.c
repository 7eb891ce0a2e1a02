/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The smallest host: nothing of Tenon's but the header of the calling convention. The kernels are
 * linked in as an object file or opened from a library.
 *
 *   plain_host KERNEL ROWS IN.bin OUT.bin [LIBRARY]    IN: float32 [64, 48]; OUT: [64, ROWS]
 *   plain_host --refuse                                hands scale too few arguments */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/abi/kernel.h"

#ifdef LINKED
int32_t scale(const tn_env *env, const tn_arg *args, int32_t n_args);
int32_t product(const tn_env *env, const tn_arg *args, int32_t n_args);
int32_t curve(const tn_env *env, const tn_arg *args, int32_t n_args);
#endif

static int32_t run_all(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  return body(env, 0, n, closure);
}

static void *scratch(const tn_env *env, int64_t n_bytes) {
  (void)env;
  return aligned_alloc(64, (size_t)(n_bytes + 63) / 64 * 64);
}

static void scratch_free(const tn_env *env, void *ptr) {
  (void)env;
  free(ptr);
}

static int32_t no_library(const tn_env *env, const char *name, const tn_arg *args, int32_t n_args,
                          tn_arg *out_ret) {
  (void)args;
  (void)n_args;
  (void)out_ret;
  return env->fail(env, TN_KERR_PACKED, name, 0, 0);
}

static int32_t fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                    int64_t got) {
  (void)env;
  printf("refused: %d %s expected %lld got %lld\n", (int)code, text, (long long)expected,
         (long long)got);
  return code;
}

static tn_kernel_fn find(const char *name, const char *library) {
  tn_kernel_fn fn = NULL;
#ifdef LINKED
  (void)library;
  fn = strcmp(name, "scale") == 0 ? scale : strcmp(name, "product") == 0 ? product : curve;
#else
  void *handle = library != NULL ? dlopen(library, RTLD_NOW) : NULL;
  void *symbol = handle != NULL ? dlsym(handle, name) : NULL;
  memcpy(&fn, &symbol, sizeof fn);
#endif
  return fn;
}

static DLTensor matrix(float *data, int64_t shape[2]) {
  return (DLTensor){
      .data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {2, 32, 1}, .shape = shape};
}

int main(int argc, char **argv) {
  tn_env env = {.abi_version = TN_KERNEL_ABI_VERSION,
                .struct_bytes = sizeof(tn_env),
                .parallel_for = run_all,
                .workspace_alloc = scratch,
                .workspace_free = scratch_free,
                .call_packed = no_library,
                .fail = fail};
  if (argc == 2 && strcmp(argv[1], "--refuse") == 0) {
    tn_kernel_fn fn = find("scale", NULL);
    return fn != NULL && fn(&env, NULL, 0) == TN_KERR_N_ARGS ? 0 : 1;
  }
  if (argc < 5) {
    return 2;
  }
  int64_t in_shape[2] = {64, 48};
  int64_t out_shape[2] = {64, atoi(argv[2])};
  float *in = aligned_alloc(64, 64 * 48 * sizeof *in);
  float *out = aligned_alloc(64, (size_t)out_shape[1] * 64 * sizeof *out);
  FILE *file = fopen(argv[3], "rb");
  tn_kernel_fn fn = find(argv[1], argc > 5 ? argv[5] : NULL);
  if (in == NULL || out == NULL || file == NULL || fn == NULL ||
      fread(in, sizeof *in, 64 * 48, file) != 64 * 48) {
    return 2;
  }
  fclose(file);
  DLTensor x = matrix(in, in_shape);
  DLTensor y = matrix(out, out_shape);
  tn_arg args[] = {{.kind = TN_ARG_TENSOR, .u.tensor = &x},
                   {.kind = TN_ARG_TENSOR, .u.tensor = &y}};
  int32_t rc = fn(&env, args, 2);
  file = fopen(argv[4], "wb");
  if (rc != 0 || file == NULL ||
      fwrite(out, sizeof *out, (size_t)out_shape[1] * 64, file) != (size_t)out_shape[1] * 64) {
    return 1;
  }
  free(in);
  free(out);
  return fclose(file) == 0 ? 0 : 1;
}
