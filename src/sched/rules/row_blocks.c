/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A product, blocks that go over its rows, as softmax does, and a product of what they give:
 *
 *   P[b, n, s, t] += Q[b, s, n, k] * K[b, t, n, k]
 *   scale, mask, max over t, exp, sum over t, quotient
 *   O[b, s, n, v] += W[b, n, s, t] * V[b, t, n, v]
 *
 * A block of rows s goes through all of them while it is in the cache, so that there is never more of
 * P than that. Its rows are the lanes: all between is then vectors without sums across lanes, however
 * many columns t there are, and each sum keeps its order.
 *
 *   for b, n in T.parallel(..):
 *       copy of V[b, .., n, ..]
 *       for s_0 in range(S / 16):
 *           copy of Q[b, s_0 * 16 + .., n, k], rows side by side
 *           for t_0, k, t_1 in .., .., 4:  P[t, 0:16] += K[.., t, k] * Q[k, 0:16];  scale and mask
 *           for t: M[0:16] = max ...                       # and so on
 *           for s_1, v_0, t: O[4 rows, 16 columns] += W[t, s] * V[t, v:v+16] */
#include "sched/rules/tile.h"

#include "sched/rewrite.h"

enum { MAX_BLOCKS = 12, VECTORS = 2, MANY_ROWS = 64 };

typedef struct chain {
  tn_rules *r;
  uint32_t n;
  const tn_node *const *labels;
  uint32_t ndim;         /* of P; its last two dimensions are rows and columns */
  const tn_node *copy;   /* of Q */
  const tn_node *values; /* a copy of V, which all blocks of rows read; NULL: none */
  const tn_node *scores; /* what reads P in its tile */
  const tn_node *out;    /* what writes O out of its tile */
  int64_t lanes;
  int64_t rows;          /* of a block */
  int64_t tall;          /* columns of P in its tile */
  int64_t vectors;       /* of O in its tile */
  const tn_node *q;      /* buffer */
  const tn_node *s_loop; /* of P */
  const tn_node *v_loop; /* of O */
  const tn_node *v;      /* buffer; NULL: it is read in place */
  const tn_node *heads;  /* loop around blocks of rows; NULL: there is none */
  const tn_node *block;  /* loop over blocks of rows */
  const tn_node *p_tile; /* innermost loop around a tile */
  const tn_node *o_tile;
  const tn_node *p_sum; /* loops of the sums */
  const tn_node *o_sum;
  const tn_node *shared;
} chain;

/* ---- the form ---- */

static bool is_axis(const tn_node *block, uint32_t i, const tn_node *index, int64_t kind) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  return i < iters->n_in && iters->in[i]->in[TN_ITER_VAR] == index &&
         iters->in[i]->attr.i64 == kind;
}

/* T[v0, v1, ..] of all axes of P, or a row's of them: then the last one, if any, is summed up. */
static bool is_between(const chain *c, const tn_node *block) {
  const tn_node *store = block->in[TN_BLOCK_BODY];
  uint32_t n_axes = block->in[TN_BLOCK_ITERS]->n_in;
  if (!tn_is(store, TN_OP_STORE)) {
    return false;
  }
  uint32_t n = store->n_in - TN_STORE_INDICES;
  bool is_fit = n + 1 >= c->ndim && n <= c->ndim && n_axes >= n && n_axes <= c->ndim;
  for (uint32_t i = 0; is_fit && i < n; ++i) {
    is_fit = is_axis(block, i, store->in[TN_STORE_INDICES + i], TN_ITER_SPATIAL);
  }
  for (uint32_t i = n; is_fit && i < n_axes; ++i) {
    is_fit = block->in[TN_BLOCK_ITERS]->in[i]->attr.i64 == TN_ITER_REDUCE;
  }
  return is_fit;
}

