/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* What carries a dependence, which orders keep all of them, and what blocks claim falsely. Every
 * answer is compared with what the program says by hand; refusals name the accesses. */
#include "sched/deps.h"
#include "sched_util.h"

#define MATMUL_PARAMS \
  "A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\"), C: T.Buffer((8, 8), \"int32\")"
#define MATMUL                                              \
  "for i, j, k in T.grid(8, 8, 8):\n"                       \
  "    with T.block(\"C\"):\n"                              \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
  "        with T.init():\n"                                \
  "            C[vi, vj] = 0\n"                             \
  "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"

#define VECTORS "A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")"

/* A loop of a program; does it carry a dependence? */
typedef struct carried_row {
  const char *name;
  const char *params;
  const char *body;
  const char *loop;
  const char *message; /* NULL: none is carried */
} carried_row;

static const carried_row carried_rows[] = {
    {"a spatial loop of a matrix product", MATMUL_PARAMS, MATMUL, "i", NULL},
    {"the inner spatial loop", MATMUL_PARAMS, MATMUL, "j", NULL},
    {"the reduction loop", MATMUL_PARAMS, MATMUL, "k",
     "two rounds of loop 'k' touch one element of a reduction: block 'C'"},
    {"stores without blocks", VECTORS, "for i in range(16):\n    B[i] = A[i] + 1\n", "i", NULL},
    {"a scan", VECTORS, "for i in range(15):\n    B[i + 1] = B[i] + A[i]\n", "i",
     "'B' and block '(a store)' reads it, for example at i="},
    {"a scan with a step of two, never met", VECTORS,
     "for i in range(8):\n    B[i * 2 + 1] = B[i * 2] + A[i]\n", "i", NULL},
    {"everything into one element", VECTORS, "for i in range(16):\n    B[0] = A[i]\n", "i",
     "touch one element"},
    {"halves that do not meet", VECTORS,
     "for i in range(8):\n    if i < 8:\n        B[i] = B[i + 8]\n", "i", NULL},
    {"a condition that keeps rounds apart", VECTORS,
     "for i in range(16):\n    if i < 8:\n        B[i] = A[i]\n    else:\n        B[i] = B[i - "
     "8]\n",
     "i", "touch one element"},
    {"a scatter through an index", VECTORS, "for i in range(16):\n    B[A[i] & 15] = 1\n", "i",
     "could not be decided"},
    {"a gather", VECTORS, "for i in range(16):\n    B[i] = A[A[i] & 15]\n", "i", NULL},
    {"memory of the loop's own", VECTORS,
     "for i in range(16):\n    t = T.allocate([1], \"int32\", \"local\")\n"
     "    u = T.decl_buffer((1,), \"int32\", data=t)\n    u[0] = A[i]\n    B[i] = u[0]\n",
     "i", NULL},
    {"a call with effects", VECTORS,
     "for i in range(16):\n    T.evaluate(T.call_extern(\"int32\", \"f\", A.data))\n", "i",
     "effects"},
    {"a loop that only scales another", VECTORS,
     "for o, i in T.grid(2, 8):\n    with T.block(\"B\"):\n"
     "        v = T.axis.spatial(16, o * 8 + i)\n        B[v] = A[v]\n",
     "o", NULL},
    {"two rounds that write the same", VECTORS,
     "for o, i in T.grid(2, 16):\n    with T.block(\"B\"):\n"
     "        v = T.axis.spatial(16, i)\n        B[v] = A[v]\n",
     "o", "two rounds of loop 'o'"},
    {"an axis said to be spatial that is not", VECTORS,
     "for i in range(15):\n    with T.block(\"B\"):\n"
     "        v = T.axis.spatial(15, i)\n        T.reads(B[v], A[v])\n        T.writes(B[v + 1])\n"
     "        B[v + 1] = B[v] + A[v]\n",
     "i", "touch one element"},
    {"a region that says too little", VECTORS,
     "for i in range(15):\n    with T.block(\"B\"):\n"
     "        v = T.axis.spatial(15, i)\n        T.reads(A[v])\n        T.writes(B[v])\n"
     "        B[v] = B[v + 1] + A[v]\n",
     "i", "reads more of 'B' than its T.reads(...) declares"},
    {"a guarded access within its region", VECTORS,
     "for i in range(16):\n    with T.block(\"B\"):\n        v = T.axis.spatial(16, i)\n"
     "        T.reads(A[0:16])\n        T.writes(B[v])\n        B[v] = 0\n"
     "        if v > 0:\n            B[v] = A[v - 1]\n",
     "i", NULL},
    {"a guarded access beside its region", VECTORS,
     "for i in range(16):\n    with T.block(\"B\"):\n        v = T.axis.spatial(16, i)\n"
     "        T.reads(A[0:14])\n        T.writes(B[v])\n        B[v] = 0\n"
     "        if v > 0:\n            B[v] = A[v - 1]\n",
     "i", "reads more of 'A' than its T.reads(...) declares"},
    {"a guarded access in an expression", VECTORS,
     "for i in range(16):\n    with T.block(\"B\"):\n        v = T.axis.spatial(16, i)\n"
     "        T.reads(A[0:16])\n        T.writes(B[v])\n"
     "        B[v] = T.if_then_else(v < 15, A[v + 1], A[v])\n",
     "i", NULL},
    {"the other branch in an expression", VECTORS,
     "for i in range(16):\n    with T.block(\"B\"):\n        v = T.axis.spatial(16, i)\n"
     "        T.reads(A[0:14])\n        T.writes(B[v])\n"
     "        B[v] = T.if_then_else(v < 13, A[v + 1], A[v])\n",
     "i", "reads more of 'A' than its T.reads(...) declares"},
    {"rows of symbolic length", "a: T.handle, b: T.handle",
     "n = T.int64()\nA = T.match_buffer(a, (n, 4), \"int32\")\nB = T.match_buffer(b, (n, 4), "
     "\"int32\")\nfor i in range(n):\n    for j in range(4):\n        B[i, j] = A[i, j]\n",
     "i", NULL},
    {"symbolic rows laid one into the other", "a: T.handle, n: T.int32",
     "A = T.match_buffer(a, (n * 4 + 4,), \"int32\")\nfor i in range(n):\n"
     "    for j in range(5):\n        A[i * 4 + j] = j\n",
     "i", "touch one element"},
};

