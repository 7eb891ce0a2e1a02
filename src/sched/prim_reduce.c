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
#include "sched/touches.h"

typedef struct decomposition {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop;
  tn_nest nest;
  const tn_node *starts; /* all reduce axes are at their beginning */
  bool by_form;          /* proved by the form of the bindings */
  tn_map dropped;        /* loops that no spatial axis uses -> their first value */
  bool is_kept[TN_SCHED_MAX_LOOPS];
} decomposition;

static bool is_reduce(const tn_node *iter) { return iter->attr.i64 != TN_ITER_SPATIAL; }

static const tn_node *both(const decomposition *d, const tn_node *a, const tn_node *b) {
  return tn_sched_and(d->s->ir, a, b);
}

/* ---- where the loop stands ---- */

static tn_status check_loop(const decomposition *d) {
  const tn_node *around[TN_SCHED_MAX_LOOPS];
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  uint32_t n = tn_tree_loops(d->tree, d->loop, around);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *var = around[i]->in[TN_FOR_VAR];
    for (uint32_t k = 0; k < iters->n_in; ++k) {
      if (is_reduce(iters->in[k]) && tn_expr_uses(iters->in[k]->in[TN_ITER_BINDING], 1, &var)) {
        return tn_refuse(d->s, d->loop->in[TN_FOR_VAR],
                         "choose a loop around all those that the reduce axes use",
                         "loop '%s' around it is used by the reduce axis '%s' of block '%s'",
                         var->attr.text, iters->in[k]->in[TN_ITER_VAR]->attr.text,
                         d->block->in[TN_BLOCK_LABEL]->attr.text);
      }
    }
  }
  return NULL;
}

/* ---- the first step of each element ---- */

static void find_starts(decomposition *d) {
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  d->starts = tn_bool(d->s->ir, true);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (is_reduce(iters->in[i]) && !tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1)) {
      d->starts = both(d, d->starts,
                       tn_index_binary(d->s->ir, TN_OP_EQ, iters->in[i]->in[TN_ITER_BINDING],
                                       iters->in[i]->in[TN_ITER_MIN]));
    }
  }
}

/* Bindings that are splits and fuses of loops, spatial and reduce axes of different ones, each value
 * of one with each of the other: then all loops of the reduce axes at their beginning is the first
 * step of every element. */
static bool is_by_form(const decomposition *d) {
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(d->s->ir);
  tn_sched_bind_around(d->tree, arith, tn_tree_parent(d->tree, d->loop));
  tn_domain domain = tn_nest_domain(&d->nest);
  const tn_itermap *map = tn_itermap_detect(arith, &domain, d->nest.n_values, d->nest.values, NULL);
  bool is_found = map != NULL && map->is_injective && map->is_independent;
  uint64_t loops[2] = {0, 0};
  for (uint32_t i = 0; is_found && i < iters->n_in; ++i) {
    loops[is_reduce(iters->in[i])] |= map->values[i].loops;
    is_found = !is_reduce(iters->in[i]) ||
               tn_arith_prove(arith, tn_index_binary(d->s->ir, TN_OP_EQ, map->values[i].base,
                                                     iters->in[i]->in[TN_ITER_MIN]));
  }
  tn_arith_free(arith);
  return is_found && (loops[0] & loops[1]) == 0;
}

typedef struct spatial_values {
  uint32_t n;
  const tn_node *values[TN_SCHED_MAX_LOOPS];
} spatial_values;

static spatial_values find_spatial(const decomposition *d) {
  spatial_values out = {0};
  for (uint32_t i = 0; i < d->nest.n_values; ++i) {
    if (!is_reduce(d->block->in[TN_BLOCK_ITERS]->in[i])) {
      out.values[out.n++] = d->nest.values[i];
    }
  }
  return out;
}

