/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The compiler's part of a checked program: for each instruction the loop or block it stands in,
 * and the instructions that say where the run is. Regions are evaluated where their block begins;
 * the slots hold until it ends. */
#include "tir/interp/check_priv.h"

static void emit(tn_icomp *c, tn_icheck kind, int32_t d, int32_t a, int32_t b, int32_t c_operand) {
  tn_icomp_emit(c, TN_IOP_CHECK, (uint32_t)kind, d, a, b, c_operand);
}

/* ---- loops ---- */

static bool may_run_at_once(const tn_node *loop) {
  if (tn_is(loop, TN_OP_FOR)) {
    return loop->attr.i64 != TN_FOR_SERIAL && loop->attr.i64 != TN_FOR_UNROLLED;
  }
  return true; /* LAUNCH, and ATTR that makes threads */
}

static int32_t n_forks_at(const tn_icomp *c) {
  return c->where < 0 ? 0 : c->prog->wheres.data[c->where].n_forks;
}

static int32_t n_nodes_at(const tn_icomp *c) {
  return c->where < 0 ? 0 : c->prog->wheres.data[c->where].n_nodes;
}

void tn_icheck_loop(tn_icomp *c, const tn_node *loop) {
  if (!c->prog->is_checked) {
    return;
  }
  bool is_fork = may_run_at_once(loop);
  bool is_lanes = tn_is(loop, TN_OP_FOR) && loop->attr.i64 == TN_FOR_VECTORIZED;
  bool is_parallel = tn_is(loop, TN_OP_FOR) && loop->attr.i64 == TN_FOR_PARALLEL;
  tn_iloop around = {.var = loop->in[0], .mark = tn_icomp_temp(c)};
  emit(c, TN_ICHECK_MARK, around.mark, is_fork ? n_forks_at(c) + 1 : 0, is_lanes, is_parallel);
  TN_VEC_PUSH(&c->loops, around);
}

static int32_t enter(tn_icomp *c, const tn_iwhere *where) {
  int32_t outer = c->where;
  TN_VEC_PUSH(&c->prog->wheres, *where);
  c->where = (int32_t)c->prog->wheres.len - 1;
  c->prog->n_forks = where->n_forks > c->prog->n_forks ? where->n_forks : c->prog->n_forks;
  c->prog->n_nodes = where->n_nodes > c->prog->n_nodes ? where->n_nodes : c->prog->n_nodes;
  return outer;
}

int32_t tn_icheck_enter_loop(tn_icomp *c, const tn_node *loop, int32_t slot) {
  if (!c->prog->is_checked) {
    return 0;
  }
  bool is_fork = may_run_at_once(loop);
  tn_iwhere where = {.node = loop, .outer = c->where, .n_vars = 1, .block = -1};
  where.vars = (int32_t)c->prog->lists.len;
  where.n_forks = n_forks_at(c) + (is_fork ? 1 : 0);
  where.n_nodes = n_nodes_at(c);
  TN_VEC_PUSH(&c->prog->lists, slot);
  if (is_fork) {
    emit(c, TN_ICHECK_TURN, 0, where.n_forks - 1, 0, 0);
  }
  return enter(c, &where);
}

void tn_icheck_leave(tn_icomp *c, int32_t outer) {
  if (!c->prog->is_checked) {
    return;
  }
  if (c->prog->wheres.data[c->where].block < 0) {
    (void)TN_VEC_POP(&c->loops);
  }
  c->where = outer;
}

void tn_icheck_bind(tn_icomp *c, const tn_node *var, const tn_node *value) {
  if (c->prog->is_checked) {
    tn_map_set(&c->value_of, var->id, (uint64_t)(uintptr_t)value);
  }
}

/* ---- blocks ---- */

typedef struct loop_search {
  const tn_icomp *c;
  size_t first; /* the outermost loop whose variable was met */
} loop_search;

