/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values between the elements of pictures: grids, regions of interest, deformed windows; and what
 * cuts pictures up and puts them together. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/window.h"

/* ---- grids ---- */

static const tn_node *sampled(tn_onnx_call *c, const tn_node *x, const tn_node *grid,
                              const char *method, const char *padding, bool is_aligned) {
  tn_onnx_build b = tn_onnx_begin(c, "image.grid_sample");
  tn_onnx_set_text(&b, "method", method);
  tn_onnx_set_text(&b, "padding_mode", padding);
  tn_onnx_set_bool(&b, "align_corners", is_aligned);
  return tn_onnx_end2(&b, x, grid);
}

/* Opset 20 names two modes anew. */
void tn_onnx_rule_grid_sample(tn_onnx_call *c) {
  static const char *const names[][2] = {{"linear", "bilinear"},
                                         {"bilinear", "bilinear"},
                                         {"cubic", "bicubic"},
                                         {"bicubic", "bicubic"},
                                         {"nearest", "nearest"}};
  const char *mode = tn_onnx_attr_text(c, "mode", "linear");
  const char *method = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    method = strcmp(names[i][0], mode) == 0 ? names[i][1] : method;
  }
  if (method == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s', expected nearest, linear or cubic", mode);
    return;
  }
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  x = tn_onnx_cast(c, x, tn_dtype_is_float(type) ? type : TN_DT_F64);
  const tn_node *y =
      sampled(c, x, tn_onnx_in(c, 1), method, tn_onnx_attr_text(c, "padding_mode", "zeros"),
              tn_onnx_attr_int(c, "align_corners", 0) != 0);
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

/* The coordinates from -1 to 1 of `extent` elements, in float64: centres of elements, or (aligned)
 * from the first element to the last. */
static const tn_node *coordinates(tn_onnx_call *c, const tn_node *extent, bool is_aligned) {
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *parts = is_aligned ? tn_onnx_size_op(c, TN_OP_SUB, extent, one) : extent;
  const tn_node *at = tn_onnx_cast(c, tn_onnx_counted(c, extent), TN_DT_F64);
  at = tn_onnx_op2(c, "multiply", at, tn_onnx_scalar(c, TN_DT_F64, 2));
  if (!is_aligned) {
    at = tn_onnx_op2(c, "add", at, tn_onnx_scalar(c, TN_DT_F64, 1));
  } else if (tn_is_int(extent, 1)) {
    return tn_onnx_cast(c, at, TN_DT_F64); /* the middle */
  }
  parts = tn_onnx_size_op(c, TN_OP_MAX, parts, one);
  const tn_node *n = tn_onnx_from_known(c, tn_list(c->ir, 1, &parts), true);
  at = tn_onnx_op2(c, "divide", at, tn_onnx_cast(c, n, TN_DT_F64));
  return tn_onnx_op2(c, "subtract", at, tn_onnx_scalar(c, TN_DT_F64, 1));
}

/* The points (x, y(, z), 1) of a picture or volume times theta, transposed. */
void tn_onnx_rule_affine_grid(tn_onnx_call *c) {
  const tn_node *theta = tn_onnx_in(c, 0);
  const tn_node *sizes = tn_onnx_sizes(c, tn_onnx_in(c, 1), "size");
  bool is_aligned = tn_onnx_attr_int(c, "align_corners", 0) != 0;
  const int64_t swap[] = {0, 2, 1};
  const tn_node *dims[5];
  const tn_node *parts[4];
  if (c->st == NULL && ((sizes->n_in != 4 && sizes->n_in != 5) || tn_onnx_ndim(c, theta) != 3)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u sizes, expected 4 or 5; theta has %d dimensions, expected 3",
                 sizes->n_in, tn_onnx_ndim(c, theta));
  }
  if (c->st != NULL) {
    return;
  }
  uint32_t n = sizes->n_in - 2;
  tn_dtype type = tn_onnx_type_of(c, theta);
  tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  for (uint32_t i = 0; i < n; ++i) {
    dims[i] = sizes->in[2 + i];
  }
  dims[n] = tn_onnx_i64(c, 1);
  const tn_node *wide = tn_list(c->ir, n + 1, dims);
  for (uint32_t i = 0; i < n; ++i) { /* x, the last dimension, comes first */
    int32_t axis = (int32_t)(n - 1 - i);
    const tn_node *line = coordinates(c, dims[axis], is_aligned);
    parts[i] = tn_onnx_broadcast(c, tn_onnx_stand(c, line, (int32_t)n + 1, axis), wide);
  }
  parts[n] = tn_onnx_broadcast(c, tn_onnx_scalar(c, TN_DT_F64, 1), wide);
  const tn_node *points = tn_onnx_concat(c, n, n + 1, parts);
  const tn_node *flat[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, n + 1)};
  points = tn_onnx_cast(c, tn_onnx_reshape(c, points, tn_list(c->ir, 2, flat)), in);
  const tn_node *grid =
      tn_onnx_op2(c, "matmul", points, tn_onnx_permute(c, tn_onnx_cast(c, theta, in), swap));
  const tn_node *out[5] = {sizes->in[0]};
  for (uint32_t i = 0; i < n; ++i) {
    out[1 + i] = dims[i];
  }
  out[n + 1] = tn_onnx_i64(c, n);
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_reshape(c, grid, tn_list(c->ir, n + 2, out)), type));
}

