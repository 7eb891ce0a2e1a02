/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Proofs that a linear form is never negative: by bounds, and by subtracting known facts that share
 * a term until bounds are enough. Incomplete on purpose: few steps, and "not proved" is always a
 * safe answer. */
#include "arith/arith_priv.h"

enum { MAX_STEPS = 3, MAX_FACTS = 64 };

static bool nonneg(tn_arith *arith, const tn_lin *lin, int steps);

/* Coefficients and base stay below 2^bits, so that the sums made here cannot overflow. */
static bool is_small(const tn_lin *lin, int bits) {
  int64_t limit = (int64_t)1 << bits;
  bool is_ok = !lin->is_failed && lin->base < limit && lin->base > -limit;
  for (uint32_t i = 0; is_ok && i < lin->n; ++i) {
    is_ok = lin->terms[i].coef < limit && lin->terms[i].coef > -limit;
  }
  return is_ok;
}

/* The form that is left when lin's i-th term is cancelled by the fact: lin * b - fact * a with a, b
 * > 0, so that lin >= 0 follows from it being >= 0. False when they do not cancel. Both are small.
 */
static bool cancel(const tn_lin *lin, uint32_t i, const tn_lin *fact, tn_lin *out) {
  for (uint32_t k = 0; k < fact->n; ++k) {
    if (fact->terms[k].atom != lin->terms[i].atom) {
      continue;
    }
    int64_t a = lin->terms[i].coef;
    int64_t b = fact->terms[k].coef;
    if ((a > 0) != (b > 0)) {
      return false;
    }
    int64_t g = tn_arith_gcd(a, b);
    tn_lin_init(out, TN_DT_I64);
    tn_lin_add_lin(out, lin, (b < 0 ? -b : b) / g);
    tn_lin_add_lin(out, fact, -((a < 0 ? -a : a) / g));
    return !out->is_failed;
  }
  return false;
}

static bool nonneg_by(tn_arith *arith, const tn_lin *lin, const tn_fact *fact, int steps) {
  if (fact->cond != NULL || !is_small(&fact->lin, 30)) {
    return false;
  }
  for (uint32_t i = 0; i < lin->n; ++i) {
    tn_lin rest;
    if (cancel(lin, i, &fact->lin, &rest) && nonneg(arith, &rest, steps - 1)) {
      return true;
    }
  }
  return false;
}

static bool nonneg(tn_arith *arith, const tn_lin *lin, int steps) {
  tn_interval iv = tn_lin_bounds(arith, lin);
  if (iv.has_lo && iv.lo >= 0) {
    return true;
  }
  if (steps == 0 || lin->n == 0 || lin->n > 8 || !is_small(lin, 30)) {
    return false;
  }
  size_t n_ranges = arith->ranges.len;
  size_t n = n_ranges + arith->assumed.len;
  for (size_t i = 0; i < n && i < MAX_FACTS; ++i) { /* the newest facts are the nearest */
    size_t k = n - 1 - i;
    const tn_fact *fact =
        k >= n_ranges ? &arith->assumed.data[k - n_ranges] : &arith->ranges.data[k];
    if (nonneg_by(arith, lin, fact, steps)) {
      return true;
    }
  }
  return false;
}

bool tn_arith_nonneg(tn_arith *arith, const tn_lin *lin) {
  return !lin->is_failed && nonneg(arith, lin, MAX_STEPS);
}

/* d = a - b over the integers. */
static bool difference(tn_arith *arith, const tn_node *a, const tn_node *b, tn_lin *out) {
  tn_lin la;
  tn_lin lb;
  tn_lin_init(&la, a->dtype);
  tn_lin_init(&lb, b->dtype);
  tn_lin_collect_expanded(arith->ir, &la, a, 1);
  tn_lin_collect_expanded(arith->ir, &lb, b, 1);
  if (la.is_failed || lb.is_failed || !tn_lin_is_exact(arith, &la, 0) ||
      !tn_lin_is_exact(arith, &lb, 0)) {
    return false;
  }
  tn_lin_init(out, TN_DT_I64);
  tn_lin_add_lin(out, &la, 1);
  if (!is_small(&la, 61) || !is_small(&lb, 61)) {
    return false;
  }
  tn_lin_add_lin(out, &lb, -1);
  return !out->is_failed;
}

/* -d - 1 >= 0 says d < 0. */
static bool is_negative(tn_arith *arith, const tn_lin *d) {
  tn_lin minus;
  tn_lin_init(&minus, TN_DT_I64);
  tn_lin_add_lin(&minus, d, -1);
  tn_lin_add_const(&minus, -1);
  return d->base != INT64_MIN && tn_arith_nonneg(arith, &minus);
}

static bool is_positive(tn_arith *arith, const tn_lin *d) {
  tn_lin less = *d;
  tn_lin_add_const(&less, -1);
  return d->base != INT64_MIN && tn_arith_nonneg(arith, &less);
}

static tn_truth negate(tn_truth t) {
  return t == TN_UNKNOWN ? t : t == TN_TRUE ? TN_FALSE : TN_TRUE;
}

static tn_truth decide_equal(tn_arith *arith, const tn_lin *d) {
  if (d->n == 0) {
    return d->base == 0 ? TN_TRUE : TN_FALSE;
  }
  int64_t g = 0;
  for (uint32_t i = 0; i < d->n; ++i) {
    g = tn_arith_gcd(g, d->terms[i].coef);
  }
  if ((g > 1 && d->base % g != 0) || is_negative(arith, d) || is_positive(arith, d)) {
    return TN_FALSE;
  }
  tn_lin minus;
  tn_lin_init(&minus, TN_DT_I64);
  tn_lin_add_lin(&minus, d, -1);
  return tn_arith_nonneg(arith, d) && tn_arith_nonneg(arith, &minus) ? TN_TRUE : TN_UNKNOWN;
}

