/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Questions about dependences. First a test by form: one block below whose axes are splits and fuses
 * of the loops, proved to keep its promise. What that does not answer is asked of integer sets, for
 * each pair of accesses to one buffer with a write among them. */
#include "sched/deps.h"

#include "sched/rewrite.h"

/* ---- what a question is about ---- */

typedef struct asker {
  tn_sched *s;
  const tn_tree *tree;
  uint32_t n_orders;
  tn_order orders[2];
  const char *what;    /* "two rounds of loop 'i' touch one element" */
  const tn_node *loop; /* parallel: its rounds may have memory of their own; else NULL */
  tn_map own;          /* ids of buffers that are known to be that */
} asker;

static const char *step_name(const tn_touch *t) {
  return tn_is(t->step, TN_OP_BLOCK) ? tn_block_name(t->step) : "(a store)";
}

static void print_point(const char *before, const tn_point *point, tn_buf *out) {
  for (uint32_t i = 0; i < point->n; ++i) {
    tn_buf_printf(out, "%s%s=%lld", i == 0 ? before : ", ", point->vars[i]->attr.text,
                  (long long)point->values[i]);
  }
}

void tn_sched_print_points(const tn_answer *answer, tn_buf *out) {
  print_point(", for example at ", &answer->a, out);
  print_point(" and at ", &answer->b, out);
  print_point(" with ", &answer->symbols, out);
}

static tn_status conflict(const asker *q, const tn_touch *a, const tn_touch *b,
                          const tn_answer *answer) {
  tn_buf text = TN_BUF_INIT;
  bool is_known = answer->verdict == TN_REFUTED;
  tn_buf_printf(&text, "block '%s' %s '%s' and block '%s' %s it", step_name(a),
                a->is_write ? "writes" : "reads", a->buffer->attr.text, step_name(b),
                b->is_write ? "writes" : "reads");
  tn_sched_print_points(answer, &text);
  tn_status st = is_known
                     ? TN_ERR(TN_INVALID, "%s: %s", q->what, tn_buf_text(&text))
                     : TN_ERR(TN_INVALID, "it could not be decided whether %s: %s%s", q->what,
                              tn_buf_text(&text),
                              answer->verdict == TN_UNDECIDED ? " (too many operations)"
                                                              : " (an index that is not affine)");
  tn_buf_deinit(&text);
  return st;
}

/* No pair of a's and b's steps that stand in the orders touches one element. */
static tn_status ask(asker *q, const tn_touch *a, const tn_touch *b) {
  tn_footprint fa = a->print;
  tn_footprint fb = b->print;
  if (a->buffer != b->buffer) { /* two views of one memory: anything may meet */
    fa.access.n_dims = 0;
    fb.access.n_dims = 0;
  }
  tn_answer answer = tn_sets_is_independent(tn_sched_sets(q->s), &fa, &fb, q->n_orders, q->orders);
  if (answer.verdict == TN_UNDECIDED) {
    ++q->s->stats.n_undecided;
  }
  ++q->s->stats.n_questions;
  if (answer.verdict != TN_PROVED) {
    return conflict(q, a, b, &answer);
  }
  return NULL;
}

/* The same, but that the buffer may be private to the rounds of a parallel loop. touches: of it. */
static tn_status ask_private(asker *q, const tn_touch *a, const tn_touch *b, tn_touches *touches) {
  const tn_node *buffer = a->buffer;
  bool is_same = buffer == b->buffer;
  if (is_same && tn_map_find(&q->own, buffer->id, NULL)) {
    return NULL;
  }
  tn_status st = ask(q, a, b);
  if (st == NULL || q->loop == NULL || !is_same ||
      !tn_scope_allocates(tn_tree_scope(q->tree, q->loop), buffer)) {
    return st;
  }
  tn_status why = tn_prove_private(q->s, q->tree, q->loop, touches, buffer);
  if (why != NULL) {
    tn_status both = TN_ERR(TN_INVALID, "%s; '%s' is not each round's own: %s",
                            tn_status_message(st), buffer->attr.text, tn_status_message(why));
    tn_status_free(st);
    tn_status_free(why);
    return both;
  }
  tn_map_set(&q->own, buffer->id, 1);
  tn_status_free(st);
  return NULL;
}

/* Two updates of one reduction whose order is free. */
static bool are_free_updates(const tn_touch *a, const tn_touch *b) {
  return a->step == b->step && tn_is(a->step, TN_OP_BLOCK) && a->buffer == b->buffer &&
         tn_block_commutes(a->step);
}

