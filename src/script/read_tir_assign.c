/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Assignments of the loop level in all their forms. Until 2023 `x = e` gives a value a name (BIND).
 * In 2026 it makes a mutable scalar, a buffer of one element: reading the name loads it, assigning
 * again stores; what 2023 calls a name is `x: T.let = e` there. */
#include <string.h>

#include "script/reader.h"

/* ---- names ---- */

/* Names of a target that could not be given a value, so that their uses stay silent. */
static void define_errors(tn_reader *r, const tn_ast *target) {
  if (target->kind == TN_AST_NAME && !tn_scopes_is_local(&r->scopes, target->text)) {
    tn_scopes_set(&r->scopes, target->text, tn_val_error());
  }
  for (uint32_t i = 0; target->kind == TN_AST_TUPLE && i < target->n; ++i) {
    define_errors(r, target->in[i]);
  }
}

/* Calls that make something which has a name; what they give is bound as it is. */
static bool is_named_value(const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_BUFFER:
    case TN_OP_REDUCER:
    case TN_OP_LAMBDA:
    case TN_OP_TARGET:
    case TN_OP_DTYPE:
      return true;
    default:
      return false;
  }
}

/* How an assignment gives its name a value. */
typedef enum name_mode {
  MODE_PLAIN, /* x = e: as the dialect says */
  MODE_LET,   /* the name stands for the value */
  MODE_THING, /* the value is a thing of its own: a new variable, what T.meta_var keeps */
  MODE_CELL   /* a mutable scalar */
} name_mode;

static bool is_thing(tn_val v) {
  return v.kind == TN_VAL_LIST || v.kind == TN_VAL_DICT || v.kind == TN_VAL_MODULE ||
         v.kind == TN_VAL_MACRO || (v.kind == TN_VAL_NODE && is_named_value(v.node));
}

/* False, reported, when the value is none. */
static bool check_value(tn_reader *r, const tn_ast *stmt, const tn_ast *name, tn_val v) {
  bool is_void_call = tn_val_is_node(v, TN_OP_INVOKE) && v.node->dtype == TN_DT_NONE;
  bool is_none = v.kind == TN_VAL_VOID || v.kind == TN_VAL_NONE || is_void_call;
  if (is_none) {
    tn_read_fail(r, stmt, "not-an-expression", NULL, "'%s' is given no value", name->text);
  }
  return !is_none && !tn_val_is_error(v);
}

/* As an expression of type `dtype`, NONE: of its own. NULL, reported. */
static const tn_node *typed_value(tn_reader *r, const tn_ast *stmt, tn_val v, tn_dtype dtype) {
  const tn_node *value = tn_to_expr(r, stmt, v, dtype);
  if (value != NULL && dtype != TN_DT_NONE &&
      !tn_read_ok(r, stmt, "type-mismatch", tn_tir_cast(r->ir, dtype, value, &value))) {
    return NULL;
  }
  return value;
}

static const tn_node *add_bind(tn_reader *r, const tn_ast *stmt, const char *name,
                               const tn_node *value) {
  const tn_node *var = tn_var_new(r->ir, name, value->dtype);
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  tn_add_stmt(r, stmt, tn_node_new(r->ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){0}, 2, in));
  return var;
}

/* ---- mutable scalars ---- */

/* The mutable scalar of that name; NULL when the name is none, or none that can be seen. */
static const tn_node *find_cell(const tn_reader *r, const tn_ast *target) {
  const tn_binding *binding =
      target->kind == TN_AST_NAME ? tn_scopes_find(&r->scopes, target->text) : NULL;
  return binding != NULL && binding->val.kind == TN_VAL_CELL ? binding->val.node : NULL;
}

static void store_cell(tn_reader *r, const tn_ast *stmt, const tn_node *cell, tn_val v) {
  const tn_node *value = tn_val_is_error(v) ? NULL : typed_value(r, stmt, v, cell->dtype);
  const tn_node *zero = tn_int(r->ir, TN_DT_I32, 0);
  const tn_node *store = NULL;
  if (value != NULL &&
      tn_read_ok(r, stmt, "bad-access", tn_tir_store(r->ir, cell, value, 1, &zero, NULL, &store))) {
    tn_add_stmt(r, stmt, store);
  }
}

