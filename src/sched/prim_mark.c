/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a loop or block is to become: parallel, vectorize, unroll, bind, annotate, unannotate.
 *
 * Rounds that run at once must not touch each other's elements: deps.h decides. Lowering keeps a
 * vectorized loop that it can not put into lanes as a serial one, so what it would leave serial for
 * its form (pass_vectorize_loops.c: extents that are not known or too large, a loop inside another
 * vectorized one) is refused here. */
#include <string.h>

#include "sched/deps.h"
#include "sched/loops.h"

enum { MAX_LANES = 256 }; /* of pass_vectorize_loops.c */

static const tn_node *loop_of_kind(const tn_node *stmt, tn_for_kind kind) {
  if (tn_is(stmt, TN_OP_FOR) && stmt->attr.i64 == kind) {
    return stmt;
  }
  const tn_node *found = NULL;
  for (uint32_t i = 0; i < stmt->n_in && found == NULL; ++i) {
    if (tn_op_info_get((tn_op)stmt->in[i]->op)->cls == TN_CLASS_STMT) {
      found = loop_of_kind(stmt->in[i], kind);
    }
  }
  return found;
}

static const tn_node *around_of_kind(const tn_tree *tree, const tn_node *loop, tn_for_kind kind) {
  const tn_node *at = tn_tree_parent(tree, loop);
  while (at != NULL && !(tn_is(at, TN_OP_FOR) && at->attr.i64 == kind)) {
    at = tn_tree_parent(tree, at);
  }
  return at;
}

/* What no kind of loop but a serial one may be. */
static tn_status check_markable(tn_sched *s, const tn_node *loop) {
  if (loop->attr.i64 == TN_FOR_THREAD_BINDING) {
    return tn_refuse(s, loop->in[TN_FOR_VAR], NULL, "it is bound to thread '%s'",
                     loop->in[TN_FOR_THREAD]->attr.text);
  }
  if (tn_loop_exits(loop->in[TN_FOR_BODY]) != 0) {
    return tn_refuse(s, loop->in[TN_FOR_VAR], NULL, "a break or continue leaves its rounds early");
  }
  return NULL;
}

tn_status tn_prim_parallel(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  TN_TRY(check_markable(s, loop));
  const tn_node *lanes = around_of_kind(tree, loop, TN_FOR_VECTORIZED);
  if (lanes != NULL) {
    return tn_refuse(s, call->args[0], "make the outer loop the parallel one",
                     "the loop '%s' around it is vectorized", lanes->in[TN_FOR_VAR]->attr.text);
  }
  TN_TRY(tn_deps_carried(s, tree, loop, TN_FOR_PARALLEL));
  return tn_sched_replace(s, loop, tn_for_with_kind(s->ir, loop, TN_FOR_PARALLEL));
}

static tn_status check_lanes(tn_sched *s, const tn_tree *tree, const tn_node *loop) {
  const tn_node *handle = loop->in[TN_FOR_VAR];
  const tn_node *extent = loop->in[TN_FOR_EXTENT];
  static const char hint[] = "split it first: split(loop, factors=[None, 8]); vectorize the inner";
  if (!tn_is(extent, TN_OP_INT)) {
    return tn_refuse(s, handle, hint, "its extent is not known, and lanes are counted");
  }
  if (extent->attr.i64 > MAX_LANES) {
    return tn_refuse(s, handle, hint, "its extent, %lld, is more than the %d lanes of a vector",
                     (long long)extent->attr.i64, MAX_LANES);
  }
  const tn_node *outer = around_of_kind(tree, loop, TN_FOR_VECTORIZED);
  if (outer != NULL) {
    return tn_refuse(s, handle, NULL, "the loop '%s' around it is vectorized already",
                     outer->in[TN_FOR_VAR]->attr.text);
  }
  static const struct {
    tn_for_kind kind;
    const char *what;
  } inside[] = {{TN_FOR_VECTORIZED, "vectorized already"},
                {TN_FOR_PARALLEL, "parallel"},
                {TN_FOR_THREAD_BINDING, "bound to a thread"}};
  for (size_t i = 0; i < sizeof inside / sizeof *inside; ++i) {
    const tn_node *inner = loop_of_kind(loop->in[TN_FOR_BODY], inside[i].kind);
    if (inner != NULL) {
      return tn_refuse(s, handle, NULL, "the loop '%s' inside of it is %s",
                       inner->in[TN_FOR_VAR]->attr.text, inside[i].what);
    }
  }
  return NULL;
}

