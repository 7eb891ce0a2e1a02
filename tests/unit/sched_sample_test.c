/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Decisions by chance: that they are allowed ones, all of them, equally often; that a given one is
 * checked; that the same seed gives the same ones. */
#include "sched_util.h"

#define AB "A: T.Buffer((24,), \"float32\"), B: T.Buffer((24,), \"float32\")"
#define ADD                              \
  "for i in range(24):\n"                \
  "    with T.block(\"B\"):\n"           \
  "        vi = T.axis.spatial(24, i)\n" \
  "        B[vi] = A[vi] + T.float32(1)"

static const sched_row rows[] = {
    {"tiles are used by a split", AB, ADD,
     "a, b, c = sample_perfect_tile(i, 3, 4, [3, 2, 4])\nsplit(i, [a, b, c])",
     "for i_0, i_1, i_2 in T.grid(3, 2, 4):\n"
     "    with T.block(\"B\"):\n"
     "        vi = T.axis.spatial(24, i_0 * 8 + i_1 * 4 + i_2)\n"
     "        T.reads(A[vi])\n        T.writes(B[vi])\n        B[vi] = A[vi] + T.float32(1.0)",
     NULL},
    {"drawn tiles are used by a split", AB, ADD,
     "a, b, c = sample_perfect_tile(i, 3)\nsplit(i, [a, b, c])", NULL, NULL},
    {"a candidate annotates", AB, ADD,
     "x = sample_categorical([4, 8], [0.5, 0.5], 1)\nannotate(i, \"k\", x)", NULL, NULL},
    {"partitioned tiles", AB, ADD,
     "a, b, c = sample_partitioned_tile(i, 3, 1, 6)\nsplit(i, [a, b, c])", NULL, NULL},
    {"one factor", AB, ADD, "a = sample_perfect_tile(i, 1, -1)", NULL, NULL},
    {"one factor that is too large", AB, ADD, "a = sample_perfect_tile(i, 1)", NULL,
     "the innermost factor, 24, is more than 16"},
    {"a decision with another product", AB, ADD, "sample_perfect_tile(i, 2, 16, [3, 7])", NULL,
     "the product of the decision is not its extent, 24"},
    {"a decision that overflows", AB, ADD,
     "sample_perfect_tile(i, 3, 16, [2147483647, 2147483647, 24])", NULL,
     "the product of the decision is not its extent, 24"},
    {"a decision of nothing", AB, ADD, "sample_perfect_tile(i, 2, 16, [0, 0])", NULL,
     "the product of the decision is not its extent, 24"},
    {"a decision with too many factors", AB, ADD, "sample_perfect_tile(i, 2, 16, [4, 3, 2])", NULL,
     "the decision has 3 factors, not 2"},
    {"a decision with a large innermost factor", AB, ADD, "sample_perfect_tile(i, 2, 6, [2, 12])",
     NULL, "the innermost factor, 12, is more than 6"},
    {"no limit of nothing", AB, ADD, "sample_perfect_tile(i, 2, 0)", NULL,
     "max_innermost_factor is 0"},
    {"no factors", AB, ADD, "sample_perfect_tile(i, 0)", NULL, "1 to 64 factors, not 0"},
    {"too many factors", AB, ADD, "sample_perfect_tile(i, 65)", NULL, "1 to 64 factors, not 65"},
    {"a part that does not divide", AB, ADD, "sample_partitioned_tile(i, 3, 1, 5)", NULL,
     "innerpart_factor 5 does not divide its extent, 24"},
    {"a part from nowhere on", AB, ADD, "sample_partitioned_tile(i, 3, 3, 2)", NULL,
     "partition_pos 3 is not in [0, 3)"},
    {"a decision with a wrong part", AB, ADD, "sample_partitioned_tile(i, 3, 2, 4, [2, 6, 2])",
     NULL, "the product of the factors from number 2 on is no multiple of 4"},
    {"an extent that is not known", "a: T.handle",
     "n = T.int64()\nA = T.match_buffer(a, (n,), \"float32\")\nfor i in range(n):\n"
     "    A[i] = T.float32(1)",
     "sample_perfect_tile(i, 2)", NULL, "only extents that are known"},
    {"no candidates", AB, ADD, "sample_categorical([], [])", NULL,
     "there are 0 candidates and 0 probabilities"},
    {"fewer probabilities", AB, ADD, "sample_categorical([1, 2], [1.0])", NULL,
     "there are 2 candidates and 1 probabilities"},
    {"a negative probability", AB, ADD, "sample_categorical([1, 2], [1.0, -0.5])", NULL,
     "probability number 1 is not a number from 0 up"},
    {"all impossible", AB, ADD, "sample_categorical([1, 2], [0.0, 0.0])", NULL,
     "the probabilities do not sum up to a number above 0"},
    {"a decision that is no candidate", AB, ADD, "sample_categorical([1, 2], [0.5, 0.5], 2)", NULL,
     "the decision 2 is not in [0, 1]"},
    {"a block that nobody reads stays", AB, ADD, "x = sample_compute_location(B)", NULL, NULL},
    {"a place that is none", AB, ADD, "x = sample_compute_location(B, 0)", NULL,
     "it can not be computed at place 0"},
    {"a producer goes into a loop of its consumer", AB ", C: T.Buffer((24,), \"float32\")",
     "X = T.alloc_buffer((24,))\n"
     "for i in range(24):\n    with T.block(\"X\"):\n        vi = T.axis.spatial(24, i)\n"
     "        X[vi] = A[vi] + T.float32(1)\n"
     "for j in range(24):\n    with T.block(\"C\"):\n        vj = T.axis.spatial(24, j)\n"
     "        C[vj] = X[vj] + B[vj]",
     "x = sample_compute_location(X, 0)\ncompute_at(X, x)", NULL, NULL},
    {"a producer stays by decision", AB ", C: T.Buffer((24,), \"float32\")",
     "X = T.alloc_buffer((24,))\n"
     "for i in range(24):\n    with T.block(\"X\"):\n        vi = T.axis.spatial(24, i)\n"
     "        X[vi] = A[vi] + T.float32(1)\n"
     "for j in range(24):\n    with T.block(\"C\"):\n        vj = T.axis.spatial(24, j)\n"
     "        C[vj] = X[vj] + B[vj]",
     "x = sample_compute_location(X, -1)\ncompute_at(X, x)", NULL, NULL},
};

