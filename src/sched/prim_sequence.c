/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One loop after another, and back: loop_partition cuts the rounds of a loop into runs, merge makes
 * one loop of neighbours.
 *
 *   for i in range(10):                        for i0 in range(4):
 *       with T.block("B"): ...        ->           with T.block("B_i0"): ...
 *                                              for i1 in range(4, 10):
 *                                                  with T.block("B_i1"): ...
 *
 * Cutting keeps the order of the steps. Merging does not: deps.h decides whether it may. Each run is
 * wrapped in a block of its own, whose scope has one writer of each buffer, so that what can be done
 * with the blocks of the whole can be done with those of a part. */
#include "sched/deps.h"
#include "sched/loops.h"
#include "sched/rewrite.h"

/* ---- loop_partition ---- */

enum { MAX_RUNS = 16 };

typedef struct runs {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *loop;
  uint32_t n;
  const tn_node *begins[MAX_RUNS + 1]; /* from 0 on, without the loop's own minimum */
} runs;

/* The lengths that are given from the front up to None, and from the end down to it. */
static tn_status find_runs(runs *r, tn_arith *arith, const tn_node *factors) {
  tn_ir *ir = r->s->ir;
  const tn_node *handle = r->loop->in[TN_FOR_VAR];
  const tn_node *extent = r->loop->in[TN_FOR_EXTENT];
  int64_t sum = 0;
  uint32_t open = factors->n_in;
  for (uint32_t i = 0; i < factors->n_in; ++i) {
    const tn_node *factor = factors->in[i];
    if (tn_is_none(factor) && open < factors->n_in) {
      return tn_refuse(r->s, handle, NULL, "two lengths are None; at most one can be found");
    }
    if (tn_is_none(factor)) {
      open = i;
    } else if (factor->attr.i64 < 1 || factor->attr.i64 > INT32_MAX) {
      return tn_refuse(r->s, handle, NULL, "length %lld is not positive, or too large",
                       (long long)factor->attr.i64);
    } else {
      sum += factor->attr.i64;
    }
  }
  const tn_node *known = tn_int(ir, extent->dtype, sum);
  if (sum > INT32_MAX || !tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LE, known, extent))) {
    return tn_refuse(r->s, handle, NULL,
                     "the lengths sum up to %lld, which may be more than its "
                     "extent",
                     (long long)sum);
  }
  int64_t at = 0;
  for (uint32_t i = 0; i < factors->n_in; ++i) {
    const tn_node *left = tn_int(ir, extent->dtype, sum - at);
    r->begins[i] =
        i <= open ? tn_int(ir, extent->dtype, at) : tn_index_binary(ir, TN_OP_SUB, extent, left);
    at += i == open ? 0 : factors->in[i]->attr.i64;
  }
  r->n = factors->n_in;
  bool has_rest =
      open == factors->n_in && !tn_arith_prove(arith, tn_index_binary(ir, TN_OP_EQ, known, extent));
  if (has_rest) { /* a last run for what is left */
    r->begins[r->n++] = known;
  }
  r->begins[r->n] = extent;
  return NULL;
}

typedef struct renaming {
  const tn_node *var;
} renaming;

static const tn_node *rename_label(tn_rewriter *rw, const tn_node *n) {
  const renaming *names = rw->ctx;
  if (!tn_is(n, TN_OP_LABEL)) {
    return NULL;
  }
  tn_buf suffix = TN_BUF_INIT;
  tn_buf_printf(&suffix, "_%s", names->var->attr.text);
  const tn_node *made = tn_leaf_suffixed(rw->ir, n, tn_buf_text(&suffix));
  tn_buf_deinit(&suffix);
  return made;
}

static const tn_node *label_for(tn_ir *ir, const char *before, const tn_node *block,
                                const char *after) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s%s%s", before, tn_block_name(block), after);
  const tn_node *label = tn_label_new(ir, tn_ir_text(ir, tn_buf_text(&name)));
  tn_buf_deinit(&name);
  return label;
}

