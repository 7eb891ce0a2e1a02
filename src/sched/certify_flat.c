/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A loop function as a list of stores. Axes of blocks become what they are bound to, predicates and
 * the moment of init become conditions; what blocks say about regions is not looked at. */
#include <stdarg.h>

#include "sched/certify_priv.h"
#include "tir/tir.h"

bool tn_cf_fail(tn_cf *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (c->why.len == 0) {
    tn_buf_vprintf(&c->why, fmt, args);
  }
  va_end(args);
  return false;
}

/* ---- conditions ---- */

static const tn_node *cast(tn_cf *c, tn_dtype dtype, const tn_node *value) {
  return value->dtype == dtype
             ? value
             : tn_node_new(c->ir, TN_OP_CAST, dtype, (tn_attr){.i64 = 0}, 1, &value);
}

const tn_node *tn_cf_and(tn_cf *c, const tn_node *a, const tn_node *b) {
  return a == NULL || b == NULL ? (a == NULL ? b : a) : tn_binary(c->ir, TN_OP_AND, a, b);
}

const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond) {
  return tn_node_new(c->ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){.i64 = 0}, 1, &cond);
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

const tn_node *tn_cf_within(tn_cf *c, const tn_node *value, const tn_node *min,
                            const tn_node *extent) {
  const tn_node *offset =
      tn_binary(c->ir, TN_OP_SUB, cast(c, TN_DT_I64, value), cast(c, TN_DT_I64, min));
  return tn_cf_and(c, tn_cf_compare(c, TN_OP_GE, offset, tn_int(c->ir, TN_DT_I64, 0)),
                   tn_cf_compare(c, TN_OP_LT, offset, extent));
}

const tn_node *tn_cf_load(tn_cf *c, const tn_node *buffer, const tn_node *const *indices) {
  const tn_node *in[TN_LOAD_INDICES + TN_MAX_NDIM] = {buffer, tn_none(c->ir)};
  uint32_t n = tn_buffer_ndim(buffer);
  for (uint32_t d = 0; d < n; ++d) {
    in[TN_LOAD_INDICES + d] = indices[d];
  }
  return tn_node_new(c->ir, TN_OP_LOAD, buffer->dtype, (tn_attr){.i64 = 0}, TN_LOAD_INDICES + n,
                     in);
}

/* ---- statements ---- */

typedef struct walker {
  tn_cf *c;
  tn_cf_func *out;
  tn_map data;     /* ids of the pointers of buffers */
  tn_cf_store now; /* what a store here would be */
  const char *strange;
} walker;

/* Whatever else is not affine makes no proof wrong: it is not proved. */
static tn_visit find_strange(const tn_node *n, void *ctx) {
  walker *w = ctx;
  bool is_call = tn_is(n, TN_OP_INVOKE) || (tn_is(n, TN_OP_INTRIN) && !n->attr.def->is_pure &&
                                            tn_intrin_of(n)->id != TN_INTRIN_PREFETCH); /* a hint */
  bool is_masked = tn_is(n, TN_OP_STORE) && !tn_is_none(n->in[TN_STORE_PREDICATE]);
  w->strange = tn_dtype_lanes(n->dtype) > 1 || is_masked ? "a vector"
               : is_call                                 ? "a call"
               : tn_is(n, TN_OP_MATCH)                   ? "a matched buffer"
                                                         : w->strange;
  return w->strange == NULL ? TN_DESCEND : TN_STOP;
}

/* Different elements lie at different places, and no other buffer has them. */
static void add_buffer(walker *w, const tn_node *b) {
  uint64_t data = b->in[TN_BUFFER_DATA]->id;
  const tn_node *strides = b->in[TN_BUFFER_STRIDES];
  int64_t room = 1; /* elements that the dimensions further in need */
  bool is_ok = !tn_map_find(&w->data, data, NULL);
  for (uint32_t d = strides->n_in; d > 0 && is_ok; --d) {
    const tn_node *extent = b->in[TN_BUFFER_SHAPE]->in[d - 1];
    is_ok = tn_is(strides->in[d - 1], TN_OP_INT) && strides->in[d - 1]->attr.i64 >= room &&
            tn_is(extent, TN_OP_INT) &&
            !__builtin_mul_overflow(strides->in[d - 1]->attr.i64, extent->attr.i64, &room);
  }
  w->strange = is_ok ? w->strange : "memory under two names";
  tn_map_set(&w->data, data, 0);
  tn_map_set(&w->out->depths, b->id, w->now.n_loops);
}

