/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedules: rewrites of loop functions that keep what they compute. Each primitive (prims.def) is
 * proved legal before it is done; a refused one leaves everything as it was and says why. What was
 * done is a trace: data that prints, is stored, replayed and edited.
 *
 *   tn_sched *s = tn_sched_new(module, 0);
 *   const tn_node *b = NULL, *l[3], *t[2];
 *   TN_TRY(tn_sched_get_block(s, "C", NULL, &b));
 *   TN_TRY(tn_sched_get_loops(s, b, 3, l));
 *   TN_TRY(tn_sched_split(s, l[0], 2, (int64_t[]){-1, 8}, t));       // -1: what is left
 *   TN_TRY(tn_sched_parallel(s, t[0]));
 *   use(tn_sched_module(s));
 *
 * Handles are nodes: a loop is its VAR, a block its LABEL. They stay good through rewrites, until
 * what they name is gone: then a step that uses them is refused and says which step took it away.
 * A schedule belongs to one thread; nodes live in the module's tn_ir. */
#ifndef TN_SCHED_SCHED_H
#define TN_SCHED_SCHED_H

#include "ir/ir.h"

typedef struct tn_sched tn_sched;

/// A schedule of all loop functions of `module` (its table is copied, nodes are shared; borrowed
/// until tn_sched_free: the tn_ir). seed: of the sampling primitives.
tn_sched *tn_sched_new(const tn_module *module, uint64_t seed);
void tn_sched_free(tn_sched *sched);
/// The program as it stands now; valid until the next step.
const tn_module *tn_sched_module(const tn_sched *sched);
tn_ir *tn_sched_ir(const tn_sched *sched);
/// Starts the random numbers of the sampling primitives anew.
void tn_sched_seed(tn_sched *sched, uint64_t seed);
/// What has been done, over again from here on: a copy that goes its own way (same tn_ir).
tn_sched *tn_sched_copy(const tn_sched *sched);
/// Names a pair of loop functions for tensorize: what `desc` does, `impl` does too; that is the
/// caller's promise. Both take the same buffers. In a script, "a:b" names functions of the module.
void tn_sched_add_intrin(tn_sched *sched, const char *name, const tn_node *desc,
                         const tn_node *impl);
/// get_block looks in this function alone; NULL: the only one, or "main".
TN_MUST_USE tn_status tn_sched_work_on(tn_sched *sched, const char *func);

/* ---- primitives as data ---- */

/// A row of sched/prims.def. Arguments and results are nodes: a block is a LABEL, a loop a VAR, a
/// number an INT or FLOAT, `None` a NONE, a list a LIST. Numbers that were sampled are VARs that
/// tn_sched_value knows: steps that use them follow when a trace is replayed with other decisions.
typedef enum tn_prim_kind { TN_PRIM_QUERY, TN_PRIM_SAMPLE, TN_PRIM_STEP } tn_prim_kind;
typedef struct tn_prim {
  const char *name; /* "split" */
  tn_prim_kind kind;
  const char *params; /* "loop: loop, factors: list[int|None], preserve_unit_iters: bool = True" */
  const char *result; /* "list[loop]", "block", "" */
  const char *doc;    /* one line */
} tn_prim;
const tn_prim *tn_prim_all(uint32_t *out_n);
/// NULL when unknown.
const tn_prim *tn_prim_find(const char *name);

enum { TN_PRIM_MAX_PARAMS = 8 };
/// One parameter of a primitive, read from its row.
typedef struct tn_prim_param {
  char name[32];
  char type[32];         /* "loop", "list[int|None]" ... */
  char default_text[32]; /* as in the row; empty: must be given */
  bool is_rest;          /* "*loops": all positional arguments from here on, as one LIST */
} tn_prim_param;
/// Returns how many.
uint32_t tn_prim_params(const tn_prim *prim, tn_prim_param out[TN_PRIM_MAX_PARAMS]);

