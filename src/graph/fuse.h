/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Fusion of calls of loop functions: what a function's blocks allow (fuse_pattern.c), which calls go
 * together (fuse_groups.c), and the one function that takes their place (fuse_build.c).
 *
 * Everything is found from blocks, nothing from names: a function is looked at when it is serial
 * loops around blocks of one store each, and opaque otherwise. */
#ifndef TN_GRAPH_FUSE_H
#define TN_GRAPH_FUSE_H

#include "graph/graph_priv.h"

/// How the elements of a function's output come from those of its inputs. The numbers are those of
/// the attribute "op_pattern", in the order in which a function becomes harder to fuse.
typedef enum tn_fuse_pattern {
  TN_FUSE_ELEMENTWISE = 0, /* each element from those at the same place */
  TN_FUSE_BROADCAST = 1,   /* the same, inputs may lack dimensions */
  TN_FUSE_INJECTIVE = 2,   /* each element from some others, by an index of its own */
  TN_FUSE_REDUCTION = 3,   /* sums and the like, which read an element about once */
  TN_FUSE_ANCHOR = 4,      /* products: inputs are read again for other outputs */
  TN_FUSE_OPAQUE = 8
} tn_fuse_pattern;

/// How a function reads one of its inputs.
typedef struct tn_fuse_input {
  bool is_whole; /* only at the place that is written at the time, over the output's extents */
  bool is_once;  /* no element more than about once */
} tn_fuse_input;

typedef struct tn_fuse_func {
  const tn_node *func; /* PRIM_FUNC */
  tn_fuse_pattern pattern;
  bool is_cheap;        /* computing an element again costs little more than loading it */
  bool is_view;         /* one input, whose elements the output has in the order of memory */
  bool is_whole_output; /* one output, and a block writes all of it, each element once */
  uint32_t n_inputs;    /* parameters come in this order: inputs, outputs */
  uint32_t n_outputs;
  tn_fuse_input *inputs; /* lives in the tn_ir */
} tn_fuse_func;

/// The same number, or the same expression.
static inline bool tn_fuse_same_extent(const tn_node *a, const tn_node *b) {
  return a == b || (tn_is(a, TN_OP_INT) && tn_is(b, TN_OP_INT) && a->attr.i64 == b->attr.i64);
}
/// Is the variable, bare, one of the indices of a STORE?
bool tn_fuse_is_index_of(const tn_node *store, const tn_node *var);

/// Looks at the blocks; an attribute "op_pattern" may say less than they allow.
void tn_fuse_func_init(const tn_module *module, const tn_node *func, tn_fuse_func *out);

/* ---- who goes with whom ---- */

enum { TN_FUSE_MAX_CALLS = 24, TN_FUSE_MAX_INPUTS = 32 }; /* of a fused function */

/// A call_tir whose function and types are understood.
typedef struct tn_fuse_call {
  const tn_node *stmt; /* its GBIND */
  const tn_fuse_func *func;
  uint32_t body;      /* number of the list of statements that it stands in */
  uint32_t first_use; /* its uses by other calls: into uses, n_uses of them */
  uint32_t n_uses;
  bool is_used_elsewhere; /* by anything that is no such call of the same body */
  bool is_recomputed;     /* its value is wanted more than once for a place, in its group */
  int32_t group;          /* the call that stands for its group; follow until it is its own */
} tn_fuse_call;

typedef struct tn_fuse_use {
  uint32_t call;  /* who uses it */
  uint32_t input; /* as which input */
} tn_fuse_use;

typedef struct tn_fuse_plan {
  TN_VEC(tn_fuse_call) calls; /* in program order */
  TN_VEC(tn_fuse_use) uses;
} tn_fuse_plan;

/// Puts calls into groups. All but the last call of a group, in program order, are used inside the
/// group alone. At most one call of a group is a REDUCTION or ANCHOR.
void tn_fuse_plan_groups(tn_fuse_plan *plan);
/// The call that stands for the group of call i.
uint32_t tn_fuse_group_of(tn_fuse_plan *plan, uint32_t i);

/* ---- the function in their place ---- */

/// The sizes of a function's buffers as those of its arguments: id of a VAR of the function -> the
/// graph's expression. False when they do not fit, or are not known.
bool tn_fuse_bind_sizes(tn_ir *ir, const tn_node *func, const tn_node *const *types,
                        tn_map *out_sizes);

/// Types of a call's inputs, then of its outputs.
typedef TN_VEC(const tn_node *) tn_fuse_types;
TN_MUST_USE tn_status tn_fuse_types_of(tn_module *module, const tn_node *call, tn_fuse_types *out);

/// One private PRIM_FUNC of the calls `stmts` (GBINDs in program order; outputs are the last one's),
/// and the arguments of its call: a TUPLE of inputs, and a SHAPE of sizes that no argument tells, or
/// NULL.
TN_MUST_USE tn_status tn_fuse_build(tn_module *module, uint32_t n, const tn_node *const *stmts,
                                    const tn_node **out_func, const tn_node **out_inputs,
                                    const tn_node **out_sizes);

/// The function with the buffer of parameter `input` for that of parameter `output` too, which is no
/// parameter any more. NULL where an element could be read after it was written.
const tn_node *tn_fuse_inplace(tn_ir *ir, const tn_node *func, uint32_t input, uint32_t output);

#endif
