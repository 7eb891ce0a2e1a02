/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler for expressions. Each distinct node is computed once within a
 * statement, unless a store or a call stands between (memory reads then go stale) or it was
 * computed in a branch that may not run. */
#include <string.h>

#include "tir/interp/interp_priv.h"

/* ---- operators: which instruction for which class of types ---- */

typedef struct op_row {
  tn_op op;
  tn_iop i; /* integers up to int64 and uint32, bool */
  tn_iop u; /* uint64 */
  tn_iop f;
  tn_iop d;
  bool has_float;
  bool is_wrapping; /* the result may leave the type */
  bool is_swapped;  /* a > b is b < a */
} op_row;

static const op_row op_rows[] = {
    {TN_OP_ADD, TN_IOP_ADD, TN_IOP_ADD, TN_IOP_ADD_F, TN_IOP_ADD_D, true, true, false},
    {TN_OP_SUB, TN_IOP_SUB, TN_IOP_SUB, TN_IOP_SUB_F, TN_IOP_SUB_D, true, true, false},
    {TN_OP_MUL, TN_IOP_MUL, TN_IOP_MUL, TN_IOP_MUL_F, TN_IOP_MUL_D, true, true, false},
    {TN_OP_DIV, TN_IOP_DIV, TN_IOP_DIV_U, TN_IOP_DIV_F, TN_IOP_DIV_D, true, true, false},
    {TN_OP_MOD, TN_IOP_MOD, TN_IOP_MOD_U, TN_IOP_MOV, TN_IOP_MOV, false, true, false},
    {TN_OP_FLOORDIV, TN_IOP_FLOORDIV, TN_IOP_DIV_U, TN_IOP_MOV, TN_IOP_MOV, false, true, false},
    {TN_OP_FLOORMOD, TN_IOP_FLOORMOD, TN_IOP_MOD_U, TN_IOP_MOV, TN_IOP_MOV, false, true, false},
    {TN_OP_MIN, TN_IOP_MIN, TN_IOP_MIN_U, TN_IOP_MIN_F, TN_IOP_MIN_D, true, false, false},
    {TN_OP_MAX, TN_IOP_MAX, TN_IOP_MAX_U, TN_IOP_MAX_F, TN_IOP_MAX_D, true, false, false},
    {TN_OP_EQ, TN_IOP_EQ, TN_IOP_EQ, TN_IOP_EQ_F, TN_IOP_EQ_D, true, false, false},
    {TN_OP_NE, TN_IOP_NE, TN_IOP_NE, TN_IOP_NE_F, TN_IOP_NE_D, true, false, false},
    {TN_OP_LT, TN_IOP_LT, TN_IOP_LT_U, TN_IOP_LT_F, TN_IOP_LT_D, true, false, false},
    {TN_OP_LE, TN_IOP_LE, TN_IOP_LE_U, TN_IOP_LE_F, TN_IOP_LE_D, true, false, false},
    {TN_OP_GT, TN_IOP_LT, TN_IOP_LT_U, TN_IOP_LT_F, TN_IOP_LT_D, true, false, true},
    {TN_OP_GE, TN_IOP_LE, TN_IOP_LE_U, TN_IOP_LE_F, TN_IOP_LE_D, true, false, true},
    {TN_OP_AND, TN_IOP_BAND, TN_IOP_BAND, TN_IOP_MOV, TN_IOP_MOV, false, false,
     false}, /* vectors of bools */
    {TN_OP_OR, TN_IOP_BOR, TN_IOP_BOR, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
    {TN_OP_NOT, TN_IOP_NOT, TN_IOP_NOT, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
    {TN_OP_NEG, TN_IOP_NEG, TN_IOP_NEG, TN_IOP_NEG_F, TN_IOP_NEG_D, true, true, false},
    {TN_OP_BAND, TN_IOP_BAND, TN_IOP_BAND, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
    {TN_OP_BOR, TN_IOP_BOR, TN_IOP_BOR, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
    {TN_OP_BXOR, TN_IOP_BXOR, TN_IOP_BXOR, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
    {TN_OP_BNOT, TN_IOP_BNOT, TN_IOP_BNOT, TN_IOP_MOV, TN_IOP_MOV, false, true, false},
    {TN_OP_SHL, TN_IOP_SHL, TN_IOP_SHL, TN_IOP_MOV, TN_IOP_MOV, false, true, false},
    {TN_OP_SHR, TN_IOP_SHR, TN_IOP_SHR_U, TN_IOP_MOV, TN_IOP_MOV, false, false, false},
};

static const op_row *find_row(const tn_node *n) {
  for (size_t i = 0; i < sizeof op_rows / sizeof op_rows[0]; ++i) {
    if (op_rows[i].op == (tn_op)n->op) {
      return &op_rows[i];
    }
  }
  return NULL;
}

/* int32 is what indices are made of: its +, -, * wrap by themselves. */
static bool int32_op(tn_op op, tn_iop *out) {
  switch (op) {
    case TN_OP_ADD:
      *out = TN_IOP_ADD_I32;
      return true;
    case TN_OP_SUB:
      *out = TN_IOP_SUB_I32;
      return true;
    case TN_OP_MUL:
      *out = TN_IOP_MUL_I32;
      return true;
    default:
      return false;
  }
}

void tn_icomp_norm(tn_icomp *c, tn_dtype dtype, int32_t slot) {
  tn_iop op = TN_IOP_MOV;
  switch (tn_dtype_elem(dtype)) {
    case TN_DT_I8:
      op = TN_IOP_WRAP_I8;
      break;
    case TN_DT_I16:
      op = TN_IOP_WRAP_I16;
      break;
    case TN_DT_I32:
      op = TN_IOP_WRAP_I32;
      break;
    case TN_DT_I4:
      op = TN_IOP_WRAP_I4;
      break;
    case TN_DT_U4:
      op = TN_IOP_WRAP_U4;
      break;
    case TN_DT_U8:
      op = TN_IOP_WRAP_U8;
      break;
    case TN_DT_U16:
      op = TN_IOP_WRAP_U16;
      break;
    case TN_DT_U32:
      op = TN_IOP_WRAP_U32;
      break;
    case TN_DT_BOOL:
      op = TN_IOP_WRAP_BOOL;
      break;
    case TN_DT_F16:
      op = TN_IOP_ROUND_F16;
      break;
    case TN_DT_BF16:
      op = TN_IOP_ROUND_BF16;
      break;
    default:
      return;
  }
  tn_icomp_emit(c, op, 0, slot, slot, 0, 0);
}

static tn_status unsupported(const tn_icomp *c, const tn_node *n) {
  char text[TN_DTYPE_TEXT_BYTES];
  return tn_icomp_error(c, TN_UNSUPPORTED, "the interpreter has no '%s' of %s",
                        tn_op_info_get((tn_op)n->op)->text, tn_dtype_print(n->dtype, text));
}

static tn_status operator(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const op_row *row = find_row(n);
  if (row == NULL) { /* a text, which has no operands, is one */
    return unsupported(c, n);
  }
  tn_dtype elem = tn_dtype_elem(n->in[TN_A]->dtype);
  bool is_float = tn_dtype_is_float(elem);
  if ((is_float && !row->has_float) || tn_dtype_is_storage(elem)) {
    return unsupported(c, n);
  }
  tn_iop op = !is_float           ? (elem == TN_DT_U64 ? row->u : row->i)
              : elem == TN_DT_F64 ? row->d
                                  : row->f;
  bool wraps = row->is_wrapping || (is_float && elem != TN_DT_F64);
  if (elem == TN_DT_I32 && int32_op((tn_op)n->op, &op)) {
    wraps = false;
  }
  tn_ival a = {0};
  tn_ival b = {0};
  TN_TRY(tn_icomp_expr(c, n->in[TN_A], &a));
  b = a;
  if (n->n_in == 2) {
    TN_TRY(tn_icomp_expr(c, n->in[TN_B], &b));
  }
  if (row->is_swapped) {
    tn_ival t = a;
    a = b;
    b = t;
  }
  uint32_t lanes = tn_dtype_lanes(n->dtype);
  *out = tn_icomp_new_value(c, lanes);
  for (uint32_t l = 0; l < lanes; ++l) {
    int32_t d = tn_icomp_lane(c, *out, l);
    tn_icheck_divisor(c, op, d, tn_icomp_lane(c, b, l));
    tn_icomp_emit(c, op, tn_dtype_bits(elem), d, tn_icomp_lane(c, a, l), tn_icomp_lane(c, b, l), 0);
    if (wraps) {
      tn_icomp_norm(c, n->dtype, d);
    }
  }
  return NULL;
}

/* ---- what may not be evaluated ---- */

/* The branch's values into `dst`, in a scope of their own. */
static tn_status branch(tn_icomp *c, const tn_node *n, tn_ival dst) {
  tn_iscope scope = tn_icomp_enter(c);
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, n, &value));
  for (uint32_t l = 0; l < dst.lanes; ++l) {
    tn_icomp_emit(c, TN_IOP_MOV, 0, tn_icomp_lane(c, dst, l), tn_icomp_lane(c, value, l), 0, 0);
  }
  tn_icomp_leave(c, scope);
  return NULL;
}

static tn_status lazy_and_or(tn_icomp *c, const tn_node *n, tn_ival *out) {
  *out = tn_icomp_new_value(c, 1);
  int32_t d = tn_icomp_lane(c, *out, 0);
  int32_t a = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[TN_A], &a));
  tn_icomp_emit(c, TN_IOP_MOV, 0, d, a, 0, 0);
  int32_t skip = tn_icomp_emit(c, tn_is(n, TN_OP_AND) ? TN_IOP_JZ : TN_IOP_JNZ, 0, 0, d, 0, 0);
  TN_TRY(branch(c, n->in[TN_B], *out));
  tn_icomp_land(c, skip);
  return NULL;
}

static tn_status if_then_else(tn_icomp *c, const tn_node *n, tn_ival *out) {
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  int32_t cond = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[TN_SELECT_COND], &cond));
  int32_t to_else = tn_icomp_emit(c, TN_IOP_JZ, 0, 0, cond, 0, 0);
  TN_TRY(branch(c, n->in[TN_SELECT_A], *out));
  int32_t to_end = tn_icomp_emit(c, TN_IOP_JMP, 0, 0, 0, 0, 0);
  tn_icomp_land(c, to_else);
  TN_TRY(branch(c, n->in[TN_SELECT_B], *out));
  tn_icomp_land(c, to_end);
  return NULL;
}

