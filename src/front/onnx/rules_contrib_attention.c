/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The attentions of ONNX Runtime (domain com.microsoft), and what turns queries and keys by their
 * positions. All of them come to softmax(softcap(q k^T scale) + masks) v over [B, H, S, D]; they
 * differ in where queries, keys and values come from and in how masks are told. What a mask hides
 * gets a large negative number, not -inf: a row that sees nothing is then spread evenly, as there. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/quant.h"
#include "front/onnx/rules.h"

#define HIDDEN (-3.4028234663852886e38)

static const tn_node *scalar(tn_onnx_call *c, double value) {
  return tn_onnx_scalar(c, TN_DT_F32, value);
}

static const tn_node *plus(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_onnx_op2(c, "add", a, b);
}

static const tn_node *reshaped(tn_onnx_call *c, const tn_node *x, uint32_t n,
                               const tn_node *const *dims) {
  return x == NULL || c->st != NULL ? NULL : tn_onnx_reshape(c, x, tn_list(c->ir, n, dims));
}

/* An extent that must be a number now. */
static int64_t number(tn_onnx_call *c, const tn_node *dims, uint32_t i, const char *what) {
  if (dims == NULL || i >= dims->n_in || dims->in[i]->op != TN_OP_INT) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be a number that is known while compiling", what);
    return 1;
  }
  return dims->in[i]->attr.i64;
}

static int64_t heads_attr(tn_onnx_call *c, const char *name) {
  int64_t n = tn_onnx_attr_int(c, name, 0);
  if (n < 1 || n > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s is %" PRId64, name, n);
    return 1;
  }
  return n;
}

/* ---- the core ---- */

typedef struct attend {
  const tn_node *q;     /* [B, H, S, D] */
  const tn_node *k;     /* [B, KH, T, D] */
  const tn_node *v;     /* [B, KH, T, E] */
  const tn_node *hides; /* broadcasts with [B, H, S, T]: 0, or what hides; NULL: nothing */
  const tn_node *bias;  /* the same, added */
  const tn_node *sink;  /* broadcasts with [B, H, S, 1]: a share of no value; NULL: none */
  double scale;         /* 0: 1 / sqrt(D) */
} attend;

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

/* [B, S, H * E] of q's type. */
static const tn_node *attended(tn_onnx_call *c, const attend *a) {
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
  scale = scale != 0 ? scale : 1 / sqrt((double)number(c, d, 3, "the extent of a head"));
  const tn_node *k = tn_onnx_cast(c, tn_onnx_repeat_heads(c, a->k, d->in[1]), TN_DT_F32);
  const tn_node *v = tn_onnx_cast(c, tn_onnx_repeat_heads(c, a->v, d->in[1]), TN_DT_F32);
  const tn_node *x =
      tn_onnx_op2(c, "matmul", tn_onnx_cast(c, a->q, TN_DT_F32), tn_onnx_permute(c, k, swap));
  x = tn_onnx_op2(c, "multiply", x, scalar(c, scale));
  if (cap != 0) {
    x = tn_onnx_op1(c, "tanh", tn_onnx_op2(c, "divide", x, scalar(c, cap)));
    x = tn_onnx_op2(c, "multiply", x, scalar(c, cap));
  }
  x = a->bias == NULL ? x : plus(c, x, tn_onnx_cast(c, a->bias, TN_DT_F32));
  x = plus(c, x, a->hides);
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
  return tn_onnx_cast(c, reshaped(c, y, 3, flat), type);
}

/* ---- masks ---- */

static const tn_node *hidden_unless(tn_onnx_call *c, const tn_node *sees, double hidden) {
  return tn_onnx_op3(c, "where", sees, scalar(c, 0), scalar(c, hidden));
}

/* Both hide: the stronger, so that two cannot add up to -inf. */
static const tn_node *both(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_onnx_op2(c, "minimum", a, b);
}

