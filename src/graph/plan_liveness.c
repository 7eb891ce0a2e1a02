/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which allocated tensors a variable may stand for, and until when. A variable made from others
 * (another name, a tuple, an item, the value of an if) stands for all of theirs. Calls that write
 * their outputs, prints and shape questions keep nothing; any other call may return or keep its
 * arguments, which then escape. */
#include "arith/arith.h"
#include "graph/plan.h"

typedef struct liveness {
  tn_ir *ir;
  tn_arith *arith;
  tn_plan *plan;
  const tn_node *upper; /* attribute "tir_var_upper_bound": name of a size -> its largest value */
  uint32_t now;         /* number of the statement at hand */
  const tn_node *stmt;  /* that statement */
  tn_map sets;          /* GVAR id -> index + 1 into `lists` */
  TN_VEC(tn_map) lists; /* sets of tensor indices */
} liveness;

enum { ALIGN_BYTES = 64 };

typedef struct bounder {
  liveness *l;
  bool is_bounded;
} bounder;

static void bind_bound(const tn_node *n, void *ctx) {
  bounder *b = ctx;
  if (!tn_is(n, TN_OP_VAR)) {
    return;
  }
  const tn_node *most = tn_dict_find(b->l->upper, n->attr.text);
  if (most == NULL || !tn_is(most, TN_OP_INT) || most->attr.i64 < 0 ||
      most->attr.i64 == INT64_MAX) {
    b->is_bounded = false;
    return;
  }
  tn_arith_bind_range(b->l->arith, n, tn_int(b->l->ir, n->dtype, 0),
                      tn_int(b->l->ir, n->dtype, most->attr.i64 + 1));
}

/* A size with the largest values of all it is made of, where the function promises them. */
static const tn_node *at_most(liveness *l, const tn_node *bytes) {
  if (l->upper == NULL || tn_is(bytes, TN_OP_INT)) {
    return bytes;
  }
  bounder b = {l, true};
  tn_walk_once(l->ir, bytes, bind_bound, &b);
  tn_interval range = tn_arith_bounds(l->arith, bytes);
  return b.is_bounded && range.has_hi ? tn_int(l->ir, TN_DT_I64, range.hi) : bytes;
}

static const tn_node *bytes_of(liveness *l, const tn_node *call) {
  const tn_node *shape = tn_call_arg(call, 0);
  tn_dtype dtype = (tn_dtype)tn_call_arg(call, 1)->attr.i64;
  const tn_node *n = tn_int(l->ir, TN_DT_I64, (int64_t)tn_dtype_bytes(dtype));
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    n = tn_binary(l->ir, TN_OP_MUL, n, shape->in[d]);
  }
  const tn_node *align = tn_int(l->ir, TN_DT_I64, ALIGN_BYTES);
  n = tn_binary(l->ir, TN_OP_ADD, n, tn_int(l->ir, TN_DT_I64, ALIGN_BYTES - 1));
  n = tn_binary(l->ir, TN_OP_FLOORDIV, n, align);
  return at_most(l, tn_arith_simplify(l->arith, tn_binary(l->ir, TN_OP_MUL, n, align)));
}

static tn_map *set_of(liveness *l, const tn_node *var) {
  uint64_t at = 0;
  return tn_map_find(&l->sets, var->id, &at) ? &l->lists.data[at] : NULL;
}

static void add_all(tn_map *to, const tn_map *from) {
  for (size_t i = 0; i < from->cap; ++i) {
    if (from->used[i] != 0) {
      tn_map_set(to, from->slots[2 * i], 1);
    }
  }
}

typedef struct collector {
  liveness *l;
  tn_map *to;
} collector;

static void collect_var(const tn_node *n, void *ctx) {
  collector *c = ctx;
  const tn_map *set = n->op == TN_OP_GVAR ? set_of(c->l, n) : NULL;
  if (set != NULL) {
    add_all(c->to, set);
  }
}

/* All tensors that may be reached through the variables of `expr`. */
static void collect(liveness *l, const tn_node *expr, tn_map *to) {
  collector c = {.l = l, .to = to};
  tn_walk_once(l->ir, expr, collect_var, &c);
}

static void use(liveness *l, const tn_map *set, bool is_escaping) {
  for (size_t i = 0; i < set->cap; ++i) {
    if (set->used[i] != 0) {
      tn_plan_tensor *t = &l->plan->tensors.data[set->slots[2 * i]];
      t->end = l->now;
      t->first = t->first == NULL ? l->stmt : t->first;
      t->last = l->stmt;
      t->is_escaping = t->is_escaping || is_escaping;
    }
  }
}

static void give(liveness *l, const tn_node *var, tn_map set) {
  if (set.len == 0) {
    tn_map_deinit(&set);
    return;
  }
  tn_map_set(&l->sets, var->id, l->lists.len);
  TN_VEC_PUSH(&l->lists, set);
}

static void define(liveness *l, const tn_node *stmt) {
  tn_map own = {0};
  tn_map_set(&own, l->plan->tensors.len, 1);
  TN_VEC_PUSH(&l->plan->tensors, (tn_plan_tensor){.stmt = stmt,
                                                  .begin = l->now,
                                                  .end = l->now,
                                                  .last = stmt,
                                                  .bytes = bytes_of(l, stmt->in[TN_BIND_VALUE]),
                                                  .storage = -1});
  give(l, stmt->in[TN_BIND_VAR], own);
}

