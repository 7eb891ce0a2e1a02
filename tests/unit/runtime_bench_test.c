/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The logic of the bench core, on a clock and a yardstick that the tests turn themselves. */
#include "tn_test.h"

#include "runtime/bench.h"

/* A machine made of numbers: calls take call_ns each, the yardstick reads a script. */
typedef struct machine {
  int64_t time_ns;
  int64_t call_ns[3];
  int64_t n_calls[3];
  int64_t fail_at;          /* the call of A that fails; 0: none */
  const double *yardsticks; /* read in turn, the last one for ever */
  size_t n_yardsticks;
  size_t n_read;
  char order[64]; /* "AABB...": which calls came */
  size_t n_order;
} machine;

static int64_t machine_clock(void *ctx) { return ((machine *)ctx)->time_ns; }

static double machine_yardstick(void *ctx) {
  machine *m = ctx;
  size_t i = m->n_read < m->n_yardsticks ? m->n_read : m->n_yardsticks - 1;
  ++m->n_read;
  return m->yardsticks[i];
}

static tn_status run(machine *m, int k) {
  m->time_ns += m->call_ns[k];
  ++m->n_calls[k];
  if (m->n_order + 1 < sizeof m->order) {
    m->order[m->n_order++] = (char)('A' + k);
  }
  if (k == 0 && m->n_calls[0] == m->fail_at) {
    return TN_ERR(TN_INTERNAL, "the kernel failed");
  }
  return NULL;
}
static tn_status run_a(void *ctx) { return run(ctx, 0); }
static tn_status run_b(void *ctx) { return run(ctx, 1); }
static tn_status run_c(void *ctx) { return run(ctx, 2); }

static const double steady[] = {100};

static tn_status measure(machine *m, int32_t n, const tn_bench_opts *opts, tn_bench_result *out) {
  const tn_bench_meter meter = {machine_clock, machine_yardstick, m};
  const tn_bench_call calls[] = {{run_a, m}, {run_b, m}, {run_c, m}};
  return tn_bench_run(&meter, calls, n, opts, out);
}

static void the_number_of_calls_grows_until_a_sample_is_long_enough(void **state) {
  (void)state;
  static const struct {
    int64_t call_ns, number, least, most;
    double min_repeat_ms;
  } rows[] = {
      {1000, 1, 1000, 1500, 1.0}, {1, 1, 1000000, 1500000, 1.0}, {5000000, 1, 1, 1, 1.0},
      {1000, 7, 7, 7, 0},         {1000, 5000, 5000, 5000, 1.0},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    machine m = {.call_ns = {rows[i].call_ns, 0}, .yardsticks = steady, .n_yardsticks = 1};
    tn_bench_opts opts = {rows[i].number, 3, rows[i].min_repeat_ms, 0, 0.1, 0};
    tn_bench_result r = {0};
    expect_ok(measure(&m, 1, &opts, &r));
    expect_true(r.number >= rows[i].least && r.number <= rows[i].most, "row %zu: %lld", i,
                (long long)r.number);
    tn_bench_result_deinit(&r);
  }
}

static void a_steady_machine_gives_what_was_put_in(void **state) {
  (void)state;
  machine m = {.call_ns = {2000, 0}, .yardsticks = steady, .n_yardsticks = 1};
  tn_bench_opts opts = {10, 5, 0, 0, 0.1, 3};
  tn_bench_result r = {0};
  expect_ok(measure(&m, 1, &opts, &r));
  assert_int_equal(r.number, 10);
  assert_int_equal(r.repeat, 5);
  assert_int_equal(r.n_discarded, 0);
  assert_int_equal(m.n_calls[0], 1 + 5 * 10);
  assert_true(r.min_us == 2 && r.median_us == 2 && r.mean_us == 2 && r.max_us == 2);
  assert_true(r.stddev_us == 0 && r.yardstick_gflops == 100);
  /* 2 us at 100 GFLOP/s are 200,000 operations */
  assert_true(tn_bench_share(&r, 150000, 1) == 0.75);
  assert_true(tn_bench_share(&r, 150000, 2) == 0.375);
  tn_bench_result_deinit(&r);
}

/* A kernel that takes another time in each sample. */
static tn_status run_growing(void *ctx) {
  machine *m = ctx;
  m->time_ns += ++m->n_calls[0] * 1000;
  return NULL;
}

