/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A tensor with some elements replaced: scatter_elements (an index an update, along one axis),
 * scatter_nd (the last dimension of the indices holds a place). An index below 0 counts from the
 * end; one out of range is brought to the nearest end.
 * Updates come in row-major order: of several to one place the last stays, or all are added,
 * multiplied and so on with what is there. Loop form: a copy, then the updates one after another. */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- how an update meets what is there ---- */

typedef enum meeting { REPLACES, ADDS, MULTIPLIES, TAKES_MAX, TAKES_MIN } meeting;

static tn_status meeting_of(const char *text, meeting *out) {
  static const struct {
    const char *name;
    meeting how;
  } rows[] = {{"", REPLACES},      {"update", REPLACES}, {"none", REPLACES}, {"add", ADDS},
              {"mul", MULTIPLIES}, {"max", TAKES_MAX},   {"min", TAKES_MIN}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (strcmp(rows[i].name, text) == 0) {
      *out = rows[i].how;
      return NULL;
    }
  }
  return TN_ERR(TN_UNSUPPORTED, "reduction '%s': update, add, mul, max and min are there", text);
}

static double meet_f64(meeting how, double old, double value) {
  switch (how) {
    case REPLACES:
      return value;
    case ADDS:
      return old + value;
    case MULTIPLIES:
      return old * value;
    case TAKES_MAX:
      return tn_op_maximum(value, old);
    case TAKES_MIN:
      return tn_op_minimum(value, old);
  }
  return value;
}

static int64_t meet_i64(meeting how, bool is_signed, int64_t old, int64_t value) {
  bool is_more = is_signed ? old > value : (uint64_t)old > (uint64_t)value;
  bool is_less = old != value && !is_more;
  switch (how) {
    case REPLACES:
      return value;
    case ADDS:
      return (int64_t)((uint64_t)old + (uint64_t)value);
    case MULTIPLIES:
      return (int64_t)((uint64_t)old * (uint64_t)value);
    case TAKES_MAX:
      return is_more ? old : value;
    case TAKES_MIN:
      return is_less ? old : value;
  }
  return value;
}

static void meet(meeting how, const tn_array *from, int64_t i, tn_array *to, int64_t j) {
  if (how == REPLACES) {
    tn_copy_element(from, i, to, j);
  } else if (tn_dtype_is_any_float(to->dtype)) {
    tn_array_set_f64(to, j, meet_f64(how, tn_array_get_f64(to, j), tn_array_get_f64(from, i)));
  } else {
    int64_t old = tn_array_get_i64(to, j);
    bool is_signed = tn_dtype_is_int(to->dtype);
    tn_array_set_i64(to, j, meet_i64(how, is_signed, old, tn_array_get_i64(from, i)));
  }
}

static const tn_node *meet_te(tn_kernel *k, meeting how, const tn_node *old, const tn_node *value) {
  switch (how) {
    case REPLACES:
      break;
    case ADDS:
      return tn_te_add(k->te, old, value);
    case MULTIPLIES:
      return tn_te_mul(k->te, old, value);
    case TAKES_MAX:
      return tn_te_maximum(k->te, value, old);
    case TAKES_MIN:
      return tn_te_minimum(k->te, value, old);
  }
  return value;
}

/* Sums and products are of numbers. */
static tn_status check_meeting(meeting how, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (how != REPLACES && (tn_dtype_is_bool(dtype) || tn_dtype_is_storage(dtype))) {
    return TN_ERR(TN_INVALID, "elements of type %s are replaced alone",
                  tn_dtype_print(dtype, text));
  }
  return NULL;
}

/* out = data, the beginning of each of these */
static void build_copy(tn_kernel *k, const tn_node *data, const tn_node *out) {
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_copy", shape->n_in, shape->in, 0, NULL);
  tn_te_end_into(k->te, out, k->axes, tn_te_load(k->te, data, k->axes), NULL);
}

/* A block over all elements of `updates`, one after another. */
static void begin_updates(tn_kernel *k, uint32_t n, const tn_node *const *shape) {
  tn_kernel_begin(k, "T_scatter", n, shape, 0, NULL);
  for (uint32_t d = 0; d < n; ++d) {
    tn_te_scan(k->te, d);
  }
}

static void end_updates(tn_kernel *k, meeting how, const tn_node *out, const tn_node *const *at,
                        const tn_node *value) {
  const tn_node *old = how == REPLACES ? NULL : tn_te_load(k->te, out, at);
  tn_te_end_into(k->te, out, at, meet_te(k, how, old, value), NULL);
}

/* ---- scatter_elements: data, indices, updates ---- */

enum { ELEMENTS_AXIS, ELEMENTS_REDUCTION };

