/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Forms, their bounds, and formulas of them: sums with overflow noticed, comparisons, lists without
 * what is trivially true or false, lexicographic orders. */
#include "arith/sets_priv.h"

/* ---- forms ---- */

const tn_form *tn_form_const(tn_question *q, int64_t value) {
  tn_form *f = TN_ARENA_NEW(&q->arena, tn_form);
  f->base = value;
  return f;
}

const tn_form *tn_form_col(tn_question *q, uint32_t col) {
  tn_form *f = TN_ARENA_NEW(&q->arena, tn_form);
  tn_form_term *term = TN_ARENA_NEW(&q->arena, tn_form_term);
  *term = (tn_form_term){col, 1};
  f->n = 1;
  f->terms = term;
  return f;
}

/* x * kx + y * ky, false when it passes int64. */
static bool mul_add(int64_t x, int64_t kx, int64_t y, int64_t ky, int64_t *out) {
  int64_t a = 0;
  int64_t b = 0;
  return !__builtin_mul_overflow(x, kx, &a) && !__builtin_mul_overflow(y, ky, &b) &&
         !__builtin_add_overflow(a, b, out);
}

const tn_form *tn_form_sum(tn_question *q, const tn_form *a, int64_t ka, const tn_form *b,
                           int64_t kb, int64_t k) {
  if (a == NULL || b == NULL) {
    return NULL;
  }
  tn_form *f = TN_ARENA_NEW(&q->arena, tn_form);
  tn_form_term *terms = TN_ARENA_ARRAY(&q->arena, tn_form_term, a->n + b->n);
  bool is_ok =
      mul_add(a->base, ka, b->base, kb, &f->base) && !__builtin_add_overflow(f->base, k, &f->base);
  uint32_t i = 0;
  uint32_t j = 0;
  while (is_ok && (i < a->n || j < b->n)) {
    uint32_t ca = i < a->n ? a->terms[i].col : UINT32_MAX;
    uint32_t cb = j < b->n ? b->terms[j].col : UINT32_MAX;
    int64_t coef = 0;
    is_ok =
        mul_add(ca <= cb ? a->terms[i].coef : 0, ka, cb <= ca ? b->terms[j].coef : 0, kb, &coef);
    if (coef != 0) {
      terms[f->n++] = (tn_form_term){ca < cb ? ca : cb, coef};
    }
    i += ca <= cb;
    j += cb <= ca;
  }
  f->terms = terms;
  q->is_too_big = q->is_too_big || !is_ok;
  return is_ok ? f : NULL;
}

const tn_form *tn_form_scale(tn_question *q, const tn_form *f, int64_t k) {
  return tn_form_sum(q, f, k, tn_form_const(q, 0), 0, 0);
}

tn_range128 tn_form_range(const tn_question *q, const tn_form *f) {
  const __int128 most = (__int128)1 << 110; /* sums of as many as there are columns fit */
  tn_range128 r = {true, true, f->base, f->base};
  for (uint32_t i = 0; i < f->n; ++i) {
    tn_interval iv = q->cols.data[f->terms[i].col].iv;
    __int128 c = f->terms[i].coef;
    r.has_lo = r.has_lo && (c > 0 ? iv.has_lo : iv.has_hi);
    r.has_hi = r.has_hi && (c > 0 ? iv.has_hi : iv.has_lo);
    __int128 lo = c * (c > 0 ? iv.lo : iv.hi);
    __int128 hi = c * (c > 0 ? iv.hi : iv.lo);
    r.has_lo = r.has_lo && lo < most && lo > -most;
    r.has_hi = r.has_hi && hi < most && hi > -most;
    r.lo += r.has_lo ? lo : 0;
    r.hi += r.has_hi ? hi : 0;
  }
  return r;
}

tn_interval tn_range_narrow(tn_range128 r) {
  tn_interval iv = {r.has_lo && r.lo >= INT64_MIN && r.lo <= INT64_MAX,
                    r.has_hi && r.hi >= INT64_MIN && r.hi <= INT64_MAX, 0, 0};
  iv.lo = iv.has_lo ? (int64_t)r.lo : 0;
  iv.hi = iv.has_hi ? (int64_t)r.hi : 0;
  return iv;
}

/* ---- formulas ---- */

