/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Files that lie about themselves: every reader gives an error, no reader crashes or allocates what
 * a header alone claims. */
#include "tn_test.h"

#include <zlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/rng.h"
#include "files/files.h"
#include "files/idx.h"
#include "files/npy.h"
#include "files/json.h"
#include "files/npz.h"

typedef struct header_case {
  const char *text;
  tn_code code;
  const char *part;
} header_case;

#define REST ", 'fortran_order': False, 'shape': (2,)}"
static const header_case header_cases[] = {
    {"", TN_CORRUPT, "'{' expected at the end"},
    {"{", TN_CORRUPT, "expected at the end"},
    {"{}", TN_CORRUPT, "'descr' is missing"},
    {"{'descr': '<f4'" REST " x", TN_CORRUPT, "after the closing"},
    {"{'descr': '<f4', 'descr': '<f4'" REST, TN_CORRUPT, "twice"},
    {"{'other': '<f4'" REST, TN_CORRUPT, "unknown key 'other'"},
    {"{'descr': '<f4", TN_CORRUPT, "expected at the end"},
    {"{'descr': '<f\\4'" REST, TN_CORRUPT, "expected before"},
    {"{'descr': '<f3'" REST, TN_UNSUPPORTED, "'<f3'"},
    {"{'descr': '<c8'" REST, TN_UNSUPPORTED, "'<c8'"},
    {"{'descr': '|O'" REST, TN_UNSUPPORTED, "'|O'"},
    {"{'descr': '!f4'" REST, TN_UNSUPPORTED, "'!f4'"},
    {"{'descr': [('a', '<f4')]" REST, TN_UNSUPPORTED, "records"},
    {"{'descr': ('<f4', (2,))" REST, TN_UNSUPPORTED, "records"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", TN_CORRUPT, "neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", TN_CORRUPT, "'(' expected"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", TN_CORRUPT, "needs a comma"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", TN_CORRUPT, "whole number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", TN_CORRUPT, "')' expected"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", TN_CORRUPT, "whole number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", TN_CORRUPT, "expected at the end"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", TN_CORRUPT, "needs 12 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", TN_CORRUPT, "the file has 8"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", TN_CORRUPT, "needs 4 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", TN_CORRUPT,
     "past 2^63"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,)}", TN_CORRUPT,
     "overflows"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", TN_CORRUPT,
     "overflows"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     TN_UNSUPPORTED, "more than 16"},
};

static tn_status parse_npy(const tn_buf *buf) {
  tn_array array = {0};
  tn_status st = tn_npy_parse((const uint8_t *)buf->data, buf->len, &array);
  tn_array_deinit(&array);
  return st;
}

static tn_buf npy_with_header(const char *text) {
  tn_buf buf = TN_BUF_INIT;
  tn_buf_append(&buf, "\x93NUMPY\x01\x00", 8);
  tn_buf_putc(&buf, (char)(strlen(text) & 0xff));
  tn_buf_putc(&buf, (char)(strlen(text) >> 8));
  tn_buf_puts(&buf, text);
  tn_buf_append(&buf, "12345678", 8);
  return buf;
}

static void malformed_npy_headers_say_what_is_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(header_cases); ++i) {
    tn_buf buf = npy_with_header(header_cases[i].text);
    print_message("%s\n", header_cases[i].text);
    expect_error(parse_npy(&buf), header_cases[i].code, header_cases[i].part);
    tn_buf_deinit(&buf);
  }
}

