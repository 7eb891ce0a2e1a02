/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A buffer in the place of another, with other indices, wherever a function uses it. */
#include "sched/rewrite.h"

typedef struct relayout {
  tn_sched *s;
  uint32_t n_old;
  const tn_node *const *vars;
  uint32_t n_new;
  const tn_node *const *values;
  tn_arith *arith; /* ranges of all loops and axes of the function */
  const tn_node *from;
  const tn_node *to;
  bool is_odd;
  tn_status st;
} relayout;

static void bind_all(const tn_tree *tree, tn_arith *arith) {
  for (size_t i = 0; i < tree->loops.len; ++i) {
    const tn_node *loop = tree->loops.data[i];
    tn_arith_bind_range(arith, loop->in[TN_FOR_VAR], loop->in[TN_FOR_MIN], loop->in[TN_FOR_EXTENT]);
  }
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    tn_sched_bind_axes(arith, tree->blocks.data[i]);
  }
}

static void map_indices(relayout *r, const tn_node *const *indices, const tn_node **out) {
  tn_map map = {0};
  for (uint32_t i = 0; i < r->n_old; ++i) {
    const tn_node *var = r->vars[i];
    r->is_odd = r->is_odd || tn_dtype_lanes(indices[i]->dtype) != 1;
    if (!r->is_odd) {
      tn_map_set(&map, var->id,
                 (uint64_t)(uintptr_t)tn_index_cast(r->s->ir, var->dtype, indices[i]));
    }
  }
  for (uint32_t d = 0; d < r->n_new; ++d) {
    out[d] = tn_arith_simplify(r->arith, tn_subst(r->s->ir, r->values[d], &map));
  }
  tn_map_deinit(&map);
}

static const tn_node *relayout_rule(tn_rewriter *rw, const tn_node *n) {
  relayout *r = rw->ctx;
  const tn_node *indices[TN_MAX_NDIM];
  if (n == r->from) {
    return r->to;
  }
  if (r->st != NULL) {
    return NULL;
  }
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == r->to) {
    r->is_odd = r->is_odd || !tn_is_none(n->in[TN_LOAD_PREDICATE]);
    map_indices(r, n->in + TN_LOAD_INDICES, indices);
    return r->is_odd ? NULL : tn_load_new(rw->ir, r->to, r->n_new, indices);
  }
  if (tn_is(n, TN_OP_STORE) && n->in[TN_STORE_BUFFER] == r->to) {
    r->is_odd = r->is_odd || !tn_is_none(n->in[TN_STORE_PREDICATE]);
    map_indices(r, n->in + TN_STORE_INDICES, indices);
    return r->is_odd ? NULL : tn_store_new(rw->ir, r->to, n->in[TN_STORE_VALUE], r->n_new, indices);
  }
  if (tn_is(n, TN_OP_MATCH) && n->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER] == r->to) {
    r->is_odd = true;
  }
  for (int32_t is_write = 0; tn_is(n, TN_OP_BLOCK) && !r->is_odd && is_write < 2; ++is_write) {
    const tn_node *region = NULL;
    for (uint32_t i = 0; (region = tn_block_region(n, is_write != 0, i)) != NULL; ++i) {
      if (region->in[TN_REGION_BUFFER] == r->to) {
        const tn_node *made = n;
        r->st = tn_block_reinfer(r->s, n, &made);
        return made;
      }
    }
  }
  return NULL;
}

tn_status tn_sched_relayout(tn_sched *s, const tn_tree *tree, const tn_node *from,
                            const tn_node *to, uint32_t n_old, const tn_node *const *vars,
                            uint32_t n_new, const tn_node *const *values) {
  relayout r = {.s = s,
                .n_old = n_old,
                .vars = vars,
                .n_new = n_new,
                .values = values,
                .arith = tn_arith_new(s->ir),
                .from = from,
                .to = to};
  bind_all(tree, r.arith);
  const tn_node *func = tn_rewrite(s->ir, tree->func, relayout_rule, &r);
  tn_arith_free(r.arith);
  TN_TRY(r.st);
  if (r.is_odd) {
    return tn_refuse(s, NULL, NULL,
                     "'%s' is used as a vector, under a predicate, or through a view",
                     from->attr.text);
  }
  tn_sched_set_func(s, tree->name, func);
  return tn_ir_status(s->ir);
}
