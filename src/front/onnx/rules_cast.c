/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Conversions. Between types that are computed in they are the language's own; the narrow ones that
 * are only stored (float8, float4, int4, int2) have rules of ONNX: what is too large for a float8
 * becomes its largest value or (saturate = 0) NaN or infinity, integers keep their low bits,
 * float8e8m0 rounds as round_mode says. Types of 2 bits are held as 4 bits (build.h). */
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

/* ---- float8 ---- */

/* What saturating gives at most, and from where on magnitude overflows: the middle between the
 * largest value and what would come after it, which itself rounds to the even one of them. */
typedef struct float8 {
  tn_dtype dtype;
  float largest;
  float middle;
  bool is_over_at_middle;
} float8;
static const float8 float8s[] = {
    {TN_DT_F8E4M3FN, 448, 464, false},
    {TN_DT_F8E4M3FNUZ, 240, 248, true},
    {TN_DT_F8E5M2, 57344, 61440, true},
    {TN_DT_F8E5M2FNUZ, 57344, 61440, true},
};

static const float8 *float8_of(tn_dtype dtype) {
  for (size_t i = 0; i < sizeof float8s / sizeof float8s[0]; ++i) {
    if (float8s[i].dtype == dtype) {
      return &float8s[i];
    }
  }
  return NULL;
}

/* x: a float that is computed in. Operands in the order in which a NaN of x comes out. */
static const tn_node *to_float8(tn_onnx_call *c, const tn_node *x, const float8 *type,
                                bool saturates) {
  tn_dtype in = tn_onnx_type_of(c, x);
  if (saturates) {
    x = tn_onnx_op2(c, "maximum", tn_onnx_scalar(c, in, -(double)type->largest), x);
    x = tn_onnx_op2(c, "minimum", tn_onnx_scalar(c, in, (double)type->largest), x);
    return tn_onnx_cast(c, x, type->dtype);
  }
  const tn_node *is_over =
      tn_onnx_op2(c, type->is_over_at_middle ? "greater_equal" : "greater",
                  tn_onnx_op1(c, "abs", x), tn_onnx_scalar(c, in, (double)type->middle));
  if (type->dtype != TN_DT_F8E5M2) { /* which has infinities */
    x = tn_onnx_op3(c, "where", is_over, tn_onnx_scalar(c, in, NAN), x);
  }
  return tn_onnx_cast(c, x, type->dtype);
}

/* The power of two at, below or above |x|. up: away from 0; nearest: the middle goes up. What is
 * outside of the range becomes its end (saturates) or NaN. */
static const tn_node *to_e8m0(tn_onnx_call *c, const tn_node *x, bool saturates) {
  const char *mode = tn_onnx_attr_text(c, "round_mode", "up");
  bool is_up = strcmp(mode, "up") == 0;
  bool is_nearest = strcmp(mode, "nearest") == 0;
  if (!is_up && !is_nearest && strcmp(mode, "down") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "round_mode '%s', expected up, down or nearest", mode);
  }
  /* in float64 neither twice nor half of a float32 is out of range */
  const tn_node *size = tn_onnx_cast(c, tn_onnx_op1(c, "abs", x), TN_DT_F64);
  const tn_node *near = tn_onnx_cast(c, tn_onnx_cast(c, size, TN_DT_F8E8M0FNU), TN_DT_F64);
  const tn_node *half = tn_onnx_scalar(c, TN_DT_F64, 0.5);
  const tn_node *two = tn_onnx_scalar(c, TN_DT_F64, 2);
  const tn_node *smallest = tn_onnx_scalar(c, TN_DT_F64, 0x1p-127);
  const tn_node *below =
      tn_onnx_op2(c, "maximum", tn_onnx_op2(c, "multiply", near, half), smallest);
  below = tn_onnx_op3(c, "where", tn_onnx_op2(c, "greater", near, size), below, near);
  const tn_node *over = tn_onnx_op2(c, "multiply", below, two);
  const tn_node *edge =
      is_up ? below : tn_onnx_op2(c, "multiply", below, tn_onnx_scalar(c, TN_DT_F64, 1.5));
  const tn_node *rises = tn_onnx_op2(c, is_up ? "greater" : "greater_equal", size, edge);
  const tn_node *y = is_up || is_nearest ? tn_onnx_op3(c, "where", rises, over, below) : below;
  const tn_node *largest = tn_onnx_scalar(c, TN_DT_F64, 0x1p127);
  if (saturates) {
    y = tn_onnx_op2(c, "minimum", largest, y);
  } else {
    const tn_node *is_out = tn_onnx_op2(c, "logical_or", tn_onnx_op2(c, "greater", y, largest),
                                        tn_onnx_op2(c, "less", size, smallest));
    y = tn_onnx_op3(c, "where", is_out, tn_onnx_scalar(c, TN_DT_F64, NAN), y);
  }
  y = tn_onnx_op3(c, "where", tn_onnx_op1(c, "isnan", size), size, y);
  return tn_onnx_cast(c, y, TN_DT_F8E8M0FNU);
}

