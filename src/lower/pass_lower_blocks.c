/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Blocks become plain statements.
 *
 *   for i, k in T.grid(8, 4):                         for i, k in T.grid(8, 4):
 *       with T.block("sum"):                              if k == 0:
 *           vi, vk = T.axis.remap("SR", [i, k])               B[i] = 0
 *           T.where(i < 7)                     ->         if i < 7: ... around both
 *           with T.init(): B[vi] = 0                      B[i] = B[i] + A[i, k]
 *           B[vi] = B[vi] + A[vi, vk]
 *
 * A block's buffers become allocations in its place. A matched view's accesses go to its source;
 * what its declaration leaves open (strides, offset, extents) is bound by `let`. Requires: regions
 * match their views in rank. Guarantees: no BLOCK, ITER, REGION or MATCH is left. */
#include "lower/lower_priv.h"

typedef struct blocks_ctx {
  tn_ir *ir;
  tn_map bound; /* ids of the variables that something else than a match binds */
  tn_map views; /* id of a matched view -> its MATCH */
  tn_status st;
} blocks_ctx;

typedef TN_VEC(const tn_node *) stmt_list;

/* ---- which variables are bound outside of matches ---- */

static void add_vars(const tn_node *n, void *ctx) {
  blocks_ctx *c = ctx;
  if (tn_is(n, TN_OP_VAR)) {
    tn_map_set(&c->bound, n->id, 0);
  }
}

static tn_visit add_binders(const tn_node *n, void *ctx) {
  blocks_ctx *c = ctx;
  bool is_binder = tn_is(n, TN_OP_FOR) || tn_is(n, TN_OP_BIND) || tn_is(n, TN_OP_ITER) ||
                   tn_is(n, TN_OP_LAUNCH) || tn_is(n, TN_OP_LET) || tn_is(n, TN_OP_ALLOC) ||
                   tn_is(n, TN_OP_CONST_ALLOC);
  if (is_binder) {
    tn_map_set(&c->bound, n->in[0]->id, 0);
  }
  if (tn_is(n, TN_OP_MATCH)) {
    tn_lower_map_set(&c->views, n->in[TN_MATCH_BUFFER], n);
  }
  return TN_DESCEND;
}

/* ---- matched views ---- */

typedef struct view_ctx {
  const tn_node *view;
  const tn_node *source;
  const tn_node *region;
} view_ctx;

/* view[i, j] -> source[min0 + i, min1 + j]; dimensions that only the source has come first and have
 * one element. */
static const tn_node *view_rule(tn_rewriter *rw, const tn_node *n) {
  const view_ctx *v = rw->ctx;
  if (n == v->view->in[TN_BUFFER_DATA]) {
    return v->source->in[TN_BUFFER_DATA];
  }
  if (!tn_lower_is_access(n)) {
    return NULL;
  }
  /* The view itself was rebuilt if its data was replaced first; it is known by its name and place,
   * so compare the memo. */
  uint64_t word = 0;
  const tn_node *buffer = n->in[0];
  bool is_view = buffer == v->view || (tn_map_find(&rw->memo, v->view->id, &word) &&
                                       (const tn_node *)(uintptr_t)word == buffer);
  if (!is_view) {
    return NULL;
  }
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t n_source = tn_buffer_ndim(v->source);
  uint32_t n_extra = n_source - tn_buffer_ndim(v->view);
  uint32_t first = tn_lower_first_index(n);
  for (uint32_t d = 0; d < n_source; ++d) {
    const tn_node *min = v->region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
    if (d < n_extra) {
      indices[d] = min;
      continue;
    }
    const tn_node *index = n->in[first + d - n_extra];
    uint32_t lanes = tn_dtype_lanes(index->dtype);
    bool is_wide = tn_dtype_bits(min->dtype) == 64 || tn_dtype_bits(index->dtype) == 64;
    tn_dtype dtype = is_wide ? TN_DT_I64 : TN_DT_I32;
    indices[d] =
        tn_lower_add(rw->ir, tn_lower_broadcast(rw->ir, tn_lower_cast(rw->ir, dtype, min), lanes),
                     tn_lower_cast(rw->ir, tn_dtype_with_lanes(dtype, lanes), index));
  }
  return tn_lower_access_with(rw->ir, n, v->source, n_source, indices);
}

