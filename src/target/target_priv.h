/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The families' rows, each defined in its own file, and how text finds them. */
#ifndef TN_TARGET_TARGET_PRIV_H
#define TN_TARGET_TARGET_PRIV_H

#include "target/target.h"

/// A row with what only this room asks: which machines it suits.
typedef struct tn_target_row {
  tn_target target;
  bool (*runs_here)(void);
  const char *const
      *cpus; /* CPU names as LLVM knows them whose best row this is; NULL-terminated */
} tn_target_row;

extern const tn_target_row tn_target_x86_64_v2;
extern const tn_target_row tn_target_x86_64_v3;
extern const tn_target_row tn_target_x86_64_v4;
extern const tn_target_row tn_target_aarch64;
extern const tn_target_row tn_target_riscv64;

#endif
