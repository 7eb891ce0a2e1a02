/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Typed construction of expressions: what the language means by `a + b`. The text reader, operators
 * and tests come through here, so that a program means the same whoever built it. Nothing is folded
 * but casts of literals. */
#include "tir/tir.h"

#include "arith/arith.h"
#include "tir/tir_priv.h"

static const tn_attr no_attr = {0};

/* ---- types ---- */

/* What is computed with; storage types are only cast. */
static bool is_number(tn_dtype dt) {
  return dt != TN_DT_NONE && !tn_dtype_is_handle(dt) && !tn_dtype_is_storage(dt);
}
static bool is_castable(tn_dtype dt) { return is_number(dt) || tn_dtype_is_storage(dt); }
static bool is_integer(tn_dtype dt) {
  return (tn_dtype_is_int(dt) || tn_dtype_is_uint(dt)) && !tn_dtype_is_packed(dt);
}

static bool fits(int64_t value, tn_dtype dt) {
  uint32_t bits = tn_dtype_bits(dt);
  if (tn_dtype_is_uint(dt)) {
    return value >= 0 && (bits >= 63 || value >> bits == 0);
  }
  return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

/* The type that `n` has beside `other`: a bare literal (int32) takes the other's integer type when
 * its value fits. */
static tn_dtype type_beside(const tn_node *n, const tn_node *other) {
  const tn_node *value = tn_is(n, TN_OP_BROADCAST) ? n->in[0] : n;
  if (tn_is(value, TN_OP_INT) && value->dtype == TN_DT_I32 && is_integer(other->dtype) &&
      fits(value->attr.i64, other->dtype)) {
    return tn_dtype_with_lanes(other->dtype, tn_dtype_lanes(n->dtype));
  }
  return n->dtype;
}

static bool common_elem(tn_dtype a, tn_dtype b, tn_dtype *out) {
  if (a == b) {
    *out = a;
  } else if (!is_number(a) || !is_number(b)) {
    return false;
  } else if (tn_dtype_is_bool(a) || tn_dtype_is_bool(b)) {
    *out = tn_dtype_is_bool(a) ? b : a;
  } else if (tn_dtype_is_float(a) != tn_dtype_is_float(b)) {
    *out = tn_dtype_is_float(a) ? a : b;
  } else if (tn_dtype_bits(a) != tn_dtype_bits(b)) {
    *out = tn_dtype_bits(a) > tn_dtype_bits(b) ? a : b;
  } else { /* float16 with bfloat16; int with uint */
    *out = tn_dtype_is_float(a) ? TN_DT_F32 : tn_dtype_is_uint(a) ? a : b;
  }
  return true;
}

static bool common_type(tn_dtype a, tn_dtype b, tn_dtype *out) {
  uint32_t lanes_a = tn_dtype_lanes(a);
  uint32_t lanes_b = tn_dtype_lanes(b);
  if (lanes_a != lanes_b && lanes_a != 1 && lanes_b != 1) {
    return false;
  }
  if (!common_elem(tn_dtype_elem(a), tn_dtype_elem(b), out)) {
    return false;
  }
  *out = tn_dtype_with_lanes(*out, lanes_a > lanes_b ? lanes_a : lanes_b);
  return true;
}

/* Casts and broadcasts a number to `dtype`; the caller knows that lanes fit. */
static tn_status convert(tn_ir *ir, const tn_node *n, tn_dtype dtype, const tn_node **out) {
  tn_dtype elem = tn_dtype_with_lanes(dtype, tn_dtype_lanes(n->dtype));
  TN_TRY(tn_tir_cast(ir, elem, n, out));
  return elem == dtype ? NULL : tn_tir_broadcast(ir, *out, tn_dtype_lanes(dtype), out);
}

static tn_status refuse(const char *what, const char *wanted, tn_dtype got) {
  char text[TN_DTYPE_TEXT_BYTES];
  tn_dtype_print(got, text);
  if (tn_dtype_is_storage(got)) {
    return TN_ERR(TN_UNSUPPORTED, "'%s' of %s, in which nothing is computed: cast it first", what,
                  text);
  }
  return TN_ERR(TN_INVALID, "'%s' takes %s, not %s", what, wanted, text);
}

static tn_status match(tn_ir *ir, const char *what, const tn_node **a, const tn_node **b) {
  tn_dtype dtype = TN_DT_NONE;
  bool is_mixed = (*a)->dtype != (*b)->dtype;
  if (is_mixed && tn_dtype_is_storage((*a)->dtype) && is_castable((*b)->dtype)) {
    return refuse(what, "numbers", (*a)->dtype);
  }
  if (is_mixed && tn_dtype_is_storage((*b)->dtype) && is_castable((*a)->dtype)) {
    return refuse(what, "numbers", (*b)->dtype);
  }
  if (!common_type(type_beside(*a, *b), type_beside(*b, *a), &dtype)) {
    char text_a[TN_DTYPE_TEXT_BYTES];
    char text_b[TN_DTYPE_TEXT_BYTES];
    return TN_ERR(TN_INVALID, "'%s' cannot take %s and %s", what,
                  tn_dtype_print((*a)->dtype, text_a), tn_dtype_print((*b)->dtype, text_b));
  }
  TN_TRY(convert(ir, *a, dtype, a));
  return convert(ir, *b, dtype, b);
}

/* ---- operators ---- */

static tn_status widen_bool(tn_ir *ir, const tn_node **a) {
  if (!tn_dtype_is_bool((*a)->dtype)) {
    return NULL;
  }
  return tn_tir_cast(ir, tn_dtype_with_lanes(TN_DT_I32, tn_dtype_lanes((*a)->dtype)), *a, a);
}

/* // and % of floats are built from what they mean, so that no later stage needs a rule for them:
 * a // b = floor(a / b), a % b = a - floor(a / b) * b, truncmod(a, b) = fmod(a, b). */
static tn_status float_division(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b,
                                const tn_node **out) {
  const tn_node *args[] = {a, b};
  if (op == TN_OP_MOD) {
    return tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_FMOD), TN_DT_NONE, 2, args, out);
  }
  const tn_node *quotient = tn_binary(ir, TN_OP_DIV, a, b);
  TN_TRY(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_FLOOR), TN_DT_NONE, 1, &quotient, out));
  if (op == TN_OP_FLOORMOD) {
    *out = tn_binary(ir, TN_OP_SUB, a, tn_binary(ir, TN_OP_MUL, *out, b));
  }
  return NULL;
}

