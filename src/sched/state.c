/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A schedule's state: the module as it stands, and where everything is in it. Functions are
 * immutable; a step replaces one statement, which makes the nodes from there up to the function
 * anew. Keeping the old function is undo. */
#include <string.h>

#include "arith/sets.h"
#include "sched/sched_priv.h"

tn_sched *tn_sched_new(const tn_module *module, uint64_t seed) {
  tn_sched *s = calloc(1, sizeof *s);
  TN_CHECK(s != NULL, "out of memory");
  tn_module_init_copy(&s->module, module);
  s->ir = module->ir;
  s->rng = tn_rng_make(seed);
  return s;
}

static void tree_free(tn_tree *tree) {
  if (tree != NULL) {
    tn_map_deinit(&tree->parent);
    tn_map_deinit(&tree->site);
    TN_VEC_DEINIT(&tree->blocks);
    TN_VEC_DEINIT(&tree->loops);
    free(tree);
  }
}

void tn_sched_free(tn_sched *s) {
  if (s == NULL) {
    return;
  }
  for (size_t i = 0; i < s->trees.len; ++i) {
    tree_free(s->trees.data[i]);
  }
  TN_VEC_DEINIT(&s->trees);
  TN_VEC_DEINIT(&s->steps);
  tn_sets_free(s->sets);
  tn_map_deinit(&s->values);
  tn_map_deinit(&s->facts);
  tn_map_deinit(&s->renamed);
  TN_VEC_DEINIT(&s->intrins);
  tn_module_deinit(&s->module);
  free(s);
}

const tn_module *tn_sched_module(const tn_sched *s) { return &s->module; }
tn_ir *tn_sched_ir(const tn_sched *s) { return s->ir; }
void tn_sched_seed(tn_sched *s, uint64_t seed) { s->rng = tn_rng_make(seed); }
tn_sched_stats tn_sched_stats_get(const tn_sched *s) { return s->stats; }
uint32_t tn_sched_n_steps(const tn_sched *s) { return (uint32_t)s->steps.len; }
const tn_sched_step *tn_sched_step_at(const tn_sched *s, uint32_t i) { return &s->steps.data[i]; }

static void copy_map(tn_map *to, const tn_map *from) {
  for (size_t i = 0; i < from->cap; ++i) {
    if (from->used[i]) {
      tn_map_set(to, from->slots[2 * i], from->slots[2 * i + 1]);
    }
  }
}

tn_sched *tn_sched_copy(const tn_sched *from) {
  tn_sched *s = tn_sched_new(&from->module, 0);
  s->work_on = from->work_on;
  s->rng = from->rng;
  for (size_t i = 0; i < from->steps.len; ++i) {
    TN_VEC_PUSH(&s->steps, from->steps.data[i]);
  }
  copy_map(&s->values, &from->values);
  copy_map(&s->renamed, &from->renamed);
  for (size_t i = 0; i < from->intrins.len; ++i) {
    TN_VEC_PUSH(&s->intrins, from->intrins.data[i]);
  }
  return s;
}

void tn_sched_add_intrin(tn_sched *s, const char *name, const tn_node *desc, const tn_node *impl) {
  tn_sched_intrin intrin = {tn_ir_text(s->ir, name), desc, impl};
  TN_VEC_PUSH(&s->intrins, intrin);
}

tn_status tn_sched_work_on(tn_sched *s, const char *func) {
  const tn_node *found = tn_module_find(&s->module, func);
  if (found == NULL || !tn_is(found, TN_OP_PRIM_FUNC)) {
    return TN_ERR(TN_NOT_FOUND, "the module has no loop function '%s'", func);
  }
  s->work_on = tn_ir_text(s->ir, func);
  return NULL;
}

/* ---- trees ---- */

static void add_stmts(tn_tree *tree, const tn_node *n, const tn_node *parent) {
  tn_map_set(&tree->parent, n->id, (uint64_t)(uintptr_t)parent);
  if (tn_is(n, TN_OP_FOR)) {
    tn_map_set(&tree->site, n->in[TN_FOR_VAR]->id, (uint64_t)(uintptr_t)n);
    TN_VEC_PUSH(&tree->loops, n);
  } else if (tn_is(n, TN_OP_BLOCK)) {
    tn_map_set(&tree->site, n->in[TN_BLOCK_LABEL]->id, (uint64_t)(uintptr_t)n);
    TN_VEC_PUSH(&tree->blocks, n);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT) {
      add_stmts(tree, n->in[i], n);
    }
  }
}

