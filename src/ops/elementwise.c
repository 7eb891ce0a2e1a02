/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elementwise operators of one and two tensors. Two operands broadcast by NumPy's rule and have one
 * dtype. Integers wrap; floor_divide rounds down; integer division by zero is an error in the
 * reference. maximum(a, b) is a > b ? a : b, so a NaN on either side gives b. Floats are computed
 * in float64 and rounded to their type in the reference. */
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

/* ---- two operands ---- */

typedef enum binary_class { ARITHMETIC, COMPARISON, FLOATS_ONLY } binary_class;

typedef struct binary_row {
  const char *name;
  binary_class cls;
  int32_t op; /* tn_op, or -1: the intrinsic pow */
} binary_row;

static const binary_row binary_rows[] = {
    {"add", ARITHMETIC, TN_OP_ADD},
    {"subtract", ARITHMETIC, TN_OP_SUB},
    {"multiply", ARITHMETIC, TN_OP_MUL},
    {"divide", ARITHMETIC, TN_OP_DIV},
    {"floor_divide", ARITHMETIC, TN_OP_FLOORDIV},
    {"maximum", ARITHMETIC, TN_OP_MAX},
    {"minimum", ARITHMETIC, TN_OP_MIN},
    {"power", FLOATS_ONLY, -1},
    {"equal", COMPARISON, TN_OP_EQ},
    {"not_equal", COMPARISON, TN_OP_NE},
    {"less", COMPARISON, TN_OP_LT},
    {"less_equal", COMPARISON, TN_OP_LE},
    {"greater", COMPARISON, TN_OP_GT},
    {"greater_equal", COMPARISON, TN_OP_GE},
};

static const binary_row *binary_row_of(const tn_node *call) {
  for (size_t i = 0; i < sizeof binary_rows / sizeof binary_rows[0]; ++i) {
    if (strcmp(binary_rows[i].name, call->attr.def->name) == 0) {
      return &binary_rows[i];
    }
  }
  tn_panic(__FILE__, __LINE__, __func__, "operator '%s' has no row in binary_rows",
           call->attr.def->name);
}

static tn_status check_binary_dtypes(const binary_row *row, const tn_node *a, const tn_node *b) {
  char ta[TN_DTYPE_TEXT_BYTES];
  char tb[TN_DTYPE_TEXT_BYTES];
  if (a->dtype != TN_DT_NONE && b->dtype != TN_DT_NONE && a->dtype != b->dtype) {
    return TN_ERR(TN_INVALID, "the operands have types %s and %s", tn_dtype_print(a->dtype, ta),
                  tn_dtype_print(b->dtype, tb));
  }
  if (row->cls == FLOATS_ONLY && a->dtype != TN_DT_NONE && !tn_dtype_is_float(a->dtype)) {
    return TN_ERR(TN_INVALID, "the operands have type %s, expected a float type",
                  tn_dtype_print(a->dtype, ta));
  }
  return NULL;
}

tn_status tn_op_infer_binary(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const binary_row *row = binary_row_of(call);
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  const tn_node *shape = NULL;
  int64_t ndim = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &a));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &b));
  TN_TRY(check_binary_dtypes(row, a, b));
  TN_TRY(tn_op_broadcast(ctx->ir, row->name, a, b, &ndim, &shape));
  tn_dtype dtype = a->dtype != TN_DT_NONE ? a->dtype : b->dtype;
  *out_type = tn_ty_tensor(ctx->ir, row->cls == COMPARISON ? TN_DT_BOOL : dtype, ndim, shape);
  return NULL;
}

static double apply_f64(int32_t op, double a, double b) {
  switch (op) {
    case TN_OP_ADD:
      return a + b;
    case TN_OP_SUB:
      return a - b;
    case TN_OP_MUL:
      return a * b;
    case TN_OP_DIV:
      return a / b;
    case TN_OP_FLOORDIV:
      return floor(a / b);
    case TN_OP_MAX:
      return a > b ? a : b;
    case TN_OP_MIN:
      return a < b ? a : b;
    case TN_OP_EQ:
      return a == b;
    case TN_OP_NE:
      return a != b;
    case TN_OP_LT:
      return a < b;
    case TN_OP_LE:
      return a <= b;
    case TN_OP_GT:
      return a > b;
    case TN_OP_GE:
      return a >= b;
    default:
      return pow(a, b);
  }
}

