/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A large module becomes several objects, whose bytes do not depend on the number of threads;
 * together they hold every function. */
/* needs: codegen lower script */
#include "codegen_text.h"

enum { N_FUNCS = 24, N_STATEMENTS = 60 };

static void put_function(tn_buf *out, int32_t number) {
  tn_buf_printf(out,
                "@T.prim_func\ndef f%d(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), "
                "\"float32\")):\n",
                number);
  for (int32_t i = 0; i < N_STATEMENTS; ++i) {
    tn_buf_printf(out, "    B[%d] = A[%d] * T.float32(%d) + A[%d]\n", i, (i * 7) % 64, number + i,
                  (i * 5 + number) % 64);
  }
}

static void init_module(cgx *x) {
  tn_buf text = TN_BUF_INIT;
  for (int32_t i = 0; i < N_FUNCS; ++i) {
    put_function(&text, i);
  }
  cgx_init_text(x, tn_buf_text(&text), "objects");
  tn_buf_deinit(&text);
}

static void a_large_module_is_several_objects(void **state) {
  (void)state;
  static const tn_codegen_opts opts = {.opt_level = 2};
  cgx x;
  tn_objects alone = {0};
  tn_objects together = {0};
  tn_jit *jit = NULL;
  char name[16];
  init_module(&x);
  expect_ok(cgx_lower(&x.t.module, 2));
  expect_ok(tn_llvm_emit_objects(&x.t.module, &opts, 1, &alone));
  expect_ok(tn_llvm_emit_objects(&x.t.module, &opts, 5, &together));
  assert_true(alone.n > 1 && alone.n <= TN_MAX_OBJECTS);
  assert_int_equal(alone.n, together.n);
  for (size_t i = 0; i < alone.n; ++i) {
    assert_int_equal(alone.all[i].len, together.all[i].len);
    assert_memory_equal(alone.all[i].data, together.all[i].data, alone.all[i].len);
  }
  expect_ok(tn_jit_new(&together, &jit));
  for (int32_t i = 0; i < N_FUNCS; ++i) {
    (void)snprintf(name, sizeof name, "f%d", i);
    assert_true(tn_jit_find(jit, name) != NULL);
  }
  tn_jit_free(jit);
  tn_objects_deinit(&alone);
  tn_objects_deinit(&together);
  cgx_deinit(&x);
}

static void a_small_module_is_one_object(void **state) {
  (void)state;
  static const tn_codegen_opts opts = {.opt_level = 2};
  cgx x;
  tn_buf text = TN_BUF_INIT;
  tn_objects objects = {0};
  put_function(&text, 0);
  cgx_init_text(&x, tn_buf_text(&text), "objects");
  expect_ok(cgx_lower(&x.t.module, 2));
  expect_ok(tn_llvm_emit_objects(&x.t.module, &opts, 4, &objects));
  assert_int_equal(objects.n, 1);
  tn_objects_deinit(&objects);
  tn_buf_deinit(&text);
  cgx_deinit(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_large_module_is_several_objects),
      cmocka_unit_test(a_small_module_is_one_object),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
