/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions to forms over columns and conditions to formulas. Every node's value is over the
 * integers: where its type could wrap it, the node is not affine (see the promise in sets.h). A
 * quotient, rest, minimum or choice gets a column of its own with conjuncts that define it. */
#include <string.h>

#include "arith/arith_priv.h"
#include "arith/sets_priv.h"

static const tn_interval unknown = {false, false, 0, 0};

/* ---- what types hold ---- */

static bool is_within(tn_range128 r, tn_interval type) {
  return r.has_lo && r.has_hi && (!type.has_lo || r.lo >= type.lo) &&
         (r.hi <= (type.has_hi ? (__int128)type.hi : (__int128)UINT64_MAX));
}

/* The type holds the form's value: by its bounds, or by what index arithmetic promises. */
static bool is_exact(const tn_question *q, const tn_form *f, tn_dtype dtype) {
  tn_range128 r = tn_form_range(q, f);
  if (f->n == 1 && f->base == 0 && f->terms[0].coef == 1) {
    return true; /* a column's value was in range where it was made */
  }
  if ((r.has_lo && r.has_hi) || !tn_arith_is_index_type(dtype)) {
    return is_within(r, tn_interval_of_type(dtype));
  }
  int64_t sane = tn_dtype_bits(dtype) >= 64 ? (int64_t)1 << 40 : (int64_t)1 << 20;
  bool is_sane = f->base <= sane && f->base >= -sane;
  for (uint32_t i = 0; is_sane && i < f->n; ++i) {
    is_sane = f->terms[i].coef <= sane && f->terms[i].coef >= -sane;
  }
  return is_sane;
}

/* ---- the question ---- */

void tn_question_init(tn_question *q, tn_sets *sets) {
  *q = (tn_question){.sets = sets};
  tn_arena_init(&q->arena, 0);
}

void tn_question_deinit(tn_question *q) {
  TN_VEC_DEINIT(&q->cols);
  TN_VEC_DEINIT(&q->divisions);
  TN_VEC_DEINIT(&q->defs);
  tn_map_deinit(&q->symbols);
  tn_arena_deinit(&q->arena);
}

uint32_t tn_question_add_col(tn_question *q, tn_col_kind kind, const tn_node *node,
                             tn_interval iv) {
  q->is_too_big = q->is_too_big || q->cols.len >= TN_SETS_MAX_COLS;
  TN_VEC_PUSH(&q->cols, (tn_col){kind, node, iv});
  return (uint32_t)q->cols.len - 1;
}

static void define(tn_question *q, const tn_formula *f) { TN_VEC_PUSH(&q->defs, f); }

static const tn_form *refuse(tn_question *q, const tn_node *n) {
  if (q->culprit == NULL) {
    q->culprit = n;
  }
  return NULL;
}

/* Types that are not trusted to stay within index numbers have their range as bounds. */
static tn_interval interval_of_var(tn_dtype dtype) {
  return tn_arith_is_index_type(dtype) ? unknown : tn_interval_of_type(dtype);
}

static void define_range(tn_question *q, uint32_t col, tn_interval iv) {
  const tn_form *f = tn_form_col(q, col);
  if (iv.has_lo) {
    define(q, tn_formula_compare(q, TN_OP_GE, f, tn_form_const(q, iv.lo)));
  }
  if (iv.has_hi) {
    define(q, tn_formula_compare(q, TN_OP_LE, f, tn_form_const(q, iv.hi)));
  }
}

uint32_t tn_question_symbol(tn_question *q, const tn_node *n, tn_col_kind kind) {
  uint64_t at = 0;
  if (!tn_map_find(&q->symbols, n->id, &at)) {
    tn_interval iv = interval_of_var(n->dtype);
    at = tn_question_add_col(q, kind, n, iv);
    tn_map_set(&q->symbols, n->id, at);
    define_range(q, (uint32_t)at, iv);
  }
  return (uint32_t)at;
}

/* ---- divisions ---- */

static bool is_same_form(const tn_form *a, const tn_form *b) {
  return a->n == b->n && a->base == b->base &&
         (a->n == 0 || memcmp(a->terms, b->terms, a->n * sizeof *a->terms) == 0);
}

