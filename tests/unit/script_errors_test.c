/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* Mistakes in the text: each row is a program, the id of the problem it must give first, where, and
 * a part of what is shown (message or hint). */
#include "script_util.h"

typedef struct error_row {
  const char *text;
  const char *id;
  uint32_t line;
  uint32_t col;
  const char *part; /* NULL: any */
} error_row;

typedef char *(*wrap_fn)(const char *body);

static char *as_is(const char *text) { return strdup(text); }

static void check_rows(const error_row *rows, size_t n, wrap_fn wrap) {
  for (size_t i = 0; i < n; ++i) {
    script_case c;
    char *text = wrap(rows[i].text);
    script_case_init(&c, text);
    char *shown = script_case_problems(&c);
    expect_true(c.diags.n >= 1, "row %zu gave no problem:\n%s", i, text);
    bool is_ok = strcmp(c.diags.items[0].id, rows[i].id) == 0 &&
                 c.diags.items[0].pos.line == rows[i].line &&
                 c.diags.items[0].pos.col == rows[i].col;
    expect_true(is_ok, "row %zu: want %s at %u:%u, got\n%s", i, rows[i].id, rows[i].line,
                rows[i].col, shown);
    expect_true(rows[i].part == NULL || strstr(shown, rows[i].part) != NULL,
                "row %zu: want '%s' in\n%s", i, rows[i].part, shown);
    free(shown);
    free(text);
    script_case_deinit(&c);
  }
}

static void syntax_errors_are_shown_where_they_stand(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"", "empty-module", 1, 1, NULL},
      {"@T.prim_func\ndef f(A T.handle):\n    pass", "syntax", 2, 9,
       "expected ')' to close the parameter list, got 'T'"},
      {"@T.prim_func\ndef f():\npass", "syntax", 3, 1, "expected an indented block"},
      {"@T.prim_func\ndef f():\n    x = 1 +\n", "syntax", 3, 12,
       "expected an expression, got end of line"},
      {"@T.prim_func\ndef f():\n    x = 1 < 2 < 3\n", "chained-compare", 3, 15, NULL},
      {"@T.prim_func\ndef f():\n    try:\n        pass\n", "syntax", 3, 5, "'try'"},
      {"@T.prim_func\ndef f():\n    x = [i for i in y]\n", "needs-python", 3, 12, "items"},
      {"@T.prim_func\ndef f():\n    x = f(*a)\n", "syntax", 3, 11, NULL},
      {"@T.prim_func\ndef f():\n    x = y = 1\n", "syntax", 3, 11, "chained assignment"},
      {"@T.prim_func\ndef f():\n    x = 99999999999999999999999\n", "integer-too-large", 3, 9,
       NULL},
      {"@T.prim_func\ndef f():\n    x = 12abc\n", "bad-number", 3, 9, "12abc"},
      {"@T.prim_func\ndef f():\n    x = \"\\x00\"\n", "bad-escape", 3, 9, NULL},
      {"def f():\n    pass", "bad-decorator", 1, 1, NULL},
      {"@T.prim_fun\ndef f():\n    pass", "bad-decorator", 1, 2, "T.prim_func"},
      {"class M:\n    pass", "bad-decorator", 1, 1, "@I.ir_module"},
      {"@I.ir_module\nclass M:\n    x: int = 3", "bad-module-member", 3, 5, NULL},
      {"@I.ir_module\nclass M:\n    for i in range(3):\n        pass", "bad-module-member", 3, 5,
       NULL},
      {"@I.ir_module\nclass M:\n    pass\n@T.prim_func\ndef f():\n    pass", "bad-file", 5, 1,
       NULL},
      {"@T.prim_func\ndef f():\n    pass\n@T.prim_func\ndef f():\n    pass\n", "duplicate-function",
       5, 1, NULL},
      {"@T.prim_func(privat=True)\ndef f():\n    pass", "unknown-argument", 1, 14, "private"},
      {"print('x')", "unknown-function", 1, 1, "print"},
      {"A = T.Buffer((4,))\nA[0] = 1\n@T.prim_func\ndef f():\n    pass", "bad-file", 2, 1, NULL},
  };
  check_rows(rows, TN_N_ROWS(rows), as_is);
}

