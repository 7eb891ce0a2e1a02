/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls below T. that are expressions: operators in call form (never folded), casts, selects,
 * vectors, lets, literals of a named type, limits, reducers, index maps, targets, and every row of
 * tir/intrins.def. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/reader.h"

static tn_val node_or_error(const tn_node *n) {
  return n == NULL ? tn_val_error() : tn_val_node(n);
}

static tn_val checked(tn_reader *r, const tn_ast *at, tn_status st, const tn_node *const *out) {
  return tn_read_ok(r, at, "type-mismatch", st) ? tn_val_node(*out) : tn_val_error();
}

/* dtype= of 2022 says again what the result's type is. */
static tn_val confirm_dtype(tn_reader *r, const tn_ast *ast, tn_val v) {
  tn_dtype dtype = TN_DT_NONE;
  if (ast == NULL || tn_val_is_error(v) || !tn_read_dtype(r, ast, &dtype)) {
    return ast == NULL ? v : tn_val_error();
  }
  if (dtype != v.node->dtype) {
    char got[TN_DTYPE_TEXT_BYTES];
    char want[TN_DTYPE_TEXT_BYTES];
    return tn_read_fail(r, ast, "type-mismatch", NULL, "the result is %s here, not %s",
                        tn_dtype_print(v.node->dtype, got), tn_dtype_print(dtype, want));
  }
  return v;
}

/* Binds n arguments and, by its name alone, dtype=, which then is out[n]. */
static bool bind_with_dtype(tn_reader *r, const tn_ast *call, const char *params,
                            const char *params_and_dtype, uint32_t n, const tn_ast **out) {
  out[n] = NULL;
  return tn_bind_args(r, call, tn_keyword(call, "dtype") != NULL ? params_and_dtype : params, out);
}

/* ---- operators in call form ---- */

static tn_val call_binary(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  const tn_node *out = NULL;
  if (!bind_with_dtype(r, call->ast, "a b", "a b dtype?", 2, args)) {
    return tn_val_error();
  }
  tn_val x = tn_read_val(r, args[0]);
  tn_val y = tn_read_val(r, args[1]);
  if (!tn_pair_exprs(r, call->ast, x, y, &a, &b)) {
    return tn_val_error();
  }
  tn_val v = checked(r, call->ast, tn_tir_binary(r->ir, (tn_op)call->row->param, a, b, &out), &out);
  return confirm_dtype(r, args[2], v);
}

static tn_val call_unary(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!bind_with_dtype(r, call->ast, "a", "a dtype?", 1, args)) {
    return tn_val_error();
  }
  const tn_node *a = tn_read_expr(r, args[0]);
  const tn_node *out = NULL;
  if (a == NULL) {
    return tn_val_error();
  }
  tn_val v = checked(r, call->ast, tn_tir_unary(r->ir, (tn_op)call->row->param, a, &out), &out);
  return confirm_dtype(r, args[1], v);
}

/* ceildiv(a, b) = (a + (b - 1)) // b */
static tn_val call_ceildiv(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "a b", args)) {
    return tn_val_error();
  }
  tn_val a = tn_read_val(r, args[0]);
  tn_val b = tn_read_val(r, args[1]);
  tn_val less =
      tn_apply_binary(r, call->ast, TN_TOK_MINUS, b, (tn_val){.kind = TN_VAL_INT, .i64 = 1});
  tn_val sum = tn_apply_binary(r, call->ast, TN_TOK_PLUS, a, less);
  return tn_apply_binary(r, call->ast, TN_TOK_FLOORDIV, sum, b);
}

static tn_val call_cast(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  bool dtype_first = call->row->param == 0;
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_bind_args(r, call->ast, dtype_first ? "dtype value" : "value dtype", args) ||
      !tn_read_dtype(r, args[dtype_first ? 0 : 1], &dtype)) {
    return tn_val_error();
  }
  const tn_node *value = tn_read_expr(r, args[dtype_first ? 1 : 0]);
  const tn_node *out = NULL;
  return value == NULL ? tn_val_error()
                       : checked(r, call->ast, tn_tir_cast(r->ir, dtype, value, &out), &out);
}

static tn_val call_reinterpret(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  tn_dtype dtype = TN_DT_NONE;
  bool is_old = tn_keyword(call->ast, "dtype") != NULL && tn_n_positional(call->ast) == 1;
  if (!tn_bind_args(r, call->ast, is_old ? "value dtype" : "dtype value", args) ||
      !tn_read_dtype(r, args[is_old ? 1 : 0], &dtype)) {
    return tn_val_error();
  }
  const tn_node *value = tn_read_expr(r, args[is_old ? 0 : 1]);
  if (value == NULL) {
    return tn_val_error();
  }
  if (tn_dtype_bits(dtype) * tn_dtype_lanes(dtype) !=
      tn_dtype_bits(value->dtype) * tn_dtype_lanes(value->dtype)) {
    char from[TN_DTYPE_TEXT_BYTES];
    char to[TN_DTYPE_TEXT_BYTES];
    return tn_read_fail(r, call->ast, "type-mismatch", NULL,
                        "cannot reinterpret %s as %s: their widths differ",
                        tn_dtype_print(value->dtype, from), tn_dtype_print(dtype, to));
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_REINTERPRET, dtype, (tn_attr){0}, 1, &value));
}

