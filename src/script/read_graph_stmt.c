/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements and functions of the graph level. A binding makes a variable with the annotated or
 * inferred type; a name may be bound again, which hides the older variable. Each branch of an `if`
 * ends with a binding of one name, which becomes the variable of the `if`; an `if` branch that ends
 * with `y = x` yields x itself. */
#include <string.h>

#include "script/reader.h"

static void read_graph_stmts(tn_reader *r, const tn_ast *suite, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_read_graph_stmt(r, suite->in[i]);
  }
}

/* ---- bindings ---- */

static const tn_node *gvar_new(tn_reader *r, const tn_ast *name, const char *text,
                               const tn_node *type) {
  const tn_node *slot = type == NULL ? tn_none(r->ir) : type;
  const tn_node *var = tn_node_new(r->ir, TN_OP_GVAR, TN_DT_NONE,
                                   (tn_attr){.text = tn_ir_text(r->ir, text)}, 1, &slot);
  tn_mark(r, var, name);
  return var;
}

const tn_node *tn_infer_type(tn_reader *r, const tn_ast *at, const tn_node *expr) {
  const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
  const tn_node *type = NULL;
  return tn_read_ok(r, at, "type-error", tn_graph_infer(&ctx, expr, &type)) ? type : NULL;
}

/* name: annotation = value. NULL, reported, when there is no type to be found. */
static const tn_node *bind_value(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                                 const tn_node *value, const tn_node *annotation) {
  const tn_node *type = annotation != NULL ? annotation : tn_infer_type(r, stmt, value);
  if (type == NULL) {
    return NULL;
  }
  const tn_node *var = gvar_new(r, name, name->kind == TN_AST_NAME ? name->text : "_", type);
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in));
  return var;
}

bool tn_is_match_cast(tn_reader *r, const tn_ast *value) {
  const char *name = value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  return name != NULL &&
         (strcmp(name, "R.match_cast") == 0 || strcmp(name, "R.emit_match_cast") == 0);
}

static const tn_node *bind_match_cast(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                                      const tn_ast *call, const tn_node *annotation) {
  const tn_ast *args[3];
  if (!tn_bind_args(r, call, "value struct_info? ty?", args)) {
    return NULL;
  }
  const tn_ast *type_ast = args[1] != NULL ? args[1] : args[2];
  if (type_ast == NULL || (args[1] != NULL && args[2] != NULL)) {
    tn_read_fail(r, call, type_ast == NULL ? "missing-argument" : "duplicate-argument", NULL,
                 "match_cast takes one type");
    return NULL;
  }
  const tn_node *value = tn_read_graph(r, args[0]);
  tn_collect_symbols(r, type_ast);
  const tn_node *type = tn_read_type(r, type_ast);
  if (value == NULL || type == NULL) {
    return NULL;
  }
  const tn_node *var = gvar_new(r, name, name->text, annotation != NULL ? annotation : type);
  const tn_node *in[3] = {
      [TN_MATCH_CAST_VAR] = var, [TN_MATCH_CAST_VALUE] = value, [TN_MATCH_CAST_TYPE] = type};
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  return var;
}

/* Values that are names for things and no bindings: the module, symbols, Python values. */
static bool is_thing(tn_val v) {
  return v.kind == TN_VAL_MODULE || v.kind == TN_VAL_DICT ||
         (v.kind == TN_VAL_NODE &&
          (v.node->op == TN_OP_VAR || tn_op_info_get((tn_op)v.node->op)->cls == TN_CLASS_TYPE ||
           v.node->op == TN_OP_LAMBDA || v.node->op == TN_OP_TARGET));
}

/* A type annotation; symbols in quotes are looked up, not made, outside of signatures. */
static const tn_node *read_annotation(tn_reader *r, const tn_ast *ast, bool *is_ok) {
  const tn_node *type = ast == NULL ? NULL : tn_read_type(r, ast);
  *is_ok = ast == NULL || type != NULL;
  return type;
}

