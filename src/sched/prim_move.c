/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Moving a block into a loop of those that use what it makes, or that make what it uses.
 *
 *   compute_at(B, i):      for i, j: B[i, j] = ..          for i:
 *                          for i, j: C[i, j] = B[i, j]  ->   for ax0: B[i, ax0] = ..
 *                                                            for j:   C[i, j] = B[i, j]
 *   reverse_compute_at(C, i): the same from below: C's nest moves into B's.
 *
 * The moved nest does the steps whose results are read (whose inputs are written) in a round of the
 * loop: a box, found from the regions, with a condition where it may leave the block's axes. A
 * producer may do a step again in another round, it gives the same value; a consumer that does not
 * do each step is refused. axes.c says why this is right. */
#include "sched/axes.h"

typedef struct move {
  tn_sched *s;
  const tn_node *label;
  const tn_node *loop_var;
  bool is_reverse;
  bool keeps_units;
  int64_t index;
  /* as things stand before */
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop;
  const tn_node *scope;
  uint32_t n_producers;
  uint32_t n_consumers;
  const tn_node *producers[TN_SCHED_MAX_BLOCKS];
  const tn_node *consumers[TN_SCHED_MAX_BLOCKS];
} move;

/* ---- may it? ---- */

static tn_status check_places(move *m) {
  if (m->tree != tn_sched_tree(m->s, m->loop_var) || tn_tree_scope(m->tree, m->loop) != m->scope) {
    return tn_refuse(m->s, m->label, NULL, "loop '%s' is in another scope", m->loop_var->attr.text);
  }
  if (tn_tree_is_around(m->tree, m->loop, m->block)) {
    return tn_refuse(m->s, m->label, NULL, "it is in loop '%s' already", m->loop_var->attr.text);
  }
  return NULL;
}

static tn_status check_all_inside(move *m) {
  if (m->n_consumers == 0) {
    return tn_refuse(m->s, m->label, NULL, "nothing in its scope reads what it writes");
  }
  for (uint32_t i = 0; i < m->n_consumers; ++i) {
    if (!tn_tree_is_around(m->tree, m->loop, m->consumers[i])) {
      return tn_refuse(m->s, m->label, "a loop that has all that read its result would do",
                       "block '%s', which reads its result, is not in loop '%s'",
                       tn_block_name(m->consumers[i]), m->loop_var->attr.text);
    }
  }
  return NULL;
}

static tn_status check_some_inside(move *m) {
  bool is_any = false;
  size_t first = tn_tree_place(m->tree, m->block);
  for (size_t i = 0; i < m->tree->blocks.len; ++i) {
    const tn_node *other = m->tree->blocks.data[i];
    if (i < first && tn_tree_is_around(m->tree, m->loop, other)) {
      first = i;
    }
  }
  for (uint32_t i = 0; i < m->n_producers; ++i) {
    bool is_inside = tn_tree_is_around(m->tree, m->loop, m->producers[i]);
    is_any = is_any || is_inside;
    if (!is_inside && tn_tree_place(m->tree, m->producers[i]) > first) {
      return tn_refuse(m->s, m->label, "a loop that has all that make its inputs would do",
                       "block '%s', whose result it reads, comes after loop '%s'",
                       tn_block_name(m->producers[i]), m->loop_var->attr.text);
    }
  }
  if (!is_any) {
    return tn_refuse(m->s, m->label, NULL, "no block in loop '%s' makes what it reads",
                     m->loop_var->attr.text);
  }
  return NULL;
}

static tn_status check_finals(tn_sched *s, const tn_tree *tree, const move *m,
                              const tn_node *block) {
  for (uint32_t i = 0; i < m->n_producers; ++i) {
    const tn_node *producer = tn_tree_site(tree, m->producers[i]->in[TN_BLOCK_LABEL]);
    TN_TRY(tn_prove_final(s, tree, block, producer));
  }
  for (uint32_t i = 0; i < m->n_consumers; ++i) {
    const tn_node *consumer = tn_tree_site(tree, m->consumers[i]->in[TN_BLOCK_LABEL]);
    TN_TRY(tn_prove_final(s, tree, consumer, block));
  }
  return NULL;
}

