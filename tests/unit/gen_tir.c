/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The generator of random loop-level functions: statements and functions; see gen_tir.h for what it
 * makes and why that is always right. */
#include "gen_tir_priv.h"

/* ---- statements ---- */

static const tn_node *stmt_of(gen *g);
static const tn_node *body_of(gen *g, int64_t max_stmts);
static const tn_node *body_within(gen *g, int64_t max_stmts, bool may_break, bool may_continue);

/* A buffer that may be stored to here; NULL: none. */
static gen_buf *pick_target(gen *g) {
  for (int tries = 0; tries < 12 && g->bufs.len > 0; ++tries) {
    gen_buf *b = &g->bufs.data[gen_pick(g, (int64_t)g->bufs.len)];
    if (gen_may_store(g, b)) {
      return b;
    }
  }
  return NULL;
}

static const tn_node *nothing(gen *g) {
  const tn_node *zero = mk_i32(g->ir, 0);
  return MK_NODE(g->ir, TN_OP_EVAL, 0, zero);
}

static const tn_node *store_stmt(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL) {
    return nothing(g);
  }
  gen_buf b = *target;
  const tn_node *indices[MAX_DIMS];
  gen_indices(g, &b, 2, indices);
  const tn_node *value = gen_stored(g, b.node->dtype, 3);
  return mk_store(g->ir, b.node, value, NULL, tn_buffer_ndim(b.node), indices);
}

static const tn_node *vector_stmt(gen *g) {
  static const int64_t widths[] = {2, 4, 3, 8};
  gen_buf *target = pick_target(g);
  int64_t lanes = widths[gen_pick(g, 4)];
  const tn_node *indices[MAX_DIMS];
  if (target == NULL || g->is_vectorized) {
    return store_stmt(g);
  }
  gen_buf b = *target;
  if (!gen_vector_indices(g, &b, lanes, indices)) {
    return store_stmt(g);
  }
  const tn_node *value = gen_stored_vector(g, b.node->dtype, lanes, 2);
  return mk_store(g->ir, b.node, value, gen_predicate(g, lanes), tn_buffer_ndim(b.node), indices);
}

/* A constant extent within what is left of the budget. */
static int64_t pick_extent(gen *g) {
  int64_t extent = 1 + gen_pick(g, MAX_EXTENT);
  return g->n_turns * extent > MAX_TURNS ? 1 : extent;
}

static const tn_node *serial_loop(gen *g) {
  tn_dtype dtype = gen_chance(g, 75) ? TN_DT_I32 : TN_DT_I64;
  const tn_node *size = g->sizes[gen_pick(g, 2)];
  bool is_symbolic = size != NULL && gen_chance(g, 40) && g->n_turns * MAX_EXTENT <= MAX_TURNS;
  int64_t extent = is_symbolic ? MAX_EXTENT : pick_extent(g);
  int64_t min = !is_symbolic && gen_chance(g, 20) ? gen_pick(g, 4) : 0;
  const tn_node *var = tn_var_new(g->ir, gen_fresh(g, "i"), is_symbolic ? size->dtype : dtype);
  bool is_unrolled = !is_symbolic && (g->parts & GEN_TIR_LOOP_KINDS) != 0 && gen_chance(g, 15);
  gen_scope scope = gen_enter(g);
  gen_add_var(g, var, min, min + extent, is_symbolic ? size : NULL);
  g->n_turns *= extent;
  const tn_node *body = body_within(g, 3, !is_unrolled, !is_unrolled);
  g->n_turns /= extent;
  gen_leave(g, scope);
  return tn_for_new(g->ir, is_unrolled ? TN_FOR_UNROLLED : TN_FOR_SERIAL, var,
                    tn_int(g->ir, var->dtype, min),
                    is_symbolic ? size : tn_int(g->ir, dtype, extent), body, NULL, NULL);
}

/* A parallel or vectorized loop over one dimension of one buffer: within it, that buffer is
 * accessed there only, and nothing else from outside is stored to. */
