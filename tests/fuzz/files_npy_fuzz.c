/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* npy of any bytes: an array that is written and read back equal, or an error. */
#include "files/npy.h"
#include "fuzz/fuzz.h"

static void write_and_read(const tn_array *array) {
  tn_buf buf = TN_BUF_INIT;
  tn_array again = {0};
  tn_status st = tn_npy_print(array, &buf);
  if (st == NULL) {
    st = tn_npy_parse((const uint8_t *)buf.data, buf.len, &again);
  }
  if (st != NULL || !tn_array_equal(array, &again)) {
    fuzz_fail("not the same after writing and reading: %s",
              st != NULL ? tn_status_message(st) : "values");
  }
  tn_array_deinit(&again);
  tn_buf_deinit(&buf);
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  tn_array array = {0};
  (void)tn_npy_is(bytes, n_bytes);
  tn_status st = tn_npy_parse(bytes, n_bytes, &array);
  if (st == NULL) {
    write_and_read(&array);
  }
  tn_status_free(st);
  tn_array_deinit(&array);
}