typedef enum call_effect { KEEPS_NOTHING, GIVES_BACK, MAY_KEEP } call_effect;

static call_effect effect_of(const tn_node *value) {
  switch (tn_builtin_of(value)) {
    case TN_BUILTIN_VM_CALL_DPS:
    case TN_BUILTIN_PRINT:
    case TN_BUILTIN_ASSERT_OP:
    case TN_BUILTIN_SHAPE_OF:
    case TN_BUILTIN_TENSOR_TO_SHAPE:
    case TN_BUILTIN_SHAPE_TO_TENSOR:
    case TN_BUILTIN_LIST_LENGTH:
    case TN_BUILTIN_LIST_SPLIT:
    case TN_BUILTIN_IS_NULL:
    case TN_BUILTIN_VM_COPY:
    case TN_BUILTIN_KILL_TENSOR:
    case TN_BUILTIN_VM_KILL_OBJECT:
      return KEEPS_NOTHING;
    case TN_BUILTIN_MEMORY_VIEW:
    case TN_BUILTIN_ENSURE_ZERO_OFFSET:
    case TN_BUILTIN_TO_VDEVICE:
    case TN_BUILTIN_HINT_ON_DEVICE:
    case TN_BUILTIN_STOP_LIFT_PARAMS:
      return GIVES_BACK;
    default:
      break;
  }
  bool is_call = value->op == TN_OP_CALL || value->op == TN_OP_INVOKE || value->op == TN_OP_GFUNC;
  return is_call ? MAY_KEEP : GIVES_BACK;
}

static void visit_bind(liveness *l, const tn_node *stmt) {
  const tn_node *value = stmt->in[TN_BIND_VALUE];
  if (tn_is_builtin(value, TN_BUILTIN_ALLOC_TENSOR) && tn_call_arg(value, 0)->op == TN_OP_SHAPE) {
    define(l, stmt);
    return;
  }
  tn_map set = {0};
  collect(l, value, &set);
  call_effect effect = effect_of(value);
  use(l, &set, effect == MAY_KEEP);
  if (effect == KEEPS_NOTHING) {
    tn_map_deinit(&set);
  } else {
    give(l, stmt->in[TN_BIND_VAR], set);
  }
}

/* Uses of `expr`; what it stands for goes on to `var` unless that is NULL. */
static void visit_value(liveness *l, const tn_node *expr, bool is_escaping, const tn_node *var) {
  tn_map set = {0};
  collect(l, expr, &set);
  use(l, &set, is_escaping);
  if (var == NULL) {
    tn_map_deinit(&set);
  } else {
    give(l, var, set);
  }
}

static void visit_body(liveness *l, const tn_node *body);

static void visit_if(liveness *l, const tn_node *stmt) {
  visit_value(l, stmt->in[TN_GIF_COND], false, NULL);
  tn_map set = {0};
  for (int k = TN_GIF_THEN; k <= TN_GIF_ELSE; ++k) {
    visit_body(l, stmt->in[k]);
    const tn_node *last = tn_body_last(stmt->in[k]);
    if (last != NULL && last->op == TN_OP_YIELD) {
      collect(l, last->in[0], &set);
    }
  }
  ++l->now;
  l->stmt = stmt;
  give(l, stmt->in[TN_GIF_VAR], set);
}

static void visit_body(liveness *l, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    ++l->now;
    l->stmt = stmt;
    switch ((int)stmt->op) {
      case TN_OP_GBIND:
        visit_bind(l, stmt);
        break;
      case TN_OP_MATCH_CAST:
        visit_value(l, stmt->in[TN_MATCH_CAST_VALUE], false, stmt->in[TN_MATCH_CAST_VAR]);
        break;
      case TN_OP_GIF:
        visit_if(l, stmt);
        break;
      case TN_OP_DATAFLOW:
        visit_body(l, stmt->in[TN_DATAFLOW_BODY]);
        break;
      case TN_OP_RETURN:
        visit_value(l, stmt->in[0], true, NULL);
        break;
      default:
        visit_value(l, stmt, false, NULL);
        break;
    }
  }
}

void tn_plan_liveness(tn_ir *ir, const tn_node *func, tn_plan *plan) {
  liveness l = {.ir = ir, .arith = tn_arith_new(ir), .plan = plan};
  l.upper = tn_dict_find(func->in[TN_GFUNC_ATTRS], "tir_var_upper_bound");
  visit_body(&l, func->in[TN_GFUNC_BODY]);
  for (size_t i = 0; i < l.lists.len; ++i) {
    tn_map_deinit(&l.lists.data[i]);
  }
  TN_VEC_DEINIT(&l.lists);
  tn_map_deinit(&l.sets);
  tn_arith_free(l.arith);
}

void tn_plan_deinit(tn_plan *plan) {
  TN_VEC_DEINIT(&plan->tensors);
  TN_VEC_DEINIT(&plan->storages);
}
