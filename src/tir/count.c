/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Counts floating-point operations. A loop whose body counts the same in every turn is counted once
 * and multiplied; one whose variable decides something inside (the extent of a triangle, a guard) is
 * followed turn by turn, up to a budget. A block with a predicate, which tiling leaves where sizes do
 * not divide, runs each of its points once: no more than its axes have, whatever the loops say. */
#include <math.h>

#include "base/vec.h"
#include "tir/tir_priv.h"

enum { BUDGET = 5000000, N_TYPES = 4 };

/* By the width of the operands; bfloat16 apart from float16. */
static const tn_dtype types[N_TYPES] = {TN_DT_F32, TN_DT_F64, TN_DT_F16, TN_DT_BF16};

typedef struct tally {
  double of[N_TYPES];
} tally;

/* What a variable stands for: a number, or what an axis or a name is bound to. */
typedef struct binding {
  const tn_node *value; /* NULL: `number` */
  int64_t number;
  bool is_used;
} binding;

typedef struct counter {
  TN_VEC(binding) bindings;
  tn_map bound; /* id of a variable -> 1 + index in bindings */
  TN_VEC(tally) tallies;
  tn_map known;   /* id of an expression -> index in tallies */
  double n_turns; /* of the loops since the block around */
  int64_t n_left; /* statements and numbers until the budget is used up */
  bool takes_all; /* conditions are taken to hold, unseen */
  bool is_estimate;
  tn_status st; /* why there is no count */
} counter;

/* ---- numbers ---- */

static void bind(counter *c, const tn_node *var, binding b) {
  uint64_t at = 0;
  if (tn_map_find(&c->bound, var->id, &at)) {
    c->bindings.data[at - 1] = b;
    return;
  }
  TN_VEC_PUSH(&c->bindings, b);
  tn_map_set(&c->bound, var->id, c->bindings.len);
}

static bool eval(counter *c, const tn_node *n, int64_t *out);

static bool eval_var(counter *c, const tn_node *var, int64_t *out) {
  uint64_t at = 0;
  if (!tn_map_find(&c->bound, var->id, &at)) {
    return false;
  }
  binding *b = &c->bindings.data[at - 1];
  b->is_used = true;
  if (b->value != NULL) {
    return eval(c, b->value, out);
  }
  *out = b->number;
  return true;
}

static bool divide(tn_op op, int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    return false;
  }
  int64_t quotient = a / b;
  int64_t rest = a % b;
  bool is_below = rest != 0 && (rest < 0) != (b < 0);
  switch (op) {
    case TN_OP_DIV:
      *out = quotient;
      return true;
    case TN_OP_MOD:
      *out = rest;
      return true;
    case TN_OP_FLOORDIV:
      *out = is_below ? quotient - 1 : quotient;
      return true;
    default: /* FLOORMOD */
      *out = is_below ? rest + b : rest;
      return true;
  }
}

static bool eval_binary(tn_op op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
    case TN_OP_ADD:
      return !__builtin_add_overflow(a, b, out);
    case TN_OP_SUB:
      return !__builtin_sub_overflow(a, b, out);
    case TN_OP_MUL:
      return !__builtin_mul_overflow(a, b, out);
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
      return divide(op, a, b, out);
    case TN_OP_MIN:
      *out = a < b ? a : b;
      return true;
    case TN_OP_MAX:
      *out = a > b ? a : b;
      return true;
    case TN_OP_EQ:
      *out = a == b;
      return true;
    case TN_OP_NE:
      *out = a != b;
      return true;
    case TN_OP_LT:
      *out = a < b;
      return true;
    case TN_OP_LE:
      *out = a <= b;
      return true;
    case TN_OP_GT:
      *out = a > b;
      return true;
    case TN_OP_GE:
      *out = a >= b;
      return true;
    default:
      return false;
  }
}

/* `and` and `or` are decided by one side where the other is not known. */
static bool eval_logic(counter *c, const tn_node *n, int64_t *out) {
  bool decides = tn_is(n, TN_OP_OR);
  int n_known = 0;
  for (int i = 0; i < 2; ++i) {
    int64_t side = 0;
    if (!eval(c, n->in[i], &side)) {
      continue;
    }
    if ((side != 0) == decides) {
      *out = decides;
      return true;
    }
    ++n_known;
  }
  *out = !decides;
  return n_known == 2;
}

/* The value of a scalar integer or bool; false when it is not known. */
static bool eval(counter *c, const tn_node *n, int64_t *out) {
  int64_t a = 0;
  int64_t b = 0;
  if (tn_dtype_lanes(n->dtype) != 1 || tn_dtype_is_any_float(n->dtype) || --c->n_left < 0) {
    return false;
  }
  if (tn_is(n, TN_OP_INT)) {
    *out = n->attr.i64;
    return true;
  }
  if (tn_is(n, TN_OP_VAR)) {
    return eval_var(c, n, out);
  }
  if (tn_is(n, TN_OP_AND) || tn_is(n, TN_OP_OR)) {
    return eval_logic(c, n, out);
  }
  if (tn_is(n, TN_OP_NOT)) {
    bool is_known = eval(c, n->in[0], &a);
    *out = a == 0;
    return is_known;
  }
  if (tn_is(n, TN_OP_CAST) || (tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->id == TN_INTRIN_LIKELY)) {
    return eval(c, n->in[0], out); /* sizes fit their types */
  }
  if (tn_is(n, TN_OP_SELECT) || tn_is(n, TN_OP_IF_THEN_ELSE)) {
    return eval(c, n->in[TN_SELECT_COND], &a) &&
           eval(c, n->in[a != 0 ? TN_SELECT_A : TN_SELECT_B], out);
  }
  return n->n_in == 2 && eval(c, n->in[0], &a) && eval(c, n->in[1], &b) &&
         eval_binary((tn_op)n->op, a, b, out);
}