static tn_tree *tree_new(const char *name, const tn_node *func) {
  tn_tree *tree = calloc(1, sizeof *tree);
  TN_CHECK(tree != NULL, "out of memory");
  tree->name = name;
  tree->func = func;
  tree->root = func->in[TN_PRIM_FUNC_BODY];
  add_stmts(tree, tree->root, func);
  return tree;
}

static const tn_tree *tree_at(tn_sched *s, uint32_t i) {
  const tn_node *func = s->module.funcs[i].func;
  while (s->trees.len < s->module.n_funcs) {
    TN_VEC_PUSH(&s->trees, NULL);
  }
  if (!tn_is(func, TN_OP_PRIM_FUNC)) {
    return NULL;
  }
  tn_tree **tree = &s->trees.data[i];
  if (*tree != NULL && (*tree)->func != func) {
    tree_free(*tree);
    *tree = NULL;
  }
  if (*tree == NULL) {
    *tree = tree_new(s->module.funcs[i].name, func);
  }
  return *tree;
}

const tn_tree *tn_sched_tree(tn_sched *s, const tn_node *handle) {
  for (uint32_t i = 0; i < s->module.n_funcs; ++i) {
    const tn_tree *tree = tree_at(s, i);
    if (tree != NULL && tn_tree_site(tree, handle) != NULL) {
      return tree;
    }
  }
  return NULL;
}

const tn_tree *tn_sched_tree_of(tn_sched *s, const char *func) {
  for (uint32_t i = 0; i < s->module.n_funcs; ++i) {
    if (strcmp(s->module.funcs[i].name, func) == 0) {
      return tree_at(s, i);
    }
  }
  return NULL;
}

static const tn_node *find_node(const tn_map *map, const tn_node *key) {
  uint64_t word = 0;
  return tn_map_find(map, key->id, &word) ? (const tn_node *)(uintptr_t)word : NULL;
}

const tn_node *tn_tree_site(const tn_tree *tree, const tn_node *handle) {
  return find_node(&tree->site, handle);
}

const tn_node *tn_tree_parent(const tn_tree *tree, const tn_node *stmt) {
  return find_node(&tree->parent, stmt);
}

const tn_node *tn_tree_scope(const tn_tree *tree, const tn_node *stmt) {
  const tn_node *n = tn_tree_parent(tree, stmt);
  while (n != NULL && !tn_is(n, TN_OP_BLOCK)) {
    n = tn_tree_parent(tree, n);
  }
  return n;
}

uint32_t tn_tree_loops(const tn_tree *tree, const tn_node *stmt,
                       const tn_node *out[TN_SCHED_MAX_LOOPS]) {
  uint32_t n = 0;
  const tn_node *at = tn_tree_parent(tree, stmt);
  for (; at != NULL && !tn_is(at, TN_OP_BLOCK); at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_FOR) && n < TN_SCHED_MAX_LOOPS) {
      out[n++] = at;
    }
  }
  for (uint32_t i = 0; i < n / 2; ++i) {
    const tn_node *swap = out[i];
    out[i] = out[n - 1 - i];
    out[n - 1 - i] = swap;
  }
  return n;
}

bool tn_tree_is_around(const tn_tree *tree, const tn_node *outer, const tn_node *inner) {
  const tn_node *at = inner;
  while (at != NULL && at != outer) {
    at = tn_tree_parent(tree, at);
  }
  return at != NULL;
}

typedef struct child_list {
  uint32_t n;
  uint32_t cap;
  const tn_node **out;
} child_list;

static void add_child_blocks(child_list *list, const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tn_node *child = n->in[i];
    if (tn_is(child, TN_OP_BLOCK)) {
      if (list->n < list->cap) {
        list->out[list->n] = child;
      }
      ++list->n;
    } else if (tn_op_info_get((tn_op)child->op)->cls == TN_CLASS_STMT) {
      add_child_blocks(list, child);
    }
  }
}

