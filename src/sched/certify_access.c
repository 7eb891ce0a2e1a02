/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What is asked of a scheduled function besides its results: accesses stay inside their buffers, axes
 * inside their ranges, and rounds that have no order (of parallel, vectorized and thread-bound loops)
 * do not touch one element, one of them writing it, unless lowering gives each a copy of it. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

static tn_visit find_buffer(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

/* Memory of the function's own that nothing outside of that parallel loop touches: lowering gives
 * each round its own, or runs the rounds in order. */
static bool is_scratch_of(const tn_cf_func *f, const tn_node *buffer, const tn_node *loop,
                          uint32_t k) {
  const tn_node *arguments = f->func->in[TN_PRIM_FUNC_BUFFERS];
  bool is_scratch = loop->attr.i64 == TN_FOR_PARALLEL;
  for (uint32_t i = 0; i < arguments->n_in; ++i) {
    is_scratch = is_scratch && arguments->in[i] != buffer;
  }
  for (size_t i = 0; i < f->stores.len && is_scratch; ++i) {
    const tn_cf_store *s = f->stores.data[i];
    bool is_inside = s->n_loops > k && s->loops[k] == loop;
    is_scratch = is_inside || (s->element->in[TN_LOAD_BUFFER] != buffer &&
                               tn_walk_distinct(s->value, find_buffer, (void *)(uintptr_t)buffer));
  }
  return is_scratch;
}

/* Another round of loop `k`, of which n is accessed in the present one, writes it too. */
static bool is_apart(tn_cf *c, const tn_cf_point *p, const tn_node *n, const tn_cf_store *s,
                     uint32_t k) {
  tn_cf_writer w = tn_cf_instances(c, s, p, k, n, false);
  const tn_node *other = tn_cf_compare(c, TN_OP_NE, w.point.loops[k], p->loops[k]);
  w.domain.cond = tn_cf_and(c, w.domain.cond, other);
  return tn_cf_is_empty(c, &w.domain) ||
         tn_cf_fail(c, "rounds of loop '%s' may meet in '%s' (blocks '%s' and '%s')",
                    s->loops[k]->in[TN_FOR_VAR]->attr.text, n->in[TN_LOAD_BUFFER]->attr.text,
                    s->name, p->store->name);
}

static bool is_access_sound(tn_cf *c, const tn_cf_point *p, const tn_node *n) {
  const tn_node *buffer = n->in[TN_LOAD_BUFFER];
  const tn_node *zero = tn_int(c->ir, TN_DT_I64, 0);
  uint64_t depth = 0;
  bool is_ok = true;
  for (uint32_t i = TN_LOAD_INDICES; i < n->n_in && is_ok; ++i) {
    const tn_node *extent = buffer->in[TN_BUFFER_SHAPE]->in[i - TN_LOAD_INDICES];
    /* an index from memory is read before too, or the values are not equal */
    is_ok = (n->in[i]->flags & TN_NF_READS) != 0 ||
            tn_cf_is_true(c, tn_cf_within(c, n->in[i], zero, extent)) ||
            tn_cf_fail(c, "block '%s' may touch '%s' outside of its elements", p->store->name,
                       buffer->attr.text);
  }
  (void)tn_map_find(&p->func->depths, buffer->id, &depth);
  for (size_t i = 0; i < p->func->stores.len && is_ok; ++i) {
    const tn_cf_store *s = p->func->stores.data[i];
    uint32_t n_common = tn_cf_n_common(s, p->store);
    if (s->element->in[TN_LOAD_BUFFER] == buffer) {
      for (uint32_t k = (uint32_t)depth; k < n_common && is_ok; ++k) {
        bool has_order =
            s->loops[k]->attr.i64 == TN_FOR_SERIAL || s->loops[k]->attr.i64 == TN_FOR_UNROLLED;
        is_ok =
            has_order || is_scratch_of(p->func, buffer, s->loops[k], k) || is_apart(c, p, n, s, k);
      }
    }
  }
  return is_ok;
}

static bool are_accesses_sound(tn_cf *c, const tn_cf_point *p, const tn_node *n) {
  bool is_ok = !tn_is(n, TN_OP_LOAD) || is_access_sound(c, p, n);
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
  const tn_cf_store end = {.name = "end"};
  const tn_cf_point top = {.func = f, .store = &end};
  bool is_ok = true;
  for (size_t i = 0; i < f->stores.len + f->blocks.len && is_ok; ++i) {
    bool is_store = i < f->stores.len;
    const tn_cf_store *s = is_store ? f->stores.data[i] : f->blocks.data[i - f->stores.len];
    tn_cf_writer w = tn_cf_instances(c, s, &top, 0, NULL, false);
    const tn_node *value = tn_cf_at(c, &w.point, s->value);
    size_t mark = tn_cf_assume(c, &w.domain);
    is_ok = is_store ? are_accesses_sound(c, &w.point, tn_cf_at(c, &w.point, s->element)) &&
                           are_accesses_sound(c, &w.point, value)
                     : tn_cf_is_true(c, value) ||
                           tn_cf_fail(c, "an axis of block '%s' may leave its range", s->name);
    tn_sets_pop(c->sets, mark);
  }
  return is_ok;
}
