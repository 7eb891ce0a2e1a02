/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two blocks become one.
 *
 *   compute_inline(B):          B[i] = A[i] * 2;  C[i] = B[i] + 1    ->   C[i] = A[i] * 2 + 1
 *   reverse_compute_inline(C):  the same, in B's nest, whatever order its loops have
 *   fuse_reduction_epilogue(B, C):  B[i] = 0, B[i] += ..; C[i] = B[i] + bias[i]
 *                                   ->   C[i] = bias[i], C[i] += ..
 *
 * The last one adds the bias first: bitwise the same for integers, another order of one sum for
 * floats, as reorder and rfactor may give. What is done to each partial sum, as a clip, is refused:
 * it would compute something else. */
#include "arith/itermap.h"
#include "sched/axes.h"
#include "sched/touches.h"

/* ---- the one store of a block ---- */

static bool is_scalar_store(const tn_node *n) {
  bool is_scalar =
      tn_is(n, TN_OP_STORE) && tn_is_none(n->in[TN_STORE_PREDICATE]) &&
      tn_dtype_lanes(n->in[TN_STORE_VALUE]->dtype) == tn_dtype_lanes(n->in[TN_STORE_BUFFER]->dtype);
  for (uint32_t i = TN_STORE_INDICES; is_scalar && i < n->n_in; ++i) {
    is_scalar = tn_dtype_lanes(n->in[i]->dtype) == 1;
  }
  return is_scalar;
}

static tn_status one_store(tn_sched *s, const tn_node *block, const tn_node **out) {
  const tn_node *body = block->in[TN_BLOCK_BODY];
  const tn_node *label = block->in[TN_BLOCK_LABEL];
  if (!is_scalar_store(body) || block->in[TN_BLOCK_ALLOCS]->n_in > 0 ||
      block->in[TN_BLOCK_MATCHES]->n_in > 0) {
    return tn_refuse(s, label, NULL, "its body is not one store of one element");
  }
  if (((body->in[TN_STORE_VALUE]->flags) & TN_NF_EFFECT) != 0) {
    return tn_refuse(s, label, NULL, "its value has effects");
  }
  *out = body;
  return NULL;
}

/* ---- loads of a buffer in a block ---- */

typedef struct load_search {
  const tn_node *buffer;
  const tn_node *first;
  bool differs; /* loads at two places */
  bool is_odd;  /* vectors, conditions, views, addresses */
} load_search;

static tn_visit look_for_loads(const tn_node *n, void *ctx) {
  load_search *search = ctx;
  if (tn_is(n, TN_OP_MATCH) && n->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER] == search->buffer) {
    search->is_odd = true;
  }
  bool is_address = tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->kind == TN_IK_MEMORY;
  for (uint32_t i = 0; is_address && i < n->n_in; ++i) {
    search->is_odd = search->is_odd || (tn_is(n->in[i], TN_OP_LOAD) &&
                                        n->in[i]->in[TN_LOAD_BUFFER] == search->buffer);
  }
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == search->buffer) {
    search->is_odd = search->is_odd || !tn_is_none(n->in[TN_LOAD_PREDICATE]) ||
                     tn_dtype_lanes(n->dtype) != tn_dtype_lanes(search->buffer->dtype);
    search->differs = search->differs || (search->first != NULL && search->first != n);
    search->first = n;
  }
  return TN_DESCEND;
}

static tn_status find_loads(tn_sched *s, const tn_node *block, load_search *search) {
  tn_walk_distinct(block, look_for_loads, search);
  if (search->is_odd) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL,
                     "it uses '%s' otherwise than by loads of one element",
                     search->buffer->attr.text);
  }
  return NULL;
}

/* ---- what both directions ask ---- */

static tn_status check_scope(tn_sched *s, const tn_tree *tree, const tn_node *scope,
                             const tn_node *buffer) {
  TN_TRY(tn_scope_only_blocks(s, tree, scope));
  TN_TRY(tn_scope_stage_pipeline(s, tree, scope));
  return tn_scope_only_blocks_touch(s, tree, scope, buffer);
}

