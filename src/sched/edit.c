/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Small rewrites that many primitives need. */
#include <string.h>

#include "sched/loops.h"
#include "sched/sched_priv.h"

const tn_node *tn_for_with(tn_ir *ir, const tn_node *loop, const tn_node *min,
                           const tn_node *extent, const tn_node *body) {
  const tn_node *in[] = {loop->in[TN_FOR_VAR],
                         min != NULL ? min : loop->in[TN_FOR_MIN],
                         extent != NULL ? extent : loop->in[TN_FOR_EXTENT],
                         body != NULL ? body : loop->in[TN_FOR_BODY],
                         loop->in[TN_FOR_THREAD],
                         loop->in[TN_FOR_ANNOTATIONS]};
  return tn_node_with(ir, loop, in);
}

const tn_node *tn_for_with_kind(tn_ir *ir, const tn_node *loop, tn_for_kind kind) {
  const tn_node *in[TN_FOR_ANNOTATIONS + 1];
  memcpy(in, loop->in, sizeof in);
  in[TN_FOR_THREAD] = kind == TN_FOR_THREAD_BINDING ? in[TN_FOR_THREAD] : tn_none(ir);
  const tn_node *out =
      tn_node_new(ir, TN_OP_FOR, loop->dtype, (tn_attr){.i64 = kind}, loop->n_in, in);
  tn_ir_set_pos(ir, out, tn_ir_pos(ir, loop));
  return out;
}

const tn_node *tn_sched_and(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (tn_is_int(a, 1)) {
    return b;
  }
  if (tn_is_int(b, 1)) {
    return a;
  }
  bool is_guard = tn_loads_data(a, NULL) && !tn_loads_data(b, NULL);
  return is_guard ? tn_binary(ir, TN_OP_AND, b, a) : tn_binary(ir, TN_OP_AND, a, b);
}

/* ---- simplifying bindings ---- */

static const tn_node *simplify_iters(tn_sched *s, tn_arith *arith, const tn_node *iters) {
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *binding = tn_arith_simplify(arith, iter->in[TN_ITER_BINDING]);
    iters = tn_with_child(s->ir, iters, i, tn_with_child(s->ir, iter, TN_ITER_BINDING, binding));
  }
  return iters;
}

/* Down to the blocks, not into them: they see their own variables only. */
static const tn_node *simplify_down(tn_sched *s, tn_arith *arith, const tn_node *n) {
  if (tn_is(n, TN_OP_BLOCK)) {
    n = tn_with_child(s->ir, n, TN_BLOCK_ITERS, simplify_iters(s, arith, n->in[TN_BLOCK_ITERS]));
    return tn_with_child(s->ir, n, TN_BLOCK_PREDICATE,
                         tn_arith_simplify(arith, n->in[TN_BLOCK_PREDICATE]));
  }
  bool is_loop = tn_is(n, TN_OP_FOR);
  if (is_loop) {
    tn_arith_bind_range(arith, n->in[TN_FOR_VAR], n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT) {
      n = tn_with_child(s->ir, n, i, simplify_down(s, arith, n->in[i]));
    }
  }
  if (is_loop) {
    tn_arith_unbind(arith, n->in[TN_FOR_VAR]);
  }
  return n;
}

void tn_sched_bind_axes(tn_arith *arith, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    tn_arith_bind_range(arith, iters->in[i]->in[TN_ITER_VAR], iters->in[i]->in[TN_ITER_MIN],
                        iters->in[i]->in[TN_ITER_EXTENT]);
  }
}

void tn_sched_bind_around(const tn_tree *tree, tn_arith *arith, const tn_node *stmt) {
  for (const tn_node *at = stmt; at != NULL; at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_FOR)) {
      tn_arith_bind_range(arith, at->in[TN_FOR_VAR], at->in[TN_FOR_MIN], at->in[TN_FOR_EXTENT]);
    }
    if (tn_is(at, TN_OP_BLOCK)) {
      tn_sched_bind_axes(arith, at);
    }
  }
}

const tn_node *tn_sched_simplify(tn_sched *s, const tn_tree *tree, const tn_node *around,
                                 const tn_node *stmt) {
  tn_arith *arith = tn_arith_new(s->ir);
  if (around != NULL) {
    tn_sched_bind_around(tree, arith, around);
  }
  const tn_node *out = simplify_down(s, arith, stmt);
  tn_arith_free(arith);
  return out;
}

/* ---- names ---- */

typedef struct name_search {
  const char *name;
  bool is_used;
} name_search;

static tn_visit look_for_name(const tn_node *n, void *ctx) {
  name_search *search = ctx;
  bool has_name = tn_is(n, TN_OP_VAR) || tn_is(n, TN_OP_LABEL) || tn_is(n, TN_OP_BUFFER);
  if (has_name && strcmp(n->attr.text, search->name) == 0) {
    search->is_used = true;
    return TN_STOP;
  }
  return TN_DESCEND;
}

const char *tn_sched_fresh_name(tn_sched *s, const tn_tree *tree, const char *base) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s", base);
  for (int32_t i = 1;; ++i) {
    name_search search = {.name = tn_buf_text(&name)};
    tn_walk_distinct(tree->func, look_for_name, &search);
    if (!search.is_used) {
      break;
    }
    tn_buf_clear(&name);
    tn_buf_printf(&name, "%s_%d", base, i);
  }
  const char *out = tn_ir_text(s->ir, tn_buf_text(&name));
  tn_buf_deinit(&name);
  return out;
}
