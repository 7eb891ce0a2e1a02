/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Liveness of the tensors that a function allocates: what plan_memory decides with. Statements are
 * numbered in program order, branches of an if one after the other. */
#ifndef TN_GRAPH_PLAN_H
#define TN_GRAPH_PLAN_H

#include "graph/graph_priv.h"

/// One builtin.alloc_tensor.
typedef struct tn_plan_tensor {
  const tn_node *stmt;  /* its GBIND */
  uint32_t begin;       /* number of the binding */
  uint32_t end;         /* number of the last statement that uses it, through any name */
  bool is_escaping;     /* returned, or handed to code that may keep it */
  const tn_node *bytes; /* int64 expression, simplified, a multiple of 64 */
  int64_t storage;      /* index into storages */
} tn_plan_tensor;

/// Memory for one tensor after the other.
typedef struct tn_plan_storage {
  const tn_node *bytes; /* grows to the largest tensor's while it is a number */
  bool is_escaping;
  uint32_t first; /* index of the tensor that it is allocated for */
} tn_plan_storage;

typedef struct tn_plan {
  TN_VEC(tn_plan_tensor) tensors;
  TN_VEC(tn_plan_storage) storages;
} tn_plan;

/// Finds the tensors of `func` and how long they live.
void tn_plan_liveness(tn_ir *ir, const tn_node *func, tn_plan *plan);
/// Gives each tensor a storage.
void tn_plan_assign(const tn_node *func, tn_plan *plan);
void tn_plan_deinit(tn_plan *plan);

#endif
