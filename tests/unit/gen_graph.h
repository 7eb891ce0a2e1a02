/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random modules with graph functions, for round trips and for compiled code against the
 * interpreter.
 *
 * Covered: call_tir with one and two outputs, with sizes as tir_vars, in place, call_dps_packed;
 * call_packed and call_pure_packed; dataflow blocks; tuples in tuples; `if` nested, with values of
 * any type; recursion of bounded depth; private functions, functions inside functions with captured
 * variables and sizes, functions as arguments, in tuples and called through them; match_cast that
 * names new sizes; values that went through R.Object; shapes, numbers, constants, views, and
 * operators whose results do not depend on the order of their arithmetic. Sizes are symbols and
 * expressions of them. Deterministic for a seed.
 *
 * What the modules call outside themselves is registered by the tests: env.add(a, b, out), and
 * host.inc(x), which returns x + 100; float32 vectors all. */
#ifndef TN_TESTS_GEN_GRAPH_H
#define TN_TESTS_GEN_GRAPH_H

#include <stdint.h>

#include "base/buf.h"

/// Appends the text of a module with public functions f0, f1 ... Each takes x, y:
/// R.Tensor(("n",), "float32"), z: R.Tensor(("m", 3), "int64"), c: R.Tensor((), "bool"),
/// t: R.Tuple(R.Tensor(("n",), "float32"), R.Tuple(R.Tensor((), "int64"), R.Shape(["m", "n"]))) and
/// k: R.Prim("int64"), and returns a tensor or a tuple. n_stmts: about so many bindings each.
void gen_graph_module(uint64_t seed, int32_t n_funcs, int32_t n_stmts, tn_buf *out);

/// The loop functions alone, for hand-written modules: text after "class Module:".
extern const char gen_graph_kernels[];

#endif
