/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What decoders of text have beside attention: rotated positions, caches written in place, gates,
 * convolutions and linear attention with a state. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

/* ---- rotary embedding ---- */

typedef struct rotary {
  const tn_node *x;    /* [B, H, S, D] or [B, S, H, D] */
  int32_t head_axis;   /* of x: 1 or 2 */
  int64_t n_rotated;   /* elements of D */
  bool is_interleaved; /* pairs are neighbours, not from the two halves */
} rotary;

/* cos or sin [B, S, R / 2], with a dimension for the heads. */
static const tn_node *angles(tn_onnx_call *c, uint32_t at, const rotary *r) {
  const tn_node *cache = tn_onnx_in(c, at);
  const tn_node *positions = tn_onnx_maybe(c, 3);
  if (positions != NULL) {
    tn_onnx_build b = tn_onnx_begin(c, "take");
    tn_onnx_set_int(&b, "axis", 0);
    cache = tn_onnx_end2(&b, cache, positions);
  }
  if (c->st == NULL && tn_onnx_ndim(c, cache) != 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "a cache of %d dimensions, expected 3 without positions and 2 with",
                 tn_onnx_ndim(c, cache));
  }
  const int64_t axis = r->head_axis;
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  tn_onnx_set_ints(&b, "axis", 1, &axis);
  return tn_onnx_end1(&b, cache);
}

/* Elements i, i + step ... of the last dimension of x, `n` elements wide. */
static const tn_node *every(tn_onnx_call *c, const tn_node *x, int64_t i, int64_t end,
                            int64_t step) {
  const int64_t axis = 3;
  tn_onnx_build b = tn_onnx_begin(c, "strided_slice");
  tn_onnx_set_ints(&b, "axes", 1, &axis);
  tn_onnx_set_ints(&b, "begin", 1, &i);
  tn_onnx_set_ints(&b, "end", 1, &end);
  tn_onnx_set_ints(&b, "strides", 1, &step);
  return tn_onnx_end1(&b, x);
}

/* Each pair of elements is a point that is turned. */
static const tn_node *rotated(tn_onnx_call *c, const rotary *r) {
  int64_t n = r->n_rotated;
  const tn_node *cosine = angles(c, 1, r);
  const tn_node *sine = angles(c, 2, r);
  bool mixes = r->is_interleaved;
  const tn_node *a = every(c, r->x, 0, mixes ? n : n / 2, mixes ? 2 : 1);
  const tn_node *b = every(c, r->x, mixes ? 1 : n / 2, n, mixes ? 2 : 1);
  const tn_node *parts[2];
  parts[0] = tn_onnx_op2(c, "subtract", tn_onnx_op2(c, "multiply", cosine, a),
                         tn_onnx_op2(c, "multiply", sine, b));
  parts[1] = tn_onnx_op2(c, "add", tn_onnx_op2(c, "multiply", sine, a),
                         tn_onnx_op2(c, "multiply", cosine, b));
  if (!mixes) {
    return tn_onnx_concat(c, 3, 2, parts);
  }
  tn_onnx_build build = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&build, "axis", 4);
  const tn_node *pairs = tn_onnx_end1(&build, tn_onnx_tuple(c, 2, parts));
  const tn_node *dims = tn_onnx_dims(c, r->x);
  if (dims == NULL) {
    return NULL;
  }
  const tn_node *flat[] = {dims->in[0], dims->in[1], dims->in[2], tn_onnx_i64(c, n)};
  return tn_onnx_reshape(c, pairs, tn_list(c->ir, 4, flat));
}

void tn_onnx_rule_rotary_embedding(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t n_heads = tn_onnx_attr_int(c, "num_heads", 0);
  rotary r = {.x = x,
              .head_axis = 1,
              .n_rotated = tn_onnx_attr_int(c, "rotary_embedding_dim", 0),
              .is_interleaved = tn_onnx_attr_int(c, "interleaved", 0) != 0};
  bool is_flat = dims != NULL && dims->n_in == 3;
  if (c->st != NULL || (!is_flat && dims->n_in != 4) ||
      (is_flat && (n_heads < 1 || n_heads > INT32_MAX))) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected data of 4 dimensions, or of 3 and num_heads");
    return;
  }
  if (is_flat) {
    const tn_node *heads = tn_onnx_i64(c, n_heads);
    const tn_node *each = tn_onnx_size_op(c, TN_OP_FLOORDIV, dims->in[2], heads);
    const tn_node *split[] = {dims->in[0], dims->in[1], heads, each};
    r.x = tn_onnx_reshape(c, x, tn_list(c->ir, 4, split));
    r.head_axis = 2;
  }
  const tn_node *own = tn_onnx_dims(c, r.x);
  if (c->st != NULL || own->in[3]->op != TN_OP_INT) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "heads whose extent is not known");
    return;
  }
  int64_t d = own->in[3]->attr.i64;
  r.n_rotated = r.n_rotated == 0 ? d : r.n_rotated;
  if (r.n_rotated < 0 || r.n_rotated > d || r.n_rotated % 2 != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " elements of %" PRId64 " cannot be turned in pairs",
                 r.n_rotated, d);
    return;
  }
  const tn_node *parts[2] = {rotated(c, &r), NULL};
  if (r.n_rotated < d) {
    parts[1] = tn_onnx_part(c, r.x, 3, r.n_rotated, d);
    parts[0] = tn_onnx_concat(c, 3, 2, parts);
  }
  tn_onnx_give(c, 0, is_flat ? tn_onnx_reshape(c, parts[0], dims) : parts[0]);
}

