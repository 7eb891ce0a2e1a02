/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Primitives on loops: what they make of a program, that it computes the same, and what each refuses
 * and why. */
#include "sched_util.h"

#define AB16 "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")"
#define ADD16                            \
  "for i in range(16):\n"                \
  "    with T.block(\"B\"):\n"           \
  "        vi = T.axis.spatial(16, i)\n" \
  "        B[vi] = A[vi] + T.float32(1)"

#define AB20 "A: T.Buffer((20,), \"float32\"), B: T.Buffer((20,), \"float32\")"
#define ADD20                            \
  "for i in range(20):\n"                \
  "    with T.block(\"B\"):\n"           \
  "        vi = T.axis.spatial(20, i)\n" \
  "        B[vi] = A[vi] + T.float32(1)"

#define SYMBOLIC "a: T.handle, b: T.handle"
#define ADDN                                   \
  "n = T.int64()\n"                            \
  "A = T.match_buffer(a, (n,), \"float32\")\n" \
  "B = T.match_buffer(b, (n,), \"float32\")\n" \
  "for i in range(n):\n"                       \
  "    with T.block(\"B\"):\n"                 \
  "        vi = T.axis.spatial(n, i)\n"        \
  "        B[vi] = A[vi] + T.float32(1)"
#define MATCHN                    \
  "n = T.int64()\n"               \
  "A = T.match_buffer(a, (n,))\n" \
  "B = T.match_buffer(b, (n,))\n"

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

#define RW(i) "        T.reads(A[" i "])\n        T.writes(B[" i "])\n"
#define BODY "        B[vi] = A[vi] + T.float32(1.0)"

/* 21 loops, the last one of sixteen rounds. */
#define ONES(loop) \
  "split(" loop ", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 16])"

