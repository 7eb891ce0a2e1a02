/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Extents that follow from sizes of inputs or from data. Parts, borders and repeats whose places are
 * computed read their tensor through vectors of indices; how many there are is an expression over
 * sizes where it can be one, and else a size that run time gives a value. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/bodies.h"
#include "front/onnx/known.h"
#include "front/onnx/rules.h"
#include "ops/kernel.h"

/* ---- numbers ---- */

static const tn_node *scalar_of(tn_onnx_call *c, const tn_node *expr) {
  return tn_onnx_from_known(c, tn_list(c->ir, 1, &expr), true);
}

bool tn_onnx_is_fixed(tn_onnx_call *c, const tn_node *value) {
  const tn_node *list = value == NULL ? NULL : tn_onnx_known(c, value);
  for (uint32_t i = 0; list != NULL && i < list->n_in; ++i) {
    if (list->in[i]->op != TN_OP_INT) {
      return false;
    }
  }
  return value == NULL || list != NULL || tn_onnx_array(value) != NULL;
}

static const tn_node *one_number(tn_onnx_call *c, const tn_node *value, bool is_clamped,
                                 const char *what) {
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *list = tn_onnx_known(c, value);
  if (list == NULL) {
    const tn_node *number = tn_onnx_cast(c, value, TN_DT_I64);
    if (is_clamped) {
      number = tn_onnx_op2(c, "maximum", number, tn_onnx_scalar(c, TN_DT_I64, 0));
    }
    list = tn_onnx_sizes(c, tn_onnx_reshape(c, number, tn_list(c->ir, 1, &one)), what);
  }
  if (list == NULL || list->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s: expected one number", what);
    return NULL;
  }
  return list->in[0];
}

const tn_node *tn_onnx_count(tn_onnx_call *c, const tn_node *value) {
  return one_number(c, value, true, "the count");
}

const tn_node *tn_onnx_run_size(tn_onnx_call *c, const tn_node *value, const char *what) {
  const tn_node *n = one_number(c, value, false, what);
  if (n != NULL && n->op == TN_OP_INT && n->attr.i64 < 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s is %lld", what, (long long)n->attr.i64);
    return NULL;
  }
  return n;
}

const tn_node *tn_onnx_element(tn_onnx_call *c, const tn_node *vector, int64_t i) {
  const tn_node *list = tn_onnx_known(c, vector);
  if (list != NULL && i < (int64_t)list->n_in) {
    return scalar_of(c, list->in[i]);
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  const tn_node *at = tn_onnx_scalar(c, TN_DT_I64, (double)i);
  return tn_onnx_cast(c, tn_onnx_end2(&b, vector, at), TN_DT_I64);
}

/* ---- parts of axes ---- */

const tn_node *tn_onnx_first(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *n) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *out[TN_MAX_NDIM];
  if (dims == NULL || n == NULL) {
    return NULL;
  }
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    out[i] = i == (uint32_t)axis ? n : dims->in[i];
  }
  return tn_onnx_op2(c, "take_first", x, tn_onnx_shape_value(c, tn_list(c->ir, dims->n_in, out)));
}

static const tn_node *at_indices(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                 const tn_node *indices) {
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end2(&b, x, indices);
}

const tn_node *tn_onnx_walk_axis(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                 const tn_node *begin, const tn_node *n, const tn_node *step) {
  const tn_node *first = tn_onnx_known(c, begin);
  const tn_node *by = tn_onnx_known(c, step);
  if (first != NULL && by != NULL && tn_is_int(first->in[0], 0) && tn_is_int(by->in[0], 1)) {
    return tn_onnx_first(c, x, axis, n);
  }
  const tn_node *indices = tn_onnx_op2(c, "multiply", tn_onnx_counted(c, n), step);
  return at_indices(c, x, axis, tn_onnx_op2(c, "add", indices, begin));
}

/* A place that counts from the end where it is below 0, kept in [low, high]. */
static const tn_node *place(tn_onnx_call *c, const tn_node *at, const tn_node *extent,
                            const tn_node *low, const tn_node *high) {
  tn_ir *ir = c->ir;
  const tn_node *moved = at;
  if (!tn_arith_is_size(at)) {
    const tn_node *is_below = tn_op_simplify(ir, tn_binary(ir, TN_OP_LT, at, tn_onnx_i64(c, 0)));
    moved = tn_onnx_pick(ir, is_below, tn_onnx_size_op(c, TN_OP_ADD, at, extent), at);
  }
  bool is_far = at->op == TN_OP_INT && at->attr.i64 >= INT32_MAX;
  moved = is_far ? high : tn_onnx_size_op(c, TN_OP_MIN, moved, high);
  bool is_above = tn_is_int(low, 0) && tn_arith_is_size(moved);
  return is_above ? moved : tn_onnx_size_op(c, TN_OP_MAX, moved, low);
}

