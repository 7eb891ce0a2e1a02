/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Commands that read and write text only: check, fmt, opt, passes, targets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "session.h"

/* ---- check ---- */

static const cli_option check_options[] = {
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
};

static int run_check(const cli_args *args) {
  tn_program *program = NULL;
  cli_read read;
  if (!cli_read_opts(args, &read)) {
    return CLI_USAGE;
  }
  int rc = cli_finish(session_load(args, NULL, &program));
  tn_program_free(program);
  return rc;
}

const cli_command cli_cmd_check = {"check",
                                   "FILE",
                                   1,
                                   "read and verify a program; says nothing when all is well",
                                   check_options,
                                   sizeof check_options / sizeof *check_options,
                                   run_check};

/* ---- fmt ---- */

static tn_status print_program(const tn_program *program, const char *out_path) {
  char *text = NULL;
  if (out_path != NULL) {
    return tn_program_save(program, out_path);
  }
  tn_status st = tn_program_print(program, &text);
  if (st == NULL) {
    fputs(text, stdout);
    if (strstr(text, "metadata[\"relax.expr.Constant\"]") != NULL) {
      fputs("note: large constants are left out here; -o FILE writes them too\n", stderr);
    }
  }
  free(text);
  return st;
}

static const cli_option fmt_options[] = {
    {"output", 'o', "FILE",
     "write there (and large constants to the .npz beside it) instead of printing"},
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
};

static int run_fmt(const cli_args *args) {
  tn_program *program = NULL;
  cli_read read;
  if (!cli_read_opts(args, &read)) {
    return CLI_USAGE;
  }
  tn_status st = session_load(args, NULL, &program);
  if (st == NULL) {
    st = print_program(program, cli_value(args, "output"));
  }
  tn_program_free(program);
  return cli_finish(st);
}

const cli_command cli_cmd_fmt = {"fmt",       "FILE",
                                 1,           "print a program's canonical text",
                                 fmt_options, sizeof fmt_options / sizeof *fmt_options,
                                 run_fmt};

/* ---- opt ---- */

static const cli_option opt_options[] = {
    {"passes", 'p', "A,B,...", "passes to run, in this order; `tenon passes` lists them"},
    {"output", 'o', "FILE", "write there instead of printing"},
    CLI_OPT_FUNC,
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_VERIFY,
    CLI_OPT_TIME,
    CLI_OPT_DUMP,
};

static int run_opt(const cli_args *args) {
  const char *passes = cli_value(args, "passes");
  cli_compile compile;
  tn_program *program = NULL;
  if (passes == NULL) {
    return cli_usage(args, "--passes is missing; `tenon passes` lists what there is");
  }
  cli_read read;
  if (!session_check_pairs(args, "bind") || !cli_read_opts(args, &read) ||
      !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  tn_status st = session_load(args, NULL, &program);
  if (st == NULL) {
    st = session_bind(args, program);
  }
  if (st == NULL) {
    st = tn_program_run_passes(program, passes, &compile.opts);
    progress_end();
  }
  if (st == NULL) {
    st = print_program(program, cli_value(args, "output"));
  }
  tn_program_free(program);
  return cli_finish(st);
}

const cli_command cli_cmd_opt = {"opt",       "FILE",
                                 1,           "run passes on a program and print it",
                                 opt_options, sizeof opt_options / sizeof *opt_options,
                                 run_opt};

/* ---- passes, targets ---- */

static int run_passes(const cli_args *args) {
  (void)args;
  for (int32_t i = 0; i < tn_n_passes(); ++i) {
    tn_pass_info info = {0};
    int rc = cli_finish(tn_pass_describe(i, &info));
    if (rc != CLI_OK) {
      return rc;
    }
    printf("%-22s %-7s %s\n", info.name, info.level, info.doc);
  }
  printf("\ncompiling runs: %s\n", tn_default_passes());
  return CLI_OK;
}

const cli_command cli_cmd_passes = {"passes", "", 0, "list the passes", NULL, 0, run_passes};

static int run_targets(const cli_args *args) {
  const char *name = NULL;
  const char *doc = NULL;
  (void)args;
  for (int32_t i = 0; tn_target_describe(i, &name, &doc); ++i) {
    printf("%-12s %s\n", name, doc);
  }
  return CLI_OK;
}

const cli_command cli_cmd_targets = {"targets", "", 0,          "list what can be compiled for",
                                     NULL,      0,  run_targets};