static tn_status undone(const decomposition *d, const tn_answer *answer, const char *what) {
  tn_buf points = TN_BUF_INIT;
  tn_sched_print_points(answer, &points);
  tn_status st =
      tn_refuse(d->s, d->block->in[TN_BLOCK_LABEL], NULL, "%s%s%s",
                answer->verdict == TN_REFUTED ? "" : "it could not be decided, so perhaps ", what,
                tn_buf_text(&points));
  tn_buf_deinit(&points);
  return st;
}

/* The same asked of integer sets. */
static tn_status prove_first_steps(decomposition *d) {
  tn_sets *sets = tn_sched_sets(d->s);
  spatial_values spatial = find_spatial(d);
  tn_access access = {.n_dims = spatial.n, .mins = spatial.values};
  tn_footprint all = {.domain = tn_nest_domain(&d->nest), .access = access};
  tn_footprint first = all;
  const tn_node *cond = both(d, d->nest.cond, d->starts);
  first.domain.cond = tn_is_int(cond, 1) ? NULL : cond;
  tn_order later = {.op = TN_OP_GT, .n = d->nest.n, .a = d->nest.vars, .b = d->nest.vars};
  size_t mark = tn_sched_assume_around(d->s, d->tree, d->loop);
  tn_answer covers = tn_sets_is_covered(sets, &all, 1, &first);
  tn_answer comes_first = {.verdict = TN_PROVED};
  if (covers.verdict == TN_PROVED) {
    comes_first = tn_sets_is_independent(sets, &first, &all, 1, &later);
  }
  tn_sets_pop(sets, mark);
  d->s->stats.n_questions += 2;
  if (covers.verdict != TN_PROVED) {
    return undone(d, &covers, "an element is updated that never gets its first value");
  }
  if (comes_first.verdict != TN_PROVED) {
    return undone(d, &comes_first, "an element is updated before it gets its first value");
  }
  return NULL;
}

/* ---- what the new nest keeps ---- */

static void choose_loops(decomposition *d) {
  spatial_values spatial = find_spatial(d);
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    for (uint32_t k = 0; k < spatial.n; ++k) {
      d->is_kept[i] = d->is_kept[i] || tn_expr_uses(spatial.values[k], 1, &d->nest.vars[i]);
    }
  }
  for (uint32_t i = d->nest.n; i > 1; --i) { /* and what their bounds use */
    for (uint32_t k = 0; k < i - 1 && d->is_kept[i - 1]; ++k) {
      d->is_kept[k] = d->is_kept[k] || tn_expr_uses(d->nest.extents[i - 1], 1, &d->nest.vars[k]) ||
                      tn_expr_uses(d->nest.mins[i - 1], 1, &d->nest.vars[k]);
    }
  }
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    if (!d->is_kept[i]) {
      const tn_node *first = tn_subst(d->s->ir, d->nest.mins[i], &d->dropped);
      tn_map_set(&d->dropped, d->nest.vars[i]->id, (uint64_t)(uintptr_t)first);
    }
  }
}

/* When the first step of an element is done, with the dropped loops at their beginning; those must
 * have a round at all. */
static const tn_node *init_cond(const decomposition *d) {
  tn_ir *ir = d->s->ir;
  const tn_node *cond = both(d, d->nest.cond, d->by_form ? tn_bool(ir, true) : d->starts);
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    if (!d->is_kept[i]) {
      const tn_node *zero = tn_int(ir, d->nest.extents[i]->dtype, 0);
      cond = both(d, cond, tn_index_binary(ir, TN_OP_LT, zero, d->nest.extents[i]));
    }
  }
  return tn_subst(ir, cond, &d->dropped);
}

