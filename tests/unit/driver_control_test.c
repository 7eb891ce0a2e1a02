/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* ONNX models whose graphs branch and go round, written here: the interpreter and compiled code at
 * -O0 and -O2 give what is expected, and a loop of a million rounds takes no memory for its rounds. */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "onnx_writer.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"
#include "tn_test.h"

enum { FLOAT = 1, INT64 = 7, BOOL = 9, MAX_OUT = 8 };

/* A model as a program; emptied. */
static tn_program *program_of(onnx_model *m) {
  char path[] = "/tmp/tenon-control-XXXXXX.onnx";
  tn_buf bytes = onnx_bytes(m);
  tn_program *program = NULL;
  int fd = mkstemps(path, 5);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes.data, bytes.len), (ssize_t)bytes.len);
  close(fd);
  expect_ok(tn_program_load(path, &program));
  unlink(path);
  tn_buf_deinit(&bytes);
  return program;
}

static tn_arg int_arg(int32_t ndim, int64_t n, const int64_t *values) {
  tn_tensor *tensor = NULL;
  expect_ok(tn_tensor_create(TN_DT_I64, ndim, &n, values, &tensor));
  return tn_arg_of_tensor(tensor);
}

static void check_values(const tn_arg *got, int64_t n, const int64_t *want) {
  assert_non_null(tn_arg_tensor(got));
  assert_int_equal(tn_dl_n_elems(tn_tensor_dl(tn_arg_tensor(got))), n);
  for (int64_t i = 0; i < n; ++i) {
    assert_int_equal((int64_t)tn_tensor_get_f64(tn_arg_tensor(got), i), want[i]);
  }
}

static void run_compiled(const tn_program *program, int32_t level, const tn_arg *arg,
                         int32_t n_args, tn_arg *ret) {
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  opts.opt_level = level;
  opts.does_verify_each = true;
  expect_ok(tn_program_compile(program, &opts, &exec));
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_vm_create(rt, exec, NULL, 0, &vm));
  expect_ok(tn_vm_call(vm, "main", arg, n_args, ret));
  tn_vm_release(vm);
  tn_exec_release(exec);
  tn_runtime_release(rt);
}

/* What the model (one int64 input) gives for an input, in all ways. */
static void expect_values(const tn_program *program, int64_t input, int64_t n,
                          const int64_t *want) {
  tn_runtime *rt = NULL;
  tn_arg arg = int_arg(0, 0, &input);
  tn_arg ret = tn_arg_none();
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_program_interpret(program, rt, "main", &arg, 1, NULL, &ret));
  check_values(&ret, n, want);
  tn_arg_release(&ret);
  for (int32_t level = 0; level <= 2; level += 2) {
    run_compiled(program, level, &arg, 1, &ret);
    check_values(&ret, n, want);
    tn_arg_release(&ret);
  }
  tn_arg_release(&arg);
  tn_runtime_release(rt);
}

static onnx_model model_of_one_number(const char *name) {
  onnx_model m = onnx_model_make(16);
  onnx_input(&m, name, INT64, 0, NULL);
  onnx_ints(&m, "ten", 1, (const int64_t[]){10});
  return m;
}

/* A body with the inputs i, go and (where there is one) the state; its condition goes through. */
static onnx_model loop_body(const char *state, int32_t ndim) {
  onnx_model body = onnx_model_make(16);
  onnx_input(&body, "i", INT64, 0, NULL);
  onnx_input(&body, "go", BOOL, 0, NULL);
  if (state != NULL) {
    onnx_input(&body, state, INT64, ndim, (const int64_t[]){1});
  }
  return body;
}

/* ---- loops ---- */

/* sum of 0 ... n - 1 */
static tn_program *sum_loop(void) {
  const int64_t zero = 0;
  onnx_model m = model_of_one_number("n");
  onnx_model body = loop_body("s", 0);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf zero_attr = TN_BUF_INIT;
  tn_buf tensor = onnx_tensor(NULL, INT64, 0, NULL, &zero, sizeof zero);
  onnx_node(&body, "Add", "s i", "s_next", NULL);
  onnx_node(&body, "Identity", "go", "go_next", NULL);
  onnx_output(&body, "go_next");
  onnx_output(&body, "s_next");
  onnx_attr_tensor(&zero_attr, "value", &tensor);
  onnx_node(&m, "Constant", "", "zero", &zero_attr);
  onnx_attr_graph(&attrs, "body", &body);
  onnx_node(&m, "Loop", "n  zero", "sum", &attrs);
  onnx_output(&m, "sum");
  return program_of(&m);
}

