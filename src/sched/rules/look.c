/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a rule knows of a block: its loops, and how each access moves with each of them. Indices are
 * taken over the loops, not the axes, and flat, so that it makes no difference how often loops were
 * split and fused before. */
#include "sched/rules/rules.h"

#include "sched/loops.h"
#include "sched/rewrite.h"
#include "sched/starts.h"

typedef struct look {
  tn_rules *r;
  tn_arith *arith;
  tn_map axes; /* id of an axis -> what it is bound to */
  tn_rule_nest *nest;
  bool is_full;
} look;

/* ---- strides ---- */

static const tn_node *dim_stride(tn_ir *ir, const tn_node *buffer, uint32_t d) {
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  if (!tn_is_none(strides)) {
    return strides->in[d];
  }
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *stride = tn_int(ir, shape->in[d]->dtype, 1);
  for (uint32_t i = d + 1; i < shape->n_in; ++i) {
    stride = tn_index_binary(ir, TN_OP_MUL, stride, shape->in[i]);
  }
  return stride;
}

static const tn_node *flat_index(look *k, const tn_node *access, const tn_node *buffer,
                                 uint32_t first) {
  tn_ir *ir = k->r->s->ir;
  const tn_node *sum =
      NULL; /* in the type of the indices: a cast would hide what they are made of */
  for (uint32_t i = first; i < access->n_in; ++i) {
    const tn_node *index = tn_subst(ir, access->in[i], &k->axes);
    const tn_node *part = tn_index_binary(ir, TN_OP_MUL, index, dim_stride(ir, buffer, i - first));
    sum = sum == NULL ? part : tn_index_binary(ir, TN_OP_ADD, sum, part);
  }
  sum = sum == NULL ? tn_int(ir, TN_DT_I64, 0) : sum;
  return tn_arith_simplify(k->arith, sum);
}

static void add_access(look *k, const tn_node *n) {
  tn_rule_nest *nest = k->nest;
  bool is_store = tn_is(n, TN_OP_STORE);
  if (nest->n_accesses == TN_RULE_MAX_ACCESSES) {
    k->is_full = true;
    return;
  }
  tn_rule_access *a = &nest->accesses[nest->n_accesses++];
  *a = (tn_rule_access){.node = n, .buffer = n->in[0], .is_store = is_store};
  const tn_node *flat = flat_index(k, n, a->buffer, is_store ? TN_STORE_INDICES : TN_LOAD_INDICES);
  for (uint32_t i = 0; i < nest->n_loops; ++i) {
    const tn_node *base = NULL;
    if (!tn_arith_linear(k->arith, flat, 1, &nest->loops[i].var, &a->strides[i], &base)) {
      a->strides[i] = NULL;
    }
  }
  int32_t bytes = (int32_t)tn_dtype_bits(a->buffer->dtype) / 8;
  nest->max_bytes = bytes > nest->max_bytes ? bytes : nest->max_bytes;
}

/* ---- the body ---- */

/* Rough costs: what a vector of each takes compared with an addition. */
static double cost_of(const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_LOAD:
    case TN_OP_STORE:
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_CAST:
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return 1;
    case TN_OP_DIV:
      return 4;
    case TN_OP_INTRIN:
      return tn_intrin_of(n)->id == TN_INTRIN_ISNAN ? 1 : 16;
    default:
      return 0;
  }
}

static tn_visit enter(const tn_node *n, void *ctx) {
  look *k = ctx;
  if (tn_is(n, TN_OP_BUFFER)) {
    return TN_SKIP;
  }
  k->nest->work += cost_of(n);
  if (tn_is(n, TN_OP_LOAD) || tn_is(n, TN_OP_STORE)) {
    add_access(k, n);
  }
  return TN_DESCEND;
}

