/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: convolutions, pools, resizing, recurrent layers, attention. */
#include "gen_onnx_priv.h"

/* ---- windows ---- */

typedef struct window {
  int32_t n;
  int64_t kernel[3];
  int64_t data[5]; /* batch, channels, extents */
  int64_t pads[6];
} window;

static window some_window(gx_graph *g, int64_t channels) {
  window w = {.n = (int32_t)gx_range(g, 1, 3), .data = {gx_range(g, 1, 2), channels}};
  w.n = gx_chance(g, 50) ? 2 : w.n;
  for (int32_t i = 0; i < w.n; ++i) {
    w.kernel[i] = gx_range(g, 1, w.n == 3 ? 2 : 3);
    w.data[2 + i] = w.kernel[i] * 2 + gx_range(g, 0, w.n == 3 ? 2 : 6);
  }
  return w;
}

static void strides_and_pads(gx_graph *g, gx_node *n, window *w, bool has_dilations) {
  static const char *const how[] = {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"};
  int64_t strides[3];
  int64_t dilations[3];
  for (int32_t i = 0; i < w->n; ++i) {
    strides[i] = gx_range(g, 1, 3);
    dilations[i] = gx_range(g, 1, 2);
    w->pads[i] = gx_range(g, 0, w->kernel[i] - 1);
    w->pads[w->n + i] = gx_range(g, 0, w->kernel[i] - 1);
  }
  if (gx_chance(g, 60)) {
    gx_ints(n, "strides", (size_t)w->n, strides);
  }
  if (has_dilations && gx_chance(g, 30)) {
    gx_ints(n, "dilations", (size_t)w->n, dilations);
  }
  if (gx_chance(g, 25)) {
    gx_text(n, "auto_pad", how[gx_range(g, 0, 2)]);
  } else if (gx_chance(g, 70)) {
    gx_ints(n, "pads", 2 * (size_t)w->n, w->pads);
  }
}

static int32_t kernel_of(gx_graph *g, tn_dtype type, const window *w, int64_t first,
                         int64_t second) {
  int64_t shape[5] = {first, second};
  for (int32_t i = 0; i < w->n; ++i) {
    shape[2 + i] = w->kernel[i];
  }
  return gx_same(g, type, 2 + w->n, shape, GX_SMALL);
}

static bool conv(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_back = strcmp(form->op, "ConvTranspose") == 0;
  tn_dtype type = gx_dtype(g, form->types);
  int64_t groups = gx_chance(g, 60) ? 1 : gx_range(g, 2, 3);
  int64_t in = gx_range(g, 1, 3);
  int64_t out = gx_range(g, 1, 4);
  int64_t all_out = groups * out;
  window w = some_window(g, groups * in);
  gx_in(n, gx_same(g, type, 2 + w.n, w.data, GX_ANY));
  gx_in(n, is_back ? kernel_of(g, type, &w, groups * in, out)
                   : kernel_of(g, type, &w, groups * out, in));
  if (gx_chance(g, 60)) {
    gx_in(n, gx_same(g, type, 1, &all_out, GX_ANY));
  }
  if (groups > 1 || gx_chance(g, 20)) {
    gx_int(n, "group", groups);
  }
  if (gx_chance(g, 50)) {
    gx_ints(n, "kernel_shape", (size_t)w.n, w.kernel);
  }
  strides_and_pads(g, n, &w, true);
  return true;
}

static bool pool(gx_graph *g, gx_node *n, const gx_form *form) {
  bool is_average = strcmp(form->op, "AveragePool") == 0;
  bool is_lp = strcmp(form->op, "LpPool") == 0;
  uint32_t mask = g->opset < 12 || is_average || is_lp ? form->types & GX_FLOATS : form->types;
  window w = some_window(g, gx_range(g, 1, 3));
  gx_in(n, gx_same(g, gx_dtype(g, mask), 2 + w.n, w.data, GX_ANY));
  gx_ints(n, "kernel_shape", (size_t)w.n, w.kernel);
  strides_and_pads(g, n, &w, g->opset >= (is_average ? 19 : is_lp ? 18 : 10));
  if (g->opset >= (is_lp ? 18 : 10) && gx_chance(g, 30)) {
    gx_int(n, "ceil_mode", 1);
  }
  if (is_average && g->opset >= 7 && gx_chance(g, 50)) {
    gx_int(n, "count_include_pad", gx_range(g, 0, 1));
  }
  if (is_lp && gx_chance(g, 50)) {
    gx_int(n, "p", gx_range(g, 1, 3));
  }
  return true;
}

static bool global_pool(gx_graph *g, gx_node *n, const gx_form *form) {
  window w = some_window(g, gx_range(g, 1, 4));
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 2 + w.n, w.data, GX_ANY));
  return true;
}

/* ---- resizing ---- */

static int32_t floats_const(gx_graph *g, int64_t count, const double *values) {
  int32_t id = gx_const(g, TN_DT_F32, 1, &count);
  for (int64_t i = 0; i < count; ++i) {
    tn_array_set_f64(gx_array(g, id), i, values[i]);
  }
  return id;
}

