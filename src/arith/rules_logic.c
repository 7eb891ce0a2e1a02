/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Comparisons, min and max, selection, and, or, not, casts and ramps.
 *
 *   i*4 + 3 < 10 -> i < 2          8 <= n - 1 -> 8 < n
 *   min(i, 7) -> i for i < 8       not i < n -> n <= i -> n < i + 1
 *
 * Order between integers is written with < alone. Float comparisons are left as they are (NaN). */
#include "arith/arith_priv.h"

static const tn_node *truth(tn_ir *ir, const tn_node *like, bool value) {
  return tn_int(ir, like->dtype, value);
}

/* ---- comparisons ---- */

/* What of `d` has a positive coefficient times `sign`, divided by g. */
static void half_of(const tn_lin *d, int64_t sign, int64_t g, tn_dtype dtype, tn_lin *out) {
  tn_lin_init(out, dtype);
  for (uint32_t i = 0; i < d->n; ++i) {
    if ((d->terms[i].coef > 0) == (sign > 0)) {
      tn_lin_add_atom(out, d->terms[i].atom, d->terms[i].coef / g * sign);
    }
  }
}

static bool fits(tn_dtype dtype, int64_t value) {
  tn_interval iv = tn_interval_of_type(dtype);
  return value >= iv.lo && value <= iv.hi;
}

/* sum(d) + base compared with 0, terms spread over both sides, smallest coefficients. NULL: not
 * over the integers. */
static const tn_node *rebuild(tn_arith *arith, tn_op op, tn_lin *d, tn_dtype dtype) {
  int64_t g = 0;
  for (uint32_t i = 0; i < d->n; ++i) {
    g = tn_arith_gcd(g, d->terms[i].coef);
  }
  if (op != TN_OP_LT && d->terms[0].coef < 0) { /* an equality starts with something positive */
    tn_lin minus;
    tn_lin_init(&minus, TN_DT_I64);
    tn_lin_add_lin(&minus, d, -1);
    *d = minus;
  }
  tn_lin left;
  tn_lin right;
  half_of(d, 1, g, dtype, &left);
  half_of(d, -1, g, dtype, &right);
  int64_t k = op == TN_OP_LT ? -tn_arith_floordiv(d->base, g)
                             : -(d->base / g); /* left - right < ceil(-base / g) */
  bool is_on_left = left.n == 0;
  if (!fits(dtype, k) || !fits(dtype, -k)) {
    return NULL;
  }
  tn_lin_add_const(is_on_left ? &left : &right, is_on_left ? -k : k);
  if (!tn_lin_is_exact(arith, &left, 0) || !tn_lin_is_exact(arith, &right, 0)) {
    return NULL;
  }
  return tn_binary(arith->ir, op, tn_lin_emit(arith->ir, &left), tn_lin_emit(arith->ir, &right));
}

static const tn_node *canonical_compare(tn_arith *arith, const tn_node *n) {
  tn_dtype dtype = n->in[0]->dtype;
  tn_lin a;
  tn_lin b;
  tn_lin_init(&a, dtype);
  tn_lin_init(&b, dtype);
  tn_lin_collect(&a, n->in[TN_A], 1);
  tn_lin_collect(&b, n->in[TN_B], 1);
  if (tn_dtype_is_uint(dtype) || a.is_failed || b.is_failed || !tn_lin_is_exact(arith, &a, 0) ||
      !tn_lin_is_exact(arith, &b, 0)) {
    return n;
  }
  int64_t limit = INT64_MAX / 4;
  tn_lin d;
  tn_lin_init(&d, TN_DT_I64);
  tn_lin_add_lin(&d, &a, 1);
  bool is_small = a.base < limit && a.base > -limit && b.base < limit && b.base > -limit;
  for (uint32_t i = 0; i < a.n + b.n; ++i) {
    int64_t coef = i < a.n ? a.terms[i].coef : b.terms[i - a.n].coef;
    is_small = is_small && coef < limit && coef > -limit;
  }
  tn_lin_add_lin(&d, &b, -1);
  if (!is_small || d.is_failed || d.n == 0) {
    return n;
  }
  bool is_le = tn_is(n, TN_OP_LE);
  if (is_le) { /* a <= b is a - b - 1 < 0 */
    tn_lin_add_const(&d, -1);
  }
  const tn_node *made = rebuild(arith, is_le ? TN_OP_LT : (tn_op)n->op, &d, dtype);
  return made == NULL ? n : made;
}

