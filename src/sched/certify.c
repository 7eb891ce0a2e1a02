/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two loop functions are the same: each element of an argument that one of them writes is read at
 * the end of both, and compared. What `after` does besides is checked too: its accesses stay inside
 * their buffers, and rounds without an order do not meet. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

/* The reader of what a function leaves. */
static const tn_cf_store the_end = {.place = UINT32_MAX, .name = "(end)"};

/* ---- parameters ---- */

static bool match_var(tn_map *map, const tn_node *from, const tn_node *to) {
  bool is_var = tn_is(from, TN_OP_VAR) && tn_is(to, TN_OP_VAR) && from->dtype == to->dtype;
  if (is_var && from != to && !tn_map_find(map, from->id, NULL)) {
    tn_map_set(map, from->id, (uint64_t)(uintptr_t)to);
  }
  return is_var;
}

/* Sizes and scalars of `after` become those of `before`; the types of parameters must agree. */
static bool match_params(tn_cf *c, const tn_node *before, const tn_node **after) {
  const tn_node *a = before->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *b = (*after)->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *vars_a = before->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *vars_b = (*after)->in[TN_PRIM_FUNC_PARAMS];
  tn_map map = {0};
  bool is_ok = a->n_in == b->n_in;
  for (uint32_t i = 0; i < a->n_in && is_ok; ++i) {
    if (tn_is_none(a->in[i]) || tn_is_none(b->in[i])) {
      is_ok = a->in[i] == b->in[i] && match_var(&map, vars_b->in[i], vars_a->in[i]);
      continue;
    }
    is_ok =
        a->in[i]->dtype == b->in[i]->dtype && tn_buffer_ndim(a->in[i]) == tn_buffer_ndim(b->in[i]);
    for (uint32_t d = 0; is_ok && d < tn_buffer_ndim(a->in[i]); ++d) {
      (void)match_var(&map, b->in[i]->in[TN_BUFFER_SHAPE]->in[d],
                      a->in[i]->in[TN_BUFFER_SHAPE]->in[d]);
    }
  }
  *after = tn_subst(c->ir, *after, &map);
  tn_map_deinit(&map);
  b = (*after)->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < a->n_in && is_ok; ++i) {
    is_ok =
        tn_is_none(a->in[i]) || (a->in[i]->in[TN_BUFFER_SHAPE] == b->in[i]->in[TN_BUFFER_SHAPE] &&
                                 tn_buffer_is_plain(a->in[i]) && tn_buffer_is_plain(b->in[i]));
  }
  return is_ok || tn_cf_fail(c, "the parameters differ, or have strides or offsets");
}

/* ---- what is read at the end ---- */

static bool is_written(const tn_cf_func *f, const tn_node *buffer) {
  bool is_found = false;
  for (size_t i = 0; i < f->stores.len; ++i) {
    is_found = is_found || f->stores.data[i]->buffer == buffer;
  }
  return is_found;
}

/* Any element of the argument holds the same after both. */
static bool is_left_equal(tn_cf *c, const tn_cf_func *a, const tn_cf_func *b, uint32_t i) {
  const tn_node *buffers[2] = {a->func->in[TN_PRIM_FUNC_BUFFERS]->in[i],
                               b->func->in[TN_PRIM_FUNC_BUFFERS]->in[i]};
  const tn_cf_func *funcs[2] = {a, b};
  const tn_node *shape = buffers[0]->in[TN_BUFFER_SHAPE];
  const tn_node *in[2 + TN_MAX_NDIM] = {NULL, tn_none(c->ir)};
  const tn_node *cond = NULL;
  tn_cf_term terms[2];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *index = tn_var_new(c->ir, "e", shape->in[d]->dtype);
    const tn_node *zero = tn_int(c->ir, index->dtype, 0);
    in[TN_LOAD_INDICES + d] = index;
    cond = tn_cf_both(c, TN_OP_AND, cond, tn_cf_within(c, index, zero, shape->in[d]));
  }
  for (uint32_t k = 0; k < 2; ++k) {
    in[TN_LOAD_BUFFER] = buffers[k];
    terms[k] = (tn_cf_term){.kind = TN_CF_EXPR, .at = {.func = funcs[k], .store = &the_end}};
    terms[k].expr = tn_node_new(c->ir, TN_OP_LOAD, buffers[k]->dtype, (tn_attr){.i64 = 0},
                                TN_LOAD_INDICES + shape->n_in, in);
  }
  size_t mark = tn_cf_assume_cond(c, cond);
  bool is_ok = tn_cf_is_equal(c, &terms[0], &terms[1]);
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