uint32_t tn_tree_child_blocks(const tn_node *block_or_loop, uint32_t cap, const tn_node **out) {
  child_list list = {.cap = cap, .out = out};
  add_child_blocks(&list, block_or_loop);
  return list.n;
}

/* ---- handles of renamed blocks ---- */

void tn_sched_rename(tn_sched *s, const tn_node *old_label, const tn_node *new_label) {
  tn_map_set(&s->renamed, old_label->id, (uint64_t)(uintptr_t)new_label);
}

/* A label that is in the program counts as it is: its renaming was undone with its step. */
const tn_node *tn_sched_current(tn_sched *s, const tn_node *handle) {
  const tn_node *next = handle;
  while (next != NULL && tn_sched_tree(s, next) == NULL) {
    next = find_node(&s->renamed, next);
  }
  return next != NULL ? next : handle;
}

/* ---- changing ---- */

void tn_sched_set_func(tn_sched *s, const char *name, const tn_node *func) {
  tn_module_set(&s->module, name, func);
}

typedef TN_VEC(const tn_node *) node_list;

static node_list children_with(const tn_node *n, uint32_t slot, const tn_node *child) {
  node_list list = {0};
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_VEC_PUSH(&list, i == slot ? child : n->in[i]);
  }
  return list;
}

static uint32_t slot_of(const tn_node *parent, const tn_node *child) {
  uint32_t i = 0;
  while (parent->in[i] != child) {
    ++i;
  }
  return i;
}

/* The parent with a child replaced. A SEQ takes in what a SEQ holds, and lets a NONE go; what has an
 * empty body then is NONE itself, but not a block that makes a scope. */
static const tn_node *parent_with(tn_ir *ir, const tn_node *parent, const tn_node *old,
                                  const tn_node *with) {
  if (tn_is(parent, TN_OP_SEQ)) {
    node_list items = children_with(parent, slot_of(parent, old), with);
    const tn_node *seq = tn_seq(ir, parent->n_in, items.data);
    TN_VEC_DEINIT(&items);
    return tn_is(seq, TN_OP_SEQ) && seq->n_in == 0 ? tn_none(ir) : seq;
  }
  bool is_gone = tn_is_none(with);
  if (is_gone &&
      (tn_is(parent, TN_OP_FOR) || tn_is(parent, TN_OP_ATTR) || tn_is(parent, TN_OP_LAUNCH))) {
    return tn_none(ir);
  }
  uint32_t slot = slot_of(parent, old);
  if (is_gone && tn_is(parent, TN_OP_IF) && slot == TN_IF_THEN) {
    if (tn_is_none(parent->in[TN_IF_ELSE])) {
      return tn_none(ir);
    }
    return tn_with_child(ir, parent, slot, tn_seq(ir, 0, NULL));
  }
  if (is_gone && !(tn_is(parent, TN_OP_IF) && slot == TN_IF_ELSE) &&
      !(tn_is(parent, TN_OP_BLOCK) && slot == TN_BLOCK_INIT)) {
    with = tn_seq(ir, 0, NULL);
  }
  return tn_with_child(ir, parent, slot, with);
}

static const tn_tree *tree_with(tn_sched *s, const tn_node *stmt) {
  for (uint32_t i = 0; i < s->module.n_funcs; ++i) {
    const tn_tree *tree = tree_at(s, i);
    if (tree != NULL && tn_tree_parent(tree, stmt) != NULL) {
      return tree;
    }
  }
  return NULL;
}

tn_status tn_sched_replace(tn_sched *s, const tn_node *old, const tn_node *with) {
  const tn_tree *tree = tree_with(s, old);
  TN_ASSERT(tree != NULL, "what is replaced is part of the program");
  const tn_node *parent = tn_tree_parent(tree, old);
  while (parent != tree->func) {
    const tn_node *grown = parent_with(s->ir, parent, old, with);
    old = parent;
    with = grown;
    parent = tn_tree_parent(tree, old);
  }
  if (tn_is_none(with)) {
    with = tn_seq(s->ir, 0, NULL);
  }
  const char *name = tree->name;
  tn_sched_set_func(s, name, tn_with_child(s->ir, tree->func, TN_PRIM_FUNC_BODY, with));
  return tn_ir_status(s->ir);
}
