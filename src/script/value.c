/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values of the text and what becomes of them: conversions to nodes with a message where the text
 * has something else, the types that bare numbers take, Python's own arithmetic on literals. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/reader.h"

const char *tn_val_what(tn_val v) {
  switch (v.kind) {
    case TN_VAL_ERROR:
      return "an error";
    case TN_VAL_VOID:
      return "a statement";
    case TN_VAL_NONE:
      return "None";
    case TN_VAL_BOOL:
      return "a bool";
    case TN_VAL_INT:
    case TN_VAL_UINT:
      return "an integer";
    case TN_VAL_FLOAT:
      return "a float";
    case TN_VAL_STR:
      return "a string";
    case TN_VAL_LIST:
      return v.is_tuple ? "a tuple" : "a list";
    case TN_VAL_DICT:
      return "a dictionary";
    case TN_VAL_MODULE:
      return "the module";
    case TN_VAL_MACRO:
      return "a macro";
    case TN_VAL_CELL:
      return "a mutable scalar";
    case TN_VAL_NODE:
      break;
  }
  if (v.node->op == TN_OP_BUFFER || v.node->op == TN_OP_LABEL) {
    return v.node->op == TN_OP_BUFFER ? "a buffer" : "a block";
  }
  switch (tn_op_info_get((tn_op)v.node->op)->cls) {
    case TN_CLASS_TYPE:
      return "a type";
    case TN_CLASS_FUNC:
      return "a function";
    case TN_CLASS_EXPR:
    case TN_CLASS_LEAF:
      return tn_is_graph_value(v) ? "a graph value" : "an expression";
    case TN_CLASS_AUX:
    case TN_CLASS_STMT:
      break;
  }
  return tn_op_info_get((tn_op)v.node->op)->text;
}

tn_val tn_val_list(tn_reader *r, uint32_t n, const tn_val *items, bool is_tuple) {
  tn_val *copy = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  if (n > 0) {
    memcpy(copy, items, n * sizeof *items);
  }
  return (tn_val){.kind = TN_VAL_LIST, .is_tuple = is_tuple, .n = n, .items = copy};
}

void tn_mark(tn_reader *r, const tn_node *n, const tn_ast *ast) {
  tn_ir_set_pos(r->ir, n, tn_ast_pos(ast, r->source));
}

bool tn_in_body(tn_reader *r, const tn_ast *ast) {
  if (r->body == NULL) {
    tn_read_fail(r, ast, "wrong-place", NULL, "a statement stands in the body of a function");
  }
  return r->body != NULL;
}

void tn_add_stmt(tn_reader *r, const tn_ast *ast, const tn_node *stmt) {
  if (!tn_in_body(r, ast)) {
    return;
  }
  tn_mark(r, stmt, ast);
  TN_VEC_PUSH(&r->body->stmts, stmt);
}

/* ---- numbers ---- */

static bool int_fits(int64_t value, tn_dtype dtype) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_bool(dtype)) {
    return value == 0 || value == 1;
  }
  if (tn_dtype_is_uint(dtype)) {
    return value >= 0 && (bits >= 63 || value >> bits == 0);
  }
  return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

static tn_dtype default_type(const tn_reader *r, tn_val v) {
  switch (v.kind) {
    case TN_VAL_BOOL:
      return TN_DT_BOOL;
    case TN_VAL_INT:
      return int_fits(v.i64, r->bare_int) ? r->bare_int : TN_DT_I64;
    case TN_VAL_UINT:
      return TN_DT_U64;
    default:
      return isfinite(v.f64) && fabs(v.f64) > 3.4028235677973366e38 ? TN_DT_F64 : TN_DT_F32;
  }
}

