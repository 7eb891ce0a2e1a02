/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Steps of optimisers (ai.onnx.preview.training): R, T, then n tensors, n gradients and n of each
 * kind of state; the new tensors come out first, then the new states, kind after kind. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

enum { RATE, COUNT, FIRST };

static const tn_node *add(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return tn_onnx_op2(c, "add", a, b);
}

/* How many tensors there are, of `kinds` inputs each. */
static uint32_t count_tensors(tn_onnx_call *c, uint32_t kinds) {
  uint32_t n = c->n_in < FIRST ? 0 : (c->n_in - FIRST) / kinds;
  if (n == 0 || c->n_in != FIRST + n * kinds) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u inputs, expected 2 and %u for each tensor", c->n_in, kinds);
    return 0;
  }
  return n;
}

/* norm_coefficient * x + gradient */
static const tn_node *regularised(tn_onnx_call *c, const tn_node *x, const tn_node *gradient) {
  double norm = tn_onnx_attr_float(c, "norm_coefficient", 0);
  return norm == 0 ? gradient : add(c, tn_onnx_scaled(c, x, norm), gradient);
}

static const tn_node *rate_like(tn_onnx_call *c, const tn_node *x) {
  return tn_onnx_cast(c, tn_onnx_in(c, RATE), tn_onnx_type_of(c, x));
}

static const tn_node *count_like(tn_onnx_call *c, const tn_node *x) {
  return tn_onnx_cast(c, tn_onnx_in(c, COUNT), tn_onnx_type_of(c, x));
}

/* The rate falls with the count: R / (1 + T * decay_factor). */
void tn_onnx_rule_adagrad(tn_onnx_call *c) {
  uint32_t n = count_tensors(c, 3);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *x = tn_onnx_in(c, FIRST + i);
    const tn_node *g = regularised(c, x, tn_onnx_in(c, FIRST + n + i));
    const tn_node *h = tn_onnx_in(c, FIRST + 2 * n + i);
    const tn_node *one = tn_onnx_scalar(c, tn_onnx_type_of(c, x), 1);
    const tn_node *decay =
        tn_onnx_scaled(c, count_like(c, x), tn_onnx_attr_float(c, "decay_factor", 0));
    const tn_node *rate = tn_onnx_op2(c, "divide", rate_like(c, x), add(c, one, decay));
    h = add(c, h, tn_onnx_op2(c, "multiply", g, g));
    const tn_node *epsilon =
        tn_onnx_scalar(c, tn_onnx_type_of(c, x), tn_onnx_attr_float(c, "epsilon", 0));
    const tn_node *step = tn_onnx_op2(c, "divide", tn_onnx_op2(c, "multiply", rate, g),
                                      add(c, tn_onnx_op1(c, "sqrt", h), epsilon));
    tn_onnx_give(c, i, tn_onnx_op2(c, "subtract", x, step));
    tn_onnx_give(c, n + i, h);
  }
}

/* a * x + (1 - a) * y */
static const tn_node *averaged(tn_onnx_call *c, double a, const tn_node *x, const tn_node *y) {
  return add(c, tn_onnx_scaled(c, x, a), tn_onnx_scaled(c, y, 1 - a));
}

/* From the first step on the rate makes up for averages that began at 0. */
static const tn_node *adam_rate(tn_onnx_call *c, const tn_node *x, double alpha, double beta) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *one = tn_onnx_scalar(c, type, 1);
  const tn_node *zero = tn_onnx_scalar(c, type, 0);
  const tn_node *count = count_like(c, x);
  const tn_node *rest[2];
  const double bases[2] = {beta, alpha};
  for (int i = 0; i < 2; ++i) {
    rest[i] = tn_onnx_op2(c, "subtract", one,
                          tn_onnx_op2(c, "power", tn_onnx_scalar(c, type, bases[i]), count));
  }
  const tn_node *rate = rate_like(c, x);
  const tn_node *later = tn_onnx_op2(
      c, "divide", tn_onnx_op2(c, "multiply", rate, tn_onnx_op1(c, "sqrt", rest[0])), rest[1]);
  return tn_onnx_op3(c, "where", tn_onnx_op2(c, "greater", count, zero), later, rate);
}

void tn_onnx_rule_adam(tn_onnx_call *c) {
  uint32_t n = count_tensors(c, 4);
  double alpha = tn_onnx_attr_float(c, "alpha", (double)0.9f);
  double beta = tn_onnx_attr_float(c, "beta", (double)0.999f);
  double after = tn_onnx_attr_float(c, "norm_coefficient_post", 0);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *x = tn_onnx_in(c, FIRST + i);
    const tn_node *g = regularised(c, x, tn_onnx_in(c, FIRST + n + i));
    const tn_node *v = averaged(c, alpha, tn_onnx_in(c, FIRST + 2 * n + i), g);
    const tn_node *h =
        averaged(c, beta, tn_onnx_in(c, FIRST + 3 * n + i), tn_onnx_op2(c, "multiply", g, g));
    const tn_node *epsilon =
        tn_onnx_scalar(c, tn_onnx_type_of(c, x), tn_onnx_attr_float(c, "epsilon", 0));
    const tn_node *step =
        tn_onnx_op2(c, "divide", tn_onnx_op2(c, "multiply", adam_rate(c, x, alpha, beta), v),
                    add(c, tn_onnx_op1(c, "sqrt", h), epsilon));
    const tn_node *y = tn_onnx_op2(c, "subtract", x, step);
    tn_onnx_give(c, i, after == 0 ? y : tn_onnx_scaled(c, y, 1 - after));
    tn_onnx_give(c, n + i, v);
    tn_onnx_give(c, 2 * n + i, h);
  }
}

/* In the first step (T = 0) the gradient counts whole, whatever beta is. */
void tn_onnx_rule_momentum(tn_onnx_call *c) {
  uint32_t n = count_tensors(c, 3);
  const char *mode = tn_onnx_attr_text(c, "mode", "standard");
  bool is_nesterov = strcmp(mode, "nesterov") == 0;
  double alpha = tn_onnx_attr_float(c, "alpha", 0);
  if (!is_nesterov && strcmp(mode, "standard") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s', expected standard or nesterov", mode);
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *x = tn_onnx_in(c, FIRST + i);
    const tn_node *g = regularised(c, x, tn_onnx_in(c, FIRST + n + i));
    tn_dtype type = tn_onnx_type_of(c, x);
    const tn_node *is_later =
        tn_onnx_op2(c, "greater", count_like(c, x), tn_onnx_scalar(c, type, 0));
    const tn_node *beta =
        tn_onnx_op3(c, "where", is_later, tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "beta", 0)),
                    tn_onnx_scalar(c, type, 1));
    const tn_node *v = add(c, tn_onnx_scaled(c, tn_onnx_in(c, FIRST + 2 * n + i), alpha),
                           tn_onnx_op2(c, "multiply", beta, g));
    const tn_node *step = is_nesterov ? add(c, g, tn_onnx_scaled(c, v, alpha)) : v;
    step = tn_onnx_op2(c, "multiply", rate_like(c, x), step);
    tn_onnx_give(c, i, tn_onnx_op2(c, "subtract", x, step));
    tn_onnx_give(c, n + i, v);
  }
}
