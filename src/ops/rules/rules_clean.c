/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* clean_graph, first half: arithmetic that does nothing, casts, limits, choices that are known. What
 * an exact rule leaves has the same bits; remember that 0 + -0 is 0, that relu and clip keep -0 and
 * NaN, and that casts of floats to integers saturate where those of integers wrap. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/families.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"

static bool is_one_of(const tn_node *call, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (call->op == TN_OP_CALL && strcmp(call->attr.def->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}
#define IS_ONE_OF(call, names) is_one_of((call), (names), sizeof(names) / sizeof *(names))

/* ---- tuples ---- */

const tn_node *tn_rule_item_of_tuple(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *tuple = tn_rewrite_def(r, call->in[0]);
  bool is_there = tuple != NULL && tuple->op == TN_OP_TUPLE && call->attr.i64 < tuple->n_in;
  return is_there ? tuple->in[call->attr.i64] : NULL;
}

const tn_node *tn_rule_no_dropout(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *dropout = tn_rewrite_call(r, call->in[0], "nn.dropout");
  return dropout == NULL || call->attr.i64 != 0 ? NULL : tn_call_arg(dropout, 0);
}

/* ---- casts ---- */

const tn_node *tn_rule_cast_to_same(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *x = tn_call_arg(call, 0);
  tn_dtype dtype = tn_rewrite_dtype(r, x);
  return dtype != TN_DT_NONE && dtype == tn_rewrite_dtype(r, call) ? x : NULL;
}

/* Bits of the integers that a float type holds exactly, sign apart. */
static uint32_t exact_int_bits(tn_dtype dtype) {
  switch (dtype) {
    case TN_DT_BF16:
      return 8;
    case TN_DT_F16:
      return 11;
    case TN_DT_F32:
      return 24;
    default:
      return dtype == TN_DT_F64 ? 53 : 0;
  }
}

static bool is_integer(tn_dtype dtype) {
  return tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype);
}

/* Bits of an integer type's numbers, sign apart. */
static uint32_t magnitude_bits(tn_dtype dtype) {
  return tn_dtype_is_bool(dtype) ? 1 : tn_dtype_bits(dtype) - (tn_dtype_is_int(dtype) ? 1 : 0);
}

/* Every value of `from` is one of `to`. float16 and bfloat16 do not hold each other. */
static bool holds_all(tn_dtype from, tn_dtype to) {
  if (tn_dtype_is_storage(from) || tn_dtype_is_storage(to) || tn_dtype_is_bool(to)) {
    return from == to;
  }
  if (is_integer(from) && tn_dtype_is_float(to)) {
    return magnitude_bits(from) <= exact_int_bits(to);
  }
  if (is_integer(from) && is_integer(to)) {
    bool loses_sign = tn_dtype_is_int(from) && tn_dtype_is_uint(to);
    return !loses_sign && magnitude_bits(from) <= magnitude_bits(to);
  }
  bool is_wider = tn_dtype_bits(from) < tn_dtype_bits(to) || from == to;
  return tn_dtype_is_float(from) && tn_dtype_is_float(to) && is_wider;
}

const tn_node *tn_rule_cast_of_cast(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *inner = tn_rewrite_call(r, tn_call_arg(call, 0), "astype");
  if (inner == NULL) {
    return NULL;
  }
  const tn_node *x = tn_call_arg(inner, 0);
  tn_dtype from = tn_rewrite_dtype(r, x);
  tn_dtype by = tn_rewrite_dtype(r, inner);
  tn_dtype to = tn_rewrite_dtype(r, call);
  bool is_exact = from != TN_DT_NONE && holds_all(from, by) && !tn_dtype_is_storage(to);
  if (is_integer(from) && tn_dtype_is_float(by) && is_integer(to)) {
    is_exact = is_exact && (holds_all(from, to) || tn_dtype_is_bool(to));
  }
  return is_exact ? tn_rewrite_again(r, call, 1, &x) : NULL;
}

/* ---- quantisation ---- */

static bool same_constant(const tn_node *a, const tn_node *b) {
  const tn_array *x = tn_rewrite_array(a);
  const tn_array *y = tn_rewrite_array(b);
  return x != NULL && y != NULL && tn_array_equal(x, y);
}

/* Neither so small nor so large that a product of it and 255 is not a number near the real one. */
static bool are_moderate_scales(const tn_node *scale) {
  const tn_array *array = tn_rewrite_array(scale);
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    double s = tn_array_get_f64(array, i);
    if (!(s >= 1e-30 && s <= 1e30)) {
      return false;
    }
  }
  return true;
}

