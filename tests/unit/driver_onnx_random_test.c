/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX models: what the graph interpreter, -O0, -O1 and -O2 (one thread and two) give agrees
 * with what each node gives alone, within the error that the generator measured; the loops that -O0
 * runs agree with their interpreter to the last bit. TN_SEED=n: one graph, with its text; TN_FIRST and
 * TN_COUNT: from where and how many; TN_LONG=1: 50,000; TN_REFUSED=1 tells which nodes were refused. */
/* with: gen_onnx.c gen_onnx_grow.c gen_onnx_write.c gen_onnx_elem.c gen_onnx_move.c */
/* with: gen_onnx_index.c gen_onnx_math.c gen_onnx_net.c gen_onnx_quant.c */
/* with: gen_onnx_contrib.c gen_onnx_more.c */
#include "tn_test.h"

#include <math.h>

#include "driver/driver_priv.h"
#include "front/front.h"
#include "gen_onnx.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"

enum { MAX_VALUES = 512, LONG_COUNT = 50000, SHARE_COUNT = 90, MAX_FAILED = 10 };

static tn_runtime *runtimes[2]; /* of one thread, of two */

/* ---- comparing ---- */

static double ulp_of(tn_dtype dtype) {
  return dtype == TN_DT_F64    ? 0x1p-52
         : dtype == TN_DT_F16  ? 0x1p-10
         : dtype == TN_DT_BF16 ? 0x1p-7
                               : 0x1p-23;
}

static tn_status differ(const char *what, int32_t id, int64_t at, double got, double want) {
  return TN_ERR(TN_INVALID, "%s: v%d[%lld] is %.9g, expected %.9g", what, id, (long long)at, got,
                want);
}

static tn_status compare(const char *what, int32_t id, const gx_value *want, const tn_array *got) {
  const tn_array *a = &want->array;
  if (a->dtype != got->dtype || a->ndim != got->ndim ||
      (a->ndim > 0 && memcmp(a->shape, got->shape, sizeof *a->shape * (size_t)a->ndim) != 0)) {
    return TN_ERR(TN_INVALID, "%s: v%d has another type or shape", what, id);
  }
  for (int64_t i = 0; i < tn_array_n_elems(a); ++i) {
    double x = tn_array_get_f64(a, i);
    double y = tn_array_get_f64(got, i);
    double err = want->err == NULL ? 0 : 4 * want->err[i] + ulp_of(a->dtype) * fabs(x);
    bool is_int = tn_dtype_is_int(a->dtype) || tn_dtype_is_uint(a->dtype);
    bool is_same = is_int ? tn_array_get_i64(a, i) == tn_array_get_i64(got, i)
                          : x == y || (isnan(x) && isnan(y));
    if (!is_same && !(fabs(x - y) <= err)) {
      return differ(what, id, i, y, x);
    }
  }
  return NULL;
}

static tn_status same_bits(const char *what, int32_t id, const tn_array *want,
                           const tn_array *got) {
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    double x = tn_array_get_f64(want, i);
    double y = tn_array_get_f64(got, i);
    if (!(isnan(x) && isnan(y)) && memcmp(&x, &y, sizeof x) != 0) {
      return differ(what, id, i, y, x);
    }
  }
  return NULL;
}

/* ---- running ---- */

typedef struct attempt {
  const gx_graph *g;
  tn_program *program;
  int32_t n_in;
  int32_t n_out;
  int32_t in[MAX_VALUES];
  int32_t out[MAX_VALUES];
  tn_arg args[MAX_VALUES];
} attempt;

static tn_status open_attempt(attempt *a, const gx_graph *g) {
  *a = (attempt){.g = g};
  a->n_in = gen_onnx_inputs(g, a->in, MAX_VALUES);
  a->n_out = gen_onnx_outputs(g, a->out, MAX_VALUES);
  for (int32_t i = 0; i < a->n_in; ++i) {
    tn_tensor *tensor = NULL;
    TN_TRY(tn_tensor_of_array(&g->values.data[a->in[i]].array, &tensor));
    a->args[i] = tn_arg_of_tensor(tensor);
  }
  tn_buf bytes = gen_onnx_write(g);
  tn_status st = tn_driver_new_program(&a->program);
  st = st != NULL ? st
                  : tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, NULL,
                                         &a->program->module);
  tn_buf_deinit(&bytes);
  return st;
}

