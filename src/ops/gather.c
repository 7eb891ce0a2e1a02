/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elements at computed places: gather_elements (an index an element, along one axis), gather_nd
 * (the last dimension of the indices holds a place), index_tensor (one tensor of indices a
 * dimension, broadcast together). An index below 0 counts from the end; one out of range is brought
 * to the nearest end. */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

static tn_status too_many_dims(int64_t ndim) {
  return TN_ERR(TN_UNSUPPORTED, "a result of %" PRId64 " dimensions", ndim);
}

/* Where there is nothing to take from, no index has a place. */
static tn_status check_not_empty(const tn_array *x, tn_array *out) {
  if (tn_array_n_elems(out) > 0 && tn_array_n_elems(x) == 0) {
    tn_array_deinit(out);
    return TN_ERR(TN_INVALID, "there is nothing to take from a tensor without elements");
  }
  return NULL;
}

/* ---- gather_elements ---- */

tn_status tn_op_infer_gather_elements(const tn_infer_ctx *ctx, const tn_node *call,
                                      const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *indices = NULL;
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &indices));
  TN_TRY(tn_op_want_integers(indices, "the indices"));
  if (x->attr.i64 >= 0) {
    TN_TRY(tn_op_axis("gather_elements", tn_op_int(call, 0), x->attr.i64, &axis));
    TN_TRY(tn_op_rank(indices, x->attr.i64, "the tensor of indices"));
    TN_TRY(tn_op_fits_within(tn_op_shape(indices), tn_op_shape(x), axis));
  }
  int64_t ndim = x->attr.i64 >= 0 ? x->attr.i64 : indices->attr.i64;
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, ndim, tn_op_shape(indices));
  return NULL;
}

tn_status tn_op_eval_gather_elements(const tn_node *call, const tn_array *const *args,
                                     int32_t n_args, tn_array *out) {
  int64_t axis = 0;
  int64_t at[TN_MAX_NDIM];
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != args[1]->ndim) {
    return TN_ERR(TN_INVALID, "expected a tensor and as many dimensions of indices");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("gather_elements", tn_op_int(call, 0), x->ndim, &axis));
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (d != axis && args[1]->shape[d] > x->shape[d]) {
      return TN_ERR(TN_INVALID, "dimension %d has extent %" PRId64 ", the indices' %" PRId64, d,
                    x->shape[d], args[1]->shape[d]);
    }
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, args[1]->shape));
  TN_TRY(check_not_empty(x, out));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    at[axis] = tn_op_wrapped(args[1], i, x->shape[axis]);
    tn_copy_element(x, tn_ravel(x, at), out, i);
  }
  return NULL;
}

static tn_status build_gather_elements(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  int64_t axis = 0;
  const tn_node *x = k->buffers.data[0];
  const tn_node *indices = k->buffers.data[1];
  TN_TRY(tn_op_axis("gather_elements", tn_op_int(k->call, 0), tn_buffer_ndim(x), &axis));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  memcpy(from, k->axes, sizeof(const tn_node *) * tn_buffer_ndim(x));
  tn_kernel_keep_within(k, indices, x, axis, from);
  from[axis] =
      tn_kernel_wrapped(k, tn_te_load(k->te, indices, k->axes), x->in[TN_BUFFER_SHAPE]->in[axis]);
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
  return NULL;
}

tn_status tn_op_lower_gather_elements(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "gather_elements", build_gather_elements, out_func);
}

/* ---- gather_nd ---- */

/* How many of x's dimensions an index names, after those of the batch. */
static tn_status place_length(const tn_node *call, int64_t ndim, int64_t n_index, int64_t length,
                              int64_t *out_batch) {
  int64_t batch = tn_op_int(call, 0);
  if (batch < 0 || batch >= n_index || batch > ndim) {
    return TN_ERR(TN_INVALID, "'batch_dims' is %" PRId64 " for %" PRId64 " dimensions of indices",
                  batch, n_index);
  }
  if (length < 0 || batch + length > ndim) {
    return TN_ERR(TN_INVALID, "an index of %" PRId64 " numbers into %" PRId64 " dimensions", length,
                  ndim - batch);
  }
  *out_batch = batch;
  return NULL;
}