/* Each pair both ways: the orders are not symmetric. */
static tn_status ask_pairs(asker *q, tn_touches *as, const tn_touches *bs, bool moves_reductions) {
  for (size_t i = 0; i < as->list.len; ++i) {
    for (size_t k = 0; k < bs->list.len; ++k) {
      const tn_touch *a = &as->list.data[i];
      const tn_touch *b = &bs->list.data[k];
      if (tn_touches_meet(a, b) && !(moves_reductions && are_free_updates(a, b))) {
        TN_TRY(ask_private(q, a, b, as));
      }
    }
  }
  return NULL;
}

/* ---- the test by form ---- */

typedef struct form {
  const tn_node *block;
  uint32_t n_loops;
  uint64_t
      spatial;    /* bit i: loop i, counted from the statement asked about, feeds a spatial axis */
  uint64_t other; /* feeds another axis */
} form;

static bool find_form(tn_sched *s, const tn_tree *tree, const tn_node *loop, form *out) {
  const tn_node *vars[TN_ITER_MAX_LOOPS];
  const tn_node *mins[TN_ITER_MAX_LOOPS];
  const tn_node *extents[TN_ITER_MAX_LOOPS];
  const tn_node *values[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  const tn_node *at = loop;
  for (; tn_is(at, TN_OP_FOR) && n < TN_ITER_MAX_LOOPS; at = at->in[TN_FOR_BODY]) {
    vars[n] = at->in[TN_FOR_VAR];
    mins[n] = at->in[TN_FOR_MIN];
    extents[n++] = at->in[TN_FOR_EXTENT];
  }
  if (!tn_is(at, TN_OP_BLOCK) || at->in[TN_BLOCK_ITERS]->n_in > TN_SCHED_MAX_LOOPS) {
    return false;
  }
  tn_status st = tn_block_keeps_promise(s, tree, at);
  if (st != NULL) {
    tn_status_free(st);
    return false;
  }
  const tn_node *iters = at->in[TN_BLOCK_ITERS];
  const tn_node *predicate = at->in[TN_BLOCK_PREDICATE];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    values[i] = iters->in[i]->in[TN_ITER_BINDING];
  }
  tn_domain domain = {.n = n,
                      .vars = vars,
                      .mins = mins,
                      .extents = extents,
                      .cond = tn_is_int(predicate, 1) ? NULL : predicate};
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_around(tree, arith, tn_tree_parent(tree, loop));
  const tn_itermap *map = tn_itermap_detect(arith, &domain, iters->n_in, values, NULL);
  *out = (form){.block = at, .n_loops = n};
  for (uint32_t i = 0; map != NULL && i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 == TN_ITER_SPATIAL) {
      out->spatial |= map->values[i].loops;
    } else {
      out->other |= map->values[i].loops;
    }
  }
  bool is_found = map != NULL && map->is_injective;
  tn_arith_free(arith);
  return is_found;
}

/* ---- carried by a loop ---- */

tn_status tn_deps_carried(tn_sched *s, const tn_tree *tree, const tn_node *loop, int64_t kind) {
  form f = {0};
  bool has_form = find_form(s, tree, loop, &f);
  bool is_reduction = has_form && (f.other & 1) != 0;
  if (has_form && (f.spatial & 1) != 0 && !is_reduction) {
    ++s->stats.n_cheap;
    return NULL;
  }
  tn_touches touches;
  tn_buf what = TN_BUF_INIT;
  const tn_node *var = loop->in[TN_FOR_VAR];
  TN_TRY(tn_touches_collect(s, tree, loop, &touches));
  if (tn_touches_are_apart(s, &touches)) {
    ++s->stats.n_cheap;
    tn_touches_deinit(&touches);
    return NULL;
  }
  tn_buf_printf(&what, "two rounds of loop '%s' touch one element%s", var->attr.text,
                is_reduction ? " of a reduction" : "");
  size_t mark = tn_sched_assume_around(s, tree, loop);
  asker q = {.s = s,
             .tree = tree,
             .n_orders = 1,
             .orders = {{.op = TN_OP_LT, .n = 1, .a = &var, .b = &var}},
             .what = tn_buf_text(&what),
             .loop = kind == TN_FOR_PARALLEL ? loop : NULL};
  tn_status st = ask_pairs(&q, &touches, &touches, false);
  tn_map_deinit(&q.own);
  tn_sets_pop(tn_sched_sets(s), mark);
  tn_buf_deinit(&what);
  tn_touches_deinit(&touches);
  return st;
}

/* ---- another order of a nest ---- */

typedef struct order_vars {
  const tn_node *old_vars[TN_SCHED_MAX_LOOPS];
  const tn_node *new_vars[TN_SCHED_MAX_LOOPS];
} order_vars;

static uint32_t place_of(const tn_node *const *loops, uint32_t n, const tn_node *loop) {
  uint32_t i = 0;
  while (i < n && loops[i] != loop) {
    ++i;
  }
  return i;
}

