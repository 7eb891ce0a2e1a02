/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: gathers, scatters, the largest, sums along an axis. */
#include "gen_onnx_priv.h"

static tn_dtype index_type(gx_graph *g) { return gx_dtype(g, GX_INDEX); }

/* Indices below 0 count from the end since opset 11. */
static int64_t lowest(const gx_graph *g, int64_t extent) { return g->opset < 11 ? 0 : -extent; }

static bool gather(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  int32_t x = gx_pick(g, form->types, 1, 4);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  int64_t extent = gx_dim(g, x, axis);
  int32_t ndim = gx_rank(g, 0, 2);
  for (int32_t i = 0; i < ndim; ++i) {
    shape[i] = gx_chance(g, 5) ? 0 : gx_range(g, 1, 4);
  }
  if (extent == 0) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, gx_indices(g, index_type(g), ndim, shape, lowest(g, extent), extent - 1));
  if (axis != 0 || gx_chance(g, 50)) {
    gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  }
  return true;
}

/* An extent of each dimension from 1 to the operand's; any along `axis`. */
static bool part_shape(gx_graph *g, int32_t x, int32_t axis, bool is_distinct, int64_t *shape) {
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    int64_t own = gx_dim(g, x, i);
    if (own == 0) {
      return false;
    }
    shape[i] = gx_chance(g, 50) ? own : gx_range(g, 1, own);
    shape[i] = i == axis && !is_distinct ? gx_range(g, 1, 5) : shape[i];
  }
  return true;
}

static bool gather_elements(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  int32_t x = gx_pick(g, form->types, 1, 4);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  int64_t extent = gx_dim(g, x, axis);
  if (!part_shape(g, x, axis, false, shape)) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, gx_indices(g, index_type(g), gx_ndim(g, x), shape, -extent, extent - 1));
  gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  return true;
}

static const char *reduction(gx_graph *g) {
  static const char *const all[] = {"none", "add", "mul", "max", "min"};
  return all[g->opset < 16 ? 0 : gx_range(g, 0, g->opset < 18 ? 2 : 4)];
}

static void set_reduction(gx_graph *g, gx_node *n, const char *how) {
  if (g->opset >= 16 && (strcmp(how, "none") != 0 || gx_chance(g, 50))) {
    gx_text(n, "reduction", how);
  }
  n->kind = strcmp(how, "add") == 0 || strcmp(how, "mul") == 0 ? GX_RING : GX_EXACT;
}

/* Without a reduction no place may come twice. */
static bool scatter_elements(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  const char *how = reduction(g);
  bool is_distinct = strcmp(how, "none") == 0;
  bool is_bool_ok = is_distinct;
  int32_t x = gx_pick(g, is_bool_ok ? form->types : form->types & ~(uint32_t)GX_BOOL, 1, 4);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  if (!part_shape(g, x, axis, is_distinct, shape)) {
    return false;
  }
  int64_t extent = gx_dim(g, x, axis);
  tn_dtype type = gx_type(g, x);
  int32_t at = gx_indices(g, index_type(g), gx_ndim(g, x), shape, lowest(g, extent), extent - 1);
  int64_t inner = 1;
  for (int32_t i = axis + 1; i < gx_ndim(g, x); ++i) {
    inner *= shape[i];
  }
  int64_t first = gx_range(g, 0, extent - 1);
  for (int64_t i = 0; is_distinct && i < tn_array_n_elems(gx_array(g, at)); ++i) {
    tn_array_set_i64(gx_array(g, at), i, (first + i / inner % shape[axis]) % extent);
  }
  gx_in(n, x);
  gx_in(n, at);
  gx_in(n, gx_same(g, type, gx_ndim(g, x), shape, GX_ANY));
  gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  set_reduction(g, n, how);
  return true;
}

