/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The executable format (.tnx; the same bytes stand in the section of a .so behind the symbol
 * tn_executable_image). Little-endian. Everything before the kernel blob is hostile until checked:
 * offsets, counts, string ends, register and slot numbers, jump targets. Standalone: stdint only.
 *
 *   [tn_exec_header][tn_exec_section x n_sections][sections, each aligned to 64 bytes; DATA: 4096]
 *
 * Strings are offsets into STRINGS (NUL-terminated UTF-8; offset 0 is ""). */
#ifndef TN_ABI_EXEC_H
#define TN_ABI_EXEC_H

#include <stdint.h>

enum {
  TN_EXEC_VERSION = 1,
  TN_EXEC_ARCH_X86_64 = 62,
  TN_EXEC_ARCH_AARCH64 = 183,
  TN_EXEC_ARCH_RISCV64 = 243
};
#define TN_EXEC_MAGIC 0x584e544e4f4e4554ULL /* never changes; the version word does */
#define TN_EXEC_IMAGE_SYMBOL "tn_executable_image"

typedef struct tn_exec_header {
  uint64_t magic;
  uint32_t version; /* TN_EXEC_VERSION */
  uint32_t arch;    /* ELF machine number of the kernels; 0: no kernels */
  uint64_t n_bytes; /* of the whole image */
  uint32_t n_sections;
  uint32_t cpu_features; /* string: names the kernels need, "avx2,fma" */
  uint32_t producer;     /* string: "tenon 0.1.0" */
  uint32_t reserved;
  uint64_t checksum; /* of everything but this field; see tn_exec_checksum in exec_layout.h */
} tn_exec_header;

typedef enum tn_exec_section_kind {
  TN_EXEC_STRINGS = 1,
  TN_EXEC_FUNCS = 2,  /* tn_exec_func[] */
  TN_EXEC_PARAMS = 3, /* tn_exec_type[]: parameters of all functions, then their results */
  TN_EXEC_DIMS = 4,   /* int64_t[]: shapes of PARAMS and CONSTS */
  TN_EXEC_CODE = 5,   /* int64_t[]: instructions */
  TN_EXEC_CONSTS = 6, /* tn_exec_const[] */
  TN_EXEC_DATA = 7,   /* tensors' bytes, each aligned to 64 */
  TN_EXEC_KERNELS = 8 /* an ELF shared object; empty in a .so, whose own symbols serve */
} tn_exec_section_kind;

typedef struct tn_exec_section {
  uint32_t kind;
  uint32_t reserved;
  uint64_t offset; /* from the start of the image */
  uint64_t n_bytes;
} tn_exec_section;

typedef enum tn_exec_func_kind {
  TN_EXEC_FN_VM = 1,     /* bytecode: code_begin .. code_end */
  TN_EXEC_FN_KERNEL = 2, /* symbol `name` in the kernels, called as tn_kernel_fn */
  TN_EXEC_FN_PACKED = 3  /* looked up by name in the registry at the first call */
} tn_exec_func_kind;

typedef struct tn_exec_func {
  uint32_t name;
  uint32_t kind;
  uint32_t code_begin; /* int64 words in CODE */
  uint32_t code_end;
  uint32_t n_params;
  uint32_t params;    /* first tn_exec_type; the result is params + n_params. Unused in packed
                         functions and in kernels that are not public, as is n_params. A kernel's
                         result of kind SCALAR means that it takes one argument more for it */
  uint32_t n_regs;    /* registers, parameters first */
  uint32_t n_slots;   /* shape heap, int64 each, zero at entry */
  uint32_t is_public; /* may be called from outside by name */
  uint32_t doc;       /* string: signature as text, for messages and listings */
} tn_exec_func;

/// The type of a parameter, result or constant, as far as it is known.
typedef struct tn_exec_type {
  uint32_t
      name; /* string: parameter name; of a result: the names of its parts, one a line, or "" */
  uint32_t kind;  /* tn_exec_type_kind */
  uint32_t dtype; /* tensor or scalar element type; 0 unknown */
  int32_t ndim;   /* -1 unknown */
  uint32_t dims;  /* index into DIMS, ndim entries: >= 0 fixed, negative: not fixed */
  uint32_t text;  /* string: as written, R.Tensor(("n", 4), dtype="float32") */
  uint32_t flags; /* TN_EXEC_TYPE_* */
  uint32_t reserved;
} tn_exec_type;

/* A kernel's parameter that it writes, that it reads. */
enum { TN_EXEC_TYPE_WRITTEN = 1, TN_EXEC_TYPE_READ = 2 };

typedef enum tn_exec_type_kind {
  TN_EXEC_TY_ANY = 0,
  TN_EXEC_TY_TENSOR = 1,
  TN_EXEC_TY_SHAPE = 2,
  TN_EXEC_TY_SCALAR = 3,
  TN_EXEC_TY_TUPLE = 4,
  TN_EXEC_TY_FUNC = 5
} tn_exec_type_kind;

typedef enum tn_exec_const_kind {
  TN_EXEC_C_TENSOR = 1, /* type + data */
  TN_EXEC_C_SHAPE = 2,  /* type.ndim extents in DIMS */
  TN_EXEC_C_STR = 3,    /* bits: string offset */
  TN_EXEC_C_INT = 4,    /* bits: the int64 */
  TN_EXEC_C_FLOAT = 5   /* bits: the double's bits */
} tn_exec_const_kind;

typedef struct tn_exec_const {
  uint32_t kind;
  uint32_t reserved;
  tn_exec_type type;
  uint64_t offset;  /* tensor: into DATA */
  uint64_t n_bytes; /* tensor */
  int64_t bits;
} tn_exec_const;

