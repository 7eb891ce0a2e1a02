/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The device table and its first row, the cpu. Everything that allocates or copies tensor memory
 * goes through a row; only the copy between two pieces of host memory is shortened to memcpy. */
#include "runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "runtime/context.h"
#include "runtime/mem.h"

static tn_status cpu_alloc(void *ctx, int32_t device_id, size_t n_bytes, size_t align,
                           void **out_ptr) {
  (void)ctx;
  (void)device_id;
  void *ptr =
      tn_mem_alloc_aligned(n_bytes, align < TN_MEM_ALIGN_BYTES ? TN_MEM_ALIGN_BYTES : align);
  if (ptr == NULL) {
    return tn_mem_error("a tensor", n_bytes);
  }
  *out_ptr = ptr;
  return NULL;
}

static void cpu_free(void *ctx, int32_t device_id, void *ptr) {
  (void)ctx;
  (void)device_id;
  tn_mem_free(ptr);
}

static tn_status cpu_copy(void *ctx, void *dst, DLDevice dst_dev, const void *src, DLDevice src_dev,
                          size_t n_bytes) {
  (void)ctx;
  (void)dst_dev;
  (void)src_dev;
  if (n_bytes > 0) {
    memmove(dst, src, n_bytes);
  }
  return NULL;
}

static int32_t cpu_launch(void *ctx, int32_t device_id, tn_kernel_fn kernel, const tn_env *env,
                          const tn_arg *args, int32_t n_args) {
  (void)ctx;
  (void)device_id;
  return kernel(env, args, n_args);
}

static const tn_device_row cpu_row = {
    .ops = {.name = "cpu",
            .device_type = kDLCPU,
            .n_devices = 1,
            .alloc = cpu_alloc,
            .free = cpu_free,
            .copy = cpu_copy,
            .launch = cpu_launch},
};

const tn_device_row *tn_device_cpu(void) { return &cpu_row; }

void tn_device_table_init(tn_device_table *table) {
  pthread_mutex_init(&table->lock, NULL);
  table->rows[0] = cpu_row;
  atomic_init(&table->n_rows, 1);
}

void tn_device_table_deinit(tn_device_table *table) {
  int32_t n_rows = atomic_load(&table->n_rows);
  for (int32_t i = 0; i < n_rows; ++i) {
    if (table->rows[i].ops.free_ctx != NULL) {
      table->rows[i].ops.free_ctx(table->rows[i].ctx);
    }
  }
  pthread_mutex_destroy(&table->lock);
}

static const tn_device_row *find_type(const tn_device_table *table, int32_t device_type) {
  int32_t n_rows = atomic_load_explicit(&table->n_rows, memory_order_acquire);
  for (int32_t i = 0; i < n_rows; ++i) {
    if (table->rows[i].ops.device_type == device_type) {
      return &table->rows[i];
    }
  }
  return NULL;
}

static tn_status add_locked(tn_device_table *table, const tn_device_ops *ops, void *ctx) {
  const tn_device_row *old = find_type(table, ops->device_type);
  if (old != NULL) {
    return TN_ERR(TN_EXISTS, "device type %d is already '%s'", ops->device_type, old->ops.name);
  }
  int32_t n_rows = atomic_load(&table->n_rows);
  if (n_rows == TN_MAX_DEVICES) {
    return TN_ERR(TN_NO_MEMORY, "the device table is full (%d rows)", (int)TN_MAX_DEVICES);
  }
  table->rows[n_rows] = (tn_device_row){.ops = *ops, .ctx = ctx};
  /* Release: a reader that sees the new count sees the row. */
  atomic_store_explicit(&table->n_rows, n_rows + 1, memory_order_release);
  return NULL;
}

