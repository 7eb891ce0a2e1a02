/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Ways out of loops and functions: break, continue, return. Each construct as a small function,
 * compiled at levels 0 to 3 and compared with the interpreter bit for bit; scratch memory of
 * unknown size is given back on every way. */
/* needs: script lower */
#include "codegen_text.h"

typedef struct text_case {
  const char *name;
  const char *text;
} text_case;

static const text_case cases[] = {
    {"break leaves the innermost loop", "@T.prim_func\n"
                                        "def f(A: T.Buffer((16,), 'int32')):\n"
                                        "    for i in range(4):\n"
                                        "        for j in range(4):\n"
                                        "            if j > i:\n"
                                        "                break\n"
                                        "            A[i * 4 + j] = i * 10 + j\n"
                                        "        A[i] = A[i] + 1\n"},
    {"continue goes on with the next", "@T.prim_func\n"
                                       "def f(A: T.Buffer((16,), 'int32')):\n"
                                       "    for i in T.serial(2, 16):\n"
                                       "        if A[i] % 2 == 0:\n"
                                       "            continue\n"
                                       "        A[i] = A[i] + A[i - 1]\n"},
    {"continue in a grid", "@T.prim_func\n"
                           "def f(A: T.Buffer((4, 4), 'int32')):\n"
                           "    for i, j in T.grid(4, 4):\n"
                           "        if i == j:\n"
                           "            continue\n"
                           "        A[i, j] = i * 4 + j\n"},
    {"both in a while", "@T.prim_func\n"
                        "def f(A: T.Buffer((8,), 'int32')):\n"
                        "    A[0] = 0\n"
                        "    A[1] = 0\n"
                        "    while T.likely(A[0] < 100):\n"
                        "        A[0] = A[0] + 1\n"
                        "        if A[0] % 3 == 0:\n"
                        "            continue\n"
                        "        if A[0] > 50:\n"
                        "            break\n"
                        "        A[1] = A[1] + A[0]\n"},
    {"a loop of one round that is left", "@T.prim_func\n"
                                         "def f(A: T.Buffer((8,), 'int32')):\n"
                                         "    for i in range(1):\n"
                                         "        if A[0] > A[1]:\n"
                                         "            break\n"
                                         "        A[i + 2] = 7\n"
                                         "        if A[0] < A[3]:\n"
                                         "            continue\n"
                                         "        A[i + 4] = 9\n"},
    {"a loop that ends in break", "@T.prim_func\n"
                                  "def f(A: T.Buffer((8,), 'int32'), n: T.int32):\n"
                                  "    for i in range(n):\n"
                                  "        A[i] = 5\n"
                                  "        break\n"},
    {"nothing but break and continue", "@T.prim_func\n"
                                       "def f(A: T.Buffer((8,), 'int32'), n: T.int32):\n"
                                       "    for i in range(n):\n"
                                       "        break\n"
                                       "    for i in range(n):\n"
                                       "        continue\n"
                                       "    A[0] = 1\n"},
    {"scratch memory is given back", "@T.prim_func\n"
                                     "def f(A: T.Buffer((8,), 'int32'), n: T.int32):\n"
                                     "    V = T.alloc_buffer((n * 1000,), 'int32')\n"
                                     "    V[3] = 4\n"
                                     "    for i in range(8):\n"
                                     "        p = T.allocate([n * 2000], 'int32')\n"
                                     "        P = T.decl_buffer((n * 2000,), 'int32', data=p)\n"
                                     "        P[i] = A[i]\n"
                                     "        if i == 2:\n"
                                     "            continue\n"
                                     "        if P[i] > 90:\n"
                                     "            q = T.allocate([n * 3000], 'int32')\n"
                                     "            Q = T.decl_buffer((n * 3000,), 'int32', data=q)\n"
                                     "            Q[0] = P[i] + V[3]\n"
                                     "            A[0] = Q[0]\n"
                                     "            break\n"
                                     "        A[i] = P[i] + V[3]\n"},
    {"inside parallel, vectorized and unrolled loops", "@T.prim_func\n"
                                                       "def f(A: T.Buffer((8, 8), 'int32')):\n"
                                                       "    for i in T.parallel(8):\n"
                                                       "        for j in range(8):\n"
                                                       "            if A[i, j] < 0:\n"
                                                       "                break\n"
                                                       "            A[i, j] = A[i, j] * 2\n"
                                                       "    for i in T.unroll(4):\n"
                                                       "        for j in range(8):\n"
                                                       "            if A[i, j] > 20:\n"
                                                       "                continue\n"
                                                       "            A[i, j] = A[i, j] + i\n"
                                                       "    for i in T.vectorized(8):\n"
                                                       "        for j in range(8):\n"
                                                       "            if A[j, i] % 2 == 0:\n"
                                                       "                break\n"
                                                       "            A[j, i] = i\n"},
    {"inside a block", "@T.prim_func\n"
                       "def f(A: T.Buffer((8, 8), 'int32'), B: T.Buffer((8,), 'int32')):\n"
                       "    for i in range(8):\n"
                       "        with T.block('first'):\n"
                       "            vi = T.axis.spatial(8, i)\n"
                       "            B[vi] = -1\n"
                       "            for k in range(8):\n"
                       "                if A[vi, k] > 10:\n"
                       "                    B[vi] = k\n"
                       "                    break\n"},
    {"return in the middle", "@T.prim_func\n"
                             "def f(A: T.Buffer((8,), 'int32'), n: T.int32):\n"
                             "    for i in range(8):\n"
                             "        p = T.allocate([n * 2000], 'int32')\n"
                             "        P = T.decl_buffer((n * 2000,), 'int32', data=p)\n"
                             "        P[i] = A[i]\n"
                             "        while P[i] > 3:\n"
                             "            P[i] = P[i] - 1\n"
                             "            if i == 5:\n"
                             "                return\n"
                             "        A[i] = P[i]\n"
                             "    return\n"
                             "    A[0] = 1\n"},
};

static void check_case(const text_case *c, const char *target, int32_t level) {
  char what[160];
  (void)snprintf(what, sizeof what, "%s (%s, level %d)", c->name, target, level);
  cgx x;
  cgx_init_body(&x, c->text, c->name);
  cgt_compile(&x.t, target, level);
  for (int64_t n = 1; n <= 8; n += 7) {
    cgx_expect_agrees(&x, "f", n, what);
  }
  cgx_deinit(&x);
}

static void ways_out_of_loops_agree_with_the_interpreter(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    for (int32_t level = 0; level <= 3; ++level) {
      check_case(&cases[i], "host", level);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ways_out_of_loops_agree_with_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
