/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Interval bounds of integer expressions. Each side that does not fit 64 bits is unbounded. A sum
 * is bounded through its linear form, so that equal terms cancel first. Data that might wrap has
 * the bounds of its type. */
#include "arith/arith_priv.h"

enum { MAX_TRUSTED_FACTORS = 4 }; /* unknown sizes in one product */

static const tn_interval everything = {false, false, 0, 0};

static tn_interval interval(int64_t lo, int64_t hi) { return (tn_interval){true, true, lo, hi}; }

tn_interval tn_interval_of_type(tn_dtype dtype) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_bool(dtype)) {
    return interval(0, 1);
  }
  if (tn_dtype_is_uint(dtype)) {
    return (tn_interval){true, bits < 64, 0, bits < 64 ? ((int64_t)1 << bits) - 1 : 0};
  }
  if (!tn_dtype_is_int(dtype)) {
    return everything;
  }
  int64_t max = bits >= 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  return interval(-max - 1, max);
}

static bool is_inside(tn_interval a, tn_interval b) {
  bool is_lo_ok = !b.has_lo || (a.has_lo && a.lo >= b.lo);
  bool is_hi_ok = !b.has_hi || (a.has_hi && a.hi <= b.hi);
  return is_lo_ok && is_hi_ok;
}

static tn_interval join(tn_interval a, tn_interval b) {
  return (tn_interval){a.has_lo && b.has_lo, a.has_hi && b.has_hi, a.lo < b.lo ? a.lo : b.lo,
                       a.hi > b.hi ? a.hi : b.hi};
}

static tn_interval meet(tn_interval a, tn_interval b) {
  tn_interval r = a;
  if (b.has_lo && (!r.has_lo || b.lo > r.lo)) {
    r.has_lo = true;
    r.lo = b.lo;
  }
  if (b.has_hi && (!r.has_hi || b.hi < r.hi)) {
    r.has_hi = true;
    r.hi = b.hi;
  }
  /* Facts that exclude each other hold where nothing runs; an empty interval would mislead, so keep
   * one side. */
  return r.has_lo && r.has_hi && r.lo > r.hi ? a : r;
}

/* ---- sums ---- */

typedef struct sum128 {
  __int128 value;
  bool is_bounded;
} sum128;

static void sum_add(sum128 *sum, bool has, int64_t bound, int64_t coef) {
  sum->is_bounded = sum->is_bounded && has;
  __int128 product = (__int128)bound * coef;
  __int128 limit = (__int128)1 << 100; /* far outside 64 bits, and a few of them cannot overflow */
  sum->is_bounded = sum->is_bounded && product < limit && product > -limit;
  sum->value += sum->is_bounded ? product : 0;
}

static tn_interval sum_to_interval(sum128 lo, sum128 hi) {
  tn_interval r = everything;
  if (lo.is_bounded && lo.value >= INT64_MIN && lo.value <= INT64_MAX) {
    r.has_lo = true;
    r.lo = (int64_t)lo.value;
  }
  if (hi.is_bounded && hi.value >= INT64_MIN && hi.value <= INT64_MAX) {
    r.has_hi = true;
    r.hi = (int64_t)hi.value;
  }
  return r;
}

tn_interval tn_lin_bounds(tn_arith *arith, const tn_lin *lin) {
  sum128 lo = {lin->base, true};
  sum128 hi = {lin->base, true};
  for (uint32_t i = 0; i < lin->n; ++i) {
    tn_interval iv = tn_arith_bound(arith, lin->terms[i].atom).iv;
    int64_t coef = lin->terms[i].coef;
    bool is_up = coef > 0;
    sum_add(&lo, is_up ? iv.has_lo : iv.has_hi, is_up ? iv.lo : iv.hi, coef);
    sum_add(&hi, is_up ? iv.has_hi : iv.has_lo, is_up ? iv.hi : iv.lo, coef);
  }
  return sum_to_interval(lo, hi);
}

