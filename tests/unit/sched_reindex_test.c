/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Copies laid out by a block's axes, and the copies that need no place of their own choosing. */
#include "sched_util.h"

#define ABC                                                                  \
  "A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16, 16), \"float32\"), " \
  "C: T.Buffer((16, 16), \"float32\")"
#define MATMUL_T                                            \
  "for i, j, k in T.grid(16, 16, 16):\n"                    \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = T.float32(0)\n"                  \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]"
#define CONV                                        \
  "for i, r in T.grid(14, 3):\n"                    \
  "    with T.block(\"C\"):\n"                      \
  "        vi, vr = T.axis.remap(\"SR\", [i, r])\n" \
  "        with T.init():\n"                        \
  "            C[vi] = T.float32(0)\n"              \
  "        C[vi] = C[vi] + A[vi + vr] * W[vr]"
#define CONV_PARAMS                                                   \
  "A: T.Buffer((16,), \"float32\"), W: T.Buffer((3,), \"float32\"), " \
  "C: T.Buffer((14,), \"float32\")"
#define GUARDED                          \
  "for i in range(16):\n"                \
  "    with T.block(\"C\"):\n"           \
  "        vi = T.axis.spatial(16, i)\n" \
  "        C[vi] = T.if_then_else(1 <= vi, A[vi - 1], T.float32(0))"
#define ROWS(n)                                      \
  "m = T.int64()\n"                                  \
  "A = T.match_buffer(a, (" n ", m), \"float32\")\n" \
  "C = T.match_buffer(c, (" n ",), \"float32\")\n"   \
  "for i, k in T.grid(" n ", m):\n"                  \
  "    with T.block(\"C\"):\n"                       \
  "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"  \
  "        with T.init():\n"                         \
  "            C[vi] = T.float32(0)\n"               \
  "        C[vi] = C[vi] + A[vi, vk]"
#define SPREAD(n)                                     \
  "m = T.int64()\n"                                   \
  "A = T.match_buffer(a, (6, m), \"float32\")\n"      \
  "C = T.match_buffer(c, (6, m), \"float32\")\n"      \
  "S = T.alloc_buffer((6,), \"float32\")\n"           \
  "for i, k in T.grid(6, " n "):\n"                   \
  "    with T.block(\"S\"):\n"                        \
  "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"   \
  "        with T.init():\n"                          \
  "            S[vi] = T.float32(0)\n"                \
  "        S[vi] = S[vi] + T.float32(1)\n"            \
  "for i2, j2 in T.grid(6, m):\n"                     \
  "    with T.block(\"C\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n" \
  "        C[vi, vj] = A[vi, vj] + S[vi]"
#define AC1 "A: T.Buffer((16,), \"float32\"), C: T.Buffer((16,), \"float32\")"

static const sched_row rows[] = {
    {"a transposed operand", ABC, MATMUL_T, "reindex(C, (\"read\", 1))",
     "B_reindex = T.alloc_buffer((16, 16))\n"
     "for ax0, ax1 in T.grid(16, 16):\n"
     "    with T.block(\"B_reindex\"):\n"
     "        v0, v1 = T.axis.remap(\"SS\", [ax0, ax1])\n"
     "        T.reads(B[v0, v1])\n"
     "        T.writes(B_reindex[v0, v1])\n"
     "        B_reindex[v0, v1] = B[v0, v1]\n"
     "for i, j, k in T.grid(16, 16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(A[vi, vk], B_reindex[vj, vk])\n"
     "        T.writes(C[vi, vj])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B_reindex[vj, vk]",
     NULL},
    {"the windows of a convolution", CONV_PARAMS, CONV, "reindex(C, \"A\")", NULL, NULL},
    {"results by axes", ABC, MATMUL_T, "reindex(C, (\"write\", 0))", NULL, NULL},
    {"what a guard keeps out is not copied", AC1, GUARDED, "reindex(C, \"A\")", NULL, NULL},
    {"packed while copied", ABC, MATMUL_T,
     "reindex_cache_read(C, 1, \"local\", lambda i, j, k: (j // 8, k, j % 8))", NULL, NULL},
    {"results packed while copied", ABC, MATMUL_T,
     "reindex_cache_write(C, 0, \"local\", lambda i, j, k: (j // 5, i, j % 5))", NULL, NULL},
    {"two elements in one place", ABC, MATMUL_T,
     "reindex_cache_read(C, 1, \"local\", lambda i, j, k: (k, j % 8))", NULL, "have one place"},
    {"a place for equal elements", AC1,
     "for i, j in T.grid(4, 4):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi * 4 + vj] = A[vi]",
     "reindex_cache_read(C, 0, \"local\", lambda i, j: (i, j // 2))", NULL, "write one place"},
    {"a result that is not always written", AC1,
     "for i in range(16):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(16, i)\n"
     "        if vi < 4:\n            C[vi] = A[vi]",
     "reindex(C, (\"write\", 0))", NULL, "at every step"},
    {"an operand that the block writes", AC1,
     "for i in range(16):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(16, i)\n"
     "        C[vi] = C[vi] + A[vi]",
     "reindex(C, (\"read\", 0))", NULL, "writes 'C' as well"},
    {"a first value that depends on the step", AC1 ", D: T.Buffer((16,), \"float32\")",
     "for i, k in T.grid(4, 4):\n    with T.block(\"C\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            C[vi] = D[vi]\n        C[vi] = C[vi] + A[vi * 4 + vk]",
     "reindex_cache_read(C, 0, \"local\", lambda i, k: (k, i))", NULL, "'D'"},
    {"one element in two places", ABC, MATMUL_T,
     "reindex_cache_write(C, 0, \"local\", lambda i, j, k: (i, j, k))", NULL, "have two places"},
    {"a sum that may be over nothing", "a: T.handle, c: T.handle", ROWS("4"),
     "reindex(C, (\"write\", 0))", NULL, "is not written"},
    {"a sum that may be over nothing, packed", "a: T.handle, c: T.handle", ROWS("4"),
     "reindex_cache_write(C, 0, \"local\", lambda i, k: (i // 2, i % 2))", NULL, "is not written"},
    {"a sum that is over nothing only where there is no result", "a: T.handle, c: T.handle",
     ROWS("m"), "reindex(C, (\"write\", 0))", NULL, NULL},
    {"what need not be written where it is not read", "a: T.handle, c: T.handle", SPREAD("m"),
     "reindex(C, \"S\")", NULL, "is not written"},
    {"what is written at all sizes", "a: T.handle, c: T.handle", SPREAD("3"), "reindex(C, \"S\")",
     NULL, NULL},
    {"an index that counts inside the block", ABC,
     "for i in range(16):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(16, i)\n"
     "        for j in range(16):\n            C[vi, j] = A[vi, j] + B[vi, j]",
     "reindex(C, \"A\")", NULL, "is made of more than its axes"},
    {"an element at two indices", AC1,
     "for i in range(15):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(15, i)\n"
     "        C[vi] = A[vi] + A[vi + 1]",
     "reindex(C, \"A\")", NULL, "by one index alone"},
};

static void copies_by_axes_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_by_axes_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