/* Start, end and step known as expressions, the step as a number. */
static const tn_node *slice_known(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                  const tn_node *start, const tn_node *end, int64_t step) {
  const tn_node *extent = tn_onnx_dims(c, x)->in[axis];
  const tn_node *zero = tn_onnx_i64(c, 0);
  const tn_node *last = tn_onnx_size_op(c, TN_OP_SUB, extent, tn_onnx_i64(c, 1));
  const tn_node *from =
      step > 0 ? place(c, start, extent, zero, extent) : place(c, start, extent, zero, last);
  const tn_node *to = NULL;
  if (step > 0) {
    to = place(c, end, extent, zero, extent);
  } else { /* one before the first is -1, which as an end means the last */
    bool is_far = end->op == TN_OP_INT && end->attr.i64 <= -INT32_MAX;
    to = is_far ? tn_onnx_i64(c, -1) : place(c, end, extent, tn_onnx_i64(c, -1), last);
  }
  const tn_node *length = tn_onnx_size_op(c, TN_OP_SUB, step > 0 ? to : from, step > 0 ? from : to);
  int64_t by = step > 0 ? step : -step;
  length = tn_onnx_size_op(c, TN_OP_ADD, length, tn_onnx_i64(c, by - 1));
  length = tn_onnx_size_op(c, TN_OP_FLOORDIV, length, tn_onnx_i64(c, by));
  if (!tn_arith_is_size(length)) {
    length = tn_onnx_size_op(c, TN_OP_MAX, length, zero);
  }
  return tn_onnx_walk_axis(c, x, axis, scalar_of(c, from), length,
                           tn_onnx_scalar(c, TN_DT_I64, (double)step));
}

static const tn_node *where3(tn_onnx_call *c, const tn_node *cond, const tn_node *a,
                             const tn_node *b) {
  return tn_onnx_op3(c, "where", cond, a, b);
}

/* The same with values that only run time knows. */
static const tn_node *slice_data(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                 const tn_node *start, const tn_node *end, const tn_node *step) {
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
  const tn_node *one = tn_onnx_scalar(c, TN_DT_I64, 1);
  const tn_node *extent = scalar_of(c, tn_onnx_dims(c, x)->in[axis]);
  const tn_node *is_back = tn_onnx_op2(c, "less", step, zero);
  const tn_node *last = tn_onnx_op2(c, "subtract", extent, one);
  const tn_node *high = where3(c, is_back, last, extent);
  const tn_node *low_end = where3(c, is_back, tn_onnx_scalar(c, TN_DT_I64, -1), zero);
  start =
      where3(c, tn_onnx_op2(c, "less", start, zero), tn_onnx_op2(c, "add", start, extent), start);
  end = where3(c, tn_onnx_op2(c, "less", end, zero), tn_onnx_op2(c, "add", end, extent), end);
  start = tn_onnx_op2(c, "maximum", tn_onnx_op2(c, "minimum", start, high), zero);
  end = tn_onnx_op2(c, "maximum", tn_onnx_op2(c, "minimum", end, high), low_end);
  const tn_node *by = tn_onnx_op1(c, "abs", step);
  const tn_node *length = where3(c, is_back, tn_onnx_op2(c, "subtract", start, end),
                                 tn_onnx_op2(c, "subtract", end, start));
  length = tn_onnx_op2(c, "add", length, tn_onnx_op2(c, "subtract", by, one));
  length = tn_onnx_op2(c, "floor_divide", length, tn_onnx_op2(c, "maximum", by, one));
  return tn_onnx_walk_axis(c, x, axis, start, tn_onnx_count(c, length), step);
}

