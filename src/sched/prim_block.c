/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* blockize: what is below a loop becomes one block.
 *
 *   for i_0, i_1 in T.grid(8, 4):           for i_0 in range(8):
 *       with T.block("B"):                      with T.block("B_o"):
 *           vi = ...(32, i_0 * 4 + i_1)  ->         vi_o = T.axis.spatial(8, i_0)
 *           B[vi] = A[vi]                           for i_1 in range(4):
 *                                                       with T.block("B"):
 *                                                           vi_i = T.axis.spatial(4, i_1)
 *                                                           B[vi_o * 4 + vi_i] = ...
 *
 * The steps stay as they are; each axis is divided into the part that the loops outside make and the
 * part that those inside make. A reduction's first value moves into the new block: its init does
 * all elements of the block when the outer parts of the reduce axes are at their beginning. */
#include "sched/loops.h"
#include "sched/rewrite.h"
#include "sched/starts.h"

typedef struct axis {
  const tn_node *iter;  /* the old one */
  const tn_node *outer; /* ITER of the new block; NULL: none */
  const tn_node *inner; /* ITER of the old block; NULL: none */
} axis;

typedef struct blockizer {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop;
  bool keeps_units;
  tn_nest nest;     /* all loops */
  uint32_t n_outer; /* how many of them are outside */
  tn_iter_division parts[TN_SCHED_MAX_LOOPS];
  axis axes[TN_SCHED_MAX_LOOPS];
  tn_map values; /* old axis -> outer * extent + inner */
  const tn_node *outer_cond;
  const tn_node *inner_cond;
} blockizer;

static tn_status not_divided(const blockizer *b, const tn_node *iter, const char *why) {
  return tn_refuse(b->s, b->block->in[TN_BLOCK_LABEL], NULL,
                   "its axis '%s' can not be divided into a part outside and a part inside of loop "
                   "'%s': %s",
                   iter->in[TN_ITER_VAR]->attr.text, b->loop->in[TN_FOR_VAR]->attr.text, why);
}

static tn_status find_nest(blockizer *b) {
  tn_nest below;
  TN_TRY(tn_nest_find(b->s, b->tree, b->block, b->loop, &below));
  if (!below.is_chain) {
    return tn_refuse(b->s, b->loop->in[TN_FOR_VAR], NULL,
                     "below it stands something beside the loops around block '%s'",
                     tn_block_name(b->block));
  }
  TN_TRY(tn_nest_find(b->s, b->tree, b->block, NULL, &b->nest));
  while (b->nest.loops[b->n_outer] != b->loop) {
    ++b->n_outer;
  }
  if (tn_expr_uses(b->block->in[TN_BLOCK_BODY], b->nest.n, b->nest.vars)) {
    return tn_refuse(b->s, b->block->in[TN_BLOCK_LABEL], NULL, "its body uses loops, not axes");
  }
  return NULL;
}

/* ---- axes ---- */

static bool is_within(const blockizer *b, tn_arith *arith, const tn_node *value,
                      const tn_node *extent) {
  const tn_node *zero = tn_int(b->s->ir, value->dtype, 0);
  return tn_arith_prove(arith, tn_index_binary(b->s->ir, TN_OP_LE, zero, value)) &&
         tn_arith_prove(arith, tn_index_binary(b->s->ir, TN_OP_LT, value, extent));
}

static tn_status split_axis(blockizer *b, tn_arith *arith, uint32_t i) {
  tn_ir *ir = b->s->ir;
  const tn_iter_division *d = &b->parts[i];
  axis *a = &b->axes[i];
  const tn_node *var = a->iter->in[TN_ITER_VAR];
  if (!tn_is_int(a->iter->in[TN_ITER_MIN], 0) || !is_within(b, arith, d->outer, d->outer_extent)) {
    return not_divided(b, a->iter, "it does not begin at 0");
  }
  const tn_node *outer = tn_leaf_suffixed(ir, var, "_o");
  const tn_node *inner = tn_leaf_suffixed(ir, var, "_i");
  const tn_node *inner_extent = tn_index_cast(ir, var->dtype, d->inner_extent);
  a->outer = tn_iter_new(ir, a->iter->attr.i64, outer, NULL,
                         tn_index_cast(ir, var->dtype, d->outer_extent),
                         tn_index_cast(ir, var->dtype, d->outer));
  a->inner = tn_iter_new(ir, a->iter->attr.i64, inner, NULL, inner_extent,
                         tn_index_cast(ir, var->dtype, d->inner));
  const tn_node *value =
      tn_index_binary(ir, TN_OP_ADD, tn_index_binary(ir, TN_OP_MUL, outer, inner_extent), inner);
  tn_map_set(&b->values, var->id, (uint64_t)(uintptr_t)value);
  return NULL;
}

