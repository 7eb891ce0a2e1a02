/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Makes a loop-level function that fails smaller, as long as it fails in the same way: statements
 * are dropped, loops and branches replaced by what is in them, expressions by a part of theirs or a
 * literal. */
#ifndef TN_TESTS_SHRINK_TIR_H
#define TN_TESTS_SHRINK_TIR_H

#include "ir/ir.h"

/// True when the function, which may be ill-formed, is right but fails.
typedef bool (*shrink_fails_fn)(const tn_node *func, void *ctx);
/// The smallest found with at most max_tries calls of `fails`; `func` itself when nothing is.
const tn_node *shrink_tir(tn_ir *ir, const tn_node *func, int32_t max_tries, shrink_fails_fn fails,
                          void *ctx);

#endif
