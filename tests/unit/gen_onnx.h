/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX models with the values of everything in them.
 *
 * A graph grows node by node. Each new node is imported alone and interpreted on the values that its
 * inputs have, so what follows knows its shape, its type and its numbers. The same is done with
 * inputs disturbed a little, once up and once down for each element: what that moves in the result is
 * how far a compiler's roundings may be seen there. A node that jumps then (a floor of what is nearly
 * whole) is not taken. So each value carries a bound of its error, element by element, and none where
 * the number is exact whatever the order of the arithmetic.
 *
 * Deterministic for a seed. Graph number s tries first of all to hold row s (modulo their number) of
 * front/onnx/rules.def, at an opset in which that row counts. */
#ifndef TN_TESTS_GEN_ONNX_H
#define TN_TESTS_GEN_ONNX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/vec.h"

typedef enum gx_place { GX_INPUT, GX_INIT, GX_CONSTANT, GX_NODE } gx_place;

typedef struct gx_value {
  tn_array array;
  double *err; /* of each element; NULL: exact */
  gx_place place;
  bool is_fixed; /* an operand that must be a constant */
  int32_t n_uses;
} gx_value;

enum { GX_MAX_IN = 24, GX_MAX_OUT = 12 };

typedef enum gx_kind {
  GX_EXACT, /* moves and chooses elements, computes integers: no rounding */
  GX_RING,  /* sums and products: exact for small whole numbers */
  GX_ROUNDS,
  GX_CANCELS /* sums and differences inside: errors as of the largest operand and result */
} gx_kind;

typedef struct gx_node {
  const char *op;
  const char *domain;
  tn_buf attrs;
  gx_kind kind;
  int32_t n_in;
  int32_t in[GX_MAX_IN]; /* places in values; -1: left out */
  int32_t n_out;
  int32_t out[GX_MAX_OUT]; /* -1: left out */
  bool is_gone;            /* while shrinking */
} gx_node;

typedef struct gx_graph {
  tn_rng rng;
  uint64_t seed;
  int64_t opset;
  TN_VEC(gx_value) values;
  TN_VEC(gx_node) nodes;
  bool *is_output; /* of each value, after gen_onnx_make */
  int64_t open;    /* first extents of inputs that are this are written as "n"; 0: none */
  bool is_wild;    /* NaN, infinities among the inputs */
  int32_t n_tried;
  int32_t n_refused; /* by the importer */
  char refusal[512]; /* the first one's message */
} gx_graph;

/// The rows of front/onnx/rules.def, and whether this generator has a form of that operator there.
int32_t gen_onnx_n_rows(void);
bool gen_onnx_row(int32_t i, const char **out_domain, const char **out_op, int64_t *out_since);
/// Adds one to counts[row] for each node.
void gen_onnx_count(const gx_graph *g, int64_t *counts);

void gen_onnx_make(gx_graph *g, uint64_t seed, int32_t n_nodes);
void gen_onnx_deinit(gx_graph *g);
/// The model's bytes; nodes that are gone are left out, and what only they use.
tn_buf gen_onnx_write(const gx_graph *g);
/// The values that are inputs of the written model, in its order; returns how many.
int32_t gen_onnx_inputs(const gx_graph *g, int32_t *out_ids, int32_t max);
int32_t gen_onnx_outputs(const gx_graph *g, int32_t *out_ids, int32_t max);

#endif
