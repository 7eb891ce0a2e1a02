/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The functions that the demo lends to compiled modules: env.linear and env.relu. */
#ifndef TN_FASHION_LIBRARY_H
#define TN_FASHION_LIBRARY_H

#include "tenon/runtime.h"

/// Registers env.linear(x, w, b, out) and env.relu(x, out) with `rt`; OpenBLAS does the linear one
/// when it is installed. out_blas: says in a few words who multiplies; static storage.
tn_status library_register(tn_runtime *rt, const char **out_blas);

#endif