static void close_attempt(attempt *a) {
  tn_program_free(a->program);
  for (int32_t i = 0; i < a->n_in; ++i) {
    tn_arg_release(&a->args[i]);
  }
}

/* Output i of the result as an array that looks at it. tuple items may lie strided: compact copies. */
static tn_status result_at(const attempt *a, const tn_arg *ret, int32_t i, tn_tensor **out_tensor,
                           tn_array *out) {
  const tn_arg *item = a->n_out == 1 ? ret : tn_tuple_at(tn_arg_tuple(ret), i);
  TN_TRY(tn_tensor_copy(NULL, tn_arg_tensor(item), (DLDevice){kDLCPU, 0}, out_tensor));
  return tn_array_view_dl(tn_tensor_dl(*out_tensor), out);
}

static tn_status compare_all(const attempt *a, const char *what, const tn_arg *ret) {
  tn_status st = NULL;
  for (int32_t i = 0; i < a->n_out && st == NULL; ++i) {
    tn_tensor *tensor = NULL;
    tn_array got = {0};
    st = result_at(a, ret, i, &tensor, &got);
    st = st != NULL ? st : compare(what, a->out[i], &a->g->values.data[a->out[i]], &got);
    tn_tensor_release(tensor);
  }
  return st;
}

static tn_status all_bits(const attempt *a, const char *what, const tn_arg *want,
                          const tn_arg *got) {
  tn_status st = NULL;
  for (int32_t i = 0; i < a->n_out && st == NULL; ++i) {
    tn_tensor *tensors[2] = {NULL, NULL};
    tn_array arrays[2] = {0};
    st = result_at(a, want, i, &tensors[0], &arrays[0]);
    st = st != NULL ? st : result_at(a, got, i, &tensors[1], &arrays[1]);
    st = st != NULL ? st : same_bits(what, a->out[i], &arrays[0], &arrays[1]);
    tn_tensor_release(tensors[0]);
    tn_tensor_release(tensors[1]);
  }
  return st;
}

static tn_status interpret(attempt *a, tn_arg *out_ret) {
  tn_status st =
      tn_program_interpret(a->program, runtimes[0], "main", a->args, a->n_in, NULL, out_ret);
  return st != NULL ? st : compare_all(a, "interpreter", out_ret);
}

/* The loop functions, interpreted: slow, and -O0's to the last bit. */
static tn_status interpret_loops(attempt *a, const tn_arg *level_0) {
  tn_arg ret = tn_arg_none();
  tn_status st = NULL;
  TN_GOTO(st, tn_program_run_passes(a->program, "normalize,legalize_graph", NULL), done);
  TN_GOTO(st, tn_program_interpret(a->program, runtimes[0], "main", a->args, a->n_in, NULL, &ret),
          done);
  TN_GOTO(st, all_bits(a, "-O0 against its loops", &ret, level_0), done);
done:
  tn_arg_release(&ret);
  return st;
}

static tn_status run_level(attempt *a, int32_t level, int32_t n_threads, tn_arg *out_ret) {
  char what[32];
  const tn_compile_opts opts = {.opt_level = level, .does_verify_each = a->g->seed % 4 == 0};
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  tn_status st = tn_program_compile(a->program, &opts, &exec);
  for (int32_t t = 1; t <= n_threads && st == NULL; ++t) {
    (void)snprintf(what, sizeof what, "-O%d, threads %d", level, t);
    tn_arg_release(out_ret);
    *out_ret = tn_arg_none();
    TN_GOTO(st, tn_vm_create(runtimes[t - 1], exec, NULL, 0, &vm), done);
    TN_GOTO(st, tn_vm_call(vm, "main", a->args, a->n_in, out_ret), done);
    TN_GOTO(st, compare_all(a, what, out_ret), done);
    tn_vm_release(vm);
    vm = NULL;
  }
done:
  tn_vm_release(vm);
  tn_exec_release(exec);
  return st;
}

/* Open extents may leave unknown what numbers told: such a model may be refused, not run wrong. */
static tn_status check_compiles(attempt *a) {
  const tn_compile_opts opts = {.opt_level = 0};
  tn_program *copy = NULL;
  tn_buf bytes = gen_onnx_write(a->g);
  tn_status st = tn_driver_new_program(&copy);
  TN_GOTO(st,
          tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, NULL, &copy->module),
          done);
  TN_GOTO(st, tn_program_run_passes(copy, "normalize,legalize_graph", &opts), done);
