/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What intrinsics over lanes mean, in expressions that every code generator has. The interpreter
 * has the same meaning in its own terms (interp/intrin.c). */
#include "base/check.h"
#include "tir/tir.h"

static const tn_node *node(tn_ir *ir, tn_op op, tn_dtype dtype, uint32_t n,
                           const tn_node *const *in) {
  return tn_node_new(ir, op, dtype, (tn_attr){.i64 = 0}, n, in);
}

static const tn_node *cast(tn_ir *ir, tn_dtype dtype, const tn_node *value) {
  return value->dtype == dtype ? value : node(ir, TN_OP_CAST, dtype, 1, &value);
}

/* Lanes first, first + 1 ... of the joined vectors. */
static const tn_node *lanes_from(tn_ir *ir, tn_dtype dtype, uint32_t first, uint32_t n_vectors,
                                 const tn_node *const *vectors) {
  TN_VEC(const tn_node *) indices = {0};
  for (uint32_t i = 0; i < tn_dtype_lanes(dtype); ++i) {
    const tn_node *index = tn_int(ir, TN_DT_I32, first + i);
    TN_VEC_PUSH(&indices, index);
  }
  const tn_node *in[2] = {[TN_SHUFFLE_VECTORS] = tn_list(ir, n_vectors, vectors),
                          [TN_SHUFFLE_INDICES] = tn_list(ir, (uint32_t)indices.len, indices.data)};
  TN_VEC_DEINIT(&indices);
  return node(ir, TN_OP_SHUFFLE, dtype, 2, in);
}

/* In 64 bits limit - base cannot be mistaken once base < limit is known. */
static const tn_node *lane_mask(tn_ir *ir, const tn_node *n) {
  uint32_t lanes = tn_dtype_lanes(n->dtype);
  tn_dtype wide = tn_dtype_is_uint(n->in[0]->dtype) ? TN_DT_U64 : TN_DT_I64;
  const tn_node *base = cast(ir, wide, n->in[0]);
  const tn_node *limit = cast(ir, wide, n->in[1]);
  const tn_node *any = tn_binary(ir, TN_OP_LT, base, limit);
  const tn_node *left = cast(ir, TN_DT_U64, tn_binary(ir, TN_OP_SUB, limit, base));
  if (lanes == 1) {
    return any;
  }
  const tn_node *steps[2] = {tn_int(ir, TN_DT_U64, 0), tn_int(ir, TN_DT_U64, 1)};
  tn_dtype dtype = tn_dtype_with_lanes(TN_DT_U64, lanes);
  const tn_node *ramp = node(ir, TN_OP_RAMP, dtype, 2, steps);
  const tn_node *mask = tn_binary(ir, TN_OP_LT, ramp, node(ir, TN_OP_BROADCAST, dtype, 1, &left));
  return tn_binary(ir, TN_OP_AND, node(ir, TN_OP_BROADCAST, n->dtype, 1, &any), mask);
}

static const tn_node *dot(tn_ir *ir, const tn_node *n) {
  const tn_node *sum = n->n_in > 2 ? n->in[2] : tn_int(ir, TN_DT_I32, 0);
  for (uint32_t i = 0; i < tn_dtype_lanes(n->in[0]->dtype); ++i) {
    const tn_node *parts[2];
    for (uint32_t k = 0; k < 2; ++k) {
      tn_dtype elem = tn_dtype_elem(n->in[k]->dtype);
      parts[k] = cast(ir, TN_DT_I32, lanes_from(ir, elem, i, 1, &n->in[k]));
    }
    sum = tn_binary(ir, TN_OP_ADD, sum, tn_binary(ir, TN_OP_MUL, parts[0], parts[1]));
  }
  return sum;
}

const tn_node *tn_tir_expand(tn_ir *ir, const tn_node *n) {
  switch ((int)tn_intrin_of(n)->id) {
    case TN_INTRIN_GET_ACTIVE_LANE_MASK:
      return lane_mask(ir, n);
    case TN_INTRIN_DP4A:
      return dot(ir, n);
    case TN_INTRIN_VECTORLOW:
      return lanes_from(ir, n->dtype, 0, 1, n->in);
    case TN_INTRIN_VECTORHIGH:
      return lanes_from(ir, n->dtype, tn_dtype_lanes(n->dtype), 1, n->in);
    case TN_INTRIN_VECTORCOMBINE:
      return lanes_from(ir, n->dtype, 0, 2, n->in);
    default:
      break;
  }
  TN_UNREACHABLE();
}
