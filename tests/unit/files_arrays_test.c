/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Arrays through npy, npz, idx and gzipped idx files: round trips, foreign layouts, members. */
#include "tn_test.h"

#include <zlib.h>

#include "base/file.h"
#include "base/rng.h"
#include "files/files.h"
#include "files/idx.h"
#include "files/npy.h"
#include "files/npz.h"

static char *folder; /* made and removed around each test */

static int make_folder(void **state) {
  (void)state;
  expect_ok(tn_dir_make_temp(&folder));
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  tn_dir_remove_temp(folder);
  free(folder);
  return 0;
}

static char *path_in_folder(const char *name) {
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/%s", folder, name);
  return tn_buf_take(&path);
}

static void assert_arrays_equal(const tn_array *a, const tn_array *b) {
  assert_int_equal(a->dtype, b->dtype);
  assert_int_equal(a->ndim, b->ndim);
  for (int32_t d = 0; d < a->ndim; ++d) {
    assert_int_equal(a->shape[d], b->shape[d]);
  }
  assert_memory_equal(a->data, b->data, tn_array_n_bytes(a));
}

static const tn_dtype npy_types[] = {TN_DT_BOOL, TN_DT_I8,  TN_DT_I16, TN_DT_I32,
                                     TN_DT_I64,  TN_DT_U8,  TN_DT_U16, TN_DT_U32,
                                     TN_DT_U64,  TN_DT_F16, TN_DT_F32, TN_DT_F64};

static void every_type_and_rank_comes_back_from_npy(void **state) {
  (void)state;
  static const int64_t shape[] = {2, 3, 1, 4};
  tn_rng rng = tn_rng_make(1);
  char *path = path_in_folder("a.npy");
  for (size_t i = 0; i < TN_N_ROWS(npy_types); ++i) {
    for (int32_t ndim = 0; ndim <= 4; ++ndim) {
      tn_array array = {0};
      tn_array back = {0};
      expect_ok(tn_array_init(&array, npy_types[i], ndim, shape));
      tn_array_fill_random(&array, &rng);
      expect_ok(tn_npy_write(path, &array));
      expect_ok(tn_files_read_array(path, &back));
      assert_arrays_equal(&array, &back);
      tn_array_deinit(&back);
      tn_array_deinit(&array);
    }
  }
  free(path);
}

static void the_npy_text_is_what_numpy_writes(void **state) {
  (void)state;
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_F32, 2, (int64_t[]){3, 4}));
  tn_buf buf = TN_BUF_INIT;
  expect_ok(tn_npy_print(&array, &buf));
  assert_int_equal(buf.len, 128 + 48);
  assert_memory_equal(buf.data, "\x93NUMPY\x01\x00\x76\x00", 10);
  const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   ";
  assert_memory_equal(buf.data + 10, header, strlen(header));
  assert_int_equal(buf.data[127], '\n');
  tn_buf_deinit(&buf);
  tn_array_deinit(&array);
}

static void types_that_numpy_has_not_are_records_named_after_them(void **state) {
  (void)state;
  const struct {
    tn_dtype dtype;
    const char *header;
  } rows[] = {{TN_DT_BF16, "{'descr': [('bfloat16', '<u2')], "},
              {TN_DT_F8E4M3FN, "{'descr': [('float8_e4m3fn', '|u1')], "},
              {TN_DT_F6E3M2FN, "{'descr': [('float6_e3m2fn', '|u1')], "},
              {TN_DT_F4E2M1FN, "{'descr': [('float4_e2m1fn', '|u1')], "},
              {TN_DT_I4, "{'descr': [('int4', '|u1')], "}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_rng rng = tn_rng_make(i);
    tn_array array = {0};
    tn_array back = {0};
    tn_buf buf = TN_BUF_INIT;
    expect_ok(tn_array_init(&array, rows[i].dtype, 2, (int64_t[]){3, 5}));
    tn_array_fill_random(&array, &rng);
    expect_ok(tn_npy_print(&array, &buf));
    assert_memory_equal(buf.data + 10, rows[i].header, strlen(rows[i].header));
    expect_ok(tn_npy_parse((const uint8_t *)buf.data, buf.len, &back));
    assert_true(tn_array_equal(&array, &back));
    tn_buf_deinit(&buf);
    tn_array_deinit(&back);
    tn_array_deinit(&array);
  }
}