static tn_status take_loops(look *k, const tn_tree *tree) {
  tn_rule_nest *nest = k->nest;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_tree_loops(tree, nest->block, loops);
  if (n > TN_RULE_MAX_LOOPS) {
    return TN_ERR(TN_INVALID, "%u loops", n);
  }
  nest->n_loops = n;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *extent = loops[i]->in[TN_FOR_EXTENT];
    if (loops[i]->attr.i64 != TN_FOR_SERIAL || !tn_is_int(loops[i]->in[TN_FOR_MIN], 0)) {
      return TN_ERR(TN_INVALID, "a loop is marked, or does not begin at 0");
    }
    nest->loops[i] =
        (tn_rule_loop){.var = loops[i]->in[TN_FOR_VAR],
                       .extent = extent,
                       .n = tn_is(extent, TN_OP_INT) ? extent->attr.i64 : (int64_t)TN_RULE_OPEN};
  }
  const tn_node *iters = nest->block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    for (uint32_t j = 0; tn_iter_is_reduce(iters->in[i]) && j < n; ++j) {
      nest->loops[j].is_reduce =
          nest->loops[j].is_reduce ||
          tn_expr_uses(iters->in[i]->in[TN_ITER_BINDING], 1, &nest->loops[j].var);
    }
  }
  return NULL;
}

tn_status tn_rule_look(tn_rules *r, const tn_node *label, tn_rule_nest *out) {
  const tn_tree *tree = tn_sched_tree(r->s, tn_sched_current(r->s, label));
  if (tree == NULL) {
    return TN_ERR(TN_INVALID, "the block is gone");
  }
  *out = (tn_rule_nest){.label = label, .block = tn_sched_site(r->s, label), .max_bytes = 1};
  look k = {.r = r, .nest = out};
  TN_TRY(take_loops(&k, tree));
  k.arith = tn_arith_new(r->s->ir);
  tn_sched_bind_around(tree, k.arith, out->block);
  tn_map_axes(&k.axes, out->block, NULL);
  (void)tn_walk_distinct(out->block->in[TN_BLOCK_BODY], enter, &k);
  tn_map_deinit(&k.axes);
  tn_arith_free(k.arith);
  return k.is_full ? TN_ERR(TN_INVALID, "more than %d accesses", TN_RULE_MAX_ACCESSES) : NULL;
}

/* ---- questions ---- */

const tn_rule_access *tn_rule_store(const tn_rule_nest *nest) {
  const tn_rule_access *found = NULL;
  for (uint32_t i = 0; i < nest->n_accesses; ++i) {
    if (nest->accesses[i].is_store) {
      if (found != NULL) {
        return NULL;
      }
      found = &nest->accesses[i];
    }
  }
  return found;
}

bool tn_rule_moves_by(const tn_rule_access *access, uint32_t loop, int64_t stride) {
  return access->strides[loop] != NULL && tn_is_int(access->strides[loop], stride);
}

int64_t tn_rule_rounds(const tn_rule_nest *nest, uint32_t begin, uint32_t end) {
  const int64_t most = (int64_t)1 << 40;
  int64_t n = 1;
  for (uint32_t i = begin; i < end; ++i) {
    if (nest->loops[i].n == TN_RULE_OPEN) {
      return TN_RULE_OPEN;
    }
    n = nest->loops[i].n > most / (n > 0 ? n : 1) ? most : n * nest->loops[i].n;
  }
  return n;
}

bool tn_rule_is_joint(tn_rules *r, const tn_rule_nest *nest, uint32_t i) {
  tn_ir *ir = r->s->ir;
  bool is_joint = nest->loops[i].is_reduce == nest->loops[i + 1].is_reduce;
  tn_arith *arith = tn_arith_new(ir);
  for (uint32_t a = 0; is_joint && a < nest->n_accesses; ++a) {
    const tn_node *outer = nest->accesses[a].strides[i];
    const tn_node *inner = nest->accesses[a].strides[i + 1];
    if (outer == NULL || inner == NULL) {
      is_joint = false;
      continue;
    }
    const tn_node *want = tn_index_binary(ir, TN_OP_MUL, inner, nest->loops[i + 1].extent);
    is_joint = outer == want || tn_arith_prove(arith, tn_index_binary(ir, TN_OP_EQ, outer, want));
  }
  tn_arith_free(arith);
  return is_joint;
}

int64_t tn_rule_lanes(const tn_rules *r, const tn_rule_nest *nest) {
  int64_t lanes = r->target->vector_bytes / nest->max_bytes;
  return lanes < 2 ? 2 : lanes;
}

bool tn_rule_is_heavy(const tn_rule_nest *nest) {
  const double least = 1 << 17; /* about ten microseconds: four times what sharing costs */
  int64_t n = tn_rule_rounds(nest, 0, nest->n_loops);
  return n == TN_RULE_OPEN || (double)n * (nest->work + 1) >= least;
}

bool tn_rule_is_spatial(const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 != TN_ITER_SPATIAL) {
      return false;
    }
  }
  return true;
}
