/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Scratch memory that each round of a parallel loop uses for itself: copies and producers that
 * compute_at has put into the loop, whose text has one buffer for all rounds. What a round does not
 * use for itself alone is refused, and the message says why. */
#include "sched/deps.h"
#include "sched_util.h"

#define CONV_PARAMS                                                                          \
  "A: T.Buffer((18, 18), \"int32\"), W: T.Buffer((3, 3), \"int32\"), C: T.Buffer((16, 16), " \
  "\"int32\")"
#define CONV                                                        \
  "for i, j, a, b in T.grid(16, 16, 3, 3):\n"                       \
  "    with T.block(\"C\"):\n"                                      \
  "        vi, vj, va, vb = T.axis.remap(\"SSRR\", [i, j, a, b])\n" \
  "        with T.init():\n"                                        \
  "            C[vi, vj] = 0\n"                                     \
  "        C[vi, vj] = C[vi, vj] + A[vi + va, vj + vb] * W[va, vb]\n"

#define MATMUL_PARAMS                                                                        \
  "A: T.Buffer((16, 8), \"int32\"), B: T.Buffer((8, 16), \"int32\"), C: T.Buffer((16, 16), " \
  "\"int32\")"
#define MATMUL                                              \
  "for i, j, k in T.grid(16, 16, 8):\n"                     \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = 0\n"                             \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"

#define STENCIL_PARAMS "A: T.Buffer((20,), \"int32\"), B: T.Buffer((16,), \"int32\")"
#define STENCIL                            \
  "P = T.alloc_buffer((20,), \"int32\")\n" \
  "for i in range(20):\n"                  \
  "    with T.block(\"P\"):\n"             \
  "        v = T.axis.spatial(20, i)\n"    \
  "        P[v] = A[v] * 3\n"              \
  "for i in range(16):\n"                  \
  "    with T.block(\"B\"):\n"             \
  "        v = T.axis.spatial(16, i)\n"    \
  "        B[v] = P[v] + P[v + 2] + P[v + 4]\n"

