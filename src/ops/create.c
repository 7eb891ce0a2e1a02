/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors of one value: zeros, ones and full of a shape, and the same like another tensor. The
 * value of full is a tensor without dimensions or a number; it is converted to dtype. */
#include <string.h>

#include "ops/families.h"
#include "ops/kernel.h"

static bool is_like(const tn_node *call) { return strstr(call->attr.def->name, "_like") != NULL; }
static bool is_full(const tn_node *call) { return strncmp(call->attr.def->name, "full", 4) == 0; }
static bool is_one(const tn_node *call) { return call->attr.def->name[0] == 'o'; }

/* The number that a scalar argument is written as; NULL: a tensor. */
static const tn_node *written_value(const tn_node *arg) {
  return arg->op == TN_OP_PRIM && (arg->in[0]->op == TN_OP_INT || arg->in[0]->op == TN_OP_FLOAT)
             ? arg->in[0]
             : NULL;
}

static tn_status value_dtype(const tn_infer_ctx *ctx, const tn_node *call, tn_dtype *out) {
  const tn_node *type = NULL;
  const tn_node *number = written_value(tn_call_arg(call, 1));
  if (number != NULL) {
    *out = number->dtype;
    return NULL;
  }
  TN_TRY(tn_op_arg_type(ctx, call, 1, &type));
  TN_TRY(tn_op_rank(type, 0, "the value"));
  *out = type->dtype;
  return NULL;
}

tn_status tn_op_infer_create(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *from = NULL;
  tn_dtype dtype = TN_DT_NONE;
  tn_dtype given = TN_DT_F32;
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, 0), &from));
  if (is_full(call)) {
    TN_TRY(value_dtype(ctx, call, &given));
  }
  if (is_like(call)) {
    TN_TRY(tn_op_arg_type(ctx, call, 0, &from));
    TN_TRY(tn_op_dtype_field(call, 0, from->dtype, &dtype));
    *out_type = tn_ty_tensor(ctx->ir, dtype, from->attr.i64, tn_op_shape(from));
    return NULL;
  }
  if (from->op != TN_OP_TY_SHAPE) {
    return TN_ERR(TN_INVALID, "the first argument is no shape");
  }
  TN_TRY(tn_op_dtype_field(call, 0, given, &dtype));
  *out_type =
      tn_ty_tensor(ctx->ir, dtype, from->attr.i64, tn_is_none(from->in[0]) ? NULL : from->in[0]);
  return NULL;
}

/* ---- reference ---- */

static tn_status result_shape(const tn_node *call, const tn_array *first, int64_t *shape,
                              int32_t *out_n) {
  bool is_vector = first != NULL && first->ndim == 1 && first->dtype == TN_DT_I64;
  if (first == NULL || (!is_like(call) && (!is_vector || first->shape[0] > TN_MAX_NDIM))) {
    return TN_ERR(TN_INVALID, "expected a %s", is_like(call) ? "tensor" : "shape");
  }
  *out_n = is_like(call) ? first->ndim : (int32_t)first->shape[0];
  for (int32_t d = 0; d < *out_n; ++d) {
    shape[d] = is_like(call) ? first->shape[d] : tn_array_get_i64(first, d);
  }
  return NULL;
}

typedef struct scalar {
  tn_dtype dtype;
  double f64;
  int64_t i64;
} scalar;

static tn_status read_value(const tn_node *call, const tn_array *value, scalar *out) {
  if (!is_full(call)) {
    *out = (scalar){.dtype = TN_DT_F32, .f64 = is_one(call), .i64 = is_one(call)};
    return NULL;
  }
  const tn_node *number = written_value(tn_call_arg(call, 1));
  if (number != NULL) {
    bool is_int = number->op == TN_OP_INT;
    *out = (scalar){.dtype = number->dtype,
                    .f64 = is_int ? (double)number->attr.i64 : number->attr.f64,
                    .i64 = is_int ? number->attr.i64 : 0};
    return NULL;
  }
  if (value == NULL || tn_array_n_elems(value) != 1) {
    return TN_ERR(TN_INVALID, "the value is no scalar");
  }
  *out = (scalar){value->dtype, tn_array_get_f64(value, 0), 0};
  if (!tn_dtype_is_any_float(value->dtype)) {
    out->i64 = tn_array_get_i64(value, 0);
  }
  return NULL;
}

tn_status tn_op_eval_create(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int32_t n_dims = 0;
  scalar value = {0};
  tn_dtype dtype = TN_DT_NONE;
  if (n_args < 1) {
    return TN_ERR(TN_INVALID, "expected a shape");
  }
  TN_TRY(result_shape(call, args[0], shape, &n_dims));
  TN_TRY(read_value(call, n_args > 1 ? args[1] : NULL, &value));
  TN_TRY(tn_op_dtype_field(call, 0, is_like(call) ? args[0]->dtype : value.dtype, &dtype));
  TN_TRY(tn_array_init(out, dtype, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    if (tn_dtype_is_bool(dtype)) {
      bool is_set = tn_dtype_is_any_float(value.dtype) ? value.f64 != 0 : value.i64 != 0;
      tn_array_set_i64(out, i, is_set);
    } else if (tn_dtype_is_any_float(value.dtype)) {
      tn_array_set_f64(out, i, value.f64);
    } else {
      tn_array_set_i64(out, i, value.i64);
    }
  }
  return NULL;
}

/* ---- loop form ---- */

static tn_status build_create(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *value = tn_te_number(k->te, out->dtype, is_one(k->call));
  if (is_full(k->call)) {
    const tn_node *number = written_value(tn_call_arg(k->call, 1));
    const tn_node *buffer = k->buffers.data[is_like(k->call) ? 1 : 0];
    value =
        tn_te_cast(k->te, out->dtype, number != NULL ? number : tn_te_load(k->te, buffer, NULL));
  }
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_create(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name, build_create, out_func);
}