static bool is_bitwise(tn_op op) { return op == TN_OP_BAND || op == TN_OP_BOR || op == TN_OP_BXOR; }
static bool is_shift(tn_op op) { return op == TN_OP_SHL || op == TN_OP_SHR; }

tn_status tn_tir_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b,
                        const tn_node **out) {
  const char *text = tn_op_info_get(op)->text;
  TN_TRY(match(ir, text, &a, &b));
  bool is_bool = tn_dtype_is_bool(a->dtype);
  if (!is_number(a->dtype) && ((op != TN_OP_EQ && op != TN_OP_NE) || is_castable(a->dtype))) {
    return refuse(text, "numbers", a->dtype);
  }
  if ((op == TN_OP_AND || op == TN_OP_OR) && !is_bool) {
    return refuse(text, "bools", a->dtype);
  }
  if ((is_bitwise(op) || is_shift(op)) && tn_dtype_is_float(a->dtype)) {
    return refuse(text, "integers", a->dtype);
  }
  bool keeps_bool =
      is_bitwise(op) || op == TN_OP_AND || op == TN_OP_OR || op == TN_OP_EQ || op == TN_OP_NE;
  if (is_bool && !keeps_bool) { /* True + True is 2 */
    TN_TRY(widen_bool(ir, &a));
    TN_TRY(widen_bool(ir, &b));
  }
  if (tn_dtype_is_float(a->dtype) &&
      (op == TN_OP_FLOORDIV || op == TN_OP_FLOORMOD || op == TN_OP_MOD)) {
    return float_division(ir, op, a, b, out);
  }
  *out = tn_binary(ir, op, a, b);
  return NULL;
}

