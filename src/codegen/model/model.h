/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A graph function in VM form as a static plan: which kernels run in which order on which memory, the
 * memory counted ahead as expressions over the sizes that the types leave open. Plain data over nodes;
 * from it come the C functions (codegen/llvm/model.c) and the header that declares them
 * (header.c). What needs the virtual machine (branches, loops, shapes that depend on values) has no
 * such plan and is refused by name. Decision 009. */
#ifndef TN_CODEGEN_MODEL_MODEL_H
#define TN_CODEGEN_MODEL_MODEL_H

#include "base/vec.h"
#include "codegen/codegen.h"
#include "graph/graph.h"

typedef enum tn_place_kind {
  TN_PLACE_ARG,     /* the caller's memory: input or output number `at` */
  TN_PLACE_STORAGE, /* `offset` bytes into storage number `at` */
  TN_PLACE_CONST,   /* `array` */
  TN_PLACE_SIZES    /* the extents `sizes` as int64 numbers, made when it is used */
} tn_place_kind;

typedef struct tn_model_tensor {
  tn_place_kind kind;
  uint32_t at;
  int64_t offset;
  const tn_array *array;
  const tn_node *sizes; /* LIST of int64 expressions */
  tn_dtype dtype;
  const tn_node *shape; /* LIST of int64 expressions over the entry's sizes */
} tn_model_tensor;

/// An argument of a kernel: a tensor, or a number when that is not NULL.
typedef struct tn_model_arg {
  uint32_t tensor;
  const tn_node *number;
} tn_model_arg;

/// kernel != NULL: a call with the next n_args of args. Else: the two sizes must be equal.
typedef struct tn_model_step {
  const char *kernel;
  const tn_node *func;
  uint32_t first_arg;
  uint32_t n_args;
  const tn_node *left;
  const tn_node *right;
} tn_model_step;

/// A name of the model and the C identifier made of it.
typedef struct tn_model_name {
  const char *given;
  const char *symbol;
} tn_model_name;

typedef struct tn_model_entry {
  tn_model_name name;            /* symbol: with the prefix */
  TN_VEC(const tn_node *) sizes; /* VARs, in the order of the C function's arguments */
  TN_VEC(tn_model_name) size_names;
  TN_VEC(tn_model_tensor) tensors; /* the inputs first */
  uint32_t n_inputs;
  TN_VEC(tn_model_name) arg_names;  /* inputs, then outputs */
  TN_VEC(uint32_t) outputs;         /* indices of tensors */
  TN_VEC(const tn_node *) storages; /* bytes; 0 for what the caller's memory serves */
  TN_VEC(tn_model_step) steps;
  TN_VEC(tn_model_arg) args;
  const tn_node *scratch; /* bytes that a kernel asks for outside of parallel loops, at most */
  const tn_node *thread_scratch; /* each thread inside of one */
} tn_model_entry;

typedef struct tn_model {
  const char *prefix; /* a C identifier */
  TN_VEC(tn_model_entry) entries;
} tn_model;

/// The entries of `lowered`: its public graph functions. name: of the model, from which the prefix of
/// all symbols is made. Strings and nodes live in lowered->ir. Errors: UNSUPPORTED for what a static
/// plan cannot say, INVALID when there is no entry.
TN_MUST_USE tn_status tn_model_make(const tn_module *lowered, const char *name,
                                    tn_model *out_model);
void tn_model_deinit(tn_model *model);

/// The most bytes that a call of `kernel` asks of its host, as int64 expressions over its variables:
/// by serial code, and by one thread of a parallel loop.
TN_MUST_USE tn_status tn_model_scratch(tn_ir *ir, const tn_node *kernel, const tn_node **out_serial,
                                       const tn_node **out_thread);
/// a + b and max(a, b) of int64 expressions, folded where both are numbers.
const tn_node *tn_model_add(tn_ir *ir, const tn_node *a, const tn_node *b);
const tn_node *tn_model_max(tn_ir *ir, const tn_node *a, const tn_node *b);
/// `expr` over int64, its variables replaced by what `vars` (VAR id -> node) holds. NULL when one has
/// no value there, or the expression is none of sizes.
const tn_node *tn_model_widen(tn_ir *ir, const tn_node *expr, const tn_map *vars);

/// A C identifier made of any text: never empty, no keyword, none of those in `taken`, to which it is
/// added.
const char *tn_model_symbol(tn_ir *ir, const char *text, tn_strmap *taken);

/// The C header of the model. target: what its code needs.
void tn_model_header(const tn_model *model, const tn_target *target, tn_buf *out);

#endif
