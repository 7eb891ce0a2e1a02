/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loops are cut where a condition inside them is decided, so that the bulk of the rounds runs
 * without it and what is left knows its size:
 *
 *   for io in range(3):                          for io in range(2):
 *       for ii in T.unroll(6):                       for ii in T.unroll(6):
 *           if io * 6 + ii < 16:           ->            A[io * 6 + ii] = 0
 *               A[io * 6 + ii] = 0               for ii in T.unroll(4):
 *                                                    A[ii + 12] = 0
 *
 * A condition that cannot be decided so (its bound is not known, loops were fused) but differs within
 * a tile of unrolled and vectorized loops only is asked once before the tile, at its worst:
 *
 *   for io in range(m):                          for io in range(m):
 *       for ii in T.unroll(6):                       if io * 6 + 5 < n: (the tile without)
 *           if io * 6 + ii < n: ...        ->        else: (the tile with its conditions)
 *
 * Outer loops first. Conditions are comparisons, or parts of an `and`, of an expression that is
 * linear in the loop's variable, mentions no variable of a loop around and reads no memory; the
 * bounds are constant. A parallel loop is not cut, since each piece would end with a wait for all
 * threads: its body becomes an `if` between the pieces. The order of rounds stays. Idempotent. */
#include <string.h>

#include "base/check.h"
#include "lower/lower_priv.h"

enum {
  MAX_CUTS = 3,         /* of one loop */
  MAX_TILE = 8,         /* loops of a tile */
  MAX_COPIED = 1 << 12, /* statements made in one function */
  MAX_VISITS = 1 << 16  /* of statements in search of conditions, likewise */
};

typedef struct partition_ctx {
  tn_ir *ir;
  tn_arith *arith;
  tn_map outer;     /* ids of the variables of loops around */
  tn_map has_if;    /* id of a statement -> whether a condition is inside */
  int64_t n_copied; /* statements */
  int64_t n_visits;
} partition_ctx;

/* Where one loop is to be cut: first values of pieces, ascending, inside the loop's range. */
typedef struct cuts {
  partition_ctx *c;
  const tn_node *var;
  bool is_vectorized;
  int64_t min;
  int64_t end;
  uint32_t n;
  int64_t at[MAX_CUTS];
} cuts;

/* ---- cuts ---- */

static void add_cut(cuts *k, int64_t at) {
  if (at <= k->min || at >= k->end) {
    return;
  }
  uint32_t i = 0;
  while (i < k->n && k->at[i] < at) {
    ++i;
  }
  if ((i < k->n && k->at[i] == at) || k->n == MAX_CUTS) {
    return;
  }
  memmove(&k->at[i + 1], &k->at[i], (k->n - i) * sizeof *k->at);
  k->at[i] = at;
  ++k->n;
}

static tn_visit find_outer(const tn_node *n, void *ctx) {
  const partition_ctx *c = ctx;
  return tn_is(n, TN_OP_VAR) && tn_map_find(&c->outer, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); } /* b > 0 */

/* a - b as coef * var + base, base between the ends of out_base. False: not of that form. */
static bool difference(cuts *k, const tn_node *a, const tn_node *b, int64_t *out_coef,
                       tn_interval *out_base) {
  const tn_node *coef = NULL;
  const tn_node *base = NULL;
  if (a->dtype != TN_DT_I32 && a->dtype != TN_DT_I64) {
    return false;
  }
  const tn_node *gap = tn_binary(k->c->ir, TN_OP_SUB, a, b);
  if (!tn_arith_linear(k->c->arith, gap, 1, &k->var, &coef, &base) || !tn_is(coef, TN_OP_INT) ||
      coef->attr.i64 == 0 || !tn_walk_distinct(base, find_outer, k->c)) {
    return false;
  }
  const int64_t limit = INT32_MAX; /* sums of what is below stay far from the ends of int64 */
  *out_coef = coef->attr.i64;
  *out_base = tn_arith_bounds(k->c->arith, base);
  return out_base->has_lo && out_base->has_hi && out_base->lo >= -limit && out_base->hi <= limit &&
         *out_coef >= -limit && *out_coef <= limit;
}

/* less < more (is_strict) or less <= more holds for all values of base below (or from) one value of
 * var on, and for none from (or below) another. */