static const tn_node *slice_axis(tn_onnx_call *c, const tn_node *x, int32_t axis,
                                 const tn_node *start, const tn_node *end, const tn_node *step) {
  const tn_node *from = tn_onnx_known(c, start);
  const tn_node *to = tn_onnx_known(c, end);
  const tn_node *by = tn_onnx_known(c, step);
  if (c->st != NULL || tn_onnx_dims(c, x) == NULL) {
    return NULL;
  }
  if (by != NULL && tn_is_int(by->in[0], 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "a step of 0");
    return NULL;
  }
  if (from != NULL && to != NULL && by != NULL && by->in[0]->op == TN_OP_INT) {
    return slice_known(c, x, axis, from->in[0], to->in[0], by->in[0]->attr.i64);
  }
  return slice_data(c, x, axis, start, end, step);
}

/* The number of elements of a vector, which must be known. */
static int64_t length_of(tn_onnx_call *c, const tn_node *vector, const char *what) {
  const tn_node *dims = tn_onnx_dims(c, vector);
  if (dims == NULL || dims->n_in != 1 || dims->in[0]->op != TN_OP_INT ||
      dims->in[0]->attr.i64 > 2 * TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be a vector of known length", what);
    return 0;
  }
  return dims->in[0]->attr.i64;
}

const tn_node *tn_onnx_slice_dynamic(tn_onnx_call *c, const tn_node *x, tn_onnx_i64s axes,
                                     const tn_node *starts, const tn_node *ends,
                                     const tn_node *steps) {
  int64_t n = length_of(c, starts, "starts");
  int32_t ndim = tn_onnx_ndim(c, x);
  if (c->st == NULL &&
      (length_of(c, ends, "ends") != n || (axes.data != NULL && (int64_t)axes.len != n) ||
       (steps != NULL && length_of(c, steps, "steps") != n))) {
    TN_ONNX_FAIL(c, TN_INVALID, "starts, ends, axes and steps have different lengths");
  }
  for (int64_t i = 0; i < n && c->st == NULL; ++i) {
    int32_t axis = tn_onnx_axis(c, axes.data == NULL ? i : axes.data[i], ndim);
    const tn_node *step =
        steps == NULL ? tn_onnx_scalar(c, TN_DT_I64, 1) : tn_onnx_element(c, steps, i);
    x = slice_axis(c, x, axis, tn_onnx_element(c, starts, i), tn_onnx_element(c, ends, i), step);
  }
  return x;
}

/* ---- borders ---- */

/* Where the elements of the padded axis come from, as indices that may lie outside of it. */
static const tn_node *outside(tn_onnx_call *c, const tn_node *before, const tn_node *n) {
  return tn_onnx_op2(c, "subtract", tn_onnx_counted(c, n), before);
}

static const tn_node *kept_inside(tn_onnx_call *c, const tn_node *at, const tn_node *extent) {
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
  const tn_node *last = tn_onnx_op2(c, "subtract", extent, tn_onnx_scalar(c, TN_DT_I64, 1));
  return tn_onnx_op2(c, "maximum", tn_onnx_op2(c, "minimum", at, last), zero);
}

static const tn_node *reflected(tn_onnx_call *c, const tn_node *at, const tn_node *extent) {
  const tn_node *one = tn_onnx_scalar(c, TN_DT_I64, 1);
  const tn_node *two = tn_onnx_scalar(c, TN_DT_I64, 2);
  const tn_node *period = tn_onnx_op2(c, "multiply", two, tn_onnx_op2(c, "subtract", extent, one));
  period = tn_onnx_op2(c, "maximum", period, one);
  const tn_node *i = tn_onnx_op2(c, "floor_mod", at, period);
  return where3(c, tn_onnx_op2(c, "less", i, extent), i, tn_onnx_op2(c, "subtract", period, i));
}

static const tn_node *pad_axis(tn_onnx_call *c, const tn_node *x, const char *mode, int32_t axis,
                               const tn_node *before, const tn_node *after, const tn_node *value) {
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL) {
    return NULL;
  }
  const tn_node *extent = scalar_of(c, dims->in[axis]);
  const tn_node *all = tn_onnx_op2(c, "add", tn_onnx_op2(c, "add", before, extent), after);
  const tn_node *n = tn_onnx_count(c, all);
  const tn_node *at = outside(c, before, n);
  if (strcmp(mode, "reflect") == 0) {
    return at_indices(c, x, axis, reflected(c, at, extent));
  }
  if (strcmp(mode, "wrap") == 0) {
    const tn_node *period = tn_onnx_op2(c, "maximum", extent, tn_onnx_scalar(c, TN_DT_I64, 1));
    return at_indices(c, x, axis, tn_onnx_op2(c, "floor_mod", at, period));
  }
  const tn_node *y = at_indices(c, x, axis, kept_inside(c, at, extent));
  if (strcmp(mode, "edge") == 0) {
    return y;
  }
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
  const tn_node *is_inside = tn_onnx_op2(c, "logical_and", tn_onnx_op2(c, "less_equal", zero, at),
                                         tn_onnx_op2(c, "less", at, extent));
  return where3(c, tn_onnx_stand(c, is_inside, (int32_t)dims->n_in, axis), y, value);
}

