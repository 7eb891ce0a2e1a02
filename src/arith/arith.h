/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Arithmetic facts about index expressions: simplification, bounds, proofs. Works on the nodes of
 * ir; knows no statement.
 *
 *   tn_arith *ar = tn_arith_new(ir);
 *   tn_arith_bind_range(ar, i, zero, n);            // 0 <= i < n
 *   e = tn_arith_simplify(ar, e);
 *   if (tn_arith_prove(ar, cond)) { ... }
 *   tn_arith_free(ar);
 *
 * Laws used hold for wrapping integers only where the type is known not to wrap (index types
 * int32/int64, as the language promises for index arithmetic); floats are only touched where the
 * result is bitwise the same. */
#ifndef TN_ARITH_ARITH_H
#define TN_ARITH_ARITH_H

#include "ir/ir.h"

typedef struct tn_arith tn_arith;
tn_arith *tn_arith_new(tn_ir *ir);
void tn_arith_free(tn_arith *arith);
/// var lies in [min, min + extent); both index expressions. Stays until the context is freed or
/// unbound.
void tn_arith_bind_range(tn_arith *arith, const tn_node *var, const tn_node *min,
                         const tn_node *extent);
/// var equals value (a `let`); what holds for the value holds for var. Same lifetime.
void tn_arith_bind_value(tn_arith *arith, const tn_node *var, const tn_node *value);
void tn_arith_unbind(tn_arith *arith, const tn_node *var);
/// Adds a bool expression known to hold (a predicate of an enclosing `if`); returns a mark for
/// tn_arith_pop.
size_t tn_arith_assume(tn_arith *arith, const tn_node *cond);
void tn_arith_pop(tn_arith *arith, size_t mark);

/// Smallest equal form found: constants folded, linear forms collected in a fixed order, // and %
/// by constants reduced with the known ranges, comparisons decided, min/max and select resolved.
/// Never removes an impure call. Idempotent.
const tn_node *tn_arith_simplify(tn_arith *arith, const tn_node *expr);
/// Is an integer expression made so that it cannot be below 0? A look at its form, for places where no
/// ranges are bound; a variable counts as a size.
bool tn_arith_is_size(const tn_node *expr);
/// True only when proved; false means "not proved".
bool tn_arith_prove(tn_arith *arith, const tn_node *cond);

/// Closed interval of an integer expression; has_lo/has_hi false: unbounded.
typedef struct tn_interval {
  bool has_lo;
  bool has_hi;
  int64_t lo;
  int64_t hi;
} tn_interval;
tn_interval tn_arith_bounds(tn_arith *arith, const tn_node *expr);

/// Folds an operation on literals by the language's rules; NULL when it is none (or divides by
/// zero). Shared by simplifier, parser and tests.
const tn_node *tn_arith_fold(tn_ir *ir, const tn_node *expr);

/// expr = sum(coef[i] * var[i]) + base, when expr is linear in exactly those variables (base free
/// of them); coefs are expressions. False: not linear.
bool tn_arith_linear(tn_arith *arith, const tn_node *expr, uint32_t n_vars,
                     const tn_node *const *vars, const tn_node **out_coefs,
                     const tn_node **out_base);

/// What rounds of a loop reach of a dimension: coef * (the loop's variable) + base + [lo, hi].
typedef struct tn_reach {
  int64_t coef;
  int64_t lo;
  int64_t hi;
  const tn_node *base; /* free of the variables, reads nothing */
} tn_reach;
/// The reach of an index; vars[0] is the loop's variable, the others range as arith knows. False: not
/// of that form.
bool tn_arith_reach(tn_arith *arith, const tn_node *index, uint32_t n, const tn_node *const *vars,
                    tn_reach *out);
/// Widens `all` by another access's; false when they do not move alike.
bool tn_reach_join(tn_reach *all, const tn_reach *one);
/// It is narrower than the step from round to round: each has its part to itself.
bool tn_reach_is_apart(const tn_reach *reach);

#endif
