/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements and memory: each construct as a small function, compiled at levels 0 to 3 and compared
 * with the interpreter bit for bit (the values are small integers, so that contraction does not
 * show). */
/* needs: script lower */
#include "codegen_text.h"

typedef struct text_case {
  const char *name;
  const char *text;
} text_case;

static const text_case cases[] = {
    {"loops of all kinds", "@T.prim_func\n"
                           "def f(A: T.Buffer((24,), 'int32'), B: T.Buffer((24,), 'int32')):\n"
                           "    for i in range(24):\n"
                           "        B[i] = A[i] + 1\n"
                           "    for i in T.serial(3, 9):\n"
                           "        B[i] = B[i] * 3\n"
                           "    for i in T.parallel(24):\n"
                           "        B[i] = B[i] + i\n"
                           "    for i in T.unroll(4):\n"
                           "        B[i] = B[i] - A[i]\n"
                           "    for i in T.vectorized(8):\n"
                           "        B[i + 8] = B[i + 8] * 2 + i\n"},
    {"loops over nothing", "@T.prim_func\n"
                           "def f(A: T.Buffer((4,), 'int32'), n: T.int32):\n"
                           "    for i in range(n - n):\n"
                           "        A[i] = 7\n"
                           "    for i in T.serial(2, n - n):\n"
                           "        A[i] = 8\n"
                           "    for i in T.parallel(n - n):\n"
                           "        A[i] = 9\n"},
    {"a loop that counts in int64 and starts below zero",
     "@T.prim_func\n"
     "def f(A: T.Buffer((10,), 'int64')):\n"
     "    for i in T.serial(T.int64(-5), T.int64(5)):\n"
     "        A[i + T.int64(5)] = i * i // T.int64(3) + i % T.int64(4)\n"},
    {"floor division of negatives",
     "@T.prim_func\n"
     "def f(A: T.Buffer((20,), 'int32'), B: T.Buffer((20,), 'int32')):\n"
     "    for i in range(20):\n"
     "        B[i] = (i - 10) // 3 * 100 + (i - 10) % 3 * 10 + (A[i] - 4) // 4 + (A[i] - 4) % 4\n"
     "        B[i] = B[i] * 10 + (18 - i) // 3 + (18 - i) % 3\n"},
    {"memory for a region",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16, 8), 'int32'), n: T.int32):\n"
     "    B = T.Buffer((16, 8), 'int32')\n"
     "    C = T.buffer_decl((16, 8), 'int32')\n"
     "    with T.realize(B[0:16, 0:8], 'global'):\n"
     "        for i, j in T.grid(16, 8):\n"
     "            B[i, j] = A[15 - i, j]\n"
     "        for i in range(4):\n"
     "            with T.realize(C[i * 2 + 1:i * 2 + 3, 1:n + 2], 'local', n >= 1):\n"
     "                C[i * 2 + 1, 1] = B[i, 0]\n"
     "                C[i * 2 + 2, n + 1] = B[i, 1] + C[i * 2 + 1, 1]\n"
     "                A[i, 2] = C[i * 2 + 1, 1] - C[i * 2 + 2, n + 1]\n"},
    {"functions of lanes",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16,), 'float32'), B: T.Buffer((16,), 'float32'),\n"
     "      C: T.Buffer((16,), 'int8'), U: T.Buffer((16,), 'uint8'), D: T.Buffer((8,), 'int32'),\n"
     "      M: T.Buffer((32,), 'bool'), n: T.int32):\n"
     "    B[0:4] = T.vectorlow('float32x4', A[0:8])\n"
     "    B[4:8] = T.vectorhigh('float32x4', A[0:8])\n"
     "    B[8:16] = T.vectorcombine('float32x8', A[4:8], A[0:4])\n"
     "    D[0] = T.dp4a(C[0:4], C[4:8])\n"
     "    D[1] = T.dp4a(U[0:4], U[4:8], D[2])\n"
     "    D[3] = T.dp4a(U[8:12], C[8:12], 5)\n"
     "    M[0:8] = T.get_active_lane_mask('boolx8', n, 6)\n"
     "    M[8:16] = T.get_active_lane_mask('boolx8', 2147483644, 2147483647)\n"
     "    M[16:20] = T.get_active_lane_mask('boolx4', T.uint64(3), T.uint64(5))\n"
     "    M[20] = T.get_active_lane_mask('bool', n, n)\n"
     "    M[24:32] = T.get_active_lane_mask('boolx8', T.int64(-9223372036854775807), "
     "T.int64(6))\n"},
    {"intrinsics by LLVM's names",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16,), 'float32'), D: T.Buffer((8,), 'int32'), U: T.Buffer((8,), "
     "'uint8')):\n"
     "    A[0] = T.call_llvm_pure_intrin('float32', 'llvm.fma', T.uint32(3), A[1], A[2], A[3])\n"
     "    A[1] = T.call_llvm_intrin('float32', 'llvm.fabs.f32', T.uint32(1), A[1])\n"
     "    A[2:6] = T.call_llvm_pure_intrin('float32x4', 'llvm.floor.v4f32', A[2:6])\n"
     "    A[7] = T.call_llvm_pure_intrin('float32', 'llvm.fmuladd', T.Cast('float32', D[4] % 8), "
     "T.float32(3), T.float32(5))\n"
     "    D[0] = T.call_llvm_pure_intrin('int32', 'llvm.ctpop', T.uint32(1), D[1])\n"
     "    D[2] = T.call_llvm_pure_intrin('int32', 'llvm.smax', T.uint32(2), D[2], D[3])\n"
     "    U[0] = T.call_llvm_pure_intrin('uint8', 'llvm.umin', T.uint32(2), U[1], U[2])\n"
     "    T.call_llvm_intrin('int32', 'llvm.prefetch', T.uint32(4), T.address_of(A[0]), 0, 3, "
     "1)\n"},
    {"if and else", "@T.prim_func\n"
                    "def f(A: T.Buffer((16,), 'int32')):\n"
                    "    for i in range(16):\n"
                    "        if i % 3 == 0:\n"
                    "            A[i] = 5\n"
                    "        else:\n"
                    "            if A[i] > 0 and i > 4:\n"
                    "                A[i] = A[i] - 1\n"},
    {"a while loop", "@T.prim_func\n"
                     "def f(A: T.Buffer((4,), 'int32')):\n"
                     "    A[0] = 0\n"
                     "    A[1] = 1\n"
                     "    while A[0] < 10:\n"
                     "        A[0] = A[0] + 1\n"
                     "        A[1] = A[1] * 2\n"},
    {"lazy evaluation touches only what is chosen",
     "@T.prim_func\n"
     "def f(A: T.Buffer((8,), 'float32'), B: T.Buffer((12,), 'float32')):\n"
     "    for i in range(12):\n"
     "        B[i] = T.if_then_else(2 <= i and i < 10, A[i - 2], T.float32(0))\n"
     "    for i in range(12):\n"
     "        if i >= 8 or A[i] > T.float32(0):\n"
     "            B[i] = B[i] + T.float32(1)\n"},
    {"padding by a vectorized loop",
     "@T.prim_func\n"
     "def f(A: T.Buffer((8,), 'float32'), B: T.Buffer((16,), 'float32')):\n"
     "    for i in T.vectorized(16):\n"
     "        B[i] = T.if_then_else(4 <= i and i < 12, A[i - 4], T.float32(-1))\n"},
    {"a condition in a vectorized loop",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16,), 'float32'), B: T.Buffer((13,), 'float32')):\n"
     "    for i in T.vectorized(16):\n"
     "        if i < 13:\n"
     "            B[i] = A[i] * T.float32(2)\n"},
    {"gather, scatter and strides", "@T.prim_func\n"
                                    "def f(A: T.Buffer((64,), 'float32'), B: T.Buffer((64,), "
                                    "'float32'), X: T.Buffer((8,), 'int32')):\n"
                                    "    for i in T.vectorized(8):\n"
                                    "        B[i * 7] = A[63 - i]\n"
                                    "    for i in T.vectorized(8):\n"
                                    "        B[i] = A[X[i] + 8]\n"
                                    "    for i in T.vectorized(8):\n"
                                    "        B[X[i] + 8] = A[i]\n"},
    {"bools in memory",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16,), 'bool'), B: T.Buffer((16,), 'bool'), C: T.Buffer((16,), 'int32')):\n"
     "    for i in range(8):\n"
     "        B[i] = A[i] and not A[i + 8]\n"
     "    for i in T.vectorized(8):\n"
     "        B[i + 8] = C[i] > 0\n"
     "    for i in range(16):\n"
     "        C[i] = T.Select(A[i] or B[i], i, -i)\n"},
    {"scratch memory, small and large, local and not",
     "@T.prim_func\n"
     "def f(A: T.Buffer((2048,), 'float32'), B: T.Buffer((2048,), 'float32')):\n"
     "    small = T.alloc_buffer((16,), 'float32', scope='local')\n"
     "    large = T.alloc_buffer((2048,), 'float32')\n"
     "    for i in range(2048):\n"
     "        large[i] = A[i] * T.float32(2)\n"
     "    for j in range(16):\n"
     "        small[j] = T.float32(0)\n"
     "    for i, j in T.grid(128, 16):\n"
     "        small[j] = small[j] + large[i * 16 + j]\n"
     "    for i in range(2048):\n"
     "        B[i] = large[i] - small[i % 16]\n"},
    {"symbolic sizes", "@T.prim_func\n"
                       "def f(a: T.handle, b: T.handle, c: T.handle):\n"
                       "    n = T.int64()\n"
                       "    m = T.int64()\n"
                       "    A = T.match_buffer(a, (n, m), 'float32')\n"
                       "    B = T.match_buffer(b, (m, n), 'float32')\n"
                       "    C = T.match_buffer(c, (n * 2 + 1,), 'float32')\n"
                       "    work = T.alloc_buffer((n, m), 'float32')\n"
                       "    for i, j in T.grid(n, m):\n"
                       "        work[i, j] = A[i, j] + T.float32(1)\n"
                       "    for i, j in T.grid(n, m):\n"
                       "        B[j, i] = work[i, j]\n"
                       "    for i in T.parallel(n * 2 + 1):\n"
                       "        C[i] = T.Cast('float32', i) + B[0, 0]\n"},
    {"a parallel loop over what was computed before, with scratch memory of its own",
     "@T.prim_func\n"
     "def f(A: T.Buffer((10, 64), 'float32'), B: T.Buffer((10,), 'float32'), k: T.int32, x: "
     "T.float32, q: T.bool):\n"
     "    w = T.alloc_buffer((640,), 'float32')\n"
     "    for i in range(640):\n"
     "        w[i] = A[i // 64, i % 64] * T.float32(2)\n"
     "    for i in T.parallel(10):\n"
     "        p = T.allocate([2000], 'float32', 'global')\n"
     "        acc = T.decl_buffer((2000,), 'float32', data=p)\n"
     "        for j in range(64):\n"
     "            acc[j] = w[i * 64 + j] + T.Cast('float32', k)\n"
     "        B[i] = T.Select(q, x, T.float32(0))\n"
     "        for j in range(64):\n"
     "            B[i] = B[i] + acc[j]\n"},
    {"nested parallel loops", "@T.prim_func\n"
                              "def f(A: T.Buffer((6, 6), 'int32')):\n"
                              "    for i in T.parallel(6):\n"
                              "        for j in T.parallel(2, 6):\n"
                              "            A[i, j] = A[i, j] * i + j\n"},
    {"blocks with reduction, init and predicate",
     "@T.prim_func\n"
     "def f(A: T.Buffer((10, 30), 'float32'), B: T.Buffer((10,), 'float32')):\n"
     "    for i, j0, j1 in T.grid(10, 8, 4):\n"
     "        with T.block('B'):\n"
     "            vi = T.axis.spatial(10, i)\n"
     "            vj = T.axis.reduce(30, j0 * 4 + j1)\n"
     "            T.where(j0 * 4 + j1 < 30)\n"
     "            with T.init():\n"
     "                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vj]\n"},
    {"stores between equal loads",
     "@T.prim_func\n"
     "def f(A: T.Buffer((4,), 'int32'), B: T.Buffer((4,), 'int32')):\n"
     "    B[0] = A[0] + A[0]\n"
     "    A[0] = A[0] + 5\n"
     "    B[1] = A[0] + A[0]\n"
     "    x = A[0]\n"
     "    A[0] = 0\n"
     "    B[2] = A[0] + x\n"},
    {"constants of the program",
     "@T.prim_func\n"
     "def f(A: T.Buffer((5,), 'float32')):\n"
     "    p = T.allocate_const([1.0, 2.0, 3.0, 4.0, 5.0], 'float32', [5])\n"
     "    K = T.decl_buffer((5,), 'float32', data=p)\n"
     "    for i in range(5):\n"
     "        A[i] = K[4 - i]\n"},
    {"vectors as values",
     "@T.prim_func\n"
     "def f(A: T.Buffer((16,), 'float32'), B: T.Buffer((16,), 'float32')):\n"
     "    B[T.Ramp(0, 1, 8)] = A[T.Ramp(8, 1, 8)] + T.Broadcast(A[3], 8)\n"
     "    B[T.Ramp(8, 2, 4)] = T.max(A[T.Ramp(7, -1, 4)], A[T.Ramp(0, 1, 4)])\n"
     "    B[T.Ramp(9, 2, 4)] = A[T.Ramp(0, 3, 4)]\n"},
    {"a view of memory that is written under another name",
     "@T.prim_func\n"
     "def f(A: T.Buffer((8,), 'int32'), C: T.Buffer((6,), 'int32')):\n"
     "    T.func_attr({'tir.noalias': True})\n"
     "    p: T.handle('int32') = T.address_of(A[4])\n"
     "    B = T.decl_buffer((4,), 'int32', data=p)\n"
     "    for i in T.parallel(6):\n"
     "        A[4] = i\n"
     "        B[0] = B[0] * 3 + 1\n"
     "        C[i] = A[4]\n"},
    {"wrapping index arithmetic", "@T.prim_func\n"
                                  "def f(A: T.Buffer((8,), 'int32'), B: T.Buffer((8,), 'int32')):\n"
                                  "    for i in range(8):\n"
                                  "        B[i] = A[(i * 1000000007 + 2147483647) % 8]\n"},
};

