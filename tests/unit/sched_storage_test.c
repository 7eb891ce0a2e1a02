/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Where buffers lie, and what is asked for in advance. */
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
#define EMPTY(m, n)                                      \
  "m = T.int64()\n"                                      \
  "A = T.match_buffer(a, (" m ", " n "), \"float32\")\n" \
  "C = T.match_buffer(c, (" m ", " n "), \"float32\")\n" \
  "B = T.alloc_buffer((" m ", " n "), \"float32\")\n"    \
  "for i, j in T.grid(" m ", " n "):\n"                  \
  "    with T.block(\"B\"):\n"                           \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"      \
  "        B[vi, vj] = A[vi, vj] * T.float32(2)\n"       \
  "for i2, j2 in T.grid(" m ", " n "):\n"                \
  "    with T.block(\"C\"):\n"                           \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"    \
  "        C[vi, vj] = B[vi, vj] + T.float32(1)"
#define A_HANDLES "a: T.handle, c: T.handle"
#define SHIFTED                                     \
  "for i, j in T.grid(16, 20):\n"                   \
  "    with T.block(\"C\"):\n"                      \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
  "        C[vi, vj] = T.if_then_else(2 <= vj and vj < 18, A[vi, vj - 2], T.float32(0))"
#define SHIFTED_PARAMS "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 20), \"float32\")"

static const sched_row rows[] = {
    {"memory of another kind", AC, TWO, "set_scope(B, 0, \"local\")", NULL, NULL},
    {"memory that comes from outside", AC, TWO, "set_scope(C, 0, \"local\")", NULL, "from outside"},
    {"memory of no kind", AC, TWO, "set_scope(B, 0, \"\")", NULL, "storage scope"},
    {"rows that begin in other cache lines", AC, TWO, "storage_align(B, 0, 0, 16, 1)", NULL, NULL},
    {"rows counted from the end", AC, TWO, "storage_align(B, 0, -2, 32, 0)", NULL, NULL},
    {"an axis that is not there", AC, TWO, "storage_align(B, 0, 2, 16, 0)", NULL, "no axis 2"},
    {"a factor of 0", AC, TWO, "storage_align(B, 0, 0, 0, 0)", NULL, "is no stride"},
    {"rows of a length that may be 0", A_HANDLES, EMPTY("3", "m"), "storage_align(B, 0, 0, 16, 1)",
     NULL, NULL},
    {"rows of which there may be none", A_HANDLES, EMPTY("m", "6"), "storage_align(B, 0, 0, 16, 1)",
     NULL, NULL},
    {"rows of which there are none", A_HANDLES, EMPTY("0", "6"), "storage_align(B, 0, 0, 16, 1)",
     NULL, NULL},
    {"not before the beginning of rows", SHIFTED_PARAMS, SHIFTED, "prefetch(C, \"A\", i, 2)",
     "for i in range(16):\n"
     "    with T.block(\"A_prefetch\"):\n"
     "        v0 = T.axis.spatial(16, i + 2)\n"
     "        v1 = T.axis.spatial(16, 0)\n"
     "        T.where(i < 14)\n"
     "        T.reads()\n"
     "        T.writes()\n"
     "        T.prefetch(T.address_of(A[v0, v1]), 0, 3, 1)\n"
     "    for j in range(20):\n"
     "        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            T.reads(A[vi, vj - 2])\n"
     "            T.writes(C[vi, vj])\n"
     "            C[vi, vj] = T.if_then_else(2 <= vj and vj < 18, A[vi, vj - 2], T.float32(0.0))",
     NULL},
    {"a round that never comes", AC, TWO, "prefetch(B, \"A\", i, 16)", NULL, "has no round 16"},
    {"elements that are not there",
     "A: T.Buffer((8,), \"float32\"), C: T.Buffer((16,), \"float32\")",
     "for i in range(16):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(16, i)\n"
     "        C[vi] = T.if_then_else(vi < 8, A[vi], T.float32(0))",
     "prefetch(C, \"A\", i, 9)", NULL, "is outside of it"},
    {"rows are asked for in advance", AC, TWO, "prefetch(B, \"A\", i, 2)",
     "B = T.alloc_buffer((16, 16))\n"
     "for i in range(16):\n"
     "    with T.block(\"A_prefetch\"):\n"
     "        v0 = T.axis.spatial(16, i + 2)\n"
     "        v1 = T.axis.spatial(16, 0)\n"
     "        T.where(i < 14)\n"
     "        T.reads()\n"
     "        T.writes()\n"
     "        T.prefetch(T.address_of(A[v0, v1]), 0, 3, 1)\n"
     "    for j in range(16):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            T.reads(A[vi, vj])\n"
     "            T.writes(B[vi, vj])\n"
     "            B[vi, vj] = A[vi, vj] * T.float32(2.0)\n"
     "for i2, j2 in T.grid(16, 16):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "        T.reads(B[vi, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = B[vi, vj] + T.float32(1.0)",
     NULL},
    {"not in a loop elsewhere", AC, TWO, "prefetch(B, \"A\", i2)", NULL, "not around it"},
    {"not for the same round", AC, TWO, "prefetch(B, \"A\", i, 0)", NULL, "is not in 1 to"},
    {"other steps go on after it", AC, TWO,
     "prefetch(B, \"A\", i)\ncompute_at(B, i2)\nparallel(i2)", NULL, NULL},
    {"a buffer that is asked for does not go away", AC, TWO,
     "prefetch(C, \"B\", i2)\ncompute_inline(B)", NULL, "still used"},
};

static void storage_computes_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(storage_computes_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
