/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * Conditions of schedules that no other test meets: each has a program that is refused because of it
 * alone (make mutants switches them off one by one). */
#include "sched_util.h"

typedef struct refusal {
  const char *params;
  const char *body;
  const char *steps; /* the last line is refused */
  const char *part;
} refusal;

#define AB "A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\")"
#define AB1 "A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")"
#define COPY                                              \
  "for i, j in T.grid(8, 8):\n    with T.block(\"B\"):\n" \
  "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        B[vi, vj] = A[vi, vj] * 2"
#define OWN(shape) "E = T.alloc_buffer(" shape ", \"int32\")\n"
#define MAKE_E                                                                                \
  "for i in range(8):\n    with T.block(\"E\"):\n        vi = T.axis.spatial(8, i)\n        " \
  "E[vi] = A[vi] + 1\n"
#define USE_E                                                                                 \
  "for x in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, x)\n        " \
  "B[vi] = E[vi] * 2"
#define SUM(value)                                                                  \
  "for i, j, k in T.grid(8, 8, 8):\n    with T.block(\"B\"):\n"                     \
  "        vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n        with T.init():\n" \
  "            B[vi, vj] = 0\n        B[vi, vj] = " value

static const refusal refusals[] = {
    {AB, COPY, "cache_read(B, (\"both\", 0), \"global\")", "a buffer is (\"read\", i)"},
    {AB1,
     "for i, k in T.grid(8, 4):\n    with T.block(\"B\"):\n        vi = T.axis.opaque(8, i)\n"
     "        vk = T.axis.reduce(4, k)\n        with T.init():\n            B[vi] = 0\n"
     "        B[vi] = B[vi] + A[vk]",
     "decompose_reduction(B, k)", "its axis 'vi' is opaque"},
    {AB1,
     "for k in range(8):\n    with T.block(\"B\"):\n        vk = T.axis.reduce(8, k)\n"
     "        with T.init():\n            B[vk] = 0\n        B[vk] = B[vk] + A[vk]",
     "decompose_reduction(B, k)", "where it writes depends on axis 'vk'"},
    {AB1,
     OWN("(8,)") "for i in range(8):\n    if i < 4:\n        with T.block(\"E\"):\n"
                 "            vi = T.axis.spatial(8, i)\n            E[vi] = A[vi] + 1\n"
                 "    else:\n        with T.block(\"B\"):\n            vi = T.axis.spatial(8, i)\n"
                 "            B[vi] = E[vi - 4]",
     "cache_read(B, 0, \"global\")", "there is no place after it and before all readers"},
    {AB,
     "for i in range(8):\n    with T.block(\"rows\"):\n        vi = T.axis.spatial(8, i)\n"
     "        for j in range(7):\n            with T.block(\"B\"):\n"
     "                vj = T.axis.opaque(7, j)\n                B[vi, vj] = B[vi, vj + 1] + A[vi, "
     "vj]",
     "cache_inplace(B, \"B\", \"local\")", "it does not read and write one part of"},
    {AB1,
     "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
     "        B[vi] = B[vi] + A[vi]",
     "cache_inplace(B, \"B\", \"\")", "the storage scope is empty"},
    {AB, COPY "\nfor x in range(8):\n    A[x, 0] = 3", "read_at(x, B, 0, \"local\")",
     "is not around it"},
    {AB1,
     OWN("(8,)") "for i in range(8):\n    with T.block(\"E\"):\n        vi = T.axis.spatial(8, i)\n"
                 "        E[vi] = T.call_extern(\"int32\", \"g\", vi)\n" USE_E,
     "compute_inline(E)", "its value has effects"},
    {AB1,
     OWN("(8,)") MAKE_E "for x in range(2):\n    with T.block(\"B\"):\n"
                        "        vi = T.axis.spatial(2, x)\n"
                        "        B[T.Ramp(vi * 4, 1, 4)] = E[T.Ramp(vi * 4, 1, 4)]",
     "compute_inline(E)", "otherwise than by loads of one element"},
    {AB1 ", n: T.int32",
     OWN("(8, 9)") "for i in range(8):\n    with T.block(\"E\"):\n        vi = T.axis.spatial(8, "
                   "i)\n"
                   "        E[vi, n] = A[vi] + 1\nfor x in range(8):\n    with T.block(\"B\"):\n"
                   "        vi = T.axis.spatial(8, x)\n        B[vi] = E[vi, n]",
     "compute_inline(E)", "is neither an axis nor a number"},
    {AB1, OWN("(8,)") MAKE_E USE_E, "transform_layout(E, (\"write\", 0), lambda i: (i < 3, ))",
     "gives something else than indices"},
    {AB1, OWN("(8,)") MAKE_E USE_E, "transform_layout(E, (\"write\", 0), lambda i: ())",
     "gives no indices, or too many"},
    {AB1, OWN("(8,)") MAKE_E USE_E, "reindex_cache_read(B, 0, \"global\", lambda i: ())",
     "the map gives no indices, or too many"},
    {AB1, OWN("(8,)") MAKE_E USE_E, "transform_layout(E, (\"write\", 0), lambda i: (i + 2, ))",
     "do not begin at 0"},
    {"A: T.Buffer((8,), \"int32\")",
     OWN("()") "with T.block(\"E\"):\n    E[()] = 3\nfor i in range(8):\n    with T.block(\"A\"):\n"
               "        vi = T.axis.spatial(8, i)\n        A[vi] = E[()]",
     "transform_layout(E, (\"write\", 0), lambda i: (i, ))", "has one element"},
    {AB1, "with T.block(\"B\"):\n    B[0] = A[0]", "transform_block_layout(B, lambda i: (i, ))",
     "it has no axes"},
    {AB ", D: T.Buffer((8, 8), \"int32\")", SUM("T.max(B[vi, vj], A[vi, vk] * D[vk, vj])"),
     "pad_einsum(B, [3, 3, 3])", "it is not a sum of products of loads"},
    {AB ", D: T.Buffer((8, 8), \"int32\")", SUM("A[vi, vk] * D[vk, vj] + B[vi, vj]"),
     "pad_einsum(B, [3, 3, 3])", "it is not a sum of products of loads"},
    {AB,
     COPY "\nfor x in range(8):\n    with T.block(\"first\"):\n        vi = T.axis.spatial(8, x)\n"
          "        A[vi, 0] = 3\nfor y in range(8):\n    with T.block(\"second\"):\n"
          "        vi = T.axis.spatial(8, y)\n        A[vi, 1] = 4\n"
          "for z in range(8):\n    with T.block(\"use\"):\n        vi = T.axis.spatial(8, z)\n"
          "        B[vi, 7] = A[vi, 0]",
     "reindex(use, (\"read\", 0))", "is written by more than one block"},
    {AB1,
     OWN("(8,)") "for i in range(6):\n    with T.block(\"E\"):\n"
                 "        vi = T.axis.spatial(6, i)\n        E[vi] = A[vi]\n"
                 "with T.block(\"around\"):\n    T.reads(E[0:8])\n    T.writes(B[0:8])\n"
                 "    for x in range(8):\n        with T.block(\"B\"):\n"
                 "            vi = T.axis.spatial(8, x)\n"
                 "            B[vi] = T.if_then_else(vi < 6, E[vi], 3)",
     "reindex_cache_read(B, 0, \"local\", lambda i: (i, ))",
     "it may leave out a part of what it says that it reads"},
    {AB ", D: T.Buffer((8, 8), \"int32\")", SUM("B[vi, vj] + A[vi, vk] * D[vk, vj]"),
     "transform_block_layout(B, lambda i, j, k: (i // 8, i, j, k))\npad_einsum(B, [3, 1, 1, 1])",
     "would do the same elements of 'B' again"},
    {AB, COPY, "reindex_cache_read(B, 0, \"\", lambda i, j: (j, i))", "the storage scope is empty"},
    {AB1,
     OWN("(10,)") "for i in range(8):\n    for u in range(3):\n        with T.block(\"E\"):\n"
                  "            vi = T.axis.spatial(10, i + u)\n            if A[0] > 1:\n"
                  "                E[vi] = vi\n    with T.block(\"B\"):\n"
                  "        vi = T.axis.spatial(8, i)\n        B[vi] = E[vi] + E[vi + 1] + E[vi + "
                  "2]",
     "rolling_buffer(E, 0)", "it does not write 'E' at every step"},
    {AB1,
     OWN("(10,)") "for i in range(8):\n    for u in range(3):\n        with T.block(\"E\"):\n"
                  "            vi = T.axis.spatial(10, i + u)\n            E[vi] = vi",
     "rolling_buffer(E, 0)", "nothing in its scope reads what it writes"},
    {AB1,
     OWN("(10,)") "for i in range(8):\n    for u in range(3):\n        with T.block(\"E\"):\n"
                  "            T.where(u < 2 or i % 2 == 0)\n"
                  "            vi = T.axis.spatial(10, i + u)\n            E[vi] = vi\n"
                  "    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n"
                  "        B[vi] = E[vi] + E[vi + 1]",
     "rolling_buffer(E, 0)", "is not made in the round before"},
    {AB1,
     OWN("(8, 0)") "for i, j in T.grid(8, 0):\n    with T.block(\"E\"):\n"
                   "        vi, vj = T.axis.remap(\"SS\", [i, j])\n        E[vi, vj] = A[vi]",
     "storage_align(E, 0, 0, 4, 0)", "the stride would be 0"},
    {"A: T.Buffer((8,), \"int32\"), V: T.Buffer((1,), \"int32\"), I: T.Buffer((1,), \"int32\")",
     "for k in range(8):\n    with T.block(\"M\"):\n        vk = T.axis.reduce(8, k)\n"
     "        with T.init():\n            V[0] = -100\n            I[0] = 0\n"
     "        x: T.int32 = T.Select(V[0] >= A[vk], V[0], A[vk])\n        y: T.int32 = I[0] + vk\n"
     "        V[0] = x\n        I[0] = y",
     "a, b = split(k, [2, 4])\nrfactor(b, 0)", "its values are not chosen together"},
    {AB1,
     OWN("(8,)") MAKE_E "for x in range(2):\n    with T.block(\"B\"):\n"
                        "        vi = T.axis.spatial(2, x)\n"
                        "        B[T.Ramp(vi * 4, 1, 4)] = E[T.Ramp(vi * 4, 1, 4)]",
     "transform_layout(E, (\"write\", 0), lambda i: (i // 4, i % 4))",
     "is used as a vector, under a predicate, or through a view"},
    {AB1,
     OWN("(8,)") MAKE_E
     "for x in range(8):\n    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(8, x)\n"
     "        B[vi] = E[vi] + T.call_extern(\"int32\", \"g\", T.address_of(E[0]))",
     "transform_layout(E, (\"write\", 0), lambda i: (7 - i, ))", "has another name"},
    {AB1, "for i in range(8):\n    while A[i] > 3:\n        A[i] = A[i] - 1", "parallel(i)",
     "whose effects are not followed"},
    {AB1, OWN("(8,)") MAKE_E USE_E, "l = get_loops(E)\na, b = split(i, [2, 4])\nparallel(l)",
     "is no longer there"},
    {AB, COPY, "get_block(\"C\", \"nothing\")", "the module has no loop function 'nothing'"},
};