static const tn_node *owned_loop(gen *g, tn_for_kind kind) {
  gen_buf *target = pick_target(g);
  if (target == NULL || tn_buffer_ndim(target->node) == 0 || g->is_vectorized) {
    return serial_loop(g);
  }
  size_t at = (size_t)(target - g->bufs.data);
  const tn_node *shape = target->node->in[TN_BUFFER_SHAPE];
  uint32_t dim = kind == TN_FOR_VECTORIZED ? shape->n_in - 1 : (uint32_t)gen_pick(g, shape->n_in);
  const tn_node *extent = shape->in[dim];
  bool is_const = tn_is(extent, TN_OP_INT);
  int64_t n = is_const ? extent->attr.i64 : MAX_EXTENT;
  if (target->locked[dim] != NULL || g->n_turns * n > MAX_TURNS ||
      (kind == TN_FOR_VECTORIZED && (!is_const || n < 2))) {
    return serial_loop(g);
  }
  bool was_locked = g->is_locked;
  gen_scope scope = gen_enter(g);
  const tn_node *var =
      tn_var_new(g->ir, gen_fresh(g, kind == TN_FOR_VECTORIZED ? "v" : "p"), extent->dtype);
  TN_VEC(gen_buf) saved = {0};
  for (size_t i = 0; i < g->bufs.len; ++i) {
    TN_VEC_PUSH(&saved, g->bufs.data[i]);
    g->bufs.data[i].is_inner = false;
    g->bufs.data[i].can_store = i == at;
    g->bufs.data[i].is_hidden |= i != at && g->bufs.data[i].root == g->bufs.data[at].root;
  }
  g->bufs.data[at].locked[dim] = var;
  g->is_locked = true;
  g->is_vectorized = kind == TN_FOR_VECTORIZED;
  gen_add_var(g, var, 0, n, is_const ? NULL : extent);
  g->n_turns *= n;
  const tn_node *body = body_within(g, 2, false, false);
  g->n_turns /= n;
  g->is_locked = was_locked;
  g->is_vectorized = false;
  gen_leave(g, scope);
  memcpy(g->bufs.data, saved.data, saved.len * sizeof *saved.data);
  TN_VEC_DEINIT(&saved);
  return tn_for_new(g->ir, kind, var, NULL, extent, body, NULL, NULL);
}

/* The way out of the loop, or of the turn, that a statement stands in directly. */
static const tn_node *leave_stmt(gen *g) {
  if (!g->may_break || g->is_vectorized) {
    return store_stmt(g);
  }
  bool is_break = !g->may_continue || gen_chance(g, 50);
  const tn_node *in[] = {gen_bool(g, 2), NULL, tn_none(g->ir)};
  in[TN_IF_THEN] = tn_node_new(g->ir, is_break ? TN_OP_BREAK : TN_OP_CONTINUE, TN_DT_NONE,
                               (tn_attr){0}, 0, NULL);
  return mk_node(g->ir, TN_OP_IF, 0, 3, in);
}

/* The body of something that statements inside cannot leave, or of a loop that they can. */
static const tn_node *body_within(gen *g, int64_t max_stmts, bool may_break, bool may_continue) {
  bool had_break = g->may_break;
  bool had_continue = g->may_continue;
  g->may_break = may_break;
  g->may_continue = may_continue;
  const tn_node *body = body_of(g, max_stmts);
  g->may_break = had_break;
  g->may_continue = had_continue;
  return body;
}

static const tn_node *if_stmt(gen *g) {
  const tn_node *in[] = {gen_bool(g, 2), NULL, tn_none(g->ir)};
  in[TN_IF_THEN] = body_of(g, 2);
  if (gen_chance(g, 50)) {
    in[TN_IF_ELSE] = body_of(g, 2);
  }
  return mk_node(g->ir, TN_OP_IF, 0, 3, in);
}

static const tn_node *bind_stmt(gen *g) {
  tn_dtype dtype = gen_pick_type(g);
  const tn_node *value = gen_value(g, dtype, 2);
  const tn_node *var = tn_var_new(g->ir, gen_fresh(g, "x"), dtype);
  TN_VEC_PUSH(&g->scalars, var);
  return MK_NODE(g->ir, TN_OP_BIND, 0, var, value);
}

