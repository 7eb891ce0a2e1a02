/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Conditions of primitives that copy, move and lay out: each row is refused because of one alone. */
#include "sched_util.h"

#define AC "A: T.Buffer((8, 8), \"float32\"), C: T.Buffer((8, 8), \"float32\")"
#define ACD AC ", D: T.Buffer((8, 8), \"float32\")"
/* One nest: block NAME over loops I, J. */
#define NEST(name, i, j, store)                             \
  "for " i ", " j " in T.grid(8, 8):\n"                     \
  "    with T.block(\"" name "\"):\n"                       \
  "        vi, vj = T.axis.remap(\"SS\", [" i ", " j "])\n" \
  "        " store "\n"
#define MAKE_B \
  "B = T.alloc_buffer((8, 8))\n" NEST("B", "i", "j", "B[vi, vj] = A[vi, vj] * T.float32(2)")
#define USE_C NEST("C", "i2", "j2", "C[vi, vj] = B[vi, vj] + T.float32(1)")
#define USE_D NEST("D", "i3", "j3", "D[vi, vj] = B[vi, vj]")
#define SUM(loops, k, first, update)       \
  "S = T.alloc_buffer((8,))\n"             \
  "for " loops " in T.grid(8, 8):\n"       \
  "    with T.block(\"S\"):\n"             \
  "        vi = T.axis.spatial(8, i)\n"    \
  "        vk = T.axis.reduce(8, " k ")\n" \
  "        with T.init():\n"               \
  "            S[vi] = " first "\n"        \
  "        S[vi] = " update "\n"
#define USE_S                            \
  "for i2 in range(8):\n"                \
  "    with T.block(\"C\"):\n"           \
  "        vi = T.axis.spatial(8, i2)\n" \
  "        C[vi, 0] = S[vi]\n"

