/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* decompose_reduction: the first value of a reduction is written before a loop.
 *
 *   for i, k in T.grid(8, 4):                     for i_init in range(8):
 *       with T.block("C"):                            with T.block("C_init"): C[vi] = 0
 *           with T.init(): C[vi] = 0          ->   for i, k in T.grid(8, 4):
 *           C[vi] = C[vi] + A[vi, vk]                 with T.block("C_update"): ...
 *
 * init ran in the step where all reduce axes are at their beginning. That is the same when, below
 * the loop, that step exists for each element that is updated and is the first of its steps; and
 * when nothing else below the loop touches the element before it. The new nest keeps the loops that
 * the spatial axes use, and the conditions as they are with the others at their beginning: a
 * condition that a reduce loop shares must not be lost. */
#include "sched/deps.h"
#include "sched/loops.h"
#include "sched/rewrite.h"
#include "sched/starts.h"
#include "sched/touches.h"

typedef struct decomposition {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop;
  tn_starts starts;
} decomposition;

/* ---- where the loop stands ---- */

static tn_status check_loop(const decomposition *d) {
  const tn_node *around[TN_SCHED_MAX_LOOPS];
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  uint32_t n = tn_tree_loops(d->tree, d->loop, around);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *var = around[i]->in[TN_FOR_VAR];
    bool is_round_of_many = !tn_is_int(around[i]->in[TN_FOR_EXTENT], 1);
    for (uint32_t k = 0; k < iters->n_in; ++k) {
      if (is_round_of_many && tn_iter_is_reduce(iters->in[k]) &&
          tn_expr_uses(iters->in[k]->in[TN_ITER_BINDING], 1, &var)) {
        return tn_refuse(d->s, d->loop->in[TN_FOR_VAR],
                         "choose a loop around all those that the reduce axes use",
                         "loop '%s' around it is used by the reduce axis '%s' of block '%s'",
                         var->attr.text, iters->in[k]->in[TN_ITER_VAR]->attr.text,
                         tn_block_name(d->block));
      }
    }
  }
  return NULL;
}

/* ---- other statements below the loop ---- */

static uint32_t common_loops(const decomposition *d, const tn_node *step) {
  uint32_t n = 0;
  while (n < d->starts.nest.n && tn_tree_is_around(d->tree, d->starts.nest.loops[n], step)) {
    ++n;
  }
  return n;
}

/* No round of `other` that comes before an element's first value touches the element. */
static tn_status ask_before(const decomposition *d, const tn_touch *own, const tn_touch *other,
                            bool is_earlier_in_text) {
  tn_footprint first = own->print;
  const tn_node *old = first.domain.cond != NULL ? first.domain.cond : tn_bool(d->s->ir, true);
  const tn_node *cond = tn_sched_and(d->s->ir, old, d->starts.first);
  first.domain.cond = tn_is_int(cond, 1) ? NULL : cond;
  tn_footprint print = other->print;
  if (own->buffer != other->buffer) { /* two names of one memory */
    first.access.n_dims = 0;
    print.access.n_dims = 0;
  }
  uint32_t n = common_loops(d, other->step);
  tn_order order = {.op = is_earlier_in_text ? TN_OP_GE : TN_OP_GT,
                    .n = n,
                    .a = d->starts.nest.vars,
                    .b = d->starts.nest.vars};
  size_t mark = tn_sched_assume_around(d->s, d->tree, d->loop);
  tn_answer answer = tn_sets_is_independent(tn_sched_sets(d->s), &first, &print, 1, &order);
  tn_sets_pop(tn_sched_sets(d->s), mark);
  ++d->s->stats.n_questions;
  if (answer.verdict == TN_PROVED) {
    return NULL;
  }
  return tn_starts_refuse(&d->starts, &answer,
                          "another statement below the loop touches an element before it gets "
                          "its first value");
}

static tn_status check_touches(const decomposition *d, const tn_touches *touches) {
  const tn_node *init = d->block->in[TN_BLOCK_INIT];
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *own = &touches->list.data[i];
    for (size_t k = 0; k < touches->list.len && own->step == d->block; ++k) {
      const tn_touch *other = &touches->list.data[k];
      if (own->is_write && other->step != d->block && tn_touches_meet(own, other)) {
        TN_TRY(ask_before(d, own, other, k < i));
      }
    }
    if (own->is_write && tn_loads_data(init, own->buffer->in[TN_BUFFER_DATA])) {
      return tn_refuse(d->s, d->block->in[TN_BLOCK_LABEL], NULL,
                       "its T.init() reads '%s', which is written below the loop",
                       own->buffer->attr.text);
    }
  }
  return NULL;
}