/* ---- regions of interest ---- */

void tn_onnx_rule_roi_align(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const char *half = c->version < 16 ? "output_half_pixel" : "half_pixel";
  const char *mode = tn_onnx_attr_text(c, "mode", "avg");
  half = tn_onnx_attr_text(c, "coordinate_transformation_mode", half);
  bool is_half = strcmp(half, "half_pixel") == 0;
  if (!is_half && strcmp(half, "output_half_pixel") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "coordinate_transformation_mode '%s'", half);
  }
  const int64_t size[2] = {tn_onnx_attr_int(c, "output_height", 1),
                           tn_onnx_attr_int(c, "output_width", 1)};
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 2));
  if (dims == NULL || dims->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "batch_indices is no vector");
    return;
  }
  tn_dtype in = tn_onnx_type_of(c, x) == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  const tn_node *column[] = {dims->in[0], tn_onnx_i64(c, 1)};
  const tn_node *batch = tn_onnx_reshape(c, tn_onnx_in(c, 2), tn_list(c->ir, 2, column));
  const tn_node *rows[] = {tn_onnx_cast(c, batch, in), tn_onnx_cast(c, tn_onnx_in(c, 1), in)};
  tn_onnx_build b = tn_onnx_begin(c, "vision.roi_align");
  tn_onnx_set_ints(&b, "pooled_size", 2, size);
  tn_onnx_set_float(&b, "spatial_scale", tn_onnx_attr_float(c, "spatial_scale", 1));
  tn_onnx_set_int(&b, "sample_ratio", tn_onnx_attr_int(c, "sampling_ratio", 0));
  tn_onnx_set_bool(&b, "aligned", is_half);
  tn_onnx_set_text(&b, "mode", mode);
  tn_onnx_give(c, 0, tn_onnx_end2(&b, x, tn_onnx_concat(c, 1, 2, rows)));
}

/* ---- deformed convolution ---- */

typedef struct deformed {
  tn_onnx_window w;
  int64_t n_groups; /* of offsets */
  int64_t n_taps;
  const tn_node *const *in;  /* extents of the data */
  const tn_node *const *out; /* extents of the offsets: of the result, spatial from 2 on */
} deformed;

/* Where tap t of window o looks along dimension d, without its offset: [taps, 1..., o, 1...] */
static const tn_node *plain_place(tn_onnx_call *c, const deformed *f, int32_t d) {
  int32_t ndim = f->w.n + 1;
  int64_t inner = 1;
  tn_onnx_i64s taps = tn_onnx_i64s_alloc(c, (size_t)f->n_taps);
  for (int32_t i = f->w.n - 1; i > d; --i) {
    inner *= f->w.kernel[i];
  }
  for (int64_t t = 0; t < f->n_taps; ++t) {
    taps.data[t] = t / inner % f->w.kernel[d] * f->w.dilation[d] - f->w.pads[d];
  }
  const tn_node *starts = tn_onnx_op2(c, "multiply", tn_onnx_counted(c, f->out[2 + d]),
                                      tn_onnx_scalar(c, TN_DT_I64, (double)f->w.stride[d]));
  return tn_onnx_op2(c, "add", tn_onnx_stand(c, tn_onnx_vector(c, taps), ndim, 0),
                     tn_onnx_stand(c, starts, ndim, 1 + d));
}

/* The grid's coordinate along d: offsets [N * G, taps, out...], float64: what lies on an element does
 * so after a division by the extent and back. */
