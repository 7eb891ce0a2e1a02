/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Structural equality. Both trees are walked side by side; the first time two leaves meet they
 * become partners, and from then on each may only meet its partner. Since everything is bound once,
 * such a one-to-one matching is the same as equality up to renaming. A Let is an interned
 * expression and may stand in several places; in each of them its variable is bound anew. What is
 * free must be the same node, unless map_free. Constants are compared by content. Pairs already
 * found equal are remembered, so that shared expressions cost once. */
#include "ir/ir.h"

#include <string.h>

#include "base/check.h"
#include "ir/ir_priv.h"

typedef struct equal_ctx {
  bool map_free;
  bool has_bound; /* bound_a and bound_b are filled */
  const tn_node *root_a;
  const tn_node *root_b;
  tn_map bound_a; /* ids of leaves bound inside the roots */
  tn_map bound_b;
  tn_map partner_a; /* id in a -> id in b, and back */
  tn_map partner_b;
  tn_map equal_pairs; /* id in a << 32 | id in b */
  struct {
    const tn_node *parent;
    uint32_t slot;
  } path[TN_MAX_DEPTH]; /* from the difference up; filled on the way out */
  uint32_t n_path;
} equal_ctx;

static bool equal(equal_ctx *c, const tn_node *a, const tn_node *b);

/* Facts other than children; names of variables, buffers and labels do not count, nor do those of
 * graph functions: inside others they are variables' names, and the module's table has the rest. */
static bool equal_facts(const tn_node *a, const tn_node *b) {
  if (a->op != b->op || a->dtype != b->dtype || a->n_in != b->n_in) {
    return false;
  }
  const tn_op_info *info = tn_op_info_get((tn_op)a->op);
  switch (info->attr) {
    case TN_ATTR_NONE:
      return true;
    case TN_ATTR_I64:
    case TN_ATTR_F64:
      return a->attr.i64 == b->attr.i64;
    case TN_ATTR_TEXT:
      return info->cls == TN_CLASS_LEAF || tn_is(a, TN_OP_GFUNC) ||
             strcmp(a->attr.text, b->attr.text) == 0;
    case TN_ATTR_DEF:
      return a->attr.def == b->attr.def || strcmp(a->attr.def->name, b->attr.def->name) == 0;
    case TN_ATTR_ARRAY:
      return tn_array_equal(a->attr.array, b->attr.array);
  }
  TN_UNREACHABLE();
}

static bool may_be_partners(equal_ctx *c, const tn_node *a, const tn_node *b) {
  if (c->map_free || a == b) {
    return true;
  }
  if (!c->has_bound) {
    c->has_bound = true;
    tn_bound_leaves(c->root_a, &c->bound_a);
    tn_bound_leaves(c->root_b, &c->bound_b);
  }
  return tn_map_find(&c->bound_a, a->id, NULL) && tn_map_find(&c->bound_b, b->id, NULL);
}

/* Leaves with identity: true when they are partners, or become so; *out_is_new then says that their
 * facts are still to be compared. */
static bool are_partners(equal_ctx *c, const tn_node *a, const tn_node *b, bool *out_is_new) {
  uint64_t partner = 0;
  *out_is_new = false;
  if (tn_map_find(&c->partner_a, a->id, &partner)) {
    return partner == b->id;
  }
  if (tn_map_find(&c->partner_b, b->id, NULL) || !may_be_partners(c, a, b)) {
    return false;
  }
  tn_map_set(&c->partner_a, a->id, b->id);
  tn_map_set(&c->partner_b, b->id, a->id);
  *out_is_new = true;
  return true;
}

static void part(tn_map *mine, tn_map *theirs, const tn_node *leaf) {
  uint64_t partner = 0;
  if (tn_map_find(mine, leaf->id, &partner)) {
    tn_map_remove(mine, leaf->id);
    tn_map_remove(theirs, partner);
  }
}

static bool equal_children(equal_ctx *c, const tn_node *a, const tn_node *b) {
  for (uint32_t i = 0; i < a->n_in; ++i) {
    if (!equal(c, a->in[i], b->in[i])) {
      if (c->n_path < TN_MAX_DEPTH) {
        c->path[c->n_path].parent = a;
        c->path[c->n_path++].slot = i;
      }
      return false;
    }
  }
  return true;
}

static bool equal(equal_ctx *c, const tn_node *a, const tn_node *b) {
  bool is_leaf = tn_node_class(a) == TN_CLASS_LEAF && !tn_is(a, TN_OP_CONST);
  if (is_leaf) {
    bool is_new = false;
    if (a->op != b->op || !are_partners(c, a, b, &is_new)) {
      return false;
    }
    return !is_new || (equal_facts(a, b) && equal_children(c, a, b));
  }
  uint64_t pair = (uint64_t)a->id << 32 | b->id;
  bool is_shared =
      a->n_in != 0 || tn_is(a, TN_OP_CONST); /* the others are compared faster than found */
  if (is_shared && tn_map_find(&c->equal_pairs, pair, NULL)) {
    return true;
  }
  if (!equal_facts(a, b)) {
    return false;
  }
  if (tn_is(a, TN_OP_LET)) {
    part(&c->partner_a, &c->partner_b, a->in[TN_LET_VAR]);
    part(&c->partner_b, &c->partner_a, b->in[TN_LET_VAR]);
  }
  if (!equal_children(c, a, b)) {
    return false;
  }
  if (is_shared) {
    tn_map_set(&c->equal_pairs, pair, 0);
  }
  return true;
}

static void print_path(const equal_ctx *c, tn_buf *out) {
  if (c->n_path == 0) {
    tn_buf_puts(out, "(root)");
  }
  for (uint32_t i = c->n_path; i-- > 0;) {
    tn_op op = (tn_op)c->path[i].parent->op;
    uint32_t slot = c->path[i].slot;
    tn_slot name;
    if (tn_op_slot_find(op, slot, &name)) {
      tn_buf_printf(out, "%s%.*s", i + 1 == c->n_path ? "" : ".", (int)name.len, name.name);
    } else {
      tn_buf_printf(out, "[%u]", slot - tn_op_n_slots(op));
    }
  }
}

bool tn_equal(const tn_node *a, const tn_node *b, bool map_free, tn_buf *out_path) {
  if (a == b) {
    return true;
  }
  equal_ctx c;
  memset(&c, 0, offsetof(equal_ctx, path)); /* the path needs no clearing: it is 32 KB */
  c.n_path = 0;
  c.map_free = map_free;
  c.root_a = a;
  c.root_b = b;
  bool is_equal = equal(&c, a, b);
  if (!is_equal && out_path != NULL) {
    print_path(&c, out_path);
  }
  tn_map_deinit(&c.bound_a);
  tn_map_deinit(&c.bound_b);
  tn_map_deinit(&c.partner_a);
  tn_map_deinit(&c.partner_b);
  tn_map_deinit(&c.equal_pairs);
  return is_equal;
}
