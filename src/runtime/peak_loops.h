/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loops that show what a core can do: arithmetic on registers alone, and passes over memory,
 * each in the widest form that this processor has. */
#ifndef TN_RUNTIME_PEAK_LOOPS_H
#define TN_RUNTIME_PEAK_LOOPS_H

#include <stddef.h>

#include "tenon/bench.h"

/// Runs for about 0.1 ms; returns the operations it did.
typedef double (*tn_peak_arithmetic)(void);
/// Passes n_rounds times over n_bytes (a multiple of TN_PEAK_STEP_BYTES) at `a`, aligned to 64. A
/// copy goes from the first half to the second.
typedef void (*tn_peak_pass)(void *a, size_t n_bytes, int64_t n_rounds);

enum { TN_PEAK_STEP_BYTES = 1024 };

/// NULL: the processor has no instruction for it.
tn_peak_arithmetic tn_peak_arithmetic_find(tn_peak_kind kind);
tn_peak_pass tn_peak_pass_find(tn_peak_access access);

#endif