static const tn_node *grid_coordinate(tn_onnx_call *c, const deformed *f, const tn_node *offset,
                                      int32_t d) {
  tn_dtype type = tn_onnx_type_of(c, offset);
  const tn_node *at = tn_onnx_op2(c, "add", offset, tn_onnx_cast(c, plain_place(c, f, d), type));
  at = tn_onnx_op2(c, "multiply", at, tn_onnx_scalar(c, type, 2));
  at = tn_onnx_op2(c, "add", at, tn_onnx_scalar(c, type, 1));
  const tn_node *extent = tn_onnx_from_known(c, tn_list(c->ir, 1, &f->in[2 + d]), true);
  at = tn_onnx_op2(c, "divide", at, tn_onnx_cast(c, extent, type));
  return tn_onnx_op2(c, "subtract", at, tn_onnx_scalar(c, type, 1));
}

/* The data at all taps: [N * G, C / G, taps, out...]. */
static const tn_node *taps_of(tn_onnx_call *c, const deformed *f, const tn_node *x,
                              const tn_node *offset) {
  const tn_node *dims[3 + TN_ONNX_MAX_SPATIAL] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, f->n_taps),
                                                  tn_onnx_i64(c, f->w.n)};
  const tn_node *parts[TN_ONNX_MAX_SPATIAL];
  int32_t n = f->w.n;
  for (int32_t d = 0; d < n; ++d) {
    dims[3 + d] = f->out[2 + d];
  }
  offset = tn_onnx_reshape(c, offset, tn_list(c->ir, (uint32_t)n + 3, dims));
  for (int32_t d = 0; d < n; ++d) { /* the last dimension comes first in a point */
    const tn_node *own = tn_onnx_part(c, offset, 2, d, d + 1);
    const tn_node *thin[2 + TN_ONNX_MAX_SPATIAL] = {dims[0], dims[1]};
    memcpy(&thin[2], &dims[3], (size_t)n * sizeof dims[0]);
    own = tn_onnx_reshape(c, own, tn_list(c->ir, (uint32_t)n + 2, thin));
    parts[n - 1 - d] = grid_coordinate(c, f, own, d);
  }
  tn_onnx_build b = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&b, "axis", n + 2);
  const tn_node *grid = tn_onnx_end1(&b, tn_onnx_tuple(c, (uint32_t)n, parts));
  /* taps and the first spatial dimension are one in the grid */
  const tn_node *flat[2 + TN_ONNX_MAX_SPATIAL] = {dims[0], tn_onnx_i64(c, -1)};
  flat[0] = tn_onnx_size_op(c, TN_OP_MUL, f->in[0], tn_onnx_i64(c, f->n_groups));
  for (int32_t d = 1; d < n; ++d) {
    flat[1 + d] = f->out[2 + d];
  }
  flat[n + 1] = tn_onnx_i64(c, n);
  grid = tn_onnx_reshape(c, grid, tn_list(c->ir, (uint32_t)n + 2, flat));
  const tn_node *pictures[2 + TN_ONNX_MAX_SPATIAL] = {
      flat[0], tn_onnx_size_op(c, TN_OP_FLOORDIV, f->in[1], tn_onnx_i64(c, f->n_groups))};
  memcpy(&pictures[2], &f->in[2], (size_t)n * sizeof pictures[0]);
  x = tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)n + 2, pictures));
  const tn_node *y = sampled(c, x, grid, "bilinear", "zeros", false);
  const tn_node *out[3 + TN_ONNX_MAX_SPATIAL] = {flat[0], pictures[1], dims[1]};
  memcpy(&out[3], &dims[3], (size_t)n * sizeof out[0]);
  return tn_onnx_reshape(c, y, tn_list(c->ir, (uint32_t)n + 3, out));
}

/* A factor for each tap: [N, G * taps, out...]. */
static const tn_node *masked(tn_onnx_call *c, const deformed *f, const tn_node *y,
                             const tn_node *mask) {
  const tn_node *dims[3 + TN_ONNX_MAX_SPATIAL] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, 1),
                                                  tn_onnx_i64(c, f->n_taps)};
  if (mask == NULL) {
    return y;
  }
  memcpy(&dims[3], &f->out[2], (size_t)f->w.n * sizeof dims[0]);
  mask = tn_onnx_reshape(c, mask, tn_list(c->ir, (uint32_t)f->w.n + 3, dims));
  return tn_onnx_op2(c, "multiply", y, tn_onnx_cast(c, mask, tn_onnx_type_of(c, y)));
}

/* A product of matrices for each group of channels: the kernel's [M / g, C / g * taps] and the
 * taps' [C / g * taps, points]. */
