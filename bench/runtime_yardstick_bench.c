/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The yardstick itself: what one core of this machine does now, and how steady it is. All other
 * figures are read beside this one. */
#include <stdio.h>
#include <stdlib.h>

#include "tenon/bench.h"

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  enum { N_SAMPLES = 201 };
  double gflops[N_SAMPLES];
  for (int i = 0; i < N_SAMPLES; ++i) {
    gflops[i] = tn_bench_yardstick_gflops();
  }
  qsort(gflops, N_SAMPLES, sizeof gflops[0], compare_doubles);
  printf("yardstick (%s): median %.1f, 10 %% at or below %.1f, best %.1f GFLOP/s a core\n",
         tn_bench_yardstick_name(), gflops[N_SAMPLES / 2], gflops[N_SAMPLES / 10],
         gflops[N_SAMPLES - 1]);
  return 0;
}
