/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reads keys, numbers and lengths; see wire.h. */
#include "front/onnx/wire.h"

bool tn_wire_varint(tn_wire *wire, uint64_t *out_value) {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 70 && wire->at != wire->end; shift += 7) {
    uint8_t byte = *wire->at++;
    if (shift == 63 && byte > 1) {
      return false;
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out_value = value;
      return true;
    }
  }
  return false;
}

uint64_t tn_wire_fixed(const uint8_t *data, size_t n_bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < n_bytes; ++i) {
    value |= (uint64_t)data[i] << (8 * i);
  }
  return value;
}

static tn_status read_slice(tn_wire *wire, uint64_t n_bytes, tn_wire_field *f) {
  size_t left = (size_t)(wire->end - wire->at);
  if (n_bytes > left) {
    return TN_ERR(TN_CORRUPT, "field %u holds %llu bytes, and the message ends after %zu",
                  f->number, (unsigned long long)n_bytes, left);
  }
  f->data = wire->at;
  f->n_bytes = (size_t)n_bytes;
  wire->at += n_bytes;
  return NULL;
}

static tn_status read_value(tn_wire *wire, tn_wire_field *f) {
  const uint8_t *start = wire->at;
  uint64_t value = 0;
  switch (f->kind) {
    case TN_WIRE_FIXED64:
    case TN_WIRE_FIXED32:
      TN_TRY(read_slice(wire, f->kind == TN_WIRE_FIXED64 ? 8 : 4, f));
      f->value = tn_wire_fixed(f->data, f->n_bytes);
      return NULL;
    case TN_WIRE_VARINT:
      if (!tn_wire_varint(wire, &f->value)) {
        return TN_ERR(TN_CORRUPT, "the number of field %u does not end", f->number);
      }
      f->data = start;
      f->n_bytes = (size_t)(wire->at - start);
      return NULL;
    case TN_WIRE_BYTES:
      if (!tn_wire_varint(wire, &value)) {
        return TN_ERR(TN_CORRUPT, "the length of field %u does not end", f->number);
      }
      return read_slice(wire, value, f);
  }
  return TN_ERR(TN_CORRUPT, "field %u has kind %d, which there is not", f->number, (int)f->kind);
}

tn_status tn_wire_next(tn_wire *wire, tn_wire_field *out_field, bool *out_has) {
  uint64_t key = 0;
  if (wire->at == wire->end) {
    *out_has = false;
    return NULL;
  }
  if (!tn_wire_varint(wire, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX) {
    return TN_ERR(TN_CORRUPT, "a field without a number: this is no protocol buffer");
  }
  tn_wire_field f = {.number = (uint32_t)(key >> 3), .kind = (tn_wire_kind)(key & 7)};
  TN_TRY(read_value(wire, &f));
  *out_field = f;
  *out_has = true;
  return NULL;
}
