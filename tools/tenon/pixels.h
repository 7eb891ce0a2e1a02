/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Rows of bytes: reading picture files, resizing, cutting. */
#ifndef TN_TOOLS_PIXELS_H
#define TN_TOOLS_PIXELS_H

#include <stdint.h>

#include "tenon/status.h"

/// height x width pixels of red, green, blue.
typedef struct pixels {
  int32_t height;
  int32_t width;
  uint8_t *rgb; /* owned */
} pixels;

/// Reads a PNG or JPEG file, told apart by content; alpha is dropped, 16 bits become 8. Errors:
/// UNSUPPORTED for other files and for more than 64 million pixels, CORRUPT for broken ones, IO.
tn_status pixels_read(const char *path, pixels *out);
/// Resizes by a triangle as wide as the reduction (what PIL calls bilinear), in bytes, rows first.
tn_status pixels_resize(pixels *p, int32_t height, int32_t width);
/// Keeps height x width pixels from (top, left) on, which lie inside.
void pixels_crop(pixels *p, int32_t top, int32_t left, int32_t height, int32_t width);
void pixels_free(pixels *p);

#endif
