/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The attributes of nodes that slide a window over spatial dimensions; see window.h. */
#include "front/onnx/window.h"

#include <inttypes.h>
#include <string.h>

void tn_onnx_window_list(tn_onnx_call *c, const char *name, int32_t n, int64_t otherwise,
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
static void pad_same(tn_onnx_call *c, const tn_node *dims, bool is_upper, tn_onnx_window *w) {
  for (int32_t i = 0; c->st == NULL && i < w->n; ++i) {
    const tn_node *extent = dims->in[2 + i];
    bool is_known = extent->op == TN_OP_INT && extent->attr.i64 <= INT32_MAX;
    if (!is_known && w->stride[i] != 1) { /* a stride of 1 pads all extents alike */
      TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                   "auto_pad needs the extent of dimension %d as a number; "
                   "--shape fixes it",
                   2 + i);
      return;
    }
    int64_t in = is_known ? extent->attr.i64 : 1;
    int64_t n = (in + w->stride[i] - 1) / w->stride[i];
    int64_t all = (n - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - in;
    all = all < 0 ? 0 : all;
    w->pads[i] = is_upper ? all / 2 : all - all / 2;
    w->pads[w->n + i] = all - w->pads[i];
  }
}

tn_onnx_window tn_onnx_window_read(tn_onnx_call *c, const tn_node *x, const tn_node *kernel) {
  tn_onnx_window w = {.n = tn_onnx_ndim(c, x) - 2};
  const tn_node *dims = tn_onnx_dims(c, x);
  if (c->st == NULL && (w.n < 1 || w.n > TN_ONNX_MAX_SPATIAL)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "data of %d dimensions, expected 3 to %d", w.n + 2,
                 TN_ONNX_MAX_SPATIAL + 2);
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
    tn_onnx_window_list(c, "kernel_shape", w.n, 0, 1, w.kernel);
  }
  tn_onnx_window_list(c, "strides", w.n, 1, 1, w.stride);
  tn_onnx_window_list(c, "dilations", w.n, 1, 1, w.dilation);
  tn_onnx_window_list(c, "pads", 2 * w.n, 0, 0, w.pads);
  const char *how = tn_onnx_attr_text(c, "auto_pad", "NOTSET");
  if (strcmp(how, "VALID") == 0) {
    memset(w.pads, 0, sizeof w.pads);
  } else if (strcmp(how, "SAME_UPPER") == 0 || strcmp(how, "SAME_LOWER") == 0) {
    /* a transposed convolution cuts off by rules of its own */
    if (strcmp(c->rule->op, "ConvTranspose") != 0) {
      pad_same(c, dims, strcmp(how, "SAME_UPPER") == 0, &w);
    }
  } else if (strcmp(how, "NOTSET") != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "auto_pad '%s'", how);
  }
  return w;
}

void tn_onnx_window_set(tn_onnx_build *b, const tn_onnx_window *w) {
  tn_onnx_set_ints(b, "strides", (size_t)w->n, w->stride);
  tn_onnx_set_ints(b, "dilation", (size_t)w->n, w->dilation);
  tn_onnx_set_ints(b, "padding", 2 * (size_t)w->n, w->pads);
}

const char *tn_onnx_numbered(tn_onnx_call *c, const char *stem, int32_t n, const char *end) {
  char name[64];
  (void)snprintf(name, sizeof name, "%s%d%s", stem, n < 1 || n > TN_ONNX_MAX_SPATIAL ? 1 : n, end);
  return tn_arena_strndup(c->imp->arena, name, strlen(name));
}
