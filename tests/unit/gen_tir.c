/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The generator of random loop-level functions; see gen_tir.h for what it makes and why that is
 * always right. */
#include "gen_tir.h"

#include <stdio.h>
#include <string.h>

#include "tir_make.h"

enum { MAX_DIMS = 3, MAX_EXTENT = 6, MAX_TURNS = 600, MAX_NEST = 5 };

/* An integer variable with lo <= value < hi, or 0 <= value < extent (symbolic). */
typedef struct gen_var {
  const tn_node *node;
  int64_t lo;
  int64_t hi;
  const tn_node *extent; /* NULL: lo and hi hold */
} gen_var;

typedef struct gen_buf {
  const tn_node *node;
  bool can_store;
  bool is_inner;                   /* made inside the innermost parallel loop: free there */
  const tn_node *locked[MAX_DIMS]; /* the index that a dimension must have, or NULL */
  const tn_node *root;             /* the buffer whose memory it shows */
  bool is_hidden;                  /* the same memory as one that is locked: not read either */
} gen_buf;

typedef struct gen {
  tn_ir *ir;
  tn_rng rng;
  uint32_t parts;
  uint32_t n_names;
  int64_t n_turns; /* of the loops around */
  uint32_t nest;
  bool is_locked; /* within a parallel or vectorized loop: store to locked and inner buffers only */
  bool is_vectorized;
  TN_VEC(gen_buf) bufs;
  TN_VEC(gen_var) vars;
  TN_VEC(const tn_node *) scalars; /* values bound to variables, any type */
  const tn_node *sizes[2];         /* symbolic sizes; NULL: none */
} gen;

static const tn_dtype data_types[] = {
    TN_DT_F32, TN_DT_F32, TN_DT_F32, TN_DT_F64, TN_DT_I32, TN_DT_I32,  TN_DT_I8,  TN_DT_I16,
    TN_DT_I64, TN_DT_U8,  TN_DT_U16, TN_DT_U32, TN_DT_U64, TN_DT_BOOL, TN_DT_F64,
};

static int64_t pick(gen *g, int64_t n) { return (int64_t)tn_rng_below(&g->rng, (uint64_t)n); }
static bool chance(gen *g, int64_t percent) { return pick(g, 100) < percent; }
static tn_dtype pick_type(gen *g) {
  return data_types[pick(g, sizeof data_types / sizeof data_types[0])];
}

static const char *fresh(gen *g, const char *stem) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%u", stem, g->n_names++);
  return tn_ir_text(g->ir, text);
}

/* ---- scopes ---- */

typedef struct gen_scope {
  size_t n_bufs;
  size_t n_vars;
  size_t n_scalars;
} gen_scope;

static gen_scope enter(const gen *g) {
  return (gen_scope){g->bufs.len, g->vars.len, g->scalars.len};
}
static void leave(gen *g, gen_scope s) {
  g->bufs.len = s.n_bufs;
  g->vars.len = s.n_vars;
  g->scalars.len = s.n_scalars;
}
static void add_var(gen *g, const tn_node *node, int64_t lo, int64_t hi, const tn_node *extent) {
  TN_VEC_PUSH(&g->vars, (gen_var){.node = node, .lo = lo, .hi = hi, .extent = extent});
}
static void add_buf(gen *g, const tn_node *node, bool can_store) {
  TN_VEC_PUSH(&g->bufs, (gen_buf){.node = node,
                                  .root = node,
                                  .can_store = can_store,
                                  .is_inner = g->is_locked && !g->is_vectorized});
}
static bool may_store(const gen *g, const gen_buf *b) {
  bool has_lock = b->locked[0] != NULL || b->locked[1] != NULL || b->locked[2] != NULL;
  return b->can_store && (!g->is_locked || has_lock || b->is_inner);
}

/* ---- expressions ---- */

static const tn_node *value_of(gen *g, tn_dtype dtype, int depth);

static const tn_node *literal(gen *g, tn_dtype dtype) {
  if (tn_dtype_is_bool(dtype)) {
    return tn_bool(g->ir, chance(g, 50));
  }
  if (tn_dtype_is_float(dtype)) {
    return tn_float(g->ir, dtype, (double)(pick(g, 9) - 4));
  }
  int64_t value = chance(g, 10) ? (int64_t)tn_rng_next(&g->rng) : pick(g, 17) - 8;
  return tn_int(g->ir, dtype, value);
}

/* A literal of `dtype` that is not 0 whatever it wraps to. */
static const tn_node *divisor(gen *g, tn_dtype dtype, int depth) {
  if (chance(g, 60) || depth <= 0) {
    return tn_int(g->ir, dtype,
                  chance(g, 30) && tn_dtype_is_int(dtype) ? -1 - pick(g, 4) : 1 + pick(g, 7));
  }
  return mk_op(g->ir, TN_OP_BOR, value_of(g, dtype, depth - 1), tn_int(g->ir, dtype, 1));
}

/* x in [lo, hi) as an index into [0, extent), when it can be one. */
static const tn_node *fit_var(gen *g, const gen_var *v, int64_t extent) {
  int64_t n = v->hi - v->lo;
  if (v->extent != NULL || n > extent) {
    return NULL;
  }
  if (chance(g, 15)) { /* backwards */
    return mk_op(g->ir, TN_OP_SUB, tn_int(g->ir, v->node->dtype, v->hi - 1), v->node);
  }
  int64_t shift = pick(g, extent - n + 1) - v->lo;
  return shift == 0 ? v->node : mk_add(g->ir, v->node, tn_int(g->ir, v->node->dtype, shift));
}

