/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Makes and ends the runtime context. */
#include "runtime/context.h"

#include "runtime/mem.h"

static void destroy_runtime(tn_object *obj) {
  tn_runtime *rt = (tn_runtime *)obj;
  /* Functions go first: what they keep may still use devices and threads. */
  tn_registry_free(rt->registry);
  tn_pool_free(rt->pool);
  tn_workspace_deinit(&rt->workspace);
  tn_device_table_deinit(&rt->devices);
  tn_mem_free(rt);
}

static const tn_object_type runtime_type = {destroy_runtime, "runtime context"};

tn_status tn_runtime_create(int32_t n_threads, tn_runtime **out_rt) {
  tn_runtime *rt = tn_mem_alloc(sizeof *rt);
  if (rt == NULL) {
    return tn_mem_error("a runtime context", sizeof *rt);
  }
  tn_status st = NULL;
  tn_object_init(&rt->obj, &runtime_type);
  tn_device_table_init(&rt->devices);
  tn_workspace_init(&rt->workspace);
  TN_GOTO(st, tn_registry_new(&rt->registry), done);
  TN_GOTO(st, tn_pool_create(n_threads, &rt->pool), done);
  TN_GOTO(st, tn_loopback_add(&rt->devices), done);
  *out_rt = rt;
  rt = NULL;
done:
  tn_runtime_release(rt);
  return st;
}

void tn_runtime_retain(tn_runtime *rt) {
  if (rt != NULL) {
    tn_object_retain(&rt->obj);
  }
}

void tn_runtime_release(tn_runtime *rt) {
  if (rt != NULL) {
    tn_object_release(&rt->obj);
  }
}

tn_registry *tn_runtime_registry(tn_runtime *rt) { return rt->registry; }

tn_pool *tn_runtime_pool(tn_runtime *rt) { return rt->pool; }