static void handles_are_refused(void **state) {
  (void)state;
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_HANDLE, 0, NULL));
  char *path = path_in_folder("a.npy");
  expect_error(tn_npy_write(path, &array), TN_UNSUPPORTED, "handle");
  assert_false(tn_file_exists(path));
  free(path);
  tn_array_deinit(&array);
}

/* The bytes of a file with the given header text (format `major`.0). */
static tn_buf npy_bytes(int major, const char *header, const void *data, size_t n_bytes) {
  tn_buf buf = TN_BUF_INIT;
  size_t len = strlen(header);
  tn_buf_append(&buf, "\x93NUMPY", 6);
  tn_buf_putc(&buf, (char)major);
  tn_buf_putc(&buf, 0);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    tn_buf_putc(&buf, (char)(len >> (8 * i) & 0xff));
  }
  tn_buf_append(&buf, header, len);
  tn_buf_append(&buf, data, n_bytes);
  return buf;
}

static void foreign_orders_and_versions_are_read(void **state) {
  (void)state;
  static const uint8_t big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
  static const int64_t want[] = {1, 3, 5, 2, 4, 6}; /* column-major 2 by 3 */
  static const char *const headers[] = {
      "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n",
      "{\"shape\": (2,3), \"fortran_order\":True,\"descr\":\">i2\"}",
      "  { 'shape' : ( 2L , 3L ) , 'fortran_order' : True , 'descr' : '>i2' }   \n",
  };
  for (int major = 1; major <= 3; ++major) {
    tn_buf buf = npy_bytes(major, headers[major - 1], big, sizeof big);
    tn_array array = {0};
    expect_ok(tn_npy_parse((const uint8_t *)buf.data, buf.len, &array));
    assert_int_equal(array.ndim, 2);
    assert_int_equal(array.shape[0], 2);
    for (int64_t i = 0; i < 6; ++i) {
      assert_int_equal(tn_array_get_i64(&array, i), want[i]);
    }
    tn_array_deinit(&array);
    tn_buf_deinit(&buf);
  }
}

static void fortran_order_works_in_three_dimensions(void **state) {
  (void)state;
  uint8_t data[24];
  for (size_t i = 0; i < sizeof data; ++i) {
    data[i] = (uint8_t)i;
  }
  static const char header[] = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4)}";
  tn_buf buf = npy_bytes(1, header, data, sizeof data);
  tn_array array = {0};
  expect_ok(tn_npy_parse((const uint8_t *)buf.data, buf.len, &array));
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        assert_int_equal(tn_array_get_i64(&array, (i * 3 + j) * 4 + k), i + 2 * j + 6 * k);
      }
    }
  }
  tn_array_deinit(&array);
  tn_buf_deinit(&buf);
}

