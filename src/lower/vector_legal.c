/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* May the iterations of a loop run as lanes, statement by statement? Yes when no two of them touch
 * the same element of a buffer that the loop writes. For each such buffer one dimension must show
 * it: its index is c * lane + g in every access, and one of
 *
 *   g // c                       then index // c is lane + E            (rows)
 *   (g % (c * lanes)) // c       then the same modulo lanes             (tiles: acc[k * 8 + lane])
 *
 * is the same expression E in all accesses, known before the loop starts. Then E and the element
 * determine the lane. */
#include "lower/vector.h"

typedef struct access {
  const tn_node *node; /* LOAD or STORE */
  bool is_store;
} access;

typedef struct legal_ctx {
  tn_ir *ir;
  tn_arith *arith;
  const tn_node *loop;
  int64_t lanes;
  TN_VEC(access) accesses;
  TN_VEC(const tn_node *) inner; /* loop variables bound inside */
  tn_map inside;                 /* ids of all variables bound inside, the loop's own too */
  tn_map
      lets; /* id of a `let` variable -> its value over outer variables, where it reads nothing */
} legal_ctx;

/* ---- what is in the body ---- */

static tn_visit add_access(const tn_node *n, void *ctx) {
  legal_ctx *c = ctx;
  if (tn_lower_is_access(n)) {
    TN_VEC_PUSH(&c->accesses, ((access){n, tn_is(n, TN_OP_STORE)}));
  }
  if (tn_is(n, TN_OP_LET)) {
    tn_map_set(&c->inside, n->in[TN_LET_VAR]->id, 0);
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

static bool is_pure(const tn_node *n) { return (n->flags & TN_NF_EFFECT) == 0; }

static bool collect(legal_ctx *c, const tn_node *n);

static bool collect_loop(legal_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_FOR_VAR];
  if (!is_pure(n->in[TN_FOR_MIN]) || !is_pure(n->in[TN_FOR_EXTENT]) ||
      n->attr.i64 == TN_FOR_THREAD_BINDING) {
    return false;
  }
  (void)tn_walk_distinct(n->in[TN_FOR_MIN], add_access, c);
  (void)tn_walk_distinct(n->in[TN_FOR_EXTENT], add_access, c);
  tn_arith_bind_range(c->arith, var, n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  TN_VEC_PUSH(&c->inner, var);
  tn_map_set(&c->inside, var->id, 0);
  return collect(c, n->in[TN_FOR_BODY]);
}

/* False when a statement has no vector form. */
static bool collect(legal_ctx *c, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_NONE:
    case TN_OP_DECL:
      return true;
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        if (!collect(c, n->in[i])) {
          return false;
        }
      }
      return true;
    case TN_OP_FOR:
      return collect_loop(c, n);
    case TN_OP_IF:
      (void)tn_walk_distinct(n->in[TN_IF_COND], add_access, c);
      return is_pure(n->in[TN_IF_COND]) && collect(c, n->in[TN_IF_THEN]) &&
             collect(c, n->in[TN_IF_ELSE]);
    case TN_OP_STORE:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        if (!is_pure(n->in[i])) {
          return false;
        }
      }
      (void)tn_walk_distinct(n, add_access, c);
      return true;
    case TN_OP_BIND: {
      const tn_node *value = n->in[TN_BIND_VALUE];
      (void)tn_walk_distinct(value, add_access, c);
      tn_map_set(&c->inside, n->in[TN_BIND_VAR]->id, 0);
      if ((value->flags & TN_NF_READS) == 0) {
        tn_lower_map_set(&c->lets, n->in[TN_BIND_VAR], tn_subst(c->ir, value, &c->lets));
      }
      return is_pure(value);
    }
    case TN_OP_EVAL:
      (void)tn_walk_distinct(n->in[0], add_access, c);
      return is_pure(n->in[0]);
    default:
      return false;
  }
}

/* ---- independence ---- */

static tn_visit find_inside(const tn_node *n, void *ctx) {
  const legal_ctx *c = ctx;
  return tn_is(n, TN_OP_LOAD) || (tn_is(n, TN_OP_VAR) && tn_map_find(&c->inside, n->id, NULL))
             ? TN_STOP
             : TN_DESCEND;
}

