/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The runtime's one way to memory. Sizes come from users and files, so a failure is a NULL that the
 * caller turns into NO_MEMORY, never an abort. A test program may define tn_mem_should_fail to make
 * chosen allocations fail. */
#ifndef TN_RUNTIME_MEM_H
#define TN_RUNTIME_MEM_H

#include <stddef.h>

#include "base/status.h"

enum { TN_MEM_ALIGN_BYTES = 64 };

/// Zeroed memory, or NULL. n_bytes may be 0 (still a unique pointer).
void *tn_mem_alloc(size_t n_bytes);
/// Memory aligned to `align` (a power of two, >= 64), contents undefined, or NULL.
void *tn_mem_alloc_aligned(size_t n_bytes, size_t align);
/// Grows or shrinks memory of tn_mem_alloc; NULL leaves the old one as it was.
void *tn_mem_realloc(void *ptr, size_t n_bytes);
/// Frees what the functions above gave; NULL is fine.
void tn_mem_free(void *ptr);
/// A copy of `text` to free with tn_mem_free, or NULL.
char *tn_mem_strdup(const char *text);

/// NO_MEMORY, naming `what` and the size.
TN_MUST_USE tn_status tn_mem_error(const char *what, size_t n_bytes);

/// Not defined by the library: a test program that defines it is asked before every allocation, and
/// makes it fail by returning true.
bool tn_mem_should_fail(void);

#endif
