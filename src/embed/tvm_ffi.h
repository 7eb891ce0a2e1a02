/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the wrappers of `--export=tvm-ffi` call (codegen/llvm/export_ffi.c emits the calls). */
#ifndef TN_EMBED_TVM_FFI_H
#define TN_EMBED_TVM_FFI_H

#include "abi/kernel.h"
#include "abi/tvm_ffi.h"

/// What a kernel returns besides what it writes.
enum { TN_EMBED_NO_RESULT = 0, TN_EMBED_RESULT = 1, TN_EMBED_BOOL_RESULT = 2 };

/// Calls `kernel` with `n` values of the tvm-ffi convention. signature: static text for messages.
/// result: TN_EMBED_*. Returns 0, or -1 after raising an error in the host; *out_result is then
/// untouched. out_result may be NULL.
int32_t tn_embed_ffi_call(tn_kernel_fn kernel, const char *signature, int32_t result,
                          const tn_ffi_any *args, int32_t n, tn_ffi_any *out_result);

#endif