/* let var = value, where var is a variable that only the view's declaration binds. */
static void bind_open(blocks_ctx *c, const tn_node *var, const tn_node *value, stmt_list *out) {
  if (tn_is(var, TN_OP_VAR) && !tn_map_find(&c->bound, var->id, NULL)) {
    tn_map_set(&c->bound, var->id, 0);
    TN_VEC_PUSH(out, tn_lower_bind(c->ir, var, tn_lower_cast(c->ir, var->dtype, value)));
  }
}

/* Where a buffer lies, in int64: its strides, and the offset of its first element. A view lies in
 * its source, whatever its own declaration leaves out. */
static const tn_node *place_of(const blocks_ctx *c, const tn_node *buffer,
                               const tn_node **strides) {
  tn_ir *ir = c->ir;
  const tn_node *match = tn_lower_map_find(&c->views, buffer);
  if (match == NULL) {
    tn_lower_strides(ir, buffer, TN_DT_I64, strides);
    return tn_lower_cast(ir, TN_DT_I64, buffer->in[TN_BUFFER_ELEM_OFFSET]);
  }
  const tn_node *region = match->in[TN_MATCH_REGION];
  uint32_t n_source = region->n_in - TN_REGION_RANGES;
  uint32_t n_view = tn_buffer_ndim(buffer);
  const tn_node *offset = place_of(c, region->in[TN_REGION_BUFFER], strides);
  for (uint32_t d = 0; d < n_source; ++d) {
    const tn_node *min = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
    min = tn_lower_cast(ir, TN_DT_I64, min);
    offset = tn_lower_add(ir, offset, tn_lower_mul(ir, min, strides[d]));
  }
  for (uint32_t d = 0; d < n_view && n_view <= n_source; ++d) {
    strides[d] = strides[d + n_source - n_view];
  }
  return offset;
}

static void bind_view(blocks_ctx *c, const view_ctx *v, stmt_list *out) {
  const tn_node *strides[TN_MAX_NDIM];
  const tn_node *view_strides = v->view->in[TN_BUFFER_STRIDES];
  uint32_t n_view = tn_buffer_ndim(v->view);
  uint32_t n_extra = tn_buffer_ndim(v->source) - n_view;
  const tn_node *offset = place_of(c, v->view, strides);
  for (uint32_t d = 0; d < n_view; ++d) {
    const tn_node *extent = v->region->in[TN_REGION_RANGES + d + n_extra]->in[TN_RANGE_EXTENT];
    bind_open(c, v->view->in[TN_BUFFER_SHAPE]->in[d], extent, out);
    if (tn_is(view_strides, TN_OP_LIST) && view_strides->n_in == n_view) {
      bind_open(c, view_strides->in[d], strides[d], out);
    }
  }
  bind_open(c, v->view->in[TN_BUFFER_ELEM_OFFSET], offset, out);
}

/* ---- views that are arguments of calls ---- */

typedef struct passed_ctx {
  const tn_node *view;
  const tn_node *given; /* what is passed in its place */
  bool is_used;
} passed_ctx;

/* Of a call's arguments, in a LIST or in the INTRIN itself. */
static const tn_node *passed_rule(tn_rewriter *rw, const tn_node *n) {
  passed_ctx *p = rw->ctx;
  bool is_passed = false;
  TN_VEC(const tn_node *) in = {0};
  for (uint32_t i = 0; (tn_is(n, TN_OP_LIST) || tn_is(n, TN_OP_INTRIN)) && i < n->n_in; ++i) {
    is_passed = is_passed || n->in[i] == p->view;
    TN_VEC_PUSH(&in, n->in[i] == p->view ? p->given : n->in[i]);
  }
  const tn_node *made = is_passed ? tn_node_with(rw->ir, n, in.data) : NULL;
  p->is_used = p->is_used || is_passed;
  TN_VEC_DEINIT(&in);
  return made;
}

/* A callee gets a buffer that lies where the view does, with strides and offset spelled out. */
static const tn_node *pass_view(blocks_ctx *c, const view_ctx *v, const tn_node *body,
                                stmt_list *out) {
  const tn_node *strides[TN_MAX_NDIM];
  uint32_t n_view = tn_buffer_ndim(v->view);
  tn_buffer_spec spec = {.name = v->view->attr.text,
                         .dtype = v->view->dtype,
                         .ndim = n_view,
                         .shape = v->view->in[TN_BUFFER_SHAPE]->in,
                         .data = v->source->in[TN_BUFFER_DATA]};
  spec.elem_offset = place_of(c, v->view, strides);
  spec.strides = n_view == 0 ? NULL : tn_list(c->ir, n_view, strides);
  passed_ctx p = {.view = v->view, .given = tn_buffer_new(c->ir, &spec)};
  body = tn_rewrite(c->ir, body, passed_rule, &p);
  if (p.is_used) {
    TN_VEC_PUSH(out, tn_lower_decl(c->ir, p.given));
  }
  return body;
}

