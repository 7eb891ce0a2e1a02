/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of the graph level: operators of the tables (arguments, then fields), calls of loop and
 * library functions, values (constants, shapes, tuples), and the operators that Python's signs
 * stand for. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

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

static bool is_size(tn_val v) {
  return v.kind == TN_VAL_INT ||
         (v.kind == TN_VAL_NODE && !tn_is_graph_value(v) && v.node->dtype == TN_DT_I64);
}

static const tn_node *list_to_shape(tn_reader *r, const tn_ast *at, tn_val v) {
  const tn_node **dims = TN_ARENA_ARRAY(&r->arena, const tn_node *, v.n + 1);
  for (uint32_t i = 0; i < v.n; ++i) {
    dims[i] = tn_to_dim(r, at, v.items[i]);
    if (dims[i] == NULL) {
      return NULL;
    }
  }
  return tn_node_new(r->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, v.n, dims);
}

static const tn_node *list_to_tuple(tn_reader *r, const tn_ast *at, tn_val v) {
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
    return list_to_tuple(r, at, v);
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

/* ---- operators of the tables ---- */

static const tn_op_def *find_op(const tn_reader *r, const char *name) {
  const tn_op_def *def = tn_graph_builtin_find(name);
  return def != NULL || r->opts->ops == NULL ? def : tn_op_table_find(r->opts->ops, name);
}

static bool is_builtin(const tn_op_def *def) { return tn_graph_builtin_find(def->def.name) == def; }

/* R.prim_value(3) as the number it holds: fields take numbers, and some printers write these. */
static tn_val plain_number(tn_val v) {
  const tn_node *n = tn_val_is_node(v, TN_OP_PRIM) ? v.node->in[0] : NULL;
  if (n != NULL && n->op == TN_OP_INT) {
    return (tn_val){.kind = TN_VAL_INT, .i64 = n->attr.i64};
  }
  if (n != NULL && n->op == TN_OP_FLOAT) {
    return (tn_val){.kind = TN_VAL_FLOAT, .f64 = n->attr.f64};
  }
  return v;
}

static const tn_node *read_ints_field(tn_reader *r, const tn_ast *ast, tn_val v) {
  tn_val one = v;
  uint32_t n = v.kind == TN_VAL_LIST ? v.n : 1;
  const tn_node **items = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t value = 0;
    if (!tn_to_int(r, ast, plain_number(v.kind == TN_VAL_LIST ? v.items[i] : one), &value)) {
      return NULL;
    }
    items[i] = tn_int(r->ir, TN_DT_I64, value);
  }
  return tn_list(r->ir, n, items);
}

static const tn_node *read_float_field(tn_reader *r, const tn_ast *ast, tn_val v) {
  if (tn_val_is_number(v)) {
    return tn_to_expr(r, ast, v, TN_DT_F64);
  }
  if (tn_val_is_node(v, TN_OP_FLOAT)) {
    return tn_float(r->ir, TN_DT_F64, v.node->attr.f64);
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, ast, "bad-field", NULL, "expected a number, got %s", tn_val_what(v));
  }
  return NULL;
}

