/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Copies laid out by the axes of a block.
 *
 *   reindex(C, ("read", 0)):             for ax0, ax1: A_reindex[v0, v1] = A[v1, v0]
 *     C[vi] += A[vk, vi]          ->     for i, k:     C[vi] += A_reindex[vi, vk]
 *   reindex_cache_read(C, 0, "local", lambda i, k: (k, i // 4, i % 4)):
 *     the same with the indices that the map gives.
 *
 * reindex is the map that gives the axes which the access uses. The access has to be the same
 * wherever the block touches the buffer. For a read the element has to follow from the place in the
 * copy; for a write also the place from the element, so that each result has one place. */
#include "arith/sets.h"
#include "sched/axes.h"
#include "sched/loops.h"
#include "sched/touches.h"

typedef struct reindexing {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *scope;
  const tn_node *buffer;
  bool is_write;
  const char *storage; /* NULL: as the buffer */
  uint32_t n_from;     /* indices of the access, over the block's axes */
  const tn_node *const *from;
  uint32_t n_to; /* indices of the copy, likewise */
  const tn_node *to[TN_MAX_NDIM];
  const tn_node *extents[TN_MAX_NDIM];
  const tn_node *copy;
  const tn_node *label;
} reindexing;

/* ---- the access ---- */

typedef struct access_search {
  const tn_node *buffer;
  const tn_node *first; /* LOAD or STORE */
  bool differs;
} access_search;

static bool has_same_indices(const tn_node *a, const tn_node *b) {
  uint32_t first_a = tn_is(a, TN_OP_LOAD) ? TN_LOAD_INDICES : TN_STORE_INDICES;
  uint32_t first_b = tn_is(b, TN_OP_LOAD) ? TN_LOAD_INDICES : TN_STORE_INDICES;
  bool is_same = a->n_in - first_a == b->n_in - first_b;
  for (uint32_t d = 0; is_same && first_a + d < a->n_in; ++d) {
    is_same = a->in[first_a + d] == b->in[first_b + d];
  }
  return is_same;
}

static tn_visit look_for_access(const tn_node *n, void *ctx) {
  access_search *search = ctx;
  if (tn_is(n, TN_OP_MATCH) && n->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER] == search->buffer) {
    search->differs = true;
  }
  bool is_access = tn_is(n, TN_OP_LOAD) || tn_is(n, TN_OP_STORE);
  if (!is_access || n->in[0] != search->buffer) {
    return TN_DESCEND;
  }
  uint32_t first = tn_is(n, TN_OP_LOAD) ? TN_LOAD_INDICES : TN_STORE_INDICES;
  for (uint32_t i = first; i < n->n_in; ++i) {
    search->differs = search->differs || tn_dtype_lanes(n->in[i]->dtype) != 1 ||
                      (n->in[i]->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0;
  }
  search->differs =
      search->differs || (search->first != NULL && !has_same_indices(search->first, n));
  search->first = n;
  return TN_DESCEND;
}

typedef struct free_search {
  const tn_node *iters;
  bool has_other;
} free_search;

static tn_visit look_for_other_vars(const tn_node *n, void *ctx) {
  free_search *search = ctx;
  bool is_axis = false;
  for (uint32_t i = 0; tn_is(n, TN_OP_VAR) && i < search->iters->n_in; ++i) {
    is_axis = is_axis || search->iters->in[i]->in[TN_ITER_VAR] == n;
  }
  search->has_other =
      search->has_other || (tn_is(n, TN_OP_FOR)) || (tn_is(n, TN_OP_VAR) && !is_axis);
  return TN_DESCEND;
}

/* Sizes of the program are no axes either, but they are bound outside: only what the body binds is
 * not known at the copy. */
static bool is_bound_inside(const tn_node *body, const tn_node *index, const tn_node *iters) {
  free_search search = {.iters = iters};
  tn_walk_distinct(index, look_for_other_vars, &search);
  return search.has_other && !tn_is(body, TN_OP_STORE);
}

static tn_status find_access(reindexing *r) {
  access_search search = {.buffer = r->buffer};
  tn_walk_distinct(r->block->in[TN_BLOCK_BODY], look_for_access, &search);
  tn_walk_distinct(r->block->in[TN_BLOCK_INIT], look_for_access, &search);
  tn_walk_distinct(r->block->in[TN_BLOCK_MATCHES], look_for_access, &search);
  if (search.first == NULL || search.differs) {
    return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                     "it does not touch '%s' by one index alone", r->buffer->attr.text);
  }
  uint32_t first = tn_is(search.first, TN_OP_LOAD) ? TN_LOAD_INDICES : TN_STORE_INDICES;
  r->n_from = search.first->n_in - first;
  r->from = search.first->in + first;
  for (uint32_t d = 0; d < r->n_from; ++d) {
    if (is_bound_inside(r->block->in[TN_BLOCK_BODY], r->from[d], r->block->in[TN_BLOCK_ITERS])) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                       "an index of '%s' is made of more than its axes", r->buffer->attr.text);
    }
  }
  return NULL;
}