/* What was assumed, word for word. */
static const tn_node *by_assumption(const tn_arith *arith, const tn_node *n) {
  for (size_t i = 0; i < arith->assumed.len; ++i) {
    if (arith->assumed.data[i].cond == n) {
      return truth(arith->ir, n, arith->assumed.data[i].truth);
    }
  }
  return n;
}

const tn_node *tn_rule_compare(tn_arith *arith, const tn_node *n) {
  const tn_node *a = n->in[TN_A];
  const tn_node *b = n->in[TN_B];
  if (tn_is(n, TN_OP_GT) || tn_is(n, TN_OP_GE)) {
    if (!tn_arith_is_int_type(a->dtype)) {
      return by_assumption(arith, n);
    }
    n = tn_binary(arith->ir, tn_is(n, TN_OP_GT) ? TN_OP_LT : TN_OP_LE, b, a);
    a = n->in[TN_A];
    b = n->in[TN_B];
  }
  if (!tn_arith_is_int_type(a->dtype)) {
    return by_assumption(arith, n);
  }
  if (a == b) {
    return truth(arith->ir, n, tn_is(n, TN_OP_EQ) || tn_is(n, TN_OP_LE));
  }
  tn_truth t = tn_arith_decide(arith, (tn_op)n->op, a, b);
  if (t != TN_UNKNOWN) {
    return truth(arith->ir, n, t == TN_TRUE);
  }
  return tn_dtype_lanes(a->dtype) == 1 ? by_assumption(arith, canonical_compare(arith, n)) : n;
}

/* ---- min, max, select ---- */

const tn_node *tn_rule_minmax(tn_arith *arith, const tn_node *n) {
  const tn_node *a = n->in[TN_A];
  const tn_node *b = n->in[TN_B];
  bool is_min = tn_is(n, TN_OP_MIN);
  if (!tn_arith_is_int_type(n->dtype)) {
    return n;
  }
  tn_truth t = a == b ? TN_TRUE : tn_arith_decide(arith, TN_OP_LE, a, b);
  tn_truth u = tn_arith_decide(arith, TN_OP_LE, b, a);
  if (t == TN_TRUE || u == TN_FALSE) {
    return is_min ? a : b;
  }
  if (t == TN_FALSE || u == TN_TRUE) {
    return is_min ? b : a;
  }
  int64_t ca = 0;
  int64_t cb = 0;
  bool is_const_a = tn_arith_const(a, &ca);
  if (is_const_a || (!tn_arith_const(b, &cb) && tn_arith_less(b, a))) {
    return tn_binary(arith->ir, (tn_op)n->op, b, a);
  }
  if (a->op == n->op && (a->in[TN_A] == b || a->in[TN_B] == b)) {
    return a;
  }
  if (a->op == n->op && tn_arith_const(b, &cb) && tn_arith_const(a->in[TN_B], &ca)) {
    return tn_binary(arith->ir, (tn_op)n->op, a->in[TN_A],
                     tn_binary(arith->ir, (tn_op)n->op, a->in[TN_B], b));
  }
  return n;
}

/* The condition is pure here (simplify.c leaves effects alone), so it may go. */
const tn_node *tn_rule_select(tn_arith *arith, const tn_node *n) {
  const tn_node *cond = n->in[TN_SELECT_COND];
  const tn_node *a = n->in[TN_SELECT_A];
  const tn_node *b = n->in[TN_SELECT_B];
  int64_t c = 0;
  if (tn_arith_const(cond, &c)) {
    return c != 0 ? a : b;
  }
  if (a == b) {
    return a;
  }
  if (tn_is(cond, TN_OP_NOT)) {
    const tn_node *in[3] = {cond->in[0], b, a};
    return tn_node_with(arith->ir, n, in);
  }
  return n;
}

