/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two values are the same, for all instances that the assumptions allow: loads are followed to the
 * stores that they read from, until arguments, reductions or operators face each other. Two
 * functions are the same when each element of an argument, read at the end, is. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_DEPTH = 64 };

static bool is_pure(const tn_node *n) { return (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0; }

static tn_cf_term child_of(const tn_cf_term *t, uint32_t i) {
  return (tn_cf_term){.kind = TN_CF_EXPR, .expr = t->expr->in[i], .at = t->at};
}

/* ---- cases ---- */

/* One case among several, when it can be at all. */
static bool is_case_equal(tn_cf *c, const tn_cf_term *t, const tn_domain *domain, tn_cf_case of,
                          const tn_cf_term *other) {
  if (tn_cf_is_empty(c, domain)) {
    return true;
  }
  size_t mark = tn_cf_assume(c, domain);
  TN_VEC_PUSH(&c->cases, of);
  bool is_ok = tn_cf_is_equal(c, t, other);
  c->cases.len -= 1;
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

/* What is assumed by now shows that a later store overwrote what one of the cases looks at. */
static bool is_impossible(tn_cf *c) {
  bool is_written = false;
  for (size_t i = 0; i < c->cases.len && !is_written; ++i) {
    const tn_cf_case *k = &c->cases.data[i];
    is_written = k->later != 0 && tn_cf_is_written(c, k->source, k->later);
  }
  return is_written;
}

static bool is_start_equal(tn_cf *c, const tn_cf_source *s, const tn_cf_term *other) {
  tn_cf_term argument = {.kind = TN_CF_ARGUMENT, .at = s->reader, .source = s};
  tn_domain any = {.n = 0, .cond = tn_bool(c->ir, true)};
  bool is_ok = true;
  for (size_t i = 0; is_ok && i < s->writers.len; ++i) {
    const tn_cf_writer *w = &s->writers.data[i];
    tn_cf_term t = {.kind = TN_CF_EXPR, .at = w->point};
    t.expr = tn_cf_at(c, &w->point, w->point.store->value);
    is_ok = is_case_equal(c, &t, &w->domain, (tn_cf_case){s, w->later}, other);
  }
  return is_ok && (!s->may_be_argument ||
                   is_case_equal(c, &argument, &any, (tn_cf_case){s, UINT64_MAX}, other));
}

static bool is_load_equal(tn_cf *c, const tn_cf_term *load, const tn_cf_term *other) {
  tn_cf_source s;
  bool is_ok = tn_cf_find(c, load->expr, &load->at, &s);
  tn_cf_term t = {.kind = TN_CF_START, .at = load->at, .source = &s};
  t.kind = s.updates.len > 0 ? TN_CF_REDUCTION : TN_CF_START;
  is_ok = is_ok && tn_cf_is_equal(c, &t, other);
  tn_cf_source_deinit(&s);
  return is_ok;
}

/* A choice that loops decide. */
static bool is_choice_equal(tn_cf *c, const tn_cf_term *t, const tn_cf_term *other) {
  tn_cf_term yes = child_of(t, TN_SELECT_A);
  tn_cf_term no = child_of(t, TN_SELECT_B);
  tn_domain when = {.n = 0, .cond = t->expr->in[TN_SELECT_COND]};
  tn_domain when_not = {.n = 0, .cond = tn_cf_not(c, when.cond)};
  return is_case_equal(c, &yes, &when, (tn_cf_case){NULL, 0}, other) &&
         is_case_equal(c, &no, &when_not, (tn_cf_case){NULL, 0}, other);
}

/* ---- values ---- */

static bool is_expr_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_node *x = a->expr;
  const tn_node *y = b->expr;
  const tn_op_info *info = tn_op_info_get((tn_op)x->op);
  bool is_index = tn_dtype_is_int(x->dtype) || tn_dtype_is_bool(x->dtype);
  if (is_pure(x) && is_pure(y) &&
      (x == y ||
       (is_index && x->dtype == y->dtype && tn_cf_is_true(c, tn_binary(c->ir, TN_OP_EQ, x, y))))) {
    return true;
  }
  bool is_ok = x->op == y->op && x->dtype == y->dtype && x->n_in == y->n_in && x->n_in > 0 &&
               info->cls == TN_CLASS_EXPR &&
               (info->attr == TN_ATTR_NONE || x->attr.def == y->attr.def) &&
               ((x->flags | y->flags) & TN_NF_EFFECT) == 0;
  for (uint32_t i = 0; is_ok && i < x->n_in; ++i) {
    tn_cf_term child_a = child_of(a, i);
    tn_cf_term child_b = child_of(b, i);
    is_ok = tn_cf_is_equal(c, &child_a, &child_b);
  }
  return is_ok || tn_cf_fail(c, "blocks '%s' and '%s' may compute different values",
                             a->at.store->name, b->at.store->name);
}

static bool is_argument_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_node *load = a->source->load;
  bool is_ok = load->in[TN_LOAD_BUFFER] == b->source->load->in[TN_LOAD_BUFFER];
  for (uint32_t i = TN_LOAD_INDICES; i < load->n_in && is_ok; ++i) {
    tn_cf_term x = {.kind = TN_CF_EXPR, .expr = load->in[i], .at = a->at};
    tn_cf_term y = {.kind = TN_CF_EXPR, .expr = b->source->load->in[i], .at = b->at};
    is_ok = is_pure(x.expr) && is_pure(y.expr)
                ? tn_cf_is_true(c, tn_cf_compare(c, TN_OP_EQ, x.expr, y.expr))
                : tn_cf_is_equal(c, &x, &y);
  }
  return is_ok ||
         tn_cf_fail(c, "blocks '%s' and '%s' may read different elements of '%s'",
                    a->at.store->name, b->at.store->name, load->in[TN_LOAD_BUFFER]->attr.text);
}

