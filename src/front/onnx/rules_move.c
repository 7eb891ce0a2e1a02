/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What moves elements: parts, joins, repeats, borders, lookups. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/known.h"
#include "front/onnx/rules.h"

/* ---- parts ---- */

static const tn_node *slice(tn_onnx_call *c, const tn_node *x, tn_onnx_i64s axes,
                            tn_onnx_i64s starts, tn_onnx_i64s ends, tn_onnx_i64s steps) {
  tn_onnx_build b = tn_onnx_begin(c, "strided_slice");
  if (axes.data == NULL) { /* the first ones */
    axes = tn_onnx_i64s_alloc(c, starts.len);
    for (size_t i = 0; i < axes.len; ++i) {
      axes.data[i] = (int64_t)i;
    }
  }
  tn_onnx_set_ints(&b, "axes", axes.len, axes.data);
  tn_onnx_set_ints(&b, "begin", starts.len, starts.data);
  tn_onnx_set_ints(&b, "end", ends.len, ends.data);
  if (steps.data != NULL) {
    tn_onnx_set_ints(&b, "strides", steps.len, steps.data);
  }
  return tn_onnx_end1(&b, x);
}

const tn_node *tn_onnx_part(tn_onnx_call *c, const tn_node *x, int64_t axis, int64_t begin,
                            int64_t end) {
  return slice(c, x, (tn_onnx_i64s){&axis, 1}, (tn_onnx_i64s){&begin, 1}, (tn_onnx_i64s){&end, 1},
               (tn_onnx_i64s){0});
}

void tn_onnx_rule_slice_old(tn_onnx_call *c) {
  tn_onnx_i64s none = {0};
  tn_onnx_give(c, 0,
               slice(c, tn_onnx_in(c, 0), tn_onnx_attr_ints(c, "axes"),
                     tn_onnx_attr_ints(c, "starts"), tn_onnx_attr_ints(c, "ends"), none));
}

static tn_onnx_i64s maybe_numbers(tn_onnx_call *c, uint32_t i, const char *what) {
  return tn_onnx_maybe(c, i) == NULL ? (tn_onnx_i64s){0}
                                     : tn_onnx_numbers(c, tn_onnx_maybe(c, i), what);
}

void tn_onnx_rule_slice(tn_onnx_call *c) {
  if (!tn_onnx_is_fixed(c, tn_onnx_in(c, 1)) || !tn_onnx_is_fixed(c, tn_onnx_in(c, 2)) ||
      !tn_onnx_is_fixed(c, tn_onnx_maybe(c, 4))) {
    tn_onnx_give(c, 0,
                 tn_onnx_slice_dynamic(c, tn_onnx_in(c, 0), maybe_numbers(c, 3, "axes"),
                                       tn_onnx_in(c, 1), tn_onnx_in(c, 2), tn_onnx_maybe(c, 4)));
    return;
  }
  tn_onnx_i64s starts = tn_onnx_numbers(c, tn_onnx_in(c, 1), "starts");
  tn_onnx_i64s ends = tn_onnx_numbers(c, tn_onnx_in(c, 2), "ends");
  tn_onnx_i64s axes = maybe_numbers(c, 3, "axes");
  tn_onnx_give(c, 0, slice(c, tn_onnx_in(c, 0), axes, starts, ends, maybe_numbers(c, 4, "steps")));
}

/* Extents of the parts, from the attribute or an input, or as equal as they come. */
static tn_onnx_i64s split_sizes(tn_onnx_call *c, const tn_node *extent) {
  tn_onnx_i64s sizes = c->version < 13 ? tn_onnx_attr_ints(c, "split") : (tn_onnx_i64s){0};
  if (tn_onnx_maybe(c, 1) != NULL) {
    sizes = tn_onnx_numbers(c, tn_onnx_maybe(c, 1), "split");
  }
  if (sizes.data != NULL || c->st != NULL) {
    return sizes;
  }
  int64_t n = tn_onnx_attr_int(c, "num_outputs", c->n_out);
  if (extent->op != TN_OP_INT || n < 1 || n > c->n_out) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%" PRId64 " parts of an extent that is not known", n);
    return sizes;
  }
  int64_t all = extent->attr.i64;
  int64_t each = (all + n - 1) / n;
  if (c->version < 18 && all % n != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " elements do not divide into %" PRId64 " parts", all,
                 n);
  }
  sizes = tn_onnx_i64s_alloc(c, (size_t)n);
  for (int64_t i = 0; i < n; ++i) { /* the last one may be smaller */
    int64_t left = all - i * each;
    sizes.data[i] = left < 0 ? 0 : left < each ? left : each;
  }
  return sizes;
}

