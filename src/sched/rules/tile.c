/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Sums of products in register tiles:
 *
 *   for i0 in T.parallel(..):                      # columns of a panel, or rows
 *       copy of the panel of B, lanes side by side # where enough tiles read it
 *       for j0, ..:                                # tiles
 *           S[4, 24] = 0
 *           for k: for i1, j1 unrolled: S[i1, j1:j1+8] += A[.., k] * B[k, ..]
 *           C[..] = max(S[4, 24] + bias, 0)        # what follows the sum, in the tile
 *
 * The sum's buffer is the function's own and as small as a tile: what follows reads it there; where
 * nothing does, a copy writes it out. The order of each sum stays, so results are the same to the
 * last bit as those of the loops in their order. */
#include "sched/rules/tile.h"

#include <stdlib.h>
#include <string.h>

#include "sched/rewrite.h"

enum {
  ENOUGH_ROUNDS = 8,
  FEW_PRODUCTS = 1 << 18, /* ten microseconds of one thread */
  MAX_BODY = 64,          /* multiply-adds of an unrolled step */
  MAX_PACKED_BODY = 128   /* the same of packed operands, whose steps follow each other in memory */
};

typedef struct tiling {
  tn_rules *r;
  const tn_node *sum;   /* the block */
  const tn_node *after; /* what reads its result in the tile */
  const tn_node *much;  /* what reads that: too much code to be there for each vector; NULL: none */
  const tn_node *copy;  /* of `many`; NULL: none */
  const tn_node *pad;   /* pads what a lanewise window reads, for it alone; NULL: none */
  const tn_node *pad_at; /* the loop that it moves into */
  tn_contraction c;
  tn_tile t;
  const tn_node *rows[2]; /* outer and inner part of a loop; [0] NULL: there is none */
  const tn_node *more[2];
  const tn_node *lanes[4]; /* panel groups, panels, vectors, lanes */
  uint32_t n_outer;
  const tn_node *outer[TN_RULE_MAX_LOOPS]; /* spatial loops around all tiles */
  uint32_t n_sum;
  const tn_node *of_sum[TN_RULE_MAX_LOOPS]; /* the reduction's */
  const tn_node *tile;                      /* the innermost loop around a tile */
  const tn_node *shared;                    /* the loop that threads share; NULL: none */
} tiling;

/* ---- what reads the result ---- */

/* buffer[v0, v1, ..] with the first axes of the block, in their order; 0 for an axis of one step. */
static bool is_at_axes(const tn_node *access, uint32_t first, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  uint32_t n = access->n_in - first;
  for (uint32_t i = 0; i < n; ++i) {
    bool is_one = i < iters->n_in && tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0) &&
                  tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1);
    if (i >= iters->n_in || (access->in[first + i] != iters->in[i]->in[TN_ITER_VAR] &&
                             !(is_one && tn_is_int(access->in[first + i], 0)))) {
      return false;
    }
  }
  return true;
}

typedef struct reads_ctx {
  const tn_node *buffer;
  const tn_node *block;
} reads_ctx;

static tn_visit find_other_read(const tn_node *n, void *ctx) {
  const reads_ctx *c = ctx;
  bool is_other = tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == c->buffer &&
                  !is_at_axes(n, TN_LOAD_INDICES, c->block);
  return is_other ? TN_STOP : TN_DESCEND;
}

/* The one block that reads the result, element by element; NULL: none, or it may not be moved. */
static const tn_node *find_reader(const tn_tree *tree, const tn_node *block) {
  const tn_node *scope = tn_tree_scope(tree, block);
  const tn_node *store = block->in[TN_BLOCK_BODY];
  const tn_node *buffer = store->in[TN_STORE_BUFFER];
  const tn_node *readers[2];
  if (scope == NULL || !tn_scope_allocates(scope, buffer) ||
      tn_block_consumers(tree, block, 2, readers) != 1) {
    return NULL;
  }
  const tn_node *reader = readers[0];
  const tn_node *body = reader->in[TN_BLOCK_BODY];
  reads_ctx c = {buffer, reader};
  uint32_t ndim = tn_buffer_ndim(buffer);
  bool is_fit = reader->in[TN_BLOCK_ITERS]->n_in == ndim && tn_is(body, TN_OP_STORE) &&
                body->n_in - TN_STORE_INDICES == ndim &&
                is_at_axes(body, TN_STORE_INDICES, reader) &&
                tn_walk_distinct(body, find_other_read, &c);
  for (uint32_t i = 0; is_fit && i < ndim; ++i) {
    is_fit = reader->in[TN_BLOCK_ITERS]->in[i]->attr.i64 == TN_ITER_SPATIAL;
  }
  return is_fit ? reader : NULL;
}

