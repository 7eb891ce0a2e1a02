/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The libraries that a matrix product is measured beside, found at run time: OpenBLAS
 * (libopenblas.so.0) and oneDNN (libdnnl.so.3 or .2). Neither is needed; what is missing is said.
 * The method: our call and theirs take turns for nine rounds, the yardstick stands before and after
 * every sample, a round in which it moved by more than 3 % is taken again, and the ratio is that of
 * the medians.
 *
 *   gemm_peers peers;
 *   gemm_peers_init(&peers, n_threads);                  // before anything else starts threads
 *   gemm_race race = {.m = m, .n = n, .k = k, .n_threads = n_threads, .a = a, .b = b, .c = peer_c};
 *   tn_status st = gemm_race_run(&race, &(tn_bench_call){run_ours, &ours}, &peers);
 *   // race.ours_gflops, race.share, race.peer_gflops[i], race.best, race.ratio
 *
 * All matrices are compact, row-major float32: A [m, k], B [k, n], C [m, n]; C = A B. */
#ifndef TN_BENCH_GEMM_PEERS_H
#define TN_BENCH_GEMM_PEERS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tenon/bench.h"

enum { GEMM_MAX_PEERS = 2, GEMM_ROUNDS = 9 };

typedef void (*gemm_cblas_fn)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                              const float *a, int lda, const float *b, int ldb, float beta,
                              float *c, int ldc);
typedef int (*gemm_dnnl_fn)(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                            float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                            float beta, float *c, int64_t ldc);

typedef struct gemm_peer {
  const char *name;
  gemm_cblas_fn cblas; /* one of the two */
  gemm_dnnl_fn dnnl;
  void (*set_n_threads)(int n);
} gemm_peer;

typedef struct gemm_peers {
  int32_t n;
  gemm_peer at[GEMM_MAX_PEERS];
} gemm_peers;

/* A symbol as a function; POSIX lets an object pointer hold one, C needs the detour. */
typedef union gemm_symbol {
  void *object;
  gemm_cblas_fn cblas;
  gemm_dnnl_fn dnnl;
  void (*set_n_threads)(int n);
} gemm_symbol;

static inline gemm_symbol gemm_find(void *library, const char *name) {
  return (gemm_symbol){library != NULL ? dlsym(library, name) : NULL};
}

/// Changes the number of threads of all; oneDNN's threads are OpenMP's.
static inline void gemm_peers_set_threads(const gemm_peers *peers, int32_t n_threads) {
  for (int32_t i = 0; i < peers->n; ++i) {
    if (peers->at[i].set_n_threads != NULL) {
      peers->at[i].set_n_threads(n_threads);
    }
  }
}

/// Loads what is there; a line on standard error for each that is not. The libraries stay loaded.
/// n_threads: what they may use at most; fewer later by gemm_peers_set_threads.
static inline void gemm_peers_init(gemm_peers *peers, int32_t n_threads) {
  char text[16];
  (void)snprintf(text, sizeof text, "%d", n_threads);
  *peers = (gemm_peers){0};
  /* A library measured at less than its best is no peer: presets of the machine's owner that hold
   * it to another core go. */
  (void)unsetenv("OPENBLAS_CORETYPE");
  (void)unsetenv("OPENBLAS_L2_SIZE");
  (void)setenv("OPENBLAS_NUM_THREADS", text, 1);
  (void)setenv("OMP_NUM_THREADS", text, 1);
  void *blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  gemm_cblas_fn cblas = gemm_find(blas, "cblas_sgemm").cblas;
  if (cblas != NULL) {
    peers->at[peers->n++] =
        (gemm_peer){.name = "OpenBLAS",
                    .cblas = cblas,
                    .set_n_threads = gemm_find(blas, "openblas_set_num_threads").set_n_threads};
  } else {
    fprintf(stderr, "no OpenBLAS (libopenblas.so.0, package libopenblas0-pthread)\n");
  }
  void *dnn = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL);
  dnn = dnn != NULL ? dnn : dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  gemm_dnnl_fn dnnl = gemm_find(dnn, "dnnl_sgemm").dnnl;
  if (dnnl != NULL) {
    /* dlsym on its handle searches what it depends on, libgomp among it */
    peers->at[peers->n++] =
        (gemm_peer){.name = "oneDNN",
                    .dnnl = dnnl,
                    .set_n_threads = gemm_find(dnn, "omp_set_num_threads").set_n_threads};
  } else {
    fprintf(stderr, "no oneDNN (libdnnl.so.3 or libdnnl.so.2, package libdnnl2)\n");
  }
}