static const tn_node *nest_of(const tn_tree *tree, const tn_node *block) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  return tn_tree_loops(tree, block, loops) == 0 ? block : loops[0];
}

/* Does a block that does all its steps write all of the buffer? */
static bool writes_all(tn_sched *s, const tn_node *block, const tn_node *store) {
  const tn_node *buffer = store->in[TN_STORE_BUFFER];
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(s->ir);
  bool is_all = true;
  for (uint32_t d = 0; is_all && d + TN_STORE_INDICES < store->n_in; ++d) {
    const tn_node *index = store->in[TN_STORE_INDICES + d];
    const tn_node *size = buffer->in[TN_BUFFER_SHAPE]->in[d];
    bool is_found = tn_is_int(index, 0) && tn_is_int(size, 1);
    for (uint32_t i = 0; i < iters->n_in && !is_found; ++i) {
      const tn_node *iter = iters->in[i];
      is_found =
          iter->in[TN_ITER_VAR] == index && tn_is_int(iter->in[TN_ITER_MIN], 0) &&
          tn_arith_prove(arith, tn_index_binary(s->ir, TN_OP_EQ, iter->in[TN_ITER_EXTENT], size));
    }
    is_all = is_found;
  }
  tn_arith_free(arith);
  return is_all;
}

/* ---- compute_inline ---- */

typedef struct inliner {
  tn_sched *s;
  const tn_node *block;
  const tn_node *store;
  const tn_node *buffer;
  tn_status st;
} inliner;

static tn_visit look_for_let(const tn_node *n, void *ctx) {
  *(bool *)ctx = *(bool *)ctx || tn_is(n, TN_OP_LET);
  return TN_DESCEND;
}

/* Each index is an axis of its own, or a number; the value uses no other axis. */
static tn_status check_indices(tn_sched *s, const tn_node *block, const tn_node *store) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  uint32_t n_found = 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    uint32_t n = 0;
    for (uint32_t d = TN_STORE_INDICES; d < store->n_in; ++d) {
      n += store->in[d] == iters->in[i]->in[TN_ITER_VAR];
    }
    if (n != 1 && !(n == 0 && tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1))) {
      return tn_refuse(
          s, block->in[TN_BLOCK_LABEL], NULL, "axis '%s' is not one index of '%s' alone",
          iters->in[i]->in[TN_ITER_VAR]->attr.text, store->in[TN_STORE_BUFFER]->attr.text);
    }
    n_found += n;
  }
  for (uint32_t d = TN_STORE_INDICES; d < store->n_in; ++d) {
    n_found += tn_is(store->in[d], TN_OP_INT);
  }
  if (n_found != store->n_in - TN_STORE_INDICES) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL,
                     "an index of '%s' is neither an axis nor a number",
                     store->in[TN_STORE_BUFFER]->attr.text);
  }
  return NULL;
}

/* The value where the axes are such that the store goes to these indices. */
static const tn_node *value_at(const inliner *in, const tn_node *const *indices) {
  tn_map map = {0};
  bool has_let = false;
  const tn_node *iters = in->block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    const tn_node *to = iters->in[i]->in[TN_ITER_MIN];
    for (uint32_t d = TN_STORE_INDICES; d < in->store->n_in; ++d) {
      to = in->store->in[d] == var ? indices[d - TN_STORE_INDICES] : to;
    }
    tn_map_set(&map, var->id, (uint64_t)(uintptr_t)tn_index_cast(in->s->ir, var->dtype, to));
  }
  const tn_node *value = tn_subst(in->s->ir, in->store->in[TN_STORE_VALUE], &map);
  tn_map_deinit(&map);
  tn_walk_distinct(value, look_for_let, &has_let);
  return has_let ? tn_clone_fresh(in->s->ir, value) : value;
}