/* Stores to every element, so that nothing is read before it is written. */
static const tn_node *fill(gen *g, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *indices[MAX_DIMS];
  gen_scope scope = gen_enter(g);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    indices[i] = tn_var_new(g->ir, gen_fresh(g, "f"), shape->in[i]->dtype);
    gen_add_var(g, indices[i], 0, tn_is(shape->in[i], TN_OP_INT) ? shape->in[i]->attr.i64 : 0,
                tn_is(shape->in[i], TN_OP_INT) ? NULL : shape->in[i]);
  }
  const tn_node *value = gen_stored(g, buffer->dtype, 1);
  const tn_node *body = mk_store(g->ir, buffer, value, NULL, shape->n_in, indices);
  gen_leave(g, scope);
  for (uint32_t i = shape->n_in; i-- > 0;) {
    body = mk_for_n(g->ir, indices[i], shape->in[i], body);
  }
  return body;
}

static const tn_node *new_buffer(gen *g, const char *stem, const tn_node *data, const char *scope) {
  const tn_node *shape[MAX_DIMS];
  uint32_t ndim = (uint32_t)gen_pick(g, 3) + (gen_chance(g, 90) ? 1 : 0);
  ndim = ndim > MAX_DIMS ? MAX_DIMS : ndim;
  for (uint32_t i = 0; i < ndim; ++i) {
    const tn_node *size = g->sizes[gen_pick(g, 2)];
    shape[i] = size != NULL && data == NULL && gen_chance(g, 35)
                   ? size
                   : mk_i32(g->ir, 1 + gen_pick(g, MAX_EXTENT + 3));
  }
  tn_buffer_spec spec = {.name = gen_fresh(g, stem),
                         .dtype = gen_pick_elem_type(g),
                         .ndim = ndim,
                         .shape = shape,
                         .data = data};
  spec.scope = scope;
  return tn_buffer_new(g->ir, &spec);
}

/* Strides with gaps for a buffer of constant extents; *out_size: elements from its first to the end
 * of its last. NULL: it has symbolic extents, or none. */
static const tn_node *gapped_strides(gen *g, const tn_node *shape, int64_t *out_size) {
  const tn_node *strides[MAX_DIMS];
  int64_t stride = 1 + gen_pick(g, 2);
  *out_size = 1;
  for (uint32_t i = shape->n_in; i-- > 0;) {
    if (!tn_is(shape->in[i], TN_OP_INT)) {
      return NULL;
    }
    strides[i] = mk_i32(g->ir, stride);
    *out_size += (shape->in[i]->attr.i64 - 1) * stride;
    stride = stride * shape->in[i]->attr.i64 + gen_pick(g, 3);
  }
  return shape->n_in == 0 ? NULL : tn_list(g->ir, shape->n_in, strides);
}

/* A view with gaps of larger memory. */
static const tn_node *gapped_alloc(gen *g, const tn_node *plain) {
  int64_t size = 0;
  const tn_node *shape = plain->in[TN_BUFFER_SHAPE];
  const tn_node *strides = gapped_strides(g, shape, &size);
  if (strides == NULL) {
    return NULL;
  }
  int64_t offset = gen_pick(g, 4);
  const tn_node *data = tn_var_new(g->ir, gen_fresh(g, "data"), TN_DT_HANDLE);
  tn_buffer_spec spec = {.name = gen_fresh(g, "G"),
                         .dtype = plain->dtype,
                         .ndim = shape->n_in,
                         .shape = shape->in,
                         .data = data,
                         .strides = strides,
                         .elem_offset = mk_i32(g->ir, offset)};
  const tn_node *buffer = tn_buffer_new(g->ir, &spec);
  const tn_node *extent = mk_i32(g->ir, offset + size);
  const tn_node *in[] = {data, tn_list(g->ir, 1, &extent), tn_bool(g->ir, true),
                         tn_str(g->ir, "global"), tn_none(g->ir)};
  const tn_node *alloc = tn_node_new(g->ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){0}, 5, in);
  const tn_node *first = fill(g, buffer);
  gen_add_buf(g, buffer, true);
  return MK_SEQ(g->ir, alloc, MK_NODE(g->ir, TN_OP_DECL, 0, buffer), first);
}