/* ---- caches ---- */

/* Element t of batch b of the update goes to write_indices[b] + t, in a ring when it is circular. */
void tn_onnx_rule_tensor_scatter(tn_onnx_call *c) {
  const tn_node *cache = tn_onnx_in(c, 0);
  const tn_node *update = tn_onnx_in(c, 1);
  const tn_node *starts = tn_onnx_maybe(c, 2);
  const tn_node *dims = tn_onnx_dims(c, update);
  const tn_node *cache_dims = tn_onnx_dims(c, cache);
  const char *mode = tn_onnx_attr_text(c, "mode", "linear");
  bool is_ring = strcmp(mode, "circular") == 0;
  int32_t ndim = tn_onnx_ndim(c, cache);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -2), ndim);
  if (c->st != NULL || axis == 0 || (int32_t)dims->n_in != ndim ||
      (!is_ring && strcmp(mode, "linear") != 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s' along axis %d, the batch being 0", mode, axis);
    return;
  }
  const tn_node *at = tn_onnx_stand(c, tn_onnx_counted(c, dims->in[axis]), ndim, axis);
  if (starts != NULL) {
    starts = tn_onnx_stand(c, tn_onnx_cast(c, starts, TN_DT_I64), ndim, 0);
    at = tn_onnx_op2(c, "add", starts, at);
  }
  if (is_ring) {
    const tn_node *extent = tn_onnx_from_known(c, tn_list(c->ir, 1, &cache_dims->in[axis]), true);
    at = tn_onnx_op2(c, "floor_mod", at, extent);
  }
  const tn_node *args[] = {cache, tn_onnx_broadcast(c, at, dims), update};
  tn_onnx_build b = tn_onnx_begin(c, "scatter_elements");
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_give(c, 0, tn_onnx_end(&b, 3, args));
}

/* ---- gates ---- */

/* x * sigmoid(alpha * x) */
static const tn_node *swish(tn_onnx_call *c, const tn_node *x, double alpha) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *in =
      alpha == 1 ? x : tn_onnx_op2(c, "multiply", x, tn_onnx_scalar(c, type, alpha));
  return tn_onnx_op2(c, "multiply", x, tn_onnx_op1(c, "sigmoid", in));
}

void tn_onnx_rule_swiglu(tn_onnx_call *c) {
  const tn_node *gate = swish(c, tn_onnx_in(c, 0), tn_onnx_attr_float(c, "alpha", 1));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", gate, tn_onnx_in(c, 1)));
}

/* ---- causal convolution ---- */

/* A convolution of each channel over what was seen before and the input; the last elements of both
 * are what the next call has seen before. */