void tn_onnx_rule_deform_conv(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *kernel = tn_onnx_in(c, 1);
  const tn_node *offset = tn_onnx_in(c, 2);
  const tn_node *bias = tn_onnx_maybe(c, 3);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *kernel_dims = tn_onnx_dims(c, kernel);
  const tn_node *out_dims = tn_onnx_dims(c, offset);
  int64_t groups = tn_onnx_attr_int(c, "group", 1);
  deformed f = {.w = tn_onnx_window_read(c, x, kernel_dims),
                .n_groups = tn_onnx_attr_int(c, "offset_group", 1),
                .n_taps = 1};
  if (c->st != NULL || f.w.n < 2 || out_dims->n_in != dims->n_in || groups < 1 ||
      groups > INT32_MAX || f.n_groups < 1 || f.n_groups > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "data of %d spatial dimensions, %" PRId64 " groups and %" PRId64
                 " of offsets; 2 or 3 dimensions are there, and offsets of the data's rank",
                 f.w.n, groups, f.n_groups);
    return;
  }
  f.in = dims->in;
  f.out = out_dims->in;
  for (int32_t i = 0; i < f.w.n; ++i) {
    f.n_taps = f.n_taps > INT16_MAX ? f.n_taps : f.n_taps * f.w.kernel[i];
  }
  if (f.n_taps > INT16_MAX) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a kernel of so many elements");
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  const tn_node *y = taps_of(c, &f, tn_onnx_cast(c, x, in), tn_onnx_cast(c, offset, TN_DT_F64));
  y = masked(c, &f, y, tn_onnx_maybe(c, 4));
  const tn_node *g = tn_onnx_i64(c, groups);
  const tn_node *depth =
      tn_onnx_size_op(c, TN_OP_MUL, kernel_dims->in[1], tn_onnx_i64(c, f.n_taps));
  const tn_node *columns[] = {dims->in[0], g, depth, tn_onnx_i64(c, -1)};
  const tn_node *rows[] = {g, tn_onnx_size_op(c, TN_OP_FLOORDIV, kernel_dims->in[0], g), depth};
  y = tn_onnx_reshape(c, y, tn_list(c->ir, 4, columns));
  kernel = tn_onnx_reshape(c, tn_onnx_cast(c, kernel, in), tn_list(c->ir, 3, rows));
  y = tn_onnx_op2(c, "matmul", kernel, y);
  const tn_node *out[2 + TN_ONNX_MAX_SPATIAL] = {dims->in[0], kernel_dims->in[0]};
  memcpy(&out[2], &out_dims->in[2], (size_t)f.w.n * sizeof out[0]);
  y = tn_onnx_reshape(c, y, tn_list(c->ir, (uint32_t)f.w.n + 2, out));
  if (bias != NULL) {
    y = tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, tn_onnx_cast(c, bias, in), f.w.n + 2));
  }
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

/* ---- columns to pictures ---- */

enum { MAX_TAPS = 4096 };

/* [taps, 1, kernel...]: tap t has its 1 at place t. */
static const tn_node *tap_kernels(tn_onnx_call *c, tn_dtype type, const tn_onnx_window *w,
                                  int64_t n_taps) {
  tn_array array = {0};
  int64_t shape[2 + TN_ONNX_MAX_SPATIAL] = {n_taps, 1};
  memcpy(&shape[2], w->kernel, (size_t)w->n * sizeof shape[0]);
  if (c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&array, type, w->n + 2, shape));
  for (int64_t t = 0; c->st == NULL && t < n_taps; ++t) {
    tn_array_set_f64(&array, t * n_taps + t, 1);
  }
  return tn_onnx_const(c, &array);
}

/* Reads the window of Col2Im, whose kernel is the input block_shape. Sets what each column is one
 * of, and what the picture has behind the last window. */
