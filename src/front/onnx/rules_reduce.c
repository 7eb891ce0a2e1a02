/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reductions, softmax, searches for the largest. */
#include <string.h>

#include "front/onnx/rules.h"

/* ---- axes ---- */

typedef struct axes {
  size_t n;
  int64_t at[TN_MAX_NDIM];
  bool keeps;
  bool is_nothing; /* noop_with_empty_axes: the tensor itself */
} axes;

/* From the attribute or, from opset 13 or 18 on, from the second input. */
static axes read_axes(tn_onnx_call *c, const tn_node *x) {
  axes a = {.keeps = tn_onnx_attr_int(c, "keepdims", 1) != 0};
  int32_t ndim = tn_onnx_ndim(c, x);
  tn_onnx_i64s given = tn_onnx_attr_ints(c, "axes");
  if (tn_onnx_maybe(c, 1) != NULL) {
    given = tn_onnx_numbers(c, tn_onnx_maybe(c, 1), "axes");
  }
  if (given.len > TN_MAX_NDIM || ndim > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu axes", given.len);
    return a;
  }
  a.is_nothing = given.len == 0 && tn_onnx_attr_int(c, "noop_with_empty_axes", 0) != 0;
  a.n = given.len == 0 ? (size_t)ndim : given.len;
  for (size_t i = 0; i < a.n; ++i) {
    a.at[i] = given.len == 0 ? (int64_t)i : tn_onnx_axis(c, given.data[i], ndim);
  }
  return a;
}

static const tn_node *reduce(tn_onnx_call *c, const char *op, const tn_node *x, const axes *a) {
  return a->is_nothing || a->n == 0 ? x : tn_onnx_reduce(c, op, x, a->n, a->at, a->keeps);
}

/* ---- reductions ---- */

void tn_onnx_rule_reduce(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  axes a = read_axes(c, x);
  tn_dtype type = tn_onnx_type_of(c, x);
  x = type == TN_DT_BOOL ? tn_onnx_cast(c, x, TN_DT_U8) : x;
  tn_onnx_give(c, 0, tn_onnx_cast(c, reduce(c, c->rule->word, x, &a), type));
}

void tn_onnx_rule_reduce_l1(tn_onnx_call *c) {
  axes a = read_axes(c, tn_onnx_in(c, 0));
  tn_onnx_give(c, 0, reduce(c, "sum", tn_onnx_op1(c, "abs", tn_onnx_in(c, 0)), &a));
}

static const tn_node *squares(tn_onnx_call *c, const tn_node *x) {
  return tn_onnx_op2(c, "multiply", x, x);
}

void tn_onnx_rule_reduce_sum_square(tn_onnx_call *c) {
  axes a = read_axes(c, tn_onnx_in(c, 0));
  tn_onnx_give(c, 0, reduce(c, "sum", squares(c, tn_onnx_in(c, 0)), &a));
}

/* Integers take the root in float64. */
void tn_onnx_rule_reduce_l2(tn_onnx_call *c) {
  axes a = read_axes(c, tn_onnx_in(c, 0));
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_dtype in = tn_dtype_is_float(type) ? type : TN_DT_F64;
  const tn_node *x = tn_onnx_cast(c, tn_onnx_in(c, 0), in);
  const tn_node *root = tn_onnx_op1(c, "sqrt", reduce(c, "sum", squares(c, x), &a));
  tn_onnx_give(c, 0, tn_onnx_cast(c, root, type));
}

void tn_onnx_rule_reduce_log_sum(tn_onnx_call *c) {
  axes a = read_axes(c, tn_onnx_in(c, 0));
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_dtype in = tn_dtype_is_float(type) ? type : TN_DT_F64;
  const tn_node *sum = reduce(c, "sum", tn_onnx_cast(c, tn_onnx_in(c, 0), in), &a);
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_op1(c, "log", sum), type));
}

