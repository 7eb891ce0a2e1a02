/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Other runtimes that a model is measured beside, found when the command runs: one row each of the
 * table in peer.c. What is missing is named, and the others go on. */
#ifndef TN_TOOLS_PEER_H
#define TN_TOOLS_PEER_H

#include "tenon/compiler.h"

enum { PEER_VERSION_BYTES = 64 };

/// What a peer is asked to open: a model, and the arguments that every call has. Borrowed.
typedef struct peer_job {
  const char *path;
  int32_t n_threads;
  const tn_arg *args;
  int32_t n_args;
} peer_job;

typedef struct peer_kind {
  const char *name; ///< what --vs takes
  /// Looks for the runtime. out_version [PEER_VERSION_BYTES] lives as long as the library; some write
  /// it when a model is opened. Errors: NOT_FOUND, saying where it was looked for and what would help.
  tn_status (*find)(const char *name, void **out_lib, char *out_version);
  /// out_model: closed by `close`. Errors: what the runtime says of the model.
  tn_status (*open)(void *lib, const peer_job *job, void **out_model);
  /// One call. model: from open.
  tn_status (*run)(void *model);
  /// What the last call gave: a tensor, or a tuple of them. The caller releases it.
  tn_status (*result)(void *model, tn_arg *out_ret);
  void (*close)(void *model);
  void (*forget)(void *lib);
} peer_kind;

/// A row by name, NULL when no peer is called so.
const peer_kind *peer_find_kind(const char *name);

extern const peer_kind peer_ort;
extern const peer_kind peer_openblas;
extern const peer_kind peer_onednn;
extern const peer_kind peer_openvino;
extern const peer_kind peer_pytorch;
extern const peer_kind peer_tvm;

#endif
