/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* GroupQueryAttention of ONNX Runtime (domain com.microsoft): heads of queries share heads of keys,
 * keys and values are kept in caches that sequences of different lengths fill in part; and what
 * turns queries and keys by their positions. */
#include <inttypes.h>
#include <math.h>

#include "front/onnx/contrib.h"
#include "front/onnx/rules.h"

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
  return tn_onnx_reshaped(c, rows, 4, dims);
}

/* x: [B, N, S, D] */
static const tn_node *turned(tn_onnx_call *c, const tn_node *x, const turning *t) {
  const tn_node *d = tn_onnx_dims(c, x);
  int64_t width = tn_onnx_extent(c, d, 3, "the extent of a head");
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
    half[i] =
        t->is_interleaved
            ? tn_onnx_reshaped(c, tn_onnx_part(c, tn_onnx_reshaped(c, part, 5, pairs), 4, i, i + 1),
                               4, one)
            : tn_onnx_part(c, part, 3, i * t->n / 2, (i + 1) * t->n / 2);
  }
  y[0] = tn_onnx_op2(c, "subtract", tn_onnx_op2(c, "multiply", half[0], t->cos),
                     tn_onnx_op2(c, "multiply", half[1], t->sin));
  y[1] = tn_onnx_op2(c, "add", tn_onnx_op2(c, "multiply", half[1], t->cos),
                     tn_onnx_op2(c, "multiply", half[0], t->sin));
  if (t->is_interleaved) {
    tn_onnx_build b = tn_onnx_begin(c, "stack");
    tn_onnx_set_int(&b, "axis", 4);
    y[0] = tn_onnx_reshaped(c, tn_onnx_end1(&b, tn_onnx_tuple(c, 2, y)), 4, flat);
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
  t.n = 2 * tn_onnx_extent(c, tn_onnx_dims(c, cos), 1, "the width of the cosines");
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
    positions = tn_onnx_plus(c, tn_onnx_reshaped(c, positions, 2, dims),
                             tn_onnx_reshaped(c, tn_onnx_counted(c, row[1]), 2, row));
  }
  const tn_node *want[] = {d->in[0], is_flat ? d->in[1] : d->in[2]};
  positions = tn_onnx_fitted(c, positions, 2, want);
  turning t = read_turning(c, tn_onnx_in(c, 2), tn_onnx_in(c, 3), positions, "interleaved");
  int64_t n_heads = tn_onnx_attr_int(c, "num_heads", 0);
  if (is_flat && n_heads == 0) {
    n_heads = tn_onnx_extent(c, d, 2, "the width of the data") / (t.n > 0 ? t.n : 1);
  }
  const tn_node *y = turned(c, is_flat ? tn_onnx_split_heads(c, x, n_heads) : x, &t);
  if (is_flat) {
    const int64_t swap[] = {0, 2, 1, 3};
    y = tn_onnx_reshaped(c, tn_onnx_permute(c, y, swap), 3, d->in);
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
  tn_onnx_attend a;
  const tn_node *n_keys; /* [B, 1, 1, 1] int64 */
  const tn_node *first;  /* the same: keys before these queries */
  const tn_node *n_past; /* extents */
  const tn_node *n_now;
  const tn_node *n_all;
} grouped;

/* [B, S, (N + 2 K) * D], or queries, keys and values apart. */
static void read_grouped(tn_onnx_call *c, grouped *g) {
  int64_t n_q = tn_onnx_heads_attr(c, "num_heads");
  int64_t n_kv = tn_onnx_heads_attr(c, "kv_num_heads");
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
  int64_t head =
      tn_onnx_extent(c, tn_onnx_dims(c, q), 2, "the width of the queries") / (n_q + 2 * n_kv);
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
      tn_onnx_sizes(c, tn_onnx_reshaped(c, tn_onnx_in(c, TOTAL), 1, &one), "total_sequence_length");
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
  if (past == NULL || c->st != NULL || tn_is_int(g->n_past, 0)) {
    return now;
  }
  const tn_node *sum = tn_onnx_size_op(c, TN_OP_ADD, g->n_past, g->n_now);
  const tn_node *all = tn_onnx_after(c, past, now);
  if (tn_is_int(d->in[0], 1) && tn_dim_compare(c->ir, sum, g->n_all) == TN_DIM_EQUAL) {
    return all; /* the one sequence of the batch has all of its past */
  }
  const tn_node *row[] = {tn_onnx_i64(c, 1), tn_onnx_i64(c, 1), g->n_all, tn_onnx_i64(c, 1)};
  const tn_node *at = tn_onnx_reshaped(c, tn_onnx_counted(c, g->n_all), 4, row);
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
      tn_onnx_op2(c, "less", tn_onnx_reshaped(c, tn_onnx_counted(c, g->n_all), 4, row), g->n_keys);
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
    positions = tn_onnx_plus(c, tn_onnx_reshaped(c, tn_onnx_counted(c, g->n_now), 2, row),
                             tn_onnx_reshaped(c, g->first, 2, column));
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
    return tn_onnx_attr_int(c, "smooth_softmax", 0) == 1 ? tn_onnx_f32(c, 0) : NULL;
  }
  if (d == NULL || d->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "head_sink must be a vector");
    return NULL;
  }
  const tn_node *dims[] = {d->in[0], tn_onnx_i64(c, 1), tn_onnx_i64(c, 1)};
  return tn_onnx_reshaped(c, sink, 3, dims);
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
  g.n_keys = tn_onnx_op2(c, "add",
                         tn_onnx_by_batch(c, tn_onnx_fitted(c, tn_onnx_in(c, SEQ_LENS), 1,
                                                            tn_onnx_dims(c, g.a.q)->in)),
                         tn_onnx_scalar(c, TN_DT_I64, 1));
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
  g.a.hides = tn_onnx_causal(c, &g.a, g.first, g.n_keys, window);
  tn_onnx_give(c, 0, tn_onnx_attended(c, &g.a));
}
