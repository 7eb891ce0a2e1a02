/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Who touches a buffer in a scope, where, and which box: what primitives that copy or move ask. */
#include <string.h>

#include "sched/rewrite.h"
#include "sched/touches.h"

/* ---- places ---- */

const tn_node *tn_scope_body(const tn_tree *tree, const tn_node *scope) {
  return scope == NULL ? tree->root : scope->in[TN_BLOCK_BODY];
}

size_t tn_tree_place(const tn_tree *tree, const tn_node *block) {
  size_t i = 0;
  while (i < tree->blocks.len && tree->blocks.data[i] != block) {
    ++i;
  }
  return i;
}

const tn_node *tn_tree_common(const tn_tree *tree, uint32_t n, const tn_node *const *stmts) {
  const tn_node *at = stmts[0];
  for (uint32_t i = 1; i < n; ++i) {
    while (!tn_tree_is_around(tree, at, stmts[i])) {
      at = tn_tree_parent(tree, at);
    }
  }
  return at;
}

const tn_node *tn_tree_child_with(const tn_tree *tree, const tn_node *around,
                                  const tn_node *inner) {
  while (tn_tree_parent(tree, inner) != around) {
    inner = tn_tree_parent(tree, inner);
  }
  return inner;
}

bool tn_tree_is_parameter(const tn_tree *tree, const tn_node *buffer) {
  const tn_node *buffers = tree->func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (buffers->in[i] == buffer) {
      return true;
    }
  }
  return false;
}

bool tn_scope_allocates(const tn_node *scope, const tn_node *buffer) {
  for (uint32_t i = 0; scope != NULL && i < scope->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    if (scope->in[TN_BLOCK_ALLOCS]->in[i] == buffer) {
      return true;
    }
  }
  return false;
}

static const tn_node *region_of(const tn_node *block, bool is_write, const tn_node *buffer) {
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(block, is_write, i)) != NULL; ++i) {
    if (region->in[TN_REGION_BUFFER] == buffer) {
      return region;
    }
  }
  return NULL;
}

uint32_t tn_scope_users(const tn_tree *tree, const tn_node *scope, const tn_node *buffer,
                        bool are_writers, const tn_node *out[TN_SCHED_MAX_BLOCKS]) {
  uint32_t n = 0;
  for (size_t i = 0; i < tree->blocks.len && n < TN_SCHED_MAX_BLOCKS; ++i) {
    const tn_node *block = tree->blocks.data[i];
    if (block != scope && tn_tree_scope(tree, block) == scope &&
        region_of(block, are_writers, buffer) != NULL) {
      out[n++] = block;
    }
  }
  return n;
}

/* ---- strays ---- */

typedef struct stray_walk {
  const tn_node *buffer;
  const tn_node *found;
  bool is_any_leaf; /* any statement that is no block counts */
} stray_walk;

static tn_visit find_use(const tn_node *n, void *ctx) {
  stray_walk *walk = ctx;
  if (n == walk->buffer || n == walk->buffer->in[TN_BUFFER_DATA]) {
    walk->found = n;
    return TN_STOP;
  }
  return TN_DESCEND;
}

static void look_below(stray_walk *walk, const tn_node *n) {
  bool is_leaf =
      !tn_is(n, TN_OP_SEQ) && !tn_is(n, TN_OP_FOR) && !tn_is(n, TN_OP_BLOCK) && !tn_is(n, TN_OP_IF);
  if (walk->is_any_leaf && is_leaf) {
    walk->found = n;
  }
  for (uint32_t i = 0; i < n->n_in && walk->found == NULL; ++i) {
    const tn_node *child = n->in[i];
    bool is_of_block = tn_is(n, TN_OP_BLOCK) && i != TN_BLOCK_ITERS && i != TN_BLOCK_PREDICATE;
    if (is_of_block) {
      continue;
    }
    if (tn_op_info_get((tn_op)child->op)->cls == TN_CLASS_STMT) {
      look_below(walk, child);
    } else if (walk->buffer != NULL) {
      tn_walk_distinct(child, find_use, walk);
    }
  }
}

typedef struct alias_walk {
  const tn_node *buffer;
  bool is_found;
} alias_walk;

