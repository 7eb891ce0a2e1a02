/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The wire format of protocol buffers, read where it lies: a message is a run of fields, a field a
 * key (number, kind) and a value. A slice never reaches outside the message around it, so what is
 * read of a hostile file is at worst an error.
 *
 *   tn_wire w = tn_wire_make(bytes, n_bytes);
 *   tn_wire_field f;
 *   bool has = false;
 *   TN_TRY(tn_wire_next(&w, &f, &has));
 *
 * Source: the protocol buffers documentation, "Encoding". */
#ifndef TN_FRONT_ONNX_WIRE_H
#define TN_FRONT_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum tn_wire_kind {
  TN_WIRE_VARINT = 0,
  TN_WIRE_FIXED64 = 1,
  TN_WIRE_BYTES = 2,
  TN_WIRE_FIXED32 = 5
} tn_wire_kind;

/// A message being read. Borrows the bytes.
typedef struct tn_wire {
  const uint8_t *at;
  const uint8_t *end;
} tn_wire;

typedef struct tn_wire_field {
  uint32_t number;
  tn_wire_kind kind;
  uint64_t value;      /* VARINT and FIXED*: the bits */
  const uint8_t *data; /* the value's bytes as they lie; of BYTES without the length */
  size_t n_bytes;
} tn_wire_field;

static inline tn_wire tn_wire_make(const uint8_t *data, size_t n_bytes) {
  return (tn_wire){data, n_bytes == 0 ? data : data + n_bytes};
}
/// The next field; *out_has false at the end. CORRUPT for a field that reaches over the end, a
/// number longer than 64 bits, a number or kind that there is not.
TN_MUST_USE tn_status tn_wire_next(tn_wire *wire, tn_wire_field *out_field, bool *out_has);
/// A number of a packed list; false at its end or where it is broken.
bool tn_wire_varint(tn_wire *wire, uint64_t *out_value);
/// Little-endian numbers of any alignment.
uint64_t tn_wire_fixed(const uint8_t *data, size_t n_bytes);

#endif
