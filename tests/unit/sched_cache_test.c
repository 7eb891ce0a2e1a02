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

static void copies_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
