/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon run: calls a function of a program or of a compiled file and shows what comes back. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "labels.h"
#include "progress.h"
#include "session.h"

static const cli_option run_options[] = {
    CLI_OPT_FUNC,
    CLI_OPT_INPUT,
    CLI_OPT_PREPROCESS,
    CLI_OPT_RANDOM,
    CLI_OPT_SIZE,
    {"output", 'o', "DIR",
     "write each result there as NAME.npy; or to a file: .npz takes all, .npy .idx .idx.gz one"},
    {"labels", 0, "FILE",
     "print the likeliest classes by these names, one a line, instead of values"},
    {"top", 0, "N", "how many classes (default 5 with --labels); alone: by number"},
    CLI_OPT_BIND,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_SHAPE,
    {"interpret", 0, "[checked]",
     "use the reference interpreters instead of compiling: slow, exact, every index checked; "
     "checked: also look for races, elements never written, accesses not declared"},
    CLI_OPT_THREADS,
    CLI_OPT_TARGET,
    CLI_OPT_LEVEL,
    CLI_OPT_STRICT,
    CLI_OPT_DISABLE,
    CLI_OPT_NO_CACHE,
    CLI_OPT_VERIFY,
    CLI_OPT_TIME,
    CLI_OPT_DUMP,
};

enum { MAX_SHOWN = 16 };

/* The sign of a NaN means nothing and depends on who made it. */
static void print_float(int digits, double value) {
  if (isnan(value)) {
    printf("nan");
  } else {
    printf("%.*g", digits, value);
  }
}

static void print_element(tn_tensor *tensor, int64_t i) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  const char *data = (const char *)dl->data + dl->byte_offset;
  tn_dtype elem = (tn_dl_dtype(dl) & 0xffff) | 1u << 16; /* one lane */
  switch (elem) {
    case TN_DT_F32:
      print_float(9, (double)((const float *)(const void *)data)[i]);
      break;
    case TN_DT_F64:
      print_float(17, ((const double *)(const void *)data)[i]);
      break;
    case TN_DT_F16:
      print_float(5, tn_tensor_get_f64(tensor, i));
      break;
    case TN_DT_BF16:
      print_float(4, tn_tensor_get_f64(tensor, i));
      break;
    case TN_DT_I64:
      printf("%lld", (long long)((const int64_t *)(const void *)data)[i]);
      break;
    case TN_DT_I32:
      printf("%d", ((const int32_t *)(const void *)data)[i]);
      break;
    case TN_DT_I16:
      printf("%d", ((const int16_t *)(const void *)data)[i]);
      break;
    case TN_DT_I8:
      printf("%d", ((const int8_t *)(const void *)data)[i]);
      break;
    case TN_DT_U64:
      printf("%llu", (unsigned long long)((const uint64_t *)(const void *)data)[i]);
      break;
    case TN_DT_U32:
      printf("%u", ((const uint32_t *)(const void *)data)[i]);
      break;
    case TN_DT_U16:
      printf("%u", ((const uint16_t *)(const void *)data)[i]);
      break;
    case TN_DT_U8:
      printf("%u", ((const uint8_t *)(const void *)data)[i]);
      break;
    case TN_DT_BOOL:
      printf("%s", data[i] != 0 ? "True" : "False");
      break;
    case TN_DT_HANDLE:
      printf("?");
      break;
    default: /* int4, uint4 and the small floats */
      print_float(5, tn_tensor_get_f64(tensor, i));
      break;
  }
}

/* name: float32[1, 10] 0.1 0.2 ... */
static void print_tensor(const char *name, tn_tensor *tensor) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  int64_t n = tn_dl_n_elems(dl) * dl->dtype.lanes;
  char dtype[TN_DTYPE_TEXT_BYTES];
  printf("%s: %s[", name, tn_dtype_print(tn_dl_dtype(dl), dtype));
  for (int32_t i = 0; i < dl->ndim; ++i) {
    printf("%s%lld", i > 0 ? ", " : "", (long long)dl->shape[i]);
  }
  printf("]");
  for (int64_t i = 0; i < n && i < MAX_SHOWN; ++i) {
    putchar(' ');
    print_element(tensor, i);
  }
  printf("%s\n", n > MAX_SHOWN ? " ..." : "");
}

/* What a run gave, flat: tuples become name_0, name_1 ... Tensors are compact and on the cpu. */
enum { MAX_RESULTS = 256 };
typedef struct results {
  int32_t n;
  char names[MAX_RESULTS][128];
  tn_arg values[MAX_RESULTS]; /* owned */
} results;

