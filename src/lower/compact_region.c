/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Does a piece of code write what it reads of a buffer, and which part does it touch? The walk goes
 * in the order of execution and keeps a list of what has been written for certain: boxes
 *
 *   { (D0, D1, ...) | lo <= Dk <= hi, and the conditions of the store, said of D }
 *
 * whose bounds mention the variables of the loops that are open. At the end of a loop its variable
 * v is taken out of each box: where one dimension moves by c * v, and c is at most the box's width
 * there, the boxes of all rounds lie side by side; where none mentions v, the first round has
 * written it all. A load has to lie in a box, with its own conditions given.
 *
 * A store under `if k == 0` (the initial value of a reduction) counts in later rounds of k too: the
 * round with k at its first value came before, and wrote the same place. */
#include "base/check.h"
#include "lower/compact.h"

enum { MAX_LOOPS = 32, MAX_WRITES = 64 };

typedef struct written {
  const tn_node *lo[TN_MAX_NDIM];
  const tn_node *hi[TN_MAX_NDIM];
  const tn_node *cond; /* over the dimension variables and open loops; NULL: none */
} written;

typedef struct region_ctx {
  tn_ir *ir;
  tn_arith *arith;
  const tn_node *buffer;
  uint32_t ndim;
  const tn_node *dims[TN_MAX_NDIM]; /* VARs: an element's indices */
  uint32_t n_loops;
  const tn_node *loops[MAX_LOOPS]; /* open FORs, outermost first */
  const tn_node *cond;             /* of the present place, within the body; NULL: none */
  tn_map bound;                    /* ids of variables that something else binds inside */
  TN_VEC(written) writes;
  tn_compact_region region;
  uint32_t n_accesses;
  int64_t *n_visits_left; /* of expressions and statements: shared ones occur ever so often */
  bool is_failed;
} region_ctx;

static const tn_node *binary(region_ctx *c, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_arith_simplify(c->arith, tn_binary(c->ir, op, a, b));
}

static const tn_node *both(region_ctx *c, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : b == NULL ? a : tn_binary(c->ir, TN_OP_AND, a, b);
}

