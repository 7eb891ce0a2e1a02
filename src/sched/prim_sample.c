/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Decisions by chance: numbers that steps use, drawn from the schedule's seed and kept in the trace.
 * A decision that is given is checked and taken.
 *
 * Tiles are uniform over all factorisations that are allowed: the innermost factor is drawn with the
 * weight of how many ways there are to split the rest, then each prime of the rest is shared out. */
#include <math.h>

#include "sched/sched_priv.h"

enum { MAX_PRIMES = 16 }; /* of a number below 2^31 */

/* ---- one of several ---- */

static double as_double(const tn_node *n) {
  return tn_is(n, TN_OP_FLOAT) ? n->attr.f64 : (double)n->attr.i64;
}

static tn_status check_decision(tn_sched *s, const tn_node *decision, int64_t lo, int64_t hi) {
  if (decision->attr.i64 < lo || decision->attr.i64 > hi) {
    return tn_refuse(s, NULL, NULL, "the decision %lld is not in [%lld, %lld]",
                     (long long)decision->attr.i64, (long long)lo, (long long)hi);
  }
  return NULL;
}

tn_status tn_prim_sample_categorical(tn_sched *s, tn_prim_call *call) {
  const tn_node *candidates = call->args[0];
  const tn_node *probs = call->args[1];
  double sum = 0;
  if (candidates->n_in == 0 || candidates->n_in != probs->n_in) {
    return tn_refuse(s, NULL, NULL, "there are %u candidates and %u probabilities",
                     candidates->n_in, probs->n_in);
  }
  for (uint32_t i = 0; i < probs->n_in; ++i) {
    double p = as_double(probs->in[i]);
    if (!(p >= 0) || !isfinite(p)) {
      return tn_refuse(s, NULL, NULL, "probability number %u is not a number from 0 up", i);
    }
    sum += p;
  }
  if (!(sum > 0) || !isfinite(sum)) {
    return tn_refuse(s, NULL, NULL, "the probabilities do not sum up to a number above 0");
  }
  if (tn_is_none(call->args[2])) {
    double left = tn_rng_unit(&s->rng) * sum;
    uint32_t at = 0;
    while (at + 1 < probs->n_in && left >= as_double(probs->in[at])) {
      left -= as_double(probs->in[at++]);
    }
    call->args[2] = tn_int(s->ir, TN_DT_I32, at);
  }
  TN_TRY(check_decision(s, call->args[2], 0, (int64_t)candidates->n_in - 1));
  call->out = candidates->in[call->args[2]->attr.i64];
  return NULL;
}

/* ---- factorisations ---- */

typedef struct primes {
  uint32_t n;
  int64_t prime[MAX_PRIMES];
  int32_t power[MAX_PRIMES];
} primes;

static primes factorise(int64_t value) {
  primes out = {0};
  for (int64_t p = 2; p * p <= value; ++p) {
    if (value % p == 0) {
      out.prime[out.n] = p;
      for (; value % p == 0; value /= p) {
        ++out.power[out.n];
      }
      ++out.n;
    }
  }
  if (value > 1) {
    out.prime[out.n] = value;
    out.power[out.n++] = 1;
  }
  return out;
}

/* How many ways there are to share `power` equal things out among n places. */
static double n_shares(int32_t power, int64_t n) {
  double ways = n > 0 ? 1 : power == 0;
  for (int32_t i = 1; n > 0 && i <= power; ++i) {
    ways = ways * (double)(n - 1 + i) / i;
  }
  return ways;
}

static double n_factorisations(int64_t value, int64_t n) {
  primes p = factorise(value);
  double ways = 1;
  for (uint32_t i = 0; i < p.n; ++i) {
    ways *= n_shares(p.power[i], n);
  }
  return ways;
}

/* Multiplies out[0] .. out[n - 1] by factors of value, uniformly. */
static void share_out(tn_rng *rng, int64_t value, int64_t n, int64_t *out) {
  primes p = factorise(value);
  for (uint32_t i = 0; i < p.n; ++i) {
    int32_t left = p.power[i];
    for (int64_t place = 0; place < n && left > 0; ++place) {
      double at = tn_rng_unit(rng) * n_shares(left, n - place);
      int32_t taken = 0;
      while (taken < left && at >= n_shares(left - taken, n - place - 1)) {
        at -= n_shares(left - taken, n - place - 1);
        ++taken;
      }
      taken = place == n - 1 ? left : taken;
      left -= taken;
      for (; taken > 0; --taken) {
        out[place] *= p.prime[i];
      }
    }
  }
}