/* A vector as [B, 1, 1, 1]. */
static const tn_node *by_batch(tn_onnx_call *c, const tn_node *x) {
  const tn_node *d = tn_onnx_dims(c, x);
  if (d == NULL || d->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "lengths must be a vector");
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
  return reshaped(c, tn_onnx_cast(c, x, TN_DT_I64), 4, dims);
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
    int64_t n = number(c, tn_list(c->ir, 1, &n_batch), 0, "the batch");
    begin = by_batch(c, tn_onnx_part(c, mask, 0, n, 2 * n));
    mask = tn_onnx_part(c, mask, 0, 0, n);
  }
  const tn_node *key = tn_onnx_counted(c, n_keys);
  const tn_node *sees = tn_onnx_op2(c, "less", key, by_batch(c, mask));
  return begin == NULL
             ? sees
             : tn_onnx_op2(c, "logical_and", sees, tn_onnx_op2(c, "greater_equal", key, begin));
}

/* A mask of [B] or [2 B] numbers of keys, or not 0 where [B, T], [B, S, T], [B, 1, M, M] see. */
static const tn_node *key_mask(tn_onnx_call *c, const tn_node *mask, const attend *a) {
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
  const tn_node *sees =
      tn_onnx_op2(c, "not_equal", mask, tn_onnx_scalar(c, tn_onnx_type_of(c, mask), 0));
  if (d->n_in == 2) {
    const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), d->in[1]};
    sees = reshaped(c, sees, 4, dims);
  } else if (d->n_in == 3) {
    const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), d->in[1], d->in[2]};
    sees = reshaped(c, sees, 4, dims);
  } else if (d->n_in == 4) {
    int64_t n_q = number(c, q, 2, "the number of queries");
    int64_t n_k = number(c, k, 2, "the number of keys");
    sees = tn_onnx_part(c, tn_onnx_part(c, sees, 2, n_k - n_q, n_k), 3, 0, n_k);
  } else {
    TN_ONNX_FAIL(c, TN_INVALID, "a mask of %u dimensions", d->n_in);
  }
  return hidden_unless(c, sees, hidden);
}

/* Query i, which is number first[b] + i, sees the keys up to itself, of which there are `n` (NULL:
 * all); window > 0: so many of them. */
static const tn_node *causal(tn_onnx_call *c, const attend *a, const tn_node *first,
                             const tn_node *n, int64_t window) {
  const tn_node *q = tn_onnx_dims(c, a->q);
  const tn_node *k = tn_onnx_dims(c, a->k);
  if (q == NULL || k == NULL || c->st != NULL) {
    return NULL;
  }
  const tn_node *column[] = {q->in[2], tn_onnx_i64(c, 1)};
  const tn_node *place = reshaped(c, tn_onnx_counted(c, q->in[2]), 2, column);
  place = plus(c, place, first);
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
  return reshaped(c, tn_onnx_part(c, past, 0, at, at + 1), 4, d->in + 1);
}

