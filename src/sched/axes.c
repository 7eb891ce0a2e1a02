/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Steps of a block as sets.
 *
 * Why moving is right: where every block of a scope is complete or a reduction, the only writer, and
 * reads final values only, each element's value is a function of the inputs. Then a nest may be put
 * anywhere as long as every step is still done (a reduction's exactly once for each time that it
 * starts) and readers still find final values. These are the conditions proved here. */
#include "sched/axes.h"

#include "sched/deps.h"
#include "sched/loops.h"
#include "sched/touches.h"

/* ---- loops and bindings ---- */

static bool is_equal(tn_arith *arith, tn_ir *ir, const tn_node *a, const tn_node *b) {
  return tn_arith_prove(arith, tn_index_binary(ir, TN_OP_EQ, a, b));
}

/* An axis of one point is reached by whatever stays in it. */
static bool reaches_axis(tn_arith *arith, tn_ir *ir, const tn_node *iter, const tn_iter_sum *sum) {
  return sum->extent != NULL && is_equal(arith, ir, sum->base, iter->in[TN_ITER_MIN]) &&
         is_equal(arith, ir, sum->extent, iter->in[TN_ITER_EXTENT]) &&
         (sum->n == 0 || tn_is_int(sum->scale, 1));
}

static bool reaches_all_by_form(tn_sched *s, const tn_tree *tree, const tn_node *block,
                                const tn_nest *nest) {
  tn_arith *arith = tn_arith_new(s->ir);
  const tn_node *scope = tn_tree_scope(tree, block);
  if (scope != NULL) {
    tn_sched_bind_around(tree, arith, scope);
  }
  tn_domain domain = tn_nest_domain(nest);
  const tn_itermap *map = tn_itermap_detect(arith, &domain, nest->n_values, nest->values, NULL);
  bool is_reduction = !tn_is_none(block->in[TN_BLOCK_INIT]);
  bool is_found = map != NULL && map->is_independent && (map->is_injective || !is_reduction);
  for (uint32_t i = 0; is_found && i < nest->n_values; ++i) {
    is_found = reaches_axis(arith, s->ir, block->in[TN_BLOCK_ITERS]->in[i], &map->values[i]);
  }
  tn_arith_free(arith);
  return is_found;
}

static tn_status not_all(tn_sched *s, const tn_node *block, const tn_answer *answer) {
  tn_buf text = TN_BUF_INIT;
  tn_sched_print_points(answer, &text);
  if (answer->verdict == TN_UNDECIDED) {
    ++s->stats.n_undecided;
  }
  tn_status st = TN_ERR(
      TN_INVALID, "the loops of block '%s' %s every point of its axes%s", tn_block_name(block),
      answer->verdict == TN_REFUTED ? "do not reach" : "could not be proved to reach",
      tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* A loop that the block's ranges or its inside use otherwise than through its axes. */
static tn_status check_loop_stays(const tn_node *block, const tn_node *var) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    if (tn_expr_uses(iter->in[TN_ITER_MIN], 1, &var) ||
        tn_expr_uses(iter->in[TN_ITER_EXTENT], 1, &var)) {
      return TN_ERR(TN_INVALID, "the range of axis '%s' of block '%s' depends on loop '%s'",
                    iter->in[TN_ITER_VAR]->attr.text, tn_block_name(block), var->attr.text);
    }
  }
  for (uint32_t slot = TN_BLOCK_READS; slot <= TN_BLOCK_BODY; ++slot) {
    if (tn_expr_uses(block->in[slot], 1, &var)) {
      return TN_ERR(TN_INVALID, "block '%s' uses loop '%s' otherwise than through its axes",
                    tn_block_name(block), var->attr.text);
    }
  }
  return NULL;
}

tn_status tn_block_axes_stay(const tn_tree *tree, const tn_node *block) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_tree_loops(tree, block, loops);
  for (uint32_t k = 0; k < n; ++k) {
    TN_TRY(check_loop_stays(block, loops[k]->in[TN_FOR_VAR]));
  }
  return NULL;
}

