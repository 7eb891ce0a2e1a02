/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon test-onnx: runs all cases below folders that have the layout of the ONNX backend tests, and
 * tells which pass, by operator. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "onnx_case.h"
#include "progress.h"

static const cli_option test_options[] = {
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
    CLI_OPT_DISABLE,
    CLI_OPT_THREADS,
    CLI_OPT_TARGET,
    {"through", 0, "KIND", "run by way of a file of that kind, tnx or so (default: in memory)"},
    {"timeout", 0, "SECONDS", "time for one case (default 60)"},
    {"rtol", 0, "X", "relative tolerance of floats (default: 1e-3, more for types of 16 bits)"},
    {"atol", 0, "X", "absolute tolerance of floats (default 1e-7)"},
    {"json", 0, NULL, "print {passed, failed, skipped, cases} as JSON"},
    {"junit", 0, "FILE", "write the results as JUnit has them"},
    {"verbose", 'v', NULL, "a line for each case that passes too"},
};

enum { MAX_DEPTH = 8 };

typedef struct one_case {
  char *dir;
  case_result result;
} one_case;

typedef struct cases {
  one_case *all;
  size_t n;
  size_t cap;
} cases;

/* ---- finding ---- */

static bool add_case(cases *c, const char *dir) {
  if (c->n == c->cap) {
    size_t cap = c->cap == 0 ? 64 : 2 * c->cap;
    one_case *all = realloc(c->all, cap * sizeof *all);
    if (all == NULL) {
      return false;
    }
    c->all = all;
    c->cap = cap;
  }
  char *copy = strdup(dir);
  if (copy == NULL) {
    return false;
  }
  c->all[c->n++] = (one_case){.dir = copy};
  return true;
}

static bool has_model(const char *dir) {
  char path[4096];
  struct stat info;
  (void)snprintf(path, sizeof path, "%s/model.onnx", dir);
  return stat(path, &info) == 0;
}

static bool find_cases(cases *c, const char *dir, int32_t depth) {
  struct dirent **entries = NULL;
  bool is_ok = true;
  if (has_model(dir)) {
    return add_case(c, dir);
  }
  int n = depth >= MAX_DEPTH ? 0 : scandir(dir, &entries, NULL, alphasort);
  for (int i = 0; i < n; ++i) {
    char path[4096];
    struct stat info;
    int len = snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.' && len > 0 && (size_t)len < sizeof path &&
        stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
      is_ok = find_cases(c, path, depth + 1) && is_ok;
    }
    free(entries[i]);
  }
  free(entries);
  return is_ok;
}

/* ---- telling ---- */

static const char *name_of(const char *dir) {
  const char *slash = strrchr(dir, '/');
  return slash == NULL || slash[1] == '\0' ? dir : slash + 1;
}

static const char *verdict_name(case_verdict verdict) {
  return verdict == CASE_PASSED ? "passed" : verdict == CASE_FAILED ? "failed" : "skipped";
}

static int32_t count(const cases *c, case_verdict verdict) {
  int32_t n = 0;
  for (size_t i = 0; i < c->n; ++i) {
    n += c->all[i].result.verdict == verdict ? 1 : 0;
  }
  return n;
}

static int by_ops(const void *a, const void *b) {
  return strcmp((*(const one_case *const *)a)->result.ops,
                (*(const one_case *const *)b)->result.ops);
}

/* One line an operator: how many of its cases pass. Models of several operators are one line. */
static void print_summary(const cases *c) {
  const one_case **sorted = calloc(c->n + 1, sizeof *sorted);
  size_t n = 0;
  int32_t n_mixed = 0;
  int32_t n_mixed_ok = 0;
  for (size_t i = 0; sorted != NULL && i < c->n; ++i) {
    const case_result *r = &c->all[i].result;
    if (strchr(r->ops, ' ') == NULL && *r->ops != '\0') {
      sorted[n++] = &c->all[i];
    } else if (r->verdict != CASE_SKIPPED) {
      n_mixed++;
      n_mixed_ok += r->verdict == CASE_PASSED;
    }
  }
  if (n > 0) {
    qsort(sorted, n, sizeof *sorted, by_ops);
  }
  for (size_t i = 0; i < n;) {
    size_t j = i;
    int32_t n_ok = 0;
    for (; j < n && by_ops(&sorted[i], &sorted[j]) == 0; ++j) {
      n_ok += sorted[j]->result.verdict == CASE_PASSED;
    }
    printf("%-32s %5d of %5zu\n", sorted[i]->result.ops, n_ok, j - i);
    i = j;
  }
  if (n_mixed > 0) {
    printf("%-32s %5d of %5d\n", "(several operators)", n_mixed_ok, n_mixed);
  }
  free(sorted);
}

static void print_json(const cases *c) {
  json_t *list = json_array();
  for (size_t i = 0; i < c->n; ++i) {
    const case_result *r = &c->all[i].result;
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:s}", "name", c->all[i].dir,
                                          "result", verdict_name(r->verdict), "operators", r->ops,
                                          "seconds", r->seconds, "message", r->message));
  }
  json_t *root = json_pack("{s:i, s:i, s:i, s:o}", "passed", count(c, CASE_PASSED), "failed",
                           count(c, CASE_FAILED), "skipped", count(c, CASE_SKIPPED), "cases", list);
  char *text = json_dumps(root, JSON_INDENT(1));
  printf("%s\n", text == NULL ? "{}" : text);
  free(text);
  json_decref(root);
}