tn_status tn_tir_unary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node **out) {
  const char *text = tn_op_info_get(op)->text;
  if (!is_number(a->dtype)) {
    return refuse(text, "a number", a->dtype);
  }
  if (op == TN_OP_NOT && !tn_dtype_is_bool(a->dtype)) {
    return refuse(text, "a bool", a->dtype);
  }
  if (op == TN_OP_BNOT && tn_dtype_is_float(a->dtype)) {
    return refuse(text, "an integer", a->dtype);
  }
  if (op == TN_OP_BNOT && tn_dtype_is_bool(a->dtype)) {
    op = TN_OP_NOT; /* within one bit the two are one */
  }
  if (op == TN_OP_NEG) {
    TN_TRY(widen_bool(ir, &a));
  }
  *out = tn_node_new(ir, op, a->dtype, no_attr, 1, &a);
  return NULL;
}

static bool is_literal(const tn_node *n) { return tn_is(n, TN_OP_INT) || tn_is(n, TN_OP_FLOAT); }

tn_status tn_tir_cast(tn_ir *ir, tn_dtype dtype, const tn_node *a, const tn_node **out) {
  *out = a;
  if (a->dtype == dtype) {
    return NULL;
  }
  uint32_t lanes = tn_dtype_lanes(a->dtype);
  if (!is_castable(dtype) || !is_castable(a->dtype) ||
      (lanes != 1 && lanes != tn_dtype_lanes(dtype))) {
    char from[TN_DTYPE_TEXT_BYTES];
    char to[TN_DTYPE_TEXT_BYTES];
    return TN_ERR(TN_INVALID, "cannot cast %s to %s", tn_dtype_print(a->dtype, from),
                  tn_dtype_print(dtype, to));
  }
  if (lanes != tn_dtype_lanes(dtype)) {
    return convert(ir, a, dtype, out);
  }
  bool is_splat = tn_is(a, TN_OP_BROADCAST) && is_literal(a->in[0]);
  if (is_splat) {
    TN_TRY(tn_tir_cast(ir, tn_dtype_elem(dtype), a->in[0], out));
    return tn_tir_broadcast(ir, *out, lanes, out);
  }
  const tn_node *cast = tn_node_new(ir, TN_OP_CAST, dtype, no_attr, 1, &a);
  const tn_node *folded = is_literal(a) ? tn_arith_fold(ir, cast) : NULL;
  *out = folded != NULL ? folded : cast;
  return NULL;
}

tn_status tn_tir_select(tn_ir *ir, tn_op op, const tn_node *cond, const tn_node *a,
                        const tn_node *b, const tn_node **out) {
  const char *text = tn_op_info_get(op)->text;
  if (!tn_dtype_is_bool(cond->dtype)) {
    return refuse(text, "a bool as condition", cond->dtype);
  }
  TN_TRY(match(ir, text, &a, &b));
  uint32_t lanes_cond = tn_dtype_lanes(cond->dtype);
  uint32_t lanes = tn_dtype_lanes(a->dtype);
  if (op == TN_OP_IF_THEN_ELSE && lanes_cond != 1) {
    return refuse(text, "one bool, since it chooses what is evaluated", cond->dtype);
  }
  if (lanes_cond != 1 && lanes == 1) {
    TN_TRY(tn_tir_broadcast(ir, a, lanes_cond, &a));
    TN_TRY(tn_tir_broadcast(ir, b, lanes_cond, &b));
  } else if (op == TN_OP_SELECT && lanes_cond == 1 && lanes != 1) {
    TN_TRY(tn_tir_broadcast(ir, cond, lanes, &cond));
  } else if (lanes_cond != 1 && lanes_cond != lanes) {
    return TN_ERR(TN_INVALID, "'%s' of %u lanes by a condition of %u", text, lanes, lanes_cond);
  }
  const tn_node *in[] = {[TN_SELECT_COND] = cond, [TN_SELECT_A] = a, [TN_SELECT_B] = b};
  *out = tn_node_new(ir, op, a->dtype, no_attr, 3, in);
  return NULL;
}

/* ---- vectors ---- */

static tn_status check_lanes(const char *what, const tn_node *value, int64_t lanes) {
  if (tn_dtype_lanes(value->dtype) != 1 || value->dtype == TN_DT_NONE) {
    return refuse(what, "one value", value->dtype);
  }
  if (lanes < 2 || lanes > UINT16_MAX) {
    return TN_ERR(TN_INVALID, "'%s' of %lld lanes: a vector has 2 to %d", what, (long long)lanes,
                  UINT16_MAX);
  }
  return NULL;
}

