/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon schedule: does the steps of a script or a trace on a program and prints it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compare.h"
#include "listing.h"
#include "sizes.h"

static const cli_option schedule_options[] = {
    {"output", 'o', "FILE", "write the program there instead of printing it"},
    {"show-each", 0, NULL, "print what every step changes, before the program"},
    {"verify", 0, NULL,
     "run the program before and after by the interpreter, on small whole numbers, and compare"},
    {"certify", 0, NULL, "prove by a separate checker that both compute the same"},
    {"trace", 0, "FILE",
     "write what was done as FILE.py, a script, or FILE.json, a trace as TVM has it; repeatable"},
    {"seed", 0, "N", "of the sampling steps, and of the numbers of --verify (default 0)"},
    CLI_OPT_SIZE,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
};

/* ---- following the steps ---- */

typedef struct follower {
  char *text; /* of the program as it was; owned */
} follower;

static void after_step(void *ctx, int32_t index, const char *step, const tn_program *now) {
  follower *f = ctx;
  char *text = NULL;
  tn_status st = tn_program_print(now, &text);
  if (st != NULL) { /* what cannot be shown does not stop the schedule */
    fprintf(stderr, "warning: %s\n", tn_status_message(st));
    tn_status_free(st);
    return;
  }
  printf("# step %d: %s\n", index + 1, step);
  listing_print(f->text, text, stdout);
  putchar('\n');
  free(f->text);
  f->text = text;
}

/* ---- results ---- */

static bool has_ending(const char *path, const char *ending) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ending) == 0;
}

static tn_status write_traces(const cli_args *args, const tn_trace *trace) {
  tn_status st = NULL;
  const char *path = NULL;
  for (int32_t i = 0; st == NULL && (path = cli_value_at(args, "trace", i)) != NULL; ++i) {
    st = cli_write(path, has_ending(path, ".json") ? tn_trace_json(trace) : tn_trace_script(trace));
  }
  return st;
}

static tn_status print_result(const cli_args *args, const tn_program *program) {
  char *text = NULL;
  const char *path = cli_value(args, "output");
  if (path != NULL) {
    return tn_program_save(program, path);
  }
  tn_status st = tn_program_print(program, &text);
  if (st == NULL) {
    fputs(text, stdout);
  }
  free(text);
  return st;
}

static tn_status certify(const tn_program *before, const tn_program *program) {
  char *report = NULL;
  tn_status st = tn_program_certify(before, program, &report);
  if (st == NULL) {
    for (char *line = strtok(report, "\n"); line != NULL; line = strtok(NULL, "\n")) {
      fprintf(stderr, "certify: %s\n", line);
    }
  }
  free(report);
  return st;
}

/* ---- the command ---- */

/* A value given by -D that neither the program nor the script asked for. */
static tn_status check_used(const cli_read *read, const bool *by_steps) {
  for (int32_t i = 0; i < read->opts.n_defines; ++i) {
    if (!read->opts.are_used[i] && !by_steps[i]) {
      char text[256];
      (void)snprintf(text, sizeof text,
                     "-D %s: neither the program nor the schedule has a name that waits for it",
                     read->defines[i]);
      return tn_status_make(TN_INVALID, text);
    }
  }
  return NULL;
}

static tn_status schedule(const cli_args *args, const cli_read *read, uint64_t seed,
                          const tn_program *before, tn_program *program) {
  bool by_steps[CLI_MAX_VALUES] = {false};
  follower f = {NULL};
  tn_trace *trace = NULL;
  tn_schedule_opts opts = {.seed = seed,
                           .defines = read->opts.defines,
                           .n_defines = read->opts.n_defines,
                           .are_used = by_steps,
                           .ctx = &f};
  tn_status st = NULL;
  if (cli_value(args, "show-each") != NULL) {
    opts.after_step = after_step;
    st = tn_program_print(program, &f.text);
  }
  st = st == NULL ? tn_program_schedule_file(program, args->operands[1], &opts, &trace) : st;
  st = st == NULL ? check_used(read, by_steps) : st;
  st = st == NULL ? write_traces(args, trace) : st;
  st = st == NULL ? print_result(args, program) : st;
  if (st == NULL && cli_value(args, "verify") != NULL) {
    st = compare_programs(args, before, program, seed);
  }
  if (st == NULL && cli_value(args, "certify") != NULL) {
    st = certify(before, program);
  }
  tn_trace_free(trace);
  free(f.text);
  return st;
}

static bool check_traces(const cli_args *args) {
  const char *path = NULL;
  for (int32_t i = 0; (path = cli_value_at(args, "trace", i)) != NULL; ++i) {
    if (!has_ending(path, ".json") && !has_ending(path, ".py")) {
      (void)cli_usage(args, "--trace %s: FILE.py or FILE.json is needed", path);
      return false;
    }
  }
  return true;
}

static int run_schedule(const cli_args *args) {
  static cli_read read; /* large */
  bool are_used[CLI_MAX_VALUES] = {false};
  tn_program *before = NULL;
  tn_program *program = NULL;
  int64_t seed = 0;
  if (!cli_read_opts(args, &read) || !cli_int(args, "seed", 0, INT64_MAX, 0, &seed) ||
      !check_traces(args) || !sizes_check(args)) {
    return CLI_USAGE;
  }
  read.opts.are_used = are_used;
  tn_status st = tn_program_load_as(args->operands[0], &read.opts, &before);
  st = st == NULL ? tn_program_load_as(args->operands[0], &read.opts, &program) : st;
  st = st == NULL ? schedule(args, &read, (uint64_t)seed, before, program) : st;
  tn_program_free(before);
  tn_program_free(program);
  return cli_finish(st);
}

const cli_command cli_cmd_schedule = {"schedule",
                                      "FILE STEPS",
                                      2,
                                      "do the steps of a schedule script on a program and print it",
                                      schedule_options,
                                      sizeof schedule_options / sizeof *schedule_options,
                                      run_schedule};
