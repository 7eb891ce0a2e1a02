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

#define BLOCK_SUM(init, value)                                                      \
  "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") "        with T.init():\n"  \
                                                        "            B[vi] = " init \
                                                        "\n        B[vi] = " value

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
    {"an init that reads what it writes", ROWS,
     BLOCK_SUM("B[vi] * T.float32(2)", "B[vi] + A[vi, vk]"), "decompose_reduction(B, i)", NULL,
     "its T.init() reads 'B', which is written below the loop"},
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
    {"in a block of its own", MM, MATMUL,
     "a, b = loop_partition(i, [3])\nc = decompose_reduction(C_i0, "
     "C_i0:i0)\nblockize(C_i0_update:j)",
     NULL, NULL},
    {"below a loop of the reduction", MM, MATMUL, "reorder(k, i, j)\ndecompose_reduction(C, j)",
     NULL, "loop 'j': loop 'k' around it is used by the reduce axis 'vk' of block 'C'"},
    {"a loop that is not around", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM
     "\nfor x in range(6):\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(6, x)\n        D[vi] = T.float32(1)",
     "decompose_reduction(B, x)", NULL, "loop 'x': it is not around block 'B'"},
    {"a sum that reads other sums by another name", ROWS,
     "V = T.decl_buffer((6,), \"float32\", data=B.data)\n"
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi] = T.float32(0)\n        B[vi] = "
                   "B[vi] + A[vi, vk] * V[vi]",
     "decompose_reduction(B, i)", NULL, "block 'B' touches one memory as 'B' and as 'V'"},
    {"under a condition that reads", ROWS ", P: T.Buffer((6,), \"int32\")",
     "for i, k in T.grid(6, 12):\n    if P[i] > 0:\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"
     "                B[vi] = T.float32(0)\n            B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, "block 'B' is under a condition that reads memory"},
    {"under a condition that does not read", ROWS,
     "for i, k in T.grid(6, 12):\n    if i < 4:\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"
     "                B[vi] = T.float32(0)\n            B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, NULL},
    {"in the other branch", ROWS,
     "for i, k in T.grid(6, 12):\n    if i < 4:\n        B[i] = T.float32(7)\n    else:\n   "
     " " BLOCK_B "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"
     "                B[vi] = T.float32(0)\n            B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, NULL},
    {"in a loop that counts itself", ROWS ", N: T.Buffer((1,), \"int32\")",
     "N[0] = 0\nfor i in range(6):\n    while N[0] < 1:\n        N[0] = N[0] + 1\n        for k in "
     "range(12):\n"
     "            with T.block(\"B\"):\n                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "                with T.init():\n                    B[vi] = T.float32(0)\n"
     "                B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, "block 'B' is inside of a while"},
    {"an init in memory of the block", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i",
         "k") "        X = T.alloc_buffer((1,))\n"
              "        with T.init():\n            X[0] = T.float32(0)\n            B[vi] = X[0]\n"
              "        B[vi] = B[vi] + A[vi, vk]",
     "decompose_reduction(B, i)", NULL, "its T.init() uses memory of the block"},
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

#define PAIR \
  "A: T.Buffer((6, 12), \"int32\"), V: T.Buffer((6,), \"int32\"), I: T.Buffer((6,), \"int32\")"
#define ARGMAX(cond)                                                        \
  "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"                  \
  "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n" \
  "            V[vi] = -100\n            I[vi] = -1\n"                      \
  "        x: T.int32 = T.Select(" cond ", V[vi], A[vi, vk])\n"             \
  "        y: T.int32 = T.Select(" cond ", I[vi], vk)\n"                    \
  "        V[vi] = x\n        I[vi] = y"
static const sched_row factors[] = {
    {"the only loop of the reduction", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM, "rfactor(k, 0)",
     "B_rf = T.alloc_buffer((12, 6))\n"
     "for i, k in T.grid(6, 12):\n"
     "    with T.block(\"B_rf\"):\n"
     "        vk, vi = T.axis.remap(\"SS\", [k, i])\n"
     "        T.reads(A[vi, vk])\n"
     "        T.writes(B_rf[vk, vi])\n"
     "        B_rf[vk, vi] = A[vi, vk]\n"
     "for i, k in T.grid(6, 12):\n"
     "    with T.block(\"B\"):\n"
     "        vk, vi = T.axis.remap(\"RS\", [k, i])\n"
     "        T.reads(B_rf[vk, vi])\n"
     "        T.writes(B[vi])\n"
     "        with T.init():\n"
     "            B[vi] = T.float32(0.0)\n"
     "        B[vi] = B[vi] + B_rf[vk, vi]",
     NULL},
    {"the inner of two", ROWS, "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "a, b = split(k, [None, 4])\nr = rfactor(b, -1)\nparallel(B_rf:k_1)",
     "B_rf = T.alloc_buffer((6, 4))\n"
     "for i, k_0 in T.grid(6, 3):\n"
     "    for k_1 in T.parallel(4):\n"
     "        with T.block(\"B_rf\"):\n"
     "            vk_1, vi, vk_0 = T.axis.remap(\"SSR\", [k_1, i, k_0])\n"
     "            T.reads(A[vi, vk_0 * 4 + vk_1])\n"
     "            T.writes(B_rf[vi, vk_1])\n"
     "            with T.init():\n"
     "                B_rf[vi, vk_1] = T.float32(0.0)\n"
     "            B_rf[vi, vk_1] = B_rf[vi, vk_1] + A[vi, vk_0 * 4 + vk_1]\n"
     "for i, k_1 in T.grid(6, 4):\n"
     "    with T.block(\"B\"):\n"
     "        vk_1, vi = T.axis.remap(\"RS\", [k_1, i])\n"
     "        T.reads(B_rf[vi, vk_1])\n"
     "        T.writes(B[vi])\n"
     "        with T.init():\n"
     "            B[vi] = T.float32(0.0)\n"
     "        B[vi] = B[vi] + B_rf[vi, vk_1]",
     NULL},
    {"the outer of two, with a rest", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "a, b = split(k, [None, 5])\nr = rfactor(a, 1)", NULL, NULL},
    {"the inner of two, with a rest", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"more rounds than steps", ROWS, "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "a, b = split(k, [4, 20])\nr = rfactor(a, 0)", NULL, NULL},
    {"of a tiled product", MM, MATMUL,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 4])\ne, f = split(k, [None, 5])\n"
     "reorder(a, c, e, b, f, d)\nr = rfactor(e, 0)\nrfactor(C_rf:k_1, -1)",
     NULL, NULL},
    {"several reduce axes", "A: T.Buffer((6, 3, 5), \"float32\"), B: T.Buffer((6,), \"float32\")",
     "for i, k, l in T.grid(6, 3, 5):\n    with T.block(\"B\"):\n"
     "        vi, vk, vl = T.axis.remap(\"SRR\", [i, k, l])\n        with T.init():\n"
     "            B[vi] = T.float32(0)\n        B[vi] = B[vi] + A[vi, vk, vl]",
     "r = rfactor(k, 0)", NULL, NULL},
    {"a symbolic extent", "a: T.handle, b: T.handle",
     "n = T.int64()\nm = T.int64()\nA = T.match_buffer(a, (n, m), \"float32\")\n"
     "B = T.match_buffer(b, (n,), \"float32\")\nfor i, k in T.grid(n, m):\n" BLOCK_B
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n" SUM,
     "a, b = split(k, [None, 4])\nr = rfactor(b, 0)", NULL, NULL},
    {"a maximum", ROWS, BLOCK_SUM("T.float32(-5)", "T.max(B[vi], A[vi, vk])"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"a maximum of one step", ROWS, BLOCK_SUM("T.float32(-1)", "T.max(B[vi], A[vi, vk])"),
     "r = rfactor(k, 0)", NULL, NULL},
    {"a maximum that keeps NaN", ROWS,
     BLOCK_SUM("T.float32(-5)", "T.Select(T.isnan(B[vi]), B[vi], T.max(B[vi], A[vi, vk]))"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"one that looks at what comes in", ROWS,
     BLOCK_SUM("T.float32(5)", "T.Select(T.isnan(A[vi, vk]), A[vi, vk], T.min(A[vi, vk], B[vi]))"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"of one step", ROWS,
     BLOCK_SUM("T.float32(-1)", "T.Select(T.isnan(B[vi]), B[vi], T.max(B[vi], A[vi, vk]))"),
     "r = rfactor(k, 0)", NULL, NULL},
    {"a test of another value", ROWS,
     BLOCK_SUM("T.float32(-1)", "T.Select(T.isnan(A[vi, 0]), B[vi], T.max(B[vi], A[vi, vk]))"),
     "r = rfactor(k, 0)", NULL, "its values are not chosen together"},
    {"a product", ROWS, BLOCK_SUM("T.float32(1)", "A[vi, vk] * B[vi]"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"a sum that begins elsewhere", ROWS ", D: T.Buffer((6,), \"float32\")",
     BLOCK_SUM("D[vi] + T.float32(2)", "B[vi] + A[vi, vk]"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"counting", "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((7,), \"float32\")",
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi + 1] = T.float32(0)\n"
                   "        B[vi + 1] = B[vi + 1] + T.float32(1)",
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL, NULL},
    {"argmax, first on a tie, in runs", PAIR, ARGMAX("V[vi] >= A[vi, vk]"),
     "a, b = split(k, [None, 5])\nr = rfactor(a, 0)", NULL, NULL},
    {"argmax, first on a tie, one step each", PAIR, ARGMAX("V[vi] >= A[vi, vk]"),
     "r = rfactor(k, 0)", NULL, NULL},
    {"argmax with ties broken by the index", PAIR,
     ARGMAX("V[vi] > A[vi, vk] or (V[vi] == A[vi, vk] and I[vi] < vk)"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 1)", NULL, NULL},
    {"argmin, written the other way round", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = 100\n            I[vi] = -1\n"
     "        x: T.int32 = T.Select(A[vi, vk] < V[vi], A[vi, vk], V[vi])\n"
     "        y: T.int32 = T.Select(A[vi, vk] < V[vi], vk, I[vi])\n"
     "        V[vi] = x\n        I[vi] = y",
     "a, b = split(k, [None, 5])\nr = rfactor(a, 0)", NULL, NULL},
    {"argmax, first on a tie, not in runs", PAIR, ARGMAX("V[vi] >= A[vi, vk]"),
     "a, b = split(k, [None, 5])\nr = rfactor(b, 0)", NULL,
     "loop 'k_1': ties go to the earlier step, and its rounds are not runs of steps"},
    {"argmax, last on a tie", PAIR, ARGMAX("V[vi] > A[vi, vk]"), "r = rfactor(k, 0)", NULL,
     "on a tie it prefers the later step"},
    {"values chosen differently", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi] = -1\n"
     "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = T.Select(I[vi] >= vk, I[vi], vk)\n"
     "        V[vi] = x\n        I[vi] = y",
     "r = rfactor(k, 0)", NULL, "its values are not chosen together"},
    {"a comparison with something else", PAIR, ARGMAX("V[vi] >= 0"), "r = rfactor(k, 0)", NULL,
     "it does not choose by one comparison"},
    {"a second store that reads the first", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi] = -1\n"
     "        I[vi] = T.Select(V[vi] >= A[vi, vk], I[vi], vk)\n"
     "        V[vi] = T.Select(V[vi] >= A[vi, vk], V[vi], I[vi])",
     "r = rfactor(k, 0)", NULL, "it reads what it just stored"},
    {"five values",
     "A: T.Buffer((6, 12), \"int32\"), B: T.Buffer((6,), \"int32\"), C: T.Buffer((6,), \"int32\"), "
     "D: T.Buffer((6,), \"int32\"), E: T.Buffer((6,), \"int32\"), F: T.Buffer((6,), \"int32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            B[vi] = 0\n            C[vi] = 0\n            D[vi] = 0\n            E[vi] = 0\n "
     "           F[vi] = 0\n"
     "        x: T.int32 = T.Select(B[vi] >= A[vi, vk], B[vi], A[vi, vk])\n"
     "        B[vi] = x\n        C[vi] = 1\n        D[vi] = 1\n        E[vi] = 1\n        F[vi] = "
     "1",
     "r = rfactor(k, 0)", NULL, "it has other stores than one a value"},
    {"a body that stores nothing", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi] = T.float32(0)\n"
                   "        x: T.float32 = A[vi, vk]\n        y: T.float32 = x + x",
     "r = rfactor(k, 0)", NULL, "it stores nothing"},
    {"a value that is not chosen", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi] = 0\n"
     "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = I[vi] + 1\n        V[vi] = x\n        I[vi] = y",
     "r = rfactor(k, 0)", NULL, "its values are not chosen together"},
    {"an init that is more", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i",
                                                 "k") "        with T.init():\n            if vi > "
                                                      "2:\n                B[vi] = T.float32(0)\n"
                                                      "        B[vi] = B[vi] + A[vi, vk]",
     "r = rfactor(k, 0)", NULL, "its T.init() is more than stores"},
    {"an init that stores less", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n"
     "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)\n"
     "        V[vi] = x\n        I[vi] = y",
     "r = rfactor(k, 0)", NULL, "its T.init() stores less than its body"},
    {"an init that stores elsewhere",
     "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6, 2), \"float32\")",
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi, 1] = T.float32(0)\n"
                   "        B[vi, 0] = B[vi, 0] + A[vi, vk]",
     "r = rfactor(k, 0)", NULL, "its T.init() stores elsewhere than its body"},
    {"two stores into one buffer",
     "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6, 2), \"float32\")",
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi, 0] = T.float32(0)\n            B[vi, "
                   "1] = T.float32(0)\n"
                   "        B[vi, 0] = B[vi, 0] + A[vi, vk]\n        B[vi, 1] = T.float32(1)",
     "r = rfactor(k, 0)", NULL, "it stores twice into one buffer"},
    {"a binding after a store", PAIR,
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi] = -1\n"
     "        V[vi] = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)\n        I[vi] = y",
     "r = rfactor(k, 0)", NULL, "it reads after it stores"},
    {"buffers of different ranks",
     "A: T.Buffer((6, 12), \"int32\"), V: T.Buffer((6,), \"int32\"), I: T.Buffer((6, 1), "
     "\"int32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"M\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            V[vi] = -100\n            I[vi, 0] = -1\n"
     "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
     "        y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi, 0], vk)\n"
     "        V[vi] = x\n        I[vi, 0] = y",
     "r = rfactor(k, 0)", NULL, "differ in their number of dimensions"},
    {"a difference", ROWS, BLOCK_SUM("T.float32(0)", "A[vi, vk] - B[vi]"), "r = rfactor(k, 0)",
     NULL, "its value is no combination of the old one and one that is free of it"},
    {"a sum of the old value twice", ROWS, BLOCK_SUM("T.float32(0)", "B[vi] + B[vi] * A[vi, vk]"),
     "r = rfactor(k, 0)", NULL, "its value is no combination"},
    {"a body that is more", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        with T.init():\n            B[vi] = T.float32(0)\n"
                   "        if vk > 2:\n            B[vi] = B[vi] + A[vi, vk]",
     "r = rfactor(k, 0)", NULL, "its body is more than stores"},
    {"an axis that is not there", ROWS, BLOCK_SUM("T.float32(0)", "B[vi] + A[vi, vk]"),
     "r = rfactor(k, 2)", NULL, "factor_axis 2 is not in [-2, 1]"},
    {"a spatial loop", ROWS, BLOCK_SUM("T.float32(0)", "B[vi] + A[vi, vk]"), "r = rfactor(i, 0)",
     NULL, "loop 'i': the spatial axis 'vi' uses it"},
    {"a loop that nobody uses", ROWS,
     "for i, u, k in T.grid(6, 1, 12):\n" BLOCK_B AXES("i", "k") SUM, "r = rfactor(u, 0)", NULL,
     "loop 'u': no reduce axis of block 'B' uses it"},
    {"a loop over two blocks", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    for k in range(12):\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vk]\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(6, i)\n        D[vi] = A[vi, 0]",
     "r = rfactor(i, 0)", NULL, "there must be exactly one block below it"},
    {"something beside", ROWS ", D: T.Buffer((6,), \"float32\")",
     "for i in range(6):\n    for k in range(12):\n    " BLOCK_B
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vk]\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(6, i)\n        D[vi] = A[vi, 0]",
     "r = rfactor(k, 0)", NULL, "it is not the only statement in the loops around it"},
    {"steps that come backwards", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "11 - k") SUM, "r = rfactor(k, 0)", NULL,
     "an element is updated before it gets its first value"},
    {"an extent that depends on a loop", ROWS,
     "for i in range(6):\n    for k in range(i + 1):\n    " BLOCK_B
     "            vi = T.axis.spatial(6, i)\n            vk = T.axis.reduce(12, k)\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vi, vk]",
     "r = rfactor(k, 0)", NULL, "its rounds are not 0 to an extent that other loops leave alone"},
    {"a block with memory of its own", ROWS,
     "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
         "i", "k") "        X = T.alloc_buffer((1,))\n"
                   "        with T.init():\n            B[vi] = T.float32(0)\n"
                   "        X[0] = A[vi, vk]\n        B[vi] = B[vi] + X[0]",
     "r = rfactor(k, 0)", NULL, "it has views or memory of its own"},
};