static bool upsample(gx_graph *g, gx_node *n, const gx_form *form) {
  static const double some[] = {1, 1, 1.5, 2, 3};
  double scales[4];
  float attr[4];
  int32_t x = gx_pick(g, form->types, 4, 4);
  gx_in(n, x);
  for (int32_t i = 0; i < 4; ++i) {
    scales[i] = i < 2 ? 1 : some[gx_range(g, 0, 4)];
    attr[i] = (float)scales[i];
  }
  bool is_linear = gx_is_float(gx_type(g, x)) && gx_chance(g, 40);
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  if (g->opset < 9) {
    onnx_attr_floats(&n->attrs, "scales", 4, attr);
  } else {
    gx_in(n, floats_const(g, 4, scales));
  }
  gx_text(n, "mode", is_linear ? "linear" : "nearest");
  n->kind = is_linear ? GX_CANCELS : GX_EXACT;
  return true;
}

static void resize_mode(gx_graph *g, gx_node *n, const char *mode) {
  static const char *const coordinates[] = {"half_pixel", "asymmetric", "align_corners",
                                            "pytorch_half_pixel", "half_pixel_symmetric"};
  static const char *const nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  gx_text(n, "mode", mode);
  if (gx_chance(g, 80)) {
    gx_text(n, "coordinate_transformation_mode",
            coordinates[gx_range(g, 0, g->opset >= 19 ? 4 : 3)]);
  }
  if (strcmp(mode, "nearest") == 0 && gx_chance(g, 70)) {
    gx_text(n, "nearest_mode", nearest[gx_range(g, 0, 3)]);
  }
  if (strcmp(mode, "cubic") == 0 && gx_chance(g, 60)) {
    gx_float(n, "cubic_coeff_a", -0.5);
    gx_int(n, "exclude_outside", gx_range(g, 0, 1));
  }
  if (g->opset >= 18 && strcmp(mode, "nearest") != 0 && gx_chance(g, 20)) {
    gx_int(n, "antialias", 1);
  }
}

static bool resize(gx_graph *g, gx_node *n, const gx_form *form) {
  static const double some[] = {0.5, 0.6, 1, 1.5, 2, 2.5};
  double scales[4];
  int64_t sizes[4];
  int32_t x = gx_pick(g, g->opset < 11 ? GX_F32 | GX_F64 : form->types, 4, 4);
  bool may_blend = gx_is_float(gx_type(g, x));
  const char *mode = !may_blend || gx_chance(g, 40) ? "nearest"
                     : gx_chance(g, 60)             ? "linear"
                                                    : "cubic";
  for (int32_t i = 0; i < 4; ++i) {
    int64_t extent = gx_dim(g, x, i);
    scales[i] = i < 2 ? 1 : some[gx_range(g, 0, 5)];
    scales[i] = (double)extent * scales[i] < 1 ? 1 : scales[i];
    sizes[i] = i < 2 ? extent : gx_range(g, 1, 9);
  }
  if (tn_array_n_elems(gx_array(g, x)) == 0) {
    return false;
  }
  gx_in(n, x);
  n->kind = strcmp(mode, "nearest") == 0 ? GX_EXACT : GX_CANCELS;
  if (g->opset < 11) {
    gx_in(n, floats_const(g, 4, scales));
    gx_text(n, "mode", strcmp(mode, "cubic") == 0 ? "linear" : mode);
    return true;
  }
  int64_t none = 0;
  gx_in(n, g->opset >= 13 ? -1 : gx_const(g, TN_DT_F32, 1, &none));
  if (gx_chance(g, 50)) {
    gx_in(n, floats_const(g, 4, scales));
  } else {
    gx_in(n, g->opset >= 13 ? -1 : gx_const(g, TN_DT_F32, 1, &none));
    gx_in(n, gx_const_ints(g, 4, sizes));
  }
  resize_mode(g, n, mode);
  return true;
}

/* ---- recurrent layers ---- */