/* A number as a literal of that (one-lane) type. NULL, reported, when it cannot be one. */
static const tn_node *number_to_expr(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype dtype) {
  bool is_int = tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype);
  char text[TN_DTYPE_TEXT_BYTES];
  if (tn_dtype_is_any_float(dtype)) {
    double value = v.kind == TN_VAL_FLOAT  ? v.f64
                   : v.kind == TN_VAL_UINT ? (double)v.u64
                                           : (double)v.i64;
    return tn_float(r->ir, dtype, value);
  }
  if (!is_int || v.kind == TN_VAL_FLOAT) {
    tn_read_fail(r, at, "type-mismatch", NULL, "%s cannot be a literal of type %s", tn_val_what(v),
                 tn_dtype_print(dtype, text));
    return NULL;
  }
  bool is_ok = v.kind == TN_VAL_UINT ? dtype == TN_DT_U64 : int_fits(v.i64, dtype);
  if (!is_ok) {
    tn_read_fail(r, at, "integer-too-large", NULL, "integer %s%" PRIu64 " does not fit %s",
                 v.kind == TN_VAL_INT && v.i64 < 0 ? "-" : "",
                 v.kind == TN_VAL_INT && v.i64 < 0 ? 0 - (uint64_t)v.i64 : v.u64,
                 tn_dtype_print(dtype, text));
    return NULL;
  }
  return tn_int(r->ir, dtype, v.i64);
}

/* The type a number takes beside a node of type `other`. */
static tn_dtype type_beside(const tn_reader *r, tn_val v, tn_dtype other) {
  tn_dtype elem = tn_dtype_elem(other);
  bool other_is_int = tn_dtype_is_int(elem) || tn_dtype_is_uint(elem);
  if (tn_dtype_is_any_float(elem) && v.kind != TN_VAL_BOOL) {
    return elem;
  }
  if (v.kind == TN_VAL_INT && other_is_int && int_fits(v.i64, elem)) {
    return elem;
  }
  return default_type(r, v);
}

static bool is_expr_node(const tn_node *n) {
  tn_op_class cls = tn_op_info_get((tn_op)n->op)->cls;
  return (cls == TN_CLASS_EXPR || n->op == TN_OP_VAR) &&
         (n->dtype != TN_DT_NONE || n->op == TN_OP_DTYPE);
}

const tn_node *tn_to_expr(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype dtype) {
  if (tn_val_is_error(v)) {
    return NULL;
  }
  if (tn_val_is_number(v)) {
    bool is_known = dtype != TN_DT_NONE && !tn_dtype_is_handle(dtype);
    bool loses = v.kind == TN_VAL_FLOAT && !tn_dtype_is_any_float(dtype);
    return number_to_expr(r, at, v, is_known && !loses ? tn_dtype_elem(dtype) : default_type(r, v));
  }
  if (v.kind == TN_VAL_STR) {
    return tn_str(r->ir, v.text);
  }
  if (v.kind == TN_VAL_NODE && is_expr_node(v.node)) {
    return v.node;
  }
  const char *what = tn_val_is_node(v, TN_OP_INVOKE)   ? "a call without a result"
                     : tn_val_is_node(v, TN_OP_GLOBAL) ? "a function of the module"
                                                       : tn_val_what(v);
  bool is_buffer = tn_val_is_node(v, TN_OP_BUFFER);
  tn_read_fail(r, at, "not-an-expression",
               is_buffer ? "write its indices, as in A[i, j], or A.data for its pointer" : NULL,
               "expected an expression, got %s", what);
  return NULL;
}

const tn_node *tn_to_index(tn_reader *r, const tn_ast *at, tn_val v) {
  const tn_node *n = tn_to_expr(r, at, v, TN_DT_NONE);
  if (n == NULL) {
    return NULL;
  }
  if (!tn_dtype_is_int(n->dtype) && !tn_dtype_is_uint(n->dtype)) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_read_fail(r, at, "not-an-integer", NULL, "expected an integer expression, got %s",
                 n->op == TN_OP_STR ? "a string" : tn_dtype_print(n->dtype, text));
    return NULL;
  }
  return n;
}