/* (x - z) * s / s is off by three roundings of float32 at most: for 8 bits far from the next half. */
const tn_node *tn_rule_same_quantised(tn_rewrite_run *r, const tn_node *call) {
  static const char *const fields[] = {"axis", "block_size"};
  const tn_node *inner = tn_rewrite_call(r, tn_call_arg(call, 0), "dequantize");
  if (inner == NULL || tn_rewrite_dtype(r, inner) != TN_DT_F32) {
    return NULL;
  }
  const tn_node *x = tn_call_arg(inner, 0);
  tn_dtype dtype = tn_rewrite_dtype(r, x);
  bool is_same = (dtype == TN_DT_I8 || dtype == TN_DT_U8) && dtype == tn_rewrite_dtype(r, call);
  for (uint32_t i = 1; i < 3; ++i) {
    is_same = is_same && same_constant(tn_call_arg(call, i), tn_call_arg(inner, i));
  }
  for (size_t i = 0; is_same && i < sizeof fields / sizeof *fields; ++i) {
    is_same = tn_rule_int(call, fields[i]) == tn_rule_int(inner, fields[i]);
  }
  return is_same && are_moderate_scales(tn_call_arg(call, 1)) ? x : NULL;
}

/* ---- the same again ---- */

static const tn_node *same_inside(const tn_rewrite_run *r, const tn_node *call) {
  return call->in[TN_CALL_ARGS]->n_in != 1
             ? NULL
             : tn_rewrite_call(r, tn_call_arg(call, 0), call->attr.def->name);
}

const tn_node *tn_rule_twice_is_once(tn_rewrite_run *r, const tn_node *call) {
  static const char *const names[] = {"abs",  "ceil",     "floor", "nn.relu",
                                      "sign", "nn.relu6", "round", "trunc"};
  return IS_ONE_OF(call, names) && same_inside(r, call) != NULL ? tn_call_arg(call, 0) : NULL;
}

const tn_node *tn_rule_twice_is_nothing(tn_rewrite_run *r, const tn_node *call) {
  static const char *const names[] = {"negative", "logical_not", "bitwise_not"};
  const tn_node *inner = IS_ONE_OF(call, names) ? same_inside(r, call) : NULL;
  return inner == NULL ? NULL : tn_call_arg(inner, 0);
}

static double within(double x, double min, double max) { return x < min ? min : x > max ? max : x; }

const tn_node *tn_rule_clip_of_clip(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *x = tn_call_arg(call, 0);
  const tn_node *inner = tn_rewrite_call(r, x, "clip");
  if (inner == NULL || !tn_dtype_is_float(tn_rewrite_dtype(r, x))) {
    return NULL;
  }
  double min = tn_rule_float(call, "min");
  double max = tn_rule_float(call, "max");
  double inner_min = tn_rule_float(inner, "min");
  double inner_max = tn_rule_float(inner, "max");
  if (!(inner_min <= inner_max && min <= max)) {
    return NULL;
  }
  tn_rule_build build = tn_rule_begin(r, "clip");
  tn_rule_set_float(&build, "min", within(inner_min, min, max));
  tn_rule_set_float(&build, "max", within(inner_max, min, max));
  x = tn_call_arg(inner, 0);
  return tn_rule_end(&build, 1, &x);
}

/* ---- arithmetic with numbers ---- */

const tn_node *tn_rule_times_one(tn_rewrite_run *r, const tn_node *call) {
  double number = 0;
  const tn_node *x = NULL;
  (void)r;
  return tn_rule_with_number(call, &number, &x) && number == 1 ? x : NULL;
}

const tn_node *tn_rule_over_one(tn_rewrite_run *r, const tn_node *call) {
  (void)r;
  return tn_rewrite_equals(tn_call_arg(call, 1), 1) ? tn_call_arg(call, 0) : NULL;
}

/* Both sides are the one real number, rounded. */
const tn_node *tn_rule_over_power_of_two(tn_rewrite_run *r, const tn_node *call) {
  double number = 0;
  int exponent = 0;
  const tn_node *x = tn_call_arg(call, 0);
  bool is_number = tn_rewrite_is_number(tn_call_arg(call, 1), &number);
  if (!is_number || !tn_dtype_is_float(tn_rewrite_dtype(r, x)) || number == 0 ||
      fabs(frexp(number, &exponent)) != 0.5) {
    return NULL;
  }
  const tn_node *inverse = tn_rule_scalar(r, x, 1 / number);
  bool is_exact = inverse != NULL && tn_rewrite_equals(inverse, 1 / number);
  return is_exact ? tn_rule_op2(r, "multiply", x, inverse) : NULL;
}

