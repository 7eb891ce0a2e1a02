/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Collects what a nest touches.
 *
 *   for i in range(8):                                 writes C: i in [0, 8), ko, ki ...; C[i, 0:1]
 *     for ko, ki in T.grid(4, 8):             ->       reads  A: the same domain; A[i, ko*8+ki]
 *       with T.block("C"): ...
 *
 * Conditions that say nothing about loops alone (they load) are left out: then more is touched than
 * the program touches, which is safe. */
#include "sched/touches.h"

#include "sched/loops.h"
#include "sched/rewrite.h"

enum { MAX_BRANCHES = 256 };

typedef struct collector {
  tn_sched *s;
  tn_ir *ir;
  const tn_tree *tree;
  tn_touches *out;
  TN_VEC(const tn_node *) loops;
  TN_VEC(const tn_node *) conds;
} collector;

/* ---- one touch ---- */

/* Dimension d has its elements farther apart than all that lie closer span together. */
static bool is_outside(const tn_node *buffer, uint32_t d) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  int64_t step = strides->in[d]->attr.i64;
  int64_t span = 0;
  for (uint32_t i = 0; i < strides->n_in; ++i) {
    int64_t inner = strides->in[i]->attr.i64;
    int64_t part = 0;
    bool is_closer = inner < step || (inner == step && i > d);
    if (i == d || !is_closer || tn_is_int(shape->in[i], 1)) {
      continue;
    }
    if (!tn_is(shape->in[i], TN_OP_INT) ||
        __builtin_mul_overflow(inner, shape->in[i]->attr.i64 - 1, &part) ||
        __builtin_add_overflow(span, part, &span)) {
      return false;
    }
  }
  return tn_is_int(shape->in[d], 1) || step > span;
}

bool tn_buffer_keeps_apart(const tn_node *buffer) {
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  for (uint32_t d = 0; d < strides->n_in; ++d) {
    if (!tn_is(strides->in[d], TN_OP_INT)) {
      return true;
    }
  }
  for (uint32_t d = 0; d < strides->n_in; ++d) {
    if (strides->in[d]->attr.i64 < 0 || !is_outside(buffer, d)) {
      return false;
    }
  }
  return true;
}

static tn_domain domain_here(collector *c) {
  uint32_t n = (uint32_t)c->loops.len;
  const tn_node **vars = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  const tn_node **mins = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  const tn_node *cond = tn_bool(c->ir, true);
  for (uint32_t i = 0; i < n; ++i) {
    vars[i] = c->loops.data[i]->in[TN_FOR_VAR];
    mins[i] = c->loops.data[i]->in[TN_FOR_MIN];
    extents[i] = c->loops.data[i]->in[TN_FOR_EXTENT];
  }
  for (size_t i = 0; i < c->conds.len; ++i) {
    cond = tn_sched_and(c->ir, cond, c->conds.data[i]);
  }
  return (tn_domain){.n = n,
                     .vars = vars,
                     .mins = mins,
                     .extents = extents,
                     .cond = tn_is_int(cond, 1) ? NULL : cond};
}

static bool is_own(const collector *c, const tn_node *buffer) {
  return tn_map_find(&c->out->own, buffer->in[TN_BUFFER_DATA]->id, NULL) ||
         tn_map_find(&c->out->own, buffer->id, NULL);
}

static void add_touch(collector *c, const tn_node *step, const tn_node *buffer, bool is_write,
                      tn_access access) {
  if (!is_own(c, buffer)) {
    tn_touch touch = {.step = step,
                      .buffer = buffer,
                      .is_write = is_write,
                      .print = {.domain = domain_here(c), .access = access}};
    TN_VEC_PUSH(&c->out->list, touch);
  }
}

/* ---- expressions ---- */

typedef struct load_walk {
  collector *c;
  const tn_node *stmt;
  int32_t n_branches_left; /* shared ones occur ever so often */
} load_walk;

static tn_access access_of(collector *c, const tn_node *access, uint32_t first) {
  uint32_t n = access->n_in - first;
  const tn_node **mins = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  for (uint32_t d = 0; d < n; ++d) {
    mins[d] = access->in[first + d];
  }
  return (tn_access){.n_dims = n, .mins = mins};
}

