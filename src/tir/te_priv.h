/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: the builder's own tables, and what its three files share: te.c (tensors and
 * functions), te_expr.c (values), te_block.c (blocks and loops). */
#ifndef TN_TIR_TE_PRIV_H
#define TN_TIR_TE_PRIV_H

#include "base/check.h"
#include "tir/te.h"

/// Of a formula; the loops and blocks around it come on top of that.
enum { TE_MAX_DEPTH = TN_MAX_DEPTH / 2 };

/// Loops and the axes that a block binds to them, outermost first.
typedef struct tn_te_nest {
  uint32_t n_spatial;
  uint32_t n_reduce;
  int32_t scan; /* the axis whose steps run in order; -1: none */
  const tn_node *extents[2 * TN_MAX_NDIM];
  const tn_node *loops[2 * TN_MAX_NDIM];
  const tn_node *axes[2 * TN_MAX_NDIM];
} tn_te_nest;

typedef struct tn_te_tensor {
  const tn_node *buffer;
  bool is_input;
  bool is_written; /* by a stage */
} tn_te_tensor;

/// A statement that writes tensors; those it reads were written by stages before it or are inputs.
typedef struct tn_te_stage {
  const char *name; /* of its first block; unique */
  const tn_node *stmt;
  TN_VEC(uint32_t) reads; /* places among the tensors */
  TN_VEC(uint32_t) writes;
} tn_te_stage;

typedef struct tn_te_variable {
  const tn_node *var;
  const char *tensor; /* whose axis it is; NULL: a size or number */
  bool is_reduce;
  bool is_local; /* bound inside its block */
} tn_te_variable;

struct tn_te {
  tn_ir *ir;
  bool owns_ir;
  tn_status st;       /* the first problem; owned */
  bool has_failed;    /* stays when st is taken */
  bool has_made_func; /* its statements have a parent: the next one gets copies */
  TN_VEC(tn_te_tensor) tensors;
  TN_VEC(tn_te_stage) stages;
  TN_VEC(tn_te_variable) variables;
  tn_map tensor_at;   /* id of a BUFFER -> its place */
  tn_map variable_at; /* id of a VAR -> its place */
  tn_map names;       /* hash of a name that is taken -> 0 */
  const char *open;   /* name of the tensor begun; NULL: none */
  bool is_nonempty;   /* its reduce axes are promised to be */
  tn_te_nest nest;    /* of the tensor begun */
};

/* ---- te.c ---- */

/// What stands for a value that could not be built.
const tn_node *tn_te_nothing(tn_te *te);
/// Keeps a problem, named after the tensor begun; returns tn_te_nothing.
const tn_node *tn_te_fail(tn_te *te, tn_status st);
/// The tensor that is this BUFFER; NULL: none of the builder's.
tn_te_tensor *tn_te_find_tensor(tn_te *te, const tn_node *buffer);

const tn_node *tn_te_add_tensor(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                                const tn_node *const *shape, bool is_input);
/// tensor: whose axis it is, NULL: a size or number.
void tn_te_add_variable(tn_te *te, const tn_node *var, const char *tensor, bool is_reduce);
/// NULL: none of the builder's.
const tn_te_variable *tn_te_find_variable(const tn_te *te, const tn_node *var);
/// INVALID when it is not made of letters, digits and '_'.
TN_MUST_USE tn_status tn_te_check_name(const char *what, const char *name);
/// name, or name_1, name_2 ... when it is taken; takes it.
const char *tn_te_take_name(tn_te *te, const char *name);
/// True when a tensor has begun; else that is a problem.
bool tn_te_is_open(tn_te *te);

/* ---- te_end.c ---- */

/// INVALID when an extent is made of more than numbers and sizes.
TN_MUST_USE tn_status tn_te_check_extent_uses(tn_te *te, const tn_node *extent);
/// Adds a stage that writes `n` tensors; takes over its lists.
TN_MUST_USE tn_status tn_te_push_stage(tn_te *te, tn_te_stage *stage, const tn_node *stmt,
                                       uint32_t n, const tn_node *const *tensors);
void tn_te_stage_deinit(tn_te_stage *stage);

/* ---- te_block.c ---- */

/// New loops and axes for the same extents.
void tn_te_nest_fresh(tn_ir *ir, const tn_te_nest *from, tn_te_nest *out);
/// The same statement over other axes.
const tn_node *tn_te_nest_move(tn_ir *ir, const tn_node *stmt, const tn_te_nest *from,
                               const tn_te_nest *to);
/// True when the reduce axes may have no step at all, so that an init in the block would not run.
bool tn_te_nest_may_be_empty(const tn_te_nest *nest);
/// The block of the nest; init may be NULL.
TN_MUST_USE tn_status tn_te_block_new(tn_ir *ir, const char *name, const tn_te_nest *nest,
                                      const tn_node *body, const tn_node *init,
                                      const tn_node **out);
const tn_node *tn_te_nest_loops(tn_ir *ir, const tn_te_nest *nest, const tn_node *body);
/// The block "root" with the buffers that a function keeps inside.
const tn_node *tn_te_root_block(tn_ir *ir, uint32_t n_allocs, const tn_node *const *allocs,
                                const tn_node *body);

#endif
