/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the files of this room share: bodies as lists of statements, a walk that rebuilds them,
 * questions about functions. */
#ifndef TN_GRAPH_GRAPH_PRIV_H
#define TN_GRAPH_GRAPH_PRIV_H

#include "graph/graph.h"

/* ---- bodies ---- */

typedef TN_VEC(const tn_node *) tn_stmts;

/// Rebuilds bodies statement by statement, in order; DATAFLOW and GIF bodies first, each in a list
/// of its own.
typedef struct tn_gpass tn_gpass;
struct tn_gpass {
  tn_ir *ir;
  tn_module *module;
  /// Replaces a GBIND, MATCH_CAST, YIELD or RETURN by pushing any number of statements to `out`.
  tn_status (*leaf)(tn_gpass *pass, const tn_node *stmt, tn_stmts *out);
  /// The same for a DATAFLOW or GIF whose bodies are done already; NULL: it is pushed as it is.
  tn_status (*nested)(tn_gpass *pass, const tn_node *stmt, tn_stmts *out);
  /// Called before and after the statements of a GIF branch (is_begin true, false); may be NULL.
  void (*branch)(tn_gpass *pass, bool is_begin);
  void *ctx;
};
TN_MUST_USE tn_status tn_gpass_body(tn_gpass *pass, const tn_node *body, const tn_node **out_body);
/// The function with another body.
const tn_node *tn_gfunc_with_body(tn_ir *ir, const tn_node *func, const tn_node *body);
/// Runs `one` over all GFUNCs of the module, in order, and puts back what it makes; errors name the
/// function.
TN_MUST_USE tn_status tn_each_gfunc(tn_module *module, void *ctx,
                                    tn_status (*one)(tn_module *module, const tn_node *func,
                                                     void *ctx, const tn_node **out));

/// What took the place of a value: `became` maps GVAR ids to the nodes that they became.
const tn_node *tn_value_now(const tn_map *became, const tn_node *value);
/// The outputs of a dataflow block whose values became others: those that are bound in `body`, once
/// each.
const tn_node *tn_dataflow_outputs(tn_ir *ir, const tn_node *outputs, const tn_node *body,
                                   const tn_map *became);
/// The function without pure bindings that nobody uses.
const tn_node *tn_gfunc_without_dead_code(const tn_module *module, const tn_node *func);

/* ---- small makers ---- */

const tn_node *tn_gvar_new(tn_ir *ir, const char *name, const tn_node *type);
/// A GBIND with the position of `from` (may be NULL).
const tn_node *tn_gbind_new(tn_ir *ir, const tn_node *var, const tn_node *value,
                            const tn_node *from);
/// `_ = value` for what returns nothing.
const tn_node *tn_gbind_nothing(tn_ir *ir, const tn_node *value, const tn_node *from);

/* ---- questions ---- */

/// Lowered code calls kernels for their effect in functions that the text calls pure (attr
/// "relax.force_pure").
bool tn_gfunc_is_lowered(const tn_node *func);
/// One value may take another's place where both are equal: the function is in no lowered form and
/// pure, and calls nothing that writes into its arguments.
bool tn_gfunc_has_values(const tn_node *func);
/// The same function with that attribute, when `body` is not its body yet; with `body` in any case.
const tn_node *tn_gfunc_lowered_body(tn_ir *ir, const tn_node *func, const tn_node *body);
bool tn_func_is_public(const tn_node *func);
/// A value that may stand as an argument in normal form.
bool tn_is_atom(const tn_node *n);
/// The value of an integer expression over sizes, given VAR id -> int64. Errors: INVALID (division
/// by zero, unknown variable).
TN_MUST_USE tn_status tn_dim_eval(const tn_node *expr, const tn_map *syms, int64_t *out);

#endif
