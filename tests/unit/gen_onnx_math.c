/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: matrix products, reductions, softmax, norms. */
#include "gen_onnx_priv.h"

/* ---- products ---- */

enum { MAX_WORK = 20000 };

static bool matmul(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  int32_t a = gx_pick(g, g->opset < 9 ? GX_F16 | GX_F32 | GX_F64 : form->types, 1, 4);
  tn_array x = *gx_array(g, a);
  int64_t k = x.shape[x.ndim - 1];
  int64_t cols = gx_range(g, 1, 9);
  int32_t lead = x.ndim > 2 && gx_chance(g, 60) ? x.ndim - 2 : 0;
  if (tn_array_n_elems(gx_array(g, a)) * cols > MAX_WORK) {
    return false;
  }
  for (int32_t i = 0; i < lead; ++i) {
    shape[i] = gx_chance(g, 30) ? 1 : x.shape[i];
  }
  shape[lead] = k;
  shape[lead + 1] = cols;
  bool is_vector = lead == 0 && gx_chance(g, 15);
  gx_in(n, a);
  gx_in(n, gx_same(g, x.dtype, is_vector ? 1 : lead + 2, shape, GX_ANY));
  return true;
}

static bool gemm(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, g->opset < 9 ? GX_F16 | GX_F32 | GX_F64 : form->types, 2, 2);
  bool is_a_turned = gx_chance(g, 40);
  bool is_b_turned = gx_chance(g, 40);
  tn_dtype type = gx_type(g, a);
  int64_t rows = gx_dim(g, a, is_a_turned ? 1 : 0);
  int64_t k = gx_dim(g, a, is_a_turned ? 0 : 1);
  int64_t cols = gx_range(g, 1, 12);
  const int64_t b[] = {is_b_turned ? cols : k, is_b_turned ? k : cols};
  if (rows * k * cols > MAX_WORK) {
    return false;
  }
  gx_in(n, a);
  gx_in(n, gx_same(g, type, 2, b, GX_ANY));
  if (g->opset < 11 || gx_chance(g, 70)) {
    bool is_whole = g->opset < 7 || gx_chance(g, 30);
    const int64_t bias[] = {is_whole || gx_chance(g, 30) ? rows : 1, cols};
    int32_t skip = is_whole ? 0 : gx_chance(g, 50) ? 1 : 0;
    gx_in(n, gx_same(g, type, 2 - skip, bias + skip, GX_ANY));
  }
  if (is_a_turned || gx_chance(g, 20)) {
    gx_int(n, "transA", is_a_turned);
  }
  if (is_b_turned || gx_chance(g, 20)) {
    gx_int(n, "transB", is_b_turned);
  }
  if (gx_is_float(type) && gx_chance(g, 50)) {
    static const double some[] = {0.5, 2, 1, 0, -1, 0.3};
    gx_float(n, "alpha", some[gx_range(g, 0, 5)]);
    gx_float(n, "beta", some[gx_range(g, 0, 5)]);
    n->kind = GX_CANCELS;
  }
  return true;
}

static bool einsum(gx_graph *g, gx_node *n, const gx_form *form) {
  static const struct {
    const char *equation;
    const char *a; /* letters of the operands */
    const char *b;
  } some[] = {
      {"ij,jk->ik", "ij", "jk"},
      {"ij->ji", "ij", NULL},
      {"ij->i", "ij", NULL},
      {"i,j->ij", "i", "j"},
      {"i,i->", "i", "i"},
      {"bij,bjk->bik", "bij", "bjk"},
      {"bhid,bhjd->bhij", "bhid", "bhjd"},
      {"ij,ij->ij", "ij", "ij"},
      {"ii->i", "ii", NULL},
      {"...ij->...ji", "bij", NULL},
      {"ij,jk", "ij", "jk"},
      {" i j , j k -> k i", "ij", "jk"},
  };
  int64_t extents[26];
  int64_t at = gx_range(g, 0, (int64_t)(sizeof some / sizeof *some) - 1);
  tn_dtype type = gx_dtype(g, form->types);
  for (int32_t i = 0; i < 26; ++i) {
    extents[i] = gx_range(g, 1, 5);
  }
  for (int32_t k = 0; k < 2; ++k) {
    const char *letters = k == 0 ? some[at].a : some[at].b;
    int64_t shape[8];
    int32_t ndim = 0;
    while (letters != NULL && letters[ndim] != '\0') {
      shape[ndim] = extents[letters[ndim] - 'a'];
      ndim++;
    }
    if (letters != NULL) {
      gx_in(n, gx_same(g, type, ndim, shape, GX_ANY));
    }
  }
  gx_text(n, "equation", some[at].equation);
  return true;
}

/* ---- reductions ---- */

