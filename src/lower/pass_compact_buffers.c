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

#include "lower/compact.h"

enum {
  MAX_PATH = 32,
  MAX_VISITS = 1 << 22 /* of nodes, in one function: what is left then stays as it is */
};

typedef struct compact_ctx {
  tn_ir *ir;
  tn_arith *arith;
  uint32_t n_visits;
  /* the memory being looked at */
  const tn_node *alloc;
  const tn_node *buffer;
  bool is_escaping;
  /* the loops around everything that uses it, outermost first */
  uint32_t n_path;
  const tn_node *path[MAX_PATH];
  /* what becomes of it */
  const tn_node *into; /* FOR */
  const tn_node *made; /* the smaller buffer */
  tn_compact_region region;
} compact_ctx;

/* ---- uses ---- */

static tn_visit find_escape(const tn_node *n, void *ctx) {
  compact_ctx *c = ctx;
  const tn_node *data = c->buffer->in[TN_BUFFER_DATA];
  c->is_escaping |= ++c->n_visits > MAX_VISITS;
  if (tn_is(n, TN_OP_BUFFER)) {
    c->is_escaping |= n != c->buffer && n->in[TN_BUFFER_DATA] == data;
    return TN_SKIP;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_name = n->in[i] == data && !(n == c->alloc && i == TN_ALLOC_VAR);
    bool is_place = i == 0 && (tn_lower_is_access(n) || tn_is(n, TN_OP_DECL));
    c->is_escaping |= is_name || (n->in[i] == c->buffer && !is_place);
  }
  if (tn_lower_is_access(n) && n->in[0] == c->buffer) {
    for (uint32_t i = tn_lower_first_index(n); i < n->n_in; ++i) {
      c->is_escaping |= tn_dtype_lanes(n->in[i]->dtype) > 1;
    }
  }
  bool is_pointer = tn_is(n, TN_OP_INTRIN) && n->n_in > 0 && tn_is(n->in[0], TN_OP_LOAD) &&
                    n->in[0]->in[0] == c->buffer && tn_dtype_is_handle(n->dtype);
  c->is_escaping |= is_pointer; /* T.address_of */
  return c->is_escaping ? TN_STOP : TN_DESCEND;
}

static tn_visit find_use(const tn_node *n, void *ctx) {
  compact_ctx *c = ctx;
  ++c->n_visits;
  return tn_lower_is_access(n) && n->in[0] == c->buffer ? TN_STOP : TN_DESCEND;
}

static bool uses(compact_ctx *c, const tn_node *n) { return !tn_walk_distinct(n, find_use, c); }

/* Memory of its own, laid out row by row, that nothing but plain accesses names. */
static bool is_candidate(compact_ctx *c, const tn_node *seq, uint32_t at) {
  const tn_node *decl = at + 1 < seq->n_in ? seq->in[at + 1] : seq;
  c->alloc = seq->in[at];
  if (!tn_is(c->alloc, TN_OP_ALLOC) || !tn_is(decl, TN_OP_DECL) || c->n_visits > MAX_VISITS) {
    return false;
  }
  c->buffer = decl->in[0];
  const tn_node *strides = c->buffer->in[TN_BUFFER_STRIDES];
  c->is_escaping = c->buffer->in[TN_BUFFER_DATA] != c->alloc->in[TN_ALLOC_VAR] ||
                   tn_buffer_ndim(c->buffer) > TN_MAX_NDIM || c->alloc->dtype != c->buffer->dtype ||
                   !tn_is_none(c->alloc->in[TN_ALLOC_ANNOTATIONS]) ||
                   (tn_is(strides, TN_OP_LIST) && strides->n_in > 0) ||
                   !tn_is_int(c->buffer->in[TN_BUFFER_ELEM_OFFSET], 0);
  for (uint32_t i = at; i < seq->n_in && !c->is_escaping; ++i) {
    (void)tn_walk_distinct(seq->in[i], find_escape, c);
  }
  return !c->is_escaping;
}