static const tn_node *index_of(gen *g, const tn_node *extent, int depth) {
  bool is_const = tn_is(extent, TN_OP_INT);
  for (int tries = 0; tries < 4 && g->vars.len > 0 && !chance(g, 15); ++tries) {
    const gen_var *v = &g->vars.data[pick(g, (int64_t)g->vars.len)];
    const tn_node *index = is_const              ? fit_var(g, v, extent->attr.i64)
                           : v->extent == extent ? v->node
                                                 : NULL;
    if (index != NULL) {
      return index;
    }
  }
  if (chance(g, 50) || depth <= 0) {
    return tn_int(g->ir, extent->dtype, is_const ? pick(g, extent->attr.i64) : 0);
  }
  const tn_node *any = value_of(g, extent->dtype, depth - 1);
  if (is_const && chance(g, 30)) {
    const tn_node *zero = tn_int(g->ir, extent->dtype, 0);
    const tn_node *last = tn_int(g->ir, extent->dtype, extent->attr.i64 - 1);
    return mk_op(g->ir, TN_OP_MIN, mk_op(g->ir, TN_OP_MAX, any, zero), last);
  }
  return mk_op(g->ir, TN_OP_FLOORMOD, any, extent);
}

static void indices_of(gen *g, const gen_buf *b, int depth, const tn_node **out) {
  const tn_node *shape = b->node->in[TN_BUFFER_SHAPE];
  gen_buf copy = *b; /* expressions in indices may grow the list */
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    out[i] = copy.locked[i] != NULL ? copy.locked[i] : index_of(g, shape->in[i], depth);
  }
}

static const tn_node *load_any(gen *g, int depth) {
  if (g->bufs.len == 0) {
    return literal(g, TN_DT_I32);
  }
  gen_buf b = g->bufs.data[pick(g, (int64_t)g->bufs.len)];
  const tn_node *indices[MAX_DIMS];
  if (b.is_hidden) {
    return literal(g, TN_DT_I32);
  }
  indices_of(g, &b, depth, indices);
  return mk_load(g->ir, b.node, NULL, tn_buffer_ndim(b.node), indices);
}

static const tn_node *leaf(gen *g, tn_dtype dtype, int depth) {
  int64_t kind = pick(g, 10);
  if (kind < 2) {
    return literal(g, dtype);
  }
  if (kind < 4 && g->vars.len > 0) {
    return mk_cast(g->ir, dtype, g->vars.data[pick(g, (int64_t)g->vars.len)].node);
  }
  if (kind < 5 && g->scalars.len > 0) {
    return mk_cast(g->ir, dtype, g->scalars.data[pick(g, (int64_t)g->scalars.len)]);
  }
  return mk_cast(g->ir, dtype, load_any(g, depth));
}

