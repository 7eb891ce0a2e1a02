/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A large module as several objects, so that LLVM can work on them side by side. Who goes where is
 * decided by the module alone: files come out the same on every machine. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "codegen/llvm/cg.h"

enum { NODES_AN_OBJECT = 2000 }; /* about 30 ms of LLVM's time; an object of its own costs 2 ms */

typedef struct sized {
  uint32_t index;
  uint64_t cost;
} sized;

typedef struct work {
  const tn_module *module;
  const tn_codegen_opts *opts;
  const uint32_t *object_of; /* by function */
  tn_objects *out;
  tn_status status[TN_MAX_OBJECTS];
  pthread_mutex_t mutex; /* of the module's tn_ir, and of next */
  uint32_t next;
} work;

/* ---- sharing out ---- */

static tn_visit count_node(const tn_node *n, void *ctx) {
  uint64_t *count = ctx;
  ++*count;
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

static tn_visit find_invoke(const tn_node *n, void *ctx) {
  bool *is_found = ctx;
  *is_found = *is_found || tn_is(n, TN_OP_INVOKE);
  return *is_found ? TN_STOP : tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

static int by_cost(const void *a, const void *b) {
  const sized *x = a;
  const sized *y = b;
  if (x->cost != y->cost) {
    return x->cost > y->cost ? -1 : 1;
  }
  return x->index < y->index ? -1 : 1;
}

/* The costly ones first, each to the object that has least. */
static void share_out(sized *funcs, uint32_t n_funcs, uint32_t n_objects, uint32_t *object_of) {
  uint64_t load[TN_MAX_OBJECTS] = {0};
  qsort(funcs, n_funcs, sizeof *funcs, by_cost);
  for (uint32_t i = 0; i < n_funcs; ++i) {
    uint32_t least = 0;
    for (uint32_t k = 1; k < n_objects; ++k) {
      least = load[k] < load[least] ? k : least;
    }
    object_of[funcs[i].index] = least;
    load[least] += funcs[i].cost;
  }
}

/* Returns the number of objects. What calls another function's body stays with it: all in one. */
static uint32_t plan_objects(const tn_module *module, const tn_codegen_opts *opts,
                             uint32_t *object_of) {
  uint64_t total = 0;
  uint32_t n = 0;
  bool is_joint = opts->exports_tvm_ffi || opts->model != NULL;
  sized *funcs = calloc(module->n_funcs + 1, sizeof *funcs);
  TN_CHECK(funcs != NULL, "no memory");
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const tn_node *func = module->funcs[i].func;
    if (tn_is(func, TN_OP_PRIM_FUNC)) {
      funcs[n].index = i;
      (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], count_node, &funcs[n].cost);
      (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], find_invoke, &is_joint);
      total += funcs[n++].cost;
    }
  }
  uint64_t n_objects = is_joint ? 1 : total / NODES_AN_OBJECT;
  n_objects = n_objects < TN_MAX_OBJECTS ? n_objects : TN_MAX_OBJECTS;
  n_objects = n_objects < n ? n_objects : n;
  n_objects = n_objects > 0 ? n_objects : 1;
  share_out(funcs, n, (uint32_t)n_objects, object_of);
  free(funcs);
  return (uint32_t)n_objects;
}

/* ---- making them ---- */

/* Only what LLVM does alone runs side by side: emission makes nodes in the module's tn_ir. */
static tn_status make_object(work *w, uint32_t object) {
  tn_cg cg;
  tn_status st = NULL;
  pthread_mutex_lock(&w->mutex);
  st = tn_cg_emit_part(&cg, w->module, w->opts, w->object_of, object);
  pthread_mutex_unlock(&w->mutex);
  if (st == NULL) {
    st = tn_cg_finish(&cg, TN_EMIT_OBJ, &w->out->all[object]);
  }
  tn_cg_deinit(&cg);
  return st;
}

static void *make_objects(void *ctx) {
  work *w = ctx;
  for (;;) {
    pthread_mutex_lock(&w->mutex);
    uint32_t object = w->next++;
    pthread_mutex_unlock(&w->mutex);
    if (object >= w->out->n) {
      return NULL;
    }
    w->status[object] = make_object(w, object);
  }
}

static void run_threads(work *w, int32_t n_threads) {
  pthread_t threads[TN_MAX_OBJECTS];
  int32_t n = 0; /* besides this one */
  while (n + 1 < n_threads && n + 1 < (int32_t)w->out->n &&
         pthread_create(&threads[n], NULL, make_objects, w) == 0) {
    ++n;
  }
  (void)make_objects(w);
  for (int32_t i = 0; i < n; ++i) {
    (void)pthread_join(threads[i], NULL);
  }
}

/* The first object's error; the others' are dropped. */
static tn_status first_error(work *w) {
  tn_status first = NULL;
  for (size_t i = 0; i < w->out->n; ++i) {
    if (first == NULL) {
      first = w->status[i];
    } else {
      tn_status_free(w->status[i]);
    }
  }
  return first;
}

tn_status tn_llvm_emit_objects(const tn_module *lowered, const tn_codegen_opts *opts,
                               int32_t n_threads, tn_objects *out) {
  uint32_t *object_of = calloc(lowered->n_funcs + 1, sizeof *object_of);
  TN_CHECK(object_of != NULL, "no memory");
  work w = {.module = lowered, .opts = opts, .object_of = object_of, .out = out};
  pthread_mutex_init(&w.mutex, NULL);
  out->n = plan_objects(lowered, opts, object_of);
  tn_cg_register_targets();
  run_threads(&w, n_threads);
  pthread_mutex_destroy(&w.mutex);
  free(object_of);
  return first_error(&w);
}

void tn_objects_deinit(tn_objects *objects) {
  for (size_t i = 0; i < objects->n; ++i) {
    tn_buf_deinit(&objects->all[i]);
  }
  *objects = (tn_objects){0};
}
