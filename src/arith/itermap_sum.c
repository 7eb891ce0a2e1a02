/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions to sums of digits. Sums and products by what is free of loops are immediate. A
 * division by c takes a sum apart into what c divides and a rest; a digit that lies across c is
 * split in two; that the rest stays in [0, c) is proved, and then quotient and rest are sums again.
 * Digits that are neighbours in a mark and in scale join, so i // 8 * 8 + i % 8 is i. */
#include <string.h>

#include "arith/arith_priv.h"
#include "arith/itermap_priv.h"

/* ---- expressions of the mapper's type ---- */

const tn_node *tn_mapper_int(tn_mapper *m, int64_t value) { return tn_int(m->ir, m->dtype, value); }

const tn_node *tn_mapper_typed(tn_mapper *m, const tn_node *n) {
  if (n->dtype == m->dtype) {
    return n;
  }
  return tn_arith_simplify(m->arith,
                           tn_node_new(m->ir, TN_OP_CAST, m->dtype, (tn_attr){.i64 = 0}, 1, &n));
}

const tn_node *tn_mapper_op(tn_mapper *m, tn_op op, const tn_node *a, const tn_node *b) {
  if (tn_is(a, TN_OP_INT) && tn_is(b, TN_OP_INT) && op <= TN_OP_MUL) { /* must not wrap */
    int64_t x = a->attr.i64;
    int64_t y = b->attr.i64;
    int64_t v = 0;
    tn_interval type = tn_interval_of_type(m->dtype);
    bool wraps = op == TN_OP_ADD   ? __builtin_add_overflow(x, y, &v)
                 : op == TN_OP_SUB ? __builtin_sub_overflow(x, y, &v)
                                   : __builtin_mul_overflow(x, y, &v);
    m->is_failed = m->is_failed || wraps || v < type.lo || v > type.hi;
    return tn_mapper_int(m, v);
  }
  bool is_one = op == TN_OP_MUL || op == TN_OP_FLOORDIV;
  if (tn_is_int(b, is_one ? 1 : 0) && (is_one || op == TN_OP_ADD || op == TN_OP_SUB)) {
    return a;
  }
  return tn_arith_simplify(m->arith, tn_binary(m->ir, op, a, b));
}

bool tn_mapper_is(tn_mapper *m, tn_op op, const tn_node *a, const tn_node *b) {
  if (tn_is(a, TN_OP_INT) && tn_is(b, TN_OP_INT)) {
    int64_t x = a->attr.i64;
    int64_t y = b->attr.i64;
    return op == TN_OP_EQ ? x == y : op == TN_OP_LT ? x < y : op == TN_OP_LE ? x <= y : x != y;
  }
  if (a == b) {
    return op == TN_OP_EQ || op == TN_OP_LE;
  }
  return tn_arith_prove(m->arith, tn_binary(m->ir, op, a, b));
}

const tn_node *tn_mapper_divide(tn_mapper *m, const tn_node *a, const tn_node *b) {
  if (tn_is_int(b, 1)) {
    return a;
  }
  if (a == b) {
    return tn_mapper_int(m, 1);
  }
  if (tn_is_int(b, 0)) {
    return NULL;
  }
  const tn_node *rest = tn_mapper_op(m, TN_OP_FLOORMOD, a, b);
  return tn_is_int(rest, 0) ? tn_mapper_op(m, TN_OP_FLOORDIV, a, b) : NULL;
}

static bool is_zero(const tn_node *n) { return tn_is_int(n, 0); }