static void factored_reductions_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(factors, TN_N_ROWS(factors));
}

/* A matrix sum over 66 axes, of which all but two have one step. */
static void a_block_of_too_many_axes_is_refused(void **state) {
  (void)state;
  enum { N = 66 };
  sched_case c;
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n"
                     "        v0 = T.axis.spatial(6, i)\n        v1 = T.axis.reduce(12, k)\n");
  for (int32_t i = 2; i < N; ++i) {
    tn_buf_printf(&text, "        v%d = T.axis.spatial(1, 0)\n", i);
  }
  tn_buf_puts(&text, "        with T.init():\n            B[v0] = T.float32(0)\n"
                     "        B[v0] = B[v0] + A[v0, v1]\n");
  sched_init(&c, tn_buf_text(&text), ROWS);
  sched_expect_refused(&c, "decompose_reduction(B, i)", "block 'B' has more than 64 axes");
  sched_expect_refused(&c, "rfactor(k, 0)", "block 'B' has more than 64 axes");
  sched_expect_refused(&c, "blockize(k)", "block 'B' has more than 64 axes");
  sched_run(&c, "split(i, [None, 4]); parallel(i_0)");
  tn_buf_deinit(&text);
  sched_deinit(&c);
}

static void a_buffer_of_parts_has_room_for_one_more_dimension(void **state) {
  (void)state;
  sched_case c;
  sched_init(
      &c,
      "for i, k in T.grid(6, 12):\n" BLOCK_B AXES(
          "i",
          "k") "        with T.init():\n"
               "            B[vi, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] = T.float32(0)\n"
               "        B[vi, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] = B[vi, 0, 0, 0, 0, 0, "
               "0, "
               "0, 0, 0, 0, 0, 0, 0, 0, 0] + A[vi, vk]",
      "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1), \"float32\")");
  sched_expect_refused(&c, "rfactor(k, 0)", "a buffer has at most 16 dimensions");
  sched_deinit(&c);
}