done:
  tn_program_free(copy);
  tn_buf_deinit(&bytes);
  return st;
}

/* NULL when all agree. out_open: the model's open extents alone stood in the way. */
static tn_status check(const gx_graph *g, bool *out_open) {
  attempt a;
  tn_arg ret = tn_arg_none();
  tn_status st = open_attempt(&a, g);
  st = st == NULL && g->open > 0 ? check_compiles(&a) : st;
  *out_open = st != NULL && g->open > 0;
  TN_GOTO(st, st, done);
  TN_GOTO(st, interpret(&a, &ret), done);
  TN_GOTO(st, run_level(&a, 1, 1, &ret), done);
  TN_GOTO(st, run_level(&a, 2, 2, &ret), done);
  TN_GOTO(st, run_level(&a, 0, 1, &ret), done);
  if (g->seed % 4 == 1) {
    TN_GOTO(st, interpret_loops(&a, &ret), done);
  }
done:
  tn_arg_release(&ret);
  close_attempt(&a);
  return st;
}

/* ---- what failed, made small ---- */

static bool still_fails(const gx_graph *g) {
  bool is_open = false;
  tn_status st = check(g, &is_open);
  bool fails = st != NULL && !is_open;
  tn_status_free(st);
  return fails;
}

static void shrink(gx_graph *g) {
  for (size_t i = 0; i < g->values.len; ++i) { /* one output */
    bool was = g->is_output[i];
    g->is_output[i] = false;
    int32_t ids[1];
    if (was && (gen_onnx_outputs(g, ids, 1) == 0 || !still_fails(g))) {
      g->is_output[i] = true;
    }
  }
  for (size_t i = 0; i < g->nodes.len; ++i) { /* its results become inputs */
    g->nodes.data[i].is_gone = true;
    g->nodes.data[i].is_gone = still_fails(g);
  }
}

static void print_values(const gx_graph *g, const attempt *a) {
  for (int32_t i = 0; i < a->n_in + a->n_out; ++i) {
    tn_buf text = TN_BUF_INIT;
    int32_t id = i < a->n_in ? a->in[i] : a->out[i - a->n_in];
    tn_array_print(&g->values.data[id].array, &text);
    fprintf(stderr, "%s v%d = %.600s\n", i < a->n_in ? "input" : "result", id, tn_buf_text(&text));
    tn_buf_deinit(&text);
  }
}

static void keep_model(const gx_graph *g) {
  char path[512];
  if (getenv("TN_KEEP") == NULL) {
    return;
  }
  tn_buf bytes = gen_onnx_write(g);
  (void)snprintf(path, sizeof path, "%s/random_%llu.onnx", getenv("TN_KEEP"),
                 (unsigned long long)g->seed);
  FILE *file = fopen(path, "wb");
  if (file != NULL) {
    (void)fwrite(bytes.data, 1, bytes.len, file);
    (void)fclose(file);
  }
  tn_buf_deinit(&bytes);
}

static void report(gx_graph *g, const char *message) {
  attempt a;
  char *text = NULL;
  fprintf(stderr, "TN_SEED=%llu, opset %lld: %s\n", (unsigned long long)g->seed,
          (long long)g->opset, message);
  shrink(g);
  bool is_open = false;
  tn_status st = check(g, &is_open);
  fprintf(stderr, "made small: %s\n", st == NULL ? "it passes" : tn_status_message(st));
  tn_status_free(st);
  st = open_attempt(&a, g);
  if (st == NULL && a.program != NULL && tn_program_print(a.program, &text) == NULL) {
    fprintf(stderr, "%.6000s\n", text);
    print_values(g, &a);
  }
  free(text);
  tn_status_free(st);
  close_attempt(&a);
  keep_model(g);
}

/* ---- the tests ---- */

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void print_text(const gx_graph *g) {
  attempt a;
  char *text = NULL;
  tn_status st = open_attempt(&a, g);
  if (st == NULL && tn_program_print(a.program, &text) == NULL) {
    fprintf(stderr, "%s\n", text);
  }
  free(text);
  tn_status_free(st);
  close_attempt(&a);
}

