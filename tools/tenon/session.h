/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What `run`, `bench` and `compile` share: a file opened as a program or an executable, parameters
 * bound, a function chosen, its arguments gathered. */
#ifndef TN_TOOLS_SESSION_H
#define TN_TOOLS_SESSION_H

#include "cli.h"

enum { SESSION_MAX_PARAMS = 1024 };

typedef struct session {
  tn_runtime *rt;
  tn_program *program; /* NULL when the file is compiled */
  tn_exec *exec;       /* NULL when the program is interpreted */
  tn_vm *vm;           /* with exec */
  const char *func;
  bool is_graph;            /* returns its result; else writes into its arguments */
  const char *result_names; /* of the results, one a line, or "" */
  int32_t n_params;
  tn_param_info params[SESSION_MAX_PARAMS];
  tn_arg args[SESSION_MAX_PARAMS];   /* owned */
  bool are_room[SESSION_MAX_PARAMS]; /* for a result, not given */
  bool is_checked;                   /* an interpreted run looks for mistakes */
} session;

/// Every value of option `name` has the form NAME=FILE; otherwise prints what is wrong and returns
/// false.
bool session_check_pairs(const cli_args *args, const char *name);
/// --input, --bind, --size and --random have their forms; otherwise prints what is wrong and
/// returns false.
bool session_check_args(const cli_args *args);
/// Reads a program's text as --dialect and --define say. are_used: [n of --define], may be NULL: set
/// true where the text asked for a value; one that it did not ask for is then no error.
tn_status session_load(const cli_args *args, bool *are_used, tn_program **out_program);
/// Applies --bind to the program.
tn_status session_bind(const cli_args *args, tn_program *program);
/// What happens to a program between reading and compiling.
typedef struct session_change {
  tn_status (*run)(void *ctx, tn_program *program);
  void *ctx;
  bool *are_used; /* as of session_load */
} session_change;
/// Opens the file, binds, changes (may be NULL), compiles unless `is_interpreted`, chooses the
/// function and gathers its arguments.
tn_status session_open(const cli_args *args, const cli_compile *compile, int32_t n_threads,
                       bool is_interpreted, const session_change *change, session *out);
/// Opens the file and describes its function, without compiling or running anything.
tn_status session_describe(const cli_args *args, session *out);
/// From now on calls of compiled code use so many threads.
tn_status session_set_threads(session *s, int32_t n_threads);
/// Calls the function once. out_ret: owned by the caller.
tn_status session_call(session *s, tn_arg *out_ret);
void session_close(session *s);

#endif
