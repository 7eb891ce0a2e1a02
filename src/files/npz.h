/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* An .npz for reading: a zip of .npy members, listed and read by name. */
#ifndef TN_FILES_NPZ_H
#define TN_FILES_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/status.h"

typedef struct tn_npz tn_npz;

/// True when `bytes` begin as a zip does.
bool tn_npz_is(const uint8_t *bytes, size_t n_bytes);

/// Opens `path` and lists its arrays. CORRUPT when it is no zip or names a member twice.
TN_MUST_USE tn_status tn_npz_open(const char *path, tn_npz **out_npz);
void tn_npz_free(tn_npz *npz);

size_t tn_npz_len(const tn_npz *npz);
/// The name of array `i` without ".npy"; borrowed.
const char *tn_npz_name(const tn_npz *npz, size_t i);
/// Reads the array called `name`. NOT_FOUND names those that are there.
TN_MUST_USE tn_status tn_npz_read(tn_npz *npz, const char *name, tn_array *out_array);

#endif
