/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs a case of the ONNX backend tests and compares; see onnx_case.h. Tolerances: floats of 32 and
 * 64 bits as the suite has them, those of 16 and 8 bits by their precision, everything else exact. */
#include "onnx_case.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_VALUES = 256 };

typedef struct attempt {
  const char *dir;
  const case_opts *opts;
  case_result *result;
  tn_runtime *rt;
  tn_program *program;
  tn_exec *exec;
  tn_vm *vm;
  int32_t n_params;
  bool are_taken[MAX_VALUES]; /* inputs that are constants of the program */
} attempt;

static void say(case_result *r, case_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(case_result *r, case_verdict verdict, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  r->verdict = verdict;
  (void)vsnprintf(r->message, sizeof r->message, fmt, list);
  va_end(list);
}

/* True for an error, which becomes the message. */
static bool is_bad(attempt *a, tn_status st) {
  if (st != NULL) {
    say(a->result, CASE_FAILED, "%s", tn_status_message(st));
    tn_status_free(st);
    return true;
  }
  return false;
}

/* ---- comparing ---- */

static double relative_tolerance(const case_opts *opts, const DLTensor *dl) {
  if (opts->rtol >= 0) {
    return opts->rtol;
  }
  return dl->dtype.bits <= 8 ? 0.13 : dl->dtype.bits == 16 ? 1e-2 : 1e-3;
}

static bool is_float_type(const DLTensor *dl) {
  return dl->dtype.code != TN_TC_INT && dl->dtype.code != TN_TC_UINT &&
         dl->dtype.code != TN_TC_BOOL;
}

static bool is_close(double got, double want, double rtol, double atol) {
  if (isnan(want) || isnan(got)) {
    return isnan(want) && isnan(got);
  }
  return got == want || fabs(got - want) <= atol + rtol * fabs(want);
}

static bool same_shape(const DLTensor *a, const DLTensor *b) {
  if (a->ndim != b->ndim) {
    return false;
  }
  return a->ndim == 0 || memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->ndim) == 0;
}

static void print_type(const DLTensor *dl, char *out, size_t size) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  size_t n = (size_t)snprintf(out, size, "%s[", tn_dtype_print(tn_dl_dtype(dl), dtype));
  for (int32_t i = 0; i < dl->ndim && n < size; ++i) {
    n += (size_t)snprintf(out + n, size - n, "%s%lld", i > 0 ? ", " : "", (long long)dl->shape[i]);
  }
  if (n < size) {
    (void)snprintf(out + n, size - n, "]");
  }
}

static bool compare(attempt *a, int32_t k, tn_tensor *got, tn_tensor *want) {
  const DLTensor *g = tn_tensor_dl(got);
  const DLTensor *w = tn_tensor_dl(want);
  if (tn_dl_dtype(g) != tn_dl_dtype(w) || !same_shape(g, w)) {
    char got_text[256];
    char want_text[256];
    print_type(g, got_text, sizeof got_text);
    print_type(w, want_text, sizeof want_text);
    say(a->result, CASE_FAILED, "output %d is %s, expected %s", k, got_text, want_text);
    return false;
  }
  int64_t n = tn_dl_n_elems(w);
  if (!is_float_type(w)) {
    size_t bytes = (size_t)n * ((w->dtype.bits + 7u) / 8u);
    if (w->dtype.bits >= 8 && memcmp(tn_tensor_data(got), tn_tensor_data(want), bytes) == 0) {
      return true;
    }
  }
  double rtol = is_float_type(w) ? relative_tolerance(a->opts, w) : 0;
  double atol = is_float_type(w) ? a->opts->atol : 0;
  for (int64_t i = 0; i < n; ++i) {
    double x = tn_tensor_get_f64(got, i);
    double y = tn_tensor_get_f64(want, i);
    if (!is_close(x, y, rtol, atol)) {
      say(a->result, CASE_FAILED, "output %d, element %lld of %lld: got %.9g, expected %.9g", k,
          (long long)i, (long long)n, x, y);
      return false;
    }
  }
  return true;
}

/* ---- running ---- */

static bool data_path(const attempt *a, int32_t set, const char *kind, int32_t k, char *out,
                      size_t size, int64_t *out_bytes) {
  struct stat info;
  int n = snprintf(out, size, "%s/test_data_set_%d/%s_%d.pb", a->dir, set, kind, k);
  if (n < 0 || (size_t)n >= size || stat(out, &info) != 0) {
    return false;
  }
  *out_bytes = (int64_t)info.st_size;
  return true;
}

