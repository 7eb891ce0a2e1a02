/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX nodes: element by element. */
#include "gen_onnx_priv.h"

/* ---- one operand ---- */

static bool unary(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  return true;
}

/* Numbers whose names stand in the form's word: "alpha beta". */
static bool with_floats(gx_graph *g, gx_node *n, const gx_form *form) {
  static const double some[] = {0.01, 0.125, 0.25, 0.5, 1, 1.5, 2};
  gx_in(n, gx_pick(g, form->types, 0, 5));
  for (const char *at = form->word; *at != '\0';) {
    char name[16];
    size_t len = strcspn(at, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)len, at);
    if (gx_chance(g, 70)) {
      gx_float(n, name, some[gx_range(g, 0, 6)]);
    }
    at += len + (at[len] == ' ');
  }
  return true;
}

static bool gelu(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  if (gx_chance(g, 70) && *n->domain == '\0') {
    gx_text(n, "approximate", gx_chance(g, 50) ? "tanh" : "none");
  }
  return true;
}

static bool is_inf(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  if (gx_chance(g, 50)) {
    gx_int(n, "detect_negative", gx_range(g, 0, 1));
  }
  if (gx_chance(g, 50)) {
    gx_int(n, "detect_positive", gx_range(g, 0, 1));
  }
  return true;
}

static bool cast(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  tn_dtype to = gx_dtype(g, form->types);
  if (g->opset < 6) {
    gx_text(n, "to", to == TN_DT_F32 ? "FLOAT" : to == TN_DT_I32 ? "INT32" : "DOUBLE");
  } else {
    gx_int(n, "to", gx_onnx_type(to));
  }
  return true;
}

static bool cast_like(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  gx_in(n, gx_pick(g, form->types, 0, 3));
  return true;
}

static bool dropout(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  n->n_out = (int32_t)gx_range(g, 1, 2);
  if (g->opset < 7) {
    gx_int(n, "is_test", 1);
  } else if (g->opset >= 12 && gx_chance(g, 50)) {
    gx_in(n, gx_const_number(g, TN_DT_F32, 0.25));
    if (gx_chance(g, 50)) {
      gx_in(n, gx_const_number(g, TN_DT_BOOL, 0));
    }
  }
  return true;
}

/* ---- two operands ---- */

static bool is_division(const char *op) { return strcmp(op, "Div") == 0 || strcmp(op, "Mod") == 0; }

static void two(gx_graph *g, gx_node *n, int32_t a, int32_t b) {
  bool is_turned = !is_division(n->op) && gx_chance(g, 30);
  gx_in(n, is_turned ? b : a);
  gx_in(n, is_turned ? a : b);
}

static bool binary(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, form->types, 0, 5);
  bool is_whole = is_division(form->op) && !gx_is_float(gx_type(g, a));
  if (gx_chance(g, 4) && !is_division(form->op)) {
    two(g, n, a, a);
    return true;
  }
  two(g, n, a, gx_partner(g, a, gx_type(g, a), false, is_whole ? GX_NOT_ZERO : GX_ANY));
  if (gx_is_float(gx_type(g, a)) && strcmp(form->op, "Div") == 0) {
    n->kind = GX_ROUNDS;
  }
  return true;
}

/* Opset 1 to 6: the second one's dimensions are some of the first's, from `axis` on. */
static bool binary_old(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, form->types, 1, 4);
  bool is_whole = is_division(form->op) && !gx_is_float(gx_type(g, a));
  gx_fill fill = is_whole ? GX_NOT_ZERO : GX_ANY;
  tn_array to = *gx_array(g, a);
  gx_in(n, a);
  if (gx_chance(g, 40)) {
    gx_in(n, gx_same(g, to.dtype, to.ndim, to.shape, fill));
    return true;
  }
  int32_t axis = (int32_t)gx_range(g, 0, to.ndim - 1);
  int32_t count = (int32_t)gx_range(g, 1, to.ndim - axis);
  gx_in(n, gx_same(g, to.dtype, count, to.shape + axis, fill));
  gx_int(n, "broadcast", 1);
  gx_int(n, "axis", axis);
  return true;
}

