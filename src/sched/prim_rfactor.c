/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* rfactor: a reduction is done in parts, one for each round of a loop, then the parts are combined.
 *
 *   for i, k in T.grid(8, 4):              for i, k in T.grid(8, 4):
 *       with T.block("B"):                     with T.block("B_rf"):
 *           vi, vk = ...("SR", ...)    ->          vk, vi = T.axis.remap("SS", [k, i])
 *           init: B[vi] = 0                        init: B_rf[vk, vi] = 0
 *           B[vi] = B[vi] + A[vi, vk]              B_rf[vk, vi] = B_rf[vk, vi] + A[vi, vk]
 *                                          for i, k in T.grid(8, 4):
 *                                              with T.block("B"):
 *                                                  vk, vi = T.axis.remap("RS", [k, i])
 *                                                  B[vi] = B[vi] + B_rf[vk, vi] ...
 *
 * Parts are combined in another order than the steps were, so the combination must be associative
 * and commute (reducer.h); and each block must begin where its elements do (starts.h). */
#include "sched/reducer.h"
#include "sched/rewrite.h"
#include "sched/starts.h"

typedef struct parts {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop; /* whose rounds become parts */
  uint32_t axis;       /* of the new buffers */
  tn_reducer reducer;
  tn_nest nest;
  const tn_node *buffers[TN_REDUCER_MAX_PARTS]; /* B_rf */
} parts;

/* ---- may it be done ---- */

static tn_status check_nest(const parts *p) {
  tn_sched *s = p->s;
  const tn_node *var = p->loop->in[TN_FOR_VAR];
  if (!p->nest.is_chain) {
    return tn_refuse(s, p->block->in[TN_BLOCK_LABEL], NULL,
                     "it is not the only statement in the loops around it");
  }
  bool is_used = false;
  for (uint32_t i = 0; i < p->nest.n_values; ++i) {
    bool uses = tn_expr_uses(p->nest.values[i], 1, &var);
    is_used = is_used || uses;
    if (uses && !tn_iter_is_reduce(p->block->in[TN_BLOCK_ITERS]->in[i])) {
      return tn_refuse(s, var, NULL, "the spatial axis '%s' uses it",
                       p->block->in[TN_BLOCK_ITERS]->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  if (!is_used) {
    return tn_refuse(s, var, NULL, "no reduce axis of block '%s' uses it", tn_block_name(p->block));
  }
  if (!tn_is_int(p->loop->in[TN_FOR_MIN], 0) ||
      tn_expr_uses(p->loop->in[TN_FOR_EXTENT], p->nest.n, p->nest.vars)) {
    return tn_refuse(s, var, NULL,
                     "its rounds are not 0 to an extent that other loops leave alone");
  }
  return NULL;
}

/* Ties go to the earlier step: then parts must be runs of steps. */
static tn_status check_order(const parts *p) {
  if (!p->reducer.is_ordered) {
    return NULL;
  }
  for (uint32_t i = 0; p->nest.loops[i] != p->loop; ++i) {
    for (uint32_t k = 0; k < p->nest.n_values; ++k) {
      if (tn_iter_is_reduce(p->block->in[TN_BLOCK_ITERS]->in[k]) &&
          tn_expr_uses(p->nest.values[k], 1, &p->nest.vars[i])) {
        return tn_refuse(p->s, p->loop->in[TN_FOR_VAR],
                         "use the outermost loop of the reduction, or break ties by the index",
                         "ties go to the earlier step, and its rounds are not runs of steps: loop "
                         "'%s' around it belongs to the reduction too",
                         p->nest.vars[i]->attr.text);
      }
    }
  }
  return NULL;
}

static tn_status check_axis(parts *p, int64_t axis) {
  int64_t n_dims = INT64_MAX;
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    uint32_t n = tn_buffer_ndim(p->reducer.buffers[k]);
    if (k > 0 && n != n_dims) {
      return tn_refuse(p->s, p->block->in[TN_BLOCK_LABEL], NULL,
                       "the buffers that it writes differ in their number of dimensions");
    }
    n_dims = n;
  }
  if (axis < -n_dims - 1 || axis > n_dims) {
    return tn_refuse(p->s, p->block->in[TN_BLOCK_LABEL], NULL,
                     "factor_axis %lld is not in [%lld, %lld]", (long long)axis,
                     (long long)(-n_dims - 1), (long long)n_dims);
  }
  if (n_dims + 1 > TN_MAX_NDIM) {
    return tn_refuse(p->s, p->block->in[TN_BLOCK_LABEL], NULL, "a buffer has at most %d dimensions",
                     TN_MAX_NDIM);
  }
  p->axis = (uint32_t)(axis < 0 ? axis + n_dims + 1 : axis);
  return NULL;
}

static tn_status check_starts(tn_sched *s, const tn_tree *tree, const tn_node *block,
                              tn_starts *out) {
  tn_status st = tn_starts_init(out, s, tree, block, NULL);
  if (st != NULL) {
    tn_starts_deinit(out);
  }
  return st;
}

/* ---- making ---- */

static const tn_node *new_var(tn_ir *ir, const char *prefix, const tn_node *named, tn_dtype dtype) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s%s", prefix, named->attr.text);
  const tn_node *made = tn_var_new(ir, tn_ir_text(ir, tn_buf_text(&name)), dtype);
  tn_buf_deinit(&name);
  return made;
}

static const char *rf_name(const parts *p, const tn_node *named) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_rf", named->attr.text);
  const char *fresh = tn_sched_fresh_name(p->s, p->tree, tn_buf_text(&name));
  tn_buf_deinit(&name);
  return fresh;
}