tn_status tn_prove_all_steps(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  tn_nest nest;
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  TN_TRY(tn_block_axes_stay(tree, block));
  TN_TRY(tn_nest_find(s, tree, block, NULL, &nest));
  if (reaches_all_by_form(s, tree, block, &nest)) {
    ++s->stats.n_cheap;
    return NULL;
  }
  if (!tn_is_none(block->in[TN_BLOCK_INIT])) {
    return TN_ERR(TN_INVALID,
                  "the axes of the reduction '%s' are no splits and fuses of its loops that reach "
                  "each of its steps once",
                  tn_block_name(block));
  }
  const tn_node *axes[TN_MAX_AXES];
  const tn_node *mins[TN_MAX_AXES];
  const tn_node *extents[TN_MAX_AXES];
  for (uint32_t i = 0; i < nest.n_values; ++i) {
    axes[i] = iters->in[i]->in[TN_ITER_VAR];
    mins[i] = iters->in[i]->in[TN_ITER_MIN];
    extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
  }
  uint32_t n = nest.n_values;
  tn_footprint part = {.domain = {.n = n, .vars = axes, .mins = mins, .extents = extents},
                       .access = {.n_dims = n, .mins = axes}};
  tn_footprint whole = {.domain = tn_nest_domain(&nest),
                        .access = {.n_dims = n, .mins = nest.values}};
  size_t mark = tn_sched_assume_around(s, tree, nest.n == 0 ? block : nest.loops[0]);
  ++s->stats.n_questions;
  tn_answer answer = tn_sets_is_covered(tn_sched_sets(s), &part, 1, &whole);
  tn_sets_pop(tn_sched_sets(s), mark);
  if (answer.verdict != TN_PROVED) {
    return not_all(s, block, &answer);
  }
  return NULL;
}

/* ---- final values ---- */

static bool is_shared(const tn_touch *read, const tn_touch *write, const tn_node *reader,
                      const tn_node *writer) {
  return read->step == reader && !read->is_write && write->step == writer && write->is_write &&
         read->buffer == write->buffer;
}

static tn_status not_final(tn_sched *s, const tn_touch *read, const tn_touch *write,
                           const tn_answer *answer) {
  tn_buf text = TN_BUF_INIT;
  tn_sched_print_points(answer, &text);
  if (answer->verdict == TN_UNDECIDED) {
    ++s->stats.n_undecided;
  }
  tn_status st =
      TN_ERR(TN_INVALID, "block '%s' %s an element of '%s' before block '%s' is done with it%s",
             tn_block_name(read->step),
             answer->verdict == TN_REFUTED ? "would read" : "could not be proved not to read",
             read->buffer->attr.text, tn_block_name(write->step), tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

tn_status tn_prove_final(tn_sched *s, const tn_tree *tree, const tn_node *reader,
                         const tn_node *writer) {
  const tn_node *pair[] = {reader, writer};
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *vars[TN_SCHED_MAX_LOOPS];
  const tn_node *common = tn_tree_common(tree, 2, pair);
  uint32_t n = tn_tree_loops(tree, common, loops);
  if (tn_is(common, TN_OP_FOR)) {
    loops[n++] = common;
  }
  if (n == 0) {
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    vars[i] = loops[i]->in[TN_FOR_VAR];
  }
  tn_touches touches;
  TN_TRY(tn_touches_collect(s, tree, loops[0], &touches));
  tn_status st = NULL;
  tn_order order = {.op = TN_OP_LT, .n = n, .a = vars, .b = vars};
  size_t mark = tn_sched_assume_around(s, tree, loops[0]);
  for (size_t i = 0; i < touches.list.len && st == NULL; ++i) {
    for (size_t k = 0; k < touches.list.len && st == NULL; ++k) {
      const tn_touch *read = &touches.list.data[i];
      const tn_touch *write = &touches.list.data[k];
      if (is_shared(read, write, reader, writer)) {
        ++s->stats.n_questions;
        tn_answer answer =
            tn_sets_is_independent(tn_sched_sets(s), &read->print, &write->print, 1, &order);
        if (answer.verdict != TN_PROVED) {
          st = not_final(s, read, write, &answer);
        }
      }
    }
  }
  tn_sets_pop(tn_sched_sets(s), mark);
  tn_touches_deinit(&touches);
  return st;
}

tn_status tn_prove_rounds_apart(tn_sched *s, const tn_node *label) {
  const tn_tree *tree = tn_sched_tree(s, label);
  const tn_node *at = tn_tree_site(tree, label);
  for (; at != NULL; at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_FOR) && at->attr.i64 != TN_FOR_SERIAL && at->attr.i64 != TN_FOR_UNROLLED) {
      TN_TRY_MSG(tn_deps_carried(s, tree, at, at->attr.i64), "rounds of loop '%s' run at once",
                 at->in[TN_FOR_VAR]->attr.text);
    }
  }
  return NULL;
}

