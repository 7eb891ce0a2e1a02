/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elementwise operators of one tensor: one row each, with the reference as a function of doubles
 * and the loop form as an intrinsic or a few nodes. Integers wrap. NaN gives NaN, but for sign, of
 * which it is 0, and the tests. */
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

typedef enum unary_class {
  FLOATS,        /* floats alone */
  NUMBERS,       /* integers too */
  TESTS,         /* a float; the result is bool */
  BITS_OR_BOOLS, /* integers and bool */
  BOOLS
} unary_class;

/* p: the operator's fields, as numbers. */
typedef double (*unary_ref)(double x, const double *p);
typedef const tn_node *(*unary_build)(tn_kernel *k, const tn_node *x, const double *p);

typedef struct unary_row {
  const char *name;
  const char *symbol; /* of the loop function */
  unary_class cls;
  unary_ref f;
  int32_t intrin;    /* tn_intrin_id, -1: build */
  unary_build build; /* NULL: the intrinsic */
} unary_row;
enum { MAX_PARAMS = 2 };

/* ---- references ---- */

#define LIBM(name)                                    \
  static double r_##name(double x, const double *p) { \
    (void)p;                                          \
    return name(x);                                   \
  }
LIBM(acos)
LIBM(acosh)
LIBM(asin)
LIBM(asinh)
LIBM(atan)
LIBM(atanh)
LIBM(ceil)
LIBM(cos)
LIBM(cosh)
LIBM(erf)
LIBM(exp)
LIBM(fabs)
LIBM(floor)
LIBM(log)
LIBM(rint)
LIBM(sin)
LIBM(sinh)
LIBM(sqrt)
LIBM(tan)
LIBM(tanh)
LIBM(trunc)
LIBM(isnan)
LIBM(isinf)
LIBM(isfinite)
#undef LIBM

#define REFERENCE(name, expr)                         \
  static double r_##name(double x, const double *p) { \
    (void)p;                                          \
    return expr;                                      \
  }
REFERENCE(negative, -x)
REFERENCE(rsqrt, 1 / sqrt(x))
REFERENCE(sigmoid, 1 / (1 + exp(-x)))
REFERENCE(square, x *x)
REFERENCE(sign, x > 0 ? 1 : x < 0 ? -1 : 0)
REFERENCE(relu, tn_op_maximum(x, 0))
REFERENCE(relu6, tn_op_minimum(tn_op_maximum(x, 0), 6))
REFERENCE(leakyrelu, x > 0 ? x : p[0] * x)
REFERENCE(silu, x / (1 + exp(-x)))
REFERENCE(gelu, x *(0.5 + 0.5 * erf(x * M_SQRT1_2)))
REFERENCE(gelu_tanh, 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))))
REFERENCE(softplus, x *p[0] > p[1] ? x : log1p(exp(x * p[0])) / p[0])
REFERENCE(reciprocal, 1 / x)
REFERENCE(elu, x > 0 ? x : p[0] * expm1(x))
REFERENCE(celu, x > 0 ? x : p[0] * expm1(x / p[0]))
REFERENCE(softsign, x / (1 + fabs(x)))
REFERENCE(mish, x *tanh(x > 20 ? x : log1p(exp(x))))
REFERENCE(bits, x) /* integers alone: see unary_i64 */
#undef REFERENCE

static const double selu_alpha = 1.6732632423543772848170429916717;
static const double selu_scale = 1.0507009873554804934193349852946;
static double r_selu(double x, const double *p) {
  (void)p;
  return selu_scale * (x > 0 ? x : selu_alpha * (exp(x) - 1));
}

static double unit_line(double x, const double *p) {
  return tn_op_maximum(tn_op_minimum(p[0] * x + p[1], 1), 0);
}

static double r_hardsigmoid(double x, const double *p) { return unit_line(x, p); }

static double r_hardswish(double x, const double *p) {
  (void)p;
  return x * unit_line(x, (const double[]){1.0 / 6, 0.5});
}

static double r_clip(double x, const double *p) {
  return tn_op_maximum(tn_op_minimum(x, p[1]), p[0]);
}

/* ---- loop forms ---- */

static const tn_node *number(tn_kernel *k, const tn_node *like, double value) {
  return tn_te_number(k->te, like->dtype, value);
}

static const tn_node *is_positive(tn_kernel *k, const tn_node *x) {
  return tn_te_gt(k->te, x, number(k, x, 0));
}

