/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Integer arithmetic of the interpreter on 64-bit values, defined where C leaves it open: nothing
 * here traps. Callers wrap the result to its type. Divisors are never 0 (checked before). */
#ifndef TN_TIR_INTERP_NUM_H
#define TN_TIR_INTERP_NUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline int64_t tn_num_div(int64_t a, int64_t b) {
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; /* INT64_MIN / -1 wraps */
}
static inline int64_t tn_num_mod(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
static inline int64_t tn_num_floordiv(int64_t a, int64_t b) {
  int64_t q = tn_num_div(a, b);
  int64_t rest = tn_num_mod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? q - 1 : q;
}
static inline int64_t tn_num_floormod(int64_t a, int64_t b) {
  int64_t rest = tn_num_mod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
/// The low n_bits (1..64) bits set.
static inline uint64_t tn_num_mask(uint32_t n_bits) {
  return n_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << n_bits) - 1;
}
static inline int64_t tn_num_clz(uint64_t value, uint32_t n_bits) {
  return value == 0 ? (int64_t)n_bits : __builtin_clzll(value) - (int64_t)(64 - n_bits);
}
/// round(x * y * 2^-(q + s)), ties up.
static inline int64_t tn_num_q_multiply_shift(int64_t x, int64_t y, int64_t q, int64_t s) {
  __extension__ typedef __int128 wide;
  wide product = (wide)x * y;
  int64_t shift = q + s;
  if (shift <= 0) {
    return shift <= -64 ? 0 : (int64_t)((uint64_t)product << -shift);
  }
  return shift >= 127 ? 0 : (int64_t)((product + ((wide)1 << (shift - 1))) >> shift);
}
/// Float to integer of n_bits: saturates, NaN gives 0.
static inline int64_t tn_num_to_int(double value, uint32_t n_bits) {
  int64_t lo = INT64_MIN >> (64 - n_bits);
  if (isnan(value)) {
    return 0;
  }
  if (value <= (double)lo) {
    return lo;
  }
  return value >= -(double)lo ? ~lo : (int64_t)value; /* -lo is one past the largest */
}
static inline uint64_t tn_num_to_uint(double value, uint32_t n_bits) {
  uint64_t hi = tn_num_mask(n_bits);
  if (isnan(value) || value <= 0) {
    return 0;
  }
  return value >= ldexp(1, (int)n_bits) ? hi : (uint64_t)value;
}

#endif
