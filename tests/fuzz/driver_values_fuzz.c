/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* with: tools/tenon/cli.c tools/tenon/progress.c tools/tenon/sizes.c */
/* Values of the command line: each line of the input is one argument of a command with the options
 * of `tenon run`. What their forms allow goes on to the sizes of three parameters, the last with
 * a shape as the rest of the input spells it, and to a program that asks for the defined names. */
#include <stdlib.h>
#include <string.h>

#include "../tools/tenon/sizes.h"
#include "abi/exec.h"
#include "fuzz/fuzz.h"

enum { MAX_WORDS = 40 };

static const char text[] =
    "from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((N, K), dtype)):\n"
    "    for i in range(N):\n        A[i, 0] = T.Cast(dtype, alpha) if flag else A[i, K - 1]\n";

/* Everything that asks for an option's value. */
static int use(const cli_args *args) {
  static const int64_t open_dims[] = {-1, 8, -1};
  const tn_param_info params[] = {
      {.name = "x", .text = "R.Tensor((\"n\", 8, \"m\"))", .ndim = 3, .dims = open_dims},
      {.name = "y", .text = "T.Buffer((n, 8, n * (m + 1)))", .ndim = 3, .dims = open_dims},
      {.name = "z", .text = args->operands[0], .ndim = 2, .dims = open_dims}};
  const int64_t shape[] = {5, 8, 7};
  const DLTensor dl = {.ndim = 3, .shape = (int64_t *)(uintptr_t)shape};
  int64_t dims[SIZES_MAX_NDIM];
  int64_t number = 0;
  cli_read read;
  cli_compile compile;
  sizes known;
  if (!sizes_check(args) || !cli_int(args, "random", 0, INT64_MAX, 0, &number) ||
      !cli_compile_opts(args, &compile) || !cli_read_opts(args, &read)) {
    return CLI_USAGE;
  }
  sizes_init(&known, params, 3);
  tn_status st = sizes_set(&known, args);
  for (int32_t i = 0; st == NULL && i < 3; ++i) {
    (void)sizes_dims(&known, &params[i], dims);
    (void)sizes_open_name(&known, &params[i]);
    st = sizes_see(&known, &params[i], &dl);
  }
  if (st == NULL) {
    tn_program *program = NULL;
    st = tn_program_parse_as(text, sizeof text - 1, "f.py", &read.opts, &program);
    if (st == NULL) {
      st = tn_program_run_passes(program, "simplify", &compile.opts);
    }
    tn_program_free(program);
  }
  return cli_finish(st);
}

static const cli_option options[] = {
    CLI_OPT_FUNC,    CLI_OPT_INPUT,  CLI_OPT_RANDOM,  CLI_OPT_SIZE,   CLI_OPT_BIND,
    CLI_OPT_DIALECT, CLI_OPT_DEFINE, CLI_OPT_THREADS, CLI_OPT_TARGET, CLI_OPT_LEVEL,
    CLI_OPT_STRICT,  CLI_OPT_VERIFY, CLI_OPT_TIME};
static const cli_command command = {.name = "run",
                                    .operands = "TYPE",
                                    .n_operands = 1,
                                    .summary = "",
                                    .options = options,
                                    .n_options = (int32_t)(sizeof options / sizeof *options),
                                    .run = use};

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  static char name[] = "run";
  char *words[MAX_WORDS + 2] = {name};
  int n = 1;
  char *copy = malloc(n_bytes + 1);
  if (copy == NULL) {
    return;
  }
  memcpy(copy, bytes, n_bytes);
  copy[n_bytes] = '\0';
  char *rest = copy;
  for (char *word = NULL; n <= MAX_WORDS && (word = strsep(&rest, "\n")) != NULL;) {
    words[n++] = word;
  }
  words[n] = NULL;
  (void)cli_run(&command, n, words);
  free(copy);
}
