/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Attention (opset 23 on): softmax(softcap(q k^T scale) + bias) v over [B, H, S, D], with what was
 * seen before (past), fewer heads of keys than of queries, masks, and rows that see nothing, whose
 * result is 0. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, NONPAD };

typedef struct attention {
  tn_dtype type; /* of q */
  tn_dtype in;   /* of the softmax */
  bool is_flat;  /* [B, S, H * D] came in */
  const tn_node *q;
  const tn_node *k; /* [B, KH, T, D] */
  const tn_node *v;
  const tn_node *past; /* extent of what was seen before; 0 */
} attention;

const tn_node *tn_onnx_split_heads(tn_onnx_call *c, const tn_node *x, int64_t n_heads) {
  const tn_node *d = tn_onnx_dims(c, x);
  const int64_t swap[] = {0, 2, 1, 3};
  if (d == NULL || d->n_in != 3 || n_heads < 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " heads of such data", n_heads);
    return NULL;
  }
  const tn_node *each = tn_onnx_size_op(c, TN_OP_FLOORDIV, d->in[2], tn_onnx_i64(c, n_heads));
  const tn_node *split[] = {d->in[0], d->in[1], tn_onnx_i64(c, n_heads), each};
  return tn_onnx_permute(c, tn_onnx_reshape(c, x, tn_list(c->ir, 4, split)), swap);
}

static const tn_node *joined(tn_onnx_call *c, const tn_node *past, const tn_node *now) {
  const tn_node *both[] = {past, now};
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", 2);
  return past == NULL ? now : tn_onnx_end1(&b, tn_onnx_tuple(c, 2, both));
}

static attention read_attention(tn_onnx_call *c) {
  attention a = {.q = tn_onnx_in(c, Q), .k = tn_onnx_in(c, K), .v = tn_onnx_in(c, V)};
  a.type = tn_onnx_type_of(c, a.q);
  a.in = tn_dtype_bits(a.type) < 32 ? TN_DT_F32 : a.type;
  a.is_flat = tn_onnx_ndim(c, a.q) == 3;
  if (a.is_flat) {
    int64_t n_kv = tn_onnx_attr_int(c, "kv_num_heads", 0);
    a.q = tn_onnx_split_heads(c, a.q, tn_onnx_attr_int(c, "q_num_heads", 0));
    a.k = tn_onnx_split_heads(c, a.k, n_kv);
    a.v = tn_onnx_split_heads(c, a.v, n_kv);
  }
  const tn_node *past = tn_onnx_maybe(c, PAST_KEY);
  const tn_node *past_dims = past == NULL ? NULL : tn_onnx_dims(c, past);
  a.past = past_dims == NULL || past_dims->n_in != 4 ? tn_onnx_i64(c, 0) : past_dims->in[2];
  a.k = joined(c, past, a.k);
  a.v = joined(c, tn_onnx_maybe(c, PAST_VALUE), a.v);
  tn_onnx_give(c, 1, a.k);
  tn_onnx_give(c, 2, a.v);
  return a;
}

const tn_node *tn_onnx_repeat_heads(tn_onnx_call *c, const tn_node *x, const tn_node *n_heads) {
  const tn_node *d = tn_onnx_dims(c, x);
  if (d == NULL || d->n_in != 4 || tn_dim_compare(c->ir, d->in[1], n_heads) == TN_DIM_EQUAL) {
    return x;
  }
  const tn_node *times = tn_onnx_size_op(c, TN_OP_FLOORDIV, n_heads, d->in[1]);
  const tn_node *thin[] = {d->in[0], d->in[1], tn_onnx_i64(c, 1), d->in[2], d->in[3]};
  const tn_node *wide[] = {d->in[0], d->in[1], times, d->in[2], d->in[3]};
  const tn_node *out[] = {d->in[0], n_heads, d->in[2], d->in[3]};
  x = tn_onnx_reshape(c, x, tn_list(c->ir, 5, thin));
  x = tn_onnx_op2(c, "broadcast_to", x, tn_onnx_shape_value(c, tn_list(c->ir, 5, wide)));
  return tn_onnx_reshape(c, x, tn_list(c->ir, 4, out));
}

