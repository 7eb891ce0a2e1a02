/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* exp, exp2, exp10: x = n ln 2 + r with |r| <= ln(2) / 2 (n ln 2 subtracted in two parts, of which
 * the first times n is exact: Cody and Waite), e^x = 2^n (1 + p(r)), p(r) = r + r^2 q(r), q of
 * least relative error (scripts/math_coefficients). 2^n is multiplied in two steps, so that results
 * near the ends, denormals too, are rounded once. */
#ifndef TN_TIR_MATH_EXP_H
#define TN_TIR_MATH_EXP_H

#include "tir/math/vocab.h"

#define LOG2E_F64 0x1.71547652b82fep+0
#define LN2_F64_H 0x1.62e42fefa38p-1
#define LN2_F64_L 0x1.ef35793c7673p-45
#define LOG2_10_F64 0x1.a934f0979a371p+1
#define LG2_F64_H 0x1.34413509f78p-2
#define LG2_F64_L 0x1.fef311f12b358p-46
#define LN10_F64 0x1.26bb1bbb55516p+1
#define LN2_F64 0x1.62e42fefa39efp-1
#define LOG2E_F32 0x1.715476p+0f
#define LN2_F32_H 0x1.62e4p-1f
#define LN2_F32_L 0x1.7f7d1cp-20f
#define LOG2_10_F32 0x1.a934fp+1f
#define LG2_F32_H 0x1.344p-2f
#define LG2_F32_L 0x1.3509f8p-18f
#define LN2_F32 0x1.62e43p-1f

/* (e^x - 1 - x) / x^2, [-0.3466, 0.3466]: 2^-60.27 */
static const double exp_f64_q[] = {
    0x1p-1,
    0x1.555555555555bp-3,
    0x1.5555555555503p-5,
    0x1.111111110ec5dp-7,
    0x1.6c16c16c30471p-10,
    0x1.a01a01b37e403p-13,
    0x1.a01a013696bfp-16,
    0x1.71ddf020bbdd1p-19,
    0x1.27e5b43830ffp-22,
    0x1.af6be802cb42fp-26,
    0x1.1e3d414d78352p-29,
};

/* (e^x - 1 - x) / x^2, [-0.3466, 0.3466]: 2^-27.97 */
static const float exp_f32_q[] = {
    0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239e2p-7f, 0x1.6a2474p-10f,
};

/* (e^x - 1) / x, [-0.3466, 0.3466]: 2^-25.8 */
static const float exp_f32_p[] = {
    0x1p+0f, 0x1.fffffcp-2f, 0x1.55541ap-3f, 0x1.555822p-5f, 0x1.126792p-7f, 0x1.6ae71ap-10f,
};

/* (2^x - 1) / x, [-0.5001, 0.5001]: 2^-25.91 */
static const float exp2_f32_p[] = {
    0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6aee8p-5f, 0x1.3b2d4ep-7f, 0x1.5f3e8p-10f, 0x1.41fb9ap-13f,
};

/* ---- float64 ---- */

/// e^r - 1 for |r| <= ln(2) / 2.
static inline F64 tn_exp_p_f64(CX, F64 r) { return MAD(MUL(r, r), POLY64(r, exp_f64_q), r); }

/// x 2^n for an integer n, x in [0.25, 4): rounded once, infinite or 0 where it must be.
static inline F64 tn_scale_f64(CX, F64 x, F64 n) {
  F64 half = tn_rint_f64(cx, MUL(n, C64(0.5)));
  return MUL(MUL(x, tn_pow2_f64(cx, half)), tn_pow2_f64(cx, SUB(n, half)));
}

/// lo, x or hi; NaN stays.
static inline F64 tn_clamp_f64(CX, F64 x, F64 lo, F64 hi) { return MIN(hi, MAX(lo, x)); }

/// x - n ln 2, for |n| < 2^11 (2^9).
static inline F64 tn_exp_r_f64(CX, F64 x, F64 n) {
  return MAD(n, C64(-LN2_F64_L), MAD(n, C64(-LN2_F64_H), x));
}

static inline F64 exp_f64(CX, F64 x) {
  x = tn_clamp_f64(cx, x, C64(-746.0), C64(710.0));
  F64 n = tn_rint_f64(cx, MUL(x, C64(LOG2E_F64)));
  return tn_scale_f64(cx, ADD(C64(1.0), tn_exp_p_f64(cx, tn_exp_r_f64(cx, x, n))), n);
}

static inline F64 exp2_f64(CX, F64 x) {
  x = tn_clamp_f64(cx, x, C64(-1080.0), C64(1030.0));
  F64 n = tn_rint_f64(cx, x);
  F64 r = MUL(SUB(x, n), C64(LN2_F64));
  return tn_scale_f64(cx, ADD(C64(1.0), tn_exp_p_f64(cx, r)), n);
}

