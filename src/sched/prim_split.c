/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One loop becomes several: split (a nest) and add_unit_loop.
 *
 *   for i in range(20):            for i_0, i_1 in T.grid(3, 8):
 *       with T.block("B"):     ->      with T.block("B"):
 *           vi = ...(20, i)                vi = T.axis.spatial(20, i_0 * 8 + i_1)
 *                                          T.where(i_0 * 8 + i_1 < 20)
 *
 * The rounds come in the same order, so nothing has to be proved but that the new loops have enough
 * of them. A loop that does not begin at 0 is shifted. What the loop was marked as is dropped. */
#include "sched/loops.h"
#include "sched/rewrite.h"

typedef struct split_plan {
  const tn_node *loop;
  uint32_t n;
  const tn_node *extents[TN_SCHED_MAX_LOOPS]; /* of the new loops */
  const tn_node *vars[TN_SCHED_MAX_LOOPS];
  bool is_exact; /* as many rounds as before */
} split_plan;

static int64_t largest_of(tn_dtype dtype) {
  return tn_dtype_bits(dtype) >= 64 ? INT64_MAX : (INT64_C(1) << (tn_dtype_bits(dtype) - 1)) - 1;
}

/* The product of the factors that are given; *out_open: the place of None, or how many there are. */
static tn_status known_product(tn_sched *s, const tn_node *loop, const tn_node *factors,
                               int64_t *out_product, uint32_t *out_open) {
  const tn_node *handle = loop->in[TN_FOR_VAR];
  int64_t product = 1;
  uint32_t open = factors->n_in;
  for (uint32_t i = 0; i < factors->n_in; ++i) {
    const tn_node *factor = factors->in[i];
    if (tn_is_none(factor)) {
      if (open != factors->n_in) {
        return tn_refuse(s, handle, NULL, "two factors are None; at most one can be found");
      }
      open = i;
      continue;
    }
    if (factor->attr.i64 < 1) {
      return tn_refuse(s, handle, NULL, "factor %lld is not positive", (long long)factor->attr.i64);
    }
    if (__builtin_mul_overflow(product, factor->attr.i64, &product) ||
        product > largest_of(handle->dtype)) {
      return tn_refuse(s, handle, NULL, "the product of the factors is more than its type counts");
    }
  }
  *out_product = product;
  *out_open = open;
  return NULL;
}

/* a >= b, or a == b, as far as it can be proved. */
static bool holds(tn_sched *s, tn_arith *arith, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_arith_prove(arith, tn_index_binary(s->ir, op, a, b));
}

/* ceil(extent / product): what None stands for. */
static const tn_node *rounds_up(tn_sched *s, tn_arith *arith, const tn_node *extent,
                                int64_t product) {
  if (tn_is(extent, TN_OP_INT)) { /* without the sum, which may overflow */
    int64_t whole = extent->attr.i64 / product;
    return tn_int(s->ir, extent->dtype, whole + (extent->attr.i64 > whole * product));
  }
  const tn_node *less = tn_int(s->ir, extent->dtype, product - 1);
  const tn_node *sum = tn_index_binary(s->ir, TN_OP_ADD, extent, less);
  const tn_node *divisor = tn_int(s->ir, extent->dtype, product);
  return tn_arith_simplify(arith, tn_index_binary(s->ir, TN_OP_FLOORDIV, sum, divisor));
}

