/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How compiling grows with the program. Each shape below writes programs of n, 2n, 4n and 8n of one
 * thing; each stage's time (of the processor, the least of some rounds) and memory (the most above
 * what it began with) become the e of "grows like n^e", by least squares. What is linear has e near
 * 1; more than MAX_EXPONENT falls short. A shape gets a line of its own and one for each stage that
 * falls short.
 *   --all      a line for each stage
 *   --times=K  sizes K times as large
 *   WORD...    only shapes whose names contain one of them
 * needs: codegen graph ir ops script target */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "codegen/codegen.h"
#include "driver/driver_priv.h"
#include "graph/graph.h"
#include "ops/ops.h"
#include "row.h"
#include "script/script.h"

static const double max_exponent = 1.15;
static const double least_s = 4e-3;        /* what takes less at the largest size is not judged */
static const double least_bytes = 8 << 20; /* the same for memory */
enum { N_SIZES = 4, MAX_STAGES = 40, MIN_ROUNDS = 3, MAX_ROUNDS = 10 };

/* ---- programs ---- */

typedef struct shape {
  const char *name;
  int32_t n; /* of the smallest program */
  void (*write)(tn_buf *out, int32_t n);
} shape;

static void loop_function(tn_buf *out, const char *name, const char *params) {
  tn_buf_printf(out, "@T.prim_func\ndef %s(%s):\n", name, params);
}

static void write_functions(tn_buf *out, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out,
                  "@T.prim_func\ndef f%d(A: T.Buffer((16,), \"float32\")):\n"
                  "    for i in range(16):\n        A[i] = A[i] * T.float32(%d)\n",
                  i, i);
  }
}

static void write_statements(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\")");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    A[%d] = A[%d] * T.float32(%d)\n", i % 64, i * 7 % 64, i);
  }
}

/* By T.grid: loops written below each other would take n * n / 2 columns of indentation. */
static void write_nesting(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\")");
  tn_buf_puts(out, "    for i0");
  for (int32_t i = 1; i < n; ++i) {
    tn_buf_printf(out, ", i%d", i);
  }
  tn_buf_puts(out, " in T.grid(2");
  for (int32_t i = 1; i < n; ++i) {
    tn_buf_puts(out, ", 2");
  }
  tn_buf_printf(out, "):\n        A[i0 + i%d] = A[i%d] + T.float32(1)\n", n - 1, n / 2);
}

static void write_sum(tn_buf *out, int32_t from, int32_t to) {
  if (to - from == 1) {
    tn_buf_printf(out, "A[i * %d + j]", from + 1);
    return;
  }
  tn_buf_puts(out, "(");
  write_sum(out, from, (from + to) / 2);
  tn_buf_puts(out, " + ");
  write_sum(out, (from + to) / 2, to);
  tn_buf_puts(out, ")");
}

static void write_expression(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((1 << 24,), \"float32\")");
  tn_buf_puts(out, "    for i, j in T.grid(16, 16):\n        A[i] = ");
  write_sum(out, 0, n);
  tn_buf_puts(out, "\n");
}

static void write_index(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((1 << 24,), \"float32\"), k: T.int32");
  tn_buf_puts(out, "    for i, j in T.grid(16, 16):\n        A[i");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, " + (i * %d + j) // %d", i + 1, i % 7 + 2);
  }
  tn_buf_puts(out, "] = T.float32(0)\n");
}

static void write_blocks(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16, 16), \"float32\")");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out,
                  "    for i, j in T.grid(16, 16):\n"
                  "        with T.block(\"b%d\"):\n"
                  "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                  "            B[vi, vj] = B[vi, vj] + A[vi, vj] * T.float32(%d)\n",
                  i, i);
  }
}

static void write_buffers(tn_buf *out, int32_t n) {
  loop_function(out, "f", "B0: T.Buffer((16,), \"float32\")");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "    B%d = T.alloc_buffer((16,))\n", i);
  }
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out,
                  "    for i in range(16):\n"
                  "        with T.block(\"b%d\"):\n"
                  "            vi = T.axis.spatial(16, i)\n"
                  "            B%d[vi] = B%d[vi] + T.float32(1)\n",
                  i, i, i - 1);
  }
  tn_buf_printf(out, "    B0[0] = B%d[0]\n", n);
}

