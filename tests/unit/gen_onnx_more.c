/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: sampling, losses, windows and transforms of signals, and graphs inside of nodes:
 * If, Loop and Scan. */
#include "gen_onnx_priv.h"

enum { REALS = GX_F16 | GX_F32 | GX_F64 };

/* ---- pictures ---- */

static bool grid_sample(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const modes[] = {"linear", "nearest", "cubic"};
  static const char *const old_modes[] = {"bilinear", "nearest", "bicubic"};
  static const char *const pads[] = {"zeros", "border", "reflection"};
  tn_dtype type = gx_dtype(g, form->types);
  int64_t how = gx_range(g, 0, 2);
  const int64_t x[] = {gx_range(g, 1, 2), gx_range(g, 1, 3), gx_range(g, 2, 5), gx_range(g, 2, 5)};
  const int64_t grid[] = {x[0], gx_range(g, 1, 4), gx_range(g, 1, 4), 2};
  gx_in(n, gx_same(g, type, 4, x, GX_ANY));
  gx_in(n, gx_leaf(g, type, 4, grid, GX_UNIT));
  gx_text(n, "mode", g->opset >= 20 ? modes[how] : old_modes[how]);
  gx_text(n, "padding_mode", pads[gx_range(g, 0, 2)]);
  gx_int(n, "align_corners", gx_range(g, 0, 1));
  return true;
}

static bool affine_grid(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t batch = gx_range(g, 1, 2);
  int32_t dims = (int32_t)gx_range(g, 2, 3);
  const int64_t theta[] = {batch, dims, dims + 1};
  const int64_t size[] = {batch, 2, gx_range(g, 1, 4), gx_range(g, 1, 4), gx_range(g, 1, 3)};
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 3, theta, GX_ANY));
  gx_in(n, gx_const_ints(g, dims + 2, size));
  gx_int(n, "align_corners", gx_range(g, 0, 1));
  return true;
}

static bool center_crop_pad(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t to[4];
  int32_t x = gx_pick(g, form->types, 1, 4);
  gx_in(n, x);
  for (int32_t i = 0; i < gx_ndim(g, x); ++i) {
    to[i] = gx_range(g, 1, 6);
  }
  gx_in(n, gx_const_ints(g, gx_ndim(g, x), to));
  return true;
}

static bool det(gx_graph *g, gx_node *n, const gx_form *form) {
  int64_t size = gx_range(g, 1, 4);
  const int64_t shape[] = {gx_range(g, 1, 3), size, size};
  int32_t skip = gx_chance(g, 50);
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 3 - skip, shape + skip, GX_ANY));
  return true;
}

static bool rotary(gx_graph *g, gx_node *n, const gx_form *form) {
  tn_dtype type = gx_dtype(g, form->types);
  const int64_t half = gx_range(g, 1, 4);
  const int64_t x[] = {gx_range(g, 1, 2), gx_range(g, 1, 3), gx_range(g, 1, 4), 2 * half};
  const int64_t cache[] = {x[0], x[2], half};
  gx_in(n, gx_same(g, type, 4, x, GX_ANY));
  gx_in(n, gx_same(g, type, 3, cache, GX_ANY));
  gx_in(n, gx_same(g, type, 3, cache, GX_ANY));
  gx_int(n, "interleaved", gx_range(g, 0, 1));
  return true;
}

/* ---- losses ---- */

static bool loss(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const how[] = {"none", "sum", "mean"};
  tn_dtype type = gx_dtype(g, form->types);
  const int64_t x[] = {gx_range(g, 1, 4), gx_range(g, 2, 5), gx_range(g, 1, 3)};
  const int64_t at[] = {x[0], x[2]};
  int32_t skip = gx_chance(g, 50);
  gx_in(n, gx_same(g, type, 3 - skip, x, GX_ANY));
  gx_in(n, gx_indices(g, TN_DT_I64, 2 - skip, at, 0, x[1] - 1));
  if (gx_chance(g, 50)) {
    gx_in(n, gx_leaf(g, type, 1, x + 1, GX_NOT_ZERO));
  }
  gx_text(n, "reduction", how[gx_range(g, 0, 2)]);
  if (gx_chance(g, 30)) {
    gx_int(n, "ignore_index", gx_range(g, 0, 1));
  }
  return true;
}

/* ---- signals ---- */

static bool window(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_const_number(g, gx_dtype(g, GX_INDEX), (double)gx_range(g, 2, 12)));
  gx_int(n, "periodic", gx_range(g, 0, 1));
  if (gx_chance(g, 40)) {
    gx_int(n, "output_datatype", gx_onnx_type(gx_dtype(g, form->types)));
  }
  return true;
}

static bool cumulated(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 3);
  gx_in(n, x);
  gx_in(n, gx_const_number(g, TN_DT_I64, (double)gx_axis(g, gx_ndim(g, x))));
  gx_int(n, "exclusive", gx_range(g, 0, 1));
  gx_int(n, "reverse", gx_range(g, 0, 1));
  return true;
}

static bool dft(gx_graph *g, gx_node *n, const gx_form *form) {
  const int64_t x[] = {gx_range(g, 1, 2), gx_range(g, 1, 9), gx_range(g, 1, 2)};
  gx_in(n, gx_same(g, gx_dtype(g, form->types), 3, x, GX_ANY));
  if (g->opset >= 20 && gx_chance(g, 50)) {
    gx_in(n, -1);
    gx_in(n, gx_const_number(g, TN_DT_I64, 1));
  } else if (g->opset < 20) {
    gx_int(n, "axis", 1);
  } else {
    gx_in(n, -1);
    gx_in(n, gx_const_number(g, TN_DT_I64, -2));
  }
  if (x[2] == 1 && gx_chance(g, 40)) {
    gx_int(n, "onesided", 1);
  }
  return true;
}