tn_status tn_op_infer_gather_nd(const tn_infer_ctx *ctx, const tn_node *call,
                                const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *indices = NULL;
  const tn_node *dims[2 * TN_MAX_NDIM];
  int64_t batch = 0;
  uint32_t n = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &indices));
  TN_TRY(tn_op_want_integers(indices, "the indices"));
  const tn_node *from = tn_op_shape(x);
  const tn_node *at = tn_op_shape(indices);
  if (at != NULL && at->n_in == 0) {
    return TN_ERR(TN_INVALID, "the indices have no dimension that holds a place");
  }
  if (from == NULL || at == NULL || at->in[at->n_in - 1]->op != TN_OP_INT ||
      from->n_in > TN_MAX_NDIM || at->n_in > TN_MAX_NDIM) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, -1, NULL);
    return NULL;
  }
  int64_t length = at->in[at->n_in - 1]->attr.i64;
  TN_TRY(place_length(call, from->n_in, at->n_in, length, &batch));
  for (uint32_t d = 0; d + 1 < at->n_in; ++d) {
    dims[n++] = at->in[d];
  }
  for (uint32_t d = (uint32_t)(batch + length); d < from->n_in; ++d) {
    dims[n++] = from->in[d];
  }
  if (n > TN_MAX_NDIM) {
    return too_many_dims(n);
  }
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

tn_status tn_op_eval_gather_nd(const tn_node *call, const tn_array *const *args, int32_t n_args,
                               tn_array *out) {
  int64_t shape[2 * TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t from[TN_MAX_NDIM];
  int64_t batch = 0;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[1]->ndim == 0) {
    return TN_ERR(TN_INVALID, "expected a tensor and indices");
  }
  const tn_array *x = args[0];
  const tn_array *indices = args[1];
  int32_t n_outer = indices->ndim - 1;
  int64_t length = indices->shape[n_outer];
  TN_TRY(place_length(call, x->ndim, indices->ndim, length, &batch));
  int32_t n = n_outer;
  memcpy(shape, indices->shape, sizeof(int64_t) * (size_t)n_outer);
  for (int64_t d = batch + length; d < x->ndim; ++d) {
    shape[n++] = x->shape[d];
  }
  if (n > TN_MAX_NDIM) {
    return too_many_dims(n);
  }
  TN_TRY(tn_array_init(out, x->dtype, n, shape));
  TN_TRY(check_not_empty(x, out));
  int64_t n_elems = tn_array_n_elems(out);
  for (int64_t i = 0; i < n_elems; ++i) {
    int64_t row = 0;
    tn_unravel(out, i, at);
    for (int32_t d = 0; d < n_outer; ++d) {
      row = row * indices->shape[d] + at[d];
    }
    for (int32_t d = 0; d < x->ndim; ++d) {
      bool is_named = d >= batch && d < batch + length;
      from[d] = d < batch  ? at[d]
                : is_named ? tn_op_wrapped(indices, row * length + d - batch, x->shape[d])
                           : at[n_outer + d - batch - length];
    }
    tn_copy_element(x, tn_ravel(x, from), out, i);
  }
  return NULL;
}

static tn_status build_gather_nd(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  const tn_node *at[TN_MAX_NDIM];
  int64_t batch = 0;
  const tn_node *x = k->buffers.data[0];
  const tn_node *indices = k->buffers.data[1];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  uint32_t n_outer = tn_buffer_ndim(indices) - 1;
  const tn_node *last = indices->in[TN_BUFFER_SHAPE]->in[n_outer];
  if (last->op != TN_OP_INT) {
    return TN_ERR(TN_UNSUPPORTED, "indices of a length that is not known while compiling");
  }
  int64_t length = last->attr.i64;
  TN_TRY(place_length(k->call, shape->n_in, tn_buffer_ndim(indices), length, &batch));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  memcpy(at, k->axes, sizeof(const tn_node *) * n_outer);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (d < batch) {
      from[d] = k->axes[d];
    } else if (d < batch + length) {
      at[n_outer] = tn_int(k->ir, TN_DT_I64, d - batch);
      from[d] = tn_kernel_wrapped(k, tn_te_load(k->te, indices, at), shape->in[d]);
    } else {
      from[d] = k->axes[n_outer + d - batch - length];
    }
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
  return NULL;
}

