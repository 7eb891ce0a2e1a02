/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* The verifier of the lowered form: what a program that was not lowered is told. */
#include "lower/lower.h"
#include "script_util.h"

typedef struct verify_case {
  const char *body; /* of script_in_prim_func */
  const char *id;   /* of the only diagnostic; NULL: none */
} verify_case;

static const verify_case verify_cases[] = {
    {"A[0] = A[1]", NULL},
    {"for i in T.parallel(16):\n    A[i] = T.float32(0)", NULL},
    {"with T.block(\"b\"):\n    A[0] = A[1]", "not-lowered"},
    {"for i in T.vectorized(4):\n    A[i] = T.float32(0)", "not-lowered"},
    {"for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[i] = T.float32(0)",
     "not-lowered"},
    {"B[0, 1] = T.float32(0)", "not-flat"},
    {"A[T.int16(3)] = T.float32(0)", "index-type"},
};

static void what_is_not_lowered_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(verify_cases); ++i) {
    const verify_case *row = &verify_cases[i];
    char *text = script_in_prim_func(row->body);
    script_case c;
    tn_diags diags = {0};
    script_case_init(&c, text);
    expect_true(c.diags.n == 0, "%s", text);
    tn_lowered_verify(c.ir, c.module.funcs[0].func, &diags);
    expect_true(diags.n == (row->id != NULL), "%s: %d diagnostics", row->body, diags.n);
    expect_true(row->id == NULL || strcmp(diags.items[0].id, row->id) == 0, "%s: %s", row->body,
                diags.items[0].id);
    tn_diags_deinit(&diags);
    script_case_deinit(&c);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_lowered_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