static void a_loop_counts_its_rounds(void **state) {
  (void)state;
  tn_program *program = sum_loop();
  expect_values(program, 5, 1, (const int64_t[]){10});
  expect_values(program, 0, 1, (const int64_t[]){0});
  expect_values(program, -3, 1, (const int64_t[]){0});
  expect_values(program, 2000, 1, (const int64_t[]){1999000}); /* more than calls may nest */
  tn_program_free(program);
}

static void a_million_rounds_take_no_memory_for_rounds(void **state) {
  (void)state;
  const int64_t n = 1000000;
  struct rusage before;
  struct rusage after;
  tn_program *program = sum_loop();
  tn_arg arg = int_arg(0, 0, &n);
  tn_arg ret = tn_arg_none();
  run_compiled(program, 2, &arg, 1, &ret);
  tn_arg_release(&ret);
  (void)getrusage(RUSAGE_SELF, &before);
  run_compiled(program, 2, &arg, 1, &ret);
  (void)getrusage(RUSAGE_SELF, &after);
  check_values(&ret, 1, (const int64_t[]){499999500000});
  assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024);
  tn_arg_release(&ret);
  tn_arg_release(&arg);
  tn_program_free(program);
}

/* state = concat(state, i): another extent in each round */
static void a_state_may_grow(void **state) {
  (void)state;
  onnx_model m = model_of_one_number("n");
  onnx_model body = loop_body("s", 1);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf axis = TN_BUF_INIT;
  onnx_ints(&body, "at", 1, (const int64_t[]){0});
  onnx_node(&body, "Unsqueeze", "i at", "i_vector", NULL);
  onnx_attr_int(&axis, "axis", 0);
  onnx_node(&body, "Concat", "s i_vector", "s_next", &axis);
  onnx_node(&body, "Identity", "go", "go_next", NULL);
  onnx_output(&body, "go_next");
  onnx_output(&body, "s_next");
  onnx_attr_graph(&attrs, "body", &body);
  onnx_node(&m, "Loop", "n  ten", "all", &attrs);
  onnx_output(&m, "all");
  tn_program *program = program_of(&m);
  expect_values(program, 4, 5, (const int64_t[]){10, 0, 1, 2, 3});
  expect_values(program, 0, 1, (const int64_t[]){10});
  tn_program_free(program);
}

/* while i < 3: out i * n, where n is from outside */
static void what_rounds_give_is_stacked_and_values_around_are_seen(void **state) {
  (void)state;
  const int64_t three = 3;
  const bool yes = true;
  onnx_model m = model_of_one_number("n");
  onnx_model body = loop_body(NULL, 0);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf tensor = onnx_tensor("three", INT64, 0, NULL, &three, sizeof three);
  wire_message(&m.graph, 5, &tensor);
  tensor = onnx_tensor("yes", BOOL, 0, NULL, &yes, sizeof yes);
  wire_message(&m.graph, 5, &tensor);
  onnx_node(&body, "Mul", "i n", "product", NULL);
  onnx_node(&body, "Less", "i three", "go_next", NULL);
  onnx_output(&body, "go_next");
  onnx_output(&body, "product");
  onnx_attr_graph(&attrs, "body", &body);
  onnx_node(&m, "Loop", " yes", "all", &attrs);
  onnx_output(&m, "all");
  tn_program *program = program_of(&m);
  expect_values(program, 7, 4, (const int64_t[]){0, 7, 14, 21});
  tn_program_free(program);
}

/* ---- branches ---- */

/* n < ten ? [n, 10] : [10], inside of a loop that hands it on */
static void branches_may_differ_in_extents(void **state) {
  (void)state;
  onnx_model m = model_of_one_number("n");
  onnx_model then = onnx_model_make(16);
  onnx_model otherwise = onnx_model_make(16);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf axis = TN_BUF_INIT;
  onnx_ints(&m, "at", 1, (const int64_t[]){0});
  onnx_node(&m, "Unsqueeze", "n at", "n_vector", NULL);
  onnx_node(&m, "Less", "n_vector ten", "is_less", NULL);
  onnx_attr_int(&axis, "axis", 0);
  onnx_node(&then, "Concat", "n_vector ten", "both", &axis);
  onnx_output(&then, "both");
  onnx_node(&otherwise, "Identity", "ten", "one", NULL);
  onnx_output(&otherwise, "one");
  onnx_attr_graph(&attrs, "then_branch", &then);
  onnx_attr_graph(&attrs, "else_branch", &otherwise);
  onnx_node(&m, "If", "is_less", "either", &attrs);
  onnx_node(&m, "Add", "either n", "shifted", NULL);
  onnx_output(&m, "shifted");
  tn_program *program = program_of(&m);
  expect_values(program, 3, 2, (const int64_t[]){6, 13});
  expect_values(program, 12, 1, (const int64_t[]){22});
  tn_program_free(program);
}

/* ---- values of run time ---- */

