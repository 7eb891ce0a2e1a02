/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Making blocks, buffers and nests, and putting them into a function. */
#include "sched/rewrite.h"

#include <string.h>

/* ---- expressions ---- */

const tn_node *tn_index_cast(tn_ir *ir, tn_dtype dtype, const tn_node *a) {
  const tn_node *out = a;
  tn_status st = a->dtype == dtype ? NULL : tn_tir_cast(ir, dtype, a, &out);
  TN_CHECK(st == NULL, "an index casts to another index type");
  return out;
}

const tn_node *tn_index_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b) {
  if (a->dtype != b->dtype) {
    tn_dtype dtype = tn_dtype_bits(a->dtype) >= tn_dtype_bits(b->dtype) ? a->dtype : b->dtype;
    a = tn_index_cast(ir, dtype, a);
    b = tn_index_cast(ir, dtype, b);
  }
  bool is_sum = op == TN_OP_ADD || op == TN_OP_SUB;
  if (is_sum && tn_is_int(b, 0)) {
    return a;
  }
  if (op == TN_OP_ADD && tn_is_int(a, 0)) {
    return b;
  }
  const tn_node *made = tn_binary(ir, op, a, b);
  const tn_node *folded = tn_arith_fold(ir, made);
  return folded != NULL ? folded : made;
}

/* Whole numbers of the map counted in the type of its variables, which are cast to that of its
 * parameters. */
static const tn_node *widen(tn_ir *ir, tn_dtype dtype, const tn_node *n) {
  static const tn_op ops[] = {TN_OP_ADD,      TN_OP_SUB, TN_OP_MUL, TN_OP_FLOORDIV,
                              TN_OP_FLOORMOD, TN_OP_MIN, TN_OP_MAX};
  if (tn_is(n, TN_OP_CAST) && tn_is(n->in[0], TN_OP_VAR) && n->dtype == dtype) {
    return n->in[0];
  }
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    if (tn_is(n, ops[i])) {
      return tn_index_binary(ir, ops[i], widen(ir, dtype, n->in[TN_A]),
                             widen(ir, dtype, n->in[TN_B]));
    }
  }
  return n;
}

const tn_node *tn_index_map(tn_ir *ir, const tn_node *lambda, uint32_t result,
                            const tn_node *const *vars) {
  const tn_node *params = lambda->in[TN_LAMBDA_PARAMS];
  tn_map map = {0};
  const tn_node *narrowed = NULL;
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *value = tn_index_cast(ir, params->in[i]->dtype, vars[i]);
    narrowed = tn_dtype_bits(vars[i]->dtype) > tn_dtype_bits(value->dtype) ? value : narrowed;
    tn_map_set(&map, params->in[i]->id, (uint64_t)(uintptr_t)value);
  }
  const tn_node *out = tn_subst(ir, lambda->in[TN_LAMBDA_RESULTS]->in[result], &map);
  tn_map_deinit(&map);
  bool is_widened = narrowed != NULL && tn_dtype_is_int(out->dtype);
  return is_widened ? widen(ir, narrowed->dtype, out) : out;
}

const tn_node *tn_load_new(tn_ir *ir, const tn_node *buffer, uint32_t n,
                           const tn_node *const *indices) {
  const tn_node *load = NULL;
  tn_status st = tn_tir_load(ir, buffer, n, indices, NULL, &load);
  TN_CHECK(st == NULL, "a copy has as many indices as its buffer");
  return load;
}

const tn_node *tn_store_new(tn_ir *ir, const tn_node *buffer, const tn_node *value, uint32_t n,
                            const tn_node *const *indices) {
  const tn_node *store = NULL;
  tn_status st = tn_tir_store(ir, buffer, value, n, indices, NULL, &store);
  TN_CHECK(st == NULL, "a copy has as many indices as its buffer");
  return store;
}

/* ---- blocks ---- */

