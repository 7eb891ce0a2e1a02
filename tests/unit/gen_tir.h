/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random loop-level functions with arguments, for tests that compare two ways of running one
 * program, or a program with its own text. The same seed gives the same function and data
 * everywhere.
 *
 * Made so that every program is right: indices lie in bounds (loop variables that fit, or `e %
 * extent`), divisors are not zero, memory is written before it is read, parallel and vectorized
 * loops touch only what belongs to their turn, blocks what belongs to their instance. Float data
 * are small integers, float stores are clamped, so that no NaN is stored.
 *
 * Covered: int8..int64, uint8..uint64, bool, float16, bfloat16, float32, float64, buffers of
 * storage types and of vectors, and casts between all of them; all operators, select, if_then_else,
 * min, max, let, intrinsics of every kind but calls, reinterpret; loops serial with break and
 * continue, parallel, vectorized and unrolled, with a start, over int32 and int64, also over
 * symbolic extents; while with a counter; if and else; bindings; blocks with spatial and reduce
 * axes, predicates, init, nested blocks, block-local buffers, matched sub-buffers (also with
 * symbolic strides); parameters with symbolic strides and offsets, memory with gaps; allocate,
 * decl_buffer, allocate_const; vector statements with ramps of stride 1, 2 and -1, broadcasts,
 * shuffles and predicates; scalar parameters, symbolic sizes, asserts. Not covered:
 * handles without buffer, calls, return values, thread bindings. */
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
  GEN_TIR_STORAGE = 16,  ///< buffers of float8, float6, float4, int4, uint4
  GEN_TIR_MATH = 32,     ///< functions that are not exact: exp, sin and the like
  GEN_TIR_ROUNDING = 64, ///< products that may be inexact; without them, storage types and math,
                         ///< contracted code gives the same bits
  GEN_TIR_ALL = 127
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