/* allocate and decl_buffer, or allocate_const; the buffer lives to the end of the sequence. */
static const tn_node *alloc_stmt(gen *g) {
  const tn_node *data = tn_var_new(g->ir, gen_fresh(g, "data"), TN_DT_HANDLE);
  const char *scope = gen_chance(g, 30) ? "local" : "global";
  const tn_node *buffer = new_buffer(g, "L", data, scope);
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *decl = MK_NODE(g->ir, TN_OP_DECL, 0, buffer);
  const tn_node *gapped = gen_chance(g, 20) ? gapped_alloc(g, buffer) : NULL;
  if (gapped != NULL) {
    return gapped;
  }
  if (gen_chance(g, 20) && !tn_dtype_is_bool(buffer->dtype) && tn_dtype_lanes(buffer->dtype) == 1) {
    tn_array array = {0};
    int64_t dims[MAX_DIMS];
    for (uint32_t i = 0; i < shape->n_in; ++i) {
      dims[i] = shape->in[i]->attr.i64;
    }
    mk_ok(tn_array_init(&array, buffer->dtype, (int32_t)shape->n_in, dims));
    for (int64_t i = 0; i < tn_array_n_elems(&array); ++i) {
      tn_array_set_i64(&array, i, gen_pick(g, 9));
    }
    const tn_node *constant = tn_const_new(g->ir, &array);
    gen_add_buf(g, buffer, false);
    return MK_SEQ(g->ir, MK_NODE(g->ir, TN_OP_CONST_ALLOC, 0, data, constant), decl);
  }
  const tn_node *in[] = {data, shape, tn_bool(g->ir, true), tn_str(g->ir, scope), tn_none(g->ir)};
  const tn_node *alloc = tn_node_new(g->ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){0}, 5, in);
  const tn_node *first = fill(g, buffer);
  gen_add_buf(g, buffer, true);
  return MK_SEQ(g->ir, alloc, decl, first);
}

/* Counts in a buffer of its own: while c[0] < n: ...; c[0] = c[0] + 1 */
static const tn_node *while_stmt(gen *g) {
  const tn_node *data = tn_var_new(g->ir, gen_fresh(g, "data"), TN_DT_HANDLE);
  const tn_node *zero = mk_i32(g->ir, 0);
  const tn_node *extent = mk_i32(g->ir, 1);
  const tn_node *c = tn_buffer_new(g->ir, &(tn_buffer_spec){.name = gen_fresh(g, "c"),
                                                            .dtype = TN_DT_I32,
                                                            .ndim = 1,
                                                            .shape = &extent,
                                                            .data = data});
  const tn_node *in[] = {data, tn_list(g->ir, 1, &extent), tn_bool(g->ir, true),
                         tn_str(g->ir, "global"), tn_none(g->ir)};
  const tn_node *alloc = tn_node_new(g->ir, TN_OP_ALLOC, TN_DT_I32, (tn_attr){0}, 5, in);
  int64_t n = pick_extent(g);
  gen_scope scope = gen_enter(g);
  gen_add_buf(g, c, false);
  g->n_turns *= n;
  const tn_node *body = body_within(g, 2, true, false); /* the count comes last */
  g->n_turns /= n;
  gen_leave(g, scope);
  const tn_node *count = MK_LOAD(g->ir, c, zero);
  const tn_node *next = MK_STORE(g->ir, c, mk_add(g->ir, count, mk_i32(g->ir, 1)), zero);
  const tn_node *cond = mk_op(g->ir, TN_OP_LT, count, mk_i32(g->ir, n));
  return MK_SEQ(g->ir, alloc, MK_NODE(g->ir, TN_OP_DECL, 0, c), MK_STORE(g->ir, c, zero, zero),
                MK_NODE(g->ir, TN_OP_WHILE, 0, cond, MK_SEQ(g->ir, body, next)));
}

static const tn_node *assert_stmt(gen *g) {
  const tn_node *size = g->sizes[0] != NULL ? g->sizes[0] : mk_i32(g->ir, 3);
  const tn_node *cond = mk_op(g->ir, TN_OP_GE, size, tn_int(g->ir, size->dtype, 1));
  return MK_NODE(g->ir, TN_OP_ASSERT, 0, cond, tn_str(g->ir, "a size is at least 1"));
}

/* ---- blocks ---- */

/* Fills in what the text would leave out. */
static const tn_node *with_regions(gen *g, const tn_node *block) {
  const tn_node *in[TN_BLOCK_BODY + 1];
  memcpy(in, block->in, sizeof in);
  mk_ok(tn_tir_infer_regions(g->ir, block, NULL, NULL, &in[TN_BLOCK_READS], &in[TN_BLOCK_WRITES]));
  return tn_node_with(g->ir, block, in);
}

