/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Index arithmetic and conditions, with everything that the place of an expression says about it:
 * the ranges of the loops around it, the conditions of the `if`s around it, the values of `let`s
 * before it, extents of buffers being at least 0.
 *
 *   for i in range(8):                              for i in range(8):
 *       for j in range(1):                    ->        A[i] = 1
 *           if i * 2 + j < 16: A[(i * 4 + j) // 4] = 1
 *
 * Loops of extent 1 are replaced by their body, those of extent 0 and decided branches go. Works on
 * blocks too. Idempotent. */
#include <string.h>

#include "base/check.h"
#include "lower/lower_priv.h"

typedef struct simplify_ctx {
  tn_ir *ir;
  tn_arith *arith;
} simplify_ctx;

static const tn_node *stmt(simplify_ctx *c, const tn_node *n);

static const tn_node *expr(simplify_ctx *c, const tn_node *n) {
  return tn_arith_simplify(c->arith, n);
}

static const tn_node *nothing(simplify_ctx *c) { return tn_seq(c->ir, 0, NULL); }

static bool is_nothing(const tn_node *n) {
  return tn_is_none(n) || (tn_is(n, TN_OP_SEQ) && n->n_in == 0);
}

/* Bindings made by a sequence are forgotten at its end. */
static const tn_node *seq(simplify_ctx *c, const tn_node *n) {
  const tn_node **items = malloc((n->n_in + 1) * sizeof *items);
  TN_CHECK(items != NULL, "out of memory");
  bool is_same = true;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    items[i] = stmt(c, n->in[i]);
    is_same = is_same && items[i] == n->in[i];
    if (tn_is(items[i], TN_OP_BIND)) {
      tn_arith_bind_value(c->arith, items[i]->in[TN_BIND_VAR], items[i]->in[TN_BIND_VALUE]);
    }
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_is(items[i], TN_OP_BIND)) {
      tn_arith_unbind(c->arith, items[i]->in[TN_BIND_VAR]);
    }
  }
  const tn_node *made = is_same ? n : tn_seq(c->ir, n->n_in, items);
  free(items);
  return made;
}

static const tn_node *loop(simplify_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_FOR_VAR];
  const tn_node *in[6];
  memcpy(in, n->in, sizeof in);
  in[TN_FOR_MIN] = expr(c, n->in[TN_FOR_MIN]);
  in[TN_FOR_EXTENT] = expr(c, n->in[TN_FOR_EXTENT]);
  int64_t extent = tn_is(in[TN_FOR_EXTENT], TN_OP_INT) ? in[TN_FOR_EXTENT]->attr.i64 : INT64_MAX;
  if (extent <= 0) {
    return nothing(c);
  }
  if (extent == 1 && n->attr.i64 != TN_FOR_THREAD_BINDING &&
      tn_loop_exits(n->in[TN_FOR_BODY]) == 0) {
    return stmt(c, tn_subst1(c->ir, n->in[TN_FOR_BODY], var, in[TN_FOR_MIN]));
  }
  tn_arith_bind_range(c->arith, var, in[TN_FOR_MIN], in[TN_FOR_EXTENT]);
  in[TN_FOR_BODY] = stmt(c, n->in[TN_FOR_BODY]);
  tn_arith_unbind(c->arith, var);
  return tn_node_with(c->ir, n, in);
}

/* `then` runs where the condition holds; what its loads saw may have changed since, which
 * tn_arith_assume knows. */
static const tn_node *branch(simplify_ctx *c, const tn_node *n) {
  const tn_node *cond = expr(c, n->in[TN_IF_COND]);
  if (tn_is(cond, TN_OP_INT)) {
    const tn_node *taken = n->in[cond->attr.i64 != 0 ? TN_IF_THEN : TN_IF_ELSE];
    return tn_is_none(taken) ? nothing(c) : stmt(c, taken);
  }
  size_t mark = tn_arith_assume(c->arith, cond);
  const tn_node *then = stmt(c, n->in[TN_IF_THEN]);
  tn_arith_pop(c->arith, mark);
  const tn_node *otherwise = n->in[TN_IF_ELSE];
  if (!tn_is_none(otherwise)) {
    mark = tn_arith_assume(
        c->arith, tn_node_new(c->ir, TN_OP_NOT, cond->dtype, (tn_attr){.i64 = 0}, 1, &cond));
    otherwise = stmt(c, otherwise);
    tn_arith_pop(c->arith, mark);
  }
  if (is_nothing(then) && is_nothing(otherwise) && (cond->flags & TN_NF_EFFECT) == 0) {
    return nothing(c);
  }
  const tn_node *in[3] = {cond, then, is_nothing(otherwise) ? tn_none(c->ir) : otherwise};
  return tn_node_with(c->ir, n, in);
}

