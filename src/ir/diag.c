/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Diagnostics: collected by readers and verifiers, printed in source order with the line and a
 * caret. Source text may be hostile: long lines are cut around the place, control characters are
 * not printed. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "ir/ir.h"
#include "ir/ir_priv.h"

void tn_diags_deinit(tn_diags *diags) {
  for (int32_t i = 0; i < diags->n; ++i) {
    free(diags->items[i].message);
    free(diags->items[i].hint);
  }
  *diags = (tn_diags){0};
}

void tn_diags_add(tn_diags *diags, const char *id, tn_pos pos, const char *hint, const char *fmt,
                  ...) {
  if (diags->n == TN_MAX_DIAGS) {
    ++diags->n_dropped;
    return;
  }
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  char *hint_copy = hint == NULL ? NULL : strdup(hint);
  TN_CHECK(hint == NULL || hint_copy != NULL, "out of memory: hint");
  int32_t i = diags->n++;
  diags->items[i].id = id;
  diags->items[i].pos = pos;
  diags->items[i].message = tn_buf_take(&text);
  diags->items[i].hint = hint_copy;
  tn_text_hide_controls(diags->items[i].message, false);
  if (hint_copy != NULL) {
    tn_text_hide_controls(hint_copy, false);
  }
}

static const char *find_line(const char *text, size_t len, uint32_t line, size_t *out_len) {
  const char *end = text + len;
  for (; line > 1; --line) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    if (newline == NULL) {
      return NULL;
    }
    text = newline + 1;
  }
  const char *newline = memchr(text, '\n', (size_t)(end - text));
  *out_len = (size_t)((newline == NULL ? end : newline) - text);
  return text;
}

enum { WINDOW_COLS = 160 };

static uint32_t count_chars(const char *line, size_t len) {
  uint32_t n = 0;
  for (size_t i = 0; i < len; ++n) {
    i += tn_text_char_bytes(line + i, len - i);
  }
  return n;
}

/* What stands below column `col`, left of the end of the marks. */
static char mark_at(tn_pos pos, uint32_t col, bool is_tab) {
  if (col < pos.col) {
    return is_tab ? '\t' : ' ';
  }
  return col == pos.col ? '^' : '~';
}

/* The line, and below it spaces (tabs where the line has tabs) up to the caret. */
static void print_line(const char *line, size_t len, tn_pos pos, tn_buf *out) {
  tn_buf marks = TN_BUF_INIT;
  uint32_t n_chars = count_chars(line, len);
  uint32_t n_cols = pos.n_cols < 1 ? 1 : pos.n_cols;
  pos.col = pos.col < 1 ? 1 : pos.col > n_chars ? n_chars + 1 : pos.col;
  bool is_whole = n_chars <= WINDOW_COLS;
  uint32_t first = is_whole || pos.col <= WINDOW_COLS / 2 ? 1 : pos.col - WINDOW_COLS / 2;
  uint32_t col = 1;
  if (first > 1) {
    tn_buf_puts(out, "...");
    tn_buf_puts(&marks, "   ");
  }
  for (size_t i = 0; i < len && col < first + WINDOW_COLS; ++col) {
    size_t n_bytes = tn_text_char_bytes(line + i, len - i);
    bool is_tab = line[i] == '\t';
    if (col >= first && tn_text_is_control(line + i, n_bytes) && !is_tab) {
      tn_buf_putc(out, line[i] == '\r' ? ' ' : '?');
    } else if (col >= first) {
      tn_buf_append(out, line + i, n_bytes);
    }
    if (col >= first && (col <= pos.col || col - pos.col < n_cols)) {
      tn_buf_putc(&marks, mark_at(pos, col, is_tab));
    }
    i += n_bytes;
  }
  if (pos.col == n_chars + 1) {
    tn_buf_putc(&marks, '^');
  }
  tn_buf_printf(out, "%s\n%s\n", col <= n_chars ? "..." : "", tn_buf_text(&marks));
  tn_buf_deinit(&marks);
}

static void print_one(const tn_diags *diags, int32_t i, const tn_ir *ir, tn_buf *out) {
  tn_pos pos = diags->items[i].pos;
  const char *name = tn_ir_source_name(ir, pos.source);
  if (name != NULL) {
    tn_buf_printf(out, "%s:%u:%u: ", name, pos.line, pos.col);
  }
  tn_buf_printf(out, "error: %s [%s]\n", diags->items[i].message, diags->items[i].id);
  size_t len = 0;
  const char *text = tn_ir_source_text(ir, pos.source, &len);
  const char *line = text == NULL ? NULL : find_line(text, len, pos.line, &len);
  if (line != NULL) {
    print_line(line, len, pos, out);
  }
  if (diags->items[i].hint != NULL) {
    tn_buf_printf(out, "  hint: %s\n", diags->items[i].hint);
  }
}

static bool is_before(tn_pos a, tn_pos b) {
  if (a.source != b.source) {
    return a.source < b.source;
  }
  return a.line != b.line ? a.line < b.line : a.col < b.col;
}

void tn_diags_print(const tn_diags *diags, const tn_ir *ir, tn_buf *out) {
  int32_t order[TN_MAX_DIAGS];
  for (int32_t i = 0; i < diags->n;
       ++i) { /* insertion sort: few, and equal places keep their order */
    int32_t at = i;
    for (; at > 0 && is_before(diags->items[i].pos, diags->items[order[at - 1]].pos); --at) {
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
  for (int32_t i = 0; i < diags->n; ++i) {
    print_one(diags, order[i], ir, out);
  }
  if (diags->n_dropped > 0) {
    tn_buf_printf(out, "%d more not shown\n", diags->n_dropped);
  }
}

tn_status tn_diags_to_status(tn_diags *diags, const tn_ir *ir) {
  if (diags->n == 0) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_diags_print(diags, ir, &text);
  int len = (int)text.len - (text.len != 0 && text.data[text.len - 1] == '\n' ? 1 : 0);
  tn_status st = TN_ERR(TN_INVALID, "%.*s", len, tn_buf_text(&text));
  tn_buf_deinit(&text);
  tn_diags_deinit(diags);
  return st;
}

/* ---- near names ---- */

enum { MAX_NAME = 64, NO_MATCH = 1000 };

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

/* Edit distance with swaps of neighbours (insert, delete, replace, swap cost 1), three rolling
 * rows. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b) {
  size_t rows[3][MAX_NAME + 1];
  for (size_t j = 0; j <= n_b; ++j) {
    rows[0][j] = j;
  }
  for (size_t i = 1; i <= n_a; ++i) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i - 1) % 3];
    const size_t *above2 = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n_b; ++j) {
      size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = min_size(replaced, 1 + min_size(above[j], row[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = min_size(row[j], 1 + above2[j - 2]);
      }
    }
  }
  return rows[n_a % 3][n_b];
}

const char *tn_near_name(const char *name, const char *const *candidates, size_t n) {
  size_t len = strlen(name);
  size_t best = NO_MATCH;
  const char *nearest = NULL;
  if (len > MAX_NAME) {
    return NULL;
  }
  for (size_t i = 0; i < n; ++i) {
    size_t other_len = strlen(candidates[i]);
    if (other_len > MAX_NAME || other_len + 2 < len || len + 2 < other_len) {
      continue;
    }
    size_t distance = edit_distance(name, len, candidates[i], other_len);
    if (distance != 0 && distance <= 2 && 2 * distance < len && distance < best) {
      best = distance;
      nearest = candidates[i];
    }
  }
  return nearest;
}