static tn_visit find_alias(const tn_node *n, void *ctx) {
  alias_walk *walk = ctx;
  if (tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->id == TN_INTRIN_PREFETCH) {
    return TN_SKIP; /* touches nothing */
  }
  bool is_alias = tn_is(n, TN_OP_BUFFER) && n != walk->buffer &&
                  n->in[TN_BUFFER_DATA] == walk->buffer->in[TN_BUFFER_DATA];
  bool is_view = tn_is(n, TN_OP_MATCH) && n->in[TN_MATCH_BUFFER] == walk->buffer;
  bool is_escaping = tn_is(n, TN_OP_INTRIN) || tn_is(n, TN_OP_INVOKE);
  for (uint32_t i = 0; is_escaping && i < n->n_in; ++i) {
    bool is_address = tn_is(n->in[i], TN_OP_LOAD) && tn_is(n, TN_OP_INTRIN) &&
                      tn_intrin_of(n)->kind == TN_IK_MEMORY &&
                      n->in[i]->in[TN_LOAD_BUFFER] == walk->buffer;
    is_view = is_view || is_address || n->in[i] == walk->buffer->in[TN_BUFFER_DATA] ||
              n->in[i] == walk->buffer;
  }
  walk->is_found = walk->is_found || is_alias || is_view;
  return walk->is_found ? TN_STOP : TN_DESCEND;
}

/* Blocks in a scope's T.init() run at some of its steps only. */
static tn_status no_blocks_in_init(const tn_node *scope) {
  const tn_node *init = scope == NULL ? NULL : scope->in[TN_BLOCK_INIT];
  if (init != NULL && (tn_is(init, TN_OP_BLOCK) || tn_tree_child_blocks(init, 0, NULL) > 0)) {
    return TN_ERR(
        TN_INVALID,
        "block '%s' around has blocks in its T.init(); decompose_reduction takes them out",
        tn_block_name(scope));
  }
  return NULL;
}

tn_status tn_scope_only_blocks_touch(tn_sched *s, const tn_tree *tree, const tn_node *scope,
                                     const tn_node *buffer) {
  (void)s;
  stray_walk walk = {.buffer = buffer};
  look_below(&walk, tn_scope_body(tree, scope));
  if (walk.found == NULL && scope != NULL) {
    tn_walk_distinct(scope->in[TN_BLOCK_INIT], find_use, &walk);
    if (walk.found != NULL) {
      TN_TRY(no_blocks_in_init(scope));
    }
  }
  if (walk.found != NULL) {
    return TN_ERR(TN_INVALID, "'%s' is used outside of blocks as well", buffer->attr.text);
  }
  alias_walk alias = {.buffer = buffer};
  tn_walk_distinct(tree->func, find_alias, &alias);
  if (alias.is_found) {
    return TN_ERR(TN_INVALID,
                  "the memory of '%s' has another name, or its address is taken: what touches it "
                  "is not known",
                  buffer->attr.text);
  }
  return NULL;
}

tn_status tn_scope_only_blocks(tn_sched *s, const tn_tree *tree, const tn_node *scope) {
  (void)s;
  stray_walk walk = {.is_any_leaf = true};
  TN_TRY(no_blocks_in_init(scope));
  look_below(&walk, tn_scope_body(tree, scope));
  if (walk.found != NULL) {
    return TN_ERR(TN_INVALID, "the scope has a statement outside of blocks (%s)",
                  tn_op_info_get((tn_op)walk.found->op)->text);
  }
  return NULL;
}

/* ---- boxes ---- */

tn_status tn_stmt_box(tn_sched *s, const tn_tree *tree, const tn_node *stmt, const tn_node *buffer,
                      bool is_write, tn_box *out, bool *out_is_found) {
  (void)tree;
  const tn_node *lists[2];
  const tn_node *empty = tn_list(s->ir, 0, NULL);
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = tn_label_new(s->ir, "box"),
      [TN_BLOCK_ITERS] = empty,
      [TN_BLOCK_PREDICATE] = tn_bool(s->ir, true),
      [TN_BLOCK_READS] = empty,
      [TN_BLOCK_WRITES] = empty,
      [TN_BLOCK_ALLOCS] = empty,
      [TN_BLOCK_MATCHES] = empty,
      [TN_BLOCK_INIT] = tn_none(s->ir),
      [TN_BLOCK_ANNOTATIONS] = tn_none(s->ir),
      [TN_BLOCK_BODY] = stmt,
  };
  const tn_node *draft =
      tn_node_new(s->ir, TN_OP_BLOCK, TN_DT_NONE, (tn_attr){0}, sizeof in / sizeof *in, in);
  TN_TRY(tn_tir_infer_regions(s->ir, draft, NULL, NULL, &lists[0], &lists[1]));
  const tn_node *list = lists[is_write ? 1 : 0];
  *out_is_found = false;
  for (uint32_t i = 0; i < list->n_in; ++i) {
    const tn_node *region = list->in[i];
    if (region->in[TN_REGION_BUFFER] != buffer) {
      continue;
    }
    *out_is_found = true;
    out->n = region->n_in - TN_REGION_RANGES;
    for (uint32_t d = 0; d < out->n; ++d) {
      out->mins[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
      out->extents[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_EXTENT];
    }
  }
  return NULL;
}

