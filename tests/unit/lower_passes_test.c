/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Each lowering pass alone, and the whole order, leave what a function computes as it was: a table
 * of programs that between them have everything a pass must see to, run by the interpreter before
 * and after. */
#include <time.h>

#include "lower_cases.h"
#include "tir_make.h"

#define HEAD "from tvm.script import tir as T\n\n@T.prim_func\n"

static const char whole_order[] =
    "lower_blocks,compact_buffers,flatten_buffers,simplify,partition_loops,vectorize_loops,"
    "unroll_loops,simplify,remove_no_op";

typedef struct program {
  const char *name;
  const char *text;
} program;

static const program programs[] = {
    {"matmul", HEAD "def f(A: T.Buffer((6, 5), \"float32\"), B: T.Buffer((5, 8), \"float32\"), C: "
                    "T.Buffer((6, 8), \"float32\")):\n"
                    "    for i, j, k in T.grid(6, 8, 5):\n"
                    "        with T.block(\"C\"):\n"
                    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
                    "            with T.init():\n"
                    "                C[vi, vj] = T.float32(0)\n"
                    "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"},
    {"predicate and split",
     HEAD "def f(A: T.Buffer((30,), \"float32\"), B: T.Buffer((30,), \"float32\")):\n"
          "    for io, ii in T.grid(8, 4):\n"
          "        with T.block(\"B\"):\n"
          "            vi = T.axis.spatial(30, io * 4 + ii)\n"
          "            T.where(io * 4 + ii < 30)\n"
          "            B[vi] = A[vi] * T.float32(2)\n"},
    {"scratch and two blocks",
     HEAD "def f(A: T.Buffer((4, 6), \"float32\"), C: T.Buffer((4, 6), \"float32\")):\n"
          "    B = T.alloc_buffer((4, 6))\n"
          "    for i, j in T.grid(4, 6):\n"
          "        with T.block(\"B\"):\n"
          "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
          "            B[vi, vj] = A[vi, vj] + T.float32(1)\n"
          "    for i in T.parallel(4):\n"
          "        for j in T.vectorized(6):\n"
          "            with T.block(\"C\"):\n"
          "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
          "                C[vi, vj] = T.max(B[vi, vj], T.float32(0))\n"},
    {"symbolic, strided", HEAD "def f(a: T.handle, c: T.handle):\n"
                               "    n = T.int64()\n"
                               "    m = T.int64()\n"
                               "    A = T.match_buffer(a, (n, m), \"float32\")\n"
                               "    C = T.match_buffer(c, (n, m), \"float32\")\n"
                               "    for i, j in T.grid(n, m):\n"
                               "        with T.block(\"C\"):\n"
                               "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                               "            C[vi, vj] = A[vi, vj] * A[n - 1 - vi, m - 1 - vj]\n"},
    {"vector tail under if", HEAD "def f(A: T.Buffer((30,), \"float32\"), B: T.Buffer((30,), "
                                  "\"float32\"), S: T.Buffer((1,), \"float32\")):\n"
                                  "    for i in range(4):\n"
                                  "        for j in T.vectorized(8):\n"
                                  "            if i * 8 + j < 30:\n"
                                  "                B[i * 8 + j] = A[i * 8 + j] * S[0]\n"
                                  "            else:\n"
                                  "                B[j] = B[j] + T.float32(1)\n"},
    {"vector with let and select",
     HEAD "def f(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"int32\")):\n"
          "    for i in range(4):\n"
          "        for j in T.vectorized(8):\n"
          "            x = A[i * 8 + j] * T.float32(3)\n"
          "            y = T.Select(x > T.float32(0), x, T.float32(0) - x)\n"
          "            A[i * 8 + j] = y + T.if_then_else(j > 2, A[i * 8 + j - 3], T.float32(0))\n"
          "            B[i * 8 + j] = T.Cast(\"int32\", y) // 2 + j % 3\n"},
    {"vectorized reduction stays a loop",
     HEAD "def f(A: T.Buffer((4, 16), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
          "    for i in range(4):\n"
          "        for k in T.vectorized(16):\n"
          "            with T.block(\"B\"):\n"
          "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
          "                with T.init():\n"
          "                    B[vi] = T.float32(0)\n"
          "                B[vi] = B[vi] + A[vi, vk]\n"},
    {"lanes that depend on each other",
     HEAD "def f(A: T.Buffer((32,), \"int32\"), B: T.Buffer((32,), \"int32\")):\n"
          "    for j in T.vectorized(16):\n"
          "        A[j + 1] = A[j] + 1\n"
          "    for j in T.vectorized(8):\n"
          "        B[j] = B[j + 4] * 2\n"
          "    for j in T.vectorized(8):\n"
          "        B[j * 2] = B[j * 2 + 1] + B[j * 2]\n"
          "    for j in T.vectorized(8):\n"
          "        A[7 - j] = A[j]\n"},
    {"vector loop around a serial loop",
     HEAD "def f(A: T.Buffer((4, 32), \"float32\"), B: T.Buffer((32,), \"float32\"), W: "
          "T.Buffer((4,), \"float32\")):\n"
          "    for i in range(4):\n"
          "        for j in T.vectorized(8):\n"
          "            B[i * 8 + j] = T.float32(0)\n"
          "            for k in range(4):\n"
          "                if k < 3:\n"
          "                    B[i * 8 + j] = B[i * 8 + j] + A[k, i * 8 + j] * W[k]\n"},
    {"register tile", HEAD
     "def f(A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((8, 16), \"float32\"), C: T.Buffer((4, "
     "16), \"float32\")):\n"
     "    acc = T.alloc_buffer((4, 16), scope=\"local\")\n"
     "    for i in T.unroll(4):\n"
     "        for jo in T.unroll(2):\n"
     "            for ji in T.vectorized(8):\n"
     "                acc[i, jo * 8 + ji] = T.float32(0)\n"
     "    for k in range(8):\n"
     "        for i in T.unroll(4):\n"
     "            for jo in T.unroll(2):\n"
     "                for ji in T.vectorized(8):\n"
     "                    acc[i, jo * 8 + ji] = acc[i, jo * 8 + ji] + A[i, k] * B[k, jo * 8 + ji]\n"
     "    for i in T.unroll(4):\n"
     "        for jo in T.unroll(2):\n"
     "            for ji in T.vectorized(8):\n"
     "                C[i, jo * 8 + ji] = acc[i, jo * 8 + ji]\n"},
    {"unroll with let, if and allocation",
     HEAD "def f(A: T.Buffer((12,), \"int32\"), B: T.Buffer((12,), \"int32\")):\n"
          "    for i in T.unroll(3):\n"
          "        with T.block(\"b\"):\n"
          "            vi = T.axis.opaque(3, i)\n"
          "            t = T.alloc_buffer((4,), \"int32\")\n"
          "            for j in T.unroll(1, 4):\n"
          "                x = A[vi * 4 + j] + vi\n"
          "                t[j] = x * 2\n"
          "                if j > vi:\n"
          "                    t[j] = t[j] - 7\n"
          "            for j in range(1, 4):\n"
          "                B[vi * 4 + j] = t[j]\n"},
    {"matched view",
     HEAD "def f(A: T.Buffer((8, 12), \"float32\"), C: T.Buffer((8, 12), \"float32\")):\n"
          "    for i, j in T.grid(2, 3):\n"
          "        with T.block(\"C\"):\n"
          "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
          "            T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])\n"
          "            T.writes(C[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])\n"
          "            s0 = T.int32()\n"
          "            s1 = T.int32()\n"
          "            V = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "
          "strides=[s0, s1], offset_factor=1)\n"
          "            W = T.match_buffer(C[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "
          "offset_factor=1)\n"
          "            for k, l in T.grid(4, 4):\n"
          "                W[k, l] = V[l, k] + T.Cast(\"float32\", s0 + s1)\n"},
    {"view of a view",
     HEAD "def f(A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((3,), \"int32\")):\n"
          "    for i in range(2):\n"
          "        with T.block(\"outer\"):\n"
          "            vi = T.axis.spatial(2, i)\n"
          "            V = T.match_buffer(A[vi * 4:vi * 4 + 4, 2:8], (4, 6))\n"
          "            for j in range(4):\n"
          "                with T.block(\"inner\"):\n"
          "                    vj = T.axis.spatial(4, j)\n"
          "                    s = T.int32()\n"
          "                    t = T.int32()\n"
          "                    o = T.int32()\n"
          "                    W = T.match_buffer(V[vj:vj + 1, 1:5], (1, 4), strides=[s, t], "
          "elem_offset=o)\n"
          "                    W[0, 3] = T.Cast(\"float32\", s * 1000 + t * 100 + o)\n"
          "                    B[1] = B[1] + o + t\n"},
    {"nested blocks",
     HEAD "def f(A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
          "    for i, ko in T.grid(2, 2):\n"
          "        with T.block(\"outer\"):\n"
          "            vi, vo = T.axis.remap(\"SR\", [i, ko])\n"
          "            T.reads(A[vi * 4:vi * 4 + 4, vo * 4:vo * 4 + 4])\n"
          "            T.writes(B[vi * 4:vi * 4 + 4])\n"
          "            with T.init():\n"
          "                for r in range(4):\n"
          "                    with T.block(\"init\"):\n"
          "                        vr = T.axis.spatial(4, r)\n"
          "                        B[vi * 4 + vr] = T.float32(1)\n"
          "            for r, k in T.grid(4, 4):\n"
          "                with T.block(\"inner\"):\n"
          "                    vr, vk = T.axis.remap(\"SR\", [r, k])\n"
          "                    B[vi * 4 + vr] = B[vi * 4 + vr] + A[vi * 4 + vr, vo * 4 + vk]\n"},
    {"gather, guards and division",
     HEAD "def f(I: T.Buffer((16,), \"int32\"), A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), "
          "\"int32\"), k: T.int32):\n"
          "    for j in T.vectorized(16):\n"
          "        if I[j] > 0 and I[j] < 16:\n"
          "            B[j] = A[I[j]] // I[j] + A[k] % k\n"
          "        B[j] = B[j] + T.if_then_else(I[j] != 0 and A[j] // I[j] > 1, A[j] % I[j], 5)\n"},
    {"bools, min, max and shifts", HEAD "def f(A: T.Buffer((8,), \"bool\"), B: T.Buffer((8,), "
                                        "\"int32\"), C: T.Buffer((8,), \"uint8\")):\n"
                                        "    for j in T.vectorized(8):\n"
                                        "        A[j] = A[j] and B[j] > 1\n"
                                        "        B[j] = T.min(B[j], j) << 2 | T.max(B[j] >> 1, 0)\n"
                                        "        C[j] = C[j] * T.uint8(200) + T.uint8(100)\n"},
    {"while, assert, dead code",
     HEAD "def f(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"float32\")):\n"
          "    dead = T.alloc_buffer((4,), \"int32\")\n"
          "    A[0] = 0\n"
          "    while A[0] < 9:\n"
          "        A[0] = A[0] + 2\n"
          "    assert A[0] == 10, \"ten\"\n"
          "    for i in range(4):\n"
          "        unused = B[i] * T.float32(2)\n"
          "        for j in range(0):\n"
          "            B[i] = T.float32(7)\n"
          "        if i * 0 > 1:\n"
          "            B[i] = T.float32(8)\n"
          "        for j in range(1):\n"
          "            B[i + j] = B[i] + T.float32(1)\n"},
    {"int8 wraps, mixed index types",
     HEAD "def f(A: T.Buffer((T.int64(4), T.int64(4)), \"int8\"), B: T.Buffer((16,), \"int8\")):\n"
          "    for i, j in T.grid(4, 4):\n"
          "        B[(i * 16 + j * 4) // 4] = A[T.Cast(\"int64\", i), T.Cast(\"int64\", j)] * "
          "T.int8(100)\n"},
};

static bool check(const program *p, const char *passes) {
  tn_module module;
  tn_module before;
  lc_parse(&module, p->text);
  tn_module_init_copy(&before, &module);
  lc_run_passes(&module, passes);
  bool is_ok = lc_agree(&before, &module, "f", 1) && lc_agree(&before, &module, "f", 2);
  if (!is_ok) {
    lc_show("before", &before);
    lc_show("after", &module);
    print_error("%s: %s changed the result\n", p->name, passes);
  }
  tn_module_deinit(&before);
  lc_free(&module);
  return is_ok;
}

static void each_pass_alone_keeps_the_result(void **state) {
  (void)state;
  static const char *const lists[] = {"lower_blocks",
                                      "lower_blocks,flatten_buffers",
                                      "simplify",
                                      "unroll_loops",
                                      "remove_no_op",
                                      "lower_blocks,vectorize_loops",
                                      "vectorize_loops",
                                      "lower_blocks,flatten_buffers,vectorize_loops",
                                      "lower_blocks,simplify,unroll_loops"};
  bool is_ok = true;
  for (size_t i = 0; i < TN_N_ROWS(programs); ++i) {
    for (size_t k = 0; k < TN_N_ROWS(lists); ++k) {
      is_ok = check(&programs[i], lists[k]) && is_ok;
    }
  }
  assert_true(is_ok);
}

static void the_whole_order_keeps_the_result(void **state) {
  (void)state;
  bool is_ok = true;
  for (size_t i = 0; i < TN_N_ROWS(programs); ++i) {
    is_ok = check(&programs[i], whole_order) && is_ok;
  }
  assert_true(is_ok);
}

static void the_whole_order_gives_the_lowered_form(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(programs); ++i) {
    tn_module module;
    tn_diags diags = {0};
    lc_parse(&module, programs[i].text);
    lc_run_passes(&module, whole_order);
    tn_lowered_verify(module.ir, tn_module_find(&module, "f"), &diags);
    expect_ok(tn_diags_to_status(&diags, module.ir));
    lc_free(&module);
  }
}

