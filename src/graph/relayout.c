/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A loop function with buffers in other layouts:
 *
 *   for c, y, k: B: S[c, y] += X[k, y] * W[c, k]
 *   -> for c_o, y, c_i, k_o, k_i: B: S[c_o, y, c_i] += X[k_o, y, k_i] * W[c_o, k_o, k_i, c_i]
 *
 * First the axes: one that walks a divided dimension of a buffer, alone or as a term of the index, is
 * cut in two. Then the buffers whose layout is free, as constants' is: what the cut axes walk is cut
 * alike, the inner parts of reductions before those of results. Then all accesses are written anew,
 * and looked at: a remainder must have become an inner axis, or a number. */
#include "graph/relayout.h"

#include <stdio.h>

#include "arith/arith.h"
#include "graph/graph_priv.h"

enum { MAX_NESTS = 64, MAX_AXES = 12, MAX_ITEMS = 64 };

typedef struct nest {
  const tn_node *block;
  uint32_t n; /* axes, each a loop of its own */
  const tn_node *loops[MAX_AXES];
  int64_t cut[MAX_AXES]; /* size of the inner part; 0: not cut */
  const tn_node *outer[MAX_AXES];
  const tn_node *inner[MAX_AXES];
} nest;

typedef struct work {
  tn_ir *ir;
  uint32_t n_items;
  tn_relayout *items;
  const tn_node *made[MAX_ITEMS]; /* the buffers instead, by item */
  uint32_t n_nests;
  nest *nests;
  nest *at; /* the one being looked at or rewritten */
  tn_arith *arith;
  bool is_bad;
} work;

static int32_t item_of(const work *w, const tn_node *buffer) {
  for (uint32_t i = 0; i < w->n_items; ++i) {
    if (w->items[i].buffer == buffer) {
      return (int32_t)i;
    }
  }
  return -1;
}

/* ---- the form ---- */

static bool is_plain_block(const tn_node *block) {
  const tn_node *init = block->in[TN_BLOCK_INIT];
  const tn_node *body = block->in[TN_BLOCK_BODY];
  return tn_is(body, TN_OP_STORE) && tn_is_none(body->in[TN_STORE_PREDICATE]) &&
         (tn_is_none(init) ||
          (tn_is(init, TN_OP_STORE) && tn_is_none(init->in[TN_STORE_PREDICATE]))) &&
         tn_is_int(block->in[TN_BLOCK_PREDICATE], 1) && block->in[TN_BLOCK_ALLOCS]->n_in == 0 &&
         block->in[TN_BLOCK_MATCHES]->n_in == 0;
}

/* Axes are the loops, one each, in their order, from 0. */
static bool are_axes(const nest *s) {
  const tn_node *iters = s->block->in[TN_BLOCK_ITERS];
  bool are = iters->n_in == s->n;
  for (uint32_t i = 0; are && i < s->n; ++i) {
    const tn_node *iter = iters->in[i];
    are = iter->in[TN_ITER_BINDING] == s->loops[i]->in[TN_FOR_VAR] &&
          tn_is_int(iter->in[TN_ITER_MIN], 0) && tn_is_int(s->loops[i]->in[TN_FOR_MIN], 0) &&
          tn_is(iter->in[TN_ITER_EXTENT], TN_OP_INT) &&
          (iter->attr.i64 == TN_ITER_SPATIAL || iter->attr.i64 == TN_ITER_REDUCE);
  }
  return are;
}

static bool find_nest(const tn_node *stmt, nest *out) {
  *out = (nest){0};
  while (tn_is(stmt, TN_OP_FOR) && stmt->attr.i64 == TN_FOR_SERIAL && out->n < MAX_AXES &&
         tn_is_none(stmt->in[TN_FOR_ANNOTATIONS])) {
    out->loops[out->n++] = stmt;
    stmt = stmt->in[TN_FOR_BODY];
  }
  out->block = stmt;
  return tn_is(stmt, TN_OP_BLOCK) && is_plain_block(stmt) && are_axes(out);
}

