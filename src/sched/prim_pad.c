/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Padding taken apart, and put on.
 *
 *   decompose_padding(P, i):   for i: P[v] = if_then_else(1 <= v and v < 17, A[v - 1], 0)
 *                        ->    for i: P[v] = 0              (block P_pad_const)
 *                              for ax0 in range(16): P[v] = A[v - 1]
 *   pad_einsum(C, [8, 8, 4]):  operands are copied into buffers rounded up with zeros, the nest runs
 *                              over rounded extents, what belongs to the result is copied out
 *
 * Zeros at the end of a sum of products change nothing as long as each factor has them: a factor
 * that has no padding could be infinite. */
#include "sched/axes.h"
#include "sched/loops.h"

/* ---- padding taken apart ---- */

typedef struct padding {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *loop; /* FOR before which the constant is written */
  const tn_node *store;
  const tn_node *cond; /* over the axes: inside */
  const tn_node *inside;
  const tn_node *constant;
} padding;

static tn_status refuse(const padding *p, const char *text) {
  return tn_refuse(p->s, p->block->in[TN_BLOCK_LABEL], NULL, "%s", text);
}

static tn_status find_padding(tn_sched *s, tn_prim_call *call, padding *p) {
  *p = (padding){.s = s, .tree = tn_sched_tree(s, call->args[0])};
  p->block = tn_tree_site(p->tree, call->args[0]);
  p->loop = tn_tree_site(p->tree, call->args[1]);
  p->store = p->block->in[TN_BLOCK_BODY];
  if (p->loop == NULL || !tn_tree_is_around(p->tree, p->loop, p->block) ||
      tn_tree_scope(p->tree, p->loop) != tn_tree_scope(p->tree, p->block)) {
    return refuse(p, "the loop is not around it");
  }
  if (!tn_is(p->store, TN_OP_STORE) || !tn_is_none(p->store->in[TN_STORE_PREDICATE])) {
    return refuse(p, "its body is not one store");
  }
  const tn_node *value = p->store->in[TN_STORE_VALUE];
  bool is_choice = tn_is(value, TN_OP_IF_THEN_ELSE) || tn_is(value, TN_OP_SELECT);
  if (!is_choice || (value->in[TN_SELECT_COND]->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0) {
    return refuse(p, "its value is not T.if_then_else(inside, value, constant)");
  }
  p->cond = value->in[TN_SELECT_COND];
  p->inside = value->in[TN_SELECT_A];
  p->constant = value->in[TN_SELECT_B];
  if (!tn_is(p->constant, TN_OP_INT) && !tn_is(p->constant, TN_OP_FLOAT)) {
    return refuse(p, "what it writes outside is not a number");
  }
  for (const tn_node *at = p->block; at != p->loop; at = tn_tree_parent(p->tree, at)) {
    if (!tn_is(tn_tree_parent(p->tree, at), TN_OP_FOR)) {
      return refuse(p, "it is not alone in the loop");
    }
  }
  TN_TRY(tn_block_complete(s, p->tree, p->block));
  return tn_prove_all_steps(s, p->tree, p->block);
}

/* The conjuncts as ranges of single axes; false when one is something else. */
static bool narrow(tn_ir *ir, tn_arith *arith, const tn_node *cond, const tn_node *block,
                   tn_ranges *ranges) {
  if (tn_is(cond, TN_OP_AND)) {
    return narrow(ir, arith, cond->in[TN_A], block, ranges) &&
           narrow(ir, arith, cond->in[TN_B], block, ranges);
  }
  bool is_less = tn_is(cond, TN_OP_LT) || tn_is(cond, TN_OP_LE);
  bool is_more = tn_is(cond, TN_OP_GT) || tn_is(cond, TN_OP_GE);
  bool is_strict = tn_is(cond, TN_OP_LT) || tn_is(cond, TN_OP_GT);
  if (!is_less && !is_more) {
    return false;
  }
  const tn_node *small = cond->in[is_less ? TN_A : TN_B]; /* small < or <= large */
  const tn_node *large = cond->in[is_less ? TN_B : TN_A];
  const tn_node *gap = tn_index_binary(ir, TN_OP_SUB, large, small); /* > 0 or >= 0 */
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    const tn_node *coef = NULL;
    const tn_node *base = NULL;
    if (!tn_arith_linear(arith, gap, 1, &var, &coef, &base) || tn_is_int(coef, 0)) {
      continue;
    }
    const tn_node *one = tn_int(ir, var->dtype, is_strict ? 1 : 0);
    if (tn_is_int(coef, 1)) { /* var >= one - base */
      const tn_node *min = tn_arith_simplify(arith, tn_index_binary(ir, TN_OP_SUB, one, base));
      const tn_node *end = tn_index_binary(ir, TN_OP_ADD, ranges->mins[i], ranges->extents[i]);
      if (!tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LE, min, ranges->mins[i]))) {
        ranges->mins[i] = min;
        ranges->extents[i] = tn_arith_simplify(arith, tn_index_binary(ir, TN_OP_SUB, end, min));
      }
      return true;
    }
    if (tn_is_int(coef, -1)) { /* var <= base - one */
      const tn_node *end = tn_index_binary(ir, TN_OP_ADD, ranges->mins[i], ranges->extents[i]);
      const tn_node *less = tn_index_binary(ir, TN_OP_SUB, base, one);
      less = tn_index_binary(ir, TN_OP_ADD, less, tn_int(ir, var->dtype, 1));
      less = tn_arith_simplify(arith, less);
      if (!tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LE, end, less))) {
        ranges->extents[i] =
            tn_arith_simplify(arith, tn_index_binary(ir, TN_OP_SUB, less, ranges->mins[i]));
      }
      return true;
    }
  }
  return false;
}

