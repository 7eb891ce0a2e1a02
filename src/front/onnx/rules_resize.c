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
  const tn_node *sizes[TN_MAX_NDIM];
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

/* floor(extent * scale) where the extent is no number yet: the scale is a float32, so a whole number
 * over a power of two. */
static const tn_node *scaled_extent(tn_onnx_call *c, const tn_node *extent, double scale) {
  int exponent = 0;
  int64_t above = (int64_t)(frexp(scale, &exponent) * 0x1p24);
  int64_t below = 24 - exponent;
  for (; above % 2 == 0 && below > 0; --below) {
    above /= 2;
  }
  if (below < 0 || below > 32) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a scale of %g of an extent that is no number", scale);
    return NULL;
  }
  const tn_node *all = tn_onnx_size_op(c, TN_OP_MUL, extent, tn_onnx_i64(c, above));
  return tn_onnx_size_op(c, TN_OP_FLOORDIV, all, tn_onnx_i64(c, (int64_t)1 << below));
}

static void take_scales(tn_onnx_call *c, const tn_node *dims, resizing *r) {
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    const tn_node *extent = dims->in[r->axes[i]];
    bool is_known = extent->op == TN_OP_INT;
    double size = is_known ? floor((double)extent->attr.i64 * r->scales[i]) : 0;
    if (!(r->scales[i] > 0) || r->scales[i] > 0x1p20 || !(size >= 0) || size > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_INVALID, "the scale of axis %" PRId64 " is %g", r->axes[i], r->scales[i]);
    } else {
      r->sizes[i] =
          is_known ? tn_onnx_i64(c, (int64_t)size) : scaled_extent(c, extent, r->scales[i]);
    }
  }
}

/* keep_aspect_ratio_policy: one scale for all axes. */
static void keep_ratio(tn_onnx_call *c, const tn_node *dims, bool is_larger, resizing *r) {
  double scale = 0;
  for (size_t i = 0; i < r->n; ++i) {
    double own = (double)r->sizes[i]->attr.i64 / (double)extent_of(c, dims, r->axes[i]);
    bool is_better = is_larger ? own > scale : own < scale;
    scale = i == 0 || is_better ? own : scale;
  }
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    double size = floor(scale * (double)extent_of(c, dims, r->axes[i]) + 0.5);
    r->sizes[i] = tn_onnx_i64(c, size >= 0 && size <= INT32_MAX ? (int64_t)size : 0);
    r->scales[i] = scale;
  }
}

static void take_sizes(tn_onnx_call *c, const tn_node *dims, const tn_node *value, resizing *r) {
  const char *policy = tn_onnx_attr_text(c, "keep_aspect_ratio_policy", "stretch");
  const tn_node *sizes = NULL;
  if (tn_onnx_need_array(c, value) == NULL && strcmp(policy, "stretch") == 0) {
    sizes = tn_onnx_sizes(c, value, "sizes");
  } else {
    tn_onnx_i64s numbers = tn_onnx_numbers(c, value, "sizes");
    sizes = c->st != NULL ? NULL : tn_onnx_known(c, tn_onnx_vector(c, numbers));
  }
  if (sizes == NULL || sizes->n_in != r->n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u sizes for %zu axes", sizes == NULL ? 0 : sizes->n_in, r->n);
    return;
  }
  for (size_t i = 0; i < r->n; ++i) {
    r->sizes[i] = sizes->in[i];
    if (sizes->in[i]->op == TN_OP_INT &&
        (sizes->in[i]->attr.i64 < 0 || sizes->in[i]->attr.i64 > INT32_MAX)) {
      TN_ONNX_FAIL(c, TN_INVALID, "the size of axis %" PRId64 " is %" PRId64, r->axes[i],
                   sizes->in[i]->attr.i64);
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
  tn_dtype type = tn_onnx_type_of(c, x);
  if (method != NULL && strcmp(method, "nearest_neighbor") != 0 && !tn_dtype_is_float(type)) {
    x = tn_onnx_cast(c, x, tn_dtype_bits(type) < 32 ? TN_DT_F32 : TN_DT_F64);
  }
  for (size_t i = 0; i < r->n && c->st == NULL; ++i) {
    const tn_node *size = r->sizes[i];
    bool is_whole = tn_dim_compare(c->ir, dims->in[r->axes[i]], size) == TN_DIM_EQUAL;
    if (!is_crop && is_whole && (r->scales[i] == 0 || r->scales[i] == 1)) {
      continue;
    }
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
  tn_onnx_give(c, 0, tn_onnx_cast(c, x, type));
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
