/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Our own mathematics as instructions: the headers of tir/math/ with the words of math_vocab.h, one
 * internal function of the LLVM module for each function, type and number of lanes that is called.
 * From level 2 on they are inlined, so that LLVM vectorises a loop of scalar calls; below, a call
 * keeps the code small. Strict code is the float64 formula for every type, without fused
 * multiplication: bit for bit what tir/math/scalar.c computes. */
#include <stdio.h>

#include "codegen/llvm/cg.h"
#include "tir/math/math.h"

#define TN_MATH_VOCAB "codegen/llvm/math_vocab.h"
#include "tir/math/exp.h"
#include "tir/math/hyper.h"
#include "tir/math/log.h"
#include "tir/math/pow.h"
#include "tir/math/trig.h"
#include "tir/math/invtrig.h"
#include "tir/math/erf.h"
#include "tir/math/misc.h"
#include "tir/math/fma.h"

typedef LLVMValueRef (*emit_fn)(CX, const LLVMValueRef *args);

#define ARGS_F args[0]
#define ARGS_FF args[0], args[1]
#define ARGS_FI args[0], args[1]
#define X(id, name, shape, ...)                                       \
  static LLVMValueRef name##_emit_f32(CX, const LLVMValueRef *args) { \
    return name##_f32(cx, ARGS_##shape);                              \
  }                                                                   \
  static LLVMValueRef name##_emit_f64(CX, const LLVMValueRef *args) { \
    return name##_f64(cx, ARGS_##shape);                              \
  }
#include "tir/math/functions.def"
#undef X

typedef struct emit_row {
  const char *name;
  emit_fn f32;
  emit_fn f64;
  bool is_wide; /* float32 strictly is the float64 formula */
} emit_row;

enum { IS_SAME, IS_WIDE };

/* In the order of tn_math_fns. */
static const emit_row rows[] = {
#define X(id, name_, shape, strict, ...) {#name_, name_##_emit_f32, name_##_emit_f64, IS_##strict},
#include "tir/math/functions.def"
#undef X
};

enum { MAX_ARGS = 3 };

/* The body of a function: where float32 is computed wide, parameters are widened first. */
static LLVMValueRef body(CX, const emit_row *row, LLVMValueRef fn, bool is_f32, bool is_wide) {
  LLVMValueRef args[MAX_ARGS];
  unsigned n = LLVMCountParams(fn);
  for (unsigned i = 0; i < n; ++i) {
    args[i] = LLVMGetParam(fn, i);
    if (is_wide && LLVMTypeOf(args[i]) == tn_mv_type(cx, cx->cg->f32)) {
      args[i] = F64_OF_F32(args[i]);
    }
  }
  if (is_wide) {
    return F32_OF_F64(row->f64(cx, args));
  }
  return is_f32 ? row->f32(cx, args) : row->f64(cx, args);
}

static LLVMValueRef define(tn_cg *cg, const emit_row *row, const char *symbol, LLVMTypeRef type,
                           bool is_f32, uint32_t lanes) {
  LLVMValueRef fn = tn_mv_function(cg, symbol, type);
  if (cg->opts->opt_level >= 2) {
    tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "alwaysinline", 0);
  }
  LLVMBuilderRef outer = tn_mv_enter(cg, fn); /* the words build with cg's builder */
  const tn_cg_math_cx cx = {
      .cg = cg,
      .builder = cg->builder,
      .lanes = lanes,
      .is_fused = cg->is_contracting && cg->has_fma,
  };
  bool is_wide = is_f32 && row->is_wide && !cg->is_contracting;
  LLVMBuildRet(cg->builder, body(&cx, row, fn, is_f32, is_wide));
  tn_mv_leave(cg, outer);
  return fn;
}

