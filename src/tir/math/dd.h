/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Float64 pairs: a value hi + lo with |lo| <= ulp(hi) / 2 or little more, some 100 bits. Sums and
 * products of two numbers are exact (Dekker 1971; Knuth, TAOCP 2, 4.2.2). */
#ifndef TN_TIR_MATH_DD_H
#define TN_TIR_MATH_DD_H

#include "tir/math/vocab.h"

typedef struct tn_dd {
  F64 hi;
  F64 lo;
} tn_dd;

/// a + b exactly, if |a| >= |b| or a is 0.
static inline tn_dd tn_dd_sum_ordered(CX, F64 a, F64 b) {
  F64 sum = ADD(a, b);
  return (tn_dd){sum, ADD(SUB(a, sum), b)};
}

/// a + b exactly.
static inline tn_dd tn_dd_sum(CX, F64 a, F64 b) {
  F64 sum = ADD(a, b);
  F64 part = SUB(sum, a);
  return (tn_dd){sum, ADD(SUB(a, SUB(sum, part)), SUB(b, part))};
}

/// The upper 26 bits of a, |a| < 2^990.
static inline F64 tn_dd_upper(CX, F64 a) {
  F64 c = MUL(a, C64(0x1p27 + 1));
  return SUB(c, SUB(c, a));
}

/// a * b exactly, where the product's lower half does not underflow.
static inline tn_dd tn_dd_product(CX, F64 a, F64 b) {
  F64 p = MUL(a, b);
  if (IS_FUSED) {
    return (tn_dd){p, FMA(a, b, NEG(p))};
  }
  F64 a1 = tn_dd_upper(cx, a);
  F64 b1 = tn_dd_upper(cx, b);
  F64 a0 = SUB(a, a1);
  F64 b0 = SUB(b, b1);
  F64 lo = ADD(ADD(ADD(SUB(MUL(a1, b1), p), MUL(a1, b0)), MUL(a0, b1)), MUL(a0, b0));
  return (tn_dd){p, lo};
}

/// a * b
static inline tn_dd tn_dd_mul(CX, tn_dd a, tn_dd b) {
  tn_dd p = tn_dd_product(cx, a.hi, b.hi);
  return (tn_dd){p.hi, ADD(p.lo, MAD(a.hi, b.lo, MUL(a.lo, b.hi)))};
}

#endif
