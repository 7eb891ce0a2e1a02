/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Matrix products, convolutions. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/window.h"

/* ---- matrix products ---- */

static const tn_node *transposed(tn_onnx_call *c, const tn_node *x) {
  const int64_t swap[] = {1, 0};
  if (tn_onnx_ndim(c, x) != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "an operand has %d dimensions, expected 2", tn_onnx_ndim(c, x));
    return NULL;
  }
  return tn_onnx_permute(c, x, swap);
}

void tn_onnx_rule_gemm(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_in(c, 0);
  const tn_node *b = tn_onnx_in(c, 1);
  const tn_node *bias = tn_onnx_maybe(c, 2);
  tn_dtype type = tn_onnx_type_of(c, a);
  double alpha = tn_onnx_attr_float(c, "alpha", 1);
  double beta = tn_onnx_attr_float(c, "beta", 1);
  a = tn_onnx_attr_int(c, "transA", 0) != 0 ? transposed(c, a) : a;
  b = tn_onnx_attr_int(c, "transB", 0) != 0 ? transposed(c, b) : b;
  const tn_node *y = tn_onnx_op2(c, "matmul", a, b);
  y = alpha == 1 ? y : tn_onnx_op2(c, "multiply", y, tn_onnx_scalar(c, type, alpha));
  if (bias != NULL && beta != 0) {
    bias = beta == 1 ? bias : tn_onnx_op2(c, "multiply", bias, tn_onnx_scalar(c, type, beta));
    y = tn_onnx_op2(c, "add", y, bias);
  }
  tn_onnx_give(c, 0, y);
}

/* ---- convolutions ---- */

const tn_node *tn_onnx_along_channels(tn_onnx_call *c, const tn_node *x, int32_t ndim) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *own = tn_onnx_dims(c, x);
  if (own == NULL || own->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected a vector of one number a channel");
    return NULL;
  }
  for (int32_t i = 0; i < ndim - 1; ++i) {
    dims[i] = i == 0 ? own->in[0] : tn_int(c->ir, TN_DT_I64, 1);
  }
  return tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)ndim - 1, dims));
}

static const tn_node *with_bias(tn_onnx_call *c, const tn_node *y, const tn_node *bias) {
  return bias == NULL || y == NULL
             ? y
             : tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, bias, tn_onnx_ndim(c, y)));
}

const tn_node *tn_onnx_conv(tn_onnx_call *c, const tn_node *x, const tn_node *kernel,
                            const tn_node *bias) {
  tn_onnx_window w = tn_onnx_window_read(c, x, tn_onnx_dims(c, kernel));
  tn_onnx_build b = tn_onnx_begin(c, tn_onnx_numbered(c, "nn.conv", w.n, "d"));
  tn_onnx_window_set(&b, &w);
  tn_onnx_set_int(&b, "groups", tn_onnx_attr_int(c, "group", 1));
  return with_bias(c, tn_onnx_end2(&b, x, kernel), bias);
}

void tn_onnx_rule_conv(tn_onnx_call *c) {
  tn_onnx_give(c, 0, tn_onnx_conv(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)));
}

/* output_shape, or auto_pad with input * stride, tells what is cut off; what is missing is added. */
static void cut_to_shape(tn_onnx_call *c, const tn_node *dims, tn_onnx_window *w, int64_t *more) {
  tn_onnx_i64s shape = tn_onnx_attr_ints(c, "output_shape");
  const char *how = tn_onnx_attr_text(c, "auto_pad", "NOTSET");
  bool is_same = strncmp(how, "SAME", 4) == 0;
  bool is_upper = strcmp(how, "SAME_UPPER") == 0;
  if (shape.data == NULL && !is_same) {
    return;
  }
  size_t skip =
      shape.len >= (size_t)w->n ? shape.len - (size_t)w->n : 0; /* old: of all dimensions */
  for (int32_t i = 0; c->st == NULL && i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    bool is_known = extent->op == TN_OP_INT && extent->attr.i64 <= INT32_MAX;
    if (shape.data != NULL && (!is_known || shape.len < (size_t)w->n)) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the extent of dimension %d must be a number", 2 + i);
      return;
    }
    int64_t in = is_known ? extent->attr.i64 : 1; /* SAME cuts off all extents alike */
    int64_t want = shape.data != NULL ? shape.data[skip + (size_t)i] : in * w->stride[i];
    int64_t all =
        w->stride[i] * (in - 1) + more[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - want;
    more[i] += all < 0 ? -all : 0;
    all = all < 0 ? 0 : all;
    w->pads[i] = is_upper ? all / 2 : all - all / 2;
    w->pads[w->n + i] = all - w->pads[i];
  }
}

void tn_onnx_rule_conv_transpose(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *kernel = tn_onnx_in(c, 1);
  int64_t more[TN_ONNX_MAX_SPATIAL] = {0};
  tn_onnx_window w = tn_onnx_window_read(c, x, tn_onnx_dims(c, kernel));
  if (c->st != NULL) {
    return;
  }
  tn_onnx_window_list(c, "output_padding", w.n, 0, 0, more);
  cut_to_shape(c, tn_onnx_dims(c, x), &w, more);
  tn_onnx_build b = tn_onnx_begin(c, tn_onnx_numbered(c, "nn.conv", w.n, "d_transpose"));
  tn_onnx_window_set(&b, &w);
  tn_onnx_set_ints(&b, "output_padding", (size_t)w.n, more);
  tn_onnx_set_int(&b, "groups", tn_onnx_attr_int(c, "group", 1));
  tn_onnx_give(c, 0, with_bias(c, tn_onnx_end2(&b, x, kernel), tn_onnx_maybe(c, 2)));
}