bool tn_lin_is_data(tn_arith *arith, const tn_lin *lin) {
  for (uint32_t i = 0; i < lin->n; ++i) {
    if (tn_arith_bound(arith, lin->terms[i].atom).is_data) {
      return true;
    }
  }
  return false;
}

/* What index expressions over unknown sizes are trusted with: numbers that shapes have. */
static int64_t sane_limit(tn_dtype dtype) {
  return tn_dtype_bits(dtype) >= 64 ? (int64_t)1 << 40 : (int64_t)1 << 20;
}

static __int128 magnitude128(int64_t v) { return v < 0 ? -(__int128)v : v; }

bool tn_lin_is_exact(tn_arith *arith, const tn_lin *lin, int64_t margin) {
  if (lin->is_failed) {
    return false;
  }
  if (lin->n == 0 || (lin->n == 1 && lin->terms[0].coef == 1 && lin->base == 0 && margin == 0)) {
    return lin->n == 1 || !tn_dtype_is_uint(lin->dtype) || lin->base >= 0;
  }
  if (tn_dtype_is_uint(lin->dtype)) {
    return false;
  }
  /* The sum of magnitudes bounds every partial sum too. */
  __int128 sum = magnitude128(lin->base) + margin;
  int64_t most = tn_interval_of_type(lin->dtype).hi;
  int64_t sane = sane_limit(lin->dtype);
  bool is_known = true;
  bool is_sane = lin->base <= sane && lin->base >= -sane && !tn_lin_is_data(arith, lin);
  for (uint32_t i = 0; i < lin->n && sum <= most; ++i) {
    tn_interval iv = tn_arith_bound(arith, lin->terms[i].atom).iv;
    int64_t coef = lin->terms[i].coef;
    is_sane = is_sane && coef <= sane && coef >= -sane;
    is_known = is_known && iv.has_lo && iv.has_hi;
    __int128 lo = iv.has_lo ? magnitude128(iv.lo) : 0;
    __int128 hi = iv.has_hi ? magnitude128(iv.hi) : 0;
    sum += magnitude128(coef) * (lo > hi ? lo : hi);
  }
  return sum <= most && (is_known || is_sane);
}

static tn_bound bound_sum(tn_arith *arith, const tn_node *n) {
  if (tn_dtype_lanes(n->dtype) == 1) {
    tn_lin lin;
    tn_lin_init(&lin, n->dtype);
    tn_lin_collect(&lin, n, 1);
    if (!tn_lin_is_exact(arith, &lin, 0)) {
      return (tn_bound){tn_interval_of_type(n->dtype), true};
    }
    return (tn_bound){tn_lin_bounds(arith, &lin), tn_lin_is_data(arith, &lin)};
  }
  /* Vectors: at the first and at the last lane. */
  tn_vlin v;
  tn_vlin_init(&v, n->dtype);
  tn_vlin_collect(&v, n, 1);
  tn_lin last = v.base;
  tn_lin_add_lin(&last, &v.stride, (int64_t)tn_dtype_lanes(n->dtype) - 1);
  if (!tn_lin_is_exact(arith, &v.base, 0) || !tn_lin_is_exact(arith, &v.rest, 0) ||
      !tn_lin_is_exact(arith, &last, 0)) {
    return (tn_bound){tn_interval_of_type(n->dtype), true};
  }
  tn_interval ends = join(tn_lin_bounds(arith, &v.base), tn_lin_bounds(arith, &last));
  tn_interval rest = tn_lin_bounds(arith, &v.rest);
  sum128 lo = {(__int128)ends.lo + rest.lo, ends.has_lo && rest.has_lo};
  sum128 hi = {(__int128)ends.hi + rest.hi, ends.has_hi && rest.has_hi};
  bool is_data = tn_lin_is_data(arith, &last) || tn_lin_is_data(arith, &v.base) ||
                 tn_lin_is_data(arith, &v.rest);
  return (tn_bound){sum_to_interval(lo, hi), is_data};
}

static uint32_t n_factors(const tn_node *n) {
  return tn_is(n, TN_OP_MUL) ? n_factors(n->in[TN_A]) + n_factors(n->in[TN_B]) : 1;
}

