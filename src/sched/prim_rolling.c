/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* rolling_buffer(B, 0): a buffer made window by window in a loop keeps one window, and only what a
 * window has more than the one before is made.
 *
 *   for i in range(16):                              for i in range(16):
 *     for ax0, ax1 in T.grid(3, 16): B[i + ax0, ..]    for ax0, ax1: T.where(i < 1 or 2 <= ax0)
 *     for j: C[i, j] = B[i, j] + .. + B[i + 2, j]  ->                 B[(i + ax0) % 3, ..]
 *                                                      for j: C[i, j] = B[i % 3, j] + ..
 *
 * The axis that rolls becomes opaque: its steps use one element again and again. */
#include "arith/sets.h"
#include "sched/axes.h"
#include "sched/loops.h"
#include "sched/touches.h"

typedef struct rolling {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *scope;
  const tn_node *buffer;
  const tn_node *region;
  uint32_t n_consumers;
  const tn_node *consumers[TN_SCHED_MAX_BLOCKS];
  /* what was found */
  const tn_node *loop;
  uint32_t dim;
  int64_t window;
  int64_t step;
  const tn_node *min; /* of the window, over the loop */
  uint32_t axis;      /* of the block, that is the index */
} rolling;

static const tn_node *label_of(const rolling *r) { return r->block->in[TN_BLOCK_LABEL]; }

/* ---- the window ---- */

static bool find_axis(rolling *r, uint32_t dim) {
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  const tn_node *range = r->region->in[TN_REGION_RANGES + dim];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (range->in[TN_RANGE_MIN] == iters->in[i]->in[TN_ITER_VAR] &&
        tn_is_int(range->in[TN_RANGE_EXTENT], 1)) {
      r->axis = i;
      return true;
    }
  }
  return false;
}

/* Does one dimension of what is written in a round move on with the loop, by less than it holds? */
static tn_status find_window(rolling *r, const tn_node *loop, bool *out_is_found) {
  tn_box box;
  bool is_written = false;
  const tn_node *var = loop->in[TN_FOR_VAR];
  TN_TRY(tn_stmt_box(r->s, r->tree, loop->in[TN_FOR_BODY], r->buffer, true, &box, &is_written));
  tn_arith *arith = tn_arith_new(r->s->ir);
  uint32_t n_moving = 0;
  *out_is_found = false;
  for (uint32_t d = 0; is_written && d < box.n; ++d) {
    const tn_node *coef = NULL;
    const tn_node *base = NULL;
    n_moving += tn_expr_uses(box.mins[d], 1, &var) || tn_expr_uses(box.extents[d], 1, &var);
    if (!tn_arith_linear(arith, box.mins[d], 1, &var, &coef, &base) || !tn_is(coef, TN_OP_INT) ||
        !tn_is(box.extents[d], TN_OP_INT)) {
      continue;
    }
    const tn_node *size = r->buffer->in[TN_BUFFER_SHAPE]->in[d];
    int64_t window = box.extents[d]->attr.i64;
    bool is_smaller =
        tn_arith_prove(arith, tn_index_binary(r->s->ir, TN_OP_LT, box.extents[d], size));
    if (coef->attr.i64 > 0 && coef->attr.i64 < window && is_smaller && find_axis(r, d)) {
      r->loop = loop;
      r->dim = d;
      r->window = window;
      r->step = coef->attr.i64;
      r->min = box.mins[d];
      *out_is_found = true;
    }
  }
  tn_arith_free(arith);
  *out_is_found = *out_is_found && n_moving == 1;
  return NULL;
}

/* The outermost loop around the block and all its readers along which a window moves. */
static tn_status find_loop(rolling *r) {
  const tn_node *all[TN_SCHED_MAX_BLOCKS + 1] = {r->block};
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  bool is_found = false;
  for (uint32_t i = 0; i < r->n_consumers; ++i) {
    all[i + 1] = r->consumers[i];
  }
  const tn_node *common = tn_tree_common(r->tree, r->n_consumers + 1, all);
  uint32_t n = tn_tree_loops(r->tree, common, loops);
  for (uint32_t i = 0; i < n && !is_found; ++i) {
    TN_TRY(find_window(r, loops[i], &is_found));
  }
  if (!is_found) {
    return tn_refuse(r->s, label_of(r), "compute_at moves it into a loop of its readers",
                     "no loop around it and all that read '%s' moves a window over it",
                     r->buffer->attr.text);
  }
  return NULL;
}

