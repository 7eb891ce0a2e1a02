/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table, interning, constructors, dicts, limits. */
#include "ir_build.h"

#include <math.h>

typedef struct slots_case {
  tn_op op;
  uint32_t slot;
  const char *name;
} slots_case;

/* The slot enums of ir.h against the names of nodes.def. */
static const slots_case slots_cases[] = {
    {TN_OP_ADD, TN_A, "a"},
    {TN_OP_ADD, TN_B, "b"},
    {TN_OP_RANGE, TN_RANGE_MIN, "min"},
    {TN_OP_RANGE, TN_RANGE_EXTENT, "extent"},
    {TN_OP_BUFFER, TN_BUFFER_DATA, "data"},
    {TN_OP_BUFFER, TN_BUFFER_SHAPE, "shape"},
    {TN_OP_BUFFER, TN_BUFFER_STRIDES, "strides"},
    {TN_OP_BUFFER, TN_BUFFER_ELEM_OFFSET, "elem_offset"},
    {TN_OP_BUFFER, TN_BUFFER_SCOPE, "scope"},
    {TN_OP_BUFFER, TN_BUFFER_ALIGN, "align"},
    {TN_OP_BUFFER, TN_BUFFER_OFFSET_FACTOR, "offset_factor"},
    {TN_OP_BUFFER, TN_BUFFER_AXIS_SEPARATORS, "axis_separators"},
    {TN_OP_SELECT, TN_SELECT_COND, "cond"},
    {TN_OP_IF_THEN_ELSE, TN_SELECT_A, "a"},
    {TN_OP_SELECT, TN_SELECT_B, "b"},
    {TN_OP_RAMP, TN_RAMP_BASE, "base"},
    {TN_OP_RAMP, TN_RAMP_STRIDE, "stride"},
    {TN_OP_SHUFFLE, TN_SHUFFLE_VECTORS, "vectors"},
    {TN_OP_SHUFFLE, TN_SHUFFLE_INDICES, "indices"},
    {TN_OP_LET, TN_LET_VAR, "var"},
    {TN_OP_LET, TN_LET_VALUE, "value"},
    {TN_OP_LET, TN_LET_BODY, "body"},
    {TN_OP_LOAD, TN_LOAD_BUFFER, "buffer"},
    {TN_OP_LOAD, TN_LOAD_PREDICATE, "predicate"},
    {TN_OP_LAMBDA, TN_LAMBDA_PARAMS, "params"},
    {TN_OP_LAMBDA, TN_LAMBDA_RESULTS, "results"},
    {TN_OP_LAMBDA, TN_LAMBDA_INVERSE, "inverse"},
    {TN_OP_TARGET, TN_TARGET_HOST, "host"},
    {TN_OP_REDUCER, TN_REDUCER_LHS, "lhs"},
    {TN_OP_REDUCER, TN_REDUCER_RHS, "rhs"},
    {TN_OP_REDUCER, TN_REDUCER_RESULTS, "results"},
    {TN_OP_REDUCER, TN_REDUCER_IDENTITY, "identity"},
    {TN_OP_STORE, TN_STORE_BUFFER, "buffer"},
    {TN_OP_STORE, TN_STORE_VALUE, "value"},
    {TN_OP_STORE, TN_STORE_PREDICATE, "predicate"},
    {TN_OP_BIND, TN_BIND_VAR, "var"},
    {TN_OP_GBIND, TN_BIND_VALUE, "value"},
    {TN_OP_ALLOC, TN_ALLOC_VAR, "var"},
    {TN_OP_ALLOC, TN_ALLOC_EXTENTS, "extents"},
    {TN_OP_ALLOC, TN_ALLOC_COND, "cond"},
    {TN_OP_ALLOC, TN_ALLOC_SCOPE, "scope"},
    {TN_OP_ALLOC, TN_ALLOC_ANNOTATIONS, "annotations"},
    {TN_OP_CONST_ALLOC, TN_CONST_ALLOC_ARRAY, "array"},
    {TN_OP_FOR, TN_FOR_VAR, "var"},
    {TN_OP_FOR, TN_FOR_MIN, "min"},
    {TN_OP_FOR, TN_FOR_EXTENT, "extent"},
    {TN_OP_FOR, TN_FOR_BODY, "body"},
    {TN_OP_FOR, TN_FOR_THREAD, "thread"},
    {TN_OP_FOR, TN_FOR_ANNOTATIONS, "annotations"},
    {TN_OP_WHILE, TN_WHILE_BODY, "body"},
    {TN_OP_IF, TN_IF_THEN, "then"},
    {TN_OP_IF, TN_IF_ELSE, "else"},
    {TN_OP_BLOCK, TN_BLOCK_LABEL, "label"},
    {TN_OP_BLOCK, TN_BLOCK_ITERS, "iters"},
    {TN_OP_BLOCK, TN_BLOCK_PREDICATE, "predicate"},
    {TN_OP_BLOCK, TN_BLOCK_READS, "reads"},
    {TN_OP_BLOCK, TN_BLOCK_WRITES, "writes"},
    {TN_OP_BLOCK, TN_BLOCK_ALLOCS, "allocs"},
    {TN_OP_BLOCK, TN_BLOCK_MATCHES, "matches"},
    {TN_OP_BLOCK, TN_BLOCK_INIT, "init"},
    {TN_OP_BLOCK, TN_BLOCK_ANNOTATIONS, "annotations"},
    {TN_OP_BLOCK, TN_BLOCK_BODY, "body"},
    {TN_OP_ITER, TN_ITER_VAR, "var"},
    {TN_OP_ITER, TN_ITER_MIN, "min"},
    {TN_OP_ITER, TN_ITER_EXTENT, "extent"},
    {TN_OP_ITER, TN_ITER_BINDING, "binding"},
    {TN_OP_REGION, TN_REGION_BUFFER, "buffer"},
    {TN_OP_MATCH, TN_MATCH_BUFFER, "buffer"},
    {TN_OP_MATCH, TN_MATCH_REGION, "region"},
    {TN_OP_ATTR, TN_ATTR_NODE, "node"},
    {TN_OP_ATTR, TN_ATTR_VALUE, "value"},
    {TN_OP_ATTR, TN_ATTR_BODY, "body"},
    {TN_OP_LAUNCH, TN_LAUNCH_VAR, "var"},
    {TN_OP_LAUNCH, TN_LAUNCH_EXTENT, "extent"},
    {TN_OP_LAUNCH, TN_LAUNCH_BODY, "body"},
    {TN_OP_ASSERT, TN_ASSERT_COND, "cond"},
    {TN_OP_ASSERT, TN_ASSERT_MESSAGE, "message"},
    {TN_OP_TY_TENSOR, TN_TY_TENSOR_SHAPE, "shape"},
    {TN_OP_TY_TENSOR, TN_TY_TENSOR_VDEVICE, "vdevice"},
    {TN_OP_TY_FUNC, TN_TY_FUNC_PARAMS, "params"},
    {TN_OP_TY_FUNC, TN_TY_FUNC_RET, "ret"},
    {TN_OP_CALL, TN_CALL_ARGS, "args"},
    {TN_OP_CALL, TN_CALL_FIELDS, "fields"},
    {TN_OP_CALL, TN_CALL_TYPES, "types"},
    {TN_OP_INVOKE, TN_INVOKE_CALLEE, "callee"},
    {TN_OP_INVOKE, TN_INVOKE_ARGS, "args"},
    {TN_OP_INVOKE, TN_INVOKE_TYPES, "types"},
    {TN_OP_MATCH_CAST, TN_MATCH_CAST_VAR, "var"},
    {TN_OP_MATCH_CAST, TN_MATCH_CAST_VALUE, "value"},
    {TN_OP_MATCH_CAST, TN_MATCH_CAST_TYPE, "type"},
    {TN_OP_DATAFLOW, TN_DATAFLOW_BODY, "body"},
    {TN_OP_DATAFLOW, TN_DATAFLOW_OUTPUTS, "outputs"},
    {TN_OP_GIF, TN_GIF_VAR, "var"},
    {TN_OP_GIF, TN_GIF_COND, "cond"},
    {TN_OP_GIF, TN_GIF_THEN, "then"},
    {TN_OP_GIF, TN_GIF_ELSE, "else"},
    {TN_OP_PRIM_FUNC, TN_PRIM_FUNC_PARAMS, "params"},
    {TN_OP_PRIM_FUNC, TN_PRIM_FUNC_BUFFERS, "buffers"},
    {TN_OP_PRIM_FUNC, TN_PRIM_FUNC_RET, "ret"},
    {TN_OP_PRIM_FUNC, TN_PRIM_FUNC_ATTRS, "attrs"},
    {TN_OP_PRIM_FUNC, TN_PRIM_FUNC_BODY, "body"},
    {TN_OP_GFUNC, TN_GFUNC_PARAMS, "params"},
    {TN_OP_GFUNC, TN_GFUNC_RET, "ret"},
    {TN_OP_GFUNC, TN_GFUNC_ATTRS, "attrs"},
    {TN_OP_GFUNC, TN_GFUNC_IS_PURE, "is_pure"},
    {TN_OP_GFUNC, TN_GFUNC_BODY, "body"},
};