static const tn_node *inline_rule(tn_rewriter *rw, const tn_node *n) {
  inliner *in = rw->ctx;
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == in->buffer) {
    return value_at(in, n->in + TN_LOAD_INDICES);
  }
  if (!tn_is(n, TN_OP_BLOCK) || in->st != NULL) {
    return NULL;
  }
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(n, false, i)) != NULL; ++i) {
    if (region->in[TN_REGION_BUFFER] == in->buffer) {
      const tn_node *made = n;
      in->st = tn_block_reinfer(in->s, n, &made);
      return made;
    }
  }
  return NULL;
}

static tn_status check_inline(tn_sched *s, const tn_tree *tree, const tn_node *block,
                              const tn_node *store, uint32_t n, const tn_node *const *consumers) {
  const tn_node *producers[TN_SCHED_MAX_BLOCKS];
  TN_TRY(check_scope(s, tree, tn_tree_scope(tree, block), store->in[TN_STORE_BUFFER]));
  TN_TRY(tn_block_complete(s, tree, block));
  TN_TRY(check_indices(s, block, store));
  TN_TRY(tn_prove_all_steps(s, tree, block));
  uint32_t n_producers = tn_block_producers(tree, block, TN_SCHED_MAX_BLOCKS, producers);
  for (uint32_t i = 0; i < n_producers; ++i) {
    TN_TRY(tn_prove_final(s, tree, block, producers[i]));
  }
  for (uint32_t i = 0; i < n; ++i) {
    load_search search = {.buffer = store->in[TN_STORE_BUFFER]};
    TN_TRY(find_loads(s, consumers[i], &search));
    TN_TRY(tn_prove_final(s, tree, consumers[i], block));
    if (!writes_all(s, block, store)) {
      TN_TRY(tn_prove_written(s, tree, tn_scope_body(tree, tn_tree_scope(tree, block)),
                              nest_of(tree, consumers[i]), false, nest_of(tree, block),
                              store->in[TN_STORE_BUFFER]));
    }
  }
  return NULL;
}

tn_status tn_prim_compute_inline(tn_sched *s, tn_prim_call *call) {
  const tn_node *label = call->args[0];
  const tn_tree *tree = tn_sched_tree(s, label);
  const tn_node *block = tn_tree_site(tree, label);
  const tn_node *consumers[TN_SCHED_MAX_BLOCKS];
  const tn_node *store = NULL;
  uint32_t n = tn_block_consumers(tree, block, TN_SCHED_MAX_BLOCKS, consumers);
  if (tn_block_is_output(tree, block)) {
    return tn_refuse(s, label, "reverse_compute_inline brings an output to where its input is made",
                     "it writes memory that outlives its scope");
  }
  if (n == 0) {
    return tn_refuse(s, label, NULL, "nothing in its scope reads what it writes");
  }
  TN_TRY(one_store(s, block, &store));
  TN_TRY(check_inline(s, tree, block, store, n, consumers));
  inliner in = {.s = s, .block = block, .store = store, .buffer = store->in[TN_STORE_BUFFER]};
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *site = tn_sched_site(s, consumers[i]->in[TN_BLOCK_LABEL]);
    const tn_node *made = tn_rewrite(s->ir, site, inline_rule, &in);
    TN_TRY(in.st);
    TN_TRY(tn_sched_replace(s, site, made));
    TN_TRY(tn_sched_fix_around(s, consumers[i]->in[TN_BLOCK_LABEL]));
  }
  TN_TRY(tn_sched_replace(s, tn_sched_site(s, label), tn_none(s->ir)));
  return tn_sched_drop_alloc(s, in.buffer);
}

/* ---- from below ---- */

typedef struct fusion {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *producer;
  const tn_node *consumer;
  const tn_node *made; /* the producer's store */
  const tn_node *used; /* the consumer's store */
  const tn_node *load; /* of the buffer between, in the consumer */
  const tn_node *buffer;
  tn_map axes;          /* of the consumer, in terms of the producer's */
  const tn_node *guard; /* the element is one that the consumer uses */
} fusion;