/* ---- proofs ---- */

static const tn_node *shifted(tn_ir *ir, const tn_node *n, const tn_node *var) {
  const tn_node *before = tn_index_binary(ir, TN_OP_SUB, var, tn_int(ir, var->dtype, 1));
  return n == NULL ? NULL : tn_subst1(ir, n, var, before);
}

/* The same a round earlier. */
static tn_footprint earlier(tn_ir *ir, tn_arena *arena, const tn_footprint *print,
                            const tn_node *var) {
  tn_footprint out = *print;
  const tn_node **mins = TN_ARENA_ARRAY(arena, const tn_node *, print->domain.n);
  const tn_node **extents = TN_ARENA_ARRAY(arena, const tn_node *, print->domain.n);
  const tn_node **at = TN_ARENA_ARRAY(arena, const tn_node *, print->access.n_dims);
  const tn_node **sizes = TN_ARENA_ARRAY(arena, const tn_node *, print->access.n_dims);
  for (uint32_t i = 0; i < print->domain.n; ++i) {
    mins[i] = shifted(ir, print->domain.mins[i], var);
    extents[i] = shifted(ir, print->domain.extents[i], var);
  }
  for (uint32_t d = 0; d < print->access.n_dims; ++d) {
    at[d] = shifted(ir, print->access.mins[d], var);
    sizes[d] = shifted(ir, print->access.extents[d], var);
  }
  out.domain.mins = mins;
  out.domain.extents = extents;
  out.domain.cond = shifted(ir, print->domain.cond, var);
  out.access.mins = at;
  out.access.extents = sizes;
  return out;
}

static const tn_node *first_new(const rolling *r) {
  tn_ir *ir = r->s->ir;
  return tn_index_binary(ir, TN_OP_ADD, r->min, tn_int(ir, r->min->dtype, r->window - r->step));
}

/* What is not made again was made a round earlier. */
static tn_status prove_was_made(const rolling *r) {
  tn_ir *ir = r->s->ir;
  tn_touches touches;
  const tn_node *var = r->loop->in[TN_FOR_VAR];
  TN_TRY(tn_touches_collect(r->s, r->tree, r->loop->in[TN_FOR_BODY], &touches));
  tn_sets *sets = tn_sched_sets(r->s);
  size_t mark = tn_sched_assume_around(r->s, r->tree, r->loop->in[TN_FOR_BODY]);
  tn_sets_assume(sets, tn_index_binary(ir, TN_OP_LT, r->loop->in[TN_FOR_MIN], var));
  tn_status st = NULL;
  for (size_t i = 0; i < touches.list.len && st == NULL; ++i) {
    tn_touch *t = &touches.list.data[i];
    if (!t->is_write || t->buffer != r->buffer) {
      continue;
    }
    tn_footprint whole = earlier(ir, &touches.arena, &t->print, var);
    tn_footprint part = t->print;
    const tn_node *is_old = tn_index_binary(ir, TN_OP_LT, part.access.mins[r->dim], first_new(r));
    part.domain.cond =
        part.domain.cond == NULL ? is_old : tn_sched_and(ir, part.domain.cond, is_old);
    ++r->s->stats.n_questions;
    tn_answer answer = tn_sets_is_covered(sets, &part, 1, &whole);
    if (answer.verdict != TN_PROVED) {
      r->s->stats.n_undecided += answer.verdict == TN_UNDECIDED;
      st = tn_refuse(r->s, label_of(r), NULL,
                     "a part of the window of '%s' is not made in the round before",
                     r->buffer->attr.text);
    }
  }
  tn_sets_pop(sets, mark);
  tn_touches_deinit(&touches);
  return st;
}