const tn_node *tn_onnx_pad_dynamic(tn_onnx_call *c, const tn_node *x, const char *mode,
                                   tn_onnx_i64s axes, const tn_node *pads, const tn_node *value) {
  int32_t ndim = tn_onnx_ndim(c, x);
  int64_t n = axes.data == NULL ? ndim : (int64_t)axes.len;
  if (c->st == NULL && length_of(c, pads, "pads") != 2 * n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " axes and another number of pads", n);
  }
  for (int64_t i = 0; i < n && c->st == NULL; ++i) {
    int32_t axis = tn_onnx_axis(c, axes.data == NULL ? i : axes.data[i], ndim);
    const tn_node *before = tn_onnx_element(c, pads, i);
    const tn_node *after = tn_onnx_element(c, pads, n + i);
    const tn_node *a = tn_onnx_known(c, before);
    const tn_node *b = tn_onnx_known(c, after);
    bool is_none = a != NULL && b != NULL && tn_is_int(a->in[0], 0) && tn_is_int(b->in[0], 0);
    x = is_none ? x : pad_axis(c, x, mode, axis, before, after, value);
  }
  return x;
}

/* ---- repeats ---- */

/* x[a, b] -> [1, a, 1, b] -> [r, a, s, b] -> [r a, s b] */
const tn_node *tn_onnx_tile_dynamic(tn_onnx_call *c, const tn_node *x, const tn_node *repeats) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *times = tn_onnx_sizes(c, repeats, "repeats");
  const tn_node *apart[2 * TN_MAX_NDIM];
  const tn_node *more[2 * TN_MAX_NDIM];
  const tn_node *all[TN_MAX_NDIM];
  if (dims == NULL || times == NULL || dims->n_in != times->n_in || 2 * dims->n_in > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "repeats that are no numbers of a tensor of so many dimensions");
    return NULL;
  }
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    apart[2 * i] = tn_onnx_i64(c, 1);
    apart[2 * i + 1] = more[2 * i + 1] = dims->in[i];
    more[2 * i] = times->in[i];
    all[i] = tn_onnx_size_op(c, TN_OP_MUL, times->in[i], dims->in[i]);
  }
  x = tn_onnx_reshape(c, x, tn_list(c->ir, 2 * dims->n_in, apart));
  x = tn_onnx_broadcast(c, x, tn_list(c->ir, 2 * dims->n_in, more));
  return tn_onnx_reshape(c, x, tn_list(c->ir, dims->n_in, all));
}

/* ---- places that data decides ---- */

/* The places of elements that are not 0: int64 [rank, n]. */
static const tn_node *places(tn_onnx_call *c, const tn_node *x) {
  const tn_node *both = tn_onnx_op1(c, "nonzero_padded", x);
  const tn_node *all = tn_onnx_item(c, both, 0);
  const tn_node *found = tn_onnx_element(c, tn_onnx_item(c, both, 1), 1);
  return tn_onnx_first(c, all, 1, tn_onnx_count(c, found));
}

void tn_onnx_rule_non_zero(tn_onnx_call *c) { tn_onnx_give(c, 0, places(c, tn_onnx_in(c, 0))); }

static const tn_node *flat(tn_onnx_call *c, const tn_node *x) {
  return tn_onnx_op1(c, "flatten", x);
}

/* The places of a vector. */
static const tn_node *true_places(tn_onnx_call *c, const tn_node *flags) {
  return flat(c, places(c, flags));
}

void tn_onnx_rule_compress(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  bool has_axis = tn_onnx_attr_find(c, "axis") != NULL;
  x = has_axis ? x : flat(c, x);
  int32_t axis = has_axis ? tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x)) : 0;
  tn_onnx_give(c, 0, at_indices(c, x, axis, true_places(c, flat(c, tn_onnx_in(c, 1)))));
}

