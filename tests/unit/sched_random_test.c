/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Random steps on loops, reductions and blocks over a table of programs: what is accepted verifies
 * after each step and computes the same, bit by bit, on small integers; the checked interpreter finds
 * nothing. TN_LONG=1: more of them. */
#include "sched_util.h"

typedef struct program {
  const char *params;
  const char *body;
} program;

#define BLOCK(name) "with T.block(\"" name "\"):\n"

static const program programs[] = {
    {"A: T.Buffer((6, 8), \"float32\"), B: T.Buffer((8, 4), \"float32\"), C: T.Buffer((6, 4), "
     "\"float32\")",
     "for i, j, k in T.grid(6, 4, 8):\n    " BLOCK(
         "C") "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n"
              "            C[vi, vj] = T.float32(0)\n        C[vi, vj] = C[vi, vj] + A[vi, vk] * "
              "B[vk, vj]"},
    {"a: T.handle, b: T.handle",
     "n = T.int64()\nm = T.int64()\nA = T.match_buffer(a, (n, m), \"float32\")\n"
     "B = T.match_buffer(b, (n,), \"float32\")\nfor i, k in T.grid(n, m):\n    " BLOCK(
         "B") "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
              "            B[vi] = T.float32(0)\n        B[vi] = T.max(B[vi], A[vi, vk])"},
    {"A: T.Buffer((5, 9), \"int32\"), B: T.Buffer((5, 9), \"int32\"), C: T.Buffer((5, 9), "
     "\"int32\")",
     "for i, j in T.grid(5, 9):\n    " BLOCK(
         "B") "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        B[vi, vj] = A[vi, vj] + 1\n"
              "for x, y in T.grid(5, 9):\n    " BLOCK(
                  "C") "        vi, vj = T.axis.remap(\"SS\", [x, y])\n        C[vi, vj] = B[vi, "
                       "vj] * 2"},
    {"A: T.Buffer((10,), \"int32\"), B: T.Buffer((8,), \"int32\")",
     "for i, k in T.grid(8, 3):\n    " BLOCK(
         "B") "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
              "            B[vi] = 0\n        B[vi] = B[vi] + A[vi + vk]"},
    {"A: T.Buffer((12,), \"int32\")",
     "for i in range(11):\n    " BLOCK("A") "        vi = T.axis.opaque(11, i)\n"
                                            "        A[vi + 1] = A[vi] + A[vi + 1]"},
    {"A: T.Buffer((6, 6), \"int32\")",
     "for i, j in T.grid(5, 5):\n    A[i + 1, j] = A[i, j + 1] + A[i, j]"},
    {"A: T.Buffer((6, 6), \"int32\"), B: T.Buffer((6, 6), \"int32\")",
     "for i in range(6):\n    for j in range(i + 1):\n        " BLOCK(
         "B") "            vi, vj = T.axis.remap(\"SS\", [i, j])\n            B[vi, vj] = A[vj, "
              "vi]"},
    {"A: T.Buffer((4, 6), \"int32\"), B: T.Buffer((4,), \"int32\"), C: T.Buffer((4,), \"int32\")",
     "for i in range(4):\n    for k in range(6):\n        " BLOCK(
         "B") "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"
              "                B[vi] = C[vi]\n            B[vi] = B[vi] + A[vi, vk]\n    " BLOCK(
                  "C") "        vi = T.axis.spatial(4, i)\n        C[vi] = B[vi] * 3"},
    {"A: T.Buffer((3, 4, 5), \"int32\"), B: T.Buffer((5, 3), \"int32\")",
     "for i, j, k in T.grid(3, 4, 5):\n    " BLOCK(
         "B") "        vk = T.axis.spatial(5, k)\n        vi = T.axis.spatial(3, i)\n"
              "        vj = T.axis.reduce(4, j)\n        with T.init():\n            B[vk, vi] = "
              "1\n"
              "        B[vk, vi] = B[vk, vi] * A[vi, vj, vk]"},
    {"A: T.Buffer((6, 12), \"int32\"), V: T.Buffer((6,), \"int32\"), I: T.Buffer((6,), \"int32\")",
     "for i, k in T.grid(6, 12):\n    " BLOCK(
         "M") "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n"
              "            V[vi] = -100\n            I[vi] = -1\n"
              "        x: T.int32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])\n"
              "        y: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)\n"
              "        V[vi] = x\n        I[vi] = y"},
};

/* ---- a random step ---- */

typedef struct site_list {
  uint32_t n;
  const tn_node *handles[256];
} site_list;

static site_list all_loops(sched_case *c) {
  site_list out = {0};
  const tn_tree *tree = tn_sched_tree_of(c->s, "f");
  for (size_t i = 0; i < tree->loops.len && out.n < 256; ++i) {
    out.handles[out.n++] = tree->loops.data[i]->in[TN_FOR_VAR];
  }
  return out;
}

static site_list all_blocks(sched_case *c) {
  site_list out = {0};
  const tn_tree *tree = tn_sched_tree_of(c->s, "f");
  for (size_t i = 0; i < tree->blocks.len && out.n < 256; ++i) {
    out.handles[out.n++] = tree->blocks.data[i]->in[TN_BLOCK_LABEL];
  }
  return out;
}

