/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors and the storages behind them, as the rest of the runtime sees them. A tensor is a
 * DLTensor with a counted owner of its memory: a storage of ours, a foreign DLPack tensor, a loaded
 * image, or nobody (borrowed memory). data points at the first element (byte_offset is 0), on every
 * device. */
#ifndef TN_RUNTIME_TENSOR_H
#define TN_RUNTIME_TENSOR_H

#include "base/array.h"
#include "base/dtype.h"
#include "runtime/object.h"

struct tn_storage {
  tn_object obj;
  void *data;
  size_t n_bytes;
  DLDevice device;
  tn_runtime *rt; /* retained; NULL on the cpu */
};

struct tn_tensor {
  tn_object obj;
  DLTensor dl;      /* shape and strides point into dims */
  tn_object *owner; /* retained; NULL: borrowed memory */
  tn_runtime *rt;   /* retained; NULL on the cpu */
  int32_t cap_ndim; /* what dims has room for */
  bool is_read_only;
  int64_t dims[]; /* cap_ndim extents, then cap_ndim strides */
};

/// `align` bytes alignment is TN_MEM_ALIGN_BYTES. rt may be NULL for the cpu.
TN_MUST_USE tn_status tn_storage_create(tn_runtime *rt, DLDevice device, size_t n_bytes,
                                        tn_storage **out_storage);

/// A tensor object without memory: room for ndim dimensions, everything else zero.
TN_MUST_USE tn_status tn_tensor_new_blank(int32_t ndim, tn_tensor **out_tensor);
/// Drops owner and context, for reuse of the object.
void tn_tensor_clear(tn_tensor *tensor);
/// Fills a blank tensor as a compact view at byte `offset` of `storage`, which is retained. dtype:
/// checked by the caller. Errors: INVALID for a negative extent or a view outside the storage.
TN_MUST_USE tn_status tn_tensor_set_in_storage(tn_tensor *tensor, tn_storage *storage,
                                               int64_t offset, tn_dtype dtype, int32_t ndim,
                                               const int64_t *shape);
/// Fills a blank tensor as a view of borrowed memory, after checking `dl`. rt: for tensors of other
/// devices; or NULL.
TN_MUST_USE tn_status tn_tensor_set_borrowed(tn_tensor *tensor, tn_runtime *rt, const DLTensor *dl);

/// INVALID or UNSUPPORTED unless Tenon has such elements: whole bytes, one or more lanes.
TN_MUST_USE tn_status tn_dtype_check(tn_dtype dtype);
DLDataType tn_dtype_to_dl(tn_dtype dtype);
/// In elements; the compact ones where `dl` names none. out_strides: room for dl->ndim.
void tn_dl_strides(const DLTensor *dl, int64_t *out_strides);
/// True when the elements lie without gaps in row-major order.
bool tn_dl_is_compact(const DLTensor *dl);
/// Appends "Tensor((2, 3), float32)".
void tn_dl_print(const DLTensor *dl, char *out, size_t n_bytes);
enum { TN_DL_TEXT_BYTES = 256 };

static inline bool tn_dl_is_cpu(const DLTensor *dl) { return dl->device.device_type == kDLCPU; }

#endif
