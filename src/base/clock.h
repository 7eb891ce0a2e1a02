/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The monotonic clock. */
#ifndef TN_BASE_CLOCK_H
#define TN_BASE_CLOCK_H

#include <stdint.h>

/// Nanoseconds since an arbitrary start; never goes back.
int64_t tn_clock_ns(void);

#endif
