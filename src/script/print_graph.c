/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Prints the graph level: types, expressions, bindings, functions. Inside it, bare integers are
 * int64 (dimensions). A branch's last binding takes the name of the variable that the `if` binds,
 * as the text form wants it. */
#include "script/print_priv.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

/* In a signature a symbolic dimension is a quoted expression and its variables are defined by being
 * named. */
static void print_dim(tn_printer *p, const tn_node *dim) {
  if (!p->is_signature || tn_is(dim, TN_OP_INT)) {
    tn_pr_expr(p, dim, 1);
    return;
  }
  tn_buf_putc(p->out, '"');
  tn_pr_expr(p, dim, 0);
  tn_buf_putc(p->out, '"');
}

static tn_visit define_dim(const tn_node *n, void *ctx) {
  tn_printer *p = ctx;
  if (tn_is(n, TN_OP_VAR) && !tn_pr_is_defined(p, n)) {
    (void)tn_pr_define(p, n, n->attr.text);
  }
  return TN_DESCEND;
}

static void print_dims(tn_printer *p, const tn_node *dims, char open, char close) {
  if (p->is_signature) {
    (void)tn_walk_distinct(dims, define_dim, p);
  }
  tn_buf_putc(p->out, open);
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    print_dim(p, dims->in[i]);
  }
  if (open == '(' && dims->n_in == 1) {
    tn_buf_putc(p->out, ',');
  }
  tn_buf_putc(p->out, close);
}

static void print_tensor_type(tn_printer *p, const tn_node *type) {
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  const tn_node *vdevice = type->in[TN_TY_TENSOR_VDEVICE];
  bool has_ndim = tn_is_none(shape) && type->attr.i64 >= 0;
  tn_buf_puts(p->out, "R.Tensor");
  if (tn_is_none(shape) && !has_ndim && type->dtype == TN_DT_NONE && tn_is_none(vdevice)) {
    return;
  }
  const char *separator = "";
  tn_buf_putc(p->out, '(');
  if (!tn_is_none(shape)) {
    print_dims(p, shape, '(', ')');
    separator = ", ";
  }
  if (type->dtype != TN_DT_NONE) {
    tn_buf_printf(p->out, "%sdtype=", separator);
    tn_pr_dtype(p, type->dtype);
    separator = ", ";
  }
  if (has_ndim) {
    tn_buf_printf(p->out, "%sndim=%lld", separator, (long long)type->attr.i64);
    separator = ", ";
  }
  if (!tn_is_none(vdevice)) {
    tn_buf_printf(p->out, "%svdevice=", separator);
    tn_pr_expr(p, vdevice, 0);
  }
  tn_buf_putc(p->out, ')');
}

static void print_types(tn_printer *p, uint32_t n, const tn_node *const *types) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_type(p, types[i]);
  }
}

static tn_visit find_own_size(const tn_node *n, void *ctx) {
  return tn_is(n, TN_OP_VAR) && !tn_pr_is_defined(ctx, n) ? TN_STOP : TN_DESCEND;
}

/* Sizes that nothing around has are quoted, as in a function's head. */
static void print_callable(tn_printer *p, const tn_node *type) {
  const tn_node *params = type->in[TN_TY_FUNC_PARAMS];
  if (tn_is_none(params)) {
    tn_buf_puts(p->out, "R.Callable");
    return;
  }
  bool was_signature = p->is_signature;
  p->is_signature = was_signature || !tn_walk_distinct(params, find_own_size, p);
  tn_buf_puts(p->out, "R.Callable((");
  print_types(p, params->n_in, params->in);
  tn_buf_puts(p->out, params->n_in == 1 ? ",), " : "), ");
  tn_pr_type(p, type->in[TN_TY_FUNC_RET]);
  tn_buf_printf(p->out, ", %s)", type->attr.i64 != 0 ? "True" : "False");
  p->is_signature = was_signature;
}

static void print_prim_type(tn_printer *p, const tn_node *type) {
  tn_buf_puts(p->out, "R.Prim(");
  if (tn_is_none(type->in[0])) {
    tn_pr_dtype(p, type->dtype);
  } else {
    tn_buf_puts(p->out, "value=");
    print_dim(p, type->in[0]);
  }
  tn_buf_putc(p->out, ')');
}

