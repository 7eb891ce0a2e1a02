/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: making blocks, buffers and nests, and what primitives that copy or move need to know
 * of a scope: who touches a buffer, where in the text, and which box a statement touches. */
#ifndef TN_SCHED_REWRITE_H
#define TN_SCHED_REWRITE_H

#include "arith/sets.h"
#include "sched/sched_priv.h"

/* ---- making ---- */

const tn_node *tn_iter_new(tn_ir *ir, int64_t kind, const tn_node *var, const tn_node *min,
                           const tn_node *extent, const tn_node *binding);
/// a op b, folded where both are known; index types may differ, the wider one wins.
const tn_node *tn_index_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b);
/// A result of a LAMBDA with vars for its parameters, counted in the type of the vars where that is
/// wider.
const tn_node *tn_index_map(tn_ir *ir, const tn_node *lambda, uint32_t result,
                            const tn_node *const *vars);
const tn_node *tn_index_cast(tn_ir *ir, tn_dtype dtype, const tn_node *a);
/// A BLOCK without views and memory of its own, regions inferred. init: NULL for none.
TN_MUST_USE tn_status tn_block_new(tn_sched *s, const tn_node *label, uint32_t n_iters,
                                   const tn_node *const *iters, const tn_node *predicate,
                                   const tn_node *init, const tn_node *body,
                                   const tn_node **out_block);
/// The block, and those inside, with the regions that their bodies have.
TN_MUST_USE tn_status tn_block_reinfer(tn_sched *s, const tn_node *block,
                                       const tn_node **out_block);
/// Serial loops from 0 around a statement, vars[0] outermost. A var may be NULL: no loop.
const tn_node *tn_loops_around(tn_ir *ir, uint32_t n, const tn_node *const *vars,
                               const tn_node *const *extents, const tn_node *body);
/// The extent of a loop as the extent of memory: what may be negative becomes max(extent, 0). A
/// variable counts as a size.
const tn_node *tn_extent_to_size(tn_ir *ir, const tn_node *extent);
/// A compact buffer of that name; ndim 0 and shape NULL: the shape of `like`. scope NULL: of `like`.
const tn_node *tn_buffer_like(tn_ir *ir, const tn_node *like, const char *name, uint32_t ndim,
                              const tn_node *const *shape, const char *scope);
/// All of `root` with another buffer in the place of one: accesses, regions, views.
const tn_node *tn_swap_buffer(tn_ir *ir, const tn_node *root, const tn_node *from,
                              const tn_node *to);
const tn_node *tn_load_new(tn_ir *ir, const tn_node *buffer, uint32_t n,
                           const tn_node *const *indices);
const tn_node *tn_store_new(tn_ir *ir, const tn_node *buffer, const tn_node *value, uint32_t n,
                            const tn_node *const *indices);
/// A map of what a block's axes are bound to, or the values given (one an axis).
void tn_map_axes(tn_map *map, const tn_node *block, const tn_node *const *values);

/* ---- changing ---- */

/// The memory of a scope. scope NULL: a function without a root block, which gets one.
TN_MUST_USE tn_status tn_sched_add_alloc(tn_sched *s, const tn_tree *tree, const tn_node *scope,
                                         const tn_node *buffer);
TN_MUST_USE tn_status tn_sched_drop_alloc(tn_sched *s, const tn_node *buffer);
/// Puts a statement before or after one that is there.
TN_MUST_USE tn_status tn_sched_insert(tn_sched *s, const tn_node *at, const tn_node *stmt,
                                      bool is_before);
/// Regions anew of the blocks around the one with that label.
TN_MUST_USE tn_status tn_sched_fix_around(tn_sched *s, const tn_node *label);
/// The function with `to` in the place of `from`: indices are `values`, over `vars` as those that
/// were, simplified; regions anew. Refused where it is used otherwise than element by element.
TN_MUST_USE tn_status tn_sched_relayout(tn_sched *s, const tn_tree *tree, const tn_node *from,
                                        const tn_node *to, uint32_t n_old,
                                        const tn_node *const *vars, uint32_t n_new,
                                        const tn_node *const *values);
/// The BLOCK or FOR of a handle as it is now.
const tn_node *tn_sched_site(tn_sched *s, const tn_node *handle);

/* ---- a scope ---- */

