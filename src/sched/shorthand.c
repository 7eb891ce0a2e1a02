/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Typed shorthands over tn_sched_apply: each makes the nodes of its arguments and no more, so that a
 * step from C is the same step as one from a script. */
#include "sched/sched_priv.h"

static tn_status apply(tn_sched *s, const char *name, uint32_t n, const tn_node *const *args,
                       const tn_node **out) {
  return tn_sched_apply(s, tn_prim_find(name), n, args, out);
}

static const tn_node *i32(tn_sched *s, int64_t value) { return tn_int(s->ir, TN_DT_I32, value); }

tn_status tn_sched_get_block(tn_sched *s, const char *name, const char *func,
                             const tn_node **out_block) {
  const tn_node *args[] = {tn_str(s->ir, name), func == NULL ? NULL : tn_str(s->ir, func)};
  return apply(s, "get_block", 2, args, out_block);
}

static tn_status exactly(const tn_node *list, uint32_t n, const tn_node **out) {
  if (list->n_in != n) {
    return TN_ERR(TN_INVALID, "%u loops, not %u", list->n_in, n);
  }
  for (uint32_t i = 0; i < n; ++i) {
    out[i] = list->in[i];
  }
  return NULL;
}

tn_status tn_sched_get_loops(tn_sched *s, const tn_node *block, uint32_t n,
                             const tn_node **out_loops) {
  const tn_node *list = NULL;
  TN_TRY(apply(s, "get_loops", 1, &block, &list));
  return exactly(list, n, out_loops);
}

tn_status tn_sched_split(tn_sched *s, const tn_node *loop, uint32_t n, const int64_t *factors,
                         const tn_node **out_loops) {
  const tn_node *list = NULL;
  const tn_node *items[TN_SCHED_MAX_LOOPS];
  if (n > TN_SCHED_MAX_LOOPS) {
    return TN_ERR(TN_INVALID, "at most %d factors", TN_SCHED_MAX_LOOPS);
  }
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = factors[i] == -1 ? tn_none(s->ir) : i32(s, factors[i]);
  }
  const tn_node *args[] = {loop, tn_list(s->ir, n, items)};
  TN_TRY(apply(s, "split", 2, args, &list));
  return exactly(list, n, out_loops);
}

tn_status tn_sched_fuse(tn_sched *s, uint32_t n, const tn_node *const *loops,
                        const tn_node **out_loop) {
  const tn_node *list = tn_list(s->ir, n, loops);
  return apply(s, "fuse", 1, &list, out_loop);
}

tn_status tn_sched_reorder(tn_sched *s, uint32_t n, const tn_node *const *loops) {
  const tn_node *list = tn_list(s->ir, n, loops);
  return apply(s, "reorder", 1, &list, NULL);
}

tn_status tn_sched_parallel(tn_sched *s, const tn_node *loop) {
  return apply(s, "parallel", 1, &loop, NULL);
}

tn_status tn_sched_vectorize(tn_sched *s, const tn_node *loop) {
  return apply(s, "vectorize", 1, &loop, NULL);
}

tn_status tn_sched_unroll(tn_sched *s, const tn_node *loop) {
  return apply(s, "unroll", 1, &loop, NULL);
}

tn_status tn_sched_cache_read(tn_sched *s, const tn_node *block, int32_t i_read, const char *scope,
                              const tn_node **out_block) {
  const tn_node *args[] = {block, i32(s, i_read), tn_str(s->ir, scope)};
  return apply(s, "cache_read", 3, args, out_block);
}

tn_status tn_sched_cache_write(tn_sched *s, const tn_node *block, int32_t i_write,
                               const char *scope, const tn_node **out_block) {
  const tn_node *args[] = {block, i32(s, i_write), tn_str(s->ir, scope)};
  return apply(s, "cache_write", 3, args, out_block);
}

tn_status tn_sched_compute_at(tn_sched *s, const tn_node *block, const tn_node *loop) {
  return apply(s, "compute_at", 2, (const tn_node *[]){block, loop}, NULL);
}

tn_status tn_sched_reverse_compute_at(tn_sched *s, const tn_node *block, const tn_node *loop) {
  return apply(s, "reverse_compute_at", 2, (const tn_node *[]){block, loop}, NULL);
}

tn_status tn_sched_compute_inline(tn_sched *s, const tn_node *block) {
  return apply(s, "compute_inline", 1, &block, NULL);
}

tn_status tn_sched_decompose_reduction(tn_sched *s, const tn_node *block, const tn_node *loop,
                                       const tn_node **out_init) {
  return apply(s, "decompose_reduction", 2, (const tn_node *[]){block, loop}, out_init);
}
