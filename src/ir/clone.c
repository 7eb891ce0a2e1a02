/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Copies: with fresh binders inside one tn_ir (unrolling, inlining), and from one tn_ir into
 * another (linking modules). Both rebuild everything that has identity and intern the rest. */
#include "ir/ir.h"

#include "base/check.h"
#include "ir/ir_priv.h"

typedef struct copy_ctx {
  tn_ir *ir;
  const tn_map *fresh; /* ids of leaves to copy; NULL: all */
  tn_map *memo;        /* id -> copy */
  bool is_import;      /* from another tn_ir: nothing may be shared, positions mean nothing */
} copy_ctx;

static const tn_node *copy_const(const copy_ctx *c, const tn_node *n) {
  if (!c->is_import) {
    return n;
  }
  tn_array array = {0};
  tn_status st = tn_array_init_copy(&array, n->attr.array);
  if (st != NULL) { /* surfaces as NO_MEMORY at the next tn_ir_status */
    tn_status_free(st);
    tn_ir_set_exhausted(c->ir);
    static const int64_t empty = 0;
    TN_CHECK(tn_array_init(&array, n->attr.array->dtype, 1, &empty) == NULL, "out of memory");
  }
  return tn_const_new(c->ir, &array);
}

static const tn_node *copy(const copy_ctx *c, const tn_node *n);

static const tn_node *copy_with_children(const copy_ctx *c, const tn_node *n) {
  tn_children children;
  tn_children_init(&children, n->n_in);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    children.in[i] = copy(c, n->in[i]);
  }
  const tn_node *made =
      c->is_import ? tn_node_new(c->ir, (tn_op)n->op, n->dtype, n->attr, n->n_in, children.in)
                   : tn_node_copy(c->ir, n, n->n_in, children.in);
  tn_children_deinit(&children);
  return made;
}

static bool is_kept(const copy_ctx *c, const tn_node *n) {
  return c->fresh != NULL && tn_node_class(n) == TN_CLASS_LEAF &&
         !tn_map_find(c->fresh, n->id, NULL);
}

static const tn_node *copy(const copy_ctx *c, const tn_node *n) {
  uint64_t word = 0;
  if (is_kept(c, n)) {
    return n;
  }
  if (tn_map_find(c->memo, n->id, &word)) {
    return tn_node_from_word(word);
  }
  const tn_node *made = tn_is(n, TN_OP_CONST) ? copy_const(c, n) : copy_with_children(c, n);
  tn_map_set(c->memo, n->id, tn_node_to_word(made));
  return made;
}

const tn_node *tn_clone_fresh(tn_ir *ir, const tn_node *root) {
  tn_map fresh = {0};
  tn_map memo = {0};
  tn_bound_leaves(root, &fresh);
  copy_ctx c = {.ir = ir, .fresh = &fresh, .memo = &memo};
  const tn_node *made = copy(&c, root);
  tn_map_deinit(&fresh);
  tn_map_deinit(&memo);
  return made;
}

const tn_node *tn_import(tn_ir *ir, const tn_node *root, tn_map *memo) {
  tn_map own = {0};
  copy_ctx c = {.ir = ir, .memo = memo != NULL ? memo : &own, .is_import = true};
  const tn_node *made = copy(&c, root);
  tn_map_deinit(&own);
  return made;
}