tn_status tn_op_infer_scatter_elements(const tn_infer_ctx *ctx, const tn_node *call,
                                       const tn_node **out_type) {
  const tn_node *types[3];
  int64_t axis = 0;
  meeting how = REPLACES;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
  }
  TN_TRY(tn_op_want_integers(types[1], "the indices"));
  TN_TRY(tn_op_same_dtype(types[0], types[2]));
  TN_TRY(meeting_of(tn_op_text(call, ELEMENTS_REDUCTION), &how));
  TN_TRY(check_meeting(how, types[0]->dtype));
  const tn_node *indices = tn_op_shape(types[1]);
  const tn_node *updates = tn_op_shape(types[2]);
  if (types[0]->attr.i64 >= 0) {
    int64_t ndim = types[0]->attr.i64;
    TN_TRY(tn_op_axis("scatter_elements", tn_op_int(call, ELEMENTS_AXIS), ndim, &axis));
    TN_TRY(tn_op_rank(types[1], ndim, "the tensor of indices"));
    TN_TRY(tn_op_rank(types[2], ndim, "the tensor of updates"));
    TN_TRY(tn_op_fits_within(indices, tn_op_shape(types[0]), axis));
  }
  for (uint32_t d = 0; indices != NULL && updates != NULL && d < indices->n_in; ++d) {
    TN_TRY(tn_op_same_extent(ctx->ir, indices->in[d], "the tensor of indices", updates->in[d],
                             "that of updates"));
  }
  *out_type = types[0];
  return NULL;
}

tn_status tn_op_eval_scatter_elements(const tn_node *call, const tn_array *const *args,
                                      int32_t n_args, tn_array *out) {
  int64_t axis = 0;
  int64_t at[TN_MAX_NDIM];
  meeting how = REPLACES;
  if (n_args != 3 || args[0] == NULL || args[1] == NULL || args[2] == NULL ||
      args[0]->ndim != args[1]->ndim || args[1]->ndim != args[2]->ndim) {
    return TN_ERR(TN_INVALID, "expected a tensor, and indices and updates of its rank");
  }
  const tn_array *x = args[0];
  TN_TRY(tn_op_axis("scatter_elements", tn_op_int(call, ELEMENTS_AXIS), x->ndim, &axis));
  TN_TRY(meeting_of(tn_op_text(call, ELEMENTS_REDUCTION), &how));
  for (int32_t d = 0; d < x->ndim; ++d) {
    bool is_wider = args[1]->shape[d] > x->shape[d] && d != axis;
    if (args[1]->shape[d] != args[2]->shape[d] || is_wider ||
        (x->shape[axis] == 0 && tn_array_n_elems(args[1]) > 0)) {
      return TN_ERR(TN_INVALID, "the extents of data, indices and updates do not fit");
    }
  }
  TN_TRY(tn_array_init_copy(out, x));
  int64_t n = tn_array_n_elems(args[1]);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(args[1], i, at);
    at[axis] = tn_op_wrapped(args[1], i, x->shape[axis]);
    meet(how, args[2], i, out, tn_ravel(out, at));
  }
  return NULL;
}

static tn_status build_scatter_elements(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *to[TN_MAX_NDIM];
  int64_t axis = 0;
  meeting how = REPLACES;
  const tn_node *const args[3] = {k->buffers.data[0], k->buffers.data[1], k->buffers.data[2]};
  const tn_node *shape = args[1]->in[TN_BUFFER_SHAPE];
  TN_TRY(tn_op_axis("scatter_elements", tn_op_int(k->call, ELEMENTS_AXIS), shape->n_in, &axis));
  TN_TRY(meeting_of(tn_op_text(k->call, ELEMENTS_REDUCTION), &how));
  TN_TRY(tn_kernel_result(k, type, &out));
  build_copy(k, args[0], out);
  begin_updates(k, shape->n_in, shape->in);
  memcpy(to, k->axes, sizeof(const tn_node *) * shape->n_in);
  tn_kernel_keep_within(k, args[1], out, axis, to);
  to[axis] =
      tn_kernel_wrapped(k, tn_te_load(k->te, args[1], k->axes), out->in[TN_BUFFER_SHAPE]->in[axis]);
  end_updates(k, how, out, to, tn_te_load(k->te, args[2], k->axes));
  return NULL;
}

tn_status tn_op_lower_scatter_elements(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "scatter_elements", build_scatter_elements, out_func);
}

/* ---- scatter_nd: data, indices, updates ---- */

static tn_status nd_length(int64_t ndim, int64_t length) {
  if (length < 0 || length > ndim) {
    return TN_ERR(TN_INVALID, "an index of %" PRId64 " numbers into %" PRId64 " dimensions", length,
                  ndim);
  }
  return NULL;
}

/* updates: the indices' dimensions but the last, then those of data that an index leaves open */
static tn_status check_nd_updates(tn_ir *ir, const tn_node *data, const tn_node *indices,
                                  const tn_node *updates) {
  int64_t length = indices->in[indices->n_in - 1]->attr.i64;
  TN_TRY(nd_length(data->n_in, length));
  uint32_t n_outer = indices->n_in - 1;
  uint32_t want = n_outer + data->n_in - (uint32_t)length;
  if (updates->n_in != want) {
    return TN_ERR(TN_INVALID, "the tensor of updates has %u dimensions, expected %u", updates->n_in,
                  want);
  }
  for (uint32_t d = 0; d < want; ++d) {
    const tn_node *dim = d < n_outer ? indices->in[d] : data->in[length + d - n_outer];
    TN_TRY(tn_op_same_extent(ir, updates->in[d], "the tensor of updates", dim,
                             d < n_outer ? "that of indices" : "the data"));
  }
  return NULL;
}