/* A product of two unknowns: the extreme of the four corners. */
static tn_bound bound_product(tn_arith *arith, const tn_node *n) {
  tn_bound a = tn_arith_bound(arith, n->in[TN_A]);
  tn_bound b = tn_arith_bound(arith, n->in[TN_B]);
  bool is_data = a.is_data || b.is_data || n_factors(n) > MAX_TRUSTED_FACTORS;
  bool is_nonneg = a.iv.has_lo && b.iv.has_lo && a.iv.lo >= 0 && b.iv.lo >= 0;
  bool is_bounded = a.iv.has_lo && a.iv.has_hi && b.iv.has_lo && b.iv.has_hi;
  if (!is_bounded) {
    sum128 lo = {is_nonneg ? (__int128)a.iv.lo * b.iv.lo : 0, is_nonneg};
    sum128 hi = {is_nonneg ? (__int128)a.iv.hi * b.iv.hi : 0,
                 is_nonneg && a.iv.has_hi && b.iv.has_hi};
    return (tn_bound){sum_to_interval(lo, hi), is_data};
  }
  __int128 corners[4] = {(__int128)a.iv.lo * b.iv.lo, (__int128)a.iv.lo * b.iv.hi,
                         (__int128)a.iv.hi * b.iv.lo, (__int128)a.iv.hi * b.iv.hi};
  sum128 lo = {corners[0], true};
  sum128 hi = {corners[0], true};
  for (int i = 1; i < 4; ++i) {
    lo.value = corners[i] < lo.value ? corners[i] : lo.value;
    hi.value = corners[i] > hi.value ? corners[i] : hi.value;
  }
  return (tn_bound){sum_to_interval(lo, hi), is_data};
}

/* ---- division ---- */

/* Divisors in [lo, hi], lo >= 1: the quotient's extremes lie at the corners; floor and truncation
 * keep their order. */
static tn_interval bound_quotient(tn_interval a, tn_interval b, bool is_floor) {
  tn_interval r = everything;
  if (!b.has_lo || b.lo < 1) {
    return r;
  }
  if (a.has_lo) {
    int64_t by = a.lo < 0 ? b.lo : b.hi;
    r.has_lo = true;
    bool is_known = a.lo < 0 || b.has_hi;
    r.lo = is_known ? (is_floor ? tn_arith_floordiv(a.lo, by) : a.lo / by) : 0;
  }
  if (a.has_hi) {
    int64_t by = a.hi < 0 ? b.hi : b.lo;
    r.has_hi = true;
    bool is_known = a.hi >= 0 || b.has_hi;
    r.hi = is_known ? (is_floor ? tn_arith_floordiv(a.hi, by) : a.hi / by) : 0;
  }
  return r;
}

static tn_interval bound_rest(tn_interval a, tn_interval b, bool is_floor) {
  if (!b.has_lo || b.lo < 1) {
    return everything;
  }
  if (a.has_lo && a.has_hi && a.lo >= 0 && a.hi < b.lo) {
    return a;
  }
  bool is_nonneg = is_floor || (a.has_lo && a.lo >= 0);
  tn_interval r = {is_nonneg || b.has_hi, b.has_hi, is_nonneg ? 0 : 1 - b.hi,
                   b.hi - (b.has_hi ? 1 : 0)};
  if (a.has_lo && a.lo >= 0 && a.has_hi && (!r.has_hi || a.hi < r.hi)) {
    r.has_hi = true;
    r.hi = a.hi;
  }
  return r;
}

static tn_bound bound_division(tn_arith *arith, const tn_node *n) {
  tn_bound a = tn_arith_bound(arith, n->in[TN_A]);
  tn_bound b = tn_arith_bound(arith, n->in[TN_B]);
  bool is_floor = tn_is(n, TN_OP_FLOORDIV) || tn_is(n, TN_OP_FLOORMOD);
  bool is_div = tn_is(n, TN_OP_FLOORDIV) || tn_is(n, TN_OP_DIV);
  tn_interval iv = is_div ? bound_quotient(a.iv, b.iv, is_floor) : bound_rest(a.iv, b.iv, is_floor);
  return (tn_bound){iv, a.is_data || b.is_data};
}

