/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Walking, rewriting, substitution, copies, equality and hashes. */
#include "ir_build.h"

typedef struct counts {
  int n_enter;
  int n_leave;
  int n_vars;
} counts;

static tn_visit count_enter(const tn_node *n, void *ctx) {
  counts *c = ctx;
  ++c->n_enter;
  c->n_vars += tn_is(n, TN_OP_VAR) ? 1 : 0;
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}
static void count_leave(const tn_node *n, void *ctx) {
  (void)n;
  ++((counts *)ctx)->n_leave;
}
static tn_visit stop_at_store(const tn_node *n, void *ctx) {
  ++((counts *)ctx)->n_enter;
  return tn_is(n, TN_OP_STORE) ? TN_STOP : TN_DESCEND;
}

static void walks_visit_occurrences_or_nodes(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, x, x);
  const tn_node *product = tn_binary(ir, TN_OP_MUL, sum, sum);
  counts c = {0};
  assert_true(tn_walk(product, count_enter, count_leave, &c));
  assert_int_equal(c.n_enter, 7);
  assert_int_equal(c.n_leave, 7);
  assert_int_equal(c.n_vars, 4);
  c = (counts){0};
  tn_walk_once(ir, product, count_leave, &c);
  assert_int_equal(c.n_leave, 3);
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  c = (counts){0};
  assert_false(tn_walk(func, stop_at_store, NULL, &c));
  c = (counts){0};
  assert_true(tn_walk(func, count_enter, NULL, &c)); /* skips what is inside buffers */
  assert_int_equal(c.n_vars, 1 + 1 + 1 + 1); /* the parameter, the loop's variable, both indices */
  tn_ir_free(ir);
}

/* x * 1 -> x; EVAL 0 -> nothing; EVAL 1 -> two statements. */
static const tn_node *simplify(tn_rewriter *rw, const tn_node *n) {
  ++*(int *)rw->ctx;
  if (tn_is(n, TN_OP_MUL) && tn_is_int(n->in[TN_B], 1)) {
    return n->in[TN_A];
  }
  if (tn_is(n, TN_OP_EVAL) && tn_is_int(n->in[0], 0)) {
    return tn_none(rw->ir);
  }
  if (tn_is(n, TN_OP_EVAL) && tn_is_int(n->in[0], 1)) {
    return seq2(rw->ir, STMT(rw->ir, TN_OP_EVAL, i32(rw->ir, 10)),
                STMT(rw->ir, TN_OP_EVAL, i32(rw->ir, 11)));
  }
  return NULL;
}

static void rewriting_rebuilds_only_what_changed(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  int n_calls = 0;
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *one = tn_binary(ir, TN_OP_MUL, x, i32(ir, 1));
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, one, one);
  assert_ptr_equal(tn_rewrite(ir, sum, simplify, &n_calls), tn_binary(ir, TN_OP_ADD, x, x));
  assert_int_equal(n_calls, 4); /* x, 1, x * 1, the sum: each once */
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  assert_ptr_equal(tn_rewrite(ir, func, simplify, &n_calls), func);
  const tn_node *kept = STMT(ir, TN_OP_EVAL, x);
  const tn_node *seq = seq2(ir, kept, STMT(ir, TN_OP_EVAL, one));
  const tn_node *made = tn_rewrite(ir, seq, simplify, &n_calls);
  assert_ptr_equal(made->in[0], kept);
  assert_ptr_equal(made->in[1]->in[0], x);
  tn_ir_free(ir);
}