/* items with one more at the place of the new axis. */
static uint32_t with_axis(const parts *p, uint32_t n, const tn_node *const *items,
                          const tn_node *added, const tn_node **out) {
  for (uint32_t i = 0; i <= n; ++i) {
    out[i] = i < p->axis ? items[i] : i == p->axis ? added : items[i - 1];
  }
  return n + 1;
}

static void make_buffers(parts *p) {
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    const tn_node *shape[TN_MAX_NDIM];
    const tn_node *old = p->reducer.buffers[k];
    uint32_t n = with_axis(p, tn_buffer_ndim(old), old->in[TN_BUFFER_SHAPE]->in,
                           p->loop->in[TN_FOR_EXTENT], shape);
    p->buffers[k] = tn_buffer_like(p->s->ir, old, rf_name(p, old), n, shape, NULL);
  }
}

/* The index of a part's element: axis_var at the new place, the rest as the block has it. */
static const tn_node *part_load(const parts *p, uint32_t k, const tn_node *axis_var,
                                const tn_node **indices, uint32_t *out_n) {
  const tn_node *store = p->reducer.stores[k];
  *out_n =
      with_axis(p, store->n_in - TN_STORE_INDICES, store->in + TN_STORE_INDICES, axis_var, indices);
  return tn_load_new(p->s->ir, p->buffers[k], *out_n, indices);
}

/* cond with what comes in replaced: in each comparison, what stands across from the old value. */
static const tn_node *cond_with(const parts *p, const tn_node *cond,
                                const tn_node *const *incoming) {
  const tn_node *sides[2];
  for (uint32_t side = 0; side < 2; ++side) {
    sides[side] = cond->in[side];
    if (tn_is(cond, TN_OP_OR) || tn_is(cond, TN_OP_AND)) {
      sides[side] = cond_with(p, cond->in[side], incoming);
      continue;
    }
    for (uint32_t k = 0; k < p->reducer.n; ++k) {
      if (cond->in[1 - side] == p->reducer.loads[k]) {
        sides[side] = incoming[k];
      }
    }
  }
  return tn_node_with(p->s->ir, cond, sides);
}

/* The value of part k with something else coming in. Not a substitution: what comes in may be a mere
 * 1, which stands in other places too. */