/* ---- the rest ---- */

static tn_bound bound_var(tn_arith *arith, const tn_node *var) {
  const tn_known *known = tn_arith_known(arith, var);
  bool is_index = tn_arith_is_index_type(var->dtype) && tn_dtype_lanes(var->dtype) == 1;
  tn_bound r = {tn_interval_of_type(var->dtype), !is_index};
  if (is_index) {
    r.iv = everything;
  }
  if (known == NULL) {
    return r;
  }
  tn_known copy = *known; /* bounding others may move the table */
  if (copy.value != NULL) {
    r.iv = tn_arith_bound(arith, copy.value).iv;
    r.is_data = copy.is_data;
    return r;
  }
  tn_interval min = tn_arith_bound(arith, copy.min).iv;
  tn_lin end;
  tn_lin_init(&end, var->dtype);
  tn_lin_collect(&end, copy.min, 1);
  tn_lin_collect(&end, copy.extent, 1);
  tn_interval last = end.is_failed ? everything : tn_lin_bounds(arith, &end);
  tn_interval range = {min.has_lo, last.has_hi && last.hi > INT64_MIN, min.lo,
                       last.has_hi && last.hi > INT64_MIN ? last.hi - 1 : 0};
  r.iv = meet(r.iv, range);
  return r;
}

static tn_bound bound_minmax(tn_arith *arith, const tn_node *n) {
  tn_bound a = tn_arith_bound(arith, n->in[TN_A]);
  tn_bound b = tn_arith_bound(arith, n->in[TN_B]);
  tn_interval r = join(a.iv, b.iv);
  if (tn_is(n, TN_OP_MIN)) { /* below either upper bound */
    r.has_hi = a.iv.has_hi || b.iv.has_hi;
    r.hi = !a.iv.has_hi ? b.iv.hi : !b.iv.has_hi ? a.iv.hi : a.iv.hi < b.iv.hi ? a.iv.hi : b.iv.hi;
  } else {
    r.has_lo = a.iv.has_lo || b.iv.has_lo;
    r.lo = !a.iv.has_lo ? b.iv.lo : !b.iv.has_lo ? a.iv.lo : a.iv.lo > b.iv.lo ? a.iv.lo : b.iv.lo;
  }
  return (tn_bound){r, a.is_data || b.is_data};
}

static tn_bound bound_cast(tn_arith *arith, const tn_node *n) {
  const tn_node *v = n->in[0];
  tn_interval type = tn_interval_of_type(n->dtype);
  if (!tn_arith_is_int_type(v->dtype) && !tn_dtype_is_bool(v->dtype)) {
    return (tn_bound){type, true};
  }
  tn_bound b = tn_arith_bound(arith, v);
  bool is_data = b.is_data || !tn_arith_is_index_type(n->dtype);
  bool is_wide =
      tn_arith_is_index_type(v->dtype) && tn_dtype_bits(n->dtype) >= tn_dtype_bits(v->dtype);
  if (is_inside(b.iv, type) || (is_wide && tn_dtype_is_int(n->dtype))) {
    return (tn_bound){b.iv, is_data};
  }
  return (tn_bound){type, is_data};
}

/* x >> c is a floor division; x & c lies in [0, c] for c >= 0. */
static tn_bound bound_bits(tn_arith *arith, const tn_node *n) {
  int64_t c = 0;
  tn_bound r = {tn_interval_of_type(n->dtype), true};
  if (!tn_arith_const(n->in[TN_B], &c)) {
    return r;
  }
  if (tn_is(n, TN_OP_BAND) && c >= 0) {
    r.iv = interval(0, c);
  } else if (tn_is(n, TN_OP_SHR) && c >= 0 && c < 62) {
    r.iv = bound_quotient(tn_arith_bound(arith, n->in[TN_A]).iv,
                          interval((int64_t)1 << c, (int64_t)1 << c), true);
  }
  return r;
}