static void passes_are_idempotent(void **state) {
  (void)state;
  static const char *const lists[] = {"lower_blocks", "compact_buffers", "flatten_buffers",
                                      "simplify",     "partition_loops", "vectorize_loops",
                                      "unroll_loops", "remove_no_op"};
  for (size_t i = 0; i < TN_N_ROWS(programs); ++i) {
    tn_module module;
    lc_parse(&module, programs[i].text);
    for (size_t k = 0; k < TN_N_ROWS(lists); ++k) {
      lc_run_passes(&module, lists[k]);
      const tn_node *once = tn_module_find(&module, "f");
      lc_run_passes(&module, lists[k]);
      tn_buf path = TN_BUF_INIT;
      bool is_same = tn_equal(once, tn_module_find(&module, "f"), false, &path);
      expect_true(is_same, "%s: %s twice differs at %s", programs[i].name, lists[k],
                  tn_buf_text(&path));
      tn_buf_deinit(&path);
    }
    lc_free(&module);
  }
}

static void flattening_needs_blocks_lowered(void **state) {
  (void)state;
  tn_module module;
  lc_parse(&module, programs[0].text);
  expect_error(lc_pass("flatten_buffers", 15)->fn(&module, &(tn_pass_opts){0}), TN_INVALID,
               "lower_blocks comes before");
  lc_free(&module);
}

