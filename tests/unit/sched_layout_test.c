/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Other layouts of buffers and of blocks: what comes out, that it computes the same, and what each
 * condition refuses. */
#include "sched_util.h"

#define AC "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\")"
#define TWO                                           \
  "B = T.alloc_buffer((16, 16))\n"                    \
  "for i, j in T.grid(16, 16):\n"                     \
  "    with T.block(\"B\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"   \
  "        B[vi, vj] = A[vi, vj] * T.float32(2)\n"    \
  "for i2, j2 in T.grid(16, 16):\n"                   \
  "    with T.block(\"C\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n" \
  "        C[vi, vj] = B[vi, vj] + T.float32(1)"
#define ABC                                                                  \
  "A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16, 16), \"float32\"), " \
  "C: T.Buffer((16, 16), \"float32\")"
#define MATMUL                                              \
  "for i, j, k in T.grid(16, 16, 16):\n"                    \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = T.float32(0)\n"                  \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]"
#define SYMBOLIC(n)                                   \
  "m = T.int64()\n"                                   \
  "A = T.match_buffer(a, (" n ", m), \"float32\")\n"  \
  "C = T.match_buffer(c, (" n ", m), \"float32\")\n"  \
  "B = T.alloc_buffer((" n ", m), \"float32\")\n"     \
  "for i, j in T.grid(" n ", m):\n"                   \
  "    with T.block(\"B\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"   \
  "        B[vi, vj] = A[vi, vj] * T.float32(2)\n"    \
  "for i2, j2 in T.grid(" n ", m):\n"                 \
  "    with T.block(\"C\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n" \
  "        C[vi, vj] = B[vi, vj] + T.float32(1)"
#define AC_HANDLES "a: T.handle, c: T.handle"

static const sched_row rows[] = {
    {"a buffer in tiles", AC, TWO,
     "transform_layout(B, \"B\", lambda i, j: (i // 4, j // 8, i % 4, j % 8))",
     "B = T.alloc_buffer((4, 2, 4, 8))\n"
     "for i, j in T.grid(16, 16):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        T.reads(A[vi, vj])\n"
     "        T.writes(B[vi // 4, vj // 8, vi % 4, vj % 8])\n"
     "        B[vi // 4, vj // 8, vi % 4, vj % 8] = A[vi, vj] * T.float32(2.0)\n"
     "for i2, j2 in T.grid(16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "        T.reads(B[vi // 4, vj // 8, vi % 4, vj % 8])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = B[vi // 4, vj // 8, vi % 4, vj % 8] + T.float32(1.0)",
     NULL},
    {"a buffer in panels that do not divide it", AC, TWO,
     "transform_layout(B, \"B\", lambda i, j: (j // 6, i, j % 6))", NULL, NULL},
    {"the same with a value in the padding", AC, TWO,
     "transform_layout(B, \"B\", lambda i, j: (j // 6, i, j % 6), pad_value=0)", NULL, NULL},
    {"a value in the padding of a map whose inverse is not known", AC, TWO,
     "transform_layout(B, \"B\", lambda i, j: (i * 2 + i % 2, j), pad_value=0)", NULL,
     "has no known inverse"},
    {"a transposed buffer", AC, TWO, "transform_layout(B, \"B\", lambda i, j: (j, i))", NULL, NULL},
    {"a transposed buffer of any size", AC_HANDLES, SYMBOLIC("6"),
     "transform_layout(B, \"B\", lambda i, j: (j, i))", NULL, NULL},
    {"a buffer of any size as it is", AC_HANDLES, SYMBOLIC("m"),
     "transform_layout(B, \"B\", lambda i, j: (i, j))", NULL, NULL},
    {"a block of any size in another order", AC_HANDLES, SYMBOLIC("6"),
     "transform_block_layout(B, lambda i, j: (j, i % 3, i // 3))", NULL, NULL},
    {"columns of any length in one place", AC_HANDLES, SYMBOLIC("6"),
     "transform_layout(B, \"B\", lambda i, j: (j, i % 3))", NULL, "gives two places one index"},
    {"two elements in one place", AC, TWO, "transform_layout(B, \"B\", lambda i, j: (i + j,))",
     NULL, "gives two places one index"},
    {"a buffer from outside", AC, TWO, "transform_layout(B, \"A\", lambda i, j: (j, i))", NULL,
     "comes from outside"},
    {"packed panels of a matrix product", ABC, MATMUL,
     "p = cache_read(C, \"B\", \"global\")\n"
     "transform_layout(p, (\"write\", 0), lambda k, n: (n // 8, k, n % 8))\n"
     "transform_block_layout(p, lambda k, n: (n // 8, k, n % 8))",
     NULL, NULL},
    {"a panel is packed where it is used", ABC, MATMUL,
     "p = cache_read(C, \"B\", \"global\")\n"
     "transform_layout(p, (\"write\", 0), lambda k, n: (n // 8, k, n % 8))\n"
     "jo, ji = split(j, [2, 8])\nko, ki = split(k, [4, 4])\nreorder(jo, ko, i, ki, ji)\n"
     "compute_at(p, ko)\n",
     NULL, NULL},
    {"a block in another order", AC, TWO,
     "transform_block_layout(B, lambda i, j: (j // 8, i, j % 8))",
     "B = T.alloc_buffer((16, 16))\n"
     "for ax0, ax1, ax2 in T.grid(2, 16, 8):\n"
     "    with T.block(\"B\"):\n"
     "        v0, v1, v2 = T.axis.remap(\"SSS\", [ax0, ax1, ax2])\n"
     "        T.reads(A[v1, v0 * 8 + v2])\n"
     "        T.writes(B[v1, v0 * 8 + v2])\n"
     "        B[v1, v0 * 8 + v2] = A[v1, v0 * 8 + v2] * T.float32(2.0)\n"
     "for i2, j2 in T.grid(16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "        T.reads(B[vi, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = B[vi, vj] + T.float32(1.0)",
     NULL},
    {"a block with steps left over", AC, TWO,
     "transform_block_layout(B, lambda i, j: (j // 5, i, j % 5))", NULL, NULL},
    {"a reduction in another order", ABC, MATMUL,
     "transform_block_layout(C, lambda i, j, k: (i // 4, k, j, i % 4))", NULL, NULL},
    {"an axis of two kinds", ABC, MATMUL,
     "transform_block_layout(C, lambda i, j, k: (i, j * 16 + k))", NULL, "spatial and reduce"},
};

static void layouts_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
