/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Relay's operators and what they are here. Most are an operator of ours under another name; the
 * others are put together in functions below. Where a default differs, the function says so. */
#include <inttypes.h>
#include <string.h>

#include "script/relay.h"

/* ---- small parts ---- */

static const tn_node *shape_node(tn_relay_call *c, uint32_t n, const tn_node *const *dims) {
  return tn_node_new(c->r->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, n, dims);
}

static const tn_node *int_field(tn_relay_call *c, int64_t value) {
  return tn_int(c->r->ir, TN_DT_I64, value);
}

static const tn_node *reshape_to(tn_relay_call *c, const tn_node *x, uint32_t n,
                                 const tn_node *const *dims) {
  const tn_node *args[] = {x, shape_node(c, n, dims)};
  return tn_relay_emit(c, "reshape", 2, args, NULL);
}

static const tn_node *product(tn_relay_call *c, const tn_node *const *dims, uint32_t n) {
  const tn_node *out = int_field(c, 1);
  for (uint32_t i = 0; i < n; ++i) {
    out = tn_is_int(out, 1) ? dims[i] : tn_binary(c->r->ir, TN_OP_MUL, out, dims[i]);
  }
  if (out->op == TN_OP_MUL) {
    tn_arith *arith = tn_arith_new(c->r->ir);
    out = tn_arith_simplify(arith, out);
    tn_arith_free(arith);
  }
  return out;
}

/* The last two dimensions the other way round. */
static const tn_node *swap_last(tn_relay_call *c, const tn_node *x) {
  const tn_node *type = tn_relay_infer(c->r, c->ast, x);
  int64_t axes[TN_MAX_NDIM];
  if (type == NULL || type->op != TN_OP_TY_TENSOR || type->attr.i64 < 2) {
    return type == NULL
               ? NULL
               : tn_relay_fail(c->r, c->ast, "type-error", NULL,
                               "%s needs tensors of two dimensions at least", c->row->name);
  }
  int32_t n = (int32_t)type->attr.i64;
  for (int32_t i = 0; i < n; ++i) {
    axes[i] = i < n - 2 ? i : i == n - 2 ? n - 1 : n - 2;
  }
  return tn_relay_emit(c, "permute_dims", 1, &x, "axes", tn_relay_ints(c, n, axes), NULL);
}

static const tn_node *dtype_field(tn_relay_call *c, tn_dtype dtype) {
  if (dtype == TN_DT_NONE) {
    return NULL;
  }
  return tn_node_new(c->r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL);
}

static const tn_node *product_of(tn_relay_call *c, const tn_node *a, const tn_node *b) {
  const tn_node *args[] = {a, b};
  const tn_node *dtype = dtype_field(c, tn_relay_attr_dtype(c, "out_dtype", TN_DT_NONE));
  return tn_relay_emit(c, "matmul", 2, args, "out_dtype", dtype, NULL);
}

/* ---- rows of their own ---- */

/* The value itself: copies, and notes for passes that are not ours. */
static const tn_node *op_same(tn_relay_call *c) {
  for (uint32_t i = 1; i < c->ast->n; ++i) {
    if (c->ast->in[i]->kind == TN_RELAY_ATTR) {
      (void)tn_relay_attr(c, c->ast->in[i]->text);
    }
  }
  return c->args[0];
}

/* x W^T; the weight's rows are the units. */
static const tn_node *op_dense(tn_relay_call *c) {
  (void)tn_relay_attr(c, "units");
  return product_of(c, c->args[0], swap_last(c, c->args[1]));
}

/* nn.matmul, and nn.batch_matmul, whose second operand is transposed unless it says otherwise. */
static const tn_node *op_matmul(tn_relay_call *c) {
  bool is_batch = strcmp(c->row->name, "nn.batch_matmul") == 0;
  (void)tn_relay_attr(c, "units");
  bool swaps_a = tn_relay_attr_int(c, "transpose_a", 0) != 0;
  bool swaps_b = tn_relay_attr_int(c, "transpose_b", is_batch) != 0;
  const tn_node *a = swaps_a ? swap_last(c, c->args[0]) : c->args[0];
  const tn_node *b = swaps_b ? swap_last(c, c->args[1]) : c->args[1];
  return product_of(c, a, b);
}