static void assign(tn_reader *r, const tn_ast *stmt, const tn_ast *target, const tn_ast *annotation,
                   const tn_ast *value) {
  bool is_ok = true;
  if (target->kind != TN_AST_NAME) {
    tn_read_fail(r, target, "bad-target", NULL, "expected a name on the left of '='");
    return;
  }
  bool is_match_cast = tn_is_match_cast(r, value);
  if (is_match_cast) { /* its type makes symbols, and the annotation may name them first */
    tn_collect_symbols(r, annotation);
  }
  const tn_node *type = read_annotation(r, annotation, &is_ok);
  if (is_match_cast) {
    const tn_node *var = bind_match_cast(r, stmt, target, value, type);
    tn_scopes_set(&r->scopes, target->text,
                  var == NULL || !is_ok ? tn_val_error() : tn_val_node(var));
    return;
  }
  tn_val v = tn_read_rhs(r, value, 1, &target);
  if (is_thing(v) && annotation == NULL) {
    if (v.kind == TN_VAL_NODE && v.node->op == TN_OP_VAR && tn_ir_pos(r->ir, v.node).line == 0) {
      tn_mark(r, v.node, target);
    }
    tn_scopes_set(&r->scopes, target->text, v);
    return;
  }
  const tn_node *expr = v.kind == TN_VAL_VOID ? NULL : tn_to_graph(r, value, v);
  if (v.kind == TN_VAL_VOID) {
    tn_read_fail(r, stmt, "not-an-expression", NULL, "'%s' is given no value", target->text);
  }
  const tn_node *var = expr == NULL || !is_ok ? NULL : bind_value(r, stmt, target, expr, type);
  tn_scopes_set(&r->scopes, target->text, var == NULL ? tn_val_error() : tn_val_node(var));
}

/* m, n = T.int64(), T.int64() */
static void assign_many(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                        const tn_ast *value) {
  bool is_pairwise =
      (value->kind == TN_AST_TUPLE || value->kind == TN_AST_LIST) && value->n == target->n;
  for (uint32_t i = 0; i < target->n; ++i) {
    if (is_pairwise) {
      assign(r, stmt, target->in[i], NULL, value->in[i]);
    } else if (target->in[i]->kind == TN_AST_NAME) {
      tn_scopes_set(&r->scopes, target->in[i]->text, tn_val_error());
    }
  }
  if (!is_pairwise) {
    tn_read_fail(r, stmt, "wrong-target-count", NULL,
                 "%u names need %u values: take a tuple apart with t[0], t[1] ...", target->n,
                 target->n);
  }
}

/* ---- dataflow ---- */

static void read_output(tn_reader *r, const tn_ast *call) {
  if (!r->in_dataflow || r->outputs != NULL) {
    tn_read_fail(r, call, r->in_dataflow ? "given-twice" : "wrong-place", NULL, "%s",
                 r->in_dataflow ? "a dataflow block has one R.output"
                                : "R.output stands in a dataflow block");
    return;
  }
  uint32_t n = call->n - 1;
  const tn_node **vars = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  uint32_t n_vars = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *name = call->in[1 + i];
    tn_val v = name->kind == TN_AST_NAME ? tn_read_name(r, name) : tn_val_error();
    bool is_own = name->kind == TN_AST_NAME && tn_scopes_is_local(&r->scopes, name->text) &&
                  tn_val_is_node(v, TN_OP_GVAR);
    if (is_own) {
      vars[n_vars++] = v.node;
    } else if (name->kind != TN_AST_NAME || !tn_val_is_error(v)) {
      tn_read_fail(r, name, "bad-output", NULL,
                   "R.output takes names that the dataflow block binds");
    }
  }
  r->outputs = tn_list(r->ir, n_vars, vars);
}

