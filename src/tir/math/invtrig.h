/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* asin, acos, atan, atan2. Polynomials in the square of a small argument, to which symmetries lead:
 * asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)) beyond 1/2, atan(x) = pi/4 + atan((x - 1) / (x + 1))
 * and pi/2 - atan(1 / x). What is added, pi/2 or another multiple of pi/4, is a pair of numbers,
 * and what rounding the sum loses is added to its smaller part. */
#ifndef TN_TIR_MATH_INVTRIG_H
#define TN_TIR_MATH_INVTRIG_H

#include "tir/math/vocab.h"

/* pi/4 to 51 bits (float32: 22), so that 2, 3 and 4 of it are exact; and the rest */
#define PIO4_F64_H 0x1.921fb54442d18p-1
#define PIO4_F64_L 0x1.1a62633145c07p-55
#define PIO4_F32_H 0x1.921fb8p-1f
#define PIO4_F32_L -0x1.5dde98p-24f

/* (asin(x) / x - 1) / z, z = x^2, [0.0, 0.25]: 2^-58.99 */
static const double asin_f64_p[] = {
    0x1.5555555555577p-3, 0x1.333333332e0fep-4, 0x1.6db6db72144cbp-5, 0x1.f1c71a945aac3p-6,
    0x1.6e8bdeeec268cp-6, 0x1.1c49ef7606208p-6, 0x1.ca1fa0e7586cp-7,  0x1.7584f8732fc0ap-7,
    0x1.613f79c181bb3p-7, 0x1.e5cc7f347567dp-9, 0x1.63a819df29394p-6, -0x1.580cf8ae51d32p-6,
    0x1.0b4b4ee620dbbp-5,
};

/* (asin(x) / x - 1) / z, z = x^2, [0.0, 0.25]: 2^-27.38 */
static const float asin_f32_p[] = {
    0x1.5555c8p-3f, 0x1.3301e6p-4f, 0x1.747e22p-5f, 0x1.8c29c4p-6f, 0x1.596be2p-5f,
};

/* (atan(x) / x - 1) / z, z = x^2, [0.0, 0.1716]: 2^-57.47 */
static const double atan_f64_p[] = {
    -0x1.555555555553dp-2, 0x1.99999999957bep-3, -0x1.24924922a9e88p-3, 0x1.c71c70e4e524ap-4,
    -0x1.745cf8beaeb76p-4, 0x1.3b11173dc788dp-4, -0x1.10eba4ccfe8fcp-4, 0x1.df0e44d2ef936p-5,
    -0x1.9cce6da737d2bp-5, 0x1.37cb5b83189aap-5, -0x1.255511f9df948p-6,
};

/* (atan(x) / x - 1) / z, z = x^2, [0.0, 0.1716]: 2^-28.41 */
static const float atan_f32_p[] = {
    -0x1.55554ap-2f, 0x1.999196p-3f, -0x1.23b514p-3f, 0x1.b1eb4ap-4f, -0x1.f1e8aep-5f,
};

/// q pi/4 + hi + lo, for q in 0 .. 4, |hi| < 1.6 and a small lo.
static inline F64 tn_eighths_f64(CX, F64 q, F64 hi, F64 lo) {
  F64 base = MUL(q, C64(PIO4_F64_H));
  F64 sum = ADD(base, hi);
  F64 lost = ADD(SUB(base, sum), hi);
  return ADD(sum, ADD(lost, MAD(q, C64(PIO4_F64_L), lo)));
}

static inline F32 tn_eighths_f32(CX, F32 q, F32 hi, F32 lo) {
  F32 base = MUL(q, C32(PIO4_F32_H));
  F32 sum = ADD(base, hi);
  F32 lost = ADD(SUB(base, sum), hi);
  return ADD(sum, ADD(lost, MAD(q, C32(PIO4_F32_L), lo)));
}

/* ---- asin, acos ---- */

/// asin(|x|) = q pi/4 +- (hi + lo), minus where is_far.
typedef struct tn_asin64 {
  F64 hi;
  F64 lo;
  MASK is_far;
} tn_asin64;

typedef struct tn_asin32 {
  F32 hi;
  F32 lo;
  MASK is_far;
} tn_asin32;