static const tn_node *apply_match(blocks_ctx *c, const tn_node *match, const tn_node *body,
                                  stmt_list *out) {
  const tn_node *region = match->in[TN_MATCH_REGION];
  view_ctx v = {match->in[TN_MATCH_BUFFER], region->in[TN_REGION_BUFFER], region};
  uint32_t n_view = tn_buffer_ndim(v.view);
  uint32_t n_source = tn_buffer_ndim(v.source);
  if (n_view > n_source || v.view->dtype != v.source->dtype) {
    c->st = c->st != NULL
                ? c->st
                : TN_ERR(TN_UNSUPPORTED,
                         "view '%s' of %u dimensions over a region of buffer '%s' with %u",
                         v.view->attr.text, n_view, v.source->attr.text, n_source);
    return body;
  }
  bind_view(c, &v, out);
  body = pass_view(c, &v, body, out);
  return tn_rewrite(c->ir, body, view_rule, &v);
}

/* ---- the block ---- */

/* Each stride steps over all of what is further in: then so many of the outermost hold everything. */
static bool is_nested(tn_arith *arith, tn_ir *ir, const tn_node *shape,
                      const tn_node *const *strides) {
  const tn_node *inner = tn_int(ir, TN_DT_I64, 1);
  bool is_ok = shape->n_in > 0;
  for (uint32_t d = shape->n_in; is_ok && d-- > 0;) {
    is_ok = tn_arith_prove(arith, tn_binary(ir, TN_OP_LE, inner, strides[d]));
    inner = tn_lower_mul(ir, tn_lower_cast(ir, TN_DT_I64, shape->in[d]), strides[d]);
  }
  return is_ok;
}

/* Elements of a strided buffer, from the data pointer on. */
static const tn_node *strided_extent(tn_ir *ir, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *one = tn_int(ir, TN_DT_I64, 1);
  const tn_node *n = tn_lower_cast(ir, TN_DT_I64, buffer->in[TN_BUFFER_ELEM_OFFSET]);
  const tn_node *strides[TN_MAX_NDIM];
  tn_arith *arith = tn_arith_new(ir);
  tn_lower_strides(ir, buffer, TN_DT_I64, strides);
  if (is_nested(arith, ir, shape, strides)) {
    const tn_node *rows = tn_lower_cast(ir, TN_DT_I64, shape->in[0]);
    n = tn_lower_add(ir, tn_lower_mul(ir, rows, strides[0]), n);
  } else { /* to the last one, which is before the first where there is none */
    n = tn_lower_add(ir, n, one);
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      const tn_node *extent = tn_lower_cast(ir, TN_DT_I64, shape->in[d]);
      const tn_node *steps = tn_binary(ir, TN_OP_SUB, extent, one);
      n = tn_lower_add(ir, n, tn_lower_mul(ir, steps, strides[d]));
    }
    n = tn_binary(ir, TN_OP_MAX, n, tn_int(ir, TN_DT_I64, 0));
    n = tn_arith_simplify(arith, n);
  }
  tn_arith_free(arith);
  return n;
}

static const tn_node *allocate(tn_ir *ir, const tn_node *buffer, stmt_list *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  bool is_strided = tn_is(strides, TN_OP_LIST) && strides->n_in > 0;
  if (is_strided || !tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0)) {
    const tn_node *n = strided_extent(ir, buffer);
    shape = tn_list(ir, 1, &n);
  }
  const tn_node *in[5] = {[TN_ALLOC_VAR] = buffer->in[TN_BUFFER_DATA],
                          [TN_ALLOC_EXTENTS] = shape,
                          [TN_ALLOC_COND] = tn_bool(ir, true),
                          [TN_ALLOC_SCOPE] = buffer->in[TN_BUFFER_SCOPE],
                          [TN_ALLOC_ANNOTATIONS] = tn_none(ir)};
  TN_VEC_PUSH(out, tn_node_new(ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){.i64 = 0}, 5, in));
  TN_VEC_PUSH(out, tn_lower_decl(ir, buffer));
  return buffer;
}

