/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Support vector machines (ai.onnx.ml): sums over support vectors of a kernel's values; classes are
 * told apart two by two, and each pair has a vote. Probabilities of more than two classes, which
 * are found by iteration, are refused. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/ml.h"
#include "front/onnx/rules.h"

/* ---- kernels ---- */

typedef struct kernel {
  const char *type;
  double gamma;
  double coef0;
  double degree;
} kernel;

static kernel read_kernel(tn_onnx_call *c) {
  tn_onnx_f64s params = tn_onnx_attr_numbers(c, "kernel_params");
  kernel k = {.type = tn_onnx_attr_text(c, "kernel_type", "LINEAR")};
  bool is_known = strcmp(k.type, "LINEAR") == 0 || strcmp(k.type, "POLY") == 0 ||
                  strcmp(k.type, "RBF") == 0 || strcmp(k.type, "SIGMOID") == 0;
  if (!is_known || (params.len != 0 && params.len != 3)) {
    TN_ONNX_FAIL(c, TN_INVALID, "kernel '%s' with %zu parameters", k.type, params.len);
    return k;
  }
  if (params.len == 3) {
    k.gamma = params.data[0];
    k.coef0 = params.data[1];
    k.degree = params.data[2];
  }
  return k;
}

/* [N, n]: what each row has in common with each of the vectors [n, F]. */
static const tn_node *kernel_values(tn_onnx_call *c, const kernel *k, const tn_node *x,
                                    const tn_node *vectors) {
  const int64_t swap[] = {1, 0};
  const int64_t last = 2;
  if (strcmp(k->type, "RBF") == 0) { /* differences: |a|^2 - 2 ab + |b|^2 loses digits */
    const tn_node *dx = tn_onnx_dims(c, x);
    const tn_node *dv = tn_onnx_dims(c, vectors);
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    if (dx == NULL || dv == NULL) {
      return NULL;
    }
    const tn_node *tall[] = {dx->in[0], one, dx->in[1]};
    const tn_node *flat[] = {one, dv->in[0], dv->in[1]};
    const tn_node *d = tn_onnx_op2(c, "subtract", tn_onnx_reshape(c, x, tn_list(c->ir, 3, tall)),
                                   tn_onnx_reshape(c, vectors, tn_list(c->ir, 3, flat)));
    d = tn_onnx_reduce(c, "sum", tn_onnx_op2(c, "multiply", d, d), 1, &last, false);
    return tn_onnx_op1(c, "exp",
                       tn_onnx_op2(c, "multiply", d, tn_onnx_scalar_like(c, d, -k->gamma)));
  }
  const tn_node *y = tn_onnx_op2(c, "matmul", x, tn_onnx_permute(c, vectors, swap));
  if (strcmp(k->type, "LINEAR") == 0) {
    return y;
  }
  y = tn_onnx_op2(c, "multiply", y, tn_onnx_scalar_like(c, y, k->gamma));
  y = tn_onnx_op2(c, "add", y, tn_onnx_scalar_like(c, y, k->coef0));
  return strcmp(k->type, "POLY") == 0
             ? tn_onnx_op2(c, "power", y, tn_onnx_scalar_like(c, y, k->degree))
             : tn_onnx_op1(c, "tanh", y);
}

/* The attribute support_vectors as [n, F]. */
static const tn_node *support_vectors(tn_onnx_call *c, const tn_node *x, int64_t n) {
  tn_onnx_f64s values = tn_onnx_attr_numbers(c, "support_vectors");
  if (c->st != NULL || n < 1 || values.len == 0 || values.len % (size_t)n != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu numbers for %" PRId64 " support vectors", values.len, n);
    return NULL;
  }
  const int64_t shape[] = {n, (int64_t)values.len / n};
  return tn_onnx_numbers_const(c, tn_onnx_type_of(c, x), 2, shape, values.data);
}

/* ---- SVMRegressor ---- */

void tn_onnx_rule_svm_regressor(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  kernel k = read_kernel(c);
  int64_t n = tn_onnx_attr_int(c, "n_supports", 0);
  tn_onnx_f64s weights = tn_onnx_attr_numbers(c, "coefficients");
  tn_onnx_f64s rho = tn_onnx_attr_numbers(c, "rho");
  const tn_node *values = n > 0 ? kernel_values(c, &k, x, support_vectors(c, x, n)) : x;
  if (c->st != NULL || rho.len < 1 || weights.len < 1 || (n > 0 && (int64_t)weights.len != n)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu coefficients and %zu rho for %" PRId64 " support vectors",
                 weights.len, rho.len, n);
    return;
  }
  const int64_t shape[] = {(int64_t)weights.len, 1};
  const tn_node *w = tn_onnx_numbers_const(c, tn_onnx_type_of(c, x), 2, shape, weights.data);
  const tn_node *y = tn_onnx_op2(c, "matmul", values, w);
  y = tn_onnx_op2(c, "add", y, tn_onnx_scalar_like(c, y, rho.data[0]));
  if (tn_onnx_attr_int(c, "one_class", 0) != 0) {
    const tn_node *is_in = tn_onnx_op2(c, "greater", y, tn_onnx_scalar_like(c, y, 0));
    y = tn_onnx_op3(c, "where", is_in, tn_onnx_scalar_like(c, y, 1), tn_onnx_scalar_like(c, y, -1));
  }
  y = tn_onnx_post_apply(c, y, tn_onnx_post_attr(c));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, TN_DT_F32));
}

