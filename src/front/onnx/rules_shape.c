/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What changes shapes without moving elements, and what makes tensors of nothing. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/known.h"
#include "front/onnx/rules.h"

/* ---- shapes as values ---- */

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

void tn_onnx_rule_shape(tn_onnx_call *c) {
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 0));
  if (dims == NULL) {
    return;
  }
  int64_t n = dims->n_in;
  int64_t start = tn_onnx_attr_int(c, "start", 0);
  int64_t end = tn_onnx_attr_int(c, "end", n);
  start = clamp(start < 0 ? start + n : start, 0, n);
  end = clamp(end < 0 ? end + n : end, start, n);
  tn_onnx_give(
      c, 0,
      tn_onnx_from_known(c, tn_list(c->ir, (uint32_t)(end - start), dims->in + start), false));
}

static const tn_node *product(tn_onnx_call *c, uint32_t n, const tn_node *const *dims) {
  const tn_node *all = tn_int(c->ir, TN_DT_I64, 1);
  for (uint32_t i = 0; i < n; ++i) {
    all = tn_onnx_size_op(c, TN_OP_MUL, all, dims[i]);
  }
  return all;
}

void tn_onnx_rule_size(tn_onnx_call *c) {
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 0));
  if (dims != NULL) {
    const tn_node *all = product(c, dims->n_in, dims->in);
    tn_onnx_give(c, 0, tn_onnx_from_known(c, tn_list(c->ir, 1, &all), true));
  }
}

/* ---- other shapes ---- */

static const tn_node *list_of(tn_onnx_call *c, tn_onnx_i64s values) {
  const tn_node *items[TN_MAX_NDIM];
  if (values.len > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%zu dimensions", values.len);
    return NULL;
  }
  for (size_t i = 0; i < values.len; ++i) {
    items[i] = tn_int(c->ir, TN_DT_I64, values.data[i]);
  }
  return c->st != NULL ? NULL : tn_list(c->ir, (uint32_t)values.len, items);
}

/* The -1 is left to the operator unless the shape holds a 0: then it must be told apart here. */
static const tn_node *reshape_dims(tn_onnx_call *c, const tn_node *x, const tn_node *wanted,
                                   bool keeps_zero) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *out[TN_MAX_NDIM];
  for (uint32_t i = 0; wanted != NULL && dims != NULL && i < wanted->n_in; ++i) {
    out[i] = wanted->in[i];
    if (tn_is_int(out[i], 0) && !keeps_zero) {
      if (i >= dims->n_in) {
        TN_ONNX_FAIL(c, TN_INVALID, "extent %u is 0, the operand's, which has %u", i, dims->n_in);
        return NULL;
      }
      out[i] = dims->in[i];
    }
  }
  return wanted == NULL || dims == NULL ? NULL : tn_list(c->ir, wanted->n_in, out);
}

void tn_onnx_rule_reshape_old(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *wanted = list_of(c, tn_onnx_attr_ints(c, "shape"));
  tn_onnx_give(c, 0, tn_onnx_reshape(c, x, reshape_dims(c, x, wanted, false)));
}

/* A shape that only run time knows, with its 0 and -1 replaced: by the operand's extent, and by what
 * the others leave. */
static const tn_node *settled(tn_onnx_call *c, const tn_node *x, const tn_node *shape,
                              bool keeps_zero) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *own = tn_onnx_dims(c, shape);
  const int64_t axis = 0;
  const tn_node *extents[TN_MAX_NDIM];
  if (dims == NULL || own == NULL || own->n_in != 1 || own->in[0]->op != TN_OP_INT ||
      own->in[0]->attr.i64 > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the new shape has no known number of dimensions");
    return NULL;
  }
  uint32_t n = (uint32_t)own->in[0]->attr.i64;
  for (uint32_t i = 0; i < n; ++i) {
    extents[i] = i < dims->n_in ? dims->in[i] : tn_int(c->ir, TN_DT_I64, 0);
  }
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
  const tn_node *one = tn_onnx_scalar(c, TN_DT_I64, 1);
  if (!keeps_zero) {
    const tn_node *same = tn_onnx_from_known(c, tn_list(c->ir, n, extents), false);
    shape = tn_onnx_op3(c, "where", tn_onnx_op2(c, "equal", shape, zero), same, shape);
  }
  const tn_node *is_open = tn_onnx_op2(c, "less", shape, zero);
  const tn_node *others = tn_onnx_op3(c, "where", is_open, one, shape);
  const tn_node *all = product(c, dims->n_in, dims->in);
  const tn_node *total = tn_onnx_from_known(c, tn_list(c->ir, 1, &all), true);
  const tn_node *rest = n == 0 ? one : tn_onnx_reduce(c, "prod", others, 1, &axis, false);
  rest = tn_onnx_op2(c, "floor_divide", total, tn_onnx_op2(c, "maximum", rest, one));
  return tn_onnx_op3(c, "where", is_open, rest, shape);
}

