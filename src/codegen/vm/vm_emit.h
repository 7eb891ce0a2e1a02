/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The insides of tn_vm_emit: the tables of an executable under construction (tables.c), one
 * function's registers, slots and code (func.c), its values and sizes (value.c), its calls
 * (call.c). */
#ifndef TN_CODEGEN_VM_VM_EMIT_H
#define TN_CODEGEN_VM_VM_EMIT_H

#include "abi/exec.h"
#include "base/buf.h"
#include "codegen/codegen.h"
#include "graph/graph.h"

/* ---- tables.c: sections ---- */

typedef struct tn_vm_tables {
  tn_buf strings;
  tn_strmap string_at; /* text -> offset */
  TN_VEC(tn_exec_func) funcs;
  TN_VEC(tn_exec_type) types;
  TN_VEC(int64_t) dims;
  TN_VEC(int64_t) code;
  TN_VEC(tn_exec_const) consts;
  TN_VEC(const tn_array *) const_arrays; /* by constant; NULL for what is no tensor */
  tn_map const_at;                       /* hash of kind and content -> a constant that has it */
  size_t n_data;                         /* bytes of the tensors, each at its constant's offset */
  tn_strmap vm_funcs;                    /* name -> index + 1 into funcs */
  tn_strmap kernels;
  tn_strmap packed;
} tn_vm_tables;

void tn_vm_tables_deinit(tn_vm_tables *t);
uint32_t tn_vm_string(tn_vm_tables *t, const char *text);
/// Indices into CONSTS; equal constants share one.
int64_t tn_vm_const_str(tn_vm_tables *t, const char *text);
int64_t tn_vm_const_int(tn_vm_tables *t, int64_t value);
int64_t tn_vm_const_float(tn_vm_tables *t, double value);
int64_t tn_vm_const_shape(tn_vm_tables *t, uint32_t n, const int64_t *dims);
int64_t tn_vm_const_tensor(tn_vm_tables *t, const tn_array *array);
/// Adds the entry of a parameter or result. type: a TY_*, NONE for anything.
void tn_vm_push_type(tn_vm_tables *t, const char *name, const tn_node *type);
/// The entry of a host function, made at its first use.
int64_t tn_vm_packed(tn_vm_tables *t, const char *name);
/// Index of a function in one of the maps, or -1.
int64_t tn_vm_func_find(const tn_strmap *map, const char *name);
/// Header, section table and sections; image as of tn_vm_emit.
TN_MUST_USE tn_status tn_vm_tables_write(const tn_vm_tables *t, uint32_t arch,
                                         const char *cpu_features, const void *kernels,
                                         size_t n_kernel_bytes, tn_exec_bytes *out_image);

/* ---- func.c: one function ---- */

typedef struct tn_vm_func {
  tn_vm_tables *t;
  tn_ir *ir;
  const tn_module *module;
  const tn_node *func;
  tn_map uses; /* GVAR id -> 1 when a statement uses it */
  tn_map regs; /* GVAR id -> register */
  tn_map
      closures; /* GVAR id -> MAKE_CLOSURE call of a function of the module, over values that stay */
  tn_map is_kept; /* registers of storages kept for the next run: never given to another value */
  TN_VEC(uint32_t) free_regs;
  uint32_t n_regs;
  tn_map slots; /* id of a size's VAR or expression -> slot */
  uint32_t n_slots;
  TN_VEC(uint64_t) sizes;       /* ids in `slots`, innermost branch last */
  TN_VEC(const tn_node *) vars; /* variables with a register, innermost branch last */
  TN_VEC(uint32_t) temps;       /* registers of the statement at hand */
} tn_vm_func;

uint32_t tn_vm_new_reg(tn_vm_func *f);
/// A register that is dropped at the end of the statement.
uint32_t tn_vm_temp_reg(tn_vm_func *f);
uint32_t tn_vm_new_slot(tn_vm_func *f);
void tn_vm_set_slot(tn_vm_func *f, const tn_node *size, uint32_t slot);
/// Appends an instruction: opcode and fixed operands.
void tn_vm_put(tn_vm_func *f, int32_t n, const int64_t *words);
#define TN_VM_PUT(f, ...)                                                       \
  tn_vm_put((f), (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
            (int64_t[]){__VA_ARGS__})
/// The register for what a binding gives; -1 when nobody looks and the instruction may drop it.
int64_t tn_vm_dst(tn_vm_func *f, const tn_node *var);
/// The same as a register in any case: a temporary one when nobody looks.
uint32_t tn_vm_define(tn_vm_func *f, const tn_node *var);

/* ---- value.c ---- */

/// An integer over sizes: an IMM or SLOT argument word, computing it at most once.
TN_MUST_USE tn_status tn_vm_size(tn_vm_func *f, const tn_node *expr, int64_t *out_word);
/// Any atom (and a tuple of atoms) as an argument word.
TN_MUST_USE tn_status tn_vm_arg(tn_vm_func *f, const tn_node *value, int64_t *out_word);
/// The same in a register.
TN_MUST_USE tn_status tn_vm_arg_reg(tn_vm_func *f, const tn_node *value, uint32_t *out_reg);
/// Checks register `reg` against `type`, binding its new sizes. Extents computed from others are
/// checked when is_late.
TN_MUST_USE tn_status tn_vm_match(tn_vm_func *f, uint32_t reg, const tn_node *type,
                                  const char *place, bool is_late);

/* ---- call.c ---- */

/// Whether a call in the last place of a function can take that function's frame: of a function of
/// the module, or of a closure over values that are there until the end.
bool tn_vm_is_tail_call(tn_vm_func *f, const tn_node *invoke);
/// Notes a closure that such calls may use without making it.
void tn_vm_note_closure(tn_vm_func *f, const tn_node *bind);
/// RET of the call's result.
TN_MUST_USE tn_status tn_vm_tail_call(tn_vm_func *f, const tn_node *invoke);
/// var = value, where value is a CALL or INVOKE.
TN_MUST_USE tn_status tn_vm_call_value(tn_vm_func *f, const tn_node *var, const tn_node *value);

/* ---- func.c ---- */

/// Emits the code of a GFUNC and completes its entry `index` of FUNCS.
TN_MUST_USE tn_status tn_vm_emit_gfunc(tn_vm_tables *t, const tn_module *module,
                                       const tn_node *func, uint32_t index);

#endif
