/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Matrix products: three loops as text and a schedule script with knobs (bench/gemm/), done through
 * the public API, in turn with the libraries of gemm_peers.h; and the three loops alone, in turn with
 * the same in C. Each result is compared with a plain loop first; the numbers are small and whole,
 * so the sums are exact in any order.
 *
 *   driver_gemm_bench                                    the table
 *   driver_gemm_bench FILE STEPS M N K [KNOB=VALUE...]   one product, to try block sizes */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "gemm_peers.h"
#include "row.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"

enum { MAX_DEFINES = 24, DEFINE_BYTES = 32 };

typedef struct product {
  const char *file;
  const char *steps; /* of the schedule; NULL: none */
  int64_t m;
  int64_t n;
  int64_t k;
  const char
      *knobs; /* "NAME=VALUE NAME=VALUE": what script and text leave open beside M, N and K */
  double of_library; /* what it should reach of the faster library, per cent; 0: it is only told */
  double of_yardstick; /* and of the yardstick, on one thread */
} product;

/* ---- one product ---- */

typedef struct matrices {
  const product *p;
  float *a;
  float *b;
  float *b_packed; /* as the text takes it; b itself where it takes [K, N] */
  float *c;
} matrices;

typedef struct ours {
  tn_runtime *rt;
  tn_vm *vm;
  tn_arg args[3];
  DLTensor tensors[3];
  int64_t shapes[3][4];
} ours;

static tn_status run_ours(void *ctx) {
  ours *o = ctx;
  return tn_vm_call(o->vm, "main", o->args, 3, NULL);
}

static float *new_floats(int64_t n) {
  return aligned_alloc(64, ((size_t)n * sizeof(float) + 63) / 64 * 64);
}

static void fill(float *data, int64_t n, int64_t seed) {
  for (int64_t i = 0; i < n; ++i) {
    data[i] = (float)((i * 7 + i / 13 + seed) % 9 - 4);
  }
}

/* B [K, N] as panels of nr columns: [N / nr, K, nr]. */
static void pack(const product *p, const float *b, int64_t nr, float *out) {
  for (int64_t k = 0; k < p->k; ++k) {
    for (int64_t j = 0; j < p->n; ++j) {
      out[(j / nr * p->k + k) * nr + j % nr] = b[k * p->n + j];
    }
  }
}

static tn_status matrices_init(const product *p, const tn_param_info *b_info, matrices *out) {
  out->p = p;
  out->a = new_floats(p->m * p->k);
  out->b = new_floats(p->k * p->n);
  out->c = new_floats(p->m * p->n);
  if (out->a == NULL || out->b == NULL || out->c == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for the matrices");
  }
  fill(out->a, p->m * p->k, 1);
  fill(out->b, p->k * p->n, 5);
  memset(out->c, 0xff, (size_t)(p->m * p->n) * sizeof *out->c); /* NaN: what is left out shows */
  out->b_packed = out->b;
  if (b_info->ndim == 3) {
    out->b_packed = new_floats(p->k * p->n);
    if (out->b_packed == NULL) {
      return TN_ERR(TN_NO_MEMORY, "no memory for the matrices");
    }
    pack(p, out->b, b_info->dims[2], out->b_packed);
  }
  return NULL;
}

static void matrices_deinit(matrices *m) {
  if (m->b_packed != m->b) {
    free(m->b_packed);
  }
  free(m->a);
  free(m->b);
  free(m->c);
}

/* All of the first and last rows and columns, and some of the rest. */
static bool is_right(const matrices *m) {
  const product *p = m->p;
  for (int64_t i = 0; i < p->m; i += i + 7 < p->m ? 7 : 1) {
    for (int64_t j = 0; j < p->n; j += (i == 0 || i == p->m - 1) ? 1 : j + 7 < p->n ? 7 : 1) {
      float sum = 0;
      for (int64_t k = 0; k < p->k; ++k) {
        sum += m->a[i * p->k + k] * m->b[k * p->n + j];
      }
      if (sum != m->c[i * p->n + j]) {
        fprintf(stderr, "C[%lld, %lld] is %g, not %g\n", (long long)i, (long long)j,
                (double)m->c[i * p->n + j], (double)sum);
        return false;
      }
    }
  }
  return true;
}

