/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Bytes as an object file: how an executable's image gets into a shared library. */
#include <stdlib.h>

#include "codegen/llvm/cg.h"

static LLVMValueRef add_constant(tn_cg *cg, const char *name, LLVMValueRef value, uint32_t align) {
  LLVMValueRef global = LLVMAddGlobal(cg->mod, LLVMTypeOf(value), name);
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, 1);
  LLVMSetAlignment(global, align);
  return global;
}

tn_status tn_llvm_emit_blob(const char *name, const void *bytes, size_t n_bytes,
                            const tn_target *target, tn_buf *out) {
  tn_cg cg = {0};
  tn_codegen_opts opts = {.target = target};
  tn_module none = {0};
  tn_status st = tn_cg_init(&cg, &none, &opts);
  if (st == NULL) {
    tn_buf size_name = TN_BUF_INIT;
    tn_buf_printf(&size_name, "%s_size", name);
    (void)add_constant(&cg, name, LLVMConstStringInContext2(cg.ctx, bytes, n_bytes, 1), 4096);
    (void)add_constant(&cg, size_name.data, LLVMConstInt(cg.i64, n_bytes, 0), 8);
    tn_buf_deinit(&size_name);
    st = tn_cg_write(&cg, TN_EMIT_OBJ, out);
  }
  tn_cg_deinit(&cg);
  return st;
}