/// The statement that a scope's blocks stand in; scope NULL: of a function without a root block.
const tn_node *tn_scope_body(const tn_tree *tree, const tn_node *scope);
/// Blocks of the scope that read, or write, a buffer; returns how many (at most
/// TN_SCHED_MAX_BLOCKS), in text order.
uint32_t tn_scope_users(const tn_tree *tree, const tn_node *scope, const tn_node *buffer,
                        bool are_writers, const tn_node *out[TN_SCHED_MAX_BLOCKS]);
/// Nothing but the regions of the scope's blocks touches the buffer: no statement, binding or
/// condition outside of blocks, no second name of its memory.
TN_MUST_USE tn_status tn_scope_only_blocks_touch(tn_sched *s, const tn_tree *tree,
                                                 const tn_node *scope, const tn_node *buffer);
/// Every leaf of the scope's nest is a block.
TN_MUST_USE tn_status tn_scope_only_blocks(tn_sched *s, const tn_tree *tree, const tn_node *scope);
/// A buffer that comes from outside: it holds something.
bool tn_tree_is_parameter(const tn_tree *tree, const tn_node *buffer);
bool tn_scope_allocates(const tn_node *scope, const tn_node *buffer);
/// Place in tree->blocks.
size_t tn_tree_place(const tn_tree *tree, const tn_node *block);
/// The innermost statement around all of these.
const tn_node *tn_tree_common(const tn_tree *tree, uint32_t n, const tn_node *const *stmts);
/// The child of `around` in which `inner` is.
const tn_node *tn_tree_child_with(const tn_tree *tree, const tn_node *around, const tn_node *inner);

/* ---- boxes ---- */

typedef struct tn_box {
  uint32_t n;
  const tn_node *mins[TN_MAX_NDIM]; /* over what is around the statement */
  const tn_node *extents[TN_MAX_NDIM];
} tn_box;

/// The box of what the blocks in `stmt` read, or write, of a buffer (all that they touch is inside);
/// false when they do not.
TN_MUST_USE tn_status tn_stmt_box(tn_sched *s, const tn_tree *tree, const tn_node *stmt,
                                  const tn_node *buffer, bool is_write, tn_box *out,
                                  bool *out_is_found);
/// A copy in the box: serial loops ax0, ax1 ... around a block with axes v0, v1 ... over the whole
/// shape, with a condition where the box may leave it.
typedef struct tn_copy {
  const tn_node *label;
  const tn_node *shape;             /* of the axes: a LIST, one a dimension of the box */
  const tn_node *axes[TN_MAX_NDIM]; /* v0, v1 ... : made by tn_copy_init */
  const tn_node *loops[TN_MAX_NDIM];
} tn_copy;
void tn_copy_init(tn_copy *copy, tn_ir *ir, const tn_node *label, const tn_node *shape);
/// around: the statement in which the nest will stand (ranges of it and around are known); or NULL.
TN_MUST_USE tn_status tn_copy_nest(tn_sched *s, const tn_tree *tree, const tn_node *around,
                                   const tn_copy *copy, const tn_box *box, const tn_node *body,
                                   const tn_node **out_nest);

/* ---- proofs ---- */

/// Does a block at each step write all elements of the regions that it declares to write?
bool tn_block_writes_all(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// Does its body name all elements of the regions that it declares to read?
bool tn_block_reads_all(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// As tn_block_writes_all, and whether the step is done at all depends on loops alone.
bool tn_step_is_sure(tn_sched *s, const tn_tree *tree, const tn_node *step);
/// Whatever the nests in `part` touch of the buffer (reads or writes), one in `whole` writes.
/// Variables around `around` have one value in both. Blocks that may leave out a part of what
/// they declare do not count as writers.
TN_MUST_USE tn_status tn_prove_written(tn_sched *s, const tn_tree *tree, const tn_node *around,
                                       const tn_node *part, bool part_writes, const tn_node *whole,
                                       const tn_node *buffer);
/// The elements of a footprint are all written by `whole`: of a reduction with no step none is.
TN_MUST_USE tn_status tn_prove_print_written(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                                             const tn_node *buffer, const tn_footprint *part);
/// The elements of a box that are inside of the shape are all written by `whole`.
TN_MUST_USE tn_status tn_prove_box_written(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                                           const tn_node *buffer, const tn_box *box);
/// They are all read by blocks in `whole`.
TN_MUST_USE tn_status tn_prove_box_read(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                                        const tn_node *buffer, const tn_box *box);

#endif
