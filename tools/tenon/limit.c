/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operations over their peak rate, bytes over the bandwidth of the memory that holds them all. */
#include "limit.h"

#include <math.h>

static double value_bytes(const tn_arg *value) {
  const DLTensor *dl = tn_arg_dl(value);
  const tn_tuple *tuple = tn_arg_tuple(value);
  double n_bytes = dl != NULL ? (double)tn_dl_n_elems(dl) * dl->dtype.bits / 8 : 0;
  for (int32_t i = 0; tuple != NULL && i < tn_tuple_size(tuple); ++i) {
    n_bytes += value_bytes(tn_tuple_at(tuple, i));
  }
  return n_bytes;
}

tn_status limit_count(const session *s, const tn_compile_opts *opts, const tn_arg *answer,
                      limit_work *out_work) {
  limit_work work = {.flops = -1, .bytes = value_bytes(answer)};
  tn_inspection in = {0};
  for (int32_t j = 0; j < s->n_params; ++j) {
    work.bytes += value_bytes(&s->args[j]);
  }
  if (s->program != NULL) {
    tn_status st = tn_program_inspect(s->program, s->func, opts, &in);
    if (st != NULL) {
      return st;
    }
    work.flops = in.flops;
    work.bytes += (double)in.constant_bytes;
    tn_inspection_deinit(&in);
  }
  *out_work = work;
  return NULL;
}

/* A figure for so many threads of which one and all were measured. */
static double of_team(const double *figures, const tn_peak *peak, int32_t n_threads) {
  if (n_threads >= peak->n_cpus) {
    return figures[TN_PEAK_ALL_THREADS];
  }
  return figures[TN_PEAK_ONE_THREAD] * n_threads;
}

/* The bandwidth of the nearest level that holds so much: a model that fits a cache stays in it from
 * one run to the next. */
static double bandwidth(const tn_peak *peak, double n_bytes, int32_t n_threads) {
  double gb_per_s = 0;
  for (int level = TN_PEAK_L1; level < TN_PEAK_N_LEVELS && gb_per_s <= 0; ++level) {
    bool is_held = level == TN_PEAK_MEMORY || n_bytes <= (double)peak->level_bytes[level];
    gb_per_s = is_held ? of_team(peak->gb_per_s[level][TN_PEAK_READ], peak, n_threads) : 0;
  }
  return gb_per_s;
}

double limit_us(const limit_work *work, const tn_peak *peak, int32_t n_threads,
                double yardstick_gflops, bool is_cold) {
  double gflops = of_team(peak->gops[TN_PEAK_F32], peak, n_threads);
  double gb_per_s = bandwidth(peak, is_cold ? INFINITY : work->bytes, n_threads);
  int32_t n_cores = n_threads < peak->n_cpus ? n_threads : peak->n_cpus;
  gflops = yardstick_gflops * n_cores > gflops ? yardstick_gflops * n_cores : gflops;
  if (work->flops < 0 || gflops <= 0 || gb_per_s <= 0) {
    return 0;
  }
  double compute_us = work->flops / gflops * 1e-3;
  double memory_us = work->bytes / gb_per_s * 1e-3;
  return compute_us > memory_us ? compute_us : memory_us;
}
