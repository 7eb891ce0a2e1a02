/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Counting floating-point operations: loops of every kind of extent, blocks, guards, and where there
 * is no count. */
/* needs: script ops */
#include "tn_test.h"

#include "script_util.h"
#include "tir/tir.h"

typedef struct count_case {
  const char *title;
  const char *body; /* of script_in_prim_func; n is 5 */
  double flops;     /* < 0: there is no count */
  bool is_estimate;
  const char *says; /* of the error, or the type */
} count_case;

#define MATMUL_BLOCK(where)                                                     \
  "with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SR\", [i, j])\n" where \
  "        with T.init():\n            A[vi] = T.float32(2) * A[0]\n"           \
  "        A[vi] = A[vi] + B[vi, vj] * B[vj, vi]"

/* clang-format off */
static const count_case cases[] = {
    {"no arithmetic", "A[0] = B[0, 0]", 0, false, "void"},
    {"index arithmetic does not count", "for i in range(8):\n    A[i * 2 + 1] = B[i // 2, i + 3]", 0, false, "void"},
    {"a sum", "A[0] = B[0, 0] + B[0, 1]", 1, false, "float32"},
    {"a term that stands twice is two", "A[0] = B[0, 0] * B[0, 0] + B[0, 0] * B[0, 0]", 3, false, "float32"},
    {"a fused multiply-add is two", "A[0] = T.fma(B[0, 0], B[0, 1], A[0])", 2, false, "float32"},
    {"a function is one", "A[0] = T.exp(T.max(A[0], T.float32(0)))", 2, false, "float32"},
    {"loops multiply", "for i, j in T.grid(16, 16):\n    A[i] = A[i] + B[i, j]", 256, false, "float32"},
    {"an extent given with the call", "for i in range(n * 2):\n    A[i] = A[i] + T.float32(1)", 10, false, "float32"},
    {"a triangle", "for i in range(16):\n    for j in range(i):\n        A[i] = A[i] + B[i, j]", 120, false, "float32"},
    {"a guard", "for i, j in T.grid(16, 16):\n    if i * 16 + j < 100:\n        A[i] = A[i] + B[i, j]", 100, false, "float32"},
    {"a guard that only a later turn reads",
     "for i, j in T.grid(16, 16):\n    if j > 7 and i < 3:\n        A[i] = A[i] + B[i, j]", 24, false, "float32"},
    {"both branches", "for i in range(16):\n    if i < 4:\n        A[i] = A[i] + B[i, 0]\n    else:\n        A[i] = A[i] + B[i, 0] * B[i, 1]", 28, false, "float32"},
    {"a guard on values holds", "for i in range(16):\n    if A[i] > T.float32(0):\n        A[i] = A[i] + T.float32(1)", 16, true, "float32"},
    {"the costlier of two values", "A[0] = T.if_then_else(n > 2, A[0] * A[1] + A[2], A[0])", 2, true, "float32"},
    {"values of one cost", "A[0] = T.if_then_else(n > 2, A[1], T.float32(0)) + A[2]", 1, false, "float32"},
    {"a vector counts its lanes", "A[0:8] = A[0:8] * T.Broadcast(T.float32(2), 8)", 8, false, "float32"},
    {"a block and its init",
     "for i, j in T.grid(16, 16):\n    " MATMUL_BLOCK(""), 16 * 16 * 2 + 16, false, "float32"},
    {"a block with a predicate runs each point once",
     "for io, j, ii in T.grid(3, 16, 6):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(16, io * 6 + ii)\n"
     "        vj = T.axis.reduce(16, j)\n        T.where(io * 6 + ii < 16)\n"
     "        A[vi] = A[vi] + B[vi, vj] * B[vj, vi]", 512, true, "float32"},
    {"a block that decides by its axes",
     "for i, j in T.grid(16, 16):\n    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SR\", [i, j])\n"
     "        if vj <= vi:\n            A[vi] = A[vi] + B[vi, vj]", 136, false, "float32"},
    {"a name", "x = T.Cast(\"float64\", A[0]) * T.float64(3)\nA[0] = T.Cast(\"float32\", x) + A[1]", 2, false, "float32"},
    {"another type", "A[0] = T.Cast(\"float32\", T.Cast(\"float64\", A[0]) * T.float64(3))", 1, false, "float64"},
    {"a parallel loop", "for i in T.parallel(16):\n    A[i] = A[i] + T.float32(1)", 16, false, "float32"},
    {"no turn", "for i in range(n - 5):\n    A[i] = A[i] + T.float32(1)", 0, false, "void"},
    {"an extent that is read", "for i in range(T.Cast(\"int32\", A[0])):\n    A[i] = A[i] + T.float32(1)", -1, false, "loop 'i'"},
    {"a while loop", "while A[0] > T.float32(0):\n    A[0] = A[0] - T.float32(1)", -1, false, "while loop"},
    {"too many turns that differ",
     "for a, b, c, d in T.grid(100, 100, 100, 100):\n    for e in range(a + b + c + d):\n        A[0] = A[0] + T.float32(1)", -1, false, "differ"},
    {"guards past the budget are taken to hold",
     "for a, b, c, d in T.grid(100, 100, 100, 100):\n    if a + b + c + d < 7:\n        A[0] = A[0] + T.float32(1)", 1e8, true, "float32"},
};
/* clang-format on */

static void check_case(const count_case *row, const script_case *c) {
  const tn_node *func = c->module.funcs[0].func;
  const tn_size_value n = {func->in[TN_PRIM_FUNC_PARAMS]->in[2], 5};
  tn_op_count count = {0};
  char type[TN_DTYPE_TEXT_BYTES];
  tn_status st = tn_tir_count_flops(func, &n, 1, &count);
  if (row->flops < 0) {
    expect_true(st != NULL && strstr(tn_status_message(st), row->says) != NULL, "%s: %s",
                row->title, st != NULL ? tn_status_message(st) : "counted");
    tn_status_free(st);
    return;
  }
  expect_ok(st);
  expect_true(count.flops == row->flops, "%s: %g", row->title, count.flops);
  expect_true(count.is_estimate == row->is_estimate, "%s: estimate %d", row->title,
              count.is_estimate);
  expect_true(strcmp(count.dtype == TN_DT_NONE ? "void" : tn_dtype_print(count.dtype, type),
                     row->says) == 0,
              "%s: type", row->title);
}

static void operations_are_counted_as_often_as_they_run(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    char *text = script_in_prim_func(cases[i].body);
    script_case c;
    script_case_init(&c, text);
    char *problems = script_case_problems(&c);
    expect_text(problems, "");
    check_case(&cases[i], &c);
    free(problems);
    free(text);
    script_case_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_are_counted_as_often_as_they_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
