/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Matrix products, convolutions, pools. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/rules.h"

/* ---- matrix products ---- */

static const tn_node *transposed(tn_onnx_call *c, const tn_node *x) {
  const int64_t swap[] = {1, 0};
  if (tn_onnx_ndim(c, x) != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "an operand has %d dimensions, expected 2", tn_onnx_ndim(c, x));
    return NULL;
  }
  return tn_onnx_permute(c, x, swap);
}

void tn_onnx_rule_gemm(tn_onnx_call *c) {
  const tn_node *a = tn_onnx_in(c, 0);
  const tn_node *b = tn_onnx_in(c, 1);
  const tn_node *bias = tn_onnx_maybe(c, 2);
  tn_dtype type = tn_onnx_type_of(c, a);
  double alpha = tn_onnx_attr_float(c, "alpha", 1);
  double beta = tn_onnx_attr_float(c, "beta", 1);
  a = tn_onnx_attr_int(c, "transA", 0) != 0 ? transposed(c, a) : a;
  b = tn_onnx_attr_int(c, "transB", 0) != 0 ? transposed(c, b) : b;
  const tn_node *y = tn_onnx_op2(c, "matmul", a, b);
  y = alpha == 1 ? y : tn_onnx_op2(c, "multiply", y, tn_onnx_scalar(c, type, alpha));
  if (bias != NULL && beta != 0) {
    bias = beta == 1 ? bias : tn_onnx_op2(c, "multiply", bias, tn_onnx_scalar(c, type, beta));
    y = tn_onnx_op2(c, "add", y, bias);
  }
  tn_onnx_give(c, 0, y);
}

/* ---- windows ---- */

enum { MAX_SPATIAL = 3 };
typedef struct window {
  int32_t n; /* spatial dimensions */
  int64_t kernel[MAX_SPATIAL];
  int64_t stride[MAX_SPATIAL];
  int64_t dilation[MAX_SPATIAL];
  int64_t pads[2 * MAX_SPATIAL]; /* all before, all after */
} window;

static void take_list(tn_onnx_call *c, const char *name, int32_t n, int64_t otherwise,
                      int64_t least, int64_t *out) {
  tn_onnx_i64s given = tn_onnx_attr_ints(c, name);
  if (given.data != NULL && given.len != (size_t)n) {
    TN_ONNX_FAIL(c, TN_INVALID, "'%s' has %zu numbers, expected %d", name, given.len, n);
    return;
  }
  for (int32_t i = 0; i < n; ++i) {
    out[i] = given.data == NULL ? otherwise : given.data[i];
    if (out[i] < least || out[i] > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_INVALID, "'%s' holds %" PRId64, name, out[i]);
    }
  }
}

/* SAME: as many windows as the input has elements, divided by the stride. */
static void pad_same(tn_onnx_call *c, const tn_node *dims, bool is_upper, window *w) {
  for (int32_t i = 0; c->st == NULL && i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    if (extent->op != TN_OP_INT || extent->attr.i64 > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                   "auto_pad needs the extent of dimension %d as a number; "
                   "--shape fixes it",
                   2 + i);
      return;
    }
    int64_t in = extent->attr.i64;
    int64_t n = (in + w->stride[i] - 1) / w->stride[i];
    int64_t all = (n - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - in;
    all = all < 0 ? 0 : all;
    w->pads[i] = is_upper ? all / 2 : all - all / 2;
    w->pads[w->n + i] = all - w->pads[i];
  }
}

