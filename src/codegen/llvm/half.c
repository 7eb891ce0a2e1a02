/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The last change before code is selected: scalars of float16 are compared as float32 when the
 * comparison chooses between them.
 *
 *   select (fcmp ogt half a, b), a, b   ->   select (fcmp ogt float fpext a, fpext b), a, b
 *
 * x86 without AVX512-FP16 compares halves as floats in any case. But where one of the two cannot be
 * NaN, LLVM makes the first form its node of C's fmax, promotes that to float32, and then calls
 * fmaxf of libm; code of ours imports nothing. Earlier, LLVM's own passes would take it back. */
#include "codegen/llvm/cg.h"

static bool is_half(LLVMValueRef value) {
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMHalfTypeKind;
}

static void widen(tn_cg *cg, LLVMValueRef select) {
  LLVMValueRef cmp = LLVMGetOperand(select, 0);
  if (!is_half(select) || LLVMIsAFCmpInst(cmp) == NULL || !is_half(LLVMGetOperand(cmp, 0))) {
    return;
  }
  LLVMTypeRef f32 = LLVMFloatTypeInContext(cg->ctx);
  LLVMPositionBuilderBefore(cg->builder, select);
  LLVMValueRef a = LLVMBuildFPExt(cg->builder, LLVMGetOperand(cmp, 0), f32, "");
  LLVMValueRef b = LLVMBuildFPExt(cg->builder, LLVMGetOperand(cmp, 1), f32, "");
  LLVMSetOperand(select, 0, LLVMBuildFCmp(cg->builder, LLVMGetFCmpPredicate(cmp), a, b, ""));
}

void tn_cg_widen_halves(tn_cg *cg) {
  for (LLVMValueRef fn = LLVMGetFirstFunction(cg->mod); fn != NULL; fn = LLVMGetNextFunction(fn)) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block != NULL;
         block = LLVMGetNextBasicBlock(block)) {
      for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL;
           inst = LLVMGetNextInstruction(inst)) {
        if (LLVMIsASelectInst(inst) != NULL) {
          widen(cg, inst);
        }
      }
    }
  }
}
