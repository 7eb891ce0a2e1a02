/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators with the language's meaning: integers wrap; division by zero gives 0 and never traps,
 * nor does the smallest integer divided by -1; shifts by the width or more give 0 (the sign for
 * >>); min and max are a < b ? a : b and its mirror, NaN or not. Guards vanish where range.c knows
 * the operand. float16 and bfloat16 compute in float32 and round after each operation. */
#include "codegen/llvm/cg.h"

#include "base/check.h"

LLVMValueRef tn_cg_fp(tn_cg *cg, LLVMValueRef value) {
  if (cg->is_contracting && LLVMIsAInstruction(value) != NULL &&
      LLVMCanValueUseFastMathFlags(value)) {
    LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
  }
  return value;
}

/* ---- floats ---- */

static LLVMValueRef float_compare(tn_cg *cg, tn_op op, LLVMValueRef a, LLVMValueRef b) {
  LLVMRealPredicate pred = LLVMRealOEQ;
  switch ((int)op) {
    case TN_OP_EQ:
      pred = LLVMRealOEQ;
      break;
    case TN_OP_NE:
      pred = LLVMRealUNE;
      break;
    case TN_OP_LT:
      pred = LLVMRealOLT;
      break;
    case TN_OP_LE:
      pred = LLVMRealOLE;
      break;
    case TN_OP_GT:
      pred = LLVMRealOGT;
      break;
    default:
      pred = LLVMRealOGE;
      break;
  }
  return LLVMBuildFCmp(cg->builder, pred, a, b, "");
}

static LLVMValueRef float_min_max(tn_cg *cg, bool is_min, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef is_a = LLVMBuildFCmp(cg->builder, is_min ? LLVMRealOLT : LLVMRealOGT, a, b, "");
  return LLVMBuildSelect(cg->builder, is_a, a, b, "");
}

static LLVMValueRef float_binary(tn_cg *cg, const tn_node *n, LLVMValueRef a, LLVMValueRef b) {
  switch ((int)n->op) {
    case TN_OP_ADD:
      return tn_cg_fp(cg, LLVMBuildFAdd(cg->builder, a, b, ""));
    case TN_OP_SUB:
      return tn_cg_fp(cg, LLVMBuildFSub(cg->builder, a, b, ""));
    case TN_OP_MUL:
      return tn_cg_fp(cg, LLVMBuildFMul(cg->builder, a, b, ""));
    case TN_OP_DIV:
      return tn_cg_fp(cg, LLVMBuildFDiv(cg->builder, a, b, ""));
    case TN_OP_MIN:
      return float_min_max(cg, true, a, b);
    case TN_OP_MAX:
      return float_min_max(cg, false, a, b);
    default:
      return NULL;
  }
}

/* ---- integers ---- */

static LLVMValueRef int_compare(tn_cg *cg, tn_op op, bool is_signed, LLVMValueRef a,
                                LLVMValueRef b) {
  LLVMIntPredicate pred = LLVMIntEQ;
  switch ((int)op) {
    case TN_OP_EQ:
      pred = LLVMIntEQ;
      break;
    case TN_OP_NE:
      pred = LLVMIntNE;
      break;
    case TN_OP_LT:
      pred = is_signed ? LLVMIntSLT : LLVMIntULT;
      break;
    case TN_OP_LE:
      pred = is_signed ? LLVMIntSLE : LLVMIntULE;
      break;
    case TN_OP_GT:
      pred = is_signed ? LLVMIntSGT : LLVMIntUGT;
      break;
    default:
      pred = is_signed ? LLVMIntSGE : LLVMIntUGE;
      break;
  }
  return LLVMBuildICmp(cg->builder, pred, a, b, "");
}

static LLVMValueRef equals(tn_cg *cg, LLVMValueRef value, tn_dtype dtype, int64_t constant) {
  return LLVMBuildICmp(cg->builder, LLVMIntEQ, value, tn_cg_int(cg, dtype, constant), "");
}

/* Quotient or remainder toward zero. Where b may be 0 or -1 the hardware would trap, so 1 is
 * divided by instead and the right answer chosen after. */
