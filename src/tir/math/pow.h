/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* pow(x, y) = 2^(y log2 |x|), and C's special cases (C11 F.10.4.4). y log2 |x| reaches 1100, so
 * that the logarithm of float64 needs some 64 bits: |x| = 2^k m, s = (m - 1) / (m + 1) as a pair,
 * and
 *   log2 |x| = k + (2 / ln 2) (s + s z (1 / 3 + z P(z))),  z = s^2,
 * where only z P(z) is a plain number. float32 is computed in plain float64, with fewer terms. */
#ifndef TN_TIR_MATH_POW_H
#define TN_TIR_MATH_POW_H

#include "tir/math/dd.h"
#include "tir/math/log.h"

#define THIRD_F64_H 0x1.5555555555555p-2
#define THIRD_F64_L 0x1.5555555555555p-56
#define TWO_LOG2E_F64_H 0x1.71547652b82fep+1
#define TWO_LOG2E_F64_L 0x1.777d0ffda0d24p-55

/* (atanh(s) / s - 1 - z / 3) / z^2, z = s^2, [0.0, 0.02944]: 2^-66.31 */
static const double pow_f64_p[] = {
    0x1.9999999999996p-3, 0x1.2492492493036p-3, 0x1.c71c71c58046cp-4, 0x1.745d1832629dcp-4,
    0x1.3b1362b1e0188p-4, 0x1.1120b63fa6245p-4, 0x1.de3357e6d3778p-5, 0x1.eb11ed9ff2a22p-5,
};

/* log2((1 + s) / (1 - s)) / s, z = s^2, for float32, [0.0, 0.02944]: 2^-36.25 */
static const double pow_f32_log[] = {
    0x1.71547652bee7bp+1, 0x1.ec709d123e5a1p-1, 0x1.2777804926afep-1,
    0x1.a58d5fa424532p-2, 0x1.5ceb10e69847ep-2,
};

/* 2^x, for float32, [-0.5001, 0.5001]: 2^-29.0 */
static const double pow_f32_exp2[] = {
    0x1.0000000261ccep+0, 0x1.62e430c82fbf8p-1,  0x1.ebfbdadb8f6dep-3,  0x1.c6aed45b3a2cfp-5,
    0x1.3b2dbc274736fp-7, 0x1.5f4599ca600c4p-10, 0x1.41d334aba35e9p-13,
};

/// log2(x) of x > 0, finite.
static inline tn_dd tn_pow_log2(CX, F64 x) {
  tn_log_split64 at = tn_log_split_f64(cx, x);
  F64 f = SUB(at.m, C64(1.0));
  tn_dd below = tn_dd_sum_ordered(cx, C64(1.0), at.m); /* m < 2: exact all the same */
  F64 s = DIV(f, below.hi);
  tn_dd back = tn_dd_product(cx, s, below.hi);
  F64 rest = SUB(SUB(SUB(f, back.hi), back.lo), MUL(s, below.lo));
  tn_dd sd = {s, DIV(rest, below.hi)};
  tn_dd z = tn_dd_mul(cx, sd, sd);
  tn_dd c = tn_dd_sum_ordered(cx, C64(THIRD_F64_H), MUL(z.hi, POLY64(z.hi, pow_f64_p)));
  c.lo = ADD(c.lo, C64(THIRD_F64_L));
  tn_dd u = tn_dd_mul(cx, sd, tn_dd_mul(cx, z, c));
  tn_dd l = tn_dd_sum_ordered(cx, sd.hi, u.hi);
  l.lo = ADD(l.lo, ADD(u.lo, sd.lo));
  l = tn_dd_mul(cx, l, (tn_dd){C64(TWO_LOG2E_F64_H), C64(TWO_LOG2E_F64_L)});
  tn_dd sum = tn_dd_sum_ordered(cx, at.k, l.hi);
  sum.lo = ADD(sum.lo, l.lo);
  return sum;
}

/// True for integers and infinities.
static inline MASK tn_is_whole_f64(CX, F64 x) {
  F64 a = ABS(x);
  return OR(GE(a, C64(0x1p52)), EQ(SUB(ADD(a, C64(0x1p52)), C64(0x1p52)), a));
}

/// What pow(x, y) is, from r = |x|^y where that is no special case.
static inline F64 tn_pow_ends(CX, F64 x, F64 y, F64 r) {
  F64 a = ABS(x);
  F64 up = SELECT(GT(a, C64(1.0)), y, NEG(y)); /* > 0: grows without end */
  MASK is_edge = OR(EQ(a, C64(0.0)), EQ(a, C64(INFINITY)));
  r = SELECT(is_edge, SELECT(GT(up, C64(0.0)), C64(INFINITY), C64(0.0)), r);
  MASK is_whole = tn_is_whole_f64(cx, y);
  MASK is_odd = AND(is_whole, NOT(tn_is_whole_f64(cx, MUL(y, C64(0.5)))));
  r = SELECT(is_odd, copysign_f64(cx, r, x), r);
  MASK is_nan = AND(LT(x, C64(0.0)), NOT(OR(is_edge, is_whole)));
  r = SELECT(is_nan, C64(NAN), r);
  r = SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), r);
  return SELECT(OR(EQ(x, C64(1.0)), EQ(y, C64(0.0))), C64(1.0), r);
}

static inline F64 pow_f64(CX, F64 x, F64 y) {
  tn_dd log2 = tn_pow_log2(cx, ABS(x));
  F64 finite = tn_clamp_f64(cx, y, C64(-0x1p70), C64(0x1p70)); /* enough for the x next to 1 */
  tn_dd p = tn_dd_product(cx, finite, log2.hi);
  F64 lo = MAD(finite, log2.lo, p.lo);
  F64 hi = tn_clamp_f64(cx, p.hi, C64(-1080.0), C64(1030.0));
  lo = SELECT(EQ(hi, p.hi), lo, C64(0.0));
  F64 n = tn_rint_f64(cx, hi);
  F64 r = MUL(ADD(SUB(hi, n), lo), C64(LN2_F64));
  F64 power = tn_scale_f64(cx, ADD(C64(1.0), tn_exp_p_f64(cx, r)), n);
  return tn_pow_ends(cx, x, y, power);
}

static inline F32 pow_f32(CX, F32 x, F32 y) {
  F64 wide_x = F64_OF_F32(x);
  F64 wide_y = F64_OF_F32(y);
  tn_log_split64 at = tn_log_split_f64(cx, ABS(wide_x));
  F64 s = DIV(SUB(at.m, C64(1.0)), ADD(at.m, C64(1.0)));
  F64 log2 = MAD(s, POLY64(MUL(s, s), pow_f32_log), at.k);
  F64 finite = tn_clamp_f64(cx, wide_y, C64(-0x1p100), C64(0x1p100));
  F64 p = tn_clamp_f64(cx, MUL(finite, log2), C64(-160.0), C64(130.0));
  F64 n = tn_rint_f64(cx, p);
  F64 power = MUL(POLY64(SUB(p, n), pow_f32_exp2), tn_pow2_f64(cx, n));
  return F32_OF_F64(tn_pow_ends(cx, wide_x, wide_y, power));
}

#endif
