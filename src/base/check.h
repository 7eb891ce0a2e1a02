/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Assertions are for bugs of ours, never for what a user or a file can cause.
 * TN_ASSERT vanishes with NDEBUG; TN_CHECK stays. Both abort after printing what the crash context
 * says (current pass, command line; see tn_crash_set_context). */
#ifndef TN_BASE_CHECK_H
#define TN_BASE_CHECK_H

#include "base/attr.h"

/// Prints place, message and crash context to stderr and aborts.
TN_NORETURN void tn_panic(const char *file, int line, const char *func, const char *fmt, ...)
    TN_PRINTF(4, 5);

/// Sets the callback that prints more about the moment of a crash (pass, node); NULL clears it.
void tn_crash_set_context(void (*print)(void *ctx), void *ctx);

#define TN_CHECK(cond, ...)                                \
  do {                                                     \
    if (!(cond)) {                                         \
      tn_panic(__FILE__, __LINE__, __func__, __VA_ARGS__); \
    }                                                      \
  } while (0)
#ifdef NDEBUG
#define TN_ASSERT(cond, ...) ((void)sizeof(!(cond)))
#else
#define TN_ASSERT(cond, ...) TN_CHECK(cond, __VA_ARGS__)
#endif
#define TN_UNREACHABLE() tn_panic(__FILE__, __LINE__, __func__, "unreachable")

#endif
