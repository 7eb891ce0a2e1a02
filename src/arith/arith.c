/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The context: what is known of variables, what is assumed, and the memos that hold as long as
 * neither changes. */
#include "arith/arith_priv.h"

#include <string.h>

#include "base/check.h"

tn_arith *tn_arith_new(tn_ir *ir) {
  tn_arith *arith = calloc(1, sizeof *arith);
  TN_CHECK(arith != NULL, "out of memory");
  arith->ir = ir;
  return arith;
}

void tn_arith_free(tn_arith *arith) {
  if (arith == NULL) {
    return;
  }
  TN_VEC_DEINIT(&arith->known);
  tn_map_deinit(&arith->known_at);
  TN_VEC_DEINIT(&arith->ranges);
  TN_VEC_DEINIT(&arith->assumed);
  TN_VEC_DEINIT(&arith->bound_pool);
  tn_map_deinit(&arith->memo);
  tn_map_deinit(&arith->bound_memo);
  free(arith);
}

static void forget_memos(tn_arith *arith) {
  if (arith->memo.len > 0) {
    tn_map_clear(&arith->memo);
  }
  if (arith->bound_memo.len > 0) {
    tn_map_clear(&arith->bound_memo);
  }
  arith->bound_pool.len = 0;
}

const tn_known *tn_arith_known(const tn_arith *arith, const tn_node *var) {
  uint64_t at = 0;
  return tn_map_find(&arith->known_at, var->id, &at) ? &arith->known.data[at] : NULL;
}

static void add_known(tn_arith *arith, tn_known known) {
  tn_map_set(&arith->known_at, known.var->id, arith->known.len);
  TN_VEC_PUSH(&arith->known, known);
}

bool tn_arith_const(const tn_node *n, int64_t *out) {
  if (tn_is(n, TN_OP_BROADCAST)) {
    n = n->in[0];
  }
  if (!tn_is(n, TN_OP_INT)) {
    return false;
  }
  *out = n->attr.i64;
  return true;
}

int64_t tn_arith_floordiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t tn_arith_floormod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

int64_t tn_arith_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y != 0) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x > INT64_MAX ? 1 : (int64_t)x;
}

/* ---- facts ---- */

/* lin >= 0, where it says something over the integers. */
static bool make_fact(tn_arith *arith, const tn_node *big, const tn_node *small, int64_t less,
                      tn_fact *out) {
  *out = (tn_fact){.var = NULL, .cond = NULL};
  tn_lin a;
  tn_lin b;
  tn_lin_init(&a, big->dtype);
  tn_lin_init(&b, small->dtype);
  tn_lin_collect_expanded(arith->ir, &a, big, 1);
  tn_lin_collect_expanded(arith->ir, &b, small, 1);
  if (a.is_failed || b.is_failed || !tn_lin_is_exact(arith, &a, 0) ||
      !tn_lin_is_exact(arith, &b, 0)) {
    return false;
  }
  tn_lin_init(&out->lin,
              TN_DT_I64); /* over the integers from here on; prove.c takes small numbers only */
  tn_lin_add_lin(&out->lin, &a, 1);
  tn_lin_add_lin(&out->lin, &b, -1);
  tn_lin_add_const(&out->lin, -less);
  int64_t base = 0;
  return !out->lin.is_failed && !__builtin_sub_overflow(a.base, b.base, &base);
}

void tn_arith_bind_range(tn_arith *arith, const tn_node *var, const tn_node *min,
                         const tn_node *extent) {
  tn_arith_unbind(arith, var);
  min = tn_arith_simplify(arith, min);
  extent = tn_arith_simplify(arith, extent);
  const tn_node *end = tn_arith_simplify(arith, tn_binary(arith->ir, TN_OP_ADD, min, extent));
  tn_fact low;
  tn_fact high;
  bool has_low = make_fact(arith, var, min, 0, &low);
  bool has_high = make_fact(arith, end, var, 1, &high);
  if (has_low) {
    low.var = var;
    TN_VEC_PUSH(&arith->ranges, low);
  }
  if (has_high) {
    high.var = var;
    TN_VEC_PUSH(&arith->ranges, high);
  }
  add_known(arith, (tn_known){var, min, extent, NULL, false});
  forget_memos(arith);
}

void tn_arith_bind_value(tn_arith *arith, const tn_node *var, const tn_node *value) {
  tn_arith_unbind(arith, var);
  bool is_data = tn_arith_is_int_type(value->dtype) && tn_arith_bound(arith, value).is_data;
  add_known(arith, (tn_known){var, NULL, NULL, value, is_data});
}

