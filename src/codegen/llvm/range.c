/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Intervals of integer expressions, from the constant bounds of enclosing loops. They decide three
 * things and nothing else: whether 32-bit index arithmetic may be done in 64 bits (it cannot wrap),
 * whether a floor division is a plain one (no operand is negative), and whether a divisor needs a
 * guard. An interval holds for the value as computed, with wrapping; where it is unknown it is the
 * whole type. Intervals are remembered by node: variables are bound once. */
#include "codegen/llvm/cg.h"

/* unsigned 64-bit values do not fit int64: they are "unknown", and nothing is concluded from that.
 */
static tn_cg_range range_of_type(tn_dtype dtype) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_bool(dtype)) {
    return (tn_cg_range){0, 1};
  }
  if (bits >= 64 || bits == 0) {
    return (tn_cg_range){INT64_MIN, INT64_MAX};
  }
  if (tn_dtype_is_uint(dtype)) {
    return (tn_cg_range){0, (INT64_C(1) << bits) - 1};
  }
  return (tn_cg_range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

static bool is_inside(tn_cg_range range, tn_cg_range outer) {
  return range.lo >= outer.lo && range.hi <= outer.hi;
}

static int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

static bool mul_range(tn_cg_range a, tn_cg_range b, tn_cg_range *out) {
  int64_t p[4];
  bool is_over =
      __builtin_mul_overflow(a.lo, b.lo, &p[0]) || __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
      __builtin_mul_overflow(a.hi, b.lo, &p[2]) || __builtin_mul_overflow(a.hi, b.hi, &p[3]);
  if (is_over) {
    return false;
  }
  out->lo = min_i64(min_i64(p[0], p[1]), min_i64(p[2], p[3]));
  out->hi = max_i64(max_i64(p[0], p[1]), max_i64(p[2], p[3]));
  return true;
}

/* The exact interval of a sum, difference, product or ramp; false when it does not fit int64. */
static bool exact_range(tn_cg *cg, const tn_node *n, tn_cg_range *out) {
  tn_cg_range a = tn_cg_range_of(cg, n->in[0]);
  tn_cg_range b = tn_cg_range_of(cg, n->in[1]);
  if (tn_is(n, TN_OP_ADD)) {
    return !__builtin_add_overflow(a.lo, b.lo, &out->lo) &&
           !__builtin_add_overflow(a.hi, b.hi, &out->hi);
  }
  if (tn_is(n, TN_OP_SUB)) {
    return !__builtin_sub_overflow(a.lo, b.hi, &out->lo) &&
           !__builtin_sub_overflow(a.hi, b.lo, &out->hi);
  }
  if (tn_is(n, TN_OP_MUL)) {
    return mul_range(a, b, out);
  }
  tn_cg_range steps = {0, (int64_t)tn_dtype_lanes(n->dtype) - 1};
  tn_cg_range span = {0, 0};
  return mul_range(steps, b, &span) && !__builtin_add_overflow(a.lo, span.lo, &out->lo) &&
         !__builtin_add_overflow(a.hi, span.hi, &out->hi);
}

static int64_t floor_div(int64_t a, int64_t b) { /* b > 0 */
  return a / b - (a % b < 0 ? 1 : 0);
}

static tn_cg_range div_range(tn_op op, tn_cg_range a, tn_cg_range b, tn_cg_range type) {
  if (b.lo < 1) {
    return type;
  }
  switch ((int)op) {
    case TN_OP_FLOORMOD:
      return a.lo >= 0 ? (tn_cg_range){0, min_i64(a.hi, b.hi - 1)} : (tn_cg_range){0, b.hi - 1};
    case TN_OP_MOD:
      return (tn_cg_range){a.lo >= 0 ? 0 : max_i64(a.lo, 1 - b.hi),
                           a.hi <= 0 ? 0 : min_i64(a.hi, b.hi - 1)};
    case TN_OP_FLOORDIV:
      return (tn_cg_range){a.lo >= 0 ? a.lo / b.hi : floor_div(a.lo, b.lo),
                           a.hi >= 0 ? a.hi / b.lo : -1};
    default:
      return (tn_cg_range){a.lo >= 0 ? a.lo / b.hi : a.lo / b.lo, a.hi >= 0 ? a.hi / b.lo : 0};
  }
}

static tn_cg_range hull(tn_cg_range a, tn_cg_range b) {
  return (tn_cg_range){min_i64(a.lo, b.lo), max_i64(a.hi, b.hi)};
}

static bool is_integer(tn_dtype dtype) {
  return tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype);
}

static tn_cg_range compute(tn_cg *cg, const tn_node *n) {
  tn_cg_range type = range_of_type(n->dtype);
  bool is_u64 = tn_dtype_is_uint(n->dtype) && tn_dtype_bits(n->dtype) == 64;
  if (!is_integer(n->dtype) || is_u64) {
    return type;
  }
  tn_cg_range out = type;
  switch ((int)n->op) {
    case TN_OP_INT:
      return (tn_cg_range){n->attr.i64, n->attr.i64};
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
    case TN_OP_RAMP:
      return exact_range(cg, n, &out) && is_inside(out, type) ? out : type;
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
      return div_range((tn_op)n->op, tn_cg_range_of(cg, n->in[0]), tn_cg_range_of(cg, n->in[1]),
                       type);
    case TN_OP_MIN: {
      tn_cg_range a = tn_cg_range_of(cg, n->in[0]);
      tn_cg_range b = tn_cg_range_of(cg, n->in[1]);
      return (tn_cg_range){min_i64(a.lo, b.lo), min_i64(a.hi, b.hi)};
    }
    case TN_OP_MAX: {
      tn_cg_range a = tn_cg_range_of(cg, n->in[0]);
      tn_cg_range b = tn_cg_range_of(cg, n->in[1]);
      return (tn_cg_range){max_i64(a.lo, b.lo), max_i64(a.hi, b.hi)};
    }
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return hull(tn_cg_range_of(cg, n->in[TN_SELECT_A]), tn_cg_range_of(cg, n->in[TN_SELECT_B]));
    case TN_OP_BROADCAST:
      return tn_cg_range_of(cg, n->in[0]);
    case TN_OP_CAST: {
      tn_dtype from = n->in[0]->dtype;
      bool is_from_u64 = tn_dtype_is_uint(from) && tn_dtype_bits(from) == 64;
      tn_cg_range value = is_integer(from) && !is_from_u64 ? tn_cg_range_of(cg, n->in[0]) : type;
      return is_inside(value, type) ? value : type;
    }
    default:
      return type;
  }
}

void tn_cg_range_set(tn_cg *cg, const tn_node *var, tn_cg_range range) {
  TN_VEC_PUSH(&cg->range_values, range);
  tn_map_set(&cg->ranges, var->id, cg->range_values.len - 1);
}

tn_cg_range tn_cg_range_of(tn_cg *cg, const tn_node *n) {
  uint64_t at = 0;
  if (tn_map_find(&cg->ranges, n->id, &at)) {
    return cg->range_values.data[at];
  }
  tn_cg_range range = compute(cg, n);
  if (!tn_is(n, TN_OP_VAR)) { /* a variable not bound yet may still be given a range */
    tn_cg_range_set(cg, n, range);
  }
  return range;
}

bool tn_cg_cannot_wrap(tn_cg *cg, const tn_node *n) {
  tn_cg_range exact;
  bool is_u64 = tn_dtype_is_uint(n->dtype) && tn_dtype_bits(n->dtype) == 64;
  return is_integer(n->dtype) && !is_u64 && exact_range(cg, n, &exact) &&
         is_inside(exact, range_of_type(n->dtype));
}
