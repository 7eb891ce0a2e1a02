/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators that ONNX had at first and that old exports still hold. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

/* alpha * x + beta */
void tn_onnx_rule_affine(tn_onnx_call *c) {
  const tn_node *y = tn_onnx_scaled(c, tn_onnx_in(c, 0), tn_onnx_attr_float(c, "alpha", 1));
  const tn_node *beta = tn_onnx_scalar(c, tn_onnx_type_of(c, y), tn_onnx_attr_float(c, "beta", 0));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "add", y, beta));
}

/* alpha * f(beta * x) */
void tn_onnx_rule_scaled_unary(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_scaled(c, tn_onnx_in(c, 0), tn_onnx_attr_float(c, "beta", 1));
  tn_onnx_give(
      c, 0, tn_onnx_scaled(c, tn_onnx_op1(c, c->rule->word, x), tn_onnx_attr_float(c, "alpha", 1)));
}

/* scale * x + a number for each channel */
void tn_onnx_rule_image_scaler(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_onnx_attr *bias = tn_onnx_attr_find(c, "bias");
  tn_array values = {0};
  const tn_node *y = tn_onnx_scaled(c, x, tn_onnx_attr_float(c, "scale", 1));
  if (bias != NULL && c->st == NULL) {
    int64_t n = (int64_t)bias->floats.len;
    tn_onnx_fail(c, tn_array_init(&values, tn_onnx_type_of(c, x), 1, &n));
    for (int64_t i = 0; c->st == NULL && i < n; ++i) {
      tn_array_set_f64(&values, i, (double)bias->floats.data[i]);
    }
    const tn_node *each = tn_onnx_const(c, &values);
    y = tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, each, tn_onnx_ndim(c, x)));
  }
  tn_onnx_give(c, 0, y);
}

/* Without a border (left, top, right, bottom); with `scale`, of that height and width. */
void tn_onnx_rule_crop(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_i64s border = tn_onnx_attr_ints(c, "border");
  tn_onnx_i64s size = tn_onnx_attr_ints(c, "scale");
  if (c->st != NULL || tn_onnx_ndim(c, x) != 4 || border.len != 4 ||
      (size.data != NULL && size.len != 2)) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected pictures, a border of 4 numbers and a scale of 2");
    return;
  }
  for (int i = 0; i < 2; ++i) { /* along H, then W */
    int64_t begin = border.data[1 - i];
    int64_t behind = border.data[3 - i];
    int64_t end = behind == 0 ? INT64_MAX : -behind;
    if (begin < 0 || begin > INT32_MAX || behind < 0 || behind > INT32_MAX ||
        (size.data != NULL && (size.data[i] < 0 || size.data[i] > INT32_MAX))) {
      TN_ONNX_FAIL(c, TN_INVALID, "a border of %" PRId64 " and %" PRId64, begin, behind);
      return;
    }
    x = tn_onnx_part(c, x, 2 + i, begin, size.data == NULL ? end : begin + size.data[i]);
  }
  tn_onnx_give(c, 0, x);
}

/* Regions as rows (batch, x1, y1, x2, y2). */
void tn_onnx_rule_max_roi_pool(tn_onnx_call *c) {
  tn_onnx_i64s size = tn_onnx_attr_ints(c, "pooled_shape");
  if (c->st == NULL && size.len != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "'pooled_shape' has %zu numbers, expected 2", size.len);
  }
  tn_onnx_build b = tn_onnx_begin(c, "vision.roi_pool");
  tn_onnx_set_ints(&b, "pooled_size", size.len, size.data);
  tn_onnx_set_float(&b, "spatial_scale", tn_onnx_attr_float(c, "spatial_scale", 1));
  tn_onnx_give(c, 0, tn_onnx_end2(&b, tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
}
