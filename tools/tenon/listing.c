/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The longest common subsequence of lines, by the table of all pairs: programs have hundreds of
 * lines. What is the same at both ends is left out before. */
#include "listing.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRS = 16 << 20, N_AROUND = 2 };

typedef struct line {
  const char *text;
  size_t len;
} line;

typedef struct lines {
  line *at;
  size_t n;
} lines;

static lines split(const char *text) {
  lines out = {0};
  size_t n = 1;
  for (const char *c = text; *c != '\0'; ++c) {
    n += *c == '\n';
  }
  out.at = calloc(n, sizeof *out.at);
  while (out.at != NULL && *text != '\0') {
    size_t len = strcspn(text, "\n");
    out.at[out.n++] = (line){text, len};
    text += len + (text[len] == '\n');
  }
  return out;
}

static bool is_same(line a, line b) { return a.len == b.len && memcmp(a.text, b.text, a.len) == 0; }

static void put(FILE *out, char sign, line l) {
  fprintf(out, "%c %.*s\n", sign, (int)l.len, l.text);
}

/* lengths[i * (nb + 1) + j]: of the longest common subsequence of a[i..] and b[j..]. */
static void put_pairs(const line *a, size_t na, const line *b, size_t nb, uint32_t *lengths,
                      FILE *out) {
  size_t row = nb + 1;
  for (size_t i = na; i-- > 0;) {
    for (size_t j = nb; j-- > 0;) {
      uint32_t down = lengths[(i + 1) * row + j];
      uint32_t right = lengths[i * row + j + 1];
      lengths[i * row + j] = is_same(a[i], b[j]) ? lengths[(i + 1) * row + j + 1] + 1
                             : down > right      ? down
                                                 : right;
    }
  }
  size_t i = 0;
  size_t j = 0;
  while (i < na || j < nb) {
    if (i < na && j < nb && is_same(a[i], b[j])) {
      put(out, ' ', a[i++]);
      ++j;
    } else if (j == nb || (i < na && lengths[(i + 1) * row + j] >= lengths[i * row + j + 1])) {
      put(out, '-', a[i++]);
    } else {
      put(out, '+', b[j++]);
    }
  }
}

void listing_print(const char *before, const char *after, FILE *out) {
  lines a = split(before);
  lines b = split(after);
  size_t head = 0;
  size_t tail = 0;
  while (head < a.n && head < b.n && is_same(a.at[head], b.at[head])) {
    ++head;
  }
  while (tail < a.n - head && tail < b.n - head &&
         is_same(a.at[a.n - 1 - tail], b.at[b.n - 1 - tail])) {
    ++tail;
  }
  size_t na = a.n - head - tail;
  size_t nb = b.n - head - tail;
  bool is_small = (na + 1) * (nb + 1) <= MAX_PAIRS;
  uint32_t *lengths = is_small ? calloc((na + 1) * (nb + 1), sizeof *lengths) : NULL;
  if (lengths == NULL) {
    fputs(after, out);
  } else if (na + nb > 0) {
    for (size_t i = head > N_AROUND ? head - N_AROUND : 0; i < head; ++i) {
      put(out, ' ', b.at[i]);
    }
    put_pairs(a.at + head, na, b.at + head, nb, lengths, out);
    for (size_t i = b.n - tail; i < b.n && i < b.n - tail + N_AROUND; ++i) {
      put(out, ' ', b.at[i]);
    }
  }
  free(lengths);
  free(a.at);
  free(b.at);
}