static tn_status check(move *m) {
  TN_TRY(check_places(m));
  TN_TRY(tn_scope_only_blocks(m->s, m->tree, m->scope));
  TN_TRY(tn_scope_stage_pipeline(m->s, m->tree, m->scope));
  for (uint32_t i = 0; i < m->block->in[TN_BLOCK_WRITES]->n_in; ++i) {
    TN_TRY(tn_scope_only_blocks_touch(m->s, m->tree, m->scope,
                                      m->block->in[TN_BLOCK_WRITES]->in[i]->in[TN_REGION_BUFFER]));
  }
  if (!m->is_reverse && tn_block_is_output(m->tree, m->block)) {
    return tn_refuse(m->s, m->label, "cache_write lets a copy of it move",
                     "it writes memory that outlives its scope, where all of it is needed");
  }
  TN_TRY(m->is_reverse ? check_some_inside(m) : check_all_inside(m));
  TN_TRY(tn_prove_all_steps(m->s, m->tree, m->block));
  TN_TRY(tn_prove_free_order(m->s, m->tree, m->block));
  return check_finals(m->s, m->tree, m, m->block);
}

/* ---- which steps ---- */

/* The block's regions that meet what the loop's body has of the buffer. */
static tn_status narrow(const move *m, tn_arith *arith, const tn_node *body, bool *is_first,
                        tn_ranges *ranges) {
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(m->block, !m->is_reverse, i)) != NULL; ++i) {
    tn_box box;
    tn_ranges one;
    bool is_found = false;
    TN_TRY(tn_stmt_box(m->s, m->tree, body, region->in[TN_REGION_BUFFER], m->is_reverse, &box,
                       &is_found));
    if (!is_found) {
      continue;
    }
    tn_ranges_whole(m->block, &one);
    tn_ranges_for_box(m->s, arith, m->block, region, &box, &one);
    if (*is_first) {
      *ranges = one;
    } else {
      tn_ranges_join(m->block, &one, ranges);
    }
    *is_first = false;
  }
  return NULL;
}

static tn_status needed_ranges(const move *m, tn_ranges *ranges) {
  bool is_first = true;
  tn_arith *arith = tn_arith_new(m->s->ir);
  tn_sched_bind_around(m->tree, arith, m->loop);
  tn_ranges_whole(m->block, ranges);
  tn_status st = narrow(m, arith, m->loop->in[TN_FOR_BODY], &is_first, ranges);
  tn_arith_free(arith);
  return st;
}

/* ---- where ---- */

static bool has_any(const tn_tree *tree, const tn_node *stmt, uint32_t n,
                    const tn_node *const *blocks) {
  for (uint32_t i = 0; i < n; ++i) {
    if (tn_tree_is_around(tree, stmt, blocks[i])) {
      return true;
    }
  }
  return false;
}

/* The place in the loop's body, as a number of statements that come before. */
static tn_status find_index(const move *m, uint32_t *out) {
  const tn_node *body = m->loop->in[TN_FOR_BODY];
  bool is_seq = tn_is(body, TN_OP_SEQ);
  uint32_t n = is_seq ? body->n_in : 1;
  uint32_t lo = 0;
  uint32_t hi = n;
  for (uint32_t i = n; i > 0; --i) {
    const tn_node *child = is_seq ? body->in[i - 1] : body;
    hi = has_any(m->tree, child, m->n_consumers, m->consumers) ? i - 1 : hi;
    lo = lo == 0 && has_any(m->tree, child, m->n_producers, m->producers) ? i : lo;
  }
  if (lo > hi) {
    return tn_refuse(m->s, m->label, NULL,
                     "loop '%s' has no place after what makes its inputs and before what reads "
                     "its result",
                     m->loop_var->attr.text);
  }
  int64_t index = m->index == -1 ? hi : m->index == -2 ? lo : m->index;
  if (index < lo || index > hi) {
    return tn_refuse(m->s, m->label, "-1 is the last place, -2 the first",
                     "index %lld is not among the places %u to %u of loop '%s'",
                     (long long)m->index, lo, hi, m->loop_var->attr.text);
  }
  *out = (uint32_t)index;
  return NULL;
}

