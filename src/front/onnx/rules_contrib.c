/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators that the optimiser of ONNX Runtime puts in the place of several (domain com.microsoft):
 * products with what is done before and after, activations with a bias, norms of sums. Quantised
 * ones are in rules_contrib_quant.c, attention in rules_contrib_attention.c. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/contrib.h"
#include "front/onnx/rules.h"

static const tn_node *times(tn_onnx_call *c, const tn_node *x, double by) {
  return by == 1 ? x : tn_onnx_op2(c, "multiply", x, tn_onnx_scalar(c, tn_onnx_type_of(c, x), by));
}

/* ---- activations ---- */

static double param(const tn_onnx_f32s *params, size_t i, double otherwise) {
  return i < params->len ? (double)params->data[i] : otherwise;
}

/* The activation that the attribute names; "" and none: x itself. */
static const tn_node *activated(tn_onnx_call *c, const tn_node *x, tn_onnx_f32s params) {
  const char *name = tn_onnx_attr_text(c, "activation", "");
  static const struct {
    const char *name;
    const char *op;
  } plain[] = {{"Relu", "nn.relu"}, {"Tanh", "tanh"}, {"Sigmoid", "sigmoid"}};
  if (*name == '\0') {
    return x;
  }
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i) {
    if (strcmp(name, plain[i].name) == 0) {
      return tn_onnx_op1(c, plain[i].op, x);
    }
  }
  bool is_leaky = strcmp(name, "LeakyRelu") == 0;
  bool is_clip = strcmp(name, "Clip") == 0;
  if (!is_leaky && !is_clip && strcmp(name, "HardSigmoid") != 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "activation '%s'", name);
    return NULL;
  }
  tn_onnx_build b = tn_onnx_begin(c, is_leaky  ? "nn.leakyrelu"
                                     : is_clip ? "clip"
                                               : "nn.hardsigmoid");
  tn_onnx_set_float(&b, is_clip ? "min" : "alpha",
                    param(&params, 0,
                          is_leaky  ? 0.01
                          : is_clip ? -3.402823466e38
                                    : 0.2));
  if (!is_leaky) {
    tn_onnx_set_float(&b, is_clip ? "max" : "beta",
                      param(&params, 1, is_clip ? 3.402823466e38 : 0.5));
  }
  return tn_onnx_end1(&b, x);
}

void tn_onnx_rule_bias_gelu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_plus(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 1));
  tn_onnx_give(c, 0, tn_onnx_op1(c, c->rule->word, x));
}

static const tn_node *quick_gelu(tn_onnx_call *c, const tn_node *x, double alpha) {
  return tn_onnx_op2(c, "multiply", x, tn_onnx_op1(c, "sigmoid", times(c, x, alpha)));
}

void tn_onnx_rule_quick_gelu(tn_onnx_call *c) {
  double alpha = tn_onnx_attr_float(c, "alpha", (double)1.702f);
  tn_onnx_give(c, 0, quick_gelu(c, tn_onnx_in(c, 0), alpha));
}

void tn_onnx_rule_bias_add(tn_onnx_call *c) {
  const tn_node *y = tn_onnx_plus(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1));
  tn_onnx_give(c, 0, tn_onnx_plus(c, y, tn_onnx_in(c, 2)));
}

/* The first half of the last dimension times gelu of the second. */
void tn_onnx_rule_bias_split_gelu(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_plus(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1));
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || dims->n_in == 0 || dims->in[dims->n_in - 1]->op != TN_OP_INT ||
      dims->in[dims->n_in - 1]->attr.i64 % 2 != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "the last dimension is no even number");
    return;
  }
  int64_t axis = (int64_t)dims->n_in - 1;
  int64_t n = dims->in[axis]->attr.i64;
  const tn_node *left = tn_onnx_part(c, x, axis, 0, n / 2);
  const tn_node *right = tn_onnx_op1(c, "nn.gelu", tn_onnx_part(c, x, axis, n / 2, n));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", left, right));
}

/* ---- products ---- */

