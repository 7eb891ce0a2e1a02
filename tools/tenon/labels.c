/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* --labels and --top. */
#include "labels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 24, MAX_ROWS = 64 };

static tn_status refuse(tn_code code, const char *path, const char *what) {
  char text[4200];
  (void)snprintf(text, sizeof text, "--labels %s: %s", path, what);
  return tn_status_make(code, text);
}

static tn_status read_text(const char *path, char **out_text) {
  FILE *file = fopen(path, "rb");
  char *text = file != NULL ? malloc(MAX_BYTES + 1) : NULL;
  if (text == NULL) {
    tn_status st = refuse(TN_IO, path, strerror(errno));
    if (file != NULL) {
      (void)fclose(file);
    }
    return st;
  }
  size_t n = fread(text, 1, MAX_BYTES + 1, file);
  bool is_bad = ferror(file) != 0 || n > MAX_BYTES || memchr(text, '\0', n) != NULL;
  (void)fclose(file);
  if (is_bad) {
    free(text);
    return refuse(TN_INVALID, path, "no text file of names");
  }
  text[n] = '\0';
  *out_text = text;
  return NULL;
}

/* Past "n02124075 ", an id of WordNet. */
static char *without_id(char *line) {
  enum { N_DIGITS = 8 };
  bool is_id =
      line[0] == 'n' && strspn(line + 1, "0123456789") == N_DIGITS && line[N_DIGITS + 1] == ' ';
  return is_id ? line + N_DIGITS + 2 : line;
}

tn_status labels_read(const char *path, labels *out) {
  labels l = {0};
  tn_status st = read_text(path, &l.text);
  if (st != NULL) {
    return st;
  }
  int32_t n_lines = 1;
  for (const char *c = l.text; *c != '\0'; ++c) {
    n_lines += *c == '\n';
  }
  l.names = calloc((size_t)n_lines, sizeof *l.names);
  if (l.names == NULL) {
    free(l.text);
    return refuse(TN_NO_MEMORY, path, "no memory for its names");
  }
  for (char *line = l.text; line != NULL && *line != '\0';) {
    char *end = strchr(line, '\n');
    char *next = end != NULL ? end + 1 : NULL;
    size_t len = end != NULL ? (size_t)(end - line) : strlen(line);
    len -= len > 0 && line[len - 1] == '\r';
    line[len] = '\0';
    for (size_t i = 0; i < len; ++i) { /* names go to a terminal */
      line[i] = (unsigned char)line[i] < ' ' || line[i] == 0x7f ? '?' : line[i];
    }
    l.names[l.n++] = without_id(line);
    line = next;
  }
  if (l.n == 0) {
    labels_free(&l);
    return refuse(TN_INVALID, path, "it names no class");
  }
  *out = l;
  return NULL;
}

void labels_free(labels *l) {
  free(l->names);
  free(l->text);
  *l = (labels){0};
}

bool labels_fit(const labels *l, const DLTensor *dl) {
  int64_t n = dl->ndim > 0 ? dl->shape[dl->ndim - 1] : 0;
  return l->names != NULL ? n == l->n : n > 1;
}

/* Of `n` values, the number of the largest that is not taken; the first of equal ones. */
static int64_t find_largest(const double *values, const bool *are_taken, int64_t n) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (!are_taken[i] && (best < 0 || values[i] > values[best])) {
      best = i;
    }
  }
  return best;
}

static void to_shares(double *values, int64_t n) {
  double sum = 0;
  double most = -INFINITY;
  bool is_positive = true;
  for (int64_t i = 0; i < n; ++i) {
    sum += values[i];
    most = fmax(most, values[i]);
    is_positive = is_positive && values[i] >= 0;
  }
  if (is_positive && fabs(sum - 1) < 1e-2) {
    return;
  }
  sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    values[i] = exp(values[i] - most);
    sum += values[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    values[i] /= sum;
  }
}

void labels_print(const labels *l, int32_t top, const char *name, tn_tensor *tensor) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  int64_t n = dl->shape[dl->ndim - 1];
  int64_t n_rows = tn_dl_n_elems(dl) / (n > 0 ? n : 1);
  double *values = calloc((size_t)n + 1, sizeof *values);
  bool *are_taken = calloc((size_t)n + 1, sizeof *are_taken);
  for (int64_t row = 0; values != NULL && are_taken != NULL && row < n_rows && row < MAX_ROWS;
       ++row) {
    for (int64_t i = 0; i < n; ++i) {
      values[i] = tn_tensor_get_f64(tensor, row * n + i);
      are_taken[i] = false;
    }
    to_shares(values, n);
    if (n_rows > 1) {
      printf("%s, row %lld:\n", name, (long long)row);
    } else {
      printf("%s:\n", name);
    }
    for (int32_t k = 0; k < top && k < n; ++k) {
      int64_t best = find_largest(values, are_taken, n);
      are_taken[best] = true;
      printf("  %5.1f %%  %lld%s%s\n", 100 * values[best], (long long)best,
             l->names != NULL ? "  " : "", l->names != NULL ? l->names[best] : "");
    }
  }
  free(values);
  free(are_taken);
}
