/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Does a block do what it says? What the text declares is a claim until it is proved from the body:
 * that the regions hold all accesses, and that steps of different spatial axes do not meet. Proved
 * once for a body; loops around it may change as they like. */
#include "sched/axes.h"
#include "sched/loops.h"
#include "sched/touches.h"

static uint64_t fact_key(const tn_node *block, uint64_t fact) {
  uint64_t key = tn_hash_mix(fact, block->in[TN_BLOCK_BODY]->id);
  key = tn_hash_mix(key, block->in[TN_BLOCK_INIT]->id);
  key = tn_hash_mix(key, block->in[TN_BLOCK_READS]->id);
  key = tn_hash_mix(key, block->in[TN_BLOCK_WRITES]->id);
  for (uint32_t i = 0; i < block->in[TN_BLOCK_ITERS]->n_in; ++i) {
    const tn_node *iter = block->in[TN_BLOCK_ITERS]->in[i];
    key = tn_hash_mix(key, (uint64_t)iter->attr.i64);
    key = tn_hash_mix(key, iter->in[TN_ITER_VAR]->id);
    key = tn_hash_mix(key, iter->in[TN_ITER_MIN]->id);
    key = tn_hash_mix(key, iter->in[TN_ITER_EXTENT]->id);
  }
  return key;
}

/* ---- before a step begins ---- */

/* Which steps are done, and where, does not depend on memory. */
static bool begins_by_loops_alone(const tn_node *block) {
  uint32_t flags = block->in[TN_BLOCK_PREDICATE]->flags;
  for (uint32_t i = 0; i < block->in[TN_BLOCK_ITERS]->n_in; ++i) {
    flags |= block->in[TN_BLOCK_ITERS]->in[i]->in[TN_ITER_BINDING]->flags;
  }
  return (flags & (TN_NF_READS | TN_NF_EFFECT)) == 0;
}

/* ---- regions ---- */

static const tn_node *end_of(tn_ir *ir, const tn_node *range) {
  return tn_binary(ir, TN_OP_ADD, range->in[TN_RANGE_MIN], range->in[TN_RANGE_EXTENT]);
}

static bool is_inside(tn_ir *ir, tn_arith *arith, const tn_node *inner, const tn_node *outer) {
  if (inner == outer) {
    return true;
  }
  for (uint32_t d = TN_REGION_RANGES; d < inner->n_in; ++d) {
    const tn_node *a = inner->in[d];
    const tn_node *b = outer->in[d];
    bool is_held =
        a == b ||
        (tn_arith_prove(arith, tn_binary(ir, TN_OP_LE, b->in[TN_RANGE_MIN], a->in[TN_RANGE_MIN])) &&
         tn_arith_prove(arith, tn_binary(ir, TN_OP_LE, end_of(ir, a), end_of(ir, b))));
    if (!is_held) {
      return false;
    }
  }
  return true;
}

static bool is_declared(tn_sched *s, tn_arith *arith, const tn_node *block, bool is_write,
                        const tn_node *region) {
  const tn_node *declared = NULL;
  for (uint32_t i = 0; (declared = tn_block_region(block, is_write, i)) != NULL; ++i) {
    if (declared->in[TN_REGION_BUFFER] == region->in[TN_REGION_BUFFER] &&
        is_inside(s->ir, arith, region, declared)) {
      return true;
    }
  }
  return false;
}

/* The same asked of integer sets, for each access under its conditions: `if v > 0: U[v - 1]` stays in
 * U[0:16]. Views and first values have no touches of their own here. */
static bool is_declared_under_conditions(tn_sched *s, const tn_tree *tree, const tn_node *block,
                                         bool is_write, const tn_node *buffer) {
  tn_touches touches;
  TN_VEC(tn_footprint) whole = {0};
  const tn_node *region = NULL;
  if (!tn_is_none(block->in[TN_BLOCK_INIT]) || block->in[TN_BLOCK_MATCHES]->n_in > 0) {
    return false;
  }
  tn_status st = tn_touches_collect(s, tree, block->in[TN_BLOCK_BODY], &touches);
  if (st != NULL) {
    tn_status_free(st);
    return false;
  }
  for (uint32_t i = 0; (region = tn_block_region(block, is_write, i)) != NULL; ++i) {
    if (region->in[TN_REGION_BUFFER] == buffer) {
      TN_VEC_PUSH(&whole, tn_region_print(region, &touches.arena));
    }
  }
  bool is_held = whole.len > 0;
  size_t mark = tn_sched_assume_axes(s, block);
  for (size_t i = 0; i < touches.list.len && is_held; ++i) {
    const tn_touch *t = &touches.list.data[i];
    if (t->buffer == buffer && t->is_write == is_write) {
      ++s->stats.n_questions;
      is_held = tn_sets_is_covered(tn_sched_sets(s), &t->print, (uint32_t)whole.len, whole.data)
                    .verdict == TN_PROVED;
    }
  }
  tn_sets_pop(tn_sched_sets(s), mark);
  TN_VEC_DEINIT(&whole);
  tn_touches_deinit(&touches);
  return is_held;
}