void tn_pr_type(tn_printer *p, const tn_node *type) {
  tn_dtype outer = p->bare_int;
  p->bare_int = TN_DT_I64;
  switch ((tn_op)type->op) {
    case TN_OP_TY_TENSOR:
      print_tensor_type(p, type);
      break;
    case TN_OP_TY_SHAPE:
      tn_buf_puts(p->out, "R.Shape");
      if (!tn_is_none(type->in[0])) {
        tn_buf_putc(p->out, '(');
        print_dims(p, type->in[0], '[', ']');
        tn_buf_putc(p->out, ')');
      } else if (type->attr.i64 >= 0) {
        tn_buf_printf(p->out, "(ndim=%lld)", (long long)type->attr.i64);
      }
      break;
    case TN_OP_TY_TUPLE:
      tn_buf_puts(p->out, "R.Tuple(");
      print_types(p, type->n_in, type->in);
      tn_buf_putc(p->out, ')');
      break;
    case TN_OP_TY_PRIM:
      print_prim_type(p, type);
      break;
    case TN_OP_TY_OBJECT:
      tn_buf_puts(p->out, "R.Object");
      break;
    case TN_OP_TY_FUNC:
      print_callable(p, type);
      break;
    default:
      tn_buf_puts(p->out, "None");
      break;
  }
  p->bare_int = outer;
}

/* ---- expressions ---- */

/* Nested lists of elements, row-major; `at` counts through them. */
static void print_elements(tn_printer *p, const tn_array *array, int32_t dim, int64_t *at) {
  if (dim == array->ndim) {
    tn_pr_element(p, array, (*at)++);
    return;
  }
  tn_buf_putc(p->out, '[');
  for (int64_t i = 0; i < array->shape[dim]; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    print_elements(p, array, dim + 1, at);
  }
  tn_buf_putc(p->out, ']');
}

/* Brackets do not tell the extents after one of 0. */
static bool is_told_by_brackets(const tn_array *array) {
  for (int32_t i = 0; i + 1 < array->ndim; ++i) {
    if (array->shape[i] == 0) {
      return false;
    }
  }
  return true;
}

/* How much there is to write: elements, or for an empty array brackets. */
static int64_t n_written(const tn_array *array) {
  int64_t n = 1;
  for (int32_t i = 0; i < array->ndim; ++i) {
    n *= array->shape[i] > 0 ? array->shape[i] : 1;
  }
  return n;
}

static void print_const(tn_printer *p, const tn_node *n) {
  const tn_array *array = n->attr.array;
  int64_t limit = p->opts->max_inline_elems > 0 ? p->opts->max_inline_elems : 1;
  if (!is_told_by_brackets(array) || n_written(array) > limit) {
    tn_buf_printf(p->out, "metadata[\"relax.expr.Constant\"][%zu]", tn_pr_const_index(p, n));
    return;
  }
  int64_t at = 0;
  tn_buf_puts(p->out, "R.const(");
  print_elements(p, array, 0, &at);
  tn_buf_puts(p->out, ", ");
  tn_pr_dtype(p, array->dtype);
  tn_buf_putc(p->out, ')');
}

static void print_graph_exprs(tn_printer *p, uint32_t n, const tn_node *const *items) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_graph_expr(p, items[i]);
  }
}

static void print_field(tn_printer *p, const tn_node *value) {
  if (tn_is(value, TN_OP_INT) && tn_dtype_is_bool(value->dtype)) {
    tn_buf_puts(p->out, value->attr.i64 != 0 ? "True" : "False");
  } else if (tn_is(value, TN_OP_FLOAT) && value->dtype == TN_DT_F64 && isfinite(value->attr.f64)) {
    tn_buf_put_double(p->out, value->attr.f64);
  } else if (tn_is(value, TN_OP_DTYPE)) {
    tn_pr_dtype(p, (tn_dtype)value->attr.i64);
  } else {
    tn_pr_expr(p, value, 1);
  }
}