static inline tn_asin64 tn_asin_parts_f64(CX, F64 x) {
  F64 size = ABS(x);
  MASK is_far = GT(size, C64(0.5));
  F64 square = SELECT(is_far, MUL(SUB(C64(1.0), size), C64(0.5)), MUL(size, size));
  F64 root = SQRT(square);
  /* the root's first 26 bits, whose square is exact, and what is missing to the whole root */
  F64 first = FLOAT64(IAND(BITS64(root), CI64(0xfffffffff8000000)));
  F64 sum = ADD(ADD(root, first), C64(0x1p-1000)); /* 0 / 0 is not wanted */
  F64 rest = DIV(SUB(square, MUL(first, first)), sum);
  F64 base = SELECT(is_far, root, size);
  F64 more = MUL(base, MUL(square, POLY64(square, asin_f64_p)));
  return (tn_asin64){SELECT(is_far, MUL(C64(2.0), first), size),
                     SELECT(is_far, MUL(C64(2.0), ADD(rest, more)), more), is_far};
}

/* No first and rest here: the root is off by half an ulp. */
static inline tn_asin32 tn_asin_parts_f32(CX, F32 x) {
  F32 size = ABS(x);
  MASK is_far = GT(size, C32(0.5f));
  F32 square = SELECT(is_far, MUL(SUB(C32(1.0f), size), C32(0.5f)), MUL(size, size));
  F32 base = SELECT(is_far, SQRT(square), size);
  F32 scaled = SELECT(is_far, ADD(base, base), base);
  return (tn_asin32){scaled, MUL(scaled, MUL(square, POLY32(square, asin_f32_p))), is_far};
}

static inline F64 asin_f64(CX, F64 x) {
  tn_asin64 a = tn_asin_parts_f64(cx, x);
  F64 hi = SELECT(a.is_far, NEG(a.hi), a.hi);
  F64 lo = SELECT(a.is_far, NEG(a.lo), a.lo);
  F64 q = SELECT(a.is_far, C64(2.0), C64(0.0));
  return copysign_f64(cx, tn_eighths_f64(cx, q, hi, lo), x);
}

static inline F32 asin_f32(CX, F32 x) {
  tn_asin32 a = tn_asin_parts_f32(cx, x);
  F32 hi = SELECT(a.is_far, NEG(a.hi), a.hi);
  F32 lo = SELECT(a.is_far, NEG(a.lo), a.lo);
  F32 q = SELECT(a.is_far, C32(2.0f), C32(0.0f));
  return copysign_f32(cx, tn_eighths_f32(cx, q, hi, lo), x);
}

/* x > 1/2: hi + lo; x < -1/2: pi - (hi + lo); between: pi/2 -+ (hi + lo) */
static inline F64 acos_f64(CX, F64 x) {
  tn_asin64 a = tn_asin_parts_f64(cx, x);
  MASK is_negative = LT(x, C64(0.0));
  F64 q = SELECT(a.is_far, SELECT(is_negative, C64(4.0), C64(0.0)), C64(2.0));
  I64 sign = IXOR(IAND(BITS64(x), CI64(INT64_MIN)), SELECT(a.is_far, CI64(0), CI64(INT64_MIN)));
  return tn_eighths_f64(cx, q, FLOAT64(IXOR(BITS64(a.hi), sign)),
                        FLOAT64(IXOR(BITS64(a.lo), sign)));
}

static inline F32 acos_f32(CX, F32 x) {
  tn_asin32 a = tn_asin_parts_f32(cx, x);
  MASK is_negative = LT(x, C32(0.0f));
  F32 q = SELECT(a.is_far, SELECT(is_negative, C32(4.0f), C32(0.0f)), C32(2.0f));
  I32 sign = IXOR(IAND(BITS32(x), CI32(INT32_MIN)), SELECT(a.is_far, CI32(0), CI32(INT32_MIN)));
  return tn_eighths_f32(cx, q, FLOAT32(IXOR(BITS32(a.hi), sign)),
                        FLOAT32(IXOR(BITS32(a.lo), sign)));
}

/* ---- atan, atan2 ---- */

/// q pi/4 +- atan(num / den), minus for sign -1, for |num / den| <= tan(pi/8).
static inline F64 tn_atan_rest_f64(CX, F64 q, F64 sign, F64 num, F64 den) {
  F64 ratio = MUL(DIV(num, den), sign);
  F64 square = MUL(ratio, ratio);
  return tn_eighths_f64(cx, q, ratio, MUL(ratio, MUL(square, POLY64(square, atan_f64_p))));
}

static inline F32 tn_atan_rest_f32(CX, F32 q, F32 sign, F32 num, F32 den) {
  F32 ratio = MUL(DIV(num, den), sign);
  F32 square = MUL(ratio, ratio);
  return tn_eighths_f32(cx, q, ratio, MUL(ratio, MUL(square, POLY32(square, atan_f32_p))));
}

#define TAN_PIO8 0x1.a82798p-2
#define COT_PIO8 0x1.3504f4p+1