typedef struct totals {
  int64_t n_nodes;
  int64_t n_tried;
  int64_t n_refused;
  int64_t n_open; /* graphs that open extents stood in the way of */
  int64_t n_failed;
} totals;

static void run_graph(uint64_t seed, int64_t *counts, totals *t) {
  gx_graph g;
  bool is_open = false;
  gen_onnx_make(&g, seed, 5 + (int32_t)(seed * 7 % 26));
  gen_onnx_count(&g, counts);
  t->n_nodes += (int64_t)g.nodes.len;
  t->n_tried += g.n_tried;
  t->n_refused += g.n_refused;
  if (g.n_refused > 0 && getenv("TN_REFUSED") != NULL) {
    fprintf(stderr, "TN_SEED=%llu, opset %lld, refused: %s\n", (unsigned long long)seed,
            (long long)g.opset, g.refusal);
  }
  if (getenv("TN_SEED") != NULL) {
    print_text(&g);
  }
  tn_status st = g.nodes.len == 0 ? NULL : check(&g, &is_open);
  t->n_open += is_open;
  if (st != NULL && !is_open) {
    t->n_failed++;
    report(&g, tn_status_message(st));
  }
  tn_status_free(st);
  gen_onnx_deinit(&g);
}

static uint64_t n_graphs(void) {
  return number("TN_COUNT", getenv("TN_SEED") != NULL   ? 1
                            : getenv("TN_LONG") != NULL ? LONG_COUNT
                                                        : SHARE_COUNT);
}

static void every_level_agrees_with_the_interpreter(void **state) {
  (void)state;
  uint64_t first = number("TN_FIRST", number("TN_SEED", 1));
  uint64_t n = n_graphs();
  uint64_t step = n == SHARE_COUNT ? 3 : 1; /* a share: rows here and there */
  int64_t *counts = calloc((size_t)gen_onnx_n_rows(), sizeof *counts);
  totals t = {0};
  for (int32_t i = 0; i < 2; ++i) {
    expect_ok(tn_runtime_create(i + 1, &runtimes[i]));
  }
  for (uint64_t k = 0; k < n && t.n_failed < MAX_FAILED; ++k) {
    run_graph(first + k * step, counts, &t);
  }
  for (int32_t i = 0; i < 2; ++i) {
    tn_runtime_release(runtimes[i]);
  }
  printf("%lld nodes of %lld tried, %lld refused; %lld graphs need their extents\n",
         (long long)t.n_nodes, (long long)t.n_tried, (long long)t.n_refused, (long long)t.n_open);
  for (int32_t i = 0; i < gen_onnx_n_rows() && getenv("TN_COUNTS") != NULL; ++i) {
    const char *domain = NULL;
    const char *op = NULL;
    int64_t since = 0;
    bool has_form = gen_onnx_row(i, &domain, &op, &since);
    printf("%s%s%s since %lld: %lld nodes%s\n", domain, *domain == '\0' ? "" : ".", op,
           (long long)since, (long long)counts[i], has_form ? "" : ", no form");
  }
  free(counts);
  assert_int_equal(t.n_failed, 0);
}

/* The generator reaches each rule of the importer for which it has a form. */
static void every_form_is_taken(void **state) {
  (void)state;
  uint64_t n_rows = (uint64_t)gen_onnx_n_rows();
  int64_t *counts = calloc(n_rows, sizeof *counts);
  int32_t n_missing = 0;
  for (uint64_t i = 0; i < n_rows; ++i) {
    const char *domain = NULL;
    const char *op = NULL;
    int64_t since = 0;
    bool has_form = gen_onnx_row((int32_t)i, &domain, &op, &since);
    for (uint64_t k = 0; k < 8 && has_form && counts[i] == 0; ++k) {
      gx_graph g;
      gen_onnx_make(&g, i + k * n_rows, 1);
      gen_onnx_count(&g, counts);
      gen_onnx_deinit(&g);
    }
    if (has_form && counts[i] == 0) {
      print_error("%s.%s since %lld is never taken\n", domain, op, (long long)since);
      n_missing++;
    }
  }
  free(counts);
  assert_int_equal(n_missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_taken),
      cmocka_unit_test(every_level_agrees_with_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
