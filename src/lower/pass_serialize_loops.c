/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A parallel loop whose rounds share scratch memory becomes a serial one, so that results do not
 * depend on how far compact_buffers came:
 *
 *   P = T.allocate([8])                        P = T.allocate([8])
 *   for i in T.parallel(4):                    for i in range(4):
 *       for k in range(8):             ->          for k in range(8):
 *           P[k * 5 % 8] = A[i, k]                     P[k * 5 % 8] = A[i, k]
 *       for k in range(8): ..                      for k in range(8): ..
 *
 * That is memory which is allocated outside of the loop and used inside of it alone: a schedule
 * takes it for each round's own (sched/private.c). The loop stays parallel when each round has a
 * part of a dimension to itself, by the form of the indices (i * 8 + k, k < 8). Memory that something
 * other than loads and stores reaches, by a pointer or under another name, is taken for shared.
 * Memory that is used outside of the loop too holds results: who wrote or made the loop parallel
 * said that its rounds do not meet there. Requires: no blocks. Guarantees: the same results, also
 * when rounds run at once. */
#include "base/check.h"
#include "lower/lower_priv.h"

enum { MAX_LOOPS = 64 };

/* Memory that an ALLOC makes. */
typedef struct memory {
  uint64_t n_uses;       /* in the function */
  uint64_t n_inside;     /* in the loop at hand */
  const tn_node *buffer; /* its name there; NULL: none yet */
  bool is_written;
  bool is_shared; /* as far as is known */
  bool is_local;  /* allocated in the loop */
  bool is_moving[TN_MAX_NDIM];
  tn_reach spans[TN_MAX_NDIM];
} memory;

typedef struct serialize_ctx {
  tn_ir *ir;
  tn_arith *arith;
  TN_VEC(memory) memories;
  tn_map of_data; /* id of a handle -> index of its memory */
  tn_map seen;    /* expressions looked at in the present statement */
  tn_map bound;   /* ids of variables that something else than a loop binds in the loop at hand */
  const tn_node *loop; /* at hand; NULL: the function is counted */
  uint32_t n_vars;
  const tn_node *vars[MAX_LOOPS]; /* of the loop at hand and those inside, outermost first */
} serialize_ctx;

static memory *find_memory(serialize_ctx *c, const tn_node *data) {
  uint64_t at = 0;
  return tn_map_find(&c->of_data, data->id, &at) ? &c->memories.data[at] : NULL;
}

static tn_visit find_bound(const tn_node *n, void *ctx) {
  const serialize_ctx *c = ctx;
  return tn_is(n, TN_OP_VAR) && tn_map_find(&c->bound, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

/* ---- uses ---- */

/* Which part of dimension d a round reaches there. */
static bool find_reach(serialize_ctx *c, const tn_node *index, tn_reach *out) {
  int64_t width = 0;
  if (tn_is(index, TN_OP_RAMP)) {
    const tn_node *stride = index->in[TN_RAMP_STRIDE];
    if (!tn_is(stride, TN_OP_INT) || stride->attr.i64 < 0 ||
        __builtin_mul_overflow(stride->attr.i64, (int64_t)tn_dtype_lanes(index->dtype) - 1,
                               &width)) {
      return false;
    }
    index = index->in[TN_RAMP_BASE];
  }
  index = tn_arith_simplify(c->arith, index);
  return c->n_vars <= MAX_LOOPS && tn_arith_reach(c->arith, index, c->n_vars, c->vars, out) &&
         tn_walk_distinct(out->base, find_bound, c) &&
         !__builtin_add_overflow(out->hi, width, &out->hi);
}

static void add_access(serialize_ctx *c, memory *m, const tn_node *access) {
  const tn_node *buffer = access->in[0];
  uint32_t first = tn_lower_first_index(access);
  bool is_first = m->buffer == NULL;
  m->is_written |= tn_is(access, TN_OP_STORE);
  m->is_shared |= !is_first && m->buffer != buffer;
  m->is_shared |= buffer->in[TN_BUFFER_STRIDES]->n_in > 0; /* dimensions may lie in each other */
  m->buffer = buffer;
  for (uint32_t d = 0; d < tn_buffer_ndim(buffer) && !m->is_shared; ++d) {
    tn_reach span;
    bool is_known = (is_first || m->is_moving[d]) && find_reach(c, access->in[first + d], &span);
    if (is_known && is_first) {
      m->spans[d] = span;
    }
    m->is_moving[d] = is_known && tn_reach_join(&m->spans[d], &span);
  }
}

static void add_use(serialize_ctx *c, const tn_node *data, const tn_node *access) {
  memory *m = find_memory(c, data);
  if (m == NULL) {
    return;
  }
  if (c->loop == NULL) {
    ++m->n_uses;
    return;
  }
  ++m->n_inside;
  if (access == NULL) {
    m->is_shared = true;
    m->is_written = true;
  } else {
    add_access(c, m, access);
  }
}

/* An expression, or a statement's own part. */
static void find_uses(serialize_ctx *c, const tn_node *n, const tn_node *stmt) {
  if (tn_is(n, TN_OP_VAR)) {
    add_use(c, n, NULL);
    return;
  }
  if (tn_is(n, TN_OP_BUFFER)) {
    add_use(c, n->in[TN_BUFFER_DATA], NULL);
    return;
  }
  if (n != stmt && (n->n_in == 0 || tn_map_find(&c->seen, n->id, NULL))) {
    return;
  }
  tn_map_set(&c->seen, n->id, 0);
  if (tn_is(n, TN_OP_LET)) {
    tn_map_set(&c->bound, n->in[TN_LET_VAR]->id, 0);
  }
  bool is_access = tn_lower_is_access(n) && tn_is(n->in[0], TN_OP_BUFFER);
  bool is_pointer = tn_is(n, TN_OP_INTRIN) && tn_dtype_is_handle(n->dtype); /* T.address_of */
  for (uint32_t i = is_access ? 1 : 0; i < n->n_in; ++i) {
    if (is_pointer && tn_is(n->in[i], TN_OP_LOAD)) {
      add_use(c, n->in[i]->in[TN_LOAD_BUFFER]->in[TN_BUFFER_DATA], NULL);
    }
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls != TN_CLASS_STMT) {
      find_uses(c, n->in[i], stmt);
    }
  }
  if (is_access) { /* last: variables that a LET in its index binds are known */
    add_use(c, n->in[0]->in[TN_BUFFER_DATA], n);
  }
}

static void look(serialize_ctx *c, const tn_node *n);

static void look_below(serialize_ctx *c, const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT) {
      look(c, n->in[i]);
    }
  }
}

