/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* sin, cos, tan. An angle is a whole number of quarter turns and a rest within an eighth of a turn;
 * sine and cosine of the rest are polynomials, and the quarter turns say which of them, with which
 * sign. The rest is what has to be right, however many turns are taken away:
 *
 *   - Cody and Waite's way for angles up to 2^20 (float32: 5000): pi/2 in pieces so short that a
 *     whole number times a piece is exact;
 *   - Payne and Hanek's for larger ones: of the product with 2/pi only the bits that matter, in
 *     integers of 30 bits. Few programs come here, so it stands behind RARE. */
#ifndef TN_TIR_MATH_TRIG_H
#define TN_TIR_MATH_TRIG_H

#include "tir/math/dd.h"

/// An angle: `quarters` (its two low bits count) quarter turns, and hi + lo in [-pi/4, pi/4].
typedef struct tn_angle64 {
  F64 hi;
  F64 lo;
  I64 quarters;
} tn_angle64;

typedef struct tn_angle32 {
  F32 hi;
  F32 lo;
  I32 quarters;
} tn_angle32;

/* ---- the rest of small angles ---- */

/* pi/2 in pieces, of which the first three have 33 bits (float32: 12) */
#define PIO2_F64_1 0x1.921fb544p+0
#define PIO2_F64_2 0x1.0b4611a6p-34
#define PIO2_F64_3 0x1.3198a2ep-69
#define PIO2_F64_4 0x1.b839a252049c1p-104
#define PIO2_F32_1 0x1.922p+0f
#define PIO2_F32_2 (-0x1.2aep-18f)
#define PIO2_F32_3 (-0x1.deap-31f)
#define PIO2_F32_4 0x1.184698p-44f
#define TWO_OVER_PI_F64 0x1.45f306dc9c883p-1
#define TWO_OVER_PI_F32 0x1.45f306p-1f

#define TN_TRIG_SMALL 0x1p20
#define TN_TRIG_SMALL_F32 5000.0f

/// |x| <= TN_TRIG_SMALL: up to 2^20 quarter turns, and pieces of 33 bits.
static inline tn_angle64 tn_angle_small_f64(CX, F64 x) {
  F64 n = ADD(MUL(x, C64(TWO_OVER_PI_F64)), C64(RINT_F64));
  I64 quarters = BITS64(n);
  n = SUB(n, C64(RINT_F64));
  F64 first = SUB(x, MUL(n, C64(PIO2_F64_1)));
  tn_dd second = tn_dd_sum(cx, first, MUL(n, C64(-PIO2_F64_2)));
  tn_dd third = tn_dd_sum(cx, second.hi, MUL(n, C64(-PIO2_F64_3)));
  F64 lo = ADD(second.lo, ADD(third.lo, MUL(n, C64(-PIO2_F64_4))));
  tn_dd rest = tn_dd_sum_ordered(cx, third.hi, lo);
  return (tn_angle64){rest.hi, rest.lo, quarters};
}

/// |x| <= TN_TRIG_SMALL_F32: up to 2^12 quarter turns, and pieces of 12 bits.
static inline tn_angle32 tn_angle_small_f32(CX, F32 x) {
  F32 n = ADD(MUL(x, C32(TWO_OVER_PI_F32)), C32(RINT_F32));
  I32 quarters = BITS32(n);
  n = SUB(n, C32(RINT_F32));
  F32 second = MAD(n, C32(-PIO2_F32_2), MAD(n, C32(-PIO2_F32_1), x));
  F32 third = MAD(n, C32(-PIO2_F32_3), second);
  F32 lost = MAD(n, C32(-PIO2_F32_3), SUB(second, third));
  return (tn_angle32){third, MAD(n, C32(-PIO2_F32_4), lost), quarters};
}

/* ---- the rest of large angles ---- */

/* Entry i: bits 32 i - 64 to 32 i - 1 of 2/pi behind the point (before it: zeros). */
static const uint64_t tn_two_over_pi[40] = {
    0x0000000000000000, 0x00000000a2f9836e, 0xa2f9836e4e441529, 0x4e441529fc2757d1,
    0xfc2757d1f534ddc0, 0xf534ddc0db629599, 0xdb6295993c439041, 0x3c439041fe5163ab,
    0xfe5163abdebbc561, 0xdebbc561b7246e3a, 0xb7246e3a424dd2e0, 0x424dd2e006492eea,
    0x06492eea09d1921c, 0x09d1921cfe1deb1c, 0xfe1deb1cb129a73e, 0xb129a73ee88235f5,
    0xe88235f52ebb4484, 0x2ebb4484e99c7026, 0xe99c7026b45f7e41, 0xb45f7e413991d639,
    0x3991d639835339f4, 0x835339f49c845f8b, 0x9c845f8bbdf9283b, 0xbdf9283b1ff897ff,
    0x1ff897ffde05980f, 0xde05980fef2f118b, 0xef2f118b5a0a6d1f, 0x5a0a6d1f6d367ecf,
    0x6d367ecf27cb09b7, 0x27cb09b74f463f66, 0x4f463f669e5fea2d, 0x9e5fea2d7527bac7,
    0x7527bac7ebe5f17b, 0xebe5f17b3d0739f7, 0x3d0739f78a5292ea, 0x8a5292ea6bfb5fb1,
    0x6bfb5fb11f8d5d08, 0x1f8d5d0856033046, 0x56033046fc7b6bab, 0xfc7b6babf0cfbc20,
};

