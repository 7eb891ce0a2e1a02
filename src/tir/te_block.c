/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: the blocks and loops that a formula becomes. One axis a loop, bound to it
 * directly; regions are inferred from the body. */
#include "tir/te_priv.h"

static uint32_t n_axes(const tn_te_nest *nest) { return nest->n_spatial + nest->n_reduce; }

void tn_te_nest_fresh(tn_ir *ir, const tn_te_nest *from, tn_te_nest *out) {
  *out = *from;
  for (uint32_t i = 0; i < n_axes(from); ++i) {
    out->loops[i] = tn_var_new(ir, from->loops[i]->attr.text, from->loops[i]->dtype);
    out->axes[i] = tn_var_new(ir, from->axes[i]->attr.text, from->axes[i]->dtype);
  }
}

const tn_node *tn_te_nest_move(tn_ir *ir, const tn_node *stmt, const tn_te_nest *from,
                               const tn_te_nest *to) {
  tn_map map = {0};
  for (uint32_t i = 0; i < n_axes(from); ++i) {
    tn_map_set(&map, from->axes[i]->id, (uint64_t)(uintptr_t)to->axes[i]);
  }
  stmt = tn_subst(ir, stmt, &map);
  tn_map_deinit(&map);
  return stmt;
}

bool tn_te_nest_may_be_empty(const tn_te_nest *nest) {
  if (nest->n_reduce == 0) {
    return true;
  }
  for (uint32_t i = 0; i < nest->n_reduce; ++i) {
    const tn_node *extent = nest->extents[nest->n_spatial + i];
    if (!tn_is(extent, TN_OP_INT) || extent->attr.i64 <= 0) {
      return true;
    }
  }
  return false;
}

static const tn_node *block_new(tn_ir *ir, const char *name, const tn_node *iters,
                                const tn_node *allocs, const tn_node *init, const tn_node *body) {
  const tn_node *empty = tn_list(ir, 0, NULL);
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = tn_label_new(ir, name),
      [TN_BLOCK_ITERS] = iters,
      [TN_BLOCK_PREDICATE] = tn_bool(ir, true),
      [TN_BLOCK_READS] = empty,
      [TN_BLOCK_WRITES] = empty,
      [TN_BLOCK_ALLOCS] = allocs,
      [TN_BLOCK_MATCHES] = empty,
      [TN_BLOCK_INIT] = init != NULL ? init : tn_none(ir),
      [TN_BLOCK_ANNOTATIONS] = tn_none(ir),
      [TN_BLOCK_BODY] = body,
  };
  return tn_node_new(ir, TN_OP_BLOCK, TN_DT_NONE, (tn_attr){0}, sizeof in / sizeof in[0], in);
}

static tn_iter_kind kind_of(const tn_te_nest *nest, uint32_t i) {
  return (int32_t)i == nest->scan ? TN_ITER_SCAN
         : i < nest->n_spatial    ? TN_ITER_SPATIAL
                                  : TN_ITER_REDUCE;
}

tn_status tn_te_block_new(tn_ir *ir, const char *name, const tn_te_nest *nest, const tn_node *body,
                          const tn_node *init, const tn_node **out) {
  const tn_node *iters[2 * TN_MAX_NDIM];
  uint32_t n = n_axes(nest);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *in[] = {[TN_ITER_VAR] = nest->axes[i],
                           [TN_ITER_MIN] = tn_int(ir, nest->axes[i]->dtype, 0),
                           [TN_ITER_EXTENT] = nest->extents[i],
                           [TN_ITER_BINDING] = nest->loops[i]};
    iters[i] = tn_node_new(ir, TN_OP_ITER, TN_DT_NONE, (tn_attr){.i64 = kind_of(nest, i)},
                           sizeof in / sizeof in[0], in);
  }
  const tn_node *draft =
      block_new(ir, name, tn_list(ir, n, iters), tn_list(ir, 0, NULL), init, body);
  const tn_node *in[TN_BLOCK_BODY + 1];
  for (uint32_t i = 0; i < draft->n_in; ++i) {
    in[i] = draft->in[i];
  }
  TN_TRY(tn_tir_infer_regions(ir, draft, NULL, NULL, &in[TN_BLOCK_READS], &in[TN_BLOCK_WRITES]));
  *out = tn_node_with(ir, draft, in);
  return NULL;
}

const tn_node *tn_te_nest_loops(tn_ir *ir, const tn_te_nest *nest, const tn_node *body) {
  for (uint32_t i = n_axes(nest); i-- > 0;) {
    body = tn_for_new(ir, TN_FOR_SERIAL, nest->loops[i], NULL, nest->extents[i], body, NULL, NULL);
  }
  return body;
}

const tn_node *tn_te_root_block(tn_ir *ir, uint32_t n_allocs, const tn_node *const *allocs,
                                const tn_node *body) {
  return block_new(ir, "root", tn_list(ir, 0, NULL), tn_list(ir, n_allocs, allocs), NULL, body);
}
