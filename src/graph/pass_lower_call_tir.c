/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* lower_call_tir: calls that give a result become allocation and a direct call that writes it.
 *
 *   y = R.call_tir(cls.mm, (x, w), out_sinfo=R.Tensor((n, 4), "float32"))
 *   -> y = R.builtin.alloc_tensor(R.shape([n, 4]), R.dtype("float32"), ...)
 *      _ = R.vm.call_dps(cls.mm, x, w, y)
 *
 * call_dps_packed likewise; several outputs: one allocation each, then a tuple; tir_vars come last.
 * An in-place output is its input where that was allocated here and is used by this call only, else
 * a copy: nobody sees a value change. Requires: normalize, to_nondataflow. Guarantees: no operator
 * of the call_tir kind is left; the function says "relax.force_pure", since the calls it makes now
 * are effects on memory of its own. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct lowering {
  bool is_changed;
  tn_map n_seen; /* GVAR id -> occurrences in the function, its binding included */
  tn_map own;    /* GVAR id: bound to an allocation of this function */
} lowering;

static const tn_node *prim(tn_ir *ir, const tn_node *value) {
  return tn_node_new(ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &value);
}

static const tn_node *dtype_node(tn_ir *ir, tn_dtype dtype) {
  return tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL);
}

static const tn_node *alloc_call(tn_ir *ir, const tn_node *type) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  const tn_node *args[] = {
      tn_node_new(ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in),
      dtype_node(ir, type->dtype),
      prim(ir, tn_int(ir, TN_DT_I64, 0)),
      tn_str(ir, "global"),
  };
  return tn_call_new(ir, tn_graph_builtin(TN_BUILTIN_ALLOC_TENSOR), 4, args, NULL, NULL);
}

/* The input that output `i` is written over, or NULL. */
static const tn_node *inplace_input(const tn_node *call, uint32_t i) {
  const tn_node *indices =
      tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE) ? tn_call_field(call, 0) : NULL;
  const tn_node *inputs = tn_call_arg(call, 1);
  if (indices == NULL || i >= indices->n_in || indices->in[i]->attr.i64 < 0 ||
      indices->in[i]->attr.i64 >= (int64_t)inputs->n_in) {
    return NULL;
  }
  return inputs->in[indices->in[i]->attr.i64];
}

/* True when writing over the tensor is seen by nobody: its memory was allocated here, and the call at
 * hand is its only use. */
static bool may_overwrite(const lowering *l, const tn_node *var) {
  uint64_t n = 0;
  return var->op == TN_OP_GVAR && tn_map_find(&l->own, var->id, NULL) &&
         tn_map_find(&l->n_seen, var->id, &n) && n == 2;
}

static const tn_node *push_copy(tn_gpass *pass, const tn_node *stmt, const tn_node *input,
                                const tn_node *type, tn_stmts *out) {
  const tn_node *var = tn_gvar_new(pass->ir, stmt->in[TN_BIND_VAR]->attr.text, type);
  const tn_node *copy =
      tn_call_new(pass->ir, tn_graph_builtin(TN_BUILTIN_VM_COPY), 1, &input, NULL, NULL);
  TN_VEC_PUSH(out, tn_gbind_new(pass->ir, var, copy, stmt));
  return var;
}

/* Allocates the fresh outputs; `outs` gets one variable an output. A single fresh output is the
 * binding's own variable. */
static void make_outputs(tn_gpass *pass, const tn_node *stmt, tn_stmts *outs, tn_stmts *out) {
  const tn_node *call = stmt->in[TN_BIND_VALUE];
  const tn_node *types = call->in[TN_CALL_TYPES];
  const tn_node *var = stmt->in[TN_BIND_VAR];
  lowering *l = pass->ctx;
  for (uint32_t i = 0; i < types->n_in; ++i) {
    const tn_node *place = inplace_input(call, i);
    if (place == NULL) {
      place = types->n_in == 1 ? var : tn_gvar_new(pass->ir, var->attr.text, types->in[i]);
      TN_VEC_PUSH(out, tn_gbind_new(pass->ir, place, alloc_call(pass->ir, types->in[i]), stmt));
      tn_map_set(&l->own, place->id, 1);
    } else if (!may_overwrite(l, place)) {
      place = push_copy(pass, stmt, place, types->in[i], out);
    }
    TN_VEC_PUSH(outs, place);
  }
}