/* Functions, as of GELU, are too much code for a copy for each vector of the tile: sums would leave
 * the registers in between. They run in a loop, of what is copied out of the registers first. */
static bool is_much(tiling *w, const tn_node *label) {
  const double few = 16; /* operations: about a function's */
  tn_rule_nest nest;
  tn_status st = tn_rule_look(w->r, label, &nest);
  bool is_it = st == NULL && nest.work >= few;
  tn_status_free(st);
  return is_it;
}

/* The block that writes results out of a tile, and the memory of the tile. */
static tn_status prepare(tiling *w) {
  const tn_tree *tree = tn_sched_tree(w->r->s, w->sum);
  const tn_node *block = tn_sched_site(w->r->s, w->sum);
  tn_ir *ir = w->r->s->ir;
  bool is_plain = is_at_axes(block->in[TN_BLOCK_BODY], TN_STORE_INDICES, block);
  const tn_node *reader = is_plain ? find_reader(tree, block) : NULL;
  if (reader == NULL) {
    TN_TRY(tn_sched_cache_write(w->r->s, w->sum, 0, "local", &w->after));
    return is_plain ? tn_rule_collapse(w->r, w->sum, w->after) : NULL;
  }
  w->after = reader->in[TN_BLOCK_LABEL];
  TN_TRY(tn_rule_collapse(w->r, w->sum, w->after));
  if (is_much(w, w->after)) {
    w->much = w->after;
    return tn_sched_cache_write(w->r->s, w->sum, 0, "local", &w->after);
  }
  const tn_node *args[] = {w->sum, tn_int(ir, TN_DT_I32, 0), tn_str(ir, "local")};
  return tn_rule_apply(w->r, "set_scope", 3, args, NULL);
}

/* ---- the copy ---- */

/* Place of a buffer among what the block says that it reads; NULL: it does not. */
static const tn_node *read_arg(tn_ir *ir, const tn_node *block, const tn_node *buffer) {
  const tn_node *region = NULL;
  uint32_t i = 0;
  while ((region = tn_block_region(block, false, i)) != NULL &&
         region->in[TN_REGION_BUFFER] != buffer) {
    ++i;
  }
  const tn_node *pair[2] = {tn_str(ir, "read"), tn_int(ir, TN_DT_I32, i)};
  return region == NULL ? NULL : tn_list(ir, 2, pair);
}

/* lambda ..: the same indices, that of the lanes' axis last. */
static const tn_node *lanes_last(tn_ir *ir, const tn_node *load, const tn_node *axis) {
  const tn_node *params[TN_MAX_NDIM];
  const tn_node *results[TN_MAX_NDIM];
  const tn_node *last = NULL;
  uint32_t n = load->n_in - TN_LOAD_INDICES;
  uint32_t n_results = 0;
  for (uint32_t i = 0; i < n; ++i) {
    params[i] = tn_var_new(ir, "i", load->in[TN_LOAD_INDICES + i]->dtype);
    if (load->in[TN_LOAD_INDICES + i] == axis) {
      last = params[i];
    } else {
      results[n_results++] = params[i];
    }
  }
  if (last == NULL) {
    return NULL;
  }
  results[n_results++] = last;
  const tn_node *in[3] = {tn_list(ir, n, params), tn_list(ir, n_results, results), tn_none(ir)};
  return tn_node_new(ir, TN_OP_LAMBDA, TN_DT_HANDLE, (tn_attr){0}, 3, in);
}

/* The axis that is the loop. */
static const tn_node *axis_of(const tn_node *block, const tn_node *loop) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->in[TN_ITER_BINDING] == loop) {
      return iters->in[i]->in[TN_ITER_VAR];
    }
  }
  return NULL;
}

static tn_visit find_buffer(const tn_node *n, void *ctx) {
  const tn_node **load = ctx;
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == (*load)->in[TN_LOAD_BUFFER]) {
    *load = n;
    return TN_STOP;
  }
  return TN_DESCEND;
}