/* A program that the verifier refuses, as a pass might leave it. */
static void a_view_of_more_dimensions_is_not_lowered(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_F32, 4);
  const tn_node *V = MK_BUFFER(ir, "V", TN_DT_F32, 2, 2);
  const tn_node *range = mk_range(ir, mk_i32(ir, 0), mk_i32(ir, 4));
  const tn_node *match = MK_NODE(ir, TN_OP_MATCH, 0, V, tn_region_new(ir, A, 1, &range));
  const tn_node *block =
      mk_block(ir, &(mk_block_spec){.name = "b",
                                    .matches = tn_list(ir, 1, &match),
                                    .body = MK_NODE(ir, TN_OP_EVAL, 0, mk_i32(ir, 0))});
  tn_module_init(&module, ir, "M");
  tn_module_set(&module, "f", MK_FUNC(ir, "f", block, A));
  expect_error(lc_pass("lower_blocks", 12)->fn(&module, &(tn_pass_opts){0}), TN_UNSUPPORTED,
               "view 'V' of 2 dimensions");
  lc_free(&module);
}

static void what_is_not_lowered_is_reported(void **state) {
  (void)state;
  static const struct {
    const char *passes;
    const char *part;
  } rows[] = {{"", "BLOCK is left; run lower_blocks"},
              {"lower_blocks", "run flatten_buffers"},
              {"lower_blocks,flatten_buffers", "a vectorized loop is left; run vectorize_loops"}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_module module;
    tn_diags diags = {0};
    lc_parse(&module, programs[2].text);
    lc_run_passes(&module, rows[i].passes);
    tn_lowered_verify(module.ir, tn_module_find(&module, "f"), &diags);
    expect_error(tn_diags_to_status(&diags, module.ir), TN_INVALID, rows[i].part);
    lc_free(&module);
  }
}

