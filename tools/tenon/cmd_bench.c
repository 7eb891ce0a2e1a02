/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon bench: times a function with the project's one bench core (tenon/bench.h), alone, beside
 * another program, with a schedule (sweep.c varies its knobs), a folder of lessons (climb.c), or
 * models beside other runtimes (race.c). */
#include <stdio.h>
#include <string.h>

#include "climb.h"
#include "commands.h"
#include "profile.h"
#include "race.h"
#include "sweep.h"
#include "variants.h"

static const cli_option bench_options[] = {
    CLI_OPT_FUNC,
    CLI_OPT_INPUT,
    CLI_OPT_RANDOM,
    CLI_OPT_SIZE,
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_SHAPE,
    CLI_OPT_THREADS,
    {"vs", 0, "FILE|naive|PEER",
     "measure this program in turn with the first, on the same inputs, and compare both; naive: "
     "the first as its text stands; PEER, repeatable: every FILE, an ONNX model, in turn with that "
     "runtime (onnxruntime; openvino, pytorch, tvm in processes of their own; openblas and onednn "
     "for a product of two inputs), with --threads 1,2 for several numbers of threads"},
    {"cold", 0, NULL, "beside a PEER: empty the caches before every call"},
    {"memory", 0, NULL, "beside a PEER: the peak memory of a process for each, instead of times"},
    {"schedule", 0, "STEPS", "do the steps of this schedule script before compiling"},
    {"sweep", 0, "KNOB[=A,B,...]",
     "measure the schedule for each of these values of a knob, or all that it names; repeatable: "
     "for all combinations"},
    {"table", 0, NULL,
     "FILE is a folder: NAME/NAME.py with schedules NAME/0_*.py, NAME/1_*.py ...; measure each, "
     "with "
     "--random, and print the climb"},
    {"svg", 0, "FILE",
     "draw the sweep of one or two knobs, the climb, or the ratios beside a PEER"},
    {"output", 'o', "FILE", "write what the fastest schedule of a sweep does, as a script"},
    {"number", 0, "N", "calls a sample (default: as many as fill --min-repeat-ms)"},
    {"repeat", 0, "N", "samples (default 21; 5 for each of a sweep or a table)"},
    {"min-repeat-ms", 0, "MS", "least time of a sample (default 1)"},
    {"interpret", 0, NULL, "time the reference interpreters"},
    {"profile", 0, NULL, "print how the time of --repeat calls is spread over kernels"},
    {"json", 0, NULL, "print one JSON object"},
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
    CLI_OPT_DISABLE,
    CLI_OPT_NO_CACHE,
};

/* ---- printing ---- */

/* How many times as fast as variant `i` the first one is. */
static double ratio(const bench *b, int32_t i) { return 1 / variants_speedup(b, i); }

/* The first variant's figures; with more, the others' in "vs" and how they compare. */
static void print_json(const bench *b) {
  json_t *object = variant_to_json(b, &b->variants[0]);
  if (b->n > 1) {
    json_t *other = variant_to_json(b, &b->variants[1]);
    (void)json_object_set_new(other, "file", json_string(b->variants[1].name));
    (void)json_object_set_new(object, "vs", other);
    variant_set_figure(object, "ratio", ratio(b, 1));
  }
  variants_print_json(object);
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
  bool has_many = cli_value(args, "table") != NULL || cli_value(args, "sweep") != NULL;
  b->args = args;
  b->opts = (tn_bench_opts)TN_BENCH_DEFAULTS;
  if (!session_check_args(args) || !cli_int(args, "threads", 1, 1024, 0, &b->n_threads) ||
      !cli_int(args, "number", 1, INT32_MAX, b->opts.number, &b->opts.number) ||
      !cli_int(args, "repeat", 1, 100000, has_many ? 5 : b->opts.repeat, &repeat) ||
      !cli_int(args, "min-repeat-ms", 0, 1000000, cli_value(args, "number") != NULL ? 0 : 1,
               &min_ms) ||
      !cli_compile_opts(args, &b->compile)) {
    return false;
  }
  b->opts.repeat = (int32_t)repeat;
  b->opts.min_repeat_ms = (double)min_ms;
  if (has_many) { /* a round of many is long: few are taken again */
    b->opts.max_discards = b->opts.repeat;
  }
  return true;
}

