/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Types of the graph level: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object, R.Callable; without the
 * R. as in 2022, T.int64 for R.Prim("int64") as in 2026. Sizes are int64 expressions; in quotes they
 * are expressions of their own, and a quoted name in a signature (or match_cast) makes the symbol it
 * names. In 2022 the names of a signature's sizes are not quoted. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

typedef const tn_node *(*type_fn)(tn_reader *r, const tn_ast *call);
typedef struct type_row {
  const char *name;
  type_fn fn;
} type_row;

static const type_row *find_type(tn_reader *r, const tn_ast *ast);

/* ---- sizes ---- */

const tn_ast *tn_parse_inner(tn_reader *r, const tn_ast *string) {
  const tn_ast *inner =
      tn_ast_parse_inner(r->ir, &r->arena, string->text, tn_ast_pos(string, r->source));
  if (inner == NULL) {
    tn_read_fail(r, string, "bad-size", NULL, "expected an expression of sizes in the quotes");
  }
  return inner;
}

static const tn_node *read_dim(tn_reader *r, const tn_ast *ast) {
  const tn_ast *inner = ast->kind == TN_AST_STR ? tn_parse_inner(r, ast) : ast;
  const char *hint = r->name_hint;
  r->name_hint = "a parameter names a size, x: R.Tensor((\"n\",)), or a line does: n = T.int64()";
  const tn_node *dim = inner == NULL ? NULL : tn_to_dim(r, ast, tn_read_val(r, inner));
  r->name_hint = hint;
  return dim;
}

/* A tuple or list of sizes as a LIST. */
static const tn_node *read_dims(tn_reader *r, const tn_ast *ast) {
  if (ast->kind != TN_AST_TUPLE && ast->kind != TN_AST_LIST) {
    tn_read_fail(r, ast, "bad-shape", NULL, "expected a shape: (n, 4)");
    return NULL;
  }
  const tn_node **dims = TN_ARENA_ARRAY(&r->arena, const tn_node *, ast->n + 1);
  for (uint32_t i = 0; i < ast->n; ++i) {
    dims[i] = read_dim(r, ast->in[i]);
    if (dims[i] == NULL) {
      return NULL;
    }
    if (dims[i]->op == TN_OP_INT && dims[i]->attr.i64 < 0) {
      tn_read_fail(r, ast->in[i], "bad-shape", NULL, "size %" PRId64 " is negative",
                   dims[i]->attr.i64);
      return NULL;
    }
  }
  return tn_list(r->ir, ast->n, dims);
}

static void define_symbol(tn_reader *r, const tn_ast *size) {
  const tn_ast *inner = size->kind == TN_AST_STR ? tn_ast_parse_inner(r->ir, &r->arena, size->text,
                                                                      tn_ast_pos(size, r->source))
                                                 : size;
  if (inner == NULL || inner->kind != TN_AST_NAME ||
      tn_scopes_find(&r->scopes, inner->text) != NULL) {
    return;
  }
  const tn_node *var = tn_var_new(r->ir, inner->text, TN_DT_I64);
  tn_mark(r, var, size);
  tn_scopes_set(&r->scopes, inner->text, tn_val_node(var));
}

/* "n" among sizes; n itself in 2022, where nothing but sizes stands in such a list. */
static bool is_symbol(const tn_reader *r, const tn_ast *size) {
  bool is_bare = size->kind == TN_AST_NAME && strcmp(size->text, "_") != 0;
  return size->kind == TN_AST_STR || (is_bare && r->dialect == TN_DIALECT_2022);
}

void tn_collect_symbols(tn_reader *r, const tn_ast *annotation) {
  if (annotation == NULL) {
    return;
  }
  if (annotation->kind == TN_AST_TUPLE || annotation->kind == TN_AST_LIST) {
    for (uint32_t i = 0; i < annotation->n; ++i) {
      if (is_symbol(r, annotation->in[i]) && !tn_is_type_text(r, annotation->in[i])) {
        define_symbol(r, annotation->in[i]);
      }
    }
  }
  if (annotation->kind == TN_AST_KEYWORD && strcmp(annotation->text, "value") == 0 &&
      annotation->in[0]->kind == TN_AST_STR) { /* R.Prim(value="n") */
    define_symbol(r, annotation->in[0]);
  }
  for (uint32_t i = 0; i < annotation->n; ++i) {
    tn_collect_symbols(r, annotation->in[i]);
  }
}

/* ---- the kinds ---- */