static tn_status check_others(const decomposition *d) {
  tn_touches touches;
  TN_TRY(tn_touches_collect(d->s, d->tree, d->loop, &touches));
  tn_status st = check_touches(d, &touches);
  tn_touches_deinit(&touches);
  return st;
}

/* ---- the new blocks ---- */

/* The views of the block that its init uses. Reduce axes are at their beginning there. */
static const tn_node *used_matches(tn_ir *ir, const tn_node *block) {
  TN_VEC(const tn_node *) used = {0};
  const tn_node *matches = block->in[TN_BLOCK_MATCHES];
  for (uint32_t i = 0; i < matches->n_in; ++i) {
    const tn_node *buffer = matches->in[i]->in[TN_MATCH_BUFFER];
    if (tn_expr_uses(block->in[TN_BLOCK_INIT], 1, &buffer)) {
      TN_VEC_PUSH(&used, matches->in[i]);
    }
  }
  const tn_node *list = tn_list(ir, (uint32_t)used.len, used.data);
  TN_VEC_DEINIT(&used);
  return list;
}

/* A block that does what init did: of the old one's spatial axes, over the new loops. */
static tn_status init_block(const decomposition *d, const tn_map *loops, const tn_node *cond,
                            const tn_node **out) {
  tn_ir *ir = d->s->ir;
  const tn_node *block = tn_clone_fresh(ir, d->block);
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  tn_map starts = {0};
  TN_VEC(const tn_node *) kept = {0};
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    if (tn_iter_is_reduce(iter)) {
      tn_map_set(&starts, iter->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)iter->in[TN_ITER_MIN]);
      continue;
    }
    const tn_node *binding = tn_subst(ir, iter->in[TN_ITER_BINDING], loops);
    TN_VEC_PUSH(&kept, tn_with_child(ir, iter, TN_ITER_BINDING, binding));
  }
  const tn_node *in[] = {[TN_BLOCK_LABEL] =
                             tn_leaf_suffixed(ir, d->block->in[TN_BLOCK_LABEL], "_init"),
                         [TN_BLOCK_ITERS] = tn_list(ir, (uint32_t)kept.len, kept.data),
                         [TN_BLOCK_PREDICATE] = tn_subst(ir, cond, loops),
                         [TN_BLOCK_READS] = tn_list(ir, 0, NULL),
                         [TN_BLOCK_WRITES] = tn_list(ir, 0, NULL),
                         [TN_BLOCK_ALLOCS] = tn_list(ir, 0, NULL),
                         [TN_BLOCK_MATCHES] = tn_subst(ir, used_matches(ir, block), &starts),
                         [TN_BLOCK_INIT] = tn_none(ir),
                         [TN_BLOCK_ANNOTATIONS] = block->in[TN_BLOCK_ANNOTATIONS],
                         [TN_BLOCK_BODY] = tn_subst(ir, block->in[TN_BLOCK_INIT], &starts)};
  const tn_node *made =
      tn_node_new(ir, TN_OP_BLOCK, TN_DT_NONE, block->attr, sizeof in / sizeof *in, in);
  tn_ir_set_pos(ir, made, tn_ir_pos(ir, d->block));
  TN_VEC_DEINIT(&kept);
  tn_map_deinit(&starts);
  return tn_block_reinfer(d->s, made, out);
}

static tn_status init_nest(const decomposition *d, const tn_node *cond, const tn_node **out_nest,
                           const tn_node **out_label) {
  tn_ir *ir = d->s->ir;
  tn_map loops = {0};
  const tn_node *vars[TN_SCHED_MAX_LOOPS];
  const tn_node *nest = NULL;
  for (uint32_t i = 0; i < d->starts.nest.n; ++i) {
    if (d->starts.is_kept[i]) {
      vars[i] = tn_leaf_suffixed(ir, d->starts.nest.vars[i], "_init");
      tn_map_set(&loops, d->starts.nest.vars[i]->id, (uint64_t)(uintptr_t)vars[i]);
    }
  }
  tn_status st = init_block(d, &loops, cond, &nest);
  if (st == NULL) {
    *out_label = nest->in[TN_BLOCK_LABEL];
    for (uint32_t i = d->starts.nest.n; i > 0; --i) {
      const tn_node *loop = d->starts.nest.loops[i - 1];
      if (d->starts.is_kept[i - 1]) {
        const tn_node *kind = d->starts.by_form ? loop : tn_for_with_kind(ir, loop, TN_FOR_SERIAL);
        kind = tn_for_with(ir, kind, tn_subst(ir, loop->in[TN_FOR_MIN], &loops),
                           tn_subst(ir, loop->in[TN_FOR_EXTENT], &loops), nest);
        nest = tn_with_child(ir, kind, TN_FOR_VAR, vars[i - 1]);
      }
    }
    *out_nest = tn_sched_simplify(d->s, d->tree, tn_tree_parent(d->tree, d->loop), nest);
  }
  tn_map_deinit(&loops);
  return st;
}

