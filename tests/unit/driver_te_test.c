/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions through the C API: functions put into programs, compiled and run. */
#include "tn_test.h"

#include <stdlib.h>

#include "tenon/compiler.h"
#include "tenon/te.h"

/* "twice": B[i] = A[i] + A[i] over n elements */
static tn_status add_twice(tn_te *te, const char *name, tn_program **program) {
  const tn_node *n = tn_te_var(te, "n", TN_DT_I64);
  const tn_node *A = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n));
  tn_te_begin(te, "B", TN_TE_LIST(n));
  const tn_node *a = tn_te_read(te, A, TN_TE_LIST(tn_te_axis(te, 0, "i")));
  const tn_node *B = tn_te_end(te, tn_te_add(te, a, a));
  return tn_te_create_prim_func(te, name, TN_TE_LIST(A, B), program);
}

static void functions_share_a_program_and_outlive_the_builder(void **state) {
  (void)state;
  tn_te *te = NULL;
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  tn_runtime *rt = NULL;
  tn_vm *vm = NULL;
  tn_tensor *x = NULL;
  tn_tensor *y = NULL;
  expect_ok(tn_te_create(&te));
  expect_ok(add_twice(te, "twice", &program));
  expect_ok(add_twice(te, "again", &program));
  expect_error(add_twice(te, "twice", &program), TN_EXISTS, "has a function 'twice'");
  tn_te_free(te);
  expect_true(tn_program_n_functions(program) == 2, "%d functions",
              tn_program_n_functions(program));
  expect_ok(tn_program_compile(program, NULL, &exec));
  tn_program_free(program);
  expect_ok(tn_runtime_create(0, &rt));
  expect_ok(tn_vm_create(rt, exec, NULL, 0, &vm));
  const int64_t shape[] = {3};
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, (const float[]){1, 2, 4}, &x));
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, (const float[]){0, 0, 0}, &y));
  const tn_arg args[] = {tn_arg_of_tensor(x), tn_arg_of_tensor(y)};
  tn_arg none = tn_arg_none();
  expect_ok(tn_vm_call(vm, "again", args, 2, &none));
  const float *values = tn_arg_dl(&args[1])->data;
  expect_true(values[0] == 2 && values[1] == 4 && values[2] == 8, "%g %g %g", (double)values[0],
              (double)values[1], (double)values[2]);
  tn_tensor_release(x);
  tn_tensor_release(y);
  tn_vm_release(vm);
  tn_runtime_release(rt);
  tn_exec_release(exec);
}

static void a_mistake_leaves_the_program_as_it_was(void **state) {
  (void)state;
  tn_te *te = NULL;
  tn_program *program = NULL;
  expect_ok(tn_te_create(&te));
  const tn_node *A = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(tn_te_int(te, -4)));
  expect_error(tn_te_create_prim_func(te, "f", TN_TE_LIST(A), &program), TN_INVALID,
               "function 'f': dimension 0 of tensor 'A': an extent is -4");
  expect_true(program == NULL, "a program");
  tn_te_free(te);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_share_a_program_and_outlive_the_builder),
      cmocka_unit_test(a_mistake_leaves_the_program_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