/// Bits first to first + 29 of tn_two_over_pi.
static inline I64 tn_two_over_pi_digit(CX, I64 first) {
  I64 word = TABLE64(tn_two_over_pi, ISHR(first, 5));
  return ISHR(ISHL(word, IAND(first, CI64(31))), 34);
}

/// The float of an integer in [0, 2^52).
static inline F64 tn_f64_of_bits(CX, I64 n) {
  return SUB(FLOAT64(IOR(n, CI64(0x4330000000000000))), C64(0x1p52));
}

/// The six digits of 30 bits, most significant first, of x * 2/pi modulo 4 quarter turns, for a
/// positive x = m * 2^e with a whole m: digits of 2/pi whose product with m is a multiple of 4 are
/// left out, and those beyond the sixth do not matter, since no float64 is nearer than 2^-62 to a
/// multiple of pi/2.
static inline void tn_turn_digits(CX, F64 x, I64 digit[6]) {
  I64 bits = BITS64(x);
  I64 m = IOR(IAND(bits, CI64(0xfffffffffffff)), CI64(0x10000000000000));
  I64 m_lo = IAND(m, CI64(0x3fffffff));
  I64 m_hi = ISHR(m, 30);
  /* e = exponent - 1075; the first bit has the weight 2^(1-e), and entry 0 begins 64 before */
  I64 first = ISUB(IAND(ISHR(bits, 52), CI64(2047)), CI64(1075 + 2 - 64));
  I64 two_over_pi[6];
  for (int i = 0; i < 6; ++i) {
    two_over_pi[i] = tn_two_over_pi_digit(cx, IADD(first, CI64(30 * i)));
  }
  I64 carry = CI64(0);
  for (int i = 5; i >= 0; --i) {
    I64 sum = IADD(carry, IMUL(m_lo, two_over_pi[i]));
    sum = i < 5 ? IADD(sum, IMUL(m_hi, two_over_pi[i + 1])) : sum;
    digit[i] = IAND(sum, CI64(0x3fffffff));
    carry = ISHR(sum, 30);
  }
}

/// |x| >= 1, finite; others, which stand in lanes beside such, give anything.
static inline tn_angle64 tn_angle_large_f64(CX, F64 x) {
  I64 digit[6];
  tn_turn_digits(cx, MAX(ABS(x), C64(1.0)), digit);
  /* 2 bits of quarters and 28 behind the point; half a quarter rounds up */
  I64 quarters = ISHR(IADD(digit[0], CI64(1 << 27)), 28);
  F64 rest = SUB(tn_f64_of_bits(cx, digit[0]), tn_f64_of_bits(cx, ISHL(quarters, 28)));
  tn_dd sum = tn_dd_sum_ordered(cx, MUL(rest, C64(0x1p-28)),
                                MUL(tn_f64_of_bits(cx, digit[1]), C64(0x1p-58)));
  tn_dd more = tn_dd_sum_ordered(cx, sum.hi, MUL(tn_f64_of_bits(cx, digit[2]), C64(0x1p-88)));
  F64 last = MAD(tn_f64_of_bits(cx, digit[4]), C64(0x1p-148),
                 MUL(tn_f64_of_bits(cx, digit[3]), C64(0x1p-118)));
  sum = tn_dd_sum_ordered(cx, more.hi, ADD(sum.lo, ADD(more.lo, last)));
  /* quarter turns to radians */
  more = tn_dd_product(cx, sum.hi, C64(0x1.921fb54442d18p+0));
  F64 lo = ADD(more.lo, ADD(MUL(sum.hi, C64(0x1.1a62633145c07p-54)),
                            MUL(sum.lo, C64(0x1.921fb54442d18p+0))));
  sum = tn_dd_sum_ordered(cx, more.hi, lo);
  MASK is_negative = LT(x, C64(0.0));
  return (tn_angle64){SELECT(is_negative, NEG(sum.hi), sum.hi),
                      SELECT(is_negative, NEG(sum.lo), sum.lo),
                      SELECT(is_negative, ISUB(CI64(0), quarters), quarters)};
}