/* ---- axes that matter ---- */

static bool uses(uint32_t n, const tn_node *const *exprs, const tn_node *var) {
  bool is_used = false;
  for (uint32_t i = 0; i < n; ++i) {
    is_used = is_used || tn_expr_uses(exprs[i], 1, &var);
  }
  return is_used;
}

static tn_domain axes_domain(const reindexing *r, const tn_node **vars, const tn_node **mins,
                             const tn_node **extents) {
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    if (uses(r->n_from, r->from, var) || uses(r->n_to, r->to, var)) {
      vars[n] = var;
      mins[n] = iters->in[i]->in[TN_ITER_MIN];
      extents[n++] = iters->in[i]->in[TN_ITER_EXTENT];
    }
  }
  return (tn_domain){.n = n, .vars = vars, .mins = mins, .extents = extents};
}

/* A first value is the same whichever step begins: it may not use reduce axes. */
static tn_status check_first_value(const reindexing *r) {
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  access_search search = {.buffer = r->buffer};
  tn_walk_distinct(r->block->in[TN_BLOCK_INIT], look_for_access, &search);
  for (uint32_t i = 0; search.first != NULL && i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 != TN_ITER_SPATIAL &&
        uses(r->n_to, r->to, iters->in[i]->in[TN_ITER_VAR])) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                       "its T.init() uses '%s', whose copy would depend on the reduce axis '%s'",
                       r->buffer->attr.text, iters->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  return NULL;
}

/* ---- the map ---- */

static void plain_map(reindexing *r) {
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in && r->n_to < TN_MAX_NDIM; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    if (uses(r->n_from, r->from, var)) {
      r->to[r->n_to++] = var;
    }
  }
}

static tn_status given_map(reindexing *r, const tn_node *lambda) {
  const tn_node *params = lambda->in[TN_LAMBDA_PARAMS];
  const tn_node *results = lambda->in[TN_LAMBDA_RESULTS];
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  if (params->n_in != iters->n_in) {
    return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                     "the map takes %u indices, the block has %u axes", params->n_in, iters->n_in);
  }
  if (results->n_in == 0 || results->n_in > TN_MAX_NDIM) {
    return tn_refuse(r->s, NULL, NULL, "the map gives no indices, or too many");
  }
  const tn_node *axes[TN_MAX_AXES];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    axes[i] = iters->in[i]->in[TN_ITER_VAR];
  }
  for (uint32_t d = 0; d < results->n_in; ++d) {
    r->to[r->n_to++] = tn_index_map(r->s->ir, lambda, d, axes);
  }
  return NULL;
}