static void figures_come_from_all_samples(void **state) {
  (void)state;
  machine m = {.yardsticks = steady, .n_yardsticks = 1};
  const tn_bench_meter meter = {machine_clock, machine_yardstick, &m};
  const tn_bench_call call = {run_growing, &m};
  tn_bench_opts opts = {1, 4, 0, 0, 0.1, 0};
  tn_bench_result r = {0};
  expect_ok(tn_bench_run(&meter, &call, 1, &opts, &r)); /* after the warm-up: 2, 3, 4, 5 us */
  assert_true(r.min_us == 2 && r.max_us == 5 && r.mean_us == 3.5 && r.median_us == 3.5);
  assert_true(r.stddev_us > 1.118 && r.stddev_us < 1.1181);
  assert_true(r.sample_us[0] == 2 && r.sample_us[3] == 5);
  tn_bench_result_deinit(&r);
}

static void a_sample_during_which_the_machine_changed_is_repeated(void **state) {
  (void)state;
  static const double jumps[] = {100, 80, 100, 95, 100};
  machine m = {.call_ns = {1000, 0}, .yardsticks = jumps, .n_yardsticks = 5};
  tn_bench_opts opts = {1, 3, 0, 0, 0.1, 10};
  tn_bench_result r = {0};
  expect_ok(measure(&m, 1, &opts, &r));
  assert_int_equal(r.n_discarded, 1);
  assert_int_equal(r.n_unsteady, 0);
  assert_true(r.sample_gflops[0] == 97.5);
  assert_int_equal(m.n_calls[0], 1 + 4);
  tn_bench_result_deinit(&r);
}

static void discarding_ends_at_its_cap_and_says_so(void **state) {
  (void)state;
  static const double wild[] = {100, 50, 100, 50, 100, 50, 100, 50, 100, 50,
                                100, 50, 100, 50, 100, 50, 100, 50, 100, 50};
  machine m = {.call_ns = {1000, 0}, .yardsticks = wild, .n_yardsticks = TN_N_ROWS(wild)};
  tn_bench_opts opts = {1, 4, 0, 0, 0.1, 3};
  tn_bench_result r = {0};
  expect_ok(measure(&m, 1, &opts, &r));
  assert_int_equal(r.n_discarded, 3);
  assert_int_equal(r.n_unsteady, 4);
  assert_int_equal(m.n_calls[0], 1 + 3 + 4);
  tn_bench_result_deinit(&r);
}

static void without_a_drift_no_yardstick_is_taken(void **state) {
  (void)state;
  machine m = {.call_ns = {1000, 0}, .yardsticks = steady, .n_yardsticks = 1};
  tn_bench_opts opts = {1, 4, 0, 0, 0, 3};
  tn_bench_result r = {0};
  expect_ok(measure(&m, 1, &opts, &r));
  assert_int_equal(m.n_read, 0);
  assert_true(r.yardstick_gflops == 0 && r.n_discarded == 0 && r.n_unsteady == 0);
  assert_true(tn_bench_share(&r, 1, 1) == 0);
  tn_bench_result_deinit(&r);
}

static void two_calls_are_measured_in_turn(void **state) {
  (void)state;
  machine m = {.call_ns = {1000, 3000}, .yardsticks = steady, .n_yardsticks = 1};
  tn_bench_opts opts = {2, 3, 0, 0, 0.1, 0};
  tn_bench_result r[2] = {{0}};
  expect_ok(measure(&m, 2, &opts, r));
  assert_string_equal(m.order, "AB"
                               "AABB"
                               "AABB"
                               "AABB");
  assert_true(r[0].median_us == 1 && r[1].median_us == 3);
  tn_bench_result_deinit(&r[0]);
  tn_bench_result_deinit(&r[1]);
}

static void a_round_of_three_is_taken_again_as_a_whole(void **state) {
  (void)state;
  /* four yardsticks a round; the machine changes beside C of the first one */
  static const double jumps[] = {100, 100, 100, 50, 100};
  machine m = {.call_ns = {1000, 3000, 9000}, .yardsticks = jumps, .n_yardsticks = 5};
  tn_bench_opts opts = {1, 1, 0, 0, 0.1, 5};
  tn_bench_result r[3] = {{0}};
  expect_ok(measure(&m, 3, &opts, r));
  assert_string_equal(m.order, "ABC"
                               "ABC"
                               "ABC");
  assert_true(r[0].median_us == 1 && r[1].median_us == 3 && r[2].median_us == 9);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(r[i].n_discarded, 1);
    tn_bench_result_deinit(&r[i]);
  }
}