static const tn_node *block(simplify_ctx *c, const tn_node *n) {
  const tn_node *in[10];
  memcpy(in, n->in, sizeof in);
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  const tn_node **list = malloc((iters->n_in + 1) * sizeof *list);
  TN_CHECK(list != NULL, "out of memory");
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *parts[4];
    memcpy(parts, iters->in[i]->in, sizeof parts);
    for (int k = TN_ITER_MIN; k <= TN_ITER_BINDING; ++k) {
      parts[k] = expr(c, parts[k]);
    }
    list[i] = tn_node_with(c->ir, iters->in[i], parts);
  }
  in[TN_BLOCK_PREDICATE] = expr(c, n->in[TN_BLOCK_PREDICATE]);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    tn_arith_bind_range(c->arith, list[i]->in[TN_ITER_VAR], list[i]->in[TN_ITER_MIN],
                        list[i]->in[TN_ITER_EXTENT]);
  }
  size_t mark = tn_arith_assume(c->arith, in[TN_BLOCK_PREDICATE]);
  in[TN_BLOCK_INIT] =
      tn_is_none(n->in[TN_BLOCK_INIT]) ? n->in[TN_BLOCK_INIT] : stmt(c, n->in[TN_BLOCK_INIT]);
  in[TN_BLOCK_BODY] = stmt(c, n->in[TN_BLOCK_BODY]);
  tn_arith_pop(c->arith, mark);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    tn_arith_unbind(c->arith, list[i]->in[TN_ITER_VAR]);
  }
  in[TN_BLOCK_ITERS] = tn_node_with(c->ir, iters, list);
  free(list);
  return tn_node_with(c->ir, n, in);
}

/* Statements made of expressions and bodies only: STORE, EVAL, BIND, ALLOC, WHILE, ATTR, LAUNCH,
 * ASSERT, RETURN. */
static const tn_node *plain(simplify_ctx *c, const tn_node *n) {
  const tn_node **in = malloc((n->n_in + 1) * sizeof *in);
  TN_CHECK(in != NULL, "out of memory");
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_body = tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT;
    in[i] = is_body ? stmt(c, n->in[i]) : expr(c, n->in[i]);
  }
  if (tn_is(n, TN_OP_STORE) && tn_is_int(in[TN_STORE_PREDICATE], 1)) {
    in[TN_STORE_PREDICATE] = tn_none(c->ir);
  }
  bool is_off = tn_is(n, TN_OP_STORE) && tn_is_int(in[TN_STORE_PREDICATE], 0) &&
                (in[TN_STORE_VALUE]->flags & TN_NF_EFFECT) == 0;
  const tn_node *made = is_off ? nothing(c) : tn_node_with(c->ir, n, in);
  free(in);
  return made;
}

static const tn_node *stmt(simplify_ctx *c, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_SEQ:
      return seq(c, n);
    case TN_OP_FOR:
      return loop(c, n);
    case TN_OP_IF:
      return branch(c, n);
    case TN_OP_BLOCK:
      return block(c, n);
    case TN_OP_DECL:
      return n;
    default: {
      const tn_node *made = plain(c, n);
      if (made != n && tn_ir_pos(c->ir, made).source == 0) {
        tn_ir_set_pos(c->ir, made, tn_ir_pos(c->ir, n));
      }
      return made;
    }
  }
}

const tn_node *tn_lower_simplify(tn_ir *ir, tn_arith *arith, const tn_node *n) {
  simplify_ctx c = {.ir = ir, .arith = arith};
  return stmt(&c, n);
}

/* Extents that the entry check takes from a tensor are not negative. */
static void assume_extents(simplify_ctx *c, const tn_node *buffers) {
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *shape =
        tn_is_none(buffers->in[i]) ? buffers->in[i] : buffers->in[i]->in[TN_BUFFER_SHAPE];
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      const tn_node *extent = shape->in[d];
      if (tn_is(extent, TN_OP_VAR)) {
        (void)tn_arith_assume(c->arith,
                              tn_binary(c->ir, TN_OP_GE, extent, tn_int(c->ir, extent->dtype, 0)));
      }
    }
  }
}

static tn_status simplify(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  simplify_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  assume_extents(&c, func->in[TN_PRIM_FUNC_BUFFERS]);
  *out_func = tn_lower_with_body(ir, func, stmt(&c, func->in[TN_PRIM_FUNC_BODY]));
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_simplify(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, simplify);
}