void tn_onnx_rule_split(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x));
  if (dims == NULL || c->st != NULL) {
    return;
  }
  if (!tn_onnx_is_fixed(c, tn_onnx_maybe(c, 1)) ||
      (dims->in[axis]->op != TN_OP_INT && tn_onnx_maybe(c, 1) == NULL &&
       tn_onnx_attr_find(c, "split") == NULL)) {
    tn_onnx_split_dynamic(c, x, axis, tn_onnx_maybe(c, 1));
    return;
  }
  tn_onnx_i64s sizes = split_sizes(c, dims->in[axis]);
  int64_t at = 0;
  for (uint32_t i = 0; c->st == NULL && i < c->n_out && i < sizes.len; ++i) {
    int64_t of = axis;
    int64_t end = at;
    if (sizes.data[i] < 0 || __builtin_add_overflow(at, sizes.data[i], &end)) {
      TN_ONNX_FAIL(c, TN_INVALID, "a part of %" PRId64 " elements", sizes.data[i]);
      return;
    }
    tn_onnx_give(c, i,
                 slice(c, x, (tn_onnx_i64s){&of, 1}, (tn_onnx_i64s){&at, 1},
                       (tn_onnx_i64s){&end, 1}, (tn_onnx_i64s){0}));
    at = end;
  }
  if (c->st == NULL && dims->in[axis]->op == TN_OP_INT && dims->in[axis]->attr.i64 != at) {
    TN_ONNX_FAIL(c, TN_INVALID, "the parts have %" PRId64 " elements, the axis %" PRId64, at,
                 dims->in[axis]->attr.i64);
  }
}

/* ---- joins and repeats ---- */

void tn_onnx_rule_concat(tn_onnx_call *c) {
  const tn_node *first = tn_onnx_in(c, 0);
  int64_t axis = tn_onnx_attr_int(c, "axis", 1);
  for (uint32_t i = 0; i < c->n_in; ++i) {
    (void)tn_onnx_in(c, i);
  }
  if (c->version >= 4 && tn_onnx_attr_find(c, "axis") == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "the attribute 'axis' is missing");
  }
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", tn_onnx_axis(c, axis, tn_onnx_ndim(c, first)));
  tn_onnx_give(c, 0, c->st != NULL ? NULL : tn_onnx_end1(&b, tn_onnx_tuple(c, c->n_in, c->in)));
}

static const tn_node *tile(tn_onnx_call *c, const tn_node *x, tn_onnx_i64s repeats) {
  tn_onnx_build b = tn_onnx_begin(c, "tile");
  if (c->st == NULL && repeats.len == 0) {
    return x;
  }
  tn_onnx_set_ints(&b, "repeats", repeats.len, repeats.data);
  return tn_onnx_end1(&b, x);
}

