/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elementwise operators of several kinds of operands: ewise_fma (a * b + c with one rounding for
 * floats; all broadcast), masked_fill (a value where a mask is set), outer (all products of the
 * elements of two vectors). */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- ewise_fma ---- */

tn_status tn_op_infer_fma(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *types[3];
  const tn_node *shape = NULL;
  int64_t ndim = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
    TN_TRY(tn_op_same_dtype(types[0], types[i]));
    if (tn_dtype_is_bool(types[i]->dtype)) {
      return TN_ERR(TN_INVALID, "the operands have type bool, expected numbers");
    }
  }
  TN_TRY(tn_op_broadcast(ctx->ir, "ewise_fma", types[0], types[1], &ndim, &shape));
  const tn_node *product = tn_ty_tensor(ctx->ir, types[0]->dtype, ndim, shape);
  TN_TRY(tn_op_broadcast(ctx->ir, "ewise_fma", product, types[2], &ndim, &shape));
  *out_type = tn_ty_tensor(ctx->ir, types[0]->dtype, ndim, shape);
  return NULL;
}

tn_status tn_op_eval_fma(const tn_node *call, const tn_array *const *args, int32_t n_args,
                         tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t place[3];
  int32_t n_dims = 0;
  (void)call;
  for (int32_t i = 0; i < 3; ++i) {
    if (n_args != 3 || args[i] == NULL || args[i]->dtype != args[0]->dtype) {
      return TN_ERR(TN_INVALID, "expected three tensors of one type");
    }
  }
  TN_TRY(tn_op_join_extents(args, 3, shape, &n_dims));
  TN_TRY(tn_array_init(out, args[0]->dtype, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    for (int32_t a = 0; a < 3; ++a) {
      place[a] = tn_op_broadcast_place(args[a], at, n_dims);
    }
    if (tn_dtype_is_float(out->dtype)) {
      tn_array_set_f64(out, i,
                       fma(tn_array_get_f64(args[0], place[0]), tn_array_get_f64(args[1], place[1]),
                           tn_array_get_f64(args[2], place[2])));
    } else {
      uint64_t product = (uint64_t)tn_array_get_i64(args[0], place[0]) *
                         (uint64_t)tn_array_get_i64(args[1], place[1]);
      tn_array_set_i64(out, i, (int64_t)(product + (uint64_t)tn_array_get_i64(args[2], place[2])));
    }
  }
  return NULL;
}

static tn_status build_fma(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *values[3];
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  for (int i = 0; i < 3; ++i) {
    values[i] = tn_kernel_load_broadcast(k, k->buffers.data[i]);
  }
  const tn_node *value = tn_dtype_is_float(out->dtype)
                             ? tn_te_intrin(k->te, TN_INTRIN_FMA, 3, values)
                             : tn_te_add(k->te, tn_te_mul(k->te, values[0], values[1]), values[2]);
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_fma(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "ewise_fma", build_fma, out_func);
}

/* ---- masked_fill ---- */

tn_status tn_op_infer_masked_fill(const tn_infer_ctx *ctx, const tn_node *call,
                                  const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *mask = NULL;
  const tn_node *shape = NULL;
  int64_t ndim = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &mask));
  if (mask->dtype != TN_DT_NONE && !tn_dtype_is_bool(mask->dtype)) {
    return TN_ERR(TN_INVALID, "the mask is no tensor of bool");
  }
  TN_TRY(tn_op_broadcast(ctx->ir, "masked_fill", x, mask, &ndim, &shape));
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, ndim, shape);
  return NULL;
}

tn_status tn_op_eval_masked_fill(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                 tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int32_t n_dims = 0;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor and a mask");
  }
  TN_TRY(tn_op_join_extents(args, 2, shape, &n_dims));
  TN_TRY(tn_array_init(out, args[0]->dtype, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    if (tn_array_get_i64(args[1], tn_op_broadcast_place(args[1], at, n_dims)) != 0) {
      tn_array_set_f64(out, i, tn_op_float(call, 0));
    } else {
      tn_copy_element(args[0], tn_op_broadcast_place(args[0], at, n_dims), out, i);
    }
  }
  return NULL;
}

static tn_status build_masked_fill(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *x = tn_kernel_load_broadcast(k, k->buffers.data[0]);
  const tn_node *mask = tn_kernel_load_broadcast(k, k->buffers.data[1]);
  const tn_node *value =
      tn_te_cast(k->te, out->dtype, tn_float(k->ir, TN_DT_F64, tn_op_float(k->call, 0)));
  tn_te_end_into(k->te, out, k->axes, tn_te_if_then_else(k->te, mask, value, x), NULL);
  return NULL;
}

tn_status tn_op_lower_masked_fill(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "masked_fill", build_masked_fill, out_func);
}

/* ---- outer ---- */

tn_status tn_op_infer_outer(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *types[2];
  const tn_node *dims[2] = {NULL, NULL};
  for (uint32_t i = 0; i < 2; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
    TN_TRY(tn_op_rank(types[i], 1, "the vector"));
    TN_TRY(tn_op_same_dtype(types[0], types[i]));
    dims[i] = tn_op_shape(types[i]) == NULL ? NULL : tn_op_shape(types[i])->in[0];
  }
  if (tn_dtype_is_bool(types[0]->dtype)) {
    return TN_ERR(TN_INVALID, "the operands have type bool, expected numbers");
  }
  bool is_known = dims[0] != NULL && dims[1] != NULL;
  *out_type =
      tn_ty_tensor(ctx->ir, types[0]->dtype, 2, is_known ? tn_list(ctx->ir, 2, dims) : NULL);
  return NULL;
}

tn_status tn_op_eval_outer(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  (void)call;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != 1 ||
      args[1]->ndim != 1 || args[0]->dtype != args[1]->dtype) {
    return TN_ERR(TN_INVALID, "expected two vectors of one type");
  }
  int64_t shape[2] = {args[0]->shape[0], args[1]->shape[0]};
  TN_TRY(tn_array_init(out, args[0]->dtype, 2, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t a = i / shape[1];
    int64_t b = i % shape[1];
    if (tn_dtype_is_float(out->dtype)) {
      tn_array_set_f64(out, i, tn_array_get_f64(args[0], a) * tn_array_get_f64(args[1], b));
    } else {
      uint64_t product =
          (uint64_t)tn_array_get_i64(args[0], a) * (uint64_t)tn_array_get_i64(args[1], b);
      tn_array_set_i64(out, i, (int64_t)product);
    }
  }
  return NULL;
}

static tn_status build_outer(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *a = tn_te_load(k->te, k->buffers.data[0], k->axes);
  const tn_node *b = tn_te_load(k->te, k->buffers.data[1], k->axes + 1);
  tn_te_end_into(k->te, out, k->axes, tn_te_mul(k->te, a, b), NULL);
  return NULL;
}

tn_status tn_op_lower_outer(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "outer", build_outer, out_func);
}