/* Indices of shape [..., k] of the first k dimensions after `batch`. */
static int32_t places(gx_graph *g, int32_t x, int32_t batch, int32_t k, int32_t n_lead,
                      const int64_t *lead, bool is_distinct) {
  int64_t shape[8];
  int64_t all = 1;
  for (int32_t i = 0; i < n_lead; ++i) {
    shape[i] = lead[i];
    all *= lead[i];
  }
  shape[n_lead] = k;
  int32_t id = gx_indices(g, TN_DT_I64, n_lead + 1, shape, 0, 0);
  int64_t space = 1;
  for (int32_t i = 0; i < k; ++i) {
    space *= gx_dim(g, x, batch + i);
  }
  int64_t first = space == 0 ? 0 : gx_range(g, 0, space - 1);
  for (int64_t i = 0; i < all; ++i) {
    int64_t at = is_distinct ? (first + i) % space : gx_range(g, 0, space - 1);
    for (int32_t d = k - 1; d >= 0; --d) {
      int64_t extent = gx_dim(g, x, batch + d);
      int64_t index = at % extent;
      bool from_end = g->opset >= 11 && !is_distinct && gx_chance(g, 30);
      tn_array_set_i64(gx_array(g, id), i * k + d, from_end ? index - extent : index);
      at /= extent;
    }
  }
  return id;
}

static bool has_empty(gx_graph *g, int32_t x) { return tn_array_n_elems(gx_array(g, x)) == 0; }

static bool gather_nd(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t lead[8];
  int32_t x = gx_pick(g, form->types, 1, 4);
  int32_t ndim = gx_ndim(g, x);
  int32_t batch = g->opset >= 12 && ndim > 1 && gx_chance(g, 40) ? 1 : 0;
  int32_t k = (int32_t)gx_range(g, 1, ndim - batch);
  int32_t n_lead = batch + (int32_t)gx_range(g, batch == 0 ? 1 : 0, 1);
  if (has_empty(g, x)) {
    return false;
  }
  for (int32_t i = 0; i < n_lead; ++i) {
    lead[i] = i < batch ? gx_dim(g, x, i) : gx_range(g, 1, 5);
  }
  gx_in(n, x);
  gx_in(n, places(g, x, batch, k, n_lead, lead, false));
  if (batch > 0 || (g->opset >= 12 && gx_chance(g, 30))) {
    gx_int(n, "batch_dims", batch);
  }
  return true;
}

static bool scatter_nd(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  const char *how = reduction(g);
  bool is_distinct = strcmp(how, "none") == 0;
  int32_t x = gx_pick(g, is_distinct ? form->types : form->types & ~(uint32_t)GX_BOOL, 1, 4);
  int32_t ndim = gx_ndim(g, x);
  int32_t k = (int32_t)gx_range(g, 1, ndim);
  int64_t space = 1;
  if (has_empty(g, x)) {
    return false;
  }
  for (int32_t i = 0; i < k; ++i) {
    space *= gx_dim(g, x, i);
  }
  shape[0] = is_distinct ? gx_range(g, 1, space < 6 ? space : 6) : gx_range(g, 0, 6);
  tn_dtype type = gx_type(g, x);
  int32_t at = places(g, x, 0, k, 1, shape, is_distinct);
  for (int32_t i = k; i < ndim; ++i) {
    shape[1 + i - k] = gx_dim(g, x, i);
  }
  gx_in(n, x);
  gx_in(n, at);
  gx_in(n, gx_same(g, type, 1 + ndim - k, shape, GX_ANY));
  set_reduction(g, n, how);
  return true;
}

static bool one_hot(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  int64_t two = 2;
  int32_t ndim = gx_rank(g, 1, 3);
  int64_t depth = gx_range(g, 1, 6);
  gx_shape(g, ndim, shape);
  gx_in(n, gx_indices(g, gx_dtype(g, GX_I32 | GX_I64 | GX_F32), ndim, shape, lowest(g, depth),
                      depth)); /* one beyond: a row of off values */
  gx_in(n, gx_const_number(g, gx_dtype(g, GX_I64 | GX_F32 | GX_I32), (double)depth));
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 1, &two, GX_ANY));
  if (gx_chance(g, 60)) {
    gx_int(n, "axis", gx_axis_form(g, gx_range(g, 0, ndim), ndim + 1));
  }
  return true;
}

static bool topk(gx_graph *g, gx_node *n, const gx_form *form) {
  const int64_t one = 1;
  uint32_t mask = g->opset < 11 ? GX_F16 | GX_F32 | GX_F64 : form->types;
  int32_t x = gx_pick(g, mask, 1, 4);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  if (gx_dim(g, x, axis) == 0) {
    return false;
  }
  int64_t k = gx_range(g, 1, gx_dim(g, x, axis));
  gx_in(n, x);
  if (g->opset < 10) {
    gx_int(n, "k", k);
  } else {
    int32_t id = gx_const(g, TN_DT_I64, 1, &one);
    tn_array_set_i64(gx_array(g, id), 0, k);
    gx_in(n, id);
  }
  gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  if (g->opset >= 11 && gx_chance(g, 50)) {
    gx_int(n, "largest", gx_range(g, 0, 1));
  }
  n->n_out = 2;
  return true;
}

