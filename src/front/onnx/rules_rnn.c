/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* RNN, GRU and LSTM: the products with the inputs are one matmul for all steps, the steps one
 * operator of the graph level (nn.rnn, nn.gru, nn.lstm), whose loop form goes through them. So any
 * number of steps will do, also one that is known only at run time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "front/onnx/rules.h"

enum { X, W, R, BIAS, LENGTHS, FIRST_H, FIRST_C, PEEPHOLES };

typedef struct layer {
  const char *op;
  int64_t n_gates;
  size_t n_functions; /* of a direction */
  tn_dtype type;
  int64_t hidden;
  bool is_batch_first;
  const tn_node *steps; /* extents */
  const tn_node *batch;
  const tn_node *x; /* [T, B, I] */
  const tn_node *lengths;
  const char *functions[2]; /* by direction; NULL: the usual ones */
} layer;

/* Number `at` of the first dimension. */
static const tn_node *row(tn_onnx_call *c, const tn_node *x, int64_t at) {
  const tn_node *part = tn_onnx_part(c, x, 0, at, at + 1);
  const tn_node *d = part == NULL ? NULL : tn_onnx_dims(c, part);
  return d == NULL || d->n_in == 0
             ? NULL
             : tn_onnx_reshape(c, part, tn_list(c->ir, d->n_in - 1, d->in + 1));
}

static const tn_node *swapped(tn_onnx_call *c, const tn_node *x) {
  const int64_t axes[] = {1, 0};
  return tn_onnx_permute(c, x, axes);
}

static const tn_node *filled(tn_onnx_call *c, const layer *s, uint32_t n,
                             const tn_node *const *dims) {
  return tn_onnx_broadcast(c, tn_onnx_scalar(c, s->type, 0), tn_list(c->ir, n, dims));
}

/* ---- activations ---- */

typedef struct function_row {
  const char *onnx;
  const char *name;
  bool has_alpha;
  bool has_beta;
  float alpha;
  float beta;
} function_row;

static const function_row *function_find(tn_onnx_call *c, tn_onnx_bytes name) {
  static const function_row rows[] = {
      {"Sigmoid", "sigmoid", false, false, 0, 0},
      {"Tanh", "tanh", false, false, 0, 0},
      {"Relu", "relu", false, false, 0, 0},
      {"Affine", "affine", true, true, 1, 0},
      {"LeakyRelu", "leaky_relu", true, false, 0.01F, 0},
      {"ThresholdedRelu", "thresholded_relu", true, false, 1, 0},
      {"ScaledTanh", "scaled_tanh", true, true, 1, 1},
      {"HardSigmoid", "hard_sigmoid", true, true, 0.2F, 0.5F},
      {"Elu", "elu", true, false, 1, 0},
      {"Softsign", "softsign", false, false, 0, 0},
      {"Softplus", "softplus", false, false, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (tn_onnx_is(name, rows[i].onnx)) {
      return &rows[i];
    }
  }
  TN_ONNX_FAIL(c, TN_INVALID, "the activation '%s'", name.len > 0 ? name.data : "");
  return NULL;
}

/* The next number of a list, for a function that takes one. */
static double next_number(const tn_onnx_attr *attr, size_t *at, double otherwise) {
  return attr != NULL && *at < attr->floats.len ? (double)attr->floats.data[(*at)++] : otherwise;
}

/* "hard_sigmoid:0.2:0.5,tanh,tanh" for each direction; numbers are used up in the order of the
 * functions that take them. */
static void read_functions(tn_onnx_call *c, layer *s, int64_t n_directions) {
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, "activations");
  const tn_onnx_attr *alphas = tn_onnx_attr_find(c, "activation_alpha");
  const tn_onnx_attr *betas = tn_onnx_attr_find(c, "activation_beta");
  size_t alpha_at = 0;
  size_t beta_at = 0;
  if (attr == NULL || attr->strings.len == 0) {
    return;
  }
  if (attr->strings.len != s->n_functions * (size_t)n_directions) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu activations, expected %zu", attr->strings.len,
                 s->n_functions * (size_t)n_directions);
  }
  for (int64_t d = 0; d < n_directions && c->st == NULL; ++d) {
    tn_buf text = TN_BUF_INIT;
    for (size_t i = 0; i < s->n_functions && c->st == NULL; ++i) {
      const function_row *row_of =
          function_find(c, attr->strings.data[(size_t)d * s->n_functions + i]);
      if (row_of == NULL) {
        break;
      }
      tn_buf_printf(&text, "%s%s", i > 0 ? "," : "", row_of->name);
      if (row_of->has_alpha) {
        tn_buf_printf(&text, ":%.9g", next_number(alphas, &alpha_at, (double)row_of->alpha));
      }
      if (row_of->has_beta) {
        tn_buf_printf(&text, ":%.9g", next_number(betas, &beta_at, (double)row_of->beta));
      }
    }
    s->functions[d] = tn_arena_strndup(c->imp->arena, tn_buf_text(&text), text.len);
    tn_buf_deinit(&text);
  }
}