static void functions_have_typed_parameters(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"@T.prim_func\ndef f(A):\n    pass", "missing-annotation", 2, 7, "'A'"},
      {"@T.prim_func\ndef f(A: int):\n    pass", "bad-annotation", 2, 10, NULL},
      {"@T.prim_func\ndef f(A: T.int33):\n    pass", "unknown-dtype", 2, 10, "int32"},
      {"@T.prim_func\ndef f(A: T.int32, A: T.int32):\n    pass", "name-reused", 2, 19, NULL},
      {"@T.prim_func\ndef f(A: T.Buffer[(4,), \"flot32\"]):\n    pass", "unknown-dtype", 2, 25,
       "float32"},
      {"@T.prim_func\ndef f(A: T.Buffer((4,), \"flot32\")):\n    pass", "unknown-dtype", 2, 25,
       "float32"},
      {"@T.prim_func\ndef f(A: T.Buffer((-4,))):\n    pass", "bad-buffer", 2, 19, "-4"},
      {"@T.prim_func\ndef f(A: T.Buffer((\"n +\",))):\n    pass", "bad-size", 2, 20, NULL},
      {"@T.prim_func\ndef f(A: T.Buffer((n,))):\n    pass", "undefined-name", 2, 20, "'n'"},
      {"@T.prim_func\ndef f() -> T.handle:\n    pass", "bad-annotation", 2, 12, NULL},
      {"@T.prim_func(private=True)\ndef f():\n    T.func_attr({\"global_symbol\": \"f\"})",
       "private-with-symbol", 2, 1, NULL},
      {"@R.function\ndef f(x):\n    return x", "missing-annotation", 2, 7, NULL},
      {"@R.function\ndef f(x: R.Tensr((4,))):\n    return x", "bad-annotation", 2, 10, "R.Tensor"},
      {"@R.function\ndef f(x: R.Tensor((\"n + 1\",))):\n    return x", "undefined-name", 2, 20,
       "'n'"},
      {"@R.function\ndef f(x: R.Tensor((\"n +\",))):\n    return x", "bad-size", 2, 20, NULL},
      {"@R.function\ndef f(x: R.Tensor((4,), ndim=2)):\n    return x", "bad-shape", 2, 30, NULL},
      {"@R.function\ndef f(x: R.Tensor((4,))):\n    pass", "missing-return", 2, 1, NULL},
      {"@R.function(private=True)\ndef f(x: R.Object):\n    R.func_attr({\"global_symbol\": "
       "\"f\"})\n    return x",
       "private-with-symbol", 2, 1, NULL},
  };
  check_rows(rows, TN_N_ROWS(rows), as_is);
}