static void sequences_stay_flat_and_positions_stay(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  uint32_t source = tn_ir_add_source(ir, "k.py", "", 0);
  int n_calls = 0;
  const tn_node *s[4];
  for (int64_t i = 0; i < 4; ++i) {
    s[i] = STMT(ir, TN_OP_EVAL, i32(ir, i));
    tn_ir_set_pos(ir, s[i], (tn_pos){source, (uint32_t)i + 1, 1, 1});
  }
  const tn_node *made = tn_rewrite(ir, tn_seq(ir, 4, s), simplify, &n_calls);
  assert_int_equal(made->n_in, 4);
  const int64_t want[] = {10, 11, 2, 3};
  const uint32_t lines[] = {2, 2, 3, 4};
  for (uint32_t i = 0; i < 4; ++i) {
    assert_true(tn_is_int(made->in[i]->in[0], want[i]));
    assert_int_equal(tn_ir_pos(ir, made->in[i]).line, lines[i]);
  }
  const tn_node *pair = seq2(ir, STMT(ir, TN_OP_EVAL, i32(ir, 0)), s[2]);
  assert_ptr_equal(tn_rewrite(ir, pair, simplify, &n_calls), s[2]);
  /* a graph body stays a SEQ */
  const tn_node *y = gvar_of(ir, "y", tn_none(ir));
  const tn_node *result = STMT(ir, TN_OP_RETURN, y);
  const tn_node *func =
      gfunc_of(ir, "f", 1, &y, seq2(ir, STMT(ir, TN_OP_EVAL, i32(ir, 0)), result));
  const tn_node *body = tn_rewrite(ir, func, simplify, &n_calls)->in[TN_GFUNC_BODY];
  assert_true(tn_is(body, TN_OP_SEQ) && body->n_in == 1);
  assert_ptr_equal(body->in[0], result);
  tn_ir_free(ir);
}

static const tn_node *wrap_eval(tn_rewriter *rw, const tn_node *n) {
  return tn_is(n, TN_OP_EVAL)     ? STMT(rw->ir, TN_OP_WHILE, tn_bool(rw->ir, true), n)
         : tn_is(n, TN_OP_ASSERT) ? tn_none(rw->ir)
                                  : NULL;
}

static void a_rule_sees_a_collapsed_sequence_once(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *eval = STMT(ir, TN_OP_EVAL, i32(ir, 5));
  const tn_node *check = STMT(ir, TN_OP_ASSERT, tn_bool(ir, true), tn_str(ir, "no"));
  const tn_node *made = tn_rewrite(ir, seq2(ir, check, eval), wrap_eval, NULL);
  assert_true(tn_is(made, TN_OP_WHILE));
  assert_ptr_equal(made->in[TN_WHILE_BODY], eval);
  tn_ir_free(ir);
}

static void substitution_replaces_everywhere(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  const tn_node *loop = func->in[TN_PRIM_FUNC_BODY];
  const tn_node *body = tn_subst1(ir, loop->in[TN_FOR_BODY], loop->in[TN_FOR_VAR], i32(ir, 3));
  assert_true(tn_is_int(body->in[TN_STORE_INDICES], 3));
  const tn_node *load = body->in[TN_STORE_VALUE]->in[TN_A];
  assert_true(tn_is_int(load->in[TN_LOAD_INDICES], 3));
  assert_ptr_equal(tn_subst1(ir, func, tn_var_new(ir, "other", TN_DT_I32), i32(ir, 3)), func);
  /* a size inside a buffer: one new buffer, everywhere */
  const tn_node *n = tn_var_new(ir, "n", TN_DT_I32);
  const tn_node *b = buffer_of(ir, "B", n);
  const tn_node *store = store_to(ir, b, i32(ir, 0), load_of(ir, b, i32(ir, 1)));
  const tn_node *sized = tn_subst1(ir, func_of(ir, "f", 1, &b, store), n, i32(ir, 16));
  const tn_node *new_buffer = sized->in[TN_PRIM_FUNC_BUFFERS]->in[0];
  assert_ptr_not_equal(new_buffer, b);
  assert_ptr_equal(sized->in[TN_PRIM_FUNC_BODY]->in[TN_STORE_BUFFER], new_buffer);
  assert_ptr_equal(sized->in[TN_PRIM_FUNC_BODY]->in[TN_STORE_VALUE]->in[TN_LOAD_BUFFER],
                   new_buffer);
  expect_verify(ir, sized, "");
  /* any node, the larger first */
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, n, i32(ir, 1));
  tn_map map = {0};
  tn_map_set(&map, sum->id, (uint64_t)(uintptr_t)i32(ir, 5));
  tn_map_set(&map, n->id, (uint64_t)(uintptr_t)i32(ir, 6));
  assert_ptr_equal(tn_subst(ir, tn_binary(ir, TN_OP_MUL, sum, n), &map),
                   tn_binary(ir, TN_OP_MUL, i32(ir, 5), i32(ir, 6)));
  tn_map_deinit(&map);
  tn_ir_free(ir);
}

