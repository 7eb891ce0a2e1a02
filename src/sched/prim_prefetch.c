/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* prefetch(C, "A", i, 2): at the head of loop i a block that asks for what C reads of A two rounds
 * later, one T.prefetch for each cache line.
 *
 *   for i in range(64):
 *       for ax0, ax1 in T.grid(1, 4):
 *           with T.block("A_prefetch"):
 *               v0, v1 = ...
 *               T.where(i < 62)
 *               T.prefetch(T.address_of(A[v0, v1]), 0, 3, 1)
 *       ...
 *
 * It touches no element, so nothing depends on it. Rounds past the end, and elements outside of the
 * buffer, are not asked for. */
#include "sched/rewrite.h"

enum { CACHE_LINE_BYTES = 64, LOCALITY_HIGH = 3, DATA_CACHE = 1, MAX_DISTANCE = 1 << 20 };

static int64_t elems_per_line(const tn_node *buffer) {
  int64_t bits = (int64_t)tn_dtype_bits(buffer->dtype) * tn_dtype_lanes(buffer->dtype);
  return tn_is_none(buffer->in[TN_BUFFER_STRIDES]) && bits < CACHE_LINE_BYTES * 8
             ? CACHE_LINE_BYTES * 8 / bits
             : 1;
}

static tn_status prefetch_stmt(tn_sched *s, const tn_node *buffer, uint32_t n,
                               const tn_node *const *axes, const tn_node **out) {
  tn_ir *ir = s->ir;
  const tn_node *load = tn_load_new(ir, buffer, n, axes);
  const tn_node *call[] = {NULL, tn_int(ir, TN_DT_I32, 0), tn_int(ir, TN_DT_I32, LOCALITY_HIGH),
                           tn_int(ir, TN_DT_I32, DATA_CACHE)};
  const tn_node *prefetch = NULL;
  TN_TRY(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_ADDRESS_OF), TN_DT_NONE, 1, &load, &call[0]));
  TN_TRY(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_PREFETCH), TN_DT_NONE, 4, call, &prefetch));
  *out = tn_node_new(ir, TN_OP_EVAL, TN_DT_NONE, (tn_attr){0}, 1, &prefetch);
  return NULL;
}

/* What is read in the round `distance` later. */
static void later_box(tn_ir *ir, const tn_node *loop, int64_t distance, tn_box *box) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *later = tn_index_binary(ir, TN_OP_ADD, var, tn_int(ir, var->dtype, distance));
  for (uint32_t d = 0; d < box->n; ++d) {
    box->mins[d] = tn_subst1(ir, box->mins[d], var, later);
    box->extents[d] = tn_subst1(ir, box->extents[d], var, later);
  }
}

typedef struct nest {
  uint32_t n_loops;
  const tn_node *vars[TN_MAX_NDIM]; /* NULL: one round, no loop */
  const tn_node *extents[TN_MAX_NDIM];
  const tn_node *axes[TN_MAX_NDIM];
  const tn_node *iters[TN_MAX_NDIM];
  const tn_node *predicate;
  bool is_outside; /* never inside of the buffer */
} nest;

/* The part of the box in dimension d that is inside of the buffer, as far as numbers tell: a line is
 * asked for by its first element. */
static void clip_dim(tn_ir *ir, tn_arith *arith, const tn_node *size, tn_box *box, uint32_t d) {
  const tn_node *min = tn_arith_simplify(arith, tn_index_cast(ir, size->dtype, box->mins[d]));
  const tn_node *extent = tn_arith_simplify(arith, tn_index_cast(ir, size->dtype, box->extents[d]));
  if (tn_is(min, TN_OP_INT) && min->attr.i64 < 0) {
    extent = tn_arith_simplify(arith, tn_index_binary(ir, TN_OP_ADD, extent, min));
    min = tn_int(ir, size->dtype, 0);
  }
  const tn_node *left = tn_arith_simplify(arith, tn_index_binary(ir, TN_OP_SUB, size, min));
  if (tn_is(left, TN_OP_INT) && tn_is(extent, TN_OP_INT) && left->attr.i64 < extent->attr.i64) {
    extent = left;
  }
  box->mins[d] = min;
  box->extents[d] = extent;
}