static tn_status choose(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival cond = {0};
  tn_ival a = {0};
  tn_ival b = {0};
  TN_TRY(tn_icomp_expr(c, n->in[TN_SELECT_COND], &cond));
  TN_TRY(tn_icomp_expr(c, n->in[TN_SELECT_A], &a));
  TN_TRY(tn_icomp_expr(c, n->in[TN_SELECT_B], &b));
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  for (uint32_t l = 0; l < out->lanes; ++l) {
    tn_icomp_emit(c, TN_IOP_SELECT, 0, tn_icomp_lane(c, *out, l), tn_icomp_lane(c, a, l),
                  tn_icomp_lane(c, b, l), tn_icomp_lane(c, cond, l));
  }
  return NULL;
}

/* ---- vectors ---- */

static tn_status ramp(tn_icomp *c, const tn_node *n, tn_ival *out) {
  int32_t base = 0;
  int32_t stride = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[TN_RAMP_BASE], &base));
  TN_TRY(tn_icomp_scalar(c, n->in[TN_RAMP_STRIDE], &stride));
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  int32_t last = base;
  for (uint32_t l = 0; l < out->lanes; ++l) {
    int32_t d = tn_icomp_lane(c, *out, l);
    if (l == 0) {
      tn_icomp_emit(c, TN_IOP_MOV, 0, d, base, 0, 0);
    } else {
      tn_icomp_emit(c, TN_IOP_ADD, 0, d, last, stride, 0);
      tn_icomp_norm(c, n->dtype, d);
    }
    last = d;
  }
  return NULL;
}

