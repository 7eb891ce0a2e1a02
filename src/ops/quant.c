/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* quantize: clip(round(x / scale) + zero_point), round to the nearest, halves to even; dequantize:
 * (x - zero_point) * scale. Scale and zero point are scalars, vectors along an axis, or (block_size)
 * tensors of x's shape with one element for each block of the axis. Numbers are computed in float32
 * (float64 where x is that). */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

enum { QUANT_AXIS, QUANT_DTYPE, QUANT_BLOCK };

static bool is_quantize(const tn_node *call) { return call->attr.def->name[0] == 'q'; }

static const char *parameter_name(uint32_t i) { return i == 1 ? "the scale" : "the zero point"; }

/* One element for each block: every extent is x's, that of the axis counts blocks. */
static tn_status check_blocks(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                              const tn_node *x, const tn_node *type) {
  int64_t axis = 0;
  int64_t block = tn_op_int(call, QUANT_BLOCK);
  TN_TRY(tn_op_rank(type, x->attr.i64, parameter_name(i)));
  TN_TRY(tn_op_axis(call->attr.def->name, tn_op_int(call, QUANT_AXIS), x->attr.i64, &axis));
  const tn_node *shape = tn_op_shape(type);
  const tn_node *whole = tn_op_shape(x);
  for (uint32_t d = 0; shape != NULL && whole != NULL && d < shape->n_in; ++d) {
    const tn_node *want = whole->in[d];
    if ((int64_t)d == axis) {
      want = tn_binary(ctx->ir, TN_OP_ADD, want, tn_int(ctx->ir, TN_DT_I64, block - 1));
      want = tn_binary(ctx->ir, TN_OP_FLOORDIV, want, tn_int(ctx->ir, TN_DT_I64, block));
      want = tn_op_simplify(ctx->ir, want);
    }
    TN_TRY(tn_op_same_extent(ctx->ir, shape->in[d], parameter_name(i), want,
                             (int64_t)d == axis ? "the blocks of the axis" : "the tensor"));
  }
  return NULL;
}

static tn_status check_parameter(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                                 const tn_node *x) {
  const tn_node *type = NULL;
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, i, &type));
  if (tn_op_int(call, QUANT_BLOCK) > 0 && type->attr.i64 != 0) {
    return x->attr.i64 < 0 ? NULL : check_blocks(ctx, call, i, x, type);
  }
  const tn_node *shape = tn_op_shape(type);
  bool is_one =
      type->attr.i64 == 0 || (shape != NULL && shape->n_in == 1 && tn_is_int(shape->in[0], 1));
  if (is_one || x->attr.i64 < 0) {
    return NULL;
  }
  TN_TRY(tn_op_rank(type, 1, parameter_name(i)));
  TN_TRY(tn_op_axis(call->attr.def->name, tn_op_int(call, QUANT_AXIS), x->attr.i64, &axis));
  if (shape != NULL && tn_op_shape(x) != NULL) {
    TN_TRY(tn_op_same_extent(ctx->ir, shape->in[0], parameter_name(i), tn_op_shape(x)->in[axis],
                             "the axis"));
  }
  return NULL;
}

tn_status tn_op_infer_quant(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *scale = NULL;
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &scale));
  TN_TRY(tn_op_want_float(scale));
  if (is_quantize(call)) {
    TN_TRY(tn_op_want_float(x));
  }
  TN_TRY(tn_op_dtype_field(call, QUANT_DTYPE, is_quantize(call) ? TN_DT_I8 : TN_DT_F32, &dtype));
  bool is_fine = is_quantize(call) ? tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype)
                                   : tn_dtype_is_float(dtype);
  if (!is_fine || (is_quantize(call) && tn_dtype_bits(dtype) > 32)) {
    return TN_ERR(TN_INVALID, "'out_dtype' is no type of %s",
                  is_quantize(call) ? "integers up to 32 bits" : "floats");
  }
  if (tn_op_int(call, QUANT_BLOCK) < 0 || tn_op_int(call, QUANT_BLOCK) > INT32_MAX) {
    return TN_ERR(TN_INVALID, "'block_size' is %" PRId64, tn_op_int(call, QUANT_BLOCK));
  }
  TN_TRY(check_parameter(ctx, call, 1, x));
  TN_TRY(check_parameter(ctx, call, 2, x));
  *out_type = tn_ty_tensor(ctx->ir, dtype, x->attr.i64, tn_op_shape(x));
  return NULL;
}