const tn_node *tn_iter_new(tn_ir *ir, int64_t kind, const tn_node *var, const tn_node *min,
                           const tn_node *extent, const tn_node *binding) {
  const tn_node *in[] = {[TN_ITER_VAR] = var,
                         [TN_ITER_MIN] = min != NULL ? min : tn_int(ir, var->dtype, 0),
                         [TN_ITER_EXTENT] = extent,
                         [TN_ITER_BINDING] = binding};
  return tn_node_new(ir, TN_OP_ITER, TN_DT_NONE, (tn_attr){.i64 = kind}, sizeof in / sizeof *in,
                     in);
}

static tn_status reinfer_one(tn_sched *s, const tn_node *block, const tn_node **out_block) {
  const tn_node *reads = NULL;
  const tn_node *writes = NULL;
  TN_TRY(tn_tir_infer_regions(s->ir, block, NULL, NULL, &reads, &writes));
  block = tn_with_child(s->ir, block, TN_BLOCK_READS, reads);
  *out_block = tn_with_child(s->ir, block, TN_BLOCK_WRITES, writes);
  return NULL;
}

typedef struct reinfer_ctx {
  tn_sched *s;
  tn_status st;
} reinfer_ctx;

static const tn_node *reinfer_rule(tn_rewriter *rw, const tn_node *n) {
  reinfer_ctx *ctx = rw->ctx;
  const tn_node *made = n;
  if (tn_is(n, TN_OP_BLOCK) && ctx->st == NULL) {
    ctx->st = reinfer_one(ctx->s, n, &made);
  }
  return made == n ? NULL : made;
}

tn_status tn_block_reinfer(tn_sched *s, const tn_node *block, const tn_node **out_block) {
  reinfer_ctx ctx = {.s = s};
  for (uint32_t slot = TN_BLOCK_INIT; slot <= TN_BLOCK_BODY; ++slot) {
    const tn_node *part = tn_rewrite(s->ir, block->in[slot], reinfer_rule, &ctx);
    TN_TRY(ctx.st);
    block = tn_with_child(s->ir, block, slot, part);
  }
  return reinfer_one(s, block, out_block);
}

/* The root block says nothing about what it touches. */
static bool is_silent(const tn_node *scope) {
  return scope->in[TN_BLOCK_ITERS]->n_in == 0 && scope->in[TN_BLOCK_READS]->n_in == 0 &&
         scope->in[TN_BLOCK_WRITES]->n_in == 0;
}

tn_status tn_sched_fix_around(tn_sched *s, const tn_node *label) {
  const tn_tree *tree = tn_sched_tree(s, label);
  const tn_node *scope = tn_tree_scope(tree, tn_tree_site(tree, label));
  while (scope != NULL) {
    const tn_node *made = scope;
    const tn_node *scope_label = scope->in[TN_BLOCK_LABEL];
    if (!is_silent(scope)) {
      TN_TRY(reinfer_one(s, scope, &made));
    }
    if (made != scope) {
      TN_TRY(tn_sched_replace(s, scope, made));
      tree = tn_sched_tree(s, scope_label);
    }
    scope = tn_tree_scope(tree, tn_tree_site(tree, scope_label));
  }
  return NULL;
}

static const tn_node *block_of(tn_ir *ir, const tn_node *label, const tn_node *iters,
                               const tn_node *predicate, const tn_node *allocs, const tn_node *init,
                               const tn_node *body) {
  const tn_node *empty = tn_list(ir, 0, NULL);
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = label,
      [TN_BLOCK_ITERS] = iters,
      [TN_BLOCK_PREDICATE] = predicate != NULL ? predicate : tn_bool(ir, true),
      [TN_BLOCK_READS] = empty,
      [TN_BLOCK_WRITES] = empty,
      [TN_BLOCK_ALLOCS] = allocs != NULL ? allocs : empty,
      [TN_BLOCK_MATCHES] = empty,
      [TN_BLOCK_INIT] = init != NULL ? init : tn_none(ir),
      [TN_BLOCK_ANNOTATIONS] = tn_none(ir),
      [TN_BLOCK_BODY] = body,
  };
  return tn_node_new(ir, TN_OP_BLOCK, TN_DT_NONE, (tn_attr){0}, sizeof in / sizeof *in, in);
}

