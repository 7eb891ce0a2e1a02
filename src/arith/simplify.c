/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The simplifier: children first, then literals are folded, vectors of equal lanes become scalars,
 * and the rule of the node's kind runs until nothing changes. The memo holds as long as the facts
 * do (arith.c clears it). */
#include "arith/arith_priv.h"

#include <string.h>

#include "base/check.h"

enum { MAX_ROUNDS = 32, FEW = 8, MAX_CHAIN = 12 };

typedef const tn_node *(*rule_fn)(tn_arith *arith, const tn_node *n);

/* The conditions of a chain of `and`s, in order; false when there are more than MAX_CHAIN. */
static bool collect_chain(const tn_node *n, const tn_node **out, uint32_t *n_out) {
  if (tn_is(n, TN_OP_AND)) {
    return collect_chain(n->in[TN_A], out, n_out) && collect_chain(n->in[TN_B], out, n_out);
  }
  if (*n_out == MAX_CHAIN) {
    return false;
  }
  out[(*n_out)++] = n;
  return true;
}

/* Each condition of a chain may use all others: i < 8 and i < 4 -> i < 4. */
static const tn_node *rule_and(tn_arith *arith, const tn_node *n) {
  const tn_node *chain[MAX_CHAIN];
  uint32_t len = 0;
  if (!collect_chain(n, chain, &len)) {
    return n;
  }
  for (uint32_t i = 0; i < len && tn_dtype_lanes(n->dtype) == 1 && arith->n_nested == 0; ++i) {
    arith->n_nested +=
        1; /* conditions inside conditions do without: the cost would double at each level */
    size_t mark = arith->assumed.len;
    for (uint32_t k = 0; k < len; ++k) {
      if (k != i) {
        (void)tn_arith_assume(arith, chain[k]);
      }
    }
    chain[i] = tn_arith_simplify(arith, chain[i]);
    tn_arith_pop(arith, mark);
    arith->n_nested -= 1;
  }
  const tn_node *all = NULL;
  for (uint32_t i = 0; i < len; ++i) {
    bool is_seen = tn_is_int(chain[i], 1);
    for (uint32_t k = 0; k < i; ++k) {
      is_seen = is_seen || chain[k] == chain[i];
    }
    if (tn_is_int(chain[i], 0)) {
      return chain[i];
    }
    if (!is_seen) {
      all = all == NULL ? chain[i] : tn_binary(arith->ir, TN_OP_AND, all, chain[i]);
    }
  }
  return all == NULL ? tn_int(arith->ir, n->dtype, 1) : all;
}

static const tn_node *rule_or(tn_arith *arith, const tn_node *n) {
  const tn_node *a = n->in[TN_A];
  const tn_node *b = n->in[TN_B];
  int64_t c = 0;
  (void)arith;
  if (tn_arith_const(a, &c)) {
    return c != 0 ? a : b;
  }
  if (tn_arith_const(b, &c)) {
    return c != 0 ? b : a;
  }
  return a == b ? a : n;
}

static const tn_node *rule_likely(tn_arith *arith, const tn_node *n) {
  (void)arith;
  bool is_likely = n->n_in == 1 && strcmp(n->attr.def->name, "likely") == 0;
  return is_likely && tn_is(n->in[0], TN_OP_INT) ? n->in[0] : n;
}

/* A predicate that always holds is none. */
static const tn_node *rule_load(tn_arith *arith, const tn_node *n) {
  if (!tn_is_int(n->in[TN_LOAD_PREDICATE], 1)) {
    return n;
  }
  const tn_node **in = malloc(n->n_in * sizeof *in);
  TN_CHECK(in != NULL, "out of memory");
  memcpy(in, n->in, n->n_in * sizeof *in);
  in[TN_LOAD_PREDICATE] = tn_none(arith->ir);
  const tn_node *made = tn_node_with(arith->ir, n, in);
  free(in);
  return made;
}

static const rule_fn rules[TN_N_OPS] = {
    [TN_OP_ADD] = tn_rule_sum,
    [TN_OP_SUB] = tn_rule_sum,
    [TN_OP_NEG] = tn_rule_sum,
    [TN_OP_MUL] = tn_rule_mul,
    [TN_OP_DIV] = tn_rule_truncdiv,
    [TN_OP_MOD] = tn_rule_truncdiv,
    [TN_OP_FLOORDIV] = tn_rule_floordiv,
    [TN_OP_FLOORMOD] = tn_rule_floormod,
    [TN_OP_MIN] = tn_rule_minmax,
    [TN_OP_MAX] = tn_rule_minmax,
    [TN_OP_EQ] = tn_rule_compare,
    [TN_OP_NE] = tn_rule_compare,
    [TN_OP_LT] = tn_rule_compare,
    [TN_OP_LE] = tn_rule_compare,
    [TN_OP_GT] = tn_rule_compare,
    [TN_OP_GE] = tn_rule_compare,
    [TN_OP_AND] = rule_and,
    [TN_OP_OR] = rule_or,
    [TN_OP_NOT] = tn_rule_not,
    [TN_OP_SELECT] = tn_rule_select,
    [TN_OP_IF_THEN_ELSE] = tn_rule_select,
    [TN_OP_CAST] = tn_rule_cast,
    [TN_OP_RAMP] = tn_rule_ramp,
    [TN_OP_INTRIN] = rule_likely,
    [TN_OP_LOAD] = rule_load,
};

