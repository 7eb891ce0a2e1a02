/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which tensor lies in which storage. In program order each tensor takes the free storage that fits
 * best; a storage is free again after the last statement that uses its tensor. A storage made
 * inside a branch of an if exists there only. What escapes has its storage for itself. Sizes that
 * are numbers may grow a storage; symbolic ones match only themselves. */
#include "graph/plan.h"

typedef struct live_storage {
  uint32_t index; /* into plan->storages */
  uint32_t end;   /* of its tensor; free when that lies before the statement at hand */
} live_storage;

typedef struct assigner {
  tn_plan *plan;
  uint32_t now;
  uint32_t next;             /* the tensor that comes next in program order */
  TN_VEC(live_storage) live; /* visible ones, outer scopes first */
} assigner;

static bool is_number(const tn_node *bytes) { return bytes->op == TN_OP_INT; }

/* How good a free storage is for `bytes`: smaller is better, INT64_MAX: not at all. Waste counts
 * once, growth twice: memory that is there already is cheaper than new memory. */
static int64_t badness(const tn_node *have, const tn_node *bytes) {
  if (have == bytes) {
    return 0;
  }
  if (!is_number(have) || !is_number(bytes)) {
    return INT64_MAX;
  }
  int64_t diff = have->attr.i64 - bytes->attr.i64;
  enum {
    MAX_RATIO = 16
  }; /* a small tensor must not hold up a big storage, nor a big one blow up a small storage */
  int64_t most = diff > 0 ? have->attr.i64 : bytes->attr.i64;
  int64_t least = diff > 0 ? bytes->attr.i64 : have->attr.i64;
  if (most / MAX_RATIO > least) {
    return INT64_MAX;
  }
  return diff > 0 ? diff : -2 * diff;
}

static live_storage *find_free(assigner *a, const tn_plan_tensor *t) {
  live_storage *best = NULL;
  int64_t best_badness = INT64_MAX;
  for (size_t i = 0; i < a->live.len; ++i) {
    live_storage *s = &a->live.data[i];
    const tn_plan_storage *storage = &a->plan->storages.data[s->index];
    if (storage->is_escaping || s->end >= t->begin) {
      continue;
    }
    int64_t bad = badness(storage->bytes, t->bytes);
    if (bad < best_badness) {
      best = s;
      best_badness = bad;
    }
  }
  return best;
}

static void place(assigner *a, uint32_t index) {
  tn_plan_tensor *t = &a->plan->tensors.data[index];
  live_storage *found = t->is_escaping ? NULL : find_free(a, t);
  if (found != NULL) {
    tn_plan_storage *storage = &a->plan->storages.data[found->index];
    if (is_number(t->bytes) && t->bytes->attr.i64 > storage->bytes->attr.i64) {
      storage->bytes = t->bytes;
    }
    t->storage = found->index;
    found->end = t->end;
    return;
  }
  uint32_t fresh = (uint32_t)a->plan->storages.len;
  tn_plan_storage storage = {.bytes = t->bytes, .is_escaping = t->is_escaping, .first = index};
  TN_VEC_PUSH(&a->plan->storages, storage);
  live_storage live = {.index = fresh, .end = t->end};
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

void tn_plan_assign(const tn_node *func, tn_plan *plan) {
  assigner a = {.plan = plan};
  visit_body(&a, func->in[TN_GFUNC_BODY]);
  TN_VEC_DEINIT(&a.live);
}
