/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* x86-64 with AVX-512 F, BW, CD, DQ and VL. 32 registers of 16 floats: an 8x48 product tile holds
 * 24 accumulators. Cache sizes are those of a common machine of the family: tiles are chosen by
 * them. */
#include "target/target_priv.h"

static bool runs_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return tn_target_x86_64_v3.runs_here() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

static const char *const cpus[] = {"x86-64-v4",      "skylake-avx512",
                                   "cascadelake",    "cooperlake",
                                   "icelake-client", "icelake-server",
                                   "tigerlake",      "rocketlake",
                                   "sapphirerapids", "emeraldrapids",
                                   "graniterapids",  "znver4",
                                   "znver5",         NULL};

const tn_target_row tn_target_x86_64_v4 = {
    .target =
        {
            .name = "x86-64-v4",
            .doc = "AVX-512: 32 registers of 64 bytes",
            .triple = "x86_64-pc-linux-gnu",
            .cpu = "x86-64-v4",
            .features = "",
            .required = "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,"
                        "avx512vl",
            .vector_bytes = 64,
            .n_vector_regs = 32,
            .n_fma_units = 2,
            .l1_bytes = 32 * 1024,
            .l2_bytes = 1024 * 1024,
            .l3_bytes = 32 * 1024 * 1024,
        },
    .runs_here = runs_here,
    .cpus = cpus,
};
