/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Executables inside the runtime: the checked view of an image's bytes, and the loaded object
 * around it.
 *
 *   bytes --tn_exec_view_init--> view (every offset checked)
 *         --exec.c--> kernels found, constants made --> tn_exec */
#ifndef TN_RUNTIME_EXEC_H
#define TN_RUNTIME_EXEC_H

#include "abi/exec.h"
#include "runtime/object.h"

/// Typed windows into an image; borrowed from its bytes. After tn_exec_view_init all offsets in
/// them are good.
typedef struct tn_exec_view {
  const uint8_t *bytes;
  const tn_exec_header *header;
  const char *strings;
  size_t n_string_bytes;
  const tn_exec_func *funcs;
  size_t n_funcs;
  const tn_exec_type *types;
  size_t n_types;
  const int64_t *dims;
  size_t n_dims;
  const int64_t *code;
  size_t n_code;
  const tn_exec_const *consts;
  size_t n_consts;
  const uint8_t *data;
  size_t n_data_bytes;
  const uint8_t *kernels;
  size_t n_kernel_bytes;
} tn_exec_view;

enum { TN_EXEC_MAX_REGS = 1 << 20, TN_EXEC_MAX_SLOTS = 1 << 20, TN_EXEC_MAX_PARAMS = 1 << 16 };

/// Checks everything but the native code. bytes: aligned to 64. Errors: CORRUPT, saying which part;
/// UNSUPPORTED for another version, named.
TN_MUST_USE tn_status tn_exec_view_init(tn_exec_view *view, const uint8_t *bytes, size_t n_bytes);
/// UNSUPPORTED when the kernels are for another architecture or need CPU features that this machine
/// lacks.
TN_MUST_USE tn_status tn_exec_check_machine(const tn_exec_view *view);
static inline const char *tn_exec_str(const tn_exec_view *view, uint32_t offset) {
  return view->strings + offset;
}

/* ---- instructions (exec_code.c) ---- */

/// The name and operand letters of an opcode (vm_ops.def); NULL for an unknown one.
typedef struct tn_vm_op_info {
  const char *name;
  const char *operands;
} tn_vm_op_info;
const tn_vm_op_info *tn_vm_op_find(int64_t opcode);
/// The words of the instruction at `words`, of which `n_left` are in the function; 0 when it does
/// not fit.
size_t tn_vm_instr_len(const int64_t *words, size_t n_left);
/// Checks the code of function `index`, all of whose fields are good.
TN_MUST_USE tn_status tn_exec_check_code(const tn_exec_view *view, size_t index);
/// The largest number of call arguments in the function.
size_t tn_exec_max_args(const tn_exec_view *view, size_t index);

/* ---- machine (cpu_features.c, exec_elf.c) ---- */

/// NULL when this machine has all of "avx2,fma"; otherwise UNSUPPORTED naming the missing or
/// unknown ones.
TN_MUST_USE tn_status tn_cpu_check_features(const char *names);
/// Checks that an ELF shared object is whole, 64-bit little-endian and for `arch` (0: this
/// machine). CORRUPT, UNSUPPORTED.
TN_MUST_USE tn_status tn_elf_check(const uint8_t *bytes, size_t n_bytes, uint32_t arch);
bool tn_elf_is(const uint8_t *bytes, size_t n_bytes);
/// The ELF machine number of this build.
uint32_t tn_elf_this_arch(void);

/* ---- the loaded executable ---- */

/// Where an image's bytes come from; constants keep it alive after the exec is gone.
typedef struct tn_image_owner {
  tn_object obj;
  void (*unload)(struct tn_image_owner *owner);
  void *ctx; /* of unload */
  void (*free_ctx)(void *ctx);
  const uint8_t *mapped; /* a mapped file, or an aligned copy */
  size_t n_mapped;
  void *library; /* dlopen handle, or NULL */
  int fd;        /* memfd of the kernels, or -1 */
} tn_image_owner;

struct tn_exec {
  tn_object obj;
  tn_image_owner *owner; /* retained */
  tn_exec_view view;
  tn_kernel_fn *kernels; /* one per function; NULL unless it is a kernel */
  tn_arg *consts;        /* one per constant; objects */
  int32_t *publics;      /* indices of public VM functions and kernels */
  int32_t n_publics;
};

#endif