/* The bias stands along one axis: reshaped so that it broadcasts. */
static const tn_node *op_bias_add(tn_relay_call *c) {
  const tn_node *type = tn_relay_arg_type(c, 0);
  const tn_node *bias = tn_relay_arg_shape(c, 1);
  int64_t axis = tn_relay_attr_int(c, "axis", 1);
  const tn_node *dims[TN_MAX_NDIM];
  if (type == NULL || bias == NULL) {
    return NULL;
  }
  int64_t ndim = type->attr.i64;
  axis += axis < 0 && ndim > 0 ? ndim : 0;
  if (ndim < 0 || ndim > TN_MAX_NDIM || axis < 0 || axis >= ndim || bias->n_in != 1) {
    return tn_relay_fail(c->r, c->ast, "type-error", NULL,
                         "nn.bias_add needs a vector, and an axis of the tensor it is added to");
  }
  const tn_node *vector = c->args[1];
  uint32_t n = (uint32_t)(ndim - axis);
  for (uint32_t i = 0; i < n; ++i) {
    dims[i] = i == 0 ? bias->in[0] : int_field(c, 1);
  }
  vector = n == 1 ? vector : reshape_to(c, vector, n, dims);
  const tn_node *args[] = {c->args[0], vector};
  return tn_relay_emit(c, "add", 2, args, NULL);
}

static const tn_node *op_batch_flatten(tn_relay_call *c) {
  const tn_node *shape = tn_relay_arg_shape(c, 0);
  if (shape == NULL || shape->n_in == 0) {
    return shape == NULL ? NULL
                         : tn_relay_fail(c->r, c->ast, "type-error", NULL,
                                         "nn.batch_flatten needs one dimension at least");
  }
  const tn_node *dims[] = {shape->in[0], product(c, shape->in + 1, shape->n_in - 1)};
  return reshape_to(c, c->args[0], 2, dims);
}

/* newshape: 0 keeps an extent, -1 is what is left, -2 all that follow, -3 the product of two, -4
 * splits one into the two that follow it. */
static const tn_node *op_reshape(tn_relay_call *c) {
  const tn_node *from = tn_relay_arg_shape(c, 0);
  const tn_node *dims[3 * TN_MAX_NDIM];
  int64_t want[TN_MAX_NDIM];
  int32_t n_want = 0;
  uint32_t n = 0;
  uint32_t at = 0; /* in the old shape */
  bool allows_zero = tn_relay_attr_int(c, "allowzero", 0) != 0;
  if (from == NULL || !tn_relay_attr_ints(c, "newshape", want, &n_want)) {
    return NULL;
  }
  if (n_want < 0) {
    return tn_relay_fail(c->r, c->ast, "missing-argument", NULL,
                         "reshape needs the attribute 'newshape'");
  }
  for (int32_t i = 0; i < n_want; ++i) {
    uint32_t n_taken = want[i] == -3 ? 2 : want[i] == -2 ? from->n_in - at : 1;
    bool is_open = want[i] > 0 || want[i] == -1 || (want[i] == 0 && allows_zero);
    if (want[i] < -4 || (!is_open && (at > from->n_in || n_taken > from->n_in - at)) ||
        (want[i] == -4 && i + 2 >= n_want)) {
      return tn_relay_fail(c->r, c->ast, "bad-shape", NULL,
                           "%" PRId64 " in newshape does not fit the %u extents there are", want[i],
                           from->n_in);
    }
    if (is_open) {
      dims[n++] = int_field(c, want[i]);
    } else if (want[i] == -3) {
      dims[n++] = product(c, from->in + at, 2);
    } else if (want[i] == -4) {
      int64_t a = want[i + 1];
      int64_t b = want[i + 2];
      const tn_node *whole = from->in[at];
      bool divides = whole->op == TN_OP_INT && (a > 0 || b > 0);
      a = a == -1 && divides ? whole->attr.i64 / b : a;
      b = b == -1 && divides ? whole->attr.i64 / a : b;
      dims[n++] = int_field(c, a);
      dims[n++] = int_field(c, b);
      i += 2;
    } else {
      for (uint32_t k = 0; k < n_taken; ++k) {
        dims[n++] = from->in[at + k];
      }
    }
    at += want[i] == -2 ? n_taken : n_taken == 2 ? 2 : 1;
    at = at > from->n_in ? from->n_in : at;
  }
  if (n > TN_MAX_NDIM) {
    return tn_relay_fail(c->r, c->ast, "bad-shape", NULL, "%u dimensions; there may be %d", n,
                         (int)TN_MAX_NDIM);
  }
  return reshape_to(c, c->args[0], n, dims);
}

