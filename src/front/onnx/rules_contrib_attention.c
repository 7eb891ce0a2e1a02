/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Attentions of ONNX Runtime (domain com.microsoft): Attention, QAttention, MultiHeadAttention, and
 * what they share with GroupQueryAttention (rules_contrib_gqa.c). All of them come to softmax(softcap(q k^T scale) + masks) v over [B, H, S, D]; they
 * differ in where queries, keys and values come from and in how masks are told. What a mask hides
 * gets a large negative number, not -inf: a row that sees nothing is then spread evenly, as there. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/bodies.h"
#include "front/onnx/contrib.h"
#include "front/onnx/quant.h"
#include "front/onnx/rules.h"

#define HIDDEN (-3.4028234663852886e38)

const tn_node *tn_onnx_f32(tn_onnx_call *c, double value) {
  return tn_onnx_scalar(c, TN_DT_F32, value);
}

const tn_node *tn_onnx_plus(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_onnx_op2(c, "add", a, b);
}

const tn_node *tn_onnx_reshaped(tn_onnx_call *c, const tn_node *x, uint32_t n,
                                const tn_node *const *dims) {
  return x == NULL || c->st != NULL ? NULL : tn_onnx_reshape(c, x, tn_list(c->ir, n, dims));
}

int64_t tn_onnx_extent(tn_onnx_call *c, const tn_node *dims, uint32_t i, const char *what) {
  if (dims == NULL || i >= dims->n_in || dims->in[i]->op != TN_OP_INT) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be a number that is known while compiling", what);
    return 1;
  }
  return dims->in[i]->attr.i64;
}

int64_t tn_onnx_heads_attr(tn_onnx_call *c, const char *name) {
  int64_t n = tn_onnx_attr_int(c, name, 0);
  if (n < 1 || n > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s is %" PRId64, name, n);
    return 1;
  }
  return n;
}

/* ---- the core ---- */

/* Softmax over the last axis with one more score, whose share is dropped. */
static const tn_node *softmax_with_sink(tn_onnx_call *c, const tn_node *x, const tn_node *sink) {
  const int64_t last = 3;
  const tn_node *most =
      tn_onnx_op2(c, "maximum", tn_onnx_reduce(c, "max", x, 1, &last, true), sink);
  const tn_node *e = tn_onnx_op1(c, "exp", tn_onnx_op2(c, "subtract", x, most));
  const tn_node *sum = tn_onnx_op2(c, "add", tn_onnx_reduce(c, "sum", e, 1, &last, true),
                                   tn_onnx_op1(c, "exp", tn_onnx_op2(c, "subtract", sink, most)));
  return tn_onnx_op2(c, "divide", e, sum);
}

const tn_node *tn_onnx_attended(tn_onnx_call *c, const tn_onnx_attend *a) {
  const int64_t swap[] = {0, 1, 3, 2};
  const int64_t heads_last[] = {0, 2, 1, 3};
  const tn_node *d = tn_onnx_dims(c, a->q);
  double scale = a->scale;
  double cap = tn_onnx_attr_float(c, "softcap", 0);
  tn_dtype type = tn_onnx_type_of(c, a->q);
  if (d == NULL || d->n_in != 4) {
    TN_ONNX_FAIL(c, TN_INVALID, "the queries must have heads");
    return NULL;
  }
  scale = scale != 0 ? scale : 1 / sqrt((double)tn_onnx_extent(c, d, 3, "the extent of a head"));
  const tn_node *k = tn_onnx_cast(c, tn_onnx_repeat_heads(c, a->k, d->in[1]), TN_DT_F32);
  const tn_node *v = tn_onnx_cast(c, tn_onnx_repeat_heads(c, a->v, d->in[1]), TN_DT_F32);
  const tn_node *x =
      tn_onnx_op2(c, "matmul", tn_onnx_cast(c, a->q, TN_DT_F32), tn_onnx_permute(c, k, swap));
  x = tn_onnx_op2(c, "multiply", x, tn_onnx_f32(c, scale));
  if (cap != 0) {
    x = tn_onnx_op1(c, "tanh", tn_onnx_op2(c, "divide", x, tn_onnx_f32(c, cap)));
    x = tn_onnx_op2(c, "multiply", x, tn_onnx_f32(c, cap));
  }
  if (a->bias != NULL) {
    const tn_node *dk = tn_onnx_dims(c, k);
    const tn_node *want[] = {d->in[0], d->in[1], d->in[2], dk == NULL ? NULL : dk->in[2]};
    x = tn_onnx_plus(c, x, tn_onnx_cast(c, tn_onnx_fitted(c, a->bias, 4, want), TN_DT_F32));
  }
  x = tn_onnx_plus(c, x, a->hides);
  if (a->sink != NULL) {
    x = softmax_with_sink(c, x, tn_onnx_cast(c, a->sink, TN_DT_F32));
  } else {
    tn_onnx_build b = tn_onnx_begin(c, "nn.softmax");
    tn_onnx_set_int(&b, "axis", -1);
    x = tn_onnx_end1(&b, x);
  }
  const tn_node *y = tn_onnx_permute(c, tn_onnx_op2(c, "matmul", x, v), heads_last);
  const tn_node *dy = tn_onnx_dims(c, y);
  if (dy == NULL) {
    return NULL;
  }
  const tn_node *flat[] = {dy->in[0], dy->in[1],
                           tn_onnx_size_op(c, TN_OP_MUL, dy->in[2], dy->in[3])};
  return tn_onnx_cast(c, tn_onnx_reshaped(c, y, 3, flat), type);
}