static void fresh_copies_keep_what_is_free(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *func = add_func(ir, "i", "A", 8, 1);
  const tn_node *loop = func->in[TN_PRIM_FUNC_BODY];
  const tn_node *copy = tn_clone_fresh(ir, loop);
  assert_ptr_not_equal(copy->in[TN_FOR_VAR], loop->in[TN_FOR_VAR]);
  const tn_node *store = copy->in[TN_FOR_BODY];
  assert_ptr_not_equal(store, loop->in[TN_FOR_BODY]);
  assert_ptr_equal(store->in[TN_STORE_BUFFER], loop->in[TN_FOR_BODY]->in[TN_STORE_BUFFER]);
  assert_ptr_equal(store->in[TN_STORE_INDICES], copy->in[TN_FOR_VAR]);
  assert_true(tn_equal(loop, copy, false, NULL));
  const tn_node *in[] = {loop, copy};
  const tn_node *params[] = {func->in[TN_PRIM_FUNC_BUFFERS]->in[0]};
  expect_verify(ir, func_of(ir, "f", 1, params, tn_seq(ir, 2, in)), "");
  /* impure calls are new calls, statements without variables new statements */
  const tn_node *eval = STMT(ir, TN_OP_EVAL, call_of(ir, &impure_def, i32(ir, 1)));
  const tn_node *eval2 = tn_clone_fresh(ir, eval);
  assert_ptr_not_equal(eval, eval2);
  assert_ptr_not_equal(eval->in[0], eval2->in[0]);
  assert_true(tn_equal(eval, eval2, false, NULL));
  tn_ir_free(ir);
}

static void free_variables_are_compared_by_identity_unless_mapped(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *y = tn_var_new(ir, "y", TN_DT_I32);
  const tn_node *z = tn_var_new(ir, "z", TN_DT_I64);
  const tn_node *xx = tn_binary(ir, TN_OP_ADD, x, x);
  const tn_node *xy = tn_binary(ir, TN_OP_ADD, x, y);
  const tn_node *yx = tn_binary(ir, TN_OP_ADD, y, x);
  const tn_node *zz = tn_binary(ir, TN_OP_ADD, z, z);
  assert_false(tn_equal(xy, yx, false, NULL));
  assert_true(tn_equal(xy, yx, true, NULL));
  assert_true(is_same_hash(xy, yx));
  assert_false(tn_equal(xx, xy, true, NULL)); /* one partner each, both ways */
  assert_false(tn_equal(xy, xx, true, NULL));
  assert_false(is_same_hash(xx, xy));
  assert_false(tn_equal(xx, zz, true, NULL));
  assert_false(is_same_hash(xx, zz));
  /* a bound variable is no partner of a free one */
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *uses_x = for_of(ir, x, i32(ir, 8), store_to(ir, a, x, x));
  const tn_node *uses_y = for_of(ir, y, i32(ir, 8), store_to(ir, a, x, x));
  tn_buf path = TN_BUF_INIT;
  assert_false(tn_equal(uses_x, uses_y, false, &path));
  expect_text(tn_buf_text(&path), "body.value");
  tn_buf_deinit(&path);
  assert_false(is_same_hash(uses_x, uses_y));
  tn_ir_free(ir);
}