/* quotient: form = divisor * quotient + rest, 0 <= rest < divisor. */
static tn_division *divide(tn_question *q, const tn_form *f, int64_t divisor) {
  for (size_t i = 0; i < q->divisions.len; ++i) {
    tn_division *d = &q->divisions.data[i];
    if (d->divisor == divisor && is_same_form(d->form, f)) {
      return d;
    }
  }
  tn_interval iv = tn_range_narrow(tn_form_range(q, f));
  iv.lo = iv.has_lo ? tn_arith_floordiv(iv.lo, divisor) : 0;
  iv.hi = iv.has_hi ? tn_arith_floordiv(iv.hi, divisor) : 0;
  uint32_t quotient = tn_question_add_col(q, TN_COL_EXTRA, NULL, iv);
  const tn_form *rest = tn_form_sum(q, f, 1, tn_form_col(q, quotient), -divisor, 0);
  if (rest == NULL) {
    return NULL;
  }
  define(q, tn_formula_atom(q, TN_FM_GE, rest));
  define(q, tn_formula_compare(q, TN_OP_LT, rest, tn_form_const(q, divisor)));
  TN_VEC_PUSH(&q->divisions, (tn_division){f, divisor, quotient, UINT32_MAX});
  return &TN_VEC_LAST(&q->divisions);
}

static const tn_form *floor_quotient(tn_question *q, const tn_form *f, int64_t divisor) {
  if (f == NULL || f->n == 0) {
    return f == NULL ? NULL : tn_form_const(q, tn_arith_floordiv(f->base, divisor));
  }
  const tn_division *d = divide(q, f, divisor);
  return d == NULL ? NULL : tn_form_col(q, d->quotient);
}

/* The rest has a column of its own, so that its bounds are known where it is used. */
static const tn_form *floor_rest(tn_question *q, const tn_form *f, int64_t divisor) {
  if (f == NULL || f->n == 0) {
    return f == NULL ? NULL : tn_form_const(q, tn_arith_floormod(f->base, divisor));
  }
  tn_division *d = divide(q, f, divisor);
  if (d == NULL) {
    return NULL;
  }
  if (d->rest == UINT32_MAX) {
    d->rest = tn_question_add_col(q, TN_COL_EXTRA, NULL, (tn_interval){true, true, 0, divisor - 1});
    const tn_form *rest = tn_form_sum(q, f, 1, tn_form_col(q, d->quotient), -divisor, 0);
    define(q, tn_formula_compare(q, TN_OP_EQ, rest, tn_form_col(q, d->rest)));
  }
  return tn_form_col(q, d->rest);
}

/* A column that is `a` where cond holds and `b` where not_cond does. */
static const tn_form *choose(tn_question *q, const tn_formula *cond, const tn_formula *not_cond,
                             const tn_form *a, const tn_form *b) {
  if (a == NULL || b == NULL) {
    return NULL;
  }
  if (cond->kind == TN_FM_TRUE || not_cond->kind == TN_FM_FALSE) {
    return a;
  }
  if (cond->kind == TN_FM_FALSE || not_cond->kind == TN_FM_TRUE) {
    return b;
  }
  tn_interval ia = tn_range_narrow(tn_form_range(q, a));
  tn_interval ib = tn_range_narrow(tn_form_range(q, b));
  tn_interval iv = {ia.has_lo && ib.has_lo, ia.has_hi && ib.has_hi, ia.lo < ib.lo ? ia.lo : ib.lo,
                    ia.hi > ib.hi ? ia.hi : ib.hi};
  uint32_t col = tn_question_add_col(q, TN_COL_EXTRA, NULL, iv);
  const tn_form *value = tn_form_col(q, col);
  define(q,
         tn_formula_both(
             q, TN_FM_OR,
             tn_formula_both(q, TN_FM_AND, cond, tn_formula_compare(q, TN_OP_EQ, value, a)),
             tn_formula_both(q, TN_FM_AND, not_cond, tn_formula_compare(q, TN_OP_EQ, value, b))));
  return value;
}

/* Toward zero: -(-f // divisor) where f is negative. */
static const tn_form *trunc_quotient(tn_question *q, const tn_form *f, int64_t divisor) {
  if (f == NULL) {
    return NULL;
  }
  tn_range128 r = tn_form_range(q, f);
  if (r.has_lo && r.lo >= 0) {
    return floor_quotient(q, f, divisor);
  }
  const tn_form *zero = tn_form_const(q, 0);
  const tn_form *up = floor_quotient(q, f, divisor);
  const tn_form *down = tn_form_scale(q, floor_quotient(q, tn_form_scale(q, f, -1), divisor), -1);
  return choose(q, tn_formula_compare(q, TN_OP_GE, f, zero),
                tn_formula_compare(q, TN_OP_LT, f, zero), up, down);
}

