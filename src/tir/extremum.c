/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The minimum and maximum of two values that are NaN where either is, in the language's own terms:
 *
 *   maximum(a, b) = T.Select(T.isnan(b), b, T.max(b, a))
 *
 * T.max(b, a) is b > a ? b : a: of two numbers the larger, and a when either is NaN. So it is not
 * associative where there are NaNs; this is, and a reduction by it may take its elements in any order
 * (decision 010). Beside a number one T.max is enough, with what may be NaN second. */
#include <math.h>

#include "tir/tir.h"

static bool is_never_nan(const tn_node *n) {
  return !tn_dtype_is_any_float(n->dtype) || (tn_is(n, TN_OP_FLOAT) && !isnan(n->attr.f64)) ||
         (tn_is(n, TN_OP_CAST) && !tn_dtype_is_any_float(n->in[0]->dtype));
}

tn_status tn_tir_extremum(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b,
                          const tn_node **out) {
  const tn_node *is_nan = NULL;
  const tn_node *larger = NULL;
  if (is_never_nan(a)) {
    return tn_tir_binary(ir, op, a, b, out);
  }
  if (is_never_nan(b)) {
    return tn_tir_binary(ir, op, b, a, out);
  }
  TN_TRY(tn_tir_binary(ir, op, b, a, &larger));
  b = larger->in[TN_A]; /* of the common type */
  TN_TRY(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_ISNAN), TN_DT_NONE, 1, &b, &is_nan));
  return tn_tir_select(ir, TN_OP_SELECT, is_nan, b, larger, out);
}

const tn_node *tn_tir_find_extremum(const tn_node *n) {
  const tn_node *test = tn_is(n, TN_OP_SELECT) ? n->in[TN_SELECT_COND] : NULL;
  if (test == NULL || !tn_is(test, TN_OP_INTRIN) || tn_intrin_of(test)->id != TN_INTRIN_ISNAN) {
    return NULL;
  }
  const tn_node *tested = test->in[0];
  const tn_node *other = n->in[TN_SELECT_B];
  bool is_it = n->in[TN_SELECT_A] == tested && other->in[TN_A] == tested &&
               (tn_is(other, TN_OP_MAX) || tn_is(other, TN_OP_MIN));
  return is_it ? other : NULL;
}

const tn_node *tn_tir_with_extremum(tn_ir *ir, const tn_node *n, const tn_node *other) {
  const tn_node *tested = other->in[TN_A];
  const tn_node *in[] = {[TN_SELECT_COND] = tn_node_with(ir, n->in[TN_SELECT_COND], &tested),
                         [TN_SELECT_A] = tested,
                         [TN_SELECT_B] = other};
  return tn_node_with(ir, n, in);
}
