/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The thread pool of parallel loops. A loop is cut into one contiguous piece a thread; the caller
 * takes the first one. Workers watch a generation counter: they spin a while, since loops follow
 * each other closely, then sleep. Whoever finds the pool busy (a nested loop, another thread) runs
 * its loop alone, which needs no bookkeeping of who nests in whom and cannot deadlock. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/status.h"
#include "runtime/cpu_count.h"
#include "runtime/mem.h"
#include "tenon/runtime.h"

enum {
  MAX_THREADS = 1024,
  SPIN_ROUNDS =
      4000 /* about 50 us of pause instructions: longer than the gap between two kernels */
};

typedef struct worker {
  tn_pool *pool;
  pthread_t thread;
  int32_t index; /* 1 .. n_threads - 1 */
  uint64_t seen; /* the generation before its first loop */
} worker;

struct tn_pool {
  int32_t n_threads;
  pthread_mutex_t busy; /* held for the length of a loop */
  int32_t n_started;    /* workers that run; under busy */
  /* The loop at hand: written before `generation` moves, read after. */
  tn_pool_body body;
  void *ctx;
  int64_t n;
  int32_t n_pieces;
  _Atomic(int32_t) error;       /* first one wins */
  _Atomic(uint64_t) generation; /* counts loops */
  _Atomic(int32_t) n_pending;   /* workers not done with this one */
  _Atomic(int32_t) is_ending;
  /* Sleeping: both sides store their own flag, then look at the other's (seq_cst), so no wake-up is
   * lost. */
  pthread_mutex_t sleep_lock;
  pthread_cond_t work_cond;
  pthread_cond_t done_cond;
  _Atomic(int32_t) n_sleeping;
  _Atomic(int32_t) is_caller_asleep;
  worker workers[];
};

static void relax_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void run_piece(tn_pool *pool, int32_t index) {
  if (index >= pool->n_pieces || atomic_load_explicit(&pool->error, memory_order_relaxed) != 0) {
    return;
  }
  /* In 128 bits: n times an index may pass 64. */
  int64_t begin = (int64_t)((__int128)pool->n * index / pool->n_pieces);
  int64_t end = (int64_t)((__int128)pool->n * (index + 1) / pool->n_pieces);
  int32_t code = pool->body(pool->ctx, begin, end);
  if (code != 0) {
    int32_t none = 0;
    atomic_compare_exchange_strong(&pool->error, &none, code);
  }
}

static uint64_t wait_for_work(tn_pool *pool, uint64_t seen) {
  for (int32_t i = 0; i < SPIN_ROUNDS; ++i) {
    uint64_t now = atomic_load_explicit(&pool->generation, memory_order_acquire);
    if (now != seen) {
      return now;
    }
    relax_cpu();
  }
  pthread_mutex_lock(&pool->sleep_lock);
  atomic_fetch_add(&pool->n_sleeping, 1);
  while (atomic_load(&pool->generation) == seen) {
    pthread_cond_wait(&pool->work_cond, &pool->sleep_lock);
  }
  atomic_fetch_sub(&pool->n_sleeping, 1);
  pthread_mutex_unlock(&pool->sleep_lock);
  return atomic_load(&pool->generation);
}

static void *worker_main(void *arg) {
  worker *w = arg;
  tn_pool *pool = w->pool;
  uint64_t seen = w->seen;
  while (true) {
    seen = wait_for_work(pool, seen);
    if (atomic_load(&pool->is_ending) != 0) {
      return NULL;
    }
    run_piece(pool, w->index);
    if (atomic_fetch_sub(&pool->n_pending, 1) == 1 && atomic_load(&pool->is_caller_asleep) != 0) {
      pthread_mutex_lock(&pool->sleep_lock);
      pthread_cond_signal(&pool->done_cond);
      pthread_mutex_unlock(&pool->sleep_lock);
    }
  }
}