static void path_of(const tn_node *a, const tn_node *b, const char *want) {
  tn_buf path = TN_BUF_INIT;
  assert_false(tn_equal(a, b, false, &path));
  expect_text(tn_buf_text(&path), want);
  tn_buf_deinit(&path);
  assert_false(is_same_hash(a, b));
}

static void differences_have_paths(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  path_of(i32(ir, 1), i32(ir, 2), "(root)");
  path_of(tn_str(ir, "a"), tn_str(ir, "b"), "(root)");
  path_of(tn_float(ir, TN_DT_F32, 0.0), tn_float(ir, TN_DT_F32, -0.0), "(root)");
  path_of(add_func(ir, "i", "A", 8, 1), add_func(ir, "i", "A", 9, 1), "buffers[0].shape[0]");
  const tn_node *a = buffer_of(ir, "A", i32(ir, 8));
  const tn_node *s0 = store_to(ir, a, i32(ir, 0), i32(ir, 0));
  const tn_node *s1 = store_to(ir, a, i32(ir, 0), i32(ir, 1));
  const tn_node *s2 = store_to(ir, a, i32(ir, 3), i32(ir, 0));
  path_of(seq2(ir, s0, s1), seq2(ir, s0, s2), "[1].value");
  path_of(seq2(ir, s0, s0), seq2(ir, s0, s2), "[1][0]");
  path_of(call_of(ir, &pure_def, i32(ir, 0)), call_of(ir, &impure_def, i32(ir, 0)), "(root)");
  const tn_node *d1 =
      tn_dict_set(ir, tn_dict_set(ir, tn_none(ir), "a", i32(ir, 1)), "b", i32(ir, 2));
  const tn_node *d2 =
      tn_dict_set(ir, tn_dict_set(ir, tn_none(ir), "b", i32(ir, 2)), "a", i32(ir, 1));
  path_of(d1, d2, "[0]");
  tn_ir_free(ir);
}

static const tn_node *const_of(tn_ir *ir, tn_dtype dtype, int64_t n, double value) {
  tn_array array;
  expect_ok(tn_array_init(&array, dtype, 1, &n));
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_f64(&array, i, value);
  }
  return tn_const_new(ir, &array);
}

static void constants_are_compared_by_content(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *a = const_of(ir, TN_DT_F32, 3, 1.5);
  assert_ptr_not_equal(a, const_of(ir, TN_DT_F32, 3, 1.5));
  assert_true(tn_equal(a, const_of(ir, TN_DT_F32, 3, 1.5), false, NULL));
  assert_true(is_same_hash(a, const_of(ir, TN_DT_F32, 3, 1.5)));
  path_of(a, const_of(ir, TN_DT_F32, 3, 2.5), "(root)");
  path_of(a, const_of(ir, TN_DT_F32, 4, 1.5), "(root)");
  path_of(const_of(ir, TN_DT_I32, 3, 0.0), const_of(ir, TN_DT_F32, 3, 0.0), "(root)");
  /* one constant used twice equals two constants of the same content */
  const tn_node *b = const_of(ir, TN_DT_F32, 3, 1.5);
  const tn_node *aa[] = {a, a};
  const tn_node *ab[] = {a, b};
  assert_true(tn_equal(tn_list(ir, 2, aa), tn_list(ir, 2, ab), false, NULL));
  assert_true(is_same_hash(tn_list(ir, 2, aa), tn_list(ir, 2, ab)));
  assert_true(
      tn_equal(const_of(ir, TN_DT_F32, 0, 0.0), const_of(ir, TN_DT_F32, 0, 0.0), false, NULL));
  tn_ir_free(ir);
}