/* all: [B, S, Q + K + V]. mask: input or NULL. */
static void attention_of(tn_onnx_call *c, const tn_node *all, const tn_node *mask,
                         const tn_node *past, const tn_node *bias) {
  int64_t n_heads = heads_attr(c, "num_heads");
  tn_onnx_i64s sizes = tn_onnx_attr_ints(c, "qkv_hidden_sizes");
  int64_t width = number(c, tn_onnx_dims(c, all), 2, "the width of queries, keys and values");
  int64_t q = sizes.len == 3 ? sizes.data[0] : width / 3;
  int64_t k = sizes.len == 3 ? sizes.data[1] : width / 3;
  if (c->st != NULL || q < 1 || k != q || q + k >= width || q % n_heads != 0 ||
      (width - q - k) % n_heads != 0 || (sizes.data != NULL && sizes.len != 3) ||
      tn_onnx_attr_int(c, "do_rotary", 0) != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " heads of queries of %" PRId64 " of %" PRId64, n_heads,
                 q, width);
    return;
  }
  attend a = {.q = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, 0, q), n_heads),
              .k = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, q, q + k), n_heads),
              .v = tn_onnx_split_heads(c, tn_onnx_part(c, all, 2, q + k, width), n_heads),
              .bias = bias,
              .scale = tn_onnx_attr_float(c, "scale", 0)};
  if (past != NULL) {
    const tn_node *keys[] = {half_of(c, past, 0), a.k};
    const tn_node *values[] = {half_of(c, past, 1), a.v};
    a.k = tn_onnx_concat(c, 2, 2, keys);
    a.v = tn_onnx_concat(c, 2, 2, values);
  }
  a.hides = key_mask(c, mask, &a);
  if (tn_onnx_attr_int(c, "unidirectional", 0) != 0) {
    a.hides = both(c, a.hides, causal(c, &a, past_length(c, past, 3), NULL, 0));
  }
  tn_onnx_give(c, 0, attended(c, &a));
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
  attention_of(c, plus(c, all, tn_onnx_maybe(c, 2)), tn_onnx_maybe(c, 3), tn_onnx_maybe(c, 4),
               tn_onnx_maybe(c, 5));
}

/* input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point,
 * weight_zero_point, past: the product of integers, then as Attention. */
void tn_onnx_rule_qattention(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_centred(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 6), -2);
  const tn_node *b = tn_onnx_centred(c, tn_onnx_in(c, 1), tn_onnx_maybe(c, 7), -1);
  const tn_node *all = tn_onnx_cast(c, tn_onnx_op2(c, "matmul", a, b), TN_DT_F32);
  all = tn_onnx_op2(c, "multiply", all, tn_onnx_one_or_stand(c, tn_onnx_in(c, 3), 1, 0));
  all = tn_onnx_op2(c, "multiply", all, tn_onnx_one_or_stand(c, tn_onnx_in(c, 4), 3, 2));
  attention_of(c, plus(c, all, tn_onnx_in(c, 2)), tn_onnx_maybe(c, 5), tn_onnx_maybe(c, 8), NULL);
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
  return tn_onnx_permute(c, reshaped(c, tn_onnx_part(c, x, 3, at, at + 1), 4, dims), swap);
}

/* Keys or values as they come: [B, L, N * D], or with heads [B, N, L, D]. */
static const tn_node *with_heads(tn_onnx_call *c, const tn_node *x, int64_t n_heads,
                                 const tn_node *bias, int64_t from) {
  const tn_node *d = x == NULL ? NULL : tn_onnx_dims(c, x);
  if (d == NULL || d->n_in == 4) {
    return x;
  }
  if (bias != NULL) {
    int64_t width = number(c, d, d->n_in - 1, "the width of what has a bias");
    x = plus(c, x, tn_onnx_part(c, bias, 0, from, from + width));
  }
  return tn_onnx_split_heads(c, x, n_heads);
}

static attend read_multi_head(tn_onnx_call *c) {
  int64_t n = heads_attr(c, "num_heads");
  const tn_node *q = tn_onnx_in(c, QUERY);
  const tn_node *k = tn_onnx_maybe(c, KEY);
  const tn_node *v = tn_onnx_maybe(c, VALUE);
  const tn_node *bias = tn_onnx_maybe(c, MHA_BIAS);
  attend a = {.bias = tn_onnx_maybe(c, ATTENTION_BIAS), .scale = tn_onnx_attr_float(c, "scale", 0)};
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
  int64_t width = bias == NULL ? 0 : number(c, tn_onnx_dims(c, q), 2, "the width of queries");
  a.q = with_heads(c, q, n, bias, 0);
  a.k = with_heads(c, k, n, bias, width);
  a.v = with_heads(c, v, n, bias, 2 * width);
  return a;
}

