/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* LLVM's C API, included here and nowhere else outside this folder, and what differs between its
 * versions. 19 is the first version served; a later one that renames or drops a call gets its #if
 * here. */
#ifndef TN_CODEGEN_LLVM_LLVM_COMPAT_H
#define TN_CODEGEN_LLVM_LLVM_COMPAT_H

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 19
#error "Tenon needs LLVM 19 or later"
#endif

/// The API's own constant is -1 of type int.
#define TN_LLVM_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

#endif
