/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Iteration maps: whether values that are sums of digits tell iterations apart (each mark's digits,
 * those of all values together, reach from 1 to its extent), and whether they are independent (no
 * two digits of a mark overlap, and each takes all its numbers whatever the others are). */
#include "arith/arith_priv.h"
#include "arith/itermap_priv.h"
#include "base/vec.h"

typedef TN_VEC(const tn_iter_digit *) digit_list;

/* ---- injective ---- */

/* The digits of a mark in the list reach from 1 to its extent. */
bool tn_mapper_is_covered(tn_mapper *m, uint32_t mark, uint32_t n,
                          const tn_iter_digit *const *digits) {
  const tn_node *extent = m->marks[mark].extent;
  const tn_node *reached = tn_mapper_int(m, 1);
  for (uint32_t step = 0; step <= n; ++step) {
    if (tn_mapper_is(m, TN_OP_LE, extent, reached)) {
      return true;
    }
    const tn_iter_digit *next = NULL;
    for (uint32_t i = 0; i < n && next == NULL; ++i) {
      bool is_next =
          digits[i]->mark == mark && tn_mapper_is(m, TN_OP_EQ, digits[i]->lower, reached);
      next = is_next ? digits[i] : NULL;
    }
    if (next == NULL || next->is_top) {
      return next != NULL;
    }
    reached = tn_mapper_op(m, TN_OP_MUL, next->lower, next->extent);
  }
  return false;
}

static void add_digits(digit_list *list, const tn_iter_sum *sum) {
  for (uint32_t i = 0; i < sum->n; ++i) {
    TN_VEC_PUSH(list, &sum->digits[i]);
  }
}

/* Marks that a condition made stand above what they are made of: their value known, its digits are
 * known. */
static bool is_injective(tn_mapper *m, uint32_t n_values, const tn_iter_sum *values) {
  digit_list known = {0};
  bool is_ok = true;
  for (uint32_t i = 0; i < n_values; ++i) {
    add_digits(&known, &values[i]);
  }
  for (uint32_t k = m->n_marks; k > 0 && is_ok; --k) {
    bool is_covered = tn_mapper_is_covered(m, k - 1, (uint32_t)known.len, known.data);
    if (k - 1 < m->domain->n) {
      is_ok = is_covered;
    } else if (is_covered) {
      add_digits(&known, m->marks[k - 1].sum);
    }
  }
  TN_VEC_DEINIT(&known);
  return is_ok;
}

/* ---- independent ---- */

/* a lies below b: it takes all its numbers whatever b is. */
static bool is_below(tn_mapper *m, const tn_iter_digit *a, const tn_iter_digit *b) {
  return !a->is_top &&
         tn_mapper_divide(m, b->lower, tn_mapper_op(m, TN_OP_MUL, a->lower, a->extent)) != NULL;
}

/* Alone, or with others below it, the digit takes each of its numbers with each of theirs. */
static bool is_full(tn_mapper *m, const tn_iter_digit *d, bool is_alone) {
  const tn_node *extent = m->marks[d->mark].extent;
  if (!m->marks[d->mark].is_full) {
    return false;
  }
  if (d->is_top) {
    return is_alone || tn_mapper_divide(m, extent, d->lower) != NULL;
  }
  return tn_mapper_is(m, TN_OP_LE, tn_mapper_op(m, TN_OP_MUL, d->lower, d->extent), extent);
}

static bool is_independent(tn_mapper *m, uint32_t n_values, const tn_iter_sum *values) {
  digit_list used = {0};
  uint64_t marked = 0; /* loops that a condition ties together */
  bool is_ok = true;
  for (uint32_t k = m->domain->n; k < m->n_marks; ++k) {
    marked |= m->marks[k].sum->loops;
  }
  for (uint32_t i = 0; i < n_values && is_ok; ++i) {
    is_ok = values[i].extent != NULL && tn_is_int(values[i].scale, 1);
    add_digits(&used, &values[i]);
  }
  for (size_t i = 0; i < used.len && is_ok; ++i) {
    const tn_iter_digit *d = used.data[i];
    bool is_alone = true;
    for (size_t k = 0; k < used.len && is_ok; ++k) {
      const tn_iter_digit *other = used.data[k];
      if (k == i) {
        continue;
      }
      is_alone = is_alone && other->mark != d->mark;
      /* two marks above the same loops are not looked into */
      is_ok = other->mark == d->mark ? is_below(m, d, other) || is_below(m, other, d)
                                     : (tn_mapper_loops(m, other) & tn_mapper_loops(m, d)) == 0;
    }
    is_ok = is_ok && is_full(m, d, is_alone) &&
            (d->mark >= m->domain->n || (marked >> d->mark & 1) == 0);
  }
  TN_VEC_DEINIT(&used);
  return is_ok;
}

/* ---- the front door ---- */

bool tn_mapper_values(tn_mapper *m, uint32_t n_values, const tn_node *const *values,
                      tn_iter_sum *out, bool *out_is_told_apart) {
  *out_is_told_apart = true;
  for (uint32_t i = 0; i < n_values; ++i) {
    tn_sum sum;
    const tn_node *extent = NULL;
    const tn_node *scale = NULL;
    if (!tn_mapper_sum(m, values[i], &sum)) {
      return false;
    }
    *out_is_told_apart = tn_mapper_order(m, &sum, &extent, &scale) && *out_is_told_apart;
    out[i] = *tn_mapper_keep(m, &sum, extent, scale);
  }
  return true;
}

const tn_itermap *tn_itermap_detect(tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                                    const tn_node *const *values, const tn_node **out_culprit) {
  tn_mapper m;
  tn_ir *ir = arith->ir;
  tn_iter_sum *sums = tn_ir_alloc(ir, n_values * sizeof *sums, _Alignof(tn_iter_sum));
  tn_itermap *map = NULL;
  bool is_told_apart = false;
  if (tn_mapper_init(&m, arith, domain, n_values, values) &&
      tn_mapper_values(&m, n_values, values, sums, &is_told_apart) && !m.is_failed) {
    bool tells_all = is_told_apart && is_injective(&m, n_values, sums);
    bool is_free = is_independent(&m, n_values, sums);
    tn_iter_mark *marks = tn_ir_alloc(ir, m.n_marks * sizeof *marks, _Alignof(tn_iter_mark));
    for (uint32_t i = 0; i < m.n_marks; ++i) {
      marks[i] = m.marks[i];
    }
    map = tn_ir_alloc(ir, sizeof *map, _Alignof(tn_itermap));
    *map = (tn_itermap){
        m.n_marks, marks, n_values, sums, tells_all && !m.is_failed, is_free && !m.is_failed};
  }
  if (map == NULL && out_culprit != NULL) {
    *out_culprit = m.culprit;
  }
  tn_mapper_deinit(&m);
  return map;
}
