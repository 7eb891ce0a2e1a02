/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Floor division and remainder by constants (and by symbols that divide visibly), with the known
 * ranges:
 *
 *   (i*8 + j)//8 -> i, (i*8 + j)%8 -> j      for 0 <= j < 8
 *   (i*4 + j)//8 -> i//2                     for 0 <= j < 4
 *   (i*n + j)//n -> i                        for 0 <= j < n
 *   x//4//3 -> x//12
 *   Ramp(b, 8, 4)//8 -> Ramp(b//8, 1, 4)
 *
 * Only where the sum is what it says over the integers (index expressions, or data that cannot
 * wrap). */
#include "arith/arith_priv.h"

static const tn_node *sub(tn_ir *ir, tn_op op, const tn_node *a, int64_t c) {
  return tn_binary(ir, op, a, tn_int(ir, a->dtype, c));
}

/* The terms of `r` whose coefficients g divides, divided by g (base too); the others are left in
 * `small`. */
static void split_by(const tn_lin *r, int64_t g, tn_lin *big, tn_lin *small) {
  tn_lin_init(big, r->dtype);
  tn_lin_init(small, r->dtype);
  for (uint32_t i = 0; i < r->n; ++i) {
    int64_t coef = r->terms[i].coef;
    if (coef % g == 0) {
      tn_lin_add_atom(big, r->terms[i].atom, coef / g);
    } else {
      tn_lin_add_atom(small, r->terms[i].atom, coef);
    }
  }
  tn_lin_add_const(big, tn_arith_floordiv(r->base, g));
  tn_lin_add_const(small, tn_arith_floormod(r->base, g));
}

static bool is_within(tn_interval iv, int64_t lo, int64_t end) {
  return iv.has_lo && iv.has_hi && iv.lo >= lo && iv.hi < end;
}

/* A divisor g of c, 1 < g < c, such that r = g*big + small with 0 <= small < g. */
static bool find_split(tn_arith *arith, const tn_lin *r, int64_t c, int64_t *out_g, tn_lin *big,
                       tn_lin *small) {
  for (uint32_t i = 0; i < r->n; ++i) {
    int64_t g = tn_arith_gcd(r->terms[i].coef, c);
    if (g < 2 || g >= c) {
      continue;
    }
    split_by(r, g, big, small);
    if (is_within(tn_lin_bounds(arith, small), 0, g)) {
      *out_g = g;
      return true;
    }
  }
  return false;
}

/* All values of r lie in one block [k*c, (k+1)*c). */
static bool is_one_block(tn_arith *arith, const tn_lin *r, int64_t c, int64_t *out_k) {
  tn_interval iv = tn_lin_bounds(arith, r);
  if (!iv.has_lo || !iv.has_hi || tn_arith_floordiv(iv.lo, c) != tn_arith_floordiv(iv.hi, c)) {
    return false;
  }
  *out_k = tn_arith_floordiv(iv.lo, c);
  return true;
}

static const tn_node *div_const(tn_arith *arith, const tn_node *n, int64_t c) {
  tn_ir *ir = arith->ir;
  tn_lin a;
  tn_lin q;
  tn_lin r;
  tn_lin_init(&a, n->dtype);
  tn_lin_collect(&a, n->in[TN_A], 1);
  if (a.is_failed || !tn_lin_is_exact(arith, &a, 0) ||
      (a.n + (a.base != 0) > 1 && !tn_lin_is_exact(arith, &a, c))) {
    return n;
  }
  split_by(&a, c, &q, &r);
  int64_t k = 0;
  if (is_one_block(arith, &r, c, &k)) {
    tn_lin_add_const(&q, k);
    return tn_lin_emit(ir, &q);
  }
  tn_lin big;
  tn_lin small;
  int64_t g = 0;
  const tn_node *rest = NULL;
  int64_t c2 = 0;
  if (find_split(arith, &r, c, &g, &big, &small)) {
    rest = sub(ir, TN_OP_FLOORDIV, tn_lin_emit(ir, &big), c / g);
  } else if (r.n == 1 && r.base == 0 && r.terms[0].coef == 1 &&
             tn_is(r.terms[0].atom, TN_OP_FLOORDIV) &&
             tn_arith_const(r.terms[0].atom->in[TN_B], &c2) && c2 > 0 && c2 <= INT32_MAX / c) {
    rest = sub(ir, TN_OP_FLOORDIV, r.terms[0].atom->in[TN_A], c2 * c);
  } else {
    rest = sub(ir, TN_OP_FLOORDIV, tn_lin_emit(ir, &r), c);
  }
  return q.n == 0 && q.base == 0 ? rest : tn_binary(ir, TN_OP_ADD, tn_lin_emit(ir, &q), rest);
}