static bool load_all(attempt *a, int32_t set, const char *kind, tn_arg *args, int32_t *out_n) {
  char path[4096];
  int64_t n_bytes = 0;
  int32_t n = 0;
  for (int32_t k = 0; k < MAX_VALUES && data_path(a, set, kind, k, path, sizeof path, &n_bytes);
       ++k) {
    char model[4096];
    bool is_output = strcmp(kind, "output") == 0;
    (void)snprintf(model, sizeof model, "%s/model.onnx", a->dir);
    tn_arg value = tn_arg_none();
    if (n_bytes == 0) {
      continue; /* an input left out */
    }
    if (is_bad(a, tn_onnx_value_load(model, is_output, k, path, &value))) {
      *out_n = n;
      return false;
    }
    args[n++] = value;
  }
  *out_n = n;
  return true;
}

static void release_all(tn_arg *args, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    tn_arg_release(&args[i]);
  }
}

static bool compare_value(attempt *a, int32_t k, const tn_arg *got, const tn_arg *want);

static bool compare_sequence(attempt *a, int32_t k, tn_tuple *got, tn_tuple *want) {
  int32_t n = tn_tuple_size(want);
  if (got == NULL || tn_tuple_size(got) != n) {
    say(a->result, CASE_FAILED, "output %d is no sequence of %d", k, n);
    return false;
  }
  for (int32_t i = 0; i < n; ++i) {
    if (!compare_value(a, k, tn_tuple_at(got, i), tn_tuple_at(want, i))) {
      return false;
    }
  }
  return true;
}

static bool compare_value(attempt *a, int32_t k, const tn_arg *got, const tn_arg *want) {
  tn_tensor *compact = NULL;
  if (tn_arg_tuple(want) != NULL) {
    return compare_sequence(a, k, tn_arg_tuple(got), tn_arg_tuple(want));
  }
  if (want->kind == TN_ARG_NONE && got->kind == TN_ARG_NONE) {
    return true;
  }
  if (tn_arg_tensor(got) == NULL || tn_arg_tensor(want) == NULL) {
    say(a->result, CASE_FAILED, "output %d is no tensor", k);
    return false;
  }
  if (is_bad(a, tn_tensor_copy(NULL, tn_arg_tensor(got), (DLDevice){kDLCPU, 0}, &compact))) {
    return false;
  }
  bool is_same = compare(a, k, compact, tn_arg_tensor(want));
  tn_tensor_release(compact);
  return is_same;
}

/* One output stands for itself; that may be a sequence. */
static bool compare_all(attempt *a, const tn_arg *ret, const tn_arg *wanted, int32_t n) {
  tn_tuple *tuple = n == 1 ? NULL : tn_arg_tuple(ret);
  int32_t n_got = tuple != NULL ? tn_tuple_size(tuple) : 1;
  if (n_got != n) {
    say(a->result, CASE_FAILED, "%d outputs, expected %d", n_got, n);
    return false;
  }
  for (int32_t k = 0; k < n; ++k) {
    const tn_arg *got = tuple != NULL ? tn_tuple_at(tuple, k) : ret;
    if (!compare_value(a, k, got, &wanted[k])) {
      return false;
    }
  }
  return true;
}

static bool run_set(attempt *a, int32_t set) {
  tn_arg args[MAX_VALUES];
  tn_arg wanted[MAX_VALUES];
  tn_arg used[MAX_VALUES];
  tn_arg ret = tn_arg_none();
  int32_t n = 0;
  int32_t n_wanted = 0;
  bool is_ok = load_all(a, set, "input", args, &n) && load_all(a, set, "output", wanted, &n_wanted);
  if (is_ok && n < a->n_params) {
    say(a->result, CASE_FAILED, "%d inputs in data set %d, expected %d", n, set, a->n_params);
    is_ok = false;
  }
  int32_t n_used = 0; /* more files than inputs: the model has initial values for the last ones */
  for (int32_t k = 0; k < n; ++k) {
    if (!a->are_taken[k] && n_used < a->n_params) {
      used[n_used++] = args[k];
    }
  }
  is_ok = is_ok && !is_bad(a, tn_vm_call(a->vm, "main", used, n_used, &ret));
  is_ok = is_ok && compare_all(a, &ret, wanted, n_wanted);
  tn_arg_release(&ret);
  release_all(args, n);
  release_all(wanted, n_wanted);
  return is_ok;
}

/* The first data set's inputs are offered: where an operator's axes or pads are an input, the suite
 * means a constant. */