tn_status tn_block_regions_hold(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  const tn_node *found[2];
  uint64_t key = fact_key(block, TN_FACT_REGIONS);
  if (tn_map_find(&s->facts, key, NULL)) {
    return NULL;
  }
  TN_TRY_MSG(tn_tir_infer_regions(s->ir, block, NULL, NULL, &found[0], &found[1]), "block '%s'",
             tn_block_name(block));
  tn_status st = NULL;
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_axes(arith, block);
  bool is_reduction = !tn_is_none(block->in[TN_BLOCK_INIT]);
  for (int32_t is_write = 0; is_write < 2 && st == NULL; ++is_write) {
    for (uint32_t i = 0; i < found[is_write]->n_in && st == NULL; ++i) {
      const tn_node *region = found[is_write]->in[i];
      if (!is_declared(s, arith, block, is_write != 0, region) &&
          !(is_write == 0 && is_reduction && is_declared(s, arith, block, true, region)) &&
          !is_declared_under_conditions(s, tree, block, is_write != 0,
                                        region->in[TN_REGION_BUFFER])) {
        st = TN_ERR(TN_INVALID, "block '%s' %s more of '%s' than its T.%s(...) declares",
                    tn_block_name(block), is_write != 0 ? "writes" : "reads",
                    region->in[TN_REGION_BUFFER]->attr.text, is_write != 0 ? "writes" : "reads");
      } else if (!tn_buffer_keeps_apart(region->in[TN_REGION_BUFFER])) {
        st = TN_ERR(TN_INVALID,
                    "the strides of '%s', which block '%s' %s, put elements in one place",
                    region->in[TN_REGION_BUFFER]->attr.text, tn_block_name(block),
                    is_write != 0 ? "writes" : "reads");
      }
    }
  }
  tn_arith_free(arith);
  if (st == NULL) {
    tn_map_set(&s->facts, key, 1);
  }
  return st;
}

/* ---- spatial axes ---- */

enum { MAX_AXES = TN_SCHED_MAX_LOOPS };

typedef struct axes {
  uint32_t n;
  uint32_t n_spatial;
  const tn_node *vars[MAX_AXES];
  const tn_node *mins[MAX_AXES];
  const tn_node *extents[MAX_AXES];
  const tn_node *spatial[MAX_AXES];
} axes;

static axes axes_of(const tn_node *block) {
  axes a = {0};
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in && i < MAX_AXES; ++i) {
    a.vars[i] = iters->in[i]->in[TN_ITER_VAR];
    a.mins[i] = iters->in[i]->in[TN_ITER_MIN];
    a.extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
    if (iters->in[i]->attr.i64 == TN_ITER_SPATIAL) {
      a.spatial[a.n_spatial++] = a.vars[i];
    }
    ++a.n;
  }
  return a;
}

