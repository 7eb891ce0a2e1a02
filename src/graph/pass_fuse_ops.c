/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* fuse_ops: calls of loop functions that belong together become one call of one function.
 *
 *   c = R.call_tir(cls.conv2d, (x, w), ...);  d = R.call_tir(cls.relu, (c,), ...)
 *   -> d = R.call_tir(cls.fused_conv2d_relu, (x, w), ...)
 *
 * The new function is private and holds the blocks of all parts, unchanged and in their order, over
 * memory of its own (T.alloc_buffer) for what went between them: no value changes. Schedules then
 * inline and move the blocks. Equal functions are made once. Who goes with whom: fuse_groups.c.
 * Requires: legalize_graph. Idempotent: a fused function says "op_pattern": 8. */
#include "graph/fuse.h"
#include "graph/passes.h"

typedef struct fuser {
  tn_ir *ir;
  tn_module *module;
  tn_func_pool *pool;
  tn_strmap facts; /* name of a loop function -> tn_fuse_func */
  tn_fuse_plan plan;
  uint32_t n_bodies;
  tn_map call_of;        /* id of the GVAR that a call is bound to -> its number */
  tn_map first_of;       /* call that stands for a group -> its last member */
  TN_VEC(uint32_t) next; /* the member before, by call; itself: none */
} fuser;

/* ---- finding the calls ---- */

static const tn_fuse_func *facts_of(fuser *f, const tn_node *callee) {
  const tn_node *func = tn_module_find(f->module, callee->attr.text);
  if (func == NULL || !tn_is(func, TN_OP_PRIM_FUNC)) {
    return NULL;
  }
  tn_fuse_func *facts = tn_strmap_find(&f->facts, callee->attr.text);
  if (facts == NULL) {
    facts = tn_ir_alloc(f->ir, sizeof *facts, sizeof(void *));
    tn_fuse_func_init(f->module, func, facts);
    tn_strmap_set(&f->facts, callee->attr.text, facts);
  }
  return facts;
}

/* NULL when the value is nothing that fuses. */
static tn_status understand(fuser *f, const tn_node *value, const tn_fuse_func **out) {
  *out = NULL;
  if (!tn_is_builtin(value, TN_BUILTIN_CALL_TIR) || value->in[TN_CALL_ARGS]->n_in != 2) {
    return NULL;
  }
  const tn_fuse_func *facts = facts_of(f, tn_call_arg(value, 0));
  if (facts == NULL || facts->pattern == TN_FUSE_OPAQUE ||
      facts->n_inputs != tn_call_arg(value, 1)->n_in ||
      facts->n_outputs != value->in[TN_CALL_TYPES]->n_in) {
    return NULL;
  }
  tn_fuse_types types = {0};
  tn_map sizes = {0};
  tn_status st = tn_fuse_types_of(f->module, value, &types);
  if (st == NULL && tn_fuse_bind_sizes(f->ir, facts->func, types.data, &sizes)) {
    *out = facts;
  }
  TN_VEC_DEINIT(&types);
  tn_map_deinit(&sizes);
  return st;
}

static void find_body(fuser *f, const tn_node *body, tn_status *st) {
  uint32_t number = f->n_bodies++;
  for (uint32_t i = 0; i < tn_body_n(body) && *st == NULL; ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    const tn_fuse_func *facts = NULL;
    if (tn_is(stmt, TN_OP_DATAFLOW)) {
      find_body(f, stmt->in[TN_DATAFLOW_BODY], st);
    } else if (tn_is(stmt, TN_OP_GIF)) {
      find_body(f, stmt->in[TN_GIF_THEN], st);
      find_body(f, stmt->in[TN_GIF_ELSE], st);
    } else if (tn_is(stmt, TN_OP_GBIND)) {
      *st = understand(f, stmt->in[TN_BIND_VALUE], &facts);
    }
    if (facts != NULL) {
      tn_map_set(&f->call_of, stmt->in[TN_BIND_VAR]->id, f->plan.calls.len);
      TN_VEC_PUSH(&f->plan.calls, (tn_fuse_call){.stmt = stmt, .func = facts, .body = number});
    }
  }
}

/* ---- their uses ---- */

static void mark_elsewhere(const tn_node *n, void *ctx) {
  fuser *f = ctx;
  uint64_t at = 0;
  if (tn_is(n, TN_OP_GVAR) && tn_map_find(&f->call_of, n->id, &at)) {
    f->plan.calls.data[at].is_used_elsewhere = true;
  }
}

/* Uses as (call, user, input), to be sorted by call. */
typedef struct edge {
  uint32_t call;
  tn_fuse_use use;
} edge;
typedef TN_VEC(edge) edge_list;

static void note_inputs(fuser *f, uint32_t user, edge_list *edges) {
  const tn_fuse_call *call = &f->plan.calls.data[user];
  const tn_node *inputs = tn_call_arg(call->stmt->in[TN_BIND_VALUE], 1);
  for (uint32_t i = 0; i < inputs->n_in; ++i) {
    uint64_t at = 0;
    if (!tn_is(inputs->in[i], TN_OP_GVAR) || !tn_map_find(&f->call_of, inputs->in[i]->id, &at)) {
      tn_walk_once(f->ir, inputs->in[i], mark_elsewhere, f);
    } else if (f->plan.calls.data[at].body != call->body) {
      f->plan.calls.data[at].is_used_elsewhere = true;
    } else {
      TN_VEC_PUSH(edges, (edge){(uint32_t)at, {user, i}});
      ++f->plan.calls.data[at].n_uses;
    }
  }
}

