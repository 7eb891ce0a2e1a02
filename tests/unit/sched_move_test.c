/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Blocks that move into loops of their neighbours, or become part of them: what comes out, that it
 * computes the same, and what each condition refuses. */
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
#define STENCIL                                                                            \
  "B = T.alloc_buffer((18, 16))\n"                                                         \
  "for i, j in T.grid(18, 16):\n"                                                          \
  "    with T.block(\"B\"):\n"                                                             \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"                                        \
  "        B[vi, vj] = T.if_then_else(1 <= vi and vi < 17, A[vi - 1, vj], T.float32(0))\n" \
  "for i2, j2 in T.grid(16, 16):\n"                                                        \
  "    with T.block(\"C\"):\n"                                                             \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"                                      \
  "        C[vi, vj] = B[vi, vj] + B[vi + 1, vj] + B[vi + 2, vj]"
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
#define SUM_THEN                                            \
  "S = T.alloc_buffer((16, 16))\n"                          \
  "for i, j, k in T.grid(16, 16, 16):\n"                    \
  "    with T.block(\"S\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            S[vi, vj] = T.float32(0)\n"                  \
  "        S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]\n" \
  "for i2, j2 in T.grid(16, 16):\n"                         \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"

static const sched_row moves[] = {
    {"a producer moves into its consumer's outer loop", AC, TWO, "compute_at(B, i2)",
     "B = T.alloc_buffer((16, 16))\n"
     "for i2 in range(16):\n"
     "    for ax0 in range(16):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i2, ax0])\n"
     "            T.reads(A[vi, vj])\n"
     "            T.writes(B[vi, vj])\n"
     "            B[vi, vj] = A[vi, vj] * T.float32(2.0)\n"
     "    for j2 in range(16):\n"
     "        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "            T.reads(B[vi, vj])\n"
     "            T.writes(C[vi, vj])\n"
     "            C[vi, vj] = B[vi, vj] + T.float32(1.0)",
     NULL},
    {"loops of one round may be kept", AC, TWO, "compute_at(B, i2, True)", NULL, NULL},
    {"rows of a stencil are made where they are used", AC, STENCIL,
     "io, ii = split(i2, [4, 4])\ncompute_at(B, io)", NULL, NULL},
    {"a consumer moves into its producer's loop", AC, TWO, "reverse_compute_at(C, i)", NULL, NULL},
    {"a stencil's consumer would come before its inputs", AC, STENCIL, "reverse_compute_at(C, i)",
     NULL, "before block 'B' is done"},
    {"a tile that does not divide the extent", AC, TWO,
     "io, ii = split(i2, [None, 5])\njo, ji = split(j2, [None, 7])\nreorder(io, jo, ii, ji)\n"
     "compute_at(B, jo)",
     NULL, NULL},
    {"the same from below", AC, TWO,
     "io, ii = split(i, [None, 5])\njo, ji = split(j, [None, 7])\nreorder(io, jo, ii, ji)\n"
     "reverse_compute_at(C, jo)",
     NULL, NULL},
    {"a register tile of a matrix product", ABC, MATMUL,
     "c = cache_write(C, 0, \"local\")\nio, ii = split(i, [None, 4])\njo, ji = split(j, [None, "
     "8])\nko, ki = split(k, [None, 4])\nreorder(io, jo, ko, ki, ii, ji)\n"
     "reverse_compute_at(c, jo)\np = cache_read(C, \"B\", \"global\")\ncompute_at(p, jo)\n"
     "q = cache_read(C, \"A\", \"global\")\ncompute_at(q, ko)",
     NULL, NULL},
    {"what follows a sum may not run within it", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj]",
     "reverse_compute_at(C, k)", NULL, "before block 'S' is done"},
    {"what follows a sum runs after it", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj]",
     "reverse_compute_at(C, j)", NULL, NULL},
    {"a sum moves to where it is used", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj]",
     "compute_at(S, j2)", NULL, NULL},
    {"a copy that moves to where a part of its input is made", AC, TWO,
     "compute_at(B, j2)\njo, ji = split(j2, [4, 4])\nc = cache_read(C, 0, \"local\")", NULL, NULL},
    {"a triangle does not move: its axes have as many steps as a loop says", AC,
     "B = T.alloc_buffer((16, 16))\nfor i in range(16):\n    for j in range(i + 1):\n"
     "        with T.block(\"B\"):\n            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            B[vi, vj] = A[vi, vj]\n"
     "for i2 in range(16):\n    for j2 in range(i2 + 1):\n        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i2, j2])\n            C[vi, vj] = B[vi, vj]",
     "compute_at(B, i2)", NULL, "depends on loop 'i'"},
    {"an output does not move", AC, TWO, "compute_at(C, i)", NULL, "outlives"},
    {"not into a loop around it", AC, TWO, "compute_at(B, i)", NULL, "already"},
    {"the place among a loop's statements", AC, TWO, "compute_at(B, i2, index=1)", NULL,
     "not among the places"},
    {"the first place", AC, TWO, "compute_at(B, i2, index=-2)", NULL, NULL},
};

