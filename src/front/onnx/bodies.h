/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Graphs inside of nodes. The branches of an If and the body of a loop become graph functions inside
 * the one at hand, which see its values and sizes:
 *
 *   def branch():                      def loop(i: R.Shape(["i"]), x):
 *       if cond: ... y = then              if i < n: ... r = loop(R.shape([i + 1]), x1)
 *       else: ... y = otherwise            else: r = x
 *       return y                           return r
 *
 * The call of itself is the last thing that such a loop does, so it needs no frame of its own
 * (tn_body_gives): any number of rounds run in constant memory. What comes out of a round for good is
 * put at the end of a list. Extents that differ between branches or from round to round are
 * variables that a match_cast names afterwards. */
#ifndef TN_FRONT_ONNX_BODIES_H
#define TN_FRONT_ONNX_BODIES_H

#include "front/onnx/build.h"

/* ---- values that are no tensors ---- */

typedef enum tn_onnx_kind { TN_ONNX_TENSOR, TN_ONNX_SEQUENCE, TN_ONNX_OPTIONAL } tn_onnx_kind;

/// What ONNX knows a value by. The graph level has R.Object for sequences and optionals: a list, the
/// value itself or the absent object.
typedef struct tn_onnx_form {
  tn_onnx_kind kind;
  const tn_node *type;             /* tensor: its type; NULL where nothing is known */
  const struct tn_onnx_form *item; /* of the others; NULL: not known */
} tn_onnx_form;

/// The form of any value; NULL after an error.
const tn_onnx_form *tn_onnx_form_of(tn_onnx_call *c, const tn_node *value);
/// The same, and an error unless it is a sequence. Its item may be NULL.
const tn_onnx_form *tn_onnx_sequence_of(tn_onnx_call *c, const tn_node *value);
const tn_onnx_form *tn_onnx_form_new(tn_onnx_importer *imp, tn_onnx_kind kind, const tn_node *type,
                                     const tn_onnx_form *item);
/// Notes the form of an R.Object and returns it.
const tn_node *tn_onnx_note_form(tn_onnx_call *c, const tn_node *value, const tn_onnx_form *form);
/// The form that values of both have; an error where types or ranks differ. mark: extents that
/// mention variables made since tn_ir_n_ids was that are not known outside. Either may be NULL.
const tn_onnx_form *tn_onnx_form_join(tn_onnx_call *c, const tn_onnx_form *a, const tn_onnx_form *b,
                                      uint32_t mark, const char *what);
/// As a type of the graph level: a tensor with extents that are not known has a rank alone.
const tn_node *tn_onnx_form_type(tn_onnx_call *c, const tn_onnx_form *form);
/// match_cast of a value of any type to that form; extents that are not known become variables.
const tn_node *tn_onnx_claim(tn_onnx_call *c, const tn_node *value, const tn_onnx_form *form);
/// What the model says about the value that output 0 of this node names; NULL: nothing.
const tn_onnx_form *tn_onnx_declared(tn_onnx_call *c);
/// The form of a TypeProto. Dimensions are left open.
tn_status tn_onnx_form_read(tn_onnx_importer *imp, const tn_onnx_type *type,
                            const tn_onnx_form **out);

/* ---- bodies ---- */

/// Statements from begin to end go to the body.
typedef struct tn_onnx_body {
  size_t n_stmts;
  size_t n_known;
  uint32_t mark; /* variables that are made in it have ids from here on */
} tn_onnx_body;

tn_onnx_body tn_onnx_body_begin(tn_onnx_call *c);
/// Drops the statements since begin.
void tn_onnx_body_drop(tn_onnx_call *c, const tn_onnx_body *body);
/// The statements since begin, which are taken away, as a SEQ that ends in YIELD of those values.
const tn_node *tn_onnx_body_end(tn_onnx_call *c, const tn_onnx_body *body, uint32_t n,
                                const tn_node *const *results);
/// The attribute `name`, a graph with `n_inputs` inputs and `n_outputs` outputs (below 0: any).
const tn_onnx_graph *tn_onnx_graph_attr(tn_onnx_call *c, const char *name, int64_t n_inputs,
                                        int64_t n_outputs);
/// Imports a graph within this node's surroundings: inputs are its first inputs, `out` has room for
/// all outputs.
void tn_onnx_run_graph(tn_onnx_call *c, const tn_onnx_graph *graph, uint32_t n_inputs,
                       const tn_node *const *inputs, const tn_node **out);
/// Calls a function that has to be made: params are GVARs, body: a SEQ that ends in RETURN. Gives
/// the result, of type `ret`.
const tn_node *tn_onnx_call_made(tn_onnx_call *c, const tn_node *self, uint32_t n_params,
                                 const tn_node *const *params, const tn_node *body, uint32_t n_args,
                                 const tn_node *const *args);
const tn_node *tn_onnx_var(tn_onnx_call *c, const char *name, const tn_node *type);
void tn_onnx_push(tn_onnx_call *c, const tn_node *stmt);
/// A size with a name of its own.
const tn_node *tn_onnx_new_size(tn_onnx_call *c);
const tn_node *tn_onnx_prim(tn_onnx_call *c, const tn_node *expr);
/// A bool scalar of a tensor of one element.
const tn_node *tn_onnx_condition(tn_onnx_call *c, const tn_node *value);

/* ---- loops ---- */

/// A loop under construction: rounds while i < limit and the condition holds.
typedef struct tn_onnx_loop {
  const char *name;
  const tn_node *limit; /* an expression, or NULL */
  const tn_node *cond;  /* a bool scalar, or NULL: there is none */
  uint32_t n_states;
  const tn_node **states; /* in: initial values; out: last values */
  uint32_t n_scans;
  const tn_node **lists;      /* out: a list of the values of all rounds */
  const tn_onnx_form **forms; /* out: what is in it */
  /// One round: i is the size that counts rounds. next, scans: to fill; next_cond: set where there
  /// is one.
  void (*round)(tn_onnx_call *c, const struct tn_onnx_loop *loop, const tn_node *i,
                const tn_node *cond, const tn_node *const *states, const tn_node **next,
                const tn_node **scans, const tn_node **next_cond);
  void *ctx;
} tn_onnx_loop;

void tn_onnx_run_loop(tn_onnx_call *c, tn_onnx_loop *loop);
/// A list of tensors of that form as one tensor, along a new axis.
const tn_node *tn_onnx_stacked(tn_onnx_call *c, const tn_node *list, const tn_onnx_form *form,
                               int64_t axis, const tn_node *n_items);

#endif
