/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Instances of stores and questions about them. An instance's loops are new variables; those of
 * instances that are in question are symbols, about which the integer sets are told what is known. */
#include <stdarg.h>
#include <stdio.h>

#include "sched/certify_priv.h"
#include "tir/tir.h"

bool tn_cf_fail(tn_cf *c, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (c->why.len == 0) {
    tn_buf_puts(&c->why, text);
  }
  return false;
}

/* ---- expressions ---- */

const tn_node *tn_cf_cast(tn_cf *c, tn_dtype dtype, const tn_node *value) {
  const tn_node *out = value;
  tn_status st = tn_tir_cast(c->ir, dtype, value, &out);
  if (st != NULL) {
    (void)tn_cf_fail(c, "%s", tn_status_message(st));
    tn_status_free(st);
  }
  return out;
}

const tn_node *tn_cf_both(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b) {
  if (a == NULL || b == NULL) {
    return op == TN_OP_OR ? NULL : a == NULL ? b : a;
  }
  return tn_binary(c->ir, op, a, b);
}

const tn_node *tn_cf_compare(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b) {
  if (a->dtype != b->dtype) {
    a = tn_cf_cast(c, TN_DT_I64, a);
    b = tn_cf_cast(c, TN_DT_I64, b);
  }
  return tn_binary(c->ir, op, a, b);
}

const tn_node *tn_cf_equal(tn_cf *c, uint32_t n, const tn_node *const *a, const tn_node *const *b) {
  const tn_node *all = NULL;
  for (uint32_t i = 0; i < n; ++i) {
    all = tn_cf_both(c, TN_OP_AND, all, tn_cf_compare(c, TN_OP_EQ, a[i], b[i]));
  }
  return all;
}

const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond) {
  return tn_node_new(c->ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){.i64 = 0}, 1, &cond);
}

/* value - min < extent, so that no sum can wrap where the bounds are symbols. */
const tn_node *tn_cf_within(tn_cf *c, const tn_node *value, const tn_node *min,
                            const tn_node *extent) {
  const tn_node *v = tn_cf_cast(c, TN_DT_I64, value);
  const tn_node *m = tn_cf_cast(c, TN_DT_I64, min);
  const tn_node *offset = tn_is_int(m, 0) ? v : tn_binary(c->ir, TN_OP_SUB, v, m);
  return tn_cf_both(c, TN_OP_AND, tn_binary(c->ir, TN_OP_GE, v, m),
                    tn_cf_compare(c, TN_OP_LT, offset, tn_cf_cast(c, TN_DT_I64, extent)));
}

/* ---- instances ---- */

const tn_node *tn_cf_at(tn_cf *c, const tn_cf_point *p, const tn_node *expr) {
  tn_map map = {0};
  for (uint32_t i = 0; expr != NULL && i < p->store->n_loops; ++i) {
    tn_map_set(&map, p->store->loops[i]->var->id, (uint64_t)(uintptr_t)p->loops[i]);
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
  bool is_first = a->store->place < b->store->place;
  if (n == d) {
    return tn_bool(c->ir, is_first);
  }
  const tn_node *any = NULL;
  for (uint32_t i = d; i < n + is_first; ++i) {
    const tn_node *one = tn_cf_equal(c, i - d, a->loops + d, b->loops + d);
    if (i < n) {
      one = tn_cf_both(c, TN_OP_AND, one, tn_cf_compare(c, TN_OP_LT, a->loops[i], b->loops[i]));
    }
    any = any == NULL ? one : tn_cf_both(c, TN_OP_OR, any, one);
  }
  return any;
}

void tn_cf_writer_init(tn_cf *c, const tn_cf_store *store, const tn_cf_point *reader, uint32_t d,
                       bool is_earlier, tn_cf_writer *out) {
  uint32_t n = store->n_loops - d;
  const tn_node **loops = TN_ARENA_ARRAY(&c->arena, const tn_node *, store->n_loops);
  const tn_node **mins = TN_ARENA_ARRAY(&c->arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(&c->arena, const tn_node *, n);
  for (uint32_t i = 0; i < store->n_loops; ++i) {
    const tn_node *var = store->loops[i]->var;
    loops[i] = i < d ? reader->loops[i] : tn_var_new(c->ir, var->attr.text, var->dtype);
  }
  *out = (tn_cf_writer){.point = {reader->func, store, loops}};
  for (uint32_t i = 0; i < n; ++i) {
    mins[i] = tn_cf_at(c, &out->point, store->loops[d + i]->min);
    extents[i] = tn_cf_at(c, &out->point, store->loops[d + i]->extent);
  }
  out->domain = (tn_domain){.n = n, .vars = loops + d, .mins = mins, .extents = extents};
  out->domain.cond = tn_cf_at(c, &out->point, store->cond);
  if (is_earlier) {
    const tn_node *before = is_before(c, &out->point, reader, d);
    out->domain.cond = tn_is_int(before, 1) ? out->domain.cond
                                            : tn_cf_both(c, TN_OP_AND, out->domain.cond, before);
  }
  uint32_t n_dims = store->buffer == NULL ? 0 : store->buffer->in[TN_BUFFER_SHAPE]->n_in;
  const tn_node **element = TN_ARENA_ARRAY(&c->arena, const tn_node *, n_dims);
  for (uint32_t i = 0; i < n_dims; ++i) {
    element[i] = tn_cf_at(c, &out->point, store->indices[i]);
  }
  out->element = element;
}

/* The condition is told in parts, so that one that is not affine does not take the others along. */
static void assume_all(tn_cf *c, const tn_node *cond) {
  if (cond != NULL && tn_is(cond, TN_OP_AND)) {
    assume_all(c, cond->in[TN_A]);
    assume_all(c, cond->in[TN_B]);
  } else if (cond != NULL) {
    (void)tn_sets_assume(c->sets, cond);
  }
}

size_t tn_cf_assume_domain(tn_cf *c, const tn_domain *domain) {
  size_t mark = tn_sets_assume(c->sets, tn_bool(c->ir, true));
  for (uint32_t i = 0; i < domain->n; ++i) {
    assume_all(c, tn_cf_within(c, domain->vars[i], domain->mins[i], domain->extents[i]));
  }
  assume_all(c, domain->cond);
  return mark;
}

size_t tn_cf_assume_cond(tn_cf *c, const tn_node *cond) {
  size_t mark = tn_sets_assume(c->sets, tn_bool(c->ir, true));
  assume_all(c, cond);
  return mark;
}

/* ---- questions ---- */

tn_domain tn_cf_writes(tn_cf *c, const tn_cf_writer *w, const tn_node *const *indices) {
  tn_domain d = w->domain;
  uint32_t n = indices == NULL ? 0 : tn_buffer_ndim(w->point.store->buffer);
  d.cond = tn_cf_both(c, TN_OP_AND, d.cond, tn_cf_equal(c, n, w->element, indices));
  return d;
}

bool tn_cf_is_true(tn_cf *c, const tn_node *cond) {
  c->n_questions += 1;
  return cond == NULL || tn_sets_is_true(c->sets, &(tn_domain){.n = 0}, cond).verdict == TN_PROVED;
}

bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain) {
  c->n_questions += 1;
  return tn_sets_is_empty(c->sets, domain).verdict == TN_PROVED;
}