static tn_visit uses_loop(const tn_node *n, void *ctx) {
  tn_mapper *m = ctx;
  return tn_map_find(&m->vars, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

static bool is_free(tn_mapper *m, const tn_node *n) {
  return (n->flags & TN_NF_EFFECT) == 0 && tn_walk_distinct(n, uses_loop, m);
}

static bool refuse(tn_mapper *m, const tn_node *n) {
  if (m->culprit == NULL) {
    m->culprit = n;
  }
  return false;
}

/* ---- joining ---- */

static void remove_digit(tn_sum *sum, uint32_t i) {
  sum->n -= 1;
  for (uint32_t k = i; k < sum->n; ++k) {
    sum->digits[k] = sum->digits[k + 1];
  }
}

static bool is_same_digit(tn_mapper *m, const tn_iter_digit *a, const tn_iter_digit *b) {
  return a->mark == b->mark && a->is_top == b->is_top &&
         tn_mapper_is(m, TN_OP_EQ, a->lower, b->lower) &&
         tn_mapper_is(m, TN_OP_EQ, a->extent, b->extent);
}

/* a joins b when b is the next digit of the same mark, and in scale. */
static bool join(tn_mapper *m, tn_iter_digit *a, const tn_iter_digit *b) {
  if (a->mark != b->mark || a->is_top) {
    return false;
  }
  if (!tn_mapper_is(m, TN_OP_EQ, tn_mapper_op(m, TN_OP_MUL, a->lower, a->extent), b->lower) ||
      !tn_mapper_is(m, TN_OP_EQ, tn_mapper_op(m, TN_OP_MUL, a->scale, a->extent), b->scale)) {
    return false;
  }
  a->is_top = b->is_top;
  a->extent = tn_mapper_op(m, TN_OP_MUL, a->extent, b->extent);
  if (b->is_top) { /* ceil(E / lower): the product may be past it */
    const tn_node *below = tn_mapper_op(m, TN_OP_SUB, a->lower, tn_mapper_int(m, 1));
    a->extent = tn_mapper_op(m, TN_OP_FLOORDIV,
                             tn_mapper_op(m, TN_OP_ADD, m->marks[a->mark].extent, below), a->lower);
  }
  return true;
}

/* The mark's digits all stand in the sum, at `scale` times their own scales. */
static bool find_mark(tn_mapper *m, const tn_iter_sum *mark, const tn_sum *sum, uint32_t *at) {
  const tn_node *scale = NULL;
  for (uint32_t k = 0; k < mark->n; ++k) {
    uint32_t i = 0;
    while (i < sum->n && !is_same_digit(m, &sum->digits[i], &mark->digits[k])) {
      ++i;
    }
    if (i == sum->n) {
      return false;
    }
    const tn_node *ratio = tn_mapper_divide(m, sum->digits[i].scale, mark->digits[k].scale);
    if (ratio == NULL || (scale != NULL && !tn_mapper_is(m, TN_OP_EQ, ratio, scale))) {
      return false;
    }
    scale = ratio;
    at[k] = i;
  }
  return mark->n > 0;
}

static void replace_marks(tn_mapper *m, tn_sum *sum) {
  for (uint32_t k = m->domain->n; k < m->n_marks; ++k) {
    const tn_iter_sum *mark = m->marks[k].sum;
    uint32_t at[TN_ITER_MAX_DIGITS];
    if (!find_mark(m, mark, sum, at)) {
      continue;
    }
    tn_iter_digit digit = {k, true, tn_mapper_int(m, 1), m->marks[k].extent,
                           tn_mapper_divide(m, sum->digits[at[0]].scale, mark->digits[0].scale)};
    for (uint32_t i = 0; i < mark->n; ++i) {
      for (uint32_t j = 0; j < sum->n; ++j) {
        if (is_same_digit(m, &sum->digits[j], &mark->digits[i])) {
          remove_digit(sum, j);
          break;
        }
      }
    }
    sum->digits[sum->n++] = digit;
  }
}

static void normalize(tn_mapper *m, tn_sum *sum) {
  for (uint32_t i = 0; i < sum->n; ++i) {
    for (uint32_t k = 0; k < sum->n; ++k) {
      if (k == i) {
        continue;
      }
      bool is_same = is_same_digit(m, &sum->digits[i], &sum->digits[k]);
      if (is_same) {
        sum->digits[i].scale =
            tn_mapper_op(m, TN_OP_ADD, sum->digits[i].scale, sum->digits[k].scale);
      }
      if (is_same || join(m, &sum->digits[i], &sum->digits[k])) {
        remove_digit(sum, k);
        i = UINT32_MAX; /* again, from the first */
        break;
      }
    }
  }
  for (uint32_t i = sum->n; i > 0; --i) {
    if (is_zero(sum->digits[i - 1].scale) || tn_is_int(sum->digits[i - 1].extent, 1)) {
      remove_digit(sum, i - 1);
    }
  }
  replace_marks(m, sum);
}

/* ---- expressions ---- */

/* sum += other * scale */
static bool add(tn_mapper *m, tn_sum *sum, const tn_sum *other, const tn_node *factor) {
  sum->base =
      tn_mapper_op(m, TN_OP_ADD, sum->base, tn_mapper_op(m, TN_OP_MUL, other->base, factor));
  for (uint32_t i = 0; i < other->n; ++i) {
    if (sum->n == TN_ITER_MAX_DIGITS) {
      return false;
    }
    tn_iter_digit d = other->digits[i];
    d.scale = tn_mapper_op(m, TN_OP_MUL, d.scale, factor);
    sum->digits[sum->n++] = d;
  }
  normalize(m, sum);
  return true;
}

/* high: digits whose scale c divides. rest: the others; a digit across c is split. */
static bool split_at(tn_mapper *m, const tn_sum *sum, const tn_node *c, tn_sum *high,
                     tn_sum *rest) {
  for (uint32_t i = 0; i < sum->n; ++i) {
    tn_iter_digit d = sum->digits[i];
    const tn_node *ratio = tn_mapper_divide(m, d.scale, c);
    if (ratio != NULL) {
      d.scale = ratio;
      high->digits[high->n++] = d;
      continue;
    }
    const tn_node *width = tn_mapper_op(m, TN_OP_MUL, d.scale, d.extent);
    const tn_node *part = tn_mapper_divide(m, c, d.scale);
    if (tn_mapper_is(m, TN_OP_LE, width, c) || part == NULL) {
      rest->digits[rest->n++] = d;
      continue;
    }
    const tn_node *above = tn_mapper_divide(m, d.extent, part);
    if ((above == NULL && !d.is_top) || high->n + 1 >= TN_ITER_MAX_DIGITS) {
      return false;
    }
    if (above == NULL) {
      const tn_node *most = tn_mapper_op(m, TN_OP_SUB, part, tn_mapper_int(m, 1));
      above = tn_mapper_op(m, TN_OP_FLOORDIV, tn_mapper_op(m, TN_OP_ADD, d.extent, most), part);
    }
    high->digits[high->n++] = (tn_iter_digit){
        d.mark, d.is_top, tn_mapper_op(m, TN_OP_MUL, d.lower, part), above, tn_mapper_int(m, 1)};
    rest->digits[rest->n++] = (tn_iter_digit){d.mark, false, d.lower, part, d.scale};
  }
  return true;
}

/* 0 <= rest < c */
static bool is_rest_of(tn_mapper *m, const tn_sum *rest, const tn_node *c) {
  const tn_node *zero = tn_mapper_int(m, 0);
  const tn_node *one = tn_mapper_int(m, 1);
  const tn_node *most = rest->base;
  bool is_ok = tn_mapper_is(m, TN_OP_LE, zero, rest->base);
  for (uint32_t i = 0; i < rest->n && is_ok; ++i) {
    const tn_iter_digit *d = &rest->digits[i];
    is_ok = tn_mapper_is(m, TN_OP_LE, zero, d->scale);
    most = tn_mapper_op(
        m, TN_OP_ADD, most,
        tn_mapper_op(m, TN_OP_MUL, d->scale, tn_mapper_op(m, TN_OP_SUB, d->extent, one)));
  }
  return is_ok && tn_mapper_is(m, TN_OP_LT, most, c);
}

static bool sum_of_division(tn_mapper *m, const tn_node *expr, tn_sum *out) {
  tn_sum sum;
  const tn_node *c = expr->in[TN_B];
  if (!is_free(m, c) || !tn_mapper_sum(m, expr->in[TN_A], &sum)) {
    return refuse(m, expr);
  }
  c = tn_mapper_typed(m, c);
  bool is_trunc = tn_is(expr, TN_OP_DIV) || tn_is(expr, TN_OP_MOD);
  const tn_node *zero = tn_mapper_int(m, 0);
  bool is_ok = !is_trunc || tn_mapper_is(m, TN_OP_LE, zero, sum.base);
  for (uint32_t i = 0; i < sum.n && is_trunc && is_ok; ++i) {
    is_ok = tn_mapper_is(m, TN_OP_LE, zero, sum.digits[i].scale);
  }
  tn_sum high = {.base = tn_mapper_divide(m, sum.base, c)};
  tn_sum rest = {.base = high.base == NULL ? sum.base : zero};
  if (high.base == NULL) {
    high.base = zero;
    if (tn_is(sum.base, TN_OP_INT) && tn_is(c, TN_OP_INT) && c->attr.i64 > 0) {
      high.base = tn_mapper_int(m, tn_arith_floordiv(sum.base->attr.i64, c->attr.i64));
      rest.base = tn_mapper_int(m, tn_arith_floormod(sum.base->attr.i64, c->attr.i64));
    }
  }
  /* nothing left over and nothing known of c: x * c // c is x for every c but 0 */
  is_ok = is_ok && split_at(m, &sum, c, &high, &rest) &&
          ((rest.n == 0 && is_zero(rest.base)) || is_rest_of(m, &rest, c));
  if (!is_ok) {
    return refuse(m, expr);
  }
  *out = tn_is(expr, TN_OP_FLOORDIV) || tn_is(expr, TN_OP_DIV) ? high : rest;
  normalize(m, out);
  return true;
}

static bool sum_of_binary(tn_mapper *m, const tn_node *expr, tn_sum *out) {
  const tn_node *a = expr->in[TN_A];
  const tn_node *b = expr->in[TN_B];
  tn_sum other;
  if (tn_is(expr, TN_OP_MUL)) {
    if (is_free(m, a)) {
      a = b;
      b = expr->in[TN_A];
    }
    *out = (tn_sum){.base = tn_mapper_int(m, 0)};
    return is_free(m, b) && tn_mapper_sum(m, a, &other)
               ? add(m, out, &other, tn_mapper_typed(m, b)) || refuse(m, expr)
               : refuse(m, expr);
  }
  int64_t factor = tn_is(expr, TN_OP_SUB) ? -1 : 1;
  return tn_mapper_sum(m, a, out) && tn_mapper_sum(m, b, &other) &&
         (add(m, out, &other, tn_mapper_int(m, factor)) || refuse(m, expr));
}

static bool is_likely(const tn_node *n) {
  return tn_is(n, TN_OP_INTRIN) && n->n_in == 1 && strcmp(n->attr.def->name, "likely") == 0;
}

bool tn_mapper_sum(tn_mapper *m, const tn_node *expr, tn_sum *out) {
  uint64_t at = 0;
  if (!tn_arith_is_index_type(expr->dtype) || tn_dtype_lanes(expr->dtype) != 1 ||
      tn_dtype_bits(expr->dtype) > tn_dtype_bits(m->dtype)) {
    return refuse(m, expr);
  }
  *out = (tn_sum){.base = tn_mapper_int(m, 0)};
  if (tn_map_find(&m->vars, expr->id, &at)) {
    out->n = 1;
    out->digits[0] = (tn_iter_digit){(uint32_t)at, true, tn_mapper_int(m, 1), m->marks[at].extent,
                                     tn_mapper_int(m, 1)};
    normalize(m, out);
    return true;
  }
  if (is_free(m, expr)) {
    out->base = tn_arith_simplify(m->arith, tn_mapper_typed(m, expr));
    return true;
  }
  switch ((int)expr->op) {
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
      return sum_of_binary(m, expr, out);
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
    case TN_OP_DIV:
    case TN_OP_MOD:
      return sum_of_division(m, expr, out);
    case TN_OP_CAST:
      return tn_arith_is_index_type(expr->in[0]->dtype) &&
                     tn_dtype_bits(expr->dtype) >= tn_dtype_bits(expr->in[0]->dtype)
                 ? tn_mapper_sum(m, expr->in[0], out)
                 : refuse(m, expr);
    default:
      return refuse(m, expr);
  }
}

/* ---- order ---- */

/* The digits from `first` on, each at the scale that the one before ends at. */
static bool find_chain(tn_mapper *m, const tn_sum *sum, uint32_t first, uint32_t *order) {
  uint64_t used = (uint64_t)1 << first;
  order[0] = first;
  for (uint32_t k = 1; k < sum->n; ++k) {
    const tn_iter_digit *below = &sum->digits[order[k - 1]];
    const tn_node *next = tn_mapper_op(m, TN_OP_MUL, below->scale, below->extent);
    uint32_t i = 0;
    while (i < sum->n &&
           ((used >> i & 1) != 0 || !tn_mapper_is(m, TN_OP_EQ, sum->digits[i].scale, next))) {
      ++i;
    }
    if (i == sum->n) {
      return false;
    }
    order[k] = i;
    used |= (uint64_t)1 << i;
  }
  return true;
}

static bool sort_by_scale(tn_mapper *m, tn_sum *sum) {
  bool is_ok = true;
  for (uint32_t i = 1; i < sum->n; ++i) { /* insertion, by what is proved */
    tn_iter_digit d = sum->digits[i];
    uint32_t k = i;
    while (k > 0 && tn_mapper_is(m, TN_OP_LT, d.scale, sum->digits[k - 1].scale)) {
      sum->digits[k] = sum->digits[k - 1];
      --k;
    }
    sum->digits[k] = d;
  }
  for (uint32_t i = 0; i < sum->n && is_ok; ++i) {
    const tn_iter_digit *d = &sum->digits[i];
    const tn_node *end = tn_mapper_op(m, TN_OP_MUL, d->scale, d->extent);
    is_ok = tn_mapper_is(m, TN_OP_LT, tn_mapper_int(m, 0), d->scale) &&
            (i + 1 == sum->n || (tn_mapper_is(m, TN_OP_LE, end, sum->digits[i + 1].scale) &&
                                 tn_mapper_divide(m, sum->digits[i + 1].scale, d->scale) != NULL));
  }
  return is_ok;
}

bool tn_mapper_order(tn_mapper *m, tn_sum *sum, const tn_node **out_extent,
                     const tn_node **out_scale) {
  uint32_t order[TN_ITER_MAX_DIGITS];
  *out_extent = sum->n == 0 ? tn_mapper_int(m, 1) : NULL;
  *out_scale = sum->n == 0 ? tn_mapper_int(m, 1) : NULL;
  for (uint32_t first = 0; first < sum->n; ++first) {
    const tn_node *scale = sum->digits[first].scale;
    if (!tn_mapper_is(m, TN_OP_LT, tn_mapper_int(m, 0), scale) ||
        !find_chain(m, sum, first, order)) {
      continue;
    }
    tn_sum sorted = *sum;
    *out_extent = tn_mapper_int(m, 1);
    *out_scale = scale;
    for (uint32_t i = 0; i < sum->n; ++i) {
      sorted.digits[i] = sum->digits[order[i]];
      *out_extent = tn_mapper_op(m, TN_OP_MUL, *out_extent, sorted.digits[i].extent);
    }
    *sum = sorted;
    return true;
  }
  return sum->n == 0 || sort_by_scale(m, sum);
}

uint64_t tn_mapper_loops(tn_mapper *m, const tn_iter_digit *d) {
  return d->mark < m->domain->n ? (uint64_t)1 << d->mark : m->marks[d->mark].sum->loops;
}

const tn_iter_sum *tn_mapper_keep(tn_mapper *m, const tn_sum *sum, const tn_node *extent,
                                  const tn_node *scale) {
  tn_iter_sum *kept = tn_ir_alloc(m->ir, sizeof *kept, _Alignof(tn_iter_sum));
  tn_iter_digit *digits = tn_ir_alloc(m->ir, sum->n * sizeof *digits, _Alignof(tn_iter_digit));
  *kept = (tn_iter_sum){sum->n, digits, sum->base, extent, scale, 0};
  for (uint32_t i = 0; i < sum->n; ++i) {
    digits[i] = sum->digits[i];
    kept->loops |= tn_mapper_loops(m, &digits[i]);
  }
  return kept;
}

/* ---- the domain ---- */

/* The sum's digits, without a condition, reach past bound - 1: by the product of their extents, or
 * because the greatest has ceil(bound / product of the others). */
static bool reaches(tn_mapper *m, const tn_sum *sum, const tn_node *bound) {
  const tn_node *others = tn_mapper_int(m, 1);
  for (uint32_t i = 0; i + 1 < sum->n; ++i) {
    others = tn_mapper_op(m, TN_OP_MUL, others, sum->digits[i].extent);
  }
  const tn_node *last = sum->digits[sum->n - 1].extent;
  const tn_node *most = tn_mapper_op(m, TN_OP_SUB, others, tn_mapper_int(m, 1));
  const tn_node *ceiling =
      tn_mapper_op(m, TN_OP_FLOORDIV, tn_mapper_op(m, TN_OP_ADD, bound, most), others);
  return tn_mapper_is(m, TN_OP_LE, bound, tn_mapper_op(m, TN_OP_MUL, others, last)) ||
         tn_mapper_is(m, TN_OP_EQ, ceiling, last);
}

/* sum + base < bound makes a mark, unless it is so anyway. */
static bool add_mark(tn_mapper *m, tn_sum *sum, const tn_node *bound, const tn_node *cond) {
  const tn_node *extent = NULL;
  const tn_node *scale = NULL;
  bound = tn_mapper_op(m, TN_OP_SUB, bound, sum->base);
  sum->base = tn_mapper_int(m, 0);
  if (sum->n == 0 || !tn_mapper_order(m, sum, &extent, &scale) || extent == NULL ||
      m->n_marks == TN_ITER_MAX_MARKS) {
    return false;
  }
  const tn_node *most = tn_mapper_op(m, TN_OP_SUB, scale, tn_mapper_int(m, 1));
  bound = tn_mapper_op(m, TN_OP_FLOORDIV, tn_mapper_op(m, TN_OP_ADD, bound, most), scale);
  if (tn_mapper_is(m, TN_OP_LE, extent, bound)) {
    return true;
  }
  for (uint32_t i = 0; i < sum->n; ++i) {
    sum->digits[i].scale = tn_mapper_divide(m, sum->digits[i].scale, scale);
    if (sum->digits[i].scale == NULL) {
      return false;
    }
  }
  const tn_iter_sum *kept = tn_mapper_keep(m, sum, extent, tn_mapper_int(m, 1));
  m->marks[m->n_marks++] = (tn_iter_mark){kept, bound, cond, reaches(m, sum, bound)};
  return true;
}

/* Conjuncts: upper bounds of sums, and lower ones that hold anyway. */
static bool add_cond(tn_mapper *m, const tn_node *cond) {
  tn_sum sum;
  if (is_likely(cond)) {
    return add_cond(m, cond->in[0]);
  }
  if (tn_is(cond, TN_OP_AND)) {
    return add_cond(m, cond->in[TN_A]) && add_cond(m, cond->in[TN_B]);
  }
  if (is_free(m, cond)) {
    return true; /* says nothing of loops */
  }
  if (cond->op < TN_OP_LT || cond->op > TN_OP_GE) {
    return refuse(m, cond);
  }
  bool is_swapped = tn_is(cond, TN_OP_GT) || tn_is(cond, TN_OP_GE); /* b < a, b <= a */
  bool is_strict = tn_is(cond, TN_OP_LT) || tn_is(cond, TN_OP_GT);
  const tn_node *small = cond->in[is_swapped ? TN_B : TN_A];
  const tn_node *big = cond->in[is_swapped ? TN_A : TN_B];
  const tn_node *one = tn_mapper_int(m, 1);
  if (!tn_arith_is_index_type(big->dtype) || tn_dtype_bits(big->dtype) > tn_dtype_bits(m->dtype)) {
    return refuse(m, cond);
  }
  if (is_free(m, big) && tn_mapper_sum(m, small, &sum)) {
    const tn_node *bound = tn_mapper_typed(m, big);
    bound = is_strict ? bound : tn_mapper_op(m, TN_OP_ADD, bound, one);
    return add_mark(m, &sum, bound, cond) || refuse(m, cond);
  }
  if (is_free(m, small) && tn_mapper_sum(m, big, &sum)) {
    const tn_node *least = tn_mapper_typed(m, small);
    bool is_ok = tn_mapper_is(m, is_strict ? TN_OP_LT : TN_OP_LE, least, sum.base);
    for (uint32_t i = 0; i < sum.n && is_ok; ++i) {
      is_ok = tn_mapper_is(m, TN_OP_LE, tn_mapper_int(m, 0), sum.digits[i].scale);
    }
    return is_ok || refuse(m, cond);
  }
  return refuse(m, cond);
}

static void widen(tn_mapper *m, const tn_node *n) {
  if (n->dtype == TN_DT_I64) {
    m->dtype = TN_DT_I64;
  }
}

bool tn_mapper_init(tn_mapper *m, tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                    const tn_node *const *values) {
  *m = (tn_mapper){.arith = arith, .ir = arith->ir, .domain = domain, .dtype = TN_DT_I32};
  if (domain->n > TN_ITER_MAX_LOOPS) {
    return refuse(m, domain->vars[TN_ITER_MAX_LOOPS]);
  }
  for (uint32_t i = 0; i < domain->n; ++i) {
    tn_map_set(&m->vars, domain->vars[i]->id, i);
    widen(m, domain->vars[i]);
    widen(m, domain->extents[i]);
  }
  for (uint32_t i = 0; i < n_values; ++i) {
    widen(m, values[i]);
  }
  for (uint32_t i = 0; i < domain->n; ++i) {
    const tn_node *extent = domain->extents[i];
    if ((domain->mins != NULL && !is_zero(domain->mins[i])) || !is_free(m, extent) ||
        !tn_arith_is_index_type(domain->vars[i]->dtype) || !tn_arith_is_index_type(extent->dtype)) {
      return refuse(m, extent);
    }
    m->marks[m->n_marks++] =
        (tn_iter_mark){NULL, tn_arith_simplify(arith, tn_mapper_typed(m, extent)), NULL, true};
  }
  return domain->cond == NULL || add_cond(m, domain->cond);
}

void tn_mapper_deinit(tn_mapper *m) { tn_map_deinit(&m->vars); }
