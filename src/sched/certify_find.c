/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which stores a load may read from.
 *
 * Stores that have d loops in common with the reader, at the same round, run later than those that
 * have fewer. So the loops are left one after another, from the inside, until those stores that run
 * before the reader are sure to write the element: what came earlier is overwritten. Of a reduction
 * the stores that start it have to write the element, and before all those that add to it. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

typedef struct finder {
  tn_cf *c;
  const tn_cf_point *reader;
  const tn_node *load;
  const tn_node *const *indices;
  uint32_t n_dims;
  uint32_t d; /* loops in common */
  tn_cf_source *out;
} finder;

void tn_cf_source_deinit(tn_cf_source *s) {
  TN_VEC_DEINIT(&s->writers);
  TN_VEC_DEINIT(&s->updates);
}

static tn_footprint footprint_of(const finder *f, const tn_cf_writer *w) {
  return (tn_footprint){w->domain, {.n_dims = f->n_dims, .mins = w->element}};
}

static void collect(finder *f) {
  const tn_cf_func *func = f->reader->func;
  f->out->writers.len = 0;
  f->out->updates.len = 0;
  for (size_t i = 0; i < func->stores.len; ++i) {
    const tn_cf_store *s = func->stores.data[i];
    uint32_t n = tn_cf_n_common(s, f->reader->store);
    bool may_run = n > f->d || (n == f->d && s->place < f->reader->store->place);
    if (s->buffer != f->load->in[TN_LOAD_BUFFER] || !may_run) {
      continue;
    }
    tn_cf_writer w;
    tn_op op = TN_OP_NONE;
    tn_cf_writer_init(f->c, s, f->reader, f->d, true, &w);
    tn_domain writes = tn_cf_writes(f->c, &w, f->indices);
    if (tn_cf_is_empty(f->c, &writes)) {
      continue;
    }
    if (tn_cf_contribution(s, &op) != NULL) {
      TN_VEC_PUSH(&f->out->updates, w);
    } else {
      TN_VEC_PUSH(&f->out->writers, w);
    }
  }
}

static bool is_covered(const finder *f) {
  const tn_cf_source *s = f->out;
  tn_footprint *whole = TN_ARENA_ARRAY(&f->c->arena, tn_footprint, s->writers.len);
  tn_footprint part = {{.n = 0}, {.n_dims = f->n_dims, .mins = f->indices}};
  for (size_t i = 0; i < s->writers.len; ++i) {
    whole[i] = footprint_of(f, &s->writers.data[i]);
  }
  f->c->n_questions += 1;
  return s->writers.len > 0 &&
         tn_sets_is_covered(f->c->sets, &part, (uint32_t)s->writers.len, whole).verdict ==
             TN_PROVED;
}

/* No instance of `late` that writes the element runs before one of `first` that does. */
static bool is_ordered(const finder *f, const tn_cf_writer *first, const tn_cf_writer *late) {
  tn_cf *c = f->c;
  tn_cf_writer w;
  tn_domain firsts = tn_cf_writes(c, first, f->indices);
  size_t mark = tn_cf_assume_domain(c, &firsts);
  tn_cf_writer_init(c, late->point.store, &first->point, f->d, true, &w);
  tn_domain writes = tn_cf_writes(c, &w, f->indices);
  bool is_empty = tn_cf_is_empty(c, &writes);
  tn_sets_pop(c->sets, mark);
  return is_empty;
}

/* That w does not write the element, when what it writes is a box; else NULL. */
static const tn_node *is_missed(const finder *f, const tn_cf_writer *w) {
  tn_cf *c = f->c;
  const tn_node **mins = TN_ARENA_ARRAY(&c->arena, const tn_node *, f->n_dims);
  const tn_node **extents = TN_ARENA_ARRAY(&c->arena, const tn_node *, f->n_dims);
  tn_footprint image = footprint_of(f, w);
  tn_footprint box = {{.n = 0}, {f->n_dims, mins, extents}};
  c->n_questions += 2;
  if (tn_sets_box(c->sets, c->ir, &image, mins, extents).verdict != TN_PROVED ||
      tn_sets_is_covered(c->sets, &box, 1, &image).verdict != TN_PROVED) {
    return NULL;
  }
  const tn_node *inside = NULL;
  for (uint32_t i = 0; i < f->n_dims; ++i) {
    inside = tn_cf_both(c, TN_OP_AND, inside, tn_cf_within(c, f->indices[i], mins[i], extents[i]));
  }
  return tn_cf_not(c, inside == NULL ? tn_bool(c->ir, true) : inside);
}

