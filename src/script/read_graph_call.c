/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of loop and library functions in destination-passing style, and of functions of the module. */
#include <string.h>

#include "script/read_graph.h"

/* func args types tir_vars?, the operator's fields, then what other years call the types: 2022 gives
 * shapes, and dtype= beside them. */
typedef struct dps_row {
  tn_builtin_id id;
  const char *params;
  int32_t n_fields;
} dps_row;

static const dps_row dps_rows[] = {
    {TN_BUILTIN_CALL_TIR, "gvar args out_sinfo? tir_vars? dtype? out_ty?", 0},
    {TN_BUILTIN_CALL_TIR_INPLACE, "gvar args out_sinfo? tir_vars? inplace_indices dtype? out_ty?",
     1},
    {TN_BUILTIN_CALL_TIR_WITH_GRAD,
     "gvar args out_sinfo? tir_vars? te_grad_name te_grad_kwargs? dtype? out_ty?", 2},
    {TN_BUILTIN_CALL_DPS_PACKED, "func args out_sinfo? tir_vars? dtype? out_ty?", 0},
};
enum { DPS_FUNC, DPS_ARGS, DPS_TYPES, DPS_TIR_VARS, DPS_FIELDS };

/* In 2022 R.call_tir takes the name of a registered function too, in quotes: then *def becomes
 * call_dps_packed. */
static const tn_node *read_callee(tn_reader *r, const tn_ast *ast, const tn_op_def **def) {
  bool is_packed = *def == tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED);
  tn_val v = tn_read_val(r, ast);
  if (v.kind == TN_VAL_STR && !is_packed && tn_strmap_has(&r->funcs, v.text)) {
    return tn_node_new(r->ir, TN_OP_GLOBAL, TN_DT_NONE,
                       (tn_attr){.text = tn_ir_text(r->ir, v.text)}, 0, NULL);
  }
  if (*def == tn_graph_builtin(TN_BUILTIN_CALL_TIR) &&
      (v.kind == TN_VAL_STR || tn_val_is_node(v, TN_OP_EXTERN))) {
    *def = tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED);
    is_packed = true;
  }
  if (is_packed && v.kind == TN_VAL_STR) {
    return tn_graph_extern(r, v.text);
  }
  tn_op want = is_packed ? TN_OP_EXTERN : TN_OP_GLOBAL;
  if (!tn_val_is_node(v, want)) {
    if (!tn_val_is_error(v)) {
      tn_read_fail(r, ast, "bad-callee", NULL, "expected %s, got %s",
                   is_packed ? "the name of a registered function"
                             : "a function of the module: cls.name",
                   tn_val_what(v));
    }
    return NULL;
  }
  return v.node;
}

/* (x, y), or one value for a tuple of one. */
static const tn_node *read_inputs(tn_reader *r, const tn_ast *ast, bool is_inplace) {
  tn_val v = tn_read_val(r, ast);
  if (v.kind == TN_VAL_LIST) {
    return tn_graph_list_to_tuple(r, ast, v);
  }
  const tn_node *one = tn_to_graph(r, ast, v);
  if (one == NULL || one->op == TN_OP_TUPLE) {
    return one;
  }
  if (is_inplace && one->op == TN_OP_GVAR && one->in[0]->op == TN_OP_TY_TUPLE) {
    tn_read_fail(r, ast, "inplace-tuple", NULL,
                 "an in-place call needs its inputs one by one, not a tuple variable");
    return NULL;
  }
  return tn_node_new(r->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, 1, &one);
}

/* (n, 4) and "float32" as R.Tensor((n, 4), "float32"). NULL, reported. */
static const tn_node *type_of_shape(tn_reader *r, const tn_ast *shape, const tn_ast *dtype_ast) {
  tn_dtype dtype = TN_DT_NONE;
  if (dtype_ast == NULL) {
    tn_read_fail(r, shape, "missing-argument", "out_sinfo=R.Tensor(shape, dtype) says both",
                 "a shape alone is no type of a result: dtype= is missing");
    return NULL;
  }
  tn_val v = tn_read_val(r, shape);
  const tn_node *dims = NULL;
  if (tn_val_is_node(v, TN_OP_SHAPE)) {
    dims = v.node;
  } else if (v.kind == TN_VAL_LIST) {
    dims = tn_graph_list_to_shape(r, shape, v);
  } else if (!tn_val_is_error(v)) {
    tn_read_fail(r, shape, "bad-shape", NULL, "expected a shape, got %s", tn_val_what(v));
  }
  if (dims == NULL || !tn_read_dtype(r, dtype_ast, &dtype)) {
    return NULL;
  }
  return tn_ty_tensor(r->ir, dtype, -1, tn_list(r->ir, dims->n_in, dims->in));
}

static bool is_list_ast(const tn_ast *ast) {
  return ast != NULL && (ast->kind == TN_AST_LIST || ast->kind == TN_AST_TUPLE);
}

/* 2022: one shape with one dtype, or a list of shapes with a dtype for all or a list of them. */
static const tn_node *read_shapes(tn_reader *r, const tn_ast *shapes, const tn_ast *dtypes) {
  bool has_many = is_list_ast(shapes) && shapes->n > 0 && is_list_ast(shapes->in[0]);
  uint32_t n = has_many ? shapes->n : 1;
  if (is_list_ast(dtypes) && dtypes->n != n) {
    tn_read_fail(r, dtypes, "wrong-argument-count", NULL, "%u types for %u shapes", dtypes->n, n);
    return NULL;
  }
  const tn_node **types = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    types[i] = type_of_shape(r, has_many ? shapes->in[i] : shapes,
                             is_list_ast(dtypes) ? dtypes->in[i] : dtypes);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, n, types);
}

