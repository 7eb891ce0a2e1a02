/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* recognise_patterns: activations written out. Products are flattened first, so that the order in
 * which an exporter multiplies makes no difference:
 *
 *   0.5 * (x * (1 + erf(x / 1.4142)))    factors x, 1 + erf(..) and the number 0.5
 *
 * Numbers are compared with the precision of the type. The one operator rounds once where the
 * pattern rounds at each step, and for NaN gives what it says of itself. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"

/* ---- numbers and products ---- */

/* A number as the type writes it. */
static bool is_about(tn_rewrite_run *r, const tn_node *like, double have, double want) {
  uint32_t bits = tn_dtype_bits(tn_rewrite_dtype(r, like));
  double relative = bits < 32 ? 1e-2 : bits == 32 ? 1e-6 : 1e-12;
  return fabs(have - want) <= relative * fabs(want);
}

enum { MAX_FACTORS = 6 };
typedef struct factors {
  const tn_node *items[MAX_FACTORS];
  int32_t n; /* MAX_FACTORS + 1: too many */
  double number;
} factors;

static void add_factor(factors *f, const tn_node *value) {
  if (f->n < MAX_FACTORS) {
    f->items[f->n] = value;
  }
  f->n += f->n <= MAX_FACTORS ? 1 : 0;
}

static bool spread_call(tn_rewrite_run *r, const tn_node *call, factors *f);

static void spread(tn_rewrite_run *r, const tn_node *value, factors *f) {
  double number = 0;
  if (tn_rewrite_is_number(value, &number)) {
    f->number *= number;
    return;
  }
  const tn_node *def = tn_rewrite_is_used_once(r, value) ? tn_rewrite_def(r, value) : NULL;
  if (f->n > MAX_FACTORS || !spread_call(r, def, f)) {
    add_factor(f, value);
  }
}

/* False: it is no product. */
static bool spread_call(tn_rewrite_run *r, const tn_node *call, factors *f) {
  double number = 0;
  const char *name = call == NULL || call->op != TN_OP_CALL ? "" : call->attr.def->name;
  if (strcmp(name, "multiply") == 0) {
    spread(r, tn_call_arg(call, 0), f);
    spread(r, tn_call_arg(call, 1), f);
    return true;
  }
  bool has_number = call != NULL && call->op == TN_OP_CALL && call->in[TN_CALL_ARGS]->n_in == 2 &&
                    tn_rewrite_is_number(tn_call_arg(call, 1), &number);
  if (has_number && strcmp(name, "divide") == 0) {
    f->number /= number;
    spread(r, tn_call_arg(call, 0), f);
    return true;
  }
  if (has_number && strcmp(name, "power") == 0 && (number == 2 || number == 3)) {
    for (int i = 0; i < (int)number; ++i) {
      add_factor(f, tn_call_arg(call, 0));
    }
    return true;
  }
  if (strcmp(name, "square") == 0) {
    add_factor(f, tn_call_arg(call, 0));
    add_factor(f, tn_call_arg(call, 0));
    return true;
  }
  return false;
}

/* The value is x to the n-th, times a number. */
static bool is_power(tn_rewrite_run *r, const tn_node *value, const tn_node *x, int32_t n,
                     double *out_number) {
  factors f = {.number = 1};
  spread(r, value, &f);
  for (int32_t i = 0; i < f.n && i < MAX_FACTORS; ++i) {
    if (f.items[i] != x) {
      return false;
    }
  }
  *out_number = f.number;
  return f.n == n;
}

/* u of 1 + op(u), in one place alone. */
static const tn_node *one_plus(tn_rewrite_run *r, const tn_node *value, const char *op) {
  double number = 0;
  const tn_node *inner = tn_rule_own_with_number(r, value, "add", &number);
  const tn_node *call = inner == NULL || number != 1 ? NULL : tn_rewrite_own_call(r, inner, op);
  return call == NULL ? NULL : tn_call_arg(call, 0);
}