static const tn_node *root_of(const tn_node *func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  bool is_root = tn_is(body, TN_OP_BLOCK) && body->in[TN_BLOCK_ITERS]->n_in == 0 &&
                 !tn_is(body->in[TN_BLOCK_BODY], TN_OP_STORE);
  return is_root ? body : NULL;
}

static const tn_node *stmts_of(const tn_node *func) {
  const tn_node *root = root_of(func);
  return root != NULL ? root->in[TN_BLOCK_BODY] : func->in[TN_PRIM_FUNC_BODY];
}

static bool find_nests(work *w, const tn_node *func) {
  const tn_node *body = stmts_of(func);
  w->n_nests = tn_body_n(body);
  if (w->n_nests > MAX_NESTS) {
    return false;
  }
  w->nests = tn_ir_alloc(w->ir, w->n_nests * sizeof *w->nests, sizeof(void *));
  for (uint32_t i = 0; i < w->n_nests; ++i) {
    if (!find_nest(tn_body_at(body, i), &w->nests[i])) {
      return false;
    }
  }
  return true;
}

/* ---- which axes are cut ---- */

static uint32_t first_index(const tn_node *access) {
  return tn_is(access, TN_OP_LOAD) ? TN_LOAD_INDICES : TN_STORE_INDICES;
}

static bool is_access(const tn_node *n) { return tn_is(n, TN_OP_LOAD) || tn_is(n, TN_OP_STORE); }

/* The axis that is a term of the index; -1: none. */
static int32_t axis_in(const work *w, const tn_node *index) {
  const tn_node *iters = w->at->block->in[TN_BLOCK_ITERS];
  const tn_node *coef = NULL;
  const tn_node *base = NULL;
  for (uint32_t i = 0; i < w->at->n; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    if (index == var ||
        (!tn_is(index, TN_OP_VAR) && !tn_is(index, TN_OP_INT) &&
         tn_arith_linear(w->arith, index, 1, &var, &coef, &base) && tn_is_int(coef, 1))) {
      return (int32_t)i;
    }
  }
  return -1;
}

static tn_visit cut_axes(const tn_node *n, void *ctx) {
  work *w = ctx;
  int32_t at = is_access(n) ? item_of(w, n->in[0]) : -1;
  if (at < 0 || w->items[at].is_free) {
    return TN_DESCEND;
  }
  const tn_layout *layout = &w->items[at].layout;
  for (uint32_t d = 0; d < layout->n; ++d) {
    int64_t size = layout->dims[d].mod;
    int32_t axis = size == 0 ? -1 : axis_in(w, n->in[first_index(n) + layout->dims[d].dim]);
    if (axis < 0) {
      continue;
    }
    int64_t extent = w->at->block->in[TN_BLOCK_ITERS]->in[axis]->in[TN_ITER_EXTENT]->attr.i64;
    w->is_bad =
        w->is_bad || (w->at->cut[axis] != 0 && w->at->cut[axis] != size) || extent % size != 0;
    w->at->cut[axis] = size;
  }
  return TN_DESCEND;
}

static void each_access(work *w, tn_enter_fn visit) {
  for (uint32_t i = 0; i < w->n_nests && !w->is_bad; ++i) {
    w->at = &w->nests[i];
    tn_walk_distinct(w->at->block->in[TN_BLOCK_BODY], visit, w);
    if (!tn_is_none(w->at->block->in[TN_BLOCK_INIT])) {
      tn_walk_distinct(w->at->block->in[TN_BLOCK_INIT], visit, w);
    }
  }
}

/* ---- layouts that are free ---- */

