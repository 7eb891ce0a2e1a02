/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators that choose among tensors or elements: concat, split, take, where, one_hot, nn.prelu.
 * An index of take outside of the axis is brought to its nearest end, or counts on from the other
 * one ("wrap"). */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- concat ---- */

/* Adds the extents along the axis; the others must agree. */
static tn_status join_shapes(tn_ir *ir, const tn_node *tuple, int64_t axis, const tn_node **dims) {
  for (uint32_t i = 1; i < tuple->n_in; ++i) {
    const tn_node *shape = tn_op_shape(tuple->in[i]);
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      if ((int64_t)d == axis) {
        dims[d] = tn_binary(ir, TN_OP_ADD, dims[d], shape->in[d]);
      } else {
        TN_TRY(tn_op_same_extent(ir, dims[d], "the first tensor", shape->in[d], "another one"));
      }
    }
  }
  dims[axis] = tn_op_simplify(ir, dims[axis]);
  return NULL;
}

tn_status tn_op_infer_concat(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *tuple = NULL;
  const tn_node *dims[TN_MAX_NDIM];
  int64_t axis = 0;
  TN_TRY(tn_op_tuple_type(ctx, call, 0, &tuple));
  const tn_node *first = tuple->in[0];
  bool is_known = tn_op_shape(first) != NULL && first->attr.i64 <= TN_MAX_NDIM;
  for (uint32_t i = 1; i < tuple->n_in; ++i) {
    TN_TRY(tn_op_same_dtype(first, tuple->in[i]));
    is_known = is_known && tn_op_shape(tuple->in[i]) != NULL;
    if (first->attr.i64 >= 0) {
      TN_TRY(tn_op_rank(tuple->in[i], first->attr.i64, "a tensor of the tuple"));
    }
  }
  if (!is_known) {
    *out_type = tn_ty_tensor(ctx->ir, first->dtype, first->attr.i64, NULL);
    return NULL;
  }
  const tn_node *shape = tn_op_shape(first);
  TN_TRY(tn_op_axis("concat", tn_op_int(call, 0), shape->n_in, &axis));
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  TN_TRY(join_shapes(ctx->ir, tuple, axis, dims));
  *out_type = tn_ty_tensor(ctx->ir, first->dtype, shape->n_in, tn_list(ctx->ir, shape->n_in, dims));
  return NULL;
}

tn_status tn_op_eval_concat(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  int64_t axis = 0;
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  if (n_args < 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected tensors");
  }
  TN_TRY(tn_op_axis("concat", tn_op_int(call, 0), args[0]->ndim, &axis));
  memcpy(shape, args[0]->shape, sizeof shape);
  for (int32_t i = 1; i < n_args; ++i) {
    if (args[i] == NULL || args[i]->ndim != args[0]->ndim || args[i]->dtype != args[0]->dtype) {
      return TN_ERR(TN_INVALID, "the tensors have different ranks or types");
    }
    for (int32_t d = 0; d < args[0]->ndim; ++d) {
      if (d != axis && args[i]->shape[d] != shape[d]) {
        return TN_ERR(TN_INVALID, "the tensors have different extents");
      }
    }
    if (__builtin_add_overflow(shape[axis], args[i]->shape[axis], &shape[axis])) {
      return TN_ERR(TN_INVALID, "the extents along axis %" PRId64 " add up to more than 64 bits",
                    axis);
    }
  }
  TN_TRY(tn_array_init(out, args[0]->dtype, args[0]->ndim, shape));
  int64_t first = 0;
  for (int32_t a = 0; a < n_args; ++a) {
    int64_t n = tn_array_n_elems(args[a]);
    for (int64_t i = 0; i < n; ++i) {
      tn_unravel(args[a], i, at);
      at[axis] += first;
      tn_copy_element(args[a], i, out, tn_ravel(out, at));
    }
    first += args[a]->shape[axis];
  }
  return NULL;
}

