/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The checked interpreter. A program compiled with `is_checked` has one more instruction before
 * each access, block and turn of a loop; what they find goes to the run's checker.
 *
 * Memory has a shadow: a cell for each element, with the last write, a read, and when, by which
 * block instance and in which line each happened. Since everything runs in the order of the text,
 * "may run at once" is a question of time: what happened after a parallel loop began and before its
 * present turn did, an earlier turn of the same run of the loop has done (forks). Instances of
 * blocks come in any order, so each access carries the path of block instances around it
 * (nodes). */
#ifndef TN_TIR_INTERP_CHECK_PRIV_H
#define TN_TIR_INTERP_CHECK_PRIV_H

#include "tir/interp/interp_priv.h"

/// Which instance of which block: a scope (a row of the checker's table) and a hash of the axes.
typedef struct tn_check_node {
  uint32_t scope; /* 0: no block */
  uint32_t key;
} tn_check_node;

/// What is known of `grain` half bytes of memory. Stamps are times; 0: never.
typedef struct tn_cell {
  uint32_t w_stamp;
  uint32_t r_stamp;
  tn_check_node w_node;
  tn_check_node r_node;
  uint32_t w_line;
  uint32_t r_line;
} tn_cell;

struct tn_shadow {
  const char *data;
  size_t n_bytes;
  size_t grain;
  size_t n_cells;
  tn_cell *cells;  /* NULL: all alike, see is_written */
  bool is_written; /* without cells: all of it, or nothing */
  bool is_kept;    /* outlives the call: memory of the graph level */
  bool is_scratch; /* of T.alloc_buffer: the turns of a parallel loop may each have their own */
  bool is_used;
  TN_VEC(const tn_ins *) loops; /* of scratch: forks (their MARKs) around all accesses so far */
  uint32_t n_shared;            /* turns of the innermost of that many share it; 0: none do */
};

/// Instances of one block that differ in their spatial axes only, in one instance of what is
/// around.
typedef struct tn_check_scope {
  tn_check_node outer;
  uint32_t depth;
} tn_check_scope;

/// A run of a loop whose turns may run at once.
typedef struct tn_check_fork {
  uint32_t start;
  uint32_t turn; /* when the present one began */
  bool is_lanes; /* vectorized: equal values may meet */
  bool is_parallel;
  const tn_ins *mark; /* which loop */
} tn_check_fork;

typedef struct tn_finding {
  const char *id;
  const tn_node *place;
  const tn_node *about; /* the buffer, or NULL */
  tn_pos pos;
  char *message; /* owned */
  uint64_t count;
} tn_finding;

struct tn_tir_checker {
  const tn_ir *ir;
  tn_finding findings[TN_MAX_DIAGS];
  int32_t n_findings;
  bool is_over;       /* no more findings are taken */
  uint64_t n_reports; /* findings with their repetitions */
  uint32_t clock;
  uint64_t n_marks;
  size_t n_shadow_bytes;
  int32_t n_runs; /* of functions in each other */
  TN_VEC(tn_shadow *) shadows;
  TN_VEC(tn_check_scope) scopes;
  TN_VEC(tn_check_fork) forks;
  TN_VEC(tn_check_node) nodes; /* the present block instances, outermost first */
  uint32_t n_forks;            /* around the call being made */
  uint32_t n_nodes;
};

/* ---- findings (check.c) ---- */

/// Keeps a finding at the statement behind `in`, with the loops and the block around it. An error
/// when that is enough. about: a buffer or NULL.
TN_MUST_USE tn_status tn_check_report(const tn_ivm *vm, const tn_ins *in, const char *id,
                                      const tn_node *about, const char *fmt, ...) TN_PRINTF(5, 6);
const tn_iwhere *tn_check_where(const tn_ivm *vm, const tn_ins *in);

/* ---- shadows (check_memory.c) ---- */

/// Gives each argument's memory its shadow. Paired with tn_check_end also when it fails.
TN_MUST_USE tn_status tn_check_begin(tn_ivm *vm);
void tn_check_end(tn_ivm *vm);
/// Memory `mem` was allocated anew. is_scratch: by a block.
TN_MUST_USE tn_status tn_check_alloc(tn_ivm *vm, uint32_t mem, size_t elem_bytes, bool is_scratch);
/// Cells of `mem` become small enough for elements of n_halves half bytes at half byte `at`.
TN_MUST_USE tn_status tn_check_refine(tn_ivm *vm, uint32_t mem, uint64_t at, size_t n_halves);
/// A call may have written all of `mem`.
void tn_check_wrote_all(tn_ivm *vm, uint32_t mem);

/* ---- what the instructions do (check_access.c) ---- */

/// A CHECK; sets vm->skip.
TN_MUST_USE tn_status tn_check_ins(tn_ivm *vm, const tn_ins *in);

#endif