static tn_status find_extents(tn_sched *s, tn_arith *arith, const tn_node *factors,
                              split_plan *plan) {
  const tn_node *extent = plan->loop->in[TN_FOR_EXTENT];
  const tn_node *handle = plan->loop->in[TN_FOR_VAR];
  const tn_node *zero = tn_int(s->ir, extent->dtype, 0);
  int64_t known = 1;
  uint32_t open = 0;
  TN_TRY(known_product(s, plan->loop, factors, &known, &open));
  const tn_node *product = tn_int(s->ir, extent->dtype, known);
  plan->n = factors->n_in;
  for (uint32_t i = 0; i < plan->n; ++i) {
    plan->extents[i] = i == open ? NULL : tn_int(s->ir, extent->dtype, factors->in[i]->attr.i64);
  }
  if (open < plan->n) {
    const tn_node *rest = tn_index_binary(s->ir, TN_OP_FLOORMOD, extent, product);
    plan->is_exact = holds(s, arith, TN_OP_EQ, rest, zero);
    plan->extents[open] = rounds_up(s, arith, extent, known);
    int64_t rounds = 0;
    if (tn_is(plan->extents[open], TN_OP_INT) &&
        (__builtin_mul_overflow(plan->extents[open]->attr.i64, known, &rounds) ||
         rounds > largest_of(extent->dtype))) {
      return tn_refuse(s, handle, NULL, "the product of the factors is more than its type counts");
    }
    return NULL;
  }
  plan->is_exact = holds(s, arith, TN_OP_EQ, product, extent);
  if (!holds(s, arith, TN_OP_GE, product, extent)) {
    tn_buf text = TN_BUF_INIT;
    tn_tir_print_expr(extent, &text);
    tn_status st = tn_refuse(s, handle, "leave one factor to be found: None",
                             "the product of the factors, %lld, does not reach its extent, %s",
                             (long long)known, tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

/* i -> i_0. */
static const tn_node *part_of(tn_ir *ir, const tn_node *var, uint32_t i) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_%u", var->attr.text, i);
  const tn_node *made = tn_var_new(ir, tn_ir_text(ir, tn_buf_text(&name)), var->dtype);
  tn_ir_set_pos(ir, made, tn_ir_pos(ir, var));
  tn_buf_deinit(&name);
  return made;
}

/* ((i_0 * f_1) + i_1) * f_2 + i_2 ... */
static const tn_node *joined(tn_sched *s, const split_plan *plan, bool keeps_units) {
  const tn_node *value = tn_int(s->ir, plan->loop->in[TN_FOR_VAR]->dtype, 0);
  for (uint32_t i = 0; i < plan->n; ++i) {
    bool is_unit = tn_is_int(plan->extents[i], 1);
    if (!is_unit && i > 0) {
      value = tn_index_binary(s->ir, TN_OP_MUL, value, plan->extents[i]);
    }
    if (!is_unit || keeps_units) {
      value = tn_index_binary(s->ir, TN_OP_ADD, value, plan->vars[i]);
    }
  }
  return value;
}

static tn_status put_nest(tn_sched *s, const tn_tree *tree, const split_plan *plan,
                          bool keeps_units) {
  const tn_node *loop = plan->loop;
  const tn_node *index = joined(s, plan, keeps_units);
  const tn_node *value = tn_index_binary(s->ir, TN_OP_ADD, loop->in[TN_FOR_MIN], index);
  const tn_node *body = tn_subst1(s->ir, loop->in[TN_FOR_BODY], loop->in[TN_FOR_VAR], value);
  if (!plan->is_exact) {
    body = tn_stmt_guard(s->ir, body, tn_binary(s->ir, TN_OP_LT, index, loop->in[TN_FOR_EXTENT]));
  }
  const tn_node *nest = body;
  for (uint32_t i = plan->n; i > 0; --i) {
    nest = tn_for_new(s->ir, TN_FOR_SERIAL, plan->vars[i - 1], NULL, plan->extents[i - 1], nest,
                      NULL, NULL);
    tn_ir_set_pos(s->ir, nest, tn_ir_pos(s->ir, loop));
  }
  nest = tn_sched_simplify(s, tree, tn_tree_parent(tree, loop), nest);
  return tn_sched_replace(s, loop, nest);
}

tn_status tn_prim_split(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  const tn_node *around[TN_SCHED_MAX_LOOPS];
  split_plan plan = {.loop = loop};
  uint32_t n = call->args[1]->n_in;
  if (n == 0) {
    return tn_refuse(s, call->args[0], NULL, "there are no factors");
  }
  if (n + tn_tree_loops(tree, loop, around) > TN_SCHED_MAX_LOOPS) {
    return tn_refuse(s, call->args[0], NULL, "more than %d loops around a block",
                     TN_SCHED_MAX_LOOPS);
  }
  TN_TRY(tn_loop_check_plain(s, loop));
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_around(tree, arith, tn_tree_parent(tree, loop));
  tn_status st = find_extents(s, arith, call->args[1], &plan);
  tn_arith_free(arith);
  TN_TRY(st);
  if (!plan.is_exact && call->args[3]->attr.i64 != 0) {
    return tn_refuse(s, call->args[0], "leave out disable_predication",
                     "the factors do not divide its extent, and the condition that would keep its "
                     "rounds within it is disabled");
  }
  for (uint32_t i = 0; i < n; ++i) {
    plan.vars[i] = part_of(s->ir, loop->in[TN_FOR_VAR], i);
  }
  TN_TRY(put_nest(s, tree, &plan, call->args[2]->attr.i64 != 0));
  call->out = tn_list(s->ir, n, plan.vars);
  return NULL;
}

/* ---- add_unit_loop ---- */

tn_status tn_prim_add_unit_loop(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *site = tn_tree_site(tree, call->args[0]);
  const tn_node *around[TN_SCHED_MAX_LOOPS];
  if (site == tree->root && tn_is(site, TN_OP_BLOCK)) {
    return tn_refuse(s, call->args[0], NULL, "the root block has no loops around it");
  }
  if (tn_tree_loops(tree, site, around) + 1 > TN_SCHED_MAX_LOOPS) {
    return tn_refuse(s, call->args[0], NULL, "more than %d loops around a block",
                     TN_SCHED_MAX_LOOPS);
  }
  tn_dtype dtype = tn_is(site, TN_OP_FOR) ? call->args[0]->dtype : TN_DT_I32;
  if (tn_is(site, TN_OP_BLOCK) && site->in[TN_BLOCK_ITERS]->n_in > 0) {
    dtype = site->in[TN_BLOCK_ITERS]->in[0]->in[TN_ITER_VAR]->dtype;
  }
  call->out = tn_var_new(s->ir, tn_ir_text(s->ir, "u"), dtype);
  const tn_node *loop =
      tn_for_new(s->ir, TN_FOR_SERIAL, call->out, NULL, tn_int(s->ir, dtype, 1), site, NULL, NULL);
  tn_ir_set_pos(s->ir, loop, tn_ir_pos(s->ir, site));
  return tn_sched_replace(s, site, loop);
}