/* ---- expressions ---- */

static void add(tally *to, const tally *t, double times) {
  for (int i = 0; i < N_TYPES; ++i) {
    to->of[i] += times * t->of[i];
  }
}

static double total(const tally *t) {
  double sum = 0;
  for (int i = 0; i < N_TYPES; ++i) {
    sum += t->of[i];
  }
  return sum;
}

/* What the operation itself does for one lane. */
static double ops_of(const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
    case TN_OP_DIV:
    case TN_OP_MOD:
    case TN_OP_MIN:
    case TN_OP_MAX:
      return 1;
    case TN_OP_INTRIN: {
      const tn_intrin *row = tn_intrin_of(n);
      return row->kind != TN_IK_MATH ? 0 : row->id == TN_INTRIN_FMA ? 2 : 1;
    }
    default:
      return 0;
  }
}

static tally count_expr(counter *c, const tn_node *n) {
  tally t = {{0}};
  uint64_t at = 0;
  if (n->n_in == 0 || c->st != NULL) {
    return t;
  }
  if (tn_map_find(&c->known, n->id, &at)) {
    return c->tallies.data[at];
  }
  if (tn_is(n, TN_OP_INVOKE)) {
    c->st = TN_ERR(TN_UNSUPPORTED, "it calls another function");
    return t;
  }
  uint32_t first = tn_is(n, TN_OP_LOAD) || tn_is(n, TN_OP_LET) ? 1 : 0; /* a buffer, a variable */
  if (tn_is(n, TN_OP_IF_THEN_ELSE)) {
    tally a = count_expr(c, n->in[TN_SELECT_A]);
    tally b = count_expr(c, n->in[TN_SELECT_B]);
    c->is_estimate = c->is_estimate || total(&a) != total(&b);
    t = total(&a) >= total(&b) ? a : b;
    a = count_expr(c, n->in[TN_SELECT_COND]);
    add(&t, &a, 1);
    first = n->n_in;
  }
  for (uint32_t i = first; i < n->n_in; ++i) {
    tally part = count_expr(c, n->in[i]);
    add(&t, &part, 1);
  }
  for (int i = 0; i < N_TYPES; ++i) {
    t.of[i] += tn_dtype_elem(n->dtype) == types[i] ? ops_of(n) * tn_dtype_lanes(n->dtype) : 0;
  }
  tn_map_set(&c->known, n->id, c->tallies.len);
  TN_VEC_PUSH(&c->tallies, t);
  return t;
}

/* ---- statements ---- */

static tally count_stmt(counter *c, const tn_node *n);

static tally count_for(counter *c, const tn_node *n) {
  tally sum = {{0}};
  int64_t min = 0;
  int64_t extent = 0;
  const tn_node *var = n->in[TN_FOR_VAR];
  if (!eval(c, n->in[TN_FOR_MIN], &min) || !eval(c, n->in[TN_FOR_EXTENT], &extent)) {
    c->st = TN_ERR(TN_UNSUPPORTED, "the bounds of loop '%s' are not known before the run",
                   var->attr.text);
    return sum;
  }
  double n_turns = c->n_turns;
  c->n_turns *= extent > 0 ? (double)extent : 0;
  for (int64_t i = 0; i < extent && c->st == NULL; ++i) {
    bind(c, var, (binding){.number = min + i});
    tally turn = count_stmt(c, n->in[TN_FOR_BODY]);
    uint64_t at = 0;
    (void)tn_map_find(&c->bound, var->id, &at);
    bool is_same = i == 0 && !c->bindings.data[at - 1].is_used;
    add(&sum, &turn, is_same ? (double)extent : 1);
    if (is_same) {
      break;
    }
  }
  c->n_turns = n_turns;
  return sum;
}

static tally count_if(counter *c, const tn_node *n) {
  int64_t cond = 0;
  tally none = {{0}};
  tally sum = count_expr(c, n->in[TN_IF_COND]);
  if (!c->takes_all && eval(c, n->in[TN_IF_COND], &cond)) {
    const tn_node *taken = n->in[cond != 0 ? TN_IF_THEN : TN_IF_ELSE];
    tally t = tn_is_none(taken) ? none : count_stmt(c, taken);
    add(&sum, &t, 1);
    return sum;
  }
  c->is_estimate = true;
  tally a = count_stmt(c, n->in[TN_IF_THEN]);
  tally b = tn_is_none(n->in[TN_IF_ELSE]) ? none : count_stmt(c, n->in[TN_IF_ELSE]);
  add(&sum, total(&a) >= total(&b) ? &a : &b, 1);
  return sum;
}

