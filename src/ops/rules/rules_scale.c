/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* fold_batch_norm: y * s + t after a product by constant weights (convolution, transposed
 * convolution, matrix product) becomes part of the weights and of the bias.
 *
 *   lv = R.nn.conv2d(x, w)                         lv = R.multiply(w, s')    # folded later
 *   lv1 = R.add(lv, b)                             lv1 = R.nn.conv2d(x, lv)
 *   lv2 = R.multiply(lv1, s)               ->      lv2 = R.multiply(b, s)    # folded later
 *   lv3 = R.add(lv2, t)                            lv3 = R.add(lv2, t)       # folded later
 *                                                  lv4 = R.add(lv1, lv3)
 *
 * Scales go towards the product, shifts away from it. The product must serve nobody else. Sums of
 * products are rounded otherwise than before, so that none of this happens in strict math. */
#include <string.h>

#include "base/dtype.h"
#include "ops/families.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"
#include "ops/window.h"

enum { MAX_CONST_DEPTH = 12 };

/* A constant, or made of constants alone: fold_constants computes it. */
static bool is_constant_to(tn_rewrite_run *r, const tn_node *value, int depth) {
  if (value->op == TN_OP_CONST || value->op == TN_OP_SHAPE) {
    return true;
  }
  const tn_node *def = tn_rewrite_def(r, value);
  bool is_known = def != NULL && def->op == TN_OP_CALL && depth > 0;
  for (uint32_t i = 0; is_known && i < def->in[TN_CALL_ARGS]->n_in; ++i) {
    is_known = is_constant_to(r, tn_call_arg(def, i), depth - 1);
  }
  return is_known;
}

static bool is_constant(tn_rewrite_run *r, const tn_node *value) {
  return is_constant_to(r, value, MAX_CONST_DEPTH);
}

/* ---- products by constant weights ---- */

typedef struct product {
  const tn_node *call;
  uint32_t weight;     /* which argument */
  int64_t axis;        /* of the result: the channels */
  int32_t weight_axis; /* where the weight has them */
  int64_t groups;      /* of a transposed convolution: the weight has channels / groups */
} product;

static bool read_layout(const char *text, const char *letters, int32_t n, tn_layout *out) {
  tn_status st = tn_layout_read(text, letters, n, out);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok;
}

static bool read_conv(tn_rewrite_run *r, product *p, bool is_transposed) {
  tn_layout data;
  tn_layout kernel;
  int32_t n = (int32_t)tn_rewrite_ndim(r, p->call) - 2;
  const char *out_layout = tn_rule_text(p->call, "out_layout");
  const char *data_layout = *out_layout == '\0' ? tn_rule_text(p->call, "data_layout") : out_layout;
  const char *kernel_layout = tn_rule_text(p->call, "kernel_layout");
  if (n < 1 || n > TN_MAX_SPATIAL || !read_layout(data_layout, "NC", n, &data) ||
      !read_layout(kernel_layout, is_transposed ? "IO" : "OI", n, &kernel)) {
    return false;
  }
  p->weight = 1;
  p->axis = data.at[1];
  p->weight_axis = kernel.at[is_transposed ? 1 : 0];
  p->groups = is_transposed ? tn_rule_int(p->call, "groups") : 1;
  return p->groups == 1 || kernel.at[0] == 0;
}

static bool read_matmul(tn_rewrite_run *r, product *p) {
  int64_t ndim = tn_rewrite_ndim(r, p->call);
  p->weight = is_constant(r, tn_call_arg(p->call, 1)) ? 1 : 0;
  p->weight_axis = p->weight == 1 ? 1 : 0;
  p->axis = ndim - (p->weight == 1 ? 1 : 2);
  p->groups = 1;
  bool is_vector = tn_rewrite_ndim(r, tn_call_arg(p->call, 1 - p->weight)) < 2;
  return ndim >= 1 && tn_rewrite_ndim(r, tn_call_arg(p->call, p->weight)) == 2 &&
         !(is_vector && p->weight == 0);
}

/* The product by constants that gives `value` and nothing else. */
static bool find_product(tn_rewrite_run *r, const tn_node *value, product *out) {
  const tn_node *def = tn_rewrite_def(r, value);
  if (def == NULL || def->op != TN_OP_CALL || !tn_rewrite_is_used_once(r, value)) {
    return false;
  }
  const tn_op_def *op = tn_op_of(def);
  bool is_transposed = op->infer == tn_op_infer_conv_transpose;
  bool is_matmul = op->infer == tn_op_infer_matmul;
  *out = (product){.call = def};
  if (!is_matmul && !is_transposed && op->infer != tn_op_infer_conv) {
    return false;
  }
  bool is_read = is_matmul ? read_matmul(r, out) : read_conv(r, out, is_transposed);
  return is_read && is_constant(r, tn_call_arg(def, out->weight)) &&
         tn_dtype_is_float(tn_rewrite_dtype(r, value)) &&
         tn_dtype_bits(tn_rewrite_dtype(r, value)) >= 32 && /* weights are rounded once more */
         tn_rewrite_dtype(r, value) == tn_rewrite_dtype(r, tn_call_arg(def, out->weight));
}

/* y of y * c, with one use, where c is constant; NULL: it is none. */
static const tn_node *scaled(tn_rewrite_run *r, const tn_node *value, const char *op,
                             const tn_node **out_c) {
  const tn_node *call = tn_rewrite_own_call(r, value, op);
  for (uint32_t i = 0; call != NULL && i < 2; ++i) {
    if (is_constant(r, tn_call_arg(call, 1 - i)) && !is_constant(r, tn_call_arg(call, i))) {
      *out_c = tn_call_arg(call, 1 - i);
      return tn_call_arg(call, i);
    }
  }
  return NULL;
}

/* A product by constants, maybe scaled and shifted by constants. */
static bool is_affine(tn_rewrite_run *r, const tn_node *value) {
  product p;
  const tn_node *c = NULL;
  const tn_node *inner = scaled(r, value, "add", &c);
  value = inner != NULL ? inner : value;
  inner = scaled(r, value, "multiply", &c);
  return find_product(r, inner != NULL ? inner : value, &p);
}

/* The operands of a call of two in the order variable, constant. */
static bool split_args(tn_rewrite_run *r, const tn_node *call, const tn_node **out_y,
                       const tn_node **out_c) {
  uint32_t at = is_constant(r, tn_call_arg(call, 1)) ? 1 : 0;
  *out_c = tn_call_arg(call, at);
  *out_y = tn_call_arg(call, 1 - at);
  return is_constant(r, *out_c) && !is_constant(r, *out_y);
}

/* ---- scales into weights ---- */

/* The scale has one number, or one for each channel and stands along them. */
static bool is_along(tn_rewrite_run *r, const tn_node *scale, const tn_node *y, int64_t axis,
                     const tn_node **out_extent) {
  const tn_node *dims = tn_rewrite_shape(r, scale);
  int64_t ndim = tn_rewrite_ndim(r, y);
  *out_extent = NULL;
  if (dims == NULL || (int64_t)dims->n_in > ndim) {
    return false;
  }
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    int64_t d = ndim - (int64_t)dims->n_in + i;
    if (!tn_is_int(dims->in[i], 1)) {
      if (d != axis) {
        return false;
      }
      *out_extent = dims->in[i];
    }
  }
  return true;
}