static tn_status shuffle(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_node *vectors = n->in[TN_SHUFFLE_VECTORS];
  const tn_node *indices = n->in[TN_SHUFFLE_INDICES];
  TN_VEC(int32_t) joined = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; st == NULL && i < vectors->n_in; ++i) {
    tn_ival value = {0};
    st = tn_icomp_expr(c, vectors->in[i], &value);
    for (uint32_t l = 0; st == NULL && l < tn_dtype_lanes(vectors->in[i]->dtype); ++l) {
      TN_VEC_PUSH(&joined, tn_icomp_lane(c, value, l));
    }
  }
  *out = (tn_ival){.lanes = indices->n_in, .first = (uint32_t)c->slots.len};
  for (uint32_t i = 0; st == NULL && i < indices->n_in; ++i) {
    const tn_node *index = indices->in[i];
    if (!tn_is(index, TN_OP_INT) || index->attr.i64 < 0 || (size_t)index->attr.i64 >= joined.len) {
      st = tn_icomp_error(c, TN_INVALID, "index %u of Shuffle is no literal below %zu", i,
                          joined.len);
    } else {
      TN_VEC_PUSH(&c->slots, joined.data[index->attr.i64]);
    }
  }
  TN_VEC_DEINIT(&joined);
  return st;
}

