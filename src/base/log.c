/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The log level and the one function that prints by it. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int log_level = -1; /* -1: TENON_LOG was not read yet */

int tn_log_level(void) {
  int level = atomic_load_explicit(&log_level, memory_order_relaxed);
  if (level < 0) {
    const char *text = getenv("TENON_LOG");
    level = text != NULL && text[0] >= '0' && text[0] <= '5' && text[1] == '\0' ? text[0] - '0' : 0;
    atomic_store_explicit(&log_level, level, memory_order_relaxed);
  }
  return level;
}

void tn_log_set_level(int level) {
  atomic_store_explicit(&log_level, level < 0 ? 0 : level, memory_order_relaxed);
}

void tn_log(int level, const char *fmt, ...) {
  if (tn_log_level() < level) {
    return;
  }
  va_list args;
  va_start(args, fmt);
  flockfile(stderr); /* one message stays one piece when threads log */
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(args);
}