static const sched_row moves[] = {
    {"nothing reads it", AC, MAKE_B NEST("C", "i2", "j2", "C[vi, vj] = A[vi, vj]"),
     "compute_at(B, i2)", NULL, "nothing in its scope reads"},
    {"a reader elsewhere", ACD, MAKE_B USE_C USE_D, "compute_at(B, i2)", NULL,
     "is not in loop 'i2'"},
    {"an input that comes later", ACD,
     MAKE_B "E = T.alloc_buffer((8, 8))\n" NEST("E", "i4", "j4", "E[vi, vj] = A[vi, vj]")
         NEST("C", "i2", "j2", "C[vi, vj] = B[vi, vj] + E[vi, vj]"),
     "reverse_compute_at(C, i)", NULL, "comes after loop 'i'"},
    {"no input there", ACD, MAKE_B USE_C NEST("D", "i3", "j3", "D[vi, vj] = A[vi, vj]"),
     "reverse_compute_at(C, i3)", NULL, "makes what it reads"},
    {"a loop in another block", AC, MAKE_B USE_C, "m = blockize(j2)\ncompute_at(B, j2)", NULL,
     "is in another scope"},
    {"a statement beside blocks", ACD,
     MAKE_B USE_C "for i3 in range(8):\n    D[i3, 0] = T.float32(1)\n", "compute_at(B, i2)", NULL,
     "statement outside of blocks"},
    {"half of the steps", AC,
     "B = T.alloc_buffer((8, 8))\nfor i, j in T.grid(4, 8):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vj = T.axis.spatial(8, j)\n"
     "        B[vi, vj] = A[vi, vj]\n"
     "for i2, j2 in T.grid(4, 8):\n    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n        C[vi, vj] = B[vi, vj]",
     "compute_at(B, i2)", NULL, "do not reach every point"},
    {"steps of a sum that come twice", AC,
     "S = T.alloc_buffer((8,))\n"
     "for i, k, t in T.grid(8, 8, 2):\n    with T.block(\"S\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            S[vi] = T.float32(0)\n        S[vi] = S[vi] + A[vi, vk]\n" USE_S,
     "compute_at(S, i2)", NULL, "each of its steps once"},
    {"an order that matters", AC,
     "S = T.alloc_buffer((8,))\n"
     "for i, k0, k1 in T.grid(8, 2, 4):\n    with T.block(\"S\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vk = T.axis.reduce(8, k1 * 2 + k0)\n"
     "        with T.init():\n            S[vi] = T.float32(0)\n"
     "        S[vi] = A[vi, vk] - S[vi]\n" USE_S,
     "compute_at(S, i2)", NULL, "come in another order"},
    {"rows that two threads would make", AC,
     MAKE_B "for i2, j2 in T.grid(7, 8):\n    with T.block(\"C\"):\n"
            "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
            "        C[vi, vj] = B[vi, vj] + B[vi + 1, vj]",
     "bind(i2, \"threadIdx.x\")\ncompute_at(B, i2)", NULL, "run at once"},
    {"a block that knows a loop without an axis", AC,
     "B = T.alloc_buffer((8, 8))\nfor i, j in T.grid(8, 8):\n    with T.block(\"B\"):\n"
     "        vj = T.axis.spatial(8, j)\n        B[i, vj] = A[i, vj]\n" USE_C,
     "compute_at(B, i2)", NULL, "otherwise than through its axes"},
    {"no place", AC, MAKE_B USE_C, "compute_at(B, -3)", NULL, "-3 is no place"},
    {"sums that are read on the way", AC,
     "S = T.alloc_buffer((8,))\nfor k in range(8):\n    for i in range(8):\n"
     "        with T.block(\"S\"):\n            vk, vi = T.axis.remap(\"RS\", [k, i])\n"
     "            with T.init():\n                S[vi] = T.float32(0)\n"
     "            S[vi] = S[vi] + A[vi, vk]\n"
     "    for i2 in range(8):\n        with T.block(\"C\"):\n"
     "            vk, vi = T.axis.remap(\"SS\", [k, i2])\n            C[vk, vi] = S[vi]",
     "compute_at(S, i2)", NULL, "before block 'S' is done"},
    {"a later block that makes what an earlier one reads", ACD,
     MAKE_B USE_C NEST("D", "i3", "j3", "A[vi, vj] = T.float32(1)"), "compute_at(B, i2)", NULL,
     "later block"},
};

