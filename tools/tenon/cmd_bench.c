/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon bench: times a function with the project's one bench core (tenon/bench.h). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "session.h"
#include "tenon/bench.h"

static const cli_option bench_options[] = {
    CLI_OPT_FUNC,
    CLI_OPT_INPUT,
    CLI_OPT_RANDOM,
    CLI_OPT_SIZE,
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_THREADS,
    {"number", 0, "N", "calls a sample (default: as many as fill --min-repeat-ms)"},
    {"repeat", 0, "N", "samples (default 21)"},
    {"min-repeat-ms", 0, "MS", "least time of a sample (default 1)"},
    {"interpret", 0, NULL, "time the reference interpreters"},
    {"json", 0, NULL, "print one JSON object"},
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
};

static tn_status call(void *ctx) {
  tn_arg ret = tn_arg_none();
  tn_status st = session_call(ctx, &ret);
  tn_arg_release(&ret);
  return st;
}

static void print_json(const session *s, int64_t n_threads, const tn_bench_result *r) {
  json_t *object = json_pack(
      "{s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "name", s->func, "threads",
      (json_int_t)n_threads, "number", (json_int_t)r->number, "repeat", r->repeat, "min_us",
      r->min_us, "median_us", r->median_us, "mean_us", r->mean_us, "max_us", r->max_us, "stddev_us",
      r->stddev_us, "yardstick_gflops", r->yardstick_gflops, "n_discarded", r->n_discarded);
  char *text = json_dumps(object, JSON_INDENT(2));
  if (text != NULL) {
    puts(text);
  }
  free(text);
  json_decref(object);
}

static int run_bench(const cli_args *args) {
  cli_compile compile;
  session s = {0};
  tn_bench_result result = {0};
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  int64_t n_threads = 0;
  int64_t number = 0;
  int64_t repeat = 0;
  int64_t min_ms = 0;
  if (!session_check_args(args) || !cli_int(args, "threads", 1, 1024, 0, &n_threads) ||
      !cli_int(args, "number", 1, INT32_MAX, opts.number, &number) ||
      !cli_int(args, "repeat", 1, 100000, opts.repeat, &repeat) ||
      !cli_int(args, "min-repeat-ms", 0, 1000000, cli_value(args, "number") != NULL ? 0 : 1,
               &min_ms) ||
      !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  opts.number = number;
  opts.repeat = (int32_t)repeat;
  opts.min_repeat_ms = (double)min_ms;
  tn_status st =
      session_open(args, &compile, (int32_t)n_threads, cli_value(args, "interpret") != NULL, &s);
  st = st == NULL ? tn_bench_measure(&(tn_bench_call){call, &s}, &opts, &result) : st;
  if (st == NULL) {
    n_threads = tn_pool_n_threads(tn_runtime_pool(s.rt));
    if (cli_value(args, "json") != NULL) {
      print_json(&s, n_threads, &result);
    } else {
      printf("%s, %lld threads: median %.3f us, min %.3f, mean %.3f, max %.3f, stddev %.3f (%d "
             "samples of %lld calls)\n",
             s.func, (long long)n_threads, result.median_us, result.min_us, result.mean_us,
             result.max_us, result.stddev_us, result.repeat, (long long)result.number);
    }
  }
  tn_bench_result_deinit(&result);
  session_close(&s);
  return cli_finish(st);
}

const cli_command cli_cmd_bench = {"bench",
                                   "FILE",
                                   1,
                                   "measure how long a function takes",
                                   bench_options,
                                   sizeof bench_options / sizeof *bench_options,
                                   run_bench};
