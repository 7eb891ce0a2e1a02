/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Resize and its forerunners, one axis after another. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

typedef struct resizing {
  size_t n;
  int64_t axes[TN_MAX_NDIM];
  double scales[TN_MAX_NDIM]; /* 0: as the extents say */
  int64_t sizes[TN_MAX_NDIM];
  double begin[TN_MAX_NDIM];
  double end[TN_MAX_NDIM];
  const char *mode; /* of coordinates */
  const char *rounding;
} resizing;

static void need_floats(tn_onnx_call *c, const tn_node *value, size_t n, const char *what,
                        double *out) {
  const tn_array *array = tn_onnx_need_array(c, value);
  if (array == NULL || array->ndim != 1 || tn_array_n_elems(array) != (int64_t)n) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be %zu numbers that are known while compiling", what,
                 n);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    out[i] = tn_array_get_f64(array, (int64_t)i);
  }
}

static int64_t extent_of(tn_onnx_call *c, const tn_node *dims, int64_t axis) {
  const tn_node *extent = dims == NULL ? NULL : dims->in[axis];
  if (extent == NULL || extent->op != TN_OP_INT || extent->attr.i64 > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "the extent of axis %" PRId64 " must be a number; --shape "
                 "fixes it",
                 axis);
    return 1;
  }
  return extent->attr.i64;
}

static void take_scales(tn_onnx_call *c, const tn_node *dims, resizing *r) {
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    double size = floor((double)extent_of(c, dims, r->axes[i]) * r->scales[i]);
    if (!(r->scales[i] > 0) || !(size >= 0) || size > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_INVALID, "the scale of axis %" PRId64 " is %g", r->axes[i], r->scales[i]);
    } else {
      r->sizes[i] = (int64_t)size;
    }
  }
}

/* keep_aspect_ratio_policy: one scale for all axes. */
static void keep_ratio(tn_onnx_call *c, const tn_node *dims, bool is_larger, resizing *r) {
  double scale = 0;
  for (size_t i = 0; i < r->n; ++i) {
    double own = (double)r->sizes[i] / (double)extent_of(c, dims, r->axes[i]);
    bool is_better = is_larger ? own > scale : own < scale;
    scale = i == 0 || is_better ? own : scale;
  }
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    r->sizes[i] = (int64_t)floor(scale * (double)extent_of(c, dims, r->axes[i]) + 0.5);
    r->scales[i] = scale;
  }
}

static void take_sizes(tn_onnx_call *c, const tn_node *dims, const tn_node *value, resizing *r) {
  tn_onnx_i64s sizes = tn_onnx_numbers(c, value, "sizes");
  const char *policy = tn_onnx_attr_text(c, "keep_aspect_ratio_policy", "stretch");
  if (c->st != NULL || sizes.len != r->n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu sizes for %zu axes", sizes.len, r->n);
    return;
  }
  for (size_t i = 0; i < r->n; ++i) {
    r->sizes[i] = sizes.data[i];
    if (sizes.data[i] < 0 || sizes.data[i] > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_INVALID, "the size of axis %" PRId64 " is %" PRId64, r->axes[i],
                   sizes.data[i]);
    }
  }
  if (strcmp(policy, "stretch") != 0) {
    keep_ratio(c, dims, strcmp(policy, "not_smaller") == 0, r);
  }
}