const tn_node *tn_to_dim(tn_reader *r, const tn_ast *at, tn_val v) {
  if (v.kind == TN_VAL_INT) {
    return tn_int(r->ir, TN_DT_I64, v.i64);
  }
  const tn_node *n = tn_to_index(r, at, v);
  const tn_node *out = NULL;
  if (n == NULL || !tn_read_ok(r, at, "type-mismatch", tn_tir_cast(r->ir, TN_DT_I64, n, &out))) {
    return NULL;
  }
  return out;
}

const tn_node *tn_to_index_list(tn_reader *r, const tn_ast *at, tn_val v) {
  if (tn_val_is_error(v)) {
    return NULL;
  }
  tn_val one = v;
  uint32_t n = v.kind == TN_VAL_LIST ? v.n : 1;
  const tn_val *items = v.kind == TN_VAL_LIST ? v.items : &one;
  const tn_node **nodes = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    nodes[i] = tn_to_index(r, at, items[i]);
    if (nodes[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, n, nodes);
}

static const tn_node *items_to_attr(tn_reader *r, const tn_ast *at, tn_val v) {
  const tn_node **nodes = TN_ARENA_ARRAY(&r->arena, const tn_node *, v.n + 1);
  for (uint32_t i = 0; i < v.n; ++i) {
    nodes[i] = tn_to_attr(r, at, v.items[i]);
    if (nodes[i] == NULL) {
      return NULL;
    }
    if (v.kind == TN_VAL_DICT && i % 2 == 0 && nodes[i]->op != TN_OP_STR) {
      tn_read_fail(r, at, "bad-attribute", NULL,
                   "a key of a dictionary of attributes must be a string");
      return NULL;
    }
  }
  if (v.kind == TN_VAL_LIST) {
    return tn_list(r->ir, v.n, nodes);
  }
  return tn_node_new(r->ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, v.n, nodes);
}

const tn_node *tn_to_attr(tn_reader *r, const tn_ast *at, tn_val v) {
  switch (v.kind) {
    case TN_VAL_ERROR:
      return NULL;
    case TN_VAL_NONE:
      return tn_none(r->ir);
    case TN_VAL_BOOL:
    case TN_VAL_INT:
    case TN_VAL_UINT:
    case TN_VAL_FLOAT:
    case TN_VAL_STR:
      return tn_to_expr(r, at, v, TN_DT_NONE);
    case TN_VAL_LIST:
    case TN_VAL_DICT:
      return items_to_attr(r, at, v);
    case TN_VAL_NODE:
      return v.node;
    case TN_VAL_VOID:
    case TN_VAL_MODULE:
    case TN_VAL_MACRO:
    case TN_VAL_CELL:
      break;
  }
  tn_read_fail(r, at, "bad-attribute", NULL, "%s cannot be the value of an attribute",
               tn_val_what(v));
  return NULL;
}

bool tn_to_int(tn_reader *r, const tn_ast *at, tn_val v, int64_t *out) {
  if (v.kind == TN_VAL_INT) {
    *out = v.i64;
    return true;
  }
  if (tn_val_is_node(v, TN_OP_INT) && !tn_dtype_is_bool(v.node->dtype)) {
    *out = v.node->attr.i64;
    return true;
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, at, "not-a-constant", NULL, "expected a constant integer, got %s",
                 tn_val_what(v));
  }
  return false;
}

bool tn_to_bool(tn_reader *r, const tn_ast *at, tn_val v, bool *out) {
  if (v.kind == TN_VAL_BOOL || v.kind == TN_VAL_INT) {
    *out = v.i64 != 0;
    return true;
  }
  if (tn_val_is_node(v, TN_OP_INT)) {
    *out = v.node->attr.i64 != 0;
    return true;
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, at, "not-a-constant", NULL, "expected True or False, got %s", tn_val_what(v));
  }
  return false;
}

const char *tn_to_str(tn_reader *r, const tn_ast *at, tn_val v) {
  if (v.kind == TN_VAL_STR) {
    return v.text;
  }
  if (tn_val_is_node(v, TN_OP_STR)) {
    return v.node->attr.text;
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, at, "not-a-string", NULL, "expected a string, got %s", tn_val_what(v));
  }
  return NULL;
}

