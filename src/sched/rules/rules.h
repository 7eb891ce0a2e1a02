/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Default schedules. A rule looks at one block and its loops and says, with the public primitives
 * alone, how they should run on the target; what a primitive refuses is no rule for that block, and
 * the next simpler one is tried. So each step is proved, and the worst that can happen is that loops
 * stay as they were written.
 *
 *   tn_rules r = {.s = sched, .target = target, .is_strict = false};
 *   tn_rule_nest nest;
 *   TN_TRY(tn_rule_look(&r, label, &nest));             // loops, and the strides of each access
 *   TN_TRY(tn_rule_spatial(&r, label));                 // does the steps, or says why not
 *
 * Rules go by form, never by name: which loops an access moves with, and how far apart its elements
 * are (tn_rule_access). Numbers come from the target's row. */
#ifndef TN_SCHED_RULES_RULES_H
#define TN_SCHED_RULES_RULES_H

#include "sched/sched_priv.h"
#include "target/target.h"

typedef struct tn_rules tn_rules;

/// Marks that are left to set once all blocks stand where they belong: a sum whose first value is
/// written apart can not be moved any more, nor can its neighbours.
typedef struct tn_rule_marks {
  tn_status (*set)(tn_rules *r, void *ctx);
  void *ctx; /* owned: allocated with malloc */
} tn_rule_marks;

struct tn_rules {
  tn_sched *s;
  const tn_target *target;
  bool is_strict; /* sums of floats keep their order */
  TN_VEC(tn_rule_marks) marks;
};

/* ---- looking (look.c) ---- */

enum { TN_RULE_MAX_LOOPS = 16, TN_RULE_MAX_ACCESSES = 24, TN_RULE_OPEN = -1 };

typedef struct tn_rule_loop {
  const tn_node *var;
  const tn_node *extent;
  int64_t n; /* its rounds; TN_RULE_OPEN: known at run time */
  bool is_reduce;
} tn_rule_loop;

/// One LOAD or STORE of the block's body.
typedef struct tn_rule_access {
  const tn_node *node;
  const tn_node *buffer;
  bool is_store;
  /// Elements from one round of a loop to the next, as an index expression; 0: the loop does not move
  /// it. NULL: it moves in some other way, as by i // 4 or by an index that is read from memory.
  const tn_node *strides[TN_RULE_MAX_LOOPS];
} tn_rule_access;

typedef struct tn_rule_nest {
  const tn_node *label;
  const tn_node *block;
  uint32_t n_loops; /* all around the block in its scope, outermost first */
  tn_rule_loop loops[TN_RULE_MAX_LOOPS];
  uint32_t n_accesses;
  tn_rule_access accesses[TN_RULE_MAX_ACCESSES];
  double work;       /* rough number of operations of a round of all loops */
  int32_t max_bytes; /* of an element of what is accessed */
} tn_rule_nest;

/// Errors: INVALID when the loops are not serial, or there are too many loops or accesses.
TN_MUST_USE tn_status tn_rule_look(tn_rules *r, const tn_node *label, tn_rule_nest *out);
/// Are all axes of the block spatial?
bool tn_rule_is_spatial(const tn_node *block);
/// The access that stores; NULL when there are several.
const tn_rule_access *tn_rule_store(const tn_rule_nest *nest);
/// Does the loop move the access by exactly this much? A loop that moves it oddly does not.
bool tn_rule_moves_by(const tn_rule_access *access, uint32_t loop, int64_t stride);
/// Product of rounds of loops [begin, end); TN_RULE_OPEN when one is open.
int64_t tn_rule_rounds(const tn_rule_nest *nest, uint32_t begin, uint32_t end);
/// In every access, loop i + 1 takes up one round of loop i: both may be one loop.
bool tn_rule_is_joint(tn_rules *r, const tn_rule_nest *nest, uint32_t i);
/// Lanes of a full vector of the widest elements that the block touches; at least 2.
int64_t tn_rule_lanes(const tn_rules *r, const tn_rule_nest *nest);
/// Is there enough to do for more than one thread? Open sizes count as much.
bool tn_rule_is_heavy(const tn_rule_nest *nest);

/* ---- steps (steps.c) ---- */

/// Does a primitive by name. out may be NULL.
TN_MUST_USE tn_status tn_rule_apply(tn_rules *r, const char *prim, uint32_t n_args,
                                    const tn_node *const *args, const tn_node **out);
/// Loops [begin, end) of the list as one; the loop itself when it is the only one.
TN_MUST_USE tn_status tn_rule_fuse(tn_rules *r, const tn_node *const *loops, uint32_t n,
                                   const tn_node **out_loop);
/// The loops around a block as they are now; returns their number (0 when there are more than cap).
uint32_t tn_rule_loops(tn_rules *r, const tn_node *label, uint32_t cap, const tn_node **out);

/// Back to how things stood, `before`, which becomes the schedule.
void tn_rule_undo(tn_rules *r, tn_sched *before, tn_status why);
/// Leaves marks for later; takes ctx over.
void tn_rule_mark_later(tn_rules *r, tn_status (*set)(tn_rules *r, void *ctx), void *ctx);
/// Sets the marks that were left, those of each rule or none of them, and forgets them.
void tn_rule_set_marks(tn_rules *r);
/// Forgets those from place `first` on.
void tn_rule_drop_marks(tn_rules *r, size_t first);

/* ---- rules: each does its steps or refuses; a refusal may leave steps done, which the caller undoes
 * ---- */

/// All axes spatial (spatial.c): neighbouring loops that walk memory in step become one, its vectors
/// the lanes, the loops outside shared by threads.
TN_MUST_USE tn_status tn_rule_spatial(tn_rules *r, const tn_node *label);
/// Sums of products, as matrix products and convolutions, in register tiles (tile.c); what reads the
/// result element by element follows in the tile.
TN_MUST_USE tn_status tn_rule_tile(tn_rules *r, const tn_node *label);
/// The same for data that is copied with something around it: that is written first, all of it, so
/// that the copy asks nothing.
TN_MUST_USE tn_status tn_rule_padding(tn_rules *r, const tn_node *label);
/// Reductions along memory (reduce.c): lanes sum parts, which are put together at the end.
TN_MUST_USE tn_status tn_rule_reduce(tn_rules *r, const tn_node *label);
/// The first half of it: the parts as a block of their own, before the rest. INVALID when the sum must
/// keep its order, or is too short, or does not walk along memory.
TN_MUST_USE tn_status tn_rule_lanes_of_sum(tn_rules *r, const tn_node *label,
                                           const tn_node **out_part);
/// The second half, once that block stands where it belongs: its lanes in vectors.
TN_MUST_USE tn_status tn_rule_mark_parts(tn_rules *r, const tn_node *part, int64_t lanes);
/// All blocks of a scope (rows.c), as those of softmax and layer norm: row by row, each row going
/// through all of them while it is in the cache.
TN_MUST_USE tn_status tn_rule_rows(tn_rules *r, uint32_t n_blocks, const tn_node *const *labels);
/// All blocks of a scope (row_blocks.c): a product, rows of it as in softmax, a product of them.
TN_MUST_USE tn_status tn_rule_row_blocks(tn_rules *r, uint32_t n_blocks,
                                         const tn_node *const *labels);
/// Element-wise producers go to where they are read by element-wise blocks (inline.c). Never fails.
void tn_rule_inline(tn_rules *r, uint32_t n_blocks, const tn_node *const *labels);
/// The outermost spatial loops shared by threads, where nothing better is known.
TN_MUST_USE tn_status tn_rule_outer(tn_rules *r, const tn_node *label);

#endif