static LLVMValueRef guarded_div(tn_cg *cg, const tn_node *n, bool is_rem, LLVMValueRef a,
                                LLVMValueRef b) {
  tn_dtype dtype = n->dtype;
  bool is_signed = !tn_dtype_is_uint(dtype);
  tn_cg_range range = tn_cg_range_of(cg, n->in[TN_B]);
  bool may_be_zero = range.lo <= 0 && range.hi >= 0;
  bool may_be_minus = is_signed && range.lo <= -1 && range.hi >= -1;
  LLVMValueRef one = tn_cg_int(cg, dtype, 1);
  LLVMValueRef zero = tn_cg_zero(cg, dtype);
  LLVMValueRef is_zero = may_be_zero ? equals(cg, b, dtype, 0) : NULL;
  LLVMValueRef is_minus = may_be_minus ? equals(cg, b, dtype, -1) : NULL;
  LLVMValueRef by = b;
  by = is_zero == NULL ? by : LLVMBuildSelect(cg->builder, is_zero, one, by, "");
  by = is_minus == NULL ? by : LLVMBuildSelect(cg->builder, is_minus, one, by, "");
  LLVMOpcode op = is_rem ? (is_signed ? LLVMSRem : LLVMURem) : (is_signed ? LLVMSDiv : LLVMUDiv);
  LLVMValueRef out = LLVMBuildBinOp(cg->builder, op, a, by, "");
  if (is_rem) {
    return out; /* x rem 1 is 0, which is right for 0 and for -1 */
  }
  if (is_minus != NULL) {
    out = LLVMBuildSelect(cg->builder, is_minus, LLVMBuildNeg(cg->builder, a, ""), out, "");
  }
  return is_zero == NULL ? out : LLVMBuildSelect(cg->builder, is_zero, zero, out, "");
}

/* Rounding down from rounding toward zero: one less where the remainder is not 0 and its sign is
 * not the divisor's. */
static LLVMValueRef floor_div(tn_cg *cg, const tn_node *n, bool is_mod, LLVMValueRef a,
                              LLVMValueRef b) {
  bool is_plain = tn_dtype_is_uint(n->dtype) || (tn_cg_range_of(cg, n->in[TN_A]).lo >= 0 &&
                                                 tn_cg_range_of(cg, n->in[TN_B]).lo >= 0);
  if (is_plain) {
    return guarded_div(cg, n, is_mod, a, b);
  }
  LLVMValueRef zero = tn_cg_zero(cg, n->dtype);
  LLVMValueRef rem = guarded_div(cg, n, true, a, b);
  LLVMValueRef is_exact = LLVMBuildICmp(cg->builder, LLVMIntEQ, rem, zero, "");
  LLVMValueRef signs = LLVMBuildXor(cg->builder, rem, b, "");
  LLVMValueRef is_same = LLVMBuildICmp(cg->builder, LLVMIntSGE, signs, zero, "");
  LLVMValueRef is_kept = LLVMBuildOr(cg->builder, is_exact, is_same, "");
  if (is_mod) {
    LLVMValueRef moved = LLVMBuildAdd(cg->builder, rem, b, "");
    return LLVMBuildSelect(cg->builder, is_kept, rem, moved, "");
  }
  LLVMValueRef quotient = guarded_div(cg, n, false, a, b);
  LLVMValueRef less = LLVMBuildSub(cg->builder, quotient, tn_cg_int(cg, n->dtype, 1), "");
  return LLVMBuildSelect(cg->builder, is_kept, quotient, less, "");
}

/* A floor division by a power of two that stays a shift whatever the sign. */
static LLVMValueRef div_by_power(tn_cg *cg, const tn_node *n, LLVMValueRef a) {
  tn_cg_range by = tn_cg_range_of(cg, n->in[TN_B]);
  bool is_power = by.lo == by.hi && by.lo > 0 && (by.lo & (by.lo - 1)) == 0;
  if (!is_power || !tn_dtype_is_int(n->dtype)) {
    return NULL;
  }
  if (tn_is(n, TN_OP_FLOORMOD)) {
    return LLVMBuildAnd(cg->builder, a, tn_cg_int(cg, n->dtype, by.lo - 1), "");
  }
  int64_t shift = __builtin_ctzll((unsigned long long)by.lo);
  return LLVMBuildAShr(cg->builder, a, tn_cg_int(cg, n->dtype, shift), "");
}

static LLVMValueRef shift(tn_cg *cg, const tn_node *n, LLVMValueRef a, LLVMValueRef b) {
  tn_dtype dtype = n->dtype;
  int64_t width = (int64_t)tn_dtype_bits(dtype);
  LLVMValueRef limit = tn_cg_int(cg, dtype, width);
  LLVMValueRef is_inside = LLVMBuildICmp(cg->builder, LLVMIntULT, b, limit, "");
  if (tn_is(n, TN_OP_SHR) && !tn_dtype_is_uint(dtype)) {
    LLVMValueRef most = tn_cg_int(cg, dtype, width - 1);
    return LLVMBuildAShr(cg->builder, a, LLVMBuildSelect(cg->builder, is_inside, b, most, ""), "");
  }
  LLVMValueRef zero = tn_cg_zero(cg, dtype);
  LLVMValueRef by = LLVMBuildSelect(cg->builder, is_inside, b, zero, "");
  LLVMValueRef out = tn_is(n, TN_OP_SHL) ? LLVMBuildShl(cg->builder, a, by, "")
                                         : LLVMBuildLShr(cg->builder, a, by, "");
  return LLVMBuildSelect(cg->builder, is_inside, out, zero, "");
}

