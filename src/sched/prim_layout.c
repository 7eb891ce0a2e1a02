/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elements of a buffer, or steps of a block, in another order.
 *
 *   transform_layout(B, buffer, lambda i, j: (i // 8, j, i % 8)):
 *       Bp[v0, v1] = ..    ->    Bp[v0 // 8, v1, v0 % 8] = ..        and so wherever Bp is used
 *   transform_block_layout(B, the same):
 *       for i, j: B[vi, vj]   ->   for ax0, ax1, ax2: B[v0 * 8 + v2, v1]
 *
 * The map has to tell elements (steps) apart, which is proved, whatever assume_injective_transform
 * says. Where it does not fill its box there is padding: nothing reads it, unless pad_value asks for
 * a value there; then the block that writes the buffer writes the padding too. */
#include "arith/itermap.h"
#include "arith/sets.h"
#include "sched/axes.h"
#include "sched/touches.h"

/* ---- index maps ---- */

typedef struct layout {
  uint32_t n_old;
  uint32_t n_new;
  const tn_node *vars[TN_MAX_AXES];
  const tn_node *old_extents[TN_MAX_AXES];
  const tn_node *values[TN_MAX_AXES]; /* new indices over vars */
  const tn_node *extents[TN_MAX_AXES];
  const tn_node *axes[TN_MAX_AXES];    /* v0, v1 ... : new indices as variables */
  const tn_node *inverse[TN_MAX_AXES]; /* vars over axes */
  bool is_full;                        /* every point of the new box is taken */
} layout;

static tn_status refuse_map(tn_sched *s, const char *text) {
  return tn_refuse(s, NULL, "lambda i, j: (i // 8, j, i % 8) splits an axis", "the map %s", text);
}

/* dtype: of the extents; indices of the map follow. */
static tn_status read_map(tn_sched *s, const tn_node *lambda, uint32_t n_old,
                          const tn_node *const *extents, layout *m) {
  const tn_node *params = lambda->in[TN_LAMBDA_PARAMS];
  const tn_node *results = lambda->in[TN_LAMBDA_RESULTS];
  if (params->n_in != n_old) {
    return tn_refuse(s, NULL, NULL, "the map takes %u indices, not %u", params->n_in, n_old);
  }
  if (results->n_in == 0 || results->n_in > TN_MAX_NDIM) {
    return refuse_map(s, "gives no indices, or too many");
  }
  *m = (layout){.n_old = n_old, .n_new = results->n_in};
  for (uint32_t i = 0; i < n_old; ++i) {
    m->old_extents[i] = extents[i];
    m->vars[i] = tn_var_new(s->ir, params->in[i]->attr.text, extents[i]->dtype);
  }
  for (uint32_t d = 0; d < m->n_new; ++d) {
    if (!tn_dtype_is_int(results->in[d]->dtype)) {
      return refuse_map(s, "gives something else than indices");
    }
    m->values[d] = tn_index_map(s->ir, lambda, d, m->vars);
  }
  return NULL;
}

static tn_status not_injective(tn_sched *s, const tn_answer *answer) {
  tn_buf text = TN_BUF_INIT;
  tn_sched_print_points(answer, &text);
  tn_status st =
      answer->verdict == TN_REFUTED
          ? tn_refuse(s, NULL, NULL, "the map gives two places one index%s", tn_buf_text(&text))
          : tn_refuse(s, NULL, NULL,
                      "it could not be proved that the map gives each place an index of its own");
  tn_buf_deinit(&text);
  return st;
}

static tn_domain domain_of(const layout *m) {
  return (tn_domain){.n = m->n_old, .vars = m->vars, .extents = m->old_extents};
}

static tn_dtype widest_type(const layout *m) {
  tn_dtype dtype = m->old_extents[0]->dtype;
  for (uint32_t i = 1; i < m->n_old; ++i) {
    tn_dtype own = m->old_extents[i]->dtype;
    dtype = tn_dtype_bits(own) > tn_dtype_bits(dtype) ? own : dtype;
  }
  return dtype;
}

static void name_axes(tn_ir *ir, layout *m, tn_dtype dtype) {
  for (uint32_t d = 0; d < m->n_new; ++d) {
    char name[16];
    (void)snprintf(name, sizeof name, "v%u", d);
    m->axes[d] = tn_var_new(ir, name, dtype);
  }
}

static void bind_old(const layout *m, tn_ir *ir, tn_arith *arith) {
  for (uint32_t i = 0; i < m->n_old; ++i) {
    tn_arith_bind_range(arith, m->vars[i], tn_int(ir, m->vars[i]->dtype, 0), m->old_extents[i]);
  }
}

/* The box is as large as what the map takes. */
static bool fills_box(const layout *m, tn_ir *ir, tn_arith *arith) {
  const tn_node *n_old = tn_int(ir, TN_DT_I64, 1);
  const tn_node *n_new = n_old;
  for (uint32_t i = 0; i < m->n_old; ++i) {
    n_old = tn_index_binary(ir, TN_OP_MUL, n_old, m->old_extents[i]);
  }
  for (uint32_t d = 0; d < m->n_new; ++d) {
    n_new = tn_index_binary(ir, TN_OP_MUL, n_new, m->extents[d]);
  }
  return tn_arith_prove(arith, tn_index_binary(ir, TN_OP_EQ, n_old, n_new));
}

/* Extents and inverse where the map's form is understood; *out_is_known false otherwise. */
static tn_status solve_map(tn_sched *s, layout *m, bool *out_is_known) {
  tn_ir *ir = s->ir;
  tn_domain domain = domain_of(m);
  tn_dtype dtype = widest_type(m);
  tn_arith *arith = tn_arith_new(ir);
  name_axes(ir, m, dtype);
  *out_is_known =
      tn_itermap_invert(arith, &domain, m->n_new, m->values, m->axes, m->inverse, m->extents);
  bind_old(m, ir, arith);
  bool begins_at_0 = true;
  for (uint32_t d = 0; *out_is_known && d < m->n_new; ++d) {
    m->extents[d] = tn_index_cast(ir, dtype, tn_arith_simplify(arith, m->extents[d]));
    begins_at_0 =
        begins_at_0 &&
        tn_arith_prove(arith, tn_index_binary(ir, TN_OP_GE, m->values[d], tn_int(ir, dtype, 0))) &&
        tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LT, m->values[d], m->extents[d]));
  }
  for (uint32_t i = 0; *out_is_known && i < m->n_old; ++i) {
    m->inverse[i] = tn_index_cast(ir, m->vars[i]->dtype, m->inverse[i]);
  }
  m->is_full = *out_is_known && fills_box(m, ir, arith);
  tn_arith_free(arith);
  if (!begins_at_0) {
    return refuse_map(s, "gives indices that do not begin at 0");
  }
  return NULL;
}

/* Without an inverse: told apart by integer sets, extents from the least box. */
static tn_status solve_by_sets(tn_sched *s, layout *m) {
  tn_domain domain = domain_of(m);
  const tn_node *mins[TN_MAX_AXES];
  tn_footprint print = {.domain = domain, .access = {.n_dims = m->n_new, .mins = m->values}};
  ++s->stats.n_questions;
  tn_answer answer = tn_sets_is_injective(tn_sched_sets(s), &domain, m->n_new, m->values);
  if (answer.verdict != TN_PROVED) {
    return not_injective(s, &answer);
  }
  answer = tn_sets_box(tn_sched_sets(s), s->ir, &print, mins, m->extents);
  if (answer.verdict != TN_PROVED) {
    return refuse_map(s, "has indices whose extents are not known");
  }
  for (uint32_t d = 0; d < m->n_new; ++d) {
    if (!tn_is_int(mins[d], 0)) {
      return refuse_map(s, "gives indices that do not begin at 0");
    }
    m->extents[d] = tn_index_cast(s->ir, widest_type(m), m->extents[d]);
  }
  return NULL;
}

/* ---- padding ---- */

static const tn_node *is_taken(tn_ir *ir, tn_arith *arith, const layout *m) {
  const tn_node *cond = tn_bool(ir, true);
  for (uint32_t i = 0; i < m->n_old; ++i) {
    const tn_node *zero = tn_int(ir, m->vars[i]->dtype, 0);
    const tn_node *parts[] = {tn_index_binary(ir, TN_OP_LE, zero, m->inverse[i]),
                              tn_index_binary(ir, TN_OP_LT, m->inverse[i], m->old_extents[i])};
    for (int32_t k = 0; k < 2; ++k) {
      const tn_node *part = tn_arith_simplify(arith, parts[k]);
      cond = tn_arith_prove(arith, part) ? cond : tn_sched_and(ir, cond, part);
    }
  }
  return cond;
}

static void bind_new(const layout *m, tn_ir *ir, tn_arith *arith) {
  for (uint32_t d = 0; d < m->n_new; ++d) {
    tn_arith_bind_range(arith, m->axes[d], tn_int(ir, m->axes[d]->dtype, 0), m->extents[d]);
  }
}

static const tn_node *pad_constant(tn_sched *s, const tn_node *value, tn_dtype dtype) {
  if (tn_is(value, TN_OP_INT)) {
    return tn_dtype_is_float(dtype) ? tn_float(s->ir, dtype, (double)value->attr.i64)
                                    : tn_int(s->ir, dtype, value->attr.i64);
  }
  return tn_is(value, TN_OP_FLOAT) && tn_dtype_is_float(dtype)
             ? tn_float(s->ir, dtype, value->attr.f64)
             : NULL;
}

/* The block writes buffer[v...] for its axes v..., each step one element. */
static bool writes_by_axes(const tn_node *block, const tn_node *buffer) {
  const tn_node *store = block->in[TN_BLOCK_BODY];
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  bool is_plain = tn_is(store, TN_OP_STORE) && store->in[TN_STORE_BUFFER] == buffer &&
                  iters->n_in == store->n_in - TN_STORE_INDICES &&
                  tn_is_none(block->in[TN_BLOCK_INIT]);
  for (uint32_t i = 0; is_plain && i < iters->n_in; ++i) {
    is_plain = iters->in[i]->in[TN_ITER_VAR] == store->in[TN_STORE_INDICES + i] &&
               tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0) &&
               iters->in[i]->in[TN_ITER_EXTENT] == buffer->in[TN_BUFFER_SHAPE]->in[i];
  }
  return is_plain;
}

