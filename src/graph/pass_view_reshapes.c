/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* view_reshapes: a call that only gives elements another shape becomes another look at their memory.
 *
 *   y = R.call_tir(cls.reshape, (x,), out_sinfo=R.Tensor((6, 64), "float32"))
 *   -> y = R.memory.view(x, R.shape([6, 64]), R.dtype("float32"), R.prim_value(0))
 *
 * Found from the function's block: the place that it reads is the place that it writes. What others
 * own, parameters and constants, is looked at only where the view does not leave the function: a
 * result never is the caller's memory under another name. Requires: legalize_graph. Idempotent. */
#include "graph/fuse.h"
#include "graph/passes.h"

typedef struct viewer {
  tn_map own;       /* GVAR id: memory of this function */
  tn_map elsewhere; /* GVAR id: used otherwise than as an input of a call_tir */
  tn_strmap known;  /* name of a loop function -> this field when it is a view, else the viewer */
} viewer;

static bool is_call_tir(const tn_node *value) { return tn_is_builtin(value, TN_BUILTIN_CALL_TIR); }

/* ---- uses ---- */

static tn_visit note_use(const tn_node *n, void *ctx) {
  viewer *v = ctx;
  if (tn_is(n, TN_OP_GVAR)) {
    tn_map_set(&v->elsewhere, n->id, 1);
    return TN_SKIP;
  }
  if (!tn_is(n, TN_OP_GBIND)) {
    return TN_DESCEND;
  }
  const tn_node *value = n->in[TN_BIND_VALUE];
  const tn_node *inputs = is_call_tir(value) ? tn_call_arg(value, 1) : NULL;
  if (inputs == NULL) {
    tn_walk(value, note_use, NULL, v);
  }
  for (uint32_t i = 0; inputs != NULL && i < inputs->n_in; ++i) {
    if (!tn_is(inputs->in[i], TN_OP_GVAR)) {
      tn_walk(inputs->in[i], note_use, NULL, v);
    }
  }
  return TN_SKIP;
}

/* ---- views ---- */

static bool is_view(viewer *v, tn_module *module, const char *name) {
  const void *known = tn_strmap_find(&v->known, name);
  if (known == NULL) {
    const tn_node *func = tn_module_find(module, name);
    tn_fuse_func facts = {0};
    if (func != NULL && tn_is(func, TN_OP_PRIM_FUNC)) {
      tn_fuse_func_init(module, func, &facts);
    }
    tn_strmap_set(&v->known, name, facts.is_view ? (void *)&v->known : (void *)v);
    return facts.is_view;
  }
  return known == (void *)&v->known;
}

/* The call fits the function, so that nothing goes unchecked. */
static tn_status call_fits(tn_gpass *pass, const tn_node *call, bool *out) {
  tn_fuse_types types = {0};
  tn_map sizes = {0};
  const tn_node *func = tn_module_find(pass->module, tn_call_arg(call, 0)->attr.text);
  tn_status st = tn_fuse_types_of(pass->module, call, &types);
  *out = st == NULL && types.len == func->in[TN_PRIM_FUNC_BUFFERS]->n_in &&
         tn_fuse_bind_sizes(pass->ir, func, types.data, &sizes);
  TN_VEC_DEINIT(&types);
  tn_map_deinit(&sizes);
  return st;
}

static const tn_node *view_of(tn_ir *ir, const tn_node *base, const tn_node *type) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
  const tn_node *args[] = {
      base,
      tn_node_new(ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in),
      tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = type->dtype}, 0, NULL),
      tn_node_new(ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &zero),
  };
  return tn_call_new(ir, tn_graph_builtin(TN_BUILTIN_MEMORY_VIEW), 4, args, NULL, NULL);
}

static tn_status view_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  viewer *v = pass->ctx;
  const tn_node *var = stmt->in[TN_BIND_VAR];
  const tn_node *call = tn_is(stmt, TN_OP_GBIND) ? stmt->in[TN_BIND_VALUE] : NULL;
  TN_VEC_PUSH(out, stmt);
  if (call == NULL || !is_call_tir(call)) {
    return NULL;
  }
  const tn_node *inputs = tn_call_arg(call, 1);
  bool is_own = inputs->n_in == 1 && tn_map_find(&v->own, inputs->in[0]->id, NULL);
  tn_map_set(&v->own, var->id, 1);
  if (inputs->n_in != 1 || call->in[TN_CALL_ARGS]->n_in != 2 ||
      (!is_own && tn_map_find(&v->elsewhere, var->id, NULL)) ||
      !is_view(v, pass->module, tn_call_arg(call, 0)->attr.text)) {
    return NULL;
  }
  bool fits = false;
  TN_TRY(call_fits(pass, call, &fits));
  if (fits) {
    const tn_node *view = view_of(pass->ir, inputs->in[0], call->in[TN_CALL_TYPES]->in[0]);
    out->data[out->len - 1] = tn_gbind_new(pass->ir, var, view, stmt);
  }
  if (fits && !is_own) {
    tn_map_remove(&v->own, var->id);
  }
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  viewer v = {0};
  (void)ctx;
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = view_leaf, .ctx = &v};
  const tn_node *body = NULL;
  tn_walk(func->in[TN_GFUNC_BODY], note_use, NULL, &v);
  tn_status st = tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body);
  if (st == NULL) {
    *out = tn_gfunc_with_body(module->ir, func, body);
  }
  tn_map_deinit(&v.own);
  tn_map_deinit(&v.elsewhere);
  tn_strmap_deinit(&v.known);
  return st;
}

tn_status tn_pass_view_reshapes(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