/* is_exact: -0 of floats alone. */
static const tn_node *plus(tn_rewrite_run *r, const tn_node *call, bool is_exact) {
  double number = 0;
  const tn_node *x = NULL;
  if (!tn_rule_with_number(call, &number, &x) || number != 0) {
    return NULL;
  }
  bool is_kept = !tn_dtype_is_any_float(tn_rewrite_dtype(r, x)) || signbit(number);
  return is_kept || !is_exact ? x : NULL;
}

const tn_node *tn_rule_plus_nothing(tn_rewrite_run *r, const tn_node *call) {
  return plus(r, call, true);
}

const tn_node *tn_rule_plus_zero(tn_rewrite_run *r, const tn_node *call) {
  return plus(r, call, false);
}

const tn_node *tn_rule_minus_nothing(tn_rewrite_run *r, const tn_node *call) {
  (void)r;
  return tn_rewrite_equals(tn_call_arg(call, 1), 0) ? tn_call_arg(call, 0) : NULL;
}

const tn_node *tn_rule_power_of_number(tn_rewrite_run *r, const tn_node *call) {
  double number = 0;
  const tn_node *x = tn_call_arg(call, 0);
  if (!tn_rewrite_is_number(tn_call_arg(call, 1), &number)) {
    return NULL;
  }
  if (number == 1) {
    return x;
  }
  if (number == 2) {
    return tn_rule_op2(r, "multiply", x, x);
  }
  if (number == 3) {
    return tn_rule_op2(r, "multiply", tn_rule_op2(r, "multiply", x, x), x);
  }
  const char *op = number == 0.5 ? "sqrt" : number == -1 ? "reciprocal" : NULL;
  return op == NULL ? NULL : tn_rule_op1(r, op, x);
}

/* Far from the ends of every type's range: a product of two numbers may leave it. */
static bool is_moderate(double number) { return fabs(number) >= 1e-3 && fabs(number) <= 1e3; }

const tn_node *tn_rule_number_chain(tn_rewrite_run *r, const tn_node *call) {
  double outer = 0;
  double inner = 0;
  const tn_node *product = NULL;
  if (!tn_rule_with_number(call, &outer, &product) ||
      !tn_dtype_is_float(tn_rewrite_dtype(r, product))) {
    return NULL;
  }
  const tn_node *x = tn_rule_own_with_number(r, product, "multiply", &inner);
  bool is_it = x != NULL && is_moderate(inner) && is_moderate(outer);
  return is_it ? tn_rule_op2(r, "multiply", x, tn_rule_scalar(r, x, inner * outer)) : NULL;
}

/* ---- choices ---- */

const tn_node *tn_rule_where_known(tn_rewrite_run *r, const tn_node *call) {
  double number = 0;
  (void)r;
  return tn_rewrite_is_number(tn_call_arg(call, 0), &number)
             ? tn_call_arg(call, number != 0 ? 1 : 2)
             : NULL;
}

const tn_node *tn_rule_same_operands(tn_rewrite_run *r, const tn_node *call) {
  static const char *const names[] = {"maximum",    "minimum",     "logical_and",
                                      "logical_or", "bitwise_and", "bitwise_or"};
  bool is_where = strcmp(call->attr.def->name, "where") == 0;
  uint32_t first = is_where ? 1 : 0;
  (void)r;
  bool is_same = (is_where || IS_ONE_OF(call, names)) &&
                 tn_call_arg(call, first) == tn_call_arg(call, first + 1);
  return is_same ? tn_call_arg(call, first) : NULL;
}

const tn_node *tn_rule_unneeded_broadcast(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *args[2] = {NULL, NULL};
  bool is_changed = false;
  if (tn_op_of(call)->infer != tn_op_infer_binary) {
    return NULL;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    args[i] = tn_call_arg(call, i);
    const tn_node *wide = tn_rewrite_call(r, args[i], "broadcast_to");
    bool is_needed =
        is_changed || wide == NULL || !tn_rewrite_same_shape(r, tn_call_arg(call, 1 - i), call);
    args[i] = is_needed ? args[i] : tn_call_arg(wide, 0);
    is_changed = is_changed || !is_needed;
  }
  return is_changed ? tn_rewrite_again(r, call, 2, args) : NULL;
}