/* One number of a constant or a run-time scalar that is left out. */
static double number_or(tn_onnx_call *c, uint32_t i, double otherwise, const char *what) {
  const tn_node *value = tn_onnx_maybe(c, i);
  const tn_array *array = tn_onnx_need_array(c, value);
  if (value == NULL) {
    return otherwise;
  }
  if (array == NULL || tn_array_n_elems(array) != 1) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be a number that is known while compiling", what);
    return otherwise;
  }
  return tn_array_get_f64(array, 0);
}

void tn_onnx_rule_nms(tn_onnx_call *c) {
  double most = number_or(c, 2, 0, "max_output_boxes_per_class");
  tn_onnx_build b = tn_onnx_begin(c, "vision.non_max_suppression_padded");
  tn_onnx_set_int(&b, "max_output_size",
                  most < 0           ? 0
                  : most > INT32_MAX ? INT32_MAX
                                     : (int64_t)most);
  tn_onnx_set_float(&b, "iou_threshold", number_or(c, 3, 0, "iou_threshold"));
  if (tn_onnx_maybe(c, 4) != NULL) {
    tn_onnx_set_float(&b, "score_threshold", number_or(c, 4, 0, "score_threshold"));
  }
  tn_onnx_set_int(&b, "center_point_box", tn_onnx_attr_int(c, "center_point_box", 0));
  const tn_node *both = tn_onnx_end2(&b, tn_onnx_in(c, 0), tn_onnx_in(c, 1));
  const tn_node *found = tn_onnx_element(c, tn_onnx_item(c, both, 1), 0);
  tn_onnx_give(c, 0, tn_onnx_first(c, tn_onnx_item(c, both, 0), 0, tn_onnx_count(c, found)));
}

/* ---- Range ---- */

/* ceil((limit - start) / delta) numbers, where they are no constants. */
const tn_node *tn_onnx_range_dynamic(tn_onnx_call *c, const tn_node *start, const tn_node *limit,
                                     const tn_node *delta) {
  tn_dtype dtype = tn_onnx_type_of(c, start);
  const tn_node *length = tn_onnx_op2(c, "subtract", limit, start);
  const tn_node *by = tn_onnx_known(c, delta);
  if (tn_dtype_is_any_float(dtype)) {
    tn_dtype work = dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
    length = tn_onnx_op2(c, "divide", tn_onnx_cast(c, length, work), tn_onnx_cast(c, delta, work));
    length = tn_onnx_cast(c, tn_onnx_op1(c, "ceil", length), TN_DT_I64);
  } else {
    const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
    const tn_node *step = tn_onnx_cast(c, delta, TN_DT_I64);
    length = tn_onnx_cast(c, length, TN_DT_I64);
    bool is_one = by != NULL && tn_is_int(by->in[0], 1);
    if (!is_one) { /* -floor(-a / b) */
      length = tn_onnx_op2(c, "floor_divide", tn_onnx_op2(c, "subtract", zero, length), step);
      length = tn_onnx_op2(c, "subtract", zero, length);
    }
  }
  const tn_node *known = tn_onnx_known(c, length);
  bool is_sure = known != NULL && tn_arith_is_size(known->in[0]);
  if (!is_sure) {
    length = tn_onnx_op2(c, "maximum", length, tn_onnx_scalar(c, TN_DT_I64, 0));
  }
  const tn_node *counted = tn_onnx_cast(c, tn_onnx_counted(c, tn_onnx_count(c, length)), dtype);
  return tn_onnx_op2(c, "add", tn_onnx_op2(c, "multiply", counted, delta), start);
}

/* ---- split, order, lookup ---- */

/* Part i of an axis: as the vector says, or an equal share, the last ones being what is left. */
static const tn_node *share(tn_onnx_call *c, const tn_node *extent, const tn_node *sizes, int64_t i,
                            int64_t n) {
  if (sizes != NULL) {
    return tn_onnx_run_size(c, tn_onnx_element(c, sizes, i), "a part's size");
  }
  const tn_node *each = tn_onnx_size_op(c, TN_OP_ADD, extent, tn_onnx_i64(c, n - 1));
  each = tn_onnx_size_op(c, TN_OP_FLOORDIV, each, tn_onnx_i64(c, n));
  if (i + 1 < n && c->version < 18) { /* they must be equal: the last one shows it */
    return each;
  }
  const tn_node *before = tn_onnx_size_op(c, TN_OP_MUL, each, tn_onnx_i64(c, i));
  const tn_node *left = tn_onnx_size_op(c, TN_OP_SUB, extent, before);
  left = tn_onnx_size_op(c, TN_OP_MIN, left, each);
  return tn_arith_is_size(left) ? left : tn_onnx_size_op(c, TN_OP_MAX, left, tn_onnx_i64(c, 0));
}

