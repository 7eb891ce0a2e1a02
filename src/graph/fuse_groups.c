/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which calls become one. A group has one last call, whose outputs are the group's; every other
 * member is used by members alone, so that nothing outside can stand between two of them.
 *
 *   1. A product or reduction takes its epilogue: the elementwise calls that post-dominate it, with
 *      all calls between, where each reads what it is given at the place that it writes.
 *   2. A call whose users are all in one group joins it, unless its elements would be computed more
 *      often than is worth it. What feeds a product stays outside: its elements are read many times.
 *
 * Later calls choose first: what they leave outside is computed before them anyway. Work is linear:
 * searches for post-dominators and regions give up after a few steps. */
#include <stdlib.h>

#include "base/check.h"
#include "graph/fuse.h"

enum { MAX_STEPS = 64, NO_CALL = -1 };

typedef struct group {
  uint32_t n_calls;
  uint32_t n_inputs; /* at most: members' inputs, those inside counted too */
  uint32_t last;     /* the last member in program order */
  bool has_anchor;
} group;

typedef struct grouper {
  tn_fuse_plan *plan;
  group *groups; /* by the call that stands for one */
  int32_t *next; /* immediate post-dominator, NO_CALL: none that is known */
} grouper;

static tn_fuse_call *call_at(const grouper *g, uint32_t i) { return &g->plan->calls.data[i]; }

static const tn_fuse_use *uses_of(const grouper *g, uint32_t i) {
  return &g->plan->uses.data[call_at(g, i)->first_use];
}

uint32_t tn_fuse_group_of(tn_fuse_plan *plan, uint32_t i) {
  uint32_t at = i;
  while (plan->calls.data[at].group != (int32_t)at) {
    at = (uint32_t)plan->calls.data[at].group;
  }
  while (plan->calls.data[i].group != (int32_t)at) { /* shorter next time */
    uint32_t up = (uint32_t)plan->calls.data[i].group;
    plan->calls.data[i].group = (int32_t)at;
    i = up;
  }
  return at;
}

static group *group_of(grouper *g, uint32_t i) { return &g->groups[tn_fuse_group_of(g->plan, i)]; }

static bool is_anchor(const tn_fuse_call *call) {
  return call->func->pattern == TN_FUSE_ANCHOR || call->func->pattern == TN_FUSE_REDUCTION;
}

/* ---- post-dominators ---- */

static int32_t common(const grouper *g, int32_t a, int32_t b) {
  for (int32_t n = 0; a != b && n < MAX_STEPS; ++n) {
    if (a == NO_CALL || b == NO_CALL) {
      return NO_CALL;
    }
    if (a < b) { /* a call's post-dominator comes later */
      a = g->next[a];
    } else {
      b = g->next[b];
    }
  }
  return a == b ? a : NO_CALL;
}

static void find_post_dominators(grouper *g) {
  for (uint32_t i = (uint32_t)g->plan->calls.len; i-- > 0;) {
    const tn_fuse_call *call = call_at(g, i);
    int32_t next = NO_CALL;
    if (!call->is_used_elsewhere && call->n_uses > 0 && call->n_uses <= MAX_STEPS) {
      next = (int32_t)uses_of(g, i)[0].call;
      for (uint32_t u = 1; u < call->n_uses; ++u) {
        next = common(g, next, (int32_t)uses_of(g, i)[u].call);
      }
    }
    g->next[i] = next;
  }
}

/* ---- joining ---- */

static bool has_room(grouper *g, uint32_t a, uint32_t b) {
  const group *x = group_of(g, a);
  const group *y = group_of(g, b);
  return x == y || (x->n_calls + y->n_calls <= TN_FUSE_MAX_CALLS &&
                    x->n_inputs + y->n_inputs <= TN_FUSE_MAX_INPUTS);
}

static void join(grouper *g, uint32_t a, uint32_t b) {
  uint32_t x = tn_fuse_group_of(g->plan, a);
  uint32_t y = tn_fuse_group_of(g->plan, b);
  if (x == y) {
    return;
  }
  group *to = &g->groups[x];
  const group *from = &g->groups[y];
  to->n_calls += from->n_calls;
  to->n_inputs += from->n_inputs;
  to->has_anchor = to->has_anchor || from->has_anchor;
  to->last = from->last > to->last ? from->last : to->last;
  call_at(g, y)->group = (int32_t)x;
}

/* ---- epilogues ---- */

/* The calls after `first` up to `last`, on all paths between. */
typedef struct region {
  uint32_t calls[TN_FUSE_MAX_CALLS];
  uint32_t n;
} region;

