/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Padding taken apart and put on, and buffers that keep only what is still needed. */
#include "sched_util.h"

#define AP "A: T.Buffer((16, 16), \"float32\"), P: T.Buffer((18, 16), \"float32\")"
#define PAD(cond)                                   \
  "for i, j in T.grid(18, 16):\n"                   \
  "    with T.block(\"P\"):\n"                      \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
  "        P[vi, vj] = T.if_then_else(" cond ", A[vi - 1, vj], T.float32(0))"
#define ABC                                                                  \
  "A: T.Buffer((13, 15), \"float32\"), B: T.Buffer((15, 10), \"float32\"), " \
  "C: T.Buffer((13, 10), \"float32\")"
#define MATMUL                                              \
  "for i, j, k in T.grid(13, 10, 15):\n"                    \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = T.float32(0)\n"                  \
  "        C[vi, vj] = C[vi, vj] + "
#define SYMBOLIC(n)                                         \
  "m = T.int64()\n"                                         \
  "A = T.match_buffer(a, (" n ", m), \"float32\")\n"        \
  "B = T.match_buffer(b, (m, " n "), \"float32\")\n"        \
  "C = T.match_buffer(c, (" n ", " n "), \"float32\")\n"    \
  "for i, j, k in T.grid(" n ", " n ", m):\n"               \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = T.float32(0)\n"                  \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]"
#define SPREAD(n)                                             \
  "m = T.int64()\n"                                           \
  "A = T.match_buffer(a, (6, m), \"float32\")\n"              \
  "C = T.match_buffer(c, (6, m), \"float32\")\n"              \
  "S = T.alloc_buffer((6,), \"float32\")\n"                   \
  "for i, k in T.grid(6, " n "):\n"                           \
  "    with T.block(\"S\"):\n"                                \
  "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"           \
  "        with T.init():\n"                                  \
  "            S[vi] = T.float32(0)\n"                        \
  "        S[vi] = S[vi] + T.float32(1)\n"                    \
  "for i2, j2, r in T.grid(6, m, 6):\n"                       \
  "    with T.block(\"C\"):\n"                                \
  "        vi, vj, vr = T.axis.remap(\"SSR\", [i2, j2, r])\n" \
  "        with T.init():\n"                                  \
  "            C[vi, vj] = T.float32(0)\n"                    \
  "        C[vi, vj] = C[vi, vj] + A[vr, vj] * S[vr]"

static const sched_row rows[] = {
    {"the inside of padding", AP, PAD("1 <= vi and vi < 17"), "p = decompose_padding(P, i)",
     "for i, j in T.grid(18, 16):\n"
     "    with T.block(\"P_pad_const\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        T.reads()\n"
     "        T.writes(P[vi, vj])\n"
     "        P[vi, vj] = T.float32(0.0)\n"
     "for ax0, ax1 in T.grid(16, 16):\n"
     "    with T.block(\"P\"):\n"
     "        vi = T.axis.spatial(18, ax0 + 1)\n"
     "        vj = T.axis.spatial(16, ax1)\n"
     "        T.reads(A[vi - 1, vj])\n"
     "        T.writes(P[vi, vj])\n"
     "        P[vi, vj] = A[vi - 1, vj]",
     NULL},
    {"within a loop", AP, PAD("1 <= vi and vi < 17"), "decompose_padding(P, j)", NULL, NULL},
    {"a condition that is no box", AP, PAD("1 <= vi and vi < 17 and (vi + vj) % 3 == 0"),
     "decompose_padding(P, i)", NULL, NULL},
    {"in tiles", AP, PAD("1 <= vi and vi < 17"),
     "io, ii = split(i, [None, 4])\ndecompose_padding(P, io)", NULL, NULL},
    {"a loop elsewhere", AP,
     PAD("1 <= vi and vi < 17") "\nfor i2 in range(4):\n    A[i2, 0] = T.float32(1)",
     "decompose_padding(P, i2)", NULL, "is not around it"},
    {"no padding", AP,
     "for i, j in T.grid(18, 16):\n    with T.block(\"P\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        P[vi, vj] = T.float32(1)",
     "a = can_decompose_padding(P, i)\ndecompose_padding(P, i)", NULL, "its value is not"},
    {"a product rounded up", ABC, MATMUL "A[vi, vk] * B[vk, vj]", "pad_einsum(C, [8, 8, 4])", NULL,
     NULL},
    {"one operand rounded up", ABC, MATMUL "A[vi, vk] * B[vk, vj]", "pad_einsum(C, [8, 1, 1])",
     NULL, NULL},
    {"a sum that may be over nothing", "a: T.handle, b: T.handle, c: T.handle", SYMBOLIC("6"),
     "pad_einsum(C, [4, 4, 4])", NULL, "is not written"},
    {"such a sum whose result is not copied", "a: T.handle, b: T.handle, c: T.handle",
     SYMBOLIC("6"), "pad_einsum(C, [1, 1, 4])", NULL, NULL},
    {"a sum that is over nothing only where there is no result",
     "a: T.handle, b: T.handle, c: T.handle", SYMBOLIC("m"), "pad_einsum(C, [4, 4, 4])", NULL,
     NULL},
    {"a factor that need not be written where it is not read", "a: T.handle, c: T.handle",
     SPREAD("m"), "pad_einsum(C, [4, 4, 4])", NULL, "of 'S' is needed that is not written"},
    {"a factor that is written at all sizes", "a: T.handle, c: T.handle", SPREAD("3"),
     "pad_einsum(C, [4, 4, 4])", NULL, NULL},
    {"a factor without padding", ABC, MATMUL "A[vi, vk] * B[0, vj]", "pad_einsum(C, [8, 8, 4])",
     NULL, "is not an axis"},
    {"a factor along another axis",
     "A: T.Buffer((13, 15), \"float32\"), B: T.Buffer((10,), \"float32\"), "
     "C: T.Buffer((13, 10), \"float32\")",
     MATMUL "A[vi, vk] * B[vj]", "pad_einsum(C, [8, 8, 4])", NULL, "need not be zero"},
    {"a sum of something else", ABC, MATMUL "T.exp(A[vi, vk])", "pad_einsum(C, [8, 8, 4])", NULL,
     "sum of products"},
    {"loops that were split", ABC, MATMUL "A[vi, vk] * B[vk, vj]",
     "split(k, [3, 5])\npad_einsum(C, [8, 8, 4])", NULL, "one an axis"},
    {"a sum that begins at a bias",
     "A: T.Buffer((13, 15), \"float32\"), C: T.Buffer((13,), \"float32\"), "
     "D: T.Buffer((13,), \"float32\")",
     "for i, k in T.grid(13, 15):\n    with T.block(\"C\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            C[vi] = D[vi]\n        C[vi] = C[vi] + A[vi, vk]",
     "pad_einsum(C, [8, 4])", NULL, "is not a number"},
    {"a number too few", ABC, MATMUL "A[vi, vk] * B[vk, vj]", "pad_einsum(C, [8, 8])", NULL,
     "2 numbers for 3 axes"},
};