static tn_val call_select(tn_reader *r, const tn_call *call) {
  const tn_ast *args[4];
  if (!bind_with_dtype(r, call->ast, "condition true_value false_value",
                       "condition true_value false_value dtype?", 3, args)) {
    return tn_val_error();
  }
  const tn_node *cond = tn_read_expr(r, args[0]);
  r->n_conditions += 1;
  tn_val x = tn_read_val(r, args[1]);
  tn_val y = tn_read_val(r, args[2]);
  r->n_conditions -= 1;
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  const tn_node *out = NULL;
  if (cond == NULL || !tn_pair_exprs(r, call->ast, x, y, &a, &b)) {
    return tn_val_error();
  }
  tn_val v =
      checked(r, call->ast, tn_tir_select(r->ir, (tn_op)call->row->param, cond, a, b, &out), &out);
  return confirm_dtype(r, args[3], v);
}

/* ---- vectors ---- */

static tn_visit find_vscale(const tn_node *n, void *ctx) {
  *(bool *)ctx |= tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->id == TN_INTRIN_VSCALE;
  return TN_DESCEND;
}

/* How many lanes a vector has: a number, and not one that only the machine tells. */
static bool read_lanes(tn_reader *r, const tn_ast *ast, int64_t *out) {
  tn_val v = tn_read_val(r, ast);
  bool is_scalable = false;
  if (v.kind == TN_VAL_NODE) {
    (void)tn_walk_distinct(v.node, find_vscale, &is_scalable);
  }
  if (is_scalable) {
    tn_read_fail(r, ast, "unsupported", "vectors of a fixed length: T.Ramp(0, 1, 4)",
                 "not supported: vectors of T.vscale() lanes, which the machine decides");
    return false;
  }
  return tn_to_int(r, ast, v, out);
}

static tn_val call_ramp(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  int64_t lanes = 0;
  const tn_node *base = NULL;
  const tn_node *stride = NULL;
  const tn_node *out = NULL;
  if (!tn_bind_args(r, call->ast, "base stride lanes", args) ||
      !tn_pair_exprs(r, call->ast, tn_read_val(r, args[0]), tn_read_val(r, args[1]), &base,
                     &stride) ||
      !read_lanes(r, args[2], &lanes)) {
    return tn_val_error();
  }
  return checked(r, call->ast, tn_tir_ramp(r->ir, base, stride, lanes, &out), &out);
}

static tn_val call_broadcast(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  int64_t lanes = 0;
  const tn_node *out = NULL;
  if (!tn_bind_args(r, call->ast, "value lanes", args)) {
    return tn_val_error();
  }
  const tn_node *value = tn_read_expr(r, args[0]);
  if (value == NULL || !read_lanes(r, args[1], &lanes)) {
    return tn_val_error();
  }
  return checked(r, call->ast, tn_tir_broadcast(r->ir, value, lanes, &out), &out);
}

/* A list of expressions of one element type. */
static const tn_node *read_exprs(tn_reader *r, const tn_ast *ast) {
  tn_val v = tn_read_val(r, ast);
  if (v.kind != TN_VAL_LIST) {
    if (!tn_val_is_error(v)) {
      tn_read_fail(r, ast, "not-a-list", NULL, "expected a list, got %s", tn_val_what(v));
    }
    return NULL;
  }
  const tn_node **nodes = TN_ARENA_ARRAY(&r->arena, const tn_node *, v.n + 1);
  for (uint32_t i = 0; i < v.n; ++i) {
    nodes[i] = tn_to_expr(r, ast, v.items[i], TN_DT_NONE);
    if (nodes[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, v.n, nodes);
}

static tn_val call_shuffle(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "vectors indices", args)) {
    return tn_val_error();
  }
  const tn_node *in[2] = {read_exprs(r, args[0]), read_exprs(r, args[1])};
  if (in[0] == NULL || in[1] == NULL) {
    return tn_val_error();
  }
  int64_t n_lanes = 0;
  bool is_ok = in[0]->n_in > 0 && in[1]->n_in > 0 && in[1]->n_in <= UINT16_MAX;
  for (uint32_t i = 0; i < in[0]->n_in; ++i) {
    n_lanes += tn_dtype_lanes(in[0]->in[i]->dtype);
    is_ok = is_ok && tn_dtype_elem(in[0]->in[i]->dtype) == tn_dtype_elem(in[0]->in[0]->dtype);
  }
  for (uint32_t i = 0; i < in[1]->n_in; ++i) {
    const tn_node *index = in[1]->in[i];
    is_ok = is_ok && index->op == TN_OP_INT && index->attr.i64 >= 0 && index->attr.i64 < n_lanes;
  }
  if (!is_ok) {
    return tn_read_fail(r, call->ast, "bad-shuffle", NULL,
                        "Shuffle takes vectors of one type and constant indices into their %" PRId64
                        " lanes",
                        n_lanes);
  }
  tn_dtype dtype = tn_dtype_with_lanes(in[0]->in[0]->dtype, in[1]->n_in);
  return tn_val_node(tn_node_new(r->ir, TN_OP_SHUFFLE, dtype, (tn_attr){0}, 2, in));
}

