/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Passes from graph to loops, and from loops with blocks to the lowered form that code generators take.
 *
 * Lowered form of a PRIM_FUNC (checked by tn_lowered_verify):
 *   - no BLOCK, ITER, REGION, MATCH; loop kinds SERIAL, PARALLEL, UNROLLED (a hint that is left where the extent is not constant)
 *   - every BUFFER accessed has one dimension; indices are int32 or int64 elements counted from its data pointer + elem_offset already added;
 *     vector accesses have a RAMP or a general vector index, the buffer keeps its scalar element type
 *   - scratch memory comes from ALLOC (constant extents: may live on the stack; scope "local" always does when at most 64 KiB), released at the end of its SEQ
 *   - params and buffers of the function are untouched: the entry check reads shapes and strides from them
 *
 * Rows of lower/passes.def: lower_blocks, flatten_buffers, vectorize_loops, unroll_loops, simplify, remove_no_op, legalize_graph. */
#ifndef TN_LOWER_LOWER_H
#define TN_LOWER_LOWER_H

#include "ir/ir.h"

const tn_pass *tn_lower_passes(uint32_t *out_n);
void tn_lowered_verify(const tn_ir *ir, const tn_node *func, tn_diags *diags);

#endif
