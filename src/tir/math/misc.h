/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions about the form of numbers: fmod (exact: long division of the significands, a few bits a
 * step), hypot, nextafter, ldexp. */
#ifndef TN_TIR_MATH_MISC_H
#define TN_TIR_MATH_MISC_H

#include "tir/math/vocab.h"

/// A positive number as m * 2^(exponent - 1075), 2^52 <= m < 2^53.
typedef struct tn_binary64 {
  I64 m;
  I64 exponent;
} tn_binary64;

/// x > 0, finite; anything for others. Denormals are brought up first.
static inline tn_binary64 tn_binary_of_f64(CX, F64 x) {
  MASK is_small = LT(x, C64(0x1p-1022));
  I64 bits = BITS64(SELECT(is_small, MUL(x, C64(0x1p54)), x));
  I64 exponent = ISHR(bits, 52);
  return (tn_binary64){IOR(IAND(bits, CI64(0xfffffffffffff)), CI64(0x10000000000000)),
                       SELECT(is_small, ISUB(exponent, CI64(54)), exponent)};
}

/// 2^n, -1022 <= n <= 1023.
static inline F64 tn_pow2_of_i64(CX, I64 n) { return FLOAT64(ISHL(IADD(n, CI64(1023)), 52)); }

/// x 2^n rounded once, if x is a normal number or the result is exact: |n| < 2040.
static inline F64 tn_times_pow2_f64(CX, F64 x, I64 n) {
  I64 half = ISAR(n, 1);
  return MUL(MUL(x, tn_pow2_of_i64(cx, half)), tn_pow2_of_i64(cx, ISUB(n, half)));
}

/// The float64 of an integer in [0, 2^53).
static inline F64 tn_f64_of_significand(CX, I64 n) {
  F64 high = FLOAT64(IOR(ISHR(n, 1), CI64(0x4330000000000000)));
  F64 low = FLOAT64(IOR(IAND(n, CI64(1)), CI64(0x4330000000000000)));
  return ADD(MUL(SUB(high, C64(0x1p52)), C64(2.0)), SUB(low, C64(0x1p52)));
}

static inline I64 tn_clamp_i64(CX, I64 n, int64_t lo, int64_t hi) {
  n = SELECT(ILT(n, CI64(lo)), CI64(lo), n);
  return SELECT(ILT(CI64(hi), n), CI64(hi), n);
}

/* ---- fmod ---- */

/// One step of the division: 8 bits, since a remainder has 53.
static inline I64 tn_fmod_step_f64(CX, I64 rest, I64 m) { return IREM(ISHL(rest, 8), m); }
/// 32 bits, since a remainder has 24.
static inline I64 tn_fmod_step_f32(CX, I64 rest, I64 m) { return IREM(ISHL(rest, 32), m); }

static inline F64 tn_fmod_whole_f64(CX, F64 x, F64 y) {
  F64 ax = ABS(x);
  F64 ay = ABS(y);
  tn_binary64 bx = tn_binary_of_f64(cx, ax);
  tn_binary64 by = tn_binary_of_f64(cx, ay);
  I64 n_bits = ISUB(bx.exponent, by.exponent);
  n_bits = SELECT(ILT(n_bits, CI64(0)), CI64(0), n_bits);
  I64 rest = IREM(ISHL(bx.m, IAND(n_bits, CI64(7))), by.m);
  rest = REPEAT(ISHR(n_bits, 3), tn_fmod_step_f64, rest, by.m);
  F64 size = tn_times_pow2_f64(cx, tn_f64_of_significand(cx, rest), ISUB(by.exponent, CI64(1075)));
  F64 value = SELECT(LT(ax, ay), x, copysign_f64(cx, size, x));
  MASK is_number = AND(LT(ax, C64((double)INFINITY)), GT(ay, C64(0.0)));
  return SELECT(is_number, value, C64((double)NAN));
}