static bool mod(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, form->types, 0, 4);
  bool is_float = gx_is_float(gx_type(g, a));
  gx_in(n, a);
  gx_in(n, gx_partner(g, a, gx_type(g, a), false, GX_NOT_ZERO));
  if (is_float || gx_chance(g, 40)) {
    gx_int(n, "fmod", 1);
  }
  return true;
}

static bool power(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, g->opset < 12 ? GX_F32 | GX_F64 | GX_F16 : form->types, 0, 4);
  tn_dtype other = g->opset < 12 ? gx_type(g, a) : gx_dtype(g, GX_F32 | GX_F64 | GX_INDEX);
  gx_in(n, a);
  gx_in(n, gx_partner(g, a, other, false, gx_chance(g, 80) ? GX_NOT_ZERO : GX_ANY));
  n->kind = gx_is_float(gx_type(g, a)) ? GX_ROUNDS : GX_EXACT;
  return true;
}

static bool bit_shift(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t a = gx_pick(g, form->types, 0, 4);
  gx_in(n, a);
  gx_in(n, gx_partner(g, a, gx_type(g, a), false, GX_NOT_ZERO));
  gx_text(n, "direction", gx_chance(g, 50) ? "LEFT" : "RIGHT");
  return true;
}

static bool prelu(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 1, 5);
  int64_t channels = gx_ndim(g, x) > 1 ? gx_dim(g, x, 1) : 1;
  gx_in(n, x);
  if (g->opset < 7) {
    gx_in(n, gx_same(g, gx_type(g, x), 1, &channels, GX_ANY));
  } else {
    gx_in(n, gx_partner(g, x, gx_type(g, x), true, GX_ANY));
  }
  return true;
}

/* ---- more ---- */

static bool variadic(gx_graph *g, gx_node *n, const gx_form *form) {
  uint32_t mask = g->opset < 12 ? form->types & GX_FLOATS : form->types;
  int32_t a = gx_pick(g, mask, 0, 4);
  int64_t count = gx_range(g, 1, 4);
  gx_in(n, a);
  for (int64_t i = 1; i < count; ++i) {
    gx_in(n, g->opset < 8 ? gx_like(g, a) : gx_partner(g, a, gx_type(g, a), true, GX_ANY));
  }
  return true;
}

static bool clip_old(gx_graph *g, gx_node *n, const gx_form *form) {
  gx_in(n, gx_pick(g, form->types, 0, 5));
  if (gx_chance(g, 70)) {
    gx_float(n, "min", (double)gx_range(g, -3, 0));
  }
  if (gx_chance(g, 70)) {
    gx_float(n, "max", (double)gx_range(g, 0, 3));
  }
  return true;
}

static bool clip(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, g->opset < 12 ? GX_FLOATS : form->types, 0, 5);
  tn_dtype type = gx_type(g, x);
  bool has_sign = gx_is_float(type) || tn_dtype_is_int(type);
  gx_in(n, x);
  for (int32_t i = 0; i < 2; ++i) {
    int32_t id = gx_leaf(g, type, 0, NULL, GX_SMALL);
    tn_array_set_f64(gx_array(g, id), 0,
                     (double)(i == 0 ? gx_range(g, has_sign ? -3 : 0, 1) : gx_range(g, 1, 4)));
    gx_in(n, gx_chance(g, 75) ? id : -1);
  }
  return true;
}

static bool where(gx_graph *g, gx_node *n, const gx_form *form) {
  int32_t x = gx_pick(g, form->types, 0, 4);
  int32_t y = gx_partner(g, x, gx_type(g, x), true, GX_ANY);
  gx_in(n, gx_partner(g, x, TN_DT_BOOL, true, GX_ANY));
  gx_in(n, x);
  gx_in(n, y);
  return true;
}