/* Factors x and 1 + op(u) and the number 0.5. */
static const tn_node *half_of(tn_rewrite_run *r, const tn_node *call, const char *op,
                              const tn_node **out_u) {
  factors f = {.number = 1};
  if (!spread_call(r, call, &f) || f.n != 2 || f.number != 0.5) {
    return NULL;
  }
  for (int32_t i = 0; i < 2; ++i) {
    *out_u = one_plus(r, f.items[i], op);
    if (*out_u != NULL) {
      return f.items[1 - i];
    }
  }
  return NULL;
}

/* ---- gelu ---- */

const tn_node *tn_rule_gelu(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *u = NULL;
  double number = 0;
  const tn_node *x = half_of(r, call, "erf", &u);
  bool is_it = x != NULL && is_power(r, u, x, 1, &number) && is_about(r, x, number, M_SQRT1_2);
  return is_it ? tn_rule_op1(r, "nn.gelu", x) : NULL;
}

static const double cubic = 0.044715;

/* The value is x + 0.044715 x^3. */
static bool is_cubic_sum(tn_rewrite_run *r, const tn_node *value, const tn_node *x) {
  const tn_node *sum = tn_rewrite_own_call(r, value, "add");
  double number = 0;
  for (uint32_t i = 0; sum != NULL && i < 2; ++i) {
    if (tn_call_arg(sum, i) == x && is_power(r, tn_call_arg(sum, 1 - i), x, 3, &number)) {
      return is_about(r, x, number, cubic);
    }
  }
  return false;
}

/* The value is 1 + 0.044715 x^2. */
static bool is_square_sum(tn_rewrite_run *r, const tn_node *value, const tn_node *x) {
  double one = 0;
  double number = 0;
  const tn_node *square = tn_rule_own_with_number(r, value, "add", &one);
  return square != NULL && one == 1 && is_power(r, square, x, 2, &number) &&
         is_about(r, x, number, cubic);
}

const tn_node *tn_rule_gelu_tanh(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *u = NULL;
  const tn_node *x = half_of(r, call, "tanh", &u);
  factors f = {.number = 1};
  if (x == NULL) {
    return NULL;
  }
  spread(r, u, &f);
  if (!is_about(r, x, f.number, sqrt(2 / M_PI))) {
    return NULL;
  }
  bool is_it = f.n == 1 && is_cubic_sum(r, f.items[0], x);
  if (f.n == 2) {
    is_it = (f.items[0] == x && is_square_sum(r, f.items[1], x)) ||
            (f.items[1] == x && is_square_sum(r, f.items[0], x));
  }
  return is_it ? tn_rule_op1(r, "nn.gelu_tanh", x) : NULL;
}

/* ---- x times a function of x ---- */

/* The other operand when one is x and the other op(x), with one use. */
static const tn_node *times_function(tn_rewrite_run *r, const tn_node *call, const char *op) {
  for (uint32_t i = 0; i < 2; ++i) {
    const tn_node *function = tn_rewrite_own_call(r, tn_call_arg(call, i), op);
    if (function != NULL && tn_call_arg(function, 0) == tn_call_arg(call, 1 - i)) {
      return function;
    }
  }
  return NULL;
}

const tn_node *tn_rule_silu(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *sigmoid = times_function(r, call, "sigmoid");
  return sigmoid == NULL ? NULL : tn_rule_op1(r, "nn.silu", tn_call_arg(sigmoid, 0));
}