static const tn_node *axes_domain(tn_ir *ir, const tn_node *block, tn_domain *out,
                                  const tn_node **vars, const tn_node **extents) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (!tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0)) {
      return NULL;
    }
    vars[i] = iters->in[i]->in[TN_ITER_VAR];
    extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
  }
  *out = (tn_domain){.n = iters->n_in, .vars = vars, .extents = extents};
  return tn_none(ir);
}

/* The consumer's axes from the indices of its load, in general. */
static bool invert(fusion *f, const tn_node *const *to) {
  tn_ir *ir = f->s->ir;
  tn_domain domain;
  const tn_node *vars[TN_MAX_AXES];
  const tn_node *extents[TN_MAX_AXES];
  const tn_node *results[TN_MAX_NDIM];
  const tn_node *inverse[TN_MAX_AXES];
  uint32_t n = f->load->n_in - TN_LOAD_INDICES;
  if (axes_domain(ir, f->consumer, &domain, vars, extents) == NULL) {
    return false;
  }
  tn_map map = {0};
  for (uint32_t d = 0; d < n; ++d) {
    results[d] = tn_var_new(ir, "x", f->load->in[TN_LOAD_INDICES + d]->dtype);
    tn_map_set(&map, results[d]->id,
               (uint64_t)(uintptr_t)tn_index_cast(ir, results[d]->dtype, to[d]));
  }
  tn_arith *arith = tn_arith_new(ir);
  bool is_found =
      tn_itermap_invert(arith, &domain, n, f->load->in + TN_LOAD_INDICES, results, inverse, NULL);
  for (uint32_t i = 0; is_found && i < domain.n; ++i) {
    const tn_node *value = tn_index_cast(ir, vars[i]->dtype, inverse[i]);
    tn_map_set(&f->axes, vars[i]->id, (uint64_t)(uintptr_t)tn_subst(ir, value, &map));
  }
  tn_arith_free(arith);
  tn_map_deinit(&map);
  return is_found;
}

/* The same where each index is an axis or a number. */
static bool invert_plain(fusion *f, const tn_node *const *to) {
  const tn_node *iters = f->consumer->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    const tn_node *value = NULL;
    for (uint32_t d = TN_LOAD_INDICES; d < f->load->n_in; ++d) {
      value = f->load->in[d] == var ? to[d - TN_LOAD_INDICES] : value;
    }
    if (value == NULL && tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1)) {
      value = iters->in[i]->in[TN_ITER_MIN];
    }
    if (value == NULL) {
      return false;
    }
    value = tn_index_cast(f->s->ir, var->dtype, value);
    tn_map_set(&f->axes, var->id, (uint64_t)(uintptr_t)value);
  }
  return true;
}

static void add_guard(fusion *f, tn_arith *arith, const tn_node *cond) {
  if (!tn_arith_prove(arith, cond)) {
    f->guard = tn_sched_and(f->s->ir, f->guard, cond);
  }
}

/* Elements that the consumer does not use must not be written: its axes stay inside, and its indices
 * are those of the element. */
static void find_guard(fusion *f, const tn_node *const *to) {
  tn_ir *ir = f->s->ir;
  const tn_node *iters = f->consumer->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(ir);
  tn_sched_bind_axes(arith, f->producer);
  f->guard = tn_bool(ir, true);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *value = tn_subst(ir, iter->in[TN_ITER_VAR], &f->axes);
    const tn_node *end =
        tn_index_binary(ir, TN_OP_ADD, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
    add_guard(f, arith, tn_index_binary(ir, TN_OP_LE, iter->in[TN_ITER_MIN], value));
    add_guard(f, arith, tn_index_binary(ir, TN_OP_LT, value, end));
  }
  for (uint32_t d = TN_LOAD_INDICES; d < f->load->n_in; ++d) {
    const tn_node *back = tn_subst(ir, f->load->in[d], &f->axes);
    add_guard(f, arith, tn_index_binary(ir, TN_OP_EQ, back, to[d - TN_LOAD_INDICES]));
  }
  tn_arith_free(arith);
}

