/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Internal LLVM functions: the body of a kernel and the bodies of its parallel loops. Variables
 * come in as parameters, not through memory, because only a parameter can say noalias. */
#include "codegen/llvm/cg.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void tn_cg_func_init(tn_cg *cg, tn_cg_func *func, LLVMValueRef fn) {
  *func = (tn_cg_func){.fn = fn};
  cg->cur = func;
  tn_cg_set_attrs(cg, fn);
  func->entry = tn_cg_block(cg, "entry");
  func->first = tn_cg_block(cg, "first");
  tn_cg_at(cg, func->first);
}

void tn_cg_func_deinit(tn_cg_func *func) {
  tn_map_deinit(&func->vars);
  tn_map_deinit(&func->wide_vars);
  tn_map_deinit(&func->memo);
  TN_VEC_DEINIT(&func->memo_keys);
  TN_VEC_DEINIT(&func->scratch);
}

/* Pointers that do not overlap, if all of them are known not to: one that does (an address taken)
 * would break the promise of the others. */
static bool can_be_noalias(tn_cg *cg, const tn_cg_sig *sig) {
  for (uint32_t i = 0; i < sig->n_vars; ++i) {
    bool is_handle = tn_dtype_is_handle(sig->vars[i]->dtype);
    if (is_handle && !tn_map_find(&cg->roots, sig->vars[i]->id, NULL)) {
      return false;
    }
  }
  return true;
}

static void bind_params(tn_cg *cg, const tn_cg_sig *sig, unsigned first) {
  bool is_noalias = can_be_noalias(cg, sig);
  for (uint32_t i = 0; i < sig->n_vars; ++i) {
    const tn_node *var = sig->vars[i];
    LLVMValueRef param = LLVMGetParam(cg->cur->fn, first + i);
    LLVMSetValueName2(param, var->attr.text, strlen(var->attr.text));
    if (tn_dtype_is_handle(var->dtype) && is_noalias) {
      tn_cg_add_attr(cg, cg->cur->fn, first + i + 1, "noalias", 0);
    }
    tn_cg_bind_var(cg, var, param);
  }
}

static unsigned first_var(const tn_cg_sig *sig) {
  return 1 + (sig->has_ret_slot ? 1u : 0u) + (sig->has_bounds ? 3u : 0u);
}

LLVMValueRef tn_cg_func_declare(tn_cg *cg, const tn_cg_sig *sig) {
  unsigned first = first_var(sig);
  unsigned n = first + sig->n_vars;
  tn_buf name = TN_BUF_INIT; /* of any length: a name cut short may be another one's */
  tn_buf_printf(&name, "%s.%s", sig->func, sig->part);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, tn_buf_text(&name));
  if (fn != NULL) {
    tn_buf_deinit(&name);
    return fn;
  }
  LLVMTypeRef *types = calloc(n, sizeof *types);
  TN_CHECK(types != NULL, "no memory");
  types[0] = cg->ptr;
  if (sig->has_ret_slot) {
    types[1] = cg->ptr;
  }
  for (unsigned i = 0; i < 3 && sig->has_bounds; ++i) {
    types[first - 3 + i] = cg->i64;
  }
  for (uint32_t i = 0; i < sig->n_vars; ++i) {
    types[first + i] = tn_cg_type(cg, sig->vars[i]->dtype);
  }
  fn = LLVMAddFunction(cg->mod, tn_buf_text(&name), LLVMFunctionType(cg->i32, types, n, 0));
  tn_buf_deinit(&name);
  free(types);
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  return fn;
}

void tn_cg_func_begin(tn_cg *cg, tn_cg_func *func, const tn_cg_sig *sig, LLVMValueRef *out_bounds) {
  unsigned first = first_var(sig);
  LLVMValueRef fn = tn_cg_func_declare(cg, sig);
  tn_cg_func_init(cg, func, fn);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "noinline", 0);
  func->env = LLVMGetParam(fn, 0);
  func->ret_slot = sig->has_ret_slot ? LLVMGetParam(fn, 1) : NULL;
  for (unsigned i = 0; i < 3 && sig->has_bounds; ++i) {
    out_bounds[i] = LLVMGetParam(fn, first - 3 + i);
  }
  bind_params(cg, sig, first);
}

void tn_cg_func_end(tn_cg *cg, tn_cg_func *outer, LLVMBasicBlockRef back) {
  LLVMBuildRet(cg->builder, tn_cg_i32(cg, 0));
  tn_cg_at(cg, cg->cur->entry);
  LLVMBuildBr(cg->builder, cg->cur->first);
  tn_cg_func_deinit(cg->cur);
  cg->cur = outer;
  if (back != NULL) {
    tn_cg_at(cg, back);
  }
}

LLVMValueRef tn_cg_func_call(tn_cg *cg, LLVMValueRef fn, LLVMValueRef *args, unsigned n) {
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(fn), fn, args, n, "");
}
