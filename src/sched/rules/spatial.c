/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Blocks whose axes are all spatial: element-wise, broadcast, transposes, gathers, padding.
 *
 *   for i, j, k in T.grid(8, 6, 10):         for f_0 in T.parallel(60):
 *       B[i, j, k] = A[i, j, k] + 1     ->       for f_1 in T.vectorized(8):
 *                                                    B[..] = A[..] + 1       # f_0 * 8 + f_1
 *
 * The innermost loops are made one as far as every access walks them in step; what is left outside is
 * what threads share. A loop of open extent is cut into turns that are worth a thread, so that small
 * sizes stay on one. */
#include "sched/rules/rules.h"

enum {
  ENOUGH_ROUNDS = 16, /* so that two threads wait for a sixteenth of the work at most */
  TURN_WORK = 1 << 15 /* operations of a turn of a loop of open extent */
};

/* The loop that should be innermost: the one along which elements are stored side by side. */
static uint32_t find_inner(const tn_rule_nest *nest) {
  const tn_rule_access *store = tn_rule_store(nest);
  for (uint32_t i = nest->n_loops; store != NULL && i-- > 0;) {
    if (nest->loops[i].n != 1 && tn_rule_moves_by(store, i, 1)) {
      return i;
    }
  }
  return nest->n_loops - 1;
}

/* A row that is stored as s rows, one of each remainder (strided.c): a loop for the remainders, inside
 * of it one whose rounds are stored side by side. */
static tn_status part_row(tn_rules *r, tn_rule_nest *nest, bool *out_is_parted) {
  enum { MOST_PARTS = 4 };
  const tn_rule_access *store = tn_rule_store(nest);
  const tn_node *last = store == NULL ? NULL : store->node->in[store->node->n_in - 1];
  const tn_node *parts[2];
  if (last == NULL || !tn_is(last, TN_OP_FLOORDIV) || !tn_is(last->in[TN_B], TN_OP_INT) ||
      last->in[TN_B]->attr.i64 > MOST_PARTS || store->strides[nest->n_loops - 1] != NULL) {
    return NULL;
  }
  const int64_t factors[] = {-1, last->in[TN_B]->attr.i64};
  TN_TRY(tn_sched_split(r->s, nest->loops[nest->n_loops - 1].var, 2, factors, parts));
  TN_TRY(tn_sched_reorder(r->s, 2, (const tn_node *[]){parts[1], parts[0]}));
  *out_is_parted = true;
  return tn_rule_look(r, nest->label, nest);
}

static tn_status put_inner_last(tn_rules *r, tn_rule_nest *nest) {
  uint32_t inner = find_inner(nest);
  const tn_node *order[TN_RULE_MAX_LOOPS];
  uint32_t n = 0;
  if (inner + 1 == nest->n_loops) {
    return NULL;
  }
  for (uint32_t i = inner + 1; i < nest->n_loops; ++i) {
    order[n++] = nest->loops[i].var;
  }
  order[n++] = nest->loops[inner].var;
  TN_TRY(tn_sched_reorder(r->s, n, order));
  return tn_rule_look(r, nest->label, nest);
}

/* Lanes for a loop: a full vector, or all of a short loop. 0: none are worth it. */
static int64_t choose_lanes(const tn_rules *r, const tn_rule_nest *nest, int64_t n) {
  int64_t full = tn_rule_lanes(r, nest);
  if (n == TN_RULE_OPEN || n >= 2 * full || n == full) {
    return full;
  }
  return n >= full || n >= 4 ? n : 0;
}

/* The loops outside of the lanes: as many of the outermost as there need to be are shared. One of open
 * extent, as a batch, may well have one round. */
static tn_status share(tn_rules *r, const tn_rule_nest *nest, uint32_t n_outer,
                       const tn_node *inner, int64_t n_inner) {
  const tn_node *loops[TN_RULE_MAX_LOOPS + 1];
  const tn_node *shared = NULL;
  int64_t rounds = 1;
  bool is_open = false;
  uint32_t n = 0;
  while (n < n_outer && rounds < ENOUGH_ROUNDS) {
    is_open = is_open || nest->loops[n].n == TN_RULE_OPEN;
    int64_t own = nest->loops[n].n == TN_RULE_OPEN ? 1 : nest->loops[n].n;
    rounds *= own < ENOUGH_ROUNDS ? own : ENOUGH_ROUNDS; /* more of them make no difference */
    loops[n] = nest->loops[n].var;
    ++n;
  }
  if (n == n_outer && rounds < ENOUGH_ROUNDS && inner != NULL && n_inner != 1) {
    loops[n++] = inner;
    rounds = 2;
  }
  if (n == 0 || (rounds == 1 && !is_open) || !tn_rule_is_heavy(nest)) {
    return NULL;
  }
  TN_TRY(tn_rule_fuse(r, loops, n, &shared));
  return tn_sched_parallel(r->s, shared);
}

