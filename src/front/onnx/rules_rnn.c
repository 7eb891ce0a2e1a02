/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* RNN, GRU and LSTM, step by step: the graph level has no loops, so each step is written out, and
 * the number of steps must be known. Products with the inputs are one matmul for all steps. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

enum { MAX_STEPS = 512, MAX_GATES = 4 };
enum { X, W, R, BIAS, LENGTHS, FIRST_H, FIRST_C, PEEPHOLES };

typedef struct cell {
  int32_t n_gates;
  bool is_lstm;
  tn_dtype type;
  int64_t hidden;
  int64_t n_steps;
  const tn_node *batch;
  const tn_node *x;         /* [T, B, I] */
  const tn_node *lengths;   /* [B, 1], or NULL */
  const char *functions[3]; /* of this direction */
  /* of this direction: */
  const tn_node *inputs;   /* [T, B, G * H]: x W^T + bias */
  const tn_node *r;        /* [H, G * H] */
  const tn_node *r_bias;   /* [G * H], or NULL */
  const tn_node *peephole; /* [3 * H], or NULL */
  const tn_node *h;
  const tn_node *c;
} cell;

static const tn_node *i64(tn_onnx_call *c, int64_t value) {
  return tn_int(c->ir, TN_DT_I64, value);
}

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

static const tn_node *add(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return b == NULL ? a : tn_onnx_op2(c, "add", a, b);
}

static const tn_node *mul(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return tn_onnx_op2(c, "multiply", a, b);
}

/* ---- attributes ---- */

static const char *function_of(tn_onnx_call *c, size_t at, const char *otherwise) {
  static const char *const names[][2] = {
      {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"}, {"Relu", "nn.relu"}};
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, "activations");
  if (attr == NULL || attr->strings.len == 0) {
    return otherwise;
  }
  for (size_t i = 0; at < attr->strings.len && i < 3; ++i) {
    if (tn_onnx_is(attr->strings.data[at], names[i][0])) {
      return names[i][1];
    }
  }
  TN_ONNX_FAIL(c, TN_UNSUPPORTED, "activation %zu: Sigmoid, Tanh and Relu are there", at);
  return otherwise;
}

static void read_functions(tn_onnx_call *c, cell *s, int64_t direction) {
  size_t n = s->is_lstm ? 3 : s->n_gates == 1 ? 1 : 2;
  for (size_t i = 0; i < n; ++i) {
    const char *usual = i == 0 && n > 1 ? "sigmoid" : "tanh";
    s->functions[i] = function_of(c, (size_t)direction * n + i, usual);
  }
}

static cell read_cell(tn_onnx_call *c, int32_t n_gates) {
  cell s = {.n_gates = n_gates, .is_lstm = n_gates == 4, .x = tn_onnx_in(c, X)};
  const int64_t time_first[] = {1, 0, 2};
  if (tn_onnx_attr_find(c, "clip") != NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "clip");
  }
  s.x = tn_onnx_attr_int(c, "layout", 0) != 0 ? tn_onnx_permute(c, s.x, time_first) : s.x;
  const tn_node *d = tn_onnx_dims(c, s.x);
  const tn_node *r = tn_onnx_dims(c, tn_onnx_in(c, R));
  if (d == NULL || r == NULL || d->n_in != 3 || r->n_in != 3 || r->in[2]->op != TN_OP_INT) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected data and weights of 3 dimensions");
    return s;
  }
  s.type = tn_onnx_type_of(c, s.x);
  s.hidden = r->in[2]->attr.i64;
  s.batch = d->in[1];
  s.n_steps = d->in[0]->op == TN_OP_INT ? d->in[0]->attr.i64 : -1;
  if (s.n_steps < 0 || s.n_steps > MAX_STEPS || s.hidden > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "the number of steps must be known, and %d at most; --shape "
                 "fixes it",
                 (int)MAX_STEPS);
  }
  if (tn_onnx_maybe(c, LENGTHS) != NULL) {
    const tn_node *column[] = {s.batch, i64(c, 1)};
    s.lengths = tn_onnx_reshape(c, tn_onnx_maybe(c, LENGTHS), tn_list(c->ir, 2, column));
  }
  return s;
}