/* One block an operand, each over the operand's elements. */
static tn_status build_concat(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *to[TN_MAX_NDIM];
  int64_t axis = 0;
  size_t n = k->buffers.len;
  const tn_node *first = tn_int(k->ir, TN_DT_I64, 0);
  TN_TRY(tn_kernel_result(k, type, &out));
  TN_TRY(tn_op_axis("concat", tn_op_int(k->call, 0), tn_buffer_ndim(out), &axis));
  for (size_t i = 0; i < n; ++i) {
    const tn_node *x = k->buffers.data[i];
    const tn_node *shape = x->in[TN_BUFFER_SHAPE];
    tn_kernel_begin(k, "T_concat", shape->n_in, shape->in, 0, NULL);
    memcpy(to, k->axes, sizeof(const tn_node *) * shape->n_in);
    to[axis] = i == 0 ? to[axis] : tn_te_add(k->te, first, to[axis]);
    tn_te_end_into(k->te, out, to, tn_te_load(k->te, x, k->axes), NULL);
    first = tn_op_simplify(k->ir, tn_te_add(k->te, first, shape->in[axis]));
  }
  return NULL;
}

tn_status tn_op_lower_concat(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "concatenate", build_concat, out_func);
}

/* ---- split: indices where to cut, or a number of parts ---- */

enum { SPLIT_AT, SPLIT_AXIS, MAX_PARTS = 4096 };

/* The cuts of an extent: out[0] = 0 ... out[n] = extent. A single number is one of parts, which are
 * as large as possible, the last one being what is left. */
static tn_status read_cuts(const tn_node *call, int64_t extent, int64_t *out, int32_t *out_n) {
  const tn_node *field = tn_call_field(call, SPLIT_AT);
  bool is_count = field != NULL && field->op == TN_OP_INT;
  uint32_t n_cuts = field == NULL || field->op != TN_OP_LIST ? 0 : field->n_in;
  int64_t n_parts = is_count ? field->attr.i64 : (int64_t)n_cuts + 1;
  if (n_parts < 1 || n_parts > MAX_PARTS) {
    return TN_ERR(TN_INVALID, "%" PRId64 " parts; there may be %d", n_parts, (int)MAX_PARTS);
  }
  int64_t each = extent / n_parts + (extent % n_parts != 0);
  out[0] = 0;
  for (int64_t i = 1; i < n_parts; ++i) {
    int64_t cut = is_count                            ? i * each
                  : field->in[i - 1]->op == TN_OP_INT ? field->in[i - 1]->attr.i64
                                                      : -1;
    cut += !is_count && cut < 0 ? extent : 0;
    out[i] = cut < out[i - 1] ? out[i - 1] : cut > extent ? extent : cut;
  }
  out[n_parts] = extent;
  *out_n = (int32_t)n_parts;
  return NULL;
}

static tn_status infer_parts(tn_ir *ir, const tn_node *call, const tn_node *type, int64_t axis,
                             const tn_node **out_type) {
  int64_t cuts[MAX_PARTS + 1];
  const tn_node *dims[TN_MAX_NDIM];
  int32_t n = 0;
  const tn_node *shape = tn_op_shape(type);
  if (shape->in[axis]->op != TN_OP_INT) {
    return TN_ERR(TN_UNSUPPORTED, "the extent of axis %" PRId64 " must be a number to be cut",
                  axis);
  }
  TN_TRY(read_cuts(call, shape->in[axis]->attr.i64, cuts, &n));
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  TN_VEC(const tn_node *) types = {0};
  for (int32_t i = 0; i < n; ++i) {
    dims[axis] = tn_int(ir, TN_DT_I64, cuts[i + 1] - cuts[i]);
    TN_VEC_PUSH(&types, tn_ty_tensor(ir, type->dtype, shape->n_in, tn_list(ir, shape->n_in, dims)));
  }
  *out_type = tn_ty_tuple(ir, (uint32_t)n, types.data);
  TN_VEC_DEINIT(&types);
  return NULL;
}

tn_status tn_op_infer_split(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *type = NULL;
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  if (tn_op_shape(type) == NULL || type->attr.i64 > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a tensor whose shape is not known cannot be cut");
  }
  TN_TRY(tn_op_axis("split", tn_op_int(call, SPLIT_AXIS), type->attr.i64, &axis));
  return infer_parts(ctx->ir, call, type, axis, out_type);
}