/* ---- SVMClassifier ---- */

typedef struct machine {
  tn_onnx_i64s per_class; /* support vectors of each class, one class after another */
  int64_t n_vectors;
  int64_t n_classes;
  tn_onnx_f64s weights; /* [classes - 1, vectors] */
  tn_onnx_f64s rho;     /* one for each pair */
  tn_onnx_f64s prob[2]; /* a and b of each pair's sigmoid */
} machine;

static machine read_machine(tn_onnx_call *c, const tn_onnx_labels *labels) {
  machine m = {.per_class = tn_onnx_attr_ints(c, "vectors_per_class"),
               .n_classes = (int64_t)labels->n,
               .weights = tn_onnx_attr_numbers(c, "coefficients"),
               .rho = tn_onnx_attr_numbers(c, "rho"),
               .prob = {tn_onnx_attr_numbers(c, "prob_a"), tn_onnx_attr_numbers(c, "prob_b")}};
  int64_t n_pairs = m.n_classes * (m.n_classes - 1) / 2;
  for (size_t i = 0; i < m.per_class.len; ++i) {
    int64_t n = m.per_class.data[i];
    m.n_vectors += n < 0 || n > INT32_MAX ? INT32_MAX : n;
  }
  bool is_right = m.per_class.len == labels->n && m.n_classes >= 2 && m.n_classes <= 1024 &&
                  m.n_vectors >= 1 && m.n_vectors < INT32_MAX &&
                  (int64_t)m.weights.len == (m.n_classes - 1) * m.n_vectors &&
                  (int64_t)m.rho.len == n_pairs && m.prob[0].len == m.prob[1].len &&
                  (m.prob[0].len == 0 || (int64_t)m.prob[0].len == n_pairs);
  if (!is_right) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "%zu coefficients, %zu rho and %" PRId64 " support vectors for %zu classes",
                 m.weights.len, m.rho.len, m.n_vectors, labels->n);
  } else if (m.prob[0].len > 0 && m.n_classes > 2) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "probabilities of %" PRId64 " classes; two can have them",
                 m.n_classes);
  }
  return m;
}

/* [vectors, pairs]: what each vector's kernel value weighs in the pair (i, j), i < j: vectors of
 * class i by row j - 1 of the weights, those of class j by row i. */
static const tn_node *pair_weights(tn_onnx_call *c, const machine *m, tn_dtype type) {
  int64_t n_pairs = m->n_classes * (m->n_classes - 1) / 2;
  if (c->st != NULL || n_pairs > INT32_MAX / m->n_vectors) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%" PRId64 " pairs of classes", n_pairs);
    return NULL;
  }
  double *table = TN_ARENA_ARRAY(c->imp->arena, double, n_pairs * m->n_vectors + 1);
  int64_t *begin = TN_ARENA_ARRAY(c->imp->arena, int64_t, m->n_classes + 1);
  for (int64_t i = 0; i < m->n_classes; ++i) {
    begin[i + 1] = begin[i] + m->per_class.data[i];
  }
  int64_t pair = 0;
  for (int64_t i = 0; i < m->n_classes; ++i) {
    for (int64_t j = i + 1; j < m->n_classes; ++j, ++pair) {
      for (int64_t v = begin[i]; v < begin[i + 1]; ++v) {
        table[v * n_pairs + pair] = m->weights.data[(j - 1) * m->n_vectors + v];
      }
      for (int64_t v = begin[j]; v < begin[j + 1]; ++v) {
        table[v * n_pairs + pair] = m->weights.data[i * m->n_vectors + v];
      }
    }
  }
  const int64_t shape[] = {m->n_vectors, n_pairs};
  return tn_onnx_numbers_const(c, type, 2, shape, table);
}

/* A pair's score above 0 is a vote for its first class, else for its second; the first class with
 * the most votes is taken. */