static tn_status is_determined(reindexing *r, const tn_domain *domain, uint32_t n_keys,
                               const tn_node *const *keys, uint32_t n_values,
                               const tn_node *const *values, const char *text) {
  ++r->s->stats.n_questions;
  tn_answer answer =
      tn_sets_is_determined(tn_sched_sets(r->s), domain, n_keys, keys, n_values, values);
  if (answer.verdict == TN_PROVED) {
    return NULL;
  }
  tn_buf example = TN_BUF_INIT;
  tn_sched_print_points(&answer, &example);
  r->s->stats.n_undecided += answer.verdict == TN_UNDECIDED;
  tn_status st = tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL, "%s%s%s",
                           answer.verdict == TN_REFUTED ? "" : "it is not proved that not ", text,
                           tn_buf_text(&example));
  tn_buf_deinit(&example);
  return st;
}

/* Extents of the copy: the least box from 0. */
static tn_status find_extents(reindexing *r, const tn_domain *domain) {
  const tn_node *mins[TN_MAX_NDIM];
  tn_footprint print = {.domain = *domain, .access = {.n_dims = r->n_to, .mins = r->to}};
  bool is_plain = true;
  for (uint32_t d = 0; d < r->n_to; ++d) {
    bool is_axis = false;
    for (uint32_t i = 0; i < domain->n; ++i) {
      if (domain->vars[i] == r->to[d] && tn_is_int(domain->mins[i], 0)) {
        r->extents[d] = domain->extents[i];
        is_axis = true;
      }
    }
    is_plain = is_plain && is_axis;
  }
  if (is_plain) {
    return NULL;
  }
  ++r->s->stats.n_questions;
  tn_answer answer = tn_sets_box(tn_sched_sets(r->s), r->s->ir, &print, mins, r->extents);
  for (uint32_t d = 0; d < r->n_to; ++d) {
    if (answer.verdict != TN_PROVED || !tn_is_int(mins[d], 0)) {
      return tn_refuse(r->s, NULL, "indices count from 0",
                       "the extents of what the map gives are not known, or begin elsewhere");
    }
  }
  return NULL;
}

/* ---- the copy's nest ---- */

/* v[...] over the axes that matter; the element and its place follow. */
static tn_status copy_nest(const reindexing *r, const tn_domain *domain, const tn_node **out) {
  tn_ir *ir = r->s->ir;
  const tn_node *iters[TN_MAX_AXES];
  const tn_node *loops[TN_MAX_AXES];
  const tn_node *from[TN_MAX_NDIM];
  const tn_node *to[TN_MAX_NDIM];
  const tn_node *predicate = tn_bool(ir, true);
  tn_arith *arith = tn_arith_new(ir);
  tn_map axes = {0};
  tn_map at = {0};
  for (uint32_t i = 0; i < domain->n; ++i) {
    char name[16];
    tn_dtype dtype = domain->vars[i]->dtype;
    (void)snprintf(name, sizeof name, "v%u", i);
    const tn_node *axis = tn_var_new(ir, name, dtype);
    (void)snprintf(name, sizeof name, "ax%u", i);
    loops[i] = tn_var_new(ir, name, dtype);
    const tn_node *binding = tn_index_binary(ir, TN_OP_ADD, domain->mins[i], loops[i]);
    iters[i] = tn_iter_new(ir, TN_ITER_SPATIAL, axis, domain->mins[i], domain->extents[i], binding);
    tn_arith_bind_range(arith, loops[i], tn_int(ir, dtype, 0), domain->extents[i]);
    tn_map_set(&axes, domain->vars[i]->id, (uint64_t)(uintptr_t)axis);
    tn_map_set(&at, domain->vars[i]->id, (uint64_t)(uintptr_t)binding);
  }
  for (uint32_t d = 0; d < r->n_from; ++d) {
    const tn_node *size = r->buffer->in[TN_BUFFER_SHAPE]->in[d];
    const tn_node *index = tn_arith_simplify(arith, tn_subst(ir, r->from[d], &at));
    const tn_node *is_inside[] = {tn_index_binary(ir, TN_OP_LE, tn_int(ir, index->dtype, 0), index),
                                  tn_index_binary(ir, TN_OP_LT, index, size)};
    for (int32_t k = 0; k < 2; ++k) {
      if (!tn_arith_prove(arith, is_inside[k])) {
        predicate = tn_sched_and(ir, predicate, is_inside[k]);
      }
    }
    from[d] = tn_subst(ir, r->from[d], &axes);
  }
  for (uint32_t d = 0; d < r->n_to; ++d) {
    to[d] = tn_subst(ir, r->to[d], &axes);
  }
  tn_map_deinit(&axes);
  tn_map_deinit(&at);
  tn_arith_free(arith);
  const tn_node *body =
      r->is_write
          ? tn_store_new(ir, r->buffer, tn_load_new(ir, r->copy, r->n_to, to), r->n_from, from)
          : tn_store_new(ir, r->copy, tn_load_new(ir, r->buffer, r->n_from, from), r->n_to, to);
  const tn_node *block = NULL;
  TN_TRY(tn_block_new(r->s, r->label, domain->n, iters, predicate, NULL, body, &block));
  *out = tn_loops_around(ir, domain->n, loops, domain->extents, block);
  return NULL;
}

