/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of one loop function by another: modules compiled at levels 0 to 3 and compared with the
 * interpreter bit for bit; sizes that do not fit and calls without end are errors of both. */
/* needs: script lower */
#include "codegen_text.h"

#define MODULE "from tvm.script import ir as I, tir as T\n\n@I.ir_module\nclass M:\n"

typedef struct text_case {
  const char *name;
  const char *text;
} text_case;

static const text_case cases[] = {
    {"buffers, numbers, a result",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((8, 4), 'int32'), B: T.Buffer((8, 4), 'int32')):\n"
            "        C = T.alloc_buffer((8, 4), 'int32')\n"
            "        M.scale(A, C, 3, A[0, 0])\n"
            "        M.scale(C, B, B[0, 1] % 4, 2)\n"
            "        B[7, 3] = M.largest(C.data, 32) + M.largest(A.data, 4)\n"
            "    @T.prim_func(private=True)\n"
            "    def scale(a: T.handle, b: T.handle, k: T.int64, s: T.int32):\n"
            "        n, m = T.int32(), T.int64()\n"
            "        A = T.match_buffer(a, (n, m), 'int32')\n"
            "        B = T.match_buffer(b, (n, m), 'int32')\n"
            "        for i, j in T.grid(n, m):\n"
            "            with T.block('b'):\n"
            "                vi, vj = T.axis.remap('SS', [i, j])\n"
            "                B[vi, vj] = A[vi, vj] * s + T.Cast('int32', k)\n"
            "    @T.prim_func(private=True)\n"
            "    def largest(p: T.handle, n: T.int32) -> T.int32:\n"
            "        A = T.match_buffer(p, (n,), 'int32')\n"
            "        r = T.alloc_buffer((1,), 'int32')\n"
            "        r[0] = A[0]\n"
            "        for i in range(n):\n"
            "            r[0] = T.max(r[0], A[i])\n"
            "        return r[0]\n"},
    {"a function that calls itself",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((8,), 'int64')):\n"
            "        A[0] = M.sum(T.address_of(A[1]), 7)\n"
            "        A[1] = M.fib(A[2] % T.int64(10))\n"
            "    @T.prim_func\n"
            "    def sum(p: T.handle, n: T.int32) -> T.int64:\n"
            "        A = T.match_buffer(p, (n,), 'int64')\n"
            "        w = T.alloc_buffer((4,), 'int64')\n"
            "        if n == 0:\n"
            "            return T.int64(0)\n"
            "        w[0] = A[0]\n"
            "        w[1] = M.sum(T.address_of(A[1]), n - 1) if n > 1 else T.int64(0)\n"
            "        return w[0] + w[1] + T.Cast('int64', n) * A[n - 1]\n"
            "    @T.prim_func\n"
            "    def fib(n: T.int64) -> T.int64:\n"
            "        if n < T.int64(2):\n"
            "            return n\n"
            "        return M.fib(n - T.int64(1)) + M.fib(n - T.int64(2))\n"},
    {"two that call each other, from a parallel loop",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((20,), 'int32'), B: T.Buffer((20,), 'bool')):\n"
            "        for i in T.parallel(20):\n"
            "            B[i] = M.even(A[i] % 16)\n"
            "            for j in T.parallel(2):\n"
            "                if j == i:\n"
            "                    A[i] = M.count(i)\n"
            "    @T.prim_func\n"
            "    def even(n: T.int32) -> T.bool:\n"
            "        if n == 0:\n"
            "            return T.bool(True)\n"
            "        return M.odd(n - 1)\n"
            "    @T.prim_func\n"
            "    def odd(n: T.int32) -> T.bool:\n"
            "        if n == 0:\n"
            "            return T.bool(False)\n"
            "        return M.even(n - 1)\n"
            "    @T.prim_func\n"
            "    def count(n: T.int32) -> T.int32:\n"
            "        return n * 2\n"},
    {"results of every width",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((4,), 'float16'), B: T.Buffer((4,), 'uint64'),\n"
            "          C: T.Buffer((4,), 'int8'), D: T.Buffer((4,), 'float64')):\n"
            "        A[0] = M.h(A[1], 2)\n"
            "        B[0] = M.u(B[1])\n"
            "        C[0] = M.i(C[1])\n"
            "        D[0] = M.d(D[1], A[2])\n"
            "        C[1] = M.none(C[2])\n"
            "    @T.prim_func\n"
            "    def h(x: T.float16, n: T.float16) -> T.float16:\n"
            "        return x * n\n"
            "    @T.prim_func\n"
            "    def u(x: T.uint64) -> T.uint64:\n"
            "        return x + T.uint64(18446744073709551615)\n"
            "    @T.prim_func\n"
            "    def i(x: T.int8) -> T.int8:\n"
            "        return x * T.int8(3)\n"
            "    @T.prim_func\n"
            "    def d(x: T.float64, y: T.float16) -> T.float64:\n"
            "        return x + T.Cast('float64', y)\n"
            "    @T.prim_func\n"
            "    def none(x: T.int8) -> T.int8:\n"
            "        if x == T.int8(0):\n"
            "            return T.int8(7)\n"},
    {"views with strides and offsets", MODULE
     "    @T.prim_func\n"
     "    def f(A: T.Buffer((8, 8), 'int32'), B: T.Buffer((8, 8), 'int32')):\n"
     "        for i in range(4):\n"
     "            with T.block('b'):\n"
     "                vi = T.axis.spatial(4, i)\n"
     "                V = T.match_buffer(A[vi * 2:vi * 2 + 2, 2:6], (2, 4), 'int32',\n"
     "                                   strides=('s0', 's1'), offset_factor=1)\n"
     "                W = T.match_buffer(B[vi * 2:vi * 2 + 2, 0:8], (2, 8), 'int32',\n"
     "                                   offset_factor=1)\n"
     "                M.any(V, vi)\n"
     "                M.rows(W)\n"
     "                with T.block('c'):\n"
     "                    X = T.match_buffer(V[1, 1:3], (2,), 'int32', strides=('x0',),\n"
     "                                       offset_factor=1)\n"
     "                    M.two(X, V)\n"
     "        q = T.decl_buffer((4, 2), 'int32', data=A.data, strides=(16, 1), elem_offset=3)\n"
     "        M.any(q, 5)\n"
     "    @T.prim_func\n"
     "    def any(a: T.handle, k: T.int32):\n"
     "        n, m, s, t = T.int32(), T.int32(), T.int32(), T.int32()\n"
     "        A = T.match_buffer(a, (n, m), 'int32', strides=(s, t))\n"
     "        for i, j in T.grid(n, m):\n"
     "            A[i, j] = A[i, j] * 2 + k\n"
     "    @T.prim_func\n"
     "    def rows(A: T.Buffer((2, 8), 'int32')):\n"
     "        for i, j in T.grid(2, 8):\n"
     "            A[i, j] = A[i, j] - 1\n"
     "    @T.prim_func\n"
     "    def two(x: T.handle, v: T.handle):\n"
     "        s, t, n, m = T.int32(), T.int32(), T.int32(), T.int32()\n"
     "        X = T.match_buffer(x, (2,), 'int32', strides=(s,))\n"
     "        V = T.match_buffer(v, (n, n + 2), 'int32', strides=(t, m))\n"
     "        X[0] = X[1] + V[0, 0] + s + t\n"},
    {"scratch memory, loops that are left, lazy arms",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((8,), 'int32'), n: T.int32):\n"
            "        for i in range(8):\n"
            "            p = T.allocate([n * 2000], 'int32')\n"
            "            P = T.decl_buffer((n * 2000,), 'int32', data=p)\n"
            "            P[0] = A[i]\n"
            "            M.work(P, n * 1000)\n"
            "            A[i] = P[0] if P[0] > 3 else M.bump(A, i)\n"
            "            if M.bump(A, 0) > 90 or M.bump(A, 1) > 95:\n"
            "                break\n"
            "        for i in T.vectorized(4):\n"
            "            A[i + 4] = M.bump(A, i)\n"
            "        while M.bump(A, 2) < 50:\n"
            "            A[3] = A[3] + 1\n"
            "    @T.prim_func(private=True)\n"
            "    def work(p: T.handle, half: T.int32):\n"
            "        P = T.match_buffer(p, (half * 2,), 'int32')\n"
            "        q = T.allocate([half * 3], 'int32')\n"
            "        Q = T.decl_buffer((half * 3,), 'int32', data=q)\n"
            "        Q[0] = P[0]\n"
            "        if Q[0] < 0:\n"
            "            return\n"
            "        P[0] = Q[0] * 3\n"
            "    @T.prim_func(private=True)\n"
            "    def bump(A: T.Buffer((8,), 'int32'), i: T.int32) -> T.int32:\n"
            "        A[i] = A[i] + 7\n"
            "        return A[i]\n"},
};

