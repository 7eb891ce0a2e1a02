/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What operators share: questions about the types of a call's arguments, broadcasting, and their
 * loop-level form, which is tensor expressions (tir/te.h) over the arguments and the result.
 *
 *   static tn_status build_twice(tn_kernel *k, const tn_node *type) { // k->buffers: the arguments
 *     const tn_node *out = NULL;
 *     TN_TRY(tn_kernel_begin_elementwise(k, type, &out));             // block axes: k->axes
 *     const tn_node *x = tn_te_load(k->te, k->buffers.data[0], k->axes);
 *     tn_te_end_into(k->te, out, k->axes, tn_te_add(k->te, x, x), NULL);
 *     return NULL;
 *   }
 *   ... tn_kernel_make(ir, call, "twice", build_twice, &func) ... */
#ifndef TN_OPS_KERNEL_H
#define TN_OPS_KERNEL_H

#include "graph/graph.h"
#include "ops/ops.h"
#include "tir/te.h"

/* ---- types ---- */

/// The TY_TENSOR of argument i; INVALID when it is none.
TN_MUST_USE tn_status tn_op_arg_type(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                                     const tn_node **out);
/// The TY_TUPLE of argument i, which holds tensors alone; INVALID when it is none or empty.
TN_MUST_USE tn_status tn_op_tuple_type(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                                       const tn_node **out);
/// The shape LIST, or NULL when unknown.
static inline const tn_node *tn_op_shape(const tn_node *type) {
  return tn_is_none(type->in[TN_TY_TENSOR_SHAPE]) ? NULL : type->in[TN_TY_TENSOR_SHAPE];
}
/// The shape of a op b by NumPy's rule, NULL when it cannot be known; *out_ndim: its rank or -1.
/// INVALID names the extents that disagree.
TN_MUST_USE tn_status tn_op_broadcast(tn_ir *ir, const char *name, const tn_node *a,
                                      const tn_node *b, int64_t *out_ndim,
                                      const tn_node **out_shape);
/// An axis in [-ndim, ndim) as one in [0, ndim).
TN_MUST_USE tn_status tn_op_axis(const char *name, int64_t axis, int64_t ndim, int64_t *out);
/// The values of an INTS field; n = -1 when it is left out. At most TN_MAX_NDIM.
TN_MUST_USE tn_status tn_op_ints(const tn_node *call, int32_t field, int64_t *out, int32_t *out_n);
/// Fields, or their defaults as the table of ops.c has them.
int64_t tn_op_int(const tn_node *call, int32_t field); /* BOOL too */
double tn_op_float(const tn_node *call, int32_t field);
/// A STR field, "" when it is left out.
const char *tn_op_text(const tn_node *call, int32_t field);
TN_MUST_USE tn_status tn_op_dtype_field(const tn_node *call, int32_t field, tn_dtype otherwise,
                                        tn_dtype *out);
/// INVALID when both dtypes are known and differ / when it is known and no float's.
TN_MUST_USE tn_status tn_op_same_dtype(const tn_node *a, const tn_node *b);
TN_MUST_USE tn_status tn_op_want_float(const tn_node *type);
/// INVALID when the rank is known and another one.
TN_MUST_USE tn_status tn_op_rank(const tn_node *type, int64_t ndim, const char *what);
/// INVALID when two extents are certainly different; names both.
TN_MUST_USE tn_status tn_op_same_extent(tn_ir *ir, const tn_node *a, const char *what_a,
                                        const tn_node *b, const char *what_b);
const tn_node *tn_op_simplify(tn_ir *ir, const tn_node *expr);

/// The TY_TENSOR of a reduction of `type`, whose rank is known: reduced dimensions left out or
/// (keeps) of extent 1.
const tn_node *tn_op_reduced_type(tn_ir *ir, const tn_node *type, tn_dtype dtype,
                                  const bool *is_reduced, bool keeps);

/* ---- loop-level form ---- */

/// A function being built: tensor expressions, and what operators know beside them.
typedef struct tn_kernel {
  tn_ir *ir;
  tn_te *te;
  const tn_node *call;
  tn_map sizes;                    /* id of a graph-level extent -> the function's own VAR */
  TN_VEC(const tn_node *) buffers; /* tensors: the arguments, then the results */
  uint32_t n_results;
  uint32_t n_spatial;         /* of the block begun */
  const tn_node *const *axes; /* its axes, spatial ones first */
} tn_kernel;

/// The whole of an operator's `lower`, a private PRIM_FUNC: makes a tensor for each argument and
/// each item of a tuple of them, then build gets the result's type. UNSUPPORTED when a shape or
/// dtype is unknown.
TN_MUST_USE tn_status tn_kernel_make(tn_ir *ir, const tn_node *call, const char *name,
                                     tn_status (*build)(tn_kernel *k, const tn_node *type),
                                     const tn_node **out_func);
/// The tensor for a result, which blocks have to write; they come after the arguments, in order.
TN_MUST_USE tn_status tn_kernel_result(tn_kernel *k, const tn_node *type,
                                       const tn_node **out_tensor);
/// tn_te_begin with so many reduce axes; extents: those of tensors.
void tn_kernel_begin(tn_kernel *k, const char *name, uint32_t n_spatial,
                     const tn_node *const *spatial, uint32_t n_reduce,
                     const tn_node *const *reduce);
/// A result's tensor, and a block over all its elements.
TN_MUST_USE tn_status tn_kernel_begin_elementwise(tn_kernel *k, const tn_node *type,
                                                  const tn_node **out_tensor);
/// A block with the kept dimensions of tensor `x` as spatial and the others as reduce axes.
void tn_kernel_begin_reduction(tn_kernel *k, const char *name, const tn_node *x,
                               const bool *is_reduced);
/// Its axes as an index of x.
void tn_kernel_whole_index(const tn_kernel *k, uint32_t ndim, const bool *is_reduced,
                           const tn_node **indices);
/// Its spatial axes as an index of the result, reduced dimensions left out or (is_kept) 0. Returns
/// how many.
uint32_t tn_kernel_kept_index(const tn_kernel *k, uint32_t ndim, const bool *is_reduced,
                              bool is_kept, const tn_node **indices);
/// The element of a broadcast operand: its index is the last spatial axes, 0 where its extent is 1.
const tn_node *tn_kernel_load_broadcast(tn_kernel *k, const tn_node *tensor);
/// The same with the last of `n` axes.
const tn_node *tn_kernel_load_part(tn_kernel *k, const tn_node *tensor, const tn_node *const *axes,
                                   uint32_t n);
/// Is `value` the one that tn_te_maximum (tn_te_minimum) of it and others gave, or one of several?
const tn_node *tn_kernel_is_extremum(tn_kernel *k, const tn_node *value, const tn_node *extremum);

/* ---- statements of one's own, for tn_te_extern ---- */

/// buffer[at] = value, converted; a mistake is kept as the builder's problem.
const tn_node *tn_kernel_store(tn_kernel *k, const tn_node *buffer, const tn_node *value,
                               uint32_t n, const tn_node *const *at);
/// A serial loop from 0 to extent - 1.
const tn_node *tn_kernel_loop(tn_kernel *k, const tn_node *var, const tn_node *extent,
                              const tn_node *body);
/// `then` where cond holds.
const tn_node *tn_kernel_when(tn_kernel *k, const tn_node *cond, const tn_node *then);

#endif