static void read_dataflow(tn_reader *r, const tn_ast *stmt) {
  if (r->in_dataflow) {
    tn_read_fail(r, stmt, "wrong-place", NULL, "a dataflow block cannot stand in another one");
    return;
  }
  tn_body body = {0};
  tn_body *outer = r->body;
  r->body = &body;
  r->in_dataflow = true;
  r->outputs = NULL;
  tn_scopes_push(&r->scopes, TN_FRAME_DATAFLOW);
  read_graph_stmts(r, stmt->in[TN_AST_WITH_BODY], stmt->in[TN_AST_WITH_BODY]->n);
  const tn_node *outputs = r->outputs != NULL ? r->outputs : tn_list(r->ir, 0, NULL);
  /* the names as the block called them, which after a rebinding differ from the variables' */
  TN_VEC(tn_binding) kept = {0};
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    for (size_t k = r->scopes.bindings.len; k > TN_VEC_LAST(&r->scopes.frames).base; --k) {
      const tn_binding *binding = &r->scopes.bindings.data[k - 1];
      if (tn_val_is_node(binding->val, TN_OP_GVAR) && binding->val.node == outputs->in[i]) {
        TN_VEC_PUSH(&kept, *binding);
        break;
      }
    }
  }
  /* a name whose value was wrong was told once: using it after the block is no second mistake */
  for (size_t k = TN_VEC_LAST(&r->scopes.frames).base; k < r->scopes.bindings.len; ++k) {
    if (tn_val_is_error(r->scopes.bindings.data[k].val)) {
      TN_VEC_PUSH(&kept, r->scopes.bindings.data[k]);
    }
  }
  tn_scopes_pop(&r->scopes);
  for (size_t i = 0; i < kept.len; ++i) {
    tn_scopes_set(&r->scopes, kept.data[i].name, kept.data[i].val);
  }
  TN_VEC_DEINIT(&kept);
  r->in_dataflow = false;
  r->outputs = NULL;
  r->body = outer;
  const tn_node *in[2] = {
      [TN_DATAFLOW_BODY] = tn_finish_body(r, &body), [TN_DATAFLOW_OUTPUTS] = outputs};
  tn_body_deinit(&body);
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_DATAFLOW, TN_DT_NONE, (tn_attr){0}, 2, in));
}

/* ---- branches ---- */

typedef struct branch {
  const tn_node *body; /* ends in YIELD; NULL: reported */
  const tn_node *value;
  const tn_ast *name; /* what it ends with binding */
} branch;

static const tn_node *read_if_stmt(tn_reader *r, const tn_ast *stmt, const tn_ast **out_name);

/* The branch's last statement: what it yields and under which name. */
static const tn_node *read_last(tn_reader *r, const tn_ast *stmt, const tn_ast **out_name) {
  if (stmt->kind == TN_AST_IF) {
    return read_if_stmt(r, stmt, out_name);
  }
  bool is_binding =
      (stmt->kind == TN_AST_ASSIGN || (stmt->kind == TN_AST_ANNOTATE && stmt->in[2] != NULL)) &&
      stmt->in[0]->kind == TN_AST_NAME;
  if (!is_binding) {
    tn_read_fail(r, stmt, "branch-without-value", NULL, "a branch ends with a binding: y = ...");
    return NULL;
  }
  *out_name = stmt->in[0];
  const tn_ast *value = stmt->in[stmt->kind == TN_AST_ASSIGN ? 1 : 2];
  if (value->kind == TN_AST_NAME) {
    tn_val v = tn_read_name(r, value);
    if (tn_val_is_node(v, TN_OP_GVAR)) {
      return v.node;
    }
  }
  assign(r, stmt, stmt->in[0], stmt->kind == TN_AST_ASSIGN ? NULL : stmt->in[1], value);
  const tn_binding *binding = tn_scopes_find(&r->scopes, stmt->in[0]->text);
  return binding != NULL && tn_val_is_node(binding->val, TN_OP_GVAR) ? binding->val.node : NULL;
}

