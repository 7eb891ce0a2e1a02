/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Where tensors lie in the one storage that they share: tensors that are alive at one time get places
 * that do not overlap. One after the other each takes the smallest gap that it fits into, or the end.
 * Which order is best depends on the network (large ones first is good for long skips, program order
 * for plain chains), so some are tried, and variants in which what ended up highest goes first; the
 * smallest result is kept, and the search ends where nothing smaller is possible. Very long functions
 * take program order alone, where only what is alive has to be looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "graph/plan.h"

enum { MAX_FOR_ALL_ORDERS = 4096, MAX_ROUNDS = 200, MAX_STEPS = 20 * 1000 * 1000 };

typedef struct piece {
  uint32_t tensor;
  uint32_t begin;
  uint32_t end;
  int64_t bytes;
  int64_t offset;
} piece;

typedef struct placer {
  piece *pieces; /* in the order in which they are placed */
  piece *placed; /* by offset */
  size_t n;
  size_t n_placed;
} placer;

/* ---- orders ---- */

static int by_program(const void *a, const void *b) {
  const piece *x = a;
  const piece *y = b;
  return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static int by_bytes(const void *a, const void *b) {
  const piece *x = a;
  const piece *y = b;
  return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : by_program(a, b);
}

static int by_area(const void *a, const void *b) {
  const piece *x = a;
  const piece *y = b;
  double p = (double)x->bytes * (double)(x->end - x->begin + 1);
  double q = (double)y->bytes * (double)(y->end - y->begin + 1);
  return p != q ? (p > q ? -1 : 1) : by_program(a, b);
}

/* ---- one order ---- */

static int64_t find_gap(const placer *p, const piece *one) {
  int64_t best = -1;
  int64_t best_size = INT64_MAX;
  int64_t free_from = 0;
  for (size_t i = 0; i < p->n_placed; ++i) {
    const piece *other = &p->placed[i];
    if (other->end < one->begin || one->end < other->begin) {
      continue;
    }
    int64_t gap = other->offset - free_from;
    if (gap >= one->bytes && gap < best_size) {
      best = free_from;
      best_size = gap;
    }
    int64_t after = other->offset + other->bytes;
    free_from = after > free_from ? after : free_from;
  }
  return best >= 0 ? best : free_from;
}

static void insert(placer *p, const piece *one) {
  size_t at = p->n_placed++;
  for (; at > 0 && p->placed[at - 1].offset > one->offset; --at) {
    p->placed[at] = p->placed[at - 1];
  }
  p->placed[at] = *one;
}

/* In program order what is dead stays dead. */
static void drop_dead(placer *p, uint32_t begin) {
  size_t n = 0;
  for (size_t i = 0; i < p->n_placed; ++i) {
    if (p->placed[i].end >= begin) {
      p->placed[n++] = p->placed[i];
    }
  }
  p->n_placed = n;
}

static int64_t place_all(placer *p, bool is_program_order) {
  int64_t size = 0;
  p->n_placed = 0;
  for (size_t i = 0; i < p->n; ++i) {
    piece *one = &p->pieces[i];
    if (is_program_order) {
      drop_dead(p, one->begin);
    }
    one->offset = find_gap(p, one);
    insert(p, one);
    size = one->offset + one->bytes > size ? one->offset + one->bytes : size;
  }
  return size;
}

/* The piece that reaches furthest is placed first the next time. */
static void promote_highest(placer *p) {
  size_t at = 0;
  for (size_t i = 1; i < p->n; ++i) {
    const piece *best = &p->pieces[at];
    at = p->pieces[i].offset + p->pieces[i].bytes > best->offset + best->bytes ? i : at;
  }
  piece one = p->pieces[at];
  memmove(p->pieces + 1, p->pieces, at * sizeof one);
  p->pieces[0] = one;
}

/* ---- the best of them ---- */

typedef struct event {
  uint32_t at;
  int64_t bytes; /* more or less from there on */
} event;

static int by_time(const void *a, const void *b) {
  const event *x = a;
  const event *y = b;
  return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int64_t most_alive(const tn_plan *plan) {
  size_t n = 0;
  event *events = calloc(2 * plan->tensors.len + 1, sizeof *events);
  TN_CHECK(events != NULL, "out of memory: %zu tensors", plan->tensors.len);
  for (size_t i = 0; i < plan->tensors.len; ++i) {
    const tn_plan_tensor *t = &plan->tensors.data[i];
    if (tn_plan_is_number(t->bytes) && !t->is_escaping) {
      events[n++] = (event){t->begin, t->bytes->attr.i64};
      events[n++] = (event){t->end + 1, -t->bytes->attr.i64};
    }
  }
  qsort(events, n, sizeof *events, by_time);
  int64_t now = 0;
  int64_t most = 0;
  for (size_t i = 0; i < n; ++i) {
    now += events[i].bytes;
    most = now > most ? now : most;
  }
  free(events);
  return most;
}

int64_t tn_plan_lower_bound(const tn_plan *plan) { return most_alive(plan); }

static size_t take_pieces(const tn_plan *plan, int64_t arena, piece *out) {
  size_t n = 0;
  for (uint32_t i = 0; i < plan->tensors.len; ++i) {
    const tn_plan_tensor *t = &plan->tensors.data[i];
    if (t->storage == arena) {
      out[n++] = (piece){i, t->begin, t->end, t->bytes->attr.i64, 0};
    }
  }
  return n;
}

typedef struct placing {
  tn_plan *plan;
  placer placer;
  int64_t least; /* no placing is smaller */
  int64_t best;
} placing;

/* Places the pieces as they are ordered, and remembers the offsets if they are the best so far. */
static void try_order(placing *g, bool is_program_order) {
  int64_t size = place_all(&g->placer, is_program_order);
  if (size >= g->best) {
    return;
  }
  g->best = size;
  for (size_t i = 0; i < g->placer.n; ++i) {
    const piece *one = &g->placer.pieces[i];
    g->plan->tensors.data[one->tensor].offset = one->offset;
  }
}

static void try_all(placing *g) {
  static int (*const orders[])(const void *, const void *) = {by_program, by_bytes, by_area};
  size_t n = g->placer.n;
  size_t n_rounds = n > MAX_FOR_ALL_ORDERS ? 0 : MAX_STEPS / (n * n + 1);
  n_rounds = n_rounds > MAX_ROUNDS ? MAX_ROUNDS : n_rounds;
  for (size_t k = 0; k < sizeof orders / sizeof *orders && g->best > g->least; ++k) {
    qsort(g->placer.pieces, n, sizeof(piece), orders[k]);
    if (k > 0 && n > MAX_FOR_ALL_ORDERS) {
      return;
    }
    try_order(g, k == 0);
    for (size_t i = 0; i < n_rounds && k > 0 && g->best > g->least; ++i) {
      promote_highest(&g->placer);
      try_order(g, false);
    }
  }
}

int64_t tn_plan_place(tn_plan *plan, int64_t arena) {
  placing g = {.plan = plan,
               .placer = {.pieces = calloc(plan->tensors.len + 1, sizeof(piece)),
                          .placed = calloc(plan->tensors.len + 1, sizeof(piece))},
               .least = most_alive(plan),
               .best = INT64_MAX};
  TN_CHECK(g.placer.pieces != NULL && g.placer.placed != NULL, "out of memory: %zu tensors",
           plan->tensors.len);
  g.placer.n = take_pieces(plan, arena, g.placer.pieces);
  try_all(&g);
  free(g.placer.pieces);
  free(g.placer.placed);
  return g.best;
}
