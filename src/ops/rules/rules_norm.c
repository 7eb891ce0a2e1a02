/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* recognise_patterns: softmax and norms written out.
 *
 *   m = mean(x, keepdims)
 *   d = x - m
 *   v = mean(d * d, keepdims)                ->   y = nn.layer_norm(x, g, b, axes, e)
 *   y = d / sqrt(v + e) * g + b
 *
 * First the quotient becomes a norm without weights, then the weights go into it one by one. Axes
 * are the last ones, as weights stand. The operators take the sums of narrow floats in float32. */
#include <string.h>

#include "base/dtype.h"
#include "ops/families.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"

/* ---- softmax ---- */

/* The reduction of x over one axis that it keeps. */
static bool is_reduced(tn_rewrite_run *r, const tn_node *value, const char *op, const tn_node *x,
                       int64_t *out_axis) {
  int64_t axes[TN_MAX_NDIM];
  const tn_node *call = tn_rewrite_call(r, value, op);
  bool is_it = call != NULL && tn_call_arg(call, 0) == x && tn_rule_int(call, "keepdims") != 0 &&
               tn_rule_axes(r, call, "axis", axes) == 1;
  *out_axis = is_it ? axes[0] : -1;
  return is_it;
}

const tn_node *tn_rule_softmax(tn_rewrite_run *r, const tn_node *call) {
  int64_t axis = 0;
  int64_t max_axis = 0;
  const tn_node *powers = tn_call_arg(call, 0);
  const tn_node *exp = tn_rewrite_call(r, powers, "exp");
  if (exp == NULL || !is_reduced(r, tn_call_arg(call, 1), "sum", powers, &axis)) {
    return NULL;
  }
  const tn_node *x = tn_call_arg(exp, 0);
  const tn_node *d = tn_rewrite_call(r, x, "subtract");
  if (d != NULL && is_reduced(r, tn_call_arg(d, 1), "max", tn_call_arg(d, 0), &max_axis) &&
      max_axis == axis) {
    x = tn_call_arg(d, 0);
  }
  tn_rule_build b = tn_rule_begin(r, "nn.softmax");
  tn_rule_set_int(&b, "axis", axis);
  return tn_rule_end(&b, 1, &x);
}

/* ---- norms ---- */

typedef struct quotient {
  const tn_node *x; /* what is divided */
  double epsilon;
  const tn_node *square; /* what is under the root, without epsilon */
  int64_t axes[TN_MAX_NDIM];
  int32_t n_axes;
} quotient;

/* What the root is of: sqrt(v) with is_inverse false, 1 / sqrt(v) with true. */
static const tn_node *under_root(tn_rewrite_run *r, const tn_node *value, bool is_inverse) {
  const tn_node *call = tn_rewrite_call(r, value, is_inverse ? "rsqrt" : "sqrt");
  if (call != NULL || !is_inverse) {
    return call == NULL ? NULL : tn_call_arg(call, 0);
  }
  call = tn_rewrite_call(r, value, "reciprocal");
  if (call != NULL) {
    return under_root(r, tn_call_arg(call, 0), false);
  }
  call = tn_rewrite_call(r, value, "divide");
  bool is_one = call != NULL && tn_rewrite_equals(tn_call_arg(call, 0), 1);
  return is_one ? under_root(r, tn_call_arg(call, 1), false) : NULL;
}

/* x / sqrt(v + e) or x * (1 / sqrt(v + e)). */
static bool read_quotient(tn_rewrite_run *r, const tn_node *call, quotient *out) {
  bool is_quotient = strcmp(call->attr.def->name, "divide") == 0;
  if (!is_quotient && strcmp(call->attr.def->name, "multiply") != 0) {
    return false;
  }
  const tn_node *v = NULL;
  for (uint32_t i = 0; i < (is_quotient ? 1 : 2) && v == NULL; ++i) {
    out->x = tn_call_arg(call, i);
    v = under_root(r, tn_call_arg(call, 1 - i), !is_quotient);
  }
  const tn_node *sum = tn_rewrite_call(r, v, "add");
  return sum != NULL && tn_rule_with_number(sum, &out->epsilon, &out->square) &&
         tn_dtype_is_float(tn_rewrite_dtype(r, out->x));
}

/* The axes of a reduction that keeps them, all at the end; false: others. */
static bool read_axes(tn_rewrite_run *r, const tn_node *call, quotient *out) {
  int64_t ndim = tn_rewrite_ndim(r, tn_call_arg(call, 0));
  out->n_axes = tn_rule_axes(r, call, "axis", out->axes);
  for (int32_t i = 0; i < out->n_axes; ++i) {
    if (out->axes[i] != ndim - out->n_axes + i) {
      return false;
    }
  }
  return out->n_axes > 0 && tn_rule_int(call, "keepdims") != 0;
}