/* ---- lets, reducers, maps ---- */

/* T.Let(body, where={x: value, y: value}): the first is the outermost. */
static tn_val call_let(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "expr where", args)) {
    return tn_val_error();
  }
  if (args[1]->kind != TN_AST_DICT || args[1]->n == 0) {
    return tn_read_fail(r, args[1], "bad-let", NULL, "expected where={name: value}");
  }
  uint32_t n = args[1]->n / 2;
  const tn_node **pairs = TN_ARENA_ARRAY(&r->arena, const tn_node *, n * 2);
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *name = args[1]->in[2 * i];
    const tn_node *value = tn_read_expr(r, args[1]->in[2 * i + 1]);
    if (name->kind != TN_AST_NAME || value == NULL) {
      is_ok = false;
      if (name->kind != TN_AST_NAME) {
        tn_read_fail(r, name, "bad-let", NULL, "expected a name");
      }
      continue;
    }
    pairs[2 * i] = tn_var_new(r->ir, name->text, value->dtype);
    pairs[2 * i + 1] = value;
    tn_mark(r, pairs[2 * i], name);
    tn_scopes_set(&r->scopes, name->text, tn_val_node(pairs[2 * i]));
  }
  const tn_node *body = is_ok ? tn_read_expr(r, args[0]) : NULL;
  tn_scopes_pop(&r->scopes);
  for (uint32_t i = n; body != NULL && i > 0; --i) {
    const tn_node *in[3] = {pairs[2 * i - 2], pairs[2 * i - 1], body};
    body = tn_node_new(r->ir, TN_OP_LET, body->dtype, (tn_attr){0}, 3, in);
  }
  return node_or_error(body);
}

/* Binds a lambda's parameters to new variables; the caller has opened a scope. */
static const tn_node *bind_params(tn_reader *r, const tn_ast *lambda, uint32_t first, uint32_t n,
                                  const tn_node *types, tn_dtype dtype) {
  const tn_node **vars = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *name = lambda->in[first + i];
    vars[i] = tn_var_new(r->ir, name->text, types == NULL ? dtype : types->in[i]->dtype);
    tn_define(r, name, tn_val_node(vars[i]));
  }
  return tn_list(r->ir, n, vars);
}

/* A lambda's body as a LIST: one expression or a tuple of them. */
static const tn_node *lambda_results(tn_reader *r, const tn_ast *lambda) {
  const tn_ast *body = lambda->in[lambda->n - 1];
  if (body->kind == TN_AST_TUPLE || body->kind == TN_AST_LIST) {
    return read_exprs(r, body);
  }
  const tn_node *one = tn_read_expr(r, body);
  return one == NULL ? NULL : tn_list(r->ir, 1, &one);
}

static tn_val call_comm_reducer(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "combiner identity", args)) {
    return tn_val_error();
  }
  const tn_node *identity = read_exprs(r, args[1]);
  const tn_ast *lambda = args[0];
  if (identity == NULL) {
    return tn_val_error();
  }
  uint32_t n = identity->n_in;
  if (lambda->kind != TN_AST_LAMBDA || n == 0 || lambda->n != 2 * n + 1) {
    return tn_read_fail(r, lambda, "bad-reducer", NULL,
                        "expected a lambda of two parameters for each identity");
  }
  const tn_node *in[4];
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  in[TN_REDUCER_LHS] = bind_params(r, lambda, 0, n, identity, TN_DT_NONE);
  in[TN_REDUCER_RHS] = bind_params(r, lambda, n, n, identity, TN_DT_NONE);
  in[TN_REDUCER_RESULTS] = lambda_results(r, lambda);
  in[TN_REDUCER_IDENTITY] = identity;
  tn_scopes_pop(&r->scopes);
  if (in[TN_REDUCER_RESULTS] == NULL) {
    return tn_val_error();
  }
  if (in[TN_REDUCER_RESULTS]->n_in != n) {
    return tn_read_fail(r, lambda, "bad-reducer", NULL,
                        "the lambda gives %u values for %u identities",
                        in[TN_REDUCER_RESULTS]->n_in, n);
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_REDUCER, TN_DT_HANDLE, (tn_attr){0}, 4, in));
}

