/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* recognise_attention: attention written out, with the permutations around it.
 *
 *   a = R.permute_dims(q, axes=[0, 2, 1, 3])
 *   b = R.permute_dims(k, axes=[0, 2, 3, 1])
 *   c = R.permute_dims(v, axes=[0, 2, 1, 3])
 *   s = R.matmul(a, b) * scale + bias          ->   y = R.nn.attention_bias(q, k, v, bias, scale)
 *   p = R.nn.softmax(s, axis=-1)
 *   y = R.permute_dims(R.matmul(p, c), axes=[0, 2, 1, 3])
 *
 * The scale may stand at the scores, the queries or the keys, and in several parts. Without a batch, as
 * [S, N, H] permuted to [N, S, H], it is that of a batch of 1. */
#include <string.h>

#include "base/dtype.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"

static const int64_t heads_out[] = {0, 2, 1, 3};
static const int64_t keys_last[] = {0, 2, 3, 1};

/* What a permutation of four axes is of; of three: the same without the first one. */
static const tn_node *permuted(tn_rewrite_run *r, const tn_node *call, int32_t ndim,
                               const int64_t *axes) {
  int64_t perm[TN_MAX_NDIM];
  bool is_it = call != NULL && tn_rule_perm(r, call, perm) == ndim;
  for (int32_t d = 0; is_it && d < ndim; ++d) {
    is_it = perm[d] == axes[d + 4 - ndim] - (4 - ndim);
  }
  return is_it ? tn_call_arg(call, 0) : NULL;
}

/* The value without the numbers that it is multiplied or divided by, which go into *scale. */
static const tn_node *unscaled(tn_rewrite_run *r, const tn_node *value, double *scale) {
  for (;;) {
    double number = 1;
    const tn_node *inner = tn_rule_own_with_number(r, value, "multiply", &number);
    const tn_node *quotient = inner != NULL ? NULL : tn_rewrite_own_call(r, value, "divide");
    if (quotient != NULL && tn_rewrite_is_number(tn_call_arg(quotient, 1), &number)) {
      inner = tn_call_arg(quotient, 0);
      number = 1 / number;
    }
    if (inner == NULL) {
      return value;
    }
    *scale *= number;
    value = inner;
  }
}

typedef struct attention {
  const tn_node *args[4]; /* q, k, v, bias */
  int32_t ndim;           /* 3: there is no batch */
  double scale;
} attention;

/* scale * q k^T */
static bool read_products(tn_rewrite_run *r, const tn_node *value, attention *out) {
  out->scale = 1;
  const tn_node *product = tn_rewrite_own_call(r, unscaled(r, value, &out->scale), "matmul");
  if (product == NULL || !tn_rule_is_left_out(product, "out_dtype")) {
    return false;
  }
  const tn_node *q = unscaled(r, tn_call_arg(product, 0), &out->scale);
  const tn_node *k = unscaled(r, tn_call_arg(product, 1), &out->scale);
  out->args[0] = permuted(r, tn_rewrite_call(r, q, "permute_dims"), out->ndim, heads_out);
  out->args[1] = permuted(r, tn_rewrite_call(r, k, "permute_dims"), out->ndim, keys_last);
  return out->args[0] != NULL && out->args[1] != NULL;
}

/* The same, plus a bias. */
static bool read_scores(tn_rewrite_run *r, const tn_node *value, attention *out) {
  const tn_node *sum = tn_rewrite_own_call(r, value, "add");
  for (uint32_t i = 0; sum != NULL && i < 2; ++i) {
    out->args[3] = tn_call_arg(sum, 1 - i);
    if (read_products(r, tn_call_arg(sum, i), out)) {
      return true;
    }
  }
  out->args[3] = NULL;
  return read_products(r, value, out);
}

/* A batch of 1 in front. */
static const tn_node *with_batch(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *shape = value == NULL ? NULL : tn_rewrite_shape(r, value);
  const tn_node *dims[4];
  if (shape == NULL || shape->n_in != 3) {
    return NULL;
  }
  dims[0] = tn_int(tn_rewrite_ir(r), shape->in[0]->dtype, 1);
  memcpy(dims + 1, shape->in, 3 * sizeof *dims);
  return tn_rule_reshape(r, value, tn_list(tn_rewrite_ir(r), 4, dims));
}

static const tn_node *build(tn_rewrite_run *r, const attention *a, uint32_t n_args) {
  tn_rule_build b = tn_rule_begin(r, n_args == 4 ? "nn.attention_bias" : "nn.attention");
  tn_rule_set_float(&b, "scale", a->scale);
  return tn_rule_end(&b, n_args, a->args);
}

const tn_node *tn_rule_attention(tn_rewrite_run *r, const tn_node *call) {
  int64_t perm[TN_MAX_NDIM];
  attention a = {.scale = 1, .ndim = tn_rule_perm(r, call, perm)};
  const tn_node *heads = a.ndim == 3 || a.ndim == 4 ? permuted(r, call, a.ndim, heads_out) : NULL;
  const tn_node *product = heads == NULL ? NULL : tn_rewrite_own_call(r, heads, "matmul");
  if (product == NULL || !tn_rule_is_left_out(product, "out_dtype")) {
    return NULL;
  }
  const tn_node *softmax = tn_rewrite_own_call(r, tn_call_arg(product, 0), "nn.softmax");
  int64_t axis = softmax == NULL ? 0 : tn_rule_int(softmax, "axis");
  const tn_node *values = tn_rewrite_call(r, tn_call_arg(product, 1), "permute_dims");
  a.args[2] = permuted(r, values, a.ndim, heads_out);
  if (softmax == NULL || (axis != a.ndim - 1 && axis != -1) || a.args[2] == NULL ||
      !read_scores(r, tn_call_arg(softmax, 0), &a)) {
    return NULL;
  }
  uint32_t n_args = a.args[3] != NULL ? 4 : 3;
  if (a.ndim == 4) {
    return build(r, &a, n_args);
  }
  if (n_args == 4) { /* a bias broadcasts from the right, to three dimensions there */
    return NULL;
  }
  for (uint32_t i = 0; i < 3; ++i) {
    a.args[i] = with_batch(r, a.args[i]);
  }
  const tn_node *made = build(r, &a, 3);
  return made == NULL ? NULL : tn_rule_reshape(r, made, tn_rewrite_shape(r, call));
}