static tn_status divide_axes(blockizer *b, tn_arith *arith) {
  const tn_node *iters = b->block->in[TN_BLOCK_ITERS];
  tn_domain domain = tn_nest_domain(&b->nest);
  if (!tn_itermap_divide(arith, &domain, b->n_outer, b->nest.n_values, b->nest.values, b->parts)) {
    return tn_refuse(b->s, b->block->in[TN_BLOCK_LABEL], NULL,
                     "its bindings can not be divided into parts outside and inside of loop '%s'",
                     b->loop->in[TN_FOR_VAR]->attr.text);
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_iter_division *d = &b->parts[i];
    b->axes[i].iter = iters->in[i];
    if (tn_is_int(d->inner_extent, 1)) {
      const tn_node *binding = tn_index_cast(b->s->ir, iters->in[i]->in[TN_ITER_VAR]->dtype,
                                             d->outer); /* without loops of one round */
      b->axes[i].outer = tn_with_child(b->s->ir, iters->in[i], TN_ITER_BINDING, binding);
    } else if (tn_is_int(d->outer_extent, 1) && !b->keeps_units) {
      const tn_node *zero = tn_int(b->s->ir, d->outer->dtype, 0);
      b->axes[i].inner = iters->in[i];
      if (!tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0) ||
          !tn_arith_prove(arith, tn_index_binary(b->s->ir, TN_OP_EQ, d->outer, zero))) {
        return not_divided(b, iters->in[i], "it does not begin at 0");
      }
    } else {
      TN_TRY(split_axis(b, arith, i));
    }
  }
  return NULL;
}

/* ---- conditions ---- */

/* value < bound, over outer and inner loops: for the inner block that is outer axis * extent + inner
 * binding < bound. */
static tn_status share_cond(blockizer *b, tn_arith *arith, const tn_node *cond) {
  tn_ir *ir = b->s->ir;
  for (uint32_t i = 0; tn_is(cond, TN_OP_LT) && i < b->nest.n_values; ++i) {
    const axis *a = &b->axes[i];
    const tn_node *bound = cond->in[TN_B];
    if (a->outer == NULL || a->inner == NULL || tn_expr_uses(bound, b->nest.n, b->nest.vars) ||
        !tn_arith_prove(arith, tn_index_binary(ir, TN_OP_EQ, cond->in[TN_A], b->nest.values[i]))) {
      continue;
    }
    const tn_node *begin =
        tn_index_binary(ir, TN_OP_MUL, a->outer->in[TN_ITER_VAR], a->inner->in[TN_ITER_EXTENT]);
    const tn_node *value = tn_index_binary(ir, TN_OP_ADD, begin, a->inner->in[TN_ITER_BINDING]);
    b->inner_cond = tn_sched_and(ir, b->inner_cond, tn_index_binary(ir, TN_OP_LT, value, bound));
    return NULL;
  }
  return tn_refuse(b->s, b->block->in[TN_BLOCK_LABEL], NULL,
                   "a condition that loops outside and inside share bounds none of its axes");
}

static tn_status divide_cond(blockizer *b, tn_arith *arith, const tn_node *cond) {
  if (tn_is(cond, TN_OP_AND)) {
    TN_TRY(divide_cond(b, arith, cond->in[TN_A]));
    return divide_cond(b, arith, cond->in[TN_B]);
  }
  bool is_outer = tn_expr_uses(cond, b->n_outer, b->nest.vars);
  bool is_inner = tn_expr_uses(cond, b->nest.n - b->n_outer, b->nest.vars + b->n_outer);
  if (is_outer && is_inner) {
    return share_cond(b, arith, cond);
  }
  const tn_node **to = is_inner ? &b->inner_cond : &b->outer_cond;
  *to = tn_sched_and(b->s->ir, *to, cond);
  return NULL;
}

/* ---- the first values ---- */

/* Loops inside that the spatial axes use, in a copy of their own. */
static const tn_node *init_loops(const blockizer *b, const tn_map *loops, const tn_node *body) {
  tn_ir *ir = b->s->ir;
  for (uint32_t i = b->nest.n; i > b->n_outer; --i) {
    uint64_t word = 0;
    const tn_node *loop = b->nest.loops[i - 1];
    const tn_node *var = loop->in[TN_FOR_VAR];
    if (tn_map_find(loops, var->id, &word) && tn_is((const tn_node *)(uintptr_t)word, TN_OP_VAR)) {
      const tn_node *made = tn_for_with(ir, loop, tn_subst(ir, loop->in[TN_FOR_MIN], loops),
                                        tn_subst(ir, loop->in[TN_FOR_EXTENT], loops), body);
      body = tn_with_child(ir, made, TN_FOR_VAR, (const tn_node *)(uintptr_t)word);
    }
  }
  return body;
}