/* E of the comment above for one access, or NULL. is_tile: the second form. */
static const tn_node *lane_key(legal_ctx *c, const tn_node *index, bool is_tile,
                               int64_t *out_coef) {
  const tn_node *var = c->loop->in[TN_FOR_VAR];
  const tn_node *coef = NULL;
  const tn_node *g = NULL;
  index = tn_subst(c->ir, index, &c->lets);
  if (!tn_arith_linear(c->arith, index, 1, &var, &coef, &g) || !tn_is(coef, TN_OP_INT) ||
      coef->attr.i64 < 1 || coef->attr.i64 > INT32_MAX / c->lanes) {
    return NULL;
  }
  *out_coef = coef->attr.i64;
  if (is_tile) {
    g = tn_binary(c->ir, TN_OP_FLOORMOD, g, tn_int(c->ir, g->dtype, *out_coef * c->lanes));
  }
  g = tn_arith_simplify(c->arith,
                        tn_binary(c->ir, TN_OP_FLOORDIV, g, tn_int(c->ir, g->dtype, *out_coef)));
  return tn_walk_distinct(g, find_inside, c) ? g : NULL;
}

static bool dimension_shows(legal_ctx *c, const tn_node *data, uint32_t d, bool is_tile) {
  const tn_node *key = NULL;
  int64_t coef = 0;
  for (size_t i = 0; i < c->accesses.len; ++i) {
    const tn_node *n = c->accesses.data[i].node;
    if (n->in[0]->in[TN_BUFFER_DATA] != data) {
      continue;
    }
    int64_t own_coef = 0;
    const tn_node *own = lane_key(c, n->in[tn_lower_first_index(n) + d], is_tile, &own_coef);
    if (own == NULL || (key != NULL && (own != key || own_coef != coef))) {
      return false;
    }
    key = own;
    coef = own_coef;
  }
  return true;
}

/* All accesses count dimensions alike: one buffer, or flat ones of one element type. */
static bool is_uniform(const legal_ctx *c, const tn_node *first, const tn_node *data) {
  for (size_t i = 0; i < c->accesses.len; ++i) {
    const tn_node *buffer = c->accesses.data[i].node->in[0];
    if (buffer->in[TN_BUFFER_DATA] != data || buffer == first) {
      continue;
    }
    bool is_flat = tn_buffer_ndim(buffer) == 1 && tn_buffer_ndim(first) == 1 &&
                   tn_is_none(buffer->in[TN_BUFFER_STRIDES]) &&
                   tn_is_none(first->in[TN_BUFFER_STRIDES]) &&
                   buffer->in[TN_BUFFER_ELEM_OFFSET] == first->in[TN_BUFFER_ELEM_OFFSET];
    if (!is_flat || buffer->dtype != first->dtype) {
      return false;
    }
  }
  return true;
}

static bool is_independent(legal_ctx *c, const tn_node *store) {
  const tn_node *buffer = store->in[TN_STORE_BUFFER];
  const tn_node *data = buffer->in[TN_BUFFER_DATA];
  if (!is_uniform(c, buffer, data)) {
    return false;
  }
  for (uint32_t d = 0; d < tn_buffer_ndim(buffer); ++d) {
    if (dimension_shows(c, data, d, false) || dimension_shows(c, data, d, true)) {
      return true;
    }
  }
  return false;
}

bool tn_vector_is_legal(tn_arith *arith, tn_ir *ir, const tn_node *loop, int64_t lanes) {
  legal_ctx c = {.ir = ir, .arith = arith, .loop = loop, .lanes = lanes};
  const tn_node *var = loop->in[TN_FOR_VAR];
  tn_map_set(&c.inside, var->id, 0);
  bool is_legal = collect(&c, loop->in[TN_FOR_BODY]);
  for (size_t i = 0; is_legal && i < c.accesses.len; ++i) {
    is_legal = !c.accesses.data[i].is_store || is_independent(&c, c.accesses.data[i].node);
  }
  for (size_t i = 0; i < c.inner.len; ++i) {
    tn_arith_unbind(arith, c.inner.data[i]);
  }
  TN_VEC_DEINIT(&c.accesses);
  TN_VEC_DEINIT(&c.inner);
  tn_map_deinit(&c.inside);
  tn_map_deinit(&c.lets);
  return is_legal;
}