/* Each range lies in its axis and holds something: then the nest may run over it as it is. */
static bool is_plain(tn_ir *ir, tn_arith *arith, const tn_node *block, const tn_ranges *ranges) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  bool is_ok = true;
  for (uint32_t i = 0; i < ranges->n && is_ok; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *end = tn_index_binary(ir, TN_OP_ADD, ranges->mins[i], ranges->extents[i]);
    const tn_node *axis_end =
        tn_index_binary(ir, TN_OP_ADD, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
    is_ok = tn_arith_prove(arith,
                           tn_index_binary(ir, TN_OP_GE, ranges->mins[i], iter->in[TN_ITER_MIN])) &&
            tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LE, end, axis_end)) &&
            tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LT, ranges->mins[i], end));
  }
  return is_ok;
}

/* The nest that writes what is inside: over its box where that is known and the loop is outermost,
 * else the loops as they are under the condition. */
static const tn_node *inside_nest(const padding *p) {
  tn_ir *ir = p->s->ir;
  tn_ranges ranges;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *block = tn_with_child(ir, p->block, TN_BLOCK_BODY,
                                       tn_with_child(ir, p->store, TN_STORE_VALUE, p->inside));
  tn_arith *arith = tn_arith_new(ir);
  tn_ranges_whole(block, &ranges);
  bool is_box = tn_tree_loops(p->tree, p->loop, loops) == 0 &&
                narrow(ir, arith, p->cond, block, &ranges) && is_plain(ir, arith, block, &ranges);
  tn_arith_free(arith);
  if (is_box) {
    return tn_ranges_nest(p->s, p->tree, NULL, block, &ranges, true);
  }
  tn_map map = {0};
  tn_map_axes(&map, block, NULL);
  const tn_node *cond =
      tn_sched_and(ir, block->in[TN_BLOCK_PREDICATE], tn_subst(ir, p->cond, &map));
  tn_map_deinit(&map);
  block = tn_with_child(ir, block, TN_BLOCK_PREDICATE, cond);
  for (const tn_node *at = p->block; at != p->loop;) {
    at = tn_tree_parent(p->tree, at);
    block = tn_for_with(ir, at, NULL, NULL, block);
  }
  return block;
}

/* A copy of the loops around a block that writes the constant. */
static tn_status constant_nest(const padding *p, const tn_node **out_label, const tn_node **out) {
  tn_ir *ir = p->s->ir;
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_pad_const", tn_block_name(p->block));
  *out_label = tn_label_new(ir, tn_sched_fresh_name(p->s, p->tree, tn_buf_text(&name)));
  tn_buf_deinit(&name);
  const tn_node *nest = tn_with_child(ir, p->block, TN_BLOCK_BODY,
                                      tn_with_child(ir, p->store, TN_STORE_VALUE, p->constant));
  TN_TRY(tn_block_reinfer(p->s, nest, &nest));
  for (const tn_node *at = p->block; at != p->loop;) {
    at = tn_tree_parent(p->tree, at);
    nest = tn_for_with(ir, at, NULL, NULL, nest);
  }
  nest = tn_clone_fresh(ir, nest);
  const tn_node *block = nest;
  while (tn_is(block, TN_OP_FOR)) {
    block = block->in[TN_FOR_BODY];
  }
  *out = tn_subst1(ir, nest, block->in[TN_BLOCK_LABEL], *out_label);
  return NULL;
}

