/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the two files of the generator of random loop-level functions share: gen_tir_expr.c makes
 * expressions, gen_tir.c statements and functions. */
#ifndef TN_TESTS_GEN_TIR_PRIV_H
#define TN_TESTS_GEN_TIR_PRIV_H

#include <stdio.h>
#include <string.h>

#include "gen_tir.h"
#include "tir_make.h"

enum { MAX_DIMS = 3, MAX_EXTENT = 6, MAX_TURNS = 600, MAX_NEST = 5 };

/* An integer variable with lo <= value < hi, or 0 <= value < extent (symbolic). */
typedef struct gen_var {
  const tn_node *node;
  int64_t lo;
  int64_t hi;
  const tn_node *extent; /* NULL: lo and hi hold */
} gen_var;

typedef struct gen_buf {
  const tn_node *node;
  bool can_store;
  bool is_inner;                   /* made inside the innermost parallel loop: free there */
  const tn_node *locked[MAX_DIMS]; /* the index that a dimension must have, or NULL */
  const tn_node *root;             /* the buffer whose memory it shows */
  bool is_hidden;                  /* the same memory as one that is locked: not read either */
} gen_buf;

typedef struct gen {
  tn_ir *ir;
  tn_rng rng;
  uint32_t parts;
  uint32_t n_names;
  int64_t n_turns; /* of the loops around */
  uint32_t nest;
  uint32_t max_nest;
  bool is_locked; /* within a parallel or vectorized loop: store to locked and inner buffers only */
  bool is_vectorized;
  TN_VEC(gen_buf) bufs;
  TN_VEC(gen_var) vars;
  TN_VEC(const tn_node *) scalars; /* values bound to variables, any type */
  const tn_node *sizes[2];         /* symbolic sizes; NULL: none */
  bool may_break;                  /* directly in a loop that can be left, */
  bool may_continue;               /* or whose turn can */
} gen;

static inline int64_t gen_pick(gen *g, int64_t n) {
  return (int64_t)tn_rng_below(&g->rng, (uint64_t)n);
}
static inline bool gen_chance(gen *g, int64_t percent) { return gen_pick(g, 100) < percent; }

static inline const char *gen_fresh(gen *g, const char *stem) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%u", stem, g->n_names++);
  return tn_ir_text(g->ir, text);
}

/* ---- scopes ---- */

typedef struct gen_scope {
  size_t n_bufs;
  size_t n_vars;
  size_t n_scalars;
} gen_scope;

static inline gen_scope gen_enter(const gen *g) {
  return (gen_scope){g->bufs.len, g->vars.len, g->scalars.len};
}
static inline void gen_leave(gen *g, gen_scope s) {
  g->bufs.len = s.n_bufs;
  g->vars.len = s.n_vars;
  g->scalars.len = s.n_scalars;
}
static inline void gen_add_var(gen *g, const tn_node *node, int64_t lo, int64_t hi,
                               const tn_node *extent) {
  TN_VEC_PUSH(&g->vars, (gen_var){.node = node, .lo = lo, .hi = hi, .extent = extent});
}
static inline void gen_add_buf(gen *g, const tn_node *node, bool can_store) {
  TN_VEC_PUSH(&g->bufs, (gen_buf){.node = node,
                                  .root = node,
                                  .can_store = can_store,
                                  .is_inner = g->is_locked && !g->is_vectorized});
}
static inline bool gen_may_store(const gen *g, const gen_buf *b) {
  bool has_lock = b->locked[0] != NULL || b->locked[1] != NULL || b->locked[2] != NULL;
  return b->can_store && (!g->is_locked || has_lock || b->is_inner);
}

/* ---- gen_tir_expr.c ---- */

/// A type that is computed in, of one lane.
tn_dtype gen_pick_type(gen *g);
/// A type of a buffer's elements: also storage types and vectors.
tn_dtype gen_pick_elem_type(gen *g);
/// A value of a computed type.
const tn_node *gen_value(gen *g, tn_dtype dtype, int depth);
const tn_node *gen_bool(gen *g, int depth);
/// A value of any element type, fit to be stored: floats small, no NaN.
const tn_node *gen_stored(gen *g, tn_dtype dtype, int depth);
/// The same as a vector of so many elements of a one-lane type.
const tn_node *gen_stored_vector(gen *g, tn_dtype dtype, int64_t lanes, int depth);
/// An index into [0, extent).
const tn_node *gen_index(gen *g, const tn_node *extent, int depth);
void gen_indices(gen *g, const gen_buf *b, int depth, const tn_node **out);
/// Indices of `lanes` elements along the last dimension, no two the same; false when they do not
/// fit.
bool gen_vector_indices(gen *g, const gen_buf *b, int64_t lanes, const tn_node **out);
/// A condition for each lane, or NULL.
const tn_node *gen_predicate(gen *g, int64_t lanes);
/// Small floats, no NaN.
const tn_node *gen_clamp(gen *g, const tn_node *value);

#endif