/* target[axes] = ..., every element once or, with a reduce axis, summed into. Loops may be split in
 * two with a predicate that cuts off the rest. */
typedef struct nest {
  const tn_node *loops[2 * (MAX_DIMS + 1)];
  const tn_node *extents[2 * (MAX_DIMS + 1)];
  uint32_t n_loops;
  const tn_node *iters[MAX_DIMS + 1];
  const tn_node *predicate;
} nest;

static void add_axis(gen *g, nest *n, uint32_t i, tn_iter_kind kind, const tn_node *axis,
                     const tn_node *extent) {
  tn_ir *ir = g->ir;
  const tn_node *binding = tn_var_new(ir, gen_fresh(g, "i"), extent->dtype);
  n->loops[n->n_loops] = binding;
  n->extents[n->n_loops++] = extent;
  if (tn_is(extent, TN_OP_INT) && extent->attr.i64 > 2 && gen_chance(g, 30)) {
    int64_t factor = 2 + gen_pick(g, 2);
    const tn_node *inner = tn_var_new(ir, gen_fresh(g, "i"), extent->dtype);
    n->extents[n->n_loops - 1] =
        tn_int(ir, extent->dtype, (extent->attr.i64 + factor - 1) / factor);
    n->loops[n->n_loops] = inner;
    n->extents[n->n_loops++] = tn_int(ir, extent->dtype, factor);
    binding = mk_add(ir, mk_mul(ir, binding, tn_int(ir, extent->dtype, factor)), inner);
    if (extent->attr.i64 % factor != 0) {
      const tn_node *cut = mk_op(ir, TN_OP_LT, binding, extent);
      n->predicate = n->predicate == NULL ? cut : mk_op(ir, TN_OP_AND, n->predicate, cut);
    }
  }
  n->iters[i] = MK_NODE(ir, TN_OP_ITER, kind, axis, tn_int(ir, extent->dtype, 0), extent, binding);
}

static int64_t bound_of(const tn_node *extent) {
  return tn_is(extent, TN_OP_INT) ? extent->attr.i64 : MAX_EXTENT;
}

/* A buffer of the block's own, filled and read in it. */
static const tn_node *block_alloc(gen *g, const tn_node **out_fill) {
  const tn_node *buffer = new_buffer(g, "S", NULL, gen_chance(g, 50) ? "local" : "global");
  *out_fill = fill(g, buffer);
  gen_add_buf(g, buffer, true);
  return tn_list(g->ir, 1, &buffer);
}

/* One axis a dimension that is not locked, and a reduce axis. Returns how many. */
static uint32_t add_axes(gen *g, const gen_buf *b, bool is_sum, nest *n, const tn_node **indices) {
  const tn_node *shape = b->node->in[TN_BUFFER_SHAPE];
  uint32_t n_axes = 0;
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    const tn_node *extent = shape->in[i];
    if (b->locked[i] != NULL) {
      indices[i] = b->locked[i];
      continue;
    }
    const tn_node *axis = tn_var_new(g->ir, gen_fresh(g, "va"), extent->dtype);
    add_axis(g, n, n_axes++, TN_ITER_SPATIAL, axis, extent);
    indices[i] = axis;
    gen_add_var(g, axis, 0, bound_of(extent), tn_is(extent, TN_OP_INT) ? NULL : extent);
  }
  if (is_sum) {
    const tn_node *axis = mk_var(g->ir, gen_fresh(g, "vk"));
    int64_t extent = 1 + gen_pick(g, 4);
    add_axis(g, n, n_axes++, TN_ITER_REDUCE, axis, mk_i32(g->ir, extent));
    gen_add_var(g, axis, 0, extent, NULL);
  }
  return n_axes;
}

/* An instance of a block reads its own element only of the memory that it writes. */
static void lock_target(gen *g, const gen_buf *target, const tn_node *const *indices) {
  for (size_t i = 0; i < g->bufs.len; ++i) {
    gen_buf *b = &g->bufs.data[i];
    b->is_hidden |= b->node != target->node && b->root == target->root;
    for (uint32_t k = 0; b->node == target->node && k < tn_buffer_ndim(b->node); ++k) {
      b->locked[k] = indices[k];
    }
  }
}

