/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Linear models (ai.onnx.ml), and what all models of that domain share: rows, scores and what is done
 * to them, class labels. Where the specification leaves open what a
 * single column of scores means, ONNX Runtime's answer is taken. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/ml.h"
#include "front/onnx/rules.h"

/* ---- attributes, constants ---- */

tn_onnx_f64s tn_onnx_attr_numbers(tn_onnx_call *c, const char *name) {
  char tensor_name[64];
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, name);
  tn_onnx_f64s out = {0};
  if (attr != NULL && attr->t == NULL) {
    out.len = attr->floats.len;
    out.data = TN_ARENA_ARRAY(c->imp->arena, double, out.len + 1);
    for (size_t i = 0; i < out.len; ++i) {
      out.data[i] = (double)attr->floats.data[i];
    }
    return out;
  }
  (void)snprintf(tensor_name, sizeof tensor_name, "%s_as_tensor", name);
  attr = attr != NULL ? attr : tn_onnx_attr_find(c, tensor_name);
  tn_array array = {0};
  if (attr == NULL || attr->t == NULL || c->st != NULL) {
    return out;
  }
  tn_onnx_fail(c, tn_onnx_tensor_to_array(attr->t, c->imp->folder, &array));
  if (c->st != NULL) {
    return out;
  }
  out.len = (size_t)tn_array_n_elems(&array);
  out.data = TN_ARENA_ARRAY(c->imp->arena, double, out.len + 1);
  for (size_t i = 0; i < out.len; ++i) {
    out.data[i] = tn_array_get_f64(&array, (int64_t)i);
  }
  tn_array_deinit(&array);
  return out;
}

const tn_node *tn_onnx_numbers_const(tn_onnx_call *c, tn_dtype dtype, int32_t ndim,
                                     const int64_t *dims, const double *values) {
  tn_array array = {0};
  if (c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&array, dtype, ndim, dims));
  int64_t n = c->st != NULL ? 0 : tn_array_n_elems(&array);
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_f64(&array, i, values[i]);
  }
  return tn_onnx_const(c, &array);
}

const tn_node *tn_onnx_ml_rows(tn_onnx_call *c, const tn_node *x) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || dims->n_in < 1 || dims->n_in > 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected rows of features: one dimension or two");
    return NULL;
  }
  if (dims->n_in == 1) {
    const tn_node *row[] = {tn_int(c->ir, TN_DT_I64, 1), dims->in[0]};
    x = tn_onnx_reshape(c, x, tn_list(c->ir, 2, row));
  }
  bool is_float = tn_dtype_is_float(type);
  return tn_onnx_cast(c, x, is_float && type != TN_DT_F64 ? TN_DT_F32 : TN_DT_F64);
}

/* ---- scores ---- */

tn_onnx_post tn_onnx_post_attr(tn_onnx_call *c) {
  static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  const char *text = tn_onnx_attr_text(c, "post_transform", "NONE");
  for (int i = 0; i <= TN_ONNX_POST_PROBIT; ++i) {
    if (strcmp(text, names[i]) == 0) {
      return (tn_onnx_post)i;
    }
  }
  TN_ONNX_FAIL(c, TN_INVALID, "post_transform '%s'", text);
  return TN_ONNX_POST_NONE;
}

/* exp(x - max) / sum, in which zeros count for nothing and stay. */
static const tn_node *softmax_zero(tn_onnx_call *c, const tn_node *x) {
  const int64_t last = 1;
  const tn_node *counts =
      tn_onnx_op2(c, "greater", tn_onnx_op1(c, "abs", x), tn_onnx_scalar_like(c, x, 1e-7));
  const tn_node *rest = tn_onnx_op2(c, "subtract", x, tn_onnx_reduce(c, "max", x, 1, &last, true));
  const tn_node *e =
      tn_onnx_op3(c, "where", counts, tn_onnx_op1(c, "exp", rest), tn_onnx_scalar_like(c, x, 0));
  const tn_node *sum = tn_onnx_reduce(c, "sum", e, 1, &last, true);
  const tn_node *is_empty = tn_onnx_op2(c, "equal", sum, tn_onnx_scalar_like(c, x, 0));
  sum = tn_onnx_op3(c, "where", is_empty, tn_onnx_scalar_like(c, x, 1), sum);
  return tn_onnx_op2(c, "divide", e, sum);
}

/* sqrt(2) erfinv(2 x - 1), the inverse by Winitzki's formula with a = 0.147: within 2e-3, which is
 * what ONNX Runtime computes. */
