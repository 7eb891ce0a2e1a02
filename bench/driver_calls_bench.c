/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a call costs: an empty kernel called from C, the same through the runtime, and one call_tir
 * on the virtual machine above its kernel (a chain of N call_tirs against N calls of the kernel).
 */
#include "kernel.h"
#include "row.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"

enum { N_CHAIN = 256 };

static const char empty_text[] = "@T.prim_func\n"
                                 "def empty(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), "
                                 "\"float32\"), C: T.Buffer((16,), "
                                 "\"float32\")):\n"
                                 "    T.evaluate(0)\n";

static const char step_text[] =
    "@I.ir_module\n"
    "class Chain:\n"
    "    @T.prim_func\n"
    "    def step(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")):\n"
    "        for i in T.vectorized(16):\n"
    "            B[i] = A[i] + T.float32(1)\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((16,), dtype=\"float32\")) -> R.Tensor((16,), dtype=\"float32\"):\n"
    "        cls = Chain\n"
    "        with R.dataflow():\n";

static tn_status parse(const char *text, tn_program **out_program) {
  return tn_program_parse(text, strlen(text), "bench", out_program);
}

static tn_status measure(tn_status (*run)(void *), void *ctx, double *out_us) {
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_result result = {0};
  tn_status st = tn_bench_measure(&(tn_bench_call){run, ctx}, &opts, &result);
  *out_us = result.median_us;
  tn_bench_result_deinit(&result);
  return st;
}

/* ---- an empty kernel ---- */

typedef struct hosted {
  const kernel_call *call;
  tn_runtime *rt;
} hosted;

static tn_status run_hosted(void *ctx) {
  const hosted *h = ctx;
  return tn_kernel_call(h->rt, h->call->k.fn, "empty(A, B, C)", h->call->args, h->call->n_args);
}

static tn_status bench_empty(void) {
  tn_status st = NULL;
  tn_program *program = NULL;
  kernel_call call = {.env = kernel_env()};
  hosted h = {.call = &call};
  double us = 0;
  TN_GOTO(st, parse(empty_text, &program), done);
  TN_GOTO(st, kernel_init(program, "empty", &call.k), done);
  for (int i = 0; i < 3; ++i) {
    (void)kernel_call_add(&call, 1, (const int64_t[]){16});
  }
  TN_GOTO(st, measure(kernel_call_run, &call, &us), done);
  row_print(&(row){"empty kernel, called from C", us * 1e3, "ns", ROW_AT_MOST, 100,
                   "three tensors, checked"});
  TN_GOTO(st, tn_runtime_create(1, &h.rt), done);
  TN_GOTO(st, measure(run_hosted, &h, &us), done);
  row_print(&(row){"empty kernel, called through the runtime", us * 1e3, "ns", ROW_INFO, 0, NULL});
done:
  tn_runtime_release(h.rt);
  kernel_call_deinit(&call);
  tn_program_free(program);
  return st;
}

/* ---- call_tir on the machine ---- */

static void chain_text(tn_buf *out) {
  tn_buf_puts(out, step_text);
  for (int i = 0; i < N_CHAIN; ++i) {
    char from[16] = "x";
    if (i > 0) {
      (void)snprintf(from, sizeof from, "v%d", i - 1);
    }
    tn_buf_printf(out,
                  "            v%d = R.call_tir(cls.step, (%s,), out_sinfo=R.Tensor((16,), "
                  "dtype=\"float32\"))\n",
                  i, from);
  }
  tn_buf_printf(out, "            R.output(v%d)\n        return v%d\n", N_CHAIN - 1, N_CHAIN - 1);
}

static tn_status run_kernels(void *ctx) {
  for (int i = 0; i < N_CHAIN; ++i) {
    TN_TRY(kernel_call_run(ctx));
  }
  return NULL;
}

typedef struct machine {
  tn_vm *vm;
  tn_arg x;
} machine;

static tn_status run_machine(void *ctx) {
  machine *m = ctx;
  tn_arg result = tn_arg_none();
  tn_status st = tn_vm_call(m->vm, "main", &m->x, 1, &result);
  tn_arg_release(&result);
  return st;
}

static tn_status bench_chain(void) {
  tn_status st = NULL;
  tn_buf text = TN_BUF_INIT;
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  tn_runtime *rt = NULL;
  kernel_call call = {.env = kernel_env()};
  machine m = {0};
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_pair pair = {0};
  chain_text(&text);
  TN_GOTO(st, parse(tn_buf_text(&text), &program), done);
  TN_GOTO(st, kernel_init(program, "step", &call.k), done);
  (void)kernel_call_add(&call, 1, (const int64_t[]){16});
  (void)kernel_call_add(&call, 1, (const int64_t[]){16});
  TN_GOTO(st, tn_program_compile(program, NULL, &exec), done);
  TN_GOTO(st, tn_runtime_create(1, &rt), done);
  TN_GOTO(st, tn_vm_create(rt, exec, NULL, 0, &m.vm), done);
  m.x = tn_arg_of_dl(&call.tensors[0]);
  TN_GOTO(st,
          tn_bench_compare(&(tn_bench_call){run_machine, &m}, &(tn_bench_call){run_kernels, &call},
                           &opts, &pair),
          done);
  row_print(&(row){"one call_tir on the machine, above its kernel",
                   (pair.a.median_us - pair.b.median_us) * 1e3 / N_CHAIN, "ns", ROW_AT_MOST, 150,
                   "a chain of 256 against 256 calls of the kernel"});
done:
  tn_bench_pair_deinit(&pair);
  tn_vm_release(m.vm);
  tn_runtime_release(rt);
  tn_exec_release(exec);
  kernel_call_deinit(&call);
  tn_program_free(program);
  tn_buf_deinit(&text);
  return st;
}

int main(void) {
  tn_status st = bench_empty();
  return row_finish(st == NULL ? bench_chain() : st);
}
