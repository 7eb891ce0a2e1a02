/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon bench: times a function with the project's one bench core (tenon/bench.h). What is measured
 * is a list of variants, which take turns; the first is the file that was named, the others are
 * compared with it, in what they compute and in how fast. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
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
    {"vs", 0, "FILE|naive",
     "measure this program in turn with the first, on the same inputs, and compare both; naive: "
     "the "
     "first as its text stands"},
    {"number", 0, "N", "calls a sample (default: as many as fill --min-repeat-ms)"},
    {"repeat", 0, "N", "samples (default 21)"},
    {"min-repeat-ms", 0, "MS", "least time of a sample (default 1)"},
    {"interpret", 0, NULL, "time the reference interpreters"},
    {"json", 0, NULL, "print one JSON object"},
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
};

enum { MAX_VARIANTS = 2 };

/* One program to measure. */
typedef struct variant {
  const char *name;
  session *s; /* owned */
  bool is_counted;
  tn_flop_count count;
  tn_bench_result result;
  double gflops;            /* 0: not known, as all below */
  double peak_percent;      /* of what the machine can do with these threads in this type */
  double yardstick_percent; /* of what the core did beside each sample, in float32 */
} variant;

typedef struct bench {
  const cli_args *args;
  cli_compile compile;
  tn_bench_opts opts;
  int64_t n_threads;
  variant variants[MAX_VARIANTS];
  int32_t n;
} bench;

static tn_status call(void *ctx) {
  tn_arg ret = tn_arg_none();
  tn_status st = session_call(ctx, &ret);
  tn_arg_release(&ret);
  return st;
}

/* ---- the variants ---- */

static tn_status add_variant(bench *b, const char *path, const char *name) {
  variant *v = &b->variants[b->n];
  cli_args args = *b->args;
  char *operands[] = {(char *)(uintptr_t)path}; /* the table of operands is argv's, not const */
  args.operands = operands;
  v->name = name;
  v->s = calloc(1, sizeof *v->s);
  if (v->s == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a program to measure");
  }
  ++b->n;
  tn_status st = session_open(&args, &b->compile, (int32_t)b->n_threads,
                              cli_value(b->args, "interpret") != NULL, v->s);
  if (st != NULL) {
    return st;
  }
  b->n_threads = tn_pool_n_threads(tn_runtime_pool(v->s->rt));
  if (v->s->program != NULL && !v->s->is_graph) {
    tn_status why =
        tn_program_count_flops(v->s->program, v->s->func, v->s->args, v->s->n_params, &v->count);
    v->is_counted = why == NULL && v->count.flops > 0;
    tn_status_free(why); /* a loop whose turns the data decide has no count */
  }
  return NULL;
}

static tn_status add_variants(bench *b) {
  const char *vs = cli_value(b->args, "vs");
  const char *path = b->args->operands[0];
  tn_status st = add_variant(b, path, path);
  if (st == NULL && vs != NULL) {
    st = add_variant(b, strcmp(vs, "naive") == 0 ? path : vs, vs);
  }
  for (int32_t i = 1; st == NULL && i < b->n; ++i) {
    st = answers_compare(b->variants[0].s, b->variants[i].s, b->variants[0].name,
                         b->variants[i].name);
  }
  return st;
}

static void free_variants(bench *b) {
  for (int32_t i = 0; i < b->n; ++i) {
    tn_bench_result_deinit(&b->variants[i].result);
    session_close(b->variants[i].s);
    free(b->variants[i].s);
  }
}

/* ---- the figures ---- */

/* What the machine can do in a type, with so many threads; 0: not known. */
static double peak_gflops(const tn_peak *peak, tn_dtype dtype, int64_t n_threads) {
  tn_peak_kind kind = TN_PEAK_F32;
  switch (dtype) {
    case TN_DT_F32:
      break;
    case TN_DT_F64:
      kind = TN_PEAK_F64;
      break;
    case TN_DT_BF16:
      kind = TN_PEAK_BF16;
      break;
    default:
      return 0;
  }
  const double *gops = peak->gops[kind];
  return n_threads >= peak->n_cpus ? gops[TN_PEAK_ALL_THREADS]
                                   : gops[TN_PEAK_ONE_THREAD] * (double)n_threads;
}

static void rate(variant *v, const tn_peak *peak, int64_t n_threads) {
  double peak_now = peak_gflops(peak, v->count.dtype, n_threads);
  v->gflops = v->count.flops / v->result.median_us * 1e-3;
  v->peak_percent = peak_now > 0 ? 100 * v->gflops / peak_now : 0;
  if (v->count.dtype == TN_DT_F32) {
    v->yardstick_percent = 100 * tn_bench_share(&v->result, v->count.flops, (int32_t)n_threads);
  }
}

