/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statuses: one heap record with its frames and the joined message, rebuilt when a frame is added.
 * Memory that cannot be had never turns an error into success: creation falls back to a static
 * record, and adding context to a record leaves it as it was. */
#include "base/status.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct frame frame;
struct frame {
  frame *inner; /* owned; NULL for the innermost */
  const char *file;
  const char *func;
  int line;
};

struct tn_status_record {
  tn_code code;
  frame *outer;  /* owned */
  char *message; /* owned, except in the static record */
};

static char no_memory_text[] = "out of memory";
/* Never written to: it is not const only because tn_status is not. */
static struct tn_status_record no_memory_record = {TN_NO_MEMORY, NULL, no_memory_text};

tn_code tn_status_code(tn_status st) { return st == NULL ? TN_OK : st->code; }

const char *tn_status_message(tn_status st) { return st == NULL ? "" : st->message; }

const char *tn_code_name(tn_code code) {
  switch (code) {
    case TN_OK:
      return "ok";
    case TN_INVALID:
      return "invalid argument";
    case TN_NOT_FOUND:
      return "not found";
    case TN_UNSUPPORTED:
      return "unsupported";
    case TN_IO:
      return "input/output error";
    case TN_CORRUPT:
      return "corrupt data";
    case TN_TIMEOUT:
      return "timed out";
    case TN_CANCELLED:
      return "cancelled";
    case TN_NO_MEMORY:
      return "out of memory";
    case TN_REMOTE:
      return "remote error";
    case TN_EXISTS:
      return "already exists";
    case TN_INTERNAL:
      return "internal error";
  }
  return "unknown error"; /* a code from another version */
}

void tn_status_free(tn_status st) {
  if (st == NULL || st == &no_memory_record) {
    return;
  }
  for (frame *f = st->outer; f != NULL;) {
    frame *inner = f->inner;
    free(f);
    f = inner;
  }
  free(st->message);
  free(st);
}

/* `text`, then ": " and `tail` when there is one; NULL when memory is short. */
static char *format_message(const char *tail, const char *fmt, va_list args) TN_PRINTF(2, 0);

static char *format_message(const char *tail, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (len < 0) {
    return NULL;
  }
  size_t n_text = (size_t)len;
  size_t n_tail = tail == NULL ? 0 : strlen(tail);
  char *message = malloc(n_text + 2 + n_tail + 1);
  if (message == NULL) {
    return NULL;
  }
  (void)vsnprintf(message, n_text + 1, fmt, args);
  if (tail != NULL) {
    memcpy(message + n_text, ": ", 2);
    memcpy(message + n_text + 2, tail, n_tail + 1);
  }
  tn_text_hide_controls(message, true); /* names come from files */
  return message;
}

static frame *frame_new(frame *inner, const char *file, int line, const char *func) {
  frame *f = malloc(sizeof *f);
  if (f != NULL) {
    *f = (frame){.inner = inner, .file = file, .func = func, .line = line};
  }
  return f;
}

tn_status tn_status_new(tn_code code, const char *file, int line, const char *func, const char *fmt,
                        ...) {
  va_list args;
  va_start(args, fmt);
  char *message = format_message(NULL, fmt, args);
  va_end(args);
  frame *f = frame_new(NULL, file, line, func);
  tn_status st = malloc(sizeof *st);
  if (message == NULL || f == NULL || st == NULL) {
    free(message);
    free(f);
    free(st);
    return &no_memory_record;
  }
  *st = (struct tn_status_record){.code = code, .outer = f, .message = message};
  return st;
}

tn_status tn_status_add(tn_status st, const char *file, int line, const char *func, const char *fmt,
                        ...) {
  if (st == NULL || st == &no_memory_record) {
    return st;
  }
  va_list args;
  va_start(args, fmt);
  char *message = format_message(st->message, fmt, args);
  va_end(args);
  frame *f = frame_new(st->outer, file, line, func);
  if (message == NULL || f == NULL) {
    free(message);
    free(f);
    return st;
  }
  free(st->message);
  st->message = message;
  st->outer = f;
  return st;
}

void tn_status_print(FILE *out, tn_status st, bool verbose) {
  if (st == NULL) {
    return;
  }
  fprintf(out, "error: %s [%s]\n", st->message, tn_code_name(st->code));
  if (!verbose) {
    return;
  }
  for (const frame *f = st->outer; f != NULL; f = f->inner) {
    fprintf(out, "  at %s:%d in %s\n", f->file, f->line, f->func);
  }
}

tn_status tn_status_make(tn_code code, const char *message) {
  return tn_status_new(code, "", 0, "", "%s", message);
}
