/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Passes from graph to loops, and from loops with blocks to the lowered form that code generators
 * take. The order for loops:
 *
 *   lower_blocks      blocks -> loops, ifs, allocations
 *   compact_buffers   scratch memory where it is needed, as large as needed
 *   flatten_buffers   one index an access
 *   simplify          the indices, with the loops' ranges: what vectorize_loops has to see through
 *   partition_loops   bulk and rest of loops with conditions
 *   vectorize_loops   lanes, or a serial loop
 *   unroll_loops      copies
 *   simplify          the copies' constants and the vectors' ramps
 *   remove_no_op      what became unused
 *
 * Lowered form of a PRIM_FUNC (checked by tn_lowered_verify):
 *   - no BLOCK, ITER, REGION, MATCH; loop kinds SERIAL, PARALLEL, UNROLLED (a hint that is left
 *     where the extent is not constant)
 *   - every BUFFER accessed has one dimension; indices are int32 or int64 elements counted from its
 *     data pointer, elem_offset already added; vector accesses have a RAMP or a general vector
 *     index, the buffer keeps its scalar element type
 *   - scratch memory comes from ALLOC (constant extents: may live on the stack; scope "local"
 *     always does when at most 64 KiB), released at the end of its SEQ
 *   - params and buffers of the function are untouched: the entry check reads shapes and strides
 *     from them
 *
 * Rows of lower/passes.def: those above and legalize_graph. */
#ifndef TN_LOWER_LOWER_H
#define TN_LOWER_LOWER_H

#include "ir/ir.h"

/// The table, lower/passes.def.
const tn_pass *tn_lower_passes(uint32_t *out_n);
/// Reports what is not in the lowered form; the rules of tn_tir_verify are not repeated.
void tn_lowered_verify(const tn_ir *ir, const tn_node *func, tn_diags *diags);

#endif