/* P[v0, v1, ..]: all spatial axes in their order, rows and columns last; then the terms. */
static bool is_first(chain *c, const tn_contraction *p) {
  const tn_node *block = p->nest.block;
  const tn_node *store = block->in[TN_BLOCK_BODY];
  c->ndim = store->n_in - TN_STORE_INDICES;
  bool is_fit = p->one != NULL && p->one->buffer != p->many->buffer && p->rows != TN_TILE_NO_LOOP &&
                c->ndim >= 2 && block->in[TN_BLOCK_ITERS]->n_in == c->ndim + 1 &&
                p->nest.n_loops == c->ndim + 1;
  for (uint32_t i = 0; is_fit && i < c->ndim; ++i) {
    is_fit = is_axis(block, i, store->in[TN_STORE_INDICES + i], TN_ITER_SPATIAL);
  }
  return is_fit && p->rows == (int32_t)c->ndim - 2 && p->lanes == (int32_t)c->ndim - 1 &&
         p->nest.loops[c->ndim].is_reduce;
}

/* O += W[.., s, t] * ..: rows and terms are the last two indices. */
static bool is_last(const chain *c, const tn_contraction *o) {
  const tn_node *block = o->nest.block;
  if (o->one == NULL || o->rows == TN_TILE_NO_LOOP || o->more != TN_TILE_NO_LOOP ||
      !o->is_side_by_side || o->one->node->n_in - TN_LOAD_INDICES != c->ndim) {
    return false;
  }
  const tn_node *load = o->one->node;
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *row = o->nest.loops[o->rows].var;
  uint32_t n_terms = 0;
  bool is_fit = iters->n_in == o->nest.n_loops && o->nest.loops[o->nest.n_loops - 1].is_reduce;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    bool is_term = iters->in[i]->attr.i64 == TN_ITER_REDUCE;
    n_terms += is_term;
    is_fit = is_fit && (!is_term || load->in[load->n_in - 1] == var) &&
             (load->in[load->n_in - 2] != var || iters->in[i]->in[TN_ITER_BINDING] == row);
  }
  return is_fit && n_terms == 1;
}

/* How large blocks and tiles are. */
static tn_status choose_sizes(chain *c, const tn_contraction *p, const tn_contraction *o) {
  int64_t n_rows = p->nest.loops[p->rows].n;
  int64_t n_columns = p->nest.loops[p->lanes].n;
  int64_t wide = o->nest.loops[o->lanes].n;
  c->lanes = tn_rule_lanes(c->r, &p->nest);
  if ((n_rows != TN_RULE_OPEN && n_rows < c->lanes) || wide == TN_RULE_OPEN || wide < c->lanes) {
    return TN_ERR(TN_INVALID, "too few rows for lanes");
  }
  c->rows = n_rows != TN_RULE_OPEN && n_rows < VECTORS * c->lanes ? c->lanes : VECTORS * c->lanes;
  c->vectors = wide % (VECTORS * c->lanes) == 0 ? VECTORS : 1;
  int64_t best = 0;
  for (int64_t t = 4; VECTORS * (t + 1) + 1 <= c->r->target->n_vector_regs && t <= 12; ++t) {
    int64_t filled = n_columns == TN_RULE_OPEN ? t : (n_columns + t - 1) / t * t;
    if (best == 0 || filled < best) {
      best = filled;
      c->tall = t;
    }
  }
  return c->tall > 0 ? NULL : TN_ERR(TN_INVALID, "too few registers");
}

static tn_status find_chain(chain *c) {
  tn_contraction p;
  tn_contraction o;
  if (c->n < 3 || c->n > MAX_BLOCKS) {
    return TN_ERR(TN_INVALID, "%u blocks", c->n);
  }
  TN_TRY(tn_contraction_find(c->r, c->labels[0], &p));
  TN_TRY(tn_contraction_find(c->r, c->labels[c->n - 1], &o));
  bool is_it = is_first(c, &p) && is_last(c, &o);
  for (uint32_t i = 1; is_it && i + 1 < c->n; ++i) {
    is_it = is_between(c, tn_sched_site(c->r->s, c->labels[i]));
  }
  if (!is_it) {
    return TN_ERR(TN_INVALID, "not rows between two products");
  }
  const int64_t n_rows = p.nest.loops[p.rows].n;
  bool is_copied = o.nest.n_loops > 3 && o.one->buffer != o.many->buffer &&
                   (n_rows == TN_RULE_OPEN || n_rows >= MANY_ROWS);
  c->v = is_copied ? o.many->buffer : NULL;
  c->v_loop = o.nest.loops[o.lanes].var;
  c->q = p.one->buffer;
  c->s_loop = p.nest.loops[p.rows].var;
  return choose_sizes(c, &p, &o);
}

