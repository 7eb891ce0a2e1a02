/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* a * b + c rounded once, for machines without that instruction. The product is a pair, and adding
 * c to it leaves three numbers, of which the two small ones are added with rounding to odd: what is
 * lost then shows in the last bit, and the last sum rounds as the exact one would (Boldo and
 * Melquiond, 2008). Significands are brought to [1, 2) first, so that nothing overflows on the way;
 * a result among the denormals is rounded where their last bit lies, by adding and subtracting a
 * number that is so much larger. */
#ifndef TN_TIR_MATH_FMA_H
#define TN_TIR_MATH_FMA_H

#include "tir/math/dd.h"
#include "tir/math/misc.h"

/// a + b rounded to odd: where it is not exact, the neighbour whose last bit is 1.
static inline F64 tn_sum_to_odd(CX, F64 a, F64 b) {
  tn_dd sum = tn_dd_sum(cx, a, b);
  MASK is_exact = NOT(OR(GT(sum.lo, C64(0.0)), LT(sum.lo, C64(0.0))));
  I64 bits = BITS64(sum.hi);
  /* away from 0 if both parts have one sign */
  MASK is_outward = NOT(ILT(IXOR(bits, BITS64(sum.lo)), CI64(0)));
  I64 odd = IADD(bits, SELECT(is_outward, CI64(1), CI64(-1)));
  MASK is_kept = OR(is_exact, IEQ(IAND(bits, CI64(1)), CI64(1)));
  return SELECT(is_kept, sum.hi, FLOAT64(odd));
}

/* The product is exact in float64. */
static inline F32 fma_f32(CX, F32 a, F32 b, F32 c) {
  return F32_OF_F64(tn_sum_to_odd(cx, MUL(F64_OF_F32(a), F64_OF_F32(b)), F64_OF_F32(c)));
}

/// x = significand * 2^exponent, significand in [1, 2) with x's sign. For finite numbers but 0.
typedef struct tn_scaled64 {
  F64 significand;
  I64 exponent;
} tn_scaled64;

static inline tn_scaled64 tn_scaled_of_f64(CX, F64 x) {
  tn_binary64 b = tn_binary_of_f64(cx, ABS(x));
  I64 one = IOR(IAND(b.m, CI64(0xfffffffffffff)), CI64(0x3ff0000000000000));
  return (tn_scaled64){copysign_f64(cx, FLOAT64(one), x), ISUB(b.exponent, CI64(1023))};
}

/* (hi + lo) 2^exponent rounded once, where hi + lo rounds to hi, |hi| < 2^122, and is 0 or above
 * 2^-300. */
static inline F64 tn_round_scaled(CX, F64 hi, F64 lo, I64 exponent) {
  F64 sum = ADD(hi, lo);
  exponent = SELECT(ILT(exponent, CI64(-1300)), CI64(-1300), exponent); /* 0 either way */
  /* below -700 it may be a denormal: one that is smaller than `least` here */
  I64 low = SELECT(ILT(CI64(-700), exponent), CI64(-700), exponent);
  F64 least = tn_pow2_of_i64(cx, ISUB(CI64(-1022), low));
  F64 large = copysign_f64(cx, least, sum);
  tn_dd raised = tn_dd_sum(cx, large, hi);
  F64 denormal = SUB(ADD(raised.hi, tn_sum_to_odd(cx, raised.lo, lo)), large);
  F64 value = SELECT(LT(ABS(sum), least), copysign_f64(cx, denormal, sum), sum);
  return tn_times_pow2_f64(cx, value, exponent);
}

static inline F64 fma_f64(CX, F64 a, F64 b, F64 c) {
  tn_scaled64 sa = tn_scaled_of_f64(cx, a);
  tn_scaled64 sb = tn_scaled_of_f64(cx, b);
  tn_scaled64 sc = tn_scaled_of_f64(cx, c);
  MASK has_c = NE(c, C64(0.0));
  tn_dd product = tn_dd_product(cx, sa.significand, sb.significand);
  I64 exponent = IADD(sa.exponent, sb.exponent);
  /* c so many binary digits above the product, or below: past 120 only its being there matters */
  I64 above = SELECT(has_c, ISUB(sc.exponent, exponent), CI64(0));
  exponent = SELECT(ILT(CI64(120), above), ISUB(sc.exponent, CI64(120)), exponent);
  F64 addend = MUL(sc.significand, tn_pow2_of_i64(cx, tn_clamp_i64(cx, above, -120, 120)));
  addend = SELECT(has_c, addend, C64(0.0));
  tn_dd low = tn_dd_sum(cx, addend, product.lo);
  tn_dd high = tn_dd_sum(cx, product.hi, low.hi);
  F64 value = tn_round_scaled(cx, high.hi, tn_sum_to_odd(cx, high.lo, low.lo), exponent);
  /* zeros, infinities, NaN: as the rounded product gives them, but a product of numbers is never
   * infinite */
  F64 inf = C64((double)INFINITY);
  MASK is_plain = AND(LT(ABS(a), inf), LT(ABS(b), inf));
  F64 ends = SELECT(AND(is_plain, NOT(LT(ABS(c), inf))), ADD(c, c), ADD(MUL(a, b), c));
  MASK has_product = AND(NE(a, C64(0.0)), NE(b, C64(0.0)));
  MASK is_number = AND(AND(is_plain, LT(ABS(c), inf)), has_product);
  return SELECT(is_number, value, ends);
}

#endif
