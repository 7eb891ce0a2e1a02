/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two reductions are the same: they start with the same value, and what they add is the same set.
 * Contributions are told apart by keys, a guess that is checked: of each reduction different
 * contributions have different keys, both have the same keys, and what has one key has one value. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_PARTS = 32, MAX_VARS = 128 };

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
} part_list;

static void join(tn_cf *c, tn_domain *to, const tn_domain *more) {
  uint32_t n = to->n + more->n;
  const tn_node **all = TN_ARENA_ARRAY(&c->arena, const tn_node *, (size_t)3 * n);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_domain *from = i < to->n ? to : more;
    uint32_t k = i < to->n ? i : i - to->n;
    all[i] = from->vars[k];
    all[n + i] = from->mins[k];
    all[2 * n + i] = from->extents[k];
  }
  *to = (tn_domain){n, all, all + n, all + 2 * n, tn_cf_and(c, to->cond, more->cond)};
}

/* ---- parts ---- */

static tn_op op_of(const tn_cf_source *s) {
  tn_op op = TN_OP_NONE;
  (void)tn_cf_contribution(s->updates.data[0].point.store, &op);
  return op;
}

/* What all start with, or NULL. */
static const tn_node *start_of(const tn_cf_source *s) {
  return s->may_be_argument || s->writers.len != 1 ? NULL : s->writers.data[0].point.store->value;
}

/* The start of the inner reduction changes nothing: a maximum's is that of the outer one too. */
static bool is_neutral(const tn_cf_source *inner, const tn_cf_source *outer) {
  const tn_node *v = start_of(inner);
  tn_op op = op_of(outer);
  if (v == NULL || v->n_in != 0 || op != op_of(inner) || op == TN_OP_SUB) {
    return false;
  }
  bool is_zero = tn_is_int(v, 0) || (tn_is(v, TN_OP_FLOAT) && v->attr.f64 == 0);
  bool is_one = tn_is_int(v, 1) || (tn_is(v, TN_OP_FLOAT) && v->attr.f64 == 1);
  return op == TN_OP_ADD ? is_zero : op == TN_OP_MUL ? is_one : v == start_of(outer);
}

static bool add_parts(tn_cf *c, const tn_cf_source *s, const part *outer, part_list *out);

/* A sum of sums is one sum. True: `p` was taken apart. */
static bool take_apart(tn_cf *c, const tn_cf_source *s, const part *p, part_list *out) {
  if (!tn_is(p->value.expr, TN_OP_LOAD)) {
    return false;
  }
  tn_cf_source inner;
  uint32_t n = out->n;
  size_t mark = tn_cf_assume(c, &p->domain);
  bool is_done = tn_cf_find(c, p->value.expr, &p->value.at, &inner) && inner.updates.len > 0 &&
                 is_neutral(&inner, s);
  tn_sets_pop(c->sets, mark);
  is_done = is_done && add_parts(c, &inner, p, out);
  out->n = is_done ? out->n : n;
  tn_cf_source_deinit(&inner);
  return is_done;
}

static bool add_parts(tn_cf *c, const tn_cf_source *s, const part *outer, part_list *out) {
  bool is_ok = true;
  tn_op op = TN_OP_NONE;
  for (size_t i = 0; i < s->updates.len && is_ok; ++i) {
    const tn_cf_writer *u = &s->updates.data[i];
    const tn_cf_store *store = u->point.store;
    part p = {.domain = {.n = 0}};
    p = outer == NULL ? p : *outer;
    join(c, &p.domain, &u->domain);
    p.n_own = p.domain.n;
    p.value = (tn_cf_term){.kind = TN_CF_EXPR, .at = u->point};
    p.value.expr = tn_cf_at(c, &u->point, tn_cf_contribution(store, &op));
    is_ok = p.n_keys + store->n_keys <= TN_CF_MAX_KEYS && out->n < MAX_PARTS && p.n_own < MAX_VARS;
    for (uint32_t k = 0; k < store->n_keys && is_ok; ++k) {
      p.keys[p.n_keys++] = tn_cf_at(c, &u->point, store->keys[k]);
    }
    if (is_ok && !take_apart(c, s, &p, out)) {
      out->items[out->n++] = p;
    }
  }
  return is_ok || tn_cf_fail(c, "a reduction has too many parts or axes");
}

/* ---- keys ---- */

/* Adds the elements of arguments that a contribution reads, through copies, as its keys. What is
 * read on the way belongs to the part then, and is assumed. */