/* Does the order in memory stay? */
static bool is_same_order(const tn_node *buffer, const tn_layout *layout) {
  uint32_t last = 0; /* of the plain layout's dimensions that have more than one place */
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    last = tn_is_int(shape->in[d], 1) ? last : d;
  }
  return layout->n == shape->n_in + 1 && layout->dims[layout->n - 1].dim == last;
}

static void push_dim(tn_layout *layout, uint32_t dim, int64_t div, int64_t mod) {
  layout->dims[layout->n++] = (tn_layout_dim){.dim = dim, .div = div, .mod = mod};
}

/* The layout that suits one access: a dimension that a cut axis walks alone is cut too. */
static void suit(const work *w, const tn_node *access, tn_layout *out) {
  const tn_node *iters = w->at->block->in[TN_BLOCK_ITERS];
  uint32_t ndim = tn_buffer_ndim(access->in[0]);
  int32_t axes[TN_MAX_NDIM];
  uint32_t n_cut = 0;
  *out = (tn_layout){0};
  for (uint32_t d = 0; d < ndim; ++d) {
    const tn_node *index = access->in[first_index(access) + d];
    axes[d] = -1;
    for (uint32_t i = 0; i < w->at->n; ++i) {
      bool is_it = index == iters->in[i]->in[TN_ITER_VAR] && w->at->cut[i] != 0;
      axes[d] = is_it ? (int32_t)i : axes[d];
    }
    n_cut += axes[d] >= 0 ? 1 : 0;
    push_dim(out, d, axes[d] < 0 ? 1 : w->at->cut[axes[d]], 0);
  }
  for (int32_t kind = TN_ITER_REDUCE; kind >= TN_ITER_SPATIAL; --kind) {
    for (uint32_t d = 0; d < ndim; ++d) {
      if (axes[d] >= 0 && iters->in[axes[d]]->attr.i64 == kind) {
        push_dim(out, d, 1, w->at->cut[axes[d]]);
      }
    }
  }
  out->n = n_cut == 0 || is_same_order(access->in[0], out) ? 0 : out->n;
}

/* Accesses that disagree leave the buffer as it is. */
static tn_visit choose_layout(const tn_node *n, void *ctx) {
  work *w = ctx;
  int32_t at = is_access(n) ? item_of(w, n->in[0]) : -1;
  if (at < 0 || !w->items[at].is_free) {
    return TN_DESCEND;
  }
  tn_layout suits;
  suit(w, n, &suits);
  bool is_first = w->made[at] == NULL; /* not met before */
  w->made[at] = n;
  if (is_first) {
    w->items[at].layout = suits;
  } else if (!tn_layout_equal(&suits, &w->items[at].layout)) {
    w->items[at].layout.n = 0;
  }
  return TN_DESCEND;
}

/* ---- buffers ---- */

static const tn_node *laid_out(tn_ir *ir, const tn_node *buffer, const tn_layout *layout) {
  const tn_node *type =
      tn_ty_tensor(ir, buffer->dtype, tn_buffer_ndim(buffer), buffer->in[TN_BUFFER_SHAPE]);
  const tn_node *shape = tn_layout_type(ir, type, layout)->in[TN_TY_TENSOR_SHAPE];
  const tn_buffer_spec spec = {.name = buffer->attr.text,
                               .dtype = buffer->dtype,
                               .ndim = shape->n_in,
                               .shape = (const tn_node *const *)shape->in,
                               .data = buffer->in[TN_BUFFER_DATA]};
  return tn_buffer_new(ir, &spec);
}

/* Layouts divide what is there without a rest. */
static bool fits(const tn_node *buffer, const tn_layout *layout) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  bool is_fit = tn_buffer_is_plain(buffer) && layout->n <= TN_MAX_NDIM;
  for (uint32_t d = 0; is_fit && d < shape->n_in; ++d) {
    is_fit = tn_is(shape->in[d], TN_OP_INT) && shape->in[d]->attr.i64 > 0;
  }
  for (uint32_t d = 0; is_fit && d < layout->n; ++d) {
    const tn_layout_dim *at = &layout->dims[d];
    is_fit = at->dim < shape->n_in &&
             shape->in[at->dim]->attr.i64 % (at->mod != 0 ? at->mod * at->div : at->div) == 0;
  }
  return is_fit;
}

