/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Programs for another machine with what they must compute there, as bytes: written by
 * codegen_cases.c on this machine, walked by runner.c on the other. Little-endian, 8-aligned.
 *
 *   case: runner_case, then n_args times runner_arg; the next case follows.
 *
 * The table of kernels, in the order of the cases, ends with NULL. */
#ifndef TN_TESTS_RUNNER_H
#define TN_TESTS_RUNNER_H

#include <stdint.h>

enum { RUNNER_MAX_ARGS = 16, RUNNER_MAX_NDIM = 8 };

typedef struct runner_case {
  int64_t id; /* the seed: TN_SEED=id runs it on this machine */
  int32_t n_args;
  int32_t reserved;
} runner_case;

typedef struct runner_arg {
  int32_t kind; /* TN_ARG_INT, TN_ARG_FLOAT or TN_ARG_TENSOR */
  int32_t ndim;
  uint64_t scalar; /* the number's bits */
  uint32_t dtype;  /* DLPack's code, bits << 8, lanes << 16 */
  uint32_t reserved;
  int64_t shape[RUNNER_MAX_NDIM];
  uint64_t n_bytes; /* of a tensor; its bytes before and after stand behind this, padded to 8 */
} runner_arg;

/* What the place where the runner runs gives it. */
void runner_print(const char *text);

/* Runs everything; prints what differs and "N programs, M wrong". */
void runner_main(void);

#endif
