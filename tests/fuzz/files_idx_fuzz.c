/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* idx of any bytes, plain and gzipped. A checksum keeps random bytes out of the second, so what does
 * not begin as gzip is also read after packing it, which must give the same answer; what was
 * accepted is written and read back equal. */
#include <stdlib.h>
#include <zlib.h>

#include "files/idx.h"
#include "fuzz/fuzz.h"

static void write_and_read(const tn_array *array) {
  tn_buf buf = TN_BUF_INIT;
  tn_array again = {0};
  tn_status st = tn_idx_gz_print(array, &buf);
  if (st == NULL) {
    st = tn_idx_gz_parse((const uint8_t *)buf.data, buf.len, &again);
  }
  if (st != NULL || !tn_array_equal(array, &again)) {
    fuzz_fail("not the same after writing and reading: %s",
              st != NULL ? tn_status_message(st) : "values");
  }
  tn_array_deinit(&again);
  tn_buf_deinit(&buf);
}

/* malloc'ed */
static uint8_t *pack(const uint8_t *bytes, size_t n_bytes, size_t *out_n) {
  z_stream z = {0};
  size_t room = n_bytes + n_bytes / 100 + 100;
  uint8_t *packed = malloc(room);
  if (packed == NULL || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    fuzz_fail("no memory to pack %zu bytes", n_bytes);
  }
  z.next_in = (Bytef *)(uintptr_t)bytes;
  z.avail_in = (uInt)n_bytes;
  z.next_out = packed;
  z.avail_out = (uInt)room;
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
    fuzz_fail("zlib does not pack %zu bytes", n_bytes);
  }
  *out_n = z.total_out;
  (void)deflateEnd(&z);
  return packed;
}

static bool read_one(tn_status (*parse)(const uint8_t *, size_t, tn_array *), const uint8_t *bytes,
                     size_t n_bytes) {
  tn_array array = {0};
  tn_status st = parse(bytes, n_bytes, &array);
  bool is_ok = st == NULL;
  if (is_ok) {
    write_and_read(&array);
  }
  tn_status_free(st);
  tn_array_deinit(&array);
  return is_ok;
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  if (tn_idx_is_gz(bytes, n_bytes)) {
    (void)read_one(tn_idx_gz_parse, bytes, n_bytes);
    return;
  }
  (void)tn_idx_is(bytes, n_bytes);
  size_t n_packed = 0;
  uint8_t *packed = pack(bytes, n_bytes, &n_packed);
  bool is_ok = read_one(tn_idx_parse, bytes, n_bytes);
  if (is_ok != read_one(tn_idx_gz_parse, packed, n_packed)) {
    fuzz_fail("plain and gzipped are judged differently");
  }
  free(packed);
}