tn_status tn_prim_decompose_padding(tn_sched *s, tn_prim_call *call) {
  padding p;
  const tn_node *pair[2];
  TN_TRY(find_padding(s, call, &p));
  TN_TRY(constant_nest(&p, &call->out, &pair[0]));
  pair[1] = inside_nest(&p);
  TN_TRY(tn_sched_replace(s, p.loop, tn_seq(s->ir, 2, pair)));
  const tn_node *block = tn_sched_site(s, call->args[0]);
  const tn_node *made = NULL;
  TN_TRY(tn_block_reinfer(s, block, &made));
  TN_TRY(tn_sched_replace(s, block, made));
  return tn_sched_fix_around(s, call->args[0]);
}

tn_status tn_prim_can_decompose_padding(tn_sched *s, tn_prim_call *call) {
  padding p;
  tn_status st = find_padding(s, call, &p);
  call->out = tn_bool(s->ir, st == NULL);
  tn_status_free(st);
  return NULL;
}

/* ---- padding put on ---- */

enum { MAX_PADDING = 1 << 16 };

typedef struct einsum {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *nest;
  const tn_node *store;
  uint32_t n;
  const tn_node *extents[TN_MAX_AXES]; /* rounded up */
  bool is_padded[TN_MAX_AXES];
} einsum;

static const tn_node *label_of(const einsum *e) { return e->block->in[TN_BLOCK_LABEL]; }

static uint32_t axis_at(const einsum *e, const tn_node *index) {
  const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
  uint32_t i = 0;
  while (i < iters->n_in && iters->in[i]->in[TN_ITER_VAR] != index) {
    ++i;
  }
  return i;
}

