/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Linear forms: a sum as base + coefficients of atoms, in the order of the variables, and back to
 * an expression. Collecting and emitting hold in wrapping arithmetic, so any integer type may pass
 * through here. */
#include "arith/arith_priv.h"
#include "base/check.h"

enum { MAX_FACTORS = 16 };

static int64_t wrap(tn_dtype dtype, uint64_t value) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (bits >= 64) {
    return (int64_t)value;
  }
  uint64_t sign = (uint64_t)1 << (bits - 1);
  uint64_t low = value & ((sign << 1) - 1);
  return (int64_t)((low ^ sign) - sign);
}

/* By the first leaf, so that the order follows the variables and not who was built first. */
bool tn_arith_less(const tn_node *a, const tn_node *b) {
  const tn_node *la = a;
  const tn_node *lb = b;
  while (la->n_in > 0 && tn_op_info_get((tn_op)la->op)->cls != TN_CLASS_LEAF) {
    la = la->in[0];
  }
  while (lb->n_in > 0 && tn_op_info_get((tn_op)lb->op)->cls != TN_CLASS_LEAF) {
    lb = lb->in[0];
  }
  return la != lb ? la->id < lb->id : a->id < b->id;
}

void tn_lin_init(tn_lin *lin, tn_dtype dtype) {
  lin->dtype = dtype;
  lin->n = 0;
  lin->is_failed = false;
  lin->base = 0;
}

void tn_lin_add_const(tn_lin *lin, int64_t value) {
  lin->base = wrap(lin->dtype, (uint64_t)lin->base + (uint64_t)value);
}

void tn_lin_add_atom(tn_lin *lin, const tn_node *atom, int64_t coef) {
  coef = wrap(lin->dtype, (uint64_t)coef);
  uint32_t at = 0;
  while (at < lin->n && tn_arith_less(lin->terms[at].atom, atom)) {
    ++at;
  }
  bool is_there = at < lin->n && lin->terms[at].atom == atom;
  if (is_there) {
    coef = wrap(lin->dtype, (uint64_t)coef + (uint64_t)lin->terms[at].coef);
    lin->terms[at].coef = coef;
  }
  if (is_there && coef == 0) {
    lin->n -= 1;
    for (uint32_t i = at; i < lin->n; ++i) {
      lin->terms[i] = lin->terms[i + 1];
    }
  }
  if (is_there || coef == 0) {
    return;
  }
  if (lin->n == TN_LIN_MAX) {
    lin->is_failed = true;
    return;
  }
  for (uint32_t i = lin->n; i > at; --i) {
    lin->terms[i] = lin->terms[i - 1];
  }
  lin->terms[at] = (tn_term){atom, coef};
  lin->n += 1;
}

void tn_lin_add_lin(tn_lin *lin, const tn_lin *other, int64_t coef) {
  lin->is_failed = lin->is_failed || other->is_failed;
  tn_lin_add_const(lin, (int64_t)((uint64_t)other->base * (uint64_t)coef));
  for (uint32_t i = 0; i < other->n; ++i) {
    tn_lin_add_atom(lin, other->terms[i].atom,
                    (int64_t)((uint64_t)other->terms[i].coef * (uint64_t)coef));
  }
}

static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* The part of a sum that is not a leaf of it; true when `expr` was one and its parts were handed
 * on. */
#define COLLECT_SUM(SELF)                                               \
  int64_t value = 0;                                                    \
  if (tn_is(expr, TN_OP_ADD) || tn_is(expr, TN_OP_SUB)) {               \
    SELF(expr->in[0], coef);                                            \
    SELF(expr->in[1], tn_is(expr, TN_OP_ADD) ? coef : times(coef, -1)); \
    return;                                                             \
  }                                                                     \
  if (tn_is(expr, TN_OP_NEG)) {                                         \
    SELF(expr->in[0], times(coef, -1));                                 \
    return;                                                             \
  }                                                                     \
  if (tn_is(expr, TN_OP_MUL) && tn_arith_const(expr->in[1], &value)) {  \
    SELF(expr->in[0], times(coef, value));                              \
    return;                                                             \
  }                                                                     \
  if (tn_is(expr, TN_OP_MUL) && tn_arith_const(expr->in[0], &value)) {  \
    SELF(expr->in[1], times(coef, value));                              \
    return;                                                             \
  }

void tn_lin_collect(tn_lin *lin, const tn_node *expr, int64_t coef) {
  if (lin->is_failed) {
    return;
  }
#define AGAIN(e, k) tn_lin_collect(lin, e, k)
  COLLECT_SUM(AGAIN)
#undef AGAIN
  if (tn_is(expr, TN_OP_INT)) {
    tn_lin_add_const(lin, times(expr->attr.i64, coef));
  } else {
    tn_lin_add_atom(lin, expr, coef);
  }
}

