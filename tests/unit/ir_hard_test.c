/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The ten hard tests of the node engine: what decided its form. */
#include <pthread.h>

#include "ir_build.h"

#include "base/clock.h"

static void two_equal_impure_calls_are_two_nodes(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = call_of(ir, &impure_def, i32(ir, 1));
  const tn_node *b = call_of(ir, &impure_def, i32(ir, 1));
  assert_ptr_not_equal(a, b);
  assert_ptr_equal(call_of(ir, &pure_def, i32(ir, 1)), call_of(ir, &pure_def, i32(ir, 1)));
  const tn_node *sum_a = tn_binary(ir, TN_OP_ADD, a, i32(ir, 2));
  const tn_node *sum_b = tn_binary(ir, TN_OP_ADD, b, i32(ir, 2));
  assert_ptr_not_equal(sum_a, sum_b);
  assert_ptr_equal(sum_a, tn_binary(ir, TN_OP_ADD, a, i32(ir, 2)));
  assert_int_equal(sum_a->flags, TN_NF_EFFECT);
  assert_true(tn_equal(sum_a, sum_b, false, NULL));
  const tn_node *callee = NODE(ir, TN_OP_GLOBAL, TN_DT_NONE, (tn_attr){.text = "f"}, );
  const tn_node *args = tn_list(ir, 0, NULL);
  assert_ptr_not_equal(STMT(ir, TN_OP_INVOKE, callee, args, tn_none(ir)),
                       STMT(ir, TN_OP_INVOKE, callee, args, tn_none(ir)));
  tn_ir_free(ir);
}

/* x = A[0]; A[0] = 1; y = A[0]: one node for the load, and three statements that say when. */
static void load_store_load_keep_their_places(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 4));
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *y = tn_var_new(ir, "y", TN_DT_I32);
  const tn_node *load = load_of(ir, a, i32(ir, 0));
  assert_ptr_equal(load, load_of(ir, a, i32(ir, 0)));
  assert_int_equal(load->flags, TN_NF_READS);
  const tn_node *stmts[] = {STMT(ir, TN_OP_BIND, x, load), store_to(ir, a, i32(ir, 0), i32(ir, 1)),
                            STMT(ir, TN_OP_BIND, y, load),
                            store_to(ir, a, i32(ir, 1), tn_binary(ir, TN_OP_SUB, x, y))};
  const tn_node *func = func_of(ir, "f", 1, &a, tn_seq(ir, 4, stmts));
  expect_verify(ir, func, "");
  const tn_node *copy = tn_clone_fresh(ir, func);
  assert_true(tn_equal(func, copy, false, NULL));
  const tn_node *body = copy->in[TN_PRIM_FUNC_BODY];
  assert_int_equal(body->n_in, 4);
  assert_ptr_equal(body->in[0]->in[TN_BIND_VALUE], body->in[2]->in[TN_BIND_VALUE]);
  assert_true(tn_is(body->in[1], TN_OP_STORE));
  tn_ir_free(ir);
}

static void the_same_text_on_two_lines_is_two_statements_with_two_positions(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  uint32_t source = tn_ir_add_source(ir, "k.py", "A[0] = 1\nA[0] = 1\n", 18);
  const tn_node *a = buffer_of(ir, "A", i32(ir, 4));
  const tn_node *first = store_to(ir, a, i32(ir, 0), i32(ir, 1));
  const tn_node *second = store_to(ir, a, i32(ir, 0), i32(ir, 1));
  assert_ptr_not_equal(first, second);
  tn_ir_set_pos(ir, first, (tn_pos){source, 1, 1, 4});
  tn_ir_set_pos(ir, second, (tn_pos){source, 2, 1, 4});
  tn_ir_set_pos(ir, i32(ir, 1), (tn_pos){source, 2, 8, 1}); /* interned: ignored */
  const tn_node *changed = tn_subst1(ir, seq2(ir, first, second), i32(ir, 1), i32(ir, 2));
  assert_int_equal(changed->n_in, 2);
  assert_int_equal(tn_ir_pos(ir, changed->in[0]).line, 1);
  assert_int_equal(tn_ir_pos(ir, changed->in[1]).line, 2);
  assert_int_equal(tn_ir_pos(ir, i32(ir, 1)).source, 0);
  tn_ir_free(ir);
}