static bool is_used_by_spatial(const blockizer *b, const tn_node *var) {
  bool is_used = false;
  for (uint32_t i = 0; i < b->nest.n_values; ++i) {
    is_used = is_used || (!tn_iter_is_reduce(b->axes[i].iter) && b->axes[i].inner != NULL &&
                          tn_expr_uses(b->axes[i].inner->in[TN_ITER_BINDING], 1, &var));
  }
  return is_used;
}

/* Loops inside -> their copy, or their first value where no spatial axis uses them. *cond: they have
 * a round at all. */
static void map_init_loops(const blockizer *b, tn_map *loops, const tn_node **cond) {
  tn_ir *ir = b->s->ir;
  for (uint32_t i = b->n_outer; i < b->nest.n; ++i) {
    const tn_node *var = b->nest.vars[i];
    const tn_node *to = tn_leaf_suffixed(ir, var, "_init");
    if (!is_used_by_spatial(b, var)) {
      const tn_node *zero = tn_int(ir, var->dtype, 0);
      *cond = tn_sched_and(ir, *cond, tn_index_binary(ir, TN_OP_LT, zero, b->nest.extents[i]));
      to = tn_subst(ir, b->nest.mins[i], loops);
    }
    tn_map_set(loops, var->id, (uint64_t)(uintptr_t)to);
  }
}

static tn_status make_init(const blockizer *b, const tn_node **out) {
  tn_ir *ir = b->s->ir;
  tn_map map = {0};
  const tn_node *iters[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  const tn_node *cond = b->inner_cond;
  map_init_loops(b, &map, &cond);
  for (uint32_t i = 0; i < b->nest.n_values; ++i) {
    const axis *a = &b->axes[i];
    if (tn_iter_is_reduce(a->iter)) {
      for (uint32_t k = 0; k < 2; ++k) {
        const tn_node *part = k == 0 ? a->outer : a->inner;
        if (part != NULL) {
          tn_map_set(&map, part->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)part->in[TN_ITER_MIN]);
        }
      }
    } else if (a->inner != NULL) {
      const tn_node *var = tn_leaf_suffixed(ir, a->inner->in[TN_ITER_VAR], "_init");
      tn_map_set(&map, a->inner->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)var);
      iters[n++] = tn_iter_new(ir, a->inner->attr.i64, var, a->inner->in[TN_ITER_MIN],
                               a->inner->in[TN_ITER_EXTENT],
                               tn_subst(ir, a->inner->in[TN_ITER_BINDING], &map));
    }
  }
  const tn_node *body = tn_subst(ir, tn_clone_fresh(ir, b->block->in[TN_BLOCK_INIT]), &b->values);
  const tn_node *block = NULL;
  tn_status st =
      tn_block_new(b->s, tn_leaf_suffixed(ir, b->block->in[TN_BLOCK_LABEL], "_init"), n, iters,
                   tn_subst(ir, cond, &map), NULL, tn_subst(ir, body, &map), &block);
  if (st == NULL) {
    *out = init_loops(b, &map, block);
  }
  tn_map_deinit(&map);
  return st;
}

/* ---- the blocks ---- */

static const tn_node *inner_block(const blockizer *b) {
  tn_ir *ir = b->s->ir;
  const tn_node *iters[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->nest.n_values; ++i) {
    if (b->axes[i].inner != NULL) {
      iters[n++] = b->axes[i].inner;
    }
  }
  const tn_node *block = b->block;
  if (!tn_is_none(block->in[TN_BLOCK_INIT])) {
    block = tn_block_without_init(ir, block, block->in[TN_BLOCK_LABEL]);
  }
  block = tn_with_child(ir, block, TN_BLOCK_ITERS, tn_list(ir, 0, NULL));
  block = tn_subst(ir, block, &b->values);
  block = tn_with_child(ir, block, TN_BLOCK_ITERS, tn_list(ir, n, iters));
  return tn_with_child(ir, block, TN_BLOCK_PREDICATE, b->inner_cond);
}