tn_status tn_rule_copy_for_lanes(tn_rules *r, const tn_node *sum, const tn_node *buffer,
                                 const tn_node *loop, const tn_node **out_copy) {
  tn_ir *ir = r->s->ir;
  const tn_node *read = read_arg(ir, tn_sched_site(r->s, sum), buffer);
  if (read == NULL) {
    return TN_ERR(TN_INVALID, "the block does not say that it reads '%s'", buffer->attr.text);
  }
  TN_TRY(tn_rule_apply(r, "reindex", 2, (const tn_node *[]){sum, read}, out_copy));
  const tn_node *block = tn_sched_site(r->s, sum);
  const tn_node *copy = tn_sched_site(r->s, *out_copy);
  const tn_node *load = copy->in[TN_BLOCK_BODY]; /* stands for the buffer that it stores to */
  buffer = load->in[TN_STORE_BUFFER];
  load = tn_load_new(ir, buffer, load->n_in - TN_STORE_INDICES, load->in + TN_STORE_INDICES);
  (void)tn_walk_distinct(block->in[TN_BLOCK_BODY], find_buffer, &load);
  const tn_node *axis = axis_of(block, loop);
  const tn_node *map = axis == NULL ? NULL : lanes_last(ir, load, axis);
  if (map == NULL) {
    return TN_ERR(TN_INVALID, "the copy has no index for the lanes");
  }
  const tn_node *args[] = {sum, read_arg(ir, block, buffer), map};
  return tn_rule_apply(r, "transform_layout", 3, args, NULL);
}

static tn_status make_copy(tiling *w) {
  return tn_rule_copy_for_lanes(w->r, w->sum, w->c.many->buffer,
                                w->c.nest.loops[w->c.lanes].var, &w->copy);
}

/* ---- loops ---- */

static tn_status split_two(tiling *w, int32_t loop, int64_t size, const tn_node **out) {
  return loop == TN_TILE_NO_LOOP
             ? NULL
             : tn_sched_split(w->r->s, w->c.nest.loops[loop].var, 2, (int64_t[]){-1, size}, out);
}

static tn_status split_loops(tiling *w) {
  const tn_rule_nest *nest = &w->c.nest;
  for (uint32_t i = 0; i < nest->n_loops; ++i) {
    if ((int32_t)i == w->c.rows || (int32_t)i == w->c.more || (int32_t)i == w->c.lanes) {
      continue;
    }
    if (nest->loops[i].is_reduce) {
      w->of_sum[w->n_sum++] = nest->loops[i].var;
    } else {
      w->outer[w->n_outer++] = nest->loops[i].var;
    }
  }
  TN_TRY(split_two(w, w->c.rows, w->t.rows, w->rows));
  TN_TRY(split_two(w, w->c.more, w->t.more, w->more));
  int64_t panels = w->t.panels < 1 ? 1 : w->t.panels;
  int64_t n = nest->loops[w->c.lanes].n;
  int64_t wide = w->t.vectors * w->t.lanes;
  panels = n != TN_RULE_OPEN && (n + wide - 1) / wide < panels ? (n + wide - 1) / wide : panels;
  panels = panels < 1 ? 1 : panels;
  const int64_t factors[] = {-1, panels, w->t.vectors, w->t.lanes};
  return tn_sched_split(w->r->s, nest->loops[w->c.lanes].var, 4, factors, w->lanes);
}

static void push(const tn_node **list, uint32_t *n, const tn_node *loop) {
  if (loop != NULL) {
    list[(*n)++] = loop;
  }
}

/* Those that a window does not slide along first: padding moves to the last of them. */
static void part_outer(tiling *w) {
  const tn_node *sliding[TN_RULE_MAX_LOOPS];
  uint32_t n_sliding = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->c.nest.n_loops; ++i) {
    const tn_node *var = w->c.nest.loops[i].var;
    bool is_outer = false;
    for (uint32_t k = 0; k < w->n_outer; ++k) {
      is_outer = is_outer || w->outer[k] == var;
    }
    bool slides = is_outer && (tn_contraction_slides(&w->c, w->c.one, i) ||
                               tn_contraction_slides(&w->c, w->c.many, i));
    if (slides) {
      sliding[n_sliding++] = var;
    } else if (is_outer) {
      w->outer[n++] = var;
    }
  }
  w->pad_at = n > 0 ? w->outer[n - 1] : NULL;
  memcpy(w->outer + n, sliding, n_sliding * sizeof *sliding);
}

