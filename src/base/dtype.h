/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Questions about element types and their text: "float32", "int8x16", "bool", "handle". */
#ifndef TN_BASE_DTYPE_H
#define TN_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "tenon/dtype.h"

static inline tn_dtype tn_dtype_make(uint32_t code, uint32_t bits, uint32_t lanes) {
  return code | bits << 8 | lanes << 16;
}
static inline uint32_t tn_dtype_code(tn_dtype dt) { return dt & 0xff; }
static inline uint32_t tn_dtype_bits(tn_dtype dt) { return dt >> 8 & 0xff; }
static inline uint32_t tn_dtype_lanes(tn_dtype dt) { return dt >> 16; }
static inline tn_dtype tn_dtype_with_lanes(tn_dtype dt, uint32_t lanes) {
  return (dt & 0xffff) | lanes << 16;
}
static inline tn_dtype tn_dtype_elem(tn_dtype dt) { return tn_dtype_with_lanes(dt, 1); }
static inline bool tn_dtype_is_int(tn_dtype dt) {
  return dt != 0 && tn_dtype_code(dt) == TN_TC_INT;
}
static inline bool tn_dtype_is_uint(tn_dtype dt) { return tn_dtype_code(dt) == TN_TC_UINT; }
static inline bool tn_dtype_is_bool(tn_dtype dt) { return tn_dtype_code(dt) == TN_TC_BOOL; }
static inline bool tn_dtype_is_handle(tn_dtype dt) { return tn_dtype_code(dt) == TN_TC_HANDLE; }
/// float16/32/64 and bfloat16
static inline bool tn_dtype_is_float(tn_dtype dt) {
  return tn_dtype_code(dt) == TN_TC_FLOAT || tn_dtype_code(dt) == TN_TC_BFLOAT;
}
/// Bytes of one element with all its lanes; bits are rounded up to bytes per lane.
static inline size_t tn_dtype_bytes(tn_dtype dt) {
  return (size_t)((tn_dtype_bits(dt) + 7) / 8) * tn_dtype_lanes(dt);
}

#endif