tn_status tn_prove_free_order(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  (void)s;
  if (tn_is_none(block->in[TN_BLOCK_INIT]) || tn_block_commutes(block)) {
    return NULL;
  }
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  uint32_t n = tn_tree_loops(tree, block, loops);
  uint32_t at = 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 == TN_ITER_SPATIAL) {
      continue;
    }
    while (at < n && loops[at]->in[TN_FOR_VAR] != iters->in[i]->in[TN_ITER_BINDING]) {
      ++at;
    }
    if (at == n) {
      return TN_ERR(TN_INVALID,
                    "the updates of block '%s' would come in another order, and they are not of "
                    "the kinds known to allow that (+, *, min, max, and, or)",
                    tn_block_name(block));
    }
  }
  return NULL;
}

/* ---- ranges ---- */

void tn_ranges_whole(const tn_node *block, tn_ranges *out) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  *out = (tn_ranges){.n = iters->n_in};
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    out->mins[i] = iters->in[i]->in[TN_ITER_MIN];
    out->extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
  }
}

typedef struct solver {
  tn_ir *ir;
  tn_arith *arith;
  const tn_node *block;
  const tn_node *region;
  const tn_box *box;
} solver;

static const tn_node *calc(const solver *v, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_index_binary(v->ir, op, a, b);
}

static const tn_node *calc_int(const solver *v, tn_op op, const tn_node *a, int64_t b) {
  return tn_index_binary(v->ir, op, a, tn_int(v->ir, a->dtype, b));
}

/* a * var + b and extent e meets [lo, lo + n): var in [(lo - b - e + a) // a, (lo + n - 1 - b) // a]. */
static bool solve_linear(const solver *v, uint32_t d, const tn_node *var, const tn_node **out_min,
                         const tn_node **out_extent) {
  const tn_node *range = v->region->in[TN_REGION_RANGES + d];
  const tn_node *coef = NULL;
  const tn_node *base = NULL;
  if (!tn_arith_linear(v->arith, range->in[TN_RANGE_MIN], 1, &var, &coef, &base) ||
      !tn_is(coef, TN_OP_INT) || coef->attr.i64 <= 0 || !tn_is(base, TN_OP_INT) ||
      !tn_is(range->in[TN_RANGE_EXTENT], TN_OP_INT)) {
    return false;
  }
  int64_t a = coef->attr.i64;
  int64_t e = range->in[TN_RANGE_EXTENT]->attr.i64;
  const tn_node *lo = calc(v, TN_OP_SUB, v->box->mins[d], base);
  if (a == 1 && e == 1) {
    *out_min = lo;
    *out_extent = v->box->extents[d];
    return true;
  }
  const tn_node *first = calc_int(v, TN_OP_FLOORDIV, calc_int(v, TN_OP_ADD, lo, a - e), a);
  const tn_node *end = calc_int(v, TN_OP_SUB, calc(v, TN_OP_ADD, lo, v->box->extents[d]), 1);
  const tn_node *last = calc_int(v, TN_OP_FLOORDIV, end, a);
  *out_min = first;
  *out_extent = calc_int(v, TN_OP_ADD, calc(v, TN_OP_SUB, last, first), 1);
  return true;
}

static bool is_of(const tn_node *n, tn_op op, const tn_node *var) {
  return tn_is(n, op) && n->in[TN_A] == var && tn_is(n->in[TN_B], TN_OP_INT) &&
         n->in[TN_B]->attr.i64 > 0;
}

/* var // c and, in another dimension, var % c: the packed layouts. */
static bool solve_digits(const solver *v, uint32_t d, const tn_node *var, const tn_node **out_min,
                         const tn_node **out_extent) {
  const tn_node *range = v->region->in[TN_REGION_RANGES + d];
  const tn_node *high = range->in[TN_RANGE_MIN];
  if (!is_of(high, TN_OP_FLOORDIV, var) || !tn_is_int(range->in[TN_RANGE_EXTENT], 1)) {
    return false;
  }
  int64_t c = high->in[TN_B]->attr.i64;
  *out_min = calc_int(v, TN_OP_MUL, v->box->mins[d], c);
  *out_extent = calc_int(v, TN_OP_MUL, v->box->extents[d], c);
  for (uint32_t k = 0; k < v->box->n && tn_is_int(v->box->extents[d], 1); ++k) {
    const tn_node *low = v->region->in[TN_REGION_RANGES + k];
    if (is_of(low->in[TN_RANGE_MIN], TN_OP_FLOORMOD, var) &&
        low->in[TN_RANGE_MIN]->in[TN_B]->attr.i64 == c && tn_is_int(low->in[TN_RANGE_EXTENT], 1)) {
      *out_min = calc(v, TN_OP_ADD, *out_min, v->box->mins[k]);
      *out_extent = v->box->extents[k];
    }
  }
  return true;
}

