/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Whether this machine has the CPU features an executable was compiled for, by their LLVM names.
 * What is not there is told in one message. */
#include <string.h>

#include "embed/cpu_features.h"
#include "runtime/exec.h"

uint32_t tn_elf_this_arch(void) {
#if defined(__x86_64__)
  return TN_EXEC_ARCH_X86_64;
#elif defined(__riscv)
  return TN_EXEC_ARCH_RISCV64;
#else
  return TN_EXEC_ARCH_AARCH64;
#endif
}

enum { MISSING_BYTES = 256 };

tn_status tn_cpu_check_features(const char *names) {
  char missing[MISSING_BYTES] = "";
  size_t n_missing = 0;
  for (const char *at = names; *at != 0;) {
    size_t len = strcspn(at, ",");
    const char *name = at[0] == '+' ? at + 1 : at; /* LLVM writes "+avx2,+fma" */
    size_t name_len = len - (size_t)(name - at);
    bool has = false;
    if (name_len > 0 && !tn_cpu_find(name, name_len, &has)) {
      return TN_ERR(TN_UNSUPPORTED,
                    "the executable needs the CPU feature '%.*s', which this runtime does not know",
                    (int)(name_len > 64 ? 64 : name_len), name);
    }
    if (name_len > 0 && !has) {
      size_t used = strlen(missing);
      snprintf(missing + used, sizeof missing - used, "%s%.*s", n_missing++ == 0 ? "" : ", ",
               (int)name_len, name);
    }
    at += len + (at[len] == ',' ? 1 : 0);
  }
  if (n_missing > 0) {
    return TN_ERR(TN_UNSUPPORTED, "the executable needs CPU features that this machine lacks: %s",
                  missing);
  }
  return NULL;
}