static void look_into_loop(serialize_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_FOR_VAR];
  if (c->n_vars < MAX_LOOPS) {
    c->vars[c->n_vars] = var;
  }
  ++c->n_vars;
  tn_arith_bind_range(c->arith, var, n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  look(c, n->in[TN_FOR_BODY]);
  tn_arith_unbind(c->arith, var);
  --c->n_vars;
}

/* Counts uses below a statement. */
static void look(serialize_ctx *c, const tn_node *n) {
  if (tn_is(n, TN_OP_DECL)) {
    return; /* a name; what uses it counts */
  }
  tn_map_clear(&c->seen);
  if (tn_is(n, TN_OP_ALLOC)) {
    memory *m = find_memory(c, n->in[TN_ALLOC_VAR]);
    if (m == NULL) {
      tn_map_set(&c->of_data, n->in[TN_ALLOC_VAR]->id, c->memories.len);
      TN_VEC_PUSH(&c->memories, (memory){0});
    } else {
      m->is_local = c->loop != NULL;
    }
    find_uses(c, n->in[TN_ALLOC_EXTENTS], n);
    return;
  }
  if (tn_is(n, TN_OP_BIND)) {
    tn_map_set(&c->bound, n->in[TN_BIND_VAR]->id, 0);
  }
  if (!tn_is(n, TN_OP_SEQ)) {
    find_uses(c, n, n);
  }
  if (tn_is(n, TN_OP_FOR)) {
    look_into_loop(c, n);
  } else {
    look_below(c, n);
  }
}

/* ---- decisions ---- */

static bool is_apart(const memory *m) {
  for (uint32_t d = 0; m->buffer != NULL && d < tn_buffer_ndim(m->buffer); ++d) {
    if (m->is_moving[d] && tn_reach_is_apart(&m->spans[d])) {
      return true;
    }
  }
  return false;
}

static bool shares_memory(serialize_ctx *c, const tn_node *loop) {
  bool is_found = false;
  for (size_t i = 0; i < c->memories.len; ++i) {
    c->memories.data[i] = (memory){.n_uses = c->memories.data[i].n_uses};
  }
  tn_map_clear(&c->bound);
  c->loop = loop;
  look_into_loop(c, loop);
  for (size_t i = 0; i < c->memories.len && !is_found; ++i) {
    const memory *m = &c->memories.data[i];
    is_found = m->n_inside > 0 && m->n_inside == m->n_uses && m->is_written && !m->is_local &&
               (m->is_shared || !is_apart(m));
  }
  return is_found;
}

static const tn_node *rule(tn_rewriter *rw, const tn_node *n) {
  serialize_ctx *c = rw->ctx;
  if (!tn_is(n, TN_OP_FOR) || n->attr.i64 != TN_FOR_PARALLEL || !shares_memory(c, n)) {
    return NULL;
  }
  const tn_node *serial =
      tn_node_new(rw->ir, TN_OP_FOR, n->dtype, (tn_attr){.i64 = TN_FOR_SERIAL}, n->n_in, n->in);
  tn_ir_set_pos(rw->ir, serial, tn_ir_pos(rw->ir, n));
  return serial;
}

static tn_status serialize_loops(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  serialize_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  look(&c, body);
  *out_func = func;
  if (c.memories.len > 0) {
    const tn_node *made = tn_rewrite(ir, body, rule, &c);
    *out_func = made == body ? func : tn_lower_with_body(ir, func, made);
  }
  TN_VEC_DEINIT(&c.memories);
  tn_map_deinit(&c.of_data);
  tn_map_deinit(&c.seen);
  tn_map_deinit(&c.bound);
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_serialize_loops(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, serialize_loops);
}
