/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon compile: a program to a file. */
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "report.h"
#include "session.h"

static const cli_option compile_options[] = {
    {"output", 'o', "OUT", "the file to write; its ending says what: .tnx .so .o .s .ll .py"},
    {"func", 'f', "NAME",
     "compile only this function and what it calls (default: all); --bind is about it, else about "
     "main"},
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_SHAPE,
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
    CLI_OPT_DISABLE,
    {"header", 0, "FILE",
     "a .so of plain C functions, and this header that declares them: no registry, no allocation "
     "in "
     "a call, nothing linked but libc, libm and threads"},
    {"export", 0, "CONVENTION",
     "tvm-ffi: each public loop function of a .so also as __tvm_ffi_NAME"},
    {"report", 0, NULL,
     "print what became of each kernel's loops: spills, vector width, FMAs, stack and code bytes; "
     "-o may be left out"},
    {"json", 0, NULL, "the report as one JSON object"},
    CLI_OPT_VERIFY,
    CLI_OPT_TIME,
    CLI_OPT_DUMP,
};

static tn_status print_report(const cli_args *args, const tn_program *program,
                              const tn_compile_opts *opts) {
  tn_code_report report = {0};
  tn_status st = tn_program_report(program, opts, &report);
  progress_end();
  if (st != NULL) {
    return st;
  }
  if (cli_value(args, "json") != NULL) {
    report_print_json(&report);
  } else {
    report_print(&report);
  }
  report_warn(&report);
  tn_code_report_deinit(&report);
  return NULL;
}

static int run_compile(const cli_args *args) {
  cli_compile compile;
  tn_program *program = NULL;
  const char *path = cli_value(args, "output");
  const char *header = cli_value(args, "header");
  bool has_report = cli_value(args, "report") != NULL;
  if (path == NULL && !has_report) {
    return cli_usage(args, "-o OUT is missing");
  }
  if (path == NULL && header != NULL) {
    return cli_usage(args, "--header declares what a library has: -o NAME.so is missing");
  }
  if (!has_report && cli_value(args, "json") != NULL) {
    return cli_usage(args, "--json is the form of --report");
  }
  const char *convention = cli_value(args, "export");
  if (convention != NULL && strcmp(convention, "tvm-ffi") != 0) {
    return cli_usage(args, "--export=%s: the convention that can be exported is tvm-ffi",
                     convention);
  }
  cli_read read;
  if (!session_check_pairs(args, "bind") || !cli_read_opts(args, &read) ||
      !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  compile.opts.exports_tvm_ffi = convention != NULL;
  compile.opts.func = cli_value(args, "func");
  tn_status st = session_load(args, NULL, &program);
  st = st == NULL ? session_bind(args, program) : st;
  if (st == NULL && path != NULL) {
    st = header != NULL ? tn_program_write_c(program, &compile.opts, path, header)
                        : tn_program_write(program, &compile.opts, path);
  }
  st = st == NULL && has_report ? print_report(args, program, &compile.opts) : st;
  tn_program_free(program);
  return cli_finish(st);
}

const cli_command cli_cmd_compile = {"compile",
                                     "FILE",
                                     1,
                                     "compile a program to a file",
                                     compile_options,
                                     sizeof compile_options / sizeof *compile_options,
                                     run_compile};
