/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the files of this room share and nobody else sees. */
#ifndef TN_IR_IR_PRIV_H
#define TN_IR_IR_PRIV_H

#include "ir/ir.h"

/// NONE has this id in every tn_ir: it is the first node made.
enum { TN_NONE_ID = 0 };

static inline uint64_t tn_node_to_word(const tn_node *n) { return (uint64_t)(uintptr_t)n; }
static inline const tn_node *tn_node_from_word(uint64_t word) {
  return (const tn_node *)(uintptr_t)word;
}
static inline tn_op_class tn_node_class(const tn_node *n) {
  return tn_op_info_get((tn_op)n->op)->cls;
}

/// Sets the sticky NO_MEMORY state for memory that the arena does not count (arrays).
void tn_ir_set_exhausted(tn_ir *ir);
/// A new node even when nothing differs, unless the kind is interned. Carries the source position.
const tn_node *tn_node_copy(tn_ir *ir, const tn_node *n, uint32_t n_in, const tn_node *const *in);
/// The registered source (1-based), or NULL: its name and text.
const char *tn_ir_source_name(const tn_ir *ir, uint32_t source);
const char *tn_ir_source_text(const tn_ir *ir, uint32_t source, size_t *out_len);

/// What happens to a buffer's data variable and to the variables in its shape at the place that
/// binds it.
typedef enum tn_buffer_binder {
  TN_BUFFER_OF_PARAM, /* PRIM_FUNC and MATCH: both are bound here when they are new */
  TN_BUFFER_OF_ALLOC, /* BLOCK's allocs: the data variable is bound here, the shape uses variables
                       */
  TN_BUFFER_OF_DECL   /* DECL: both are uses */
} tn_buffer_binder;

/// Adds the ids of all leaves (VAR, GVAR, BUFFER, LABEL) that are bound somewhere in root. A
/// variable of a shape that is met first where it can be bound counts as bound there.
void tn_bound_leaves(const tn_node *root, tn_map *ids);

/// Children of up to this number are gathered on the stack.
enum { TN_FEW = 10 };
typedef struct tn_children {
  const tn_node *few[TN_FEW];
  const tn_node **in; /* few, or the heap's */
} tn_children;
void tn_children_init(tn_children *children, uint32_t n);
void tn_children_deinit(tn_children *children);

#endif