static void slot_enums_agree_with_the_table(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(slots_cases); ++i) {
    const slots_case *row = &slots_cases[i];
    tn_slot slot;
    const char *op = tn_op_info_get(row->op)->name;
    expect_true(tn_op_slot_find(row->op, row->slot, &slot), "%s slot %u", op, row->slot);
    expect_true(strlen(row->name) == slot.len && strncmp(row->name, slot.name, slot.len) == 0,
                "%s slot %u is %.*s, not %s", op, row->slot, (int)slot.len, slot.name, row->name);
  }
}

static void every_kind_has_as_many_names_as_named_children(void **state) {
  (void)state;
  for (int op = 0; op < TN_N_OPS; ++op) {
    const tn_op_info *info = tn_op_info_get((tn_op)op);
    uint32_t n_slots = tn_op_n_slots((tn_op)op);
    bool fits =
        info->is_variadic ? n_slots <= (uint32_t)info->n_in : n_slots == (uint32_t)info->n_in;
    expect_true(fits, "%s: %u names, %d children", info->name, n_slots, info->n_in);
    bool is_stmt =
        info->cls == TN_CLASS_STMT || info->cls == TN_CLASS_FUNC || info->cls == TN_CLASS_LEAF;
    expect_true(!is_stmt || (info->flags & TN_OPF_INTERN) == 0, "%s has identity", info->name);
  }
}