static const tn_formula true_formula = {.kind = TN_FM_TRUE};
static const tn_formula false_formula = {.kind = TN_FM_FALSE};

const tn_formula *tn_formula_const(bool truth) { return truth ? &true_formula : &false_formula; }

const tn_formula *tn_formula_atom(tn_question *q, tn_formula_kind kind, const tn_form *form) {
  if (form == NULL) {
    return tn_formula_const(false);
  }
  if (form->n == 0) {
    bool holds = kind == TN_FM_GE ? form->base >= 0 : form->base == 0;
    return holds ? tn_formula_const(true) : tn_formula_const(false);
  }
  tn_formula *f = TN_ARENA_NEW(&q->arena, tn_formula);
  f->kind = kind;
  f->form = *form;
  q->n_formulas += 1;
  q->is_too_big = q->is_too_big || q->n_formulas > TN_SETS_MAX_FORMULAS;
  return f;
}

const tn_formula *tn_formula_list(tn_question *q, tn_formula_kind kind, uint32_t n,
                                  const tn_formula *const *parts) {
  const tn_formula *neutral = kind == TN_FM_AND ? tn_formula_const(true) : tn_formula_const(false);
  const tn_formula *final = kind == TN_FM_AND ? tn_formula_const(false) : tn_formula_const(true);
  const tn_formula **kept = TN_ARENA_ARRAY(&q->arena, const tn_formula *, n);
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (parts[i]->kind == final->kind) {
      return final;
    }
    if (parts[i]->kind != neutral->kind) {
      kept[n_kept++] = parts[i];
    }
  }
  if (n_kept <= 1) {
    return n_kept == 0 ? neutral : kept[0];
  }
  tn_formula *f = TN_ARENA_NEW(&q->arena, tn_formula);
  *f = (tn_formula){.kind = kind, .n = n_kept, .parts = kept};
  q->n_formulas += 1;
  q->is_too_big = q->is_too_big || q->n_formulas > TN_SETS_MAX_FORMULAS;
  return f;
}

const tn_formula *tn_formula_both(tn_question *q, tn_formula_kind kind, const tn_formula *a,
                                  const tn_formula *b) {
  return tn_formula_list(q, kind, 2, (const tn_formula *const[]){a, b});
}

const tn_formula *tn_formula_compare(tn_question *q, tn_op op, const tn_form *a, const tn_form *b) {
  switch ((int)op) {
    case TN_OP_EQ:
      return tn_formula_atom(q, TN_FM_EQ, tn_form_sum(q, a, 1, b, -1, 0));
    case TN_OP_LT:
      return tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, b, 1, a, -1, -1));
    case TN_OP_LE:
      return tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, b, 1, a, -1, 0));
    case TN_OP_GT:
      return tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, a, 1, b, -1, -1));
    case TN_OP_GE:
      return tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, a, 1, b, -1, 0));
    default: /* NE */
      return tn_formula_both(q, TN_FM_OR, tn_formula_compare(q, TN_OP_LT, a, b),
                             tn_formula_compare(q, TN_OP_GT, a, b));
  }
}

const tn_formula *tn_formula_order(tn_question *q, tn_op op, uint32_t n, const tn_form *const *a,
                                   const tn_form *const *b) {
  const tn_formula **equal = TN_ARENA_ARRAY(&q->arena, const tn_formula *, n + 1);
  const tn_formula **cases = TN_ARENA_ARRAY(&q->arena, const tn_formula *, n + 1);
  tn_op strict = op == TN_OP_LE ? TN_OP_LT : op == TN_OP_GE ? TN_OP_GT : op;
  uint32_t n_cases = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (op != TN_OP_EQ) { /* the first position that differs decides */
      equal[i] = tn_formula_compare(q, strict, a[i], b[i]);
      cases[n_cases++] = tn_formula_list(q, TN_FM_AND, i + 1, equal);
    }
    equal[i] = tn_formula_compare(q, TN_OP_EQ, a[i], b[i]);
  }
  if (op == TN_OP_EQ || op == TN_OP_LE || op == TN_OP_GE) {
    cases[n_cases++] = tn_formula_list(q, TN_FM_AND, n, equal);
  }
  return tn_formula_list(q, TN_FM_OR, n_cases, cases);
}