/* The only one of a sequence's items from `from` on that uses the buffer; NULL: several or none. */
static const tn_node *only_user(compact_ctx *c, const tn_node *seq, uint32_t from) {
  const tn_node *found = NULL;
  for (uint32_t i = from; i < seq->n_in; ++i) {
    if (!uses(c, seq->in[i])) {
      continue;
    }
    if (found != NULL) {
      return NULL;
    }
    found = seq->in[i];
  }
  return found;
}

/* Follows the statements that hold all uses, as long as there is one. */
static void find_path(compact_ctx *c, const tn_node *n) {
  c->n_path = 0;
  while (n != NULL) {
    switch ((int)n->op) {
      case TN_OP_SEQ:
        n = only_user(c, n, 0);
        break;
      case TN_OP_FOR:
        if ((n->attr.i64 != TN_FOR_SERIAL && n->attr.i64 != TN_FOR_PARALLEL) ||
            c->n_path == MAX_PATH || uses(c, n->in[TN_FOR_MIN]) || uses(c, n->in[TN_FOR_EXTENT])) {
          return;
        }
        c->path[c->n_path++] = n;
        n = n->in[TN_FOR_BODY];
        break;
      case TN_OP_IF: {
        bool is_then = uses(c, n->in[TN_IF_THEN]);
        if (uses(c, n->in[TN_IF_COND]) || (is_then && uses(c, n->in[TN_IF_ELSE]))) {
          return;
        }
        n = n->in[is_then ? TN_IF_THEN : TN_IF_ELSE];
        break;
      }
      default:
        return;
    }
  }
}

/* ---- the smaller buffer ---- */

/* Its extent in dimension d: NULL, and the whole dimension, where nothing is gained. */
static const tn_node *extent_of(compact_ctx *c, uint32_t d) {
  const tn_node *lo = c->region.lo[d];
  const tn_node *whole = c->buffer->in[TN_BUFFER_SHAPE]->in[d];
  if (lo == NULL) {
    return NULL;
  }
  const tn_node *extent = tn_binary(c->ir, TN_OP_SUB, c->region.hi[d], lo);
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
static bool make_smaller(compact_ctx *c) {
  const tn_node *in[8];
  const tn_node *shape[TN_MAX_NDIM];
  bool is_gain = false;
  memcpy(in, c->buffer->in, sizeof in);
  for (uint32_t d = 0; d < tn_buffer_ndim(c->buffer); ++d) {
    const tn_node *extent = extent_of(c, d);
    is_gain = is_gain || extent != NULL;
    c->region.lo[d] = extent != NULL ? c->region.lo[d] : NULL;
    shape[d] = extent != NULL ? extent : c->buffer->in[TN_BUFFER_SHAPE]->in[d];
  }
  for (uint32_t i = 0; i < c->n_path; ++i) {
    is_gain = is_gain || c->path[i]->attr.i64 == TN_FOR_PARALLEL;
  }
  in[TN_BUFFER_SHAPE] = tn_list(c->ir, tn_buffer_ndim(c->buffer), shape);
  c->made = tn_node_with(c->ir, c->buffer, in);
  return is_gain;
}

/* ---- the walk ---- */

static void bind_path(compact_ctx *c, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_arith_bind_range(c->arith, c->path[i]->in[TN_FOR_VAR], c->path[i]->in[TN_FOR_MIN],
                        c->path[i]->in[TN_FOR_EXTENT]);
  }
}

static void unbind_path(compact_ctx *c, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    tn_arith_unbind(c->arith, c->path[i]->in[TN_FOR_VAR]);
  }
}

/* Decides what becomes of the memory; false: it stays. */
static bool decide(compact_ctx *c) {
  bool is_gain = false;
  c->into = NULL;
  for (; c->n_path > 0 && c->into == NULL; --c->n_path) {
    const tn_node *loop = c->path[c->n_path - 1];
    bind_path(c, c->n_path);
    if (tn_loop_exits(loop->in[TN_FOR_BODY]) == 0 &&
        tn_compact_is_private(c->ir, c->arith, c->buffer, loop->in[TN_FOR_BODY], &c->region)) {
      c->into = loop;
      is_gain = make_smaller(c);
    }
    unbind_path(c, c->n_path);
  }
  return c->into != NULL && is_gain;
}