/* The only thing in all of its loops; *out_nest: the outermost. */
static bool is_alone(const tn_tree *tree, const tn_node *block, const tn_node **out_nest) {
  const tn_node *at = block;
  while (tn_is(tn_tree_parent(tree, at), TN_OP_FOR)) {
    at = tn_tree_parent(tree, at);
  }
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  *out_nest = at;
  return tn_tree_loops(tree, at, loops) == 0;
}

typedef struct padded {
  const tn_node *block; /* LABEL of the writer */
  const tn_node *value; /* over its axes */
  const tn_node *pad;
} padded;

static tn_status find_padded(tn_sched *s, const tn_tree *tree, const tn_node *scope,
                             const tn_node *buffer, const tn_node *pad_value, padded *out) {
  const tn_node *writers[TN_SCHED_MAX_BLOCKS];
  const tn_node *nest = NULL;
  out->pad = pad_constant(s, pad_value, buffer->dtype);
  if (out->pad == NULL) {
    return tn_refuse(s, NULL, NULL, "pad_value is no number of the buffer's type");
  }
  uint32_t n = tn_scope_users(tree, scope, buffer, true, writers);
  if (n != 1 || !writes_by_axes(writers[0], buffer) || !is_alone(tree, writers[0], &nest)) {
    return tn_refuse(s, NULL, "cache the buffer first: the copying block is of that kind",
                     "pad_value wants '%s' written by one block, alone in its nest, one element "
                     "for each step of its axes",
                     buffer->attr.text);
  }
  TN_TRY(tn_block_complete(s, tree, writers[0]));
  TN_TRY(tn_prove_all_steps(s, tree, writers[0]));
  out->block = writers[0]->in[TN_BLOCK_LABEL];
  return NULL;
}

