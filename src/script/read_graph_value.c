/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values of the graph level: what of the text may be one, constants, shapes, tuples and their items,
 * devices. */
#include <inttypes.h>
#include <string.h>

#include "script/read_graph.h"

/* ---- values ---- */

bool tn_is_graph_value(tn_val v) {
  if (v.kind != TN_VAL_NODE) {
    return false;
  }
  switch ((int)v.node->op) {
    case TN_OP_GVAR:
    case TN_OP_GLOBAL:
    case TN_OP_EXTERN:
    case TN_OP_TUPLE:
    case TN_OP_GET:
    case TN_OP_SHAPE:
    case TN_OP_PRIM:
    case TN_OP_CONST:
    case TN_OP_CALL:
      return true;
    case TN_OP_INVOKE: /* with a type: in a loop function */
      return v.node->dtype == TN_DT_NONE;
    default:
      return false;
  }
}

static const tn_node *prim_of(tn_ir *ir, const tn_node *value) {
  return tn_node_new(ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &value);
}

static const tn_node *number_to_prim(tn_reader *r, const tn_ast *at, tn_val v) {
  tn_dtype dtype = v.kind == TN_VAL_FLOAT  ? TN_DT_F64
                   : v.kind == TN_VAL_BOOL ? TN_DT_BOOL
                                           : TN_DT_I64;
  const tn_node *value = tn_to_expr(r, at, v, dtype);
  return value == NULL ? NULL : prim_of(r->ir, value);
}

bool tn_graph_is_size(tn_val v) {
  return v.kind == TN_VAL_INT ||
         (v.kind == TN_VAL_NODE && !tn_is_graph_value(v) && v.node->dtype == TN_DT_I64);
}

const tn_node *tn_graph_list_to_shape(tn_reader *r, const tn_ast *at, tn_val v) {
  const tn_node **dims = TN_ARENA_ARRAY(&r->arena, const tn_node *, v.n + 1);
  for (uint32_t i = 0; i < v.n; ++i) {
    dims[i] = tn_to_dim(r, at, v.items[i]);
    if (dims[i] == NULL) {
      return NULL;
    }
  }
  return tn_node_new(r->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, v.n, dims);
}

const tn_node *tn_graph_list_to_tuple(tn_reader *r, const tn_ast *at, tn_val v) {
  const tn_node **items = TN_ARENA_ARRAY(&r->arena, const tn_node *, v.n + 1);
  for (uint32_t i = 0; i < v.n; ++i) {
    items[i] = tn_to_graph(r, at, v.items[i]);
    if (items[i] == NULL) {
      return NULL;
    }
  }
  return tn_node_new(r->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, v.n, items);
}

const tn_node *tn_to_graph(tn_reader *r, const tn_ast *at, tn_val v) {
  if (tn_val_is_error(v)) {
    return NULL;
  }
  if (tn_is_graph_value(v) || tn_val_is_node(v, TN_OP_STR) || tn_val_is_node(v, TN_OP_DTYPE)) {
    return v.node;
  }
  if (tn_val_is_number(v)) {
    return number_to_prim(r, at, v);
  }
  if (v.kind == TN_VAL_STR) {
    return tn_str(r->ir, v.text);
  }
  if (v.kind == TN_VAL_LIST) {
    return tn_graph_list_to_tuple(r, at, v);
  }
  if (v.kind == TN_VAL_NODE &&
      (v.node->op == TN_OP_VAR || tn_op_info_get((tn_op)v.node->op)->cls == TN_CLASS_EXPR)) {
    return prim_of(r->ir, v.node);
  }
  tn_read_fail(r, at, "not-an-expression", NULL, "expected a graph value, got %s", tn_val_what(v));
  return NULL;
}

const tn_node *tn_read_graph(tn_reader *r, const tn_ast *ast) {
  return tn_to_graph(r, ast, tn_read_val(r, ast));
}

static tn_val node_or_error(const tn_node *n) {
  return n == NULL ? tn_val_error() : tn_val_node(n);
}

/* ---- values with a call of their own ---- */

/* Extents of nested lists; false, reported, when they are ragged. */
static bool nested_shape(tn_reader *r, const tn_ast *at, tn_val v, int32_t dim, tn_array *shape,
                         bool is_first) {
  if (v.kind != TN_VAL_LIST) {
    bool is_flat = is_first ? (shape->ndim = dim, true) : dim == shape->ndim;
    if (!is_flat) {
      tn_read_fail(r, at, "bad-constant", NULL, "the rows of the constant differ in depth");
    }
    return is_flat;
  }
  if (dim >= TN_MAX_NDIM) {
    tn_read_fail(r, at, "bad-constant", NULL, "a constant has at most %d dimensions", TN_MAX_NDIM);
    return false;
  }
  if (is_first) {
    shape->shape[dim] = v.n;
    shape->ndim = dim + 1;
  } else if (dim >= shape->ndim || shape->shape[dim] != (int64_t)v.n) {
    tn_read_fail(r, at, "bad-constant", NULL, "the rows of the constant differ in length");
    return false;
  }
  for (uint32_t i = 0; i < v.n; ++i) {
    if (!nested_shape(r, at, v.items[i], dim + 1, shape, is_first && i == 0)) {
      return false;
    }
  }
  return true;
}

