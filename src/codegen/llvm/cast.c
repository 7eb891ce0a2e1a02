/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Conversions: integers wrap, floats saturate into integers with NaN giving 0, anything to bool is
 * "not 0". float16 uses the machine's instructions where the target has them (F16C), else integer
 * code with the same results; bfloat16 is integer code everywhere. Both round to nearest, ties to
 * even, as do the small floats (base/array.h has their rules). */
#include "codegen/llvm/cg.h"

/* ---- 16-bit floats ---- */

static uint32_t lanes_of(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef k32(tn_cg *cg, uint32_t lanes, uint32_t value) {
  return tn_cg_splat(cg, LLVMConstInt(cg->i32, value, 0), lanes);
}

static LLVMValueRef f16_to_f32_soft(tn_cg *cg, LLVMValueRef wide, uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef f32 = tn_cg_lanes_of(cg->f32, lanes);
  LLVMTypeRef i32 = tn_cg_lanes_of(cg->i32, lanes);
  LLVMValueRef low = LLVMBuildAnd(b, wide, k32(cg, lanes, 0x7fff), "");
  LLVMValueRef sign =
      LLVMBuildShl(b, LLVMBuildAnd(b, wide, k32(cg, lanes, 0x8000), ""), k32(cg, lanes, 16), "");
  LLVMValueRef moved = LLVMBuildShl(b, low, k32(cg, lanes, 13), "");
  LLVMValueRef normal = LLVMBuildAdd(b, moved, k32(cg, lanes, 112u << 23), "");
  LLVMValueRef special = LLVMBuildOr(b, moved, k32(cg, lanes, 0x7f800000), "");
  LLVMValueRef tiny = LLVMBuildFMul(b, LLVMBuildUIToFP(b, low, f32, ""),
                                    tn_cg_splat(cg, LLVMConstReal(cg->f32, 0x1p-24), lanes), "");
  LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntULT, low, k32(cg, lanes, 0x400), "");
  LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, low, k32(cg, lanes, 0x7c00), "");
  LLVMValueRef bits = LLVMBuildSelect(b, is_special, special, normal, "");
  bits = LLVMBuildSelect(b, is_tiny, LLVMBuildBitCast(b, tiny, i32, ""), bits, "");
  return LLVMBuildBitCast(b, LLVMBuildOr(b, bits, sign, ""), f32, "");
}

LLVMValueRef tn_cg_half_to_f32(tn_cg *cg, LLVMValueRef bits, tn_dtype half) {
  uint32_t lanes = lanes_of(bits);
  LLVMTypeRef f32 = tn_cg_lanes_of(cg->f32, lanes);
  LLVMTypeRef i32 = tn_cg_lanes_of(cg->i32, lanes);
  bool is_bf16 = tn_dtype_code(half) == TN_TC_BFLOAT;
  if (!is_bf16 && cg->has_f16c) {
    LLVMTypeRef f16 = tn_cg_lanes_of(LLVMHalfTypeInContext(cg->ctx), lanes);
    return LLVMBuildFPExt(cg->builder, LLVMBuildBitCast(cg->builder, bits, f16, ""), f32, "");
  }
  LLVMValueRef wide = LLVMBuildZExt(cg->builder, bits, i32, "");
  if (is_bf16) {
    return LLVMBuildBitCast(cg->builder, LLVMBuildShl(cg->builder, wide, k32(cg, lanes, 16), ""),
                            f32, "");
  }
  return f16_to_f32_soft(cg, wide, lanes);
}

/* bits >> n_drop, to nearest, ties to even */
static LLVMValueRef round_shift(tn_cg *cg, LLVMValueRef bits, uint32_t lanes, uint32_t n_drop) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef drop = k32(cg, lanes, n_drop);
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, drop, ""), k32(cg, lanes, 1), "");
  LLVMValueRef up = LLVMBuildAdd(b, odd, k32(cg, lanes, (1u << (n_drop - 1)) - 1), "");
  return LLVMBuildLShr(b, LLVMBuildAdd(b, bits, up, ""), drop, "");
}

