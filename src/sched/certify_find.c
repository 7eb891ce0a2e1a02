/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Instances of stores: which of them a load may read from, and what is asked of a scheduled function
 * besides its results: accesses stay inside their buffers, axes inside their ranges, and rounds that
 * have no order (of parallel, vectorized and thread-bound loops) do not touch one element, one of
 * them writing it, unless lowering gives each a copy of it.
 *
 * Stores that have d loops in common with the reader, at the same round, run later than those that
 * have fewer. So the loops are left one after another, from the inside, until those stores that run
 * before the reader are sure to write the element: what came earlier is overwritten. Of a reduction
 * the stores that start it have to write the element, and before all those that add to it. */
#include "sched/certify_priv.h"

enum { MAX_DEPTH = 64, MAX_QUESTIONS = 3000, MAX_STEPS = 20000 };

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

static uint32_t n_common(const tn_cf_store *a, const tn_cf_store *b) {
  uint32_t n = 0;
  while (n < a->n_loops && n < b->n_loops && a->loops[n] == b->loops[n]) {
    ++n;
  }
  return n;
}

/* a runs before b; both have the first d loops in common. */
static const tn_node *is_before(tn_cf *c, const tn_cf_point *a, const tn_cf_point *b, uint32_t d) {
  const tn_node *is = a->store->place < b->store->place ? NULL : tn_bool(c->ir, false);
  for (uint32_t i = n_common(a->store, b->store); i > d; --i) {
    const tn_node *same = tn_cf_compare(c, TN_OP_EQ, a->loops[i - 1], b->loops[i - 1]);
    is = tn_binary(c->ir, TN_OP_OR, tn_cf_and(c, same, is),
                   tn_cf_compare(c, TN_OP_LT, a->loops[i - 1], b->loops[i - 1]));
  }
  return is;
}

static tn_cf_point instances(tn_cf *c, const tn_cf_store *store, const tn_cf_point *reader,
                             uint32_t d, const tn_node *load) {
  uint32_t n = store->n_loops;
  const tn_node **loops = TN_ARENA_ARRAY(&c->arena, const tn_node *, 3 * (size_t)n);
  tn_cf_point w = {
      reader->func, store, loops, {n - d, loops + d, loops + n + d, loops + 2 * n + d, NULL}};
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *var = store->loops[i]->in[TN_FOR_VAR];
    loops[i] = i < d ? reader->loops[i] : tn_var_new(c->ir, var->attr.text, var->dtype);
    loops[n + i] = tn_cf_at(c, &w, store->loops[i]->in[TN_FOR_MIN]);
    loops[2 * n + i] = tn_cf_at(c, &w, store->loops[i]->in[TN_FOR_EXTENT]);
  }
  w.domain.cond = tn_cf_at(c, &w, store->cond);
  if (load != NULL) {
    const tn_node *const *at = tn_cf_at(c, &w, store->element)->in + TN_LOAD_INDICES;
    const tn_node *const *indices = load->in + TN_LOAD_INDICES;
    w.domain.cond =
        tn_cf_and(c, w.domain.cond, tn_cf_equal(c, load->n_in - TN_LOAD_INDICES, at, indices));
  }
  return w;
}

void tn_cf_join(tn_cf *c, tn_domain *to, const tn_domain *more, const tn_node *cond) {
  uint32_t n = to->n + more->n;
  const tn_node **all = TN_ARENA_ARRAY(&c->arena, const tn_node *, 3 * (size_t)n);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_domain *from = i < to->n ? to : more;
    uint32_t k = i < to->n ? i : i - to->n;
    all[i] = from->vars[k];
    all[n + i] = from->mins[k];
    all[2 * n + i] = from->extents[k];
  }
  cond = tn_cf_and(c, tn_cf_and(c, to->cond, more->cond), cond);
  *to = (tn_domain){n, all, all + n, all + 2 * n, cond};
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
    const tn_node *min = domain->mins == NULL ? NULL : domain->mins[i];
    assume_cond(c, tn_cf_within(c, domain->vars[i], min, domain->extents[i]));
  }
  assume_cond(c, domain->cond);
  return mark;
}

bool tn_cf_is_long(tn_cf *c) {
  bool is_long = c->depth > MAX_DEPTH || ++c->n_steps > MAX_STEPS ||
                 tn_sets_stats_get(c->sets).n_asked > MAX_QUESTIONS;
  return is_long &&
         !TN_CF_FAIL(c, "too long: values that depend on each other, or too many stores");
}

bool tn_cf_is_true(tn_cf *c, const tn_node *cond) {
  return cond == NULL || tn_cf_is_empty(c, &(tn_domain){.cond = tn_cf_not(c, cond)});
}

bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain) {
  return !tn_cf_is_long(c) && tn_sets_is_empty(c->sets, domain).verdict == TN_PROVED;
}

/* ---- what a load reads ---- */

static void add_instances(tn_cf *c, tn_cf_source *out, const tn_cf_store *s) {
  tn_cf_point w = instances(c, s, &out->reader, out->d, out->load);
  w.domain.cond = tn_cf_and(c, w.domain.cond, is_before(c, &w, &out->reader, out->d));
  bool is_update = s->added != NULL && (out->n_updates == 0 || out->updates->store->op == s->op);
  uint32_t *count = is_update ? &out->n_updates : &out->n_writers;
  if (*count == TN_CF_MAX_WRITERS) {
    c->n_steps = MAX_STEPS; /* the list is not whole: nothing may be proved by it */
  } else if (!tn_cf_is_empty(c, &w.domain)) {
    (is_update ? out->updates : out->writers)[(*count)++] = w;
  }
}

/* The stores that have d loops in common with the reader and may write the element before it. */
static void collect(tn_cf *c, tn_cf_source *out) {
  out->n_writers = out->n_updates = 0;
  for (size_t i = 0; i < out->reader.func->stores.len; ++i) {
    const tn_cf_store *s = out->reader.func->stores.data[i];
    uint32_t n = n_common(s, out->reader.store);
    bool may_run = n > out->d || (n == out->d && s->place < out->reader.store->place);
    if (s->buffer == out->load->in[TN_LOAD_BUFFER] && may_run) {
      add_instances(c, out, s);
    }
  }
}

/* The sets are of tuples without numbers: there is one, when an instance is there. */
bool tn_cf_is_written(tn_cf *c, const tn_cf_source *s, const tn_cf_point *after) {
  tn_footprint whole[TN_CF_MAX_WRITERS] = {0};
  tn_footprint part = {.domain = {.n = 0}};
  for (uint32_t i = 0; i < s->n_writers; ++i) {
    const tn_node *later = after == NULL ? NULL : is_before(c, after, &s->writers[i], s->d);
    whole[i].domain = s->writers[i].domain;
    whole[i].domain.cond = tn_cf_and(c, whole[i].domain.cond, later);
  }
  return s->n_writers > 0 &&
         tn_sets_is_covered(c->sets, &part, s->n_writers, whole).verdict == TN_PROVED;
}

/* No update runs before a writer: it would be lost. */
static bool are_updates_last(tn_cf *c, const tn_cf_source *s) {
  bool is_ok = true;
  for (uint32_t i = 0; i < s->n_writers * s->n_updates && is_ok; ++i) {
    const tn_cf_point *w = &s->writers[i / s->n_updates];
    const tn_cf_point *u = &s->updates[i % s->n_updates];
    tn_domain both = w->domain;
    tn_cf_join(c, &both, &u->domain, is_before(c, u, w, s->d));
    is_ok = tn_cf_is_empty(c, &both);
  }
  return is_ok || TN_CF_FAIL(c, "'%s' may start again after something was added to it",
                             s->load->in[TN_LOAD_BUFFER]->attr.text);
}

bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out) {
  const tn_cf_func *f = reader->func;
  const tn_node *buffer = load->in[TN_LOAD_BUFFER];
  uint64_t depth = 0;
  *out = (tn_cf_source){.reader = *reader, .load = load, .d = reader->store->n_loops};
  out->writers = TN_ARENA_ARRAY(&c->arena, tn_cf_point, TN_CF_MAX_WRITERS);
  out->updates = TN_ARENA_ARRAY(&c->arena, tn_cf_point, TN_CF_MAX_WRITERS);
  if (!tn_map_find(&f->depths, buffer->in[TN_BUFFER_DATA]->id, &depth) || depth > out->d) {
    return TN_CF_FAIL(c, "'%s' is read where it is not known", buffer->attr.text);
  }
  collect(c, out);
  while ((out->may_be_argument = !tn_cf_is_written(c, out, NULL)) && out->d > depth) {
    out->d -= 1;
    collect(c, out);
  }
  if (out->may_be_argument && !tn_cf_mentions(f->func->in[TN_PRIM_FUNC_BUFFERS], buffer)) {
    return TN_CF_FAIL(c, "block '%s' may read '%s' before it is written", reader->store->name,
                      buffer->attr.text);
  }
  return are_updates_last(c, out) && !tn_cf_is_long(c);
}

/* ---- accesses stay inside their buffers, and apart ---- */

/* Memory of the function's own that nothing outside of that parallel loop touches: lowering gives
 * each round its own, or runs the rounds in order. */