typedef struct int_case {
  tn_dtype dtype;
  int64_t value;
  int64_t want;
} int_case;
static const int_case int_cases[] = {
    {TN_DT_I8, 127, 127},
    {TN_DT_I8, 128, -128},
    {TN_DT_I8, -129, 127},
    {TN_DT_U8, -1, 255},
    {TN_DT_U8, 256, 0},
    {TN_DT_I16, 0x18000, -0x8000},
    {TN_DT_I32, INT64_C(1) << 31, -(INT64_C(1) << 31)},
    {TN_DT_U32, -1, 0xffffffff},
    {TN_DT_I64, INT64_MIN, INT64_MIN},
    {TN_DT_U64, -1, -1},
    {TN_DT_BOOL, 2, 1},
    {TN_DT_BOOL, 0, 0},
    {TN_DT_HANDLE, 0, 0},
};

static void integers_wrap_to_their_type(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  for (size_t i = 0; i < TN_N_ROWS(int_cases); ++i) {
    const tn_node *n = tn_int(ir, int_cases[i].dtype, int_cases[i].value);
    expect_true(n->attr.i64 == int_cases[i].want, "row %zu: %lld", i, (long long)n->attr.i64);
    assert_ptr_equal(n, tn_int(ir, int_cases[i].dtype, int_cases[i].want));
  }
  tn_ir_free(ir);
}

static void floats_are_rounded_and_nan_is_one_value(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  assert_ptr_equal(tn_float(ir, TN_DT_F32, 0.1), tn_float(ir, TN_DT_F32, (double)0.1F));
  assert_ptr_not_equal(tn_float(ir, TN_DT_F64, 0.1), tn_float(ir, TN_DT_F64, (double)0.1F));
  assert_ptr_not_equal(tn_float(ir, TN_DT_F32, 0.0), tn_float(ir, TN_DT_F32, -0.0));
  assert_ptr_equal(tn_float(ir, TN_DT_F32, (double)NAN), tn_float(ir, TN_DT_F32, -(double)NAN));
  assert_true(isinf(tn_float(ir, TN_DT_F16, 1e6)->attr.f64));
  assert_true(tn_float(ir, TN_DT_F16, 0.1)->attr.f64 != 0.1);
  assert_true(isinf(tn_float(ir, TN_DT_F32, 1e300)->attr.f64));
  tn_ir_free(ir);
}