/* ---- sine and cosine of the rest ---- */

/* (sin(x) / x - 1) / z, z = x^2, [0.0, 0.6175]: 2^-56.53 */
static const double sin_f64_p[] = {
    -0x1.5555555555548p-3, 0x1.111111110f7bp-7,    -0x1.a01a019bf9ba2p-13,
    0x1.71de35640aec9p-19, -0x1.ae5e57824f735p-26, 0x1.5d8ee7d371876p-33,
};

/* (cos(x) - 1 + z / 2) / z^2, z = x^2, [0.0, 0.6175]: 2^-59.76 */
static const double cos_f64_p[] = {
    0x1.555555555554cp-5,   -0x1.6c16c16c15163p-10, 0x1.a01a019caefcp-16,
    -0x1.27e4f807db4ffp-22, 0x1.1ee9ea6fb5be7p-29,  -0x1.8fadd1ba16ec2p-37,
};

/* (sin(x) / x - 1) / z, z = x^2, [0.0, 0.6175]: 2^-26.83 */
static const float sin_f32_p[] = {
    -0x1.555546p-3f,
    0x1.110736p-7f,
    -0x1.994224p-13f,
};

/* (cos(x) - 1 + z / 2) / z^2, z = x^2, [0.0, 0.6175]: 2^-30.95 */
static const float cos_f32_p[] = {
    0x1.55554ap-5f,
    -0x1.6c0c86p-10f,
    0x1.9a00c8p-16f,
};

/// The sine of an angle in [-pi/4, pi/4], as a sum.
static inline tn_dd tn_sin_rest_f64(CX, tn_angle64 angle) {
  F64 square = MUL(angle.hi, angle.hi);
  F64 cube = MUL(angle.hi, square);
  F64 lo = SUB(angle.lo, MUL(angle.lo, MUL(C64(0.5), square)));
  return (tn_dd){angle.hi, MAD(cube, POLY64(square, sin_f64_p), lo)};
}

/// Its cosine: 1 - square / 2 rounded, and the rest with what that lost.
static inline tn_dd tn_cos_rest_f64(CX, tn_angle64 angle) {
  F64 square = MUL(angle.hi, angle.hi);
  F64 half = MUL(C64(0.5), square);
  F64 most = SUB(C64(1.0), half);
  F64 lost = SUB(SUB(C64(1.0), most), half);
  F64 less = MAD(MUL(square, square), POLY64(square, cos_f64_p), NEG(MUL(angle.hi, angle.lo)));
  return (tn_dd){most, ADD(lost, less)};
}

static inline F32 tn_sin_rest_f32(CX, tn_angle32 angle) {
  F32 square = MUL(angle.hi, angle.hi);
  F32 cube = MUL(angle.hi, square);
  return ADD(angle.hi, MAD(cube, POLY32(square, sin_f32_p), angle.lo));
}

static inline F32 tn_cos_rest_f32(CX, tn_angle32 angle) {
  F32 square = MUL(angle.hi, angle.hi);
  F32 half = MUL(C32(0.5f), square);
  F32 most = SUB(C32(1.0f), half);
  F32 lost = SUB(SUB(C32(1.0f), most), half);
  F32 less = MAD(NEG(angle.hi), angle.lo, lost);
  return ADD(most, MAD(MUL(square, square), POLY32(square, cos_f32_p), less));
}

/* ---- the functions ---- */

static inline F64 tn_sin_of_f64(CX, tn_angle64 angle, I64 quarters) {
  tn_dd s = tn_sin_rest_f64(cx, angle);
  tn_dd c = tn_cos_rest_f64(cx, angle);
  MASK is_odd = IEQ(IAND(quarters, CI64(1)), CI64(1));
  F64 size = ADD(SELECT(is_odd, c.hi, s.hi), SELECT(is_odd, c.lo, s.lo));
  return FLOAT64(IXOR(BITS64(size), ISHL(IAND(quarters, CI64(2)), 62)));
}

/* Sine and cosine are pairs again; what rounding takes from them is divided too. */
static inline F64 tn_tan_of_f64(CX, tn_angle64 angle) {
  tn_dd s = tn_sin_rest_f64(cx, angle);
  tn_dd c = tn_cos_rest_f64(cx, angle);
  s = tn_dd_sum_ordered(cx, s.hi, s.lo);
  c = tn_dd_sum_ordered(cx, c.hi, c.lo);
  MASK is_odd = IEQ(IAND(angle.quarters, CI64(1)), CI64(1));
  tn_dd num = {SELECT(is_odd, NEG(c.hi), s.hi), SELECT(is_odd, NEG(c.lo), s.lo)};
  tn_dd den = {SELECT(is_odd, s.hi, c.hi), SELECT(is_odd, s.lo, c.lo)};
  F64 ratio = DIV(num.hi, den.hi);
  return ADD(ratio, DIV(SUB(num.lo, MUL(ratio, den.lo)), den.hi));
}