bool tn_to_dtype(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype *out) {
  if (tn_val_is_node(v, TN_OP_DTYPE)) {
    *out = (tn_dtype)v.node->attr.i64;
    return true;
  }
  const char *text = tn_to_str(r, at, v);
  if (text == NULL) {
    return false;
  }
  if (!tn_dtype_parse(text, strlen(text), out)) {
    static const char *const known[] = {"int8",    "int16",    "int32",  "int64",   "uint8",
                                        "uint16",  "uint32",   "uint64", "float16", "float32",
                                        "float64", "bfloat16", "bool",   "handle"};
    char *hint = tn_near_of(text, known, sizeof known / sizeof known[0]);
    tn_read_fail(r, at, "unknown-dtype", hint, "unknown dtype '%s'", text);
    free(hint);
    return false;
  }
  return true;
}

bool tn_read_dtype(tn_reader *r, const tn_ast *ast, tn_dtype *out) {
  const char *name = ast->kind == TN_AST_ATTR ? tn_dotted(r, ast) : NULL;
  if (name != NULL && strncmp(name, "T.", 2) == 0) {
    return tn_to_dtype(r, ast, (tn_val){.kind = TN_VAL_STR, .text = name + 2}, out);
  }
  return tn_to_dtype(r, ast, tn_read_val(r, ast), out);
}

/* ---- Python's arithmetic ---- */

static double as_double(tn_val v) {
  return v.kind == TN_VAL_FLOAT ? v.f64 : v.kind == TN_VAL_UINT ? (double)v.u64 : (double)v.i64;
}

static tn_val val_int(int64_t value) { return (tn_val){.kind = TN_VAL_INT, .i64 = value}; }
static tn_val val_float(double value) { return (tn_val){.kind = TN_VAL_FLOAT, .f64 = value}; }
static tn_val val_bool(bool value) { return (tn_val){.kind = TN_VAL_BOOL, .i64 = value}; }

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

static bool int_pow(int64_t a, int64_t b, int64_t *out) {
  int64_t value = 1;
  for (; b > 0; --b) {
    if (__builtin_mul_overflow(value, a, &value)) {
      return false;
    }
    if (value == 0 || value == 1 || (a == -1 && b > 2)) {
      b = a == -1 ? b % 2 + 1 : 1;
    }
  }
  *out = value;
  return true;
}

/* a op b for integers; false where the result leaves 64 bits or does not exist. */
static bool fold_ints(tn_tok tok, int64_t a, int64_t b, int64_t *out) {
  bool is_division = tok == TN_TOK_FLOORDIV || tok == TN_TOK_PERCENT;
  if (is_division && (b == 0 || (a == INT64_MIN && b == -1))) {
    return false;
  }
  switch ((int)tok) {
    case TN_TOK_PLUS:
      return !__builtin_add_overflow(a, b, out);
    case TN_TOK_MINUS:
      return !__builtin_sub_overflow(a, b, out);
    case TN_TOK_STAR:
      return !__builtin_mul_overflow(a, b, out);
    case TN_TOK_FLOORDIV:
      *out = floor_div(a, b);
      return true;
    case TN_TOK_PERCENT:
      *out = a - floor_div(a, b) * b;
      return true;
    case TN_TOK_POW:
      return b >= 0 && int_pow(a, b, out);
    case TN_TOK_AMP:
      *out = a & b;
      return true;
    case TN_TOK_PIPE:
      *out = a | b;
      return true;
    case TN_TOK_CARET:
      *out = a ^ b;
      return true;
    case TN_TOK_SHL:
      return b >= 0 && (a == 0 ? (*out = 0, true)
                               : b < 63 && !__builtin_mul_overflow(a, INT64_C(1) << b, out));
    case TN_TOK_SHR:
      *out = b > 63 ? (a < 0 ? -1 : 0) : a >> (b < 0 ? 0 : b);
      return b >= 0;
    default:
      return false;
  }
}