/* The writer goes over the new shape: its value where the map takes, else the padding. */
static tn_status write_padding(tn_sched *s, const layout *m, const padded *p, const tn_node *to) {
  tn_ir *ir = s->ir;
  tn_copy copy;
  tn_box box = {.n = m->n_new};
  const tn_node *nest = NULL;
  const tn_node *made = NULL;
  const tn_node *value = NULL;
  const tn_tree *tree = tn_sched_tree(s, p->block);
  const tn_node *block = tn_tree_site(tree, p->block);
  (void)is_alone(tree, block, &nest);
  tn_copy_init(&copy, ir, p->block, to->in[TN_BUFFER_SHAPE]);
  layout over = *m; /* its axes: those of the copy */
  tn_map map = {0};
  for (uint32_t d = 0; d < m->n_new; ++d) {
    box.mins[d] = tn_int(ir, copy.axes[d]->dtype, 0);
    box.extents[d] = m->extents[d];
    over.axes[d] = copy.axes[d];
    tn_map_set(&map, m->axes[d]->id, (uint64_t)(uintptr_t)copy.axes[d]);
  }
  tn_arith *arith = tn_arith_new(ir);
  bind_new(&over, ir, arith);
  for (uint32_t i = 0; i < m->n_old; ++i) {
    over.inverse[i] = tn_arith_simplify(arith, tn_subst(ir, m->inverse[i], &map));
  }
  const tn_node *cond = is_taken(ir, arith, &over);
  tn_arith_free(arith);
  tn_map_deinit(&map);
  tn_map_axes(&map, block, over.inverse);
  value = tn_subst(ir, block->in[TN_BLOCK_BODY]->in[TN_STORE_VALUE], &map);
  tn_map_deinit(&map);
  if (!tn_is_int(cond, 1)) {
    TN_TRY(tn_tir_select(ir, TN_OP_IF_THEN_ELSE, cond, value, p->pad, &value));
  }
  TN_TRY(tn_copy_nest(s, tree, tn_tree_parent(tree, nest), &copy, &box,
                      tn_store_new(ir, to, value, m->n_new, copy.axes), &made));
  return tn_sched_replace(s, nest, made);
}

