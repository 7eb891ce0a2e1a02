/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The classes that a classifier holds most likely, by name. */
#ifndef TN_TOOLS_LABELS_H
#define TN_TOOLS_LABELS_H

#include "cli.h"

typedef struct labels {
  int32_t n;
  char **names; /* owned; NULL: classes have numbers only */
  char *text;   /* owned */
} labels;

/// Reads one name a line; a WordNet id before it ("n02124075 ") is left out. IO, INVALID.
tn_status labels_read(const char *path, labels *out);
void labels_free(labels *l);
/// True for a tensor whose last extent can be classes: as many as there are names, or more than one.
bool labels_fit(const labels *l, const DLTensor *dl);
/// Prints the `top` largest of each row of the last dimension, with their shares in percent: the values
/// themselves where they are shares (not below 0, summing to 1), else what softmax makes of them.
void labels_print(const labels *l, int32_t top, const char *name, tn_tensor *tensor);

#endif