/* n buffers and n names in one block, whose regions are to be found. */
static void write_wide_block(tn_buf *out, int32_t n) {
  loop_function(out, "f", "B0: T.Buffer((16,), \"float32\"), k: T.int32");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "    B%d = T.alloc_buffer((16,))\n", i);
  }
  tn_buf_puts(out, "    with T.block(\"all\"):\n");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "        x%d = k + %d\n", i, i % 5);
    tn_buf_printf(out, "        B%d[x%d %% 16] = B%d[x%d %% 16]\n", i, i, i - 1, i / 2 + 1);
  }
}

static void write_params(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@T.prim_func\ndef f(B0: T.Buffer((16,), \"float32\")");
  for (int32_t i = 1; i < n; ++i) {
    tn_buf_printf(out, ", B%d: T.Buffer((16,), \"float32\")", i);
  }
  tn_buf_puts(out, "):\n");
  for (int32_t i = 1; i < n; ++i) {
    tn_buf_printf(out, "    B%d[0] = B%d[1]\n", i, i - 1);
  }
}

static void write_symbolic_params(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@T.prim_func\ndef f(b0: T.handle");
  for (int32_t i = 1; i < n; ++i) {
    tn_buf_printf(out, ", b%d: T.handle", i);
  }
  tn_buf_puts(out, "):\n");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    n%d = T.int32()\n    B%d = T.match_buffer(b%d, (n%d, 16))\n", i, i, i,
                  i);
  }
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    for i, j in T.grid(n%d, 16):\n        B%d[i, j] = T.float32(%d)\n", i,
                  i, i);
  }
}

static void write_scalars(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\")");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    x%d: T.float32 = A[%d] + T.float32(%d)\n", i, i % 64, i);
    tn_buf_printf(out, "    A[%d] = x%d * x%d\n", i % 64, i, i / 2);
  }
}

static void write_lets(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\"), n: T.int32");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    x%d = T.bind(n * %d + %s)\n", i, i % 5 + 1, i == 0 ? "1" : "x0");
    tn_buf_printf(out, "    A[x%d %% 64] = T.float32(%d)\n", i, i);
  }
}

static void write_branches(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\"), n: T.int32");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out,
                  "    if n + %d < %d:\n        A[%d] = T.float32(%d)\n"
                  "    else:\n        A[%d] = T.float32(0)\n",
                  i % 5, i, i % 64, i, i * 3 % 64);
  }
}

static void write_vectors(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64, 64), \"float32\")");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out,
                  "    for i in range(16):\n        for j in T.vectorized(16):\n"
                  "            A[i, j] = A[i + %d, j] * T.float32(%d)\n",
                  i % 40, i);
  }
}

static void write_unrolled(tn_buf *out, int32_t n) {
  loop_function(out, "f", "A: T.Buffer((64,), \"float32\")");
  tn_buf_printf(out,
                "    for i in T.unroll(%d):\n"
                "        A[i %% 64] = A[(i * 7 + 1) %% 64] * T.float32(3)\n",
                n);
}

static void write_graph_functions(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@I.ir_module\nclass M:\n");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_puts(out, "    @R.function\n");
    tn_buf_printf(out,
                  "    def g%d(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n"
                  "        y = R.add(x, R.const(%d, \"float32\"))\n",
                  i, i);
    if (i == 0) {
      tn_buf_puts(out, "        return y\n");
    } else {
      tn_buf_printf(out, "        cls = M\n        z = cls.g%d(y)\n        return z\n", i / 2);
    }
  }
}

static void write_bindings(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@R.function\ndef main(x0: R.Tensor((4, 4), \"float32\")):\n"
                   "    with R.dataflow():\n");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "        x%d = R.%s(x%d, x%d)\n", i, i % 2 == 0 ? "add" : "multiply", i - 1,
                  i / 2);
  }
  tn_buf_printf(out, "        R.output(x%d)\n    return x%d\n", n, n);
}

static void write_calls(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@I.ir_module\nclass M:\n    @T.prim_func\n"
                   "    def f(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
                   "        for i in range(4):\n            B[i] = A[i]\n"
                   "    @R.function\n"
                   "    def main(x0: R.Tensor((4,), \"float32\")):\n        cls = M\n");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(
        out, "        x%d = R.call_tir(cls.f, (x%d,), out_sinfo=R.Tensor((4,), \"float32\"))\n", i,
        i - 1);
  }
  tn_buf_printf(out, "        return (x%d, x%d)\n", n / 2, n);
}

