/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A loop function as a list of stores. Axes of blocks become what they are bound to, predicates and
 * the moment of init become conditions; what blocks say about regions is not looked at. */
#include "sched/certify_priv.h"
#include "tir/tir.h"

enum { MAX_LOOPS = 64, MAX_KEYS = 32 };

typedef struct walker {
  tn_cf *c;
  tn_cf_func *out;
  tn_map env;  /* id of an axis -> what it is bound to */
  tn_map data; /* ids of the pointers of buffers */
  uint32_t n_loops;
  const tn_cf_loop *loops[MAX_LOOPS];
  uint32_t n_keys;
  const tn_node *keys[MAX_KEYS];
  const tn_node *cond;
  const tn_node *promise;
  const char *name;
  bool is_ok;
} walker;

static void fail(walker *w, const char *what) {
  w->is_ok = tn_cf_fail(w->c, "%s is not looked into (block '%s')", what, w->name);
}

static tn_visit find_strange(const tn_node *n, void *ctx) {
  const char **out_what = ctx;
  if (tn_dtype_lanes(n->dtype) != 1 && n->dtype != TN_DT_NONE) {
    *out_what = "a vector";
  } else if (tn_is(n, TN_OP_LET) || tn_is(n, TN_OP_INVOKE)) {
    *out_what = tn_is(n, TN_OP_LET) ? "a let" : "a call";
  } else if (tn_is(n, TN_OP_INTRIN) && !n->attr.def->is_pure) {
    *out_what = "a call";
  }
  return *out_what != NULL ? TN_STOP : tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

static const tn_node *resolve(walker *w, const tn_node *expr) {
  const char *what = NULL;
  (void)tn_walk_distinct(expr, find_strange, &what);
  if (what != NULL) {
    fail(w, what);
  }
  return tn_subst(w->c->ir, expr, &w->env);
}

/* An expression that decides what runs: it may not come from memory. */
static const tn_node *resolve_pure(walker *w, const tn_node *expr) {
  if ((expr->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0) {
    fail(w, "control that is read from memory");
  }
  return resolve(w, expr);
}

static void add_store(walker *w, const tn_node *n) {
  tn_arena *arena = &w->c->arena;
  const tn_node *buffer = n->in[TN_STORE_BUFFER];
  uint32_t n_dims = n->n_in - TN_STORE_INDICES;
  if (!tn_is_none(n->in[TN_STORE_PREDICATE]) || !tn_map_find(&w->out->depths, buffer->id, NULL)) {
    fail(w, "a store with a mask or to a view");
    return;
  }
  const tn_node **indices = TN_ARENA_ARRAY(arena, const tn_node *, n_dims);
  for (uint32_t d = 0; d < n_dims; ++d) {
    indices[d] = resolve_pure(w, n->in[TN_STORE_INDICES + d]);
  }
  const tn_cf_loop **loops = TN_ARENA_ARRAY(arena, const tn_cf_loop *, w->n_loops);
  const tn_node **keys = TN_ARENA_ARRAY(arena, const tn_node *, w->n_keys);
  for (uint32_t i = 0; i < w->n_loops; ++i) {
    loops[i] = w->loops[i];
  }
  for (uint32_t i = 0; i < w->n_keys; ++i) {
    keys[i] = w->keys[i];
  }
  tn_cf_store *s = TN_ARENA_NEW(arena, tn_cf_store);
  *s = (tn_cf_store){.buffer = buffer,
                     .indices = indices,
                     .value = resolve(w, n->in[TN_STORE_VALUE]),
                     .cond = w->cond,
                     .promise = w->promise,
                     .n_loops = w->n_loops,
                     .loops = loops,
                     .place = (uint32_t)w->out->stores.len,
                     .n_keys = w->n_keys,
                     .keys = keys,
                     .name = w->name};
  TN_VEC_PUSH(&w->out->stores, s);
}

/* Different elements lie at different places, and no other buffer has them. */
static void add_buffer(walker *w, const tn_node *b) {
  const tn_node *strides = b->in[TN_BUFFER_STRIDES];
  const tn_node *shape = b->in[TN_BUFFER_SHAPE];
  bool is_ok = !tn_map_find(&w->data, b->in[TN_BUFFER_DATA]->id, NULL);
  int64_t room = 1; /* elements that the dimensions further in need */
  for (uint32_t d = tn_is(strides, TN_OP_LIST) ? strides->n_in : 0; d > 0 && is_ok; --d) {
    const tn_node *stride = strides->in[d - 1];
    const tn_node *extent = shape->in[d - 1];
    is_ok = tn_is(stride, TN_OP_INT) && tn_is(extent, TN_OP_INT) && stride->attr.i64 >= room &&
            !__builtin_mul_overflow(stride->attr.i64, extent->attr.i64, &room);
  }
  if (!is_ok) {
    fail(w, "memory under two names");
  }
  tn_map_set(&w->data, b->in[TN_BUFFER_DATA]->id, 0);
  tn_map_set(&w->out->depths, b->id, w->n_loops);
}

static void walk(walker *w, const tn_node *s);

static void walk_under(walker *w, const tn_node *cond, const tn_node *body) {
  const tn_node *outer = w->cond;
  w->cond = tn_cf_both(w->c, TN_OP_AND, outer, cond);
  walk(w, body);
  w->cond = outer;
}

static void walk_for(walker *w, const tn_node *n) {
  if (w->n_loops == MAX_LOOPS) {
    fail(w, "so deep a nest");
    return;
  }
  tn_cf_loop *loop = TN_ARENA_NEW(&w->c->arena, tn_cf_loop);
  *loop = (tn_cf_loop){.var = n->in[TN_FOR_VAR],
                       .min = resolve_pure(w, n->in[TN_FOR_MIN]),
                       .extent = resolve_pure(w, n->in[TN_FOR_EXTENT]),
                       .is_shared = n->attr.i64 == TN_FOR_PARALLEL ||
                                    n->attr.i64 == TN_FOR_VECTORIZED ||
                                    n->attr.i64 == TN_FOR_THREAD_BINDING};
  w->loops[w->n_loops++] = loop;
  walk(w, n->in[TN_FOR_BODY]);
  w->n_loops -= 1;
}

/* Binds the axes; returns when init runs (NULL: always). */
static const tn_node *bind_axes(walker *w, const tn_node *iters) {
  const tn_node *first = NULL;
  for (uint32_t i = 0; i < iters->n_in && w->is_ok; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *var = iter->in[TN_ITER_VAR];
    const tn_node *value = resolve_pure(w, iter->in[TN_ITER_BINDING]);
    value = tn_cf_cast(w->c, var->dtype, value);
    if (w->n_keys == MAX_KEYS) {
      fail(w, "a block of so many axes");
      return NULL;
    }
    const tn_node *min = resolve_pure(w, iter->in[TN_ITER_MIN]);
    const tn_node *extent = resolve_pure(w, iter->in[TN_ITER_EXTENT]);
    w->promise = tn_cf_both(w->c, TN_OP_AND, w->promise, tn_cf_within(w->c, value, min, extent));
    if (iter->attr.i64 == TN_ITER_REDUCE) {
      w->keys[w->n_keys++] = value;
      if (!tn_is_int(iter->in[TN_ITER_EXTENT], 1)) {
        first = tn_cf_both(w->c, TN_OP_AND, first, tn_cf_compare(w->c, TN_OP_EQ, value, min));
      }
    }
    tn_map_set(&w->env, var->id, (uint64_t)(uintptr_t)value);
  }
  return first;
}

static void walk_block(walker *w, const tn_node *n) {
  const char *outer_name = w->name;
  uint32_t outer_keys = w->n_keys;
  const tn_node *outer_cond = w->cond;
  const tn_node *outer_promise = w->promise;
  w->name = n->in[TN_BLOCK_LABEL]->attr.text;
  if (n->in[TN_BLOCK_MATCHES]->n_in > 0) {
    fail(w, "a matched buffer");
  }
  const tn_node *pred = resolve_pure(w, n->in[TN_BLOCK_PREDICATE]);
  const tn_node *first = bind_axes(w, n->in[TN_BLOCK_ITERS]);
  if (!tn_is_int(pred, 1)) {
    w->cond = tn_cf_both(w->c, TN_OP_AND, w->cond, pred);
  }
  const tn_node *allocs = n->in[TN_BLOCK_ALLOCS];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    add_buffer(w, allocs->in[i]);
  }
  if (!tn_is_none(n->in[TN_BLOCK_INIT])) {
    walk_under(w, first, n->in[TN_BLOCK_INIT]);
  }
  walk(w, n->in[TN_BLOCK_BODY]);
  w->cond = outer_cond;
  w->promise = outer_promise;
  w->n_keys = outer_keys;
  w->name = outer_name;
}

/* A hint, or a value that nobody takes. */
static bool is_without_effect(const tn_node *value) {
  return (value->flags & TN_NF_EFFECT) == 0 ||
         (tn_is(value, TN_OP_INTRIN) && tn_intrin_of(value)->id == TN_INTRIN_PREFETCH);
}

static void walk(walker *w, const tn_node *s) {
  if (!w->is_ok) {
    return;
  }
  switch ((int)s->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < s->n_in; ++i) {
        walk(w, s->in[i]);
      }
      break;
    case TN_OP_FOR:
      walk_for(w, s);
      break;
    case TN_OP_IF: {
      const tn_node *cond = resolve_pure(w, s->in[TN_IF_COND]);
      walk_under(w, cond, s->in[TN_IF_THEN]);
      if (!tn_is_none(s->in[TN_IF_ELSE])) {
        const tn_node *no =
            tn_node_new(w->c->ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){.i64 = 0}, 1, &cond);
        walk_under(w, no, s->in[TN_IF_ELSE]);
      }
      break;
    }
    case TN_OP_BLOCK:
      walk_block(w, s);
      break;
    case TN_OP_STORE:
      add_store(w, s);
      break;
    case TN_OP_EVAL:
      if (!is_without_effect(s->in[0])) {
        fail(w, "a call");
      }
      break;
    default:
      fail(w, tn_op_info_get((tn_op)s->op)->name);
  }
}