static const sched_row splits[] = {
    {"factors that divide", AB16, ADD16, "i_0, i_1 = split(i, [None, 4])",
     "for i_0, i_1 in T.grid(4, 4):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i_0 * 4 + i_1)\n" RW("vi") BODY,
     NULL},
    {"three factors", AB16, ADD16, "split(i, [2, None, 4])",
     "for i_0, i_1, i_2 in T.grid(2, 2, 4):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i_0 * 8 + i_1 * 4 + i_2)\n" RW("vi") BODY,
     NULL},
    {"factors that do not divide", AB20, ADD20, "split(i, [None, 8])",
     "for i_0, i_1 in T.grid(3, 8):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(20, i_0 * 8 + i_1)\n"
     "        T.where(i_0 * 8 + i_1 < 20)\n" RW("vi") BODY,
     NULL},
    {"a factor larger than the extent", AB16, ADD16, "split(i, [None, 32])",
     "for i_0, i_1 in T.grid(1, 32):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i_0 * 32 + i_1)\n"
     "        T.where(i_0 * 32 + i_1 < 16)\n" RW("vi") BODY,
     NULL},
    {"all factors given, more than needed", AB20, ADD20, "split(i, [4, 6])", NULL, NULL},
    {"loops of one round stay in the bindings", AB16, ADD16, "split(i, [16, 1])",
     "for i_0, i_1 in T.grid(16, 1):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i_0 + i_1)\n" RW("vi") BODY,
     NULL},
    {"loops of one round leave the bindings", AB16, ADD16,
     "split(i, [16, 1], preserve_unit_iters=False)",
     "for i_0, i_1 in T.grid(16, 1):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.remap(\"S\", [i_0])\n" RW("vi") BODY,
     NULL},
    {"a symbolic extent", SYMBOLIC, ADDN, "split(i, [None, 8])",
     MATCHN "for i_0, i_1 in T.grid((n + T.int64(7)) // T.int64(8), T.int64(8)):\n"
            "    with T.block(\"B\"):\n"
            "        vi = T.axis.spatial(n, i_0 * T.int64(8) + i_1)\n"
            "        T.where(i_0 * T.int64(8) + i_1 < n)\n" RW("vi") BODY,
     NULL},
    {"a split of a split with rests", AB20, ADD20,
     "a, b = split(i, [None, 6])\nsplit(b, [None, 4])\nsplit(a, [3, None])", NULL, NULL},
    {"statements outside of blocks get an if", AB20,
     "for i in range(20):\n    B[i] = A[i] + T.float32(1)", "split(i, [None, 8])",
     "for i_0, i_1 in T.grid(3, 8):\n"
     "    if i_0 * 8 + i_1 < 20:\n"
     "        B[i_0 * 8 + i_1] = A[i_0 * 8 + i_1] + T.float32(1.0)",
     NULL},
    {"bindings that read memory get an if", AB20 ", P: T.Buffer((20,), \"int32\")",
     "for i in range(20):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(20, i)\n"
     "        v = T.axis.opaque(20, P[i] * 0 + i)\n        B[vi] = A[v]",
     "split(i, [None, 8])", NULL, NULL},
    {"a loop that does not begin at 0", AB20,
     "for i in range(3, 14):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(20, i)\n"
     "        B[vi] = A[vi] + T.float32(1)",
     "split(i, [None, 4])", NULL, NULL},
    {"the loop of a reduction with a rest", MM, MATMUL, "split(k, [None, 5])\nsplit(j, [None, 4])",
     NULL, NULL},
    {"an inner loop that depends on it", AB20,
     "for i in range(5):\n    for j in range(i + 1):\n        with T.block(\"B\"):\n"
     "            vi = T.axis.spatial(20, i * 4)\n            vj = T.axis.reduce(20, j)\n"
     "            with T.init():\n                B[vi] = T.float32(0)\n"
     "            B[vi] = B[vi] + A[vj]",
     "split(i, [None, 2])", NULL, NULL},
    {"a parallel loop loses its mark", AB16, ADD16, "parallel(i)\nsplit(i, [4, 4])", NULL, NULL},
    {"products that are too small", AB20, ADD20, "split(i, [4, 4])", NULL,
     "split: loop 'i': the product of the factors, 16, does not reach its extent, 20\n  hint: "
     "leave"},
    {"products that may be too small", SYMBOLIC, ADDN, "split(i, [4, 4])", NULL,
     "the product of the factors, 16, does not reach its extent, n"},
    {"two factors to find", AB20, ADD20, "split(i, [None, None])", NULL, "two factors are None"},
    {"no factors", AB20, ADD20, "split(i, [])", NULL, "there are no factors"},
    {"factors of nothing", AB20, ADD20, "split(i, [None, 0])", NULL, "factor 0 is not positive"},
    {"negative factors", AB20, ADD20, "split(i, [-4, -5])", NULL, "factor -4 is not positive"},
    {"factors that overflow", AB20, ADD20, "split(i, [65536, 65536])", NULL,
     "is more than its type counts"},
    {"factors that overflow 64 bits", SYMBOLIC, ADDN,
     "split(i, [None, 2147483647, 2147483647, 2147483647])", NULL, "is more than its type counts"},
    {"a rest with predicates disabled", AB20, ADD20,
     "split(i, [None, 8], disable_predication=True)", NULL, "is disabled"},
    {"no rest with predicates disabled", AB16, ADD16,
     "split(i, [None, 8], disable_predication=True)", NULL, NULL},
    {"too many loops", AB16, ADD16,
     ONES("i") "\n" ONES("i_20") "\n" ONES("i_20_20") "\n" ONES("i_20_20_20"), NULL,
     "more than 64 loops around a block"},
    {"too many loops with one more", AB16, ADD16,
     ONES("i") "\n" ONES("i_20") "\n" ONES(
         "i_20_20") "\nsplit(i_20_20_20, [1, 1, 1, 16])\nadd_unit_loop(B)",
     NULL, "more than 64 loops around a block"},
    {"rounded up, it overflows", "A: T.Buffer((1,), \"int32\")",
     "for z in range(0):\n    for i in range(2147483647):\n        A[0] = i", "split(i, [None, 2])",
     NULL, "is more than its type counts"},
    {"an annotated loop", AB16, ADD16, "annotate(i, \"k\", 1)\nsplit(i, [4, 4])", NULL,
     "loop 'i': it has the annotation 'k', which would be lost"},
    {"a thread", AB16, ADD16, "bind(i, \"threadIdx.x\")\nsplit(i, [4, 4])", NULL,
     "it is bound to thread 'threadIdx.x'"},
    {"a loop with a break", AB16,
     "for i in range(16):\n    B[i] = A[i]\n    if A[i] > T.float32(1):\n        break",
     "split(i, [4, 4])", NULL, "a break or continue leaves its rounds early"},
    {"a bound that the body writes", "P: T.Buffer((1,), \"int32\"), A: T.Buffer((8,), \"int32\")",
     "P[0] = 5\nfor i in range(P[0]):\n    A[i] = i\n    P[0] = 1", "split(i, [None, 4])", NULL,
     "its bounds read memory that its body may write"},
    {"a bound that stays", "P: T.Buffer((1,), \"int32\"), A: T.Buffer((8,), \"int32\")",
     "P[0] = 5\nfor i in range(P[0]):\n    A[i] = i", "split(i, [None, 4])", NULL, NULL},
};