static tn_footprint steps_print(const tn_node *block, uint32_t n, const tn_node *const *indices,
                                const tn_node **vars, const tn_node **mins,
                                const tn_node **extents) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    vars[i] = iters->in[i]->in[TN_ITER_VAR];
    mins[i] = iters->in[i]->in[TN_ITER_MIN];
    extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
  }
  return (tn_footprint){
      .domain = {.n = iters->n_in, .vars = vars, .mins = mins, .extents = extents},
      .access = {.n_dims = n, .mins = indices}};
}

/* Every step of the consumer has an element that the producer makes, even where its value does not
 * need it: without one the step would be lost. */
static tn_status check_elements(const fusion *f) {
  tn_sched *s = f->s;
  uint32_t n = f->load->n_in - TN_LOAD_INDICES;
  const tn_node *vars[2][TN_MAX_AXES];
  const tn_node *mins[2][TN_MAX_AXES];
  const tn_node *extents[2][TN_MAX_AXES];
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_axes(arith, f->consumer);
  bool is_inside = writes_all(s, f->producer, f->made);
  for (uint32_t d = 0; d < n && is_inside; ++d) {
    const tn_node *index = f->load->in[TN_LOAD_INDICES + d];
    const tn_node *zero = tn_int(s->ir, index->dtype, 0);
    const tn_node *size = f->buffer->in[TN_BUFFER_SHAPE]->in[d];
    is_inside = tn_arith_prove(arith, tn_index_binary(s->ir, TN_OP_LE, zero, index)) &&
                tn_arith_prove(arith, tn_index_binary(s->ir, TN_OP_LT, index, size));
  }
  tn_arith_free(arith);
  if (is_inside) {
    ++s->stats.n_cheap;
    return NULL;
  }
  tn_footprint part =
      steps_print(f->consumer, n, f->load->in + TN_LOAD_INDICES, vars[0], mins[0], extents[0]);
  tn_footprint whole =
      steps_print(f->producer, n, f->made->in + TN_STORE_INDICES, vars[1], mins[1], extents[1]);
  ++s->stats.n_questions;
  tn_answer answer = tn_sets_is_covered(tn_sched_sets(s), &part, 1, &whole);
  if (answer.verdict == TN_PROVED) {
    return NULL;
  }
  s->stats.n_undecided += answer.verdict == TN_UNDECIDED;
  return tn_refuse(s, f->consumer->in[TN_BLOCK_LABEL], "compute_inline on its producer",
                   "it has steps for which block '%s' makes no element of '%s'",
                   tn_block_name(f->producer), f->buffer->attr.text);
}

static tn_status check_fusion(fusion *f) {
  tn_sched *s = f->s;
  const tn_node *label = f->consumer->in[TN_BLOCK_LABEL];
  const tn_node *scope = tn_tree_scope(f->tree, f->producer);
  const tn_node *others[TN_SCHED_MAX_BLOCKS];
  TN_TRY(check_scope(s, f->tree, scope, f->buffer));
  TN_TRY(tn_block_complete(s, f->tree, f->consumer));
  if (tn_block_is_output(f->tree, f->producer)) {
    return tn_refuse(s, label, NULL, "what block '%s' writes outlives their scope",
                     tn_block_name(f->producer));
  }
  if (tn_block_consumers(f->tree, f->producer, TN_SCHED_MAX_BLOCKS, others) != 1) {
    return tn_refuse(s, label, NULL, "it is not the only one that reads the result of block '%s'",
                     tn_block_name(f->producer));
  }
  load_search search = {.buffer = f->buffer};
  TN_TRY(find_loads(s, f->consumer, &search));
  if (search.first == NULL || search.differs) {
    return tn_refuse(s, label, NULL, "it does not read '%s' at one place only",
                     f->buffer->attr.text);
  }
  f->load = search.first;
  TN_TRY(tn_prove_all_steps(s, f->tree, f->producer));
  TN_TRY(tn_prove_all_steps(s, f->tree, f->consumer));
  TN_TRY(tn_prove_final(s, f->tree, f->consumer, f->producer));
  TN_TRY(check_elements(f));
  if (!invert_plain(f, f->made->in + TN_STORE_INDICES) &&
      !invert(f, f->made->in + TN_STORE_INDICES)) {
    return tn_refuse(s, label, NULL,
                     "its axes do not follow from the indices with which it reads '%s'",
                     f->buffer->attr.text);
  }
  find_guard(f, f->made->in + TN_STORE_INDICES);
  return NULL;
}