/* Each index is an axis as long as the buffer; a product's factor has all padded reduce axes. */
static tn_status check_access(const einsum *e, const tn_node *buffer, uint32_t n,
                              const tn_node *const *indices, bool is_factor) {
  const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
  bool has[TN_MAX_AXES] = {false};
  for (uint32_t d = 0; d < n; ++d) {
    uint32_t axis = axis_at(e, indices[d]);
    if (axis == iters->n_in ||
        iters->in[axis]->in[TN_ITER_EXTENT] != buffer->in[TN_BUFFER_SHAPE]->in[d]) {
      return tn_refuse(e->s, label_of(e), NULL,
                       "an index of '%s' is not an axis of the same extent", buffer->attr.text);
    }
    has[axis] = true;
  }
  for (uint32_t i = 0; i < iters->n_in && is_factor; ++i) {
    if (e->is_padded[i] && iters->in[i]->attr.i64 != TN_ITER_SPATIAL && !has[i]) {
      return tn_refuse(e->s, label_of(e), NULL,
                       "'%s' has no padding along axis '%s': zeros times it need not be zero",
                       buffer->attr.text, iters->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  for (uint32_t i = 0; i < iters->n_in && !is_factor; ++i) {
    if (e->is_padded[i] && iters->in[i]->attr.i64 == TN_ITER_SPATIAL && !has[i]) {
      return tn_refuse(e->s, label_of(e), NULL,
                       "more rounds of axis '%s' would do the same elements of '%s' again",
                       iters->in[i]->in[TN_ITER_VAR]->attr.text, buffer->attr.text);
    }
  }
  return NULL;
}

/* Products of loads. */
static tn_status check_term(const einsum *e, const tn_node *n) {
  if (tn_is(n, TN_OP_MUL)) {
    TN_TRY(check_term(e, n->in[TN_A]));
    return check_term(e, n->in[TN_B]);
  }
  if (tn_is(n, TN_OP_CAST)) {
    return check_term(e, n->in[0]);
  }
  if (tn_is(n, TN_OP_LOAD) && tn_is_none(n->in[TN_LOAD_PREDICATE])) {
    return check_access(e, n->in[TN_LOAD_BUFFER], n->n_in - TN_LOAD_INDICES,
                        n->in + TN_LOAD_INDICES, true);
  }
  return tn_refuse(e->s, label_of(e), NULL, "it is not a sum of products of loads");
}

static tn_status check_einsum(const einsum *e) {
  const tn_node *store = e->store;
  if (!tn_is(store, TN_OP_STORE) || tn_is_none(e->block->in[TN_BLOCK_INIT]) ||
      !tn_is(store->in[TN_STORE_VALUE], TN_OP_ADD)) {
    return tn_refuse(e->s, label_of(e), NULL, "it is not a sum of products of loads");
  }
  const tn_node *init = e->block->in[TN_BLOCK_INIT];
  if (!tn_is(init, TN_OP_STORE) || (init->in[TN_STORE_VALUE]->flags & TN_NF_READS) != 0) {
    return tn_refuse(e->s, label_of(e), NULL, "its first value is not a number");
  }
  uint32_t n = store->n_in - TN_STORE_INDICES;
  const tn_node *self =
      tn_load_new(e->s->ir, store->in[TN_STORE_BUFFER], n, store->in + TN_STORE_INDICES);
  const tn_node *sum = store->in[TN_STORE_VALUE];
  if (sum->in[TN_A] != self) {
    return tn_refuse(e->s, label_of(e), NULL, "it is not a sum of products of loads");
  }
  if (tn_loads_data(sum->in[TN_B], store->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA])) {
    return tn_refuse(e->s, label_of(e), NULL, "its products read what it writes");
  }
  TN_TRY(check_access(e, store->in[TN_STORE_BUFFER], n, store->in + TN_STORE_INDICES, false));
  return check_term(e, sum->in[TN_B]);
}

/* Loops one an axis, with its extent; nothing else in them. */
static tn_status check_nest(einsum *e) {
  const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_tree_loops(e->tree, e->block, loops);
  bool is_ok = n == iters->n_in && n > 0 && tn_is_int(e->block->in[TN_BLOCK_PREDICATE], 1);
  for (uint32_t i = 0; i < n && is_ok; ++i) {
    uint32_t axis = 0;
    const tn_node *inner = i + 1 < n ? loops[i + 1] : e->block;
    while (axis < n && iters->in[axis]->in[TN_ITER_BINDING] != loops[i]->in[TN_FOR_VAR]) {
      ++axis;
    }
    is_ok = axis < n && loops[i]->in[TN_FOR_BODY] == inner &&
            tn_is_int(loops[i]->in[TN_FOR_MIN], 0) &&
            tn_is_int(iters->in[axis]->in[TN_ITER_MIN], 0) &&
            loops[i]->in[TN_FOR_EXTENT] == iters->in[axis]->in[TN_ITER_EXTENT];
  }
  if (!is_ok) {
    return tn_refuse(e->s, label_of(e), "pad before the loops are split",
                     "its loops are not one an axis with nothing else in them");
  }
  e->nest = loops[0];
  return NULL;
}

static tn_status read_padding(einsum *e, const tn_node *list) {
  const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(e->s->ir);
  tn_status st = NULL;
  if (list->n_in != iters->n_in) {
    st = tn_refuse(e->s, label_of(e), NULL, "%u numbers for %u axes", list->n_in, iters->n_in);
  }
  e->n = iters->n_in;
  for (uint32_t i = 0; st == NULL && i < e->n; ++i) {
    const tn_node *extent = iters->in[i]->in[TN_ITER_EXTENT];
    int64_t to = list->in[i]->attr.i64;
    if (to < 1 || to > MAX_PADDING) {
      st = tn_refuse(e->s, label_of(e), NULL, "padding to multiples of %lld (1 to %d are)",
                     (long long)to, MAX_PADDING);
      break;
    }
    const tn_node *unit = tn_int(e->s->ir, extent->dtype, to);
    const tn_node *up =
        tn_index_binary(e->s->ir, TN_OP_ADD, extent, tn_int(e->s->ir, extent->dtype, to - 1));
    up = tn_index_binary(e->s->ir, TN_OP_FLOORDIV, up, unit);
    e->extents[i] = tn_arith_simplify(arith, tn_index_binary(e->s->ir, TN_OP_MUL, up, unit));
    e->is_padded[i] = e->extents[i] != extent;
  }
  tn_arith_free(arith);
  return st;
}

/* The buffer with the rounded extents of the axes that index it. */
static const tn_node *padded_like(const einsum *e, const tn_node *buffer, uint32_t n,
                                  const tn_node *const *indices, const char *name) {
  const tn_node *shape[TN_MAX_NDIM];
  for (uint32_t d = 0; d < n; ++d) {
    shape[d] = e->extents[axis_at(e, indices[d])];
  }
  return tn_buffer_like(e->s->ir, buffer, name, n, shape, NULL);
}

/* A nest over `shape`: to[v] = inside ? from[v] : 0. */
static tn_status pad_copy(const einsum *e, const tn_node *label, const tn_node *shape,
                          const tn_node *to, const tn_node *from, const tn_node **out) {
  tn_ir *ir = e->s->ir;
  tn_copy copy;
  tn_box box = {.n = shape->n_in};
  const tn_node *cond = tn_bool(ir, true);
  tn_copy_init(&copy, ir, label, shape);
  tn_arith *arith = tn_arith_new(ir);
  for (uint32_t d = 0; d < box.n; ++d) {
    box.mins[d] = tn_int(ir, shape->in[d]->dtype, 0);
    box.extents[d] = shape->in[d];
    const tn_node *part =
        tn_index_binary(ir, TN_OP_LT, copy.axes[d], from->in[TN_BUFFER_SHAPE]->in[d]);
    tn_arith_bind_range(arith, copy.axes[d], box.mins[d], shape->in[d]);
    cond = tn_arith_prove(arith, part) ? cond : tn_sched_and(ir, cond, part);
  }
  tn_arith_free(arith);
  const tn_node *value = tn_load_new(ir, from, box.n, copy.axes);
  const tn_node *zero =
      tn_dtype_is_float(from->dtype) ? tn_float(ir, from->dtype, 0) : tn_int(ir, from->dtype, 0);
  if (!tn_is_int(cond, 1)) {
    TN_TRY(tn_tir_select(ir, TN_OP_IF_THEN_ELSE, cond, value, zero, &value));
  }
  return tn_copy_nest(e->s, e->tree, NULL, &copy, &box,
                      tn_store_new(ir, to, value, box.n, copy.axes), out);
}

typedef struct load_list {
  uint32_t n;
  bool differs; /* one buffer by two indices */
  const tn_node *loads[TN_MAX_NDIM * 2];
} load_list;

static tn_visit collect_loads(const tn_node *n, void *ctx) {
  load_list *list = ctx;
  bool is_known = !tn_is(n, TN_OP_LOAD) || list->n == sizeof list->loads / sizeof *list->loads;
  for (uint32_t i = 0; i < list->n && !is_known; ++i) {
    is_known = list->loads[i]->in[TN_LOAD_BUFFER] == n->in[TN_LOAD_BUFFER];
    list->differs = list->differs || (is_known && list->loads[i] != n);
  }
  if (!is_known) {
    list->loads[list->n++] = n;
  }
  return TN_DESCEND;
}

/* Nest and block over the rounded extents. */
static const tn_node *rounded(const einsum *e, const tn_node *n) {
  tn_ir *ir = e->s->ir;
  if (tn_is(n, TN_OP_FOR)) {
    uint32_t axis = 0;
    const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
    while (iters->in[axis]->in[TN_ITER_BINDING] != n->in[TN_FOR_VAR]) {
      ++axis;
    }
    return tn_for_with(ir, n, NULL, e->extents[axis], rounded(e, n->in[TN_FOR_BODY]));
  }
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    iters =
        tn_with_child(ir, iters, i, tn_with_child(ir, iters->in[i], TN_ITER_EXTENT, e->extents[i]));
  }
  return tn_with_child(ir, n, TN_BLOCK_ITERS, iters);
}

static bool is_larger(const tn_node *padded, const tn_node *buffer) {
  return padded->in[TN_BUFFER_SHAPE] != buffer->in[TN_BUFFER_SHAPE];
}

/* Puts a padded buffer in the place of one; the copy stands before or after the nest. */
static tn_status swap_padded(const einsum *e, const tn_node *buffer, uint32_t n,
                             const tn_node *const *indices, bool is_output, const tn_node **nest) {
  tn_buf name = TN_BUF_INIT;
  const tn_node *made = NULL;
  const tn_tree *tree = tn_sched_tree(e->s, label_of(e));
  tn_buf_printf(&name, "%s_pad", buffer->attr.text);
  const char *fresh = tn_sched_fresh_name(e->s, tree, tn_buf_text(&name));
  tn_buf_deinit(&name);
  const tn_node *padded = padded_like(e, buffer, n, indices, fresh);
  if (!is_larger(padded, buffer)) {
    return NULL;
  }
  const tn_node *label = tn_label_new(e->s->ir, fresh);
  TN_TRY(is_output ? pad_copy(e, label, buffer->in[TN_BUFFER_SHAPE], buffer, padded, &made)
                   : pad_copy(e, label, padded->in[TN_BUFFER_SHAPE], padded, buffer, &made));
  TN_TRY(tn_sched_insert(e->s, *nest, made, !is_output));
  const tn_node *swapped = tn_swap_buffer(e->s->ir, *nest, buffer, padded);
  TN_TRY(tn_sched_replace(e->s, *nest, swapped));
  tree = tn_sched_tree(e->s, label);
  TN_TRY(tn_sched_add_alloc(e->s, tree, tn_tree_scope(tree, tn_tree_site(tree, label)), padded));
  TN_TRY(tn_sched_fix_around(e->s, label));
  *nest = swapped;
  return NULL;
}

static void whole_box(const einsum *e, const tn_node *buffer, tn_box *box) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  *box = (tn_box){.n = shape->n_in};
  for (uint32_t d = 0; d < box->n; ++d) {
    box->mins[d] = tn_int(e->s->ir, shape->in[d]->dtype, 0);
    box->extents[d] = shape->in[d];
  }
}

