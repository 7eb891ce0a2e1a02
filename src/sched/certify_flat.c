/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A loop function as a list of stores. Axes of blocks become what they are bound to, predicates and
 * the moment of init become conditions; what blocks say about regions is not looked at. */
#include "sched/certify_priv.h"

/* ---- conditions ---- */

static const tn_node *cast(tn_cf *c, tn_dtype dtype, const tn_node *n) {
  return n->dtype == dtype ? n : tn_node_new(c->ir, TN_OP_CAST, dtype, (tn_attr){0}, 1, &n);
}

const tn_node *tn_cf_and(tn_cf *c, const tn_node *a, const tn_node *b) {
  return a == NULL || b == NULL ? (a == NULL ? b : a) : tn_binary(c->ir, TN_OP_AND, a, b);
}

const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond) {
  return tn_node_new(c->ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){0}, 1, &cond);
}

const tn_node *tn_cf_compare(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_binary(c->ir, op, cast(c, TN_DT_I64, a), cast(c, TN_DT_I64, b));
}

const tn_node *tn_cf_equal(tn_cf *c, uint32_t n, const tn_node *const *a, const tn_node *const *b) {
  const tn_node *all = NULL;
  for (uint32_t i = 0; i < n; ++i) {
    all = tn_cf_and(c, all, tn_cf_compare(c, TN_OP_EQ, a[i], b[i]));
  }
  return all;
}

const tn_node *tn_cf_within(tn_cf *c, const tn_node *n, const tn_node *min, const tn_node *extent) {
  const tn_node *zero = tn_int(c->ir, TN_DT_I64, 0);
  const tn_node *offset = tn_cf_compare(c, TN_OP_SUB, n, min == NULL ? zero : min);
  return tn_cf_and(c, tn_cf_compare(c, TN_OP_GE, offset, zero),
                   tn_cf_compare(c, TN_OP_LT, offset, extent));
}

const tn_node *tn_cf_load(tn_cf *c, const tn_node *buffer, const tn_node *const *indices) {
  const tn_node *in[TN_LOAD_INDICES + TN_MAX_NDIM] = {buffer, tn_none(c->ir)};
  uint32_t n = TN_LOAD_INDICES + tn_buffer_ndim(buffer);
  for (uint32_t i = TN_LOAD_INDICES; i < n; ++i) {
    in[i] = indices[i - TN_LOAD_INDICES];
  }
  return tn_node_new(c->ir, TN_OP_LOAD, buffer->dtype, (tn_attr){0}, n, in);
}