static const tn_node *mod_const(tn_arith *arith, const tn_node *n, int64_t c) {
  tn_ir *ir = arith->ir;
  tn_lin a;
  tn_lin r;
  tn_lin_init(&a, n->dtype);
  tn_lin_init(&r, n->dtype);
  tn_lin_collect(&a, n->in[TN_A], 1);
  if (a.is_failed || !tn_lin_is_exact(arith, &a, 0) ||
      (a.n + (a.base != 0) > 1 && !tn_lin_is_exact(arith, &a, c))) {
    return n;
  }
  bool is_data = tn_lin_is_data(arith, &a);
  for (uint32_t i = 0; i < a.n; ++i) {
    const tn_node *atom = a.terms[i].atom;
    int64_t coef = a.terms[i].coef % c;
    int64_t c2 = 0;
    if (tn_is(atom, TN_OP_FLOORMOD) && tn_arith_const(atom->in[TN_B], &c2) && c2 > 0 &&
        c2 % c == 0 && !is_data) {
      tn_lin_collect(&r, atom->in[TN_A], coef); /* x % 8 % 4 -> x % 4 */
    } else {
      tn_lin_add_atom(&r, atom, coef);
    }
  }
  tn_lin_add_const(&r, tn_arith_floormod(a.base, c));
  if (r.is_failed) {
    return n;
  }
  int64_t k = 0;
  if (is_one_block(arith, &r, c, &k)) {
    tn_lin_add_const(&r, -k * c);
    return tn_lin_emit(ir, &r);
  }
  tn_lin big;
  tn_lin small;
  int64_t g = 0;
  if (find_split(arith, &r, c, &g, &big, &small)) {
    const tn_node *rest = sub(ir, TN_OP_FLOORMOD, tn_lin_emit(ir, &big), c / g);
    return tn_binary(ir, TN_OP_ADD, sub(ir, TN_OP_MUL, rest, g), tn_lin_emit(ir, &small));
  }
  return sub(ir, TN_OP_FLOORMOD, tn_lin_emit(ir, &r), c);
}

/* ---- vectors ---- */

static const tn_node *ramp(tn_ir *ir, tn_dtype dtype, const tn_node *base, const tn_node *stride) {
  const tn_node *in[2] = {base, stride};
  return tn_node_new(ir, TN_OP_RAMP, dtype, (tn_attr){.i64 = 0}, 2, in);
}

static const tn_node *broadcast(tn_ir *ir, tn_dtype dtype, const tn_node *value) {
  return tn_node_new(ir, TN_OP_BROADCAST, dtype, (tn_attr){.i64 = 0}, 1, &value);
}

static const tn_node *vector_const(tn_arith *arith, const tn_node *n, int64_t c) {
  tn_ir *ir = arith->ir;
  const tn_node *a = n->in[TN_A];
  bool is_div = tn_is(n, TN_OP_FLOORDIV);
  tn_bound all = tn_arith_bound(arith, a);
  if (is_within(all.iv, 0, c)) {
    return is_div ? tn_int(ir, n->dtype, 0) : a;
  }
  int64_t s = 0;
  if (!tn_is(a, TN_OP_RAMP) || all.is_data || !tn_arith_const(a->in[TN_RAMP_STRIDE], &s)) {
    return n;
  }
  const tn_node *base = a->in[TN_RAMP_BASE];
  if (s % c == 0) {
    return is_div ? ramp(ir, n->dtype, sub(ir, TN_OP_FLOORDIV, base, c),
                         tn_int(ir, base->dtype, s / c))
                  : broadcast(ir, n->dtype, sub(ir, TN_OP_FLOORMOD, base, c));
  }
  const tn_node *rest = tn_arith_simplify(arith, sub(ir, TN_OP_FLOORMOD, base, c));
  tn_interval iv = tn_arith_bound(arith, rest).iv;
  int64_t reach = (int64_t)(tn_dtype_lanes(n->dtype) - 1) * s;
  if (s >= c || s <= -c || !iv.has_lo || !iv.has_hi) {
    return n;
  }
  if (iv.lo + (reach < 0 ? reach : 0) < 0 || iv.hi + (reach > 0 ? reach : 0) >= c) {
    return n;
  }
  return is_div ? broadcast(ir, n->dtype, sub(ir, TN_OP_FLOORDIV, base, c))
                : ramp(ir, n->dtype, rest, a->in[TN_RAMP_STRIDE]);
}

/* ---- symbolic divisors ---- */

