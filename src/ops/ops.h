/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The operators that compute numbers: one file a family, one row an operator (tn_op_def of
 * graph/graph.h): type rule, slow obvious reference, loop-level form, test cases. The reader gets
 * the table for R.<name>; interpreter, legalize_graph, tests and documentation work from it. */
#ifndef TN_OPS_OPS_H
#define TN_OPS_OPS_H

#include "graph/graph.h"

/// All operators, sorted by name. Static storage.
const tn_op_table *tn_ops_table(void);

/// The passes that know operators: folding, rewrite rules (ops/rules).
const tn_pass *tn_ops_passes(uint32_t *out_n);

/// An example of an operator, for tests: argument types and fields. The sizes are small.
typedef struct tn_op_case {
  const char *op;     /* "add" */
  const char *args;   /* one type an argument: "f32[2,3] f32[3]"; "(f32[2] f32[3])": a tuple;
                       * "shape[2,3]": a shape */
  const char *fields; /* "axis=-1 keepdims=1 axes=[0,2] layout=NHWC", "" for the defaults */
  const char *result; /* the type expected: "f32[2,3]", or a tuple */
} tn_op_case;
/// All examples.
const tn_op_case *tn_op_cases(uint32_t *out_n);

#endif
