/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Whether this machine has the CPU features that code was compiled for, by their LLVM names: asked by
 * the runtime of executables, and by libraries of plain C functions of themselves. Asked from the
 * processor and from the operating system, which must save the wide registers. */
#ifndef TN_EMBED_CPU_FEATURES_H
#define TN_EMBED_CPU_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

typedef enum tn_cpu_state { TN_NEED_SSE, TN_NEED_AVX, TN_NEED_AVX512, TN_NEED_AMX } tn_cpu_state;
typedef enum tn_cpu_reg { TN_EAX, TN_EBX, TN_ECX, TN_EDX } tn_cpu_reg;

typedef struct tn_cpu_row {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  tn_cpu_reg reg;
  uint32_t bit;
  tn_cpu_state need;
} tn_cpu_row;

/* Source: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
/* clang-format off */
static const tn_cpu_row tn_cpu_rows[] = {
  {"cmov",               1, 0, TN_EDX, 15, TN_NEED_SSE},
  {"cx8",                1, 0, TN_EDX,  8, TN_NEED_SSE},
  {"cx16",               1, 0, TN_ECX, 13, TN_NEED_SSE},
  {"fxsr",               1, 0, TN_EDX, 24, TN_NEED_SSE},
  {"mmx",                1, 0, TN_EDX, 23, TN_NEED_SSE},
  {"sse",                1, 0, TN_EDX, 25, TN_NEED_SSE},
  {"sse2",               1, 0, TN_EDX, 26, TN_NEED_SSE},
  {"sse3",               1, 0, TN_ECX,  0, TN_NEED_SSE},
  {"ssse3",              1, 0, TN_ECX,  9, TN_NEED_SSE},
  {"sse4.1",             1, 0, TN_ECX, 19, TN_NEED_SSE},
  {"sse4.2",             1, 0, TN_ECX, 20, TN_NEED_SSE},
  {"popcnt",             1, 0, TN_ECX, 23, TN_NEED_SSE},
  {"movbe",              1, 0, TN_ECX, 22, TN_NEED_SSE},
  {"aes",                1, 0, TN_ECX, 25, TN_NEED_SSE},
  {"pclmul",             1, 0, TN_ECX,  1, TN_NEED_SSE},
  {"fma",                1, 0, TN_ECX, 12, TN_NEED_AVX},
  {"f16c",               1, 0, TN_ECX, 29, TN_NEED_AVX},
  {"avx",                1, 0, TN_ECX, 28, TN_NEED_AVX},
  {"avx2",               7, 0, TN_EBX,  5, TN_NEED_AVX},
  {"bmi",                7, 0, TN_EBX,  3, TN_NEED_SSE},
  {"bmi2",               7, 0, TN_EBX,  8, TN_NEED_SSE},
  {"adx",                7, 0, TN_EBX, 19, TN_NEED_SSE},
  {"avx512f",            7, 0, TN_EBX, 16, TN_NEED_AVX512},
  {"avx512dq",           7, 0, TN_EBX, 17, TN_NEED_AVX512},
  {"avx512ifma",         7, 0, TN_EBX, 21, TN_NEED_AVX512},
  {"avx512cd",           7, 0, TN_EBX, 28, TN_NEED_AVX512},
  {"avx512bw",           7, 0, TN_EBX, 30, TN_NEED_AVX512},
  {"avx512vl",           7, 0, TN_EBX, 31, TN_NEED_AVX512},
  {"avx512vbmi",         7, 0, TN_ECX,  1, TN_NEED_AVX512},
  {"avx512vbmi2",        7, 0, TN_ECX,  6, TN_NEED_AVX512},
  {"gfni",               7, 0, TN_ECX,  8, TN_NEED_SSE},
  {"vaes",               7, 0, TN_ECX,  9, TN_NEED_AVX},
  {"vpclmulqdq",         7, 0, TN_ECX, 10, TN_NEED_AVX},
  {"avx512vnni",         7, 0, TN_ECX, 11, TN_NEED_AVX512},
  {"avx512bitalg",       7, 0, TN_ECX, 12, TN_NEED_AVX512},
  {"avx512vpopcntdq",    7, 0, TN_ECX, 14, TN_NEED_AVX512},
  {"avx512fp16",         7, 0, TN_EDX, 23, TN_NEED_AVX512},
  {"amx-bf16",           7, 0, TN_EDX, 22, TN_NEED_AMX},
  {"amx-tile",           7, 0, TN_EDX, 24, TN_NEED_AMX},
  {"amx-int8",           7, 0, TN_EDX, 25, TN_NEED_AMX},
  {"avxvnni",            7, 1, TN_EAX,  4, TN_NEED_AVX},
  {"avx512bf16",         7, 1, TN_EAX,  5, TN_NEED_AVX512},
  {"lzcnt",     0x80000001, 0, TN_ECX,  5, TN_NEED_SSE},
};
/* clang-format on */

/* What the operating system saves (XCR0). */
static inline bool tn_cpu_has_state(tn_cpu_state need) {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (need == TN_NEED_SSE) {
    return true;
  }
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & 1U << 27) == 0) {
    return false;
  }
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t want = need == TN_NEED_AVX ? 0x6 : need == TN_NEED_AVX512 ? 0xe6 : 0x60000;
  return (low & want) == want;
}

static inline bool tn_cpu_has_row(const tn_cpu_row *f) {
  uint32_t regs[4] = {0};
  if (!__get_cpuid_count(f->leaf, f->subleaf, &regs[TN_EAX], &regs[TN_EBX], &regs[TN_ECX],
                         &regs[TN_EDX])) {
    return false;
  }
  return (regs[f->reg] & 1U << f->bit) != 0 && tn_cpu_has_state(f->need);
}

/// False: nobody here knows a feature of that name.
static inline bool tn_cpu_find(const char *name, size_t len, bool *out_has) {
  for (size_t i = 0; i < sizeof tn_cpu_rows / sizeof tn_cpu_rows[0]; ++i) {
    if (strlen(tn_cpu_rows[i].name) == len && memcmp(tn_cpu_rows[i].name, name, len) == 0) {
      *out_has = tn_cpu_has_row(&tn_cpu_rows[i]);
      return true;
    }
  }
  return false;
}

#else

/* Rows of other architectures need no more than what every such machine has. */
#if defined(__riscv)
static const char *const tn_cpu_rows[] = {"riscv64", "fma"};
#else
static const char *const tn_cpu_rows[] = {"aarch64", "fma"};
#endif

/// False: nobody here knows a feature of that name.
static inline bool tn_cpu_find(const char *name, size_t len, bool *out_has) {
  for (size_t i = 0; i < sizeof tn_cpu_rows / sizeof tn_cpu_rows[0]; ++i) {
    if (strlen(tn_cpu_rows[i]) == len && memcmp(tn_cpu_rows[i], name, len) == 0) {
      *out_has = true;
      return true;
    }
  }
  return false;
}
#endif

/// The first of "avx2,fma" (also "+avx2") that this machine lacks or nobody knows; NULL: it has all.
/// out_len: of its name.
static inline const char *tn_cpu_first_missing(const char *names, size_t *out_len) {
  while (*names != '\0') {
    size_t len = strcspn(names, ",");
    size_t sign = names[0] == '+' ? 1 : 0;
    bool has = false;
    *out_len = len - sign;
    if (len > sign && !(tn_cpu_find(names + sign, len - sign, &has) && has)) {
      return names + sign;
    }
    names += len + (names[len] == ',' ? 1 : 0);
  }
  return NULL;
}

#endif
