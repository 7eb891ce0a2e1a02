/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* 64-bit RISC-V, RV64GC: scalar floats with fused multiply-add and no vector registers, so vectors
 * of a program become scalars; the numbers are those of small groups of scalar registers. Cache
 * sizes are those of a common machine of the family. */
#include "target/target_priv.h"

static bool runs_here(void) {
#if defined(__riscv) && __riscv_xlen == 64
  return true;
#else
  return false;
#endif
}

static const char *const cpus[] = {"generic-rv64", "sifive-u74", "sifive-u54", "rocket-rv64", NULL};

const tn_target_row tn_target_riscv64 = {
    .target =
        {
            .name = "riscv64",
            .doc = "64-bit RISC-V, RV64GC: no vectors, 32 float registers",
            .triple = "riscv64-unknown-linux-gnu",
            .cpu = "generic-rv64",
            .features = "+m,+a,+f,+d,+c",
            .abi = "lp64d",
            .required = "riscv64,fma",
            .vector_bytes = 8,
            .n_vector_regs = 32,
            .n_fma_units = 1,
            .l1_bytes = 32 * 1024,
            .l2_bytes = 512 * 1024,
            .l3_bytes = 2 * 1024 * 1024,
        },
    .runs_here = runs_here,
    .cpus = cpus,
};