/* ---- the block ---- */

static const tn_node *access_rule(tn_rewriter *rw, const tn_node *n) {
  const reindexing *r = rw->ctx;
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == r->buffer) {
    return tn_load_new(rw->ir, r->copy, r->n_to, r->to);
  }
  if (tn_is(n, TN_OP_STORE) && n->in[TN_STORE_BUFFER] == r->buffer) {
    return tn_store_new(rw->ir, r->copy, n->in[TN_STORE_VALUE], r->n_to, r->to);
  }
  return NULL;
}

static tn_status use_copy(reindexing *r) {
  const tn_node *block = tn_sched_site(r->s, r->block->in[TN_BLOCK_LABEL]);
  const tn_node *made = block;
  for (uint32_t slot = TN_BLOCK_INIT; slot <= TN_BLOCK_BODY; ++slot) {
    made =
        tn_with_child(r->s->ir, made, slot, tn_rewrite(r->s->ir, made->in[slot], access_rule, r));
  }
  TN_TRY(tn_block_reinfer(r->s, made, &made));
  return tn_sched_replace(r->s, block, made);
}

/* ---- where ---- */

static tn_status top_of(const tn_tree *tree, tn_sched *s, const tn_node *block,
                        const tn_node **out) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *nest = tn_tree_loops(tree, block, loops) == 0 ? block : loops[0];
  for (const tn_node *at = tn_tree_parent(tree, nest); at != NULL && !tn_is(at, TN_OP_BLOCK);
       at = tn_tree_parent(tree, at)) {
    if (!tn_is(at, TN_OP_SEQ) && !tn_is(at, TN_OP_PRIM_FUNC)) {
      return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL, "it stands below a condition");
    }
  }
  *out = nest;
  return NULL;
}

/* What writes what is read is done before the block's nest begins; what reads what is written
 * begins after it. */
static tn_status check_neighbours(reindexing *r, const tn_node *nest) {
  const tn_node *others[TN_SCHED_MAX_BLOCKS];
  uint32_t n = tn_scope_users(r->tree, r->scope, r->buffer, !r->is_write, others);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *other = others[i];
    const char *name = tn_block_name(other);
    if (other == r->block && r->is_write) {
      continue;
    }
    if (other == r->block) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], "cache_inplace",
                       "it writes '%s' as well", r->buffer->attr.text);
    }
    if (tn_tree_is_around(r->tree, nest, other)) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], "do this before the nests are joined",
                       "block '%s' is in the same nest and %s '%s'", name,
                       r->is_write ? "reads" : "writes", r->buffer->attr.text);
    }
    if (!r->is_write && tn_tree_place(r->tree, other) > tn_tree_place(r->tree, r->block)) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL, "block '%s' writes '%s' later",
                       name, r->buffer->attr.text);
    }
  }
  if (!r->is_write && n == 0 && !tn_tree_is_parameter(r->tree, r->buffer) &&
      !tn_block_reads_all(r->s, r->tree, r->block)) {
    return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                     "it may leave out a part of what it says that it reads of '%s', and what it "
                     "leaves out may hold nothing",
                     r->buffer->attr.text);
  }
  if (!r->is_write && n > 0) {
    const tn_node *loops[TN_SCHED_MAX_LOOPS];
    const tn_node *writer = others[0];
    const tn_node *whole = tn_tree_loops(r->tree, writer, loops) == 0 ? writer : loops[0];
    if (n > 1) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                       "'%s' is written by more than one block", r->buffer->attr.text);
    }
    TN_TRY(tn_prove_written(r->s, r->tree, tn_scope_body(r->tree, r->scope), nest, false, whole,
                            r->buffer));
  }
  return NULL;
}