static const tn_node *compute_block(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL || g->is_vectorized) {
    return store_stmt(g);
  }
  gen_buf b = *target;
  tn_ir *ir = g->ir;
  const tn_node *shape = b.node->in[TN_BUFFER_SHAPE];
  nest n = {0};
  int64_t turns = 1;
  gen_scope scope = gen_enter(g);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    turns *= b.locked[i] != NULL ? 1 : bound_of(shape->in[i]);
  }
  bool is_sum =
      gen_chance(g, 50) && !tn_dtype_is_bool(b.node->dtype) && !tn_dtype_is_storage(b.node->dtype);
  if (g->n_turns * turns * 4 > 2 * MAX_TURNS) {
    gen_leave(g, scope);
    return store_stmt(g);
  }
  const tn_node *indices[MAX_DIMS];
  uint32_t n_axes = add_axes(g, &b, is_sum, &n, indices);
  mk_block_spec spec = {
      .name = gen_fresh(g, "B"), .iters = tn_list(ir, n_axes, n.iters), .predicate = n.predicate};
  const tn_node *first = tn_seq(ir, 0, NULL);
  TN_VEC(gen_buf) saved = {0};
  for (size_t i = 0; i < g->bufs.len; ++i) {
    TN_VEC_PUSH(&saved, g->bufs.data[i]);
  }
  lock_target(g, &b, indices);
  if (gen_chance(g, 20)) {
    spec.allocs = block_alloc(g, &first);
  }
  const tn_node *value = gen_stored(g, b.node->dtype, 2);
  if (is_sum) {
    value = mk_add(ir, mk_load(ir, b.node, NULL, shape->n_in, indices), value);
    spec.init = mk_store(ir, b.node, mk_i32(ir, 0), NULL, shape->n_in, indices);
  }
  spec.body =
      MK_SEQ(ir, first,
             mk_store(ir, b.node, tn_dtype_is_float(value->dtype) ? gen_clamp(g, value) : value,
                      NULL, shape->n_in, indices));
  gen_leave(g, scope);
  memcpy(g->bufs.data, saved.data, saved.len * sizeof *saved.data);
  TN_VEC_DEINIT(&saved);
  const tn_node *body = with_regions(g, mk_block(ir, &spec));
  for (uint32_t i = n.n_loops; i-- > 0;) {
    body = mk_for_n(ir, n.loops[i], n.extents[i], body);
  }
  return body;
}

/* A part of a buffer under another name, in an axis-less block. */
static const tn_node *match_block(gen *g) {
  gen_buf *target = pick_target(g);
  if (target == NULL || g->is_locked || tn_buffer_ndim(target->node) == 0) {
    return compute_block(g);
  }
  tn_ir *ir = g->ir;
  gen_buf b = *target;
  const tn_node *shape = b.node->in[TN_BUFFER_SHAPE];
  const tn_node *ranges[MAX_DIMS];
  const tn_node *extents[MAX_DIMS];
  const tn_node *strides[MAX_DIMS];
  uint32_t n_view = shape->n_in;
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    int64_t whole = tn_is(shape->in[i], TN_OP_INT) ? shape->in[i]->attr.i64 : 1;
    int64_t extent = 1 + gen_pick(g, whole);
    const tn_node *min = gen_index(g, mk_i32(ir, whole - extent + 1), 0);
    extents[i] = tn_int(ir, shape->in[i]->dtype, extent);
    ranges[i] = mk_range(ir, mk_cast(ir, shape->in[i]->dtype, min), extents[i]);
  }
  bool drops = n_view > 1 && tn_is_int(extents[0], 1) && gen_chance(g, 60);
  n_view -= drops ? 1 : 0;
  tn_buffer_spec spec = {.name = gen_fresh(g, "V"),
                         .dtype = b.node->dtype,
                         .ndim = n_view,
                         .shape = extents + (drops ? 1 : 0)};
  for (uint32_t i = 0; i < n_view; ++i) {
    strides[i] = mk_var(ir, gen_fresh(g, "s"));
  }
  if (gen_chance(g, 50)) {
    spec.strides = tn_list(ir, n_view, strides);
  }
  spec.elem_offset = mk_var(ir, gen_fresh(g, "off"));
  spec.scope = b.node->in[TN_BUFFER_SCOPE]->attr.text;
  const tn_node *view = tn_buffer_new(ir, &spec);
  const tn_node *match =
      MK_NODE(ir, TN_OP_MATCH, 0, view, tn_region_new(ir, b.node, shape->n_in, ranges));
  gen_scope scope = gen_enter(g);
  gen_add_buf(g, view, true);
  TN_VEC_LAST(&g->bufs).root = b.root;
  mk_block_spec block = {.name = gen_fresh(g, "B"), .matches = tn_list(ir, 1, &match)};
  block.body = body_within(g, 2, false, false);
  gen_leave(g, scope);
  return with_regions(g, mk_block(ir, &block));
}