static const tn_node *by_symbol(tn_arith *arith, const tn_node *n) {
  tn_ir *ir = arith->ir;
  const tn_node *d = n->in[TN_B];
  tn_lin a;
  tn_lin q;
  tn_lin r;
  tn_lin_init(&a, n->dtype);
  tn_lin_init(&q, n->dtype);
  tn_lin_init(&r, n->dtype);
  tn_lin_collect_expanded(ir, &a, n->in[TN_A], 1);
  if (!tn_lin_is_exact(arith, &a, 0) || tn_lin_is_data(arith, &a) ||
      tn_arith_bound(arith, d).is_data) {
    return n;
  }
  tn_lin_add_const(&r, a.base);
  for (uint32_t i = 0; i < a.n; ++i) {
    const tn_node *over = tn_lin_div_atoms(ir, a.terms[i].atom, d);
    if (over != NULL) {
      tn_lin_collect(&q, over, a.terms[i].coef);
    } else {
      tn_lin_add_atom(&r, a.terms[i].atom, a.terms[i].coef);
    }
  }
  bool is_div = tn_is(n, TN_OP_FLOORDIV);
  const tn_node *rest = tn_lin_emit(ir, &r);
  tn_lin gap; /* d - 1 - r */
  tn_lin_init(&gap, TN_DT_I64);
  tn_lin_collect_expanded(ir, &gap, d, 1);
  tn_lin_add_lin(&gap, &r, -1);
  tn_lin_add_const(&gap, -1);
  if (tn_arith_nonneg(arith, &r) && tn_arith_nonneg(arith, &gap)) {
    return is_div ? tn_lin_emit(ir, &q) : rest;
  }
  if (q.n == 0 && q.base == 0) {
    return n;
  }
  rest = tn_binary(ir, (tn_op)n->op, rest, d);
  return is_div ? tn_binary(ir, TN_OP_ADD, tn_lin_emit(ir, &q), rest) : rest;
}

static int64_t factor_of(const tn_lin *lin, int64_t g) {
  g = tn_arith_gcd(g, lin->base);
  for (uint32_t i = 0; i < lin->n; ++i) {
    g = tn_arith_gcd(g, lin->terms[i].coef);
  }
  return g;
}

static const tn_node *without_factor(tn_ir *ir, tn_lin *lin, int64_t g) {
  lin->base /= g;
  for (uint32_t i = 0; i < lin->n; ++i) {
    lin->terms[i].coef /= g;
  }
  return tn_lin_emit(ir, lin);
}

/* (g*x) // (g*y) = x // y, (g*x) % (g*y) = g * (x % y): shapes that an open extent was computed for
 * look so, seq * 32 // (seq * 4). */
static const tn_node *by_factor(tn_arith *arith, const tn_node *n) {
  tn_lin a;
  tn_lin d;
  tn_lin_init(&a, n->dtype);
  tn_lin_init(&d, n->dtype);
  tn_lin_collect_expanded(arith->ir, &a, n->in[TN_A], 1);
  tn_lin_collect_expanded(arith->ir, &d, n->in[TN_B], 1);
  if (a.is_failed || d.is_failed || !tn_lin_is_exact(arith, &a, 0) ||
      !tn_lin_is_exact(arith, &d, 0)) {
    return by_symbol(arith, n);
  }
  int64_t g = factor_of(&a, factor_of(&d, 0));
  if (g < 2) {
    return by_symbol(arith, n);
  }
  const tn_node *x = without_factor(arith->ir, &a, g);
  const tn_node *small =
      by_symbol(arith, tn_binary(arith->ir, (tn_op)n->op, x, without_factor(arith->ir, &d, g)));
  return tn_is(n, TN_OP_FLOORDIV)
             ? small
             : tn_binary(arith->ir, TN_OP_MUL, small, tn_int(arith->ir, n->dtype, g));
}

static const tn_node *divide(tn_arith *arith, const tn_node *n) {
  bool is_div = tn_is(n, TN_OP_FLOORDIV);
  int64_t c = 0;
  if (!tn_dtype_is_int(n->dtype)) {
    return n;
  }
  if (!tn_arith_const(n->in[TN_B], &c)) {
    return tn_dtype_lanes(n->dtype) == 1 ? by_factor(arith, n) : n;
  }
  if (c < 1) {
    return n;
  }
  if (c == 1) {
    return is_div ? n->in[TN_A] : tn_int(arith->ir, n->dtype, 0);
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return vector_const(arith, n, c);
  }
  return is_div ? div_const(arith, n, c) : mod_const(arith, n, c);
}

const tn_node *tn_rule_floordiv(tn_arith *arith, const tn_node *n) { return divide(arith, n); }
const tn_node *tn_rule_floormod(tn_arith *arith, const tn_node *n) { return divide(arith, n); }

/* Truncation is a floor where nothing is negative. */
const tn_node *tn_rule_truncdiv(tn_arith *arith, const tn_node *n) {
  if (!tn_dtype_is_int(n->dtype)) {
    return n;
  }
  tn_interval a = tn_arith_bound(arith, n->in[TN_A]).iv;
  tn_interval b = tn_arith_bound(arith, n->in[TN_B]).iv;
  if (!a.has_lo || a.lo < 0 || !b.has_lo || b.lo < 1) {
    return n;
  }
  return tn_binary(arith->ir, tn_is(n, TN_OP_DIV) ? TN_OP_FLOORDIV : TN_OP_FLOORMOD, n->in[TN_A],
                   n->in[TN_B]);
}