/* out_sinfo= takes one type or a list, sinfo_args= a tuple. */
static void print_call_types(tn_printer *p, const tn_node *call, const char *separator) {
  const tn_node *types = call->in[TN_CALL_TYPES];
  if (tn_is_none(types)) {
    return;
  }
  bool is_dps = (tn_op_of(call)->flags & TN_OPD_DPS) != 0;
  tn_buf_printf(p->out, "%s%s", separator, is_dps ? "out_sinfo=" : "sinfo_args=");
  if (is_dps && types->n_in == 1) {
    tn_pr_type(p, types->in[0]);
    return;
  }
  tn_buf_putc(p->out, is_dps ? '[' : '(');
  print_types(p, types->n_in, types->in);
  tn_buf_puts(p->out, is_dps ? "]" : types->n_in == 1 ? ",)" : ")");
}

static void print_graph_call(tn_printer *p, const tn_node *n) {
  const tn_op_def *def = tn_op_of(n);
  const tn_node *args = n->in[TN_CALL_ARGS];
  const tn_node *fields = n->in[TN_CALL_FIELDS];
  const char *separator = "";
  bool is_dps = (def->flags & TN_OPD_DPS) != 0;
  tn_buf_printf(p->out, "R.%s(", def->def.name);
  for (uint32_t i = 0; i < args->n_in && (!is_dps || i < 2); ++i) {
    tn_buf_puts(p->out, separator);
    if (i == 0 && tn_is(args->in[0], TN_OP_EXTERN)) {
      tn_pr_string(p, args->in[0]->attr.text);
    } else {
      tn_pr_graph_expr(p, args->in[i]);
    }
    separator = ", ";
  }
  print_call_types(p, n, separator);
  separator = args->n_in > 0 || !tn_is_none(n->in[TN_CALL_TYPES]) ? ", " : "";
  for (uint32_t i = 0; i < fields->n_in; ++i) {
    if (!tn_is_none(fields->in[i])) {
      tn_buf_printf(p->out, "%s%s=", separator, def->fields[i].name);
      print_field(p, fields->in[i]);
      separator = ", ";
    }
  }
  if (is_dps && args->n_in > 2) {
    tn_buf_puts(p->out, ", tir_vars=");
    tn_pr_graph_expr(p, args->in[2]);
  }
  tn_buf_putc(p->out, ')');
}

static void print_invoke(tn_printer *p, const tn_node *n) {
  tn_pr_graph_expr(p, n->in[TN_INVOKE_CALLEE]);
  tn_buf_putc(p->out, '(');
  print_graph_exprs(p, n->in[TN_INVOKE_ARGS]->n_in, n->in[TN_INVOKE_ARGS]->in);
  const tn_node *types = n->in[TN_INVOKE_TYPES];
  if (!tn_is_none(types) && types->n_in > 0) {
    tn_buf_puts(p->out, n->in[TN_INVOKE_ARGS]->n_in > 0 ? ", sinfo_args=(" : "sinfo_args=(");
    print_types(p, types->n_in, types->in);
    tn_buf_puts(p->out, types->n_in == 1 ? ",)" : ")");
  }
  tn_buf_putc(p->out, ')');
}

static void print_shape_value(tn_printer *p, const tn_node *n) {
  tn_dtype outer = p->bare_int;
  p->bare_int = TN_DT_I64;
  tn_buf_puts(p->out, "R.shape([");
  tn_pr_exprs(p, n->n_in, n->in);
  tn_buf_puts(p->out, "])");
  p->bare_int = outer;
}

static void print_prim_value(tn_printer *p, const tn_node *n) {
  tn_dtype outer = p->bare_int;
  p->bare_int = TN_DT_I64;
  tn_buf_puts(p->out, "R.prim_value(");
  tn_pr_expr(p, n->in[0], 1);
  tn_buf_putc(p->out, ')');
  p->bare_int = outer;
}

