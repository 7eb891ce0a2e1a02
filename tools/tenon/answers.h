/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Whether two programs that are measured beside each other compute the same. */
#ifndef TN_TOOLS_ANSWERS_H
#define TN_TOOLS_ANSWERS_H

#include "session.h"

/// What one call gave and wrote.
typedef struct answers {
  const char *name; /* what messages call the program */
  int32_t n_args;
  const tn_arg *args; /* after the call */
  tn_arg ret;
} answers;

/// Calls `s` once and compares what it gives back and what it wrote with an earlier call of another
/// program: integers bit for bit, floats within a share of the largest value of their tensor, by
/// type, since another order of summing rounds otherwise. name: what messages call `s`. Errors:
/// INVALID, naming the tensor, the place and both values; what the call gives.
tn_status answers_compare(const answers *first, session *s, const char *name);

/// How far values are from those of another runtime: the norm of the difference over the norm of
/// theirs, the largest of all tensors. 0 where both are 0 or NaN at the same places; < 0 where they
/// are of different shapes or types, or one has a NaN that the other has not.
double answers_norm(const tn_arg *ours, const tn_arg *theirs);

#endif