/* ---- copies ---- */

void tn_copy_init(tn_copy *copy, tn_ir *ir, const tn_node *label, const tn_node *shape) {
  *copy = (tn_copy){.label = label, .shape = shape};
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    char name[16];
    (void)snprintf(name, sizeof name, "v%u", d);
    copy->axes[d] = tn_var_new(ir, name, shape->in[d]->dtype);
    (void)snprintf(name, sizeof name, "ax%u", d);
    copy->loops[d] = tn_var_new(ir, name, shape->in[d]->dtype);
  }
}

tn_status tn_copy_nest(tn_sched *s, const tn_tree *tree, const tn_node *around, const tn_copy *copy,
                       const tn_box *box, const tn_node *body, const tn_node **out_nest) {
  tn_ir *ir = s->ir;
  uint32_t n = copy->shape->n_in;
  const tn_node *iters[TN_MAX_NDIM];
  const tn_node *extents[TN_MAX_NDIM];
  const tn_node *predicate = tn_bool(ir, true);
  tn_arith *arith = tn_arith_new(ir);
  if (around != NULL) {
    tn_sched_bind_around(tree, arith, around);
  }
  for (uint32_t d = 0; d < n; ++d) {
    const tn_node *size = copy->shape->in[d];
    const tn_node *zero = tn_int(ir, size->dtype, 0);
    extents[d] = tn_arith_simplify(arith, tn_index_cast(ir, size->dtype, box->extents[d]));
    tn_arith_bind_range(arith, copy->loops[d], zero, extents[d]);
    const tn_node *binding = tn_index_binary(ir, TN_OP_ADD, box->mins[d], copy->loops[d]);
    binding = tn_arith_simplify(arith, tn_index_cast(ir, size->dtype, binding));
    const tn_node *is_inside[] = {tn_binary(ir, TN_OP_LE, zero, binding),
                                  tn_binary(ir, TN_OP_LT, binding, size)};
    for (int32_t k = 0; k < 2; ++k) {
      if (!tn_arith_prove(arith, is_inside[k])) {
        predicate = tn_sched_and(ir, predicate, is_inside[k]);
      }
    }
    iters[d] = tn_iter_new(ir, TN_ITER_SPATIAL, copy->axes[d], NULL, size, binding);
  }
  tn_arith_free(arith);
  const tn_node *block = NULL;
  TN_TRY(tn_block_new(s, copy->label, n, iters, predicate, NULL, body, &block));
  *out_nest = tn_loops_around(ir, n, copy->loops, extents, block);
  return NULL;
}

/* ---- proofs ---- */

typedef TN_VEC(tn_footprint) print_list;

static void add_prints(print_list *list, const tn_touches *touches, const tn_node *buffer,
                       bool are_writes) {
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    if (t->buffer == buffer && t->is_write == are_writes) {
      TN_VEC_PUSH(list, t->print);
    }
  }
}

/* Those that are read, not only declared to be. */
static void add_sure_reads(tn_sched *s, const tn_tree *tree, print_list *list,
                           const tn_touches *touches, const tn_node *buffer) {
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    if (t->buffer == buffer && !t->is_write &&
        (!tn_is(t->step, TN_OP_BLOCK) || tn_block_reads_all(s, tree, t->step))) {
      TN_VEC_PUSH(list, t->print);
    }
  }
}

/* Those that are written for certain. */
static void add_sure_prints(tn_sched *s, const tn_tree *tree, print_list *list,
                            const tn_touches *touches, const tn_node *buffer) {
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_touch *t = &touches->list.data[i];
    if (t->buffer == buffer && t->is_write && tn_step_is_sure(s, tree, t->step)) {
      TN_VEC_PUSH(list, t->print);
    }
  }
}

static tn_status not_written(tn_sched *s, const tn_answer *answer, const tn_node *buffer) {
  tn_buf text = TN_BUF_INIT;
  if (answer->verdict == TN_UNDECIDED) {
    ++s->stats.n_undecided;
  }
  tn_sched_print_points(answer, &text);
  tn_status st =
      answer->verdict == TN_REFUTED
          ? TN_ERR(TN_INVALID, "an element of '%s' is needed that is not written%s",
                   buffer->attr.text, tn_buf_text(&text))
          : TN_ERR(TN_INVALID,
                   "it could not be decided whether all needed elements of '%s' are written (%s)",
                   buffer->attr.text,
                   answer->verdict == TN_UNDECIDED ? "too many operations"
                                                   : "an index that is not affine");
  tn_buf_deinit(&text);
  return st;
}