static void each_condition_refuses_alone(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(refusals); ++i) {
    const refusal *row = &refusals[i];
    sched_case c;
    sched_init(&c, row->body, row->params);
    const char *last = strrchr(row->steps, '\n');
    char *first = strdup(row->steps);
    const char *end = NULL;
    first[last == NULL ? 0 : last - row->steps] = '\0';
    sched_run(&c, first);
    tn_status st = sched_step(&c, last == NULL ? row->steps : last + 1, &end);
    bool is_told = st != NULL && strstr(tn_status_message(st), row->part) != NULL;
    if (!is_told) {
      print_error("%s\n  wanted: %s\n  got: %s\n", row->steps, row->part,
                  st == NULL ? "accepted" : tn_status_message(st));
    }
    if (getenv("TN_KEEP_GOING") == NULL) {
      assert_true(is_told);
    }
    tn_status_free(st);
    free(first);
    sched_deinit(&c);
  }
}

#define TWO_FUNCTIONS                                                                             \
  "@I.ir_module\nclass Module:\n    @T.prim_func\n    def f(" AB1 "):\n"                          \
  "        for i in range(8):\n            with T.block(\"B\"):\n"                                \
  "                vi = T.axis.spatial(8, i)\n                B[vi] = A[vi]\n"                    \
  "    @T.prim_func\n    def g(" AB1 "):\n        for x in range(8):\n"                           \
  "            with T.block(\"B\"):\n                vi = T.axis.spatial(8, x)\n"                 \
  "                B[vi] = A[vi]\n        for y in range(8):\n            with T.block(\"B\"):\n" \
  "                vi = T.axis.spatial(8, y)\n                A[vi] = B[vi]\n"

