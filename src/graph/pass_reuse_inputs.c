/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* reuse_inputs: a result is written over an input that nobody needs any more.
 *
 *   y = R.builtin.alloc_tensor(...)        ->   y = x
 *   _ = R.vm.call_dps(cls.relu, x, y)           _ = R.vm.call_dps(cls.relu_inplace, x)
 *
 * The new function has one buffer for both, so that what comes after it (schedules, threads, vector
 * code) sees that they are one; fuse_inplace.c says which functions allow it. The input is memory of
 * this function, of the result's type, used last by the call and given to it once; parameters and
 * constants are never written. Requires: lower_call_tir. Idempotent. */
#include "graph/fuse.h"
#include "graph/passes.h"
#include "graph/plan.h"

typedef struct change {
  uint32_t input; /* arguments of the call */
  uint32_t output;
  const tn_node *callee;
} change;

typedef struct reuser {
  tn_ir *ir;
  tn_module *module;
  tn_func_pool *pool;
  tn_plan plan;
  tn_map names; /* GVAR id -> index + 1 of the tensor whose memory it is; 0: not of this function */
  tn_map changes; /* id of a call's statement -> index + 1 into list */
  tn_map aliases; /* id of an allocation's statement -> the GVAR that takes its place */
  TN_VEC(change) list;
} reuser;

static tn_plan_tensor *tensor_of(reuser *r, const tn_node *var) {
  uint64_t at = 0;
  bool is_own = tn_is(var, TN_OP_GVAR) && tn_map_find(&r->names, var->id, &at) && at > 0;
  return is_own ? &r->plan.tensors.data[at - 1] : NULL;
}

/* ---- may this call do it ---- */

/* No argument but `x` may reach its memory. */
static bool is_given_once(reuser *r, const tn_node *args, const tn_node *x) {
  uint32_t n = 0;
  for (uint32_t i = 1; i < args->n_in; ++i) {
    const tn_node *arg = args->in[i];
    uint64_t at = 0;
    if (tn_is(arg, TN_OP_PRIM) || tn_is(arg, TN_OP_CONST)) {
      continue;
    }
    if (!tn_is(arg, TN_OP_GVAR) || !tn_map_find(&r->names, arg->id, &at)) {
      return false;
    }
    n += at > 0 && tensor_of(r, arg) == tensor_of(r, x);
  }
  return n == 1;
}

static bool can_take(reuser *r, const tn_node *stmt, const tn_node *x, const tn_node *y) {
  const tn_plan_tensor *from = tensor_of(r, x);
  const tn_plan_tensor *to = tensor_of(r, y);
  return from != NULL && to != NULL && from != to && !from->is_escaping && from->last == stmt &&
         from->begin < to->begin && to->first == stmt && x->in[0] == y->in[0] &&
         tn_is(x->in[0], TN_OP_TY_TENSOR) && to->stmt->in[TN_BIND_VAR] == y &&
         is_given_once(r, stmt->in[TN_BIND_VALUE]->in[TN_CALL_ARGS], x);
}

static void take(reuser *r, const tn_node *stmt, const change *how) {
  const tn_node *args = stmt->in[TN_BIND_VALUE]->in[TN_CALL_ARGS];
  tn_plan_tensor *from = tensor_of(r, args->in[how->input]);
  tn_plan_tensor *to = tensor_of(r, args->in[how->output]);
  uint64_t at = 0;
  (void)tn_map_find(&r->names, args->in[how->input]->id, &at);
  tn_map_set(&r->aliases, to->stmt->id, (uint64_t)(uintptr_t)args->in[how->input]);
  tn_map_set(&r->names, args->in[how->output]->id, at);
  from->end = to->end;
  from->last = to->last;
  from->is_escaping = to->is_escaping;
  TN_VEC_PUSH(&r->list, *how);
  tn_map_set(&r->changes, stmt->id, r->list.len);
}