tn_status tn_tir_ramp(tn_ir *ir, const tn_node *base, const tn_node *stride, int64_t lanes,
                      const tn_node **out) {
  TN_TRY(check_lanes("Ramp", base, lanes));
  TN_TRY(check_lanes("Ramp", stride, lanes));
  if (!is_integer(base->dtype) || !is_integer(stride->dtype)) {
    return refuse("Ramp", "integers", is_integer(base->dtype) ? stride->dtype : base->dtype);
  }
  TN_TRY(match(ir, "Ramp", &base, &stride));
  const tn_node *in[] = {[TN_RAMP_BASE] = base, [TN_RAMP_STRIDE] = stride};
  *out = tn_node_new(ir, TN_OP_RAMP, tn_dtype_with_lanes(base->dtype, (uint32_t)lanes), no_attr, 2,
                     in);
  return NULL;
}

tn_status tn_tir_broadcast(tn_ir *ir, const tn_node *value, int64_t lanes, const tn_node **out) {
  TN_TRY(check_lanes("Broadcast", value, lanes));
  *out = tn_node_new(ir, TN_OP_BROADCAST, tn_dtype_with_lanes(value->dtype, (uint32_t)lanes),
                     no_attr, 1, &value);
  return NULL;
}

/* ---- memory ---- */

/* Checks indices and finds the type that one access has. */
static tn_status access_type(const tn_node *buffer, uint32_t n, const tn_node *const *indices,
                             tn_dtype *out) {
  const char *name = buffer->attr.text;
  uint32_t ndim = tn_buffer_ndim(buffer);
  if (n != ndim) {
    return TN_ERR(TN_INVALID, "buffer '%s' has %u dimensions and is accessed with %u indices", name,
                  ndim, n);
  }
  uint32_t lanes = tn_dtype_lanes(buffer->dtype);
  for (uint32_t i = 0; i < n; ++i) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_dtype dtype = indices[i]->dtype;
    if (!is_integer(dtype)) {
      return TN_ERR(TN_INVALID, "index %u of buffer '%s' is %s, not an integer", i, name,
                    tn_dtype_print(dtype, text));
    }
    if (tn_dtype_lanes(dtype) != 1 && i + 1 != n) {
      return TN_ERR(TN_INVALID, "index %u of buffer '%s' is a vector: only the last one may be", i,
                    name);
    }
    lanes *= i + 1 == n ? tn_dtype_lanes(dtype) : 1;
  }
  if (lanes > UINT16_MAX) {
    return TN_ERR(TN_INVALID, "access of %u lanes to buffer '%s': at most %d", lanes, name,
                  UINT16_MAX);
  }
  *out = tn_dtype_with_lanes(buffer->dtype, lanes);
  return NULL;
}

/* NULL becomes NONE; one bool is broadcast to the lanes of the index. */
static tn_status access_predicate(tn_ir *ir, const tn_node *buffer, tn_dtype access,
                                  const tn_node **predicate) {
  if (*predicate == NULL || tn_is_none(*predicate)) {
    *predicate = tn_none(ir);
    return NULL;
  }
  uint32_t lanes = tn_dtype_lanes(access) / tn_dtype_lanes(buffer->dtype);
  uint32_t got = tn_dtype_lanes((*predicate)->dtype);
  if (!tn_dtype_is_bool((*predicate)->dtype) || (got != 1 && got != lanes)) {
    char text[TN_DTYPE_TEXT_BYTES];
    return TN_ERR(TN_INVALID, "predicate of an access to buffer '%s' is %s, not %u bools",
                  buffer->attr.text, tn_dtype_print((*predicate)->dtype, text), lanes);
  }
  return got == lanes ? NULL : tn_tir_broadcast(ir, *predicate, lanes, predicate);
}

static const tn_node *access_new(tn_ir *ir, tn_op op, tn_dtype dtype, uint32_t n_head,
                                 const tn_node *const *head, uint32_t n_indices,
                                 const tn_node *const *indices) {
  const tn_node *in[TN_STORE_INDICES + TN_MAX_NDIM];
  TN_ASSERT(n_indices <= TN_MAX_NDIM, "%u indices", n_indices);
  for (uint32_t i = 0; i < n_head; ++i) {
    in[i] = head[i];
  }
  for (uint32_t i = 0; i < n_indices; ++i) {
    in[n_head + i] = indices[i];
  }
  return tn_node_new(ir, op, dtype, no_attr, n_head + n_indices, in);
}