static void init_module(cgx *x, const char *text, const char *name) {
  cgx_init_text(x, text, name);
  expect_ok(cgx_lower(&x->t.module, 2));
}

static void calls_agree_with_the_interpreter(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    for (int32_t level = 0; level <= 3; ++level) {
      char what[160];
      (void)snprintf(what, sizeof what, "%s (level %d)", cases[i].name, level);
      cgx x;
      init_module(&x, cases[i].text, cases[i].name);
      cgt_compile(&x.t, "host", level);
      for (int64_t n = 1; n <= 4; n += 3) {
        cgx_expect_agrees(&x, "f", n, what);
      }
      cgx_deinit(&x);
    }
  }
}

/* Names that agree in their first 300 letters are still different names. */
static void long_names_are_told_apart(void **state) {
  (void)state;
  enum { N_LETTERS = 300 };
  tn_buf text = TN_BUF_INIT;
  char name[N_LETTERS + 1] = {0};
  memset(name, 'a', N_LETTERS);
  tn_buf_puts(&text, MODULE);
  for (int i = 0; i < 2; ++i) {
    tn_buf_printf(&text,
                  "    @T.prim_func\n    def %s%d(A: T.Buffer((8,), 'int32')):\n"
                  "        for i in T.parallel(4):\n            A[i] = A[i] + %d\n"
                  "        for i in T.parallel(4):\n            A[i + 4] = A[i + 4] * %d\n",
                  name, i, 10 + i, 2 + i);
  }
  tn_buf_printf(&text,
                "    @T.prim_func\n"
                "    def f(A: T.Buffer((8,), 'int32'), B: T.Buffer((8,), 'int32')):\n"
                "        M.%s0(A)\n        M.%s1(B)\n",
                name, name);
  cgx x;
  init_module(&x, tn_buf_text(&text), "long names");
  cgt_compile(&x.t, "host", 0);
  cgx_expect_agrees(&x, "f", 1, "long names");
  cgx_deinit(&x);
  tn_buf_deinit(&text);
}