static const tn_node *any(tn_rng *rng, const site_list *list) {
  return list->handles[tn_rng_below(rng, list->n)];
}

static const tn_node *i32(sched_case *c, int64_t value) {
  return tn_int(c->before.ir, TN_DT_I32, value);
}

/* Two or three factors, mostly with one to be found. */
static const tn_node *any_factors(sched_case *c, tn_rng *rng) {
  const tn_node *items[3];
  uint32_t n = 2 + (uint32_t)tn_rng_below(rng, 2);
  uint32_t open = (uint32_t)tn_rng_below(rng, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = i == open ? tn_none(c->before.ir) : i32(c, tn_rng_range(rng, 1, 5));
  }
  return tn_list(c->before.ir, n, items);
}

/* A loop and some of those inside of it, in the order that is there or another. */
static const tn_node *any_chain(sched_case *c, tn_rng *rng, const tn_node *loop, bool shuffles) {
  const tn_node *items[4];
  uint32_t n = 0;
  const tn_node *at = tn_tree_site(tn_sched_tree(c->s, loop), loop);
  while (n < 4 && tn_is(at, TN_OP_FOR)) {
    items[n++] = at->in[TN_FOR_VAR];
    at = at->in[TN_FOR_BODY];
    n -= shuffles && n > 1 && tn_rng_below(rng, 4) == 0;
  }
  n = 1 + (uint32_t)tn_rng_below(rng, n);
  for (uint32_t i = n; shuffles && i > 1; --i) {
    uint32_t k = (uint32_t)tn_rng_below(rng, i);
    const tn_node *swap = items[i - 1];
    items[i - 1] = items[k];
    items[k] = swap;
  }
  return tn_list(c->before.ir, n, items);
}

enum { N_KINDS = 14 };
static const char *const kinds[N_KINDS] = {"split",
                                           "fuse",
                                           "reorder",
                                           "parallel",
                                           "vectorize",
                                           "unroll",
                                           "merge",
                                           "rfactor",
                                           "loop_partition",
                                           "blockize",
                                           "decompose_reduction",
                                           "add_unit_loop",
                                           "reorder_block_iter_var",
                                           "sample_perfect_tile"};

static tn_status do_any(sched_case *c, tn_rng *rng, uint32_t kind) {
  site_list loops = all_loops(c);
  site_list blocks = all_blocks(c);
  const tn_node *loop = any(rng, &loops);
  const tn_node *block = blocks.n == 0 ? loop : any(rng, &blocks);
  const tn_node *args[3] = {loop, NULL, NULL};
  uint32_t n = 1;
  switch (kind) {
    case 0:
    case 8:
      args[n++] = any_factors(c, rng);
      break;
    case 1:
    case 2:
      args[0] = any_chain(c, rng, loop, kind == 2);
      break;
    case 6:
      args[0] = tn_list(c->before.ir, 2, (const tn_node *[]){loop, any(rng, &loops)});
      break;
    case 7:
      args[n++] = i32(c, tn_rng_range(rng, -2, 1));
      break;
    case 10:
      args[0] = block;
      args[n++] = loop;
      break;
    case 12:
      args[0] = block;
      args[n++] = tn_list(c->before.ir, 2, (const tn_node *[]){i32(c, 1), i32(c, 0)});
      break;
    case 13:
      args[n++] = i32(c, 2);
      break;
    default:
      break;
  }
  return tn_sched_apply(c->s, tn_prim_find(kinds[kind]), n, args, NULL);
}

/* ---- the test ---- */

static void random_steps_compute_the_same(void **state) {
  (void)state;
  bool is_long = getenv("TN_LONG") != NULL;
  uint64_t n_traces = is_long ? 20000 : 300;
  uint32_t n_done[N_KINDS] = {0};
  const char *only = getenv("TN_SEED");
  for (uint64_t seed = only != NULL ? strtoull(only, NULL, 10) : 0; seed < n_traces; ++seed) {
    tn_rng rng = tn_rng_make(seed + 1);
    const program *p = &programs[seed % TN_N_ROWS(programs)];
    sched_case c;
    tn_buf trace = TN_BUF_INIT;
    sched_init(&c, p->body, p->params);
    uint64_t n_steps = 1 + tn_rng_below(&rng, 10);
    tn_buf_printf(&trace, "seed %llu:", (unsigned long long)seed);
    for (uint64_t i = 0; i < n_steps; ++i) {
      uint32_t kind = (uint32_t)tn_rng_below(&rng, N_KINDS);
      tn_status st = do_any(&c, &rng, kind);
      if (st == NULL) {
        ++n_done[kind];
        tn_buf_printf(&trace, " %s", kinds[kind]);
        sched_expect_verifies(&c, tn_buf_text(&trace));
      }
      tn_status_free(st);
    }
    if (only != NULL) {
      print_message("%s\n", tn_buf_text(&trace));
      sched_show(&c, "program");
    }
    sched_expect_same_at(&c, "f", 1 + (int64_t)(seed % 7), seed);
    tn_buf_deinit(&trace);
    sched_deinit(&c);
    if (only != NULL) {
      return;
    }
  }
  for (uint32_t i = 0; i < N_KINDS; ++i) {
    print_message("  %s: %u\n", kinds[i], n_done[i]);
    expect_true(n_done[i] > 0, "%s was accepted", kinds[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_steps_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
