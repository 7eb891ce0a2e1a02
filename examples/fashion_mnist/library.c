/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Library calls from compiled code. R.call_dps_packed("env.linear", (x, w, b), ...) finds a
 * function by its registered name and hands it the inputs and, last, the memory of the result.
 * Tensors come as DLTensor, the exchange format of the machine-learning libraries, so nothing is
 * copied: here OpenBLAS reads and writes the virtual machine's own memory. */
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* cblas_sgemv, y = alpha A x + beta y, with the standard's numbers for "row by row" and "as is". */
enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111 };
typedef void (*sgemv_fn)(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                         const float *x, int incx, float beta, float *y, int incy);

/* What env.linear needs: made when it is registered, handed back with each call, freed with it. */
typedef struct blas {
  sgemv_fn sgemv; /* NULL: plain C */
} blas;

static const float *floats(const tn_arg *arg) {
  const DLTensor *dl = tn_arg_dl(arg);
  return (const float *)(const void *)((const char *)dl->data + dl->byte_offset);
}

static float *floats_out(const tn_arg *arg) {
  const DLTensor *dl = tn_arg_dl(arg);
  return (float *)(void *)((char *)dl->data + dl->byte_offset);
}

/* Row-major without gaps; strides may be left out then. */
static bool is_compact(const DLTensor *dl) {
  int64_t stride = 1;
  for (int32_t i = dl->ndim; dl->strides != NULL && i-- > 0;) {
    if (dl->shape[i] > 1 && dl->strides[i] != stride) {
      return false;
    }
    stride *= dl->shape[i];
  }
  return true;
}

/* A compact float32 tensor of `ndim` dimensions on the cpu. A library trusts nobody: a module may
 * call it with anything. */
static bool is_floats(const tn_arg *arg, int32_t ndim) {
  const DLTensor *dl = tn_arg_dl(arg);
  return dl != NULL && dl->device.device_type == kDLCPU && dl->ndim == ndim &&
         tn_dl_dtype(dl) == TN_DT_F32 && is_compact(dl);
}

static int64_t extent(const tn_arg *arg, int32_t axis) { return tn_arg_dl(arg)->shape[axis]; }

static void plain_sgemv(int64_t m, int64_t n, const float *a, const float *x, float *y) {
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      sum += a[i * n + k] * x[k];
    }
    y[i] += sum;
  }
}

/* env.linear(x [rows, n], w [m, n], b [m], out [rows, m]): out = x w^T + b */
static tn_status linear(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  const blas *lib = ctx;
  (void)out_ret; /* the result stands in the last argument */
  if (n_args != 4 || !is_floats(&args[0], 2) || !is_floats(&args[1], 2) ||
      !is_floats(&args[2], 1) || !is_floats(&args[3], 2)) {
    return tn_status_make(TN_INVALID, "env.linear takes float32 matrices x, w, out and a vector b");
  }
  int64_t rows = extent(&args[0], 0);
  int64_t n = extent(&args[0], 1);
  int64_t m = extent(&args[1], 0);
  if (extent(&args[1], 1) != n || extent(&args[2], 0) != m || extent(&args[3], 0) != rows ||
      extent(&args[3], 1) != m) {
    return tn_status_make(TN_INVALID, "env.linear: the shapes of x, w, b and out do not fit");
  }
  for (int64_t i = 0; i < rows; ++i) {
    const float *x = floats(&args[0]) + i * n;
    float *y = floats_out(&args[3]) + i * m;
    memcpy(y, floats(&args[2]), (size_t)m * sizeof *y);
    if (lib->sgemv != NULL) {
      lib->sgemv(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, (int)m, (int)n, 1.0F, floats(&args[1]), (int)n, x,
                 1, 1.0F, y, 1);
    } else {
      plain_sgemv(m, n, floats(&args[1]), x, y);
    }
  }
  return NULL;
}

/* env.relu(x, out): out = max(x, 0), for matrices of one shape */
static tn_status relu(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  if (n_args != 2 || !is_floats(&args[0], 2) || !is_floats(&args[1], 2) ||
      extent(&args[0], 0) != extent(&args[1], 0) || extent(&args[0], 1) != extent(&args[1], 1)) {
    return tn_status_make(TN_INVALID, "env.relu takes two float32 matrices of one shape");
  }
  const float *x = floats(&args[0]);
  float *y = floats_out(&args[1]);
  for (int64_t i = 0; i < extent(&args[0], 0) * extent(&args[0], 1); ++i) {
    y[i] = x[i] > 0 ? x[i] : 0;
  }
  return NULL;
}

/* Not linked but looked for, so that the demo runs without it too. Never closed: it keeps threads.
 */
static sgemv_fn find_openblas(void) {
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) {
    return NULL;
  }
  void (*set_num_threads)(int n) = NULL;
  sgemv_fn sgemv = NULL;
  void *symbol = dlsym(lib, "openblas_set_num_threads");
  memcpy(&set_num_threads, &symbol, sizeof symbol);
  symbol = dlsym(lib, "cblas_sgemv");
  memcpy(&sgemv, &symbol, sizeof symbol);
  if (set_num_threads != NULL) {
    set_num_threads(1); /* one row at a time is no work for many */
  }
  return sgemv;
}

tn_status library_register(tn_runtime *rt, const char **out_blas) {
  tn_registry *registry = tn_runtime_registry(rt);
  blas *lib = malloc(sizeof *lib);
  if (lib == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for the library's context");
  }
  lib->sgemv = find_openblas();
  bool has_blas = lib->sgemv != NULL;
  tn_status st = tn_registry_add(registry, "env.linear", linear, lib, free, false);
  if (st != NULL) {
    free(lib);
    return st;
  }
  st = tn_registry_add(registry, "env.relu", relu, NULL, NULL, false);
  if (st == NULL) {
    *out_blas = has_blas ? "OpenBLAS" : "plain C: libopenblas0 is not installed";
  }
  return st;
}
