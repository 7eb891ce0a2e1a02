/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a small program does, step by step: every statement or block at every round of its loops, with
 * the elements that it reads and writes. From this list it is decided by brute force whether a step of
 * a schedule keeps the order of accesses that meet. Indices and conditions are of whole numbers and
 * loops; nothing of src/sched or src/arith is asked. */
#ifndef TN_TESTS_SCHED_ORACLE_H
#define TN_TESTS_SCHED_ORACLE_H

#include "sched_util.h"

enum { ORACLE_MAX_STEPS = 512, ORACLE_MAX_TOUCHES = 8, ORACLE_MAX_DEPTH = 8, ORACLE_MAX_VARS = 32 };

typedef struct oracle_touch {
  uint32_t buffer; /* id */
  int64_t element;
  bool is_write;
} oracle_touch;

typedef struct oracle_step {
  const tn_node *stmt; /* BLOCK or STORE */
  bool is_update;      /* of a reduction */
  bool is_first;       /* all its reduce axes at their minimum: the first value is set, too */
  uint32_t n_loops;
  const tn_node *loops[ORACLE_MAX_DEPTH]; /* VARs, outermost first */
  int64_t rounds[ORACLE_MAX_DEPTH];
  uint32_t n_touches;
  oracle_touch touches[ORACLE_MAX_TOUCHES];
} oracle_step;

typedef struct oracle {
  uint32_t n_steps;
  oracle_step steps[ORACLE_MAX_STEPS];
  uint32_t n_vars;
  const tn_node *vars[ORACLE_MAX_VARS];
  int64_t values[ORACLE_MAX_VARS];
  uint32_t n_loops;
  const tn_node *loops[ORACLE_MAX_DEPTH];
} oracle;

/// Lists the steps of a function.
void oracle_run(oracle *o, const tn_node *func);
/// Do rounds of the loop (those around it in equal rounds) touch nothing in common with a write?
bool oracle_rounds_apart(const oracle *o, const tn_node *loop);
/// Do all accesses that meet keep their order when the loops `old` stand as `now`? Updates of one
/// reduction may change places, not the first one of an element.
bool oracle_may_reorder(const oracle *o, uint32_t n, const tn_node *const *old,
                        const tn_node *const *now);
/// Are the values the same when the first values of the reduction are set before the loop?
bool oracle_may_decompose(const oracle *o, const tn_node *block, const tn_node *loop);
/// Are they when, in place of all steps of `producer`, each round of the loop begins with those that
/// write what the round reads?
bool oracle_may_compute_at(const oracle *o, const tn_node *producer, const tn_node *loop);

#endif