static void decisions_are_used_and_checked(void **state) {
  (void)state;
  sched_check_rows(rows, TN_N_ROWS(rows));
}

static int64_t factor(sched_case *c, uint32_t i) {
  int64_t value = 0;
  expect_true(tn_sched_value(c->s, c->out->in[i], &value), "a factor has a value");
  return value;
}

/* 24 in three factors with the last at most 4: the last is 1, 2, 3 or 4, the rest 24, 12, 8 or 6 in
 * two: 8 + 6 + 4 + 4 = 22 ways. */
static void tiles_are_uniform_over_what_is_allowed(void **state) {
  (void)state;
  enum { N = 6600, WAYS = 22 };
  sched_case c;
  const char *end = NULL;
  int32_t n_seen[25][5] = {{0}};
  int32_t n_ways = 0;
  sched_init(&c, ADD, AB);
  for (int32_t i = 0; i < N; ++i) {
    expect_ok(sched_step(&c, "sample_perfect_tile(i, 3, 4)", &end));
    assert_int_equal(factor(&c, 0) * factor(&c, 1) * factor(&c, 2), 24);
    assert_true(factor(&c, 2) <= 4);
    ++n_seen[factor(&c, 0)][factor(&c, 2)];
  }
  for (int32_t a = 0; a < 25; ++a) {
    for (int32_t b = 0; b < 5; ++b) {
      n_ways += n_seen[a][b] > 0;
      expect_true(n_seen[a][b] == 0 || abs(n_seen[a][b] - N / WAYS) < 90, "%d x ? x %d: %d times",
                  a, b, n_seen[a][b]);
    }
  }
  assert_int_equal(n_ways, WAYS);
  sched_deinit(&c);
}

static void candidates_come_as_often_as_they_should(void **state) {
  (void)state;
  sched_case c;
  const char *end = NULL;
  int32_t n[3] = {0};
  sched_init(&c, ADD, AB);
  for (int32_t i = 0; i < 1000; ++i) {
    int64_t value = 0;
    expect_ok(sched_step(&c, "sample_categorical([0, 1, 2], [1.0, 0.0, 3.0])", &end));
    assert_true(tn_sched_value(c.s, c.out, &value));
    ++n[value];
  }
  assert_int_equal(n[1], 0);
  assert_true(n[0] > 200 && n[0] < 300);
  sched_deinit(&c);
}

static void the_same_seed_gives_the_same_decisions(void **state) {
  (void)state;
  sched_case a;
  sched_case b;
  const char *end = NULL;
  sched_init(&a, ADD, AB);
  sched_init(&b, ADD, AB);
  for (int32_t i = 0; i < 20; ++i) {
    expect_ok(sched_step(&a, "sample_perfect_tile(i, 4)", &end));
    expect_ok(sched_step(&b, "sample_perfect_tile(i, 4)", &end));
    for (uint32_t k = 0; k < 4; ++k) {
      assert_int_equal(factor(&a, k), factor(&b, k));
    }
  }
  sched_deinit(&a);
  sched_deinit(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decisions_are_used_and_checked),
      cmocka_unit_test(tiles_are_uniform_over_what_is_allowed),
      cmocka_unit_test(candidates_come_as_often_as_they_should),
      cmocka_unit_test(the_same_seed_gives_the_same_decisions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
