/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The type of every graph expression. The reader asks right after each binding, the verifier asks
 * again after each pass. A call binds the callee's symbolic sizes to what its arguments have; sizes
 * that stay free become unknown. */
#include <inttypes.h>

#include "base/check.h"
#include "graph/graph.h"

static tn_status type_error(const char *what, const tn_node *got, const tn_node *want) {
  tn_buf got_text = TN_BUF_INIT;
  tn_buf want_text = TN_BUF_INIT;
  tn_ty_print(got, &got_text);
  tn_ty_print(want, &want_text);
  tn_status st = TN_ERR(TN_INVALID, "%s has type %s, expected %s", what, tn_buf_text(&got_text),
                        tn_buf_text(&want_text));
  tn_buf_deinit(&got_text);
  tn_buf_deinit(&want_text);
  return st;
}

/* ---- functions ---- */

static const tn_node *last_stmt(const tn_node *body) {
  return body->op == TN_OP_SEQ ? (body->n_in == 0 ? NULL : body->in[body->n_in - 1]) : body;
}

/* The result's type where none is written: that of the returned value, in the parameters' sizes. */
static tn_status infer_ret(const tn_infer_ctx *ctx, const tn_node *func, const tn_node *params,
                           const tn_node **out) {
  const tn_node *last = last_stmt(func->in[TN_GFUNC_BODY]);
  if (last == NULL || last->op != TN_OP_RETURN) {
    return TN_ERR(TN_INVALID, "function '%s' does not end in a return", func->attr.text);
  }
  const tn_node *type = NULL;
  TN_TRY(tn_graph_infer(ctx, last->in[0], &type));
  tn_map own = {0};
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_ty_bind(params->in[i], params->in[i], &own); /* a variable stands for itself */
  }
  *out = tn_ty_instantiate(ctx->ir, type, &own);
  tn_map_deinit(&own);
  return NULL;
}

static tn_status gfunc_type(const tn_infer_ctx *ctx, const tn_node *func, const tn_node **out) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  const tn_node *ret = func->in[TN_GFUNC_RET];
  TN_VEC(const tn_node *) types = {0};
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *type = params->in[i]->in[0];
    TN_VEC_PUSH(&types, tn_is_none(type) ? tn_ty_object(ctx->ir) : type);
  }
  const tn_node *list = tn_list(ctx->ir, (uint32_t)types.len, types.data);
  TN_VEC_DEINIT(&types);
  if (tn_is_none(ret)) {
    TN_TRY(infer_ret(ctx, func, list, &ret));
  }
  *out = tn_ty_func(ctx->ir, list, ret, func->in[TN_GFUNC_IS_PURE]->attr.i64 != 0);
  return NULL;
}

tn_status tn_func_type(const tn_infer_ctx *ctx, const tn_node *func, const tn_node **out_type) {
  tn_ir *ir = ctx->ir;
  if (func->op == TN_OP_GFUNC) {
    return gfunc_type(ctx, func, out_type);
  }
  if (func->op ==
      TN_OP_PRIM_FUNC) { /* a direct call writes its outputs and returns nothing, or a scalar */
    const tn_node *ret = func->in[TN_PRIM_FUNC_RET];
    *out_type = tn_ty_func(ir, NULL, tn_is_none(ret) ? tn_ty_tuple(ir, 0, NULL) : ret, false);
    return NULL;
  }
  *out_type = tn_ty_func(ir, NULL, tn_ty_object(ir), false);
  return NULL;
}

const char *tn_func_result_name(const tn_node *func, uint32_t n, uint32_t i) {
  const tn_node *names = tn_dict_find(func->in[TN_GFUNC_ATTRS], "output_names");
  bool is_named = names != NULL && names->op == TN_OP_LIST && names->n_in == n && i < n;
  return is_named && names->in[i]->op == TN_OP_STR ? names->in[i]->attr.text : "";
}

void tn_func_result_names(const tn_node *func, tn_buf *out) {
  const tn_node *names = tn_dict_find(func->in[TN_GFUNC_ATTRS], "output_names");
  uint32_t n = names != NULL && names->op == TN_OP_LIST ? names->n_in : 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (i > 0) {
      tn_buf_putc(out, '\n');
    }
    for (const char *c = tn_func_result_name(func, n, i); *c != '\0'; ++c) {
      tn_buf_putc(out, *c == '\n' ? ' ' : *c);
    }
  }
}

