/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Several blocks that go over the same rows, some of them summing each row up, as softmax and the
 * norms do:
 *
 *   for i, k: M[i] = max(M[i], A[i, k])          for i in T.parallel(64):
 *   for i, k: E[i, k] = exp(A[i, k] - M[i])          M = max of A[i, ..]      # in lanes
 *   for i, k: S[i] += E[i, k]               ->       E[..] = exp(A[i, ..] - M)
 *   for i, k: B[i, k] = E[i, k] / S[i]               S = sum of E[..]
 *                                                    B[i, ..] = E[..] / S
 *
 * So a row is in the cache from the second pass on, and what is between takes the memory of a row. */
#include "sched/rules/tile.h"

#include "sched/rewrite.h"

enum { MAX_BLOCKS = 12, FEWEST_ROWS = 8 };

typedef struct rows {
  tn_rules *r;
  uint32_t n;
  const tn_node *const *labels;
  const tn_node *parts[MAX_BLOCKS]; /* of sums in lanes; NULL: none */
  bool is_sum[MAX_BLOCKS];
  uint32_t n_row_loops;
  bool is_heavy;
  int64_t lanes;
} rows;

/* A sum of products: what it reads is read again for other rows, so that rows are no way to go through
 * it. */
static bool is_product(const tn_rule_nest *nest, uint32_t n_row_loops) {
  for (uint32_t a = 0; a < nest->n_accesses; ++a) {
    for (uint32_t l = 0; l < n_row_loops; ++l) {
      if (nest->loops[l].n != 1 && tn_rule_moves_by(&nest->accesses[a], l, 0)) {
        return true;
      }
    }
  }
  return false;
}

/* A window over neighbours is for tiles. */
static bool is_window(tn_rules *r, const tn_node *label) {
  tn_contraction c;
  tn_status st = tn_contraction_find(r, label, &c);
  bool is_it = st == NULL && c.is_lanewise;
  tn_status_free(st);
  return is_it;
}

/* Outermost loops that all blocks have alike, none of them of a reduction. */
static tn_status find_rows(rows *w) {
  tn_rule_nest last;
  bool has_sum = false;
  double work = 0;
  TN_TRY(tn_rule_look(w->r, w->labels[w->n - 1], &last));
  w->n_row_loops = last.n_loops;
  for (uint32_t i = 0; i < w->n; ++i) {
    tn_rule_nest nest;
    TN_TRY(tn_rule_look(w->r, w->labels[i], &nest));
    uint32_t n = 0;
    while (n < nest.n_loops && n < w->n_row_loops && !nest.loops[n].is_reduce &&
           nest.loops[n].extent == last.loops[n].extent) {
      ++n;
    }
    w->n_row_loops = n;
    w->is_sum[i] = nest.n_loops > 0 && nest.loops[nest.n_loops - 1].is_reduce;
    has_sum = has_sum || w->is_sum[i];
    work += nest.work;
  }
  for (uint32_t i = 0; i < w->n; ++i) {
    tn_rule_nest nest;
    TN_TRY(tn_rule_look(w->r, w->labels[i], &nest));
    if (w->is_sum[i] && (is_product(&nest, w->n_row_loops) || is_window(w->r, w->labels[i]))) {
      return TN_ERR(TN_INVALID, "a product has no rows of its own");
    }
  }
  last.work = work;
  w->is_heavy = tn_rule_is_heavy(&last);
  w->lanes = tn_rule_lanes(w->r, &last);
  int64_t rounds = tn_rule_rounds(&last, 0, w->n_row_loops);
  bool is_many = rounds == TN_RULE_OPEN || rounds >= FEWEST_ROWS;
  if (!has_sum || w->is_sum[w->n - 1] || w->n_row_loops == 0 || !is_many ||
      w->n_row_loops == last.n_loops) {
    return TN_ERR(TN_INVALID, "no rows that are gone through several times");
  }
  return NULL;
}

/* The loops of a spatial block below that of the rows: as one where they can be, in vectors. */
static tn_status mark_spatial(rows *w, const tn_node *label, const tn_node *row) {
  tn_rule_nest nest;
  const tn_node *loops[TN_RULE_MAX_LOOPS];
  const tn_node *inner = NULL;
  const tn_node *parts[2];
  TN_TRY(tn_rule_look(w->r, label, &nest));
  uint32_t first = nest.n_loops - 1;
  if (nest.n_loops == 0 || nest.loops[first].var == row) {
    return NULL;
  }
  while (first > 0 && nest.loops[first - 1].var != row &&
         tn_rule_is_joint(w->r, &nest, first - 1)) {
    --first;
  }
  int64_t n = tn_rule_rounds(&nest, first, nest.n_loops);
  if (n != TN_RULE_OPEN && n < w->lanes) {
    return NULL;
  }
  for (uint32_t i = first; i < nest.n_loops; ++i) {
    loops[i - first] = nest.loops[i].var;
  }
  TN_TRY(tn_rule_fuse(w->r, loops, nest.n_loops - first, &inner));
  TN_TRY(tn_sched_split(w->r->s, inner, 2, (int64_t[]){-1, w->lanes}, parts));
  return tn_sched_vectorize(w->r->s, parts[1]);
}

/* Sums in lanes where that may be; a refusal leaves the sum as it is. */
static void split_sums(rows *w) {
  for (uint32_t i = 0; i < w->n; ++i) {
    if (!w->is_sum[i]) {
      continue;
    }
    tn_sched *before = tn_sched_copy(w->r->s);
    tn_status st = tn_rule_lanes_of_sum(w->r, w->labels[i], &w->parts[i]);
    if (st == NULL) {
      tn_sched_free(before);
      continue;
    }
    tn_rule_undo(w->r, before, st);
    w->parts[i] = NULL;
  }
}

tn_status tn_rule_rows(tn_rules *r, uint32_t n_blocks, const tn_node *const *labels) {
  rows w = {.r = r, .n = n_blocks, .labels = labels};
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *row = NULL;
  if (n_blocks < 2 || n_blocks > MAX_BLOCKS) {
    return TN_ERR(TN_INVALID, "%u blocks", n_blocks);
  }
  TN_TRY(find_rows(&w));
  split_sums(&w);
  if (tn_rule_loops(r, labels[n_blocks - 1], TN_SCHED_MAX_LOOPS, loops) < w.n_row_loops) {
    return TN_ERR(TN_INVALID, "the loops of the rows are gone");
  }
  TN_TRY(tn_rule_fuse(r, loops, w.n_row_loops, &row));
  for (uint32_t i = n_blocks - 1; i-- > 0;) {
    TN_TRY(tn_sched_compute_at(r->s, labels[i], row));
    if (w.parts[i] != NULL) {
      TN_TRY(tn_sched_compute_at(r->s, w.parts[i], row));
    }
  }
  for (uint32_t i = 0; i < n_blocks; ++i) {
    if (w.parts[i] != NULL) {
      TN_TRY(tn_rule_mark_parts(r, w.parts[i], w.lanes));
    } else if (!w.is_sum[i]) {
      TN_TRY(mark_spatial(&w, labels[i], row));
    }
  }
  return w.is_heavy ? tn_sched_parallel(r->s, row) : NULL;
}
