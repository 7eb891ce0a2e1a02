/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The bench core: warm-up, calibration, samples with a yardstick on either side, the discard rule,
 * alternation, and the figures of a result. */
#include "runtime/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "runtime/mem.h"

enum { MAX_REPEAT = 1000000 };
static const int64_t max_number = 1000000000000;

/* What one measurement needs at hand. */
typedef struct session {
  const tn_bench_meter *meter;
  const tn_bench_call *calls;
  const tn_bench_opts *opts;
  int32_t n_calls;
  int64_t number[TN_BENCH_MAX_CALLS];
} session;

static bool is_out_of(double value, double lo, double hi) { return !(value >= lo && value <= hi); }

static tn_status check_opts(const tn_bench_opts *opts) {
  if (opts->number < 1 || opts->number > max_number) {
    return TN_ERR(TN_INVALID, "number of calls a sample is %lld; 1 or more is expected",
                  (long long)opts->number);
  }
  if (opts->repeat < 1 || opts->repeat > MAX_REPEAT) {
    return TN_ERR(TN_INVALID, "number of samples is %d; 1 to %d is expected", opts->repeat,
                  MAX_REPEAT);
  }
  if (is_out_of(opts->min_repeat_ms, 0, 1e7) || is_out_of(opts->warmup_ms, 0, 1e7)) {
    return TN_ERR(TN_INVALID,
                  "times of %g and %g ms for a sample and the warm-up; 0 to 1e7 are "
                  "expected",
                  opts->min_repeat_ms, opts->warmup_ms);
  }
  if (is_out_of(opts->max_drift, 0, 1) || opts->max_discards < 0) {
    return TN_ERR(TN_INVALID, "a drift of %g and %d discards; 0 to 1, and 0 or more are expected",
                  opts->max_drift, opts->max_discards);
  }
  return NULL;
}

static int64_t now_ns(const session *s) { return s->meter->clock_ns(s->meter->ctx); }

/* Runs call `k` `number` times; *out_ns is the time of all of them. */
static tn_status run_sample(const session *s, int32_t k, int64_t number, int64_t *out_ns) {
  const tn_bench_call *call = &s->calls[k];
  int64_t start_ns = now_ns(s);
  for (int64_t i = 0; i < number; ++i) {
    TN_TRY(call->run(call->ctx));
  }
  *out_ns = now_ns(s) - start_ns;
  return NULL;
}

static tn_status warm_up(const session *s, int32_t k) {
  int64_t end_ns = now_ns(s) + (int64_t)(s->opts->warmup_ms * 1e6);
  int64_t n_ns = 0;
  do {
    TN_TRY(run_sample(s, k, 1, &n_ns));
  } while (now_ns(s) < end_ns);
  return NULL;
}

/* Raises the number of calls until a sample is long enough. Each step aims a fifth past the goal,
 * at most tenfold: a first call that was slow or fast by chance must not decide alone. */
static tn_status calibrate(session *s, int32_t k) {
  double goal_ns = s->opts->min_repeat_ms * 1e6;
  int64_t number = s->opts->number;
  while (goal_ns > 0 && number < max_number) {
    int64_t n_ns = 0;
    TN_TRY(run_sample(s, k, number, &n_ns));
    if ((double)n_ns >= goal_ns) {
      break;
    }
    double factor = 1.2 * goal_ns / (double)(n_ns > 0 ? n_ns : 1);
    factor = factor > 10 ? 10 : factor;
    int64_t raised = (int64_t)((double)number * factor) + 1;
    number = raised > max_number ? max_number : raised;
  }
  s->number[k] = number;
  return NULL;
}

static double yardstick(const session *s) {
  return s->opts->max_drift > 0 ? s->meter->yardstick_gflops(s->meter->ctx) : 0;
}

/* One sample of each call, in turn, with the yardstick before, between and after. */
typedef struct round_times {
  double us[TN_BENCH_MAX_CALLS];
  double gflops[TN_BENCH_MAX_CALLS];
  bool is_steady;
} round_times;