static tn_status order_loops(tiling *w) {
  const tn_node *order[TN_RULE_MAX_LOOPS + 8];
  uint32_t n = 0;
  if (w->pad != NULL) {
    part_outer(w);
  }
  bool is_packed = w->c.is_packed; /* a panel stays in cache while all rows go by */
  push(order, &n, is_packed ? w->more[0] : w->c.panel > 0 ? w->lanes[0] : NULL);
  for (uint32_t i = 0; i < w->n_outer; ++i) {
    push(order, &n, w->outer[i]);
  }
  bool is_copied = w->copy != NULL;
  push(order, &n, is_copied ? w->lanes[0] : NULL);
  push(order, &n, w->rows[0]);
  push(order, &n, is_packed ? NULL : w->more[0]);
  push(order, &n, is_copied || w->c.panel > 0 ? NULL : w->lanes[0]);
  push(order, &n, w->lanes[1]);
  for (uint32_t i = 0; i < w->n_sum; ++i) {
    push(order, &n, w->of_sum[i]);
  }
  push(order, &n, w->rows[1]);
  push(order, &n, w->more[1]);
  push(order, &n, w->lanes[2]);
  push(order, &n, w->lanes[3]);
  w->tile = w->lanes[1];
  return tn_sched_reorder(w->r->s, n, order);
}

static int64_t rounds_of(tiling *w, const tn_node *loop) {
  const tn_node *extent = tn_sched_site(w->r->s, loop)->in[TN_FOR_EXTENT];
  return tn_is(extent, TN_OP_INT) ? extent->attr.i64 : (int64_t)1 << 20;
}

/* The loops outside, as one where they are many enough for threads. What stands inside of `copy`'s
 * place is shared instead when that has few rounds: then threads share a panel. */
static tn_status choose_shared(tiling *w) {
  const tn_node *loops[TN_RULE_MAX_LOOPS];
  uint32_t n = 0;
  int64_t rounds = 1;
  int64_t total = tn_rule_rounds(&w->c.nest, 0, w->c.nest.n_loops);
  if (total != TN_RULE_OPEN && total < FEW_PRODUCTS) {
    return NULL;
  }
  bool is_packed = w->c.is_packed || w->c.panel > 0;
  const tn_node *inner[] = {w->copy != NULL ? w->lanes[0] : w->rows[0],
                            w->copy != NULL || is_packed ? NULL : w->more[0],
                            w->copy != NULL || w->c.panel > 0 ? NULL : w->lanes[0]};
  const tn_node *first = w->c.is_packed ? w->more[0] : w->c.panel > 0 ? w->lanes[0] : NULL;
  if (first != NULL) {
    rounds *= rounds_of(w, first);
    loops[n++] = first;
  }
  for (uint32_t i = 0; i < w->n_outer; ++i) { /* a batch of open extent may well be 1 */
    const tn_node *extent = tn_sched_site(w->r->s, w->outer[i])->in[TN_FOR_EXTENT];
    rounds *= tn_is(extent, TN_OP_INT) ? extent->attr.i64 : 1;
    loops[n++] = w->outer[i];
    if (w->pad != NULL && w->outer[i] == w->pad_at) {
      TN_TRY(tn_rule_fuse(w->r, loops, n, &w->shared));
      w->pad_at = w->shared;
      w->shared = rounds > 1 ? w->shared : NULL;
      return NULL;
    }
  }
  for (uint32_t i = 0; i < 3 && rounds < ENOUGH_ROUNDS; ++i) {
    if (inner[i] != NULL) {
      rounds *= rounds_of(w, inner[i]);
      loops[n++] = inner[i];
    }
  }
  bool is_few = rounds < ENOUGH_ROUNDS && rounds % 2 != 0;
  if (is_few && w->copy != NULL && w->rows[0] != NULL && rounds_of(w, w->rows[0]) > 1) {
    w->shared = w->rows[0];
    return NULL;
  }
  if (n == 0 || (rounds == 1 && total != TN_RULE_OPEN)) {
    return NULL;
  }
  const tn_node *last = loops[n - 1];
  TN_TRY(tn_rule_fuse(w->r, loops, n, &w->shared));
  w->lanes[0] = last == w->lanes[0] ? w->shared : w->lanes[0];
  return NULL;
}