static tn_status prove_covered(tn_sched *s, const tn_tree *tree, const tn_node *around,
                               const print_list *parts, const print_list *whole,
                               const tn_node *buffer) {
  tn_status st = NULL;
  size_t mark = tn_sched_assume_around(s, tree, around);
  for (size_t i = 0; i < parts->len && st == NULL; ++i) {
    ++s->stats.n_questions;
    tn_answer answer =
        tn_sets_is_covered(tn_sched_sets(s), &parts->data[i], (uint32_t)whole->len, whole->data);
    if (answer.verdict != TN_PROVED) {
      st = not_written(s, &answer, buffer);
    }
  }
  tn_sets_pop(tn_sched_sets(s), mark);
  return st;
}

tn_status tn_prove_written(tn_sched *s, const tn_tree *tree, const tn_node *around,
                           const tn_node *part, bool part_writes, const tn_node *whole,
                           const tn_node *buffer) {
  tn_touches a;
  tn_touches b;
  print_list parts = {0};
  print_list wholes = {0};
  TN_TRY(tn_touches_collect(s, tree, part, &a));
  tn_status st = tn_touches_collect(s, tree, whole, &b);
  if (st == NULL) {
    add_prints(&parts, &a, buffer, part_writes);
    add_sure_prints(s, tree, &wholes, &b, buffer);
    st = prove_covered(s, tree, around, &parts, &wholes, buffer);
    TN_VEC_DEINIT(&parts);
    TN_VEC_DEINIT(&wholes);
    tn_touches_deinit(&b);
  }
  tn_touches_deinit(&a);
  return st;
}

static tn_status prove_print(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                             const tn_node *buffer, const tn_footprint *part, bool is_write) {
  tn_touches b;
  print_list wholes = {0};
  print_list parts = {0};
  TN_VEC_PUSH(&parts, *part);
  tn_status st = tn_touches_collect(s, tree, whole, &b);
  if (st == NULL) {
    if (is_write) {
      add_sure_prints(s, tree, &wholes, &b, buffer);
    } else {
      add_sure_reads(s, tree, &wholes, &b, buffer);
    }
    st = prove_covered(s, tree, whole, &parts, &wholes, buffer);
    tn_touches_deinit(&b);
  }
  TN_VEC_DEINIT(&wholes);
  TN_VEC_DEINIT(&parts);
  return st;
}

tn_status tn_prove_print_written(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                                 const tn_node *buffer, const tn_footprint *part) {
  return prove_print(s, tree, whole, buffer, part, true);
}

static tn_status prove_box(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                           const tn_node *buffer, const tn_box *box, bool is_write) {
  tn_ir *ir = s->ir;
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *cond = tn_bool(ir, true);
  for (uint32_t d = 0; d < box->n; ++d) {
    const tn_node *size = buffer->in[TN_BUFFER_SHAPE]->in[d];
    vars[d] = tn_var_new(ir, "x", box->mins[d]->dtype);
    cond = tn_sched_and(ir, cond,
                        tn_index_binary(ir, TN_OP_GE, vars[d], tn_int(ir, vars[d]->dtype, 0)));
    cond = tn_sched_and(ir, cond, tn_index_binary(ir, TN_OP_LT, vars[d], size));
  }
  tn_footprint part = {.domain = {.n = box->n,
                                  .vars = vars,
                                  .mins = box->mins,
                                  .extents = box->extents,
                                  .cond = box->n == 0 ? NULL : cond},
                       .access = {.n_dims = box->n, .mins = vars}};
  return prove_print(s, tree, whole, buffer, &part, is_write);
}

tn_status tn_prove_box_written(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                               const tn_node *buffer, const tn_box *box) {
  return prove_box(s, tree, whole, buffer, box, true);
}

tn_status tn_prove_box_read(tn_sched *s, const tn_tree *tree, const tn_node *whole,
                            const tn_node *buffer, const tn_box *box) {
  tn_status st = prove_box(s, tree, whole, buffer, box, false);
  if (st != NULL) {
    tn_status_free(st);
    return TN_ERR(TN_INVALID,
                  "not all of the part of '%s' that would be copied is read: what is not may hold "
                  "nothing",
                  buffer->attr.text);
  }
  return NULL;
}