static const tn_node *b_negative(tn_kernel *k, const tn_node *x, const double *p) {
  const tn_node *out = NULL;
  (void)p;
  tn_status_free(tn_tir_unary(k->ir, TN_OP_NEG, x, &out)); /* of a number: always there */
  return out;
}

static const tn_node *b_square(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  return tn_te_mul(k->te, x, x);
}

static const tn_node *b_sign(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *zero = number(k, x, 0);
  const tn_node *below = tn_te_lt(k->te, x, zero);
  const tn_node *rest =
      tn_dtype_is_uint(x->dtype) ? zero : tn_te_if_then_else(k->te, below, number(k, x, -1), zero);
  return tn_te_if_then_else(k->te, is_positive(k, x), number(k, x, 1), rest);
}

static const tn_node *b_relu(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  return tn_te_maximum(k->te, x, number(k, x, 0));
}

static const tn_node *b_relu6(tn_kernel *k, const tn_node *x, const double *p) {
  return tn_te_minimum(k->te, b_relu(k, x, p), number(k, x, 6));
}

static const tn_node *b_leakyrelu(tn_kernel *k, const tn_node *x, const double *p) {
  return tn_te_if_then_else(k->te, is_positive(k, x), x, tn_te_mul(k->te, x, number(k, x, p[0])));
}

static const tn_node *b_silu(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  return tn_te_mul(k->te, x, tn_te_intrin(k->te, TN_INTRIN_SIGMOID, TN_TE_LIST(x)));
}

static const tn_node *b_gelu(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *half = number(k, x, 0.5);
  const tn_node *erf_x =
      tn_te_intrin(k->te, TN_INTRIN_ERF, TN_TE_LIST(tn_te_mul(k->te, x, number(k, x, M_SQRT1_2))));
  return tn_te_mul(k->te, x, tn_te_add(k->te, half, tn_te_mul(k->te, erf_x, half)));
}

static const tn_node *b_gelu_tanh(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *cube = tn_te_mul(k->te, tn_te_mul(k->te, x, x), x);
  const tn_node *inner = tn_te_add(k->te, x, tn_te_mul(k->te, cube, number(k, x, 0.044715)));
  const tn_node *bent = tn_te_intrin(
      k->te, TN_INTRIN_TANH, TN_TE_LIST(tn_te_mul(k->te, inner, number(k, x, sqrt(2 / M_PI)))));
  const tn_node *half = tn_te_mul(k->te, x, number(k, x, 0.5));
  return tn_te_mul(k->te, half, tn_te_add(k->te, bent, number(k, x, 1)));
}

static const tn_node *b_selu(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *low =
      tn_te_sub(k->te, tn_te_intrin(k->te, TN_INTRIN_EXP, TN_TE_LIST(x)), number(k, x, 1));
  low = tn_te_mul(k->te, low, number(k, x, selu_alpha));
  return tn_te_mul(k->te, tn_te_if_then_else(k->te, is_positive(k, x), x, low),
                   number(k, x, selu_scale));
}

static const tn_node *b_reciprocal(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  return tn_te_div(k->te, number(k, x, 1), x);
}

/* x > 0 ? x : a * (exp(x / b) - 1), near 0 without cancellation of more than the last bits */
static const tn_node *soft_below(tn_kernel *k, const tn_node *x, double a, double b) {
  const tn_node *scaled = b == 1 ? x : tn_te_div(k->te, x, number(k, x, b));
  const tn_node *low =
      tn_te_sub(k->te, tn_te_intrin(k->te, TN_INTRIN_EXP, TN_TE_LIST(scaled)), number(k, x, 1));
  low = tn_te_mul(k->te, low, number(k, x, a));
  return tn_te_if_then_else(k->te, is_positive(k, x), x, low);
}

static const tn_node *b_elu(tn_kernel *k, const tn_node *x, const double *p) {
  return soft_below(k, x, p[0], 1);
}

static const tn_node *b_celu(tn_kernel *k, const tn_node *x, const double *p) {
  return soft_below(k, x, p[0], p[0]);
}

static const tn_node *b_softsign(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *size = tn_te_intrin(k->te, TN_INTRIN_FABS, TN_TE_LIST(x));
  return tn_te_div(k->te, x, tn_te_add(k->te, size, number(k, x, 1)));
}