/* ---- inside of a tile ---- */

typedef enum marks { IN_TURN, UNROLLED } marks;

/* Loops of a block below the tile's: the last one in vectors, the others as `how` says. */
static tn_status mark_block(tiling *w, const tn_node *label, const tn_node *below, bool is_open,
                            marks how) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *parts[2];
  uint32_t n = tn_rule_loops(w->r, label, TN_SCHED_MAX_LOOPS, loops);
  uint32_t first = 0;
  while (first < n && loops[first] != below) {
    ++first;
  }
  if (first + 1 >= n) {
    return TN_ERR(TN_INVALID, "no loops in the tile");
  }
  const tn_node *last = loops[n - 1];
  if (is_open && rounds_of(w, last) != w->t.lanes) {
    TN_TRY(tn_sched_split(w->r->s, last, 2, (int64_t[]){-1, w->t.lanes}, parts));
    TN_TRY(how == UNROLLED ? tn_sched_unroll(w->r->s, parts[0]) : NULL);
    last = parts[1];
  }
  TN_TRY(tn_sched_vectorize(w->r->s, last));
  for (uint32_t i = first + 1; i + 1 < n && how == UNROLLED; ++i) {
    TN_TRY(tn_sched_unroll(w->r->s, loops[i]));
  }
  return NULL;
}

static tn_status mark_reduction(tiling *w) {
  const tn_node *init = NULL;
  int64_t body = w->t.rows * w->t.more * w->t.vectors;
  int64_t most = w->c.is_packed || w->c.is_lanewise ? MAX_PACKED_BODY : MAX_BODY;
  TN_TRY(tn_sched_decompose_reduction(w->r->s, w->sum, w->of_sum[0], &init));
  TN_TRY(mark_block(w, init, w->tile, false, UNROLLED));
  for (uint32_t i = w->n_sum; i-- > 0 && (w->c.is_window || w->c.is_packed);) {
    int64_t rounds = rounds_of(w, w->of_sum[i]);
    if (rounds > 1 && body * rounds <= most) {
      TN_TRY(tn_sched_unroll(w->r->s, w->of_sum[i]));
      body *= rounds;
    } else if (rounds > 1) {
      break;
    }
  }
  return mark_block(w, w->sum, w->of_sum[w->n_sum - 1], false, UNROLLED);
}

/* The copy of a panel: its lanes in vectors, inside of everything else. */
static tn_status place_copy(tiling *w) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *order[TN_SCHED_MAX_LOOPS];
  const tn_node *parts[2];
  TN_TRY(tn_sched_compute_at(w->r->s, w->copy, w->lanes[0]));
  uint32_t n = tn_rule_loops(w->r, w->copy, TN_SCHED_MAX_LOOPS, loops);
  tn_rule_nest nest;
  uint32_t first = 0;
  while (first < n && loops[first] != w->lanes[0]) {
    ++first;
  }
  TN_TRY(tn_rule_look(w->r, w->copy, &nest));
  const tn_rule_access *store = tn_rule_store(&nest);
  uint32_t lanes = nest.n_loops;
  for (uint32_t i = first + 1; i < nest.n_loops; ++i) {
    lanes = tn_rule_moves_by(store, i, 1) ? i : lanes;
  }
  if (lanes == nest.n_loops || n != nest.n_loops) {
    return TN_ERR(TN_INVALID, "the copy has no loop of lanes");
  }
  TN_TRY(tn_sched_split(w->r->s, loops[lanes], 2, (int64_t[]){-1, w->t.lanes}, parts));
  uint32_t n_order = 0;
  for (uint32_t i = first + 1; i < n; ++i) {
    push(order, &n_order, i == lanes ? NULL : loops[i]);
  }
  order[n_order++] = parts[0];
  order[n_order++] = parts[1];
  if (n_order > 2) {
    TN_TRY(tn_sched_reorder(w->r->s, n_order, order));
  }
  TN_TRY(tn_sched_unroll(w->r->s, parts[0]));
  return tn_sched_vectorize(w->r->s, parts[1]);
}

/* ---- padding of a lanewise window ---- */

