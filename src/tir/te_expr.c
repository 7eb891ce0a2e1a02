/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: values. Each function is the language's own construction (tir/build.c) with
 * its status kept by the builder, so that formulas nest. */
#include <math.h>
#include <string.h>

#include "tir/te_priv.h"

/* True when a value can be built of these. */
static bool is_ready(tn_te *te, uint32_t n, const tn_node *const *in) {
  if (te->has_failed) {
    return false;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (in == NULL || in[i] == NULL) {
      return tn_te_keep(te, TN_ERR(TN_INVALID, "a value is NULL"));
    }
    if (in[i]->dtype == TN_DT_NONE || tn_is(in[i], TN_OP_BUFFER)) {
      bool is_tensor = tn_is(in[i], TN_OP_BUFFER);
      return tn_te_keep(te, is_tensor ? TN_ERR(TN_INVALID,
                                               "tensor '%s' stands where a value is wanted: "
                                               "read one of its elements",
                                               in[i]->attr.text)
                                      : TN_ERR(TN_INVALID, "what is no value stands for one"));
    }
  }
  return true;
}

/* value: a pointer, since it is set while the arguments are evaluated. */
static const tn_node *built(tn_te *te, tn_status st, const tn_node *const *value) {
  return st == NULL ? *value : tn_te_fail(te, st);
}

/* ---- numbers ---- */

const tn_node *tn_te_int(tn_te *te, int64_t value) {
  bool is_small = value >= INT32_MIN && value <= INT32_MAX;
  return tn_int(te->ir, is_small ? TN_DT_I32 : TN_DT_I64, value);
}

/* True when the double is a value of the integer type. */
static bool holds(tn_dtype dtype, double value) {
  bool is_signed = tn_dtype_is_int(dtype);
  int bits = (int)tn_dtype_bits(dtype);
  double end = ldexp(1, is_signed ? bits - 1 : bits);
  return value == floor(value) && value < end && value >= (is_signed ? -end : 0);
}

const tn_node *tn_te_number(tn_te *te, tn_dtype dtype, double value) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (te->has_failed) {
    return tn_te_nothing(te);
  }
  if (tn_dtype_is_any_float(dtype)) {
    return tn_float(te->ir, dtype, value);
  }
  bool is_integer = tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype);
  if (!is_integer) {
    return tn_te_fail(te,
                      TN_ERR(TN_INVALID, "%s is no type of numbers", tn_dtype_print(dtype, text)));
  }
  bool is_flag = tn_dtype_is_bool(dtype);
  if (is_flag ? value != 0 && value != 1 : !holds(dtype, value)) {
    return tn_te_fail(
        te, TN_ERR(TN_INVALID, "%s has no value %.17g", tn_dtype_print(dtype, text), value));
  }
  bool is_high = value >= ldexp(1, 63); /* of uint64 */
  return tn_int(te->ir, dtype,
                is_high ? (int64_t)((uint64_t)(value - ldexp(1, 63)) | UINT64_C(1) << 63)
                        : (int64_t)value);
}

/* The least or greatest value of a type. */
static const tn_node *extreme(tn_te *te, tn_dtype dtype, bool is_greatest) {
  if (tn_dtype_is_any_float(dtype)) {
    return tn_te_number(te, dtype, is_greatest ? INFINITY : -INFINITY);
  }
  if (tn_dtype_is_bool(dtype)) {
    return tn_te_number(te, dtype, is_greatest);
  }
  uint32_t bits = tn_dtype_bits(dtype);
  bool is_integer = tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype);
  if (te->has_failed || !is_integer || bits == 0) {
    return tn_te_number(te, dtype, 0); /* its message */
  }
  if (!tn_dtype_is_int(dtype)) {
    return tn_int(te->ir, dtype, is_greatest ? (int64_t)(UINT64_MAX >> (64 - bits)) : 0);
  }
  int64_t least = (int64_t)(UINT64_MAX << (bits - 1));
  return tn_int(te->ir, dtype, is_greatest ? -(least + 1) : least);
}

const tn_node *tn_te_least(tn_te *te, tn_dtype dtype) { return extreme(te, dtype, false); }
const tn_node *tn_te_greatest(tn_te *te, tn_dtype dtype) { return extreme(te, dtype, true); }

/* ---- operators ---- */

const tn_node *tn_te_op(tn_te *te, tn_op op, const tn_node *a, const tn_node *b) {
  const tn_node *out = NULL;
  if (!is_ready(te, 2, (const tn_node *[]){a, b})) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_binary(te->ir, op, a, b, &out), &out);
}

/* NAME(te, a, b) is a OP b. */
#define BINARY(name, op)                                                       \
  const tn_node *tn_te_##name(tn_te *te, const tn_node *a, const tn_node *b) { \
    return tn_te_op(te, TN_OP_##op, a, b);                                     \
  }
BINARY(add, ADD)
BINARY(sub, SUB)
BINARY(mul, MUL)
BINARY(div, DIV)
BINARY(floordiv, FLOORDIV)
BINARY(floormod, FLOORMOD)
BINARY(min, MIN)
BINARY(max, MAX)
BINARY(eq, EQ)
BINARY(ne, NE)
BINARY(lt, LT)
BINARY(le, LE)
BINARY(gt, GT)
BINARY(ge, GE)
BINARY(and, AND)
BINARY(or, OR)