static tn_status put(const move *m, const tn_node *nest, uint32_t index) {
  const tn_node *loop = tn_sched_site(m->s, m->loop_var);
  const tn_node *body = loop->in[TN_FOR_BODY];
  bool is_seq = tn_is(body, TN_OP_SEQ);
  uint32_t n = is_seq ? body->n_in : 1;
  if (index < n) {
    return tn_sched_insert(m->s, is_seq ? body->in[index] : body, nest, true);
  }
  return tn_sched_insert(m->s, is_seq ? body->in[n - 1] : body, nest, false);
}

/* ---- after ---- */

/* A producer may now do steps that it did in other rounds. Where it shares loops with what makes
 * its inputs, those have to be there. */
static tn_status check_inputs(const move *m, const tn_tree *tree, const tn_node *block) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  for (uint32_t i = 0; i < m->n_producers; ++i) {
    const tn_node *pair[] = {block, tn_tree_site(tree, m->producers[i]->in[TN_BLOCK_LABEL])};
    const tn_node *common = tn_tree_common(tree, 2, pair);
    if (tn_tree_loops(tree, common, loops) == 0) {
      continue;
    }
    const tn_node *mine = tn_tree_child_with(tree, common, block);
    const tn_node *other = tn_tree_child_with(tree, common, pair[1]);
    const tn_node *region = NULL;
    for (uint32_t k = 0; (region = tn_block_region(pair[1], true, k)) != NULL; ++k) {
      TN_TRY(tn_prove_written(m->s, tree, mine, mine, false, other, region->in[TN_REGION_BUFFER]));
    }
  }
  return NULL;
}

static tn_status check_after(const move *m) {
  const tn_tree *tree = tn_sched_tree(m->s, m->label);
  const tn_node *block = tn_tree_site(tree, m->label);
  if (!m->is_reverse) {
    TN_TRY(check_inputs(m, tree, block));
  }
  if (m->is_reverse) {
    TN_TRY(tn_prove_all_steps(m->s, tree, block));
    TN_TRY(check_finals(m->s, tree, m, block));
  }
  return tn_prove_rounds_apart(m->s, m->label);
}

static tn_status do_move(move *m) {
  tn_ranges ranges;
  uint32_t index = 0;
  m->tree = tn_sched_tree(m->s, m->label);
  m->block = tn_tree_site(m->tree, m->label);
  m->loop = tn_sched_site(m->s, m->loop_var);
  m->scope = tn_tree_scope(m->tree, m->block);
  m->n_producers = tn_block_producers(m->tree, m->block, TN_SCHED_MAX_BLOCKS, m->producers);
  m->n_consumers = tn_block_consumers(m->tree, m->block, TN_SCHED_MAX_BLOCKS, m->consumers);
  TN_TRY(check(m));
  TN_TRY(find_index(m, &index));
  TN_TRY(needed_ranges(m, &ranges));
  const tn_node *nest = tn_ranges_nest(m->s, m->tree, m->loop, m->block, &ranges, m->keeps_units);
  TN_TRY(tn_sched_replace(m->s, m->block, tn_none(m->s->ir)));
  TN_TRY(put(m, nest, index));
  TN_TRY(tn_sched_fix_around(m->s, m->label));
  return check_after(m);
}

/* A sampled place: -1 leaves the block where it is, -2 makes it part of its neighbours. */
static tn_status at_mark(tn_sched *s, tn_prim_call *call, bool is_reverse) {
  int64_t mark = call->args[1]->attr.i64;
  if (mark == -1) {
    return NULL;
  }
  if (mark != -2) {
    return tn_refuse(s, call->args[0], "-1 leaves the block, -2 inlines it", "%lld is no place",
                     (long long)mark);
  }
  return is_reverse ? tn_prim_reverse_compute_inline(s, call) : tn_prim_compute_inline(s, call);
}

static tn_status move_at(tn_sched *s, tn_prim_call *call, bool is_reverse) {
  if (tn_is(call->args[1], TN_OP_INT)) {
    return at_mark(s, call, is_reverse);
  }
  move m = {.s = s,
            .label = call->args[0],
            .loop_var = call->args[1],
            .is_reverse = is_reverse,
            .keeps_units = call->args[2]->attr.i64 != 0,
            .index = call->args[3]->attr.i64};
  return do_move(&m);
}

tn_status tn_prim_compute_at(tn_sched *s, tn_prim_call *call) { return move_at(s, call, false); }

tn_status tn_prim_reverse_compute_at(tn_sched *s, tn_prim_call *call) {
  return move_at(s, call, true);
}
