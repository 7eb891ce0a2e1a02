/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Constructors of graph-level types, and what they look like in a signature. */
#include <inttypes.h>
#include <string.h>

#include "graph/graph.h"

static const tn_node *or_none(tn_ir *ir, const tn_node *n) { return n == NULL ? tn_none(ir) : n; }

const tn_node *tn_ty_tensor(tn_ir *ir, tn_dtype dtype, int64_t ndim, const tn_node *shape) {
  bool is_known = shape != NULL && !tn_is_none(shape);
  const tn_node *in[] = {or_none(ir, shape), tn_none(ir)};
  tn_attr attr = {.i64 = is_known ? (int64_t)shape->n_in : ndim};
  return tn_node_new(ir, TN_OP_TY_TENSOR, dtype, attr, 2, in);
}

const tn_node *tn_ty_object(tn_ir *ir) {
  return tn_node_new(ir, TN_OP_TY_OBJECT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
}

const tn_node *tn_ty_shape(tn_ir *ir, int64_t ndim, const tn_node *dims) {
  bool is_known = dims != NULL && !tn_is_none(dims);
  const tn_node *in[] = {or_none(ir, dims)};
  tn_attr attr = {.i64 = is_known ? (int64_t)dims->n_in : ndim};
  return tn_node_new(ir, TN_OP_TY_SHAPE, TN_DT_NONE, attr, 1, in);
}

const tn_node *tn_ty_tuple(tn_ir *ir, uint32_t n, const tn_node *const *items) {
  return tn_node_new(ir, TN_OP_TY_TUPLE, TN_DT_NONE, (tn_attr){0}, n, items);
}

const tn_node *tn_ty_prim(tn_ir *ir, tn_dtype dtype, const tn_node *value) {
  const tn_node *in[] = {or_none(ir, value)};
  return tn_node_new(ir, TN_OP_TY_PRIM, dtype, (tn_attr){0}, 1, in);
}

const tn_node *tn_ty_func(tn_ir *ir, const tn_node *params, const tn_node *ret, bool is_pure) {
  const tn_node *in[] = {or_none(ir, params), ret};
  return tn_node_new(ir, TN_OP_TY_FUNC, TN_DT_NONE, (tn_attr){.i64 = is_pure}, 2, in);
}

const tn_node *tn_ty_of_array(tn_ir *ir, const tn_array *array) {
  const tn_node *dims[TN_MAX_NDIM];
  for (int32_t d = 0; d < array->ndim; ++d) {
    dims[d] = tn_int(ir, TN_DT_I64, array->shape[d]);
  }
  return tn_ty_tensor(ir, array->dtype, array->ndim, tn_list(ir, (uint32_t)array->ndim, dims));
}

/* ---- text ---- */

static void print_expr(const tn_node *n, int min_prec, tn_buf *out);

static void print_call_form(const char *name, const tn_node *n, tn_buf *out) {
  tn_buf_printf(out, "%s(", name);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tn_buf_puts(out, i == 0 ? "" : ", ");
    print_expr(n->in[i], 0, out);
  }
  tn_buf_putc(out, ')');
}

static void print_expr(const tn_node *n, int min_prec, tn_buf *out) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  if (n->op == TN_OP_INT) {
    tn_buf_printf(out, "%" PRId64, n->attr.i64);
  } else if (n->op == TN_OP_VAR) {
    tn_buf_puts(out, n->attr.text);
  } else if (n->op == TN_OP_CAST) {
    print_expr(n->in[0], min_prec, out);
  } else if (info->prec > 0 && n->n_in == 2) {
    bool is_wrapped = info->prec < min_prec;
    tn_buf_puts(out, is_wrapped ? "(" : "");
    print_expr(n->in[TN_A], info->prec, out);
    tn_buf_printf(out, " %s ", info->text);
    print_expr(n->in[TN_B], info->prec + 1, out);
    tn_buf_puts(out, is_wrapped ? ")" : "");
  } else {
    print_call_form(info->text, n, out);
  }
}

void tn_dim_print(const tn_node *expr, tn_buf *out) { print_expr(expr, 0, out); }

/* Extents as in a signature: a symbolic one is quoted. */
static void print_dims(const tn_node *dims, const char *open, const char *close, tn_buf *out) {
  tn_buf_puts(out, open);
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    const char *quote = dims->in[i]->op == TN_OP_INT ? "" : "\"";
    tn_buf_printf(out, "%s%s", i == 0 ? "" : ", ", quote);
    tn_dim_print(dims->in[i], out);
    tn_buf_puts(out, quote);
  }
  tn_buf_puts(out, dims->n_in == 1 && *open == '(' ? "," : "");
  tn_buf_puts(out, close);
}

static void print_tensor(const tn_node *type, tn_buf *out) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  const char *sep = "";
  tn_buf_puts(out, "R.Tensor");
  if (tn_is_none(shape) && type->attr.i64 < 0 && type->dtype == TN_DT_NONE) {
    return;
  }
  tn_buf_putc(out, '(');
  if (!tn_is_none(shape)) {
    print_dims(shape, "(", ")", out);
    sep = ", ";
  }
  if (type->dtype != TN_DT_NONE) {
    tn_buf_printf(out, "%sdtype=\"%s\"", sep, tn_dtype_print(type->dtype, dtype));
    sep = ", ";
  }
  if (tn_is_none(shape) && type->attr.i64 >= 0) {
    tn_buf_printf(out, "%sndim=%" PRId64, sep, type->attr.i64);
  }
  tn_buf_putc(out, ')');
}

static void print_list(const tn_node *list, tn_buf *out) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    tn_buf_puts(out, i == 0 ? "" : ", ");
    tn_ty_print(list->in[i], out);
  }
}

static void print_func(const tn_node *type, tn_buf *out) {
  const tn_node *params = type->in[TN_TY_FUNC_PARAMS];
  tn_buf_puts(out, "R.Callable");
  if (tn_is_none(params)) {
    return;
  }
  tn_buf_puts(out, "((");
  print_list(params, out);
  tn_buf_puts(out, params->n_in == 1 ? ",), " : "), ");
  tn_ty_print(type->in[TN_TY_FUNC_RET], out);
  tn_buf_puts(out, type->attr.i64 != 0 ? ", True)" : ", False)");
}

static void print_shape(const tn_node *type, tn_buf *out) {
  const tn_node *dims = type->in[0];
  if (!tn_is_none(dims)) {
    print_dims(dims, "R.Shape([", "])", out);
  } else if (type->attr.i64 >= 0) {
    tn_buf_printf(out, "R.Shape(ndim=%" PRId64 ")", type->attr.i64);
  } else {
    tn_buf_puts(out, "R.Shape");
  }
}

void tn_ty_print(const tn_node *type, tn_buf *out) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
      print_tensor(type, out);
      break;
    case TN_OP_TY_SHAPE:
      print_shape(type, out);
      break;
    case TN_OP_TY_TUPLE:
      tn_buf_puts(out, "R.Tuple(");
      print_list(type, out);
      tn_buf_putc(out, ')');
      break;
    case TN_OP_TY_PRIM:
      tn_buf_printf(out, "R.Prim(\"%s\")", tn_dtype_print(type->dtype, dtype));
      break;
    case TN_OP_TY_FUNC:
      print_func(type, out);
      break;
    default:
      tn_buf_puts(out, type->op == TN_OP_TY_OBJECT ? "R.Object" : "no type");
      break;
  }
}
