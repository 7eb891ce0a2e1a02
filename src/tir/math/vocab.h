/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The words in which src/tir/math/ is written. Each header there is straight-line code over them,
 * compiled twice: by scalar.c, where a word is plain C on one number (the interpreter's functions),
 * and by codegen/llvm/math_emit.c, where it builds LLVM instructions on any number of lanes. So
 * both compute the same bits. No branches but on what is known when the code is built: every lane
 * takes every path, and SELECT chooses.
 *
 *   static inline F64 sigmoid_f64(CX, F64 x) {
 *     F64 e = exp_f64(cx, NEG(ABS(x)));                        functions take cx first
 *     return DIV(SELECT(GE(x, C64(0.0)), C64(1.0), e), ADD(C64(1.0), e));
 *   }
 *
 * Types   F32 F64 (floats), I32 I64 (bits: arithmetic wraps), MASK (a truth value a lane)
 * Floats  C32(0x1p-3f) C64(0x1p-3) constants; ADD SUB MUL DIV NEG ABS SQRT round as IEEE 754 says;
 *         LT LE GT GE EQ NE -> MASK, false with NaN but NE. MIN: a < b ? a : b; MAX: a > b ? a : b.
 *         MAD(a, b, c) = a * b + c, rounded twice, or once where IS_FUSED: for polynomials and
 *         wherever either will do. FMA(a, b, c) rounds once and stands only under `if (IS_FUSED)`,
 *         which the fast variant on a machine with FMA fulfils, and nothing else.
 * Bits    BITS32 BITS64 (float -> bits), FLOAT32 FLOAT64 (bits -> float), CI32(n) CI64(n);
 *         IADD ISUB IMUL IAND IOR IXOR, ISHL(a, n) ISHR(a, n) (zeros come in), ISAR(a, n) (the sign
 *         comes in; slow for I64 before AVX-512), n a C integer or an I of that width below it;
 *         ILT (signed) IEQ -> MASK; IREM(a, b) (unsigned; one lane at a time)
 * Masks   AND OR NOT; SELECT(mask, a, b) of any type
 * Parts   RARE(mask, f, x, value): f(cx, x) where the mask holds, for what few numbers need: f is
 *         code of one lane, out of line, behind a jump over it when no lane needs it.
 *         EACH(f, x, y): f(cx, x, y), of one lane, for every lane. Only such f may hold
 *         REPEAT(n, step, x, y), which does x = step(cx, x, y) n times (all I64), and
 *         TABLE64(table, index), an entry of an array of uint64_t
 * Casts   F64_OF_F32 (exact), F32_OF_F64 (rounds); F32_OF_I32 (signed, rounds);
 *         I64_OF_I32 (signed), I64_OF_U32, I32_OF_I64 (low half); others are made of bits, since
 *         AVX2 has none of 64 bits
 * Made of these, below: POLY32 POLY64, tn_rint_* (nearest integer of small numbers), copysign_*
 *
 * A function f of one number in the table (functions.def) has f_f64, within the bound stated there,
 * and f_f32, for speed. The strict float32 variant is f_f64 of the number as float64, rounded. */
#ifndef TN_TIR_MATH_VOCAB_H
#define TN_TIR_MATH_VOCAB_H

#ifdef TN_MATH_VOCAB
#include TN_MATH_VOCAB
#else
#include "tir/math/vocab_c.h"
#endif

/// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule. POLY32(x, c): c is an array.
#define POLY32(x, c) tn_poly_f32(cx, x, c, sizeof(c) / sizeof((c)[0]))
#define POLY64(x, c) tn_poly_f64(cx, x, c, sizeof(c) / sizeof((c)[0]))

static inline F32 tn_poly_f32(CX, F32 x, const float *c, size_t n) {
  F32 sum = C32(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) {
    sum = MAD(sum, x, C32(c[i]));
  }
  return sum;
}

static inline F64 tn_poly_f64(CX, F64 x, const double *c, size_t n) {
  F64 sum = C64(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) {
    sum = MAD(sum, x, C64(c[i]));
  }
  return sum;
}

/// What turns a small number into an integer in the low bits of another: beyond 1.5 * 2^23 the
/// distance of two float32 is 1.
#define RINT_F32 0x1.8p23f
#define RINT_F64 0x1.8p52

/// The nearest integer, ties to even, of |x| < 2^22 (2^51); NaN stays.
static inline F32 tn_rint_f32(CX, F32 x) { return SUB(ADD(x, C32(RINT_F32)), C32(RINT_F32)); }
static inline F64 tn_rint_f64(CX, F64 x) { return SUB(ADD(x, C64(RINT_F64)), C64(RINT_F64)); }

/// 2^n for an integer n that makes a normal number; anything for others and NaN.
static inline F32 tn_pow2_f32(CX, F32 n) {
  return FLOAT32(ISHL(BITS32(ADD(n, C32(RINT_F32 + 127))), 23));
}
static inline F64 tn_pow2_f64(CX, F64 n) {
  return FLOAT64(ISHL(BITS64(ADD(n, C64(RINT_F64 + 1023))), 52));
}

/// |x| with the sign of s.
static inline F32 copysign_f32(CX, F32 x, F32 s) {
  return FLOAT32(IOR(BITS32(ABS(x)), IAND(BITS32(s), CI32(INT32_MIN))));
}
static inline F64 copysign_f64(CX, F64 x, F64 s) {
  return FLOAT64(IOR(BITS64(ABS(x)), IAND(BITS64(s), CI64(INT64_MIN))));
}

#endif
