/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Parts of compact_buffers: what one round of a loop does with a buffer (compact_region.c). */
#ifndef TN_LOWER_COMPACT_H
#define TN_LOWER_COMPACT_H

#include "lower/lower_priv.h"

/// A box of elements in terms of what is known where the round begins. lo NULL: the whole dimension.
typedef struct tn_compact_region {
  const tn_node *lo[TN_MAX_NDIM];
  const tn_node *hi[TN_MAX_NDIM]; /* inclusive */
} tn_compact_region;

/// True when each element of `buffer` that `body` reads was written before in the same run of
/// `body`, so that memory which is new each time serves as well. Then out_region is a box with all
/// elements that body touches. arith knows the ranges of the loops around body. What is not proved
/// is false, and so is everything once *n_visits_left, which the walk takes from, is used up.
bool tn_compact_is_private(tn_ir *ir, tn_arith *arith, const tn_node *buffer, const tn_node *body,
                           int64_t *n_visits_left, tn_compact_region *out_region);

#endif
