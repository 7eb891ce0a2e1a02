/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The monotonic clock. */
#include "base/clock.h"

#include <time.h>

int64_t tn_clock_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock on Linux */
  return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}