tn_status tn_op_infer_scatter_nd(const tn_infer_ctx *ctx, const tn_node *call,
                                 const tn_node **out_type) {
  const tn_node *types[3];
  const tn_node *shapes[3];
  meeting how = REPLACES;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
    shapes[i] = tn_op_shape(types[i]);
  }
  TN_TRY(tn_op_want_integers(types[1], "the indices"));
  TN_TRY(tn_op_same_dtype(types[0], types[2]));
  TN_TRY(meeting_of(tn_op_text(call, 0), &how));
  TN_TRY(check_meeting(how, types[0]->dtype));
  if (shapes[1] != NULL && shapes[1]->n_in == 0) {
    return TN_ERR(TN_INVALID, "the indices have no dimension that holds a place");
  }
  if (shapes[0] != NULL && shapes[1] != NULL && shapes[2] != NULL &&
      shapes[1]->in[shapes[1]->n_in - 1]->op == TN_OP_INT) {
    TN_TRY(check_nd_updates(ctx->ir, shapes[0], shapes[1], shapes[2]));
  }
  *out_type = types[0];
  return NULL;
}

static bool nd_fits(const tn_array *x, const tn_array *indices, const tn_array *updates) {
  int32_t n_outer = indices->ndim - 1;
  int64_t length = indices->shape[n_outer];
  if (length > x->ndim || updates->ndim != n_outer + x->ndim - length) {
    return false;
  }
  for (int32_t d = 0; d < updates->ndim; ++d) {
    if (updates->shape[d] != (d < n_outer ? indices->shape[d] : x->shape[length + d - n_outer])) {
      return false;
    }
  }
  return tn_array_n_elems(updates) == 0 || tn_array_n_elems(x) > 0;
}

tn_status tn_op_eval_scatter_nd(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                tn_array *out) {
  int64_t at[TN_MAX_NDIM];
  int64_t to[TN_MAX_NDIM];
  meeting how = REPLACES;
  if (n_args != 3 || args[0] == NULL || args[1] == NULL || args[2] == NULL || args[1]->ndim == 0 ||
      !nd_fits(args[0], args[1], args[2])) {
    return TN_ERR(TN_INVALID, "expected a tensor, and indices and updates that fit it");
  }
  const tn_array *indices = args[1];
  const tn_array *updates = args[2];
  int32_t n_outer = indices->ndim - 1;
  int64_t length = indices->shape[n_outer];
  TN_TRY(meeting_of(tn_op_text(call, 0), &how));
  TN_TRY(tn_array_init_copy(out, args[0]));
  int64_t n = tn_array_n_elems(updates);
  for (int64_t i = 0; i < n; ++i) {
    int64_t row = 0;
    tn_unravel(updates, i, at);
    for (int32_t d = 0; d < n_outer; ++d) {
      row = row * indices->shape[d] + at[d];
    }
    for (int32_t d = 0; d < out->ndim; ++d) {
      to[d] = d < length ? tn_op_wrapped(indices, row * length + d, out->shape[d])
                         : at[n_outer + d - length];
    }
    meet(how, updates, i, out, tn_ravel(out, to));
  }
  return NULL;
}

static tn_status build_scatter_nd(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *to[TN_MAX_NDIM];
  const tn_node *at[TN_MAX_NDIM];
  meeting how = REPLACES;
  const tn_node *const args[3] = {k->buffers.data[0], k->buffers.data[1], k->buffers.data[2]};
  uint32_t n_outer = tn_buffer_ndim(args[1]) - 1;
  const tn_node *last = args[1]->in[TN_BUFFER_SHAPE]->in[n_outer];
  if (last->op != TN_OP_INT) {
    return TN_ERR(TN_UNSUPPORTED, "indices of a length that is not known while compiling");
  }
  TN_TRY(nd_length(tn_buffer_ndim(args[0]), last->attr.i64));
  TN_TRY(meeting_of(tn_op_text(k->call, 0), &how));
  TN_TRY(tn_kernel_result(k, type, &out));
  build_copy(k, args[0], out);
  const tn_node *dims = out->in[TN_BUFFER_SHAPE];
  const tn_node *shape = args[2]->in[TN_BUFFER_SHAPE];
  begin_updates(k, shape->n_in, shape->in);
  memcpy(at, k->axes, sizeof(const tn_node *) * n_outer);
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    if (d < last->attr.i64) {
      at[n_outer] = tn_int(k->ir, TN_DT_I64, d);
      to[d] = tn_kernel_wrapped(k, tn_te_load(k->te, args[1], at), dims->in[d]);
    } else {
      to[d] = k->axes[n_outer + d - last->attr.i64];
    }
  }
  end_updates(k, how, out, to, tn_te_load(k->te, args[2], k->axes));
  return NULL;
}

tn_status tn_op_lower_scatter_nd(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "scatter_nd", build_scatter_nd, out_func);
}