/* ---- what a query may see ---- */

/* 0 where `sees` is true, -inf elsewhere. */
static const tn_node *bias_of(tn_onnx_call *c, const attention *a, const tn_node *sees) {
  return tn_onnx_op3(c, "where", sees, tn_onnx_scalar(c, a->in, 0),
                     tn_onnx_scalar(c, a->in, -INFINITY));
}

static const tn_node *plus(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_onnx_op2(c, "add", a, b);
}

/* A mask shorter than the keys hides the rest. */
static const tn_node *given_mask(tn_onnx_call *c, const attention *a, const tn_node *n_keys) {
  const tn_node *mask = tn_onnx_maybe(c, MASK);
  if (mask == NULL) {
    return NULL;
  }
  mask =
      tn_onnx_type_of(c, mask) == TN_DT_BOOL ? bias_of(c, a, mask) : tn_onnx_cast(c, mask, a->in);
  const tn_node *d = tn_onnx_dims(c, mask);
  uint32_t n = d == NULL ? 0 : d->n_in;
  if (n == 0 || tn_is_int(d->in[n - 1], 1) ||
      tn_dim_compare(c->ir, d->in[n - 1], n_keys) != TN_DIM_DIFFERENT) {
    return mask;
  }
  int64_t widths[2 * TN_MAX_NDIM] = {0};
  const tn_node *missing = tn_onnx_size_op(c, TN_OP_SUB, n_keys, d->in[n - 1]);
  if (missing->op != TN_OP_INT || missing->attr.i64 < 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "the mask is longer than the keys");
    return NULL;
  }
  widths[2 * n - 1] = missing->attr.i64;
  tn_onnx_build b = tn_onnx_begin(c, "nn.pad");
  tn_onnx_set_ints(&b, "pad_width", 2 * (size_t)n, widths);
  tn_onnx_set_float(&b, "pad_value", -INFINITY);
  return tn_onnx_end1(&b, mask);
}

/* 0, 1 ... as [n, 1] or [1, n]. */
static const tn_node *counted(tn_onnx_call *c, const tn_node *extent, bool is_column) {
  return tn_onnx_stand(c, tn_onnx_counted(c, extent), 2, is_column ? 0 : 1);
}

/* Query i sees the keys up to i + offset; the offset is the past, or each batch's own: the keys that
 * are not padding, less the queries. */
static const tn_node *causal_mask(tn_onnx_call *c, const attention *a, const tn_node *n_queries,
                                  const tn_node *n_keys, const tn_node *nonpad) {
  if (tn_onnx_attr_int(c, "is_causal", 0) == 0) {
    return NULL;
  }
  const tn_node *offset = nonpad;
  if (offset != NULL) {
    offset = tn_onnx_op2(c, "subtract", offset,
                         tn_onnx_from_known(c, tn_list(c->ir, 1, &n_queries), true));
  } else if (a->past->op == TN_OP_INT) {
    const tn_node *dims[] = {n_queries, n_keys};
    const tn_node *shape = tn_onnx_shape_value(c, tn_list(c->ir, 2, dims));
    tn_onnx_build b = tn_onnx_begin(c, "tril");
    tn_onnx_set_int(&b, "k", a->past->attr.i64);
    const tn_node *ones = tn_onnx_op2(c, "broadcast_to", tn_onnx_scalar(c, TN_DT_I32, 1), shape);
    return bias_of(c, a, tn_onnx_cast(c, tn_onnx_end1(&b, ones), TN_DT_BOOL));
  } else {
    offset = tn_onnx_from_known(c, tn_list(c->ir, 1, &a->past), true);
  }
  const tn_node *last = tn_onnx_op2(c, "add", counted(c, n_queries, true), offset);
  return bias_of(c, a, tn_onnx_op2(c, "less_equal", counted(c, n_keys, false), last));
}

