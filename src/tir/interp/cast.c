/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler for casts and reinterpretations. */
#include "tir/interp/interp_priv.h"

static void cast_lane(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a);

static void emit1(tn_icomp *c, tn_iop op, uint32_t x, int32_t d, int32_t a) {
  tn_icomp_emit(c, op, x, d, a, 0, 0);
}

static bool is_half(tn_dtype dt) { return tn_dtype_is_float(dt) && tn_dtype_bits(dt) == 16; }

static void float_to_int(tn_icomp *c, bool is_double, tn_dtype to, int32_t d, int32_t a) {
  if (tn_dtype_is_bool(to)) {
    emit1(c, is_double ? TN_IOP_D_TO_BOOL : TN_IOP_F_TO_BOOL, 0, d, a);
  } else if (tn_dtype_is_uint(to)) {
    emit1(c, is_double ? TN_IOP_D_TO_U : TN_IOP_F_TO_U, tn_dtype_bits(to), d, a);
  } else {
    emit1(c, is_double ? TN_IOP_D_TO_I : TN_IOP_F_TO_I, tn_dtype_bits(to), d, a);
  }
}

static void int_to_float(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a) {
  bool is_u64 = from == TN_DT_U64;
  if (to == TN_DT_F64) {
    emit1(c, is_u64 ? TN_IOP_U_TO_D : TN_IOP_I_TO_D, 0, d, a);
  } else if (to == TN_DT_F32) {
    emit1(c, is_u64 ? TN_IOP_U_TO_F : TN_IOP_I_TO_F, 0, d, a);
  } else { /* through float64, which holds what 16 bits can tell apart */
    emit1(c, is_u64 ? TN_IOP_U_TO_D : TN_IOP_I_TO_D, 0, d, a);
    emit1(c, TN_IOP_D_TO_ODD, 0, d, d);
    tn_icomp_norm(c, to, d);
  }
}

static void float_to_float(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a) {
  if (to == TN_DT_F64) {
    emit1(c, TN_IOP_F_TO_D, 0, d, a);
  } else if (from == TN_DT_F64) {
    emit1(c, is_half(to) ? TN_IOP_D_TO_ODD : TN_IOP_D_TO_F, 0, d, a);
    tn_icomp_norm(c, to, d);
  } else {
    emit1(c, TN_IOP_MOV, 0, d, a);
    tn_icomp_norm(c, to, d);
  }
}

/* Small floats go through float32, which holds all their values. */
static void small_to_any(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a) {
  tn_icomp_emit(c, TN_IOP_SMALL_TO_F, 0, d, tn_icomp_const_i(c, from), a, 0);
  if (to != TN_DT_F32) {
    cast_lane(c, TN_DT_F32, to, d, d);
  }
}

static void any_to_small(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a) {
  if (from == TN_DT_F64) {
    emit1(c, TN_IOP_D_TO_ODD, 0, d, a);
  } else if (!tn_dtype_is_float(from)) {
    emit1(c, from == TN_DT_U64 ? TN_IOP_U_TO_D : TN_IOP_I_TO_D, 0, d, a);
    emit1(c, TN_IOP_D_TO_ODD, 0, d, d);
  } else {
    emit1(c, TN_IOP_MOV, 0, d, a);
  }
  tn_icomp_emit(c, TN_IOP_F_TO_SMALL, 0, d, tn_icomp_const_i(c, to), d, 0);
}

static void cast_lane(tn_icomp *c, tn_dtype from, tn_dtype to, int32_t d, int32_t a) {
  bool from_float = tn_dtype_is_float(from);
  bool to_float = tn_dtype_is_float(to);
  if (from == to) {
    emit1(c, TN_IOP_MOV, 0, d, a);
  } else if (tn_dtype_is_small_float(from)) {
    small_to_any(c, from, to, d, a);
  } else if (tn_dtype_is_small_float(to)) {
    any_to_small(c, from, to, d, a);
  } else if (from_float && to_float) {
    float_to_float(c, from, to, d, a);
  } else if (from_float) {
    float_to_int(c, from == TN_DT_F64, to, d, a);
  } else if (to_float) {
    int_to_float(c, from, to, d, a);
  } else {
    emit1(c, TN_IOP_MOV, 0, d, a);
    tn_icomp_norm(c, to, d);
  }
}

tn_status tn_icomp_cast(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_node *from = n->in[0];
  if (tn_dtype_is_handle(from->dtype) || tn_dtype_is_handle(n->dtype)) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "a handle cannot be cast: reinterpret it");
  }
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, from, &value));
  if (value.lanes == 1) { /* also a broadcast: cast once */
    *out = tn_icomp_new_value(c, 1);
  } else {
    *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  }
  for (uint32_t l = 0; l < out->lanes; ++l) {
    cast_lane(c, tn_dtype_elem(from->dtype), tn_dtype_elem(n->dtype), tn_icomp_lane(c, *out, l),
              tn_icomp_lane(c, value, l));
  }
  return NULL;
}

tn_status tn_icomp_reinterpret(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_node *from = n->in[0];
  uint32_t lanes_from = tn_dtype_lanes(from->dtype);
  if (tn_dtype_all_bits(from->dtype) != tn_dtype_all_bits(n->dtype)) {
    return tn_icomp_error(c, TN_INVALID, "reinterpret between types of %u and %u bits",
                          tn_dtype_all_bits(from->dtype), tn_dtype_all_bits(n->dtype));
  }
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, from, &value));
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  int32_t list = (int32_t)c->prog->lists.len;
  TN_VEC_PUSH(&c->prog->lists, (int32_t)n->dtype);
  TN_VEC_PUSH(&c->prog->lists, (int32_t)from->dtype);
  for (uint32_t l = 0; l < lanes_from; ++l) {
    TN_VEC_PUSH(&c->prog->lists, tn_icomp_lane(c, value, l));
  }
  tn_icomp_emit(c, TN_IOP_BITCAST, 0, tn_icomp_lane(c, *out, 0), 0, 0, list);
  return NULL;
}
