/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Unrolled loops of constant extent become copies of their body, one an iteration, in order;
 * constants are folded in each.
 *
 *   for i in T.unroll(2):              A[0] = B[0]
 *       A[i * 4] = B[i]         ->     A[4] = B[1]
 *
 * Inner loops first. A loop that would make more than MAX_COPIES copies of something inside it, or
 * more than MAX_STMTS statements in all, stays, as do loops whose body allocates memory of unknown
 * size (all copies would hold theirs at once). Each copy binds variables of its own. */
#include "lower/lower_priv.h"

enum { MAX_COPIES = 1024, MAX_STMTS = 1 << 14 };

typedef struct unroll_ctx {
  tn_ir *ir;
  tn_map copies;  /* id of a statement -> how often its most copied part occurs in it */
  tn_map n_stmts; /* id of a statement -> how many it is, with those inside */
} unroll_ctx;

/* Folds literals in statements and expressions. Buffers keep their identity: they may be declared
 * outside. */
static const tn_node *fold(tn_ir *ir, tn_map *memo, const tn_node *n) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  if (n->n_in == 0 || info->cls == TN_CLASS_LEAF) {
    return n;
  }
  const tn_node *made = tn_lower_map_find(memo, n);
  if (made != NULL) {
    return made;
  }
  TN_VEC(const tn_node *) in = {0};
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_VEC_PUSH(&in, fold(ir, memo, n->in[i]));
  }
  made = tn_is(n, TN_OP_SEQ) ? tn_seq(ir, n->n_in, in.data) : tn_node_with(ir, n, in.data);
  TN_VEC_DEINIT(&in);
  const tn_node *folded = info->cls == TN_CLASS_EXPR ? tn_arith_fold(ir, made) : NULL;
  made = folded != NULL ? folded : made;
  tn_lower_map_set(memo, n, made);
  return made;
}

static bool has_open_alloc(const tn_node *body) {
  uint32_t n = tn_is(body, TN_OP_SEQ) ? body->n_in : 1;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *item = tn_is(body, TN_OP_SEQ) ? body->in[i] : body;
    if (!tn_is(item, TN_OP_ALLOC)) {
      continue;
    }
    for (uint32_t k = 0; k < item->in[TN_ALLOC_EXTENTS]->n_in; ++k) {
      if (!tn_is(item->in[TN_ALLOC_EXTENTS]->in[k], TN_OP_INT)) {
        return true;
      }
    }
  }
  return false;
}

static int64_t copies_in(const unroll_ctx *c, const tn_node *n) {
  uint64_t copies = 1;
  return tn_map_find(&c->copies, n->id, &copies) ? (int64_t)copies : 1;
}

static int64_t stmts_in(unroll_ctx *c, const tn_node *n) {
  uint64_t known = 0;
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT) {
    return 0;
  }
  if (tn_map_find(&c->n_stmts, n->id, &known)) {
    return (int64_t)known;
  }
  int64_t sum = 1;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    sum += stmts_in(c, n->in[i]);
  }
  tn_map_set(&c->n_stmts, n->id, (uint64_t)sum);
  return sum;
}

static bool may_unroll(unroll_ctx *c, const tn_node *loop, int64_t copies_inside) {
  const tn_node *extent = loop->in[TN_FOR_EXTENT];
  const tn_node *body = loop->in[TN_FOR_BODY];
  if (!tn_is(extent, TN_OP_INT) || extent->attr.i64 > MAX_COPIES / copies_inside) {
    return false;
  }
  bool is_small = extent->attr.i64 <= 0 || stmts_in(c, body) <= MAX_STMTS / extent->attr.i64;
  return is_small && !has_open_alloc(body);
}

static const tn_node *unroll(unroll_ctx *c, const tn_node *loop, int64_t extent) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *min = loop->in[TN_FOR_MIN];
  TN_VEC(const tn_node *) parts = {0};
  for (int64_t i = 0; i < extent; ++i) {
    const tn_node *value = tn_lower_add(c->ir, min, tn_int(c->ir, var->dtype, i));
    const tn_node *copy =
        tn_subst1(c->ir, tn_clone_fresh(c->ir, loop->in[TN_FOR_BODY]), var, value);
    tn_map memo = {0};
    TN_VEC_PUSH(&parts, fold(c->ir, &memo, copy));
    tn_map_deinit(&memo);
  }
  const tn_node *made = tn_seq(c->ir, (uint32_t)parts.len, parts.data);
  TN_VEC_DEINIT(&parts);
  return made;
}

static const tn_node *unroll_rule(tn_rewriter *rw, const tn_node *n) {
  unroll_ctx *c = rw->ctx;
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT) {
    return NULL;
  }
  int64_t inside = 1;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    int64_t own = copies_in(c, n->in[i]);
    inside = own > inside ? own : inside;
  }
  const tn_node *made = NULL;
  bool is_unrolled = tn_is(n, TN_OP_FOR) && n->attr.i64 == TN_FOR_UNROLLED;
  if (is_unrolled && may_unroll(c, n, inside)) {
    int64_t extent = n->in[TN_FOR_EXTENT]->attr.i64;
    made = unroll(c, n, extent);
    inside = extent > 0 ? inside * extent : 1;
  }
  tn_map_set(&c->copies, made == NULL ? n->id : made->id, (uint64_t)inside);
  return made;
}

static tn_status unroll_loops(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  unroll_ctx c = {.ir = ir};
  const tn_node *body = tn_rewrite(ir, func->in[TN_PRIM_FUNC_BODY], unroll_rule, &c);
  tn_map_deinit(&c.copies);
  tn_map_deinit(&c.n_stmts);
  *out_func = tn_lower_with_body(ir, func, body);
  return NULL;
}

tn_status tn_pass_unroll_loops(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, unroll_loops);
}