/* The block that makes what is read, for this reader alone; NULL: it comes from elsewhere. */
static const tn_node *find_pad(tiling *w, const tn_node *buffer) {
  const tn_tree *tree = tn_sched_tree(w->r->s, w->sum);
  const tn_node *scope = tn_tree_scope(tree, tn_sched_site(w->r->s, w->sum));
  const tn_node *users[TN_SCHED_MAX_BLOCKS];
  bool is_own = scope != NULL && tn_scope_allocates(scope, buffer) &&
                tn_scope_users(tree, scope, buffer, false, users) == 1 &&
                tn_scope_users(tree, scope, buffer, true, users) == 1;
  return is_own && tn_rule_is_spatial(users[0]) ? users[0]->in[TN_BLOCK_LABEL] : NULL;
}

/* Windows that overlap little read through the condition; for others a channel's picture is padded
 * right before it is used, and is in cache then. */
static tn_status look_at_pad(tiling *w) {
  const tn_rule_access *data = w->c.one;
  const tn_node *step = data->strides[w->c.rows];
  w->pad = find_pad(w, data->buffer);
  if (w->pad == NULL || (step != NULL && tn_is_int(step, w->c.nest.loops[w->c.lanes].n))) {
    return NULL;
  }
  TN_TRY(tn_sched_compute_inline(w->r->s, w->pad));
  w->pad = NULL;
  return tn_contraction_find(w->r, w->sum, &w->c);
}

static tn_status place_pad(tiling *w) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  TN_TRY(tn_sched_compute_at(w->r->s, w->pad, w->pad_at));
  uint32_t n = tn_rule_loops(w->r, w->pad, TN_SCHED_MAX_LOOPS, loops);
  if (n == 0 || rounds_of(w, loops[n - 1]) != w->t.lanes) {
    return TN_ERR(TN_INVALID, "the padding has no loop of lanes");
  }
  return tn_sched_vectorize(w->r->s, loops[n - 1]);
}

static tn_status do_steps(tiling *w) {
  TN_TRY(tn_rule_part_rows(w->r, w->sum));
  TN_TRY(tn_contraction_find(w->r, w->sum, &w->c));
  if (w->c.is_lanewise) {
    TN_TRY(look_at_pad(w));
  }
  TN_TRY(prepare(w));
  TN_TRY(tn_contraction_find(w->r, w->sum, &w->c));
  tn_tile_choose(w->r, &w->c, &w->t);
  if (!w->c.is_side_by_side && w->c.panel == 0 && w->t.panels == 0 && !w->c.is_window) {
    return TN_ERR(TN_INVALID, "lanes are apart, and too few rows for a copy");
  }
  if (w->t.panels > 0) {
    TN_TRY(make_copy(w));
  }
  TN_TRY(split_loops(w));
  if (w->n_sum == 0) {
    return TN_ERR(TN_INVALID, "no loop of the sum");
  }
  TN_TRY(order_loops(w));
  TN_TRY(choose_shared(w));
  TN_TRY(tn_sched_reverse_compute_at(w->r->s, w->after, w->tile));
  TN_TRY(w->much != NULL ? tn_sched_reverse_compute_at(w->r->s, w->much, w->tile) : NULL);
  if (w->copy != NULL) {
    TN_TRY(place_copy(w));
  }
  return w->pad != NULL && w->pad_at != NULL ? place_pad(w) : NULL;
}

static tn_status set_marks(tn_rules *r, void *ctx) {
  tiling *w = ctx;
  TN_TRY(mark_reduction(w));
  TN_TRY(mark_block(w, w->after, w->tile, true, UNROLLED));
  TN_TRY(w->much != NULL ? mark_block(w, w->much, w->tile, true, IN_TURN) : NULL);
  return w->shared == NULL ? NULL : tn_sched_parallel(r->s, w->shared);
}

tn_status tn_rule_tile(tn_rules *r, const tn_node *label) {
  tn_contraction found;
  TN_TRY(tn_contraction_find(r, label, &found)); /* before anything is made anew */
  tiling *w = calloc(1, sizeof *w);
  TN_CHECK(w != NULL, "out of memory");
  w->r = r;
  w->sum = label;
  tn_status st = do_steps(w);
  if (st == NULL) {
    tn_rule_mark_later(r, set_marks, w);
  } else {
    free(w);
  }
  return st;
}
