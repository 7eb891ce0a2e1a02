/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* float16, bfloat16 and the small floats (float8, float6, float4) as bit patterns: widening is
 * exact, narrowing rounds to nearest, ties to even. */
#include "base/array.h"

#include <math.h>
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

float tn_f64_to_f32_odd(double value) {
  float rounded = (float)value;
  if (isnan(value) || (double)rounded == value) {
    return rounded;
  }
  uint32_t bits = bits_of(rounded);
  bits -= fabs((double)rounded) > fabs(value) ? 1 : 0;
  return float_of(bits | 1);
}

/* ---- small floats ---- */

/* In the order of their type codes. */
static const tn_small_float small_floats[] = {
    /* clang-format off */
    /* type            exp frac bias  max   inf   nan   fnuz */
    {TN_DT_F8E3M4,        3, 4,   3, 0x6f, 0x70, 0x78, false},
    {TN_DT_F8E4M3,        4, 3,   7, 0x77, 0x78, 0x7c, false},
    {TN_DT_F8E4M3B11FNUZ, 4, 3,  11, 0x7f,    0, 0x80, true},
    {TN_DT_F8E4M3FN,      4, 3,   7, 0x7e,    0, 0x7f, false},
    {TN_DT_F8E4M3FNUZ,    4, 3,   8, 0x7f,    0, 0x80, true},
    {TN_DT_F8E5M2,        5, 2,  15, 0x7b, 0x7c, 0x7e, false},
    {TN_DT_F8E5M2FNUZ,    5, 2,  16, 0x7f,    0, 0x80, true},
    {TN_DT_F8E8M0FNU,     8, 0, 127, 0xfe,    0, 0xff, false},
    {TN_DT_F6E2M3FN,      2, 3,   1, 0x1f,    0,    0, false},
    {TN_DT_F6E3M2FN,      3, 2,   3, 0x1f,    0,    0, false},
    {TN_DT_F4E2M1FN,      2, 1,   1, 0x07,    0,    0, false},
    /* clang-format on */
};

const tn_small_float *tn_small_float_find(tn_dtype dtype) {
  uint32_t code = tn_dtype_code(dtype);
  if (code < TN_TC_F8E3M4 || code > TN_TC_F4E2M1FN) {
    return NULL;
  }
  const tn_small_float *type = &small_floats[code - TN_TC_F8E3M4];
  return type->dtype == tn_dtype_elem(dtype) ? type : NULL;
}

float tn_small_to_f32(const tn_small_float *type, uint32_t bits) {
  uint32_t n_size = type->n_exp + (uint32_t)type->n_frac; /* bits without the sign */
  uint32_t size = bits & ((1u << n_size) - 1);
  uint32_t sign = (bits >> n_size & 1) << 31;
  uint32_t exponent = size >> type->n_frac;
  uint32_t fraction = size & ((1u << type->n_frac) - 1);
  if (type->n_frac == 0) {
    return bits == type->nan ? float_of(0x7fc00000) : ldexpf(1, (int)bits - type->bias);
  }
  if (type->is_fnuz && bits == type->nan) {
    return float_of(0x7fc00000);
  }
  if (type->inf != 0 && size == type->inf) {
    return float_of(sign | 0x7f800000);
  }
  if (!type->is_fnuz && size > type->max) {
    return float_of(sign | 0x7fc00000);
  }
  int scale = (exponent == 0 ? 1 : (int)exponent) - type->bias - type->n_frac;
  float value = ldexpf((float)(fraction | (exponent != 0 ? 1u << type->n_frac : 0)), scale);
  return float_of(sign | bits_of(value));
}

/* Powers of two from 2^-127 on: the exponent, rounded. float32 has 2^-127 as a denormal. */
static uint32_t f32_to_e8m0(const tn_small_float *type, uint32_t bits) {
  uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000 || (bits >> 31 != 0 && size != 0)) {
    return type->nan;
  }
  uint32_t exponent = size >> 23;
  if (exponent == 0) { /* between 2^-127 and 2^-126 lies the middle of the denormals' upper half */
    return size > 0x600000 ? 1 : 0;
  }
  uint32_t rounded = round_shift(size, 23);
  return rounded > type->max ? type->max : rounded;
}

uint32_t tn_f32_to_small(const tn_small_float *type, float value) {
  uint32_t bits = bits_of(value);
  if (type->n_frac == 0) {
    return f32_to_e8m0(type, bits);
  }
  uint32_t n_drop = 23u - type->n_frac;
  uint32_t size = bits & 0x7fffffff;
  uint32_t sign = (bits >> 31) << (type->n_exp + type->n_frac);
  if (size > 0x7f800000) {
    return type->is_fnuz ? type->nan : type->nan == 0 ? 0 : sign | type->nan;
  }
  uint32_t out = 0;
  if (size < (uint32_t)(128 - type->bias) << 23) { /* below the smallest normal value */
    /* the adder rounds at the smallest step, which is the last place of this number */
    float base = ldexpf(1, 24 - type->bias - type->n_frac);
    out = bits_of(float_of(size) + base) - bits_of(base);
  } else {
    out = round_shift(size, n_drop) - ((127u - type->bias) << type->n_frac);
    out = out > type->max ? (type->inf != 0 ? type->inf : type->max) : out;
  }
  return type->is_fnuz && out == 0 ? 0 : sign | out;
}