static branch read_branch(tn_reader *r, const tn_ast *suite) {
  branch out = {0};
  tn_body body = {0};
  tn_body *outer = r->body;
  r->body = &body;
  tn_scopes_push(&r->scopes, TN_FRAME_BRANCH);
  read_graph_stmts(r, suite, suite->n - 1);
  out.value = read_last(r, suite->in[suite->n - 1], &out.name);
  tn_scopes_pop(&r->scopes);
  r->body = outer;
  if (out.value != NULL) {
    const tn_node *yield = tn_node_new(r->ir, TN_OP_YIELD, TN_DT_NONE, (tn_attr){0}, 1, &out.value);
    tn_mark(r, yield, suite->in[suite->n - 1]);
    TN_VEC_PUSH(&body.stmts, yield);
    out.body = tn_finish_body(r, &body);
  }
  tn_body_deinit(&body);
  return out;
}

/* A type that holds the values of both. */
static const tn_node *common_type(tn_reader *r, const tn_node *a, const tn_node *b) {
  bool is_unsure = false;
  if (a == b || tn_ty_is_subtype(r->ir, b, a, &is_unsure)) {
    return a;
  }
  if (tn_ty_is_subtype(r->ir, a, b, &is_unsure)) {
    return b;
  }
  if (a->op == TN_OP_TY_TENSOR && b->op == TN_OP_TY_TENSOR) {
    tn_dtype dtype = a->dtype == b->dtype ? a->dtype : TN_DT_NONE;
    return tn_ty_tensor(r->ir, dtype, a->attr.i64 == b->attr.i64 ? a->attr.i64 : -1, NULL);
  }
  return tn_ty_object(r->ir);
}

static const tn_node *make_gif(tn_reader *r, const tn_ast *stmt, const tn_node *cond,
                               const branch *then, const branch *orelse) {
  const tn_node *types[2] = {tn_infer_type(r, stmt, then->value),
                             tn_infer_type(r, stmt, orelse->value)};
  if (types[0] == NULL || types[1] == NULL) {
    return NULL;
  }
  const tn_node *var =
      gvar_new(r, then->name, then->name->text, common_type(r, types[0], types[1]));
  const tn_node *in[4] = {[TN_GIF_VAR] = var,
                          [TN_GIF_COND] = cond,
                          [TN_GIF_THEN] = then->body,
                          [TN_GIF_ELSE] = orelse->body};
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_GIF, TN_DT_NONE, (tn_attr){0}, 4, in));
  return var;
}

static const tn_node *read_if_stmt(tn_reader *r, const tn_ast *stmt, const tn_ast **out_name) {
  if (r->in_dataflow) {
    tn_read_fail(r, stmt, "wrong-place", NULL, "an 'if' cannot stand in a dataflow block");
    return NULL;
  }
  const tn_node *cond = tn_read_graph(r, stmt->in[TN_AST_IF_COND]);
  if (stmt->in[TN_AST_IF_ELSE] == NULL) {
    tn_read_fail(r, stmt, "branch-mismatch", NULL, "an 'if' of a graph function needs an 'else'");
    return NULL;
  }
  branch then = read_branch(r, stmt->in[TN_AST_IF_THEN]);
  branch orelse = read_branch(r, stmt->in[TN_AST_IF_ELSE]);
  *out_name = then.name != NULL ? then.name : orelse.name;
  if (then.name != NULL && orelse.name != NULL && then.name->text != orelse.name->text) {
    tn_read_fail(r, orelse.name, "branch-mismatch", NULL,
                 "one branch ends with '%s', the other with '%s'", then.name->text,
                 orelse.name->text);
    return NULL;
  }
  if (cond == NULL || then.body == NULL || orelse.body == NULL) {
    return NULL;
  }
  return make_gif(r, stmt, cond, &then, &orelse);
}

static void read_if(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *name = NULL;
  const tn_node *var = read_if_stmt(r, stmt, &name);
  if (name != NULL) {
    tn_scopes_set(&r->scopes, name->text, var == NULL ? tn_val_error() : tn_val_node(var));
  }
}