void tn_onnx_rule_multi_head_attention(tn_onnx_call *c) {
  attend a = read_multi_head(c);
  const tn_node *past = tn_onnx_maybe(c, MHA_PAST_KEY);
  if (c->n_in > MHA_PAST_VALUE + 1) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a past that shares its memory with the present");
  }
  if (past != NULL) {
    const tn_node *keys[] = {past, a.k};
    const tn_node *values[] = {tn_onnx_in(c, MHA_PAST_VALUE), a.v};
    a.k = tn_onnx_concat(c, 2, 2, keys);
    a.v = tn_onnx_concat(c, 2, 2, values);
  }
  tn_onnx_give(c, 1, a.k);
  tn_onnx_give(c, 2, a.v);
  a.hides = key_mask(c, tn_onnx_maybe(c, KEY_PADDING), &a);
  if (tn_onnx_attr_int(c, "unidirectional", 0) != 0) {
    a.hides = both(c, a.hides, causal(c, &a, past_length(c, past, 2), NULL, 0));
  }
  tn_onnx_give(c, 0, attended(c, &a));
}

/* ---- positions that turn pairs of elements ---- */

typedef struct turning {
  const tn_node *cos; /* [B or 1, 1, S, R / 2] */
  const tn_node *sin;
  int64_t n; /* R: elements of a head that are turned */
  bool is_interleaved;
} turning;

/* positions: [B or 1, S] */
static const tn_node *rows_at(tn_onnx_call *c, const tn_node *table, const tn_node *positions) {
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  const tn_node *rows = tn_onnx_end2(&b, table, positions);
  const tn_node *d = tn_onnx_dims(c, rows);
  if (d == NULL || d->n_in != 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "positions must be [batch, sequence], their cosines a matrix");
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), d->in[1], d->in[2]};
  return reshaped(c, rows, 4, dims);
}

/* x: [B, N, S, D] */
static const tn_node *turned(tn_onnx_call *c, const tn_node *x, const turning *t) {
  const tn_node *d = tn_onnx_dims(c, x);
  int64_t width = number(c, d, 3, "the extent of a head");
  const tn_node *half[2];
  const tn_node *y[3];
  if (c->st != NULL || t->n < 2 || t->n % 2 != 0 || t->n > width) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " elements of a head of %" PRId64 " turn", t->n, width);
    return NULL;
  }
  const tn_node *part = t->n == width ? x : tn_onnx_part(c, x, 3, 0, t->n);
  const tn_node *flat[] = {d->in[0], d->in[1], d->in[2], tn_onnx_i64(c, t->n)};
  const tn_node *pairs[] = {d->in[0], d->in[1], d->in[2], tn_onnx_i64(c, t->n / 2),
                            tn_onnx_i64(c, 2)};
  const tn_node *one[] = {d->in[0], d->in[1], d->in[2], tn_onnx_i64(c, t->n / 2)};
  for (int64_t i = 0; i < 2; ++i) {
    half[i] = t->is_interleaved
                  ? reshaped(c, tn_onnx_part(c, reshaped(c, part, 5, pairs), 4, i, i + 1), 4, one)
                  : tn_onnx_part(c, part, 3, i * t->n / 2, (i + 1) * t->n / 2);
  }
  y[0] = tn_onnx_op2(c, "subtract", tn_onnx_op2(c, "multiply", half[0], t->cos),
                     tn_onnx_op2(c, "multiply", half[1], t->sin));
  y[1] = tn_onnx_op2(c, "add", tn_onnx_op2(c, "multiply", half[1], t->cos),
                     tn_onnx_op2(c, "multiply", half[0], t->sin));
  if (t->is_interleaved) {
    tn_onnx_build b = tn_onnx_begin(c, "stack");
    tn_onnx_set_int(&b, "axis", 4);
    y[0] = reshaped(c, tn_onnx_end1(&b, tn_onnx_tuple(c, 2, y)), 4, flat);
  } else {
    y[0] = tn_onnx_concat(c, 3, 2, y);
  }
  if (t->n == width) {
    return y[0];
  }
  y[1] = tn_onnx_part(c, x, 3, t->n, width);
  return tn_onnx_concat(c, 3, 2, y);
}