static const tn_node *extremum(tn_te *te, tn_op op, const tn_node *a, const tn_node *b) {
  const tn_node *out = NULL;
  if (!is_ready(te, 2, (const tn_node *[]){a, b})) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_extremum(te->ir, op, a, b, &out), &out);
}

const tn_node *tn_te_minimum(tn_te *te, const tn_node *a, const tn_node *b) {
  return extremum(te, TN_OP_MIN, a, b);
}

const tn_node *tn_te_maximum(tn_te *te, const tn_node *a, const tn_node *b) {
  return extremum(te, TN_OP_MAX, a, b);
}

static const tn_node *unary(tn_te *te, tn_op op, const tn_node *a) {
  const tn_node *out = NULL;
  if (!is_ready(te, 1, &a)) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_unary(te->ir, op, a, &out), &out);
}

const tn_node *tn_te_not(tn_te *te, const tn_node *a) { return unary(te, TN_OP_NOT, a); }
const tn_node *tn_te_neg(tn_te *te, const tn_node *a) { return unary(te, TN_OP_NEG, a); }

const tn_node *tn_te_cast(tn_te *te, tn_dtype dtype, const tn_node *a) {
  const tn_node *out = NULL;
  if (!is_ready(te, 1, &a)) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_cast(te->ir, dtype, a, &out), &out);
}

static const tn_node *choice(tn_te *te, tn_op op, const tn_node *cond, const tn_node *a,
                             const tn_node *b) {
  const tn_node *out = NULL;
  if (!is_ready(te, 3, (const tn_node *[]){cond, a, b})) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_select(te->ir, op, cond, a, b, &out), &out);
}

const tn_node *tn_te_select(tn_te *te, const tn_node *cond, const tn_node *a, const tn_node *b) {
  return choice(te, TN_OP_SELECT, cond, a, b);
}

const tn_node *tn_te_if_then_else(tn_te *te, const tn_node *cond, const tn_node *a,
                                  const tn_node *b) {
  return choice(te, TN_OP_IF_THEN_ELSE, cond, a, b);
}

/* ---- calls ---- */

const tn_node *tn_te_intrin(tn_te *te, tn_intrin_id id, uint32_t n_args,
                            const tn_node *const *args) {
  const tn_node *out = NULL;
  if (!is_ready(te, n_args, args)) {
    return tn_te_nothing(te);
  }
  return built(te, tn_tir_intrin(te->ir, tn_intrin_get(id), TN_DT_NONE, n_args, args, &out), &out);
}

static tn_status no_function(const char *name) {
  TN_VEC(const char *) names = {0};
  uint32_t n = 0;
  const tn_intrin *all = tn_intrin_all(&n);
  for (uint32_t i = 0; i < n; ++i) {
    if (all[i].kind == TN_IK_MATH) {
      TN_VEC_PUSH(&names, all[i].def.name);
    }
  }
  const char *near = tn_near_name(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return near != NULL
             ? TN_ERR(TN_NOT_FOUND, "no function of numbers is called '%s': did you mean '%s'?",
                      name, near)
             : TN_ERR(TN_NOT_FOUND, "no function of numbers is called '%s'", name);
}

const tn_node *tn_te_call(tn_te *te, const char *name, uint32_t n_args,
                          const tn_node *const *args) {
  if (te->has_failed) {
    return tn_te_nothing(te);
  }
  const tn_intrin *intrin = name != NULL ? tn_intrin_find(name) : NULL;
  if (intrin == NULL || intrin->kind != TN_IK_MATH) {
    return tn_te_fail(te, no_function(name != NULL ? name : ""));
  }
  return tn_te_intrin(te, intrin->id, n_args, args);
}

/* ---- elements ---- */

/* A bare integer that indexes a dimension of 64 bits has 64 itself. */
static const tn_node *index_of(tn_te *te, const tn_node *index, const tn_node *extent) {
  bool is_bare = tn_is(index, TN_OP_INT) && index->dtype == TN_DT_I32;
  return is_bare ? tn_int(te->ir, extent->dtype, index->attr.i64) : index;
}

const tn_node *tn_te_read(tn_te *te, const tn_node *tensor, uint32_t n_indices,
                          const tn_node *const *indices) {
  const tn_node *out = NULL;
  const tn_node *at[TN_MAX_NDIM];
  if (!is_ready(te, n_indices, indices)) {
    return tn_te_nothing(te);
  }
  const tn_te_tensor *found = tensor != NULL ? tn_te_find_tensor(te, tensor) : NULL;
  if (found == NULL) {
    return tn_te_fail(te, TN_ERR(TN_INVALID, "what is read from is no tensor of this builder"));
  }
  uint32_t ndim = tn_buffer_ndim(tensor);
  if (n_indices != ndim) {
    return tn_te_fail(te, TN_ERR(TN_INVALID, "tensor '%s' has %u dimensions, not %u",
                                 tensor->attr.text, ndim, n_indices));
  }
  for (uint32_t d = 0; d < ndim; ++d) {
    at[d] = index_of(te, indices[d], tensor->in[TN_BUFFER_SHAPE]->in[d]);
  }
  return built(te, tn_tir_load(te->ir, tensor, ndim, at, NULL, &out), &out);
}

const tn_node *tn_te_load(tn_te *te, const tn_node *tensor, const tn_node *const *indices) {
  bool is_tensor = tn_is(tensor, TN_OP_BUFFER);
  return tn_te_read(te, tensor, is_tensor ? tn_buffer_ndim(tensor) : 0, indices);
}