/* f / divisor in the sense of op; the divisor may be negative. */
static const tn_form *quotient_or_rest(tn_question *q, tn_op op, const tn_form *f,
                                       int64_t divisor) {
  bool is_negative = divisor < 0;
  if (is_negative) {
    divisor = -divisor; /* not INT64_MIN: the caller looked */
  }
  const tn_form *quotient = NULL;
  switch ((int)op) {
    case TN_OP_FLOORDIV:
      return floor_quotient(q, is_negative ? tn_form_scale(q, f, -1) : f, divisor);
    case TN_OP_FLOORMOD:
      return is_negative ? tn_form_scale(q, floor_rest(q, tn_form_scale(q, f, -1), divisor), -1)
                         : floor_rest(q, f, divisor);
    case TN_OP_DIV:
      quotient = trunc_quotient(q, f, divisor);
      return is_negative ? tn_form_scale(q, quotient, -1) : quotient;
    default: { /* MOD: the divisor's sign does not matter */
      tn_range128 r = tn_form_range(q, f);
      if (r.has_lo && r.lo >= 0) {
        return floor_rest(q, f, divisor);
      }
      return tn_form_sum(q, f, 1, trunc_quotient(q, f, divisor), -divisor, 0);
    }
  }
}

/* ---- expressions ---- */

static const tn_form *convert(tn_instance *inst, const tn_node *n);

static bool const_of(const tn_form *f, int64_t *out) {
  if (f == NULL || f->n != 0) {
    return false;
  }
  *out = f->base;
  return true;
}

static const tn_form *convert_binary(tn_instance *inst, const tn_node *n) {
  tn_question *q = inst->q;
  const tn_form *a = tn_instance_form(inst, n->in[TN_A]);
  const tn_form *b = tn_instance_form(inst, n->in[TN_B]);
  int64_t k = 0;
  if (a == NULL || b == NULL) {
    return NULL;
  }
  if (tn_is(n, TN_OP_BAND) && a->n == 0) {
    const tn_form *swapped = a;
    a = b;
    b = swapped;
  }
  bool is_const = const_of(b, &k);
  switch ((int)n->op) {
    case TN_OP_ADD:
      return tn_form_sum(q, a, 1, b, 1, 0);
    case TN_OP_SUB:
      return tn_form_sum(q, a, 1, b, -1, 0);
    case TN_OP_MUL:
      if (is_const) {
        return tn_form_scale(q, a, k);
      }
      return const_of(a, &k) ? tn_form_scale(q, b, k) : refuse(q, n);
    case TN_OP_SHL:
      return is_const && k >= 0 && k < 62 ? tn_form_scale(q, a, (int64_t)1 << k) : refuse(q, n);
    case TN_OP_SHR:
      return is_const && k >= 0 && k < 62 ? floor_quotient(q, a, (int64_t)1 << k) : refuse(q, n);
    case TN_OP_BAND: /* the low bits, in two's complement */
      return is_const && k > 0 && k < INT64_MAX && (k & (k + 1)) == 0 ? floor_rest(q, a, k + 1)
                                                                      : refuse(q, n);
    case TN_OP_MIN:
      return choose(q, tn_formula_compare(q, TN_OP_LT, a, b), tn_formula_compare(q, TN_OP_GE, a, b),
                    a, b);
    case TN_OP_MAX:
      return choose(q, tn_formula_compare(q, TN_OP_GT, a, b), tn_formula_compare(q, TN_OP_LE, a, b),
                    a, b);
    default:
      return is_const && k != 0 && k != INT64_MIN ? quotient_or_rest(q, (tn_op)n->op, a, k)
                                                  : refuse(q, n);
  }
}

static const tn_form *convert_choice(tn_instance *inst, const tn_node *n) {
  const tn_node *cond = n->in[TN_SELECT_COND];
  const tn_formula *yes = tn_instance_formula(inst, cond, true);
  const tn_formula *no = tn_instance_formula(inst, cond, false);
  const tn_form *a = tn_instance_form(inst, n->in[TN_SELECT_A]);
  const tn_form *b = tn_instance_form(inst, n->in[TN_SELECT_B]);
  return tn_question_is_failed(inst->q) ? NULL : choose(inst->q, yes, no, a, b);
}