/* Leaving loops out reached all elements by form; else it is asked. */
static tn_status prove_init_reaches(const decomposition *d, const tn_node *cond) {
  const tn_node *vars[TN_SCHED_MAX_LOOPS];
  const tn_node *mins[TN_SCHED_MAX_LOOPS];
  const tn_node *extents[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    if (d->is_kept[i]) {
      vars[n] = d->nest.vars[i];
      mins[n] = d->nest.mins[i];
      extents[n++] = d->nest.extents[i];
    }
  }
  spatial_values spatial = find_spatial(d);
  tn_access access = {.n_dims = spatial.n, .mins = spatial.values};
  tn_footprint all = {.domain = tn_nest_domain(&d->nest), .access = access};
  tn_footprint init = {.domain = {.n = n,
                                  .vars = vars,
                                  .mins = mins,
                                  .extents = extents,
                                  .cond = tn_is_int(cond, 1) ? NULL : cond},
                       .access = access};
  size_t mark = tn_sched_assume_around(d->s, d->tree, d->loop);
  tn_answer answer = tn_sets_is_covered(tn_sched_sets(d->s), &all, 1, &init);
  tn_sets_pop(tn_sched_sets(d->s), mark);
  ++d->s->stats.n_questions;
  return answer.verdict == TN_PROVED
             ? NULL
             : undone(d, &answer, "the loops of the spatial axes alone do not reach an element");
}

/* ---- other statements below the loop ---- */

static bool loads_from(const tn_node *stmt, const tn_node *data) {
  if (tn_is(stmt, TN_OP_LOAD) && stmt->in[TN_LOAD_BUFFER]->in[TN_BUFFER_DATA] == data) {
    return true;
  }
  for (uint32_t i = 0; i < stmt->n_in; ++i) {
    if (loads_from(stmt->in[i], data)) {
      return true;
    }
  }
  return false;
}

static uint32_t common_loops(const decomposition *d, const tn_node *step) {
  uint32_t n = 0;
  while (n < d->nest.n && tn_tree_is_around(d->tree, d->nest.loops[n], step)) {
    ++n;
  }
  return n;
}