static turning read_turning(tn_onnx_call *c, const tn_node *cos, const tn_node *sin,
                            const tn_node *positions, const char *interleaved) {
  turning t = {.is_interleaved = tn_onnx_attr_int(c, interleaved, 0) != 0};
  t.n = 2 * number(c, tn_onnx_dims(c, cos), 1, "the width of the cosines");
  t.cos = rows_at(c, cos, positions);
  t.sin = rows_at(c, sin, positions);
  return t;
}

/* input, position_ids, cos_cache, sin_cache */
void tn_onnx_rule_contrib_rotary(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *positions = tn_onnx_cast(c, tn_onnx_in(c, 1), TN_DT_I64);
  const tn_node *d = tn_onnx_dims(c, x);
  const tn_node *p = tn_onnx_dims(c, positions);
  double scale = tn_onnx_attr_float(c, "scale", 1);
  if (c->st != NULL || (d->n_in != 3 && d->n_in != 4) ||
      tn_onnx_attr_int(c, "is_packed_batching", 0) != 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "data of %u dimensions, or packed batches",
                 d == NULL ? 0 : d->n_in);
    return;
  }
  bool is_flat = d->n_in == 3;
  if (p->n_in < 2) { /* the first one's position */
    const tn_node *dims[] = {tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
    const tn_node *row[] = {tn_onnx_i64(c, 1), is_flat ? d->in[1] : d->in[2]};
    positions =
        plus(c, reshaped(c, positions, 2, dims), reshaped(c, tn_onnx_counted(c, row[1]), 2, row));
  }
  turning t = read_turning(c, tn_onnx_in(c, 2), tn_onnx_in(c, 3), positions, "interleaved");
  int64_t n_heads = tn_onnx_attr_int(c, "num_heads", 0);
  if (is_flat && n_heads == 0) {
    n_heads = number(c, d, 2, "the width of the data") / (t.n > 0 ? t.n : 1);
  }
  const tn_node *y = turned(c, is_flat ? tn_onnx_split_heads(c, x, n_heads) : x, &t);
  if (is_flat) {
    const int64_t swap[] = {0, 2, 1, 3};
    y = reshaped(c, tn_onnx_permute(c, y, swap), 3, d->in);
  }
  if (scale != 1) {
    y = tn_onnx_op2(c, "multiply", y, tn_onnx_scalar(c, tn_onnx_type_of(c, y), scale));
  }
  tn_onnx_give(c, 0, y);
}

/* ---- GroupQueryAttention ---- */

enum {
  GQA_PAST_KEY = 3,
  GQA_PAST_VALUE,
  SEQ_LENS,
  TOTAL,
  COS,
  SIN,
  POSITIONS,
  GQA_BIAS,
  HEAD_SINK,
  N_GQA_INPUTS
};

typedef struct grouped {
  attend a;
  const tn_node *n_keys; /* [B, 1, 1, 1] int64 */
  const tn_node *first;  /* the same: keys before these queries */
  const tn_node *n_past; /* extents */
  const tn_node *n_now;
  const tn_node *n_all;
} grouped;