static void loop_level_mistakes_are_named(void **state) {
  (void)state;
  static const error_row rows[] = {
      /* names */
      {"A[0] = Bb[0, 0]", "undefined-name", 3, 12, NULL},
      {"A[0] = nn", "undefined-name", 3, 12, NULL},
      {"for index in range(4):\n    A[indx] = 1.0", "undefined-name", 4, 11,
       "did you mean 'index'?"},
      {"T.evalute(0)", "unknown-function", 3, 5, "evaluate"},
      {"x = 1.0\nx = 2.0", "name-reused", 4, 5, NULL},
      {"C = T.alloc_buffer((4,))\nC = T.alloc_buffer((4,))", "name-reused", 4, 5, NULL},
      /* loops */
      {"for i in rang(4):\n    pass", "unknown-loop", 3, 14, "range"},
      {"for i in T.serail(4):\n    pass", "unknown-loop", 3, 14, "T.serial"},
      {"for i in A:\n    pass", "unknown-loop", 3, 14, NULL},
      {"for i, j in range(4):\n    pass", "wrong-target-count", 3, 9, NULL},
      {"for i, j in T.grid(4):\n    pass", "wrong-target-count", 3, 9,
       "2 loop variables for 1 extents"},
      {"for i in range(1.5):\n    pass", "not-an-integer", 3, 20, NULL},
      {"for i in range(0, 8, 0):\n    pass", "bad-step", 3, 26, NULL},
      {"for i in T.serial(0, -128, step=-1, dtype=\"int8\"):\n    pass", "integer-too-large", 3, 37,
       "128 rounds"},
      {"for i in range(0, -9223372036854775808, -1):\n    pass", "integer-too-large", 3, 45,
       "9223372036854775808 rounds"},
      {"for i in range(0, n, T.int32(-2147483648)):\n    pass", "integer-too-large", 3, 26,
       "a step of -2147483648"},
      {"for i in T.thread_binding(4):\n    pass", "missing-argument", 3, 14, "thread"},
      {"return A.data", "type-mismatch", 3, 12, "cannot return a handle"},
      {"while A[0]:\n    pass", "not-a-condition", 3, 11, "float32"},
      {"if A[0]:\n    pass", "not-a-condition", 3, 8, NULL},
      /* with */
      {"with T.blok(\"b\"):\n    pass", "unknown-with", 3, 10, "T.block"},
      {"with A:\n    pass", "unknown-with", 3, 10, NULL},
      {"with T.init():\n    pass", "wrong-place", 3, 5, NULL},
      {"with T.block(\"b\"):\n    with T.init():\n        A[0] = 0.0\n    with T.init():\n        "
       "A[0] = 0.0",
       "given-twice", 6, 9, NULL},
      {"with T.block(\"b\"):\n    T.reads()\n    T.reads()", "given-twice", 5, 9, "T.reads"},
      {"with T.block(\"b\"):\n    T.writes()\n    T.writes()", "given-twice", 5, 9, NULL},
      {"with T.block(\"b\"):\n    T.where(n > 1)\n    T.where(n > 1)", "given-twice", 5, 9, NULL},
      {"with T.block(\"b\"):\n    T.block_attr({})\n    T.block_attr({})", "given-twice", 5, 9,
       NULL},
      {"with T.block(\"b\"):\n    T.reads(n)", "not-a-region", 4, 17, NULL},
      {"with T.block(\"b\"):\n    T.reads(B[0])", "wrong-index-count", 4, 17, NULL},
      {"T.reads(A[0])", "wrong-place", 3, 5, NULL},
      {"with T.block(\"b\"):\n    T.where(n)", "not-a-condition", 4, 17, NULL},
      {"with T.block(\"b\"):\n    for i in range(4):\n        vi = T.axis.spatial(4, i)",
       "wrong-place", 5, 18, NULL},
      /* axes */
      {"with T.block(\"b\"):\n    vi = T.axis.spatial(4)", "missing-argument", 4, 14, "binding"},
      {"with T.block(\"b\"):\n    vi = T.axis.spatial(\"x\", n)", "not-an-integer", 4, 29, NULL},
      {"with T.block(\"b\"):\n    vi = T.axis.spatial(4, n)\n    vi = T.axis.spatial(4, n)",
       "name-reused", 5, 9, NULL},
      {"with T.block(\"b\"):\n    T.axis.spatial(4, n)", "needs-one-name", 4, 9, NULL},
      {"for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"X\", [i])",
       "bad-remap", 5, 31, "'X'"},
      {"for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"SS\", [i])",
       "bad-remap", 5, 18, NULL},
      {"with T.block(\"b\"):\n    vi = T.axis.remap(\"S\", [n])", "bad-remap", 4, 32, NULL},
      {"for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"S\", [i + 1])",
       "bad-remap", 5, 36, NULL},
      /* buffers */
      {"C = T.match_buffer()", "missing-argument", 3, 9, "param"},
      {"C = T.match_buffer(n, (4,))", "bad-match-buffer", 3, 24, NULL},
      {"with T.block(\"b\"):\n    C = T.match_buffer(n + 1, (4,))", "bad-match-buffer", 4, 28,
       NULL},
      {"T.alloc_buffer((4,))", "needs-one-name", 3, 5, NULL},
      {"C = T.alloc_buffer((4,), shap=1)", "unknown-argument", 3, 30, "shape"},
      {"for i in range(2):\n    C = T.alloc_buffer((4,))", "wrong-place", 4, 13, NULL},
      {"a, b = T.allocate([4], \"float32\")", "needs-one-name", 3, 12, NULL},
      {"p = T.allocate([\"x\"], \"float32\")", "not-an-integer", 3, 20, NULL},
      {"p = T.allocate_const([1, 2, 3], \"int32\", [2])", "bad-constant", 3, 26, NULL},
      {"C = T.decl_buffer((4,), data=n)", "bad-buffer", 3, 34, NULL},
      /* accesses */
      {"A[0, 0] = 1.0", "wrong-index-count", 3, 5, NULL},
      {"A[16] = 1.0", "index-out-of-range", 3, 7, "16"},
      {"A[0] = B[0, -1]", "index-out-of-range", 3, 17, NULL},
      {"A[1.5] = 1.0", "not-an-integer", 3, 7, NULL},
      {"A[0] = B[0:4, 0]", "bad-access", 3, 12, NULL},
      {"A[0] = A[0:n]", "bad-slice", 3, 14, NULL},
      {"A[0] = A", "not-an-expression", 3, 12, "A.data"},
      {"A[0] = n[0]", "not-a-buffer", 3, 12, NULL},
      {"n[0] = 1.0", "not-a-buffer", 3, 5, NULL},
      {"n += 1", "bad-target", 3, 5, NULL},
      {"A.x = 1", "bad-target", 3, 5, NULL},
      {"A[0] = A.shap[0]", "unknown-attribute", 3, 12, "shape"},
      {"A[0] = \"text\"", "bad-access", 3, 5, NULL},
      /* expressions */
      {"A[0] = T.exp(1.0, 2.0)", "bad-call", 3, 12, NULL},
      {"A[0] = T.exp(n)", "bad-call", 3, 12, "floats"},
      {"A[0] = A[0] & 1", "type-mismatch", 3, 12, NULL},
      {"A[0] = 1 // 0", "division-by-zero", 3, 12, NULL},
      {"A[0] = 9223372036854775807 + 1", "integer-too-large", 3, 12, NULL},
      {"A[0] = T.int8(300)", "integer-too-large", 3, 19, NULL},
      {"A[0] = T.int32(1.5)", "type-mismatch", 3, 20, NULL},
      {"A[0] = T.Cast(\"float31\", n)", "unknown-dtype", 3, 19, NULL},
      {"A[0] = __import__(\"os\").system(\"x\")", "unknown-function", 3, 12, "__import__"},
      {"A[0] = (lambda x: x)(1)", "not-an-expression", 3, 13, NULL},
      {"T.evaluate(T.int64())", "symbol-without-name", 3, 16, NULL},
      {"n + 1", "no-effect", 3, 5, NULL},
      {"A[0] = R.add(n, n)", "unknown-function", 3, 12, NULL},
      {"x = R.call_tir(n, n, n)", "wrong-level", 3, 9, "@R.function"},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_prim_func);
}