static bool add_signature(tn_cf *c, const tn_node *n, const tn_cf_point *at, part *p) {
  tn_cf_source s = {.load = n};
  bool is_ok = p->domain.n < MAX_VARS;
  if (!tn_is(n, TN_OP_LOAD)) {
    for (uint32_t i = 0; i < n->n_in && is_ok && (n->flags & TN_NF_READS) != 0; ++i) {
      is_ok = add_signature(c, n->in[i], at, p);
    }
  } else if (is_ok && tn_cf_find(c, n, at, &s) && s.updates.len == 0) {
    bool is_copy = s.writers.len == 1 && !s.may_be_argument;
    is_ok = is_copy || s.writers.len == 0;
    for (uint32_t i = TN_LOAD_INDICES; i < n->n_in && is_ok && !is_copy; ++i) {
      is_ok = p->n_keys < TN_CF_MAX_KEYS && (n->in[i]->flags & TN_NF_READS) == 0;
      p->keys[is_ok ? p->n_keys++ : 0] = n->in[i];
    }
    if (is_ok && is_copy) {
      const tn_cf_writer *w = &s.writers.data[0];
      (void)tn_cf_assume(c, &w->domain);
      join(c, &p->domain, &w->domain);
      is_ok = add_signature(c, tn_cf_at(c, &w->point, w->point.store->value), &w->point, p);
    }
  }
  tn_cf_source_deinit(&s);
  return is_ok;
}

static bool use_signatures(tn_cf *c, part_list *list) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    part *p = &list->items[i];
    size_t mark = tn_cf_assume(c, &p->domain);
    p->n_keys = 0;
    is_ok = add_signature(c, p->value.expr, &p->value.at, p);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

static tn_footprint footprint_of(const part *p) {
  return (tn_footprint){p->domain, {.n_dims = p->n_keys, .mins = p->keys}};
}

/* No key twice in a list, no contribution with two keys. */
static bool are_distinct(tn_cf *c, const part_list *list) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    const part *p = &list->items[i];
    const tn_domain *d = &p->domain;
    tn_footprint a = footprint_of(p);
    is_ok = tn_sets_is_determined(c->sets, d, p->n_keys, p->keys, p->n_own, d->vars).verdict ==
            TN_PROVED;
    is_ok = is_ok &&
            (p->n_own == d->n ||
             tn_sets_is_determined(c->sets, d, p->n_own, d->vars, p->n_keys, p->keys).verdict ==
                 TN_PROVED);
    for (uint32_t k = 0; k < i && is_ok; ++k) {
      tn_footprint b = footprint_of(&list->items[k]);
      is_ok = a.access.n_dims == b.access.n_dims &&
              tn_sets_is_independent(c->sets, &a, &b, 0, NULL).verdict == TN_PROVED;
    }
  }
  return is_ok;
}

static bool are_covered(tn_cf *c, const part_list *list, const part_list *by) {
  tn_footprint whole[MAX_PARTS];
  bool is_ok = true;
  for (uint32_t i = 0; i < by->n; ++i) {
    whole[i] = footprint_of(&by->items[i]);
    is_ok = is_ok && by->items[i].n_keys == list->items[0].n_keys;
  }
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    tn_footprint one = footprint_of(&list->items[i]);
    is_ok = tn_sets_is_covered(c->sets, &one, by->n, whole).verdict == TN_PROVED;
  }
  return is_ok;
}

/* ---- the comparison ---- */

static bool are_same_values(tn_cf *c, const part_list *a, const part_list *b) {
  bool is_ok = true;
  for (uint32_t i = 0; i < a->n * b->n && is_ok; ++i) {
    const part *x = &a->items[i / b->n];
    const part *y = &b->items[i % b->n];
    tn_domain both = x->domain;
    join(c, &both, &y->domain);
    both.cond = tn_cf_and(c, both.cond, tn_cf_equal(c, x->n_keys, x->keys, y->keys));
    if (!tn_cf_is_empty(c, &both)) {
      size_t mark = tn_cf_assume(c, &both);
      is_ok = tn_cf_is_equal(c, &x->value, &y->value);
      tn_sets_pop(c->sets, mark);
    }
  }
  return is_ok;
}

static bool are_same(tn_cf *c, const part_list *a, const part_list *b) {
  return are_distinct(c, a) && are_distinct(c, b) && are_covered(c, a, b) && are_covered(c, b, a) &&
         are_same_values(c, a, b);
}

bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_source *a, const tn_cf_source *b) {
  tn_cf_term start_a = {.kind = TN_CF_START, .at = a->reader, .source = a};
  tn_cf_term start_b = {.kind = TN_CF_START, .at = b->reader, .source = b};
  part_list *x = TN_ARENA_NEW(&c->arena, part_list);
  part_list *y = TN_ARENA_NEW(&c->arena, part_list);
  bool is_ok = op_of(a) == op_of(b) && a->load->dtype == b->load->dtype &&
               tn_cf_is_equal(c, &start_a, &start_b) && add_parts(c, a, NULL, x) &&
               add_parts(c, b, NULL, y);
  /* the axes of blocks are the first guess, what is read the second */
  is_ok = is_ok && (are_same(c, x, y) ||
                    (use_signatures(c, x) && use_signatures(c, y) && are_same(c, x, y)));
  return is_ok ||
         tn_cf_fail(c, "blocks '%s' and '%s' may reduce different values",
                    a->updates.data[0].point.store->name, b->updates.data[0].point.store->name);
}