static const sched_row inlines[] = {
    {"two stores", ACD,
     "B = T.alloc_buffer((8, 8))\n" NEST(
         "B", "i", "j", "B[vi, vj] = A[vi, vj]\n        D[vi, vj] = A[vi, vj]") USE_C,
     "compute_inline(B)", NULL, "outlives"},
    {"two stores of its own", AC,
     "B = T.alloc_buffer((8, 8))\nE = T.alloc_buffer((8, 8))\n" NEST(
         "B", "i", "j", "B[vi, vj] = A[vi, vj]\n        E[vi, vj] = A[vi, vj]") USE_C,
     "compute_inline(B)", NULL, "not one store"},
    {"nothing reads it", AC, MAKE_B NEST("C", "i2", "j2", "C[vi, vj] = A[vi, vj]"),
     "compute_inline(B)", NULL, "nothing in its scope reads"},
    {"an index of two axes", AC,
     "B = T.alloc_buffer((64,))\n" NEST("B", "i", "j", "B[vi * 8 + vj] = A[vi, vj]")
         NEST("C", "i2", "j2", "C[vi, vj] = B[vi * 8 + vj]"),
     "compute_inline(B)", NULL, "is not one index"},
    {"an element that nothing writes", AC,
     "B = T.alloc_buffer((9, 8))\n" NEST("B", "i", "j", "B[vi, vj] = A[vi, vj]")
         NEST("C", "i2", "j2", "C[vi, vj] = T.if_then_else(vi < 7, B[vi + 1, vj], T.float32(0))"),
     "compute_inline(B)", NULL, "is needed that is not written"},
    {"two inputs", AC,
     MAKE_B "E = T.alloc_buffer((8, 8))\n" NEST("E", "i4", "j4", "E[vi, vj] = A[vi, vj]")
         NEST("C", "i2", "j2", "C[vi, vj] = B[vi, vj] + E[vi, vj]"),
     "reverse_compute_inline(C)", NULL, "2 blocks make"},
    {"an input that is an output", ACD,
     NEST("D", "i", "j", "D[vi, vj] = A[vi, vj]") NEST("C", "i2", "j2", "C[vi, vj] = D[vi, vj]"),
     "reverse_compute_inline(C)", NULL, "outlives their scope"},
    {"two readers", ACD, MAKE_B USE_C USE_D, "reverse_compute_inline(C)", NULL,
     "not the only one that reads"},
    {"an axis that the index does not tell", AC,
     MAKE_B NEST("C", "i2", "j2", "C[vi, vj] = B[vi, 0]"), "reverse_compute_inline(C)", NULL,
     "do not follow"},
    {"a bias of another sum", AC, SUM("i, k", "k", "T.float32(0)", "S[vi] + A[vi, vk]") USE_S,
     "fuse_reduction_epilogue(C, C)", NULL, "is not the one"},
    {"a sum that begins at 1", AC,
     SUM("i, k", "k", "T.float32(1)",
         "S[vi] + A[vi, vk]") "for i2 in range(8):\n    with T.block(\"C\"):\n        vi = "
                              "T.axis.spatial(8, i2)\n"
                              "        C[vi, 0] = S[vi] + A[vi, 0]",
     "fuse_reduction_epilogue(S, C)", NULL, "begins at 0"},
    {"a part of a sum's results", AC,
     SUM("i, k", "k", "T.float32(0)",
         "S[vi] + A[vi, vk]") "for i2 in range(4):\n    with T.block(\"C\"):\n        vi = "
                              "T.axis.spatial(4, i2)\n"
                              "        C[vi, 0] = S[vi] + A[vi, 0]",
     "fuse_reduction_epilogue(S, C)", NULL, "every element"},
};

static const sched_row layouts[] = {
    {"a map of other indices", AC, MAKE_B USE_C, "transform_layout(B, \"B\", lambda i: (i,))", NULL,
     "takes 1 indices, not 2"},
    {"a map that begins at 1", AC, MAKE_B USE_C,
     "transform_layout(B, \"B\", lambda i, j: (i + 1, j))", NULL, "begin at 0"},
    {"padding behind a sum", AC, SUM("i, k", "k", "T.float32(0)", "S[vi] + A[vi, vk]") USE_S,
     "transform_layout(S, \"S\", lambda i: (i // 3, i % 3), pad_value=0)", NULL, "pad_value wants"},
    {"padding with a text", AC, MAKE_B USE_C,
     "transform_layout(B, \"B\", lambda i, j: (i // 3, j, i % 3), pad_value=\"x\")", NULL,
     "no number"},
    {"a block with company", AC, MAKE_B USE_C,
     "compute_at(B, i2)\ntransform_block_layout(C, lambda i, j: (j, i))", NULL, "not alone"},
    {"steps that become one", AC, MAKE_B USE_C,
     "transform_block_layout(C, lambda i, j: (i + j, j // 2))", NULL, "no known inverse"},
    {"updates in another order", AC, SUM("i, k", "k", "T.float32(0)", "A[vi, vk] - S[vi]") USE_S,
     "transform_block_layout(S, lambda i, k: (k, i))", NULL, "come in another order"},
    {"an axis that begins at 1", AC,
     "for i in range(7):\n    with T.block(\"C\"):\n        vi = T.axis.spatial((1, 8), i + 1)\n"
     "        C[vi, 0] = A[vi, 0]",
     "transform_block_layout(C, lambda i: (i // 2, i % 2))", NULL, "does not begin at 0"},
};