void tn_onnx_rule_tile(tn_onnx_call *c) {
  if (!tn_onnx_is_fixed(c, tn_onnx_in(c, 1))) {
    tn_onnx_give(c, 0, tn_onnx_tile_dynamic(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
    return;
  }
  tn_onnx_give(c, 0, tile(c, tn_onnx_in(c, 0), tn_onnx_numbers(c, tn_onnx_in(c, 1), "repeats")));
}

/* Opset 1: `tiles` times along `axis`, both inputs. */
void tn_onnx_rule_tile_old(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_array *times = tn_onnx_need_array(c, tn_onnx_in(c, 1)); /* both of x's type */
  const tn_array *axis = tn_onnx_need_array(c, tn_onnx_in(c, 2));
  int32_t ndim = tn_onnx_ndim(c, x);
  if (c->st != NULL || times == NULL || axis == NULL || tn_array_n_elems(times) != 1 ||
      tn_array_n_elems(axis) != 1) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "tiles and axis must be numbers known while compiling");
    return;
  }
  tn_onnx_i64s repeats = tn_onnx_i64s_alloc(c, (size_t)ndim);
  int32_t at = tn_onnx_axis(c, tn_array_get_i64(axis, 0), ndim);
  for (int32_t i = 0; i < ndim; ++i) {
    repeats.data[i] = i == at ? tn_array_get_i64(times, 0) : 1;
  }
  tn_onnx_give(c, 0, tile(c, x, repeats));
}

/* ---- borders ---- */

/* Where element i of the padded axis comes from. */
static int64_t border_source(const char *mode, int64_t i, int64_t n) {
  if (strcmp(mode, "edge") == 0) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
  if (strcmp(mode, "wrap") == 0) {
    return ((i % n) + n) % n;
  }
  int64_t period = n > 1 ? 2 * (n - 1) : 1; /* reflect: a tooth of a saw */
  i = ((i % period) + period) % period;
  return i < n ? i : period - i;
}

enum { MAX_BORDER = 1 << 20 };

static const tn_node *border(tn_onnx_call *c, const tn_node *x, const char *mode, int32_t axis,
                             int64_t before, int64_t after) {
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || (before == 0 && after == 0)) {
    return x;
  }
  const tn_node *extent = dims->in[axis];
  if (extent->op != TN_OP_INT || extent->attr.i64 > MAX_BORDER || before > MAX_BORDER ||
      after > MAX_BORDER || before < -MAX_BORDER || after < -MAX_BORDER) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "mode %s along axis %d, whose extent is not known or large",
                 mode, axis);
    return NULL;
  }
  int64_t n = extent->attr.i64;
  int64_t all = n + before + after;
  bool is_short = strcmp(mode, "reflect") == 0 && (before >= n || after >= n);
  if (all < 0 || (n == 0 && all > 0) || is_short) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "pads %" PRId64 " and %" PRId64 " of mode %s around %" PRId64 " elements", before,
                 after, mode, n);
    return NULL;
  }
  tn_onnx_i64s from = tn_onnx_i64s_alloc(c, (size_t)all);
  for (int64_t i = 0; i < all; ++i) {
    from.data[i] = border_source(mode, i - before, n);
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end2(&b, x, tn_onnx_vector(c, from));
}

/* Pads below 0 cut. */
static const tn_node *cut(tn_onnx_call *c, const tn_node *x, int32_t axis, int64_t before,
                          int64_t after) {
  int64_t of = axis;
  int64_t start = before < 0 ? -before : 0;
  int64_t end = after < 0 ? after : INT64_MAX;
  return before >= 0 && after >= 0 ? x
                                   : slice(c, x, (tn_onnx_i64s){&of, 1}, (tn_onnx_i64s){&start, 1},
                                           (tn_onnx_i64s){&end, 1}, (tn_onnx_i64s){0});
}

const tn_node *tn_onnx_pad(tn_onnx_call *c, const tn_node *x, double value, const int64_t *before,
                           const int64_t *after) {
  int32_t ndim = tn_onnx_ndim(c, x);
  int64_t widths[2 * TN_MAX_NDIM];
  bool has_any = false;
  for (int32_t i = 0; i < ndim; ++i) {
    x = cut(c, x, i, before[i], after[i]);
    widths[2 * i] = before[i] < 0 ? 0 : before[i];
    widths[2 * i + 1] = after[i] < 0 ? 0 : after[i];
    has_any = has_any || widths[2 * i] != 0 || widths[2 * i + 1] != 0;
  }
  if (!has_any) {
    return x;
  }
  tn_onnx_build b = tn_onnx_begin(c, "nn.pad");
  tn_onnx_set_ints(&b, "pad_width", 2 * (size_t)ndim, widths);
  tn_onnx_set_float(&b, "pad_value", value);
  return tn_onnx_end1(&b, x);
}