static tn_dtype work_dtype(tn_dtype x) { return x == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32; }

/* The least and greatest value of an integer type of at most 32 bits. */
static void range_of(tn_dtype dtype, double *out_least, double *out_greatest) {
  int64_t n = (int64_t)1 << tn_dtype_bits(dtype);
  *out_least = tn_dtype_is_int(dtype) ? (double)(-n / 2) : 0;
  *out_greatest = tn_dtype_is_int(dtype) ? (double)(n / 2 - 1) : (double)(n - 1);
}

static double quantized(double x, double scale, double zero, tn_dtype work, tn_dtype dtype) {
  double least = 0;
  double greatest = 0;
  range_of(dtype, &least, &greatest);
  double ratio = work == TN_DT_F64 ? x / scale : (double)((float)x / (float)scale);
  double value = rint(ratio) + zero;
  value = value < greatest ? value : greatest;
  return value > least ? value : least;
}

/* Where element i of x finds its element of `parameter`; -1 where shapes do not fit. */
static int64_t parameter_at(const tn_node *call, const tn_array *x, int64_t axis, int64_t i,
                            const tn_array *parameter) {
  int64_t at[TN_MAX_NDIM];
  int64_t block = tn_op_int(call, QUANT_BLOCK);
  if (tn_array_n_elems(parameter) == 1) {
    return 0;
  }
  tn_unravel(x, i, at);
  if (block == 0) {
    return at[axis];
  }
  at[axis] /= block;
  return tn_ravel(parameter, at);
}

static tn_status check_array(const tn_node *call, const tn_array *x, int64_t axis,
                             const tn_array *parameter, int32_t i) {
  int64_t block = tn_op_int(call, QUANT_BLOCK);
  bool fits = tn_array_n_elems(parameter) == 1;
  if (!fits && block > 0 && parameter->ndim == x->ndim) {
    fits = true;
    for (int32_t d = 0; d < x->ndim; ++d) {
      int64_t want = d == axis ? x->shape[d] / block + (x->shape[d] % block != 0) : x->shape[d];
      fits = fits && parameter->shape[d] == want;
    }
  } else if (!fits && block == 0 && x->ndim > 0) {
    fits = parameter->ndim == 1 && parameter->shape[0] == x->shape[axis];
  }
  return fits ? NULL : TN_ERR(TN_INVALID, "argument %d has not the extent of the axis", i);
}

tn_status tn_op_eval_quant(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  int64_t axis = 0;
  tn_dtype dtype = TN_DT_NONE;
  for (int32_t i = 0; i < 3; ++i) {
    if (n_args != 3 || args[i] == NULL) {
      return TN_ERR(TN_INVALID, "expected a tensor, a scale and a zero point");
    }
  }
  const tn_array *x = args[0];
  bool is_scalar = tn_array_n_elems(args[1]) == 1 && tn_array_n_elems(args[2]) == 1;
  if (!is_scalar) {
    TN_TRY(tn_op_axis(call->attr.def->name, tn_op_int(call, QUANT_AXIS), x->ndim, &axis));
    TN_TRY(check_array(call, x, axis, args[1], 1));
    TN_TRY(check_array(call, x, axis, args[2], 2));
  }
  TN_TRY(tn_op_dtype_field(call, QUANT_DTYPE, is_quantize(call) ? TN_DT_I8 : TN_DT_F32, &dtype));
  TN_TRY(tn_array_init(out, dtype, x->ndim, x->shape));
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    double scale = tn_array_get_f64(args[1], parameter_at(call, x, axis, i, args[1]));
    double zero = tn_array_get_f64(args[2], parameter_at(call, x, axis, i, args[2]));
    double value = tn_array_get_f64(x, i);
    tn_array_set_f64(out, i,
                     is_quantize(call) ? quantized(value, scale, zero, work_dtype(x->dtype), dtype)
                                       : (value - zero) * scale);
  }
  return NULL;
}