tn_status tn_op_eval_split(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  int64_t cuts[MAX_PARTS + 1];
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t axis = 0;
  int32_t n = 0;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("split", tn_op_int(call, SPLIT_AXIS), x->ndim, &axis));
  TN_TRY(read_cuts(call, x->shape[axis], cuts, &n));
  memcpy(shape, x->shape, sizeof shape);
  for (int32_t p = 0; p < n; ++p) {
    shape[axis] = cuts[p + 1] - cuts[p];
    tn_status st = tn_array_init(&out[p], x->dtype, x->ndim, shape);
    while (st != NULL && p-- > 0) {
      tn_array_deinit(&out[p]);
    }
    TN_TRY(st);
  }
  int64_t n_elems = tn_array_n_elems(x);
  for (int64_t i = 0; i < n_elems; ++i) {
    int32_t p = 0;
    tn_unravel(x, i, at);
    while (at[axis] >= cuts[p + 1]) {
      ++p;
    }
    at[axis] -= cuts[p];
    tn_copy_element(x, i, &out[p], tn_ravel(&out[p], at));
  }
  return NULL;
}

static tn_status build_split(tn_kernel *k, const tn_node *type) {
  const tn_node *from[TN_MAX_NDIM];
  int64_t axis = 0;
  int64_t first = 0;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(tn_op_axis("split", tn_op_int(k->call, SPLIT_AXIS), tn_buffer_ndim(x), &axis));
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *out = NULL;
    TN_TRY(tn_kernel_result(k, type->in[i], &out));
    const tn_node *shape = out->in[TN_BUFFER_SHAPE];
    tn_kernel_begin(k, "T_split", shape->n_in, shape->in, 0, NULL);
    memcpy(from, k->axes, sizeof(const tn_node *) * shape->n_in);
    from[axis] =
        first == 0 ? from[axis] : tn_te_add(k->te, tn_int(k->ir, TN_DT_I64, first), from[axis]);
    tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
    first += shape->in[axis]->attr.i64;
  }
  return NULL;
}

tn_status tn_op_lower_split(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "split", build_split, out_func);
}

/* ---- take: the axis is replaced by the dimensions of the indices ---- */

enum { TAKE_AXIS, TAKE_MODE };

static tn_status take_axis(const tn_node *call, int64_t ndim, int64_t *out) {
  const char *mode = tn_op_text(call, TAKE_MODE);
  if (*mode != '\0' && strcmp(mode, "fast") != 0 && strcmp(mode, "clip") != 0 &&
      strcmp(mode, "wrap") != 0) {
    return TN_ERR(TN_UNSUPPORTED, "mode '%s': \"clip\", \"fast\" and \"wrap\" are there", mode);
  }
  if (tn_call_field(call, TAKE_AXIS) == NULL && ndim != 1) {
    return TN_ERR(TN_UNSUPPORTED, "take from %" PRId64 " dimensions needs an axis", ndim);
  }
  return tn_op_axis("take", tn_op_int(call, TAKE_AXIS), ndim, out);
}

tn_status tn_op_infer_take(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *indices = NULL;
  const tn_node *dims[2 * TN_MAX_NDIM];
  int64_t axis = 0;
  uint32_t n = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &indices));
  TN_TRY(tn_op_want_integers(indices, "the indices"));
  if (tn_op_shape(x) == NULL || tn_op_shape(indices) == NULL || x->attr.i64 > TN_MAX_NDIM ||
      indices->attr.i64 > TN_MAX_NDIM) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, -1, NULL);
    return NULL;
  }
  TN_TRY(take_axis(call, x->attr.i64, &axis));
  for (int64_t d = 0; d < x->attr.i64; ++d) {
    if (d != axis) {
      dims[n++] = tn_op_shape(x)->in[d];
      continue;
    }
    for (uint32_t i = 0; i < tn_op_shape(indices)->n_in; ++i) {
      dims[n++] = tn_op_shape(indices)->in[i];
    }
  }
  if (n > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a result of %u dimensions", n);
  }
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

static bool wraps(const tn_node *call) { return strcmp(tn_op_text(call, TAKE_MODE), "wrap") == 0; }