static void npy_prefixes_and_versions_are_refused(void **state) {
  (void)state;
  tn_buf good = npy_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}");
  expect_ok(parse_npy(&good));
  for (size_t len = 0; len < good.len; ++len) { /* exact blocks, so that a sanitizer sees the end */
    tn_buf part = TN_BUF_INIT;
    tn_buf_append(&part, good.data, len);
    expect_error(parse_npy(&part), TN_CORRUPT,
                 len < 6    ? "not an npy file"
                 : len < 10 ? "ends inside its header"
                            : "npy");
    tn_buf_deinit(&part);
  }
  good.data[6] = 4;
  expect_error(parse_npy(&good), TN_UNSUPPORTED, "npy format 4.0");
  good.data[6] = 2; /* its length field is now wider and reads the header's first letters */
  expect_error(parse_npy(&good), TN_CORRUPT, "in a file of");
  tn_buf_deinit(&good);
  tn_buf long_header = TN_BUF_INIT; /* of version 2: more than 65,536 bytes of spaces */
  tn_buf_append(&long_header, "\x93NUMPY\x02\x00\x01\x00\x01\x00", 12);
  for (int i = 0; i <= 1 << 16; ++i) {
    tn_buf_putc(&long_header, ' ');
  }
  expect_error(parse_npy(&long_header), TN_CORRUPT, "npy header of 65537 bytes; at most 65536");
  tn_buf_deinit(&long_header);
}

/* Flips bits at random: any answer is right but a crash. */
static void damaged_bytes_never_crash(const tn_buf *good, uint64_t seed,
                                      tn_status (*parse)(const tn_buf *buf)) {
  tn_rng rng = tn_rng_make(seed);
  for (int i = 0; i < 2000; ++i) {
    tn_buf bad = TN_BUF_INIT;
    tn_buf_append(&bad, good->data, good->len);
    for (uint64_t n = 1 + tn_rng_below(&rng, 3); n > 0; --n) {
      bad.data[tn_rng_below(&rng, bad.len)] ^= (char)(1 << tn_rng_below(&rng, 8));
    }
    tn_status_free(parse(&bad));
    tn_buf_deinit(&bad);
  }
}

static void damaged_npy_files_never_crash(void **state) {
  (void)state;
  tn_buf good = npy_with_header("{'descr': '>f4', 'fortran_order': True, 'shape': (1,2)}");
  damaged_bytes_never_crash(&good, 1, parse_npy);
  tn_buf_deinit(&good);
}

static tn_status parse_idx(const tn_buf *buf) {
  tn_array array = {0};
  tn_status st = tn_idx_parse((const uint8_t *)buf->data, buf->len, &array);
  tn_array_deinit(&array);
  return st;
}

static tn_status parse_idx_gz(const tn_buf *buf) {
  tn_array array = {0};
  tn_status st = tn_idx_gz_parse((const uint8_t *)buf->data, buf->len, &array);
  tn_array_deinit(&array);
  return st;
}

static tn_buf idx_bytes(void) {
  static const uint8_t bytes[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
  tn_buf buf = TN_BUF_INIT;
  tn_buf_append(&buf, bytes, sizeof bytes);
  return buf;
}

static tn_buf packed(const void *bytes, size_t n_bytes) {
  char out[4096];
  z_stream z;
  memset(&z, 0, sizeof z);
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)bytes;
  z.avail_in = (uInt)n_bytes;
  z.next_out = (Bytef *)out;
  z.avail_out = sizeof out;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  tn_buf buf = TN_BUF_INIT;
  tn_buf_append(&buf, out, sizeof out - z.avail_out);
  deflateEnd(&z);
  return buf;
}