static const tn_node *compare(gen *g, int depth) {
  static const tn_op ops[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  tn_dtype dtype = pick_type(g);
  const tn_node *a = value_of(g, dtype, depth - 1);
  return mk_op(g->ir, ops[pick(g, 6)], a, value_of(g, dtype, depth - 1));
}

static const tn_node *bool_value(gen *g, int depth) {
  switch (pick(g, 5)) {
    case 0:
      return mk_op(g->ir, TN_OP_AND, bool_value(g, depth - 1), compare(g, depth));
    case 1:
      return mk_op(g->ir, TN_OP_OR, compare(g, depth), compare(g, depth));
    case 2:
      return mk_unary(g->ir, TN_OP_NOT, value_of(g, TN_DT_BOOL, depth - 1));
    default:
      return compare(g, depth);
  }
}

static const tn_node *int_value(gen *g, tn_dtype dtype, int depth) {
  static const tn_op ops[] = {TN_OP_ADD,  TN_OP_SUB, TN_OP_MUL,  TN_OP_ADD, TN_OP_MIN, TN_OP_MAX,
                              TN_OP_BAND, TN_OP_BOR, TN_OP_BXOR, TN_OP_SHL, TN_OP_SHR};
  static const tn_op divisions[] = {TN_OP_DIV, TN_OP_MOD, TN_OP_FLOORDIV, TN_OP_FLOORMOD};
  static const tn_intrin_id calls[] = {TN_INTRIN_ABS, TN_INTRIN_POPCOUNT, TN_INTRIN_CLZ};
  const tn_node *a = value_of(g, dtype, depth - 1);
  int64_t kind = pick(g, 12);
  if (kind < 7) {
    tn_op op = ops[pick(g, sizeof ops / sizeof ops[0])];
    bool is_shift = op == TN_OP_SHL || op == TN_OP_SHR;
    return mk_op(g->ir, op, a,
                 is_shift && chance(g, 70) ? tn_int(g->ir, dtype, pick(g, 9))
                                           : value_of(g, dtype, depth - 1));
  }
  if (kind < 10) {
    return mk_op(g->ir, divisions[pick(g, 4)], a, divisor(g, dtype, depth - 1));
  }
  if (kind < 11) {
    return mk_unary(g->ir, chance(g, 50) ? TN_OP_NEG : TN_OP_BNOT, a);
  }
  return MK_CALL(g->ir, calls[pick(g, 3)], a);
}

static const tn_node *clamp(gen *g, const tn_node *value) {
  const tn_node *lo = tn_float(g->ir, value->dtype, -64); /* lanes: a broadcast */
  const tn_node *hi = tn_float(g->ir, value->dtype, 64);
  return mk_op(g->ir, TN_OP_MIN, mk_op(g->ir, TN_OP_MAX, value, lo), hi); /* NaN gives -64 */
}

static const tn_node *float_value(gen *g, tn_dtype dtype, int depth) {
  static const tn_op ops[] = {TN_OP_ADD, TN_OP_SUB, TN_OP_MUL, TN_OP_ADD, TN_OP_MIN, TN_OP_MAX};
  static const tn_intrin_id calls[] = {TN_INTRIN_FABS, TN_INTRIN_FLOOR, TN_INTRIN_CEIL,
                                       TN_INTRIN_TRUNC, TN_INTRIN_ROUND};
  const tn_node *a = value_of(g, dtype, depth - 1);
  int64_t kind = pick(g, 12);
  if (kind < 8) {
    return mk_op(g->ir, ops[pick(g, sizeof ops / sizeof ops[0])], a, value_of(g, dtype, depth - 1));
  }
  if (kind == 8) { /* a quotient, back to whole numbers */
    const tn_node *half =
        mk_op(g->ir, TN_OP_DIV, a, tn_float(g->ir, dtype, chance(g, 50) ? 2 : -3));
    return MK_CALL(g->ir, TN_INTRIN_FLOOR, half);
  }
  if (kind == 9) {
    const tn_node *root = MK_CALL(g->ir, TN_INTRIN_SQRT, MK_CALL(g->ir, TN_INTRIN_FABS, a));
    return MK_CALL(g->ir, TN_INTRIN_TRUNC, root);
  }
  if (kind == 10) {
    return mk_unary(g->ir, TN_OP_NEG, a);
  }
  return MK_CALL(g->ir, calls[pick(g, 5)], a);
}

static const tn_node *let_value(gen *g, tn_dtype dtype, int depth) {
  tn_dtype inner = pick_type(g);
  const tn_node *in[] = {NULL, value_of(g, inner, depth - 1), NULL};
  gen_scope scope = enter(g);
  in[TN_LET_VAR] = tn_var_new(g->ir, fresh(g, "x"), inner);
  TN_VEC_PUSH(&g->scalars, in[TN_LET_VAR]);
  in[TN_LET_BODY] =
      mk_op(g->ir, TN_OP_MAX, value_of(g, dtype, depth - 1), mk_cast(g->ir, dtype, in[TN_LET_VAR]));
  leave(g, scope);
  in[TN_LET_BODY] = mk_cast(g->ir, dtype, in[TN_LET_BODY]); /* max of bools is int32 */
  return tn_node_new(g->ir, TN_OP_LET, dtype, (tn_attr){0}, 3, in);
}

static const tn_node *reinterpreted(gen *g, int depth) {
  const tn_node *f = clamp(g, value_of(g, TN_DT_F32, depth - 1));
  return tn_node_new(g->ir, TN_OP_REINTERPRET, TN_DT_I32, (tn_attr){0}, 1, &f);
}

static const tn_node *value_of(gen *g, tn_dtype dtype, int depth) {
  if (depth <= 0 || chance(g, 20)) {
    return leaf(g, dtype, depth);
  }
  int64_t kind = pick(g, 20);
  if (kind < 2) {
    const tn_node *cond = bool_value(g, depth - 1);
    const tn_node *a = value_of(g, dtype, depth - 1);
    return mk_select(g->ir, kind == 0 ? TN_OP_SELECT : TN_OP_IF_THEN_ELSE, cond, a,
                     value_of(g, dtype, depth - 1));
  }
  if (kind == 2) {
    return mk_cast(g->ir, dtype, value_of(g, pick_type(g), depth - 1));
  }
  if (kind == 3) {
    return let_value(g, dtype, depth);
  }
  if (kind == 4 && dtype == TN_DT_I32) {
    return reinterpreted(g, depth);
  }
  if (tn_dtype_is_bool(dtype)) {
    return bool_value(g, depth);
  }
  return tn_dtype_is_float(dtype) ? float_value(g, dtype, depth) : int_value(g, dtype, depth);
}

/* ---- vector expressions ---- */

/* Indices of `lanes` elements along the last dimension, no two the same; false when they do not
 * fit. */
static bool vector_indices(gen *g, const gen_buf *b, int64_t lanes, const tn_node **out) {
  uint32_t ndim = tn_buffer_ndim(b->node);
  const tn_node *last = ndim == 0 ? NULL : b->node->in[TN_BUFFER_SHAPE]->in[ndim - 1];
  if (last == NULL || !tn_is(last, TN_OP_INT) || last->attr.i64 < lanes ||
      b->locked[ndim - 1] != NULL) {
    return false;
  }
  int64_t spare = last->attr.i64 - lanes;
  int64_t stride = chance(g, 70) ? 1 : chance(g, 50) && spare >= lanes - 1 ? 2 : -1;
  int64_t span = (lanes - 1) * (stride < 0 ? 1 : stride) + 1;
  const tn_node *base = index_of(g, tn_int(g->ir, last->dtype, last->attr.i64 - span + 1), 1);
  if (stride < 0) {
    base = mk_add(g->ir, base, tn_int(g->ir, base->dtype, lanes - 1));
  }
  indices_of(g, b, 1, out);
  out[ndim - 1] = mk_ramp(g->ir, base, stride, lanes);
  return true;
}

static const tn_node *predicate_of(gen *g, int64_t lanes) {
  if (!chance(g, 25)) {
    return NULL;
  }
  const tn_node *ramp = mk_ramp(g->ir, mk_i32(g->ir, 0), 1, lanes);
  return mk_op(g->ir, TN_OP_LT, ramp, value_of(g, TN_DT_I32, 1));
}

static const tn_node *vector_of(gen *g, tn_dtype dtype, int64_t lanes, int depth);

static const tn_node *vector_leaf(gen *g, tn_dtype dtype, int64_t lanes) {
  const tn_node *indices[MAX_DIMS];
  tn_dtype type = tn_dtype_with_lanes(dtype, (uint32_t)lanes);
  for (int tries = 0; tries < 3; ++tries) {
    gen_buf b = g->bufs.data[pick(g, (int64_t)g->bufs.len)];
    if (!b.is_hidden && vector_indices(g, &b, lanes, indices)) {
      const tn_node *load =
          mk_load(g->ir, b.node, predicate_of(g, lanes), tn_buffer_ndim(b.node), indices);
      return mk_cast(g->ir, type, load);
    }
  }
  if (chance(g, 40)) {
    return mk_cast(g->ir, type, mk_ramp(g->ir, value_of(g, TN_DT_I32, 0), pick(g, 5) - 2, lanes));
  }
  return mk_broadcast(g->ir, value_of(g, dtype, 1), lanes);
}

static const tn_node *shuffled(gen *g, tn_dtype dtype, int64_t lanes, int depth) {
  const tn_node *vectors[] = {vector_of(g, dtype, lanes, depth - 1),
                              vector_of(g, dtype, lanes, depth - 1)};
  const tn_node *indices[8];
  for (int64_t i = 0; i < lanes; ++i) {
    indices[i] = mk_i32(g->ir, pick(g, 2 * lanes));
  }
  const tn_node *in[] = {tn_list(g->ir, 2, vectors), tn_list(g->ir, (uint32_t)lanes, indices)};
  return tn_node_new(g->ir, TN_OP_SHUFFLE, tn_dtype_with_lanes(dtype, (uint32_t)lanes),
                     (tn_attr){0}, 2, in);
}

static const tn_node *vector_of(gen *g, tn_dtype dtype, int64_t lanes, int depth) {
  static const tn_op ops[] = {TN_OP_ADD, TN_OP_SUB, TN_OP_MUL, TN_OP_MIN, TN_OP_MAX};
  if (depth <= 0 || chance(g, 25)) {
    return vector_leaf(g, dtype, lanes);
  }
  const tn_node *a = vector_of(g, dtype, lanes, depth - 1);
  int64_t kind = pick(g, 8);
  if (kind == 0) {
    const tn_node *cond = mk_op(g->ir, TN_OP_LT, a, vector_of(g, dtype, lanes, depth - 1));
    return mk_select(g->ir, TN_OP_SELECT, cond, a, vector_of(g, dtype, lanes, depth - 1));
  }
  if (kind == 1) {
    return shuffled(g, dtype, lanes, depth);
  }
  if (kind == 2) {
    tn_dtype type = tn_dtype_with_lanes(dtype, (uint32_t)lanes);
    return mk_cast(g->ir, type, vector_of(g, pick_type(g), lanes, depth - 1));
  }
  const tn_node *b = vector_of(g, dtype, lanes, depth - 1);
  const tn_node *result = mk_op(g->ir, ops[pick(g, 5)], a, b);
  return mk_cast(g->ir, tn_dtype_with_lanes(dtype, (uint32_t)lanes),
                 result); /* bools became int32 */
}

/* ---- statements ---- */

static const tn_node *stmt_of(gen *g);
static const tn_node *body_of(gen *g, int64_t max_stmts);

/* A buffer that may be stored to here; NULL: none. */
static gen_buf *pick_target(gen *g) {
  for (int tries = 0; tries < 12 && g->bufs.len > 0; ++tries) {
    gen_buf *b = &g->bufs.data[pick(g, (int64_t)g->bufs.len)];
    if (may_store(g, b)) {
      return b;
    }
  }
  return NULL;
}

static const tn_node *nothing(gen *g) {
  const tn_node *zero = mk_i32(g->ir, 0);
  return MK_NODE(g->ir, TN_OP_EVAL, 0, zero);
}

static const tn_node *stored(gen *g, const tn_node *value) {
  return tn_dtype_is_float(value->dtype) ? clamp(g, value) : value;
}

static const tn_node *store_stmt(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL) {
    return nothing(g);
  }
  gen_buf b = *target;
  const tn_node *indices[MAX_DIMS];
  indices_of(g, &b, 2, indices);
  const tn_node *value = stored(g, value_of(g, b.node->dtype, 3));
  return mk_store(g->ir, b.node, value, NULL, tn_buffer_ndim(b.node), indices);
}