/* x * tanh(log(1 + exp(x))); above 20 the logarithm is x itself, and exp stays finite */
static const tn_node *b_mish(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  const tn_node *top = number(k, x, 20);
  const tn_node *power = tn_te_intrin(k->te, TN_INTRIN_EXP, TN_TE_LIST(tn_te_min(k->te, x, top)));
  const tn_node *soft = tn_te_intrin(k->te, TN_INTRIN_LOG1P, TN_TE_LIST(power));
  soft = tn_te_if_then_else(k->te, tn_te_gt(k->te, x, top), x, soft);
  return tn_te_mul(k->te, x, tn_te_intrin(k->te, TN_INTRIN_TANH, TN_TE_LIST(soft)));
}

static const tn_node *unit_line_te(tn_kernel *k, const tn_node *x, double slope, double shift) {
  const tn_node *line = tn_te_mul(k->te, x, number(k, x, slope));
  line = tn_te_add(k->te, line, number(k, x, shift));
  return tn_te_maximum(k->te, tn_te_minimum(k->te, line, number(k, x, 1)), number(k, x, 0));
}

static const tn_node *b_hardsigmoid(tn_kernel *k, const tn_node *x, const double *p) {
  return unit_line_te(k, x, p[0], p[1]);
}

static const tn_node *b_hardswish(tn_kernel *k, const tn_node *x, const double *p) {
  (void)p;
  return tn_te_mul(k->te, x, unit_line_te(k, x, 1.0 / 6, 0.5));
}

static const tn_node *b_softplus(tn_kernel *k, const tn_node *x, const double *p) {
  const tn_node *scaled = tn_te_mul(k->te, x, number(k, x, p[0]));
  const tn_node *is_line = tn_te_gt(k->te, scaled, number(k, x, p[1]));
  const tn_node *soft = tn_te_intrin(
      k->te, TN_INTRIN_LOG1P, TN_TE_LIST(tn_te_intrin(k->te, TN_INTRIN_EXP, TN_TE_LIST(scaled))));
  return tn_te_if_then_else(k->te, is_line, x, tn_te_div(k->te, soft, number(k, x, p[0])));
}

/* The bounds as the type has them: beyond its range, its ends. */
static const tn_node *b_clip(tn_kernel *k, const tn_node *x, const double *p) {
  const tn_node *low = tn_te_cast(k->te, x->dtype, tn_float(k->ir, TN_DT_F64, p[0]));
  const tn_node *high = tn_te_cast(k->te, x->dtype, tn_float(k->ir, TN_DT_F64, p[1]));
  return tn_te_maximum(k->te, tn_te_minimum(k->te, x, high), low);
}

static const tn_node *b_not(tn_kernel *k, const tn_node *x, const double *p) {
  const tn_node *out = NULL;
  (void)p;
  tn_status_free(
      tn_tir_unary(k->ir, TN_OP_BNOT, x, &out)); /* of integers and bools: always there */
  return out;
}

