/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside the files room: elements from a file's byte order and layout into an array. */
#ifndef TN_FILES_ELEMS_H
#define TN_FILES_ELEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/// Copies n_elems elements of elem_bytes (1, 2, 4 or 8) and turns their bytes round if is_swapped.
void tn_elems_copy(void *dst, const uint8_t *src, size_t n_elems, size_t elem_bytes,
                   bool is_swapped);

/// Fills `array` from elements in Fortran order (the first index runs fastest).
void tn_elems_copy_fortran(tn_array *array, const uint8_t *src, bool is_swapped);

/// Makes every byte of a bool array 0 or 1: compiled code relies on it, files need not keep to it.
void tn_elems_clean_bools(tn_array *array);

/// True when this machine stores the low byte first.
bool tn_elems_host_is_little(void);

#endif
