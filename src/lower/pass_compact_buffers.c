/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Scratch memory goes into the innermost loop that uses it up in each round, and is as large as what
 * a round touches: what a schedule that caches part of a buffer means, whose text declares all of
 * it at the function's start.
 *
 *   P = T.allocate([16, 32])                   for i in range(16):
 *   for i in range(16):                            P = T.allocate([1, 32])
 *       for k in range(32):             ->         for k in range(32):
 *           P[i, k] = A[k, i]                          P[0, k] = A[k, i]
 *       for k in range(32):                        for k in range(32):
 *           B[i, k] = P[i, k]                          B[i, k] = P[0, k]
 *
 * Only where it is proved that a round writes each element before it reads it
 * (compact_region.c); else the memory stays. A size that is not known stays an expression. Memory
 * does not go into unrolled or vectorized loops, and stays when something other than loads and
 * stores of scalars names it. Requires: no blocks. Guarantees: the same results. */
#include <string.h>

#include "base/check.h"
#include "lower/compact.h"

enum {
  MAX_PATH = 32,
  MAX_VISITS = 1 << 19 /* in one function; what is left to decide then stays as it is */
};

/* Memory, and what becomes of it. */
typedef struct memory {
  const tn_node *alloc;
  const tn_node *buffer;
  const tn_node *common; /* the innermost statement with all uses; NULL: none yet */
  bool is_escaping;
  const tn_node *into; /* the FOR it goes into; NULL: it stays */
  size_t next;         /* 1 + index of the next one that goes into the same; 0: none */
  const tn_node *made; /* the smaller buffer */
  tn_compact_region region;
} memory;

typedef struct compact_ctx {
  tn_ir *ir;
  tn_arith *arith;
  int64_t n_visits_left;
  TN_VEC(memory) memories;
  tn_map of_buffer; /* id of a buffer -> index of its memory */
  tn_map of_data;   /* id of a handle -> the same */
  tn_map parents;   /* id of a statement -> the statement around it */
  tn_map depths;    /* id of a statement -> how many are around it */
  tn_map seen;      /* expressions looked at in the present statement */
  tn_map into;      /* id of a loop's variable -> 1 + index of the first memory that goes into it */
} compact_ctx;

static memory *find_memory(compact_ctx *c, const tn_map *map, const tn_node *key) {
  uint64_t at = 0;
  return tn_map_find(map, key->id, &at) ? &c->memories.data[at] : NULL;
}

/* ---- uses ---- */

/* Memory laid out row by row under one name. */
static void add_memory(compact_ctx *c, const tn_node *alloc, const tn_node *decl) {
  memory m = {.alloc = alloc, .buffer = decl->in[0]};
  const tn_node *strides = m.buffer->in[TN_BUFFER_STRIDES];
  bool is_plain = m.buffer->in[TN_BUFFER_DATA] == alloc->in[TN_ALLOC_VAR] &&
                  alloc->dtype == m.buffer->dtype && tn_buffer_ndim(m.buffer) <= TN_MAX_NDIM &&
                  tn_is_none(alloc->in[TN_ALLOC_ANNOTATIONS]) &&
                  !(tn_is(strides, TN_OP_LIST) && strides->n_in > 0) &&
                  tn_is_int(m.buffer->in[TN_BUFFER_ELEM_OFFSET], 0);
  if (is_plain) {
    tn_map_set(&c->of_buffer, m.buffer->id, c->memories.len);
    tn_map_set(&c->of_data, alloc->in[TN_ALLOC_VAR]->id, c->memories.len);
    TN_VEC_PUSH(&c->memories, m);
  }
}

static uint64_t depth_of(const compact_ctx *c, const tn_node *stmt) {
  uint64_t depth = 0;
  (void)tn_map_find(&c->depths, stmt->id, &depth);
  return depth;
}

static const tn_node *common_of(const compact_ctx *c, const tn_node *a, const tn_node *b) {
  while (a != b) {
    bool is_a_deeper = depth_of(c, a) >= depth_of(c, b);
    const tn_node **deeper = is_a_deeper ? &a : &b;
    *deeper = tn_lower_map_find(&c->parents, *deeper);
  }
  return a;
}

