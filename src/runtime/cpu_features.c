/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Whether this machine has the CPU features an executable was compiled for, by their LLVM names.
 * Asked from the processor and from the operating system, which must save the wide registers. */
#include <string.h>

#include "runtime/exec.h"

#if defined(__x86_64__)
#include <cpuid.h>

typedef enum state_need { NEED_SSE, NEED_AVX, NEED_AVX512, NEED_AMX } state_need;
typedef enum cpu_reg { EAX, EBX, ECX, EDX } cpu_reg;

typedef struct feature {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  cpu_reg reg;
  uint32_t bit;
  state_need need;
} feature;

/* Source: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
/* clang-format off */
static const feature features[] = {
  {"cmov",               1, 0, EDX, 15, NEED_SSE},
  {"cx8",                1, 0, EDX,  8, NEED_SSE},
  {"cx16",               1, 0, ECX, 13, NEED_SSE},
  {"fxsr",               1, 0, EDX, 24, NEED_SSE},
  {"mmx",                1, 0, EDX, 23, NEED_SSE},
  {"sse",                1, 0, EDX, 25, NEED_SSE},
  {"sse2",               1, 0, EDX, 26, NEED_SSE},
  {"sse3",               1, 0, ECX,  0, NEED_SSE},
  {"ssse3",              1, 0, ECX,  9, NEED_SSE},
  {"sse4.1",             1, 0, ECX, 19, NEED_SSE},
  {"sse4.2",             1, 0, ECX, 20, NEED_SSE},
  {"popcnt",             1, 0, ECX, 23, NEED_SSE},
  {"movbe",              1, 0, ECX, 22, NEED_SSE},
  {"aes",                1, 0, ECX, 25, NEED_SSE},
  {"pclmul",             1, 0, ECX,  1, NEED_SSE},
  {"fma",                1, 0, ECX, 12, NEED_AVX},
  {"f16c",               1, 0, ECX, 29, NEED_AVX},
  {"avx",                1, 0, ECX, 28, NEED_AVX},
  {"avx2",               7, 0, EBX,  5, NEED_AVX},
  {"bmi",                7, 0, EBX,  3, NEED_SSE},
  {"bmi2",               7, 0, EBX,  8, NEED_SSE},
  {"adx",                7, 0, EBX, 19, NEED_SSE},
  {"avx512f",            7, 0, EBX, 16, NEED_AVX512},
  {"avx512dq",           7, 0, EBX, 17, NEED_AVX512},
  {"avx512ifma",         7, 0, EBX, 21, NEED_AVX512},
  {"avx512cd",           7, 0, EBX, 28, NEED_AVX512},
  {"avx512bw",           7, 0, EBX, 30, NEED_AVX512},
  {"avx512vl",           7, 0, EBX, 31, NEED_AVX512},
  {"avx512vbmi",         7, 0, ECX,  1, NEED_AVX512},
  {"avx512vbmi2",        7, 0, ECX,  6, NEED_AVX512},
  {"gfni",               7, 0, ECX,  8, NEED_SSE},
  {"vaes",               7, 0, ECX,  9, NEED_AVX},
  {"vpclmulqdq",         7, 0, ECX, 10, NEED_AVX},
  {"avx512vnni",         7, 0, ECX, 11, NEED_AVX512},
  {"avx512bitalg",       7, 0, ECX, 12, NEED_AVX512},
  {"avx512vpopcntdq",    7, 0, ECX, 14, NEED_AVX512},
  {"avx512fp16",         7, 0, EDX, 23, NEED_AVX512},
  {"amx-bf16",           7, 0, EDX, 22, NEED_AMX},
  {"amx-tile",           7, 0, EDX, 24, NEED_AMX},
  {"amx-int8",           7, 0, EDX, 25, NEED_AMX},
  {"avxvnni",            7, 1, EAX,  4, NEED_AVX},
  {"avx512bf16",         7, 1, EAX,  5, NEED_AVX512},
  {"lzcnt",     0x80000001, 0, ECX,  5, NEED_SSE},
};
/* clang-format on */

/* What the operating system saves (XCR0). */
static bool has_state(state_need need) {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (need == NEED_SSE) {
    return true;
  }
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & 1U << 27) == 0) {
    return false;
  }
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t want = need == NEED_AVX ? 0x6 : need == NEED_AVX512 ? 0xe6 : 0x60000;
  return (low & want) == want;
}

static bool has_feature(const feature *f) {
  uint32_t regs[4] = {0};
  if (!__get_cpuid_count(f->leaf, f->subleaf, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX])) {
    return false;
  }
  return (regs[f->reg] & 1U << f->bit) != 0 && has_state(f->need);
}

static bool find_feature(const char *name, size_t len, bool *out_has) {
  for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
    if (strlen(features[i].name) == len && memcmp(features[i].name, name, len) == 0) {
      *out_has = has_feature(&features[i]);
      return true;
    }
  }
  return false;
}

uint32_t tn_elf_this_arch(void) { return TN_EXEC_ARCH_X86_64; }

#else

/* Rows of other architectures need no more than what every such machine has. */
#if defined(__riscv)
static const char *const features[] = {"riscv64", "fma"};

uint32_t tn_elf_this_arch(void) { return TN_EXEC_ARCH_RISCV64; }
#else
static const char *const features[] = {"aarch64", "fma"};

uint32_t tn_elf_this_arch(void) { return TN_EXEC_ARCH_AARCH64; }
#endif

static bool find_feature(const char *name, size_t len, bool *out_has) {
  for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
    if (strlen(features[i]) == len && memcmp(features[i], name, len) == 0) {
      *out_has = true;
      return true;
    }
  }
  return false;
}
#endif

enum { MISSING_BYTES = 256 };

tn_status tn_cpu_check_features(const char *names) {
  char missing[MISSING_BYTES] = "";
  size_t n_missing = 0;
  for (const char *at = names; *at != 0;) {
    size_t len = strcspn(at, ",");
    const char *name = at[0] == '+' ? at + 1 : at; /* LLVM writes "+avx2,+fma" */
    size_t name_len = len - (size_t)(name - at);
    bool has = false;
    if (name_len > 0 && !find_feature(name, name_len, &has)) {
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
