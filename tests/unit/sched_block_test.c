/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Nests that become blocks, and blocks that become intrinsics: what comes out, that it computes the
 * same, what is refused and why. */
#include "sched_util.h"

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
#define AB "A: T.Buffer((8, 12), \"float32\"), B: T.Buffer((8, 12), \"float32\")"
#define DOUBLE                                      \
  "for i, j in T.grid(8, 12):\n"                    \
  "    with T.block(\"B\"):\n"                      \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
  "        B[vi, vj] = A[vi, vj] * T.float32(2)"

static const sched_row rows[] = {
    {"tiles", AB, DOUBLE,
     "a, b = split(i, [None, 4])\nc, d = split(j, [None, 6])\nreorder(a, c, b, d)\nx = blockize(b)",
     "for i_0, j_0 in T.grid(2, 2):\n"
     "    with T.block(\"B_o\"):\n"
     "        vi_o, vj_o = T.axis.remap(\"SS\", [i_0, j_0])\n"
     "        T.reads(A[vi_o * 4:vi_o * 4 + 4, vj_o * 6:vj_o * 6 + 6])\n"
     "        T.writes(B[vi_o * 4:vi_o * 4 + 4, vj_o * 6:vj_o * 6 + 6])\n"
     "        for i_1, j_1 in T.grid(4, 6):\n"
     "            with T.block(\"B\"):\n"
     "                vi_i, vj_i = T.axis.remap(\"SS\", [i_1, j_1])\n"
     "                T.reads(A[vi_o * 4 + vi_i, vj_o * 6 + vj_i])\n"
     "                T.writes(B[vi_o * 4 + vi_i, vj_o * 6 + vj_i])\n"
     "                B[vi_o * 4 + vi_i, vj_o * 6 + vj_i] = A[vi_o * 4 + vi_i, vj_o * 6 + vj_i] * "
     "T.float32(2.0)",
     NULL},
    {"tiles with rests", AB, DOUBLE,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 5])\nreorder(a, c, b, d)\nx = blockize(b)",
     NULL, NULL},
    {"tiles with rests, outside too", AB, DOUBLE,
     "a, b, e = split(i, [2, 2, 3])\nc, d = split(j, [None, 5])\nreorder(a, b, c, e, d)\n"
     "x = blockize(e)",
     NULL, NULL},
    {"the outermost loop", AB, DOUBLE, "x = blockize(i)", NULL, NULL},
    {"the outermost loop, without axes of one step", AB, DOUBLE,
     "x = blockize(i, preserve_unit_iters=False)",
     "with T.block(\"B_o\"):\n"
     "    T.reads(A[0:8, 0:12])\n"
     "    T.writes(B[0:8, 0:12])\n"
     "    for i, j in T.grid(8, 12):\n"
     "        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            T.reads(A[vi, vj])\n"
     "            T.writes(B[vi, vj])\n"
     "            B[vi, vj] = A[vi, vj] * T.float32(2.0)",
     NULL},
    {"the innermost loop: an axis stays whole", AB, DOUBLE, "x = blockize(j)",
     "for i in range(8):\n"
     "    with T.block(\"B_o\"):\n"
     "        vi = T.axis.spatial(8, i)\n"
     "        vj_o = T.axis.spatial(1, 0)\n"
     "        T.reads(A[vi, vj_o * 12:vj_o * 12 + 12])\n"
     "        T.writes(B[vi, vj_o * 12:vj_o * 12 + 12])\n"
     "        for j in range(12):\n"
     "            with T.block(\"B\"):\n"
     "                vj_i = T.axis.remap(\"S\", [j])\n"
     "                T.reads(A[vi, vj_o * 12 + vj_i])\n"
     "                T.writes(B[vi, vj_o * 12 + vj_i])\n"
     "                B[vi, vj_o * 12 + vj_i] = A[vi, vj_o * 12 + vj_i] * T.float32(2.0)",
     NULL},
    {"a reduction in tiles", MM, MATMUL,
     "a, b = split(i, [None, 4])\nc, d = split(j, [None, 5])\ne, f = split(k, [None, 4])\n"
     "reorder(a, c, e, b, d, f)\nx = blockize(b)",
     "for i_0, j_0, k_0 in T.grid(2, 2, 3):\n"
     "    with T.block(\"C_o\"):\n"
     "        vi_o, vj_o, vk_o = T.axis.remap(\"SSR\", [i_0, j_0, k_0])\n"
     "        T.reads(A[vi_o * 4:vi_o * 4 + 4, vk_o * 4:vk_o * 4 + 4], B[vk_o * 4:vk_o * 4 + 4, "
     "vj_o "
     "* 5:vj_o * 5 + 5])\n"
     "        T.writes(C[vi_o * 4:vi_o * 4 + 4, vj_o * 5:vj_o * 5 + 5])\n"
     "        with T.init():\n"
     "            for i_1_init, j_1_init in T.grid(4, 5):\n"
     "                with T.block(\"C_init\"):\n"
     "                    vi_i_init, vj_i_init = T.axis.remap(\"SS\", [i_1_init, j_1_init])\n"
     "                    T.reads()\n"
     "                    T.writes(C[vi_o * 4 + vi_i_init, vj_o * 5 + vj_i_init])\n"
     "                    C[vi_o * 4 + vi_i_init, vj_o * 5 + vj_i_init] = T.float32(0.0)\n"
     "        for i_1, j_1, k_1 in T.grid(4, 5, 4):\n"
     "            with T.block(\"C\"):\n"
     "                vi_i, vj_i, vk_i = T.axis.remap(\"SSR\", [i_1, j_1, k_1])\n"
     "                T.reads(C[vi_o * 4 + vi_i, vj_o * 5 + vj_i], A[vi_o * 4 + vi_i, vk_o * 4 + "
     "vk_i], B[vk_o * 4 + vk_i, vj_o * 5 + vj_i])\n"
     "                T.writes(C[vi_o * 4 + vi_i, vj_o * 5 + vj_i])\n"
     "                C[vi_o * 4 + vi_i, vj_o * 5 + vj_i] = C[vi_o * 4 + vi_i, vj_o * 5 + vj_i] + "
     "A[vi_o * 4 + vi_i, vk_o * 4 + vk_i] * B[vk_o * 4 + vk_i, vj_o * 5 + vj_i]",
     NULL},
    {"a reduction in tiles with rests", MM, MATMUL,
     "a, b = split(i, [None, 3])\nc, d = split(j, [None, 4])\ne, f = split(k, [None, 5])\n"
     "reorder(a, c, e, b, d, f)\nx = blockize(b)\nparallel(a)",
     NULL, NULL},
    {"all of a reduction", MM, MATMUL, "x = blockize(k)", NULL, NULL},
    {"all of a reduction, without axes of one step", MM, MATMUL,
     "x = blockize(k, preserve_unit_iters=False)", NULL, NULL},
    {"a reduction that goes on outside", MM, MATMUL, "reorder(k, i, j)\nx = blockize(i)", NULL,
     NULL},
    {"a symbolic extent", "a: T.handle, b: T.handle",
     "n = T.int64()\nm = T.int64()\nA = T.match_buffer(a, (n, m), \"float32\")\n"
     "B = T.match_buffer(b, (n,), \"float32\")\nfor i, k in T.grid(n, m):\n"
     "    with T.block(\"B\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            B[vi] = T.float32(0)\n        B[vi] = B[vi] + A[vi, vk]",
     "a, b = split(i, [None, 4])\nx = blockize(b)", NULL, NULL},
    {"a loop of one step that the axis uses", AB,
     "for i, j, u in T.grid(8, 12, 1):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i + u)\n        vj = T.axis.spatial(12, j)\n"
     "        B[vi, vj] = A[vi, vj]",
     "x = blockize(u)", NULL, NULL},
    {"two blocks", AB ", D: T.Buffer((8,), \"float32\")",
     "for i in range(8):\n    for j in range(12):\n        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            B[vi, vj] = A[vi, vj]\n"
     "    with T.block(\"D\"):\n        vi = T.axis.spatial(8, i)\n        D[vi] = A[vi, 0]",
     "x = blockize(i)", NULL, "there must be exactly one block below it"},
    {"something beside", AB ", D: T.Buffer((8,), \"float32\")",
     "for i in range(8):\n    for j in range(12):\n        with T.block(\"B\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            B[vi, vj] = A[vi, vj]\n"
     "    D[i] = A[i, 0]",
     "x = blockize(i)", NULL, "below it stands something beside the loops around block 'B'"},
    {"loops in the wrong order", AB,
     "for i_1, j, i_0 in T.grid(4, 12, 2):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i_0 * 4 + i_1)\n        vj = T.axis.spatial(12, j)\n"
     "        B[vi, vj] = A[vi, vj]",
     "x = blockize(j)", NULL, "can not be divided into parts outside and inside of loop 'j'"},
    {"a body that uses loops", AB,
     "for i, j in T.grid(8, 12):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i)\n        B[vi, j] = A[vi, j]",
     "x = blockize(j)", NULL, "its body uses loops, not axes"},
    {"an axis that begins elsewhere", AB,
     "for i, j in T.grid(8, 6):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vj = T.axis.spatial(12, j + 6)\n"
     "        B[vi, vj] = A[vi, vj]",
     "x = blockize(j)", NULL, "it does not begin at 0"},
    {"an init that reads",
     "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6,), \"float32\"), D: "
     "T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            B[vi] = D[vi]\n        B[vi] = B[vi] + A[vi, vk]",
     "x = blockize(k)", NULL, NULL},
    {"an init that reads what it writes",
     "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            B[vi] = B[vi] * T.float32(2)\n        B[vi] = B[vi] + "
     "A[vi, vk]",
     "x = blockize(k)", NULL, "its T.init() reads 'B', which it writes"},
    {"a reduction done twice", "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6,), \"float32\")",
     "for i, u, k in T.grid(6, 2, 12):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            B[vi] = T.float32(0)\n        B[vi] = B[vi] + A[vi, vk]",
     "x = blockize(u)", NULL, "its steps below loop 'u' are not all different"},
    {"a reduction that never begins",
     "A: T.Buffer((6, 24), \"float32\"), B: T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(6, i)\n"
     "        vk = T.axis.reduce(24, k + 12)\n"
     "        with T.init():\n            B[vi] = T.float32(0)\n        B[vi] = B[vi] + A[vi, vk]",
     "x = blockize(k, preserve_unit_iters=False)", NULL, "it does not begin at 0"},
    {"memory of its own", "A: T.Buffer((6, 12), \"float32\"), B: T.Buffer((6,), \"float32\")",
     "for i, k in T.grid(6, 12):\n    with T.block(\"B\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        X = T.alloc_buffer((1,))\n"
     "        with T.init():\n            B[vi] = T.float32(0)\n"
     "        X[0] = A[vi, vk]\n        B[vi] = B[vi] + X[0]",
     "x = blockize(k)", NULL, "it has an init, and views or memory of its own"},
    {"a list of blocks", AB, DOUBLE, "x = blockize([B])", NULL,
     "a list of blocks is not supported"},
};