static const tn_node *read_field(tn_reader *r, const tn_ast *ast, const tn_field *field) {
  if (ast->kind == TN_AST_NONE) {
    return tn_none(r->ir);
  }
  tn_val v = field->kind == TN_FIELD_DTYPE ? tn_val_void() : plain_number(tn_read_val(r, ast));
  int64_t i64 = 0;
  bool flag = false;
  tn_dtype dtype = TN_DT_NONE;
  const char *text = NULL;
  const tn_node *dict = NULL;
  switch (field->kind) {
    case TN_FIELD_INT:
      return tn_to_int(r, ast, v, &i64) ? tn_int(r->ir, TN_DT_I64, i64) : NULL;
    case TN_FIELD_FLOAT:
      return read_float_field(r, ast, v);
    case TN_FIELD_BOOL:
      return tn_to_bool(r, ast, v, &flag) ? tn_bool(r->ir, flag) : NULL;
    case TN_FIELD_STR:
      text = tn_to_str(r, ast, v);
      return text == NULL ? NULL : tn_str(r->ir, text);
    case TN_FIELD_DTYPE:
      if (ast->kind == TN_AST_STR && strcmp(ast->text, "void") == 0) { /* TVM's word for none */
        return tn_none(r->ir);
      }
      if (!tn_read_dtype(r, ast, &dtype)) {
        return NULL;
      }
      return tn_node_new(r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL);
    case TN_FIELD_INT_OR_INTS:
      if (v.kind == TN_VAL_INT) {
        return tn_int(r->ir, TN_DT_I64, v.i64);
      }
      return tn_val_is_error(v) ? NULL : read_ints_field(r, ast, v);
    case TN_FIELD_INTS:
      return tn_val_is_error(v) ? NULL : read_ints_field(r, ast, v);
    case TN_FIELD_DICT:
      dict = tn_to_attr(r, ast, v);
      if (dict != NULL && dict->op != TN_OP_DICT) {
        tn_read_fail(r, ast, "bad-field", NULL, "expected a dictionary");
        return NULL;
      }
      return dict;
  }
  return NULL;
}

/* One type, a tuple or a list of them, as a LIST. */
static const tn_node *read_types(tn_reader *r, const tn_ast *ast) {
  bool is_list = ast->kind == TN_AST_TUPLE || ast->kind == TN_AST_LIST;
  uint32_t n = is_list ? ast->n : 1;
  const tn_node **types = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    types[i] = tn_read_type(r, is_list ? ast->in[i] : ast);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, n, types);
}

typedef struct op_args {
  const tn_op_def *def;
  const tn_ast *call;
  const tn_node **args;
  uint32_t n_args;
  const tn_node **fields;
  const tn_node *types; /* NULL: none */
} op_args;

static tn_val unknown_op_argument(tn_reader *r, const tn_ast *keyword, const tn_op_def *def) {
  TN_VEC(const char *) names = {0};
  for (int32_t i = 0; i < def->n_fields; ++i) {
    TN_VEC_PUSH(&names, def->fields[i].name);
  }
  char *hint = tn_near_of(keyword->text, names.data, names.len);
  TN_VEC_DEINIT(&names);
  tn_val v = tn_read_fail(r, keyword, "unknown-argument", hint, "R.%s takes no argument '%s'",
                          def->def.name, keyword->text);
  free(hint);
  return v;
}