static const tn_node *op_reshape_like(tn_relay_call *c) {
  const tn_node *to = tn_relay_arg_shape(c, 1);
  return to == NULL ? NULL : reshape_to(c, c->args[0], to->n_in, to->in);
}

/* Several new axes side by side. */
static const tn_node *op_expand_dims(tn_relay_call *c) {
  const tn_node *type = tn_relay_arg_type(c, 0);
  int64_t axis = tn_relay_attr_int(c, "axis", 0);
  int64_t n = tn_relay_attr_int(c, "num_newaxis", 1);
  int64_t axes[TN_MAX_NDIM];
  if (type == NULL) {
    return NULL;
  }
  if (n < 0 || type->attr.i64 < 0 || n > TN_MAX_NDIM - type->attr.i64) {
    return tn_relay_fail(c->r, c->ast, "bad-field", NULL, "%" PRId64 " new axes", n);
  }
  axis += axis < 0 ? type->attr.i64 + 1 : 0;
  if (axis < 0 || axis > type->attr.i64) {
    return tn_relay_fail(c->r, c->ast, "bad-field", NULL,
                         "axis %" PRId64 " is outside of the %" PRId64 " dimensions there are",
                         tn_relay_attr_int(c, "axis", 0), type->attr.i64);
  }
  for (int64_t i = 0; i < n; ++i) {
    axes[i] = axis + i;
  }
  return tn_relay_emit(c, "expand_dims", 1, c->args, "axis", tn_relay_ints(c, (int32_t)n, axes),
                       NULL);
}

static const tn_node *op_cast_like(tn_relay_call *c) {
  const tn_node *type = tn_relay_arg_type(c, 1);
  return type == NULL
             ? NULL
             : tn_relay_emit(c, "astype", 1, c->args, "dtype", dtype_field(c, type->dtype), NULL);
}

/* Axes of a reduction; with exclude=True all but these. */
static const tn_node *op_reduce(tn_relay_call *c) {
  const tn_node *type = tn_relay_arg_type(c, 0);
  int64_t axes[TN_MAX_NDIM];
  int64_t others[TN_MAX_NDIM];
  int32_t n = 0;
  int32_t n_others = 0;
  bool keeps = tn_relay_attr_int(c, "keepdims", 0) != 0;
  bool excludes = tn_relay_attr_int(c, "exclude", 0) != 0;
  if (type == NULL || !tn_relay_attr_ints(c, "axis", axes, &n)) {
    return NULL;
  }
  if (tn_relay_attr_int(c, "unbiased", 0) != 0) {
    return tn_relay_fail(c->r, c->ast, "unsupported", "multiply by n / (n - 1)",
                         "not supported: %s with unbiased=True", c->row->name);
  }
  for (int32_t i = 0; i < n && type->attr.i64 >= 0; ++i) {
    if (axes[i] < -type->attr.i64 || axes[i] >= type->attr.i64) {
      return tn_relay_fail(c->r, c->ast, "bad-field", NULL,
                           "axis %" PRId64 " is outside of the %" PRId64 " dimensions there are",
                           axes[i], type->attr.i64);
    }
  }
  for (int64_t d = 0; d < type->attr.i64; ++d) {
    bool is_there = false;
    for (int32_t i = 0; i < n; ++i) {
      is_there = is_there || axes[i] == d || axes[i] == d - type->attr.i64;
    }
    if (!is_there && d < TN_MAX_NDIM) {
      others[n_others++] = d;
    }
  }
  const tn_node *axis = n < 0      ? NULL
                        : excludes ? tn_relay_ints(c, n_others, others)
                                   : tn_relay_ints(c, n, axes);
  return tn_relay_emit(c, c->row->op, 1, c->args, "axis", axis, "keepdims",
                       keeps ? tn_bool(c->r->ir, true) : NULL, NULL);
}