void tn_onnx_split_dynamic(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *sizes) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *begin = tn_onnx_i64(c, 0);
  const tn_node *one = tn_onnx_scalar(c, TN_DT_I64, 1);
  for (uint32_t i = 0; dims != NULL && i < c->n_out && c->st == NULL; ++i) {
    const tn_node *n = share(c, dims->in[axis], sizes, i, c->n_out);
    if (n == NULL) {
      return;
    }
    tn_onnx_give(c, i, tn_onnx_walk_axis(c, x, axis, scalar_of(c, begin), n, one));
    begin = tn_onnx_size_op(c, TN_OP_ADD, begin, n);
  }
}

static const tn_node *in_order(tn_onnx_call *c, const char *op, const tn_node *x, int32_t axis,
                               bool is_descending) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_set_bool(&b, "descending", is_descending);
  if (strcmp(op, "argsort") == 0) {
    tn_onnx_set_dtype(&b, "dtype", TN_DT_I64);
  }
  return tn_onnx_end1(&b, x);
}

void tn_onnx_topk_dynamic(tn_onnx_call *c, const tn_node *x, int32_t axis, const tn_node *k) {
  bool is_largest = tn_onnx_attr_int(c, "largest", 1) != 0;
  const tn_node *n = tn_onnx_run_size(c, k, "k");
  tn_onnx_give(c, 0, tn_onnx_first(c, in_order(c, "sort", x, axis, is_largest), axis, n));
  tn_onnx_give(c, 1, tn_onnx_first(c, in_order(c, "argsort", x, axis, is_largest), axis, n));
}

const tn_node *tn_onnx_one_hot_dynamic(tn_onnx_call *c, const tn_node *index, const tn_node *depth,
                                       int64_t at, const tn_node *on, const tn_node *off) {
  int32_t ndim = tn_onnx_ndim(c, index) + 1;
  int32_t axis = tn_onnx_axis(c, at, ndim);
  const tn_node *n = tn_onnx_run_size(c, depth, "depth");
  int64_t axis64 = axis;
  const tn_node *zero = tn_onnx_scalar(c, TN_DT_I64, 0);
  index = tn_onnx_cast(c, index, TN_DT_I64);
  if (n == NULL || c->st != NULL) {
    return NULL;
  }
  const tn_node *moved = tn_onnx_op2(c, "add", index, scalar_of(c, n));
  index = where3(c, tn_onnx_op2(c, "less", index, zero), moved, index);
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  tn_onnx_set_ints(&b, "axis", 1, &axis64);
  index = tn_onnx_end1(&b, index);
  const tn_node *places_of = tn_onnx_stand(c, tn_onnx_counted(c, n), ndim, axis);
  return where3(c, tn_onnx_op2(c, "equal", index, places_of), on, off);
}

/* ---- Unique ---- */

typedef struct unique {
  const tn_node *order; /* places of the elements in order, equal ones as they come */
  const tn_node *flags; /* in order: it differs from the one before */
} unique;

static const tn_node *vector_length(tn_onnx_call *c, const tn_node *x) {
  const tn_node *dims = tn_onnx_dims(c, x);
  return dims == NULL || dims->n_in != 1 ? NULL : dims->in[0];
}

/* Whether places of the order differ from the ones before; the first always does. */
static const tn_node *differs(tn_onnx_call *c, const tn_node *is_same_as_before, const tn_node *n) {
  const tn_node *is_first =
      tn_onnx_op2(c, "equal", tn_onnx_counted(c, n), tn_onnx_scalar(c, TN_DT_I64, 0));
  return tn_onnx_op2(c, "logical_or", is_first, tn_onnx_op1(c, "logical_not", is_same_as_before));
}

