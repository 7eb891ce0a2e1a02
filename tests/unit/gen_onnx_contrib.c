/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: com.microsoft and ai.onnx.ml. Each of com.microsoft is in most forms what an
 * exporter writes, with its optional operands left out now and then. */
#include "gen_onnx_priv.h"

/* A vector along the last dimension of x. */
static int32_t last_vector(gx_graph *g, int32_t x, gx_fill fill) {
  int64_t n = gx_dim(g, x, gx_ndim(g, x) - 1);
  return gx_same(g, gx_type(g, x), 1, &n, fill);
}

/* ---- activations and norms ---- */

static bool with_bias(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  gx_in(n, x);
  if (strcmp(form->op, "FastGelu") != 0 || gx_chance(g, 60)) {
    gx_in(n, last_vector(g, x, GX_ANY));
  }
  return true;
}

static bool quick_gelu(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 4));
  if (gx_chance(g, 60)) {
    gx_float(n, "alpha", 1.5);
  }
  return true;
}

static bool bias_add(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[3] = {gx_range(g, 1, 2), gx_range(g, 1, 5), gx_range(g, 1, 6)};
  tn_dtype type = gx_dtype(g, form->types);
  gx_in(n, gx_same(g, type, 3, shape, GX_ANY));
  gx_in(n, gx_same(g, type, 1, shape + 2, GX_ANY));
  gx_in(n, gx_same(g, type, 3, shape, GX_ANY));
  return true;
}

static bool layer_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  bool is_simple = strncmp(form->op, "Simplified", 10) == 0;
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, last_vector(g, x, GX_ANY));
  if (!is_simple && gx_chance(g, 50)) {
    gx_in(n, last_vector(g, x, GX_ANY));
  }
  gx_float(n, "epsilon", 0.01);
  return true;
}

static bool skip_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_simple = strstr(form->op, "Simplified") != NULL;
  int64_t shape[3] = {gx_range(g, 1, 2), gx_range(g, 1, 4), gx_range(g, 2, 8)};
  tn_dtype type = gx_dtype(g, form->types);
  int32_t x = gx_same(g, type, 3, shape, GX_ANY);
  gx_in(n, x);
  gx_in(n, gx_same(g, type, 3, shape, GX_ANY));
  gx_in(n, last_vector(g, x, GX_ANY));
  if (!is_simple) {
    gx_in(n, gx_chance(g, 60) ? last_vector(g, x, GX_ANY) : -1);
  }
  gx_in(n, gx_chance(g, 60) ? last_vector(g, x, GX_ANY) : -1);
  gx_float(n, "epsilon", 0.01);
  return true;
}

/* ---- products ---- */

static bool fused_gemm(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const acts[] = {"Relu", "Tanh", "Sigmoid"};
  tn_dtype type = gx_dtype(g, form->types);
  int64_t a[] = {gx_range(g, 1, 6), gx_range(g, 1, 8)};
  int64_t b[] = {a[1], gx_range(g, 1, 6)};
  gx_in(n, gx_same(g, type, 2, a, GX_ANY));
  gx_in(n, gx_same(g, type, 2, b, GX_ANY));
  gx_in(n, gx_same(g, type, 1, b + 1, GX_ANY));
  gx_text(n, "activation", acts[gx_range(g, 0, 2)]);
  if (gx_chance(g, 40)) {
    gx_float(n, "alpha", 0.5);
  }
  return true;
}

static bool fused_matmul(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  bool a_turned = gx_chance(g, 40);
  bool b_turned = gx_chance(g, 40);
  int64_t lead = gx_range(g, 1, 3);
  int64_t rows = gx_range(g, 1, 5);
  int64_t k = gx_range(g, 1, 7);
  int64_t cols = gx_range(g, 1, 5);
  const int64_t a[] = {lead, a_turned ? k : rows, a_turned ? rows : k};
  const int64_t b[] = {lead, b_turned ? cols : k, b_turned ? k : cols};
  int32_t skip = gx_chance(g, 50);
  gx_in(n, gx_same(g, type, 3 - skip, a + skip, GX_ANY));
  gx_in(n, gx_same(g, type, 3 - skip, b + skip, GX_ANY));
  if (a_turned) {
    gx_int(n, "transA", 1);
  }
  if (b_turned) {
    gx_int(n, "transB", 1);
  }
  if (gx_chance(g, 50)) {
    gx_float(n, "alpha", 0.25);
  }
  return true;
}

