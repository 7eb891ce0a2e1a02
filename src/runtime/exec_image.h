/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lays out an executable image (abi/exec.h) from its sections, and computes its checksum. The
 * compiler writes images with it, the loader checks them with it, tests assemble them by hand with
 * it.
 *
 *   tn_image_section sections[] = {{TN_EXEC_STRINGS, strings.data, strings.len},
 *                                  {TN_EXEC_FUNCS, funcs, n_funcs_bytes}};
 *   tn_image_spec spec = {.arch = TN_EXEC_ARCH_X86_64, .sections = sections, .n_sections = 2};
 *   TN_TRY(tn_image_build(&spec, &image));
 *   ... image.bytes, image.n_bytes ...
 *   tn_image_deinit(&image); */
#ifndef TN_RUNTIME_EXEC_IMAGE_H
#define TN_RUNTIME_EXEC_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "abi/exec.h"
#include "abi/exec_layout.h"
#include "base/buf.h"
#include "base/status.h"

/// One section's content; borrowed.
typedef struct tn_image_section {
  uint32_t kind; /* tn_exec_section_kind */
  const void *bytes;
  size_t n_bytes;
} tn_image_section;

/// What an image is made of. Sections may be left out when empty, and come in any order.
typedef struct tn_image_spec {
  uint32_t arch;         /* ELF machine of the kernels; 0: no kernels */
  uint32_t cpu_features; /* string offset */
  uint32_t producer;     /* string offset */
  int32_t n_sections;
  const tn_image_section *sections;
} tn_image_spec;

/// A finished image; `bytes` is owned and aligned to TN_IMAGE_PAGE_BYTES.
typedef struct tn_image {
  uint8_t *bytes;
  size_t n_bytes;
} tn_image;

/// Lays the sections out with padding, fills the header and the checksum. Errors: INVALID for a
/// section that is given twice, has no known kind or for a STRINGS section that does not start and
/// end with a NUL; NO_MEMORY.
TN_MUST_USE tn_status tn_image_build(const tn_image_spec *spec, tn_image *out_image);
void tn_image_deinit(tn_image *image);

/// Adds `text` with its NUL to a string table, which it starts with one NUL, and returns its
/// offset; "" and NULL are 0. Does not look for an equal text stored before.
uint32_t tn_image_add_string(tn_buf *strings, const char *text);

#endif