static void sibling_arenas_share_the_parent_and_not_each_other(void **state) {
  (void)state;
  tn_ir *parent = tn_ir_new(0);
  const tn_node *x = tn_var_new(parent, "x", TN_DT_I32);
  const tn_node *sum = tn_binary(parent, TN_OP_ADD, x, i32(parent, 1));
  tn_ir *left = tn_ir_new_child(parent, 0);
  tn_ir *right = tn_ir_new_child(parent, 0);
  assert_ptr_equal(tn_binary(left, TN_OP_ADD, x, i32(left, 1)), sum);
  assert_ptr_equal(tn_none(left), tn_none(right));
  const tn_node *in_left = tn_binary(left, TN_OP_MUL, sum, i32(left, 7));
  const tn_node *in_right = tn_binary(right, TN_OP_MUL, sum, i32(right, 7));
  assert_ptr_not_equal(in_left, in_right);
  assert_true(tn_equal(in_left, in_right, false, NULL));
  assert_int_equal(in_left->id, in_right->id); /* both go on where the parent stopped */
  assert_ptr_equal(in_left, tn_binary(left, TN_OP_MUL, sum, i32(left, 7)));
  tn_ir *grandchild = tn_ir_new_child(left, 0);
  assert_ptr_equal(tn_binary(grandchild, TN_OP_MUL, sum, i32(grandchild, 7)), in_left);
  tn_ir_free(grandchild);
  tn_ir_free(left);
  tn_ir_free(right);
  assert_ptr_not_equal(tn_var_new(parent, "y", TN_DT_I32), x); /* thawed */
  tn_ir_free(parent);
}

static const tn_node *one_to_two(tn_rewriter *rw, const tn_node *n) {
  return tn_is(n, TN_OP_INT) && n->attr.i64 == 1 ? tn_int(rw->ir, n->dtype, 2) : NULL;
}