static bool make_buffers(work *w) {
  for (uint32_t i = 0; i < w->n_items; ++i) {
    const tn_relayout *item = &w->items[i];
    w->made[i] = NULL;
    if (item->layout.n > 0) {
      if (!fits(item->buffer, &item->layout)) {
        return false;
      }
      w->made[i] = laid_out(w->ir, item->buffer, &item->layout);
    }
  }
  return true;
}

/* ---- accesses ---- */

static bool is_inner(const work *w, const tn_node *index) {
  bool is_it = tn_is(index, TN_OP_INT);
  for (uint32_t i = 0; i < w->at->n; ++i) {
    is_it = is_it || index == w->at->inner[i];
  }
  return is_it;
}

static const tn_node *map_access(work *w, const tn_node *n, const tn_layout *layout,
                                 const tn_node *buffer) {
  const tn_node *indices[TN_MAX_NDIM];
  const tn_node *made = NULL;
  for (uint32_t d = 0; d < layout->n; ++d) {
    const tn_layout_dim *at = &layout->dims[d];
    const tn_node *index = n->in[first_index(n) + at->dim];
    const tn_node *div = tn_int(w->ir, index->dtype, at->div);
    const tn_node *mod = tn_int(w->ir, index->dtype, at->mod);
    index = at->div == 1 ? index : tn_binary(w->ir, TN_OP_FLOORDIV, index, div);
    index = at->mod == 0 ? index : tn_binary(w->ir, TN_OP_FLOORMOD, index, mod);
    indices[d] = tn_arith_simplify(w->arith, index);
    w->is_bad = w->is_bad || (at->mod != 0 && !is_inner(w, indices[d]));
  }
  tn_status st = tn_is(n, TN_OP_LOAD) ? tn_tir_load(w->ir, buffer, layout->n, indices, NULL, &made)
                                      : tn_tir_store(w->ir, buffer, n->in[TN_STORE_VALUE],
                                                     layout->n, indices, NULL, &made);
  w->is_bad = w->is_bad || st != NULL;
  tn_status_free(st);
  return made;
}

static const tn_node *access_rule(tn_rewriter *rw, const tn_node *n) {
  work *w = rw->ctx;
  if (w->is_bad) {
    return NULL;
  }
  if (tn_is(n, TN_OP_IF_THEN_ELSE) || tn_is(n, TN_OP_SELECT)) {
    const tn_node *cond = tn_arith_simplify(w->arith, n->in[TN_SELECT_COND]);
    return cond == n->in[TN_SELECT_COND] ? NULL : tn_with_child(w->ir, n, TN_SELECT_COND, cond);
  }
  int32_t at = is_access(n) ? item_of(w, n->in[0]) : -1;
  if (at < 0 || w->made[at] == NULL) {
    return NULL;
  }
  if (tn_is(n, TN_OP_LOAD) && !tn_is_none(n->in[TN_LOAD_PREDICATE])) {
    w->is_bad = true;
    return NULL;
  }
  return map_access(w, n, &w->items[at].layout, w->made[at]);
}

/* ---- nests ---- */

static const tn_node *new_axis(tn_ir *ir, const tn_node *var, const char *end) {
  char name[64];
  (void)snprintf(name, sizeof name, "%.50s%s", var->attr.text, end);
  return tn_var_new(ir, tn_ir_text(ir, name), var->dtype);
}