/* A name other than by a load or store of scalars: the memory stays as it is. */
static void escape(memory *m) {
  if (m != NULL) {
    m->is_escaping = true;
  }
}

static void add_use(compact_ctx *c, const tn_node *access, const tn_node *stmt) {
  memory *m = find_memory(c, &c->of_buffer, access->in[0]);
  if (m == NULL) {
    if (!tn_is(access->in[0], TN_OP_BUFFER)) {
      return;
    }
    escape(find_memory(c, &c->of_data, access->in[0]->in[TN_BUFFER_DATA]));
    return;
  }
  m->common = m->common == NULL ? stmt : common_of(c, m->common, stmt);
  for (uint32_t i = tn_lower_first_index(access); i < access->n_in; ++i) {
    m->is_escaping |= tn_dtype_lanes(access->in[i]->dtype) > 1;
  }
}

/* Looks at an expression, or a statement's own part. */
static void find_uses(compact_ctx *c, const tn_node *n, const tn_node *stmt) {
  if (tn_is(n, TN_OP_VAR)) {
    escape(find_memory(c, &c->of_data, n));
    return;
  }
  if (tn_is(n, TN_OP_BUFFER)) {
    escape(find_memory(c, &c->of_buffer, n));
    escape(find_memory(c, &c->of_data, n->in[TN_BUFFER_DATA]));
    return;
  }
  if (n != stmt && (n->n_in == 0 || tn_map_find(&c->seen, n->id, NULL))) {
    return;
  }
  tn_map_set(&c->seen, n->id, 0);
  bool is_access = tn_lower_is_access(n);
  if (is_access) {
    add_use(c, n, stmt);
  }
  bool is_pointer = tn_is(n, TN_OP_INTRIN) && tn_dtype_is_handle(n->dtype); /* T.address_of */
  for (uint32_t i = is_access ? 1 : 0; i < n->n_in; ++i) {
    if (is_pointer && tn_is(n->in[i], TN_OP_LOAD)) {
      escape(find_memory(c, &c->of_buffer, n->in[i]->in[TN_LOAD_BUFFER]));
    }
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls != TN_CLASS_STMT) {
      find_uses(c, n->in[i], stmt);
    }
  }
}

/* Fills parents, memories and their uses, in the order of the text. */
static void look(compact_ctx *c, const tn_node *n, const tn_node *parent, uint64_t depth) {
  tn_lower_map_set(&c->parents, n, parent);
  tn_map_set(&c->depths, n->id, depth);
  if (tn_is(n, TN_OP_DECL)) { /* another name of memory that was declared already */
    if (!tn_map_find(&c->of_buffer, n->in[0]->id, NULL)) {
      find_uses(c, n->in[0], n);
    }
    return;
  }
  tn_map_clear(&c->seen);
  if (tn_is(n, TN_OP_ALLOC)) {
    find_uses(c, n->in[TN_ALLOC_EXTENTS], n);
    return;
  }
  if (!tn_is(n, TN_OP_SEQ)) {
    find_uses(c, n, n);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_is(n, TN_OP_SEQ) && i + 1 < n->n_in && tn_is(n->in[i], TN_OP_ALLOC) &&
        tn_is(n->in[i + 1], TN_OP_DECL)) {
      add_memory(c, n->in[i], n->in[i + 1]);
    }
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT) {
      look(c, n->in[i], n, depth + 1);
    }
  }
}

/* The loops between the memory's sequence and all its uses, outermost first, as far in as memory
 * may go; how many. */
static uint32_t path_of(const compact_ctx *c, const memory *m, const tn_node **out) {
  const tn_node *top = tn_lower_map_find(&c->parents, m->alloc);
  uint32_t n = 0;
  const tn_node *at = m->common;
  while (at != NULL && at != top) {
    const tn_node *around = tn_lower_map_find(&c->parents, at);
    if (around == NULL) {
      return 0;
    }
    if (tn_is(around, TN_OP_FOR)) {
      bool is_open = around->attr.i64 == TN_FOR_SERIAL || around->attr.i64 == TN_FOR_PARALLEL;
      n = is_open ? n : 0;
      if (is_open && n == MAX_PATH) {
        return 0;
      }
      if (is_open) {
        out[n++] = around;
      }
    } else if (tn_is(around, TN_OP_WHILE)) {
      n = 0;
    }
    at = around;
  }
  for (uint32_t i = 0; i < n / 2; ++i) {
    const tn_node *swap = out[i];
    out[i] = out[n - 1 - i];
    out[n - 1 - i] = swap;
  }
  return n;
}

