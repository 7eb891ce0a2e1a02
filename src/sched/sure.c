/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What is written for certain. A region says what a block may write; a copy of it needs to know that
 * all of it is written:
 *
 *   T.writes(C[vi, 0:8])                      for k in range(8): C[vi, k] = ..     all
 *                                             for k in range(4): C[vi, k * 2] = .. gaps
 *                                             if vi < 4: C[vi, 0:8] = ..           not always
 *
 * A store of the one element that is declared writes its region; anything else is asked of integer
 * sets. Of a reduction the first value counts. */
#include "sched/rewrite.h"
#include "sched/touches.h"

static bool reads_memory(const tn_node *expr) {
  return (expr->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0;
}

static bool is_plain_store(const tn_node *n) {
  bool is_plain = tn_is(n, TN_OP_STORE) && tn_is_none(n->in[TN_STORE_PREDICATE]);
  for (uint32_t i = TN_STORE_INDICES; is_plain && i < n->n_in; ++i) {
    is_plain = tn_dtype_lanes(n->in[i]->dtype) == 1 && !reads_memory(n->in[i]);
  }
  return is_plain;
}

/* The region is the one element that the store names. */
static bool stores_element(const tn_node *n, const tn_node *region) {
  bool is_it = is_plain_store(n) && n->in[TN_STORE_BUFFER] == region->in[TN_REGION_BUFFER];
  for (uint32_t d = 0; is_it && d < region->n_in - TN_REGION_RANGES; ++d) {
    const tn_node *range = region->in[TN_REGION_RANGES + d];
    is_it = range->in[TN_RANGE_MIN] == n->in[TN_STORE_INDICES + d] &&
            tn_is_int(range->in[TN_RANGE_EXTENT], 1);
  }
  return is_it;
}

/* Plain stores, of each region's one element. */
static bool stores_elements(const tn_node *block, const tn_node *body) {
  bool is_seq = tn_is(body, TN_OP_SEQ);
  const tn_node *region = NULL;
  bool is_all = true;
  for (uint32_t i = 0; is_all && (region = tn_block_region(block, true, i)) != NULL; ++i) {
    is_all = false;
    for (uint32_t k = 0; !is_all && k < (is_seq ? body->n_in : 1); ++k) {
      is_all = stores_element(is_seq ? body->in[k] : body, region);
    }
  }
  return is_all;
}

/* No condition that depends on memory, no store under a predicate, of several lanes or at an index
 * from memory: what the collected touches say is then done. */
static bool is_followed(tn_sched *s, const tn_tree *tree, const tn_node *n) {
  if (tn_is(n, TN_OP_STORE)) {
    return is_plain_store(n);
  }
  if (tn_is(n, TN_OP_BLOCK)) {
    return !reads_memory(n->in[TN_BLOCK_PREDICATE]) && tn_block_writes_all(s, tree, n);
  }
  bool is_known =
      tn_is(n, TN_OP_SEQ) || tn_is(n, TN_OP_FOR) || tn_is(n, TN_OP_IF) || tn_is(n, TN_OP_EVAL);
  if (tn_is(n, TN_OP_FOR) && tn_loop_exits(n->in[TN_FOR_BODY]) != 0) {
    return false;
  }
  for (uint32_t i = 0; i < n->n_in && is_known; ++i) {
    bool is_stmt = tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT;
    is_known =
        is_stmt ? is_followed(s, tree, n->in[i]) : !(tn_is(n, TN_OP_IF) && reads_memory(n->in[i]));
  }
  return is_known;
}

tn_footprint tn_region_print(const tn_node *region, tn_arena *arena) {
  uint32_t n = region->n_in - TN_REGION_RANGES;
  const tn_node **mins = TN_ARENA_ARRAY(arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(arena, const tn_node *, n);
  for (uint32_t d = 0; d < n; ++d) {
    mins[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
    extents[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_EXTENT];
  }
  return (tn_footprint){.access = {.n_dims = n, .mins = mins, .extents = extents}};
}

static bool covers_regions(tn_sched *s, const tn_tree *tree, const tn_node *block,
                           const tn_node *body, bool is_write) {
  tn_touches touches;
  tn_status st = tn_touches_collect(s, tree, body, &touches);
  if (st != NULL) {
    tn_status_free(st);
    return false;
  }
  TN_VEC(tn_footprint) whole = {0};
  bool is_covered = true;
  const tn_node *region = NULL;
  size_t mark = tn_sched_assume_around(s, tree, body);
  for (uint32_t i = 0; is_covered && (region = tn_block_region(block, is_write, i)) != NULL; ++i) {
    whole.len = 0;
    for (size_t k = 0; k < touches.list.len; ++k) {
      if (touches.list.data[k].is_write == is_write &&
          touches.list.data[k].buffer == region->in[TN_REGION_BUFFER]) {
        TN_VEC_PUSH(&whole, touches.list.data[k].print);
      }
    }
    tn_footprint part = tn_region_print(region, &touches.arena);
    ++s->stats.n_questions;
    is_covered =
        tn_sets_is_covered(tn_sched_sets(s), &part, (uint32_t)whole.len, whole.data).verdict ==
        TN_PROVED;
  }
  tn_sets_pop(tn_sched_sets(s), mark);
  TN_VEC_DEINIT(&whole);
  tn_touches_deinit(&touches);
  return is_covered;
}

bool tn_block_writes_all(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  const tn_node *init = block->in[TN_BLOCK_INIT];
  const tn_node *body = tn_is_none(init) ? block->in[TN_BLOCK_BODY] : init;
  if (block->in[TN_BLOCK_WRITES]->n_in == 0 || stores_elements(block, body)) {
    return true;
  }
  return is_followed(s, tree, body) && covers_regions(s, tree, block, body, true);
}

static bool are_elements(const tn_node *block) {
  const tn_node *region = NULL;
  bool are = true;
  for (uint32_t i = 0; are && (region = tn_block_region(block, false, i)) != NULL; ++i) {
    for (uint32_t d = TN_REGION_RANGES; are && d < region->n_in; ++d) {
      are = tn_is_int(region->in[d]->in[TN_RANGE_EXTENT], 1);
    }
  }
  return are;
}

/* Loads that may be left out are listed like others. */
static bool has_choice(const tn_node *n) {
  bool has = tn_is(n, TN_OP_IF_THEN_ELSE);
  for (uint32_t i = 0; i < n->n_in && !has; ++i) {
    has = has_choice(n->in[i]);
  }
  return has;
}

bool tn_block_reads_all(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  return !has_choice(block->in[TN_BLOCK_BODY]) &&
         (are_elements(block) || covers_regions(s, tree, block, block->in[TN_BLOCK_BODY], false));
}

bool tn_step_is_sure(tn_sched *s, const tn_tree *tree, const tn_node *step) {
  if (!tn_is(step, TN_OP_BLOCK) || reads_memory(step->in[TN_BLOCK_PREDICATE])) {
    return false;
  }
  const tn_node *at = tn_tree_parent(tree, step);
  for (; at != NULL && !tn_is(at, TN_OP_BLOCK); at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_WHILE) || (tn_is(at, TN_OP_IF) && reads_memory(at->in[TN_IF_COND])) ||
        (tn_is(at, TN_OP_FOR) && tn_loop_exits(at->in[TN_FOR_BODY]) != 0)) {
      return false;
    }
  }
  return tn_block_writes_all(s, tree, step);
}
