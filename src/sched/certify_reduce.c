/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two reductions are the same: they start with the same value, and what they add is the same set.
 * Contributions are told apart by keys, a guess that is checked: of each reduction different
 * contributions have different keys, both have the same keys, and what has one key has one value. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_KEYS = 32, MAX_PARTS = 32 };

/* Stores that add to the element, and what they add. */
typedef struct part {
  tn_domain domain;
  uint32_t n_own; /* the domain's first variables; the others follow from them */
  tn_cf_term value;
  uint32_t n_keys;
  const tn_node *keys[MAX_KEYS];
} part;

typedef struct part_list {
  uint32_t n;
  part items[MAX_PARTS];
} part_list;

static void join(tn_cf *c, tn_domain *to, const tn_domain *more) {
  tn_arena *arena = &c->arena;
  uint32_t n = to->n + more->n;
  const tn_node **vars = TN_ARENA_ARRAY(arena, const tn_node *, n);
  const tn_node **mins = TN_ARENA_ARRAY(arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(arena, const tn_node *, n);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_domain *from = i < to->n ? to : more;
    uint32_t k = i < to->n ? i : i - to->n;
    vars[i] = from->vars[k];
    mins[i] = from->mins[k];
    extents[i] = from->extents[k];
  }
  *to = (tn_domain){n, vars, mins, extents, tn_cf_both(c, TN_OP_AND, to->cond, more->cond)};
}

/* ---- parts ---- */

static tn_op op_of(const tn_cf_source *s) {
  tn_op op = TN_OP_NONE;
  (void)tn_cf_contribution(s->updates.data[0].point.store, &op);
  return op;
}

/* The start of the inner reduction changes nothing in the outer one. */
static bool is_neutral(const tn_cf_source *inner, const tn_cf_source *outer) {
  if (inner->may_be_argument || inner->writers.len != 1 || op_of(inner) != op_of(outer)) {
    return false;
  }
  const tn_node *v = inner->writers.data[0].point.store->value;
  bool is_zero = tn_is(v, TN_OP_FLOAT) ? v->attr.f64 == 0 : tn_is_int(v, 0);
  bool is_one = tn_is(v, TN_OP_FLOAT) ? v->attr.f64 == 1 : tn_is_int(v, 1);
  switch ((int)op_of(outer)) {
    case TN_OP_ADD:
      return is_zero;
    case TN_OP_MUL:
      return is_one;
    case TN_OP_MIN:
    case TN_OP_MAX:
      return !outer->may_be_argument && outer->writers.len == 1 && v->n_in == 0 &&
             v == outer->writers.data[0].point.store->value;
    default:
      return false;
  }
}

static bool add_parts(tn_cf *c, const tn_cf_source *s, const part *outer, part_list *out);

/* A sum of sums is one sum. True: `p` was taken apart. */
static bool take_apart(tn_cf *c, const tn_cf_source *s, const part *p, part_list *out) {
  if (!tn_is(p->value.expr, TN_OP_LOAD)) {
    return false;
  }
  tn_cf_source inner;
  size_t mark = tn_cf_assume_domain(c, &p->domain);
  uint32_t n = out->n;
  bool is_done = tn_cf_find(c, p->value.expr, &p->value.at, &inner) && inner.updates.len > 0 &&
                 is_neutral(&inner, s);
  tn_sets_pop(c->sets, mark);
  is_done = is_done && add_parts(c, &inner, p, out);
  out->n = is_done ? out->n : n;
  tn_buf_clear(&c->why);
  tn_cf_source_deinit(&inner);
  return is_done;
}