void tn_pr_graph_expr(tn_printer *p, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_GVAR:
      tn_buf_puts(p->out, tn_pr_name(p, n));
      break;
    case TN_OP_GLOBAL:
      tn_buf_printf(p->out, "cls.%s", n->attr.text);
      break;
    case TN_OP_EXTERN:
      tn_buf_puts(p->out, "R.ExternFunc(");
      tn_pr_string(p, n->attr.text);
      tn_buf_putc(p->out, ')');
      break;
    case TN_OP_TUPLE:
      tn_buf_putc(p->out, '(');
      print_graph_exprs(p, n->n_in, n->in);
      tn_buf_puts(p->out, n->n_in == 1 ? ",)" : ")");
      break;
    case TN_OP_GET:
      tn_pr_graph_expr(p, n->in[0]);
      tn_buf_printf(p->out, "[%lld]", (long long)n->attr.i64);
      break;
    case TN_OP_SHAPE:
      print_shape_value(p, n);
      break;
    case TN_OP_PRIM:
      print_prim_value(p, n);
      break;
    case TN_OP_CONST:
      print_const(p, n);
      break;
    case TN_OP_STR:
      tn_buf_puts(p->out, "R.str(");
      tn_pr_string(p, n->attr.text);
      tn_buf_putc(p->out, ')');
      break;
    case TN_OP_DTYPE:
      tn_buf_puts(p->out, p->bare_int == TN_DT_I32 ? "T.type_annotation(" : "R.dtype(");
      tn_pr_dtype(p, (tn_dtype)n->attr.i64);
      tn_buf_putc(p->out, ')');
      break;
    case TN_OP_CALL:
      print_graph_call(p, n);
      break;
    case TN_OP_INVOKE:
      print_invoke(p, n);
      break;
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
    case TN_OP_TY_TUPLE:
    case TN_OP_TY_PRIM:
    case TN_OP_TY_OBJECT:
    case TN_OP_TY_FUNC:
      tn_pr_type(p, n);
      break;
    case TN_OP_LABEL:
      tn_pr_string(p, n->attr.text);
      break;
    default:
      if (tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_EXPR || tn_is(n, TN_OP_VAR) ||
          tn_is(n, TN_OP_BUFFER)) {
        tn_pr_expr(p, n, 1);
      } else {
        tn_buf_printf(
            p->out, "<%s>",
            tn_op_info_get((tn_op)n->op)->text); /* no text form: fragments of aggregates */
      }
  }
}

/* ---- bindings ---- */

/* call_tir and its kin say their type; repeating it would be noise. Types are interned. */
static bool says_type(const tn_node *value, const tn_node *type) {
  if (!tn_is(value, TN_OP_CALL) || tn_is_none(value->in[TN_CALL_TYPES])) {
    return false;
  }
  const tn_node *types = value->in[TN_CALL_TYPES];
  if (types->n_in == 1) {
    return types->in[0] == type;
  }
  bool is_same = tn_is(type, TN_OP_TY_TUPLE) && type->n_in == types->n_in;
  for (uint32_t i = 0; is_same && i < types->n_in; ++i) {
    is_same = type->in[i] == types->in[i];
  }
  return is_same;
}

static void print_binding(tn_printer *p, const tn_node *var, const char *name,
                          const tn_node *value) {
  tn_pr_line(p);
  tn_buf_puts(p->out, name);
  const tn_node *type = var->in[0];
  bool is_alias = tn_is(value, TN_OP_GVAR) && value->in[0] == type;
  if (!tn_is_none(type) && !is_alias && !says_type(value, type) && !tn_is(value, TN_OP_CONST)) {
    tn_buf_puts(p->out, ": ");
    tn_pr_type(p, type);
  }
  tn_buf_puts(p->out, " = ");
  tn_pr_graph_expr(p, value);
  tn_buf_putc(p->out, '\n');
}

static void print_gbind(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_BIND_VAR];
  const tn_node *value = n->in[TN_BIND_VALUE];
  if (tn_is(value, TN_OP_GFUNC)) {
    const char *name = tn_pr_define(p, var, var->attr.text);
    size_t mark = tn_pr_enter(p);
    tn_pr_graph_func(p, name, value);
    tn_pr_leave(p, mark);
    return;
  }
  /* the value cannot see the name that it is given */
  tn_buf line = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &line;
  print_binding(p, var, "", value);
  p->out = out;
  const char *name = tn_pr_define(p, var, var->attr.text);
  size_t indent_bytes = strlen(p->indent_unit) * (size_t)p->indent;
  tn_pr_line(p);
  tn_buf_puts(p->out, name);
  tn_buf_puts(p->out, tn_buf_text(&line) + indent_bytes);
  tn_buf_deinit(&line);
}

