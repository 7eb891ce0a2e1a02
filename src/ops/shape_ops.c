/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators that move elements without computing: permute_dims and reshape. */
#include <inttypes.h>

#include "arith/arith.h"
#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

/* ---- permute_dims ---- */

static tn_status read_axes(const tn_node *call, int64_t ndim, int64_t *axes) {
  int32_t n = 0;
  bool is_seen[TN_MAX_NDIM] = {false};
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions", ndim);
  }
  TN_TRY(tn_op_ints(call, 0, axes, &n));
  if (n >= 0 && n != ndim) {
    return TN_ERR(TN_INVALID, "%d axes for %" PRId64 " dimensions", n, ndim);
  }
  for (int32_t i = 0; i < ndim; ++i) {
    if (n < 0) {
      axes[i] = ndim - 1 - i;
    }
    TN_TRY(tn_op_axis("permute_dims", axes[i], ndim, &axes[i]));
    if (is_seen[axes[i]]) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " is there twice", axes[i]);
    }
    is_seen[axes[i]] = true;
  }
  return NULL;
}

tn_status tn_op_infer_permute_dims(const tn_infer_ctx *ctx, const tn_node *call,
                                   const tn_node **out_type) {
  const tn_node *type = NULL;
  int64_t axes[TN_MAX_NDIM];
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  const tn_node *shape = tn_op_shape(type);
  if (type->attr.i64 >= 0) {
    TN_TRY(read_axes(call, type->attr.i64, axes));
  }
  if (shape == NULL) {
    *out_type = type;
    return NULL;
  }
  const tn_node *dims[TN_MAX_NDIM];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    dims[i] = shape->in[axes[i]];
  }
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, shape->n_in, tn_list(ctx->ir, shape->n_in, dims));
  return NULL;
}

static void copy_element(const tn_array *from, int64_t at, tn_array *to, int64_t i) {
  size_t n_bytes = tn_dtype_bytes(from->dtype);
  if (tn_dtype_is_packed(from->dtype)) {
    tn_nibble_set(to->data, (uint64_t)i, tn_nibble_get(from->data, (uint64_t)at));
    return;
  }
  memcpy((char *)to->data + (size_t)i * n_bytes, (const char *)from->data + (size_t)at * n_bytes,
         n_bytes);
}

tn_status tn_op_eval_permute_dims(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                  tn_array *out) {
  int64_t axes[TN_MAX_NDIM];
  int64_t shape[TN_MAX_NDIM];
  int64_t strides[TN_MAX_NDIM];
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(read_axes(call, x->ndim, axes));
  int64_t stride = 1;
  for (int32_t d = x->ndim; d-- > 0;) {
    strides[d] = stride;
    stride *= x->shape[d];
    shape[d] = x->shape[axes[d]];
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    int64_t at = 0;
    for (int32_t d = x->ndim; d-- > 0;) {
      at += rest % shape[d] * strides[axes[d]];
      rest /= shape[d];
    }
    copy_element(x, at, out, i);
  }
  return NULL;
}

static tn_status build_permute(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  int64_t axes[TN_MAX_NDIM];
  const tn_node *indices[TN_MAX_NDIM];
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  TN_TRY(read_axes(k->call, shape->n_in, axes));
  tn_kernel_begin(k, "T_transpose", shape->n_in, shape->in, 0, NULL);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    indices[axes[i]] = k->axes[i];
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, k->buffers.data[0], indices), NULL);
  return NULL;
}

tn_status tn_op_lower_permute_dims(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "transpose", build_permute, out_func);
}

/* ---- reshape: the second argument is a shape, in which one extent may be -1 ---- */

static const tn_node *product(tn_ir *ir, const tn_node *dims) {
  const tn_node *n = tn_int(ir, TN_DT_I64, 1);
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    if (!tn_is_int(dims->in[i], -1)) {
      n = tn_binary(ir, TN_OP_MUL, n, dims->in[i]);
    }
  }
  tn_arith *arith = tn_arith_new(ir);
  n = tn_arith_simplify(arith, n);
  tn_arith_free(arith);
  return n;
}