/* ---- transform_layout ---- */

static const tn_node *scope_of_alloc(const tn_tree *tree, const tn_node *block,
                                     const tn_node *buffer) {
  const tn_node *scope = tn_tree_scope(tree, block);
  while (scope != NULL && !tn_scope_allocates(scope, buffer)) {
    scope = tn_tree_scope(tree, scope);
  }
  return scope;
}

tn_status tn_prim_transform_layout(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *region = NULL;
  bool is_write = false;
  bool is_known = false;
  layout m;
  padded p = {.block = NULL};
  TN_TRY(tn_block_buffer_arg(s, block, call->args[1], false, &region, &is_write));
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *scope = scope_of_alloc(tree, block, buffer);
  if (scope == NULL) {
    return tn_refuse(s, call->args[0], "cache_read or cache_write gives a copy that may change",
                     "'%s' comes from outside: callers know its layout", buffer->attr.text);
  }
  if (shape->n_in == 0) {
    return tn_refuse(s, call->args[0], NULL, "'%s' has one element", buffer->attr.text);
  }
  TN_TRY(tn_scope_only_blocks_touch(s, tree, scope, buffer));
  TN_TRY(read_map(s, call->args[2], shape->n_in, shape->in, &m));
  TN_TRY(solve_map(s, &m, &is_known));
  if (!is_known) {
    TN_TRY(solve_by_sets(s, &m));
  }
  bool pads = !tn_is_none(call->args[3]) && !m.is_full;
  if (pads && !is_known) {
    return refuse_map(s, "has no known inverse, so its padding is not known");
  }
  if (pads) {
    TN_TRY(find_padded(s, tree, scope, buffer, call->args[3], &p));
  }
  const tn_node *to = tn_buffer_like(s->ir, buffer, buffer->attr.text, m.n_new, m.extents, NULL);
  TN_TRY(tn_sched_relayout(s, tree, buffer, to, m.n_old, m.vars, m.n_new, m.values));
  return pads ? write_padding(s, &m, &p, to) : NULL;
}

/* ---- transform_block_layout ---- */

/* A new axis is what the old axes are that feed it; all of one kind. */
static tn_status kind_of_axis(tn_sched *s, const tn_node *block, const layout *m, uint32_t d,
                              int64_t *out_kind) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  bool is_any = false;
  *out_kind = TN_ITER_SPATIAL;
  for (uint32_t i = 0; i < m->n_old; ++i) {
    tn_map map = {0};
    tn_map_set(&map, m->vars[i]->id, (uint64_t)(uintptr_t)tn_int(s->ir, m->vars[i]->dtype, 0));
    bool is_fed = tn_subst(s->ir, m->values[d], &map) != m->values[d];
    tn_map_deinit(&map);
    if (is_fed && is_any && iters->in[i]->attr.i64 != *out_kind) {
      return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL,
                       "new axis %u would be spatial and reduce at once", d);
    }
    if (is_fed) {
      *out_kind = iters->in[i]->attr.i64;
      is_any = true;
    }
  }
  return NULL;
}

