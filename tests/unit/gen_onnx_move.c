/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: shapes, parts, joins, repeats, borders, tensors of nothing. */
#include "gen_onnx_priv.h"

#include <limits.h>

#include "tn_test.h"

/* ---- shapes ---- */

static bool transpose(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t perm[8];
  int32_t x = gx_pick(g, form->types, 0, 5);
  int32_t ndim = gx_ndim(g, x);
  gx_in(n, x);
  for (int32_t i = 0; i < ndim; ++i) {
    int64_t k = gx_range(g, 0, i);
    perm[i] = perm[k];
    perm[k] = i;
  }
  if (gx_chance(g, 80) && ndim > 0) {
    gx_ints(n, "perm", (size_t)ndim, perm);
  }
  return true;
}

/* Some shape of `n` elements. */
static int32_t factors(gx_graph *g, int64_t n, int64_t *out) {
  int32_t count = 0;
  while (count < 4 && n > 1) {
    int64_t d = gx_range(g, 2, 6);
    if (n % d == 0) {
      out[count++] = d;
      n /= d;
    } else if (gx_chance(g, 30)) {
      break;
    }
  }
  if (n != 1 || count == 0 || gx_chance(g, 20)) {
    out[count++] = n;
  }
  for (int32_t i = count - 1; i > 0; --i) {
    int64_t k = gx_range(g, 0, i);
    int64_t t = out[k];
    out[k] = out[i];
    out[i] = t;
  }
  return count;
}

/* A vector of integers that a node made, whose product is `n`; -1: none. */
static int32_t made_shape(gx_graph *g, int64_t n) {
  for (int32_t i = (int32_t)g->values.len - 1; i >= 0; --i) {
    const tn_array *a = gx_array(g, i);
    int64_t all = 1;
    if (g->values.data[i].place != GX_NODE || a->dtype != TN_DT_I64 || a->ndim != 1 ||
        a->shape[0] > 5 || a->shape[0] == 0) {
      continue;
    }
    for (int64_t k = 0; k < a->shape[0]; ++k) {
      int64_t d = tn_array_get_i64(a, k);
      all = d < 0 || d > 4000 || all > 4000 ? -1 : all * d;
    }
    if (all == n) {
      return i;
    }
  }
  return -1;
}

static bool reshape(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t shape[8];
  int32_t x = gx_pick(g, form->types, 0, 5);
  int64_t all = tn_array_n_elems(gx_array(g, x));
  int32_t made = g->opset >= 5 && gx_chance(g, 50) ? made_shape(g, all) : -1;
  gx_in(n, x);
  if (made >= 0 && all > 0) {
    gx_in(n, made);
    return true;
  }
  int32_t count = factors(g, all, shape);
  bool has_zero = all == 0;
  if (gx_chance(g, 40) && !has_zero) {
    shape[gx_range(g, 0, count - 1)] = -1;
  }
  for (int32_t i = 0; i < count && i < gx_ndim(g, x) && !has_zero; ++i) {
    shape[i] = shape[i] == gx_dim(g, x, i) && gx_chance(g, 50) ? 0 : shape[i];
  }
  if (has_zero && g->opset < 14) { /* a 0 is the operand's extent there */
    return false;
  }
  if (has_zero) {
    gx_int(n, "allowzero", 1);
  }
  if (g->opset < 5) {
    gx_ints(n, "shape", (size_t)count, shape);
  } else {
    gx_in(n, gx_const_ints(g, count, shape));
  }
  return true;
}

static bool flatten(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, g->opset < 9 ? form->types & GX_FLOATS : form->types, 1, 5);
  int32_t ndim = gx_ndim(g, x);
  gx_in(n, x);
  if (gx_chance(g, 75)) {
    gx_int(n, "axis", gx_range(g, g->opset < 11 ? 0 : -ndim, ndim));
  }
  return true;
}

