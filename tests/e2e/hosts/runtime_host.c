/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A host that links the runtime library alone: loads a compiled module, a .tnx or a .so, and calls
 * a kernel of it.
 *
 *   runtime_host MODULE KERNEL ROWS IN.bin OUT.bin    IN: float32 [64, 48]; OUT: [64, ROWS] */
#include <stdio.h>
#include <stdlib.h>

#include "tenon/runtime.h"

static float input[64 * 48];

static tn_status run(const char *module, const char *kernel, tn_tensor *x, tn_tensor *y) {
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  tn_arg args[] = {tn_arg_of_tensor(x), tn_arg_of_tensor(y)};
  tn_status st = tn_runtime_create(0, &rt);
  st = st == NULL ? tn_exec_load(module, &exec) : st;
  st = st == NULL ? tn_vm_create(rt, exec, NULL, 0, &vm) : st;
  st = st == NULL ? tn_vm_call(vm, kernel, args, 2, NULL) : st;
  tn_vm_release(vm);
  tn_exec_release(exec);
  tn_runtime_release(rt);
  return st;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    return 2;
  }
  int64_t in_shape[] = {64, 48};
  int64_t out_shape[] = {64, atoi(argv[3])};
  size_t n_out = (size_t)out_shape[1] * 64;
  tn_tensor *x = NULL;
  tn_tensor *y = NULL;
  FILE *file = fopen(argv[4], "rb");
  if (file == NULL || fread(input, sizeof *input, 64 * 48, file) != 64 * 48) {
    return 2;
  }
  fclose(file);
  tn_status st = tn_tensor_create(TN_DT_F32, 2, in_shape, input, &x);
  st = st == NULL ? tn_tensor_create(TN_DT_F32, 2, out_shape, NULL, &y) : st;
  st = st == NULL ? run(argv[1], argv[2], x, y) : st;
  int rc = 1;
  if (st != NULL) {
    fprintf(stderr, "error: %s\n", tn_status_message(st));
  } else {
    file = fopen(argv[5], "wb");
    rc = file != NULL && fwrite(tn_tensor_data(y), sizeof(float), n_out, file) == n_out &&
                 fclose(file) == 0
             ? 0
             : 1;
  }
  tn_status_free(st);
  tn_tensor_release(x);
  tn_tensor_release(y);
  return rc;
}