static void check_case(const text_case *c, const char *target, int32_t level) {
  cgx x;
  char what[160];
  (void)snprintf(what, sizeof what, "%s (-O%d, %s)", c->name, level, target);
  cgx_init_body(&x, c->text, c->name);
  cgt_compile(&x.t, target, level);
  cgx_expect_agrees(&x, "f", 5, what);
  cgx_deinit(&x);
}

static void statements_agree_with_the_interpreter(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    check_case(&cases[i], "x86-64-v2", 0);
    for (int32_t level = 0; level <= 3; ++level) {
      check_case(&cases[i], "host", level);
    }
  }
}

/* ---- what the host does for a kernel ---- */

static void an_assertion_stops_the_kernel_with_its_message(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((4,), 'int32'), n: T.int32):\n"
                "    w = T.alloc_buffer((5000,), 'int32')\n"
                "    w[0] = A[0]\n"
                "    assert n == 4, 'n has to be four'\n"
                "    w[1] = w[0] + 1\n"
                "    A[0] = w[1] + w[0]\n",
                "assert");
  int32_t data[4] = {1, 2, 3, 4};
  tn_array a = {.data = data, .dtype = TN_DT_I32, .ndim = 1, .shape = {4}, .is_view = true};
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&x.t, "host", level);
    data[0] = 1;
    cgt_host host;
    cgt_host_init(&host);
    tn_tir_arg args[] = {{.array = &a}, {.i64 = 5}};
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), TN_KERR_ASSERT);
    assert_string_equal(host.text, "n has to be four");
    assert_int_equal(host.n_live, 0);
    assert_int_equal(data[0], 1);
    cgt_host_init(&host);
    args[1].i64 = 4;
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), 0);
    assert_int_equal(data[0], 3);
  }
  cgx_deinit(&x);
}

