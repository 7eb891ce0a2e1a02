/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The shrinker of failing loop-level functions: greedy, one change at a time, outer nodes first. */
#include "shrink_tir.h"

#include "base/vec.h"

typedef struct change {
  const tn_node *from;
  const tn_node *to;
} change;

typedef struct shrinker {
  tn_ir *ir;
  TN_VEC(change) changes;
} shrinker;

static void offer(shrinker *s, const tn_node *from, const tn_node *to) {
  if (to != NULL && to != from && !tn_is_none(to)) {
    TN_VEC_PUSH(&s->changes, (change){from, to});
  }
}

static void offer_without(shrinker *s, const tn_node *seq) {
  for (uint32_t i = 0; i < seq->n_in; ++i) {
    TN_VEC(const tn_node *) rest = {0};
    for (uint32_t k = 0; k < seq->n_in; ++k) {
      if (k != i) {
        TN_VEC_PUSH(&rest, seq->in[k]);
      }
    }
    offer(s, seq, tn_seq(s->ir, (uint32_t)rest.len, rest.data));
    TN_VEC_DEINIT(&rest);
  }
}

static const tn_node *literal(tn_ir *ir, tn_dtype dtype, int64_t value) {
  tn_dtype elem = tn_dtype_elem(dtype);
  if (dtype == TN_DT_NONE || tn_dtype_is_handle(dtype)) {
    return NULL;
  }
  const tn_node *one =
      tn_dtype_is_any_float(elem) ? tn_float(ir, elem, (double)value) : tn_int(ir, elem, value);
  return tn_dtype_lanes(dtype) == 1
             ? one
             : tn_node_new(ir, TN_OP_BROADCAST, dtype, (tn_attr){0}, 1, &one);
}

static void offer_exprs(shrinker *s, const tn_node *n) {
  if (tn_is(n, TN_OP_INT) || tn_is(n, TN_OP_FLOAT)) {
    return;
  }
  offer(s, n, literal(s->ir, n->dtype, 0));
  offer(s, n, literal(s->ir, n->dtype, 1));
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (n->in[i]->dtype == n->dtype) {
      offer(s, n, n->in[i]);
    }
    for (uint32_t k = 0; k < n->in[i]->n_in; ++k) {
      if (n->in[i]->in[k]->dtype == n->dtype) {
        offer(s, n, n->in[i]->in[k]);
      }
    }
  }
}

static tn_visit visit(const tn_node *n, void *ctx) {
  shrinker *s = ctx;
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  if (tn_is(n, TN_OP_SEQ)) {
    offer_without(s, n);
  } else if (tn_is(n, TN_OP_IF)) {
    offer(s, n, n->in[TN_IF_THEN]);
    offer(s, n, n->in[TN_IF_ELSE]);
  } else if (tn_is(n, TN_OP_FOR)) {
    offer(s, n, tn_subst1(s->ir, n->in[TN_FOR_BODY], n->in[TN_FOR_VAR], n->in[TN_FOR_MIN]));
  } else if (info->cls == TN_CLASS_EXPR) {
    offer_exprs(s, n);
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

const tn_node *shrink_tir(tn_ir *ir, const tn_node *func, int32_t max_tries, shrink_fails_fn fails,
                          void *ctx) {
  bool is_smaller = true;
  while (is_smaller && max_tries > 0) {
    shrinker s = {.ir = ir};
    is_smaller = false;
    tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], visit, &s);
    for (size_t i = 0; i < s.changes.len && max_tries > 0; ++i) {
      const tn_node *body =
          tn_subst1(ir, func->in[TN_PRIM_FUNC_BODY], s.changes.data[i].from, s.changes.data[i].to);
      if (body == func->in[TN_PRIM_FUNC_BODY]) {
        continue; /* gone with an earlier change */
      }
      const tn_node *in[TN_PRIM_FUNC_BODY + 1];
      for (uint32_t k = 0; k <= TN_PRIM_FUNC_BODY; ++k) {
        in[k] = k == TN_PRIM_FUNC_BODY ? body : func->in[k];
      }
      const tn_node *smaller = tn_node_with(ir, func, in);
      --max_tries;
      if (fails(smaller, ctx)) {
        func = smaller;
        is_smaller = true;
      }
    }
    TN_VEC_DEINIT(&s.changes);
  }
  return func;
}