static void print_match_cast(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_MATCH_CAST_VAR];
  tn_pr_symbols(p, n->in[TN_MATCH_CAST_TYPE]);
  const char *name = tn_pr_define(p, var, var->attr.text);
  tn_pr_line(p);
  tn_buf_printf(p->out, "%s = R.match_cast(", name);
  tn_pr_graph_expr(p, n->in[TN_MATCH_CAST_VALUE]);
  tn_buf_puts(p->out, ", ");
  tn_pr_type(p, n->in[TN_MATCH_CAST_TYPE]);
  tn_buf_puts(p->out, ")\n");
}

static void print_dataflow(tn_printer *p, const tn_node *n) {
  tn_pr_line(p);
  tn_buf_puts(p->out, "with R.dataflow():\n");
  p->indent++;
  tn_pr_graph_stmt(p, n->in[TN_DATAFLOW_BODY]);
  tn_pr_line(p);
  tn_buf_puts(p->out, "R.output(");
  const tn_node *outputs = n->in[TN_DATAFLOW_OUTPUTS];
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    tn_buf_printf(p->out, "%s%s", i > 0 ? ", " : "", tn_pr_name(p, outputs->in[i]));
  }
  tn_buf_puts(p->out, ")\n");
  p->indent--;
}

/* One branch; `name` is what its last binding must be called. */
static void print_branch(tn_printer *p, const tn_node *var, const char *name,
                         const tn_node *branch) {
  bool is_seq = tn_is(branch, TN_OP_SEQ);
  uint32_t n = is_seq ? branch->n_in : 1;
  const tn_node *const *stmts = is_seq ? branch->in : &branch;
  size_t mark = tn_pr_enter(p);
  p->indent++;
  for (uint32_t i = 0; i + 1 < n; ++i) {
    bool is_result = i + 2 == n && tn_is(stmts[i], TN_OP_GBIND) &&
                     tn_is(stmts[n - 1], TN_OP_YIELD) &&
                     stmts[n - 1]->in[0] == stmts[i]->in[TN_BIND_VAR] &&
                     !tn_is(stmts[i]->in[TN_BIND_VALUE], TN_OP_GVAR) &&
                     !tn_is(stmts[i]->in[TN_BIND_VALUE], TN_OP_GFUNC);
    if (is_result) {
      print_binding(p, stmts[i]->in[TN_BIND_VAR], name, stmts[i]->in[TN_BIND_VALUE]);
      n = 0;
    } else {
      tn_pr_graph_stmt(p, stmts[i]);
    }
  }
  if (n > 0 && tn_is(stmts[n - 1], TN_OP_YIELD)) {
    print_binding(p, var, name, stmts[n - 1]->in[0]);
  }
  p->indent--;
  tn_pr_leave(p, mark);
}

static void print_gif(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_GIF_VAR];
  tn_pr_line(p);
  tn_buf_puts(p->out, "if ");
  tn_pr_graph_expr(p, n->in[TN_GIF_COND]);
  tn_buf_puts(p->out, ":\n");
  /* the name is taken before the branches so that nothing inside them gets it, and is visible after
   * them only */
  const char *name = tn_pr_define(p, var, var->attr.text);
  print_branch(p, var, name, n->in[TN_GIF_THEN]);
  tn_pr_line(p);
  tn_buf_puts(p->out, "else:\n");
  print_branch(p, var, name, n->in[TN_GIF_ELSE]);
}

