/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* plan_memory: tensors get places in storages, which are used again once their tensor is dead.
 *
 *   a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), ...)
 *   -> storage = R.memory.alloc_storage(R.shape([64]), ..., keep=True)
 *      a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"))
 *
 * Tensors whose sizes are numbers lie in one storage, allocated first, at offsets of their own; the
 * others in storages allocated just before their first tensor. keep: nothing in it leaves the
 * function, so that it may serve the next run too. Where the attribute "tir_var_upper_bound" gives
 * the largest value of a symbolic size, that counts. The attribute "memory_plan" reports what is
 * known in numbers: planned_bytes, lower_bound_bytes (the most of it that is alive at one time),
 * no_reuse_bytes (a place of its own for each tensor), result_bytes (of what escapes, which is not in
 * the others), n_storages, n_tensors, n_symbolic (storages whose size is an expression).
 * Requires: lower_call_tir. Idempotent. */
#include "graph/passes.h"
#include "graph/plan.h"

typedef struct planner {
  tn_plan plan;
  uint32_t next;     /* tensor that comes next in program order */
  tn_stmts storages; /* GVAR of each storage, NULL before its allocation */
} planner;

static const tn_node *prim_int(tn_ir *ir, int64_t value) {
  const tn_node *n = tn_int(ir, TN_DT_I64, value);
  return tn_node_new(ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &n);
}

static const tn_node *storage_call(tn_ir *ir, const tn_plan_storage *storage) {
  const tn_node *args[] = {
      tn_node_new(ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, 1, &storage->bytes),
      prim_int(ir, 0),
      tn_str(ir, "global"),
      tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = TN_DT_U8}, 0, NULL),
  };
  const tn_node *keep = storage->is_escaping ? tn_none(ir) : tn_bool(ir, true);
  const tn_op_def *op = tn_graph_builtin(TN_BUILTIN_ALLOC_STORAGE);
  return tn_call_new(ir, op, 4, args, tn_list(ir, 1, &keep), NULL);
}

static tn_status place_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  planner *p = pass->ctx;
  if (p->next >= p->plan.tensors.len || p->plan.tensors.data[p->next].stmt != stmt) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  uint32_t index = p->next++;
  int64_t at = p->plan.tensors.data[index].storage;
  const tn_plan_storage *storage = &p->plan.storages.data[at];
  if (!storage->is_arena && storage->first == index) {
    const tn_node *var = tn_gvar_new(pass->ir, "storage", tn_ty_object(pass->ir));
    p->storages.data[at] = var;
    TN_VEC_PUSH(out, tn_gbind_new(pass->ir, var, storage_call(pass->ir, storage), stmt));
  }
  const tn_node *alloc = stmt->in[TN_BIND_VALUE];
  const tn_node *args[] = {p->storages.data[at],
                           prim_int(pass->ir, p->plan.tensors.data[index].offset),
                           tn_call_arg(alloc, 0), tn_call_arg(alloc, 1)};
  const tn_node *tensor =
      tn_call_new(pass->ir, tn_graph_builtin(TN_BUILTIN_STORAGE_TENSOR), 4, args, NULL, NULL);
  const tn_node *in[] = {stmt->in[TN_BIND_VAR], tensor};
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

static const tn_node *report(tn_ir *ir, const tn_plan *plan) {
  int64_t planned = 0;
  int64_t results = 0;
  int64_t no_reuse = 0;
  int64_t n_symbolic = 0;
  for (size_t i = 0; i < plan->storages.len; ++i) {
    const tn_plan_storage *storage = &plan->storages.data[i];
    int64_t bytes = tn_plan_is_number(storage->bytes) ? storage->bytes->attr.i64 : 0;
    planned += storage->is_escaping ? 0 : bytes;
    results += storage->is_escaping ? bytes : 0;
    n_symbolic += storage->bytes->op == TN_OP_INT ? 0 : 1;
  }
  for (size_t i = 0; i < plan->tensors.len; ++i) {
    const tn_plan_tensor *t = &plan->tensors.data[i];
    no_reuse += tn_plan_is_number(t->bytes) && !t->is_escaping ? t->bytes->attr.i64 : 0;
  }
  const struct {
    const char *key;
    int64_t value;
  } rows[] = {{"planned_bytes", planned},
              {"lower_bound_bytes", tn_plan_lower_bound(plan)},
              {"no_reuse_bytes", no_reuse},
              {"result_bytes", results},
              {"n_storages", (int64_t)plan->storages.len},
              {"n_tensors", (int64_t)plan->tensors.len},
              {"n_symbolic", n_symbolic}};
  const tn_node *dict = tn_none(ir);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    dict = tn_dict_set(ir, dict, rows[i].key, tn_int(ir, TN_DT_I64, rows[i].value));
  }
  return dict;
}

/* The arena is allocated before anything else. */
static const tn_node *with_arena(tn_ir *ir, planner *p, const tn_node *body) {
  if (!p->plan.storages.data[0].is_arena) {
    return body;
  }
  tn_stmts stmts = {0};
  const tn_node *call = storage_call(ir, &p->plan.storages.data[0]);
  TN_VEC_PUSH(&stmts, tn_gbind_new(ir, p->storages.data[0], call, NULL));
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    TN_VEC_PUSH(&stmts, tn_body_at(body, i));
  }
  body = tn_seq(ir, (uint32_t)stmts.len, stmts.data);
  TN_VEC_DEINIT(&stmts);
  return body;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  tn_ir *ir = module->ir;
  planner p = {0};
  tn_plan_liveness(ir, func, &p.plan);
  tn_plan_assign(ir, func, &p.plan);
  for (size_t i = 0; i < p.plan.storages.len; ++i) {
    bool is_arena = p.plan.storages.data[i].is_arena;
    TN_VEC_PUSH(&p.storages, is_arena ? tn_gvar_new(ir, "storage", tn_ty_object(ir)) : NULL);
  }
  tn_status st = NULL;
  if (p.plan.tensors.len > 0) {
    tn_gpass pass = {.ir = ir, .module = module, .leaf = place_leaf, .ctx = &p};
    const tn_node *in[] = {func->in[TN_GFUNC_PARAMS], func->in[TN_GFUNC_RET], NULL,
                           func->in[TN_GFUNC_IS_PURE], NULL};
    TN_GOTO(st, tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &in[TN_GFUNC_BODY]), done);
    in[TN_GFUNC_BODY] = with_arena(ir, &p, in[TN_GFUNC_BODY]);
    in[TN_GFUNC_ATTRS] =
        tn_dict_set(ir, func->in[TN_GFUNC_ATTRS], "memory_plan", report(ir, &p.plan));
    *out = tn_node_with(ir, func, in);
  }
done:
  TN_VEC_DEINIT(&p.storages);
  tn_plan_deinit(&p.plan);
  return st;
}

tn_status tn_pass_plan_memory(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
