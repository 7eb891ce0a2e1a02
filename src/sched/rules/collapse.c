/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Neighbouring spatial axes of a sum that all accesses walk in step become one axis, in the sum, in its
 * result and in the block that reads it: the pixels of a 1x1 convolution, the batch and the rows of a
 * product. So a tile of them is a box, whatever the extents are.
 *
 *   S[n, o, y, x] += W[o, i] * X[n, i, y, x]   ->   S[n, o, p] += W[o, i] * X[n, i, p // 56, p % 56]
 *
 * The block that reads the result has the same axes in the same order (tile.c sees to that). */
#include "sched/rules/tile.h"

#include "sched/rewrite.h"
#include "sched/starts.h"

typedef struct groups {
  uint32_t n_axes;
  bool is_joined[TN_RULE_MAX_LOOPS]; /* axis i + 1 belongs to the group of axis i */
} groups;

/* lambda a, b, c: (a * extent + b, c) over the first n axes. */
static const tn_node *index_map(tn_ir *ir, const groups *g, uint32_t n, const tn_node *iters) {
  const tn_node *params[TN_RULE_MAX_LOOPS];
  const tn_node *results[TN_RULE_MAX_LOOPS];
  uint32_t n_results = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *iter = iters->in[i];
    params[i] = tn_var_new(ir, iter->in[TN_ITER_VAR]->attr.text, iter->in[TN_ITER_VAR]->dtype);
    if (i > 0 && g->is_joined[i - 1]) {
      const tn_node *outer =
          tn_index_binary(ir, TN_OP_MUL, results[n_results - 1], iter->in[TN_ITER_EXTENT]);
      results[n_results - 1] = tn_index_binary(ir, TN_OP_ADD, outer, params[i]);
    } else {
      results[n_results++] = params[i];
    }
  }
  const tn_node *in[3] = {tn_list(ir, n, params), tn_list(ir, n_results, results), tn_none(ir)};
  return tn_node_new(ir, TN_OP_LAMBDA, TN_DT_HANDLE, (tn_attr){0}, 3, in);
}

static bool find_groups(tn_rules *r, const tn_rule_nest *nest, groups *out) {
  const tn_node *iters = nest->block->in[TN_BLOCK_ITERS];
  bool has_one = false;
  *out = (groups){.n_axes = iters->n_in};
  if (iters->n_in != nest->n_loops) {
    return false;
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->in[TN_ITER_BINDING] != nest->loops[i].var) {
      return false;
    }
  }
  for (uint32_t i = 0; i + 1 < nest->n_loops; ++i) {
    const tn_rule_loop *a = &nest->loops[i];
    const tn_rule_loop *b = a + 1;
    bool is_fit = !a->is_reduce && !b->is_reduce && a->n > 1 && b->n > 1;
    out->is_joined[i] = is_fit && tn_rule_is_joint(r, nest, i);
    has_one = has_one || out->is_joined[i];
  }
  return has_one;
}

static tn_status map_axes(tn_rules *r, const tn_node *label, const groups *g) {
  const tn_node *block = tn_sched_site(r->s, label);
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *args[] = {label, index_map(r->s->ir, g, iters->n_in, iters)};
  return tn_rule_apply(r, "transform_block_layout", 2, args, NULL);
}

tn_status tn_rule_collapse(tn_rules *r, const tn_node *sum, const tn_node *after) {
  tn_rule_nest nest;
  groups g;
  tn_ir *ir = r->s->ir;
  TN_TRY(tn_rule_look(r, sum, &nest));
  if (!find_groups(r, &nest, &g)) {
    return NULL;
  }
  const tn_node *iters = tn_sched_site(r->s, after)->in[TN_BLOCK_ITERS];
  const tn_node *buffer_map = index_map(ir, &g, iters->n_in, iters);
  TN_TRY(map_axes(r, sum, &g));
  TN_TRY(map_axes(r, after, &g));
  const tn_node *pair[2] = {tn_str(ir, "write"), tn_int(ir, TN_DT_I32, 0)};
  const tn_node *args[] = {sum, tn_list(ir, 2, pair), buffer_map};
  return tn_rule_apply(r, "transform_layout", 3, args, NULL);
}