/* The scale in the weight's rank. */
static const tn_node *stand(tn_rewrite_run *r, const tn_node *scale, const tn_node *extent,
                            int64_t ndim, int32_t axis) {
  tn_ir *ir = tn_rewrite_ir(r);
  const tn_node *dims[TN_MAX_NDIM];
  for (int32_t i = 0; i < ndim && i < TN_MAX_NDIM; ++i) {
    dims[i] = i == axis ? extent : tn_int(ir, TN_DT_I64, 1);
  }
  return tn_rule_reshape(r, scale, tn_list(ir, extent == NULL ? 0 : (uint32_t)ndim, dims));
}

/* Weight [I, O, ...] of a transposed convolution of several groups: [G, I / G, O, ...] times
 * [G, 1, O, 1 ...]. */
static const tn_node *scale_groups(tn_rewrite_run *r, const product *p, const tn_node *weight,
                                   const tn_node *scale) {
  tn_ir *ir = tn_rewrite_ir(r);
  const tn_node *shape = tn_rewrite_shape(r, weight);
  const tn_node *wide[TN_MAX_NDIM];
  const tn_node *thin[TN_MAX_NDIM];
  if (shape == NULL || shape->in[0]->op != TN_OP_INT || p->weight_axis != 1) {
    return NULL;
  }
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    wide[1 + i] = shape->in[i];
    thin[1 + i] = tn_int(ir, TN_DT_I64, 1);
  }
  wide[0] = thin[0] = tn_int(ir, TN_DT_I64, p->groups);
  wide[1] = tn_int(ir, TN_DT_I64, shape->in[0]->attr.i64 / p->groups);
  thin[2] = shape->in[1];
  scale = tn_rule_reshape(r, scale, tn_list(ir, shape->n_in + 1, thin));
  weight = tn_rule_reshape(r, weight, tn_list(ir, shape->n_in + 1, wide));
  return tn_rule_reshape(r, tn_rule_op2(r, "multiply", weight, scale), shape);
}

