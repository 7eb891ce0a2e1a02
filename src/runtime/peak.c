/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Measures the limits of the machine: every loop of peak_loops.c on one thread and on all, the best
 * of many short samples. A level of the memory is measured with data that fill half of it, memory
 * with several times the last cache. Then one thread reads growing pieces: where the rate leaves
 * that of a level shows how much the level really holds, which virtual machines do not always tell
 * (one claimed 508 MiB of L3 whose rate fell from 16 MiB on). */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/bench.h"
#include "runtime/mem.h"
#include "runtime/peak_loops.h"
#include "tenon/runtime.h"

enum { N_CALM = 9, MAX_SAMPLES = 40, SAMPLE_US = 1000, PAGE = 4096 };
static const size_t mib = 1024 * 1024;

/* ---- names ---- */

static const char *name_at(const char *const *names, int n, unsigned i) {
  return i < (unsigned)n ? names[i] : NULL;
}

const char *tn_peak_kind_name(tn_peak_kind kind) {
  static const char *const names[TN_PEAK_N_KINDS] = {
      [TN_PEAK_F32] = "float32",       [TN_PEAK_F64] = "float64",
      [TN_PEAK_BF16] = "bfloat16 dot", [TN_PEAK_I8] = "int8 dot",
      [TN_PEAK_I32_ADD] = "int32 add", [TN_PEAK_I32_MUL] = "int32 multiply"};
  return name_at(names, TN_PEAK_N_KINDS, (unsigned)kind);
}

const char *tn_peak_level_name(tn_peak_level level) {
  static const char *const names[TN_PEAK_N_LEVELS] = {"L1", "L2", "L3", "memory"};
  return name_at(names, TN_PEAK_N_LEVELS, (unsigned)level);
}

const char *tn_peak_access_name(tn_peak_access access) {
  static const char *const names[TN_PEAK_N_ACCESSES] = {"read", "write", "copy"};
  return name_at(names, TN_PEAK_N_ACCESSES, (unsigned)access);
}

/* ---- one sample ---- */

/* Either arithmetic or passes; threads take `stride` bytes each. */
typedef struct work {
  tn_peak_arithmetic arithmetic;
  tn_peak_pass pass;
  char *data;
  size_t stride;
  size_t n_bytes; /* a pass's, of one thread */
  int64_t n_rounds;
} work;

static int32_t run_threads(void *ctx, int64_t begin, int64_t end) {
  const work *w = ctx;
  for (int64_t i = begin; i < end; ++i) {
    if (w->pass != NULL) {
      w->pass(w->data + (size_t)i * w->stride, w->n_bytes, w->n_rounds);
      continue;
    }
    for (int64_t k = 0; k < w->n_rounds; ++k) {
      (void)w->arithmetic();
    }
  }
  return 0;
}

static int64_t sample_ns(tn_pool *pool, work *w) {
  int64_t start_ns = tn_clock_ns();
  (void)tn_pool_for(pool, run_threads, w, tn_pool_n_threads(pool));
  int64_t n_ns = tn_clock_ns() - start_ns;
  return n_ns > 0 ? n_ns : 1;
}

/* The shortest of three: one that was interrupted would pass for a long sample. */
static int64_t typical_ns(tn_pool *pool, work *w) {
  int64_t least = sample_ns(pool, w);
  for (int i = 0; i < 2; ++i) {
    int64_t n_ns = sample_ns(pool, w);
    least = n_ns < least ? n_ns : least;
  }
  return least;
}

/* Units a nanosecond, where a round of one thread does `n_units`: the best sample, each long enough
 * for the clock and the waking of the threads not to count. On a busy machine few samples go
 * undisturbed, so they are taken until N_CALM in a row were no better by more than 1 %. */
static double best_rate(tn_pool *pool, work *w, double n_units) {
  double best = 0;
  w->n_rounds = 1;
  for (int64_t n_ns = 0; (n_ns = typical_ns(pool, w)) < SAMPLE_US * 1000 / 2;) {
    w->n_rounds *= n_ns < SAMPLE_US * 1000 / 16 ? 8 : 2;
  }
  for (int i = 0, n_calm = 0; i < MAX_SAMPLES && n_calm < N_CALM; ++i) {
    double n_ns = (double)sample_ns(pool, w);
    double rate = n_units * (double)w->n_rounds * tn_pool_n_threads(pool) / n_ns;
    n_calm = rate > 1.01 * best ? 0 : n_calm + 1;
    best = rate > best ? rate : best;
  }
  return best;
}

/* ---- the figures ---- */

static size_t whole_steps(size_t n_bytes) {
  size_t step = 2 * TN_PEAK_STEP_BYTES; /* each half of a copy is whole steps too */
  return n_bytes < step ? step : n_bytes / step * step;
}