static bool recurrent(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const ways[] = {"forward", "reverse", "bidirectional"};
  int64_t gates = strcmp(form->op, "LSTM") == 0 ? 4 : strcmp(form->op, "GRU") == 0 ? 3 : 1;
  bool is_lstm = gates == 4;
  tn_dtype type = gx_dtype(g, form->types);
  int64_t way = gx_range(g, 0, 2);
  int64_t dirs = way == 2 ? 2 : 1;
  int64_t steps = gx_range(g, 1, 4);
  int64_t batch = gx_range(g, 1, 3);
  int64_t in = gx_range(g, 1, 4);
  int64_t hidden = gx_range(g, 1, 5);
  bool is_turned = g->opset >= 14 && gx_chance(g, 20);
  const int64_t x[] = {is_turned ? batch : steps, is_turned ? steps : batch, in};
  const int64_t w[] = {dirs, gates * hidden, in};
  const int64_t r[] = {dirs, gates * hidden, hidden};
  const int64_t b[] = {dirs, 2 * gates * hidden};
  const int64_t h[] = {is_turned ? batch : dirs, is_turned ? dirs : batch, hidden};
  const int64_t p[] = {dirs, 3 * hidden};
  bool has_state = gx_chance(g, 50);
  gx_in(n, gx_same(g, type, 3, x, GX_ANY));
  gx_in(n, gx_leaf(g, type, 3, w, GX_UNIT));
  gx_in(n, gx_leaf(g, type, 3, r, GX_UNIT));
  gx_in(n, gx_chance(g, 50) ? gx_same(g, type, 2, b, GX_ANY) : -1);
  gx_in(n, gx_chance(g, 30) ? gx_indices(g, TN_DT_I32, 1, &batch, 1, steps) : -1);
  gx_in(n, has_state ? gx_same(g, type, 3, h, GX_ANY) : -1);
  if (is_lstm) {
    gx_in(n, has_state ? gx_same(g, type, 3, h, GX_ANY) : -1);
    gx_in(n, gx_chance(g, 30) ? gx_leaf(g, type, 2, p, GX_UNIT) : -1);
  }
  gx_int(n, "hidden_size", hidden);
  if (way != 0 || gx_chance(g, 20)) {
    gx_text(n, "direction", ways[way]);
  }
  if (is_turned) {
    gx_int(n, "layout", 1);
  }
  if (gates == 3 && gx_chance(g, 50)) {
    gx_int(n, "linear_before_reset", gx_range(g, 0, 1));
  }
  n->n_out = is_lstm ? 3 : 2;
  n->out[0] = gx_chance(g, 15) ? -1 : 0;
  return true;
}

/* ---- attention ---- */

static bool attention(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  int64_t batch = gx_range(g, 1, 2);
  int64_t kv_heads = gx_range(g, 1, 2);
  int64_t heads = kv_heads * gx_range(g, 1, 2);
  int64_t queries = gx_range(g, 1, 4);
  int64_t keys = gx_range(g, 1, 5);
  int64_t depth = gx_range(g, 1, 4);
  int64_t width = gx_range(g, 1, 4);
  const int64_t q[] = {batch, heads, queries, depth};
  const int64_t k[] = {batch, kv_heads, keys, depth};
  const int64_t v[] = {batch, kv_heads, keys, width};
  const int64_t q3[] = {batch, queries, heads * depth};
  const int64_t k3[] = {batch, keys, kv_heads * depth};
  const int64_t v3[] = {batch, keys, kv_heads * width};
  const int64_t mask[] = {queries, keys};
  bool is_flat = gx_chance(g, 50);
  gx_in(n, gx_same(g, type, is_flat ? 3 : 4, is_flat ? q3 : q, GX_ANY));
  gx_in(n, gx_same(g, type, is_flat ? 3 : 4, is_flat ? k3 : k, GX_ANY));
  gx_in(n, gx_same(g, type, is_flat ? 3 : 4, is_flat ? v3 : v, GX_ANY));
  if (gx_chance(g, 40)) {
    gx_in(n, gx_same(g, gx_chance(g, 50) ? TN_DT_BOOL : type, 2, mask, GX_ANY));
  }
  if (is_flat) {
    gx_int(n, "q_num_heads", heads);
    gx_int(n, "kv_num_heads", kv_heads);
  }
  if (gx_chance(g, 30)) {
    gx_int(n, "is_causal", 1);
  }
  if (gx_chance(g, 30)) {
    gx_float(n, "scale", 0.25);
  }
  if (gx_chance(g, 20)) {
    gx_float(n, "softcap", 2);
  }
  return true;
}

/* clang-format off */
const gx_form gx_net_forms[] = {
    {"", "Conv", 1, 0, conv, GX_FLOATS, GX_RING, ""},
    {"", "ConvTranspose", 1, 0, conv, GX_FLOATS, GX_RING, ""},
    {"", "MaxPool", 1, 0, pool, GX_FLOATS | GX_I8 | GX_U8, GX_EXACT, ""},
    {"", "AveragePool", 1, 0, pool, GX_FLOATS, GX_CANCELS, ""},
    {"", "LpPool", 2, 0, pool, GX_FLOATS, GX_ROUNDS, ""},
    {"", "GlobalAveragePool", 1, 0, global_pool, GX_FLOATS, GX_CANCELS, ""},
    {"", "GlobalMaxPool", 1, 0, global_pool, GX_FLOATS, GX_EXACT, ""},
    {"", "GlobalLpPool", 2, 0, global_pool, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Upsample", 7, 9, upsample, GX_NUMBERS & ~GX_BF16, GX_EXACT, ""},
    {"", "Resize", 10, 0, resize, GX_NUMBERS, GX_EXACT, ""},
    {"", "RNN", 7, 0, recurrent, GX_F16 | GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "GRU", 7, 0, recurrent, GX_F16 | GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "LSTM", 7, 0, recurrent, GX_F16 | GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "Attention", 23, 0, attention, GX_FLOATS, GX_CANCELS, ""},
    {0},
};
/* clang-format on */
