/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the readers of graph values, operators and calls share. What gives NULL has reported why. */
#ifndef TN_SCRIPT_READ_GRAPH_H
#define TN_SCRIPT_READ_GRAPH_H

#include "script/reader.h"

/* ---- values ---- */

/// May be an extent: an integer.
bool tn_graph_is_size(tn_val v);
/// A list of sizes as a SHAPE, of values as a TUPLE.
const tn_node *tn_graph_list_to_shape(tn_reader *r, const tn_ast *at, tn_val v);
const tn_node *tn_graph_list_to_tuple(tn_reader *r, const tn_ast *at, tn_val v);
const tn_node *tn_graph_extern(tn_reader *r, const char *name);

/* ---- operators ---- */

/// A call being read.
typedef struct tn_graph_op {
  const tn_op_def *def;
  const tn_ast *call;
  const tn_node **args;
  uint32_t n_args;
  const tn_node **fields;
  const tn_node *types; /* NULL: none */
} tn_graph_op;

/// A builtin or an operator of the table; NULL: unknown, not reported.
const tn_op_def *tn_graph_op_find(const tn_reader *r, const char *name);
/// No field is given yet.
void tn_graph_op_init(tn_reader *r, tn_graph_op *op);
const tn_node *tn_graph_read_field(tn_reader *r, const tn_ast *ast, const tn_field *field);
/// One type, a tuple or a list of them, as a LIST.
const tn_node *tn_graph_read_types(tn_reader *r, const tn_ast *ast);
/// The CALL; what must be given and is not is reported.
tn_val tn_graph_op_make(tn_reader *r, const tn_graph_op *op);

#endif