/* ---- functions ---- */

typedef struct signature {
  const tn_node *params; /* LIST of GVAR */
  const tn_node *ret;    /* NULL: not given */
  bool is_ok;
} signature;

/* Reads and defines the parameters in the open scope. */
static signature read_signature(tn_reader *r, const tn_ast *def) {
  signature sig = {.is_ok = true};
  uint32_t n = def->n - TN_AST_DEF_PARAMS;
  const tn_node **params = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  tn_read_type_params(r, def->in[TN_AST_DEF_TYPE_PARAMS]);
  for (uint32_t i = 0; i < n; ++i) {
    tn_collect_symbols(r, def->in[TN_AST_DEF_PARAMS + i]->in[0]);
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *param = def->in[TN_AST_DEF_PARAMS + i];
    const tn_node *type = NULL;
    if (param->in[0] == NULL) {
      tn_read_fail(r, param, "missing-annotation", NULL,
                   "parameter '%s' needs a type: R.Tensor(...), R.Shape(...) ...", param->text);
    } else {
      type = tn_read_type(r, param->in[0]);
    }
    if (param->in[1] != NULL) {
      tn_read_fail(r, param, "unsupported", NULL,
                   "not supported: a parameter with a default value");
      type = NULL;
    }
    if (tn_scopes_is_local(&r->scopes, param->text)) {
      tn_read_fail(r, param, "name-reused", NULL, "there is a parameter '%s' already", param->text);
      type = NULL;
    }
    params[i] = gvar_new(r, param, param->text, type);
    tn_scopes_set(&r->scopes, param->text, type == NULL ? tn_val_error() : tn_val_node(params[i]));
    sig.is_ok = sig.is_ok && type != NULL;
  }
  if (def->in[TN_AST_DEF_RET] != NULL) {
    sig.ret = tn_read_type(r, def->in[TN_AST_DEF_RET]);
    sig.is_ok = sig.is_ok && sig.ret != NULL;
  }
  sig.params = tn_list(r->ir, n, params);
  return sig;
}

static const tn_node *gfunc_new(tn_reader *r, const tn_ast *def, const signature *sig,
                                const tn_node *attrs, bool is_pure, const tn_node *body) {
  const tn_node *in[5] = {[TN_GFUNC_PARAMS] = sig->params,
                          [TN_GFUNC_RET] = sig->ret == NULL ? tn_none(r->ir) : sig->ret,
                          [TN_GFUNC_ATTRS] = attrs,
                          [TN_GFUNC_IS_PURE] = tn_bool(r->ir, is_pure),
                          [TN_GFUNC_BODY] = body};
  const tn_node *func =
      tn_node_new(r->ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = def->text}, 5, in);
  tn_mark(r, func, def);
  return func;
}

/* What a function is known by before its body is read. Problems are reported when it is read in
 * earnest. */
static const tn_node *declare(tn_reader *r, const tn_ast *def, const tn_node *attrs, bool is_pure) {
  tn_diags scratch = {0};
  tn_diags *diags = r->diags;
  r->diags = &scratch;
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  signature sig = read_signature(r, def);
  tn_scopes_pop(&r->scopes);
  r->diags = diags;
  tn_diags_deinit(&scratch);
  if (!sig.is_ok || sig.ret == NULL) {
    sig.ret = tn_ty_object(r->ir);
  }
  return gfunc_new(r, def, &sig, attrs, is_pure, tn_seq(r->ir, 0, NULL));
}

static const tn_node *dict_new(tn_ir *ir) {
  return tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
}

static bool ends_in_return(const tn_body *body) {
  return body->stmts.len > 0 && TN_VEC_LAST(&body->stmts)->op == TN_OP_RETURN;
}

/* The type of what is returned, as far as its sizes mean something outside: those of the parameters,
 * and of the functions around. NULL, reported. */