static tn_visit find_loop(const tn_node *n, void *ctx) {
  loop_search *s = ctx;
  uint64_t value = 0;
  if (!tn_is(n, TN_OP_VAR)) {
    return TN_DESCEND;
  }
  for (size_t i = 0; i < s->first; ++i) {
    if (s->c->loops.data[i].var == n) {
      s->first = i;
      return TN_DESCEND;
    }
  }
  if (tn_map_find(&s->c->value_of, n->id, &value)) { /* a name for a value */
    (void)tn_walk_distinct((const tn_node *)(uintptr_t)value, find_loop, ctx);
  }
  return TN_DESCEND;
}

/* The outermost loop that spatial axes are bound to; its runs are what is compared. Instances that
 * no loop tells apart have nothing to be compared with. -1: none. */
static int32_t outermost_mark(const tn_icomp *c, const tn_node *iters) {
  loop_search s = {c, c->loops.len};
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 == TN_ITER_SPATIAL) {
      (void)tn_walk_distinct(iters->in[i]->in[TN_ITER_BINDING], find_loop, &s);
    }
  }
  return s.first == c->loops.len ? -1 : c->loops.data[s.first].mark;
}

static tn_status push_axes(tn_icomp *c, const tn_node *iters, bool of_spatial, int32_t *out_n) {
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    int64_t kind = iters->in[i]->attr.i64;
    int32_t slot = 0;
    if (kind != TN_ITER_REDUCE && (kind == TN_ITER_SPATIAL) == of_spatial) {
      TN_TRY(tn_icomp_scalar(c, iters->in[i]->in[TN_ITER_VAR], &slot));
      TN_VEC_PUSH(&c->prog->lists, slot);
      ++*out_n;
    }
  }
  return NULL;
}

static tn_status add_region(tn_icomp *c, const tn_node *region, bool is_write) {
  int32_t slots[2 * TN_MAX_NDIM];
  tn_iregion r = {.node = region, .ranges = -1, .is_write = is_write};
  uint32_t ndim = region->n_in - TN_REGION_RANGES;
  TN_TRY(tn_icomp_use_buffer(c, region->in[TN_REGION_BUFFER], &r.buffer));
  bool is_known = ndim <= TN_MAX_NDIM;
  for (uint32_t i = 0; is_known && i < ndim; ++i) {
    is_known = tn_icomp_vars_are_bound(c, region->in[TN_REGION_RANGES + i]);
  }
  for (uint32_t i = 0; is_known && i < ndim; ++i) {
    const tn_node *range = region->in[TN_REGION_RANGES + i];
    TN_TRY(tn_icomp_scalar(c, range->in[TN_RANGE_MIN], &slots[i]));
    TN_TRY(tn_icomp_scalar(c, range->in[TN_RANGE_EXTENT], &slots[ndim + i]));
  }
  if (is_known) {
    r.ranges = (int32_t)c->prog->lists.len;
    for (uint32_t i = 0; i < 2 * ndim; ++i) {
      TN_VEC_PUSH(&c->prog->lists, slots[i]);
    }
  }
  TN_VEC_PUSH(&c->prog->regions, r);
  return NULL;
}

/* The block that is the function's body and declares nothing: everything is its own. */
static bool is_root(const tn_icomp *c, const tn_node *block) {
  const tn_node *body = c->prog->func->in[TN_PRIM_FUNC_BODY];
  bool is_body =
      body == block || (tn_is(body, TN_OP_SEQ) && body->n_in == 1 && body->in[0] == block);
  return is_body && block->in[TN_BLOCK_ITERS]->n_in == 0 &&
         block->in[TN_BLOCK_READS]->n_in + block->in[TN_BLOCK_WRITES]->n_in == 0;
}

static tn_status add_regions(tn_icomp *c, const tn_node *block, tn_iblock *b) {
  const tn_node *reads = block->in[TN_BLOCK_READS];
  const tn_node *writes = block->in[TN_BLOCK_WRITES];
  b->first_region = (int32_t)c->prog->regions.len;
  b->n_regions = -1;
  if (!tn_is(reads, TN_OP_LIST) || !tn_is(writes, TN_OP_LIST) || is_root(c, block)) {
    return NULL;
  }
  for (uint32_t i = 0; i < reads->n_in; ++i) {
    TN_TRY(add_region(c, reads->in[i], false));
  }
  for (uint32_t i = 0; i < writes->n_in; ++i) {
    TN_TRY(add_region(c, writes->in[i], true));
  }
  b->n_regions = (int32_t)(reads->n_in + writes->n_in);
  return NULL;
}

