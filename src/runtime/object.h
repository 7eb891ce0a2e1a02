/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What every counted runtime object starts with, and the layouts of the small ones (shape, tuple,
 * text, function). The public handles of tenon/runtime.h point to these; a tn_arg of kind >= 64
 * holds one. An object is freed by its type's destroy when the last reference goes. `depth` counts
 * how many containers deep an object is nested: it is limited, so that freeing a chain built by a
 * hostile program cannot exhaust the stack. */
#ifndef TN_RUNTIME_OBJECT_H
#define TN_RUNTIME_OBJECT_H

#include <stdatomic.h>

#include "base/status.h"
#include "tenon/runtime.h"

typedef struct tn_object tn_object;

typedef struct tn_object_type {
  void (*destroy)(tn_object *obj);
  const char *name;
} tn_object_type;

struct tn_object {
  const tn_object_type *type; /* offset 0 */
  _Atomic(int32_t) n_refs;
  uint32_t depth;
};

enum { TN_OBJECT_MAX_DEPTH = 1000 };

struct tn_shape {
  tn_object obj;
  int32_t ndim;
  int64_t dims[];
};

/// Items that several tuples share: each sees the first ones, as many as it has. So a list that
/// grows at its end, round after round of a loop, is not copied each time (tn_tuple_append).
typedef struct tn_tuple_store {
  _Atomic(int32_t) n_refs;
  int32_t n;
  int32_t cap;
  tn_arg items[];
} tn_tuple_store;

struct tn_tuple {
  tn_object obj;
  int32_t n;
  const tn_arg *items;   /* `own`, or those of the store */
  tn_tuple_store *store; /* NULL: none */
  tn_arg own[];
};

struct tn_string {
  tn_object obj;
  char text[];
};

struct tn_func {
  tn_object obj;
  tn_callback callback;
  void *ctx;
  void (*free_ctx)(void *ctx); /* may be NULL */
};

/// One reference, which is the caller's.
void tn_object_init(tn_object *obj, const tn_object_type *type);
static inline void tn_object_retain(tn_object *obj) {
  if (obj != NULL) {
    atomic_fetch_add_explicit(&obj->n_refs, 1, memory_order_relaxed);
  }
}
void tn_object_release(tn_object *obj);
/// True when the caller's reference is the only one; then nobody else can make another.
static inline bool tn_object_is_unique(tn_object *obj) {
  return atomic_load_explicit(&obj->n_refs, memory_order_acquire) == 1;
}

/// A tuple of the items of `tuple` and one more. Where the caller's reference is the only one, in
/// constant time on average.
TN_MUST_USE tn_status tn_tuple_append(tn_tuple *tuple, const tn_arg *item, tn_tuple **out_tuple);

static inline bool tn_arg_is_object(const tn_arg *arg) { return arg->kind >= TN_ARG_TENSOR_OBJ; }
/// The depth that a container of these `n` values has. INVALID past TN_OBJECT_MAX_DEPTH.
TN_MUST_USE tn_status tn_object_depth_over(int32_t n, const tn_arg *items, uint32_t *out_depth);

#endif
