/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Compiled models on disk: one file for the same bytes and options wherever the model lies, made anew
 * when it is damaged, never the reason for a failure, and not more than they may be. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"
#include "tn_test.h"

static char *dir; /* what is kept, of one test */
static tn_buf model = TN_BUF_INIT;

static int begin(void **state) {
  (void)state;
  expect_ok(tn_dir_make_temp(&dir));
  tn_buf_clear(&model);
  expect_ok(tn_file_read("examples/fashion_resnet18/model.onnx", 0, &model));
  (void)setenv("TENON_CACHE_DIR", dir, 1);
  (void)unsetenv("TENON_CACHE_BYTES");
  return 0;
}

static int end(void **state) {
  (void)state;
  tn_dir_remove_temp(dir);
  free(dir);
  (void)unsetenv("TENON_CACHE_DIR");
  return 0;
}

/* Compiles the model as `bytes` have it, from a file of its own. */
static void compile(const tn_buf *bytes, int32_t level) {
  char *folder = NULL;
  tn_exec *exec = NULL;
  tn_buf path = TN_BUF_INIT;
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  opts.opt_level = level;
  expect_ok(tn_dir_make_temp(&folder));
  tn_buf_printf(&path, "%s/m.onnx", folder);
  expect_ok(tn_file_write(path.data, bytes->data, bytes->len));
  expect_ok(tn_exec_compile(path.data, NULL, &opts, &exec));
  assert_string_equal(tn_exec_function_name(exec, 0), "main");
  tn_exec_release(exec);
  tn_dir_remove_temp(folder);
  free(folder);
  tn_buf_deinit(&path);
}

/* How many are kept; the last one met in *out_info, its path in *out_path. */
static int32_t n_kept(struct stat *out_info, tn_buf *out_path) {
  int32_t n = 0;
  DIR *d = opendir(dir);
  assert_non_null(d);
  for (const struct dirent *entry = readdir(d); entry != NULL; entry = readdir(d)) {
    if (strstr(entry->d_name, ".tnx") != NULL) {
      ++n;
      tn_buf_clear(out_path);
      tn_buf_printf(out_path, "%s/%s", dir, entry->d_name);
      assert_int_equal(stat(out_path->data, out_info), 0);
    }
  }
  (void)closedir(d);
  return n;
}

static void a_model_is_compiled_once(void **state) {
  (void)state;
  struct stat first;
  struct stat again;
  tn_buf path = TN_BUF_INIT;
  compile(&model, 0);
  assert_int_equal(n_kept(&first, &path), 1);
  compile(&model, 0); /* another path */
  assert_int_equal(n_kept(&again, &path), 1);
  assert_true(first.st_ino == again.st_ino && first.st_ctim.tv_nsec != again.st_ctim.tv_nsec);
  compile(&model, 1);
  assert_int_equal(n_kept(&again, &path), 2);
  model.data[model.len / 2] ^= 1; /* in the weights */
  compile(&model, 0);
  assert_int_equal(n_kept(&again, &path), 3);
  tn_buf_deinit(&path);
}

static void a_damaged_one_is_made_anew(void **state) {
  (void)state;
  struct stat info;
  tn_buf path = TN_BUF_INIT;
  compile(&model, 0);
  assert_int_equal(n_kept(&info, &path), 1);
  assert_int_equal(truncate(path.data, info.st_size / 2), 0);
  compile(&model, 0);
  int64_t n_bytes = info.st_size;
  assert_int_equal(n_kept(&info, &path), 1);
  assert_int_equal(info.st_size, n_bytes);
  tn_buf_deinit(&path);
}

static void what_can_not_be_kept_is_compiled(void **state) {
  (void)state;
  struct stat info;
  tn_buf path = TN_BUF_INIT;
  (void)setenv("TENON_CACHE_DIR", "/proc/none", 1);
  compile(&model, 0);
  (void)setenv("TENON_CACHE_DIR", "", 1);
  compile(&model, 0);
  assert_int_equal(n_kept(&info, &path), 0);
  tn_buf_deinit(&path);
}

static void those_used_last_stay(void **state) {
  (void)state;
  struct stat info;
  tn_buf path = TN_BUF_INIT;
  (void)setenv("TENON_CACHE_BYTES", "5000000", 1); /* one and a half of them */
  compile(&model, 0);
  compile(&model, 1);
  assert_int_equal(n_kept(&info, &path), 1);
  ino_t newest = info.st_ino;
  compile(&model, 1);
  assert_int_equal(n_kept(&info, &path), 1);
  assert_true(info.st_ino == newest);
  tn_buf_deinit(&path);
}

static void a_broken_model_is_told(void **state) {
  (void)state;
  tn_exec *exec = NULL;
  expect_error(tn_exec_compile("/nowhere/m.onnx", NULL, NULL, &exec), TN_NOT_FOUND, "m.onnx");
  expect_error(tn_exec_compile("README.md", NULL, NULL, &exec), TN_INVALID, "README.md");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_model_is_compiled_once, begin, end),
      cmocka_unit_test_setup_teardown(a_damaged_one_is_made_anew, begin, end),
      cmocka_unit_test_setup_teardown(what_can_not_be_kept_is_compiled, begin, end),
      cmocka_unit_test_setup_teardown(those_used_last_stay, begin, end),
      cmocka_unit_test_setup_teardown(a_broken_model_is_told, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
