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
/// float8, float6 and float4 of any kind
static inline bool tn_dtype_is_small_float(tn_dtype dt) {
  return tn_dtype_code(dt) >= TN_TC_F8E3M4 && tn_dtype_code(dt) <= TN_TC_F4E2M1FN;
}
/// A float of any width, whether it is computed in or only stored.
static inline bool tn_dtype_is_any_float(tn_dtype dt) {
  return tn_dtype_is_float(dt) || tn_dtype_is_small_float(dt);
}
/// Two elements lie in one byte, the first in its low half: int4, uint4, float4.
static inline bool tn_dtype_is_packed(tn_dtype dt) { return tn_dtype_bits(dt) == 4; }
/// A storage type: loaded, stored and cast, never computed in.
static inline bool tn_dtype_is_storage(tn_dtype dt) {
  return tn_dtype_is_small_float(dt) || tn_dtype_is_packed(dt);
}
/// Bits of a value with all its lanes; reinterpreting keeps them.
static inline uint32_t tn_dtype_all_bits(tn_dtype dt) {
  return tn_dtype_bits(dt) * tn_dtype_lanes(dt);
}
/// Bits of one element with all its lanes as they lie in memory.
static inline size_t tn_dtype_mem_bits(tn_dtype dt) {
  uint32_t bits = tn_dtype_bits(dt);
  return (size_t)(bits == 4 ? 4 : (bits + 7) / 8 * 8) * tn_dtype_lanes(dt);
}
/// Bytes of one element with all its lanes, were it alone.
static inline size_t tn_dtype_bytes(tn_dtype dt) { return (tn_dtype_mem_bits(dt) + 7) / 8; }

#endif
