/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside arith: the context, linear forms, and the rules that simplify.c puts in its table.
 *
 * Two kinds of integers. DATA (loads, calls, types other than int32 and int64) wraps, so a law that
 * holds for integers only without wrapping is used on data only where the bounds show that nothing
 * wraps. The same is asked of INDEX expressions (int32/int64 over variables and literals) where all
 * bounds are known. Where a size is unknown, an index expression with numbers of a sane magnitude
 * is promised not to wrap. Sums and products by constants hold either way. */
#ifndef TN_ARITH_ARITH_PRIV_H
#define TN_ARITH_ARITH_PRIV_H

#include "arith/arith.h"

enum { TN_LIN_MAX = 32 };

typedef struct tn_term {
  const tn_node *atom; /* what is not a sum */
  int64_t coef;        /* never 0 */
} tn_term;

/// base + sum(coef * atom), terms in the order of tn_arith_less; coefficients wrapped to the type's
/// width, read as signed.
typedef struct tn_lin {
  tn_dtype dtype;
  uint32_t n;
  bool is_failed; /* more than TN_LIN_MAX terms: do not use */
  int64_t base;
  tn_term terms[TN_LIN_MAX];
} tn_lin;

/// What is known of a variable.
typedef struct tn_known {
  const tn_node *var;
  const tn_node *min; /* min <= var < min + extent, or NULL */
  const tn_node *extent;
  const tn_node *value; /* var == value, or NULL */
  bool is_data;
} tn_known;

typedef struct tn_fact {
  const tn_node *var;  /* whose range it is, or NULL: an assumption */
  const tn_node *cond; /* a bool known to be `truth`, or NULL: lin >= 0 */
  bool truth;
  tn_lin lin;
} tn_fact;

/// Bounds of a node, and whether it is data.
typedef struct tn_bound {
  tn_interval iv;
  bool is_data;
} tn_bound;

struct tn_arith {
  tn_ir *ir;
  TN_VEC(tn_known) known; /* var NULL: forgotten */
  tn_map known_at;        /* id of a variable -> index in known */
  TN_VEC(tn_fact) ranges; /* from tn_arith_bind_range */
  TN_VEC(tn_fact) assumed;
  tn_map memo;       /* id -> simplified node; both memos hold for the present facts */
  tn_map bound_memo; /* id -> index in bound_pool */
  TN_VEC(tn_bound) bound_pool;
  uint32_t n_nested; /* of proofs that use facts */
};

/* ---- arith.c ---- */
/// Borrowed until the next binding; NULL when nothing is known.
const tn_known *tn_arith_known(const tn_arith *arith, const tn_node *var);
/// The int of an INT or of a BROADCAST of one.
bool tn_arith_const(const tn_node *n, int64_t *out);
static inline bool tn_arith_is_index_type(tn_dtype dt) {
  return tn_dtype_elem(dt) == TN_DT_I32 || tn_dtype_elem(dt) == TN_DT_I64;
}
static inline bool tn_arith_is_int_type(tn_dtype dt) {
  return tn_dtype_is_int(dt) || tn_dtype_is_uint(dt);
}
static inline bool tn_arith_is_effect(const tn_node *n) { return (n->flags & TN_NF_EFFECT) != 0; }
int64_t tn_arith_floordiv(int64_t a, int64_t b); /* b > 0 */
int64_t tn_arith_floormod(int64_t a, int64_t b); /* b > 0 */
int64_t tn_arith_gcd(int64_t a, int64_t b);      /* of absolute values */

/* ---- linear.c ---- */
/// The order of terms and factors.
bool tn_arith_less(const tn_node *a, const tn_node *b);
void tn_lin_init(tn_lin *lin, tn_dtype dtype);
void tn_lin_add_const(tn_lin *lin, int64_t value);
void tn_lin_add_atom(tn_lin *lin, const tn_node *atom, int64_t coef);
void tn_lin_add_lin(tn_lin *lin, const tn_lin *other, int64_t coef);
/// lin += coef * expr, through ADD, SUB, NEG and MUL by a literal.
void tn_lin_collect(tn_lin *lin, const tn_node *expr, int64_t coef);
/// The same, also multiplying sums out, so that equal polynomials give equal forms.
void tn_lin_collect_expanded(tn_ir *ir, tn_lin *lin, const tn_node *expr, int64_t coef);
/// The expression of a scalar form.
const tn_node *tn_lin_emit(tn_ir *ir, const tn_lin *lin);
/// The product of two atoms, factors in order.
const tn_node *tn_lin_mul_atoms(tn_ir *ir, const tn_node *a, const tn_node *b);
/// a / b where b's factors are among a's; NULL where not; the literal 1 when equal.
const tn_node *tn_lin_div_atoms(tn_ir *ir, const tn_node *a, const tn_node *b);

/// A vector sum: RAMP(base, stride) + rest.
typedef struct tn_vlin {
  tn_lin base;
  tn_lin stride;
  tn_lin rest;
} tn_vlin;
void tn_vlin_init(tn_vlin *v, tn_dtype dtype);
void tn_vlin_collect(tn_vlin *v, const tn_node *expr, int64_t coef);

/* ---- bounds.c ---- */
tn_interval tn_interval_of_type(tn_dtype dtype);
tn_bound tn_arith_bound(tn_arith *arith, const tn_node *expr);
tn_interval tn_lin_bounds(tn_arith *arith, const tn_lin *lin);
bool tn_lin_is_data(tn_arith *arith, const tn_lin *lin);
/// The form's value over the integers is the expression's (nothing wraps), with `margin` to spare
/// on each side.
bool tn_lin_is_exact(tn_arith *arith, const tn_lin *lin, int64_t margin);

/* ---- prove.c ---- */
/// lin >= 0 (expanded form).
bool tn_arith_nonneg(tn_arith *arith, const tn_lin *lin);
typedef enum tn_truth { TN_UNKNOWN, TN_TRUE, TN_FALSE } tn_truth;
/// op: LT LE EQ NE on integers.
tn_truth tn_arith_decide(tn_arith *arith, tn_op op, const tn_node *a, const tn_node *b);

/* ---- rules: given a node with simplified children, its replacement or itself ---- */
const tn_node *tn_rule_sum(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_mul(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_floordiv(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_floormod(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_truncdiv(tn_arith *arith, const tn_node *n); /* DIV and MOD */
const tn_node *tn_rule_compare(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_minmax(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_select(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_not(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_cast(tn_arith *arith, const tn_node *n);
const tn_node *tn_rule_ramp(tn_arith *arith, const tn_node *n);

#endif
