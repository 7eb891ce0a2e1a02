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

typedef struct span {
  int64_t coef;
  int64_t lo;
  int64_t hi;
  const tn_node *base; /* of the index: what is the same in all rounds */
} span;

/* The index as coef * var + base + something in [lo, hi]. */
static bool find_span(tn_sched *s, const tn_domain *domain, const tn_node *min,
                      const tn_node *extent, span *out) {
  const tn_node *coefs[TN_SCHED_MAX_LOOPS];
  const tn_node *base = NULL;
  if (domain->n > TN_SCHED_MAX_LOOPS) {
    return false;
  }
  tn_arith *arith = tn_arith_new(s->ir);
  for (uint32_t i = 0; i < domain->n; ++i) {
    tn_arith_bind_range(arith, domain->vars[i], domain->mins[i], domain->extents[i]);
  }
  bool is_found = tn_arith_linear(arith, min, domain->n, domain->vars, coefs, &base) &&
                  (base->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 && tn_is(coefs[0], TN_OP_INT) &&
                  (extent == NULL || tn_is(extent, TN_OP_INT));
  if (is_found) {
    const tn_node *rest = tn_int(s->ir, min->dtype, 0);
    for (uint32_t i = 1; i < domain->n; ++i) {
      const tn_node *var = domain->vars[i];
      if (!tn_is_int(coefs[i], 0) && var->dtype == coefs[i]->dtype && var->dtype == rest->dtype) {
        rest = tn_binary(s->ir, TN_OP_ADD, rest, tn_binary(s->ir, TN_OP_MUL, coefs[i], var));
      } else {
        is_found = is_found && tn_is_int(coefs[i], 0);
      }
    }
    tn_interval bounds = tn_arith_bounds(arith, rest);
    is_found = is_found && bounds.has_lo && bounds.has_hi;
    int64_t last = extent == NULL ? 0 : extent->attr.i64 - 1;
    *out = (span){coefs[0]->attr.i64, bounds.lo, bounds.hi + last, base};
  }
  tn_arith_free(arith);
  return is_found;
}

/* In dimension d, all accesses to the buffer of touch `first` keep to the span of their round. */
static bool is_apart_in(tn_sched *s, const tn_touches *touches, size_t first, uint32_t d) {
  span all = {.coef = 0};
  const tn_node *buffer = touches->list.data[first].buffer;
  for (size_t i = first; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    const tn_access *access = &t->print.access;
    span one;
    if (t->buffer != buffer) {
      continue;
    }
    if (!find_span(s, &t->print.domain, access->mins[d],
                   access->extents == NULL ? NULL : access->extents[d], &one)) {
      return false;
    }
    if (i == first) {
      all = one;
    }
    if (one.coef != all.coef || one.base != all.base) {
      return false;
    }
    all.lo = one.lo < all.lo ? one.lo : all.lo;
    all.hi = one.hi > all.hi ? one.hi : all.hi;
  }
  int64_t width = 0;
  int64_t step = all.coef < 0 ? -all.coef : all.coef;
  return !__builtin_sub_overflow(all.hi, all.lo, &width) && width < step;
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
