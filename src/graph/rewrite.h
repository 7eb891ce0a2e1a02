/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Rewrite rules over the bindings of graph functions. A rule looks at one call and what its
 * operands were made by, and gives a value that takes its place:
 *
 *   // relu(relu(x)) -> relu(x)
 *   static const tn_node *relu_of_relu(tn_rewrite_run *r, const tn_node *call) {
 *     const tn_node *inner = tn_rewrite_call(r, tn_call_arg(call, 0), "nn.relu");
 *     return inner == NULL ? NULL : tn_call_arg(call, 0);
 *   }
 *
 * What a rule makes is bound right before the call. A type rule that refuses what it makes, and a
 * value whose type is not certainly one of the call's, end the attempt: the program stays as it
 * is. Functions are in normal form (pass `normalize`); rules see through variables, but not into
 * a dataflow block from outside. Functions with effects or in-place calls are left alone. */
#ifndef TN_GRAPH_REWRITE_H
#define TN_GRAPH_REWRITE_H

#include "graph/graph.h"

typedef struct tn_rewrite_run tn_rewrite_run;

/// One rule. Static storage.
typedef struct tn_rewrite_rule {
  const char *name;
  const char *root; /* the operator's name; "[]": an item of a tuple; NULL: any operator */
  bool is_exact;    /* keeps every bit, NaN, infinities and -0 too; others are off in strict math */
  const char *doc;  /* "relu(relu(x)) -> relu(x)" */
  const tn_node *(*apply)(tn_rewrite_run *r, const tn_node *call); /* NULL: does not apply */
} tn_rewrite_rule;

/// Applies rules to all graph functions until none does. n_fired: NULL, or how often each rule did
/// (added up). Takes time linear in the program and what it is rewritten to.
TN_MUST_USE tn_status tn_rewrite_graphs(tn_module *module, const tn_pass_opts *opts,
                                        const tn_rewrite_rule *const *rules, uint32_t n,
                                        int64_t *n_fired);

/* ---- what is there ---- */

tn_ir *tn_rewrite_ir(const tn_rewrite_run *r);
/// What made the value: a CALL, GET, TUPLE ...; NULL: a parameter, or what rules do not see.
const tn_node *tn_rewrite_def(const tn_rewrite_run *r, const tn_node *value);
/// That, when it is a call of R.<name>; NULL otherwise. value may be NULL.
const tn_node *tn_rewrite_call(const tn_rewrite_run *r, const tn_node *value, const char *name);
/// A value with one use alone, so that what made it goes with that.
bool tn_rewrite_is_used_once(const tn_rewrite_run *r, const tn_node *value);
/// tn_rewrite_call of a value with one use.
const tn_node *tn_rewrite_own_call(const tn_rewrite_run *r, const tn_node *value, const char *name);
/// The type of any expression; NULL (and the attempt fails) when a type rule refuses it.
const tn_node *tn_rewrite_any_type(tn_rewrite_run *r, const tn_node *expr);
/// The TY_TENSOR of a value or a call; NULL: it is none.
const tn_node *tn_rewrite_type(tn_rewrite_run *r, const tn_node *value);
/// Its element type, NONE when not known.
tn_dtype tn_rewrite_dtype(tn_rewrite_run *r, const tn_node *value);
/// Its extents, NULL when not known.
const tn_node *tn_rewrite_shape(tn_rewrite_run *r, const tn_node *value);
/// Its rank, -1 when not known.
int64_t tn_rewrite_ndim(tn_rewrite_run *r, const tn_node *value);
/// Both shapes are known and certainly the same.
bool tn_rewrite_same_shape(tn_rewrite_run *r, const tn_node *a, const tn_node *b);
/// The array of a constant, NULL for other values.
const tn_array *tn_rewrite_array(const tn_node *value);
/// A constant whose elements are one number, and that number; NaN counts as none.
bool tn_rewrite_is_number(const tn_node *value, double *out);
/// The same, compared.
bool tn_rewrite_equals(const tn_node *value, double number);

/* ---- what is made: NULL as soon as something is wrong or an argument is NULL ---- */

/// A call; fields as in tn_call_new.
const tn_node *tn_rewrite_make(tn_rewrite_run *r, const tn_op_def *op, uint32_t n,
                               const tn_node *const *args, const tn_node *fields);
/// A call with the operator and the fields of another one.
const tn_node *tn_rewrite_again(tn_rewrite_run *r, const tn_node *call, uint32_t n,
                                const tn_node *const *args);
/// A constant; takes over the array.
const tn_node *tn_rewrite_const(tn_rewrite_run *r, tn_array *array);
/// A tuple of values that are there.
const tn_node *tn_rewrite_tuple(tn_rewrite_run *r, uint32_t n, const tn_node *const *items);
/// Takes `n` steps from those that rules may take while compiling, a function; false when there are
/// not so many left.
bool tn_rewrite_spend(tn_rewrite_run *r, int64_t n);

#endif
