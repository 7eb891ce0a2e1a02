/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Allocation for runtime objects and tensors; see mem.h. All of it goes through malloc's family, so
 * that sanitizers and heap tools see every block. */
#include "runtime/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Weak: NULL unless a test program defines it. So fault injection needs no global state here. */
#pragma weak tn_mem_should_fail

static bool must_fail(void) { return tn_mem_should_fail != NULL && tn_mem_should_fail(); }

void *tn_mem_alloc(size_t n_bytes) {
  if (must_fail()) {
    return NULL;
  }
  return calloc(1, n_bytes == 0 ? 1 : n_bytes);
}

void *tn_mem_alloc_aligned(size_t n_bytes, size_t align) {
  if (must_fail() || n_bytes > PTRDIFF_MAX - align) {
    return NULL;
  }
  /* aligned_alloc wants a multiple of the alignment; at least one unit, so that empty tensors have
   * an address. */
  size_t rounded = (n_bytes + align - 1) / align * align;
  return aligned_alloc(align, rounded == 0 ? align : rounded);
}

void *tn_mem_realloc(void *ptr, size_t n_bytes) {
  if (must_fail()) {
    return NULL;
  }
  return realloc(ptr, n_bytes == 0 ? 1 : n_bytes);
}

void tn_mem_free(void *ptr) { free(ptr); }

char *tn_mem_strdup(const char *text) {
  size_t n_bytes = strlen(text) + 1;
  char *copy = tn_mem_alloc(n_bytes);
  if (copy != NULL) {
    memcpy(copy, text, n_bytes);
  }
  return copy;
}

tn_status tn_mem_error(const char *what, size_t n_bytes) {
  return TN_ERR(TN_NO_MEMORY, "no memory for %s (%zu bytes)", what, n_bytes);
}