static tn_bound compute(tn_arith *arith, const tn_node *n) {
  tn_bound a;
  tn_bound b;
  int64_t c = 0;
  switch ((int)n->op) {
    case TN_OP_INT:
      return (tn_bound){tn_dtype_bits(n->dtype) == 64 && tn_dtype_is_uint(n->dtype) &&
                                n->attr.i64 < 0
                            ? tn_interval_of_type(n->dtype)
                            : interval(n->attr.i64, n->attr.i64),
                        false};
    case TN_OP_VAR:
      return bound_var(arith, n);
    case TN_OP_MUL:
      return tn_arith_const(n->in[0], &c) || tn_arith_const(n->in[1], &c) ? bound_sum(arith, n)
                                                                          : bound_product(arith, n);
    case TN_OP_RAMP:
    case TN_OP_NEG:
    case TN_OP_ADD:
    case TN_OP_SUB:
      return bound_sum(arith, n);
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
      return bound_division(arith, n);
    case TN_OP_MIN:
    case TN_OP_MAX:
      return bound_minmax(arith, n);
    case TN_OP_BROADCAST:
      return tn_arith_bound(arith, n->in[0]);
    case TN_OP_LET:
      return (tn_bound){tn_interval_of_type(n->dtype), true};
    case TN_OP_CAST:
      return bound_cast(arith, n);
    case TN_OP_BAND:
    case TN_OP_SHR:
      return bound_bits(arith, n);
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      a = tn_arith_bound(arith, n->in[TN_SELECT_A]);
      b = tn_arith_bound(arith, n->in[TN_SELECT_B]);
      return (tn_bound){join(a.iv, b.iv), a.is_data || b.is_data};
    default:
      return (tn_bound){tn_interval_of_type(n->dtype), true};
  }
}

/* An assumption about exactly this atom, c * n + base >= 0, tightens it. */
static tn_interval tighten(const tn_arith *arith, const tn_node *n, tn_interval iv) {
  for (size_t i = 0; i < arith->assumed.len; ++i) {
    const tn_fact *fact = &arith->assumed.data[i];
    if (fact->cond != NULL || fact->lin.n != 1 || fact->lin.terms[0].atom != n) {
      continue;
    }
    int64_t coef = fact->lin.terms[0].coef;
    int64_t base = fact->lin.base;
    if (base == INT64_MIN || coef == INT64_MIN) {
      continue;
    }
    if (coef > 0) { /* n >= ceil(-base / coef) */
      iv = meet(iv, (tn_interval){true, false, -tn_arith_floordiv(base, coef), 0});
    } else {
      iv = meet(iv, (tn_interval){false, true, 0, tn_arith_floordiv(base, -coef)});
    }
  }
  return iv;
}

tn_bound tn_arith_bound(tn_arith *arith, const tn_node *expr) {
  uint64_t at = 0;
  if (tn_map_find(&arith->bound_memo, expr->id, &at)) {
    return arith->bound_pool.data[at];
  }
  if (!tn_arith_is_int_type(expr->dtype) && !tn_dtype_is_bool(expr->dtype)) {
    return (tn_bound){everything, true};
  }
  tn_bound r = compute(arith, expr);
  tn_interval type = tn_interval_of_type(expr->dtype);
  bool is_past = (r.iv.has_lo && type.has_lo && r.iv.lo < type.lo) ||
                 (r.iv.has_hi && type.has_hi && r.iv.hi > type.hi);
  r.is_data = r.is_data || is_past || !tn_arith_is_index_type(expr->dtype); /* past: it wraps */
  if (r.is_data && !is_inside(r.iv, type)) {
    r.iv = type;
  }
  r.iv = tighten(arith, expr, r.iv);
  tn_map_set(&arith->bound_memo, expr->id, arith->bound_pool.len);
  TN_VEC_PUSH(&arith->bound_pool, r);
  return r;
}

tn_interval tn_arith_bounds(tn_arith *arith, const tn_node *expr) {
  return tn_arith_bound(arith, tn_arith_simplify(arith, expr)).iv;
}