static tn_onnx_window read_columns(tn_onnx_call *c, int64_t *image, int64_t *counts,
                                   int64_t *more) {
  tn_onnx_i64s size = tn_onnx_numbers(c, tn_onnx_in(c, 1), "image_shape");
  tn_onnx_i64s block = tn_onnx_numbers(c, tn_onnx_in(c, 2), "block_shape");
  tn_onnx_window w = {.n = (int32_t)(size.len > 8 ? 8 : size.len)};
  if (c->st != NULL || w.n < 1 || w.n > TN_ONNX_MAX_SPATIAL || block.len != size.len) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "pictures of %d dimensions, expected 1 to %d", w.n,
                 (int)TN_ONNX_MAX_SPATIAL);
    return w;
  }
  tn_onnx_window_list(c, "strides", w.n, 1, 1, w.stride);
  tn_onnx_window_list(c, "dilations", w.n, 1, 1, w.dilation);
  tn_onnx_window_list(c, "pads", 2 * w.n, 0, 0, w.pads);
  for (int32_t i = 0; c->st == NULL && i < w.n; ++i) {
    image[i] = size.data[i];
    w.kernel[i] = block.data[i];
    bool is_fine =
        image[i] >= 1 && image[i] <= INT32_MAX && w.kernel[i] >= 1 && w.kernel[i] <= MAX_TAPS;
    int64_t room =
        !is_fine ? -1
                 : image[i] + w.pads[i] + w.pads[w.n + i] - ((w.kernel[i] - 1) * w.dilation[i] + 1);
    if (room < 0) {
      TN_ONNX_FAIL(c, TN_INVALID, "blocks of %" PRId64 " in a picture of %" PRId64, block.data[i],
                   size.data[i]);
    }
    counts[i] = room / w.stride[i] + 1;
    more[i] = room % w.stride[i];
  }
  return w;
}

/* Each column adds its elements at the taps of its window: a transposed convolution whose kernel
 * holds a single 1 for each tap. */
void tn_onnx_rule_col2im(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t image[TN_ONNX_MAX_SPATIAL];
  int64_t counts[TN_ONNX_MAX_SPATIAL];
  int64_t more[TN_ONNX_MAX_SPATIAL];
  int64_t n_taps = 1;
  tn_onnx_window w = read_columns(c, image, counts, more);
  for (int32_t i = 0; c->st == NULL && i < w.n; ++i) {
    n_taps = n_taps > MAX_TAPS ? n_taps : n_taps * w.kernel[i];
  }
  if (c->st != NULL || dims->n_in != 3 || n_taps > MAX_TAPS) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "blocks of %" PRId64 " elements in data of rank %u", n_taps,
                 dims == NULL ? 0 : dims->n_in);
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *columns[2 + TN_ONNX_MAX_SPATIAL] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, n_taps)};
  const tn_node *out[2 + TN_ONNX_MAX_SPATIAL] = {
      dims->in[0], tn_onnx_size_op(c, TN_OP_FLOORDIV, dims->in[1], columns[1])};
  for (int32_t i = 0; i < w.n; ++i) {
    columns[2 + i] = tn_onnx_i64(c, counts[i]);
    out[2 + i] = tn_onnx_i64(c, image[i]);
  }
  x = tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)w.n + 2, columns));
  tn_onnx_build b = tn_onnx_begin(c, tn_onnx_numbered(c, "nn.conv", w.n, "d_transpose"));
  tn_onnx_window_set(&b, &w);
  tn_onnx_set_ints(&b, "output_padding", (size_t)w.n, more);
  const tn_node *y = tn_onnx_end2(&b, x, tap_kernels(c, type, &w, n_taps));
  tn_onnx_give(c, 0, tn_onnx_reshape(c, y, tn_list(c->ir, (uint32_t)w.n + 2, out)));
}

/* ---- around the middle ---- */

void tn_onnx_rule_center_crop_pad(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_i64s shape = tn_onnx_numbers(c, tn_onnx_in(c, 1), "shape");
  tn_onnx_i64s axes = tn_onnx_attr_ints(c, "axes");
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t before[TN_MAX_NDIM] = {0};
  int64_t after[TN_MAX_NDIM] = {0};
  if (c->st != NULL || shape.len != (axes.data == NULL ? dims->n_in : axes.len)) {
    TN_ONNX_FAIL(c, TN_INVALID, "'shape' has %zu numbers", shape.len);
    return;
  }
  for (size_t i = 0; c->st == NULL && i < shape.len; ++i) {
    int64_t axis = axes.data == NULL ? (int64_t)i : axes.data[i];
    int32_t at = tn_onnx_axis(c, axis, (int32_t)dims->n_in);
    const tn_node *extent = dims->in[at];
    if (c->st != NULL || extent->op != TN_OP_INT || shape.data[i] < 0 ||
        shape.data[i] > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the extent of dimension %d must be a number", at);
      return;
    }
    int64_t missing = shape.data[i] - extent->attr.i64; /* the first half is the smaller one */
    before[at] = missing / 2;
    after[at] = missing - before[at];
  }
  tn_onnx_give(c, 0, tn_onnx_pad(c, x, 0, before, after));
}

void tn_onnx_rule_det(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_give(c, 0, tn_onnx_op1(c, "linalg.det", x));
}