static tn_status collect(results *r, const char *name, const tn_arg *value) {
  tn_tuple *tuple = tn_arg_tuple(value);
  for (int32_t i = 0; tuple != NULL && i < tn_tuple_size(tuple); ++i) {
    char item[128];
    (void)snprintf(item, sizeof item, "%.100s_%d", name, i);
    tn_status st = collect(r, item, tn_tuple_at(tuple, i));
    if (st != NULL) {
      return st;
    }
  }
  if (tuple != NULL) {
    return NULL;
  }
  if (r->n == MAX_RESULTS) {
    return tn_status_make(TN_UNSUPPORTED, "more than 256 results; the command line shows no more");
  }
  tn_arg kept = *value;
  if (tn_arg_tensor(value) != NULL) {
    tn_tensor *compact = NULL;
    tn_status st = tn_tensor_copy(NULL, tn_arg_tensor(value), (DLDevice){kDLCPU, 0}, &compact);
    if (st != NULL) {
      return st;
    }
    kept = tn_arg_of_tensor(compact);
  } else {
    tn_arg_retain(&kept);
  }
  (void)snprintf(r->names[r->n], sizeof r->names[0], "%s", name);
  r->values[r->n++] = kept;
  return NULL;
}

/* Line k of the names, as a file may be called: models call values "a/b:0", "", or a line of text. */
static void name_result(const results *r, const char *lines, int32_t k, char *out, size_t n_bytes) {
  char base[100];
  size_t n = 0;
  for (; k > 0; --k) {
    lines = strchr(lines, '\n') + 1;
  }
  for (; *lines != '\0' && *lines != '\n' && n + 1 < sizeof base; ++lines) {
    bool is_plain = (unsigned char)*lines > ' ' && *lines != 0x7f &&
                    strchr("/\\:*?\"<>|", *lines) == NULL && !(n == 0 && *lines == '.');
    base[n++] = is_plain ? *lines : '_';
  }
  base[n] = '\0';
  (void)snprintf(out, n_bytes, "%s", n > 0 ? base : "out");
  for (int32_t i = 0, count = 2; i < r->n; ++i) {
    if (strcmp(r->names[i], out) == 0) { /* look at all of them again */
      (void)snprintf(out, n_bytes, "%s_%d", n > 0 ? base : "out", count++);
      i = -1;
    }
  }
}

static int32_t count_lines(const char *text) {
  int32_t n = *text != '\0' ? 1 : 0;
  for (; *text != '\0'; ++text) {
    n += *text == '\n' ? 1 : 0;
  }
  return n;
}

/* The results of a graph function by their names, else as `out`. */
static tn_status collect_returned(results *r, const session *s, const tn_arg *ret) {
  tn_tuple *tuple = tn_arg_tuple(ret);
  int32_t n = tuple != NULL ? tn_tuple_size(tuple) : 1;
  tn_status st = NULL;
  char name[128];
  if (count_lines(s->result_names) != n) {
    return collect(r, "out", ret);
  }
  for (int32_t k = 0; st == NULL && k < n; ++k) {
    name_result(r, s->result_names, k, name, sizeof name);
    st = collect(r, name, tuple != NULL ? tn_tuple_at(tuple, k) : ret);
  }
  return st;
}

static tn_status collect_all(results *r, const session *s, const tn_arg *ret) {
  tn_status st = NULL;
  if (s->is_graph || ret->kind != TN_ARG_NONE) {
    st = collect_returned(r, s, ret);
  }
  for (int32_t j = 0; st == NULL && !s->is_graph && j < s->n_params; ++j) {
    if (s->params[j].is_output) {
      st = collect(r, s->params[j].name, &s->args[j]);
    }
  }
  return st;
}

static bool ends_with(const char *text, const char *ending) {
  size_t len = strlen(text);
  size_t n = strlen(ending);
  return len > n && strcmp(text + len - n, ending) == 0;
}

/* --output is a folder unless its ending names the form of a file. */
static bool is_folder(const char *output) {
  return output != NULL && !ends_with(output, ".npz") && !ends_with(output, ".npy") &&
         !ends_with(output, ".idx") && !ends_with(output, ".idx.gz");
}

static tn_status save_all(const results *r, const char *output) {
  const char *names[MAX_RESULTS];
  tn_tensor *tensors[MAX_RESULTS];
  tn_status st = NULL;
  int32_t n = 0;
  for (int32_t i = 0; i < r->n; ++i) {
    if (tn_arg_tensor(&r->values[i]) != NULL) {
      names[n] = r->names[i];
      tensors[n++] = tn_arg_tensor(&r->values[i]);
    }
  }
  if (ends_with(output, ".npz")) {
    return tn_tensors_save(output, n, names, tensors);
  }
  if (!is_folder(output)) {
    return n == 1 ? tn_tensor_save(tensors[0], output)
                  : tn_status_make(TN_INVALID, "--output: this form holds one array, and the run "
                                               "gave several or none; name a folder or an .npz");
  }
  for (int32_t i = 0; st == NULL && i < n; ++i) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.npy", output, names[i]);
    st = tn_tensor_save(tensors[i], path);
  }
  return st;
}

