/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Element types as LLVM sees them, and constants of them. A bool is one bit in registers and a byte
 * in memory. float16 and bfloat16 travel as 16-bit integers, because LLVM's own types would call a
 * support library to round: cast.c converts them. float8, float6 and float4
 * are their bits; what has 4 bits is a 4-bit integer, which memory.c packs. Type errors of the
 * program were found by the verifier; what stays is "no code for this type". */
#include "codegen/llvm/cg.h"

#include <string.h>

#include "base/check.h"

bool tn_cg_is_half(tn_dtype dtype) {
  return tn_dtype_is_float(dtype) && tn_dtype_bits(dtype) == 16;
}

LLVMTypeRef tn_cg_lanes_of(LLVMTypeRef elem, uint32_t lanes) {
  return lanes == 1 ? elem : LLVMVectorType(elem, lanes);
}

static LLVMTypeRef elem_type(tn_cg *cg, tn_dtype dtype) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_bool(dtype)) {
    return cg->i1;
  }
  if (tn_dtype_is_handle(dtype)) {
    return cg->ptr;
  }
  if (tn_cg_is_half(dtype)) {
    return cg->i16;
  }
  if (dtype != TN_DT_NONE && tn_dtype_is_float(dtype)) {
    return bits == 32 ? cg->f32 : bits == 64 ? cg->f64 : NULL;
  }
  if (bits == 4) {
    return LLVMIntTypeInContext(cg->ctx, 4);
  }
  if (tn_dtype_is_small_float(dtype)) {
    return cg->i8;
  }
  if (tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype)) {
    return bits == 8    ? cg->i8
           : bits == 16 ? cg->i16
           : bits == 32 ? cg->i32
           : bits == 64 ? cg->i64
                        : NULL;
  }
  return NULL;
}

LLVMTypeRef tn_cg_type(tn_cg *cg, tn_dtype dtype) {
  LLVMTypeRef elem = elem_type(cg, tn_dtype_elem(dtype));
  if (elem == NULL || tn_dtype_lanes(dtype) == 0) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_cg_fail(cg, TN_UNSUPPORTED, "no code for values of type %s", tn_dtype_print(dtype, text));
    return cg->i32;
  }
  return tn_cg_lanes_of(elem, tn_dtype_lanes(dtype));
}

LLVMTypeRef tn_cg_mem_type(tn_cg *cg, tn_dtype dtype) {
  return tn_dtype_is_bool(dtype) || tn_dtype_is_packed(dtype)
             ? tn_cg_lanes_of(cg->i8, tn_dtype_lanes(dtype))
             : tn_cg_type(cg, dtype);
}

LLVMValueRef tn_cg_i64(tn_cg *cg, int64_t value) {
  return LLVMConstInt(cg->i64, (uint64_t)value, 1);
}

LLVMValueRef tn_cg_i32(tn_cg *cg, int64_t value) {
  return LLVMConstInt(cg->i32, (uint64_t)value, 1);
}

LLVMValueRef tn_cg_int(tn_cg *cg, tn_dtype dtype, int64_t value) {
  LLVMTypeRef type = tn_cg_type(cg, tn_dtype_elem(dtype));
  if (tn_dtype_is_handle(dtype)) {
    return LLVMConstIntToPtr(tn_cg_i64(cg, value), cg->ptr);
  }
  LLVMValueRef scalar = LLVMConstInt(type, (uint64_t)value, 1);
  return tn_cg_splat(cg, scalar, tn_dtype_lanes(dtype));
}

LLVMValueRef tn_cg_float(tn_cg *cg, tn_dtype dtype, double value) {
  tn_dtype elem = tn_dtype_elem(dtype);
  LLVMValueRef scalar = NULL;
  if (elem == TN_DT_F16) {
    scalar = LLVMConstInt(cg->i16, tn_f32_to_f16((float)value), 0);
  } else if (elem == TN_DT_BF16) {
    scalar = LLVMConstInt(cg->i16, tn_f32_to_bf16((float)value), 0);
  } else if (tn_dtype_is_small_float(elem)) {
    uint32_t bits = tn_f32_to_small(tn_small_float_find(elem), (float)value);
    scalar = LLVMConstInt(tn_cg_type(cg, elem), bits, 0);
  } else {
    scalar = LLVMConstReal(tn_cg_type(cg, elem), value);
  }
  return tn_cg_splat(cg, scalar, tn_dtype_lanes(dtype));
}

LLVMValueRef tn_cg_zero(tn_cg *cg, tn_dtype dtype) { return LLVMConstNull(tn_cg_type(cg, dtype)); }

LLVMValueRef tn_cg_poison(tn_cg *cg, tn_dtype dtype) {
  return LLVMGetPoison(tn_cg_type(cg, dtype));
}

static LLVMValueRef global_of(tn_cg *cg, LLVMValueRef init, const char *name, unsigned align) {
  LLVMValueRef global = LLVMAddGlobal(cg->mod, LLVMTypeOf(init), name);
  LLVMSetInitializer(global, init);
  LLVMSetGlobalConstant(global, 1);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(global, align);
  return global;
}

LLVMValueRef tn_cg_small_table(tn_cg *cg, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  const tn_small_float *type = tn_small_float_find(dtype);
  tn_dtype_print(type->dtype, text);
  LLVMValueRef known = LLVMGetNamedGlobal(cg->mod, text);
  if (known != NULL) {
    return known;
  }
  LLVMValueRef values[256];
  unsigned n = 1u << tn_dtype_bits(dtype);
  for (unsigned i = 0; i < n; ++i) {
    float value = tn_small_to_f32(type, i);
    uint32_t bits = 0; /* a constant of LLVM's made from a number would lose a NaN's sign */
    memcpy(&bits, &value, sizeof bits);
    values[i] = LLVMConstInt(cg->i32, bits, 0);
  }
  return global_of(cg, LLVMConstArray2(cg->i32, values, n), text, 64);
}

LLVMValueRef tn_cg_text(tn_cg *cg, const char *text) {
  return global_of(cg, LLVMConstStringInContext2(cg->ctx, text, strlen(text), 0), "text", 1);
}

LLVMValueRef tn_cg_const_array(tn_cg *cg, const tn_array *array, const char *name) {
  LLVMValueRef init = LLVMConstStringInContext2(cg->ctx, array->data, tn_array_n_bytes(array), 1);
  return global_of(cg, init, name, 64);
}