/* ---- masks ---- */

const tn_node *tn_onnx_fitted(tn_onnx_call *c, const tn_node *x, uint32_t n,
                              const tn_node *const *want) {
  const tn_node *own = tn_onnx_dims(c, x);
  const tn_node *dims[TN_MAX_NDIM];
  bool is_sure = true;
  if (own == NULL || own->n_in != n) {
    TN_ONNX_FAIL(c, TN_INVALID, "a tensor of %u dimensions, expected %u",
                 own == NULL ? 0 : own->n_in, n);
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    tn_dim_rel rel = want[i] == NULL || tn_is_int(own->in[i], 1)
                         ? TN_DIM_EQUAL
                         : tn_dim_compare(c->ir, own->in[i], want[i]);
    dims[i] = rel == TN_DIM_UNSURE ? want[i] : own->in[i];
    is_sure = is_sure && rel != TN_DIM_UNSURE; /* what differs is told where they meet */
  }
  if (is_sure) {
    return x;
  }
  const tn_node *type = tn_ty_tensor(c->ir, tn_onnx_type_of(c, x), n, tn_list(c->ir, n, dims));
  const tn_node *var = tn_onnx_var(c, "fitted", type);
  const tn_node *in[] = {var, x, type};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  return var;
}

static const tn_node *hidden_unless(tn_onnx_call *c, const tn_node *sees, double hidden) {
  return tn_onnx_op3(c, "where", sees, tn_onnx_f32(c, 0), tn_onnx_f32(c, hidden));
}

/* Both hide: the stronger, so that two cannot add up to -inf. */
static const tn_node *both(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_onnx_op2(c, "minimum", a, b);
}

const tn_node *tn_onnx_by_batch(tn_onnx_call *c, const tn_node *x) {
  const tn_node *d = tn_onnx_dims(c, x);
  if (d == NULL || d->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "lengths must be a vector");
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
  return tn_onnx_reshaped(c, tn_onnx_cast(c, x, TN_DT_I64), 4, dims);
}

/* Keys below lengths[b]; a vector twice as long as the batch then has where they begin. */
static const tn_node *length_mask(tn_onnx_call *c, const tn_node *mask, const tn_node *n_batch,
                                  const tn_node *n_keys) {
  const tn_node *d = tn_onnx_dims(c, mask);
  const tn_node *begin = NULL;
  if (d == NULL) {
    return NULL;
  }
  const tn_node *twice = tn_onnx_size_op(c, TN_OP_MUL, n_batch, tn_onnx_i64(c, 2));
  if (tn_dim_compare(c->ir, d->in[0], n_batch) == TN_DIM_DIFFERENT) {
    if (tn_dim_compare(c->ir, d->in[0], twice) == TN_DIM_DIFFERENT) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                   "a mask that is a vector, but neither of lengths nor of "
                   "ends and begins");
      return NULL;
    }
    int64_t n = tn_onnx_extent(c, tn_list(c->ir, 1, &n_batch), 0, "the batch");
    begin = tn_onnx_by_batch(c, tn_onnx_part(c, mask, 0, n, 2 * n));
    mask = tn_onnx_part(c, mask, 0, 0, n);
  }
  mask = tn_onnx_fitted(c, mask, 1, &n_batch);
  const tn_node *key = tn_onnx_counted(c, n_keys);
  const tn_node *sees = tn_onnx_op2(c, "less", key, tn_onnx_by_batch(c, mask));
  return begin == NULL
             ? sees
             : tn_onnx_op2(c, "logical_and", sees, tn_onnx_op2(c, "greater_equal", key, begin));
}

