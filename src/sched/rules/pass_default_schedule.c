/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every loop function that has no schedule gets one from the rules:
 *
 *   for i in range(65536):                    for i_0 in T.parallel(8192):
 *       B[i] = A[i] + 1              ->           for i_1 in T.vectorized(8):
 *                                                     B[i_0 * 8 + i_1] = A[i_0 * 8 + i_1] + 1
 *
 * A function has one already when it says so ("tir.is_scheduled"), or when a loop of it is marked.
 * Equal functions are scheduled once. Never fails: a function that no rule suits stays as it is. */
#include <string.h>

#include "sched/rules/rules.h"

typedef struct made_func {
  tn_hash128 hash;
  const tn_node *func;
  const tn_node *made;
} made_func;

typedef struct schedule_ctx {
  tn_ir *ir;
  const tn_target *target;
  bool is_strict;
  TN_VEC(made_func) made;
} schedule_ctx;

/* ---- one block ---- */

typedef tn_status (*rule_fn)(tn_rules *r, const tn_node *label);

/* From the best down. */
static const rule_fn spatial_rules[] = {tn_rule_padding, tn_rule_spatial, tn_rule_outer};
static const rule_fn other_rules[] = {tn_rule_tile, tn_rule_reduce, tn_rule_outer};

/* The first rule that is not refused. */
static void try_rules(tn_rules *r, const tn_node *label, const rule_fn *rules, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    tn_sched *before = tn_sched_copy(r->s);
    size_t n_marks = r->marks.len;
    tn_status st = rules[i](r, label);
    if (st == NULL) {
      tn_sched_free(before);
      return;
    }
    tn_rule_undo(r, before, st);
    tn_rule_drop_marks(r, n_marks);
  }
}

/* Labels of the blocks that stand directly in the function's scope. */
static uint32_t find_blocks(tn_rules *r, const char *name, const tn_node **out) {
  const tn_tree *tree = tn_sched_tree_of(r->s, name);
  uint32_t n = tn_tree_child_blocks(tree->root, TN_SCHED_MAX_BLOCKS, out);
  for (uint32_t i = 0; i < n && n <= TN_SCHED_MAX_BLOCKS; ++i) {
    out[i] = out[i]->in[TN_BLOCK_LABEL];
  }
  return n <= TN_SCHED_MAX_BLOCKS ? n : 0;
}

/* Is the block with that label there, and spatial or not as asked? */
static bool is_of_kind(tn_rules *r, const tn_node *label, bool wants_spatial) {
  const tn_node *now = tn_sched_current(r->s, label);
  const tn_tree *tree = tn_sched_tree(r->s, now);
  return tree != NULL && tn_rule_is_spatial(tn_tree_site(tree, now)) == wants_spatial;
}

/* Rules for all blocks together. */
static bool schedule_together(tn_rules *r, uint32_t n, const tn_node *const *blocks) {
  tn_status (*const rules[])(tn_rules *, uint32_t, const tn_node *const *) = {tn_rule_row_blocks,
                                                                              tn_rule_rows};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
    tn_sched *before = tn_sched_copy(r->s);
    tn_status st = rules[i](r, n, blocks);
    if (st == NULL) {
      tn_sched_free(before);
      return true;
    }
    tn_rule_undo(r, before, st);
  }
  return false;
}

/* Reductions first: what is copied for them, and what follows them in a tile, is theirs to place. */
static void schedule_blocks(tn_rules *r, const char *name) {
  const tn_node *blocks[TN_SCHED_MAX_BLOCKS];
  uint32_t n = find_blocks(r, name, blocks);
  tn_rule_inline(r, n, blocks);
  n = find_blocks(r, name, blocks);
  if (schedule_together(r, n, blocks)) {
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (is_of_kind(r, blocks[i], false)) {
      try_rules(r, blocks[i], other_rules, sizeof other_rules / sizeof *other_rules);
    }
  }
  tn_rule_set_marks(r);
  n = find_blocks(r, name, blocks);
  for (uint32_t i = 0; i < n; ++i) {
    if (is_of_kind(r, blocks[i], true)) {
      try_rules(r, blocks[i], spatial_rules, sizeof spatial_rules / sizeof *spatial_rules);
    }
  }
}

/* ---- functions ---- */

static tn_visit find_mark(const tn_node *n, void *ctx) {
  (void)ctx;
  bool is_mark = (tn_is(n, TN_OP_FOR) && n->attr.i64 != TN_FOR_SERIAL) || tn_is(n, TN_OP_LAUNCH);
  return is_mark ? TN_STOP
         : tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_STMT ||
                 tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_FUNC
             ? TN_DESCEND
             : TN_SKIP;
}

static bool has_schedule(const tn_node *func) {
  const tn_node *says = tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "tir.is_scheduled");
  return (says != NULL && !tn_is_int(says, 0)) || !tn_walk(func, find_mark, NULL, NULL);
}

static const tn_node *schedule_func(schedule_ctx *c, const char *name, const tn_node *func) {
  tn_module module;
  tn_module_init(&module, c->ir, "Module");
  tn_module_set(&module, name, func);
  tn_rules r = {.s = tn_sched_new(&module, 0), .target = c->target, .is_strict = c->is_strict};
  tn_module_deinit(&module);
  schedule_blocks(&r, name);
  const tn_node *made = tn_module_find(tn_sched_module(r.s), name);
  tn_sched_free(r.s);
  TN_VEC_DEINIT(&r.marks);
  return made;
}

static const tn_node *schedule_once(schedule_ctx *c, const char *name, const tn_node *func) {
  tn_hash128 hash = tn_structural_hash(func);
  for (size_t i = 0; i < c->made.len; ++i) {
    const made_func *m = &c->made.data[i];
    if (m->hash.hi == hash.hi && m->hash.lo == hash.lo && tn_equal(m->func, func, true, NULL)) {
      const tn_node *copy = tn_clone_fresh(c->ir, m->made);
      return m->made == m->func
                 ? func
                 : tn_node_new(c->ir, TN_OP_PRIM_FUNC, TN_DT_NONE,
                               (tn_attr){.text = func->attr.text}, copy->n_in, copy->in);
    }
  }
  const tn_node *made = schedule_func(c, name, func);
  TN_VEC_PUSH(&c->made, ((made_func){hash, func, made}));
  return made;
}

static tn_status tn_pass_default_schedule(tn_module *module, const tn_pass_opts *opts) {
  schedule_ctx c = {.ir = module->ir,
                    .target = opts->target != NULL ? opts->target : tn_target_host(),
                    .is_strict = opts->is_strict_math};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const char *name = module->funcs[i].name;
    const tn_node *func = module->funcs[i].func;
    bool is_wanted = opts->func == NULL || strcmp(opts->func, name) == 0;
    if (!is_wanted || !tn_is(func, TN_OP_PRIM_FUNC) || has_schedule(func)) {
      continue;
    }
    const tn_node *made = schedule_once(&c, name, func);
    if (made != func) {
      tn_module_set(module, name, made);
    }
  }
  TN_VEC_DEINIT(&c.made);
  return NULL;
}

/* ---- the table ---- */

static const tn_pass passes[] = {
#define PASS(name, level, doc) {#name, level, doc, tn_pass_##name},
#include "sched/passes.def"
#undef PASS
};

const tn_pass *tn_sched_passes(uint32_t *out_n) {
  *out_n = sizeof passes / sizeof passes[0];
  return passes;
}
