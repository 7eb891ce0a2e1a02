/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Counted objects: life and death, shapes, tuples, texts and functions. Tensors and storages are in
 * tensor.c. */
#include "runtime/object.h"

#include <string.h>

#include "base/check.h"
#include "runtime/mem.h"

void tn_object_init(tn_object *obj, const tn_object_type *type) {
  obj->type = type;
  obj->depth = 0;
  atomic_init(&obj->n_refs, 1);
}

void tn_object_release(tn_object *obj) {
  if (obj == NULL) {
    return;
  }
  /* acq_rel: whoever destroys must see what every other holder wrote before letting go. */
  int32_t before = atomic_fetch_sub_explicit(&obj->n_refs, 1, memory_order_acq_rel);
  TN_ASSERT(before >= 1, "%s released too often", obj->type->name);
  if (before == 1) {
    obj->type->destroy(obj);
  }
}

tn_status tn_object_depth_over(int32_t n, const tn_arg *items, uint32_t *out_depth) {
  uint32_t depth = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (tn_arg_is_object(&items[i])) {
      const tn_object *obj = items[i].u.ptr;
      depth = obj->depth > depth ? obj->depth : depth;
    }
  }
  if (depth >= TN_OBJECT_MAX_DEPTH) {
    return TN_ERR(TN_INVALID, "values are nested more than %d deep", (int)TN_OBJECT_MAX_DEPTH);
  }
  *out_depth = depth + 1;
  return NULL;
}

static void free_object(tn_object *obj) { tn_mem_free(obj); }

static const tn_object_type shape_type = {free_object, "shape"};
static const tn_object_type str_type = {free_object, "str"};

tn_status tn_shape_create(int32_t ndim, const int64_t *dims, tn_shape **out_shape) {
  if (ndim < 0) {
    return TN_ERR(TN_INVALID, "a shape of %d dimensions", ndim);
  }
  size_t n_bytes = sizeof(tn_shape) + sizeof(int64_t) * (size_t)ndim;
  tn_shape *shape = tn_mem_alloc(n_bytes);
  if (shape == NULL) {
    return tn_mem_error("a shape", n_bytes);
  }
  tn_object_init(&shape->obj, &shape_type);
  shape->ndim = ndim;
  if (ndim > 0) {
    memcpy(shape->dims, dims, sizeof(int64_t) * (size_t)ndim);
  }
  *out_shape = shape;
  return NULL;
}

int32_t tn_shape_ndim(const tn_shape *shape) { return shape->ndim; }

const int64_t *tn_shape_dims(const tn_shape *shape) { return shape->dims; }

void tn_shape_release(tn_shape *shape) {
  if (shape != NULL) {
    tn_object_release(&shape->obj);
  }
}

