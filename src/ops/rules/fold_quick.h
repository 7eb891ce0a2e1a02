/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Quick ways for what weights go through, with the reference's bits. */
#ifndef TN_OPS_RULES_FOLD_QUICK_H
#define TN_OPS_RULES_FOLD_QUICK_H

#include "graph/graph.h"

/// False: there is no quick way for the call. A result that is a look at an argument's elements
/// (reshape) borrows them. type: the result's, all extents numbers.
bool tn_fold_quickly(const tn_node *call, const tn_node *type, const tn_array *const *args,
                     tn_array *out);

#endif
