/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loader of executables on any bytes: what it accepts must print and give a machine. Size and
 * checksum are put right first, which a random file would never get past. Native code is judged
 * only as far as the loader itself judges it: what a good file maps runs by design. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/exec_layout.h"
#include "fuzz/fuzz.h"
#include "runtime/exec.h"
#include "tenon/runtime.h"

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
  for (int32_t i = -1; i <= tn_exec_n_functions(exec); ++i) {
    for (int32_t j = -1; j <= tn_exec_n_params(exec, i) + 1; ++j) {
      tn_param_info info;
      tn_status_free(tn_exec_param(exec, i, j, &info));
    }
    (void)tn_exec_function_doc(exec, i);
    if (tn_exec_find_function(exec, tn_exec_function_name(exec, i)) > i) {
      fuzz_fail("function %d is found behind itself", i);
    }
  }
  tn_status_free(tn_runtime_create(1, &rt));
  tn_status_free(tn_vm_create(rt, exec, NULL, 0, &vm));
  tn_vm_release(vm);
  tn_runtime_release(rt);
}

/* The bytes as a file. Images whose kernels would be mapped only when `is_whole`. */
static void load_file(const uint8_t *image, size_t n_bytes, bool is_whole) {
  char path[64];
  tn_exec *exec = NULL;
  tn_exec_view view = {0};
  tn_status st = tn_exec_view_init(&view, image, n_bytes);
  if (st == NULL && view.n_kernel_bytes > 0 && !is_whole) {
    tn_status_free(tn_elf_check(view.kernels, view.n_kernel_bytes, view.header->arch));
    return;
  }
  tn_status_free(st);
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, image, n_bytes) != (ssize_t)n_bytes) {
    fuzz_fail("no file in memory of %zu bytes", n_bytes);
  }
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  tn_status_free(tn_exec_load(path, &exec));
  tn_exec_release(exec);
  (void)close(fd);
}

static void put_right(uint8_t *image, size_t n_bytes) {
  tn_exec_header header;
  if (n_bytes < sizeof header) {
    return;
  }
  memcpy(&header, image, sizeof header);
  header.magic = TN_EXEC_MAGIC;
  header.version = TN_EXEC_VERSION;
  header.n_bytes = n_bytes;
  memcpy(image, &header, sizeof header);
  header.checksum = tn_exec_checksum(image, n_bytes);
  memcpy(image, &header, sizeof header);
}

static void read_image(const uint8_t *image, size_t n_bytes) {
  tn_exec *exec = NULL;
  tn_status st = tn_exec_from_memory(image, n_bytes, find_kernel, NULL, NULL, &exec);
  if (st == NULL) {
    use(exec);
  }
  tn_status_free(st);
  tn_exec_release(exec);
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  uint8_t *image = aligned_alloc(64, (n_bytes + 64) / 64 * 64);
  if (image == NULL) {
    return;
  }
  memcpy(image, bytes, n_bytes);
  if (tn_elf_is(bytes, n_bytes)) {
    tn_status_free(tn_elf_check(image, n_bytes, 0));
  } else {
    tn_exec_view view = {0};
    tn_status st = tn_exec_view_init(&view, image, n_bytes);
#ifdef FUZZ_REPLAY
    load_file(image, n_bytes, st == NULL); /* a right checksum is the compiler's own */
#endif
    tn_status_free(st);
    read_image(bytes, n_bytes); /* as it is, and not aligned */
    put_right(image, n_bytes);
    load_file(image, n_bytes, false);
    read_image(image, n_bytes);
  }
  free(image);
}