/* A value says nothing of other variables, so the memos outlive it. A range does: i < n says 0 < n.
 */
void tn_arith_unbind(tn_arith *arith, const tn_node *var) {
  uint64_t at = 0;
  if (!tn_map_find(&arith->known_at, var->id, &at)) {
    return;
  }
  bool is_range = arith->known.data[at].min != NULL;
  tn_map_remove(&arith->known_at, var->id);
  arith->known.data[at].var = NULL;
  while (arith->known.len > 0 && TN_VEC_LAST(&arith->known).var == NULL) {
    (void)TN_VEC_POP(&arith->known);
  }
  if (!is_range) {
    return;
  }
  size_t n = arith->ranges.len; /* from the end: scopes end in reverse */
  while (n > 0 && arith->ranges.data[n - 1].var == var) {
    --n;
  }
  if (n == arith->ranges.len) { /* not the innermost */
    n = 0;
    for (size_t i = 0; i < arith->ranges.len; ++i) {
      if (arith->ranges.data[i].var != var) {
        arith->ranges.data[n++] = arith->ranges.data[i];
      }
    }
  }
  arith->ranges.len = n;
  forget_memos(arith);
}

static void assume(tn_arith *arith, const tn_node *cond, bool truth);

static void assume_compare(tn_arith *arith, const tn_node *cond, bool truth) {
  const tn_node *a = cond->in[TN_A];
  const tn_node *b = cond->in[TN_B];
  tn_fact fact;
  if (!tn_arith_is_int_type(a->dtype)) {
    return;
  }
  bool is_less = (tn_is(cond, TN_OP_LT) && truth) || (tn_is(cond, TN_OP_GE) && !truth); /* a < b */
  bool is_at_most =
      (tn_is(cond, TN_OP_LE) && truth) || (tn_is(cond, TN_OP_GT) && !truth); /* a <= b */
  bool is_more = (tn_is(cond, TN_OP_GT) && truth) || (tn_is(cond, TN_OP_LE) && !truth);
  bool is_at_least = (tn_is(cond, TN_OP_GE) && truth) || (tn_is(cond, TN_OP_LT) && !truth);
  bool is_equal = (tn_is(cond, TN_OP_EQ) && truth) || (tn_is(cond, TN_OP_NE) && !truth);
  if ((is_less || is_at_most || is_equal) && make_fact(arith, b, a, is_less ? 1 : 0, &fact)) {
    TN_VEC_PUSH(&arith->assumed, fact);
  }
  if ((is_more || is_at_least || is_equal) && make_fact(arith, a, b, is_more ? 1 : 0, &fact)) {
    TN_VEC_PUSH(&arith->assumed, fact);
  }
}

static void assume(tn_arith *arith, const tn_node *cond, bool truth) {
  if ((tn_is(cond, TN_OP_AND) && truth) || (tn_is(cond, TN_OP_OR) && !truth)) {
    assume(arith, cond->in[TN_A], truth);
    assume(arith, cond->in[TN_B], truth);
  } else if (tn_is(cond, TN_OP_NOT)) {
    assume(arith, cond->in[0], !truth);
  } else if (tn_is(cond, TN_OP_INTRIN) && cond->n_in == 1 &&
             strcmp(cond->attr.def->name, "likely") == 0) {
    assume(arith, cond->in[0], truth);
  } else if (!tn_is(cond, TN_OP_INT)) {
    tn_fact fact = {.cond = cond, .truth = truth};
    TN_VEC_PUSH(&arith->assumed, fact);
    if (cond->op >= TN_OP_EQ && cond->op <= TN_OP_GE) {
      assume_compare(arith, cond, truth);
    }
  }
}

/* What reads memory may read something else after the next store, so it is no fact. */
size_t tn_arith_assume(tn_arith *arith, const tn_node *cond) {
  size_t mark = arith->assumed.len;
  if ((cond->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 && tn_dtype_lanes(cond->dtype) == 1) {
    assume(arith, tn_arith_simplify(arith, cond), true);
  }
  if (arith->assumed.len != mark) {
    forget_memos(arith);
  }
  return mark;
}

void tn_arith_pop(tn_arith *arith, size_t mark) {
  if (arith->assumed.len > mark) {
    arith->assumed.len = mark;
    forget_memos(arith);
  }
}