static inline F64 fmod_f64(CX, F64 x, F64 y) { return EACH(tn_fmod_whole_f64, x, y); }

/* In float64, where float32's denormals are normal; significands of 24 bits. */
static inline F32 tn_fmod_whole_f32(CX, F32 x, F32 y) {
  F32 ax = ABS(x);
  F32 ay = ABS(y);
  tn_binary64 bx = tn_binary_of_f64(cx, F64_OF_F32(ax));
  tn_binary64 by = tn_binary_of_f64(cx, F64_OF_F32(ay));
  I64 m = ISHR(by.m, 29);
  I64 n_bits = ISUB(bx.exponent, by.exponent);
  n_bits = SELECT(ILT(n_bits, CI64(0)), CI64(0), n_bits);
  I64 rest = IREM(ISHL(ISHR(bx.m, 29), IAND(n_bits, CI64(31))), m);
  rest = REPEAT(ISHR(n_bits, 5), tn_fmod_step_f32, rest, m);
  F64 unit = tn_pow2_of_i64(cx, ISUB(by.exponent, CI64(1023 + 23)));
  F32 size = F32_OF_F64(MUL(tn_f64_of_significand(cx, rest), unit));
  F32 value = SELECT(LT(ax, ay), x, copysign_f32(cx, size, x));
  MASK is_number = AND(LT(ax, C32(INFINITY)), GT(ay, C32(0.0f)));
  return SELECT(is_number, value, C32(NAN));
}

static inline F32 fmod_f32(CX, F32 x, F32 y) { return EACH(tn_fmod_whole_f32, x, y); }

/* ---- hypot: squares neither overflow nor vanish, since both numbers are scaled first ---- */

static inline F64 hypot_f64(CX, F64 x, F64 y) {
  F64 ax = ABS(x);
  F64 ay = ABS(y);
  MASK is_big = OR(GT(ax, C64(0x1p500)), GT(ay, C64(0x1p500)));
  MASK is_small = AND(LT(ax, C64(0x1p-400)), LT(ay, C64(0x1p-400)));
  F64 scale = SELECT(is_big, C64(0x1p-600), SELECT(is_small, C64(0x1p600), C64(1.0)));
  F64 back = SELECT(is_big, C64(0x1p600), SELECT(is_small, C64(0x1p-600), C64(1.0)));
  F64 sx = MUL(ax, scale);
  F64 sy = MUL(ay, scale);
  F64 size = MUL(SQRT(MAD(sx, sx, MUL(sy, sy))), back);
  F64 inf = C64((double)INFINITY);
  return SELECT(OR(EQ(ax, inf), EQ(ay, inf)), inf, size);
}

static inline F32 hypot_f32(CX, F32 x, F32 y) {
  F32 ax = ABS(x);
  F32 ay = ABS(y);
  MASK is_big = OR(GT(ax, C32(0x1p60f)), GT(ay, C32(0x1p60f)));
  MASK is_small = AND(LT(ax, C32(0x1p-40f)), LT(ay, C32(0x1p-40f)));
  F32 scale = SELECT(is_big, C32(0x1p-80f), SELECT(is_small, C32(0x1p80f), C32(1.0f)));
  F32 back = SELECT(is_big, C32(0x1p80f), SELECT(is_small, C32(0x1p-80f), C32(1.0f)));
  F32 sx = MUL(ax, scale);
  F32 sy = MUL(ay, scale);
  F32 size = MUL(SQRT(MAD(sx, sx, MUL(sy, sy))), back);
  F32 inf = C32(INFINITY);
  return SELECT(OR(EQ(ax, inf), EQ(ay, inf)), inf, size);
}

/* ---- nextafter: neighbours differ by 1 in their bits ---- */

