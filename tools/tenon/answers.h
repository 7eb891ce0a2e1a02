/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Whether two programs that are measured beside each other compute the same. */
#ifndef TN_TOOLS_ANSWERS_H
#define TN_TOOLS_ANSWERS_H

#include "session.h"

/// Calls both once and compares what they give back and what they wrote: integers bit for bit,
/// floats within a share of the largest value of their tensor, by type, since another order of
/// summing rounds otherwise. names: what messages call them. Errors: INVALID, naming the tensor, the
/// place and both values; what a call gives.
tn_status answers_compare(session *a, session *b, const char *name_a, const char *name_b);

#endif