static const tn_node *probit(tn_onnx_call *c, const tn_node *x) {
  const double a = 0.147;
  const tn_node *one = tn_onnx_scalar_like(c, x, 1);
  const tn_node *z =
      tn_onnx_op2(c, "subtract", tn_onnx_op2(c, "multiply", x, tn_onnx_scalar_like(c, x, 2)), one);
  const tn_node *log = tn_onnx_op1(c, "log",
                                   tn_onnx_op2(c, "multiply", tn_onnx_op2(c, "subtract", one, z),
                                               tn_onnx_op2(c, "add", one, z)));
  const tn_node *v = tn_onnx_op2(c, "multiply", log, tn_onnx_scalar_like(c, x, 0.5));
  v = tn_onnx_op2(c, "add", v, tn_onnx_scalar_like(c, x, 2 / (3.14159 * a)));
  const tn_node *w = tn_onnx_op2(c, "multiply", log, tn_onnx_scalar_like(c, x, 1 / a));
  const tn_node *root =
      tn_onnx_op1(c, "sqrt", tn_onnx_op2(c, "subtract", tn_onnx_op2(c, "multiply", v, v), w));
  root = tn_onnx_op1(c, "sqrt", tn_onnx_op2(c, "subtract", root, v));
  root = tn_onnx_op2(c, "multiply", root, tn_onnx_scalar_like(c, x, sqrt(2)));
  const tn_node *is_below = tn_onnx_op2(c, "less", z, tn_onnx_scalar_like(c, x, 0));
  return tn_onnx_op3(c, "where", is_below, tn_onnx_op1(c, "negative", root), root);
}

const tn_node *tn_onnx_post_apply(tn_onnx_call *c, const tn_node *scores, tn_onnx_post post) {
  const tn_node *dims = tn_onnx_dims(c, scores);
  if (dims == NULL) {
    return NULL;
  }
  if (dims->n_in == 2 && tn_is_int(dims->in[1], 1) && post != TN_ONNX_POST_PROBIT) {
    return scores; /* one column alone is left as it is, by the sigmoid too */
  }
  tn_onnx_build b;
  switch (post) {
    case TN_ONNX_POST_SOFTMAX:
      b = tn_onnx_begin(c, "nn.softmax");
      tn_onnx_set_int(&b, "axis", -1);
      return tn_onnx_end1(&b, scores);
    case TN_ONNX_POST_LOGISTIC:
      return tn_onnx_op1(c, "sigmoid", scores);
    case TN_ONNX_POST_SOFTMAX_ZERO:
      return softmax_zero(c, scores);
    case TN_ONNX_POST_PROBIT:
      return probit(c, scores);
    case TN_ONNX_POST_NONE:
      break;
  }
  return scores;
}

/* ---- classes ---- */

tn_onnx_labels tn_onnx_labels_attr(tn_onnx_call *c, const char *numbers, const char *texts) {
  tn_onnx_labels labels = {.numbers = tn_onnx_attr_ints(c, numbers)};
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, texts);
  labels.are_texts = labels.numbers.len == 0 && attr != NULL && attr->strings.len > 0;
  labels.n = labels.are_texts ? attr->strings.len : labels.numbers.len;
  if (labels.n == 0 || labels.n > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "no %s and no %s", numbers, texts);
  }
  return labels;
}

/* True where a node or the graph's end reads the value that the call's output i is. */
static bool is_read(const tn_onnx_call *c, uint32_t i) {
  const tn_onnx_graph *graph = c->imp->model->graph;
  const char *name = c->node->outputs.data[i].data;
  bool found = c->scope->func != NULL || c->scope->outer != NULL; /* there it is not looked for */
  for (size_t j = 0; !found && j < graph->outputs.len; ++j) {
    found = tn_onnx_is(graph->outputs.data[j]->name, name);
  }
  for (size_t j = 0; !found && j < graph->nodes.len; ++j) {
    for (size_t k = 0; !found && k < graph->nodes.data[j]->inputs.len; ++k) {
      found = tn_onnx_is(graph->nodes.data[j]->inputs.data[k], name);
    }
  }
  return found;
}