/* A mask of [B] or [2 B] numbers of keys, or not 0 where [B, T], [B, S, T], [B, 1, M, M] see. */
static const tn_node *key_mask(tn_onnx_call *c, const tn_node *mask, const tn_onnx_attend *a) {
  double hidden = tn_onnx_attr_float(c, "mask_filter_value", -10000);
  const tn_node *d = mask == NULL ? NULL : tn_onnx_dims(c, mask);
  const tn_node *q = tn_onnx_dims(c, a->q);
  const tn_node *k = tn_onnx_dims(c, a->k);
  if (d == NULL || q == NULL || k == NULL) {
    return NULL;
  }
  if (d->n_in == 1) {
    return hidden_unless(c, length_mask(c, mask, q->in[0], k->in[2]), hidden);
  }
  if (d->n_in == 2 || d->n_in == 3) {
    const tn_node *want[] = {q->in[0], d->n_in == 2 ? k->in[2] : q->in[2], k->in[2]};
    mask = tn_onnx_fitted(c, mask, d->n_in, want);
    d = tn_onnx_dims(c, mask);
  }
  if (d == NULL) {
    return NULL;
  }
  const tn_node *sees =
      tn_onnx_op2(c, "not_equal", mask, tn_onnx_scalar(c, tn_onnx_type_of(c, mask), 0));
  if (d->n_in == 2) {
    const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), d->in[1]};
    sees = tn_onnx_reshaped(c, sees, 4, dims);
  } else if (d->n_in == 3) {
    const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), d->in[1], d->in[2]};
    sees = tn_onnx_reshaped(c, sees, 4, dims);
  } else if (d->n_in == 4) {
    int64_t n_q = tn_onnx_extent(c, q, 2, "the number of queries");
    int64_t n_k = tn_onnx_extent(c, k, 2, "the number of keys");
    sees = tn_onnx_part(c, tn_onnx_part(c, sees, 2, n_k - n_q, n_k), 3, 0, n_k);
  } else {
    TN_ONNX_FAIL(c, TN_INVALID, "a mask of %u dimensions", d->n_in);
  }
  return hidden_unless(c, sees, hidden);
}

const tn_node *tn_onnx_causal(tn_onnx_call *c, const tn_onnx_attend *a, const tn_node *first,
                              const tn_node *n, int64_t window) {
  const tn_node *q = tn_onnx_dims(c, a->q);
  const tn_node *k = tn_onnx_dims(c, a->k);
  if (q == NULL || k == NULL || c->st != NULL) {
    return NULL;
  }
  const tn_node *column[] = {q->in[2], tn_onnx_i64(c, 1)};
  const tn_node *place = tn_onnx_reshaped(c, tn_onnx_counted(c, q->in[2]), 2, column);
  place = tn_onnx_plus(c, place, first);
  const tn_node *key = tn_onnx_counted(c, k->in[2]);
  const tn_node *sees = tn_onnx_op2(c, "less_equal", key, place);
  if (n != NULL) {
    sees = tn_onnx_op2(c, "logical_and", sees, tn_onnx_op2(c, "less", key, n));
  }
  if (window > 0) {
    const tn_node *far = tn_onnx_op2(c, "add", key, tn_onnx_scalar(c, TN_DT_I64, (double)window));
    sees = tn_onnx_op2(c, "logical_and", sees, tn_onnx_op2(c, "greater", far, place));
  }
  return hidden_unless(c, sees, HIDDEN);
}

const tn_node *tn_onnx_after(tn_onnx_call *c, const tn_node *past, const tn_node *now) {
  const tn_node *d = tn_onnx_dims(c, now);
  if (d == NULL || d->n_in != 4) {
    return NULL;
  }
  const tn_node *want[] = {d->in[0], d->in[1], NULL, d->in[3]};
  const tn_node *parts[] = {tn_onnx_fitted(c, past, 4, want), now};
  return tn_onnx_concat(c, 2, 2, parts);
}

