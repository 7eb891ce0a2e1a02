/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Makes, extends and returns statuses. The record is one heap object: a code and a chain of frames
 * {file, line, function, text}; the innermost frame says what was wrong, each outer one what was
 * being done.
 *
 *   tn_status load(const char *path) {
 *     if (path == NULL) { return TN_ERR(TN_INVALID, "no path given"); }
 *     TN_TRY_MSG(read_all(path), "reading %s", path);
 *     return NULL;
 *   }
 *
 * A function that owns something declares its owners NULL first and has one label `done:`
 * (TN_GOTO). */
#ifndef TN_BASE_STATUS_H
#define TN_BASE_STATUS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "tenon/status.h"

/// Use the macros below, which fill in the place. Never returns NULL: when memory is short, a
/// static record.
tn_status tn_status_new(tn_code code, const char *file, int line, const char *func, const char *fmt,
                        ...) TN_PRINTF(5, 6) TN_MUST_USE;

/// Adds a frame to `st` and returns it; NULL stays NULL.
tn_status tn_status_add(tn_status st, const char *file, int line, const char *func, const char *fmt,
                        ...) TN_PRINTF(5, 6) TN_MUST_USE;

/// Prints "error: <message> [<code name>]" and, when `verbose`, one "at file:line in func" line a
/// frame.
void tn_status_print(FILE *out, tn_status st, bool verbose);

#define TN_ERR(code, ...) tn_status_new((code), __FILE__, __LINE__, __func__, __VA_ARGS__)

/// Adds "what was being done" to an error on its way up; NULL stays NULL.
#define tn_status_wrap(st, ...) tn_status_add((st), __FILE__, __LINE__, __func__, __VA_ARGS__)

#define TN_TRY(expr)              \
  do {                            \
    tn_status tn_try_st = (expr); \
    if (tn_try_st != NULL) {      \
      return tn_try_st;           \
    }                             \
  } while (0)

#define TN_TRY_MSG(expr, ...)                        \
  do {                                               \
    tn_status tn_try_st = (expr);                    \
    if (tn_try_st != NULL) {                         \
      return tn_status_wrap(tn_try_st, __VA_ARGS__); \
    }                                                \
  } while (0)

#define TN_GOTO(st, expr, label) \
  do {                           \
    (st) = (expr);               \
    if ((st) != NULL) {          \
      goto label;                \
    }                            \
  } while (0)

#endif