static void collect_product(tn_ir *ir, tn_lin *lin, const tn_node *expr, int64_t coef) {
  tn_lin a;
  tn_lin b;
  tn_lin_init(&a, lin->dtype);
  tn_lin_init(&b, lin->dtype);
  tn_lin_collect_expanded(ir, &a, expr->in[0], 1);
  tn_lin_collect_expanded(ir, &b, expr->in[1], 1);
  if (a.is_failed || b.is_failed || a.n * b.n > TN_LIN_MAX) {
    tn_lin_add_atom(lin, expr, coef);
    return;
  }
  tn_lin_add_const(lin, times(times(a.base, b.base), coef));
  for (uint32_t i = 0; i < a.n; ++i) {
    tn_lin_add_atom(lin, a.terms[i].atom, times(times(a.terms[i].coef, b.base), coef));
    for (uint32_t j = 0; j < b.n; ++j) {
      const tn_node *atom = tn_lin_mul_atoms(ir, a.terms[i].atom, b.terms[j].atom);
      tn_lin_add_atom(lin, atom, times(times(a.terms[i].coef, b.terms[j].coef), coef));
    }
  }
  for (uint32_t j = 0; j < b.n; ++j) {
    tn_lin_add_atom(lin, b.terms[j].atom, times(times(b.terms[j].coef, a.base), coef));
  }
}

void tn_lin_collect_expanded(tn_ir *ir, tn_lin *lin, const tn_node *expr, int64_t coef) {
  if (lin->is_failed) {
    return;
  }
#define AGAIN(e, k) tn_lin_collect_expanded(ir, lin, e, k)
  COLLECT_SUM(AGAIN)
#undef AGAIN
  if (tn_is(expr, TN_OP_INT)) {
    tn_lin_add_const(lin, times(expr->attr.i64, coef));
  } else if (tn_is(expr, TN_OP_MUL) && tn_dtype_lanes(expr->dtype) == 1) {
    collect_product(ir, lin, expr, coef);
  } else {
    tn_lin_add_atom(lin, expr, coef);
  }
}

void tn_vlin_init(tn_vlin *v, tn_dtype dtype) {
  tn_lin_init(&v->base, tn_dtype_elem(dtype));
  tn_lin_init(&v->stride, tn_dtype_elem(dtype));
  tn_lin_init(&v->rest, dtype);
}

void tn_vlin_collect(tn_vlin *v, const tn_node *expr, int64_t coef) {
#define AGAIN(e, k) tn_vlin_collect(v, e, k)
  COLLECT_SUM(AGAIN)
#undef AGAIN
  if (tn_is(expr, TN_OP_RAMP)) {
    tn_lin_collect(&v->base, expr->in[TN_RAMP_BASE], coef);
    tn_lin_collect(&v->stride, expr->in[TN_RAMP_STRIDE], coef);
  } else if (tn_is(expr, TN_OP_BROADCAST)) {
    tn_lin_collect(&v->base, expr->in[0], coef);
  } else {
    tn_lin_add_atom(&v->rest, expr, coef);
  }
}

static const tn_node *emit_term(tn_ir *ir, const tn_lin *lin, tn_term term, int64_t coef) {
  return coef == 1 ? term.atom : tn_binary(ir, TN_OP_MUL, term.atom, tn_int(ir, lin->dtype, coef));
}

/* A sum reads best when it starts with something positive: i*4 - j + 2, 3 - i, -i. */
const tn_node *tn_lin_emit(tn_ir *ir, const tn_lin *lin) {
  TN_ASSERT(!lin->is_failed, "a linear form with too many terms was used");
  uint32_t first = 0;
  while (first < lin->n && lin->terms[first].coef < 0) {
    ++first;
  }
  bool is_base_done = first == lin->n && (lin->n == 0 || lin->base > 0);
  const tn_node *sum = NULL;
  if (is_base_done) {
    sum = tn_int(ir, lin->dtype, lin->base);
  } else if (first < lin->n) {
    sum = emit_term(ir, lin, lin->terms[first], lin->terms[first].coef);
  }
  for (uint32_t i = 0; i < lin->n; ++i) {
    tn_term term = lin->terms[i];
    if (i == first) {
      continue;
    }
    if (sum == NULL && term.coef == -1) {
      sum = tn_node_new(ir, TN_OP_NEG, lin->dtype, (tn_attr){.i64 = 0}, 1, &term.atom);
    } else if (sum == NULL) {
      sum = emit_term(ir, lin, term, term.coef);
    } else if (term.coef < 0 && term.coef != wrap(lin->dtype, 0 - (uint64_t)term.coef)) {
      sum = tn_binary(ir, TN_OP_SUB, sum, emit_term(ir, lin, term, -term.coef));
    } else {
      sum = tn_binary(ir, TN_OP_ADD, sum, emit_term(ir, lin, term, term.coef));
    }
  }
  if (is_base_done || lin->base == 0) {
    return sum;
  }
  if (lin->base < 0 && lin->base != wrap(lin->dtype, 0 - (uint64_t)lin->base)) {
    return tn_binary(ir, TN_OP_SUB, sum, tn_int(ir, lin->dtype, -lin->base));
  }
  return tn_binary(ir, TN_OP_ADD, sum, tn_int(ir, lin->dtype, lin->base));
}