static void look_at_call(reuser *r, const tn_node *stmt) {
  const tn_node *args = stmt->in[TN_BIND_VALUE]->in[TN_CALL_ARGS];
  const tn_node *func =
      tn_is(args->in[0], TN_OP_GLOBAL) ? tn_module_find(r->module, args->in[0]->attr.text) : NULL;
  if (func == NULL || !tn_is(func, TN_OP_PRIM_FUNC) ||
      func->in[TN_PRIM_FUNC_PARAMS]->n_in + 1 != args->n_in) {
    return;
  }
  for (uint32_t o = args->n_in; o-- > 2;) {
    for (uint32_t i = 1; i < o; ++i) {
      if (!can_take(r, stmt, args->in[i], args->in[o])) {
        continue;
      }
      const tn_node *made = tn_fuse_inplace(r->ir, func, i - 1, o - 1);
      if (made != NULL) {
        const tn_attr name = {.text = tn_func_pool_add(r->pool, r->module, made)};
        const tn_node *callee = tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE, name, 0, NULL);
        take(r, stmt, &(change){i, o, callee});
        return;
      }
    }
  }
}

/* ---- the function ---- */

static void name_value(reuser *r, const tn_node *var, const tn_node *value) {
  uint64_t at = 0;
  const tn_node *base =
      tn_is_builtin(value, TN_BUILTIN_MEMORY_VIEW) ? tn_call_arg(value, 0) : value;
  if (tn_is(base, TN_OP_CONST)) {
    tn_map_set(&r->names, var->id, 0);
  } else if (tn_is(base, TN_OP_GVAR) && tn_map_find(&r->names, base->id, &at)) {
    tn_map_set(&r->names, var->id, at);
  }
}

static void look_at_body(reuser *r, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    if (tn_is(stmt, TN_OP_GIF)) {
      look_at_body(r, stmt->in[TN_GIF_THEN]);
      look_at_body(r, stmt->in[TN_GIF_ELSE]);
    } else if (tn_is(stmt, TN_OP_GBIND)) {
      if (tn_is_builtin(stmt->in[TN_BIND_VALUE], TN_BUILTIN_VM_CALL_DPS)) {
        look_at_call(r, stmt);
      }
      name_value(r, stmt->in[TN_BIND_VAR], stmt->in[TN_BIND_VALUE]);
    }
  }
}

static const tn_node *without(tn_ir *ir, const tn_node *args, const change *how) {
  tn_stmts kept = {0};
  TN_VEC_PUSH(&kept, how->callee);
  for (uint32_t i = 1; i < args->n_in; ++i) {
    if (i != how->output) {
      TN_VEC_PUSH(&kept, args->in[i]);
    }
  }
  const tn_node *call = tn_call_new(ir, tn_graph_builtin(TN_BUILTIN_VM_CALL_DPS),
                                    (uint32_t)kept.len, kept.data, NULL, NULL);
  TN_VEC_DEINIT(&kept);
  return call;
}

static tn_status reuse_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  reuser *r = pass->ctx;
  uint64_t word = 0;
  if (tn_map_find(&r->changes, stmt->id, &word)) {
    const tn_node *args = stmt->in[TN_BIND_VALUE]->in[TN_CALL_ARGS];
    const tn_node *call = without(pass->ir, args, &r->list.data[word - 1]);
    stmt = tn_gbind_new(pass->ir, stmt->in[TN_BIND_VAR], call, stmt);
  } else if (tn_map_find(&r->aliases, stmt->id, &word)) {
    const tn_node *value = (const tn_node *)(uintptr_t)word;
    stmt = tn_gbind_new(pass->ir, stmt->in[TN_BIND_VAR], value, stmt);
  }
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static void reuser_deinit(reuser *r) {
  tn_plan_deinit(&r->plan);
  tn_map_deinit(&r->names);
  tn_map_deinit(&r->changes);
  tn_map_deinit(&r->aliases);
  TN_VEC_DEINIT(&r->list);
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  reuser r = {.ir = module->ir, .module = module, .pool = ctx};
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = reuse_leaf, .ctx = &r};
  const tn_node *body = NULL;
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_plan_liveness(module->ir, func, &r.plan);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_map_set(&r.names, params->in[i]->id, 0);
  }
  for (size_t i = 0; i < r.plan.tensors.len; ++i) {
    tn_map_set(&r.names, r.plan.tensors.data[i].stmt->in[TN_BIND_VAR]->id, i + 1);
  }
  look_at_body(&r, func->in[TN_GFUNC_BODY]);
  tn_status st = tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body);
  if (st == NULL) {
    *out = tn_gfunc_with_body(module->ir, func, body);
  }
  reuser_deinit(&r);
  return st;
}

tn_status tn_pass_reuse_inputs(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  tn_func_pool pool = {0};
  tn_status st = tn_each_gfunc(module, &pool, one);
  tn_func_pool_deinit(&pool);
  return st;
}