static const sched_row rows[] = {
    {"a copy of a convolution's input for each row of tiles", CONV_PARAMS, CONV,
     "io, ii = split(i, [4, None])\nr = cache_read(C, 0, \"global\")\ncompute_at(r, io)\n"
     "parallel(io)",
     NULL, NULL},
    {"a copy of what every tile of columns uses", MATMUL_PARAMS, MATMUL,
     "jo, ji = split(j, [4, None])\nr = cache_read(C, 0, \"global\")\nreorder(jo, C:i, ji, k)\n"
     "compute_at(r, jo)\nparallel(jo)",
     NULL, NULL},
    {"a packed panel made in a loop over rows", MATMUL_PARAMS, MATMUL,
     "io, ii = split(i, [4, None])\nr = cache_read(C, 1, \"global\")\ncompute_at(r, io)\n"
     "parallel(io)\n",
     NULL, NULL},
    {"a copy two loops further in", MATMUL_PARAMS, MATMUL,
     "io, ii = split(i, [4, None])\njo, ji = split(j, [4, None])\nreorder(io, jo, ii, k, ji)\n"
     "r = cache_read(C, 1, \"global\")\ncompute_at(r, jo)\nparallel(io)",
     NULL, NULL},
    {"a producer with halo", STENCIL_PARAMS, STENCIL,
     "io, ii = split(B:i, [4, None])\ncompute_at(P, io)\nparallel(io)", NULL, NULL},
    {"a producer with halo, computed into a parallel loop", STENCIL_PARAMS, STENCIL,
     "io, ii = split(B:i, [4, None])\nparallel(io)\ncompute_at(P, io)", NULL, NULL},
    {"a reduction into a cell for each round", MATMUL_PARAMS,
     "S = T.alloc_buffer((16,), \"int32\")\n"
     "for i in range(16):\n"
     "    for j, k in T.grid(16, 8):\n"
     "        with T.block(\"S\"):\n"
     "            vj, vk = T.axis.remap(\"SR\", [j, k])\n"
     "            with T.init():\n"
     "                S[vj] = 0\n"
     "            S[vj] = S[vj] + A[i, vk] * B[vk, vj]\n"
     "    for j in range(16):\n"
     "        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            C[vi, vj] = S[vj]\n",
     "parallel(i)", NULL, NULL},
    {"the same with the reduction outside", MATMUL_PARAMS,
     "S = T.alloc_buffer((16,), \"int32\")\n"
     "for i in range(16):\n"
     "    for k, j in T.grid(8, 16):\n"
     "        with T.block(\"S\"):\n"
     "            vj, vk = T.axis.remap(\"SR\", [j, k])\n"
     "            with T.init():\n"
     "                S[vj] = 0\n"
     "            S[vj] = S[vj] + A[i, vk] * B[vk, vj]\n"
     "    for j in range(16):\n"
     "        with T.block(\"C\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            C[vi, vj] = S[vj]\n",
     "i0, i1 = split(i, [4, None])\nparallel(i0)", NULL, NULL},
    {"a running value within a round", STENCIL_PARAMS,
     "P = T.alloc_buffer((5,), \"int32\")\n"
     "for i in range(16):\n"
     "    for k in range(5):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(5, k)\n"
     "            P[vk] = A[i + vk]\n"
     "        with T.block(\"Q\"):\n"
     "            vk = T.axis.reduce(5, k)\n"
     "            T.where(k > 0)\n"
     "            P[vk] = P[vk] + P[vk - 1]\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i)\n"
     "        B[vi] = P[4]\n",
     "parallel(i)", NULL, NULL},
    {"what an earlier round of a shared loop wrote", STENCIL_PARAMS,
     "P = T.alloc_buffer((5,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            T.where(k > 0)\n"
     "            B[vi * 4 + vk] = P[vk - 1]\n",
     "parallel(i)", NULL, NULL},
    {"a view of it", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(4, i)\n"
     "        T.reads(P[0:4])\n"
     "        T.writes(B[vi])\n"
     "        V = T.match_buffer(P[0:4], (4,), \"int32\")\n"
     "        B[vi] = V[0]\n",
     "parallel(i)", NULL, NULL},
    {"steps on memory that rounds have for themselves", STENCIL_PARAMS, STENCIL,
     "io, ii = split(B:i, [4, None])\ncompute_at(P, io)\nparallel(io)\n"
     "r = cache_read(B, 0, \"global\")\nw = cache_write(P, 0, \"global\")\n"
     "transform_layout(P, [\"write\", 0], lambda i: (i // 4, i % 4))",
     NULL, NULL},
    /* refused */
    {"lanes share memory", STENCIL_PARAMS, STENCIL,
     "io, ii = split(B:i, [4, None])\ncompute_at(P, io)\nvectorize(io)", NULL,
     "two rounds of loop 'i_0' touch one element: block 'P' writes 'P'"},
    {"a copy that is used after the loop", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    for k in range(4):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            B[vi * 4 + vk] = P[vk]\n"
     "for k in range(4):\n"
     "    with T.block(\"last\"):\n"
     "        vk = T.axis.spatial(4, k)\n"
     "        B[vk] = P[vk]\n",
     "parallel(i)", NULL, "'P' is not each round's own: block 'last' outside of the loop reads it"},
    {"a copy that is set before the loop", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for k in range(4):\n"
     "    with T.block(\"first\"):\n"
     "        vk = T.axis.spatial(4, k)\n"
     "        P[vk] = 0\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    for k in range(4):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            B[vi * 4 + vk] = P[vk]\n",
     "parallel(i)", NULL, "block 'first' outside of the loop writes it"},
    {"a value that the round before has left", STENCIL_PARAMS,
     "P = T.alloc_buffer((2,), \"int32\")\n"
     "for i in range(16):\n"
     "    with T.block(\"P\"):\n"
     "        vi = T.axis.reduce(16, i)\n"
     "        P[vi % 2] = A[vi]\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.reduce(16, i)\n"
     "        T.where(i > 0)\n"
     "        B[vi] = P[(vi + 1) % 2] + P[vi % 2]\n",
     "parallel(i)", NULL, "block 'B' reads what its round has not written before"},
    {"a sum that runs on in a scratch cell", STENCIL_PARAMS,
     "S = T.alloc_buffer((1,), \"int32\")\n"
     "for i in range(16):\n"
     "    with T.block(\"S\"):\n"
     "        vi = T.axis.reduce(16, i)\n"
     "        with T.init():\n"
     "            S[0] = 0\n"
     "        S[0] = S[0] + A[vi]\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(16, i)\n"
     "        B[vi] = S[0]\n",
     "parallel(i)", NULL, "block 'S' reads what its round has not written before"},
    {"a write that comes after the read", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i, k in T.grid(4, 4):\n"
     "    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "        T.where(i * 4 + k > 3)\n"
     "        B[vi * 4 + vk] = P[vk]\n"
     "    with T.block(\"P\"):\n"
     "        vk = T.axis.reduce(4, k)\n"
     "        P[vk] = A[i * 4 + vk]\n",
     "parallel(i)", NULL, "block 'B' reads what its round has not written before"},
    {"what a later round of a shared loop writes", STENCIL_PARAMS,
     "P = T.alloc_buffer((5,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            T.where(i > 0 and k < 3)\n"
     "            B[vi * 4 + vk] = P[vk + 1]\n",
     "parallel(i)", NULL, "block 'B' reads what its round has not written before"},
    {"half of it is written", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            T.where(i == 0 or k < 2)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    for k in range(4):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            B[vi * 4 + vk] = P[vk]\n",
     "parallel(i)", NULL, "block 'B' reads what its round has not written before"},
    {"a condition from memory decides", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        if i == 0 or A[k] > 0:\n"
     "            with T.block(\"P\"):\n"
     "                vk = T.axis.reduce(4, k)\n"
     "                P[vk] = A[i * 4 + vk]\n"
     "    for k in range(4):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            B[vi * 4 + vk] = P[vk]\n",
     "parallel(i)", NULL, "block 'B' reads what its round has not written before"},
    {"memory of a parameter", "P: T.Buffer((4,), \"int32\"), " STENCIL_PARAMS,
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    for k in range(4):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            B[vi * 4 + vk] = P[vk]\n",
     "parallel(i)", NULL, "two rounds of loop 'i' touch one element: block 'P' writes 'P'"},
};

