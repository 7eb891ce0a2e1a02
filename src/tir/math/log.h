/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* log, log2, log10, log1p: x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f),
 * and
 *   log m = 2 atanh(s) = f - (h - s (h + R)),  h = f^2 / 2,  R = z P(z), z = s^2,
 * P of least relative error (scripts/math_coefficients): f is exact and larger than the rest, whose
 * rounding errors count little. k ln 2 comes in two parts, of which the first is exact. log2 and
 * log10 of float64 multiply by their constant in two parts too. */
#ifndef TN_TIR_MATH_LOG_H
#define TN_TIR_MATH_LOG_H

#include "tir/math/exp.h"

#define LOG2E_F64_H 0x1.71547652p+0
#define LOG2E_F64_L 0x1.705fc2eefa2p-33
#define LGE_F64_H 0x1.bcb7b152p-2
#define LGE_F64_L 0x1.b9438ca9aadd5p-36
#define LGE_F32 0x1.bcb7b2p-2f
/* The bits of sqrt(1/2), and what takes them to those of 1. */
#define SQRT_HALF_F64 INT64_C(0x3fe6a09e667f3bcd)
#define SQRT_HALF_F32 INT32_C(0x3f3504f3)
#define ONE_OVER_F64 (INT64_C(0x3ff0000000000000) - SQRT_HALF_F64)
#define ONE_OVER_F32 (INT32_C(0x3f800000) - SQRT_HALF_F32)

/* (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, [0.0, 0.02944]: 2^-58.87 */
static const double log_f64_p[] = {
    0x1.5555555555592p-1, 0x1.999999997fd71p-2, 0x1.24924941f5204p-2, 0x1.c71c520604a35p-3,
    0x1.74663f9ef50bdp-3, 0x1.39a1a793e252ep-3, 0x1.2f062c2278422p-3,
};

/* (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, [0.0, 0.02944]: 2^-30.08 */
static const float log_f32_p[] = {
    0x1.55557ap-1f,
    0x1.995eb6p-2f,
    0x1.31e356p-2f,
};

/* ---- float64 ---- */

/// x = 2^k m, m in [sqrt(1/2), sqrt(2)). Anything for x <= 0, infinite and NaN.
typedef struct tn_log_split64 {
  F64 k;
  F64 m;
} tn_log_split64;

static inline tn_log_split64 tn_log_split_f64(CX, F64 x) {
  MASK is_denormal = LT(x, C64(0x1p-1022));
  I64 bits = BITS64(SELECT(is_denormal, MUL(x, C64(0x1p54)), x));
  I64 up = IADD(bits, CI64(ONE_OVER_F64));
  I64 m = IADD(IAND(up, CI64(0x000fffffffffffff)), CI64(SQRT_HALF_F64));
  /* an integer below 2^52 in the low bits of 2^52: there is no conversion of 64 bits in AVX2 */
  F64 shifted = FLOAT64(IOR(ISHR(up, 52), CI64(0x4330000000000000)));
  F64 bias = SELECT(is_denormal, C64(0x1p52 + 1023 + 54), C64(0x1p52 + 1023));
  return (tn_log_split64){SUB(shifted, bias), FLOAT64(m)};
}

/// log(1 + f) = f - half + rest
typedef struct tn_log_parts64 {
  F64 half;
  F64 rest;
} tn_log_parts64;

static inline tn_log_parts64 tn_log_parts_f64(CX, F64 f) {
  F64 s = DIV(f, ADD(C64(2.0), f));
  F64 z = MUL(s, s);
  F64 half = MUL(C64(0.5), MUL(f, f));
  return (tn_log_parts64){half, MUL(s, MAD(z, POLY64(z, log_f64_p), half))};
}

/// k ln 2 + log(1 + f), with p of f. k times the first part of ln 2 is exact.
static inline F64 tn_log_sum_f64(CX, F64 k, F64 f, tn_log_parts64 p) {
  F64 small = MAD(k, C64(LN2_F64_L), p.rest);
  return MAD(k, C64(LN2_F64_H), SUB(f, SUB(p.half, small)));
}

