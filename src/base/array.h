/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A host array: dense, row-major, aligned to 64 bytes. The currency between files, interpreters,
 * constants and tests. Where its elements are vectors, each lane counts as an element of its
 * own. */
#ifndef TN_BASE_ARRAY_H
#define TN_BASE_ARRAY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/rng.h"
#include "base/status.h"

enum { TN_MAX_NDIM = 16 };

typedef struct tn_array {
  void *data; /* owned unless is_view; never NULL, also for 0 elements */
  tn_dtype dtype;
  int32_t ndim;
  int64_t shape[TN_MAX_NDIM];
  bool is_view; /* data belongs to somebody else, who outlives this */
} tn_array;

/// Zeroed memory. INVALID for a negative extent or ndim > TN_MAX_NDIM; NO_MEMORY when the size
/// overflows or cannot be had.
TN_MUST_USE tn_status tn_array_init(tn_array *array, tn_dtype dtype, int32_t ndim,
                                    const int64_t *shape);
void tn_array_deinit(tn_array *array);
/// Deep copy.
TN_MUST_USE tn_status tn_array_init_copy(tn_array *array, const tn_array *src);
/// Same type, same shape, same bytes (so NaNs equal themselves, and 0 is not -0).
bool tn_array_equal(const tn_array *a, const tn_array *b);
/// All lanes of all elements.
int64_t tn_array_n_elems(const tn_array *array);
size_t tn_array_n_bytes(const tn_array *array);
/// Element `i` (row-major) as a double or an int64; converts from the array's type.
double tn_array_get_f64(const tn_array *array, int64_t i);
int64_t tn_array_get_i64(const tn_array *array, int64_t i);
/// Stores with the conversion rules of the language (saturating float to int, NaN to 0; integers
/// wrap).
void tn_array_set_f64(tn_array *array, int64_t i, double value);
void tn_array_set_i64(tn_array *array, int64_t i, int64_t value);
/// Fills: floats uniform in [-1, 1), integers in [-8, 8] (unsigned [0, 16]), bool 0/1.
void tn_array_fill_random(tn_array *array, tn_rng *rng);
/// Appends all elements as nested lists: [[1, 2], [3, 4]]; a scalar alone.
void tn_array_print(const tn_array *array, tn_buf *out);
/// Size products that cannot wrap: false on overflow.
bool tn_mul_size(size_t a, size_t b, size_t *out);
/// Bytes that so many elements take, packed where the type is; false on overflow, past PTRDIFF_MAX
/// or a negative extent.
bool tn_shape_bytes(int32_t ndim, const int64_t *shape, tn_dtype dtype, size_t *out_bytes);
/// Elements of 4 bits: number `i` of packed memory.
static inline uint32_t tn_nibble_get(const uint8_t *data, uint64_t i) {
  return data[i >> 1] >> (4 * (i & 1)) & 0xf;
}
static inline void tn_nibble_set(uint8_t *data, uint64_t i, uint32_t bits) {
  uint32_t shift = 4 * (uint32_t)(i & 1);
  data[i >> 1] = (uint8_t)((data[i >> 1] & ~(0xfu << shift)) | (bits & 0xf) << shift);
}
/// float16 and bfloat16 bit patterns.
float tn_f16_to_f32(uint16_t bits);
uint16_t tn_f32_to_f16(float value);
float tn_bf16_to_f32(uint16_t bits);
uint16_t tn_f32_to_bf16(float value);

/// What a small float (float8, float6, float4) is made of: a sign, then n_exp bits of exponent,
/// then n_frac bits of fraction; without exponent bits set, fraction * 2^(1 - bias - n_frac).
typedef struct tn_small_float {
  tn_dtype dtype;
  uint8_t n_exp;
  uint8_t n_frac;
  uint8_t bias;
  uint8_t max;  /* bits of the largest finite value */
  uint8_t inf;  /* bits of infinity; 0: has none */
  uint8_t nan;  /* bits of the NaN that casts make; 0: has none */
  bool is_fnuz; /* the bits of -0 are the only NaN */
} tn_small_float;
/// NULL for other types.
const tn_small_float *tn_small_float_find(tn_dtype dtype);
/// The exact value.
float tn_small_to_f32(const tn_small_float *type, uint32_t bits);
/// Rounds to nearest, ties to the even bit pattern. Past the largest value a type that has an
/// infinity gives it (float8_e3m4, e4m3, e5m2: IEEE 754's rule, as float16); one that has none
/// gives its largest value with that sign, for infinity too (ONNX Cast with saturate=1; OCP
/// Microscaling v1.0 for float6 and float4). NaN gives NaN with its sign, and 0 in float6 and
/// float4, which have none. float8_e8m0fnu holds powers of two alone: 0 gives the smallest, 2^-127,
/// and what is negative NaN.
uint32_t tn_f32_to_small(const tn_small_float *type, float value);
/// float64 to float32 rounded to odd: a further rounding to fewer bits is then the only one that
/// shows.
float tn_f64_to_f32_odd(double value);

#endif
