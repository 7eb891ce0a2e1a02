/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elements from a file's byte order and layout into an array. */
#include "files/elems.h"

#include <string.h>

bool tn_elems_host_is_little(void) {
  const uint16_t one = 1;
  uint8_t first = 0;
  memcpy(&first, &one, 1);
  return first == 1;
}

static void copy_swapped(uint8_t *dst, const uint8_t *src, size_t elem_bytes) {
  for (size_t i = 0; i < elem_bytes; ++i) {
    dst[i] = src[elem_bytes - 1 - i];
  }
}

void tn_elems_copy(void *dst, const uint8_t *src, size_t n_elems, size_t elem_bytes,
                   bool is_swapped) {
  if (n_elems == 0) {
    return;
  }
  if (!is_swapped || elem_bytes == 1) {
    memcpy(dst, src, n_elems * elem_bytes);
    return;
  }
  uint8_t *out = dst;
  for (size_t i = 0; i < n_elems; ++i) {
    copy_swapped(out + i * elem_bytes, src + i * elem_bytes, elem_bytes);
  }
}

void tn_elems_copy_fortran(tn_array *array, const uint8_t *src, bool is_swapped) {
  size_t elem_bytes = tn_dtype_bytes(array->dtype);
  int64_t n_elems = tn_array_n_elems(array);
  uint8_t *out = array->data;
  int64_t stride[TN_MAX_NDIM] = {0}; /* of each dimension in the source, in elements */
  int64_t index[TN_MAX_NDIM] = {0};
  int64_t n_inner = 1;
  for (int32_t d = 0; d < array->ndim && n_elems != 0; ++d) {
    stride[d] = n_inner;
    n_inner *= array->shape[d];
  }
  int64_t at = 0;
  for (int64_t i = 0; i < n_elems; ++i) {
    tn_elems_copy(out + (size_t)i * elem_bytes, src + (size_t)at * elem_bytes, 1, elem_bytes,
                  is_swapped);
    for (int32_t d = array->ndim - 1; d >= 0; --d) { /* the next index in C order */
      at += stride[d];
      if (++index[d] < array->shape[d]) {
        break;
      }
      at -= index[d] * stride[d];
      index[d] = 0;
    }
  }
}

void tn_elems_clean_bools(tn_array *array) {
  if (!tn_dtype_is_bool(array->dtype)) {
    return;
  }
  uint8_t *bytes = array->data;
  size_t n_bytes = tn_array_n_bytes(array);
  for (size_t i = 0; i < n_bytes; ++i) {
    bytes[i] = bytes[i] != 0 ? 1 : 0;
  }
}