static void note_body(fuser *f, const tn_node *body, edge_list *edges) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    uint64_t at = 0;
    if (tn_is(stmt, TN_OP_DATAFLOW)) {
      note_body(f, stmt->in[TN_DATAFLOW_BODY], edges);
      tn_walk_once(f->ir, stmt->in[TN_DATAFLOW_OUTPUTS], mark_elsewhere, f);
    } else if (tn_is(stmt, TN_OP_GIF)) {
      tn_walk_once(f->ir, stmt->in[TN_GIF_COND], mark_elsewhere, f);
      note_body(f, stmt->in[TN_GIF_THEN], edges);
      note_body(f, stmt->in[TN_GIF_ELSE], edges);
    } else if (!tn_is(stmt, TN_OP_GBIND)) {
      tn_walk_once(f->ir, stmt, mark_elsewhere, f);
    } else if (tn_map_find(&f->call_of, stmt->in[TN_BIND_VAR]->id, &at)) {
      note_inputs(f, (uint32_t)at, edges);
    } else {
      tn_walk_once(f->ir, stmt->in[TN_BIND_VALUE], mark_elsewhere, f);
    }
  }
}

static void find_uses(fuser *f, const tn_node *body) {
  edge_list edges = {0};
  note_body(f, body, &edges);
  uint32_t n = 0;
  for (size_t i = 0; i < f->plan.calls.len; ++i) {
    f->plan.calls.data[i].first_use = n;
    n += f->plan.calls.data[i].n_uses;
    f->plan.calls.data[i].n_uses = 0;
  }
  for (size_t i = 0; i < edges.len; ++i) {
    TN_VEC_PUSH(&f->plan.uses, edges.data[i].use);
  }
  for (size_t i = 0; i < edges.len; ++i) {
    tn_fuse_call *call = &f->plan.calls.data[edges.data[i].call];
    f->plan.uses.data[call->first_use + call->n_uses++] = edges.data[i].use;
  }
  TN_VEC_DEINIT(&edges);
}

/* ---- putting groups in their place ---- */

/* Members of a group are chained from the last one back. */
static void chain_groups(fuser *f) {
  for (uint32_t i = 0; i < f->plan.calls.len; ++i) {
    uint64_t before = i;
    uint32_t group = tn_fuse_group_of(&f->plan, i);
    (void)tn_map_find(&f->first_of, group, &before);
    TN_VEC_PUSH(&f->next, (uint32_t)before);
    tn_map_set(&f->first_of, group, i);
  }
}

static tn_status push_fused(fuser *f, uint32_t last, tn_stmts *out) {
  const tn_node *members[TN_FUSE_MAX_CALLS];
  uint32_t n = 1;
  for (uint32_t i = last; f->next.data[i] != i; i = f->next.data[i]) {
    ++n;
  }
  for (uint32_t i = last, k = n; k-- > 0; i = f->next.data[i]) {
    members[k] = f->plan.calls.data[i].stmt;
  }
  const tn_node *stmt = members[n - 1];
  const tn_node *call = stmt->in[TN_BIND_VALUE];
  const tn_node *func = NULL;
  const tn_node *args[3] = {NULL};
  TN_TRY(tn_fuse_build(f->module, n, members, &func, &args[1], &args[2]));
  const tn_attr callee = {.text = tn_func_pool_add(f->pool, f->module, func)};
  args[0] = tn_node_new(f->ir, TN_OP_GLOBAL, TN_DT_NONE, callee, 0, NULL);
  const tn_node *fused = tn_call_new(f->ir, tn_op_of(call), args[2] == NULL ? 2 : 3, args,
                                     call->in[TN_CALL_FIELDS], call->in[TN_CALL_TYPES]);
  TN_VEC_PUSH(out, tn_gbind_new(f->ir, stmt->in[TN_BIND_VAR], fused, stmt));
  return NULL;
}

static tn_status fuse_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  fuser *f = pass->ctx;
  uint64_t at = 0;
  uint64_t last = 0;
  if (!tn_is(stmt, TN_OP_GBIND) || !tn_map_find(&f->call_of, stmt->in[TN_BIND_VAR]->id, &at)) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  (void)tn_map_find(&f->first_of, tn_fuse_group_of(&f->plan, (uint32_t)at), &last);
  if (last != at) {
    return NULL; /* the last member does it */
  }
  if (f->next.data[at] != at) {
    return push_fused(f, (uint32_t)at, out);
  }
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static void fuser_deinit(fuser *f) {
  tn_strmap_deinit(&f->facts);
  tn_map_deinit(&f->call_of);
  tn_map_deinit(&f->first_of);
  TN_VEC_DEINIT(&f->plan.calls);
  TN_VEC_DEINIT(&f->plan.uses);
  TN_VEC_DEINIT(&f->next);
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  fuser f = {.ir = module->ir, .module = module, .pool = ctx};
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = fuse_leaf, .ctx = &f};
  const tn_node *body = NULL;
  tn_status st = NULL;
  find_body(&f, func->in[TN_GFUNC_BODY], &st);
  TN_GOTO(st, st, done);
  find_uses(&f, func->in[TN_GFUNC_BODY]);
  tn_fuse_plan_groups(&f.plan);
  chain_groups(&f);
  TN_GOTO(st, tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body), done);
  *out = tn_gfunc_with_body(module->ir, func, body);
done:
  fuser_deinit(&f);
  return st;
}

tn_status tn_pass_fuse_ops(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  tn_func_pool pool = {0};
  tn_status st = tn_each_gfunc(module, &pool, one);
  tn_func_pool_deinit(&pool);
  return st;
}