static const tn_node *result_type(tn_reader *r, const tn_ast *def, const tn_node *func,
                                  bool is_nested) {
  const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
  const tn_node *type = NULL;
  if (!is_nested) {
    return tn_read_ok(r, def, "type-error", tn_func_type(&ctx, func, &type))
               ? type->in[TN_TY_FUNC_RET]
               : NULL;
  }
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_map sizes = {0};
  for (size_t i = 0; i < r->scopes.bindings.len; ++i) {
    tn_val v = r->scopes.bindings.data[i].val;
    if (tn_val_is_node(v, TN_OP_VAR)) {
      tn_ty_keep_sizes(v.node, &sizes);
    }
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_ty_bind(params->in[i]->in[0], params->in[i]->in[0], &sizes);
  }
  if (tn_read_ok(r, def, "type-error",
                 tn_graph_infer(&ctx, tn_body_last(func->in[TN_GFUNC_BODY])->in[0], &type))) {
    type = tn_ty_instantiate(r->ir, type, &sizes);
  }
  tn_map_deinit(&sizes);
  return type;
}

/* Reads signature and body with the state of the function set up; the attributes are left in
 * r->attrs. NULL, reported. */
static const tn_node *read_function(tn_reader *r, const tn_ast *def, bool is_pure, bool is_nested,
                                    bool is_private) {
  int32_t n_before = r->diags->n + r->diags->n_dropped;
  tn_body body = {0};
  r->func_name = def->text;
  r->body = &body;
  r->has_attrs = false;
  r->in_dataflow = false;
  r->outputs = NULL;
  tn_scopes_push(&r->scopes, TN_FRAME_FUNCTION);
  signature sig = read_signature(r, def);
  read_graph_stmts(r, def->in[TN_AST_DEF_BODY], def->in[TN_AST_DEF_BODY]->n);
  tn_scopes_pop(&r->scopes);
  const tn_ast *suite = def->in[TN_AST_DEF_BODY];
  bool has_return = ends_in_return(&body);
  /* a value that was wrong was told where it came from */
  bool is_written = suite->n > 0 && suite->in[suite->n - 1]->kind == TN_AST_RETURN;
  if (!has_return && !is_written && r->diags->n + r->diags->n_dropped == n_before) {
    tn_read_fail(r, def, "missing-return", NULL, "function '%s' does not end in 'return'",
                 def->text);
  }
  const tn_node *seq = tn_finish_body(r, &body);
  tn_body_deinit(&body);
  r->body = NULL;
  const tn_node *attrs =
      is_nested ? (r->has_attrs ? r->attrs : dict_new(r->ir)) : tn_final_attrs(r, def, is_private);
  if (!has_return || attrs == NULL || r->diags->n + r->diags->n_dropped != n_before) {
    return NULL;
  }
  const tn_node *func = gfunc_new(r, def, &sig, attrs, is_pure, seq);
  if (func->depth + 4 > TN_MAX_DEPTH) {
    tn_read_fail(r, def, "nested-too-deep", NULL, "function '%s' is nested too deeply", def->text);
    return NULL;
  }
  if (sig.ret == NULL) {
    sig.ret = result_type(r, def, func, is_nested);
    func = sig.ret == NULL ? NULL : gfunc_new(r, def, &sig, attrs, is_pure, seq);
  }
  return func;
}

typedef struct use_search {
  const tn_node *var;
  bool is_found;
} use_search;

static void find_use(const tn_node *n, void *ctx) {
  use_search *s = ctx;
  s->is_found = s->is_found || n == s->var;
}

static bool uses(const tn_reader *r, const tn_node *func, const tn_node *var) {
  use_search s = {.var = var};
  tn_walk_once(r->ir, func, find_use, &s);
  return s.is_found;
}

