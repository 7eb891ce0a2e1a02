/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random loop-level functions with arguments, for tests that compare two ways of running one
 * program, or a program with its own text. The same seed gives the same function and data
 * everywhere.
 *
 * Made so that every program is right: indices lie in bounds (loop variables that fit, or `e %
 * extent`), divisors are not zero, memory is written before it is read, parallel and vectorized
 * loops touch only what belongs to their turn, blocks what belongs to their instance. Float data are small integers, float stores are
 * clamped, so sums in any order are exact and no NaN is stored.
 *
 * Covered: int8..int64, uint8..uint64, bool, float32, float64 and casts between them; all
 * operators, select, if_then_else, min, max, let, exact intrinsics, reinterpret; loops serial,
 * parallel, vectorized and unrolled, with a start, over int32 and int64, also over symbolic
 * extents; while with a counter; if and else; bindings; blocks with spatial and reduce axes,
 * predicates, init, nested blocks, block-local buffers, matched sub-buffers (also with symbolic
 * strides); allocate, decl_buffer, allocate_const; vector statements with ramps of stride 1, 2 and
 * -1, broadcasts, shuffles and predicates; scalar parameters, symbolic sizes, asserts. Not covered:
 * float16, bfloat16, handles without buffer, calls, return values, thread bindings. */
#ifndef TN_TESTS_GEN_TIR_H
#define TN_TESTS_GEN_TIR_H

#include "tir/tir.h"

enum { GEN_TIR_MAX_ARGS = 8 };

/// Parts that a test can leave out.
enum {
  GEN_TIR_BLOCKS = 1,
  GEN_TIR_VECTORS = 2,    ///< ramps, broadcasts, shuffles
  GEN_TIR_LOOP_KINDS = 4, ///< parallel, vectorized, unrolled
  GEN_TIR_SYMBOLIC = 8,
  GEN_TIR_ALL = 15
};

typedef struct gen_tir_program {
  const tn_node *func;
  int32_t n_args;
  tn_array arrays[GEN_TIR_MAX_ARGS]; /* data NULL: a scalar */
  tn_tir_arg args[GEN_TIR_MAX_ARGS]; /* over arrays */
} gen_tir_program;

/// A function called `name` in `ir`, and arguments for it.
void gen_tir(tn_ir *ir, uint64_t seed, uint32_t parts, const char *name, gen_tir_program *out);
/// Other memory with the same contents.
void gen_tir_copy_args(const gen_tir_program *src, gen_tir_program *out);
/// True when all arrays hold the same bytes; else the first argument that differs.
bool gen_tir_same_args(const gen_tir_program *a, const gen_tir_program *b, int32_t *out_arg);
void gen_tir_deinit(gen_tir_program *program);

#endif
