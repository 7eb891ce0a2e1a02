/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Plain files and temporary folders. */
#include "tn_test.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"

static char *make_folder(void) {
  char *folder = NULL;
  expect_ok(tn_dir_make_temp(&folder));
  return folder;
}

static char *path_in(const char *folder, const char *name) {
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/%s", folder, name);
  return tn_buf_take(&path);
}

static void what_is_written_is_read_and_mapped(void **state) {
  (void)state;
  char *folder = make_folder();
  char *path = path_in(folder, "a.bin");
  char bytes[200000];
  for (size_t i = 0; i < sizeof bytes; ++i) {
    bytes[i] = (char)(i * 7);
  }
  expect_ok(tn_file_write(path, "old", 3));
  expect_ok(tn_file_write(path, bytes, sizeof bytes));
  tn_buf buf = TN_BUF_INIT;
  tn_buf_puts(&buf, "x");
  expect_ok(tn_file_read(path, 0, &buf));
  assert_int_equal(buf.len, 1 + sizeof bytes);
  assert_memory_equal(buf.data + 1, bytes, sizeof bytes);
  tn_mapped_file file = {0};
  expect_ok(tn_mapped_file_init(&file, path));
  assert_int_equal(file.n_bytes, sizeof bytes);
  assert_memory_equal(file.data, bytes, sizeof bytes);
  tn_mapped_file_deinit(&file);
  tn_buf_deinit(&buf);
  tn_dir_remove_temp(folder);
  assert_false(tn_file_exists(folder));
  free(path);
  free(folder);
}

static void an_empty_file_is_no_error(void **state) {
  (void)state;
  char *folder = make_folder();
  char *path = path_in(folder, "empty");
  expect_ok(tn_file_write(path, NULL, 0));
  tn_buf buf = TN_BUF_INIT;
  expect_ok(tn_file_read(path, 0, &buf));
  assert_int_equal(buf.len, 0);
  tn_mapped_file file = {0};
  expect_ok(tn_mapped_file_init(&file, path));
  assert_null(file.data);
  tn_mapped_file_deinit(&file);
  tn_dir_remove_temp(folder);
  free(path);
  free(folder);
}

static void errors_name_the_path_and_the_reason(void **state) {
  (void)state;
  char *folder = make_folder();
  char *path = path_in(folder, "missing");
  char *below = path_in(folder, "no/such/file");
  tn_buf buf = TN_BUF_INIT;
  tn_mapped_file file = {0};
  expect_error(tn_file_read(path, 0, &buf), TN_NOT_FOUND, "missing': No such file");
  expect_error(tn_mapped_file_init(&file, path), TN_NOT_FOUND, "missing");
  expect_error(tn_file_read(folder, 0, &buf), TN_INVALID, "is a folder");
  expect_error(tn_mapped_file_init(&file, folder), TN_INVALID, "is a folder");
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_error(tn_mapped_file_init(&file, path), TN_INVALID, "is not a regular file");
  assert_int_equal(unlink(path), 0);
  expect_error(tn_file_write(folder, "x", 1), TN_INVALID, "is a folder");
  expect_error(tn_file_write(below, "x", 1), TN_NOT_FOUND, "no/such/file");
  expect_error(tn_file_write("/proc/self/nothing-here", "x", 1), TN_NOT_FOUND, "/proc");
  expect_error(tn_file_write("/dev/full", "x", 1), TN_IO, "No space left");
  expect_ok(tn_file_write("/dev/null", "x", 1));
  expect_ok(tn_file_write(path, "12345", 5));
  expect_error(tn_file_read(path, 4, &buf), TN_INVALID, "limit of 4 bytes");
  assert_int_equal(buf.len, 0);
  tn_buf_deinit(&buf);
  tn_dir_remove_temp(folder);
  free(below);
  free(path);
  free(folder);
}

static void a_link_keeps_pointing_to_the_written_file(void **state) {
  (void)state;
  char *folder = make_folder();
  char *path = path_in(folder, "real");
  char *link_path = path_in(folder, "link");
  expect_ok(tn_file_write(path, "1", 1));
  assert_int_equal(symlink("real", link_path), 0);
  expect_ok(tn_file_write(link_path, "22", 2));
  struct stat info;
  assert_int_equal(lstat(link_path, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 2);
  tn_dir_remove_temp(folder);
  free(link_path);
  free(path);
  free(folder);
}

static void folders_are_made_with_their_parents(void **state) {
  (void)state;
  char *folder = make_folder();
  char *deep = path_in(folder, "a//b/c/");
  char *file = path_in(folder, "f");
  char *below = path_in(folder, "f/g");
  expect_ok(tn_dir_create(deep));
  expect_ok(tn_dir_create(deep));
  assert_true(tn_file_exists(deep));
  expect_ok(tn_file_write(file, "", 0));
  expect_error(tn_dir_create(file), TN_INVALID, "is a file");
  expect_error(tn_dir_create(below), TN_INVALID, "is a file");
  expect_error(tn_dir_create(""), TN_INVALID, "empty");
  for (const char *const *name = (const char *const[]){"a/b/c", "a/b", "a", NULL}; *name; ++name) {
    char *path = path_in(folder, *name);
    assert_int_equal(rmdir(path), 0);
    free(path);
  }
  tn_dir_remove_temp(folder);
  assert_false(tn_file_exists(folder));
  free(below);
  free(file);
  free(deep);
  free(folder);
}

static void the_log_level_is_what_was_set(void **state) {
  (void)state;
  tn_log_set_level(0);
  tn_log(1, "not shown: %d", 1);
  assert_int_equal(tn_log_level(), 0);
  tn_log_set_level(3);
  assert_int_equal(tn_log_level(), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_and_mapped),
      cmocka_unit_test(an_empty_file_is_no_error),
      cmocka_unit_test(errors_name_the_path_and_the_reason),
      cmocka_unit_test(a_link_keeps_pointing_to_the_written_file),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(the_log_level_is_what_was_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
