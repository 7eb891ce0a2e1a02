/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The bench core with its clock and yardstick as arguments, so that the logic can be tested without
 * time; the public functions of tenon/bench.h hand in the real ones. */
#ifndef TN_RUNTIME_BENCH_H
#define TN_RUNTIME_BENCH_H

#include "base/status.h"
#include "tenon/bench.h"

typedef struct tn_bench_meter {
  int64_t (*clock_ns)(void *ctx);
  double (*yardstick_gflops)(void *ctx);
  void *ctx;
} tn_bench_meter;

/// Measures n_calls (up to TN_BENCH_MAX_CALLS) calls in turn. out_results: [n_calls]; untouched on failure.
TN_MUST_USE tn_status tn_bench_run(const tn_bench_meter *meter, const tn_bench_call *calls,
                                   int32_t n_calls, const tn_bench_opts *opts,
                                   tn_bench_result *out_results);

/// Runs the yardstick's loop, about 0.1 ms; returns the float32 operations it did.
double tn_bench_yardstick_run(void);

/// Which machine this is: cpu, vectors, n_cpus and level_bytes of `peak`; the rest is 0.
void tn_peak_identify(tn_peak *peak);

#endif