static void undo_is_keeping_the_old_table(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_module before;
  tn_module_init(&module, ir, "Module");
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  tn_module_set(&module, "add", func);
  tn_module_init_copy(&before, &module);
  const tn_node *changed = tn_rewrite(ir, func, one_to_two, NULL);
  tn_module_set(&module, "add", changed);
  assert_ptr_not_equal(changed, func);
  assert_false(tn_module_equal(&module, &before, NULL));
  tn_module_deinit(&module);
  module = before; /* undo */
  assert_ptr_equal(tn_module_find(&module, "add"), func);
  expect_verify(ir, tn_module_find(&module, "add"), "");
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void thousands_of_functions_are_found_after_others_left(void **state) {
  (void)state;
  enum { N = 3000 };
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  char name[16];
  tn_module_init(&module, ir, "Module");
  for (int32_t i = 0; i < N; ++i) {
    (void)snprintf(name, sizeof name, "f%d", i);
    tn_module_set(&module, name, tn_int(ir, TN_DT_I32, i));
  }
  for (int32_t i = 0; i < N; i += 3) {
    (void)snprintf(name, sizeof name, "f%d", i);
    tn_module_remove(&module, name);
  }
  tn_module_set(&module, "f0", tn_int(ir, TN_DT_I32, -1)); /* back, at the end */
  assert_int_equal(module.n_funcs, N - N / 3 + 1);
  for (int32_t i = 1; i < N; ++i) {
    (void)snprintf(name, sizeof name, "f%d", i);
    const tn_node *found = tn_module_find(&module, name);
    assert_ptr_equal(found, i % 3 == 0 ? NULL : tn_int(ir, TN_DT_I32, i));
  }
  assert_ptr_equal(tn_module_find(&module, "f0"), tn_int(ir, TN_DT_I32, -1));
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void functions_are_equal_up_to_names(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_ir *other = tn_ir_new(0);
  (void)tn_var_new(other, "shifts all ids", TN_DT_I32);
  const tn_node *a = add_func(ir, "i", "A", 8, 1);
  const tn_node *b = add_func(other, "k", "B", 8, 1);
  assert_true(tn_equal(a, b, false, NULL));
  assert_true(is_same_hash(a, b));
  const tn_node *c = add_func(ir, "i", "A", 8, 3);
  tn_buf path = TN_BUF_INIT;
  assert_false(tn_equal(a, c, true, &path));
  expect_text(tn_buf_text(&path), "body.body.value.b");
  assert_false(is_same_hash(a, c));
  tn_buf_deinit(&path);
  tn_ir_free(ir);
  tn_ir_free(other);
}

static void a_million_dead_nodes_cost_the_living_nothing(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I64);
  int64_t start = tn_clock_ns();
  for (int64_t i = 0; i < 500000; ++i) {
    (void)tn_binary(ir, TN_OP_ADD, x, i64(ir, i)); /* two nodes each */
  }
  int64_t made_ms = (tn_clock_ns() - start) / 1000000;
  assert_true(tn_ir_n_ids(ir) >= 1000000);
  expect_true(made_ms < 20000, "%lld ms for a million nodes", (long long)made_ms);
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  start = tn_clock_ns();
  for (int i = 0; i < 1000; ++i) {
    const tn_node *changed = tn_rewrite(ir, func, one_to_two, NULL);
    assert_ptr_not_equal(changed, func);
    (void)tn_structural_hash(changed);
  }
  int64_t used_ms = (tn_clock_ns() - start) / 1000000;
  expect_true(used_ms < 5000, "%lld ms for a thousand small rewrites", (long long)used_ms);
  print_message("a million nodes: %lld ms; a thousand small rewrites: %lld ms\n",
                (long long)made_ms, (long long)used_ms);
  tn_ir_free(ir);
}

static const tn_node *long_func(tn_ir *ir, int64_t n) {
  const tn_node *a = buffer_of(ir, "A", i32(ir, n));
  const tn_node **stmts = malloc((size_t)n * sizeof *stmts);
  assert_non_null(stmts);
  for (int64_t i = 0; i < n; ++i) {
    const tn_node *value = tn_binary(ir, TN_OP_ADD, load_of(ir, a, i32(ir, i)), i32(ir, 1));
    stmts[i] = store_to(ir, a, i32(ir, i), value);
  }
  const tn_node *func = func_of(ir, "long", 1, &a, tn_seq(ir, (uint32_t)n, stmts));
  free(stmts);
  return func;
}

static void a_sequence_of_100000_is_one_flat_node(void **state) {
  (void)state;
  enum { N = 100000 };
  tn_ir *ir = tn_ir_new(0);
  const tn_node *func = long_func(ir, N);
  const tn_node *same = long_func(ir, N);
  int64_t start = tn_clock_ns();
  assert_int_equal(func->in[TN_PRIM_FUNC_BODY]->n_in, N);
  assert_true(func->depth < 10);
  expect_verify(ir, func, "");
  assert_true(tn_equal(func, same, false, NULL));
  assert_true(is_same_hash(func, same));
  const tn_node *changed = tn_rewrite(ir, func, one_to_two, NULL);
  assert_int_equal(changed->in[TN_PRIM_FUNC_BODY]->n_in, N);
  expect_verify(ir, changed, "");
  const tn_node *copy = tn_clone_fresh(ir, func);
  assert_true(tn_equal(copy, func, false, NULL));
  int64_t ms = (tn_clock_ns() - start) / 1000000;
  print_message("2 verify, 2 equal, 2 hash, rewrite and clone of %d statements: %lld ms\n", N,
                (long long)ms);
  expect_true(ms < 60000, "%lld ms", (long long)ms);
  tn_ir_free(ir);
}

typedef struct reader {
  tn_ir *parent;
  const tn_node *func;
  tn_hash128 want;
  bool is_ok;
} reader;

static void *read_frozen(void *arg) {
  reader *r = arg;
  tn_ir *ir = tn_ir_new_child(r->parent, 0);
  bool is_ok = true;
  for (int i = 0; i < 50; ++i) {
    tn_hash128 hash = tn_structural_hash(r->func);
    const tn_node *changed = tn_rewrite(ir, r->func, one_to_two, NULL);
    const tn_node *copy = tn_clone_fresh(ir, r->func);
    tn_diags diags = {0};
    tn_ir_verify_func(ir, changed, &diags);
    is_ok = is_ok && hash.lo == r->want.lo && hash.hi == r->want.hi && changed != r->func &&
            tn_equal(copy, r->func, false, NULL) && diags.n == 0;
    tn_diags_deinit(&diags);
  }
  tn_ir_free(ir);
  r->is_ok = is_ok;
  return NULL;
}

static void many_threads_read_a_frozen_parent(void **state) {
  (void)state;
  enum { N = 4 };
  tn_ir *ir = tn_ir_new(0);
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  pthread_t threads[N];
  reader readers[N];
  for (int i = 0; i < N; ++i) {
    readers[i] = (reader){ir, func, tn_structural_hash(func), false};
    assert_int_equal(pthread_create(&threads[i], NULL, read_frozen, &readers[i]), 0);
  }
  for (int i = 0; i < N; ++i) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(readers[i].is_ok);
  }
  tn_ir_free(ir);
}