static uint32_t type_lanes(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef call_row(tn_cg *cg, const emit_row *row, LLVMValueRef *args, unsigned n) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  uint32_t lanes = type_lanes(type);
  bool is_f32 = (lanes > 1 ? LLVMGetElementType(type) : type) == cg->f32;
  char symbol[64];
  (void)snprintf(symbol, sizeof symbol, "tn.%s.%sx%u", row->name, is_f32 ? "f32" : "f64", lanes);
  LLVMTypeRef params[MAX_ARGS];
  for (unsigned i = 0; i < n; ++i) {
    params[i] = LLVMTypeOf(args[i]);
  }
  LLVMTypeRef fn_type = LLVMFunctionType(type, params, n, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, symbol);
  if (fn == NULL) {
    fn = define(cg, row, symbol, fn_type, is_f32, lanes);
  }
  return LLVMBuildCall2(cg->builder, fn_type, fn, args, n, "");
}

/* ---- many lanes ---- */

/* Beyond some registers' worth, code and the time to make it grow faster than the lanes (256 lanes
 * of sin took 12 s), so wide vectors go by pieces. */
enum { PIECE_LANES = 16 };

/* `n` lanes: those of a from `first` on; beyond its end, those of b. */
static LLVMValueRef shuffle_from(tn_cg *cg, LLVMValueRef a, LLVMValueRef b, uint32_t first,
                                 uint32_t n) {
  LLVMValueRef mask = LLVMGetPoison(LLVMVectorType(cg->i32, n));
  for (uint32_t i = 0; i < n; ++i) {
    mask = tn_cg_set_lane(cg, mask, tn_cg_i32(cg, first + i), i);
  }
  return LLVMBuildShuffleVector(cg->builder, a, b, mask, "");
}

static LLVMValueRef call_in_pieces(tn_cg *cg, const emit_row *row, LLVMValueRef *args, unsigned n) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  uint32_t lanes = type_lanes(type);
  LLVMValueRef out = LLVMGetPoison(type);
  for (uint32_t at = 0; at < lanes; at += PIECE_LANES) {
    LLVMValueRef part[MAX_ARGS];
    for (unsigned i = 0; i < n; ++i) {
      /* past the end the first lanes once more: they cost nothing and are dropped */
      part[i] = shuffle_from(cg, args[i], args[i], at, PIECE_LANES);
    }
    LLVMValueRef value = call_row(cg, row, part, n);
    for (uint32_t lane = 0; lane < PIECE_LANES && at + lane < lanes; ++lane) {
      out = tn_cg_set_lane(cg, out, tn_cg_lane(cg, value, lane), at + lane);
    }
  }
  return out;
}

static LLVMValueRef call_any(tn_cg *cg, const emit_row *row, LLVMValueRef *args, unsigned n) {
  return type_lanes(LLVMTypeOf(args[0])) > PIECE_LANES ? call_in_pieces(cg, row, args, n)
                                                       : call_row(cg, row, args, n);
}

LLVMValueRef tn_cg_own_math(tn_cg *cg, uint32_t at, LLVMValueRef *args, unsigned n) {
  return call_any(cg, &rows[at], args, n);
}

static LLVMValueRef fma_emit_f32(CX, const LLVMValueRef *args) {
  return fma_f32(cx, args[0], args[1], args[2]);
}
static LLVMValueRef fma_emit_f64(CX, const LLVMValueRef *args) {
  return fma_f64(cx, args[0], args[1], args[2]);
}

LLVMValueRef tn_cg_own_fma(tn_cg *cg, LLVMValueRef *args) {
  static const emit_row row = {"fma", fma_emit_f32, fma_emit_f64, false};
  return call_any(cg, &row, args, 3);
}

static LLVMValueRef next_emit_f16(CX, const LLVMValueRef *args) {
  return tn_nextafter_f16(cx, args[0], args[1]);
}
static LLVMValueRef next_emit_bf16(CX, const LLVMValueRef *args) {
  return tn_nextafter_bf16(cx, args[0], args[1]);
}

LLVMValueRef tn_cg_own_nextafter(tn_cg *cg, tn_dtype half, LLVMValueRef *args) {
  static const emit_row f16 = {"nextafter.f16", next_emit_f16, NULL, false};
  static const emit_row bf16 = {"nextafter.bf16", next_emit_bf16, NULL, false};
  return call_row(cg, tn_dtype_elem(half) == TN_DT_F16 ? &f16 : &bf16, args, 2);
}