static bool cdist(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  const int64_t a[] = {gx_range(g, 1, 5), gx_range(g, 1, 5)};
  const int64_t b[] = {gx_range(g, 1, 5), a[1]};
  gx_in(n, gx_same(g, type, 2, a, GX_ANY));
  gx_in(n, gx_same(g, type, 2, b, GX_ANY));
  gx_text(n, "metric", gx_chance(g, 50) ? "euclidean" : "sqeuclidean");
  return true;
}

static bool fused_conv(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const acts[] = {"Relu", "Tanh", "Sigmoid"};
  tn_dtype type = gx_dtype(g, form->types);
  int64_t in = gx_range(g, 1, 3);
  int64_t out = gx_range(g, 1, 4);
  const int64_t x[] = {1, in, gx_range(g, 3, 7), gx_range(g, 3, 7)};
  const int64_t w[] = {out, in, gx_range(g, 1, 3), gx_range(g, 1, 3)};
  gx_in(n, gx_same(g, type, 4, x, GX_ANY));
  gx_in(n, gx_same(g, type, 4, w, GX_SMALL));
  if (gx_chance(g, 70)) {
    gx_in(n, gx_same(g, type, 1, &out, GX_ANY));
  }
  gx_text(n, "activation", acts[gx_range(g, 0, 2)]);
  return true;
}

/* ---- moves ---- */

static bool trilu(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 2, 4));
  gx_in(n, gx_chance(g, 60) ? gx_const_number(g, TN_DT_I64, (double)gx_range(g, -2, 2)) : -1);
  gx_int(n, "upper", gx_range(g, 0, 1));
  return true;
}

static bool expand_dims(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 0, 3);
  gx_in(n, x);
  gx_in(n, gx_const_number(g, TN_DT_I32, (double)gx_range(g, 0, gx_ndim(g, x))));
  return true;
}

static bool range(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  double start = (double)gx_range(g, -3, 3);
  gx_in(n, gx_const_number(g, type, start));
  gx_in(n, gx_const_number(g, type, start + (double)gx_range(g, 0, 9)));
  gx_in(n, gx_const_number(g, type, (double)gx_range(g, 1, 3)));
  return true;
}

/* ---- quantised ---- */

static int32_t scale_of(gx_graph *g, int64_t n) {
  static const double some[] = {0.0625, 0.125, 0.25, 0.5, 1};
  int32_t id =
      n > 0 ? gx_leaf(g, TN_DT_F32, 1, &n, GX_UNIT) : gx_leaf(g, TN_DT_F32, 0, NULL, GX_UNIT);
  for (int64_t i = 0; i < tn_array_n_elems(gx_array(g, id)); ++i) {
    tn_array_set_f64(gx_array(g, id), i, some[gx_range(g, 0, 4)]);
  }
  return id;
}

static int32_t zero_of(gx_graph *g, tn_dtype type) { return gx_leaf(g, type, 0, NULL, GX_SMALL); }