/* A result that is copied out is all written: a sum over nothing leaves it as it was. */
static tn_status check_result(const einsum *e) {
  const tn_node *result = e->store->in[TN_STORE_BUFFER];
  tn_box box;
  bool is_copied = false;
  whole_box(e, result, &box);
  for (uint32_t d = 0; d < box.n; ++d) {
    is_copied = is_copied || e->is_padded[axis_at(e, e->store->in[TN_STORE_INDICES + d])];
  }
  return is_copied ? tn_prove_box_written(e->s, e->tree, e->nest, result, &box) : NULL;
}

/* A factor that is copied in is all written, also where the nest reads nothing of it. */
static tn_status check_factor(const einsum *e, const tn_node *buffer) {
  tn_box box;
  const tn_node *iters = e->block->in[TN_BLOCK_ITERS];
  tn_arith *arith = tn_arith_new(e->s->ir);
  bool has_steps = true;
  for (uint32_t i = 0; i < iters->n_in && has_steps; ++i) {
    const tn_node *extent = iters->in[i]->in[TN_ITER_EXTENT];
    const tn_node *zero = tn_int(e->s->ir, extent->dtype, 0);
    has_steps = tn_arith_prove(arith, tn_index_binary(e->s->ir, TN_OP_GT, extent, zero));
  }
  tn_arith_free(arith);
  if (has_steps || tn_tree_is_parameter(e->tree, buffer)) {
    return NULL;
  }
  whole_box(e, buffer, &box);
  const tn_node *body = tn_scope_body(e->tree, tn_tree_scope(e->tree, e->block));
  return tn_prove_box_written(e->s, e->tree, body, buffer, &box);
}