/* ---- inside of buffers ---- */

static bool is_inside(tn_cf *c, const tn_cf_store *s, const tn_node *buffer,
                      const tn_node *const *indices) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  bool is_ok = true;
  for (uint32_t d = 0; d < shape->n_in && is_ok; ++d) {
    const tn_node *zero = tn_int(c->ir, TN_DT_I64, 0);
    /* an index from memory is read by both functions, or they are not equal */
    is_ok = (indices[d]->flags & TN_NF_READS) != 0 ||
            tn_cf_is_true(c, tn_cf_within(c, indices[d], zero, shape->in[d]));
  }
  return is_ok || tn_cf_fail(c, "block '%s' may touch '%s' outside of its elements", s->name,
                             buffer->attr.text);
}

static bool are_loads_inside(tn_cf *c, const tn_cf_store *s, const tn_node *n) {
  bool is_ok =
      !tn_is(n, TN_OP_LOAD) || is_inside(c, s, n->in[TN_LOAD_BUFFER], n->in + TN_LOAD_INDICES);
  for (uint32_t i = 0; i < n->n_in && is_ok && (n->flags & TN_NF_READS) != 0; ++i) {
    size_t mark = tn_cf_assume_cond(c, NULL);
    if (tn_is(n, TN_OP_IF_THEN_ELSE) && i > 0) {
      const tn_node *cond = n->in[TN_SELECT_COND];
      (void)tn_cf_assume_cond(c, i == TN_SELECT_A ? cond : tn_cf_not(c, cond));
    }
    is_ok = are_loads_inside(c, s, n->in[i]);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

static bool is_store_inside(tn_cf *c, const tn_cf_func *f, const tn_cf_store *s) {
  const tn_cf_point top = {.func = f, .store = &the_end};
  tn_cf_writer w;
  tn_cf_writer_init(c, s, &top, 0, false, &w);
  size_t mark = tn_cf_assume_domain(c, &w.domain);
  bool is_ok = tn_cf_is_true(c, tn_cf_at(c, &w.point, s->promise)) ||
               tn_cf_fail(c, "an axis of block '%s' may leave its range", s->name);
  is_ok = is_ok && is_inside(c, s, s->buffer, w.element) &&
          are_loads_inside(c, s, tn_cf_at(c, &w.point, s->value));
  tn_sets_pop(c->sets, mark);
  return is_ok;
}

/* ---- rounds without an order ---- */

typedef struct meeting {
  tn_cf *c;
  const tn_cf_writer *other; /* any round of a store */
  const tn_cf_store *writer;
  uint32_t loop; /* of which other rounds are looked at */
  bool is_ok;
} meeting;

static bool is_apart(const meeting *m, const tn_node *const *indices) {
  tn_cf *c = m->c;
  tn_cf_writer w;
  tn_cf_writer_init(c, m->writer, &m->other->point, m->loop, false, &w);
  tn_domain d = tn_cf_writes(c, &w, indices);
  d.cond = tn_cf_both(
      c, TN_OP_AND, d.cond,
      tn_cf_compare(c, TN_OP_NE, w.point.loops[m->loop], m->other->point.loops[m->loop]));
  return tn_cf_is_empty(c, &d) ||
         tn_cf_fail(c, "rounds of loop '%s' may meet in '%s' (blocks '%s' and '%s')",
                    m->writer->loops[m->loop]->var->attr.text, m->writer->buffer->attr.text,
                    m->writer->name, m->other->point.store->name);
}

static tn_visit meet_load(const tn_node *n, void *ctx) {
  meeting *m = ctx;
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == m->writer->buffer) {
    m->is_ok = is_apart(m, n->in + TN_LOAD_INDICES);
  }
  return m->is_ok ? TN_DESCEND : TN_STOP;
}

static bool are_rounds_apart(tn_cf *c, const tn_cf_func *f, const tn_cf_store *s, uint32_t loop) {
  const tn_cf_point top = {.func = f, .store = &the_end};
  uint64_t depth = 0;
  bool is_ok = true;
  if (tn_map_find(&f->depths, s->buffer->id, &depth) && depth > loop) {
    return true; /* each round has its own */
  }
  for (size_t i = 0; i < f->stores.len && is_ok; ++i) {
    const tn_cf_store *t = f->stores.data[i];
    if (tn_cf_n_common(s, t) <= loop) {
      continue;
    }
    tn_cf_writer other;
    tn_cf_writer_init(c, t, &top, 0, false, &other);
    size_t mark = tn_cf_assume_domain(c, &other.domain);
    meeting m = {c, &other, s, loop, true};
    is_ok = t->buffer != s->buffer || is_apart(&m, other.element);
    if (is_ok) {
      (void)tn_walk_distinct(tn_cf_at(c, &other.point, t->value), meet_load, &m);
    }
    is_ok = is_ok && m.is_ok;
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}

/* ---- the functions ---- */

static bool is_sound(tn_cf *c, const tn_cf_func *f) {
  bool is_ok = true;
  for (size_t i = 0; i < f->stores.len && is_ok; ++i) {
    const tn_cf_store *s = f->stores.data[i];
    is_ok = is_store_inside(c, f, s);
    for (uint32_t k = 0; k < s->n_loops && is_ok; ++k) {
      is_ok = !s->loops[k]->is_shared || are_rounds_apart(c, f, s, k);
    }
  }
  return is_ok;
}

static void assume_sizes(tn_cf *c, const tn_node *func) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *b = buffers->in[i];
    for (uint32_t d = 0; !tn_is_none(b) && d < tn_buffer_ndim(b); ++d) {
      const tn_node *n = b->in[TN_BUFFER_SHAPE]->in[d];
      (void)tn_cf_assume_cond(c, tn_binary(c->ir, TN_OP_GE, n, tn_int(c->ir, n->dtype, 0)));
    }
  }
}