/* Input `i` of the call: the output that is written over it stands in its place. */
static const tn_node *input_of(const tn_node *call, uint32_t i, const tn_stmts *outs) {
  for (uint32_t k = 0; k < outs->len; ++k) {
    const tn_node *indices =
        tn_is_builtin(call, TN_BUILTIN_CALL_TIR_INPLACE) ? tn_call_field(call, 0) : NULL;
    if (indices != NULL && k < indices->n_in && indices->in[k]->attr.i64 == (int64_t)i) {
      return outs->data[k];
    }
  }
  return tn_call_arg(call, 1)->in[i];
}

static void push_direct_call(tn_gpass *pass, const tn_node *stmt, const tn_stmts *outs,
                             tn_stmts *out) {
  const tn_node *call = stmt->in[TN_BIND_VALUE];
  const tn_node *inputs = tn_call_arg(call, 1);
  tn_stmts args = {0};
  TN_VEC_PUSH(&args, tn_call_arg(call, 0));
  for (uint32_t i = 0; i < inputs->n_in; ++i) {
    TN_VEC_PUSH(&args, input_of(call, i, outs));
  }
  for (uint32_t i = 0; i < outs->len; ++i) {
    if (inplace_input(call, i) == NULL) {
      TN_VEC_PUSH(&args, outs->data[i]);
    }
  }
  if (call->in[TN_CALL_ARGS]->n_in == 3) {
    const tn_node *vars = tn_call_arg(call, 2);
    for (uint32_t i = 0; i < vars->n_in; ++i) {
      TN_VEC_PUSH(&args, prim(pass->ir, vars->in[i]));
    }
  }
  const tn_node *direct = tn_call_new(pass->ir, tn_graph_builtin(TN_BUILTIN_VM_CALL_DPS),
                                      (uint32_t)args.len, args.data, NULL, NULL);
  TN_VEC_PUSH(out, tn_gbind_nothing(pass->ir, direct, stmt));
  TN_VEC_DEINIT(&args);
}

static tn_status lower_bind(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  const tn_node *call = stmt->in[TN_BIND_VALUE];
  const tn_node *var = stmt->in[TN_BIND_VAR];
  tn_stmts outs = {0};
  make_outputs(pass, stmt, &outs, out);
  push_direct_call(pass, stmt, &outs, out);
  if (outs.len != 1) {
    const tn_node *tuple =
        tn_node_new(pass->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)outs.len, outs.data);
    TN_VEC_PUSH(out, tn_gbind_new(pass->ir, var, tuple, stmt));
  } else if (inplace_input(call, 0) != NULL) {
    TN_VEC_PUSH(out, tn_gbind_new(pass->ir, var, outs.data[0], stmt));
  }
  TN_VEC_DEINIT(&outs);
  return NULL;
}

static bool is_dps(const tn_node *n) {
  return n->op == TN_OP_CALL && (tn_op_of(n)->flags & TN_OPD_DPS) != 0;
}

static void find_dps(const tn_node *n, void *ctx) {
  bool *is_found = ctx;
  *is_found = *is_found || is_dps(n);
}

static tn_status lower_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  lowering *l = pass->ctx;
  if (stmt->op == TN_OP_GBIND && is_dps(stmt->in[TN_BIND_VALUE])) {
    l->is_changed = true;
    return lower_bind(pass, stmt, out);
  }
  bool is_nested = false;
  tn_walk_once(pass->ir, stmt, find_dps, &is_nested);
  if (is_nested) {
    return TN_ERR(TN_INVALID, "a call_tir stands inside another expression; normalize comes first");
  }
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static tn_status lower_nested(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  lowering *l = pass->ctx;
  if (stmt->op == TN_OP_DATAFLOW && l->is_changed) {
    return TN_ERR(TN_INVALID, "a dataflow block is left; to_nondataflow comes first");
  }
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static tn_visit count_var(const tn_node *n, void *ctx) {
  if (n->op != TN_OP_GVAR) {
    return TN_DESCEND;
  }
  uint64_t seen = 0;
  (void)tn_map_find(ctx, n->id, &seen);
  tn_map_set(ctx, n->id, seen + 1);
  return TN_SKIP;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  tn_ir *ir = module->ir;
  lowering l = {0};
  tn_gpass pass = {
      .ir = ir, .module = module, .leaf = lower_leaf, .nested = lower_nested, .ctx = &l};
  const tn_node *body = NULL;
  tn_walk(func->in[TN_GFUNC_BODY], count_var, NULL, &l.n_seen);
  tn_status st = tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body);
  if (st == NULL) {
    *out = tn_gfunc_lowered_body(ir, func, body);
  }
  tn_map_deinit(&l.n_seen);
  tn_map_deinit(&l.own);
  return st;
}

tn_status tn_pass_lower_call_tir(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