static bool says_of_loops_alone(const tn_node *cond) {
  return (cond->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0;
}

static const tn_node *not_of(collector *c, const tn_node *cond) {
  return tn_node_new(c->ir, TN_OP_NOT, cond->dtype, (tn_attr){0}, 1, &cond);
}

static tn_visit add_load(const tn_node *n, void *ctx);

/* Branches of T.if_then_else are evaluated under its condition alone. */
static void add_branches(load_walk *walk, const tn_node *n) {
  collector *c = walk->c;
  const tn_node *cond = n->in[TN_SELECT_COND];
  --walk->n_branches_left;
  TN_VEC_PUSH(&c->conds, cond);
  tn_walk_distinct(n->in[TN_SELECT_A], add_load, walk);
  (void)TN_VEC_POP(&c->conds);
  TN_VEC_PUSH(&c->conds, not_of(c, cond));
  tn_walk_distinct(n->in[TN_SELECT_B], add_load, walk);
  (void)TN_VEC_POP(&c->conds);
}

static tn_visit add_load(const tn_node *n, void *ctx) {
  load_walk *walk = ctx;
  if (tn_is(n, TN_OP_IF_THEN_ELSE) && says_of_loops_alone(n->in[TN_SELECT_COND]) &&
      walk->n_branches_left > 0) {
    add_branches(walk, n);
    return TN_SKIP;
  }
  if (tn_is(n, TN_OP_LOAD)) {
    add_touch(walk->c, walk->stmt, n->in[TN_LOAD_BUFFER], false,
              access_of(walk->c, n, TN_LOAD_INDICES));
  }
  return TN_DESCEND;
}

static tn_status add_expr(collector *c, const tn_node *stmt, const tn_node *expr) {
  if ((expr->flags & TN_NF_EFFECT) != 0) {
    return TN_ERR(TN_INVALID, "a call with effects may touch anything");
  }
  load_walk walk = {.c = c, .stmt = stmt, .n_branches_left = MAX_BRANCHES};
  tn_walk_distinct(expr, add_load, &walk);
  return NULL;
}

/* ---- blocks ---- */

static void add_region(collector *c, const tn_node *block, const tn_node *region, bool is_write,
                       const tn_map *bindings) {
  uint32_t n = region->n_in - TN_REGION_RANGES;
  const tn_node **mins = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(&c->out->arena, const tn_node *, n);
  for (uint32_t d = 0; d < n; ++d) {
    const tn_node *range = region->in[TN_REGION_RANGES + d];
    mins[d] = tn_subst(c->ir, range->in[TN_RANGE_MIN], bindings);
    extents[d] = tn_subst(c->ir, range->in[TN_RANGE_EXTENT], bindings);
  }
  tn_access access = {.n_dims = n, .mins = mins, .extents = extents};
  add_touch(c, block, region->in[TN_REGION_BUFFER], is_write, access);
}

static tn_status add_block(collector *c, const tn_node *block) {
  TN_TRY(tn_block_regions_hold(c->s, c->tree, block));
  tn_map bindings = {0};
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  TN_TRY(add_expr(c, block, block->in[TN_BLOCK_PREDICATE]));
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    TN_TRY(add_expr(c, block, iters->in[i]->in[TN_ITER_BINDING]));
  }
  tn_map_axes(&bindings, block, NULL);
  bool has_cond = says_of_loops_alone(block->in[TN_BLOCK_PREDICATE]);
  if (has_cond) {
    TN_VEC_PUSH(&c->conds, block->in[TN_BLOCK_PREDICATE]);
  }
  bool is_update = !tn_is_none(block->in[TN_BLOCK_INIT]);
  for (int32_t is_write = 0; is_write < 2; ++is_write) {
    const tn_node *region = NULL;
    for (uint32_t i = 0; (region = tn_block_region(block, is_write != 0, i)) != NULL; ++i) {
      if (is_write != 0 && is_update) { /* a reduction reads what it updates, which stays unsaid */
        add_region(c, block, region, false, &bindings);
      }
      add_region(c, block, region, is_write != 0, &bindings);
    }
  }
  if (has_cond) {
    (void)TN_VEC_POP(&c->conds);
  }
  tn_map_deinit(&bindings);
  return NULL;
}

/* ---- statements outside of blocks ---- */

static tn_status add_stmt(collector *c, const tn_node *n);

static tn_status add_store(collector *c, const tn_node *n) {
  for (uint32_t i = TN_STORE_VALUE; i < n->n_in; ++i) {
    TN_TRY(add_expr(c, n, n->in[i]));
  }
  add_touch(c, n, n->in[TN_STORE_BUFFER], true, access_of(c, n, TN_STORE_INDICES));
  return NULL;
}

static tn_status add_if(collector *c, const tn_node *n) {
  const tn_node *cond = n->in[TN_IF_COND];
  TN_TRY(add_expr(c, n, cond));
  for (uint32_t slot = TN_IF_THEN; slot <= TN_IF_ELSE; ++slot) {
    bool has_cond = says_of_loops_alone(cond);
    if (tn_is_none(n->in[slot])) {
      continue;
    }
    if (has_cond) {
      TN_VEC_PUSH(&c->conds, slot == TN_IF_THEN ? cond : not_of(c, cond));
    }
    TN_TRY(add_stmt(c, n->in[slot]));
    if (has_cond) {
      (void)TN_VEC_POP(&c->conds);
    }
  }
  return NULL;
}

static tn_status add_for(collector *c, const tn_node *n) {
  TN_TRY(add_expr(c, n, n->in[TN_FOR_MIN]));
  TN_TRY(add_expr(c, n, n->in[TN_FOR_EXTENT]));
  TN_VEC_PUSH(&c->loops, n);
  TN_TRY(add_stmt(c, n->in[TN_FOR_BODY]));
  (void)TN_VEC_POP(&c->loops);
  return NULL;
}