/* Options that mean nothing without another one. */
static bool check_opts(const cli_args *args) {
  static const char *const needs[][2] = {
      {"sweep", "schedule"}, {"output", "sweep"}, {"schedule", ""}, {"vs", ""}};
  const char *beside = cli_value(args, "cold") != NULL     ? "cold"
                       : cli_value(args, "memory") != NULL ? "memory"
                                                           : NULL;
  if (beside != NULL) {
    (void)cli_usage(args, "--%s needs --vs and the name of a runtime", beside);
    return false;
  }
  for (size_t i = 0; i < 2; ++i) {
    if (cli_value(args, needs[i][0]) != NULL && cli_value(args, needs[i][1]) == NULL) {
      (void)cli_usage(args, "--%s needs --%s", needs[i][0], needs[i][1]);
      return false;
    }
  }
  for (size_t i = 0; i < 4 && cli_value(args, "table") != NULL; ++i) {
    if (cli_value(args, needs[i][0]) != NULL) {
      (void)cli_usage(args, "--%s has no meaning beside --table", needs[i][0]);
      return false;
    }
  }
  if (cli_value(args, "svg") != NULL && cli_value(args, "table") == NULL &&
      cli_value(args, "sweep") == NULL) {
    (void)cli_usage(args, "--svg draws a --sweep or a --table");
    return false;
  }
  if (cli_value(args, "sweep") != NULL && cli_value(args, "vs") != NULL) {
    (void)cli_usage(args, "--sweep compares the schedule with itself: --vs is for one schedule");
    return false;
  }
  return true;
}

static tn_status bench_files(bench *b) {
  const char *vs = cli_value(b->args, "vs");
  const char *path = b->args->operands[0];
  const char *schedule = cli_value(b->args, "schedule");
  const variant_steps steps = {.path = schedule};
  tn_status st =
      variants_add(b, path, schedule != NULL ? schedule : path, schedule != NULL ? &steps : NULL);
  if (st == NULL && vs != NULL) {
    st = variants_add(b, strcmp(vs, "naive") == 0 ? path : vs, vs, NULL);
  }
  st = st == NULL ? variants_measure(b) : st;
  if (st == NULL && cli_value(b->args, "json") != NULL) {
    print_json(b);
  } else if (st == NULL) {
    print_text(b);
  }
  return st;
}

/* Where one program's time goes. */
static tn_status profile_file(bench *b) {
  tn_status st = variants_add(b, b->args->operands[0], b->args->operands[0], NULL);
  return st != NULL
             ? st
             : profile_run(b->variants[0].s, b->opts.repeat, cli_value(b->args, "json") != NULL);
}

static int run_bench(const cli_args *args) {
  static bench b; /* large */
  if (race_is_peer(cli_value_at(args, "vs", 0))) {
    return race_main(args);
  }
  if (args->operands[1] != NULL) {
    return cli_usage(args, "several files are measured beside a runtime: --vs onnxruntime");
  }
  if (!check_opts(args) || !read_opts(args, &b)) {
    return CLI_USAGE;
  }
  tn_status st = cli_value(args, "table") != NULL     ? climb_run(&b)
                 : cli_value(args, "sweep") != NULL   ? sweep_run(&b)
                 : cli_value(args, "profile") != NULL ? profile_file(&b)
                                                      : bench_files(&b);
  variants_free(&b);
  return cli_finish(st);
}

const cli_command cli_cmd_bench = {"bench",
                                   "FILE...",
                                   -1,
                                   "measure how long a function takes",
                                   bench_options,
                                   sizeof bench_options / sizeof *bench_options,
                                   run_bench};