static void wait_for_workers(tn_pool *pool) {
  for (int32_t i = 0; i < SPIN_ROUNDS; ++i) {
    if (atomic_load_explicit(&pool->n_pending, memory_order_acquire) == 0) {
      return;
    }
    relax_cpu();
  }
  pthread_mutex_lock(&pool->sleep_lock);
  atomic_store(&pool->is_caller_asleep, 1);
  while (atomic_load(&pool->n_pending) != 0) {
    pthread_cond_wait(&pool->done_cond, &pool->sleep_lock);
  }
  atomic_store(&pool->is_caller_asleep, 0);
  pthread_mutex_unlock(&pool->sleep_lock);
}

static void wake_workers(tn_pool *pool) {
  atomic_fetch_add(&pool->generation, 1);
  if (atomic_load(&pool->n_sleeping) > 0) {
    pthread_mutex_lock(&pool->sleep_lock);
    pthread_cond_broadcast(&pool->work_cond);
    pthread_mutex_unlock(&pool->sleep_lock);
  }
}

/* Starts the workers at the first loop. When the system gives fewer, the pieces are cut for those
 * that run. Signals are left to the host's threads. */
static void start_workers(tn_pool *pool) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool->n_started < pool->n_threads - 1) {
    worker *w = &pool->workers[pool->n_started];
    *w = (worker){
        .pool = pool, .index = pool->n_started + 1, .seen = atomic_load(&pool->generation)};
    if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
      break;
    }
    ++pool->n_started;
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

tn_status tn_pool_create(int32_t n_threads, tn_pool **out_pool) {
  if (n_threads < 0 || n_threads > MAX_THREADS) {
    return TN_ERR(TN_INVALID, "a pool of %d threads; expected 0 (as many as may be used) to %d",
                  n_threads, (int)MAX_THREADS);
  }
  if (n_threads == 0) {
    n_threads = tn_cpu_count();
    n_threads = n_threads > MAX_THREADS ? MAX_THREADS : n_threads;
  }
  size_t n_bytes = sizeof(tn_pool) + sizeof(worker) * (size_t)n_threads;
  tn_pool *pool = tn_mem_alloc(n_bytes);
  if (pool == NULL) {
    return tn_mem_error("a thread pool", n_bytes);
  }
  pool->n_threads = n_threads;
  pthread_mutex_init(&pool->busy, NULL);
  pthread_mutex_init(&pool->sleep_lock, NULL);
  pthread_cond_init(&pool->work_cond, NULL);
  pthread_cond_init(&pool->done_cond, NULL);
  *out_pool = pool;
  return NULL;
}

void tn_pool_free(tn_pool *pool) {
  if (pool == NULL) {
    return;
  }
  atomic_store(&pool->is_ending, 1);
  wake_workers(pool);
  for (int32_t i = 0; i < pool->n_started; ++i) {
    pthread_join(pool->workers[i].thread, NULL);
  }
  pthread_cond_destroy(&pool->done_cond);
  pthread_cond_destroy(&pool->work_cond);
  pthread_mutex_destroy(&pool->sleep_lock);
  pthread_mutex_destroy(&pool->busy);
  tn_mem_free(pool);
}

int32_t tn_pool_n_threads(const tn_pool *pool) { return pool->n_threads; }

int32_t tn_pool_for(tn_pool *pool, tn_pool_body body, void *ctx, int64_t n) {
  if (n <= 0) {
    return 0;
  }
  if (n == 1 || pool->n_threads == 1 || pthread_mutex_trylock(&pool->busy) != 0) {
    return body(ctx, 0, n);
  }
  if (pool->n_started < pool->n_threads - 1) {
    start_workers(pool);
  }
  pool->body = body;
  pool->ctx = ctx;
  pool->n = n;
  pool->n_pieces = n <= pool->n_started ? (int32_t)n : pool->n_started + 1;
  atomic_store(&pool->error, 0);
  atomic_store(&pool->n_pending, pool->n_started);
  wake_workers(pool);
  run_piece(pool, 0);
  wait_for_workers(pool);
  int32_t code = atomic_load(&pool->error);
  pthread_mutex_unlock(&pool->busy);
  return code;
}