static bool add_parts(tn_cf *c, const tn_cf_source *s, const part *outer, part_list *out) {
  bool is_ok = c->depth < 100;
  c->depth += 1;
  for (size_t i = 0; i < s->updates.len && is_ok; ++i) {
    const tn_cf_writer *u = &s->updates.data[i];
    const tn_cf_store *store = u->point.store;
    tn_domain domain = tn_cf_writes(c, u, s->indices);
    part p = {.domain = {.n = 0}};
    if (outer != NULL) {
      p = *outer;
    }
    join(c, &p.domain, &domain);
    p.n_own = p.domain.n;
    tn_op op = TN_OP_NONE;
    p.value = (tn_cf_term){.kind = TN_CF_EXPR, .at = u->point};
    p.value.expr = tn_cf_at(c, &u->point, tn_cf_contribution(store, &op));
    is_ok = p.n_keys + store->n_keys <= MAX_KEYS && out->n < MAX_PARTS;
    for (uint32_t k = 0; k < store->n_keys && is_ok; ++k) {
      p.keys[p.n_keys++] = tn_cf_at(c, &u->point, store->keys[k]);
    }
    if (is_ok && !take_apart(c, s, &p, out)) {
      out->items[out->n++] = p;
    }
  }
  c->depth -= 1;
  return is_ok || tn_cf_fail(c, "a reduction has too many parts or axes");
}

/* ---- keys ---- */

/* The elements of arguments that a contribution reads, through copies. Assumes the part. */
static bool add_signature(tn_cf *c, const tn_node *n, const tn_cf_point *at, part *p) {
  bool is_ok = c->depth < 100;
  c->depth += 1;
  if (!tn_is(n, TN_OP_LOAD)) {
    for (uint32_t i = 0; i < n->n_in && is_ok; ++i) {
      is_ok = tn_op_info_get((tn_op)n->in[i]->op)->cls != TN_CLASS_EXPR ||
              add_signature(c, n->in[i], at, p);
    }
    c->depth -= 1;
    return is_ok;
  }
  tn_cf_source s;
  is_ok = is_ok && tn_cf_find(c, n, at, &s);
  if (is_ok && s.updates.len == 0 && s.may_be_argument && s.writers.len == 0) {
    for (uint32_t d = 0; d < s.n_dims && is_ok; ++d) {
      is_ok = p->n_keys < MAX_KEYS && (s.indices[d]->flags & TN_NF_READS) == 0;
      p->keys[is_ok ? p->n_keys++ : 0] = s.indices[d];
    }
  } else if (is_ok && s.updates.len == 0 && s.writers.len == 1 && !s.may_be_argument) {
    tn_cf_writer *w = &s.writers.data[0];
    tn_domain domain = tn_cf_writes(c, w, s.indices);
    (void)tn_cf_assume_domain(c, &domain);
    join(c, &p->domain, &domain);
    is_ok = add_signature(c, tn_cf_at(c, &w->point, w->point.store->value), &w->point, p);
  }
  c->depth -= 1;
  tn_cf_source_deinit(&s);
  return is_ok;
}

static bool use_signatures(tn_cf *c, part_list *list) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    part *p = &list->items[i];
    size_t mark = tn_cf_assume_domain(c, &p->domain);
    p->n_keys = 0;
    is_ok = add_signature(c, p->value.expr, &p->value.at, p);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

static tn_footprint footprint_of(const part *p) {
  return (tn_footprint){p->domain, {.n_dims = p->n_keys, .mins = p->keys}};
}

/* No key twice in a list. */
static bool are_distinct(tn_cf *c, const part_list *list) {
  bool is_ok = true;
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    const part *p = &list->items[i];
    const tn_domain *d = &p->domain;
    c->n_questions += 2;
    is_ok = tn_sets_is_determined(c->sets, d, p->n_keys, p->keys, p->n_own, d->vars).verdict ==
            TN_PROVED;
    is_ok = is_ok &&
            (p->n_own == d->n ||
             tn_sets_is_determined(c->sets, d, p->n_own, d->vars, p->n_keys, p->keys).verdict ==
                 TN_PROVED);
    for (uint32_t k = 0; k < i && is_ok; ++k) {
      tn_footprint a = footprint_of(p);
      tn_footprint b = footprint_of(&list->items[k]);
      c->n_questions += 1;
      is_ok = tn_sets_is_independent(c->sets, &a, &b, 0, NULL).verdict == TN_PROVED;
    }
  }
  return is_ok;
}