static tn_cf_store *here(const walker *w, const tn_node *value) {
  tn_cf_store *s = TN_ARENA_NEW(&w->c->arena, tn_cf_store);
  *s = w->now;
  s->value = value;
  s->place = w->out->stores.len;
  return s;
}

/* What decides what runs, or which element is written. */
static const tn_node *control(walker *w, const tn_node *n) {
  bool is_read = n != NULL && (n->flags & TN_NF_READS) != 0;
  w->strange = is_read ? "control that is read from memory" : w->strange;
  return n;
}

static void add_store(walker *w, const tn_node *n) {
  const tn_node *buffer = n->in[TN_STORE_BUFFER];
  tn_cf_store *s = here(w, n->in[TN_STORE_VALUE]);
  s->element = tn_cf_load(w->c, buffer, n->in + TN_STORE_INDICES);
  for (uint32_t i = TN_STORE_INDICES; i < n->n_in; ++i) {
    (void)control(w, n->in[i]);
  }
  if (!tn_map_find(&w->out->depths, buffer->id, NULL)) {
    w->strange = "a buffer that is declared";
  }
  TN_VEC_PUSH(&w->out->stores, s);
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
  const tn_node *allocs = n->in[TN_BLOCK_ALLOCS];
  const tn_node *first = NULL; /* when init runs; NULL: always */
  const tn_node *all_within = NULL;
  tn_map map = {0};
  w->now.name = n->in[TN_BLOCK_LABEL]->attr.text;
  w->now.cond = tn_cf_and(c, w->now.cond, control(w, n->in[TN_BLOCK_PREDICATE]));
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    const tn_node *var = iter->in[TN_ITER_VAR];
    const tn_node *value = cast(c, var->dtype, iter->in[TN_ITER_BINDING]);
    const tn_node *within = tn_cf_within(c, value, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
    all_within = tn_cf_and(c, all_within, within);
    if (iter->attr.i64 == TN_ITER_REDUCE && !tn_is_int(iter->in[TN_ITER_EXTENT], 1)) {
      first = tn_cf_and(c, first, tn_cf_compare(c, TN_OP_EQ, value, iter->in[TN_ITER_MIN]));
    }
    if (iter->attr.i64 == TN_ITER_REDUCE && w->now.n_keys < TN_CF_MAX_KEYS) {
      w->now.keys[w->now.n_keys++] = value;
    }
    tn_map_set(&map, var->id, (uint64_t)(uintptr_t)value);
  }
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    add_buffer(w, allocs->in[i]);
  }
  TN_VEC_PUSH(&w->out->blocks, here(w, all_within));
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
  tn_map_deinit(&w.data);
  return w.strange == NULL || tn_cf_fail(c, "%s is not looked into", w.strange);
}

/* ---- reductions ---- */

static tn_visit is_buffer(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

/* The element is a LOAD, and LOADs are interned: the same one is the same pointer. */
const tn_node *tn_cf_contribution(const tn_cf_store *s, tn_op *out_op) {
  const tn_node *extremum = tn_tir_find_extremum(s->value);
  const tn_node *v = extremum != NULL ? extremum : s->value;
  const tn_node *x = NULL;
  bool is_either =
      tn_is(v, TN_OP_ADD) || tn_is(v, TN_OP_MUL) || tn_is(v, TN_OP_MIN) || tn_is(v, TN_OP_MAX);
  if ((is_either || tn_is(v, TN_OP_SUB)) && v->in[TN_A] == s->element) {
    x = v->in[TN_B];
  } else if (is_either && v->in[TN_B] == s->element) {
    x = v->in[TN_A];
  }
  *out_op = extremum == NULL ? (tn_op)v->op : tn_is(v, TN_OP_MAX) ? TN_OP_GT : TN_OP_LT;
  /* what is added may not depend on the sum so far */
  void *buffer = (void *)(uintptr_t)s->element->in[TN_LOAD_BUFFER];
  return x != NULL && tn_walk_distinct(x, is_buffer, buffer) ? x : NULL;
}
