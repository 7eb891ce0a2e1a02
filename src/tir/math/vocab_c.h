/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The words of vocab.h as plain C on one number. The build compiles with -ffp-contract=off, so that
 * every operation rounds. */
#ifndef TN_TIR_MATH_VOCAB_C_H
#define TN_TIR_MATH_VOCAB_C_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

typedef float F32;
typedef double F64;
typedef uint32_t I32;
typedef uint64_t I64;
typedef bool MASK;

#define CX TN_UNUSED const void *cx
#define IS_FUSED false

#define C32(x) ((float)(x))
#define C64(x) ((double)(x))
#define CI32(x) ((uint32_t)(x))
#define CI64(x) ((uint64_t)(x))

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define NEG(a) (-(a))
#define MAD(a, b, c) ((a) * (b) + (c))
#define FMA(a, b, c) _Generic((a), float : fmaf, double : fma)(a, b, c)
#define ABS(a) _Generic((a), float : fabsf, double : fabs)(a)
#define SQRT(a) _Generic((a), float : sqrtf, double : sqrt)(a)
#define MIN(a, b) _Generic((a), float : tn_min_f32, double : tn_min_f64)(a, b)
#define MAX(a, b) _Generic((a), float : tn_max_f32, double : tn_max_f64)(a, b)
#define LT(a, b) ((a) < (b))
#define LE(a, b) ((a) <= (b))
#define GT(a, b) ((a) > (b))
#define GE(a, b) ((a) >= (b))
#define EQ(a, b) ((a) == (b))
#define NE(a, b) ((a) != (b))

#define IADD(a, b) ((a) + (b))
#define ISUB(a, b) ((a) - (b))
#define IMUL(a, b) ((a) * (b))
#define IAND(a, b) ((a) & (b))
#define IOR(a, b) ((a) | (b))
#define IXOR(a, b) ((a) ^ (b))
#define ISHL(a, n) ((a) << (n))
#define ISHR(a, n) ((a) >> (n))
#define ISAR(a, n)                                     \
  _Generic((a), uint32_t                               \
           : (uint32_t)((int32_t)(a) >> (n)), uint64_t \
           : (uint64_t)((int64_t)(a) >> (n)))
#define ILT(a, b) \
  _Generic((a), uint32_t : (int32_t)(a) < (int32_t)(b), uint64_t : (int64_t)(a) < (int64_t)(b))
#define IEQ(a, b) ((a) == (b))
#define IREM(a, b) ((a) % (b))

#define AND(a, b) ((a) && (b))
#define OR(a, b) ((a) || (b))
#define NOT(a) (!(a))
#define SELECT(mask, a, b) ((mask) ? (a) : (b))

#define RARE(mask, f, x, value) ((mask) ? f(cx, x) : (value))
#define EACH(f, x, y) f(cx, x, y)
#define REPEAT(n, step, x, y) tn_repeat(n, step, x, y)
#define TABLE64(table, index) ((table)[index])

#define F64_OF_F32(x) ((double)(x))
#define F32_OF_F64(x) ((float)(x))
#define F32_OF_I32(x) ((float)(int32_t)(x))
#define I64_OF_I32(x) ((uint64_t)(int64_t)(int32_t)(x))
#define I64_OF_U32(x) ((uint64_t)(x))
#define I32_OF_I64(x) ((uint32_t)(x))
#define BITS32(x) tn_bits32(x)
#define BITS64(x) tn_bits64(x)
#define FLOAT32(x) tn_float32(x)
#define FLOAT64(x) tn_float64(x)

static inline float tn_min_f32(float a, float b) { return a < b ? a : b; }
static inline float tn_max_f32(float a, float b) { return a > b ? a : b; }
static inline double tn_min_f64(double a, double b) { return a < b ? a : b; }
static inline double tn_max_f64(double a, double b) { return a > b ? a : b; }

static inline uint32_t tn_bits32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline uint64_t tn_bits64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float tn_float32(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline double tn_float64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t tn_repeat(uint64_t n, uint64_t (*step)(const void *, uint64_t, uint64_t),
                                 uint64_t x, uint64_t y) {
  for (; n > 0; --n) {
    x = step(NULL, x, y);
  }
  return x;
}

#endif
