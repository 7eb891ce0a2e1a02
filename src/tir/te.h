/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions inside Tenon: what tenon/te.h gives every user (a tensor is its BUFFER, an axis
 * and a size are VARs, a value is an expression), and what needs the node engine besides. Not an IR
 * of its own: each tn_te_end emits a block in its loops at once.
 *
 *   tn_te_begin(te, "T_add", ndim, shape);            // no statuses: the first problem is kept
 *   value = tn_te_op(te, TN_OP_ADD, tn_te_read(...), tn_te_read(...));
 *   out = tn_te_end(te, value);
 *   TN_TRY(tn_te_prim_func(te, "add", false, 3, params, &func)); */
#ifndef TN_TIR_TE_H
#define TN_TIR_TE_H

#include "tenon/te.h"
#include "tir/tir.h"

/// A builder whose nodes live in ir (borrowed).
tn_te *tn_te_new(tn_ir *ir);
tn_ir *tn_te_ir(const tn_te *te);
/// Keeps st (consumed) as the builder's problem when it is the first; returns whether the builder
/// is still sound.
bool tn_te_keep(tn_te *te, tn_status st);
/// Why the builder is not sound: the problem kept; NULL when there is none. The caller owns it.
TN_MUST_USE tn_status tn_te_take_status(tn_te *te);

/* ---- tensors that are written piecewise ---- */

/// A tensor without a formula: tn_te_end_into and tn_te_extern write it.
const tn_node *tn_te_declare(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                             const tn_node *const *shape);
/// Makes dimension d of the tensor begun one whose steps run in order, since they read what earlier
/// ones wrote.
void tn_te_scan(tn_te *te, uint32_t d);
/// All axes of the tensor begun, spatial ones first.
const tn_node *const *tn_te_axes(tn_te *te);
/// Ends the block begun: tensor[indices] = value. init: what is stored before the first step of the
/// reduce axes, else NULL.
void tn_te_end_into(tn_te *te, const tn_node *tensor, const tn_node *const *indices,
                    const tn_node *value, const tn_node *init);
/// The same with a reduction's own step and initial value: tensor[indices] = the values of all
/// reduce axes together.
void tn_te_end_reduce_into(tn_te *te, tn_te_reduction reduction, const tn_node *tensor,
                           const tn_node *const *indices, const tn_node *value);
/// A block around a statement of one's own that writes tensors that were declared; its regions come
/// from what it does.
void tn_te_extern(tn_te *te, const char *name, const tn_node *body);

/* ---- values ---- */

/// tn_te_read with as many indices as the tensor has dimensions.
const tn_node *tn_te_load(tn_te *te, const tn_node *tensor, const tn_node *const *indices);
const tn_node *tn_te_op(tn_te *te, tn_op op, const tn_node *a, const tn_node *b);
const tn_node *tn_te_intrin(tn_te *te, tn_intrin_id id, uint32_t n_args,
                            const tn_node *const *args);

/* ---- the function ---- */

/// A PRIM_FUNC that is the caller's alone. is_public: it has a "global_symbol".
TN_MUST_USE tn_status tn_te_prim_func(tn_te *te, const char *name, bool is_public,
                                      uint32_t n_params, const tn_node *const *params,
                                      const tn_node **out_func);

#endif