const tn_node *tn_rule_scale_into_weights(tn_rewrite_run *r, const tn_node *call) {
  product p;
  const tn_node *y = NULL;
  const tn_node *scale = NULL;
  const tn_node *extent = NULL;
  if (!split_args(r, call, &y, &scale) || !find_product(r, y, &p) ||
      !is_along(r, scale, y, p.axis, &extent)) {
    return NULL;
  }
  const tn_node *weight = tn_call_arg(p.call, p.weight);
  if (p.groups > 1 && extent != NULL) {
    weight = scale_groups(r, &p, weight, scale);
  } else {
    scale = stand(r, scale, extent, tn_rewrite_ndim(r, weight), p.weight_axis);
    weight = tn_rule_op2(r, "multiply", weight, scale);
  }
  const tn_node *args[2] = {tn_call_arg(p.call, 0), tn_call_arg(p.call, 1)};
  args[p.weight] = weight;
  return tn_rewrite_again(r, p.call, 2, args);
}

const tn_node *tn_rule_scale_of_shift(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *y = NULL;
  const tn_node *scale = NULL;
  const tn_node *shift = NULL;
  if (!split_args(r, call, &y, &scale) || !is_affine(r, y)) {
    return NULL;
  }
  const tn_node *inner = scaled(r, y, "add", &shift);
  return inner == NULL ? NULL
                       : tn_rule_op2(r, "add", tn_rule_op2(r, "multiply", inner, scale),
                                     tn_rule_op2(r, "multiply", shift, scale));
}

const tn_node *tn_rule_shift_of_shift(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *y = NULL;
  const tn_node *outer = NULL;
  const tn_node *inner = NULL;
  if (!split_args(r, call, &y, &outer) || !is_affine(r, y)) {
    return NULL;
  }
  y = scaled(r, y, "add", &inner);
  return y == NULL ? NULL : tn_rule_op2(r, "add", y, tn_rule_op2(r, "add", inner, outer));
}

const tn_node *tn_rule_minus_as_plus(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *y = tn_call_arg(call, 0);
  const tn_node *c = tn_call_arg(call, 1);
  bool is_it = is_constant(r, c) && is_affine(r, y);
  return is_it ? tn_rule_op2(r, "add", y, tn_rule_op1(r, "negative", c)) : NULL;
}

const tn_node *tn_rule_over_as_times(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *y = tn_call_arg(call, 0);
  const tn_node *c = tn_call_arg(call, 1);
  bool is_it = is_constant(r, c) && is_affine(r, y);
  return is_it ? tn_rule_op2(r, "multiply", y, tn_rule_op1(r, "reciprocal", c)) : NULL;
}

/* ---- batch norm ---- */

enum { X, GAMMA, BETA, MEAN, VARIANCE, N_ARGS };

/* One number a channel, for the dimensions from the channels on. */
static const tn_node *along(tn_rewrite_run *r, const tn_node *vector, int64_t n_after) {
  tn_ir *ir = tn_rewrite_ir(r);
  const tn_node *own = tn_rewrite_shape(r, vector);
  const tn_node *dims[TN_MAX_NDIM];
  if (own == NULL || own->n_in != 1 || n_after >= TN_MAX_NDIM) {
    return NULL;
  }
  dims[0] = own->in[0];
  for (int64_t i = 0; i < n_after; ++i) {
    dims[1 + i] = tn_int(ir, TN_DT_I64, 1);
  }
  return tn_rule_reshape(r, vector, tn_list(ir, (uint32_t)n_after + 1, dims));
}

const tn_node *tn_rule_batch_norm_as_scale(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *norm = tn_rewrite_call(r, call->in[0], "nn.batch_norm");
  const tn_node *args[N_ARGS];
  if (norm == NULL || call->attr.i64 != 0) {
    return NULL;
  }
  for (uint32_t i = 0; i < N_ARGS; ++i) {
    args[i] = tn_call_arg(norm, i);
    if (i > X && !is_constant(r, args[i])) {
      return NULL;
    }
  }
  int64_t ndim = tn_rewrite_ndim(r, args[X]);
  int64_t axis = tn_rule_int(norm, "axis");
  axis += axis < 0 ? ndim : 0;
  if (ndim < 1 || axis < 0 || axis >= ndim || tn_dtype_bits(tn_rewrite_dtype(r, args[X])) < 32) {
    return NULL;
  }
  const tn_node *epsilon = tn_rule_scalar(r, args[X], tn_rule_float(norm, "epsilon"));
  const tn_node *scale = tn_rule_op1(r, "rsqrt", tn_rule_op2(r, "add", args[VARIANCE], epsilon));
  if (tn_rule_int(norm, "scale") != 0) {
    scale = tn_rule_op2(r, "multiply", args[GAMMA], scale);
  }
  const tn_node *shift = tn_rule_op2(r, "multiply", args[MEAN], scale);
  shift = tn_rule_int(norm, "center") != 0 ? tn_rule_op2(r, "subtract", args[BETA], shift)
                                           : tn_rule_op1(r, "negative", shift);
  int64_t n_after = ndim - 1 - axis;
  return tn_rule_op2(r, "add", tn_rule_op2(r, "multiply", args[X], along(r, scale, n_after)),
                     along(r, shift, n_after));
}
