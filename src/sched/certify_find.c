/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Instances of stores, and which of them a load may read from.
 *
 * Stores that have d loops in common with the reader, at the same round, run later than those that
 * have fewer. So the loops are left one after another, from the inside, until those stores that run
 * before the reader are sure to write the element: what came earlier is overwritten. Of a reduction
 * the stores that start it have to write the element, and before all those that add to it. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_QUESTIONS = 3000 };

/* ---- instances ---- */

const tn_node *tn_cf_at(tn_cf *c, const tn_cf_point *p, const tn_node *expr) {
  tn_map map = {0};
  for (uint32_t i = 0; expr != NULL && i < p->store->n_loops; ++i) {
    tn_map_set(&map, p->store->loops[i]->in[TN_FOR_VAR]->id, (uint64_t)(uintptr_t)p->loops[i]);
  }
  const tn_node *out = expr == NULL ? NULL : tn_subst(c->ir, expr, &map);
  tn_map_deinit(&map);
  return out;
}

uint32_t tn_cf_n_common(const tn_cf_store *a, const tn_cf_store *b) {
  uint32_t n = 0;
  while (n < a->n_loops && n < b->n_loops && a->loops[n] == b->loops[n]) {
    ++n;
  }
  return n;
}

/* a runs before b; both have the first d loops in common. */
static const tn_node *is_before(tn_cf *c, const tn_cf_point *a, const tn_cf_point *b, uint32_t d) {
  uint32_t n = tn_cf_n_common(a->store, b->store);
  const tn_node *any = tn_bool(c->ir, false);
  for (uint32_t i = d; i < n; ++i) {
    const tn_node *one = tn_cf_and(c, tn_cf_equal(c, i - d, a->loops + d, b->loops + d),
                                   tn_cf_compare(c, TN_OP_LT, a->loops[i], b->loops[i]));
    any = tn_binary(c->ir, TN_OP_OR, any, one);
  }
  if (a->store->place < b->store->place) {
    const tn_node *same = tn_cf_equal(c, n - d, a->loops + d, b->loops + d);
    any = same == NULL ? NULL : tn_binary(c->ir, TN_OP_OR, any, same);
  }
  return any;
}

tn_cf_writer tn_cf_instances(tn_cf *c, const tn_cf_store *store, const tn_cf_point *reader,
                             uint32_t d, const tn_node *load, bool is_earlier) {
  uint32_t n = store->n_loops - d;
  const tn_node **loops = TN_ARENA_ARRAY(&c->arena, const tn_node *, store->n_loops);
  const tn_node **mins = TN_ARENA_ARRAY(&c->arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(&c->arena, const tn_node *, n);
  tn_cf_writer w = {.point = {reader->func, store, loops},
                    .domain = {.n = n, .vars = loops + d, .mins = mins, .extents = extents}};
  for (uint32_t i = 0; i < store->n_loops; ++i) {
    const tn_node *var = store->loops[i]->in[TN_FOR_VAR];
    loops[i] = i < d ? reader->loops[i] : tn_var_new(c->ir, var->attr.text, var->dtype);
  }
  for (uint32_t i = 0; i < n; ++i) {
    mins[i] = tn_cf_at(c, &w.point, store->loops[d + i]->in[TN_FOR_MIN]);
    extents[i] = tn_cf_at(c, &w.point, store->loops[d + i]->in[TN_FOR_EXTENT]);
  }
  w.domain.cond = tn_cf_at(c, &w.point, store->cond);
  if (is_earlier) {
    w.domain.cond = tn_cf_and(c, w.domain.cond, is_before(c, &w.point, reader, d));
  }
  if (load != NULL) {
    const tn_node *element = tn_cf_at(c, &w.point, store->element);
    const tn_node *same = tn_cf_equal(c, load->n_in - TN_LOAD_INDICES,
                                      element->in + TN_LOAD_INDICES, load->in + TN_LOAD_INDICES);
    w.domain.cond = tn_cf_and(c, w.domain.cond, same);
  }
  return w;
}

/* A condition is told in parts, so that one that is not affine does not take the others along. */
static void assume_cond(tn_cf *c, const tn_node *cond) {
  if (cond != NULL && tn_is(cond, TN_OP_AND)) {
    assume_cond(c, cond->in[TN_A]);
    assume_cond(c, cond->in[TN_B]);
  } else if (cond != NULL) {
    (void)tn_sets_assume(c->sets, cond);
  }
}

size_t tn_cf_assume(tn_cf *c, const tn_domain *domain) {
  size_t mark = tn_sets_assume(c->sets, tn_bool(c->ir, true));
  for (uint32_t i = 0; i < domain->n; ++i) {
    assume_cond(c, tn_cf_within(c, domain->vars[i], domain->mins[i], domain->extents[i]));
  }
  assume_cond(c, domain->cond);
  return mark;
}

bool tn_cf_is_long(const tn_cf *c) { return tn_sets_stats_get(c->sets).n_asked > MAX_QUESTIONS; }

bool tn_cf_is_true(tn_cf *c, const tn_node *cond) {
  return cond == NULL ||
         (!tn_cf_is_long(c) &&
          tn_sets_is_true(c->sets, &(tn_domain){.n = 0}, cond).verdict == TN_PROVED);
}

bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain) {
  return !tn_cf_is_long(c) && tn_sets_is_empty(c->sets, domain).verdict == TN_PROVED;
}

