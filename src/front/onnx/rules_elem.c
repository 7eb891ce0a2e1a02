/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Element by element: arithmetic, comparisons, activations. */
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

/* ---- one graph operator ---- */

void tn_onnx_rule_unary(tn_onnx_call *c) {
  tn_onnx_give(c, 0, tn_onnx_op1(c, c->rule->word, tn_onnx_in(c, 0)));
}

void tn_onnx_rule_binary(tn_onnx_call *c) {
  tn_onnx_give(c, 0, tn_onnx_op2(c, c->rule->word, tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
}

void tn_onnx_rule_same(tn_onnx_call *c) { tn_onnx_give(c, 0, tn_onnx_in(c, 0)); }

/* Before opset 7 the second operand's dimensions begin at `axis` of the first, when told so. */
static const tn_node *old_broadcast(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  if (tn_onnx_attr_int(c, "broadcast", 0) == 0 || tn_onnx_attr_find(c, "axis") == NULL) {
    return b;
  }
  int32_t n_a = tn_onnx_ndim(c, a);
  const tn_node *dims = tn_onnx_dims(c, b);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), n_a);
  const tn_node *wide[TN_MAX_NDIM];
  if (dims == NULL || n_a > TN_MAX_NDIM || axis + (int32_t)dims->n_in > n_a) {
    TN_ONNX_FAIL(c, TN_INVALID, "the second operand does not fit at axis %d of the first", axis);
    return NULL;
  }
  int32_t n = n_a - axis;
  for (int32_t i = 0; i < n; ++i) {
    wide[i] = i < (int32_t)dims->n_in ? dims->in[i] : tn_int(c->ir, TN_DT_I64, 1);
  }
  return tn_onnx_reshape(c, b, tn_list(c->ir, (uint32_t)n, wide));
}

void tn_onnx_rule_binary_old(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_in(c, 0);
  const tn_node *b = old_broadcast(c, a, tn_onnx_in(c, 1));
  tn_onnx_give(c, 0, tn_onnx_op2(c, c->rule->word, a, b));
}

/* ---- several operands ---- */

void tn_onnx_rule_variadic(tn_onnx_call *c) {
  const tn_node *sum = tn_onnx_in(c, 0);
  for (uint32_t i = 1; i < c->n_in; ++i) {
    sum = tn_onnx_op2(c, c->rule->word, sum, tn_onnx_in(c, i));
  }
  tn_onnx_give(c, 0, sum);
}

void tn_onnx_rule_mean_of(tn_onnx_call *c) {
  const tn_node *sum = tn_onnx_in(c, 0);
  for (uint32_t i = 1; i < c->n_in; ++i) {
    sum = tn_onnx_op2(c, "add", sum, tn_onnx_in(c, i));
  }
  tn_onnx_give(
      c, 0,
      tn_onnx_op2(c, "divide", sum, tn_onnx_scalar(c, tn_onnx_type_of(c, sum), (double)c->n_in)));
}

/* ---- arithmetic with rules of its own ---- */

/* The result has the base's type. Integers go through float64, which is exact below 2^53. */
void tn_onnx_rule_pow(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_in(c, 0);
  const tn_node *b = tn_onnx_in(c, 1);
  if (c->version < 7) {
    b = old_broadcast(c, a, b);
  }
  tn_dtype type = tn_onnx_type_of(c, a);
  tn_dtype in = tn_dtype_is_float(type) ? type : TN_DT_F64;
  const tn_node *power = tn_onnx_op2(c, "power", tn_onnx_cast(c, a, in), tn_onnx_cast(c, b, in));
  tn_onnx_give(c, 0, tn_onnx_cast(c, power, type));
}

