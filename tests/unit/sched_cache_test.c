/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Copies of what blocks read and write: what comes out, that it computes the same, and what each
 * condition refuses. */
#include "sched_util.h"

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

static const sched_row rows[] = {
    {"a matrix product whose result is kept in a copy", ABC, MATMUL,
     "c = cache_write(C, 0, \"local\")",
     "C_local = T.alloc_buffer((16, 16), scope=\"local\")\n"
     "for i, j, k in T.grid(16, 16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(A[vi, vk], B[vk, vj])\n"
     "        T.writes(C_local[vi, vj])\n"
     "        with T.init():\n"
     "            C_local[vi, vj] = T.float32(0.0)\n"
     "        C_local[vi, vj] = C_local[vi, vj] + A[vi, vk] * B[vk, vj]\n"
     "for ax0, ax1 in T.grid(16, 16):\n"
     "    with T.block(\"C_local\"):\n"
     "        v0, v1 = T.axis.remap(\"SS\", [ax0, ax1])\n"
     "        T.reads(C_local[v0, v1])\n"
     "        T.writes(C[v0, v1])\n"
     "        C[v0, v1] = C_local[v0, v1]",
     NULL},
    {"a matrix product that reads a copy", ABC, MATMUL, "c = cache_read(C, \"B\", \"global\")",
     "B_global = T.alloc_buffer((16, 16))\n"
     "for ax0, ax1 in T.grid(16, 16):\n"
     "    with T.block(\"B_global\"):\n"
     "        v0, v1 = T.axis.remap(\"SS\", [ax0, ax1])\n"
     "        T.reads(B[v0, v1])\n"
     "        T.writes(B_global[v0, v1])\n"
     "        B_global[v0, v1] = B[v0, v1]\n"
     "for i, j, k in T.grid(16, 16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(A[vi, vk], B_global[vk, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B_global[vk, vj]",
     NULL},
    {"several copies", ABC, MATMUL,
     "cache_read(C, 0, \"global\"); cache_read(C, 1, \"local\"); cache_write(C, 0, \"local\"); "
     "cache_write(C, 0, \"global\"); cache_read(C, 0, \"local\")",
     NULL, NULL},
};

#define INPLACE                                       \
  "for i, j in T.grid(16, 16):\n"                     \
  "    with T.block(\"U\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"   \
  "        A[vi, vj] = A[vi, vj] * T.float32(2)\n"    \
  "for i2, j2 in T.grid(16, 16):\n"                   \
  "    with T.block(\"C\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n" \
  "        C[vi, vj] = A[vi, vj] + B[vi, (vj * 3 + 1) % 16]"

