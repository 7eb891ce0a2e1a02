/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Nests in another form: fuse, reorder, reorder_block_iter_var. (split: prim_split.c)
 *
 *   for i, j in T.grid(4, 8):              for i_j_fused in range(32):
 *       with T.block("B"):             ->      with T.block("B"):
 *           vi, vj = ...([i, j])                   vi = T.axis.spatial(4, i_j_fused // 8) ...
 *
 * Fused rounds come in the same order. Reordered ones do not: deps.h decides whether they may. */
#include "sched/deps.h"
#include "sched/loops.h"
#include "sched/rewrite.h"

/* ---- fuse ---- */

typedef struct var_search {
  uint32_t n;
  const tn_node *const *loops;
  const tn_node *found;
} var_search;

static tn_visit look_for_var(const tn_node *n, void *ctx) {
  var_search *search = ctx;
  for (uint32_t i = 0; i < search->n; ++i) {
    if (n == search->loops[i]->in[TN_FOR_VAR]) {
      search->found = n;
      return TN_STOP;
    }
  }
  return TN_DESCEND;
}

/* The variable of one of the loops that a bound of `loop` uses; NULL: none. */
static const tn_node *bound_uses(const tn_node *loop, uint32_t n, const tn_node *const *loops) {
  var_search search = {.n = n, .loops = loops};
  (void)tn_walk_distinct(loop->in[TN_FOR_MIN], look_for_var, &search);
  (void)tn_walk_distinct(loop->in[TN_FOR_EXTENT], look_for_var, &search);
  return search.found;
}

static tn_status check_chain(tn_sched *s, uint32_t n, const tn_node *const *loops) {
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *handle = loops[i]->in[TN_FOR_VAR];
    TN_TRY(tn_loop_check_plain(s, loops[i]));
    if (i > 0 && tn_loop_only_inner(loops[i - 1]) != loops[i]) {
      return tn_refuse(s, handle, "name loops from the outside inwards; reorder them first",
                       "it is not the only statement in loop '%s'",
                       loops[i - 1]->in[TN_FOR_VAR]->attr.text);
    }
    const tn_node *outer = bound_uses(loops[i], i, loops);
    if (outer != NULL) {
      return tn_refuse(s, handle, NULL, "its bounds depend on loop '%s'", outer->attr.text);
    }
  }
  return NULL;
}

static const tn_node *fused_var(tn_ir *ir, uint32_t n, const tn_node *const *loops) {
  tn_dtype dtype = TN_DT_I32;
  tn_buf name = TN_BUF_INIT;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *var = loops[i]->in[TN_FOR_VAR];
    tn_buf_printf(&name, "%s_", var->attr.text);
    dtype = tn_dtype_bits(var->dtype) > tn_dtype_bits(dtype) ? var->dtype : dtype;
  }
  tn_buf_puts(&name, "fused");
  const tn_node *var = tn_var_new(ir, tn_ir_text(ir, tn_buf_text(&name)), dtype);
  tn_ir_set_pos(ir, var, tn_ir_pos(ir, loops[0]->in[TN_FOR_VAR]));
  tn_buf_deinit(&name);
  return var;
}

/* Sizes of arguments are no less than 0; other variables may be. */
static void assume_sizes(const tn_tree *tree, tn_ir *ir, tn_arith *arith) {
  const tn_node *buffers = tree->func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *buffer = buffers->in[i];
    for (uint32_t d = 0; tn_is(buffer, TN_OP_BUFFER) && d < tn_buffer_ndim(buffer); ++d) {
      const tn_node *size = buffer->in[TN_BUFFER_SHAPE]->in[d];
      if (tn_is(size, TN_OP_VAR)) {
        tn_arith_assume(arith, tn_binary(ir, TN_OP_GE, size, tn_int(ir, size->dtype, 0)));
      }
    }
  }
}

static bool is_count(tn_ir *ir, tn_arith *arith, const tn_node *n) {
  return (tn_is(n, TN_OP_MUL) && is_count(ir, arith, n->in[TN_A]) &&
          is_count(ir, arith, n->in[TN_B])) ||
         tn_arith_prove(arith, tn_binary(ir, TN_OP_GE, n, tn_int(ir, n->dtype, 0)));
}

/* Two extents below 0 have a product above it: rounds where there were none. */
static tn_status check_extents(tn_sched *s, const tn_tree *tree, uint32_t n,
                               const tn_node *const *loops) {
  const tn_node *open = NULL;
  tn_status st = NULL;
  tn_arith *arith = tn_arith_new(s->ir);
  assume_sizes(tree, s->ir, arith);
  tn_sched_bind_around(tree, arith, tn_tree_parent(tree, loops[0]));
  for (uint32_t i = 0; i < n && st == NULL; ++i) {
    if (is_count(s->ir, arith, loops[i]->in[TN_FOR_EXTENT])) {
      continue;
    }
    if (open != NULL) {
      st = tn_refuse(s, loops[i]->in[TN_FOR_VAR], NULL,
                     "its extent and that of loop '%s' may both be less than 0",
                     open->in[TN_FOR_VAR]->attr.text);
    }
    open = loops[i];
  }
  tn_arith_free(arith);
  return st;
}