static bool arg(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  if (gx_dim(g, x, axis) == 0) {
    return false;
  }
  gx_in(n, x);
  gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  if (gx_chance(g, 50)) {
    gx_int(n, "keepdims", gx_range(g, 0, 1));
  }
  if (g->opset >= 12 && gx_chance(g, 50)) {
    gx_int(n, "select_last_index", gx_range(g, 0, 1));
  }
  return true;
}

static bool cumsum(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  int64_t axis = gx_axis(g, gx_ndim(g, x));
  gx_in(n, x);
  gx_in(n, gx_const_number(g, gx_dtype(g, GX_INDEX), (double)axis));
  if (gx_chance(g, 40)) {
    gx_int(n, "exclusive", 1);
  }
  if (gx_chance(g, 40)) {
    gx_int(n, "reverse", 1);
  }
  return true;
}

/* ---- results whose extents the numbers decide ---- */

static bool nonzero(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 1, 4));
  return true;
}

static bool compress(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 4);
  bool has_axis = gx_chance(g, 60);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  int64_t all = has_axis ? gx_dim(g, x, axis) : tn_array_n_elems(gx_array(g, x));
  all = all > 20 ? 20 : all;
  gx_in(n, x);
  gx_in(n, gx_leaf(g, TN_DT_BOOL, 1, &all, GX_ANY));
  if (has_axis) {
    gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  }
  return true;
}

static bool unique(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 3);
  gx_in(n, x);
  if (has_empty(g, x)) {
    return false;
  }
  if (gx_chance(g, 40)) {
    gx_int(n, "axis", gx_axis(g, gx_ndim(g, x)));
  }
  if (gx_chance(g, 50)) {
    gx_int(n, "sorted", gx_range(g, 0, 1));
  }
  n->n_out = (int32_t)gx_range(g, 1, 4);
  return true;
}

static bool reverse_sequence(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 2, 4);
  int64_t time = gx_range(g, 0, 1);
  int64_t batch = gx_dim(g, x, (int32_t)(1 - time));
  if (has_empty(g, x)) {
    return false;
  }
  gx_in(n, x);
  gx_in(n, gx_indices(g, TN_DT_I64, 1, &batch, 1, gx_dim(g, x, (int32_t)time)));
  gx_int(n, "time_axis", time);
  gx_int(n, "batch_axis", 1 - time);
  return true;
}

/* clang-format off */
const gx_form gx_index_forms[] = {
    {"", "Gather", 1, 0, gather, GX_ALL, GX_EXACT, ""},
    {"", "GatherElements", 11, 0, gather_elements, GX_ALL, GX_EXACT, ""},
    {"", "GatherND", 11, 0, gather_nd, GX_ALL, GX_EXACT, ""},
    {"", "Scatter", 9, 10, scatter_elements, GX_ALL, GX_EXACT, ""},
    {"", "ScatterElements", 11, 0, scatter_elements, GX_ALL, GX_EXACT, ""},
    {"", "ScatterND", 11, 0, scatter_nd, GX_ALL, GX_EXACT, ""},
    {"", "OneHot", 9, 0, one_hot, GX_ALL & ~GX_BF16, GX_EXACT, ""},
    {"", "TopK", 1, 0, topk, GX_NUMBERS & ~GX_BF16, GX_EXACT, ""},
    {"", "ArgMax", 1, 0, arg, GX_NUMBERS, GX_EXACT, ""},
    {"", "ArgMin", 1, 0, arg, GX_NUMBERS, GX_EXACT, ""},
    {"", "CumSum", 11, 0, cumsum, GX_F32 | GX_F64 | GX_I32 | GX_I64 | GX_U32 | GX_U64, GX_RING, ""},
    {"", "NonZero", 9, 0, nonzero, GX_ALL, GX_EXACT, ""},
    {"", "Compress", 9, 0, compress, GX_ALL, GX_EXACT, ""},
    {"", "Unique", 11, 0, unique, GX_NUMBERS & ~GX_BF16, GX_EXACT, ""},
    {"", "ReverseSequence", 10, 0, reverse_sequence, GX_ALL, GX_EXACT, ""},
    {0},
};
/* clang-format on */