void tn_onnx_rule_causal_conv(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *weight = tn_onnx_in(c, 1);
  const tn_node *bias = tn_onnx_maybe(c, 2);
  const tn_node *past = tn_onnx_maybe(c, 3);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *taps = tn_onnx_dims(c, weight);
  const char *activation = tn_onnx_attr_text(c, "activation", "none");
  bool is_gated = strcmp(activation, "silu") == 0 || strcmp(activation, "swish") == 0;
  if (c->st != NULL || dims->n_in != 3 || taps->n_in != 3 || taps->in[0]->op != TN_OP_INT ||
      taps->in[2]->op != TN_OP_INT || taps->in[2]->attr.i64 < 1 ||
      (!is_gated && strcmp(activation, "none") != 0)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "activation '%s', or data or weights that are not of 3 dimensions", activation);
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  int64_t n_past = taps->in[2]->attr.i64 - 1;
  const tn_node *state[] = {dims->in[0], dims->in[1], tn_onnx_i64(c, n_past)};
  if (past == NULL) {
    past = tn_onnx_broadcast(c, tn_onnx_scalar(c, type, 0), tn_list(c->ir, 3, state));
  }
  const tn_node *parts[] = {past, x};
  const tn_node *all = n_past == 0 ? x : tn_onnx_concat(c, 2, 2, parts);
  tn_onnx_build b = tn_onnx_begin(c, "nn.conv1d");
  tn_onnx_set_int(&b, "groups", taps->in[0]->attr.i64);
  const tn_node *y = tn_onnx_end2(&b, all, weight);
  if (bias != NULL) {
    y = tn_onnx_op2(c, "add", y, tn_onnx_along_channels(c, bias, 3));
  }
  if (is_gated) {
    tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
    y = tn_onnx_cast(c, swish(c, tn_onnx_cast(c, y, in), 1), type);
  }
  tn_onnx_give(c, 0, y);
  tn_onnx_give(c, 1, n_past == 0 ? past : tn_onnx_part(c, all, 2, -n_past, INT64_MAX));
}

/* ---- linear attention ---- */

enum { MAX_STEPS = 256 };

typedef struct linear {
  tn_dtype type;
  tn_dtype in;
  int64_t n_steps;
  int64_t n_heads; /* of queries */
  int64_t n_kv;
  bool decays;
  bool is_delta;
  const tn_node *batch;
  const tn_node *q; /* [B, T, H, dk] */
  const tn_node *k; /* [B, T, KH, dk] */
  const tn_node *v; /* [B, T, KH, dv] */
  const tn_node *decay;
  const tn_node *beta;
} linear;

/* [B, T, n * d] to [B, T, n, d]. */
static const tn_node *by_heads(tn_onnx_call *c, const linear *l, uint32_t i, int64_t n) {
  const tn_node *x = tn_onnx_in(c, i);
  const tn_node *d = tn_onnx_dims(c, x);
  if (c->st != NULL || d->n_in != 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "input %u has not 3 dimensions", i);
    return NULL;
  }
  const tn_node *heads = tn_onnx_i64(c, n);
  const tn_node *split[] = {d->in[0], d->in[1], heads,
                            tn_onnx_size_op(c, TN_OP_FLOORDIV, d->in[2], heads)};
  return tn_onnx_cast(c, tn_onnx_reshape(c, x, tn_list(c->ir, 4, split)), l->in);
}

/* Step t of [B, T, n, d] as [B, n, d, 1] or [B, n, 1, d]. */
static const tn_node *at_step(tn_onnx_call *c, const tn_node *x, int64_t t, bool is_column) {
  const tn_node *d = tn_onnx_dims(c, x);
  const tn_node *one = tn_onnx_i64(c, 1);
  if (d == NULL) {
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], d->in[2], is_column ? d->in[3] : one,
                           is_column ? one : d->in[3]};
  return tn_onnx_reshape(c, tn_onnx_part(c, x, 1, t, t + 1), tn_list(c->ir, 4, dims));
}

static linear read_linear(tn_onnx_call *c) {
  const char *rule = tn_onnx_attr_text(c, "update_rule", "gated_delta");
  const tn_node *d = tn_onnx_dims(c, tn_onnx_in(c, 0));
  linear l = {.type = tn_onnx_type_of(c, tn_onnx_in(c, 0)),
              .n_heads = tn_onnx_attr_int(c, "q_num_heads", 0),
              .n_kv = tn_onnx_attr_int(c, "kv_num_heads", 0)};
  bool is_gated = strcmp(rule, "gated") == 0;
  bool is_both = strcmp(rule, "gated_delta") == 0;
  l.is_delta = is_both || strcmp(rule, "delta") == 0;
  l.decays = is_both || is_gated;
  l.in = tn_dtype_bits(l.type) < 32 ? TN_DT_F32 : l.type;
  if (c->st == NULL && ((!l.is_delta && !is_gated && strcmp(rule, "linear") != 0) || l.n_kv < 1 ||
                        l.n_heads < 1 || l.n_heads % l.n_kv != 0 || l.n_heads > INT32_MAX)) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "update_rule '%s' with %" PRId64 " heads of queries and %" PRId64 " of keys", rule,
                 l.n_heads, l.n_kv);
  }
  if (c->st == NULL && (d->n_in != 3 || d->in[1]->op != TN_OP_INT || d->in[1]->attr.i64 < 1 ||
                        d->in[1]->attr.i64 > MAX_STEPS)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a sequence whose length is no number up to %d",
                 (int)MAX_STEPS);
  }
  if (c->st != NULL) {
    return l;
  }
  l.n_steps = d->in[1]->attr.i64;
  l.batch = d->in[0];
  l.q = by_heads(c, &l, 0, l.n_heads);
  l.k = by_heads(c, &l, 1, l.n_kv);
  l.v = by_heads(c, &l, 2, l.n_kv);
  l.decay = l.decays ? by_heads(c, &l, 4, l.n_kv) : NULL;
  l.beta = NULL;
  if (l.is_delta) { /* one for all heads, or one each */
    const tn_node *beta = tn_onnx_in(c, 5);
    const tn_node *own = tn_onnx_dims(c, beta);
    bool is_one = own != NULL && own->n_in == 3 && tn_is_int(own->in[2], 1);
    l.beta = by_heads(c, &l, 5, is_one ? 1 : l.n_kv);
  }
  return l;
}