static const tn_node *value_with(const parts *p, uint32_t k, const tn_node *const *incoming) {
  const tn_node *extremum = tn_tir_find_extremum(p->reducer.values[k]);
  const tn_node *value = extremum != NULL ? extremum : p->reducer.values[k];
  const tn_node *in[3];
  bool is_choice = value->n_in == 3;
  for (uint32_t i = 0; i < value->n_in; ++i) {
    bool is_old = value->in[i] == p->reducer.loads[k];
    in[i] = is_old ? value->in[i] : incoming[k];
  }
  if (is_choice) {
    in[TN_SELECT_COND] = cond_with(p, value->in[TN_SELECT_COND], incoming);
  }
  const tn_node *out = tn_node_with(p->s->ir, value, in);
  return extremum == NULL ? out : tn_tir_with_extremum(p->s->ir, p->reducer.values[k], out);
}

/* Stores of all values; where there are several, all are computed first: they are of old elements. */
static const tn_node *store_all(const parts *p, bool to_rf, const tn_node *axis_var,
                                const tn_node **values, bool is_init) {
  tn_ir *ir = p->s->ir;
  const tn_reducer *r = &p->reducer;
  const tn_node *stmts[2 * TN_REDUCER_MAX_PARTS];
  uint32_t n_stmts = 0;
  for (uint32_t k = 0; k < r->n && r->n > 1 && !is_init; ++k) {
    const tn_node *in[] = {new_var(ir, "v_", r->buffers[k], values[k]->dtype), values[k]};
    stmts[n_stmts++] = tn_node_new(ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){.i64 = 0}, 2, in);
    values[k] = in[TN_BIND_VAR];
  }
  for (uint32_t k = 0; k < r->n; ++k) {
    const tn_node *store = r->stores[k];
    const tn_node *indices[TN_MAX_NDIM];
    uint32_t n = 0;
    (void)part_load(p, k, axis_var, indices, &n);
    stmts[n_stmts++] =
        to_rf ? tn_store_new(ir, p->buffers[k], values[k], n, indices)
              : tn_store_new(ir, r->buffers[k], values[k], store->n_in - TN_STORE_INDICES,
                             store->in + TN_STORE_INDICES);
  }
  return tn_seq(ir, n_stmts, stmts);
}

/* What the block that combines the parts does. */
static const tn_node *last_body(const parts *p, const tn_node *axis_var) {
  const tn_node *loads[TN_REDUCER_MAX_PARTS];
  const tn_node *values[TN_REDUCER_MAX_PARTS];
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    loads[k] = part_load(p, k, axis_var, indices, &n);
  }
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    values[k] = value_with(p, k, loads);
  }
  return store_all(p, false, axis_var, values, false);
}

/* What the block of the parts does. Where a part is one step, that begins and ends it. */
static const tn_node *rf_body(const parts *p, const tn_node *axis_var, bool is_one_step) {
  const tn_reducer *r = &p->reducer;
  const tn_node *values[TN_REDUCER_MAX_PARTS];
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n = 0;
  tn_map old = {0};
  for (uint32_t k = 0; k < r->n; ++k) {
    const tn_node *now = is_one_step ? r->identities[k] : part_load(p, k, axis_var, indices, &n);
    tn_map_set(&old, r->loads[k]->id, (uint64_t)(uintptr_t)now);
  }
  for (uint32_t k = 0; k < r->n; ++k) {
    values[k] = is_one_step && r->is_neutral ? r->rests[k] : tn_subst(p->s->ir, r->values[k], &old);
  }
  tn_map_deinit(&old);
  return store_all(p, true, axis_var, values, false);
}

static const tn_node *init_of(const parts *p, bool to_rf, const tn_node *axis_var) {
  const tn_node *values[TN_REDUCER_MAX_PARTS];
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    values[k] = to_rf ? p->reducer.identities[k] : p->reducer.firsts[k];
  }
  return store_all(p, to_rf, axis_var, values, true);
}

typedef struct axis_list {
  uint32_t n;
  const tn_node *iters[2 * TN_SCHED_MAX_LOOPS];
} axis_list;

/* Axes of the parts: the loop's own, spatial; those that do not use it as they were; the loops of
 * the others one by one. *values: what the old reduce axes are in terms of those. */