const tn_node *tn_read_index_map(tn_reader *r, const tn_ast *lambda, tn_dtype dtype,
                                 const tn_node *inverse) {
  if (lambda->kind != TN_AST_LAMBDA) {
    tn_read_fail(r, lambda, "bad-index-map", NULL, "expected a lambda from indices to indices");
    return NULL;
  }
  const tn_node *in[3] = {[TN_LAMBDA_INVERSE] = inverse};
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  in[TN_LAMBDA_PARAMS] = bind_params(r, lambda, 0, lambda->n - 1, NULL, dtype);
  in[TN_LAMBDA_RESULTS] = lambda_results(r, lambda);
  tn_scopes_pop(&r->scopes);
  return in[TN_LAMBDA_RESULTS] == NULL
             ? NULL
             : tn_node_new(r->ir, TN_OP_LAMBDA, TN_DT_HANDLE, (tn_attr){0}, 3, in);
}

static tn_val call_index_map(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  tn_dtype dtype = r->bare_int;
  const tn_node *inverse = tn_none(r->ir);
  if (!tn_bind_args(r, call->ast, "mapping inverse_index_map? index_dtype?", args) ||
      (args[2] != NULL && !tn_read_dtype(r, args[2], &dtype))) {
    return tn_val_error();
  }
  bool has_inverse = args[1] != NULL && args[1]->kind != TN_AST_NONE;
  if (has_inverse) {
    inverse = tn_read_index_map(r, args[1], dtype, inverse);
  }
  const tn_node *map = inverse == NULL ? NULL : tn_read_index_map(r, args[0], dtype, inverse);
  if (map == NULL) {
    return tn_val_error();
  }
  uint32_t n_in = map->in[TN_LAMBDA_PARAMS]->n_in;
  uint32_t n_out = map->in[TN_LAMBDA_RESULTS]->n_in;
  if (has_inverse && (inverse->in[TN_LAMBDA_PARAMS]->n_in != n_out ||
                      inverse->in[TN_LAMBDA_RESULTS]->n_in != n_in)) {
    return tn_read_fail(r, args[1], "bad-index-map", NULL,
                        "the map is from %u indices to %u, its inverse from %u to %u", n_in, n_out,
                        inverse->in[TN_LAMBDA_PARAMS]->n_in, inverse->in[TN_LAMBDA_RESULTS]->n_in);
  }
  return tn_val_node(map);
}

/* A target as text or as a dictionary; NULL, reported. */
static const tn_node *read_target_config(tn_reader *r, const tn_ast *ast) {
  const tn_node *config = tn_to_attr(r, ast, tn_read_val(r, ast));
  if (config != NULL && config->op != TN_OP_DICT && config->op != TN_OP_STR) {
    tn_read_fail(r, ast, "bad-target", NULL, "expected a target as text or as a dictionary");
    return NULL;
  }
  return config;
}

static tn_val call_target(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "config host?", args)) {
    return tn_val_error();
  }
  bool has_host = args[1] != NULL && args[1]->kind != TN_AST_NONE;
  const tn_node *in[2] = {[TN_TARGET_CONFIG] = read_target_config(r, args[0]),
                          [TN_TARGET_HOST] =
                              has_host ? read_target_config(r, args[1]) : tn_none(r->ir)};
  if (in[TN_TARGET_CONFIG] == NULL || in[TN_TARGET_HOST] == NULL) {
    return tn_val_error();
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_TARGET, TN_DT_HANDLE, (tn_attr){0}, 2, in));
}

/* ---- literals and limits ---- */

static const tn_node *float_limit(tn_ir *ir, tn_dtype dtype, bool is_min) {
  const tn_small_float *small = tn_small_float_find(dtype);
  if (small != NULL && small->n_frac == 0) { /* float8_e8m0fnu has no sign: powers of two */
    return tn_float(ir, dtype, is_min ? 0x1p-127 : 0x1p127);
  }
  double max = small != NULL         ? (double)tn_small_to_f32(small, small->max)
               : dtype == TN_DT_F16  ? 65504.0
               : dtype == TN_DT_BF16 ? 3.3895313892515355e38
               : dtype == TN_DT_F32  ? (double)FLT_MAX
                                     : DBL_MAX;
  return tn_float(ir, dtype, is_min ? -max : max);
}

static const tn_node *int_limit(tn_ir *ir, tn_dtype dtype, bool is_min) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype)) {
    uint64_t max = tn_dtype_is_bool(dtype) ? 1 : UINT64_MAX >> (64 - bits);
    return tn_int(ir, dtype, is_min ? 0 : (int64_t)max);
  }
  int64_t max = (int64_t)(UINT64_MAX >> (65 - bits));
  return tn_int(ir, dtype, is_min ? -max - 1 : max);
}

