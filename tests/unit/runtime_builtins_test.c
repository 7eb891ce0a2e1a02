/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The functions "vm.builtin.*", which compiled programs call with whatever their values turn out to
 * be: each says what it expected. */
#include "tn_test.h"

#include "runtime/kernel_call.h"
#include "runtime/vm_builtins.h"
#include "tenon/runtime.h"

static tn_arg number(int64_t value) { return (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = value}}; }
static tn_arg text(const char *value) { return (tn_arg){.kind = TN_ARG_STR, .u = {.str = value}}; }

static void wrong_arguments_are_named(void **state) {
  (void)state;
  const int64_t four = 4;
  const int64_t two = 2;
  const int64_t stride = 2;
  tn_tensor *tensor = NULL;
  tn_tensor *strided = NULL;
  tn_shape *shape = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, &four, NULL, &tensor));
  expect_ok(tn_tensor_view(tensor, TN_DT_F32, 1, &two, &stride, 0, &strided));
  expect_ok(tn_shape_create(1, &two, &shape));
  const tn_arg x = tn_arg_of_tensor(tensor);
  const tn_arg s = tn_arg_of_shape(shape);
  const struct {
    const char *name;
    const char *part; /* NULL: fine */
    tn_arg args[4];
    int32_t n_args;
  } rows[] = {
      {"print", "expected a format and values", {number(1)}, 1},
      {"print", "expected a format and values", {{0}}, 0},
      {"assert_op", "expected a format and values", {text("{}")}, 1},
      {"assert_op", "assertion failed: 7", {text("{}"), number(0), number(7)}, 3},
      {"assert_op", NULL, {text("{}"), number(1), number(7)}, 3},
      {"tensor_to_shape", "expected an int64 tensor of one dimension", {number(1)}, 1},
      {"tensor_to_shape", "expected an int64 tensor of one dimension", {x}, 1},
      {"shape_to_tensor", "expected a shape", {x}, 1},
      {"view", "expected a tensor, a shape, a dtype", {s, s, text("float32"), number(0)}, 4},
      {"view", "expected a tensor, a shape, a dtype", {x, s, text("float99"), number(0)}, 4},
      {"view",
       "do not lie in order",
       {tn_arg_of_tensor(strided), s, text("float32"), number(0)},
       4},
      {"view", "byte offset 2 splits an element", {x, s, text("float32"), number(2)}, 4},
      {"view", NULL, {x, s, text("float32"), number(8)}, 4},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "vm.builtin.%s", rows[i].name);
    tn_arg ret = {0};
    tn_status st = tn_vm_builtin_find(name)(NULL, rows[i].args, rows[i].n_args, &ret);
    if (rows[i].part == NULL) {
      expect_ok(st);
      tn_arg_release(&ret);
    } else {
      expect_error(st, TN_INVALID, rows[i].part);
    }
  }
  assert_null(tn_vm_builtin_find("vm.builtin.nothing"));
  tn_tensor_release(strided);
  tn_tensor_release(tensor);
  tn_shape_release(shape);
}

static int32_t nothing(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)env;
  (void)args;
  (void)n_args;
  return 0;
}

static int32_t blames_another(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)args;
  (void)n_args;
  return (env->fail)(env, TN_KERR_PACKED, "g", 0, 0);
}

static void a_kernel_is_not_called_with_less_than_no_arguments(void **state) {
  (void)state;
  tn_runtime *rt = NULL;
  expect_ok(tn_runtime_create(1, &rt));
  expect_error(tn_kernel_call(rt, nothing, "f()", NULL, -1), TN_INVALID,
               "-1 arguments when calling f()");
  expect_ok(tn_kernel_call(rt, nothing, "f()", NULL, 0));
  expect_error(tn_kernel_call(rt, blames_another, "f()", NULL, 0), TN_INVALID,
               "call of 'g' by f()");
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_arguments_are_named),
      cmocka_unit_test(a_kernel_is_not_called_with_less_than_no_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