/* @R.function inside of a function: a binding of a function value, which may call itself. */
static void read_nested(tn_reader *r, const tn_ast *def) {
  tn_def_opts opts;
  if (!tn_read_decorators(r, def, &opts)) {
    tn_scopes_set(&r->scopes, def->text, tn_val_error());
    return;
  }
  if (!opts.is_graph || opts.is_private || opts.is_macro) {
    tn_read_fail(r, def, "bad-decorator", NULL,
                 "a function inside of a function is an @R.function, without private=");
    tn_scopes_set(&r->scopes, def->text, tn_val_error());
    return;
  }
  const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
  const tn_node *type = NULL;
  const tn_node *var = NULL;
  if (tn_read_ok(r, def, "type-error",
                 tn_func_type(&ctx, declare(r, def, dict_new(r->ir), opts.is_pure), &type))) {
    var = gvar_new(r, def, def->text, type);
    tn_scopes_set(&r->scopes, def->text, tn_val_node(var));
  }
  tn_reader saved = *r;
  const tn_node *func = read_function(r, def, opts.is_pure, true, false);
  r->func_name = saved.func_name;
  r->body = saved.body;
  r->has_attrs = saved.has_attrs;
  r->attrs = saved.attrs;
  r->in_dataflow = saved.in_dataflow;
  r->outputs = saved.outputs;
  if (func == NULL || var == NULL) {
    tn_scopes_set(&r->scopes, def->text, tn_val_error());
    return;
  }
  if (def->in[TN_AST_DEF_RET] == NULL && uses(r, func, var)) {
    tn_read_fail(r, def, "missing-annotation", NULL,
                 "function '%s' calls itself: it needs the type of its result: -> R.Tensor(...)",
                 def->text);
    tn_scopes_set(&r->scopes, def->text, tn_val_error());
    return;
  }
  if (def->in[TN_AST_DEF_RET] == NULL &&
      tn_read_ok(r, def, "type-error", tn_func_type(&ctx, func, &type))) {
    var = gvar_new(r, def, def->text, type);
    tn_scopes_set(&r->scopes, def->text, tn_val_node(var));
  }
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = func};
  tn_add_stmt(r, def, tn_node_new(r->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in));
}

static void begin_graph(tn_reader *r) {
  r->is_graph = true;
  r->bare_int = TN_DT_I64;
  r->block = NULL;
  r->n_conditions = 0;
  r->n_seen = r->diags->n + r->diags->n_dropped;
}

void tn_declare_graph_func(tn_reader *r, const tn_ast *def, bool is_private, bool is_pure) {
  begin_graph(r);
  const tn_node *attrs = dict_new(r->ir);
  if (!is_private) {
    attrs = tn_dict_set(r->ir, attrs, "global_symbol", tn_str(r->ir, def->text));
  }
  tn_module_set(r->module, def->text, declare(r, def, attrs, is_pure));
  r->is_graph = false;
  r->bare_int = TN_DT_I32;
}

void tn_read_graph_func(tn_reader *r, const tn_ast *def, bool is_private, bool is_pure) {
  begin_graph(r);
  const tn_node *func = read_function(r, def, is_pure, false, is_private);
  if (func != NULL) {
    tn_module_set(r->module, def->text, func);
  }
  r->is_graph = false;
  r->bare_int = TN_DT_I32;
}

/* ---- statements ---- */

static void read_expr_stmt(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *value = stmt->in[0];
  if (value->kind == TN_AST_STR || value->kind == TN_AST_ELLIPSIS) {
    return;
  }
  const char *name = value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  if (name != NULL && strcmp(name, "R.output") == 0) {
    read_output(r, value);
    return;
  }
  bool is_macro = tn_called_macro(r, value) != NULL;
  tn_val v = tn_read_val(r, value);
  if (v.kind == TN_VAL_ERROR || v.kind == TN_VAL_VOID || is_macro) {
    return;
  }
  if (v.kind != TN_VAL_NODE || (v.node->op != TN_OP_CALL && v.node->op != TN_OP_INVOKE)) {
    tn_read_fail(r, stmt, "no-effect", NULL, "this expression does nothing: bind it to a name");
    return;
  }
  if (v.node->op == TN_OP_CALL && (tn_op_of(v.node)->flags & TN_OPD_DPS) != 0) {
    tn_read_fail(r, stmt, "result-unused", NULL,
                 "the result of R.%s is bound to a name: y = R.%s(...)", v.node->attr.def->name,
                 v.node->attr.def->name);
    return;
  }
  (void)bind_value(r, stmt, stmt, v.node, NULL);
}

