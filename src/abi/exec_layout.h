/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Where the bytes of an executable image (abi/exec.h) lie, and its checksum: the one place that
 * knows, for the compiler that writes images and the runtime that loads them. libc only. */
#ifndef TN_ABI_EXEC_LAYOUT_H
#define TN_ABI_EXEC_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "exec.h"

enum { TN_IMAGE_ALIGN_BYTES = 64, TN_IMAGE_PAGE_BYTES = 4096 };

/// Fills in the offset of each row (kind and n_bytes are given) and returns the size of the whole
/// image. Header, rows and sections lie in this order; what is between them is zero.
uint64_t tn_exec_layout(tn_exec_section *rows, uint32_t n_rows);

/// The checksum of a whole image, its `checksum` field left out. n_bytes >= sizeof(tn_exec_header).
/// Part of format version 1: it may change only with the version.
uint64_t tn_exec_checksum(const void *image, size_t n_bytes);

#endif
