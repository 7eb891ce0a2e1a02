/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* stack: tensors of one shape along a new axis; meshgrid: vectors, each repeated along the axes of
 * the others. */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- stack ---- */

tn_status tn_op_infer_stack(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *tuple = NULL;
  const tn_node *dims[TN_MAX_NDIM];
  int64_t axis = 0;
  TN_TRY(tn_op_tuple_type(ctx, call, 0, &tuple));
  const tn_node *first = tuple->in[0];
  const tn_node *shape = tn_op_shape(first);
  for (uint32_t i = 1; i < tuple->n_in; ++i) {
    const tn_node *other = tn_op_shape(tuple->in[i]);
    TN_TRY(tn_op_same_dtype(first, tuple->in[i]));
    if (first->attr.i64 >= 0) {
      TN_TRY(tn_op_rank(tuple->in[i], first->attr.i64, "a tensor of the tuple"));
    }
    for (uint32_t d = 0; shape != NULL && other != NULL && d < shape->n_in; ++d) {
      TN_TRY(tn_op_same_extent(ctx->ir, shape->in[d], "the first tensor", other->in[d],
                               "another one"));
    }
    shape = shape == NULL ? other : shape;
  }
  if (shape == NULL) {
    int64_t ndim = first->attr.i64 < 0 ? -1 : first->attr.i64 + 1;
    *out_type = tn_ty_tensor(ctx->ir, first->dtype, ndim, NULL);
    return NULL;
  }
  uint32_t n = shape->n_in + 1;
  if (n > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a result of %u dimensions", n);
  }
  TN_TRY(tn_op_axis("stack", tn_op_int(call, 0), n, &axis));
  for (uint32_t d = 0; d < n; ++d) {
    dims[d] = (int64_t)d == axis ? tn_int(ctx->ir, TN_DT_I64, tuple->n_in)
                                 : shape->in[(int64_t)d < axis ? d : d - 1];
  }
  *out_type = tn_ty_tensor(ctx->ir, first->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

tn_status tn_op_eval_stack(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t axis = 0;
  for (int32_t i = 0; i < n_args; ++i) {
    if (args[i] == NULL || args[i]->dtype != args[0]->dtype || args[i]->ndim != args[0]->ndim ||
        memcmp(args[i]->shape, args[0]->shape, sizeof(int64_t) * (size_t)args[0]->ndim) != 0) {
      return TN_ERR(TN_INVALID, "expected tensors of one shape and type");
    }
  }
  if (n_args < 1 || args[0]->ndim == TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "expected tensors of less than %d dimensions", (int)TN_MAX_NDIM);
  }
  int32_t n = args[0]->ndim + 1;
  TN_TRY(tn_op_axis("stack", tn_op_int(call, 0), n, &axis));
  for (int32_t d = 0; d < n; ++d) {
    shape[d] = d == axis ? n_args : args[0]->shape[d < axis ? d : d - 1];
  }
  TN_TRY(tn_array_init(out, args[0]->dtype, n, shape));
  int64_t n_elems = tn_array_n_elems(out);
  for (int64_t i = 0; i < n_elems; ++i) {
    tn_unravel(out, i, at);
    const tn_array *from = args[at[axis]];
    memmove(at + axis, at + axis + 1, sizeof(int64_t) * (size_t)(n - 1 - axis));
    tn_copy_element(from, tn_ravel(from, at), out, i);
  }
  return NULL;
}

static tn_status build_stack(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *to[TN_MAX_NDIM];
  int64_t axis = 0;
  size_t n_args = k->buffers.len;
  TN_TRY(tn_kernel_result(k, type, &out));
  uint32_t n = tn_buffer_ndim(out);
  TN_TRY(tn_op_axis("stack", tn_op_int(k->call, 0), n, &axis));
  for (size_t i = 0; i < n_args; ++i) {
    const tn_node *x = k->buffers.data[i];
    const tn_node *shape = x->in[TN_BUFFER_SHAPE];
    tn_kernel_begin(k, "T_stack", shape->n_in, shape->in, 0, NULL);
    for (uint32_t d = 0; d < n; ++d) {
      to[d] = (int64_t)d == axis ? tn_int(k->ir, TN_DT_I64, (int64_t)i)
                                 : k->axes[(int64_t)d < axis ? d : d - 1];
    }
    tn_te_end_into(k->te, out, to, tn_te_load(k->te, x, k->axes), NULL);
  }
  return NULL;
}

tn_status tn_op_lower_stack(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "stack", build_stack, out_func);
}

