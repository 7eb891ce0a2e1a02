/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The door of every fuzz target. Time is the processor's, not the clock's: a busy machine is no
 * finding. */
#include "fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A sanitized build with coverage marks was measured to be 4 to 6 times slower. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static const double max_cpu_s = 6;
#else
static const double max_cpu_s = 1;
#endif

void fuzz_fail(const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  (void)vfprintf(stderr, fmt, list);
  va_end(list);
  fputc('\n', stderr);
  abort();
}

static double cpu_s(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  double start = cpu_s();
  fuzz_one(bytes, n_bytes);
  double spent = cpu_s() - start;
  if (spent > max_cpu_s) {
    fuzz_fail("an input of %zu bytes took %.1f s of the processor's time", n_bytes, spent);
  }
  return 0;
}