/* What is to be taken apart first. */
typedef enum stage { IS_PLAIN, IS_START, IS_LOAD, IS_CHOICE } stage;

static stage stage_of(const tn_cf_term *t) {
  if (t->kind != TN_CF_EXPR) {
    return t->kind == TN_CF_START ? IS_START : IS_PLAIN;
  }
  bool is_choice = tn_is(t->expr, TN_OP_SELECT) || tn_is(t->expr, TN_OP_IF_THEN_ELSE);
  return tn_is(t->expr, TN_OP_LOAD)                          ? IS_LOAD
         : is_choice && is_pure(t->expr->in[TN_SELECT_COND]) ? IS_CHOICE
                                                             : IS_PLAIN;
}

/* It does not matter which of the two is of which function. */
static bool is_head_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  if (stage_of(a) < stage_of(b)) {
    return is_head_equal(c, b, a);
  }
  switch (stage_of(a)) {
    case IS_CHOICE:
      return is_choice_equal(c, a, b);
    case IS_LOAD:
      return is_load_equal(c, a, b);
    case IS_START:
      return is_start_equal(c, a->source, b);
    case IS_PLAIN:
      break;
  }
  if (a->kind != b->kind) {
    return tn_cf_fail(c, "a value may come about in another way (blocks '%s' and '%s')",
                      a->at.store->name, b->at.store->name);
  }
  return a->kind == TN_CF_EXPR       ? is_expr_equal(c, a, b)
         : a->kind == TN_CF_ARGUMENT ? is_argument_equal(c, a, b)
                                     : tn_cf_is_equal_reduction(c, a->source, b->source);
}

bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  if (c->depth == MAX_DEPTH || tn_cf_is_long(c)) {
    return tn_cf_fail(c, "too long: values that depend on each other, or too many stores");
  }
  bool was_empty = c->why.len == 0;
  c->depth += 1;
  bool is_ok = is_head_equal(c, a, b) || is_impossible(c);
  c->depth -= 1;
  if (is_ok && was_empty) {
    tn_buf_clear(&c->why);
  }
  return is_ok;
}

/* ---- functions ---- */

static void pair_vars(tn_map *map, const tn_node *from, const tn_node *to) {
  if (tn_is(from, TN_OP_VAR) && from->dtype == to->dtype && !tn_map_find(map, from->id, NULL)) {
    tn_map_set(map, from->id, (uint64_t)(uintptr_t)to);
  }
  for (uint32_t i = 0; i < from->n_in && i < to->n_in; ++i) {
    pair_vars(map, from->in[i], to->in[i]);
  }
}

