/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Diagnostics, near names, dumps and the pass runner. */
#include "ir_build.h"

static const char source_text[] = "def f(A):\n\tA[i] = \xc3\xa4 + zz\nlast";

typedef struct caret_case {
  tn_pos pos;
  const char *want;
} caret_case;
static const caret_case caret_cases[] = {
    {{1, 1, 5, 1}, "k.py:1:5: error: bad [x]\ndef f(A):\n    ^\n"},
    {{1, 2, 2, 4}, "k.py:2:2: error: bad [x]\n\tA[i] = \xc3\xa4 + zz\n\t^~~~\n"},
    {{1, 2, 13, 2}, "k.py:2:13: error: bad [x]\n\tA[i] = \xc3\xa4 + zz\n\t           ^~\n"},
    {{1, 3, 5, 0}, "k.py:3:5: error: bad [x]\nlast\n    ^\n"},
    {{1, 3, UINT32_MAX, 3}, "k.py:3:4294967295: error: bad [x]\nlast\n    ^\n"},
    {{1, 3, 2, UINT32_MAX}, "k.py:3:2: error: bad [x]\nlast\n ^~~\n"},
    {{1, 9, 1, 1}, "k.py:9:1: error: bad [x]\n"},
    {{7, 1, 1, 1}, "error: bad [x]\n"},
    {{0, 0, 0, 0}, "error: bad [x]\n"},
};

static void carets_stand_below_their_place(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  assert_int_equal(tn_ir_add_source(ir, "k.py", source_text, sizeof source_text - 1), 1);
  for (size_t i = 0; i < TN_N_ROWS(caret_cases); ++i) {
    tn_diags diags = {0};
    tn_buf text = TN_BUF_INIT;
    tn_diags_add(&diags, "x", caret_cases[i].pos, NULL, "bad");
    tn_diags_print(&diags, ir, &text);
    expect_text(tn_buf_text(&text), caret_cases[i].want);
    tn_buf_deinit(&text);
    tn_diags_deinit(&diags);
  }
  tn_ir_free(ir);
}

static void problems_come_in_source_order_and_ten_at_most(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_ir_add_source(ir, "k.py", "a\nb\n", 4);
  tn_ir *child = tn_ir_new_child(ir, 0);
  assert_int_equal(tn_ir_add_source(child, "l.py", "c", 1), 2);
  tn_diags diags = {0};
  tn_diags_add(&diags, "x", (tn_pos){2, 1, 1, 1}, NULL, "fourth");
  tn_diags_add(&diags, "x", (tn_pos){1, 2, 1, 1}, "did you mean 'a'?", "second %d", 2);
  tn_diags_add(&diags, "x", (tn_pos){1, 2, 1, 1}, NULL, "third");
  tn_diags_add(&diags, "y", (tn_pos){1, 1, 1, 1}, NULL, "first");
  tn_buf text = TN_BUF_INIT;
  tn_diags_print(&diags, child, &text);
  expect_text(tn_buf_text(&text), "k.py:1:1: error: first [y]\na\n^\n"
                                  "k.py:2:1: error: second 2 [x]\nb\n^\n  hint: did you mean 'a'?\n"
                                  "k.py:2:1: error: third [x]\nb\n^\n"
                                  "l.py:1:1: error: fourth [x]\nc\n^\n");
  for (int i = 0; i < 9; ++i) {
    tn_diags_add(&diags, "x", (tn_pos){0}, NULL, "more");
  }
  assert_int_equal(diags.n, TN_MAX_DIAGS);
  tn_buf_clear(&text);
  tn_diags_print(&diags, child, &text);
  assert_non_null(strstr(tn_buf_text(&text), "3 more not shown\n"));
  tn_buf_deinit(&text);
  expect_error(tn_diags_to_status(&diags, child), TN_INVALID, "first");
  tn_ir_free(child);
  tn_ir_free(ir);
}

static void hostile_lines_are_cut_and_cleaned(void **state) {
  (void)state;
  enum { N = 100000 };
  tn_ir *ir = tn_ir_new(0);
  char *line = malloc(N);
  assert_non_null(line);
  memset(line, 'a', N);
  memcpy(line + 49990, "\x1b[31m\xff\xe4\x7f\xc2\x9b", 10);
  tn_ir_add_source(ir, "k.py", line, N);
  free(line);
  tn_diags diags = {0};
  tn_diags_add(&diags, "x", (tn_pos){1, 1, 50000, UINT32_MAX}, NULL, "bad");
  tn_buf text = TN_BUF_INIT;
  tn_diags_print(&diags, ir, &text);
  assert_true(text.len < 1000);
  assert_non_null(strstr(tn_buf_text(&text), "a?[31m????a"));
  assert_null(strchr(tn_buf_text(&text), '\x1b'));
  tn_buf_deinit(&text);
  tn_diags_deinit(&diags);
  tn_ir_free(ir);
}

typedef struct near_case {
  const char *name;
  const char *want;
} near_case;
static const near_case near_cases[] = {
    {"reul", "relu"},      {"rleu", "relu"},    {"rel", "relu"},      {"relux", "relu"},
    {"sofmax", "softmax"}, {"xyz", NULL},       {"a", NULL},          {"", NULL},
    {"relu", NULL},        {"conv2", "conv2d"}, {"matmlu", "matmul"}, {"softmaxsoftmax", NULL},
};