/* 2022, 2023 and 2026 each have a word for the types of results. */
static bool is_types_keyword(const char *name) {
  static const char *const names[] = {"type_args", "sinfo_args", "out_sinfo", "ty_args", "out_ty"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strcmp(names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool read_op_keyword(tn_reader *r, const tn_ast *keyword, op_args *out) {
  const tn_op_def *def = out->def;
  if (def->takes_types && is_types_keyword(keyword->text)) {
    if (out->types != NULL) {
      tn_read_fail(r, keyword, "duplicate-argument", NULL, "the types are given twice");
      return false;
    }
    out->types = read_types(r, keyword->in[0]);
    return out->types != NULL;
  }
  for (int32_t i = 0; i < def->n_fields; ++i) {
    if (strcmp(keyword->text, def->fields[i].name) == 0) {
      out->fields[i] = read_field(r, keyword->in[0], &def->fields[i]);
      return out->fields[i] != NULL;
    }
  }
  return !tn_val_is_error(unknown_op_argument(r, keyword, def));
}

/* The library functions' kinds name their callee by text. */
static bool names_callee(const tn_op_def *def) {
  return def == tn_graph_builtin(TN_BUILTIN_CALL_PACKED) ||
         def == tn_graph_builtin(TN_BUILTIN_CALL_PURE_PACKED) ||
         def == tn_graph_builtin(TN_BUILTIN_CALL_INPLACE_PACKED) ||
         def == tn_graph_builtin(TN_BUILTIN_CALL_BUILTIN_CTX) ||
         def == tn_graph_builtin(TN_BUILTIN_VM_CALL_DPS) ||
         def == tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED);
}

static const tn_node *extern_of(tn_reader *r, const char *name) {
  return tn_node_new(r->ir, TN_OP_EXTERN, TN_DT_NONE, (tn_attr){.text = name}, 0, NULL);
}

/* Among an operator's own arguments a tuple of sizes is a shape: R.reshape(x, (2, n)). */
static const tn_node *read_op_argument(tn_reader *r, const tn_ast *ast, const tn_op_def *def,
                                       uint32_t i) {
  tn_val v = tn_read_val(r, ast);
  if (i == 0 && v.kind == TN_VAL_STR && names_callee(def)) {
    return extern_of(r, v.text);
  }
  if (v.kind == TN_VAL_LIST && v.n > 0 && !is_builtin(def)) {
    bool is_shape = true;
    for (uint32_t k = 0; k < v.n; ++k) {
      is_shape = is_shape && is_size(v.items[k]);
    }
    if (is_shape) {
      return list_to_shape(r, ast, v);
    }
  }
  return tn_to_graph(r, ast, v);
}

static bool read_op_args(tn_reader *r, op_args *out) {
  const tn_op_def *def = out->def;
  uint32_t n = tn_n_positional(out->call);
  uint32_t max = def->max_args < 0 ? n : (uint32_t)def->max_args;
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *ast = out->call->in[1 + i];
    if (i < max) {
      const tn_node *arg = read_op_argument(r, ast, def, i);
      out->args[out->n_args++] = arg;
      is_ok = is_ok && arg != NULL;
    } else if (i - max < (uint32_t)def->n_fields) {
      out->fields[i - max] = read_field(r, ast, &def->fields[i - max]);
      is_ok = is_ok && out->fields[i - max] != NULL;
    } else {
      tn_read_fail(r, ast, "wrong-argument-count", NULL, "R.%s takes %u arguments", def->def.name,
                   max + (uint32_t)def->n_fields);
      return false;
    }
  }
  for (uint32_t i = 1 + n; i < out->call->n; ++i) {
    const tn_ast *keyword = out->call->in[i];
    if (keyword->kind != TN_AST_KEYWORD) {
      tn_read_fail(r, keyword, "wrong-argument-count", NULL,
                   "a positional argument after a keyword");
      return false;
    }
    is_ok = read_op_keyword(r, keyword, out) && is_ok;
  }
  return is_ok;
}

static void init_fields(tn_reader *r, op_args *args) {
  args->fields = TN_ARENA_ARRAY(&r->arena, const tn_node *, args->def->n_fields + 1);
  for (int32_t i = 0; i < args->def->n_fields; ++i) {
    args->fields[i] = tn_none(r->ir);
  }
}

static tn_val make_op(tn_reader *r, const op_args *args) {
  const tn_op_def *def = args->def;
  for (int32_t i = 0; i < def->n_fields; ++i) {
    if (def->fields[i].default_text == NULL && tn_is_none(args->fields[i])) {
      return tn_read_fail(r, args->call, "missing-argument", NULL, "R.%s needs the argument '%s'",
                          def->def.name, def->fields[i].name);
    }
  }
  if (args->n_args < (uint32_t)def->min_args) {
    return tn_read_fail(
        r, args->call, "missing-argument", NULL, "R.%s takes %s%d arguments, got %u", def->def.name,
        def->max_args == def->min_args ? "" : "at least ", def->min_args, args->n_args);
  }
  const tn_node *fields = tn_list(r->ir, (uint32_t)def->n_fields, args->fields);
  return tn_val_node(tn_call_new(r->ir, def, args->n_args, args->args, fields, args->types));
}

static char *near_op(tn_reader *r, const char *name) {
  TN_VEC(const char *) names = {0};
  TN_VEC_PUSH(&names, "output"); /* a statement of dataflow blocks */
  for (int i = 0; i < TN_N_BUILTINS; ++i) {
    TN_VEC_PUSH(&names, tn_graph_builtin((tn_builtin_id)i)->def.name);
  }
  for (int32_t i = 0; r->opts->ops != NULL && i < r->opts->ops->n; ++i) {
    TN_VEC_PUSH(&names, r->opts->ops->defs[i]->def.name);
  }
  for (size_t i = 0; i < r->calls.len; ++i) {
    if (strncmp(r->calls.keys[i], "R.", 2) == 0) {
      TN_VEC_PUSH(&names, r->calls.keys[i] + 2);
    }
  }
  char *hint = tn_near_of(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return hint;
}

/* R.relu is R.nn.relu. */
static char *hint_of_op(tn_reader *r, const char *name) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "nn.%s", name);
  bool is_known = find_op(r, tn_buf_text(&text)) != NULL;
  tn_buf_clear(&text);
  tn_buf_printf(&text, "did you mean 'nn.%s'?", name);
  char *hint = is_known ? tn_buf_take(&text) : near_op(r, name);
  tn_buf_deinit(&text);
  return hint;
}