/* What one of n_threads passes over to measure a level. */
static size_t bytes_of_level(const tn_peak *peak, int level, size_t n_threads) {
  size_t l2 = (size_t)peak->level_bytes[TN_PEAK_L2];
  size_t l3 = (size_t)peak->level_bytes[TN_PEAK_L3];
  size_t all = (size_t)peak->level_bytes[TN_PEAK_MEMORY];
  switch ((tn_peak_level)level) {
    case TN_PEAK_L1:
    case TN_PEAK_L2:
      return whole_steps((size_t)peak->level_bytes[level] / 2);
    case TN_PEAK_L3: {
      size_t share = l3 / 2 / n_threads;
      share = share > 8 * mib ? 8 * mib : share;
      return l3 == 0 ? 0 : whole_steps(share < 2 * l2 ? 2 * l2 : share);
    }
    case TN_PEAK_MEMORY: {
      size_t whole = 4 * l3 < 128 * mib ? 128 * mib : 4 * l3 > 1024 * mib ? 1024 * mib : 4 * l3;
      whole = all > 0 && whole > all / 8 ? all / 8 : whole;
      size_t share = whole / n_threads;
      return whole_steps(share < 16 * mib ? 16 * mib : share);
    }
  }
  return 0;
}

/* All threads do no less than one of them, whoever disturbed the measurement. */
static void set_rate(double *rates, int team, double rate) {
  rates[team] = team == TN_PEAK_ONE_THREAD || rate > rates[0] ? rate : rates[0];
}

static void measure_arithmetic(tn_peak *peak, tn_pool *const *pools) {
  for (int kind = 0; kind < TN_PEAK_N_KINDS; ++kind) {
    tn_peak_arithmetic run = tn_peak_arithmetic_find((tn_peak_kind)kind);
    for (int team = 0; run != NULL && team < TN_PEAK_N_TEAMS; ++team) {
      work w = {.arithmetic = run};
      set_rate(peak->gops[kind], team, best_rate(pools[team], &w, run()));
    }
  }
}

static void measure_levels(tn_peak *peak, tn_pool *const *pools, char *data) {
  for (int level = 0; level < TN_PEAK_N_LEVELS; ++level) {
    for (int access = 0; access < TN_PEAK_N_ACCESSES; ++access) {
      for (int team = 0; team < TN_PEAK_N_TEAMS; ++team) {
        size_t n = bytes_of_level(peak, level, (size_t)tn_pool_n_threads(pools[team]));
        work w = {.pass = tn_peak_pass_find((tn_peak_access)access),
                  .data = data,
                  .stride = (n + PAGE - 1) / PAGE * PAGE,
                  .n_bytes = n};
        set_rate(peak->gb_per_s[level][access], team,
                 n > 0 ? best_rate(pools[team], &w, (double)n) : 0);
      }
    }
  }
}

/* The rate below which a piece is no longer held by `level`: halfway, as ratios go, to the next
 * level that there is. */
static double limit_of(const tn_peak *peak, int level) {
  double own = peak->gb_per_s[level][TN_PEAK_READ][TN_PEAK_ONE_THREAD];
  for (int next = level + 1; next < TN_PEAK_N_LEVELS; ++next) {
    double rate = peak->gb_per_s[next][TN_PEAK_READ][TN_PEAK_ONE_THREAD];
    if (rate > 0) {
      return own > rate ? sqrt(own * rate) : INFINITY;
    }
  }
  return INFINITY;
}

/* Pieces of 8, 12, 16, 24 ... KiB. */
static void measure_sizes(tn_peak *peak, tn_pool *one, char *data, size_t n_bytes) {
  size_t size = 8 * 1024;
  for (int i = 0; size <= n_bytes; ++i) {
    work w = {.pass = tn_peak_pass_find(TN_PEAK_READ), .data = data, .n_bytes = size};
    double rate = best_rate(one, &w, (double)size);
    for (int level = 0; level < TN_PEAK_MEMORY; ++level) {
      if (rate >= limit_of(peak, level)) {
        peak->found_bytes[level] = (int64_t)size;
      }
    }
    size = i % 2 == 0 ? size / 2 * 3 : size / 3 * 4;
  }
}

tn_status tn_peak_measure(tn_peak *out_peak) {
  tn_status st = NULL;
  tn_peak peak = {0};
  tn_pool *pools[TN_PEAK_N_TEAMS] = {NULL, NULL};
  char *data = NULL;
  tn_peak_identify(&peak);
  TN_GOTO(st, tn_pool_create(1, &pools[TN_PEAK_ONE_THREAD]), done);
  TN_GOTO(st, tn_pool_create(peak.n_cpus, &pools[TN_PEAK_ALL_THREADS]), done);
  size_t n = (size_t)peak.n_cpus;
  size_t alone = bytes_of_level(&peak, TN_PEAK_MEMORY, 1);
  size_t shared = n * (bytes_of_level(&peak, TN_PEAK_MEMORY, n) + PAGE);
  size_t n_bytes = alone > shared ? alone : shared;
  data = tn_mem_alloc_aligned(n_bytes, PAGE);
  if (data == NULL) {
    st = tn_mem_error("the data that memory is measured with", n_bytes);
    goto done;
  }
  memset(data, 1, n_bytes); /* pages that were never written are all the same one */
  measure_arithmetic(&peak, pools);
  measure_levels(&peak, pools, data);
  measure_sizes(&peak, pools[TN_PEAK_ONE_THREAD], data, alone);
  *out_peak = peak;
done:
  tn_mem_free(data);
  tn_pool_free(pools[TN_PEAK_ONE_THREAD]);
  tn_pool_free(pools[TN_PEAK_ALL_THREADS]);
  return st;
}