static int64_t index_of(const tn_node *call, const tn_array *indices, int64_t i, int64_t extent) {
  int64_t at = tn_array_get_i64(indices, i);
  if (wraps(call)) {
    bool is_unsigned = !tn_dtype_is_int(indices->dtype);
    int64_t rest = is_unsigned ? (int64_t)((uint64_t)at % (uint64_t)extent) : at % extent;
    return rest < 0 ? rest + extent : rest;
  }
  bool is_below = tn_dtype_is_int(indices->dtype) && at < 0;
  return is_below ? 0 : (uint64_t)at >= (uint64_t)extent ? extent - 1 : at;
}

tn_status tn_op_eval_take(const tn_node *call, const tn_array *const *args, int32_t n_args,
                          tn_array *out) {
  int64_t shape[2 * TN_MAX_NDIM];
  int64_t at[2 * TN_MAX_NDIM];
  int64_t from[TN_MAX_NDIM];
  int64_t axis = 0;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL) {
    return TN_ERR(TN_INVALID, "expected two tensors");
  }
  const tn_array *x = args[0];
  const tn_array *indices = args[1];
  TN_TRY(take_axis(call, x->ndim, &axis));
  int32_t n_dims = x->ndim - 1 + indices->ndim;
  if (n_dims > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a result of %d dimensions", n_dims);
  }
  for (int32_t d = 0; d < n_dims; ++d) {
    shape[d] = d < axis                   ? x->shape[d]
               : d < axis + indices->ndim ? indices->shape[d - axis]
                                          : x->shape[d - indices->ndim + 1];
  }
  TN_TRY(tn_array_init(out, x->dtype, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  if (n > 0 && x->shape[axis] == 0) {
    tn_array_deinit(out);
    return TN_ERR(TN_INVALID, "there is nothing to take from an axis of extent 0");
  }
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    for (int32_t d = 0; d < x->ndim; ++d) {
      from[d] = d < axis ? at[d] : d == axis ? 0 : at[d + indices->ndim - 1];
    }
    from[axis] = index_of(call, indices, tn_ravel(indices, at + axis), x->shape[axis]);
    tn_copy_element(x, tn_ravel(x, from), out, i);
  }
  return NULL;
}

static tn_status build_take(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  int64_t axis = 0;
  const tn_node *x = k->buffers.data[0];
  const tn_node *indices = k->buffers.data[1];
  uint32_t n_index = tn_buffer_ndim(indices);
  TN_TRY(take_axis(k->call, tn_buffer_ndim(x), &axis));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  for (uint32_t d = 0; d < tn_buffer_ndim(x); ++d) {
    from[d] = d < axis ? k->axes[d] : (int64_t)d == axis ? NULL : k->axes[d + n_index - 1];
  }
  const tn_node *at = tn_te_cast(k->te, TN_DT_I64, tn_te_load(k->te, indices, k->axes + axis));
  const tn_node *last = tn_op_simplify(
      k->ir, tn_te_sub(k->te, x->in[TN_BUFFER_SHAPE]->in[axis], tn_int(k->ir, TN_DT_I64, 1)));
  at = wraps(k->call) ? tn_te_floormod(k->te, at, x->in[TN_BUFFER_SHAPE]->in[axis])
                      : tn_te_min(k->te, tn_te_max(k->te, at, tn_int(k->ir, TN_DT_I64, 0)), last);
  from[axis] = at;
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, x, from), NULL);
  return NULL;
}

tn_status tn_op_lower_take(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "take", build_take, out_func);
}

/* ---- where: condition ? a : b, all three broadcast ---- */

tn_status tn_op_infer_where(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *types[3];
  const tn_node *shape = NULL;
  char text[TN_DTYPE_TEXT_BYTES];
  int64_t ndim = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
  }
  if (types[0]->dtype != TN_DT_NONE && !tn_dtype_is_bool(types[0]->dtype)) {
    return TN_ERR(TN_INVALID, "the condition has type %s, expected bool",
                  tn_dtype_print(types[0]->dtype, text));
  }
  TN_TRY(tn_op_same_dtype(types[1], types[2]));
  tn_dtype dtype = types[1]->dtype != TN_DT_NONE ? types[1]->dtype : types[2]->dtype;
  TN_TRY(tn_op_broadcast(ctx->ir, "where", types[1], types[2], &ndim, &shape));
  const tn_node *values = tn_ty_tensor(ctx->ir, dtype, ndim, shape);
  TN_TRY(tn_op_broadcast(ctx->ir, "where", types[0], values, &ndim, &shape));
  *out_type = tn_ty_tensor(ctx->ir, dtype, ndim, shape);
  return NULL;
}

