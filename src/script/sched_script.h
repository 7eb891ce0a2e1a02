/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedules as text: scripts in the Python form that tir.Schedule has, and traces of what was done.
 *
 *   sch = tir.Schedule(IRModule)                     # may be left out
 *   b = sch.get_block("C", "mm_relu")
 *   i, j, k = sch.get_loops(b)
 *   j0, j1 = sch.split(j, factors=[None, knob("tx", [4, 8])])
 *   sch.reorder(i, j0, k, j1)
 *
 * A script is a list of steps, read and done one after another without Python: names, numbers,
 * arithmetic, lists with slices and *items, lambdas for index maps, one function around it all; no
 * loops and no conditions. A knob is a number with a name that the caller may choose.
 *
 * A trace prints as such a script (b0, l1, v2 for blocks, loops and sampled numbers) and as JSON in
 * TVM's form, [[[kind, inputs, attributes, outputs], ...], [[step, decision], ...]]; an index map is
 * the text of its lambda there. Both read back to the same steps. */
#ifndef TN_SCRIPT_SCHED_SCRIPT_H
#define TN_SCRIPT_SCHED_SCRIPT_H

#include "base/buf.h"
#include "sched/sched.h"

/// A name whose value a script leaves to its caller, with what it may be. Nodes and texts live in
/// the schedule's tn_ir.
typedef struct tn_sched_knob {
  const char *name;
  const tn_node *choices; /* LIST */
  const tn_node *value;
} tn_sched_knob;
typedef TN_VEC(tn_sched_knob) tn_sched_knobs;

typedef struct tn_sched_script_opts {
  const char *file_name; /* for messages */
  /// Values of knobs and of names that the text does not define, each "NAME=VALUE".
  const char *const *defines;
  int32_t n_defines;
  bool *out_used; /* [n_defines], borrowed, may be NULL: true where the text asked for it; then one
                     that it did not ask for is no problem */
  /// Called after every step that rewrites the program. text: the step as it is written.
  void (*after_step)(void *ctx, const tn_sched *sched, const char *text);
  void *ctx;
  tn_sched_knobs *out_knobs; /* in the order of the text; may be NULL */
} tn_sched_script_opts;

/// Does the steps of a script on `sched`. Stops at the first problem, which goes to diags; the steps
/// before it stay done.
void tn_sched_script_run(const char *text, size_t len, const tn_sched_script_opts *opts,
                         tn_sched *sched, tn_diags *diags);
/// Reads the text of a lambda, "lambda i, j: (j, i)", as an index map. NULL when it is none.
const tn_node *tn_sched_parse_index_map(tn_ir *ir, const char *text);
/// Reads "T.int8(3)". NULL when it is no number.
const tn_node *tn_sched_parse_number(tn_ir *ir, const char *text);

/// A number or text as the command line gives it to a knob; the caller frees it.
char *tn_sched_value_print(const tn_node *value);

/// What was done as a script that does it again, arguments that have their default left out.
void tn_sched_trace_print(const tn_sched *sched, tn_buf *out);
/// One step as a line of that script, without line end.
void tn_sched_trace_print_step(const tn_sched *sched, uint32_t i, tn_buf *out);
void tn_sched_trace_print_json(const tn_sched *sched, tn_buf *out);
/// Does the steps of a JSON trace on `sched`, of opts after_step alone is looked at. Errors: CORRUPT
/// for what is no trace; else those of the steps, with the number of the step, counted from 1.
TN_MUST_USE tn_status tn_sched_trace_run_json(const char *text, size_t len,
                                              const tn_sched_script_opts *opts, tn_sched *sched);

#endif
