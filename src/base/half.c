/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* float16 and bfloat16 as bit patterns: widening is exact, narrowing rounds to nearest, ties to
 * even. */
#include "base/array.h"

#include <string.h>

static uint32_t bits_of(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Drops the low `n_drop` (1..31) bits of `bits`, to nearest, ties to even. */
static uint32_t round_shift(uint32_t bits, uint32_t n_drop) {
  uint32_t half = 1u << (n_drop - 1);
  uint32_t rest = bits & ((half << 1) - 1);
  uint32_t kept = bits >> n_drop;
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

float tn_f16_to_f32(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    return float_of(sign | 0x7f800000 | fraction << 13);
  }
  if (exponent == 0) { /* zero or denormal: fraction * 2^-24, exact in float32 */
    float magnitude = (float)fraction * 0x1p-24f;
    return float_of(sign | bits_of(magnitude));
  }
  return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

uint16_t tn_f32_to_f16(float value) {
  uint32_t bits = bits_of(value);
  uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) { /* NaN: quiet, keeps the top of its payload */
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  }
  if (magnitude >= 0x47800000) { /* 2^16 and above, infinity */
    return (uint16_t)(sign | 0x7c00);
  }
  if (magnitude >= 0x38800000) { /* normal; rounding may carry into the exponent, up to infinity */
    return (uint16_t)(sign | (round_shift(magnitude, 13) - ((127 - 15) << 10)));
  }
  uint32_t exponent = magnitude >> 23;
  if (exponent < 102) { /* below 2^-25: rounds to zero */
    return (uint16_t)sign;
  }
  uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
  return (uint16_t)(sign | round_shift(fraction, 126 - exponent));
}

float tn_bf16_to_f32(uint16_t bits) { return float_of((uint32_t)bits << 16); }

uint16_t tn_f32_to_bf16(float value) {
  uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return (uint16_t)(bits >> 16 | 0x40);
  }
  return (uint16_t)round_shift(bits, 16);
}