tn_status tn_op_eval_where(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int32_t n_dims = 0;
  (void)call;
  if (n_args != 3 || args[0] == NULL || args[1] == NULL || args[2] == NULL ||
      args[1]->dtype != args[2]->dtype) {
    return TN_ERR(TN_INVALID, "expected a condition and two tensors of one dtype");
  }
  TN_TRY(tn_op_join_extents(args, 3, shape, &n_dims));
  TN_TRY(tn_array_init(out, args[1]->dtype, n_dims, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    bool is_true = tn_array_get_i64(args[0], tn_op_broadcast_place(args[0], at, n_dims)) != 0;
    const tn_array *from = args[is_true ? 1 : 2];
    tn_copy_element(from, tn_op_broadcast_place(from, at, n_dims), out, i);
  }
  return NULL;
}

static tn_status build_where(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *values[3];
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  for (int i = 0; i < 3; ++i) {
    values[i] = tn_kernel_load_broadcast(k, k->buffers.data[i]);
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_if_then_else(k->te, values[0], values[1], values[2]),
                 NULL);
  return NULL;
}

tn_status tn_op_lower_where(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "where", build_where, out_func);
}

/* ---- one_hot: indices, on, off; a new dimension of `depth` ---- */

enum { HOT_DEPTH, HOT_AXIS, HOT_DTYPE };

static tn_status hot_fields(const tn_node *call, int64_t ndim, int64_t *out_axis,
                            int64_t *out_depth) {
  int64_t axis = tn_op_int(call, HOT_AXIS);
  *out_depth = tn_op_int(call, HOT_DEPTH);
  if (*out_depth < 1) {
    return TN_ERR(TN_INVALID, "'depth' is %" PRId64 ", expected 1 or more", *out_depth);
  }
  if (ndim + 1 > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a result of %" PRId64 " dimensions", ndim + 1);
  }
  return tn_op_axis("one_hot", axis, ndim + 1, out_axis);
}

tn_status tn_op_infer_one_hot(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *types[3];
  const tn_node *dims[TN_MAX_NDIM];
  tn_dtype dtype = TN_DT_NONE;
  int64_t axis = 0;
  int64_t depth = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
  }
  TN_TRY(tn_op_rank(types[1], 0, "the value for 'on'"));
  TN_TRY(tn_op_rank(types[2], 0, "the value for 'off'"));
  TN_TRY(tn_op_same_dtype(types[1], types[2]));
  TN_TRY(tn_op_dtype_field(call, HOT_DTYPE, types[1]->dtype, &dtype));
  if (tn_dtype_is_float(types[0]->dtype)) {
    return TN_ERR(TN_INVALID, "the indices are floats, expected integers");
  }
  const tn_node *shape = tn_op_shape(types[0]);
  if (shape == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, dtype, -1, NULL);
    return NULL;
  }
  TN_TRY(hot_fields(call, shape->n_in, &axis, &depth));
  uint32_t n = shape->n_in + 1;
  for (uint32_t d = 0; d < n; ++d) {
    dims[d] = (int64_t)d == axis  ? tn_int(ctx->ir, TN_DT_I64, depth)
              : (int64_t)d < axis ? shape->in[d]
                                  : shape->in[d - 1];
  }
  *out_type = tn_ty_tensor(ctx->ir, dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

tn_status tn_op_eval_one_hot(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM];
  int64_t from[TN_MAX_NDIM];
  int64_t axis = 0;
  int64_t depth = 0;
  tn_dtype dtype = TN_DT_NONE;
  if (n_args != 3 || args[0] == NULL || args[1] == NULL || args[2] == NULL) {
    return TN_ERR(TN_INVALID, "expected indices and two scalars");
  }
  const tn_array *x = args[0];
  TN_TRY(hot_fields(call, x->ndim, &axis, &depth));
  TN_TRY(tn_op_dtype_field(call, HOT_DTYPE, args[1]->dtype, &dtype));
  for (int32_t d = 0; d < x->ndim + 1; ++d) {
    shape[d] = d == axis ? depth : x->shape[d < axis ? d : d - 1];
  }
  TN_TRY(tn_array_init(out, dtype, x->ndim + 1, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    for (int32_t d = 0; d < x->ndim; ++d) {
      from[d] = at[d < axis ? d : d + 1];
    }
    bool is_on = tn_array_get_i64(x, tn_ravel(x, from)) == at[axis];
    const tn_array *value = args[is_on ? 1 : 2];
    if (tn_dtype_is_any_float(value->dtype)) {
      tn_array_set_f64(out, i, tn_array_get_f64(value, 0));
    } else {
      tn_array_set_i64(out, i, tn_array_get_i64(value, 0));
    }
  }
  return NULL;
}

static tn_status build_one_hot(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *from[TN_MAX_NDIM];
  int64_t axis = 0;
  int64_t depth = 0;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(hot_fields(k->call, tn_buffer_ndim(x), &axis, &depth));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  for (uint32_t d = 0; d < tn_buffer_ndim(x); ++d) {
    from[d] = k->axes[(int64_t)d < axis ? d : d + 1];
  }
  const tn_node *index = tn_te_cast(k->te, TN_DT_I64, tn_te_load(k->te, x, from));
  const tn_node *on = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, k->buffers.data[1], NULL));
  const tn_node *off = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, k->buffers.data[2], NULL));
  const tn_node *value = tn_te_if_then_else(k->te, tn_te_eq(k->te, index, k->axes[axis]), on, off);
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_one_hot(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "one_hot", build_one_hot, out_func);
}