/* clang-format off */
static const unary_row unary_rows[] = {
    {"abs",          "abs",         NUMBERS,       r_fabs,      TN_INTRIN_ABS,      NULL},
    {"acos",         "acos",        FLOATS,        r_acos,      TN_INTRIN_ACOS,     NULL},
    {"acosh",        "acosh",       FLOATS,        r_acosh,     TN_INTRIN_ACOSH,    NULL},
    {"asin",         "asin",        FLOATS,        r_asin,      TN_INTRIN_ASIN,     NULL},
    {"asinh",        "asinh",       FLOATS,        r_asinh,     TN_INTRIN_ASINH,    NULL},
    {"atan",         "atan",        FLOATS,        r_atan,      TN_INTRIN_ATAN,     NULL},
    {"atanh",        "atanh",       FLOATS,        r_atanh,     TN_INTRIN_ATANH,    NULL},
    {"bitwise_not",  "bitwise_not", BITS_OR_BOOLS, r_bits,      -1,                 b_not},
    {"ceil",         "ceil",        FLOATS,        r_ceil,      TN_INTRIN_CEIL,     NULL},
    {"clip",         "clip",        NUMBERS,       r_clip,      -1,                 b_clip},
    {"cos",          "cos",         FLOATS,        r_cos,       TN_INTRIN_COS,      NULL},
    {"cosh",         "cosh",        FLOATS,        r_cosh,      TN_INTRIN_COSH,     NULL},
    {"erf",          "erf",         FLOATS,        r_erf,       TN_INTRIN_ERF,      NULL},
    {"exp",          "exp",         FLOATS,        r_exp,       TN_INTRIN_EXP,      NULL},
    {"floor",        "floor",       FLOATS,        r_floor,     TN_INTRIN_FLOOR,    NULL},
    {"isfinite",     "isfinite",    TESTS,         r_isfinite,  TN_INTRIN_ISFINITE, NULL},
    {"isinf",        "isinf",       TESTS,         r_isinf,     TN_INTRIN_ISINF,    NULL},
    {"isnan",        "isnan",       TESTS,         r_isnan,     TN_INTRIN_ISNAN,    NULL},
    {"log",          "log",         FLOATS,        r_log,       TN_INTRIN_LOG,      NULL},
    {"logical_not",  "logical_not", BOOLS,         r_bits,      -1,                 b_not},
    {"negative",     "negative",    NUMBERS,       r_negative,  -1,                 b_negative},
    {"nn.celu",      "celu",        FLOATS,        r_celu,      -1,                 b_celu},
    {"nn.elu",       "elu",         FLOATS,        r_elu,       -1,                 b_elu},
    {"nn.gelu",      "gelu",        FLOATS,        r_gelu,      -1,                 b_gelu},
    {"nn.gelu_tanh", "gelu_tanh",   FLOATS,        r_gelu_tanh, -1,                 b_gelu_tanh},
    {"nn.hardsigmoid", "hardsigmoid", FLOATS,      r_hardsigmoid, -1,               b_hardsigmoid},
    {"nn.hardswish", "hardswish",   FLOATS,        r_hardswish, -1,                 b_hardswish},
    {"nn.leakyrelu", "leaky_relu",  FLOATS,        r_leakyrelu, -1,                 b_leakyrelu},
    {"nn.mish",      "mish",        FLOATS,        r_mish,      -1,                 b_mish},
    {"nn.relu",      "relu",        NUMBERS,       r_relu,      -1,                 b_relu},
    {"nn.relu6",     "relu6",       NUMBERS,       r_relu6,     -1,                 b_relu6},
    {"nn.selu",      "selu",        FLOATS,        r_selu,      -1,                 b_selu},
    {"nn.silu",      "silu",        FLOATS,        r_silu,      -1,                 b_silu},
    {"nn.softplus",  "softplus",    FLOATS,        r_softplus,  -1,                 b_softplus},
    {"nn.softsign",  "softsign",    FLOATS,        r_softsign,  -1,                 b_softsign},
    {"reciprocal",   "reciprocal",  FLOATS,        r_reciprocal, -1,                b_reciprocal},
    {"round",        "round",       FLOATS,        r_rint,      TN_INTRIN_ROUND,    NULL},
    {"rsqrt",        "rsqrt",       FLOATS,        r_rsqrt,     TN_INTRIN_RSQRT,    NULL},
    {"sigmoid",      "sigmoid",     FLOATS,        r_sigmoid,   TN_INTRIN_SIGMOID,  NULL},
    {"sign",         "sign",        NUMBERS,       r_sign,      -1,                 b_sign},
    {"sin",          "sin",         FLOATS,        r_sin,       TN_INTRIN_SIN,      NULL},
    {"sinh",         "sinh",        FLOATS,        r_sinh,      TN_INTRIN_SINH,     NULL},
    {"sqrt",         "sqrt",        FLOATS,        r_sqrt,      TN_INTRIN_SQRT,     NULL},
    {"square",       "square",      NUMBERS,       r_square,    -1,                 b_square},
    {"tan",          "tan",         FLOATS,        r_tan,       TN_INTRIN_TAN,      NULL},
    {"tanh",         "tanh",        FLOATS,        r_tanh,      TN_INTRIN_TANH,     NULL},
    {"trunc",        "trunc",       FLOATS,        r_trunc,     TN_INTRIN_TRUNC,    NULL},
};
/* clang-format on */

static const unary_row *unary_row_of(const tn_node *call) {
  for (size_t i = 0; i < sizeof unary_rows / sizeof unary_rows[0]; ++i) {
    if (strcmp(unary_rows[i].name, call->attr.def->name) == 0) {
      return &unary_rows[i];
    }
  }
  tn_panic(__FILE__, __LINE__, __func__, "operator '%s' has no row in unary_rows",
           call->attr.def->name);
}