/* max(i - 1, 0) */
static const tn_node *before_each(tn_onnx_call *c, const tn_node *n) {
  const tn_node *less =
      tn_onnx_op2(c, "subtract", tn_onnx_counted(c, n), tn_onnx_scalar(c, TN_DT_I64, 1));
  return tn_onnx_op2(c, "maximum", less, tn_onnx_scalar(c, TN_DT_I64, 0));
}

/* x: a vector of n elements */
static unique order_elements(tn_onnx_call *c, const tn_node *x, const tn_node *n) {
  unique u = {.order = in_order(c, "argsort", x, 0, false)};
  const tn_node *sorted = at_indices(c, x, 0, u.order);
  u.flags =
      differs(c, tn_onnx_op2(c, "equal", sorted, at_indices(c, sorted, 0, before_each(c, n))), n);
  return u;
}

static const tn_node *expanded(tn_onnx_call *c, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  tn_onnx_set_ints(&b, "axis", 1, &axis);
  return tn_onnx_end1(&b, x);
}

/* rows: [n, m]. All pairs are compared: rank of a row = how many rows come before it. */
static unique order_rows(tn_onnx_call *c, const tn_node *rows, const tn_node *n) {
  const int64_t last = 2;
  const int64_t second = 1;
  const tn_node *a = expanded(c, rows, 1);
  const tn_node *b = expanded(c, rows, 0);
  const tn_node *differ = tn_onnx_cast(c, tn_onnx_op2(c, "not_equal", a, b), TN_DT_I64);
  tn_onnx_build first = tn_onnx_begin(c, "argmax");
  tn_onnx_set_int(&first, "axis", 2);
  tn_onnx_set_bool(&first, "keepdims", true);
  const tn_node *where = tn_onnx_end1(&first, differ); /* [n, n, 1] */
  const tn_node *less = tn_onnx_cast(c, tn_onnx_op2(c, "less", b, a), TN_DT_I64);
  tn_onnx_build gather = tn_onnx_begin(c, "gather_elements");
  tn_onnx_set_int(&gather, "axis", 2);
  const tn_node *comes = tn_onnx_end2(&gather, less, where); /* row j before row i */
  const tn_node *rank =
      tn_onnx_reduce(c, "sum", tn_onnx_reduce(c, "sum", comes, 1, &last, false), 1, &second, false);
  return order_elements(c, rank, n);
}

/* The slices along an axis as rows. */
static const tn_node *as_rows(tn_onnx_call *c, const tn_node *x, int32_t axis) {
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t perm[TN_MAX_NDIM] = {axis};
  const tn_node *width = tn_onnx_i64(c, 1);
  int32_t n = 1;
  for (int32_t i = 0; dims != NULL && i < (int32_t)dims->n_in; ++i) {
    if (i != axis) {
      perm[n++] = i;
      width = tn_onnx_size_op(c, TN_OP_MUL, width, dims->in[i]);
    }
  }
  if (dims == NULL || c->st != NULL) {
    return NULL;
  }
  const tn_node *both[] = {dims->in[axis], width};
  return tn_onnx_reshape(c, tn_onnx_permute(c, x, perm), tn_list(c->ir, 2, both));
}

static const tn_node *inverse_of(tn_onnx_call *c, const tn_node *order) {
  return in_order(c, "argsort", order, 0, false);
}

void tn_onnx_rule_unique(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  bool has_axis = tn_onnx_attr_find(c, "axis") != NULL;
  bool is_sorted = tn_onnx_attr_int(c, "sorted", 1) != 0;
  x = has_axis ? x : flat(c, x);
  int32_t axis = has_axis ? tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x)) : 0;
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || c->st != NULL) {
    return;
  }
  const tn_node *n = dims->in[axis];
  unique u = dims->n_in == 1 ? order_elements(c, x, n) : order_rows(c, as_rows(c, x, axis), n);
  const tn_node *starts = true_places(c, u.flags); /* of groups of equal ones, in order */
  const tn_node *count = vector_length(c, starts);
  if (c->st != NULL || count == NULL) {
    return;
  }
  const tn_node *one = tn_onnx_scalar(c, TN_DT_I64, 1);
  const tn_node *first = at_indices(c, u.order, 0, starts);
  tn_onnx_build sum = tn_onnx_begin(c, "cumsum");
  tn_onnx_set_int(&sum, "axis", 0);
  const tn_node *group = tn_onnx_end1(&sum, tn_onnx_cast(c, u.flags, TN_DT_I64));
  const tn_node *inverse =
      at_indices(c, tn_onnx_op2(c, "subtract", group, one), 0, inverse_of(c, u.order));
  const tn_node *ends[] = {starts, tn_onnx_from_known(c, tn_list(c->ir, 1, &n), false)};
  const tn_node *bounds = tn_onnx_concat(c, 0, 2, ends);
  const tn_node *next = tn_onnx_op2(c, "add", tn_onnx_counted(c, count), one);
  const tn_node *counts = tn_onnx_op2(c, "subtract", at_indices(c, bounds, 0, next), starts);
  if (!is_sorted) {
    const tn_node *perm = in_order(c, "argsort", first, 0, false);
    first = at_indices(c, first, 0, perm);
    counts = at_indices(c, counts, 0, perm);
    inverse = at_indices(c, inverse_of(c, perm), 0, inverse);
  }
  tn_onnx_give(c, 0, at_indices(c, x, axis, first));
  tn_onnx_give(c, 1, first);
  tn_onnx_give(c, 2, inverse);
  tn_onnx_give(c, 3, counts);
}