static void release_store(tn_tuple_store *store) {
  if (atomic_fetch_sub_explicit(&store->n_refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  for (int32_t i = 0; i < store->n; ++i) {
    tn_arg_release(&store->items[i]);
  }
  tn_mem_free(store);
}

static void destroy_tuple(tn_object *obj) {
  tn_tuple *tuple = (tn_tuple *)obj;
  if (tuple->store != NULL) {
    release_store(tuple->store);
  } else {
    for (int32_t i = 0; i < tuple->n; ++i) {
      tn_arg_release(&tuple->own[i]);
    }
  }
  tn_mem_free(tuple);
}

static const tn_object_type tuple_type = {destroy_tuple, "tuple"};

static tn_status check_items(int32_t n, const tn_arg *items) {
  if (n < 0) {
    return TN_ERR(TN_INVALID, "a tuple of %d items", n);
  }
  for (int32_t i = 0; i < n; ++i) {
    if (items[i].kind == TN_ARG_TENSOR || items[i].kind == TN_ARG_STR) {
      return TN_ERR(TN_INVALID, "item %d of a tuple is a borrowed %s: make it an object first", i,
                    tn_arg_kind_name(items[i].kind));
    }
  }
  return NULL;
}

/* With room for n items of its own. */
static tn_status new_tuple(int32_t n, uint32_t depth, tn_tuple **out_tuple) {
  size_t n_bytes = sizeof(tn_tuple) + sizeof(tn_arg) * (size_t)n;
  tn_tuple *tuple = tn_mem_alloc(n_bytes);
  if (tuple == NULL) {
    return tn_mem_error("a tuple", n_bytes);
  }
  tn_object_init(&tuple->obj, &tuple_type);
  tuple->obj.depth = depth;
  tuple->n = n;
  tuple->store = NULL;
  tuple->items = tuple->own;
  *out_tuple = tuple;
  return NULL;
}

static void copy_items(int32_t n, const tn_arg *from, tn_arg *to) {
  for (int32_t i = 0; i < n; ++i) {
    to[i] = from[i];
    tn_arg_retain(&from[i]);
  }
}

tn_status tn_tuple_create(int32_t n, const tn_arg *items, tn_tuple **out_tuple) {
  uint32_t depth = 0;
  TN_TRY(check_items(n, items));
  TN_TRY(tn_object_depth_over(n, items, &depth));
  TN_TRY(new_tuple(n, depth, out_tuple));
  copy_items(n, items, (*out_tuple)->own);
  return NULL;
}

/* A store of the tuple's items with room for more. */
static tn_status new_store(const tn_tuple *tuple, tn_tuple_store **out_store) {
  enum { LEAST = 8 };
  int32_t cap = tuple->n < LEAST ? LEAST : tuple->n < INT32_MAX / 2 ? 2 * tuple->n : INT32_MAX;
  size_t n_bytes = sizeof(tn_tuple_store) + sizeof(tn_arg) * (size_t)cap;
  tn_tuple_store *store = tuple->n == INT32_MAX ? NULL : tn_mem_alloc(n_bytes);
  if (store == NULL) {
    return tn_mem_error("a list", n_bytes);
  }
  atomic_init(&store->n_refs, 1);
  store->n = tuple->n;
  store->cap = cap;
  copy_items(tuple->n, tuple->items, store->items);
  *out_store = store;
  return NULL;
}

/* Nobody else can see the end of the store: others would hold it or the tuple. */
static bool may_grow(tn_tuple *tuple) {
  const tn_tuple_store *store = tuple->store;
  return store != NULL && tn_object_is_unique(&tuple->obj) && store->n == tuple->n &&
         store->n < store->cap && atomic_load_explicit(&store->n_refs, memory_order_acquire) == 1;
}

tn_status tn_tuple_append(tn_tuple *tuple, const tn_arg *item, tn_tuple **out_tuple) {
  uint32_t depth = 0;
  tn_tuple *longer = NULL;
  tn_tuple_store *store = tuple->store;
  TN_TRY(check_items(1, item));
  TN_TRY(tn_object_depth_over(1, item, &depth));
  TN_TRY(new_tuple(0, depth > tuple->obj.depth ? depth : tuple->obj.depth, &longer));
  if (may_grow(tuple)) {
    atomic_fetch_add_explicit(&store->n_refs, 1, memory_order_relaxed);
  } else {
    tn_status st = new_store(tuple, &store);
    if (st != NULL) {
      tn_tuple_release(longer);
      return st;
    }
  }
  copy_items(1, item, &store->items[store->n++]);
  longer->store = store;
  longer->items = store->items;
  longer->n = store->n;
  *out_tuple = longer;
  return NULL;
}

int32_t tn_tuple_size(const tn_tuple *tuple) { return tuple->n; }

const tn_arg *tn_tuple_at(const tn_tuple *tuple, int32_t i) {
  return i >= 0 && i < tuple->n ? &tuple->items[i] : NULL;
}

void tn_tuple_release(tn_tuple *tuple) {
  if (tuple != NULL) {
    tn_object_release(&tuple->obj);
  }
}

tn_status tn_string_create(const char *text, tn_string **out_str) {
  size_t len = strlen(text);
  tn_string *str = tn_mem_alloc(sizeof(tn_string) + len + 1);
  if (str == NULL) {
    return tn_mem_error("a text", len + 1);
  }
  tn_object_init(&str->obj, &str_type);
  memcpy(str->text, text, len + 1);
  *out_str = str;
  return NULL;
}

const char *tn_string_text(const tn_string *str) { return str->text; }

void tn_string_release(tn_string *str) {
  if (str != NULL) {
    tn_object_release(&str->obj);
  }
}

static void destroy_func(tn_object *obj) {
  tn_func *func = (tn_func *)obj;
  if (func->free_ctx != NULL) {
    func->free_ctx(func->ctx);
  }
  tn_mem_free(func);
}

static const tn_object_type func_type = {destroy_func, "function"};

tn_status tn_func_create(tn_callback callback, void *ctx, void (*free_ctx)(void *ctx),
                         tn_func **out_func) {
  if (callback == NULL) {
    return TN_ERR(TN_INVALID, "a function without a callback");
  }
  tn_func *func = tn_mem_alloc(sizeof *func);
  if (func == NULL) {
    return tn_mem_error("a function", sizeof *func);
  }
  tn_object_init(&func->obj, &func_type);
  func->callback = callback;
  func->ctx = ctx;
  func->free_ctx = free_ctx;
  *out_func = func;
  return NULL;
}

tn_status tn_func_call(tn_func *func, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  tn_arg ret = {0};
  tn_status st = func->callback(func->ctx, args, n_args, &ret);
  if (st != NULL || out_ret == NULL) {
    tn_arg_release(&ret);
    return st;
  }
  *out_ret = ret;
  return NULL;
}

void tn_func_retain(tn_func *func) {
  if (func != NULL) {
    tn_object_retain(&func->obj);
  }
}

void tn_func_release(tn_func *func) {
  if (func != NULL) {
    tn_object_release(&func->obj);
  }
}