/* ndim= gives the rank alone; with a shape it must agree. */
static bool read_ndim(tn_reader *r, const tn_ast *ast, const tn_node *shape, int64_t *out) {
  int64_t ndim = -1;
  *out = shape == NULL ? -1 : (int64_t)shape->n_in;
  if (ast == NULL) {
    return true;
  }
  if (!tn_to_int(r, ast, tn_read_val(r, ast), &ndim)) {
    return false;
  }
  if (ndim < -1 || ndim > 64) {
    tn_read_fail(r, ast, "bad-shape", NULL,
                 "%" PRId64 " dimensions: at most 64, or -1 where the rank is not known", ndim);
    return false;
  }
  if (shape != NULL && ndim != shape->n_in) {
    tn_read_fail(r, ast, "bad-shape", NULL, "ndim is %" PRId64 ", and the shape has %u dimensions",
                 ndim, shape->n_in);
    return false;
  }
  *out = ndim;
  return true;
}

static const tn_node *with_vdevice(tn_reader *r, const tn_node *type, const tn_ast *ast) {
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return type;
  }
  const char *text = tn_to_str(r, ast, tn_read_val(r, ast));
  if (text == NULL) {
    return NULL;
  }
  const tn_node *in[2] = {[TN_TY_TENSOR_SHAPE] = type->in[TN_TY_TENSOR_SHAPE],
                          [TN_TY_TENSOR_VDEVICE] = tn_str(r->ir, text)};
  return tn_node_with(r->ir, type, in);
}

static const tn_node *read_tensor(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[4] = {NULL};
  tn_dtype dtype = TN_DT_NONE;
  int64_t ndim = -1;
  if (call->kind == TN_AST_CALL && !tn_bind_args(r, call, "shape? dtype? vdevice? ndim?", args)) {
    return NULL;
  }
  if (args[0] != NULL && args[0]->kind == TN_AST_STR && args[1] == NULL) {
    args[1] = args[0]; /* R.Tensor("float32") */
    args[0] = NULL;
  }
  bool has_shape = args[0] != NULL && args[0]->kind != TN_AST_NONE;
  const tn_node *shape = has_shape ? read_dims(r, args[0]) : NULL;
  if (has_shape && shape == NULL) {
    return NULL;
  }
  if (args[1] != NULL && args[1]->kind != TN_AST_NONE) {
    bool is_void = args[1]->kind == TN_AST_STR &&
                   (args[1]->text[0] == 0 || strcmp(args[1]->text, "void") == 0);
    if (!is_void && !tn_read_dtype(r, args[1], &dtype)) {
      return NULL;
    }
  }
  if (!read_ndim(r, args[3], shape, &ndim)) {
    return NULL;
  }
  return with_vdevice(r, tn_ty_tensor(r->ir, dtype, ndim, shape), args[2]);
}

static const tn_node *read_shape(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[2] = {NULL};
  int64_t ndim = -1;
  if (call->kind == TN_AST_CALL && !tn_bind_args(r, call, "values? ndim?", args)) {
    return NULL;
  }
  bool has_values = args[0] != NULL && args[0]->kind != TN_AST_NONE;
  const tn_node *dims = has_values ? read_dims(r, args[0]) : NULL;
  if ((has_values && dims == NULL) || !read_ndim(r, args[1], dims, &ndim)) {
    return NULL;
  }
  return tn_ty_shape(r->ir, ndim, dims);
}

static const tn_node *read_type_list(tn_reader *r, const tn_ast *const *items, uint32_t n) {
  const tn_node **types = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    types[i] = tn_read_type(r, items[i]);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, n, types);
}

static const tn_node *read_tuple(tn_reader *r, const tn_ast *call) {
  if (call->kind != TN_AST_CALL) {
    return tn_ty_tuple(r->ir, 0, NULL);
  }
  const tn_ast *const *items = call->in + 1;
  uint32_t n = call->n - 1;
  if (!tn_check_keywords(r, call, "")) {
    return NULL;
  }
  if (n == 1 && (items[0]->kind == TN_AST_LIST || items[0]->kind == TN_AST_TUPLE)) {
    n = items[0]->n;
    items = items[0]->in;
  }
  const tn_node *list = read_type_list(r, items, n);
  return list == NULL ? NULL : tn_ty_tuple(r->ir, list->n_in, list->in);
}

static const tn_node *read_prim(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[2] = {NULL};
  tn_dtype dtype = TN_DT_NONE;
  if (call->kind == TN_AST_CALL && !tn_bind_args(r, call, "dtype? value?", args)) {
    return NULL;
  }
  if (args[0] != NULL && !tn_read_dtype(r, args[0], &dtype)) {
    return NULL;
  }
  if (args[1] == NULL) {
    if (dtype == TN_DT_NONE) {
      tn_read_fail(r, call, "missing-argument", NULL, "R.Prim needs a dtype or a value");
      return NULL;
    }
    return tn_ty_prim(r->ir, dtype, NULL);
  }
  const tn_node *value =
      args[1]->kind == TN_AST_STR ? read_dim(r, args[1]) : tn_read_expr(r, args[1]);
  return value == NULL ? NULL : tn_ty_prim(r->ir, value->dtype, value);
}

