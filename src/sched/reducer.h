/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: how a reduction block combines: x = x op rest, or several values chosen together, as
 * argmax does. */
#ifndef TN_SCHED_REDUCER_H
#define TN_SCHED_REDUCER_H

#include "sched/sched_priv.h"

enum { TN_REDUCER_MAX_PARTS = 4 };

/// What a step of a reduction does: for each part k, buffer[k][indices] = combine(old values, rest).
typedef struct tn_reducer {
  uint32_t n;
  const tn_node *buffers[TN_REDUCER_MAX_PARTS];
  const tn_node *stores[TN_REDUCER_MAX_PARTS];
  const tn_node *firsts[TN_REDUCER_MAX_PARTS]; /* values that init stores; may load */
  const tn_node *loads[TN_REDUCER_MAX_PARTS];  /* of the old values */
  const tn_node *rests[TN_REDUCER_MAX_PARTS];  /* what comes in: free of the old values */
  const tn_node *values[TN_REDUCER_MAX_PARTS]; /* that are stored, over loads and rests */
  /// What a part may begin with so that nothing changes, whatever firsts is.
  const tn_node *identities[TN_REDUCER_MAX_PARTS];
  bool is_neutral; /* combining the identity with what comes in gives that */
  bool is_ordered; /* ties go to the earlier step: parts have to be combined in their order */
} tn_reducer;

/// Errors: INVALID when the block's body is no known associative combination.
TN_MUST_USE tn_status tn_reducer_find(tn_sched *s, const tn_node *block, tn_reducer *out);

#endif