/* The consumer's store for the element that the producer makes, of that value. */
static const tn_node *fused_store(const fusion *f, const tn_node *value) {
  tn_ir *ir = f->s->ir;
  const tn_node *store = f->used;
  if (value != NULL) {
    const tn_node *in = tn_subst1(ir, store->in[TN_STORE_VALUE], f->load, value);
    store = tn_with_child(ir, store, TN_STORE_VALUE, in);
  }
  /* the axes of both blocks are different variables, so this leaves the value alone */
  return tn_subst(ir, store, &f->axes);
}

static tn_status put_fused(fusion *f, const tn_node *init, const tn_node *body) {
  tn_sched *s = f->s;
  const tn_node *block = f->producer;
  if (!tn_is_int(f->guard, 1)) {
    const tn_node *in[] = {f->guard, body, tn_none(s->ir)};
    body = tn_node_new(s->ir, TN_OP_IF, TN_DT_NONE, (tn_attr){0}, 3, in);
  }
  block = tn_with_child(s->ir, block, TN_BLOCK_BODY, body);
  block = tn_with_child(s->ir, block, TN_BLOCK_INIT, init != NULL ? init : tn_none(s->ir));
  TN_TRY(tn_block_reinfer(s, block, &block));
  TN_TRY(tn_sched_replace(s, f->producer, block));
  const tn_node *old = tn_sched_site(s, f->consumer->in[TN_BLOCK_LABEL]);
  TN_TRY(tn_sched_replace(s, old, tn_none(s->ir)));
  TN_TRY(tn_sched_drop_alloc(s, f->buffer));
  TN_TRY(tn_sched_fix_around(s, f->producer->in[TN_BLOCK_LABEL]));
  const tn_tree *tree = tn_sched_tree(s, f->producer->in[TN_BLOCK_LABEL]);
  block = tn_tree_site(tree, f->producer->in[TN_BLOCK_LABEL]);
  const tn_node *readers[TN_SCHED_MAX_BLOCKS];
  uint32_t n = tn_block_consumers(tree, block, TN_SCHED_MAX_BLOCKS, readers);
  for (uint32_t i = 0; i < n; ++i) {
    TN_TRY(tn_prove_final(s, tree, readers[i], block));
  }
  return NULL;
}

tn_status tn_prim_reverse_compute_inline(tn_sched *s, tn_prim_call *call) {
  const tn_node *label = call->args[0];
  const tn_node *producers[TN_SCHED_MAX_BLOCKS];
  fusion f = {.s = s, .tree = tn_sched_tree(s, label)};
  f.consumer = tn_tree_site(f.tree, label);
  uint32_t n = tn_block_producers(f.tree, f.consumer, TN_SCHED_MAX_BLOCKS, producers);
  if (n != 1) {
    return tn_refuse(s, label, NULL, "%u blocks make what it reads, not one", n);
  }
  f.producer = producers[0];
  if (!tn_is_none(f.producer->in[TN_BLOCK_INIT])) {
    return tn_refuse(s, label, "reverse_compute_at, or fuse_reduction_epilogue for a bias",
                     "block '%s' is a reduction: its values are not done at each step",
                     tn_block_name(f.producer));
  }
  TN_TRY(tn_block_complete(s, f.tree, f.producer));
  TN_TRY(one_store(s, f.producer, &f.made));
  TN_TRY(one_store(s, f.consumer, &f.used));
  f.buffer = f.made->in[TN_STORE_BUFFER];
  tn_status st = check_fusion(&f);
  if (st == NULL) {
    st = put_fused(&f, NULL, fused_store(&f, f.made->in[TN_STORE_VALUE]));
  }
  tn_map_deinit(&f.axes);
  return st;
}