static void so_many_calls_are_refused(void **state) {
  (void)state;
  static const int32_t numbers[] = {-1, 0, TN_BENCH_MAX_CALLS + 1};
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  for (size_t i = 0; i < TN_N_ROWS(numbers); ++i) {
    expect_error(tn_bench_in_turn(NULL, numbers[i], &opts, NULL), TN_INVALID,
                 "calls to measure in turn");
  }
}

static void the_warm_up_lasts_as_long_as_asked(void **state) {
  (void)state;
  machine m = {.call_ns = {1000000, 0}, .yardsticks = steady, .n_yardsticks = 1};
  tn_bench_opts opts = {1, 1, 0, 5, 0.1, 0};
  tn_bench_result r = {0};
  expect_ok(measure(&m, 1, &opts, &r));
  assert_int_equal(m.n_calls[0], 5 + 1);
  tn_bench_result_deinit(&r);
}

static void an_error_of_the_call_ends_the_measurement(void **state) {
  (void)state;
  for (int64_t fail_at = 1; fail_at <= 4; ++fail_at) {
    machine m = {.call_ns = {1000, 0}, .yardsticks = steady, .n_yardsticks = 1, .fail_at = fail_at};
    tn_bench_opts opts = {1, 3, 0, 0, 0.1, 0};
    tn_bench_result r = {0};
    expect_error(measure(&m, 1, &opts, &r), TN_INTERNAL, "the kernel failed");
    assert_null(r.sample_us);
    assert_int_equal(m.n_calls[0], fail_at);
  }
}

static void options_out_of_range_are_refused(void **state) {
  (void)state;
  static const struct {
    tn_bench_opts opts;
    const char *part;
  } rows[] = {
      {{0, 1, 0, 0, 0, 0}, "number of calls"},
      {{1, 0, 0, 0, 0, 0}, "number of samples"},
      {{1, 1, -1, 0, 0, 0}, "times"},
      {{1, 1, 0, 1e9, 0, 0}, "times"},
      {{1, 1, 0, 0, 2, 0}, "drift"},
      {{1, 1, 0, 0, 0, -1}, "discards"},
      {{-5, 1, 0, 0, 0, 0}, "number of calls"},
      {{1, 2000000000, 0, 0, 0, 0}, "number of samples"},
      {{1, 1, 0.0 / 0.0, 0, 0, 0}, "times"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    machine m = {.yardsticks = steady, .n_yardsticks = 1};
    tn_bench_result r = {0};
    expect_error(measure(&m, 1, &rows[i].opts, &r), TN_INVALID, rows[i].part);
  }
}

static void the_real_clock_and_yardstick_work(void **state) {
  (void)state;
  machine m = {0};
  const tn_bench_call call = {run_a, &m};
  tn_bench_opts opts = {1, 3, 0.01, 0, 0.1, 2};
  tn_bench_pair pair;
  expect_ok(tn_bench_compare(&call, &call, &opts, &pair));
  assert_true(pair.a.median_us > 0 && pair.b.median_us > 0 && pair.ratio > 0);
  assert_true(pair.a.yardstick_gflops > 0);
  print_message("yardstick %s: %.1f GFLOP/s\n", tn_bench_yardstick_name(), pair.a.yardstick_gflops);
  tn_bench_pair_deinit(&pair);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_number_of_calls_grows_until_a_sample_is_long_enough),
      cmocka_unit_test(a_steady_machine_gives_what_was_put_in),
      cmocka_unit_test(figures_come_from_all_samples),
      cmocka_unit_test(a_sample_during_which_the_machine_changed_is_repeated),
      cmocka_unit_test(discarding_ends_at_its_cap_and_says_so),
      cmocka_unit_test(without_a_drift_no_yardstick_is_taken),
      cmocka_unit_test(two_calls_are_measured_in_turn),
      cmocka_unit_test(a_round_of_three_is_taken_again_as_a_whole),
      cmocka_unit_test(so_many_calls_are_refused),
      cmocka_unit_test(the_warm_up_lasts_as_long_as_asked),
      cmocka_unit_test(an_error_of_the_call_ends_the_measurement),
      cmocka_unit_test(options_out_of_range_are_refused),
      cmocka_unit_test(the_real_clock_and_yardstick_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
