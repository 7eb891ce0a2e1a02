/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which part of a dimension a round of a loop has to itself, by the form of the indices alone. */
#include "arith/arith_priv.h"
#include "base/check.h"

enum { MAX_VARS = 64 };

/* The sum of what the variables but the first add, 0 where one can not be counted. */
static bool bound_rest(tn_arith *arith, tn_dtype dtype, uint32_t n, const tn_node *const *vars,
                       const tn_node *const *coefs, tn_interval *out) {
  tn_ir *ir = arith->ir;
  const tn_node *rest = tn_int(ir, dtype, 0);
  for (uint32_t i = 1; i < n; ++i) {
    if (tn_is_int(coefs[i], 0)) {
      continue;
    }
    if (vars[i]->dtype != coefs[i]->dtype || vars[i]->dtype != dtype) {
      return false;
    }
    rest = tn_binary(ir, TN_OP_ADD, rest, tn_binary(ir, TN_OP_MUL, coefs[i], vars[i]));
  }
  *out = tn_arith_bounds(arith, rest);
  return out->has_lo && out->has_hi;
}

/* What does not move with the loop, where it is no sum over the other variables: between what and
 * what it lies will do. */
static bool bound_base(tn_arith *arith, const tn_node *index, const tn_node *var, tn_reach *out) {
  const tn_node *coef = NULL;
  const tn_node *base = NULL;
  if (!tn_arith_linear(arith, index, 1, &var, &coef, &base) || !tn_is(coef, TN_OP_INT) ||
      (base->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0) {
    return false;
  }
  tn_interval bounds = tn_arith_bounds(arith, base);
  *out = (tn_reach){coef->attr.i64, bounds.lo, bounds.hi, tn_int(arith->ir, index->dtype, 0)};
  return bounds.has_lo && bounds.has_hi;
}

bool tn_arith_reach(tn_arith *arith, const tn_node *index, uint32_t n, const tn_node *const *vars,
                    tn_reach *out) {
  const tn_node *coefs[MAX_VARS];
  const tn_node *base = NULL;
  tn_interval rest = {0};
  if (!tn_arith_is_index_type(index->dtype)) {
    return false; /* it may wrap */
  }
  if (n > MAX_VARS || !tn_arith_linear(arith, index, n, vars, coefs, &base) ||
      (base->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0 || !tn_is(coefs[0], TN_OP_INT) ||
      !bound_rest(arith, index->dtype, n, vars, coefs, &rest)) {
    return bound_base(arith, index, vars[0], out);
  }
  int64_t offset = tn_is(base, TN_OP_INT) ? base->attr.i64 : 0;
  *out = (tn_reach){.coef = coefs[0]->attr.i64,
                    .base = offset == 0 ? base : tn_int(arith->ir, index->dtype, 0)};
  return !__builtin_add_overflow(rest.lo, offset, &out->lo) &&
         !__builtin_add_overflow(rest.hi, offset, &out->hi);
}

bool tn_reach_join(tn_reach *all, const tn_reach *one) {
  if (one->coef != all->coef || one->base != all->base) {
    return false;
  }
  all->lo = one->lo < all->lo ? one->lo : all->lo;
  all->hi = one->hi > all->hi ? one->hi : all->hi;
  return true;
}

bool tn_reach_is_apart(const tn_reach *reach) {
  int64_t width = 0;
  int64_t step =
      reach->coef < 0 ? -(reach->coef + 1) : reach->coef - 1; /* less 1: none overflows */
  return !__builtin_sub_overflow(reach->hi, reach->lo, &width) && reach->coef != 0 && width <= step;
}