static bool matmul_to_float(gx_graph *g, gx_node *n, const gx_form *form) {
  const int64_t a[] = {gx_range(g, 1, 5), gx_range(g, 1, 8)};
  const int64_t b[] = {a[1], gx_range(g, 1, 5)};
  tn_dtype types[] = {gx_dtype(g, form->types), gx_dtype(g, form->types)};
  bool is_dynamic = strcmp(form->op, "DynamicQuantizeMatMul") == 0;
  bool each = gx_chance(g, 40);
  gx_in(n, gx_same(g, is_dynamic ? TN_DT_F32 : types[0], 2, a, GX_ANY));
  gx_in(n, gx_same(g, types[1], 2, b, GX_ANY));
  if (!is_dynamic) {
    gx_in(n, scale_of(g, 0));
  }
  gx_in(n, scale_of(g, each ? b[1] : 0));
  if (!is_dynamic) {
    gx_in(n, zero_of(g, types[0]));
  }
  gx_in(n, each ? gx_leaf(g, types[1], 1, b + 1, GX_SMALL) : zero_of(g, types[1]));
  if (gx_chance(g, 50)) {
    gx_in(n, gx_same(g, TN_DT_F32, 1, b + 1, GX_ANY));
  }
  return true;
}

static bool qlinear_where(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 0, 4);
  tn_dtype type = gx_type(g, x);
  int32_t y = gx_partner(g, x, type, true, GX_ANY);
  gx_in(n, gx_partner(g, x, TN_DT_BOOL, true, GX_ANY));
  gx_in(n, x);
  gx_in(n, scale_of(g, 0));
  gx_in(n, zero_of(g, type));
  gx_in(n, y);
  gx_in(n, scale_of(g, 0));
  gx_in(n, zero_of(g, type));
  gx_in(n, scale_of(g, 0));
  gx_in(n, zero_of(g, type));
  return true;
}

static bool qlinear_along(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  tn_dtype type = gx_type(g, x);
  int64_t axis = gx_range(g, 0, gx_ndim(g, x) - 1);
  bool is_mean = strcmp(form->op, "QLinearReduceMean") == 0;
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, scale_of(g, 0));
  gx_in(n, zero_of(g, type));
  gx_in(n, scale_of(g, 0));
  gx_in(n, zero_of(g, type));
  if (is_mean) {
    gx_ints(n, "axes", 1, &axis);
    gx_int(n, "keepdims", gx_range(g, 0, 1));
  } else {
    gx_int(n, "axis", axis);
    gx_int(n, "opset", 13);
  }
  return true;
}

/* ---- ai.onnx.ml ---- */

static bool binarizer(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 1, 3));
  gx_float(n, "threshold", (double)gx_range(g, -1, 2));
  return true;
}

static bool scaler(gx_graph *g, gx_node *n, const gx_form *form) {
  static const float offsets[] = {0.5F, -1, 2, 0, 1, 3};
  static const float scales[] = {2, 0.5F, 1, -1, 4, 0.25F};
  int64_t shape[] = {gx_range(g, 1, 5), gx_range(g, 1, 6)};
  size_t count = gx_chance(g, 50) ? 1 : (size_t)shape[1];
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 2, shape, GX_ANY));
  onnx_attr_floats(&n->attrs, "offset", count, offsets);
  onnx_attr_floats(&n->attrs, "scale", count, scales);
  return true;
}

static bool normalizer(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const norms[] = {"MAX", "L1", "L2"};
  int64_t shape[] = {gx_range(g, 1, 5), gx_range(g, 1, 6)};
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 2, shape, GX_NOT_ZERO));
  gx_text(n, "norm", norms[gx_range(g, 0, 2)]);
  return true;
}

static bool linear_regressor(gx_graph *g, gx_node *n, const gx_form *form) {
  static const float weights[] = {1, -2, 0.5F, 3, -1, 0.25F, 2, -0.5F};
  static const float biases[] = {0.5F, -1};
  int64_t shape[] = {gx_range(g, 1, 5), gx_range(g, 1, 4)};
  int64_t targets = gx_range(g, 1, 2);
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 2, shape, GX_ANY));
  onnx_attr_floats(&n->attrs, "coefficients", (size_t)(shape[1] * targets), weights);
  if (gx_chance(g, 60)) {
    onnx_attr_floats(&n->attrs, "intercepts", (size_t)targets, biases);
  }
  gx_int(n, "targets", targets);
  return true;
}