/* ---- nn.prelu: x > 0 ? x : x * alpha, alpha along an axis ---- */

tn_status tn_op_infer_prelu(const tn_infer_ctx *ctx, const tn_node *call,
                            const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *alpha = NULL;
  int64_t axis = 0;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &alpha));
  TN_TRY(tn_op_want_float(x));
  TN_TRY(tn_op_same_dtype(x, alpha));
  TN_TRY(tn_op_rank(alpha, 1, "alpha"));
  if (tn_op_shape(x) != NULL && tn_op_shape(alpha) != NULL) {
    TN_TRY(tn_op_axis("prelu", tn_op_int(call, 0), x->attr.i64, &axis));
    TN_TRY(tn_op_same_extent(ctx->ir, tn_op_shape(alpha)->in[0], "alpha", tn_op_shape(x)->in[axis],
                             "the data's dimension"));
  }
  *out_type = x;
  return NULL;
}

tn_status tn_op_eval_prelu(const tn_node *call, const tn_array *const *args, int32_t n_args,
                           tn_array *out) {
  int64_t axis = 0;
  int64_t at[TN_MAX_NDIM];
  if (n_args != 2 || args[0] == NULL || args[1] == NULL) {
    return TN_ERR(TN_INVALID, "expected two tensors");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("prelu", tn_op_int(call, 0), x->ndim, &axis));
  if (tn_array_n_elems(args[1]) != x->shape[axis]) {
    return TN_ERR(TN_INVALID, "alpha has not the extent of the axis");
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    double value = tn_array_get_f64(x, i);
    tn_unravel(x, i, at);
    tn_array_set_f64(out, i, value > 0 ? value : value * tn_array_get_f64(args[1], at[axis]));
  }
  return NULL;
}

static tn_status build_prelu(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  int64_t axis = 0;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(tn_op_axis("prelu", tn_op_int(k->call, 0), tn_buffer_ndim(x), &axis));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *value = tn_te_load(k->te, x, k->axes);
  const tn_node *alpha = tn_te_load(k->te, k->buffers.data[1], &k->axes[axis]);
  const tn_node *is_positive = tn_te_gt(k->te, value, tn_te_number(k->te, out->dtype, 0));
  value = tn_te_if_then_else(k->te, is_positive, value, tn_te_mul(k->te, value, alpha));
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_prelu(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "prelu", build_prelu, out_func);
}
