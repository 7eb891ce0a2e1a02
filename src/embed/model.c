/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The other side of `tenon compile --header`: compiled with the project, carried as bytes in
 * libtenon and linked into every library of plain C functions. Generated code calls the kernels
 * (codegen/llvm/model.c); here are the host's services that they ask for: threads, scratch memory
 * out of the caller's workspace, the text of a refusal. Memory is allocated in tn_embed_init alone.
 *
 *   workspace: | storages | scratch of serial code | scratch of thread 0 | of thread 1 | ...
 */
#include "embed/model.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "embed/cpu_features.h"

enum { ALIGN = 64, MAX_THREADS = 1024, SPIN_ROUNDS = 4000 };

/* Of a size that the caller gives; products of such are checked by the generated code. */
#define MAX_SIZE INT32_MAX

/* ---- threads ---- */

typedef struct worker {
  tn_embed_model *model;
  pthread_t thread;
  int32_t index; /* 1 .. n_threads - 1 */
} worker;

/* One parallel loop, cut into a piece a thread. */
typedef struct loop {
  const tn_env *env; /* of the serial code around it */
  tn_par_body body;
  void *closure;
  int64_t n;
  int32_t n_pieces;
} loop;

struct tn_embed_model {
  int32_t n_threads; /* that run, the caller's with them */
  _Atomic(const char *) error;
  pthread_mutex_t busy; /* held for the length of a loop */
  pthread_mutex_t lock; /* of the two conditions */
  pthread_cond_t has_work;
  pthread_cond_t is_done;
  const loop *loop; /* written before `generation` moves */
  atomic_int code;  /* the first that is not 0 */
  atomic_ullong generation;
  atomic_int n_pending;
  atomic_int is_ending;
  worker workers[];
};

/* One call of an entry; what env->host points to is a piece of it. */
typedef struct call {
  tn_embed_model *model;
  char *thread_scratch; /* of thread 0; the others' follow */
  int64_t thread_scratch_bytes;
} call;

/* Scratch memory of one thread, given out and taken back at its end. */
typedef struct place {
  tn_env env;
  const call *call;
  char *at;
  char *end;
} place;

static place *place_of(const tn_env *env) { return env->host; }

static int32_t serial_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  return n <= 0 ? 0 : body(env, 0, n, closure);
}

static int32_t run_piece(const loop *l, int32_t index) {
  const place *outer = place_of(l->env);
  const call *c = outer->call;
  place own = *outer;
  own.at = c->thread_scratch + index * c->thread_scratch_bytes;
  own.end = own.at + c->thread_scratch_bytes;
  own.env.host = &own;
  own.env.parallel_for = serial_for; /* a loop in a loop runs in order */
  int64_t size = l->n / l->n_pieces;
  int64_t rest = l->n % l->n_pieces;
  int64_t begin = size * index + (index < rest ? index : rest);
  int64_t end = begin + size + (index < rest);
  return l->body(&own.env, begin, end, l->closure);
}

static void note_code(tn_embed_model *model, int32_t code) {
  int none = 0;
  if (code != 0) {
    atomic_compare_exchange_strong(&model->code, &none, code);
  }
}

static bool is_new(const tn_embed_model *model, unsigned long long seen) {
  return atomic_load_explicit(&model->generation, memory_order_acquire) != seen;
}

static void relax_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* Loops follow each other closely: a while awake is cheaper than a sleep. */
static unsigned long long wait_for_work(tn_embed_model *model, unsigned long long seen) {
  for (int i = 0; i < SPIN_ROUNDS && !is_new(model, seen); ++i) {
    relax_cpu();
  }
  if (!is_new(model, seen)) {
    pthread_mutex_lock(&model->lock);
    while (!is_new(model, seen)) {
      pthread_cond_wait(&model->has_work, &model->lock);
    }
    pthread_mutex_unlock(&model->lock);
  }
  return atomic_load(&model->generation);
}