/* Comparisons and divisions know the sign; the rest wraps the same for both. */
static tn_status apply_i64(int32_t op, bool is_unsigned, int64_t a, int64_t b, int64_t *out) {
  uint64_t ua = (uint64_t)a;
  uint64_t ub = (uint64_t)b;
  bool is_less = is_unsigned ? ua < ub : a < b;
  if ((op == TN_OP_DIV || op == TN_OP_FLOORDIV) && b == 0) {
    return TN_ERR(TN_INVALID, "integer division by zero");
  }
  switch (op) {
    case TN_OP_ADD:
      *out = (int64_t)(ua + ub);
      return NULL;
    case TN_OP_SUB:
      *out = (int64_t)(ua - ub);
      return NULL;
    case TN_OP_MUL:
      *out = (int64_t)(ua * ub);
      return NULL;
    case TN_OP_MAX:
      *out = is_less ? b : a;
      return NULL;
    case TN_OP_MIN:
      *out = is_less ? a : b;
      return NULL;
    case TN_OP_EQ:
      *out = a == b;
      return NULL;
    case TN_OP_NE:
      *out = a != b;
      return NULL;
    case TN_OP_LT:
      *out = is_less;
      return NULL;
    case TN_OP_LE:
      *out = is_less || a == b;
      return NULL;
    case TN_OP_GT:
      *out = !is_less && a != b;
      return NULL;
    case TN_OP_GE:
      *out = !is_less;
      return NULL;
    default:
      break;
  }
  if (is_unsigned) {
    *out = (int64_t)(ua / ub);
  } else if (b == -1) {
    *out = (int64_t)(0 - ua);
  } else {
    *out = a / b - (op == TN_OP_FLOORDIV && a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  return NULL;
}

/* Position of result element `i` in an operand. */
static int64_t operand_at(const tn_array *out, const tn_array *operand, int64_t i) {
  int64_t at = 0;
  int64_t stride = 1;
  for (int32_t d = 1; d <= operand->ndim; ++d) {
    int64_t extent = out->shape[out->ndim - d];
    int64_t have = operand->shape[operand->ndim - d];
    at += have == 1 ? 0 : i % extent * stride;
    stride *= have;
    i /= extent;
  }
  return at;
}

static tn_status broadcast_arrays(const tn_array *a, const tn_array *b, int64_t *shape,
                                  int32_t *out_ndim) {
  int32_t n = a->ndim > b->ndim ? a->ndim : b->ndim;
  for (int32_t d = 1; d <= n; ++d) {
    int64_t da = d <= a->ndim ? a->shape[a->ndim - d] : 1;
    int64_t db = d <= b->ndim ? b->shape[b->ndim - d] : 1;
    if (da != db && da != 1 && db != 1) {
      return TN_ERR(TN_INVALID, "the extents %lld and %lld do not broadcast", (long long)da,
                    (long long)db);
    }
    shape[n - d] = da == 1 ? db : da;
  }
  *out_ndim = n;
  return NULL;
}

tn_status tn_op_eval_binary(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  const binary_row *row = binary_row_of(call);
  int64_t shape[TN_MAX_NDIM];
  int32_t ndim = 0;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->dtype != args[1]->dtype) {
    return TN_ERR(TN_INVALID, "expected two tensors of one dtype");
  }
  tn_dtype dtype = args[0]->dtype;
  TN_TRY(broadcast_arrays(args[0], args[1], shape, &ndim));
  TN_TRY(tn_array_init(out, row->cls == COMPARISON ? TN_DT_BOOL : dtype, ndim, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t a = operand_at(out, args[0], i);
    int64_t b = operand_at(out, args[1], i);
    if (tn_dtype_is_float(dtype)) {
      tn_array_set_f64(
          out, i, apply_f64(row->op, tn_array_get_f64(args[0], a), tn_array_get_f64(args[1], b)));
      continue;
    }
    int64_t value = 0;
    tn_status st = apply_i64(row->op, !tn_dtype_is_int(dtype), tn_array_get_i64(args[0], a),
                             tn_array_get_i64(args[1], b), &value);
    if (st != NULL) {
      tn_array_deinit(out);
      return st;
    }
    tn_array_set_i64(out, i, value);
  }
  return NULL;
}

/* The result's buffer and a block over all its elements. */
static tn_status begin_elementwise(tn_kernel *k, const tn_node **out_buffer) {
  tn_infer_ctx ctx = {.ir = k->ir};
  const tn_node *type = NULL;
  TN_TRY(tn_graph_infer(&ctx, k->call, &type));
  TN_TRY(tn_kernel_result(k, type, out_buffer));
  const tn_node *shape = (*out_buffer)->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_elem", shape->n_in, shape->in, 0, NULL);
  return NULL;
}

static tn_status binary_value(tn_kernel *k, const binary_row *row, const tn_node *a,
                              const tn_node *b, const tn_node **out) {
  if (row->op >= 0) {
    return tn_tir_binary(k->ir, (tn_op)row->op, a, b, out);
  }
  const tn_node *args[] = {a, b};
  return tn_tir_intrin(k->ir, tn_intrin_get(TN_INTRIN_POW), TN_DT_NONE, 2, args, out);
}

static tn_status build_binary(tn_kernel *k, const binary_row *row) {
  const tn_node *out = NULL;
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  const tn_node *value = NULL;
  TN_TRY(begin_elementwise(k, &out));
  TN_TRY(tn_kernel_load_broadcast(k, k->buffers.data[0], k->n_spatial, &a));
  TN_TRY(tn_kernel_load_broadcast(k, k->buffers.data[1], k->n_spatial, &b));
  TN_TRY(binary_value(k, row, a, b, &value));
  return tn_kernel_end(k, out, k->axes, value, NULL);
}

tn_status tn_op_lower_binary(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  tn_kernel k;
  const binary_row *row = binary_row_of(call);
  tn_status st = tn_kernel_init(&k, ir, call);
  if (st == NULL) {
    st = build_binary(&k, row);
  }
  if (st == NULL) {
    *out_func = tn_kernel_finish(&k, row->name);
  }
  tn_kernel_deinit(&k);
  return st;
}

/* ---- one operand ---- */

typedef struct unary_row {
  const char *name;
  const char *symbol; /* of the loop function */
  double (*f)(double);
  int32_t intrin; /* tn_intrin_id, -1: see unary_value */
  bool takes_ints;
} unary_row;

static double f_negative(double x) { return -x; }
static double f_rsqrt(double x) { return 1 / sqrt(x); }
static double f_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double f_relu(double x) { return x > 0 ? x : 0; } /* as the loop function: NaN gives 0 */

static const unary_row unary_rows[] = {
    {"abs", "abs", fabs, TN_INTRIN_ABS, true},
    {"ceil", "ceil", ceil, TN_INTRIN_CEIL, false},
    {"cos", "cos", cos, TN_INTRIN_COS, false},
    {"erf", "erf", erf, TN_INTRIN_ERF, false},
    {"exp", "exp", exp, TN_INTRIN_EXP, false},
    {"floor", "floor", floor, TN_INTRIN_FLOOR, false},
    {"log", "log", log, TN_INTRIN_LOG, false},
    {"negative", "negative", f_negative, -1, true},
    {"nn.relu", "relu", f_relu, -1, true},
    {"rsqrt", "rsqrt", f_rsqrt, TN_INTRIN_RSQRT, false},
    {"sigmoid", "sigmoid", f_sigmoid, TN_INTRIN_SIGMOID, false},
    {"sin", "sin", sin, TN_INTRIN_SIN, false},
    {"sqrt", "sqrt", sqrt, TN_INTRIN_SQRT, false},
    {"tanh", "tanh", tanh, TN_INTRIN_TANH, false},
};

static const unary_row *unary_row_of(const tn_node *call) {
  for (size_t i = 0; i < sizeof unary_rows / sizeof unary_rows[0]; ++i) {
    if (strcmp(unary_rows[i].name, call->attr.def->name) == 0) {
      return &unary_rows[i];
    }
  }
  tn_panic(__FILE__, __LINE__, __func__, "operator '%s' has no row in unary_rows",
           call->attr.def->name);
}

tn_status tn_op_infer_unary(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  char text[TN_DTYPE_TEXT_BYTES];
  const tn_node *type = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  if (!unary_row_of(call)->takes_ints && type->dtype != TN_DT_NONE &&
      !tn_dtype_is_float(type->dtype)) {
    return TN_ERR(TN_INVALID, "the operand has type %s, expected a float type",
                  tn_dtype_print(type->dtype, text));
  }
  *out_type = type;
  return NULL;
}

static int64_t unary_i64(const unary_row *row, tn_dtype dtype, int64_t x) {
  if (row->f == f_negative) {
    return (int64_t)(0 - (uint64_t)x);
  }
  if (!tn_dtype_is_int(dtype)) {
    return x;
  }
  return row->f == f_relu ? (x > 0 ? x : 0) : x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

tn_status tn_op_eval_unary(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  const unary_row *row = unary_row_of(call);
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    if (tn_dtype_is_float(x->dtype)) {
      tn_array_set_f64(out, i, row->f(tn_array_get_f64(x, i)));
    } else {
      tn_array_set_i64(out, i, unary_i64(row, x->dtype, tn_array_get_i64(x, i)));
    }
  }
  return NULL;
}

static const tn_node *zero_of(tn_ir *ir, tn_dtype dtype) {
  return tn_dtype_is_float(dtype) ? tn_float(ir, dtype, 0) : tn_int(ir, dtype, 0);
}

static tn_status unary_value(tn_kernel *k, const unary_row *row, const tn_node *x,
                             const tn_node **out) {
  if (row->intrin >= 0) {
    return tn_tir_intrin(k->ir, tn_intrin_get((tn_intrin_id)row->intrin), TN_DT_NONE, 1, &x, out);
  }
  if (row->f == f_negative) {
    return tn_tir_unary(k->ir, TN_OP_NEG, x, out);
  }
  return tn_tir_binary(k->ir, TN_OP_MAX, x, zero_of(k->ir, x->dtype), out);
}

static tn_status build_unary(tn_kernel *k, const unary_row *row) {
  const tn_node *out = NULL;
  const tn_node *x = NULL;
  const tn_node *value = NULL;
  TN_TRY(begin_elementwise(k, &out));
  TN_TRY(tn_kernel_load(k, k->buffers.data[0], k->axes, &x));
  TN_TRY(unary_value(k, row, x, &value));
  return tn_kernel_end(k, out, k->axes, value, NULL);
}

tn_status tn_op_lower_unary(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  tn_kernel k;
  const unary_row *row = unary_row_of(call);
  tn_status st = tn_kernel_init(&k, ir, call);
  if (st == NULL) {
    st = build_unary(&k, row);
  }
  if (st == NULL) {
    *out_func = tn_kernel_finish(&k, row->symbol);
  }
  tn_kernel_deinit(&k);
  return st;
}

/* ---- astype ---- */

static tn_status target_dtype(const tn_node *call, tn_dtype *out) {
  const tn_node *field = tn_call_field(call, 0);
  if (field != NULL && field->op == TN_OP_DTYPE) {
    *out = (tn_dtype)field->attr.i64;
    return NULL;
  }
  if (field != NULL && field->op == TN_OP_STR &&
      tn_dtype_parse(field->attr.text, strlen(field->attr.text), out)) {
    return NULL;
  }
  return TN_ERR(TN_INVALID, "'dtype' names no element type");
}

tn_status tn_op_infer_astype(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *type = NULL;
  tn_dtype dtype = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(target_dtype(call, &dtype));
  *out_type = tn_ty_tensor(ctx->ir, dtype, type->attr.i64, tn_op_shape(type));
  return NULL;
}

tn_status tn_op_eval_astype(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  tn_dtype dtype = 0;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  TN_TRY(target_dtype(call, &dtype));
  TN_TRY(tn_array_init(out, dtype, args[0]->ndim, args[0]->shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    if (tn_dtype_is_float(args[0]->dtype)) {
      double value = tn_array_get_f64(args[0], i);
      tn_array_set_f64(out, i, tn_dtype_is_bool(dtype) ? value != 0 : value);
    } else {
      int64_t value = tn_array_get_i64(args[0], i);
      tn_array_set_i64(out, i, tn_dtype_is_bool(dtype) ? value != 0 : value);
    }
  }
  return NULL;
}

static tn_status build_astype(tn_kernel *k) {
  const tn_node *out = NULL;
  const tn_node *x = NULL;
  const tn_node *value = NULL;
  TN_TRY(begin_elementwise(k, &out));
  TN_TRY(tn_kernel_load(k, k->buffers.data[0], k->axes, &x));
  TN_TRY(tn_tir_cast(k->ir, out->dtype, x, &value));
  return tn_kernel_end(k, out, k->axes, value, NULL);
}

tn_status tn_op_lower_astype(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  tn_kernel k;
  tn_status st = tn_kernel_init(&k, ir, call);
  if (st == NULL) {
    st = build_astype(&k);
  }
  if (st == NULL) {
    *out_func = tn_kernel_finish(&k, "cast");
  }
  tn_kernel_deinit(&k);
  return st;
}
