/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Code generation: lowered PRIM_FUNCs -> LLVM -> text, object or memory; graph functions -> VM
 * bytecode -> executable image. */
#ifndef TN_CODEGEN_CODEGEN_H
#define TN_CODEGEN_CODEGEN_H

#include "base/buf.h"
#include "ir/ir.h"
#include "target/target.h"
#include "tenon/report.h"

typedef enum tn_emit { TN_EMIT_LL, TN_EMIT_ASM, TN_EMIT_OBJ } tn_emit;

typedef struct tn_codegen_opts {
  const tn_target *target; /* NULL: host */
  int32_t opt_level;       /* 0 and 1: no contraction, source order; 2, 3: contraction allowed */
  bool is_strict_math;     /* level 0's arithmetic at any level */
  bool keep_unoptimised;   /* TN_EMIT_LL: before LLVM's own passes */
  bool has_comments; /* TN_EMIT_ASM: with what LLVM says of loops and of registers on the stack */
  bool exports_tvm_ffi; /* also __tvm_ffi_<name> for each public function; they need embed/ */
  const struct tn_model *model; /* its C functions instead of the kernels (model/model.h), which
                                   need embed/; NULL: none */
} tn_codegen_opts;

/// Emits every PRIM_FUNC of `lowered` (lower/lower.h's form) as one LLVM module; each becomes an
/// exported tn_kernel_fn (abi/kernel.h) named like its function, position independent. Appends to
/// out. A function with a result (T.int32 ...) takes one tn_arg more than it has parameters; the
/// kernel stores an INT or FLOAT there, although tn_kernel_fn calls the array const. T.call_packed
/// passes integers and bools as INT, floats as FLOAT, texts as STR, handles (A.data, T.address_of)
/// as PTR, buffers as TENSOR. Names of env->fail: "B.shape[0] of argument 1", without the
/// signature, which the host knows. Errors: UNSUPPORTED, naming the function and what has no code;
/// INTERNAL when the module is not in lowered form.
TN_MUST_USE tn_status tn_llvm_emit(const tn_module *lowered, const tn_codegen_opts *opts,
                                   tn_emit kind, tn_buf *out);

/// Objects that are linked together.
enum { TN_MAX_OBJECTS = 8 };
typedef struct tn_objects {
  size_t n;
  tn_buf all[TN_MAX_OBJECTS];
} tn_objects;

/// As tn_llvm_emit does object code, but a large module as several objects, which n_threads make
/// side by side. The bytes do not depend on n_threads. *out is zero before, and is deinitialised by
/// the caller, also after an error.
TN_MUST_USE tn_status tn_llvm_emit_objects(const tn_module *lowered, const tn_codegen_opts *opts,
                                           int32_t n_threads, tn_objects *out);
void tn_objects_deinit(tn_objects *objects);

/// What became of the loops of every PRIM_FUNC. out_report: deinit with tn_llvm_report_deinit.
TN_MUST_USE tn_status tn_llvm_report(const tn_module *lowered, const tn_codegen_opts *opts,
                                     tn_code_report *out_report);
void tn_llvm_report_deinit(tn_code_report *report);

/// An object file that holds `bytes` as read-only data behind the exported symbol `name`, aligned
/// to 4096, with its size behind `name`_size (uint64). Appends to out.
TN_MUST_USE tn_status tn_llvm_emit_blob(const char *name, const void *bytes, size_t n_bytes,
                                        const tn_target *target, tn_buf *out);

/// Object code made executable in this process. Errors: UNSUPPORTED, naming a symbol, when an
/// object imports more than libm's functions.
typedef struct tn_jit tn_jit;
TN_MUST_USE tn_status tn_jit_new(const tn_objects *objects, tn_jit **out_jit);
/// Address of a symbol, or NULL.
void *tn_jit_find(tn_jit *jit, const char *name);
void tn_jit_free(tn_jit *jit);

/// Memory aligned as images are (TN_IMAGE_ALIGN_BYTES); freed with free().
typedef struct tn_exec_bytes {
  void *data;
  size_t n_bytes;
} tn_exec_bytes;

/// Makes the executable image (abi/exec.h) of a module whose graph functions are in VM form
/// (graph/graph.h); kernels: the ELF shared object's bytes, or n_kernel_bytes 0 when the host
/// supplies symbols (JIT, .so). Errors: NO_MEMORY.
TN_MUST_USE tn_status tn_vm_emit(const tn_module *module, const tn_target *target,
                                 const void *kernels, size_t n_kernel_bytes, tn_exec_bytes *out_image);

#endif