static tn_status load_program(attempt *a, const char *path) {
  tn_arg args[MAX_VALUES];
  tn_tensor *tensors[MAX_VALUES];
  int32_t n = 0;
  if (!load_all(a, 0, "input", args, &n)) {
    release_all(args, n);
    return tn_status_make(TN_INVALID, a->result->message);
  }
  for (int32_t k = 0; k < n; ++k) {
    tensors[k] = tn_arg_tensor(&args[k]);
  }
  const tn_read_opts how = {.values = tensors, .n_values = n, .are_taken = a->are_taken};
  tn_status st = tn_program_load_as(path, &how, &a->program);
  release_all(args, n);
  return st;
}

/* In memory, or by way of a file in a folder of its own. */
static tn_status make_exec(attempt *a) {
  const char *tmp = getenv("TMPDIR");
  char dir[512];
  char path[600];
  if (a->opts->through == NULL) {
    return tn_program_compile(a->program, &a->opts->compile, &a->exec);
  }
  (void)snprintf(dir, sizeof dir, "%.400s/tenon-XXXXXX", tmp != NULL ? tmp : "/tmp");
  if (mkdtemp(dir) == NULL) {
    return tn_status_make(TN_IO, "no folder for the compiled model");
  }
  (void)snprintf(path, sizeof path, "%s/model.%s", dir, a->opts->through);
  tn_status st = tn_program_write(a->program, &a->opts->compile, path);
  st = st == NULL ? tn_exec_load(path, &a->exec) : st;
  (void)unlink(path); /* what is loaded stays */
  (void)rmdir(dir);
  return st;
}

static bool open_model(attempt *a) {
  char path[4096];
  char *ops = NULL;
  tn_function_info info = {0};
  (void)snprintf(path, sizeof path, "%s/model.onnx", a->dir);
  if (is_bad(a, tn_onnx_operators(path, &ops))) {
    return false;
  }
  (void)snprintf(a->result->ops, sizeof a->result->ops, "%s", ops);
  free(ops);
  if (is_bad(a, load_program(a, path)) || is_bad(a, tn_program_function(a->program, 0, &info)) ||
      is_bad(a, make_exec(a)) || is_bad(a, tn_runtime_create(a->opts->n_threads, &a->rt)) ||
      is_bad(a, tn_vm_create(a->rt, a->exec, NULL, 0, &a->vm))) {
    return false;
  }
  a->n_params = info.n_params;
  return true;
}

static void run_here(const char *dir, const case_opts *opts, case_result *result) {
  attempt a = {.dir = dir, .opts = opts, .result = result};
  char path[4096];
  int64_t n_bytes = 0;
  int32_t set = 0;
  result->verdict = CASE_PASSED;
  if (!data_path(&a, 0, "output", 0, path, sizeof path, &n_bytes)) {
    say(result, CASE_SKIPPED, "no test_data_set_0 with an output");
    return;
  }
  bool is_ok = open_model(&a);
  while (is_ok && data_path(&a, set, "output", 0, path, sizeof path, &n_bytes)) {
    is_ok = run_set(&a, set++);
  }
  tn_vm_release(a.vm);
  tn_exec_release(a.exec);
  tn_program_free(a.program);
  tn_runtime_release(a.rt);
}

/* ---- processes ---- */

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool read_all(int fd, void *to, size_t n_bytes) {
  char *at = to;
  while (n_bytes > 0) {
    ssize_t n = read(fd, at, n_bytes);
    if (n <= 0 && !(n < 0 && errno == EINTR)) {
      return false;
    }
    at += n > 0 ? n : 0;
    n_bytes -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

static void run_child(int fd, const char *dir, const case_opts *opts) {
  case_result result = {0};
  (void)alarm((unsigned)opts->timeout_s);
  run_here(dir, opts, &result);
  ssize_t n = write(fd, &result, sizeof result);
  _exit(n == (ssize_t)sizeof result ? 0 : 1);
}

void onnx_case_run(const char *dir, const case_opts *opts, case_result *out) {
  int fds[2];
  double start = now();
  *out = (case_result){0};
  (void)fflush(NULL);
  if (pipe(fds) != 0) {
    say(out, CASE_FAILED, "no pipe: %s", strerror(errno));
    return;
  }
  pid_t pid = fork();
  if (pid == 0) {
    (void)close(fds[0]);
    run_child(fds[1], dir, opts);
  }
  (void)close(fds[1]);
  bool is_whole = pid > 0 && read_all(fds[0], out, sizeof *out);
  (void)close(fds[0]);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid < 0) {
    say(out, CASE_FAILED, "no process: %s", strerror(errno));
  } else if (!is_whole) {
    *out = (case_result){0};
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    say(out, CASE_FAILED, sig == SIGALRM ? "it ran longer than %d s" : "it died of signal %d",
        sig == SIGALRM ? opts->timeout_s : sig);
  }
  out->seconds = now() - start;
}