/* Computes each lane for itself. */
static bool is_lanewise(const tn_node *n) {
  bool is_operator = n->op >= TN_OP_ADD && n->op <= TN_OP_SHR;
  return is_operator || tn_is(n, TN_OP_CAST) || tn_is(n, TN_OP_SELECT);
}

/* op(Broadcast(a), Broadcast(b)) -> Broadcast(op(a, b)); the same for a load whose only index is
 * one. NULL where not. */
static const tn_node *lift_broadcast(tn_arith *arith, const tn_node *n) {
  tn_ir *ir = arith->ir;
  const tn_node *in[3];
  bool is_load = tn_is(n, TN_OP_LOAD) && n->n_in == TN_LOAD_INDICES + 1 &&
                 tn_is_none(n->in[TN_LOAD_PREDICATE]);
  if (tn_dtype_lanes(n->dtype) == 1 || !(is_load || is_lanewise(n))) {
    return NULL;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_kept = is_load && i < TN_LOAD_INDICES;
    if (!is_kept && !tn_is(n->in[i], TN_OP_BROADCAST)) {
      return NULL;
    }
    in[i] = is_kept ? n->in[i] : n->in[i]->in[0];
  }
  const tn_node *one = tn_node_new(ir, (tn_op)n->op, tn_dtype_elem(n->dtype), n->attr, n->n_in, in);
  return tn_node_new(ir, TN_OP_BROADCAST, n->dtype, (tn_attr){.i64 = 0}, 1, &one);
}

static const tn_node *apply(tn_arith *arith, const tn_node *n) {
  if (tn_arith_is_effect(
          n)) { /* how often and in which order its parts run is not ours to change */
    return n;
  }
  const tn_node *made = tn_arith_fold(arith->ir, n);
  if (made == NULL) {
    made = lift_broadcast(arith, n);
  }
  if (made == NULL) {
    made = rules[n->op] == NULL ? n : rules[n->op](arith, n);
  }
  return made;
}

static const tn_node *simplify_let(tn_arith *arith, const tn_node *n) {
  tn_ir *ir = arith->ir;
  const tn_node *var = n->in[TN_LET_VAR];
  const tn_node *value = tn_arith_simplify(arith, n->in[TN_LET_VALUE]);
  if (tn_is(value, TN_OP_INT) || tn_is(value, TN_OP_FLOAT) || tn_is(value, TN_OP_VAR)) {
    return tn_arith_simplify(arith, tn_subst1(ir, n->in[TN_LET_BODY], var, value));
  }
  tn_arith_bind_value(arith, var, value);
  const tn_node *body = tn_arith_simplify(arith, n->in[TN_LET_BODY]);
  tn_arith_unbind(arith, var);
  if (value == n->in[TN_LET_VALUE] && body == n->in[TN_LET_BODY]) {
    return n;
  }
  /* The old one may live on beside the new one, and two must not bind one variable. */
  const tn_node *fresh = tn_var_new(ir, var->attr.text, var->dtype);
  const tn_node *in[3] = {fresh, value, tn_subst1(ir, body, var, fresh)};
  return tn_node_with(ir, n, in);
}

static const tn_node *with_children(tn_arith *arith, const tn_node *n) {
  const tn_node *few[FEW] = {NULL};
  const tn_node **in = n->n_in <= FEW ? few : malloc(n->n_in * sizeof *in);
  TN_CHECK(in != NULL, "out of memory");
  for (uint32_t i = 0; i < n->n_in; ++i) {
    in[i] = tn_arith_simplify(arith, n->in[i]);
  }
  const tn_node *made = tn_node_with(arith->ir, n, in);
  if (in != few) {
    free(in);
  }
  return made;
}

/* A `let` of a literal or of another variable. */
static const tn_node *known_literal(const tn_arith *arith, const tn_node *var) {
  const tn_known *known = tn_arith_known(arith, var);
  const tn_node *value = known == NULL ? NULL : known->value;
  bool is_plain = value != NULL &&
                  (tn_is(value, TN_OP_INT) || tn_is(value, TN_OP_FLOAT) || tn_is(value, TN_OP_VAR));
  return is_plain ? value : var;
}

const tn_node *tn_arith_simplify(tn_arith *arith, const tn_node *expr) {
  tn_op_class cls = tn_op_info_get((tn_op)expr->op)->cls;
  if (tn_is(expr, TN_OP_VAR)) {
    return known_literal(arith, expr);
  }
  bool is_plain = cls == TN_CLASS_EXPR || tn_is(expr, TN_OP_LIST);
  if (!is_plain || expr->n_in == 0 || tn_is(expr, TN_OP_LAMBDA) || tn_is(expr, TN_OP_REDUCER) ||
      tn_is(expr, TN_OP_TARGET)) {
    return expr;
  }
  uint64_t word = 0;
  if (tn_map_find(&arith->memo, expr->id, &word)) {
    return (const tn_node *)(uintptr_t)word;
  }
  const tn_node *n =
      tn_is(expr, TN_OP_LET) ? simplify_let(arith, expr) : with_children(arith, expr);
  for (int round = 0; round < MAX_ROUNDS; ++round) {
    const tn_node *next = apply(arith, n);
    if (next == n) {
      break;
    }
    n = next->n_in == 0 || tn_is(next, TN_OP_LET) ? next : with_children(arith, next);
  }
  tn_map_set(&arith->memo, expr->id, (uint64_t)(uintptr_t)n);
  tn_map_set(&arith->memo, n->id, (uint64_t)(uintptr_t)n);
  return n;
}
