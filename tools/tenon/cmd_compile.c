/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon compile: a program to a file. */
#include <string.h>

#include "commands.h"
#include "session.h"

static const cli_option compile_options[] = {
    {"output", 'o', "OUT", "the file to write; its ending says what: .tnx .so .o .s .ll .py"},
    {"func", 'f', "NAME",
     "compile only this function and what it calls (default: all); --bind is about it, else about "
     "main"},
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
    {"export", 0, "CONVENTION",
     "tvm-ffi: each public loop function of a .so also as __tvm_ffi_NAME"},
    CLI_OPT_VERIFY,
    CLI_OPT_TIME,
    CLI_OPT_DUMP,
};

static int run_compile(const cli_args *args) {
  cli_compile compile;
  tn_program *program = NULL;
  const char *path = cli_value(args, "output");
  if (path == NULL) {
    return cli_usage(args, "-o OUT is missing");
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
  tn_status st = session_load(args, &program);
  st = st == NULL ? session_bind(args, program) : st;
  st = st == NULL ? tn_program_write(program, &compile.opts, path) : st;
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