static const tn_node *read_object(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[1];
  if (call->kind == TN_AST_CALL && !tn_bind_args(r, call, "", args)) {
    return NULL;
  }
  return tn_ty_object(r->ir);
}

static const tn_node *read_callable_parts(tn_reader *r, const tn_ast *const args[3]) {
  bool is_pure = false;
  const tn_node *params = NULL;
  if (args[0] != NULL && args[0]->kind != TN_AST_NONE) {
    bool is_list = args[0]->kind == TN_AST_TUPLE || args[0]->kind == TN_AST_LIST;
    params = is_list ? read_type_list(r, args[0]->in, args[0]->n) : read_type_list(r, &args[0], 1);
    if (params == NULL) {
      return NULL;
    }
  }
  const tn_node *ret = args[1] == NULL || args[1]->kind == TN_AST_NONE ? tn_ty_object(r->ir)
                                                                       : tn_read_type(r, args[1]);
  if (ret == NULL ||
      (args[2] != NULL && !tn_to_bool(r, args[2], tn_read_val(r, args[2]), &is_pure))) {
    return NULL;
  }
  return tn_ty_func(r->ir, params, ret, is_pure || args[2] == NULL);
}

/* Sizes among the parameters that nothing around has, R.Shape(["n"]), are the type's own. */
static const tn_node *read_callable(tn_reader *r, const tn_ast *call) {
  const tn_ast *args[3] = {NULL};
  if (call->kind != TN_AST_CALL) {
    return tn_ty_func(r->ir, NULL, tn_ty_object(r->ir), false);
  }
  if (!tn_bind_args(r, call, "params? ret? purity?", args)) {
    return NULL;
  }
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  tn_collect_symbols(r, args[0]);
  const tn_node *type = read_callable_parts(r, args);
  tn_scopes_pop(&r->scopes);
  return type;
}

static const tn_node *read_later(tn_reader *r, const tn_ast *call) {
  tn_read_fail(r, call, "unsupported", NULL, "not supported: %s, a tensor spread over devices",
               tn_dotted(r, call->kind == TN_AST_CALL ? call->in[0] : call));
  return NULL;
}

static const type_row rows[] = {
    {"R.Tensor", read_tensor}, {"R.Shape", read_shape},   {"R.Tuple", read_tuple},
    {"R.Prim", read_prim},     {"R.Object", read_object}, {"R.Callable", read_callable},
    {"R.Any", read_object},    {"R.DTensor", read_later},
};

/* R.Tensor, and Tensor where no other thing has that name. */
static const type_row *find_type(tn_reader *r, const tn_ast *ast) {
  const tn_ast *callee = ast->kind == TN_AST_CALL ? ast->in[0] : ast;
  bool is_bare = callee->kind == TN_AST_NAME && tn_scopes_find(&r->scopes, callee->text) == NULL;
  const char *name = is_bare ? callee->text : tn_dotted(r, callee);
  for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; ++i) {
    if (strcmp(rows[i].name + (is_bare ? strlen("R.") : 0), name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

bool tn_is_type_text(tn_reader *r, const tn_ast *ast) { return find_type(r, ast) != NULL; }

/* T.int64: the type of a number. */
static const tn_node *read_number_type(tn_reader *r, const tn_ast *ast) {
  const char *name = tn_dotted(r, ast);
  tn_dtype dtype = TN_DT_NONE;
  bool is_dtype = name != NULL && strncmp(name, "T.", 2) == 0 &&
                  tn_dtype_parse(name + 2, strlen(name + 2), &dtype);
  return is_dtype && tn_dtype_lanes(dtype) == 1 && !tn_dtype_is_handle(dtype)
             ? tn_ty_prim(r->ir, dtype, NULL)
             : NULL;
}

const tn_node *tn_read_type(tn_reader *r, const tn_ast *ast) {
  const type_row *row = find_type(r, ast);
  if (row != NULL) {
    return row->fn(r, ast);
  }
  if (ast->kind == TN_AST_NONE) {
    return tn_ty_tuple(r->ir, 0, NULL);
  }
  const tn_node *number = read_number_type(r, ast);
  if (number != NULL) {
    return number;
  }
  const char *name = tn_dotted(r, ast->kind == TN_AST_CALL ? ast->in[0] : ast);
  const char *names[sizeof rows / sizeof rows[0]];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    names[i] = rows[i].name;
  }
  char *hint = name == NULL ? NULL : tn_near_of(name, names, sizeof rows / sizeof rows[0]);
  tn_read_fail(r, ast, "bad-annotation", hint,
               "expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable");
  free(hint);
  return NULL;
}
