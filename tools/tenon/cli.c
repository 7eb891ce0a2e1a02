/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Option parsing and help, both from the commands' tables, over getopt_long. */
#include "cli.h"

#include "progress.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_OPTIONS = 32, FIRST_LONG = 1000 };

static bool is_value_optional(const cli_option *option) {
  return option->value != NULL && option->value[0] == '[';
}

static void print_option(const cli_option *option) {
  char left[64];
  char letter[5] = "    ";
  if (option->letter != 0) {
    (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
  }
  if (option->value == NULL) {
    (void)snprintf(left, sizeof left, "%s--%s", letter, option->name);
  } else if (is_value_optional(option)) {
    (void)snprintf(left, sizeof left, "%s--%s[=%.*s]", letter, option->name,
                   (int)strlen(option->value) - 2, option->value + 1);
  } else {
    (void)snprintf(left, sizeof left, "%s--%s %s", letter, option->name, option->value);
  }
  printf("  %-28s %s\n", left, option->help);
}

static void print_help(const cli_command *command) {
  printf("usage: tenon %s [options]%s%s\n\n%s\n\noptions:\n", command->name,
         command->n_operands != 0 ? " " : "", command->operands, command->summary);
  for (int32_t i = 0; i < command->n_options; ++i) {
    print_option(&command->options[i]);
  }
  print_option(&(cli_option){"help", 'h', NULL, "this text"});
}

int cli_usage(const cli_args *args, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  fputs("tenon: ", stderr);
  (void)vfprintf(stderr, fmt, list);
  va_end(list);
  fprintf(stderr, "\ntry `tenon %s --help`\n", args->command->name);
  return CLI_USAGE;
}

/* getopt's two tables, from ours. */
typedef struct getopt_tables {
  struct option longs[MAX_OPTIONS + 2];
  char shorts[3 * MAX_OPTIONS];
} getopt_tables;

static void fill_tables(const cli_command *command, getopt_tables *tables) {
  char *s = tables->shorts;
  *s++ = ':'; /* tell "no value" from "unknown" */
  for (int32_t i = 0; i < command->n_options && i < MAX_OPTIONS; ++i) {
    const cli_option *option = &command->options[i];
    int has_value = option->value == NULL       ? no_argument
                    : is_value_optional(option) ? optional_argument
                                                : required_argument;
    tables->longs[i] = (struct option){option->name, has_value, NULL, FIRST_LONG + i};
    if (option->letter != 0) {
      *s++ = option->letter;
      if (has_value != no_argument) {
        *s++ = ':';
      }
    }
  }
  tables->longs[command->n_options] = (struct option){"help", no_argument, NULL, 'h'};
  tables->longs[command->n_options + 1] = (struct option){0};
  *s++ = 'h';
  *s = '\0';
}

static const cli_option *find_option(const cli_command *command, int code) {
  for (int32_t i = 0; i < command->n_options; ++i) {
    if (code == FIRST_LONG + i || (code < FIRST_LONG && code == command->options[i].letter)) {
      return &command->options[i];
    }
  }
  return NULL;
}

static int unknown_option(const cli_args *args, const char *text) {
  const cli_command *command = args->command;
  const char *names[MAX_OPTIONS];
  char name[64] = "";
  int32_t n = 0;
  for (; n < command->n_options && n < MAX_OPTIONS; ++n) {
    names[n] = command->options[n].name;
  }
  if (strncmp(text, "--", 2) == 0) {
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
  }
  const char *near = tn_name_suggest(name, names, n);
  return near == NULL ? cli_usage(args, "'%s' is no option of `tenon %s`", text, command->name)
                      : cli_usage(args, "'%s' is no option of `tenon %s`; did you mean --%s?", text,
                                  command->name, near);
}

int cli_run(const cli_command *command, int argc, char **argv) {
  static cli_args args; /* large, and there is one command line a process */
  getopt_tables tables = {0};
  args.command = command;
  args.n_values = 0;
  fill_tables(command, &tables);
  opterr = 0;
  optind = 0; /* forgets the command line before */
  for (int code = 0; (code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
    if (code == 'h') {
      print_help(command);
      return CLI_OK;
    }
    if (code == ':') {
      return cli_usage(&args, "option '%s' needs a value", argv[optind - 1]);
    }
    const cli_option *option = code == '?' ? NULL : find_option(command, code);
    if (option == NULL) {
      return unknown_option(&args, argv[optind - 1]);
    }
    if (args.n_values == CLI_MAX_VALUES) {
      return cli_usage(&args, "more than %d options", CLI_MAX_VALUES);
    }
    args.values[args.n_values].option = option;
    args.values[args.n_values++].text = optarg != NULL ? optarg : "";
  }
  bool is_list = command->n_operands < 0;
  if (is_list ? argc == optind : argc - optind != command->n_operands) {
    return cli_usage(&args, "`tenon %s` takes %s, and %d arguments came", command->name,
                     command->n_operands == 0 ? "no arguments" : command->operands, argc - optind);
  }
  args.operands = argv + optind;
  return command->run(&args);
}

const char *cli_value_at(const cli_args *args, const char *name, int32_t i) {
  for (int32_t k = 0; k < args->n_values; ++k) {
    if (strcmp(args->values[k].option->name, name) == 0 && i-- == 0) {
      return args->values[k].text;
    }
  }
  return NULL;
}

const char *cli_value(const cli_args *args, const char *name) {
  const char *last = NULL;
  for (int32_t i = 0; cli_value_at(args, name, i) != NULL; ++i) {
    last = cli_value_at(args, name, i);
  }
  return last;
}

bool cli_int(const cli_args *args, const char *name, int64_t min, int64_t max, int64_t fallback,
             int64_t *out) {
  const char *text = cli_value(args, name);
  if (text == NULL || *text == '\0') {
    *out = fallback;
    return true;
  }
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < min || value > max) {
    (void)cli_usage(args, "--%s %s: a whole number from %lld to %lld is needed", name, text,
                    (long long)min, (long long)max);
    return false;
  }
  *out = value;
  return true;
}

int cli_finish(tn_status st) {
  progress_end();
  if (st == NULL) {
    return CLI_OK;
  }
  const char *message = tn_status_message(st);
  if (strstr(message, ": error: ") != NULL) { /* diagnostics bring their own form */
    size_t len = strlen(message);
    fprintf(stderr, "%s%s", message, len > 0 && message[len - 1] == '\n' ? "" : "\n");
  } else {
    fprintf(stderr, "error: %s [%s]\n", message, tn_code_name(tn_status_code(st)));
  }
  tn_status_free(st);
  return CLI_FAILED;
}

tn_status cli_write(const char *path, const char *text) {
  char message[512];
  FILE *file = fopen(path, "w");
  bool is_ok = file != NULL && fputs(text, file) >= 0;
  int why = errno;
  if (file != NULL && fclose(file) != 0 && is_ok) {
    is_ok = false;
    why = errno;
  }
  if (is_ok) {
    return NULL;
  }
  (void)snprintf(message, sizeof message, "%s cannot be written: %s", path, strerror(why));
  return tn_status_make(TN_IO, message);
}

/* ---- reading options ---- */

bool cli_read_opts(const cli_args *args, cli_read *out) {
  static const struct {
    const char *name;
    tn_dialect dialect;
  } years[] = {{"2022", TN_DIALECT_2022}, {"2023", TN_DIALECT_2023}, {"2026", TN_DIALECT_2026}};
  const char *dialect = cli_value(args, "dialect");
  out->opts =
      (tn_read_opts){.dialect = TN_DIALECT_AUTO, .defines = out->defines, .shapes = out->shapes};
  for (size_t i = 0; dialect != NULL && i < sizeof years / sizeof *years; ++i) {
    if (strcmp(dialect, years[i].name) == 0) {
      out->opts.dialect = years[i].dialect;
    }
  }
  if (dialect != NULL && out->opts.dialect == TN_DIALECT_AUTO) {
    (void)cli_usage(args, "--dialect %s: 2022, 2023 or 2026 is needed", dialect);
    return false;
  }
  const char *text = NULL;
  while ((text = cli_value_at(args, "define", out->opts.n_defines)) != NULL) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
      (void)cli_usage(args, "--define %s: NAME=VALUE is needed", text);
      return false;
    }
    out->defines[out->opts.n_defines++] = text;
  }
  while ((text = cli_value_at(args, "shape", out->opts.n_shapes)) != NULL) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
      (void)cli_usage(args, "--shape %s: NAME=1,3,224,224 is needed", text);
      return false;
    }
    out->shapes[out->opts.n_shapes++] = text;
  }
  return true;
}