static bool extractor(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 3);
  int64_t extent = gx_dim(g, x, gx_ndim(g, x) - 1);
  int64_t count = gx_range(g, 1, 4);
  if (extent == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, gx_indices(g, TN_DT_I64, 1, &count, 0, extent - 1));
  return true;
}

enum { BYTES = GX_I8 | GX_U8, REALS = GX_F16 | GX_F32 | GX_F64 };
#define MS "com.microsoft"
#define ML "ai.onnx.ml"

/* clang-format off */
const gx_form gx_contrib_forms[] = {
    {MS, "BiasGelu", 1, 0, with_bias, REALS, GX_CANCELS, ""},
    {MS, "FastGelu", 1, 0, with_bias, REALS, GX_CANCELS, ""},
    {MS, "QuickGelu", 1, 0, quick_gelu, REALS, GX_ROUNDS, ""},
    {MS, "BiasAdd", 1, 0, bias_add, REALS, GX_RING, ""},
    {MS, "LayerNormalization", 1, 0, layer_norm, REALS, GX_CANCELS, ""},
    {MS, "SimplifiedLayerNormalization", 1, 0, layer_norm, REALS, GX_CANCELS, ""},
    {"", "SimplifiedLayerNormalization", 1, 0, layer_norm, REALS, GX_CANCELS, ""},
    {MS, "SkipLayerNormalization", 1, 0, skip_norm, REALS, GX_CANCELS, ""},
    {MS, "SkipSimplifiedLayerNormalization", 1, 0, skip_norm, REALS, GX_CANCELS, ""},
    {MS, "FusedGemm", 1, 0, fused_gemm, REALS, GX_CANCELS, ""},
    {MS, "FusedMatMul", 1, 0, fused_matmul, REALS, GX_CANCELS, ""},
    {MS, "TransposeMatMul", 1, 0, fused_matmul, REALS, GX_CANCELS, ""},
    {MS, "CDist", 1, 0, cdist, GX_F32 | GX_F64, GX_CANCELS, ""},
    {MS, "FusedConv", 1, 0, fused_conv, REALS, GX_CANCELS, ""},
    {MS, "Trilu", 1, 0, trilu, GX_F32 | GX_F64 | GX_I64 | GX_BOOL, GX_EXACT, ""},
    {MS, "ExpandDims", 1, 0, expand_dims, GX_ALL, GX_EXACT, ""},
    {MS, "Range", 1, 0, range, GX_F32 | GX_F64 | GX_I16 | GX_INDEX, GX_RING, ""},
    {MS, "MatMulIntegerToFloat", 1, 0, matmul_to_float, BYTES, GX_CANCELS, ""},
    {MS, "DynamicQuantizeMatMul", 1, 0, matmul_to_float, BYTES, GX_CANCELS, ""},
    {MS, "QLinearWhere", 1, 0, qlinear_where, BYTES, GX_ROUNDS, ""},
    {MS, "QLinearSoftmax", 1, 0, qlinear_along, BYTES, GX_ROUNDS, ""},
    {MS, "QLinearReduceMean", 1, 0, qlinear_along, BYTES, GX_CANCELS, ""},
    {ML, "Binarizer", 1, 0, binarizer, GX_F32 | GX_F64 | GX_INDEX, GX_EXACT, ""},
    {ML, "Scaler", 1, 0, scaler, GX_F32 | GX_F64 | GX_INDEX, GX_CANCELS, ""},
    {ML, "Normalizer", 1, 0, normalizer, GX_F32 | GX_F64 | GX_INDEX, GX_ROUNDS, ""},
    {ML, "LinearRegressor", 1, 0, linear_regressor, GX_F32, GX_CANCELS, ""},
    {ML, "ArrayFeatureExtractor", 1, 0, extractor, GX_F32 | GX_F64 | GX_INDEX, GX_EXACT, ""},
    {0},
};
/* clang-format on */