/* trans_batch: the first dimension comes to stand before the last; trans: the last two change. */
static const tn_node *turned(tn_onnx_call *c, const tn_node *x, bool trans, bool trans_batch) {
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, x);
  if (ndim < 2 || ndim > TN_MAX_NDIM || (!trans && !trans_batch)) {
    return x;
  }
  for (int32_t i = 0; i < ndim; ++i) {
    axes[i] = !trans_batch || i == ndim - 1 ? i : i == ndim - 2 ? 0 : i + 1;
  }
  if (trans) {
    int64_t last = axes[ndim - 1];
    axes[ndim - 1] = axes[ndim - 2];
    axes[ndim - 2] = last;
  }
  return tn_onnx_permute(c, x, axes);
}

void tn_onnx_rule_fused_matmul(tn_onnx_call *c) {
  const tn_node *a = turned(c, tn_onnx_in(c, 0), tn_onnx_attr_int(c, "transA", 0) != 0,
                            tn_onnx_attr_int(c, "transBatchA", 0) != 0);
  const tn_node *b = turned(c, tn_onnx_in(c, 1), tn_onnx_attr_int(c, "transB", 0) != 0,
                            tn_onnx_attr_int(c, "transBatchB", 0) != 0);
  const tn_node *y = tn_onnx_op2(c, "matmul", a, b);
  tn_onnx_give(c, 0, times(c, y, tn_onnx_attr_float(c, "alpha", 1)));
}

void tn_onnx_rule_fused_gemm(tn_onnx_call *c) {
  float values[2] = {(float)tn_onnx_attr_float(c, "activation_alpha", 0),
                     (float)tn_onnx_attr_float(c, "activation_beta", 0)};
  bool has_values = tn_onnx_attr_find(c, "activation_alpha") != NULL;
  tn_onnx_rule_gemm(c);
  const tn_node *y = c->n_out > 0 ? c->out[0] : NULL;
  tn_onnx_give(c, 0, activated(c, y, (tn_onnx_f32s){values, has_values ? 2 : 0}));
}

/* Input 3 is added before the activation. */
void tn_onnx_rule_fused_conv(tn_onnx_call *c) {
  const tn_onnx_attr *params = tn_onnx_attr_find(c, "activation_params");
  const tn_node *y = tn_onnx_conv(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2));
  y = tn_onnx_plus(c, y, tn_onnx_maybe(c, 3));
  tn_onnx_give(c, 0, activated(c, y, params == NULL ? (tn_onnx_f32s){0} : params->floats));
}

/* ---- norms ---- */

/* In float32 at least; beta NULL: none; rms: of the squares alone. */
static const tn_node *last_norm(tn_onnx_call *c, const tn_node *x, const tn_node *gamma,
                                const tn_node *beta, bool is_rms, double epsilon) {
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  const int64_t last = -1;
  const tn_node *args[3] = {tn_onnx_cast(c, x, in), tn_onnx_cast(c, gamma, in), NULL};
  args[2] = beta == NULL ? args[1] : tn_onnx_cast(c, beta, in);
  tn_onnx_build b = tn_onnx_begin(c, is_rms ? "nn.rms_norm" : "nn.layer_norm");
  tn_onnx_set_ints(&b, "axes", 1, &last);
  tn_onnx_set_float(&b, "epsilon", epsilon);
  if (!is_rms) {
    tn_onnx_set_bool(&b, "center", beta != NULL);
  }
  return tn_onnx_cast(c, tn_onnx_end(&b, is_rms ? 2 : 3, args), type);
}

/* Mean and the inverse of the root of the variance, which training alone asks for. */
static void give_moments(tn_onnx_call *c, const tn_node *x, bool is_rms, double epsilon) {
  const int64_t last = (int64_t)tn_onnx_ndim(c, x) - 1;
  uint32_t at = is_rms ? 1 : 2; /* of the inverse */
  if (!tn_onnx_wants(c, 1) && !tn_onnx_wants(c, 2)) {
    return;
  }
  x = tn_onnx_cast(c, x, TN_DT_F32);
  const tn_node *mean = tn_onnx_reduce(c, "mean", x, 1, &last, true);
  const tn_node *rest = is_rms ? x : tn_onnx_op2(c, "subtract", x, mean);
  const tn_node *squares =
      tn_onnx_reduce(c, "mean", tn_onnx_op2(c, "multiply", rest, rest), 1, &last, true);
  if (!is_rms) {
    tn_onnx_give(c, 1, mean);
  }
  squares = tn_onnx_op2(c, "add", squares, tn_onnx_scalar(c, TN_DT_F32, epsilon));
  tn_onnx_give(c, at, tn_onnx_op1(c, "rsqrt", squares));
}

