/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What became of a program's loops in machine code: tn_program_report of tenon/compiler.h. */
#ifndef TN_TENON_REPORT_H
#define TN_TENON_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_CODE_VAR_BYTES = 64 };

/// One turn of an innermost loop, in instructions.
typedef struct tn_code_loop {
  char var[TN_CODE_VAR_BYTES]; ///< of the loop in the text; "": one that the compiler made
  int32_t depth;               ///< loops around it, itself included
  int32_t vector_bytes;        ///< of the widest vector that it computes with; 0: scalars alone
  int64_t n_instrs;
  int64_t n_fmas; ///< fused multiply-adds and dot products, each of a whole vector
  int64_t n_loads;
  int64_t n_stores;
  int64_t n_broadcasts; ///< of them loads that fill a vector with one element
  int64_t n_prefetches;
  int64_t n_spills;     ///< registers written to the stack to make room; not among the stores
  int64_t n_reloads;    ///< and read back; not among the loads
  bool is_tile_spilled; ///< a loop of multiply-adds does so with vectors: more are alive than the
                        ///< processor has registers
} tn_code_loop;

typedef struct tn_code_kernel {
  char *name;
  int64_t code_bytes; ///< with the check of its arguments
  /* The rest is known when the report's is_known says so. */
  int64_t stack_bytes;  ///< of the deepest of its parts
  int32_t vector_bytes; ///< the widest of its innermost loops
  int64_t n_spills;     ///< places in loops, innermost or not, that write a register to the stack
  int64_t n_reloads;    ///< and that read one back
  int32_t n_loops;      ///< innermost ones
  tn_code_loop *loops;  ///< in the order of the code
} tn_code_kernel;

typedef struct tn_code_report {
  const char *target; ///< static storage
  bool is_known;      ///< false: of this target's code only the size is known
  int32_t n_kernels;
  tn_code_kernel *kernels; ///< in the order of the program
} tn_code_report;

#ifdef __cplusplus
}
#endif
#endif