static const tn_node *vector_stmt(gen *g) {
  static const int64_t widths[] = {2, 4, 3, 8};
  gen_buf *target = pick_target(g);
  int64_t lanes = widths[pick(g, 4)];
  const tn_node *indices[MAX_DIMS];
  if (target == NULL || g->is_vectorized) {
    return store_stmt(g);
  }
  gen_buf b = *target;
  if (!vector_indices(g, &b, lanes, indices)) {
    return store_stmt(g);
  }
  const tn_node *value = stored(g, vector_of(g, b.node->dtype, lanes, 2));
  return mk_store(g->ir, b.node, value, predicate_of(g, lanes), tn_buffer_ndim(b.node), indices);
}

/* A constant extent within what is left of the budget. */
static int64_t pick_extent(gen *g) {
  int64_t extent = 1 + pick(g, MAX_EXTENT);
  return g->n_turns * extent > MAX_TURNS ? 1 : extent;
}

static const tn_node *serial_loop(gen *g) {
  tn_dtype dtype = chance(g, 75) ? TN_DT_I32 : TN_DT_I64;
  const tn_node *size = g->sizes[pick(g, 2)];
  bool is_symbolic = size != NULL && chance(g, 40) && g->n_turns * MAX_EXTENT <= MAX_TURNS;
  int64_t extent = is_symbolic ? MAX_EXTENT : pick_extent(g);
  int64_t min = !is_symbolic && chance(g, 20) ? pick(g, 4) : 0;
  const tn_node *var = tn_var_new(g->ir, fresh(g, "i"), is_symbolic ? size->dtype : dtype);
  bool is_unrolled = !is_symbolic && (g->parts & GEN_TIR_LOOP_KINDS) != 0 && chance(g, 15);
  gen_scope scope = enter(g);
  add_var(g, var, min, min + extent, is_symbolic ? size : NULL);
  g->n_turns *= extent;
  const tn_node *body = body_of(g, 3);
  g->n_turns /= extent;
  leave(g, scope);
  return tn_for_new(g->ir, is_unrolled ? TN_FOR_UNROLLED : TN_FOR_SERIAL, var,
                    tn_int(g->ir, var->dtype, min),
                    is_symbolic ? size : tn_int(g->ir, dtype, extent), body, NULL, NULL);
}

/* A parallel or vectorized loop over one dimension of one buffer: within it, that buffer is
 * accessed there only, and nothing else from outside is stored to. */