static void graph_level_mistakes_are_named(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"z = R.addd(x, x)\nreturn z", "unknown-operator", 8, 13, "did you mean 'add'?"},
      {"return z", "undefined-name", 8, 16, NULL},
      {"return xx", "undefined-name", 8, 16, NULL},
      {"z = Module.mainn(x)\nreturn z", "undefined-function", 8, 13, "did you mean 'main'?"},
      {"z: R.Tensor((\"m\", 4)) = R.add(x, x)\nreturn z", "undefined-name", 8, 22, "'m'"},
      {"with R.dataflo():\n    pass\nreturn x", "unknown-with", 8, 14, "R.dataflow"},
      {"with R.dataflow():\n    z = R.add(x, x)\nreturn z", "out-of-scope", 10, 16, "R.output"},
      {"with R.dataflow():\n    R.output(x)\nreturn x", "bad-output", 9, 22, NULL},
      {"R.output(x)\nreturn x", "wrong-place", 8, 9, NULL},
      {"with R.dataflow():\n    z = R.add(x, x)\n    R.output(z)\n    R.output(z)\nreturn z",
       "given-twice", 11, 13, NULL},
      {"with R.dataflow():\n    return x", "wrong-place", 9, 13, NULL},
      {"if x:\n    z = x\nelse:\n    w = x\nreturn z", "branch-mismatch", 11, 13, "'z'"},
      {"if x:\n    z = x\nreturn z", "branch-mismatch", 8, 9, "else"},
      {"if x:\n    a = R.add(x, x)\n    z = x\nelse:\n    z = x\nreturn a", "out-of-scope", 13, 16,
       "branch"},
      {"if x:\n    R.print(x)\nelse:\n    z = x\nreturn z", "branch-without-value", 9, 13, NULL},
      {"for i in range(4):\n    pass\nreturn x", "unsupported", 8, 9, "loops"},
      {"R.call_tir(Module.k, (x,), R.Tensor((4,), \"float32\"))\nreturn x", "result-unused", 8, 9,
       NULL},
      {"x\nreturn x", "no-effect", 8, 9, NULL},
      {"z = R.call_tir(Module.k, (x,))\nreturn z", "missing-argument", 8, 13, "out_sinfo"},
      {"z = R.call_tir(x, (x,), R.Tensor((4,), \"float32\"))\nreturn z", "bad-callee", 8, 24, NULL},
      {"z = R.call_tir_inplace(Module.k, t, R.Tensor((4,), \"float32\"), "
       "inplace_indices=[0])\nreturn z",
       "inplace-tuple", 8, 42, NULL},
      {"z = R.add(x)\nreturn z", "missing-argument", 8, 13, NULL},
      {"z = R.add(x, x, foo=1)\nreturn z", "unknown-argument", 8, 25, NULL},
      {"z = t[2]\nreturn z", "index-out-of-range", 8, 13, NULL},
      {"z = x + 1\nreturn z", "bare-number", 8, 13, "R.const"},
      {"z = R.const([[1, 2], [3]])\nreturn z", "bad-constant", 8, 21, NULL},
      {"z = metadata[\"relax.expr.Constant\"][0]\nreturn z", "missing-constant", 8, 13, NULL},
      {"return x\nz = x", "unreachable", 9, 9, NULL},
      {"a, b = t\nreturn a", "wrong-target-count", 8, 9, NULL},
      {"z = R.match_cast(x)\nreturn z", "missing-argument", 8, 13, NULL},
      {"z = R.add(R.match_cast(x, R.Tensor), x)\nreturn z", "wrong-place", 8, 19, NULL},
      {"n = T.int32()\nreturn x", "type-mismatch", 8, 13, NULL},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_graph_func);
}