static tn_status run_round(const session *s, round_times *out_round) {
  double before = yardstick(s);
  double lo = before;
  double hi = before;
  for (int32_t k = 0; k < s->n_calls; ++k) {
    int64_t n_ns = 0;
    TN_TRY(run_sample(s, k, s->number[k], &n_ns));
    double after = yardstick(s);
    out_round->us[k] = (double)n_ns / 1e3 / (double)s->number[k];
    out_round->gflops[k] = (before + after) / 2;
    lo = after < lo ? after : lo;
    hi = after > hi ? after : hi;
    before = after;
  }
  out_round->is_steady = hi - lo <= s->opts->max_drift * hi;
  return NULL;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts `values`. The mean of the middle two when their number is even. */
static double median_of(double *values, int32_t n) {
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Figures from the samples; `scratch` has room for them. */
static void summarize(tn_bench_result *r, double *scratch) {
  size_t n_bytes = (size_t)r->repeat * sizeof *scratch;
  double sum = 0;
  for (int32_t i = 0; i < r->repeat; ++i) {
    sum += r->sample_us[i];
  }
  r->mean_us = sum / r->repeat;
  double squares = 0;
  for (int32_t i = 0; i < r->repeat; ++i) {
    double off = r->sample_us[i] - r->mean_us;
    squares += off * off;
  }
  r->stddev_us = sqrt(squares / r->repeat);
  memcpy(scratch, r->sample_gflops, n_bytes);
  r->yardstick_gflops = median_of(scratch, r->repeat);
  memcpy(scratch, r->sample_us, n_bytes);
  r->median_us = median_of(scratch, r->repeat);
  r->min_us = scratch[0];
  r->max_us = scratch[r->repeat - 1];
}

static tn_status result_init(tn_bench_result *r, int32_t repeat) {
  size_t n_bytes = (size_t)repeat * sizeof(double);
  *r = (tn_bench_result){.repeat = repeat};
  r->sample_us = tn_mem_alloc(n_bytes);
  r->sample_gflops = tn_mem_alloc(n_bytes);
  if (r->sample_us == NULL || r->sample_gflops == NULL) {
    return tn_mem_error("the samples of a measurement", n_bytes);
  }
  return NULL;
}

/* Takes rounds until there are enough, discarding while there is leave to. */
static tn_status run_rounds(const session *s, tn_bench_result *results) {
  int32_t n_discarded = 0;
  int32_t n_unsteady = 0;
  for (int32_t i = 0; i < s->opts->repeat;) {
    round_times round = {0};
    TN_TRY(run_round(s, &round));
    if (!round.is_steady && n_discarded < s->opts->max_discards) {
      ++n_discarded;
      continue;
    }
    n_unsteady += round.is_steady ? 0 : 1;
    for (int32_t k = 0; k < s->n_calls; ++k) {
      results[k].sample_us[i] = round.us[k];
      results[k].sample_gflops[i] = round.gflops[k];
    }
    ++i;
  }
  for (int32_t k = 0; k < s->n_calls; ++k) {
    results[k].number = s->number[k];
    results[k].n_discarded = n_discarded;
    results[k].n_unsteady = n_unsteady;
  }
  return NULL;
}

tn_status tn_bench_run(const tn_bench_meter *meter, const tn_bench_call *calls, int32_t n_calls,
                       const tn_bench_opts *opts, tn_bench_result *out_results) {
  tn_status st = NULL;
  session s = {.meter = meter, .calls = calls, .opts = opts, .n_calls = n_calls};
  tn_bench_result results[TN_BENCH_MAX_CALLS] = {{0}};
  double *scratch = NULL;
  TN_GOTO(st, check_opts(opts), done);
  for (int32_t k = 0; k < n_calls; ++k) {
    TN_GOTO(st, result_init(&results[k], opts->repeat), done);
  }
  scratch = tn_mem_alloc((size_t)opts->repeat * sizeof *scratch);
  if (scratch == NULL) {
    st = tn_mem_error("the samples of a measurement", (size_t)opts->repeat * sizeof *scratch);
    goto done;
  }
  for (int32_t k = 0; k < n_calls; ++k) {
    TN_GOTO(st, warm_up(&s, k), done);
    TN_GOTO(st, calibrate(&s, k), done);
  }
  TN_GOTO(st, run_rounds(&s, results), done);
  for (int32_t k = 0; k < n_calls; ++k) {
    summarize(&results[k], scratch);
    out_results[k] = results[k];
    results[k] = (tn_bench_result){0};
  }
done:
  tn_mem_free(scratch);
  for (int32_t k = 0; k < n_calls; ++k) {
    tn_bench_result_deinit(&results[k]);
  }
  return st;
}

static int64_t real_clock_ns(void *ctx) {
  (void)ctx;
  return tn_clock_ns();
}

static double real_yardstick(void *ctx) {
  (void)ctx;
  return tn_bench_yardstick_gflops();
}

static const tn_bench_meter real_meter = {real_clock_ns, real_yardstick, NULL};

tn_status tn_bench_measure(const tn_bench_call *call, const tn_bench_opts *opts,
                           tn_bench_result *out_result) {
  return tn_bench_run(&real_meter, call, 1, opts, out_result);
}

tn_status tn_bench_in_turn(const tn_bench_call *calls, int32_t n_calls, const tn_bench_opts *opts,
                           tn_bench_result *out_results) {
  if (n_calls < 1 || n_calls > TN_BENCH_MAX_CALLS) {
    return TN_ERR(TN_INVALID, "%d calls to measure in turn; 1 to %d are expected", n_calls,
                  TN_BENCH_MAX_CALLS);
  }
  return tn_bench_run(&real_meter, calls, n_calls, opts, out_results);
}

tn_status tn_bench_compare(const tn_bench_call *a, const tn_bench_call *b,
                           const tn_bench_opts *opts, tn_bench_pair *out_pair) {
  const tn_bench_call calls[] = {*a, *b};
  tn_bench_result results[2] = {{0}};
  TN_TRY(tn_bench_in_turn(calls, 2, opts, results));
  *out_pair = (tn_bench_pair){.a = results[0], .b = results[1]};
  out_pair->ratio = out_pair->a.median_us / out_pair->b.median_us;
  return NULL;
}

static double cpu_ms(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

tn_status tn_bench_rest(void *ctx) {
  enum { MAX_STEPS = 100, STEP_MS = 5 }; /* OpenBLAS's threads spin for as long as 110 ms */
  const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
  double before = cpu_ms();
  (void)ctx;
  for (int32_t i = 0; i < MAX_STEPS; ++i) {
    (void)nanosleep(&step, NULL);
    double now = cpu_ms();
    if (now - before < 0.1 * STEP_MS) {
      break;
    }
    before = now;
  }
  return NULL;
}

void tn_bench_result_deinit(tn_bench_result *result) {
  tn_mem_free(result->sample_us);
  tn_mem_free(result->sample_gflops);
  *result = (tn_bench_result){0};
}

void tn_bench_pair_deinit(tn_bench_pair *pair) {
  tn_bench_result_deinit(&pair->a);
  tn_bench_result_deinit(&pair->b);
}

double tn_bench_share(const tn_bench_result *result, double flops, int32_t n_threads) {
  double *shares = tn_mem_alloc((size_t)result->repeat * sizeof *shares);
  if (shares == NULL || result->repeat < 1) {
    tn_mem_free(shares);
    return 0;
  }
  for (int32_t i = 0; i < result->repeat; ++i) {
    double peak = result->sample_gflops[i] * 1e3 * n_threads; /* operations a microsecond */
    double able = peak * result->sample_us[i];
    shares[i] = able > 0 ? flops / able : 0;
  }
  double share = median_of(shares, result->repeat);
  tn_mem_free(shares);
  return share;
}