static const tn_node *owned_loop(gen *g, tn_for_kind kind) {
  gen_buf *target = pick_target(g);
  if (target == NULL || tn_buffer_ndim(target->node) == 0 || g->is_vectorized) {
    return serial_loop(g);
  }
  size_t at = (size_t)(target - g->bufs.data);
  const tn_node *shape = target->node->in[TN_BUFFER_SHAPE];
  uint32_t dim = kind == TN_FOR_VECTORIZED ? shape->n_in - 1 : (uint32_t)pick(g, shape->n_in);
  const tn_node *extent = shape->in[dim];
  bool is_const = tn_is(extent, TN_OP_INT);
  int64_t n = is_const ? extent->attr.i64 : MAX_EXTENT;
  if (target->locked[dim] != NULL || g->n_turns * n > MAX_TURNS ||
      (kind == TN_FOR_VECTORIZED && (!is_const || n < 2))) {
    return serial_loop(g);
  }
  bool was_locked = g->is_locked;
  gen_scope scope = enter(g);
  const tn_node *var =
      tn_var_new(g->ir, fresh(g, kind == TN_FOR_VECTORIZED ? "v" : "p"), extent->dtype);
  TN_VEC(gen_buf) saved = {0};
  for (size_t i = 0; i < g->bufs.len; ++i) {
    TN_VEC_PUSH(&saved, g->bufs.data[i]);
    g->bufs.data[i].is_inner = false;
    g->bufs.data[i].can_store = i == at;
    g->bufs.data[i].is_hidden |= i != at && g->bufs.data[i].root == g->bufs.data[at].root;
  }
  g->bufs.data[at].locked[dim] = var;
  g->is_locked = true;
  g->is_vectorized = kind == TN_FOR_VECTORIZED;
  add_var(g, var, 0, n, is_const ? NULL : extent);
  g->n_turns *= n;
  const tn_node *body = body_of(g, 2);
  g->n_turns /= n;
  g->is_locked = was_locked;
  g->is_vectorized = false;
  leave(g, scope);
  memcpy(g->bufs.data, saved.data, saved.len * sizeof *saved.data);
  TN_VEC_DEINIT(&saved);
  return tn_for_new(g->ir, kind, var, NULL, extent, body, NULL, NULL);
}

static const tn_node *if_stmt(gen *g) {
  const tn_node *in[] = {bool_value(g, 2), NULL, tn_none(g->ir)};
  in[TN_IF_THEN] = body_of(g, 2);
  if (chance(g, 50)) {
    in[TN_IF_ELSE] = body_of(g, 2);
  }
  return mk_node(g->ir, TN_OP_IF, 0, 3, in);
}

static const tn_node *bind_stmt(gen *g) {
  tn_dtype dtype = pick_type(g);
  const tn_node *value = value_of(g, dtype, 2);
  const tn_node *var = tn_var_new(g->ir, fresh(g, "x"), dtype);
  TN_VEC_PUSH(&g->scalars, var);
  return MK_NODE(g->ir, TN_OP_BIND, 0, var, value);
}

/* Stores to every element, so that nothing is read before it is written. */
static const tn_node *fill(gen *g, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *indices[MAX_DIMS];
  gen_scope scope = enter(g);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    indices[i] = tn_var_new(g->ir, fresh(g, "f"), shape->in[i]->dtype);
    add_var(g, indices[i], 0, tn_is(shape->in[i], TN_OP_INT) ? shape->in[i]->attr.i64 : 0,
            tn_is(shape->in[i], TN_OP_INT) ? NULL : shape->in[i]);
  }
  const tn_node *value = stored(g, value_of(g, buffer->dtype, 1));
  const tn_node *body = mk_store(g->ir, buffer, value, NULL, shape->n_in, indices);
  leave(g, scope);
  for (uint32_t i = shape->n_in; i-- > 0;) {
    body = mk_for_n(g->ir, indices[i], shape->in[i], body);
  }
  return body;
}

static const tn_node *new_buffer(gen *g, const char *stem, const tn_node *data, const char *scope) {
  const tn_node *shape[MAX_DIMS];
  uint32_t ndim = (uint32_t)pick(g, 3) + (chance(g, 90) ? 1 : 0);
  ndim = ndim > MAX_DIMS ? MAX_DIMS : ndim;
  for (uint32_t i = 0; i < ndim; ++i) {
    const tn_node *size = g->sizes[pick(g, 2)];
    shape[i] = size != NULL && data == NULL && chance(g, 35)
                   ? size
                   : mk_i32(g->ir, 1 + pick(g, MAX_EXTENT + 3));
  }
  tn_buffer_spec spec = {
      .name = fresh(g, stem), .dtype = pick_type(g), .ndim = ndim, .shape = shape, .data = data};
  spec.scope = scope;
  return tn_buffer_new(g->ir, &spec);
}

/* allocate and decl_buffer, or allocate_const; the buffer lives to the end of the sequence. */
static const tn_node *alloc_stmt(gen *g) {
  const tn_node *data = tn_var_new(g->ir, fresh(g, "data"), TN_DT_HANDLE);
  const char *scope = chance(g, 30) ? "local" : "global";
  const tn_node *buffer = new_buffer(g, "L", data, scope);
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *decl = MK_NODE(g->ir, TN_OP_DECL, 0, buffer);
  if (chance(g, 20) && !tn_dtype_is_bool(buffer->dtype)) {
    tn_array array = {0};
    int64_t dims[MAX_DIMS];
    for (uint32_t i = 0; i < shape->n_in; ++i) {
      dims[i] = shape->in[i]->attr.i64;
    }
    mk_ok(tn_array_init(&array, buffer->dtype, (int32_t)shape->n_in, dims));
    for (int64_t i = 0; i < tn_array_n_elems(&array); ++i) {
      tn_array_set_i64(&array, i, pick(g, 9));
    }
    const tn_node *constant = tn_const_new(g->ir, &array);
    add_buf(g, buffer, false);
    return MK_SEQ(g->ir, MK_NODE(g->ir, TN_OP_CONST_ALLOC, 0, data, constant), decl);
  }
  const tn_node *in[] = {data, shape, tn_bool(g->ir, true), tn_str(g->ir, scope), tn_none(g->ir)};
  const tn_node *alloc = tn_node_new(g->ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){0}, 5, in);
  const tn_node *first = fill(g, buffer);
  add_buf(g, buffer, true);
  return MK_SEQ(g->ir, alloc, decl, first);
}