static void rounds_of_parallel_loops_may_have_memory_of_their_own(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

/* Programs that are no schedule's, some of them wrong: only asked, not run. */
static const sched_row asked[] = {
    {"an inner parallel loop has no earlier round", STENCIL_PARAMS,
     "P = T.alloc_buffer((5,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in T.parallel(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "        with T.block(\"B\"):\n"
     "            vi, vk = T.axis.remap(\"SS\", [i, k])\n"
     "            T.where(k > 0)\n"
     "            B[vi * 4 + vk] = P[vk - 1]\n",
     "i", NULL, "block 'B' reads what its round has not written before"},
    {"a statement outside of blocks reads it", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    B[i] = P[0]\n",
     "i", NULL, "'P' is used outside of blocks as well"},
    {"memory that a pointer leads to", STENCIL_PARAMS,
     "P = T.alloc_buffer((4,), \"int32\")\n"
     "for i in range(4):\n"
     "    for k in range(4):\n"
     "        with T.block(\"P\"):\n"
     "            vk = T.axis.reduce(4, k)\n"
     "            P[vk] = A[i * 4 + vk]\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(4, i)\n"
     "        B[vi] = P[0]\n"
     "T.evaluate(T.call_extern(\"int32\", \"f\", P.data))\n",
     "i", NULL, "'P' is used outside of blocks as well"},
};

static void what_may_touch_memory_is_known(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(asked); ++i) {
    sched_case c;
    print_message("  %s\n", asked[i].name);
    sched_init(&c, asked[i].body, asked[i].params);
    const tn_node *loop = sched_find(&c, asked[i].steps);
    const tn_tree *tree = tn_sched_tree(c.s, loop);
    expect_error(tn_deps_carried(c.s, tree, tn_tree_site(tree, loop), TN_FOR_PARALLEL), TN_INVALID,
                 asked[i].refused);
    sched_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_of_parallel_loops_may_have_memory_of_their_own),
      cmocka_unit_test(what_may_touch_memory_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
