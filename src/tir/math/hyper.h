/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* sinh, cosh, tanh, their inverses, and sigmoid. The first three stand on e^|x| = 2^n (1 + p) of
 * exp.h and t = e^|x| - 1 = 2^n p + (2^n - 1), which keeps its bits near 0; the inverses on log1p
 * of an argument that loses none. Odd functions are computed of |x|. */
#ifndef TN_TIR_MATH_HYPER_H
#define TN_TIR_MATH_HYPER_H

#include "tir/math/exp.h"
#include "tir/math/log.h"

/* ---- float64 ---- */

/// e^x = 2^n (1 + p)
typedef struct tn_exp_parts64 {
  F64 n;
  F64 p;
} tn_exp_parts64;

static inline tn_exp_parts64 tn_exp_parts_f64(CX, F64 x) {
  F64 n = tn_rint_f64(cx, MUL(x, C64(LOG2E_F64)));
  return (tn_exp_parts64){n, tn_exp_p_f64(cx, tn_exp_r_f64(cx, x, n))};
}

/// e^x - 1, of 0 <= n <= 1000.
static inline F64 tn_expm1_f64(CX, tn_exp_parts64 e) {
  F64 power = tn_pow2_f64(cx, e.n);
  return MAD(power, e.p, SUB(power, C64(1.0)));
}

/// e^x / 2
static inline F64 tn_half_exp_f64(CX, tn_exp_parts64 e) {
  return tn_scale_f64(cx, ADD(C64(1.0), e.p), SUB(e.n, C64(1.0)));
}

static inline F64 sinh_f64(CX, F64 x) {
  tn_exp_parts64 e = tn_exp_parts_f64(cx, tn_clamp_f64(cx, ABS(x), C64(0.0), C64(712.0)));
  tn_exp_parts64 low = {MIN(e.n, C64(40.0)), e.p};
  F64 t = tn_expm1_f64(cx, low);
  F64 near = MUL(C64(0.5), ADD(t, DIV(t, ADD(t, C64(1.0)))));
  F64 r = SELECT(LT(e.n, C64(40.0)), near, tn_half_exp_f64(cx, e));
  return copysign_f64(cx, r, x);
}

static inline F64 cosh_f64(CX, F64 x) {
  tn_exp_parts64 e = tn_exp_parts_f64(cx, tn_clamp_f64(cx, ABS(x), C64(0.0), C64(712.0)));
  F64 half = tn_half_exp_f64(cx, e);
  return ADD(half, DIV(C64(0.25), half));
}

/// t / (t + 2) with t = e^2|x| - 1
static inline F64 tanh_f64(CX, F64 x) {
  F64 a = tn_clamp_f64(cx, ABS(x), C64(0.0), C64(22.0));
  F64 t = tn_expm1_f64(cx, tn_exp_parts_f64(cx, ADD(a, a)));
  return copysign_f64(cx, DIV(t, ADD(t, C64(2.0))), x);
}

/// log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|
static inline F64 asinh_f64(CX, F64 x) {
  F64 a = ABS(x);
  MASK is_big = GT(a, C64(0x1p60));
  F64 square = MUL(a, a);
  F64 root = SQRT(ADD(square, C64(1.0)));
  F64 arg = ADD(a, DIV(square, ADD(C64(1.0), root)));
  F64 r = ADD(log1p_f64(cx, SELECT(is_big, a, arg)), SELECT(is_big, C64(LN2_F64), C64(0.0)));
  return copysign_f64(cx, r, x);
}

/// log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2 t + t^2)), t = x - 1
static inline F64 acosh_f64(CX, F64 x) {
  MASK is_big = GT(x, C64(0x1p60));
  F64 t = SUB(x, C64(1.0));
  F64 arg = ADD(t, SQRT(MAD(t, t, ADD(t, t))));
  F64 r = ADD(log1p_f64(cx, SELECT(is_big, x, arg)), SELECT(is_big, C64(LN2_F64), C64(0.0)));
  return SELECT(LT(x, C64(1.0)), C64(NAN), r);
}

/// log((1 + a) / (1 - a)) / 2, a = |x|
static inline F64 atanh_f64(CX, F64 x) {
  F64 a = ABS(x);
  F64 twice = ADD(a, a);
  F64 arg = MAD(twice, DIV(a, SUB(C64(1.0), a)), twice); /* 2 a / (1 - a) */
  F64 r = MUL(C64(0.5), log1p_f64(cx, SELECT(LT(a, C64(0.5)), arg, DIV(twice, SUB(C64(1.0), a)))));
  return copysign_f64(cx, r, x);
}

/// 1 / (1 + e^-x), of e^-|x|, which cannot overflow.
static inline F64 sigmoid_f64(CX, F64 x) {
  F64 e = exp_f64(cx, NEG(ABS(x)));
  return DIV(SELECT(LT(x, C64(0.0)), e, C64(1.0)), ADD(C64(1.0), e));
}