static void idx_files_that_disagree_with_their_header_are_refused(void **state) {
  (void)state;
  tn_buf good = idx_bytes();
  expect_ok(parse_idx(&good));
  for (size_t len = 0; len < good.len; ++len) {
    tn_buf part = TN_BUF_INIT;
    tn_buf_append(&part, good.data, len);
    expect_error(parse_idx(&part), TN_CORRUPT,
                 len < 4    ? "no idx type"
                 : len < 12 ? "ends inside its header"
                            : "needs 6 bytes");
    tn_buf_deinit(&part);
  }
  tn_buf large = TN_BUF_INIT; /* 2^96 numbers of 8 bytes */
  tn_buf_append(&large, "\0\0\x0e\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
  expect_error(parse_idx(&large), TN_CORRUPT, "the size of the declared shape overflows");
  tn_buf_deinit(&large);
  tn_buf_putc(&good, 7);
  expect_error(parse_idx(&good), TN_CORRUPT, "needs 6 bytes, the file has 7");
  good.data[3] = 17;
  expect_error(parse_idx(&good), TN_UNSUPPORTED, "more than 16");
  good.data[2] = 10;
  expect_error(parse_idx(&good), TN_CORRUPT, "no idx type");
  tn_buf_deinit(&good);
}

static void packed_idx_files_are_bounded_before_they_are_unpacked(void **state) {
  (void)state;
  tn_buf plain = idx_bytes();
  tn_buf gz = packed(plain.data, plain.len);
  expect_ok(parse_idx_gz(&gz));
  gz.data[11] ^= 0x7f; /* behind gzip's header of ten bytes */
  expect_error(parse_idx_gz(&gz), TN_CORRUPT, "gzip: the packed data is damaged");
  gz.data[11] ^= 0x7f;
  damaged_bytes_never_crash(&gz, 2, parse_idx_gz);
  for (size_t len = 0; len < gz.len; ++len) {
    tn_buf part = TN_BUF_INIT;
    tn_buf_append(&part, gz.data, len);
    tn_status st = parse_idx_gz(&part);
    expect_true(tn_status_code(st) == TN_CORRUPT, "cut at %zu", len);
    tn_status_free(st);
    tn_buf_deinit(&part);
  }
  tn_buf_putc(&gz, 0);
  expect_error(parse_idx_gz(&gz), TN_CORRUPT, "followed by something else");
  tn_buf_deinit(&gz);
  memcpy(plain.data + 4, "\x7f\xff\xff\xff\x7f\xff\xff\xff", 8); /* 2^62 bytes, they say */
  gz = packed(plain.data, plain.len);
  expect_error(parse_idx_gz(&gz), TN_CORRUPT, "cannot unpack to so many");
  tn_buf_deinit(&gz);
  memcpy(plain.data + 4, "\0\0\0\1\0\0\0\3", 8);
  gz = packed(plain.data, plain.len);
  expect_error(parse_idx_gz(&gz), TN_CORRUPT, "has more");
  tn_buf_deinit(&gz);
  tn_buf_deinit(&plain);
}

static void what_a_file_cannot_hold_is_not_written(void **state) {
  (void)state;
  const int64_t shape[] = {(int64_t)1 << 32, 0};
  tn_array wide = {0};
  tn_buf out = TN_BUF_INIT;
  expect_ok(tn_array_init(&wide, TN_DT_F32, 2, shape));
  expect_error(tn_idx_print(&wide, &out), TN_UNSUPPORTED, "extent 4294967296 is past 32 bits");
  tn_buf_deinit(&out);
  tn_array_deinit(&wide);
}

static void json_is_nested_so_deep_and_no_deeper(void **state) {
  (void)state;
  for (int depth = TN_JSON_MAX_DEPTH; depth <= TN_JSON_MAX_DEPTH + 1; ++depth) {
    tn_buf text = TN_BUF_INIT;
    tn_json *root = NULL;
    for (int i = 0; i < 2 * depth; ++i) {
      tn_buf_putc(&text, i < depth ? '[' : ']');
    }
    tn_status st = tn_json_parse(tn_buf_text(&text), text.len, &root);
    if (depth == TN_JSON_MAX_DEPTH) {
      expect_ok(st);
      tn_json_free(root);
    } else {
      expect_error(st, TN_CORRUPT, "JSON nested more than 200 deep");
    }
    tn_buf_deinit(&text);
  }
}

/* The last member's row in the table at the end of a zip file. */
static char *last_row(tn_buf *zip) {
  for (size_t i = zip->len - 4; i > 0; --i) {
    if (memcmp(zip->data + i, "PK\1\2", 4) == 0) {
      return zip->data + i;
    }
  }
  fail_msg("no table");
  return NULL;
}

static void npz_files_that_disagree_with_themselves_are_refused(void **state) {
  (void)state;
  enum { CRC = 16, SIZE = 24, NAME = 46 }; /* in a row */
  static const struct {
    size_t offset;
    const char *bytes;
    size_t n;
    const char *part;
  } rows[] = {
      {NAME, "a", 1, "npz: member 'a' stands twice"},
      {CRC, "\1\2\3\4", 4, "zip: CRC error"},
      {SIZE, "\0\0\0\x70", 4, "which cannot be"},
      {SIZE, "\1\0\0\0", 4, "zip: a member has not the 1 bytes that it declares"},
  };
  static const char *const names[] = {"a", "b"};
  char *folder = NULL;
  expect_ok(tn_dir_make_temp(&folder));
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/a.npz", folder);
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_F32, 1, (int64_t[]){3}));
  const tn_array arrays[] = {array, array};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_buf zip = TN_BUF_INIT;
    tn_named_arrays all = {0};
    expect_ok(tn_npz_write(tn_buf_text(&path), names, arrays, 2));
    expect_ok(tn_file_read(tn_buf_text(&path), 0, &zip));
    memcpy(last_row(&zip) + rows[i].offset, rows[i].bytes, rows[i].n);
    expect_ok(tn_file_write(tn_buf_text(&path), zip.data, zip.len));
    expect_error(tn_files_read_npz(tn_buf_text(&path), &all), TN_CORRUPT, rows[i].part);
    tn_buf_deinit(&zip);
  }
  tn_array_deinit(&array);
  tn_buf_deinit(&path);
  tn_dir_remove_temp(folder);
  free(folder);
}

