/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Programs of thousands of statements go through all passes and the printer in time that grows with
 * their size: each of these took minutes while something looked at all names for every name. */
#include "tn_test.h"

#include "base/buf.h"
#include "tenon/compiler.h"

enum { N_CALLS = 4000, N_LETS = 10000 };

static const char head[] = "from tvm.script import ir as I\n"
                           "from tvm.script import relax as R\n"
                           "from tvm.script import tir as T\n"
                           "@I.ir_module\n"
                           "class Large:\n";

/* Runs the passes of compilation, prints and gives back the printed text. */
static char *lower(tn_buf *text) {
  tn_program *program = NULL;
  char *printed = NULL;
  expect_ok(tn_program_parse(text->data, text->len, "large.py", &program));
  expect_ok(tn_program_run_passes(program, tn_default_passes(), NULL));
  expect_ok(tn_program_print(program, &printed));
  tn_program_free(program);
  tn_buf_deinit(text);
  return printed;
}

static int32_t count(const char *text, const char *part) {
  int32_t n = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    ++n;
  }
  return n;
}

static void thousands_of_calls_of_one_operator_are_lowered(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n");
  tn_buf_puts(&text, "        y0 = R.cumsum(x, axis=0)\n");
  for (int i = 1; i < N_CALLS; ++i) {
    tn_buf_printf(&text, "        y%d = R.cumsum(y%d, axis=0)\n", i, i - 1);
  }
  tn_buf_printf(&text, "        return y%d\n", N_CALLS - 1);
  char *printed = lower(&text);
  assert_int_equal(count(printed, "R.vm.call_dps("), N_CALLS);
  assert_int_equal(count(printed, "@T.prim_func"), 1);
  free(printed);
}

static void thousands_of_elementwise_calls_are_fused(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n");
  tn_buf_puts(&text, "        y0 = R.add(x, x)\n");
  for (int i = 1; i < N_CALLS; ++i) {
    tn_buf_printf(&text, "        y%d = R.add(y%d, x)\n", i, i - 1);
  }
  tn_buf_printf(&text, "        return y%d\n", N_CALLS - 1);
  char *printed = lower(&text);
  expect_true(count(printed, "R.vm.call_dps(") < N_CALLS / 8, "most calls are part of another");
  free(printed);
}

static void thousands_of_functions_of_one_name_are_numbered(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @R.function\n    def main(");
  for (int i = 0; i < N_CALLS; ++i) {
    tn_buf_printf(&text, "x%d: R.Tensor((%d,), \"float32\"), ", i, i + 1);
  }
  tn_buf_puts(&text, "x: R.Object):\n");
  for (int i = 0; i < N_CALLS; ++i) {
    tn_buf_printf(&text, "        y%d = R.add(x%d, x%d)\n", i, i, i);
  }
  tn_buf_puts(&text, "        return (");
  for (int i = 0; i < N_CALLS; ++i) {
    tn_buf_printf(&text, "y%d, ", i);
  }
  tn_buf_puts(&text, ")\n");
  char *printed = lower(&text);
  assert_int_equal(count(printed, "@T.prim_func"), N_CALLS);
  free(printed);
}

static void a_long_chain_of_unused_lets_goes(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @T.prim_func\n"
                     "    def f(A: T.Buffer((4,), \"float32\"), n: T.int32):\n"
                     "        v0: T.int32 = n * 3\n");
  for (int i = 1; i < N_LETS; ++i) {
    tn_buf_printf(&text, "        v%d: T.int32 = v%d * 3 + %d\n", i, i - 1, i);
  }
  tn_buf_puts(&text, "        A[0] = T.float32(1)\n");
  char *printed = lower(&text);
  assert_null(strstr(printed, "T.int32 ="));
  assert_non_null(strstr(printed, "A[0] = T.float32(1.0)"));
  free(printed);
}

/* v44 has 2^44 occurrences of v0 once the lets are put in. */
static void squares_of_squares_are_looked_at_once(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @T.prim_func\n"
                     "    def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"int32\")):\n"
                     "        for j in T.vectorized(8):\n"
                     "            v0: T.int32 = j + B[0]\n");
  for (int i = 1; i < 45; ++i) {
    tn_buf_printf(&text, "            v%d: T.int32 = v%d * (v%d + %d)\n", i, i - 1, i - 1, i);
  }
  tn_buf_puts(&text, "            A[v44 % 64] = T.float32(1)\n");
  char *printed = lower(&text);
  assert_non_null(strstr(printed, "for j in range(8)"));
  free(printed);
}

static void a_loop_of_many_statements_is_not_unrolled(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, head);
  tn_buf_puts(&text, "    @T.prim_func\n"
                     "    def f(A: T.Buffer((500000,), \"float32\")):\n"
                     "        for u in T.unroll(1000):\n");
  for (int i = 0; i < 500; ++i) {
    tn_buf_printf(&text, "            A[u * 500 + %d] = T.float32(%d)\n", i, i);
  }
  char *printed = lower(&text);
  assert_int_equal(count(printed, "] = T.float32("), 500);
  free(printed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thousands_of_calls_of_one_operator_are_lowered),
      cmocka_unit_test(thousands_of_elementwise_calls_are_fused),
      cmocka_unit_test(thousands_of_functions_of_one_name_are_numbered),
      cmocka_unit_test(squares_of_squares_are_looked_at_once),
      cmocka_unit_test(a_loop_of_many_statements_is_not_unrolled),
      cmocka_unit_test(a_long_chain_of_unused_lets_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