tn_status tn_op_lower_gather_nd(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "gather_nd", build_gather_nd, out_func);
}

/* ---- index_tensor: data, a tuple of indices ---- */

tn_status tn_op_infer_index_tensor(const tn_infer_ctx *ctx, const tn_node *call,
                                   const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *tuple = NULL;
  const tn_node *dims[2 * TN_MAX_NDIM];
  uint32_t n = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_tuple_type(ctx, call, 1, &tuple));
  const tn_node *joined = tuple->in[0];
  for (uint32_t i = 0; i < tuple->n_in; ++i) {
    int64_t ndim = 0;
    const tn_node *shape = NULL;
    TN_TRY(tn_op_want_integers(tuple->in[i], "the indices"));
    TN_TRY(tn_op_broadcast(ctx->ir, "index_tensor", joined, tuple->in[i], &ndim, &shape));
    joined = tn_ty_tensor(ctx->ir, TN_DT_I64, ndim, shape);
  }
  if (x->attr.i64 >= 0 && tuple->n_in > x->attr.i64) {
    return TN_ERR(TN_INVALID, "%u tensors of indices for %" PRId64 " dimensions", tuple->n_in,
                  x->attr.i64);
  }
  if (tn_op_shape(x) == NULL || tn_op_shape(joined) == NULL || x->attr.i64 > TN_MAX_NDIM) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, -1, NULL);
    return NULL;
  }
  for (uint32_t d = 0; d < tn_op_shape(joined)->n_in; ++d) {
    dims[n++] = tn_op_shape(joined)->in[d];
  }
  for (uint32_t d = tuple->n_in; d < tn_op_shape(x)->n_in; ++d) {
    dims[n++] = tn_op_shape(x)->in[d];
  }
  if (n > TN_MAX_NDIM) {
    return too_many_dims(n);
  }
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

tn_status tn_op_eval_index_tensor(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                  tn_array *out) {
  int64_t shape[2 * TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t from[TN_MAX_NDIM];
  int32_t n_outer = 0;
  (void)call;
  for (int32_t a = 0; a < n_args; ++a) {
    if (n_args < 2 || args[a] == NULL || n_args - 1 > args[0]->ndim) {
      return TN_ERR(TN_INVALID, "expected a tensor and indices of its dimensions");
    }
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_join_extents(args + 1, n_args - 1, shape, &n_outer));
  int32_t n = n_outer;
  for (int32_t d = n_args - 1; d < x->ndim; ++d) {
    shape[n++] = x->shape[d];
  }
  if (n > TN_MAX_NDIM) {
    return too_many_dims(n);
  }
  TN_TRY(tn_array_init(out, x->dtype, n, shape));
  TN_TRY(check_not_empty(x, out));
  int64_t n_elems = tn_array_n_elems(out);
  for (int64_t i = 0; i < n_elems; ++i) {
    tn_unravel(out, i, at);
    for (int32_t d = 0; d < x->ndim; ++d) {
      from[d] = d < n_args - 1
                    ? tn_op_wrapped(args[1 + d], tn_op_broadcast_place(args[1 + d], at, n_outer),
                                    x->shape[d])
                    : at[n_outer + d - (n_args - 1)];
    }
    tn_copy_element(x, tn_ravel(x, from), out, i);
  }
  return NULL;
}

static tn_status build_index_tensor(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  const tn_node *x = k->buffers.data[0];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  uint32_t n_named = (uint32_t)k->buffers.len - 1;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  uint32_t n_outer = k->n_spatial - (shape->n_in - n_named);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    from[d] =
        d < n_named
            ? tn_kernel_wrapped(k, tn_kernel_load_part(k, k->buffers.data[1 + d], k->axes, n_outer),
                                shape->in[d])
            : k->axes[n_outer + d - n_named];
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
  return NULL;
}

tn_status tn_op_lower_index_tensor(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "index_tensor", build_index_tensor, out_func);
}
