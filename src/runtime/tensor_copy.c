/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Copies between tensors of any strides and devices: the longest common run of contiguous elements
 * is found from the inside out, and the outer positions are counted through. A device sees one copy
 * a run. */
#include <string.h>

#include "runtime/device.h"
#include "runtime/tensor.h"

typedef struct copier {
  const DLTensor *src;
  const DLTensor *dst;
  const tn_device_row *row; /* NULL: both on the cpu */
  int64_t src_strides[TN_MAX_NDIM];
  int64_t dst_strides[TN_MAX_NDIM];
  int32_t n_outer; /* dimensions that are counted through; the inner ones are one run */
  size_t run_bytes;
} copier;

static void find_run(copier *c) {
  int64_t run = 1;
  int32_t n_outer = c->src->ndim;
  tn_dl_strides(c->src, c->src_strides);
  tn_dl_strides(c->dst, c->dst_strides);
  while (n_outer > 0) {
    int32_t i = n_outer - 1;
    bool is_run = c->src->shape[i] == 1 || (c->src_strides[i] == run && c->dst_strides[i] == run);
    if (!is_run) {
      break;
    }
    run *= c->src->shape[i];
    --n_outer;
  }
  c->n_outer = n_outer;
  /* packed tensors are compact: all of them is one run */
  c->run_bytes = ((size_t)run * tn_dtype_mem_bits(tn_dl_dtype(c->src)) + 7) / 8;
}

static tn_status copy_run(const copier *c, int64_t src_elem, int64_t dst_elem) {
  int64_t elem_bytes = (int64_t)tn_dtype_bytes(tn_dl_dtype(c->src));
  const char *from = (const char *)c->src->data + src_elem * elem_bytes;
  char *to = (char *)c->dst->data + dst_elem * elem_bytes;
  if (c->row == NULL) {
    memmove(to, from, c->run_bytes);
    return NULL;
  }
  return c->row->ops.copy(c->row->ctx, to, c->dst->device, from, c->src->device, c->run_bytes);
}

static tn_status copy_all(const copier *c) {
  int64_t index[TN_MAX_NDIM] = {0};
  int64_t src_elem = 0;
  int64_t dst_elem = 0;
  while (true) {
    TN_TRY(copy_run(c, src_elem, dst_elem));
    int32_t i = c->n_outer - 1;
    for (; i >= 0; --i) {
      src_elem += c->src_strides[i];
      dst_elem += c->dst_strides[i];
      if (++index[i] < c->src->shape[i]) {
        break;
      }
      src_elem -= index[i] * c->src_strides[i];
      dst_elem -= index[i] * c->dst_strides[i];
      index[i] = 0;
    }
    if (i < 0) {
      return NULL;
    }
  }
}

static tn_status check_same(const tn_tensor *src, const tn_tensor *dst) {
  bool is_same = src->dl.ndim == dst->dl.ndim && tn_dl_dtype(&src->dl) == tn_dl_dtype(&dst->dl);
  for (int32_t i = 0; is_same && i < src->dl.ndim; ++i) {
    is_same = src->dl.shape[i] == dst->dl.shape[i];
  }
  if (!is_same) {
    char from[TN_DL_TEXT_BYTES];
    char to[TN_DL_TEXT_BYTES];
    tn_dl_print(&src->dl, from, sizeof from);
    tn_dl_print(&dst->dl, to, sizeof to);
    return TN_ERR(TN_INVALID, "copy from %s to %s: shapes and types must be the same", from, to);
  }
  if (dst->is_read_only) {
    return TN_ERR(TN_INVALID, "copy to a read-only tensor");
  }
  return NULL;
}

tn_status tn_tensor_copy_to(tn_tensor *src, tn_tensor *dst) {
  TN_TRY(check_same(src, dst));
  copier c = {.src = &src->dl, .dst = &dst->dl};
  bool is_src_cpu = tn_dl_is_cpu(c.src);
  bool is_dst_cpu = tn_dl_is_cpu(c.dst);
  if (!is_src_cpu && !is_dst_cpu && c.src->device.device_type != c.dst->device.device_type) {
    return TN_ERR(TN_UNSUPPORTED, "copy between DLPack device types %d and %d: go through the cpu",
                  c.src->device.device_type, c.dst->device.device_type);
  }
  if (!is_src_cpu) {
    TN_TRY(tn_runtime_device_row(src->rt, c.src->device, &c.row));
  } else if (!is_dst_cpu) {
    TN_TRY(tn_runtime_device_row(dst->rt, c.dst->device, &c.row));
  }
  if (tn_dl_n_elems(c.src) == 0) {
    return NULL;
  }
  find_run(&c);
  return copy_all(&c);
}

tn_status tn_tensor_copy(tn_runtime *rt, tn_tensor *src, DLDevice device, tn_tensor **out_tensor) {
  tn_tensor *copy = NULL;
  TN_TRY(tn_tensor_empty(rt, device, tn_dl_dtype(&src->dl), src->dl.ndim, src->dl.shape, &copy));
  tn_status st = tn_tensor_copy_to(src, copy);
  if (st != NULL) {
    tn_tensor_release(copy);
    return st;
  }
  *out_tensor = copy;
  return NULL;
}