void tn_pr_graph_stmt(tn_printer *p, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        tn_pr_graph_stmt(p, n->in[i]);
      }
      break;
    case TN_OP_GBIND:
      print_gbind(p, n);
      break;
    case TN_OP_MATCH_CAST:
      print_match_cast(p, n);
      break;
    case TN_OP_DATAFLOW:
      print_dataflow(p, n);
      break;
    case TN_OP_GIF:
      print_gif(p, n);
      break;
    case TN_OP_RETURN:
    case TN_OP_YIELD:
      tn_pr_line(p);
      tn_buf_puts(p->out, tn_is(n, TN_OP_RETURN) ? "return " : "yield ");
      tn_pr_graph_expr(p, n->in[0]);
      tn_buf_putc(p->out, '\n');
      break;
    default:
      tn_pr_stmt(p, n);
  }
}

/* ---- functions ---- */

static void print_decorator(tn_printer *p, const tn_node *func, bool is_nested) {
  bool is_private = !is_nested && tn_dict_find(func->in[TN_GFUNC_ATTRS], "global_symbol") == NULL;
  bool is_impure = !tn_is_int(func->in[TN_GFUNC_IS_PURE], 1);
  tn_pr_line(p);
  tn_buf_puts(p->out, "@R.function");
  if (is_private || is_impure) {
    tn_buf_printf(p->out, "(%s%s%s)", is_private ? "private=True" : "",
                  is_private && is_impure ? ", " : "", is_impure ? "pure=False" : "");
  }
  tn_buf_putc(p->out, '\n');
}

/* A name used for the module inside the function: printed only where it is needed. */
static tn_visit find_global(const tn_node *n, void *ctx) {
  (void)ctx;
  return tn_is(n, TN_OP_GLOBAL) ? TN_STOP : TN_DESCEND;
}

static tn_visit note_vars(const tn_node *n, void *ctx) {
  if (tn_is(n, TN_OP_VAR)) {
    tn_map_set(ctx, n->id, 1);
  }
  return TN_DESCEND;
}

static void print_signature(tn_printer *p, const char *name, const tn_node *func) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  bool was_signature = p->is_signature;
  p->is_signature = true;
  tn_pr_line(p);
  tn_buf_printf(p->out, "def %s(", name);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *param = params->in[i];
    tn_buf_printf(p->out, "%s%s: ", i > 0 ? ", " : "", tn_pr_define(p, param, param->attr.text));
    if (tn_is_none(param->in[0])) {
      tn_buf_puts(p->out, "R.Object");
    } else {
      tn_pr_type(p, param->in[0]);
    }
  }
  tn_buf_putc(p->out, ')');
  if (!tn_is_none(func->in[TN_GFUNC_RET])) {
    tn_buf_puts(p->out, " -> ");
    tn_pr_type(p, func->in[TN_GFUNC_RET]);
  }
  tn_buf_puts(p->out, ":\n");
  p->is_signature = was_signature;
}

/* `n = T.int64()` for each symbol of the signature that the body mentions. */
static void print_signature_symbols(tn_printer *p, const tn_node *body, size_t mark) {
  tn_map used = {0};
  (void)tn_walk_distinct(body, note_vars, &used);
  for (size_t i = mark; i < p->scope.len; ++i) {
    if (p->scope.data[i].name != NULL && tn_map_find(&used, p->scope.data[i].id, NULL)) {
      tn_pr_line(p);
      tn_buf_printf(p->out, "%s = T.int64()\n", p->scope.data[i].name);
    }
  }
  tn_map_deinit(&used);
}

void tn_pr_graph_func(tn_printer *p, const char *name, const tn_node *func) {
  tn_dtype outer = p->bare_int;
  p->bare_int = TN_DT_I64;
  bool is_nested = outer == TN_DT_I64;
  size_t mark = tn_pr_enter(p);
  const tn_node *body = func->in[TN_GFUNC_BODY];
  print_decorator(p, func, is_nested);
  print_signature(p, name, func);
  p->indent++;
  tn_pr_func_attrs(p, 'R', name, func->in[TN_GFUNC_ATTRS]);
  print_signature_symbols(p, body, mark);
  if (!is_nested && !tn_walk_distinct(body, find_global, NULL)) {
    tn_pr_line(p);
    tn_buf_printf(p->out, "cls = %s\n", p->module != NULL ? p->module->name : "Module");
  }
  tn_pr_graph_stmt(p, body);
  p->indent--;
  tn_pr_leave(p, mark);
  p->bare_int = outer;
}
