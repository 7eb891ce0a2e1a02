/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random expressions; see gen_tir.h. */
#include "gen_tir_priv.h"

static const tn_dtype data_types[] = {
    TN_DT_F32, TN_DT_F32,  TN_DT_F32, TN_DT_F64, TN_DT_I32, TN_DT_I32,
    TN_DT_I8,  TN_DT_I16,  TN_DT_I64, TN_DT_U8,  TN_DT_U16, TN_DT_U32,
    TN_DT_U64, TN_DT_BOOL, TN_DT_F64, TN_DT_F16, TN_DT_F16, TN_DT_BF16,
};
static const tn_dtype storage_types[] = {
    TN_DT_F8E3M4,     TN_DT_F8E4M3,   TN_DT_F8E4M3B11FNUZ, TN_DT_F8E4M3FN,
    TN_DT_F8E4M3FNUZ, TN_DT_F8E5M2,   TN_DT_F8E5M2FNUZ,    TN_DT_F8E8M0FNU,
    TN_DT_F6E2M3FN,   TN_DT_F6E3M2FN, TN_DT_F4E2M1FN,      TN_DT_I4,
    TN_DT_U4,
};

tn_dtype gen_pick_type(gen *g) {
  return data_types[gen_pick(g, sizeof data_types / sizeof data_types[0])];
}

tn_dtype gen_pick_elem_type(gen *g) {
  bool is_storage = (g->parts & GEN_TIR_STORAGE) != 0 && gen_chance(g, 25);
  tn_dtype dtype = is_storage
                       ? storage_types[gen_pick(g, sizeof storage_types / sizeof storage_types[0])]
                       : gen_pick_type(g);
  bool is_vector = (g->parts & GEN_TIR_VECTORS) != 0 && gen_chance(g, 8);
  return is_vector ? tn_dtype_with_lanes(dtype, 2 + (uint32_t)gen_pick(g, 3)) : dtype;
}

/* ---- expressions ---- */

static const tn_node *literal(gen *g, tn_dtype dtype) {
  if (tn_dtype_is_bool(dtype)) {
    return tn_bool(g->ir, gen_chance(g, 50));
  }
  if (tn_dtype_is_float(dtype)) {
    return tn_float(g->ir, dtype, (double)(gen_pick(g, 9) - 4));
  }
  int64_t value = gen_chance(g, 10) ? (int64_t)tn_rng_next(&g->rng) : gen_pick(g, 17) - 8;
  return tn_int(g->ir, dtype, value);
}

/* A literal of `dtype` that is not 0 whatever it wraps to. */
static const tn_node *divisor(gen *g, tn_dtype dtype, int depth) {
  if (gen_chance(g, 60) || depth <= 0) {
    return tn_int(g->ir, dtype,
                  gen_chance(g, 30) && tn_dtype_is_int(dtype) ? -1 - gen_pick(g, 4)
                                                              : 1 + gen_pick(g, 7));
  }
  return mk_op(g->ir, TN_OP_BOR, gen_value(g, dtype, depth - 1), tn_int(g->ir, dtype, 1));
}

/* x in [lo, hi) as an index into [0, extent), when it can be one. */
static const tn_node *fit_var(gen *g, const gen_var *v, int64_t extent) {
  int64_t n = v->hi - v->lo;
  if (v->extent != NULL || n > extent) {
    return NULL;
  }
  if (gen_chance(g, 15)) { /* backwards */
    return mk_op(g->ir, TN_OP_SUB, tn_int(g->ir, v->node->dtype, v->hi - 1), v->node);
  }
  int64_t shift = gen_pick(g, extent - n + 1) - v->lo;
  return shift == 0 ? v->node : mk_add(g->ir, v->node, tn_int(g->ir, v->node->dtype, shift));
}

