/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside sched: how a primitive is written. It gets checked arguments, looks at the function through
 * a tn_tree, refuses with a reason or builds the new function and puts it in place.
 *
 *   tn_status tn_prim_parallel(tn_sched *s, tn_prim_call *call) {
 *     const tn_tree *tree = tn_sched_tree(s, call->args[0]);
 *     const tn_node *loop = tn_tree_site(tree, call->args[0]);        // the FOR
 *     TN_TRY(... legality ...);                                       // returns tn_refuse(...)
 *     return tn_sched_replace(s, loop, new_loop);
 *   }
 *
 * A primitive may change the function in several replacements: when it fails in the middle,
 * tn_sched_apply puts the old program back. */
#ifndef TN_SCHED_SCHED_PRIV_H
#define TN_SCHED_SCHED_PRIV_H

#include "arith/arith.h"
#include "base/check.h"
#include "base/rng.h"
#include "sched/sched.h"
#include "tir/tir.h"

/* ---- primitives ---- */

typedef struct tn_prim_call {
  const tn_prim *prim;
  uint32_t n_args;
  const tn_node **args; /* one a parameter, types checked, sampled numbers as INTs; handles name
                           what is there. A sampling primitive puts its decision here */
  const tn_node *out;   /* NONE until set */
} tn_prim_call;

#define PRIM(name, kind, params, result, doc) \
  tn_status tn_prim_##name(tn_sched *s, tn_prim_call *call);
#include "sched/prims.def"
#undef PRIM

/* ---- a function seen as a tree ---- */

/// Where everything is in one function; good until the function is replaced.
typedef struct tn_tree {
  const char *name; /* of the function */
  const tn_node *func;
  const tn_node *root; /* the root BLOCK, or the body where there is none */
  tn_map parent;       /* id of a statement -> the statement around it (PRIM_FUNC for the body) */
  tn_map site;         /* id of a VAR or LABEL -> its FOR or BLOCK */
  TN_VEC(const tn_node *)
  blocks; /* BLOCKs in the order of the text, the root first if there is one */
  TN_VEC(const tn_node *) loops; /* FORs likewise */
} tn_tree;

/// The tree of the function in which a handle is; NULL when it is in none. Asked again after each
/// replacement.
const tn_tree *tn_sched_tree(tn_sched *s, const tn_node *handle);
const tn_tree *tn_sched_tree_of(tn_sched *s, const char *func);
/// The FOR or BLOCK of a handle; NULL when gone.
const tn_node *tn_tree_site(const tn_tree *tree, const tn_node *handle);
/// The statement around; the PRIM_FUNC around the outermost one.
const tn_node *tn_tree_parent(const tn_tree *tree, const tn_node *stmt);
/// The innermost BLOCK around, not stmt itself; NULL when there is none.
const tn_node *tn_tree_scope(const tn_tree *tree, const tn_node *stmt);
/// FORs between a statement and its scope, outermost first; returns how many. stmt itself is not
/// among them.
enum { TN_SCHED_MAX_LOOPS = 64 };
uint32_t tn_tree_loops(const tn_tree *tree, const tn_node *stmt,
                       const tn_node *out[TN_SCHED_MAX_LOOPS]);
/// Is `outer` around `inner` (or the same)?
bool tn_tree_is_around(const tn_tree *tree, const tn_node *outer, const tn_node *inner);
/// The BLOCKs directly in a scope BLOCK or a loop (not those inside other blocks), in text order;
/// returns how many and stores the first `cap`.
uint32_t tn_tree_child_blocks(const tn_node *block_or_loop, uint32_t cap, const tn_node **out);

/* ---- changing ---- */

/// Puts `with` where the statement `old` is; NONE takes it away, together with loops and blocks'
/// branches that would be empty. The function and the module become new ones.
TN_MUST_USE tn_status tn_sched_replace(tn_sched *s, const tn_node *old, const tn_node *with);
/// Puts another function in the place of the one that has this name.
void tn_sched_set_func(tn_sched *s, const char *name, const tn_node *func);
/// A copy of a FOR with another kind, or body; NULL keeps.
const tn_node *tn_for_with(tn_ir *ir, const tn_node *loop, const tn_node *min,
                           const tn_node *extent, const tn_node *body);
const tn_node *tn_for_with_kind(tn_ir *ir, const tn_node *loop, tn_for_kind kind);
/// a && b with true left out. What reads memory comes last: the other may be what keeps its indices
/// inside.
const tn_node *tn_sched_and(tn_ir *ir, const tn_node *a, const tn_node *b);
/// Binds the ranges of a block's axes.
void tn_sched_bind_axes(tn_arith *arith, const tn_node *block);
/// Binds the ranges of the loops and block axes around `stmt`, it included.
void tn_sched_bind_around(const tn_tree *tree, tn_arith *arith, const tn_node *stmt);
/// Simplifies the bindings and predicate of every block below `stmt` (a new statement, not yet in
/// the tree) with the ranges of the loops inside and of those around `around` (included; may be
/// NULL). Used after loops were rewritten.
const tn_node *tn_sched_simplify(tn_sched *s, const tn_tree *tree, const tn_node *around,
                                 const tn_node *stmt);
