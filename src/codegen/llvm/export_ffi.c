/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Kernels in the convention of tvm-ffi beside their own: for each public function f one more,
 *
 *   int32_t __tvm_ffi_f(void *self, const any *args, int32_t n, any *result) {
 *     return tn_embed_ffi_call(f, "f(A: ...)", has_result, args, n, result);
 *   }
 *
 * and the function it calls is linked in from embed/tvm_ffi.c. */
#include "codegen/llvm/cg.h"
#include "embed/tvm_ffi.h"

enum { N_WRAPPER_PARAMS = 4, N_CALL_ARGS = 6 };

static LLVMValueRef callee(tn_cg *cg, LLVMTypeRef *out_type) {
  static const char name[] = "tn_embed_ffi_call";
  LLVMTypeRef params[N_CALL_ARGS] = {cg->ptr, cg->ptr, cg->i32, cg->ptr, cg->i32, cg->ptr};
  *out_type = LLVMFunctionType(cg->i32, params, N_CALL_ARGS, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, name);
  if (fn == NULL) {
    fn = LLVMAddFunction(cg->mod, name, *out_type);
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
  }
  return fn;
}

static int32_t result_kind(const tn_node *func) {
  const tn_node *ret = func->in[TN_PRIM_FUNC_RET];
  if (tn_is_none(ret)) {
    return TN_EMBED_NO_RESULT;
  }
  return tn_dtype_is_bool(ret->dtype) ? TN_EMBED_BOOL_RESULT : TN_EMBED_RESULT;
}

static void emit_wrapper(tn_cg *cg, const char *name, const tn_node *func) {
  tn_buf text = TN_BUF_INIT;
  LLVMTypeRef params[N_WRAPPER_PARAMS] = {cg->ptr, cg->ptr, cg->i32, cg->ptr};
  LLVMTypeRef call_type = NULL;
  LLVMValueRef call = callee(cg, &call_type);
  tn_buf_printf(&text, "__tvm_ffi_%s", name);
  LLVMValueRef fn =
      LLVMAddFunction(cg->mod, text.data, LLVMFunctionType(cg->i32, params, N_WRAPPER_PARAMS, 0));
  LLVMPositionBuilderAtEnd(cg->builder, LLVMAppendBasicBlockInContext(cg->ctx, fn, ""));
  tn_buf_clear(&text);
  tn_tir_signature(func, &text);
  LLVMValueRef args[N_CALL_ARGS] = {LLVMGetNamedFunction(cg->mod, name),
                                    tn_cg_text(cg, tn_buf_text(&text)),
                                    tn_cg_i32(cg, result_kind(func)),
                                    LLVMGetParam(fn, 1),
                                    LLVMGetParam(fn, 2),
                                    LLVMGetParam(fn, 3)};
  LLVMBuildRet(cg->builder, LLVMBuildCall2(cg->builder, call_type, call, args, N_CALL_ARGS, ""));
  tn_buf_deinit(&text);
}

void tn_cg_export_ffi(tn_cg *cg) {
  for (uint32_t i = 0; i < cg->module->n_funcs; ++i) {
    const tn_node *func = cg->module->funcs[i].func;
    if (tn_is(func, TN_OP_PRIM_FUNC) &&
        tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "global_symbol") != NULL) {
      emit_wrapper(cg, cg->module->funcs[i].name, func);
    }
  }
}