/* The points of a block's axes; of the reduction's alone with `is_reduce`. NAN: not known. */
static double n_points(counter *c, const tn_node *iters, bool is_reduce) {
  double n = 1;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    int64_t extent = 0;
    if (is_reduce && iters->in[i]->attr.i64 != TN_ITER_REDUCE) {
      continue;
    }
    n *= eval(c, iters->in[i]->in[TN_ITER_EXTENT], &extent) ? (double)extent : NAN;
  }
  return n;
}

static tally count_block(counter *c, const tn_node *n) {
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  tally sum = {{0}};
  double n_turns = c->n_turns;
  double share = 1;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    bind(c, iters->in[i]->in[TN_ITER_VAR], (binding){.value = iters->in[i]->in[TN_ITER_BINDING]});
  }
  if (!tn_is_int(n->in[TN_BLOCK_PREDICATE], 1)) {
    double n_all = n_points(c, iters, false);
    share = n_all < n_turns ? n_all / n_turns : 1;
    c->is_estimate = true;
  }
  c->n_turns = 1;
  tally body = count_stmt(c, n->in[TN_BLOCK_BODY]);
  add(&sum, &body, share);
  if (!tn_is_none(n->in[TN_BLOCK_INIT])) {
    double n_reduce = n_points(c, iters, true);
    tally init = count_stmt(c, n->in[TN_BLOCK_INIT]);
    add(&sum, &init, n_reduce >= 1 ? share / n_reduce : share);
  }
  c->n_turns = n_turns;
  return sum;
}

static tally count_children(counter *c, const tn_node *n, uint32_t first) {
  tally sum = {{0}};
  for (uint32_t i = first; i < n->n_in; ++i) {
    tally part = count_expr(c, n->in[i]);
    add(&sum, &part, 1);
  }
  return sum;
}

static tally count_stmt(counter *c, const tn_node *n) {
  tally sum = {{0}};
  if (c->st != NULL) {
    return sum;
  }
  if (--c->n_left < 0) {
    c->st = TN_ERR(TN_UNSUPPORTED, "the turns of its loops differ too often to be followed");
    return sum;
  }
  switch (n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        tally part = count_stmt(c, n->in[i]);
        add(&sum, &part, 1);
      }
      return sum;
    case TN_OP_FOR:
      return count_for(c, n);
    case TN_OP_IF:
      return count_if(c, n);
    case TN_OP_BLOCK:
      return count_block(c, n);
    case TN_OP_ATTR:
      return count_stmt(c, n->in[TN_ATTR_BODY]);
    case TN_OP_BIND:
      bind(c, n->in[TN_BIND_VAR], (binding){.value = n->in[TN_BIND_VALUE]});
      return count_expr(c, n->in[TN_BIND_VALUE]);
    case TN_OP_STORE:
      return count_children(c, n, TN_STORE_VALUE);
    case TN_OP_EVAL:
    case TN_OP_RETURN:
      return count_children(c, n, 0);
    case TN_OP_BREAK:
    case TN_OP_CONTINUE:
      c->is_estimate = true;
      return sum;
    case TN_OP_WHILE:
      c->st = TN_ERR(TN_UNSUPPORTED, "how often its while loop turns is not known before the run");
      return sum;
    case TN_OP_LAUNCH:
      c->st = TN_ERR(TN_UNSUPPORTED, "threads of a GPU are not counted");
      return sum;
    default: /* allocations, declarations, assertions */
      return sum;
  }
}

static tally count_func(counter *c, const tn_node *func, const tn_size_value *sizes,
                        size_t n_sizes) {
  tn_map_clear(&c->bound);
  c->bindings.len = 0;
  c->n_left = BUDGET;
  c->n_turns = 1;
  for (size_t i = 0; i < n_sizes; ++i) {
    bind(c, sizes[i].var, (binding){.number = sizes[i].value});
  }
  return count_stmt(c, func->in[TN_PRIM_FUNC_BODY]);
}

tn_status tn_tir_count_flops(const tn_node *func, const tn_size_value *sizes, size_t n_sizes,
                             tn_op_count *out) {
  counter c = {0};
  tally all = count_func(&c, func, sizes, n_sizes);
  if (c.st != NULL && c.n_left < 0) { /* guards decided turn by turn are too many */
    tn_status_free(c.st);
    c.st = NULL;
    c.takes_all = true;
    all = count_func(&c, func, sizes, n_sizes);
  }
  if (c.st == NULL) {
    int most = 0;
    for (int i = 1; i < N_TYPES; ++i) {
      most = all.of[i] > all.of[most] ? i : most;
    }
    *out = (tn_op_count){total(&all), all.of[most] > 0 ? types[most] : TN_DT_NONE, c.is_estimate};
  }
  TN_VEC_DEINIT(&c.bindings);
  TN_VEC_DEINIT(&c.tallies);
  tn_map_deinit(&c.bound);
  tn_map_deinit(&c.known);
  return c.st;
}