static bool is_in(const region *r, uint32_t call) {
  for (uint32_t i = 0; i < r->n; ++i) {
    if (r->calls[i] == call) {
      return true;
    }
  }
  return false;
}

/* Puts the users of a call into the region; false where one of them cannot be an epilogue. */
static bool add_users(grouper *g, region *r, uint32_t i) {
  const tn_fuse_call *call = call_at(g, i);
  for (uint32_t u = 0; u < call->n_uses; ++u) {
    tn_fuse_use use = uses_of(g, i)[u];
    const tn_fuse_func *func = call_at(g, use.call)->func;
    if (func->pattern > TN_FUSE_BROADCAST || !func->is_whole_output ||
        !func->inputs[use.input].is_whole || group_of(g, use.call)->has_anchor) {
      return false;
    }
    if (!is_in(r, use.call)) {
      if (r->n == TN_FUSE_MAX_CALLS) {
        return false;
      }
      r->calls[r->n++] = use.call;
    }
  }
  return true;
}

/* The next elementwise step after `first`, which ends a group; false when there is none. */
static bool grow_epilogue(grouper *g, uint32_t first) {
  if (g->next[first] == NO_CALL || !call_at(g, first)->func->is_whole_output) {
    return false;
  }
  uint32_t last = (uint32_t)g->next[first];
  region r = {0};
  if (!add_users(g, &r, first)) {
    return false;
  }
  for (uint32_t i = 0; i < r.n; ++i) {
    if (r.calls[i] != last &&
        (call_at(g, r.calls[i])->is_used_elsewhere || !add_users(g, &r, r.calls[i]))) {
      return false;
    }
  }
  uint32_t n_inputs = group_of(g, first)->n_inputs;
  for (uint32_t i = 0; i < r.n; ++i) {
    n_inputs += call_at(g, r.calls[i])->func->n_inputs;
  }
  if (group_of(g, first)->n_calls + r.n > TN_FUSE_MAX_CALLS || n_inputs > TN_FUSE_MAX_INPUTS) {
    return false;
  }
  for (uint32_t i = 0; i < r.n; ++i) {
    join(g, first, r.calls[i]);
  }
  return true;
}

/* ---- producers ---- */

static bool can_join_users(grouper *g, uint32_t i, bool *out_is_recomputed) {
  const tn_fuse_call *call = call_at(g, i);
  if (call->func->pattern > TN_FUSE_INJECTIVE || !call->func->is_whole_output ||
      call->is_used_elsewhere || call->n_uses == 0 || group_of(g, i)->has_anchor) {
    return false;
  }
  const group *target = group_of(g, uses_of(g, i)[0].call);
  *out_is_recomputed = false;
  for (uint32_t u = 0; u < call->n_uses; ++u) {
    tn_fuse_use use = uses_of(g, i)[u];
    const tn_fuse_call *user = call_at(g, use.call);
    const tn_fuse_input *input = &user->func->inputs[use.input];
    if (group_of(g, use.call) != target || user->func->pattern > TN_FUSE_REDUCTION) {
      return false;
    }
    *out_is_recomputed =
        *out_is_recomputed || user->is_recomputed || !(input->is_whole || input->is_once);
  }
  return !*out_is_recomputed || call->func->is_cheap;
}

void tn_fuse_plan_groups(tn_fuse_plan *plan) {
  uint32_t n = (uint32_t)plan->calls.len;
  grouper g = {
      .plan = plan, .groups = calloc(n + 1, sizeof(group)), .next = calloc(n + 1, sizeof(int32_t))};
  TN_CHECK(g.groups != NULL && g.next != NULL, "out of memory: %u calls", n);
  for (uint32_t i = 0; i < n; ++i) {
    tn_fuse_call *call = call_at(&g, i);
    call->group = (int32_t)i;
    g.groups[i] = (group){1, call->func->n_inputs, i, is_anchor(call)};
  }
  find_post_dominators(&g);
  for (uint32_t i = n; i-- > 0;) {
    while (is_anchor(call_at(&g, i)) && grow_epilogue(&g, group_of(&g, i)->last)) {
    }
  }
  for (uint32_t i = n; i-- > 0;) {
    bool is_recomputed = false;
    if (can_join_users(&g, i, &is_recomputed) && has_room(&g, i, uses_of(&g, i)[0].call)) {
      call_at(&g, i)->is_recomputed = is_recomputed;
      join(&g, uses_of(&g, i)[0].call, i);
    }
  }
  free(g.groups);
  free(g.next);
}
