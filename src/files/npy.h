/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The .npy format in memory: formats 1.0 to 3.0, both byte orders, C and Fortran order on reading.
 * Source: NumPy's documentation of numpy.lib.format. */
#ifndef TN_FILES_NPY_H
#define TN_FILES_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/status.h"

/// True when `bytes` begin as an .npy does.
bool tn_npy_is(const uint8_t *bytes, size_t n_bytes);

/// Reads an array from the `n_bytes` of a whole .npy. CORRUPT when the header is malformed or the
/// declared shape and the bytes there disagree; UNSUPPORTED for types that Tenon has not.
TN_MUST_USE tn_status tn_npy_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array);

/// Appends `array` in format 1.0 to `buf`.
TN_MUST_USE tn_status tn_npy_print(const tn_array *array, tn_buf *buf);

#endif
