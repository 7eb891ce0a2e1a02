/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Scratch memory for kernels: blocks are kept when freed, so that code that runs again allocates
 * nothing. Any number of threads may allocate at once. */
#ifndef TN_RUNTIME_WORKSPACE_H
#define TN_RUNTIME_WORKSPACE_H

#include <pthread.h>
#include <stddef.h>

typedef struct tn_work_block tn_work_block;

typedef struct tn_workspace {
  pthread_mutex_t lock;
  tn_work_block *free_blocks; /* newest first */
  size_t kept_bytes;
} tn_workspace;

/// Past this much, freed blocks go back to the system.
#define TN_WORKSPACE_KEEP_BYTES ((size_t)1 << 28)

void tn_workspace_init(tn_workspace *workspace);
void tn_workspace_deinit(tn_workspace *workspace);
/// Aligned to 64 bytes, contents undefined; NULL when it cannot be had.
void *tn_workspace_alloc(tn_workspace *workspace, size_t n_bytes);
void tn_workspace_free(tn_workspace *workspace, void *ptr);

#endif