/* Both shapes without the open extents that stand in both: where one is 0, any number does for -1. */
static void cancel(tn_ir *ir, const tn_node **from, const tn_node **to) {
  const tn_node *left[2][TN_MAX_NDIM];
  bool is_met[TN_MAX_NDIM] = {false};
  uint32_t n_left[2] = {0, 0};
  for (uint32_t i = 0; i < (*to)->n_in; ++i) {
    const tn_node *extent = (*to)->in[i];
    uint32_t k = extent->op == TN_OP_INT ? (*from)->n_in : 0;
    while (k < (*from)->n_in && (is_met[k] || (*from)->in[k] != extent)) {
      ++k;
    }
    if (k < (*from)->n_in) {
      is_met[k] = true;
    } else {
      left[1][n_left[1]++] = extent;
    }
  }
  for (uint32_t k = 0; k < (*from)->n_in; ++k) {
    if (!is_met[k]) {
      left[0][n_left[0]++] = (*from)->in[k];
    }
  }
  *from = tn_list(ir, n_left[0], left[0]);
  *to = tn_list(ir, n_left[1], left[1]);
}

/* What stands for -1: the elements divided by the other extents. */
static tn_status open_extent(tn_ir *ir, const tn_node *from, const tn_node *to,
                             const tn_node **out) {
  if (from->n_in <= TN_MAX_NDIM) {
    cancel(ir, &from, &to);
  }
  const tn_node *total = product(ir, from);
  const tn_node *others = product(ir, to);
  if (tn_is_int(others, 0)) {
    return TN_ERR(TN_INVALID, "an extent of -1 beside one of 0 is not determined");
  }
  if (total->op == TN_OP_INT && others->op == TN_OP_INT &&
      total->attr.i64 % others->attr.i64 != 0) {
    return TN_ERR(TN_INVALID, "%" PRId64 " elements do not divide into rows of %" PRId64,
                  total->attr.i64, others->attr.i64);
  }
  tn_arith *arith = tn_arith_new(ir);
  *out = tn_arith_simplify(arith, tn_binary(ir, TN_OP_FLOORDIV, total, others));
  tn_arith_free(arith);
  return NULL;
}

static tn_status check_count(tn_ir *ir, const tn_node *from, const tn_node *to) {
  const tn_node *have = product(ir, from);
  const tn_node *want = product(ir, to);
  if (tn_dim_compare(ir, have, want) == TN_DIM_DIFFERENT) {
    tn_buf text = TN_BUF_INIT;
    tn_dim_print(have, &text);
    tn_buf_puts(&text, " elements, the new shape has ");
    tn_dim_print(want, &text);
    tn_status st = TN_ERR(TN_INVALID, "the tensor has %s", tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

static tn_status new_shape(tn_ir *ir, const tn_node *from, const tn_node *to, const tn_node **out) {
  const tn_node *dims[TN_MAX_NDIM];
  int32_t open_at = -1;
  if (to->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%u dimensions", to->n_in);
  }
  for (uint32_t i = 0; i < to->n_in; ++i) {
    dims[i] = to->in[i];
    if (tn_is_int(dims[i], -1)) {
      if (open_at >= 0) {
        return TN_ERR(TN_INVALID, "two extents of -1");
      }
      open_at = (int32_t)i;
    }
  }
  if (open_at >= 0 && from == NULL) {
    *out = NULL;
    return NULL;
  }
  if (open_at >= 0) {
    TN_TRY(open_extent(ir, from, to, &dims[open_at]));
  } else if (from != NULL) {
    TN_TRY(check_count(ir, from, to));
  }
  *out = tn_list(ir, to->n_in, dims);
  return NULL;
}

tn_status tn_op_infer_reshape(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *to = NULL;
  const tn_node *shape = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, 1), &to));
  if (to->op != TN_OP_TY_SHAPE) {
    return TN_ERR(TN_INVALID, "the new shape is no shape");
  }
  if (!tn_is_none(to->in[0])) {
    TN_TRY(new_shape(ctx->ir, tn_op_shape(type), to->in[0], &shape));
  }
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, to->attr.i64, shape);
  return NULL;
}

