/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the two files of the graph interpreter share: the run, frames, and ways from values to
 * loop-level arguments. */
#ifndef TN_GRAPH_INTERP_PRIV_H
#define TN_GRAPH_INTERP_PRIV_H

#include "base/arena.h"
#include "graph/graph_priv.h"

enum { TN_INTERP_MAX_DEPTH = 1000 };

/// An array made during a run. A view keeps the array alive whose memory it shows.
typedef struct tn_owned_array {
  tn_array *array;
  tn_array *base; /* NULL: its own memory */
} tn_owned_array;

struct tn_interp {
  const tn_module *module;
  tn_interp_hooks hooks;
  tn_arena arena; /* items, dims, texts, captured variables */
  TN_VEC(tn_owned_array) arrays;
  int32_t depth;
  int32_t n_places;     /* that the error of this run names already */
  int64_t n_steps;      /* statements that have run */
  const tn_node *place; /* the statement that runs */
};

/// Variables of one call. Values lie in `values`, found by the id of their GVAR.
typedef struct tn_frame {
  tn_map vars;
  TN_VEC(tn_value) values;
  tn_map syms;   /* VAR id -> int64 */
  tn_value next; /* a call whose result is this one's: it comes when this frame is gone */
  tn_value *next_args;
  int32_t n_next_args;
} tn_frame;

TN_MUST_USE tn_status tn_interp_eval(tn_interp *in, tn_frame *frame, const tn_node *expr,
                                     tn_value *out);
/// Calls a function value.
TN_MUST_USE tn_status tn_interp_apply(tn_interp *in, const tn_value *func, const tn_value *args,
                                      int32_t n_args, tn_value *out);
/// A CALL node, arguments included.
TN_MUST_USE tn_status tn_interp_builtin(tn_interp *in, tn_frame *frame, const tn_node *call,
                                        tn_value *out);
/// A loop function on inputs, outputs and scalars in the order of its parameters. out: its number,
/// NONE when it has no result.
TN_MUST_USE tn_status tn_interp_prim_func(tn_interp *in, const char *name, const tn_value *args,
                                          int32_t n_args, tn_value *out);
/// R.list.* and R.is_null (interp_list.c).
TN_MUST_USE tn_status tn_interp_list(tn_interp *in, tn_builtin_id id, const tn_value *args,
                                     int32_t n_args, tn_value *out);
/// The host's function `name`.
TN_MUST_USE tn_status tn_interp_extern(tn_interp *in, const char *name, const tn_value *args,
                                       int32_t n_args, tn_value *out);

/// A zeroed array owned by the run, whose contents a program must not rely on.
TN_MUST_USE tn_status tn_interp_fresh_array(tn_interp *in, tn_dtype dtype, int32_t ndim,
                                            const int64_t *shape, tn_value *out);
/// A zeroed array owned by the run.
TN_MUST_USE tn_status tn_interp_array(tn_interp *in, tn_dtype dtype, int32_t ndim,
                                      const int64_t *shape, tn_value *out);
tn_value tn_interp_shape(tn_interp *in, int32_t n, const int64_t *dims);
/// Binds the symbolic sizes of `type` that have no value yet from `value`. Never fails: the check
/// comes after all are bound.
void tn_interp_bind(tn_frame *frame, const tn_node *type, const tn_value *value);
/// INVALID unless `value` has that type; `what` names it: "argument 'x' of main".
TN_MUST_USE tn_status tn_interp_check(tn_frame *frame, const tn_node *type, const tn_value *value,
                                      const char *what);
void tn_value_print(const tn_value *value, tn_buf *out);

#endif