/* ---- sequences and functions ---- */

static const tn_node *stmt_of(gen *g) {
  bool has_blocks = (g->parts & GEN_TIR_BLOCKS) != 0;
  bool has_kinds = (g->parts & GEN_TIR_LOOP_KINDS) != 0;
  bool is_deep = g->nest >= g->max_nest;
  int64_t kind = gen_pick(g, 100);
  if (kind < 14 && (g->parts & GEN_TIR_VECTORS) != 0) {
    return vector_stmt(g);
  }
  if (kind < 30 || is_deep) {
    return store_stmt(g);
  }
  if (kind < 48) {
    return serial_loop(g);
  }
  if (kind < 58 && has_kinds) {
    return owned_loop(g, TN_FOR_PARALLEL);
  }
  if (kind < 66 && has_kinds) {
    return owned_loop(g, TN_FOR_VECTORIZED);
  }
  if (kind < 72) {
    return if_stmt(g);
  }
  if (kind < 76) {
    return bind_stmt(g);
  }
  if (kind < 80 && !g->is_vectorized) {
    return alloc_stmt(g);
  }
  if (kind < 83 && !g->is_vectorized) {
    return while_stmt(g);
  }
  if (kind < 84) {
    return assert_stmt(g);
  }
  if (kind < 86) {
    return leave_stmt(g);
  }
  if (!has_blocks) {
    return serial_loop(g);
  }
  return kind < 95 ? compute_block(g) : match_block(g);
}

static const tn_node *body_of(gen *g, int64_t max_stmts) {
  const tn_node *stmts[6];
  gen_scope scope = gen_enter(g);
  uint32_t n = (uint32_t)(1 + gen_pick(g, max_stmts));
  ++g->nest;
  for (uint32_t i = 0; i < n; ++i) {
    stmts[i] = stmt_of(g);
  }
  --g->nest;
  gen_leave(g, scope);
  return tn_seq(g->ir, n, stmts);
}

/* One array or scalar for a parameter; sizes[k] has the value values[k]. */
static void make_array(gen *g, const tn_node *buffer, const int64_t *values, tn_array *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  int64_t dims[MAX_DIMS];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    bool is_const = tn_is(shape->in[i], TN_OP_INT);
    dims[i] = is_const ? shape->in[i]->attr.i64 : values[shape->in[i] == g->sizes[0] ? 0 : 1];
  }
  mk_ok(tn_array_init(out, buffer->dtype, (int32_t)shape->n_in, dims));
  for (int64_t i = 0; i < tn_array_n_elems(out); ++i) {
    tn_array_set_i64(out, i, gen_pick(g, 17) - 8);
  }
}

/* Symbolic sizes are bound by the shape of a first buffer that has them all. */
static const tn_node *first_buffer(gen *g) {
  if (g->sizes[0] == NULL) {
    return new_buffer(g, "A", NULL, NULL);
  }
  tn_buffer_spec spec = {
      .name = gen_fresh(g, "A"), .dtype = gen_pick_elem_type(g), .ndim = 2, .shape = g->sizes};
  return tn_buffer_new(g->ir, &spec);
}

/* The same, with strides and an offset that the argument says. */
static const tn_node *strided(gen *g, const tn_node *plain) {
  const tn_node *strides[MAX_DIMS];
  const tn_node *shape = plain->in[TN_BUFFER_SHAPE];
  tn_buffer_spec spec = {
      .name = plain->attr.text, .dtype = plain->dtype, .ndim = shape->n_in, .shape = shape->in};
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    strides[i] = tn_var_new(g->ir, gen_fresh(g, "s"), gen_chance(g, 50) ? TN_DT_I32 : TN_DT_I64);
  }
  if (shape->n_in != 0) {
    spec.strides = tn_list(g->ir, shape->n_in, strides);
  }
  if (tn_dtype_mem_bits(plain->dtype) % 8 == 0 && gen_chance(g, 60)) {
    spec.elem_offset = mk_var(g->ir, gen_fresh(g, "off"));
  }
  return tn_buffer_new(g->ir, &spec);
}