/* Counts in a buffer of its own: while c[0] < n: ...; c[0] = c[0] + 1 */
static const tn_node *while_stmt(gen *g) {
  const tn_node *data = tn_var_new(g->ir, fresh(g, "data"), TN_DT_HANDLE);
  const tn_node *zero = mk_i32(g->ir, 0);
  const tn_node *extent = mk_i32(g->ir, 1);
  const tn_node *c = tn_buffer_new(
      g->ir,
      &(tn_buffer_spec){
          .name = fresh(g, "c"), .dtype = TN_DT_I32, .ndim = 1, .shape = &extent, .data = data});
  const tn_node *in[] = {data, tn_list(g->ir, 1, &extent), tn_bool(g->ir, true),
                         tn_str(g->ir, "global"), tn_none(g->ir)};
  const tn_node *alloc = tn_node_new(g->ir, TN_OP_ALLOC, TN_DT_I32, (tn_attr){0}, 5, in);
  int64_t n = pick_extent(g);
  gen_scope scope = enter(g);
  add_buf(g, c, false);
  g->n_turns *= n;
  const tn_node *body = body_of(g, 2);
  g->n_turns /= n;
  leave(g, scope);
  const tn_node *count = MK_LOAD(g->ir, c, zero);
  const tn_node *next = MK_STORE(g->ir, c, mk_add(g->ir, count, mk_i32(g->ir, 1)), zero);
  const tn_node *cond = mk_op(g->ir, TN_OP_LT, count, mk_i32(g->ir, n));
  return MK_SEQ(g->ir, alloc, MK_NODE(g->ir, TN_OP_DECL, 0, c), MK_STORE(g->ir, c, zero, zero),
                MK_NODE(g->ir, TN_OP_WHILE, 0, cond, MK_SEQ(g->ir, body, next)));
}

static const tn_node *assert_stmt(gen *g) {
  const tn_node *size = g->sizes[0] != NULL ? g->sizes[0] : mk_i32(g->ir, 3);
  const tn_node *cond = mk_op(g->ir, TN_OP_GE, size, tn_int(g->ir, size->dtype, 1));
  return MK_NODE(g->ir, TN_OP_ASSERT, 0, cond, tn_str(g->ir, "a size is at least 1"));
}

/* ---- blocks ---- */

/* Fills in what the text would leave out. */
static const tn_node *with_regions(gen *g, const tn_node *block) {
  const tn_node *in[TN_BLOCK_BODY + 1];
  memcpy(in, block->in, sizeof in);
  mk_ok(tn_tir_infer_regions(g->ir, block, &in[TN_BLOCK_READS], &in[TN_BLOCK_WRITES]));
  return tn_node_with(g->ir, block, in);
}

/* target[axes] = ..., every element once or, with a reduce axis, summed into. Loops may be split in
 * two with a predicate that cuts off the rest. */
typedef struct nest {
  const tn_node *loops[2 * (MAX_DIMS + 1)];
  const tn_node *extents[2 * (MAX_DIMS + 1)];
  uint32_t n_loops;
  const tn_node *iters[MAX_DIMS + 1];
  const tn_node *predicate;
} nest;

static void add_axis(gen *g, nest *n, uint32_t i, tn_iter_kind kind, const tn_node *axis,
                     const tn_node *extent) {
  tn_ir *ir = g->ir;
  const tn_node *binding = tn_var_new(ir, fresh(g, "i"), extent->dtype);
  n->loops[n->n_loops] = binding;
  n->extents[n->n_loops++] = extent;
  if (tn_is(extent, TN_OP_INT) && extent->attr.i64 > 2 && chance(g, 30)) {
    int64_t factor = 2 + pick(g, 2);
    const tn_node *inner = tn_var_new(ir, fresh(g, "i"), extent->dtype);
    n->extents[n->n_loops - 1] =
        tn_int(ir, extent->dtype, (extent->attr.i64 + factor - 1) / factor);
    n->loops[n->n_loops] = inner;
    n->extents[n->n_loops++] = tn_int(ir, extent->dtype, factor);
    binding = mk_add(ir, mk_mul(ir, binding, tn_int(ir, extent->dtype, factor)), inner);
    if (extent->attr.i64 % factor != 0) {
      const tn_node *cut = mk_op(ir, TN_OP_LT, binding, extent);
      n->predicate = n->predicate == NULL ? cut : mk_op(ir, TN_OP_AND, n->predicate, cut);
    }
  }
  n->iters[i] = MK_NODE(ir, TN_OP_ITER, kind, axis, tn_int(ir, extent->dtype, 0), extent, binding);
}

static int64_t bound_of(const tn_node *extent) {
  return tn_is(extent, TN_OP_INT) ? extent->attr.i64 : MAX_EXTENT;
}

/* A buffer of the block's own, filled and read in it. */
static const tn_node *block_alloc(gen *g, const tn_node **out_fill) {
  const tn_node *buffer = new_buffer(g, "S", NULL, chance(g, 50) ? "local" : "global");
  *out_fill = fill(g, buffer);
  add_buf(g, buffer, true);
  return tn_list(g->ir, 1, &buffer);
}

/* One axis a dimension that is not locked, and a reduce axis. Returns how many. */
static uint32_t add_axes(gen *g, const gen_buf *b, bool is_sum, nest *n, const tn_node **indices) {
  const tn_node *shape = b->node->in[TN_BUFFER_SHAPE];
  uint32_t n_axes = 0;
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    const tn_node *extent = shape->in[i];
    if (b->locked[i] != NULL) {
      indices[i] = b->locked[i];
      continue;
    }
    const tn_node *axis = tn_var_new(g->ir, fresh(g, "va"), extent->dtype);
    add_axis(g, n, n_axes++, TN_ITER_SPATIAL, axis, extent);
    indices[i] = axis;
    add_var(g, axis, 0, bound_of(extent), tn_is(extent, TN_OP_INT) ? NULL : extent);
  }
  if (is_sum) {
    const tn_node *axis = mk_var(g->ir, fresh(g, "vk"));
    int64_t extent = 1 + pick(g, 4);
    add_axis(g, n, n_axes++, TN_ITER_REDUCE, axis, mk_i32(g->ir, extent));
    add_var(g, axis, 0, extent, NULL);
  }
  return n_axes;
}