static void write_match_casts(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@R.function\ndef main(x0: R.Tensor(dtype=\"float32\", ndim=1)):\n");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    n%d = T.int64()\n", i);
    tn_buf_printf(out, "    y%d = R.match_cast(x%d, R.Tensor((n%d,), \"float32\"))\n", i, i, i);
    tn_buf_printf(out, "    x%d = R.concat((y%d, y%d))\n", i + 1, i, i / 2);
  }
  tn_buf_printf(out, "    return x%d\n", n);
}

static void write_tuple(tn_buf *out, int32_t n) {
  tn_buf_puts(out, "@R.function\ndef main(x0: R.Tensor((4,), \"float32\")):\n");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "    x%d = R.negative(x%d)\n", i, i - 1);
  }
  tn_buf_puts(out, "    t = (x0");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, ", x%d", i);
  }
  tn_buf_puts(out, ")\n");
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, "    y%d = t[%d]\n", i, i);
  }
  tn_buf_printf(out, "    return (t, y%d)\n", n - 1);
}

/* Operators that differ, so that each becomes a loop function of its own. */
static void write_operators(tn_buf *out, int32_t n) {
  tn_buf_puts(out,
              "@R.function\ndef main(x: R.Tensor((\"n\", 4), \"float32\")):\n    n = T.int64()\n"
              "    x0 = R.reshape(x, R.shape([n * 4]))\n");
  for (int32_t i = 1; i <= n; ++i) {
    tn_buf_printf(out, "    x%d = R.concat((x%d, x0), axis=0)\n", i, i - 1);
  }
  tn_buf_printf(out, "    return x%d\n", n);
}

static const shape shapes[] = {
    {"loop functions", 300, write_functions},
    {"statements", 1600, write_statements},
    {"nested loops", 200, write_nesting},
    {"terms of a sum", 1600, write_expression},
    {"terms of an index", 100, write_index},
    {"blocks", 400, write_blocks},
    {"buffers, a block each", 400, write_buffers},
    {"buffers of one block", 300, write_wide_block},
    {"buffer parameters", 100, write_params},
    {"parameters with sizes", 50, write_symbolic_params},
    {"scalars", 800, write_scalars},
    {"let bindings", 800, write_lets},
    {"branches", 600, write_branches},
    {"vectorized loops", 300, write_vectors},
    {"rounds of an unrolled loop", 128, write_unrolled},
    {"graph functions", 300, write_graph_functions},
    {"graph bindings", 800, write_bindings},
    {"calls of a loop function", 800, write_calls},
    {"sizes known at run time", 100, write_match_casts},
    {"fields of a tuple", 400, write_tuple},
    {"operators of different shapes", 50, write_operators},
};

/* ---- measuring ---- */

typedef struct figure {
  double s;
  double bytes;
} figure;

typedef struct stage {
  char name[48];
  figure at[N_SIZES]; /* s 0: not measured */
} stage;

typedef struct table {
  stage stages[MAX_STAGES];
  int32_t n_stages;
  int32_t size; /* which of the sizes is being measured */
} table;

static double cpu_s(void) {
  struct timespec t = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "VmHWM": the most memory since reset_peak; "VmRSS": now. 0 where the system does not say. */
static double status_bytes(const char *field) {
  char line[256];
  double kib = 0;
  size_t n = strlen(field);
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, field, n) == 0 && line[n] == ':') {
      kib = strtod(line + n + 1, NULL);
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return kib * 1024;
}

static void reset_peak(void) {
  (void)malloc_trim(0);
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file != NULL) {
    (void)fputs("5", file);
    (void)fclose(file);
  }
}

static figure begin(void) {
  reset_peak();
  figure before = {.bytes = status_bytes("VmRSS")};
  before.s = cpu_s();
  return before;
}