/* word: the opset from which the axes are an input. */
static bool reduce(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t axes[8];
  size_t count = 0;
  int32_t x = gx_pick(g, form->types, 0, 5);
  int64_t first_input = strcmp(form->op, "ReduceSum") == 0 ? 13 : 18;
  bool picks = strcmp(form->op, "ReduceMax") == 0 || strcmp(form->op, "ReduceMin") == 0;
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    if (gx_chance(g, 50)) {
      axes[count++] = gx_axis_form(g, i, gx_ndim(g, x));
    }
  }
  bool is_product = strcmp(form->op, "ReduceProd") == 0 && gx_is_float(gx_type(g, x));
  if (is_product && tn_array_n_elems(gx_array(g, x)) > 8) { /* overflows before it meets a zero */
    return false;
  }
  bool is_empty = tn_array_n_elems(gx_array(g, x)) == 0;
  bool is_mean = strcmp(form->op, "ReduceMean") == 0;
  if (is_empty && (picks || (is_mean && !gx_is_float(gx_type(g, x))))) {
    return false;
  }
  gx_in(n, x);
  if (count > 0 && gx_chance(g, 85)) {
    if (g->opset >= first_input) {
      gx_in(n, gx_const_ints(g, (int64_t)count, axes));
    } else {
      gx_ints(n, "axes", count, axes);
    }
  } else if (g->opset >= first_input && gx_chance(g, 40)) {
    gx_int(n, "noop_with_empty_axes", gx_range(g, 0, 1));
  }
  if (gx_chance(g, 60)) {
    gx_int(n, "keepdims", gx_range(g, 0, 1));
  }
  return true;
}

/* ---- along an axis ---- */

static bool softmax(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  if (gx_chance(g, 70) || (g->opset < 13 && gx_ndim(g, x) < 2)) {
    gx_int(n, "axis", gx_axis(g, gx_ndim(g, x)));
  }
  return true;
}

static bool lp_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  gx_in(n, x);
  if (gx_chance(g, 70)) {
    gx_int(n, "axis", gx_axis_form(g, gx_range(g, 0, gx_ndim(g, x) - 1), gx_ndim(g, x)));
  }
  if (gx_chance(g, 60)) {
    gx_int(n, "p", gx_range(g, 1, 2));
  }
  return true;
}

/* ---- norms ---- */

/* Data of so many dimensions with a batch and channels; extents small enough for all loops. */
static int32_t data_of(gx_graph *g, tn_dtype type, int32_t ndim, int64_t channels) {
  int64_t shape[5] = {gx_range(g, 1, 3), channels};
  for (int32_t i = 2; i < ndim; ++i) {
    shape[i] = gx_range(g, 1, ndim == 5 ? 5 : 8);
  }
  return gx_same(g, type, ndim, shape, GX_ANY);
}

static void epsilon(gx_graph *g, gx_node *n) {
  if (gx_chance(g, 60)) {
    gx_float(n, "epsilon", gx_chance(g, 50) ? 0.1 : 1e-3);
  }
}

static bool batch_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  int64_t channels = gx_range(g, 1, 6);
  gx_in(n, data_of(g, type, (int32_t)gx_range(g, 2, 5), channels));
  for (int32_t i = 0; i < 4; ++i) {
    gx_in(n, i < 3 ? gx_same(g, type, 1, &channels, GX_ANY)
                   : gx_leaf(g, type, 1, &channels, GX_NOT_ZERO));
  }
  if (g->opset < 7) {
    gx_int(n, "is_test", 1);
  }
  epsilon(g, n);
  return true;
}

static bool instance_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  int64_t channels = gx_range(g, 1, 6);
  gx_in(n, data_of(g, type, (int32_t)gx_range(g, 3, 5), channels));
  gx_in(n, gx_same(g, type, 1, &channels, GX_ANY));
  gx_in(n, gx_same(g, type, 1, &channels, GX_ANY));
  epsilon(g, n);
  return true;
}

static bool group_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  int64_t groups = gx_range(g, 1, 3);
  int64_t channels = groups * gx_range(g, 1, 3);
  int64_t scales = g->opset < 21 ? groups : channels;
  gx_in(n, data_of(g, type, (int32_t)gx_range(g, 2, 5), channels));
  gx_in(n, gx_same(g, type, 1, &scales, GX_ANY));
  gx_in(n, gx_same(g, type, 1, &scales, GX_ANY));
  gx_int(n, "num_groups", groups);
  epsilon(g, n);
  return true;
}

