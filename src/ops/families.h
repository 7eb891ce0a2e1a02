/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Declares, for each family of ops.def, its three functions: type rule, reference, loop-level form.
 */
#ifndef TN_OPS_FAMILIES_H
#define TN_OPS_FAMILIES_H

#include <string.h>

#include "graph/graph.h"

#define FAMILY(family)                                                                            \
  tn_status tn_op_infer_##family(const tn_infer_ctx *ctx, const tn_node *call,                    \
                                 const tn_node **out_type);                                       \
  tn_status tn_op_eval_##family(const tn_node *call, const tn_array *const *args, int32_t n_args, \
                                tn_array *out);                                                   \
  tn_status tn_op_lower_##family(tn_ir *ir, const tn_node *call, const tn_node **out_func);
FAMILY(binary)
FAMILY(unary)
FAMILY(astype)
FAMILY(matmul)
FAMILY(permute_dims)
FAMILY(reshape)
FAMILY(reduce)
FAMILY(softmax)
FAMILY(log_softmax)
FAMILY(flatten)
FAMILY(move)
FAMILY(create)
FAMILY(concat)
FAMILY(split)
FAMILY(take)
FAMILY(where)
FAMILY(one_hot)
FAMILY(prelu)
FAMILY(arg)
FAMILY(cumsum)
FAMILY(conv)
FAMILY(pool)
FAMILY(adaptive_pool)
FAMILY(batch_norm)
FAMILY(layer_norm)
FAMILY(deviation)
#undef FAMILY

#endif