tn_status tn_device_table_add(tn_device_table *table, const tn_device_ops *ops, void *ctx) {
  if (ops->name == NULL || ops->alloc == NULL || ops->free == NULL || ops->copy == NULL ||
      ops->n_devices < 1) {
    return TN_ERR(TN_INVALID, "device '%s' needs a name, alloc, free, copy and at least one device",
                  ops->name == NULL ? "" : ops->name);
  }
  pthread_mutex_lock(&table->lock);
  tn_status st = add_locked(table, ops, ctx);
  pthread_mutex_unlock(&table->lock);
  return st;
}

tn_status tn_device_table_find(const tn_device_table *table, DLDevice device,
                               const tn_device_row **out_row) {
  const tn_device_row *row = find_type(table, device.device_type);
  if (row == NULL) {
    return TN_ERR(TN_NOT_FOUND, "no device of DLPack type %d", device.device_type);
  }
  if (device.device_id < 0 || device.device_id >= row->ops.n_devices) {
    return TN_ERR(TN_INVALID, "device '%s' has no number %d (there are %d)", row->ops.name,
                  device.device_id, row->ops.n_devices);
  }
  *out_row = row;
  return NULL;
}

tn_status tn_runtime_device_row(tn_runtime *rt, DLDevice device, const tn_device_row **out_row) {
  if (device.device_type == kDLCPU && device.device_id == 0) {
    *out_row = &cpu_row;
    return NULL;
  }
  if (rt == NULL) {
    return TN_ERR(TN_NOT_FOUND, "a tensor of DLPack device type %d needs a runtime context",
                  device.device_type);
  }
  return tn_device_table_find(&rt->devices, device, out_row);
}

tn_status tn_runtime_add_device(tn_runtime *rt, const tn_device_ops *ops, void *ctx) {
  return tn_device_table_add(&rt->devices, ops, ctx);
}

tn_status tn_runtime_find_device(tn_runtime *rt, const char *text, DLDevice *out_device) {
  size_t len = strcspn(text, ":");
  int32_t n_rows = atomic_load_explicit(&rt->devices.n_rows, memory_order_acquire);
  tn_buf names = TN_BUF_INIT;
  for (int32_t i = 0; i < n_rows; ++i) {
    const tn_device_ops *ops = &rt->devices.rows[i].ops;
    tn_buf_printf(&names, "%s%s", i == 0 ? "" : ", ", ops->name);
    if (strlen(ops->name) != len || memcmp(ops->name, text, len) != 0) {
      continue;
    }
    tn_buf_deinit(&names);
    char *end = NULL;
    int64_t id = text[len] == ':' ? strtol(text + len + 1, &end, 10) : 0;
    bool is_number = text[len] == 0 || (end != text + len + 1 && *end == 0);
    if (!is_number || id < 0 || id >= ops->n_devices) {
      return TN_ERR(TN_INVALID, "device '%s': expected %s or %s:N with N in [0, %d)", text,
                    ops->name, ops->name, ops->n_devices);
    }
    *out_device = (DLDevice){ops->device_type, (int32_t)id};
    return NULL;
  }
  tn_status st = TN_ERR(TN_NOT_FOUND, "no device '%s'; there are: %s", text, tn_buf_text(&names));
  tn_buf_deinit(&names);
  return st;
}

tn_status tn_runtime_sync(tn_runtime *rt, DLDevice device) {
  const tn_device_row *row = NULL;
  TN_TRY(tn_device_table_find(&rt->devices, device, &row));
  return row->ops.sync == NULL ? NULL : row->ops.sync(row->ctx, device.device_id);
}

void tn_device_print(tn_runtime *rt, DLDevice device, char *out, size_t n_bytes) {
  const tn_device_row *row = rt == NULL ? NULL : find_type(&rt->devices, device.device_type);
  if (device.device_type == kDLCPU) {
    snprintf(out, n_bytes, "cpu");
  } else if (row != NULL) {
    snprintf(out, n_bytes, "%s:%d", row->ops.name, device.device_id);
  } else {
    snprintf(out, n_bytes, "DLPack device type %d:%d", device.device_type, device.device_id);
  }
}