/* Variables for the parts of cut axes, and what becomes of the axis. */
static void cut_in_two(work *w, tn_map *becomes) {
  nest *s = w->at;
  for (uint32_t i = 0; i < s->n; ++i) {
    const tn_node *iter = s->block->in[TN_BLOCK_ITERS]->in[i];
    const tn_node *var = iter->in[TN_ITER_VAR];
    const tn_node *extent = iter->in[TN_ITER_EXTENT];
    const tn_node *zero = tn_int(w->ir, var->dtype, 0);
    if (s->cut[i] == 0 && iter->attr.i64 == TN_ITER_REDUCE && tn_is_int(extent, 1)) {
      tn_map_set(becomes, var->id, (uint64_t)(uintptr_t)zero); /* channel + 0 of a depthwise one */
    }
    if (s->cut[i] == 0) {
      tn_arith_bind_range(w->arith, var, zero, extent);
      continue;
    }
    const tn_node *size = tn_int(w->ir, var->dtype, s->cut[i]);
    s->outer[i] = new_axis(w->ir, var, "_o");
    s->inner[i] = new_axis(w->ir, var, "_i");
    tn_arith_bind_range(w->arith, s->outer[i], zero,
                        tn_int(w->ir, var->dtype, extent->attr.i64 / s->cut[i]));
    tn_arith_bind_range(w->arith, s->inner[i], zero, size);
    const tn_node *sum =
        tn_binary(w->ir, TN_OP_ADD, tn_binary(w->ir, TN_OP_MUL, s->outer[i], size), s->inner[i]);
    tn_map_set(becomes, var->id, (uint64_t)(uintptr_t)sum);
  }
}

typedef struct new_loops {
  uint32_t n;
  const tn_node *iters[2 * MAX_AXES];
  const tn_node *vars[2 * MAX_AXES];
  const tn_node *extents[2 * MAX_AXES];
} new_loops;

static void push_axis(tn_ir *ir, new_loops *out, const nest *s, uint32_t i, const tn_node *var,
                      int64_t extent) {
  const tn_node *iter = s->block->in[TN_BLOCK_ITERS]->in[i];
  const tn_node *loop = s->loops[i]->in[TN_FOR_VAR];
  const char *end = var == s->inner[i] ? "_i" : "_o";
  loop = var == iter->in[TN_ITER_VAR] ? loop : new_axis(ir, loop, end);
  out->vars[out->n] = loop;
  out->extents[out->n] = tn_int(ir, loop->dtype, extent);
  const tn_node *in[] = {[TN_ITER_VAR] = var,
                         [TN_ITER_MIN] = tn_int(ir, var->dtype, 0),
                         [TN_ITER_EXTENT] = tn_int(ir, var->dtype, extent),
                         [TN_ITER_BINDING] = loop};
  out->iters[out->n++] = tn_node_new(ir, TN_OP_ITER, TN_DT_NONE, iter->attr, 4, in);
}

/* In their order, those of results first; inner parts last of their kind. */
static void order_axes(tn_ir *ir, const nest *s, new_loops *out) {
  out->n = 0;
  for (int32_t kind = TN_ITER_SPATIAL; kind <= TN_ITER_REDUCE; ++kind) {
    for (int32_t is_inner_part = 0; is_inner_part < 2; ++is_inner_part) {
      for (uint32_t i = 0; i < s->n; ++i) {
        const tn_node *iter = s->block->in[TN_BLOCK_ITERS]->in[i];
        int64_t extent = iter->in[TN_ITER_EXTENT]->attr.i64;
        if (iter->attr.i64 != kind || (is_inner_part != 0 && s->cut[i] == 0)) {
          continue;
        }
        if (is_inner_part != 0) {
          push_axis(ir, out, s, i, s->inner[i], s->cut[i]);
        } else {
          bool is_cut = s->cut[i] != 0;
          push_axis(ir, out, s, i, is_cut ? s->outer[i] : iter->in[TN_ITER_VAR],
                    is_cut ? extent / s->cut[i] : extent);
        }
      }
    }
  }
}