static bool are_covered(tn_cf *c, const part_list *list, const part_list *by) {
  tn_footprint whole[MAX_PARTS];
  bool is_ok = true;
  for (uint32_t i = 0; i < by->n; ++i) {
    whole[i] = footprint_of(&by->items[i]);
  }
  for (uint32_t i = 0; i < list->n && is_ok; ++i) {
    tn_footprint one = footprint_of(&list->items[i]);
    c->n_questions += 1;
    is_ok = tn_sets_is_covered(c->sets, &one, by->n, whole).verdict == TN_PROVED;
  }
  return is_ok;
}

static bool are_same_keys(tn_cf *c, const part_list *a, const part_list *b) {
  uint32_t n_keys = a->items[0].n_keys;
  for (uint32_t i = 0; i < a->n + b->n; ++i) {
    if ((i < a->n ? a->items[i] : b->items[i - a->n]).n_keys != n_keys) {
      return false;
    }
  }
  return are_distinct(c, a) && are_distinct(c, b) && are_covered(c, a, b) && are_covered(c, b, a);
}

/* ---- the comparison ---- */

static bool are_same_values(tn_cf *c, const part_list *a, const part_list *b) {
  bool is_ok = true;
  for (uint32_t i = 0; i < a->n * b->n && is_ok; ++i) {
    const part *x = &a->items[i / b->n];
    const part *y = &b->items[i % b->n];
    tn_domain both = x->domain;
    join(c, &both, &y->domain);
    both.cond = tn_cf_both(c, TN_OP_AND, both.cond, tn_cf_equal(c, x->n_keys, x->keys, y->keys));
    if (!tn_cf_is_empty(c, &both)) {
      size_t mark = tn_cf_assume_domain(c, &both);
      is_ok = tn_cf_is_equal(c, &x->value, &y->value);
      tn_sets_pop(c->sets, mark);
    }
  }
  return is_ok;
}

bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_source *a, const tn_cf_source *b) {
  tn_cf_term start_a = {.kind = TN_CF_START, .at = a->reader, .source = a};
  tn_cf_term start_b = {.kind = TN_CF_START, .at = b->reader, .source = b};
  const tn_cf_store *u = a->updates.data[0].point.store;
  const tn_cf_store *v = b->updates.data[0].point.store;
  part_list *lists = TN_ARENA_ARRAY(&c->arena, part_list, 2);
  if (op_of(a) != op_of(b) || u->buffer->dtype != v->buffer->dtype) {
    return tn_cf_fail(c, "block '%s' reduces in another way than '%s'", v->name, u->name);
  }
  if (!tn_cf_is_equal(c, &start_a, &start_b) || !add_parts(c, a, NULL, &lists[0]) ||
      !add_parts(c, b, NULL, &lists[1])) {
    return false;
  }
  bool is_same = are_same_keys(c, &lists[0], &lists[1]) && are_same_values(c, &lists[0], &lists[1]);
  if (!is_same) { /* the axes of blocks were a wrong guess, perhaps */
    tn_buf first = c->why;
    c->why = (tn_buf)TN_BUF_INIT;
    is_same = use_signatures(c, &lists[0]) && use_signatures(c, &lists[1]) &&
              are_same_keys(c, &lists[0], &lists[1]) && are_same_values(c, &lists[0], &lists[1]);
    if (first.len > 0) {
      tn_buf_clear(&c->why);
      tn_buf_puts(&c->why, is_same ? "" : tn_buf_text(&first));
    }
    tn_buf_deinit(&first);
  }
  return is_same || tn_cf_fail(c, "block '%s' may reduce other values than '%s'", v->name, u->name);
}
