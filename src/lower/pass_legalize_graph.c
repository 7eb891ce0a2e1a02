/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Graph operators become calls of loop functions, made by the operator's own `lower`.
 *
 *   y = R.add(x, w)   ->   y = R.call_tir(cls.add, (x, w), out_sinfo=R.Tensor((4,), "float32"))
 *
 * The new functions are private to the module; structurally equal ones are made once. Operators
 * without a loop form stay (the call_tir kinds among them). Runs before lower_call_tir. */
#include "graph/graph.h"
#include "lower/lower_priv.h"

typedef struct legalize_ctx {
  tn_module *module;
  tn_func_pool made;
  tn_status st;
} legalize_ctx;

/* The arguments that the loop function takes: tensors, those of a tuple one by one; a new shape is
 * in the result's type. */
static tn_status tensor_args(const tn_infer_ctx *infer, const tn_node *args,
                             const tn_node **out_tuple) {
  TN_VEC(const tn_node *) kept = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < args->n_in && st == NULL; ++i) {
    const tn_node *type = NULL;
    st = tn_graph_infer(infer, args->in[i], &type);
    if (st == NULL && tn_is(type, TN_OP_TY_TENSOR)) {
      TN_VEC_PUSH(&kept, args->in[i]);
    }
    for (uint32_t j = 0; st == NULL && tn_is(type, TN_OP_TY_TUPLE) && j < type->n_in; ++j) {
      const tn_node *tuple = args->in[i];
      tn_attr at = {.i64 = j};
      TN_VEC_PUSH(&kept, tn_is(tuple, TN_OP_TUPLE)
                             ? tuple->in[j]
                             : tn_node_new(infer->ir, TN_OP_GET, TN_DT_NONE, at, 1, &tuple));
    }
  }
  *out_tuple = tn_node_new(infer->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){.i64 = 0},
                           (uint32_t)kept.len, kept.data);
  TN_VEC_DEINIT(&kept);
  return st;
}

static tn_status legalize_call(legalize_ctx *c, const tn_node *call, const tn_node **out) {
  tn_ir *ir = c->module->ir;
  const tn_op_def *def = tn_op_of(call);
  const tn_node *func = NULL;
  const tn_node *type = NULL;
  const tn_infer_ctx infer = {.ir = ir, .module = c->module};
  TN_TRY_MSG(tn_graph_infer(&infer, call, &type), "R.%s", def->def.name);
  TN_TRY_MSG(def->lower(ir, call, &func), "R.%s", def->def.name);
  const tn_node *inputs = NULL;
  TN_TRY_MSG(tensor_args(&infer, call->in[TN_CALL_ARGS], &inputs), "R.%s", def->def.name);
  const tn_attr callee = {.text = tn_func_pool_add(&c->made, c->module, func)};
  const tn_node *parts[2] = {tn_node_new(ir, TN_OP_GLOBAL, TN_DT_NONE, callee, 0, NULL), inputs};
  bool is_tuple = tn_is(type, TN_OP_TY_TUPLE);
  const tn_node *in[3] = {[TN_CALL_ARGS] = tn_list(ir, 2, parts),
                          [TN_CALL_FIELDS] = tn_list(ir, 0, NULL),
                          [TN_CALL_TYPES] =
                              is_tuple ? tn_list(ir, type->n_in, type->in) : tn_list(ir, 1, &type)};
  const tn_attr call_tir = {.def = &tn_graph_builtin_find("call_tir")->def};
  *out = tn_node_new(ir, TN_OP_CALL, TN_DT_NONE, call_tir, 3, in);
  return NULL;
}

static const tn_node *legalize_rule(tn_rewriter *rw, const tn_node *n) {
  legalize_ctx *c = rw->ctx;
  if (c->st != NULL || !tn_is(n, TN_OP_CALL) || tn_op_of(n)->lower == NULL) {
    return NULL;
  }
  const tn_node *made = NULL;
  c->st = legalize_call(c, n, &made);
  return made;
}

tn_status tn_pass_legalize_graph(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  legalize_ctx c = {.module = module};
  uint32_t n = module->n_funcs; /* functions made on the way have no operators */
  for (uint32_t i = 0; i < n && c.st == NULL; ++i) {
    const char *name = module->funcs[i].name;
    const tn_node *func = module->funcs[i].func;
    if (!tn_is(func, TN_OP_GFUNC)) {
      continue;
    }
    const tn_node *made = tn_rewrite(module->ir, func, legalize_rule, &c);
    c.st = tn_status_wrap(c.st, "function '%s'", name);
    if (c.st == NULL && made != func) {
      tn_module_set(module, name, made);
    }
  }
  tn_func_pool_deinit(&c.made);
  return c.st;
}