static void put_xml(FILE *file, const char *text) {
  for (; *text != '\0'; ++text) {
    const char *special = strchr("<>&\"", *text);
    if (special != NULL) {
      fprintf(file, "&#%d;", *text);
    } else if ((unsigned char)*text >= ' ' || *text == '\n') {
      (void)fputc(*text, file);
    }
  }
}

static tn_status write_junit(const cases *c, const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for the report");
  }
  fprintf(file, "<testsuite name=\"onnx\" tests=\"%zu\" failures=\"%d\" skipped=\"%d\">\n", c->n,
          count(c, CASE_FAILED), count(c, CASE_SKIPPED));
  for (size_t i = 0; i < c->n; ++i) {
    const case_result *r = &c->all[i].result;
    fputs("<testcase name=\"", file);
    put_xml(file, c->all[i].dir);
    fprintf(file, "\" time=\"%.3f\">", r->seconds);
    if (r->verdict != CASE_PASSED) {
      fprintf(file, "<%s message=\"", r->verdict == CASE_FAILED ? "failure" : "skipped");
      put_xml(file, r->message);
      fputs("\"/>", file);
    }
    fputs("</testcase>\n", file);
  }
  fputs("</testsuite>\n", file);
  (void)fclose(file);
  tn_status st = cli_write(path, text);
  free(text);
  return st;
}

/* ---- the command ---- */

static bool read_number(const cli_args *args, const char *name, double otherwise, double *out) {
  const char *text = cli_value(args, name);
  char *end = NULL;
  *out = text == NULL ? otherwise : strtod(text, &end);
  if (text != NULL && (end == text || *end != '\0' || !(*out >= 0))) {
    (void)cli_usage(args, "--%s %s: a number of 0 or more is needed", name, text);
    return false;
  }
  return true;
}

static void run_all(const cli_args *args, const case_opts *opts, cases *c) {
  bool is_json = cli_value(args, "json") != NULL;
  for (size_t i = 0; i < c->n; ++i) {
    case_result *r = &c->all[i].result;
    char where[64];
    (void)snprintf(where, sizeof where, "%zu of %zu", i + 1, c->n);
    progress_say("cases", where);
    onnx_case_run(c->all[i].dir, opts, r);
    if (!is_json && (r->verdict != CASE_PASSED || cli_value(args, "verbose") != NULL)) {
      progress_end();
      printf("%s %s%s%s\n", verdict_name(r->verdict), name_of(c->all[i].dir),
             *r->message == '\0' ? "" : ": ", r->message);
    }
  }
}

static int run_test_onnx(const cli_args *args) {
  cases c = {0};
  case_opts opts = {0};
  cli_compile compile;
  int64_t n_threads = 0;
  int64_t timeout_s = 0;
  tn_status st = NULL;
  if (!cli_int(args, "threads", 1, 1024, 0, &n_threads) ||
      !cli_int(args, "timeout", 1, 86400, 60, &timeout_s) || !cli_compile_opts(args, &compile) ||
      !read_number(args, "rtol", -1, &opts.rtol) || !read_number(args, "atol", 1e-7, &opts.atol)) {
    return CLI_USAGE;
  }
  const char *through = cli_value(args, "through");
  if (through != NULL && strcmp(through, "tnx") != 0 && strcmp(through, "so") != 0) {
    return cli_usage(args, "--through %s: tnx or so is needed", through);
  }
  opts.through = through;
  opts.compile = compile.opts;
  opts.compile.after_pass = NULL; /* a case has a process of its own, where no line is shown */
  opts.n_threads = (int32_t)n_threads;
  opts.timeout_s = (int32_t)timeout_s;
  bool has_all = true;
  for (int32_t i = 0; args->operands[i] != NULL; ++i) {
    has_all = find_cases(&c, args->operands[i], 0) && has_all;
  }
  if (!has_all || c.n == 0) {
    st = tn_status_make(TN_NOT_FOUND, "no folder with a model.onnx and a test_data_set_0 there");
  }
  if (st == NULL) {
    run_all(args, &opts, &c);
    progress_end();
    if (cli_value(args, "json") != NULL) {
      print_json(&c);
    } else {
      print_summary(&c);
      printf("%d passed, %d failed, %d skipped\n", count(&c, CASE_PASSED), count(&c, CASE_FAILED),
             count(&c, CASE_SKIPPED));
    }
    if (cli_value(args, "junit") != NULL) {
      st = write_junit(&c, cli_value(args, "junit"));
    }
  }
  bool has_failed = count(&c, CASE_FAILED) > 0;
  for (size_t i = 0; i < c.n; ++i) {
    free(c.all[i].dir);
  }
  free(c.all);
  int code = cli_finish(st);
  return code != CLI_OK ? code : has_failed ? CLI_FAILED : CLI_OK;
}

const cli_command cli_cmd_test_onnx = {
    "test-onnx",  "DIR...",
    -1,           "run the cases below folders in the layout of the ONNX backend tests",
    test_options, sizeof test_options / sizeof *test_options,
    run_test_onnx};
