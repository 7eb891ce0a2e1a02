/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Rewriting and substitution: one post-order pass with a memo by id. Only what changed is rebuilt;
 * SEQs stay flat (a rule may turn a statement into a SEQ, or into NONE to drop it), and source
 * positions go over to what replaces a statement. */
#include "base/check.h"
#include "ir/ir.h"
#include "ir/ir_priv.h"

typedef struct rewrite_ctx {
  tn_rewriter rw;      /* first: rules get a pointer to it */
  const tn_map *given; /* id -> replacement, taken before descending; or NULL */
  uint32_t first_id;   /* of the nodes that this rewrite makes */
} rewrite_ctx;

static const tn_node *rewrite(rewrite_ctx *c, const tn_node *n);

/* A new statement without a position gets the one of the statement it stands for. */
static void inherit_pos(rewrite_ctx *c, const tn_node *from, const tn_node *made) {
  if (made->id < c->first_id || tn_is_interned(made) || tn_ir_pos(c->rw.ir, made).source != 0) {
    return;
  }
  tn_ir_set_pos(c->rw.ir, made, tn_ir_pos(c->rw.ir, from));
  if (tn_is(made, TN_OP_SEQ)) {
    for (uint32_t i = 0; i < made->n_in; ++i) {
      inherit_pos(c, from, made->in[i]);
    }
  }
}

static bool has_seq_slots(const tn_node *n) {
  return tn_is(n, TN_OP_GFUNC) || tn_is(n, TN_OP_GIF) || tn_is(n, TN_OP_DATAFLOW);
}

static const tn_node *rebuild(rewrite_ctx *c, const tn_node *n, const tn_node **in) {
  tn_ir *ir = c->rw.ir;
  if (tn_is(n, TN_OP_SEQ)) {
    const tn_node *seq = tn_seq(ir, n->n_in, in);
    inherit_pos(c, n, seq);
    return seq;
  }
  if (has_seq_slots(n)) { /* graph bodies are SEQs even when one statement is left */
    for (uint32_t i = 0; i < n->n_in; ++i) {
      if (tn_is(n->in[i], TN_OP_SEQ) && !tn_is(in[i], TN_OP_SEQ)) {
        in[i] = tn_node_copy(ir, n->in[i], 1, &in[i]);
      }
    }
  }
  return tn_node_with(ir, n, in);
}

static const tn_node *rewrite_children(rewrite_ctx *c, const tn_node *n) {
  uint32_t i = 0;
  const tn_node *changed = NULL;
  for (; i < n->n_in; ++i) {
    changed = rewrite(c, n->in[i]);
    if (changed != n->in[i]) {
      break;
    }
  }
  if (i == n->n_in) {
    return n;
  }
  tn_children children;
  tn_children_init(&children, n->n_in);
  for (uint32_t k = 0; k < i; ++k) {
    children.in[k] = n->in[k];
  }
  children.in[i] = changed;
  for (++i; i < n->n_in; ++i) {
    children.in[i] = rewrite(c, n->in[i]);
  }
  const tn_node *made = rebuild(c, n, children.in);
  tn_children_deinit(&children);
  return made;
}

static const tn_node *rewrite(rewrite_ctx *c, const tn_node *n) {
  uint64_t word = 0;
  if (c->given != NULL && tn_map_find(c->given, n->id, &word)) {
    return tn_node_from_word(word);
  }
  if (c->rw.rule == NULL && n->n_in == 0) {
    return n;
  }
  if (tn_map_find(&c->rw.memo, n->id, &word)) {
    return tn_node_from_word(word);
  }
  const tn_node *made = rewrite_children(c, n);
  bool is_collapsed = tn_is(n, TN_OP_SEQ) && !tn_is(made, TN_OP_SEQ); /* the rule saw that one */
  if (c->rw.rule != NULL && !is_collapsed) {
    const tn_node *replaced = c->rw.rule(&c->rw, made);
    if (replaced != NULL && replaced != made) {
      inherit_pos(c, n, replaced);
      made = replaced;
    }
  }
  tn_map_set(&c->rw.memo, n->id, tn_node_to_word(made));
  return made;
}

static const tn_node *run(tn_ir *ir, const tn_node *root, tn_rule rule, void *ctx,
                          const tn_map *given) {
  rewrite_ctx c = {.rw = {.ir = ir, .ctx = ctx, .rule = rule}, .given = given};
  c.first_id = tn_ir_n_ids(ir);
  const tn_node *made = rewrite(&c, root);
  tn_map_deinit(&c.rw.memo);
  return made;
}

const tn_node *tn_rewrite(tn_ir *ir, const tn_node *root, tn_rule rule, void *ctx) {
  TN_ASSERT(rule != NULL, "a rewrite needs a rule");
  return run(ir, root, rule, ctx, NULL);
}

const tn_node *tn_subst(tn_ir *ir, const tn_node *root, const tn_map *id_to_node) {
  return id_to_node->len == 0 ? root : run(ir, root, NULL, NULL, id_to_node);
}

const tn_node *tn_subst1(tn_ir *ir, const tn_node *root, const tn_node *from, const tn_node *to) {
  tn_map map = {0};
  tn_map_set(&map, from->id, tn_node_to_word(to));
  const tn_node *made = tn_subst(ir, root, &map);
  tn_map_deinit(&map);
  return made;
}