/// One product, ours and theirs.
typedef struct gemm_race {
  int64_t m, n, k;
  int32_t n_threads;
  const float *a;
  const float *b;
  float *c; /* room for a peer's result; each writes it whole */
  /* found by gemm_race_run */
  double ours_gflops;
  double share; /* of n_threads yardsticks, 1: all */
  double peer_gflops[GEMM_MAX_PEERS];
  int32_t best; /* the faster peer, -1: there is none */
  double ratio; /* our speed over the best peer's: above 1, we are ahead; 0 without peer */
  double yardstick_gflops;
  int32_t n_discarded;
  int32_t n_unsteady; /* rounds kept although the machine changed */
} gemm_race;

typedef struct gemm_peer_call {
  const gemm_peer *peer;
  const gemm_race *race;
} gemm_peer_call;

static inline tn_status gemm_peer_run(void *ctx) {
  const gemm_peer_call *call = ctx;
  const gemm_race *r = call->race;
  if (call->peer->cblas != NULL) {
    enum { ROW_MAJOR = 101, NO_TRANS = 111 };
    call->peer->cblas(ROW_MAJOR, NO_TRANS, NO_TRANS, (int)r->m, (int)r->n, (int)r->k, 1, r->a,
                      (int)r->k, r->b, (int)r->n, 0, r->c, (int)r->n);
    return NULL;
  }
  int status =
      call->peer->dnnl('N', 'N', r->m, r->n, r->k, 1, r->a, r->k, r->b, r->n, 0, r->c, r->n);
  return status == 0 ? NULL : tn_status_make(TN_INTERNAL, "dnnl_sgemm refused");
}

/// Races `ours`, which computes the same product with n_threads threads, with every peer.
static inline tn_status gemm_race_run(gemm_race *race, const tn_bench_call *ours,
                                      const gemm_peers *peers) {
  enum { MAX_CALLS = 1 + 2 * GEMM_MAX_PEERS };
  tn_bench_call calls[MAX_CALLS] = {*ours};
  tn_bench_result results[MAX_CALLS] = {{0}};
  int32_t stride = race->n_threads > 1 ? 2 : 1; /* each peer, and a rest behind it */
  int32_t n_calls = 1 + stride * peers->n;
  gemm_peer_call theirs[GEMM_MAX_PEERS];
  tn_bench_opts opts = TN_BENCH_DEFAULTS;
  opts.repeat = GEMM_ROUNDS;
  opts.min_repeat_ms = 10;
  opts.max_drift = 0.03;
  opts.max_discards = 10 * GEMM_ROUNDS;
  gemm_peers_set_threads(peers, race->n_threads);
  for (int32_t i = 0; i < peers->n; ++i) {
    theirs[i] = (gemm_peer_call){&peers->at[i], race};
    calls[1 + stride * i] = (tn_bench_call){gemm_peer_run, &theirs[i]};
    calls[stride + stride * i] = stride == 2 ? (tn_bench_call){tn_bench_rest, NULL} : calls[1 + i];
  }
  tn_status st = tn_bench_in_turn(calls, n_calls, &opts, results);
  if (st != NULL) {
    return st;
  }
  double flops = 2.0 * (double)race->m * (double)race->n * (double)race->k;
  race->ours_gflops = flops / results[0].median_us * 1e-3;
  race->share = tn_bench_share(&results[0], flops, race->n_threads);
  race->yardstick_gflops = results[0].yardstick_gflops;
  race->n_discarded = results[0].n_discarded;
  race->n_unsteady = results[0].n_unsteady;
  race->best = -1;
  race->ratio = 0;
  for (int32_t i = 0; i < peers->n; ++i) {
    race->peer_gflops[i] = flops / results[1 + stride * i].median_us * 1e-3;
    if (race->best < 0 || race->peer_gflops[i] > race->peer_gflops[race->best]) {
      race->best = i;
      race->ratio = race->ours_gflops / race->peer_gflops[i];
    }
  }
  for (int32_t i = 0; i < n_calls; ++i) {
    tn_bench_result_deinit(&results[i]);
  }
  return NULL;
}

#endif