static tn_status infer_global(const tn_infer_ctx *ctx, const tn_node *n, const tn_node **out) {
  const tn_node *func = ctx->module == NULL ? NULL : tn_module_find(ctx->module, n->attr.text);
  if (func == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", n->attr.text);
  }
  return tn_func_type(ctx, func, out);
}

/* ---- calls ---- */

static tn_status check_n_args(const char *name, uint32_t n, int32_t min, int32_t max) {
  if ((int64_t)n >= min && (max < 0 || (int64_t)n <= max)) {
    return NULL;
  }
  if (max < 0) {
    return TN_ERR(TN_INVALID, "%s takes at least %d arguments, got %u", name, min, n);
  }
  if (min == max) {
    return TN_ERR(TN_INVALID, "%s takes %d arguments, got %u", name, min, n);
  }
  return TN_ERR(TN_INVALID, "%s takes %d to %d arguments, got %u", name, min, max, n);
}

/* Arguments that are calls themselves are met here when the program is in normal form. */
static tn_status check_storage(const tn_infer_ctx *ctx, const tn_op_def *op, const tn_node *args) {
  bool is_any = op->eval == NULL || (op->flags & TN_OPD_MOVES) != 0;
  for (uint32_t i = 0; i < args->n_in && !is_any; ++i) {
    const tn_node *type = NULL;
    char text[TN_DTYPE_TEXT_BYTES];
    if (!tn_is(args->in[i], TN_OP_GVAR) && !tn_is(args->in[i], TN_OP_CONST)) {
      continue;
    }
    TN_TRY(tn_graph_infer(ctx, args->in[i], &type));
    if (tn_is(type, TN_OP_TY_TENSOR) && tn_dtype_is_storage(type->dtype)) {
      return TN_ERR(TN_UNSUPPORTED, "an operand is %s, in which nothing is computed: cast it first",
                    tn_dtype_print(type->dtype, text));
    }
  }
  return NULL;
}

static tn_status infer_call(const tn_infer_ctx *ctx, const tn_node *n, const tn_node **out) {
  const tn_op_def *op = tn_op_of(n);
  const tn_node *fields = n->in[TN_CALL_FIELDS];
  TN_TRY(check_n_args(op->def.name, n->in[TN_CALL_ARGS]->n_in, op->min_args, op->max_args));
  if (fields->n_in != (uint32_t)op->n_fields) {
    return TN_ERR(TN_INVALID, "%s has %d fields, got %u", op->def.name, op->n_fields, fields->n_in);
  }
  for (int32_t i = 0; i < op->n_fields; ++i) {
    if (op->fields[i].default_text == NULL && tn_is_none(fields->in[i])) {
      return TN_ERR(TN_INVALID, "%s needs '%s'", op->def.name, op->fields[i].name);
    }
  }
  TN_TRY(check_storage(ctx, op, n->in[TN_CALL_ARGS]));
  return op->infer(ctx, n, out);
}

static tn_status bind_args(const tn_infer_ctx *ctx, const tn_node *call, const tn_node *params,
                           tn_map *syms) {
  const tn_node *args = call->in[TN_INVOKE_ARGS];
  if (args->n_in != params->n_in) {
    return TN_ERR(TN_INVALID, "the call gives %u arguments, the function takes %u", args->n_in,
                  params->n_in);
  }
  TN_VEC(const tn_node *) types = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *type = NULL;
    TN_GOTO(st, tn_graph_infer(ctx, args->in[i], &type), done);
    TN_VEC_PUSH(&types, type);
    tn_ty_bind(params->in[i], type, syms);
  }
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *want = tn_ty_instantiate(ctx->ir, params->in[i], syms);
    bool is_unsure = false;
    if (!tn_ty_is_subtype(ctx->ir, types.data[i], want, &is_unsure) && !is_unsure) {
      char what[48];
      (void)snprintf(what, sizeof what, "argument %u of the call", i);
      TN_GOTO(st, type_error(what, types.data[i], want), done);
    }
  }
done:
  TN_VEC_DEINIT(&types);
  return st;
}