/* ---- the smaller buffer ---- */

/* Its extent in dimension d: NULL, and the whole dimension, where nothing is gained. */
static const tn_node *extent_of(compact_ctx *c, const memory *m, uint32_t d) {
  const tn_node *lo = m->region.lo[d];
  const tn_node *whole = m->buffer->in[TN_BUFFER_SHAPE]->in[d];
  if (lo == NULL) {
    return NULL;
  }
  const tn_node *extent = tn_binary(c->ir, TN_OP_SUB, m->region.hi[d], lo);
  extent = tn_arith_simplify(c->arith,
                             tn_binary(c->ir, TN_OP_ADD, extent, tn_int(c->ir, extent->dtype, 1)));
  if (!tn_is(extent, TN_OP_INT)) {
    tn_interval iv = tn_arith_bounds(c->arith, extent);
    extent = iv.has_hi && iv.hi >= 1 ? tn_int(c->ir, extent->dtype, iv.hi) : extent;
  }
  if (tn_is(extent, TN_OP_INT) && tn_is(whole, TN_OP_INT)) {
    return extent->attr.i64 < whole->attr.i64 ? extent : NULL;
  }
  return extent == tn_lower_cast(c->ir, extent->dtype, whole) ? NULL : extent;
}

/* True when something is gained: fewer elements, or threads that do not share them. */
static bool make_smaller(compact_ctx *c, memory *m, uint32_t n_path, const tn_node *const *path) {
  const tn_node *in[8];
  const tn_node *shape[TN_MAX_NDIM];
  bool is_gain = false;
  memcpy(in, m->buffer->in, sizeof in);
  for (uint32_t d = 0; d < tn_buffer_ndim(m->buffer); ++d) {
    const tn_node *extent = extent_of(c, m, d);
    is_gain = is_gain || extent != NULL;
    m->region.lo[d] = extent != NULL ? m->region.lo[d] : NULL;
    shape[d] = extent != NULL ? extent : m->buffer->in[TN_BUFFER_SHAPE]->in[d];
  }
  for (uint32_t i = 0; i < n_path; ++i) {
    is_gain = is_gain || path[i]->attr.i64 == TN_FOR_PARALLEL;
  }
  in[TN_BUFFER_SHAPE] = tn_list(c->ir, tn_buffer_ndim(m->buffer), shape);
  m->made = tn_node_with(c->ir, m->buffer, in);
  return is_gain;
}

/* ---- decisions ---- */

static void bind_loop(compact_ctx *c, const tn_node *loop) {
  tn_arith_bind_range(c->arith, loop->in[TN_FOR_VAR], loop->in[TN_FOR_MIN],
                      loop->in[TN_FOR_EXTENT]);
}

/* Binds the loop and those around it, from the outside in; or forgets them. */
static void bind_around(compact_ctx *c, const tn_node *n, bool is_bound) {
  if (n == NULL) {
    return;
  }
  bind_around(c, tn_lower_map_find(&c->parents, n), is_bound);
  if (tn_is(n, TN_OP_FOR) && is_bound) {
    bind_loop(c, n);
  } else if (tn_is(n, TN_OP_FOR)) {
    tn_arith_unbind(c->arith, n->in[TN_FOR_VAR]);
  }
}

static void decide(compact_ctx *c, memory *m) {
  const tn_node *path[MAX_PATH];
  uint32_t n_path = m->is_escaping || m->common == NULL ? 0 : path_of(c, m, path);
  for (; n_path > 0 && m->into == NULL && c->n_visits_left > 0; --n_path) {
    const tn_node *loop = path[n_path - 1];
    const tn_node *body = loop->in[TN_FOR_BODY];
    bind_around(c, loop, true);
    if (tn_loop_exits(body) == 0 &&
        tn_compact_is_private(c->ir, c->arith, m->buffer, body, &c->n_visits_left, &m->region)) {
      m->into = make_smaller(c, m, n_path, path) ? loop : NULL;
      n_path = 1;
    }
    bind_around(c, loop, false);
  }
}