/* Instructions are int64 words: the opcode, then its operands. `dst`, `reg` are register numbers,
 * `slot` a shape-heap slot, `func` an index of FUNCS, `dt` a packed dtype; those, `n`, `offset`,
 * `op`, `flags` and targets are plain words. The last instruction of a function is RET, JUMP or TAIL_CALL, and
 * its targets are starts of its own instructions. An `arg` word is kind | value << 8 (arithmetic
 * shift back gives the signed value). */
enum {
  TN_ARGW_REG = 0,   /* a register */
  TN_ARGW_IMM = 1,   /* an integer of 56 bits */
  TN_ARGW_CONST = 2, /* an entry of CONSTS */
  TN_ARGW_FUNC = 3,  /* an entry of FUNCS that is no kernel, as a value */
  TN_ARGW_SLOT = 4   /* the integer in a shape-heap slot */
};
#define TN_ARGW(kind, value) ((int64_t)((uint64_t)(value) << 8 | (uint64_t)(kind)))
#define TN_ARGW_KIND(word) ((int32_t)((word)&0xff))
#define TN_ARGW_VALUE(word) ((int64_t)(word) >> 8)

/* The instructions with their operands, and what they do:
 *   CALL dst func n arg*                 dst = func(args); dst -1 drops the result. A kernel
 *                                        returns nothing (dst is -1): its outputs are args, in
 *                                        destination-passing style
 *   RET arg                              ends the function with a value
 *   JUMP target                          target: a word index in CODE
 *   BRANCH_FALSE reg target              jumps unless reg holds an int or a one-element tensor of
 *                                        bool or integers that is not 0
 *   SHAPE_OP slot op arg arg             slot = a <op> b on int64; op: tn_vm_shape_op. Overflow and
 *                                        division by zero are errors
 *   MATCH reg text dt ndim n dim*        reg must be a tensor (dt 0: any, ndim -1: any), or what a
 *                                        negative dt says (TN_VM_MATCH_*). n is ndim or 0; a dim is
 *                                        kind | value << 8 of TN_VM_DIM_*. text: index of a CONST of
 *                                        kind STR for the message (the place and the type wanted),
 *                                        or -1
 *   MAKE_SHAPE dst n arg*                a shape value of integers
 *   ALLOC_STORAGE dst arg device flags   arg: bytes; device: index of the machine's device list;
 *                                        flags bit 0: the memory does not outlive the call and may
 *                                        be kept for the next run
 *   ALLOC_TENSOR dst reg offset dt n arg* a compact view into storage reg at a byte offset; args
 *                                        are extents
 *   MAKE_TUPLE dst n arg*                a tuple value
 *   TUPLE_GET dst reg index              an item of a tuple
 *   KILL reg                             drops the value
 *   MOVE dst arg                         copies a value (not what it points to)
 *   TO_SLOT slot reg                     an int value into the shape heap
 *   SHAPE_OF dst reg                     the shape of a tensor, as a shape value
 *   COPY_TENSOR dst reg                  a fresh compact copy
 *   MAKE_CLOSURE dst func n arg*         a function value; the args are captured and come after
 *                                        those of each call
 *   CALL_VALUE dst reg n arg*            like CALL, the function being a value in a register
 *   TAIL_CALL func n arg*                RET of what CALL gives, func being a VM function: its frame
 *                                        takes the place of this one, so that a function may call
 *                                        itself any number of times */
typedef enum tn_vm_op {
  TN_VM_CALL = 1,
  TN_VM_RET = 2,
  TN_VM_JUMP = 3,
  TN_VM_BRANCH_FALSE = 4,
  TN_VM_SHAPE_OP = 5,
  TN_VM_MATCH = 6,
  TN_VM_MAKE_SHAPE = 7,
  TN_VM_ALLOC_STORAGE = 8,
  TN_VM_ALLOC_TENSOR = 9,
  TN_VM_MAKE_TUPLE = 10,
  TN_VM_TUPLE_GET = 11,
  TN_VM_KILL = 12,
  TN_VM_MOVE = 13,
  TN_VM_TO_SLOT = 14,
  TN_VM_SHAPE_OF = 15,
  TN_VM_COPY_TENSOR = 16,
  TN_VM_MAKE_CLOSURE = 17,
  TN_VM_CALL_VALUE = 18,
  TN_VM_TAIL_CALL = 19
} tn_vm_op;

typedef enum tn_vm_shape_op {
  TN_VM_SH_ADD = 1,
  TN_VM_SH_SUB = 2,
  TN_VM_SH_MUL = 3,
  TN_VM_SH_FLOORDIV = 4,
  TN_VM_SH_FLOORMOD = 5,
  TN_VM_SH_MIN = 6,
  TN_VM_SH_MAX = 7,
  TN_VM_SH_MOVE = 8, /* slot = a */
  TN_VM_SH_EQ = 9,
  TN_VM_SH_LT = 10,
  TN_VM_SH_LE = 11,
  TN_VM_SH_AND = 12,
  TN_VM_SH_OR = 13,
  TN_VM_SH_NOT = 14,
  TN_VM_SH_SELECT = 15 /* slot = slot ? a : b */
} tn_vm_shape_op;

enum {
  TN_VM_MATCH_SHAPE = -1,
  TN_VM_MATCH_TUPLE = -2, /* of ndim items */
  TN_VM_MATCH_FUNC = -3,
  TN_VM_MATCH_INT = -4,
  TN_VM_MATCH_FLOAT = -5 /* an int will do */
};

enum {
  TN_VM_DIM_ANY = 0,    /* not checked */
  TN_VM_DIM_EQ = 1,     /* must equal the value */
  TN_VM_DIM_STORE = 2,  /* goes to slot `value` */
  TN_VM_DIM_EQ_SLOT = 3 /* must equal slot `value` */
};

#endif
