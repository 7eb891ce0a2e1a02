/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the files that read schedule scripts share. Expressions are read by the reader of programs
 * (read_expr.c), which asks here first; `sch`, and what else stands for the program, is a MODULE,
 * handles are NODEs.
 *
 *   sched_read.c   statements
 *   sched_expr.c   what an expression has beside a program's: steps, knobs, slices, *items, lambdas
 *   sched_call.c   a step: its arguments, and doing it */
#ifndef TN_SCRIPT_SCHED_READER_H
#define TN_SCRIPT_SCHED_READER_H

#include "script/reader.h"
#include "script/sched_script.h"

typedef struct tn_steps {
  tn_reader *r;
  tn_sched *sched;
  const tn_sched_script_opts *opts;
  const char *text; /* of the script, `len` bytes */
  size_t len;
  const tn_ast *stmt;   /* being read */
  const char *work_on;  /* function that get_block looks into; NULL: none was chosen */
  const tn_ast *plain;  /* an expression that read_expr.c is to read itself */
  bool wants_numbers;   /* sampled numbers are read as what they are: in arithmetic, in lambdas */
  uint32_t n_converted; /* nodes made of values by the step being read */
} tn_steps;

enum { TN_STEPS_MAX_ITEMS = 4096 };

/// The reader's read_more.
bool tn_steps_read(tn_reader *r, const tn_ast *ast, tn_val *out);
/// sch.METHOD(...): does the step. Its result; ERROR, reported.
tn_val tn_steps_call(tn_steps *s, const tn_ast *call, const char *method);
/// `seed` of tir.Schedule and sch.seed.
bool tn_steps_seed(tn_steps *s, const tn_ast *value);
/// Appends an item, or the items of a STAR, with where they stand. False, reported.
typedef struct tn_steps_item {
  const tn_ast *ast;
  tn_val val;
} tn_steps_item;
typedef TN_VEC(tn_steps_item) tn_steps_items;
bool tn_steps_add_items(tn_steps *s, const tn_ast *ast, tn_steps_items *out);

#endif