/* What was seen before: an extent as a scalar, NULL for none. */
static const tn_node *past_length(tn_onnx_call *c, const tn_node *past, uint32_t axis) {
  const tn_node *d = past == NULL ? NULL : tn_onnx_dims(c, past);
  if (d == NULL || axis >= d->n_in) {
    return NULL;
  }
  return tn_onnx_from_known(c, tn_list(c->ir, 1, &d->in[axis]), true);
}

/* ---- Attention: one product makes queries, keys and values ---- */

/* Item `at` of the first dimension. */
static const tn_node *half_of(tn_onnx_call *c, const tn_node *past, int64_t at) {
  const tn_node *d = tn_onnx_dims(c, past);
  if (d == NULL || d->n_in != 5) {
    TN_ONNX_FAIL(c, TN_INVALID, "the past must have 5 dimensions: 2, batch, heads, keys, values");
    return NULL;
  }
  return tn_onnx_reshaped(c, tn_onnx_part(c, past, 0, at, at + 1), 4, d->in + 1);
}

/* all: [B, S, Q + K + V]. mask: input or NULL. */
static void attention_of(tn_onnx_call *c, const tn_node *all, const tn_node *mask,
                         const tn_node *past, const tn_node *bias) {
  int64_t n_heads = tn_onnx_heads_attr(c, "num_heads");
  tn_onnx_i64s sizes = tn_onnx_attr_ints(c, "qkv_hidden_sizes");
  int64_t width =
      tn_onnx_extent(c, tn_onnx_dims(c, all), 2, "the width of queries, keys and values");
  int64_t q = sizes.len == 3 ? sizes.data[0] : width / 3;
  int64_t k = sizes.len == 3 ? sizes.data[1] : width / 3;
  if (c->st != NULL || q < 1 || k != q || q + k >= width || q % n_heads != 0 ||
      (width - q - k) % n_heads != 0 || (sizes.data != NULL && sizes.len != 3) ||
      tn_onnx_attr_int(c, "do_rotary", 0) != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " heads of queries of %" PRId64 " of %" PRId64, n_heads,
                 q, width);
    return;
  }
  tn_onnx_attend a = {.q = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, 0, q), n_heads),
                      .k = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, q, q + k), n_heads),
                      .v = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, q + k, width), n_heads),
                      .bias = bias,
                      .scale = tn_onnx_attr_float(c, "scale", 0)};
  if (past != NULL) {
    a.k = tn_onnx_after(c, half_of(c, past, 0), a.k);
    a.v = tn_onnx_after(c, half_of(c, past, 1), a.v);
  }
  a.hides = key_mask(c, mask, &a);
  if (tn_onnx_attr_int(c, "unidirectional", 0) != 0) {
    a.hides = both(c, a.hides, tn_onnx_causal(c, &a, past_length(c, past, 3), NULL, 0));
  }
  tn_onnx_give(c, 0, tn_onnx_attended(c, &a));
  if (tn_onnx_wants(c, 1)) {
    const tn_node *present[] = {a.k, a.v};
    tn_onnx_build b = tn_onnx_begin(c, "stack");
    tn_onnx_set_int(&b, "axis", 0);
    tn_onnx_give(c, 1, tn_onnx_end1(&b, tn_onnx_tuple(c, 2, present)));
  }
}

/* input, weights, bias, mask_index, past, attention_bias, past_sequence_length */
void tn_onnx_rule_contrib_attention(tn_onnx_call *c) {
  const tn_node *all = tn_onnx_op2(c, "matmul", tn_onnx_in(c, 0), tn_onnx_in(c, 1));
  if (tn_onnx_maybe(c, 6) != NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a past that shares its memory with the present");
  }
  attention_of(c, tn_onnx_plus(c, all, tn_onnx_maybe(c, 2)), tn_onnx_maybe(c, 3),
               tn_onnx_maybe(c, 4), tn_onnx_maybe(c, 5));
}

/* input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point,
 * weight_zero_point, past: the product of integers, then as Attention. */
void tn_onnx_rule_qattention(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 6), -2);
  const tn_node *b = tn_onnx_centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 7), -1);
  const tn_node *all = tn_onnx_cast(c, tn_onnx_op2(c, "matmul", a, b), TN_DT_F32);
  all = tn_onnx_op2(c, "multiply", all, tn_onnx_one_or_stand(c, tn_onnx_in(c, 3), 1, 0));
  all = tn_onnx_op2(c, "multiply", all, tn_onnx_one_or_stand(c, tn_onnx_in(c, 4), 3, 2));
  attention_of(c, tn_onnx_plus(c, all, tn_onnx_in(c, 2)), tn_onnx_maybe(c, 5), tn_onnx_maybe(c, 8),
               NULL);
}

