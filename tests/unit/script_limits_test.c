/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* What is too large for the reader ends in a diagnostic, not in a crash or without memory. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_of_more_than_a_quarter_gibibyte_is_refused_unread),
      cmocka_unit_test(a_program_past_the_limit_of_its_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