static tn_status outer_block(const blockizer *b, const tn_node *init, const tn_node *nest,
                             const tn_node **out) {
  tn_ir *ir = b->s->ir;
  const tn_node *iters[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  bool has_reduce = false;
  for (uint32_t i = 0; i < b->nest.n_values; ++i) {
    if (b->axes[i].outer != NULL) {
      iters[n++] = b->axes[i].outer;
      has_reduce = has_reduce || tn_iter_is_reduce(b->axes[i].outer);
    }
  }
  if (init != NULL && !has_reduce) { /* the block is all of the reduction */
    nest = tn_seq(ir, 2, (const tn_node *[]){init, nest});
    init = NULL;
  }
  const tn_node *label = tn_leaf_suffixed(ir, b->block->in[TN_BLOCK_LABEL], "_o");
  TN_TRY(tn_block_new(b->s, label, n, iters, b->outer_cond, init, nest, out));
  tn_ir_set_pos(ir, *out, tn_ir_pos(ir, b->loop));
  return NULL;
}

/* Steps inside are all different: none of them begins an element over again. */
static bool is_done_once(const blockizer *b) {
  const tn_node *values[TN_SCHED_MAX_LOOPS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->nest.n_values; ++i) {
    if (b->axes[i].inner != NULL) {
      values[n++] = b->axes[i].inner->in[TN_ITER_BINDING];
    }
  }
  tn_domain domain = {.n = b->nest.n - b->n_outer,
                      .vars = b->nest.vars + b->n_outer,
                      .mins = b->nest.mins + b->n_outer,
                      .extents = b->nest.extents + b->n_outer};
  tn_arith *arith = tn_arith_new(b->s->ir);
  const tn_itermap *map = tn_itermap_detect(arith, &domain, n, values, NULL);
  bool is_once = map != NULL && map->is_injective;
  tn_arith_free(arith);
  return is_once;
}

static tn_status check_init(const blockizer *b) {
  const tn_node *writes = b->block->in[TN_BLOCK_WRITES];
  const tn_node *label = b->block->in[TN_BLOCK_LABEL];
  TN_TRY(tn_block_reduction(b->s, b->tree, b->block));
  if (b->block->in[TN_BLOCK_MATCHES]->n_in > 0 || b->block->in[TN_BLOCK_ALLOCS]->n_in > 0) {
    return tn_refuse(b->s, label, "decompose_reduction first",
                     "it has an init, and views or memory of its own");
  }
  if (!is_done_once(b)) {
    return tn_refuse(b->s, label, NULL, "its steps below loop '%s' are not all different",
                     b->loop->in[TN_FOR_VAR]->attr.text);
  }
  for (uint32_t i = 0; i < writes->n_in; ++i) {
    const tn_node *buffer = writes->in[i]->in[TN_REGION_BUFFER];
    if (tn_loads_data(b->block->in[TN_BLOCK_INIT], buffer->in[TN_BUFFER_DATA])) {
      return tn_refuse(b->s, label, NULL, "its T.init() reads '%s', which it writes",
                       buffer->attr.text);
    }
  }
  return NULL;
}

static tn_status put_blocks(blockizer *b, const tn_node **out_label) {
  tn_sched *s = b->s;
  const tn_node *init = NULL;
  const tn_node *made = NULL;
  if (!tn_is_none(b->block->in[TN_BLOCK_INIT])) {
    TN_TRY(check_init(b));
    TN_TRY(make_init(b, &init));
  }
  TN_TRY(tn_sched_replace(s, b->block, inner_block(b)));
  const tn_node *loop = tn_sched_site(s, b->loop->in[TN_FOR_VAR]);
  const tn_tree *tree = tn_sched_tree(s, b->loop->in[TN_FOR_VAR]);
  TN_TRY(outer_block(b, init, loop, &made));
  made = tn_sched_simplify(s, tree, tn_tree_parent(tree, loop), made);
  TN_TRY(tn_sched_replace(s, loop, made));
  *out_label = made->in[TN_BLOCK_LABEL];
  return tn_sched_fix_around(s, *out_label);
}

tn_status tn_sched_blockize(tn_sched *s, const tn_node *handle, bool keeps_units,
                            const tn_node **out_label) {
  const tn_node *blocks[1];
  const tn_tree *tree = tn_sched_tree(s, handle);
  blockizer b = {.s = s,
                 .tree = tree,
                 .loop = tn_tree_site(tree, handle),
                 .keeps_units = keeps_units,
                 .outer_cond = tn_bool(s->ir, true),
                 .inner_cond = tn_bool(s->ir, true)};
  if (tn_tree_child_blocks(b.loop, 1, blocks) != 1) {
    return tn_refuse(s, handle, NULL, "there must be exactly one block below it");
  }
  b.block = blocks[0];
  TN_TRY(find_nest(&b));
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_around(tree, arith, b.nest.loops[b.nest.n - 1]);
  tn_status st = divide_axes(&b, arith);
  st = st != NULL ? st : divide_cond(&b, arith, b.block->in[TN_BLOCK_PREDICATE]);
  st = st != NULL ? st : put_blocks(&b, out_label);
  tn_arith_free(arith);
  tn_map_deinit(&b.values);
  return st;
}

tn_status tn_prim_blockize(tn_sched *s, tn_prim_call *call) {
  if (!tn_is(call->args[0], TN_OP_VAR)) {
    return tn_refuse(s, NULL, "name the loop around them", "a list of blocks is not supported");
  }
  return tn_sched_blockize(s, call->args[0], call->args[1]->attr.i64 != 0, &call->out);
}