/* ---- the new function ---- */

static const tn_node *use_rule(compact_ctx *c, const tn_node *n) {
  const memory *m = find_memory(c, &c->of_buffer, n->in[0]);
  if (m == NULL || m->into == NULL) {
    return NULL;
  }
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t first = tn_lower_first_index(n);
  for (uint32_t d = 0; d < tn_buffer_ndim(m->buffer); ++d) {
    const tn_node *lo = m->region.lo[d];
    indices[d] = n->in[first + d];
    if (lo != NULL) {
      lo = tn_lower_cast(c->ir, indices[d]->dtype, lo);
      indices[d] = tn_arith_simplify(c->arith, tn_binary(c->ir, TN_OP_SUB, indices[d], lo));
    }
  }
  return tn_lower_access_with(c->ir, n, m->made, tn_buffer_ndim(m->made), indices);
}

/* The loop with the memory that goes into it. */
static const tn_node *loop_rule(compact_ctx *c, const tn_node *n) {
  TN_VEC(const tn_node *) parts = {0};
  uint64_t next = 0;
  (void)tn_map_find(&c->into, n->in[TN_FOR_VAR]->id, &next);
  while (next != 0) {
    const memory *m = &c->memories.data[next - 1];
    const tn_node *in[5];
    memcpy(in, m->alloc->in, sizeof in);
    in[TN_ALLOC_EXTENTS] = m->made->in[TN_BUFFER_SHAPE];
    TN_VEC_PUSH(&parts, tn_node_with(c->ir, m->alloc, in));
    TN_VEC_PUSH(&parts, tn_lower_decl(c->ir, m->made));
    next = m->next;
  }
  if (parts.len == 0) {
    return NULL;
  }
  const tn_node *in[6];
  memcpy(in, n->in, sizeof in);
  TN_VEC_PUSH(&parts, n->in[TN_FOR_BODY]);
  in[TN_FOR_BODY] = tn_seq(c->ir, (uint32_t)parts.len, parts.data);
  TN_VEC_DEINIT(&parts);
  return tn_node_with(c->ir, n, in);
}

static const tn_node *rule(tn_rewriter *rw, const tn_node *n) {
  compact_ctx *c = rw->ctx;
  if (tn_lower_is_access(n)) {
    return use_rule(c, n);
  }
  if (tn_is(n, TN_OP_FOR)) {
    return loop_rule(c, n);
  }
  const memory *m = tn_is(n, TN_OP_ALLOC)  ? find_memory(c, &c->of_data, n->in[TN_ALLOC_VAR])
                    : tn_is(n, TN_OP_DECL) ? find_memory(c, &c->of_buffer, n->in[0])
                                           : NULL;
  return m != NULL && m->into != NULL ? tn_none(rw->ir) : NULL;
}

static tn_status compact_buffers(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  compact_ctx c = {.ir = ir, .arith = tn_arith_new(ir), .n_visits_left = MAX_VISITS};
  bool is_changed = false;
  look(&c, body, NULL, 0);
  for (size_t i = 0; i < c.memories.len; ++i) {
    decide(&c, &c.memories.data[i]);
  }
  for (size_t i = c.memories.len; i-- > 0;) {
    memory *m = &c.memories.data[i];
    if (m->into != NULL) {
      uint64_t next = 0;
      (void)tn_map_find(&c.into, m->into->in[TN_FOR_VAR]->id, &next);
      m->next = next;
      tn_map_set(&c.into, m->into->in[TN_FOR_VAR]->id, i + 1);
      is_changed = true;
    }
  }
  *out_func = is_changed ? tn_lower_with_body(ir, func, tn_rewrite(ir, body, rule, &c)) : func;
  TN_VEC_DEINIT(&c.memories);
  tn_map_deinit(&c.of_buffer);
  tn_map_deinit(&c.of_data);
  tn_map_deinit(&c.parents);
  tn_map_deinit(&c.depths);
  tn_map_deinit(&c.seen);
  tn_map_deinit(&c.into);
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_compact_buffers(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, compact_buffers);
}
