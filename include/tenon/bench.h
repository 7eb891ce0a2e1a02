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

#include <stdbool.h>
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
enum { TN_BENCH_MAX_CALLS = 64 };

/// Measures `n_calls` calls in turn, A B C A B C; a round in which the machine changed is repeated
/// for all of them. out_results: [n_calls], as from tn_bench_measure. Errors: as there; INVALID for
/// n_calls outside [1, TN_BENCH_MAX_CALLS].
TN_API tn_status tn_bench_in_turn(const tn_bench_call *calls, int32_t n_calls,
                                  const tn_bench_opts *opts, tn_bench_result *out_results);

/// The same for two.
TN_API tn_status tn_bench_compare(const tn_bench_call *a, const tn_bench_call *b,
                                  const tn_bench_opts *opts, tn_bench_pair *out_pair);

/// Waits until no thread of this process computes, half a second at most: a library's threads spin
/// after a call before they sleep, which would be in the next one's sample. A call to put between
/// those of several threads that are measured in turn; ctx is not looked at.
TN_API tn_status tn_bench_rest(void *ctx);

TN_API void tn_bench_result_deinit(tn_bench_result *result);
TN_API void tn_bench_pair_deinit(tn_bench_pair *pair);

/// How much of the yardstick a call reaches that does `flops` floating-point operations on
/// `n_threads` cores: the median over the samples, 1 for all of it; 0 without yardstick.
TN_API double tn_bench_share(const tn_bench_result *result, double flops, int32_t n_threads);

/// The yardstick now: GFLOP/s in float32 of this core, in about 0.1 ms, at its widest vectors.
TN_API double tn_bench_yardstick_gflops(void);

/// The vectors that the yardstick uses: "avx512f", "avx2+fma" or "generic". Static storage.
TN_API const char *tn_bench_yardstick_name(void);

/* ---- what the machine can do ---- */

/// Arithmetic whose rate is measured, on vectors in registers.
typedef enum tn_peak_kind {
  TN_PEAK_F32,     ///< float32 multiply-add: the yardstick
  TN_PEAK_F64,     ///< float64 multiply-add
  TN_PEAK_BF16,    ///< bfloat16 dot product into float32
  TN_PEAK_I8,      ///< int8 dot product into int32
  TN_PEAK_I32_ADD, ///< int32 addition
  TN_PEAK_I32_MUL  ///< int32 multiplication
} tn_peak_kind;
enum { TN_PEAK_N_KINDS = 6 };

typedef enum tn_peak_level { TN_PEAK_L1, TN_PEAK_L2, TN_PEAK_L3, TN_PEAK_MEMORY } tn_peak_level;
enum { TN_PEAK_N_LEVELS = 4 };

/// A copy counts the bytes that it reads and those that it writes.
typedef enum tn_peak_access { TN_PEAK_READ, TN_PEAK_WRITE, TN_PEAK_COPY } tn_peak_access;
enum { TN_PEAK_N_ACCESSES = 3 };

/// Where a figure is for one thread and for all together, this is the last index.
enum { TN_PEAK_ONE_THREAD, TN_PEAK_ALL_THREADS, TN_PEAK_N_TEAMS };

/// The best of many short samples: a limit is what is reached while nobody disturbs.
typedef struct tn_peak {
  char cpu[128];    ///< the processor: its name and its numbers, since virtual machines share names
  char vectors[16]; ///< tn_bench_yardstick_name
  int32_t n_cpus;   ///< that the process may use: all threads
  /// 10^9 operations a second, a multiply-add counting two; 0: the processor has no instruction.
  double gops[TN_PEAK_N_KINDS][TN_PEAK_N_TEAMS];
  int64_t level_bytes[TN_PEAK_N_LEVELS]; ///< capacity as the system says it; 0: it does not, or
                                         ///< there is no such level, whose figures then are 0
  int64_t found_bytes[TN_PEAK_N_LEVELS]; ///< the most that one thread reads at nearer this level's
                                         ///< rate than the next one's; 0 for memory
  double gb_per_s[TN_PEAK_N_LEVELS][TN_PEAK_N_ACCESSES][TN_PEAK_N_TEAMS]; ///< 10^9 bytes a second
} tn_peak;

/// "float32", "int8 dot" ...; "L1", "memory"; "read" ...; static storage, NULL outside.
TN_API const char *tn_peak_kind_name(tn_peak_kind kind);
TN_API const char *tn_peak_level_name(tn_peak_level level);
TN_API const char *tn_peak_access_name(tn_peak_access access);

/// Measures this machine, for about three seconds. Errors: NO_MEMORY.
TN_API tn_status tn_peak_measure(tn_peak *out_peak);

/// The measurement kept in the user's cache folder, $XDG_CACHE_HOME/tenon/peak.json or
/// ~/.cache/tenon/peak.json, made and written there when there is none of this processor and number
/// of processors, or `is_again`. In libtenon alone. out_path (may be NULL): malloc'ed, the file;
/// NULL when nothing could be kept, which is no error. Errors: as tn_peak_measure.
TN_API tn_status tn_peak_get(bool is_again, tn_peak *out_peak, char **out_path);
/// The measurement as JSON, which is also the form of the file. In libtenon alone; malloc'ed.
TN_API tn_status tn_peak_print_json(const tn_peak *peak, char **out_text);

#ifdef __cplusplus
}
#endif
#endif