static LLVMValueRef f32_to_bf16(tn_cg *cg, LLVMValueRef bits, LLVMValueRef is_nan, uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef top = LLVMBuildLShr(b, bits, k32(cg, lanes, 16), "");
  LLVMValueRef quiet = LLVMBuildOr(b, top, k32(cg, lanes, 0x40), "");
  return LLVMBuildSelect(b, is_nan, quiet, round_shift(cg, bits, lanes, 16), "");
}

static LLVMValueRef f32_to_f16_soft(tn_cg *cg, LLVMValueRef bits, LLVMValueRef size,
                                    LLVMValueRef is_nan, uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef f32 = tn_cg_lanes_of(cg->f32, lanes);
  LLVMTypeRef i32 = tn_cg_lanes_of(cg->i32, lanes);
  LLVMValueRef sign =
      LLVMBuildAnd(b, LLVMBuildLShr(b, bits, k32(cg, lanes, 16), ""), k32(cg, lanes, 0x8000), "");
  LLVMValueRef payload =
      LLVMBuildAnd(b, LLVMBuildLShr(b, size, k32(cg, lanes, 13), ""), k32(cg, lanes, 0x1ff), "");
  LLVMValueRef quiet = LLVMBuildOr(b, payload, k32(cg, lanes, 0x7e00), "");
  LLVMValueRef normal =
      LLVMBuildSub(b, round_shift(cg, size, lanes, 13), k32(cg, lanes, 112u << 10), "");
  /* adding 0.5 lets the float adder round at float16's smallest step */
  LLVMValueRef half = tn_cg_splat(cg, LLVMConstReal(cg->f32, 0.5), lanes);
  LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, size, f32, ""), half, "");
  LLVMValueRef tiny =
      LLVMBuildSub(b, LLVMBuildBitCast(b, sum, i32, ""), k32(cg, lanes, 126u << 23), "");
  LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntULT, size, k32(cg, lanes, 0x38800000), "");
  LLVMValueRef is_huge = LLVMBuildICmp(b, LLVMIntUGE, size, k32(cg, lanes, 0x47800000), "");
  LLVMValueRef out = LLVMBuildSelect(b, is_tiny, tiny, normal, "");
  out = LLVMBuildSelect(b, is_huge, k32(cg, lanes, 0x7c00), out, "");
  out = LLVMBuildSelect(b, is_nan, quiet, out, "");
  return LLVMBuildOr(b, out, sign, "");
}

LLVMValueRef tn_cg_f32_to_half(tn_cg *cg, LLVMValueRef value, tn_dtype half) {
  LLVMBuilderRef b = cg->builder;
  uint32_t lanes = lanes_of(value);
  LLVMTypeRef i16 = tn_cg_lanes_of(cg->i16, lanes);
  bool is_bf16 = tn_dtype_code(half) == TN_TC_BFLOAT;
  if (!is_bf16 && cg->has_f16c) {
    LLVMTypeRef f16 = tn_cg_lanes_of(LLVMHalfTypeInContext(cg->ctx), lanes);
    return LLVMBuildBitCast(b, LLVMBuildFPTrunc(b, value, f16, ""), i16, "");
  }
  LLVMValueRef bits = LLVMBuildBitCast(b, value, tn_cg_lanes_of(cg->i32, lanes), "");
  LLVMValueRef size = LLVMBuildAnd(b, bits, k32(cg, lanes, 0x7fffffff), "");
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, size, k32(cg, lanes, 0x7f800000), "");
  LLVMValueRef out = is_bf16 ? f32_to_bf16(cg, bits, is_nan, lanes)
                             : f32_to_f16_soft(cg, bits, size, is_nan, lanes);
  return LLVMBuildTrunc(b, out, i16, "");
}

/* ---- small floats: a table to float32; the steps of tn_f32_to_small back ---- */