static bool layer_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  tn_array a = *gx_array(g, x);
  int32_t axis = (int32_t)gx_range(g, 0, a.ndim - 1);
  bool is_rms = strcmp(form->op, "RMSNormalization") == 0;
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, gx_same(g, a.dtype, a.ndim - axis, a.shape + axis, GX_ANY));
  if (!is_rms && gx_chance(g, 60)) {
    gx_in(n, gx_same(g, a.dtype, a.ndim - axis, a.shape + axis, GX_ANY));
  }
  if (!is_rms && gx_chance(g, 30)) {
    n->n_out = 3;
    n->out[1] = gx_chance(g, 30) ? -1 : 0;
  }
  gx_int(n, "axis", gx_axis_form(g, axis, a.ndim));
  epsilon(g, n);
  return true;
}

static bool mean_variance_norm(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t axes[5];
  size_t count = 0;
  int32_t x = gx_pick(g, form->types, 2, 4);
  gx_in(n, x);
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    if (gx_chance(g, 60) || (count == 0 && i == gx_ndim(g, x) - 1)) {
      axes[count++] = gx_axis_form(g, i, gx_ndim(g, x));
    }
  }
  if (gx_ndim(g, x) != 4 || gx_chance(g, 60)) {
    gx_ints(n, "axes", count, axes);
  }
  return tn_array_n_elems(gx_array(g, x)) > 0;
}

static bool lrn(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, data_of(g, gx_dtype(g, form->types), (int32_t)gx_range(g, 3, 5), gx_range(g, 1, 7)));
  gx_int(n, "size", gx_range(g, 1, 5));
  if (gx_chance(g, 50)) {
    gx_float(n, "alpha", 0.25);
    gx_float(n, "beta", 0.5);
    gx_float(n, "bias", 2);
  }
  return true;
}

enum { REDUCIBLE = GX_FLOATS | GX_I32 | GX_I64 | GX_U32 | GX_U64 };

/* clang-format off */
const gx_form gx_math_forms[] = {
    {"", "MatMul", 1, 0, matmul, GX_FLOATS | GX_I32 | GX_I64 | GX_U32 | GX_U64, GX_RING, ""},
    {"", "Gemm", 1, 0, gemm, GX_FLOATS | GX_I32 | GX_I64 | GX_U32 | GX_U64, GX_RING, ""},
    {"", "Einsum", 12, 0, einsum, GX_F16 | GX_F32 | GX_F64 | GX_I32 | GX_I64, GX_RING, ""},
    {"", "ReduceL1", 1, 0, reduce, REDUCIBLE, GX_RING, ""},
    {"", "ReduceL2", 1, 0, reduce, REDUCIBLE, GX_ROUNDS, ""},
    {"", "ReduceLogSum", 1, 0, reduce, GX_FLOATS, GX_CANCELS, ""},
    {"", "ReduceLogSumExp", 1, 0, reduce, GX_FLOATS, GX_CANCELS, ""},
    {"", "ReduceMax", 1, 0, reduce, REDUCIBLE | GX_I8 | GX_U8, GX_EXACT, ""},
    {"", "ReduceMin", 1, 0, reduce, REDUCIBLE | GX_I8 | GX_U8, GX_EXACT, ""},
    {"", "ReduceMean", 1, 0, reduce, REDUCIBLE, GX_CANCELS, ""},
    {"", "ReduceProd", 1, 0, reduce, REDUCIBLE, GX_ROUNDS, ""},
    {"", "ReduceSum", 1, 0, reduce, REDUCIBLE, GX_RING, ""},
    {"", "ReduceSumSquare", 1, 0, reduce, REDUCIBLE, GX_CANCELS, ""},
    {"", "Softmax", 1, 0, softmax, GX_FLOATS, GX_ROUNDS, ""},
    {"", "LogSoftmax", 1, 0, softmax, GX_FLOATS, GX_CANCELS, ""},
    {"", "Hardmax", 1, 0, softmax, GX_FLOATS, GX_EXACT, ""},
    {"", "LpNormalization", 1, 0, lp_norm, GX_FLOATS, GX_ROUNDS, ""},
    {"", "BatchNormalization", 1, 0, batch_norm, GX_FLOATS, GX_CANCELS, ""},
    {"", "InstanceNormalization", 6, 0, instance_norm, GX_FLOATS, GX_CANCELS, ""},
    {"", "GroupNormalization", 18, 0, group_norm, GX_FLOATS, GX_CANCELS, ""},
    {"", "LayerNormalization", 17, 0, layer_norm, GX_FLOATS, GX_CANCELS, ""},
    {"", "RMSNormalization", 23, 0, layer_norm, GX_FLOATS, GX_ROUNDS, ""},
    {"", "MeanVarianceNormalization", 9, 0, mean_variance_norm, GX_FLOATS, GX_CANCELS, ""},
    {"", "LRN", 1, 0, lrn, GX_FLOATS, GX_ROUNDS, ""},
    {0},
};
/* clang-format on */
