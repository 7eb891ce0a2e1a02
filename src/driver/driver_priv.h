/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the driver's files share. */
#ifndef TN_DRIVER_DRIVER_PRIV_H
#define TN_DRIVER_DRIVER_PRIV_H

#include "base/array.h"
#include "ir/ir.h"
#include "runtime/exec_image.h"
#include "target/target.h"
#include "tenon/compiler.h"

struct tn_program {
  tn_ir *ir; /* owned */
  tn_module module;
  bool is_scheduled; /* by a script: its loops stay as that left them */
};

/// Is the file there an ONNX model, by its name or its first byte?
bool tn_driver_is_onnx(const char *path);
/// A program without functions.
TN_MUST_USE tn_status tn_driver_new_program(tn_program **out_program);

/// A program after the passes, in a child of the program's tn_ir; freed before the program changes.
typedef struct tn_lowered {
  tn_ir *ir;
  tn_module module;
  const tn_target *target; /* static */
} tn_lowered;

/// The pass called `name`, NULL when there is none.
const tn_pass *tn_pass_find(const char *name);
/// Resolves opts->target.
TN_MUST_USE tn_status tn_driver_target(const tn_compile_opts *opts, const tn_target **out_target);
/// Runs the comma-separated `passes` on `module`.
TN_MUST_USE tn_status tn_driver_run(tn_module *module, const char *passes,
                                    const tn_compile_opts *opts, const tn_target *target);
/// Runs the default passes on a copy.
TN_MUST_USE tn_status tn_driver_lower(const tn_program *program, const tn_compile_opts *opts,
                                      tn_lowered *out_lowered);
/// Leaves the function `name` of the module and what it calls. NOT_FOUND with a near name.
TN_MUST_USE tn_status tn_driver_keep_only(tn_module *module, const char *name);
/// UNSUPPORTED for a loop function whose attribute "target" asks for code that `target` is not.
TN_MUST_USE tn_status tn_driver_check_targets(const tn_module *module, const tn_target *target);
void tn_lowered_deinit(tn_lowered *lowered);
/// Kind, type, rank, extents and text of a graph-level type; the rest of *info stays.
void tn_driver_describe_type(tn_ir *ir, const tn_node *type, tn_param_info *info);
bool tn_module_has_kernels(const tn_module *module);

/// Links objects to a shared library at `out_path` with cc, else ld.lld. objects: paths. needs_libc:
/// the library names libc, for a process that may not have loaded it.
TN_MUST_USE tn_status tn_driver_link(const char *const *objects, size_t n_objects,
                                     const tn_target *target, bool needs_libc,
                                     const char *out_path);

/// An object file of src/embed, for the library being written; static storage.
typedef enum tn_embedded { TN_EMBEDDED_TVM_FFI, TN_EMBEDDED_MODEL } tn_embedded;
const void *tn_embedded_object(tn_embedded which, size_t *out_n_bytes);

/// A host array that looks at the tensor's memory; INVALID unless it lies on the cpu and is
/// compact.
TN_MUST_USE tn_status tn_array_view_dl(const DLTensor *dl, tn_array *out_array);
/// A tensor with a copy of the array.
TN_MUST_USE tn_status tn_tensor_of_array(const tn_array *array, tn_tensor **out_tensor);

#endif