tn_status tn_block_new(tn_sched *s, const tn_node *label, uint32_t n_iters,
                       const tn_node *const *iters, const tn_node *predicate, const tn_node *init,
                       const tn_node *body, const tn_node **out_block) {
  const tn_node *block =
      block_of(s->ir, label, tn_list(s->ir, n_iters, iters), predicate, NULL, init, body);
  return tn_block_reinfer(s, block, out_block);
}

const tn_node *tn_loops_around(tn_ir *ir, uint32_t n, const tn_node *const *vars,
                               const tn_node *const *extents, const tn_node *body) {
  for (uint32_t i = n; i > 0; --i) {
    if (vars[i - 1] != NULL) {
      body = tn_for_new(ir, TN_FOR_SERIAL, vars[i - 1], NULL,
                        tn_index_cast(ir, vars[i - 1]->dtype, extents[i - 1]), body, NULL, NULL);
    }
  }
  return body;
}

void tn_map_axes(tn_map *map, const tn_node *block, const tn_node *const *values) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *to = values != NULL ? values[i] : iters->in[i]->in[TN_ITER_BINDING];
    tn_map_set(map, iters->in[i]->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)to);
  }
}

/* ---- buffers ---- */

const tn_node *tn_extent_to_size(tn_ir *ir, const tn_node *extent) {
  return tn_arith_is_size(extent) ? extent
                                  : tn_binary(ir, TN_OP_MAX, extent, tn_int(ir, extent->dtype, 0));
}

const tn_node *tn_buffer_like(tn_ir *ir, const tn_node *like, const char *name, uint32_t ndim,
                              const tn_node *const *shape, const char *scope) {
  const tn_node *old = like->in[TN_BUFFER_SHAPE];
  const tn_node *sizes[TN_MAX_NDIM];
  for (uint32_t i = 0; shape != NULL && i < ndim; ++i) {
    sizes[i] = tn_extent_to_size(ir, shape[i]);
  }
  tn_buffer_spec spec = {.name = tn_ir_text(ir, name),
                         .dtype = like->dtype,
                         .ndim = shape != NULL ? ndim : old->n_in,
                         .shape = shape != NULL ? sizes : (const tn_node *const *)old->in,
                         .scope = scope != NULL ? scope : like->in[TN_BUFFER_SCOPE]->attr.text};
  return tn_buffer_new(ir, &spec);
}

const tn_node *tn_swap_buffer(tn_ir *ir, const tn_node *root, const tn_node *from,
                              const tn_node *to) {
  tn_map map = {0};
  tn_map_set(&map, from->id, (uint64_t)(uintptr_t)to);
  tn_map_set(&map, from->in[TN_BUFFER_DATA]->id, (uint64_t)(uintptr_t)to->in[TN_BUFFER_DATA]);
  const tn_node *made = tn_subst(ir, root, &map);
  tn_map_deinit(&map);
  return made;
}

/* ---- putting into a function ---- */

tn_status tn_sched_add_alloc(tn_sched *s, const tn_tree *tree, const tn_node *scope,
                             const tn_node *buffer) {
  tn_ir *ir = s->ir;
  if (scope == NULL) {
    const tn_node *root = block_of(ir, tn_label_new(ir, "root"), tn_list(ir, 0, NULL), NULL,
                                   tn_list(ir, 1, &buffer), NULL, tree->root);
    tn_sched_set_func(s, tree->name, tn_with_child(ir, tree->func, TN_PRIM_FUNC_BODY, root));
    return NULL;
  }
  TN_VEC(const tn_node *) list = {0};
  const tn_node *allocs = scope->in[TN_BLOCK_ALLOCS];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    TN_VEC_PUSH(&list, allocs->in[i]);
  }
  TN_VEC_PUSH(&list, buffer);
  allocs = tn_list(ir, (uint32_t)list.len, list.data);
  TN_VEC_DEINIT(&list);
  return tn_sched_replace(s, scope, tn_with_child(ir, scope, TN_BLOCK_ALLOCS, allocs));
}

