/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A cheap test that rounds of a loop touch different elements, for any number of statements below.
 *
 *   for i_0 in range(n):
 *       ... C[i_0 * 4 + i_1] ..., i_1 < 4          index = c * i_0 + rest, the rests of all accesses
 *       ... C[i_0 * 4 + i_2] ..., i_2 < 4          together span less than c: round i_0 has
 *                                                  [c * i_0 + lo, c * i_0 + hi] to itself
 *
 * It is true of most parallel and vectorized loops, and a hundred times faster than integer sets. */
#include "sched/touches.h"

static bool find_reach(tn_sched *s, const tn_domain *domain, const tn_node *min,
                       const tn_node *extent, tn_reach *out) {
  tn_arith *arith = tn_arith_new(s->ir);
  for (uint32_t i = 0; i < domain->n; ++i) {
    tn_arith_bind_range(arith, domain->vars[i], domain->mins[i], domain->extents[i]);
  }
  bool is_found = (extent == NULL || tn_is(extent, TN_OP_INT)) &&
                  tn_arith_reach(arith, min, domain->n, domain->vars, out);
  tn_arith_free(arith);
  if (is_found && extent != NULL) {
    is_found = !__builtin_add_overflow(out->hi, extent->attr.i64 - 1, &out->hi);
  }
  return is_found;
}

/* In dimension d, all accesses to the buffer of touch `first` keep to the span of their round. */
static bool is_apart_in(tn_sched *s, const tn_touches *touches, size_t first, uint32_t d) {
  tn_reach all = {.coef = 0};
  const tn_node *buffer = touches->list.data[first].buffer;
  for (size_t i = first; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    const tn_access *access = &t->print.access;
    tn_reach one;
    if (t->buffer != buffer) {
      continue;
    }
    if (!find_reach(s, &t->print.domain, access->mins[d],
                    access->extents == NULL ? NULL : access->extents[d], &one)) {
      return false;
    }
    if (i == first) {
      all = one;
    }
    if (!tn_reach_join(&all, &one)) {
      return false;
    }
  }
  return tn_reach_is_apart(&all);
}

bool tn_touches_are_apart(tn_sched *s, const tn_touches *touches) {
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    bool is_first = true;
    bool is_written = false;
    for (size_t k = 0; k < touches->list.len; ++k) {
      const tn_touch *other = &touches->list.data[k];
      bool is_same = other->buffer == t->buffer;
      if (!is_same && tn_touches_meet(t, other)) {
        return false; /* another name of its memory */
      }
      is_first = is_first && !(is_same && k < i);
      is_written = is_written || (is_same && other->is_write);
    }
    bool is_apart = !is_first || !is_written;
    for (uint32_t d = 0; !is_apart && d < t->print.access.n_dims; ++d) {
      is_apart = is_apart_in(s, touches, i, d);
    }
    if (!is_apart) {
      return false;
    }
  }
  return true;
}