typedef struct defines {
  char texts[MAX_DEFINES][DEFINE_BYTES];
  const char *at[MAX_DEFINES];
  int32_t n;
} defines;

static void defines_init(const product *p, defines *out) {
  (void)snprintf(out->texts[0], DEFINE_BYTES, "M=%lld", (long long)p->m);
  (void)snprintf(out->texts[1], DEFINE_BYTES, "N=%lld", (long long)p->n);
  (void)snprintf(out->texts[2], DEFINE_BYTES, "K=%lld", (long long)p->k);
  out->n = 3;
  for (const char *at = p->knobs; *at != '\0' && out->n < MAX_DEFINES; ++out->n) {
    size_t len = strcspn(at, " ");
    (void)snprintf(out->texts[out->n], DEFINE_BYTES, "%.*s", (int)len, at);
    at += len + (at[len] == ' ');
  }
  for (int32_t i = 0; i < out->n; ++i) {
    out->at[i] = out->texts[i];
  }
}

/* Reads the text and does the steps; each value has to be asked for by one of them. */
static tn_status load(const product *p, tn_program **out_program) {
  tn_status st = NULL;
  tn_program *program = NULL;
  defines d;
  bool by_text[MAX_DEFINES] = {false};
  bool by_steps[MAX_DEFINES] = {false};
  defines_init(p, &d);
  const tn_read_opts opts = {.defines = d.at, .n_defines = d.n, .are_used = by_text};
  const tn_schedule_opts how = {.defines = d.at, .n_defines = d.n, .are_used = by_steps};
  TN_TRY(tn_program_load_as(p->file, &opts, &program));
  if (p->steps != NULL) {
    TN_GOTO(st, tn_program_schedule_file(program, p->steps, &how, NULL), done);
  }
  for (int32_t i = 0; i < d.n; ++i) {
    if (!by_text[i] && !by_steps[i]) {
      st = TN_ERR(TN_INVALID, "there is no name that waits for %s", d.at[i]);
      goto done;
    }
  }
  *out_program = program;
  program = NULL;
done:
  tn_program_free(program);
  return st;
}

static void set_arg(ours *o, int32_t i, const tn_param_info *info, float *data) {
  for (int32_t d = 0; d < info->ndim && d < 4; ++d) {
    o->shapes[i][d] = info->dims[d];
  }
  o->tensors[i] = (DLTensor){.data = data,
                             .device = {kDLCPU, 0},
                             .ndim = info->ndim,
                             .dtype = {2 /* float */, 32, 1},
                             .shape = o->shapes[i]};
  o->args[i] = tn_arg_of_dl(&o->tensors[i]);
}

static tn_status ours_init(const product *p, int32_t n_threads, matrices *m, ours *out) {
  tn_status st = NULL;
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  tn_param_info info[3];
  TN_GOTO(st, load(p, &program), done);
  for (int32_t j = 0; j < 3; ++j) {
    TN_GOTO(st, tn_program_param(program, 0, j, &info[j]), done);
  }
  TN_GOTO(st, tn_program_compile(program, NULL, &exec), done);
  TN_GOTO(st, matrices_init(p, &info[1], m), done);
  TN_GOTO(st, tn_runtime_create(n_threads, &out->rt), done);
  TN_GOTO(st, tn_vm_create(out->rt, exec, NULL, 0, &out->vm), done);
  set_arg(out, 0, &info[0], m->a);
  set_arg(out, 1, &info[1], m->b_packed);
  set_arg(out, 2, &info[2], m->c);
done:
  tn_exec_release(exec);
  tn_program_free(program);
  return st;
}

