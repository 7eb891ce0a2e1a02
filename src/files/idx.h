/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The idx format of the MNIST files: a big-endian header (two zero bytes, a type, the number of
 * dimensions, the extents) and the elements. Plain or gzipped. */
#ifndef TN_FILES_IDX_H
#define TN_FILES_IDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/status.h"

/// True when `bytes` begin as an idx file does.
bool tn_idx_is(const uint8_t *bytes, size_t n_bytes);
/// True when `bytes` begin as a gzip stream does.
bool tn_idx_is_gz(const uint8_t *bytes, size_t n_bytes);

/// Reads a whole idx file. CORRUPT when the extents and the bytes there disagree.
TN_MUST_USE tn_status tn_idx_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array);
/// The same for a gzipped one; what it unpacks to is bounded by its own header before it is had.
TN_MUST_USE tn_status tn_idx_gz_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array);

/// Appends `array` as an idx file to `buf`. UNSUPPORTED for element types that the format has not
/// (it has uint8, int8, int16, int32, float32, float64) and for extents past 32 bits.
TN_MUST_USE tn_status tn_idx_print(const tn_array *array, tn_buf *buf);
/// The same, gzipped without name and time: equal arrays give equal bytes.
TN_MUST_USE tn_status tn_idx_gz_print(const tn_array *array, tn_buf *buf);

#endif
