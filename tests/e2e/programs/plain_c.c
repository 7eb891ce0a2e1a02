/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls the plain C functions of tests/e2e/plain_c.sh's model: right values at several sizes from one
 * library, each error code, and two threads with one model. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

enum { MOST = 64, N_COLS = 8 };

static int n_bad;

#ifdef COUNT_ALLOCATIONS /* with glibc: the program's own functions stand before the C library's */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_memalign(size_t align, size_t n);
static atomic_int n_allocations;
void *malloc(size_t n) {
  atomic_fetch_add(&n_allocations, 1);
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
  atomic_fetch_add(&n_allocations, 1);
  return __libc_calloc(n, size);
}
void *aligned_alloc(size_t align, size_t n) {
  atomic_fetch_add(&n_allocations, 1);
  return __libc_memalign(align, n);
}
#else
static const int n_allocations;
#endif

static int is_alone = 1; /* no other thread calls, and allocates for itself */

static void check(int is_ok, const char *what) {
  if (!is_ok) {
    printf("FAILED: %s\n", what);
    ++n_bad;
  }
}

/* main(x) = (softmax(x), x + x, positive(sum of x over columns)) */
static int call(net_model *model, int64_t n, const float *x, float *soft, float *twice) {
  float total[MOST];
  int64_t n_bytes = net_main_workspace_bytes(model, n);
  void *workspace = malloc(n_bytes > 0 ? (size_t)n_bytes : 1);
  int n_before = n_allocations;
  int32_t code = net_main(model, n, x, soft, twice, total, workspace, (size_t)n_bytes);
  if (is_alone) {
    check(n_allocations == n_before, "a call allocates");
  }
  free(workspace);
  return code;
}

static void check_values(net_model *model, int64_t n, const char *what) {
  float x[MOST * N_COLS];
  float soft[MOST * N_COLS];
  float twice[MOST * N_COLS];
  int is_ok = 1;
  for (int64_t i = 0; i < n * N_COLS; ++i) {
    x[i] = (float)(i % 13) / 4 + 1;
  }
  memset(soft, 0xff, sizeof soft);
  check(call(model, n, x, soft, twice) == NET_OK, what);
  for (int64_t r = 0; r < n; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < N_COLS; ++c) {
      sum += exp((double)x[r * N_COLS + c]);
    }
    for (int64_t c = 0; c < N_COLS; ++c) {
      int64_t i = r * N_COLS + c;
      is_ok = is_ok && fabs(exp((double)x[i]) / sum - (double)soft[i]) < 1e-5;
      is_ok = is_ok && twice[i] == 2 * x[i];
    }
  }
  check(is_ok, what);
}

static void check_codes(net_model *model) {
  float x[2 * N_COLS];
  float out[2 * N_COLS];
  float total[2];
  char workspace[65536];
  int64_t dims[2] = {0, 0};
  for (int i = 0; i < 2 * N_COLS; ++i) {
    x[i] = -1;
  }
  check(net_main_workspace_bytes(model, -1) == -1, "a size below 0");
  check(net_main_workspace_bytes(model, INT64_MAX) == -1, "a size that no machine has");
  int64_t n_bytes = net_main_workspace_bytes(model, 2);
  check(n_bytes > 0 && n_bytes < (int64_t)sizeof workspace, "a small workspace is small");
  size_t n = (size_t)n_bytes;
  check(net_main(model, -1, x, out, out, total, workspace, n) == NET_BAD_SIZE, "size");
  check(net_main(model, 2, NULL, out, out, total, workspace, n) == NET_NO_POINTER, "input NULL");
  check(net_main(model, 2, x, out, NULL, total, workspace, n) == NET_NO_POINTER, "output NULL");
  check(net_main(model, 2, x, out, out, total, NULL, n) == NET_SMALL_WORKSPACE, "no workspace");
  check(net_main(model, 2, x, out, out, total, workspace, n - 1) == NET_SMALL_WORKSPACE,
        "a byte too few");
  check(net_main(model, 2, x, out, x, total, workspace, n) == NET_REFUSED, "refused inside");
  check(model == NULL || strstr(net_error(model), "sums must be positive") != NULL,
        "the text of a refusal");
  check(net_main(model, 0, NULL, NULL, NULL, NULL, workspace, n) == NET_OK, "nothing at all");
  check(net_main_softmax_shape(7, dims) == NET_OK && dims[0] == 7 && dims[1] == N_COLS, "a shape");
}

static void *run_often(void *model) {
  for (int i = 0; i < 200; ++i) {
    check_values(model, 1 + i % MOST, "two threads with one model");
  }
  return NULL;
}

int main(void) {
  static const int32_t n_threads[] = {1, 2, 3};
  for (size_t t = 0; t < sizeof n_threads / sizeof *n_threads; ++t) {
    net_model *model = NULL;
    pthread_t other;
    check(net_init(n_threads[t], &model) == NET_OK, "init");
    check(strcmp(net_error(model), "") == 0, "no refusal yet");
    for (int64_t n = 0; n <= MOST; ++n) {
      check_values(model, n, "values");
    }
    check_codes(model);
    is_alone = 0;
    if (pthread_create(&other, NULL, run_often, model) == 0) {
      run_often(model);
      pthread_join(other, NULL);
    }
    is_alone = 1;
    net_free(model);
  }
  check_values(NULL, 5, "without a model");
  check_codes(NULL);
  check(net_init(1, NULL) == NET_NO_POINTER, "nowhere to put a model");
  net_free(NULL);
  puts(n_bad == 0 ? "all well" : "not well");
  return n_bad != 0;
}