enum { LIMIT_MIN, LIMIT_MAX, LIMIT_INFINITY };

static tn_val call_limit(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_bind_args(r, call->ast, "dtype", args) || !tn_read_dtype(r, args[0], &dtype)) {
    return tn_val_error();
  }
  bool is_float = tn_dtype_is_any_float(dtype);
  const tn_small_float *small = tn_small_float_find(dtype);
  if (call->row->param == LIMIT_INFINITY && small != NULL && small->inf == 0) {
    char text[TN_DTYPE_TEXT_BYTES];
    return tn_read_fail(r, args[0], "unknown-dtype", NULL, "%s has no infinity",
                        tn_dtype_print(dtype, text));
  }
  if (tn_dtype_is_handle(dtype) || (call->row->param == LIMIT_INFINITY && !is_float) ||
      tn_dtype_lanes(dtype) != 1) {
    return tn_read_fail(r, args[0], "unknown-dtype", NULL, "%s takes a %s type", call->row->name,
                        call->row->param == LIMIT_INFINITY ? "float" : "number");
  }
  if (call->row->param == LIMIT_INFINITY) {
    return tn_val_node(tn_float(r->ir, dtype, (double)INFINITY));
  }
  bool is_min = call->row->param == LIMIT_MIN;
  return tn_val_node(is_float ? float_limit(r->ir, dtype, is_min)
                              : int_limit(r->ir, dtype, is_min));
}

static tn_val call_type_annotation(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_bind_args(r, call->ast, "dtype", args) || !tn_read_dtype(r, args[0], &dtype)) {
    return tn_val_error();
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL));
}

static tn_val call_meta_var(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  return tn_bind_args(r, call->ast, "value", args) ? tn_read_val(r, args[0]) : tn_val_error();
}

/* T.IntImm("int32", 3), T.FloatImm("float32", 1.0), T.StringImm("s") */
static tn_val call_imm(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_bind_args(r, call->ast, "dtype value", args) || !tn_read_dtype(r, args[0], &dtype)) {
    return tn_val_error();
  }
  const tn_node *value = tn_to_expr(r, args[1], tn_read_val(r, args[1]), dtype);
  const tn_node *out = NULL;
  return value == NULL ? tn_val_error()
                       : checked(r, call->ast, tn_tir_cast(r->ir, dtype, value, &out), &out);
}

static tn_val call_string_imm(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "value", args)) {
    return tn_val_error();
  }
  const char *text = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  return text == NULL ? tn_val_error() : tn_val_node(tn_str(r->ir, text));
}

static tn_val call_unsupported(tn_reader *r, const tn_call *call) {
  return tn_read_fail(r, call->ast->in[0], "unsupported", NULL, "not supported yet: %s",
                      call->row->name);
}

/* ---- names that are types or intrinsics ---- */

/* n = T.int64(): a variable that some shape will bind. In a graph function the signature may have
 * named it already. */
tn_val tn_new_symbol(tn_reader *r, const tn_call *call, tn_dtype dtype) {
  if (call->n_names != 1 || call->names[0]->kind != TN_AST_NAME) {
    return tn_read_fail(
        r, call->ast, "symbol-without-name", NULL,
        "a variable needs a name here, as in 'n = T.int64()'; a literal needs a value");
  }
  const tn_ast *name = call->names[0];
  if (r->is_graph) {
    const tn_binding *known = tn_scopes_find(&r->scopes, name->text);
    if (dtype != TN_DT_I64) {
      return tn_read_fail(r, call->ast, "type-mismatch", NULL,
                          "a symbolic size of a graph is int64");
    }
    if (known != NULL && tn_val_is_node(known->val, TN_OP_VAR)) {
      return known->val;
    }
  }
  return tn_val_node(tn_var_new(r->ir, name->text, dtype));
}

static bool special_float(const char *text, double *out) {
  bool is_negative = text[0] == '-';
  const char *name = text + (is_negative || text[0] == '+' ? 1 : 0);
  double sign = is_negative ? -1.0 : 1.0;
  if (strcmp(name, "inf") == 0 || strcmp(name, "infinity") == 0) {
    *out = sign * (double)INFINITY;
  } else if (strcmp(name, "nan") == 0) {
    *out = (double)NAN;
  } else {
    return false;
  }
  return true;
}

