/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The readers of the files room that work in memory, on any bytes. */
#include <stddef.h>
#include <stdint.h>

#include "files/idx.h"
#include "files/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  tn_array array = {0};
  tn_status_free(tn_npy_parse(bytes, n_bytes, &array));
  tn_array_deinit(&array);
  tn_status_free(tn_idx_parse(bytes, n_bytes, &array));
  tn_array_deinit(&array);
  tn_status_free(tn_idx_gz_parse(bytes, n_bytes, &array));
  tn_array_deinit(&array);
  return 0;
}
