/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* What is printed reads back to an equal module, and prints as the same text again: every example,
 * every golden input, every golden expectation that is a program. Modules made at random are in
 * script_random_test.c. */
#include <dirent.h>
#include <sys/stat.h>

#include "roundtrip.h"
#include "tn_test.h"

/* Reads `text`, prints it and checks the way back. What is not for us (broken on purpose) is
 * skipped by the caller. */
static void check_text(const char *name, const char *text, size_t len) {
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_buf problem = TN_BUF_INIT;
  tn_module_init(&module, ir, "Module");
  if (!roundtrip_read(name, text, len, NULL, &module, &problem) ||
      !roundtrip_check(name, &module, &problem)) {
    print_error("%s\n", tn_buf_text(&problem));
    fail();
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
  tn_buf_deinit(&problem);
}

static bool is_printed_by(const char *text, const char *command) {
  size_t len = strlen(command);
  return strncmp(text, "# run: ", 7) == 0 && strncmp(text + 7, command, len) == 0;
}

/* A golden file is two programs: the input, and, where its command prints one, the expectation. */
static void check_golden(const char *name, const char *text) {
  static const char mark[] = "\n# expect:\n";
  const char *expected = strstr(text, mark);
  if (is_printed_by(text, "not ") || expected == NULL) {
    return;
  }
  const char *steps = strstr(text, "\n# steps:\n"); /* of a schedule, after the program */
  const char *end = steps != NULL && steps < expected ? steps : expected;
  check_text(name, text, (size_t)(end + 1 - text));
  if (is_printed_by(text, "tenon fmt ") || is_printed_by(text, "tenon opt ")) {
    expected += sizeof mark - 1;
    if (strstr(expected, "metadata[") == NULL) { /* whose constants stand in another file */
      check_text(name, expected, strlen(expected));
    }
  }
}

typedef void (*check_file)(const char *name, const char *text);

static void check_example(const char *name, const char *text) {
  if (strstr(text, "script import") != NULL || strstr(text, "@T.prim_func") != NULL) {
    check_text(name, text, strlen(text));
  }
}

static void visit(const char *dir, check_file check, int *n_files) {
  struct dirent **entries = NULL;
  int n = scandir(dir, &entries, NULL, alphasort);
  for (int i = 0; i < n; ++i) {
    char path[1024];
    struct stat info;
    const char *dot = strrchr(entries[i]->d_name, '.');
    (void)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.' && stat(path, &info) == 0) {
      if (S_ISDIR(info.st_mode)) {
        visit(path, check, n_files);
      } else if (dot != NULL && strcmp(dot, ".py") == 0) {
        tn_buf text = TN_BUF_INIT;
        expect_ok(tn_file_read(path, 0, &text));
        check(path, tn_buf_text(&text));
        tn_buf_deinit(&text);
        ++*n_files;
      }
    }
    free(entries[i]);
  }
  free(entries);
}

static void every_example_reads_back_equal(void **state) {
  (void)state;
  int n_files = 0;
  visit("examples", check_example, &n_files);
  assert_true(n_files >= 3);
}

static void every_golden_program_reads_back_equal(void **state) {
  (void)state;
  int n_files = 0;
  visit("tests/golden", check_golden, &n_files);
  assert_true(n_files > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_reads_back_equal),
      cmocka_unit_test(every_golden_program_reads_back_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