void tn_onnx_rule_reshape(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  bool keeps_zero = tn_onnx_attr_int(c, "allowzero", 0) != 0;
  const tn_node *shape = tn_onnx_in(c, 1);
  if (tn_onnx_known(c, shape) == NULL) {
    shape = settled(c, x, shape, keeps_zero);
  }
  const tn_node *wanted = tn_onnx_sizes(c, shape, "the new shape");
  tn_onnx_give(c, 0, tn_onnx_reshape(c, x, reshape_dims(c, x, wanted, keeps_zero)));
}

void tn_onnx_rule_flatten(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t axis = tn_onnx_attr_int(c, "axis", 1);
  int64_t n = dims == NULL ? 0 : dims->n_in;
  if (dims == NULL || axis < -n || axis > n) {
    TN_ONNX_FAIL(c, TN_INVALID, "axis %" PRId64 " of a tensor of %" PRId64 " dimensions", axis, n);
    return;
  }
  axis = axis < 0 ? axis + n : axis;
  const tn_node *two[] = {product(c, (uint32_t)axis, dims->in),
                          product(c, (uint32_t)(n - axis), dims->in + axis)};
  tn_onnx_give(c, 0, tn_onnx_reshape(c, x, tn_list(c->ir, 2, two)));
}

/* From the attribute, or from opset 13 on the second input. */
static tn_onnx_i64s axes_of(tn_onnx_call *c) {
  return tn_onnx_maybe(c, 1) == NULL ? tn_onnx_attr_ints(c, "axes")
                                     : tn_onnx_numbers(c, tn_onnx_maybe(c, 1), "axes");
}

void tn_onnx_rule_squeeze(tn_onnx_call *c) {
  tn_onnx_i64s axes = axes_of(c);
  tn_onnx_build b = tn_onnx_begin(c, "squeeze");
  if (axes.data != NULL) {
    tn_onnx_set_ints(&b, "axis", axes.len, axes.data);
  }
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}

void tn_onnx_rule_unsqueeze(tn_onnx_call *c) {
  tn_onnx_i64s axes = axes_of(c);
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  if (axes.len == 0) {
    tn_onnx_give(c, 0, tn_onnx_in(c, 0));
    return;
  }
  tn_onnx_set_ints(&b, "axis", axes.len, axes.data);
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}

void tn_onnx_rule_transpose(tn_onnx_call *c) {
  tn_onnx_i64s perm = tn_onnx_attr_ints(c, "perm");
  tn_onnx_build b = tn_onnx_begin(c, "permute_dims");
  if (perm.data != NULL) {
    tn_onnx_set_ints(&b, "axes", perm.len, perm.data);
  }
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}

/* One extent of a broadcast both ways: where one is 1, the other. */
static const tn_node *wider(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  if (tn_is_int(a, 1)) {
    return b;
  }
  if (tn_is_int(b, 1) || tn_dim_compare(c->ir, a, b) == TN_DIM_EQUAL) {
    return a;
  }
  return a->op == TN_OP_INT ? a : b;
}

void tn_onnx_rule_expand(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *wanted = tn_onnx_sizes(c, tn_onnx_in(c, 1), "the shape");
  const tn_node *out[TN_MAX_NDIM];
  if (dims == NULL || wanted == NULL || dims->n_in > TN_MAX_NDIM) {
    return;
  }
  uint32_t n = dims->n_in > wanted->n_in ? dims->n_in : wanted->n_in;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    const tn_node *a = i + dims->n_in >= n ? dims->in[i + dims->n_in - n] : one;
    const tn_node *b = i + wanted->n_in >= n ? wanted->in[i + wanted->n_in - n] : one;
    out[i] = wider(c, a, b);
  }
  tn_onnx_give(c, 0,
               tn_onnx_op2(c, "broadcast_to", x, tn_onnx_shape_value(c, tn_list(c->ir, n, out))));
}

/* ---- tensors of nothing ---- */

static const tn_node *constant_of(tn_onnx_call *c, const tn_onnx_tensor *tensor) {
  tn_array array = {0};
  tn_onnx_elem type = {TN_DT_NONE, false};
  tn_onnx_fail(c, tn_onnx_elem_find(tensor->data_type, &type));
  tn_onnx_fail(c, tn_onnx_tensor_to_array(tensor, c->imp->folder, &array));
  return tn_onnx_mark(c, tn_onnx_const(c, &array), type);
}

static const tn_node *floats_const(tn_onnx_call *c, size_t n, const float *values, int32_t ndim) {
  tn_array array = {0};
  int64_t shape = (int64_t)n;
  tn_onnx_fail(c, tn_array_init(&array, TN_DT_F32, ndim, &shape));
  for (size_t i = 0; c->st == NULL && i < n; ++i) {
    tn_array_set_f64(&array, (int64_t)i, (double)values[i]);
  }
  return tn_onnx_const(c, &array);
}