/* kernel: its extents, NULL: from the attribute kernel_shape. */
static window read_window(tn_onnx_call *c, const tn_node *x, const tn_node *kernel) {
  window w = {.n = tn_onnx_ndim(c, x) - 2};
  const tn_node *dims = tn_onnx_dims(c, x);
  if (c->st == NULL && (w.n < 1 || w.n > MAX_SPATIAL)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "data of %d dimensions, expected 3 to %d", w.n + 2,
                 MAX_SPATIAL + 2);
  }
  if (c->st != NULL) {
    return w;
  }
  for (int32_t i = 0; kernel != NULL && i < w.n; ++i) {
    const tn_node *extent = (uint32_t)i + 2 < kernel->n_in ? kernel->in[2 + i] : NULL;
    w.kernel[i] = extent != NULL && extent->op == TN_OP_INT ? extent->attr.i64 : 1;
    if (extent == NULL || extent->op != TN_OP_INT || extent->attr.i64 > INT32_MAX) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the extents of the kernel must be numbers");
    }
  }
  if (kernel == NULL || tn_onnx_attr_find(c, "kernel_shape") != NULL) {
    take_list(c, "kernel_shape", w.n, 0, 1, w.kernel);
  }
  take_list(c, "strides", w.n, 1, 1, w.stride);
  take_list(c, "dilations", w.n, 1, 1, w.dilation);
  take_list(c, "pads", 2 * w.n, 0, 0, w.pads);
  const char *how = tn_onnx_attr_text(c, "auto_pad", "NOTSET");
  if (strcmp(how, "VALID") == 0) {
    memset(w.pads, 0, sizeof w.pads);
  } else if (strcmp(how, "SAME_UPPER") == 0 || strcmp(how, "SAME_LOWER") == 0) {
    pad_same(c, dims, strcmp(how, "SAME_UPPER") == 0, &w);
  } else if (strcmp(how, "NOTSET") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "auto_pad '%s'", how);
  }
  return w;
}

static void set_window(tn_onnx_build *b, const window *w) {
  tn_onnx_set_ints(b, "strides", (size_t)w->n, w->stride);
  tn_onnx_set_ints(b, "dilation", (size_t)w->n, w->dilation);
  tn_onnx_set_ints(b, "padding", 2 * (size_t)w->n, w->pads);
}

static const char *numbered(tn_onnx_call *c, const char *stem, int32_t n, const char *end) {
  char name[64];
  (void)snprintf(name, sizeof name, "%s%d%s", stem, n < 1 || n > MAX_SPATIAL ? 1 : n, end);
  return tn_arena_strndup(c->imp->arena, name, strlen(name));
}

/* A vector along dimension 1 of `ndim`. */
static const tn_node *along_channels(tn_onnx_call *c, const tn_node *x, int32_t ndim) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *own = tn_onnx_dims(c, x);
  if (own == NULL || own->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected a vector of one number a channel");
    return NULL;
  }
  for (int32_t i = 0; i < ndim - 1; ++i) {
    dims[i] = i == 0 ? own->in[0] : tn_int(c->ir, TN_DT_I64, 1);
  }
  return tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)ndim - 1, dims));
}

static const tn_node *with_bias(tn_onnx_call *c, const tn_node *y, const tn_node *bias) {
  return bias == NULL || y == NULL
             ? y
             : tn_onnx_op2(c, "add", y, along_channels(c, bias, tn_onnx_ndim(c, y)));
}

const tn_node *tn_onnx_conv(tn_onnx_call *c, const tn_node *x, const tn_node *kernel,
                            const tn_node *bias) {
  window w = read_window(c, x, tn_onnx_dims(c, kernel));
  tn_onnx_build b = tn_onnx_begin(c, numbered(c, "nn.conv", w.n, "d"));
  set_window(&b, &w);
  tn_onnx_set_int(&b, "groups", tn_onnx_attr_int(c, "group", 1));
  return with_bias(c, tn_onnx_end2(&b, x, kernel), bias);
}

void tn_onnx_rule_conv(tn_onnx_call *c) {
  tn_onnx_give(c, 0, tn_onnx_conv(c, tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)));
}