static void axes_operand(gx_graph *g, gx_node *n, int64_t first_input, size_t count,
                         const int64_t *axes) {
  if (g->opset >= first_input) {
    gx_in(n, gx_const_ints(g, (int64_t)count, axes));
  } else {
    gx_ints(n, "axes", count, axes);
  }
}

static bool squeeze(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t axes[8];
  size_t count = 0;
  int32_t x = gx_pick(g, form->types, 1, 5);
  gx_in(n, x);
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    if (gx_dim(g, x, i) == 1 && gx_chance(g, 70)) {
      axes[count++] = gx_axis_form(g, i, gx_ndim(g, x));
    }
  }
  if (count > 0) {
    axes_operand(g, n, 13, count, axes);
  }
  return true;
}

static bool unsqueeze(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t axes[3];
  size_t count = 0;
  int32_t x = gx_pick(g, form->types, 0, 3);
  int32_t want = (int32_t)gx_range(g, 1, 2);
  int32_t ndim = gx_ndim(g, x) + want;
  gx_in(n, x);
  for (int64_t i = gx_range(g, 0, ndim - want); count < (size_t)want; i += 1) {
    axes[count++] = gx_axis_form(g, i, ndim);
  }
  axes_operand(g, n, 13, count, axes);
  return true;
}

static bool shape(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 0, 5);
  gx_in(n, x);
  if (g->opset >= 15 && gx_chance(g, 40)) {
    gx_int(n, "start", gx_range(g, -2, 2));
  }
  if (g->opset >= 15 && gx_chance(g, 40)) {
    gx_int(n, "end", gx_range(g, -2, 4));
  }
  return true;
}

static bool size(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  return true;
}

static bool expand(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t to[8];
  int32_t x = gx_pick(g, form->types, 0, 4);
  int32_t ndim = gx_ndim(g, x);
  int32_t more = ndim < 4 && gx_chance(g, 30) ? 1 : 0;
  gx_in(n, x);
  for (int32_t i = 0; i < ndim + more; ++i) {
    int64_t own = i < more ? 1 : gx_dim(g, x, i - more);
    to[i] = own == 1 && gx_chance(g, 60) ? gx_range(g, 1, 4) : gx_chance(g, 20) ? 1 : own;
  }
  int32_t drop = gx_chance(g, 20) ? (int32_t)gx_range(g, 0, ndim + more) : 0;
  gx_in(n, gx_const_ints(g, ndim + more - drop, to + drop));
  return true;
}

/* ---- parts ---- */

static void slice_ends(gx_graph *g, int64_t extent, bool may_step, int64_t *start, int64_t *end,
                       int64_t *step) {
  *step = may_step && gx_chance(g, 50) ? gx_range(g, 1, 3) * (gx_chance(g, 50) ? 1 : -1) : 1;
  *start = gx_range(g, -extent - 1, extent + 1);
  *end = gx_range(g, -extent - 1, extent + 1);
  if (gx_chance(g, 60)) { /* something is left */
    *start = *step > 0 ? gx_range(g, 0, extent / 2) : -1;
    *end = *step > 0 ? extent : gx_chance(g, 50) ? -extent - 1 : 0;
  }
  if (gx_chance(g, 20)) {
    *end = *step > 0 ? INT64_MAX : INT64_MIN;
  }
}

