/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* LLVM's intrinsics by name (T.call_llvm_intrin) that the language has too: they are read as what
 * it calls them, so that they mean the same to interpreter, passes and every code generator. */
#include <string.h>

#include "tir/tir.h"
#include "tir/tir_priv.h"

typedef struct llvm_name {
  const char *name;
  int32_t op; /* a tn_op; INTRIN: see id */
  tn_intrin_id id;
  uint32_t n_args;
} llvm_name;

#define FUNCTION(name, id, n) \
  { "llvm." name, TN_OP_INTRIN, TN_INTRIN_##id, n }
static const llvm_name names[] = {
    FUNCTION("ceil", CEIL, 1),
    FUNCTION("copysign", COPYSIGN, 2),
    FUNCTION("cos", COS, 1),
    FUNCTION("ctpop", POPCOUNT, 1),
    FUNCTION("exp", EXP, 1),
    FUNCTION("exp2", EXP2, 1),
    FUNCTION("exp10", EXP10, 1),
    FUNCTION("fabs", FABS, 1),
    FUNCTION("floor", FLOOR, 1),
    FUNCTION("fma", FMA, 3),
    FUNCTION("log", LOG, 1),
    FUNCTION("log10", LOG10, 1),
    FUNCTION("log2", LOG2, 1),
    FUNCTION("nearbyint", NEARBYINT, 1),
    FUNCTION("pow", POW, 2),
    FUNCTION("rint", NEARBYINT, 1),
    FUNCTION("roundeven", ROUND, 1),
    FUNCTION("sin", SIN, 1),
    FUNCTION("sqrt", SQRT, 1),
    FUNCTION("tan", TAN, 1),
    FUNCTION("trunc", TRUNC, 1),
    {"llvm.smax", TN_OP_MAX, 0, 2},
    {"llvm.smin", TN_OP_MIN, 0, 2},
    {"llvm.umax", TN_OP_MAX, 0, 2},
    {"llvm.umin", TN_OP_MIN, 0, 2},
    {"llvm.fmuladd", TN_OP_MUL, 0, 3}, /* a * b + c, which may round once */
};
#undef FUNCTION

bool tn_tir_is_llvm_name(const char *name, const char *wanted) {
  size_t len = strlen(wanted);
  return strncmp(name, wanted, len) == 0 &&
         (name[len] == '\0' || (name[len] == '.' && strchr("fiv", name[len + 1]) != NULL));
}

static const llvm_name *find(const char *name, uint32_t n_args) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (tn_tir_is_llvm_name(name, names[i].name) && names[i].n_args == n_args) {
      return &names[i];
    }
  }
  return NULL;
}

static bool fits(const llvm_name *row, tn_dtype dtype) {
  bool is_signed = strncmp(row->name, "llvm.s", 6) == 0;
  if (row->op == TN_OP_MAX || row->op == TN_OP_MIN) {
    return is_signed ? tn_dtype_is_int(dtype) : tn_dtype_is_uint(dtype);
  }
  bool is_int = row->op == TN_OP_INTRIN && tn_intrin_get(row->id)->type == TN_IT_INT;
  return is_int ? tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) : tn_dtype_is_float(dtype);
}

/* llvm.prefetch(address, rw, locality, cache): the result says nothing. */
static tn_status prefetch(tn_ir *ir, uint32_t n, const tn_node *const *args, const tn_node **out) {
  return tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_PREFETCH), TN_DT_NONE, n, args, out);
}

tn_status tn_tir_llvm_call(tn_ir *ir, tn_dtype dtype, uint32_t n_args, const tn_node *const *args,
                           const tn_node **out) {
  *out = NULL;
  if (n_args == 0 || !tn_is(args[0], TN_OP_STR)) {
    return NULL;
  }
  /* TVM writes the number of types in the signature first */
  bool has_count = n_args > 1 && tn_is(args[1], TN_OP_INT) && args[1]->dtype == TN_DT_U32;
  uint32_t first = has_count ? 2 : 1;
  uint32_t n = n_args - first;
  if (strncmp(args[0]->attr.text, "llvm.prefetch", strlen("llvm.prefetch")) == 0 && n == 4) {
    return prefetch(ir, n, args + first, out);
  }
  const llvm_name *row = find(args[0]->attr.text, n);
  if (row == NULL || !fits(row, dtype)) {
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (args[first + i]->dtype != dtype) {
      return NULL;
    }
  }
  args += first;
  if (row->op == TN_OP_INTRIN) {
    return tn_tir_intrin(ir, tn_intrin_get(row->id), dtype, n, args, out);
  }
  *out = tn_binary(ir, (tn_op)row->op, args[0], args[1]);
  if (n == 3) {
    *out = tn_binary(ir, TN_OP_ADD, *out, args[2]);
  }
  return NULL;
}