/* An instance of a block reads its own element only of the memory that it writes. */
static void lock_target(gen *g, const gen_buf *target, const tn_node *const *indices) {
  for (size_t i = 0; i < g->bufs.len; ++i) {
    gen_buf *b = &g->bufs.data[i];
    b->is_hidden |= b->node != target->node && b->root == target->root;
    for (uint32_t k = 0; b->node == target->node && k < tn_buffer_ndim(b->node); ++k) {
      b->locked[k] = indices[k];
    }
  }
}

static const tn_node *compute_block(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL || g->is_vectorized) {
    return store_stmt(g);
  }
  gen_buf b = *target;
  tn_ir *ir = g->ir;
  const tn_node *shape = b.node->in[TN_BUFFER_SHAPE];
  nest n = {0};
  int64_t turns = 1;
  gen_scope scope = enter(g);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    turns *= b.locked[i] != NULL ? 1 : bound_of(shape->in[i]);
  }
  bool is_sum = chance(g, 50) && !tn_dtype_is_bool(b.node->dtype);
  if (g->n_turns * turns * 4 > 2 * MAX_TURNS) {
    leave(g, scope);
    return store_stmt(g);
  }
  const tn_node *indices[MAX_DIMS];
  uint32_t n_axes = add_axes(g, &b, is_sum, &n, indices);
  mk_block_spec spec = {
      .name = fresh(g, "B"), .iters = tn_list(ir, n_axes, n.iters), .predicate = n.predicate};
  const tn_node *first = tn_seq(ir, 0, NULL);
  TN_VEC(gen_buf) saved = {0};
  for (size_t i = 0; i < g->bufs.len; ++i) {
    TN_VEC_PUSH(&saved, g->bufs.data[i]);
  }
  lock_target(g, &b, indices);
  if (chance(g, 20)) {
    spec.allocs = block_alloc(g, &first);
  }
  const tn_node *value = value_of(g, b.node->dtype, 2);
  if (is_sum) {
    value = mk_add(ir, mk_load(ir, b.node, NULL, shape->n_in, indices), value);
    spec.init = mk_store(ir, b.node, mk_i32(ir, 0), NULL, shape->n_in, indices);
  }
  spec.body = MK_SEQ(ir, first, mk_store(ir, b.node, stored(g, value), NULL, shape->n_in, indices));
  leave(g, scope);
  memcpy(g->bufs.data, saved.data, saved.len * sizeof *saved.data);
  TN_VEC_DEINIT(&saved);
  const tn_node *body = with_regions(g, mk_block(ir, &spec));
  for (uint32_t i = n.n_loops; i-- > 0;) {
    body = mk_for_n(ir, n.loops[i], n.extents[i], body);
  }
  return body;
}

/* A part of a buffer under another name, in an axis-less block. */
static const tn_node *match_block(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL || g->is_locked || tn_buffer_ndim(target->node) == 0) {
    return compute_block(g);
  }
  tn_ir *ir = g->ir;
  gen_buf b = *target;
  const tn_node *shape = b.node->in[TN_BUFFER_SHAPE];
  const tn_node *ranges[MAX_DIMS];
  const tn_node *extents[MAX_DIMS];
  const tn_node *strides[MAX_DIMS];
  uint32_t n_view = shape->n_in;
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    int64_t whole = tn_is(shape->in[i], TN_OP_INT) ? shape->in[i]->attr.i64 : 1;
    int64_t extent = 1 + pick(g, whole);
    const tn_node *min = index_of(g, mk_i32(ir, whole - extent + 1), 0);
    extents[i] = tn_int(ir, shape->in[i]->dtype, extent);
    ranges[i] = mk_range(ir, mk_cast(ir, shape->in[i]->dtype, min), extents[i]);
  }
  bool drops = n_view > 1 && tn_is_int(extents[0], 1) && chance(g, 60);
  n_view -= drops ? 1 : 0;
  tn_buffer_spec spec = {.name = fresh(g, "V"),
                         .dtype = b.node->dtype,
                         .ndim = n_view,
                         .shape = extents + (drops ? 1 : 0)};
  for (uint32_t i = 0; i < n_view; ++i) {
    strides[i] = mk_var(ir, fresh(g, "s"));
  }
  if (chance(g, 50)) {
    spec.strides = tn_list(ir, n_view, strides);
  }
  spec.elem_offset = mk_var(ir, fresh(g, "off"));
  spec.scope = b.node->in[TN_BUFFER_SCOPE]->attr.text;
  const tn_node *view = tn_buffer_new(ir, &spec);
  const tn_node *match =
      MK_NODE(ir, TN_OP_MATCH, 0, view, tn_region_new(ir, b.node, shape->n_in, ranges));
  gen_scope scope = enter(g);
  add_buf(g, view, true);
  TN_VEC_LAST(&g->bufs).root = b.root;
  mk_block_spec block = {.name = fresh(g, "B"), .matches = tn_list(ir, 1, &match)};
  block.body = body_of(g, 2);
  leave(g, scope);
  return with_regions(g, mk_block(ir, &block));
}

/* ---- sequences and functions ---- */

