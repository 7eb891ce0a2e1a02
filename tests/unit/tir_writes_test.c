/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which parameters a function reads and writes, through every kind of second name that memory can have. */
/* needs: script ops */
#include "tn_test.h"

#include "script_util.h"
#include "tir/tir.h"

typedef struct writes_case {
  const char *title;
  const char *body; /* of script_in_prim_func */
  const char *want; /* the written ones among "AB", then the read ones */
} writes_case;

/* clang-format off */
static const writes_case cases[] = {
    {"a store", "A[0] = B[0, 0]", "A B"},
    {"loads only", "x = A[0] + B[0, 0]\nassert x == x, \"\"", " AB"},
    {"a nested block's store",
     "for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(4, i)\n"
     "        with T.block(\"c\"):\n            B[vi, 0] = A[vi]", "B A"},
    {"a store through a view",
     "with T.block(\"b\"):\n    V = T.match_buffer(B[0:4, 0:4], (4, 4), offset_factor=1)\n"
     "    V[0, 0] = A[0]", "B A"},
    {"a store through a view of a view",
     "with T.block(\"b\"):\n    V = T.match_buffer(B[0:4, 0:4], (4, 4), offset_factor=1)\n"
     "    with T.block(\"c\"):\n        W = T.match_buffer(V[0:2, 0:2], (2, 2), offset_factor=1)\n"
     "        W[0, 0] = A[0]", "B A"},
    {"a load through a view",
     "with T.block(\"b\"):\n    V = T.match_buffer(B[0:4, 0:4], (4, 4), offset_factor=1)\n"
     "    A[0] = V[0, 0]", "A B"},
    {"a second buffer over the same pointer",
     "C = T.decl_buffer((4, 4), \"float32\", data=A.data)\nC[0, 0] = B[0, 0]", "A B"},
    {"a pointer that is bound to a name",
     "p: T.handle(\"float32\") = A.data\nC = T.decl_buffer((4, 4), \"float32\", data=p)\n"
     "C[0, 0] = B[0, 0]", "A B"},
    {"a pointer given to a call with effects",
     "T.evaluate(T.call_extern(\"int32\", \"f\", A.data))", "A A"},
    {"an address given to a call with effects",
     "T.evaluate(T.call_extern(\"int32\", \"f\", T.address_of(B[1, 0])))", "B B"},
    {"a prefetch", "T.prefetch(T.address_of(A[0]), 1, 3, 1)", " A"},
    {"a pointer given to a call without effects",
     "T.evaluate(T.call_pure_extern(\"int32\", \"f\", A.data))", " A"},
    {"own memory only",
     "C = T.alloc_buffer((4,), \"float32\")\nC[0] = A[0] + B[0, 0]", " AB"},
};
/* clang-format on */

static void each_way_of_writing_counts(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    char *text = script_in_prim_func(cases[i].body);
    char got[6] = "";
    size_t n_got = 0;
    script_case c;
    script_case_init(&c, text);
    char *problems = script_case_problems(&c);
    expect_text(problems, "");
    const tn_node *func = c.module.funcs[0].func;
    uint8_t uses[3] = {0};
    tn_tir_param_uses(&c.module, func, uses);
    for (uint32_t k = 0; k < 4; ++k) {
      if ((uses[k % 2] & (k < 2 ? TN_PARAM_WRITTEN : TN_PARAM_READ)) != 0) {
        got[n_got++] = "AB"[k % 2];
      }
      if (k == 1) {
        got[n_got++] = ' ';
      }
    }
    if (strcmp(got, cases[i].want) != 0) {
      print_message("case: %s\n", cases[i].title);
    }
    assert_string_equal(got, cases[i].want);
    assert_int_equal(uses[2], 0); /* a scalar */
    free(problems);
    free(text);
    script_case_deinit(&c);
  }
}

/* f and g call each other; each writes what it gets first, by the other's store or its own. */
static void what_callees_write_counts_through_recursion(void **state) {
  (void)state;
  script_case c;
  script_case_init(&c, "@I.ir_module\n"
                       "class M:\n"
                       "    @T.prim_func\n"
                       "    def f(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\"),"
                       " C: T.Buffer((4,), \"int32\"), n: T.int32):\n"
                       "        if n > 0:\n"
                       "            M.g(B, A, C, n - 1)\n"
                       "    @T.prim_func\n"
                       "    def g(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\"),"
                       " C: T.Buffer((4,), \"int32\"), n: T.int32):\n"
                       "        A[0] = C[0]\n"
                       "        if n > 0:\n"
                       "            M.f(A, B, C, n - 1)\n");
  char *problems = script_case_problems(&c);
  expect_text(problems, "");
  for (uint32_t i = 0; i < 2; ++i) {
    uint8_t uses[4] = {0};
    tn_tir_param_uses(&c.module, c.module.funcs[i].func, uses);
    assert_int_equal(uses[0], TN_PARAM_WRITTEN); /* the places change with each call */
    assert_int_equal(uses[1], TN_PARAM_WRITTEN);
    assert_int_equal(uses[2], TN_PARAM_READ);
    assert_int_equal(uses[3], 0);
  }
  free(problems);
  script_case_deinit(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_of_writing_counts),
                                     cmocka_unit_test(what_callees_write_counts_through_recursion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
