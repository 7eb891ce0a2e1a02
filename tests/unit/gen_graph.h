/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random modules with graph functions, for round trips and for the virtual machine against the
 * interpreter.
 *
 * Covered: call_tir with one and two outputs, call_tir_inplace, call_dps_packed, call_packed
 * outside of dataflow blocks, dataflow blocks, tuples and items, if with values used after it,
 * match_cast, one symbolic size and sizes computed from it, calls of private graph functions,
 * shape_of, constants, shadowed liveness (values used again late). All tensors are float32 vectors
 * of integers, so that every order of sums is exact. Deterministic for a seed.
 *
 * The functions that modules call are fixed (gen_graph.c): loop functions double, add, both and
 * bump as text, the same as compiled kernels for the virtual machine, and the host's env.add and
 * host.inc. */
#ifndef TN_TESTS_GEN_GRAPH_H
#define TN_TESTS_GEN_GRAPH_H

#include <stdint.h>

#include "base/buf.h"

/// Appends the text of a module whose `main(x, y, c)` takes two R.Tensor(("n",), "float32") and an
/// R.Tensor((), "bool"), and returns a tensor or a tuple. n_stmts: about so many bindings.
void gen_graph_module(uint64_t seed, int32_t n_stmts, tn_buf *out);

/// The loop functions alone, for hand-written modules: text after "class Module:".
extern const char gen_graph_kernels[];

#endif