static const tn_node *all_masks(tn_onnx_call *c, const attention *a, const tn_node *n_queries,
                                const tn_node *n_keys) {
  const tn_node *nonpad = tn_onnx_maybe(c, NONPAD);
  const tn_node *bias = given_mask(c, a, n_keys);
  if (nonpad != NULL) {
    const tn_node *own = tn_onnx_dims(c, nonpad);
    const tn_node *dims[] = {own == NULL || own->n_in != 1 ? tn_onnx_i64(c, 1) : own->in[0],
                             tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
    nonpad = tn_onnx_reshape(c, nonpad, tn_list(c->ir, 4, dims));
    bias = plus(c, bias, bias_of(c, a, tn_onnx_op2(c, "less", counted(c, n_keys, false), nonpad)));
  }
  return plus(c, bias, causal_mask(c, a, n_queries, n_keys, nonpad));
}

/* ---- the operator ---- */

static const tn_node *softcapped(tn_onnx_call *c, const tn_node *x, tn_dtype type) {
  double cap = tn_onnx_attr_float(c, "softcap", 0);
  if (cap == 0) {
    return x;
  }
  const tn_node *limit = tn_onnx_scalar(c, type, cap);
  return tn_onnx_op2(c, "multiply", limit,
                     tn_onnx_op1(c, "tanh", tn_onnx_op2(c, "divide", x, limit)));
}

/* Shares that sum to 1; a row whose bias hides all gets 0. */
static const tn_node *shares(tn_onnx_call *c, const attention *a, const tn_node *x,
                             const tn_node *bias) {
  tn_onnx_build b = tn_onnx_begin(c, "nn.softmax");
  tn_onnx_set_int(&b, "axis", -1);
  const tn_node *y = tn_onnx_end1(&b, x);
  const int64_t last = bias == NULL ? 0 : tn_onnx_ndim(c, bias) - 1;
  if (bias == NULL || last < 0) {
    return y;
  }
  const tn_node *sees = tn_onnx_op2(c, "greater", tn_onnx_reduce(c, "max", bias, 1, &last, true),
                                    tn_onnx_scalar(c, a->in, -INFINITY));
  return tn_onnx_op3(c, "where", sees, y, tn_onnx_scalar(c, a->in, 0));
}

static const tn_node *scaled(tn_onnx_call *c, const attention *a, const tn_node *x,
                             const tn_node *head) {
  double scale = tn_onnx_attr_float(c, "scale", 0);
  if (scale == 0 && head->op == TN_OP_INT && head->attr.i64 > 0) {
    scale = 1 / sqrt((double)head->attr.i64);
  }
  if (!(scale > 0)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a scale of %g, or heads whose extent is not known", scale);
  }
  return tn_onnx_op2(c, "multiply", tn_onnx_cast(c, x, a->in),
                     tn_onnx_scalar(c, a->in, sqrt(scale)));
}

void tn_onnx_rule_attention(tn_onnx_call *c) {
  attention a = read_attention(c);
  const int64_t swap[] = {0, 1, 3, 2};
  const int64_t heads_last[] = {0, 2, 1, 3};
  const tn_node *d = tn_onnx_dims(c, a.q);
  const tn_node *dk = tn_onnx_dims(c, a.k);
  int64_t mode = tn_onnx_attr_int(c, "qk_matmul_output_mode", 0);
  if (c->st != NULL || d->n_in != 4 || dk->n_in != 4 || mode < 0 || mode > 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected queries, keys and values of 3 or 4 dimensions");
    return;
  }
  const tn_node *k = tn_onnx_permute(c, tn_onnx_repeat_heads(c, a.k, d->in[1]), swap);
  const tn_node *stages[4];
  stages[0] = tn_onnx_op2(c, "matmul", scaled(c, &a, a.q, d->in[3]), scaled(c, &a, k, d->in[3]));
  stages[1] = softcapped(c, stages[0], a.in);
  const tn_node *bias = all_masks(c, &a, d->in[2], dk->in[2]);
  stages[2] = plus(c, stages[1], bias);
  stages[3] = shares(c, &a, stages[2], bias);
  const tn_node *v = tn_onnx_repeat_heads(c, a.v, d->in[1]);
  const tn_node *y = tn_onnx_op2(c, "matmul", stages[3], tn_onnx_cast(c, v, a.in));
  y = tn_onnx_cast(c, y, a.type);
  if (a.is_flat) {
    const tn_node *dy = tn_onnx_dims(c, y);
    y = tn_onnx_permute(c, y, heads_last);
    const tn_node *flat[] = {d->in[0], d->in[2], tn_onnx_i64(c, -1)};
    y = dy == NULL ? NULL : tn_onnx_reshape(c, y, tn_list(c->ir, 3, flat));
  }
  tn_onnx_give(c, 0, y);
  tn_onnx_give(c, 3, tn_onnx_cast(c, stages[mode], a.type));
}

/* ---- FlexAttention (ai.onnx.preview) ---- */

/* What the graph of the attribute `name` makes of x; x when it is not given. */
static const tn_node *modified(tn_onnx_call *c, const char *name, const tn_node *x) {
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, name);
  tn_onnx_scope scope = {
      .outer = c->scope, .opsets = c->scope->opsets, .depth = c->scope->depth + 1};
  if (attr == NULL || c->st != NULL) {
    return x;
  }
  const tn_onnx_graph *graph = attr->g;
  if (graph == NULL || graph->inputs.len != 1 || graph->outputs.len != 1 ||
      graph->inputs.data[0]->name.len == 0 || graph->outputs.data[0]->name.len == 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "'%s' is no graph of one input and one output", name);
    return NULL;
  }
  tn_strmap_set(&scope.values, graph->inputs.data[0]->name.data, (void *)(uintptr_t)x);
  tn_status st = tn_onnx_run_initializers(c->imp, &scope, graph);
  if (st == NULL) {
    st = tn_onnx_run_nodes(c->imp, &scope, &graph->nodes);
  }
  const tn_node *y = tn_onnx_scope_find(&scope, graph->outputs.data[0]->name.data);
  tn_strmap_deinit(&scope.values);
  if (st != NULL) {
    tn_onnx_fail(c, tn_status_wrap(st, "attribute '%s'", name));
  } else if (y == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "'%s' does not make its output", name);
  }
  return c->st != NULL ? NULL : y;
}