/* clang-format off */
const gx_form gx_elem_forms[] = {
    {"", "Abs", 1, 0, unary, GX_NUMBERS, GX_EXACT, ""},
    {"", "Acos", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Acosh", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Asin", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Asinh", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Atan", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Atanh", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "BitwiseNot", 18, 0, unary, GX_INTS, GX_EXACT, ""},
    {"", "Ceil", 1, 0, unary, GX_FLOATS, GX_EXACT, ""},
    {"", "Cos", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Cosh", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Erf", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Exp", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Floor", 1, 0, unary, GX_FLOATS, GX_EXACT, ""},
    {"", "HardSwish", 14, 0, unary, GX_FLOATS, GX_CANCELS, ""},
    {"", "Identity", 1, 0, unary, GX_ALL, GX_EXACT, ""},
    {"", "IsNaN", 9, 0, unary, GX_FLOATS, GX_EXACT, ""},
    {"", "Log", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Mish", 18, 0, unary, GX_FLOATS, GX_CANCELS, ""},
    {"", "Neg", 1, 0, unary, GX_FLOATS | GX_SIGNED, GX_EXACT, ""},
    {"", "Not", 1, 0, unary, GX_BOOL, GX_EXACT, ""},
    {"", "Reciprocal", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Relu", 1, 13, unary, GX_FLOATS, GX_EXACT, ""},
    {"", "Relu", 14, 0, unary, GX_FLOATS | GX_SIGNED, GX_EXACT, ""},
    {"", "Round", 11, 0, unary, GX_FLOATS, GX_EXACT, ""},
    {"", "Sigmoid", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Sign", 9, 0, unary, GX_NUMBERS, GX_EXACT, ""},
    {"", "Sin", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Sinh", 9, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Softplus", 1, 0, unary, GX_FLOATS, GX_CANCELS, ""},
    {"", "Softsign", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Sqrt", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Tan", 7, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Tanh", 1, 0, unary, GX_FLOATS, GX_ROUNDS, ""},
    {"", "Celu", 12, 0, with_floats, GX_F32, GX_CANCELS, "alpha"},
    {"", "Elu", 1, 0, with_floats, GX_FLOATS, GX_CANCELS, "alpha"},
    {"", "HardSigmoid", 1, 0, with_floats, GX_FLOATS, GX_CANCELS, "alpha beta"},
    {"", "LeakyRelu", 1, 0, with_floats, GX_FLOATS, GX_ROUNDS, "alpha"},
    {"", "Selu", 1, 0, with_floats, GX_FLOATS, GX_CANCELS, "alpha gamma"},
    {"", "Shrink", 9, 0, with_floats, GX_FLOATS, GX_CANCELS, "lambd bias"},
    {"", "Swish", 24, 0, with_floats, GX_FLOATS, GX_ROUNDS, "alpha"},
    {"", "ThresholdedRelu", 10, 0, with_floats, GX_FLOATS, GX_EXACT, "alpha"},
    {"", "Gelu", 20, 0, gelu, GX_FLOATS, GX_CANCELS, ""},
    {"com.microsoft", "Gelu", 1, 0, gelu, GX_F16 | GX_F32 | GX_F64, GX_CANCELS, ""},
    {"", "IsInf", 10, 19, is_inf, GX_F32 | GX_F64, GX_EXACT, ""},
    {"", "IsInf", 20, 0, is_inf, GX_FLOATS, GX_EXACT, ""},
    {"", "Cast", 6, 0, cast, GX_ALL, GX_RING, ""},
    {"", "Cast", 1, 5, cast, GX_F32 | GX_I32 | GX_F64, GX_RING, ""},
    {"", "CastLike", 15, 0, cast_like, GX_ALL, GX_RING, ""},
    {"", "Dropout", 1, 6, dropout, GX_F16 | GX_F32 | GX_F64, GX_EXACT, ""},
    {"", "Dropout", 7, 0, dropout, GX_F16 | GX_F32 | GX_F64, GX_EXACT, ""},
    {"", "Add", 7, 0, binary, GX_NUMBERS, GX_RING, ""},
    {"", "Sub", 7, 0, binary, GX_NUMBERS, GX_RING, ""},
    {"", "Mul", 7, 0, binary, GX_NUMBERS, GX_RING, ""},
    {"", "Div", 7, 0, binary, GX_NUMBERS, GX_EXACT, ""},
    {"", "And", 7, 0, binary, GX_BOOL, GX_EXACT, ""},
    {"", "Or", 7, 0, binary, GX_BOOL, GX_EXACT, ""},
    {"", "Xor", 7, 0, binary, GX_BOOL, GX_EXACT, ""},
    {"", "BitwiseAnd", 18, 0, binary, GX_INTS, GX_EXACT, ""},
    {"", "BitwiseOr", 18, 0, binary, GX_INTS, GX_EXACT, ""},
    {"", "BitwiseXor", 18, 0, binary, GX_INTS, GX_EXACT, ""},
    {"", "Equal", 7, 0, binary, GX_ALL, GX_EXACT, ""},
    {"", "Greater", 7, 0, binary, GX_NUMBERS, GX_EXACT, ""},
    {"", "Less", 7, 0, binary, GX_NUMBERS, GX_EXACT, ""},
    {"", "GreaterOrEqual", 12, 0, binary, GX_NUMBERS, GX_EXACT, ""},
    {"", "LessOrEqual", 12, 0, binary, GX_NUMBERS, GX_EXACT, ""},
    {"", "Add", 1, 6, binary_old, GX_F32 | GX_F64 | GX_INDEX, GX_RING, ""},
    {"", "Sub", 1, 6, binary_old, GX_F32 | GX_F64 | GX_INDEX, GX_RING, ""},
    {"", "Mul", 1, 6, binary_old, GX_F32 | GX_F64 | GX_INDEX, GX_RING, ""},
    {"", "Div", 1, 6, binary_old, GX_F32 | GX_F64, GX_ROUNDS, ""},
    {"", "And", 1, 6, binary_old, GX_BOOL, GX_EXACT, ""},
    {"", "Or", 1, 6, binary_old, GX_BOOL, GX_EXACT, ""},
    {"", "Xor", 1, 6, binary_old, GX_BOOL, GX_EXACT, ""},
    {"", "Equal", 1, 6, binary_old, GX_INDEX | GX_BOOL, GX_EXACT, ""},
    {"", "Greater", 1, 6, binary_old, GX_F32 | GX_F64, GX_EXACT, ""},
    {"", "Less", 1, 6, binary_old, GX_F32 | GX_F64, GX_EXACT, ""},
    {"", "Mod", 10, 0, mod, GX_NUMBERS, GX_EXACT, ""},
    {"", "Pow", 7, 0, power, GX_FLOATS | GX_INDEX, GX_ROUNDS, ""},
    {"", "BitShift", 11, 0, bit_shift, GX_UNSIGNED, GX_EXACT, ""},
    {"", "PRelu", 1, 6, prelu, GX_F32 | GX_F64, GX_RING, ""},
    {"", "PRelu", 7, 0, prelu, GX_FLOATS, GX_RING, ""},
    {"", "Max", 1, 0, variadic, GX_NUMBERS, GX_EXACT, ""},
    {"", "Min", 1, 0, variadic, GX_NUMBERS, GX_EXACT, ""},
    {"", "Sum", 1, 0, variadic, GX_FLOATS, GX_RING, ""},
    {"", "Mean", 1, 0, variadic, GX_FLOATS, GX_CANCELS, ""},
    {"", "Clip", 1, 10, clip_old, GX_FLOATS, GX_EXACT, ""},
    {"", "Clip", 11, 0, clip, GX_NUMBERS, GX_EXACT, ""},
    {"", "Where", 9, 0, where, GX_ALL, GX_EXACT, ""},
    {0},
};
/* clang-format on */
