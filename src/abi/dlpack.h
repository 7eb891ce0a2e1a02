/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The DLPack structures (version 1.1 of the exchange standard), declared from its published layout,
 * so that tensors of other libraries pass in and out without a copy. Field names follow the
 * standard. Standalone: stdint only. */
#ifndef TN_ABI_DLPACK_H
#define TN_ABI_DLPACK_H

#include <stdint.h>

/* A program that also includes the standard's own header keeps that one. */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLExtDev = 12 } DLDeviceType;

typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 6 bool, 7..17 small floats */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;     /* in elements; NULL: compact, row-major */
  uint64_t byte_offset; /* from data to the first element */
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1ULL << 0)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1ULL << 1)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1ULL << 2)

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif
#endif