/* prob_mod(softmax(score_mod(q k^T scale))) v */
void tn_onnx_rule_flex_attention(tn_onnx_call *c) {
  attention a = {.q = tn_onnx_in(c, Q), .k = tn_onnx_in(c, K), .v = tn_onnx_in(c, V)};
  const int64_t swap[] = {0, 1, 3, 2};
  const tn_node *d = tn_onnx_dims(c, a.q);
  a.type = tn_onnx_type_of(c, a.q);
  a.in = tn_dtype_bits(a.type) < 32 ? TN_DT_F32 : a.type;
  if (tn_onnx_attr_find(c, "softmax_precision") != NULL) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "softmax_precision", 1), &a.in));
  }
  if (c->st != NULL || d->n_in != 4 || tn_onnx_ndim(c, a.k) != 4 || tn_onnx_ndim(c, a.v) != 4 ||
      !tn_dtype_is_float(a.in)) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected queries, keys and values of 4 dimensions");
    return;
  }
  const tn_node *k = tn_onnx_permute(c, tn_onnx_repeat_heads(c, a.k, d->in[1]), swap);
  const tn_node *x =
      tn_onnx_op2(c, "matmul", scaled(c, &a, a.q, d->in[3]), scaled(c, &a, k, d->in[3]));
  x = shares(c, &a, modified(c, "score_mod", x), NULL);
  x = modified(c, "prob_mod", x);
  const tn_node *v = tn_onnx_cast(c, tn_onnx_repeat_heads(c, a.v, d->in[1]), a.in);
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_op2(c, "matmul", x, v), a.type));
}
