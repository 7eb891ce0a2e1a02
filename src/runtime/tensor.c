/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Storages and tensors: making, viewing, releasing. Sizes come from users and files: every product
 * is checked. Copying is in tensor_copy.c, exchange with other libraries in tensor_dlpack.c. */
#include "runtime/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "runtime/device.h"
#include "runtime/mem.h"

/* ---- storages ---- */

static void destroy_storage(tn_object *obj) {
  tn_storage *storage = (tn_storage *)obj;
  const tn_device_row *row = NULL;
  tn_status st = tn_runtime_device_row(storage->rt, storage->device, &row);
  TN_CHECK(st == NULL, "the device of a storage is gone"); /* rows are never removed */
  row->ops.free(row->ctx, storage->device.device_id, storage->data);
  tn_runtime_release(storage->rt);
  tn_mem_free(storage);
}

static const tn_object_type storage_type = {destroy_storage, "storage"};

tn_status tn_storage_create(tn_runtime *rt, DLDevice device, size_t n_bytes,
                            tn_storage **out_storage) {
  const tn_device_row *row = NULL;
  TN_TRY(tn_runtime_device_row(rt, device, &row));
  tn_storage *storage = tn_mem_alloc(sizeof *storage);
  if (storage == NULL) {
    return tn_mem_error("a storage", sizeof *storage);
  }
  tn_status st =
      row->ops.alloc(row->ctx, device.device_id, n_bytes, TN_MEM_ALIGN_BYTES, &storage->data);
  if (st != NULL) {
    tn_mem_free(storage);
    return st;
  }
  tn_object_init(&storage->obj, &storage_type);
  storage->n_bytes = n_bytes;
  storage->device = device;
  storage->rt = device.device_type == kDLCPU ? NULL : rt;
  tn_runtime_retain(storage->rt);
  *out_storage = storage;
  return NULL;
}

/* ---- tensors ---- */

static void destroy_tensor(tn_object *obj) {
  tn_tensor *tensor = (tn_tensor *)obj;
  tn_tensor_clear(tensor);
  tn_mem_free(tensor);
}

static const tn_object_type tensor_type = {destroy_tensor, "tensor"};

tn_status tn_tensor_new_blank(int32_t ndim, tn_tensor **out_tensor) {
  if (ndim < 0 || ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "a tensor of %d dimensions; at most %d are supported", ndim,
                  (int)TN_MAX_NDIM);
  }
  size_t n_bytes = sizeof(tn_tensor) + 2 * sizeof(int64_t) * (size_t)ndim;
  tn_tensor *tensor = tn_mem_alloc(n_bytes);
  if (tensor == NULL) {
    return tn_mem_error("a tensor object", n_bytes);
  }
  tn_object_init(&tensor->obj, &tensor_type);
  tensor->cap_ndim = ndim;
  tensor->dl.shape = tensor->dims;
  *out_tensor = tensor;
  return NULL;
}

void tn_tensor_clear(tn_tensor *tensor) {
  tn_object_release(tensor->owner);
  tensor->owner = NULL;
  if (tensor->rt != NULL) {
    tn_runtime_release(tensor->rt);
    tensor->rt = NULL;
  }
}

tn_dtype tn_dl_dtype(const DLTensor *dl) {
  return dl->dtype.code | (tn_dtype)dl->dtype.bits << 8 | (tn_dtype)dl->dtype.lanes << 16;
}

DLDataType tn_dtype_to_dl(tn_dtype dtype) {
  return (DLDataType){(uint8_t)tn_dtype_code(dtype), (uint8_t)tn_dtype_bits(dtype),
                      (uint16_t)tn_dtype_lanes(dtype)};
}

tn_status tn_dtype_check(tn_dtype dtype) {
  uint32_t code = tn_dtype_code(dtype);
  uint32_t bits = tn_dtype_bits(dtype);
  bool is_small = tn_small_float_find(dtype) != NULL ||
                  (tn_dtype_is_packed(dtype) && (code == TN_TC_INT || code == TN_TC_UINT));
  if (is_small && tn_dtype_lanes(dtype) != 0) {
    return NULL;
  }
  bool is_known_code = code <= TN_TC_BFLOAT || code == TN_TC_BOOL;
  if (!is_known_code) {
    return TN_ERR(TN_UNSUPPORTED, "element type code %u", code);
  }
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return TN_ERR(TN_UNSUPPORTED, "elements of %u bits", bits);
  }
  if (tn_dtype_lanes(dtype) == 0) {
    return TN_ERR(TN_INVALID, "an element type without lanes");
  }
  return NULL;
}