static void damaged_npz_files_never_crash(void **state) {
  (void)state;
  char *folder = NULL;
  expect_ok(tn_dir_make_temp(&folder));
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/a.npz", folder);
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_F32, 1, (int64_t[]){3}));
  static const char *const names[] = {"a", "b"};
  const tn_array arrays[] = {array, array};
  expect_ok(tn_npz_write(tn_buf_text(&path), names, arrays, 2));
  tn_buf good = TN_BUF_INIT;
  expect_ok(tn_file_read(tn_buf_text(&path), 0, &good));
  tn_rng rng = tn_rng_make(3);
  for (int i = 0; i < 500; ++i) {
    tn_buf bad = TN_BUF_INIT;
    tn_buf_append(&bad, good.data, good.len - (i % 5 == 0 ? tn_rng_below(&rng, good.len) : 0));
    if (bad.len != 0) {
      bad.data[tn_rng_below(&rng, bad.len)] ^= (char)(1 << tn_rng_below(&rng, 8));
    }
    FILE *file = fopen(tn_buf_text(&path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bad.data, 1, bad.len, file), bad.len);
    fclose(file);
    tn_named_arrays all = {0};
    tn_status st = tn_files_read_npz(tn_buf_text(&path), &all);
    tn_named_arrays_deinit(&all);
    tn_status_free(st);
    tn_buf_deinit(&bad);
  }
  tn_array_deinit(&array);
  tn_buf_deinit(&good);
  tn_buf_deinit(&path);
  tn_dir_remove_temp(folder);
  free(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_npy_headers_say_what_is_wrong),
      cmocka_unit_test(npy_prefixes_and_versions_are_refused),
      cmocka_unit_test(damaged_npy_files_never_crash),
      cmocka_unit_test(idx_files_that_disagree_with_their_header_are_refused),
      cmocka_unit_test(packed_idx_files_are_bounded_before_they_are_unpacked),
      cmocka_unit_test(what_a_file_cannot_hold_is_not_written),
      cmocka_unit_test(json_is_nested_so_deep_and_no_deeper),
      cmocka_unit_test(npz_files_that_disagree_with_themselves_are_refused),
      cmocka_unit_test(damaged_npz_files_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
