/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The calling convention of tvm-ffi, as far as exported kernels speak it: a value of 16 bytes, a
 * function from values to a value, and what such a library asks of the process that loads it.
 * Standalone. The facts are those of tvm-ffi 0.1; `tenon compile --export=tvm-ffi` writes libraries
 * with it.
 *
 *   int32_t __tvm_ffi_add(void *self, const tn_ffi_any *args, int32_t n, tn_ffi_any *result);
 *
 * 0: done, and *result holds the value; -1: an error was raised through tn_ffi_raise. */
#ifndef TN_ABI_TVM_FFI_H
#define TN_ABI_TVM_FFI_H

#include <stddef.h>
#include <stdint.h>

#include "dlpack.h"

/// What a tn_ffi_any holds; from 64 on a pointer to an object.
enum {
  TN_FFI_NONE = 0,
  TN_FFI_INT = 1,
  TN_FFI_BOOL = 2,
  TN_FFI_FLOAT = 3,
  TN_FFI_PTR = 4,
  TN_FFI_DTYPE = 5,
  TN_FFI_DEVICE = 6,
  TN_FFI_DLTENSOR = 7, ///< borrowed DLTensor *
  TN_FFI_CSTR = 8,     ///< borrowed, NUL-terminated
  TN_FFI_SMALL_STR = 11,
  TN_FFI_STR = 65,
  TN_FFI_TENSOR = 70
};

typedef struct tn_ffi_any {
  int32_t type_index;
  uint32_t n_bytes; ///< of a SMALL_STR; else 0
  union {
    int64_t i64; ///< INT; BOOL as 0 or 1
    double f64;
    void *ptr; ///< PTR, DLTENSOR, objects
    const char *cstr;
    char small[8]; ///< SMALL_STR, at most 7 bytes and a NUL
  } u;
} tn_ffi_any;

/// The head of every object. A TENSOR goes on with its DLTensor, a STR with a tn_ffi_bytes.
typedef struct tn_ffi_object {
  uint64_t counts;
  int32_t type_index;
  uint32_t reserved;
  void (*deleter)(void *self, int32_t flags);
} tn_ffi_object;
typedef struct tn_ffi_bytes {
  const char *data; ///< NUL-terminated in a STR
  size_t n_bytes;
} tn_ffi_bytes;

#endif
