/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A process that compiles and runs again and again does not grow: what is resident after 200 rounds
 * is at most 1.05 times what it was after 50. */
#include "tn_test.h"

#include <malloc.h>

#include "tenon/compiler.h"
#include "tenon/runtime.h"

enum { WARM_ROUNDS = 50, ROUNDS = 200 };

static const char text[] = "from tvm.script import ir as I\n"
                           "from tvm.script import relax as R\n"
                           "@I.ir_module\n"
                           "class Module:\n"
                           "    @R.function\n"
                           "    def main(x: R.Tensor((1, 3, 8, 8), \"float32\"), w: R.Tensor((4, "
                           "3, 3, 3), \"float32\")):\n"
                           "        with R.dataflow():\n"
                           "            a = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])\n"
                           "            b = R.nn.relu(a)\n"
                           "            c = R.nn.max_pool2d(b, pool_size=[2, 2], strides=[2, 2])\n"
                           "            R.output(c)\n"
                           "        return c\n";

static int64_t resident_kib(void) {
  long pages = 0;
  (void)malloc_trim(0);
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*s %ld", &pages), 1);
  (void)fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void compile_and_run(tn_runtime *rt) {
  const int64_t shapes[][4] = {{1, 3, 8, 8}, {4, 3, 3, 3}};
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  tn_arg args[2];
  tn_arg ret = tn_arg_none();
  expect_ok(tn_program_parse(text, strlen(text), "round.py", &program));
  expect_ok(tn_program_compile(program, NULL, &exec));
  expect_ok(tn_vm_create(rt, exec, NULL, 0, &vm));
  for (int32_t i = 0; i < 2; ++i) {
    tn_tensor *tensor = NULL;
    expect_ok(tn_tensor_create(TN_DT_F32, 4, shapes[i], NULL, &tensor));
    expect_ok(tn_tensor_fill_random(tensor, 1));
    args[i] = tn_arg_of_tensor(tensor);
  }
  expect_ok(tn_vm_call(vm, "main", args, 2, &ret));
  tn_arg_release(&ret);
  tn_arg_release(&args[0]);
  tn_arg_release(&args[1]);
  tn_vm_release(vm);
  tn_exec_release(exec);
  tn_program_free(program);
}

static void compiling_again_and_again_does_not_grow(void **state) {
  (void)state;
  tn_runtime *rt = NULL;
  int64_t warm = 0;
  expect_ok(tn_runtime_create(2, &rt));
  for (int32_t i = 1; i <= ROUNDS; ++i) {
    compile_and_run(rt);
    warm = i == WARM_ROUNDS ? resident_kib() : warm;
  }
  int64_t now = resident_kib();
  print_message("%lld KiB after %d rounds, %lld KiB after %d\n", (long long)warm, WARM_ROUNDS,
                (long long)now, ROUNDS);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  assert_true(now * 100 <= warm * 105);
#endif
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiling_again_and_again_does_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