tn_val tn_read_operator(tn_reader *r, const tn_call *call, const char *name) {
  op_args args = {.def = find_op(r, name + 2), .call = call->ast};
  if (args.def == NULL) {
    char *hint = hint_of_op(r, name + 2);
    tn_val v =
        tn_read_fail(r, call->ast->in[0], "unknown-operator", hint, "unknown operator '%s'", name);
    free(hint);
    return v;
  }
  args.args = TN_ARENA_ARRAY(&r->arena, const tn_node *, call->ast->n + 1);
  init_fields(r, &args);
  return read_op_args(r, &args) ? make_op(r, &args) : tn_val_error();
}

/* ---- calls in destination-passing style ---- */

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
    return extern_of(r, v.text);
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
    return list_to_tuple(r, ast, v);
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
    dims = list_to_shape(r, shape, v);
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
    return read_types(r, types);
  }
  return read_shapes(r, types, dtype);
}

static bool read_tir_vars(tn_reader *r, const tn_ast *ast, op_args *args) {
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return true;
  }
  if (args->def == tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED)) {
    tn_read_fail(r, ast, "unknown-argument", NULL, "a registered function takes no tir_vars");
    return false;
  }
  tn_val v = tn_read_val(r, ast);
  args->args[2] = v.kind == TN_VAL_LIST ? list_to_shape(r, ast, v) : tn_to_graph(r, ast, v);
  args->n_args = 3;
  return args->args[2] != NULL;
}