static void several_problems_come_in_one_run_and_ten_at_most(void **state) {
  (void)state;
  tn_buf body = TN_BUF_INIT;
  for (int i = 0; i < 15; ++i) {
    tn_buf_printf(&body, "A[%d] = unknown%d\n", i, i);
  }
  char *text = script_in_prim_func(tn_buf_text(&body));
  script_case c;
  script_case_init(&c, text);
  assert_int_equal(c.diags.n, 10);
  assert_int_equal(c.diags.n_dropped, 5);
  script_case_deinit(&c);
  free(text);
  tn_buf_deinit(&body);
}

static void one_mistake_is_reported_once(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "x = T.fooo(1)\ny = x + 1\nA[0] = y * x",
      "for i in rang(4):\n    A[i] = A[i] + 1.0",
      "C = T.alloc_buffer((q,))\nC[0] = C[1]\nfor i in range(3):\n    C[i] = 0.0",
      ("for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(4, j)\n"
       "        A[vi] = A[vi]"),
  };
  for (size_t i = 0; i < TN_N_ROWS(bodies); ++i) {
    char *text = script_in_prim_func(bodies[i]);
    script_case c;
    script_case_init(&c, text);
    expect_true(c.diags.n == 1, "row %zu: %d problems", i, c.diags.n);
    script_case_deinit(&c);
    free(text);
  }
}

static void a_syntax_error_does_not_hide_the_next(void **state) {
  (void)state;
  script_case c;
  script_case_init(&c, "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    A[0] = 1 +\n    for in "
                       "range(3):\n        A[0] = 1.0\n"
                       "    A[1] = = 2\n");
  assert_int_equal(c.diags.n, 3);
  assert_int_equal(c.diags.items[1].pos.line, 4);
  assert_int_equal(c.diags.items[2].pos.line, 6);
  script_case_deinit(&c);
}