/* 4,000 statements that each bind something: nothing may grow with the square of that. */
static void long_functions_take_linear_time(void **state) {
  (void)state;
  static const char text[] = HEAD "def f(A: T.Buffer((8000,), \"int32\")):\n"
                                  "    for i, j in T.grid(4, 1):\n"
                                  "        for k in T.unroll(1000):\n"
                                  "            x = A[i * 2000 + k * 2] + j\n"
                                  "            y = x * 3\n"
                                  "            A[i * 2000 + k * 2 + 1] = y // 2 + k\n";
  tn_module module;
  tn_module before;
  lc_parse(&module, text);
  tn_module_init_copy(&before, &module);
  clock_t start = clock();
  lc_run_passes(&module, whole_order);
  double s = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_true(lc_agree(&before, &module, "f", 1));
  expect_true(s < 20, "%g s", s); /* 0.1 s in a release build; sanitizers are slow */
  tn_module_deinit(&before);
  lc_free(&module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_pass_alone_keeps_the_result),
                                     cmocka_unit_test(the_whole_order_keeps_the_result),
                                     cmocka_unit_test(the_whole_order_gives_the_lowered_form),
                                     cmocka_unit_test(passes_are_idempotent),
                                     cmocka_unit_test(flattening_needs_blocks_lowered),
                                     cmocka_unit_test(a_view_of_more_dimensions_is_not_lowered),
                                     cmocka_unit_test(what_is_not_lowered_is_reported),
                                     cmocka_unit_test(long_functions_take_linear_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