LLVMValueRef tn_cg_small_to_f32(tn_cg *cg, LLVMValueRef bits, tn_dtype small) {
  LLVMBuilderRef b = cg->builder;
  uint32_t lanes = lanes_of(bits);
  LLVMValueRef table = tn_cg_small_table(cg, small);
  LLVMValueRef at = LLVMBuildZExt(b, bits, tn_cg_lanes_of(cg->i64, lanes), "");
  LLVMValueRef addresses = LLVMBuildInBoundsGEP2(b, cg->i32, table, &at, 1, "");
  LLVMValueRef out = lanes == 1 ? LLVMBuildLoad2(b, cg->i32, addresses, "")
                                : tn_cg_gather(cg, cg->i32, addresses, NULL, lanes, 4);
  return LLVMBuildBitCast(b, out, tn_cg_lanes_of(cg->f32, lanes), "");
}

/* Powers of two; see f32_to_e8m0 in base. */
static LLVMValueRef f32_to_e8m0(tn_cg *cg, const tn_small_float *type, LLVMValueRef bits,
                                LLVMValueRef size, uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef zero = k32(cg, lanes, 0);
  LLVMValueRef max = k32(cg, lanes, type->max);
  LLVMValueRef is_big = LLVMBuildICmp(b, LLVMIntUGT, size, k32(cg, lanes, 0x600000), "");
  LLVMValueRef low = LLVMBuildZExt(b, is_big, tn_cg_lanes_of(cg->i32, lanes), "");
  LLVMValueRef is_low = LLVMBuildICmp(b, LLVMIntULT, size, k32(cg, lanes, 0x800000), "");
  LLVMValueRef out = LLVMBuildSelect(b, is_low, low, round_shift(cg, size, lanes, 23), "");
  out = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, out, max, ""), max, out, "");
  LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, bits, zero, "");
  LLVMValueRef is_any = LLVMBuildICmp(b, LLVMIntNE, size, zero, "");
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, size, k32(cg, lanes, 0x7f800000), "");
  is_nan = LLVMBuildOr(b, is_nan, LLVMBuildAnd(b, is_negative, is_any, ""), "");
  return LLVMBuildSelect(b, is_nan, k32(cg, lanes, type->nan), out, "");
}

/* The bits without the sign of what is no NaN. */
static LLVMValueRef small_size(tn_cg *cg, const tn_small_float *type, LLVMValueRef size,
                               uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef f32 = tn_cg_lanes_of(cg->f32, lanes);
  LLVMTypeRef i32 = tn_cg_lanes_of(cg->i32, lanes);
  uint32_t base = (uint32_t)(127 + 24 - type->bias - type->n_frac) << 23;
  LLVMValueRef base_bits = k32(cg, lanes, base);
  LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, size, f32, ""),
                                   LLVMBuildBitCast(b, base_bits, f32, ""), "");
  LLVMValueRef low = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, i32, ""), base_bits, "");
  LLVMValueRef rounded = round_shift(cg, size, lanes, 23u - type->n_frac);
  LLVMValueRef out =
      LLVMBuildSub(b, rounded, k32(cg, lanes, (127u - type->bias) << type->n_frac), "");
  LLVMValueRef is_over = LLVMBuildICmp(b, LLVMIntUGT, out, k32(cg, lanes, type->max), "");
  uint32_t over = type->inf != 0 ? type->inf : type->max;
  out = LLVMBuildSelect(b, is_over, k32(cg, lanes, over), out, "");
  LLVMValueRef least = k32(cg, lanes, (uint32_t)(128 - type->bias) << 23);
  return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, size, least, ""), low, out, "");
}