static void print(const product *p, const gemm_race *race, const gemm_peers *peers) {
  char name[128];
  char note[192];
  int len = snprintf(note, sizeof note, "%.1f GFLOP/s", race->ours_gflops);
  for (int32_t i = 0; i < peers->n; ++i) {
    len += snprintf(note + len, sizeof note - (size_t)len, ", %s %.1f", peers->at[i].name,
                    race->peer_gflops[i]);
  }
  len = snprintf(name, sizeof name, "product %lldx%lldx%lld, %s", (long long)p->m, (long long)p->n,
                 (long long)p->k, race->n_threads == 1 ? "1 thread" : "2 threads");
  (void)snprintf(name + len, sizeof name - (size_t)len, ", of the yardstick");
  row_print(&(row){name, 100 * race->share, "%",
                   p->of_yardstick > 0 && race->n_threads == 1 ? ROW_AT_LEAST : ROW_INFO,
                   p->of_yardstick, note});
  if (race->best >= 0) {
    (void)snprintf(name + len, sizeof name - (size_t)len, ", of %s", peers->at[race->best].name);
    row_print(&(row){name, 100 * race->ratio, "%", p->of_library > 0 ? ROW_AT_LEAST : ROW_INFO,
                     p->of_library, p->knobs});
  }
}

static tn_status bench(const product *p, int32_t n_threads, const gemm_peers *peers) {
  tn_status st = NULL;
  matrices m = {0};
  ours mine = {0};
  TN_GOTO(st, ours_init(p, n_threads, &m, &mine), done);
  TN_GOTO(st, run_ours(&mine), done);
  if (!is_right(&m)) {
    st = TN_ERR(TN_INTERNAL, "it computes something else than a plain loop");
    goto done;
  }
  gemm_race race = {
      .m = p->m, .n = p->n, .k = p->k, .n_threads = n_threads, .a = m.a, .b = m.b, .c = m.c};
  TN_GOTO(st, gemm_race_run(&race, &(tn_bench_call){run_ours, &mine}, peers), done);
  print(p, &race, peers);
done:
  tn_vm_release(mine.vm);
  tn_runtime_release(mine.rt);
  matrices_deinit(&m);
  return tn_status_wrap(st, "%s, %lldx%lldx%lld", p->file, (long long)p->m, (long long)p->n,
                        (long long)p->k);
}

/* ---- the three loops alone ---- */

static tn_status run_c(void *ctx) {
  const matrices *m = ctx;
  const product *p = m->p;
  for (int64_t i = 0; i < p->m; ++i) {
    for (int64_t j = 0; j < p->n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < p->k; ++k) {
        sum += m->a[i * p->k + k] * m->b[k * p->n + j];
      }
      m->c[i * p->n + j] = sum;
    }
  }
  return NULL;
}

/* This file is compiled at -O2. */
static tn_status bench_naive(const product *p) {
  tn_status st = NULL;
  matrices m = {0};
  ours mine = {0};
  tn_bench_pair pair = {.ratio = 0};
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  char note[96];
  opts.repeat = GEMM_ROUNDS;
  opts.max_discards = GEMM_ROUNDS;
  TN_GOTO(st, ours_init(p, 1, &m, &mine), done);
  TN_GOTO(st, run_ours(&mine), done);
  if (!is_right(&m)) {
    st = TN_ERR(TN_INTERNAL, "it computes something else than a plain loop");
    goto done;
  }
  TN_GOTO(st,
          tn_bench_compare(&(tn_bench_call){run_ours, &mine}, &(tn_bench_call){run_c, &m}, &opts,
                           &pair),
          done);
  (void)snprintf(note, sizeof note, "%lldx%lldx%lld: %.1f ms, in C %.1f ms", (long long)p->m,
                 (long long)p->n, (long long)p->k, pair.a.median_us / 1e3, pair.b.median_us / 1e3);
  row_print(&(row){"product without a schedule, of C at -O2", 100 / pair.ratio, "%", ROW_AT_LEAST,
                   100 / 1.2, note});
done:
  tn_bench_pair_deinit(&pair);
  tn_vm_release(mine.vm);
  tn_runtime_release(mine.rt);
  matrices_deinit(&m);
  return tn_status_wrap(st, "%s", p->file);
}

/* ---- the table ---- */

/* B copied panel by panel, A in place; both copied in blocks; B as panels beforehand. */
#define CACHED "bench/gemm/product.py", "bench/gemm/cached.py"
#define PACKED "bench/gemm/product.py", "bench/gemm/packed.py"
#define PANELS "bench/gemm/panels.py", "bench/gemm/direct.py"

static const product naive = {"bench/gemm/product.py", NULL, 512, 512, 512, "", 0, 0};