static void near_names_are_near(void **state) {
  (void)state;
  const char *const candidates[] = {"relu", "softmax", "conv2d", "matmul", "A", ""};
  for (size_t i = 0; i < TN_N_ROWS(near_cases); ++i) {
    const char *got = tn_near_name(near_cases[i].name, candidates, TN_N_ROWS(candidates));
    const char *want = near_cases[i].want;
    expect_true(got == NULL ? want == NULL : want != NULL && strcmp(got, want) == 0,
                "'%s' gives %s", near_cases[i].name, got == NULL ? "nothing" : got);
  }
  char *long_name = calloc(1, 100001);
  assert_non_null(long_name);
  memset(long_name, 'a', 100000);
  assert_null(tn_near_name(long_name, candidates, TN_N_ROWS(candidates)));
  free(long_name);
}

static void dumps_name_slots_and_share(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, x, i32(ir, 7));
  const tn_node *items[] = {sum, sum, tn_float(ir, TN_DT_F32, 0.5), tn_str(ir, "s"),
                            NODE(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = TN_DT_F32}, )};
  tn_buf text = TN_BUF_INIT;
  tn_dump_to(STMT(ir, TN_OP_EVAL, tn_list(ir, 5, items)), &text);
  expect_text(tn_buf_text(&text), "evaluate#8\n"
                                  "  value: list#7\n"
                                  "    0: +#3 int32\n"
                                  "      a: var#1 x int32\n"
                                  "      b: int#2 7 int32\n"
                                  "    1: ^3\n"
                                  "    2: float#4 0.5 float32\n"
                                  "    3: str#5 \"s\" handle\n"
                                  "    4: dtype#6 float32\n");
  tn_buf_deinit(&text);
  tn_ir_free(ir);
}

/* ---- passes ---- */

static tn_status keep(tn_module *module, const tn_pass_opts *opts) {
  (void)module;
  assert_non_null(opts);
  return NULL;
}
static tn_status bump(tn_module *module, const tn_pass_opts *opts) {
  tn_module_set(module, "f", add_func(module->ir, "i", "A", 8, opts->opt_level));
  return NULL;
}
static tn_status refuse(tn_module *module, const tn_pass_opts *opts) {
  (void)module;
  (void)opts;
  return TN_ERR(TN_UNSUPPORTED, "not this one");
}
static tn_status spoil(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  tn_module_set(module, "f", i32(module->ir, 0));
  return NULL;
}
static const tn_pass keep_pass = {"keep", "module", "nothing", keep};
static const tn_pass bump_pass = {"bump", "module", "something", bump};
static const tn_pass refuse_pass = {"refuse", "module", "fails", refuse};
static const tn_pass spoil_pass = {"spoil", "module", "breaks", spoil};

static bool before_pass(const tn_pass *pass, int32_t index, const tn_module *module, void *ctx) {
  (void)index;
  (void)module;
  (void)ctx;
  return strcmp(pass->name, "refuse") != 0;
}
static void after_pass(const tn_pass *pass, int32_t index, const tn_module *module, bool is_changed,
                       int64_t ns, void *ctx) {
  (void)module;
  assert_true(ns >= 0);
  tn_buf_printf(ctx, "%d %s %s\n", index, pass->name, is_changed ? "changed" : "same");
}
static tn_status verify_module(const tn_module *module, void *ctx) {
  (void)ctx;
  tn_diags diags = {0};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    tn_ir_verify_func(module->ir, module->funcs[i].func, &diags);
  }
  return tn_diags_to_status(&diags, module->ir);
}

static void passes_run_in_order_and_errors_name_them(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  tn_buf log = TN_BUF_INIT;
  tn_pass_hooks hooks = {before_pass, after_pass, verify_module, &log};
  tn_pass_opts opts = {.opt_level = 2};
  const tn_pass *good[] = {&keep_pass, &bump_pass, &refuse_pass, &keep_pass};
  expect_ok(tn_run_passes(&module, good, 4, &opts, &hooks));
  expect_text(tn_buf_text(&log), "0 keep same\n1 bump changed\n3 keep same\n");
  const tn_pass *bad[] = {&keep_pass, &refuse_pass};
  expect_error(tn_run_passes(&module, bad, 2, NULL, NULL), TN_UNSUPPORTED,
               "pass 'refuse': not this one");
  const tn_pass *spoils[] = {&spoil_pass};
  expect_error(tn_run_passes(&module, spoils, 1, NULL, &hooks), TN_INVALID,
               "after pass 'spoil': error: INT");
  expect_error(tn_run_passes(&module, good, 1, NULL, &hooks), TN_INVALID, "before the first pass");
  tn_buf_deinit(&log);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void a_pass_past_the_memory_limit_is_an_error(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(1);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  const tn_pass *passes[] = {&bump_pass};
  expect_error(tn_run_passes(&module, passes, 1, NULL, NULL), TN_NO_MEMORY, "pass 'bump'");
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(carets_stand_below_their_place),
      cmocka_unit_test(problems_come_in_source_order_and_ten_at_most),
      cmocka_unit_test(hostile_lines_are_cut_and_cleaned),
      cmocka_unit_test(near_names_are_near),
      cmocka_unit_test(dumps_name_slots_and_share),
      cmocka_unit_test(passes_run_in_order_and_errors_name_them),
      cmocka_unit_test(a_pass_past_the_memory_limit_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