LLVMValueRef tn_cg_f32_to_small(tn_cg *cg, LLVMValueRef value, tn_dtype small) {
  LLVMBuilderRef b = cg->builder;
  const tn_small_float *type = tn_small_float_find(small);
  uint32_t lanes = lanes_of(value);
  LLVMTypeRef out_type = tn_cg_type(cg, tn_dtype_with_lanes(small, lanes));
  LLVMValueRef bits = LLVMBuildBitCast(b, value, tn_cg_lanes_of(cg->i32, lanes), "");
  LLVMValueRef size = LLVMBuildAnd(b, bits, k32(cg, lanes, 0x7fffffff), "");
  if (type->n_frac == 0) {
    return LLVMBuildTrunc(b, f32_to_e8m0(cg, type, bits, size, lanes), out_type, "");
  }
  LLVMValueRef zero = k32(cg, lanes, 0);
  LLVMValueRef sign = LLVMBuildLShr(b, bits, k32(cg, lanes, 31), "");
  sign = LLVMBuildShl(b, sign, k32(cg, lanes, (uint32_t)type->n_exp + type->n_frac), "");
  LLVMValueRef out = small_size(cg, type, size, lanes);
  LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, out, zero, "");
  out = LLVMBuildOr(b, out, sign, "");
  LLVMValueRef nan = k32(cg, lanes, type->nan);
  if (type->is_fnuz) {
    out = LLVMBuildSelect(b, is_zero, zero, out, "");
  } else if (type->nan != 0) {
    nan = LLVMBuildOr(b, nan, sign, "");
  }
  LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, size, k32(cg, lanes, 0x7f800000), "");
  return LLVMBuildTrunc(b, LLVMBuildSelect(b, is_nan, nan, out, ""), out_type, "");
}

/* ---- casts ---- */

static LLVMValueRef to_bool(tn_cg *cg, LLVMValueRef value, tn_dtype from) {
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value));
  return tn_dtype_is_float(from) ? LLVMBuildFCmp(cg->builder, LLVMRealUNE, value, zero, "")
                                 : LLVMBuildICmp(cg->builder, LLVMIntNE, value, zero, "");
}