static tn_val fold_floats(tn_reader *r, const tn_ast *at, tn_tok tok, double a, double b) {
  bool divides = tok == TN_TOK_SLASH || tok == TN_TOK_FLOORDIV || tok == TN_TOK_PERCENT;
  if (divides && b == 0) {
    return tn_read_fail(r, at, "division-by-zero", NULL, "division of literals by zero");
  }
  switch ((int)tok) {
    case TN_TOK_PLUS:
      return val_float(a + b);
    case TN_TOK_MINUS:
      return val_float(a - b);
    case TN_TOK_STAR:
      return val_float(a * b);
    case TN_TOK_SLASH:
      return val_float(a / b);
    case TN_TOK_FLOORDIV:
      return val_float(floor(a / b));
    case TN_TOK_PERCENT:
      return val_float(a - floor(a / b) * b);
    case TN_TOK_POW:
      return val_float(pow(a, b));
    default:
      return tn_read_fail(r, at, "type-mismatch", NULL, "'%s' takes integers", tn_tok_text(tok));
  }
}

static bool is_compare(tn_tok tok) {
  return tok == TN_TOK_EQ || tok == TN_TOK_NE || tok == TN_TOK_LT || tok == TN_TOK_LE ||
         tok == TN_TOK_GT || tok == TN_TOK_GE;
}

static bool fold_compare(tn_tok tok, int order) {
  switch ((int)tok) {
    case TN_TOK_EQ:
      return order == 0;
    case TN_TOK_NE:
      return order != 0;
    case TN_TOK_LT:
      return order < 0;
    case TN_TOK_LE:
      return order <= 0;
    case TN_TOK_GT:
      return order > 0;
    default:
      return order >= 0;
  }
}

tn_val tn_fold_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b) {
  bool is_float = a.kind == TN_VAL_FLOAT || b.kind == TN_VAL_FLOAT;
  if (is_compare(tok)) {
    double x = as_double(a);
    double y = as_double(b);
    bool exact = !is_float && a.kind != TN_VAL_UINT && b.kind != TN_VAL_UINT;
    int order = exact ? (a.i64 > b.i64) - (a.i64 < b.i64) : (x > y) - (x < y);
    return val_bool(fold_compare(tok, order));
  }
  if (is_float || tok == TN_TOK_SLASH || (tok == TN_TOK_POW && b.i64 < 0)) {
    return fold_floats(r, at, tok, as_double(a), as_double(b));
  }
  int64_t value = 0;
  if ((tok == TN_TOK_FLOORDIV || tok == TN_TOK_PERCENT) && b.i64 == 0) {
    return tn_read_fail(r, at, "division-by-zero", NULL, "division of literals by zero");
  }
  if (a.kind == TN_VAL_UINT || b.kind == TN_VAL_UINT || !fold_ints(tok, a.i64, b.i64, &value)) {
    return tn_read_fail(r, at, "integer-too-large", NULL,
                        "the result of '%s' on these literals does not fit int64",
                        tn_tok_text(tok));
  }
  bool is_bool = a.kind == TN_VAL_BOOL && b.kind == TN_VAL_BOOL;
  return is_bool && (tok == TN_TOK_AMP || tok == TN_TOK_PIPE || tok == TN_TOK_CARET)
             ? val_bool(value != 0)
             : val_int(value);
}