/* The i-th run: a copy of the loop with the bounds of the run. */
static const tn_node *make_run(const runs *r, uint32_t i, const tn_node **out_var) {
  tn_ir *ir = r->s->ir;
  const tn_node *loop = r->loop;
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s%u", loop->in[TN_FOR_VAR]->attr.text, i);
  const tn_node *var =
      tn_var_new(ir, tn_ir_text(ir, tn_buf_text(&name)), loop->in[TN_FOR_VAR]->dtype);
  tn_buf_deinit(&name);
  const tn_node *min = tn_index_binary(ir, TN_OP_ADD, loop->in[TN_FOR_MIN], r->begins[i]);
  const tn_node *extent = tn_index_binary(ir, TN_OP_SUB, r->begins[i + 1], r->begins[i]);
  renaming names = {.var = var};
  const tn_node *body =
      tn_rewrite(ir, tn_clone_fresh(ir, loop->in[TN_FOR_BODY]), rename_label, &names);
  body = tn_subst1(ir, body, loop->in[TN_FOR_VAR], var);
  *out_var = var;
  const tn_node *run = tn_for_new(ir, TN_FOR_SERIAL, var, min, extent, body, NULL, NULL);
  tn_ir_set_pos(ir, run, tn_ir_pos(ir, loop));
  return run;
}

tn_status tn_prim_loop_partition(tn_sched *s, tn_prim_call *call) {
  const tn_node *handle = call->args[0];
  const tn_tree *tree = tn_sched_tree(s, handle);
  runs r = {.s = s, .tree = tree, .loop = tn_tree_site(tree, handle)};
  const tn_node *vars[MAX_RUNS];
  const tn_node *parts[MAX_RUNS];
  const tn_node *blocks[1] = {NULL};
  if (call->args[1]->n_in == 0 || call->args[1]->n_in >= MAX_RUNS) {
    return tn_refuse(s, handle, NULL, "it takes 1 to %d lengths, not %u", MAX_RUNS - 1,
                     call->args[1]->n_in);
  }
  TN_TRY(tn_loop_check_plain(s, r.loop));
  tn_arith *arith = tn_arith_new(s->ir);
  tn_sched_bind_around(tree, arith, tn_tree_parent(tree, r.loop));
  tn_status st = find_runs(&r, arith, call->args[1]);
  tn_arith_free(arith);
  TN_TRY(st);
  bool has_block = tn_tree_child_blocks(r.loop, 1, blocks) > 0;
  for (uint32_t i = 0; i < r.n; ++i) {
    parts[i] = make_run(&r, i, &vars[i]);
    if (has_block) {
      tn_buf after = TN_BUF_INIT;
      tn_buf_printf(&after, "_%s_partition", vars[i]->attr.text);
      const tn_node *label = label_for(s->ir, "", blocks[0], tn_buf_text(&after));
      tn_buf_deinit(&after);
      TN_TRY(tn_block_new(s, label, 0, NULL, NULL, NULL, parts[i], &parts[i]));
    }
  }
  const tn_node *all = tn_seq(s->ir, r.n, parts);
  if (has_block) {
    tn_buf after = TN_BUF_INIT;
    tn_buf_printf(&after, "_%s_common", handle->attr.text);
    const tn_node *label = label_for(s->ir, "", blocks[0], tn_buf_text(&after));
    tn_buf_deinit(&after);
    TN_TRY(tn_block_new(s, label, 0, NULL, NULL, NULL, all, &all));
  }
  all = tn_sched_simplify(s, tree, tn_tree_parent(tree, r.loop), all);
  TN_TRY(tn_sched_replace(s, r.loop, all));
  call->out = tn_list(s->ir, r.n, vars);
  return NULL;
}

/* ---- merge ---- */

/* Loops from below the common SEQ down to the one that is named. */
typedef struct way_down {
  uint32_t n;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
} way_down;

static tn_status find_way(tn_sched *s, const tn_tree *tree, const tn_node *common,
                          const tn_node *loop, way_down *out) {
  const tn_node *at = tn_tree_child_with(tree, common, loop);
  out->n = 0;
  while (at != NULL && tn_is(at, TN_OP_FOR) && out->n < TN_SCHED_MAX_LOOPS) {
    out->loops[out->n++] = at;
    if (at == loop) {
      return NULL;
    }
    at = tn_loop_only_inner(at);
  }
  return tn_refuse(s, loop->in[TN_FOR_VAR], NULL,
                   "more than loops stands between it and what it has in common with the others");
}