/* The type that takes both; what is unlike (two written types) keeps the first. */
static tn_dtype joined_type(tn_dtype a, tn_dtype b) {
  bool is_wider = tn_dtype_is_float(b) ? !tn_dtype_is_float(a)
                                       : tn_dtype_is_bool(a) || (a == TN_DT_I32 && b == TN_DT_I64);
  return a == TN_DT_NONE || is_wider ? b : a;
}

/* The type of a constant written without one. An empty list has float32, as everywhere. */
static tn_dtype const_type(tn_val v) {
  tn_dtype type = TN_DT_NONE;
  switch (v.kind) {
    case TN_VAL_NODE:
      return v.node->dtype;
    case TN_VAL_INT:
      return v.i64 >= INT32_MIN && v.i64 <= INT32_MAX ? TN_DT_I32 : TN_DT_I64;
    case TN_VAL_UINT:
      return TN_DT_U64;
    case TN_VAL_BOOL:
      return TN_DT_BOOL;
    case TN_VAL_LIST:
      for (uint32_t i = 0; i < v.n; ++i) {
        type = joined_type(type, const_type(v.items[i]));
      }
      return type == TN_DT_NONE ? TN_DT_F32 : type;
    default:
      return TN_DT_F32;
  }
}

static tn_val call_const(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "value dtype?", args)) {
    return tn_val_error();
  }
  tn_val v = tn_read_val(r, args[0]);
  tn_array model = {0};
  if (tn_val_is_error(v) || !nested_shape(r, args[0], v, 0, &model, true)) {
    return tn_val_error();
  }
  tn_dtype dtype = const_type(v);
  if (args[1] != NULL && args[1]->kind != TN_AST_NONE && !tn_read_dtype(r, args[1], &dtype)) {
    return tn_val_error();
  }
  if (tn_dtype_lanes(dtype) != 1 || tn_dtype_is_handle(dtype)) {
    return tn_read_fail(r, call->ast, "unknown-dtype", NULL, "a constant has a plain element type");
  }
  tn_array array = {0};
  if (!tn_read_ok(r, call->ast, "bad-constant",
                  tn_array_init(&array, dtype, model.ndim, model.shape))) {
    return tn_val_error();
  }
  if (!tn_fill_array(r, args[0], v, &array)) {
    tn_array_deinit(&array);
    return tn_val_error();
  }
  return tn_val_node(tn_const_new(r->ir, &array));
}

static tn_val call_prim_value(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "value", args)) {
    return tn_val_error();
  }
  tn_val v = tn_read_val(r, args[0]);
  if (tn_val_is_number(v)) {
    return node_or_error(number_to_prim(r, args[0], v));
  }
  const tn_node *value = tn_to_expr(r, args[0], v, TN_DT_NONE);
  return value == NULL ? tn_val_error() : tn_val_node(prim_of(r->ir, value));
}

static tn_val call_shape(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "values", args)) {
    return tn_val_error();
  }
  tn_val v = tn_read_val(r, args[0]);
  if (v.kind != TN_VAL_LIST) {
    return tn_val_is_error(v)
               ? v
               : tn_read_fail(r, args[0], "bad-shape", NULL, "expected a list of sizes");
  }
  return node_or_error(tn_graph_list_to_shape(r, args[0], v));
}

static tn_val call_str(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "value", args)) {
    return tn_val_error();
  }
  const char *text = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  return text == NULL ? tn_val_error() : tn_val_node(tn_str(r->ir, text));
}

static tn_val call_tuple(tn_reader *r, const tn_call *call) {
  uint32_t n = call->ast->n - 1;
  tn_val *items = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  if (!tn_check_keywords(r, call->ast, "")) {
    return tn_val_error();
  }
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = tn_read_val(r, call->ast->in[1 + i]);
    if (tn_val_is_error(items[i])) {
      return items[i];
    }
  }
  return node_or_error(tn_graph_list_to_tuple(r, call->ast, tn_val_list(r, n, items, true)));
}