static inline F64 exp10_f64(CX, F64 x) {
  x = tn_clamp_f64(cx, x, C64(-326.0), C64(310.0));
  F64 n = tn_rint_f64(cx, MUL(x, C64(LOG2_10_F64)));
  F64 r = MUL(MAD(n, C64(-LG2_F64_L), MAD(n, C64(-LG2_F64_H), x)), C64(LN10_F64));
  return tn_scale_f64(cx, ADD(C64(1.0), tn_exp_p_f64(cx, r)), n);
}

/* ---- float32 ---- */

/// e^r - 1 for |r| <= ln(2) / 2.
static inline F32 tn_exp_p_f32(CX, F32 r) { return MAD(MUL(r, r), POLY32(r, exp_f32_q), r); }

/// x 2^n for an integer n, x in [0.25, 4): rounded once, infinite or 0 where it must be.
static inline F32 tn_scale_f32(CX, F32 x, F32 n) {
  F32 half = tn_rint_f32(cx, MUL(n, C32(0.5f)));
  return MUL(MUL(x, tn_pow2_f32(cx, half)), tn_pow2_f32(cx, SUB(n, half)));
}

/// lo, x or hi; NaN stays.
static inline F32 tn_clamp_f32(CX, F32 x, F32 lo, F32 hi) { return MIN(hi, MAX(lo, x)); }

/// x - n ln 2, for |n| < 2^11 (2^9).
static inline F32 tn_exp_r_f32(CX, F32 x, F32 n) {
  return MAD(n, C32(-LN2_F32_L), MAD(n, C32(-LN2_F32_H), x));
}

/* e 2^n where t = n + 1.5 * 2^23 and e is near 1, in one step for normal results: is_small says for
 * which n 64 is added first, and 2^-64 multiplied after. Twice 2^(n - 1), since 2^128 is no
 * number. */
static inline F32 tn_exp_scale_f32(CX, F32 e, F32 t, MASK is_small) {
  I32 bias = SELECT(is_small, CI32((127 + 64) << 23), CI32((127 - 1) << 23));
  F32 power = FLOAT32(IADD(ISHL(BITS32(t), 23), bias));
  return MUL(MUL(e, power), SELECT(is_small, C32(0x1p-64f), C32(2.0f)));
}

static inline F32 exp_f32(CX, F32 x) {
  x = tn_clamp_f32(cx, x, C32(-104.0f), C32(89.0f));
  F32 t = MAD(x, C32(LOG2E_F32), C32(RINT_F32));
  F32 r = tn_exp_r_f32(cx, x, SUB(t, C32(RINT_F32)));
  F32 e = MAD(r, POLY32(r, exp_f32_p), C32(1.0f));
  return tn_exp_scale_f32(cx, e, t, LT(x, C32(-86.0f)));
}

/// exp_f32 where neither argument nor result leaves the normal range, -86 <= x <= 88: the same bits.
static inline F32 tn_exp_normal_f32(CX, F32 x) {
  F32 t = MAD(x, C32(LOG2E_F32), C32(RINT_F32));
  F32 r = tn_exp_r_f32(cx, x, SUB(t, C32(RINT_F32)));
  F32 e = MAD(r, POLY32(r, exp_f32_p), C32(1.0f));
  return MUL(e, FLOAT32(IADD(ISHL(BITS32(t), 23), CI32(127 << 23))));
}

static inline F32 exp2_f32(CX, F32 x) {
  x = tn_clamp_f32(cx, x, C32(-152.0f), C32(128.0f));
  F32 t = ADD(x, C32(RINT_F32));
  F32 r = SUB(x, SUB(t, C32(RINT_F32)));
  F32 e = MAD(r, POLY32(r, exp2_f32_p), C32(1.0f));
  return tn_exp_scale_f32(cx, e, t, LT(x, C32(-125.0f)));
}

static inline F32 exp10_f32(CX, F32 x) {
  x = tn_clamp_f32(cx, x, C32(-46.0f), C32(38.6f));
  F32 t = MAD(x, C32(LOG2_10_F32), C32(RINT_F32));
  F32 n = SUB(t, C32(RINT_F32));
  F32 r = MAD(n, C32(-LG2_F32_L), MAD(n, C32(-LG2_F32_H), x));
  F32 y = MUL(r, C32(LOG2_10_F32));
  F32 e = MAD(y, POLY32(y, exp2_f32_p), C32(1.0f));
  return tn_exp_scale_f32(cx, e, t, LT(x, C32(-37.0f)));
}

#endif
