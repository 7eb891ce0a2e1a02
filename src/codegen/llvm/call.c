/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Intrinsics that reach outside: addresses, hints, calls by symbol (call_extern), by registered
 * name through the host (call_packed) and of LLVM's own intrinsics. Arguments of call_packed go as
 * the text has them: integers and bools as INT, floats as FLOAT, texts as STR, handles (A.data,
 * T.address_of) as PTR, buffers as TENSOR; its result is not used. A call_extern symbol must be
 * found by whoever links the object; in memory only libm's names are. */
#include "codegen/llvm/cg.h"

#include <stddef.h>
#include <string.h>

#include "abi/kernel.h"
#include "tir/math/math.h"

/* ---- addresses and hints ---- */

/* Its first argument says the type of an element: a type, or a value of that type. */
static LLVMValueRef access_ptr(tn_cg *cg, const tn_node *n) {
  tn_dtype elem = tn_is(n->in[0], TN_OP_DTYPE) ? (tn_dtype)n->in[0]->attr.i64 : n->in[0]->dtype;
  if (tn_dtype_is_packed(elem)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "a pointer to elements of 4 bits: two of them share a byte");
    return LLVMGetPoison(cg->ptr);
  }
  LLVMValueRef base = tn_cg_expr(cg, n->in[1]);
  return tn_cg_offset(cg, base, tn_cg_index(cg, n->in[2]), elem);
}

static int64_t literal_or(const tn_node *n, uint32_t slot, int64_t otherwise) {
  return n->n_in > slot && tn_is(n->in[slot], TN_OP_INT) ? n->in[slot]->attr.i64 : otherwise;
}

static LLVMValueRef prefetch(tn_cg *cg, const tn_node *n) {
  int64_t rw = literal_or(n, 1, 0);
  int64_t locality = literal_or(n, 2, 3);
  int64_t cache = literal_or(n, 3, 1);
  if (!tn_dtype_is_handle(n->in[0]->dtype) || (rw | 1) != 1 || locality < 0 || locality > 3 ||
      (cache | 1) != 1) {
    tn_cg_fail(cg, TN_UNSUPPORTED,
               "T.prefetch takes an address, 0 or 1, a locality from 0 to 3, and 0 or 1");
    return tn_cg_zero(cg, TN_DT_I32);
  }
  LLVMValueRef args[] = {tn_cg_expr(cg, n->in[0]), tn_cg_i32(cg, rw), tn_cg_i32(cg, locality),
                         tn_cg_i32(cg, cache)};
  tn_cg_llvm_intrin(cg, "llvm.prefetch", cg->ptr, args, 4);
  return tn_cg_zero(cg, TN_DT_I32);
}

static LLVMValueRef memory_intrin(tn_cg *cg, const tn_node *n, const tn_intrin *row) {
  switch ((int)row->id) {
    case TN_INTRIN_ADDRESS_OF:
      if (tn_is(n->in[0], TN_OP_LOAD)) {
        return tn_cg_address_of(cg, n->in[0]);
      }
      break;
    case TN_INTRIN_TVM_ACCESS_PTR:
      return access_ptr(cg, n);
    case TN_INTRIN_PREFETCH:
      return prefetch(cg, n);
    default:
      break;
  }
  tn_cg_fail(cg, TN_UNSUPPORTED, "no code for T.%s", row->def.name);
  return tn_cg_poison(cg, n->dtype);
}

static LLVMValueRef hint(tn_cg *cg, const tn_node *n, const tn_intrin *row) {
  switch ((int)row->id) {
    case TN_INTRIN_LIKELY:
      return tn_cg_expr(cg, n->in[0]);
    case TN_INTRIN_ASSUME: /* told to the compiler above us; a wrong one must not become undefined
                              behaviour here */
    case TN_INTRIN_UNDEF:
      return tn_cg_zero(cg, n->dtype);
    default:
      tn_cg_fail(cg, TN_UNSUPPORTED, "no code for T.%s", row->def.name);
      return tn_cg_poison(cg, n->dtype);
  }
}

/* ---- calls ---- */