static void make_params(gen *g, const int64_t *values, gen_tir_program *out,
                        const tn_node **params) {
  int32_t n_buffers = 2 + (int32_t)gen_pick(g, 3);
  int32_t n_scalars = (int32_t)gen_pick(g, 3);
  for (int32_t i = 0; i < n_buffers; ++i) {
    params[i] = i == 0 ? first_buffer(g) : new_buffer(g, "A", NULL, NULL);
    params[i] = gen_chance(g, 20) ? strided(g, params[i]) : params[i];
    gen_add_buf(g, params[i], true);
    make_array(g, params[i], values, &out->arrays[i]);
    out->args[i].array = &out->arrays[i];
  }
  for (int32_t i = n_buffers; i < n_buffers + n_scalars; ++i) {
    tn_dtype dtype = gen_chance(g, 50)   ? TN_DT_I32
                     : gen_chance(g, 50) ? TN_DT_F32
                                         : gen_pick_type(g);
    params[i] = tn_var_new(g->ir, gen_fresh(g, "q"), dtype);
    TN_VEC_PUSH(&g->scalars, params[i]);
    int64_t value = tn_dtype_is_bool(dtype) ? gen_pick(g, 2) : gen_pick(g, 9);
    out->args[i] = (tn_tir_arg){.i64 = value, .f64 = (double)value};
  }
  out->n_args = n_buffers + n_scalars;
}

void gen_tir(tn_ir *ir, uint64_t seed, uint32_t parts, const char *name, gen_tir_program *out) {
  gen g = {.ir = ir, .rng = tn_rng_make(seed), .parts = parts, .n_turns = 1};
  const tn_node *params[GEN_TIR_MAX_ARGS];
  int64_t values[] = {1 + gen_pick(&g, MAX_EXTENT), 1 + gen_pick(&g, MAX_EXTENT)};
  *out = (gen_tir_program){0};
  if ((parts & GEN_TIR_SYMBOLIC) != 0 && gen_chance(&g, 50)) {
    tn_dtype dtype = gen_chance(&g, 50) ? TN_DT_I32 : TN_DT_I64;
    g.sizes[0] = tn_var_new(ir, "n", dtype);
    g.sizes[1] = tn_var_new(ir, "m", dtype);
  }
  make_params(&g, values, out, params);
  bool is_small = gen_chance(&g, 65);
  g.max_nest = is_small ? 2 : MAX_NEST;
  const tn_node *stmts[] = {store_stmt(&g), body_of(&g, is_small ? 2 : 5), store_stmt(&g)};
  const tn_node *body = tn_seq(ir, 3, stmts);
  out->func = mk_func(ir, name, body, NULL, (uint32_t)out->n_args, params);
  TN_VEC_DEINIT(&g.bufs);
  TN_VEC_DEINIT(&g.vars);
  TN_VEC_DEINIT(&g.scalars);
}

void gen_tir_copy_args(const gen_tir_program *src, gen_tir_program *out) {
  *out = *src;
  for (int32_t i = 0; i < src->n_args; ++i) {
    if (src->arrays[i].data != NULL) {
      mk_ok(tn_array_init_copy(&out->arrays[i], &src->arrays[i]));
      out->args[i].array = &out->arrays[i];
    }
  }
}

bool gen_tir_same_args(const gen_tir_program *a, const gen_tir_program *b, int32_t *out_arg) {
  for (int32_t i = 0; i < a->n_args; ++i) {
    size_t n_bytes = a->arrays[i].data == NULL ? 0 : tn_array_n_bytes(&a->arrays[i]);
    if (n_bytes != 0 && memcmp(a->arrays[i].data, b->arrays[i].data, n_bytes) != 0) {
      *out_arg = i;
      return false;
    }
  }
  return true;
}

void gen_tir_deinit(gen_tir_program *program) {
  for (int32_t i = 0; i < program->n_args; ++i) {
    if (program->arrays[i].data != NULL) {
      tn_array_deinit(&program->arrays[i]);
    }
  }
  *program = (gen_tir_program){0};
}