/* [B, S, (N + 2 K) * D], or queries, keys and values apart. */
static void read_grouped(tn_onnx_call *c, grouped *g) {
  int64_t n_q = heads_attr(c, "num_heads");
  int64_t n_kv = heads_attr(c, "kv_num_heads");
  const tn_node *q = tn_onnx_in(c, 0);
  if (c->st != NULL || n_q % n_kv != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " heads of queries, %" PRId64 " of keys", n_q, n_kv);
    return;
  }
  if (tn_onnx_maybe(c, 1) != NULL) {
    g->a.q = tn_onnx_split_heads(c, q, n_q);
    g->a.k = tn_onnx_split_heads(c, tn_onnx_in(c, 1), n_kv);
    g->a.v = tn_onnx_split_heads(c, tn_onnx_in(c, 2), n_kv);
    return;
  }
  int64_t head = number(c, tn_onnx_dims(c, q), 2, "the width of the queries") / (n_q + 2 * n_kv);
  int64_t k = n_q * head;
  int64_t v = (n_q + n_kv) * head;
  g->a.q = tn_onnx_split_heads(c, tn_onnx_part(c, q, 2, 0, k), n_q);
  g->a.k = tn_onnx_split_heads(c, tn_onnx_part(c, q, 2, k, v), n_kv);
  g->a.v = tn_onnx_split_heads(c, tn_onnx_part(c, q, 2, v, v + n_kv * head), n_kv);
}

/* The extents of past, queries and present: as many keys as the past has room for, or as there are
 * now. */
static void read_extents(tn_onnx_call *c, grouped *g) {
  const tn_node *past = tn_onnx_maybe(c, GQA_PAST_KEY);
  const tn_node *q = tn_onnx_dims(c, g->a.q);
  const tn_node *p = past == NULL ? NULL : tn_onnx_dims(c, past);
  if (q == NULL || c->st != NULL || (p != NULL && p->n_in != 4)) {
    TN_ONNX_FAIL(c, TN_INVALID, "the past must have 4 dimensions");
    return;
  }
  g->n_now = q->in[2];
  g->n_past = p == NULL ? tn_onnx_i64(c, 0) : p->in[2];
  if (tn_is_int(g->n_past, 0)) {
    g->n_all = g->n_now;
    return;
  }
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *total =
      tn_onnx_sizes(c, reshaped(c, tn_onnx_in(c, TOTAL), 1, &one), "total_sequence_length");
  if (total == NULL) {
    return;
  }
  g->n_all = tn_onnx_size_op(c, TN_OP_MAX, g->n_past, total->in[0]);
}

/* The elements of past and now that the present has: the first `first` ones of the past, then what
 * is new, then zeros. */
static const tn_node *present(tn_onnx_call *c, const grouped *g, const tn_node *past,
                              const tn_node *now) {
  const tn_node *d = tn_onnx_dims(c, now);
  const tn_node *parts[] = {past, now};
  if (past == NULL || c->st != NULL || tn_is_int(g->n_past, 0)) {
    return now;
  }
  const tn_node *sum = tn_onnx_size_op(c, TN_OP_ADD, g->n_past, g->n_now);
  const tn_node *all = tn_onnx_concat(c, 2, 2, parts);
  if (tn_is_int(d->in[0], 1) && tn_dim_compare(c->ir, sum, g->n_all) == TN_DIM_EQUAL) {
    return all; /* the one sequence of the batch has all of its past */
  }
  const tn_node *row[] = {tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), g->n_all, tn_onnx_i64(c, 1)};
  const tn_node *at = reshaped(c, tn_onnx_counted(c, g->n_all), 4, row);
  const tn_node *n_past = tn_onnx_from_known(c, tn_list(c->ir, 1, &g->n_past), true);
  const tn_node *last = tn_onnx_from_known(c, tn_list(c->ir, 1, &sum), true);
  const tn_node *is_old = tn_onnx_op2(c, "less", at, g->first);
  const tn_node *is_new = tn_onnx_op2(c, "add", tn_onnx_op2(c, "subtract", at, g->first), n_past);
  last = tn_onnx_op2(c, "subtract", last, tn_onnx_scalar(c, TN_DT_I64, 1));
  is_new = tn_onnx_op2(c, "minimum", is_new, last);
  at = tn_onnx_op3(c, "where", is_old, at, is_new);
  const tn_node *dims[] = {d->in[0], d->in[1], g->n_all, d->in[3]};
  at = tn_onnx_op2(c, "broadcast_to", at, tn_onnx_shape_value(c, tn_list(c->ir, 4, dims)));
  tn_onnx_build b = tn_onnx_begin(c, "gather_elements");
  tn_onnx_set_int(&b, "axis", 2);
  const tn_node *y = tn_onnx_end2(&b, all, at);
  const tn_node *is_there =
      tn_onnx_op2(c, "less", reshaped(c, tn_onnx_counted(c, g->n_all), 4, row), g->n_keys);
  return tn_onnx_op3(c, "where", is_there, y, tn_onnx_scalar(c, tn_onnx_type_of(c, y), 0));
}