static void splits_have_the_same_rounds(void **state) {
  (void)state;
  sched_check_rows(splits, TN_N_ROWS(splits));
}

static const sched_row fuses[] = {
    {"two of three", MM, MATMUL, "fuse(i, j)",
     "for i_j_fused, k in T.grid(80, 12):\n"
     "    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(8, i_j_fused // 10)\n"
     "        vj = T.axis.spatial(10, i_j_fused % 10)\n"
     "        vk = T.axis.reduce(12, k)\n"
     "        T.reads(A[vi, vk], B[vk, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"all three", MM, MATMUL, "x = fuse(i, j, k)\nsplit(x, [None, 7])", NULL, NULL},
    {"a split and fused again", AB16, ADD16, "a, b = split(i, [None, 4])\nfuse(a, b)",
     "for i_0_i_1_fused in range(16):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.remap(\"S\", [i_0_i_1_fused])\n" RW("vi") BODY,
     NULL},
    {"with a rest", AB20, ADD20, "a, b = split(i, [None, 8])\nfuse(a, b)", NULL, NULL},
    {"one alone", AB16, ADD16, "fuse(i)", NULL, NULL},
    {"of symbolic extents", SYMBOLIC, ADDN,
     "a, b = split(i, [None, 8])\nx = fuse(a, b)\nparallel(x)", NULL, NULL},
    {"loops that do not begin at 0", "A: T.Buffer((8, 9), \"float32\")",
     "for i in range(2, 6):\n    for j in range(1, 4):\n        with T.block(\"A\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            A[vi, vj] = T.float32(1)",
     "fuse(i, j)", NULL, NULL},
    {"statements outside of blocks", "A: T.Buffer((4, 5), \"int32\")",
     "for i, j in T.grid(4, 5):\n    A[i, j] = i * 10 + j", "fuse(i, j)", NULL, NULL},
    {"in the wrong order", MM, MATMUL, "fuse(j, i)", NULL,
     "fuse: loop 'i': it is not the only statement in loop 'j'"},
    {"with one left out", MM, MATMUL, "fuse(i, k)", NULL,
     "loop 'k': it is not the only statement in loop 'i'"},
    {"twice the same", MM, MATMUL, "fuse(i, i)", NULL, "it is named twice"},
    {"none", MM, MATMUL, "fuse(loops=[])", NULL, "it takes 1 to 64 loops, not 0"},
    {"a loop beside", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    for j in range(5):\n        A[i, j] = 1\n    A[i, 0] = 2",
     "fuse(i, j)", NULL, "it is not the only statement in loop 'i'"},
    {"an inner extent that depends", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    for j in range(i + 1):\n        A[i, j] = 1", "fuse(i, j)", NULL,
     "loop 'j': its bounds depend on loop 'i'"},
    {"an annotation", MM, MATMUL, "annotate(j, \"k\", 1)\nfuse(i, j)", NULL,
     "loop 'j': it has the annotation 'k'"},
    {"a thread", MM, MATMUL, "bind(j, \"threadIdx.x\")\nfuse(i, j)", NULL,
     "loop 'j': it is bound to thread 'threadIdx.x'"},
    {"too many rounds", "A: T.Buffer((1,), \"int32\")",
     "for i, j in T.grid(0, 1):\n    for k, l in T.grid(65536, 65536):\n        A[0] = 1",
     "fuse(k, l)", NULL, "the fused loop has more rounds than its type counts"},
};

static void fused_loops_have_the_same_rounds(void **state) {
  (void)state;
  sched_check_rows(fuses, TN_N_ROWS(fuses));
}

static const sched_row reorders[] = {
    {"a permutation", MM, MATMUL, "reorder(k, i)",
     "for k, j, i in T.grid(12, 10, 8):\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(A[vi, vk], B[vk, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"tiles", MM, MATMUL,
     "a, b = split(i, [None, 4])\nc, d = split(j, [None, 5])\ne, f = split(k, [None, 4])\n"
     "reorder(a, c, e, b, f, d)",
     "for i_0, j_0, k_0, i_1, k_1, j_1 in T.grid(2, 2, 3, 4, 4, 5):\n"
     "    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(8, i_0 * 4 + i_1)\n"
     "        vj = T.axis.spatial(10, j_0 * 5 + j_1)\n"
     "        vk = T.axis.reduce(12, k_0 * 4 + k_1)\n"
     "        T.reads(A[vi, vk], B[vk, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        with T.init():\n"
     "            C[vi, vj] = T.float32(0.0)\n"
     "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"tiles with rests", MM, MATMUL,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 4])\ne, f = split(k, [None, 5])\n"
     "reorder(a, c, e, b, f, d)",
     NULL, NULL},
    {"nothing changes", MM, MATMUL, "reorder(i, k)", NULL, NULL},
    {"one alone", MM, MATMUL, "reorder(j)", NULL, NULL},
    {"the tiles of a reduction in another order", MM, MATMUL,
     "a, b = split(k, [None, 4])\nreorder(b, a)", NULL, NULL},
    {"the same after its first value went out", MM, MATMUL,
     "a, b = split(k, [None, 4])\ndecompose_reduction(C, a)\nreorder(b, a)", NULL, NULL},
    {"a reduction that reads itself by another name",
     "A: T.Buffer((4,), \"int32\"), C: T.Buffer((6,), \"int32\")",
     "V = T.decl_buffer((6,), \"int32\", data=C.data)\nfor i, k in T.grid(6, 4):\n"
     "    with T.block(\"C\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            C[vi] = 1\n        C[vi] = C[vi] + V[vi] * A[vk] + 1",
     "split(k, [2, 2])\nreorder(k_1, k_0)", NULL,
     "two accesses to one element would change places"},
    {"a reduction that reads itself by a view",
     "A: T.Buffer((4,), \"int32\"), C: T.Buffer((6,), \"int32\")",
     "for i, k in T.grid(6, 4):\n"
     "    with T.block(\"C\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        V = T.match_buffer(C[vi], (1,), \"int32\")\n"
     "        with T.init():\n            C[vi] = 1\n        C[vi] = C[vi] + V[0] * A[vk] + 1",
     "split(k, [2, 2])\nreorder(k_1, k_0)", NULL,
     "two accesses to one element would change places"},
    {"statements without dependence", "A: T.Buffer((4, 5), \"int32\")",
     "for i, j in T.grid(4, 5):\n    A[i, j] = i * 10 + j", "reorder(j, i)", NULL, NULL},
    {"a wavefront that may", "A: T.Buffer((6, 6), \"int32\")",
     "for i, j in T.grid(5, 5):\n    A[i + 1, j + 1] = A[i, j] + 1", "reorder(j, i)", NULL, NULL},
    {"a wavefront that may not", "A: T.Buffer((6, 6), \"int32\")",
     "for i, j in T.grid(5, 5):\n    A[i + 1, j] = A[i, j + 1] + 1", "reorder(j, i)", NULL,
     "reorder: two accesses to one element would change places"},
    {"not in one nest", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    for j in range(5):\n        A[i, j] = 1\n    A[i, 0] = 2",
     "reorder(j, i)", NULL, "loop 'j': it is not in one nest with loop 'i': below loop 'i' stands"},
    {"of two nests", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    A[i, 0] = 1\nfor j in range(5):\n    A[0, j] = 1", "reorder(j, i)",
     NULL, "it is not in one nest with loop"},
    {"a bound that depends", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    for j in range(i + 1):\n        A[i, j] = 1", "reorder(j, i)", NULL,
     "loop 'j': its bounds depend on loop 'i', which would be inside of it"},
    {"a loop with a break", "A: T.Buffer((4, 5), \"int32\")",
     "for i in range(4):\n    for j in range(5):\n        A[i, j] = 1\n"
     "        if A[i, j] > 3:\n            break",
     "reorder(j, i)", NULL, "a break or continue leaves its rounds early"},
    {"twice the same", MM, MATMUL, "reorder(i, i)", NULL, "it is named twice"},
    {"a parallel loop that comes out too far", "A: T.Buffer((6, 6), \"int32\")",
     "for i, j in T.grid(5, 5):\n    A[i + 1, j + 1] = A[i, j] + 1", "parallel(j)\nreorder(j, i)",
     NULL, "reorder: two rounds of loop 'j' touch one element"},
    {"axes of a block", MM, MATMUL, "reorder_block_iter_var(C, [2, 0, 1])", NULL, NULL},
    {"axes with one twice", MM, MATMUL, "reorder_block_iter_var(C, [2, 0, 0])", NULL,
     "axis number 0 is named twice"},
    {"axes that are not there", MM, MATMUL, "reorder_block_iter_var(C, [2, 0, 3])", NULL,
     "there is no axis number 3"},
    {"too few axes", MM, MATMUL, "reorder_block_iter_var(C, [1, 0])", NULL,
     "it has 3 axes; the order has 2"},
    {"a loop around the root", "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")",
     "X = T.alloc_buffer((16,))\nfor i in range(16):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i)\n        X[vi] = A[vi]\n        B[vi] = X[vi]",
     "add_unit_loop(root)", NULL, "the root block has no loops around it"},
    {"a loop of one round", AB16, ADD16, "add_unit_loop(i)\nadd_unit_loop(B)",
     "for u, i, u_1 in T.grid(1, 16, 1):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.remap(\"S\", [i])\n" RW("vi") BODY,
     NULL},
};