/* ---- integers of 4 and 2 bits ---- */

/* What is out of range: up to opset 23 the nearest value, since then the low bits of the integer. */
static bool keeps_low_bits(const tn_onnx_call *c) { return c->version >= 24; }

static const tn_node *to_narrow_int(tn_onnx_call *c, const tn_node *x, tn_onnx_elem type) {
  if (tn_dtype_is_any_float(tn_onnx_type_of(c, x)) && keeps_low_bits(c)) {
    x = tn_onnx_cast(c, x, TN_DT_I64); /* toward 0 */
  } else if (tn_dtype_is_bool(tn_onnx_type_of(c, x)) ||
             tn_dtype_is_storage(tn_onnx_type_of(c, x))) {
    x = tn_onnx_cast(c, x, TN_DT_I32);
  }
  if (!type.is_two_bits) {
    return tn_onnx_cast(c, x, type.dtype);
  }
  bool is_signed = tn_dtype_is_int(type.dtype);
  x = tn_onnx_cast(c, x, TN_DT_I32);
  const tn_node *offset = tn_onnx_scalar(c, TN_DT_I32, is_signed ? 2 : 0);
  x = tn_onnx_op2(c, "add", x, offset);
  x = tn_onnx_op2(c, "bitwise_and", x, tn_onnx_scalar(c, TN_DT_I32, 3));
  x = tn_onnx_op2(c, "subtract", x, offset);
  return tn_onnx_cast(c, x, type.dtype);
}

/* ---- the operators ---- */

const tn_node *tn_onnx_cast_to(tn_onnx_call *c, const tn_node *x, tn_onnx_elem type,
                               bool saturates) {
  const float8 *small = float8_of(type.dtype);
  tn_dtype from = tn_onnx_type_of(c, x);
  if (tn_onnx_elem_of(c, x).dtype == type.dtype &&
      tn_onnx_elem_of(c, x).is_two_bits == type.is_two_bits) {
    return x;
  }
  if (tn_dtype_is_storage(type.dtype) && !tn_dtype_is_int(type.dtype) &&
      !tn_dtype_is_uint(type.dtype) && !tn_dtype_is_float(from)) {
    x = tn_onnx_cast(c, x, TN_DT_F32);
  }
  if (type.dtype == TN_DT_F4E2M1FN && !keeps_low_bits(c)) { /* there NaN was the largest value */
    tn_dtype in = tn_onnx_type_of(c, x);
    x = tn_onnx_op3(c, "where", tn_onnx_op1(c, "isnan", x), tn_onnx_scalar(c, in, 6), x);
  }
  const tn_node *y = NULL;
  if (small != NULL) {
    y = to_float8(c, x, small, saturates);
  } else if (type.dtype == TN_DT_F8E8M0FNU) {
    y = to_e8m0(c, x, saturates);
  } else if (tn_dtype_is_packed(type.dtype) && !tn_dtype_is_small_float(type.dtype)) {
    y = to_narrow_int(c, x, type);
  } else {
    y = tn_onnx_cast(c, x, type.dtype);
  }
  return tn_onnx_mark(c, y, type);
}

void tn_onnx_rule_cast(tn_onnx_call *c) {
  tn_onnx_elem type = {TN_DT_NONE, false};
  const tn_onnx_attr *to = tn_onnx_attr_find(c, "to");
  static const char *const names[] = {"FLOAT",  "UINT8",  "INT8",   "UINT16", "INT16",
                                      "INT32",  "INT64",  "STRING", "BOOL",   "FLOAT16",
                                      "DOUBLE", "UINT32", "UINT64"};
  int64_t number = to == NULL || to->type == TN_ONNX_ATTR_STRING ? 0 : to->i;
  for (size_t i = 0; to != NULL && number == 0 && i < sizeof names / sizeof names[0]; ++i) {
    number = tn_onnx_is(to->s, names[i]) ? (int64_t)i + 1 : 0; /* opset 1 wrote the name */
  }
  tn_onnx_fail(c, tn_onnx_elem_find(number, &type));
  bool saturates = tn_onnx_attr_int(c, "saturate", 1) != 0;
  tn_onnx_give(c, 0, tn_onnx_cast_to(c, tn_onnx_in(c, 0), type, saturates));
}

void tn_onnx_rule_cast_like(tn_onnx_call *c) {
  tn_onnx_elem type = tn_onnx_elem_of(c, tn_onnx_in(c, 1));
  bool saturates = tn_onnx_attr_int(c, "saturate", 1) != 0;
  tn_onnx_give(c, 0, tn_onnx_cast_to(c, tn_onnx_in(c, 0), type, saturates));
}
