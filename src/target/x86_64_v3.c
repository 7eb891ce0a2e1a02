/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* x86-64 with AVX2 and FMA (from 2013 on). 16 registers of 8 floats: a 6x16 product tile holds 12
 * accumulators. Cache sizes are those of a common machine of the family: tiles are chosen by them.
 */
#include "target/target_priv.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* F16C, LZCNT and MOVBE: clang 14's __builtin_cpu_supports does not know them. */
static bool has_small_ones(void) {
  enum { ECX_F16C = 1 << 29, ECX_MOVBE = 1 << 22, ECX_LZCNT = 1 << 5 };
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & ECX_F16C) == 0 ||
      (ecx & ECX_MOVBE) == 0) {
    return false;
  }
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & ECX_LZCNT) != 0;
}
#endif

static bool runs_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_small_ones();
#else
  return false;
#endif
}

static const char *const cpus[] = {"x86-64-v3", "haswell",    "broadwell",  "skylake",
                                   "alderlake", "raptorlake", "meteorlake", "arrowlake",
                                   "znver1",    "znver2",     "znver3",     NULL};

const tn_target_row tn_target_x86_64_v3 = {
    .target =
        {
            .name = "x86-64-v3",
            .doc = "AVX2 and FMA: 16 registers of 32 bytes",
            .triple = "x86_64-pc-linux-gnu",
            .cpu = "x86-64-v3",
            .features = "",
            .required = "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe",
            .vector_bytes = 32,
            .n_vector_regs = 16,
            .n_fma_units = 2,
            .l1_bytes = 32 * 1024,
            .l2_bytes = 512 * 1024,
            .l3_bytes = 16 * 1024 * 1024,
        },
    .runs_here = runs_here,
    .cpus = cpus,
};