/// r where x > 0; what a logarithm is of 0, less and no number.
static inline F64 tn_log_ends_f64(CX, F64 x, F64 r) {
  r = SELECT(LT(x, C64(INFINITY)), r, x);
  r = SELECT(EQ(x, C64(0.0)), C64(-INFINITY), r);
  return SELECT(LT(x, C64(0.0)), C64(NAN), r);
}

static inline F64 log_f64(CX, F64 x) {
  tn_log_split64 at = tn_log_split_f64(cx, x);
  F64 f = SUB(at.m, C64(1.0));
  return tn_log_ends_f64(cx, x, tn_log_sum_f64(cx, at.k, f, tn_log_parts_f64(cx, f)));
}

/* (first + second) + (log(1 + f)) (c_h + c_l), c_h of 32 bits: f - half is cut to 21 bits, so that
 * its product with c_h is exact. |first| >= 0.3 or 0. */
static inline F64 tn_log_scaled_f64(CX, F64 first, F64 second, F64 f, double c_h, double c_l) {
  tn_log_parts64 p = tn_log_parts_f64(cx, f);
  F64 hi = FLOAT64(IAND(BITS64(SUB(f, p.half)), CI64(0xffffffff00000000)));
  F64 lo = ADD(SUB(SUB(f, hi), p.half), p.rest);
  F64 main = MUL(hi, C64(c_h));
  F64 sum = ADD(first, main);
  F64 lost = ADD(SUB(first, sum), main);
  F64 small = MAD(ADD(lo, hi), C64(c_l), MAD(lo, C64(c_h), second));
  return ADD(sum, ADD(small, lost));
}

static inline F64 log2_f64(CX, F64 x) {
  tn_log_split64 at = tn_log_split_f64(cx, x);
  F64 f = SUB(at.m, C64(1.0));
  F64 r = tn_log_scaled_f64(cx, at.k, C64(0.0), f, LOG2E_F64_H, LOG2E_F64_L);
  return tn_log_ends_f64(cx, x, r);
}

static inline F64 log10_f64(CX, F64 x) {
  tn_log_split64 at = tn_log_split_f64(cx, x);
  F64 f = SUB(at.m, C64(1.0));
  F64 r = tn_log_scaled_f64(cx, MUL(at.k, C64(LG2_F64_H)), MUL(at.k, C64(LG2_F64_L)), f, LGE_F64_H,
                            LGE_F64_L);
  return tn_log_ends_f64(cx, x, r);
}

/// log(1 + x): that of u = 1 + x rounded, with what u lost as a correction; where 1 + x needs no
/// scaling its f is x itself.
static inline F64 log1p_f64(CX, F64 x) {
  F64 u = ADD(C64(1.0), x);
  tn_log_split64 at = tn_log_split_f64(cx, u);
  MASK is_near = EQ(at.k, C64(0.0));
  F64 lost = SELECT(LT(x, C64(1.0)), SUB(x, SUB(u, C64(1.0))), SUB(C64(1.0), SUB(u, x)));
  F64 c = SELECT(is_near, C64(0.0), DIV(lost, u));
  F64 f = SELECT(is_near, x, SUB(at.m, C64(1.0)));
  tn_log_parts64 p = tn_log_parts_f64(cx, f);
  p.rest = ADD(p.rest, c);
  F64 r = tn_log_ends_f64(cx, u, tn_log_sum_f64(cx, at.k, f, p));
  return SELECT(EQ(x, C64(0.0)), x, r); /* -0 */
}

/* ---- float32 ---- */

/// x = 2^k m, m in [sqrt(1/2), sqrt(2)). Anything for x <= 0, infinite and NaN.
typedef struct tn_log_split32 {
  F32 k;
  F32 m;
} tn_log_split32;

