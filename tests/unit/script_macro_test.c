/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* @T.macro: a text with macros reads as the text without them, and what macros get wrong is shown
 * in their text with the line of the call. */
#include "script_util.h"

#define FUNC "@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\"), n: T.int32):\n"

typedef struct macro_row {
  const char *with_macros;
  const char *body; /* of f without them */
} macro_row;

static void check_row(size_t i, const macro_row *row) {
  script_case with;
  script_case without;
  tn_buf text = TN_BUF_INIT;
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&text, FUNC "%s", row->body);
  script_case_init(&with, row->with_macros);
  script_case_init(&without, tn_buf_text(&text));
  char *problems = script_case_problems(&with);
  expect_true(with.diags.n == 0, "row %zu: %s", i, problems);
  expect_true(without.diags.n == 0, "row %zu: the text without macros is wrong", i);
  expect_true(tn_module_equal(&with.module, &without.module, &path), "row %zu differs at %s", i,
              tn_buf_text(&path));
  free(problems);
  script_case_deinit(&with);
  script_case_deinit(&without);
  tn_buf_deinit(&text);
  tn_buf_deinit(&path);
}

static void a_call_reads_as_the_statements_of_the_macro(void **state) {
  (void)state;
  static const macro_row rows[] = {
      {"@T.macro\ndef m(B, i):\n    B[i] = B[i + 1]\n" FUNC "    m(A, 3)\n    m(i=n, B=A)\n",
       "    A[3] = A[4]\n    A[n] = A[n + 1]\n"},
      {"@T.macro\ndef m(B, v=T.float32(2)):\n    B[0] = v\n" FUNC "    m(A)\n    m(A, A[1])\n",
       "    A[0] = T.float32(2)\n    A[0] = A[1]\n"},
      {"@T.macro\ndef m():\n    pass\n" FUNC "    m()\n    A[0] = T.float32(1)\n",
       "    A[0] = T.float32(1)\n"},
      /* a macro's own names end with it */
      {"@T.macro\ndef m(B):\n    x = B[0]\n    B[1] = x\n" FUNC "    x = n + 1\n    m(A)\n"
       "    m(A)\n    A[x] = A[0]\n",
       "    x = n + 1\n    y = A[0]\n    A[1] = y\n    z = A[0]\n    A[1] = z\n    A[x] = A[0]\n"},
      /* known conditions are decided at the call */
      {"@T.macro\ndef m(B, k):\n    if k > 1:\n        B[0] = B[k]\n" FUNC "    m(A, 1)\n"
       "    m(A, 2)\n",
       "    A[0] = A[2]\n"},
      /* axes and buffers of the block around the call */
      {"@T.macro\ndef m(B, i):\n    v = T.axis.spatial(16, i)\n    t = T.alloc_buffer((1,))\n"
       "    t[0] = B[v]\n    B[v] = t[0]\n" FUNC
       "    for i in range(16):\n        with T.block(\"b\"):\n            m(A, i)\n",
       "    for i in range(16):\n        with T.block(\"b\"):\n            v = T.axis.spatial(16, "
       "i)\n"
       "            t = T.alloc_buffer((1,))\n            t[0] = A[v]\n            A[v] = t[0]\n"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    check_row(i, &rows[i]);
  }
}

static void names_mean_what_they_mean_where_the_macro_stands(void **state) {
  (void)state;
  static const macro_row rows[] = {
      /* the definition's N, not the loop's and not the one below */
      {"N = 3\n@T.macro\ndef m(B):\n    B[N] = B[0]\nN = 4\n" FUNC
       "    for N in range(16):\n        m(A)\n",
       "    for i in range(16):\n        A[3] = A[0]\n"},
      {"@T.macro(hygienic=False)\ndef m(B):\n    B[N] = B[0]\nN = 4\n" FUNC
       "    m(A)\n    for N in range(16):\n        m(A)\n",
       "    A[4] = A[0]\n    for i in range(16):\n        A[i] = A[0]\n"},
      /* an open macro called by a hygienic one sees what that one sees, and its parameters */
      {"N = 3\n@T.macro(hygienic=False)\ndef open(B):\n    B[k] = B[N]\n@T.macro\ndef m(B, k):\n"
       "    open(B)\n" FUNC "    for N in range(16):\n        m(A, 1)\n        A[N] = A[0]\n",
       "    for i in range(16):\n        A[1] = A[3]\n        A[i] = A[0]\n"},
      /* a macro may be given to a macro */
      {"@T.macro\ndef zero(B, i):\n    B[i] = T.float32(0)\n@T.macro\ndef twice(f, B):\n"
       "    f(B, 0)\n    f(B, 1)\n" FUNC "    twice(zero, A)\n",
       "    A[0] = T.float32(0)\n    A[1] = T.float32(0)\n"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    check_row(i, &rows[i]);
  }
}

typedef struct error_row {
  const char *text;
  const char *id;
  uint32_t line;
  uint32_t col;
  const char *part;
} error_row;

static void mistakes_are_shown_in_the_macro_with_the_line_of_the_call(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"@T.macro\ndef m(B):\n    B[n] = B[0]\n" FUNC "    m(A)\n", "undefined-name", 3, 7,
       "in macro 'm', called at line 6"},
      {"@T.macro\ndef m(B):\n    B[0, 0] = B[0]\n@T.macro\ndef k(B):\n    m(B)\n" FUNC "    k(A)\n",
       "wrong-index-count", 3, 5, "in macro 'm', called at line 6, in macro 'k', called at line 9"},
      {FUNC "    m(A)\n@T.macro\ndef m(B):\n    B[0] = B[1]\n", "unknown-function", 3, 5, NULL},
      {"@T.macro\ndef m(B):\n    m(B)\n" FUNC "    m(A)\n", "recursive-macro", 3, 5, "'m'"},
      {"@T.macro\ndef m(B):\n    pass\n" FUNC "    m()\n", "missing-argument", 6, 5, "'B'"},
      {"@T.macro\ndef m(B):\n    pass\n" FUNC "    m(A, A)\n", "wrong-argument-count", 6, 10, NULL},
      {"@T.macro\ndef m(B, i):\n    pass\n" FUNC "    m(B=A, 3)\n", "wrong-argument-count", 6, 12,
       NULL},
      {"@T.macro\ndef m(buf):\n    pass\n" FUNC "    m(but=A)\n", "unknown-argument", 6, 7,
       "did you mean 'buf'?"},
      {"@T.macro\ndef m(B):\n    pass\n" FUNC "    m(A, B=A)\n", "duplicate-argument", 6, 10,
       "'B'"},
      {"@T.macro\ndef m(B):\n    pass\n" FUNC "    x = m(A)\n", "wrong-place", 6, 9, "no value"},
      {"@T.macro\ndef m(B):\n    pass\n" FUNC "    A[0] = m\n", "not-an-expression", 6, 12,
       "a macro"},
      {"@T.macro(1)\ndef m(B):\n    pass\n" FUNC "    m(A)\n", "wrong-argument-count", 1, 2, NULL},
      {"@T.macro(hygenic=False)\ndef m(B):\n    pass\n" FUNC "    m(A)\n", "unknown-argument", 1,
       10, "did you mean 'hygienic'?"},
      {"@T.inline\ndef m(B):\n    pass\n" FUNC "    m(A, A)\n", "wrong-argument-count", 6, 10,
       "takes 1"},
      {"@T.macro\ndef f(B):\n    pass\n" FUNC "    pass\n", "duplicate-function", 2, 1, "'f'"},
      {"@T.macro\ndef m(B):\n    pass\n", "empty-module", 4, 1, NULL},
      {"@T.macro\ndef m(B=T.evaluate(0)):\n    pass\n" FUNC "    m(A)\n", "wrong-place", 2, 9,
       NULL},
      {"@T.macro\ndef m():\n    pass\n@R.function\ndef g(x: R.Tensor((4,))):\n    y = m()\n"
       "    return x\n",
       "wrong-level", 6, 9, "@T.prim_func"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    script_case c;
    script_case_init(&c, rows[i].text);
    char *shown = script_case_problems(&c);
    bool is_ok = c.diags.n > 0 && strcmp(c.diags.items[0].id, rows[i].id) == 0 &&
                 c.diags.items[0].pos.line == rows[i].line &&
                 c.diags.items[0].pos.col == rows[i].col;
    expect_true(is_ok, "row %zu: want %s at %u:%u, got\n%s", i, rows[i].id, rows[i].line,
                rows[i].col, shown);
    expect_true(rows[i].part == NULL || strstr(shown, rows[i].part) != NULL,
                "row %zu: want '%s' in\n%s", i, rows[i].part, shown);
    free(shown);
    script_case_deinit(&c);
  }
}

/* n macros, each calling the one before `calls` times. */
static char *chain(int n, int calls) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "@T.macro\ndef m0(B):\n    B[0] = T.float32(1)\n");
  for (int i = 1; i < n; ++i) {
    tn_buf_printf(&text, "@T.macro\ndef m%d(B):\n", i);
    for (int k = 0; k < calls; ++k) {
      tn_buf_printf(&text, "    m%d(B)\n", i - 1);
    }
  }
  tn_buf_printf(&text, FUNC "    m%d(A)\n", n - 1);
  return tn_buf_take(&text);
}

static void macros_that_grow_without_bound_are_refused(void **state) {
  (void)state;
  static const struct {
    int n;
    int calls;
    const char *id; /* NULL: none */
  } rows[] = {{50, 1, NULL}, {8, 3, NULL}, {2000, 1, "nested-too-deep"}, {50, 2, "too-large"}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    char *text = chain(rows[i].n, rows[i].calls);
    script_case c;
    script_case_init(&c, text);
    bool is_ok = rows[i].id == NULL
                     ? c.diags.n == 0
                     : c.diags.n == 1 && strcmp(c.diags.items[0].id, rows[i].id) == 0;
    char *shown = script_case_problems(&c);
    expect_true(is_ok, "row %zu: want %s, got\n%s", i, rows[i].id, shown);
    free(shown);
    free(text);
    script_case_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_reads_as_the_statements_of_the_macro),
      cmocka_unit_test(names_mean_what_they_mean_where_the_macro_stands),
      cmocka_unit_test(mistakes_are_shown_in_the_macro_with_the_line_of_the_call),
      cmocka_unit_test(macros_that_grow_without_bound_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