static void show(const char *name, const tn_arg *value) {
  if (tn_arg_tensor(value) != NULL) {
    print_tensor(name, tn_arg_tensor(value));
  } else if (tn_arg_shape(value) != NULL) {
    printf("%s: shape", name);
    for (int32_t i = 0; i < tn_shape_ndim(tn_arg_shape(value)); ++i) {
      printf(" %lld", (long long)tn_shape_dims(tn_arg_shape(value))[i]);
    }
    putchar('\n');
  } else if (value->kind == TN_ARG_INT) {
    printf("%s: %lld\n", name, (long long)value->u.i64);
  } else if (value->kind == TN_ARG_FLOAT) {
    printf("%s: %.17g\n", name, value->u.f64);
  } else if (tn_arg_text(value) != NULL) {
    printf("%s: \"%s\"\n", name, tn_arg_text(value));
  } else {
    printf("%s: %s\n", name, tn_arg_kind_name(value->kind));
  }
}

/* Classes instead of values, where a result has as many as there are names. */
static tn_status show_classes(const results *r, const labels *l, int32_t top) {
  bool is_any = false;
  for (int32_t i = 0; i < r->n; ++i) {
    tn_tensor *tensor = tn_arg_tensor(&r->values[i]);
    if (tensor != NULL && labels_fit(l, tn_tensor_dl(tensor))) {
      labels_print(l, top, r->names[i], tensor);
      is_any = true;
    }
  }
  if (is_any) {
    return NULL;
  }
  char text[128];
  (void)snprintf(text, sizeof text, "no result has %d values in a row, one a class", l->n);
  return tn_status_make(TN_INVALID,
                        l->names != NULL ? text : "no result has several values in a row");
}

static tn_status show_all(const cli_args *args, const results *r) {
  const char *path = cli_value(args, "labels");
  labels l = {0};
  int64_t top = 0;
  if (path == NULL && cli_value(args, "top") == NULL) {
    for (int32_t i = 0; i < r->n; ++i) {
      show(r->names[i], &r->values[i]);
    }
    return NULL;
  }
  (void)cli_int(args, "top", 1, INT32_MAX, 5, &top); /* checked before */
  tn_status st = path != NULL ? labels_read(path, &l) : NULL;
  st = st == NULL ? show_classes(r, &l, (int32_t)top) : st;
  labels_free(&l);
  return st;
}

static int run_run(const cli_args *args) {
  cli_compile compile;
  session s = {0};
  tn_arg ret = tn_arg_none();
  int64_t n_threads = 0;
  int64_t top = 0;
  const char *output = cli_value(args, "output");
  const char *interpret = cli_value(args, "interpret");
  static results r; /* large, and there is one run a process */
  if (!session_check_args(args) || !cli_int(args, "threads", 1, 1024, 0, &n_threads) ||
      !cli_int(args, "top", 1, INT32_MAX, 0, &top) || !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  if (interpret != NULL && *interpret != '\0' && strcmp(interpret, "checked") != 0) {
    return cli_usage(args, "--interpret=%s: only --interpret and --interpret=checked are known",
                     interpret);
  }
  if (is_folder(output) && mkdir(output, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "error: --output %s: %s\n", output, strerror(errno));
    return CLI_FAILED;
  }
  tn_status st = session_open(args, &compile, (int32_t)n_threads, interpret != NULL, NULL, &s);
  s.is_checked = interpret != NULL && *interpret != '\0';
  progress_say("running", "");
  st = st == NULL ? session_call(&s, &ret) : st;
  progress_end();
  st = st == NULL ? collect_all(&r, &s, &ret) : st;
  st = st == NULL && output != NULL ? save_all(&r, output) : st;
  st = st == NULL ? show_all(args, &r) : st;
  for (int32_t i = 0; i < r.n; ++i) {
    tn_arg_release(&r.values[i]);
  }
  tn_arg_release(&ret);
  session_close(&s);
  return cli_finish(st);
}

const cli_command cli_cmd_run = {
    "run",       "FILE",
    1,           "run a function of a program (.py, .onnx) or of a compiled file (.tnx, .so)",
    run_options, sizeof run_options / sizeof *run_options,
    run_run};