/* Lanes still store side by side: the indices of loops that were joined became plain again. */
static tn_status check_lanes(tn_rules *r, const tn_node *label, const tn_node *lanes) {
  tn_rule_nest nest;
  TN_TRY(tn_rule_look(r, label, &nest));
  const tn_rule_access *store = tn_rule_store(&nest);
  for (uint32_t i = 0; store != NULL && i < nest.n_loops; ++i) {
    if (nest.loops[i].var == lanes && nest.loops[i].n > 1 && store->strides[i] == NULL) {
      return TN_ERR(TN_INVALID, "the indices of joined loops stay entangled");
    }
  }
  return NULL;
}

/* All of the nest is one loop of open extent. */
static tn_status share_open(tn_rules *r, const tn_rule_nest *nest, const tn_node *loop,
                            int64_t lanes) {
  const tn_node *parts[3];
  int64_t turn = (int64_t)((double)TURN_WORK / (nest->work + 1)) / lanes;
  TN_TRY(tn_sched_split(r->s, loop, 3, (int64_t[]){-1, turn < 1 ? 1 : turn, lanes}, parts));
  TN_TRY(check_lanes(r, nest->label, parts[2]));
  TN_TRY(tn_sched_vectorize(r->s, parts[2]));
  return tn_sched_parallel(r->s, parts[0]);
}

static tn_status walk(tn_rules *r, const tn_node *label, bool joins) {
  tn_rule_nest nest;
  const tn_node *group[TN_RULE_MAX_LOOPS];
  const tn_node *inner = NULL;
  const tn_node *parts[2] = {NULL, NULL};
  TN_TRY(tn_rule_look(r, label, &nest));
  if (nest.n_loops == 0) {
    return NULL;
  }
  bool is_parted = false; /* then indices of joined loops would not become plain again */
  TN_TRY(part_row(r, &nest, &is_parted));
  TN_TRY(put_inner_last(r, &nest));
  uint32_t first = nest.n_loops - 1;
  while (first > 0 && joins && !is_parted && tn_rule_is_joint(r, &nest, first - 1)) {
    --first;
  }
  for (uint32_t i = first; i < nest.n_loops; ++i) {
    group[i - first] = nest.loops[i].var;
  }
  TN_TRY(tn_rule_fuse(r, group, nest.n_loops - first, &inner));
  int64_t n = tn_rule_rounds(&nest, first, nest.n_loops);
  int64_t lanes = choose_lanes(r, &nest, n);
  if (first == 0 && n == TN_RULE_OPEN) {
    return share_open(r, &nest, inner, lanes);
  }
  if (lanes == 0) {
    return share(r, &nest, first, inner, n);
  }
  TN_TRY(tn_sched_split(r->s, inner, 2, (int64_t[]){-1, lanes}, parts));
  TN_TRY(joins ? check_lanes(r, label, parts[1]) : NULL);
  TN_TRY(tn_sched_vectorize(r->s, parts[1]));
  return share(r, &nest, first, parts[0], n == lanes ? 1 : n);
}

tn_status tn_rule_spatial(tn_rules *r, const tn_node *label) {
  tn_sched *before = tn_sched_copy(r->s);
  tn_status st = walk(r, label, true);
  if (st == NULL) {
    tn_sched_free(before);
    return NULL;
  }
  tn_rule_undo(r, before, st);
  return walk(r, label, false);
}

tn_status tn_rule_padding(tn_rules *r, const tn_node *label) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *padding = NULL;
  if (tn_rule_loops(r, label, TN_SCHED_MAX_LOOPS, loops) == 0) {
    return TN_ERR(TN_INVALID, "no loops");
  }
  TN_TRY(tn_rule_apply(r, "decompose_padding", 2, (const tn_node *[]){label, loops[0]}, &padding));
  TN_TRY(tn_rule_spatial(r, padding));
  return tn_rule_spatial(r, label);
}

tn_status tn_rule_outer(tn_rules *r, const tn_node *label) {
  tn_rule_nest nest;
  TN_TRY(tn_rule_look(r, label, &nest));
  uint32_t n = 0;
  while (n < nest.n_loops && !nest.loops[n].is_reduce) {
    ++n;
  }
  return share(r, &nest, n, NULL, 1);
}
