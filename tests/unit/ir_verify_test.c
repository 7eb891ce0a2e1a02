/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The structural verifier: well-formed functions of both levels pass, each fault is found and
 * named. */
#include "ir_build.h"

/* Wraps a body into a function over buffer A[8]. */
static const tn_node *around(tn_ir *ir, const tn_node *a, const tn_node *body) {
  return func_of(ir, "f", 1, &a, body);
}

/* A node with as many children as given, past what the constructors allow. Leaks on purpose into
 * `keep`. */
static const tn_node *malformed(tn_ir *ir, tn_op op, uint32_t n_in, const tn_node *const *in,
                                void **keep) {
  tn_node *n = calloc(1, sizeof *n + n_in * sizeof *in);
  assert_non_null(n);
  n->op = (uint16_t)op;
  n->n_in = n_in;
  n->id = tn_ir_n_ids(ir) + 1000;
  n->depth = 5;
  for (uint32_t i = 0; i < n_in; ++i) {
    n->in[i] = in[i];
  }
  *keep = n;
  return n;
}

static void good_loops_pass(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  expect_verify(ir, add_func(ir, "i", "A", 8, 1), "");
  /* symbolic sizes, an allocation with a declared view, a block with an allocated and a matched
   * buffer */
  const tn_node *n = tn_var_new(ir, "n", TN_DT_I64);
  const tn_node *a = buffer_of(ir, "A", n);
  const tn_node *b = buffer_of(ir, "B", tn_binary(ir, TN_OP_ADD, n, i64(ir, 1)));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I64);
  const tn_node *vi = tn_var_new(ir, "vi", TN_DT_I64);
  const tn_node *offset = tn_var_new(ir, "offset", TN_DT_I32);
  const tn_node *local = buffer_of(ir, "local", n);
  const tn_node *window = NODE(ir, TN_OP_BUFFER, TN_DT_I32, (tn_attr){.text = "W"},
                               tn_var_new(ir, "W", TN_DT_HANDLE), tn_list(ir, 0, NULL), tn_none(ir),
                               offset, tn_str(ir, "global"), i32(ir, 64), i32(ir, 1), tn_none(ir));
  const tn_node *range = STMT(ir, TN_OP_RANGE, vi, i64(ir, 1));
  const tn_node *match = STMT(ir, TN_OP_MATCH, window, STMT(ir, TN_OP_REGION, a, range));
  block_parts parts = {
      tn_label_new(ir, "B"),
      vi,
      n,
      i,
      tn_list(ir, 1, &local),
      tn_list(ir, 1, &match),
      seq2(ir, store_to(ir, local, vi, offset), store_to(ir, b, vi, load_of(ir, local, vi)))};
  const tn_node *buffers[] = {a, b};
  const tn_node *func = func_of(ir, "f", 2, buffers, for_of(ir, i, n, block_of(ir, &parts)));
  expect_verify(ir, func, "");
  expect_verify(ir, tn_clone_fresh(ir, func), "");
  assert_true(tn_equal(func, tn_clone_fresh(ir, func), false, NULL));
  /* a block alone: what it matches is its own, the rest is free */
  const tn_node *block = func->in[TN_PRIM_FUNC_BODY]->in[TN_FOR_BODY];
  const tn_node *copy = tn_clone_fresh(ir, block);
  assert_ptr_not_equal(copy->in[TN_BLOCK_LABEL], block->in[TN_BLOCK_LABEL]);
  assert_true(tn_equal(block, copy, false, NULL));
  const tn_node *match_copy = copy->in[TN_BLOCK_MATCHES]->in[0];
  assert_ptr_not_equal(match_copy->in[TN_MATCH_BUFFER]->in[TN_BUFFER_ELEM_OFFSET], offset);
  assert_ptr_equal(match_copy->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER], a);
  tn_ir_free(ir);
}