static LLVMValueRef float_to_int(tn_cg *cg, LLVMValueRef value, tn_dtype to) {
  const char *name = tn_dtype_is_int(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  LLVMTypeRef types[] = {tn_cg_type(cg, to), LLVMTypeOf(value)};
  unsigned id = LLVMLookupIntrinsicID(name, 15);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(cg->mod, id, types, 2);
  LLVMTypeRef type = LLVMIntrinsicGetType(cg->ctx, id, types, 2);
  return LLVMBuildCall2(cg->builder, type, fn, &value, 1, "");
}

static LLVMValueRef int_to_int(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  uint32_t from_bits = tn_dtype_is_bool(from) ? 1 : tn_dtype_bits(from);
  LLVMTypeRef type = tn_cg_type(cg, to);
  if (from_bits == tn_dtype_bits(to)) {
    return value;
  }
  if (from_bits > tn_dtype_bits(to)) {
    return LLVMBuildTrunc(cg->builder, value, type, "");
  }
  return tn_dtype_is_int(from) ? LLVMBuildSExt(cg->builder, value, type, "")
                               : LLVMBuildZExt(cg->builder, value, type, "");
}

static LLVMValueRef float_to_float(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  uint32_t from_bits = tn_dtype_bits(from);
  uint32_t to_bits = tn_dtype_bits(to);
  LLVMTypeRef type = tn_cg_type(cg, to);
  return from_bits == to_bits  ? value
         : from_bits < to_bits ? LLVMBuildFPExt(cg->builder, value, type, "")
                               : LLVMBuildFPTrunc(cg->builder, value, type, "");
}

static LLVMValueRef cast_handle(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  if (tn_dtype_is_handle(from) && tn_dtype_is_handle(to)) {
    return value;
  }
  if (tn_dtype_is_handle(to)) {
    return LLVMBuildIntToPtr(cg->builder, tn_cg_cast(cg, value, from, TN_DT_I64), cg->ptr, "");
  }
  LLVMValueRef bits = LLVMBuildPtrToInt(cg->builder, value, cg->i64, "");
  return tn_cg_cast(cg, bits, TN_DT_I64, to);
}

/* float64 to float32, rounded to odd: a further rounding to 16 bits is then the only one that
 * shows. */
static LLVMValueRef round_to_odd(tn_cg *cg, LLVMValueRef value, uint32_t lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef f32 = tn_cg_lanes_of(cg->f32, lanes);
  LLVMTypeRef f64 = tn_cg_lanes_of(cg->f64, lanes);
  LLVMValueRef rounded = LLVMBuildFPTrunc(b, value, f32, "");
  LLVMValueRef back = LLVMBuildFPExt(b, rounded, f64, "");
  LLVMValueRef is_exact = LLVMBuildFCmp(b, LLVMRealUEQ, back, value, ""); /* or NaN */
  LLVMValueRef size = tn_cg_llvm_intrin(cg, "llvm.fabs", f64, &value, 1);
  LLVMValueRef rounded_size = tn_cg_llvm_intrin(cg, "llvm.fabs", f64, &back, 1);
  LLVMValueRef is_above = LLVMBuildFCmp(b, LLVMRealOGT, rounded_size, size, "");
  LLVMTypeRef i32 = tn_cg_lanes_of(cg->i32, lanes);
  LLVMValueRef bits = LLVMBuildBitCast(b, rounded, i32, "");
  bits = LLVMBuildSub(b, bits, LLVMBuildZExt(b, is_above, i32, ""), "");
  LLVMValueRef odd = LLVMBuildBitCast(b, LLVMBuildOr(b, bits, k32(cg, lanes, 1), ""), f32, "");
  return LLVMBuildSelect(b, is_exact, rounded, odd, "");
}

/* float16, bfloat16 and the small floats; halves come as float32. */
static LLVMValueRef to_narrow(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  uint32_t lanes = tn_dtype_lanes(to);
  if (tn_dtype_elem(from) != TN_DT_F32) {
    LLVMValueRef wide = tn_cg_cast(cg, value, from, tn_dtype_with_lanes(TN_DT_F64, lanes));
    value = round_to_odd(cg, wide, lanes);
  }
  return tn_dtype_is_small_float(to) ? tn_cg_f32_to_small(cg, value, to)
                                     : tn_cg_f32_to_half(cg, value, to);
}

LLVMValueRef tn_cg_cast(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  tn_dtype f32 = tn_dtype_with_lanes(TN_DT_F32, tn_dtype_lanes(to));
  if (from == to) {
    return value;
  }
  if (tn_dtype_is_handle(from) || tn_dtype_is_handle(to)) {
    return cast_handle(cg, value, from, to);
  }
  if (tn_cg_is_half(from)) {
    return tn_cg_cast(cg, tn_cg_half_to_f32(cg, value, from), f32, to);
  }
  if (tn_dtype_is_small_float(from)) {
    return tn_cg_cast(cg, tn_cg_small_to_f32(cg, value, from), f32, to);
  }
  if (tn_cg_is_half(to) || tn_dtype_is_small_float(to)) {
    return to_narrow(cg, value, from, to);
  }
  if (tn_dtype_is_bool(to)) {
    return to_bool(cg, value, from);
  }
  if (tn_dtype_is_float(from)) {
    return tn_dtype_is_float(to) ? float_to_float(cg, value, from, to)
                                 : float_to_int(cg, value, to);
  }
  if (tn_dtype_is_float(to)) {
    LLVMTypeRef type = tn_cg_type(cg, to);
    return tn_dtype_is_int(from) ? LLVMBuildSIToFP(cg->builder, value, type, "")
                                 : LLVMBuildUIToFP(cg->builder, value, type, "");
  }
  return int_to_int(cg, value, from, to);
}

LLVMValueRef tn_cg_reinterpret(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to) {
  LLVMBuilderRef b = cg->builder;
  if (tn_dtype_is_bool(from)) {
    value = LLVMBuildZExt(b, value, tn_cg_mem_type(cg, from), "");
  }
  if (tn_dtype_is_handle(from) && !tn_dtype_is_handle(to)) {
    value = LLVMBuildPtrToInt(b, value, cg->i64, "");
  }
  if (tn_dtype_is_handle(to)) {
    return tn_dtype_is_handle(from)
               ? value
               : LLVMBuildIntToPtr(b, LLVMBuildBitCast(b, value, cg->i64, ""), cg->ptr, "");
  }
  if (tn_dtype_is_bool(to)) {
    value = LLVMBuildBitCast(b, value, tn_cg_mem_type(cg, to), "");
    return LLVMBuildICmp(b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
  }
  return LLVMBuildBitCast(b, value, tn_cg_type(cg, to), "");
}
