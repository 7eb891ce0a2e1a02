/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside iteration maps: the context of one call. itermap_sum.c makes sums of digits, itermap.c
 * judges them, itermap_use.c divides and inverts. Scales, extents and bases are expressions of one
 * integer type, that of the widest variable; they are compared by proofs of arith. */
#ifndef TN_ARITH_ITERMAP_PRIV_H
#define TN_ARITH_ITERMAP_PRIV_H

#include "arith/arith_priv.h"
#include "arith/itermap.h"

enum { TN_ITER_MAX_DIGITS = 24, TN_ITER_MAX_MARKS = TN_ITER_MAX_LOOPS + 16 };

/// base + sum of digits, in no order.
typedef struct tn_sum {
  uint32_t n;
  const tn_node *base;
  tn_iter_digit digits[TN_ITER_MAX_DIGITS];
} tn_sum;

typedef struct tn_mapper {
  tn_arith *arith;
  tn_ir *ir;
  const tn_domain *domain;
  tn_dtype dtype;
  tn_map vars; /* id -> index in the domain */
  uint32_t n_marks;
  tn_iter_mark marks[TN_ITER_MAX_MARKS];
  const tn_node *culprit;
  bool is_failed; /* a number passed its type: believe nothing */
} tn_mapper;

/* ---- itermap_sum.c ---- */
/// False: the domain does not begin at 0, or its condition is not understood.
bool tn_mapper_init(tn_mapper *m, tn_arith *arith, const tn_domain *domain, uint32_t n_values,
                    const tn_node *const *values);
void tn_mapper_deinit(tn_mapper *m);
/// The sum of an expression; false, and the culprit, when it is none.
bool tn_mapper_sum(tn_mapper *m, const tn_node *expr, tn_sum *out);
/// Sorts by scale, smallest first, and finds extent and scale (see tn_iter_sum). False: the digits
/// cannot be told apart, because a scale is not known to be past what is below it.
bool tn_mapper_order(tn_mapper *m, tn_sum *sum, const tn_node **out_extent,
                     const tn_node **out_scale);
uint64_t tn_mapper_loops(tn_mapper *m, const tn_iter_digit *d);
/// A copy that lasts.
const tn_iter_sum *tn_mapper_keep(tn_mapper *m, const tn_sum *sum, const tn_node *extent,
                                  const tn_node *scale);

const tn_node *tn_mapper_int(tn_mapper *m, int64_t value);
/// n in the mapper's type.
const tn_node *tn_mapper_typed(tn_mapper *m, const tn_node *n);
const tn_node *tn_mapper_op(tn_mapper *m, tn_op op, const tn_node *a, const tn_node *b);
/// a op b is proved; op: a comparison.
bool tn_mapper_is(tn_mapper *m, tn_op op, const tn_node *a, const tn_node *b);
/// a / b; NULL when b is not known to divide a.
const tn_node *tn_mapper_divide(tn_mapper *m, const tn_node *a, const tn_node *b);

/* ---- itermap.c ---- */
/// The mark's digits in the list reach from 1 to its extent.
bool tn_mapper_is_covered(tn_mapper *m, uint32_t mark, uint32_t n,
                          const tn_iter_digit *const *digits);
/// The values' sums, ordered. out_is_told_apart: in each, the digits can be read off the value.
bool tn_mapper_values(tn_mapper *m, uint32_t n_values, const tn_node *const *values,
                      tn_iter_sum *out, bool *out_is_told_apart);

#endif