/* The condition of init: every reduce axis at its first value. NONE: there is none, or all have one
 * value. */
static const tn_node *is_first(tn_ir *ir, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *all = tn_none(ir);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    if (iter->attr.i64 != TN_ITER_REDUCE || tn_is_int(iter->in[TN_ITER_EXTENT], 1)) {
      continue;
    }
    const tn_node *var = iter->in[TN_ITER_VAR];
    const tn_node *one =
        tn_binary(ir, TN_OP_EQ, var, tn_lower_cast(ir, var->dtype, iter->in[TN_ITER_MIN]));
    all = tn_is_none(all) ? one : tn_binary(ir, TN_OP_AND, all, one);
  }
  return all;
}

/* Iteration variables are replaced by what they are bound to; a binding that reads memory is
 * computed once. */
static const tn_node *bind_iters(blocks_ctx *c, const tn_node *block, const tn_node *body,
                                 stmt_list *out) {
  tn_map map = {0};
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    const tn_node *value = tn_lower_cast(c->ir, var->dtype, iters->in[i]->in[TN_ITER_BINDING]);
    if ((value->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0) {
      TN_VEC_PUSH(out, tn_lower_bind(c->ir, var, value));
    } else {
      tn_lower_map_set(&map, var, value);
    }
  }
  body = tn_subst(c->ir, body, &map);
  tn_map_deinit(&map);
  return body;
}

static const tn_node *lower_block(blocks_ctx *c, const tn_node *block) {
  tn_ir *ir = c->ir;
  stmt_list outer = {0}; /* variables of the block, computed once */
  stmt_list inner = {0};
  const tn_node *allocs = block->in[TN_BLOCK_ALLOCS];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    (void)allocate(ir, allocs->in[i], &inner);
  }
  stmt_list parts = {0};
  const tn_node *init = block->in[TN_BLOCK_INIT];
  if (!tn_is_none(init)) {
    const tn_node *cond = is_first(ir, block);
    TN_VEC_PUSH(&parts, tn_is_none(cond) ? init : tn_lower_if(ir, cond, init));
  }
  TN_VEC_PUSH(&parts, block->in[TN_BLOCK_BODY]);
  const tn_node *body = tn_seq(ir, (uint32_t)parts.len, parts.data);
  const tn_node *matches = block->in[TN_BLOCK_MATCHES];
  for (uint32_t i = matches->n_in; i > 0; --i) { /* a later view may lie over an earlier one */
    stmt_list bindings = {0};
    body = apply_match(c, matches->in[i - 1], body, &bindings);
    TN_VEC_PUSH(&bindings, body);
    body = tn_seq(ir, (uint32_t)bindings.len, bindings.data);
    TN_VEC_DEINIT(&bindings);
  }
  TN_VEC_PUSH(&inner, body);
  body = bind_iters(c, block, tn_seq(ir, (uint32_t)inner.len, inner.data), &outer);
  if (!tn_is_int(block->in[TN_BLOCK_PREDICATE], 1)) {
    body = tn_lower_if(ir, block->in[TN_BLOCK_PREDICATE], body);
  }
  TN_VEC_PUSH(&outer, body);
  body = tn_seq(ir, (uint32_t)outer.len, outer.data);
  TN_VEC_DEINIT(&outer);
  TN_VEC_DEINIT(&inner);
  TN_VEC_DEINIT(&parts);
  return body;
}

static const tn_node *block_rule(tn_rewriter *rw, const tn_node *n) {
  return tn_is(n, TN_OP_BLOCK) ? lower_block(rw->ctx, n) : NULL;
}

static tn_status lower(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  blocks_ctx c = {.ir = ir};
  tn_walk_once(ir, func->in[TN_PRIM_FUNC_PARAMS], add_vars, &c);
  tn_walk_once(ir, func->in[TN_PRIM_FUNC_BUFFERS], add_vars, &c);
  (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], add_binders, &c);
  const tn_node *body = tn_rewrite(ir, func->in[TN_PRIM_FUNC_BODY], block_rule, &c);
  tn_map_deinit(&c.bound);
  tn_map_deinit(&c.views);
  if (c.st != NULL) {
    return c.st;
  }
  *out_func = tn_lower_with_body(ir, func, body);
  return NULL;
}

tn_status tn_pass_lower_blocks(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, lower);
}
