/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Parts of vectorize_loops: whether lanes are independent (vector_legal.c), and expressions in all
 * lanes (vector_expr.c). */
#ifndef TN_LOWER_VECTOR_H
#define TN_LOWER_VECTOR_H

#include "lower/lower_priv.h"

/// Running all lanes of each statement before the next statement gives what running lane after lane
/// gives: no impure call, no statement that has no vector form, and for each buffer written in the
/// body, a proof that no two lanes touch one element. arith knows the ranges of the loops around;
/// those inside are bound while this runs.
bool tn_vector_is_legal(tn_arith *arith, tn_ir *ir, const tn_node *loop, int64_t lanes);

/// One loop being turned into vectors.
typedef struct tn_vectorizer {
  tn_ir *ir;
  tn_arith *arith;
  uint32_t lanes;
  tn_map vars;         /* id of a variable that differs by lane -> its vector */
  tn_map memo;         /* id of an expression -> its form under the present mask */
  const tn_node *mask; /* lanes that are on (bool vector); NULL: all */
  bool is_failed;      /* something had no vector form: the result is worthless */
} tn_vectorizer;

/// The expression in all lanes: itself when it is the same in each, else a vector.
const tn_node *tn_vector_expr(tn_vectorizer *v, const tn_node *expr);
/// The same, always a vector.
const tn_node *tn_vector_expr_all(tn_vectorizer *v, const tn_node *expr);
/// Sets the mask to the present one and `cond` (a bool vector); returns the old one for
/// tn_vector_pop_mask.
const tn_node *tn_vector_push_mask(tn_vectorizer *v, const tn_node *cond);
void tn_vector_pop_mask(tn_vectorizer *v, const tn_node *old);
const tn_node *tn_vector_not(tn_vectorizer *v, const tn_node *cond);
/// a and b; either may be NULL.
const tn_node *tn_vector_and(tn_vectorizer *v, const tn_node *a, const tn_node *b);

#endif
