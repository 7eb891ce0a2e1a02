/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Intervals of index expressions over the variables that a block sees (spans.c). */
#ifndef TN_TIR_SPANS_H
#define TN_TIR_SPANS_H

#include "arith/arith.h"
#include "tir/tir.h"

/// Closed; both NULL: not known.
typedef struct tn_span {
  const tn_node *lo;
  const tn_node *hi;
} tn_span;

typedef struct tn_inner_var {
  const tn_node *var;
  tn_span values;
} tn_inner_var;

typedef struct tn_spans {
  tn_ir *ir;
  tn_arith *arith;
  TN_VEC(tn_inner_var) vars; /* bound inside the block */
  tn_map var_at;             /* their id -> index */
} tn_spans;

/// a op b, simplified.
const tn_node *tn_spans_op(tn_spans *s, tn_op op, const tn_node *a, const tn_node *b);
/// The inner variable, or NULL for one that the block sees.
const tn_inner_var *tn_spans_find(const tn_spans *s, const tn_node *var);
/// What `n` may be.
tn_span tn_span_of(tn_spans *s, const tn_node *n);
/// The least interval around both, where it is decided which bound is which.
tn_span tn_span_join(tn_spans *s, tn_span a, tn_span b);
/// Binds a variable to the values it takes; a loop's, min NULL: from 0. Popped to a number of them.
void tn_spans_push(tn_spans *s, const tn_node *var, tn_span values);
void tn_spans_push_loop(tn_spans *s, const tn_node *var, const tn_node *min, const tn_node *extent);
void tn_spans_pop(tn_spans *s, size_t n_left);

#endif
