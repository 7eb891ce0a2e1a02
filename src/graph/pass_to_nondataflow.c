/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* to_nondataflow: a dataflow block becomes its bindings, in their order, where it stood.
 *
 *   with R.dataflow(): a = f(x); b = g(a); R.output(b)     ->   a = f(x); b = g(a)
 *
 * After it effects may stand between the bindings. Idempotent. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

static tn_status keep(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  (void)pass;
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static tn_status splice(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  (void)pass;
  if (stmt->op != TN_OP_DATAFLOW) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  const tn_node *body = stmt->in[TN_DATAFLOW_BODY];
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    TN_VEC_PUSH(out, tn_body_at(body, i));
  }
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = keep, .nested = splice};
  const tn_node *body = NULL;
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body));
  *out = tn_gfunc_with_body(module->ir, func, body);
  return NULL;
}

tn_status tn_pass_to_nondataflow(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