static bool is_types_ast(tn_reader *r, const tn_ast *ast) {
  return tn_is_type_text(r, is_list_ast(ast) && ast->n > 0 ? ast->in[0] : ast);
}

/* The types of the outputs, whichever year's word gives them. asts: as the row's parameters. */
static const tn_node *read_dps_types(tn_reader *r, const tn_call *call, const dps_row *row,
                                     const tn_ast **asts) {
  const tn_ast *dtype = asts[DPS_FIELDS + row->n_fields];
  const tn_ast *out_ty = asts[DPS_FIELDS + row->n_fields + 1];
  const tn_ast *types = asts[DPS_TYPES] != NULL ? asts[DPS_TYPES] : out_ty;
  const tn_ast *fourth = asts[DPS_TIR_VARS];
  bool is_dtype = fourth != NULL && dtype == NULL &&
                  (fourth->kind == TN_AST_STR ||
                   (is_list_ast(fourth) && fourth->n > 0 && fourth->in[0]->kind == TN_AST_STR));
  if (is_dtype) { /* 2022 has it in this place */
    dtype = fourth;
    asts[DPS_TIR_VARS] = NULL;
  }
  if (types == NULL || (out_ty != NULL && types != out_ty)) {
    tn_read_fail(r, call->ast, types == NULL ? "missing-argument" : "duplicate-argument", NULL,
                 types == NULL ? "%s needs the types of its results: out_sinfo="
                               : "the types of the results of %s are given twice",
                 call->row->name);
    return NULL;
  }
  if (dtype == NULL && (is_types_ast(r, types) || (is_list_ast(types) && types->n == 0))) {
    return tn_graph_read_types(r, types);
  }
  return read_shapes(r, types, dtype);
}

static bool read_tir_vars(tn_reader *r, const tn_ast *ast, tn_graph_op *args) {
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return true;
  }
  if (args->def == tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED)) {
    tn_read_fail(r, ast, "unknown-argument", NULL, "a registered function takes no tir_vars");
    return false;
  }
  tn_val v = tn_read_val(r, ast);
  args->args[2] =
      v.kind == TN_VAL_LIST ? tn_graph_list_to_shape(r, ast, v) : tn_to_graph(r, ast, v);
  args->n_args = 3;
  return args->args[2] != NULL;
}

static tn_val call_dps(tn_reader *r, const tn_call *call) {
  const dps_row *row = &dps_rows[call->row->param];
  const tn_ast *asts[TN_MAX_ARGS] = {NULL};
  tn_graph_op args = {.def = tn_graph_builtin(row->id), .call = call->ast};
  const tn_node *in[3];
  if (!tn_bind_args(r, call->ast, row->params, asts)) {
    return tn_val_error();
  }
  args.args = in;
  in[0] = read_callee(r, asts[DPS_FUNC], &args.def);
  in[1] = read_inputs(r, asts[DPS_ARGS], row->id == TN_BUILTIN_CALL_TIR_INPLACE);
  args.n_args = 2;
  args.types = read_dps_types(r, call, row, asts);
  bool is_ok = read_tir_vars(r, asts[DPS_TIR_VARS], &args);
  tn_graph_op_init(r, &args);
  for (int32_t i = 0; i < args.def->n_fields; ++i) {
    const tn_ast *field = asts[DPS_FIELDS + i];
    args.fields[i] =
        field == NULL ? args.fields[i] : tn_graph_read_field(r, field, &args.def->fields[i]);
    is_ok = is_ok && args.fields[i] != NULL;
  }
  is_ok = is_ok && in[0] != NULL && in[1] != NULL && args.types != NULL;
  return is_ok ? tn_graph_op_make(r, &args) : tn_val_error();
}

tn_val tn_graph_invoke(tn_reader *r, const tn_ast *call, const tn_node *callee) {
  uint32_t n = tn_n_positional(call);
  const tn_node **args = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  if (!tn_check_keywords(r, call, "type_args sinfo_args ty_args")) {
    return tn_val_error();
  }
  for (uint32_t i = 0; i < n; ++i) {
    args[i] = tn_read_graph(r, call->in[1 + i]);
    if (args[i] == NULL) {
      return tn_val_error();
    }
  }
  const tn_ast *types_ast = n + 1 < call->n ? call->in[n + 1]->in[0] : NULL;
  const tn_node *types = types_ast == NULL ? tn_none(r->ir) : tn_graph_read_types(r, types_ast);
  if (types == NULL) {
    return tn_val_error();
  }
  const tn_node *in[3] = {[TN_INVOKE_CALLEE] = callee,
                          [TN_INVOKE_ARGS] = tn_list(r->ir, n, args),
                          [TN_INVOKE_TYPES] = types};
  return tn_val_node(tn_node_new(r->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, in));
}

static const tn_call_row rows[] = {
    {"R.call_tir", call_dps, 0, TN_USE_GRAPH},
    {"R.call_tir_inplace", call_dps, 1, TN_USE_GRAPH},
    {"R.call_tir_with_grad", call_dps, 2, TN_USE_GRAPH},
    {"R.call_dps_packed", call_dps, 3, TN_USE_GRAPH},
};

tn_call_table tn_graph_calls(void) { return (tn_call_table){rows, sizeof rows / sizeof rows[0]}; }