/* output_shape, or auto_pad with input * stride, tells what is cut off; what is missing is added. */
static void cut_to_shape(tn_onnx_call *c, const tn_node *dims, window *w, int64_t *more) {
  tn_onnx_i64s shape = tn_onnx_attr_ints(c, "output_shape");
  const char *how = tn_onnx_attr_text(c, "auto_pad", "NOTSET");
  bool is_same = strncmp(how, "SAME", 4) == 0;
  bool is_upper = strcmp(how, "SAME_UPPER") == 0;
  if (shape.data == NULL && !is_same) {
    return;
  }
  size_t skip =
      shape.len >= (size_t)w->n ? shape.len - (size_t)w->n : 0; /* old: of all dimensions */
  for (int32_t i = 0; c->st == NULL && i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    if (extent->op != TN_OP_INT || extent->attr.i64 > INT32_MAX ||
        (shape.data != NULL && shape.len < (size_t)w->n)) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the extent of dimension %d must be a number", 2 + i);
      return;
    }
    int64_t in = extent->attr.i64;
    int64_t want = shape.data != NULL ? shape.data[skip + (size_t)i] : in * w->stride[i];
    int64_t all =
        w->stride[i] * (in - 1) + more[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - want;
    more[i] += all < 0 ? -all : 0;
    all = all < 0 ? 0 : all;
    w->pads[i] = is_upper ? all / 2 : all - all / 2;
    w->pads[w->n + i] = all - w->pads[i];
  }
}

void tn_onnx_rule_conv_transpose(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *kernel = tn_onnx_in(c, 1);
  int64_t more[MAX_SPATIAL] = {0};
  window w = read_window(c, x, tn_onnx_dims(c, kernel));
  if (c->st != NULL) {
    return;
  }
  take_list(c, "output_padding", w.n, 0, 0, more);
  cut_to_shape(c, tn_onnx_dims(c, x), &w, more);
  tn_onnx_build b = tn_onnx_begin(c, numbered(c, "nn.conv", w.n, "d_transpose"));
  set_window(&b, &w);
  tn_onnx_set_ints(&b, "output_padding", (size_t)w.n, more);
  tn_onnx_set_int(&b, "groups", tn_onnx_attr_int(c, "group", 1));
  tn_onnx_give(c, 0, with_bias(c, tn_onnx_end2(&b, x, kernel), tn_onnx_maybe(c, 2)));
}

/* A last window that would begin behind the data and its front padding is left out. Where that is so
 * for some axis, the others get what their last window needs as padding, and none rounds up: right for
 * what padding does not count in. */
static bool settle_ceil(tn_onnx_call *c, const tn_node *dims, bool counts_padding, window *w) {
  int64_t more[MAX_SPATIAL] = {0};
  bool drops_any = false;
  for (int32_t i = 0; i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    if (extent->op != TN_OP_INT || extent->attr.i64 > INT32_MAX) {
      return true;
    }
    int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
    int64_t room = extent->attr.i64 + w->pads[i] + w->pads[w->n + i] - reach;
    int64_t last = (room + w->stride[i] - 1) / w->stride[i] * w->stride[i];
    bool drops = last >= extent->attr.i64 + w->pads[i];
    drops_any = drops_any || drops;
    more[i] = drops || room < 0 ? 0 : last - room;
  }
  for (int32_t i = 0; drops_any && i < w->n; ++i) {
    if (more[i] != 0 && counts_padding) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                   "ceil_mode that holds for some dimensions only, with "
                   "count_include_pad");
    }
    w->pads[w->n + i] += more[i];
  }
  return !drops_any;
}

void tn_onnx_rule_pool(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  window w = read_window(c, x, NULL);
  bool is_ceil = tn_onnx_attr_int(c, "ceil_mode", 0) != 0;
  bool counts_padding = tn_onnx_attr_int(c, "count_include_pad", 0) != 0;
  if (is_ceil && c->st == NULL) {
    is_ceil = settle_ceil(c, tn_onnx_dims(c, x), counts_padding, &w);
  }
  tn_onnx_build b = tn_onnx_begin(c, numbered(c, c->rule->word, w.n, "d"));
  tn_onnx_no_outputs_from(c, 1);
  set_window(&b, &w);
  tn_onnx_set_ints(&b, "pool_size", (size_t)w.n, w.kernel);
  tn_onnx_set_bool(&b, "ceil_mode", is_ceil);
  if (strcmp(c->rule->op, "AveragePool") == 0) {
    tn_onnx_set_bool(&b, "count_include_pad", counts_padding);
  }
  tn_onnx_give(c, 0, tn_onnx_end1(&b, x));
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

/* ---- norms ---- */

/* Up to opset 6 an attribute says whether a node trains. */
static void need_inference(tn_onnx_call *c) {
  if (c->version < 7 && tn_onnx_attr_int(c, "is_test", 0) == 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "is_test 0; only inference is there");
  }
}