static const tn_node *given_type(tn_ir *ir, const tn_node *types) {
  if (tn_is_none(types) || types->n_in == 0) {
    return NULL;
  }
  return types->n_in == 1 ? types->in[0] : tn_ty_tuple(ir, types->n_in, types->in);
}

static tn_status infer_invoke(const tn_infer_ctx *ctx, const tn_node *n, const tn_node **out) {
  const tn_node *given = given_type(ctx->ir, n->in[TN_INVOKE_TYPES]);
  const tn_node *callee = NULL;
  TN_TRY(tn_graph_infer(ctx, n->in[TN_INVOKE_CALLEE], &callee));
  if (callee->op != TN_OP_TY_FUNC && callee->op != TN_OP_TY_OBJECT) {
    return type_error("the callee", callee,
                      tn_ty_func(ctx->ir, NULL, tn_ty_object(ctx->ir), false));
  }
  if (callee->op == TN_OP_TY_OBJECT || tn_is_none(callee->in[TN_TY_FUNC_PARAMS])) {
    const tn_node *ret =
        callee->op == TN_OP_TY_OBJECT ? tn_ty_object(ctx->ir) : callee->in[TN_TY_FUNC_RET];
    *out = given != NULL ? given : ret;
    return NULL;
  }
  tn_map syms = {0};
  tn_status st = bind_args(ctx, n, callee->in[TN_TY_FUNC_PARAMS], &syms);
  if (st == NULL) {
    if (n->in[TN_INVOKE_CALLEE]->op != TN_OP_GLOBAL) { /* a function value: sizes around it */
      tn_ty_keep_sizes(callee->in[TN_TY_FUNC_RET], &syms);
    }
    const tn_node *ret = tn_ty_instantiate(ctx->ir, callee->in[TN_TY_FUNC_RET], &syms);
    *out = given != NULL ? given : ret;
  }
  tn_map_deinit(&syms);
  return st;
}

/* ---- other expressions ---- */

/* A type is walked as the tree that it prints as, and in a few lines of text a tree can double with
 * every line: past these bounds no program means it. */
enum { MAX_TYPE_DEPTH = 100, MAX_TYPE_PARTS = 4096 };

/* How many parts a type prints as, counted up to MAX_TYPE_PARTS and a little more. */
static int64_t n_type_parts(const tn_node *type, int64_t n) {
  if (type->op != TN_OP_TY_TUPLE && type->op != TN_OP_TY_FUNC && type->op != TN_OP_LIST) {
    return n + 1;
  }
  for (uint32_t i = 0; i < type->n_in && n <= MAX_TYPE_PARTS; ++i) {
    n = n_type_parts(type->in[i], n);
  }
  return n + 1;
}

/* A flat tuple may be as long as its text. */
static tn_status check_tuple_size(const tn_node *type) {
  int64_t n = 0;
  for (uint32_t i = 0; i < type->n_in && n <= MAX_TYPE_PARTS; ++i) {
    bool is_nested = type->in[i]->op == TN_OP_TY_TUPLE || type->in[i]->op == TN_OP_TY_FUNC;
    n = is_nested ? n_type_parts(type->in[i], n) : n;
  }
  if (type->depth > MAX_TYPE_DEPTH) {
    return TN_ERR(TN_INVALID, "the tuple's type is nested more than %d deep", MAX_TYPE_DEPTH);
  }
  if (n > MAX_TYPE_PARTS) {
    return TN_ERR(TN_INVALID, "the tuple's type has more than %d parts", MAX_TYPE_PARTS);
  }
  return NULL;
}

static tn_status infer_tuple(const tn_infer_ctx *ctx, const tn_node *n, const tn_node **out) {
  TN_VEC(const tn_node *) items = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tn_node *type = NULL;
    TN_GOTO(st, tn_graph_infer(ctx, n->in[i], &type), done);
    TN_VEC_PUSH(&items, type);
  }
  const tn_node *type = tn_ty_tuple(ctx->ir, n->n_in, items.data);
  TN_GOTO(st, check_tuple_size(type), done);
  *out = type;