static void equal_structure_gives_equal_pointers(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *y = tn_var_new(ir, "x", TN_DT_I32);
  assert_ptr_not_equal(x, y);
  assert_ptr_equal(x->attr.text, y->attr.text);
  const tn_node *e = tn_binary(ir, TN_OP_ADD, x, i32(ir, 1));
  assert_ptr_equal(e, tn_binary(ir, TN_OP_ADD, x, i32(ir, 1)));
  assert_ptr_not_equal(e, tn_binary(ir, TN_OP_ADD, y, i32(ir, 1)));
  assert_ptr_not_equal(e, tn_binary(ir, TN_OP_ADD, i32(ir, 1), x));
  assert_ptr_not_equal(e, tn_binary(ir, TN_OP_SUB, x, i32(ir, 1)));
  const tn_node *test = tn_binary(ir, TN_OP_LT, x, y);
  assert_int_equal(test->dtype, TN_DT_BOOL);
  assert_int_equal(e->depth, 2);
  assert_int_equal(e->flags, 0);
  assert_ptr_equal(tn_str(ir, "a"), tn_str(ir, "a"));
  assert_ptr_not_equal(tn_str(ir, "a"), tn_str(ir, "b"));
  tn_dtype f32x4 = tn_dtype_with_lanes(TN_DT_F32, 4);
  const tn_node *wide = tn_float(ir, f32x4, 1.0);
  assert_true(tn_is(wide, TN_OP_BROADCAST) && wide->dtype == f32x4);
  assert_true(tn_is_int(tn_int(ir, tn_dtype_with_lanes(TN_DT_I32, 8), 5), 5));
  assert_false(tn_is_int(x, 5));
  tn_ir_free(ir);
}

/* Random expressions made twice in different orders: pointer equality is structural equality. */
static void interning_survives_growth(void **state) {
  (void)state;
  enum { N = 20000 };
  tn_ir *ir = tn_ir_new(0);
  const tn_node **made = malloc(N * sizeof *made);
  assert_non_null(made);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I64);
  for (int64_t i = 0; i < N; ++i) {
    const tn_node *a = i < 2 ? x : made[i / 2];
    made[i] = tn_binary(ir, i % 2 == 0 ? TN_OP_ADD : TN_OP_MUL, a, i64(ir, i % 1000));
  }
  uint32_t n_ids = tn_ir_n_ids(ir);
  for (int64_t i = N; i-- > 0;) {
    const tn_node *a = i < 2 ? x : made[i / 2];
    assert_ptr_equal(made[i],
                     tn_binary(ir, i % 2 == 0 ? TN_OP_ADD : TN_OP_MUL, a, i64(ir, i % 1000)));
  }
  assert_int_equal(tn_ir_n_ids(ir), n_ids);
  free(made);
  tn_ir_free(ir);
}

static void node_with_keeps_what_did_not_change(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
  const tn_node *e = tn_binary(ir, TN_OP_ADD, x, i32(ir, 1));
  assert_ptr_equal(tn_node_with(ir, e, e->in), e);
  const tn_node *in[] = {x, i32(ir, 2)};
  assert_ptr_equal(tn_node_with(ir, e, in), tn_binary(ir, TN_OP_ADD, x, i32(ir, 2)));
  const tn_node *list = tn_list(ir, 1, &x);
  assert_ptr_equal(tn_node_with_n(ir, list, 2, in), tn_list(ir, 2, in));
  const tn_node *type = tensor_type(ir, i64(ir, 2));
  const tn_node *v = gvar_of(ir, "v", type);
  assert_ptr_equal(tn_node_with(ir, v, &type), v);
  const tn_node *other = tensor_type(ir, i64(ir, 3));
  const tn_node *w = tn_node_with(ir, v, &other);
  assert_ptr_not_equal(w, v);
  assert_ptr_not_equal(w, tn_node_with(ir, v, &other));
  tn_ir_free(ir);
}

static void sequences_are_flat(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *s[5];
  for (int64_t i = 0; i < 5; ++i) {
    s[i] = STMT(ir, TN_OP_EVAL, i32(ir, i));
  }
  const tn_node *empty = tn_seq(ir, 0, NULL);
  assert_int_equal(empty->n_in, 0);
  assert_ptr_equal(tn_seq(ir, 1, s), s[0]);
  const tn_node *left = seq2(ir, s[0], s[1]);
  assert_ptr_equal(tn_seq(ir, 1, &left), left);
  const tn_node *parts[] = {left, empty, s[2], tn_none(ir), seq2(ir, s[3], s[4])};
  const tn_node *all = tn_seq(ir, 5, parts);
  assert_int_equal(all->n_in, 5);
  for (uint32_t i = 0; i < 5; ++i) {
    assert_ptr_equal(all->in[i], s[i]);
  }
  const tn_node *alone[] = {empty, s[2], empty};
  assert_ptr_equal(tn_seq(ir, 3, alone), s[2]);
  tn_ir_free(ir);
}