static const tn_node *stmt_of(gen *g) {
  bool has_blocks = (g->parts & GEN_TIR_BLOCKS) != 0;
  bool has_kinds = (g->parts & GEN_TIR_LOOP_KINDS) != 0;
  bool is_deep = g->nest >= MAX_NEST;
  int64_t kind = pick(g, 100);
  if (kind < 14 && (g->parts & GEN_TIR_VECTORS) != 0) {
    return vector_stmt(g);
  }
  if (kind < 30 || is_deep) {
    return store_stmt(g);
  }
  if (kind < 48) {
    return serial_loop(g);
  }
  if (kind < 58 && has_kinds) {
    return owned_loop(g, TN_FOR_PARALLEL);
  }
  if (kind < 66 && has_kinds) {
    return owned_loop(g, TN_FOR_VECTORIZED);
  }
  if (kind < 72) {
    return if_stmt(g);
  }
  if (kind < 76) {
    return bind_stmt(g);
  }
  if (kind < 80 && !g->is_vectorized) {
    return alloc_stmt(g);
  }
  if (kind < 83 && !g->is_vectorized) {
    return while_stmt(g);
  }
  if (kind < 84) {
    return assert_stmt(g);
  }
  if (!has_blocks) {
    return serial_loop(g);
  }
  return kind < 95 ? compute_block(g) : match_block(g);
}

static const tn_node *body_of(gen *g, int64_t max_stmts) {
  const tn_node *stmts[6];
  gen_scope scope = enter(g);
  uint32_t n = (uint32_t)(1 + pick(g, max_stmts));
  ++g->nest;
  for (uint32_t i = 0; i < n; ++i) {
    stmts[i] = stmt_of(g);
  }
  --g->nest;
  leave(g, scope);
  return tn_seq(g->ir, n, stmts);
}

/* One array or scalar for a parameter; sizes[k] has the value values[k]. */
static void make_array(gen *g, const tn_node *buffer, const int64_t *values, tn_array *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  int64_t dims[MAX_DIMS];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    bool is_const = tn_is(shape->in[i], TN_OP_INT);
    dims[i] = is_const ? shape->in[i]->attr.i64 : values[shape->in[i] == g->sizes[0] ? 0 : 1];
  }
  mk_ok(tn_array_init(out, buffer->dtype, (int32_t)shape->n_in, dims));
  for (int64_t i = 0; i < tn_array_n_elems(out); ++i) {
    tn_array_set_i64(out, i, pick(g, 17) - 8);
  }
}

/* Symbolic sizes are bound by the shape of a first buffer that has them all. */
static const tn_node *first_buffer(gen *g) {
  if (g->sizes[0] == NULL) {
    return new_buffer(g, "A", NULL, NULL);
  }
  tn_buffer_spec spec = {
      .name = fresh(g, "A"), .dtype = pick_type(g), .ndim = 2, .shape = g->sizes};
  return tn_buffer_new(g->ir, &spec);
}

static void make_params(gen *g, const int64_t *values, gen_tir_program *out,
                        const tn_node **params) {
  int32_t n_buffers = 2 + (int32_t)pick(g, 3);
  int32_t n_scalars = (int32_t)pick(g, 3);
  for (int32_t i = 0; i < n_buffers; ++i) {
    params[i] = i == 0 ? first_buffer(g) : new_buffer(g, "A", NULL, NULL);
    add_buf(g, params[i], true);
    make_array(g, params[i], values, &out->arrays[i]);
    out->args[i].array = &out->arrays[i];
  }
  for (int32_t i = n_buffers; i < n_buffers + n_scalars; ++i) {
    tn_dtype dtype = chance(g, 50) ? TN_DT_I32 : chance(g, 50) ? TN_DT_F32 : pick_type(g);
    params[i] = tn_var_new(g->ir, fresh(g, "q"), dtype);
    TN_VEC_PUSH(&g->scalars, params[i]);
    int64_t value = tn_dtype_is_bool(dtype) ? pick(g, 2) : pick(g, 9);
    out->args[i] = (tn_tir_arg){.i64 = value, .f64 = (double)value};
  }
  out->n_args = n_buffers + n_scalars;
}

void gen_tir(tn_ir *ir, uint64_t seed, uint32_t parts, const char *name, gen_tir_program *out) {
  gen g = {.ir = ir, .rng = tn_rng_make(seed), .parts = parts, .n_turns = 1};
  const tn_node *params[GEN_TIR_MAX_ARGS];
  int64_t values[] = {1 + pick(&g, MAX_EXTENT), 1 + pick(&g, MAX_EXTENT)};
  *out = (gen_tir_program){0};
  if ((parts & GEN_TIR_SYMBOLIC) != 0 && chance(&g, 50)) {
    tn_dtype dtype = chance(&g, 50) ? TN_DT_I32 : TN_DT_I64;
    g.sizes[0] = tn_var_new(ir, "n", dtype);
    g.sizes[1] = tn_var_new(ir, "m", dtype);
  }
  make_params(&g, values, out, params);
  const tn_node *stmts[] = {store_stmt(&g), body_of(&g, 5), store_stmt(&g)};
  const tn_node *body = tn_seq(ir, 3, stmts);
  out->func = mk_func(ir, name, body, NULL, (uint32_t)out->n_args, params);
  TN_VEC_DEINIT(&g.bufs);
  TN_VEC_DEINIT(&g.vars);
  TN_VEC_DEINIT(&g.scalars);
}

void gen_tir_copy_args(const gen_tir_program *src, gen_tir_program *out) {
  *out = *src;
  for (int32_t i = 0; i < src->n_args; ++i) {
    if (src->arrays[i].data != NULL) {
      mk_ok(tn_array_init_copy(&out->arrays[i], &src->arrays[i]));
      out->args[i].array = &out->arrays[i];
    }
  }
}

bool gen_tir_same_args(const gen_tir_program *a, const gen_tir_program *b, int32_t *out_arg) {
  for (int32_t i = 0; i < a->n_args; ++i) {
    size_t n_bytes = a->arrays[i].data == NULL ? 0 : tn_array_n_bytes(&a->arrays[i]);
    if (n_bytes != 0 && memcmp(a->arrays[i].data, b->arrays[i].data, n_bytes) != 0) {
      *out_arg = i;
      return false;
    }
  }
  return true;
}

void gen_tir_deinit(gen_tir_program *program) {
  for (int32_t i = 0; i < program->n_args; ++i) {
    if (program->arrays[i].data != NULL) {
      tn_array_deinit(&program->arrays[i]);
    }
  }
  *program = (gen_tir_program){0};
}