static const sched_row inlines[] = {
    {"a producer's value goes to its reader", AC, TWO, "compute_inline(B)",
     "for i2, j2 in T.grid(16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "        T.reads(A[vi, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = A[vi, vj] * T.float32(2.0) + T.float32(1.0)",
     NULL},
    {"a reader's computation goes to its producer", AC, TWO, "reverse_compute_inline(C)",
     "for i, j in T.grid(16, 16):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        T.reads(A[vi, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = A[vi, vj] * T.float32(2.0) + T.float32(1.0)",
     NULL},
    {"padding goes to where it is read", AC, STENCIL, "compute_inline(B)", NULL, NULL},
    {"a value that is read at three places does not take in its reader", AC, STENCIL,
     "reverse_compute_inline(C)", NULL, "one place only"},
    {"a sum does not take in what follows", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj]",
     "reverse_compute_inline(C)", NULL, "is a reduction"},
    {"a sum is no value to go elsewhere", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj]",
     "compute_inline(S)", NULL, "not complete"},
    {"a bias becomes the first value", ABC, SUM_THEN "        C[vi, vj] = S[vi, vj] + A[0, vj]",
     "fuse_reduction_epilogue(S, C)", NULL, NULL},
    {"a clip does not", ABC, SUM_THEN "        C[vi, vj] = T.max(S[vi, vj], T.float32(0))",
     "fuse_reduction_epilogue(S, C)", NULL, "more than add"},
    {"an output is not inlined", AC, TWO, "compute_inline(C)", NULL, "outlives"},
    {"a sampled place of -2 inlines", AC, TWO, "compute_at(B, -2)", NULL, NULL},
    {"a sampled place of -1 leaves all", AC, TWO, "compute_at(B, -1)", NULL, NULL},
    {"padding has steps without an element of its input", AC, STENCIL,
     "p = cache_read(B, \"A\", \"global\")\nreverse_compute_inline(B)", NULL,
     "has steps for which"},
    {"a transposed reader", AC,
     "B = T.alloc_buffer((16, 16))\n"
     "for i, j in T.grid(16, 16):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        B[vi, vj] = A[vi, vj] * T.float32(2)\n"
     "for i2, j2 in T.grid(8, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "        C[vj, vi] = B[vi, vj] + T.float32(1)",
     "reverse_compute_inline(C)", NULL, NULL},
    {"a reader of a fused axis",
     "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((256,), \"float32\")",
     "B = T.alloc_buffer((16, 16))\n"
     "for i, j in T.grid(16, 16):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        B[vi, vj] = A[vi, vj] * T.float32(2)\n"
     "for i2 in range(256):\n"
     "    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(256, i2)\n"
     "        C[vi] = B[vi // 16, vi % 16] + T.float32(1)",
     "reverse_compute_inline(C)", NULL, NULL},
};

static void blocks_move_and_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(moves, TN_N_ROWS(moves));
}

static void blocks_become_one_and_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(inlines, TN_N_ROWS(inlines));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_move_and_compute_the_same),
      cmocka_unit_test(blocks_become_one_and_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