static inline F64 nextafter_f64(CX, F64 x, F64 y) {
  MASK grows = OR(AND(GT(y, x), GT(x, C64(0.0))), AND(LT(y, x), LT(x, C64(0.0))));
  F64 next = FLOAT64(IADD(BITS64(x), SELECT(grows, CI64(1), CI64(-1))));
  next = SELECT(EQ(x, C64(0.0)), copysign_f64(cx, C64(0x1p-1074), y), next);
  next = SELECT(EQ(x, y), y, next);
  return SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), next);
}

static inline F32 nextafter_f32(CX, F32 x, F32 y) {
  MASK grows = OR(AND(GT(y, x), GT(x, C32(0.0f))), AND(LT(y, x), LT(x, C32(0.0f))));
  F32 next = FLOAT32(IADD(BITS32(x), SELECT(grows, CI32(1), CI32(-1))));
  next = SELECT(EQ(x, C32(0.0f)), copysign_f32(cx, C32(0x1p-149f), y), next);
  next = SELECT(EQ(x, y), y, next);
  return SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), next);
}

/* Between 16-bit floats, which float32 holds: neighbours differ by 2^13 and 2^16 in float32's bits,
 * but float16's denormals, which are normal there, by 2^-24. */

static inline F32 tn_next_of(CX, F32 x, F32 y, F32 next) {
  next = SELECT(EQ(x, y), y, next);
  return SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), next);
}

static inline F32 tn_nextafter_f16(CX, F32 x, F32 y) {
  MASK rises = GT(y, x);
  MASK grows = OR(AND(rises, GT(x, C32(0.0f))), AND(LT(y, x), LT(x, C32(0.0f))));
  F32 finite = copysign_f32(cx, MIN(C32(0x1p16f), ABS(x)), x); /* where infinity is in float16 */
  F32 next = FLOAT32(IADD(BITS32(finite), SELECT(grows, CI32(0x2000), CI32(-0x2000))));
  F32 unit = SELECT(rises, C32(0x1p-24f), C32(-0x1p-24f));
  F32 small = SELECT(EQ(x, C32(0.0f)), unit, copysign_f32(cx, ADD(x, unit), x));
  MASK is_normal = OR(GT(ABS(x), C32(0x1p-14f)), AND(grows, EQ(ABS(x), C32(0x1p-14f))));
  return tn_next_of(cx, x, y, SELECT(is_normal, next, small));
}

static inline F32 tn_nextafter_bf16(CX, F32 x, F32 y) {
  MASK grows = OR(AND(GT(y, x), GT(x, C32(0.0f))), AND(LT(y, x), LT(x, C32(0.0f))));
  F32 next = FLOAT32(IADD(BITS32(x), SELECT(grows, CI32(0x10000), CI32(-0x10000))));
  next = SELECT(EQ(x, C32(0.0f)), copysign_f32(cx, C32(0x1p-133f), y), next);
  return tn_next_of(cx, x, y, next);
}

/* ---- ldexp: x 2^n, rounded once ---- */

static inline F64 ldexp_f64(CX, F64 x, I32 n) {
  F64 ax = ABS(x);
  tn_binary64 b = tn_binary_of_f64(cx, ax);
  F64 one_to_two = FLOAT64(IOR(IAND(b.m, CI64(0xfffffffffffff)), CI64(0x3ff0000000000000)));
  I64 exponent = IADD(ISUB(b.exponent, CI64(1023)), tn_clamp_i64(cx, I64_OF_I32(n), -4000, 4000));
  F64 size = tn_times_pow2_f64(cx, one_to_two, tn_clamp_i64(cx, exponent, -1200, 1200));
  MASK is_kept = OR(EQ(x, C64(0.0)), NOT(LT(ax, C64((double)INFINITY))));
  return SELECT(is_kept, x, copysign_f64(cx, size, x));
}

static inline F32 ldexp_f32(CX, F32 x, I32 n) {
  F64 power = tn_pow2_of_i64(cx, tn_clamp_i64(cx, I64_OF_I32(n), -400, 400));
  return F32_OF_F64(MUL(F64_OF_F32(x), power));
}

#endif
