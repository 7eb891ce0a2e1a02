/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two reductions are the same: they start with the same value, and what they add is the same set.
 * Contributions are told apart by keys, a guess that is checked: of each reduction different
 * contributions have different keys, both have the same keys, and what has one key has one value. */
#include "sched/certify_priv.h"

enum { MAX_PARTS = 32 };

/* Stores that add to the element, and what they add. */
typedef struct part {
  tn_domain domain;
  uint32_t n_own; /* the domain's first variables; the others follow from them */
  tn_cf_term value;
  uint32_t n_keys;
  const tn_node *keys[TN_CF_MAX_KEYS];
} part;

typedef struct part_list {
  uint32_t n;
  part items[MAX_PARTS];
  tn_footprint prints[MAX_PARTS]; /* keys over domains */
} part_list;

/* ---- parts ---- */

/* What all start with, or NULL. */
static const tn_node *start_of(const tn_cf_source *s) {
  return s->may_be_argument || s->n_writers != 1 ? NULL : s->writers[0].store->value;
}

/* The start of the inner reduction changes nothing: a maximum's is that of the outer one too. */
static bool is_neutral(const tn_cf_source *inner, const tn_cf_source *outer) {
  const tn_node *v = start_of(inner);
  tn_op op = outer->updates[0].store->op;
  if (v == NULL || v->n_in != 0 || op != inner->updates[0].store->op || op == TN_OP_SUB) {
    return false;
  }
  int64_t number = op == TN_OP_MUL;
  bool is_number = tn_is_int(v, number) || (tn_is(v, TN_OP_FLOAT) && v->attr.f64 == (double)number);
  return op == TN_OP_ADD || op == TN_OP_MUL ? is_number : v == start_of(outer);
}

/* A sum of sums is one sum: what adds one of the others adds what was added there. */
static bool add_parts(tn_cf *c, const tn_cf_source *s, const part *outer, part_list *out) {
  bool is_ok = true;
  for (uint32_t i = 0; i < s->n_updates && is_ok; ++i) {
    const tn_cf_point *at = &s->updates[i];
    part p = *outer;
    tn_cf_join(c, &p.domain, &s->updates[i].domain, NULL);
    p.n_own = p.domain.n;
    p.value = tn_cf_value(tn_cf_at(c, at, at->store->added), at);
    is_ok = p.n_keys + at->store->n_keys <= TN_CF_MAX_KEYS && out->n < MAX_PARTS;
    for (uint32_t k = 0; k < at->store->n_keys && is_ok; ++k) {
      p.keys[p.n_keys++] = tn_cf_at(c, at, at->store->keys[k]);
    }
    tn_cf_source inner;
    uint32_t n = out->n;
    size_t mark = tn_cf_assume(c, &p.domain);
    bool is_sum = is_ok && p.value.kind == TN_CF_LOAD && tn_cf_find(c, p.value.expr, at, &inner) &&
                  inner.n_updates > 0 && is_neutral(&inner, s);
    tn_sets_pop(c->sets, mark);
    if (is_ok && !(is_sum && add_parts(c, &inner, &p, out))) {
      out->items[n] = p;
      out->n = n + 1;
    }
  }
  return is_ok || TN_CF_FAIL(c, "a reduction has too many parts or axes");
}

/* ---- keys ---- */

/* Adds the elements of arguments that a contribution reads, through copies, as its keys. What is
 * read on the way belongs to the part then, and is assumed. Other reductions are no keys. */