static const tn_node *first_state(tn_onnx_call *c, const cell *s, uint32_t input, int64_t at) {
  const tn_node *given = tn_onnx_maybe(c, input);
  const int64_t direction_first[] = {1, 0, 2};
  const tn_node *dims[] = {s->batch, i64(c, s->hidden)};
  if (given == NULL) {
    return tn_onnx_op2(c, "broadcast_to", tn_onnx_scalar(c, s->type, 0),
                       tn_onnx_shape_value(c, tn_list(c->ir, 2, dims)));
  }
  bool is_batch_first = tn_onnx_attr_int(c, "layout", 0) != 0;
  return row(c, is_batch_first ? tn_onnx_permute(c, given, direction_first) : given, at);
}

static void begin_direction(tn_onnx_call *c, cell *s, int64_t at) {
  const tn_node *w = swapped(c, row(c, tn_onnx_in(c, W), at));
  int64_t width = s->n_gates * s->hidden;
  read_functions(c, s, at);
  s->r = swapped(c, row(c, tn_onnx_in(c, R), at));
  s->inputs = tn_onnx_op2(c, "matmul", s->x, w);
  s->r_bias = NULL;
  if (tn_onnx_maybe(c, BIAS) != NULL) {
    const tn_node *both = row(c, tn_onnx_maybe(c, BIAS), at);
    s->inputs = add(c, s->inputs, tn_onnx_part(c, both, 0, 0, width));
    s->r_bias = tn_onnx_part(c, both, 0, width, 2 * width);
  }
  s->peephole = s->is_lstm && tn_onnx_maybe(c, PEEPHOLES) != NULL
                    ? row(c, tn_onnx_maybe(c, PEEPHOLES), at)
                    : NULL;
  s->h = first_state(c, s, FIRST_H, at);
  s->c = s->is_lstm ? first_state(c, s, FIRST_C, at) : NULL;
}

/* ---- one step ---- */

static const tn_node *gate(tn_onnx_call *c, const cell *s, const tn_node *all, int64_t at) {
  return tn_onnx_part(c, all, 1, at * s->hidden, (at + 1) * s->hidden);
}

/* x plus the state through peephole number `at`. */
static const tn_node *peep(tn_onnx_call *c, const cell *s, const tn_node *x, int64_t at,
                           const tn_node *state) {
  return s->peephole == NULL
             ? x
             : add(c, x,
                   mul(c, state,
                       tn_onnx_part(c, s->peephole, 0, at * s->hidden, (at + 1) * s->hidden)));
}

static const tn_node *one_minus(tn_onnx_call *c, const cell *s, const tn_node *x) {
  return tn_onnx_op2(c, "subtract", tn_onnx_scalar(c, s->type, 1), x);
}

/* Gates i, o, f, c. */
static const tn_node *lstm_step(tn_onnx_call *c, const cell *s, const tn_node *x,
                                const tn_node **out_c) {
  const tn_node *all = add(c, add(c, x, tn_onnx_op2(c, "matmul", s->h, s->r)), s->r_bias);
  const tn_node *in = tn_onnx_op1(c, s->functions[0], peep(c, s, gate(c, s, all, 0), 0, s->c));
  const tn_node *keep =
      tn_onnx_attr_int(c, "input_forget", 0) != 0
          ? one_minus(c, s, in)
          : tn_onnx_op1(c, s->functions[0], peep(c, s, gate(c, s, all, 2), 2, s->c));
  const tn_node *fresh = tn_onnx_op1(c, s->functions[1], gate(c, s, all, 3));
  *out_c = add(c, mul(c, keep, s->c), mul(c, in, fresh));
  const tn_node *out = tn_onnx_op1(c, s->functions[0], peep(c, s, gate(c, s, all, 1), 1, *out_c));
  return mul(c, out, tn_onnx_op1(c, s->functions[2], *out_c));
}

/* Gates z, r, h. */
static const tn_node *gru_step(tn_onnx_call *c, const cell *s, const tn_node *x) {
  bool is_late = tn_onnx_attr_int(c, "linear_before_reset", 0) != 0;
  int64_t n = s->hidden;
  const tn_node *bias = s->r_bias;
  const tn_node *bias_h = bias == NULL ? NULL : tn_onnx_part(c, bias, 0, 2 * n, 3 * n);
  const tn_node *all = add(c, add(c, x, tn_onnx_op2(c, "matmul", s->h, s->r)), bias);
  const tn_node *z = tn_onnx_op1(c, s->functions[0], gate(c, s, all, 0));
  const tn_node *r = tn_onnx_op1(c, s->functions[0], gate(c, s, all, 1));
  const tn_node *r_h = tn_onnx_part(c, s->r, 1, 2 * n, 3 * n);
  const tn_node *from_h = is_late ? mul(c, r, add(c, tn_onnx_op2(c, "matmul", s->h, r_h), bias_h))
                                  : add(c, tn_onnx_op2(c, "matmul", mul(c, r, s->h), r_h), bias_h);
  const tn_node *fresh = tn_onnx_op1(c, s->functions[1], add(c, gate(c, s, x, 2), from_h));
  return add(c, mul(c, one_minus(c, s, z), fresh), mul(c, z, s->h));
}