static const tn_node *rewrite_nest(work *w) {
  nest *s = w->at;
  tn_ir *ir = w->ir;
  tn_map becomes = {0};
  new_loops loops;
  const tn_node *reads = NULL;
  const tn_node *writes = NULL;
  cut_in_two(w, &becomes);
  order_axes(ir, s, &loops);
  const tn_node *block =
      tn_with_child(ir, s->block, TN_BLOCK_ITERS, tn_list(ir, loops.n, loops.iters));
  for (uint32_t slot = TN_BLOCK_INIT; slot <= TN_BLOCK_BODY; ++slot) {
    if (slot != TN_BLOCK_ANNOTATIONS) {
      const tn_node *part = tn_subst(ir, block->in[slot], &becomes);
      block = tn_with_child(ir, block, slot, tn_rewrite(ir, part, access_rule, w));
    }
  }
  tn_map_deinit(&becomes);
  tn_status st = w->is_bad ? NULL : tn_tir_infer_regions(ir, block, NULL, NULL, &reads, &writes);
  w->is_bad = w->is_bad || st != NULL;
  tn_status_free(st);
  if (w->is_bad) {
    return NULL;
  }
  block = tn_with_child(ir, block, TN_BLOCK_READS, reads);
  block = tn_with_child(ir, block, TN_BLOCK_WRITES, writes);
  for (uint32_t i = loops.n; i-- > 0;) {
    block = tn_for_new(ir, TN_FOR_SERIAL, loops.vars[i], NULL, loops.extents[i], block, NULL, NULL);
  }
  return block;
}

/* ---- the function ---- */

static const tn_node *swap_buffers(const work *w, const tn_node *list) {
  tn_stmts made = {0};
  for (uint32_t i = 0; i < list->n_in; ++i) {
    int32_t at = item_of(w, list->in[i]);
    TN_VEC_PUSH(&made, at >= 0 && w->made[at] != NULL ? w->made[at] : list->in[i]);
  }
  const tn_node *out = tn_list(w->ir, (uint32_t)made.len, made.data);
  TN_VEC_DEINIT(&made);
  return out;
}

static const tn_node *rewrite_func(work *w, const tn_node *func) {
  tn_ir *ir = w->ir;
  const tn_node *root = root_of(func);
  tn_stmts stmts = {0};
  for (uint32_t i = 0; i < w->n_nests && !w->is_bad; ++i) {
    w->at = &w->nests[i];
    TN_VEC_PUSH(&stmts, rewrite_nest(w));
  }
  const tn_node *body = w->is_bad ? NULL : tn_seq(ir, (uint32_t)stmts.len, stmts.data);
  TN_VEC_DEINIT(&stmts);
  if (body == NULL) {
    return NULL;
  }
  if (root != NULL) {
    root = tn_with_child(ir, root, TN_BLOCK_ALLOCS, swap_buffers(w, root->in[TN_BLOCK_ALLOCS]));
    body = tn_with_child(ir, root, TN_BLOCK_BODY, body);
  }
  func = tn_with_child(ir, func, TN_PRIM_FUNC_BUFFERS,
                       swap_buffers(w, func->in[TN_PRIM_FUNC_BUFFERS]));
  return tn_clone_fresh(ir, tn_with_child(ir, func, TN_PRIM_FUNC_BODY, body));
}

bool tn_relayout_func(tn_ir *ir, const tn_node *func, uint32_t n, tn_relayout *items,
                      const tn_node **out_func) {
  work w = {.ir = ir, .n_items = n, .items = items};
  *out_func = NULL;
  if (n > MAX_ITEMS || !find_nests(&w, func)) {
    return false;
  }
  w.arith = tn_arith_new(ir);
  each_access(&w, cut_axes);
  each_access(&w, choose_layout);
  if (!w.is_bad && make_buffers(&w)) {
    *out_func = rewrite_func(&w, func);
  }
  tn_arith_free(w.arith);
  return *out_func != NULL;
}