static void read_params(const tn_node *call, double *p) {
  for (int32_t i = 0; i < MAX_PARAMS; ++i) {
    p[i] = i < tn_op_of(call)->n_fields ? tn_op_float(call, i) : 0;
  }
}

/* ---- the family ---- */

static tn_status check_class(unary_class cls, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  bool is_float = tn_dtype_is_float(dtype);
  bool is_bool = tn_dtype_is_bool(dtype);
  const char *want = NULL;
  switch (cls) {
    case FLOATS:
    case TESTS:
      want = is_float ? NULL : "a float type";
      break;
    case NUMBERS:
      want = is_bool ? "numbers" : NULL;
      break;
    case BITS_OR_BOOLS:
      want = is_float ? "an integer type or bool" : NULL;
      break;
    case BOOLS:
      want = is_bool ? NULL : "bool";
      break;
  }
  if (dtype != TN_DT_NONE && want != NULL) {
    return TN_ERR(TN_INVALID, "the operand has type %s, expected %s", tn_dtype_print(dtype, text),
                  want);
  }
  return NULL;
}

tn_status tn_op_infer_unary(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *type = NULL;
  unary_class cls = unary_row_of(call)->cls;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(check_class(cls, type->dtype));
  *out_type =
      cls == TESTS ? tn_ty_tensor(ctx->ir, TN_DT_BOOL, type->attr.i64, tn_op_shape(type)) : type;
  return NULL;
}

/* A bound of clip in an integer type. */
static int64_t saturated(tn_dtype dtype, double value) {
  int64_t cell = 0;
  tn_array one = {.data = &cell, .dtype = dtype, .is_view = true};
  tn_array_set_f64(&one, 0, value);
  return tn_array_get_i64(&one, 0);
}

static int64_t clip_i64(tn_dtype dtype, int64_t x, const double *p) {
  int64_t low = saturated(dtype, p[0]);
  int64_t high = saturated(dtype, p[1]);
  if (!tn_dtype_is_int(dtype)) {
    uint64_t capped = (uint64_t)x < (uint64_t)high ? (uint64_t)x : (uint64_t)high;
    return (int64_t)(capped > (uint64_t)low ? capped : (uint64_t)low);
  }
  int64_t capped = x < high ? x : high;
  return capped > low ? capped : low;
}

static int64_t unary_i64(const unary_row *row, tn_dtype dtype, int64_t x, const double *p) {
  bool is_signed = tn_dtype_is_int(dtype);
  if (row->f == r_negative) {
    return (int64_t)(0 - (uint64_t)x);
  }
  if (row->f == r_square) {
    return (int64_t)((uint64_t)x * (uint64_t)x);
  }
  if (row->f == r_clip) {
    return clip_i64(dtype, x, p);
  }
  if (row->f == r_bits) {
    return tn_dtype_is_bool(dtype) ? x == 0 : ~x;
  }
  if (row->f == r_sign) {
    return is_signed ? (x > 0) - (x < 0) : x != 0;
  }
  int64_t positive = is_signed && x < 0 ? 0 : x;
  if (row->f == r_relu) {
    return positive;
  }
  if (row->f == r_relu6) {
    return (uint64_t)positive < 6 ? positive : 6;
  }
  return is_signed && x < 0 ? (int64_t)(0 - (uint64_t)x) : x; /* abs */
}

tn_status tn_op_eval_unary(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  const unary_row *row = unary_row_of(call);
  double p[MAX_PARAMS];
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  read_params(call, p);
  TN_TRY(tn_array_init(out, row->cls == TESTS ? TN_DT_BOOL : x->dtype, x->ndim, x->shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    if (tn_dtype_is_float(x->dtype)) {
      tn_array_set_f64(out, i, row->f(tn_array_get_f64(x, i), p));
    } else {
      tn_array_set_i64(out, i, unary_i64(row, x->dtype, tn_array_get_i64(x, i), p));
    }
  }
  return NULL;
}

static tn_status build_unary(tn_kernel *k, const tn_node *type) {
  const unary_row *row = unary_row_of(k->call);
  const tn_node *out = NULL;
  double p[MAX_PARAMS];
  read_params(k->call, p);
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *x = tn_te_load(k->te, k->buffers.data[0], k->axes);
  const tn_node *value = row->build != NULL
                             ? row->build(k, x, p)
                             : tn_te_intrin(k->te, (tn_intrin_id)row->intrin, TN_TE_LIST(x));
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_unary(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, unary_row_of(call)->symbol, build_unary, out_func);
}