static void memory_that_cannot_be_had_is_an_error(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((4,), 'int32'), n: T.int64):\n"
                "    w = T.alloc_buffer((5000,), 'int32')\n"
                "    v = T.alloc_buffer((n, T.int64(4611686018427387904)), 'int32')\n"
                "    w[0] = A[0]\n"
                "    v[T.int64(0), T.int64(0)] = w[0]\n"
                "    A[1] = v[T.int64(0), T.int64(0)] + w[0]\n",
                "memory");
  int32_t data[4] = {1, 2, 3, 4};
  tn_array a = {.data = data, .dtype = TN_DT_I32, .ndim = 1, .shape = {4}, .is_view = true};
  tn_tir_arg args[] = {{.array = &a}, {.i64 = 64}}; /* 2^70 bytes */
  cgt_compile(&x.t, "host", 2);
  cgt_host host;
  cgt_host_init(&host);
  assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), TN_KERR_WORKSPACE);
  assert_int_equal(host.n_live, 0);
  assert_int_equal(host.n_allocs, 2);
  cgt_host_init(&host);
  host.fail_alloc = 1;
  assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), TN_KERR_WORKSPACE);
  assert_int_equal(host.n_live, 0);
  assert_int_equal(data[1], 2);
  cgx_deinit(&x);
}