const tn_node *tn_rule_not(tn_arith *arith, const tn_node *n) {
  const tn_node *a = n->in[0];
  if (tn_is(a, TN_OP_NOT)) {
    return a->in[0];
  }
  if (a->op < TN_OP_EQ || a->op > TN_OP_GE) {
    return by_assumption(arith, n);
  }
  if (tn_is(a, TN_OP_EQ) ||
      tn_is(a, TN_OP_NE)) { /* these two also for floats: x != x is exactly not x == x */
    return tn_binary(arith->ir, tn_is(a, TN_OP_EQ) ? TN_OP_NE : TN_OP_EQ, a->in[TN_A], a->in[TN_B]);
  }
  if (!tn_arith_is_int_type(a->in[0]->dtype)) {
    return by_assumption(arith, n);
  }
  bool is_strict = tn_is(a, TN_OP_LT) || tn_is(a, TN_OP_GT);
  bool is_up = tn_is(a, TN_OP_LT) || tn_is(a, TN_OP_LE);
  return tn_binary(arith->ir, is_strict ? TN_OP_LE : TN_OP_LT, a->in[is_up ? TN_B : TN_A],
                   a->in[is_up ? TN_A : TN_B]);
}

/* ---- casts and ramps ---- */

static const tn_node *cast(tn_ir *ir, tn_dtype to, const tn_node *v) {
  to = tn_dtype_with_lanes(to, tn_dtype_lanes(v->dtype));
  return v->dtype == to ? v : tn_node_new(ir, TN_OP_CAST, to, (tn_attr){.i64 = 0}, 1, &v);
}

/* Two casts in one where the inner one loses nothing that the outer one keeps. */
static const tn_node *join_casts(tn_arith *arith, const tn_node *n) {
  const tn_node *inner = n->in[0];
  const tn_node *v = inner->in[0];
  if (!tn_arith_is_int_type(v->dtype)) {
    return n;
  }
  uint32_t to_bits = tn_dtype_bits(n->dtype);
  uint32_t mid_bits = tn_dtype_bits(inner->dtype);
  tn_interval mid = tn_interval_of_type(inner->dtype);
  tn_interval iv = tn_arith_bound(arith, v).iv;
  bool is_kept = iv.has_lo && iv.lo >= mid.lo && (!mid.has_hi || (iv.has_hi && iv.hi <= mid.hi));
  return to_bits <= mid_bits || is_kept ? cast(arith->ir, n->dtype, v) : n;
}

const tn_node *tn_rule_cast(tn_arith *arith, const tn_node *n) {
  tn_ir *ir = arith->ir;
  const tn_node *v = n->in[0];
  if (v->dtype == n->dtype) {
    return v;
  }
  if (!tn_arith_is_int_type(n->dtype) || !tn_arith_is_int_type(v->dtype)) {
    return n;
  }
  if (tn_is(v, TN_OP_CAST)) {
    return join_casts(arith, n);
  }
  bool is_index = tn_arith_is_index_type(v->dtype) && tn_arith_is_index_type(n->dtype) &&
                  !tn_arith_bound(arith, v).is_data;
  if (!is_index) {
    return n;
  }
  if (tn_is(v, TN_OP_RAMP)) {
    const tn_node *in[2] = {cast(ir, n->dtype, v->in[TN_RAMP_BASE]),
                            cast(ir, n->dtype, v->in[TN_RAMP_STRIDE])};
    return tn_node_new(ir, TN_OP_RAMP, n->dtype, (tn_attr){.i64 = 0}, 2, in);
  }
  if (tn_dtype_lanes(v->dtype) > 1 || tn_is(v, TN_OP_VAR)) {
    return n;
  }
  /* Casts go to the terms: one canonical place, and loop variables show themselves to whoever looks
   * for strides. */
  tn_lin lin;
  tn_lin_init(&lin, v->dtype);
  tn_lin_collect(&lin, v, 1);
  if (lin.is_failed || (lin.n == 1 && lin.terms[0].coef == 1 && lin.base == 0)) {
    return n;
  }
  tn_lin wide;
  tn_lin_init(&wide, n->dtype);
  tn_lin_add_const(&wide, lin.base);
  for (uint32_t i = 0; i < lin.n; ++i) {
    tn_lin_collect(&wide, tn_arith_simplify(arith, cast(ir, n->dtype, lin.terms[i].atom)),
                   lin.terms[i].coef);
  }
  return wide.is_failed ? n : tn_lin_emit(ir, &wide);
}

const tn_node *tn_rule_ramp(tn_arith *arith, const tn_node *n) {
  const tn_node *base = n->in[TN_RAMP_BASE];
  bool is_flat = tn_is_int(n->in[TN_RAMP_STRIDE], 0);
  if (is_flat && tn_dtype_lanes(base->dtype) == 1) {
    return tn_node_new(arith->ir, TN_OP_BROADCAST, n->dtype, (tn_attr){.i64 = 0}, 1, &base);
  }
  return n;
}