/* ---- compile options ---- */

static void after_pass(void *ctx, int32_t index, const char *pass, bool is_changed, int64_t ns,
                       const tn_program *now) {
  const cli_compile *compile = ctx;
  char done[64];
  (void)snprintf(done, sizeof done, "%s done", pass);
  progress_say("compiling", done);
  if (compile->does_time) {
    progress_end();
    fprintf(stderr, "%3d %-24s %9.3f ms%s\n", index, pass, (double)ns * 1e-6,
            is_changed ? "" : "  (unchanged)");
  }
  if (compile->dump_dir != NULL) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%03d-%s.py", compile->dump_dir, index, pass);
    tn_status st = tn_program_save(now, path);
    if (st != NULL) { /* a dump that cannot be written does not stop the compiler */
      fprintf(stderr, "warning: %s\n", tn_status_message(st));
      tn_status_free(st);
    }
  }
}

/* The values of --disable-pass as one list. */
static bool join_disabled(const cli_args *args, cli_compile *out) {
  size_t len = 0;
  for (int32_t i = 0; cli_value_at(args, "disable-pass", i) != NULL; ++i) {
    const char *text = cli_value_at(args, "disable-pass", i);
    int n =
        snprintf(out->disabled + len, sizeof out->disabled - len, "%s%s", len > 0 ? "," : "", text);
    if (n < 0 || (size_t)n >= sizeof out->disabled - len) {
      (void)cli_usage(args, "--disable-pass: more names than there are passes");
      return false;
    }
    len += (size_t)n;
  }
  out->opts.disabled_passes = len > 0 ? out->disabled : NULL;
  return true;
}

bool cli_compile_opts(const cli_args *args, cli_compile *out) {
  int64_t level = 0;
  if (!cli_int(args, "opt-level", 0, 3, 2, &level)) {
    return false;
  }
  *out = (cli_compile){.opts = TN_COMPILE_DEFAULTS};
  out->opts.target = cli_value(args, "target");
  out->opts.opt_level = (int32_t)level;
  out->opts.is_strict_math = cli_value(args, "strict-math") != NULL;
  out->opts.does_verify_each = cli_value(args, "verify-each") != NULL;
  out->dump_dir = cli_value(args, "dump-dir");
  out->does_time = cli_value(args, "time-passes") != NULL;
  if (out->dump_dir != NULL && mkdir(out->dump_dir, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "error: --dump-dir %s: %s\n", out->dump_dir, strerror(errno));
    return false;
  }
  out->opts.after_pass = after_pass;
  out->opts.ctx = out;
  if (!join_disabled(args, out)) {
    return false;
  }
  return true;
}