/* Sizes, scalars and buffers of `after` become those of `before`; their types must agree. */
static bool match_params(tn_cf *c, const tn_node *before, const tn_node **after) {
  const tn_node *a = before->in[TN_PRIM_FUNC_BUFFERS];
  tn_map map = {0};
  pair_vars(&map, (*after)->in[TN_PRIM_FUNC_PARAMS], before->in[TN_PRIM_FUNC_PARAMS]);
  pair_vars(&map, (*after)->in[TN_PRIM_FUNC_BUFFERS], a);
  *after = tn_subst(c->ir, *after, &map);
  tn_map_clear(&map);
  const tn_node *b = (*after)->in[TN_PRIM_FUNC_BUFFERS];
  bool is_ok = before->in[TN_PRIM_FUNC_PARAMS] == (*after)->in[TN_PRIM_FUNC_PARAMS];
  for (uint32_t i = 0; i < a->n_in && is_ok; ++i) {
    const tn_node *x = a->in[i];
    const tn_node *y = b->in[i];
    is_ok = x->op == y->op && x->dtype == y->dtype &&
            (tn_is_none(x) || (x->in[TN_BUFFER_SHAPE] == y->in[TN_BUFFER_SHAPE] &&
                               tn_buffer_is_plain(x) && tn_buffer_is_plain(y)));
    tn_map_set(&map, y->id, (uint64_t)(uintptr_t)x);
  }
  *after = tn_subst(c->ir, *after, &map);
  tn_map_deinit(&map);
  return is_ok || tn_cf_fail(c, "the parameters differ, or have strides or offsets");
}

/* Any element of the argument holds the same after both. */
static bool is_left_equal(tn_cf *c, const tn_cf_func *funcs, const tn_node *buffer) {
  static const tn_cf_store end = {.place = SIZE_MAX, .name = "end"};
  const tn_node *indices[TN_MAX_NDIM];
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  tn_domain elements = {.n = 0};
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    indices[d] = tn_var_new(c->ir, "e", TN_DT_I64);
    elements.cond = tn_cf_and(
        c, elements.cond, tn_cf_within(c, indices[d], tn_int(c->ir, TN_DT_I64, 0), shape->in[d]));
  }
  const tn_node *load = tn_cf_load(c, buffer, indices);
  tn_cf_term a = {.kind = TN_CF_EXPR, .expr = load, .at = {.func = &funcs[0], .store = &end}};
  tn_cf_term b = {.kind = TN_CF_EXPR, .expr = load, .at = {.func = &funcs[1], .store = &end}};
  size_t mark = tn_cf_assume(c, &elements);
  bool is_ok = tn_cf_is_equal(c, &a, &b);
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

static bool are_equal(tn_cf *c, const tn_cf_func *funcs) {
  const tn_node *buffers = funcs[0].func->in[TN_PRIM_FUNC_BUFFERS];
  bool is_ok = tn_cf_is_sound(c, &funcs[1]);
  for (uint32_t i = 0; i < buffers->n_in && is_ok; ++i) {
    is_ok = tn_is_none(buffers->in[i]) || is_left_equal(c, funcs, buffers->in[i]);
  }
  return is_ok;
}

tn_status tn_certify(tn_ir *ir, const tn_node *before, const tn_node *after,
                     tn_certify_result *out_result) {
  tn_cf c = {.ir = ir, .sets = tn_sets_new(), .why = TN_BUF_INIT};
  tn_cf_func funcs[2] = {{.func = before}, {.func = after}};
  tn_arena_init(&c.arena, 0);
  bool is_equal = match_params(&c, before, &after) && tn_cf_flatten(&c, before, &funcs[0]) &&
                  tn_cf_flatten(&c, after, &funcs[1]) && are_equal(&c, funcs);
  *out_result = (tn_certify_result){.verdict = is_equal ? TN_CERTIFY_EQUAL : TN_CERTIFY_UNDECIDED,
                                    .n_questions = (int64_t)tn_sets_stats_get(c.sets).n_asked};
  if (is_equal) {
    tn_buf_clear(&c.why);
  }
  out_result->text = tn_buf_take(&c.why);
  for (uint32_t k = 0; k < 2; ++k) {
    TN_VEC_DEINIT(&funcs[k].stores);
    TN_VEC_DEINIT(&funcs[k].blocks);
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