static void pad(tn_onnx_call *c, tn_onnx_i64s pads, tn_onnx_i64s axes, double value) {
  const tn_node *x = tn_onnx_in(c, 0);
  const char *mode = tn_onnx_attr_text(c, "mode", "constant");
  int32_t ndim = tn_onnx_ndim(c, x);
  int64_t before[TN_MAX_NDIM] = {0};
  int64_t after[TN_MAX_NDIM] = {0};
  size_t n = axes.data == NULL ? (size_t)ndim : axes.len;
  if (c->st != NULL || pads.len != 2 * n || ndim > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu pads for %zu axes", pads.len, n);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    int32_t at = axes.data == NULL ? (int32_t)i : tn_onnx_axis(c, axes.data[i], ndim);
    before[at] = pads.data[i];
    after[at] = pads.data[n + i];
  }
  if (strcmp(mode, "constant") == 0) {
    tn_onnx_give(c, 0, tn_onnx_pad(c, x, value, before, after));
    return;
  }
  if (strcmp(mode, "reflect") != 0 && strcmp(mode, "edge") != 0 && strcmp(mode, "wrap") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "mode '%s', expected constant, reflect, edge or wrap", mode);
  }
  for (int32_t i = 0; i < ndim; ++i) {
    x = border(c, x, mode, i, before[i], after[i]);
  }
  tn_onnx_give(c, 0, x);
}

void tn_onnx_rule_pad_old(tn_onnx_call *c) {
  tn_onnx_i64s pads = tn_onnx_attr_ints(c, c->version < 2 ? "paddings" : "pads");
  pad(c, pads, (tn_onnx_i64s){0}, tn_onnx_attr_float(c, "value", 0));
}

/* Pads, the value or (where it matters) extents are not numbers yet. */
static bool is_pad_dynamic(tn_onnx_call *c, const char *mode) {
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 0));
  bool is_fixed = tn_onnx_is_fixed(c, tn_onnx_in(c, 1)) &&
                  (tn_onnx_maybe(c, 2) == NULL || tn_onnx_array(tn_onnx_maybe(c, 2)) != NULL);
  for (uint32_t i = 0; dims != NULL && i < dims->n_in && strcmp(mode, "constant") != 0; ++i) {
    is_fixed = is_fixed && dims->in[i]->op == TN_OP_INT;
  }
  return !is_fixed;
}

void tn_onnx_rule_pad(tn_onnx_call *c) {
  const char *mode = tn_onnx_attr_text(c, "mode", "constant");
  if (c->st == NULL && is_pad_dynamic(c, mode) && c->st == NULL) {
    const tn_node *x = tn_onnx_in(c, 0);
    const tn_node *value = tn_onnx_maybe(c, 2);
    value = value == NULL ? tn_onnx_scalar(c, tn_onnx_type_of(c, x), 0)
                          : tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL));
    tn_onnx_give(
        c, 0,
        tn_onnx_pad_dynamic(c, x, mode, maybe_numbers(c, 3, "axes"), tn_onnx_in(c, 1), value));
    return;
  }
  tn_onnx_i64s pads = tn_onnx_numbers(c, tn_onnx_in(c, 1), "pads");
  const tn_node *value = tn_onnx_maybe(c, 2);
  const tn_array *array = tn_onnx_need_array(c, value);
  if (value != NULL && (array == NULL || tn_array_n_elems(array) != 1)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the value must be a constant number");
    return;
  }
  pad(c, pads, maybe_numbers(c, 3, "axes"), array == NULL ? 0 : tn_array_get_f64(array, 0));
}

/* ---- lookups ---- */

const tn_node *tn_onnx_from_start(tn_onnx_call *c, const tn_node *index, const tn_node *extent) {
  tn_dtype type = tn_onnx_type_of(c, index);
  if (extent == NULL || tn_dtype_is_uint(type)) {
    return index;
  }
  const tn_node *n = tn_onnx_from_known(c, tn_list(c->ir, 1, &extent), true);
  const tn_node *is_below = tn_onnx_op2(c, "less", index, tn_onnx_scalar(c, type, 0));
  const tn_node *moved = tn_onnx_op2(c, "add", index, tn_onnx_cast(c, n, type));
  return tn_onnx_op3(c, "where", is_below, moved, index);
}