/* Axes that are not in the index have a step at all sizes. */
static bool have_steps(const reindexing *r, const tn_domain *domain) {
  const tn_node *iters = r->block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(r->s->ir);
  bool have = true;
  for (uint32_t i = 0; have && i < iters->n_in; ++i) {
    const tn_node *extent = iters->in[i]->in[TN_ITER_EXTENT];
    for (uint32_t k = 0; k < domain->n; ++k) {
      extent = domain->vars[k] == iters->in[i]->in[TN_ITER_VAR] ? NULL : extent;
    }
    have = extent == NULL ||
           tn_arith_prove(arith, tn_index_binary(r->s->ir, TN_OP_GT, extent,
                                                 tn_int(r->s->ir, extent->dtype, 0)));
  }
  tn_arith_free(arith);
  return have;
}

/* Each element that is copied out is written: a reduction over nothing leaves it as it was. */
static tn_status prove_results(reindexing *r, const tn_domain *domain, const tn_node *nest) {
  if (have_steps(r, domain)) { /* and all steps are done */
    ++r->s->stats.n_cheap;
    return NULL;
  }
  tn_footprint part = {.domain = *domain, .access = {.n_dims = r->n_from, .mins = r->from}};
  return tn_prove_print_written(r->s, r->tree, nest, r->buffer, &part);
}

/* Each element that is copied in is written, also where the block reads none of them. */
static tn_status prove_operands(reindexing *r, const tn_domain *domain) {
  tn_ir *ir = r->s->ir;
  if (tn_tree_is_parameter(r->tree, r->buffer) || have_steps(r, domain)) {
    return NULL;
  }
  tn_footprint part = {.domain = *domain, .access = {.n_dims = r->n_from, .mins = r->from}};
  const tn_node *cond = tn_bool(ir, true);
  for (uint32_t d = 0; d < r->n_from; ++d) {
    const tn_node *index = r->from[d];
    const tn_node *size = r->buffer->in[TN_BUFFER_SHAPE]->in[d];
    cond =
        tn_sched_and(ir, cond, tn_index_binary(ir, TN_OP_LE, tn_int(ir, index->dtype, 0), index));
    cond = tn_sched_and(ir, cond, tn_index_binary(ir, TN_OP_LT, index, size));
  }
  part.domain.cond = cond;
  return tn_prove_print_written(r->s, r->tree, tn_scope_body(r->tree, r->scope), r->buffer, &part);
}