static tn_status add_stmt(collector *c, const tn_node *n) {
  switch (n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        TN_TRY(add_stmt(c, n->in[i]));
      }
      return NULL;
    case TN_OP_FOR:
      return add_for(c, n);
    case TN_OP_BLOCK:
      return add_block(c, n);
    case TN_OP_STORE:
      return add_store(c, n);
    case TN_OP_IF:
      return add_if(c, n);
    case TN_OP_EVAL:
      return add_expr(c, n, n->in[0]);
    case TN_OP_ALLOC:
      tn_map_set(&c->out->own, n->in[TN_ALLOC_VAR]->id, 1);
      return NULL;
    case TN_OP_DECL:
      return NULL;
    case TN_OP_ATTR:
      return add_stmt(c, n->in[TN_ATTR_BODY]);
    default:
      return TN_ERR(TN_INVALID, "there is a %s, whose effects are not followed",
                    tn_op_info_get((tn_op)n->op)->text);
  }
}

/* Footprints are of indices: they say nothing of memory that two indices name, nor of a name that
 * is laid elsewhere in each round. */
static tn_status check_places(const tn_touches *touches) {
  for (size_t i = 0; i < touches->list.len; ++i) {
    const tn_node *buffer = touches->list.data[i].buffer;
    const tn_domain *domain = &touches->list.data[i].print.domain;
    if (!tn_buffer_keeps_apart(buffer)) {
      return TN_ERR(TN_INVALID, "the strides of '%s' put elements in one place", buffer->attr.text);
    }
    if (tn_expr_uses(buffer->in[TN_BUFFER_STRIDES], domain->n, domain->vars) ||
        tn_expr_uses(buffer->in[TN_BUFFER_ELEM_OFFSET], domain->n, domain->vars)) {
      return TN_ERR(TN_INVALID, "where '%s' lies depends on a loop", buffer->attr.text);
    }
  }
  return NULL;
}

tn_status tn_touches_collect(tn_sched *s, const tn_tree *tree, const tn_node *stmt,
                             tn_touches *out) {
  *out = (tn_touches){0};
  tn_arena_init(&out->arena, 0);
  collector c = {.s = s, .ir = s->ir, .tree = tree, .out = out};
  tn_status st = add_stmt(&c, stmt);
  if (st == NULL) {
    st = check_places(out);
  }
  TN_VEC_DEINIT(&c.loops);
  TN_VEC_DEINIT(&c.conds);
  if (st != NULL) {
    tn_touches_deinit(out);
  }
  return st;
}

void tn_touches_deinit(tn_touches *touches) {
  TN_VEC_DEINIT(&touches->list);
  tn_map_deinit(&touches->own);
  tn_arena_deinit(&touches->arena);
  *touches = (tn_touches){0};
}

bool tn_touches_meet(const tn_touch *a, const tn_touch *b) {
  return (a->is_write || b->is_write) &&
         (a->buffer == b->buffer || a->buffer->in[TN_BUFFER_DATA] == b->buffer->in[TN_BUFFER_DATA]);
}

/* ---- what is known around ---- */

tn_sets *tn_sched_sets(tn_sched *s) {
  if (s->sets == NULL) {
    s->sets = tn_sets_new();
  }
  return s->sets;
}

static void assume_range(tn_sched *s, const tn_node *var, const tn_node *min,
                         const tn_node *extent) {
  tn_sets *sets = tn_sched_sets(s);
  const tn_node *end = tn_arith_fold(s->ir, tn_binary(s->ir, TN_OP_ADD, min, extent));
  if (end == NULL) {
    end = tn_binary(s->ir, TN_OP_ADD, min, extent);
  }
  tn_sets_assume(sets, tn_binary(s->ir, TN_OP_LE, min, var));
  tn_sets_assume(sets, tn_binary(s->ir, TN_OP_LT, var, end));
}

static void assume_axes(tn_sched *s, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    assume_range(s, iter->in[TN_ITER_VAR], iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
  }
}

size_t tn_sched_assume_axes(tn_sched *s, const tn_node *block) {
  size_t mark = tn_sets_assume(tn_sched_sets(s), tn_bool(s->ir, true));
  assume_axes(s, block);
  return mark;
}

size_t tn_sched_assume_around(tn_sched *s, const tn_tree *tree, const tn_node *stmt) {
  size_t mark = tn_sets_assume(tn_sched_sets(s), tn_bool(s->ir, true));
  const tn_node *at = tn_tree_parent(tree, stmt);
  for (; at != NULL; at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_FOR)) {
      assume_range(s, at->in[TN_FOR_VAR], at->in[TN_FOR_MIN], at->in[TN_FOR_EXTENT]);
    }
    if (tn_is(at, TN_OP_BLOCK)) {
      assume_axes(s, at);
    }
  }
  return mark;
}