static tn_val get_item(tn_reader *r, const tn_ast *at, const tn_node *tuple, const tn_ast *index) {
  int64_t i = 0;
  if (!tn_to_int(r, index, tn_read_val(r, index), &i)) {
    return tn_val_error();
  }
  const tn_node *type = tuple->op == TN_OP_GVAR ? tuple->in[0] : NULL;
  int64_t n = -1;
  if (tuple->op == TN_OP_TUPLE) {
    n = tuple->n_in;
  } else if (type != NULL && type->op == TN_OP_TY_TUPLE) {
    n = type->n_in;
  }
  int64_t given = i;
  if (i < 0 && n >= 0) {
    i += n;
  }
  if (i < 0 && n < 0) {
    return tn_read_fail(r, at, "index-out-of-range", NULL,
                        "index %" PRId64 " of a tuple whose size is not known", given);
  }
  if (i < 0 || (n >= 0 && i >= n)) {
    return tn_read_fail(r, at, "index-out-of-range", NULL,
                        "index %" PRId64 " of a tuple of %" PRId64, given, n);
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = i}, 1, &tuple));
}

static tn_val call_tuple_get_item(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "tuple_value index", args)) {
    return tn_val_error();
  }
  const tn_node *tuple = tn_read_graph(r, args[0]);
  return tuple == NULL ? tn_val_error() : get_item(r, call->ast, tuple, args[1]);
}

tn_val tn_graph_index(tn_reader *r, const tn_ast *ast, tn_val base) {
  if (ast->n != 2 || ast->in[1]->kind == TN_AST_SLICE) {
    return tn_read_fail(r, ast, "bad-index", NULL, "expected one constant index into a tuple");
  }
  return get_item(r, ast, base.node, ast->in[1]);
}

static tn_val call_extern_func(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "global_symbol", args)) {
    return tn_val_error();
  }
  const char *name = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  return name == NULL ? tn_val_error() : tn_val_node(tn_graph_extern(r, name));
}

static tn_val call_emit(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  return tn_bind_args(r, call->ast, "value", args) ? tn_read_val(r, args[0]) : tn_val_error();
}

static tn_val device_text(tn_reader *r, const char *kind, const tn_ast *index_ast) {
  int64_t index = 0;
  if (index_ast != NULL && !tn_to_int(r, index_ast, tn_read_val(r, index_ast), &index)) {
    return tn_val_error();
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s:%" PRId64, kind, index);
  tn_val v = {.kind = TN_VAL_STR, .text = tn_ir_text(r->ir, tn_buf_text(&text))};
  tn_buf_deinit(&text);
  return v;
}

static tn_val call_device(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "device_type device_index?", args)) {
    return tn_val_error();
  }
  const char *kind = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  return kind == NULL ? tn_val_error() : device_text(r, kind, args[1]);
}

/* R.cpu(), R.cuda(1) */
static tn_val call_named_device(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  return tn_bind_args(r, call->ast, "device_index?", args)
             ? device_text(r, call->row->name + strlen("R."), args[0])
             : tn_val_error();
}

static tn_val call_unsupported(tn_reader *r, const tn_call *call) {
  return tn_read_fail(r, call->ast->in[0], "unsupported", NULL, "not supported yet: %s",
                      call->row->name);
}

static tn_val call_misplaced(tn_reader *r, const tn_call *call) {
  return tn_read_fail(r, call->ast, "wrong-place", NULL,
                      "%s stands alone on the right side of a binding: name = %s(...)",
                      call->row->name, call->row->name);
}

static const tn_call_row rows[] = {
    {"R.const", call_const, 0, TN_USE_GRAPH},
    {"R.prim_value", call_prim_value, 0, TN_USE_GRAPH},
    {"R.shape", call_shape, 0, TN_USE_GRAPH},
    {"R.str", call_str, 0, TN_USE_GRAPH},
    {"R.tuple", call_tuple, 0, TN_USE_GRAPH},
    {"R.tuple_get_item", call_tuple_get_item, 0, TN_USE_GRAPH},
    {"R.TupleGetItem", call_tuple_get_item, 0, TN_USE_GRAPH},
    {"R.ExternFunc", call_extern_func, 0, TN_USE_GRAPH},
    {"R.emit", call_emit, 0, TN_USE_GRAPH},
    {"R.device", call_device, 0, TN_USE_GRAPH},
    {"R.cpu", call_named_device, 0, TN_USE_GRAPH},
    {"R.cuda", call_named_device, 0, TN_USE_GRAPH},
    {"R.metal", call_named_device, 0, TN_USE_GRAPH},
    {"R.opencl", call_named_device, 0, TN_USE_GRAPH},
    {"R.rocm", call_named_device, 0, TN_USE_GRAPH},
    {"R.vulkan", call_named_device, 0, TN_USE_GRAPH},
    {"R.match_cast", call_misplaced, 0, TN_USE_GRAPH},
    {"R.emit_match_cast", call_misplaced, 0, TN_USE_GRAPH},
    {"R.func_ret_struct_info", call_unsupported, 0, TN_USE_GRAPH},
};

tn_call_table tn_graph_value_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