/* Nested brackets, blocks, signs and chains of any depth end in an error, not in the stack. */
static void deep_nesting_is_refused(void **state) {
  (void)state;
  static const char *const parts[][3] = {
      {"A[0] = ", "(", "1"},        {"A[0] = ", "-", "1"},
      {"A[0] = ", "not ", "x"},     {"A[0] = ", "[", "1"},
      {"A[0] = ", "A[", "1"},       {"A[0] = ", "T.exp(", "1"},
      {"A[0] = ", "1 + ", "1"},     {"A[0] = ", "1 if x else ", "1"},
      {"A[0] = ", "lambda: ", "1"}, {"A[0] = ", "2 ** ", "1"},
      {"A[0] = A", ".x", ""},       {"A[0] = A", "[0]", ""},
      {"A[0] = A", "()", ""}};
  for (size_t i = 0; i < TN_N_ROWS(parts); ++i) {
    tn_buf body = TN_BUF_INIT;
    tn_buf_puts(&body, parts[i][0]);
    for (int k = 0; k < 20000; ++k) {
      tn_buf_puts(&body, parts[i][1]);
    }
    tn_buf_puts(&body, parts[i][2]);
    char *text = script_in_prim_func(tn_buf_text(&body));
    script_case c;
    script_case_init(&c, text);
    expect_true(c.diags.n >= 1, "row %zu", i);
    script_case_deinit(&c);
    free(text);
    tn_buf_deinit(&body);
  }
}

static void views_maps_and_names_say_what_they_miss(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"with T.block(\"b\", no_realize=True):\n    v = T.axis.spatial(4, 1)\n    A[v] = A[0]",
       "wrong-place", 3, 10, "no axes"},
      {"with T.block(\"b\", no_realize=True):\n    T.where(n < 3)\n    A[0] = A[1]", "wrong-place",
       3, 10, "no T.where"},
      {"C = T.match_buffer(n)", "missing-argument", 3, 9, "'shape'"},
      {"C = T.alloc_buffer(dtype=\"int32\")", "missing-argument", 3, 9, "'shape'"},
      {"C = T.alloc_buffer((4, 4), strides=(\"s\", 1))", "bad-buffer", 3, 40, "T.match_buffer"},
      {"m = T.index_map(lambda i, j: (j, i), inverse_index_map=lambda a: (a, a))", "bad-index-map",
       3, 60, "from 2 indices to 2, its inverse from 1 to 2"},
      {"m = T.index_map(lambda i: i, inverse_index_map=3)", "bad-index-map", 3, 52, "a lambda"},
      {"t = T.target(\"cuda\", host=3)", "bad-target", 3, 31, NULL},
      {"for i in T.serial(0, 8, step=1.5):\n    pass", "not-an-integer", 3, 34, NULL},
      {"with T.Assert(n, \"m\"):\n    pass", "not-a-condition", 3, 19, NULL},
      {"with T.realize(A[0:4], \"global\"):\n    pass", "given-twice", 3, 20, "'A' has memory"},
      {"T.prefetch(B, [T.Range(0, 4)])", "wrong-index-count", 3, 19, "2 dimensions"},
      {"T.prefetch(A, [3])", "not-a-region", 3, 19, "T.Range"},
      {"T.prefetch(A, [T.Range(0, 1.5)])", "not-an-integer", 3, 31, NULL},
      {"x = T.float8_e4m3fn(1) + T.float8_e4m3fn(2)", "unsupported", 3, 9, "float8_e4m3fn"},
      {"x = -T.int4(1)", "unsupported", 3, 9, "cast it first"},
      {"C = T.alloc_buffer((4,), \"int1\")", "unknown-dtype", 3, 30, "int1"},
      {"T.func_name(\"g\")", "given-twice", 3, 17, "'f'"},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_prim_func);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(syntax_errors_are_shown_where_they_stand),
      cmocka_unit_test(functions_have_typed_parameters),
      cmocka_unit_test(loop_level_mistakes_are_named),
      cmocka_unit_test(graph_level_mistakes_are_named),
      cmocka_unit_test(several_problems_come_in_one_run_and_ten_at_most),
      cmocka_unit_test(one_mistake_is_reported_once),
      cmocka_unit_test(a_syntax_error_does_not_hide_the_next),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(views_maps_and_names_say_what_they_miss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