/* Queries and keys turned by their positions: those given, or one after another. */
static void turn_grouped(tn_onnx_call *c, grouped *g) {
  const tn_node *positions = tn_onnx_maybe(c, POSITIONS);
  if (tn_onnx_attr_int(c, "do_rotary", 0) == 0) {
    return;
  }
  if (positions == NULL) {
    const tn_node *d = tn_onnx_dims(c, g->first);
    const tn_node *row[] = {tn_onnx_i64(c, 1), g->n_now};
    const tn_node *column[] = {d == NULL ? tn_onnx_i64(c, 1) : d->in[0], tn_onnx_i64(c, 1)};
    positions = plus(c, reshaped(c, tn_onnx_counted(c, g->n_now), 2, row),
                     reshaped(c, g->first, 2, column));
  }
  turning t =
      read_turning(c, tn_onnx_in(c, COS), tn_onnx_in(c, SIN), positions, "rotary_interleaved");
  g->a.q = turned(c, g->a.q, &t);
  g->a.k = turned(c, g->a.k, &t);
}

static const tn_node *head_sink(tn_onnx_call *c) {
  const tn_node *sink = tn_onnx_maybe(c, HEAD_SINK);
  const tn_node *d = sink == NULL ? NULL : tn_onnx_dims(c, sink);
  if (sink == NULL) {
    return tn_onnx_attr_int(c, "smooth_softmax", 0) == 1 ? scalar(c, 0) : NULL;
  }
  if (d == NULL || d->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "head_sink must be a vector");
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
  return reshaped(c, sink, 3, dims);
}

void tn_onnx_rule_group_query_attention(tn_onnx_call *c) {
  grouped g = {0};
  int64_t window = tn_onnx_attr_int(c, "local_window_size", -1);
  if (c->n_in > N_GQA_INPUTS) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "keys and values that are kept as integers");
  }
  read_grouped(c, &g);
  read_extents(c, &g);
  if (c->st != NULL) {
    return;
  }
  /* seqlens_k is the number of keys less 1; the first queries of all may be padded at their end */
  g.n_keys =
      tn_onnx_op2(c, "add", by_batch(c, tn_onnx_in(c, SEQ_LENS)), tn_onnx_scalar(c, TN_DT_I64, 1));
  const tn_node *n_now = tn_onnx_from_known(c, tn_list(c->ir, 1, &g.n_now), true);
  g.first = tn_onnx_op2(c, "maximum", tn_onnx_op2(c, "subtract", g.n_keys, n_now),
                        tn_onnx_scalar(c, TN_DT_I64, 0));
  turn_grouped(c, &g);
  g.a.k = present(c, &g, tn_onnx_maybe(c, GQA_PAST_KEY), g.a.k);
  g.a.v = present(c, &g, tn_onnx_maybe(c, GQA_PAST_VALUE), g.a.v);
  tn_onnx_give(c, 1, g.a.k);
  tn_onnx_give(c, 2, g.a.v);
  g.a.scale = tn_onnx_attr_float(c, "scale", 0);
  g.a.bias = tn_onnx_maybe(c, GQA_BIAS);
  g.a.sink = head_sink(c);
  g.a.hides = causal(c, &g.a, g.first, g.n_keys, window);
  tn_onnx_give(c, 0, attended(c, &g.a));
}