/* The second argument is the mean, kept in the shape of the first: the mean of the squares of what
 * differs from it. */
static const tn_node *op_variance(tn_relay_call *c) {
  const tn_node *difference = tn_relay_hold(c, tn_relay_emit(c, "subtract", 2, c->args, NULL));
  const tn_node *pair[] = {difference, difference};
  const tn_node *square = tn_relay_hold(c, tn_relay_emit(c, "multiply", 2, pair, NULL));
  if (square == NULL) {
    return NULL;
  }
  c->args = &square;
  return op_reduce(c);
}

static const tn_node *op_arg_reduce(tn_relay_call *c) {
  const tn_relay *axis = tn_relay_attr(c, "axis");
  bool keeps = tn_relay_attr_int(c, "keepdims", 0) != 0;
  if (tn_relay_attr_int(c, "exclude", 0) != 0 ||
      tn_relay_attr_int(c, "select_last_index", 0) != 0) {
    return tn_relay_fail(c->r, c->ast, "unsupported", NULL,
                         "not supported: %s with exclude or select_last_index", c->row->name);
  }
  const tn_node *x =
      tn_relay_emit(c, c->row->op, 1, c->args, "axis",
                    axis == NULL ? NULL : int_field(c, tn_relay_attr_int(c, "axis", 0)), "keepdims",
                    keeps ? tn_bool(c->r->ir, true) : NULL, NULL);
  /* indices are int32 in Relay */
  return x == NULL ? NULL
                   : tn_relay_emit(c, "astype", 1, &x, "dtype", dtype_field(c, TN_DT_I32), NULL);
}

/* center=False, scale=False: no beta, no gamma. Our operator has one axis or several. */
static const tn_node *op_layer_norm(tn_relay_call *c) {
  int64_t axis = tn_relay_attr_int(c, "axis", -1);
  double epsilon = tn_relay_attr_float(c, "epsilon", 1e-5);
  bool centers = tn_relay_attr_int(c, "center", 1) != 0;
  bool scales = tn_relay_attr_int(c, "scale", 1) != 0;
  return tn_relay_emit(c, "nn.layer_norm", 3, c->args, "axes", tn_relay_ints(c, 1, &axis),
                       "epsilon", tn_float(c->r->ir, TN_DT_F64, epsilon), "center",
                       centers ? NULL : tn_bool(c->r->ir, false), "scale",
                       scales ? NULL : tn_bool(c->r->ir, false), NULL);
}

/* Over the whole of the spatial dimensions. */
static const tn_node *op_global_pool(tn_relay_call *c) {
  const char *layout = tn_relay_attr_text(c, "layout", "NCHW");
  bool is_max = strstr(c->row->name, "max") != NULL;
  int64_t ones[] = {1, 1};
  (void)tn_relay_attr(c, "out_layout");
  if (!is_max) {
    return tn_relay_emit(c, "nn.adaptive_avg_pool2d", 1, c->args, "output_size",
                         tn_relay_ints(c, 2, ones), "layout", tn_str(c->r->ir, layout), NULL);
  }
  const char *h = strchr(layout, 'H');
  const char *w = strchr(layout, 'W');
  if (h == NULL || w == NULL || strlen(layout) != 4) {
    return tn_relay_fail(c->r, c->ast, "unsupported", NULL, "not supported: the layout '%s'",
                         layout);
  }
  int64_t axes[] = {h - layout, w - layout};
  return tn_relay_emit(c, "max", 1, c->args, "axis", tn_relay_ints(c, 2, axes), "keepdims",
                       tn_bool(c->r->ir, true), NULL);
}