/* ---- errors of both ---- */

typedef struct error_case {
  const char *name;
  const char *text;
  int32_t code; /* compiled */
  const char *compiled;
  const char *interpreted;
} error_case;

static const error_case errors[] = {
    {"an extent that only the run knows",
     MODULE "    @T.prim_func\n"
            "    def f(a: T.handle, b: T.handle):\n"
            "        n, m = T.int32(), T.int32()\n"
            "        A = T.match_buffer(a, (n,), 'int32')\n"
            "        B = T.match_buffer(b, (m,), 'int32')\n"
            "        M.g(A, B)\n"
            "    @T.prim_func\n"
            "    def g(a: T.handle, b: T.handle):\n"
            "        k = T.int32()\n"
            "        A = T.match_buffer(a, (k,), 'int32')\n"
            "        B = T.match_buffer(b, (k + 1,), 'int32')\n"
            "        A[0] = B[k]\n",
     TN_KERR_SHAPE, "B.shape[0] of argument 1 of 'g'", "B.shape[0] of argument 1 when calling g("},
    {"strides where none are declared",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((4, 4), 'int32')):\n"
            "        V = T.decl_buffer((4, 2), 'int32', data=A.data, strides=(4, 1))\n"
            "        M.g(V)\n"
            "    @T.prim_func\n"
            "    def g(A: T.Buffer((4, 2), 'int32')):\n"
            "        A[0, 0] = 1\n",
     TN_KERR_STRIDE, "A.strides[0] of argument 0 of 'g'",
     "A.strides[0] of argument 0 when calling g("},
    {"an extent too large for the callee's variable",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((300,), 'int32')):\n"
            "        M.g(A)\n"
            "    @T.prim_func\n"
            "    def g(a: T.handle):\n"
            "        n = T.int8()\n"
            "        A = T.match_buffer(a, (n,), 'int32')\n"
            "        A[0] = 1\n",
     TN_KERR_VALUE, "A.shape[0] of argument 0 of 'g'", "A.shape[0] of argument 0 when calling g("},
    {"calls without end",
     MODULE "    @T.prim_func\n"
            "    def f(A: T.Buffer((4,), 'int32')):\n"
            "        A[0] = M.g(A[1])\n"
            "    @T.prim_func\n"
            "    def g(n: T.int32) -> T.int32:\n"
            "        w = T.alloc_buffer((600,), 'int32')\n"
            "        w[0] = n\n"
            "        w[1] = M.g(w[0] + 1)\n"
            "        return w[1] + w[0]\n",
     TN_KERR_ASSERT, "more than 1000 calls inside each other", "[recursion-too-deep]"},
};

static void sizes_that_do_not_fit_are_errors_of_both(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(errors); ++i) {
    cgx x;
    tn_rng rng = tn_rng_make(3);
    tn_array arrays[CGX_MAX_ARGS];
    tn_tir_arg args[CGX_MAX_ARGS];
    init_module(&x, errors[i].text, errors[i].name);
    int32_t n = cgx_make_args(tn_module_find(&x.source, "f"), 3, &rng, arrays, args);
    for (int32_t level = 0; level <= 2; ++level) {
      cgt_compile(&x.t, "host", level);
      cgt_host host;
      cgt_host_init(&host);
      int32_t code = cgt_run(&x.t, &host, "f", args, n);
      expect_true(code == errors[i].code, "%s: code %d", errors[i].name, code);
      assert_string_equal(host.text, errors[i].compiled);
      assert_int_equal(host.n_live, 0);
    }
    tn_status st = tn_tir_interp(&x.source, "f", args, n, NULL, NULL);
    expect_true(st != NULL && strstr(tn_status_message(st), errors[i].interpreted) != NULL,
                "%s: %s", errors[i].name, st == NULL ? "no error" : tn_status_message(st));
    tn_status_free(st);
    cgx_free_args(arrays, args, n);
    cgx_deinit(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_agree_with_the_interpreter),
      cmocka_unit_test(long_names_are_told_apart),
      cmocka_unit_test(sizes_that_do_not_fit_are_errors_of_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
