/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Our own mathematics against libm: a loop of 4096 float32 (float64) in the first-level cache,
 * compiled at -O2 for this machine and at -O2 under strict mathematics, against a C loop that calls
 * libm. */
#include <math.h>

#include "kernel.h"
#include "row.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"
#include "tir/math/math.h"

enum { N = 4096 };

typedef struct math_case {
  const char *name;
  float (*libm)(float);
  double (*libm_wide)(double);
  double lo; /* of the arguments */
  double hi;
  double target; /* times as fast as libm; 0: none */
} math_case;

static float sigmoidf(float x) { return 1.0F / (1.0F + expf(-x)); }
static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
static float rsqrtf(float x) { return 1.0F / sqrtf(x); }
static double rsqrt(double x) { return 1.0 / sqrt(x); }

static const math_case cases[] = {
    {"exp", expf, exp, -10, 10, 10},
    {"exp2", exp2f, exp2, -10, 10, 0},
    {"exp10", exp10f, exp10, -5, 5, 0},
    {"log", logf, log, 0.01, 10, 10},
    {"log2", log2f, log2, 0.01, 10, 0},
    {"log10", log10f, log10, 0.01, 10, 0},
    {"log1p", log1pf, log1p, -0.5, 10, 0},
    {"sin", sinf, sin, -10, 10, 10},
    {"cos", cosf, cos, -10, 10, 0},
    {"tan", tanf, tan, -10, 10, 0},
    {"asin", asinf, asin, -1, 1, 0},
    {"acos", acosf, acos, -1, 1, 0},
    {"atan", atanf, atan, -10, 10, 0},
    {"sinh", sinhf, sinh, -10, 10, 0},
    {"cosh", coshf, cosh, -10, 10, 0},
    {"tanh", tanhf, tanh, -4, 4, 10},
    {"asinh", asinhf, asinh, -10, 10, 0},
    {"acosh", acoshf, acosh, 1, 10, 0},
    {"atanh", atanhf, atanh, -0.99, 0.99, 0},
    {"erf", erff, erf, -4, 4, 10},
    {"sigmoid", sigmoidf, sigmoid, -10, 10, 10},
    {"rsqrt", rsqrtf, rsqrt, 0.01, 10, 0},
};

typedef struct libm_call {
  const math_case *c;
  bool is_wide;
  const void *x;
  void *y;
} libm_call;

static tn_status run_libm(void *ctx) {
  const libm_call *call = ctx;
  for (int i = 0; i < N; ++i) {
    if (call->is_wide) {
      ((double *)call->y)[i] = call->c->libm_wide(((const double *)call->x)[i]);
    } else {
      ((float *)call->y)[i] = call->c->libm(((const float *)call->x)[i]);
    }
  }
  return NULL;
}

static tn_status make_kernel(const char *name, bool is_wide, bool is_strict, kernel *out_k) {
  const char *type = is_wide ? "float64" : "float32";
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  tn_status st = NULL;
  tn_program *program = NULL;
  char text[512];
  (void)snprintf(text, sizeof text,
                 "@T.prim_func\n"
                 "def f(A: T.Buffer((%d,), '%s'), B: T.Buffer((%d,), '%s')):\n"
                 "    T.func_attr({'tir.noalias': T.bool(True)})\n"
                 "    for i in range(%d):\n"
                 "        B[i] = T.%s(A[i])\n",
                 N, type, N, type, N, name);
  opts.is_strict_math = is_strict;
  TN_GOTO(st, tn_program_parse(text, strlen(text), "bench", &program), done);
  TN_GOTO(st, kernel_init_as(program, "f", &opts, out_k), done);
done:
  tn_program_free(program);
  return st;
}

static tn_status measure(const kernel_call *call, const libm_call *libm, double *out_ns,
                         double *out_times) {
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_pair pair = {0};
  union { /* a tn_bench_call takes no const */
    const void *from;
    void *to;
  } a = {call}, b = {libm};
  opts.repeat = 7;
  opts.min_repeat_ms = 0.5;
  opts.warmup_ms = 1;
  tn_status st = tn_bench_compare(&(tn_bench_call){kernel_call_run, a.to},
                                  &(tn_bench_call){run_libm, b.to}, &opts, &pair);
  *out_ns = pair.a.median_us * 1e3 / N;
  *out_times = pair.b.median_us / pair.a.median_us;
  tn_bench_pair_deinit(&pair);
  return st;
}

/* One row: a function, of a type, fast or strict. */
static tn_status bench_case(const math_case *c, bool is_wide, bool is_strict) {
  tn_status st = NULL;
  kernel_call call = {.env = kernel_env()};
  double ns = 0;
  double times = 0;
  char name[64];
  char note[64];
  float *x = kernel_call_add(&call, 1, (const int64_t[]){is_wide ? 2 * N : N});
  float *y = kernel_call_add(&call, 1, (const int64_t[]){is_wide ? 2 * N : N});
  libm_call libm = {c, is_wide, x, y};
  for (int i = 0; i < N; ++i) {
    double value = c->lo + (c->hi - c->lo) * ((i * 37) % N) / N;
    if (is_wide) {
      ((double *)(void *)x)[i] = value;
    } else {
      x[i] = (float)value;
    }
  }
  for (int32_t i = 0; i < 2; ++i) {
    call.shapes[i][0] = N;
    call.tensors[i].dtype.bits = is_wide ? 64 : 32;
  }
  TN_GOTO(st, make_kernel(c->name, is_wide, is_strict, &call.k), done);
  TN_GOTO(st, measure(&call, &libm, &ns, &times), done);
  (void)snprintf(name, sizeof name, "%s of %s%s, against libm", c->name,
                 is_wide ? "float64" : "float32", is_strict ? ", strict" : "");
  (void)snprintf(note, sizeof note, "%.3g ns an element", ns);
  bool has_target = c->target > 0 && !is_wide && !is_strict;
  row_print(&(row){name, times, "times", has_target ? ROW_AT_LEAST : ROW_INFO, c->target, note});
done:
  kernel_call_deinit(&call);
  return st;
}

int main(void) {
  tn_status st = NULL;
  for (int variant = 0; variant < 3 && st == NULL; ++variant) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && st == NULL; ++i) {
      st = bench_case(&cases[i], variant == 2, variant == 1);
    }
  }
  return row_finish(st);
}