static const tn_node *most_votes(tn_onnx_call *c, const machine *m, const tn_node *scores) {
  int64_t n_pairs = m->n_classes * (m->n_classes - 1) / 2;
  double *table = TN_ARENA_ARRAY(c->imp->arena, double, n_pairs * m->n_classes + 1);
  double *loses = TN_ARENA_ARRAY(c->imp->arena, double, m->n_classes + 1);
  int64_t pair = 0;
  for (int64_t i = 0; i < m->n_classes; ++i) {
    for (int64_t j = i + 1; j < m->n_classes; ++j, ++pair) {
      table[pair * m->n_classes + i] = 1;
      table[pair * m->n_classes + j] = -1;
      loses[j] += 1;
    }
  }
  const int64_t shape[] = {n_pairs, m->n_classes};
  const tn_node *wins = tn_onnx_cast(
      c, tn_onnx_op2(c, "greater", scores, tn_onnx_scalar_like(c, scores, 0)), TN_DT_F32);
  const tn_node *votes =
      tn_onnx_op2(c, "matmul", wins, tn_onnx_numbers_const(c, TN_DT_F32, 2, shape, table));
  votes = tn_onnx_op2(
      c, "add", votes,
      tn_onnx_numbers_vector(c, TN_DT_F32, (tn_onnx_f64s){loses, (size_t)m->n_classes}));
  return tn_onnx_best_class(c, votes);
}

/* What two classes' one score comes to: probabilities by the pair's sigmoid, or the score and its
 * counterpart. */
static const tn_node *two_scores(tn_onnx_call *c, const machine *m, const tn_node *s) {
  tn_onnx_post post = tn_onnx_post_attr(c);
  if (m->prob[0].len == 0) {
    return tn_onnx_two_from_one(c, s, post != TN_ONNX_POST_NONE);
  }
  const tn_node *x = tn_onnx_op2(c, "multiply", s, tn_onnx_scalar_like(c, s, -m->prob[0].data[0]));
  x = tn_onnx_op1(c, "sigmoid",
                  tn_onnx_op2(c, "subtract", x, tn_onnx_scalar_like(c, s, m->prob[1].data[0])));
  const tn_node *columns[] = {x, tn_onnx_op2(c, "subtract", tn_onnx_scalar_like(c, s, 1), x)};
  return tn_onnx_post_apply(c, tn_onnx_concat(c, 1, 2, columns), post);
}

/* Without support vectors: a row of coefficients for each class. */
static void linear_machine(tn_onnx_call *c, const tn_node *x, const tn_onnx_labels *labels) {
  const int64_t swap[] = {1, 0};
  tn_onnx_f64s weights = tn_onnx_attr_numbers(c, "coefficients");
  tn_onnx_f64s rho = tn_onnx_attr_numbers(c, "rho");
  if (c->st != NULL || weights.len == 0 || weights.len % labels->n != 0 || rho.len < 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu coefficients and %zu rho for %zu classes", weights.len,
                 rho.len, labels->n);
    return;
  }
  const int64_t shape[] = {(int64_t)labels->n, (int64_t)(weights.len / labels->n)};
  const tn_node *w = tn_onnx_numbers_const(c, tn_onnx_type_of(c, x), 2, shape, weights.data);
  const tn_node *y = tn_onnx_op2(c, "matmul", x, tn_onnx_permute(c, w, swap));
  y = tn_onnx_op2(c, "add", y, tn_onnx_scalar_like(c, y, rho.data[0]));
  tn_onnx_give_label(c, labels, tn_onnx_best_class(c, y));
  y = tn_onnx_post_apply(c, y, tn_onnx_post_attr(c));
  tn_onnx_give(c, 1, tn_onnx_cast(c, y, TN_DT_F32));
}

void tn_onnx_rule_svm_classifier(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  tn_onnx_labels labels = tn_onnx_labels_attr(c, "classlabels_ints", "classlabels_strings");
  if (tn_onnx_attr_ints(c, "vectors_per_class").len == 0 && c->st == NULL) {
    linear_machine(c, x, &labels);
    return;
  }
  machine m = read_machine(c, &labels);
  kernel k = read_kernel(c);
  if (c->st != NULL) {
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *values = kernel_values(c, &k, x, support_vectors(c, x, m.n_vectors));
  const tn_node *scores = tn_onnx_op2(c, "matmul", values, pair_weights(c, &m, type));
  scores = tn_onnx_op2(c, "add", scores, tn_onnx_numbers_vector(c, type, m.rho));
  if (c->st != NULL) {
    return;
  }
  tn_onnx_give_label(c, &labels, most_votes(c, &m, scores));
  const tn_node *y = m.n_classes == 2 ? two_scores(c, &m, scores)
                                      : tn_onnx_post_apply(c, scores, tn_onnx_post_attr(c));
  tn_onnx_give(c, 1, tn_onnx_cast(c, y, TN_DT_F32));
}