static bool slice(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t axes[8];
  int64_t starts[8];
  int64_t ends[8];
  int64_t steps[8];
  int32_t count = 0;
  int32_t x = gx_pick(g, form->types, 1, 5);
  int32_t ndim = gx_ndim(g, x);
  bool names_axes = gx_chance(g, 70);
  bool may_step = g->opset >= 10;
  int32_t prefix = (int32_t)gx_range(g, 1, ndim);
  gx_in(n, x);
  for (int32_t i = 0; i < ndim; ++i) {
    if (names_axes ? (gx_chance(g, 50) || (i == ndim - 1 && count == 0)) : i < prefix) {
      axes[count] = g->opset < 10 ? i : gx_axis_form(g, i, ndim);
      slice_ends(g, gx_dim(g, x, i), may_step, &starts[count], &ends[count], &steps[count]);
      count++;
    }
  }
  size_t c = (size_t)count;
  if (g->opset < 10) {
    gx_ints(n, "starts", c, starts);
    gx_ints(n, "ends", c, ends);
    if (names_axes) {
      gx_ints(n, "axes", c, axes);
    }
    return true;
  }
  gx_in(n, gx_const_ints(g, count, starts));
  gx_in(n, gx_const_ints(g, count, ends));
  gx_in(n, names_axes ? gx_const_ints(g, count, axes) : -1);
  gx_in(n, gx_const_ints(g, count, steps));
  return true;
}

static bool split(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t sizes[4];
  int32_t x = gx_pick(g, form->types, 1, 5);
  int32_t axis = (int32_t)gx_range(g, 0, gx_ndim(g, x) - 1);
  int64_t extent = gx_dim(g, x, axis);
  int64_t count = gx_range(g, 1, 4);
  int64_t left = extent;
  gx_in(n, x);
  gx_int(n, "axis", gx_axis_form(g, axis, gx_ndim(g, x)));
  for (int64_t i = 0; i < count; ++i) {
    sizes[i] = i == count - 1 ? left : gx_range(g, 0, left);
    left -= sizes[i];
  }
  n->n_out = (int32_t)count;
  if (gx_chance(g, 50) && g->opset >= 18) {
    if ((extent + count - 1) / count * (count - 1) > extent) {
      return false;
    }
    gx_int(n, "num_outputs", count);
  } else if (gx_chance(g, 40) && extent % count == 0 && g->opset < 18) {
    return true;
  } else if (g->opset >= 13) {
    gx_in(n, gx_const_ints(g, count, sizes));
  } else {
    gx_ints(n, "split", (size_t)count, sizes);
  }
  return true;
}

/* ---- joins and repeats ---- */

static bool concat(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 5);
  tn_array a = *gx_array(g, x);
  int32_t axis = (int32_t)gx_range(g, 0, a.ndim - 1);
  int64_t count = gx_range(g, 1, 4);
  gx_in(n, x);
  gx_int(n, "axis", gx_axis_form(g, axis, a.ndim));
  for (int64_t i = 1; i < count; ++i) {
    tn_array other = a;
    if (gx_chance(g, 50)) {
      other.shape[axis] = gx_extent(g);
    }
    gx_in(n, gx_chance(g, 10) ? x : gx_same(g, a.dtype, a.ndim, other.shape, GX_ANY));
  }
  return true;
}

static bool tile(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t times[8];
  int32_t x = gx_pick(g, g->opset < 6 ? GX_FLOATS : form->types, 1, 4);
  tn_dtype type = gx_type(g, x);
  gx_in(n, x);
  if (g->opset < 6) {
    gx_in(n, gx_const_number(g, type, (double)gx_range(g, 1, 3)));
    gx_in(n, gx_const_number(g, type, (double)gx_range(g, 0, gx_ndim(g, x) - 1)));
    return true;
  }
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    times[i] = gx_chance(g, 3) ? 0 : gx_range(g, 1, 3);
  }
  gx_in(n, gx_const_ints(g, gx_ndim(g, x), times));
  return true;
}

