/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What it costs that threads take a loop up and meet again: an empty parallel loop, one round for each
 * thread. The median of 10,000, the best of five rounds of them. */
#include <stdlib.h>

#include "base/clock.h"
#include "row.h"
#include "tenon/runtime.h"

enum { N_LOOPS = 10000, N_ROUNDS = 5 };

static int32_t do_nothing(void *ctx, int64_t begin, int64_t end) {
  (void)ctx;
  (void)begin;
  (void)end;
  return 0;
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double median_us(tn_pool *pool, int32_t n_threads) {
  static int64_t ns[N_LOOPS]; /* large */
  for (int i = 0; i < N_LOOPS; ++i) {
    int64_t start = tn_clock_ns();
    (void)tn_pool_for(pool, do_nothing, NULL, n_threads);
    ns[i] = tn_clock_ns() - start;
  }
  qsort(ns, N_LOOPS, sizeof *ns, by_size);
  return (double)ns[N_LOOPS / 2] * 1e-3;
}

int main(void) {
  tn_pool *pool = NULL;
  tn_status st = tn_pool_create(2, &pool);
  if (st == NULL) {
    double best = median_us(pool, 2);
    for (int i = 1; i < N_ROUNDS; ++i) {
      double us = median_us(pool, 2);
      best = us < best ? us : best;
    }
    row_print(&(row){"fork and join, 2 threads", best, "us", ROW_AT_MOST, 3,
                     "median of 10,000, best of 5 rounds"});
  }
  tn_pool_free(pool);
  return row_finish(st);
}
