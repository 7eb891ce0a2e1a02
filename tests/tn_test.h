/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the unit tests need beside cmocka: texts compared with a diff, statuses, tables of cases.
 *
 *   static void an_empty_name_is_refused(void **state) {
 *     (void)state;
 *     expect_error(tn_thing_open("", &thing), TN_INVALID, "name is empty");
 *   }
 *   int main(void) {
 *     const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_name_is_refused)};
 *     return cmocka_run_group_tests(tests, NULL, NULL);
 *   } */
#ifndef TN_TESTS_TN_TEST_H
#define TN_TESTS_TN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tenon/status.h"

/// The number of rows of a table.
#define TN_N_ROWS(table) (sizeof(table) / sizeof((table)[0]))

/// Fails, showing a unified diff, unless both texts are equal. Neither may be NULL.
#define expect_text(got, want) tn_expect_text((got), (want), __FILE__, __LINE__)

/// Fails unless `st` has the code and its message contains `part`. Frees `st`.
#define expect_error(st, code, part) tn_expect_error((st), (code), (part), __FILE__, __LINE__)

/// Fails, showing the message, unless `st` is NULL. Frees `st`.
#define expect_ok(st) tn_expect_ok((st), __FILE__, __LINE__)

/// Fails with a printf-like message unless `cond` holds; for tables, name the case in it.
#define expect_true(cond, ...)    \
  do {                            \
    if (!(cond)) {                \
      print_error("%s: ", #cond); \
      print_error(__VA_ARGS__);   \
      print_error("\n");          \
      _fail(__FILE__, __LINE__);  \
    }                             \
  } while (0)

static inline void tn_write_temp(char *path, const char *text) {
  int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (file == NULL) {
    fail_msg("cannot write %s", path);
    return;
  }
  fputs(text, file);
  fclose(file);
}

static inline void tn_expect_text(const char *got, const char *want, const char *file, int line) {
  if (strcmp(got, want) == 0) {
    return;
  }
  char want_path[] = "/tmp/tn-want-XXXXXX";
  char got_path[] = "/tmp/tn-got-XXXXXX";
  tn_write_temp(want_path, want);
  tn_write_temp(got_path, got);
  char command[128];
  (void)snprintf(command, sizeof command, "diff -u --label want --label got %s %s 1>&2", want_path,
                 got_path);
  fflush(stdout);
  if (system(command) == 0) {
    print_error("the texts differ only in what diff does not show\n");
  }
  unlink(want_path);
  unlink(got_path);
  _fail(file, line);
}

static inline void tn_expect_error(tn_status st, tn_code code, const char *part, const char *file,
                                   int line) {
  if (st != NULL && tn_status_code(st) == code && strstr(tn_status_message(st), part) != NULL) {
    tn_status_free(st);
    return;
  }
  print_error("want: \"%s\" [%s]\ngot:  \"%s\" [%s]\n", part, tn_code_name(code),
              tn_status_message(st), tn_code_name(tn_status_code(st)));
  tn_status_free(st);
  _fail(file, line);
}

static inline void tn_expect_ok(tn_status st, const char *file, int line) {
  if (st == NULL) {
    return;
  }
  print_error("want: ok\ngot:  \"%s\" [%s]\n", tn_status_message(st),
              tn_code_name(tn_status_code(st)));
  tn_status_free(st);
  _fail(file, line);
}

#endif