/* ---- layouts ---- */

/* What a block writes for each row and column, with the rows side by side. */
static tn_status put_rows_last(chain *c, const tn_node *label) {
  tn_ir *ir = c->r->s->ir;
  const tn_node *store = tn_sched_site(c->r->s, label)->in[TN_BLOCK_BODY];
  uint32_t n = store->n_in - TN_STORE_INDICES;
  const tn_node *params[TN_MAX_NDIM];
  const tn_node *results[TN_MAX_NDIM];
  if (n != c->ndim) {
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    params[i] = tn_var_new(ir, "i", store->in[TN_STORE_INDICES + i]->dtype);
    results[i] = params[i];
  }
  results[n - 2] = params[n - 1];
  results[n - 1] = params[n - 2];
  const tn_node *in[3] = {tn_list(ir, n, params), tn_list(ir, n, results), tn_none(ir)};
  const tn_node *map = tn_node_new(ir, TN_OP_LAMBDA, TN_DT_HANDLE, (tn_attr){0}, 3, in);
  const tn_node *pair[2] = {tn_str(ir, "write"), tn_int(ir, TN_DT_I32, 0)};
  return tn_rule_apply(c->r, "transform_layout", 3,
                       (const tn_node *[]){label, tn_list(ir, 2, pair), map}, NULL);
}

/* Where P is read element by element and nowhere else, that follows in its tile. */
static tn_status find_scores(chain *c) {
  const tn_tree *tree = tn_sched_tree(c->r->s, c->labels[0]);
  const tn_node *readers[2];
  uint32_t n = tn_block_consumers(tree, tn_tree_site(tree, c->labels[0]), 2, readers);
  bool is_one = n == 1 && readers[0]->in[TN_BLOCK_LABEL] == c->labels[1] &&
                tn_rule_is_spatial(readers[0]) && readers[0]->in[TN_BLOCK_ITERS]->n_in == c->ndim;
  if (!is_one) {
    return tn_sched_cache_write(c->r->s, c->labels[0], 0, "local", &c->scores);
  }
  c->scores = c->labels[1];
  const tn_node *args[] = {c->labels[0], tn_int(c->r->s->ir, TN_DT_I32, 0),
                           tn_str(c->r->s->ir, "local")};
  return tn_rule_apply(c->r, "set_scope", 3, args, NULL);
}

static tn_status lay_out(chain *c) {
  TN_TRY(tn_rule_copy_for_lanes(c->r, c->labels[0], c->q, c->s_loop, &c->copy));
  if (c->v != NULL) {
    TN_TRY(tn_rule_copy_for_lanes(c->r, c->labels[c->n - 1], c->v, c->v_loop, &c->values));
  }
  TN_TRY(find_scores(c));
  TN_TRY(put_rows_last(c, c->labels[0]));
  if (c->scores != c->labels[1]) {
    TN_TRY(put_rows_last(c, c->scores));
  }
  for (uint32_t i = 1; i + 1 < c->n; ++i) {
    TN_TRY(put_rows_last(c, c->labels[i]));
  }
  return tn_sched_cache_write(c->r->s, c->labels[c->n - 1], 0, "local", &c->out);
}

/* ---- loops ---- */