/* ---- broadcasting of extents that are not known to be equal ---- */

static bool is_sure(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  return tn_is_int(a, 1) || tn_dim_compare(c->ir, a, b) == TN_DIM_EQUAL;
}

static const tn_node *is_one(tn_onnx_call *c, const tn_node *a) {
  return tn_op_simplify(c->ir, tn_binary(c->ir, TN_OP_EQ, a, tn_onnx_i64(c, 1)));
}

static const tn_node *met(tn_onnx_call *c, const tn_node *a, const tn_node *b) {
  if (is_sure(c, a, b)) {
    return b;
  }
  return a->op == TN_OP_INT || tn_is_int(b, 1)
             ? a
             : (b->op == TN_OP_INT ? b : tn_onnx_pick(c->ir, is_one(c, a), b, a));
}

/* x with extent `want` along the axis, where it has that or 1; another one is an error when it
 * runs. */
static const tn_node *repeated(tn_onnx_call *c, const tn_node *x, int32_t axis,
                               const tn_node *want) {
  const tn_node *own = tn_onnx_dims(c, x)->in[axis];
  const tn_node *truth = is_one(c, own);
  const tn_node *stays = tn_onnx_pick(c->ir, truth, want, own);
  const tn_node *type = tn_ty_shape(c->ir, 1, tn_list(c->ir, 1, &want));
  const tn_node *in[] = {tn_onnx_var(c, "extent", type),
                         tn_onnx_shape_value(c, tn_list(c->ir, 1, &stays)), type};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  const tn_node *step =
      scalar_of(c, tn_onnx_pick(c->ir, truth, tn_onnx_i64(c, 0), tn_onnx_i64(c, 1)));
  return at_indices(c, x, axis, tn_onnx_op2(c, "multiply", tn_onnx_counted(c, want), step));
}

bool tn_onnx_align(tn_onnx_call *c, uint32_t n, const tn_node **args, uint32_t skip) {
  const tn_node *out[TN_MAX_NDIM];
  uint32_t ndim = 0;
  bool is_changed = false;
  for (uint32_t k = 0; k < n; ++k) {
    const tn_node *dims = tn_onnx_dims(c, args[k]);
    if (dims == NULL || dims->n_in > TN_MAX_NDIM) {
      return false;
    }
    ndim = dims->n_in > ndim ? dims->n_in : ndim;
  }
  for (uint32_t d = skip; d < ndim; ++d) { /* counted from the last */
    out[d] = tn_onnx_i64(c, 1);
    for (uint32_t k = 0; k < n; ++k) {
      const tn_node *dims = tn_onnx_dims(c, args[k]);
      out[d] = d < dims->n_in ? met(c, out[d], dims->in[dims->n_in - 1 - d]) : out[d];
    }
  }
  for (uint32_t k = 0; k < n && c->st == NULL; ++k) {
    const tn_node *dims = tn_onnx_dims(c, args[k]);
    for (uint32_t d = skip; d < dims->n_in && c->st == NULL; ++d) {
      uint32_t axis = dims->n_in - 1 - d;
      if (!is_sure(c, dims->in[axis], out[d])) {
        args[k] = repeated(c, args[k], (int32_t)axis, out[d]);
        is_changed = true;
      }
    }
  }
  return is_changed && c->st == NULL;
}