tn_status tn_icheck_enter_block(tn_icomp *c, const tn_node *block, int32_t *out_outer) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  tn_iwhere where = {.node = block, .outer = c->where, .n_vars = (int32_t)iters->n_in};
  tn_iblock b = {.node = block, .first_mem = (int32_t)c->prog->mems.len};
  if (!c->prog->is_checked) {
    return NULL;
  }
  TN_TRY(add_regions(c, block, &b));
  b.mark = outermost_mark(c, iters);
  b.axes = (int32_t)c->prog->lists.len;
  TN_TRY(push_axes(c, iters, true, &b.n_spatial));
  TN_TRY(push_axes(c, iters, false, &b.n_ordered));
  where.vars = (int32_t)c->prog->lists.len;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    int32_t slot = 0;
    TN_TRY(tn_icomp_scalar(c, iters->in[i]->in[TN_ITER_VAR], &slot));
    TN_VEC_PUSH(&c->prog->lists, slot);
  }
  where.block = (int32_t)c->prog->blocks.len;
  where.n_forks = n_forks_at(c);
  where.n_nodes = n_nodes_at(c);
  TN_VEC_PUSH(&c->prog->blocks, b);
  if (b.mark >= 0) {
    emit(c, TN_ICHECK_BLOCK, 0, where.block, where.n_nodes++, 0);
  }
  *out_outer = enter(c, &where);
  return NULL;
}

/* ---- arithmetic ---- */

void tn_icheck_divisor(tn_icomp *c, tn_iop op, int32_t d, int32_t divisor) {
  bool divides = op == TN_IOP_DIV || op == TN_IOP_MOD || op == TN_IOP_FLOORDIV ||
                 op == TN_IOP_FLOORMOD || op == TN_IOP_DIV_U || op == TN_IOP_MOD_U;
  if (c->prog->is_checked && divides) {
    emit(c, TN_ICHECK_DIVISOR, d, 0, divisor, 0);
  }
}

static bool wide_op(const tn_node *n, tn_iop *out) {
  switch ((int)n->op) {
    case TN_OP_ADD:
      *out = TN_IOP_ADD;
      return true;
    case TN_OP_SUB:
      *out = TN_IOP_SUB;
      return true;
    case TN_OP_MUL:
      *out = TN_IOP_MUL;
      return true;
    default:
      return false;
  }
}

/* The value of sums and products in 64 bits; what they are made of is as it was. A shared operand
 * is computed again: indices are small, and deep ones are left alone. */
static tn_status wide(tn_icomp *c, const tn_node *n, int32_t *out) {
  tn_iop op = TN_IOP_MOV;
  int32_t a = 0;
  int32_t b = 0;
  enum { MAX_WIDE_DEPTH = 8 };
  if (n->dtype != TN_DT_I32 || !wide_op(n, &op) || n->depth > MAX_WIDE_DEPTH) {
    return tn_icomp_scalar(c, n, out);
  }
  TN_TRY(wide(c, n->in[TN_A], &a));
  TN_TRY(wide(c, n->in[TN_B], &b));
  *out = tn_icomp_temp(c);
  tn_icomp_emit(c, op, 0, *out, a, b, 0);
  return NULL;
}

tn_status tn_icheck_index(tn_icomp *c, const tn_node *index, int32_t buffer) {
  tn_iop op = TN_IOP_MOV;
  int32_t narrow = 0;
  int32_t at = 0;
  if (!c->prog->is_checked || index->dtype != TN_DT_I32 || !wide_op(index, &op)) {
    return NULL;
  }
  TN_TRY(tn_icomp_scalar(c, index, &narrow));
  TN_TRY(wide(c, index, &at));
  emit(c, TN_ICHECK_WIDE, 0, narrow, at, buffer);
  return NULL;
}
