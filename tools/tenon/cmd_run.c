/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon run: calls a function of a program or of a compiled file and shows what comes back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "session.h"

static const cli_option run_options[] = {
  CLI_OPT_FUNC, CLI_OPT_INPUT, CLI_OPT_RANDOM,
  {"output", 'o', "DIR", "write each result there as NAME.npy"},
  CLI_OPT_BIND,
  {"interpret", 0, NULL, "use the reference interpreters instead of compiling"},
  CLI_OPT_THREADS, CLI_OPT_TARGET, CLI_OPT_LEVEL, CLI_OPT_STRICT, CLI_OPT_VERIFY, CLI_OPT_TIME, CLI_OPT_DUMP,
};

enum { MAX_SHOWN = 16 };

static void print_element(const DLTensor *dl, int64_t i) {
  const char *data = (const char *)dl->data + dl->byte_offset;
  switch (tn_dl_dtype(dl)) {
  case TN_DT_F32: printf("%.9g", (double)((const float *)(const void *)data)[i]); break;
  case TN_DT_F64: printf("%.17g", ((const double *)(const void *)data)[i]); break;
  case TN_DT_I64: printf("%lld", (long long)((const int64_t *)(const void *)data)[i]); break;
  case TN_DT_I32: printf("%d", ((const int32_t *)(const void *)data)[i]); break;
  case TN_DT_I16: printf("%d", ((const int16_t *)(const void *)data)[i]); break;
  case TN_DT_I8: printf("%d", ((const int8_t *)(const void *)data)[i]); break;
  case TN_DT_U64: printf("%llu", (unsigned long long)((const uint64_t *)(const void *)data)[i]); break;
  case TN_DT_U32: printf("%u", ((const uint32_t *)(const void *)data)[i]); break;
  case TN_DT_U16: printf("%u", ((const uint16_t *)(const void *)data)[i]); break;
  case TN_DT_U8: printf("%u", ((const uint8_t *)(const void *)data)[i]); break;
  case TN_DT_BOOL: printf("%s", data[i] != 0 ? "True" : "False"); break;
  default: printf("?"); break;
  }
}

/* name: float32[1, 10] 0.1 0.2 ... */
static void print_tensor(const char *name, tn_tensor *tensor) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  int64_t n = 1;
  char dtype[TN_DTYPE_TEXT_BYTES];
  printf("%s: %s[", name, tn_dtype_print(tn_dl_dtype(dl), dtype));
  for (int32_t i = 0; i < dl->ndim; ++i) {
    printf("%s%lld", i > 0 ? ", " : "", (long long)dl->shape[i]);
    n *= dl->shape[i];
  }
  printf("]");
  for (int64_t i = 0; i < n && i < MAX_SHOWN; ++i) {
    putchar(' ');
    print_element(dl, i);
  }
  printf("%s\n", n > MAX_SHOWN ? " ..." : "");
}

static tn_status show(const char *name, const tn_arg *value, const char *dir) {
  if (tn_arg_tuple(value) != NULL) {
    tn_status st = NULL;
    for (int32_t i = 0; st == NULL && i < tn_tuple_size(tn_arg_tuple(value)); ++i) {
      char item[256];
      (void)snprintf(item, sizeof item, "%.200s_%d", name, i);
      st = show(item, tn_tuple_at(tn_arg_tuple(value), i), dir);
    }
    return st;
  }
  if (tn_arg_tensor(value) != NULL) {
    tn_tensor *compact = NULL;
    tn_status st = tn_tensor_copy(NULL, tn_arg_tensor(value), (DLDevice){kDLCPU, 0}, &compact);
    if (st == NULL && dir != NULL) {
      char path[4096];
      (void)snprintf(path, sizeof path, "%s/%s.npy", dir, name);
      st = tn_tensor_save(compact, path);
    }
    if (st == NULL) {
      print_tensor(name, compact);
    }
    tn_tensor_release(compact);
    return st;
  }
  if (tn_arg_shape(value) != NULL) {
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
  return NULL;
}

static tn_status show_all(const session *s, const tn_arg *ret, const char *dir) {
  tn_status st = NULL;
  if (s->is_graph || ret->kind != TN_ARG_NONE) {
    st = show("out", ret, dir);
  }
  for (int32_t j = 0; st == NULL && !s->is_graph && j < s->n_params; ++j) {
    if (s->params[j].is_output) {
      st = show(s->params[j].name, &s->args[j], dir);
    }
  }
  return st;
}

static int run_run(const cli_args *args) {
  cli_compile compile;
  session s = {0};
  tn_arg ret = tn_arg_none();
  int64_t n_threads = 0;
  int64_t seed = 0; /* gathering reads it again; here a wrong one is wrong usage */
  const char *dir = cli_value(args, "output");
  if (!session_check_pairs(args, "input") || !session_check_pairs(args, "bind") ||
      !cli_int(args, "threads", 1, 1024, 0, &n_threads) || !cli_int(args, "random", 0, INT64_MAX, 0, &seed) || !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  if (dir != NULL && mkdir(dir, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "error: --output %s: %s\n", dir, strerror(errno));
    return CLI_FAILED;
  }
  tn_status st = session_open(args, &compile, (int32_t)n_threads, cli_value(args, "interpret") != NULL, &s);
  st = st == NULL ? session_call(&s, &ret) : st;
  st = st == NULL ? show_all(&s, &ret, dir) : st;
  tn_arg_release(&ret);
  session_close(&s);
  return cli_finish(st);
}

const cli_command cli_cmd_run = {"run", "FILE", 1, "run a function of a program (.py) or of a compiled file (.tnx, .so)", run_options,
                                 sizeof run_options / sizeof *run_options, run_run};