static stage *stage_of(table *t, const char *name) {
  for (int32_t i = 0; i < t->n_stages; ++i) {
    if (strcmp(t->stages[i].name, name) == 0) {
      return &t->stages[i];
    }
  }
  stage *added = &t->stages[t->n_stages < MAX_STAGES - 1 ? t->n_stages++ : MAX_STAGES - 1];
  *added = (stage){0};
  (void)snprintf(added->name, sizeof added->name, "%s", name);
  return added;
}

/* Keeps the least of the rounds. */
static void end(table *t, const char *name, figure before) {
  double s = cpu_s() - before.s;
  double bytes = status_bytes("VmHWM") - before.bytes;
  figure *kept = &stage_of(t, name)->at[t->size];
  bool is_first = kept->s == 0;
  kept->s = is_first || s < kept->s ? s : kept->s;
  kept->bytes = is_first || bytes < kept->bytes ? bytes : kept->bytes;
}

/* ---- the stages ---- */

static tn_status read_program(table *t, const tn_buf *text, tn_module *module) {
  tn_diags diags = {0};
  tn_script_opts opts = {.file_name = "scale.py", .ops = tn_ops_table()};
  figure before = begin();
  tn_script_parse(text->data, text->len, &opts, module, &diags);
  end(t, "read", before);
  TN_TRY(tn_diags_to_status(&diags, module->ir));
  before = begin();
  tn_module_verify(module, &diags);
  end(t, "verify", before);
  TN_TRY(tn_diags_to_status(&diags, module->ir));
  tn_buf printed = TN_BUF_INIT;
  before = begin();
  tn_script_print(module, &(tn_print_opts){0}, &printed);
  end(t, "print", before);
  tn_buf_deinit(&printed);
  before = begin();
  (void)tn_module_hash(module);
  end(t, "hash", before);
  return NULL;
}

static tn_status run_passes(table *t, tn_module *module, const tn_compile_opts *opts,
                            const tn_target *target) {
  char names[1024];
  char *rest = NULL;
  bool was_simplified = false;
  (void)snprintf(names, sizeof names, "%s", tn_default_passes());
  for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    bool is_simplify = strcmp(name, "simplify") == 0;
    figure before = begin();
    TN_TRY(tn_driver_run(module, name, opts, target));
    end(t, is_simplify && was_simplified ? "simplify again" : name, before);
    was_simplified = was_simplified || is_simplify;
  }
  return NULL;
}

static tn_status emit(table *t, const tn_module *module, const tn_target *target) {
  tn_buf out = TN_BUF_INIT;
  tn_exec_bytes image = {0};
  tn_status st = NULL;
  figure before = begin();
  if (tn_module_has_kernels(module)) {
    tn_codegen_opts cg = {.target = target, .keep_unoptimised = true};
    TN_GOTO(st, tn_llvm_emit(module, &cg, TN_EMIT_LL, &out), done);
    end(t, "code for LLVM", before);
  }
  before = begin();
  TN_GOTO(st, tn_vm_emit(module, target, NULL, 0, &image), done);
  end(t, "bytecode", before);
done:
  free(image.data);
  tn_buf_deinit(&out);
  return st;
}

static tn_status round_of(table *t, const tn_buf *text) {
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  const tn_target *target = NULL;
  tn_status st = NULL;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  TN_GOTO(st, tn_driver_target(&opts, &target), done);
  TN_GOTO(st, read_program(t, text, &module), done);
  TN_GOTO(st, run_passes(t, &module, &opts, target), done);
  TN_GOTO(st, emit(t, &module, target), done);
done:
  tn_module_deinit(&module);
  tn_ir_free(ir);
  return st;
}

/* Short programs are measured more often. */
static tn_status measure(table *t, const shape *s, int32_t times) {
  static const double enough_s = 0.1;
  for (t->size = 0; t->size < N_SIZES; ++t->size) {
    tn_buf text = TN_BUF_INIT;
    double start = cpu_s();
    tn_status st = NULL;
    s->write(&text, times * s->n << t->size);
    for (int32_t i = 0;
         i < MAX_ROUNDS && st == NULL && (i < MIN_ROUNDS || cpu_s() - start < enough_s); ++i) {
      st = round_of(t, &text);
    }
    tn_buf_deinit(&text);
    if (st != NULL) {
      return tn_status_wrap(st, "%d %s", times * s->n << t->size, s->name);
    }
  }
  return NULL;
}

/* ---- what it says ---- */

