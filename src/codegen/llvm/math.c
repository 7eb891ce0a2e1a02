/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Intrinsics that are functions of their arguments. A row of tir/intrins.def with an LLVM name
 * becomes that instruction, a row of tir/math/functions.def our own code for it, and the rest is
 * spelled out here. float16 and bfloat16 are computed in float32. */
#include "codegen/llvm/cg.h"

#include <string.h>

#include "tir/math/math.h"

LLVMValueRef tn_cg_llvm_intrin(tn_cg *cg, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                               unsigned n) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  unsigned n_types = type == NULL ? 0 : 1;
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(cg->mod, id, &type, n_types);
  LLVMTypeRef fn_type = LLVMIntrinsicGetType(cg->ctx, id, &type, n_types);
  return LLVMBuildCall2(cg->builder, fn_type, fn, args, n, "");
}

/* ---- libm: by T.call_extern only ---- */

bool tn_cg_is_libm_name(const char *name, size_t len) {
  static const char *const names[] = {
      "acos",      "acosh",     "asin",  "asinh",     "atan",   "atan2", "atanh", "cbrt",
      "ceil",      "copysign",  "cos",   "cosh",      "erf",    "erfc",  "exp",   "exp10",
      "exp2",      "expm1",     "fabs",  "fdim",      "floor",  "fma",   "fmax",  "fmin",
      "fmod",      "hypot",     "ldexp", "lgamma",    "log",    "log10", "log1p", "log2",
      "nearbyint", "pow",       "rint",  "nextafter", "round",  "sin",   "sinh",  "remainder",
      "sqrt",      "roundeven", "tan",   "tanh",      "tgamma", "trunc",
  };
  size_t stem =
      len > 0 && name[len - 1] == 'f' ? len - 1 : len; /* expf; erf is found by its whole name */
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    size_t want = strlen(names[i]);
    if ((want == stem || want == len) && memcmp(names[i], name, want) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- what is spelled out ---- */

static LLVMValueRef constant_like(tn_cg *cg, LLVMValueRef value, double constant) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
    return LLVMConstReal(type, constant);
  }
  return tn_cg_splat(cg, LLVMConstReal(LLVMGetElementType(type), constant),
                     LLVMGetVectorSize(type));
}

static LLVMValueRef absolute(tn_cg *cg, LLVMValueRef x, tn_dtype dtype) {
  if (tn_dtype_is_float(dtype)) {
    return tn_cg_llvm_intrin(cg, "llvm.fabs", LLVMTypeOf(x), &x, 1);
  }
  LLVMValueRef args[] = {x, LLVMConstInt(cg->i1, 0, 0)}; /* abs(min) wraps to min */
  return tn_dtype_is_int(dtype) ? tn_cg_llvm_intrin(cg, "llvm.abs", LLVMTypeOf(x), args, 2) : x;
}

static LLVMValueRef classify(tn_cg *cg, tn_intrin_id id, LLVMValueRef x) {
  if (id == TN_INTRIN_ISNAN) {
    return LLVMBuildFCmp(cg->builder, LLVMRealUNO, x, x, "");
  }
  LLVMValueRef size = tn_cg_llvm_intrin(cg, "llvm.fabs", LLVMTypeOf(x), &x, 1);
  LLVMValueRef inf = constant_like(cg, x, __builtin_inf());
  return LLVMBuildFCmp(cg->builder, id == TN_INTRIN_ISINF ? LLVMRealOEQ : LLVMRealONE, size, inf,
                       "");
}

static LLVMValueRef clamp(tn_cg *cg, LLVMValueRef value, int64_t lo, int64_t hi) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef low = LLVMConstInt(LLVMTypeOf(value), (uint64_t)lo, 1);
  LLVMValueRef high = LLVMConstInt(LLVMTypeOf(value), (uint64_t)hi, 1);
  value = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, value, low, ""), low, value, "");
  return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, value, high, ""), high, value, "");
}

/* round(x * y * 2^-(q + s)), ties up, in 128 bits. A sum of q and s outside +-127 gives what its
 * bound gives: 0. */