static tn_val call_dtype(tn_reader *r, const tn_call *call, tn_dtype dtype) {
  const tn_ast *ast = call->ast;
  uint32_t n = tn_n_positional(ast);
  if (!tn_check_keywords(r, ast, "is_size_var storage_scope")) {
    return tn_val_error();
  }
  if (n == 0 || tn_dtype_is_handle(dtype)) {
    return tn_new_symbol(r, call, dtype);
  }
  if (n != 1) {
    return tn_read_fail(r, ast, "wrong-argument-count", NULL, "a type takes one value");
  }
  tn_val v = tn_read_val(r, ast->in[1]);
  double special = 0;
  if (v.kind == TN_VAL_STR && tn_dtype_is_any_float(dtype) && special_float(v.text, &special)) {
    return tn_val_node(tn_float(r->ir, dtype, special));
  }
  if (v.kind == TN_VAL_STR) {
    return tn_read_fail(r, ast->in[1], "type-mismatch", NULL,
                        "expected a number, or \"inf\", \"-inf\", \"nan\" for a float");
  }
  const tn_node *value = NULL;
  if (tn_val_is_number(v) && (v.kind != TN_VAL_FLOAT || tn_dtype_is_any_float(dtype))) {
    value = tn_to_expr(r, ast->in[1], v, tn_dtype_elem(dtype));
  } else if (v.kind == TN_VAL_FLOAT) {
    char text[TN_DTYPE_TEXT_BYTES];
    return tn_read_fail(r, ast->in[1], "type-mismatch", NULL,
                        "a float cannot be a literal of type %s", tn_dtype_print(dtype, text));
  } else {
    value = tn_to_expr(r, ast->in[1], v, TN_DT_NONE);
  }
  const tn_node *out = NULL;
  return value == NULL ? tn_val_error()
                       : checked(r, ast, tn_tir_cast(r->ir, dtype, value, &out), &out);
}

/* The type that bare numbers among the arguments take: that of the first typed one. */
static tn_dtype argument_type(const tn_val *vals, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    if (vals[i].kind == TN_VAL_NODE) {
      return vals[i].node->dtype;
    }
  }
  return TN_DT_NONE;
}

static const tn_node *intrin_argument(tn_reader *r, const tn_ast *at, const tn_intrin *intrin,
                                      tn_val v, tn_dtype dtype, bool is_int_only) {
  bool is_packed = intrin->id == TN_INTRIN_CALL_PACKED || intrin->id == TN_INTRIN_CALL_CPACKED;
  if (is_packed && tn_val_is_node(v, TN_OP_BUFFER)) {
    return v.node;
  }
  if (v.kind == TN_VAL_INT && tn_dtype_is_float(dtype) && is_int_only) {
    dtype = TN_DT_NONE;
  }
  if (v.kind == TN_VAL_LIST || v.kind == TN_VAL_NONE) {
    return tn_to_attr(r, at, v);
  }
  return tn_to_expr(r, at, v, dtype);
}

/* The result's type by keyword, first or last, as the row has it, and where the arguments stand. */
static bool read_given_type(tn_reader *r, const tn_ast *ast, const tn_intrin *intrin,
                            tn_dtype *out_dtype, uint32_t *out_first, uint32_t *out_n_args) {
  uint32_t n = tn_n_positional(ast);
  const tn_ast *given = tn_keyword(ast, "dtype");
  bool is_first = given == NULL && intrin->type == TN_IT_GIVEN;
  bool is_last = given == NULL && intrin->type == TN_IT_GIVEN_LAST;
  if (is_first && n == 0 && intrin->id == TN_INTRIN_UNDEF) {
    is_first = false; /* T.undef() is an int32 */
    *out_dtype = TN_DT_I32;
  }
  if ((is_first || is_last) && n == 0) {
    tn_read_fail(r, ast, "missing-argument", NULL, "'%s' needs its result type %s",
                 intrin->def.name, is_first ? "first" : "last");
    return false;
  }
  given = is_first ? ast->in[1] : is_last ? ast->in[n] : given;
  bool is_void = given != NULL && given->kind == TN_AST_STR && strcmp(given->text, "void") == 0;
  *out_first = is_first ? 1 : 0;
  *out_n_args = n - (is_first || is_last ? 1 : 0);
  return given == NULL || is_void || tn_read_dtype(r, given, out_dtype);
}