void tn_onnx_rule_batch_norm(tn_onnx_call *c) {
  const tn_node *args[5];
  for (uint32_t i = 0; i < 5; ++i) {
    args[i] = tn_onnx_in(c, i);
  }
  if (tn_onnx_attr_int(c, "training_mode", 0) != 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "training_mode 1; only inference is there");
  }
  need_inference(c);
  if (tn_onnx_attr_int(c, "spatial", 1) != 1) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "spatial 0");
  }
  tn_onnx_no_outputs_from(c, 1);
  tn_dtype type = tn_onnx_type_of(c, args[0]);
  for (uint32_t i = 1; i < 5; ++i) { /* from opset 14 on they may be wider than the data */
    args[i] = tn_onnx_cast(c, args[i], type);
  }
  tn_onnx_build b = tn_onnx_begin(c, "nn.batch_norm");
  tn_onnx_set_int(&b, "axis", 1);
  tn_onnx_set_float(&b, "epsilon", tn_onnx_attr_float(c, "epsilon", 1e-5));
  tn_onnx_give(c, 0, tn_onnx_item(c, tn_onnx_end(&b, 5, args), 0));
}

/* (x - mean) / sqrt(variance + epsilon) over axes; also mean and 1 / sqrt(...) of x's rank. */
static const tn_node *normalised(tn_onnx_call *c, const tn_node *x, size_t n, const int64_t *axes,
                                 double epsilon, const tn_node **out_mean,
                                 const tn_node **out_inverse) {
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *mean = tn_onnx_reduce(c, "mean", x, n, axes, true);
  const tn_node *d = tn_onnx_op2(c, "subtract", x, mean);
  const tn_node *variance =
      tn_onnx_reduce(c, "mean", tn_onnx_op2(c, "multiply", d, d), n, axes, true);
  const tn_node *sum = tn_onnx_op2(c, "add", variance, tn_onnx_scalar(c, type, epsilon));
  const tn_node *inverse =
      tn_onnx_op2(c, "divide", tn_onnx_scalar(c, type, 1), tn_onnx_op1(c, "sqrt", sum));
  *out_mean = mean;
  *out_inverse = inverse;
  return tn_onnx_op2(c, "multiply", d, inverse);
}

void tn_onnx_rule_instance_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int32_t ndim = tn_onnx_ndim(c, x);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t axes[TN_MAX_NDIM];
  for (int32_t i = 2; i < ndim; ++i) {
    axes[i - 2] = i;
  }
  if (c->st == NULL && ndim < 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, expected 3 or more", ndim);
  }
  double epsilon = tn_onnx_attr_float(c, "epsilon", 1e-5);
  const tn_node *y =
      c->st != NULL ? NULL : normalised(c, x, (size_t)ndim - 2, axes, epsilon, &mean, &inverse);
  y = tn_onnx_op2(c, "multiply", y, along_channels(c, tn_onnx_in(c, 1), ndim));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "add", y, along_channels(c, tn_onnx_in(c, 2), ndim)));
}

/* The axes from `axis` on. */
static size_t last_axes(tn_onnx_call *c, const tn_node *x, int64_t axis, int64_t *out) {
  int32_t ndim = tn_onnx_ndim(c, x);
  size_t n = 0;
  for (int32_t i = tn_onnx_axis(c, axis, ndim); i < ndim; ++i) {
    out[n++] = i;
  }
  return n;
}