static void blocks_of_nests_compute_the_same(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

/* ---- tensorize ---- */

#define HEADER "@I.ir_module\nclass Module:\n"
#define DOT_PARAMS \
  "A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\"), C: T.Buffer((1,), \"float32\")"
#define DOT                                                                                        \
  "    @T.prim_func\n    def dot(" DOT_PARAMS "):\n"                                               \
  "        with T.block(\"root\"):\n            T.reads(C[0], A[0:4], B[0:4])\n"                   \
  "            T.writes(C[0])\n            for i in range(4):\n"                                   \
  "                with T.block(\"update\"):\n                    vi = T.axis.remap(\"R\", [i])\n" \
  "                    C[0] = C[0] + A[vi] * B[vi]\n"
#define FAST                                                                     \
  "    @T.prim_func\n    def fast(" DOT_PARAMS "):\n"                            \
  "        with T.block(\"root\"):\n            T.reads(C[0], A[0:4], B[0:4])\n" \
  "            T.writes(C[0])\n"                                                 \
  "            C[0] = C[0] + A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3]\n"
#define OTHER                                                                          \
  "    @T.prim_func\n    def other(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), " \
  "\"float32\")):\n"                                                                   \
  "        for i in range(4):\n            A[i] = B[i]\n"
#define NT(value)                                                                                  \
  "    @T.prim_func\n    def main(X: T.Buffer((8, 12), \"float32\"), Y: T.Buffer((10, 12), "       \
  "\"float32\"), Z: T.Buffer((8, 10), \"float32\")):\n        for i, j, k in T.grid(8, 10, 12):\n" \
  "            with T.block(\"Z\"):\n                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, "   \
  "k])\n"                                                                                          \
  "                with T.init():\n                    Z[vi, vj] = T.float32(0)\n"                 \
  "                Z[vi, vj] = " value "\n"
#define WRONG                                                                    \
  "    @T.prim_func\n    def wrong(" DOT_PARAMS "):\n"                           \
  "        with T.block(\"root\"):\n            T.reads(C[0], A[0:4], B[0:4])\n" \
  "            T.writes(C[0])\n"                                                 \
  "            C[0] = C[0] + A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[2]\n"
#define OUTSIDE                                                                  \
  "    @T.prim_func\n    def outside(" DOT_PARAMS "):\n"                         \
  "        with T.block(\"root\"):\n            T.reads(C[0], A[0:4], B[0:4])\n" \
  "            T.writes(C[0])\n            for i in range(5):\n"                 \
  "                C[0] = C[0] + A[i] * B[i]\n"
#define ALL HEADER DOT FAST OTHER WRONG OUTSIDE NT("Z[vi, vj] + Y[vj, vk] * X[vi, vk]")

typedef struct intrin_row {
  const char *name;
  const char *program;
  const char *steps;
  const char *refused;
} intrin_row;

static const intrin_row intrins[] = {
    {"a product of rows", ALL, "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot:fast\")", NULL},
    {"a block", ALL, "a, b = split(Z:k, [None, 4])\nx = blockize(b)\ntensorize(x, \"dot:fast\")",
     NULL},
    {"after its init went out", ALL,
     "a, b = split(Z:k, [None, 4])\ndecompose_reduction(Z, a)\ntensorize(b, "
     "\"dot:fast\")\nparallel(Z_update_o:i)",
     NULL},
    {"another length", ALL, "a, b = split(Z:k, [None, 6])\ntensorize(b, \"dot:fast\")",
     "it does not do what intrinsic 'dot:fast' describes"},
    {"a rest", ALL,
     "a, b = split(Z:k, [None, 8])\nc, d = split(b, [None, 4])\ntensorize(d, \"dot:fast\")",
     "it does not do what intrinsic 'dot:fast' describes"},
    {"another value", HEADER DOT FAST NT("Z[vi, vj] + Y[vj, vk] + X[vi, vk]"),
     "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot:fast\")",
     "it has Z[vi, vj] + Y[vj, vk_o * 4 + vk_i] where the description has C[0]"},
    {"an index that runs the other way",
     HEADER DOT FAST NT("Z[vi, vj] + Y[vj, 11 - vk] * X[vi, vk]"),
     "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot:fast\")",
     "it does not do what intrinsic 'dot:fast' describes"},
    {"a copy onto itself",
     HEADER
     "    @T.prim_func\n    def copy(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), "
     "\"float32\")):\n"
     "        for i in range(4):\n            with T.block(\"c\"):\n"
     "                vi = T.axis.spatial(4, i)\n                B[vi] = A[vi] + T.float32(1)\n"
     "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\")):\n        for i, j in "
     "T.grid(2, 4):\n"
     "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
     "                X[vi] = X[vi] + T.float32(1)\n",
     "tensorize(Z:j, \"copy:copy\")", "of intrinsic 'copy:copy' would be one buffer"},
    {"a buffer that is larger",
     HEADER
     "    @T.prim_func\n    def copy(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), "
     "\"float32\")):\n"
     "        for i in range(4):\n            with T.block(\"c\"):\n"
     "                vi = T.axis.spatial(4, i)\n                B[vi] = A[vi] + T.float32(1)\n"
     "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\"), Y: T.Buffer((8,), "
     "\"float32\")):\n"
     "        for i, j in T.grid(2, 4):\n"
     "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
     "                Y[vi] = X[vi] + T.float32(1)\n",
     "tensorize(Z:j, \"copy:copy\")", "may lie outside of"},
    {"a buffer that is not used",
     HEADER "    @T.prim_func\n    def one(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), "
            "\"float32\")):\n"
            "        for i in range(4):\n            with T.block(\"c\"):\n"
            "                vi = T.axis.spatial(4, i)\n                B[vi] = T.float32(1)\n"
            "    @T.prim_func\n    def main(Y: T.Buffer((8,), \"float32\")):\n"
            "        for i, j in T.grid(2, 4):\n"
            "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
            "                Y[vi] = T.float32(1)\n",
     "tensorize(Z:j, \"one:one\")", "the description of 'one:one' does not use 'A'"},
    {"the whole nest", ALL, "tensorize(Z:i, \"dot:fast\")",
     "it does not do what intrinsic 'dot:fast' describes"},
    {"memory of its own",
     HEADER DOT FAST
     "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\")):\n        for i in range(8):\n"
     "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i)\n"
     "                M = T.alloc_buffer((1,))\n                M[0] = X[vi]\n                "
     "X[vi] = M[0]\n",
     "tensorize(Z, \"dot:fast\")", "it has views or memory of its own"},
    {"buffers of more dimensions",
     HEADER "    @T.prim_func\n    def copy(A: T.Buffer((1, 4), \"float32\"), B: T.Buffer((1, 4), "
            "\"float32\")):\n"
            "        for i in range(4):\n            with T.block(\"c\"):\n"
            "                vi = T.axis.spatial(4, i)\n                B[0, vi] = A[0, vi]\n"
            "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\"), Y: T.Buffer((8,), "
            "\"float32\")):\n"
            "        for i, j in T.grid(2, 4):\n"
            "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
            "                Y[vi] = X[vi]\n",
     "tensorize(Z:j, \"copy:copy\")", "it does not do what intrinsic 'copy:copy' describes"},
    {"a description without loops",
     HEADER "    @T.prim_func\n    def copy(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), "
            "\"float32\")):\n"
            "        B[0] = A[0]\n"
            "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\"), Y: T.Buffer((8,), "
            "\"float32\")):\n"
            "        for i, j in T.grid(2, 4):\n"
            "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
            "                Y[vi] = X[vi]\n",
     "tensorize(Z:j, \"copy:copy\")", "it does not do what intrinsic 'copy:copy' describes"},
    {"memory of another scope",
     HEADER "    @T.prim_func\n    def copy(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), "
            "\"float32\")):\n"
            "        for i in range(4):\n            with T.block(\"c\"):\n"
            "                vi = T.axis.spatial(4, i)\n                B[vi] = A[vi]\n"
            "    @T.prim_func\n    def main(X: T.Buffer((8,), \"float32\"), Y: T.Buffer((8,), "
            "\"float32\")):\n"
            "        L = T.alloc_buffer((8,), \"float32\", scope=\"local\")\n"
            "        for i, j in T.grid(2, 4):\n"
            "            with T.block(\"Z\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
            "                L[vi] = X[vi]\n"
            "        for i, j in T.grid(2, 4):\n"
            "            with T.block(\"W\"):\n                vi = T.axis.spatial(8, i * 4 + j)\n"
            "                Y[vi] = L[vi]\n",
     "tensorize(Z:j, \"copy:copy\")", "it does not do what intrinsic 'copy:copy' describes"},
    {"no such intrinsic", ALL, "tensorize(Z:i, \"dot\")", "there is no intrinsic 'dot'"},
    {"no such function", ALL, "tensorize(Z:i, \"dot:nothing\")",
     "the module has no loop function 'nothing'"},
    {"a function that computes something else", ALL,
     "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot:wrong\")",
     "the two functions of intrinsic 'dot:wrong' differ: on small whole numbers one leaves"},
    {"a function that leaves its buffers", ALL,
     "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot:outside\")",
     "intrinsic 'dot:outside' on small whole numbers"},
    {"two functions of other buffers", ALL, "tensorize(Z:i, \"dot:other\")",
     "do not take the same buffers of known sizes"},
};

static void intrinsics_do_what_they_replace(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(intrins); ++i) {
    const intrin_row *row = &intrins[i];
    sched_case c;
    print_message("  %s\n", row->name);
    sched_init_text(&c, row->program);
    const char *last = row->refused == NULL ? NULL : strrchr(row->steps, '\n');
    char *first = strdup(row->steps);
    if (row->refused != NULL) {
      first[last == NULL ? 0 : last - row->steps] = '\0';
    }
    expect_ok(tn_sched_work_on(c.s, "main"));
    sched_run(&c, first);
    if (row->refused != NULL) {
      sched_expect_refused(&c, last == NULL ? row->steps : last + 1, row->refused);
    }
    sched_expect_same_at(&c, "main", 1, 1);
    free(first);
    sched_deinit(&c);
  }
}