static void *work(void *arg) {
  const worker *w = arg;
  tn_embed_model *model = w->model;
  unsigned long long seen = 0;
  while (true) {
    seen = wait_for_work(model, seen);
    if (atomic_load(&model->is_ending) != 0) {
      return NULL;
    }
    if (w->index < model->loop->n_pieces) {
      note_code(model, run_piece(model->loop, w->index));
    }
    if (atomic_fetch_sub(&model->n_pending, 1) == 1) {
      pthread_mutex_lock(&model->lock);
      pthread_cond_signal(&model->is_done);
      pthread_mutex_unlock(&model->lock);
    }
  }
}

static void wake(tn_embed_model *model) {
  pthread_mutex_lock(&model->lock);
  atomic_fetch_add(&model->generation, 1);
  pthread_cond_broadcast(&model->has_work);
  pthread_mutex_unlock(&model->lock);
}

static void wait_for_workers(tn_embed_model *model) {
  for (int i = 0; i < SPIN_ROUNDS && atomic_load(&model->n_pending) != 0; ++i) {
    relax_cpu();
  }
  pthread_mutex_lock(&model->lock);
  while (atomic_load(&model->n_pending) != 0) {
    pthread_cond_wait(&model->is_done, &model->lock);
  }
  pthread_mutex_unlock(&model->lock);
}

/* Who finds the threads busy with another call runs its loop alone. */
static int32_t parallel_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  tn_embed_model *model = place_of(env)->call->model;
  loop l = {.env = env, .body = body, .closure = closure, .n = n, .n_pieces = 1};
  if (n <= 0) {
    return 0;
  }
  if (n == 1 || model == NULL || model->n_threads == 1 ||
      pthread_mutex_trylock(&model->busy) != 0) {
    return run_piece(&l, 0);
  }
  l.n_pieces = n < model->n_threads ? (int32_t)n : model->n_threads;
  model->loop = &l;
  atomic_store(&model->code, 0);
  atomic_store(&model->n_pending, model->n_threads - 1);
  wake(model);
  note_code(model, run_piece(&l, 0));
  wait_for_workers(model);
  int32_t code = atomic_load(&model->code);
  pthread_mutex_unlock(&model->busy);
  return code;
}

int32_t tn_embed_init(const char *needs, int32_t n_threads, tn_embed_model **out_model) {
  size_t len = 0;
  if (tn_cpu_first_missing(needs, &len) != NULL) {
    return TN_MODEL_OTHER_CPU;
  }
  n_threads = n_threads < 1 ? 1 : n_threads > MAX_THREADS ? MAX_THREADS : n_threads;
  tn_embed_model *model = calloc(1, sizeof *model + sizeof(worker) * (size_t)n_threads);
  if (out_model == NULL || model == NULL) {
    free(model);
    return out_model == NULL ? TN_MODEL_NO_POINTER : TN_MODEL_NO_MEMORY;
  }
  pthread_mutex_init(&model->busy, NULL);
  pthread_mutex_init(&model->lock, NULL);
  pthread_cond_init(&model->has_work, NULL);
  pthread_cond_init(&model->is_done, NULL);
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the host's threads */
  int32_t n = 1;
  for (; n < n_threads; ++n) {
    model->workers[n] = (worker){.model = model, .index = n};
    if (pthread_create(&model->workers[n].thread, NULL, work, &model->workers[n]) != 0) {
      break; /* those that run will do */
    }
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  model->n_threads = n;
  *out_model = model;
  return TN_MODEL_OK;
}

void tn_embed_free(tn_embed_model *model) {
  if (model == NULL) {
    return;
  }
  atomic_store(&model->is_ending, 1);
  wake(model);
  for (int32_t i = 1; i < model->n_threads; ++i) {
    pthread_join(model->workers[i].thread, NULL);
  }
  pthread_cond_destroy(&model->is_done);
  pthread_cond_destroy(&model->has_work);
  pthread_mutex_destroy(&model->lock);
  pthread_mutex_destroy(&model->busy);
  free(model);
}

const char *tn_embed_error(const tn_embed_model *model) {
  const char *text = model == NULL ? NULL : atomic_load(&model->error);
  return text == NULL ? "" : text;
}

/* ---- services of a call ---- */

static void *workspace_alloc(const tn_env *env, int64_t n_bytes) {
  place *p = place_of(env);
  if (n_bytes < 0 || n_bytes > p->end - p->at) {
    return NULL;
  }
  char *ptr = p->at;
  p->at += (n_bytes + ALIGN - 1) / ALIGN * ALIGN; /* the whole is a multiple too */
  return ptr;
}

static void workspace_free(const tn_env *env, void *ptr) { place_of(env)->at = ptr; }

static int32_t call_packed(const tn_env *env, const char *name, const tn_arg *args, int32_t n_args,
                           tn_arg *out_ret) {
  (void)args;
  (void)n_args;
  (void)out_ret;
  return env->fail(env, TN_KERR_PACKED, name, 0, 0);
}

static int32_t fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                    int64_t got) {
  tn_embed_model *model = place_of(env)->call->model;
  (void)expected;
  (void)got;
  if (model != NULL) {
    atomic_store(&model->error, text);
  }
  return code;
}