/* ---- one direction ---- */

static layer read_layer(tn_onnx_call *c, const char *op, int64_t n_gates) {
  layer s = {.op = op, .n_gates = n_gates, .x = tn_onnx_in(c, X)};
  const int64_t time_first[] = {1, 0, 2};
  s.n_functions = n_gates == 4 ? 3 : n_gates == 1 ? 1 : 2;
  s.is_batch_first = tn_onnx_attr_int(c, "layout", 0) != 0;
  if (tn_onnx_ndim(c, s.x) != 3 || c->st != NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected data of 3 dimensions");
    return s;
  }
  s.x = s.is_batch_first ? tn_onnx_permute(c, s.x, time_first) : s.x;
  const tn_node *d = tn_onnx_dims(c, s.x);
  const tn_node *r = tn_onnx_dims(c, tn_onnx_in(c, R));
  const tn_node *w = tn_onnx_dims(c, tn_onnx_in(c, W));
  if (d == NULL || r == NULL || w == NULL || r->n_in != 3 || w->n_in != 3 ||
      r->in[2]->op != TN_OP_INT || r->in[2]->attr.i64 > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected weights of 3 dimensions and known extents");
    return s;
  }
  s.type = tn_onnx_type_of(c, s.x);
  s.hidden = r->in[2]->attr.i64;
  s.steps = d->in[0];
  s.batch = d->in[1];
  s.lengths = tn_onnx_maybe(c, LENGTHS);
  if (s.lengths == NULL) {
    const tn_node *all = tn_onnx_from_known(c, tn_list(c->ir, 1, &s.steps), true);
    s.lengths = tn_onnx_broadcast(c, all, tn_list(c->ir, 1, &s.batch));
  }
  return s;
}

static const tn_node *first_state(tn_onnx_call *c, const layer *s, uint32_t input, int64_t at) {
  const tn_node *given = tn_onnx_maybe(c, input);
  const int64_t direction_first[] = {1, 0, 2};
  const tn_node *dims[] = {s->batch, tn_onnx_i64(c, s->hidden)};
  if (given == NULL) {
    return filled(c, s, 2, dims);
  }
  return row(c, s->is_batch_first ? tn_onnx_permute(c, given, direction_first) : given, at);
}

