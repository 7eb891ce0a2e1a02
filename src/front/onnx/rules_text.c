/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* TfIdfVectorizer over numbers: how often each n-gram of a pool stands in a sequence, its elements
 * 1 to 1 + max_skip_count apart. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

typedef struct grams {
  int64_t n_rows; /* 0: the data is one sequence without a batch */
  int64_t length;
  int64_t n_columns;
  int64_t max_skip;
  tn_onnx_i64s pool;
  tn_onnx_i64s begins;  /* where the pool's n-grams of n = 1, 2 ... begin */
  tn_onnx_i64s columns; /* of each n-gram */
} grams;

enum { MAX_GRAMS = 1 << 16, MAX_LENGTH = 1 << 16, MAX_N = 64 };

static grams read_grams(tn_onnx_call *c, const tn_node *x) {
  grams g = {.pool = tn_onnx_attr_ints(c, "pool_int64s"),
             .begins = tn_onnx_attr_ints(c, "ngram_counts"),
             .columns = tn_onnx_attr_ints(c, "ngram_indexes"),
             .max_skip = tn_onnx_attr_int(c, "max_skip_count", 0)};
  const tn_node *dims = tn_onnx_dims(c, x);
  uint32_t n = dims == NULL ? 0 : dims->n_in;
  if (c->st == NULL && tn_onnx_attr_find(c, "pool_strings") != NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "elements of type string");
  }
  bool is_known = c->st == NULL && (n == 1 || n == 2) && dims->in[n - 1]->op == TN_OP_INT &&
                  dims->in[n - 1]->attr.i64 <= MAX_LENGTH;
  if (!is_known || g.pool.len > MAX_GRAMS || g.columns.len > MAX_GRAMS || g.begins.len > MAX_N ||
      g.max_skip < 0 || g.max_skip > MAX_LENGTH) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "a pool of %zu numbers, or data that is no sequence of known "
                 "length",
                 g.pool.len);
    return g;
  }
  g.n_rows = n == 1 ? 0 : 1;
  g.length = dims->in[n - 1]->attr.i64;
  for (size_t i = 0; i < g.columns.len; ++i) {
    if (g.columns.data[i] < 0 || g.columns.data[i] >= MAX_GRAMS) {
      TN_ONNX_FAIL(c, TN_INVALID, "ngram_indexes holds %" PRId64, g.columns.data[i]);
    }
    g.n_columns = g.columns.data[i] >= g.n_columns ? g.columns.data[i] + 1 : g.n_columns;
  }
  for (size_t i = 0; i < g.begins.len; ++i) {
    int64_t end = i + 1 < g.begins.len ? g.begins.data[i + 1] : (int64_t)g.pool.len;
    if (g.begins.data[i] < 0 || g.begins.data[i] > end) {
      TN_ONNX_FAIL(c, TN_INVALID, "ngram_counts holds %" PRId64, g.begins.data[i]);
      return g;
    }
  }
  return g;
}

/* Element j of each of `count` n-grams of n elements: [1, 1, count]. */
static const tn_node *element_of(tn_onnx_call *c, const grams *g, int64_t begin, int64_t n,
                                 int64_t count, int64_t j, tn_dtype type) {
  tn_onnx_i64s values = tn_onnx_i64s_alloc(c, (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    values.data[i] = g->pool.data[begin + i * n + j];
  }
  return tn_onnx_cast(c, tn_onnx_stand(c, tn_onnx_vector(c, values), 3, 2), type);
}

/* How often each n-gram of n elements stands in x [rows, length, 1] at this distance: [rows, count];
 * NULL: the sequence is too short. */
static const tn_node *counted(tn_onnx_call *c, const grams *g, const tn_node *x, int64_t n,
                              int64_t step) {
  int64_t begin = g->begins.data[n - 1];
  int64_t end = (size_t)n < g->begins.len ? g->begins.data[n] : (int64_t)g->pool.len;
  int64_t count = (end - begin) / n;
  int64_t starts = g->length - (n - 1) * step;
  const tn_node *is_there = NULL;
  const int64_t axis = 1;
  if (starts < 1) {
    return NULL;
  }
  for (int64_t j = 0; j < n; ++j) {
    const tn_node *here = tn_onnx_part(c, x, 1, j * step, j * step + starts);
    here =
        tn_onnx_op2(c, "equal", here, element_of(c, g, begin, n, count, j, tn_onnx_type_of(c, x)));
    is_there = is_there == NULL ? here : tn_onnx_op2(c, "logical_and", is_there, here);
  }
  return tn_onnx_reduce(c, "sum", tn_onnx_cast(c, is_there, TN_DT_F32), 1, &axis, false);
}

/* The column that each n-gram's count goes to, as a matrix of ones and zeros. */
static const tn_node *into_columns(tn_onnx_call *c, const grams *g, int64_t first, int64_t count) {
  tn_array ones = {0};
  int64_t shape[2] = {count, g->n_columns};
  if (c->st == NULL && count * g->n_columns > (int64_t)MAX_GRAMS * 1024) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%" PRId64 " n-grams for %" PRId64 " columns", count,
                 g->n_columns);
  }
  if (c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&ones, TN_DT_F32, 2, shape));
  for (int64_t i = 0; c->st == NULL && i < count; ++i) {
    tn_array_set_f64(&ones, i * g->n_columns + g->columns.data[first + i], 1);
  }
  return tn_onnx_const(c, &ones);
}