typedef struct affine_row {
  const char *name;
  const char *body;
  const char *steps;
  const char *refused; /* NULL: affine */
} affine_row;

static const affine_row affines[] = {
    {"plain", "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM, "", NULL},
    {"tiles with rests", "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("i", "k") SUM,
     "split(i, [None, 4])\na, b = split(k, [None, 5])\nfuse(a, b)", NULL},
    {"by sets: backwards", "for i, k in T.grid(6, 12):\n" BLOCK_B AXES("5 - i", "11 - k") SUM, "",
     NULL},
    {"done twice", "for i, u, k in T.grid(6, 2, 12):\n" BLOCK_B AXES("i", "k") SUM, "",
     "the bindings of block 'B' do not reach each point of its axes just once"},
    {"every other one", "for i, k in T.grid(3, 12):\n" BLOCK_B AXES("i * 2", "k") SUM, "",
     "do not reach each point"},
    {"a square", "for i, k in T.grid(2, 12):\n" BLOCK_B AXES("i * i", "k") SUM, "",
     "each axis free of the others: not understood is"},
};

static void affine_blocks_are_reached_once(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(affines); ++i) {
    sched_case c;
    print_message("  %s\n", affines[i].name);
    sched_init(&c, affines[i].body, ROWS);
    sched_run(&c, affines[i].steps);
    const tn_tree *tree = tn_sched_tree_of(c.s, "f");
    tn_status st = tn_block_affine(c.s, tree, tree->blocks.data[0]);
    if (affines[i].refused == NULL) {
      expect_ok(st);
    } else {
      expect_error(st, TN_INVALID, affines[i].refused);
    }
    sched_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_of_too_many_axes_is_refused),
      cmocka_unit_test(a_buffer_of_parts_has_room_for_one_more_dimension),
      cmocka_unit_test(affine_blocks_are_reached_once),
      cmocka_unit_test(factored_reductions_compute_the_same),
      cmocka_unit_test(decomposed_reductions_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