/* ---- leaves and the rest ---- */

static tn_status literal(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ireg value = {.i = n->attr.i64};
  if (tn_is(n, TN_OP_FLOAT) && n->dtype == TN_DT_F64) {
    value.d = n->attr.f64;
  } else if (tn_dtype_is_small_float(n->dtype)) {
    value.u = tn_f32_to_small(tn_small_float_find(n->dtype), (float)n->attr.f64);
  } else if (tn_is(n, TN_OP_FLOAT)) {
    value.u = 0;
    value.f = (float)n->attr.f64;
  }
  *out = tn_icomp_slot_value(c, tn_icomp_const(c, value));
  return NULL;
}

static tn_status let(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, n->in[TN_LET_VALUE], &value));
  tn_icomp_bind(c, n->in[TN_LET_VAR], value);
  tn_icheck_bind(c, n->in[TN_LET_VAR], n->in[TN_LET_VALUE]);
  return tn_icomp_expr(c, n->in[TN_LET_BODY], out);
}

static tn_status compute(tn_icomp *c, const tn_node *n, tn_ival *out) {
  switch ((tn_op)n->op) {
    case TN_OP_INT:
    case TN_OP_FLOAT:
      return literal(c, n, out);
    case TN_OP_VAR:
      return tn_icomp_error(c, TN_INVALID, "variable '%s' has no value here", n->attr.text);
    case TN_OP_AND:
    case TN_OP_OR:
      return tn_dtype_lanes(n->dtype) == 1 ? lazy_and_or(c, n, out) : operator(c, n, out);
    case TN_OP_CAST:
      return tn_icomp_cast(c, n, out);
    case TN_OP_REINTERPRET:
      return tn_icomp_reinterpret(c, n, out);
    case TN_OP_SELECT:
      return choose(c, n, out);
    case TN_OP_IF_THEN_ELSE:
      return if_then_else(c, n, out);
    case TN_OP_RAMP:
      return ramp(c, n, out);
    case TN_OP_BROADCAST:
      return tn_icomp_expr(c, n->in[0], out); /* one slot for all lanes */
    case TN_OP_SHUFFLE:
      return shuffle(c, n, out);
    case TN_OP_LET:
      return let(c, n, out);
    case TN_OP_LOAD:
      return tn_icomp_load(c, n, out);
    case TN_OP_INTRIN:
      return tn_icomp_intrin(c, n, out);
    case TN_OP_INVOKE:
      return tn_icomp_invoke(c, n, out);
    default:
      return operator(c, n, out);
  }
}

/* Wide vectors cost an instruction a lane: what would fill the memory is refused. */
enum { MAX_CODE = 1 << 24 };

tn_status tn_icomp_expr(tn_icomp *c, const tn_node *n, tn_ival *out) {
  uint32_t at = c->memo[n->id];
  if (at != 0) {
    tn_ival known = c->vals.data[at - 1];
    if ((n->flags & TN_NF_READS) == 0 || known.epoch == c->epoch) {
      *out = known;
      return NULL;
    }
  }
  TN_TRY(compute(c, n, out));
  tn_icomp_bind(c, n, *out);
  if (c->prog->code.len > MAX_CODE) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "it needs more than %d instructions", (int)MAX_CODE);
  }
  return NULL;
}

tn_status tn_icomp_scalar(tn_icomp *c, const tn_node *n, int32_t *out_slot) {
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, n, &value));
  if (tn_dtype_lanes(n->dtype) != 1) {
    return tn_icomp_error(c, TN_INVALID, "a vector of %u lanes stands where one value is needed",
                          value.lanes);
  }
  *out_slot = tn_icomp_lane(c, value, 0);
  return NULL;
}
