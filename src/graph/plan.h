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
  const tn_node *first; /* the first statement that uses it; NULL: none does */
  const tn_node *last;  /* that statement; for the condition of an if, the if */
  bool is_escaping;     /* returned, or handed to code that may keep it */
  const tn_node *bytes; /* int64 expression, simplified, a multiple of 64 */
  int64_t storage;      /* index into storages */
  int64_t offset;       /* bytes from its beginning */
} tn_plan_tensor;

/// Memory for tensors: for all whose sizes are numbers and that do not escape (is_arena, allocated
/// first of all), or for one after the other.
typedef struct tn_plan_storage {
  const tn_node *bytes;
  bool is_escaping;
  bool is_arena;
  uint32_t first; /* index of the tensor that it is allocated for */
} tn_plan_storage;

/// A size that is a number, and no absurd one (which may not be added up).
static inline bool tn_plan_is_number(const tn_node *bytes) {
  return bytes->op == TN_OP_INT && bytes->attr.i64 >= 0 && bytes->attr.i64 <= INT64_C(1) << 44;
}

typedef struct tn_plan {
  TN_VEC(tn_plan_tensor) tensors;
  TN_VEC(tn_plan_storage) storages;
} tn_plan;

/// Finds the tensors of `func` and how long they live.
void tn_plan_liveness(tn_ir *ir, const tn_node *func, tn_plan *plan);
/// Gives each tensor a storage.
void tn_plan_assign(tn_ir *ir, const tn_node *func, tn_plan *plan);
/// Gives offsets to the tensors of the arena (storage `arena`) and returns its size.
int64_t tn_plan_place(tn_plan *plan, int64_t arena);
/// The most bytes that are alive at one time, of tensors whose sizes are numbers and that do not
/// escape: memory for those cannot be less.
int64_t tn_plan_lower_bound(const tn_plan *plan);
void tn_plan_deinit(tn_plan *plan);

#endif
