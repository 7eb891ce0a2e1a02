/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The front door of the files room: arrays in and out of the files that people have.
 *
 *   tn_array image = {0};
 *   TN_TRY(tn_files_read_array("weights.npz:w0", &image));
 *   ...
 *   tn_array_deinit(&image);
 *
 * What a file is, its first bytes tell, not its name. Files are hostile until read: every declared
 * size is compared with the bytes there before anything is allocated. Errors name the file.
 * JSON is read with jansson directly. */
#ifndef TN_FILES_FILES_H
#define TN_FILES_FILES_H

#include <stddef.h>

#include "base/array.h"
#include "base/status.h"

/// Reads one array from a .npy, .npz, idx or gzipped idx file. A member of an .npz is named after a
/// colon ("weights.npz:w0"); without one the .npz must hold exactly one array.
/// out_array: C-contiguous in host byte order; deinit with tn_array_deinit. Untouched on failure.
/// Errors: NOT_FOUND (file or member), INVALID (no such kind of file, a folder, several members),
/// CORRUPT, UNSUPPORTED (element types Tenon has not), IO, NO_MEMORY.
TN_MUST_USE tn_status tn_files_read_array(const char *path, tn_array *out_array);

/// Arrays by name, in the order of the file.
typedef struct tn_named_arrays {
  char **names;     /* owned */
  tn_array *arrays; /* owned */
  size_t len;
} tn_named_arrays;

/// Reads all arrays of an .npz. out_arrays: deinit with tn_named_arrays_deinit.
TN_MUST_USE tn_status tn_files_read_npz(const char *path, tn_named_arrays *out_arrays);
void tn_named_arrays_deinit(tn_named_arrays *arrays);
/// The array called `name`, or NULL. Borrowed from `arrays`.
const tn_array *tn_named_arrays_find(const tn_named_arrays *arrays, const char *name);

/// Writes one array as .npy (format 1.0, little-endian, C order); replaces the file in one step.
/// Types that NumPy has not become records of one field named after the type (npy.c); UNSUPPORTED
/// for handles and vectors.
TN_MUST_USE tn_status tn_npy_write(const char *path, const tn_array *array);

/// Writes one array in the form that the name's ending says: .npy, .idx or .idx.gz; replaces the
/// file in one step. INVALID for another ending; UNSUPPORTED for types that the form has not.
TN_MUST_USE tn_status tn_files_write_array(const char *path, const tn_array *array);

/// Writes `n` arrays as an uncompressed .npz whose bytes depend only on names and contents.
/// names: without ".npy"; INVALID when one is empty or stands twice.
TN_MUST_USE tn_status tn_npz_write(const char *path, const char *const *names,
                                   const tn_array *arrays, size_t n);

#endif