static void an_error_in_a_parallel_loop_reaches_the_caller(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((12,), 'int32'), n: T.int32):\n"
                "    for i in T.parallel(12):\n"
                "        assert i < n, 'too far'\n"
                "        A[i] = i\n",
                "parallel");
  int32_t data[12] = {0};
  tn_array a = {.data = data, .dtype = TN_DT_I32, .ndim = 1, .shape = {12}, .is_view = true};
  tn_tir_arg args[] = {{.array = &a}, {.i64 = 7}};
  cgt_compile(&x.t, "host", 2);
  cgt_host host;
  cgt_host_init(&host);
  assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), TN_KERR_ASSERT);
  assert_string_equal(host.text, "too far");
  assert_int_equal(data[6], 6);
  assert_int_equal(host.n_pieces, 3);
  cgx_deinit(&x);
}

/* Two iterations may share a byte. */
static void a_parallel_loop_that_stores_packed_elements_runs_in_order(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "    for i in T.parallel(9):\n        A[i] = T.Cast(\"int4\", i)\n",
      "    for i in T.parallel(9):\n        B[i] = T.Cast(\"int32\", A[8 - i])\n"};
  for (size_t i = 0; i < TN_N_ROWS(bodies); ++i) {
    cgx x;
    cgt_host host;
    tn_buf text = TN_BUF_INIT;
    const int64_t n = 9;
    tn_array arrays[2] = {{0}};
    tn_buf_printf(
        &text,
        "@T.prim_func\ndef f(A: T.Buffer((9,), \"int4\"), B: T.Buffer((9,), \"int32\")):\n%s",
        bodies[i]);
    cgx_init_body(&x, tn_buf_text(&text), "packed.py");
    tn_buf_deinit(&text);
    cgt_compile(&x.t, "host", 2);
    cgt_host_init(&host);
    expect_ok(tn_array_init(&arrays[0], TN_DT_I4, 1, &n));
    expect_ok(tn_array_init(&arrays[1], TN_DT_I32, 1, &n));
    tn_tir_arg args[] = {{.array = &arrays[0]}, {.array = &arrays[1]}};
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), 0);
    assert_int_equal(host.n_pieces, i == 0 ? 0 : 3);
    cgt_expect_agrees(&x.t, "f", args, 2);
    tn_array_deinit(&arrays[0]);
    tn_array_deinit(&arrays[1]);
    cgx_deinit(&x);
  }
}

