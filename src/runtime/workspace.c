/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The list of kept scratch blocks. Kernels ask for few and similar sizes, so a short first-fit list
 * is enough: a block serves a request when it is large enough and not more than twice too large. */
#include "runtime/workspace.h"

#include <stdint.h>

#include "runtime/mem.h"

struct tn_work_block {
  tn_work_block *next;
  size_t n_bytes; /* after this head, which takes TN_MEM_ALIGN_BYTES */
};

void tn_workspace_init(tn_workspace *workspace) {
  *workspace = (tn_workspace){0};
  pthread_mutex_init(&workspace->lock, NULL);
}

void tn_workspace_deinit(tn_workspace *workspace) {
  while (workspace->free_blocks != NULL) {
    tn_work_block *block = workspace->free_blocks;
    workspace->free_blocks = block->next;
    tn_mem_free(block);
  }
  pthread_mutex_destroy(&workspace->lock);
}

static tn_work_block *take_kept(tn_workspace *workspace, size_t n_bytes) {
  tn_work_block *found = NULL;
  pthread_mutex_lock(&workspace->lock);
  for (tn_work_block **at = &workspace->free_blocks; *at != NULL; at = &(*at)->next) {
    if ((*at)->n_bytes >= n_bytes && (*at)->n_bytes / 2 <= n_bytes) {
      found = *at;
      *at = found->next;
      workspace->kept_bytes -= found->n_bytes;
      break;
    }
  }
  pthread_mutex_unlock(&workspace->lock);
  return found;
}

void *tn_workspace_alloc(tn_workspace *workspace, size_t n_bytes) {
  if (n_bytes > PTRDIFF_MAX - 2 * TN_MEM_ALIGN_BYTES) {
    return NULL;
  }
  size_t rounded = (n_bytes / TN_MEM_ALIGN_BYTES + 1) * TN_MEM_ALIGN_BYTES;
  tn_work_block *block = take_kept(workspace, rounded);
  if (block == NULL) {
    block = tn_mem_alloc_aligned(rounded + TN_MEM_ALIGN_BYTES, TN_MEM_ALIGN_BYTES);
    if (block == NULL) {
      return NULL;
    }
    block->n_bytes = rounded;
  }
  return (char *)block + TN_MEM_ALIGN_BYTES;
}

void tn_workspace_free(tn_workspace *workspace, void *ptr) {
  if (ptr == NULL) {
    return;
  }
  tn_work_block *block = (tn_work_block *)(void *)((char *)ptr - TN_MEM_ALIGN_BYTES);
  pthread_mutex_lock(&workspace->lock);
  bool is_kept = workspace->kept_bytes + block->n_bytes <= TN_WORKSPACE_KEEP_BYTES;
  if (is_kept) {
    block->next = workspace->free_blocks;
    workspace->free_blocks = block;
    workspace->kept_bytes += block->n_bytes;
  }
  pthread_mutex_unlock(&workspace->lock);
  if (!is_kept) {
    tn_mem_free(block);
  }
}