/* Bytes of a compact tensor, after all checks. */
static tn_status compact_bytes(tn_dtype dtype, int32_t ndim, const int64_t *shape,
                               size_t *out_bytes) {
  if (ndim < 0 || ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "a tensor of %d dimensions; at most %d are supported", ndim,
                  (int)TN_MAX_NDIM);
  }
  TN_TRY(tn_dtype_check(dtype));
  for (int32_t i = 0; i < ndim; ++i) {
    if (shape[i] < 0) {
      return TN_ERR(TN_INVALID, "extent %d of a tensor is %lld", i, (long long)shape[i]);
    }
  }
  if (!tn_shape_bytes(ndim, shape, dtype, out_bytes)) {
    return TN_ERR(TN_NO_MEMORY, "a tensor larger than the address space");
  }
  return NULL;
}

/* On the path of every call_tir: one pass over the extents, and no more than the fields that
 * change. */
tn_status tn_tensor_set_in_storage(tn_tensor *tensor, tn_storage *storage, int64_t offset,
                                   tn_dtype dtype, int32_t ndim, const int64_t *shape) {
  TN_ASSERT(ndim <= tensor->cap_ndim, "a tensor object with room for %d dimensions",
            tensor->cap_ndim);
  bool is_packed = tn_dtype_is_packed(dtype);
  int64_t n_bytes = is_packed ? tn_dtype_lanes(dtype) : (int64_t)tn_dtype_bytes(dtype);
  bool is_wrapped = false;
  bool is_negative = false;
  for (int32_t i = 0; i < ndim; ++i) {
    is_negative |= shape[i] < 0;
    is_wrapped |= __builtin_mul_overflow(n_bytes, shape[i], &n_bytes);
    tensor->dims[i] = shape[i];
  }
  size_t n_wanted = is_packed ? ((size_t)n_bytes + 1) / 2 : (size_t)n_bytes;
  if (is_negative || is_wrapped) {
    TN_TRY(compact_bytes(dtype, ndim, shape, &n_wanted)); /* says what is wrong */
  }
  if (offset < 0 || (size_t)offset > storage->n_bytes ||
      n_wanted > storage->n_bytes - (size_t)offset) {
    return TN_ERR(TN_INVALID,
                  "a tensor of %zu bytes at offset %lld leaves its storage of %zu bytes", n_wanted,
                  (long long)offset, storage->n_bytes);
  }
  tensor->dl.data = (char *)storage->data + offset;
  tensor->dl.device = storage->device;
  tensor->dl.ndim = ndim;
  tensor->dl.dtype = tn_dtype_to_dl(dtype);
  tensor->dl.shape = tensor->dims;
  tensor->dl.strides = NULL;
  tensor->dl.byte_offset = 0;
  tensor->is_read_only = false;
  tensor->owner = &storage->obj;
  tn_object_retain(&storage->obj);
  if (storage->rt != NULL) {
    tensor->rt = storage->rt;
    tn_runtime_retain(tensor->rt);
  }
  return NULL;
}

tn_status tn_tensor_empty(tn_runtime *rt, DLDevice device, tn_dtype dtype, int32_t ndim,
                          const int64_t *shape, tn_tensor **out_tensor) {
  tn_status st = NULL;
  tn_tensor *tensor = NULL;
  tn_storage *storage = NULL;
  size_t n_bytes = 0;
  TN_GOTO(st, compact_bytes(dtype, ndim, shape, &n_bytes), done);
  TN_GOTO(st, tn_tensor_new_blank(ndim, &tensor), done);
  TN_GOTO(st, tn_storage_create(rt, device, n_bytes, &storage), done);
  TN_GOTO(st, tn_tensor_set_in_storage(tensor, storage, 0, dtype, ndim, shape), done);
  *out_tensor = tensor;
  tensor = NULL;
done:
  if (storage != NULL) {
    tn_object_release(&storage->obj);
  }
  tn_tensor_release(tensor);
  return st;
}

tn_status tn_tensor_create(tn_dtype dtype, int32_t ndim, const int64_t *shape, const void *data,
                           tn_tensor **out_tensor) {
  tn_tensor *tensor = NULL;
  size_t n_bytes = 0;
  TN_TRY(compact_bytes(dtype, ndim, shape, &n_bytes));
  TN_TRY(tn_tensor_empty(NULL, (DLDevice){kDLCPU, 0}, dtype, ndim, shape, &tensor));
  if (data == NULL) {
    memset(tensor->dl.data, 0, n_bytes);
  } else if (n_bytes > 0) {
    memcpy(tensor->dl.data, data, n_bytes);
  }
  *out_tensor = tensor;
  return NULL;
}

/* The bytes that a tensor reaches, relative to its first element: [*out_lo, *out_hi). Empty tensors
 * reach none. */
