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

/* ---- lists ---- */

static tn_arg floats(int64_t n, const float *values) {
  tn_tensor *tensor = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, &n, values, &tensor));
  return tn_arg_of_tensor(tensor);
}

/* Calls "vm.builtin.list.NAME", which is fine. */
static tn_arg list_call(const char *name, int32_t n_args, const tn_arg *args) {
  char full[64];
  tn_arg ret = {0};
  (void)snprintf(full, sizeof full, "vm.builtin.list.%s", name);
  expect_ok(tn_vm_builtin_find(full)(NULL, args, n_args, &ret));
  return ret;
}

static void expect_floats(const tn_arg *got, int64_t n, const float *want) {
  assert_non_null(tn_arg_tensor(got));
  assert_int_equal(tn_dl_n_elems(tn_tensor_dl(tn_arg_tensor(got))), n);
  for (int64_t i = 0; i < n; ++i) {
    assert_true(tn_tensor_get_f64(tn_arg_tensor(got), i) == (double)want[i]);
  }
}

static void lists_grow_shrink_and_are_joined(void **state) {
  (void)state;
  tn_shape *shape = NULL;
  expect_ok(tn_shape_create(1, (const int64_t[]){0}, &shape));
  const tn_arg a = floats(2, (const float[]){1, 2});
  const tn_arg b = floats(1, (const float[]){3});
  const tn_arg none = list_call("make", 0, NULL);
  const tn_arg one = list_call("insert", 2, (const tn_arg[]){none, a});
  const tn_arg two = list_call("insert", 3, (const tn_arg[]){one, b, number(-1)});
  const tn_arg joined = list_call(
      "concat", 5,
      (const tn_arg[]){two, number(0), number(0), text("float32"), tn_arg_of_shape(shape)});
  expect_floats(&joined, 3, (const float[]){3, 1, 2});
  const tn_arg last = list_call("at", 2, (const tn_arg[]){two, number(-1)});
  expect_floats(&last, 2, (const float[]){1, 2});
  const tn_arg rest = list_call("erase", 2, (const tn_arg[]){two, number(0)});
  const tn_arg length = list_call("length", 1, &rest);
  expect_floats(&length, 1, (const float[]){1});
  const tn_arg parts = list_call("split", 4, (const tn_arg[]){joined, {0}, number(0), number(0)});
  const tn_arg part = list_call("at", 2, (const tn_arg[]){parts, number(1)});
  expect_floats(&part, 1, (const float[]){1});
  tn_arg all[] = {a, b, none, one, two, joined, last, rest, length, parts, part};
  for (size_t i = 0; i < TN_N_ROWS(all); ++i) {
    tn_arg_release(&all[i]);
  }
  tn_shape_release(shape);
}

static void wrong_arguments_of_lists_are_named(void **state) {
  (void)state;
  const int64_t three = 3;
  tn_tensor *packed = NULL;
  tn_shape *shape = NULL;
  expect_ok(tn_tensor_create(TN_DT_I4, 1, &three, NULL, &packed));
  expect_ok(tn_shape_create(1, &three, &shape));
  tn_arg x = floats(3, (const float[]){1, 2, 3});
  tn_arg list = list_call("make", 1, &x);
  const tn_arg s = tn_arg_of_shape(shape);
  const tn_arg i4 = tn_arg_of_tensor(packed);
  const struct {
    const char *name;
    const char *part;
    tn_arg args[5];
    int32_t n_args;
  } rows[] = {
      {"insert", "expected a list", {x, x}, 2},
      {"insert", "expected a list, a value and a position", {list}, 1},
      {"insert", "position 2 of a list of 1", {list, x, number(2)}, 3},
      {"erase", "position 1 of a list of 1", {list, number(1)}, 2},
      {"erase", "expected a list", {{0}}, 0},
      {"at", "expected a list and a position", {list}, 1},
      {"at", "the position is no one number", {list, x}, 2},
      {"at", "position -2 of a list of 1", {list, number(-2)}, 2},
      {"concat", "expected a list, an axis", {list, number(0)}, 2},
      {"concat", "axis 1 of a list", {list, number(1), number(0), text("float32"), s}, 5},
      {"concat", "differ in type", {list, number(0), number(0), text("int32"), s}, 5},
      {"concat", "elements of 4 bits", {list, number(0), number(0), text("int4"), s}, 5},
      {"split", "expected a tensor, lengths and an axis", {x}, 1},
      {"split", "axis 1 of a tensor", {x, {0}, number(1), number(1)}, 4},
      {"split", "elements of 4 bits", {i4, {0}, number(0), number(1)}, 4},
      {"split", "type int32 or int64", {x, x, number(0), number(1)}, 4},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    char name[64];
    tn_arg ret = {0};
    (void)snprintf(name, sizeof name, "vm.builtin.list.%s", rows[i].name);
    tn_status st = tn_vm_builtin_find(name)(NULL, rows[i].args, rows[i].n_args, &ret);
    expect_true(st != NULL && strstr(tn_status_message(st), rows[i].part) != NULL, "row %zu: %s", i,
                st == NULL ? "fine" : tn_status_message(st));
    tn_status_free(st);
  }
  tn_arg_release(&list);
  tn_arg_release(&x);
  tn_tensor_release(packed);
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
      cmocka_unit_test(lists_grow_shrink_and_are_joined),
      cmocka_unit_test(wrong_arguments_of_lists_are_named),
      cmocka_unit_test(a_kernel_is_not_called_with_less_than_no_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