typedef struct options {
  int32_t times;
  bool is_all;
} options;

/* The slope of log(y) over log(size): sizes are powers of 2 apart. */
static double slope(const double *y) {
  double sum = 0;
  double sum_x = 0;
  for (int32_t i = 0; i < N_SIZES; ++i) {
    double x = i - (N_SIZES - 1) * 0.5;
    sum += x * log2(y[i] > 0 ? y[i] : 1e-9);
    sum_x += x * x;
  }
  return sum / sum_x;
}

typedef struct verdict {
  double exponent;
  bool is_judged;
  double memory_exponent;
  bool is_memory_judged;
} verdict;

static verdict judge(const stage *s) {
  double time[N_SIZES];
  double bytes[N_SIZES];
  for (int32_t i = 0; i < N_SIZES; ++i) {
    time[i] = s->at[i].s;
    bytes[i] = fmax(s->at[i].bytes, 1 << 20); /* pages and pools are coarse */
  }
  return (verdict){.exponent = slope(time),
                   .is_judged = time[N_SIZES - 1] >= least_s,
                   .memory_exponent = slope(bytes),
                   .is_memory_judged = bytes[N_SIZES - 1] >= least_bytes};
}

static void say(const shape *s, const stage *of, const char *what, double exponent,
                bool is_judged) {
  char name[128];
  char note[128];
  (void)snprintf(name, sizeof name, "%s: %s", s->name, what);
  (void)snprintf(note, sizeof note, "%.4g %.4g %.4g %.4g ms; %.3g MB", of->at[0].s * 1e3,
                 of->at[1].s * 1e3, of->at[2].s * 1e3, of->at[3].s * 1e3, of->at[3].bytes * 1e-6);
  row_print(&(row){.name = name,
                   .value = exponent,
                   .unit = "exponent",
                   .goal = is_judged ? ROW_AT_MOST : ROW_INFO,
                   .target = max_exponent,
                   .note = note});
}

static void report(const table *t, const shape *s, const options *opts) {
  stage all = {0};
  for (int32_t i = 0; i < t->n_stages; ++i) {
    for (int32_t k = 0; k < N_SIZES; ++k) {
      all.at[k].s += t->stages[i].at[k].s;
      all.at[k].bytes = fmax(all.at[k].bytes, t->stages[i].at[k].bytes);
    }
  }
  char what[64];
  (void)snprintf(what, sizeof what, "%d to %d", opts->times * s->n,
                 opts->times * s->n << (N_SIZES - 1));
  say(s, &all, what, judge(&all).exponent, true);
  for (int32_t i = 0; i < t->n_stages; ++i) {
    const stage *one = &t->stages[i];
    verdict v = judge(one);
    if (opts->is_all || (v.is_judged && v.exponent > max_exponent)) {
      say(s, one, one->name, v.exponent, v.is_judged);
    }
    if (v.is_memory_judged && v.memory_exponent > max_exponent) {
      (void)snprintf(what, sizeof what, "%s, memory", one->name);
      say(s, one, what, v.memory_exponent, true);
    }
  }
}

static bool is_wanted(const shape *s, int argc, char **argv) {
  bool has_words = false;
  for (int i = 1; i < argc; ++i) {
    bool is_word = strncmp(argv[i], "--", 2) != 0;
    has_words = has_words || is_word;
    if (is_word && strstr(s->name, argv[i]) != NULL) {
      return true;
    }
  }
  return !has_words;
}

static options read_options(int argc, char **argv) {
  options opts = {.times = 1};
  for (int i = 1; i < argc; ++i) {
    opts.is_all = opts.is_all || strcmp(argv[i], "--all") == 0;
    if (strncmp(argv[i], "--times=", 8) == 0) {
      int times = atoi(argv[i] + 8);
      opts.times = times >= 1 && times <= 64 ? times : 1;
    }
  }
  return opts;
}

int main(int argc, char **argv) {
  tn_status st = NULL;
  options opts = read_options(argc, argv);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && st == NULL; ++i) {
    if (is_wanted(&shapes[i], argc, argv)) {
      table t = {0};
      st = measure(&t, &shapes[i], opts.times);
      if (st == NULL) {
        report(&t, &shapes[i], &opts);
      }
    }
  }
  return row_finish(st);
}
