/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The end of the line: prints where an assertion broke and what was going on, then aborts. */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A crash has no context object to hang from, so this callback is static; set once by the tool. */
static void (*crash_print)(void *ctx) = NULL;
static void *crash_ctx = NULL;

void tn_crash_set_context(void (*print)(void *ctx), void *ctx) {
  crash_print = print;
  crash_ctx = ctx;
}

void tn_panic(const char *file, int line, const char *func, const char *fmt, ...) {
  fflush(stdout);
  fprintf(stderr, "tenon: internal error at %s:%d in %s: ", file, line, func);
  va_list args;
  va_start(args, fmt);
  vfprintf(stderr, fmt, args);
  va_end(args);
  fputc('\n', stderr);
  void (*print)(void *ctx) = crash_print;
  if (print != NULL) {
    crash_print = NULL; /* a callback that panics in turn must not come back here */
    print(crash_ctx);
  }
  fflush(stderr);
  abort();
}