static void names_mean_one_thing(void **state) {
  (void)state;
  sched_case c;
  const char *end = NULL;
  sched_init_text(&c, TWO_FUNCTIONS);
  expect_error(sched_step(&c, "get_block(\"B\")", &end), TN_INVALID, "say which one");
  expect_error(sched_step(&c, "get_block(\"B\", \"g\")", &end), TN_INVALID,
               "give them different names");
  expect_error(sched_step(&c, "prefetch(B, 0, x)", &end), TN_INVALID, "is in another function");
  sched_deinit(&c);
}

static void what_is_called_wrongly_is_told(void **state) {
  (void)state;
  sched_case c;
  const tn_node *label = NULL;
  const tn_node *loops[2];
  sched_init(&c, COPY, AB);
  tn_ir *ir = c.before.ir;
  const tn_node *stranger = tn_var_new(ir, "stranger", TN_DT_I32);
  expect_error(tn_sched_apply(c.s, tn_prim_find("parallel"), 1, &stranger, NULL), TN_INVALID,
               "the loop 'stranger' is not part of this program");
  const tn_node *args[] = {stranger, stranger};
  expect_error(tn_sched_apply(c.s, tn_prim_find("parallel"), 2, args, NULL), TN_INVALID,
               "takes 1 arguments, not 2");
  expect_ok(tn_sched_get_block(c.s, "B", NULL, &label));
  expect_error(tn_sched_get_loops(c.s, label, 1, loops), TN_INVALID, "2 loops, not 1");
  expect_ok(tn_sched_get_loops(c.s, label, 2, loops));
  int64_t factors[TN_SCHED_MAX_LOOPS + 1];
  for (int32_t i = 0; i <= TN_SCHED_MAX_LOOPS; ++i) {
    factors[i] = 1;
  }
  expect_error(tn_sched_split(c.s, loops[0], TN_SCHED_MAX_LOOPS + 1, factors, loops), TN_INVALID,
               "at most 64 factors");
  tn_sched *other = tn_sched_new(&c.before, 1);
  expect_ok(tn_sched_fuse(other, 2, loops, NULL));
  expect_error(tn_sched_replay(c.s, other), TN_INVALID, "gave something else");
  tn_sched_free(other);
  sched_deinit(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_condition_refuses_alone),
      cmocka_unit_test(names_mean_one_thing),
      cmocka_unit_test(what_is_called_wrongly_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
