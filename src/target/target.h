/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What is compiled for: one row a CPU family, one file each. Code asks the target's numbers, never
 * "which CPU is it". */
#ifndef TN_TARGET_TARGET_H
#define TN_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tn_target {
  const char *name; /* "x86-64-v3", as accepted by tn_target_find */
  const char *doc;
  const char *triple;   /* LLVM's */
  const char *cpu;      /* LLVM's -mcpu */
  const char *features; /* LLVM's -mattr, "" for the CPU's own */
  const char *abi;      /* LLVM's -target-abi; NULL: the triple's own */
  const char
      *required; /* what a machine must have to run it: "avx2,fma" (tn_exec_header.cpu_features) */
  int32_t vector_bytes; /* widest vector register used */
  int32_t n_vector_regs;
  int32_t n_fma_units;
  int32_t l1_bytes;
  int32_t l2_bytes;
  int32_t l3_bytes;
} tn_target;

/// All rows; those of one architecture stand together, from the least to the most capable.
const tn_target *const *tn_target_all(uint32_t *out_n);
/// "host", "x86-64-v2", "x86-64-v3" (AVX2), "x86-64-v4" (AVX-512), "aarch64", "riscv64", "llvm"
/// (the host), "llvm -mcpu=NAME ..." (the row that suits that CPU), "llvm -mtriple=NAME ..." (the
/// least row of its architecture); other options after "llvm" are read over. NOT_FOUND lists what there is.
TN_MUST_USE tn_status tn_target_find(const char *text, const tn_target **out_target);
/// True when code for `target` is of this machine's architecture: its tools can link it.
bool tn_target_is_native(const tn_target *target);
/// The best row that this machine can run.
const tn_target *tn_target_host(void);
/// True when this machine can run code for `target`.
bool tn_target_runs_here(const tn_target *target);

#endif
