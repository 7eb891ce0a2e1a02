/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* 64-bit Arm with NEON, which every such CPU has (ARMv8.0 on): 32 registers of 4 floats, fused
 * multiply-add. Cache sizes are those of a common machine of the family: tiles are chosen by them.
 */
#include "target/target_priv.h"

static bool runs_here(void) {
#if defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

static const char *const cpus[] = {"cortex-a53", "cortex-a57",  "cortex-a72",  "cortex-a76",
                                   "cortex-x1",  "neoverse-n1", "neoverse-v1", "neoverse-n2",
                                   "ampere1",    "apple-m1",    NULL};

const tn_target_row tn_target_aarch64 = {
    .target =
        {
            .name = "aarch64",
            .doc = "64-bit Arm, NEON: 32 registers of 16 bytes",
            .triple = "aarch64-unknown-linux-gnu",
            .cpu = "generic",
            .features = "+neon",
            .required = "aarch64,fma",
            .vector_bytes = 16,
            .n_vector_regs = 32,
            .n_fma_units = 2,
            .l1_bytes = 64 * 1024,
            .l2_bytes = 1024 * 1024,
            .l3_bytes = 8 * 1024 * 1024,
        },
    .runs_here = runs_here,
    .cpus = cpus,
};