/// Infinity has no angle.
static inline F64 tn_finite_or_nan_f64(CX, F64 x, F64 value) {
  return SELECT(LT(ABS(x), C64((double)INFINITY)), value, SUB(x, x));
}

static inline F64 tn_sin_large_f64(CX, F64 x) {
  tn_angle64 angle = tn_angle_large_f64(cx, x);
  return tn_finite_or_nan_f64(cx, x, tn_sin_of_f64(cx, angle, angle.quarters));
}

static inline F64 tn_cos_large_f64(CX, F64 x) {
  tn_angle64 angle = tn_angle_large_f64(cx, x);
  return tn_finite_or_nan_f64(cx, x, tn_sin_of_f64(cx, angle, IADD(angle.quarters, CI64(1))));
}

static inline F64 tn_tan_large_f64(CX, F64 x) {
  return tn_finite_or_nan_f64(cx, x, tn_tan_of_f64(cx, tn_angle_large_f64(cx, x)));
}

static inline F64 sin_f64(CX, F64 x) {
  tn_angle64 angle = tn_angle_small_f64(cx, x);
  F64 small = tn_sin_of_f64(cx, angle, angle.quarters);
  small = SELECT(EQ(x, C64(0.0)), x, small);
  return RARE(NOT(LE(ABS(x), C64(TN_TRIG_SMALL))), tn_sin_large_f64, x, small);
}

static inline F64 cos_f64(CX, F64 x) {
  tn_angle64 angle = tn_angle_small_f64(cx, x);
  F64 small = tn_sin_of_f64(cx, angle, IADD(angle.quarters, CI64(1)));
  return RARE(NOT(LE(ABS(x), C64(TN_TRIG_SMALL))), tn_cos_large_f64, x, small);
}

static inline F64 tan_f64(CX, F64 x) {
  F64 small = tn_tan_of_f64(cx, tn_angle_small_f64(cx, x));
  small = SELECT(EQ(x, C64(0.0)), x, small);
  return RARE(NOT(LE(ABS(x), C64(TN_TRIG_SMALL))), tn_tan_large_f64, x, small);
}

static inline F32 tn_sin_of_f32(CX, tn_angle32 angle, I32 quarters) {
  MASK is_odd = IEQ(IAND(quarters, CI32(1)), CI32(1));
  F32 size = SELECT(is_odd, tn_cos_rest_f32(cx, angle), tn_sin_rest_f32(cx, angle));
  return FLOAT32(IXOR(BITS32(size), ISHL(IAND(quarters, CI32(2)), 30)));
}

static inline F32 tn_sin_large_f32(CX, F32 x) { return F32_OF_F64(sin_f64(cx, F64_OF_F32(x))); }
static inline F32 tn_cos_large_f32(CX, F32 x) { return F32_OF_F64(cos_f64(cx, F64_OF_F32(x))); }
static inline F32 tn_tan_large_f32(CX, F32 x) { return F32_OF_F64(tan_f64(cx, F64_OF_F32(x))); }

static inline F32 sin_f32(CX, F32 x) {
  tn_angle32 angle = tn_angle_small_f32(cx, x);
  F32 small = tn_sin_of_f32(cx, angle, angle.quarters);
  small = SELECT(EQ(x, C32(0.0f)), x, small);
  return RARE(NOT(LE(ABS(x), C32(TN_TRIG_SMALL_F32))), tn_sin_large_f32, x, small);
}

static inline F32 cos_f32(CX, F32 x) {
  tn_angle32 angle = tn_angle_small_f32(cx, x);
  F32 small = tn_sin_of_f32(cx, angle, IADD(angle.quarters, CI32(1)));
  return RARE(NOT(LE(ABS(x), C32(TN_TRIG_SMALL_F32))), tn_cos_large_f32, x, small);
}

static inline F32 tan_f32(CX, F32 x) {
  tn_angle32 angle = tn_angle_small_f32(cx, x);
  MASK is_odd = IEQ(IAND(angle.quarters, CI32(1)), CI32(1));
  F32 s = tn_sin_rest_f32(cx, angle);
  F32 c = tn_cos_rest_f32(cx, angle);
  F32 small = DIV(SELECT(is_odd, NEG(c), s), SELECT(is_odd, s, c));
  small = SELECT(EQ(x, C32(0.0f)), x, small);
  return RARE(NOT(LE(ABS(x), C32(TN_TRIG_SMALL_F32))), tn_tan_large_f32, x, small);
}

#endif