/* ---- a bias after a sum ---- */

static bool is_zero(const tn_node *n) {
  return tn_is_int(n, 0) || (tn_is(n, TN_OP_FLOAT) && n->attr.f64 == 0);
}

/* The other operand of a sum of which one is `part`; NULL when it is none. */
static const tn_node *rest_of_sum(const tn_node *sum, const tn_node *part) {
  if (!tn_is(sum, TN_OP_ADD)) {
    return NULL;
  }
  return sum->in[TN_A] == part ? sum->in[TN_B] : sum->in[TN_B] == part ? sum->in[TN_A] : NULL;
}

static tn_status fuse_bias(fusion *f) {
  tn_sched *s = f->s;
  const tn_node *init = f->producer->in[TN_BLOCK_INIT];
  const tn_node *label = f->consumer->in[TN_BLOCK_LABEL];
  TN_TRY(check_fusion(f));
  const tn_node *mine = tn_load_new(s->ir, f->buffer, f->made->n_in - TN_STORE_INDICES,
                                    f->made->in + TN_STORE_INDICES);
  const tn_node *term = rest_of_sum(f->made->in[TN_STORE_VALUE], mine);
  const tn_node *bias = rest_of_sum(f->used->in[TN_STORE_VALUE], f->load);
  if (!is_scalar_store(init) || !is_zero(init->in[TN_STORE_VALUE]) || term == NULL) {
    return tn_refuse(s, f->producer->in[TN_BLOCK_LABEL], NULL, "it is not a sum that begins at 0");
  }
  load_search search = {.buffer = f->buffer};
  if (bias != NULL) {
    tn_walk_distinct(bias, look_for_loads, &search);
  }
  if (bias == NULL || search.first != NULL) {
    return tn_refuse(s, label, "reverse_compute_at puts it after the sum, where it is exact",
                     "it does more than add to the sum: done at each step it would compute "
                     "something else");
  }
  if (!tn_is_int(f->guard, 1)) {
    return tn_refuse(s, label, NULL, "it does not use every element of '%s'", f->buffer->attr.text);
  }
  const tn_node *first = tn_with_child(s->ir, f->used, TN_STORE_VALUE, bias);
  first = tn_subst(s->ir, first, &f->axes);
  const tn_node *total = tn_load_new(s->ir, first->in[TN_STORE_BUFFER],
                                     first->n_in - TN_STORE_INDICES, first->in + TN_STORE_INDICES);
  const tn_node *body =
      tn_store_new(s->ir, first->in[TN_STORE_BUFFER], tn_binary(s->ir, TN_OP_ADD, total, term),
                   first->n_in - TN_STORE_INDICES, first->in + TN_STORE_INDICES);
  return put_fused(f, first, body);
}

tn_status tn_prim_fuse_reduction_epilogue(tn_sched *s, tn_prim_call *call) {
  const tn_node *producers[TN_SCHED_MAX_BLOCKS];
  fusion f = {.s = s, .tree = tn_sched_tree(s, call->args[1])};
  f.consumer = tn_tree_site(f.tree, call->args[1]);
  f.producer = tn_tree_site(f.tree, call->args[0]);
  uint32_t n = tn_block_producers(f.tree, f.consumer, TN_SCHED_MAX_BLOCKS, producers);
  if (n != 1 || f.producer == NULL || producers[0] != f.producer) {
    return tn_refuse(s, call->args[1], NULL, "block '%s' is not the one that makes what it reads",
                     call->args[0]->attr.text);
  }
  TN_TRY(tn_block_reduction(s, f.tree, f.producer));
  TN_TRY(one_store(s, f.producer, &f.made));
  TN_TRY(one_store(s, f.consumer, &f.used));
  f.buffer = f.made->in[TN_STORE_BUFFER];
  tn_status st = fuse_bias(&f);
  tn_map_deinit(&f.axes);
  return st;
}