static void borrowed_constants_are_not_freed(void **state) {
  (void)state;
  float data[] = {1, 2};
  tn_array view = {.data = data, .dtype = TN_DT_F32, .ndim = 1, .shape = {2}, .is_view = true};
  tn_ir *ir = tn_ir_new(0);
  const tn_node *c = tn_const_new(ir, &view);
  assert_ptr_equal(c->attr.array->data, data);
  tn_ir *other = tn_ir_new(0);
  const tn_node *copy = tn_import(other, c, NULL);
  assert_ptr_not_equal(copy->attr.array->data, data);
  assert_true(tn_equal(c, copy, false, NULL));
  tn_ir_free(ir);
  tn_ir_free(other);
}

static void imports_share_one_memo(void **state) {
  (void)state;
  tn_ir *from = tn_ir_new(0);
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(from, "x", TN_DT_I32);
  const tn_node *e = tn_binary(from, TN_OP_ADD, x, i32(from, 1));
  tn_map memo = {0};
  const tn_node *x1 = tn_import(ir, x, &memo);
  const tn_node *e1 = tn_import(ir, e, &memo);
  assert_ptr_equal(e1, tn_binary(ir, TN_OP_ADD, x1, i32(ir, 1)));
  assert_ptr_not_equal(tn_import(ir, x, NULL), x1);
  tn_map_deinit(&memo);
  tn_ir_free(from);
  assert_string_equal(x1->attr.text, "x");
  tn_ir_free(ir);
}

/* The hash is the same in every run and on every machine: caches on disk rest on it. Changing it is
 * a decision; then change these numbers. */
static void hashes_are_pinned(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_hash128 h = tn_structural_hash(add_func(ir, "i", "A", 8, 1));
  expect_true(h.hi == UINT64_C(0x40e1ce77c49267c1) && h.lo == UINT64_C(0xee336e82d538c672),
              "0x%016llx, 0x%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
  tn_ir_free(ir);
}

/* Let(x + x, where x = 3) as EVAL; var: its variable. */
static const tn_node *let_of(tn_ir *ir, const tn_node *var) {
  return NODE(ir, TN_OP_LET, TN_DT_I32, no_attr, var, i32(ir, 3),
              tn_binary(ir, TN_OP_ADD, var, var));
}

static void one_let_in_two_places_equals_two_lets(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *one = let_of(ir, tn_var_new(ir, "x", TN_DT_I32));
  const tn_node *other = let_of(ir, tn_var_new(ir, "y", TN_DT_I32));
  const tn_node *shared = tn_binary(ir, TN_OP_MUL, one, one);
  const tn_node *apart = tn_binary(ir, TN_OP_MUL, one, other);
  const tn_node *free_x = tn_binary(ir, TN_OP_MUL, one, one->in[TN_LET_VAR]);
  assert_true(tn_equal(shared, apart, false, NULL));
  assert_true(tn_equal(apart, shared, false, NULL));
  assert_false(tn_equal(shared, free_x, false, NULL));
  tn_hash128 a = tn_structural_hash(shared);
  tn_hash128 b = tn_structural_hash(apart);
  assert_true(a.hi == b.hi && a.lo == b.lo);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_visit_occurrences_or_nodes),
      cmocka_unit_test(one_let_in_two_places_equals_two_lets),
      cmocka_unit_test(rewriting_rebuilds_only_what_changed),
      cmocka_unit_test(sequences_stay_flat_and_positions_stay),
      cmocka_unit_test(a_rule_sees_a_collapsed_sequence_once),
      cmocka_unit_test(substitution_replaces_everywhere),
      cmocka_unit_test(fresh_copies_keep_what_is_free),
      cmocka_unit_test(free_variables_are_compared_by_identity_unless_mapped),
      cmocka_unit_test(differences_have_paths),
      cmocka_unit_test(constants_are_compared_by_content),
      cmocka_unit_test(borrowed_constants_are_not_freed),
      cmocka_unit_test(imports_share_one_memo),
      cmocka_unit_test(hashes_are_pinned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
