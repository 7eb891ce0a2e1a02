/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A growing byte buffer, also used for text; always NUL-terminated. Aborts when the system has no
 * memory. */
#ifndef TN_BASE_BUF_H
#define TN_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/attr.h"

typedef struct tn_buf {
  char *data; /* NULL until the first byte; owned */
  size_t len; /* without the NUL */
  size_t cap;
} tn_buf;

#define TN_BUF_INIT \
  { NULL, 0, 0 }

void tn_buf_deinit(tn_buf *buf);
void tn_buf_clear(tn_buf *buf);
void tn_buf_append(tn_buf *buf, const void *bytes, size_t n_bytes);
void tn_buf_puts(tn_buf *buf, const char *text);
void tn_buf_putc(tn_buf *buf, char c);
void tn_buf_printf(tn_buf *buf, const char *fmt, ...) TN_PRINTF(2, 3);
void tn_buf_vprintf(tn_buf *buf, const char *fmt, va_list args) TN_PRINTF(2, 0);

/// The text; "" when empty. Valid until the next change.
const char *tn_buf_text(const tn_buf *buf);

/// Gives the malloc'ed text away and leaves `buf` empty; never NULL.
char *tn_buf_take(tn_buf *buf);

/// Appends the shortest decimal text that reads back to the same double (inf, -inf, nan spelled
/// so).
void tn_buf_put_double(tn_buf *buf, double value);
/// The same for a float32 value.
void tn_buf_put_float(tn_buf *buf, float value);

#endif
