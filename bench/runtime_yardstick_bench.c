/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The yardstick itself: what one core of this machine does now, and how steady it is. All other
 * figures are read beside this one. */
#include <stdlib.h>

#include "row.h"
#include "tenon/bench.h"

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  enum { N_SAMPLES = 201 };
  double gflops[N_SAMPLES];
  char note[128];
  for (int i = 0; i < N_SAMPLES; ++i) {
    gflops[i] = tn_bench_yardstick_gflops();
  }
  qsort(gflops, N_SAMPLES, sizeof gflops[0], compare_doubles);
  (void)snprintf(note, sizeof note, "%s; a tenth of the samples at or below %.1f, best %.1f",
                 tn_bench_yardstick_name(), gflops[N_SAMPLES / 10], gflops[N_SAMPLES - 1]);
  row_print(&(row){.name = "yardstick: one core, float32 in registers",
                   .value = gflops[N_SAMPLES / 2],
                   .unit = "GFLOP/s",
                   .note = note});
  return 0;
}
