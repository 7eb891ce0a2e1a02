/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions written as tensor expressions, each with the loops in C that it has to agree with. */
#ifndef TN_TESTS_TIR_TE_CASES_H
#define TN_TESTS_TIR_TE_CASES_H

#include "tir/te.h"

enum { TE_MAX_PARAMS = 6 };

/// An argument of a run.
typedef struct te_array {
  tn_dtype dtype;
  int32_t ndim;
  int64_t shape[4];
  int64_t below;  /* integers are 0 .. below - 1 (indices); 0: -4 .. 4 */
  bool is_scalar; /* the number 3 */
} te_array;

typedef struct te_run {
  te_array arrays[TE_MAX_PARAMS];
} te_run;

typedef struct te_case {
  const char *name;
  int32_t n_params;
  void (*build)(tn_te *te, const tn_node **params);
  void (*reference)(void *const *data); /* one array a parameter; writes the results */
  double tolerance;                     /* 0: the same bits */
  te_run run;
} te_case;

extern const te_case te_cases[];
extern const size_t te_n_cases;

#endif
