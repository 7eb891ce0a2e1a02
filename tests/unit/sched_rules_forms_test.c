/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Default schedules of forms that the rules are not made for: several stores, no loops, no dimensions,
 * opaque axes, conditions, many loops, extents of 0, regions that are not declared. They come out
 * valid and compute the same. Kinds that are compiled too: sched_rules_test.c. */
#include "sched_util.h"

#define F(name, shape) name ": T.Buffer(" shape ", \"float32\")"
#define I(name, shape) name ": T.Buffer(" shape ", \"int32\")"

/* What four blocks read has too many readers for a row that is parted for one of them. */
#define ALSO(name)                                                          \
  "for a, b, c in T.grid(4, 34, 42):\n    with T.block(\"" name             \
  "\"):\n        x, y, z = T.axis.remap(\"SSS\", [a, b, c])\n        " name \
  "[x, y, z] = P[x, y, z] + T.float32(1)\n"

/* The checked interpreter refuses it before and after. */
static const char lie[] = "a product that does not say all that it reads";

static const struct {
  const char *name;
  const char *params;
  const char *body;
} rows[] = {
    {"the place of the largest of a row: pairs",
     I("A", "(9, 70)") ", " I("V", "(9,)") ", " I("K", "(9,)"),
     "for i, j in T.grid(9, 70):\n    with T.block(\"V\"):\n"
     "        x, y = T.axis.remap(\"SR\", [i, j])\n"
     "        with T.init():\n            V[x] = -100\n            K[x] = -1\n"
     "        K[x] = T.Select(V[x] >= A[x, y], K[x], y)\n"
     "        V[x] = T.Select(V[x] >= A[x, y], V[x], A[x, y])"},
    {"pairs along rows that are read next", I("A", "(16, 40)") ", " I("B", "(16, 40)"),
     "V = T.alloc_buffer((16,), \"int32\")\nK = T.alloc_buffer((16,), \"int32\")\n"
     "for i, j in T.grid(16, 40):\n    with T.block(\"V\"):\n"
     "        x, y = T.axis.remap(\"SR\", [i, j])\n"
     "        with T.init():\n            V[x] = -100\n            K[x] = -1\n"
     "        K[x] = T.Select(V[x] >= A[x, y], K[x], y)\n"
     "        V[x] = T.Select(V[x] >= A[x, y], V[x], A[x, y])\n"
     "for i, j in T.grid(16, 40):\n    with T.block(\"B\"):\n"
     "        x, y = T.axis.remap(\"SS\", [i, j])\n        B[x, y] = A[x, y] - V[x] + K[x]"},
    {"two stores of a step", F("A", "(33, 40)") ", " F("B", "(33, 40)") ", " F("C", "(40, 33)"),
     "for i, j in T.grid(33, 40):\n    with T.block(\"B\"):\n"
     "        x, y = T.axis.remap(\"SS\", [i, j])\n"
     "        B[x, y] = A[x, y] * T.float32(2)\n        C[y, x] = A[x, y] + T.float32(1)"},
    {"two sums of a step", F("A", "(12, 64)") ", " F("B", "(12,)") ", " F("C", "(12,)"),
     "for i, k in T.grid(12, 64):\n    with T.block(\"B\"):\n"
     "        x, y = T.axis.remap(\"SR\", [i, k])\n"
     "        with T.init():\n            B[x] = T.float32(0)\n            C[x] = T.float32(0)\n"
     "        B[x] = B[x] + A[x, y]\n        C[x] = C[x] + A[x, y] * A[x, y]"},
    {"a number, and a sum that is one", F("A", "(70,)") ", " F("B", "()") ", " F("C", "()"),
     "S = T.alloc_buffer(())\n"
     "for i in range(70):\n    with T.block(\"S\"):\n        x = T.axis.reduce(70, i)\n"
     "        with T.init():\n            S[()] = T.float32(0)\n        S[()] = S[()] + A[x]\n"
     "with T.block(\"B\"):\n    B[()] = S[()] * T.float32(2)\n"
     "with T.block(\"C\"):\n    C[()] = B[()] + T.float32(1)"},
    {"a number over a loop", F("A", "()") ", " F("B", "(40,)"),
     "for i in range(40):\n    with T.block(\"B\"):\n        x = T.axis.spatial(40, i)\n"
     "        B[x] = A[()]"},
    {"an axis that is opaque", F("A", "(70, 40)") ", " F("B", "(70, 40)"),
     "for i, j in T.grid(70, 40):\n    with T.block(\"B\"):\n        x = T.axis.opaque(70, i)\n"
     "        y = T.axis.spatial(40, j)\n        B[x, y] = A[x, y] * T.float32(2)"},
    {"axes that are opaque, and a store in place", F("A", "(300, 40)"),
     "for i, j in T.grid(300, 40):\n    with T.block(\"A\"):\n        x = T.axis.opaque(300, i)\n"
     "        y = T.axis.opaque(40, j)\n        A[x, y] = A[0, y] + T.float32(1)"},
    {"steps under a condition", F("A", "(70,)") ", " F("B", "(70,)"),
     "for i, j in T.grid(18, 4):\n    with T.block(\"B\"):\n"
     "        x = T.axis.spatial(70, i * 4 + j)\n        T.where(i * 4 + j < 70)\n"
     "        B[x] = A[x] + T.float32(1)"},
    {"terms under a condition", F("A", "(9, 70)") ", " F("B", "(9,)"),
     "for i, j, k in T.grid(9, 18, 4):\n    with T.block(\"B\"):\n        x = T.axis.spatial(9, "
     "i)\n"
     "        y = T.axis.reduce(70, j * 4 + k)\n        T.where(j * 4 + k < 70)\n"
     "        with T.init():\n            B[x] = T.float32(0)\n        B[x] = B[x] + A[x, y]"},
    {"a condition that is read", I("A", "(40,)") ", " I("B", "(40,)"),
     "for i in range(40):\n    with T.block(\"B\"):\n        x = T.axis.spatial(40, i)\n"
     "        T.where(A[i] > 0)\n        B[x] = A[x] * 2"},
    {"seventeen loops", F("A", "(2, 40)") ", " F("B", "(2, 40)"),
     "for a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q in "
     "T.grid(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 40):\n    with T.block(\"B\"):\n"
     "        x, y = T.axis.remap(\"SS\", [a, q])\n        B[x, y] = A[x, y] + T.float32(1)"},
    {"a product in sixteen loops",
     F("A", "(32, 32)") ", " F("B", "(32, 32)") ", " F("C", "(32, 32)"),
     "for a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p in "
     "T.grid(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 32, 32, 32):\n    with T.block(\"C\"):\n"
     "        x, y, z = T.axis.remap(\"SSR\", [n, o, p])\n"
     "        with T.init():\n            C[x, y] = T.float32(0)\n"
     "        C[x, y] = C[x, y] + A[x, z] * B[z, y]"},
    {"nothing at all", F("A", "(0, 40)") ", " F("B", "(0, 40)") ", " F("C", "(40,)"),
     "for i, j in T.grid(0, 40):\n    with T.block(\"B\"):\n"
     "        x, y = T.axis.remap(\"SS\", [i, j])\n        B[x, y] = A[x, y] + T.float32(1)\n"
     "for j in range(40):\n    with T.block(\"C\"):\n        y = T.axis.spatial(40, j)\n"
     "        C[y] = T.float32(0)\n"
     "for i, j in T.grid(40, 0):\n    with T.block(\"S\"):\n"
     "        x, y = T.axis.remap(\"SR\", [i, j])\n"
     "        with T.init():\n            C[x] = T.float32(0)\n        C[x] = C[x] + A[y, x]"},
    {"rows and terms of open extent", "a: T.handle, b: T.handle, c: T.handle",
     "m = T.int64()\nn = T.int64()\nA = T.match_buffer(a, (m, n), \"float32\")\n"
     "B = T.match_buffer(b, (n, m), \"float32\")\nC = T.match_buffer(c, (m, m), \"float32\")\n"
     "for i, j, k in T.grid(m, m, n):\n    with T.block(\"C\"):\n"
     "        x, y, z = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        with T.init():\n            C[x, y] = T.float32(0)\n"
     "        C[x, y] = C[x, y] + A[x, z] * B[z, y]"},
    {lie, F("A", "(32, 32)") ", " F("B", "(32, 32)") ", " F("C", "(32, 32)"),
     "S = T.alloc_buffer((32, 32))\n"
     "for i, j, k in T.grid(32, 32, 32):\n    with T.block(\"S\"):\n"
     "        x, y, z = T.axis.remap(\"SSR\", [i, j, k])\n"
     "        T.reads(A[x, z])\n        T.writes(S[x, y])\n"
     "        with T.init():\n            S[x, y] = T.float32(0)\n"
     "        S[x, y] = S[x, y] + A[x, z] * B[z, y]\n"
     "for i, j in T.grid(32, 32):\n    with T.block(\"C\"):\n"
     "        x, y = T.axis.remap(\"SS\", [i, j])\n"
     "        C[x, y] = T.max(S[x, y], T.float32(0))"},
    {"a window by steps of two over what others read",
     F("A", "(4, 32, 40)") ", " F("W", "(16, 4, 3, 3)") ", " F("C", "(16, 16, 20)") ", " F(
         "D", "(4, 34, 42)") ", " F("E", "(4, 34, 42)") ", " F("G", "(4, 34, 42)"),
     "P = T.alloc_buffer((4, 34, 42))\n"
     "for a, b, c in T.grid(4, 34, 42):\n    with T.block(\"P\"):\n"
     "        i, y, x = T.axis.remap(\"SSS\", [a, b, c])\n"
     "        P[i, y, x] = T.if_then_else(1 <= y and y < 33 and 1 <= x and x < 41, "
     "A[i, y - 1, x - 1], T.float32(0))\n"
     "for a, b, c, d, e, f in T.grid(16, 16, 20, 4, 3, 3):\n    with T.block(\"C\"):\n"
     "        o, y, x, i, r, q = T.axis.remap(\"SSSRRR\", [a, b, c, d, e, f])\n"
     "        with T.init():\n            C[o, y, x] = T.float32(0)\n"
     "        C[o, y, x] = C[o, y, x] + P[i, y * 2 + r, x * 2 + q] * W[o, i, r, q]\n" ALSO("D")
         ALSO("E") ALSO("G")},
};

static void odd_forms_compute_what_they_did(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    sched_case c;
    tn_module module;
    uint32_t n = 0;
    const tn_pass *const list[] = {tn_sched_passes(&n)};
    const tn_pass_opts opts = {.opt_level = 2};
    print_message("  %s\n", rows[i].name);
    sched_init(&c, rows[i].body, rows[i].params);
    tn_module_init_copy(&module, &c.before);
    assert_string_equal(list[0]->name, "default_schedule");
    expect_ok(tn_run_passes(&module, list, 1, &opts, NULL));
    tn_sched_free(c.s);
    c.s = tn_sched_new(&module, 0);
    sched_expect_verifies(&c, rows[i].name);
    if (rows[i].name != lie) {
      sched_expect_same(&c);
    }
    tn_module_deinit(&module);
    sched_deinit(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_forms_compute_what_they_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