static tn_status check_ndim(const tn_node *buffer, uint32_t n_indices) {
  if (n_indices > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "buffer '%s' has %u dimensions: at most %d", buffer->attr.text,
                  n_indices, TN_MAX_NDIM);
  }
  return NULL;
}

tn_status tn_tir_load(tn_ir *ir, const tn_node *buffer, uint32_t n_indices,
                      const tn_node *const *indices, const tn_node *predicate,
                      const tn_node **out) {
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(check_ndim(buffer, n_indices));
  TN_TRY(access_type(buffer, n_indices, indices, &dtype));
  TN_TRY(access_predicate(ir, buffer, dtype, &predicate));
  const tn_node *head[] = {[TN_LOAD_BUFFER] = buffer, [TN_LOAD_PREDICATE] = predicate};
  *out = access_new(ir, TN_OP_LOAD, dtype, TN_LOAD_INDICES, head, n_indices, indices);
  return NULL;
}

tn_status tn_tir_store(tn_ir *ir, const tn_node *buffer, const tn_node *value, uint32_t n_indices,
                       const tn_node *const *indices, const tn_node *predicate,
                       const tn_node **out) {
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(check_ndim(buffer, n_indices));
  TN_TRY(access_type(buffer, n_indices, indices, &dtype));
  TN_TRY(access_predicate(ir, buffer, dtype, &predicate));
  if (value->dtype != dtype) {
    TN_TRY_MSG(tn_tir_cast(ir, dtype, value, &value), "storing to buffer '%s'", buffer->attr.text);
  }
  const tn_node *head[] = {
      [TN_STORE_BUFFER] = buffer, [TN_STORE_VALUE] = value, [TN_STORE_PREDICATE] = predicate};
  *out = access_new(ir, TN_OP_STORE, TN_DT_NONE, TN_STORE_INDICES, head, n_indices, indices);
  return NULL;
}

/* ---- intrinsics ---- */

/* All arguments take one type, found pairwise from the left. */
static tn_status match_all(tn_ir *ir, const char *name, uint32_t n, const tn_node **args) {
  for (uint32_t i = 1; i < n; ++i) {
    TN_TRY(match(ir, name, &args[0], &args[i]));
  }
  for (uint32_t i = 1; i < n; ++i) { /* the first has the widest type now */
    TN_TRY(convert(ir, args[i], args[0]->dtype, &args[i]));
  }
  return NULL;
}

/* exp(2) means exp(2.0): a literal integer becomes float32 where a float is asked for. */
static tn_status float_literals(tn_ir *ir, uint32_t n, const tn_node **args) {
  for (uint32_t i = 0; i < n; ++i) {
    if (tn_is(args[i], TN_OP_INT) && !tn_dtype_is_bool(args[i]->dtype)) {
      TN_TRY(tn_tir_cast(ir, TN_DT_F32, args[i], &args[i]));
    }
  }
  return NULL;
}

static tn_status math_type(tn_ir *ir, const tn_intrin *intrin, uint32_t n, const tn_node **args,
                           tn_dtype *out) {
  const char *name = intrin->def.name;
  if (intrin->type == TN_IT_FLOAT) {
    bool has_float = false;
    for (uint32_t i = 0; i < n; ++i) {
      has_float = has_float || tn_dtype_is_float(args[i]->dtype);
    }
    TN_TRY(has_float ? NULL : float_literals(ir, n, args));
  }
  TN_TRY(match_all(ir, name, n, args));
  tn_dtype dtype = args[0]->dtype;
  bool wants_float = intrin->type == TN_IT_FLOAT || intrin->type == TN_IT_TEST;
  if (wants_float && !tn_dtype_is_float(dtype)) {
    return refuse(name, "floats", dtype);
  }
  if (intrin->type == TN_IT_INT && !is_integer(dtype)) {
    return refuse(name, "integers", dtype);
  }
  if (!is_number(dtype)) {
    return refuse(name, "numbers", dtype);
  }
  *out =
      intrin->type == TN_IT_TEST ? tn_dtype_with_lanes(TN_DT_BOOL, tn_dtype_lanes(dtype)) : dtype;
  return NULL;
}

