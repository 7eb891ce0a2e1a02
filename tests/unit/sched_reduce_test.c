/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Reductions taken apart: what comes out, that it computes the same, and what is refused and why. */
#include "sched_util.h"

#define MM                                                                                       \
  "A: T.Buffer((8, 12), \"float32\"), B: T.Buffer((12, 10), \"float32\"), C: T.Buffer((8, 10), " \
  "\"float32\")"
#define MATMUL                                              \
  "for i, j, k in T.grid(8, 10, 12):\n"                     \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = T.float32(0)\n"                  \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]"

#define ROWS "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6,), \"float32\")"
#define BLOCK_B "    with T.block(\"B\"):\n"
#define SUM                            \
  "        with T.init():\n"           \
  "            B[vi] = T.float32(0)\n" \
  "        B[vi] = B[vi] + A[vi, vk]"
#define AXES(i, k) "        vi = T.axis.spatial(6, " i ")\n        vk = T.axis.reduce(12, " k ")\n"

static const sched_row decompositions[] = {
    {"at the outermost loop", MM, MATMUL, "b = decompose_reduction(C, i)",
     "for i_init, j_init in T.grid(8, 10):\n"
     "    with T.block(\"C_init\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i_init, j_init])\n"
     "        T.reads()\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = T.float32(0.0)\n"
     "for i, j, k in T.grid(8, 10, 12):\n"
     "    with T.block(\"C_update\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(C[vi, vj], A[vi, vk], B[vk, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"at the loop of the reduction", MM, MATMUL, "b = decompose_reduction(C, k)",
     "for i, j in T.grid(8, 10):\n"
     "    with T.block(\"C_init\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        T.reads()\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = T.float32(0.0)\n"
     "    for k in range(12):\n"
     "        with T.block(\"C_update\"):\n"
     "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "            T.reads(C[vi, vj], A[vi, vk], B[vk, vj])\n"
     "            T.writes(C[vi, vj])\n"
     "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"the old handle goes on", MM, MATMUL,
     "b = get_block(\"C\")\ndecompose_reduction(b, k)\nget_loops(b)\nannotate(b, \"a\", 1)", NULL,
     NULL},
    {"of vectorized tiles", MM, MATMUL,
     "a, b = split(j, [None, 5])\nreorder(k, b)\nvectorize(b)\ndecompose_reduction(C, k)",
     "for i, j_0 in T.grid(8, 2):\n"
     "    for j_1_init in T.vectorized(5):\n"
     "        with T.block(\"C_init\"):\n"
     "            vi = T.axis.spatial(8, i)\n"
     "            vj = T.axis.spatial(10, j_0 * 5 + j_1_init)\n"
     "            T.reads()\n"
     "            T.writes(C[vi, vj])\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "    for k in range(12):\n"
     "        for j_1 in T.vectorized(5):\n"
     "            with T.block(\"C_update\"):\n"
     "                vi = T.axis.spatial(8, i)\n"
     "                vj = T.axis.spatial(10, j_0 * 5 + j_1)\n"
     "                vk = T.axis.reduce(12, k)\n"
     "                T.reads(C[vi, vj], A[vi, vk], B[vk, vj])\n"
     "                T.writes(C[vi, vj])\n"
     "                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"tiles with rests in every axis", MM, MATMUL,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 4])\ne, f = split(k, [None, 5])\n"
     "reorder(a, c, e, b, f, d)\ndecompose_reduction(C, e)",
     NULL, NULL},
    {"tiles with rests, from the outermost loop", MM, MATMUL,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 4])\ne, f = split(k, [None, 5])\n"
     "reorder(a, c, e, b, f, d)\ndecompose_reduction(C, a)",
     NULL, NULL},
    {"the sample of a shipped bug",
     "A: T.Buffer((20, 24), \"float32\"), B: T.Buffer((24, 12), \"float32\"), C: T.Buffer((20, "
     "12), "
     "\"float32\")",
     "for i, j, k in T.grid(20, 12, 24):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     "a, b = split(i, [None, 8])\nc, d = split(j, [None, 5])\nreorder(a, c, k, b, d)\n"
     "decompose_reduction(C, k)\nvectorize(d)\nparallel(a)",
     "for i_0 in T.parallel(3):\n"
     "    for j_0 in range(3):\n"
     "        for i_1_init, j_1_init in T.grid(8, 5):\n"
     "            with T.block(\"C_init\"):\n"
     "                vi = T.axis.spatial(20, i_0 * 8 + i_1_init)\n"
     "                vj = T.axis.spatial(12, j_0 * 5 + j_1_init)\n"
     "                T.where(i_0 * 8 + i_1_init < 20 and j_0 * 5 + j_1_init < 12)\n"
     "                T.reads()\n"
     "                T.writes(C[vi, vj])\n"
     "                C[vi, vj] = T.float32(0.0)\n"
     "        for k, i_1 in T.grid(24, 8):\n"
     "            for j_1 in T.vectorized(5):\n"
     "                with T.block(\"C_update\"):\n"
     "                    vi = T.axis.spatial(20, i_0 * 8 + i_1)\n"
     "                    vj = T.axis.spatial(12, j_0 * 5 + j_1)\n"
     "                    vk = T.axis.reduce(24, k)\n"
     "                    T.where(i_0 * 8 + i_1 < 20 and j_0 * 5 + j_1 < 12)\n"
     "                    T.reads(C[vi, vj], A[vi, vk], B[vk, vj])\n"
     "                    T.writes(C[vi, vj])\n"
     "                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"its second schedule", MM, MATMUL,
     "a, b = split(k, [None, 4])\ndecompose_reduction(C, a)\nunroll(b)", NULL, NULL},
    {"symbolic extents, which may be 0", "a: T.handle, b: T.handle",
     "n = T.int64()\nm = T.int64()\nA = T.match_buffer(a, (n, m), \"float32\")\n"
     "B = T.match_buffer(b, (n,), \"float32\")\nfor i, k in T.grid(n, m):\n" BLOCK_B
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n" SUM,
     "decompose_reduction(B, i)",
     "n = T.int64()\nm = T.int64()\n"
     "A = T.match_buffer(a, (n, m))\n"
     "B = T.match_buffer(b, (n,))\n"
     "for i_init in range(n):\n"
     "    with T.block(\"B_init\"):\n"
     "        vi = T.axis.remap(\"S\", [i_init])\n"
     "        T.where(T.int64(0) < m)\n"
     "        T.reads()\n"
     "        T.writes(B[vi])\n"
     "        B[vi] = T.float32(0.0)\n"
     "for i, k in T.grid(n, m):\n"
     "    with T.block(\"B_update\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        T.reads(B[vi], A[vi, vk])\n"
     "        T.writes(B[vi])\n"
     "        B[vi] = B[vi] + A[vi, vk]",
     NULL},
    {"a loop that feeds both kinds of axes", ROWS,
     "for s, r in T.grid(12, 6):\n" BLOCK_B AXES("s // 2", "r * 2 + s % 2") SUM,
     "decompose_reduction(B, s)", NULL, NULL},
    {"an init that uses where it is", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi] = T.Cast(\"float32\", vi * 2)\n"
                   "        B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, NULL},
    {"an init that reads", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i",
                                                 "k") "        with T.init():\n            B[vi] = "
                                                      "D[vi]\n        B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, NULL},
    {"an init that reads what is written below", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    with T.block(\"D\"):\n        vi = T.axis.spatial(6, i)\n"
     "        D[vi] = T.float32(3)\n    for k in range(12):\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "            with T.init():\n                B[vi] = D[vi]\n"
     "            B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, "its T.init() reads 'D', which is written below the loop"},
    {"a consumer below", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    for k in range(12):\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vk]\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(6, i)\n"
     "        D[vi] = B[vi]",
     "decompose_reduction(B, i)", NULL, NULL},
    {"somebody who reads the old value", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    with T.block(\"D\"):\n        vi = T.axis.spatial(6, i)\n"
     "        D[vi] = B[vi]\n    for k in range(12):\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL,
     "another statement below the loop touches an element before it gets its first value"},
    {"steps that come backwards", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "11 - k") SUM, "decompose_reduction(B, i)",
     NULL, "an element is updated before it gets its first value, for example at i=0, k="},
    {"steps that never begin", ROWS, "for i, k in T.grid(6, 11):\n" BLOCK_B AXES("i", "k + 1") SUM,
     "decompose_reduction(B, i)", NULL, "an element is updated that never gets its first value"},
    {"done twice", ROWS, "for u, i, k in T.grid(2, 6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "decompose_reduction(B, u)", NULL, "an element is updated before it gets its first value"},
    {"done twice, each time from its beginning", ROWS,
     "for u, i, k in T.grid(2, 6, 12):\n" BLOCK_B AXES("i", "k") SUM, "decompose_reduction(B, i)",
     NULL, NULL},
    {"below a loop of the reduction", MM, MATMUL, "reorder(k, i, j)\ndecompose_reduction(C, j)",
     NULL, "loop 'j': loop 'k' around it is used by the reduce axis 'vk' of block 'C'"},
    {"a loop that is not around", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM
     "\nfor x in range(6):\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(6, x)\n        B[vi] = B[vi]",
     "decompose_reduction(B, x)", NULL, "not the only one that writes"},
    {"not a reduction", "A: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    with T.block(\"A\"):\n        vi = T.axis.spatial(6, i)\n"
     "        A[vi] = T.float32(1)",
     "decompose_reduction(A, i)", NULL, "block 'A' is not a reduction: it has no T.init()"},
    {"twice", MM, MATMUL,
     "b = get_block(\"C\")\ndecompose_reduction(b, i)\ndecompose_reduction(b, i)", NULL,
     "block 'C_update' is not a reduction"},
    {"pairs",
     "A: T.Buffer((6, 12), \"int32\"), V: T.Buffer((6,), \"int32\"), I: T.Buffer((6,), "
     "\"int32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi] = -1\n"
     "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)\n"
     "        V[vi] = x\n        I[vi] = y",
     "a, b = split(k, [None, 5])\ndecompose_reduction(M, a)", NULL, NULL},
};

static void decomposed_reductions_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(decompositions, TN_N_ROWS(decompositions));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decomposed_reductions_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