bool tn_cf_flatten(tn_cf *c, const tn_node *func, tn_cf_func *out) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  walker w = {.c = c, .out = out, .name = func->attr.text, .is_ok = true};
  *out = (tn_cf_func){.func = func};
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      add_buffer(&w, buffers->in[i]);
    }
  }
  walk(&w, func->in[TN_PRIM_FUNC_BODY]);
  tn_map_deinit(&w.env);
  tn_map_deinit(&w.data);
  return w.is_ok;
}

void tn_cf_func_deinit(tn_cf_func *f) {
  TN_VEC_DEINIT(&f->stores);
  tn_map_deinit(&f->depths);
}

static tn_visit is_load_of(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

static bool is_same_element(const tn_cf_store *s, const tn_node *n) {
  bool is_same = tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == s->buffer;
  for (uint32_t d = 0; is_same && d < tn_buffer_ndim(s->buffer); ++d) {
    is_same = n->in[TN_LOAD_INDICES + d] == s->indices[d];
  }
  return is_same;
}

const tn_node *tn_cf_contribution(const tn_cf_store *s, tn_op *out_op) {
  const tn_node *v = s->value;
  const tn_node *x = NULL;
  switch ((int)v->op) {
    case TN_OP_ADD:
    case TN_OP_MUL:
    case TN_OP_MIN:
    case TN_OP_MAX:
      x = is_same_element(s, v->in[TN_B]) ? v->in[TN_A] : NULL;
      x = is_same_element(s, v->in[TN_A]) ? v->in[TN_B] : x;
      break;
    case TN_OP_SUB:
      x = is_same_element(s, v->in[TN_A]) ? v->in[TN_B] : NULL;
      break;
    default:
      break;
  }
  /* What is added may not depend on the sum so far. */
  if (x != NULL && !tn_walk_distinct(x, is_load_of, (void *)(uintptr_t)s->buffer)) {
    x = NULL;
  }
  *out_op = (tn_op)v->op;
  return x;
}