done:
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status infer_get(const tn_infer_ctx *ctx, const tn_node *n, const tn_node **out) {
  const tn_node *tuple = NULL;
  TN_TRY(tn_graph_infer(ctx, n->in[0], &tuple));
  if (tuple->op == TN_OP_TY_OBJECT) {
    *out = tuple;
    return NULL;
  }
  if (tuple->op != TN_OP_TY_TUPLE) {
    return type_error("what is indexed", tuple, tn_ty_tuple(ctx->ir, 0, NULL));
  }
  if (n->attr.i64 < 0 || n->attr.i64 >= (int64_t)tuple->n_in) {
    return TN_ERR(TN_INVALID, "index %" PRId64 " of a tuple of %u", n->attr.i64, tuple->n_in);
  }
  *out = tuple->in[n->attr.i64];
  return NULL;
}

static tn_status infer_gvar(const tn_node *n, const tn_node **out) {
  if (tn_is_none(n->in[0])) {
    return TN_ERR(TN_INVALID, "the type of '%s' is not known", n->attr.text);
  }
  *out = n->in[0];
  return NULL;
}

tn_status tn_graph_infer(const tn_infer_ctx *ctx, const tn_node *expr, const tn_node **out_type) {
  tn_ir *ir = ctx->ir;
  switch ((int)expr->op) {
    case TN_OP_GVAR:
      return infer_gvar(expr, out_type);
    case TN_OP_CONST:
      *out_type = tn_ty_of_array(ir, expr->attr.array);
      return NULL;
    case TN_OP_GLOBAL:
      return infer_global(ctx, expr, out_type);
    case TN_OP_EXTERN:
    case TN_OP_GFUNC:
    case TN_OP_PRIM_FUNC:
      return tn_func_type(ctx, expr, out_type);
    case TN_OP_TUPLE:
      return infer_tuple(ctx, expr, out_type);
    case TN_OP_GET:
      return infer_get(ctx, expr, out_type);
    case TN_OP_SHAPE:
      *out_type = tn_ty_shape(ir, expr->n_in, tn_list(ir, expr->n_in, expr->in));
      return NULL;
    case TN_OP_PRIM:
      *out_type = tn_ty_prim(ir, expr->in[0]->dtype, expr->in[0]);
      return NULL;
    case TN_OP_STR:
    case TN_OP_DTYPE:
      *out_type = tn_ty_object(ir);
      return NULL;
    case TN_OP_CALL:
      return tn_status_wrap(infer_call(ctx, expr, out_type), "R.%s", expr->attr.def->name);
    case TN_OP_INVOKE:
      return infer_invoke(ctx, expr, out_type);
    default:
      break;
  }
  if (tn_op_info_get((tn_op)expr->op)->cls == TN_CLASS_EXPR && expr->dtype != TN_DT_NONE) {
    *out_type = tn_ty_prim(ir, expr->dtype, expr);
    return NULL;
  }
  return TN_ERR(TN_INVALID, "'%s' is not a graph expression",
                tn_op_info_get((tn_op)expr->op)->text);
}

/* ---- purity ---- */

static bool invoke_is_pure(const tn_module *module, const tn_node *n) {
  const tn_node *callee = n->in[TN_INVOKE_CALLEE];
  if (callee->op == TN_OP_GLOBAL) {
    callee = module == NULL ? NULL : tn_module_find(module, callee->attr.text);
  }
  if (callee == NULL) {
    return false;
  }
  if (callee->op == TN_OP_GFUNC) {
    return callee->in[TN_GFUNC_IS_PURE]->attr.i64 != 0;
  }
  return callee->op == TN_OP_GVAR && callee->in[0]->op == TN_OP_TY_FUNC &&
         callee->in[0]->attr.i64 != 0;
}

bool tn_expr_is_pure(const tn_module *module, const tn_node *expr) {
  switch ((int)expr->op) {
    case TN_OP_CALL:
      if (!expr->attr.def->is_pure || !tn_expr_is_pure(module, expr->in[TN_CALL_ARGS])) {
        return false;
      }
      return true;
    case TN_OP_INVOKE:
      return invoke_is_pure(module, expr) && tn_expr_is_pure(module, expr->in[TN_INVOKE_ARGS]);
    case TN_OP_LIST:
    case TN_OP_TUPLE:
    case TN_OP_GET:
      for (uint32_t i = 0; i < expr->n_in; ++i) {
        if (!tn_expr_is_pure(module, expr->in[i])) {
          return false;
        }
      }
      return true;
    default:
      return true; /* leaves, sizes, texts; a function as a value does nothing yet */
  }
}