/* ---- entries ---- */

static int32_t plan(const tn_embed_entry *entry, const tn_embed_model *model, const int64_t *sizes,
                    tn_embed_bytes *out, int64_t *out_total) {
  int64_t n_threads = model != NULL ? model->n_threads : 1;
  int64_t scratch = 0;
  int64_t total = 0;
  for (int32_t i = 0; i < entry->n_sizes; ++i) {
    if (sizes[i] < 0 || sizes[i] > MAX_SIZE) {
      return TN_MODEL_BAD_SIZE;
    }
  }
  if (entry->plan(sizes, out) != 0 || out->storage < 0 || out->scratch < 0 ||
      out->thread_scratch < 0 || __builtin_mul_overflow(out->thread_scratch, n_threads, &scratch) ||
      __builtin_add_overflow(scratch, out->scratch, &scratch) ||
      __builtin_add_overflow(scratch, out->storage, &total) ||
      __builtin_add_overflow(total, ALIGN - 1, &total)) {
    return TN_MODEL_BAD_SIZE;
  }
  *out_total = total;
  return TN_MODEL_OK;
}

int64_t tn_embed_workspace_bytes(const tn_embed_entry *entry, const tn_embed_model *model,
                                 const int64_t *sizes) {
  tn_embed_bytes bytes;
  int64_t total = 0;
  return plan(entry, model, sizes, &bytes, &total) == TN_MODEL_OK ? total : -1;
}

int32_t tn_embed_run(const tn_embed_entry *entry, tn_embed_model *model, const int64_t *sizes,
                     void *const *args, void *workspace, size_t n_bytes) {
  tn_embed_bytes bytes;
  int64_t total = 0;
  int32_t code = plan(entry, model, sizes, &bytes, &total);
  if (code != TN_MODEL_OK) {
    return code;
  }
  if (workspace == NULL || (uint64_t)total > n_bytes) {
    return TN_MODEL_SMALL_WORKSPACE;
  }
  char *storage = (char *)workspace + (ALIGN - (uintptr_t)workspace % ALIGN) % ALIGN;
  char *scratch = storage + bytes.storage;
  const call c = {.model = model,
                  .thread_scratch = scratch + bytes.scratch,
                  .thread_scratch_bytes = bytes.thread_scratch};
  place own = {.env = {.abi_version = TN_KERNEL_ABI_VERSION,
                       .struct_bytes = sizeof(tn_env),
                       .parallel_for = parallel_for,
                       .workspace_alloc = workspace_alloc,
                       .workspace_free = workspace_free,
                       .call_packed = call_packed,
                       .fail = fail},
               .call = &c,
               .at = scratch,
               .end = c.thread_scratch};
  own.env.host = &own;
  code = entry->run(&own.env, sizes, args, storage);
  return code == 0 ? TN_MODEL_OK : code < 0 ? -code : TN_MODEL_REFUSED;
}
