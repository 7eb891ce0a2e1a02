/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Sums and products: one canonical order, equal terms collected, ramps and broadcasts joined.
 *   i + 3 - i*2 + j  ->  j - i + 3          Ramp(i, 1, 4) + Broadcast(j, 4)  ->  Ramp(i + j, 1, 4)
 *   x//4*4 + x%4  ->  x                     x - x//4*4  ->  x%4
 *   x//4%3*4 + x%4  ->  x%12
 * All of it holds in wrapping arithmetic. Floats pass untouched. */
#include "arith/arith_priv.h"

static int64_t coef_of(const tn_lin *lin, const tn_node *atom) {
  for (uint32_t i = 0; i < lin->n; ++i) {
    if (lin->terms[i].atom == atom) {
      return lin->terms[i].coef;
    }
  }
  return 0;
}

/* a op b if the term exists in the form, else NULL. */
static const tn_node *find_division(const tn_lin *lin, tn_op op, const tn_node *a,
                                    const tn_node *b) {
  for (uint32_t i = 0; i < lin->n; ++i) {
    const tn_node *atom = lin->terms[i].atom;
    if (tn_is(atom, op) && atom->in[TN_A] == a && atom->in[TN_B] == b) {
      return atom;
    }
  }
  return NULL;
}

/* k * (x % c), the term `atom`, with k * c * (x // c % b): k * (x % (c * b)). */
static bool join_remainders(tn_ir *ir, tn_lin *lin, const tn_node *atom, int64_t k, int64_t c) {
  const tn_node *x = atom->in[TN_A];
  for (uint32_t i = 0; i < lin->n; ++i) {
    const tn_node *upper = lin->terms[i].atom;
    int64_t b = 0;
    int64_t kc = 0;
    if (!tn_is(upper, TN_OP_FLOORMOD) || !tn_is(upper->in[TN_A], TN_OP_FLOORDIV) ||
        upper->in[TN_A]->in[TN_A] != x || upper->in[TN_A]->in[TN_B] != atom->in[TN_B] ||
        !tn_arith_const(upper->in[TN_B], &b) || b < 2 || b > INT32_MAX / c ||
        __builtin_mul_overflow(k, c, &kc) || lin->terms[i].coef != kc) {
      continue;
    }
    const tn_node *both = tn_int(ir, x->dtype, c * b);
    tn_lin_add_atom(lin, atom, -k);
    tn_lin_add_atom(lin, upper, -kc);
    tn_lin_add_atom(lin, tn_binary(ir, TN_OP_FLOORMOD, x, both), k);
    return true;
  }
  return false;
}

/* x == c * (x // c) + x % c in both directions; one step, true when something changed. */
static bool join_division(tn_ir *ir, tn_lin *lin) {
  for (uint32_t i = 0; i < lin->n; ++i) {
    const tn_node *atom = lin->terms[i].atom;
    int64_t k = lin->terms[i].coef;
    int64_t c = 0;
    int64_t kc = 0;
    bool is_div = tn_is(atom, TN_OP_FLOORDIV);
    if ((!is_div && !tn_is(atom, TN_OP_FLOORMOD)) || !tn_arith_const(atom->in[TN_B], &c) || c < 2) {
      continue;
    }
    const tn_node *x = atom->in[TN_A];
    if (!is_div) {
      const tn_node *div = find_division(lin, TN_OP_FLOORDIV, x, atom->in[TN_B]);
      if (div != NULL && !__builtin_mul_overflow(k, c, &kc) && coef_of(lin, div) == kc) {
        tn_lin_add_atom(lin, atom, -k);
        tn_lin_add_atom(lin, div, -kc);
        tn_lin_collect(lin, x, k);
        return true;
      }
      if (k != INT64_MIN && c <= INT32_MAX && join_remainders(ir, lin, atom, k, c)) {
        return true;
      }
      continue;
    }
    int64_t kx = coef_of(lin, x);
    if (kx != 0 && kx != INT64_MIN && !__builtin_mul_overflow(-kx, c, &kc) && k == kc) {
      tn_lin_add_atom(lin, atom, -k);
      tn_lin_add_atom(lin, x, -kx);
      tn_lin_add_atom(lin, tn_binary(ir, TN_OP_FLOORMOD, x, atom->in[TN_B]), kx);
      return true;
    }
  }
  return false;
}

