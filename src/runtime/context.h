/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The runtime context: what would be global elsewhere hangs off it. */
#ifndef TN_RUNTIME_CONTEXT_H
#define TN_RUNTIME_CONTEXT_H

#include "runtime/device.h"
#include "runtime/object.h"
#include "runtime/workspace.h"

struct tn_runtime {
  tn_object obj;
  tn_device_table devices;
  tn_registry *registry;  /* owned */
  tn_pool *pool;          /* owned */
  tn_workspace workspace; /* scratch memory of kernels */
};

TN_MUST_USE tn_status tn_registry_new(tn_registry **out_registry);
void tn_registry_free(tn_registry *registry);

#endif
