/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lanes that read every s-th element of a row, as a convolution of stride s does, read neighbours once
 * the row lies as s rows, one of each remainder:
 *
 *   X[.., x]  ->  X[.., x % 2, x // 2]         at x * 2 + kx:  X[.., kx % 2, x + kx // 2]
 *
 * The row belongs to a block that pads it or, made here, copies it; spatial.c knows how to walk it. */
#include "sched/rules/tile.h"

#include "sched/rewrite.h"
#include "sched/loops.h"

/* lambda a, b, c: (a, b, c % s, c // s) */
static const tn_node *row_map(tn_ir *ir, const tn_node *shape, int64_t s) {
  const tn_node *params[TN_MAX_NDIM];
  const tn_node *results[TN_MAX_NDIM + 1];
  uint32_t n = shape->n_in;
  for (uint32_t i = 0; i < n; ++i) {
    params[i] = tn_var_new(ir, "i", shape->in[i]->dtype);
    results[i] = params[i];
  }
  const tn_node *step = tn_int(ir, params[n - 1]->dtype, s);
  results[n - 1] = tn_index_binary(ir, TN_OP_FLOORMOD, params[n - 1], step);
  results[n] = tn_index_binary(ir, TN_OP_FLOORDIV, params[n - 1], step);
  const tn_node *in[3] = {tn_list(ir, n, params), tn_list(ir, n + 1, results), tn_none(ir)};
  return tn_node_new(ir, TN_OP_LAMBDA, TN_DT_HANDLE, (tn_attr){0}, 3, in);
}

/* The block that makes what is read, for this reader alone; a copy where there is none. */
static tn_status find_maker(tn_rules *r, const tn_node *sum, const tn_node *buffer,
                            const tn_node **out) {
  const tn_tree *tree = tn_sched_tree(r->s, sum);
  const tn_node *block = tn_sched_site(r->s, sum);
  const tn_node *scope = tn_tree_scope(tree, block);
  const tn_node *makers[TN_SCHED_MAX_BLOCKS];
  const tn_node *readers[TN_SCHED_MAX_BLOCKS];
  bool is_own = scope != NULL && tn_scope_allocates(scope, buffer) &&
                tn_scope_users(tree, scope, buffer, true, makers) == 1 &&
                tn_scope_users(tree, scope, buffer, false, readers) == 1;
  if (is_own) {
    *out = makers[0]->in[TN_BLOCK_LABEL];
    return NULL;
  }
  for (int32_t i = 0; tn_block_region(block, false, (uint32_t)i) != NULL; ++i) {
    if (tn_block_region(block, false, (uint32_t)i)->in[TN_REGION_BUFFER] == buffer) {
      return tn_sched_cache_read(r->s, sum, i, "global", out);
    }
  }
  return TN_ERR(TN_INVALID, "the block does not say that it reads '%s'", buffer->attr.text);
}

/* Does the lanes' axis move the last index alone? */
static bool moves_last_index(const tn_contraction *c) {
  const tn_node *axis = NULL;
  const tn_node *iters = c->nest.block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->in[TN_ITER_BINDING] == c->nest.loops[c->lanes].var) {
      axis = iters->in[i]->in[TN_ITER_VAR];
    }
  }
  uint32_t last = c->many->node->n_in - 1;
  for (uint32_t d = TN_LOAD_INDICES; axis != NULL && d <= last; ++d) {
    if (tn_expr_uses(c->many->node->in[d], 1, &axis) != (d == last)) {
      return false;
    }
  }
  return axis != NULL;
}

tn_status tn_rule_part_rows(tn_rules *r, const tn_node *sum) {
  tn_contraction c;
  const tn_node *maker = NULL;
  TN_TRY(tn_contraction_find(r, sum, &c));
  const tn_node *stride = c.many == NULL ? NULL : c.many->strides[c.lanes];
  if (!c.is_window || stride == NULL || !tn_is(stride, TN_OP_INT) || stride->attr.i64 < 2 ||
      stride->attr.i64 > 4 || c.many->node->n_in == TN_LOAD_INDICES + TN_MAX_NDIM ||
      !moves_last_index(&c)) {
    return NULL;
  }
  int64_t s = stride->attr.i64;
  TN_TRY(find_maker(r, sum, c.many->buffer, &maker));
  tn_ir *ir = r->s->ir;
  const tn_node *buffer = tn_block_region(tn_sched_site(r->s, maker), true, 0)->in[0];
  const tn_node *pair[2] = {tn_str(ir, "write"), tn_int(ir, TN_DT_I32, 0)};
  const tn_node *args[] = {maker, tn_list(ir, 2, pair),
                           row_map(ir, buffer->in[TN_BUFFER_SHAPE], s)};
  return tn_rule_apply(r, "transform_layout", 3, args, NULL);
}
