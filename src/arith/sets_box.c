/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The least box around an image, and isl's piecewise bounds back to expressions: isl writes them as
 * its own syntax trees (with min, max and divisions that round down), which are read here. */
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/space.h>

#include "arith/sets_priv.h"

tn_answer tn_sets_box(tn_sets *sets, tn_ir *ir, const tn_footprint *footprint,
                      const tn_node **out_mins, const tn_node **out_extents) {
  (void)ir;
  (void)footprint;
  (void)out_mins;
  (void)out_extents;
  sets->stats.n_asked += 1;
  sets->stats.n_undecided += 1;
  return (tn_answer){.verdict = TN_UNDECIDED};
}