static void an_intrinsic_may_have_a_name_of_its_own(void **state) {
  (void)state;
  sched_case c;
  sched_init_text(&c, ALL);
  tn_sched_add_intrin(c.s, "dot4", tn_module_find(&c.before, "dot"),
                      tn_module_find(&c.before, "fast"));
  sched_run(&c, "a, b = split(Z:k, [None, 4])\ntensorize(b, \"dot4\")");
  sched_expect_same_at(&c, "main", 1, 2);
  tn_buf text = TN_BUF_INIT;
  tn_script_print_node(tn_module_find(tn_sched_module(c.s), "main"), &text);
  const char *block = strstr(tn_buf_text(&text), "    with T.block(\"Z_o\")");
  assert_non_null(block);
  expect_text(block,
              "    with T.block(\"Z_o\"):\n"
              "            vi, vj, vk_o = T.axis.remap(\"SSR\", [i, j, k_0])\n"
              "            T.reads(Y[vj, vk_o * 4:vk_o * 4 + 4], X[vi, vk_o * 4:vk_o * 4 + 4])\n"
              "            T.writes(Z[vi, vj])\n"
              "            A = T.match_buffer(Y[vj, vk_o * 4:vk_o * 4 + 4], (4,))\n"
              "            B = T.match_buffer(X[vi, vk_o * 4:vk_o * 4 + 4], (4,))\n"
              "            C = T.match_buffer(Z[vi, vj], (1,))\n"
              "            with T.init():\n"
              "                with T.block(\"Z_init\"):\n"
              "                    T.reads()\n"
              "                    T.writes(Z[vi, vj])\n"
              "                    Z[vi, vj] = T.float32(0.0)\n"
              "            C[0] = C[0] + A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3]\n");
  tn_buf_deinit(&text);
  sched_deinit(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intrinsics_do_what_they_replace),
      cmocka_unit_test(an_intrinsic_may_have_a_name_of_its_own),
      cmocka_unit_test(blocks_of_nests_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