const tn_node *gen_index(gen *g, const tn_node *extent, int depth) {
  bool is_const = tn_is(extent, TN_OP_INT);
  for (int tries = 0; tries < 4 && g->vars.len > 0 && !gen_chance(g, 15); ++tries) {
    const gen_var *v = &g->vars.data[gen_pick(g, (int64_t)g->vars.len)];
    const tn_node *index = is_const              ? fit_var(g, v, extent->attr.i64)
                           : v->extent == extent ? v->node
                                                 : NULL;
    if (index != NULL) {
      return index;
    }
  }
  if (gen_chance(g, 50) || depth <= 0) {
    return tn_int(g->ir, extent->dtype, is_const ? gen_pick(g, extent->attr.i64) : 0);
  }
  const tn_node *any = gen_value(g, extent->dtype, depth - 1);
  if (is_const && gen_chance(g, 30)) {
    const tn_node *zero = tn_int(g->ir, extent->dtype, 0);
    const tn_node *last = tn_int(g->ir, extent->dtype, extent->attr.i64 - 1);
    return mk_op(g->ir, TN_OP_MIN, mk_op(g->ir, TN_OP_MAX, any, zero), last);
  }
  return mk_op(g->ir, TN_OP_FLOORMOD, any, extent);
}

void gen_indices(gen *g, const gen_buf *b, int depth, const tn_node **out) {
  const tn_node *shape = b->node->in[TN_BUFFER_SHAPE];
  gen_buf copy = *b; /* expressions in indices may grow the list */
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    out[i] = copy.locked[i] != NULL ? copy.locked[i] : gen_index(g, shape->in[i], depth);
  }
}

/* One lane of a value. */
static const tn_node *one_lane(gen *g, const tn_node *value) {
  uint32_t lanes = tn_dtype_lanes(value->dtype);
  if (lanes == 1) {
    return value;
  }
  const tn_node *at = mk_i32(g->ir, gen_pick(g, lanes));
  const tn_node *in[] = {tn_list(g->ir, 1, &value), tn_list(g->ir, 1, &at)};
  return tn_node_new(g->ir, TN_OP_SHUFFLE, tn_dtype_elem(value->dtype), (tn_attr){0}, 2, in);
}

static const tn_node *load_any(gen *g, int depth) {
  if (g->bufs.len == 0) {
    return literal(g, TN_DT_I32);
  }
  gen_buf b = g->bufs.data[gen_pick(g, (int64_t)g->bufs.len)];
  const tn_node *indices[MAX_DIMS];
  if (b.is_hidden) {
    return literal(g, TN_DT_I32);
  }
  gen_indices(g, &b, depth, indices);
  return one_lane(g, mk_load(g->ir, b.node, NULL, tn_buffer_ndim(b.node), indices));
}

static const tn_node *leaf(gen *g, tn_dtype dtype, int depth) {
  int64_t kind = gen_pick(g, 10);
  if (kind < 2) {
    return literal(g, dtype);
  }
  if (kind < 4 && g->vars.len > 0) {
    return mk_cast(g->ir, dtype, g->vars.data[gen_pick(g, (int64_t)g->vars.len)].node);
  }
  if (kind < 5 && g->scalars.len > 0) {
    return mk_cast(g->ir, dtype, g->scalars.data[gen_pick(g, (int64_t)g->scalars.len)]);
  }
  return mk_cast(g->ir, dtype, load_any(g, depth));
}