static const tn_node *const_func(tn_ir *ir, float value) {
  int64_t shape[] = {2};
  tn_array array;
  expect_ok(tn_array_init(&array, TN_DT_F32, 1, shape));
  tn_array_set_f64(&array, 1, (double)value);
  const tn_node *c = tn_const_new(ir, &array);
  assert_null(array.data);
  const tn_node *x = tn_var_new(ir, "weights", TN_DT_HANDLE);
  const tn_node *use = STMT(ir, TN_OP_EVAL, call_of(ir, &impure_def, x));
  return func_of(ir, "g", 0, NULL, seq2(ir, STMT(ir, TN_OP_CONST_ALLOC, x, c), use));
}

static void linking_two_modules_copies_into_one(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_ir *from = tn_ir_new(0);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  tn_module_set(&module, "f", add_func(ir, "i", "A", 8, 1));
  const tn_node *g = const_func(from, 3.5F);
  const tn_node *f = add_func(from, "i", "A", 8, 1);
  tn_hash128 want = tn_structural_hash(g);
  tn_map memo = {0};
  tn_module_set(&module, tn_module_fresh_name(&module, "f"), tn_import(ir, f, &memo));
  tn_module_set(&module, "g", tn_import(ir, g, &memo));
  tn_map_deinit(&memo);
  tn_ir_free(from);
  assert_int_equal(module.n_funcs, 3);
  assert_string_equal(module.funcs[1].name, "f_1");
  assert_true(tn_equal(tn_module_find(&module, "f"), tn_module_find(&module, "f_1"), false, NULL));
  tn_hash128 got = tn_structural_hash(tn_module_find(&module, "g"));
  assert_true(got.lo == want.lo && got.hi == want.hi);
  for (uint32_t i = 0; i < module.n_funcs; ++i) {
    expect_verify(ir, module.funcs[i].func, "");
  }
  expect_ok(tn_ir_status(ir));
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_equal_impure_calls_are_two_nodes),
      cmocka_unit_test(load_store_load_keep_their_places),
      cmocka_unit_test(the_same_text_on_two_lines_is_two_statements_with_two_positions),
      cmocka_unit_test(sibling_arenas_share_the_parent_and_not_each_other),
      cmocka_unit_test(undo_is_keeping_the_old_table),
      cmocka_unit_test(functions_are_equal_up_to_names),
      cmocka_unit_test(a_million_dead_nodes_cost_the_living_nothing),
      cmocka_unit_test(a_sequence_of_100000_is_one_flat_node),
      cmocka_unit_test(many_threads_read_a_frozen_parent),
      cmocka_unit_test(thousands_of_functions_are_found_after_others_left),
      cmocka_unit_test(linking_two_modules_copies_into_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