/* float16 and bfloat16 are computed in float32, as stash_type says by default. */
static tn_dtype stash_type(tn_onnx_call *c, tn_dtype type) {
  bool is_single = tn_onnx_attr_int(c, "stash_type", 1) == 1;
  return is_single && tn_dtype_bits(type) < 32 ? TN_DT_F32 : type;
}

void tn_onnx_rule_layer_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t axes[TN_MAX_NDIM];
  tn_dtype type = tn_onnx_type_of(c, x);
  size_t n = last_axes(c, x, tn_onnx_attr_int(c, "axis", -1), axes);
  const tn_node *y = normalised(c, tn_onnx_cast(c, x, stash_type(c, type)), n, axes,
                                tn_onnx_attr_float(c, "epsilon", 1e-5), &mean, &inverse);
  y = tn_onnx_op2(c, "multiply", tn_onnx_cast(c, y, type), tn_onnx_in(c, 1));
  if (tn_onnx_maybe(c, 2) != NULL) {
    y = tn_onnx_op2(c, "add", y, tn_onnx_maybe(c, 2));
  }
  tn_onnx_give(c, 0, y);
  tn_onnx_give(c, 1, mean);
  tn_onnx_give(c, 2, inverse);
}

void tn_onnx_rule_rms_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t axes[TN_MAX_NDIM];
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = stash_type(c, type);
  size_t n = last_axes(c, x, tn_onnx_attr_int(c, "axis", -1), axes);
  x = tn_onnx_cast(c, x, in);
  const tn_node *mean = tn_onnx_reduce(c, "mean", tn_onnx_op2(c, "multiply", x, x), n, axes, true);
  const tn_node *epsilon = tn_onnx_scalar(c, in, tn_onnx_attr_float(c, "epsilon", 1e-5));
  const tn_node *root = tn_onnx_op1(c, "sqrt", tn_onnx_op2(c, "add", mean, epsilon));
  const tn_node *y = tn_onnx_cast(c, tn_onnx_op2(c, "divide", x, root), type);
  tn_onnx_give(c, 0, tn_onnx_op2(c, "multiply", y, tn_onnx_in(c, 1)));
}

/* x split into groups of channels: [N, G, C / G * ...]. Opset 18 scales groups, 21 channels. */
void tn_onnx_rule_group_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t n_groups = tn_onnx_attr_int(c, "num_groups", 1);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  const int64_t axes[] = {2};
  if (dims == NULL || dims->n_in < 2 || n_groups < 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " groups of such data", n_groups);
    return;
  }
  tn_dtype type = tn_onnx_type_of(c, x);
  int32_t ndim = (int32_t)dims->n_in;
  const tn_node *grouped[] = {dims->in[0], tn_int(c->ir, TN_DT_I64, n_groups),
                              tn_int(c->ir, TN_DT_I64, -1)};
  const tn_node *flat = tn_onnx_cast(c, tn_onnx_reshape(c, x, tn_list(c->ir, 3, grouped)),
                                     c->version < 21 ? type : stash_type(c, type));
  const tn_node *y =
      normalised(c, flat, 1, axes, tn_onnx_attr_float(c, "epsilon", 1e-5), &mean, &inverse);
  y = tn_onnx_cast(c, y, type);
  if (c->version < 21) {
    y = tn_onnx_op2(c, "multiply", y, along_channels(c, tn_onnx_in(c, 1), 3));
    y = tn_onnx_op2(c, "add", y, along_channels(c, tn_onnx_in(c, 2), 3));
    tn_onnx_give(c, 0, tn_onnx_reshape(c, y, dims));
    return;
  }
  y = tn_onnx_reshape(c, y, dims);
  y = tn_onnx_op2(c, "multiply", y, along_channels(c, tn_onnx_in(c, 1), ndim));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "add", y, along_channels(c, tn_onnx_in(c, 2), ndim)));
}

