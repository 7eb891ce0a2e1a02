/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Measuring: how long one call takes, and how far that is from what the core can do at that moment.
 *
 * A machine shared with others is not the same from one moment to the next: its clock moves and its
 * neighbours come and go. So a loop of fused multiply-adds in registers, the yardstick, runs before
 * and after every sample. Where the two differ too much, the sample is thrown away and taken again.
 * Two things to compare are measured in turn, A B A B, so that a slow minute hits both.
 *
 *   tn_bench_call call = {run_my_kernel, &kernel};
 *   tn_bench_opts opts = TN_BENCH_DEFAULTS;
 *   tn_bench_result result;
 *   tn_status st = tn_bench_measure(&call, &opts, &result);
 *   if (st == NULL) {
 *     printf("%.3f us, %.0f %% of the core\n", result.median_us,
 *            100 * tn_bench_share(&result, n_flops, 1));
 *     tn_bench_result_deinit(&result);
 *   } */
#ifndef TN_TENON_BENCH_H
#define TN_TENON_BENCH_H

#include <stdint.h>

#include "tenon/export.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured. A status other than NULL ends the measurement and is returned from it.
typedef struct tn_bench_call {
  tn_status (*run)(void *ctx);
  void *ctx; ///< handed to run; borrowed
} tn_bench_call;

typedef struct tn_bench_opts {
  int64_t number;       ///< calls a sample; raised until a sample takes min_repeat_ms; >= 1
  int32_t repeat;       ///< samples; >= 1
  double min_repeat_ms; ///< least time of a sample; 0: take `number` as it is
  double warmup_ms;     ///< calls before the first sample, for so long; at least one in any case
  double max_drift;     ///< largest accepted difference of the yardsticks around a sample, as a
                        ///< fraction of the larger; 0: no yardstick is taken, nothing discarded
  int32_t max_discards; ///< samples thrown away at most; after that they count as they come
} tn_bench_opts;

/// 1 ms samples, 21 of them.
#define TN_BENCH_DEFAULTS \
  { 1, 21, 1.0, 10.0, 0.10, 63 }

/// Times are microseconds for one call; the spread is the standard deviation over the samples.
typedef struct tn_bench_result {
  int64_t number;      ///< calls a sample, as it was after calibration
  int32_t repeat;      ///< samples
  int32_t n_discarded; ///< samples thrown away because the machine changed during them
  int32_t n_unsteady;  ///< samples kept although it did: max_discards was used up
  double min_us;
  double median_us;
  double mean_us;
  double max_us;
  double stddev_us;
  double yardstick_gflops; ///< median over the samples, of one core; 0 without yardstick
  double *sample_us;       ///< [repeat], in the order taken; owned
  double *sample_gflops;   ///< [repeat], the mean of the two yardsticks around each; owned
} tn_bench_result;

/// Two calls measured in turn.
typedef struct tn_bench_pair {
  tn_bench_result a;
  tn_bench_result b;
  double ratio; ///< median time of a over median time of b: below 1, a is the faster
} tn_bench_pair;

/// Measures `call`. opts: borrowed, not NULL. out_result: deinit with tn_bench_result_deinit;
/// untouched on failure. Errors: INVALID for options out of range, NO_MEMORY, and what run gives.
TN_API tn_status tn_bench_measure(const tn_bench_call *call, const tn_bench_opts *opts,
                                  tn_bench_result *out_result);

/// The most calls that one measurement takes in turn.
enum { TN_BENCH_MAX_CALLS = 8 };

/// Measures `n_calls` calls in turn, A B C A B C; a round in which the machine changed is repeated
/// for all of them. out_results: [n_calls], as from tn_bench_measure. Errors: as there; INVALID for
/// n_calls outside [1, TN_BENCH_MAX_CALLS].
TN_API tn_status tn_bench_in_turn(const tn_bench_call *calls, int32_t n_calls,
                                  const tn_bench_opts *opts, tn_bench_result *out_results);

/// The same for two.
TN_API tn_status tn_bench_compare(const tn_bench_call *a, const tn_bench_call *b,
                                  const tn_bench_opts *opts, tn_bench_pair *out_pair);

TN_API void tn_bench_result_deinit(tn_bench_result *result);
TN_API void tn_bench_pair_deinit(tn_bench_pair *pair);

/// How much of the yardstick a call reaches that does `flops` floating-point operations on
/// `n_threads` cores: the median over the samples, 1 for all of it; 0 without yardstick.
TN_API double tn_bench_share(const tn_bench_result *result, double flops, int32_t n_threads);

/// The yardstick now: GFLOP/s in float32 of this core, in about 0.1 ms, at its widest vectors.
TN_API double tn_bench_yardstick_gflops(void);

/// The vectors that the yardstick uses: "avx512f", "avx2+fma" or "generic". Static storage.
TN_API const char *tn_bench_yardstick_name(void);

#ifdef __cplusplus
}
#endif
#endif