static void add_comparison(cuts *k, const tn_node *less, const tn_node *more, bool is_strict) {
  int64_t by = 0;
  tn_interval base;
  if (!difference(k, less, more, &by, &base)) {
    return;
  }
  int64_t lo = base.lo - (is_strict ? 0 : 1);
  int64_t hi = base.hi - (is_strict ? 0 : 1);
  if (by > 0) {
    add_cut(k, floor_div(-hi - 1, by) + 1); /* the first value that may fail */
    add_cut(k, floor_div(-lo - 1, by) + 1); /* the first that must */
  } else {
    add_cut(k, floor_div(lo, -by) + 1); /* the first value that may hold */
    add_cut(k, floor_div(hi, -by) + 1); /* the first that must */
  }
}

/* Values may be equal in one piece only: in the first rounds, that is, of a reduction that sets its
 * initial value there. Lanes are left together, since that would take one of them out. */
static void add_equality(cuts *k, const tn_node *a, const tn_node *b) {
  int64_t by = 0;
  tn_interval base;
  if (k->is_vectorized || !difference(k, a, b, &by, &base)) {
    return;
  }
  int64_t lo = by > 0 ? base.lo : -base.hi;
  int64_t hi = by > 0 ? base.hi : -base.lo;
  by = by > 0 ? by : -by;
  add_cut(k, -floor_div(hi, by));
  add_cut(k, floor_div(-lo, by) + 1);
}

static void add_condition(cuts *k, const tn_node *cond) {
  if ((cond->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0 || tn_dtype_lanes(cond->dtype) > 1) {
    return;
  }
  switch ((int)cond->op) {
    case TN_OP_AND:
      add_condition(k, cond->in[TN_A]);
      add_condition(k, cond->in[TN_B]);
      return;
    case TN_OP_LT:
    case TN_OP_LE:
      add_comparison(k, cond->in[TN_A], cond->in[TN_B], tn_is(cond, TN_OP_LT));
      return;
    case TN_OP_GT:
    case TN_OP_GE:
      add_comparison(k, cond->in[TN_B], cond->in[TN_A], tn_is(cond, TN_OP_GT));
      return;
    case TN_OP_EQ:
    case TN_OP_NE:
      add_equality(k, cond->in[TN_A], cond->in[TN_B]);
      return;
    default:
      return;
  }
}

static void find_cuts(cuts *k, const tn_node *n) {
  ++k->c->n_visits;
  switch ((int)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        find_cuts(k, n->in[i]);
      }
      return;
    case TN_OP_FOR:
      tn_arith_bind_range(k->c->arith, n->in[TN_FOR_VAR], n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
      find_cuts(k, n->in[TN_FOR_BODY]);
      tn_arith_unbind(k->c->arith, n->in[TN_FOR_VAR]);
      return;
    case TN_OP_IF:
      add_condition(k, n->in[TN_IF_COND]);
      find_cuts(k, n->in[TN_IF_THEN]);
      find_cuts(k, n->in[TN_IF_ELSE]);
      return;
    case TN_OP_ATTR:
      find_cuts(k, n->in[TN_ATTR_BODY]);
      return;
    default:
      return;
  }
}

/* So that loops without conditions, of which there are many inside each other, are not searched. */
static bool has_if(partition_ctx *c, const tn_node *n) {
  uint64_t known = 0;
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT || n->n_in == 0) {
    return false;
  }
  if (tn_is(n, TN_OP_IF)) {
    return true;
  }
  if (tn_map_find(&c->has_if, n->id, &known)) {
    return known != 0;
  }
  for (uint32_t i = 0; i < n->n_in && known == 0; ++i) {
    known = has_if(c, n->in[i]);
  }
  tn_map_set(&c->has_if, n->id, known);
  return known != 0;
}

static tn_visit count_stmt(const tn_node *n, void *ctx) {
  int64_t *count = ctx;
  bool is_stmt = tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_STMT;
  *count += is_stmt;
  return is_stmt ? TN_DESCEND : TN_SKIP;
}

/* ---- pieces ---- */

static const tn_node *stmt(partition_ctx *c, const tn_node *n);

static bool is_nothing(const tn_node *n) { return tn_is(n, TN_OP_SEQ) && n->n_in == 0; }

/* The rounds [begin, end) of a loop, with what that says about its conditions. The first piece has
 * the loop's own statements, the others copies. */