static tn_status measure(bench *b) {
  tn_bench_call calls[MAX_VARIANTS];
  tn_bench_result results[MAX_VARIANTS];
  tn_peak peak = {0};
  bool is_counted = false;
  for (int32_t i = 0; i < b->n; ++i) {
    calls[i] = (tn_bench_call){call, b->variants[i].s};
    is_counted = is_counted || b->variants[i].is_counted;
  }
  tn_status st = is_counted ? tn_peak_get(false, &peak, NULL) : NULL;
  st = st == NULL ? tn_bench_in_turn(calls, b->n, &b->opts, results) : st;
  for (int32_t i = 0; st == NULL && i < b->n; ++i) {
    b->variants[i].result = results[i];
    if (b->variants[i].is_counted) {
      rate(&b->variants[i], &peak, b->n_threads);
    }
  }
  return st;
}

/* How many times as fast as variant `i` the first one is. */
static double ratio(const bench *b, int32_t i) {
  return b->variants[i].result.median_us / b->variants[0].result.median_us;
}

/* ---- printing ---- */

static void set_figure(json_t *object, const char *key, double value) {
  (void)json_object_set_new(object, key, value > 0 ? json_real(value) : json_null());
}

static json_t *to_json(const bench *b, const variant *v) {
  const tn_bench_result *r = &v->result;
  json_t *object =
      json_pack("{s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i}", "name", v->s->func,
                "threads", (json_int_t)b->n_threads, "number", (json_int_t)r->number, "repeat",
                r->repeat, "min_us", r->min_us, "median_us", r->median_us, "mean_us", r->mean_us,
                "max_us", r->max_us, "stddev_us", r->stddev_us, "yardstick_gflops",
                r->yardstick_gflops, "n_discarded", r->n_discarded, "n_unsteady", r->n_unsteady);
  set_figure(object, "flops", v->is_counted ? v->count.flops : 0);
  set_figure(object, "gflops", v->gflops);
  set_figure(object, "peak_percent", v->peak_percent);
  set_figure(object, "yardstick_percent", v->yardstick_percent);
  return object;
}

/* The first variant's figures; with more, the others' in "vs" and how they compare. */
static void print_json(const bench *b) {
  json_t *object = to_json(b, &b->variants[0]);
  if (b->n > 1) {
    json_t *other = to_json(b, &b->variants[1]);
    (void)json_object_set_new(other, "file", json_string(b->variants[1].name));
    (void)json_object_set_new(object, "vs", other);
    set_figure(object, "ratio", ratio(b, 1));
  }
  char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  if (text != NULL) {
    puts(text);
  }
  free(text);
  json_decref(object);
}

static void print_variant(const bench *b, const variant *v) {
  const tn_bench_result *r = &v->result;
  printf("%s, %lld threads: median %.3f us, min %.3f, mean %.3f, max %.3f, stddev %.3f (%d "
         "samples of %lld calls)\n",
         v->s->func, (long long)b->n_threads, r->median_us, r->min_us, r->mean_us, r->max_us,
         r->stddev_us, r->repeat, (long long)r->number);
  if (v->gflops > 0) {
    printf("  %.4g GFLOP/s", v->gflops);
    if (v->peak_percent > 0) {
      printf(", %.3g %% of the peak", v->peak_percent);
    }
    printf("\n");
  }
  if (r->n_unsteady > 0) {
    printf("  %d samples count although the machine changed during them\n", r->n_unsteady);
  }
}

static void print_text(const bench *b) {
  for (int32_t i = 0; i < b->n; ++i) {
    if (b->n > 1) {
      printf("%s: ", b->variants[i].name);
    }
    print_variant(b, &b->variants[i]);
  }
  for (int32_t i = 1; i < b->n; ++i) {
    printf("ratio: %s is %.3g times as fast as %s\n", b->variants[0].name, ratio(b, i),
           b->variants[i].name);
  }
}

/* ---- the command ---- */

static bool read_opts(const cli_args *args, bench *b) {
  int64_t repeat = 0;
  int64_t min_ms = 0;
  b->args = args;
  b->opts = (tn_bench_opts)TN_BENCH_DEFAULTS;
  if (!session_check_args(args) || !cli_int(args, "threads", 1, 1024, 0, &b->n_threads) ||
      !cli_int(args, "number", 1, INT32_MAX, b->opts.number, &b->opts.number) ||
      !cli_int(args, "repeat", 1, 100000, b->opts.repeat, &repeat) ||
      !cli_int(args, "min-repeat-ms", 0, 1000000, cli_value(args, "number") != NULL ? 0 : 1,
               &min_ms) ||
      !cli_compile_opts(args, &b->compile)) {
    return false;
  }
  b->opts.repeat = (int32_t)repeat;
  b->opts.min_repeat_ms = (double)min_ms;
  return true;
}

static int run_bench(const cli_args *args) {
  bench b = {0};
  if (!read_opts(args, &b)) {
    return CLI_USAGE;
  }
  tn_status st = add_variants(&b);
  st = st == NULL ? measure(&b) : st;
  if (st == NULL && cli_value(args, "json") != NULL) {
    print_json(&b);
  } else if (st == NULL) {
    print_text(&b);
  }
  free_variants(&b);
  return cli_finish(st);
}

const cli_command cli_cmd_bench = {"bench",
                                   "FILE",
                                   1,
                                   "measure how long a function takes",
                                   bench_options,
                                   sizeof bench_options / sizeof *bench_options,
                                   run_bench};