static tn_status byte_span(int32_t ndim, const int64_t *shape, const int64_t *strides,
                           tn_dtype dtype, int64_t *out_lo, int64_t *out_hi) {
  int64_t lo = 0;
  int64_t hi = 1;
  int64_t compact = 1;
  bool is_empty = false;
  for (int32_t i = 0; i < ndim; ++i) {
    is_empty |= shape[i] == 0;
  }
  if (is_empty) { /* whatever the other extents are */
    *out_lo = 0;
    *out_hi = 0;
    return NULL;
  }
  for (int32_t i = ndim - 1; i >= 0; --i) {
    int64_t reach = 0;
    int64_t stride = strides == NULL ? compact : strides[i];
    bool is_wrapped = shape[i] > 1 && __builtin_mul_overflow(shape[i] - 1, stride, &reach);
    is_wrapped |= __builtin_add_overflow(reach < 0 ? lo : hi, reach, reach < 0 ? &lo : &hi);
    is_wrapped |= strides == NULL && __builtin_mul_overflow(compact, shape[i], &compact);
    if (is_wrapped) {
      return TN_ERR(TN_INVALID, "the strides of a tensor overflow");
    }
  }
  if (tn_dtype_is_packed(dtype)) { /* compact, as all packed tensors are */
    *out_lo = 0;
    *out_hi = (hi * (int64_t)tn_dtype_lanes(dtype) + 1) / 2;
    return NULL;
  }
  int64_t elem = (int64_t)tn_dtype_bytes(dtype);
  if (__builtin_mul_overflow(lo, elem, out_lo) || __builtin_mul_overflow(hi, elem, out_hi)) {
    return TN_ERR(TN_INVALID, "the strides of a tensor overflow");
  }
  return NULL;
}

static bool strides_are_compact(int32_t ndim, const int64_t *shape, const int64_t *strides) {
  int64_t want = 1;
  bool is_compact = true;
  for (int32_t i = ndim - 1; strides != NULL && i >= 0; --i) {
    if (shape[i] == 0) {
      return true;
    }
    is_compact = is_compact && (shape[i] == 1 || strides[i] == want);
    (void)__builtin_mul_overflow(want, shape[i], &want); /* only beside an extent of 0 */
  }
  return is_compact;
}

/* Two elements in a byte have no address of their own: packed tensors are compact. */
static tn_status check_packed(int32_t ndim, const int64_t *shape, const int64_t *strides,
                              tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (tn_dtype_is_packed(dtype) && !strides_are_compact(ndim, shape, strides)) {
    return TN_ERR(TN_UNSUPPORTED, "a tensor of %s, two elements to a byte, with gaps or strides",
                  tn_dtype_print(dtype, text));
  }
  return NULL;
}

/* Sets shape and strides; compact strides become NULL. */
static void set_dims(tn_tensor *tensor, int32_t ndim, const int64_t *shape,
                     const int64_t *strides) {
  tensor->dl.ndim = ndim;
  tensor->dl.shape = tensor->dims;
  tensor->dl.strides = NULL;
  for (int32_t i = 0; i < ndim; ++i) {
    tensor->dims[i] = shape[i];
  }
  if (strides == NULL) {
    return;
  }
  for (int32_t i = 0; i < ndim; ++i) {
    tensor->dims[tensor->cap_ndim + i] = strides[i];
  }
  tensor->dl.strides = tensor->dims + tensor->cap_ndim;
  if (tn_dl_is_compact(&tensor->dl)) {
    tensor->dl.strides = NULL;
  }
}

tn_status tn_tensor_set_borrowed(tn_tensor *tensor, tn_runtime *rt, const DLTensor *dl) {
  size_t n_bytes = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  tn_dtype dtype = tn_dl_dtype(dl);
  if (dl->ndim > 0 && dl->shape == NULL) {
    return TN_ERR(TN_INVALID, "a tensor of %d dimensions without a shape", dl->ndim);
  }
  TN_TRY(compact_bytes(dtype, dl->ndim, dl->shape, &n_bytes));
  TN_TRY(check_packed(dl->ndim, dl->shape, dl->strides, dtype));
  TN_TRY(byte_span(dl->ndim, dl->shape, dl->strides, dtype, &lo, &hi));
  if (dl->data == NULL && n_bytes > 0) {
    return TN_ERR(TN_INVALID, "a tensor of %zu bytes without data", n_bytes);
  }
  tensor->dl = (DLTensor){
      .data = dl->data == NULL ? NULL : (char *)dl->data + dl->byte_offset,
      .device = dl->device,
      .dtype = dl->dtype,
  };
  set_dims(tensor, dl->ndim, dl->shape, dl->strides);
  tensor->is_read_only = false;
  tensor->owner = NULL;
  tensor->rt = tn_dl_is_cpu(dl) ? NULL : rt;
  tn_runtime_retain(tensor->rt);
  return NULL;
}

