/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How large expressions are when they are written out. Interning keeps an expression that shares
 * its operands small (a1 = a0 * a0, a2 = a1 * a1 ...), but its text doubles with each step, and so
 * does the work of whoever looks at it operand by operand. */
#include "ir/ir_priv.h"

typedef struct size_ctx {
  const tn_ir *ir;
  tn_diags *diags;
  tn_map sizes; /* id -> nodes when written out, at most TN_MAX_TREE + 1 */
  bool is_told;
} size_ctx;

/* What is small is counted again more quickly than it is found. */
static bool is_small(const tn_node *n) { return n->depth <= 3 && n->n_in <= 4; }

static void tell(size_ctx *c, const tn_node *at) {
  if (!c->is_told) {
    c->is_told = true;
    tn_diags_add(c->diags, "expression-too-large", tn_ir_pos(c->ir, at),
                 "keep what is used several times in a variable or a buffer",
                 "an expression has more than %d parts when what it shares is written out",
                 (int)TN_MAX_TREE);
  }
}

/* Statements count as nothing: they are shared by nobody. */
static uint64_t count(size_ctx *c, const tn_node *n) {
  bool is_outer = tn_node_class(n) == TN_CLASS_STMT || tn_node_class(n) == TN_CLASS_FUNC;
  bool is_kept = !is_outer && !is_small(n);
  uint64_t size = 1;
  if (is_kept && tn_map_find(&c->sizes, n->id, &size)) {
    return size;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    uint64_t part = count(c, n->in[i]);
    size += part;
    if (is_outer && part > TN_MAX_TREE) {
      tell(c, n);
    }
  }
  size = size > TN_MAX_TREE ? TN_MAX_TREE + 1 : size;
  if (is_kept) {
    tn_map_set(&c->sizes, n->id, size);
  }
  return is_outer ? 1 : size;
}

void tn_ir_verify_sizes(const tn_ir *ir, const tn_node *func, tn_diags *diags) {
  size_ctx c = {.ir = ir, .diags = diags};
  if (func->depth <= TN_MAX_DEPTH) { /* else tn_ir_verify_func refuses it */
    (void)count(&c, func);
  }
  tn_map_deinit(&c.sizes);
}