/* pad_width: a pair a dimension; the value is a scalar argument. */
static const tn_node *op_pad(tn_relay_call *c) {
  const tn_relay *width = tn_relay_attr(c, "pad_width");
  const char *mode = tn_relay_attr_text(c, "pad_mode", "constant");
  int64_t values[2 * TN_MAX_NDIM];
  const tn_node *items[2 * TN_MAX_NDIM];
  uint32_t n = 0;
  double fill = 0;
  if (c->n_args < 1 || c->n_args > 2) {
    return tn_relay_fail(c->r, c->ast, "wrong-argument-count", NULL,
                         "nn.pad takes 1 or 2 arguments, got %u", c->n_args);
  }
  if (width == NULL || width->kind != TN_RELAY_LIST || width->n > TN_MAX_NDIM) {
    return tn_relay_fail(c->r, c->ast, "bad-field", NULL, "nn.pad needs pad_width=[[a, b], ...]");
  }
  for (uint32_t i = 0; i < width->n; ++i) {
    const tn_relay *pair = width->in[i];
    for (uint32_t k = 0; k < 2; ++k) {
      const tn_relay *item = pair->kind == TN_RELAY_LIST && pair->n == 2 ? pair->in[k] : NULL;
      if (item == NULL || item->kind != TN_RELAY_NUMBER || tn_dtype_is_float(item->dtype)) {
        return tn_relay_fail(c->r, pair, "bad-field", NULL, "expected a pair of integers");
      }
      values[n] = item->i64;
      items[n] = int_field(c, values[n]);
      ++n;
    }
  }
  if (c->n_args == 2) {
    if (c->args[1]->op != TN_OP_CONST || tn_array_n_elems(c->args[1]->attr.array) != 1) {
      return tn_relay_fail(c->r, c->ast, "unsupported", NULL,
                           "not supported: a pad_value that is no constant");
    }
    fill = tn_array_get_f64(c->args[1]->attr.array, 0);
  } else {
    fill = tn_relay_attr_float(c, "pad_value", 0);
  }
  return tn_relay_emit(c, "nn.pad", 1, c->args, "pad_width", tn_list(c->r->ir, n, items),
                       "pad_value", tn_float(c->r->ir, TN_DT_F64, fill), "pad_mode",
                       tn_str(c->r->ir, mode), NULL);
}

/* zeros, ones: a shape among the attributes, no argument. */
static const tn_node *op_filled(tn_relay_call *c) {
  int64_t dims[TN_MAX_NDIM];
  const tn_node *nodes[TN_MAX_NDIM];
  int32_t n = 0;
  bool has_value = strcmp(c->row->name, "full") == 0;
  if (!tn_relay_attr_ints(c, "shape", dims, &n)) {
    return NULL;
  }
  const tn_node *type = has_value ? tn_relay_arg_type(c, 0) : NULL;
  tn_dtype dtype = tn_relay_attr_dtype(c, "dtype", type != NULL ? type->dtype : TN_DT_F32);
  for (int32_t i = 0; i < n; ++i) {
    nodes[i] = int_field(c, dims[i]);
  }
  const tn_node *args[] = {shape_node(c, n < 0 ? 0 : (uint32_t)n, nodes),
                           has_value ? c->args[0] : NULL};
  return tn_relay_emit(c, c->row->op, has_value ? 2 : 1, args, "dtype", dtype_field(c, dtype),
                       NULL);
}

static const tn_node *op_broadcast_to(tn_relay_call *c) {
  int64_t dims[TN_MAX_NDIM];
  const tn_node *nodes[TN_MAX_NDIM];
  int32_t n = 0;
  (void)tn_relay_attr(c, "dtype");
  if (!tn_relay_attr_ints(c, "shape", dims, &n)) {
    return NULL;
  }
  for (int32_t i = 0; i < n; ++i) {
    nodes[i] = int_field(c, dims[i]);
  }
  const tn_node *args[] = {c->args[0], shape_node(c, n < 0 ? 0 : (uint32_t)n, nodes)};
  return tn_relay_emit(c, "broadcast_to", 2, args, NULL);
}

static const tn_node *op_broadcast_like(tn_relay_call *c) {
  const tn_node *to = tn_relay_arg_shape(c, 1);
  const tn_node *args[] = {c->args[0], to == NULL ? NULL : shape_node(c, to->n_in, to->in)};
  return to == NULL ? NULL : tn_relay_emit(c, "broadcast_to", 2, args, NULL);
}