void tn_onnx_rule_simplified_layer_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t ndim = tn_onnx_ndim(c, x);
  double epsilon = tn_onnx_attr_float(c, "epsilon", 1e-5);
  if (tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), ndim) != ndim - 1 && c->st == NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "axis %" PRId64 "; the last one is there",
                 tn_onnx_attr_int(c, "axis", -1));
  }
  tn_onnx_give(c, 0, last_norm(c, x, tn_onnx_in(c, 1), NULL, true, epsilon));
  give_moments(c, x, true, epsilon);
}

/* input, skip, gamma, beta (not when simplified), bias */
static void skip_norm(tn_onnx_call *c, bool is_rms) {
  double epsilon = tn_onnx_attr_float(c, "epsilon", is_rms ? 1e-5 : 1e-12);
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *skip = tn_onnx_in(c, 1);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *own = tn_onnx_dims(c, skip);
  if (c->st != NULL || own->n_in > dims->n_in) {
    TN_ONNX_FAIL(c, TN_INVALID, "what is added has more dimensions");
    return;
  }
  skip = tn_onnx_fitted(c, skip, own->n_in, dims->in + (dims->n_in - own->n_in));
  x = tn_onnx_plus(c, tn_onnx_plus(c, x, skip), tn_onnx_maybe(c, is_rms ? 3 : 4));
  const tn_node *beta = is_rms ? NULL : tn_onnx_maybe(c, 3);
  tn_onnx_give(c, 0, last_norm(c, x, tn_onnx_in(c, 2), beta, is_rms, epsilon));
  if (!is_rms) {
    give_moments(c, x, false, epsilon);
  }
  tn_onnx_give(c, 3, x);
}

void tn_onnx_rule_skip_layer_norm(tn_onnx_call *c) { skip_norm(c, false); }
void tn_onnx_rule_skip_simplified_layer_norm(tn_onnx_call *c) { skip_norm(c, true); }

static const tn_node *rows_of(tn_onnx_call *c, const tn_node *table, const tn_node *indices) {
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  return tn_onnx_end2(&b, table, indices);
}

/* ids, segment ids, words, positions, segments, gamma, beta, mask, position ids */
void tn_onnx_rule_embed_layer_norm(tn_onnx_call *c) {
  const tn_node *ids = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, ids);
  const tn_node *positions = tn_onnx_maybe(c, 8);
  if (dims == NULL || dims->n_in != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "the ids must have 2 dimensions");
    return;
  }
  positions = positions != NULL ? tn_onnx_fitted(c, positions, 2, dims->in)
                                : tn_onnx_counted(c, dims->in[1]);
  const tn_node *x =
      tn_onnx_plus(c, rows_of(c, tn_onnx_in(c, 2), ids), rows_of(c, tn_onnx_in(c, 3), positions));
  if (tn_onnx_maybe(c, 1) != NULL) {
    x = tn_onnx_plus(
        c, x, rows_of(c, tn_onnx_in(c, 4), tn_onnx_fitted(c, tn_onnx_in(c, 1), 2, dims->in)));
  }
  tn_onnx_give(c, 0,
               last_norm(c, x, tn_onnx_in(c, 5), tn_onnx_in(c, 6), false,
                         tn_onnx_attr_float(c, "epsilon", 1e-12)));
  const tn_node *mask = tn_onnx_maybe(c, 7);
  const int64_t last = 1;
  const tn_node *n_keys =
      mask != NULL ? tn_onnx_reduce(c, "sum", tn_onnx_cast(c, mask, TN_DT_I32), 1, &last, false)
                   : tn_onnx_op2(c, "broadcast_to", tn_onnx_scalar(c, TN_DT_I32, 0),
                                 tn_onnx_shape_value(c, tn_list(c->ir, 1, dims->in)));
  tn_onnx_give(c, 1, n_keys);
  tn_onnx_give(c, 2, x);
}