tn_val tn_fold_unary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a) {
  if (tok == TN_TOK_NOT) {
    return val_bool(as_double(a) == 0);
  }
  if (a.kind == TN_VAL_UINT && tok == TN_TOK_MINUS && a.u64 == UINT64_C(1) << 63) {
    return val_int(INT64_MIN);
  }
  if (a.kind == TN_VAL_UINT && tok != TN_TOK_PLUS) {
    return tn_read_fail(r, at, "integer-too-large", NULL, "integer -%" PRIu64 " does not fit int64",
                        a.u64);
  }
  if (tok == TN_TOK_PLUS) {
    return a.kind == TN_VAL_BOOL ? val_int(a.i64) : a;
  }
  if (tok == TN_TOK_TILDE) {
    return a.kind == TN_VAL_FLOAT
               ? tn_read_fail(r, at, "type-mismatch", NULL, "'~' takes an integer")
               : val_int(~a.i64);
  }
  if (a.kind == TN_VAL_FLOAT) {
    return val_float(-a.f64);
  }
  return a.i64 == INT64_MIN ? (tn_val){.kind = TN_VAL_UINT, .u64 = UINT64_C(1) << 63}
                            : val_int(-a.i64);
}

/* ---- pairs ---- */

bool tn_pair_exprs(tn_reader *r, const tn_ast *at, tn_val a, tn_val b, const tn_node **out_a,
                   const tn_node **out_b) {
  if (tn_val_is_error(a) || tn_val_is_error(b)) {
    return false;
  }
  if (tn_val_is_node(a, TN_OP_DTYPE) || tn_val_is_node(b, TN_OP_DTYPE)) {
    tn_read_fail(r, at, "not-an-expression", "a number of that type is written T.float32(1)",
                 "expected an expression, got a type");
    return false;
  }
  tn_dtype type_a = TN_DT_NONE;
  tn_dtype type_b = TN_DT_NONE;
  if (tn_val_is_number(a) && b.kind == TN_VAL_NODE && is_expr_node(b.node)) {
    type_a = type_beside(r, a, b.node->dtype);
  }
  if (tn_val_is_number(b) && a.kind == TN_VAL_NODE && is_expr_node(a.node)) {
    type_b = type_beside(r, b, a.node->dtype);
  }
  *out_a = tn_to_expr(r, at, a, type_a);
  *out_b = tn_to_expr(r, at, b, type_b);
  return *out_a != NULL && *out_b != NULL;
}

const tn_node *tn_extent_between(tn_reader *r, const tn_node *lo, const tn_node *hi) {
  if (tn_is_int(lo, 0)) {
    return hi;
  }
  if (hi->op == TN_OP_ADD && hi->in[TN_A] == lo) {
    return hi->in[TN_B];
  }
  bool is_uint = tn_dtype_is_uint(lo->dtype);
  if (lo->op == TN_OP_INT && hi->op == TN_OP_INT) {
    bool is_empty = is_uint && (uint64_t)hi->attr.i64 < (uint64_t)lo->attr.i64;
    return tn_int(r->ir, lo->dtype,
                  is_empty ? 0 : (int64_t)((uint64_t)hi->attr.i64 - (uint64_t)lo->attr.i64));
  }
  if (is_uint) { /* a difference below 0 would be a large number */
    hi = tn_binary(r->ir, TN_OP_MAX, hi, lo);
  }
  if (r->arith == NULL) {
    r->arith = tn_arith_new(r->ir);
  }
  return tn_arith_simplify(r->arith, tn_binary(r->ir, TN_OP_SUB, hi, lo));
}

bool tn_to_interval(tn_reader *r, const tn_ast *at, tn_val lo, tn_val hi, const tn_node **out_min,
                    const tn_node **out_extent) {
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  if (!tn_pair_exprs(r, at, lo, hi, &a, &b) || tn_to_index(r, at, tn_val_node(a)) == NULL ||
      tn_to_index(r, at, tn_val_node(b)) == NULL) {
    return false;
  }
  tn_dtype wide = tn_dtype_bits(a->dtype) > tn_dtype_bits(b->dtype) ? a->dtype : b->dtype;
  if (!tn_read_ok(r, at, "type-mismatch", tn_tir_cast(r->ir, wide, a, &a)) ||
      !tn_read_ok(r, at, "type-mismatch", tn_tir_cast(r->ir, wide, b, &b))) {
    return false;
  }
  *out_min = a;
  *out_extent = tn_extent_between(r, a, b);
  return true;
}