/* The last product: loops over blocks of rows outside, tiles inside. */
static tn_status order_last(chain *c) {
  enum { TILE_ROWS = 4 };
  tn_contraction o;
  const tn_node *s[3];
  const tn_node *v[3];
  const tn_node *order[TN_RULE_MAX_LOOPS + 6];
  uint32_t n = 0;
  int64_t rounds = 1;
  tn_sched *sched = c->r->s;
  TN_TRY(tn_contraction_find(c->r, c->labels[c->n - 1], &o));
  c->o_sum = o.nest.loops[o.nest.n_loops - 1].var;
  const int64_t of_rows[] = {-1, c->rows / TILE_ROWS, TILE_ROWS};
  const int64_t of_columns[] = {-1, c->vectors, c->lanes};
  TN_TRY(tn_sched_split(sched, o.nest.loops[o.rows].var, 3, of_rows, s));
  TN_TRY(tn_sched_split(sched, o.nest.loops[o.lanes].var, 3, of_columns, v));
  for (uint32_t i = 0; i + 1 < o.nest.n_loops; ++i) {
    if ((int32_t)i != o.rows && (int32_t)i != o.lanes) {
      order[n++] = o.nest.loops[i].var;
      rounds *= o.nest.loops[i].n == TN_RULE_OPEN ? 1 : o.nest.loops[i].n;
    }
  }
  uint32_t n_outer = n;
  const tn_node *inner[] = {s[0], s[1], v[0], c->o_sum, s[2], v[1], v[2]};
  for (uint32_t i = 0; i < sizeof inner / sizeof *inner; ++i) {
    order[n++] = inner[i];
  }
  TN_TRY(tn_sched_reorder(sched, n, order));
  c->block = s[0];
  c->o_tile = v[0];
  bool is_heavy = tn_rule_is_heavy(&o.nest);
  if (n_outer > 0) {
    TN_TRY(tn_rule_fuse(c->r, order, n_outer, &c->heads));
  }
  c->shared = !is_heavy ? NULL : rounds > 1 ? c->heads : c->block;
  return tn_sched_reverse_compute_at(sched, c->out, c->o_tile);
}

/* The first product in tiles, in a block of rows. */
static tn_status order_first(chain *c) {
  tn_contraction p;
  const tn_node *t[2];
  const tn_node *s[2];
  tn_sched *sched = c->r->s;
  TN_TRY(tn_contraction_find(c->r, c->labels[0], &p));
  if (p.rows == TN_TILE_NO_LOOP || p.rows + 2 > (int32_t)p.nest.n_loops) {
    return TN_ERR(TN_INVALID, "no loop of columns");
  }
  c->p_sum = p.nest.loops[p.nest.n_loops - 1].var;
  TN_TRY(tn_sched_split(sched, p.nest.loops[p.rows].var, 2, (int64_t[]){-1, c->tall}, t));
  TN_TRY(tn_sched_split(sched, p.nest.loops[p.lanes].var, 2, (int64_t[]){-1, c->lanes}, s));
  c->p_tile = t[0];
  TN_TRY(tn_sched_reorder(sched, 5, (const tn_node *[]){t[0], c->p_sum, t[1], s[0], s[1]}));
  return tn_sched_reverse_compute_at(sched, c->scores, c->p_tile);
}

static tn_status place(chain *c) {
  TN_TRY(order_last(c));
  for (uint32_t i = c->n - 1; i-- > 1;) {
    TN_TRY(tn_sched_compute_at(c->r->s, c->labels[i], c->block));
  }
  if (c->scores != c->labels[1]) {
    TN_TRY(tn_sched_compute_at(c->r->s, c->scores, c->block));
  }
  TN_TRY(tn_sched_compute_at(c->r->s, c->labels[0], c->block));
  TN_TRY(tn_sched_compute_at(c->r->s, c->copy, c->block));
  if (c->values != NULL) {
    TN_TRY(tn_sched_compute_at(c->r->s, c->values, c->heads));
  }
  return order_first(c);
}

/* ---- marks ---- */

/* The innermost loop in vectors, those between it and `below` unrolled. */
static tn_status mark_tile(chain *c, const tn_node *label, const tn_node *below) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_rule_loops(c->r, label, TN_SCHED_MAX_LOOPS, loops);
  if (n == 0) {
    return TN_ERR(TN_INVALID, "no loops");
  }
  TN_TRY(tn_sched_vectorize(c->r->s, loops[n - 1]));
  for (uint32_t i = n - 1; i-- > 0 && loops[i] != below;) {
    TN_TRY(tn_sched_unroll(c->r->s, loops[i]));
  }
  return NULL;
}

/* Cuts the loop along which a block stores side by side into vectors and puts these innermost;
 * `first`: its outermost loop below `below` that is not that one. */