static bool solve_axis(const solver *v, const tn_node *var, const tn_node **out_min,
                       const tn_node **out_extent) {
  for (uint32_t d = 0; d < v->box->n; ++d) {
    if (solve_linear(v, d, var, out_min, out_extent) ||
        solve_digits(v, d, var, out_min, out_extent)) {
      *out_min = tn_arith_simplify(v->arith, *out_min);
      *out_extent = tn_arith_simplify(v->arith, *out_extent);
      return true;
    }
  }
  return false;
}

/* All of the axis is in the range. */
static bool is_whole(const solver *v, const tn_node *iter, const tn_node *min,
                     const tn_node *extent) {
  const tn_node *end = calc(v, TN_OP_ADD, min, extent);
  const tn_node *axis_end = calc(v, TN_OP_ADD, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
  return tn_arith_prove(v->arith, calc(v, TN_OP_LE, min, iter->in[TN_ITER_MIN])) &&
         tn_arith_prove(v->arith, calc(v, TN_OP_LE, axis_end, end));
}

void tn_ranges_for_box(tn_sched *s, tn_arith *arith, const tn_node *block, const tn_node *region,
                       const tn_box *box, tn_ranges *ranges) {
  solver v = {.ir = s->ir, .arith = arith, .block = block, .region = region, .box = box};
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *min = NULL;
    const tn_node *extent = NULL;
    if (solve_axis(&v, iter->in[TN_ITER_VAR], &min, &extent)) {
      bool is_all = is_whole(&v, iter, min, extent);
      ranges->mins[i] = is_all ? iter->in[TN_ITER_MIN] : min;
      ranges->extents[i] = is_all ? iter->in[TN_ITER_EXTENT] : extent;
      ranges->is_solved[i] = true;
    }
  }
}

void tn_ranges_join(const tn_node *block, const tn_ranges *other, tn_ranges *ranges) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < ranges->n; ++i) {
    if (ranges->mins[i] != other->mins[i] || ranges->extents[i] != other->extents[i]) {
      ranges->mins[i] = iters->in[i]->in[TN_ITER_MIN];
      ranges->extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
      ranges->is_solved[i] = false;
    }
  }
}

/* min <= binding < min + extent, where that is not known. */
static const tn_node *stay_inside(tn_ir *ir, tn_arith *arith, const tn_node *iter,
                                  const tn_node *binding, const tn_node *predicate) {
  const tn_node *end =
      tn_index_binary(ir, TN_OP_ADD, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
  const tn_node *is_inside[] = {tn_index_binary(ir, TN_OP_LE, iter->in[TN_ITER_MIN], binding),
                                tn_index_binary(ir, TN_OP_LT, binding, end)};
  for (int32_t k = 0; k < 2; ++k) {
    if (!tn_arith_prove(arith, is_inside[k])) {
      predicate = tn_sched_and(ir, predicate, is_inside[k]);
    }
  }
  return predicate;
}

const tn_node *tn_ranges_nest(tn_sched *s, const tn_tree *tree, const tn_node *around,
                              const tn_node *block, const tn_ranges *ranges, bool keeps_units) {
  tn_ir *ir = s->ir;
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *vars[TN_MAX_AXES] = {NULL};
  const tn_node *predicate = tn_bool(ir, true);
  uint32_t n_made = 0;
  tn_arith *arith = tn_arith_new(ir);
  if (around != NULL) {
    tn_sched_bind_around(tree, arith, around);
  }
  for (uint32_t i = 0; i < ranges->n; ++i) {
    const tn_node *iter = iters->in[i];
    tn_dtype dtype = iter->in[TN_ITER_VAR]->dtype;
    const tn_node *binding = tn_index_cast(ir, dtype, ranges->mins[i]);
    if (keeps_units || !tn_is_int(ranges->extents[i], 1)) {
      char name[16];
      (void)snprintf(name, sizeof name, "ax%u", n_made++);
      vars[i] = tn_var_new(ir, name, dtype);
      tn_arith_bind_range(arith, vars[i], tn_int(ir, dtype, 0),
                          tn_index_cast(ir, dtype, ranges->extents[i]));
      binding = tn_index_binary(ir, TN_OP_ADD, binding, vars[i]);
    }
    binding = tn_arith_simplify(arith, binding);
    predicate = stay_inside(ir, arith, iter, binding, predicate);
    iters = tn_with_child(ir, iters, i, tn_with_child(ir, iter, TN_ITER_BINDING, binding));
  }
  tn_arith_free(arith);
  block = tn_with_child(ir, block, TN_BLOCK_ITERS, iters);
  block = tn_with_child(ir, block, TN_BLOCK_PREDICATE, predicate);
  return tn_loops_around(ir, ranges->n, vars, ranges->extents, block);
}