static const tn_form *convert_cast(tn_instance *inst, const tn_node *n) {
  tn_question *q = inst->q;
  const tn_node *value = n->in[0];
  tn_dtype from = value->dtype;
  if (tn_dtype_is_bool(from)) {
    const tn_formula *yes = tn_instance_formula(inst, value, true);
    const tn_formula *no = tn_instance_formula(inst, value, false);
    return tn_question_is_failed(q) ? NULL
                                    : choose(q, yes, no, tn_form_const(q, 1), tn_form_const(q, 0));
  }
  const tn_form *f = tn_instance_form(inst, value);
  if (f == NULL) {
    return NULL;
  }
  bool is_wider = tn_dtype_is_uint(from) == tn_dtype_is_uint(n->dtype)
                      ? tn_dtype_bits(n->dtype) >= tn_dtype_bits(from)
                      : tn_dtype_is_uint(from) && tn_dtype_bits(n->dtype) > tn_dtype_bits(from);
  if (!is_wider && !is_within(tn_form_range(q, f), tn_interval_of_type(n->dtype))) {
    return refuse(q, n);
  }
  return f;
}

static const tn_form *convert_let(tn_instance *inst, const tn_node *n) {
  const tn_form *value = tn_instance_form(inst, n->in[TN_LET_VALUE]);
  if (value == NULL) {
    return NULL;
  }
  tn_map_set(&inst->lets, n->in[TN_LET_VAR]->id, (uintptr_t)value);
  return tn_instance_form(inst, n->in[TN_LET_BODY]);
}

static const tn_form *convert_var(tn_instance *inst, const tn_node *n) {
  uint64_t at = 0;
  if (tn_map_find(&inst->vars, n->id, &at)) {
    return tn_form_col(inst->q, (uint32_t)at);
  }
  return tn_form_col(inst->q, tn_question_symbol(inst->q, n, TN_COL_SYMBOL));
}

static const tn_form *convert(tn_instance *inst, const tn_node *n) {
  tn_question *q = inst->q;
  switch ((int)n->op) {
    case TN_OP_INT:
      return tn_dtype_is_uint(n->dtype) && n->attr.i64 < 0 ? refuse(q, n)
                                                           : tn_form_const(q, n->attr.i64);
    case TN_OP_VAR:
      return convert_var(inst, n);
    case TN_OP_NEG:
      return tn_form_scale(q, tn_instance_form(inst, n->in[0]), -1);
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_SHL:
    case TN_OP_SHR:
    case TN_OP_BAND:
      return convert_binary(inst, n);
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return convert_choice(inst, n);
    case TN_OP_CAST:
      return convert_cast(inst, n);
    case TN_OP_LET:
      return convert_let(inst, n);
    case TN_OP_INTRIN:
      return n->n_in == 1 && strcmp(n->attr.def->name, "likely") == 0
                 ? tn_instance_form(inst, n->in[0])
                 : refuse(q, n);
    default:
      return refuse(q, n);
  }
}

static tn_visit uses_instance(const tn_node *n, void *ctx) {
  const tn_instance *inst = ctx;
  bool is_bound = tn_map_find(&inst->vars, n->id, NULL) || tn_map_find(&inst->lets, n->id, NULL);
  return is_bound || tn_is(n, TN_OP_LET) ? TN_STOP : TN_DESCEND;
}