static const sched_row copies[] = {
    {"a map of other axes", AC, MAKE_B USE_C, "reindex_cache_read(C, 0, \"local\", lambda i: (i,))",
     NULL, "takes 1 indices"},
    {"a writer in the same nest", AC, MAKE_B USE_C, "compute_at(B, i2)\nreindex(C, \"B\")", NULL,
     "is in the same nest"},
    {"a writer that comes later", ACD,
     NEST("C", "i2", "j2", "C[vi, vj] = A[vi, vj]") NEST("D", "i3", "j3", "A[vi, vj] = D[vi, vj]"),
     "reindex(C, \"A\")", NULL, "later"},
    {"a condition around", ACD,
     "for i, j in T.grid(8, 8):\n    with T.block(\"D\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi, vj] = T.float32(0)\n"
     "if D[0, 0] > T.float32(0):\n    for i2, j2 in T.grid(8, 8):\n        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i2, j2])\n            C[vi, vj] = A[vi, vj]",
     "reindex(C, \"A\")", NULL, "below a condition"},
    {"one element", AC, MAKE_B NEST("C", "i2", "j2", "C[vi, vj] = B[0, 0]"), "reindex(C, \"B\")",
     NULL, "no axis is in the index"},
    {"two writers", ACD, MAKE_B NEST("E", "i4", "j4", "B[vi, vj] = A[vi, vj]") USE_C,
     "cache_read(C, 0, \"local\")", NULL, "more than one block"},
    {"a consumer that does not read", ACD, MAKE_B USE_C USE_D, "cache_read(C, 0, \"local\", [B])",
     NULL, "not all of consumer_blocks"},
    {"a window whose rounds run at once", AC,
     MAKE_B "for i2, j2 in T.grid(7, 8):\n    with T.block(\"C\"):\n"
            "        vi, vj = T.axis.remap(\"SS\", [i2, j2])\n"
            "        C[vi, vj] = B[vi, vj] + B[vi + 1, vj]",
     "compute_at(B, i2)\nunroll(i2)\nrolling_buffer(B, 0)", NULL, "one after another"},
    {"padding with company", AC,
     "for i in range(8):\n    for j in range(8):\n        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            C[vi, vj] = T.if_then_else(vi < 4, A[vi, vj], T.float32(0))\n"
     "    with T.block(\"E\"):\n        vi = T.axis.spatial(8, i)\n        A[vi, 0] = T.float32(1)",
     "decompose_padding(C, i)", NULL, "not alone in the loop"},
    {"padding with values", AC,
     NEST("C", "i", "j", "C[vi, vj] = T.if_then_else(vi < 4, A[vi, vj], A[0, vj])"),
     "decompose_padding(C, i)", NULL, "is not a number"},
    {"one operand twice", AC,
     "for i, j, k in T.grid(8, 8, 8):\n    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n"
     "            C[vi, vj] = T.float32(0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * A[vj, vk]",
     "pad_einsum(C, [3, 1, 1])", NULL, "by two indices"},
    {"multiples of 0", AC,
     "for i, k in T.grid(8, 8):\n    with T.block(\"C\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            C[vi, 0] = T.float32(0)\n        C[vi, 0] = C[vi, 0] + A[vi, vk]",
     "pad_einsum(C, [0, 1])", NULL, "multiples of 0"},
    {"a prefetch from another block's loop", AC, MAKE_B USE_C,
     "m = blockize(j2)\nprefetch(C, \"B\", i2)", NULL, "another scope"},
};

static void what_moves_must_keep_values(void **state) {
  (void)state;
  sched_check_rows(moves, TN_N_ROWS(moves));
}

static void what_is_joined_must_fit(void **state) {
  (void)state;
  sched_check_rows(inlines, TN_N_ROWS(inlines));
}

static void layouts_must_tell_elements_apart(void **state) {
  (void)state;
  sched_check_rows(layouts, TN_N_ROWS(layouts));
}

static void copies_must_know_what_they_copy(void **state) {
  (void)state;
  sched_check_rows(copies, TN_N_ROWS(copies));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_moves_must_keep_values),
      cmocka_unit_test(what_is_joined_must_fit),
      cmocka_unit_test(layouts_must_tell_elements_apart),
      cmocka_unit_test(copies_must_know_what_they_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
