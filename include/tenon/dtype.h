/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Element types, packed in 32 bits as DLPack has them: code | bits << 8 | lanes << 16.
 *
 * Types of fewer than 16 bits that are no int8, uint8 or bool are storage types: they are kept in
 * buffers, loaded, stored and cast, and nothing is computed in them. */
#ifndef TN_TENON_DTYPE_H
#define TN_TENON_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A packed element type. TN_DT_NONE stands where there is no value (statements).
typedef uint32_t tn_dtype;

/// DLPack type codes.
enum {
  TN_TC_INT = 0,
  TN_TC_UINT = 1,
  TN_TC_FLOAT = 2,
  TN_TC_HANDLE = 3,
  TN_TC_BFLOAT = 4,
  TN_TC_BOOL = 6,
  TN_TC_F8E3M4 = 7, /* the first of the small floats */
  TN_TC_F8E4M3 = 8,
  TN_TC_F8E4M3B11FNUZ = 9,
  TN_TC_F8E4M3FN = 10,
  TN_TC_F8E4M3FNUZ = 11,
  TN_TC_F8E5M2 = 12,
  TN_TC_F8E5M2FNUZ = 13,
  TN_TC_F8E8M0FNU = 14,
  TN_TC_F6E2M3FN = 15,
  TN_TC_F6E3M2FN = 16,
  TN_TC_F4E2M1FN = 17 /* the last */
};

/// One-lane types. Handles are 64-bit pointers. Types of 4 bits lie two to a byte, the first in the
/// low half; those of 6 bits have a byte each, in its low bits.
enum {
  TN_DT_NONE = 0,
  TN_DT_I8 = 0x10800,
  TN_DT_I16 = 0x11000,
  TN_DT_I32 = 0x12000,
  TN_DT_I64 = 0x14000,
  TN_DT_U8 = 0x10801,
  TN_DT_U16 = 0x11001,
  TN_DT_U32 = 0x12001,
  TN_DT_U64 = 0x14001,
  TN_DT_F16 = 0x11002,
  TN_DT_F32 = 0x12002,
  TN_DT_F64 = 0x14002,
  TN_DT_HANDLE = 0x14003,
  TN_DT_BF16 = 0x11004,
  TN_DT_BOOL = 0x10806,
  TN_DT_I4 = 0x10400,
  TN_DT_U4 = 0x10401,
  TN_DT_F8E3M4 = 0x10807,
  TN_DT_F8E4M3 = 0x10808,
  TN_DT_F8E4M3B11FNUZ = 0x10809,
  TN_DT_F8E4M3FN = 0x1080a,
  TN_DT_F8E4M3FNUZ = 0x1080b,
  TN_DT_F8E5M2 = 0x1080c,
  TN_DT_F8E5M2FNUZ = 0x1080d,
  TN_DT_F8E8M0FNU = 0x1080e,
  TN_DT_F6E2M3FN = 0x1060f,
  TN_DT_F6E3M2FN = 0x10610,
  TN_DT_F4E2M1FN = 0x10411
};

enum { TN_DTYPE_TEXT_BYTES = 32 };
/// Writes the name ("float32x4") into `out` (at least TN_DTYPE_TEXT_BYTES) and returns it.
TN_API char *tn_dtype_print(tn_dtype dt, char *out);
/// Reads a name of `len` characters; false when it names no type that Tenon knows.
TN_API bool tn_dtype_parse(const char *text, size_t len, tn_dtype *out_dt);

#ifdef __cplusplus
}
#endif
#endif
