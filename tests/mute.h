/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Included before every source of a build with TN_MUTATE (scripts/mutate_checks), and of no other:
 * one check of the compiler can be switched off in the built program.
 *
 *   TN_MUTE=src/tir/verify.c:52-53   an `if` that stands in these lines is never taken, an error or
 *                                    diagnostic made there is not made
 *   TN_MUTE_TRACE=FILE               adds "FILE:LINE" for each place where an `if` is taken or an
 *                                    error made, once a process
 */
#ifndef TN_MUTE_H
#define TN_MUTE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(TN_MUTE_OFF) && __has_include("base/status.h")
#include "base/status.h"
#if __has_include("ir/ir.h")
#include "ir/ir.h"
#endif
#if __has_include("sched/sched_priv.h")
#include "sched/sched_priv.h"
#endif

enum { TN_MUTE_MAX_LINE = 1024 };

/* Of this source file alone. */
static int tn_mute_first; /* first line that is switched off; 0: none */
static int tn_mute_last;  /* last such line */
static const char *tn_mute_trace;
static bool tn_mute_is_idle = true;
static char tn_mute_seen[TN_MUTE_MAX_LINE];

__attribute__((constructor)) static void tn_mute_start(void) {
  const char *off = getenv("TN_MUTE");
  size_t n = strlen(__BASE_FILE__);
  if (off != NULL && strncmp(off, __BASE_FILE__, n) == 0 && off[n] == ':') {
    sscanf(off + n + 1, "%d-%d", &tn_mute_first, &tn_mute_last);
  }
  tn_mute_trace = getenv("TN_MUTE_TRACE");
  tn_mute_is_idle = tn_mute_first == 0 && tn_mute_trace == NULL;
}

/* Is what stands at `line` to happen? */
__attribute__((unused, cold, noinline)) static bool tn_mute_keeps(int line) {
  if (tn_mute_trace != NULL && line < TN_MUTE_MAX_LINE && !tn_mute_seen[line]) {
    tn_mute_seen[line] = 1;
    FILE *f = fopen(tn_mute_trace, "a");
    if (f != NULL) {
      fprintf(f, "%s:%d\n", __BASE_FILE__, line);
      fclose(f);
    }
  }
  return line < tn_mute_first || line > tn_mute_last;
}

#define TN_MUTE_KEEPS \
  (tn_mute_is_idle || strcmp(__FILE__, __BASE_FILE__) != 0 || tn_mute_keeps(__LINE__))

#undef TN_ERR
#define TN_ERR(code, ...)                                                           \
  (TN_MUTE_KEEPS ? tn_status_new((code), __FILE__, __LINE__, __func__, __VA_ARGS__) \
                 : (tn_status)NULL)
#define tn_diags_add(...) (TN_MUTE_KEEPS ? (tn_diags_add)(__VA_ARGS__) : (void)0)
#define tn_refuse(...) (TN_MUTE_KEEPS ? (tn_refuse)(__VA_ARGS__) : (tn_status)NULL)
/* clang-format off */
#define if(...) if ((__VA_ARGS__) && TN_MUTE_KEEPS)
/* clang-format on */
#endif
#endif
