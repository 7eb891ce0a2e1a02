/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The two tiles of examples/tiles that fit this machine's vectors, as a share of the yardstick: the
 * heart of a matrix product and of a 3x3 convolution. Each result is compared with plain C first;
 * the numbers are small and whole, so the sums are exact in any order. */
#include "kernel.h"
#include "row.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"

typedef struct tile {
  const char *name;    /* function, and file without .py */
  const char *vectors; /* the yardstick that it is measured by */
  bool (*is_right)(const kernel_call *call);
  double (*flops)(const kernel_call *call);
} tile;

/* A [m, k], B [k, n], C [m, n]. */
static bool gemm_is_right(const kernel_call *call) {
  const float *a = call->tensors[0].data;
  const float *b = call->tensors[1].data;
  const float *c = call->tensors[2].data;
  int64_t m = call->shapes[2][0];
  int64_t n = call->shapes[2][1];
  int64_t depth = call->shapes[0][1];
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum += a[i * depth + k] * b[k * n + j];
      }
      if (sum != c[i * n + j]) {
        return false;
      }
    }
  }
  return true;
}

static double gemm_flops(const kernel_call *call) {
  return 2.0 * (double)(call->shapes[2][0] * call->shapes[2][1] * call->shapes[0][1]);
}

/* Where an element lies: the indices, then what they count through. */
static int64_t at(const int64_t *shape, int32_t ndim, const int64_t *index) {
  int64_t offset = 0;
  for (int32_t d = 0; d < ndim; ++d) {
    offset = offset * shape[d] + index[d];
  }
  return offset;
}

/* One output value: I [ci, h, w, c], W [co, ci, 3, 3, c, o], O [co, h, w, o], with ReLU. */
static float conv_value(const kernel_call *call, int64_t b, int64_t y, int64_t x, int64_t o) {
  const float *in = call->tensors[0].data;
  const float *weights = call->tensors[1].data;
  float sum = 0;
  for (int64_t cb = 0; cb < call->shapes[0][0]; ++cb) {
    for (int64_t tap = 0; tap < 9; ++tap) {
      for (int64_t c = 0; c < call->shapes[0][3]; ++c) {
        const int64_t i_at[] = {cb, y + tap / 3, x + tap % 3, c};
        const int64_t w_at[] = {b, cb, tap / 3, tap % 3, c, o};
        sum += in[at(call->shapes[0], 4, i_at)] * weights[at(call->shapes[1], 6, w_at)];
      }
    }
  }
  return sum > 0 ? sum : 0;
}

/* The pixels of the tile are those that the kernel changed; all were set to NaN before. */
static int64_t conv_n_right(const kernel_call *call) {
  const float *out = call->tensors[2].data;
  const int64_t *shape = call->shapes[2];
  int64_t n = 0;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t y = 0; y < shape[1]; ++y) {
      for (int64_t x = 0; x < shape[2]; ++x) {
        for (int64_t o = 0; o < shape[3]; ++o) {
          float got = out[at(shape, 4, (const int64_t[]){b, y, x, o})];
          if (got != got) {
            continue;
          }
          if (got != conv_value(call, b, y, x, o)) {
            return -1;
          }
          ++n;
        }
      }
    }
  }
  return n;
}

static bool conv_is_right(const kernel_call *call) { return conv_n_right(call) > 0; }

static double conv_flops(const kernel_call *call) {
  return 2.0 * 9 * (double)(conv_n_right(call) * call->shapes[0][0] * call->shapes[0][3]);
}

static tn_status add_tensors(const tn_program *program, kernel_call *call) {
  for (int32_t j = 0; j < 3; ++j) {
    tn_param_info info = {0};
    TN_TRY(tn_program_param(program, 0, j, &info));
    float *data = kernel_call_add(call, info.ndim, info.dims);
    if (data == NULL) {
      return TN_ERR(TN_NO_MEMORY, "no memory for a tensor");
    }
    if (j == 2) { /* all bits set: what the kernel leaves out stays NaN */
      size_t n_elems = 1;
      for (int32_t d = 0; d < info.ndim; ++d) {
        n_elems *= (size_t)info.dims[d];
      }
      memset(data, 0xff, n_elems * sizeof *data);
    }
  }
  return NULL;
}

static tn_status bench_tile(const tile *t) {
  tn_status st = NULL;
  tn_program *program = NULL;
  kernel_call call = {.env = kernel_env()};
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  tn_bench_result result = {0};
  char path[128];
  char name[64];
  char note[64];
  (void)snprintf(path, sizeof path, "examples/tiles/%s.py", t->name);
  (void)snprintf(name, sizeof name, "tile %s, of the yardstick", t->name);
  TN_GOTO(st, tn_program_load(path, &program), done);
  TN_GOTO(st, kernel_init(program, t->name, &call.k), done);
  TN_GOTO(st, add_tensors(program, &call), done);
  TN_GOTO(st, kernel_call_run(&call), done);
  if (!t->is_right(&call)) {
    st = TN_ERR(TN_INTERNAL, "tile %s computes something else than plain C", t->name);
    goto done;
  }
  double flops = t->flops(&call);
  TN_GOTO(st, tn_bench_measure(&(tn_bench_call){kernel_call_run, &call}, &opts, &result), done);
  (void)snprintf(note, sizeof note, "%.1f GFLOP/s", flops / result.median_us * 1e-3);
  row_print(&(row){name, 100 * tn_bench_share(&result, flops, 1), "%", ROW_AT_LEAST, 85, note});
done:
  tn_bench_result_deinit(&result);
  kernel_call_deinit(&call);
  tn_program_free(program);
  return st;
}

int main(void) {
  static const tile tiles[] = {
      {"gemm_8x48", "avx512f", gemm_is_right, gemm_flops},
      {"conv_2x7x2", "avx512f", conv_is_right, conv_flops},
      {"gemm_6x16", "avx2+fma", gemm_is_right, gemm_flops},
      {"conv_1x6x2", "avx2+fma", conv_is_right, conv_flops},
  };
  tn_status st = NULL;
  int n = 0;
  for (size_t i = 0; st == NULL && i < sizeof tiles / sizeof *tiles; ++i) {
    if (strcmp(tiles[i].vectors, tn_bench_yardstick_name()) == 0) {
      st = bench_tile(&tiles[i]);
      ++n;
    }
  }
  if (n == 0) {
    row_print(
        &(row){.name = "tiles", .unit = "%", .note = "this machine has neither AVX-512 nor AVX2"});
  }
  return row_finish(st);
}
