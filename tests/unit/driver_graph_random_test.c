/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random graph functions, compiled and run by the virtual machine, against the interpreter on the
 * text as generated: bit for bit. A module holds many functions, which share their kernels; most
 * are compiled at level 0, for the host or with AVX2 alone, some at level 2 with strict arithmetic.
 * TN_LONG=1 runs many more; TN_SEED=n runs one module and prints it. */
/* with: gen_graph.c */
#include "tn_test.h"

#include "base/status.h"
#include "gen_graph.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"

enum { N_FUNCS = 20, N_MODULES = 20, LONG_MODULES = 500, N_ARGS = 6 };

/* ---- the host's functions ---- */

static float *floats(const tn_arg *arg, int64_t *out_n) {
  const DLTensor *dl = tn_arg_dl(arg);
  *out_n = dl->shape[0];
  return (float *)(void *)((char *)dl->data + dl->byte_offset);
}

static tn_status host_add(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  int64_t n = 0;
  (void)ctx;
  (void)n_args;
  (void)out_ret;
  const float *a = floats(&args[0], &n);
  const float *b = floats(&args[1], &n);
  float *c = floats(&args[2], &n);
  for (int64_t i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }
  return NULL;
}

static tn_status host_inc(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  int64_t n = 0;
  tn_tensor *y = NULL;
  (void)ctx;
  (void)n_args;
  const float *from = floats(&args[0], &n);
  tn_status st = tn_tensor_create(TN_DT_F32, 1, &n, NULL, &y);
  if (st != NULL) {
    return st;
  }
  float *to = tn_tensor_data(y);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = from[i] + 100;
  }
  *out_ret = tn_arg_of_tensor(y);
  return NULL;
}

/* ---- arguments and results ---- */

static tn_arg vector(int64_t n, int32_t first) {
  tn_tensor *t = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, &n, NULL, &t));
  for (int64_t i = 0; i < n; ++i) {
    ((float *)tn_tensor_data(t))[i] = (float)(first + 3 * i) / 2;
  }
  return tn_arg_of_tensor(t);
}

static tn_arg whole(tn_dtype dtype, int32_t ndim, const int64_t *shape, int64_t first) {
  tn_tensor *t = NULL;
  int64_t n = 1;
  expect_ok(tn_tensor_create(dtype, ndim, shape, NULL, &t));
  for (int32_t d = 0; d < ndim; ++d) {
    n *= shape[d];
  }
  for (int64_t i = 0; i < n && dtype == TN_DT_I64; ++i) {
    ((int64_t *)tn_tensor_data(t))[i] = first - 2 * i;
  }
  if (dtype == TN_DT_BOOL) {
    *(uint8_t *)tn_tensor_data(t) = first != 0;
  }
  return tn_arg_of_tensor(t);
}

/* As gen_graph.h says. */
static void make_args(int64_t n, int64_t m, bool is_true, tn_arg *args) {
  const int64_t rows[] = {m, 3};
  const int64_t sizes[] = {m, n};
  tn_shape *shape = NULL;
  tn_tuple *inner = NULL;
  tn_tuple *outer = NULL;
  expect_ok(tn_shape_create(2, sizes, &shape));
  tn_arg items[] = {whole(TN_DT_I64, 0, NULL, 2), tn_arg_of_shape(shape)};
  expect_ok(tn_tuple_create(2, items, &inner));
  tn_arg pair[] = {vector(n, -5), tn_arg_of_tuple(inner)};
  expect_ok(tn_tuple_create(2, pair, &outer));
  for (int32_t i = 0; i < 2; ++i) {
    tn_arg_release(&items[i]);
    tn_arg_release(&pair[i]);
  }
  args[0] = vector(n, 1);
  args[1] = vector(n, -2);
  args[2] = whole(TN_DT_I64, 2, rows, 4);
  args[3] = whole(TN_DT_BOOL, 0, NULL, is_true);
  args[4] = tn_arg_of_tuple(outer);
  args[5] = tn_arg_of_int(6);
}

/* The bit pattern of a NaN is nobody's promise. */
static bool same_floats(const float *a, const float *b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    bool are_nan = a[i] != a[i] && b[i] != b[i];
    if (!are_nan && memcmp(&a[i], &b[i], sizeof *a) != 0) {
      return false;
    }
  }
  return true;
}

static bool same_tensor(const DLTensor *a, const DLTensor *b) {
  int64_t n = 1;
  if (a->ndim != b->ndim || tn_dl_dtype(a) != tn_dl_dtype(b)) {
    return false;
  }
  for (int32_t d = 0; d < a->ndim; ++d) {
    n *= a->shape[d];
    if (a->shape[d] != b->shape[d]) {
      return false;
    }
  }
  const char *x = (const char *)a->data + a->byte_offset;
  const char *y = (const char *)b->data + b->byte_offset;
  if (tn_dl_dtype(a) == TN_DT_F32) {
    return same_floats((const float *)(const void *)x, (const float *)(const void *)y, n);
  }
  return memcmp(x, y, (size_t)n * (a->dtype.bits == 64 ? 8 : 1)) == 0;
}