/* The new shape comes as a vector of int64, or in numbers in the call. */
static tn_status read_new_shape(const tn_node *to, const tn_array *values, int64_t *shape,
                                int32_t *out_n) {
  if (values != NULL && values->dtype == TN_DT_I64 && values->ndim == 1 &&
      values->shape[0] <= TN_MAX_NDIM) {
    *out_n = (int32_t)values->shape[0];
    for (int32_t i = 0; i < *out_n; ++i) {
      shape[i] = tn_array_get_i64(values, i);
    }
    return NULL;
  }
  if (to->op != TN_OP_SHAPE || to->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "the reference of reshape needs the new shape in the call");
  }
  *out_n = (int32_t)to->n_in;
  for (uint32_t i = 0; i < to->n_in; ++i) {
    if (to->in[i]->op != TN_OP_INT) {
      return TN_ERR(TN_UNSUPPORTED, "the reference of reshape needs the new shape in numbers");
    }
    shape[i] = to->in[i]->attr.i64;
  }
  return NULL;
}

tn_status tn_op_eval_reshape(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t others = 1;
  int32_t n_dims = 0;
  int32_t open_at = -1;
  if (n_args < 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  TN_TRY(read_new_shape(tn_call_arg(call, 1), n_args > 1 ? args[1] : NULL, shape, &n_dims));
  for (int32_t i = 0; i < n_dims; ++i) {
    open_at = shape[i] == -1 ? i : open_at;
    if (__builtin_mul_overflow(others, shape[i] == -1 ? 1 : shape[i], &others)) {
      return TN_ERR(TN_INVALID, "the new shape overflows");
    }
  }
  int64_t n = tn_array_n_elems(args[0]);
  if (open_at >= 0 && others > 0) {
    shape[open_at] = n / others;
  }
  TN_TRY(tn_array_init(out, args[0]->dtype, n_dims, shape));
  if (tn_array_n_elems(out) != n) {
    tn_array_deinit(out);
    return TN_ERR(TN_INVALID, "the new shape has another number of elements than %" PRId64, n);
  }
  if (n > 0) {
    memcpy(out->data, args[0]->data, tn_array_n_bytes(out));
  }
  return NULL;
}

/* out[i0, i1 ...] = A[digits of the flat index] */
static tn_status build_reshape(tn_kernel *k, const tn_node *type) {
  tn_ir *ir = k->ir;
  const tn_node *out = NULL;
  const tn_node *indices[TN_MAX_NDIM];
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *from = k->buffers.data[0]->in[TN_BUFFER_SHAPE];
  const tn_node *to = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_reshape", to->n_in, to->in, 0, NULL);
  const tn_node *flat = tn_int(ir, TN_DT_I64, 0);
  for (uint32_t i = 0; i < to->n_in; ++i) {
    flat = tn_binary(ir, TN_OP_ADD, tn_binary(ir, TN_OP_MUL, flat, to->in[i]), k->axes[i]);
  }
  for (uint32_t d = from->n_in; d-- > 0;) {
    indices[d] = d == 0 ? flat : tn_binary(ir, TN_OP_FLOORMOD, flat, from->in[d]);
    flat = tn_binary(ir, TN_OP_FLOORDIV, flat, from->in[d]);
  }
  tn_arith *arith = tn_arith_new(ir);
  for (uint32_t i = 0; i < to->n_in; ++i) {
    tn_arith_bind_range(arith, k->axes[i], tn_int(ir, TN_DT_I64, 0), to->in[i]);
  }
  for (uint32_t d = 0; d < from->n_in; ++d) {
    indices[d] = tn_arith_simplify(arith, indices[d]);
  }
  tn_arith_free(arith);
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, k->buffers.data[0], indices), NULL);
  return NULL;
}

tn_status tn_op_lower_reshape(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "reshape", build_reshape, out_func);
}

/* ---- flatten: all dimensions as one; moved as by reshape ---- */

tn_status tn_op_infer_flatten(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *dim = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  const tn_node *shape = tn_op_shape(type);
  if (shape != NULL) {
    dim = product(ctx->ir, shape);
  }
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, 1, dim == NULL ? NULL : tn_list(ctx->ir, 1, &dim));
  return NULL;
}

tn_status tn_op_eval_flatten(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  (void)call;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  int64_t n = tn_array_n_elems(args[0]);
  TN_TRY(tn_array_init(out, args[0]->dtype, 1, &n));
  if (n > 0) {
    memcpy(out->data, args[0]->data, tn_array_n_bytes(out));
  }
  return NULL;
}

tn_status tn_op_lower_flatten(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_op_lower_reshape(ir, call, out_func);
}