static void calls_by_name_pass_their_arguments(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((4,), 'float32'), n: T.int32):\n"
                "    T.evaluate(T.call_packed('log', A[0], n, 'text', A.data, n > 3, A))\n"
                "    A[1] = A[0] + A[0]\n"
                "    T.evaluate(T.call_packed('end'))\n",
                "packed");
  float data[4] = {2.5F, 0, 0, 0};
  tn_array a = {.data = data, .dtype = TN_DT_F32, .ndim = 1, .shape = {4}, .is_view = true};
  tn_tir_arg args[] = {{.array = &a}, {.i64 = 7}};
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&x.t, "host", level);
    cgt_host host;
    cgt_host_init(&host);
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), 0);
    assert_string_equal(host.packed, "log(2.5, 7, 'text', kind 3, 1, float32[4] 2.5);end();");
    cgt_host_init(&host);
    host.packed_code = TN_KERR_PACKED;
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 2), TN_KERR_PACKED);
    assert_string_equal(host.packed, "log(2.5, 7, 'text', kind 3, 1, float32[4] 2.5);");
  }
  cgx_deinit(&x);
}

static void a_load_after_a_call_sees_what_the_call_wrote(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((4,), 'int32')):\n"
                "    A[1] = A[0] * 10 + T.call_packed('bump', A.data) + A[0]\n",
                "call");
  int32_t data[4] = {1, 0, 0, 0};
  tn_array a = {.data = data, .dtype = TN_DT_I32, .ndim = 1, .shape = {4}, .is_view = true};
  tn_tir_arg args[] = {{.array = &a}};
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&x.t, "host", level);
    cgt_host host;
    cgt_host_init(&host);
    data[0] = 1;
    assert_int_equal(cgt_run(&x.t, &host, "f", args, 1), 0);
    assert_int_equal(data[1], 10 + 2);
  }
  cgx_deinit(&x);
}

