/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The growing byte buffer and the shortest text of a floating-point number. */
#include "base/buf.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void tn_buf_deinit(tn_buf *buf) {
  free(buf->data);
  *buf = (tn_buf)TN_BUF_INIT;
}

void tn_buf_clear(tn_buf *buf) {
  buf->len = 0;
  if (buf->data != NULL) {
    buf->data[0] = '\0';
  }
}

/* Makes room for n_bytes more and the NUL. */
static void reserve(tn_buf *buf, size_t n_bytes) {
  TN_CHECK(n_bytes < PTRDIFF_MAX / 2 - buf->len, "buffer of %zu bytes cannot grow", buf->len);
  size_t need = buf->len + n_bytes + 1;
  if (need <= buf->cap) {
    return;
  }
  size_t cap = buf->cap < 64 ? 64 : buf->cap * 2;
  cap = cap < need ? need : cap;
  char *data = realloc(buf->data, cap);
  TN_CHECK(data != NULL, "out of memory: buffer of %zu bytes", cap);
  buf->data = data;
  buf->cap = cap;
}

void tn_buf_append(tn_buf *buf, const void *bytes, size_t n_bytes) {
  reserve(buf, n_bytes);
  if (n_bytes != 0) {
    memcpy(buf->data + buf->len, bytes, n_bytes);
  }
  buf->len += n_bytes;
  buf->data[buf->len] = '\0';
}

void tn_buf_puts(tn_buf *buf, const char *text) { tn_buf_append(buf, text, strlen(text)); }

void tn_buf_putc(tn_buf *buf, char c) { tn_buf_append(buf, &c, 1); }

void tn_buf_vprintf(tn_buf *buf, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  TN_CHECK(len >= 0, "bad format string");
  reserve(buf, (size_t)len);
  (void)vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, args);
  buf->len += (size_t)len;
}

void tn_buf_printf(tn_buf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(buf, fmt, args);
  va_end(args);
}

const char *tn_buf_text(const tn_buf *buf) { return buf->data == NULL ? "" : buf->data; }

char *tn_buf_take(tn_buf *buf) {
  reserve(buf, 0);
  buf->data[buf->len] = '\0';
  char *text = buf->data;
  *buf = (tn_buf)TN_BUF_INIT;
  return text;
}

/* Appends printf's number text; a host program's locale may have spelled the point otherwise. */
static void put_number(tn_buf *buf, const char *text) {
  bool in_point = false;
  for (const char *p = text; *p != '\0'; ++p) {
    bool is_plain = (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == 'e';
    if (is_plain) {
      tn_buf_putc(buf, *p);
    } else if (!in_point) {
      tn_buf_putc(buf, '.');
    }
    in_point = !is_plain;
  }
}

static bool put_special(tn_buf *buf, double value) {
  if (isnan(value)) {
    tn_buf_puts(buf, "nan");
  } else if (isinf(value)) {
    tn_buf_puts(buf, value < 0 ? "-inf" : "inf");
  } else {
    return false;
  }
  return true;
}

/* A whole number of few digits prints as one: 10, where the shortest text would be 1e+01. */
static bool put_whole(tn_buf *buf, double value, double limit) {
  if (value == 0 || value != floor(value) || fabs(value) >= limit) {
    return false;
  }
  tn_buf_printf(buf, "%.0f", value);
  return true;
}

void tn_buf_put_double(tn_buf *buf, double value) {
  if (put_special(buf, value) || put_whole(buf, value, 1e15)) {
    return;
  }
  char text[64];
  for (int digits = 1; digits <= 17; ++digits) {
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  put_number(buf, text);
}

void tn_buf_put_float(tn_buf *buf, float value) {
  if (put_special(buf, (double)value) || put_whole(buf, (double)value, 1e7)) {
    return;
  }
  char text[64];
  for (int digits = 1; digits <= 9; ++digits) {
    (void)snprintf(text, sizeof text, "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value) {
      break;
    }
  }
  put_number(buf, text);
}