static tn_val call_intrin_row(tn_reader *r, const tn_call *call, const tn_intrin *intrin) {
  const tn_ast *ast = call->ast;
  uint32_t first = 0;
  uint32_t n_args = 0;
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_check_keywords(r, ast, "dtype?") ||
      !read_given_type(r, ast, intrin, &dtype, &first, &n_args)) {
    return tn_val_error();
  }
  tn_val *vals = TN_ARENA_ARRAY(&r->arena, tn_val, n_args + 1);
  const tn_node **args = TN_ARENA_ARRAY(&r->arena, const tn_node *, n_args + 1);
  for (uint32_t i = 0; i < n_args; ++i) {
    vals[i] = tn_read_val(r, ast->in[1 + first + i]);
  }
  tn_dtype common = intrin->kind == TN_IK_MATH ? argument_type(vals, n_args) : TN_DT_NONE;
  for (uint32_t i = 0; i < n_args; ++i) {
    bool is_int_only = intrin->id == TN_INTRIN_LDEXP && i == 1;
    args[i] = intrin_argument(r, ast->in[1 + first + i], intrin, vals[i], common, is_int_only);
    if (args[i] == NULL) {
      return tn_val_error();
    }
  }
  const tn_node *out = NULL;
  bool is_llvm =
      intrin->id == TN_INTRIN_CALL_LLVM_INTRIN || intrin->id == TN_INTRIN_CALL_LLVM_PURE_INTRIN;
  if (is_llvm &&
      !tn_read_ok(r, ast, "bad-call", tn_tir_llvm_call(r->ir, dtype, n_args, args, &out))) {
    return tn_val_error();
  }
  return out != NULL || tn_read_ok(r, ast, "bad-call",
                                   tn_tir_intrin(r->ir, intrin, dtype, n_args, args, &out))
             ? tn_val_node(out)
             : tn_val_error();
}

/* T.call_intrin("float32", "tir.exp", x), in 2022 T.call_intrin("tir.exp", x, dtype="float32"), is
 * T.exp(x) where the name is a row. out_first: the first argument's place. */
static const tn_intrin *called_intrin(const tn_call *call, const tn_intrin *intrin,
                                      uint32_t *out_first) {
  const tn_ast *ast = call->ast;
  uint32_t at = tn_keyword(ast, "dtype") != NULL ? 1 : 2;
  if (intrin->id != TN_INTRIN_CALL_INTRIN || ast->n <= at || ast->in[at]->kind != TN_AST_STR) {
    return NULL;
  }
  const char *name = ast->in[at]->text;
  *out_first = at + 1;
  return tn_intrin_find(strncmp(name, "tir.", 4) == 0 ? name + 4 : name);
}

static tn_val call_by_name(tn_reader *r, const tn_call *call, const tn_intrin *intrin,
                           uint32_t first) {
  const tn_ast *ast = call->ast;
  const tn_ast *given = tn_keyword(ast, "dtype");
  uint32_t n_args = tn_n_positional(ast) + 1 - first;
  const tn_node **args = TN_ARENA_ARRAY(&r->arena, const tn_node *, n_args + 1);
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_check_keywords(r, ast, "dtype") ||
      !tn_read_dtype(r, given != NULL ? given : ast->in[1], &dtype)) {
    return tn_val_error();
  }
  for (uint32_t i = 0; i < n_args; ++i) {
    args[i] = tn_read_expr(r, ast->in[first + i]);
    if (args[i] == NULL) {
      return tn_val_error();
    }
  }
  const tn_node *out = NULL;
  return tn_read_ok(r, ast, "bad-call", tn_tir_intrin(r->ir, intrin, dtype, n_args, args, &out))
             ? tn_val_node(out)
             : tn_val_error();
}

static char *near_tir_name(tn_reader *r, const char *name) {
  TN_VEC(const char *) names = {0};
  uint32_t n = 0;
  const tn_intrin *rows = tn_intrin_all(&n);
  static const char *const types[] = {"int8",    "int16",    "int32",  "int64",   "uint8",
                                      "uint16",  "uint32",   "uint64", "float16", "float32",
                                      "float64", "bfloat16", "bool",   "handle"};
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&names, rows[i].def.name);
  }
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    TN_VEC_PUSH(&names, types[i]);
  }
  for (size_t i = 0; i < r->calls.len; ++i) {
    if (strncmp(r->calls.keys[i], "T.", 2) == 0) {
      TN_VEC_PUSH(&names, r->calls.keys[i] + 2);
    }
  }
  char *hint = tn_near_of(name + 2, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return hint;
}

tn_val tn_read_tir_named(tn_reader *r, const tn_call *call, const char *name) {
  tn_dtype dtype = TN_DT_NONE;
  if (tn_dtype_parse(name + 2, strlen(name + 2), &dtype)) {
    return call_dtype(r, call, dtype);
  }
  const tn_intrin *intrin = tn_intrin_find(name + 2);
  if (intrin != NULL) {
    uint32_t first = 0;
    const tn_intrin *named = called_intrin(call, intrin, &first);
    return named != NULL ? call_by_name(r, call, named, first) : call_intrin_row(r, call, intrin);
  }
  char *hint = near_tir_name(r, name);
  bool looks_typed = strncmp(name, "T.float", 7) == 0 || strncmp(name, "T.int", 5) == 0 ||
                     strncmp(name, "T.uint", 6) == 0;
  tn_val v = tn_read_fail(r, call->ast->in[0], looks_typed ? "unknown-dtype" : "unknown-function",
                          hint, "unknown %s '%s'", looks_typed ? "dtype" : "function",
                          looks_typed ? name + 2 : name);
  free(hint);
  return v;
}

