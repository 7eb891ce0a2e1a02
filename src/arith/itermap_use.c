/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What iteration maps are good for: values divided into an outer and an inner part, and inverses.
 * Both put sums of digits back into expressions. */
#include "arith/arith_priv.h"
#include "arith/itermap_priv.h"
#include "base/check.h"

static const tn_node *sum_to_node(tn_mapper *m, uint32_t n, const tn_iter_digit *digits,
                                  const tn_node *base);

/* (value // lower) % extent, what says nothing left out. */
static const tn_node *digit_of(tn_mapper *m, const tn_node *value, const tn_node *lower,
                               const tn_node *extent, bool is_top) {
  if (!tn_is_int(lower, 1)) {
    value = tn_binary(m->ir, TN_OP_FLOORDIV, value, lower);
  }
  return is_top ? value : tn_binary(m->ir, TN_OP_FLOORMOD, value, extent);
}

static const tn_node *scaled(tn_mapper *m, const tn_node *value, const tn_node *scale) {
  return tn_is_int(scale, 1) ? value : tn_binary(m->ir, TN_OP_MUL, value, scale);
}

static const tn_node *plus(tn_mapper *m, const tn_node *a, const tn_node *b) {
  return a == NULL || tn_is_int(a, 0) ? b : tn_binary(m->ir, TN_OP_ADD, a, b);
}

static const tn_node *digit_to_node(tn_mapper *m, const tn_iter_digit *d) {
  const tn_node *mark = NULL;
  if (d->mark < m->domain->n) {
    mark = tn_mapper_typed(m, m->domain->vars[d->mark]);
  } else {
    const tn_iter_sum *sum = m->marks[d->mark].sum;
    mark = sum_to_node(m, sum->n, sum->digits, sum->base);
  }
  return scaled(m, digit_of(m, mark, d->lower, d->extent, d->is_top), d->scale);
}

/* Largest scale first, as a person writes it. */
static const tn_node *sum_to_node(tn_mapper *m, uint32_t n, const tn_iter_digit *digits,
                                  const tn_node *base) {
  const tn_node *sum = NULL;
  for (uint32_t i = n; i > 0; --i) {
    sum = plus(m, sum, digit_to_node(m, &digits[i - 1]));
  }
  return sum == NULL ? base : tn_is_int(base, 0) ? sum : plus(m, sum, base);
}

/* ---- division ---- */

static bool is_mixed(tn_mapper *m, const tn_iter_digit *d, uint64_t outer) {
  uint64_t loops = tn_mapper_loops(m, d);
  return (loops & outer) != 0 && (loops & ~outer) != 0;
}

/* A whole mark of outer and inner loops, written by its digits: its condition is then asked of the
 * inner part. */
static bool open_marks(tn_mapper *m, tn_sum *sum, uint64_t outer, const tn_node **cond) {
  for (uint32_t i = 0; i < sum->n; ++i) {
    tn_iter_digit d = sum->digits[i];
    if (!is_mixed(m, &d, outer)) {
      continue;
    }
    const tn_iter_mark *mark = &m->marks[d.mark];
    if (mark->sum == NULL || !d.is_top || !tn_is_int(d.lower, 1) ||
        sum->n + mark->sum->n > TN_ITER_MAX_DIGITS) {
      return false;
    }
    *cond = *cond == NULL ? mark->cond : tn_binary(m->ir, TN_OP_AND, *cond, mark->cond);
    sum->digits[i] = sum->digits[--sum->n];
    for (uint32_t k = 0; k < mark->sum->n; ++k) {
      tn_iter_digit part = mark->sum->digits[k];
      part.scale = tn_mapper_op(m, TN_OP_MUL, part.scale, d.scale);
      sum->digits[sum->n++] = part;
    }
    i = UINT32_MAX; /* what came in may be mixed again */
  }
  return true;
}

static bool divide(tn_mapper *m, const tn_node *value, uint64_t outer, tn_iter_division *out) {
  tn_sum sum;
  const tn_node *extent = NULL;
  const tn_node *scale = NULL;
  *out = (tn_iter_division){.cond = NULL};
  if (!tn_mapper_sum(m, value, &sum) || !open_marks(m, &sum, outer, &out->cond) ||
      !tn_mapper_order(m, &sum, &extent, &scale) || extent == NULL || !tn_is_int(scale, 1)) {
    return false;
  }
  uint32_t n_inner = 0;
  const tn_node *inner_extent = tn_mapper_int(m, 1);
  const tn_node *outer_extent = tn_mapper_int(m, 1);
  while (n_inner < sum.n && (tn_mapper_loops(m, &sum.digits[n_inner]) & outer) == 0) {
    inner_extent = tn_mapper_op(m, TN_OP_MUL, inner_extent, sum.digits[n_inner++].extent);
  }
  const tn_node *base = tn_mapper_divide(m, sum.base, inner_extent);
  bool is_ok = base != NULL;
  for (uint32_t i = n_inner; i < sum.n && is_ok; ++i) {
    tn_iter_digit *d = &sum.digits[i];
    is_ok = (tn_mapper_loops(m, d) & outer) != 0;
    d->scale = tn_mapper_divide(m, d->scale, inner_extent);
    is_ok = is_ok && d->scale != NULL;
    outer_extent = tn_mapper_op(m, TN_OP_MUL, outer_extent, d->extent);
  }
  if (!is_ok) {
    return false;
  }
  out->inner = sum_to_node(m, n_inner, sum.digits, tn_mapper_int(m, 0));
  out->inner_extent = inner_extent;
  out->outer = sum_to_node(m, sum.n - n_inner, sum.digits + n_inner, base);
  out->outer_extent = outer_extent;
  return true;
}