/// A name for a new VAR, LABEL or BUFFER that the function does not use yet: base, base_1 ...
const char *tn_sched_fresh_name(tn_sched *s, const tn_tree *tree, const char *base);

/// A block goes on under another LABEL: its old handle means that from now on.
void tn_sched_rename(tn_sched *s, const tn_node *old_label, const tn_node *new_label);
/// The handle that is in the program, of one that may have been renamed.
const tn_node *tn_sched_current(tn_sched *s, const tn_node *handle);

/* ---- refusing ---- */

/// The error of a refused step: "split: loop i: <text>\nnote: <hint>". handle may be NULL; hint too.
/// The primitive's name is added by tn_sched_apply.
TN_MUST_USE tn_status tn_refuse(tn_sched *s, const tn_node *handle, const char *hint,
                                const char *fmt, ...) TN_PRINTF(4, 5);

/* ---- what blocks are (blocks.c) ---- */

/// Answers with NULL, or with an error that says which condition fails (not yet wrapped by a
/// primitive). All are about a BLOCK in its scope, definitions in docs/schedules.md.

/// All axes spatial, the only writer of what it writes in its scope, reads none of it.
TN_MUST_USE tn_status tn_block_complete(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// Has an init, spatial and reduce axes, the only writer; no index of what it writes depends on a
/// reduce axis.
TN_MUST_USE tn_status tn_block_reduction(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// One of both.
TN_MUST_USE tn_status tn_block_compact(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// Its bindings are quasi-affine and independent of each other under its loops and predicate: each
/// point of its axes is reached at most once.
TN_MUST_USE tn_status tn_block_affine(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// The body touches only what the regions declare.
TN_MUST_USE tn_status tn_block_regions_hold(tn_sched *s, const tn_tree *tree, const tn_node *block);
/// An update x = x op value whose op may be done in any order (+, *, min, max, and, or, bits); such
/// a declared reduction may be reordered.
bool tn_block_commutes(const tn_node *block);
/// The body touches only what the regions declare, and turns of different spatial axes do not touch
/// each other's elements: what "S" promises, proved from the body.
TN_MUST_USE tn_status tn_block_keeps_promise(tn_sched *s, const tn_tree *tree,
                                             const tn_node *block);
/// Every child block of a scope is complete or a reduction, and values flow from earlier to later
/// blocks only.
TN_MUST_USE tn_status tn_scope_stage_pipeline(tn_sched *s, const tn_tree *tree,
                                              const tn_node *scope);
/// Writes memory that lives outside of its scope.
bool tn_block_is_output(const tn_tree *tree, const tn_node *block);
static inline const char *tn_block_name(const tn_node *block) {
  return block->in[TN_BLOCK_LABEL]->attr.text;
}
/// REGION of i-th read or write; NULL when there are fewer.
const tn_node *tn_block_region(const tn_node *block, bool is_write, uint32_t i);
/// The REGION that a `buffer` argument means: an INT (index among reads or writes, as is_write
/// says), a LIST ("read"|"write", i), or a STR, the buffer's name. Sets *out_is_write.
TN_MUST_USE tn_status tn_block_buffer_arg(tn_sched *s, const tn_node *block, const tn_node *arg,
                                          bool is_write, const tn_node **out_region,
                                          bool *out_is_write);
enum { TN_SCHED_MAX_BLOCKS = 256 };
/// Blocks of a scope that write (read) a buffer which `block` reads (writes); returns how many.
uint32_t tn_block_producers(const tn_tree *tree, const tn_node *block, uint32_t cap,
                            const tn_node **out);
uint32_t tn_block_consumers(const tn_tree *tree, const tn_node *block, uint32_t cap,
                            const tn_node **out);

/* ---- state ---- */

typedef struct tn_sched_intrin {
  const char *name;
  const tn_node *desc;
  const tn_node *impl;
} tn_sched_intrin;

/// Kinds of what is known for good, hashed into the keys of tn_sched.facts.
enum { TN_FACT_REGIONS = 1, TN_FACT_PROMISE, TN_FACT_INTRIN };

struct tn_sched {
  tn_module module;
  tn_ir *ir;
  const char *work_on; /* NULL: none chosen */
  TN_VEC(tn_sched_step) steps;
  tn_rng rng;
  tn_map values; /* id of a sampled VAR -> its number */
  tn_map facts;  /* hash of a question -> answer: what was proved stays proved (blocks.c, deps.c) */
  tn_sched_stats stats;
  tn_map renamed;       /* id of a LABEL that is gone -> the LABEL that its block has now */
  struct tn_sets *sets; /* arith/sets.h; made when first asked */
  TN_VEC(tn_sched_intrin) intrins;
  TN_VEC(tn_tree *) trees; /* one a function, made when asked for; NULL after a change */
};

#endif
