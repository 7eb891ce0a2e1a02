/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: quantised operators. Scales are powers of two, so that most numbers between are
 * exact. */
#include "gen_onnx_priv.h"

/* A scale, or one for each of `n` when that is above 0. */
static int32_t scale_of(gx_graph *g, tn_dtype type, int64_t n) {
  static const double some[] = {0.0625, 0.125, 0.25, 0.5, 1, 2};
  int32_t id =
      n > 0 ? gx_leaf(g, type, 1, &n, GX_NOT_ZERO) : gx_leaf(g, type, 0, NULL, GX_NOT_ZERO);
  for (int64_t i = 0; i < tn_array_n_elems(gx_array(g, id)); ++i) {
    tn_array_set_f64(gx_array(g, id), i, some[gx_range(g, 0, 5)]);
  }
  return id;
}

static int32_t zero_of(gx_graph *g, tn_dtype type, int64_t n) {
  return n > 0 ? gx_leaf(g, type, 1, &n, GX_SMALL) : gx_leaf(g, type, 0, NULL, GX_SMALL);
}

static int32_t zero_or_none(gx_graph *g, tn_dtype type, int64_t n) {
  return gx_chance(g, 70) ? zero_of(g, type, n) : -1;
}

enum { BYTES = GX_I8 | GX_U8 };

/* One scale for all, or one for each element of an axis. Its extent, 0: one. */
static int64_t along(gx_graph *g, gx_node *n, int32_t x) {
  int32_t ndim = gx_ndim(g, x);
  if (ndim == 0 || g->opset < 13 || gx_chance(g, 50)) {
    return 0;
  }
  int32_t axis = (int32_t)gx_range(g, 0, ndim - 1);
  gx_int(n, "axis", gx_axis_form(g, axis, ndim));
  return gx_dim(g, x, axis);
}

static bool quantize(gx_graph *g, gx_node *n, const gx_form *form) {
  uint32_t mask = g->opset < 13 ? GX_F32 : g->opset < 19 ? GX_F32 | GX_I32 : form->types;
  bool is_core = *form->domain == '\0';
  int32_t x = gx_pick(g, is_core ? mask : GX_F32, 0, 4);
  tn_dtype type = gx_is_float(gx_type(g, x)) ? gx_type(g, x) : TN_DT_F32;
  uint32_t to = g->opset < 21 || !is_core ? BYTES : BYTES | GX_I16 | GX_U16;
  int64_t extent = is_core ? along(g, n, x) : 0;
  gx_in(n, x);
  gx_in(n, scale_of(g, type, extent));
  gx_in(n, is_core && gx_chance(g, 20) ? -1 : zero_of(g, gx_dtype(g, to), extent));
  return true;
}

static bool dequantize(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_core = *form->domain == '\0';
  uint32_t from = g->opset < 21 || !is_core ? BYTES : BYTES | GX_I16 | GX_U16;
  int32_t x = gx_pick(g, from, 0, 4);
  tn_dtype type = gx_dtype(g, g->opset < 19 || !is_core ? GX_F32 : form->types);
  int64_t extent = is_core ? along(g, n, x) : 0;
  tn_dtype own = gx_type(g, x);
  gx_in(n, x);
  gx_in(n, scale_of(g, type, extent));
  gx_in(n, is_core ? zero_or_none(g, own, extent) : zero_of(g, own, extent));
  return true;
}

static bool dynamic_quantize(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  gx_in(n, x);
  n->n_out = 3;
  return tn_array_n_elems(gx_array(g, x)) > 0;
}

/* ---- products ---- */

/* The shapes of two matrices that fit. */
static int32_t matrices(gx_graph *g, int64_t *a, int64_t *b) {
  int32_t ndim = (int32_t)gx_range(g, 2, 3);
  a[0] = b[0] = gx_range(g, 1, 2);
  a[ndim - 2] = gx_range(g, 1, 5);
  a[ndim - 1] = b[ndim - 2] = gx_range(g, 1, 9);
  b[ndim - 1] = gx_range(g, 1, 6);
  return ndim;
}

static bool matmul_integer(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t a[3];
  int64_t b[3];
  tn_dtype types[] = {gx_dtype(g, form->types), gx_dtype(g, form->types)};
  int32_t ndim = matrices(g, a, b);
  bool each_row = gx_chance(g, 30) && ndim == 2;
  bool each_col = gx_chance(g, 30) && ndim == 2;
  gx_in(n, gx_same(g, types[0], ndim, a, GX_ANY));
  gx_in(n, gx_same(g, types[1], ndim, b, GX_ANY));
  gx_in(n, zero_or_none(g, types[0], each_row ? a[0] : 0));
  gx_in(n, zero_or_none(g, types[1], each_col ? b[1] : 0));
  return true;
}

static void quantised(gx_graph *g, gx_node *n, tn_dtype type, int32_t ndim, const int64_t *shape) {
  gx_in(n, gx_same(g, type, ndim, shape, GX_ANY));
  gx_in(n, scale_of(g, TN_DT_F32, 0));
  gx_in(n, zero_of(g, type, 0));
}

static void result_scale(gx_graph *g, gx_node *n, tn_dtype type) {
  gx_in(n, scale_of(g, TN_DT_F32, 0));
  gx_in(n, zero_of(g, type, 0));
}

static bool qlinear_matmul(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t a[3];
  int64_t b[3];
  int32_t ndim = matrices(g, a, b);
  quantised(g, n, gx_dtype(g, form->types), ndim, a);
  quantised(g, n, gx_dtype(g, form->types), ndim, b);
  result_scale(g, n, gx_dtype(g, form->types));
  return true;
}