/* A buffer's DLTensor on the stack, as long as the function runs. */
static LLVMValueRef tensor_of(tn_cg *cg, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *offset = buffer->in[TN_BUFFER_ELEM_OFFSET];
  uint32_t ndim = shape->n_in;
  bool is_strided = strides->n_in == ndim && ndim != 0;
  LLVMValueRef data = tn_cg_expr(cg, buffer->in[TN_BUFFER_DATA]);
  if (!tn_is_none(offset) && !tn_is_int(offset, 0)) {
    data = tn_cg_offset(cg, data, tn_cg_index(cg, offset), buffer->dtype);
  }
  LLVMValueRef sizes = tn_cg_stack(cg, cg->i64, 2 * (uint64_t)ndim + 1, 16, "sizes");
  LLVMValueRef steps = tn_cg_offset(cg, sizes, tn_cg_i64(cg, ndim), TN_DT_I64);
  for (uint32_t d = 0; d < ndim; ++d) {
    LLVMBuildStore(cg->builder, tn_cg_index(cg, shape->in[d]),
                   tn_cg_offset(cg, sizes, tn_cg_i64(cg, d), TN_DT_I64));
    if (is_strided) {
      LLVMBuildStore(cg->builder, tn_cg_index(cg, strides->in[d]),
                     tn_cg_offset(cg, steps, tn_cg_i64(cg, d), TN_DT_I64));
    }
  }
  const struct {
    size_t at;
    LLVMValueRef value;
  } fields[] = {
      {offsetof(DLTensor, data), data},
      {offsetof(DLTensor, device) + offsetof(DLDevice, device_type), tn_cg_i32(cg, kDLCPU)},
      {offsetof(DLTensor, device) + offsetof(DLDevice, device_id), tn_cg_i32(cg, 0)},
      {offsetof(DLTensor, ndim), tn_cg_i32(cg, ndim)},
      {offsetof(DLTensor, dtype), tn_cg_i32(cg, (int64_t)buffer->dtype)},
      {offsetof(DLTensor, shape), sizes},
      {offsetof(DLTensor, strides), is_strided ? steps : LLVMConstNull(cg->ptr)},
      {offsetof(DLTensor, byte_offset), tn_cg_i64(cg, 0)},
  };
  LLVMValueRef tensor = tn_cg_stack(cg, cg->i8, sizeof(DLTensor), 16, "tensor");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
    LLVMValueRef at = tn_cg_offset(cg, tensor, tn_cg_i64(cg, (int64_t)fields[i].at), TN_DT_I8);
    LLVMBuildStore(cg->builder, fields[i].value, at);
  }
  return tensor;
}

static LLVMValueRef call_packed(tn_cg *cg, const tn_node *n) {
  uint32_t n_args = n->n_in - 1;
  LLVMValueRef args =
      tn_cg_stack(cg, cg->i64, 2 * (uint64_t)(n_args == 0 ? 1 : n_args), 16, "args");
  for (uint32_t i = 0; i < n_args; ++i) {
    const tn_node *arg = n->in[i + 1];
    bool is_buffer = tn_is(arg, TN_OP_BUFFER);
    int64_t kind = is_buffer                        ? TN_ARG_TENSOR
                   : tn_is(arg, TN_OP_STR)          ? TN_ARG_STR
                   : tn_dtype_is_handle(arg->dtype) ? TN_ARG_PTR
                   : tn_dtype_is_float(arg->dtype)  ? TN_ARG_FLOAT
                                                    : TN_ARG_INT;
    LLVMValueRef value = is_buffer ? tensor_of(cg, arg) : tn_cg_expr(cg, arg);
    if (!is_buffer && tn_dtype_lanes(arg->dtype) != 1) {
      tn_cg_fail(cg, TN_UNSUPPORTED, "a vector as argument %u of T.call_packed", i);
    } else if (kind == TN_ARG_FLOAT) {
      value = tn_cg_cast(cg, value, arg->dtype, TN_DT_F64);
    } else if (kind == TN_ARG_INT) {
      value = tn_cg_cast(cg, value, arg->dtype, TN_DT_I64);
    }
    LLVMBuildStore(cg->builder, tn_cg_i64(cg, kind),
                   tn_cg_offset(cg, args, tn_cg_i64(cg, 2 * i), TN_DT_I64));
    LLVMBuildStore(cg->builder, value, tn_cg_offset(cg, args, tn_cg_i64(cg, 2 * i + 1), TN_DT_I64));
  }
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->ptr, cg->i32, cg->ptr};
  LLVMTypeRef type = LLVMFunctionType(cg->i32, params, 5, 0);
  LLVMValueRef values[] = {cg->cur->env, tn_cg_text(cg, n->in[0]->attr.text), args,
                           tn_cg_i32(cg, n_args), LLVMConstNull(cg->ptr)};
  tn_cg_leave_if_failed(cg, tn_cg_call_env(cg, offsetof(tn_env, call_packed), type, values, 5));
  return tn_cg_zero(cg, n->dtype);
}

