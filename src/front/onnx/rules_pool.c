/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Pools, and back: largest elements, means and p-norms of windows. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/window.h"

/* With ceil_mode a last window that would begin behind the data and its front padding is left out;
 * the graph's pools have it. Cuts it off. */
static const tn_node *without_last(tn_onnx_call *c, const tn_node *y, const tn_node *dims,
                                   const tn_onnx_window *w) {
  for (int32_t i = 0; c->st == NULL && i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
    bool is_known = extent->op == TN_OP_INT && extent->attr.i64 <= INT32_MAX;
    if (w->stride[i] <= reach - w->pads[w->n + i]) {
      continue; /* whatever the extent */
    }
    if (!is_known) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                   "ceil_mode with such strides needs the extent of dimension %d as a number; "
                   "--shape fixes it",
                   2 + i);
      return NULL;
    }
    int64_t room = extent->attr.i64 + w->pads[i] + w->pads[w->n + i] - reach;
    int64_t n = (room + w->stride[i] - 1) / w->stride[i];
    if (room >= 0 && n * w->stride[i] >= extent->attr.i64 + w->pads[i]) {
      y = tn_onnx_part(c, y, 2 + i, 0, n);
    }
  }
  return y;
}

const tn_node *tn_onnx_pool(tn_onnx_call *c, const tn_node *x, const char *op,
                            const tn_onnx_window *w) {
  bool is_ceil = tn_onnx_attr_int(c, "ceil_mode", 0) != 0;
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_window_set(&b, w);
  tn_onnx_set_ints(&b, "pool_size", (size_t)w->n, w->kernel);
  tn_onnx_set_bool(&b, "ceil_mode", is_ceil);
  if (strncmp(op, "nn.avg_pool", 11) == 0) {
    tn_onnx_set_bool(&b, "count_include_pad", tn_onnx_attr_int(c, "count_include_pad", 0) != 0);
  }
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *y = tn_onnx_end1(&b, x);
  return is_ceil && y != NULL ? without_last(c, y, dims, w) : y;
}

/* The places of the largest elements: their numbers in the whole tensor, row by row or (storage_order
 * 1) column by column. */
static const tn_node *places(tn_onnx_call *c, const tn_node *x, const tn_onnx_window *w) {
  bool is_ceil = tn_onnx_attr_int(c, "ceil_mode", 0) != 0;
  tn_onnx_build b = tn_onnx_begin(c, "nn.max_pool_places");
  tn_onnx_window_set(&b, w);
  tn_onnx_set_ints(&b, "pool_size", (size_t)w->n, w->kernel);
  tn_onnx_set_bool(&b, "ceil_mode", is_ceil);
  tn_onnx_set_bool(&b, "by_columns", tn_onnx_attr_int(c, "storage_order", 0) != 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *y = tn_onnx_end1(&b, x);
  return is_ceil && y != NULL ? without_last(c, y, dims, w) : y;
}

void tn_onnx_rule_pool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_window w = tn_onnx_window_read(c, x, NULL);
  bool is_max = strcmp(c->rule->op, "MaxPool") == 0;
  tn_onnx_give(c, 0, tn_onnx_pool(c, x, tn_onnx_numbered(c, c->rule->word, w.n, "d"), &w));
  if (is_max && tn_onnx_wants(c, 1)) {
    tn_onnx_give(c, 1, places(c, x, &w));
  } else {
    tn_onnx_no_outputs_from(c, 1);
  }
}

void tn_onnx_rule_global_pool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t ndim = tn_onnx_ndim(c, x);
  int64_t axes[TN_MAX_NDIM];
  size_t n = 0;
  for (int32_t i = 2; i < ndim; ++i) {
    axes[n++] = i;
  }
  tn_onnx_give(c, 0, n == 0 ? x : tn_onnx_reduce(c, c->rule->word, x, n, axes, true));
}

/* ---- p-norms ---- */

/* |x|^p */
static const tn_node *raised(tn_onnx_call *c, const tn_node *x, double p) {
  if (p == 2) {
    return tn_onnx_op2(c, "multiply", x, x);
  }
  x = tn_onnx_op1(c, "abs", x);
  return p == 1 ? x : tn_onnx_op2(c, "power", x, tn_onnx_scalar(c, tn_onnx_type_of(c, x), p));
}

static const tn_node *root(tn_onnx_call *c, const tn_node *x, double p) {
  if (p == 1 || p == 2) {
    return p == 1 ? x : tn_onnx_op1(c, "sqrt", x);
  }
  return tn_onnx_op2(c, "power", x, tn_onnx_scalar(c, tn_onnx_type_of(c, x), 1 / p));
}

/* An attribute that was a float in opset 1. */
static double read_p(tn_onnx_call *c) {
  double p = c->version < 2 ? tn_onnx_attr_float(c, "p", 2) : (double)tn_onnx_attr_int(c, "p", 2);
  if (!(p > 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "p is %g, expected a number above 0", p);
  }
  return p;
}