/* ---- products of atoms ---- */

typedef struct factors {
  const tn_node *items[MAX_FACTORS];
  uint32_t n;
  bool is_failed;
} factors;

static void collect_factors(factors *f, const tn_node *n) {
  if (f->is_failed) { /* shared squares of squares have more factors than time */
    return;
  }
  if (tn_is(n, TN_OP_MUL)) {
    collect_factors(f, n->in[0]);
    collect_factors(f, n->in[1]);
    return;
  }
  if (f->n == MAX_FACTORS) {
    f->is_failed = true;
    return;
  }
  uint32_t at = f->n;
  while (at > 0 && tn_arith_less(n, f->items[at - 1])) {
    f->items[at] = f->items[at - 1];
    --at;
  }
  f->items[at] = n;
  f->n += 1;
}

static const tn_node *emit_factors(tn_ir *ir, const factors *f) {
  const tn_node *product = f->items[0];
  for (uint32_t i = 1; i < f->n; ++i) {
    product = tn_binary(ir, TN_OP_MUL, product, f->items[i]);
  }
  return product;
}

const tn_node *tn_lin_mul_atoms(tn_ir *ir, const tn_node *a, const tn_node *b) {
  factors f = {.n = 0};
  collect_factors(&f, a);
  collect_factors(&f, b);
  return f.is_failed ? tn_binary(ir, TN_OP_MUL, a, b) : emit_factors(ir, &f);
}

const tn_node *tn_lin_div_atoms(tn_ir *ir, const tn_node *a, const tn_node *b) {
  factors fa = {.n = 0};
  factors fb = {.n = 0};
  collect_factors(&fa, a);
  collect_factors(&fb, b);
  if (fa.is_failed || fb.is_failed) {
    return NULL;
  }
  factors rest = {.n = 0};
  uint32_t j = 0;
  for (uint32_t i = 0; i < fa.n; ++i) {
    if (j < fb.n && fa.items[i] == fb.items[j]) {
      ++j;
    } else {
      rest.items[rest.n++] = fa.items[i];
    }
  }
  if (j < fb.n) {
    return NULL;
  }
  return rest.n == 0 ? tn_int(ir, a->dtype, 1) : emit_factors(ir, &rest);
}

/* ---- linear in given variables ---- */

typedef struct uses_ctx {
  uint32_t n_vars;
  const tn_node *const *vars;
} uses_ctx;

static tn_visit uses_enter(const tn_node *n, void *ctx) {
  const uses_ctx *uses = ctx;
  for (uint32_t i = 0; i < uses->n_vars; ++i) {
    if (n == uses->vars[i]) {
      return TN_STOP;
    }
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

bool tn_arith_linear(tn_arith *arith, const tn_node *expr, uint32_t n_vars,
                     const tn_node *const *vars, const tn_node **out_coefs,
                     const tn_node **out_base) {
  tn_lin lin;
  tn_lin_init(&lin, expr->dtype);
  if (!tn_arith_is_int_type(expr->dtype) || tn_dtype_lanes(expr->dtype) != 1) {
    return false;
  }
  tn_lin_collect_expanded(arith->ir, &lin, tn_arith_simplify(arith, expr), 1);
  if (lin.is_failed) {
    return false;
  }
  uses_ctx uses = {n_vars, vars};
  tn_lin base = lin;
  for (uint32_t v = 0; v < n_vars; ++v) {
    tn_lin coef;
    tn_lin_init(&coef, expr->dtype);
    for (uint32_t i = 0; i < lin.n; ++i) {
      const tn_node *rest = tn_lin_div_atoms(arith->ir, lin.terms[i].atom, vars[v]);
      if (rest == NULL) {
        continue;
      }
      if (!tn_walk_distinct(rest, uses_enter, &uses)) {
        return false;
      }
      tn_lin_collect(&coef, rest, lin.terms[i].coef);
      tn_lin_add_atom(&base, lin.terms[i].atom, times(lin.terms[i].coef, -1));
    }
    out_coefs[v] = tn_lin_emit(arith->ir, &coef);
  }
  for (uint32_t i = 0; i < base.n; ++i) {
    if (!tn_walk_distinct(base.terms[i].atom, uses_enter, &uses)) {
      return false;
    }
  }
  *out_base = tn_lin_emit(arith->ir, &base);
  return true;
}
