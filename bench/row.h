/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How a bench program says what it found: one line a figure, fields separated by tabs, which
 * scripts/bench puts into one table or one JSON object. */
#ifndef TN_BENCH_ROW_H
#define TN_BENCH_ROW_H

#include <stdio.h>

#include "tenon/status.h"

/// What a figure should be; ROW_INFO: no target, it is only told.
typedef enum row_goal { ROW_INFO, ROW_AT_MOST, ROW_AT_LEAST } row_goal;

typedef struct row {
  const char *name;
  double value;
  const char *unit;
  row_goal goal;
  double target;    /* in the same unit */
  const char *note; /* may be NULL */
} row;

static inline void row_print(const row *r) {
  static const char *const goals[] = {"", "<=", ">="};
  char target[32] = "";
  const char *mark = "";
  if (r->goal != ROW_INFO) {
    (void)snprintf(target, sizeof target, "%s %g", goals[r->goal], r->target);
    mark =
        (r->goal == ROW_AT_MOST ? r->value <= r->target : r->value >= r->target) ? "pass" : "short";
  }
  printf("%s\t%.4g\t%s\t%s\t%s\t%s\n", r->name, r->value, r->unit, target, mark,
         r->note != NULL ? r->note : "");
  fflush(stdout);
}

/// Prints a failed status; the exit code of the program.
static inline int row_finish(tn_status st) {
  if (st == NULL) {
    return 0;
  }
  fprintf(stderr, "error: %s [%s]\n", tn_status_message(st), tn_code_name(tn_status_code(st)));
  tn_status_free(st);
  return 1;
}

#endif