/* log(sum(exp(x - m))) + m with the largest m, or 0 where that is infinite. */
void tn_onnx_rule_reduce_log_sum_exp(tn_onnx_call *c) {
  axes a = read_axes(c, tn_onnx_in(c, 0));
  axes kept = a;
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_dtype in = tn_dtype_is_float(type) ? type : TN_DT_F64;
  const tn_node *x = tn_onnx_cast(c, tn_onnx_in(c, 0), in);
  kept.keeps = true;
  if (a.is_nothing || a.n == 0) {
    tn_onnx_give(c, 0, tn_onnx_in(c, 0));
    return;
  }
  const tn_node *zero = tn_onnx_scalar(c, in, 0);
  const tn_node *m = reduce(c, "max", x, &kept);
  m = tn_onnx_op3(c, "where", tn_onnx_op1(c, "isfinite", m), m, zero);
  const tn_node *e = tn_onnx_op1(c, "exp", tn_onnx_op2(c, "subtract", x, m));
  const tn_node *log = tn_onnx_op1(c, "log", reduce(c, "sum", e, &a));
  const tn_node *back = a.keeps ? m : reduce(c, "max", m, &a); /* of one element each */
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_op2(c, "add", log, back), type));
}

/* ---- the largest ---- */

static const tn_node *flip(tn_onnx_call *c, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "flip");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end1(&b, x);
}

void tn_onnx_rule_arg(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x));
  bool is_last = tn_onnx_attr_int(c, "select_last_index", 0) != 0;
  const tn_node *dims = is_last ? tn_onnx_dims(c, x) : NULL;
  tn_onnx_build b = tn_onnx_begin(c, c->rule->word);
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_set_bool(&b, "keepdims", tn_onnx_attr_int(c, "keepdims", 1) != 0);
  const tn_node *at = tn_onnx_end1(&b, is_last ? flip(c, x, axis) : x);
  if (is_last && dims != NULL) {
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    const tn_node *last = tn_onnx_size_op(c, TN_OP_SUB, dims->in[axis], one);
    at = tn_onnx_op2(c, "subtract", tn_onnx_from_known(c, tn_list(c->ir, 1, &last), true), at);
  }
  tn_onnx_give(c, 0, at);
}

/* ---- softmax ---- */

static const tn_node *along(tn_onnx_call *c, const char *op, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end1(&b, x);
}

/* 1 at the first largest element of an axis, 0 elsewhere. */
static const tn_node *hardmax(tn_onnx_call *c, const tn_node *x, int32_t axis) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL) {
    return NULL;
  }
  if (dims->in[axis]->op != TN_OP_INT) {
    tn_onnx_build b = tn_onnx_begin(c, "argmax");
    tn_onnx_set_int(&b, "axis", axis);
    tn_onnx_set_bool(&b, "keepdims", true);
    const tn_node *at = tn_onnx_counted(c, dims->in[axis]);
    at = tn_onnx_stand(c, at, (int32_t)dims->n_in, axis);
    return tn_onnx_cast(c, tn_onnx_op2(c, "equal", at, tn_onnx_end1(&b, x)), type);
  }
  const tn_node *args[] = {along(c, "argmax", x, axis), tn_onnx_scalar(c, type, 1),
                           tn_onnx_scalar(c, type, 0)};
  tn_onnx_build b = tn_onnx_begin(c, "one_hot");
  tn_onnx_set_int(&b, "depth", dims->in[axis]->attr.i64);
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end(&b, 3, args);
}

static const tn_node *softmax(tn_onnx_call *c, const tn_node *x, int32_t axis) {
  bool is_hard = strcmp(c->rule->word, "hardmax") == 0;
  return is_hard ? hardmax(c, x, axis) : along(c, c->rule->word, x, axis);
}

void tn_onnx_rule_softmax(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), tn_onnx_ndim(c, x));
  tn_onnx_give(c, 0, softmax(c, x, axis));
}

/* Before opset 13 all dimensions from `axis` on are one. */
void tn_onnx_rule_softmax_old(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 1), tn_onnx_ndim(c, x));
  if (dims == NULL || c->st != NULL) {
    return;
  }
  const tn_node *flat[2] = {tn_int(c->ir, TN_DT_I64, 1), tn_int(c->ir, TN_DT_I64, 1)};
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    int32_t to = i < (uint32_t)axis ? 0 : 1;
    flat[to] = tn_onnx_size_op(c, TN_OP_MUL, flat[to], dims->in[i]);
  }
  const tn_node *y = softmax(c, tn_onnx_reshape(c, x, tn_list(c->ir, 2, flat)), 1);
  tn_onnx_give(c, 0, tn_onnx_reshape(c, y, dims));
}