/* For 16 registers of 8 numbers. Tiles divide the sizes where they can. */
static const product products_256[] = {
    {CACHED, 256, 256, 256, "MR=6 NR=16 V=8 NC=64", 85, 80},
    {CACHED, 512, 512, 512, "MR=6 NR=16 V=8 NC=64", 92, 80},
    {PACKED, 1024, 1024, 1024, "MR=6 NR=16 V=8 KC=512 MC=48 NC=1024", 95, 80},
    {PACKED, 2048, 2048, 2048, "MR=6 NR=16 V=8 KC=512 MC=96 NC=2048", 92, 80},
    {CACHED, 1000, 1001, 999, "MR=6 NR=16 V=8 NC=64", 85, 80},
    {PANELS, 128, 768, 768, "MR=4 NR=24 V=8 NC=24", 0, 80},
    {PANELS, 128, 3072, 768, "MR=4 NR=24 V=8 NC=24", 0, 80},
    {PANELS, 128, 768, 3072, "MR=4 NR=24 V=8 NC=24", 0, 80},
    {PANELS, 3136, 64, 64, "MR=4 NR=16 V=8 NC=16", 0, 80},
};

/* For 32 registers of 16 numbers. */
static const product products_512[] = {
    {CACHED, 256, 256, 256, "MR=8 NR=32 V=16 NC=64", 85, 0},
    {CACHED, 512, 512, 512, "MR=8 NR=32 V=16 NC=64", 92, 0},
    {PACKED, 1024, 1024, 1024, "MR=10 NR=32 V=16 KC=256 MC=240 NC=1024", 95, 83},
    {PACKED, 2048, 2048, 2048, "MR=10 NR=32 V=16 KC=256 MC=240 NC=2048", 92, 0},
    {CACHED, 1000, 1001, 999, "MR=10 NR=32 V=16 NC=64", 85, 0},
    {PANELS, 128, 768, 768, "MR=8 NR=48 V=16 NC=48", 0, 88},
    {PANELS, 128, 3072, 768, "MR=8 NR=48 V=16 NC=48", 0, 88},
    {PANELS, 128, 768, 3072, "MR=8 NR=48 V=16 NC=48", 0, 88},
    {PANELS, 3136, 64, 64, "MR=8 NR=32 V=16 NC=32", 0, 86},
};

enum { N_PRODUCTS = sizeof products_256 / sizeof *products_256 };
static_assert(sizeof products_512 == sizeof products_256, "the same products");

static tn_status bench_given(int argc, char **argv, const gemm_peers *peers) {
  char knobs[512] = "";
  product p = {.file = argv[1],
               .steps = argv[2],
               .m = strtoll(argv[3], NULL, 10),
               .n = strtoll(argv[4], NULL, 10),
               .k = strtoll(argv[5], NULL, 10),
               .knobs = knobs};
  const char *threads = getenv("TENON_BENCH_THREADS");
  for (int i = 6; i < argc; ++i) {
    size_t len = strlen(knobs);
    (void)snprintf(knobs + len, sizeof knobs - len, "%s%s", len > 0 ? " " : "", argv[i]);
  }
  if (p.m < 1 || p.n < 1 || p.k < 1) {
    return TN_ERR(TN_INVALID, "M, N and K are numbers from 1 on");
  }
  return bench(&p, threads != NULL && strcmp(threads, "2") == 0 ? 2 : 1, peers);
}

int main(int argc, char **argv) {
  gemm_peers peers;
  gemm_peers_init(&peers, 2);
  if (argc >= 6) {
    return row_finish(bench_given(argc, argv, &peers));
  }
  bool is_512 = strcmp(tn_bench_yardstick_name(), "avx512f") == 0;
  const product *products = is_512 ? products_512 : products_256;
  tn_status st = NULL;
  for (size_t i = 0; st == NULL && i < N_PRODUCTS; ++i) {
    for (int32_t n_threads = 1; st == NULL && n_threads <= 2; ++n_threads) {
      st = bench(&products[i], n_threads, &peers);
    }
  }
  if (st == NULL) {
    st = bench_naive(&naive);
  }
  return row_finish(st);
}