static tn_visit find_node(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

static bool mentions(const tn_node *n, const tn_node *what) {
  union { /* the walk's context is not const */
    const tn_node *node;
    void *ctx;
  } u = {.node = what};
  return n != NULL && !tn_walk_distinct(n, find_node, u.ctx);
}

static tn_visit find_bound(const tn_node *n, void *ctx) {
  const region_ctx *c = ctx;
  return tn_is(n, TN_OP_VAR) && tn_map_find(&c->bound, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

/* Nothing in it is bound inside but by loops, and nothing is read. */
static bool is_plain(region_ctx *c, const tn_node *n) {
  return (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 && tn_dtype_lanes(n->dtype) == 1 &&
         tn_walk_distinct(n, find_bound, c);
}

/* ---- the region ---- */

static const tn_node *last_of(region_ctx *c, const tn_node *loop, tn_dtype dtype) {
  const tn_node *min = tn_lower_cast(c->ir, dtype, loop->in[TN_FOR_MIN]);
  const tn_node *extent = tn_lower_cast(c->ir, dtype, loop->in[TN_FOR_EXTENT]);
  return binary(c, TN_OP_SUB, binary(c, TN_OP_ADD, min, extent), tn_int(c->ir, dtype, 1));
}

/* Least and largest value of an index over the open loops. False: not known. */
static bool span_of(region_ctx *c, const tn_node *index, const tn_node **out_lo,
                    const tn_node **out_hi) {
  const tn_node *vars[MAX_LOOPS];
  const tn_node *coefs[MAX_LOOPS];
  const tn_node *base = NULL;
  for (uint32_t i = 0; i < c->n_loops; ++i) {
    vars[i] = c->loops[i]->in[TN_FOR_VAR];
  }
  index = is_plain(c, index) ? tn_arith_simplify(c->arith, index) : index;
  if (!is_plain(c, index) || !tn_arith_linear(c->arith, index, c->n_loops, vars, coefs, &base)) {
    return false;
  }
  *out_lo = base;
  *out_hi = base;
  for (uint32_t i = c->n_loops; i-- > 0;) { /* inner extents may mention outer variables */
    const tn_node *coef = coefs[i];
    if (tn_is_int(coef, 0)) {
      continue;
    }
    if (!tn_is(coef, TN_OP_INT)) {
      return false;
    }
    bool is_rising = coef->attr.i64 > 0;
    const tn_node *min = tn_lower_cast(c->ir, index->dtype, c->loops[i]->in[TN_FOR_MIN]);
    const tn_node *last = last_of(c, c->loops[i], index->dtype);
    *out_lo = binary(c, TN_OP_ADD, *out_lo, binary(c, TN_OP_MUL, is_rising ? min : last, coef));
    *out_hi = binary(c, TN_OP_ADD, *out_hi, binary(c, TN_OP_MUL, is_rising ? last : min, coef));
  }
  for (uint32_t i = 0; i < c->n_loops; ++i) {
    if (mentions(*out_lo, vars[i]) || mentions(*out_hi, vars[i])) {
      return false; /* a loop whose size depends on another inside */
    }
  }
  return true;
}

/* The smaller (op LE) or larger (GE) of two; NULL: not known. */
static const tn_node *choose(region_ctx *c, tn_op op, const tn_node *a, const tn_node *b) {
  if (a == b || tn_arith_prove(c->arith, tn_binary(c->ir, op, a, b))) {
    return a;
  }
  return tn_arith_prove(c->arith, tn_binary(c->ir, op, b, a)) ? b : NULL;
}

static void add_to_region(region_ctx *c, const tn_node *access, uint32_t first) {
  bool is_first = c->n_accesses++ == 0;
  for (uint32_t d = 0; d < c->ndim; ++d) {
    const tn_node *lo = NULL;
    const tn_node *hi = NULL;
    tn_compact_region *r = &c->region;
    bool is_known = span_of(c, access->in[first + d], &lo, &hi);
    if (is_first) {
      r->lo[d] = is_known ? lo : NULL;
      r->hi[d] = is_known ? hi : NULL;
      continue;
    }
    bool fits = is_known && r->lo[d] != NULL && lo->dtype == r->lo[d]->dtype;
    lo = fits ? choose(c, TN_OP_LE, r->lo[d], lo) : NULL;
    hi = fits ? choose(c, TN_OP_GE, r->hi[d], hi) : NULL;
    r->lo[d] = lo != NULL && hi != NULL ? lo : NULL;
    r->hi[d] = r->lo[d] != NULL ? hi : NULL;
  }
}

/* ---- what has been written ---- */

static void add_write(region_ctx *c, const tn_node *store) {
  written w = {.cond = c->cond};
  bool is_sure = tn_is_none(store->in[TN_STORE_PREDICATE]) && c->writes.len < MAX_WRITES &&
                 (w.cond == NULL || is_plain(c, w.cond));
  for (uint32_t d = 0; d < c->ndim; ++d) {
    const tn_node *index = store->in[TN_STORE_INDICES + d];
    is_sure = is_sure && is_plain(c, index);
    w.lo[d] = w.hi[d] = is_sure ? tn_arith_simplify(c->arith, index) : NULL;
  }
  if (is_sure) {
    TN_VEC_PUSH(&c->writes, w);
  }
}

static bool has_rounds(region_ctx *c, const tn_node *loop) {
  const tn_node *extent = loop->in[TN_FOR_EXTENT];
  return tn_arith_prove(c->arith,
                        tn_binary(c->ir, TN_OP_GE, extent, tn_int(c->ir, extent->dtype, 1)));
}

/* Takes the variable of a loop that ends out of dimension d. False: the rounds leave holes. Boxes
 * that overlap are not empty where there is no round. */
static bool widen(region_ctx *c, written *w, const tn_node *loop, uint32_t d) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *coefs[2];
  const tn_node *bases[2];
  tn_dtype dtype = w->lo[d]->dtype;
  if (!tn_arith_linear(c->arith, w->lo[d], 1, &var, &coefs[0], &bases[0]) ||
      !tn_arith_linear(c->arith, w->hi[d], 1, &var, &coefs[1], &bases[1]) || coefs[0] != coefs[1] ||
      !tn_is(coefs[0], TN_OP_INT) || coefs[0]->attr.i64 < 1) {
    return false;
  }
  const tn_node *step = tn_lower_cast(c->ir, dtype, coefs[0]);
  const tn_node *one = tn_int(c->ir, dtype, 1);
  const tn_node *width = binary(c, TN_OP_ADD, binary(c, TN_OP_SUB, bases[1], bases[0]), one);
  bool is_met = mentions(w->cond, var);
  if (step != width &&
      (is_met || !tn_arith_prove(c->arith, tn_binary(c->ir, TN_OP_LE, step, width)) ||
       !has_rounds(c, loop))) {
    return false;
  }
  if (is_met) {
    const tn_node *at = binary(c, TN_OP_SUB, tn_lower_cast(c->ir, dtype, c->dims[d]), bases[0]);
    at = binary(c, TN_OP_FLOORDIV, at, step);
    w->cond = tn_subst1(c->ir, w->cond, var, tn_lower_cast(c->ir, var->dtype, at));
  }
  const tn_node *min = tn_lower_cast(c->ir, dtype, loop->in[TN_FOR_MIN]);
  const tn_node *last = last_of(c, loop, dtype);
  w->lo[d] = binary(c, TN_OP_ADD, binary(c, TN_OP_MUL, min, step), bases[0]);
  w->hi[d] = binary(c, TN_OP_ADD, binary(c, TN_OP_MUL, last, step), bases[1]);
  return true;
}

/* What all rounds of a loop have written together. False: nothing that can be told. */
static bool close_loop(region_ctx *c, written *w, const tn_node *loop) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  uint32_t moving = c->ndim;
  uint32_t n_moving = 0;
  for (uint32_t d = 0; d < c->ndim; ++d) {
    if (mentions(w->lo[d], var) || mentions(w->hi[d], var)) {
      moving = d;
      ++n_moving;
    }
  }
  if (n_moving > 0) {
    return n_moving == 1 && widen(c, w, loop, moving);
  }
  if (mentions(w->cond, var)) {
    w->cond =
        tn_subst1(c->ir, w->cond, var, tn_lower_cast(c->ir, var->dtype, loop->in[TN_FOR_MIN]));
  }
  return has_rounds(c, loop);
}

/* ---- loads ---- */

static bool holds(region_ctx *c, const tn_node *cond) {
  return tn_is(cond, TN_OP_AND) ? holds(c, cond->in[TN_A]) && holds(c, cond->in[TN_B])
                                : tn_arith_prove(c->arith, cond);
}

/* The condition of a write, said of the element that a load names; with is_first, in the first
 * rounds of the open loops that its place does not depend on. */
static bool was_done(region_ctx *c, const written *w, const tn_node *const *indices,
                     bool is_first) {
  tn_map map = {0};
  for (uint32_t d = 0; d < c->ndim; ++d) {
    tn_lower_map_set(&map, c->dims[d], tn_lower_cast(c->ir, c->dims[d]->dtype, indices[d]));
  }
  const tn_node *cond = w->cond;
  for (uint32_t i = 0; is_first && i < c->n_loops; ++i) {
    const tn_node *var = c->loops[i]->in[TN_FOR_VAR];
    bool is_moving = false;
    for (uint32_t d = 0; d < c->ndim; ++d) {
      is_moving = is_moving || mentions(w->lo[d], var) || mentions(w->hi[d], var);
    }
    if (!is_moving) {
      cond = tn_subst1(c->ir, cond, var,
                       tn_lower_cast(c->ir, var->dtype, c->loops[i]->in[TN_FOR_MIN]));
    }
  }
  cond = tn_subst(c->ir, cond, &map);
  tn_map_deinit(&map);
  return holds(c, cond);
}

static bool is_inside(region_ctx *c, const written *w, const tn_node *const *indices) {
  for (uint32_t d = 0; d < c->ndim; ++d) {
    const tn_node *index = indices[d];
    if (index->dtype != w->lo[d]->dtype) {
      return false;
    }
    if ((index != w->lo[d] &&
         !tn_arith_prove(c->arith, tn_binary(c->ir, TN_OP_LE, w->lo[d], index))) ||
        (index != w->hi[d] &&
         !tn_arith_prove(c->arith, tn_binary(c->ir, TN_OP_LE, index, w->hi[d])))) {
      return false;
    }
  }
  return w->cond == NULL || was_done(c, w, indices, false) || was_done(c, w, indices, true);
}

static void check_load(region_ctx *c, const tn_node *load) {
  const tn_node *indices[TN_MAX_NDIM];
  add_to_region(c, load, TN_LOAD_INDICES);
  for (uint32_t d = 0; d < c->ndim; ++d) {
    indices[d] = load->in[TN_LOAD_INDICES + d];
    if (!is_plain(c, indices[d])) {
      c->is_failed = true;
      return;
    }
    indices[d] = tn_arith_simplify(c->arith, indices[d]);
  }
  for (size_t i = c->writes.len; i-- > 0;) {
    if (is_inside(c, &c->writes.data[i], indices)) {
      return;
    }
  }
  c->is_failed = true;
}

/* ---- the walk ---- */

static void visit_expr(region_ctx *c, const tn_node *n) {
  if (c->is_failed || (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0) {
    return;
  }
  if (--*c->n_visits_left <= 0) {
    c->is_failed = true;
    return;
  }
  if (tn_is(n, TN_OP_IF_THEN_ELSE)) {
    const tn_node *cond = n->in[TN_SELECT_COND];
    visit_expr(c, cond);
    size_t mark = tn_arith_assume(c->arith, cond);
    visit_expr(c, n->in[TN_SELECT_A]);
    tn_arith_pop(c->arith, mark);
    mark = tn_arith_assume(
        c->arith, tn_node_new(c->ir, TN_OP_NOT, cond->dtype, (tn_attr){.i64 = 0}, 1, &cond));
    visit_expr(c, n->in[TN_SELECT_B]);
    tn_arith_pop(c->arith, mark);
    return;
  }
  if (tn_is(n, TN_OP_LET)) {
    tn_map_set(&c->bound, n->in[TN_LET_VAR]->id, 0);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    visit_expr(c, n->in[i]);
  }
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == c->buffer) {
    check_load(c, n);
  }
}

static void visit(region_ctx *c, const tn_node *n);

static void visit_loop(region_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_FOR_VAR];
  size_t n_before = c->writes.len;
  visit_expr(c, n->in[TN_FOR_MIN]);
  visit_expr(c, n->in[TN_FOR_EXTENT]);
  if (c->n_loops == MAX_LOOPS || tn_loop_exits(n->in[TN_FOR_BODY]) != 0) {
    c->is_failed = true;
    return;
  }
  c->loops[c->n_loops++] = n;
  tn_arith_bind_range(c->arith, var, n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  visit(c, n->in[TN_FOR_BODY]);
  tn_arith_unbind(c->arith, var);
  --c->n_loops;
  size_t n_kept = n_before;
  for (size_t i = n_before; !c->is_failed && i < c->writes.len; ++i) {
    written w = c->writes.data[i];
    if (close_loop(c, &w, n)) {
      c->writes.data[n_kept++] = w;
    }
  }
  c->writes.len = n_kept;
}

static void visit_branch(region_ctx *c, const tn_node *cond, const tn_node *body) {
  const tn_node *outer = c->cond;
  size_t mark = tn_arith_assume(c->arith, cond);
  c->cond = both(c, outer, cond);
  visit(c, body);
  c->cond = outer;
  tn_arith_pop(c->arith, mark);
}

static void visit_seq(region_ctx *c, const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in && !c->is_failed; ++i) {
    visit(c, n->in[i]);
    if (tn_is(n->in[i], TN_OP_BIND)) {
      tn_map_set(&c->bound, n->in[i]->in[TN_BIND_VAR]->id, 0);
    }
  }
}

static void visit(region_ctx *c, const tn_node *n) {
  c->is_failed = c->is_failed || --*c->n_visits_left <= 0;
  if (c->is_failed) {
    return;
  }
  switch ((int)n->op) {
    case TN_OP_NONE:
    case TN_OP_DECL:
      return;
    case TN_OP_SEQ:
      visit_seq(c, n);
      return;
    case TN_OP_FOR:
      visit_loop(c, n);
      return;
    case TN_OP_IF: {
      const tn_node *cond = n->in[TN_IF_COND];
      visit_expr(c, cond);
      visit_branch(c, cond, n->in[TN_IF_THEN]);
      visit_branch(c, tn_node_new(c->ir, TN_OP_NOT, cond->dtype, (tn_attr){.i64 = 0}, 1, &cond),
                   n->in[TN_IF_ELSE]);
      return;
    }
    case TN_OP_STORE:
    case TN_OP_EVAL:
    case TN_OP_BIND:
    case TN_OP_ALLOC:
    case TN_OP_CONST_ALLOC:
    case TN_OP_ASSERT:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        visit_expr(c, n->in[i]);
      }
      if (tn_is(n, TN_OP_STORE) && n->in[TN_STORE_BUFFER] == c->buffer) {
        add_to_region(c, n, TN_STORE_INDICES);
        add_write(c, n);
      }
      return;
    case TN_OP_ATTR:
      visit_expr(c, n->in[TN_ATTR_VALUE]);
      visit(c, n->in[TN_ATTR_BODY]);
      return;
    default: /* WHILE, RETURN and what else may leave before the end */
      c->is_failed = true;
      return;
  }
}

bool tn_compact_is_private(tn_ir *ir, tn_arith *arith, const tn_node *buffer, const tn_node *body,
                           int64_t *n_visits_left, tn_compact_region *out_region) {
  region_ctx c = {.ir = ir,
                  .arith = arith,
                  .buffer = buffer,
                  .ndim = tn_buffer_ndim(buffer),
                  .n_visits_left = n_visits_left};
  for (uint32_t d = 0; d < c.ndim; ++d) {
    c.dims[d] = tn_var_new(ir, "d", buffer->in[TN_BUFFER_SHAPE]->in[d]->dtype);
  }
  visit(&c, body);
  tn_map_deinit(&c.bound);
  TN_VEC_DEINIT(&c.writes);
  *out_region = c.region;
  return !c.is_failed;
}