static bool pad(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
  int64_t pads[16];
  int64_t axes[8];
  int32_t count = 0;
  uint32_t mask = g->opset < 11 ? GX_FLOATS : g->opset < 13 ? GX_NUMBERS : form->types;
  int32_t x = gx_pick(g, mask, 1, 5);
  int32_t ndim = gx_ndim(g, x);
  const char *mode = modes[gx_chance(g, 50) ? 0 : gx_range(g, 0, g->opset >= 19 ? 3 : 2)];
  bool is_constant = strcmp(mode, "constant") == 0;
  bool names_axes = g->opset >= 18 && gx_chance(g, 40);
  for (int32_t i = 0; i < ndim; ++i) {
    if (!names_axes || gx_chance(g, 60) || (count == 0 && i == ndim - 1)) {
      axes[count++] = i;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    int64_t extent = gx_dim(g, x, (int32_t)axes[i]);
    int64_t most = is_constant ? 3 : extent - 1 > 3 ? 3 : extent - 1;
    if (most < 0) {
      return false;
    }
    pads[i] = gx_range(g, 0, most);
    pads[count + i] = gx_range(g, 0, most);
    if (is_constant && extent > 2 && gx_chance(g, 15)) {
      pads[i] = -1;
    }
    axes[i] = gx_axis_form(g, axes[i], ndim);
  }
  gx_in(n, x);
  if (!is_constant || gx_chance(g, 50)) {
    gx_text(n, "mode", mode);
  }
  if (g->opset < 11) {
    gx_ints(n, g->opset < 2 ? "paddings" : "pads", 2 * (size_t)count, pads);
    if (gx_chance(g, 50)) {
      gx_float(n, "value", 1.5);
    }
    return true;
  }
  gx_in(n, gx_const_ints(g, 2 * (int64_t)count, pads));
  gx_in(n, is_constant && gx_chance(g, 60) ? gx_const_number(g, gx_type(g, x), 1) : -1);
  if (names_axes) {
    gx_in(n, gx_const_ints(g, count, axes));
  }
  return true;
}

static bool blocks(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_depth = strcmp(form->op, "DepthToSpace") == 0;
  int64_t b = gx_range(g, 1, 3);
  int64_t s[4] = {gx_range(g, 1, 3), gx_range(g, 1, 3), gx_range(g, 1, 4), gx_range(g, 1, 4)};
  if (is_depth) {
    s[1] *= b * b;
  } else {
    s[2] *= b;
    s[3] *= b;
  }
  gx_in(n, gx_same(g, gx_dtype(g, g->opset < 13 ? GX_F32 | GX_F64 : form->types), 4, s, GX_ANY));
  gx_int(n, "blocksize", b);
  if (is_depth && g->opset >= 11 && gx_chance(g, 60)) {
    gx_text(n, "mode", gx_chance(g, 50) ? "CRD" : "DCR");
  }
  return true;
}

static bool trilu(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 2, 4));
  if (gx_chance(g, 60)) {
    gx_in(n, gx_const_number(g, TN_DT_I64, (double)gx_range(g, -3, 3)));
  }
  if (gx_chance(g, 60)) {
    gx_int(n, "upper", gx_range(g, 0, 1));
  }
  return true;
}

/* ---- tensors of nothing ---- */

static tn_buf one_number(gx_graph *g, tn_dtype dtype) {
  const int64_t one = 1;
  tn_array value = {0};
  expect_ok(tn_array_init(&value, dtype, 1, &one));
  tn_array_set_i64(&value, 0, gx_range(g, 0, 3));
  tn_buf tensor =
      onnx_tensor(NULL, gx_onnx_type(dtype), 1, &one, value.data, tn_array_n_bytes(&value));
  tn_array_deinit(&value);
  return tensor;
}

static bool constant_of_shape(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t to[8];
  int32_t ndim = gx_rank(g, 0, 4);
  gx_shape(g, ndim, to);
  int32_t made = gx_chance(g, 40) ? made_shape(g, gx_range(g, 1, 60)) : -1;
  gx_in(n, made >= 0 ? made : gx_const_ints(g, ndim, to));
  if (gx_chance(g, 70)) {
    tn_buf tensor = one_number(g, gx_dtype(g, form->types));
    onnx_attr_tensor(&n->attrs, "value", &tensor);
  }
  return true;
}