static tn_val call_dps(tn_reader *r, const tn_call *call) {
  const dps_row *row = &dps_rows[call->row->param];
  const tn_ast *asts[TN_MAX_ARGS] = {NULL};
  op_args args = {.def = tn_graph_builtin(row->id), .call = call->ast};
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
  init_fields(r, &args);
  for (int32_t i = 0; i < args.def->n_fields; ++i) {
    const tn_ast *field = asts[DPS_FIELDS + i];
    args.fields[i] = field == NULL ? args.fields[i] : read_field(r, field, &args.def->fields[i]);
    is_ok = is_ok && args.fields[i] != NULL;
  }
  is_ok = is_ok && in[0] != NULL && in[1] != NULL && args.types != NULL;
  return is_ok ? make_op(r, &args) : tn_val_error();
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
  const tn_node *types = types_ast == NULL ? tn_none(r->ir) : read_types(r, types_ast);
  if (types == NULL) {
    return tn_val_error();
  }
  const tn_node *in[3] = {[TN_INVOKE_CALLEE] = callee,
                          [TN_INVOKE_ARGS] = tn_list(r->ir, n, args),
                          [TN_INVOKE_TYPES] = types};
  return tn_val_node(tn_node_new(r->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, in));
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
  return node_or_error(list_to_shape(r, args[0], v));
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
  return node_or_error(list_to_tuple(r, call->ast, tn_val_list(r, n, items, true)));
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
  return name == NULL ? tn_val_error() : tn_val_node(extern_of(r, name));
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

/* ---- signs ---- */

static const char *sign_name(tn_tok tok) {
  switch ((int)tok) {
    case TN_TOK_PLUS:
      return "add";
    case TN_TOK_MINUS:
      return "subtract";
    case TN_TOK_STAR:
      return "multiply";
    case TN_TOK_SLASH:
      return "divide";
    case TN_TOK_FLOORDIV:
      return "floor_divide";
    case TN_TOK_PERCENT:
      return "mod";
    case TN_TOK_POW:
      return "power";
    case TN_TOK_LT:
      return "less";
    case TN_TOK_LE:
      return "less_equal";
    case TN_TOK_GT:
      return "greater";
    case TN_TOK_GE:
      return "greater_equal";
    default:
      return NULL;
  }
}

static tn_val apply_op(tn_reader *r, const tn_ast *at, const char *name, uint32_t n,
                       const tn_node *const *in) {
  const tn_op_def *def = name == NULL ? NULL : find_op(r, name);
  if (def == NULL) {
    return tn_read_fail(r, at, "unknown-operator", NULL, "no operator R.%s is known here",
                        name == NULL ? "?" : name);
  }
  return tn_val_node(tn_call_new(r->ir, def, n, in, NULL, NULL));
}

tn_val tn_graph_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b) {
  const char *name = sign_name(tok);
  if (name == NULL) {
    return tn_read_fail(r, at, "unsupported", NULL, "'%s' has no meaning between graph values",
                        tn_tok_text(tok));
  }
  if (tn_val_is_number(a) || tn_val_is_number(b)) {
    return tn_read_fail(r, at, "bare-number", NULL,
                        "a number beside a tensor needs a type: R.const(2, \"float32\")");
  }
  const tn_node *in[2] = {tn_to_graph(r, at, a), tn_to_graph(r, at, b)};
  return in[0] == NULL || in[1] == NULL ? tn_val_error() : apply_op(r, at, name, 2, in);
}

tn_val tn_graph_unary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a) {
  if (tok != TN_TOK_MINUS) {
    return tn_read_fail(r, at, "unsupported", NULL, "'%s' has no meaning for a graph value",
                        tn_tok_text(tok));
  }
  return apply_op(r, at, "negative", 1, &a.node);
}

tn_val tn_graph_method(tn_reader *r, const tn_ast *call, tn_val base) {
  const tn_ast *args[1];
  op_args op = {.def = find_op(r, "astype"), .call = call, .args = &base.node, .n_args = 1};
  if (op.def == NULL || op.def->n_fields < 1) {
    return tn_read_fail(r, call, "unknown-operator", NULL, "no operator R.astype is known here");
  }
  if (!tn_bind_args(r, call, "dtype", args)) {
    return tn_val_error();
  }
  init_fields(r, &op);
  op.fields[0] = read_field(r, args[0], &op.def->fields[0]);
  return op.fields[0] == NULL ? tn_val_error() : make_op(r, &op);
}

static const tn_call_row rows[] = {
    {"R.call_tir", call_dps, 0, TN_USE_GRAPH},
    {"R.call_tir_inplace", call_dps, 1, TN_USE_GRAPH},
    {"R.call_tir_with_grad", call_dps, 2, TN_USE_GRAPH},
    {"R.call_dps_packed", call_dps, 3, TN_USE_GRAPH},
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

tn_call_table tn_graph_calls(void) { return (tn_call_table){rows, sizeof rows / sizeof rows[0]}; }
