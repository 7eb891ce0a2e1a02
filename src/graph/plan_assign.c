/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which tensor lies in which storage. Those whose sizes are numbers share one (plan_place.c). Of the
 * others each takes, in program order, the free storage that fits best, going by what sizes would be
 * if every variable were TYPICAL; that storage is as large as its largest tensor, which may be known
 * only at run time. A storage is free again after the last statement that uses its tensor; one made
 * inside a branch of an if exists there only. What escapes has its storage for itself. */
#include "arith/arith.h"
#include "graph/plan.h"

enum {
  TYPICAL = 256,
  MAX_RATIO = 16,
  MOST = INT32_MAX /* of a size, so that two can be compared */
};

typedef struct live_storage {
  uint32_t index; /* into plan->storages */
  uint32_t end;   /* of its tensor; free when that lies before the statement at hand */
  int64_t size;   /* typical */
} live_storage;

typedef struct assigner {
  tn_ir *ir;
  tn_arith *arith;
  tn_plan *plan;
  tn_map at_entry;           /* VAR id: a size that the arguments tell */
  uint32_t next;             /* the tensor that comes next in program order */
  TN_VEC(live_storage) live; /* visible ones, outer scopes first */
} assigner;

/* ---- sizes ---- */

static void take_typical(const tn_node *n, void *ctx) {
  if (tn_is(n, TN_OP_VAR)) {
    tn_map_set(ctx, n->id, TYPICAL);
  }
}

/* 0: nothing is known. */
static int64_t typical_size(assigner *a, const tn_node *bytes) {
  tn_map sizes = {0};
  int64_t size = 0;
  tn_walk_once(a->ir, bytes, take_typical, &sizes);
  tn_status st = tn_dim_eval(bytes, &sizes, &size);
  tn_map_deinit(&sizes);
  bool is_known = st == NULL && size > 0;
  tn_status_free(st);
  return is_known ? size : 0;
}

typedef struct var_check {
  const tn_map *known;
  bool is_known;
} var_check;

static void check_var(const tn_node *n, void *ctx) {
  var_check *c = ctx;
  c->is_known = c->is_known && (!tn_is(n, TN_OP_VAR) || tn_map_find(c->known, n->id, NULL));
}

/* Can the size be computed wherever the function stands? */
static bool is_known_at_entry(assigner *a, const tn_node *bytes) {
  var_check c = {&a->at_entry, true};
  tn_walk_once(a->ir, bytes, check_var, &c);
  return c.is_known;
}

/* How good a free storage is: smaller is better, INT64_MAX: not at all. Waste counts once, growth
 * twice: memory that is there already is cheaper than new memory. A small tensor must not hold up a
 * big storage, nor a big one blow up a small storage. */
static int64_t badness(int64_t have, int64_t want) {
  int64_t most = have > want ? have : want;
  int64_t least = have > want ? want : have;
  if (least == 0 || most / MAX_RATIO > least) {
    return INT64_MAX;
  }
  return have >= want ? have - want : 2 * (want - have);
}

static live_storage *find_free(assigner *a, const tn_plan_tensor *t, int64_t size) {
  live_storage *best = NULL;
  int64_t best_badness = INT64_MAX;
  bool can_move = is_known_at_entry(a, t->bytes);
  for (size_t i = 0; i < a->live.len; ++i) {
    live_storage *s = &a->live.data[i];
    const tn_plan_storage *storage = &a->plan->storages.data[s->index];
    if (storage->is_escaping || s->end >= t->begin) {
      continue;
    }
    int64_t bad = storage->bytes == t->bytes ? -1 : can_move ? badness(s->size, size) : INT64_MAX;
    if (bad < best_badness) {
      best = s;
      best_badness = bad;
    }
  }
  return best;
}

static void place(assigner *a, uint32_t index) {
  tn_plan_tensor *t = &a->plan->tensors.data[index];
  if (t->storage >= 0) {
    return;
  }
  int64_t size = typical_size(a, t->bytes);
  live_storage *found = t->is_escaping ? NULL : find_free(a, t, size);
  if (found != NULL) {
    tn_plan_storage *storage = &a->plan->storages.data[found->index];
    if (storage->bytes != t->bytes) {
      storage->bytes =
          tn_arith_simplify(a->arith, tn_binary(a->ir, TN_OP_MAX, storage->bytes, t->bytes));
      found->size = size > found->size ? size : found->size;
    }
    t->storage = found->index;
    found->end = t->end;
    return;
  }
  uint32_t fresh = (uint32_t)a->plan->storages.len;
  tn_plan_storage storage = {.bytes = t->bytes, .is_escaping = t->is_escaping, .first = index};
  TN_VEC_PUSH(&a->plan->storages, storage);
  live_storage live = {.index = fresh, .end = t->end, .size = size};
  TN_VEC_PUSH(&a->live, live);
  t->storage = fresh;
}

static void visit_body(assigner *a, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    if (a->next < a->plan->tensors.len && a->plan->tensors.data[a->next].stmt == stmt) {
      place(a, a->next++);
    } else if (stmt->op == TN_OP_GIF) {
      for (int k = TN_GIF_THEN; k <= TN_GIF_ELSE; ++k) {
        size_t n_outer = a->live.len;
        visit_body(a, stmt->in[k]);
        a->live.len = n_outer;
      }
    } else if (stmt->op == TN_OP_DATAFLOW) {
      visit_body(a, stmt->in[TN_DATAFLOW_BODY]);
    }
  }
}

static void note_size(const tn_node *n, void *ctx) {
  assigner *a = ctx;
  if (tn_is(n, TN_OP_VAR) && !tn_map_find(&a->at_entry, n->id, NULL)) {
    tn_map_set(&a->at_entry, n->id, 1);
    tn_arith_bind_range(a->arith, n, tn_int(a->ir, n->dtype, 0), tn_int(a->ir, n->dtype, MOST));
  }
}

static void make_arena(assigner *a) {
  bool is_any = false;
  for (size_t i = 0; i < a->plan->tensors.len; ++i) {
    tn_plan_tensor *t = &a->plan->tensors.data[i];
    if (!t->is_escaping && tn_plan_is_number(t->bytes)) {
      t->storage = 0;
      is_any = true;
    }
  }
  if (is_any) {
    const tn_node *bytes = tn_int(a->ir, TN_DT_I64, tn_plan_place(a->plan, 0));
    TN_VEC_PUSH(&a->plan->storages, ((tn_plan_storage){.bytes = bytes, .is_arena = true}));
  }
}

void tn_plan_assign(tn_ir *ir, const tn_node *func, tn_plan *plan) {
  assigner a = {.ir = ir, .arith = tn_arith_new(ir), .plan = plan};
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_walk_once(ir, params->in[i]->in[0], note_size, &a);
  }
  make_arena(&a);
  visit_body(&a, func->in[TN_GFUNC_BODY]);
  TN_VEC_DEINIT(&a.live);
  tn_map_deinit(&a.at_entry);
  tn_arith_free(a.arith);
}