static bool add_signature(tn_cf *c, const tn_node *n, const tn_cf_point *at, part *p) {
  bool is_ok = !tn_cf_is_long(c);
  for (uint32_t i = 0; i < n->n_in && is_ok && !tn_is(n, TN_OP_LOAD); ++i) {
    is_ok = (n->flags & TN_NF_READS) == 0 || add_signature(c, n->in[i], at, p);
  }
  if (!is_ok || !tn_is(n, TN_OP_LOAD)) {
    return is_ok;
  }
  tn_cf_source s;
  if (!tn_cf_find(c, n, at, &s) || s.n_updates > 0) {
    return true;
  }
  is_ok = s.n_writers == !s.may_be_argument;
  if (is_ok && s.n_writers == 1) {
    const tn_cf_point *w = &s.writers[0];
    (void)tn_cf_assume(c, &w->domain);
    tn_cf_join(c, &p->domain, &w->domain, NULL);
    return add_signature(c, tn_cf_at(c, w, w->store->value), w, p);
  }
  for (uint32_t i = TN_LOAD_INDICES; i < n->n_in && is_ok; ++i) {
    is_ok = p->n_keys < TN_CF_MAX_KEYS && (n->in[i]->flags & TN_NF_READS) == 0;
    p->keys[is_ok ? p->n_keys++ : 0] = n->in[i];
  }
  return is_ok;
}

/* ---- the comparison ---- */

/* No key is there twice, no contribution has two keys. The axes of blocks are the first guess, what is
 * read the second. */
static bool are_distinct(tn_cf *c, part_list *list, bool by_reads) {
  tn_footprint *prints = list->prints;
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    part *p = &list->items[i];
    size_t mark = tn_cf_assume(c, &p->domain);
    p->n_keys = by_reads ? 0 : p->n_keys;
    is_ok = !by_reads || add_signature(c, p->value.expr, &p->value.at, p);
    tn_sets_pop(c->sets, mark);
    const tn_domain *d = &p->domain;
    prints[i] = (tn_footprint){*d, {.n_dims = p->n_keys, .mins = p->keys}};
    tn_answer by_key = tn_sets_is_determined(c->sets, d, p->n_keys, p->keys, p->n_own, d->vars);
    tn_answer key = tn_sets_is_determined(c->sets, d, p->n_own, d->vars, p->n_keys, p->keys);
    is_ok = is_ok && p->n_keys == list->items[0].n_keys && by_key.verdict == TN_PROVED &&
            key.verdict == TN_PROVED;
    for (uint32_t k = 0; k < i && is_ok; ++k) {
      is_ok = tn_sets_is_independent(c->sets, &prints[i], &prints[k], 0, NULL).verdict == TN_PROVED;
    }
  }
  return is_ok;
}

static bool are_covered(tn_cf *c, const part_list *list, const part_list *by) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    is_ok = tn_sets_is_covered(c->sets, &list->prints[i], by->n, by->prints).verdict == TN_PROVED;
  }
  return is_ok;
}

static bool are_same(tn_cf *c, part_list *a, part_list *b, bool by_reads) {
  bool is_ok = are_distinct(c, a, by_reads) && are_distinct(c, b, by_reads) &&
               a->items->n_keys == b->items->n_keys && are_covered(c, a, b) && are_covered(c, b, a);
  for (uint32_t i = 0; i < a->n * b->n && is_ok; ++i) {
    const part *x = &a->items[i / b->n];
    const part *y = &b->items[i % b->n];
    tn_domain both = x->domain;
    tn_cf_join(c, &both, &y->domain, tn_cf_equal(c, x->n_keys, x->keys, y->keys));
    is_ok = tn_cf_is_equal_in(c, &both, &x->value, &y->value);
  }
  return is_ok;
}

bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b) {
  const tn_cf_store *s = a->at.store;
  const tn_cf_store *t = b->at.store;
  const part none = {.n_keys = 0};
  const tn_cf_term start_a = {TN_CF_START, NULL, a->at, a->source};
  const tn_cf_term start_b = {TN_CF_START, NULL, b->at, b->source};
  part_list *x = TN_ARENA_NEW(&c->arena, part_list);
  part_list *y = TN_ARENA_NEW(&c->arena, part_list);
  return s->op == t->op && s->value->dtype == t->value->dtype &&
         tn_cf_is_equal(c, &start_a, &start_b) && add_parts(c, a->source, &none, x) &&
         add_parts(c, b->source, &none, y) && (are_same(c, x, y, false) || are_same(c, x, y, true));
}