static const tn_node *piece(partition_ctx *c, const tn_node *loop, int64_t begin, int64_t end,
                            bool is_copy) {
  const tn_node *in[6];
  loop = is_copy ? tn_clone_fresh(c->ir, loop) : loop;
  memcpy(in, loop->in, sizeof in);
  tn_dtype dtype = in[TN_FOR_VAR]->dtype;
  in[TN_FOR_MIN] = tn_int(c->ir, dtype, begin);
  in[TN_FOR_EXTENT] = tn_int(c->ir, dtype, end - begin);
  const tn_node *made = stmt(c, tn_lower_simplify(c->ir, c->arith, tn_node_with(c->ir, loop, in)));
  bool is_idle = tn_is(made, TN_OP_FOR) && is_nothing(made->in[TN_FOR_BODY]);
  return is_idle ? made->in[TN_FOR_BODY] : made;
}

static const tn_node *split(partition_ctx *c, const tn_node *loop, const cuts *k) {
  const tn_node *parts[MAX_CUTS + 1];
  for (uint32_t i = 0; i <= k->n; ++i) {
    int64_t begin = i == 0 ? k->min : k->at[i - 1];
    int64_t end = i == k->n ? k->end : k->at[i];
    parts[i] = piece(c, loop, begin, end, i > 0);
  }
  return tn_seq(c->ir, k->n + 1, parts);
}

/* The round of a parallel loop when its variable lies in [begin, end). */
static const tn_node *round_between(partition_ctx *c, const tn_node *loop, int64_t begin,
                                    int64_t end, bool is_copy) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *body = loop->in[TN_FOR_BODY];
  tn_dtype dtype = var->dtype;
  body = is_copy ? tn_clone_fresh(c->ir, body) : body;
  if (end - begin == 1) {
    body = tn_subst1(c->ir, body, var, tn_int(c->ir, dtype, begin));
    return stmt(c, tn_lower_simplify(c->ir, c->arith, body));
  }
  tn_arith_bind_range(c->arith, var, tn_int(c->ir, dtype, begin),
                      tn_int(c->ir, dtype, end - begin));
  tn_map_set(&c->outer, var->id, 0);
  body = stmt(c, tn_lower_simplify(c->ir, c->arith, body));
  tn_map_remove(&c->outer, var->id);
  tn_arith_unbind(c->arith, var);
  return body;
}

static const tn_node *branch_between(partition_ctx *c, const tn_node *loop, const cuts *k) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *body = NULL;
  for (uint32_t i = k->n + 1; i-- > 0;) {
    int64_t begin = i == 0 ? k->min : k->at[i - 1];
    int64_t end = i == k->n ? k->end : k->at[i];
    const tn_node *part = round_between(c, loop, begin, end, i > 0);
    if (body == NULL) {
      body = part;
      continue;
    }
    const tn_node *is_before = tn_binary(c->ir, TN_OP_LT, var, tn_int(c->ir, var->dtype, end));
    const tn_node *in[3] = {is_before, part, is_nothing(body) ? tn_none(c->ir) : body};
    body = tn_node_new(c->ir, TN_OP_IF, TN_DT_NONE, (tn_attr){.i64 = 0}, 3, in);
  }
  const tn_node *in[6];
  memcpy(in, loop->in, sizeof in);
  in[TN_FOR_BODY] = body;
  return tn_node_with(c->ir, loop, in);
}

/* ---- the walk ---- */

/* Conditions that differ within a tile only: what is left of them when the tile's variables take
 * their worst values is known before the tile's loops begin. */
typedef struct tiles {
  partition_ctx *c;
  uint32_t n_vars;
  const tn_node *loops[MAX_TILE]; /* unrolled and vectorized ones around the present statement */
  tn_map inner;                   /* ids of variables bound inside by anything else */
  tn_map decided;                 /* id of a condition -> the literal true */
  const tn_node *worst;           /* all conditions at their worst; NULL: none */
} tiles;