/* ---- meshgrid ---- */

/* The axis of vector `i` in the results; "xy" exchanges the first two. */
static tn_status grid_axis(const tn_node *call, uint32_t n, uint32_t i, uint32_t *out) {
  const char *text = tn_op_text(call, 0);
  bool is_exchanged = strcmp(text, "xy") == 0;
  if (!is_exchanged && *text != '\0' && strcmp(text, "ij") != 0) {
    return TN_ERR(TN_INVALID, "indexing '%s' is neither \"ij\" nor \"xy\"", text);
  }
  *out = is_exchanged && n >= 2 && i < 2 ? 1 - i : i;
  return NULL;
}

enum { MAX_VECTORS = 8 };

tn_status tn_op_infer_meshgrid(const tn_infer_ctx *ctx, const tn_node *call,
                               const tn_node **out_type) {
  const tn_node *tuple = NULL;
  const tn_node *dims[MAX_VECTORS];
  const tn_node *types[MAX_VECTORS];
  bool is_known = true;
  TN_TRY(tn_op_tuple_type(ctx, call, 0, &tuple));
  uint32_t n = tuple->n_in;
  if (n > MAX_VECTORS) {
    return TN_ERR(TN_UNSUPPORTED, "a grid of %u vectors", n);
  }
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t axis = 0;
    TN_TRY(tn_op_rank(tuple->in[i], 1, "a tensor of the tuple"));
    TN_TRY(grid_axis(call, n, i, &axis));
    is_known = is_known && tn_op_shape(tuple->in[i]) != NULL;
    dims[axis] = is_known ? tn_op_shape(tuple->in[i])->in[0] : NULL;
  }
  const tn_node *shape = is_known ? tn_list(ctx->ir, n, dims) : NULL;
  for (uint32_t i = 0; i < n; ++i) {
    types[i] = tn_ty_tensor(ctx->ir, tuple->in[i]->dtype, n, shape);
  }
  *out_type = tn_ty_tuple(ctx->ir, n, types);
  return NULL;
}

tn_status tn_op_eval_meshgrid(const tn_node *call, const tn_array *const *args, int32_t n_args,
                              tn_array *out) {
  int64_t shape[MAX_VECTORS];
  int64_t at[MAX_VECTORS];
  uint32_t axes[MAX_VECTORS];
  for (int32_t i = 0; i < n_args; ++i) {
    if (n_args > MAX_VECTORS || args[i] == NULL || args[i]->ndim != 1) {
      return TN_ERR(TN_INVALID, "expected vectors");
    }
    TN_TRY(grid_axis(call, (uint32_t)n_args, (uint32_t)i, &axes[i]));
    shape[axes[i]] = args[i]->shape[0];
  }
  for (int32_t i = 0; i < n_args; ++i) {
    tn_status st = tn_array_init(&out[i], args[i]->dtype, n_args, shape);
    if (st != NULL) {
      for (int32_t j = 0; j < i; ++j) {
        tn_array_deinit(&out[j]);
      }
      return st;
    }
    int64_t n = tn_array_n_elems(&out[i]);
    for (int64_t e = 0; e < n; ++e) {
      tn_unravel(&out[i], e, at);
      tn_copy_element(args[i], at[axes[i]], &out[i], e);
    }
  }
  return NULL;
}

static tn_status build_meshgrid(tn_kernel *k, const tn_node *type) {
  const tn_node *outs[MAX_VECTORS];
  uint32_t axis = 0;
  for (uint32_t i = 0; i < type->n_in; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &outs[i]));
  }
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *shape = outs[i]->in[TN_BUFFER_SHAPE];
    TN_TRY(grid_axis(k->call, type->n_in, i, &axis));
    tn_kernel_begin(k, "T_grid", shape->n_in, shape->in, 0, NULL);
    const tn_node *value = tn_te_load(k->te, k->buffers.data[i], &k->axes[axis]);
    tn_te_end_into(k->te, outs[i], k->axes, value, NULL);
  }
  return NULL;
}

tn_status tn_op_lower_meshgrid(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "meshgrid", build_meshgrid, out_func);
}