static const tn_node *compare(gen *g, int depth) {
  static const tn_op ops[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  tn_dtype dtype = gen_pick_type(g);
  const tn_node *a = gen_value(g, dtype, depth - 1);
  return mk_op(g->ir, ops[gen_pick(g, 6)], a, gen_value(g, dtype, depth - 1));
}

const tn_node *gen_bool(gen *g, int depth) {
  switch (gen_pick(g, 5)) {
    case 0:
      return mk_op(g->ir, TN_OP_AND, gen_bool(g, depth - 1), compare(g, depth));
    case 1:
      return mk_op(g->ir, TN_OP_OR, compare(g, depth), compare(g, depth));
    case 3:
      if (gen_chance(g, 20)) {
        static const tn_intrin_id tests[] = {TN_INTRIN_ISNAN, TN_INTRIN_ISINF, TN_INTRIN_ISFINITE};
        return MK_CALL(g->ir, tests[gen_pick(g, 3)], gen_value(g, TN_DT_F32, depth - 1));
      }
      return compare(g, depth);
    case 2:
      return mk_unary(g->ir, TN_OP_NOT, gen_value(g, TN_DT_BOOL, depth - 1));
    default:
      return compare(g, depth);
  }
}

static const tn_node *int_value(gen *g, tn_dtype dtype, int depth) {
  static const tn_op ops[] = {TN_OP_ADD,  TN_OP_SUB, TN_OP_MUL,  TN_OP_ADD, TN_OP_MIN, TN_OP_MAX,
                              TN_OP_BAND, TN_OP_BOR, TN_OP_BXOR, TN_OP_SHL, TN_OP_SHR};
  static const tn_op divisions[] = {TN_OP_DIV, TN_OP_MOD, TN_OP_FLOORDIV, TN_OP_FLOORMOD};
  static const tn_intrin_id calls[] = {TN_INTRIN_ABS, TN_INTRIN_POPCOUNT, TN_INTRIN_CLZ};
  const tn_node *a = gen_value(g, dtype, depth - 1);
  int64_t kind = gen_pick(g, 12);
  if (kind < 7) {
    tn_op op = ops[gen_pick(g, sizeof ops / sizeof ops[0])];
    bool is_shift = op == TN_OP_SHL || op == TN_OP_SHR;
    return mk_op(g->ir, op, a,
                 is_shift && gen_chance(g, 70) ? tn_int(g->ir, dtype, gen_pick(g, 9))
                                               : gen_value(g, dtype, depth - 1));
  }
  if (kind < 10) {
    return mk_op(g->ir, divisions[gen_pick(g, 4)], a, divisor(g, dtype, depth - 1));
  }
  if (kind < 11) {
    return mk_unary(g->ir, gen_chance(g, 50) ? TN_OP_NEG : TN_OP_BNOT, a);
  }
  return MK_CALL(g->ir, calls[gen_pick(g, 3)], a);
}

const tn_node *gen_clamp(gen *g, const tn_node *value) {
  const tn_node *lo = tn_float(g->ir, value->dtype, -64); /* lanes: a broadcast */
  const tn_node *hi = tn_float(g->ir, value->dtype, 64);
  return mk_op(g->ir, TN_OP_MIN, mk_op(g->ir, TN_OP_MAX, value, lo), hi); /* NaN gives -64 */
}

/* Functions of one float that are not exact: both ways of running them give the same bits. */
static const tn_node *math_value(gen *g, const tn_node *a) {
  static const tn_intrin_id calls[] = {
      TN_INTRIN_EXP,     TN_INTRIN_EXP2,  TN_INTRIN_EXP10, TN_INTRIN_LOG,   TN_INTRIN_LOG2,
      TN_INTRIN_LOG10,   TN_INTRIN_LOG1P, TN_INTRIN_SIN,   TN_INTRIN_COS,   TN_INTRIN_TAN,
      TN_INTRIN_ASIN,    TN_INTRIN_ACOS,  TN_INTRIN_ATAN,  TN_INTRIN_SINH,  TN_INTRIN_COSH,
      TN_INTRIN_TANH,    TN_INTRIN_ASINH, TN_INTRIN_ACOSH, TN_INTRIN_ATANH, TN_INTRIN_ERF,
      TN_INTRIN_SIGMOID, TN_INTRIN_RSQRT};
  return MK_CALL(g->ir, calls[gen_pick(g, sizeof calls / sizeof calls[0])], a);
}

static const tn_node *math2_value(gen *g, const tn_node *a, const tn_node *b) {
  static const tn_intrin_id calls[] = {TN_INTRIN_ATAN2, TN_INTRIN_POW,      TN_INTRIN_FMOD,
                                       TN_INTRIN_HYPOT, TN_INTRIN_COPYSIGN, TN_INTRIN_NEXTAFTER};
  return MK_CALL(g->ir, calls[gen_pick(g, 6)], a, gen_clamp(g, b)); /* the sign of a NaN is open */
}

/* A product of small whole numbers is exact. */
static const tn_node *float_op(gen *g, tn_op op, const tn_node *a, const tn_node *b) {
  bool is_held = op == TN_OP_MUL && (g->parts & GEN_TIR_ROUNDING) == 0;
  return is_held ? mk_op(g->ir, op, gen_clamp(g, a), gen_clamp(g, b)) : mk_op(g->ir, op, a, b);
}

static const tn_node *float_value(gen *g, tn_dtype dtype, int depth) {
  static const tn_op ops[] = {TN_OP_ADD, TN_OP_SUB, TN_OP_MUL, TN_OP_ADD, TN_OP_MIN, TN_OP_MAX};
  static const tn_intrin_id calls[] = {TN_INTRIN_FABS, TN_INTRIN_FLOOR, TN_INTRIN_CEIL,
                                       TN_INTRIN_TRUNC, TN_INTRIN_ROUND};
  const tn_node *a = gen_value(g, dtype, depth - 1);
  int64_t kind = gen_pick(g, 12);
  if ((g->parts & GEN_TIR_MATH) != 0 && gen_chance(g, 12)) {
    return gen_chance(g, 70) ? math_value(g, a) : math2_value(g, a, gen_value(g, dtype, depth - 1));
  }
  if (kind < 8) {
    return float_op(g, ops[gen_pick(g, sizeof ops / sizeof ops[0])], a,
                    gen_value(g, dtype, depth - 1));
  }
  if (kind == 8) { /* a quotient, back to whole numbers */
    const tn_node *half =
        mk_op(g->ir, TN_OP_DIV, a, tn_float(g->ir, dtype, gen_chance(g, 50) ? 2 : -3));
    return MK_CALL(g->ir, TN_INTRIN_FLOOR, half);
  }
  if (kind == 9) {
    const tn_node *root = MK_CALL(g->ir, TN_INTRIN_SQRT, MK_CALL(g->ir, TN_INTRIN_FABS, a));
    return MK_CALL(g->ir, TN_INTRIN_TRUNC, root);
  }
  if (kind == 10) {
    return mk_unary(g->ir, TN_OP_NEG, a);
  }
  return MK_CALL(g->ir, calls[gen_pick(g, 5)], a);
}

static const tn_node *let_value(gen *g, tn_dtype dtype, int depth) {
  tn_dtype inner = gen_pick_type(g);
  const tn_node *in[] = {NULL, gen_value(g, inner, depth - 1), NULL};
  gen_scope scope = gen_enter(g);
  in[TN_LET_VAR] = tn_var_new(g->ir, gen_fresh(g, "x"), inner);
  TN_VEC_PUSH(&g->scalars, in[TN_LET_VAR]);
  in[TN_LET_BODY] = mk_op(g->ir, TN_OP_MAX, gen_value(g, dtype, depth - 1),
                          mk_cast(g->ir, dtype, in[TN_LET_VAR]));
  gen_leave(g, scope);
  in[TN_LET_BODY] = mk_cast(g->ir, dtype, in[TN_LET_BODY]); /* max of bools is int32 */
  return tn_node_new(g->ir, TN_OP_LET, dtype, (tn_attr){0}, 3, in);
}

static const tn_node *reinterpreted(gen *g, int depth) {
  const tn_node *f = gen_clamp(g, gen_value(g, TN_DT_F32, depth - 1));
  return tn_node_new(g->ir, TN_OP_REINTERPRET, TN_DT_I32, (tn_attr){0}, 1, &f);
}

const tn_node *gen_value(gen *g, tn_dtype dtype, int depth) {
  if (depth <= 0 || gen_chance(g, 20)) {
    return leaf(g, dtype, depth);
  }
  int64_t kind = gen_pick(g, 20);
  if (kind < 2) {
    const tn_node *cond = gen_bool(g, depth - 1);
    const tn_node *a = gen_value(g, dtype, depth - 1);
    return mk_select(g->ir, kind == 0 ? TN_OP_SELECT : TN_OP_IF_THEN_ELSE, cond, a,
                     gen_value(g, dtype, depth - 1));
  }
  if (kind == 2) {
    return mk_cast(g->ir, dtype, gen_value(g, gen_pick_type(g), depth - 1));
  }
  if (kind == 3) {
    return let_value(g, dtype, depth);
  }
  if (kind == 5 && (g->parts & GEN_TIR_STORAGE) != 0) {
    tn_dtype storage = storage_types[gen_pick(g, sizeof storage_types / sizeof storage_types[0])];
    return mk_cast(g->ir, dtype, gen_stored(g, storage, depth - 1));
  }
  if (kind == 4 && dtype == TN_DT_I32) {
    return reinterpreted(g, depth);
  }
  if (tn_dtype_is_bool(dtype)) {
    return gen_bool(g, depth);
  }
  return tn_dtype_is_float(dtype) ? float_value(g, dtype, depth) : int_value(g, dtype, depth);
}

/* ---- vector expressions ---- */

/* Indices of `lanes` elements along the last dimension, no two the same; false when they do not
 * fit. */
bool gen_vector_indices(gen *g, const gen_buf *b, int64_t lanes, const tn_node **out) {
  uint32_t ndim = tn_buffer_ndim(b->node);
  if (tn_dtype_lanes(b->node->dtype) != 1) {
    return false;
  }
  const tn_node *last = ndim == 0 ? NULL : b->node->in[TN_BUFFER_SHAPE]->in[ndim - 1];
  if (last == NULL || !tn_is(last, TN_OP_INT) || last->attr.i64 < lanes ||
      b->locked[ndim - 1] != NULL) {
    return false;
  }
  int64_t spare = last->attr.i64 - lanes;
  int64_t stride = gen_chance(g, 70) ? 1 : gen_chance(g, 50) && spare >= lanes - 1 ? 2 : -1;
  int64_t span = (lanes - 1) * (stride < 0 ? 1 : stride) + 1;
  const tn_node *base = gen_index(g, tn_int(g->ir, last->dtype, last->attr.i64 - span + 1), 1);
  if (stride < 0) {
    base = mk_add(g->ir, base, tn_int(g->ir, base->dtype, lanes - 1));
  }
  gen_indices(g, b, 1, out);
  out[ndim - 1] = mk_ramp(g->ir, base, stride, lanes);
  return true;
}

const tn_node *gen_predicate(gen *g, int64_t lanes) {
  if (!gen_chance(g, 25)) {
    return NULL;
  }
  const tn_node *ramp = mk_ramp(g->ir, mk_i32(g->ir, 0), 1, lanes);
  return mk_op(g->ir, TN_OP_LT, ramp, gen_value(g, TN_DT_I32, 1));
}

static const tn_node *vector_of(gen *g, tn_dtype dtype, int64_t lanes, int depth);

static const tn_node *vector_leaf(gen *g, tn_dtype dtype, int64_t lanes) {
  const tn_node *indices[MAX_DIMS];
  tn_dtype type = tn_dtype_with_lanes(dtype, (uint32_t)lanes);
  for (int tries = 0; tries < 3; ++tries) {
    gen_buf b = g->bufs.data[gen_pick(g, (int64_t)g->bufs.len)];
    if (!b.is_hidden && gen_vector_indices(g, &b, lanes, indices)) {
      const tn_node *load =
          mk_load(g->ir, b.node, gen_predicate(g, lanes), tn_buffer_ndim(b.node), indices);
      return mk_cast(g->ir, type, load);
    }
  }
  if (gen_chance(g, 40)) {
    return mk_cast(g->ir, type,
                   mk_ramp(g->ir, gen_value(g, TN_DT_I32, 0), gen_pick(g, 5) - 2, lanes));
  }
  return mk_broadcast(g->ir, gen_value(g, dtype, 1), lanes);
}

static const tn_node *shuffled(gen *g, tn_dtype dtype, int64_t lanes, int depth) {
  const tn_node *vectors[] = {vector_of(g, dtype, lanes, depth - 1),
                              vector_of(g, dtype, lanes, depth - 1)};
  const tn_node *indices[8];
  for (int64_t i = 0; i < lanes; ++i) {
    indices[i] = mk_i32(g->ir, gen_pick(g, 2 * lanes));
  }
  const tn_node *in[] = {tn_list(g->ir, 2, vectors), tn_list(g->ir, (uint32_t)lanes, indices)};
  return tn_node_new(g->ir, TN_OP_SHUFFLE, tn_dtype_with_lanes(dtype, (uint32_t)lanes),
                     (tn_attr){0}, 2, in);
}

static const tn_node *vector_of(gen *g, tn_dtype dtype, int64_t lanes, int depth) {
  static const tn_op ops[] = {TN_OP_ADD, TN_OP_SUB, TN_OP_MUL, TN_OP_MIN, TN_OP_MAX};
  if (depth <= 0 || gen_chance(g, 25)) {
    return vector_leaf(g, dtype, lanes);
  }
  const tn_node *a = vector_of(g, dtype, lanes, depth - 1);
  int64_t kind = gen_pick(g, 8);
  if (kind == 0) {
    const tn_node *cond = mk_op(g->ir, TN_OP_LT, a, vector_of(g, dtype, lanes, depth - 1));
    return mk_select(g->ir, TN_OP_SELECT, cond, a, vector_of(g, dtype, lanes, depth - 1));
  }
  if (kind == 1) {
    return shuffled(g, dtype, lanes, depth);
  }
  if (kind == 2) {
    tn_dtype type = tn_dtype_with_lanes(dtype, (uint32_t)lanes);
    return mk_cast(g->ir, type, vector_of(g, gen_pick_type(g), lanes, depth - 1));
  }
  const tn_node *b = vector_of(g, dtype, lanes, depth - 1);
  tn_op op = ops[gen_pick(g, 5)];
  const tn_node *result = tn_dtype_is_float(dtype) ? float_op(g, op, a, b) : mk_op(g->ir, op, a, b);
  return mk_cast(g->ir, tn_dtype_with_lanes(dtype, (uint32_t)lanes),
                 result); /* bools became int32 */
}

/* ---- what is stored ---- */

/* The same lanes, converted. */
static const tn_node *to_elem(gen *g, tn_dtype elem, const tn_node *value) {
  return mk_cast(g->ir, tn_dtype_with_lanes(elem, tn_dtype_lanes(value->dtype)), value);
}

static const tn_node *settled(gen *g, const tn_node *value) {
  return tn_dtype_is_float(value->dtype) ? gen_clamp(g, value) : value;
}

/* An element of a buffer of that very type, bits and all; NULL: none was found. */
static const tn_node *copied(gen *g, tn_dtype dtype, int depth) {
  const tn_node *indices[MAX_DIMS];
  for (size_t tries = 0; tries < 4 && g->bufs.len > 0; ++tries) {
    gen_buf b = g->bufs.data[gen_pick(g, (int64_t)g->bufs.len)];
    if (b.node->dtype == dtype && !b.is_hidden) {
      gen_indices(g, &b, depth, indices);
      return mk_load(g->ir, b.node, NULL, tn_buffer_ndim(b.node), indices);
    }
  }
  return NULL;
}

const tn_node *gen_stored_vector(gen *g, tn_dtype dtype, int64_t lanes, int depth) {
  if (!tn_dtype_is_storage(dtype)) {
    return settled(g, vector_of(g, dtype, lanes, depth));
  }
  return to_elem(g, dtype, settled(g, vector_of(g, gen_pick_type(g), lanes, depth)));
}

const tn_node *gen_stored(gen *g, tn_dtype dtype, int depth) {
  int64_t lanes = tn_dtype_lanes(dtype);
  bool is_storage = tn_dtype_is_storage(dtype);
  const tn_node *copy = is_storage && gen_chance(g, 30) ? copied(g, dtype, depth) : NULL;
  if (copy != NULL) {
    return copy;
  }
  if (lanes > 1) {
    return gen_stored_vector(g, tn_dtype_elem(dtype), lanes, depth);
  }
  if (is_storage && depth > 0 && gen_chance(g, 10)) {
    const tn_node *a = gen_stored(g, dtype, depth - 1);
    return mk_select(g->ir, gen_chance(g, 50) ? TN_OP_SELECT : TN_OP_IF_THEN_ELSE,
                     gen_bool(g, depth - 1), a, gen_stored(g, dtype, depth - 1));
  }
  const tn_node *value = settled(g, gen_value(g, is_storage ? gen_pick_type(g) : dtype, depth));
  return is_storage ? to_elem(g, dtype, value) : value;
}
