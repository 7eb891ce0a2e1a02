/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two values are the same, for all instances that the assumptions allow: loads are followed to the
 * stores that they read from, until arguments, reductions or operators face each other. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_DEPTH = 200, MAX_QUESTIONS = 20000 };

static bool fail(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b, const char *what) {
  const tn_cf_store *sa = a->kind == TN_CF_EXPR ? a->at.store : NULL;
  const tn_cf_store *sb = b->kind == TN_CF_EXPR ? b->at.store : NULL;
  return tn_cf_fail(c, "%s (block '%s' before, block '%s' after)", what,
                    sa == NULL ? "?" : sa->name, sb == NULL ? "?" : sb->name);
}

/* ---- what a load reads ---- */

static bool is_equal_swapped(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b, bool is_swapped) {
  return is_swapped ? tn_cf_is_equal(c, b, a) : tn_cf_is_equal(c, a, b);
}

/* Whatever the source's writers gave the element is equal to the other. */
static bool is_each_equal(tn_cf *c, const tn_cf_source *s, const tn_cf_term *other,
                          bool is_swapped) {
  bool is_ok = true;
  for (size_t i = 0; is_ok && i < s->writers.len; ++i) {
    const tn_cf_writer *w = &s->writers.data[i];
    tn_domain writes = tn_cf_writes(c, w, s->indices);
    if (!tn_cf_is_empty(c, &writes)) {
      size_t mark = tn_cf_assume_domain(c, &writes);
      tn_cf_term t = {.kind = TN_CF_EXPR, .at = w->point};
      t.expr = tn_cf_at(c, &w->point, w->point.store->value);
      is_ok = is_equal_swapped(c, &t, other, is_swapped);
      tn_sets_pop(c->sets, mark);
    }
  }
  tn_domain rest = {.n = 0, .cond = s->argument_cond};
  if (is_ok && s->may_be_argument && (rest.cond == NULL || !tn_cf_is_empty(c, &rest))) {
    size_t mark = tn_cf_assume_domain(c, &rest);
    tn_cf_term t = {.kind = TN_CF_ARGUMENT, .source = s};
    is_ok = is_equal_swapped(c, &t, other, is_swapped);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

static bool is_load(const tn_cf_term *t) {
  return t->kind == TN_CF_EXPR && tn_is(t->expr, TN_OP_LOAD);
}

static bool follow(tn_cf *c, const tn_cf_term *load, const tn_cf_term *other, bool is_swapped) {
  tn_cf_source s;
  bool is_ok = tn_cf_find(c, load->expr, &load->at, &s);
  if (is_ok) {
    tn_cf_term t = *load; /* keeps the point, at which the indices are read */
    t.kind = s.updates.len > 0 ? TN_CF_REDUCTION : TN_CF_START;
    t.source = &s;
    is_ok = is_equal_swapped(c, &t, other, is_swapped);
  }
  tn_cf_source_deinit(&s);
  return is_ok;
}

/* ---- expressions ---- */

static bool is_pure(const tn_node *n) { return (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0; }

static tn_cf_term child_of(const tn_cf_term *t, uint32_t i) {
  tn_cf_term child = *t;
  child.expr = t->expr->in[i];
  return child;
}

/* A choice that loops decide. */
static bool is_choice(const tn_cf_term *t) {
  return t->kind == TN_CF_EXPR &&
         (tn_is(t->expr, TN_OP_SELECT) || tn_is(t->expr, TN_OP_IF_THEN_ELSE)) &&
         is_pure(t->expr->in[TN_SELECT_COND]);
}

static bool is_each_choice_equal(tn_cf *c, const tn_cf_term *t, const tn_cf_term *other,
                                 bool is_swapped) {
  const tn_node *cond = t->expr->in[TN_SELECT_COND];
  bool is_ok = true;
  for (uint32_t i = 0; i < 2 && is_ok; ++i) {
    tn_domain domain = {.n = 0, .cond = i == 0 ? cond : tn_cf_not(c, cond)};
    if (!tn_cf_is_empty(c, &domain)) {
      size_t mark = tn_cf_assume_domain(c, &domain);
      tn_cf_term child = child_of(t, TN_SELECT_A + i);
      is_ok = is_equal_swapped(c, &child, other, is_swapped);
      tn_sets_pop(c->sets, mark);
    }
  }
  return is_ok;
}

static bool are_children_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b,
                               bool is_crossed) {
  bool is_ok = true;
  for (uint32_t i = 0; i < a->expr->n_in && is_ok; ++i) {
    tn_cf_term x = child_of(a, i);
    tn_cf_term y = child_of(b, is_crossed ? 1 - i : i);
    is_ok = tn_cf_is_equal(c, &x, &y);
  }
  return is_ok;
}

static bool is_equal_expr(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_node *x = a->expr;
  const tn_node *y = b->expr;
  if (x == y && is_pure(x)) {
    return true;
  }
  if (x->dtype != y->dtype || ((x->flags | y->flags) & TN_NF_EFFECT) != 0) {
    return fail(c, a, b, "values of different types, or calls");
  }
  bool is_index = tn_dtype_is_int(x->dtype) || tn_dtype_is_bool(x->dtype);
  if (is_index && is_pure(x) && is_pure(y) && tn_cf_is_true(c, tn_binary(c->ir, TN_OP_EQ, x, y))) {
    return true;
  }
  const tn_op_info *info = tn_op_info_get((tn_op)x->op);
  if (x->op != y->op || x->n_in != y->n_in || x->n_in == 0 || info->cls != TN_CLASS_EXPR ||
      (info->attr != TN_ATTR_NONE && x->attr.def != y->attr.def)) {
    return fail(c, a, b, "different values are computed");
  }
  if (are_children_equal(c, a, b, false)) {
    return true;
  }
  if ((info->flags & TN_OPF_COMM) == 0 || !are_children_equal(c, a, b, true)) {
    return false;
  }
  tn_buf_clear(&c->why);
  return true;
}

static bool is_equal_argument(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_cf_source *s = a->source;
  const tn_cf_source *t = b->source;
  const char *name = s->reader.func->func->in[TN_PRIM_FUNC_BUFFERS]->in[s->argument]->attr.text;
  if (s->argument != t->argument) {
    return tn_cf_fail(c, "where '%s' is read before, another argument is after (block '%s')", name,
                      t->reader.store->name);
  }
  for (uint32_t d = 0; d < s->n_dims; ++d) {
    tn_cf_term x = {.kind = TN_CF_EXPR, .expr = s->indices[d], .at = s->reader};
    tn_cf_term y = {.kind = TN_CF_EXPR, .expr = t->indices[d], .at = t->reader};
    if (is_pure(x.expr) && is_pure(y.expr)
            ? !tn_cf_is_true(c, tn_cf_compare(c, TN_OP_EQ, x.expr, y.expr))
            : !tn_cf_is_equal(c, &x, &y)) {
      return tn_cf_fail(c, "another element of '%s' may be read (block '%s' before, '%s' after)",
                        name, s->reader.store->name, t->reader.store->name);
    }
  }
  return true;
}

static bool is_equal_head(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  if (is_load(a) || is_load(b)) {
    return is_load(a) ? follow(c, a, b, false) : follow(c, b, a, true);
  }
  if (a->kind == TN_CF_START || b->kind == TN_CF_START) {
    return a->kind == TN_CF_START ? is_each_equal(c, a->source, b, false)
                                  : is_each_equal(c, b->source, a, true);
  }
  if (is_choice(a) || is_choice(b)) {
    return is_choice(a) ? is_each_choice_equal(c, a, b, false)
                        : is_each_choice_equal(c, b, a, true);
  }
  if (a->kind != b->kind) {
    return fail(c, a, b, "a value is computed in another way");
  }
  switch (a->kind) {
    case TN_CF_EXPR:
      return is_equal_expr(c, a, b);
    case TN_CF_ARGUMENT:
      return is_equal_argument(c, a, b);
    default:
      return tn_cf_is_equal_reduction(c, a->source, b->source);
  }
}

bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  if (c->depth == MAX_DEPTH || c->n_questions > MAX_QUESTIONS) {
    return tn_cf_fail(c, "too long: values that depend on each other, or too many stores");
  }
  c->depth += 1;
  bool is_ok = is_equal_head(c, a, b);
  c->depth -= 1;
  return is_ok;
}