tn_status tn_prim_vectorize(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  TN_TRY(check_markable(s, loop));
  TN_TRY(check_lanes(s, tree, loop));
  TN_TRY(tn_deps_carried(s, tree, loop, TN_FOR_VECTORIZED));
  return tn_sched_replace(s, loop, tn_for_with_kind(s->ir, loop, TN_FOR_VECTORIZED));
}

tn_status tn_prim_unroll(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  TN_TRY(check_markable(s, loop));
  return tn_sched_replace(s, loop, tn_for_with_kind(s->ir, loop, TN_FOR_UNROLLED));
}

/* ---- bind ---- */

static const char *const thread_tags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                          "threadIdx.y", "threadIdx.z", "vthread.x",  "vthread.y",
                                          "vthread.z",   "vthread"};

static bool is_thread_tag(const char *tag) {
  for (size_t i = 0; i < sizeof thread_tags / sizeof *thread_tags; ++i) {
    if (strcmp(thread_tags[i], tag) == 0) {
      return true;
    }
  }
  return false;
}

tn_status tn_prim_bind(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  const char *tag = call->args[1]->attr.text;
  if (!is_thread_tag(tag)) {
    return tn_refuse(s, call->args[0], "blockIdx.x, threadIdx.x, vthread.x ...",
                     "'%s' is no axis of threads", tag);
  }
  TN_TRY(check_markable(s, loop));
  for (const tn_node *at = around_of_kind(tree, loop, TN_FOR_THREAD_BINDING); at != NULL;
       at = around_of_kind(tree, at, TN_FOR_THREAD_BINDING)) {
    if (strcmp(at->in[TN_FOR_THREAD]->attr.text, tag) == 0) {
      return tn_refuse(s, call->args[0], NULL, "the loop '%s' around it is bound to '%s' already",
                       at->in[TN_FOR_VAR]->attr.text, tag);
    }
  }
  TN_TRY(tn_deps_carried(s, tree, loop, TN_FOR_THREAD_BINDING));
  const tn_node *bound = tn_for_with_kind(s->ir, loop, TN_FOR_THREAD_BINDING);
  return tn_sched_replace(s, loop, tn_with_child(s->ir, bound, TN_FOR_THREAD, call->args[1]));
}

/* ---- annotations ---- */

static uint32_t annotations_slot(const tn_node *site) {
  return tn_is(site, TN_OP_FOR) ? (uint32_t)TN_FOR_ANNOTATIONS : (uint32_t)TN_BLOCK_ANNOTATIONS;
}

tn_status tn_prim_annotate(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *site = tn_tree_site(tree, call->args[0]);
  uint32_t slot = annotations_slot(site);
  const tn_node *dict = tn_dict_set(s->ir, site->in[slot], call->args[1]->attr.text, call->args[2]);
  return tn_sched_replace(s, site, tn_with_child(s->ir, site, slot, dict));
}

tn_status tn_prim_unannotate(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *site = tn_tree_site(tree, call->args[0]);
  uint32_t slot = annotations_slot(site);
  const char *key = call->args[1]->attr.text;
  const tn_node *dict = site->in[slot];
  if (tn_dict_find(dict, key) == NULL) {
    return tn_refuse(s, call->args[0], NULL, "it has no annotation '%s'", key);
  }
  TN_VEC(const tn_node *) items = {0};
  for (uint32_t i = 0; i < dict->n_in; i += 2) {
    if (strcmp(dict->in[i]->attr.text, key) != 0) {
      TN_VEC_PUSH(&items, dict->in[i]);
      TN_VEC_PUSH(&items, dict->in[i + 1]);
    }
  }
  const tn_node *left = items.len == 0
                            ? tn_none(s->ir)
                            : tn_node_with_n(s->ir, dict, (uint32_t)items.len, items.data);
  TN_VEC_DEINIT(&items);
  return tn_sched_replace(s, site, tn_with_child(s->ir, site, slot, left));
}
