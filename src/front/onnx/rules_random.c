/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random tensors. A model is a function of its inputs here: the numbers follow from the seed, or
 * from the node's name where there is none, and are the same at every run. */
#include <inttypes.h>
#include <math.h>

#include "front/onnx/rules.h"

/* The type that the attribute `dtype` names. */
static tn_dtype wanted(tn_onnx_call *c, tn_dtype otherwise) {
  tn_dtype type = otherwise;
  if (tn_onnx_attr_find(c, "dtype") != NULL) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "dtype", 0), &type));
  }
  return type;
}

/* Something of the attribute's shape. */
static const tn_node *of_shape(tn_onnx_call *c) {
  tn_onnx_i64s shape = tn_onnx_attr_ints(c, "shape");
  const tn_node *dims[TN_MAX_NDIM];
  if (c->st == NULL && (shape.data == NULL || shape.len > TN_MAX_NDIM)) {
    TN_ONNX_FAIL(c, TN_INVALID, "'shape' is missing, or has more than %d numbers",
                 (int)TN_MAX_NDIM);
  }
  for (size_t i = 0; c->st == NULL && i < shape.len; ++i) {
    if (shape.data[i] < 0) {
      TN_ONNX_FAIL(c, TN_INVALID, "'shape' holds %" PRId64, shape.data[i]);
    }
    dims[i] = tn_onnx_i64(c, shape.data[i]);
  }
  return c->st != NULL ? NULL
                       : tn_onnx_broadcast(c, tn_onnx_scalar(c, TN_DT_F32, 0),
                                           tn_list(c->ir, (uint32_t)shape.len, dims));
}

/* x * factor + offset */
static const tn_node *stretched(tn_onnx_call *c, const tn_node *x, double factor, double offset) {
  tn_dtype type = tn_onnx_type_of(c, x);
  x = tn_onnx_op2(c, "multiply", x, tn_onnx_scalar(c, type, factor));
  return tn_onnx_op2(c, "add", x, tn_onnx_scalar(c, type, offset));
}

static void give_uniform(tn_onnx_call *c, const tn_node *like, tn_dtype type) {
  double low = tn_onnx_attr_float(c, "low", 0);
  double high = tn_onnx_attr_float(c, "high", 1);
  const tn_node *y = stretched(c, tn_onnx_random(c, like, 0), high - low, low);
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

/* sqrt(-2 log(1 - u)) cos(2 pi v) of two uniform numbers has the normal distribution (Box, Muller). */
static void give_normal(tn_onnx_call *c, const tn_node *like, tn_dtype type) {
  const tn_node *u = stretched(c, tn_onnx_random(c, like, 0), -1, 1);
  const tn_node *v = tn_onnx_random(c, like, 1);
  const tn_node *radius = tn_onnx_op1(c, "sqrt", stretched(c, tn_onnx_op1(c, "log", u), -2, 0));
  const tn_node *wave = tn_onnx_op1(c, "cos", stretched(c, v, 2 * M_PI, 0));
  const tn_node *y = stretched(c, tn_onnx_op2(c, "multiply", radius, wave),
                               tn_onnx_attr_float(c, "scale", 1), tn_onnx_attr_float(c, "mean", 0));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

void tn_onnx_rule_random_uniform(tn_onnx_call *c) {
  give_uniform(c, of_shape(c), wanted(c, TN_DT_F32));
}

void tn_onnx_rule_random_normal(tn_onnx_call *c) {
  give_normal(c, of_shape(c), wanted(c, TN_DT_F32));
}

void tn_onnx_rule_random_uniform_like(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  give_uniform(c, x, wanted(c, tn_onnx_type_of(c, x)));
}

void tn_onnx_rule_random_normal_like(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  give_normal(c, x, wanted(c, tn_onnx_type_of(c, x)));
}

/* 1 with the probability x. */
void tn_onnx_rule_bernoulli(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  const tn_node *draw = tn_onnx_cast(c, tn_onnx_random(c, x, 0), in);
  const tn_node *is_one = tn_onnx_op2(c, "less", draw, tn_onnx_cast(c, x, in));
  tn_onnx_give(c, 0, tn_onnx_cast(c, is_one, wanted(c, type)));
}

/* Each row holds logarithms of what classes are drawn in proportion to: the class of a draw is the
 * number of classes whose share, added up, does not exceed it. */
void tn_onnx_rule_multinomial(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_cast(c, tn_onnx_in(c, 0), TN_DT_F32);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t n = tn_onnx_attr_int(c, "sample_size", 1);
  tn_dtype type = wanted(c, TN_DT_I32);
  if (dims == NULL || dims->n_in != 2 || n < 1 || n > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " draws from such data, expected [batch, classes]", n);
    return;
  }
  tn_onnx_build b = tn_onnx_begin(c, "nn.softmax");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *share = tn_onnx_end1(&b, x);
  b = tn_onnx_begin(c, "cumsum");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *rows[] = {dims->in[0], one, dims->in[1]};
  const tn_node *columns[] = {dims->in[0], tn_onnx_i64(c, n), one};
  const int64_t last = 2;
  const tn_node *reached = tn_onnx_reshape(c, tn_onnx_end1(&b, share), tn_list(c->ir, 3, rows));
  const tn_node *like =
      tn_onnx_broadcast(c, tn_onnx_scalar(c, TN_DT_F32, 0), tn_list(c->ir, 3, columns));
  const tn_node *is_passed = tn_onnx_op2(c, "less_equal", reached, tn_onnx_random(c, like, 0));
  const tn_node *at =
      tn_onnx_reduce(c, "sum", tn_onnx_cast(c, is_passed, TN_DT_I64), 1, &last, false);
  const tn_node *end = tn_onnx_size_op(c, TN_OP_SUB, dims->in[1], one);
  at = tn_onnx_op2(c, "minimum", at, tn_onnx_from_known(c, tn_list(c->ir, 1, &end), true));
  tn_onnx_give(c, 0, tn_onnx_cast(c, at, type));
}