static void resize(tn_onnx_call *c, const tn_node *x, const resizing *r) {
  static const char *const methods[][2] = {{"nearest", "nearest_neighbor"},
                                           {"linear", "linear"},
                                           {"bilinear", "linear"},
                                           {"cubic", "cubic"}};
  const char *given = tn_onnx_attr_text(c, "mode", "nearest");
  const char *method = NULL;
  const tn_node *dims = tn_onnx_dims(c, x);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
    method = strcmp(given, methods[i][0]) == 0 ? methods[i][1] : method;
  }
  if (method == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s', expected nearest, linear or cubic", given);
  }
  bool is_crop = strcmp(r->mode, "tf_crop_and_resize") == 0;
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    if (!is_crop && extent_of(c, dims, r->axes[i]) == r->sizes[i] &&
        (r->scales[i] == 0 || r->scales[i] == 1)) {
      continue;
    }
    const tn_node *size = tn_int(c->ir, TN_DT_I64, r->sizes[i]);
    tn_onnx_build b = tn_onnx_begin(c, "image.resize_axis");
    tn_onnx_set_int(&b, "axis", r->axes[i]);
    tn_onnx_set_text(&b, "method", method);
    tn_onnx_set_text(&b, "coordinate_transformation_mode", r->mode);
    bool is_old_shrink = c->version < 11 && r->scales[i] < 1; /* opset 10 rounds up there */
    tn_onnx_set_text(&b, "rounding_method", is_old_shrink ? "ceil" : r->rounding);
    tn_onnx_set_float(&b, "cubic_alpha", tn_onnx_attr_float(c, "cubic_coeff_a", -0.75));
    tn_onnx_set_int(&b, "cubic_exclude", tn_onnx_attr_int(c, "exclude_outside", 0));
    tn_onnx_set_float(&b, "extrapolation_value", tn_onnx_attr_float(c, "extrapolation_value", 0));
    tn_onnx_set_float(&b, "scale", r->scales[i]);
    tn_onnx_set_float(&b, "roi_begin", r->begin[i]);
    tn_onnx_set_float(&b, "roi_end", r->end[i]);
    tn_onnx_set_bool(&b, "antialias", tn_onnx_attr_int(c, "antialias", 0) != 0);
    x = tn_onnx_end2(&b, x, tn_onnx_shape_value(c, tn_list(c->ir, 1, &size)));
  }
  tn_onnx_give(c, 0, x);
}

static resizing all_axes(tn_onnx_call *c, const tn_node *x) {
  resizing r = {.mode = "asymmetric", .rounding = "floor"};
  int32_t ndim = tn_onnx_ndim(c, x);
  r.n = ndim > TN_MAX_NDIM ? 0 : (size_t)ndim;
  for (size_t i = 0; i < r.n; ++i) {
    r.axes[i] = (int64_t)i;
    r.end[i] = 1;
  }
  return r;
}

/* Upsample, and Resize of opset 10: the scales alone. */
void tn_onnx_rule_upsample(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  resizing r = all_axes(c, x);
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, "scales");
  if (attr != NULL && attr->floats.len == r.n) {
    for (size_t i = 0; i < r.n; ++i) {
      r.scales[i] = (double)attr->floats.data[i];
    }
  } else {
    need_floats(c, tn_onnx_in(c, 1), r.n, "scales", r.scales);
  }
  take_scales(c, tn_onnx_dims(c, x), &r);
  resize(c, x, &r);
}

void tn_onnx_rule_resize(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *scales = tn_onnx_maybe(c, 2);
  resizing r = all_axes(c, x);
  tn_onnx_i64s axes = tn_onnx_attr_ints(c, "axes");
  int32_t ndim = tn_onnx_ndim(c, x);
  for (size_t i = 0; axes.data != NULL && axes.len <= TN_MAX_NDIM && i < axes.len; ++i) {
    r.axes[i] = tn_onnx_axis(c, axes.data[i], ndim);
  }
  r.n = axes.data == NULL ? r.n : axes.len <= TN_MAX_NDIM ? axes.len : 0;
  r.mode = tn_onnx_attr_text(c, "coordinate_transformation_mode", "half_pixel");
  r.rounding = tn_onnx_attr_text(c, "nearest_mode", "round_prefer_floor");
  if (strcmp(r.mode, "tf_crop_and_resize") == 0) {
    double roi[2 * TN_MAX_NDIM];
    need_floats(c, tn_onnx_in(c, 1), 2 * r.n, "roi", roi);
    for (size_t i = 0; c->st == NULL && i < r.n; ++i) {
      r.begin[i] = roi[i];
      r.end[i] = roi[r.n + i];
    }
  }
  const tn_array *given = tn_onnx_need_array(c, scales);
  if (scales != NULL && !(given != NULL && tn_array_n_elems(given) == 0)) {
    need_floats(c, scales, r.n, "scales", r.scales);
    take_scales(c, dims, &r);
  } else {
    take_sizes(c, dims, tn_onnx_in(c, 3), &r);
  }
  resize(c, x, &r);
}