/* A new axis for each, then joined along it. */
static const tn_node *op_stack(tn_relay_call *c) {
  int64_t axis = tn_relay_attr_int(c, "axis", 0);
  const tn_node *type = tn_relay_infer(c->r, c->ast, c->args[0]);
  if (type == NULL || type->op != TN_OP_TY_TUPLE) {
    return type == NULL ? NULL
                        : tn_relay_fail(c->r, c->ast, "type-error", NULL, "stack takes a tuple");
  }
  const tn_node **items = TN_ARENA_ARRAY(&c->r->arena, const tn_node *, type->n_in + 1);
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *item = c->args[0]->op == TN_OP_TUPLE
                              ? c->args[0]->in[i]
                              : tn_relay_bind(c->r, c->ast, "gv",
                                              tn_node_new(c->r->ir, TN_OP_GET, TN_DT_NONE,
                                                          (tn_attr){.i64 = i}, 1, c->args));
    items[i] = tn_relay_hold(
        c, tn_relay_emit(c, "expand_dims", 1, &item, "axis", tn_relay_ints(c, 1, &axis), NULL));
    if (items[i] == NULL) {
      return NULL;
    }
  }
  const tn_node *tuple =
      tn_node_new(c->r->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, type->n_in, items);
  return tn_relay_emit(c, "concat", 1, &tuple, "axis", int_field(c, axis), NULL);
}

/* ---- the table ---- */

#define SAME(name) \
  { name, name, 1, "", NULL }
#define BINARY(name) \
  { name, name, 2, "", NULL }
#define CONV                                                                        \
  "strides padding dilation groups data_layout kernel_layout out_layout out_dtype " \
  "-channels -kernel_size"
#define POOL "pool_size strides padding dilation ceil_mode count_include_pad layout out_layout"