static void loops_of_two_functions_do_not_mix(void **state) {
  (void)state;
  sched_case c;
  sched_init_text(&c, "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    for i in range(4):\n"
                      "        with T.block(\"A\"):\n            vi = T.axis.spatial(4, i)\n"
                      "            A[vi] = 1\n"
                      "@T.prim_func\ndef g(B: T.Buffer((4,), \"int32\")):\n    for j in range(4):\n"
                      "        with T.block(\"B\"):\n            vi = T.axis.spatial(4, j)\n"
                      "            B[vi] = 1\n");
  sched_expect_refused(&c, "fuse(i, j)", "loop 'j': it is not in the same function as loop 'i'");
  sched_expect_refused(&c, "reorder(j, i)", "it is not in the same function as loop 'j'");
  sched_expect_refused(&c, "merge(i, j)", "it is not beside loop 'i'");
  sched_expect_refused(&c, "decompose_reduction(A, j)", "it is in another function");
  sched_deinit(&c);
}

static void reordered_loops_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(reorders, TN_N_ROWS(reorders));
}

#define SCAN "for i in range(15):\n    with T.block(\"B\"):\n        vi = T.axis.opaque(16, i)\n"

static const sched_row marks[] = {
    {"parallel", MM, MATMUL, "parallel(i)", NULL, NULL},
    {"all three kinds", MM, MATMUL, "reorder(k, j)\nparallel(i)\nunroll(k)\nvectorize(j)",
     "for i in T.parallel(8):\n"
     "    for k in T.unroll(12):\n"
     "        for j in T.vectorized(10):\n"
     "            with T.block(\"C\"):\n"
     "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "                T.reads(A[vi, vk], B[vk, vj])\n"
     "                T.writes(C[vi, vj])\n"
     "                with T.init():\n"
     "                    C[vi, vj] = T.float32(0.0)\n"
     "                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]",
     NULL},
    {"vectorized tiles with rests", MM, MATMUL,
     "a, b = split(j, [None, 4])\nreorder(k, b)\nvectorize(b)\nparallel(i)", NULL, NULL},
    {"a fused nest", MM, MATMUL, "parallel(i)\nx = fuse(i, j)\nparallel(x)", NULL, NULL},
    {"the loop of a reduction, parallel", MM, MATMUL, "parallel(k)", NULL,
     "parallel: two rounds of loop 'k' touch one element"},
    {"the loop of a reduction, as lanes", MM, MATMUL, "vectorize(k)", NULL,
     "vectorize: two rounds of loop 'k' touch one element"},
    {"the loop of a reduction, as threads", MM, MATMUL, "bind(k, \"threadIdx.x\")", NULL,
     "bind: two rounds of loop 'k' touch one element"},
    {"a recurrence", AB16, SCAN "        B[vi + 1] = B[vi] + A[vi]", "parallel(i)", NULL,
     "two rounds of loop 'i' touch one element"},
    {"an extent that is not known", SYMBOLIC, ADDN, "vectorize(i)", NULL,
     "loop 'i': its extent is not known, and lanes are counted\n  hint: split it first"},
    {"too many lanes", "A: T.Buffer((257,), \"int32\")", "for i in range(257):\n    A[i] = i",
     "vectorize(i)", NULL, "its extent, 257, is more than"},
    {"inside of a vectorized loop", MM, MATMUL, "vectorize(i)\nvectorize(j)", NULL,
     "loop 'j': the loop 'i' around it is vectorized already"},
    {"around a vectorized loop", MM, MATMUL, "vectorize(j)\nvectorize(i)", NULL,
     "loop 'i': the loop 'j' inside of it is vectorized already"},
    {"around a parallel loop", MM, MATMUL, "parallel(j)\nvectorize(i)", NULL,
     "loop 'i': the loop 'j' inside of it is parallel"},
    {"around a thread", MM, MATMUL, "bind(j, \"threadIdx.x\")\nvectorize(i)", NULL,
     "loop 'i': the loop 'j' inside of it is bound to a thread"},
    {"parallel inside of a vectorized loop", MM, MATMUL, "vectorize(i)\nparallel(j)", NULL,
     "loop 'j': the loop 'i' around it is vectorized"},
    {"marks on a thread", MM, MATMUL, "bind(j, \"threadIdx.x\")\nparallel(j)", NULL,
     "it is bound to thread 'threadIdx.x'"},
    {"a loop with a break", AB16,
     "for i in range(16):\n    B[i] = A[i]\n    if A[i] > T.float32(1):\n        break",
     "unroll(i)", NULL, "a break or continue leaves its rounds early"},
    {"no axis of threads", MM, MATMUL, "bind(i, \"thread\")", NULL,
     "'thread' is no axis of threads"},
    {"the same thread twice", MM, MATMUL, "bind(i, \"threadIdx.x\")\nbind(j, \"threadIdx.x\")",
     NULL, "loop 'j': the loop 'i' around it is bound to 'threadIdx.x' already"},
    {"annotations", AB16, ADD16,
     "annotate(i, \"a\", 1)\nannotate(i, \"b\", \"x\")\nannotate(i, \"a\", 2)\n"
     "unannotate(i, \"b\")\nannotate(B, \"c\", 3)",
     "for i in T.serial(16, annotations={\"a\": 2}):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.remap(\"S\", [i])\n"
     "        T.reads(A[vi])\n        T.writes(B[vi])\n"
     "        T.block_attr({\"c\": 3})\n" BODY,
     NULL},
    {"the last annotation goes", AB16, ADD16, "annotate(i, \"a\", 1)\nunannotate(i, \"a\")",
     "for i in range(16):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.remap(\"S\", [i])\n" RW("vi") BODY,
     NULL},
    {"an annotation that is not there", AB16, ADD16, "unannotate(i, \"a\")", NULL,
     "unannotate: loop 'i': it has no annotation 'a'"},
};