tn_status tn_tensor_from_dl(const DLTensor *dl, tn_tensor **out_tensor) {
  tn_tensor *tensor = NULL;
  TN_TRY(tn_tensor_new_blank(dl->ndim, &tensor));
  tn_status st = tn_tensor_set_borrowed(tensor, NULL, dl);
  if (st != NULL) {
    tn_tensor_release(tensor);
    return st;
  }
  *out_tensor = tensor;
  return NULL;
}

tn_status tn_tensor_view(tn_tensor *tensor, tn_dtype dtype, int32_t ndim, const int64_t *shape,
                         const int64_t *strides, int64_t byte_offset, tn_tensor **out_view) {
  size_t n_bytes = 0;
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t own_lo = 0;
  int64_t own_hi = 0;
  const DLTensor *dl = &tensor->dl;
  TN_TRY(compact_bytes(dtype, ndim, shape, &n_bytes));
  TN_TRY(check_packed(ndim, shape, strides, dtype));
  TN_TRY(byte_span(ndim, shape, strides, dtype, &lo, &hi));
  TN_TRY(byte_span(dl->ndim, dl->shape, dl->strides, tn_dl_dtype(dl), &own_lo, &own_hi));
  bool is_wrapped =
      __builtin_add_overflow(lo, byte_offset, &lo) || __builtin_add_overflow(hi, byte_offset, &hi);
  if (is_wrapped || lo < own_lo || hi > own_hi) {
    return TN_ERR(TN_INVALID,
                  "a view of bytes [%lld, %lld) leaves its tensor, which has bytes [%lld, %lld)",
                  (long long)lo, (long long)hi, (long long)own_lo, (long long)own_hi);
  }
  tn_tensor *view = NULL;
  TN_TRY(tn_tensor_new_blank(ndim, &view));
  view->dl = (DLTensor){
      .data = dl->data == NULL ? NULL : (char *)dl->data + byte_offset,
      .device = dl->device,
      .dtype = tn_dtype_to_dl(dtype),
  };
  set_dims(view, ndim, shape, strides);
  view->is_read_only = tensor->is_read_only;
  /* A view of borrowed memory keeps nothing alive, as its tensor does not. */
  view->owner = tensor->owner;
  tn_object_retain(view->owner);
  view->rt = tensor->rt;
  tn_runtime_retain(view->rt);
  *out_view = view;
  return NULL;
}

const DLTensor *tn_tensor_dl(const tn_tensor *tensor) { return &tensor->dl; }

void *tn_tensor_data(const tn_tensor *tensor) { return tensor->dl.data; }

double tn_tensor_get_f64(const tn_tensor *tensor, int64_t i) {
  tn_array view = {.data = tensor->dl.data, .dtype = tn_dl_dtype(&tensor->dl), .is_view = true};
  return tn_array_get_f64(&view, i);
}

bool tn_tensor_is_read_only(const tn_tensor *tensor) { return tensor->is_read_only; }

void tn_tensor_retain(tn_tensor *tensor) {
  if (tensor != NULL) {
    tn_object_retain(&tensor->obj);
  }
}

void tn_tensor_release(tn_tensor *tensor) {
  if (tensor != NULL) {
    tn_object_release(&tensor->obj);
  }
}

/* ---- questions about DLTensors ---- */

int64_t tn_dl_n_elems(const DLTensor *dl) {
  int64_t n = 1;
  bool is_empty = false;
  for (int32_t i = 0; i < dl->ndim; ++i) {
    is_empty |= dl->shape[i] == 0;
    (void)__builtin_mul_overflow(n, dl->shape[i], &n); /* only beside an extent of 0 */
  }
  return is_empty ? 0 : n;
}

void tn_dl_strides(const DLTensor *dl, int64_t *out_strides) {
  int64_t compact = 1;
  for (int32_t i = dl->ndim - 1; i >= 0; --i) {
    out_strides[i] = dl->strides == NULL ? compact : dl->strides[i];
    (void)__builtin_mul_overflow(compact, dl->shape[i], &compact); /* as above */
  }
}

bool tn_dl_is_compact(const DLTensor *dl) {
  return strides_are_compact(dl->ndim, dl->shape, dl->strides);
}

void tn_dl_print(const DLTensor *dl, char *out, size_t n_bytes) {
  char name[TN_DTYPE_TEXT_BYTES];
  int len = snprintf(out, n_bytes, "Tensor((");
  for (int32_t i = 0; i < dl->ndim && len >= 0 && (size_t)len < n_bytes; ++i) {
    len += snprintf(out + len, n_bytes - (size_t)len, i == 0 ? "%lld" : ", %lld",
                    (long long)dl->shape[i]);
  }
  if (len >= 0 && (size_t)len < n_bytes) {
    snprintf(out + len, n_bytes - (size_t)len, dl->ndim == 1 ? ",), %s)" : "), %s)",
             tn_dtype_print(tn_dl_dtype(dl), name));
  }
}