static bool has_axes(tn_rewrite_run *r, const tn_node *call, const quotient *n) {
  quotient other = {0};
  return read_axes(r, call, &other) && other.n_axes == n->n_axes;
}

/* x of x * x. */
static const tn_node *squared(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *call = tn_rewrite_call(r, value, "multiply");
  if (call != NULL) {
    return tn_call_arg(call, 0) == tn_call_arg(call, 1) ? tn_call_arg(call, 0) : NULL;
  }
  call = tn_rewrite_call(r, value, "square");
  if (call != NULL) {
    return tn_call_arg(call, 0);
  }
  call = tn_rewrite_call(r, value, "power");
  return call != NULL && tn_rewrite_equals(tn_call_arg(call, 1), 2) ? tn_call_arg(call, 0) : NULL;
}

/* x of d = x - mean(x), over the norm's axes. */
static const tn_node *centred(tn_rewrite_run *r, const tn_node *d, const quotient *n) {
  const tn_node *call = tn_rewrite_call(r, d, "subtract");
  const tn_node *mean = call == NULL ? NULL : tn_rewrite_call(r, tn_call_arg(call, 1), "mean");
  bool is_it = mean != NULL && tn_call_arg(mean, 0) == tn_call_arg(call, 0) && has_axes(r, mean, n);
  return is_it ? tn_call_arg(call, 0) : NULL;
}

/* More weights than a norm's. */
enum { MAX_WEIGHTS = 1 << 15 };

/* A constant of the axes' extents (or of one axis'), all elements the same; NULL: not known. */
static const tn_node *filled(tn_rewrite_run *r, const tn_node *x, const int64_t *axes, int32_t n,
                             double value) {
  tn_array array = {0};
  int64_t shape[TN_MAX_NDIM];
  int64_t n_elems = 1;
  for (int32_t i = 0; i < n; ++i) {
    shape[i] = tn_rule_extent(r, x, axes[i]);
    if (shape[i] < 1 || __builtin_mul_overflow(n_elems, shape[i], &n_elems) ||
        n_elems > MAX_WEIGHTS) {
      return NULL;
    }
  }
  tn_status st = tn_array_init(&array, tn_rewrite_dtype(r, x), n, shape);
  if (st != NULL) {
    tn_status_free(st);
    return NULL;
  }
  for (int64_t i = 0; i < n_elems; ++i) {
    tn_array_set_f64(&array, i, value);
  }
  return tn_rewrite_const(r, &array);
}

/* A norm over the spatial dimensions has fewer channels than places: weights stand along those. */
static const tn_node *make_norm(tn_rewrite_run *r, const tn_node *x, const quotient *n) {
  const int64_t channels = 1;
  bool is_instance = n->n_axes == tn_rewrite_ndim(r, x) - 2;
  const int64_t *axes = is_instance ? &channels : n->axes;
  int32_t n_weights = is_instance ? 1 : n->n_axes;
  const tn_node *args[] = {x, filled(r, x, axes, n_weights, 1), filled(r, x, axes, n_weights, 0)};
  tn_rule_build b = tn_rule_begin(r, is_instance ? "nn.instance_norm" : "nn.layer_norm");
  tn_rule_set_ints(&b, "axes", n->n_axes, n->axes);
  tn_rule_set_float(&b, "epsilon", n->epsilon);
  tn_rule_set_bool(&b, "center", false);
  tn_rule_set_bool(&b, "scale", false);
  return tn_rule_end(&b, 3, args);
}

const tn_node *tn_rule_normalised(tn_rewrite_run *r, const tn_node *call) {
  quotient n = {0};
  if (!read_quotient(r, call, &n)) {
    return NULL;
  }
  const tn_node *variance = tn_rewrite_call(r, n.square, "variance");
  const tn_node *mean = tn_rewrite_call(r, n.square, "mean");
  const tn_node *reduction = variance != NULL ? variance : mean;
  if (reduction == NULL || !read_axes(r, reduction, &n)) {
    return NULL;
  }
  const tn_node *x = centred(r, n.x, &n);
  const tn_node *of = tn_call_arg(reduction, 0);
  bool is_it = variance != NULL ? of == x : x != NULL && squared(r, of) == n.x;
  return is_it ? make_norm(r, x, &n) : NULL;
}