static inline tn_log_split32 tn_log_split_f32(CX, F32 x) {
  MASK is_denormal = LT(x, C32(0x1p-126f));
  I32 bits = BITS32(SELECT(is_denormal, MUL(x, C32(0x1p24f)), x));
  I32 up = IADD(bits, CI32(ONE_OVER_F32));
  I32 m = IADD(IAND(up, CI32(0x007fffff)), CI32(SQRT_HALF_F32));
  I32 bias = SELECT(is_denormal, CI32(127 + 24), CI32(127));
  return (tn_log_split32){F32_OF_I32(ISUB(ISHR(up, 23), bias)), FLOAT32(m)};
}

/// log(1 + f) = f - half + rest
typedef struct tn_log_parts32 {
  F32 half;
  F32 rest;
} tn_log_parts32;

static inline tn_log_parts32 tn_log_parts_f32(CX, F32 f) {
  F32 s = DIV(f, ADD(C32(2.0f), f));
  F32 z = MUL(s, s);
  F32 half = MUL(C32(0.5f), MUL(f, f));
  return (tn_log_parts32){half, MUL(s, MAD(z, POLY32(z, log_f32_p), half))};
}

/// k ln 2 + log(1 + f), with p of f. k times the first part of ln 2 is exact.
static inline F32 tn_log_sum_f32(CX, F32 k, F32 f, tn_log_parts32 p) {
  F32 small = MAD(k, C32(LN2_F32_L), p.rest);
  return MAD(k, C32(LN2_F32_H), SUB(f, SUB(p.half, small)));
}

/// r where x > 0; what a logarithm is of 0, less and no number.
static inline F32 tn_log_ends_f32(CX, F32 x, F32 r) {
  r = SELECT(LT(x, C32(INFINITY)), r, x);
  r = SELECT(EQ(x, C32(0.0f)), C32(-INFINITY), r);
  return SELECT(LT(x, C32(0.0f)), C32(NAN), r);
}

static inline F32 log_f32(CX, F32 x) {
  tn_log_split32 at = tn_log_split_f32(cx, x);
  F32 f = SUB(at.m, C32(1.0f));
  return tn_log_ends_f32(cx, x, tn_log_sum_f32(cx, at.k, f, tn_log_parts_f32(cx, f)));
}

static inline F32 log2_f32(CX, F32 x) {
  tn_log_split32 at = tn_log_split_f32(cx, x);
  F32 f = SUB(at.m, C32(1.0f));
  tn_log_parts32 p = tn_log_parts_f32(cx, f);
  F32 r = MAD(SUB(f, SUB(p.half, p.rest)), C32(LOG2E_F32), at.k);
  return tn_log_ends_f32(cx, x, r);
}

static inline F32 log10_f32(CX, F32 x) {
  tn_log_split32 at = tn_log_split_f32(cx, x);
  F32 f = SUB(at.m, C32(1.0f));
  tn_log_parts32 p = tn_log_parts_f32(cx, f);
  F32 small = MAD(SUB(f, SUB(p.half, p.rest)), C32(LGE_F32), MUL(at.k, C32(LG2_F32_L)));
  return tn_log_ends_f32(cx, x, MAD(at.k, C32(LG2_F32_H), small));
}

/// log(1 + x): that of u = 1 + x rounded, with what u lost as a correction; where 1 + x needs no
/// scaling its f is x itself.
static inline F32 log1p_f32(CX, F32 x) {
  F32 u = ADD(C32(1.0f), x);
  tn_log_split32 at = tn_log_split_f32(cx, u);
  MASK is_near = EQ(at.k, C32(0.0f));
  F32 lost = SELECT(LT(x, C32(1.0f)), SUB(x, SUB(u, C32(1.0f))), SUB(C32(1.0f), SUB(u, x)));
  F32 c = SELECT(is_near, C32(0.0f), DIV(lost, u));
  F32 f = SELECT(is_near, x, SUB(at.m, C32(1.0f)));
  tn_log_parts32 p = tn_log_parts_f32(cx, f);
  p.rest = ADD(p.rest, c);
  F32 r = tn_log_ends_f32(cx, u, tn_log_sum_f32(cx, at.k, f, p));
  return SELECT(EQ(x, C32(0.0f)), x, r); /* -0 */
}

#endif