static bool same(const tn_arg *a, const tn_arg *b) {
  if (tn_arg_dl(a) != NULL || tn_arg_dl(b) != NULL) {
    return tn_arg_dl(a) != NULL && tn_arg_dl(b) != NULL && same_tensor(tn_arg_dl(a), tn_arg_dl(b));
  }
  const tn_shape *shapes[] = {tn_arg_shape(a), tn_arg_shape(b)};
  if (shapes[0] != NULL || shapes[1] != NULL) {
    int32_t n = shapes[0] == NULL ? -1 : tn_shape_ndim(shapes[0]);
    return shapes[1] != NULL && n == tn_shape_ndim(shapes[1]) &&
           memcmp(tn_shape_dims(shapes[0]), tn_shape_dims(shapes[1]), (size_t)n * 8) == 0;
  }
  const tn_tuple *tuples[] = {tn_arg_tuple(a), tn_arg_tuple(b)};
  if (tuples[0] == NULL || tuples[1] == NULL) {
    return a->kind == b->kind && a->kind == TN_ARG_INT && a->u.i64 == b->u.i64;
  }
  bool is_same = tn_tuple_size(tuples[0]) == tn_tuple_size(tuples[1]);
  for (int32_t i = 0; is_same && i < tn_tuple_size(tuples[0]); ++i) {
    is_same = same(tn_tuple_at(tuples[0], i), tn_tuple_at(tuples[1], i));
  }
  return is_same;
}

/* ---- modules ---- */

static void fail_module(uint64_t seed, const char *text, const char *what, tn_status st) {
  if (getenv("TN_SEED") != NULL) {
    fprintf(stderr, "%s\n", text);
  }
  fprintf(stderr, "TN_SEED=%llu: %s%s%s\n", (unsigned long long)seed, what, st == NULL ? "" : ": ",
          st == NULL ? "" : tn_status_message(st));
  fail();
}

typedef struct host {
  tn_runtime *rt;
  tn_program *program;
  tn_exec *exec;
  tn_vm *vm;
} host;

static tn_status open_module(host *h, uint64_t seed, const char *text) {
  const tn_compile_opts opts = {.target = seed % 2 == 0 ? "host" : "x86-64-v3",
                                .opt_level = seed % 4 == 3 ? 2 : 0,
                                .is_strict_math = true,
                                .does_verify_each = true};
  tn_registry *registry = NULL;
  tn_status st = NULL;
  TN_GOTO(st, tn_program_parse(text, strlen(text), "random.py", &h->program), done);
  TN_GOTO(st, tn_program_compile(h->program, &opts, &h->exec), done);
  TN_GOTO(st, tn_runtime_create(1, &h->rt), done);
  registry = tn_runtime_registry(h->rt);
  TN_GOTO(st, tn_registry_add(registry, "env.add", host_add, NULL, NULL, false), done);
  TN_GOTO(st, tn_registry_add(registry, "host.inc", host_inc, NULL, NULL, false), done);
  TN_GOTO(st, tn_vm_create(h->rt, h->exec, NULL, 0, &h->vm), done);
done:
  return st;
}

static void close_module(host *h) {
  tn_vm_release(h->vm);
  tn_exec_release(h->exec);
  tn_program_free(h->program);
  tn_runtime_release(h->rt);
}

/* Twice on the machine: the second call finds the memory of the first. */
static void compare(host *h, uint64_t seed, const char *text, int32_t index) {
  char name[16];
  tn_arg args[N_ARGS];
  tn_arg want = tn_arg_none();
  (void)snprintf(name, sizeof name, "f%d", index);
  make_args(1 + (int64_t)((seed + (uint64_t)index) % 6), 1 + index % 3, index % 2 == 0, args);
  tn_status st = tn_program_interpret(h->program, h->rt, name, args, N_ARGS, NULL, &want);
  if (st != NULL) {
    fail_module(seed, text, name, st);
  }
  for (int32_t i = 0; i < 2; ++i) {
    tn_arg got = tn_arg_none();
    st = tn_vm_call(h->vm, name, args, N_ARGS, &got);
    if (st != NULL || !same(&want, &got)) {
      fail_module(seed, text, name, st);
    }
    tn_arg_release(&got);
  }
  tn_arg_release(&want);
  for (int32_t i = 0; i < N_ARGS; ++i) {
    tn_arg_release(&args[i]);
  }
}

static void run_module(uint64_t seed, int32_t n_stmts) {
  tn_buf text = TN_BUF_INIT;
  host h = {0};
  gen_graph_module(seed, N_FUNCS, n_stmts, &text);
  tn_status st = open_module(&h, seed, tn_buf_text(&text));
  if (st != NULL) {
    fail_module(seed, tn_buf_text(&text), "not compiled", st);
  }
  for (int32_t i = 0; i < N_FUNCS; ++i) {
    compare(&h, seed, tn_buf_text(&text), i);
  }
  close_module(&h);
  tn_buf_deinit(&text);
}

static void random_graph_functions_agree_with_the_interpreter(void **state) {
  (void)state;
  const char *text = getenv("TN_SEED");
  uint64_t first = text != NULL ? strtoull(text, NULL, 10) : 1;
  uint64_t n = text != NULL ? 1 : getenv("TN_LONG") != NULL ? LONG_MODULES : N_MODULES;
  for (uint64_t seed = first; seed < first + n; ++seed) {
    run_module(seed, 4 + (int32_t)(seed % 12));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graph_functions_agree_with_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