enum { MAX_EXTERN_ARGS = 32 };

/* bool goes as a byte, float16 and bfloat16 not at all. */
static LLVMValueRef call_extern(tn_cg *cg, const tn_node *n) {
  const char *name = n->in[0]->attr.text;
  uint32_t n_args = n->n_in - 1;
  LLVMTypeRef params[MAX_EXTERN_ARGS];
  LLVMValueRef values[MAX_EXTERN_ARGS];
  bool is_fit =
      n_args <= MAX_EXTERN_ARGS && tn_dtype_lanes(n->dtype) == 1 && !tn_cg_is_half(n->dtype);
  for (uint32_t i = 0; i < n_args && is_fit; ++i) {
    tn_dtype dtype = n->in[i + 1]->dtype;
    is_fit = tn_dtype_lanes(dtype) == 1 && !tn_cg_is_half(dtype);
    values[i] = tn_cg_expr(cg, n->in[i + 1]);
    values[i] =
        tn_dtype_is_bool(dtype) ? LLVMBuildZExt(cg->builder, values[i], cg->i8, "") : values[i];
    params[i] = LLVMTypeOf(values[i]);
  }
  if (!is_fit || !tn_cg_is_symbol(name) || tn_module_find(cg->module, name) != NULL) {
    tn_cg_fail(
        cg, TN_UNSUPPORTED,
        "call of '%s': only scalars, no 16-bit floats, %d arguments at most, and no function "
        "of this module",
        name, MAX_EXTERN_ARGS);
    return tn_cg_poison(cg, n->dtype);
  }
  LLVMTypeRef ret = tn_cg_mem_type(cg, n->dtype);
  LLVMTypeRef type = LLVMFunctionType(ret, params, n_args, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, name);
  if (fn != NULL && LLVMGlobalGetValueType(fn) != type) {
    tn_cg_fail(cg, TN_INVALID, "'%s' is called with two different signatures", name);
    return tn_cg_poison(cg, n->dtype);
  }
  fn = fn != NULL ? fn : LLVMAddFunction(cg->mod, name, type);
  LLVMValueRef call = LLVMBuildCall2(cg->builder, type, fn, values, n_args, "");
  tn_cg_call_attr(cg, call, "nobuiltin", 0);
  return tn_dtype_is_bool(n->dtype)
             ? LLVMBuildICmp(cg->builder, LLVMIntNE, call, LLVMConstNull(ret), "")
             : call;
}

/* LLVM's intrinsics of one overloaded type for arguments and result; others might be asked for with
 * types that LLVM does not check. */
typedef struct llvm_row {
  const char *name;
  uint32_t n_args;
  bool is_int;
} llvm_row;

static const llvm_row llvm_rows[] = {
    {"llvm.bitreverse", 1, true}, {"llvm.bswap", 1, true},      {"llvm.ceil", 1, false},
    {"llvm.copysign", 2, false},  {"llvm.cos", 1, false},       {"llvm.ctpop", 1, true},
    {"llvm.exp", 1, false},       {"llvm.exp2", 1, false},      {"llvm.fabs", 1, false},
    {"llvm.floor", 1, false},     {"llvm.fma", 3, false},       {"llvm.fmuladd", 3, false},
    {"llvm.log", 1, false},       {"llvm.log10", 1, false},     {"llvm.log2", 1, false},
    {"llvm.maximum", 2, false},   {"llvm.maxnum", 2, false},    {"llvm.minimum", 2, false},
    {"llvm.minnum", 2, false},    {"llvm.nearbyint", 1, false}, {"llvm.pow", 2, false},
    {"llvm.rint", 1, false},      {"llvm.round", 1, false},     {"llvm.roundeven", 1, false},
    {"llvm.sadd.sat", 2, true},   {"llvm.sin", 1, false},       {"llvm.smax", 2, true},
    {"llvm.smin", 2, true},       {"llvm.sqrt", 1, false},      {"llvm.ssub.sat", 2, true},
    {"llvm.trunc", 1, false},     {"llvm.uadd.sat", 2, true},   {"llvm.umax", 2, true},
    {"llvm.umin", 2, true},       {"llvm.usub.sat", 2, true},
};

static const llvm_row *find_llvm_row(const char *name, uint32_t n_args) {
  for (size_t i = 0; i < sizeof llvm_rows / sizeof llvm_rows[0]; ++i) {
    if (strcmp(llvm_rows[i].name, name) == 0 && llvm_rows[i].n_args == n_args) {
      return &llvm_rows[i];
    }
  }
  return NULL;
}