static tn_status check_same_form(tn_sched *s, const way_down *a, const way_down *b) {
  const tn_node *handle = b->loops[b->n - 1]->in[TN_FOR_VAR];
  if (a->n != b->n) {
    return tn_refuse(s, handle, NULL, "it is loop number %u of its nest, the first one number %u",
                     b->n, a->n);
  }
  for (uint32_t i = 0; i < a->n; ++i) {
    if (a->loops[i]->in[TN_FOR_EXTENT] != b->loops[i]->in[TN_FOR_EXTENT] ||
        a->loops[i]->in[TN_FOR_MIN] != b->loops[i]->in[TN_FOR_MIN] ||
        a->loops[i]->in[TN_FOR_VAR]->dtype != b->loops[i]->in[TN_FOR_VAR]->dtype) {
      return tn_refuse(s, handle, NULL, "loop '%s' has other bounds than loop '%s'",
                       b->loops[i]->in[TN_FOR_VAR]->attr.text,
                       a->loops[i]->in[TN_FOR_VAR]->attr.text);
    }
    TN_TRY(tn_loop_check_plain(s, a->loops[i]));
    TN_TRY(tn_loop_check_plain(s, b->loops[i]));
  }
  return NULL;
}

/* first and second, neighbours, become one loop over both bodies. */
static tn_status merge_one(tn_sched *s, const tn_node *first, const tn_node *second,
                           const tn_node **out_var) {
  tn_ir *ir = s->ir;
  const tn_tree *tree = tn_sched_tree(s, first);
  const tn_node *a = tn_tree_site(tree, first);
  const tn_node *b = tn_tree_site(tree, second);
  const tn_node *seq = tn_tree_parent(tree, a);
  uint32_t at = 0;
  while (tn_is(seq, TN_OP_SEQ) && seq->in[at] != a) {
    ++at;
  }
  if (!tn_is(seq, TN_OP_SEQ) || at + 1 >= seq->n_in || seq->in[at + 1] != b) {
    return tn_refuse(s, second, NULL, "it does not come right after loop '%s'", first->attr.text);
  }
  TN_TRY(tn_deps_interleave(s, tree, a, b));
  const tn_node *var = tn_leaf_suffixed(ir, first, "_m");
  const tn_node *bodies[] = {tn_subst1(ir, a->in[TN_FOR_BODY], first, var),
                             tn_subst1(ir, b->in[TN_FOR_BODY], second, var)};
  const tn_node *merged = tn_for_new(ir, TN_FOR_SERIAL, var, a->in[TN_FOR_MIN],
                                     a->in[TN_FOR_EXTENT], tn_seq(ir, 2, bodies), NULL, NULL);
  tn_ir_set_pos(ir, merged, tn_ir_pos(ir, a));
  TN_TRY(tn_sched_replace(s, b, tn_none(ir)));
  TN_TRY(tn_sched_replace(s, tn_sched_site(s, first), merged));
  *out_var = var;
  return NULL;
}

/* Two nests of the same form: their outermost loops first. */
static tn_status merge_nests(tn_sched *s, const tn_node *first, const tn_node *second,
                             const tn_node **out_var) {
  const tn_tree *tree = tn_sched_tree(s, first);
  const tn_node *both[] = {tn_tree_site(tree, first), tn_tree_site(tree, second)};
  way_down a;
  way_down b;
  if (both[1] == NULL || tn_tree_is_around(tree, both[0], both[1]) ||
      tn_tree_is_around(tree, both[1], both[0])) {
    return tn_refuse(s, second, NULL, "it is not beside loop '%s'", first->attr.text);
  }
  const tn_node *common = tn_tree_common(tree, 2, both);
  TN_TRY(find_way(s, tree, common, both[0], &a));
  TN_TRY(find_way(s, tree, common, both[1], &b));
  TN_TRY(check_same_form(s, &a, &b));
  for (uint32_t i = 0; i < a.n; ++i) {
    TN_TRY(merge_one(s, a.loops[i]->in[TN_FOR_VAR], b.loops[i]->in[TN_FOR_VAR], out_var));
  }
  return NULL;
}

tn_status tn_prim_merge(tn_sched *s, tn_prim_call *call) {
  const tn_node *handles = call->args[0];
  if (handles->n_in < 2) {
    return tn_refuse(s, NULL, NULL, "it takes at least two loops");
  }
  const tn_node *merged = handles->in[0];
  for (uint32_t i = 1; i < handles->n_in; ++i) {
    if (tn_sched_tree(s, handles->in[i]) == NULL) {
      return tn_refuse(s, handles->in[i], NULL, "it is named twice");
    }
    TN_TRY(merge_nests(s, merged, handles->in[i], &merged));
  }
  call->out = merged;
  return NULL;
}
