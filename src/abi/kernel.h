/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The convention between compiled kernels and whoever calls them. Standalone: embedded by the
 * compiler, the runtime and plain C hosts; versioned like a file format. A kernel imports no symbol
 * but what T.call_extern names: everything it needs comes through tn_env.
 *
 *   int32_t add(const tn_env *env, const tn_arg *args, int32_t n_args);   // 0, or a tn_kernel_code
 *
 * The exported symbol of function f is "f" itself. It checks its arguments (count, kind, dtype,
 * rank, shape, strides, alignment, device) before it touches them; a refusal goes through
 * env->fail, which keeps the first one. */
#ifndef TN_ABI_KERNEL_H
#define TN_ABI_KERNEL_H

#include <stdint.h>

#include "dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_KERNEL_ABI_VERSION = 1 };

/// What a tn_arg holds. Kinds from 64 on are objects of the runtime (tenon/runtime.h) and never
/// reach a kernel.
enum {
  TN_ARG_NONE = 0,
  TN_ARG_INT = 1,    ///< u.i64; also bool and handles' integers
  TN_ARG_FLOAT = 2,  ///< u.f64
  TN_ARG_PTR = 3,    ///< u.ptr: a raw address (T.handle without a buffer)
  TN_ARG_TENSOR = 4, ///< u.tensor: borrowed for the call
  TN_ARG_STR = 5     ///< u.str: NUL-terminated UTF-8, borrowed for the call
};

/// One argument or result, 16 bytes.
typedef struct tn_arg {
  int32_t kind;
  int32_t reserved; /* 0 */
  union {
    int64_t i64;
    double f64;
    void *ptr;
    const DLTensor *tensor;
    const char *str;
  } u;
} tn_arg;

/// Why a kernel stopped. The text handed to env->fail is a sentence with the place: "B.shape[0] of
/// argument 1 (f)".
typedef enum tn_kernel_code {
  TN_KERR_NONE = 0,
  TN_KERR_N_ARGS = 1,     ///< expected, got: number of arguments
  TN_KERR_KIND = 2,       ///< expected, got: TN_ARG_*
  TN_KERR_NULL = 3,       ///< data pointer is NULL and the tensor is not empty
  TN_KERR_NDIM = 4,       ///< expected, got: number of dimensions
  TN_KERR_DTYPE = 5,      ///< expected, got: packed types (tenon/dtype.h)
  TN_KERR_SHAPE = 6,      ///< expected, got: extents
  TN_KERR_STRIDE = 7,     ///< expected, got: strides in elements
  TN_KERR_OFFSET = 8,     ///< expected, got: byte_offset or elem_offset
  TN_KERR_ALIGN = 9,      ///< expected alignment in bytes, got: address modulo that
  TN_KERR_DEVICE = 10,    ///< expected, got: DLPack device types
  TN_KERR_ASSERT = 11,    ///< a T.assert of the program; the text is its message
  TN_KERR_WORKSPACE = 12, ///< got: bytes that could not be had
  TN_KERR_PACKED = 13,    ///< a call by name failed; the text is the name
  TN_KERR_VALUE = 14      ///< expected: packed integer type, got: a number that it does not hold
} tn_kernel_code;

typedef struct tn_env tn_env;

/// A piece of a parallel loop: iterations [begin, end). Returns 0 or a tn_kernel_code.
typedef int32_t (*tn_par_body)(const tn_env *env, int64_t begin, int64_t end, void *closure);

/// What a kernel may ask of its host. Lives as long as the call; the same env may be used by many
/// threads.
struct tn_env {
  uint32_t abi_version; /* TN_KERNEL_ABI_VERSION */
  uint32_t
      struct_bytes; /* sizeof(tn_env) of the host; a kernel may use fields below that size only */
  void *host;       /* the host's own; kernels never look */

  /// Runs body over [0, n) in pieces, maybe in parallel, and returns when all are done: 0 or the
  /// first error. Nested calls run serially.
  int32_t (*parallel_for)(const tn_env *env, tn_par_body body, void *closure, int64_t n);

  /// Scratch memory for the call, aligned to 64 bytes; NULL when it cannot be had. Freed in reverse
  /// order.
  void *(*workspace_alloc)(const tn_env *env, int64_t n_bytes);
  void (*workspace_free)(const tn_env *env, void *ptr);

  /// Calls a function registered by name. out_ret may be NULL. 0, or TN_KERR_PACKED after recording
  /// why.
  int32_t (*call_packed)(const tn_env *env, const char *name, const tn_arg *args, int32_t n_args,
                         tn_arg *out_ret);

  /// Records an error (the first one of a call wins) and returns `code`. text: static storage.
  int32_t (*fail)(const tn_env *env, int32_t code, const char *text, int64_t expected, int64_t got);
};

/// A compiled kernel. One with a result of its own (T.ret) takes one argument more than it has
/// parameters and stores an INT or FLOAT there.
typedef int32_t (*tn_kernel_fn)(const tn_env *env, const tn_arg *args, int32_t n_args);

#ifdef __cplusplus
}
#endif
#endif