/* Loops that feed other than spatial axes keep their order among themselves. */
static bool keeps_other_order(const form *f, uint32_t n, const tn_node *const *old_loops,
                              const tn_node *const *new_loops) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if ((f->other >> i & 1) != 0) {
      uint32_t at = place_of(new_loops, n, old_loops[i]);
      if (at < last) {
        return false;
      }
      last = at;
    }
  }
  return true;
}

/* The update that comes first for its element has to stay first: where all reduce axes begin. */
static tn_status ask_first_values(asker *q, const tn_touches *touches) {
  tn_ir *ir = q->s->ir;
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    if (!t->is_write || !tn_is(t->step, TN_OP_BLOCK) || tn_is_none(t->step->in[TN_BLOCK_INIT])) {
      continue;
    }
    tn_touch first = *t;
    const tn_node *cond = t->print.domain.cond != NULL ? t->print.domain.cond : tn_bool(ir, true);
    const tn_node *iters = t->step->in[TN_BLOCK_ITERS];
    for (uint32_t k = 0; k < iters->n_in; ++k) {
      if (iters->in[k]->attr.i64 != TN_ITER_SPATIAL) {
        cond = tn_sched_and(ir, cond,
                            tn_binary(ir, TN_OP_EQ, iters->in[k]->in[TN_ITER_BINDING],
                                      iters->in[k]->in[TN_ITER_MIN]));
      }
    }
    first.print.domain.cond = tn_is_int(cond, 1) ? NULL : cond;
    TN_TRY(ask(q, &first, t));
    TN_TRY(ask(q, t, &first));
  }
  return NULL;
}

tn_status tn_deps_reorder(tn_sched *s, const tn_tree *tree, uint32_t n,
                          const tn_node *const *old_loops, const tn_node *const *new_loops) {
  form f;
  order_vars vars;
  tn_touches touches;
  if (find_form(s, tree, old_loops[0], &f) && (f.spatial & f.other) == 0 &&
      (keeps_other_order(&f, n, old_loops, new_loops) || tn_block_commutes(f.block))) {
    ++s->stats.n_cheap;
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    vars.old_vars[i] = old_loops[i]->in[TN_FOR_VAR];
    vars.new_vars[i] = new_loops[i]->in[TN_FOR_VAR];
  }
  TN_TRY(tn_touches_collect(s, tree, old_loops[0], &touches));
  size_t mark = tn_sched_assume_around(s, tree, old_loops[0]);
  asker q = {.s = s,
             .tree = tree,
             .n_orders = 2,
             .orders = {{.op = TN_OP_LT, .n = n, .a = vars.old_vars, .b = vars.old_vars},
                        {.op = TN_OP_GT, .n = n, .a = vars.new_vars, .b = vars.new_vars}},
             .what = "two accesses to one element would change places"};
  tn_status st = ask_pairs(&q, &touches, &touches, true);
  if (st == NULL) {
    st = ask_first_values(&q, &touches);
  }
  tn_sets_pop(tn_sched_sets(s), mark);
  tn_touches_deinit(&touches);
  return st;
}

/* ---- two neighbours ---- */

static tn_status ask_neighbours(tn_sched *s, const tn_tree *tree, const tn_node *first,
                                const tn_node *second, uint32_t n_orders, tn_order order,
                                const char *what) {
  tn_touches a;
  tn_touches b;
  TN_TRY(tn_touches_collect(s, tree, first, &a));
  tn_status st = tn_touches_collect(s, tree, second, &b);
  if (st == NULL) {
    size_t mark = tn_sched_assume_around(s, tree, first);
    asker q = {.s = s, .tree = tree, .n_orders = n_orders, .orders = {order}, .what = what};
    st = ask_pairs(&q, &a, &b, false);
    tn_sets_pop(tn_sched_sets(s), mark);
    tn_touches_deinit(&b);
  }
  tn_touches_deinit(&a);
  return st;
}

tn_status tn_deps_interleave(tn_sched *s, const tn_tree *tree, const tn_node *first,
                             const tn_node *second) {
  const tn_node *vars[2] = {first->in[TN_FOR_VAR], second->in[TN_FOR_VAR]};
  tn_order order = {.op = TN_OP_GT, .n = 1, .a = &vars[0], .b = &vars[1]};
  return ask_neighbours(s, tree, first, second, 1, order,
                        "a later round of the first loop would come after an earlier one of the "
                        "second that touches the same element");
}

tn_status tn_deps_swap(tn_sched *s, const tn_tree *tree, const tn_node *stmt,
                       const tn_node *other) {
  return ask_neighbours(s, tree, stmt, other, 0, (tn_order){0},
                        "both touch one element, so they can not change places");
}