static void dicts_keep_their_order(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *dict = tn_dict_set(ir, tn_none(ir), "a", i32(ir, 1));
  dict = tn_dict_set(ir, dict, "b", i32(ir, 2));
  const tn_node *again = tn_dict_set(ir, dict, "a", i32(ir, 3));
  assert_true(tn_is_int(tn_dict_find(again, "a"), 3));
  assert_true(tn_is_int(tn_dict_find(dict, "a"), 1));
  assert_true(tn_is_int(tn_dict_find(again, "b"), 2));
  assert_null(tn_dict_find(again, "c"));
  assert_null(tn_dict_find(tn_none(ir), "a"));
  assert_string_equal(again->in[0]->attr.text, "a");
  assert_int_equal(again->n_in, 4);
  assert_ptr_equal(tn_dict_set(ir, dict, "a", i32(ir, 3)), again);
  tn_ir_free(ir);
}

static void a_limit_becomes_an_error(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(10000);
  for (int64_t i = 0; i < 100; ++i) {
    (void)i32(ir, i);
  }
  expect_ok(tn_ir_status(ir));
  for (int64_t i = 0; i < 1000; ++i) {
    (void)i32(ir, i);
  }
  expect_error(tn_ir_status(ir), TN_NO_MEMORY, "10000 bytes");
  tn_ir_free(ir);
}

static void texts_are_interned_with_any_bytes(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  assert_ptr_equal(tn_ir_text(ir, "abc"), tn_ir_text_n(ir, "abcdef", 3));
  assert_ptr_not_equal(tn_ir_text_n(ir, "a\0b", 3), tn_ir_text(ir, "a"));
  assert_string_equal(tn_ir_text(ir, ""), "");
  for (int i = 0; i < 2000; ++i) {
    char name[16];
    (void)snprintf(name, sizeof name, "v%d", i);
    const char *kept = tn_ir_text(ir, name);
    assert_string_equal(kept, name);
    assert_ptr_equal(kept, tn_ir_text(ir, name));
  }
  tn_ir_free(ir);
}

static void modules_are_tables(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module a;
  tn_module b;
  tn_module_init(&a, ir, "Module");
  tn_module_init(&b, ir, "Other");
  for (int i = 0; i < 20; ++i) {
    char name[16];
    (void)snprintf(name, sizeof name, "f%d", i);
    tn_module_set(&a, name, add_func(ir, "i", "A", i + 1, 1));
    (void)snprintf(name, sizeof name, "f%d", 19 - i);
    tn_module_set(&b, name, add_func(ir, "k", "B", 20 - i, 1));
  }
  assert_true(tn_module_equal(&a, &b, NULL));
  tn_hash128 hash_a = tn_module_hash(&a);
  tn_hash128 hash_b = tn_module_hash(&b);
  assert_true(hash_a.hi == hash_b.hi && hash_a.lo == hash_b.lo);
  assert_string_equal(tn_module_fresh_name(&a, "f3"), "f3_1");
  assert_string_equal(tn_module_fresh_name(&a, "g"), "g");
  tn_module_remove(&b, "f7");
  tn_module_remove(&b, "nothing");
  assert_int_equal(b.n_funcs, 19);
  assert_null(tn_module_find(&b, "f7"));
  assert_non_null(tn_module_find(&b, "f0"));
  tn_buf path = TN_BUF_INIT;
  assert_false(tn_module_equal(&a, &b, &path));
  expect_text(tn_buf_text(&path), "f7: only in the first module");
  tn_buf_clear(&path);
  tn_module_set(&b, "f7", add_func(ir, "i", "A", 9, 1));
  assert_false(tn_module_equal(&a, &b, &path));
  expect_text(tn_buf_text(&path), "f7: buffers[0].shape[0]");
  tn_buf_deinit(&path);
  tn_module_deinit(&a);
  tn_module_deinit(&b);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slot_enums_agree_with_the_table),
      cmocka_unit_test(every_kind_has_as_many_names_as_named_children),
      cmocka_unit_test(integers_wrap_to_their_type),
      cmocka_unit_test(floats_are_rounded_and_nan_is_one_value),
      cmocka_unit_test(equal_structure_gives_equal_pointers),
      cmocka_unit_test(interning_survives_growth),
      cmocka_unit_test(node_with_keeps_what_did_not_change),
      cmocka_unit_test(sequences_are_flat),
      cmocka_unit_test(dicts_keep_their_order),
      cmocka_unit_test(a_limit_becomes_an_error),
      cmocka_unit_test(texts_are_interned_with_any_bytes),
      cmocka_unit_test(modules_are_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
