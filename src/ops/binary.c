/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elementwise operators of two tensors, and astype. Two operands broadcast by NumPy's rule and have
 * one dtype. Integers wrap; floor_divide rounds down; integer division by zero is an error in the
 * reference. maximum and minimum give NaN where either side is. Floats are computed in float64 and
 * rounded to their type in the reference. */
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

/* ---- two operands ---- */

typedef enum binary_class { ARITHMETIC, COMPARISON, FLOATS_ONLY, BITS, SHIFT, BOOLS } binary_class;

/* What has no node of its own. */
enum { OP_POWER = -1, OP_ATAN2 = -2, OP_LOG_ADD_EXP = -3 };

typedef struct binary_row {
  const char *name;
  binary_class cls;
  int32_t op; /* tn_op, or OP_* */
} binary_row;

static const binary_row binary_rows[] = {
    {"add", ARITHMETIC, TN_OP_ADD},
    {"subtract", ARITHMETIC, TN_OP_SUB},
    {"multiply", ARITHMETIC, TN_OP_MUL},
    {"divide", ARITHMETIC, TN_OP_DIV},
    {"floor_divide", ARITHMETIC, TN_OP_FLOORDIV},
    {"mod", ARITHMETIC, TN_OP_MOD},
    {"floor_mod", ARITHMETIC, TN_OP_FLOORMOD},
    {"maximum", ARITHMETIC, TN_OP_MAX},
    {"minimum", ARITHMETIC, TN_OP_MIN},
    {"power", FLOATS_ONLY, OP_POWER},
    {"atan2", FLOATS_ONLY, OP_ATAN2},
    {"log_add_exp", FLOATS_ONLY, OP_LOG_ADD_EXP},
    {"equal", COMPARISON, TN_OP_EQ},
    {"not_equal", COMPARISON, TN_OP_NE},
    {"less", COMPARISON, TN_OP_LT},
    {"less_equal", COMPARISON, TN_OP_LE},
    {"greater", COMPARISON, TN_OP_GT},
    {"greater_equal", COMPARISON, TN_OP_GE},
    {"bitwise_and", BITS, TN_OP_BAND},
    {"bitwise_or", BITS, TN_OP_BOR},
    {"bitwise_xor", BITS, TN_OP_BXOR},
    {"left_shift", SHIFT, TN_OP_SHL},
    {"right_shift", SHIFT, TN_OP_SHR},
    {"logical_and", BOOLS, TN_OP_AND},
    {"logical_or", BOOLS, TN_OP_OR},
    {"logical_xor", BOOLS, TN_OP_NE},
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
  char text[TN_DTYPE_TEXT_BYTES];
  tn_dtype dtype = a->dtype;
  TN_TRY(tn_op_same_dtype(a, b));
  if (dtype == TN_DT_NONE) {
    return NULL;
  }
  const char *want = NULL;
  bool is_float = tn_dtype_is_float(dtype);
  bool is_bool = tn_dtype_is_bool(dtype);
  switch (row->cls) {
    case ARITHMETIC:
    case COMPARISON:
      break;
    case FLOATS_ONLY:
      want = is_float ? NULL : "a float type";
      break;
    case BITS:
      want = is_float ? "an integer type or bool" : NULL;
      break;
    case SHIFT:
      want = is_float || is_bool ? "an integer type" : NULL;
      break;
    case BOOLS:
      want = is_bool ? NULL : "bool";
      break;
  }
  if (want != NULL) {
    return TN_ERR(TN_INVALID, "the operands have type %s, expected %s", tn_dtype_print(dtype, text),
                  want);
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

double tn_op_maximum(double a, double b) { return isnan(b) || b > a ? b : a; }
double tn_op_minimum(double a, double b) { return isnan(b) || b < a ? b : a; }

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
    case TN_OP_MOD:
      return fmod(a, b);
    case TN_OP_FLOORMOD:
      return a - floor(a / b) * b;
    case TN_OP_MAX:
      return tn_op_maximum(a, b);
    case TN_OP_MIN:
      return tn_op_minimum(a, b);
    case OP_ATAN2:
      return atan2(a, b);
    case OP_LOG_ADD_EXP:
      return (a > b ? a : b) + log1p(exp(-fabs(a - b)));
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

static bool divides(int32_t op) {
  return op == TN_OP_DIV || op == TN_OP_FLOORDIV || op == TN_OP_MOD || op == TN_OP_FLOORMOD;
}

static tn_status divide_i64(int32_t op, bool is_unsigned, int64_t a, int64_t b, int64_t *out) {
  bool is_rest = op == TN_OP_MOD || op == TN_OP_FLOORMOD;
  if (b == 0) {
    return TN_ERR(TN_INVALID, "integer division by zero");
  }
  if (is_unsigned) {
    *out = (int64_t)(is_rest ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
    return NULL;
  }
  if (b == -1) {
    *out = is_rest ? 0 : (int64_t)(0 - (uint64_t)a);
    return NULL;
  }
  bool is_lower =
      a % b != 0 && (a < 0) != (b < 0) && (op == TN_OP_FLOORDIV || op == TN_OP_FLOORMOD);
  *out = is_rest ? a % b + (is_lower ? b : 0) : a / b - (is_lower ? 1 : 0);
  return NULL;
}

/* A shift by the width or more, or by less than 0, gives 0, or the sign. */
static int64_t shift_i64(int32_t op, tn_dtype dtype, int64_t a, int64_t b) {
  bool is_out = b < 0 || (uint64_t)b >= tn_dtype_bits(dtype);
  if (op == TN_OP_SHL) {
    return is_out ? 0 : (int64_t)((uint64_t)a << b);
  }
  if (!tn_dtype_is_int(dtype)) {
    return is_out ? 0 : (int64_t)((uint64_t)a >> b);
  }
  return is_out ? (a < 0 ? -1 : 0) : a >> b;
}

/* Comparisons and divisions know the sign; the rest wraps the same for both. */
static tn_status apply_i64(int32_t op, tn_dtype dtype, int64_t a, int64_t b, int64_t *out) {
  uint64_t ua = (uint64_t)a;
  uint64_t ub = (uint64_t)b;
  bool is_unsigned = !tn_dtype_is_int(dtype);
  bool is_less = is_unsigned ? ua < ub : a < b;
  if (divides(op)) {
    return divide_i64(op, is_unsigned, a, b, out);
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
    case TN_OP_BAND:
    case TN_OP_AND:
      *out = a & b;
      return NULL;
    case TN_OP_BOR:
    case TN_OP_OR:
      *out = a | b;
      return NULL;
    case TN_OP_BXOR:
      *out = a ^ b;
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
      *out = shift_i64(op, dtype, a, b);
      return NULL;
  }
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
    tn_status st = apply_i64(row->op, dtype, tn_array_get_i64(args[0], a),
                             tn_array_get_i64(args[1], b), &value);
    if (st != NULL) {
      tn_array_deinit(out);
      return st;
    }
    tn_array_set_i64(out, i, value);
  }
  return NULL;
}

/* log(exp(a) + exp(b)), in a form that does not overflow. */
static const tn_node *log_add_exp(tn_kernel *k, const tn_node *a, const tn_node *b) {
  const tn_node *top = tn_te_max(k->te, a, b);
  const tn_node *apart = tn_te_intrin(k->te, TN_INTRIN_FABS, TN_TE_LIST(tn_te_sub(k->te, a, b)));
  const tn_node *minus = tn_te_sub(k->te, tn_te_number(k->te, a->dtype, 0), apart);
  return tn_te_add(k->te, top,
                   tn_te_intrin(k->te, TN_INTRIN_LOG1P,
                                TN_TE_LIST(tn_te_intrin(k->te, TN_INTRIN_EXP, TN_TE_LIST(minus)))));
}

static const tn_node *binary_value(tn_kernel *k, const binary_row *row, const tn_node *a,
                                   const tn_node *b) {
  switch (row->op) {
    case OP_POWER:
      return tn_te_intrin(k->te, TN_INTRIN_POW, TN_TE_LIST(a, b));
    case OP_ATAN2:
      return tn_te_intrin(k->te, TN_INTRIN_ATAN2, TN_TE_LIST(a, b));
    case OP_LOG_ADD_EXP:
      return log_add_exp(k, a, b);
    case TN_OP_MAX:
      return tn_te_maximum(k->te, a, b);
    case TN_OP_MIN:
      return tn_te_minimum(k->te, a, b);
    default:
      return tn_te_op(k->te, (tn_op)row->op, a, b);
  }
}

static tn_status build_binary(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *a = tn_kernel_load_broadcast(k, k->buffers.data[0]);
  const tn_node *b = tn_kernel_load_broadcast(k, k->buffers.data[1]);
  tn_te_end_into(k->te, out, k->axes, binary_value(k, binary_row_of(k->call), a, b), NULL);
  return NULL;
}

tn_status tn_op_lower_binary(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_binary, out_func);
}

/* ---- astype ---- */

static tn_status target_dtype(const tn_node *call, tn_dtype *out) {
  return tn_op_dtype_field(call, 0, TN_DT_NONE, out);
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
    if (tn_dtype_is_any_float(args[0]->dtype)) {
      double value = tn_array_get_f64(args[0], i);
      tn_array_set_f64(out, i, tn_dtype_is_bool(dtype) ? value != 0 : value);
    } else {
      int64_t value = tn_array_get_i64(args[0], i);
      tn_array_set_i64(out, i, tn_dtype_is_bool(dtype) ? value != 0 : value);
    }
  }
  return NULL;
}

static tn_status build_astype(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *x = tn_te_load(k->te, k->buffers.data[0], k->axes);
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, x), NULL);
  return NULL;
}

tn_status tn_op_lower_astype(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "cast", build_astype, out_func);
}
