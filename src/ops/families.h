/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Declares, for each family of ops.def, its tn_op_flags and its three functions: type rule,
 * reference, loop-level form. */
#ifndef TN_OPS_FAMILIES_H
#define TN_OPS_FAMILIES_H

#include <string.h>

#include "graph/graph.h"

/// For references: the larger and the smaller of two numbers, of two zeros a; NaN where either is.
double tn_op_maximum(double a, double b);
double tn_op_minimum(double a, double b);

#define FAMILY(family, flags_)                                                                    \
  enum { TN_OP_FLAGS_##family = (flags_) };                                                       \
  tn_status tn_op_infer_##family(const tn_infer_ctx *ctx, const tn_node *call,                    \
                                 const tn_node **out_type);                                       \
  tn_status tn_op_eval_##family(const tn_node *call, const tn_array *const *args, int32_t n_args, \
                                tn_array *out);                                                   \
  tn_status tn_op_lower_##family(tn_ir *ir, const tn_node *call, const tn_node **out_func);
FAMILY(binary, 0)
FAMILY(unary, 0)
FAMILY(astype, TN_OPD_MOVES)
FAMILY(matmul, 0)
FAMILY(permute_dims, TN_OPD_MOVES)
FAMILY(reshape, TN_OPD_MOVES)
FAMILY(reduce, 0)
FAMILY(softmax, 0)
FAMILY(log_softmax, 0)
FAMILY(flatten, TN_OPD_MOVES)
FAMILY(move, TN_OPD_MOVES)
FAMILY(create, TN_OPD_MOVES)
FAMILY(concat, TN_OPD_MOVES)
FAMILY(split, TN_OPD_MOVES)
FAMILY(take, TN_OPD_MOVES)
FAMILY(where, TN_OPD_MOVES)
FAMILY(one_hot, 0)
FAMILY(prelu, 0)
FAMILY(arg, 0)
FAMILY(cumsum, 0)
FAMILY(conv, 0)
FAMILY(pool, 0)
FAMILY(adaptive_pool, 0)
FAMILY(batch_norm, 0)
FAMILY(attention, 0)
FAMILY(layer_norm, 0)
FAMILY(deviation, 0)
FAMILY(dropout, 0)
FAMILY(gather_elements, TN_OPD_MOVES)
FAMILY(gather_nd, TN_OPD_MOVES)
FAMILY(index_tensor, TN_OPD_MOVES)
FAMILY(scatter_elements, TN_OPD_MOVES)
FAMILY(scatter_nd, TN_OPD_MOVES)
FAMILY(sort, 0)
FAMILY(quant, TN_OPD_MOVES)
FAMILY(conv_transpose, 0)
FAMILY(group_norm, 0)
FAMILY(resize, 0)
FAMILY(einsum, 0)
FAMILY(sequence, TN_OPD_MOVES)
FAMILY(stack, TN_OPD_MOVES)
FAMILY(meshgrid, TN_OPD_MOVES)
FAMILY(rnn, 0)
FAMILY(nonzero, 0)
FAMILY(take_first, TN_OPD_MOVES)
FAMILY(nms, 0)
FAMILY(grid_sample, 0)
FAMILY(fma, 0)
FAMILY(masked_fill, 0)
FAMILY(outer, 0)
FAMILY(tree_ensemble, 0)
FAMILY(bitcast, TN_OPD_MOVES)
FAMILY(det, 0)
FAMILY(pool_places, 0)
FAMILY(random, 0)
FAMILY(roi_align, 0)
FAMILY(roi_pool, 0)
#undef FAMILY

#endif
