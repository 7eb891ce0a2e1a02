/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reductions along memory: the lanes are parts of the reduction, put together at the end.
 *
 *   for i, k in T.grid(64, 512):             for i in T.parallel(64):
 *       B[i] += A[i, k]              ->          for k0 in range(16):
 *                                                    for k1 in T.vectorized(32):
 *                                                        P[k1] += A[i, k0 * 32 + k1]
 *                                                for k1 in range(32): B[i] += P[k1]
 *
 * That is another order of the sum, so not with --strict-math where it shows: in floats. */
#include <stdlib.h>

#include "sched/rules/rules.h"

#include "sched/rewrite.h"

enum { MOST_PARTS = 4 }; /* vectors of parts: as many additions as are under way at once */

static bool is_float(const tn_rule_nest *nest) {
  const tn_rule_access *store = tn_rule_store(nest);
  return store == NULL || tn_dtype_is_float(store->buffer->dtype);
}

/* The innermost reduce loops as one, where memory is walked in step. */
static tn_status join_sum(tn_rules *r, tn_rule_nest *nest, const tn_node **out_loop) {
  const tn_node *loops[TN_RULE_MAX_LOOPS];
  uint32_t end = nest->n_loops;
  while (end > 0 && !nest->loops[end - 1].is_reduce) {
    --end;
  }
  if (end == 0 || end != nest->n_loops) {
    return TN_ERR(TN_INVALID, "the innermost loop is none of the reduction");
  }
  uint32_t first = end - 1;
  while (first > 0 && nest->loops[first - 1].is_reduce && tn_rule_is_joint(r, nest, first - 1)) {
    --first;
  }
  for (uint32_t i = first; i < end; ++i) {
    loops[i - first] = nest->loops[i].var;
  }
  TN_TRY(tn_rule_fuse(r, loops, end - first, out_loop));
  return tn_rule_look(r, nest->label, nest);
}

/* Is there something that lies side by side along the innermost loop? */
static bool is_along_memory(const tn_rule_nest *nest) {
  for (uint32_t i = 0; i < nest->n_accesses; ++i) {
    if (!nest->accesses[i].is_store && tn_rule_moves_by(&nest->accesses[i], nest->n_loops - 1, 1)) {
      return true;
    }
  }
  return false;
}

/* As many vectors of parts as divide the loop, or leave little over. 0: the loop is too short. */
static int64_t choose_parts(int64_t n, int64_t lanes) {
  int64_t parts = MOST_PARTS;
  if (n == TN_RULE_OPEN) {
    return 1;
  }
  while (parts > 1 && (n % (parts * lanes) != 0 || n < 4 * parts * lanes)) {
    parts /= 2;
  }
  return n < lanes ? 0 : parts;
}

tn_status tn_rule_mark_parts(tn_rules *r, const tn_node *part, int64_t lanes) {
  tn_rule_nest nest;
  const tn_node *order[TN_RULE_MAX_LOOPS + 2];
  const tn_node *parts[2];
  const tn_node *init = NULL;
  uint32_t n = 0;
  TN_TRY(tn_rule_look(r, part, &nest));
  const tn_rule_access *store = tn_rule_store(&nest);
  uint32_t place = nest.n_loops;
  for (uint32_t i = 0; i < nest.n_loops; ++i) {
    if (nest.loops[i].is_reduce) {
      order[n++] = nest.loops[i].var;
    } else if (nest.loops[i].n != 1 && store != NULL && tn_rule_moves_by(store, i, 1)) {
      place = i;
    }
  }
  if (place == nest.n_loops || n == 0) {
    return TN_ERR(TN_INVALID, "the parts have no loop of their own");
  }
  const tn_node *first = order[0];
  TN_TRY(tn_sched_split(r->s, nest.loops[place].var, 2, (int64_t[]){-1, lanes}, parts));
  order[n++] = parts[0];
  order[n++] = parts[1];
  TN_TRY(tn_sched_reorder(r->s, n, order));
  TN_TRY(tn_sched_decompose_reduction(r->s, part, first, &init));
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  n = tn_rule_loops(r, init, TN_SCHED_MAX_LOOPS, loops);
  if (n < 2) {
    return TN_ERR(TN_INVALID, "the parts have no first value");
  }
  TN_TRY(tn_sched_unroll(r->s, loops[n - 2]));
  TN_TRY(tn_sched_vectorize(r->s, loops[n - 1]));
  TN_TRY(tn_sched_unroll(r->s, parts[0]));
  return tn_sched_vectorize(r->s, parts[1]);
}

tn_status tn_rule_lanes_of_sum(tn_rules *r, const tn_node *label, const tn_node **out_part) {
  tn_rule_nest nest;
  const tn_node *loop = NULL;
  const tn_node *k[2];
  TN_TRY(tn_rule_look(r, label, &nest));
  const tn_rule_access *store = tn_rule_store(&nest);
  if (store == NULL) {
    return TN_ERR(TN_INVALID, "a reduction of tuples, as argmax, keeps its order: that decides ties");
  }
  if (r->is_strict && is_float(&nest)) {
    return TN_ERR(TN_INVALID, "sums of floats keep their order");
  }
  const tn_node *buffer = store->buffer;
  TN_TRY(join_sum(r, &nest, &loop));
  int64_t lanes = tn_rule_lanes(r, &nest);
  int64_t parts = choose_parts(nest.loops[nest.n_loops - 1].n, lanes);
  if (parts == 0 || !is_along_memory(&nest)) {
    return TN_ERR(TN_INVALID, "the reduction does not walk along memory");
  }
  TN_TRY(tn_sched_split(r->s, loop, 2, (int64_t[]){-1, parts * lanes}, k));
  const tn_node *args[] = {k[1], tn_int(r->s->ir, TN_DT_I32, tn_buffer_ndim(buffer))};
  return tn_rule_apply(r, "rfactor", 2, args, out_part);
}

typedef struct later {
  const tn_node *part;
  const tn_node *rows; /* NULL: one sum, or too little for threads */
  int64_t lanes;
} later;

static tn_status set_marks(tn_rules *r, void *ctx) {
  const later *l = ctx;
  TN_TRY(tn_rule_mark_parts(r, l->part, l->lanes));
  return l->rows == NULL ? NULL : tn_sched_parallel(r->s, l->rows);
}

tn_status tn_rule_reduce(tn_rules *r, const tn_node *label) {
  tn_rule_nest nest;
  later l = {0};
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  TN_TRY(tn_rule_look(r, label, &nest));
  bool is_heavy = tn_rule_is_heavy(&nest);
  l.lanes = tn_rule_lanes(r, &nest);
  TN_TRY(tn_rule_lanes_of_sum(r, label, &l.part));
  uint32_t n = tn_rule_loops(r, label, TN_SCHED_MAX_LOOPS, loops);
  TN_TRY(tn_rule_look(r, label, &nest));
  uint32_t n_rows = 0;
  while (n_rows < n && !nest.loops[n_rows].is_reduce) {
    ++n_rows;
  }
  if (n_rows > 0) {
    TN_TRY(tn_rule_fuse(r, loops, n_rows, &l.rows));
    TN_TRY(tn_sched_compute_at(r->s, l.part, l.rows));
    l.rows = is_heavy ? l.rows : NULL;
  }
  later *kept = malloc(sizeof *kept);
  TN_CHECK(kept != NULL, "out of memory");
  *kept = l;
  tn_rule_mark_later(r, set_marks, kept);
  return NULL;
}