static const tn_node *simplify_rule(tn_rewriter *rw, const tn_node *n) {
  uint32_t first = tn_is(n, TN_OP_LOAD)    ? TN_LOAD_INDICES
                   : tn_is(n, TN_OP_STORE) ? TN_STORE_INDICES
                                           : n->n_in;
  const tn_node *made = n;
  for (uint32_t i = first; i < n->n_in; ++i) {
    made = tn_with_child(rw->ir, made, i, tn_arith_simplify(rw->ctx, n->in[i]));
  }
  return made == n ? NULL : made;
}

static tn_status rebuild_block(tn_sched *s, const tn_node *block, const layout *m,
                               const tn_node *const *loops, const tn_node **out) {
  tn_ir *ir = s->ir;
  const tn_node *iters[TN_MAX_AXES];
  for (uint32_t d = 0; d < m->n_new; ++d) {
    int64_t kind = TN_ITER_SPATIAL;
    TN_TRY(kind_of_axis(s, block, m, d, &kind));
    iters[d] = tn_iter_new(ir, kind, m->axes[d], NULL, m->extents[d], loops[d]);
  }
  tn_map map = {0};
  tn_arith *arith = tn_arith_new(ir);
  bind_new(m, ir, arith);
  tn_map_axes(&map, block, m->inverse);
  const tn_node *cond = is_taken(ir, arith, m);
  tn_map to_loops = {0};
  for (uint32_t d = 0; d < m->n_new; ++d) {
    tn_map_set(&to_loops, m->axes[d]->id, (uint64_t)(uintptr_t)loops[d]);
  }
  block = tn_with_child(ir, block, TN_BLOCK_PREDICATE, tn_subst(ir, cond, &to_loops));
  for (uint32_t slot = TN_BLOCK_INIT; slot <= TN_BLOCK_BODY; ++slot) {
    const tn_node *part = tn_subst(ir, block->in[slot], &map);
    block = tn_with_child(ir, block, slot, tn_rewrite(ir, part, simplify_rule, arith));
  }
  block = tn_with_child(ir, block, TN_BLOCK_ITERS, tn_list(ir, m->n_new, iters));
  tn_map_deinit(&map);
  tn_map_deinit(&to_loops);
  tn_arith_free(arith);
  return tn_block_reinfer(s, block, out);
}

tn_status tn_prim_transform_block_layout(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *extents[TN_MAX_AXES];
  const tn_node *loops[TN_MAX_AXES];
  const tn_node *nest = NULL;
  bool is_known = false;
  layout m;
  TN_TRY(tn_block_compact(s, tree, block));
  TN_TRY(tn_prove_all_steps(s, tree, block));
  if (!tn_is_none(block->in[TN_BLOCK_INIT]) && !tn_block_commutes(block)) {
    return tn_refuse(s, call->args[0], NULL,
                     "its updates would come in another order, and they are not of the kinds "
                     "known to allow that");
  }
  if (!is_alone(tree, block, &nest)) {
    return tn_refuse(s, call->args[0], NULL, "it is not alone in its nest of loops");
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
    if (!tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0)) {
      return tn_refuse(s, call->args[0], NULL, "axis '%s' does not begin at 0",
                       iters->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  if (iters->n_in == 0) {
    return tn_refuse(s, call->args[0], NULL, "it has no axes");
  }
  TN_TRY(read_map(s, call->args[1], iters->n_in, extents, &m));
  TN_TRY(solve_map(s, &m, &is_known));
  if (!is_known) {
    return refuse_map(s, "has no known inverse");
  }
  for (uint32_t d = 0; d < m.n_new; ++d) {
    char name[16];
    (void)snprintf(name, sizeof name, "ax%u", d);
    loops[d] = tn_var_new(s->ir, name, m.axes[d]->dtype);
  }
  TN_TRY(rebuild_block(s, block, &m, loops, &block));
  TN_TRY(tn_sched_replace(s, nest, tn_loops_around(s->ir, m.n_new, loops, m.extents, block)));
  return tn_sched_fix_around(s, call->args[0]);
}