static tn_status check(rolling *r) {
  const tn_node *producers[TN_SCHED_MAX_BLOCKS];
  if (!tn_scope_allocates(r->scope, r->buffer)) {
    return tn_refuse(r->s, label_of(r), NULL, "'%s' is not memory of its scope",
                     r->buffer->attr.text);
  }
  TN_TRY(tn_scope_only_blocks_touch(r->s, r->tree, r->scope, r->buffer));
  TN_TRY(tn_scope_only_blocks(r->s, r->tree, r->scope));
  TN_TRY(tn_scope_stage_pipeline(r->s, r->tree, r->scope));
  TN_TRY(tn_block_complete(r->s, r->tree, r->block));
  TN_TRY(tn_block_axes_stay(r->tree, r->block));
  if (!tn_step_is_sure(r->s, r->tree, r->block)) {
    return tn_refuse(r->s, label_of(r), NULL, "it does not write '%s' at every step",
                     r->buffer->attr.text);
  }
  if (r->n_consumers == 0) {
    return tn_refuse(r->s, label_of(r), NULL, "nothing in its scope reads what it writes");
  }
  TN_TRY(find_loop(r));
  if (r->loop->attr.i64 != TN_FOR_SERIAL) {
    return tn_refuse(r->s, r->loop->in[TN_FOR_VAR], NULL,
                     "its rounds do not come one after another");
  }
  uint32_t n = tn_block_producers(r->tree, r->block, TN_SCHED_MAX_BLOCKS, producers);
  for (uint32_t i = 0; i < n; ++i) {
    TN_TRY(tn_prove_final(r->s, r->tree, r->block, producers[i]));
  }
  const tn_node *body = r->loop->in[TN_FOR_BODY];
  TN_TRY(tn_prove_written(r->s, r->tree, body, body, false, body, r->buffer));
  return prove_was_made(r);
}

/* ---- the new buffer ---- */

static tn_status roll_block(rolling *r) {
  tn_ir *ir = r->s->ir;
  const tn_node *block = tn_sched_site(r->s, label_of(r));
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *iter = iters->in[r->axis];
  const tn_node *var = r->loop->in[TN_FOR_VAR];
  const tn_node *is_first = tn_index_binary(ir, TN_OP_LE, var, r->loop->in[TN_FOR_MIN]);
  tn_arith *arith = tn_arith_new(ir);
  const tn_node *is_new = tn_arith_simplify(
      arith, tn_index_binary(ir, TN_OP_LE, first_new(r), iter->in[TN_ITER_BINDING]));
  tn_arith_free(arith);
  const tn_node *opaque =
      tn_iter_new(ir, TN_ITER_OPAQUE, iter->in[TN_ITER_VAR], iter->in[TN_ITER_MIN],
                  iter->in[TN_ITER_EXTENT], iter->in[TN_ITER_BINDING]);
  const tn_node *predicate =
      tn_sched_and(ir, block->in[TN_BLOCK_PREDICATE], tn_binary(ir, TN_OP_OR, is_first, is_new));
  const tn_node *made =
      tn_with_child(ir, block, TN_BLOCK_ITERS, tn_with_child(ir, iters, r->axis, opaque));
  made = tn_with_child(ir, made, TN_BLOCK_PREDICATE, predicate);
  return tn_sched_replace(r->s, block, made);
}

static tn_status roll_buffer(rolling *r) {
  tn_ir *ir = r->s->ir;
  const tn_node *old = r->buffer->in[TN_BUFFER_SHAPE];
  const tn_node *shape[TN_MAX_NDIM];
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *values[TN_MAX_NDIM];
  for (uint32_t d = 0; d < old->n_in; ++d) {
    const tn_node *window = tn_int(ir, old->in[d]->dtype, r->window);
    vars[d] = tn_var_new(ir, "x", old->in[d]->dtype);
    shape[d] = d == r->dim ? window : old->in[d];
    values[d] = d == r->dim ? tn_binary(ir, TN_OP_FLOORMOD, vars[d], window) : vars[d];
  }
  const tn_node *to = tn_buffer_like(ir, r->buffer, r->buffer->attr.text, old->n_in, shape, NULL);
  return tn_sched_relayout(r->s, tn_sched_tree(r->s, label_of(r)), r->buffer, to, old->n_in, vars,
                           old->n_in, values);
}

tn_status tn_prim_rolling_buffer(tn_sched *s, tn_prim_call *call) {
  rolling r = {.s = s, .tree = tn_sched_tree(s, call->args[0])};
  bool is_write = true;
  r.block = tn_tree_site(r.tree, call->args[0]);
  r.scope = tn_tree_scope(r.tree, r.block);
  TN_TRY(tn_block_buffer_arg(s, r.block, call->args[1], true, &r.region, &is_write));
  r.buffer = r.region->in[TN_REGION_BUFFER];
  r.n_consumers = tn_block_consumers(r.tree, r.block, TN_SCHED_MAX_BLOCKS, r.consumers);
  TN_TRY(check(&r));
  TN_TRY(roll_block(&r));
  TN_TRY(roll_buffer(&r));
  return tn_prove_rounds_apart(s, call->args[0]); /* they would share the window */
}
