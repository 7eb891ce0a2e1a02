/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operations on literals, by the rules of the language: integers wrap at their type, // and % are
 * floors, shifts past the width give 0 (or the sign), float32 rounds after each operation, float to
 * int saturates. Vectors fold where all lanes are equal. Not folded: division by zero (the
 * interpreter reports it) and float results that are NaN (their bits are the machine's). */
#include <math.h>

#include "arith/arith_priv.h"

typedef struct int_type {
  uint32_t bits;
  bool is_unsigned;
} int_type;

static const tn_node *literal(const tn_node *n) {
  if (tn_is(n, TN_OP_BROADCAST)) {
    n = n->in[0];
  }
  return tn_is(n, TN_OP_INT) || tn_is(n, TN_OP_FLOAT) ? n : NULL;
}

static bool int_less(int_type t, int64_t a, int64_t b) {
  return t.is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

static bool fold_int_division(int_type t, tn_op op, int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return false;
  }
  bool is_div = op == TN_OP_DIV || op == TN_OP_FLOORDIV;
  if (t.is_unsigned) {
    *out = (int64_t)(is_div ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
    return true;
  }
  if (b == -1) { /* INT64_MIN / -1 traps in C; wrapping negation is the language's answer */
    *out = is_div ? (int64_t)(0 - (uint64_t)a) : 0;
    return true;
  }
  int64_t quotient = a / b;
  int64_t rest = a % b;
  bool is_floor = op == TN_OP_FLOORDIV || op == TN_OP_FLOORMOD;
  if (is_floor && rest != 0 && (rest < 0) != (b < 0)) {
    quotient -= 1;
    rest += b;
  }
  *out = is_div ? quotient : rest;
  return true;
}

static int64_t fold_shift(int_type t, tn_op op, int64_t a, int64_t b) {
  bool is_past = t.is_unsigned ? (uint64_t)b >= t.bits : b < 0 || b >= (int64_t)t.bits;
  if (op == TN_OP_SHL) {
    return is_past ? 0 : (int64_t)((uint64_t)a << b);
  }
  if (t.is_unsigned) {
    return is_past ? 0 : (int64_t)((uint64_t)a >> b);
  }
  return a >> (is_past ? 63 : b);
}

/* Comparisons and the operations whose result has the operands' type; the caller wraps. */
static bool fold_int_compare(int_type t, tn_op op, int64_t a, int64_t b, int64_t *out) {
  switch ((int)op) {
    case TN_OP_EQ:
      *out = a == b;
      return true;
    case TN_OP_NE:
      *out = a != b;
      return true;
    case TN_OP_LT:
      *out = int_less(t, a, b);
      return true;
    case TN_OP_LE:
      *out = !int_less(t, b, a);
      return true;
    case TN_OP_GT:
      *out = int_less(t, b, a);
      return true;
    case TN_OP_GE:
      *out = !int_less(t, a, b);
      return true;
    default:
      return false;
  }
}

static bool fold_int2(int_type t, tn_op op, int64_t a, int64_t b, int64_t *out) {
  uint64_t ua = (uint64_t)a;
  uint64_t ub = (uint64_t)b;
  switch ((int)op) {
    case TN_OP_ADD:
      *out = (int64_t)(ua + ub);
      return true;
    case TN_OP_SUB:
      *out = (int64_t)(ua - ub);
      return true;
    case TN_OP_MUL:
      *out = (int64_t)(ua * ub);
      return true;
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
      return fold_int_division(t, op, a, b, out);
    case TN_OP_MIN:
      *out = int_less(t, a, b) ? a : b;
      return true;
    case TN_OP_MAX:
      *out = int_less(t, b, a) ? a : b;
      return true;
    case TN_OP_AND:
      *out = a != 0 && b != 0;
      return true;
    case TN_OP_OR:
      *out = a != 0 || b != 0;
      return true;
    case TN_OP_BAND:
      *out = a & b;
      return true;
    case TN_OP_BOR:
      *out = a | b;
      return true;
    case TN_OP_BXOR:
      *out = a ^ b;
      return true;
    case TN_OP_SHL:
    case TN_OP_SHR:
      *out = fold_shift(t, op, a, b);
      return true;
    default:
      return fold_int_compare(t, op, a, b, out);
  }
}

static bool fold_float_compare(tn_op op, double a, double b, int64_t *out) {
  switch ((int)op) {
    case TN_OP_EQ:
      *out = a == b;
      return true;
    case TN_OP_NE:
      *out = a != b;
      return true;
    case TN_OP_LT:
      *out = a < b;
      return true;
    case TN_OP_LE:
      *out = a <= b;
      return true;
    case TN_OP_GT:
      *out = a > b;
      return true;
    case TN_OP_GE:
      *out = a >= b;
      return true;
    default:
      return false;
  }
}

/* The half types compute in float32 and round, as the interpreter does. */
static bool fold_float2(tn_dtype elem, tn_op op, double a, double b, double *out) {
  bool is_double = elem == TN_DT_F64;
  float fa = (float)a;
  float fb = (float)b;
  switch ((int)op) {
    case TN_OP_ADD:
      *out = is_double ? a + b : (double)(fa + fb);
      break;
    case TN_OP_SUB:
      *out = is_double ? a - b : (double)(fa - fb);
      break;
    case TN_OP_MUL:
      *out = is_double ? a * b : (double)(fa * fb);
      break;
    case TN_OP_DIV:
      *out = is_double ? a / b : (double)(fa / fb);
      break;
    case TN_OP_MIN:
      *out = a < b ? a : b;
      break;
    case TN_OP_MAX:
      *out = a > b ? a : b;
      break;
    default:
      return false;
  }
  return !isnan(*out);
}

static const tn_node *fold_binary(tn_ir *ir, const tn_node *n, const tn_node *a, const tn_node *b) {
  tn_dtype elem = tn_dtype_elem(a->dtype);
  int64_t i = 0;
  if (tn_is(a, TN_OP_FLOAT) && tn_is(b, TN_OP_FLOAT)) {
    double x = 0;
    if (fold_float_compare((tn_op)n->op, a->attr.f64, b->attr.f64, &i)) {
      return tn_int(ir, n->dtype, i);
    }
    return fold_float2(elem, (tn_op)n->op, a->attr.f64, b->attr.f64, &x) ? tn_float(ir, n->dtype, x)
                                                                         : NULL;
  }
  if (!tn_is(a, TN_OP_INT) || !tn_is(b, TN_OP_INT)) {
    return NULL;
  }
  int_type t = {tn_dtype_bits(elem), tn_dtype_is_uint(elem)};
  return fold_int2(t, (tn_op)n->op, a->attr.i64, b->attr.i64, &i) ? tn_int(ir, n->dtype, i) : NULL;
}

/* Saturates; NaN gives 0. The limits are exact in double except 2^63 - 1 and 2^64 - 1, hence the
 * powers of two. */
static int64_t float_to_int(double x, uint32_t bits, bool is_unsigned) {
  if (isnan(x)) {
    return 0;
  }
  if (is_unsigned) {
    uint64_t max = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return x <= 0 ? 0 : (int64_t)(x >= ldexp(1, (int)bits) ? max : (uint64_t)x);
  }
  int64_t max = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  double limit = ldexp(1, (int)bits - 1);
  return x < -limit ? -max - 1 : x >= limit ? max : (int64_t)x;
}

static const tn_node *fold_cast(tn_ir *ir, tn_dtype to, const tn_node *v) {
  bool is_to_float = tn_dtype_is_any_float(to);
  bool is_to_int = tn_arith_is_int_type(to);
  if (tn_is(v, TN_OP_FLOAT)) {
    double x = v->attr.f64;
    if (is_to_float) {
      return isnan(x) ? NULL : tn_float(ir, to, x);
    }
    if (tn_dtype_is_bool(to)) {
      return tn_int(ir, to, x != 0);
    }
    return is_to_int ? tn_int(ir, to, float_to_int(x, tn_dtype_bits(to), tn_dtype_is_uint(to)))
                     : NULL;
  }
  int64_t i = v->attr.i64;
  if (tn_dtype_is_bool(to)) {
    return tn_int(ir, to, i != 0);
  }
  if (is_to_int) {
    return tn_int(ir, to, i);
  }
  if (!is_to_float) {
    return NULL;
  }
  /* 64-bit integers round once to float32: through double they would be rounded twice. The narrower
   * types take them through double, as the interpreter does. */
  bool is_u64 = tn_dtype_elem(v->dtype) == TN_DT_U64;
  if (tn_dtype_elem(to) != TN_DT_F32) {
    return tn_float(ir, to, is_u64 ? (double)(uint64_t)i : (double)i);
  }
  return tn_float(ir, to, (double)(is_u64 ? (float)(uint64_t)i : (float)i));
}

static const tn_node *fold_unary(tn_ir *ir, const tn_node *n, const tn_node *v) {
  switch ((int)n->op) {
    case TN_OP_NOT:
      return tn_is(v, TN_OP_INT) ? tn_int(ir, n->dtype, v->attr.i64 == 0) : NULL;
    case TN_OP_BNOT:
      return tn_is(v, TN_OP_INT) ? tn_int(ir, n->dtype, ~v->attr.i64) : NULL;
    case TN_OP_CAST:
      return fold_cast(ir, n->dtype, v);
    case TN_OP_NEG:
      if (tn_is(v, TN_OP_INT)) {
        return tn_int(ir, n->dtype, (int64_t)(0 - (uint64_t)v->attr.i64));
      }
      return isnan(v->attr.f64) ? NULL : tn_float(ir, n->dtype, -v->attr.f64);
    default:
      return NULL;
  }
}

const tn_node *tn_arith_fold(tn_ir *ir, const tn_node *expr) {
  const tn_node *lits[3] = {NULL, NULL, NULL};
  if (expr->n_in == 0 || expr->n_in > 3 || tn_is(expr, TN_OP_BROADCAST) ||
      tn_is(expr, TN_OP_RAMP)) {
    return NULL;
  }
  for (uint32_t i = 0; i < expr->n_in; ++i) {
    lits[i] = literal(expr->in[i]);
    if (lits[i] == NULL) {
      return NULL;
    }
  }
  if (tn_is(expr, TN_OP_SELECT) || tn_is(expr, TN_OP_IF_THEN_ELSE)) {
    return expr->in[lits[0]->attr.i64 != 0 ? TN_SELECT_A : TN_SELECT_B];
  }
  if (expr->n_in == 3) {
    return NULL;
  }
  return expr->n_in == 1 ? fold_unary(ir, expr, lits[0]) : fold_binary(ir, expr, lits[0], lits[1]);
}