static const tn_node *new_alloc(compact_ctx *c) {
  const tn_node *in[5];
  memcpy(in, c->alloc->in, sizeof in);
  in[TN_ALLOC_EXTENTS] = c->made->in[TN_BUFFER_SHAPE];
  return tn_node_with(c->ir, c->alloc, in);
}

static const tn_node *use_rule(tn_rewriter *rw, const tn_node *n) {
  compact_ctx *c = rw->ctx;
  if (!tn_lower_is_access(n) || n->in[0] != c->buffer) {
    return NULL;
  }
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t first = tn_lower_first_index(n);
  for (uint32_t d = 0; d < tn_buffer_ndim(c->buffer); ++d) {
    const tn_node *lo = c->region.lo[d];
    indices[d] = n->in[first + d];
    if (lo != NULL) {
      lo = tn_lower_cast(rw->ir, indices[d]->dtype, lo);
      indices[d] = tn_arith_simplify(c->arith, tn_binary(rw->ir, TN_OP_SUB, indices[d], lo));
    }
  }
  return tn_lower_access_with(rw->ir, n, c->made, tn_buffer_ndim(c->made), indices);
}

static const tn_node *move_rule(tn_rewriter *rw, const tn_node *n) {
  compact_ctx *c = rw->ctx;
  if (tn_is(n, TN_OP_FOR) && n->in[TN_FOR_VAR] == c->into->in[TN_FOR_VAR]) {
    const tn_node *in[6];
    const tn_node *parts[3] = {new_alloc(c), tn_lower_decl(rw->ir, c->made), n->in[TN_FOR_BODY]};
    memcpy(in, n->in, sizeof in);
    in[TN_FOR_BODY] = tn_seq(rw->ir, 3, parts);
    return tn_node_with(rw->ir, n, in);
  }
  return use_rule(rw, n);
}

static const tn_node *stmt(compact_ctx *c, const tn_node *n);

/* The allocations of a sequence one after the other: each may uncover nothing new for those before,
 * since their uses stay where they are. */
static const tn_node *seq(compact_ctx *c, const tn_node *n) {
  for (uint32_t i = 0; tn_is(n, TN_OP_SEQ) && i < n->n_in;) {
    const tn_node *user = is_candidate(c, n, i) ? only_user(c, n, i + 2) : NULL;
    if (user != NULL) {
      find_path(c, user);
    }
    if (user == NULL || !decide(c)) {
      ++i;
      continue;
    }
    TN_VEC(const tn_node *) parts = {0};
    for (uint32_t k = 0; k < n->n_in; ++k) {
      if (k != i && k != i + 1) {
        TN_VEC_PUSH(&parts, n->in[k] == user ? tn_rewrite(c->ir, user, move_rule, c) : n->in[k]);
      }
    }
    n = tn_seq(c->ir, (uint32_t)parts.len, parts.data);
    TN_VEC_DEINIT(&parts);
  }
  return n;
}

static const tn_node *stmt(compact_ctx *c, const tn_node *n) {
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT || n->n_in == 0) {
    return n;
  }
  n = seq(c, n);
  TN_VEC(const tn_node *) in = {0};
  bool is_same = true;
  bool is_loop = tn_is(n, TN_OP_FOR);
  if (is_loop) {
    tn_arith_bind_range(c->arith, n->in[TN_FOR_VAR], n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_VEC_PUSH(&in, stmt(c, n->in[i]));
    is_same = is_same && in.data[i] == n->in[i];
  }
  if (is_loop) {
    tn_arith_unbind(c->arith, n->in[TN_FOR_VAR]);
  }
  if (!is_same) {
    n = tn_is(n, TN_OP_SEQ) ? tn_seq(c->ir, n->n_in, in.data) : tn_node_with(c->ir, n, in.data);
  }
  TN_VEC_DEINIT(&in);
  return n;
}

static tn_status compact_buffers(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  compact_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  *out_func = tn_lower_with_body(ir, func, stmt(&c, func->in[TN_PRIM_FUNC_BODY]));
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_compact_buffers(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, compact_buffers);
}