static const sched_row others[] = {
    {"around an update in place", ABC, INPLACE, "a, b = cache_inplace(U, \"A\", \"local\")", NULL,
     NULL},
    {"not around anything else", ABC, INPLACE, "cache_inplace(C, \"B\", \"local\")", NULL,
     "both read and write"},
    {"an update in place has no result of its own", ABC, INPLACE, "cache_write(U, 0, \"local\")",
     NULL, "reads a buffer that it writes"},
    {"nor is what it reads a copy", ABC, INPLACE, "cache_read(U, 0, \"local\")", NULL,
     "before or while"},
    {"an index beforehand", ABC, INPLACE, "cache_index(C, \"global\")", NULL, NULL},
    {"no index that is worth it", ABC, MATMUL, "cache_index(C, \"global\")", NULL,
     "more than an axis"},
    {"a copy for reading at a loop", ABC, MATMUL, "read_at(i, C, 0, \"local\")", NULL, NULL},
    {"a copy for writing at a loop", ABC, MATMUL, "write_at(j, C, 0, \"local\")", NULL, NULL},
    {"not at a loop of partial results", ABC, MATMUL, "write_at(k, C, 0, \"local\")", NULL,
     "is done with it"},
    {"a part of a result is copied out where all of it is written", ABC,
     "for i, j in T.grid(8, 16):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi, vj] = A[vi, vj]",
     "cache_write(C, 0, \"local\")", NULL, NULL},
    {"and not where there are gaps", ABC,
     "for i, j in T.grid(8, 16):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi * 2, vj] = A[vi, vj]",
     "cache_write(C, 0, \"local\")", NULL, "is not written"},
    {"a sum that never begins", ABC,
     "for i, k in T.grid(16, 15):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(16, i)\n        vk = T.axis.reduce(16, k + 1)\n"
     "        with T.init():\n            C[vi, 0] = T.float32(0)\n"
     "        C[vi, 0] = C[vi, 0] + A[vi, vk]",
     "cache_write(C, 0, \"local\")", NULL, "gets its first value"},
    {"what a block reads is not what it writes", ABC, MATMUL, "cache_read(C, \"C\", \"local\")",
     NULL, "cache_write makes"},
    {"and the other way", ABC, MATMUL, "cache_write(C, \"A\", \"local\")", NULL,
     "cache_read makes"},
    {"no kind of memory", ABC, MATMUL, "cache_write(C, 0, \"\")", NULL, "is empty"},
    {"a number of no buffer", ABC, MATMUL, "cache_read(C, 2, \"local\")", NULL, "no number 2"},
    {"a copy follows the writer in the loop that its first reader shares", ABC,
     "S = T.alloc_buffer((16,))\n"
     "for k in range(16):\n"
     "    for j in range(16):\n"
     "        with T.block(\"S\"):\n"
     "            vk, vj = T.axis.remap(\"RS\", [k, j])\n"
     "            with T.init():\n"
     "                S[vj] = T.float32(0)\n"
     "            S[vj] = S[vj] + A[vk, vj]\n"
     "    for j2 in range(16):\n"
     "        with T.block(\"B\"):\n"
     "            vk, vj = T.axis.remap(\"SS\", [k, j2])\n"
     "            B[vk, vj] = S[vj]\n"
     "for j3 in range(16):\n"
     "    with T.block(\"C\"):\n"
     "        vj = T.axis.spatial(16, j3)\n"
     "        C[0, vj] = S[vj]",
     "cache_write(S, 0, \"local\"); cache_read(C, 0, \"local\")", NULL, NULL},
    {"a block that does not always write", ABC,
     "for i, j in T.grid(16, 16):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        if vi < 4:\n"
     "            C[vi, vj] = A[vi, vj]",
     "cache_write(C, 0, \"local\")", NULL, "is not written"},
    {"a block that writes all of its region in a loop", ABC,
     "for i in range(16):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(16, i)\n        for j in range(16):\n"
     "            C[vi, j] = A[vi, j]",
     "cache_write(C, 0, \"local\")", NULL, NULL},
    {"a block that leaves gaps in its region", ABC,
     "for i in range(16):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(16, i)\n        for j in range(8):\n"
     "            C[vi, j * 2] = A[vi, j]",
     "cache_write(C, 0, \"local\")", NULL, "is not written"},
    {"a copy in a block around, whose regions follow", ABC, MATMUL,
     "m = blockize(j)\ncache_read(C, \"A\", \"local\")\ncache_write(C, 0, \"local\")", NULL,
     "blocks in its T.init()"},
    {"the same without a first value in the block around", ABC, MATMUL,
     "decompose_reduction(C, k)\nm = blockize(k)\nc = cache_read(C_update, 1, \"local\")\n"
     "cache_index(C_init, \"global\")",
     NULL, "more than an axis"},
    {"an index whose axis has as many steps as a loop says",
     "A: T.Buffer((32,), \"float32\"), C: T.Buffer((16, 16), \"float32\")",
     "for i in range(16):\n    for j in range(i + 1):\n        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            C[vi, vj] = A[vj * 2]",
     "cache_index(C, \"global\")", NULL, "depends on loop 'i'"},
    {"memory that nothing filled", "A: T.Buffer((16,), \"float32\")",
     "U = T.alloc_buffer((16,))\nfor i in range(16):\n    with T.block(\"U\"):\n"
     "        vi = T.axis.opaque(16, i)\n        T.reads(U[0:16], A[vi])\n"
     "        T.writes(U[vi])\n"
     "        U[vi] = T.if_then_else(vi > 0, U[(vi + 15) % 16], T.float32(0)) + A[vi]\n"
     "for i2 in range(16):\n    with T.block(\"A\"):\n"
     "        vi = T.axis.spatial(16, i2)\n        A[vi] = U[vi]",
     "cache_inplace(U, \"U\", \"local\")", NULL, "nothing has written all"},
    {"a use outside of blocks", ABC,
     "for i, j in T.grid(16, 16):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi, vj] = A[vi, vj]\n"
     "for i2 in range(16):\n    C[i2, 0] = C[i2, 0] + T.float32(1)",
     "cache_write(C, 0, \"local\")", NULL, "outside of blocks"},
};

static void copies_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

static void other_copies_compute_the_same_or_are_refused(void **state) {
  (void)state;
  sched_check_rows(others, TN_N_ROWS(others));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_compute_the_same),
      cmocka_unit_test(other_copies_compute_the_same_or_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