/* Memory that lives to the end of the block. */
static const tn_node *new_local(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                                tn_dtype dtype, const tn_node *shape) {
  const tn_buffer_spec spec = {.name = name->text,
                               .dtype = dtype,
                               .ndim = shape->n_in,
                               .shape = shape->in,
                               .scope = "local"};
  const tn_node *buffer = tn_buffer_new(r->ir, &spec);
  tn_mark(r, buffer, name);
  tn_add_alloc(r, stmt, buffer);
  return buffer;
}

static const tn_node *new_cell(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                               tn_dtype dtype) {
  const tn_node *one = tn_int(r->ir, TN_DT_I32, 1);
  const tn_node *cell = new_local(r, stmt, name, dtype, tn_list(r->ir, 1, &one));
  tn_define(r, name, (tn_val){.kind = TN_VAL_CELL, .node = cell});
  return cell;
}

tn_val tn_read_cell(tn_reader *r, const tn_ast *at, const tn_node *cell) {
  const tn_node *zero = tn_int(r->ir, TN_DT_I32, 0);
  const tn_node *load = NULL;
  return tn_read_ok(r, at, "bad-access", tn_tir_load(r->ir, cell, 1, &zero, NULL, &load))
             ? tn_val_node(load)
             : tn_val_error();
}

/* ---- one name ---- */