static tn_truth decide_scalar(tn_arith *arith, tn_op op, const tn_lin *d) {
  if (op == TN_OP_EQ || op == TN_OP_NE) {
    tn_truth is_equal = decide_equal(arith, d);
    return op == TN_OP_EQ ? is_equal : negate(is_equal);
  }
  bool is_lt = op == TN_OP_LT;
  tn_lin minus;
  tn_lin_init(&minus, TN_DT_I64);
  tn_lin_add_lin(&minus, d, -1);
  if (is_lt ? is_negative(arith, d) : tn_arith_nonneg(arith, &minus)) {
    return TN_TRUE;
  }
  return (is_lt ? tn_arith_nonneg(arith, d) : is_positive(arith, d)) ? TN_FALSE : TN_UNKNOWN;
}

static tn_truth decide_intervals(tn_op op, tn_interval a, tn_interval b) {
  bool is_below = a.has_hi && b.has_lo && a.hi < b.lo;
  bool is_above = a.has_lo && b.has_hi && a.lo > b.hi;
  bool is_at_most = a.has_hi && b.has_lo && a.hi <= b.lo;
  bool is_at_least = a.has_lo && b.has_hi && a.lo >= b.hi;
  switch ((int)op) {
    case TN_OP_LT:
      return is_below ? TN_TRUE : is_at_least ? TN_FALSE : TN_UNKNOWN;
    case TN_OP_LE:
      return is_at_most ? TN_TRUE : is_above ? TN_FALSE : TN_UNKNOWN;
    case TN_OP_EQ:
      return is_below || is_above ? TN_FALSE : TN_UNKNOWN;
    default:
      return is_below || is_above ? TN_TRUE : TN_UNKNOWN;
  }
}

/* A vector comparison is decided when the difference is a ramp: a ramp is monotonic, so both ends
 * say it. */
static tn_truth decide_vector(tn_arith *arith, tn_op op, const tn_node *a, const tn_node *b) {
  tn_vlin v;
  tn_vlin_init(&v,
               tn_dtype_with_lanes(TN_DT_I64, tn_dtype_lanes(a->dtype))); /* over the integers */
  tn_vlin_collect(&v, a, 1);
  tn_vlin_collect(&v, b, -1);
  tn_lin last = v.base;
  tn_lin_add_lin(&last, &v.stride, (int64_t)tn_dtype_lanes(a->dtype) - 1);
  bool is_ramp = !v.rest.is_failed && v.rest.n == 0 && is_small(&v.base, 61) && is_small(&last, 61);
  /* Data wraps, also where it cancels in the difference. */
  if (!is_ramp || tn_arith_bound(arith, a).is_data || tn_arith_bound(arith, b).is_data) {
    return TN_UNKNOWN;
  }
  bool is_order = op == TN_OP_LT || op == TN_OP_LE;
  for (int k = 0; k < (is_order ? 1 : 2); ++k) { /* never equal: below, or above, at both ends */
    tn_op order = is_order ? op : k == 0 ? TN_OP_LT : TN_OP_LE;
    tn_truth wanted = k == 0 ? TN_TRUE : TN_FALSE;
    tn_truth first = decide_scalar(arith, order, &v.base);
    tn_truth end = decide_scalar(arith, order, &last);
    if (first == end && is_order) {
      return first;
    }
    if (first == end && first == wanted) {
      return op == TN_OP_EQ ? TN_FALSE : TN_TRUE;
    }
  }
  return TN_UNKNOWN;
}

tn_truth tn_arith_decide(tn_arith *arith, tn_op op, const tn_node *a, const tn_node *b) {
  tn_truth by_bounds =
      decide_intervals(op, tn_arith_bound(arith, a).iv, tn_arith_bound(arith, b).iv);
  if (by_bounds != TN_UNKNOWN) {
    return by_bounds;
  }
  if (tn_dtype_lanes(a->dtype) > 1) {
    return decide_vector(arith, op, a, b);
  }
  tn_lin d;
  return difference(arith, a, b, &d) ? decide_scalar(arith, op, &d) : TN_UNKNOWN;
}

bool tn_arith_prove(tn_arith *arith, const tn_node *cond) {
  if (tn_arith_is_effect(cond)) {
    return false;
  }
  return tn_is_int(tn_arith_simplify(arith, cond), 1);
}

bool tn_arith_is_size(const tn_node *expr) {
  const tn_node *a = expr->n_in > 0 ? expr->in[0] : NULL;
  const tn_node *b = expr->n_in > 1 ? expr->in[1] : NULL;
  switch ((int)expr->op) {
    case TN_OP_INT:
      return expr->attr.i64 >= 0;
    case TN_OP_VAR:
      return true;
    case TN_OP_CAST:
      return tn_arith_is_size(a);
    case TN_OP_ADD:
    case TN_OP_MUL:
    case TN_OP_MIN:
      return tn_arith_is_size(a) && tn_arith_is_size(b);
    case TN_OP_MAX:
      return tn_arith_is_size(a) || tn_arith_is_size(b);
    case TN_OP_FLOORDIV:
      return tn_arith_is_size(a) && b->op == TN_OP_INT && b->attr.i64 > 0;
    case TN_OP_FLOORMOD:
      return b->op == TN_OP_INT && b->attr.i64 > 0;
    case TN_OP_SELECT:
      return tn_arith_is_size(expr->in[TN_SELECT_A]) && tn_arith_is_size(expr->in[TN_SELECT_B]);
    default:
      return false;
  }
}