static tn_status fused_extent(tn_sched *s, uint32_t n, const tn_node *const *loops,
                              const tn_node *var, const tn_node **out) {
  const tn_node *extent = tn_int(s->ir, var->dtype, 1);
  int64_t rounds = 1;
  bool is_too_large = false;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *one = tn_index_cast(s->ir, var->dtype, loops[i]->in[TN_FOR_EXTENT]);
    if (tn_is(one, TN_OP_INT) && one->attr.i64 > 0) {
      is_too_large = is_too_large || __builtin_mul_overflow(rounds, one->attr.i64, &rounds) ||
                     (var->dtype != TN_DT_I64 && rounds > INT32_MAX);
    }
    extent = tn_is_int(extent, 1) ? one : tn_index_binary(s->ir, TN_OP_MUL, extent, one);
  }
  if (is_too_large) {
    return tn_refuse(s, loops[0]->in[TN_FOR_VAR], "use int64 loops",
                     "the fused loop has more rounds than its type counts");
  }
  *out = extent;
  return NULL;
}

/* The digits of var, last loop first: var % e, var // e % e' ...; the outermost has no modulo. */
static const tn_node *with_digits(tn_sched *s, uint32_t n, const tn_node *const *loops,
                                  const tn_node *var, const tn_node *body) {
  tn_map digits = {0};
  const tn_node *lower = tn_int(s->ir, var->dtype, 1);
  for (uint32_t i = n; i > 0; --i) {
    const tn_node *loop = loops[i - 1];
    const tn_node *extent = tn_index_cast(s->ir, var->dtype, loop->in[TN_FOR_EXTENT]);
    const tn_node *digit =
        tn_is_int(lower, 1) ? var : tn_index_binary(s->ir, TN_OP_FLOORDIV, var, lower);
    if (i > 1) {
      digit = tn_index_binary(s->ir, TN_OP_FLOORMOD, digit, extent);
      lower = tn_is_int(lower, 1) ? extent : tn_index_binary(s->ir, TN_OP_MUL, extent, lower);
    }
    const tn_node *value =
        tn_index_binary(s->ir, TN_OP_ADD, loop->in[TN_FOR_MIN],
                        tn_index_cast(s->ir, loop->in[TN_FOR_VAR]->dtype, digit));
    tn_map_set(&digits, loop->in[TN_FOR_VAR]->id, (uint64_t)(uintptr_t)value);
  }
  body = tn_subst(s->ir, body, &digits);
  tn_map_deinit(&digits);
  return body;
}

/* The FORs of a list of handles, which must be of one function. */
static tn_status loops_of(tn_sched *s, const tn_node *handles, const tn_tree **out_tree,
                          const tn_node *out[TN_SCHED_MAX_LOOPS]) {
  if (handles->n_in == 0 || handles->n_in > TN_SCHED_MAX_LOOPS) {
    return tn_refuse(s, NULL, NULL, "it takes 1 to %d loops, not %u", TN_SCHED_MAX_LOOPS,
                     handles->n_in);
  }
  const tn_tree *tree = tn_sched_tree(s, handles->in[0]);
  for (uint32_t i = 0; i < handles->n_in; ++i) {
    out[i] = tn_tree_site(tree, handles->in[i]);
    if (out[i] == NULL) {
      return tn_refuse(s, handles->in[i], NULL, "it is not in the same function as loop '%s'",
                       handles->in[0]->attr.text);
    }
    for (uint32_t k = 0; k < i; ++k) {
      if (out[k] == out[i]) {
        return tn_refuse(s, handles->in[i], NULL, "it is named twice");
      }
    }
  }
  *out_tree = tree;
  return NULL;
}

tn_status tn_prim_fuse(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = NULL;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *extent = NULL;
  uint32_t n = call->args[0]->n_in;
  TN_TRY(loops_of(s, call->args[0], &tree, loops));
  TN_TRY(check_chain(s, n, loops));
  TN_TRY(check_extents(s, tree, n, loops));
  const tn_node *var = fused_var(s->ir, n, loops);
  TN_TRY(fused_extent(s, n, loops, var, &extent));
  bool keeps_var = !tn_is_int(extent, 1) || call->args[1]->attr.i64 != 0;
  const tn_node *body = with_digits(s, n, loops, keeps_var ? var : tn_int(s->ir, var->dtype, 0),
                                    loops[n - 1]->in[TN_FOR_BODY]);
  const tn_node *fused = tn_for_new(s->ir, TN_FOR_SERIAL, var, NULL, extent, body, NULL, NULL);
  tn_ir_set_pos(s->ir, fused, tn_ir_pos(s->ir, loops[0]));
  fused = tn_sched_simplify(s, tree, tn_tree_parent(tree, loops[0]), fused);
  TN_TRY(tn_sched_replace(s, loops[0], fused));
  call->out = var;
  return NULL;
}

/* ---- reorder ---- */

typedef struct chain {
  uint32_t n;
  const tn_node
      *old_loops[TN_SCHED_MAX_LOOPS]; /* from the outermost named to the innermost named */
  const tn_node *new_loops[TN_SCHED_MAX_LOOPS];
} chain;

