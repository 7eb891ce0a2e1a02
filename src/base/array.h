/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A host array: dense, row-major, aligned to 64 bytes. The currency between files, interpreters,
 * constants and tests. */
#ifndef TN_BASE_ARRAY_H
#define TN_BASE_ARRAY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/rng.h"
#include "base/status.h"

enum { TN_MAX_NDIM = 16 };

typedef struct tn_array {
  void *data;     /* owned unless is_view; never NULL, also for 0 elements */
  tn_dtype dtype; /* one lane */
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
/// Product of extents times elem_bytes; false on overflow, past PTRDIFF_MAX or a negative extent.
bool tn_shape_bytes(int32_t ndim, const int64_t *shape, size_t elem_bytes, size_t *out_bytes);
/// float16 and bfloat16 bit patterns.
float tn_f16_to_f32(uint16_t bits);
uint16_t tn_f32_to_f16(float value);
float tn_bf16_to_f32(uint16_t bits);
uint16_t tn_f32_to_bf16(float value);

#endif