/* A divisor of extent up to max, with the weight of the ways that are left. */
static int64_t draw_innermost(tn_rng *rng, int64_t extent, int64_t n, int64_t max) {
  double sum = 0;
  int64_t drawn = 1;
  for (int64_t small = 1; small * small <= extent; ++small) {
    for (int32_t side = 0; side < 2 && extent % small == 0; ++side) {
      int64_t divisor = side == 0 ? small : extent / small;
      if (divisor > max || (side == 1 && divisor == small)) {
        continue;
      }
      double ways = n_factorisations(extent / divisor, n - 1);
      sum += ways;
      if (tn_rng_unit(rng) * sum < ways) { /* each so far with the weight that it has */
        drawn = divisor;
      }
    }
  }
  return drawn;
}

typedef struct tiling {
  int64_t extent;
  int64_t n;
  int64_t max_innermost; /* INT64_MAX: any */
  int64_t inner_pos;     /* the product from here on ... */
  int64_t inner_factor;  /* ... is a multiple of this */
} tiling;

static tn_status find_tiling(tn_sched *s, const tn_node *handle, int64_t n, tiling *out) {
  const tn_tree *tree = tn_sched_tree(s, handle);
  const tn_node *extent = tn_tree_site(tree, handle)->in[TN_FOR_EXTENT];
  if (!tn_is(extent, TN_OP_INT) || extent->attr.i64 < 1 || extent->attr.i64 > INT32_MAX) {
    return tn_refuse(s, handle, NULL, "only extents that are known, from 1 to %d, have factors",
                     INT32_MAX);
  }
  if (n < 1 || n > TN_SCHED_MAX_LOOPS) {
    return tn_refuse(s, handle, NULL, "it can be split into 1 to %d factors, not %lld",
                     TN_SCHED_MAX_LOOPS, (long long)n);
  }
  *out =
      (tiling){.extent = extent->attr.i64, .n = n, .max_innermost = INT64_MAX, .inner_factor = 1};
  return NULL;
}

static tn_status check_tiles(tn_sched *s, const tn_node *handle, const tiling *t,
                             const tn_node *decision) {
  if (decision->n_in != t->n) {
    return tn_refuse(s, handle, NULL, "the decision has %u factors, not %lld", decision->n_in,
                     (long long)t->n);
  }
  int64_t product = 1;
  int64_t inner = 1;
  for (uint32_t i = 0; i < decision->n_in; ++i) {
    int64_t factor = decision->in[i]->attr.i64;
    if (factor < 1 || factor > t->extent || product > t->extent) {
      product = 0;
      break;
    }
    product *= factor;
    inner *= i >= t->inner_pos ? factor : 1;
  }
  if (product != t->extent) {
    return tn_refuse(s, handle, NULL, "the product of the decision is not its extent, %lld",
                     (long long)t->extent);
  }
  if (decision->in[t->n - 1]->attr.i64 > t->max_innermost) {
    return tn_refuse(s, handle, NULL, "the innermost factor, %lld, is more than %lld",
                     (long long)decision->in[t->n - 1]->attr.i64, (long long)t->max_innermost);
  }
  if (inner % t->inner_factor != 0) {
    return tn_refuse(s, handle, NULL,
                     "the product of the factors from number %lld on is no multiple of %lld",
                     (long long)t->inner_pos, (long long)t->inner_factor);
  }
  return NULL;
}

static const tn_node *draw_tiles(tn_sched *s, const tiling *t) {
  int64_t factors[TN_SCHED_MAX_LOOPS];
  const tn_node *items[TN_SCHED_MAX_LOOPS];
  for (int64_t i = 0; i < t->n; ++i) {
    factors[i] = 1;
  }
  int64_t rest = t->extent / t->inner_factor;
  int64_t n = t->n;
  if (t->max_innermost != INT64_MAX && n > 1) {
    factors[--n] = draw_innermost(&s->rng, rest, t->n, t->max_innermost);
    rest /= factors[n];
  }
  share_out(&s->rng, rest, n, factors);
  factors[t->inner_pos] *= t->inner_factor;
  for (int64_t i = 0; i < t->n; ++i) {
    items[i] = tn_int(s->ir, TN_DT_I32, factors[i]);
  }
  return tn_list(s->ir, (uint32_t)t->n, items);
}