static bool is_among(const tn_node *loop, uint32_t n, const tn_node *const *loops) {
  uint32_t i = 0;
  while (i < n && loops[i] != loop) {
    ++i;
  }
  return i < n;
}

/* The nest from the outermost to the innermost of the loops; nothing else may stand between. */
static tn_status find_chain(tn_sched *s, const tn_tree *tree, uint32_t n,
                            const tn_node *const *loops, chain *out) {
  const tn_node *top = loops[0];
  for (uint32_t i = 1; i < n; ++i) {
    top = tn_tree_is_around(tree, loops[i], top) ? loops[i] : top;
  }
  uint32_t n_found = 0;
  const tn_node *at = top;
  const tn_node *last = NULL;
  out->n = 0;
  while (n_found < n) {
    if (at == NULL || out->n == TN_SCHED_MAX_LOOPS) {
      uint32_t i = 0;
      while (is_among(loops[i], out->n, out->old_loops)) {
        ++i;
      }
      return tn_refuse(
          s, loops[i]->in[TN_FOR_VAR], "loops of one nest can be reordered",
          "it is not in one nest with loop '%s': below loop '%s' stands something else",
          top->in[TN_FOR_VAR]->attr.text, last->in[TN_FOR_VAR]->attr.text);
    }
    n_found += is_among(at, n, loops);
    out->old_loops[out->n++] = at;
    last = at;
    at = tn_loop_only_inner(at);
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < out->n; ++i) {
    bool is_named = is_among(out->old_loops[i], n, loops);
    out->new_loops[i] = is_named ? loops[next++] : out->old_loops[i];
  }
  return NULL;
}

static tn_status check_bounds(tn_sched *s, const chain *c) {
  for (uint32_t i = 0; i < c->n; ++i) {
    const tn_node *loop = c->new_loops[i];
    const tn_node *inner = bound_uses(loop, c->n - i, c->new_loops + i);
    if (inner != NULL) {
      return tn_refuse(s, loop->in[TN_FOR_VAR], NULL,
                       "its bounds depend on loop '%s', which would be inside of it",
                       inner->attr.text);
    }
    TN_TRY(tn_loop_check_bounds_stay(s, loop));
  }
  return NULL;
}

/* A parallel or vectorized loop that has come further out runs more at once than was proved. */
static tn_status check_marks(tn_sched *s, const chain *c) {
  for (uint32_t i = 0; i < c->n; ++i) {
    const tn_node *handle = c->new_loops[i]->in[TN_FOR_VAR];
    uint32_t was = 0;
    while (c->old_loops[was] != c->new_loops[i]) {
      ++was;
    }
    int64_t kind = c->new_loops[i]->attr.i64;
    if (i < was && kind != TN_FOR_SERIAL && kind != TN_FOR_UNROLLED) {
      const tn_tree *tree = tn_sched_tree(s, handle);
      TN_TRY(tn_deps_carried(s, tree, tn_tree_site(tree, handle), kind));
    }
  }
  return NULL;
}

tn_status tn_prim_reorder(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = NULL;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  chain c;
  uint32_t n = call->args[0]->n_in;
  TN_TRY(loops_of(s, call->args[0], &tree, loops));
  TN_TRY(find_chain(s, tree, n, loops, &c));
  TN_TRY(check_bounds(s, &c));
  bool is_same = true;
  for (uint32_t i = 0; i < c.n; ++i) {
    is_same = is_same && c.old_loops[i] == c.new_loops[i];
  }
  if (is_same) {
    return NULL;
  }
  TN_TRY(tn_deps_reorder(s, tree, c.n, c.old_loops, c.new_loops));
  const tn_node *nest = c.old_loops[c.n - 1]->in[TN_FOR_BODY];
  for (uint32_t i = c.n; i > 0; --i) {
    nest = tn_for_with(s->ir, c.new_loops[i - 1], NULL, NULL, nest);
  }
  TN_TRY(tn_sched_replace(s, c.old_loops[0], nest));
  return check_marks(s, &c);
}

/* ---- reorder_block_iter_var ---- */

tn_status tn_prim_reorder_block_iter_var(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *order = call->args[1];
  if (order->n_in != iters->n_in) {
    return tn_refuse(s, call->args[0], NULL, "it has %u axes; the order has %u", iters->n_in,
                     order->n_in);
  }
  const tn_node *moved = iters;
  for (uint32_t i = 0; i < order->n_in; ++i) {
    int64_t from = order->in[i]->attr.i64;
    if (from < 0 || from >= iters->n_in) {
      return tn_refuse(s, call->args[0], NULL, "there is no axis number %lld", (long long)from);
    }
    for (uint32_t k = 0; k < i; ++k) {
      if (order->in[k]->attr.i64 == from) {
        return tn_refuse(s, call->args[0], NULL, "axis number %lld is named twice",
                         (long long)from);
      }
    }
    moved = tn_with_child(s->ir, moved, i, iters->in[from]);
  }
  return tn_sched_replace(s, block, tn_with_child(s->ir, block, TN_BLOCK_ITERS, moved));
}
