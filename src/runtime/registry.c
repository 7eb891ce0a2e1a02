/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions of the host by name. Readers share a lock and take a reference, so a function that is
 * replaced or removed while it runs lives until its last call returns. */
#include <pthread.h>

#include "base/vec.h"
#include "runtime/context.h"
#include "runtime/mem.h"

struct tn_registry {
  pthread_rwlock_t lock;
  tn_strmap funcs; /* name -> tn_func, one reference each */
};

tn_status tn_registry_new(tn_registry **out_registry) {
  tn_registry *registry = tn_mem_alloc(sizeof *registry);
  if (registry == NULL) {
    return tn_mem_error("a registry", sizeof *registry);
  }
  pthread_rwlock_init(&registry->lock, NULL);
  *out_registry = registry;
  return NULL;
}

void tn_registry_free(tn_registry *registry) {
  if (registry == NULL) {
    return;
  }
  for (size_t i = 0; i < registry->funcs.len; ++i) {
    tn_func_release(registry->funcs.values[i]);
  }
  tn_strmap_deinit(&registry->funcs);
  pthread_rwlock_destroy(&registry->lock);
  tn_mem_free(registry);
}

tn_status tn_registry_add_func(tn_registry *registry, const char *name, tn_func *func,
                               bool override) {
  if (name == NULL || name[0] == 0) {
    return TN_ERR(TN_INVALID, "a function is registered under its name, and it has none");
  }
  pthread_rwlock_wrlock(&registry->lock);
  tn_func *old = tn_strmap_find(&registry->funcs, name);
  bool is_taken = old != NULL && !override;
  if (!is_taken) {
    tn_func_retain(func);
    tn_strmap_set(&registry->funcs, name, func);
  }
  pthread_rwlock_unlock(&registry->lock);
  if (is_taken) {
    return TN_ERR(TN_EXISTS, "function '%s' is already registered", name);
  }
  tn_func_release(old); /* outside the lock: its end may call back */
  return NULL;
}

tn_status tn_registry_add(tn_registry *registry, const char *name, tn_callback callback, void *ctx,
                          void (*free_ctx)(void *ctx), bool override) {
  tn_func *func = NULL;
  /* free_ctx is attached last: on failure ctx stays the caller's. */
  TN_TRY(tn_func_create(callback, ctx, NULL, &func));
  tn_status st = tn_registry_add_func(registry, name, func, override);
  if (st == NULL) {
    func->free_ctx = free_ctx;
  }
  tn_func_release(func);
  return st;
}

tn_status tn_registry_find(tn_registry *registry, const char *name, tn_func **out_func) {
  pthread_rwlock_rdlock(&registry->lock);
  tn_func *func = tn_strmap_find(&registry->funcs, name);
  tn_func_retain(func);
  pthread_rwlock_unlock(&registry->lock);
  if (func == NULL) {
    return TN_ERR(TN_NOT_FOUND, "no function '%s' is registered", name);
  }
  *out_func = func;
  return NULL;
}

tn_status tn_registry_remove(tn_registry *registry, const char *name) {
  pthread_rwlock_wrlock(&registry->lock);
  tn_func *func = tn_strmap_find(&registry->funcs, name);
  tn_strmap_remove(&registry->funcs, name);
  pthread_rwlock_unlock(&registry->lock);
  if (func == NULL) {
    return TN_ERR(TN_NOT_FOUND, "no function '%s' is registered", name);
  }
  tn_func_release(func);
  return NULL;
}

void tn_registry_list(tn_registry *registry, void (*visit)(void *ctx, const char *name),
                      void *ctx) {
  pthread_rwlock_rdlock(&registry->lock);
  for (size_t i = 0; i < registry->funcs.len; ++i) {
    visit(ctx, registry->funcs.keys[i]);
  }
  pthread_rwlock_unlock(&registry->lock);
}
