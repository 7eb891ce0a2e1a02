/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The words of tir/math/vocab.h as instructions: each builds one for cx->lanes lanes. None carries
 * a flag, so LLVM changes no rounding; only MAD becomes a fused one, and only where cx says so. */
#ifndef TN_CODEGEN_LLVM_MATH_VOCAB_H
#define TN_CODEGEN_LLVM_MATH_VOCAB_H

#include <math.h>

#include "codegen/llvm/cg.h"

typedef struct tn_cg_math_cx {
  tn_cg *cg;
  LLVMBuilderRef builder;
  uint32_t lanes;
  bool is_fused;
} tn_cg_math_cx;

typedef LLVMValueRef F32, F64, I32, I64, MASK;

#define CX TN_UNUSED const tn_cg_math_cx *cx
#define IS_FUSED (cx->is_fused)

/* ---- constants ---- */
static inline LLVMValueRef tn_mv_float(CX, LLVMTypeRef type, double x) {
  return tn_cg_splat(cx->cg, LLVMConstReal(type, x), cx->lanes);
}
static inline LLVMValueRef tn_mv_int(CX, LLVMTypeRef type, uint64_t x) {
  return tn_cg_splat(cx->cg, LLVMConstInt(type, x, 0), cx->lanes);
}
static inline LLVMTypeRef tn_mv_type(CX, LLVMTypeRef elem) {
  return tn_cg_lanes_of(elem, cx->lanes);
}
#define C32(x) tn_mv_float(cx, cx->cg->f32, (double)(x))
#define C64(x) tn_mv_float(cx, cx->cg->f64, (x))
#define CI32(x) tn_mv_int(cx, cx->cg->i32, (uint32_t)(x))
#define CI64(x) tn_mv_int(cx, cx->cg->i64, (uint64_t)(x))

/* ---- floats ---- */
static inline LLVMValueRef tn_mv_call(CX, const char *name, LLVMValueRef a) {
  return tn_cg_llvm_intrin(cx->cg, name, LLVMTypeOf(a), &a, 1);
}
static inline LLVMValueRef tn_mv_fma(CX, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  return tn_cg_llvm_intrin(cx->cg, "llvm.fma", LLVMTypeOf(a), (LLVMValueRef[]){a, b, c}, 3);
}
static inline LLVMValueRef tn_mv_mad(CX, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  return IS_FUSED ? tn_mv_fma(cx, a, b, c)
                  : LLVMBuildFAdd(cx->builder, LLVMBuildFMul(cx->builder, a, b, ""), c, "");
}
static inline LLVMValueRef tn_mv_pick(CX, LLVMRealPredicate is, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildSelect(cx->builder, LLVMBuildFCmp(cx->builder, is, a, b, ""), a, b, "");
}
#define ADD(a, b) LLVMBuildFAdd(cx->builder, a, b, "")
#define SUB(a, b) LLVMBuildFSub(cx->builder, a, b, "")
#define MUL(a, b) LLVMBuildFMul(cx->builder, a, b, "")
#define DIV(a, b) LLVMBuildFDiv(cx->builder, a, b, "")
#define NEG(a) LLVMBuildFNeg(cx->builder, a, "")
#define MAD(a, b, c) tn_mv_mad(cx, a, b, c)
#define FMA(a, b, c) tn_mv_fma(cx, a, b, c)
#define ABS(a) tn_mv_call(cx, "llvm.fabs", a)
#define SQRT(a) tn_mv_call(cx, "llvm.sqrt", a)
#define MIN(a, b) tn_mv_pick(cx, LLVMRealOLT, a, b)
#define MAX(a, b) tn_mv_pick(cx, LLVMRealOGT, a, b)
#define LT(a, b) LLVMBuildFCmp(cx->builder, LLVMRealOLT, a, b, "")
#define LE(a, b) LLVMBuildFCmp(cx->builder, LLVMRealOLE, a, b, "")
#define GT(a, b) LLVMBuildFCmp(cx->builder, LLVMRealOGT, a, b, "")
#define GE(a, b) LLVMBuildFCmp(cx->builder, LLVMRealOGE, a, b, "")
#define EQ(a, b) LLVMBuildFCmp(cx->builder, LLVMRealOEQ, a, b, "")
#define NE(a, b) LLVMBuildFCmp(cx->builder, LLVMRealUNE, a, b, "")