/* What LLVM itself would call libm for is our own code. NULL: an instruction. */
static LLVMValueRef own_math(tn_cg *cg, const llvm_row *row, LLVMValueRef *args) {
  const char *name = row->name + strlen("llvm.");
  for (uint32_t i = 0; i < tn_math_n(); ++i) {
    if (strcmp(tn_intrin_get(tn_math_fns[i].id)->def.name, name) == 0) {
      return tn_cg_own_math(cg, i, args, row->n_args);
    }
  }
  bool is_fma = strcmp(name, "fma") == 0 && !cg->has_fma;
  return is_fma ? tn_cg_own_fma(cg, args) : NULL;
}

static LLVMValueRef call_llvm(tn_cg *cg, const tn_node *n) {
  const char *name = n->in[0]->attr.text;
  /* TVM writes the number of types in the signature first */
  bool has_count = n->n_in > 1 && tn_is(n->in[1], TN_OP_INT) && n->in[1]->dtype == TN_DT_U32;
  uint32_t first = has_count ? 2 : 1;
  uint32_t n_args = n->n_in - first;
  const llvm_row *row = find_llvm_row(name, n_args);
  bool is_int = tn_dtype_is_int(n->dtype) || tn_dtype_is_uint(n->dtype);
  bool is_fit =
      row != NULL && (row->is_int ? is_int && tn_dtype_bits(n->dtype) >= 16
                                  : tn_dtype_is_float(n->dtype) && !tn_cg_is_half(n->dtype));
  LLVMValueRef args[3];
  for (uint32_t i = 0; i < n_args && is_fit; ++i) {
    is_fit = n->in[first + i]->dtype == n->dtype;
    args[i] = tn_cg_expr(cg, n->in[first + i]);
  }
  if (!is_fit) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "LLVM's intrinsic '%s' with %u arguments of these types", name,
               n_args);
    return tn_cg_poison(cg, n->dtype);
  }
  LLVMValueRef own = own_math(cg, row, args);
  return own != NULL ? own : tn_cg_llvm_intrin(cg, name, tn_cg_type(cg, n->dtype), args, n_args);
}

static LLVMValueRef call_intrin(tn_cg *cg, const tn_node *n, const tn_intrin *row) {
  if (cg->cur->mask != NULL && !row->def.is_pure) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "T.%s in an expression that only some lanes evaluate",
               row->def.name);
  }
  if (!tn_is(n->in[0], TN_OP_STR)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "T.%s by something else than a name", row->def.name);
    return tn_cg_poison(cg, n->dtype);
  }
  switch ((int)row->id) {
    case TN_INTRIN_CALL_PACKED:
    case TN_INTRIN_CALL_CPACKED:
      return call_packed(cg, n);
    case TN_INTRIN_CALL_EXTERN:
    case TN_INTRIN_CALL_PURE_EXTERN:
      return call_extern(cg, n);
    case TN_INTRIN_CALL_LLVM_INTRIN:
    case TN_INTRIN_CALL_LLVM_PURE_INTRIN:
      return call_llvm(cg, n);
    default:
      tn_cg_fail(cg, TN_UNSUPPORTED, "no code for T.%s of '%s'", row->def.name,
                 n->in[0]->attr.text);
      return tn_cg_poison(cg, n->dtype);
  }
}

LLVMValueRef tn_cg_intrin(tn_cg *cg, const tn_node *n) {
  const tn_intrin *row = tn_intrin_of(n);
  LLVMValueRef value = NULL;
  switch (row->kind) {
    case TN_IK_MATH:
      return tn_cg_math(cg, n);
    case TN_IK_VECTOR:
      return tn_cg_expr(cg, tn_tir_expand(cg->module->ir, n));
    case TN_IK_HINT:
      return hint(cg, n, row);
    case TN_IK_MEMORY:
      return memory_intrin(cg, n, row);
    case TN_IK_CALL:
      value = call_intrin(cg, n, row);
      if (!row->def.is_pure) {
        tn_cg_memo_clear(cg);
      }
      return value;
    case TN_IK_OPAQUE:
      break;
  }
  tn_cg_fail(cg, TN_UNSUPPORTED, "T.%s is read and printed, but target '%s' has no code for it",
             row->def.name, cg->target->name);
  return tn_cg_poison(cg, n->dtype);
}