static void loops_carry_what_the_program_says(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(carried_rows); ++i) {
    const carried_row *row = &carried_rows[i];
    sched_case c;
    print_message("  %s\n", row->name);
    sched_init(&c, row->body, row->params);
    const tn_node *loop = sched_find(&c, row->loop);
    const tn_tree *tree = tn_sched_tree(c.s, loop);
    tn_status st = tn_deps_carried(c.s, tree, tn_tree_site(tree, loop), TN_FOR_SERIAL);
    if (row->message == NULL) {
      expect_ok(st);
    } else {
      expect_error(st, TN_INVALID, row->message);
    }
    sched_deinit(&c);
  }
}

/* A nest in another order. */
typedef struct order_row {
  const char *name;
  const char *params;
  const char *body;
  const char *old_loops; /* one letter each, outermost first */
  const char *new_loops;
  const char *message; /* NULL: legal */
} order_row;

#define GRID "A: T.Buffer((8, 8), \"int32\")"

static const order_row order_rows[] = {
    {"the loops of a matrix product, any order", MATMUL_PARAMS, MATMUL, "ijk", "kji", NULL},
    {"reduction outermost", MATMUL_PARAMS, MATMUL, "ijk", "kij", NULL},
    {"a stencil that only looks back along one loop", GRID,
     "for i, j in T.grid(7, 8):\n    A[i + 1, j] = A[i, j]\n", "ij", "ji", NULL},
    {"a stencil that looks back and aside", GRID,
     "for i, j in T.grid(7, 7):\n    A[i + 1, j] = A[i, j + 1]\n", "ij", "ji",
     "would change places"},
    {"the same, looking to the other side", GRID,
     "for i, j in T.grid(7, 7):\n    A[i + 1, j + 1] = A[i, j]\n", "ij", "ji", NULL},
    {"the last one to write wins", "A: T.Buffer((8,), \"int32\")",
     "for i, j in T.grid(8, 8):\n    A[j] = i\n", "ij", "ji", NULL},
    {"another would win", "A: T.Buffer((15,), \"int32\")",
     "for i, j in T.grid(8, 8):\n    A[i + j] = i\n", "ij", "ji", "would change places"},
    {"an update whose order counts", "A: T.Buffer((8, 8), \"int32\"), C: T.Buffer((8,), \"int32\")",
     "for i, k, l in T.grid(8, 4, 2):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vk = T.axis.reduce(4, k)\n"
     "        vl = T.axis.reduce(2, l)\n        with T.init():\n            C[vi] = 0\n"
     "        C[vi] = C[vi] * 2 + A[vi, vk * 2 + vl]\n",
     "ikl", "ilk", "would change places"},
    {"the same with its order kept", "A: T.Buffer((8, 8), \"int32\"), C: T.Buffer((8,), \"int32\")",
     "for i, k, l in T.grid(8, 4, 2):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(8, i)\n        vk = T.axis.reduce(4, k)\n"
     "        vl = T.axis.reduce(2, l)\n        with T.init():\n            C[vi] = 0\n"
     "        C[vi] = C[vi] * 2 + A[vi, vk * 2 + vl]\n",
     "ikl", "kil", NULL},
    {"a sum whose first value would come later",
     "A: T.Buffer((3, 4), \"int32\"), C: T.Buffer((3,), \"int32\")",
     "for f, g in T.grid(4, 3):\n    with T.block(\"C\"):\n"
     "        vi = T.axis.spatial(3, (f * 3 + g) // 4)\n"
     "        vk = T.axis.reduce(4, (f * 3 + g) % 4)\n        with T.init():\n"
     "            C[vi] = 0\n        C[vi] = C[vi] + A[vi, vk]\n",
     "fg", "gf", "would change places"},
};

