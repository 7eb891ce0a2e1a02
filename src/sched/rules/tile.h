/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside the rules: reductions in register tiles, above all sums of products, as matrix products and
 * convolutions are.
 * contract.c finds out which loop plays which part, tile_size.c how large the tile is, tile.c does
 * the steps.
 *
 *   C[m, n] += A[m, k] * B[k, n]        rows: m    lanes: n    more: none
 *   C[o, y, x] += W[o, i, ky, kx] * X[i, y + ky, x + kx]
 *                                       rows: o    lanes: x    more: y */
#ifndef TN_SCHED_RULES_TILE_H
#define TN_SCHED_RULES_TILE_H

#include "sched/rules/rules.h"

enum { TN_TILE_NO_LOOP = -1 };

/// Who is who in a reduction. Not to be copied: it points into itself. Loops are places in nest.loops.
typedef struct tn_contraction {
  tn_rule_nest nest;
  const tn_rule_access *store;
  const tn_rule_access *one;  /* what moves with rows; read as one number for all lanes. NULL: not a
                                 sum of products */
  const tn_rule_access *many; /* what moves with lanes; NULL: nothing does */
  int32_t lanes;
  int32_t rows;   /* moves `one` and not `many`; or TN_TILE_NO_LOOP */
  int32_t more;   /* moves `many` and not `one`, besides lanes; or TN_TILE_NO_LOOP */
  bool is_window; /* something is read at sums of a spatial and a reduce axis: neighbours share */
  bool is_side_by_side; /* lanes read at neighbouring places */
  int64_t panel; /* `many` lies in panels of so many columns, read at [n // panel, .., n % panel] by
                    the lanes' axis n; 0: it does not */
  bool is_packed;   /* `many` lies in panels of one vector, as weights of blocked layouts do */
  bool is_lanewise; /* a window of which each lane has its own data and weights: a channel */
} tn_contraction;

/// How much of each loop a tile takes.
typedef struct tn_tile {
  int64_t rows;
  int64_t more;
  int64_t vectors; /* of the lanes' loop */
  int64_t lanes;   /* of a vector */
  int64_t panels;  /* tiles along the lanes' loop that share a copy of `many`; 0: no copy */
} tn_tile;

/// Errors: INVALID when the block is no reduction of one value.
TN_MUST_USE tn_status tn_contraction_find(tn_rules *r, const tn_node *label, tn_contraction *out);
/// Does `access` read at the sum of this loop's axis and a reduce axis?
bool tn_contraction_slides(const tn_contraction *c, const tn_rule_access *access, uint32_t loop);
/// The tile with the most products a cycle, by count of loads, registers and what is left over at
/// the ends.
void tn_tile_choose(const tn_rules *r, const tn_contraction *c, tn_tile *out);
/// Axes of `sum` that everything walks in step become one, there and in `after` (collapse.c).
TN_MUST_USE tn_status tn_rule_collapse(tn_rules *r, const tn_node *sum, const tn_node *after);
/// A copy of a buffer that `sum` reads, laid out by its axes, that of a loop of the lanes last.
TN_MUST_USE tn_status tn_rule_copy_for_lanes(tn_rules *r, const tn_node *sum,
                                             const tn_node *buffer, const tn_node *loop,
                                             const tn_node **out_copy);
/// Rows that `sum` reads every s-th element of are laid out as s rows (strided.c).
TN_MUST_USE tn_status tn_rule_part_rows(tn_rules *r, const tn_node *sum);

#endif
