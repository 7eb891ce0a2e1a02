/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* x86-64 with SSE4.2 (from 2008 on): the least that Tenon compiles for. Products and sums are
 * separate instructions; float16 is converted by integer code. Cache sizes are those of a common
 * machine of the family: tiles are chosen by them. */
#include "target/target_priv.h"

static bool runs_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

static const char *const cpus[] = {"x86-64-v2", "nehalem", "westmere",   "sandybridge",
                                   "ivybridge", "btver2",  "silvermont", "goldmont",
                                   "tremont",   "bdver1",  "bdver2",     NULL};

const tn_target_row tn_target_x86_64_v2 = {
    .target =
        {
            .name = "x86-64-v2",
            .doc = "SSE4.2: 16 registers of 16 bytes, no fused multiply-add",
            .triple = "x86_64-pc-linux-gnu",
            .cpu = "x86-64-v2",
            .features = "",
            .required = "sse3,ssse3,sse4.1,sse4.2,popcnt",
            .vector_bytes = 16,
            .n_vector_regs = 16,
            .n_fma_units = 0,
            .l1_bytes = 32 * 1024,
            .l2_bytes = 256 * 1024,
            .l3_bytes = 4 * 1024 * 1024,
        },
    .runs_here = runs_here,
    .cpus = cpus,
};