void tn_onnx_rule_gather(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x));
  const tn_array *index = tn_onnx_array(tn_onnx_in(c, 1));
  if (dims == NULL || c->st != NULL) {
    return;
  }
  const tn_node *extent = dims->in[axis];
  for (int64_t i = 0; index != NULL && extent->op == TN_OP_INT && i < tn_array_n_elems(index);
       ++i) {
    int64_t at = tn_array_get_i64(index, i);
    if (at < -extent->attr.i64 || at >= extent->attr.i64) {
      TN_ONNX_FAIL(c, TN_INVALID, "index %" PRId64 " of an axis of extent %" PRId64, at,
                   extent->attr.i64);
      return;
    }
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", axis);
  tn_onnx_give(c, 0, tn_onnx_end2(&b, x, tn_onnx_from_start(c, tn_onnx_in(c, 1), extent)));
}

void tn_onnx_rule_one_hot(tn_onnx_call *c) {
  const tn_node *index = tn_onnx_in(c, 0);
  const tn_node *depth = tn_onnx_in(c, 1);
  const tn_node *parts[2];
  for (int64_t i = 0; i < 2; ++i) {
    int64_t of = 0;
    int64_t end = i + 1;
    const tn_node *part = slice(c, tn_onnx_in(c, 2), (tn_onnx_i64s){&of, 1}, (tn_onnx_i64s){&i, 1},
                                (tn_onnx_i64s){&end, 1}, (tn_onnx_i64s){0});
    parts[i] = tn_onnx_reshape(c, part, tn_list(c->ir, 0, NULL));
  }
  if (!tn_onnx_is_fixed(c, depth)) {
    tn_onnx_give(c, 0,
                 tn_onnx_one_hot_dynamic(c, index, depth, tn_onnx_attr_int(c, "axis", -1), parts[1],
                                         parts[0]));
    return;
  }
  tn_onnx_i64s n = {0};
  const tn_array *array = tn_onnx_array(depth);
  if (array != NULL && tn_array_n_elems(array) == 1) { /* it may be a float */
    n = tn_onnx_i64s_alloc(c, 1);
    n.data[0] = (int64_t)tn_array_get_f64(array, 0);
  } else {
    n = tn_onnx_numbers(c, depth, "depth");
  }
  if (n.len != 1 || c->st != NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "depth is no number");
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, index);
  index = tn_dtype_is_int(type) ? index : tn_onnx_cast(c, index, TN_DT_I64);
  const tn_node *args[] = {tn_onnx_from_start(c, index, tn_int(c->ir, TN_DT_I64, n.data[0])), parts[1],
                           parts[0]};
  tn_onnx_build b = tn_onnx_begin(c, "one_hot");
  tn_onnx_set_int(&b, "depth", n.data[0]);
  tn_onnx_set_int(&b, "axis", tn_onnx_attr_int(c, "axis", -1));
  tn_onnx_give(c, 0, tn_onnx_end(&b, 3, args));
}

void tn_onnx_rule_trilu(tn_onnx_call *c) {
  tn_onnx_i64s k = maybe_numbers(c, 1, "k");
  tn_onnx_build b = tn_onnx_begin(c, tn_onnx_attr_int(c, "upper", 1) != 0 ? "triu" : "tril");
  tn_onnx_set_int(&b, "k", k.len == 1 ? k.data[0] : 0);
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}

static const tn_node *flip(tn_onnx_call *c, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "flip");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end1(&b, x);
}

