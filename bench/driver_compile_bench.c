/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How long compiling takes: reading the text, and from there to code in memory, for each loop
 * function of a program. */
#include "row.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"

typedef struct subject {
  const char *path;
  tn_program *program;
} subject;

static tn_status read_text(void *ctx) {
  const subject *s = ctx;
  tn_program *program = NULL;
  tn_status st = tn_program_load(s->path, &program);
  tn_program_free(program);
  return st;
}

static tn_status compile(void *ctx) {
  const subject *s = ctx;
  tn_exec *exec = NULL;
  tn_status st = tn_program_compile(s->program, NULL, &exec);
  tn_exec_release(exec);
  return st;
}

static tn_status count_kernels(const tn_program *program, int32_t *out_n) {
  *out_n = 0;
  for (int32_t i = 0; i < tn_program_n_functions(program); ++i) {
    tn_function_info info = {0};
    tn_status st = tn_program_function(program, i, &info);
    if (st != NULL) {
      return st;
    }
    *out_n += !info.is_graph;
  }
  return NULL;
}

static tn_status measure(const char *what, tn_status (*run)(void *), subject *s, int32_t n,
                         const char *note) {
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_result result = {0};
  opts.repeat = 11;
  tn_status st = tn_bench_measure(&(tn_bench_call){run, s}, &opts, &result);
  if (st == NULL) {
    row_print(
        &(row){.name = what, .value = result.median_us * 1e-3 / n, .unit = "ms", .note = note});
    tn_bench_result_deinit(&result);
  }
  return st;
}

int main(void) {
  subject s = {.path = "examples/fashion_mnist/all_tensorir.py"};
  int32_t n_kernels = 0;
  tn_status st = tn_program_load(s.path, &s.program);
  st = st == NULL ? count_kernels(s.program, &n_kernels) : st;
  st = st == NULL ? measure("reading a program", read_text, &s, 1, s.path) : st;
  st = st == NULL ? measure("compiling, a kernel", compile, &s, n_kernels, s.path) : st;
  tn_program_free(s.program);
  return row_finish(st);
}
