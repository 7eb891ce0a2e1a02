/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Exact questions about integer sets: domains of loops, the elements that statements touch, the
 * order in which they run. Affine expressions with symbolic sizes; decided with isl, under a cap.
 *
 *   tn_sets *sets = tn_sets_new();
 *   size_t mark = tn_sets_assume(sets, n >= 1);
 *   tn_footprint write = {{.n = 2, .vars = ij, .extents = nm}, {.n_dims = 2, .mins = ij}};
 *   tn_order order = {TN_OP_NE, 1, &j, &j};                // another j ...
 *   tn_answer answer = tn_sets_is_independent(sets, &write, &write, 1, &order);
 *   if (answer.verdict == TN_REFUTED) { ... answer.a.values ... }   // ... on the same element
 *   tn_sets_free(sets);
 *
 * Each question is a claim: PROVED, REFUTED with example values, UNDECIDED (past the cap, counted),
 * or NOT_AFFINE (a load, a product of variables, a cast or sum that may wrap ...). Variables that
 * are not in the domain they are used with are symbols: one unknown value each, the same in all
 * parts of a question, any that their type and the assumptions allow. So an outer loop that two
 * statements share can be a symbol with assumed bounds, or a variable in both domains that an order
 * sets equal. What is not affine over symbols alone (n * m) is taken as one more symbol, which can
 * prove but not refute.
 *
 * Answers are remembered by the structure of the question, so names do not matter and nodes may
 * come from any tn_ir. What index arithmetic promises (it does not wrap) is used where a size is
 * unknown; where all bounds are known and a sum can pass its type, it is NOT_AFFINE. */
#ifndef TN_ARITH_SETS_H
#define TN_ARITH_SETS_H

#include "arith/itermap.h"

typedef struct tn_sets tn_sets;
tn_sets *tn_sets_new(void);
void tn_sets_free(tn_sets *sets);
/// Adds a bool over symbols that holds in all questions to come; returns a mark for tn_sets_pop.
/// One that is not affine, or whose symbols do not occur, is left out of a question.
size_t tn_sets_assume(tn_sets *sets, const tn_node *cond);
void tn_sets_pop(tn_sets *sets, size_t mark);

enum { TN_SETS_MAX_OPS = 200000 };
/// isl operations a question; TN_SETS_MAX_OPS unless set. Forgets remembered UNDECIDEDs.
void tn_sets_set_max_ops(tn_sets *sets, uint64_t max_ops);

typedef struct tn_sets_stats {
  uint64_t n_asked;
  uint64_t n_remembered; /* answered by the memo */
  uint64_t n_quick;      /* answered by the integer test, without isl */
  uint64_t n_exact;      /* answered by isl */
  uint64_t n_undecided;
  uint64_t n_not_affine;
} tn_sets_stats;
tn_sets_stats tn_sets_stats_get(const tn_sets *sets);

typedef enum tn_verdict { TN_PROVED, TN_REFUTED, TN_UNDECIDED, TN_NOT_AFFINE } tn_verdict;

/// Values of variables, as long as the context lives.
typedef struct tn_point {
  uint32_t n;
  const tn_node *const *vars;
  const int64_t *values;
} tn_point;

typedef struct tn_answer {
  tn_verdict verdict;
  /// REFUTED: an iteration of the first domain, one of the second where the question has two, the
  /// symbols. Left empty when a value passes int64, or when the cap is
  /// reached on the way back from an element to an iteration.
  tn_point a;
  tn_point b;
  tn_point symbols;
  const tn_node *culprit; /* NOT_AFFINE: the expression */
} tn_answer;

/// The elements that an iteration touches: in each dimension [min, min + extent).
typedef struct tn_access {
  uint32_t n_dims;
  const tn_node *const *mins;
  const tn_node *const *extents; /* NULL: one element */
} tn_access;

/// What the iterations of a statement touch.
typedef struct tn_footprint {
  tn_domain domain;
  tn_access access;
} tn_footprint;

/// A relation of two iterations: (a[0], a[1] ...) op (b[0], b[1] ...), lexicographic; a over the
/// first one's variables, b over the second's. op: EQ NE LT LE GT GE. NE: some position differs.
typedef struct tn_order {
  tn_op op;
  uint32_t n;
  const tn_node *const *a;
  const tn_node *const *b;
} tn_order;

/// The domain has no iteration.
tn_answer tn_sets_is_empty(tn_sets *sets, const tn_domain *domain);
/// cond holds in every iteration.
tn_answer tn_sets_is_true(tn_sets *sets, const tn_domain *domain, const tn_node *cond);
/// Whatever `part` touches, one of `whole` touches. The witness is an iteration of `part`; b holds
/// no variables.
tn_answer tn_sets_is_covered(tn_sets *sets, const tn_footprint *part, uint32_t n_whole,
                             const tn_footprint *whole);
/// Both touch the same elements. The witness is an iteration of the one that touches more: a, or b.
tn_answer tn_sets_is_equal(tn_sets *sets, const tn_footprint *a, const tn_footprint *b);
/// Iterations with equal keys have equal values: values are a function of keys.
tn_answer tn_sets_is_determined(tn_sets *sets, const tn_domain *domain, uint32_t n_keys,
                                const tn_node *const *keys, uint32_t n_values,
                                const tn_node *const *values);
/// Different iterations have different values.
tn_answer tn_sets_is_injective(tn_sets *sets, const tn_domain *domain, uint32_t n_values,
                               const tn_node *const *values);
/// Injective, and the values are exactly those of the box [0, extents[i]). The witness: two
/// iterations with one value (a, b), or one with a value outside (a), or none (a value is missed).
tn_answer tn_sets_is_bijective(tn_sets *sets, const tn_domain *domain, uint32_t n_values,
                               const tn_node *const *values, const tn_node *const *extents);
/// No iteration of `a` and iteration of `b` that are in all the given orders touch one element.
/// With no dimensions: no two iterations are in all the orders.
tn_answer tn_sets_is_independent(tn_sets *sets, const tn_footprint *a, const tn_footprint *b,
                                 uint32_t n_orders, const tn_order *orders);
/// The least box that holds all that the footprint touches, as expressions of symbols and literals
/// in ir: out_mins[d] and out_extents[d]. Exact (PROVED) where isl finds it as a short expression;
/// else UNDECIDED or NOT_AFFINE and nothing is written. It may be anything for symbols with which
/// nothing is touched. No memo.
tn_answer tn_sets_box(tn_sets *sets, tn_ir *ir, const tn_footprint *footprint,
                      const tn_node **out_mins, const tn_node **out_extents);

#endif