static tn_status check(reindexing *r, const tn_domain *domain, const tn_node **out_nest) {
  TN_TRY(tn_scope_only_blocks_touch(r->s, r->tree, r->scope, r->buffer));
  TN_TRY(top_of(r->tree, r->s, r->block, out_nest));
  TN_TRY(check_neighbours(r, *out_nest));
  TN_TRY(tn_prove_all_steps(r->s, r->tree, r->block));
  TN_TRY(is_determined(r, domain, r->n_to, r->to, r->n_from, r->from,
                       "two elements would have one place in the copy"));
  if (!r->is_write) { /* the axes of the copying block are spatial */
    TN_TRY(is_determined(r, domain, r->n_to, r->to, domain->n, domain->vars,
                         "two steps of the copy would write one place"));
    TN_TRY(prove_operands(r, domain));
  }
  if (r->is_write) {
    TN_TRY(tn_block_compact(r->s, r->tree, r->block));
    if (!tn_block_writes_all(r->s, r->tree, r->block)) {
      return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL,
                       "it does not write '%s' at every step", r->buffer->attr.text);
    }
    TN_TRY(is_determined(r, domain, r->n_from, r->from, r->n_to, r->to,
                         "one element would have two places in the copy"));
    TN_TRY(prove_results(r, domain, *out_nest));
  }
  return NULL;
}

static tn_status do_reindex(reindexing *r, const char *suffix) {
  tn_ir *ir = r->s->ir;
  const tn_node *vars[TN_MAX_AXES];
  const tn_node *mins[TN_MAX_AXES];
  const tn_node *extents[TN_MAX_AXES];
  const tn_node *nest = NULL;
  const tn_node *copying = NULL;
  if (r->n_to == 0) {
    return tn_refuse(r->s, r->block->in[TN_BLOCK_LABEL], NULL, "no axis is in the index of '%s'",
                     r->buffer->attr.text);
  }
  tn_domain domain = axes_domain(r, vars, mins, extents);
  TN_TRY(check(r, &domain, &nest));
  TN_TRY(check_first_value(r));
  TN_TRY(find_extents(r, &domain));
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_%s", r->buffer->attr.text, suffix);
  const char *fresh = tn_sched_fresh_name(r->s, r->tree, tn_buf_text(&name));
  tn_buf_deinit(&name);
  r->label = tn_label_new(ir, fresh);
  r->copy = tn_buffer_like(ir, r->buffer, fresh, r->n_to, r->extents, r->storage);
  TN_TRY(copy_nest(r, &domain, &copying));
  TN_TRY(tn_sched_insert(r->s, nest, copying, !r->is_write));
  TN_TRY(use_copy(r));
  const tn_tree *tree = tn_sched_tree(r->s, r->label);
  const tn_node *scope = tn_tree_scope(tree, tn_tree_site(tree, r->label));
  TN_TRY(tn_sched_add_alloc(r->s, tree, scope, r->copy));
  return tn_sched_fix_around(r->s, r->label);
}

static tn_status begin(tn_sched *s, tn_prim_call *call, const tn_node *arg, bool is_write,
                       reindexing *r) {
  const tn_node *region = NULL;
  *r = (reindexing){.s = s, .tree = tn_sched_tree(s, call->args[0])};
  r->block = tn_tree_site(r->tree, call->args[0]);
  r->scope = tn_tree_scope(r->tree, r->block);
  TN_TRY(tn_block_buffer_arg(s, r->block, arg, is_write, &region, &r->is_write));
  r->buffer = region->in[TN_REGION_BUFFER];
  return find_access(r);
}

tn_status tn_prim_reindex(tn_sched *s, tn_prim_call *call) {
  reindexing r;
  TN_TRY(begin(s, call, call->args[1], false, &r));
  plain_map(&r);
  TN_TRY(do_reindex(&r, "reindex"));
  call->out = r.label;
  return NULL;
}

static tn_status reindex_cache(tn_sched *s, tn_prim_call *call, bool is_write) {
  reindexing r;
  TN_TRY(begin(s, call, call->args[1], is_write, &r));
  r.storage = call->args[2]->attr.text;
  TN_TRY(given_map(&r, call->args[3]));
  TN_TRY(do_reindex(&r, r.storage));
  call->out = r.label;
  return NULL;
}

tn_status tn_prim_reindex_cache_read(tn_sched *s, tn_prim_call *call) {
  return reindex_cache(s, call, false);
}

tn_status tn_prim_reindex_cache_write(tn_sched *s, tn_prim_call *call) {
  return reindex_cache(s, call, true);
}
