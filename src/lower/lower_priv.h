/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside lower: what the passes share. A pass works on one function at a time, bottom-up or with
 * its own recursion over statements, and hands back the new function. */
#ifndef TN_LOWER_LOWER_PRIV_H
#define TN_LOWER_LOWER_PRIV_H

#include "arith/arith.h"
#include "ir/ir.h"
#include "lower/lower.h"
#include "tir/tir.h"

#define PASS(name, level, doc) \
  tn_status tn_pass_##name(tn_module *module, const tn_pass_opts *opts);
#include "lower/passes.def"
#undef PASS

/// One function in, one out (the same when nothing changes).
typedef tn_status (*tn_lower_fn)(tn_ir *ir, const tn_node *func, const tn_node **out_func);
/// Runs fn on every PRIM_FUNC (or on opts->func alone).
TN_MUST_USE tn_status tn_lower_each(tn_module *module, const tn_pass_opts *opts, tn_lower_fn fn);

const tn_node *tn_lower_with_body(tn_ir *ir, const tn_node *func, const tn_node *body);
const tn_node *tn_lower_if(tn_ir *ir, const tn_node *cond, const tn_node *then);
const tn_node *tn_lower_bind(tn_ir *ir, const tn_node *var, const tn_node *value);
const tn_node *tn_lower_decl(tn_ir *ir, const tn_node *buffer);
/// A cast to dtype; none where it has it, literals at once.
const tn_node *tn_lower_cast(tn_ir *ir, tn_dtype dtype, const tn_node *value);
/// value in all lanes; itself when it has them.
const tn_node *tn_lower_broadcast(tn_ir *ir, const tn_node *value, uint32_t lanes);
void tn_lower_map_set(tn_map *map, const tn_node *key, const tn_node *value);
const tn_node *tn_lower_map_find(const tn_map *map, const tn_node *key);

/// What the pass simplify makes of a statement, given what arith knows of its place.
const tn_node *tn_lower_simplify(tn_ir *ir, tn_arith *arith, const tn_node *stmt);

/// Where a LOAD or STORE has its indices and its predicate.
static inline uint32_t tn_lower_first_index(const tn_node *n) {
  return tn_is(n, TN_OP_LOAD) ? (uint32_t)TN_LOAD_INDICES : (uint32_t)TN_STORE_INDICES;
}
static inline bool tn_lower_is_access(const tn_node *n) {
  return tn_is(n, TN_OP_LOAD) || tn_is(n, TN_OP_STORE);
}

/// A LOAD or STORE of another buffer at other indices; predicate and value stay.
const tn_node *tn_lower_access_with(tn_ir *ir, const tn_node *access, const tn_node *buffer,
                                    uint32_t n_indices, const tn_node *const *indices);
/// Row-major strides of a buffer, its own or those of its shape, into out (at least TN_MAX_NDIM);
/// all of type dtype.
void tn_lower_strides(tn_ir *ir, const tn_node *buffer, tn_dtype dtype, const tn_node **out);
/// a op b with literals folded and the neutral elements left out.
const tn_node *tn_lower_add(tn_ir *ir, const tn_node *a, const tn_node *b);
const tn_node *tn_lower_mul(tn_ir *ir, const tn_node *a, const tn_node *b);

#endif