tn_status tn_prim_sample_perfect_tile(tn_sched *s, tn_prim_call *call) {
  tiling t;
  int64_t max = call->args[2]->attr.i64;
  TN_TRY(find_tiling(s, call->args[0], call->args[1]->attr.i64, &t));
  if (max != -1 && max < 1) {
    return tn_refuse(s, call->args[0], "-1: any", "max_innermost_factor is %lld", (long long)max);
  }
  t.max_innermost = max == -1 ? INT64_MAX : max;
  if (tn_is_none(call->args[3])) {
    call->args[3] = draw_tiles(s, &t);
  }
  TN_TRY(check_tiles(s, call->args[0], &t, call->args[3]));
  call->out = call->args[3];
  return NULL;
}

tn_status tn_prim_sample_partitioned_tile(tn_sched *s, tn_prim_call *call) {
  tiling t;
  TN_TRY(find_tiling(s, call->args[0], call->args[1]->attr.i64, &t));
  t.inner_pos = call->args[2]->attr.i64;
  t.inner_factor = call->args[3]->attr.i64;
  if (t.inner_pos < 0 || t.inner_pos >= t.n) {
    return tn_refuse(s, call->args[0], NULL, "partition_pos %lld is not in [0, %lld)",
                     (long long)t.inner_pos, (long long)t.n);
  }
  if (t.inner_factor < 1 || t.extent % t.inner_factor != 0) {
    return tn_refuse(s, call->args[0], NULL,
                     "innerpart_factor %lld does not divide its extent, %lld",
                     (long long)t.inner_factor, (long long)t.extent);
  }
  if (tn_is_none(call->args[4])) {
    call->args[4] = draw_tiles(s, &t);
  }
  TN_TRY(check_tiles(s, call->args[0], &t, call->args[4]));
  call->out = call->args[4];
  return NULL;
}

/* ---- where a block could be computed ---- */

/* Would the step be accepted? Tried on a copy. */
static bool would_do(tn_sched *s, const char *name, uint32_t n, const tn_node *const *args) {
  tn_sched *copy = tn_sched_copy(s);
  tn_status st = tn_sched_apply(copy, tn_prim_find(name), n, args, NULL);
  bool is_done = st == NULL;
  tn_status_free(st);
  tn_sched_free(copy);
  return is_done;
}

/* Loops around all consumers, outermost first. */
static uint32_t consumer_loops(const tn_tree *tree, const tn_node *block, const tn_node **out) {
  const tn_node *consumers[TN_SCHED_MAX_BLOCKS];
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n_consumers = tn_block_consumers(tree, block, TN_SCHED_MAX_BLOCKS, consumers);
  uint32_t n_loops = n_consumers == 0 ? 0 : tn_tree_loops(tree, consumers[0], loops);
  uint32_t n = 0;
  for (uint32_t i = 0; i < n_loops; ++i) {
    bool is_common = true;
    for (uint32_t k = 1; k < n_consumers; ++k) {
      is_common = is_common && tn_tree_is_around(tree, loops[i], consumers[k]);
    }
    if (is_common) {
      out[n++] = loops[i]->in[TN_FOR_VAR];
    }
  }
  return n;
}

/* Decisions: a loop by its number, -1 where it is, -2 inline. */
tn_status tn_prim_sample_compute_location(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  int64_t allowed[TN_SCHED_MAX_LOOPS + 2] = {-1};
  uint32_t n_allowed = 1;
  uint32_t n = consumer_loops(tree, tn_tree_site(tree, call->args[0]), loops);
  if (n > 0 && would_do(s, "compute_inline", 1, (const tn_node *const *)call->args)) {
    allowed[n_allowed++] = -2;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *args[] = {call->args[0], loops[i]};
    if (would_do(s, "compute_at", 2, args)) {
      allowed[n_allowed++] = i;
    }
  }
  if (tn_is_none(call->args[1])) {
    call->args[1] = tn_int(s->ir, TN_DT_I32, allowed[tn_rng_below(&s->rng, (uint64_t)n_allowed)]);
  }
  int64_t decision = call->args[1]->attr.i64;
  bool is_allowed = false;
  for (uint32_t i = 0; i < n_allowed; ++i) {
    is_allowed = is_allowed || allowed[i] == decision;
  }
  if (!is_allowed) {
    return tn_refuse(s, call->args[0], "-1: where it is, -2: inline, else the number of a loop",
                     "it can not be computed at place %lld of its consumers' loops",
                     (long long)decision);
  }
  call->out = decision < 0 ? call->args[1] : loops[decision];
  return NULL;
}