static tn_footprint region_print(const axes *a, const tn_node *region, tn_arena *arena) {
  uint32_t n = region->n_in - TN_REGION_RANGES;
  const tn_node **mins = TN_ARENA_ARRAY(arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(arena, const tn_node *, n);
  for (uint32_t d = 0; d < n; ++d) {
    mins[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
    extents[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_EXTENT];
  }
  return (tn_footprint){
      .domain = {.n = a->n, .vars = a->vars, .mins = a->mins, .extents = a->extents},
      .access = {.n_dims = n, .mins = mins, .extents = extents}};
}

/* Every spatial axis is an index of its own: steps of different axes touch different elements. */
static bool is_plainly_apart(const axes *a, const tn_node *region) {
  for (uint32_t i = 0; i < a->n_spatial; ++i) {
    bool is_index = false;
    for (uint32_t d = TN_REGION_RANGES; d < region->n_in && !is_index; ++d) {
      is_index = region->in[d]->in[TN_RANGE_MIN] == a->spatial[i] &&
                 tn_is_int(region->in[d]->in[TN_RANGE_EXTENT], 1);
    }
    if (!is_index) {
      return false;
    }
  }
  return true;
}

static tn_status check_pair(tn_sched *s, const tn_node *block, const axes *a, const tn_node *write,
                            const tn_node *other) {
  if (write == other && is_plainly_apart(a, write)) {
    ++s->stats.n_cheap;
    return NULL;
  }
  tn_arena arena;
  tn_arena_init(&arena, 0);
  tn_footprint prints[2] = {region_print(a, write, &arena), region_print(a, other, &arena)};
  tn_order order = {.op = TN_OP_NE, .n = a->n_spatial, .a = a->spatial, .b = a->spatial};
  tn_answer answer = tn_sets_is_independent(tn_sched_sets(s), &prints[0], &prints[1], 1, &order);
  tn_arena_deinit(&arena);
  if (answer.verdict == TN_PROVED) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_sched_print_points(&answer, &text);
  tn_status st = TN_ERR(
      TN_INVALID, "the spatial axes of block '%s' are not independent: two steps %s '%s'%s",
      tn_block_name(block), answer.verdict == TN_REFUTED ? "touch one element of" : "may meet in",
      write->in[TN_REGION_BUFFER]->attr.text, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* What a block writes it touches by one name alone: regions of different names are not compared. */
static tn_status check_names(const tn_node *block, const tn_node *write) {
  for (int32_t is_write = 0; is_write < 2; ++is_write) {
    const tn_node *other = NULL;
    for (uint32_t i = 0; (other = tn_block_region(block, is_write != 0, i)) != NULL; ++i) {
      const tn_node *a = write->in[TN_REGION_BUFFER];
      const tn_node *b = other->in[TN_REGION_BUFFER];
      if (a != b && a->in[TN_BUFFER_DATA] == b->in[TN_BUFFER_DATA]) {
        return TN_ERR(TN_INVALID, "block '%s' touches one memory as '%s' and as '%s'",
                      tn_block_name(block), a->attr.text, b->attr.text);
      }
    }
  }
  return NULL;
}

tn_status tn_block_keeps_promise(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  uint64_t key = fact_key(block, TN_FACT_PROMISE);
  if (!begins_by_loops_alone(block)) {
    return TN_ERR(TN_INVALID, "the condition or an axis of block '%s' reads memory",
                  tn_block_name(block));
  }
  if (tn_map_find(&s->facts, key, NULL)) {
    ++s->stats.n_remembered;
    return NULL;
  }
  TN_TRY(tn_block_axes_stay(tree, block)); /* what is proved of axes holds in one round of a loop */
  TN_TRY(tn_block_regions_hold(s, tree, block));
  axes a = axes_of(block);
  const tn_node *write = NULL;
  for (uint32_t i = 0; (write = tn_block_region(block, true, i)) != NULL; ++i) {
    TN_TRY(check_names(block, write));
  }
  for (uint32_t i = 0; a.n_spatial > 0 && (write = tn_block_region(block, true, i)) != NULL; ++i) {
    const tn_node *other = NULL;
    for (uint32_t k = i; (other = tn_block_region(block, true, k)) != NULL; ++k) {
      if (other->in[TN_REGION_BUFFER] == write->in[TN_REGION_BUFFER]) {
        TN_TRY(check_pair(s, block, &a, write, other));
      }
    }
    for (uint32_t k = 0; (other = tn_block_region(block, false, k)) != NULL; ++k) {
      if (other->in[TN_REGION_BUFFER] == write->in[TN_REGION_BUFFER]) {
        TN_TRY(check_pair(s, block, &a, write, other));
      }
    }
  }
  tn_map_set(&s->facts, key, 1);
  return NULL;
}

/* ---- reductions whose order is free ---- */

static bool is_load_of_target(const tn_node *n, const tn_node *store) {
  if (!tn_is(n, TN_OP_LOAD) || n->in[TN_LOAD_BUFFER] != store->in[TN_STORE_BUFFER] ||
      !tn_is_none(n->in[TN_LOAD_PREDICATE])) {
    return false;
  }
  for (uint32_t i = TN_STORE_INDICES; i < store->n_in; ++i) {
    if (n->in[TN_LOAD_INDICES + i - TN_STORE_INDICES] != store->in[i]) {
      return false;
    }
  }
  return true;
}

/* An init, or what decompose_reduction leaves: a reduce axis. */
static bool says_it_reduces(const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  bool has_reduce = !tn_is_none(block->in[TN_BLOCK_INIT]);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    has_reduce = has_reduce || iters->in[i]->attr.i64 == TN_ITER_REDUCE;
  }
  return has_reduce;
}

/* x = x op rest, where op may take its operands in any order. x = x - rest takes away a sum. */
bool tn_block_commutes(const tn_node *block) {
  const tn_node *store = block->in[TN_BLOCK_BODY];
  if (!says_it_reduces(block) || !begins_by_loops_alone(block) || !tn_is(store, TN_OP_STORE) ||
      block->in[TN_BLOCK_MATCHES]->n_in > 0) { /* views are other names of what is stored */
    return false;
  }
  const tn_node *data = store->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA];
  const tn_node *extremum = tn_tir_find_extremum(store->in[TN_STORE_VALUE]);
  const tn_node *value = extremum != NULL ? extremum : store->in[TN_STORE_VALUE];
  switch (value->op) {
    case TN_OP_ADD:
    case TN_OP_MUL:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_AND:
    case TN_OP_OR:
    case TN_OP_BAND:
    case TN_OP_BOR:
    case TN_OP_BXOR:
      break;
    case TN_OP_SUB:
      return is_load_of_target(value->in[TN_A], store) && !tn_loads_data(value->in[TN_B], data);
    default:
      return false;
  }
  for (uint32_t side = 0; side < 2; ++side) {
    if (is_load_of_target(value->in[side], store) && !tn_loads_data(value->in[1 - side], data)) {
      return true;
    }
  }
  return false;
}
