/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two values are the same, for all instances that the assumptions allow: loads are followed to the
 * stores that they read from, until arguments, reductions or operators face each other. Two
 * functions are the same when each element of an argument, read at the end, is. */
#include "sched/certify_priv.h"

static bool is_pure(const tn_node *n) { return (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0; }

tn_cf_term tn_cf_value(const tn_node *n, const tn_cf_point *at) {
  bool is_choice =
      (tn_is(n, TN_OP_SELECT) || tn_is(n, TN_OP_IF_THEN_ELSE)) && is_pure(n->in[TN_SELECT_COND]);
  tn_cf_kind kind = tn_is(n, TN_OP_LOAD) ? TN_CF_LOAD : is_choice ? TN_CF_CHOICE : TN_CF_EXPR;
  return (tn_cf_term){.kind = kind, .expr = n, .at = *at};
}

/* ---- cases ---- */

bool tn_cf_is_equal_in(tn_cf *c, const tn_domain *d, const tn_cf_term *a, const tn_cf_term *b) {
  if (tn_cf_is_empty(c, d)) {
    return true;
  }
  size_t mark = tn_cf_assume(c, d);
  TN_VEC_PUSH(&c->cases, a);
  bool is_ok = tn_cf_is_equal(c, a, b);
  c->cases.len -= 1;
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

/* What is assumed by now shows that a later store overwrote what one of the cases looks at. */
static bool is_impossible(tn_cf *c) {
  bool is_written = false;
  for (size_t i = 0; i < c->cases.len && !is_written; ++i) {
    const tn_cf_term *t = c->cases.data[i];
    const tn_cf_point *after = t->kind == TN_CF_ARGUMENT ? NULL : &t->at;
    is_written = t->source != NULL && tn_cf_is_written(c, t->source, after);
  }
  return is_written;
}

static bool is_start_equal(tn_cf *c, const tn_cf_term *start, const tn_cf_term *other) {
  const tn_cf_source *s = start->source;
  const tn_cf_term argument = {TN_CF_ARGUMENT, s->load, s->reader, s};
  bool is_ok = !s->may_be_argument || tn_cf_is_equal_in(c, &(tn_domain){.n = 0}, &argument, other);
  for (uint32_t i = 0; is_ok && i < s->n_writers; ++i) {
    const tn_cf_point *at = &s->writers[i];
    tn_cf_term t = tn_cf_value(tn_cf_at(c, at, at->store->value), at);
    t.source = s;
    is_ok = tn_cf_is_equal_in(c, &at->domain, &t, other);
  }
  return is_ok;
}

static bool is_load_equal(tn_cf *c, const tn_cf_term *load, const tn_cf_term *other) {
  tn_cf_source s;
  bool is_ok = tn_cf_find(c, load->expr, &load->at, &s);
  const tn_cf_term start = {TN_CF_START, NULL, load->at, &s};
  const tn_cf_term sum = {TN_CF_REDUCTION, NULL, *s.updates, &s};
  return is_ok && tn_cf_is_equal(c, s.n_updates > 0 ? &sum : &start, other);
}

static bool is_choice_equal(tn_cf *c, const tn_cf_term *t, const tn_cf_term *other) {
  const tn_node *const *in = t->expr->in;
  tn_cf_term yes = tn_cf_value(in[TN_SELECT_A], &t->at);
  tn_cf_term no = tn_cf_value(in[TN_SELECT_B], &t->at);
  tn_domain when = {.cond = in[TN_SELECT_COND]};
  tn_domain when_not = {.cond = tn_cf_not(c, when.cond)};
  return tn_cf_is_equal_in(c, &when, &yes, other) && tn_cf_is_equal_in(c, &when_not, &no, other);
}

/* ---- values ---- */

/* Also what elements of arguments held at first: two loads. Expressions are interned: what is y when
 * it has its children is of its kind. */
static bool is_expr_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_node *x = a->expr;
  const tn_node *y = b->expr;
  bool is_load = tn_is(x, TN_OP_LOAD);
  bool is_index = x->dtype == y->dtype && (tn_dtype_is_int(x->dtype) || tn_dtype_is_bool(x->dtype));
  if (is_pure(x) && is_pure(y) &&
      (x == y || (is_index && tn_cf_is_true(c, tn_binary(c->ir, TN_OP_EQ, x, y))))) {
    return true;
  }
  bool is_ok = x->op == y->op && x->n_in == y->n_in && x->n_in > 0 &&
               tn_node_with(c->ir, x, y->in) == y &&
               (!is_load || x->in[TN_LOAD_BUFFER] == y->in[TN_LOAD_BUFFER]);
  for (uint32_t i = is_load ? TN_LOAD_INDICES : 0; is_ok && i < x->n_in; ++i) {
    tn_cf_term p = tn_cf_value(x->in[i], &a->at);
    tn_cf_term q = tn_cf_value(y->in[i], &b->at);
    bool is_number = is_load && is_pure(p.expr) && is_pure(q.expr); /* their types may differ */
    is_ok = is_number ? tn_cf_is_true(c, tn_cf_compare(c, TN_OP_EQ, p.expr, q.expr))
                      : tn_cf_is_equal(c, &p, &q);
  }
  return is_ok;
}

/* It does not matter which of the two is of which function. */
bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  static const struct {
    bool (*is_equal)(tn_cf *, const tn_cf_term *, const tn_cf_term *);
    const char *what;
  } kinds[] = {
      [TN_CF_EXPR] = {is_expr_equal, "compute different values"},
      [TN_CF_ARGUMENT] = {is_expr_equal, "read different elements"},
      [TN_CF_REDUCTION] = {tn_cf_is_equal_reduction, "reduce different values"},
      [TN_CF_START] = {is_start_equal, "start from different values"},
      [TN_CF_LOAD] = {is_load_equal, "read different values"},
      [TN_CF_CHOICE] = {is_choice_equal, "choose different values"},
  };
  if (a->kind < b->kind) {
    return tn_cf_is_equal(c, b, a);
  }
  bool was_empty = c->why.len == 0;
  bool may_be = a->kind == b->kind || a->kind >= TN_CF_START;
  c->depth += 1;
  bool is_ok =
      !tn_cf_is_long(c) && ((may_be && kinds[a->kind].is_equal(c, a, b)) || is_impossible(c));
  c->depth -= 1;
  if (is_ok && was_empty) {
    tn_buf_clear(&c->why);
  }
  return is_ok || TN_CF_FAIL(c, "blocks '%s' and '%s' may %s", a->at.store->name, b->at.store->name,
                             kinds[a->kind].what);
}