void tn_onnx_rule_lp_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t p = tn_onnx_attr_int(c, "p", 2);
  const int64_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), tn_onnx_ndim(c, x));
  if (p != 1 && p != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "p is %" PRId64 ", expected 1 or 2", p);
  }
  const tn_node *size = p == 1 ? tn_onnx_op1(c, "abs", x) : tn_onnx_op2(c, "multiply", x, x);
  const tn_node *norm = tn_onnx_reduce(c, "sum", size, 1, &axis, true);
  norm = p == 1 ? norm : tn_onnx_op1(c, "sqrt", norm);
  const tn_node *zero = tn_onnx_scalar(c, tn_onnx_type_of(c, x), 0);
  const tn_node *y = tn_onnx_op2(c, "divide", x, norm);
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", tn_onnx_op2(c, "equal", norm, zero), zero, y));
}

void tn_onnx_rule_mean_variance_norm(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *mean = NULL;
  const tn_node *inverse = NULL;
  int64_t usual[] = {0, 2, 3};
  tn_onnx_i64s axes = tn_onnx_attr_ints(c, "axes");
  axes = axes.data == NULL ? (tn_onnx_i64s){usual, 3} : axes;
  tn_onnx_give(c, 0, normalised(c, x, axes.len, axes.data, 1e-9, &mean, &inverse));
}

/* x / (bias + alpha * mean of the squares of `size` channels around) ^ beta: the mean is a pool over
 * [N, 1, C, ...] that counts what lies outside as 0. */
void tn_onnx_rule_lrn(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t size = tn_onnx_attr_int(c, "size", 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  if (dims == NULL || dims->n_in < 2 || size < 1 || size > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_INVALID, "size %" PRId64 " over such data", size);
    return;
  }
  const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
  const tn_node *rows[] = {dims->in[0], one, dims->in[1], tn_int(c->ir, TN_DT_I64, -1)};
  const int64_t pool[] = {size, 1};
  const int64_t pads[] = {(size - 1) / 2, 0, size - 1 - (size - 1) / 2, 0};
  tn_onnx_build b = tn_onnx_begin(c, "nn.avg_pool2d");
  tn_onnx_set_ints(&b, "pool_size", 2, pool);
  tn_onnx_set_ints(&b, "padding", 4, pads);
  tn_onnx_set_bool(&b, "count_include_pad", true);
  const tn_node *squares = tn_onnx_op2(c, "multiply", x, x);
  const tn_node *mean = tn_onnx_end1(&b, tn_onnx_reshape(c, squares, tn_list(c->ir, 4, rows)));
  mean = tn_onnx_reshape(c, mean, dims);
  const tn_node *alpha = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "alpha", 0.0001));
  const tn_node *bias = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "bias", 1));
  const tn_node *beta = tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "beta", 0.75));
  const tn_node *base = tn_onnx_op2(c, "add", bias, tn_onnx_op2(c, "multiply", alpha, mean));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "divide", x, tn_onnx_op2(c, "power", base, beta)));
}

/* ---- what inference leaves out ---- */

void tn_onnx_rule_dropout(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *training = tn_onnx_maybe(c, 2);
  if (training != NULL) {
    tn_onnx_i64s is_on = tn_onnx_numbers(c, training, "training_mode");
    const tn_node *ratio = tn_onnx_maybe(c, 1);
    const tn_array *rate = tn_onnx_need_array(c, ratio);
    bool drops_none = rate != NULL && tn_array_n_elems(rate) == 1 && tn_array_get_f64(rate, 0) == 0;
    if (is_on.len > 0 && is_on.data[0] != 0 && !drops_none) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "training_mode: only inference is there");
    }
  }
  need_inference(c);
  tn_onnx_give(c, 0, x);
  if (tn_onnx_wants(c, 1)) {
    tn_dtype type = c->version < 10 ? tn_onnx_type_of(c, x) : TN_DT_BOOL;
    const tn_node *shape = tn_onnx_shape_value(c, tn_onnx_dims(c, x));
    tn_onnx_give(c, 1, tn_onnx_op2(c, "broadcast_to", tn_onnx_scalar(c, type, 1), shape));
  }
}
