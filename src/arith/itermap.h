/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Iteration maps: values that are splits and fuses of loops, recognised by their form alone.
 *
 * A digit of a loop v of extent E is (v // lower) % extent, as mixed-radix numbers have them; a
 * value that is base + sum(digit * scale) is known by its digits. When no digit is used twice the
 * values are independent, when the digits use up the loops the map is injective, and its inverse
 * can be read off. No integer set is asked, so it is cheap and works for symbolic extents; what it
 * does not recognise may still be decided by arith/sets.h.
 *
 *   vars io, ii of extents 8, 16; values {io * 16 + ii}:   one digit of io (scale 16), one of ii;
 *                                                          extent 128, injective, independent
 *   vars i of extent 128; values {i // 16, i % 16}:        the same the other way round
 *   vars io, ii of extents (n + 15) // 16, 16 under the condition io * 16 + ii < n: the value
 *                                                          io * 16 + ii is one digit of a mark of
 *                                                          extent n, as if it were a loop */
#ifndef TN_ARITH_ITERMAP_H
#define TN_ARITH_ITERMAP_H

#include "arith/arith.h"

/// Iterations: mins[i] <= vars[i] < mins[i] + extents[i], and cond. Bounds may use earlier
/// variables (sets.h; iteration maps want them free of the domain's variables) and symbols, which
/// are all variables that are not among vars. Everything is borrowed.
typedef struct tn_domain {
  uint32_t n;
  const tn_node *const *vars;
  const tn_node *const *mins; /* NULL: all begin at 0 */
  const tn_node *const *extents;
  const tn_node *cond; /* bool, or NULL */
} tn_domain;

/// (mark // lower) % extent * scale. Marks are the domain's variables by their index, then the
/// sums that a condition bounds.
typedef struct tn_iter_digit {
  uint32_t mark;
  bool is_top; /* the last digit of its mark: % extent is left out */
  const tn_node *lower;
  const tn_node *extent;
  const tn_node *scale;
} tn_iter_digit;

/// base + sum of the digits, smallest scale first; digits of extent 1 are left out.
typedef struct tn_iter_sum {
  uint32_t n;
  const tn_iter_digit *digits;
  const tn_node *base; /* free of the domain's variables */
  /// Each scale divides the next one, where the digits can be told apart.
  /// When every scale is the one below times its extent: what the value counts, in steps of
  /// `scale`, the least one; a value without digits has extent 1. NULL otherwise.
  const tn_node *extent;
  const tn_node *scale;
  uint64_t loops; /* bit i: the domain's variable i feeds the value */
} tn_iter_sum;

/// A sum in [0, extent): from the domain's condition, which is the only one that can shorten it.
typedef struct tn_iter_mark {
  const tn_iter_sum *sum; /* NULL: a variable of the domain */
  const tn_node *extent;
  const tn_node *cond; /* the conjunct that bounds it; NULL for variables */
  bool is_full;        /* known to take every number of [0, extent) */
} tn_iter_mark;

typedef struct tn_itermap {
  uint32_t n_marks;
  const tn_iter_mark *marks;
  uint32_t n_values;
  const tn_iter_sum *values;
  /// Different iterations give different values.
  bool is_injective;
  /// Each value takes each number of its [base, base + extent) (scale 1), whatever the others are.
  bool is_independent;
} tn_itermap;

enum { TN_ITER_MAX_LOOPS = 64 };

/// Recognises the values over the domain. NULL when they are no iteration map, or when the
/// domain's condition says more than upper bounds of fused and split loops; out_culprit (may be
/// NULL) is then the expression that was not understood. Facts on symbols are taken from arith,
/// none on the loops. The result lies in arith's ir. Bijective: is_injective and is_independent.
const tn_itermap *tn_itermap_detect(tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                                    const tn_node *const *values, const tn_node **out_culprit);

/// A value as outer * inner_extent + inner: outer over the loops outside, inner over those inside,
/// in [0, inner_extent).
typedef struct tn_iter_division {
  const tn_node *outer;
  const tn_node *outer_extent;
  const tn_node *inner;
  const tn_node *inner_extent;
  const tn_node *cond; /* what bounds the value, when outer and inner share it; else NULL */
} tn_iter_division;

/// Divides each value by the first n_outer variables of the domain; base goes to the outer part.
/// Outer and inner parts are independent of each other. False when a value mixes them in another
/// order, or has gaps.
bool tn_itermap_divide(tn_arith *arith, const tn_domain *domain, uint32_t n_outer,
                       uint32_t n_values, const tn_node *const *values, tn_iter_division *out);

/// The inverse of an injective map: out_inverse[i] gives vars[i] of the domain from the variables
/// `results`, one a value, for values that the map takes. out_extents (may be NULL): the box of
/// values, larger than what the map takes when it is not onto (padding). False when the form is
/// not recognised or not injective.
bool tn_itermap_invert(tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                       const tn_node *const *values, const tn_node *const *results,
                       const tn_node **out_inverse, const tn_node **out_extents);

#endif