/* What a later store overwrites for sure is not read. */
static void leave_out_overwritten(finder *f) {
  tn_cf_source *s = f->out;
  size_t n = s->writers.len;
  if (n + s->may_be_argument < 2) {
    return;
  }
  const tn_node **missed = TN_ARENA_ARRAY(&f->c->arena, const tn_node *, n);
  for (size_t i = 0; i < n; ++i) {
    missed[i] = is_missed(f, &s->writers.data[i]);
    s->argument_cond = tn_cf_both(f->c, TN_OP_AND, s->argument_cond, missed[i]);
  }
  for (size_t i = 0; i < n; ++i) {
    tn_cf_writer *w = &s->writers.data[i];
    for (size_t k = 0; k < n; ++k) {
      if (k != i && missed[k] != NULL && is_ordered(f, w, &s->writers.data[k])) {
        w->domain.cond = tn_cf_both(f->c, TN_OP_AND, w->domain.cond, missed[k]);
      }
    }
  }
}

static bool check_updates(finder *f) {
  const tn_cf_source *s = f->out;
  tn_op first_op = TN_OP_NONE;
  for (size_t i = 0; i < s->updates.len; ++i) {
    const tn_cf_store *u = s->updates.data[i].point.store;
    tn_op op = TN_OP_NONE;
    (void)tn_cf_contribution(u, &op);
    first_op = i == 0 ? op : first_op;
    if (op != first_op) {
      return tn_cf_fail(f->c, "'%s' is reduced in two ways", u->buffer->attr.text);
    }
    for (size_t k = 0; k < s->writers.len; ++k) {
      if (!is_ordered(f, &s->writers.data[k], &s->updates.data[i])) {
        return tn_cf_fail(f->c, "an element of '%s' may start again after block '%s' added to it",
                          u->buffer->attr.text, u->name);
      }
    }
  }
  return true;
}

bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out) {
  const tn_node *buffer = load->in[TN_LOAD_BUFFER];
  const tn_node *arguments = reader->func->func->in[TN_PRIM_FUNC_BUFFERS];
  finder f = {.c = c,
              .reader = reader,
              .load = load,
              .indices = load->in + TN_LOAD_INDICES,
              .n_dims = tn_buffer_ndim(buffer),
              .d = reader->store->n_loops,
              .out = out};
  uint64_t depth = 0;
  bool is_argument = false;
  bool is_written = false;
  *out = (tn_cf_source){.reader = *reader, .n_dims = f.n_dims, .indices = f.indices};
  for (uint32_t i = 0; i < arguments->n_in && !is_argument; ++i) {
    is_argument = arguments->in[i] == buffer;
    out->argument = i;
  }
  for (size_t i = 0; i < reader->func->stores.len; ++i) {
    is_written = is_written || reader->func->stores.data[i]->buffer == buffer;
  }
  if (is_argument && !is_written) {
    out->may_be_argument = true;
    return true;
  }
  if (!tn_map_find(&reader->func->depths, buffer->id, &depth) || depth > f.d) {
    return tn_cf_fail(c, "'%s' is read where it is not known", buffer->attr.text);
  }
  collect(&f);
  bool is_complete = is_covered(&f);
  while (!is_complete && f.d > depth) {
    f.d -= 1;
    collect(&f);
    is_complete = is_covered(&f);
  }
  if (!is_complete && !is_argument) {
    return tn_cf_fail(c, "block '%s' reads '%s' where it may not be written yet",
                      reader->store->name, buffer->attr.text);
  }
  out->may_be_argument = !is_complete;
  leave_out_overwritten(&f);
  return check_updates(&f);
}