static void good_lets_may_be_shared(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I32);
  const tn_node *k = tn_var_new(ir, "k", TN_DT_I32);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *let =
      NODE(ir, TN_OP_LET, TN_DT_I32, no_attr, x, i32(ir, 3), tn_binary(ir, TN_OP_MUL, x, x));
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, let, let);
  const tn_node *body = seq2(ir, for_of(ir, i, i32(ir, 8), store_to(ir, a, i, sum)),
                             for_of(ir, k, i32(ir, 8), store_to(ir, a, k, sum)));
  expect_verify(ir, around(ir, a, body), "");
  const tn_node *outside = store_to(ir, a, i32(ir, 0), tn_binary(ir, TN_OP_MUL, x, x));
  expect_verify(ir, around(ir, a, seq2(ir, store_to(ir, a, i32(ir, 0), sum), outside)),
                "out-of-scope");
  tn_ir_free(ir);
}

static void variables_must_be_bound_once_and_before(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I32);
  const tn_node *use1 = store_to(ir, a, i32(ir, 0), x);
  const tn_node *bind = STMT(ir, TN_OP_BIND, x, i32(ir, 1));
  const tn_node *bind2 = STMT(ir, TN_OP_BIND, x, i32(ir, 2));
  expect_verify(ir, around(ir, a, use1), "undefined-variable");
  expect_verify(ir, around(ir, a, seq2(ir, bind, use1)), "");
  expect_verify(ir, around(ir, a, seq2(ir, use1, bind)), "undefined-variable");
  expect_verify(ir, around(ir, a, seq2(ir, bind, bind2)), "bound-twice");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_BIND, x, x)), "undefined-variable");
  const tn_node *loop = for_of(ir, i, i32(ir, 8), seq2(ir, bind, use1));
  const tn_node *after = store_to(ir, a, i32(ir, 1), x);
  const tn_node *late = store_to(ir, a, i32(ir, 1), i);
  expect_verify(ir, around(ir, a, seq2(ir, loop, after)), "out-of-scope");
  expect_verify(ir, around(ir, a, seq2(ir, loop, late)), "out-of-scope");
  const tn_node *same_var = for_of(ir, i, i32(ir, 8), store_to(ir, a, i, i));
  expect_verify(ir, around(ir, a, seq2(ir, loop, same_var)), "bound-twice");
  expect_verify(ir, around(ir, a, for_of(ir, i, i, store_to(ir, a, i, i))), "undefined-variable");
  const tn_node *twice[] = {a, a};
  expect_verify(ir, func_of(ir, "f", 2, twice, use1), "bound-twice undefined-variable");
  const tn_node *c = buffer_of(ir, "C", i32(ir, 8));
  expect_verify(ir, around(ir, a, store_to(ir, c, i32(ir, 0), i32(ir, 0))), "undefined-buffer");
  expect_verify(
      ir, around(ir, a, seq2(ir, STMT(ir, TN_OP_DECL, c), store_to(ir, c, i32(ir, 0), i32(ir, 0)))),
      "undefined-variable");
  tn_ir_free(ir);
}

static void branches_and_inits_are_scopes(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *bind = STMT(ir, TN_OP_BIND, x, i32(ir, 1));
  const tn_node *store = store_to(ir, a, i32(ir, 0), x);
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_IF, tn_bool(ir, true), bind, store)),
                "out-of-scope");
  const tn_node *loop = STMT(ir, TN_OP_WHILE, tn_bool(ir, true), bind);
  expect_verify(ir, around(ir, a, seq2(ir, loop, store)), "out-of-scope");
  tn_ir_free(ir);
}

static void a_statement_has_one_parent(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *store = store_to(ir, a, i32(ir, 0), i32(ir, 0));
  expect_verify(ir, around(ir, a, seq2(ir, store, store)), "two-parents");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_IF, tn_bool(ir, true), store, store)),
                "two-parents");
  tn_ir_free(ir);
}