/* (sum of |x|^p)^(1/p): the sum is a mean that counts the padding, times the elements of a window. */
void tn_onnx_rule_lp_pool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_window w = tn_onnx_window_read(c, x, NULL);
  bool is_ceil = tn_onnx_attr_int(c, "ceil_mode", 0) != 0;
  const tn_node *dims = tn_onnx_dims(c, x);
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
  double p = read_p(c);
  double n_taps = 1;
  int64_t before[TN_MAX_NDIM] = {0};
  int64_t after[TN_MAX_NDIM] = {0};
  if (c->st != NULL) {
    return;
  }
  tn_onnx_window inner = w;
  for (int32_t i = 0; i < w.n; ++i) {
    n_taps *= (double)w.kernel[i];
    before[2 + i] = w.pads[i];
    after[2 + i] = w.pads[w.n + i] + (is_ceil ? w.stride[i] - 1 : 0);
    inner.pads[i] = 0;
    inner.pads[w.n + i] = 0;
  }
  const tn_node *sum = tn_onnx_pad(c, raised(c, tn_onnx_cast(c, x, in), p), 0, before, after);
  tn_onnx_build b = tn_onnx_begin(c, tn_onnx_numbered(c, "nn.avg_pool", w.n, "d"));
  tn_onnx_window_set(&b, &inner);
  tn_onnx_set_ints(&b, "pool_size", (size_t)w.n, w.kernel);
  sum = tn_onnx_op2(c, "multiply", tn_onnx_end1(&b, sum), tn_onnx_scalar(c, in, n_taps));
  sum = is_ceil && sum != NULL ? without_last(c, sum, dims, &w) : sum;
  tn_onnx_give(c, 0, tn_onnx_cast(c, root(c, sum, p), type));
}

void tn_onnx_rule_global_lp_pool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t ndim = tn_onnx_ndim(c, x);
  int64_t axes[TN_MAX_NDIM];
  double p = read_p(c);
  for (int32_t i = 2; i < ndim; ++i) {
    axes[i - 2] = i;
  }
  x = raised(c, x, p);
  x = ndim <= 2 ? x : tn_onnx_reduce(c, "sum", x, (size_t)ndim - 2, axes, true);
  tn_onnx_give(c, 0, root(c, x, p));
}

/* ---- back from the largest ---- */

/* Extents of what a MaxPool with these attributes came from. */
static const tn_node *unpooled_dims(tn_onnx_call *c, const tn_node *dims, const tn_onnx_window *w) {
  const tn_node *out[2 + TN_ONNX_MAX_SPATIAL] = {dims->in[0], dims->in[1]};
  for (int32_t i = 0; i < w->n; ++i) {
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    const tn_node *more = tn_int(c->ir, TN_DT_I64, w->kernel[i] - w->pads[i] - w->pads[w->n + i]);
    const tn_node *steps = tn_onnx_size_op(c, TN_OP_SUB, dims->in[2 + i], one);
    steps = tn_onnx_size_op(c, TN_OP_MUL, steps, tn_int(c->ir, TN_DT_I64, w->stride[i]));
    out[2 + i] = tn_onnx_size_op(c, TN_OP_ADD, steps, more);
  }
  return tn_list(c->ir, 2 + (uint32_t)w->n, out);
}

/* Zeros but for the elements of x at their places, which count in a tensor of the extents that
 * follow from the attributes; output_shape adds zeros behind. */
void tn_onnx_rule_max_unpool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *at = tn_onnx_in(c, 1);
  tn_onnx_window w = tn_onnx_window_read(c, x, NULL);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *rest = tn_int(c->ir, TN_DT_I64, -1);
  const tn_node *flat = tn_list(c->ir, 1, &rest);
  if (c->st != NULL) {
    return;
  }
  const tn_node *out_dims = unpooled_dims(c, dims, &w);
  const tn_node *all = out_dims->in[0];
  for (uint32_t i = 1; i < out_dims->n_in; ++i) {
    all = tn_onnx_size_op(c, TN_OP_MUL, all, out_dims->in[i]);
  }
  const tn_node *zeros =
      tn_onnx_broadcast(c, tn_onnx_scalar(c, tn_onnx_type_of(c, x), 0), tn_list(c->ir, 1, &all));
  const tn_node *args[] = {zeros, tn_onnx_reshape(c, at, flat), tn_onnx_reshape(c, x, flat)};
  tn_onnx_build b = tn_onnx_begin(c, "scatter_elements");
  tn_onnx_set_int(&b, "axis", 0);
  const tn_node *y = tn_onnx_reshape(c, tn_onnx_end(&b, 3, args), out_dims);
  const tn_node *shape = tn_onnx_maybe(c, 2);
  if (shape != NULL) {
    tn_onnx_i64s wanted = tn_onnx_numbers(c, shape, "output_shape");
    int64_t before[TN_MAX_NDIM] = {0};
    int64_t after[TN_MAX_NDIM] = {0};
    for (uint32_t i = 0; c->st == NULL && i < out_dims->n_in; ++i) {
      const tn_node *extent = out_dims->in[i];
      bool fits = wanted.len == out_dims->n_in && extent->op == TN_OP_INT &&
                  wanted.data[i] >= extent->attr.i64 && wanted.data[i] <= INT32_MAX;
      if (!fits) {
        TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                     "output_shape must be %u numbers, not below what the attributes give",
                     out_dims->n_in);
        return;
      }
      after[i] = wanted.data[i] - extent->attr.i64;
    }
    y = tn_onnx_pad(c, y, 0, before, after);
  }
  tn_onnx_give(c, 0, y);
}