/* No round of `other` that comes before an element's first value touches the element. */
static tn_status ask_before(const decomposition *d, const tn_touch *own, const tn_touch *other,
                            bool is_earlier_in_text) {
  tn_footprint first = own->print;
  const tn_node *old = first.domain.cond != NULL ? first.domain.cond : tn_bool(d->s->ir, true);
  const tn_node *cond = both(d, old, d->starts);
  first.domain.cond = tn_is_int(cond, 1) ? NULL : cond;
  tn_footprint print = other->print;
  if (own->buffer != other->buffer) { /* two names of one memory */
    first.access.n_dims = 0;
    print.access.n_dims = 0;
  }
  uint32_t n = common_loops(d, other->step);
  tn_order order = {
      .op = is_earlier_in_text ? TN_OP_GE : TN_OP_GT, .n = n, .a = d->nest.vars, .b = d->nest.vars};
  size_t mark = tn_sched_assume_around(d->s, d->tree, d->loop);
  tn_answer answer = tn_sets_is_independent(tn_sched_sets(d->s), &first, &print, 1, &order);
  tn_sets_pop(tn_sched_sets(d->s), mark);
  ++d->s->stats.n_questions;
  if (answer.verdict == TN_PROVED) {
    return NULL;
  }
  return undone(d, &answer,
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
    if (own->is_write && loads_from(init, own->buffer->in[TN_BUFFER_DATA])) {
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

static const tn_node *suffixed(tn_ir *ir, const tn_node *named, const char *suffix) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s%s", named->attr.text, suffix);
  const char *text = tn_ir_text(ir, tn_buf_text(&name));
  const tn_node *made =
      tn_is(named, TN_OP_VAR) ? tn_var_new(ir, text, named->dtype) : tn_label_new(ir, text);
  tn_ir_set_pos(ir, made, tn_ir_pos(ir, named));
  tn_buf_deinit(&name);
  return made;
}

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
    if (is_reduce(iter)) {
      tn_map_set(&starts, iter->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)iter->in[TN_ITER_MIN]);
      continue;
    }
    const tn_node *binding = tn_subst(ir, iter->in[TN_ITER_BINDING], loops);
    TN_VEC_PUSH(&kept, tn_with_child(ir, iter, TN_ITER_BINDING, binding));
  }
  const tn_node *in[] = {[TN_BLOCK_LABEL] = suffixed(ir, d->block->in[TN_BLOCK_LABEL], "_init"),
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
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    if (d->is_kept[i]) {
      vars[i] = suffixed(ir, d->nest.vars[i], "_init");
      tn_map_set(&loops, d->nest.vars[i]->id, (uint64_t)(uintptr_t)vars[i]);
    }
  }
  tn_status st = init_block(d, &loops, cond, &nest);
  if (st == NULL) {
    *out_label = nest->in[TN_BLOCK_LABEL];
    for (uint32_t i = d->nest.n; i > 0; --i) {
      const tn_node *loop = d->nest.loops[i - 1];
      if (d->is_kept[i - 1]) {
        const tn_node *kind = d->by_form ? loop : tn_for_with_kind(ir, loop, TN_FOR_SERIAL);
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

/* The block without init; what it writes it now reads too, and says so first. */
static const tn_node *update_block(tn_ir *ir, const tn_node *block, const tn_node *label) {
  const tn_node *reads = block->in[TN_BLOCK_READS];
  const tn_node *writes = block->in[TN_BLOCK_WRITES];
  TN_VEC(const tn_node *) all = {0};
  for (uint32_t i = 0; i < writes->n_in; ++i) {
    TN_VEC_PUSH(&all, writes->in[i]);
  }
  for (uint32_t i = 0; i < reads->n_in; ++i) {
    bool is_there = false;
    for (uint32_t k = 0; k < writes->n_in; ++k) {
      is_there = is_there || reads->in[i] == writes->in[k];
    }
    if (!is_there) {
      TN_VEC_PUSH(&all, reads->in[i]);
    }
  }
  const tn_node *out = tn_with_child(ir, block, TN_BLOCK_LABEL, label);
  out = tn_with_child(ir, out, TN_BLOCK_READS, tn_list(ir, (uint32_t)all.len, all.data));
  TN_VEC_DEINIT(&all);
  return tn_with_child(ir, out, TN_BLOCK_INIT, tn_none(ir));
}

static tn_status decompose(decomposition *d, tn_prim_call *call) {
  tn_sched *s = d->s;
  const tn_node *nest = NULL;
  const tn_node *label = NULL;
  TN_TRY(check_loop(d));
  find_starts(d);
  d->by_form = is_by_form(d);
  choose_loops(d);
  const tn_node *cond = init_cond(d);
  if (d->by_form) {
    ++s->stats.n_cheap;
  } else {
    TN_TRY(prove_first_steps(d));
    TN_TRY(prove_init_reaches(d, cond));
  }
  if (!d->nest.is_chain || (d->block->in[TN_BLOCK_INIT]->flags & TN_NF_READS) != 0) {
    TN_TRY(check_others(d));
  }
  TN_TRY(init_nest(d, cond, &nest, &label));
  const tn_node *old = d->block->in[TN_BLOCK_LABEL];
  const tn_node *updated = suffixed(s->ir, old, "_update");
  TN_TRY(tn_sched_replace(s, d->block, update_block(s->ir, d->block, updated)));
  TN_TRY(tn_sched_insert(s, tn_sched_site(s, d->loop->in[TN_FOR_VAR]), nest, true));
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
  TN_TRY(tn_nest_find(s, tree, d.block, d.loop, &d.nest));
  const tn_node *allocs = d.block->in[TN_BLOCK_ALLOCS];
  if (tn_expr_uses(d.block->in[TN_BLOCK_INIT], allocs->n_in, allocs->in)) {
    return tn_refuse(s, call->args[0], NULL, "its T.init() uses memory of the block");
  }
  tn_status st = decompose(&d, call);
  tn_map_deinit(&d.dropped);
  return st;
}