static tn_status ldexp_type(tn_ir *ir, const tn_node **args, tn_dtype *out) {
  TN_TRY(float_literals(ir, 1, args));
  uint32_t lanes = tn_dtype_lanes(args[0]->dtype);
  if (!tn_dtype_is_float(args[0]->dtype) || !is_integer(args[1]->dtype) ||
      (lanes != tn_dtype_lanes(args[1]->dtype) && tn_dtype_lanes(args[1]->dtype) != 1)) {
    return TN_ERR(TN_INVALID, "'ldexp' takes a float and an integer");
  }
  *out = args[0]->dtype;
  return convert(ir, args[1], tn_dtype_with_lanes(TN_DT_I32, lanes), &args[1]);
}

static tn_status check_shape(const tn_intrin *intrin, uint32_t n, const tn_node *const *args) {
  const char *name = intrin->def.name;
  if (n < (uint32_t)intrin->min_args || (intrin->max_args >= 0 && n > (uint32_t)intrin->max_args)) {
    return intrin->max_args < 0 ? TN_ERR(TN_INVALID, "'%s' takes at least %d arguments, not %u",
                                         name, intrin->min_args, n)
           : intrin->min_args == intrin->max_args
               ? TN_ERR(TN_INVALID, "'%s' takes %d arguments, not %u", name, intrin->min_args, n)
               : TN_ERR(TN_INVALID, "'%s' takes %d to %d arguments, not %u", name, intrin->min_args,
                        intrin->max_args, n);
  }
  if (intrin->kind == TN_IK_CALL && !tn_is(args[0], TN_OP_STR) &&
      intrin->id != TN_INTRIN_CALL_LLVM_INTRIN && intrin->id != TN_INTRIN_CALL_LLVM_PURE_INTRIN) {
    return TN_ERR(TN_INVALID, "the first argument of '%s' is the name of a function, a text", name);
  }
  if (intrin->id == TN_INTRIN_ADDRESS_OF && !tn_is(args[0], TN_OP_LOAD)) {
    return TN_ERR(TN_INVALID, "'address_of' takes an element of a buffer, as in address_of(A[0])");
  }
  if (intrin->id == TN_INTRIN_ASSUME && args[0]->dtype != TN_DT_BOOL) {
    return refuse(name, "a bool", args[0]->dtype);
  }
  return NULL;
}

tn_status tn_tir_intrin(tn_ir *ir, const tn_intrin *intrin, tn_dtype dtype, uint32_t n_args,
                        const tn_node *const *args, const tn_node **out) {
  enum { MAX_MATH_ARGS = 4 };
  const tn_node *converted[MAX_MATH_ARGS];
  TN_TRY(check_shape(intrin, n_args, args));
  bool is_math = intrin->kind == TN_IK_MATH || intrin->id == TN_INTRIN_LIKELY;
  if (is_math) {
    TN_ASSERT(n_args >= 1 && n_args <= MAX_MATH_ARGS, "%s with %u arguments", intrin->def.name,
              n_args);
    for (uint32_t i = 0; i < n_args; ++i) {
      converted[i] = args[i];
    }
    args = converted;
  }
  switch (intrin->type) {
    case TN_IT_SAME:
    case TN_IT_FLOAT:
    case TN_IT_INT:
    case TN_IT_TEST:
      if (is_math) {
        TN_TRY(math_type(ir, intrin, n_args, converted, &dtype));
      } else {
        dtype = args[0]->dtype;
      }
      break;
    case TN_IT_MIXED:
      dtype = args[0]->dtype;
      TN_TRY(intrin->id == TN_INTRIN_LDEXP ? ldexp_type(ir, converted, &dtype) : NULL);
      break;
    case TN_IT_SECOND:
      dtype = args[1]->dtype;
      break;
    case TN_IT_GIVEN:
    case TN_IT_GIVEN_LAST:
      if (dtype == TN_DT_NONE) {
        dtype = TN_DT_I32; /* T.call_extern("void", ...): a result that nobody reads */
      }
      break;
    case TN_IT_BOOL:
      dtype = TN_DT_BOOL;
      break;
    case TN_IT_HANDLE:
      dtype = TN_DT_HANDLE;
      break;
    case TN_IT_VOID:
      dtype = TN_DT_I32;
      break;
  }
  *out = tn_node_new(ir, TN_OP_INTRIN, dtype, (tn_attr){.def = &intrin->def}, n_args, args);
  return NULL;
}