static LLVMValueRef wrapping(tn_cg *cg, const tn_node *n, LLVMOpcode op, LLVMValueRef a,
                             LLVMValueRef b) {
  LLVMValueRef out = LLVMBuildBinOp(cg->builder, op, a, b, "");
  if (LLVMIsAInstruction(out) != NULL && tn_dtype_is_int(n->dtype) && tn_cg_cannot_wrap(cg, n)) {
    LLVMSetNSW(out, 1);
  }
  return out;
}

static LLVMValueRef int_binary(tn_cg *cg, const tn_node *n, LLVMValueRef a, LLVMValueRef b) {
  bool is_signed = tn_dtype_is_int(n->dtype);
  switch ((int)n->op) {
    case TN_OP_ADD:
      return wrapping(cg, n, LLVMAdd, a, b);
    case TN_OP_SUB:
      return wrapping(cg, n, LLVMSub, a, b);
    case TN_OP_MUL:
      return wrapping(cg, n, LLVMMul, a, b);
    case TN_OP_DIV:
      return guarded_div(cg, n, false, a, b);
    case TN_OP_MOD:
      return guarded_div(cg, n, true, a, b);
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD: {
      LLVMValueRef fast = div_by_power(cg, n, a);
      return fast != NULL ? fast : floor_div(cg, n, tn_is(n, TN_OP_FLOORMOD), a, b);
    }
    case TN_OP_MIN:
    case TN_OP_MAX: {
      tn_op order = tn_is(n, TN_OP_MIN) ? TN_OP_LT : TN_OP_GT;
      return LLVMBuildSelect(cg->builder, int_compare(cg, order, is_signed, a, b), a, b, "");
    }
    case TN_OP_BAND:
      return LLVMBuildAnd(cg->builder, a, b, "");
    case TN_OP_BOR:
      return LLVMBuildOr(cg->builder, a, b, "");
    case TN_OP_BXOR:
      return LLVMBuildXor(cg->builder, a, b, "");
    case TN_OP_SHL:
    case TN_OP_SHR:
      return shift(cg, n, a, b);
    default:
      return NULL;
  }
}

/* ---- the two entries ---- */

static bool is_compare(const tn_node *n) { return n->op >= TN_OP_EQ && n->op <= TN_OP_GE; }

static LLVMValueRef refuse(tn_cg *cg, const tn_node *n) {
  char text[TN_DTYPE_TEXT_BYTES];
  tn_cg_fail(cg, TN_UNSUPPORTED, "no code for operator %s on %s",
             tn_op_info_get((tn_op)n->op)->text, tn_dtype_print(n->in[TN_A]->dtype, text));
  return tn_cg_poison(cg, n->dtype);
}

LLVMValueRef tn_cg_binary(tn_cg *cg, const tn_node *n, LLVMValueRef a, LLVMValueRef b) {
  tn_dtype dtype = n->in[TN_A]->dtype;
  LLVMValueRef out = NULL;
  if (tn_cg_is_half(dtype)) {
    a = tn_cg_half_to_f32(cg, a, dtype);
    b = tn_cg_half_to_f32(cg, b, dtype);
  }
  if (is_compare(n)) {
    return tn_dtype_is_float(dtype) ? float_compare(cg, (tn_op)n->op, a, b)
                                    : int_compare(cg, (tn_op)n->op, tn_dtype_is_int(dtype), a, b);
  }
  if (tn_dtype_is_float(dtype)) {
    out = float_binary(cg, n, a, b);
    if (out != NULL && tn_cg_is_half(dtype)) {
      out = tn_cg_f32_to_half(cg, out, dtype);
    }
  } else if (!tn_dtype_is_handle(dtype)) {
    out = int_binary(cg, n, a, b);
  }
  return out != NULL ? out : refuse(cg, n);
}

LLVMValueRef tn_cg_unary(tn_cg *cg, const tn_node *n, LLVMValueRef a) {
  tn_dtype dtype = n->dtype;
  if (tn_is(n, TN_OP_NOT) || tn_is(n, TN_OP_BNOT)) {
    return tn_dtype_is_float(dtype) ? refuse(cg, n) : LLVMBuildNot(cg->builder, a, "");
  }
  if (tn_cg_is_half(dtype)) {
    return LLVMBuildXor(cg->builder, a,
                        tn_cg_int(cg, tn_dtype_make(TN_TC_UINT, 16, tn_dtype_lanes(dtype)), 0x8000),
                        "");
  }
  return tn_dtype_is_float(dtype) ? LLVMBuildFNeg(cg->builder, a, "")
                                  : LLVMBuildNeg(cg->builder, a, "");
}