/* The element of scale or zero point for the block's element. */
static const tn_node *parameter(tn_kernel *k, const tn_node *tensor, int64_t axis) {
  const tn_node *shape = tensor->in[TN_BUFFER_SHAPE];
  const tn_node *blocks[TN_MAX_NDIM];
  int64_t block = tn_op_int(k->call, QUANT_BLOCK);
  for (uint32_t d = 0; block > 0 && d < shape->n_in; ++d) {
    blocks[d] = k->axes[d];
    if ((int64_t)d == axis) {
      blocks[d] = tn_te_op(k->te, TN_OP_FLOORDIV, blocks[d], tn_int(k->ir, TN_DT_I64, block));
    }
  }
  if (block > 0 && shape->n_in > 0) {
    return tn_te_load(k->te, tensor, blocks);
  }
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *at = shape->n_in == 1 && tn_is_int(shape->in[0], 1) ? zero : k->axes[axis];
  return tn_te_load(k->te, tensor, shape->n_in == 0 ? NULL : &at);
}

/* Differences of integers are exact. */
static const tn_node *difference(tn_kernel *k, const tn_node *x, const tn_node *zero,
                                 tn_dtype work) {
  if (tn_dtype_is_any_float(x->dtype) || tn_dtype_is_any_float(zero->dtype)) {
    return tn_te_sub(k->te, tn_te_cast(k->te, work, x), tn_te_cast(k->te, work, zero));
  }
  const tn_node *exact =
      tn_te_sub(k->te, tn_te_cast(k->te, TN_DT_I64, x), tn_te_cast(k->te, TN_DT_I64, zero));
  return tn_te_cast(k->te, work, exact);
}

static tn_status build_quant(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  int64_t axis = 0;
  double least = 0;
  double greatest = 0;
  const tn_node *const args[3] = {k->buffers.data[0], k->buffers.data[1], k->buffers.data[2]};
  bool is_vector = tn_buffer_ndim(args[1]) + tn_buffer_ndim(args[2]) > 0;
  if (is_vector && tn_buffer_ndim(args[0]) > 0) {
    TN_TRY(tn_op_axis(k->call->attr.def->name, tn_op_int(k->call, QUANT_AXIS),
                      tn_buffer_ndim(args[0]), &axis));
  }
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *x = tn_te_load(k->te, args[0], k->axes);
  const tn_node *scale = parameter(k, args[1], axis);
  const tn_node *zero = parameter(k, args[2], axis);
  tn_dtype work = work_dtype(is_quantize(k->call) ? x->dtype : out->dtype);
  if (!is_quantize(k->call)) {
    const tn_node *value =
        tn_te_mul(k->te, difference(k, x, zero, work), tn_te_cast(k->te, work, scale));
    tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
    return NULL;
  }
  range_of(out->dtype, &least, &greatest);
  const tn_node *ratio =
      tn_te_div(k->te, tn_te_cast(k->te, work, x), tn_te_cast(k->te, work, scale));
  ratio = tn_te_intrin(k->te, TN_INTRIN_ROUND, TN_TE_LIST(ratio));
  /* in float64 the sum and the ends of all types of 32 bits are exact */
  tn_dtype wide = tn_dtype_bits(out->dtype) > 16 ? TN_DT_F64 : work;
  const tn_node *value =
      tn_te_add(k->te, tn_te_cast(k->te, wide, ratio), tn_te_cast(k->te, wide, zero));
  value = tn_te_min(k->te, value, tn_te_number(k->te, wide, greatest));
  value = tn_te_max(k->te, value, tn_te_number(k->te, wide, least));
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_quant(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_quant, out_func);
}
