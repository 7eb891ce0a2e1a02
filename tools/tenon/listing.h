/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two texts as one listing: lines that went with '-', lines that came with '+', a few around them. */
#ifndef TN_TOOLS_LISTING_H
#define TN_TOOLS_LISTING_H

#include <stdio.h>

/// Prints what changed from `before` to `after`; all of `after` when both are too long to compare.
void listing_print(const char *before, const char *after, FILE *out);

#endif