/* Dimension d; `step` elements from one round to the next. */
static void add_dim(tn_ir *ir, tn_arith *arith, const tn_node *buffer, tn_box *box, uint32_t d,
                    int64_t step, nest *out) {
  char name[16];
  const tn_node *size = buffer->in[TN_BUFFER_SHAPE]->in[d];
  tn_dtype dtype = size->dtype;
  const tn_node *zero = tn_int(ir, dtype, 0);
  (void)snprintf(name, sizeof name, "v%u", d);
  out->axes[d] = tn_var_new(ir, name, dtype);
  clip_dim(ir, arith, size, box, d);
  const tn_node *extent =
      tn_index_binary(ir, TN_OP_ADD, box->extents[d], tn_int(ir, dtype, step - 1));
  extent = tn_index_binary(ir, TN_OP_FLOORDIV, extent, tn_int(ir, dtype, step));
  out->extents[d] = tn_arith_simplify(arith, extent);
  const tn_node *at = box->mins[d];
  if (!tn_is_int(out->extents[d], 1)) {
    (void)snprintf(name, sizeof name, "ax%u", out->n_loops++);
    out->vars[d] = tn_var_new(ir, name, dtype);
    tn_arith_bind_range(arith, out->vars[d], zero, out->extents[d]);
    const tn_node *steps = tn_index_binary(ir, TN_OP_MUL, out->vars[d], tn_int(ir, dtype, step));
    at = tn_index_binary(ir, TN_OP_ADD, at, steps);
  }
  at = tn_arith_simplify(arith, at);
  if (step > 1 && !tn_arith_prove(arith, tn_binary(ir, TN_OP_LE, zero, at))) {
    at = tn_binary(ir, TN_OP_MAX, at, zero); /* the line may go on inside */
  }
  const tn_node *is_inside[] = {tn_binary(ir, TN_OP_LE, zero, at),
                                tn_binary(ir, TN_OP_LT, at, size)};
  const tn_node *is_outside[] = {tn_binary(ir, TN_OP_LT, at, zero),
                                 tn_binary(ir, TN_OP_GE, at, size)};
  for (int32_t k = 0; k < 2; ++k) {
    if (!tn_arith_prove(arith, is_inside[k])) {
      out->predicate = tn_sched_and(ir, out->predicate, is_inside[k]);
    }
    out->is_outside = out->is_outside || tn_arith_prove(arith, is_outside[k]);
  }
  out->is_outside =
      out->is_outside || (tn_is(box->extents[d], TN_OP_INT) && box->extents[d]->attr.i64 <= 0);
  out->iters[d] = tn_iter_new(ir, TN_ITER_SPATIAL, out->axes[d], NULL, size, at);
}

static tn_status check(tn_sched *s, const tn_tree *tree, const tn_node *block, const tn_node *loop,
                       int64_t distance) {
  if (!tn_tree_is_around(tree, loop, block)) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL, "loop '%s' is not around it",
                     loop->in[TN_FOR_VAR]->attr.text);
  }
  if (tn_tree_scope(tree, loop) != tn_tree_scope(tree, block)) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL, "loop '%s' is in another scope",
                     loop->in[TN_FOR_VAR]->attr.text);
  }
  if (distance < 1 || distance > MAX_DISTANCE) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL, "distance %lld is not in 1 to %d",
                     (long long)distance, MAX_DISTANCE);
  }
  return NULL;
}

tn_status tn_prim_prefetch(tn_sched *s, tn_prim_call *call) {
  tn_ir *ir = s->ir;
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[2]);
  int64_t distance = call->args[3]->attr.i64;
  const tn_node *region = NULL;
  bool is_write = false;
  bool is_found = false;
  tn_box box;
  TN_TRY(tn_block_buffer_arg(s, block, call->args[1], false, &region, &is_write));
  if (loop == NULL) {
    return tn_refuse(s, call->args[0], NULL, "loop '%s' is in another function",
                     call->args[2]->attr.text);
  }
  TN_TRY(check(s, tree, block, loop, distance));
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  const tn_node *body = loop->in[TN_FOR_BODY];
  TN_TRY(tn_stmt_box(s, tree, body, buffer, is_write, &box, &is_found));
  TN_ASSERT(is_found, "the block touches the buffer");
  later_box(ir, loop, distance, &box);
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *end =
      tn_index_binary(ir, TN_OP_ADD, loop->in[TN_FOR_MIN], loop->in[TN_FOR_EXTENT]);
  const tn_node *last = tn_index_binary(ir, TN_OP_SUB, end, tn_int(ir, var->dtype, distance));
  nest made = {.predicate = tn_index_binary(ir, TN_OP_LT, var, last)};
  tn_arith *arith = tn_arith_new(ir);
  tn_sched_bind_around(tree, arith, loop);
  bool is_never = tn_arith_prove(arith, tn_index_binary(ir, TN_OP_GE, var, last));
  size_t mark = tn_arith_assume(arith, made.predicate);
  for (uint32_t d = 0; d < box.n; ++d) {
    add_dim(ir, arith, buffer, &box, d, d + 1 == box.n ? elems_per_line(buffer) : 1, &made);
  }
  tn_arith_pop(arith, mark);
  tn_arith_free(arith);
  if (is_never) {
    return tn_refuse(s, call->args[0], NULL, "loop '%s' has no round %lld later", var->attr.text,
                     (long long)distance);
  }
  if (made.is_outside) {
    return tn_refuse(s, call->args[0], NULL, "what it reads of '%s' then is outside of it",
                     buffer->attr.text);
  }
  const tn_node *stmt = NULL;
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_prefetch", buffer->attr.text);
  const tn_node *label = tn_label_new(ir, tn_sched_fresh_name(s, tree, tn_buf_text(&name)));
  tn_buf_deinit(&name);
  TN_TRY(prefetch_stmt(s, buffer, box.n, made.axes, &stmt));
  TN_TRY(tn_block_new(s, label, box.n, made.iters, made.predicate, NULL, stmt, &stmt));
  stmt = tn_loops_around(ir, box.n, made.vars, made.extents, stmt);
  return tn_sched_insert(s, tn_is(body, TN_OP_SEQ) ? body->in[0] : body, stmt, true);
}
