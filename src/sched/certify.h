/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A checker of schedules that knows no primitive: it is given two loop functions and proves that
 * they leave the same values in their arguments, or says what it could not decide. It shares no code
 * with the primitives or their proofs (only ir, tir and integer sets), so that one mistake does not
 * hide another.
 *
 *   tn_certify_result r;
 *   TN_TRY(tn_certify(ir, before, after, &r));
 *   if (r.verdict == TN_CERTIFY_EQUAL) { ... } else { puts(r.text); }
 *   tn_certify_result_deinit(&r);
 *
 * "The same" means: each element is the same expression of what the arguments held before the call;
 * sums, products, minima and maxima are compared as sets of contributions, in any order. Assumed:
 * different arguments are different memory, integers made of loop variables do not wrap. Also asked
 * of `after`: its accesses stay inside their buffers, axes inside their ranges, and rounds of
 * parallel, vectorized and thread-bound loops do not meet, but in scratch memory that one parallel
 * loop alone uses (lowering gives each round its own). */
#ifndef TN_SCHED_CERTIFY_H
#define TN_SCHED_CERTIFY_H

#include "ir/ir.h"

typedef enum tn_certify_verdict { TN_CERTIFY_EQUAL, TN_CERTIFY_UNDECIDED } tn_certify_verdict;

typedef struct tn_certify_result {
  tn_certify_verdict verdict;
  char *text; /* what could not be decided; "" when equal; owned */
  int64_t n_questions;
} tn_certify_result;

/// Nodes of both functions live in ir; parameters are matched by position. Errors: NO_MEMORY.
TN_MUST_USE tn_status tn_certify(tn_ir *ir, const tn_node *before, const tn_node *after,
                                 tn_certify_result *out_result);
void tn_certify_result_deinit(tn_certify_result *result);

#endif
