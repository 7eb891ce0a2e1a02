/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators of the tables, arguments first and then fields, and those that Python's signs stand for. */
#include <string.h>

#include "script/read_graph.h"

/* ---- fields ---- */

const tn_op_def *tn_graph_op_find(const tn_reader *r, const char *name) {
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
  if (tn_val_is_node(v, TN_OP_CONST) && v.node->attr.array->ndim == 0) { /* R.const(1.5) */
    return tn_float(r->ir, TN_DT_F64, tn_array_get_f64(v.node->attr.array, 0));
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, ast, "bad-field", NULL, "expected a number, got %s", tn_val_what(v));
  }
  return NULL;
}

const tn_node *tn_graph_read_field(tn_reader *r, const tn_ast *ast, const tn_field *field) {
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
const tn_node *tn_graph_read_types(tn_reader *r, const tn_ast *ast) {
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

static bool read_op_keyword(tn_reader *r, const tn_ast *keyword, tn_graph_op *out) {
  const tn_op_def *def = out->def;
  if (def->takes_types && is_types_keyword(keyword->text)) {
    if (out->types != NULL) {
      tn_read_fail(r, keyword, "duplicate-argument", NULL, "the types are given twice");
      return false;
    }
    out->types = tn_graph_read_types(r, keyword->in[0]);
    return out->types != NULL;
  }
  for (int32_t i = 0; i < def->n_fields; ++i) {
    if (strcmp(keyword->text, def->fields[i].name) == 0) {
      out->fields[i] = tn_graph_read_field(r, keyword->in[0], &def->fields[i]);
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

const tn_node *tn_graph_extern(tn_reader *r, const char *name) {
  return tn_node_new(r->ir, TN_OP_EXTERN, TN_DT_NONE, (tn_attr){.text = name}, 0, NULL);
}

/* R.prim_value(T.float32(1)) as the constant without dimensions; NULL, reported. */
static const tn_node *prim_to_const(tn_reader *r, const tn_ast *ast, const tn_node *value) {
  tn_array array = {0};
  if (!tn_read_ok(r, ast, "bad-constant", tn_array_init(&array, value->dtype, 0, NULL))) {
    return NULL;
  }
  if (value->op == TN_OP_FLOAT) {
    tn_array_set_f64(&array, 0, value->attr.f64);
  } else {
    tn_array_set_i64(&array, 0, value->attr.i64);
  }
  return tn_const_new(r->ir, &array);
}

/* Among an operator's own arguments a tuple of sizes is a shape, R.reshape(x, (2, n)), and a number
 * a tensor: R.one_hot(x, R.prim_value(T.float32(1)), ...). */
static const tn_node *read_op_argument(tn_reader *r, const tn_ast *ast, const tn_op_def *def,
                                       uint32_t i) {
  tn_val v = tn_read_val(r, ast);
  if (i == 0 && v.kind == TN_VAL_STR && names_callee(def)) {
    return tn_graph_extern(r, v.text);
  }
  if (v.kind == TN_VAL_LIST && v.n > 0 && !is_builtin(def)) {
    bool is_shape = true;
    for (uint32_t k = 0; k < v.n; ++k) {
      is_shape = is_shape && tn_graph_is_size(v.items[k]);
    }
    if (is_shape) {
      return tn_graph_list_to_shape(r, ast, v);
    }
  }
  const tn_node *number = tn_val_is_node(v, TN_OP_PRIM) && !is_builtin(def) ? v.node->in[0] : NULL;
  if (number != NULL && (number->op == TN_OP_INT || number->op == TN_OP_FLOAT)) {
    return prim_to_const(r, ast, number);
  }
  return tn_to_graph(r, ast, v);
}

static bool read_op_args(tn_reader *r, tn_graph_op *out) {
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
      out->fields[i - max] = tn_graph_read_field(r, ast, &def->fields[i - max]);
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

void tn_graph_op_init(tn_reader *r, tn_graph_op *args) {
  args->fields = TN_ARENA_ARRAY(&r->arena, const tn_node *, args->def->n_fields + 1);
  for (int32_t i = 0; i < args->def->n_fields; ++i) {
    args->fields[i] = tn_none(r->ir);
  }
}

tn_val tn_graph_op_make(tn_reader *r, const tn_graph_op *args) {
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
  bool is_known = tn_graph_op_find(r, tn_buf_text(&text)) != NULL;
  tn_buf_clear(&text);
  tn_buf_printf(&text, "did you mean 'nn.%s'?", name);
  char *hint = is_known ? tn_buf_take(&text) : near_op(r, name);
  tn_buf_deinit(&text);
  return hint;
}

tn_val tn_read_operator(tn_reader *r, const tn_call *call, const char *name) {
  tn_graph_op args = {.def = tn_graph_op_find(r, name + 2), .call = call->ast};
  if (args.def == NULL) {
    char *hint = hint_of_op(r, name + 2);
    tn_val v =
        tn_read_fail(r, call->ast->in[0], "unknown-operator", hint, "unknown operator '%s'", name);
    free(hint);
    return v;
  }
  args.args = TN_ARENA_ARRAY(&r->arena, const tn_node *, call->ast->n + 1);
  tn_graph_op_init(r, &args);
  return read_op_args(r, &args) ? tn_graph_op_make(r, &args) : tn_val_error();
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
  const tn_op_def *def = name == NULL ? NULL : tn_graph_op_find(r, name);
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
  tn_graph_op op = {
      .def = tn_graph_op_find(r, "astype"), .call = call, .args = &base.node, .n_args = 1};
  if (op.def == NULL || op.def->n_fields < 1) {
    return tn_read_fail(r, call, "unknown-operator", NULL, "no operator R.astype is known here");
  }
  if (!tn_bind_args(r, call, "dtype", args)) {
    return tn_val_error();
  }
  tn_graph_op_init(r, &op);
  op.fields[0] = tn_graph_read_field(r, args[0], &op.def->fields[0]);
  return op.fields[0] == NULL ? tn_val_error() : tn_graph_op_make(r, &op);
}