static axis_list rf_axes(const parts *p, const tn_node *axis_var, tn_map *values) {
  tn_ir *ir = p->s->ir;
  axis_list out = {0};
  tn_map loop_axes = {0};
  const tn_node *var = p->loop->in[TN_FOR_VAR];
  tn_map_set(&loop_axes, var->id, (uint64_t)(uintptr_t)axis_var);
  out.iters[out.n++] =
      tn_iter_new(ir, TN_ITER_SPATIAL, axis_var, NULL, p->loop->in[TN_FOR_EXTENT], var);
  for (uint32_t i = 0; i < p->nest.n_values; ++i) {
    const tn_node *iter = p->block->in[TN_BLOCK_ITERS]->in[i];
    const tn_node *binding = p->nest.values[i];
    if (!tn_expr_uses(binding, 1, &var)) {
      out.iters[out.n++] = iter;
      continue;
    }
    for (uint32_t k = 0; k < p->nest.n; ++k) {
      const tn_node *other = p->nest.vars[k];
      if (tn_expr_uses(binding, 1, &other) && !tn_map_find(&loop_axes, other->id, NULL)) {
        const tn_node *axis = new_var(ir, "v", other, other->dtype);
        tn_map_set(&loop_axes, other->id, (uint64_t)(uintptr_t)axis);
        out.iters[out.n++] =
            tn_iter_new(ir, TN_ITER_REDUCE, axis, p->nest.mins[k], p->nest.extents[k], other);
      }
    }
    tn_map_set(values, iter->in[TN_ITER_VAR]->id,
               (uint64_t)(uintptr_t)tn_subst(ir, binding, &loop_axes));
  }
  tn_map_deinit(&loop_axes);
  return out;
}

static tn_status make_rf_block(const parts *p, const tn_node *axis_var, const tn_node **out) {
  tn_ir *ir = p->s->ir;
  tn_map values = {0};
  axis_list axes = rf_axes(p, axis_var, &values);
  const tn_node *label = tn_label_new(ir, rf_name(p, p->block->in[TN_BLOCK_LABEL]));
  bool is_one_step = true;
  for (uint32_t i = 0; i < axes.n; ++i) {
    is_one_step = is_one_step && !tn_iter_is_reduce(axes.iters[i]);
  }
  const tn_node *init = is_one_step ? NULL : init_of(p, true, axis_var);
  const tn_node *body = tn_subst(ir, rf_body(p, axis_var, is_one_step), &values);
  tn_map_deinit(&values);
  return tn_block_new(p->s, label, axes.n, axes.iters, p->block->in[TN_BLOCK_PREDICATE], init, body,
                      out);
}

/* The block that combines: the loop's axis reduces, the spatial ones stay; over those loops of the
 * parts that these use. */
static tn_status make_last_nest(const parts *p, const tn_starts *starts, const tn_node **out) {
  tn_ir *ir = p->s->ir;
  tn_map map = {0};
  const tn_node *vars[TN_SCHED_MAX_LOOPS] = {0};
  for (uint32_t i = 0; i < starts->nest.n; ++i) {
    if (starts->is_kept[i]) {
      vars[i] = new_var(ir, "", starts->nest.vars[i], starts->nest.vars[i]->dtype);
      tn_map_set(&map, starts->nest.vars[i]->id, (uint64_t)(uintptr_t)vars[i]);
    }
  }
  const tn_node *var = p->loop->in[TN_FOR_VAR];
  const tn_node *axis_var = new_var(ir, "v", var, var->dtype);
  axis_list axes = {0};
  axes.iters[axes.n++] = tn_iter_new(ir, TN_ITER_REDUCE, axis_var, NULL, p->loop->in[TN_FOR_EXTENT],
                                     tn_subst(ir, var, &map));
  for (uint32_t i = 0; i < p->nest.n_values; ++i) {
    const tn_node *iter = p->block->in[TN_BLOCK_ITERS]->in[i];
    if (!tn_iter_is_reduce(iter)) {
      const tn_node *old = iter->in[TN_ITER_VAR];
      const tn_node *own = new_var(ir, "", old, old->dtype);
      tn_map_set(&map, iter->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)own);
      axes.iters[axes.n++] =
          tn_iter_new(ir, TN_ITER_SPATIAL, own, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT],
                      tn_subst(ir, p->nest.values[i], &map));
    }
  }
  const tn_node *nest = NULL;
  tn_status st = tn_block_new(p->s, p->block->in[TN_BLOCK_LABEL], axes.n, axes.iters,
                              tn_subst(ir, starts->cond, &map),
                              tn_subst(ir, init_of(p, false, axis_var), &map),
                              tn_subst(ir, last_body(p, axis_var), &map), &nest);
  for (uint32_t i = starts->nest.n; st == NULL && i > 0; --i) {
    if (vars[i - 1] != NULL) {
      nest =
          tn_for_new(ir, TN_FOR_SERIAL, vars[i - 1], tn_subst(ir, starts->nest.mins[i - 1], &map),
                     tn_subst(ir, starts->nest.extents[i - 1], &map), nest, NULL, NULL);
      tn_ir_set_pos(ir, nest, tn_ir_pos(ir, starts->nest.loops[i - 1]));
    }
  }
  tn_map_deinit(&map);
  if (st == NULL) {
    nest = tn_sched_simplify(p->s, starts->tree,
                             tn_tree_parent(starts->tree, tn_starts_top(starts)), nest);
    *out = nest;
  }
  return st;
}