/* ---- graphs in nodes ---- */

static void body_attr(gx_node *n, const char *name, onnx_model *body) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&body->graph, 2, name);
  wire_text(&attr, 1, name);
  wire_message(&attr, 6, &body->graph);
  wire_int(&attr, 20, 5);
  wire_message(&n->attrs, 5, &attr);
}

static void put_number(onnx_model *body, const char *name, float value) {
  tn_buf tensor = onnx_tensor(name, 1, 0, NULL, &value, sizeof value);
  wire_message(&body->graph, 5, &tensor);
}

/* state = state * 0.5 + 1, and a row a turn. */
static bool loop(gx_graph *g, gx_node *n, const gx_form *form) {
  onnx_model body = onnx_model_make(g->opset);
  int32_t x = gx_pick(g, form->types, 0, 3);
  tn_array like = *gx_array(g, x);
  gx_in(n, gx_chance(g, 80) ? gx_const_number(g, TN_DT_I64, (double)gx_range(g, 0, 4)) : -1);
  if (n->in[0] < 0) { /* it must end: a condition that is false at once */
    gx_in(n, gx_const_number(g, TN_DT_BOOL, 0));
  } else {
    gx_in(n, gx_chance(g, 50) ? gx_const_number(g, TN_DT_BOOL, 1) : -1);
  }
  gx_in(n, x);
  onnx_input(&body, "turn", 7, 0, NULL);
  onnx_input(&body, "goes_on", 9, 0, NULL);
  onnx_input(&body, "state", gx_onnx_type(like.dtype), like.ndim, like.shape);
  put_number(&body, "half", 0.5F);
  put_number(&body, "one", 1);
  onnx_node(&body, "Mul", "state half", "product", NULL);
  onnx_node(&body, "Add", "product one", "next", NULL);
  onnx_node(&body, "Abs", "next", "row", NULL);
  onnx_node(&body, "Identity", "goes_on", "still", NULL);
  onnx_output(&body, "still");
  onnx_output(&body, "next");
  onnx_output(&body, "row");
  body_attr(n, "body", &body);
  n->n_out = 2;
  return true;
}

/* The sums so far of the rows. */
static bool scan(gx_graph *g, gx_node *n, const gx_form *form) {
  onnx_model body = onnx_model_make(g->opset);
  int32_t x = gx_pick(g, form->types, 1, 3);
  tn_array like = *gx_array(g, x);
  const int64_t back = 1;
  if (like.shape[0] == 0) {
    return false;
  }
  gx_in(n, gx_same(g, like.dtype, like.ndim - 1, like.shape + 1, GX_ANY));
  gx_in(n, x);
  gx_int(n, "num_scan_inputs", 1);
  if (gx_chance(g, 40)) {
    gx_ints(n, gx_chance(g, 50) ? "scan_input_directions" : "scan_output_directions", 1, &back);
  }
  onnx_input(&body, "sum", gx_onnx_type(like.dtype), like.ndim - 1, like.shape + 1);
  onnx_input(&body, "row", gx_onnx_type(like.dtype), like.ndim - 1, like.shape + 1);
  onnx_node(&body, "Add", "sum row", "next", NULL);
  onnx_node(&body, "Identity", "next", "out", NULL);
  onnx_output(&body, "next");
  onnx_output(&body, "out");
  body_attr(n, "body", &body);
  n->n_out = 2;
  return true;
}

/* Of constants. */
static bool branch(gx_graph *g, gx_node *n, const gx_form *form) {
  static const char *const names[] = {"then_branch", "else_branch"};
  (void)form;
  gx_in(n, gx_leaf(g, TN_DT_BOOL, 0, NULL, GX_ANY));
  for (int32_t i = 0; i < 2; ++i) {
    onnx_model body = onnx_model_make(g->opset);
    put_number(&body, i == 0 ? "a" : "b", (float)i + 1.5F);
    onnx_node(&body, i == 0 ? "Exp" : "Neg", i == 0 ? "a" : "b", i == 0 ? "c" : "d", NULL);
    onnx_output(&body, i == 0 ? "c" : "d");
    body_attr(n, names[i], &body);
  }
  return true;
}

/* clang-format off */
const gx_form gx_more_forms[] = {
    {"", "GridSample", 16, 0, grid_sample, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "AffineGrid", 20, 0, affine_grid, REALS, GX_CANCELS, ""},
    {"", "CenterCropPad", 18, 0, center_crop_pad, GX_ALL, GX_EXACT, ""},
    {"", "Det", 11, 0, det, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "RotaryEmbedding", 23, 0, rotary, REALS, GX_CANCELS, ""},
    {"", "SoftmaxCrossEntropyLoss", 12, 0, loss, REALS, GX_CANCELS, ""},
    {"", "NegativeLogLikelihoodLoss", 12, 0, loss, REALS, GX_CANCELS, ""},
    {"", "HannWindow", 17, 0, window, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "HammingWindow", 17, 0, window, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "BlackmanWindow", 17, 0, window, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "CumProd", 26, 0, cumulated, GX_F32 | GX_F64 | GX_I32 | GX_I64, GX_ROUNDS, ""},
    {"", "DFT", 17, 0, dft, GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "If", 1, 0, branch, GX_F32, GX_ROUNDS, ""},
    {"", "Loop", 11, 0, loop, GX_F32, GX_CANCELS, ""},
    {"", "Scan", 9, 0, scan, GX_F32 | GX_F64 | GX_I32 | GX_I64, GX_RING, ""},
    {0},
};
/* clang-format on */