/* The tree and scope that have the buffer; NULL when none has. */
static const tn_tree *tree_with(tn_sched *s, const tn_node *buffer, const tn_node **out_scope) {
  for (uint32_t i = 0; i < s->module.n_funcs; ++i) {
    const tn_tree *tree = tn_sched_tree_of(s, s->module.funcs[i].name);
    for (size_t k = 0; tree != NULL && k < tree->blocks.len; ++k) {
      if (tn_scope_allocates(tree->blocks.data[k], buffer)) {
        *out_scope = tree->blocks.data[k];
        return tree;
      }
    }
  }
  return NULL;
}

/* A root block is there for its memory only. */
static bool is_bare_root(const tn_tree *tree, const tn_node *scope) {
  return scope == tree->root && scope->in[TN_BLOCK_ITERS]->n_in == 0 &&
         scope->in[TN_BLOCK_ALLOCS]->n_in == 1 && scope->in[TN_BLOCK_READS]->n_in == 0 &&
         scope->in[TN_BLOCK_WRITES]->n_in == 0 && scope->in[TN_BLOCK_MATCHES]->n_in == 0 &&
         tn_is_none(scope->in[TN_BLOCK_ANNOTATIONS]) && strcmp(tn_block_name(scope), "root") == 0;
}

typedef struct use_search {
  const tn_node *buffer;
  bool is_used;
} use_search;

static tn_visit look_for_use(const tn_node *n, void *ctx) {
  use_search *search = ctx;
  search->is_used = search->is_used || n == search->buffer;
  return search->is_used ? TN_STOP : TN_DESCEND;
}

tn_status tn_sched_drop_alloc(tn_sched *s, const tn_node *buffer) {
  const tn_node *scope = NULL;
  const tn_tree *tree = tree_with(s, buffer, &scope);
  if (tree == NULL) {
    return NULL;
  }
  use_search search = {.buffer = buffer};
  tn_walk_distinct(scope->in[TN_BLOCK_BODY], look_for_use, &search);
  if (search.is_used) {
    return TN_ERR(TN_INVALID, "'%s' is still used, by a prefetch", buffer->attr.text);
  }
  if (is_bare_root(tree, scope)) {
    tn_sched_set_func(
        s, tree->name,
        tn_with_child(s->ir, tree->func, TN_PRIM_FUNC_BODY, scope->in[TN_BLOCK_BODY]));
    return NULL;
  }
  TN_VEC(const tn_node *) list = {0};
  const tn_node *allocs = scope->in[TN_BLOCK_ALLOCS];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    if (allocs->in[i] != buffer) {
      TN_VEC_PUSH(&list, allocs->in[i]);
    }
  }
  allocs = tn_list(s->ir, (uint32_t)list.len, list.data);
  TN_VEC_DEINIT(&list);
  return tn_sched_replace(s, scope, tn_with_child(s->ir, scope, TN_BLOCK_ALLOCS, allocs));
}

tn_status tn_sched_insert(tn_sched *s, const tn_node *at, const tn_node *stmt, bool is_before) {
  const tn_node *pair[] = {is_before ? stmt : at, is_before ? at : stmt};
  return tn_sched_replace(s, at, tn_seq(s->ir, 2, pair));
}

const tn_node *tn_sched_site(tn_sched *s, const tn_node *handle) {
  const tn_tree *tree = tn_sched_tree(s, handle);
  return tree == NULL ? NULL : tn_tree_site(tree, handle);
}