static tn_visit find_inner(const tn_node *n, void *ctx) {
  const tiles *t = ctx;
  return tn_is(n, TN_OP_VAR) && tn_map_find(&t->inner, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

/* The largest value of less - more over the tile; NULL: it is not linear, or nothing moves. */
static const tn_node *worst_gap(tiles *t, const tn_node *less, const tn_node *more) {
  const tn_node *vars[MAX_TILE];
  const tn_node *coefs[MAX_TILE];
  const tn_node *sum = NULL;
  tn_ir *ir = t->c->ir;
  bool is_moving = false;
  for (uint32_t i = 0; i < t->n_vars; ++i) {
    vars[i] = t->loops[i]->in[TN_FOR_VAR];
  }
  if ((less->dtype != TN_DT_I32 && less->dtype != TN_DT_I64) ||
      !tn_arith_linear(t->c->arith, tn_binary(ir, TN_OP_SUB, less, more), t->n_vars, vars, coefs,
                       &sum) ||
      !tn_walk_distinct(sum, find_inner, t)) {
    return NULL;
  }
  for (uint32_t i = 0; i < t->n_vars; ++i) {
    if (tn_is_int(coefs[i], 0)) {
      continue;
    }
    if (!tn_is(coefs[i], TN_OP_INT)) {
      return NULL;
    }
    int64_t first = t->loops[i]->in[TN_FOR_MIN]->attr.i64;
    int64_t last = first + t->loops[i]->in[TN_FOR_EXTENT]->attr.i64 - 1;
    const tn_node *at = tn_int(ir, sum->dtype, coefs[i]->attr.i64 > 0 ? last : first);
    sum = tn_lower_add(ir, sum, tn_lower_mul(ir, tn_lower_cast(ir, sum->dtype, coefs[i]), at));
    is_moving = true;
  }
  return is_moving ? sum : NULL;
}

static void add_tile_condition(tiles *t, const tn_node *cond) {
  tn_ir *ir = t->c->ir;
  bool is_strict = tn_is(cond, TN_OP_LT) || tn_is(cond, TN_OP_GT);
  bool is_less = tn_is(cond, TN_OP_LT) || tn_is(cond, TN_OP_LE);
  if ((cond->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0 || tn_dtype_lanes(cond->dtype) > 1) {
    return;
  }
  if (tn_is(cond, TN_OP_AND)) {
    add_tile_condition(t, cond->in[TN_A]);
    add_tile_condition(t, cond->in[TN_B]);
    return;
  }
  if ((!is_less && !tn_is(cond, TN_OP_GT) && !tn_is(cond, TN_OP_GE)) ||
      tn_map_find(&t->decided, cond->id, NULL)) {
    return;
  }
  const tn_node *gap =
      worst_gap(t, cond->in[is_less ? TN_A : TN_B], cond->in[is_less ? TN_B : TN_A]);
  if (gap == NULL) {
    return;
  }
  const tn_node *holds = tn_arith_simplify(
      t->c->arith, tn_binary(ir, is_strict ? TN_OP_LT : TN_OP_LE, gap, tn_int(ir, gap->dtype, 0)));
  if (tn_is(holds, TN_OP_INT)) { /* it differs within the tile alone, whose loops are cut */
    return;
  }
  tn_lower_map_set(&t->decided, cond, tn_bool(ir, true));
  t->worst = t->worst == NULL ? holds : tn_binary(ir, TN_OP_AND, t->worst, holds);
}

static void find_tiles(tiles *t, const tn_node *n) {
  ++t->c->n_visits;
  switch ((int)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        if (tn_is(n->in[i], TN_OP_BIND)) {
          tn_map_set(&t->inner, n->in[i]->in[TN_BIND_VAR]->id, 0);
        }
        find_tiles(t, n->in[i]);
      }
      return;
    case TN_OP_FOR: {
      bool is_tile = (n->attr.i64 == TN_FOR_UNROLLED || n->attr.i64 == TN_FOR_VECTORIZED) &&
                     tn_is(n->in[TN_FOR_MIN], TN_OP_INT) &&
                     tn_is(n->in[TN_FOR_EXTENT], TN_OP_INT) && t->n_vars < MAX_TILE;
      if (is_tile) {
        t->loops[t->n_vars++] = n;
      } else {
        tn_map_set(&t->inner, n->in[TN_FOR_VAR]->id, 0);
      }
      find_tiles(t, n->in[TN_FOR_BODY]);
      t->n_vars -= is_tile;
      return;
    }
    case TN_OP_IF:
      add_tile_condition(t, n->in[TN_IF_COND]);
      find_tiles(t, n->in[TN_IF_THEN]);
      find_tiles(t, n->in[TN_IF_ELSE]);
      return;
    case TN_OP_ATTR:
      find_tiles(t, n->in[TN_ATTR_BODY]);
      return;
    default:
      return;
  }
}

/* A round of a loop around tiles: one `if` before them where that decides conditions inside. */
static const tn_node *round_of(partition_ctx *c, const tn_node *body) {
  tiles t = {.c = c};
  int64_t n_stmts = 0;
  if (has_if(c, body) && c->n_visits <= MAX_VISITS) {
    find_tiles(&t, body);
  }
  if (t.worst != NULL) {
    (void)tn_walk(body, count_stmt, NULL, &n_stmts);
  }
  const tn_node *made = NULL;
  bool is_done = tn_is(body, TN_OP_IF) && body->in[TN_IF_COND] == t.worst;
  if (t.worst != NULL && !is_done && c->n_copied + n_stmts <= MAX_COPIED) {
    c->n_copied += n_stmts;
    const tn_node *rest = tn_clone_fresh(c->ir, body);
    const tn_node *bulk = tn_lower_simplify(c->ir, c->arith, tn_subst(c->ir, body, &t.decided));
    const tn_node *in[3] = {t.worst, stmt(c, bulk), rest};
    made = tn_node_new(c->ir, TN_OP_IF, TN_DT_NONE, (tn_attr){.i64 = 0}, 3, in);
  }
  tn_map_deinit(&t.inner);
  tn_map_deinit(&t.decided);
  return made != NULL ? made : stmt(c, body);
}

static const tn_node *with_body(partition_ctx *c, const tn_node *loop) {
  const tn_node *in[6];
  const tn_node *var = loop->in[TN_FOR_VAR];
  memcpy(in, loop->in, sizeof in);
  tn_arith_bind_range(c->arith, var, in[TN_FOR_MIN], in[TN_FOR_EXTENT]);
  tn_map_set(&c->outer, var->id, 0);
  bool is_around = loop->attr.i64 == TN_FOR_SERIAL || loop->attr.i64 == TN_FOR_PARALLEL;
  in[TN_FOR_BODY] = is_around ? round_of(c, in[TN_FOR_BODY]) : stmt(c, in[TN_FOR_BODY]);
  tn_map_remove(&c->outer, var->id);
  tn_arith_unbind(c->arith, var);
  return tn_node_with(c->ir, loop, in);
}

static const tn_node *for_loop(partition_ctx *c, const tn_node *loop) {
  const tn_node *min = loop->in[TN_FOR_MIN];
  const tn_node *extent = loop->in[TN_FOR_EXTENT];
  bool is_open = !tn_is(min, TN_OP_INT) || !tn_is(extent, TN_OP_INT) ||
                 loop->attr.i64 == TN_FOR_THREAD_BINDING;
  cuts k = {
      .c = c, .var = loop->in[TN_FOR_VAR], .is_vectorized = loop->attr.i64 == TN_FOR_VECTORIZED};
  if (is_open || extent->attr.i64 < 2 ||
      __builtin_add_overflow(min->attr.i64, extent->attr.i64, &k.end) ||
      !has_if(c, loop->in[TN_FOR_BODY]) || c->n_visits > MAX_VISITS ||
      tn_loop_exits(loop->in[TN_FOR_BODY]) != 0) {
    return with_body(c, loop);
  }
  k.min = min->attr.i64;
  find_cuts(&k, loop->in[TN_FOR_BODY]);
  int64_t n_stmts = 0;
  if (k.n > 0) {
    (void)tn_walk(loop, count_stmt, NULL, &n_stmts);
  }
  if (k.n == 0 || c->n_copied + n_stmts * k.n > MAX_COPIED) {
    return with_body(c, loop);
  }
  c->n_copied += n_stmts * k.n;
  return loop->attr.i64 == TN_FOR_PARALLEL ? branch_between(c, loop, &k) : split(c, loop, &k);
}

static const tn_node *stmt(partition_ctx *c, const tn_node *n) {
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT || n->n_in == 0) {
    return n;
  }
  if (tn_is(n, TN_OP_FOR)) {
    return for_loop(c, n);
  }
  TN_VEC(const tn_node *) in = {0};
  bool is_same = true;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_VEC_PUSH(&in, stmt(c, n->in[i]));
    is_same = is_same && in.data[i] == n->in[i];
  }
  const tn_node *made = n;
  if (!is_same) {
    made = tn_is(n, TN_OP_SEQ) ? tn_seq(c->ir, n->n_in, in.data) : tn_node_with(c->ir, n, in.data);
  }
  TN_VEC_DEINIT(&in);
  return made;
}

static tn_status partition_loops(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  partition_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  *out_func = tn_lower_with_body(ir, func, stmt(&c, func->in[TN_PRIM_FUNC_BODY]));
  tn_map_deinit(&c.outer);
  tn_map_deinit(&c.has_if);
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_partition_loops(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, partition_loops);
}