static tn_visit find_buffer(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

bool tn_cf_mentions(const tn_node *n, const tn_node *buffer) {
  return n != NULL && !tn_walk_distinct(n, find_buffer, (void *)(uintptr_t)buffer);
}

/* ---- statements ---- */

typedef struct walker {
  tn_cf *c;
  tn_cf_func *out;
  tn_cf_store now; /* what a store here would be */
  const char *strange;
} walker;

/* Whatever else is not affine makes no proof wrong: it is not proved. */
static tn_visit find_strange(const tn_node *n, void *ctx) {
  walker *w = ctx;
  bool is_call = tn_is(n, TN_OP_INVOKE) || (tn_is(n, TN_OP_INTRIN) && !n->attr.def->is_pure &&
                                            tn_intrin_of(n)->id != TN_INTRIN_PREFETCH); /* a hint */
  bool is_vector = tn_dtype_lanes(n->dtype) > 1 ||
                   (tn_is(n, TN_OP_STORE) && !tn_is_none(n->in[TN_STORE_PREDICATE]));
  bool is_match = tn_is(n, TN_OP_MATCH);
  w->strange = is_vector ? "a vector" : is_call ? "a call" : is_match ? "a matched buffer" : NULL;
  return w->strange == NULL ? TN_DESCEND : TN_STOP;
}

/* Different elements lie at different places, and no other buffer has them. */
static void add_buffer(walker *w, const tn_node *b) {
  uint64_t data = b->in[TN_BUFFER_DATA]->id;
  const tn_node *strides = b->in[TN_BUFFER_STRIDES];
  int64_t room = 1; /* elements that the dimensions further in need */
  bool is_ok = !tn_map_find(&w->out->depths, data, NULL);
  for (uint32_t d = strides->n_in; d > 0 && is_ok; --d) {
    const tn_node *extent = b->in[TN_BUFFER_SHAPE]->in[d - 1];
    const tn_node *stride = strides->in[d - 1];
    is_ok = tn_is(stride, TN_OP_INT) && stride->attr.i64 >= room && tn_is(extent, TN_OP_INT) &&
            !__builtin_mul_overflow(stride->attr.i64, extent->attr.i64, &room);
  }
  w->strange = is_ok ? w->strange : "memory under two names";
  tn_map_set(&w->out->depths, data, w->now.n_loops);
}

static tn_cf_store *add(walker *w, const tn_node *value) {
  tn_cf_store *s = TN_ARENA_NEW(&w->c->arena, tn_cf_store);
  *s = w->now;
  s->value = value;
  s->place = w->out->stores.len;
  TN_VEC_PUSH(&w->out->stores, s);
  return s;
}

/* What decides what runs, or which element is written. */
static const tn_node *control(walker *w, const tn_node *n) {
  bool is_read = n != NULL && (n->flags & TN_NF_READS) != 0;
  w->strange = is_read ? "control that is read from memory" : w->strange;
  return n;
}

/* buffer[w] = buffer[w] op x adds x, which may not depend on the sum so far. The element is a LOAD,
 * and LOADs are interned: the same one is the same pointer. */
static void add_store(walker *w, const tn_node *n) {
  const tn_node *v = n->in[TN_STORE_VALUE];
  tn_cf_store *s = add(w, v);
  s->buffer = n->in[TN_STORE_BUFFER];
  s->element = tn_cf_load(w->c, s->buffer, n->in + TN_STORE_INDICES);
  s->op = (tn_op)v->op;
  bool is_either =
      s->op == TN_OP_ADD || s->op == TN_OP_MUL || s->op == TN_OP_MIN || s->op == TN_OP_MAX;
  if ((is_either || s->op == TN_OP_SUB) && v->in[TN_A] == s->element) {
    s->added = v->in[TN_B];
  } else if (is_either && v->in[TN_B] == s->element) {
    s->added = v->in[TN_A];
  }
  s->added = tn_cf_mentions(s->added, s->buffer) ? NULL : s->added;
  for (uint32_t i = TN_STORE_INDICES; i < n->n_in; ++i) {
    (void)control(w, n->in[i]);
  }
}

static void walk(walker *w, const tn_node *s);

static void walk_under(walker *w, const tn_node *cond, const tn_node *body) {
  const tn_cf_store outer = w->now;
  w->now.cond = tn_cf_and(w->c, outer.cond, control(w, cond));
  walk(w, body);
  w->now = outer;
}

/* Puts what the axes are bound to in their place. */
static void walk_block(walker *w, const tn_node *n) {
  tn_cf *c = w->c;
  const tn_cf_store outer = w->now;
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  const tn_node *first = NULL; /* when init runs; NULL: always */
  const tn_node *within = NULL;
  tn_map map = {0};
  w->now.name = n->in[TN_BLOCK_LABEL]->attr.text;
  w->now.cond = tn_cf_and(c, w->now.cond, control(w, n->in[TN_BLOCK_PREDICATE]));
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *var = iter->in[TN_ITER_VAR];
    const tn_node *min = iter->in[TN_ITER_MIN];
    const tn_node *extent = iter->in[TN_ITER_EXTENT];
    const tn_node *value = cast(c, var->dtype, iter->in[TN_ITER_BINDING]);
    within = tn_cf_and(c, within, tn_cf_within(c, value, min, extent));
    if (iter->attr.i64 == TN_ITER_REDUCE && !tn_is_int(extent, 1)) {
      first = tn_cf_and(c, first, tn_cf_compare(c, TN_OP_EQ, value, min));
    }
    if (iter->attr.i64 == TN_ITER_REDUCE && w->now.n_keys < TN_CF_MAX_KEYS) {
      w->now.keys[w->now.n_keys++] = value;
    }
    tn_map_set(&map, var->id, (uint64_t)(uintptr_t)value);
  }
  for (uint32_t i = 0; i < n->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    add_buffer(w, n->in[TN_BLOCK_ALLOCS]->in[i]);
  }
  add(w, within);
  walk_under(w, first, tn_subst(c->ir, n->in[TN_BLOCK_INIT], &map));
  walk(w, tn_subst(c->ir, n->in[TN_BLOCK_BODY], &map));
  w->now = outer;
  tn_map_deinit(&map);
}

static void walk(walker *w, const tn_node *s) {
  switch ((int)s->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < s->n_in; ++i) {
        walk(w, s->in[i]);
      }
      break;
    case TN_OP_FOR:
      w->strange = w->now.n_loops == TN_CF_MAX_LOOPS ? "so deep a nest" : w->strange;
      (void)control(w, s->in[TN_FOR_MIN]);
      (void)control(w, s->in[TN_FOR_EXTENT]);
      if (w->strange == NULL) {
        w->now.loops[w->now.n_loops++] = s;
        walk(w, s->in[TN_FOR_BODY]);
        w->now.n_loops -= 1;
      }
      break;
    case TN_OP_IF:
      walk_under(w, s->in[TN_IF_COND], s->in[TN_IF_THEN]);
      walk_under(w, tn_cf_not(w->c, s->in[TN_IF_COND]), s->in[TN_IF_ELSE]);
      break;
    case TN_OP_BLOCK:
      walk_block(w, s);
      break;
    case TN_OP_STORE:
      add_store(w, s);
      break;
    case TN_OP_NONE:
    case TN_OP_EVAL: /* a value that nobody takes */
      break;
    default:
      w->strange = tn_op_info_get((tn_op)s->op)->name;
  }
}

bool tn_cf_flatten(tn_cf *c, const tn_node *func, tn_cf_func *out) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  walker w = {.c = c, .out = out, .now = {.name = func->attr.text}};
  *out = (tn_cf_func){.func = func};
  if (tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], find_strange, &w)) {
    for (uint32_t i = 0; i < buffers->n_in; ++i) {
      if (!tn_is_none(buffers->in[i])) {
        add_buffer(&w, buffers->in[i]);
      }
    }
    walk(&w, func->in[TN_PRIM_FUNC_BODY]);
  }
  return w.strange == NULL || TN_CF_FAIL(c, "%s is not looked into", w.strange);
}