/* X [N, H, W, C] (channels_last = 0: [N, C, H, W]), gamma, beta; then, skipping, what is added. */
static void contrib_group_norm(tn_onnx_call *c, const tn_node *x) {
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, x);
  bool is_last = tn_onnx_attr_int(c, "channels_last", 1) != 0;
  int64_t activation = tn_onnx_attr_int(c, "activation", 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  if (c->st == NULL && (ndim < 3 || ndim > TN_MAX_NDIM || activation < 0 || activation > 1)) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, activation %" PRId64, ndim, activation);
  }
  for (int32_t i = 0; c->st == NULL && i < ndim - 2; ++i) {
    axes[i] = is_last ? i + 1 : i + 2;
  }
  const tn_node *args[] = {tn_onnx_cast(c, x, TN_DT_F32),
                           tn_onnx_cast(c, tn_onnx_in(c, 1), TN_DT_F32),
                           tn_onnx_cast(c, tn_onnx_in(c, 2), TN_DT_F32)};
  tn_onnx_build b = tn_onnx_begin(c, "nn.group_norm");
  tn_onnx_set_int(&b, "num_groups", tn_onnx_attr_int(c, "groups", 1));
  tn_onnx_set_int(&b, "channel_axis", is_last ? ndim - 1 : 1);
  tn_onnx_set_ints(&b, "axes", (size_t)(ndim - 2), axes);
  tn_onnx_set_float(&b, "epsilon", tn_onnx_attr_float(c, "epsilon", 1e-5));
  const tn_node *y = tn_onnx_end(&b, 3, args);
  y = activation == 1 ? tn_onnx_op1(c, "nn.silu", y) : y;
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

void tn_onnx_rule_contrib_group_norm(tn_onnx_call *c) { contrib_group_norm(c, tn_onnx_in(c, 0)); }

void tn_onnx_rule_skip_group_norm(tn_onnx_call *c) {
  const tn_node *skip = tn_onnx_in(c, 3);
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 0));
  const tn_node *own = tn_onnx_dims(c, skip);
  if (own != NULL && dims != NULL && own->n_in == 2 && dims->n_in == 4) { /* [N, C] */
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    const tn_node *wide[] = {own->in[0], one, one, own->in[1]};
    skip = tn_onnx_reshape(c, skip, tn_list(c->ir, 4, wide));
  }
  const tn_node *x = tn_onnx_plus(c, tn_onnx_plus(c, tn_onnx_in(c, 0), skip), tn_onnx_maybe(c, 4));
  contrib_group_norm(c, x);
  tn_onnx_give(c, 1, x);
}

/* ---- others ---- */

/* Distances between all rows of two matrices. */
void tn_onnx_rule_cdist(tn_onnx_call *c) {
  const char *metric = tn_onnx_attr_text(c, "metric", "sqeuclidean");
  bool is_root = strcmp(metric, "euclidean") == 0;
  const tn_node *a = tn_onnx_dims(c, tn_onnx_in(c, 0));
  const tn_node *b = tn_onnx_dims(c, tn_onnx_in(c, 1));
  const int64_t last = 2;
  if ((!is_root && strcmp(metric, "sqeuclidean") != 0) || a == NULL || b == NULL || a->n_in != 2 ||
      b->n_in != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "metric '%s' of such data; euclidean and sqeuclidean of matrices",
                 metric);
    return;
  }
  const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
  const tn_node *tall[] = {a->in[0], one, a->in[1]};
  const tn_node *flat[] = {one, b->in[0], b->in[1]};
  const tn_node *x =
      tn_onnx_op2(c, "subtract", tn_onnx_reshape(c, tn_onnx_in(c, 0), tn_list(c->ir, 3, tall)),
                  tn_onnx_reshape(c, tn_onnx_in(c, 1), tn_list(c->ir, 3, flat)));
  const tn_node *y = tn_onnx_reduce(c, "sum", tn_onnx_op2(c, "multiply", x, x), 1, &last, false);
  tn_onnx_give(c, 0, is_root ? tn_onnx_op1(c, "sqrt", y) : y);
}

void tn_onnx_rule_contrib_expand_dims(tn_onnx_call *c) {
  tn_onnx_i64s axis = tn_onnx_numbers(c, tn_onnx_in(c, 1), "the axis");
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  if (c->st == NULL && axis.len != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu axes, expected one", axis.len);
    return;
  }
  tn_onnx_set_ints(&b, "axis", axis.len, axis.data);
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}
