/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lanes: splats, ramps, shuffles. A splat is an insertelement and a shufflevector, which the x86
 * back end turns into one broadcast from memory; an addition with a zero vector would stay an
 * addition (-0.0). */
#include "codegen/llvm/cg.h"

LLVMValueRef tn_cg_lane(tn_cg *cg, LLVMValueRef vector, uint32_t lane) {
  if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind) {
    return vector;
  }
  return LLVMBuildExtractElement(cg->builder, vector, tn_cg_i64(cg, lane), "");
}

LLVMValueRef tn_cg_set_lane(tn_cg *cg, LLVMValueRef vector, LLVMValueRef scalar, uint32_t lane) {
  return LLVMBuildInsertElement(cg->builder, vector, scalar, tn_cg_i64(cg, lane), "");
}

LLVMValueRef tn_cg_splat(tn_cg *cg, LLVMValueRef scalar, uint32_t lanes) {
  if (lanes == 1) {
    return scalar;
  }
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
  LLVMValueRef first = tn_cg_set_lane(cg, LLVMGetPoison(type), scalar, 0);
  LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(cg->i32, lanes));
  return LLVMBuildShuffleVector(cg->builder, first, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef tn_cg_all_true(tn_cg *cg, uint32_t lanes) {
  return LLVMConstAllOnes(tn_cg_lanes_of(cg->i1, lanes));
}

LLVMValueRef tn_cg_any(tn_cg *cg, LLVMValueRef mask, uint32_t lanes) {
  return lanes == 1 ? mask
                    : tn_cg_llvm_intrin(cg, "llvm.vector.reduce.or", LLVMTypeOf(mask), &mask, 1);
}

/* base + {0, 1, ...} * stride */
LLVMValueRef tn_cg_ramp(tn_cg *cg, LLVMValueRef base, LLVMValueRef stride, uint32_t lanes,
                        bool is_nsw) {
  LLVMTypeRef elem = LLVMTypeOf(base);
  LLVMValueRef steps = LLVMGetPoison(LLVMVectorType(elem, lanes));
  for (uint32_t i = 0; i < lanes; ++i) { /* constants fold at once */
    steps = tn_cg_set_lane(cg, steps, LLVMConstInt(elem, i, 0), i);
  }
  LLVMValueRef scaled = LLVMBuildMul(cg->builder, steps, tn_cg_splat(cg, stride, lanes), "");
  LLVMValueRef sum = LLVMBuildAdd(cg->builder, tn_cg_splat(cg, base, lanes), scaled, "");
  if (is_nsw && LLVMIsAInstruction(sum) != NULL) {
    LLVMSetNSW(sum, 1);
  }
  return sum;
}

/* One or two vectors of equal width: one instruction. */
static LLVMValueRef shuffle_fast(tn_cg *cg, const tn_node *vectors, const tn_node *indices) {
  uint32_t lanes = tn_dtype_lanes(vectors->in[0]->dtype);
  if (vectors->n_in > 2 || lanes == 1 || indices->n_in == 1 ||
      (vectors->n_in == 2 && tn_dtype_lanes(vectors->in[1]->dtype) != lanes)) {
    return NULL;
  }
  LLVMValueRef a = tn_cg_expr(cg, vectors->in[0]);
  LLVMValueRef b =
      vectors->n_in == 2 ? tn_cg_expr(cg, vectors->in[1]) : LLVMGetPoison(LLVMTypeOf(a));
  LLVMValueRef mask = LLVMGetPoison(LLVMVectorType(cg->i32, indices->n_in));
  for (uint32_t i = 0; i < indices->n_in; ++i) {
    mask = tn_cg_set_lane(cg, mask, tn_cg_i32(cg, indices->in[i]->attr.i64), i);
  }
  return LLVMBuildShuffleVector(cg->builder, a, b, mask, "");
}

/* The scalar that index `at` of the joined vectors names. */
static LLVMValueRef joined_lane(tn_cg *cg, const tn_node *vectors, int64_t at) {
  for (uint32_t i = 0; i < vectors->n_in; ++i) {
    int64_t lanes = (int64_t)tn_dtype_lanes(vectors->in[i]->dtype);
    if (at >= 0 && at < lanes) {
      return tn_cg_lane(cg, tn_cg_expr(cg, vectors->in[i]), (uint32_t)at);
    }
    at -= lanes;
  }
  return NULL;
}

LLVMValueRef tn_cg_shuffle(tn_cg *cg, const tn_node *n) {
  const tn_node *vectors = n->in[TN_SHUFFLE_VECTORS];
  const tn_node *indices = n->in[TN_SHUFFLE_INDICES];
  int64_t n_lanes = 0;
  for (uint32_t i = 0; i < vectors->n_in; ++i) {
    n_lanes += (int64_t)tn_dtype_lanes(vectors->in[i]->dtype);
  }
  for (uint32_t i = 0; i < indices->n_in; ++i) {
    const tn_node *index = indices->in[i];
    if (!tn_is(index, TN_OP_INT) || index->attr.i64 < 0 || index->attr.i64 >= n_lanes) {
      tn_cg_fail(cg, TN_UNSUPPORTED, "an index of T.Shuffle that is not a literal below %lld",
                 (long long)n_lanes);
      return tn_cg_poison(cg, n->dtype);
    }
  }
  LLVMValueRef fast = shuffle_fast(cg, vectors, indices);
  if (fast != NULL) {
    return fast;
  }
  if (indices->n_in == 1) {
    return joined_lane(cg, vectors, indices->in[0]->attr.i64);
  }
  LLVMValueRef out = LLVMGetPoison(tn_cg_type(cg, n->dtype));
  for (uint32_t i = 0; i < indices->n_in; ++i) {
    out = tn_cg_set_lane(cg, out, joined_lane(cg, vectors, indices->in[i]->attr.i64), i);
  }
  return out;
}