static void marks_are_refused_where_rounds_touch(void **state) {
  (void)state;
  sched_check_rows(marks, TN_N_ROWS(marks));
}

#define TWO                                                                                 \
  "A: T.Buffer((8, 12), \"int32\"), B: T.Buffer((8, 12), \"int32\"), C: T.Buffer((8, 12), " \
  "\"int32\")"
#define NEST(block, i, j, to, value)                                       \
  "for " i ", " j " in T.grid(8, 12):\n    with T.block(\"" block "\"):\n" \
  "        vi, vj = T.axis.remap(\"SS\", [" i ", " j "])\n        " to "[vi, vj] = " value

static const sched_row sequences[] = {
    {"two runs and what is left", AB20, ADD20, "a, b, c = loop_partition(i, [2, 8])\nparallel(c)",
     "with T.block(\"B_i_common\"):\n"
     "    T.reads(A[0:20])\n"
     "    T.writes(B[0:20])\n"
     "    with T.block(\"B_i0_partition\"):\n"
     "        T.reads(A[0:2])\n"
     "        T.writes(B[0:2])\n"
     "        for i0 in range(2):\n"
     "            with T.block(\"B_i0\"):\n"
     "                vi = T.axis.spatial(20, i0)\n"
     "                T.reads(A[vi])\n"
     "                T.writes(B[vi])\n"
     "                B[vi] = A[vi] + T.float32(1.0)\n"
     "    with T.block(\"B_i1_partition\"):\n"
     "        T.reads(A[2:10])\n"
     "        T.writes(B[2:10])\n"
     "        for i1 in range(2, 10):\n"
     "            with T.block(\"B_i1\"):\n"
     "                vi = T.axis.spatial(20, i1)\n"
     "                T.reads(A[vi])\n"
     "                T.writes(B[vi])\n"
     "                B[vi] = A[vi] + T.float32(1.0)\n"
     "    with T.block(\"B_i2_partition\"):\n"
     "        T.reads(A[10:20])\n"
     "        T.writes(B[10:20])\n"
     "        for i2 in T.parallel(10, 20):\n"
     "            with T.block(\"B_i2\"):\n"
     "                vi = T.axis.spatial(20, i2)\n"
     "                T.reads(A[vi])\n"
     "                T.writes(B[vi])\n"
     "                B[vi] = A[vi] + T.float32(1.0)",
     NULL},
    {"one run to be found", AB20, ADD20, "a, b, c = loop_partition(i, [2, None, 3])", NULL, NULL},
    {"runs that are all", AB20, ADD20, "a, b = loop_partition(i, [12, 8])", NULL, NULL},
    {"runs of a reduction", MM, MATMUL,
     "a, b = loop_partition(k, [5])\nc, d = loop_partition(i, [3])", NULL, NULL},
    {"a symbolic extent", SYMBOLIC, ADDN, "a, b = loop_partition(i, [4])", NULL,
     "the lengths sum up to 4, which may be more than its extent"},
    {"all of a symbolic extent", SYMBOLIC, ADDN,
     "a, b = split(i, [None, 8])\nc, d = loop_partition(b, [3])", NULL, NULL},
    {"statements outside of blocks", AB20, "for i in range(20):\n    B[i] = A[i] + T.float32(1)",
     "a, b = loop_partition(i, [None, 8])",
     "for i0 in range(12):\n    B[i0] = A[i0] + T.float32(1.0)\n"
     "for i1 in range(12, 20):\n    B[i1] = A[i1] + T.float32(1.0)",
     NULL},
    {"lengths that are too much", AB20, ADD20, "loop_partition(i, [12, 9])", NULL,
     "the lengths sum up to 21, which may be more than its extent"},
    {"two to be found", AB20, ADD20, "loop_partition(i, [None, None])", NULL,
     "two lengths are None"},
    {"a length of nothing", AB20, ADD20, "loop_partition(i, [0])", NULL,
     "length 0 is not positive"},
    {"no lengths", AB20, ADD20, "loop_partition(i, [])", NULL, "it takes 1 to 15 lengths, not 0"},
    {"an annotated loop", AB20, ADD20, "annotate(i, \"k\", 1)\nloop_partition(i, [5])", NULL,
     "it has the annotation 'k'"},
    {"two nests", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(i, x)",
     "for i_m in range(8):\n"
     "    for j in range(12):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i_m, j])\n"
     "            T.reads(A[vi, vj])\n"
     "            T.writes(B[vi, vj])\n"
     "            B[vi, vj] = A[vi, vj]\n"
     "    for y in range(12):\n"
     "        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i_m, y])\n"
     "            T.reads(B[vi, vj])\n"
     "            T.writes(C[vi, vj])\n"
     "            C[vi, vj] = B[vi, vj]",
     NULL},
    {"two nests, both loops", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(j, y)",
     "for i_m, j_m in T.grid(8, 12):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i_m, j_m])\n"
     "        T.reads(A[vi, vj])\n"
     "        T.writes(B[vi, vj])\n"
     "        B[vi, vj] = A[vi, vj]\n"
     "    with T.block(\"C\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i_m, j_m])\n"
     "        T.reads(B[vi, vj])\n"
     "        T.writes(C[vi, vj])\n"
     "        C[vi, vj] = B[vi, vj]",
     NULL},
    {"three nests", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]") "\n" NEST(
         "A", "p", "q", "A", "C[vi, vj] + B[vi, vj]"),
     "m = merge(i, x, p)", NULL, NULL},
    {"one nest twice", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(i, x, x)", NULL, "loop 'x': it is named twice"},
    {"a row that comes too late", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[7 - vi, vj]"),
     "m = merge(i, x)", NULL, "merge: "},
    {"another extent", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\nfor x in range(7):\n    with T.block(\"C\"):\n       "
                                           " vi = T.axis.spatial(8, x)\n"
                                           "        C[vi, 0] = 1",
     "m = merge(i, x)", NULL, "loop 'x' has other bounds than loop 'i'"},
    {"another depth", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(i, y)", NULL, "it is loop number 2 of its nest, the first one number 1"},
    {"not neighbours", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\nC[0, 0] = 1\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(i, x)", NULL, "loop 'x': it does not come right after loop 'i'"},
    {"in the wrong order", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "m = merge(x, i)", NULL, "loop 'i': it does not come right after loop 'x'"},
    {"one inside of the other", TWO, NEST("B", "i", "j", "B", "A[vi, vj]"), "m = merge(i, j)", NULL,
     "loop 'j': it is not beside loop 'i'"},
    {"one alone", TWO, NEST("B", "i", "j", "B", "A[vi, vj]"), "m = merge(i)", NULL,
     "it takes at least two loops"},
    {"more than loops between", TWO,
     "for i in range(8):\n    A[i, 0] = 1\n    for j in range(12):\n        B[i, j] = A[i, j]\n"
     "for x in range(8):\n    for y in range(12):\n        C[x, y] = B[x, y]",
     "m = merge(j, y)", NULL, "loop 'j': more than loops stands between it"},
    {"an annotation", TWO,
     NEST("B", "i", "j", "B", "A[vi, vj]") "\n" NEST("C", "x", "y", "C", "B[vi, vj]"),
     "annotate(x, \"k\", 1)\nm = merge(i, x)", NULL, "loop 'x': it has the annotation 'k'"},
};

static void sequences_of_loops_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(sequences, TN_N_ROWS(sequences));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splits_have_the_same_rounds),
      cmocka_unit_test(fused_loops_have_the_same_rounds),
      cmocka_unit_test(loops_of_two_functions_do_not_mix),
      cmocka_unit_test(reordered_loops_compute_the_same),
      cmocka_unit_test(sequences_of_loops_compute_the_same),
      cmocka_unit_test(marks_are_refused_where_rounds_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
