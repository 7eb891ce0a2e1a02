/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The device table of a context: rows that are added and never removed, found by DLPack device
 * type. */
#ifndef TN_RUNTIME_DEVICE_H
#define TN_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"
#include "tenon/runtime.h"

enum { TN_MAX_DEVICES = 16 };

typedef struct tn_device_row {
  tn_device_ops ops;
  void *ctx;
} tn_device_row;

typedef struct tn_device_table {
  pthread_mutex_t lock; /* for adding; reading needs none */
  _Atomic(int32_t) n_rows;
  tn_device_row rows[TN_MAX_DEVICES];
} tn_device_table;

void tn_device_table_init(tn_device_table *table);
void tn_device_table_deinit(tn_device_table *table);
TN_MUST_USE tn_status tn_device_table_add(tn_device_table *table, const tn_device_ops *ops,
                                          void *ctx);
/// NOT_FOUND for an unknown type, INVALID for an id that the device does not have.
TN_MUST_USE tn_status tn_device_table_find(const tn_device_table *table, DLDevice device,
                                           const tn_device_row **out_row);

/// The row of host memory; works without a context.
const tn_device_row *tn_device_cpu(void);
/// Finds the row of `device`; rt may be NULL for the cpu.
TN_MUST_USE tn_status tn_runtime_device_row(tn_runtime *rt, DLDevice device,
                                            const tn_device_row **out_row);

/// Adds a device with memory of its own, which no address of this process reaches: what assumes
/// that device memory is ours breaks on it in the tests. Its pointers lie in pages without access.
TN_MUST_USE tn_status tn_loopback_add(tn_device_table *table);

/// Writes "cpu" or "loopback:0"; unknown types as "device type 7:0". rt may be NULL.
void tn_device_print(tn_runtime *rt, DLDevice device, char *out, size_t n_bytes);
enum { TN_DEVICE_TEXT_BYTES = 64 };

#endif