/// Does one step and appends it to the trace. args: one for each parameter; NULL, or left out at the
/// end, for a default. *out: NONE, a handle, an INT or a LIST. Errors: INVALID with primitive, loop
/// or block, the condition that fails and what could be done instead; the schedule is then as it
/// was.
TN_MUST_USE tn_status tn_sched_apply(tn_sched *sched, const tn_prim *prim, uint32_t n_args,
                                     const tn_node *const *args, const tn_node **out);

/// The number that a VAR from a sampling primitive stands for; false for anything else.
bool tn_sched_value(const tn_sched *sched, const tn_node *var, int64_t *out_value);

/* ---- trace ---- */

typedef struct tn_sched_step {
  const tn_prim *prim;
  const tn_node *args; /* LIST, one a parameter, defaults filled in; decisions as they were made */
  const tn_node *out;  /* as tn_sched_apply gave it */
} tn_sched_step;
uint32_t tn_sched_n_steps(const tn_sched *sched);
const tn_sched_step *tn_sched_step_at(const tn_sched *sched, uint32_t i);
/// Does the same steps on another schedule: handles are those that its own steps gave. Errors name
/// the number of the step that does not apply.
TN_MUST_USE tn_status tn_sched_replay(const tn_sched *from, tn_sched *onto);

/// Integer-set questions since the start: asked, answered by a cheap test or from memory, undecided.
typedef struct tn_sched_stats {
  int64_t n_questions;
  int64_t n_cheap;
  int64_t n_remembered;
  int64_t n_undecided;
} tn_sched_stats;
tn_sched_stats tn_sched_stats_get(const tn_sched *sched);

/// The passes of this room, sched/passes.def.
const tn_pass *tn_sched_passes(uint32_t *out_n);

/* ---- typed shorthands of what is used most from C ---- */

TN_MUST_USE tn_status tn_sched_get_block(tn_sched *sched, const char *name, const char *func,
                                         const tn_node **out_block);
/// Exactly n loops, else INVALID. tn_sched_apply gives however many there are.
TN_MUST_USE tn_status tn_sched_get_loops(tn_sched *sched, const tn_node *block, uint32_t n,
                                         const tn_node **out_loops);
/// factors: -1 for the one that is to be found; n loops come out.
TN_MUST_USE tn_status tn_sched_split(tn_sched *sched, const tn_node *loop, uint32_t n,
                                     const int64_t *factors, const tn_node **out_loops);
TN_MUST_USE tn_status tn_sched_fuse(tn_sched *sched, uint32_t n, const tn_node *const *loops,
                                    const tn_node **out_loop);
TN_MUST_USE tn_status tn_sched_reorder(tn_sched *sched, uint32_t n, const tn_node *const *loops);
TN_MUST_USE tn_status tn_sched_parallel(tn_sched *sched, const tn_node *loop);
TN_MUST_USE tn_status tn_sched_vectorize(tn_sched *sched, const tn_node *loop);
TN_MUST_USE tn_status tn_sched_unroll(tn_sched *sched, const tn_node *loop);
/// scope: "global", "local".
TN_MUST_USE tn_status tn_sched_cache_read(tn_sched *sched, const tn_node *block, int32_t i_read,
                                          const char *scope, const tn_node **out_block);
TN_MUST_USE tn_status tn_sched_cache_write(tn_sched *sched, const tn_node *block, int32_t i_write,
                                           const char *scope, const tn_node **out_block);
TN_MUST_USE tn_status tn_sched_compute_at(tn_sched *sched, const tn_node *block,
                                          const tn_node *loop);
TN_MUST_USE tn_status tn_sched_reverse_compute_at(tn_sched *sched, const tn_node *block,
                                                  const tn_node *loop);
TN_MUST_USE tn_status tn_sched_compute_inline(tn_sched *sched, const tn_node *block);
TN_MUST_USE tn_status tn_sched_decompose_reduction(tn_sched *sched, const tn_node *block,
                                                   const tn_node *loop, const tn_node **out_init);

#endif