static bool constant(gx_graph *g, gx_node *n, const gx_form *form) {
  static const float floats[] = {1, 2.5F, -3};
  static const int64_t ints[] = {4, -5, 6};
  int64_t how = g->opset < 12 ? 0 : gx_range(g, 0, 4);
  if (how == 0) {
    tn_buf tensor = one_number(g, gx_dtype(g, form->types));
    onnx_attr_tensor(&n->attrs, "value", &tensor);
  } else if (how == 1) {
    gx_float(n, "value_float", 1.5);
  } else if (how == 2) {
    gx_int(n, "value_int", -3);
  } else if (how == 3) {
    onnx_attr_floats(&n->attrs, "value_floats", 3, floats);
  } else {
    gx_ints(n, "value_ints", 3, ints);
  }
  return true;
}

static bool eye_like(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 2, 2));
  if (gx_chance(g, 50)) {
    gx_int(n, "k", gx_range(g, -3, 3));
  }
  if (gx_chance(g, 50)) {
    gx_int(n, "dtype", gx_onnx_type(gx_dtype(g, form->types)));
  }
  return true;
}

static bool range(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  double delta = gx_chance(g, 50) ? (double)gx_range(g, 1, 3) : -(double)gx_range(g, 1, 3);
  double start = (double)gx_range(g, -5, 5);
  double count = (double)gx_range(g, 0, 12);
  gx_in(n, gx_const_number(g, type, start));
  gx_in(n, gx_const_number(g, type, start + count * delta - (gx_chance(g, 50) ? 0 : delta / 2)));
  gx_in(n, gx_const_number(g, type, delta));
  return true;
}

/* clang-format off */
const gx_form gx_move_forms[] = {
    {"", "Transpose", 1, 0, transpose, GX_ALL, GX_EXACT, ""},
    {"", "Reshape", 1, 4, reshape, GX_FLOATS, GX_EXACT, ""},
    {"", "Reshape", 5, 0, reshape, GX_ALL, GX_EXACT, ""},
    {"", "Flatten", 1, 0, flatten, GX_ALL, GX_EXACT, ""},
    {"", "Squeeze", 1, 0, squeeze, GX_ALL, GX_EXACT, ""},
    {"", "Unsqueeze", 1, 0, unsqueeze, GX_ALL, GX_EXACT, ""},
    {"", "Shape", 1, 0, shape, GX_ALL, GX_EXACT, ""},
    {"", "Size", 1, 0, size, GX_ALL, GX_EXACT, ""},
    {"", "Expand", 8, 0, expand, GX_ALL, GX_EXACT, ""},
    {"", "Slice", 1, 0, slice, GX_ALL, GX_EXACT, ""},
    {"", "Split", 2, 0, split, GX_ALL, GX_EXACT, ""},
    {"", "Concat", 4, 0, concat, GX_ALL, GX_EXACT, ""},
    {"", "Tile", 1, 5, tile, GX_FLOATS, GX_EXACT, ""},
    {"", "Tile", 6, 0, tile, GX_ALL, GX_EXACT, ""},
    {"", "Pad", 1, 0, pad, GX_ALL, GX_EXACT, ""},
    {"", "DepthToSpace", 1, 0, blocks, GX_ALL, GX_EXACT, ""},
    {"", "SpaceToDepth", 1, 0, blocks, GX_ALL, GX_EXACT, ""},
    {"", "Trilu", 14, 0, trilu, GX_ALL, GX_EXACT, ""},
    {"", "ConstantOfShape", 9, 0, constant_of_shape, GX_ALL & ~GX_BF16, GX_EXACT, ""},
    {"", "Constant", 1, 0, constant, GX_ALL, GX_EXACT, ""},
    {"", "EyeLike", 9, 0, eye_like, GX_NUMBERS & ~GX_BF16, GX_EXACT, ""},
    {"", "Range", 11, 0, range, GX_F32 | GX_F64 | GX_I16 | GX_INDEX, GX_RING, ""},
    {0},
};
/* clang-format on */
