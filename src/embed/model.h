/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the C functions of `tenon compile --header` call (codegen/llvm/model.c emits the calls).
 * Each entry of the model is one tn_embed_entry: generated code tells how much memory it takes for
 * given sizes, and calls its kernels in order; everything around that is in embed/model.c. */
#ifndef TN_EMBED_MODEL_H
#define TN_EMBED_MODEL_H

#include <stddef.h>

#include "abi/kernel.h"

/// What the C functions return; the header that is written names them.
enum {
  TN_MODEL_OK = 0,
  TN_MODEL_BAD_SIZE = 1,        ///< negative, or the memory for it cannot be counted
  TN_MODEL_NO_POINTER = 2,      ///< NULL where a tensor has elements
  TN_MODEL_SMALL_WORKSPACE = 3, ///< NULL, or fewer bytes than asked for
  TN_MODEL_NO_MEMORY = 4,
  TN_MODEL_REFUSED = 5,  ///< a check inside of the model
  TN_MODEL_OTHER_CPU = 6 ///< this machine lacks what the code needs
};

/// Bytes that an entry takes for given sizes, each a multiple of 64.
typedef struct tn_embed_bytes {
  int64_t storage;        ///< what lies between kernels
  int64_t scratch;        ///< of a kernel outside of parallel loops
  int64_t thread_scratch; ///< of each thread inside of one
} tn_embed_bytes;

typedef struct tn_embed_entry {
  int32_t n_sizes;
  /// 0, or TN_MODEL_BAD_SIZE.
  int32_t (*plan)(const int64_t *sizes, tn_embed_bytes *out);
  /// 0, a TN_MODEL_* of the generated code below 0 (negated), or what a kernel returned. args: the
  /// inputs, then the outputs. storage: aligned to 64.
  int32_t (*run)(const tn_env *env, const int64_t *sizes, void *const *args, char *storage);
} tn_embed_entry;

/// Threads that share the parallel loops of calls, and the text of the last refusal.
typedef struct tn_embed_model tn_embed_model;

/// Starts n_threads - 1 threads; n_threads is brought into [1, 1024]. needs: CPU features of the
/// code, "avx2,fma".
int32_t tn_embed_init(const char *needs, int32_t n_threads, tn_embed_model **out_model);
void tn_embed_free(tn_embed_model *model);
/// "" before the first refusal, and for NULL.
const char *tn_embed_error(const tn_embed_model *model);
/// The bytes of a workspace; -1 for sizes that are none. model may be NULL: one thread.
int64_t tn_embed_workspace_bytes(const tn_embed_entry *entry, const tn_embed_model *model,
                                 const int64_t *sizes);
/// Runs an entry. workspace: any alignment.
int32_t tn_embed_run(const tn_embed_entry *entry, tn_embed_model *model, const int64_t *sizes,
                     void *const *args, void *workspace, size_t n_bytes);

#endif