/* Of symbols alone: one unknown number, whatever it computes. */
static bool is_symbolic(tn_instance *inst, const tn_node *n) {
  return (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 && tn_dtype_lanes(n->dtype) == 1 &&
         tn_arith_is_int_type(n->dtype) && tn_walk_distinct(n, uses_instance, inst);
}

const tn_form *tn_instance_form(tn_instance *inst, const tn_node *expr) {
  tn_question *q = inst->q;
  uint64_t at = 0;
  if (tn_question_is_failed(q)) {
    return NULL;
  }
  if (tn_map_find(&inst->lets, expr->id, &at) || tn_map_find(&inst->memo, expr->id, &at)) {
    return (const tn_form *)(uintptr_t)at;
  }
  bool is_int = tn_arith_is_int_type(expr->dtype) || tn_dtype_is_bool(expr->dtype);
  if (!is_int || tn_dtype_lanes(expr->dtype) != 1) {
    return refuse(q, expr);
  }
  const tn_form *f = convert(inst, expr);
  if (f != NULL && !is_exact(q, f, expr->dtype)) {
    f = refuse(q, expr);
  }
  if (f == NULL && !q->is_too_big && is_symbolic(inst, expr)) {
    q->culprit = NULL;
    f = tn_form_col(q, tn_question_symbol(q, expr, TN_COL_OPAQUE));
  }
  if (f != NULL) {
    tn_map_set(&inst->memo, expr->id, (uintptr_t)f);
  }
  return f;
}

/* ---- conditions ---- */

static tn_op mirrored(tn_op op) {
  switch ((int)op) {
    case TN_OP_LT:
      return TN_OP_GT;
    case TN_OP_LE:
      return TN_OP_GE;
    case TN_OP_GT:
      return TN_OP_LT;
    case TN_OP_GE:
      return TN_OP_LE;
    default:
      return op;
  }
}

static tn_op negated(tn_op op) {
  switch ((int)op) {
    case TN_OP_LT:
      return TN_OP_GE;
    case TN_OP_LE:
      return TN_OP_GT;
    case TN_OP_GT:
      return TN_OP_LE;
    case TN_OP_GE:
      return TN_OP_LT;
    default:
      return op == TN_OP_EQ ? TN_OP_NE : TN_OP_EQ;
  }
}

/* a op n, where a minimum or maximum on the right is taken apart: that needs no column. */
static const tn_formula *compare_to(tn_instance *inst, tn_op op, const tn_form *a,
                                    const tn_node *n) {
  tn_question *q = inst->q;
  bool is_less = op == TN_OP_LT || op == TN_OP_LE;
  bool is_order = is_less || op == TN_OP_GT || op == TN_OP_GE;
  if (is_order && a != NULL && (tn_is(n, TN_OP_MIN) || tn_is(n, TN_OP_MAX))) {
    return tn_formula_both(q, tn_is(n, TN_OP_MIN) == is_less ? TN_FM_AND : TN_FM_OR,
                           compare_to(inst, op, a, n->in[TN_A]),
                           compare_to(inst, op, a, n->in[TN_B]));
  }
  const tn_form *b = tn_instance_form(inst, n);
  return a == NULL || b == NULL ? tn_formula_const(false) : tn_formula_compare(q, op, a, b);
}

static const tn_formula *convert_compare(tn_instance *inst, const tn_node *n, bool truth) {
  const tn_node *a = n->in[TN_A];
  const tn_node *b = n->in[TN_B];
  tn_op op = truth ? (tn_op)n->op : negated((tn_op)n->op);
  if (tn_dtype_is_bool(a->dtype) && (op == TN_OP_EQ || op == TN_OP_NE)) {
    bool is_equal = op == TN_OP_EQ;
    const tn_formula *a_yes = tn_instance_formula(inst, a, true);
    const tn_formula *a_no = tn_instance_formula(inst, a, false);
    const tn_formula *with = tn_instance_formula(inst, b, is_equal);
    const tn_formula *without = tn_instance_formula(inst, b, !is_equal);
    return tn_formula_both(inst->q, TN_FM_OR, tn_formula_both(inst->q, TN_FM_AND, a_yes, with),
                           tn_formula_both(inst->q, TN_FM_AND, a_no, without));
  }
  if (tn_is(a, TN_OP_MIN) || tn_is(a, TN_OP_MAX)) {
    return compare_to(inst, mirrored(op), tn_instance_form(inst, b), a);
  }
  return compare_to(inst, op, tn_instance_form(inst, a), b);
}

static const tn_formula *convert_cond_choice(tn_instance *inst, const tn_node *n, bool truth) {
  const tn_formula *yes = tn_instance_formula(inst, n->in[TN_SELECT_COND], true);
  const tn_formula *no = tn_instance_formula(inst, n->in[TN_SELECT_COND], false);
  const tn_formula *a = tn_instance_formula(inst, n->in[TN_SELECT_A], truth);
  const tn_formula *b = tn_instance_formula(inst, n->in[TN_SELECT_B], truth);
  return tn_formula_both(inst->q, TN_FM_OR, tn_formula_both(inst->q, TN_FM_AND, yes, a),
                         tn_formula_both(inst->q, TN_FM_AND, no, b));
}

static const tn_formula *is_nonzero(tn_instance *inst, const tn_node *n, bool truth) {
  const tn_form *f = tn_instance_form(inst, n);
  return f == NULL ? tn_formula_const(false)
                   : tn_formula_compare(inst->q, truth ? TN_OP_NE : TN_OP_EQ, f,
                                        tn_form_const(inst->q, 0));
}

const tn_formula *tn_instance_formula(tn_instance *inst, const tn_node *cond, bool truth) {
  tn_question *q = inst->q;
  if (tn_question_is_failed(q)) {
    return tn_formula_const(false);
  }
  if (tn_dtype_lanes(cond->dtype) != 1) {
    (void)refuse(q, cond);
    return tn_formula_const(false);
  }
  switch ((int)cond->op) {
    case TN_OP_AND:
    case TN_OP_OR:
      return tn_formula_both(q, tn_is(cond, TN_OP_AND) == truth ? TN_FM_AND : TN_FM_OR,
                             tn_instance_formula(inst, cond->in[TN_A], truth),
                             tn_instance_formula(inst, cond->in[TN_B], truth));
    case TN_OP_NOT:
      return tn_instance_formula(inst, cond->in[0], !truth);
    case TN_OP_EQ:
    case TN_OP_NE:
    case TN_OP_LT:
    case TN_OP_LE:
    case TN_OP_GT:
    case TN_OP_GE:
      return convert_compare(inst, cond, truth);
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return convert_cond_choice(inst, cond, truth);
    case TN_OP_CAST: /* to bool: != 0 */
      return tn_dtype_is_bool(cond->in[0]->dtype) ? tn_instance_formula(inst, cond->in[0], truth)
                                                  : is_nonzero(inst, cond->in[0], truth);
    case TN_OP_INTRIN:
      if (cond->n_in == 1 && strcmp(cond->attr.def->name, "likely") == 0) {
        return tn_instance_formula(inst, cond->in[0], truth);
      }
      (void)refuse(q, cond);
      return tn_formula_const(false);
    default: /* a variable or literal, 0 or 1 */
      return is_nonzero(inst, cond, truth);
  }
}

const tn_formula *tn_instance_within(tn_instance *inst, const tn_form *value, const tn_node *min,
                                     const tn_node *extent) {
  tn_question *q = inst->q;
  const tn_form *offset = tn_form_sum(
      q, value, 1, min == NULL ? tn_form_const(q, 0) : tn_instance_form(inst, min), -1, 0);
  if (extent == NULL) {
    return tn_formula_atom(q, TN_FM_EQ, offset);
  }
  return tn_formula_both(q, TN_FM_AND, tn_formula_atom(q, TN_FM_GE, offset),
                         compare_to(inst, TN_OP_LT, offset, extent));
}

/* ---- domains ---- */

static tn_range128 range_of_node(tn_instance *inst, const tn_node *n) {
  if (tn_is(n, TN_OP_MIN)) { /* no column for it: see compare_to */
    tn_range128 a = range_of_node(inst, n->in[TN_A]);
    tn_range128 b = range_of_node(inst, n->in[TN_B]);
    bool is_a = a.has_hi && (!b.has_hi || a.hi < b.hi);
    return (tn_range128){a.has_lo && b.has_lo, a.has_hi || b.has_hi, a.lo < b.lo ? a.lo : b.lo,
                         is_a ? a.hi : b.hi};
  }
  const tn_form *f = tn_instance_form(inst, n);
  return f == NULL ? (tn_range128){false, false, 0, 0} : tn_form_range(inst->q, f);
}

void tn_instance_init(tn_instance *inst, tn_question *q, tn_col_kind kind,
                      const tn_domain *domain) {
  *inst = (tn_instance){.q = q};
  uint32_t *cols = TN_ARENA_ARRAY(&q->arena, uint32_t, domain->n);
  inst->cols = cols;
  inst->n_vars = domain->n;
  for (uint32_t i = 0; i < domain->n && !tn_question_is_failed(q); ++i) {
    const tn_node *min = domain->mins == NULL ? NULL : domain->mins[i];
    tn_range128 range = min == NULL ? (tn_range128){true, true, 0, 0} : range_of_node(inst, min);
    tn_range128 extent = range_of_node(inst, domain->extents[i]);
    range.has_hi = range.has_hi && extent.has_hi;
    range.hi += extent.hi - 1;
    cols[i] = tn_question_add_col(q, kind, domain->vars[i], tn_range_narrow(range));
    tn_map_set(&inst->vars, domain->vars[i]->id, cols[i]);
    define(q, tn_instance_within(inst, tn_form_col(q, cols[i]), min, domain->extents[i]));
  }
  if (domain->cond != NULL && !tn_question_is_failed(q)) {
    define(q, tn_instance_formula(inst, domain->cond, true));
  }
}

void tn_instance_deinit(tn_instance *inst) {
  tn_map_deinit(&inst->vars);
  tn_map_deinit(&inst->lets);
  tn_map_deinit(&inst->memo);
}
