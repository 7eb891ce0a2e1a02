/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: pairs of functions that are intrinsics. */
#ifndef TN_SCHED_TENSORIZE_H
#define TN_SCHED_TENSORIZE_H

#include "sched/sched_priv.h"

enum { TN_INTRIN_MAX_PARAMS = 16 };

/// Both functions of a pair, which take the same buffers of known sizes, leave the same in them.
TN_MUST_USE tn_status tn_intrin_agrees(tn_sched *s, const tn_sched_intrin *pair);

#endif