static void read_return(tn_reader *r, const tn_ast *stmt) {
  if (stmt->in[0] == NULL) {
    tn_read_fail(r, stmt, "missing-return", NULL, "a graph function returns a value");
    return;
  }
  if (r->in_dataflow) {
    tn_read_fail(r, stmt, "wrong-place", NULL, "'return' cannot stand in a dataflow block");
    return;
  }
  const tn_node *value = tn_read_graph(r, stmt->in[0]);
  if (value != NULL) {
    tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &value));
  }
}

static void read_with(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *item = stmt->in[TN_AST_WITH_ITEM];
  const char *name = item->kind == TN_AST_CALL ? tn_dotted(r, item->in[0]) : NULL;
  if (name == NULL || strcmp(name, "R.dataflow") != 0 || item->n != 1 ||
      stmt->in[TN_AST_WITH_TARGET] != NULL) {
    static const char *const known[] = {"R.dataflow"};
    char *hint = name == NULL ? NULL : tn_near_of(name, known, 1);
    tn_read_fail(r, item, "unknown-with", hint, "expected 'with R.dataflow():'");
    free(hint);
    return;
  }
  read_dataflow(r, stmt);
}

static void read_assign(tn_reader *r, const tn_ast *stmt) {
  if (stmt->in[0]->kind == TN_AST_TUPLE || stmt->in[0]->kind == TN_AST_LIST) {
    assign_many(r, stmt, stmt->in[0], stmt->in[1]);
  } else {
    assign(r, stmt, stmt->in[0], NULL, stmt->in[1]);
  }
}

static void read_annotated(tn_reader *r, const tn_ast *stmt) {
  if (stmt->in[2] == NULL) {
    tn_read_fail(r, stmt, "bad-target", NULL, "expected 'name: type = value'");
    return;
  }
  assign(r, stmt, stmt->in[0], stmt->in[1], stmt->in[2]);
}

void tn_read_graph_stmt(tn_reader *r, const tn_ast *stmt) {
  if (ends_in_return(r->body)) {
    tn_read_fail(r, stmt, "unreachable", NULL, "nothing can follow 'return'");
    return;
  }
  switch (stmt->kind) {
    case TN_AST_ASSIGN:
      read_assign(r, stmt);
      return;
    case TN_AST_ANNOTATE:
      read_annotated(r, stmt);
      return;
    case TN_AST_EXPR:
      read_expr_stmt(r, stmt);
      return;
    case TN_AST_WITH:
      read_with(r, stmt);
      return;
    case TN_AST_IF:
      read_if(r, stmt);
      return;
    case TN_AST_RETURN:
      read_return(r, stmt);
      return;
    case TN_AST_DEF:
      read_nested(r, stmt);
      return;
    case TN_AST_PASS:
      return;
    case TN_AST_FOR:
    case TN_AST_WHILE:
      tn_read_fail(r, stmt, "unsupported", NULL,
                   "a graph function has no loops: use recursion, or a @T.prim_func");
      return;
    case TN_AST_AUGMENT:
      tn_read_fail(r, stmt, "unsupported", NULL,
                   "not supported in a graph function: augmented assignment");
      return;
    case TN_AST_ASSERT:
      tn_read_fail(r, stmt, "unsupported", "use R.assert_op",
                   "not supported in a graph function: assert");
      return;
    default:
      tn_read_fail(r, stmt, "unsupported", NULL, "not supported: this statement in a @R.function");
  }
}