/* ---- doing ---- */

/* The block of the parts stands where the old one did; after its nest comes that of the last block. */
static tn_status put_nests(parts *p, const tn_node **out_label) {
  tn_sched *s = p->s;
  const tn_node *rf_block = NULL;
  const tn_node *last = NULL;
  tn_starts starts = {0};
  const tn_node *label = p->block->in[TN_BLOCK_LABEL];
  const tn_node *var = p->loop->in[TN_FOR_VAR];
  TN_TRY(make_rf_block(p, new_var(s->ir, "v", var, var->dtype), &rf_block));
  TN_TRY(tn_sched_replace(s, p->block, rf_block));
  *out_label = rf_block->in[TN_BLOCK_LABEL];
  const tn_tree *tree = tn_sched_tree(s, *out_label);
  TN_TRY(check_starts(s, tree, tn_tree_site(tree, *out_label), &starts));
  tn_status st = make_last_nest(p, &starts, &last);
  if (st == NULL) {
    st = tn_sched_insert(s, tn_starts_top(&starts), last, false);
  }
  tn_starts_deinit(&starts);
  TN_TRY(st);
  TN_TRY(check_starts(s, tn_sched_tree(s, label), tn_sched_site(s, label), &starts));
  tn_starts_deinit(&starts);
  for (uint32_t k = 0; k < p->reducer.n; ++k) {
    tree = tn_sched_tree(s, label);
    const tn_node *scope = tn_tree_scope(tree, tn_tree_site(tree, label));
    TN_TRY(tn_sched_add_alloc(s, tree, scope, p->buffers[k]));
  }
  return NULL;
}

/* The one reduction block below a loop. */
static tn_status find_block(tn_sched *s, const tn_node *loop, const tn_node **out) {
  const tn_node *blocks[1];
  if (tn_tree_child_blocks(loop, 1, blocks) != 1) {
    return tn_refuse(s, loop->in[TN_FOR_VAR], NULL, "there must be exactly one block below it");
  }
  *out = blocks[0];
  return NULL;
}

tn_status tn_prim_rfactor(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  parts p = {.s = s, .tree = tree, .loop = tn_tree_site(tree, call->args[0])};
  tn_starts starts = {0};
  TN_TRY(find_block(s, p.loop, &p.block));
  TN_TRY(tn_block_reduction(s, tree, p.block));
  TN_TRY(tn_nest_find(s, tree, p.block, NULL, &p.nest));
  TN_TRY(check_nest(&p));
  TN_TRY(tn_reducer_find(s, p.block, &p.reducer));
  TN_TRY(check_order(&p));
  TN_TRY(check_axis(&p, call->args[1]->attr.i64));
  TN_TRY(check_starts(s, tree, p.block, &starts));
  tn_starts_deinit(&starts);
  make_buffers(&p);
  return put_nests(&p, &call->out);
}