tn_status tn_prim_pad_einsum(tn_sched *s, tn_prim_call *call) {
  einsum e = {.s = s, .tree = tn_sched_tree(s, call->args[0])};
  e.block = tn_tree_site(e.tree, call->args[0]);
  e.store = e.block->in[TN_BLOCK_BODY];
  const tn_node *scope = tn_tree_scope(e.tree, e.block);
  TN_TRY(tn_block_reduction(s, e.tree, e.block));
  TN_TRY(tn_block_axes_stay(e.tree, e.block));
  TN_TRY(read_padding(&e, call->args[1]));
  TN_TRY(check_nest(&e));
  TN_TRY(check_einsum(&e));
  load_list list = {.n = 0};
  tn_walk_distinct(e.store->in[TN_STORE_VALUE]->in[TN_B], collect_loads, &list);
  if (list.differs) {
    return tn_refuse(s, call->args[0], NULL, "it reads one buffer by two indices");
  }
  const tn_node *result = e.store->in[TN_STORE_BUFFER];
  TN_TRY(tn_scope_only_blocks_touch(s, e.tree, scope, result));
  for (uint32_t i = 0; i < list.n; ++i) {
    TN_TRY(tn_scope_only_blocks_touch(s, e.tree, scope, list.loads[i]->in[TN_LOAD_BUFFER]));
    TN_TRY(check_factor(&e, list.loads[i]->in[TN_LOAD_BUFFER]));
  }
  TN_TRY(check_result(&e));
  const tn_node *nest = rounded(&e, e.nest);
  TN_TRY(tn_sched_replace(s, e.nest, nest));
  for (uint32_t i = 0; i < list.n; ++i) {
    TN_TRY(swap_padded(&e, list.loads[i]->in[TN_LOAD_BUFFER], list.loads[i]->n_in - TN_LOAD_INDICES,
                       list.loads[i]->in + TN_LOAD_INDICES, false, &nest));
  }
  return swap_padded(&e, result, e.store->n_in - TN_STORE_INDICES, e.store->in + TN_STORE_INDICES,
                     true, &nest);
}
