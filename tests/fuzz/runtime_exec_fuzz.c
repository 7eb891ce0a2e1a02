/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loader of executables on any bytes: what it accepts must print and give a machine. Size and
 * checksum are put right first, which a random file would never get past. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/exec_layout.h"
#include "tenon/runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static int32_t no_kernel(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)env;
  (void)args;
  (void)n_args;
  return 0;
}

static tn_kernel_fn find_kernel(void *ctx, const char *name) {
  (void)ctx;
  (void)name;
  return no_kernel;
}

static void use(tn_exec *exec) {
  char *text = NULL;
  tn_runtime *rt = NULL;
  tn_vm *vm = NULL;
  tn_status_free(tn_exec_print(exec, &text));
  free(text);
  for (int32_t i = 0; i < tn_exec_n_functions(exec); ++i) {
    for (int32_t j = 0; j <= tn_exec_n_params(exec, i); ++j) {
      tn_param_info info;
      tn_status_free(tn_exec_param(exec, i, j, &info));
    }
  }
  tn_status_free(tn_runtime_create(1, &rt));
  tn_status_free(tn_vm_create(rt, exec, NULL, 0, &vm));
  tn_vm_release(vm);
  tn_runtime_release(rt);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  tn_exec *exec = NULL;
  uint8_t *image = aligned_alloc(64, (n_bytes + 64) / 64 * 64);
  if (image == NULL) {
    return 0;
  }
  memcpy(image, bytes, n_bytes);
  if (n_bytes >= sizeof(tn_exec_header)) {
    tn_exec_header header;
    memcpy(&header, image, sizeof header);
    header.magic = TN_EXEC_MAGIC;
    header.version = TN_EXEC_VERSION;
    header.n_bytes = n_bytes;
    memcpy(image, &header, sizeof header);
    header.checksum = tn_exec_checksum(image, n_bytes);
    memcpy(image, &header, sizeof header);
  }
  tn_status st = tn_exec_from_memory(image, n_bytes, find_kernel, NULL, NULL, &exec);
  if (st == NULL) {
    use(exec);
  }
  tn_status_free(st);
  tn_exec_release(exec);
  free(image);
  return 0;
}