void tn_onnx_give_label(tn_onnx_call *c, const tn_onnx_labels *labels, const tn_node *index) {
  if (!tn_onnx_wants(c, 0) || c->st != NULL) {
    return;
  }
  if (!labels->are_texts) {
    tn_onnx_build b = tn_onnx_begin(c, "take");
    tn_onnx_set_int(&b, "axis", 0);
    tn_onnx_give(c, 0, tn_onnx_end2(&b, tn_onnx_vector(c, labels->numbers), index));
  } else if (is_read(c, 0)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "output 0 ('%s'): class labels that are texts; the scores alone are there",
                 c->node->outputs.data[0].data);
  } else {
    tn_onnx_give(c, 0, index); /* nobody looks at it */
  }
}

const tn_node *tn_onnx_best_class(tn_onnx_call *c, const tn_node *scores) {
  tn_onnx_build b = tn_onnx_begin(c, "argmax");
  tn_onnx_set_int(&b, "axis", -1);
  return tn_onnx_end1(&b, scores);
}

void tn_onnx_give_second_above(tn_onnx_call *c, const tn_node *s, double limit,
                               const tn_onnx_labels *labels) {
  const int64_t last = 1;
  tn_onnx_build b = tn_onnx_begin(c, "squeeze");
  tn_onnx_set_ints(&b, "axis", 1, &last);
  const tn_node *is_second =
      tn_onnx_end1(&b, tn_onnx_op2(c, "greater", s, tn_onnx_scalar_like(c, s, limit)));
  tn_onnx_give_label(c, labels, tn_onnx_cast(c, is_second, TN_DT_I64));
}

const tn_node *tn_onnx_two_from_one(tn_onnx_call *c, const tn_node *s, bool is_probability) {
  tn_onnx_post post = tn_onnx_post_attr(c);
  bool is_softmax = post == TN_ONNX_POST_SOFTMAX || post == TN_ONNX_POST_SOFTMAX_ZERO;
  const tn_node *other = tn_onnx_op1(c, "negative", s);
  if (is_probability && post != TN_ONNX_POST_LOGISTIC) {
    other = tn_onnx_op2(c, "add", other, tn_onnx_scalar_like(c, s, 1));
  }
  const tn_node *columns[] = {other, s};
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *both = tn_onnx_end1(&b, tn_onnx_tuple(c, 2, columns));
  return is_softmax ? both : tn_onnx_post_apply(c, both, post);
}

/* ---- linear models ---- */

/* x W^T + intercepts; W: n rows of as many numbers as there are. */
static const tn_node *linear_scores(tn_onnx_call *c, const tn_node *x, int64_t n) {
  const int64_t swap[] = {1, 0};
  tn_onnx_f64s weights = tn_onnx_attr_numbers(c, "coefficients");
  tn_onnx_f64s add = tn_onnx_attr_numbers(c, "intercepts");
  if (c->st != NULL || n < 1 || weights.len % (size_t)n != 0 || weights.len == 0 ||
      (add.len != 0 && add.len != (size_t)n)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu coefficients and %zu intercepts for %" PRId64 " scores",
                 weights.len, add.len, n);
    return NULL;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  const int64_t shape[] = {n, (int64_t)weights.len / n};
  const tn_node *w = tn_onnx_numbers_const(c, type, 2, shape, weights.data);
  const tn_node *y = tn_onnx_op2(c, "matmul", x, tn_onnx_permute(c, w, swap));
  return add.len == 0 ? y : tn_onnx_op2(c, "add", y, tn_onnx_numbers_vector(c, type, add));
}

void tn_onnx_rule_linear_regressor(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  const tn_node *y = linear_scores(c, x, tn_onnx_attr_int(c, "targets", 1));
  y = tn_onnx_post_apply(c, y, tn_onnx_post_attr(c));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, TN_DT_F32));
}

void tn_onnx_rule_linear_classifier(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  tn_onnx_labels labels = tn_onnx_labels_attr(c, "classlabels_ints", "classlabels_strings");
  tn_onnx_f64s add = tn_onnx_attr_numbers(c, "intercepts");
  int64_t n = add.len > 0 ? (int64_t)add.len : (int64_t)labels.n;
  const tn_node *y = linear_scores(c, x, n);
  if (n == 1 && labels.n == 2) {
    tn_onnx_give_second_above(c, y, 0, &labels);
    y = tn_onnx_two_from_one(c, y, true);
  } else if (n == (int64_t)labels.n) {
    tn_onnx_give_label(c, &labels, tn_onnx_best_class(c, y));
    y = tn_onnx_post_apply(c, y, tn_onnx_post_attr(c));
  } else {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " scores of %zu classes", n, labels.n);
  }
  tn_onnx_give(c, 1, tn_onnx_cast(c, y, TN_DT_F32));
}
