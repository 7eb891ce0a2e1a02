/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: minus the logarithm of the probability of
 * each target, weighted by its class. Targets that are ignored weigh nothing. */
#include <string.h>

#include "front/onnx/rules.h"

typedef struct loss {
  const tn_node *log;    /* [N, C, ...]: logarithms of probabilities */
  const tn_node *target; /* [N, ...] */
  const tn_node *weight; /* [C] or NULL */
  tn_dtype in;           /* of the sums */
} loss;

/* What each target weighs; NULL: 1. Makes those that are ignored class 0. */
static const tn_node *weights(tn_onnx_call *c, loss *l) {
  const tn_node *weight = NULL;
  const tn_node *counts = NULL;
  if (tn_onnx_attr_find(c, "ignore_index") != NULL) {
    tn_dtype type = tn_onnx_type_of(c, l->target);
    const tn_node *ignored =
        tn_onnx_scalar(c, type, (double)tn_onnx_attr_int(c, "ignore_index", 0));
    counts = tn_onnx_op2(c, "not_equal", l->target, ignored);
    l->target = tn_onnx_op3(c, "where", counts, l->target, tn_onnx_scalar(c, type, 0));
    weight = tn_onnx_cast(c, counts, l->in);
  }
  if (l->weight == NULL) {
    return weight;
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  weight = tn_onnx_end2(&b, tn_onnx_cast(c, l->weight, l->in), l->target);
  return counts == NULL ? weight
                        : tn_onnx_op3(c, "where", counts, weight, tn_onnx_scalar(c, l->in, 0));
}

static const tn_node *total(tn_onnx_call *c, const char *op, const tn_node *x) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = tn_onnx_ndim(c, x);
  for (int32_t i = 0; i < n; ++i) {
    axes[i] = i;
  }
  return n == 0 ? x : tn_onnx_reduce(c, op, x, (size_t)n, axes, false);
}

static const tn_node *loss_of(tn_onnx_call *c, const tn_node *log, const tn_node *target,
                              const tn_node *weight) {
  tn_dtype type = tn_onnx_type_of(c, log);
  loss l = {.target = target, .weight = weight};
  l.in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  l.log = tn_onnx_cast(c, log, l.in);
  const char *how = tn_onnx_attr_text(c, "reduction", "mean");
  if (strcmp(how, "none") != 0 && strcmp(how, "sum") != 0 && strcmp(how, "mean") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "reduction '%s', expected none, sum or mean", how);
  }
  const tn_node *dims = tn_onnx_dims(c, target);
  const tn_node *wide[TN_MAX_NDIM];
  if (dims == NULL || dims->n_in < 1 || dims->n_in >= TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_INVALID, "the targets have no dimensions, or too many");
    return NULL;
  }
  const tn_node *each = weights(c, &l);
  for (uint32_t i = 0; i <= dims->n_in; ++i) {
    wide[i] = i == 0 ? dims->in[0] : i == 1 ? tn_onnx_i64(c, 1) : dims->in[i - 1];
  }
  tn_onnx_build b = tn_onnx_begin(c, "gather_elements");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *at = tn_onnx_reshape(c, l.target, tn_list(c->ir, dims->n_in + 1, wide));
  const tn_node *y = tn_onnx_reshape(c, tn_onnx_end2(&b, l.log, at), dims);
  y = tn_onnx_op1(c, "negative", y);
  if (each != NULL) { /* not 0 * inf for what is ignored */
    const tn_node *zero = tn_onnx_scalar(c, l.in, 0);
    y = tn_onnx_op3(c, "where", tn_onnx_op2(c, "equal", each, zero), zero,
                    tn_onnx_op2(c, "multiply", y, each));
  }
  if (strcmp(how, "mean") == 0) {
    y = each == NULL ? total(c, "mean", y)
                     : tn_onnx_op2(c, "divide", total(c, "sum", y), total(c, "sum", each));
  } else if (strcmp(how, "sum") == 0) {
    y = total(c, "sum", y);
  }
  return tn_onnx_cast(c, y, type);
}

void tn_onnx_rule_nll_loss(tn_onnx_call *c) {
  tn_onnx_give(c, 0, loss_of(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)));
}

void tn_onnx_rule_softmax_loss(tn_onnx_call *c) {
  tn_onnx_build b = tn_onnx_begin(c, "nn.log_softmax");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *log = tn_onnx_end1(&b, tn_onnx_in(c, 0));
  tn_onnx_give(c, 0, loss_of(c, log, tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)));
  tn_onnx_give(c, 1, log);
}