static const tn_node *rnn_step(tn_onnx_call *c, const cell *s, const tn_node *x) {
  return tn_onnx_op1(c, s->functions[0],
                     add(c, add(c, x, tn_onnx_op2(c, "matmul", s->h, s->r)), s->r_bias));
}

/* Past the end of a sequence the state stays, and the result is 0. */
static const tn_node *step(tn_onnx_call *c, cell *s, int64_t t) {
  const tn_node *x = row(c, s->inputs, t);
  const tn_node *state = s->c;
  const tn_node *h = s->is_lstm        ? lstm_step(c, s, x, &state)
                     : s->n_gates == 3 ? gru_step(c, s, x)
                                       : rnn_step(c, s, x);
  const tn_node *y = h;
  if (s->lengths != NULL) {
    const tn_node *at = tn_onnx_scalar(c, tn_onnx_type_of(c, s->lengths), (double)t);
    const tn_node *is_in = tn_onnx_op2(c, "greater", s->lengths, at);
    y = tn_onnx_op3(c, "where", is_in, h, tn_onnx_scalar(c, s->type, 0));
    h = tn_onnx_op3(c, "where", is_in, h, s->h);
    state = s->is_lstm ? tn_onnx_op3(c, "where", is_in, state, s->c) : NULL;
  }
  s->h = h;
  s->c = state;
  return y;
}

/* ---- all steps ---- */

static const tn_node *stacked(tn_onnx_call *c, uint32_t n, const tn_node *const *items,
                              int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&b, "axis", axis);
  return c->st != NULL ? NULL : tn_onnx_end1(&b, tn_onnx_tuple(c, n, items));
}

static void recurrent(tn_onnx_call *c, int32_t n_gates) {
  cell s = read_cell(c, n_gates);
  const char *direction = tn_onnx_attr_text(c, "direction", "forward");
  bool is_both = strcmp(direction, "bidirectional") == 0;
  bool is_batch_first = tn_onnx_attr_int(c, "layout", 0) != 0;
  const tn_node *ys[2] = {NULL, NULL};
  const tn_node *hs[2] = {NULL, NULL};
  const tn_node *cs[2] = {NULL, NULL};
  uint32_t n = is_both ? 2 : 1;
  if (!is_both && strcmp(direction, "forward") != 0 && strcmp(direction, "reverse") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "direction '%s'", direction);
  }
  if (c->st == NULL && s.n_steps == 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a sequence of no steps");
  }
  if (c->st != NULL) {
    return;
  }
  const tn_node **steps = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, s.n_steps + 1);
  for (uint32_t at = 0; at < n && c->st == NULL; ++at) {
    bool is_back = at == 1 || strcmp(direction, "reverse") == 0;
    begin_direction(c, &s, at);
    for (int64_t i = 0; i < s.n_steps && c->st == NULL; ++i) {
      int64_t t = is_back ? s.n_steps - 1 - i : i;
      steps[t] = step(c, &s, t);
    }
    ys[at] = stacked(c, (uint32_t)s.n_steps, steps, 0);
    hs[at] = s.h;
    cs[at] = s.c;
  }
  const int64_t batch_first[] = {2, 0, 1, 3}; /* from [T, D, B, H] */
  const tn_node *y = stacked(c, n, ys, 1);
  tn_onnx_give(c, 0, is_batch_first ? tn_onnx_permute(c, y, batch_first) : y);
  tn_onnx_give(c, 1, stacked(c, n, hs, is_batch_first ? 1 : 0));
  tn_onnx_give(c, 2, s.is_lstm ? stacked(c, n, cs, is_batch_first ? 1 : 0) : NULL);
}

void tn_onnx_rule_rnn(tn_onnx_call *c) { recurrent(c, 1); }

void tn_onnx_rule_gru(tn_onnx_call *c) { recurrent(c, 3); }

void tn_onnx_rule_lstm(tn_onnx_call *c) { recurrent(c, 4); }