static bool is_scratch_of(const tn_cf_func *f, const tn_cf_store *w, uint32_t k) {
  const tn_node *loop = w->loops[k];
  bool is_scratch = loop->attr.i64 == TN_FOR_PARALLEL &&
                    !tn_cf_mentions(f->func->in[TN_PRIM_FUNC_BUFFERS], w->buffer);
  for (size_t i = 0; i < f->stores.len && is_scratch; ++i) {
    const tn_cf_store *s = f->stores.data[i];
    bool is_inside = s->n_loops > k && s->loops[k] == loop;
    is_scratch = is_inside || (s->buffer != w->buffer && !tn_cf_mentions(s->value, w->buffer));
  }
  return is_scratch;
}

/* No other round of loop `k` writes n, which is accessed in the present one, or they have an order. */
static bool is_apart(tn_cf *c, const tn_cf_point *p, const tn_node *n, const tn_cf_store *s,
                     uint32_t k) {
  const tn_node *loop = s->loops[k];
  if (loop->attr.i64 == TN_FOR_SERIAL || loop->attr.i64 == TN_FOR_UNROLLED ||
      is_scratch_of(p->func, s, k)) {
    return true;
  }
  tn_cf_point w = instances(c, s, p, k, n);
  const tn_node *other = tn_cf_compare(c, TN_OP_NE, w.loops[k], p->loops[k]);
  w.domain.cond = tn_cf_and(c, w.domain.cond, other);
  return tn_cf_is_empty(c, &w.domain) ||
         TN_CF_FAIL(c, "rounds of loop '%s' may meet in '%s' (blocks '%s' and '%s')",
                    loop->in[TN_FOR_VAR]->attr.text, s->buffer->attr.text, s->name, p->store->name);
}

static bool are_accesses_sound(tn_cf *c, const tn_cf_point *p, const tn_node *n) {
  const tn_node *buffer = tn_is(n, TN_OP_LOAD) ? n->in[TN_LOAD_BUFFER] : NULL;
  uint64_t id = buffer == NULL ? 0 : buffer->in[TN_BUFFER_DATA]->id;
  uint64_t depth = 0;
  bool is_ok = !tn_cf_is_long(c);
  for (uint32_t i = TN_LOAD_INDICES; i < n->n_in && buffer != NULL && is_ok; ++i) {
    const tn_node *extent = buffer->in[TN_BUFFER_SHAPE]->in[i - TN_LOAD_INDICES];
    /* an index from memory is read before too, or the values are not equal */
    is_ok = (n->in[i]->flags & TN_NF_READS) != 0 ||
            tn_cf_is_true(c, tn_cf_within(c, n->in[i], NULL, extent)) ||
            TN_CF_FAIL(c, "block '%s' may reach outside '%s'", p->store->name, buffer->attr.text);
  }
  (void)tn_map_find(&p->func->depths, id, &depth);
  for (size_t i = 0; i < p->func->stores.len && buffer != NULL && is_ok; ++i) {
    const tn_cf_store *s = p->func->stores.data[i];
    uint32_t n_loops = s->buffer == buffer ? n_common(s, p->store) : 0;
    for (uint32_t k = (uint32_t)depth; k < n_loops && is_ok; ++k) {
      is_ok = is_apart(c, p, n, s, k);
    }
  }
  for (uint32_t i = 0; i < n->n_in && is_ok && (n->flags & TN_NF_READS) != 0; ++i) {
    tn_domain when = {.n = 0};
    if (tn_is(n, TN_OP_IF_THEN_ELSE) && i != TN_SELECT_COND) {
      when.cond = i == TN_SELECT_A ? n->in[TN_SELECT_COND] : tn_cf_not(c, n->in[TN_SELECT_COND]);
    }
    size_t mark = tn_cf_assume(c, &when);
    is_ok = are_accesses_sound(c, p, n->in[i]);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

bool tn_cf_is_sound(tn_cf *c, const tn_cf_func *f) {
  const tn_cf_point top = {.func = f};
  bool is_ok = true;
  for (size_t i = 0; i < f->stores.len && is_ok; ++i) {
    const tn_cf_store *s = f->stores.data[i];
    tn_cf_point w = instances(c, s, &top, 0, NULL);
    const tn_node *value = tn_cf_at(c, &w, s->value);
    size_t mark = tn_cf_assume(c, &w.domain);
    is_ok = s->buffer == NULL
                ? tn_cf_is_true(c, value) ||
                      TN_CF_FAIL(c, "an axis of block '%s' may leave its range", s->name)
                : are_accesses_sound(c, &w, tn_cf_at(c, &w, s->element)) &&
                      are_accesses_sound(c, &w, value);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}