/* ---- bits ---- */
/* A shift by a C integer or by a value. */
static inline LLVMValueRef tn_mv_by_int(CX, LLVMValueRef a, int n) {
  LLVMTypeRef type = LLVMTypeOf(a);
  return tn_mv_int(cx, cx->lanes > 1 ? LLVMGetElementType(type) : type, (uint64_t)n);
}
static inline LLVMValueRef tn_mv_by_value(CX, LLVMValueRef a, LLVMValueRef n) {
  (void)a;
  return n;
}
#define TN_MV_BY(a, n) _Generic((n), int : tn_mv_by_int, default : tn_mv_by_value)(cx, a, n)
#define IADD(a, b) LLVMBuildAdd(cx->builder, a, b, "")
#define ISUB(a, b) LLVMBuildSub(cx->builder, a, b, "")
#define IMUL(a, b) LLVMBuildMul(cx->builder, a, b, "")
#define IAND(a, b) LLVMBuildAnd(cx->builder, a, b, "")
#define IOR(a, b) LLVMBuildOr(cx->builder, a, b, "")
#define IXOR(a, b) LLVMBuildXor(cx->builder, a, b, "")
#define ISHL(a, n) tn_mv_shift(cx, LLVMShl, a, TN_MV_BY(a, n))
#define ISHR(a, n) tn_mv_shift(cx, LLVMLShr, a, TN_MV_BY(a, n))
#define ISAR(a, n) tn_mv_shift(cx, LLVMAShr, a, TN_MV_BY(a, n))
#define ILT(a, b) LLVMBuildICmp(cx->builder, LLVMIntSLT, a, b, "")
#define IEQ(a, b) LLVMBuildICmp(cx->builder, LLVMIntEQ, a, b, "")
static inline LLVMValueRef tn_mv_shift(CX, LLVMOpcode op, LLVMValueRef a, LLVMValueRef n) {
  return LLVMBuildBinOp(cx->builder, op, a, n, "");
}
#define IREM(a, b) LLVMBuildURem(cx->builder, a, b, "")

/* ---- masks, casts ---- */
static inline LLVMValueRef tn_mv_cast(CX, LLVMOpcode op, LLVMValueRef a, LLVMTypeRef elem) {
  return LLVMBuildCast(cx->builder, op, a, tn_mv_type(cx, elem), "");
}
#define AND(a, b) LLVMBuildAnd(cx->builder, a, b, "")
#define OR(a, b) LLVMBuildOr(cx->builder, a, b, "")
#define NOT(a) LLVMBuildNot(cx->builder, a, "")
#define SELECT(mask, a, b) LLVMBuildSelect(cx->builder, mask, a, b, "")
#define F64_OF_F32(x) tn_mv_cast(cx, LLVMFPExt, x, cx->cg->f64)
#define F32_OF_F64(x) tn_mv_cast(cx, LLVMFPTrunc, x, cx->cg->f32)
#define F32_OF_I32(x) tn_mv_cast(cx, LLVMSIToFP, x, cx->cg->f32)
#define I64_OF_I32(x) tn_mv_cast(cx, LLVMSExt, x, cx->cg->i64)
#define I64_OF_U32(x) tn_mv_cast(cx, LLVMZExt, x, cx->cg->i64)
#define I32_OF_I64(x) tn_mv_cast(cx, LLVMTrunc, x, cx->cg->i32)
#define BITS32(x) tn_mv_cast(cx, LLVMBitCast, x, cx->cg->i32)
#define BITS64(x) tn_mv_cast(cx, LLVMBitCast, x, cx->cg->i64)
#define FLOAT32(x) tn_mv_cast(cx, LLVMBitCast, x, cx->cg->f32)
#define FLOAT64(x) tn_mv_cast(cx, LLVMBitCast, x, cx->cg->f64)

/* ---- what is not straight-line code: math_rare.c ---- */
typedef LLVMValueRef (*tn_mv_fn1)(CX, LLVMValueRef x);
typedef LLVMValueRef (*tn_mv_fn2)(CX, LLVMValueRef x, LLVMValueRef y);

/// f(x) in the lanes of `mask`, `value` in the others; `name`: its symbol, with a dot, as
/// no kernel has one.
LLVMValueRef tn_mv_rare(CX, LLVMValueRef mask, tn_mv_fn1 f, const char *name, LLVMValueRef x,
                        LLVMValueRef value);
/// f(x, y) lane by lane.
LLVMValueRef tn_mv_each(CX, tn_mv_fn2 f, const char *name, LLVMValueRef x, LLVMValueRef y);
/// x = step(x, y), n (I64) times.
LLVMValueRef tn_mv_repeat(CX, LLVMValueRef n, tn_mv_fn2 step, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef tn_mv_table64(CX, const uint64_t *table, uint32_t n, const char *name,
                           LLVMValueRef index);
#define RARE(mask, f, x, value) tn_mv_rare(cx, mask, f, "tn." #f, x, value)
#define EACH(f, x, y) tn_mv_each(cx, f, "tn." #f, x, y)
#define REPEAT(n, step, x, y) tn_mv_repeat(cx, n, step, x, y)
#define TABLE64(table, index) \
  tn_mv_table64(cx, table, (uint32_t)(sizeof(table) / sizeof((table)[0])), "tn." #table, index)

/// An internal function without effects.
LLVMValueRef tn_mv_function(tn_cg *cg, const char *symbol, LLVMTypeRef type);
/// Makes cg->builder one that fills `fn`, and gives the one before, for tn_mv_leave.
LLVMBuilderRef tn_mv_enter(tn_cg *cg, LLVMValueRef fn);
void tn_mv_leave(tn_cg *cg, LLVMBuilderRef outer);

#endif