/* T.static_assert(N % 4 == 0, "message"): judged while reading. */
static tn_val call_static_assert(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  bool holds = true;
  if (!tn_bind_args(r, call->ast, "condition message?", args) ||
      !tn_to_bool(r, args[0], tn_read_val(r, args[0]), &holds)) {
    return tn_val_error();
  }
  const char *message = args[1] == NULL ? "" : tn_to_str(r, args[1], tn_read_val(r, args[1]));
  if (holds || message == NULL) {
    return tn_val_void();
  }
  return tn_read_fail(r, args[0], "static-assert", NULL, "T.static_assert does not hold%s%s",
                      message[0] == 0 ? "" : ": ", message);
}

static const tn_call_row rows[] = {
    {"T.static_assert", call_static_assert, 0, TN_USE_TIR},
    {"T.Add", call_binary, TN_OP_ADD, 0},
    {"T.Sub", call_binary, TN_OP_SUB, 0},
    {"T.Mul", call_binary, TN_OP_MUL, 0},
    {"T.Div", call_binary, TN_OP_DIV, 0},
    {"T.Mod", call_binary, TN_OP_MOD, 0},
    {"T.FloorDiv", call_binary, TN_OP_FLOORDIV, 0},
    {"T.FloorMod", call_binary, TN_OP_FLOORMOD, 0},
    {"T.Min", call_binary, TN_OP_MIN, 0},
    {"T.Max", call_binary, TN_OP_MAX, 0},
    {"T.EQ", call_binary, TN_OP_EQ, 0},
    {"T.NE", call_binary, TN_OP_NE, 0},
    {"T.LT", call_binary, TN_OP_LT, 0},
    {"T.LE", call_binary, TN_OP_LE, 0},
    {"T.GT", call_binary, TN_OP_GT, 0},
    {"T.GE", call_binary, TN_OP_GE, 0},
    {"T.And", call_binary, TN_OP_AND, 0},
    {"T.Or", call_binary, TN_OP_OR, 0},
    {"T.Not", call_unary, TN_OP_NOT, 0},
    {"T.Neg", call_unary, TN_OP_NEG, 0},
    {"T.min", call_binary, TN_OP_MIN, 0},
    {"T.max", call_binary, TN_OP_MAX, 0},
    {"T.div", call_binary, TN_OP_DIV, 0},
    {"T.truncdiv", call_binary, TN_OP_DIV, 0},
    {"T.truncmod", call_binary, TN_OP_MOD, 0},
    {"T.floordiv", call_binary, TN_OP_FLOORDIV, 0},
    {"T.floormod", call_binary, TN_OP_FLOORMOD, 0},
    {"T.indexdiv", call_binary, TN_OP_FLOORDIV, 0},
    {"T.indexmod", call_binary, TN_OP_FLOORMOD, 0},
    {"T.ceildiv", call_ceildiv, 0, 0},
    {"T.bitwise_and", call_binary, TN_OP_BAND, 0},
    {"T.bitwise_or", call_binary, TN_OP_BOR, 0},
    {"T.bitwise_xor", call_binary, TN_OP_BXOR, 0},
    {"T.bitwise_not", call_unary, TN_OP_BNOT, 0},
    {"T.shift_left", call_binary, TN_OP_SHL, 0},
    {"T.shift_right", call_binary, TN_OP_SHR, 0},
    {"T.Cast", call_cast, 0, 0},
    {"T.cast", call_cast, 1, 0},
    {"T.reinterpret", call_reinterpret, 0, 0},
    {"T.Select", call_select, TN_OP_SELECT, 0},
    {"T.if_then_else", call_select, TN_OP_IF_THEN_ELSE, 0},
    {"T.Ramp", call_ramp, 0, 0},
    {"T.ramp", call_ramp, 0, 0},
    {"T.Broadcast", call_broadcast, 0, 0},
    {"T.broadcast", call_broadcast, 0, 0},
    {"T.Shuffle", call_shuffle, 0, 0},
    {"T.Let", call_let, 0, 0},
    {"T.min_value", call_limit, LIMIT_MIN, 0},
    {"T.max_value", call_limit, LIMIT_MAX, 0},
    {"T.infinity", call_limit, LIMIT_INFINITY, 0},
    {"T.comm_reducer", call_comm_reducer, 0, 0},
    {"T.index_map", call_index_map, 0, 0},
    {"T.target", call_target, 0, 0},
    {"T.type_annotation", call_type_annotation, 0, 0},
    {"R.dtype", call_type_annotation, 0, 0},
    {"T.meta_var", call_meta_var, 0, 0},
    {"T.IntImm", call_imm, 0, 0},
    {"T.FloatImm", call_imm, 0, 0},
    {"T.StringImm", call_string_imm, 0, 0},
    {"T.reduce", call_unsupported, 0, 0},
};

tn_call_table tn_tir_expr_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