static bool is_same(tn_cf *c, const tn_cf_func *a, const tn_cf_func *b) {
  const tn_node *buffers = a->func->in[TN_PRIM_FUNC_BUFFERS];
  bool is_ok = is_sound(c, b);
  for (uint32_t i = 0; i < buffers->n_in && is_ok; ++i) {
    is_ok = !(is_written(a, buffers->in[i]) ||
              is_written(b, b->func->in[TN_PRIM_FUNC_BUFFERS]->in[i])) ||
            is_left_equal(c, a, b, i);
  }
  return is_ok;
}

tn_status tn_certify(tn_ir *ir, const tn_node *before, const tn_node *after,
                     tn_certify_result *out_result) {
  tn_cf c = {.ir = ir, .sets = tn_sets_new(), .why = TN_BUF_INIT};
  tn_cf_func a = {.func = before};
  tn_cf_func b = {.func = after};
  tn_arena_init(&c.arena, 0);
  assume_sizes(&c, before);
  bool is_equal = match_params(&c, before, &after) && tn_cf_flatten(&c, before, &a) &&
                  tn_cf_flatten(&c, after, &b) && is_same(&c, &a, &b);
  tn_cf_func_deinit(&a);
  tn_cf_func_deinit(&b);
  tn_sets_free(c.sets);
  tn_arena_deinit(&c.arena);
  *out_result = (tn_certify_result){.verdict = is_equal ? TN_CERTIFY_EQUAL : TN_CERTIFY_UNDECIDED,
                                    .n_questions = c.n_questions};
  if (is_equal) {
    tn_buf_clear(&c.why);
  }
  out_result->text = tn_buf_take(&c.why);
  return tn_ir_status(ir);
}

void tn_certify_result_deinit(tn_certify_result *result) {
  free(result->text);
  result->text = NULL;
}