/* ---- functions ---- */

/* Of two equal trees: what stands in `to` where a variable or a buffer stands in `from`. */
static void pair_leaves(tn_map *map, const tn_node *from, const tn_node *to) {
  if (tn_is(from, TN_OP_VAR) || tn_is(from, TN_OP_BUFFER)) {
    tn_map_set(map, from->id, (uint64_t)(uintptr_t)to);
  }
  for (uint32_t i = 0; i < from->n_in; ++i) {
    pair_leaves(map, from->in[i], to->in[i]);
  }
}

/* Sizes, scalars and buffers of `after` become those of `before`; their types must agree. */
static bool match_params(tn_cf *c, const tn_node *before, const tn_node **after) {
  const tn_node *to = tn_list(c->ir, TN_PRIM_FUNC_BUFFERS + 1, before->in); /* params, buffers */
  const tn_node *from = tn_list(c->ir, TN_PRIM_FUNC_BUFFERS + 1, (*after)->in);
  tn_map map = {0};
  if (!tn_equal(from, to, true, NULL)) {
    return TN_CF_FAIL(c, "the parameters differ");
  }
  pair_leaves(&map, from, to);
  *after = tn_subst(c->ir, *after, &map);
  tn_map_deinit(&map);
  return true;
}

/* Any element of an argument holds the same after both. */
static bool are_left_equal(tn_cf *c, const tn_cf_func *funcs) {
  const tn_cf_store end = {.place = SIZE_MAX, .name = "end"};
  const tn_node *buffers = funcs->func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *e[TN_MAX_NDIM];
  bool is_ok = true;
  for (uint32_t d = 0; d < TN_MAX_NDIM; ++d) {
    e[d] = tn_var_new(c->ir, "e", TN_DT_I64);
  }
  for (uint32_t i = 0; i < buffers->n_in && is_ok; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      const tn_node *shape = buffers->in[i]->in[TN_BUFFER_SHAPE];
      const tn_domain elements = {.n = shape->n_in, .vars = e, .extents = shape->in};
      const tn_node *load = tn_cf_load(c, buffers->in[i], e);
      tn_cf_term a = tn_cf_value(load, &(tn_cf_point){.func = &funcs[0], .store = &end});
      tn_cf_term b = tn_cf_value(load, &(tn_cf_point){.func = &funcs[1], .store = &end});
      is_ok = tn_cf_is_equal_in(c, &elements, &a, &b);
    }
  }
  return is_ok;
}

tn_status tn_certify(tn_ir *ir, const tn_node *before, const tn_node *after,
                     tn_certify_result *out_result) {
  tn_cf c = {.ir = ir, .sets = tn_sets_new(), .why = TN_BUF_INIT};
  tn_cf_func funcs[2] = {0};
  tn_arena_init(&c.arena, 0);
  bool is_equal = match_params(&c, before, &after) && tn_cf_flatten(&c, before, &funcs[0]) &&
                  tn_cf_flatten(&c, after, &funcs[1]) && tn_cf_is_sound(&c, &funcs[1]) &&
                  are_left_equal(&c, funcs);
  *out_result = (tn_certify_result){.verdict = is_equal ? TN_CERTIFY_EQUAL : TN_CERTIFY_UNDECIDED,
                                    .text = tn_buf_take(&c.why),
                                    .n_questions = (int64_t)tn_sets_stats_get(c.sets).n_asked};
  for (uint32_t k = 0; k < 2; ++k) {
    TN_VEC_DEINIT(&funcs[k].stores);
    tn_map_deinit(&funcs[k].depths);
  }
  TN_VEC_DEINIT(&c.cases);
  tn_sets_free(c.sets);
  tn_arena_deinit(&c.arena);
  return tn_ir_status(ir);
}

void tn_certify_result_deinit(tn_certify_result *result) {
  free(result->text);
  result->text = NULL;
}