static const tn_node *vector_sum(tn_ir *ir, const tn_node *n) {
  tn_vlin v;
  tn_vlin_init(&v, n->dtype);
  tn_vlin_collect(&v, n, 1);
  if (v.base.is_failed || v.stride.is_failed || v.rest.is_failed) {
    return n;
  }
  const tn_node *base = tn_lin_emit(ir, &v.base);
  const tn_node *in[2] = {base, tn_lin_emit(ir, &v.stride)};
  bool is_ramp = !tn_is_int(in[TN_RAMP_STRIDE], 0);
  const tn_node *line = tn_node_new(ir, is_ramp ? TN_OP_RAMP : TN_OP_BROADCAST, n->dtype,
                                    (tn_attr){.i64 = 0}, is_ramp ? 2 : 1, in);
  if (v.rest.n == 0) {
    return line;
  }
  const tn_node *rest = tn_lin_emit(ir, &v.rest);
  if (!is_ramp && tn_is_int(base, 0)) {
    return rest;
  }
  return tn_binary(ir, TN_OP_ADD, rest, line);
}

const tn_node *tn_rule_sum(tn_arith *arith, const tn_node *n) {
  if (!tn_arith_is_int_type(n->dtype)) {
    return n;
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return vector_sum(arith->ir, n);
  }
  tn_lin lin;
  tn_lin_init(&lin, n->dtype);
  tn_lin_collect(&lin, n, 1);
  for (int i = 0; !lin.is_failed && i < TN_LIN_MAX && join_division(arith->ir, &lin); ++i) {
  }
  return lin.is_failed ? n : tn_lin_emit(arith->ir, &lin);
}

/* Takes out of a factor what divides all of it: 4*i + 8 -> (i + 2, 4). */
static const tn_node *take_content(tn_ir *ir, const tn_node *factor, uint64_t *content) {
  tn_lin lin;
  tn_lin_init(&lin, factor->dtype);
  tn_lin_collect(&lin, factor, 1);
  if (lin.is_failed || lin.n == 0) {
    return factor;
  }
  int64_t g = lin.base;
  for (uint32_t i = 0; i < lin.n; ++i) {
    g = tn_arith_gcd(g, lin.terms[i].coef);
  }
  if (lin.n == 1 && lin.base == 0) {
    g = lin.terms[0].coef; /* with its sign */
  }
  if (g == 1 || g == 0) {
    return factor;
  }
  tn_lin rest;
  tn_lin_init(&rest, factor->dtype);
  tn_lin_add_const(&rest, lin.base / g);
  for (uint32_t i = 0; i < lin.n; ++i) {
    tn_lin_add_atom(&rest, lin.terms[i].atom, g == -1 ? 1 : lin.terms[i].coef / g);
  }
  *content *= (uint64_t)g;
  return tn_lin_emit(ir, &rest);
}

static const tn_node *vector_product(tn_ir *ir, const tn_node *n) {
  const tn_node *a = n->in[TN_A];
  const tn_node *b = n->in[TN_B];
  int64_t c = 0;
  if (tn_arith_const(a, &c) || tn_arith_const(b, &c)) {
    return vector_sum(ir, n);
  }
  if (tn_is(a, TN_OP_BROADCAST)) {
    const tn_node *swap = a;
    a = b;
    b = swap;
  }
  if (!tn_is(a, TN_OP_RAMP) || !tn_is(b, TN_OP_BROADCAST)) {
    return n;
  }
  const tn_node *in[2] = {tn_binary(ir, TN_OP_MUL, a->in[TN_RAMP_BASE], b->in[0]),
                          tn_binary(ir, TN_OP_MUL, a->in[TN_RAMP_STRIDE], b->in[0])};
  return tn_node_new(ir, TN_OP_RAMP, n->dtype, (tn_attr){.i64 = 0}, 2, in);
}

const tn_node *tn_rule_mul(tn_arith *arith, const tn_node *n) {
  if (!tn_arith_is_int_type(n->dtype)) {
    return n;
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return vector_product(arith->ir, n);
  }
  int64_t c = 0;
  if (tn_arith_const(n->in[TN_A], &c) || tn_arith_const(n->in[TN_B], &c)) {
    return tn_rule_sum(arith, n);
  }
  uint64_t content = 1;
  const tn_node *a = take_content(arith->ir, n->in[TN_A], &content);
  const tn_node *b = take_content(arith->ir, n->in[TN_B], &content);
  const tn_node *product = tn_lin_mul_atoms(arith->ir, a, b);
  tn_lin lin;
  tn_lin_init(&lin, n->dtype);
  tn_lin_add_atom(&lin, product, (int64_t)content);
  return tn_lin_emit(arith->ir, &lin);
}
