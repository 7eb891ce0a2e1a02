/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Where a reduction begins. First a test by form, as bindings are after splits, fuses and reorders;
 * what that does not recognise is asked of integer sets. */
#include "sched/starts.h"

#include "sched/rewrite.h"
#include "sched/touches.h"

bool tn_iter_is_reduce(const tn_node *iter) { return iter->attr.i64 != TN_ITER_SPATIAL; }

const tn_node *tn_starts_top(const tn_starts *d) {
  return d->nest.n > 0 ? d->nest.loops[0] : d->block;
}

static const tn_node *both(const tn_starts *d, const tn_node *a, const tn_node *b) {
  return tn_sched_and(d->s->ir, a, b);
}

/* ---- the first step of each element ---- */

static void find_first(tn_starts *d) {
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  d->first = tn_bool(d->s->ir, true);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (tn_iter_is_reduce(iters->in[i]) && !tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1)) {
      d->first = both(d, d->first,
                      tn_index_binary(d->s->ir, TN_OP_EQ, iters->in[i]->in[TN_ITER_BINDING],
                                      iters->in[i]->in[TN_ITER_MIN]));
    }
  }
}

/* Bindings that are splits and fuses of loops, spatial and reduce axes of different ones, each value
 * of one with each of the other: then all loops of the reduce axes at their beginning is the first
 * step of every element. */
static bool has_form(const tn_starts *d, const tn_nest *nest) {
  const tn_node *iters = d->block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(d->s->ir);
  const tn_node *top = nest->n > 0 ? nest->loops[0] : d->block;
  tn_sched_bind_around(d->tree, arith, tn_tree_parent(d->tree, top));
  tn_domain domain = tn_nest_domain(nest);
  const tn_itermap *map = tn_itermap_detect(arith, &domain, nest->n_values, nest->values, NULL);
  bool is_found = map != NULL && map->is_injective && map->is_independent;
  uint64_t loops[2] = {0, 0};
  for (uint32_t i = 0; is_found && i < iters->n_in; ++i) {
    loops[tn_iter_is_reduce(iters->in[i])] |= map->values[i].loops;
    is_found = !tn_iter_is_reduce(iters->in[i]) ||
               tn_arith_prove(arith, tn_index_binary(d->s->ir, TN_OP_EQ, map->values[i].base,
                                                     iters->in[i]->in[TN_ITER_MIN]));
  }
  tn_arith_free(arith);
  return is_found && (loops[0] & loops[1]) == 0;
}

/* The reduce axes use loops of the nest alone. So it is true of the nest when it is true of all the
 * loops around: there conditions that bound i_0 * 4 + i_1 are understood, with i_0 outside of the
 * nest they are not. */
static bool is_by_form(const tn_starts *d) {
  tn_nest whole;
  tn_status st = tn_nest_find(d->s, d->tree, d->block, NULL, &whole);
  bool is_found =
      st == NULL && (has_form(d, &whole) || (whole.n > d->nest.n && has_form(d, &d->nest)));
  tn_status_free(st);
  return is_found;
}

typedef struct spatial_values {
  uint32_t n;
  const tn_node *values[TN_SCHED_MAX_LOOPS];
} spatial_values;

static spatial_values find_spatial(const tn_starts *d) {
  spatial_values out = {0};
  for (uint32_t i = 0; i < d->nest.n_values; ++i) {
    if (!tn_iter_is_reduce(d->block->in[TN_BLOCK_ITERS]->in[i])) {
      out.values[out.n++] = d->nest.values[i];
    }
  }
  return out;
}

tn_status tn_starts_refuse(const tn_starts *d, const tn_answer *answer, const char *what) {
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
static tn_status prove_first_steps(tn_starts *d) {
  tn_sets *sets = tn_sched_sets(d->s);
  spatial_values spatial = find_spatial(d);
  tn_access access = {.n_dims = spatial.n, .mins = spatial.values};
  tn_footprint all = {.domain = tn_nest_domain(&d->nest), .access = access};
  tn_footprint first = all;
  const tn_node *cond = both(d, d->nest.cond, d->first);
  first.domain.cond = tn_is_int(cond, 1) ? NULL : cond;
  tn_order later = {.op = TN_OP_GT, .n = d->nest.n, .a = d->nest.vars, .b = d->nest.vars};
  size_t mark = tn_sched_assume_around(d->s, d->tree, tn_starts_top(d));
  tn_answer covers = tn_sets_is_covered(sets, &all, 1, &first);
  tn_answer comes_first = {.verdict = TN_PROVED};
  if (covers.verdict == TN_PROVED) {
    comes_first = tn_sets_is_independent(sets, &first, &all, 1, &later);
  }
  tn_sets_pop(sets, mark);
  d->s->stats.n_questions += 2;
  if (covers.verdict != TN_PROVED) {
    return tn_starts_refuse(d, &covers, "an element is updated that never gets its first value");
  }
  if (comes_first.verdict != TN_PROVED) {
    return tn_starts_refuse(d, &comes_first,
                            "an element is updated before it gets its first value");
  }
  return NULL;
}

/* ---- what the new nest keeps ---- */

static void choose_loops(tn_starts *d) {
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
static const tn_node *init_cond(const tn_starts *d) {
  tn_ir *ir = d->s->ir;
  const tn_node *cond = both(d, d->nest.cond, d->by_form ? tn_bool(ir, true) : d->first);
  for (uint32_t i = 0; i < d->nest.n; ++i) {
    if (!d->is_kept[i]) {
      const tn_node *zero = tn_int(ir, d->nest.extents[i]->dtype, 0);
      cond = both(d, cond, tn_index_binary(ir, TN_OP_LT, zero, d->nest.extents[i]));
    }
  }
  return tn_subst(ir, cond, &d->dropped);
}

/* Leaving loops out reached all elements by form; else it is asked. */
static tn_status prove_init_reaches(const tn_starts *d, const tn_node *cond) {
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
  size_t mark = tn_sched_assume_around(d->s, d->tree, tn_starts_top(d));
  tn_answer answer = tn_sets_is_covered(tn_sched_sets(d->s), &all, 1, &init);
  tn_sets_pop(tn_sched_sets(d->s), mark);
  ++d->s->stats.n_questions;
  if (answer.verdict != TN_PROVED) {
    return tn_starts_refuse(d, &answer,
                            "the loops of the spatial axes alone do not reach an element");
  }
  return NULL;
}

tn_status tn_starts_init(tn_starts *d, tn_sched *s, const tn_tree *tree, const tn_node *block,
                         const tn_node *loop) {
  *d = (tn_starts){.s = s, .tree = tree, .block = block};
  TN_TRY(tn_nest_find(s, tree, block, loop, &d->nest));
  find_first(d);
  d->by_form = is_by_form(d);
  choose_loops(d);
  d->cond = init_cond(d);
  if (d->by_form) {
    ++s->stats.n_cheap;
    return NULL;
  }
  TN_TRY(prove_first_steps(d));
  return prove_init_reaches(d, d->cond);
}

void tn_starts_deinit(tn_starts *d) { tn_map_deinit(&d->dropped); }