/* Y [T, B, H], the last h and, of LSTM, the last c, as a tuple. */
static const tn_node *run_direction(tn_onnx_call *c, const layer *s, int64_t at, bool is_reverse) {
  int64_t width = s->n_gates * s->hidden;
  bool is_gru = s->n_gates == 3;
  const tn_node *args[6] = {NULL};
  const tn_node *three = tn_onnx_i64(c, 3 * s->hidden);
  uint32_t n = 0;
  const tn_node *gates = tn_onnx_op2(c, "matmul", s->x, swapped(c, row(c, tn_onnx_in(c, W), at)));
  const tn_node *r_bias = is_gru ? filled(c, s, 1, &three) : NULL;
  if (tn_onnx_maybe(c, BIAS) != NULL) {
    const tn_node *both = row(c, tn_onnx_maybe(c, BIAS), at);
    r_bias = tn_onnx_part(c, both, 0, width, 2 * width);
    gates = tn_onnx_op2(c, "add", gates, tn_onnx_part(c, both, 0, 0, width));
    gates = is_gru ? gates : tn_onnx_op2(c, "add", gates, r_bias);
  }
  args[n++] = gates;
  args[n++] = swapped(c, row(c, tn_onnx_in(c, R), at));
  args[n++] = first_state(c, s, FIRST_H, at);
  if (is_gru) {
    args[n++] = r_bias;
  } else if (s->n_gates == 4) {
    args[n++] = first_state(c, s, FIRST_C, at);
    args[n++] = tn_onnx_maybe(c, PEEPHOLES) != NULL ? row(c, tn_onnx_maybe(c, PEEPHOLES), at)
                                                    : filled(c, s, 1, &three);
  }
  args[n++] = s->lengths;
  tn_onnx_build b = tn_onnx_begin(c, s->op);
  tn_onnx_set_bool(&b, "reverse", is_reverse);
  tn_onnx_set_float(&b, "clip", tn_onnx_attr_float(c, "clip", 0));
  if (s->functions[at] != NULL) {
    tn_onnx_set_text(&b, "activations", s->functions[at]);
  }
  if (is_gru) {
    tn_onnx_set_bool(&b, "linear_before_reset", tn_onnx_attr_int(c, "linear_before_reset", 0) != 0);
  } else if (s->n_gates == 4) {
    tn_onnx_set_bool(&b, "input_forget", tn_onnx_attr_int(c, "input_forget", 0) != 0);
  }
  return tn_onnx_end(&b, n, args);
}

/* ---- all ---- */

static const tn_node *expanded(tn_onnx_call *c, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  tn_onnx_set_ints(&b, "axis", 1, &axis);
  return tn_onnx_end1(&b, x);
}

/* Output k of both directions: Y [T, D, B, H], the others [D, B, H]; or with the batch first. */
static const tn_node *joined(tn_onnx_call *c, const layer *s, int64_t k, int64_t n_directions,
                             const tn_node *const *tuples) {
  const int64_t y_axes[] = {2, 0, 1, 3};
  const int64_t state_axes[] = {1, 0, 2};
  const tn_node *parts[2];
  int64_t axis = k == 0 ? 1 : 0;
  for (int64_t d = 0; d < n_directions; ++d) {
    parts[d] = expanded(c, tn_onnx_item(c, tuples[d], k), axis);
  }
  const tn_node *all =
      n_directions == 1 ? parts[0] : tn_onnx_concat(c, axis, (uint32_t)n_directions, parts);
  return s->is_batch_first ? tn_onnx_permute(c, all, k == 0 ? y_axes : state_axes) : all;
}

static void recurrent(tn_onnx_call *c, const char *op, int64_t n_gates) {
  const char *direction = tn_onnx_attr_text(c, "direction", "forward");
  bool is_both = strcmp(direction, "bidirectional") == 0;
  bool is_reverse = strcmp(direction, "reverse") == 0;
  int64_t n_directions = is_both ? 2 : 1;
  const tn_node *tuples[2] = {NULL, NULL};
  if (!is_both && !is_reverse && strcmp(direction, "forward") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "direction '%s'", direction);
  }
  layer s = read_layer(c, op, n_gates);
  read_functions(c, &s, n_directions);
  for (int64_t d = 0; d < n_directions && c->st == NULL; ++d) {
    tuples[d] = run_direction(c, &s, d, is_reverse || d == 1);
  }
  for (uint32_t k = 0; k < (n_gates == 4 ? 3U : 2U) && c->st == NULL; ++k) {
    if (tn_onnx_wants(c, k)) {
      tn_onnx_give(c, k, joined(c, &s, k, n_directions, tuples));
    }
  }
}

void tn_onnx_rule_rnn(tn_onnx_call *c) { recurrent(c, "nn.rnn", 1); }
void tn_onnx_rule_gru(tn_onnx_call *c) { recurrent(c, "nn.gru", 3); }
void tn_onnx_rule_lstm(tn_onnx_call *c) { recurrent(c, "nn.lstm", 4); }