const tn_node *tn_rule_rms_norm(tn_rewrite_run *r, const tn_node *call) {
  quotient n = {0};
  const tn_node *mean = read_quotient(r, call, &n) ? tn_rewrite_call(r, n.square, "mean") : NULL;
  if (mean == NULL || squared(r, tn_call_arg(mean, 0)) != n.x || !read_axes(r, mean, &n)) {
    return NULL;
  }
  const tn_node *args[] = {n.x, filled(r, n.x, n.axes, n.n_axes, 1)};
  tn_rule_build b = tn_rule_begin(r, "nn.rms_norm");
  tn_rule_set_ints(&b, "axes", n.n_axes, n.axes);
  tn_rule_set_float(&b, "epsilon", n.epsilon);
  return tn_rule_end(&b, 2, args);
}

/* ---- weights ---- */

/* The operand of `call` made by `op`, with one use, and the other. */
static const tn_node *split_weight(tn_rewrite_run *r, const tn_node *call, const char *op,
                                   const tn_node **out_weight) {
  for (uint32_t i = 0; i < 2; ++i) {
    const tn_node *made = tn_rewrite_own_call(r, tn_call_arg(call, i), op);
    if (made != NULL) {
      *out_weight = tn_call_arg(call, 1 - i);
      return made;
    }
  }
  return NULL;
}

/* The weight in the shape that the norm asks for: the extents of its axes. Dimensions of 1 before
 * them go, and for a norm of channels those after. NULL: it stands along others. */
static const tn_node *fit_weight(tn_rewrite_run *r, const tn_node *norm, const tn_node *weight) {
  const tn_node *want = tn_rewrite_shape(r, tn_call_arg(norm, 1));
  const tn_node *have = tn_rewrite_shape(r, weight);
  int64_t ndim = tn_rewrite_ndim(r, norm);
  bool is_instance = strcmp(norm->attr.def->name, "nn.instance_norm") == 0;
  if (want == NULL || have == NULL || (int64_t)have->n_in > ndim ||
      tn_rewrite_dtype(r, weight) != tn_rewrite_dtype(r, norm)) {
    return NULL;
  }
  int64_t first = is_instance ? 1 : ndim - (int64_t)want->n_in;
  uint32_t n_met = 0;
  for (uint32_t i = 0; i < have->n_in; ++i) {
    int64_t d = ndim - (int64_t)have->n_in + i;
    bool is_inside = d >= first && d < first + (int64_t)want->n_in;
    const tn_node *extent =
        is_inside ? want->in[d - first] : tn_int(tn_rewrite_ir(r), TN_DT_I64, 1);
    if (tn_dim_compare(tn_rewrite_ir(r), have->in[i], extent) != TN_DIM_EQUAL) {
      return NULL;
    }
    n_met += is_inside ? 1 : 0;
  }
  bool is_plain = have->n_in == want->n_in;
  return n_met != want->n_in ? NULL : is_plain ? weight : tn_rule_reshape(r, weight, want);
}

static const tn_node *with_weight(tn_rewrite_run *r, const tn_node *call, const char *op,
                                  uint32_t place, const char *flag) {
  const tn_node *weight = NULL;
  const tn_node *norm = split_weight(r, call, op, &weight);
  if (norm == NULL || tn_rule_int(norm, flag) != 0 || tn_rule_int(norm, "center") != 0) {
    return NULL;
  }
  const tn_node *args[] = {tn_call_arg(norm, 0), tn_call_arg(norm, 1), tn_call_arg(norm, 2)};
  args[place] = fit_weight(r, norm, weight);
  tn_rule_build b = tn_rule_begin_like(r, norm);
  tn_rule_set_bool(&b, flag, true);
  return args[place] == NULL ? NULL : tn_rule_end(&b, 3, args);
}

const tn_node *tn_rule_norm_scale(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *layer = with_weight(r, call, "nn.layer_norm", 1, "scale");
  return layer != NULL ? layer : with_weight(r, call, "nn.instance_norm", 1, "scale");
}

const tn_node *tn_rule_norm_shift(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *layer = with_weight(r, call, "nn.layer_norm", 2, "center");
  return layer != NULL ? layer : with_weight(r, call, "nn.instance_norm", 2, "center");
}

const tn_node *tn_rule_rms_scale(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *weight = NULL;
  const tn_node *norm = split_weight(r, call, "nn.rms_norm", &weight);
  if (norm == NULL || !tn_rewrite_equals(tn_call_arg(norm, 1), 1)) {
    return NULL;
  }
  const tn_node *args[] = {tn_call_arg(norm, 0), fit_weight(r, norm, weight)};
  return args[1] == NULL ? NULL : tn_rewrite_again(r, norm, 2, args);
}