/* x of softplus(x), or of log(1 + exp(x)). */
static const tn_node *softplus_of(tn_rewrite_run *r, const tn_node *value) {
  double one = 0;
  const tn_node *call = tn_rewrite_own_call(r, value, "nn.softplus");
  if (call != NULL) {
    bool is_plain = tn_rule_float(call, "beta") == 1 && tn_rule_float(call, "threshold") >= 20;
    return is_plain ? tn_call_arg(call, 0) : NULL;
  }
  call = tn_rewrite_own_call(r, value, "log");
  const tn_node *sum =
      call == NULL ? NULL : tn_rule_own_with_number(r, tn_call_arg(call, 0), "add", &one);
  const tn_node *exp = one == 1 ? tn_rewrite_own_call(r, sum, "exp") : NULL;
  return exp == NULL ? NULL : tn_call_arg(exp, 0);
}

const tn_node *tn_rule_mish(tn_rewrite_run *r, const tn_node *call) {
  for (uint32_t i = 0; i < 2; ++i) {
    const tn_node *x = tn_call_arg(call, 1 - i);
    const tn_node *tanh = tn_rewrite_own_call(r, tn_call_arg(call, i), "tanh");
    if (tanh != NULL && softplus_of(r, tn_call_arg(tanh, 0)) == x) {
      return tn_rule_op1(r, "nn.mish", x);
    }
  }
  return NULL;
}

/* ---- hard sigmoid, hard swish ---- */

/* x of clip(x, 0, 6). */
static const tn_node *clipped_at_6(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *call = tn_rewrite_own_call(r, value, "nn.relu6");
  if (call != NULL) {
    return tn_call_arg(call, 0);
  }
  call = tn_rewrite_own_call(r, value, "clip");
  bool is_it = call != NULL && tn_rule_float(call, "min") == 0 && tn_rule_float(call, "max") == 6;
  return is_it ? tn_call_arg(call, 0) : NULL;
}

/* x of clip(x + 3, 0, 6). */
static const tn_node *shifted_clip(tn_rewrite_run *r, const tn_node *value) {
  double number = 0;
  const tn_node *sum = clipped_at_6(r, value);
  const tn_node *x = sum == NULL ? NULL : tn_rule_own_with_number(r, sum, "add", &number);
  return number == 3 ? x : NULL;
}

static bool is_float(tn_rewrite_run *r, const tn_node *value) {
  return tn_dtype_is_float(tn_rewrite_dtype(r, value));
}

const tn_node *tn_rule_hard_sigmoid(tn_rewrite_run *r, const tn_node *call) {
  factors f = {.number = 1};
  if (!spread_call(r, call, &f) || f.n != 1 || !is_about(r, f.items[0], f.number, 1.0 / 6)) {
    return NULL;
  }
  const tn_node *x = shifted_clip(r, f.items[0]);
  if (x == NULL || !is_float(r, x)) {
    return NULL;
  }
  tn_rule_build b = tn_rule_begin(r, "nn.hardsigmoid");
  tn_rule_set_float(&b, "alpha", 1.0 / 6);
  tn_rule_set_float(&b, "beta", 0.5);
  return tn_rule_end(&b, 1, &x);
}

/* x of hardsigmoid(x) with a slope of 1 / 6. */
static const tn_node *sixth_sigmoid(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *call = tn_rewrite_own_call(r, value, "nn.hardsigmoid");
  bool is_it = call != NULL && is_about(r, value, tn_rule_float(call, "alpha"), 1.0 / 6) &&
               tn_rule_float(call, "beta") == 0.5;
  return is_it ? tn_call_arg(call, 0) : NULL;
}

const tn_node *tn_rule_hard_swish(tn_rewrite_run *r, const tn_node *call) {
  factors f = {.number = 1};
  if (!spread_call(r, call, &f) || f.n != 2 || !is_float(r, f.items[0])) {
    return NULL;
  }
  for (int32_t i = 0; i < 2; ++i) {
    const tn_node *x = f.items[1 - i];
    bool is_clip = shifted_clip(r, f.items[i]) == x && is_about(r, x, f.number, 1.0 / 6);
    if (is_clip || (sixth_sigmoid(r, f.items[i]) == x && f.number == 1)) {
      return tn_rule_op1(r, "nn.hardswish", x);
    }
  }
  return NULL;
}