static void bools_of_a_file_become_zero_or_one(void **state) {
  (void)state;
  tn_buf buf = npy_bytes(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\1\7", 3);
  tn_array array = {0};
  expect_ok(tn_npy_parse((const uint8_t *)buf.data, buf.len, &array));
  assert_memory_equal(array.data, "\0\1\1", 3);
  tn_array_deinit(&array);
  tn_buf_deinit(&buf);
}

static void an_npz_is_read_by_member_and_whole(void **state) {
  (void)state;
  tn_array arrays[3] = {{0}};
  static const char *const names[] = {"w0", "layer/b", "w1"};
  tn_rng rng = tn_rng_make(5);
  for (int i = 0; i < 3; ++i) {
    expect_ok(tn_array_init(&arrays[i], TN_DT_F32, 1, (int64_t[]){10 + i}));
    tn_array_fill_random(&arrays[i], &rng);
  }
  char *path = path_in_folder("w.npz");
  char *member = path_in_folder("w.npz:layer/b");
  char *missing = path_in_folder("w.npz:nope");
  tn_array back = {0};
  expect_ok(tn_npz_write(path, names, arrays, 3));
  expect_ok(tn_files_read_array(member, &back));
  assert_arrays_equal(&arrays[1], &back);
  tn_array_deinit(&back);
  expect_error(tn_files_read_array(missing, &back), TN_NOT_FOUND, "it has 'w0', 'layer/b', 'w1'");
  expect_error(tn_files_read_array(path, &back), TN_INVALID, "it holds 3 arrays");
  tn_named_arrays all = {0};
  expect_ok(tn_files_read_npz(path, &all));
  assert_int_equal(all.len, 3);
  for (size_t i = 0; i < 3; ++i) {
    assert_string_equal(all.names[i], names[i]);
    assert_arrays_equal(&all.arrays[i], &arrays[i]);
  }
  assert_ptr_equal(tn_named_arrays_find(&all, "w1"), &all.arrays[2]);
  assert_null(tn_named_arrays_find(&all, "w2"));
  tn_named_arrays_deinit(&all);
  expect_ok(tn_npz_write(path, names, arrays, 1));
  expect_ok(tn_files_read_array(path, &back));
  assert_arrays_equal(&arrays[0], &back);
  tn_array_deinit(&back);
  for (int i = 0; i < 3; ++i) {
    tn_array_deinit(&arrays[i]);
  }
  free(path);
  free(member);
  free(missing);
}

static void writing_an_npz_twice_gives_the_same_bytes(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b"};
  static const char *const twice[] = {"a", "a"};
  static const char *const empty[] = {"a", ""};
  tn_array arrays[2] = {{0}};
  for (int i = 0; i < 2; ++i) {
    expect_ok(tn_array_init(&arrays[i], TN_DT_I32, 1, (int64_t[]){3}));
  }
  char *path = path_in_folder("x.npz");
  char *other = path_in_folder("y.npz");
  char *unwritable = path_in_folder("no/x.npz");
  tn_buf first = TN_BUF_INIT;
  tn_buf second = TN_BUF_INIT;
  expect_ok(tn_npz_write(path, names, arrays, 2));
  expect_ok(tn_npz_write(other, names, arrays, 2));
  expect_ok(tn_file_read(path, 0, &first));
  expect_ok(tn_file_read(other, 0, &second));
  assert_int_equal(first.len, second.len);
  assert_memory_equal(first.data, second.data, first.len);
  expect_error(tn_npz_write(path, twice, arrays, 2), TN_INVALID, "array 'a'");
  expect_error(tn_npz_write(path, empty, arrays, 2), TN_INVALID, "array 1 is empty");
  tn_status st = tn_npz_write(unwritable, names, arrays, 2);
  assert_non_null(st);
  tn_status_free(st);
  tn_buf_clear(&second);
  expect_ok(tn_file_read(path, 0, &second)); /* the refused writes left it alone */
  assert_int_equal(first.len, second.len);
  tn_buf_deinit(&first);
  tn_buf_deinit(&second);
  free(path);
  free(other);
  free(unwritable);
  tn_array_deinit(&arrays[0]);
  tn_array_deinit(&arrays[1]);
}

static void write_gz(const char *path, const void *bytes, unsigned n_bytes) {
  gzFile file = gzopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(gzwrite(file, bytes, n_bytes), (int)n_bytes);
  assert_int_equal(gzclose(file), Z_OK);
}

static void idx_is_read_plain_and_packed(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0, 0, 0x0b, 2, 0,    0,    0, 2, 0,    0,
                                  0, 2, 0,    1, 0xff, 0xff, 1, 0, 0x80, 0};
  static const int64_t want[] = {1, -1, 256, -32768};
  char *plain = path_in_folder("a.idx");
  char *packed = path_in_folder("a.idx.gz");
  expect_ok(tn_file_write(plain, bytes, sizeof bytes));
  write_gz(packed, bytes, sizeof bytes);
  for (const char *const *path = (const char *const[]){plain, packed, NULL}; *path; ++path) {
    tn_array array = {0};
    expect_ok(tn_files_read_array(*path, &array));
    assert_int_equal(array.dtype, TN_DT_I16);
    assert_int_equal(array.ndim, 2);
    for (int64_t i = 0; i < 4; ++i) {
      assert_int_equal(tn_array_get_i64(&array, i), want[i]);
    }
    tn_array_deinit(&array);
  }
  free(plain);
  free(packed);
}