static void a_result_comes_back_in_the_last_argument(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(n: T.int32) -> T.int32:\n"
                "    return n * 2 + 1\n",
                "return");
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&x.t, "host", level);
    cgt_host host;
    cgt_host_init(&host);
    tn_arg args[2] = {{.kind = TN_ARG_INT, .u = {.i64 = 20}}};
    assert_int_equal(cgt_find(&x.t, "f")(&host.env, args, 2), 0);
    assert_int_equal(args[1].kind, TN_ARG_INT);
    assert_int_equal(args[1].u.i64, 41);
  }
  cgx_deinit(&x);
}

/* ---- what has no code ---- */

static void what_has_no_code_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *part;
  } refused[] = {
      {"@T.prim_func\n"
       "def f(A: T.Buffer((4,), 'float32')):\n"
       "    for i in T.thread_binding(4, thread='threadIdx.x'):\n"
       "        A[i] = T.float32(0)\n",
       "GPU thread"},
      {"@T.prim_func\n"
       "def f(A: T.Buffer((4,), 'float32')):\n"
       "    T.evaluate(T.tvm_storage_sync('shared'))\n"
       "    A[0] = T.float32(0)\n",
       "T.tvm_storage_sync"},
      {"@T.prim_func\n"
       "def f(A: T.Buffer((4,), 'float32')):\n"
       "    A[0] = T.call_llvm_pure_intrin('float32', 'llvm.trap', A[1])\n",
       "llvm.trap"},
      {"@T.prim_func\n"
       "def f(A: T.Buffer((4,), 'float32')):\n"
       "    T.evaluate(T.call_extern('int32', 'system', A.data))\n",
       "'system' is called by symbol"},
      {"@T.prim_func\n"
       "def f(A: T.Buffer((4,), 'float32')):\n"
       "    T.evaluate(T.call_extern('int32', 'llvm.trap'))\n",
       "call of 'llvm.trap'"},
  };
  for (size_t i = 0; i < TN_N_ROWS(refused); ++i) {
    cgx x;
    cgx_init_body(&x, refused[i].text, "refused");
    expect_error(cgt_try_compile(&x.t, "host", 2), TN_UNSUPPORTED, refused[i].part);
    cgx_deinit(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_agree_with_the_interpreter),
      cmocka_unit_test(an_assertion_stops_the_kernel_with_its_message),
      cmocka_unit_test(memory_that_cannot_be_had_is_an_error),
      cmocka_unit_test(an_error_in_a_parallel_loop_reaches_the_caller),
      cmocka_unit_test(a_parallel_loop_that_stores_packed_elements_runs_in_order),
      cmocka_unit_test(calls_by_name_pass_their_arguments),
      cmocka_unit_test(a_load_after_a_call_sees_what_the_call_wrote),
      cmocka_unit_test(a_result_comes_back_in_the_last_argument),
      cmocka_unit_test(what_has_no_code_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
