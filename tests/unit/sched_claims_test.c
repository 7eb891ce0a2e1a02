/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* What the indices of a block's axes do not tell: loops, conditions and memory that it knows
 * otherwise, strides that put elements in one place, types that wrap. Each step below would give a
 * wrong program and is refused. */
#include "sched_util.h"

#define AB "A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")"
#define AB2 "A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\")"

static const sched_row rows[] = {
    {"all rounds of a loop that the body knows by itself write one element", AB,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        B[vi - i + 3] = A[vi]",
     "parallel(i)", NULL, "two rounds of loop 'i' touch one element"},
    {"an axis whose range is its loop's round", AB,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial((i, i + 1), i)\n"
     "        B[3] = A[vi]",
     "vectorize(i)", NULL, "two rounds of loop 'i' touch one element"},
    {"a condition that says of an axis what its loop says", AB,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        T.where(vi == i)\n        B[0] = A[vi]",
     "parallel(i)", NULL, "two rounds of loop 'i' touch one element"},
    {"a condition reads what another round writes", AB,
     "for i in range(8):\n    with T.block(\"A\"):\n        vi = T.axis.spatial(8, i)\n"
     "        A[vi] = vi\n"
     "    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        T.where(A[7 - i] > 3)\n        B[vi] = vi",
     "parallel(i)", NULL, "block 'A' writes 'A' and block 'B' reads it"},
    {"a condition reads what the block itself writes", AB,
     "for i in range(8):\n    with T.block(\"A\"):\n        vi = T.axis.spatial(8, i)\n"
     "        T.where(A[7 - i] > 3)\n        A[vi] = 0",
     "parallel(i)", NULL, "two rounds of loop 'i' touch one element"},
    {"an axis is read from what another round writes", AB,
     "for i in range(8):\n    with T.block(\"A\"):\n        vi = T.axis.spatial(8, i)\n"
     "        A[vi] = 7 - vi\n"
     "    with T.block(\"B\"):\n        vi = T.axis.opaque(8, A[7 - i])\n        B[0] = B[0]",
     "parallel(i)", NULL, "block 'A' writes 'A' and block 'B' reads it"},
    {"updates stop by the sum so far", AB2,
     "for i, k in T.grid(8, 8):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vk = T.axis.reduce(8, k)\n"
     "        T.where(k == 0 or B[i, 0] < 5)\n"
     "        with T.init():\n            B[vi, 0] = 0\n        B[vi, 0] = B[vi, 0] + A[vi, vk]",
     "k0, k1 = split(k, [2, 4])\nreorder(k1, k0)", NULL, "would change places"},
    {"a first value where a condition reads what came before", AB2,
     "for i, k in T.grid(8, 8):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vk = T.axis.reduce(8, k)\n"
     "        T.where(B[i, 0] > 0)\n"
     "        with T.init():\n            B[vi, 0] = 0\n        B[vi, 0] = B[vi, 0] + A[vi, vk]",
     "d = decompose_reduction(B, k)", NULL, "the condition or an axis of block 'B' reads memory"},
    {"strides that put rows into each other", AB2,
     "E = T.alloc_buffer((8, 8), \"int32\", strides=[1, 1])\n"
     "for i, j in T.grid(8, 8):\n    E[i, j] = A[i, j]",
     "parallel(i)", NULL, "the strides of 'E' put elements in one place"},
    {"strides that put a block's rows into each other", AB2,
     "E = T.alloc_buffer((8, 8), \"int32\", strides=[7, 1])\n"
     "for i, j in T.grid(8, 8):\n    with T.block(\"E\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        E[vi, vj] = A[vi, vj]",
     "parallel(i)", NULL, "the strides of 'E', which block 'E' writes"},
    {"strides with gaps are no strides of that kind", AB2,
     "E = T.alloc_buffer((8, 8), \"int32\", strides=[9, 1])\n"
     "for i, j in T.grid(8, 8):\n    with T.block(\"E\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        E[vi, vj] = A[vi, vj]",
     "parallel(i)", NULL, NULL},
    {"a name that is laid elsewhere in each round",
     "A: T.Buffer((16,), \"int32\"), B: T.Buffer((8,), \"int32\")",
     "for i in range(8):\n"
     "    V = T.decl_buffer((16,), \"int32\", data=A.data, elem_offset=8 - i)\n"
     "    V[i] = B[i]",
     "parallel(i)", NULL, "where 'V' lies depends on a loop"},
    {"rounds of no loop", "n: T.int32, A: T.Buffer((8,), \"int32\")",
     "for i, j in T.grid(n - 5, n - 5):\n    A[(i + j) % 8] = 1", "fuse(i, j)", NULL,
     "may both be less than 0"},
    {"one of two loops may have less than no round", "n: T.int32, A: T.Buffer((8,), \"int32\")",
     "for i, j in T.grid(n - 5, 8):\n    A[(i + j) % 8] = 1", "fuse(i, j)", NULL, NULL},
    {"sizes of arguments are no less than 0", "a: T.handle",
     "n = T.int64()\nm = T.int64()\nA = T.match_buffer(a, (n, m), \"int32\")\n"
     "for i, j, k in T.grid((n + 3) // 4, m, n * m):\n    A[i, j] = 1",
     "fuse(i, j, k)", NULL, NULL},
    {"a block that writes less than it declares", AB2,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        T.reads(A[vi, 0])\n        T.writes(B[vi, 0:8])\n        B[vi, 0] = A[vi, 0]",
     "cache_write(B, 0, \"global\")", NULL, "is needed that is not written"},
    {"the ends of a row, and nothing between", AB2,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        B[vi, 0] = A[vi, 0]\n        B[vi, 7] = A[vi, 1]",
     "cache_write(B, 0, \"global\")", NULL, "is needed that is not written"},
    {"neighbours in a row", AB2,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        B[vi, 3] = A[vi, 0]\n        B[vi, 4] = A[vi, 1]",
     "cache_write(B, 0, \"global\")", NULL, NULL},
    {"a first value for one of two", AB2,
     "for i, k in T.grid(8, 8):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
     "            B[vi, 0] = 3\n        B[vi, 0] = B[vi, 0] + A[vi, vk]\n"
     "        B[vi, 1] = B[vi, 1] + A[vi, vk]",
     "cache_write(B, 0, \"global\")", NULL, "is needed that is not written"},
    {"a factor that is the sum itself", AB2,
     "for i, j, k in T.grid(8, 8, 8):\n    with T.block(\"B\"):\n"
     "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n"
     "            B[vi, vj] = 1\n        B[vi, vj] = B[vi, vj] + B[vi, vj] * A[vk, vj]",
     "pad_einsum(B, [1, 3, 1])", NULL, "its products read what it writes"},
    {"an index that wraps", "A: T.Buffer((256,), \"int32\"), B: T.Buffer((256,), \"int32\")",
     "for i in T.serial(T.uint8(0), T.uint8(200)):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(T.uint8(200), i)\n"
     "        B[vi * T.uint8(2)] = T.Cast(\"int32\", vi)",
     "parallel(i)", NULL, "an index that is not affine"},
};

static void what_indices_do_not_tell_is_asked_too(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    sched_case c;
    print_message("  %s\n", rows[i].name);
    sched_init(&c, rows[i].body, rows[i].params);
    const char *last = strrchr(rows[i].steps, '\n');
    if (last != NULL) {
      char *first = strndup(rows[i].steps, (size_t)(last - rows[i].steps));
      sched_run(&c, first);
      free(first);
    }
    last = last == NULL ? rows[i].steps : last + 1;
    if (rows[i].refused == NULL) {
      sched_run(&c, last);
    } else {
      sched_expect_refused(&c, last, rows[i].refused);
    }
    sched_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_indices_do_not_tell_is_asked_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