/* ---- MultiHeadAttention ---- */

enum { QUERY, KEY, VALUE, MHA_BIAS, KEY_PADDING, ATTENTION_BIAS, MHA_PAST_KEY, MHA_PAST_VALUE };

/* [B, S, N, n, D], packed: item `at` as [B, N, S, D]. */
static const tn_node *unpacked(tn_onnx_call *c, const tn_node *x, int64_t at) {
  const int64_t swap[] = {0, 2, 1, 3};
  const tn_node *d = tn_onnx_dims(c, x);
  if (d == NULL) {
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], d->in[1], d->in[2], d->in[4]};
  return tn_onnx_permute(c, tn_onnx_reshaped(c, tn_onnx_part(c, x, 3, at, at + 1), 4, dims), swap);
}

/* Keys or values as they come: [B, L, N * D], or with heads [B, N, L, D]. */
static const tn_node *with_heads(tn_onnx_call *c, const tn_node *x, int64_t n_heads,
                                 const tn_node *bias, int64_t from) {
  const tn_node *d = x == NULL ? NULL : tn_onnx_dims(c, x);
  if (d == NULL || d->n_in == 4) {
    return x;
  }
  if (bias != NULL) {
    int64_t width = tn_onnx_extent(c, d, d->n_in - 1, "the width of what has a bias");
    x = tn_onnx_plus(c, x, tn_onnx_part(c, bias, 0, from, from + width));
  }
  return tn_onnx_split_heads(c, x, n_heads);
}

static tn_onnx_attend read_multi_head(tn_onnx_call *c) {
  int64_t n = tn_onnx_heads_attr(c, "num_heads");
  const tn_node *q = tn_onnx_in(c, QUERY);
  const tn_node *k = tn_onnx_maybe(c, KEY);
  const tn_node *v = tn_onnx_maybe(c, VALUE);
  const tn_node *bias = tn_onnx_maybe(c, MHA_BIAS);
  tn_onnx_attend a = {.bias = tn_onnx_maybe(c, ATTENTION_BIAS),
                      .scale = tn_onnx_attr_float(c, "scale", 0)};
  int32_t n_q = tn_onnx_ndim(c, q);
  if (n_q == 5 || (k != NULL && tn_onnx_ndim(c, k) == 5)) {
    if (bias != NULL) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a bias for queries, keys and values that come packed");
    }
    a.q = n_q == 5 ? unpacked(c, q, 0) : tn_onnx_split_heads(c, q, n);
    a.k = unpacked(c, n_q == 5 ? q : k, n_q == 5 ? 1 : 0);
    a.v = unpacked(c, n_q == 5 ? q : k, n_q == 5 ? 2 : 1);
    return a;
  }
  if (k == NULL || v == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "keys and values are missing");
    return a;
  }
  int64_t width =
      bias == NULL ? 0 : tn_onnx_extent(c, tn_onnx_dims(c, q), 2, "the width of queries");
  a.q = with_heads(c, q, n, bias, 0);
  a.k = with_heads(c, k, n, bias, width);
  a.v = with_heads(c, v, n, bias, 2 * width);
  return a;
}

void tn_onnx_rule_multi_head_attention(tn_onnx_call *c) {
  tn_onnx_attend a = read_multi_head(c);
  const tn_node *past = tn_onnx_maybe(c, MHA_PAST_KEY);
  if (c->n_in > MHA_PAST_VALUE + 1) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a past that shares its memory with the present");
  }
  if (past != NULL) {
    a.k = tn_onnx_after(c, past, a.k);
    a.v = tn_onnx_after(c, tn_onnx_in(c, MHA_PAST_VALUE), a.v);
  }
  tn_onnx_give(c, 1, a.k);
  tn_onnx_give(c, 2, a.v);
  a.hides = key_mask(c, tn_onnx_maybe(c, KEY_PADDING), &a);
  if (tn_onnx_attr_int(c, "unidirectional", 0) != 0) {
    a.hides = both(c, a.hides, tn_onnx_causal(c, &a, past_length(c, past, 2), NULL, 0));
  }
  tn_onnx_give(c, 0, tn_onnx_attended(c, &a));
}