static LLVMValueRef q_multiply_lane(tn_cg *cg, LLVMValueRef x, LLVMValueRef y, LLVMValueRef shift) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef wide = LLVMIntTypeInContext(cg->ctx, 128);
  LLVMValueRef zero = LLVMConstNull(wide);
  LLVMValueRef one = LLVMConstInt(wide, 1, 0);
  LLVMValueRef product =
      LLVMBuildMul(b, LLVMBuildSExt(b, x, wide, ""), LLVMBuildSExt(b, y, wide, ""), "");
  LLVMValueRef total = LLVMBuildSExt(b, clamp(cg, shift, -127, 127), wide, "");
  LLVMValueRef is_left = LLVMBuildICmp(b, LLVMIntSLE, total, zero, "");
  LLVMValueRef left_by = LLVMBuildSelect(b, is_left, LLVMBuildNeg(b, total, ""), zero, "");
  LLVMValueRef right_by = LLVMBuildSelect(b, is_left, one, total, "");
  LLVMValueRef half = LLVMBuildShl(b, one, LLVMBuildSub(b, right_by, one, ""), "");
  LLVMValueRef right = LLVMBuildAShr(b, LLVMBuildAdd(b, product, half, ""), right_by, "");
  LLVMValueRef most = LLVMConstInt(wide, 127, 0);
  LLVMValueRef is_gone = LLVMBuildICmp(b, LLVMIntEQ, total, most, "");
  right = LLVMBuildSelect(b, is_gone, zero, right, "");
  LLVMValueRef out = LLVMBuildSelect(b, is_left, LLVMBuildShl(b, product, left_by, ""), right, "");
  return LLVMBuildTrunc(b, out, cg->i64, "");
}

static LLVMValueRef q_multiply_shift(tn_cg *cg, const tn_node *n) {
  uint32_t lanes = tn_dtype_lanes(n->dtype);
  tn_dtype i64 = tn_dtype_with_lanes(TN_DT_I64, lanes);
  LLVMValueRef v[4];
  for (uint32_t i = 0; i < 4; ++i) {
    v[i] = tn_cg_cast(cg, tn_cg_expr(cg, n->in[i]), n->in[i]->dtype, i64);
  }
  LLVMValueRef shift = LLVMBuildAdd(cg->builder, v[2], v[3], "");
  LLVMValueRef out = LLVMGetPoison(tn_cg_type(cg, i64));
  for (uint32_t l = 0; l < lanes; ++l) {
    LLVMValueRef one = q_multiply_lane(cg, tn_cg_lane(cg, v[0], l), tn_cg_lane(cg, v[1], l),
                                       tn_cg_lane(cg, shift, l));
    out = lanes == 1 ? one : tn_cg_set_lane(cg, out, one, l);
  }
  return tn_cg_cast(cg, out, i64, n->dtype);
}

enum { MAX_MATH_ARGS = 4 };

static LLVMValueRef math_value(tn_cg *cg, const tn_node *n, const tn_intrin *row, tn_dtype dtype,
                               LLVMValueRef *args) {
  LLVMValueRef x = args[0];
  int32_t own = tn_dtype_is_float(dtype) ? tn_math_find(row->id) : -1;
  if (row->id == TN_INTRIN_NEXTAFTER && tn_cg_is_half(dtype)) {
    return tn_cg_own_nextafter(cg, dtype, args);
  }
  if (own >= 0) {
    return tn_cg_own_math(cg, (uint32_t)own, args, n->n_in);
  }
  switch ((int)row->id) {
    case TN_INTRIN_FMA:
      if (!cg->has_fma) {
        return tn_cg_own_fma(cg, args);
      }
      break;
    case TN_INTRIN_ABS:
      return absolute(cg, x, dtype);
    case TN_INTRIN_ISNAN:
    case TN_INTRIN_ISINF:
    case TN_INTRIN_ISFINITE:
      return classify(cg, row->id, x);
    case TN_INTRIN_CLZ: {
      LLVMValueRef both[] = {x, LLVMConstInt(cg->i1, 0, 0)};
      return tn_cg_llvm_intrin(cg, "llvm.ctlz", LLVMTypeOf(x), both, 2);
    }
    default:
      break;
  }
  if (row->llvm == NULL) {
    return NULL;
  }
  return tn_cg_fp(cg, tn_cg_llvm_intrin(cg, row->llvm, LLVMTypeOf(x), args, n->n_in));
}

LLVMValueRef tn_cg_math(tn_cg *cg, const tn_node *n) {
  const tn_intrin *row = tn_intrin_of(n);
  LLVMValueRef args[MAX_MATH_ARGS];
  LLVMValueRef out = NULL;
  tn_dtype dtype = n->n_in > 0 ? n->in[0]->dtype : n->dtype;
  if (row->id == TN_INTRIN_Q_MULTIPLY_SHIFT) {
    return q_multiply_shift(cg, n);
  }
  if (n->n_in >= 1 && n->n_in <= MAX_MATH_ARGS) {
    for (uint32_t i = 0; i < n->n_in; ++i) {
      tn_dtype arg = n->in[i]->dtype;
      args[i] = tn_cg_expr(cg, n->in[i]);
      args[i] = tn_cg_is_half(arg) ? tn_cg_half_to_f32(cg, args[i], arg) : args[i];
    }
    out = math_value(cg, n, row, dtype, args);
  }
  if (out == NULL) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "no code for T.%s", row->def.name);
    return tn_cg_poison(cg, n->dtype);
  }
  return tn_cg_is_half(n->dtype) ? tn_cg_f32_to_half(cg, out, n->dtype) : out;
}