/* range(0, n)[1 : n - 1] */
static void parts_and_ranges_may_depend_on_data(void **state) {
  (void)state;
  const int64_t numbers[] = {0, 1};
  onnx_model m = model_of_one_number("n");
  for (int k = 0; k < 2; ++k) {
    tn_buf tensor = onnx_tensor(k == 0 ? "zero" : "one", INT64, 0, NULL, &numbers[k], 8);
    wire_message(&m.graph, 5, &tensor);
  }
  onnx_ints(&m, "at", 1, (const int64_t[]){0});
  onnx_ints(&m, "first", 1, (const int64_t[]){1});
  onnx_node(&m, "Range", "zero n one", "all", NULL);
  onnx_node(&m, "Sub", "n one", "last", NULL);
  onnx_node(&m, "Unsqueeze", "last at", "end", NULL);
  onnx_node(&m, "Slice", "all first end", "part", NULL);
  onnx_output(&m, "part");
  tn_program *program = program_of(&m);
  expect_values(program, 5, 3, (const int64_t[]){1, 2, 3});
  expect_values(program, 1, 0, NULL);
  tn_program_free(program);
}

/* Matrices of ones, n of them, times three: n is 3, or 1 and the one serves all. */
static void batches_of_products_meet_at_run_time(void **state) {
  (void)state;
  const int64_t one = 1;
  const int64_t shape[] = {3, 2, 1};
  const int64_t values[] = {1, 2, 3, 4, 5, 6};
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = model_of_one_number("n");
  tn_buf tensor = onnx_tensor("b", INT64, 3, shape, values, sizeof values);
  wire_message(&m.graph, 5, &tensor);
  onnx_ints(&m, "at", 1, (const int64_t[]){0});
  onnx_ints(&m, "rest", 2, (const int64_t[]){1, 2});
  onnx_node(&m, "Unsqueeze", "n at", "first", NULL);
  onnx_attr_int(&attrs, "axis", 0);
  onnx_node(&m, "Concat", "first rest", "dims", &attrs);
  tensor = onnx_tensor(NULL, INT64, 1, &one, &one, sizeof one);
  onnx_attr_tensor(&attrs, "value", &tensor);
  onnx_node(&m, "ConstantOfShape", "dims", "a", &attrs);
  onnx_node(&m, "MatMul", "a b", "y", NULL);
  onnx_output(&m, "y");
  tn_program *program = program_of(&m);
  expect_values(program, 3, 3, (const int64_t[]){3, 7, 11});
  expect_values(program, 1, 3, (const int64_t[]){3, 7, 11});
  tn_program_free(program);
}

/* ---- sequences ---- */

/* a sequence that a loop fills, joined: 0, 1, ... n - 1, then what stands at its place 0 */
static void sequences_go_through_loops(void **state) {
  (void)state;
  onnx_model m = model_of_one_number("n");
  onnx_model body = onnx_model_make(16);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf dtype = TN_BUF_INIT;
  tn_buf axis = TN_BUF_INIT;
  onnx_input(&body, "i", INT64, 0, NULL);
  onnx_input(&body, "go", BOOL, 0, NULL);
  onnx_output(&m, "joined");
  onnx_attr_int(&dtype, "dtype", INT64);
  onnx_node(&m, "SequenceEmpty", "", "none", &dtype);
  tn_buf info = TN_BUF_INIT;
  wire_text(&info, 1, "list");
  wire_message(&body.graph, 11, &info);
  onnx_ints(&body, "at", 1, (const int64_t[]){0});
  onnx_node(&body, "Unsqueeze", "i at", "i_vector", NULL);
  onnx_node(&body, "SequenceInsert", "list i_vector", "longer", NULL);
  onnx_node(&body, "Identity", "go", "go_next", NULL);
  onnx_output(&body, "go_next");
  onnx_output(&body, "longer");
  onnx_attr_graph(&attrs, "body", &body);
  onnx_node(&m, "Loop", "n  none", "all", &attrs);
  onnx_attr_int(&axis, "axis", 0);
  onnx_node(&m, "ConcatFromSequence", "all", "joined", &axis);
  tn_program *program = program_of(&m);
  expect_values(program, 4, 4, (const int64_t[]){0, 1, 2, 3});
  expect_values(program, 0, 0, NULL);
  tn_program_free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_counts_its_rounds),
      cmocka_unit_test(a_million_rounds_take_no_memory_for_rounds),
      cmocka_unit_test(a_state_may_grow),
      cmocka_unit_test(what_rounds_give_is_stacked_and_values_around_are_seen),
      cmocka_unit_test(branches_may_differ_in_extents),
      cmocka_unit_test(parts_and_ranges_may_depend_on_data),
      cmocka_unit_test(batches_of_products_meet_at_run_time),
      cmocka_unit_test(sequences_go_through_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
