/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The command line: one table of commands, one table of options for each; parsing and help both
 * come from them. Exit codes: 0 done, 1 failed, 2 wrong usage. Standard output carries results,
 * standard error messages. */
#ifndef TN_TOOLS_CLI_H
#define TN_TOOLS_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "tenon/compiler.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef struct cli_option {
  const char *name; /* "output"; long form --output */
  char letter;      /* short form, 0: none */
  const char
      *value; /* what stands for its value in help, NULL: a flag; in [] when it may be left out */
  const char *help;
} cli_option;

typedef struct cli_args cli_args;

typedef struct cli_command {
  const char *name;
  const char *operands; /* "FILE" */
  int32_t n_operands;   /* exactly so many; -1: one or more */
  const char *summary;  /* one line */
  const cli_option *options;
  int32_t n_options;
  int (*run)(const cli_args *args); /* an exit code */
} cli_command;

enum { CLI_MAX_VALUES = 256 };

struct cli_args {
  const cli_command *command;
  char **operands; /* ends with NULL */
  int32_t n_values;
  struct {
    const cli_option *option;
    const char *text; /* "" for a flag or a value left out */
  } values[CLI_MAX_VALUES];
};

/// Every command, one row; commands.c.
extern const cli_command *const cli_commands[];
extern const int32_t cli_n_commands;

/// Reads argv (argv[0] is the command's name) and runs the command.
int cli_run(const cli_command *command, int argc, char **argv);
/// The last value given for an option, or NULL.
const char *cli_value(const cli_args *args, const char *name);
/// The i-th value given for an option, or NULL.
const char *cli_value_at(const cli_args *args, const char *name, int32_t i);
/// An integer option within [min, max]; fallback when it was not given. On a bad value prints it
/// and returns false.
bool cli_int(const cli_args *args, const char *name, int64_t min, int64_t max, int64_t fallback,
             int64_t *out);
/// Prints a usage message and gives CLI_USAGE.
int cli_usage(const cli_args *args, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/// Prints a status to standard error, frees it and gives CLI_FAILED; CLI_OK for NULL.
int cli_finish(tn_status st);

/// Writes a text file. IO names it.
tn_status cli_write(const char *path, const char *text);

/* Options that several commands share. */
#define CLI_OPT_FUNC \
  { "func", 'f', "NAME", "the function to take (default: main, or the only public one)" }
#define CLI_OPT_INPUT                                                                         \
  {                                                                                           \
    "input", 'i', "NAME=FILE",                                                                \
        "an argument, from .npy, FILE.npz:MEMBER, idx(.gz), .pb, .png or .jpg; for a scalar " \
        "also NAME=NUMBER; repeatable"                                                        \
  }
#define CLI_OPT_PREPROCESS                                                                       \
  {                                                                                              \
    "preprocess", 0, "HOW",                                                                      \
        "what pixels of a .png or .jpg go through: none (0..255, resized to the input's size), " \
        "scale01 (divided by 255), imagenet (shorter side to 256, the middle 224 x 224, "        \
        "normalised)"                                                                            \
  }
#define CLI_OPT_RANDOM \
  { "random", 0, "[SEED]", "fill arguments that were not given with reproducible random values" }
#define CLI_OPT_SIZE                                                               \
  {                                                                                \
    "size", 's', "NAME=N",                                                         \
        "a size that the types leave open and no given argument tells; repeatable" \
  }
#define CLI_OPT_BIND \
  { "bind", 'b', "NAME=FILE", "make a parameter a constant with this value; repeatable" }
#define CLI_OPT_THREADS \
  { "threads", 't', "N", "threads of parallel loops (default: all)" }
#define CLI_OPT_DIALECT                                                              \
  {                                                                                  \
    "dialect", 0, "YEAR",                                                            \
        "read the text as 2022, 2023 or 2026 spells it (default: as it says itself)" \
  }
#define CLI_OPT_DEFINE                                                                      \
  {                                                                                         \
    "define", 'D', "NAME=VALUE",                                                            \
        "the value (a number, True, False or a text) of a name that the text leaves open; " \
        "repeatable"                                                                        \
  }
#define CLI_OPT_SHAPE                                                                  \
  {                                                                                    \
    "shape", 0, "NAME=N,N...",                                                         \
        "the shape of an ONNX model's input; below 0: as the model has it; repeatable" \
  }
#define CLI_OPT_TARGET \
  { "target", 0, "NAME", "what to compile for (default: host); `tenon targets` lists them" }
#define CLI_OPT_LEVEL \
  { "opt-level", 'O', "N", "optimisation level 0, 1, 2 or 3 (default 2)" }
#define CLI_OPT_STRICT \
  { "strict-math", 0, NULL, "arithmetic in source order without contraction at any level" }
#define CLI_OPT_NO_CACHE \
  { "no-cache", 0, NULL, "compile a model anew, and keep nothing of it on disk" }
#define CLI_OPT_DISABLE \
  { "disable-pass", 0, "A,B,...", "leave passes out of those that compiling runs; repeatable" }
#define CLI_OPT_VERIFY \
  { "verify-each", 0, NULL, "verify after every pass" }
#define CLI_OPT_TIME \
  { "time-passes", 0, NULL, "print the time of each pass to standard error" }
#define CLI_OPT_DUMP \
  { "dump-dir", 0, "DIR", "write the program after each pass to DIR/NNN-pass.py" }

/// What --dialect, --define and --shape say. False after printing what is wrong, which is wrong usage.
typedef struct cli_read {
  tn_read_opts opts;
  const char *defines[CLI_MAX_VALUES];
  const char *shapes[CLI_MAX_VALUES];
} cli_read;
bool cli_read_opts(const cli_args *args, cli_read *out);

/// What the shared compile options say. False after printing what is wrong.
typedef struct cli_compile {
  tn_compile_opts opts; /* opts.ctx and more point into this struct, which must stay where it is */
  char disabled[4096];
  const char *dump_dir;
  bool does_time;
} cli_compile;
bool cli_compile_opts(const cli_args *args, cli_compile *out);

#endif
