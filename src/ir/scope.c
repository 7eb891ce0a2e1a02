/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which leaves are bound inside a node: the binding structure of both levels without its order (the
 * verifier checks the order). Used where "bound inside" decides: equality of fragments, fresh
 * copies. */
#include "ir/ir.h"
#include "ir/ir_priv.h"

typedef struct bound_ctx {
  tn_map seen; /* node id -> 0 */
  tn_map *ids; /* bound leaves; the result */
} bound_ctx;

static void collect(bound_ctx *c, const tn_node *n);

static void bind(bound_ctx *c, const tn_node *leaf) {
  if (tn_op_info_get((tn_op)leaf->op)->cls == TN_CLASS_LEAF) {
    tn_map_set(c->ids, leaf->id, 0);
  }
}

static void bind_list(bound_ctx *c, const tn_node *list) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    bind(c, list->in[i]);
  }
}

/* Binds the VARs of a shape or type that were not met before: symbolic sizes. */
static void bind_new_vars(bound_ctx *c, const tn_node *n) {
  if (tn_map_find(&c->seen, n->id, NULL)) {
    return;
  }
  if (tn_is(n, TN_OP_VAR)) {
    bind(c, n);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bind_new_vars(c, n->in[i]);
  }
  tn_map_set(&c->seen, n->id, 0);
}

static void bind_buffer(bound_ctx *c, const tn_node *buffer, tn_buffer_binder binder) {
  if (!tn_is(buffer, TN_OP_BUFFER)) {
    return;
  }
  bind(c, buffer);
  if (binder != TN_BUFFER_OF_DECL) {
    bind_new_vars(c, buffer->in[TN_BUFFER_DATA]);
  }
  if (binder == TN_BUFFER_OF_PARAM) {
    bind_new_vars(c, buffer->in[TN_BUFFER_SHAPE]);
    bind_new_vars(c, buffer->in[TN_BUFFER_STRIDES]);
    bind_new_vars(c, buffer->in[TN_BUFFER_ELEM_OFFSET]);
  }
}

static void bind_buffers(bound_ctx *c, const tn_node *list, tn_buffer_binder binder) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    bind_buffer(c, list->in[i], binder);
  }
}

static void bind_typed_params(bound_ctx *c, const tn_node *list) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    bind(c, list->in[i]);
    bind_new_vars(c, list->in[i]);
  }
}

static void bind_of(bound_ctx *c, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_BLOCK: {
      bind(c, n->in[TN_BLOCK_LABEL]);
      const tn_node *matches = n->in[TN_BLOCK_MATCHES];
      for (uint32_t i = 0; i < matches->n_in; ++i) {
        if (tn_is(matches->in[i], TN_OP_MATCH)) {
          bind_buffer(c, matches->in[i]->in[TN_MATCH_BUFFER], TN_BUFFER_OF_PARAM);
        }
      }
      bind_buffers(c, n->in[TN_BLOCK_ALLOCS], TN_BUFFER_OF_ALLOC);
      break;
    }
    case TN_OP_PRIM_FUNC:
      bind_list(c, n->in[TN_PRIM_FUNC_PARAMS]);
      bind_buffers(c, n->in[TN_PRIM_FUNC_BUFFERS], TN_BUFFER_OF_PARAM);
      break;
    case TN_OP_GFUNC:
      bind_typed_params(c, n->in[TN_GFUNC_PARAMS]);
      break;
    case TN_OP_TY_FUNC:
      bind_new_vars(c, n->in[TN_TY_FUNC_PARAMS]);
      break;
    case TN_OP_DECL:
      bind_buffer(c, n->in[0], TN_BUFFER_OF_DECL);
      break;
    case TN_OP_LAMBDA:
      bind_list(c, n->in[TN_LAMBDA_PARAMS]);
      break;
    case TN_OP_REDUCER:
      bind_list(c, n->in[TN_REDUCER_LHS]);
      bind_list(c, n->in[TN_REDUCER_RHS]);
      break;
    case TN_OP_MATCH_CAST:
      bind(c, n->in[TN_MATCH_CAST_VAR]);
      bind_new_vars(c, n->in[TN_MATCH_CAST_TYPE]);
      break;
    case TN_OP_MATCH: /* by its BLOCK */
      break;
    default: /* LET, BIND, ALLOC, CONST_ALLOC, FOR, ITER, LAUNCH, GBIND, GIF: the first slot */
      if ((tn_op_info_get((tn_op)n->op)->flags & TN_OPF_BINDS) != 0) {
        bind(c, n->in[0]);
      }
  }
}

static void collect(bound_ctx *c, const tn_node *n) {
  if (tn_map_find(&c->seen, n->id, NULL)) {
    return;
  }
  if (tn_is(n, TN_OP_MATCH_CAST)) { /* its value cannot use what its type binds */
    collect(c, n->in[TN_MATCH_CAST_VALUE]);
  }
  if (tn_is(n, TN_OP_BLOCK)) { /* nor can the iters and regions use what the matches bind */
    collect(c, n->in[TN_BLOCK_ITERS]);
    collect(c, n->in[TN_BLOCK_READS]);
    collect(c, n->in[TN_BLOCK_WRITES]);
  }
  bind_of(c, n);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    collect(c, n->in[i]);
  }
  tn_map_set(&c->seen, n->id, 0);
}

void tn_bound_leaves(const tn_node *root, tn_map *ids) {
  bound_ctx c = {.ids = ids};
  collect(&c, root);
  tn_map_deinit(&c.seen);
}