/* Sums of counts for all lengths of n-grams: [rows, columns]. */
static const tn_node *frequencies(tn_onnx_call *c, const grams *g, const tn_node *x) {
  int64_t most = tn_onnx_attr_int(c, "max_gram_length", 1);
  int64_t least = tn_onnx_attr_int(c, "min_gram_length", 1);
  const tn_node *sum = NULL;
  int64_t first = 0;
  for (int64_t n = 1; c->st == NULL && n <= most && (size_t)n <= g->begins.len; ++n) {
    int64_t end = (size_t)n < g->begins.len ? g->begins.data[n] : (int64_t)g->pool.len;
    int64_t count = (end - g->begins.data[n - 1]) / n;
    if (first + count > (int64_t)g->columns.len) {
      TN_ONNX_FAIL(c, TN_INVALID, "ngram_indexes has %zu numbers, too few", g->columns.len);
      return NULL;
    }
    const tn_node *found = NULL;
    for (int64_t skip = 0; n >= least && count > 0 && skip <= (n == 1 ? 0 : g->max_skip); ++skip) {
      const tn_node *here = counted(c, g, x, n, skip + 1);
      if (here == NULL) {
        break;
      }
      found = found == NULL ? here : tn_onnx_op2(c, "add", found, here);
    }
    if (found != NULL) {
      found = tn_onnx_op2(c, "matmul", found, into_columns(c, g, first, count));
      sum = sum == NULL ? found : tn_onnx_op2(c, "add", sum, found);
    }
    first += count;
  }
  return sum;
}

/* The attribute `weights`, one a column; NULL: 1 each. */
static const tn_node *column_weights(tn_onnx_call *c, const grams *g) {
  const tn_onnx_attr *given = tn_onnx_attr_find(c, "weights");
  tn_array values = {0};
  if (given == NULL || c->st != NULL) {
    return NULL;
  }
  if (given->floats.len != (size_t)g->n_columns) {
    TN_ONNX_FAIL(c, TN_INVALID, "'weights' has %zu numbers, expected %" PRId64, given->floats.len,
                 g->n_columns);
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&values, TN_DT_F32, 1, &g->n_columns));
  for (int64_t i = 0; c->st == NULL && i < g->n_columns; ++i) {
    tn_array_set_f64(&values, i, (double)given->floats.data[i]);
  }
  return tn_onnx_const(c, &values);
}

void tn_onnx_rule_tfidf(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  grams g = read_grams(c, x);
  const char *mode = tn_onnx_attr_text(c, "mode", "");
  bool is_tf = strcmp(mode, "TF") == 0;
  bool is_idf = strcmp(mode, "IDF") == 0;
  const tn_node *dims = tn_onnx_dims(c, x);
  if (c->st != NULL || (!is_tf && !is_idf && strcmp(mode, "TFIDF") != 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s', expected TF, IDF or TFIDF", mode);
    return;
  }
  const tn_node *rows = g.n_rows == 0 ? tn_onnx_i64(c, 1) : dims->in[0];
  const tn_node *wide[] = {rows, tn_onnx_i64(c, g.length), tn_onnx_i64(c, 1)};
  const tn_node *out[] = {rows, tn_onnx_i64(c, g.n_columns)};
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_F32, 0);
  const tn_node *y = frequencies(c, &g, tn_onnx_reshape(c, x, tn_list(c->ir, 3, wide)));
  y = y == NULL && c->st == NULL ? tn_onnx_broadcast(c, zero, tn_list(c->ir, 2, out)) : y;
  const tn_node *weights = is_tf ? NULL : column_weights(c, &g);
  if (is_idf) {
    y = tn_onnx_cast(c, tn_onnx_op2(c, "greater", y, zero), TN_DT_F32);
  }
  y = weights == NULL ? y : tn_onnx_op2(c, "multiply", y, weights);
  const tn_node *flat = out[1];
  tn_onnx_give(c, 0, g.n_rows == 0 ? tn_onnx_reshape(c, y, tn_list(c->ir, 1, &flat)) : y);
}