static void conv_attrs(gx_graph *g, gx_node *n, int64_t groups) {
  const int64_t strides[] = {gx_range(g, 1, 2), gx_range(g, 1, 2)};
  const int64_t pads[] = {gx_range(g, 0, 1), gx_range(g, 0, 1), gx_range(g, 0, 1),
                          gx_range(g, 0, 1)};
  if (groups > 1) {
    gx_int(n, "group", groups);
  }
  if (gx_chance(g, 50)) {
    gx_ints(n, "strides", 2, strides);
  }
  if (gx_chance(g, 60)) {
    gx_ints(n, "pads", 4, pads);
  }
}

static bool conv_integer(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_linear = strcmp(form->op, "QLinearConv") == 0;
  tn_dtype types[] = {gx_dtype(g, form->types), gx_dtype(g, form->types)};
  int64_t groups = gx_range(g, 1, 2);
  int64_t in = gx_range(g, 1, 3);
  int64_t out = groups * gx_range(g, 1, 3);
  const int64_t x[] = {gx_range(g, 1, 2), groups * in, gx_range(g, 3, 7), gx_range(g, 3, 7)};
  const int64_t w[] = {out, in, gx_range(g, 1, 3), gx_range(g, 1, 3)};
  bool each_channel = gx_chance(g, 40);
  if (!is_linear) {
    gx_in(n, gx_same(g, types[0], 4, x, GX_ANY));
    gx_in(n, gx_same(g, types[1], 4, w, GX_ANY));
    gx_in(n, zero_or_none(g, types[0], 0));
    gx_in(n, gx_chance(g, 50) ? zero_of(g, types[1], each_channel ? out : 0) : -1);
    conv_attrs(g, n, groups);
    return true;
  }
  quantised(g, n, types[0], 4, x);
  gx_in(n, gx_same(g, types[1], 4, w, GX_ANY));
  gx_in(n, scale_of(g, TN_DT_F32, each_channel ? out : 0));
  gx_in(n, zero_of(g, types[1], each_channel ? out : 0));
  result_scale(g, n, types[0]);
  if (gx_chance(g, 60)) {
    gx_in(n, gx_leaf(g, TN_DT_I32, 1, &out, GX_SMALL));
  }
  conv_attrs(g, n, groups);
  return true;
}

/* ---- through float32 (com.microsoft) ---- */

static bool qlinear_unary(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_pool = strcmp(form->op, "QLinearGlobalAveragePool") == 0;
  int32_t x = gx_pick(g, form->types, is_pool ? 4 : 0, 4);
  tn_dtype type = gx_type(g, x);
  if (is_pool && tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, scale_of(g, TN_DT_F32, 0));
  gx_in(n, zero_of(g, type, 0));
  result_scale(g, n, type);
  if (strcmp(form->op, "QLinearLeakyRelu") == 0 && gx_chance(g, 60)) {
    gx_float(n, "alpha", 0.25);
  }
  if (is_pool && gx_chance(g, 60)) {
    gx_int(n, "channels_last", gx_range(g, 0, 1));
  }
  return true;
}

static bool qlinear_binary(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 0, 4);
  tn_dtype type = gx_type(g, x);
  int32_t y = gx_partner(g, x, type, false, GX_ANY);
  gx_in(n, x);
  gx_in(n, scale_of(g, TN_DT_F32, 0));
  gx_in(n, zero_of(g, type, 0));
  gx_in(n, y);
  gx_in(n, scale_of(g, TN_DT_F32, 0));
  gx_in(n, zero_of(g, type, 0));
  result_scale(g, n, type);
  return true;
}

static bool qlinear_concat(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  tn_array a = *gx_array(g, x);
  int32_t axis = (int32_t)gx_range(g, 0, a.ndim - 1);
  int64_t count = gx_range(g, 1, 3);
  result_scale(g, n, a.dtype);
  for (int64_t i = 0; i < count; ++i) {
    a.shape[axis] = i == 0 ? a.shape[axis] : gx_range(g, 1, 4);
    gx_in(n, i == 0 ? x : gx_same(g, a.dtype, a.ndim, a.shape, GX_ANY));
    gx_in(n, scale_of(g, TN_DT_F32, 0));
    gx_in(n, zero_of(g, a.dtype, 0));
  }
  gx_int(n, "axis", axis);
  return true;
}

/* clang-format off */
const gx_form gx_quant_forms[] = {
    {"", "QuantizeLinear", 10, 0, quantize, GX_F32 | GX_F16 | GX_BF16 | GX_I32, GX_ROUNDS, ""},
    {"", "DequantizeLinear", 10, 0, dequantize, GX_F32 | GX_F16 | GX_BF16, GX_ROUNDS, ""},
    {"", "DynamicQuantizeLinear", 11, 0, dynamic_quantize, GX_F32, GX_ROUNDS, ""},
    {"", "MatMulInteger", 10, 0, matmul_integer, BYTES, GX_EXACT, ""},
    {"", "ConvInteger", 10, 0, conv_integer, BYTES, GX_EXACT, ""},
    {"", "QLinearMatMul", 10, 0, qlinear_matmul, BYTES, GX_ROUNDS, ""},
    {"", "QLinearConv", 10, 0, conv_integer, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QuantizeLinear", 1, 0, quantize, GX_F32, GX_ROUNDS, ""},
    {"com.microsoft", "DequantizeLinear", 1, 0, dequantize, GX_F32, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearSigmoid", 1, 0, qlinear_unary, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearLeakyRelu", 1, 0, qlinear_unary, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearGlobalAveragePool", 1, 0, qlinear_unary, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearAdd", 1, 0, qlinear_binary, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearMul", 1, 0, qlinear_binary, BYTES, GX_ROUNDS, ""},
    {"com.microsoft", "QLinearConcat", 1, 0, qlinear_concat, BYTES, GX_ROUNDS, ""},
    {0},
};
/* clang-format on */