static inline F64 atan_f64(CX, F64 x) {
  F64 size = ABS(x);
  MASK is_mid = GT(size, C64(TAN_PIO8));
  MASK is_far = GT(size, C64(COT_PIO8));
  F64 q = SELECT(is_far, C64(2.0), SELECT(is_mid, C64(1.0), C64(0.0)));
  F64 num = SELECT(is_far, C64(-1.0), SELECT(is_mid, SUB(size, C64(1.0)), size));
  F64 den = SELECT(is_far, size, SELECT(is_mid, ADD(size, C64(1.0)), C64(1.0)));
  return copysign_f64(cx, tn_atan_rest_f64(cx, q, C64(1.0), num, den), x);
}

static inline F32 atan_f32(CX, F32 x) {
  F32 size = ABS(x);
  MASK is_mid = GT(size, C32((float)TAN_PIO8));
  MASK is_far = GT(size, C32((float)COT_PIO8));
  F32 q = SELECT(is_far, C32(2.0f), SELECT(is_mid, C32(1.0f), C32(0.0f)));
  F32 num = SELECT(is_far, C32(-1.0f), SELECT(is_mid, SUB(size, C32(1.0f)), size));
  F32 den = SELECT(is_far, size, SELECT(is_mid, ADD(size, C32(1.0f)), C32(1.0f)));
  return copysign_f32(cx, tn_atan_rest_f32(cx, q, C32(1.0f), num, den), x);
}

/* The angle of the smaller to the larger of |x| and |y|, in [0, pi/4], is that of the point after
 * it is mirrored at the diagonal (|y| > |x|) and at the y axis (x < 0): each turns the sign of the
 * angle. */
static inline F64 atan2_f64(CX, F64 y, F64 x) {
  F64 ax = ABS(x);
  F64 ay = ABS(y);
  MASK is_steep = GT(ay, ax);
  MASK is_left = ILT(BITS64(x), CI64(0));
  F64 num = SELECT(is_steep, ax, ay);
  F64 den = SELECT(is_steep, ay, ax);
  F64 scale =
      SELECT(GT(den, C64(0x1p1000)), C64(0x1p-60), C64(1.0)); /* num + den must not overflow */
  num = MUL(num, scale);
  den = MUL(den, scale);
  MASK is_inf = EQ(num, C64((double)INFINITY)); /* both are */
  num = SELECT(is_inf, C64(1.0), num);
  den = SELECT(OR(is_inf, EQ(den, C64(0.0))), C64(1.0), den);
  MASK is_mid = GT(num, MUL(den, C64(TAN_PIO8)));
  F64 q = SELECT(is_mid, C64(1.0), C64(0.0));
  q = SELECT(is_steep, SUB(C64(2.0), q), q);
  q = SELECT(is_left, SUB(C64(4.0), q), q);
  F64 sign = FLOAT64(
      IXOR(BITS64(SELECT(is_steep, C64(-1.0), C64(1.0))), IAND(BITS64(x), CI64(INT64_MIN))));
  F64 angle = tn_atan_rest_f64(cx, q, sign, SELECT(is_mid, SUB(num, den), num),
                               SELECT(is_mid, ADD(num, den), den));
  angle = SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), angle);
  return copysign_f64(cx, angle, y);
}

static inline F32 atan2_f32(CX, F32 y, F32 x) {
  F32 ax = ABS(x);
  F32 ay = ABS(y);
  MASK is_steep = GT(ay, ax);
  MASK is_left = ILT(BITS32(x), CI32(0));
  F32 num = SELECT(is_steep, ax, ay);
  F32 den = SELECT(is_steep, ay, ax);
  F32 scale = SELECT(GT(den, C32(0x1p120f)), C32(0x1p-20f), C32(1.0f));
  num = MUL(num, scale);
  den = MUL(den, scale);
  MASK is_inf = EQ(num, C32(INFINITY));
  num = SELECT(is_inf, C32(1.0f), num);
  den = SELECT(OR(is_inf, EQ(den, C32(0.0f))), C32(1.0f), den);
  MASK is_mid = GT(num, MUL(den, C32((float)TAN_PIO8)));
  F32 q = SELECT(is_mid, C32(1.0f), C32(0.0f));
  q = SELECT(is_steep, SUB(C32(2.0f), q), q);
  q = SELECT(is_left, SUB(C32(4.0f), q), q);
  F32 sign = FLOAT32(
      IXOR(BITS32(SELECT(is_steep, C32(-1.0f), C32(1.0f))), IAND(BITS32(x), CI32(INT32_MIN))));
  F32 angle = tn_atan_rest_f32(cx, q, sign, SELECT(is_mid, SUB(num, den), num),
                               SELECT(is_mid, ADD(num, den), den));
  angle = SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), angle);
  return copysign_f32(cx, angle, y);
}

#endif