void tn_onnx_rule_mod(tn_onnx_call *c) {
  const char *op = tn_onnx_attr_int(c, "fmod", 0) != 0 ? "mod" : "floor_mod";
  tn_onnx_give(c, 0, tn_onnx_op2(c, op, tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
}

void tn_onnx_rule_bit_shift(tn_onnx_call *c) {
  const char *direction = tn_onnx_attr_text(c, "direction", "");
  bool is_left = strcmp(direction, "LEFT") == 0;
  if (!is_left && strcmp(direction, "RIGHT") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "direction '%s', expected LEFT or RIGHT", direction);
  }
  tn_onnx_give(
      c, 0,
      tn_onnx_op2(c, is_left ? "left_shift" : "right_shift", tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
}

static const tn_node *like(tn_onnx_call *c, const tn_node *x, double value) {
  return tn_onnx_scalar(c, tn_onnx_type_of(c, x), value);
}

void tn_onnx_rule_reciprocal(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "divide", like(c, x, 1), x));
}

/* A bound as a field of the operator clip, which holds a double. */
static bool is_number(const tn_node *bound, double otherwise, double *out) {
  const tn_array *array = tn_onnx_array(bound);
  bool is_scalar = array != NULL && array->ndim == 0;
  *out = is_scalar ? tn_array_get_f64(array, 0) : otherwise;
  return bound == NULL ||
         (is_scalar && !isnan(*out) && (tn_dtype_is_float(array->dtype) || fabs(*out) <= 0x1p53));
}

/* clip(x, low, high) where the bounds are numbers in order; with others high is the last word. */
static const tn_node *clamp(tn_onnx_call *c, const tn_node *x, const tn_node *low,
                            const tn_node *high) {
  double least = 0;
  double most = 0;
  bool is_clip = is_number(low, -INFINITY, &least) && is_number(high, INFINITY, &most);
  if (is_clip && (low != NULL || high != NULL) && least <= most) {
    tn_onnx_build b = tn_onnx_begin(c, "clip");
    tn_onnx_set_float(&b, "min", least);
    tn_onnx_set_float(&b, "max", most);
    return tn_onnx_end1(&b, x);
  }
  x = low == NULL ? x : tn_onnx_op2(c, "maximum", low, x);
  return high == NULL ? x : tn_onnx_op2(c, "minimum", high, x);
}

void tn_onnx_rule_clip_old(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  bool has_low = tn_onnx_attr_find(c, "min") != NULL;
  bool has_high = tn_onnx_attr_find(c, "max") != NULL;
  const tn_node *low = has_low ? like(c, x, tn_onnx_attr_float(c, "min", 0)) : NULL;
  const tn_node *high = has_high ? like(c, x, tn_onnx_attr_float(c, "max", 0)) : NULL;
  tn_onnx_give(c, 0, clamp(c, x, low, high));
}

void tn_onnx_rule_clip(tn_onnx_call *c) {
  tn_onnx_give(c, 0, clamp(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 1), tn_onnx_maybe(c, 2)));
}

void tn_onnx_rule_is_inf(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  bool finds_below = tn_onnx_attr_int(c, "detect_negative", 1) != 0;
  bool finds_above = tn_onnx_attr_int(c, "detect_positive", 1) != 0;
  const tn_node *is_inf = tn_onnx_op1(c, "isinf", x);
  if (!finds_below || !finds_above) {
    const char *side = finds_above ? "greater" : "less";
    const tn_node *on_side = tn_onnx_op2(c, side, x, like(c, x, 0));
    is_inf = tn_onnx_op2(c, "logical_and", is_inf, on_side);
    if (!finds_above && !finds_below) {
      is_inf = tn_onnx_op2(c, "logical_and", is_inf, tn_onnx_op2(c, "greater", x, like(c, x, 0)));
    }
  }
  tn_onnx_give(c, 0, is_inf);
}

void tn_onnx_rule_where(tn_onnx_call *c) {
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_in(c, 2)));
}

/* ---- activations ---- */

static const tn_node *multiply(tn_onnx_call *c, const tn_node *x, double by) {
  return by == 1 ? x : tn_onnx_op2(c, "multiply", x, like(c, x, by));
}

static const tn_node *plus(tn_onnx_call *c, const tn_node *x, double by) {
  return by == 0 ? x : tn_onnx_op2(c, "add", x, like(c, x, by));
}

/* x < 0 ? below : x, which keeps NaN. */
static const tn_node *below_zero(tn_onnx_call *c, const tn_node *x, const tn_node *below) {
  return tn_onnx_op3(c, "where", tn_onnx_op2(c, "less", x, like(c, x, 0)), below, x);
}

static const tn_node *exp_minus_1(tn_onnx_call *c, const tn_node *x) {
  return plus(c, tn_onnx_op1(c, "exp", x), -1);
}

void tn_onnx_rule_leaky_relu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_give(c, 0, below_zero(c, x, multiply(c, x, tn_onnx_attr_float(c, "alpha", 0.01))));
}

void tn_onnx_rule_elu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  double alpha = tn_onnx_attr_float(c, "alpha", 1);
  tn_onnx_give(c, 0, below_zero(c, x, multiply(c, exp_minus_1(c, x), alpha)));
}

void tn_onnx_rule_celu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  double alpha = tn_onnx_attr_float(c, "alpha", 1);
  if (alpha == 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "alpha is 0");
  }
  const tn_node *below = multiply(c, exp_minus_1(c, multiply(c, x, 1 / alpha)), alpha);
  tn_onnx_give(c, 0, below_zero(c, x, below));
}