static void bind_name(tn_reader *r, const tn_ast *stmt, const tn_ast *name, tn_val v,
                      name_mode mode, tn_dtype dtype) {
  const tn_node *cell = mode == MODE_PLAIN ? find_cell(r, name) : NULL;
  if (!check_value(r, stmt, name, v)) {
    define_errors(r, name);
    return;
  }
  if (cell != NULL && !is_thing(v)) {
    store_cell(r, stmt, cell, v);
    return;
  }
  if (mode == MODE_THING || is_thing(v)) {
    tn_define(r, name, v);
    return;
  }
  const tn_node *value = typed_value(r, stmt, v, dtype);
  if (value == NULL) {
    define_errors(r, name);
    return;
  }
  bool is_pointer = tn_dtype_is_handle(value->dtype) || v.kind == TN_VAL_STR;
  bool is_new = r->dialect == TN_DIALECT_2026;
  if (!is_pointer && (mode == MODE_CELL || (mode == MODE_PLAIN && is_new))) {
    store_cell(r, stmt, new_cell(r, stmt, name, value->dtype), tn_val_node(value));
    return;
  }
  tn_define(r, name, tn_val_node(add_bind(r, stmt, name->text, value)));
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* What the right side asks for: T.int64(), T.axis.spatial(...) make a variable of their own. */
static name_mode mode_of(tn_reader *r, const tn_ast *value, tn_val v) {
  static const char *const makers[] = {"T.allocate",      "T.allocate_const", "T.env_thread",
                                       "T.launch_thread", "T.handle",         "T.var"};
  static const char *const lets[] = {"T.LetStmt", "T.bind", "T.Bind"};
  const char *name = value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  if (name == NULL) {
    return MODE_PLAIN;
  }
  if (is_one_of(name, lets, sizeof lets / sizeof lets[0])) {
    return MODE_LET;
  }
  if (strcmp(name, "T.meta_var") == 0) {
    return MODE_THING; /* stays what it is */
  }
  if (!tn_val_is_node(v, TN_OP_VAR)) {
    return MODE_PLAIN;
  }
  tn_dtype dtype = TN_DT_NONE;
  bool is_type = tn_dtype_parse(name + 2, strlen(name + 2), &dtype);
  bool is_new = is_one_of(name, makers, sizeof makers / sizeof makers[0]) ||
                strncmp(name, "T.axis.", 7) == 0 || (is_type && tn_n_positional(value) == 0);
  return is_new ? MODE_THING : MODE_PLAIN;
}

static void store_value(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                        const tn_ast *value_ast, tn_val v) {
  tn_val base = tn_read_val(r, target->in[0]);
  if (tn_val_is_error(base) || tn_val_is_error(v)) {
    return;
  }
  if (!tn_val_is_node(base, TN_OP_BUFFER)) {
    tn_read_fail(r, target, "not-a-buffer", NULL, "%s cannot be stored to: expected a buffer",
                 tn_val_what(base));
    return;
  }
  uint32_t n = 0;
  const tn_node *const *indices = tn_read_indices(r, target, base.node, &n);
  const tn_node *value =
      indices == NULL ? NULL : tn_to_expr(r, value_ast, v, tn_dtype_elem(base.node->dtype));
  const tn_node *store = NULL;
  if (value != NULL &&
      tn_read_ok(r, target, "bad-access",
                 tn_tir_store(r->ir, base.node, value, n, indices, NULL, &store))) {
    tn_add_stmt(r, stmt, store);
  }
}

static void assign_one(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                       const tn_ast *value_ast, tn_val v) {
  if (target->kind == TN_AST_NAME) {
    bind_name(r, stmt, target, v, mode_of(r, value_ast, v), TN_DT_NONE);
  } else if (target->kind == TN_AST_INDEX) {
    store_value(r, stmt, target, value_ast, v);
  } else {
    tn_read_fail(r, target, "bad-target", NULL,
                 "expected a name or an element of a buffer on the left of '='");
  }
}

/* Python evaluates the right side before it assigns: so that `a, b = b, a` swaps mutable scalars,
 * their new values get names first. */
static void swap_cells(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                       const tn_ast *value) {
  tn_val *vals = TN_ARENA_ARRAY(&r->arena, tn_val, target->n);
  for (uint32_t i = 0; i < target->n; ++i) {
    vals[i] = tn_read_rhs(r, value->in[i], 1, &target->in[i]);
    const tn_node *cell = find_cell(r, target->in[i]);
    const tn_node *next = cell == NULL || tn_val_is_error(vals[i])
                              ? NULL
                              : typed_value(r, stmt, vals[i], cell->dtype);
    if (next != NULL) {
      vals[i] = tn_val_node(add_bind(r, stmt, target->in[i]->text, next));
    }
  }
  for (uint32_t i = 0; i < target->n; ++i) {
    assign_one(r, stmt, target->in[i], value->in[i], vals[i]);
  }
}

static bool has_cell(const tn_reader *r, const tn_ast *target) {
  for (uint32_t i = 0; i < target->n; ++i) {
    if (find_cell(r, target->in[i]) != NULL) {
      return true;
    }
  }
  return false;
}

/* a, b = x, y and vi, vj = T.axis.remap(...) */
static void assign_many(tn_reader *r, const tn_ast *stmt, const tn_ast *target,
                        const tn_ast *value) {
  if (value->kind == TN_AST_TUPLE || value->kind == TN_AST_LIST) {
    if (value->n != target->n) {
      tn_read_fail(r, stmt, "wrong-target-count", NULL, "%u names for %u values", target->n,
                   value->n);
      define_errors(r, target);
      return;
    }
    if (has_cell(r, target)) {
      swap_cells(r, stmt, target, value);
      return;
    }
    for (uint32_t i = 0; i < target->n; ++i) {
      tn_val v = tn_read_rhs(r, value->in[i], 1, &target->in[i]);
      assign_one(r, stmt, target->in[i], value->in[i], v);
    }
    return;
  }
  tn_val v = tn_read_rhs(r, value, target->n, target->in);
  if (v.kind != TN_VAL_LIST || v.n != target->n) {
    if (!tn_val_is_error(v)) {
      tn_read_fail(r, stmt, "wrong-target-count", NULL, "%u names for %s", target->n,
                   v.kind == TN_VAL_LIST ? "another number of values" : tn_val_what(v));
    }
    define_errors(r, target);
    return;
  }
  for (uint32_t i = 0; i < target->n; ++i) {
    assign_one(r, stmt, target->in[i], value, v.items[i]);
  }
}

static void read_plain(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_ast *value = stmt->in[1];
  if (target->kind == TN_AST_TUPLE || target->kind == TN_AST_LIST) {
    assign_many(r, stmt, target, value);
    return;
  }
  assign_one(r, stmt, target, value, tn_read_rhs(r, value, 1, &target));
}

/* ---- annotated ---- */

/* What stands behind the colon. */
typedef struct annotation {
  name_mode mode;
  tn_dtype dtype;        /* NONE: the value's own */
  const tn_node *extent; /* LIST of a local vector; NULL: a scalar */
} annotation;

/* T.let, T.let[T.float32], T.float32, T.float32[4], T.handle. False, reported. */
static bool read_annotation(tn_reader *r, const tn_ast *ast, annotation *out) {
  bool has_args = ast->kind == TN_AST_CALL || ast->kind == TN_AST_INDEX;
  const tn_ast *head = has_args ? ast->in[0] : ast;
  const char *name = tn_dotted(r, head);
  bool is_new = r->dialect == TN_DIALECT_2026;
  *out = (annotation){.mode = is_new ? MODE_CELL : MODE_LET};
  bool is_let = name != NULL && strcmp(name, "T.let") == 0;
  out->mode = is_let ? MODE_LET : out->mode;
  if (is_let && ast->kind != TN_AST_INDEX) {
    return true;
  }
  if (name != NULL && strcmp(name, "T.handle") == 0) {
    out->mode = MODE_LET;
    return true;
  }
  if (ast->kind == TN_AST_INDEX && !is_let) {
    if (!is_new) {
      tn_read_fail(r, ast, "bad-annotation", "T.alloc_buffer makes memory",
                   "a vector is declared like this in the spelling of 2026 only");
      return false;
    }
    tn_val size = ast->n == 2 ? tn_read_val(r, ast->in[1]) : tn_val_list(r, 0, NULL, true);
    out->extent = tn_to_index_list(r, ast, size);
    return out->extent != NULL && tn_read_dtype(r, head, &out->dtype);
  }
  const tn_ast *type = is_let ? ast->in[1] : ast;
  const char *type_name = tn_dotted(r, type->kind == TN_AST_CALL ? type->in[0] : type);
  bool is_handle = type_name != NULL && strcmp(type_name, "T.handle") == 0;
  if (!is_handle && !tn_read_dtype(r, type, &out->dtype)) {
    return false;
  }
  if (is_handle || tn_dtype_is_handle(out->dtype)) { /* its value is never converted */
    out->dtype = TN_DT_NONE;
    out->mode = MODE_LET;
  }
  return true;
}

/* x: T.float32 and x: T.float32[4], which are memory without a value. */
static void declare_local(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                          const annotation *type) {
  if (type->extent != NULL) {
    tn_define(r, name, tn_val_node(new_local(r, stmt, name, type->dtype, type->extent)));
  } else {
    (void)new_cell(r, stmt, name, type->dtype);
  }
}

static void read_annotated(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_ast *value = stmt->in[2];
  annotation type;
  if (target->kind != TN_AST_NAME) {
    tn_read_fail(r, stmt, "bad-target", NULL, "expected 'name: T.type = value'");
    return;
  }
  if (!read_annotation(r, stmt->in[1], &type)) {
    define_errors(r, target);
    return;
  }
  if (value == NULL && type.mode == MODE_CELL) {
    declare_local(r, stmt, target, &type);
    return;
  }
  if (value == NULL || type.extent != NULL) {
    tn_read_fail(r, stmt, "bad-target", NULL,
                 value == NULL ? "expected 'name: T.type = value'"
                               : "a local vector has no initial value: store to its elements");
    define_errors(r, target);
    return;
  }
  tn_val v = tn_read_rhs(r, value, 1, &target);
  name_mode mode = mode_of(r, value, v);
  bind_name(r, stmt, target, v, mode == MODE_PLAIN ? type.mode : mode, type.dtype);
}

static void read_augment(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_node *cell = find_cell(r, target);
  if (target->kind != TN_AST_INDEX && cell == NULL) {
    tn_read_fail(r, target, "bad-target", NULL,
                 "only an element of a buffer can be changed, as in 'A[i] += x'");
    return;
  }
  tn_val old = tn_read_val(r, target);
  tn_val change = tn_read_val(r, stmt->in[1]);
  if (tn_val_is_error(old) || tn_val_is_error(change)) {
    return;
  }
  tn_val changed = tn_apply_binary(r, stmt, stmt->tok, old, change);
  if (cell != NULL) {
    store_cell(r, stmt, cell, changed);
  } else {
    store_value(r, stmt, target, stmt->in[1], changed);
  }
}

void tn_read_assign(tn_reader *r, const tn_ast *stmt) {
  if (stmt->kind == TN_AST_ASSIGN) {
    read_plain(r, stmt);
  } else if (stmt->kind == TN_AST_ANNOTATE) {
    read_annotated(r, stmt);
  } else {
    read_augment(r, stmt);
  }
}