static void children_must_fit_the_table(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *zero = i32(ir, 0);
  const tn_node *none = tn_none(ir);
  const tn_node *store = store_to(ir, a, zero, zero);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *empty = tn_list(ir, 0, NULL);
  expect_verify(ir, around(ir, a, zero), "wrong-child");
  expect_verify(ir, around(ir, a, none), "missing-child");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_EVAL, store)), "wrong-child");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_EVAL, empty)), "wrong-child");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_EVAL, a)), "wrong-child");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_BIND, zero, zero)), "wrong-child");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_SEQ, zero)), "wrong-child");
  tn_diags diags = {0};
  tn_ir_verify_func(ir, around(ir, a, STMT(ir, TN_OP_SEQ, zero)), &diags);
  expect_text(diags.items[0].message, "SEQ cannot have INT as child 0"); /* which has no name */
  tn_diags_deinit(&diags);
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_SEQ, STMT(ir, TN_OP_SEQ, store))), "nested-seq");
  expect_verify(ir, around(ir, a, STMT(ir, TN_OP_IF, tn_bool(ir, true), none, none)),
                "missing-child");
  expect_verify(ir, around(ir, a, store_to(ir, x, zero, zero)), "wrong-child");
  const tn_node *loop =
      NODE(ir, TN_OP_FOR, TN_DT_NONE, (tn_attr){.i64 = 9}, x, zero, zero, store, none, none);
  expect_verify(ir, around(ir, a, loop), "wrong-attr");
  const tn_node *dict = STMT(ir, TN_OP_DICT, zero, zero);
  loop = NODE(ir, TN_OP_FOR, TN_DT_NONE, no_attr, x, zero, zero, store, none, dict);
  expect_verify(ir, around(ir, a, loop), "wrong-attr");
  block_parts parts = {tn_label_new(ir, "B"), x, zero, zero, tn_list(ir, 1, &zero), NULL, store};
  expect_verify(ir, around(ir, a, block_of(ir, &parts)), "wrong-child");
  void *keep = NULL;
  const tn_node *in[] = {zero, zero};
  expect_verify(ir, around(ir, a, malformed(ir, TN_OP_EVAL, 2, in, &keep)), "wrong-child-count");
  free(keep);
  expect_verify(ir, around(ir, a, malformed(ir, TN_OP_STORE, 2, in, &keep)), "wrong-child-count");
  free(keep);
  expect_verify(ir, store, "not-a-function");
  expect_verify(ir, NODE(ir, TN_OP_EXTERN, TN_DT_NONE, (tn_attr){.text = "f"}, ), "");
  tn_ir_free(ir);
}

static void too_deep_is_refused_before_recursing(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *deep = i32(ir, 0);
  for (int64_t i = 0; i < 1900; ++i) {
    deep = tn_binary(ir, TN_OP_ADD, deep, i32(ir, i));
  }
  expect_verify(ir, around(ir, a, store_to(ir, a, i32(ir, 0), deep)), "");
  for (int64_t i = 0; i < 200000; ++i) {
    deep = tn_binary(ir, TN_OP_ADD, deep, i32(ir, i));
  }
  expect_verify(ir, around(ir, a, store_to(ir, a, i32(ir, 0), deep)), "too-deep");
  tn_ir_free(ir);
}

/* x + x, doubled 60 times, has 2^60 occurrences of x and 61 nodes. */
static void shared_expressions_cost_once(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I32);
  const tn_node *big = i;
  for (int k = 0; k < 60; ++k) {
    big = tn_binary(ir, TN_OP_ADD, big, big);
  }
  const tn_node *func = around(ir, a, for_of(ir, i, i32(ir, 8), store_to(ir, a, i, big)));
  expect_verify(ir, func, "");
  const tn_node *copy = tn_clone_fresh(ir, func);
  assert_true(tn_equal(func, copy, false, NULL));
  assert_true(is_same_hash(func, copy));
  tn_buf text = TN_BUF_INIT;
  tn_dump_to(func, &text);
  assert_true(text.len < 10000);
  tn_buf_deinit(&text);
  /* a symbolic size of that form */
  const tn_node *b = buffer_of(ir, "B", big);
  expect_verify(ir, func_of(ir, "f", 1, &b, STMT(ir, TN_OP_EVAL, big)), "");
  tn_ir_free(ir);
}