/// 1 / sqrt(x)
static inline F64 rsqrt_f64(CX, F64 x) { return DIV(C64(1.0), SQRT(x)); }

/* ---- float32 ---- */

/// e^x = 2^n (1 + p)
typedef struct tn_exp_parts32 {
  F32 n;
  F32 p;
} tn_exp_parts32;

static inline tn_exp_parts32 tn_exp_parts_f32(CX, F32 x) {
  F32 n = tn_rint_f32(cx, MUL(x, C32(LOG2E_F32)));
  return (tn_exp_parts32){n, tn_exp_p_f32(cx, tn_exp_r_f32(cx, x, n))};
}

/// e^x - 1, of 0 <= n <= 120.
static inline F32 tn_expm1_f32(CX, tn_exp_parts32 e) {
  F32 power = tn_pow2_f32(cx, e.n);
  return MAD(power, e.p, SUB(power, C32(1.0f)));
}

/// e^x / 2
static inline F32 tn_half_exp_f32(CX, tn_exp_parts32 e) {
  return tn_scale_f32(cx, ADD(C32(1.0f), e.p), SUB(e.n, C32(1.0f)));
}

static inline F32 sinh_f32(CX, F32 x) {
  tn_exp_parts32 e = tn_exp_parts_f32(cx, tn_clamp_f32(cx, ABS(x), C32(0.0f), C32(90.0f)));
  tn_exp_parts32 low = {MIN(e.n, C32(20.0f)), e.p};
  F32 t = tn_expm1_f32(cx, low);
  F32 near = MUL(C32(0.5f), ADD(t, DIV(t, ADD(t, C32(1.0f)))));
  F32 r = SELECT(LT(e.n, C32(20.0f)), near, tn_half_exp_f32(cx, e));
  return copysign_f32(cx, r, x);
}

static inline F32 cosh_f32(CX, F32 x) {
  tn_exp_parts32 e = tn_exp_parts_f32(cx, tn_clamp_f32(cx, ABS(x), C32(0.0f), C32(90.0f)));
  F32 half = tn_half_exp_f32(cx, e);
  return ADD(half, DIV(C32(0.25f), half));
}

/// t / (t + 2) with t = e^2|x| - 1
static inline F32 tanh_f32(CX, F32 x) {
  F32 a = tn_clamp_f32(cx, ABS(x), C32(0.0f), C32(10.0f));
  F32 t = tn_expm1_f32(cx, tn_exp_parts_f32(cx, ADD(a, a)));
  return copysign_f32(cx, DIV(t, ADD(t, C32(2.0f))), x);
}

/// log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|
static inline F32 asinh_f32(CX, F32 x) {
  F32 a = ABS(x);
  MASK is_big = GT(a, C32(0x1p30f));
  F32 square = MUL(a, a);
  F32 root = SQRT(ADD(square, C32(1.0f)));
  F32 arg = ADD(a, DIV(square, ADD(C32(1.0f), root)));
  F32 r = ADD(log1p_f32(cx, SELECT(is_big, a, arg)), SELECT(is_big, C32(LN2_F32), C32(0.0f)));
  return copysign_f32(cx, r, x);
}

/// log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2 t + t^2)), t = x - 1
static inline F32 acosh_f32(CX, F32 x) {
  MASK is_big = GT(x, C32(0x1p30f));
  F32 t = SUB(x, C32(1.0f));
  F32 arg = ADD(t, SQRT(MAD(t, t, ADD(t, t))));
  F32 r = ADD(log1p_f32(cx, SELECT(is_big, x, arg)), SELECT(is_big, C32(LN2_F32), C32(0.0f)));
  return SELECT(LT(x, C32(1.0f)), C32(NAN), r);
}

/// log((1 + a) / (1 - a)) / 2, a = |x|
static inline F32 atanh_f32(CX, F32 x) {
  F32 a = ABS(x);
  F32 twice = ADD(a, a);
  F32 arg = MAD(twice, DIV(a, SUB(C32(1.0f), a)), twice); /* 2 a / (1 - a) */
  F32 r =
      MUL(C32(0.5f), log1p_f32(cx, SELECT(LT(a, C32(0.5f)), arg, DIV(twice, SUB(C32(1.0f), a)))));
  return copysign_f32(cx, r, x);
}

/// 1 / (1 + e^-x), of e^-|x|, which cannot overflow.
static inline F32 sigmoid_f32(CX, F32 x) {
  F32 e = exp_f32(cx, NEG(ABS(x)));
  return DIV(SELECT(LT(x, C32(0.0f)), e, C32(1.0f)), ADD(C32(1.0f), e));
}

/// 1 / sqrt(x)
static inline F32 rsqrt_f32(CX, F32 x) { return DIV(C32(1.0f), SQRT(x)); }

#endif