/* What a step makes of the state [B, KH, dk, dv]. */
static const tn_node *next_state(tn_onnx_call *c, const linear *l, const tn_node *state,
                                 int64_t t) {
  const int64_t swap[] = {0, 1, 3, 2};
  if (l->decays) {
    const tn_node *factor = tn_onnx_op1(c, "exp", at_step(c, l->decay, t, true));
    state = tn_onnx_op2(c, "multiply", state, factor);
  }
  const tn_node *k = at_step(c, l->k, t, true);
  const tn_node *row = at_step(c, l->v, t, false);
  if (l->is_delta) { /* only what the state does not hold yet */
    const tn_node *held = tn_onnx_op2(c, "matmul", tn_onnx_permute(c, k, swap), state);
    row = tn_onnx_op2(c, "multiply", at_step(c, l->beta, t, false),
                      tn_onnx_op2(c, "subtract", row, held));
  }
  return tn_onnx_op2(c, "add", state, tn_onnx_op2(c, "multiply", k, row));
}

/* The queries' products with the state: [B, 1, H * dv]. */
static const tn_node *read_state(tn_onnx_call *c, const linear *l, const tn_node *state,
                                 int64_t t) {
  const tn_node *d = tn_onnx_dims(c, tn_onnx_in(c, 0));
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *each = tn_onnx_i64(c, l->n_heads / l->n_kv); /* queries that share a state */
  const tn_node *group[] = {l->batch, tn_onnx_i64(c, l->n_kv), each, tn_onnx_i64(c, -1)};
  const tn_node *out[] = {l->batch, one, tn_onnx_i64(c, -1)};
  if (d == NULL) {
    return NULL;
  }
  const tn_node *q =
      tn_onnx_reshape(c, tn_onnx_part(c, l->q, 1, t, t + 1), tn_list(c->ir, 4, group));
  return tn_onnx_reshape(c, tn_onnx_op2(c, "matmul", q, state), tn_list(c->ir, 3, out));
}

void tn_onnx_rule_linear_attention(tn_onnx_call *c) {
  linear l = read_linear(c);
  const tn_node *state = tn_onnx_maybe(c, 3);
  const tn_node *dk = tn_onnx_dims(c, l.k);
  const tn_node *dv = tn_onnx_dims(c, l.v);
  if (c->st != NULL) {
    return;
  }
  double scale = tn_onnx_attr_float(c, "scale", 0);
  if (scale == 0 && dk->in[3]->op == TN_OP_INT && dk->in[3]->attr.i64 > 0) {
    scale = 1 / sqrt((double)dk->in[3]->attr.i64);
  }
  if (scale == 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "heads whose extent is not known");
    return;
  }
  const tn_node *dims[] = {l.batch, tn_onnx_i64(c, l.n_kv), dk->in[3], dv->in[3]};
  state = state == NULL ? tn_onnx_broadcast(c, tn_onnx_scalar(c, l.in, 0), tn_list(c->ir, 4, dims))
                        : tn_onnx_cast(c, state, l.in);
  const tn_node *steps[MAX_STEPS];
  for (int64_t t = 0; t < l.n_steps && c->st == NULL; ++t) {
    state = next_state(c, &l, state, t);
    steps[t] = read_state(c, &l, state, t);
  }
  if (c->st != NULL) {
    return;
  }
  const tn_node *y = l.n_steps == 1 ? steps[0] : tn_onnx_concat(c, 1, (uint32_t)l.n_steps, steps);
  y = tn_onnx_op2(c, "multiply", y, tn_onnx_scalar(c, l.in, scale));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, l.type));
  tn_onnx_give(c, 1, tn_onnx_cast(c, state, l.type));
}