/* def main(x: Tensor((n,))): with dataflow: lv = exp(x); gv = exp(lv); output(gv);  return `result`
 */
typedef struct graph_parts {
  const tn_node *x;
  const tn_node *lv;
  const tn_node *gv;
  const tn_node *dim;
} graph_parts;
static graph_parts make_parts(tn_ir *ir) {
  graph_parts p;
  p.dim = tn_var_new(ir, "n", TN_DT_I64);
  p.x = gvar_of(ir, "x", tensor_type(ir, p.dim));
  p.lv = gvar_of(ir, "lv", tensor_type(ir, p.dim));
  p.gv = gvar_of(ir, "gv", tensor_type(ir, p.dim));
  return p;
}
static const tn_node *graph_main(tn_ir *ir, const graph_parts *p, const tn_node *result) {
  const tn_node *binds = seq2(ir, STMT(ir, TN_OP_GBIND, p->lv, gcall_of(ir, &pure_def, p->x)),
                              STMT(ir, TN_OP_GBIND, p->gv, gcall_of(ir, &pure_def, p->lv)));
  const tn_node *dataflow = STMT(ir, TN_OP_DATAFLOW, binds, tn_list(ir, 1, &p->gv));
  return gfunc_of(ir, "main", 1, &p->x, seq2(ir, dataflow, STMT(ir, TN_OP_RETURN, result)));
}

static void dataflow_variables_die_with_their_block(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  graph_parts p = make_parts(ir);
  const tn_node *func = graph_main(ir, &p, p.gv);
  expect_verify(ir, func, "");
  expect_verify(ir, graph_main(ir, &p, p.lv), "out-of-scope");
  expect_verify(ir, graph_main(ir, &p, gvar_of(ir, "y", tn_none(ir))), "undefined-variable");
  const tn_node *copy = tn_clone_fresh(ir, func);
  expect_verify(ir, copy, "");
  assert_true(tn_equal(func, copy, false, NULL));
  assert_true(is_same_hash(func, copy));
  assert_ptr_not_equal(func->in[TN_GFUNC_PARAMS], copy->in[TN_GFUNC_PARAMS]);
  tn_ir_free(ir);
}

static void symbolic_sizes_are_bound_by_params_and_match_cast(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  graph_parts p = make_parts(ir);
  const tn_node *m = tn_var_new(ir, "m", TN_DT_I64);
  p.lv = gvar_of(ir, "lv", tensor_type(ir, m));
  expect_verify(ir, graph_main(ir, &p, p.gv), "undefined-variable");
  const tn_node *y = gvar_of(ir, "y", tensor_type(ir, m));
  const tn_node *cast = STMT(ir, TN_OP_MATCH_CAST, y, p.x, tensor_type(ir, m));
  const tn_node *body = seq2(ir, cast, STMT(ir, TN_OP_RETURN, y));
  const tn_node *func = gfunc_of(ir, "main", 1, &p.x, body);
  expect_verify(ir, func, "");
  assert_true(tn_equal(func, tn_clone_fresh(ir, func), false, NULL));
  /* a callable's own sizes are no use of anybody's variable */
  const tn_node *k = tn_var_new(ir, "k", TN_DT_I64);
  const tn_node *param = tensor_type(ir, k);
  const tn_node *callable =
      NODE(ir, TN_OP_TY_FUNC, TN_DT_NONE, (tn_attr){.i64 = 1}, tn_list(ir, 1, &param), param);
  const tn_node *f = gvar_of(ir, "f", callable);
  expect_verify(ir, gfunc_of(ir, "main", 1, &f, STMT(ir, TN_OP_SEQ, STMT(ir, TN_OP_RETURN, f))),
                "");
  tn_ir_free(ir);
}