/* ---- what a load reads ---- */

void tn_cf_source_deinit(tn_cf_source *s) {
  TN_VEC_DEINIT(&s->writers);
  TN_VEC_DEINIT(&s->updates);
}

/* The stores that have d loops in common with the reader and may write the element before it. */
static void collect(tn_cf *c, tn_cf_source *out, uint32_t d) {
  const tn_cf_func *func = out->reader.func;
  tn_op ops[2] = {TN_OP_NONE, TN_OP_NONE}; /* all updates have one */
  out->writers.len = 0;
  out->updates.len = 0;
  for (size_t i = 0; i < func->stores.len; ++i) {
    const tn_cf_store *s = func->stores.data[i];
    uint32_t n = tn_cf_n_common(s, out->reader.store);
    bool may_run = n > d || (n == d && s->place < out->reader.store->place);
    if (s->element->in[TN_LOAD_BUFFER] != out->load->in[TN_LOAD_BUFFER] || !may_run) {
      continue;
    }
    tn_cf_writer w = tn_cf_instances(c, s, &out->reader, d, out->load, true);
    if (tn_cf_is_empty(c, &w.domain)) {
      continue;
    }
    bool is_update = tn_cf_contribution(s, &ops[out->updates.len > 0]) != NULL;
    if (is_update && (out->updates.len == 0 || ops[0] == ops[1])) {
      TN_VEC_PUSH(&out->updates, w);
    } else {
      TN_VEC_PUSH(&out->writers, w);
    }
  }
}

/* The sets are of tuples without numbers: there is one, when an instance is there. */
bool tn_cf_is_written(tn_cf *c, const tn_cf_source *s, uint64_t writers) {
  tn_footprint *whole = TN_ARENA_ARRAY(&c->arena, tn_footprint, s->writers.len);
  tn_footprint part = {.domain = {.n = 0}};
  uint32_t n = 0;
  for (size_t i = 0; i < s->writers.len; ++i) {
    if ((writers >> (i < 63 ? i : 63) & 1) != 0) {
      whole[n++].domain = s->writers.data[i].domain;
    }
  }
  return n > 0 && tn_sets_is_covered(c->sets, &part, n, whole).verdict == TN_PROVED;
}

/* No instance of `late` runs before one of `first`. */
static bool is_ordered(tn_cf *c, const tn_cf_source *s, uint32_t d, const tn_cf_writer *first,
                       const tn_cf_writer *late) {
  size_t mark = tn_cf_assume(c, &first->domain);
  tn_cf_writer w = tn_cf_instances(c, late->point.store, &first->point, d, s->load, true);
  bool is_ok = tn_cf_is_empty(c, &w.domain);
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

/* Notes which writer overwrites which. An update before a writer would be lost. */
static bool order_writers(tn_cf *c, tn_cf_source *s, uint32_t d) {
  bool is_ok = true;
  for (size_t i = 0; i < s->writers.len && is_ok; ++i) {
    tn_cf_writer *w = &s->writers.data[i];
    for (size_t k = 0; k < s->writers.len && k < 63; ++k) {
      bool is_later = k != i && is_ordered(c, s, d, w, &s->writers.data[k]);
      w->later |= (uint64_t)is_later << k;
    }
    for (size_t k = 0; k < s->updates.len && is_ok; ++k) {
      is_ok = is_ordered(c, s, d, w, &s->updates.data[k]);
    }
  }
  return is_ok || tn_cf_fail(c, "'%s' may start again after something was added to it",
                             s->load->in[TN_LOAD_BUFFER]->attr.text);
}

bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out) {
  const tn_node *buffer = load->in[TN_LOAD_BUFFER];
  const tn_node *arguments = reader->func->func->in[TN_PRIM_FUNC_BUFFERS];
  uint32_t d = reader->store->n_loops;
  uint64_t depth = 0;
  bool is_argument = false;
  *out = (tn_cf_source){.reader = *reader, .load = load};
  for (uint32_t i = 0; i < arguments->n_in; ++i) {
    is_argument = is_argument || arguments->in[i] == buffer;
  }
  if (!tn_map_find(&reader->func->depths, buffer->id, &depth) || depth > d) {
    return tn_cf_fail(c, "'%s' is read where it is not known", buffer->attr.text);
  }
  collect(c, out, d);
  bool is_complete = tn_cf_is_written(c, out, UINT64_MAX);
  while (!is_complete && d > depth) {
    d -= 1;
    collect(c, out, d);
    is_complete = tn_cf_is_written(c, out, UINT64_MAX);
  }
  out->may_be_argument = !is_complete;
  if (!is_complete && !is_argument) {
    return tn_cf_fail(c, "block '%s' may read '%s' before it is written", reader->store->name,
                      buffer->attr.text);
  }
  return order_writers(c, out, d);
}