void tn_onnx_rule_constant(tn_onnx_call *c) {
  const tn_onnx_attr *a = NULL;
  const tn_node *value = NULL;
  if ((a = tn_onnx_attr_find(c, "value")) != NULL && a->t != NULL) {
    value = constant_of(c, a->t);
  } else if ((a = tn_onnx_attr_find(c, "value_int")) != NULL) {
    tn_array array = {0};
    tn_onnx_fail(c, tn_array_init(&array, TN_DT_I64, 0, NULL));
    if (c->st == NULL) {
      tn_array_set_i64(&array, 0, a->i);
    }
    value = tn_onnx_const(c, &array);
  } else if ((a = tn_onnx_attr_find(c, "value_ints")) != NULL) {
    value = tn_onnx_vector(c, a->ints);
  } else if ((a = tn_onnx_attr_find(c, "value_float")) != NULL) {
    value = floats_const(c, 1, &a->f, 0);
  } else if ((a = tn_onnx_attr_find(c, "value_floats")) != NULL) {
    value = floats_const(c, a->floats.len, a->floats.data, 1);
  } else {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a constant that is no dense tensor of numbers");
  }
  tn_onnx_give(c, 0, value);
}

static const tn_node *filled(tn_onnx_call *c, const tn_node *scalar, const tn_node *dims) {
  return tn_onnx_op2(c, "broadcast_to", scalar, tn_onnx_shape_value(c, dims));
}

void tn_onnx_rule_constant_of_shape(tn_onnx_call *c) {
  const tn_onnx_attr *a = tn_onnx_attr_find(c, "value");
  const tn_node *value =
      a != NULL && a->t != NULL ? constant_of(c, a->t) : tn_onnx_scalar(c, TN_DT_F32, 0);
  const tn_node *dims = tn_onnx_sizes(c, tn_onnx_in(c, 0), "the shape");
  for (uint32_t i = 0; dims != NULL && i < dims->n_in; ++i) {
    if (dims->in[i]->op == TN_OP_INT && dims->in[i]->attr.i64 < 0) {
      TN_ONNX_FAIL(c, TN_INVALID, "extent %" PRId64, dims->in[i]->attr.i64);
    }
  }
  tn_onnx_give(c, 0, filled(c, tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL)), dims));
}

static tn_dtype dtype_attr(tn_onnx_call *c, tn_dtype otherwise) {
  tn_dtype dtype = otherwise;
  if (tn_onnx_attr_find(c, "dtype") != NULL) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "dtype", 0), &dtype));
  }
  return dtype;
}

/* Triangles of ones: where both the upper and the lower one are, is the diagonal. */
void tn_onnx_rule_eye_like(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype dtype = dtype_attr(c, tn_onnx_type_of(c, x));
  int64_t k = tn_onnx_attr_int(c, "k", 0);
  const tn_node *ones = filled(c, tn_onnx_scalar(c, dtype, 1), tn_onnx_dims(c, x));
  tn_onnx_build up = tn_onnx_begin(c, "triu");
  tn_onnx_set_int(&up, "k", k);
  const tn_node *upper = tn_onnx_end1(&up, ones);
  tn_onnx_build low = tn_onnx_begin(c, "tril");
  tn_onnx_set_int(&low, "k", k);
  tn_onnx_give(c, 0, tn_onnx_end1(&low, upper));
}

/* start, start + delta, ... of constants. */
enum { MAX_RANGE = 1 << 20 };
void tn_onnx_rule_range(tn_onnx_call *c) {
  const tn_array *a[3];
  bool is_fixed = true;
  for (uint32_t i = 0; i < 3; ++i) {
    a[i] = tn_onnx_array(tn_onnx_in(c, i));
    is_fixed = is_fixed && a[i] != NULL && tn_array_n_elems(a[i]) == 1;
  }
  if (!is_fixed) {
    const tn_node *scalars[3];
    for (uint32_t i = 0; i < 3; ++i) {
      const tn_node *value = tn_onnx_in(c, i);
      bool is_scalar = tn_onnx_ndim(c, value) == 0;
      scalars[i] = is_scalar ? value : tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL));
    }
    tn_onnx_give(c, 0, tn_onnx_range_dynamic(c, scalars[0], scalars[1], scalars[2]));
    return;
  }
  bool is_float = tn_dtype_is_float(a[0]->dtype);
  double start = tn_array_get_f64(a[0], 0);
  double delta = tn_array_get_f64(a[2], 0);
  double count = ceil((tn_array_get_f64(a[1], 0) - start) / delta);
  tn_array out = {0};
  int64_t n = count > 0 && count <= MAX_RANGE ? (int64_t)count : 0;
  if (delta == 0 || count > MAX_RANGE || isnan(count)) {
    TN_ONNX_FAIL(c, TN_INVALID, "a range of %g elements in steps of %g", count, delta);
    return;
  }
  tn_onnx_fail(c, tn_array_init(&out, a[0]->dtype, 1, &n));
  for (int64_t i = 0; c->st == NULL && i < n; ++i) {
    if (is_float) {
      tn_array_set_f64(&out, i, start + (double)i * delta);
    } else {
      tn_array_set_i64(&out, i, tn_array_get_i64(a[0], 0) + i * tn_array_get_i64(a[2], 0));
    }
  }
  tn_onnx_give(c, 0, tn_onnx_const(c, &out));
}