static void orders_keep_what_depends(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(order_rows); ++i) {
    const order_row *row = &order_rows[i];
    const tn_node *olds[8];
    const tn_node *news[8];
    uint32_t n = (uint32_t)strlen(row->old_loops);
    sched_case c;
    print_message("  %s\n", row->name);
    sched_init(&c, row->body, row->params);
    const tn_tree *tree = NULL;
    for (uint32_t k = 0; k < n; ++k) {
      const tn_node *loop = sched_find(&c, (char[]){row->old_loops[k], '\0'});
      tree = tn_sched_tree(c.s, loop);
      olds[k] = tn_tree_site(tree, loop);
      news[strchr(row->new_loops, row->old_loops[k]) - row->new_loops] = olds[k];
    }
    tn_status st = tn_deps_reorder(c.s, tree, n, olds, news);
    if (row->message == NULL) {
      expect_ok(st);
    } else {
      expect_error(st, TN_INVALID, row->message);
    }
    sched_deinit(&c);
  }
}

/* Two statements one after the other. */
typedef struct pair_row {
  const char *name;
  const char *body;
  const char *interleave; /* NULL: legal; else part of the message */
  const char *swap;
} pair_row;

static const pair_row pair_rows[] = {
    {"strangers", "for i in range(16):\n    B[i] = 1\nfor j in range(16):\n    A[j] = 2\n", NULL,
     NULL},
    {"the second reads what the first wrote in the same round",
     "for i in range(16):\n    B[i] = 1\nfor j in range(16):\n    A[j] = B[j]\n", NULL,
     "change places"},
    {"the second reads ahead",
     "for i in range(16):\n    B[i] = 1\nfor j in range(15):\n    A[j] = B[j + 1]\n",
     "a later round", "change places"},
    {"the second reads behind",
     "for i in range(16):\n    B[i] = 1\nfor j in range(1, 15):\n    A[j] = B[j - 1]\n", NULL,
     "change places"},
    {"halves of one array",
     "for i in range(8):\n    B[i] = 1\nfor j in range(8):\n    B[j + 8] = 2\n", NULL, NULL},
};

static void neighbours_meet_or_not(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(pair_rows); ++i) {
    const pair_row *row = &pair_rows[i];
    sched_case c;
    print_message("  %s\n", row->name);
    sched_init(&c, row->body, VECTORS);
    const tn_tree *tree = tn_sched_tree(c.s, sched_find(&c, "i"));
    const tn_node *first = tn_tree_site(tree, sched_find(&c, "i"));
    const tn_node *second = tn_tree_site(tree, sched_find(&c, "j"));
    tn_status st = tn_deps_interleave(c.s, tree, first, second);
    if (row->interleave == NULL) {
      expect_ok(st);
    } else {
      expect_error(st, TN_INVALID, row->interleave);
    }
    st = tn_deps_swap(c.s, tree, first, second);
    if (row->swap == NULL) {
      expect_ok(st);
    } else {
      expect_error(st, TN_INVALID, row->swap);
    }
    sched_deinit(&c);
  }
}

/* Two blocks meet in one memory that each calls by another name. */
static void blocks_meet_in_memory_not_in_names(void **state) {
  (void)state;
  sched_case c;
  sched_init(&c,
             "V = T.decl_buffer((16,), \"int32\", data=B.data)\n"
             "for i in range(16):\n    with T.block(\"first\"):\n"
             "        v = T.axis.spatial(16, i)\n        B[v] = A[v]\n"
             "for i in range(16):\n    with T.block(\"second\"):\n"
             "        v = T.axis.spatial(16, i)\n        A[v] = V[v]\n",
             VECTORS);
  sched_run(&c, "consumers = get_consumers(first)\nproducers = get_producers(second)");
  assert_int_equal(c.vars[0].value->n_in, 1);
  assert_ptr_equal(c.vars[0].value->in[0], sched_name(&c, "second"));
  assert_int_equal(c.vars[1].value->n_in, 1);
  assert_ptr_equal(c.vars[1].value->in[0], sched_name(&c, "first"));
  sched_deinit(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_carry_what_the_program_says),
      cmocka_unit_test(orders_keep_what_depends),
      cmocka_unit_test(neighbours_meet_or_not),
      cmocka_unit_test(blocks_meet_in_memory_not_in_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