static tn_status cut_lanes(chain *c, const tn_node *label, const tn_node *below,
                           const tn_node **out_first, const tn_node *out_parts[2]) {
  tn_rule_nest nest;
  const tn_node *order[TN_RULE_MAX_LOOPS + 2];
  uint32_t n = 0;
  TN_TRY(tn_rule_look(c->r, label, &nest));
  const tn_rule_access *store = tn_rule_store(&nest);
  uint32_t begin = 0;
  while (begin < nest.n_loops && nest.loops[begin].var != below) {
    ++begin;
  }
  uint32_t lanes = nest.n_loops;
  for (uint32_t i = begin + 1; store != NULL && i < nest.n_loops; ++i) {
    lanes = tn_rule_moves_by(store, i, 1) ? i : lanes;
  }
  if (lanes == nest.n_loops) {
    return TN_ERR(TN_INVALID, "no loop stores side by side");
  }
  TN_TRY(tn_sched_split(c->r->s, nest.loops[lanes].var, 2, (int64_t[]){-1, c->lanes}, out_parts));
  for (uint32_t i = begin + 1; i < nest.n_loops; ++i) {
    if (i != lanes) {
      order[n++] = nest.loops[i].var;
    }
  }
  *out_first = n == 0 ? NULL : order[0];
  order[n++] = out_parts[0];
  order[n++] = out_parts[1];
  return tn_sched_reorder(c->r->s, n, order);
}

static tn_status mark_between(chain *c, const tn_node *label) {
  const tn_node *first = NULL;
  const tn_node *parts[2];
  const tn_node *init = NULL;
  bool is_sum = !tn_rule_is_spatial(tn_sched_site(c->r->s, label));
  TN_TRY(cut_lanes(c, label, c->block, &first, parts));
  if (is_sum && first != NULL) {
    TN_TRY(tn_sched_decompose_reduction(c->r->s, label, first, &init));
    TN_TRY(mark_tile(c, init, c->block));
    TN_TRY(tn_sched_unroll(c->r->s, parts[0]));
  }
  return tn_sched_vectorize(c->r->s, parts[1]);
}

static tn_status mark_product(chain *c, const tn_node *label, const tn_node *sum,
                              const tn_node *tile) {
  const tn_node *init = NULL;
  TN_TRY(tn_sched_decompose_reduction(c->r->s, label, sum, &init));
  TN_TRY(mark_tile(c, init, tile));
  return mark_tile(c, label, sum);
}

static tn_status set_marks(chain *c) {
  const tn_node *first = NULL;
  const tn_node *parts[2];
  const tn_node *out_loops[TN_SCHED_MAX_LOOPS];
  TN_TRY(cut_lanes(c, c->scores, c->p_tile, &first, parts));
  TN_TRY(mark_tile(c, c->scores, c->p_tile));
  for (uint32_t i = 1; i + 1 < c->n; ++i) {
    TN_TRY(c->labels[i] == c->scores ? NULL : mark_between(c, c->labels[i]));
  }
  uint32_t n = tn_rule_loops(c->r, c->out, TN_SCHED_MAX_LOOPS, out_loops);
  if (n > 0) {
    TN_TRY(tn_sched_split(c->r->s, out_loops[n - 1], 2, (int64_t[]){-1, c->lanes}, parts));
    TN_TRY(mark_tile(c, c->out, c->o_tile));
  }
  if (c->values != NULL) {
    TN_TRY(cut_lanes(c, c->values, c->heads, &first, parts));
    TN_TRY(tn_sched_vectorize(c->r->s, parts[1]));
  }
  TN_TRY(mark_product(c, c->labels[0], c->p_sum, c->p_tile));
  TN_TRY(mark_product(c, c->labels[c->n - 1], c->o_sum, c->o_tile));
  return c->shared == NULL ? NULL : tn_sched_parallel(c->r->s, c->shared);
}

tn_status tn_rule_row_blocks(tn_rules *r, uint32_t n_blocks, const tn_node *const *labels) {
  chain c = {.r = r, .n = n_blocks, .labels = labels};
  TN_TRY(find_chain(&c));
  TN_TRY(lay_out(&c));
  TN_TRY(place(&c));
  return set_marks(&c);
}