bool tn_itermap_divide(tn_arith *arith, const tn_domain *domain, uint32_t n_outer,
                       uint32_t n_values, const tn_node *const *values, tn_iter_division *out) {
  tn_mapper m;
  uint64_t outer = n_outer >= 64 ? UINT64_MAX : ((uint64_t)1 << n_outer) - 1;
  const tn_itermap *map = tn_itermap_detect(arith, domain, n_values, values, NULL);
  bool is_ok = map != NULL && map->is_independent;
  if (!is_ok) {
    return false;
  }
  is_ok = tn_mapper_init(&m, arith, domain, n_values, values);
  for (uint32_t i = 0; i < n_values && is_ok; ++i) {
    is_ok = divide(&m, values[i], outer, &out[i]);
  }
  is_ok = is_ok && !m.is_failed;
  tn_mapper_deinit(&m);
  return is_ok;
}

/* ---- inverse ---- */

/* A digit of a mark, and what it is in terms of the results. */
typedef struct known_digit {
  tn_iter_digit digit;
  const tn_node *value;
} known_digit;

typedef TN_VEC(known_digit) known_digits;

/* The digits of a sum whose value (less base) is known: each below the next one's scale, the last
 * needs no remainder. */
static void read_sum(tn_mapper *m, known_digits *known, const tn_iter_sum *sum,
                     const tn_node *value) {
  for (uint32_t i = 0; i < sum->n; ++i) {
    const tn_iter_digit *d = &sum->digits[i];
    bool is_last = i + 1 == sum->n;
    const tn_node *next = is_last || sum->extent != NULL
                              ? d->extent /* no gap */
                              : tn_mapper_divide(m, d[1].scale, d->scale);
    TN_VEC_PUSH(known, (known_digit){*d, digit_of(m, value, d->scale, next, is_last)});
  }
}

/* The mark's value from its digits; they cover it. */
static const tn_node *write_mark(tn_mapper *m, const known_digits *known, uint32_t mark) {
  const tn_node *reached = tn_mapper_int(m, 1);
  const tn_node *value = NULL;
  for (size_t step = 0; step <= known->len; ++step) {
    const known_digit *next = NULL;
    for (size_t i = 0; i < known->len && next == NULL; ++i) {
      const tn_iter_digit *d = &known->data[i].digit;
      bool is_next = d->mark == mark && tn_mapper_is(m, TN_OP_EQ, d->lower, reached);
      next = is_next ? &known->data[i] : NULL;
    }
    if (next == NULL || tn_mapper_is(m, TN_OP_LE, m->marks[mark].extent, reached)) {
      break;
    }
    const tn_node *part = scaled(m, next->value, next->digit.lower);
    value = value == NULL ? part : tn_binary(m->ir, TN_OP_ADD, part, value);
    if (next->digit.is_top) {
      break;
    }
    reached = tn_mapper_op(m, TN_OP_MUL, next->digit.lower, next->digit.extent);
  }
  return value == NULL ? tn_mapper_int(m, 0) : value;
}

static bool is_known(tn_mapper *m, const known_digits *known, uint32_t mark) {
  const tn_iter_digit **digits = malloc((known->len + 1) * sizeof *digits);
  TN_CHECK(digits != NULL, "out of memory");
  for (size_t i = 0; i < known->len; ++i) {
    digits[i] = &known->data[i].digit;
  }
  bool is_covered = tn_mapper_is_covered(m, mark, (uint32_t)known->len, digits);
  free(digits);
  return is_covered;
}

static void invert(tn_mapper *m, const tn_itermap *map, const tn_node *const *results,
                   const tn_node **out) {
  known_digits known = {0};
  for (uint32_t i = 0; i < map->n_values; ++i) {
    const tn_iter_sum *sum = &map->values[i];
    const tn_node *value = tn_mapper_typed(m, results[i]);
    if (!tn_is_int(sum->base, 0)) {
      value = tn_binary(m->ir, TN_OP_SUB, value, sum->base);
    }
    read_sum(m, &known, sum, value);
  }
  for (uint32_t k = m->n_marks; k > 0; --k) {
    if (k - 1 >= m->domain->n) {
      if (is_known(m, &known, k - 1)) {
        read_sum(m, &known, m->marks[k - 1].sum, write_mark(m, &known, k - 1));
      }
      continue;
    }
    const tn_node *value = write_mark(m, &known, k - 1);
    tn_dtype dtype = m->domain->vars[k - 1]->dtype;
    out[k - 1] = value->dtype == dtype
                     ? value
                     : tn_node_new(m->ir, TN_OP_CAST, dtype, (tn_attr){.i64 = 0}, 1, &value);
  }
  TN_VEC_DEINIT(&known);
}

bool tn_itermap_invert(tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                       const tn_node *const *values, const tn_node *const *results,
                       const tn_node **out_inverse, const tn_node **out_extents) {
  tn_mapper m;
  const tn_itermap *map = tn_itermap_detect(arith, domain, n_values, values, NULL);
  bool is_ok = map != NULL && map->is_injective;
  for (uint32_t i = 0; i < n_values && is_ok && out_extents != NULL; ++i) {
    const tn_iter_sum *sum = &map->values[i];
    is_ok = sum->extent != NULL && tn_is_int(sum->scale, 1) && tn_is_int(sum->base, 0);
  }
  if (!is_ok) {
    return false;
  }
  is_ok = tn_mapper_init(&m, arith, domain, n_values, values);
  if (is_ok) {
    invert(&m, map, results, out_inverse);
    is_ok = !m.is_failed;
  }
  for (uint32_t i = 0; i < n_values && is_ok && out_extents != NULL; ++i) {
    out_extents[i] = map->values[i].extent;
  }
  tn_mapper_deinit(&m);
  return is_ok;
}
