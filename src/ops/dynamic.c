/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Results whose extents depend on the data, in two steps that each have known extents: an operator
 * that gives all there could be and, as a vector, the shape that is filled; then take_first, which
 * cuts that out. Between them R.tensor_to_shape makes the vector a shape and R.match_cast names its
 * extents:
 *
 *   found = R.nonzero_padded(x)
 *   s: R.Shape([2, k]) = R.match_cast(R.tensor_to_shape(found[1]), R.Shape([2, k]))
 *   y: R.Tensor((2, k), "int64") = R.take_first(found[0], R.shape([2, k])) */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- nonzero_padded ---- */

tn_status tn_op_infer_nonzero(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *two = tn_int(ctx->ir, TN_DT_I64, 2);
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  const tn_node *shape = tn_op_shape(x);
  const tn_node *dims[2] = {tn_int(ctx->ir, TN_DT_I64, x->attr.i64), tn_int(ctx->ir, TN_DT_I64, 1)};
  for (uint32_t d = 0; shape != NULL && d < shape->n_in; ++d) {
    dims[1] = tn_op_simplify(ctx->ir, tn_binary(ctx->ir, TN_OP_MUL, dims[1], shape->in[d]));
  }
  const tn_node *types[2] = {
      tn_ty_tensor(ctx->ir, TN_DT_I64, 2, shape == NULL ? NULL : tn_list(ctx->ir, 2, dims)),
      tn_ty_tensor(ctx->ir, TN_DT_I64, 1, tn_list(ctx->ir, 1, &two))};
  *out_type = tn_ty_tuple(ctx->ir, 2, types);
  return NULL;
}

tn_status tn_op_eval_nonzero(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  int64_t at[TN_MAX_NDIM];
  int64_t two = 2;
  int64_t found = 0;
  (void)call;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  int64_t n = tn_array_n_elems(x);
  int64_t shape[2] = {x->ndim, n};
  TN_TRY(tn_array_init(&out[0], TN_DT_I64, 2, shape));
  tn_status st = tn_array_init(&out[1], TN_DT_I64, 1, &two);
  if (st != NULL) {
    tn_array_deinit(&out[0]);
    return st;
  }
  for (int64_t i = 0; i < n; ++i) {
    bool is_set =
        tn_dtype_is_any_float(x->dtype) ? tn_array_get_f64(x, i) != 0 : tn_array_get_i64(x, i) != 0;
    tn_unravel(x, i, at);
    for (int32_t d = 0; is_set && d < x->ndim; ++d) {
      tn_array_set_i64(&out[0], d * n + found, at[d]);
    }
    found += is_set ? 1 : 0;
  }
  tn_array_set_i64(&out[1], 0, x->ndim);
  tn_array_set_i64(&out[1], 1, found);
  return NULL;
}

/* places[d, found] = i_d for each dimension, then found = found + 1 */
static const tn_node *note_place(tn_kernel *k, const tn_node *places, const tn_node *counts,
                                 uint32_t n, const tn_node *const *vars) {
  const tn_node *parts[TN_MAX_NDIM + 1];
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  const tn_node *found = tn_te_read(k->te, counts, TN_TE_LIST(one));
  for (uint32_t d = 0; d < n; ++d) {
    const tn_node *row = tn_int(k->ir, TN_DT_I64, d);
    parts[d] = tn_kernel_store(k, places, vars[d], TN_TE_LIST(row, found));
  }
  parts[n] = tn_kernel_store(k, counts, tn_te_add(k->te, found, one), TN_TE_LIST(one));
  return tn_seq(k->ir, n + 1, parts);
}

static tn_status build_nonzero(tn_kernel *k, const tn_node *type) {
  const tn_node *outs[2];
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *x = k->buffers.data[0];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  for (uint32_t i = 0; i < 2; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &outs[i]));
  }
  const tn_node *all = outs[0]->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_empty", all->n_in, all->in, 0, NULL);
  tn_te_end_into(k->te, outs[0], k->axes, zero, NULL);
  tn_kernel_begin(k, "T_count", 1, outs[1]->in[TN_BUFFER_SHAPE]->in, 0, NULL);
  const tn_node *rank = tn_int(k->ir, TN_DT_I64, shape->n_in);
  tn_te_end_into(k->te, outs[1], k->axes,
                 tn_te_if_then_else(k->te, tn_te_eq(k->te, k->axes[0], zero), rank, zero), NULL);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    vars[d] = tn_var_new(k->ir, "i", TN_DT_I64);
  }
  const tn_node *value = tn_te_load(k->te, x, vars);
  const tn_node *is_set = tn_te_cast(k->te, TN_DT_BOOL, value);
  const tn_node *body =
      tn_kernel_when(k, is_set, note_place(k, outs[0], outs[1], shape->n_in, vars));
  for (uint32_t d = shape->n_in; d-- > 0;) {
    body = tn_kernel_loop(k, vars[d], shape->in[d], body);
  }
  tn_te_extern(k->te, "T_places", body);
  return NULL;
}

tn_status tn_op_lower_nonzero(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "nonzero", build_nonzero, out_func);
}

/* ---- take_first ---- */

tn_status tn_op_infer_take_first(const tn_infer_ctx *ctx, const tn_node *call,
                                 const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *size = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, 1), &size));
  if (size->op != TN_OP_TY_SHAPE) {
    return TN_ERR(TN_INVALID, "the second argument is no shape");
  }
  const tn_node *dims = tn_is_none(size->in[0]) ? NULL : size->in[0];
  if (dims != NULL) {
    TN_TRY(tn_op_rank(x, dims->n_in, "the tensor"));
  }
  const tn_node *shape = tn_op_shape(x);
  for (uint32_t d = 0; dims != NULL && shape != NULL && d < dims->n_in; ++d) {
    if (dims->in[d]->op == TN_OP_INT && shape->in[d]->op == TN_OP_INT &&
        dims->in[d]->attr.i64 > shape->in[d]->attr.i64) {
      return TN_ERR(TN_INVALID, "the first %" PRId64 " of dimension %u, which has extent %" PRId64,
                    dims->in[d]->attr.i64, d, shape->in[d]->attr.i64);
    }
  }
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, x->attr.i64, dims);
  return NULL;
}

tn_status tn_op_eval_take_first(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  (void)call;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[1]->ndim != 1 ||
      args[1]->shape[0] != args[0]->ndim) {
    return TN_ERR(TN_INVALID, "expected a tensor and a shape of its rank");
  }
  const tn_array *x = args[0];
  for (int32_t d = 0; d < x->ndim; ++d) {
    shape[d] = tn_array_get_i64(args[1], d);
    if (shape[d] > x->shape[d]) {
      return TN_ERR(TN_INVALID, "the first %" PRId64 " of dimension %d, which has extent %" PRId64,
                    shape[d], d, x->shape[d]);
    }
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    tn_copy_element(x, tn_ravel(x, at), out, i);
  }
  return NULL;
}

static tn_status build_take_first(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  const tn_node *x = k->buffers.data[0];
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  memcpy(from, k->axes, sizeof(const tn_node *) * tn_buffer_ndim(x));
  tn_kernel_keep_within(k, out, x, -1, from);
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
  return NULL;
}

tn_status tn_op_lower_take_first(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "take_first", build_take_first, out_func);
}