static void graph_branches_are_scopes_and_local_functions_see_around(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  graph_parts p = make_parts(ir);
  const tn_node *c = gvar_of(ir, "c", tn_none(ir));
  const tn_node *r = gvar_of(ir, "r", tn_none(ir));
  const tn_node *t = gvar_of(ir, "t", tn_none(ir));
  const tn_node *then =
      seq2(ir, STMT(ir, TN_OP_GBIND, t, gcall_of(ir, &pure_def, p.x)), STMT(ir, TN_OP_YIELD, t));
  const tn_node *other = STMT(ir, TN_OP_SEQ, STMT(ir, TN_OP_YIELD, p.x));
  const tn_node *gif = STMT(ir, TN_OP_GIF, r, c, then, other);
  const tn_node *params[] = {p.x, c};
  expect_verify(ir, gfunc_of(ir, "f", 2, params, seq2(ir, gif, STMT(ir, TN_OP_RETURN, r))), "");
  expect_verify(ir, gfunc_of(ir, "f", 2, params, seq2(ir, gif, STMT(ir, TN_OP_RETURN, t))),
                "out-of-scope");
  /* local = function(y) { return local(x) } */
  const tn_node *y = gvar_of(ir, "y", tn_none(ir));
  const tn_node *local = gvar_of(ir, "local", tn_none(ir));
  const tn_node *again = STMT(ir, TN_OP_INVOKE, local, tn_list(ir, 1, &p.x), tn_none(ir));
  const tn_node *func =
      gfunc_of(ir, "local", 1, &y, STMT(ir, TN_OP_SEQ, STMT(ir, TN_OP_RETURN, again)));
  const tn_node *body = seq2(ir, STMT(ir, TN_OP_GBIND, local, func), STMT(ir, TN_OP_RETURN, local));
  expect_verify(ir, gfunc_of(ir, "f", 2, params, body), "");
  tn_ir_free(ir);
}

static void faults_are_placed_at_the_nearest_statement(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  uint32_t source = tn_ir_add_source(ir, "k.py", "for i in range(8):\n    A[i] = y\n", 32);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I32);
  const tn_node *store = store_to(ir, a, i, tn_var_new(ir, "y", TN_DT_I32));
  const tn_node *loop = for_of(ir, i, i32(ir, 8), store);
  tn_ir_set_pos(ir, loop, (tn_pos){source, 1, 1, 3});
  tn_ir_set_pos(ir, store, (tn_pos){source, 2, 5, 4});
  tn_diags diags = {0};
  tn_ir_verify_func(ir, around(ir, a, loop), &diags);
  expect_error(tn_diags_to_status(&diags, ir), TN_INVALID,
               "k.py:2:5: error: variable 'y' is used but not bound here [undefined-variable]\n"
               "    A[i] = y\n"
               "    ^~~~");
  assert_int_equal(diags.n, 0);
  expect_ok(tn_diags_to_status(&diags, ir));
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_loops_pass),
      cmocka_unit_test(good_lets_may_be_shared),
      cmocka_unit_test(variables_must_be_bound_once_and_before),
      cmocka_unit_test(branches_and_inits_are_scopes),
      cmocka_unit_test(a_statement_has_one_parent),
      cmocka_unit_test(children_must_fit_the_table),
      cmocka_unit_test(too_deep_is_refused_before_recursing),
      cmocka_unit_test(shared_expressions_cost_once),
      cmocka_unit_test(dataflow_variables_die_with_their_block),
      cmocka_unit_test(symbolic_sizes_are_bound_by_params_and_match_cast),
      cmocka_unit_test(graph_branches_are_scopes_and_local_functions_see_around),
      cmocka_unit_test(faults_are_placed_at_the_nearest_statement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
