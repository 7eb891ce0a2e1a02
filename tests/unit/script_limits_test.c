/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* What is too large for the reader ends in a diagnostic, not in a crash or without memory. */
#include "base/clock.h"
#include "script_util.h"

static void expect_id(const script_case *c, const char *id) {
  char *problems = script_case_problems(c);
  char in_brackets[64];
  (void)snprintf(in_brackets, sizeof in_brackets, "[%s]", id);
  expect_true(c->diags.n > 0 && strstr(problems, in_brackets) != NULL, "want %s, got: %s", id,
              problems);
  free(problems);
}

static void a_text_of_more_than_a_quarter_gibibyte_is_refused_unread(void **state) {
  (void)state;
  const tn_script_opts opts = {.file_name = "t.py", .ops = tn_ops_table()};
  script_case c = {.ir = tn_ir_new(0)};
  tn_module_init(&c.module, c.ir, "Module");
  tn_script_parse("", (size_t)1 << 29, &opts, &c.module, &c.diags);
  expect_id(&c, "too-large");
  script_case_deinit(&c);
}

static void a_program_past_the_limit_of_its_memory_is_an_error(void **state) {
  (void)state;
  const tn_script_opts opts = {.file_name = "t.py", .ops = tn_ops_table()};
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "@T.prim_func\ndef f(A: T.Buffer((20000,), \"float32\")):\n");
  for (int i = 0; i < 20000; ++i) {
    tn_buf_printf(&text, "    A[%d] = T.float32(%d)\n", i, i);
  }
  script_case c = {.ir = tn_ir_new(1 << 20)};
  tn_module_init(&c.module, c.ir, "Module");
  tn_script_parse(tn_buf_text(&text), text.len, &opts, &c.module, &c.diags);
  expect_id(&c, "out-of-memory");
  script_case_deinit(&c);
  tn_buf_deinit(&text);
}

/* Nanoseconds to read and print a function of n times the line, in which %d is a running number. */
static int64_t time_of(const char *line, int n) {
  tn_buf text = TN_BUF_INIT;
  tn_buf out = TN_BUF_INIT;
  tn_buf_puts(&text, "@T.prim_func\ndef f(A: T.Buffer((100000,), \"float32\")):\n");
  for (int i = 0; i < n; ++i) {
    for (const char *p = line; *p != 0; ++p) {
      if (*p == '%') {
        tn_buf_printf(&text, "%d", i);
      } else {
        tn_buf_putc(&text, *p);
      }
    }
  }
  int64_t start = tn_clock_ns();
  script_case c;
  script_case_init(&c, tn_buf_text(&text));
  assert_int_equal(c.diags.n, 0);
  tn_script_print(&c.module, NULL, &out);
  int64_t ns = tn_clock_ns() - start;
  script_case_deinit(&c);
  tn_buf_deinit(&text);
  tn_buf_deinit(&out);
  return ns;
}

/* Ten times the text in far less than the hundred times that anything quadratic takes. */
static void long_functions_are_read_and_printed_in_linear_time(void **state) {
  (void)state;
  static const char *const lines[] = {
      "    A[%] = A[%] + T.float32(2)\n",
      "    x%: T.float32 = A[%]\n",
      "    with T.LetStmt(A[%]) as x:\n        A[%] = x\n",
      "    for i in range(16):\n        A[i] = T.float32(0)\n",
  };
  for (size_t i = 0; i < TN_N_ROWS(lines); ++i) {
    int64_t few = time_of(lines[i], 2000);
    int64_t many = time_of(lines[i], 20000);
    expect_true(many < 50 * few + 1000000000, "row %zu: %lld ns, then %lld", i, (long long)few,
                (long long)many);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_of_more_than_a_quarter_gibibyte_is_refused_unread),
      cmocka_unit_test(a_program_past_the_limit_of_its_memory_is_an_error),
      cmocka_unit_test(long_functions_are_read_and_printed_in_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