static void a_colon_in_a_file_name_is_no_member(void **state) {
  (void)state;
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_F64, 0, NULL));
  char *path = path_in_folder("a:b.npy");
  char *member = path_in_folder("a:b.npy:w");
  tn_array back = {0};
  expect_ok(tn_npy_write(path, &array));
  expect_ok(tn_files_read_array(path, &back));
  expect_error(tn_files_read_array(member, &back), TN_INVALID, "no npz file");
  tn_array_deinit(&back);
  tn_array_deinit(&array);
  free(path);
  free(member);
}

static void a_missing_or_foreign_file_is_named(void **state) {
  (void)state;
  char *missing = path_in_folder("none.npz:w");
  char *text = path_in_folder("a.txt");
  tn_array array = {0};
  expect_ok(tn_file_write(text, "hello", 5));
  expect_error(tn_files_read_array(missing, &array), TN_NOT_FOUND, "none.npz");
  expect_error(tn_files_read_array(text, &array), TN_INVALID, "not an npy, npz, idx");
  expect_error(tn_files_read_array(folder, &array), TN_INVALID, "folder");
  tn_named_arrays all = {0};
  expect_error(tn_files_read_npz(text, &all), TN_CORRUPT, "a.txt");
  free(missing);
  free(text);
}

static void arrays_are_written_in_the_form_of_their_name(void **state) {
  (void)state;
  static const tn_dtype types[] = {TN_DT_U8, TN_DT_I8, TN_DT_I16, TN_DT_I32, TN_DT_F32, TN_DT_F64};
  static const char *const names[] = {"w.npy", "w.idx", "w.idx.gz"};
  int64_t shape[] = {3, 0, 5};
  tn_rng rng = tn_rng_make(5);
  for (size_t t = 0; t < TN_N_ROWS(types); ++t) {
    for (size_t k = 0; k < TN_N_ROWS(names); ++k) {
      tn_array array = {0};
      tn_array back = {0};
      shape[1] = (int64_t)k; /* once without elements */
      expect_ok(tn_array_init(&array, types[t], 3, shape));
      tn_array_fill_random(&array, &rng);
      char *path = path_in_folder(names[k]);
      expect_ok(tn_files_write_array(path, &array));
      expect_ok(tn_files_read_array(path, &back));
      assert_arrays_equal(&array, &back);
      tn_array_deinit(&array);
      tn_array_deinit(&back);
      free(path);
    }
  }
  tn_array longs = {0};
  expect_ok(tn_array_init(&longs, TN_DT_I64, 0, NULL));
  char *path = path_in_folder("w.idx");
  expect_error(tn_files_write_array(path, &longs), TN_UNSUPPORTED, "idx files hold no int64");
  expect_error(tn_files_write_array("w.txt", &longs), TN_INVALID, ".npy, .idx or .idx.gz");
  free(path);
  tn_array_deinit(&longs);
}

int main(void) {
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(every_type_and_rank_comes_back_from_npy),
      cmocka_unit_test(the_npy_text_is_what_numpy_writes),
      cmocka_unit_test(types_that_numpy_has_not_are_records_named_after_them),
      IN_FOLDER(handles_are_refused),
      cmocka_unit_test(foreign_orders_and_versions_are_read),
      cmocka_unit_test(fortran_order_works_in_three_dimensions),
      cmocka_unit_test(bools_of_a_file_become_zero_or_one),
      IN_FOLDER(an_npz_is_read_by_member_and_whole),
      IN_FOLDER(writing_an_npz_twice_gives_the_same_bytes),
      IN_FOLDER(idx_is_read_plain_and_packed),
      IN_FOLDER(arrays_are_written_in_the_form_of_their_name),
      IN_FOLDER(a_colon_in_a_file_name_is_no_member),
      IN_FOLDER(a_missing_or_foreign_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