/* An enclosing block that says that it reads what it writes of `buffer`. */
static const tn_node *with_read(tn_ir *ir, const tn_node *scope, const tn_node *buffer) {
  const tn_node *reads = scope->in[TN_BLOCK_READS];
  const tn_node *writes = scope->in[TN_BLOCK_WRITES];
  TN_VEC(const tn_node *) all = {0};
  for (uint32_t i = 0; i < reads->n_in; ++i) {
    TN_VEC_PUSH(&all, reads->in[i]);
  }
  for (uint32_t i = 0; i < writes->n_in; ++i) {
    bool is_told = writes->in[i]->in[TN_REGION_BUFFER] != buffer;
    for (uint32_t k = 0; k < reads->n_in; ++k) {
      is_told = is_told || reads->in[k] == writes->in[i];
    }
    if (!is_told) {
      TN_VEC_PUSH(&all, writes->in[i]);
    }
  }
  const tn_node *made =
      tn_with_child(ir, scope, TN_BLOCK_READS, tn_list(ir, (uint32_t)all.len, all.data));
  TN_VEC_DEINIT(&all);
  return made;
}

/* Blocks around the update: what it reads now, they read, unless their own init comes first. */
static tn_status tell_scopes(tn_sched *s, const tn_node *label) {
  const tn_node *block = tn_sched_site(s, label);
  const tn_node *scope = tn_tree_scope(tn_sched_tree(s, label), block);
  while (scope != NULL && scope->in[TN_BLOCK_WRITES]->n_in > 0 &&
         tn_is_none(scope->in[TN_BLOCK_INIT])) {
    const tn_node *told = scope;
    const tn_node *scope_label = scope->in[TN_BLOCK_LABEL];
    for (uint32_t i = 0; i < block->in[TN_BLOCK_WRITES]->n_in; ++i) {
      const tn_node *buffer = block->in[TN_BLOCK_WRITES]->in[i]->in[TN_REGION_BUFFER];
      told = with_read(s->ir, told, buffer);
    }
    TN_TRY(tn_sched_replace(s, scope, told));
    scope = tn_tree_scope(tn_sched_tree(s, scope_label), tn_sched_site(s, scope_label));
  }
  return NULL;
}

static tn_status decompose(decomposition *d, tn_prim_call *call) {
  tn_sched *s = d->s;
  const tn_node *nest = NULL;
  const tn_node *label = NULL;
  if (!tn_tree_is_around(d->tree, d->loop, d->block)) {
    return tn_refuse(s, d->loop->in[TN_FOR_VAR], NULL, "it is not around block '%s'",
                     tn_block_name(d->block));
  }
  if (tn_tree_scope(d->tree, d->loop) != tn_tree_scope(d->tree, d->block)) {
    return tn_refuse(s, d->loop->in[TN_FOR_VAR], NULL, "between it and block '%s' is another block",
                     tn_block_name(d->block));
  }
  TN_TRY(check_loop(d));
  TN_TRY(tn_starts_init(&d->starts, s, d->tree, d->block, d->loop));
  if (!d->starts.nest.is_chain || tn_loads_data(d->block->in[TN_BLOCK_INIT], NULL)) {
    TN_TRY(check_others(d));
  }
  TN_TRY(init_nest(d, d->starts.cond, &nest, &label));
  const tn_node *old = d->block->in[TN_BLOCK_LABEL];
  const tn_node *updated = tn_leaf_suffixed(s->ir, old, "_update");
  TN_TRY(tn_sched_replace(s, d->block, tn_block_without_init(s->ir, d->block, updated)));
  TN_TRY(tn_sched_insert(s, tn_sched_site(s, d->loop->in[TN_FOR_VAR]), nest, true));
  TN_TRY(tell_scopes(s, updated));
  tn_sched_rename(s, old, updated);
  call->out = label;
  return NULL;
}

tn_status tn_prim_decompose_reduction(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  decomposition d = {.s = s,
                     .tree = tree,
                     .block = tn_tree_site(tree, call->args[0]),
                     .loop = tn_tree_site(tree, call->args[1])};
  if (d.loop == NULL) {
    return tn_refuse(s, call->args[1], NULL, "it is in another function than block '%s'",
                     call->args[0]->attr.text);
  }
  TN_TRY(tn_block_reduction(s, tree, d.block));
  const tn_node *allocs = d.block->in[TN_BLOCK_ALLOCS];
  if (tn_expr_uses(d.block->in[TN_BLOCK_INIT], allocs->n_in, allocs->in)) {
    return tn_refuse(s, call->args[0], NULL, "its T.init() uses memory of the block");
  }
  tn_status st = decompose(&d, call);
  tn_starts_deinit(&d.starts);
  return st;
}