/* CumSum and CumProd. */
void tn_onnx_rule_cumulate(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_i64s axis = tn_onnx_numbers(c, tn_onnx_in(c, 1), "axis");
  bool is_reverse = tn_onnx_attr_int(c, "reverse", 0) != 0;
  if (axis.len != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "axis is no number");
    return;
  }
  int64_t at = tn_onnx_axis(c, axis.data[0], tn_onnx_ndim(c, x));
  tn_onnx_build b = tn_onnx_begin(c, c->rule->word);
  tn_onnx_set_int(&b, "axis", at);
  tn_onnx_set_bool(&b, "exclusive", tn_onnx_attr_int(c, "exclusive", 0) != 0);
  const tn_node *y = tn_onnx_end1(&b, is_reverse ? flip(c, x, at) : x);
  tn_onnx_give(c, 0, is_reverse ? flip(c, y, at) : y);
}

void tn_onnx_rule_bitcast(tn_onnx_call *c) {
  tn_dtype dtype = TN_DT_NONE;
  tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "to", 0), &dtype));
  tn_onnx_build b = tn_onnx_begin(c, "bitcast");
  tn_onnx_set_dtype(&b, "dtype", dtype);
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_in(c, 0)));
}

/* ---- blocks of pixels ---- */

static const tn_node *with_dims(tn_onnx_call *c, const tn_node *x, uint32_t n,
                                const tn_node *const *dims) {
  for (uint32_t i = 0; i < n; ++i) {
    if (dims[i] == NULL) {
      return NULL;
    }
  }
  return tn_onnx_reshape(c, x, tn_list(c->ir, n, dims));
}

static const tn_node *block_size(tn_onnx_call *c, const tn_node *dims) {
  int64_t n = tn_onnx_attr_int(c, "blocksize", 0);
  if (n < 1 || n > INT16_MAX || dims == NULL || dims->n_in != 4) {
    TN_ONNX_FAIL(c, TN_INVALID, "blocks of %" PRId64 " in such data", n);
    return NULL;
  }
  return tn_int(c->ir, TN_DT_I64, n);
}

void tn_onnx_rule_depth_to_space(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *d = tn_onnx_dims(c, x);
  const tn_node *b = block_size(c, d);
  bool is_crd = strcmp(tn_onnx_attr_text(c, "mode", "DCR"), "CRD") == 0;
  if (b == NULL) {
    return;
  }
  const tn_node *bb = tn_onnx_size_op(c, TN_OP_MUL, b, b);
  const tn_node *depth = tn_onnx_size_op(c, TN_OP_FLOORDIV, d->in[1], bb);
  const tn_node *dcr[] = {d->in[0], b, b, depth, d->in[2], d->in[3]};
  const tn_node *crd[] = {d->in[0], depth, b, b, d->in[2], d->in[3]};
  const int64_t dcr_axes[] = {0, 3, 4, 1, 5, 2};
  const int64_t crd_axes[] = {0, 1, 4, 2, 5, 3};
  const tn_node *y = with_dims(c, x, 6, is_crd ? crd : dcr);
  const tn_node *out[] = {d->in[0], depth, tn_onnx_size_op(c, TN_OP_MUL, d->in[2], b),
                          tn_onnx_size_op(c, TN_OP_MUL, d->in[3], b)};
  y = tn_onnx_permute(c, y, is_crd ? crd_axes : dcr_axes);
  tn_onnx_give(c, 0, with_dims(c, y, 4, out));
}

void tn_onnx_rule_space_to_depth(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *d = tn_onnx_dims(c, x);
  const tn_node *b = block_size(c, d);
  const int64_t axes[] = {0, 3, 5, 1, 2, 4};
  if (b == NULL) {
    return;
  }
  const tn_node *h = tn_onnx_size_op(c, TN_OP_FLOORDIV, d->in[2], b);
  const tn_node *w = tn_onnx_size_op(c, TN_OP_FLOORDIV, d->in[3], b);
  const tn_node *parts[] = {d->in[0], d->in[1], h, b, w, b};
  const tn_node *bb = tn_onnx_size_op(c, TN_OP_MUL, b, b);
  const tn_node *out[] = {d->in[0], tn_onnx_size_op(c, TN_OP_MUL, d->in[1], bb), h, w};
  tn_onnx_give(c, 0, with_dims(c, tn_onnx_permute(c, with_dims(c, x, 6, parts), axes), 4, out));
}