void tn_onnx_rule_selu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  double alpha =
      tn_onnx_attr_float(c, "alpha", c->version < 6 ? 1.6732 : 1.67326319217681884765625);
  double gamma =
      tn_onnx_attr_float(c, "gamma", c->version < 6 ? 1.0507 : 1.05070102214813232421875);
  const tn_node *y = below_zero(c, x, multiply(c, exp_minus_1(c, x), alpha));
  tn_onnx_give(c, 0, multiply(c, y, gamma));
}

static const tn_node *hard_sigmoid(tn_onnx_call *c, const tn_node *x, double alpha, double beta) {
  return clamp(c, plus(c, multiply(c, x, alpha), beta), like(c, x, 0), like(c, x, 1));
}

void tn_onnx_rule_hard_sigmoid(tn_onnx_call *c) {
  double alpha = tn_onnx_attr_float(c, "alpha", 0.2);
  tn_onnx_give(c, 0, hard_sigmoid(c, tn_onnx_in(c, 0), alpha, tn_onnx_attr_float(c, "beta", 0.5)));
}

void tn_onnx_rule_hard_swish(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", x, hard_sigmoid(c, x, 1.0 / 6, 0.5)));
}

void tn_onnx_rule_swish(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *gate =
      tn_onnx_op1(c, "sigmoid", multiply(c, x, tn_onnx_attr_float(c, "alpha", 1)));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", x, gate));
}

void tn_onnx_rule_mish(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *gate = tn_onnx_op1(c, "tanh", tn_onnx_op1(c, "nn.softplus", x));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", x, gate));
}

void tn_onnx_rule_softsign(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "divide", x, plus(c, tn_onnx_op1(c, "abs", x), 1)));
}

void tn_onnx_rule_thresholded_relu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *is_above =
      tn_onnx_op2(c, "greater", x, like(c, x, tn_onnx_attr_float(c, "alpha", 1)));
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", is_above, x, like(c, x, 0)));
}

/* The type that integers are computed in, where the operator takes them. */
static tn_dtype float_of(tn_dtype type) { return tn_dtype_is_float(type) ? type : TN_DT_F64; }

void tn_onnx_rule_shrink(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *x = tn_onnx_cast(c, tn_onnx_in(c, 0), float_of(type));
  double lambd = tn_onnx_attr_float(c, "lambd", 0.5);
  double bias = tn_onnx_attr_float(c, "bias", 0);
  const tn_node *above = tn_onnx_op3(c, "where", tn_onnx_op2(c, "greater", x, like(c, x, lambd)),
                                     plus(c, x, -bias), like(c, x, 0));
  const tn_node *is_below = tn_onnx_op2(c, "less", x, like(c, x, -lambd));
  const tn_node *y = tn_onnx_op3(c, "where", is_below, plus(c, x, bias), above);
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

void tn_onnx_rule_erf(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *y = tn_onnx_op1(c, "erf", tn_onnx_cast(c, tn_onnx_in(c, 0), float_of(type)));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

void tn_onnx_rule_gelu(tn_onnx_call *c) {
  const char *how = tn_onnx_attr_text(c, "approximate", "none");
  bool is_tanh = strcmp(how, "tanh") == 0;
  if (!is_tanh && strcmp(how, "none") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "approximate '%s', expected none or tanh", how);
  }
  tn_onnx_give(c, 0, tn_onnx_op1(c, is_tanh ? "nn.gelu_tanh" : "nn.gelu", tn_onnx_in(c, 0)));
}

/* Before opset 7 a slope of one dimension stands along the channels. */
void tn_onnx_rule_prelu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *slope = tn_onnx_in(c, 1);
  int32_t ndim = tn_onnx_ndim(c, x);
  if (c->version < 7 && tn_onnx_ndim(c, slope) == 1 && ndim > 2 && ndim <= TN_MAX_NDIM) {
    const tn_node *dims[TN_MAX_NDIM];
    const tn_node *own = tn_onnx_dims(c, slope);
    for (int32_t i = 0; own != NULL && i < ndim - 1; ++i) {
      dims[i] = i == 0 ? own->in[0] : tn_int(c->ir, TN_DT_I64, 1);
    }
    slope =
        own == NULL ? NULL : tn_onnx_reshape(c, slope, tn_list(c->ir, (uint32_t)ndim - 1, dims));
  }
  tn_onnx_give(c, 0, below_zero(c, x, tn_onnx_op2(c, "multiply", x, slope)));
}