/* Sorted by name. */
static const tn_relay_row rows[] = {
    SAME("abs"),
    SAME("acos"),
    SAME("acosh"),
    BINARY("add"),
    {"annotation.stop_fusion", NULL, 1, "", op_same},
    {"argmax", "argmax", 1, "", op_arg_reduce},
    {"argmin", "argmin", 1, "", op_arg_reduce},
    SAME("asin"),
    SAME("asinh"),
    SAME("atan"),
    SAME("atanh"),
    BINARY("bitwise_and"),
    SAME("bitwise_not"),
    BINARY("bitwise_or"),
    BINARY("bitwise_xor"),
    {"broadcast_to", "broadcast_to", 1, "", op_broadcast_to},
    {"broadcast_to_like", "broadcast_to", 2, "", op_broadcast_like},
    {"cast", "astype", 1, "dtype", NULL},
    {"cast_like", "astype", 2, "", op_cast_like},
    SAME("ceil"),
    {"clip", "clip", 1, "a_min:min a_max:max", NULL},
    {"concatenate", "concat", 1, "axis", NULL},
    {"copy", NULL, 1, "", op_same},
    SAME("cos"),
    SAME("cosh"),
    {"cumsum", "cumsum", 1, "axis dtype exclusive", NULL},
    BINARY("divide"),
    BINARY("equal"),
    SAME("erf"),
    SAME("exp"),
    {"expand_dims", "expand_dims", 1, "", op_expand_dims},
    {"fast_erf", "erf", 1, "", NULL},
    {"fast_exp", "exp", 1, "", NULL},
    {"fast_tanh", "tanh", 1, "", NULL},
    SAME("floor"),
    BINARY("floor_divide"),
    BINARY("floor_mod"),
    {"full", "full", 1, "", op_filled},
    BINARY("full_like"),
    BINARY("greater"),
    BINARY("greater_equal"),
    SAME("isfinite"),
    SAME("isinf"),
    SAME("isnan"),
    BINARY("left_shift"),
    BINARY("less"),
    BINARY("less_equal"),
    SAME("log"),
    BINARY("logical_and"),
    SAME("logical_not"),
    BINARY("logical_or"),
    BINARY("logical_xor"),
    {"max", "max", 1, "", op_reduce},
    BINARY("maximum"),
    {"mean", "mean", 1, "", op_reduce},
    {"min", "min", 1, "", op_reduce},
    BINARY("minimum"),
    BINARY("mod"),
    BINARY("multiply"),
    SAME("negative"),
    {"nn.adaptive_avg_pool2d", "nn.adaptive_avg_pool2d", 1, "output_size layout out_layout", NULL},
    {"nn.avg_pool1d", "nn.avg_pool1d", 1, POOL, NULL},
    {"nn.avg_pool2d", "nn.avg_pool2d", 1, POOL, NULL},
    {"nn.batch_flatten", "reshape", 1, "", op_batch_flatten},
    {"nn.batch_matmul", "matmul", 2, "", op_matmul},
    {"nn.batch_norm", "nn.batch_norm", 5, "axis epsilon center scale", NULL},
    {"nn.bias_add", "add", 2, "", op_bias_add},
    {"nn.conv1d", "nn.conv1d", 2, CONV, NULL},
    {"nn.conv2d", "nn.conv2d", 2, CONV, NULL},
    {"nn.dense", "matmul", 2, "", op_dense},
    {"nn.dropout", "nn.dropout", 1, "rate", NULL},
    {"nn.fast_softmax", "nn.softmax", 1, "axis", NULL},
    {"nn.global_avg_pool2d", "nn.adaptive_avg_pool2d", 1, "", op_global_pool},
    {"nn.global_max_pool2d", "max", 1, "", op_global_pool},
    {"nn.layer_norm", "nn.layer_norm", 3, "", op_layer_norm},
    {"nn.leaky_relu", "nn.leakyrelu", 1, "alpha", NULL},
    {"nn.log_softmax", "nn.log_softmax", 1, "axis", NULL},
    {"nn.matmul", "matmul", 2, "", op_matmul},
    {"nn.max_pool1d", "nn.max_pool1d", 1, POOL, NULL},
    {"nn.max_pool2d", "nn.max_pool2d", 1, POOL, NULL},
    {"nn.pad", "nn.pad", -1, "", op_pad},
    {"nn.prelu", "nn.prelu", 2, "axis", NULL},
    SAME("nn.relu"),
    {"nn.softmax", "nn.softmax", 1, "axis", NULL},
    BINARY("not_equal"),
    {"on_device", NULL, 1, "", op_same},
    {"one_hot", "one_hot", 3, "depth axis dtype", NULL},
    {"ones", "ones", 0, "", op_filled},
    SAME("ones_like"),
    BINARY("power"),
    {"prod", "prod", 1, "", op_reduce},
    {"repeat", "repeat", 1, "repeats axis", NULL},
    {"reshape", "reshape", 1, "", op_reshape},
    {"reshape_like", "reshape", 2, "", op_reshape_like},
    {"reverse", "flip", 1, "axis", NULL},
    BINARY("right_shift"),
    SAME("round"),
    SAME("rsqrt"),
    SAME("sigmoid"),
    SAME("sign"),
    SAME("sin"),
    SAME("sinh"),
    {"split", "split", 1, "indices_or_sections axis", NULL},
    SAME("sqrt"),
    {"squeeze", "squeeze", 1, "axis", NULL},
    {"stack", "concat", 1, "", op_stack},
    {"strided_slice", "strided_slice", 1, "axes begin end strides slice_mode", NULL},
    BINARY("subtract"),
    {"sum", "sum", 1, "", op_reduce},
    {"take", "take", 2, "axis mode -batch_dims", NULL},
    SAME("tan"),
    SAME("tanh"),
    {"tile", "tile", 1, "reps:repeats", NULL},
    {"transpose", "permute_dims", 1, "axes", NULL},
    SAME("trunc"),
    {"variance", "mean", 2, "", op_variance},
    {"where", "where", 3, "", NULL},
    {"zeros", "zeros", 0, "", op_filled},
    SAME("zeros_like"),
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

const tn_relay_row *tn_relay_row_find(const char *name) {
  size_t lo = 0;
  size_t hi = N_ROWS;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    int order = strcmp(rows[mid].name, name);
    if (order == 0) {
      return &rows[mid];
    }
    if (order < 0) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return NULL;
}

const tn_relay_row *tn_relay_rows(uint32_t *out_n) {
  *out_n = N_ROWS;
  return rows;
}