#define WINDOWS                                       \
  "B = T.alloc_buffer((18, 16))\n"                    \
  "for i, j in T.grid(18, 16):\n"                     \
  "    with T.block(\"B\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"   \
  "        B[vi, vj] = P[vi, vj] * T.float32(2)\n"    \
  "for i2, j2 in T.grid(16, 16):\n"                   \
  "    with T.block(\"A\"):\n"                        \
  "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n" \
  "        A[vi, vj] = B[vi, vj] + B[vi + 1, vj] + B[vi + 2, vj]"

static const sched_row windows[] = {
    {"rows that are made once", AP, WINDOWS, "compute_at(B, i2)\nrolling_buffer(B, 0)",
     "B = T.alloc_buffer((3, 16))\n"
     "for i2 in range(16):\n"
     "    for ax0, ax1 in T.grid(3, 16):\n"
     "        with T.block(\"B\"):\n"
     "            vi = T.axis.opaque(18, i2 + ax0)\n"
     "            vj = T.axis.spatial(16, ax1)\n"
     "            T.where(i2 <= 0 or 1 < ax0)\n"
     "            T.reads(P[vi, vj])\n"
     "            T.writes(B[vi % 3, vj])\n"
     "            B[vi % 3, vj] = P[vi, vj] * T.float32(2.0)\n"
     "    for j2 in range(16):\n"
     "        with T.block(\"A\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
     "            T.reads(B[0:3, vj])\n"
     "            T.writes(A[vi, vj])\n"
     "            A[vi, vj] = B[vi % 3, vj] + B[(vi + 1) % 3, vj] + B[(vi + 2) % 3, vj]",
     NULL},
    {"tiles of rows", AP, WINDOWS,
     "io, ii = split(i2, [None, 4])\ncompute_at(B, io)\nrolling_buffer(B, 0)", NULL, NULL},
    {"tiles of rows and columns", AP, WINDOWS,
     "io, ii = split(i2, [None, 4])\njo, ji = split(j2, [None, 8])\nreorder(io, jo, ii, ji)\n"
     "compute_at(B, jo)\nrolling_buffer(B, 0)",
     NULL, NULL},
    {"no window", AP, WINDOWS, "rolling_buffer(B, 0)", NULL, "moves a window"},
    {"a result", AP, WINDOWS, "rolling_buffer(A, 0)", NULL, "is not memory of its scope"},
};

static void padding_computes_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

static void rolling_buffers_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(windows, TN_N_ROWS(windows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(padding_computes_the_same),
      cmocka_unit_test(rolling_buffers_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
