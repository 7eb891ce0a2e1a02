/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions: what their types become (tir/build.c) and what the interpreter makes of them,
 * against values computed by hand. */
#include "tn_test.h"

#include <math.h>

#include "tir_make.h"

static int set_up(void **state) {
  *state = tn_ir_new(0);
  return 0;
}

static int tear_down(void **state) {
  tn_ir_free(*state);
  return 0;
}

/* Stores `value` (any lanes) into an array of its type and runs that. */
static void eval(tn_ir *ir, const tn_node *value, tn_array *out) {
  uint32_t lanes = tn_dtype_lanes(value->dtype);
  const tn_node *O = MK_BUFFER(ir, "O", tn_dtype_elem(value->dtype), lanes);
  const tn_node *at = lanes == 1 ? mk_i32(ir, 0) : mk_ramp(ir, mk_i32(ir, 0), 1, lanes);
  const tn_node *f = MK_FUNC(ir, "f", MK_STORE(ir, O, value, at), O);
  tn_module module;
  tn_module_init(&module, ir, "M");
  tn_module_set(&module, "f", f);
  int64_t shape[] = {lanes};
  expect_ok(tn_array_init(out, tn_dtype_elem(value->dtype), 1, shape));
  tn_tir_arg arg = {.array = out};
  expect_ok(tn_tir_interp(&module, "f", &arg, 1, NULL, NULL));
  tn_module_deinit(&module);
}

static int64_t eval_i(tn_ir *ir, const tn_node *value) {
  tn_array out = {0};
  eval(ir, value, &out);
  int64_t result = tn_array_get_i64(&out, 0);
  tn_array_deinit(&out);
  return result;
}

static double eval_f(tn_ir *ir, const tn_node *value) {
  tn_array out = {0};
  eval(ir, value, &out);
  double result = tn_array_get_f64(&out, 0);
  tn_array_deinit(&out);
  return result;
}

/* A value that no constructor can fold. */
static const tn_node *hide_i(tn_ir *ir, tn_dtype dtype, int64_t value) {
  const tn_node *in[] = {tn_var_new(ir, "x", dtype), tn_int(ir, dtype, value), NULL};
  in[2] = in[0];
  return tn_node_new(ir, TN_OP_LET, dtype, (tn_attr){0}, 3, in);
}
static const tn_node *hide_f(tn_ir *ir, tn_dtype dtype, double value) {
  const tn_node *in[] = {tn_var_new(ir, "x", dtype), tn_float(ir, dtype, value), NULL};
  in[2] = in[0];
  return tn_node_new(ir, TN_OP_LET, dtype, (tn_attr){0}, 3, in);
}

/* ---- types ---- */

static void operands_are_promoted_as_the_language_does(void **state) {
  tn_ir *ir = *state;
  static const struct {
    tn_dtype a;
    tn_dtype b;
    tn_dtype want;
  } cases[] = {
      {TN_DT_I32, TN_DT_I32, TN_DT_I32},   {TN_DT_I32, TN_DT_I64, TN_DT_I64},
      {TN_DT_I8, TN_DT_U8, TN_DT_U8},      {TN_DT_U8, TN_DT_I32, TN_DT_I32},
      {TN_DT_U64, TN_DT_I64, TN_DT_U64},   {TN_DT_I64, TN_DT_F32, TN_DT_F32},
      {TN_DT_F32, TN_DT_F64, TN_DT_F64},   {TN_DT_F16, TN_DT_BF16, TN_DT_F32},
      {TN_DT_BOOL, TN_DT_F16, TN_DT_F16},  {TN_DT_BOOL, TN_DT_I8, TN_DT_I8},
      {TN_DT_BOOL, TN_DT_BOOL, TN_DT_I32},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const tn_node *a = tn_var_new(ir, "a", cases[i].a);
    const tn_node *b = tn_var_new(ir, "b", cases[i].b);
    expect_true(mk_add(ir, a, b)->dtype == cases[i].want, "case %zu", i);
    expect_true(mk_add(ir, b, a)->dtype == cases[i].want, "case %zu swapped", i);
    expect_true(mk_op(ir, TN_OP_LT, a, b)->dtype == TN_DT_BOOL, "case %zu compared", i);
  }
}

static void a_bare_literal_takes_the_other_type_when_it_fits(void **state) {
  tn_ir *ir = *state;
  const tn_node *x = tn_var_new(ir, "x", TN_DT_U8);
  assert_ptr_equal(mk_add(ir, x, mk_i32(ir, 255))->in[TN_B], tn_int(ir, TN_DT_U8, 255));
  assert_int_equal(mk_add(ir, x, mk_i32(ir, 256))->dtype, TN_DT_I32);
  assert_int_equal(mk_add(ir, x, mk_i32(ir, -1))->dtype, TN_DT_I32);
  const tn_node *f = tn_var_new(ir, "f", TN_DT_F16);
  assert_ptr_equal(mk_mul(ir, f, mk_i32(ir, 3))->in[TN_B], tn_float(ir, TN_DT_F16, 3));
  const tn_node *n = tn_var_new(ir, "n", TN_DT_I64);
  assert_ptr_equal(mk_add(ir, mk_i32(ir, 7), n)->in[TN_A], mk_i64(ir, 7));
}

static void one_lane_is_broadcast(void **state) {
  tn_ir *ir = *state;
  const tn_node *v = mk_ramp(ir, mk_var(ir, "i"), 1, 4);
  const tn_node *sum = mk_add(ir, v, mk_i32(ir, 2));
  assert_int_equal(sum->dtype, tn_dtype_with_lanes(TN_DT_I32, 4));
  assert_int_equal(sum->in[TN_B]->op, TN_OP_BROADCAST);
  const tn_node *out = NULL;
  expect_error(tn_tir_binary(ir, TN_OP_ADD, v, mk_ramp(ir, mk_i32(ir, 0), 1, 8), &out), TN_INVALID,
               "'+' cannot take int32x4 and int32x8");
}

static void wrong_operands_are_refused_by_name(void **state) {
  tn_ir *ir = *state;
  const tn_node *i = mk_var(ir, "i");
  const tn_node *f = tn_var_new(ir, "f", TN_DT_F32);
  const tn_node *h = tn_var_new(ir, "h", TN_DT_HANDLE);
  const tn_node *out = NULL;
  const tn_node *i_f[] = {i, f};
  expect_error(tn_tir_binary(ir, TN_OP_ADD, i, h, &out), TN_INVALID,
               "'+' cannot take int32 and handle");
  expect_error(tn_tir_binary(ir, TN_OP_AND, i, i, &out), TN_INVALID,
               "'and' takes bools, not int32");
  expect_error(tn_tir_binary(ir, TN_OP_BAND, f, f, &out), TN_INVALID,
               "'&' takes integers, not float32");
  expect_error(tn_tir_unary(ir, TN_OP_NOT, i, &out), TN_INVALID, "'not' takes a bool, not int32");
  expect_error(tn_tir_unary(ir, TN_OP_BNOT, f, &out), TN_INVALID,
               "'~' takes an integer, not float32");
  expect_error(tn_tir_cast(ir, TN_DT_I32, h, &out), TN_INVALID, "cannot cast handle to int32");
  expect_error(tn_tir_select(ir, TN_OP_SELECT, i, f, f, &out), TN_INVALID,
               "takes a bool as condition, not int32");
  expect_error(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_EXP), TN_DT_NONE, 1, &i, &out), TN_INVALID,
               "'exp' takes floats, not int32");
  expect_error(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_EXP), TN_DT_NONE, 2, i_f, &out),
               TN_INVALID, "'exp' takes 1 arguments, not 2");
  expect_error(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_POPCOUNT), TN_DT_NONE, 1, &f, &out),
               TN_INVALID, "'popcount' takes integers, not float32");
  expect_error(tn_tir_intrin(ir, tn_intrin_get(TN_INTRIN_CALL_EXTERN), TN_DT_F32, 1, &f, &out),
               TN_INVALID, "the name of a function");
  expect_error(tn_tir_ramp(ir, i, i, 1, &out), TN_INVALID, "a vector has 2 to");
  expect_error(tn_tir_ramp(ir, f, i, 4, &out), TN_INVALID, "'Ramp' takes integers, not float32");
}

static void accesses_check_their_indices(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_F32, 4, 4);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *v = mk_ramp(ir, i, 1, 4);
  const tn_node *f = tn_var_new(ir, "f", TN_DT_F32);
  const tn_node *out = NULL;
  const tn_node *one[] = {i};
  const tn_node *inner[] = {v, i};
  const tn_node *floats[] = {i, f};
  const tn_node *good[] = {i, v};
  expect_error(tn_tir_load(ir, A, 1, one, NULL, &out), TN_INVALID,
               "buffer 'A' has 2 dimensions and is accessed with 1");
  expect_error(tn_tir_load(ir, A, 2, inner, NULL, &out), TN_INVALID, "only the last one may be");
  expect_error(tn_tir_load(ir, A, 2, floats, NULL, &out), TN_INVALID,
               "index 1 of buffer 'A' is float32");
  expect_error(tn_tir_load(ir, A, 2, good, f, &out), TN_INVALID,
               "predicate of an access to buffer 'A' is float32");
  expect_ok(tn_tir_load(ir, A, 2, good, tn_bool(ir, true), &out));
  assert_int_equal(out->dtype, tn_dtype_with_lanes(TN_DT_F32, 4));
  assert_int_equal(out->in[TN_LOAD_PREDICATE]->dtype, tn_dtype_with_lanes(TN_DT_BOOL, 4));
  expect_ok(tn_tir_store(ir, A, mk_i32(ir, 2), 2, good, NULL, &out));
  assert_int_equal(out->in[TN_STORE_VALUE]->dtype, tn_dtype_with_lanes(TN_DT_F32, 4));
  const tn_node *scalar[] = {i, i};
  expect_error(tn_tir_store(ir, A, v, 2, scalar, NULL, &out), TN_INVALID,
               "storing to buffer 'A': cannot cast int32x4");
}

/* ---- values ---- */

typedef struct int_case {
  tn_op op;
  tn_dtype dtype;
  int64_t a;
  int64_t b;
  int64_t want;
} int_case;

static void integers_wrap_divide_and_shift_as_defined(void **state) {
  tn_ir *ir = *state;
  static const int_case cases[] = {
      {TN_OP_ADD, TN_DT_I8, 127, 1, -128},
      {TN_OP_ADD, TN_DT_U8, 255, 1, 0},
      {TN_OP_ADD, TN_DT_I32, INT32_MAX, 1, INT32_MIN},
      {TN_OP_ADD, TN_DT_I64, INT64_MAX, 1, INT64_MIN},
      {TN_OP_SUB, TN_DT_U16, 0, 1, 65535},
      {TN_OP_MUL, TN_DT_I16, 300, 300, 24464},
      {TN_OP_MUL, TN_DT_I32, 65536, 65536, 0},
      {TN_OP_DIV, TN_DT_I32, -7, 2, -3},
      {TN_OP_DIV, TN_DT_I32, INT32_MIN, -1, INT32_MIN},
      {TN_OP_DIV, TN_DT_I64, INT64_MIN, -1, INT64_MIN},
      {TN_OP_DIV, TN_DT_U64, -1, 2, INT64_MAX},
      {TN_OP_MOD, TN_DT_I32, -7, 2, -1},
      {TN_OP_MOD, TN_DT_I64, INT64_MIN, -1, 0},
      {TN_OP_FLOORDIV, TN_DT_I32, -7, 2, -4},
      {TN_OP_FLOORDIV, TN_DT_I32, 7, -2, -4},
      {TN_OP_FLOORMOD, TN_DT_I32, -7, 2, 1},
      {TN_OP_FLOORMOD, TN_DT_I32, 7, -2, -1},
      {TN_OP_FLOORMOD, TN_DT_U8, 200, 7, 4},
      {TN_OP_MIN, TN_DT_I8, -1, 1, -1},
      {TN_OP_MIN, TN_DT_U64, -1, 1, 1},
      {TN_OP_MAX, TN_DT_U64, -1, 1, -1},
      {TN_OP_BAND, TN_DT_I8, -1, 12, 12},
      {TN_OP_BXOR, TN_DT_U8, 255, 15, 240},
      {TN_OP_SHL, TN_DT_I32, 1, 31, INT32_MIN},
      {TN_OP_SHL, TN_DT_I32, 1, 32, 0},
      {TN_OP_SHL, TN_DT_I32, 1, -1, 0},
      {TN_OP_SHL, TN_DT_U8, 129, 1, 2},
      {TN_OP_SHR, TN_DT_I32, -8, 1, -4},
      {TN_OP_SHR, TN_DT_I32, -8, 99, -1},
      {TN_OP_SHR, TN_DT_I32, 8, 32, 0},
      {TN_OP_SHR, TN_DT_U32, -8, 28, 15},
      {TN_OP_SHR, TN_DT_U64, -1, 64, 0},
      {TN_OP_LT, TN_DT_U64, -1, 1, 0},
      {TN_OP_LT, TN_DT_I64, -1, 1, 1},
      {TN_OP_GE, TN_DT_U8, 200, 100, 1},
      {TN_OP_GT, TN_DT_I8, -56, 100, 0},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const int_case *c = &cases[i];
    int64_t got =
        eval_i(ir, mk_op(ir, c->op, hide_i(ir, c->dtype, c->a), hide_i(ir, c->dtype, c->b)));
    expect_true(got == c->want, "case %zu: got %lld, want %lld", i, (long long)got,
                (long long)c->want);
  }
}

static void floats_round_after_each_operation(void **state) {
  tn_ir *ir = *state;
  /* 2^24 + 1 is no float32: the sum rounds before 1 is subtracted again */
  const tn_node *big = hide_f(ir, TN_DT_F32, 16777216);
  const tn_node *one = hide_f(ir, TN_DT_F32, 1);
  assert_true(eval_f(ir, mk_op(ir, TN_OP_SUB, mk_add(ir, big, one), big)) == 0);
  /* a * b + c is not contracted */
  float a = 1.0F + 0x1p-12F;
  volatile float product = a * a;
  double got = eval_f(
      ir, mk_add(ir, mk_mul(ir, hide_f(ir, TN_DT_F32, (double)a), hide_f(ir, TN_DT_F32, (double)a)),
                 mk_f32(ir, -1)));
  assert_true(got == (double)(product - 1.0F));
  /* float16: 2049 is between two values */
  assert_true(eval_f(ir, mk_add(ir, hide_f(ir, TN_DT_F16, 2048), hide_f(ir, TN_DT_F16, 1))) ==
              2048);
  assert_true(eval_f(ir, mk_add(ir, hide_f(ir, TN_DT_BF16, 256), hide_f(ir, TN_DT_BF16, 1))) ==
              256);
}

static void minimum_and_maximum_take_the_second_of_unordered(void **state) {
  tn_ir *ir = *state;
  const tn_node *nan = hide_f(ir, TN_DT_F64, NAN);
  const tn_node *one = hide_f(ir, TN_DT_F64, 1);
  assert_true(eval_f(ir, mk_op(ir, TN_OP_MIN, nan, one)) == 1);
  assert_true(isnan(eval_f(ir, mk_op(ir, TN_OP_MIN, one, nan))));
  assert_true(eval_f(ir, mk_op(ir, TN_OP_MAX, nan, one)) == 1);
  const tn_node *zero = hide_f(ir, TN_DT_F32, 0);
  const tn_node *minus = hide_f(ir, TN_DT_F32, -0.0);
  assert_true(signbit(eval_f(ir, mk_op(ir, TN_OP_MIN, zero, minus))) != 0);
  assert_true(signbit(eval_f(ir, mk_op(ir, TN_OP_MIN, minus, zero))) == 0);
}

typedef struct cast_case {
  tn_dtype from;
  double value;
  tn_dtype to;
  double want;
} cast_case;

static void casts_saturate_and_wrap(void **state) {
  tn_ir *ir = *state;
  static const cast_case cases[] = {
      {TN_DT_F32, 3.9, TN_DT_I32, 3},
      {TN_DT_F32, -3.9, TN_DT_I32, -3},
      {TN_DT_F32, 1e10, TN_DT_I32, INT32_MAX},
      {TN_DT_F32, -1e10, TN_DT_I32, INT32_MIN},
      {TN_DT_F64, NAN, TN_DT_I64, 0},
      {TN_DT_F64, 300, TN_DT_I8, 127},
      {TN_DT_F64, -1, TN_DT_U8, 0},
      {TN_DT_F64, 300, TN_DT_U8, 255},
      {TN_DT_F32, INFINITY, TN_DT_U16, 65535},
      {TN_DT_F32, 0.5, TN_DT_BOOL, 1},
      {TN_DT_F64, NAN, TN_DT_BOOL, 1},
      {TN_DT_F64, 0.1, TN_DT_F32, (double)0.1F},
      {TN_DT_F64, 2049.0000001, TN_DT_F16, 2050},
      {TN_DT_F64, 65536, TN_DT_F16, INFINITY},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const cast_case *c = &cases[i];
    double got = eval_f(ir, mk_cast(ir, c->to, hide_f(ir, c->from, c->value)));
    expect_true(got == c->want, "case %zu: got %g, want %g", i, got, c->want);
    double folded = eval_f(ir, mk_cast(ir, c->to, tn_float(ir, c->from, c->value)));
    expect_true(folded == c->want, "case %zu folded: got %g, want %g", i, folded, c->want);
  }
  assert_int_equal(eval_i(ir, mk_cast(ir, TN_DT_I8, hide_i(ir, TN_DT_I32, 200))), -56);
  assert_int_equal(eval_i(ir, mk_cast(ir, TN_DT_U8, hide_i(ir, TN_DT_I32, -1))), 255);
  assert_int_equal(eval_i(ir, mk_cast(ir, TN_DT_BOOL, hide_i(ir, TN_DT_I32, 256))), 1);
  assert_true(eval_f(ir, mk_cast(ir, TN_DT_F32, hide_i(ir, TN_DT_U64, -1))) == 0x1p64);
  assert_true(eval_f(ir, mk_cast(ir, TN_DT_F32,
                                 hide_i(ir, TN_DT_I64, (INT64_C(1) << 54) + (1 << 30) + 1))) ==
              0x1p54 + 0x1p31); /* one rounding; by way of float64 it would tie to even */
}

static void division_by_zero_is_an_error_with_its_place(void **state) {
  tn_ir *ir = *state;
  const tn_node *O = MK_BUFFER(ir, "O", TN_DT_I32, 1);
  const tn_node *x = mk_var(ir, "x");
  const tn_node *store =
      MK_STORE(ir, O, mk_op(ir, TN_OP_FLOORDIV, mk_i32(ir, 1), x), mk_i32(ir, 0));
  uint32_t source = tn_ir_add_source(ir, "div.py", "first\nO[0] = 1 // x\n", 20);
  tn_ir_set_pos(ir, store, (tn_pos){.source = source, .line = 2, .col = 1, .n_cols = 4});
  tn_module module;
  tn_module_init(&module, ir, "M");
  tn_module_set(&module, "f", MK_FUNC(ir, "f", store, O, x));
  int32_t out = 7;
  tn_array array = {.data = &out, .dtype = TN_DT_I32, .ndim = 1, .shape = {1}, .is_view = true};
  tn_tir_arg args[] = {{.array = &array}, {.i64 = 0}};
  expect_error(tn_tir_interp(&module, "f", args, 2, NULL, NULL), TN_INVALID,
               "div.py:2:1: error: f: integer division by zero [division-by-zero]");
  assert_int_equal(out, 7);
  args[1].i64 = -2;
  expect_ok(tn_tir_interp(&module, "f", args, 2, NULL, NULL));
  assert_int_equal(out, -1);
  tn_module_deinit(&module);
}

static void lazy_operators_leave_the_other_side_alone(void **state) {
  tn_ir *ir = *state;
  const tn_node *zero = hide_i(ir, TN_DT_I32, 0);
  const tn_node *trap = mk_op(ir, TN_OP_FLOORDIV, mk_i32(ir, 1), zero);
  const tn_node *is_zero = mk_op(ir, TN_OP_EQ, zero, mk_i32(ir, 0));
  const tn_node *trapped = mk_op(ir, TN_OP_EQ, trap, mk_i32(ir, 0));
  assert_int_equal(eval_i(ir, mk_op(ir, TN_OP_OR, is_zero, trapped)), 1);
  assert_int_equal(eval_i(ir, mk_op(ir, TN_OP_AND, mk_unary(ir, TN_OP_NOT, is_zero), trapped)), 0);
  assert_int_equal(eval_i(ir, mk_select(ir, TN_OP_IF_THEN_ELSE, is_zero, mk_i32(ir, 5), trap)), 5);
  /* what was computed in a branch that ran is not taken for computed where it did not run */
  const tn_node *shared = mk_op(ir, TN_OP_FLOORDIV, mk_i32(ir, 6), hide_i(ir, TN_DT_I32, 2));
  const tn_node *first =
      mk_select(ir, TN_OP_IF_THEN_ELSE, mk_unary(ir, TN_OP_NOT, is_zero), shared, mk_i32(ir, 0));
  assert_int_equal(eval_i(ir, mk_add(ir, first, shared)), 3);
  assert_int_equal(eval_i(ir, mk_select(ir, TN_OP_SELECT, is_zero, mk_i32(ir, 1), mk_i32(ir, 2))),
                   1);
}

static void expect_lanes(tn_ir *ir, const tn_node *value, uint32_t n, const int64_t *want) {
  tn_array out = {0};
  assert_int_equal(tn_dtype_lanes(value->dtype), n);
  eval(ir, value, &out);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t got = tn_array_get_i64(&out, i);
    expect_true(got == want[i], "lane %u: got %lld, want %lld", i, (long long)got,
                (long long)want[i]);
  }
  tn_array_deinit(&out);
}

static void vectors_are_computed_lane_by_lane(void **state) {
  tn_ir *ir = *state;
  const tn_node *r = mk_ramp(ir, hide_i(ir, TN_DT_I32, 5), -2, 4);
  const tn_node *five = mk_broadcast(ir, mk_i32(ir, 5), 4);
  expect_lanes(ir, r, 4, (int64_t[]){5, 3, 1, -1});
  expect_lanes(ir, mk_mul(ir, r, mk_i32(ir, 3)), 4, (int64_t[]){15, 9, 3, -3});
  const tn_node *small = mk_op(ir, TN_OP_LT, r, mk_i32(ir, 3));
  expect_lanes(ir, mk_select(ir, TN_OP_SELECT, small, r, five), 4, (int64_t[]){5, 5, 1, -1});
  expect_lanes(ir, mk_op(ir, TN_OP_AND, small, mk_op(ir, TN_OP_GT, r, mk_i32(ir, 0))), 4,
               (int64_t[]){0, 0, 1, 0});
  expect_lanes(ir, mk_cast(ir, tn_dtype_with_lanes(TN_DT_U8, 4), r), 4, (int64_t[]){5, 3, 1, 255});
  const tn_node *lists[] = {tn_list(ir, 2, MK_LIST(r, five)),
                            tn_list(ir, 3, MK_LIST(mk_i32(ir, 3), mk_i32(ir, 4), mk_i32(ir, 0)))};
  const tn_node *shuffled =
      tn_node_new(ir, TN_OP_SHUFFLE, tn_dtype_with_lanes(TN_DT_I32, 3), (tn_attr){0}, 2, lists);
  expect_lanes(ir, shuffled, 3, (int64_t[]){-1, 5, 5});
  /* the bytes of two int32 */
  const tn_node *two = mk_ramp(ir, hide_i(ir, TN_DT_I32, 0x01020304), -0x01020305, 2);
  const tn_node *bytes =
      tn_node_new(ir, TN_OP_REINTERPRET, tn_dtype_with_lanes(TN_DT_I8, 8), (tn_attr){0}, 1, &two);
  expect_lanes(ir, bytes, 8, (int64_t[]){4, 3, 2, 1, -1, -1, -1, -1});
  const tn_node *back = tn_node_new(ir, TN_OP_REINTERPRET, tn_dtype_with_lanes(TN_DT_I32, 2),
                                    (tn_attr){0}, 1, &bytes);
  expect_lanes(ir, back, 2, (int64_t[]){0x01020304, -1});
}

static void bits_are_reinterpreted(void **state) {
  tn_ir *ir = *state;
  const tn_node *f = hide_f(ir, TN_DT_F32, -1);
  const tn_node *bits = tn_node_new(ir, TN_OP_REINTERPRET, TN_DT_I32, (tn_attr){0}, 1, &f);
  assert_int_equal(eval_i(ir, bits), (int32_t)0xbf800000);
  const tn_node *h = hide_f(ir, TN_DT_F16, 1.5);
  assert_int_equal(eval_i(ir, tn_node_new(ir, TN_OP_REINTERPRET, TN_DT_U16, (tn_attr){0}, 1, &h)),
                   0x3e00);
}

static void mathematics_is_right(void **state) {
  tn_ir *ir = *state;
  const tn_node *x = hide_f(ir, TN_DT_F32, 0.7);
  const tn_node *y = hide_f(ir, TN_DT_F64, -0.3);
  volatile float fx = 0.7F;
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_EXP, x)) == (double)(float)exp((double)fx));
  assert_true(fabs(eval_f(ir, MK_CALL(ir, TN_INTRIN_TANH, y)) - tanh(-0.3)) < 1e-15);
  float sigmoid = (float)(1 / (1 + exp(-(double)fx)));
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_SIGMOID, x)) == (double)sigmoid);
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_RSQRT, hide_f(ir, TN_DT_F64, 4))) == 0.5);
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_ROUND, hide_f(ir, TN_DT_F64, 2.5))) == 2);
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_FABS, y)) == 0.3);
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_POW, hide_f(ir, TN_DT_F32, 2), mk_i32(ir, 3))) == 8);
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_LDEXP, x, hide_i(ir, TN_DT_I64, 2))) ==
              (double)(fx * 4));
  double near_one = 1 + 0x1p-52;
  assert_true(eval_f(ir, MK_CALL(ir, TN_INTRIN_FMA, hide_f(ir, TN_DT_F64, near_one),
                                 hide_f(ir, TN_DT_F64, near_one), mk_f64(ir, -1))) ==
              fma(near_one, near_one, -1));
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_ISNAN, hide_f(ir, TN_DT_F32, NAN))), 1);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_ISINF, hide_f(ir, TN_DT_F64, -INFINITY))), 1);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_ISFINITE, x)), 1);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_POPCOUNT, hide_i(ir, TN_DT_I8, -1))), 8);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_CLZ, hide_i(ir, TN_DT_I16, 1))), 15);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_CLZ, hide_i(ir, TN_DT_I32, 0))), 32);
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_ABS, hide_i(ir, TN_DT_I8, -128))), -128);
  /* round(100 * 2^30 * 2^-31 * 2^-1) = 25 */
  assert_int_equal(eval_i(ir, MK_CALL(ir, TN_INTRIN_Q_MULTIPLY_SHIFT, hide_i(ir, TN_DT_I32, 100),
                                      mk_i32(ir, 1 << 30), mk_i32(ir, 31), mk_i32(ir, 1))),
                   25);
}

static void float_division_rounds_down(void **state) {
  tn_ir *ir = *state;
  const tn_node *a = hide_f(ir, TN_DT_F64, -7.5);
  const tn_node *b = hide_f(ir, TN_DT_F64, 2);
  assert_true(eval_f(ir, mk_op(ir, TN_OP_FLOORDIV, a, b)) == -4);
  assert_true(eval_f(ir, mk_op(ir, TN_OP_FLOORMOD, a, b)) == 0.5);
  assert_true(eval_f(ir, mk_op(ir, TN_OP_MOD, a, b)) == -1.5);
}

static void names_that_are_not_offered_are_refused(void **state) {
  tn_ir *ir = *state;
  const tn_node *x = hide_f(ir, TN_DT_F32, 0.25);
  const tn_node *good[] = {tn_str(ir, "sqrtf"), x};
  assert_true(eval_f(ir, mk_intrin(ir, TN_INTRIN_CALL_PURE_EXTERN, TN_DT_F32, 2, good)) == 0.5);
  static const struct {
    tn_intrin_id id;
    const char *name;
    const char *part;
  } cases[] = {
      {TN_INTRIN_CALL_EXTERN, "system", "cannot call the C function 'system'"},
      {TN_INTRIN_CALL_EXTERN, "sqrt",
       "cannot call the C function 'sqrt'"}, /* float64's, on a float32 */
      {TN_INTRIN_CALL_INTRIN, "tir.magic", "no intrinsic 'tir.magic'"},
      {TN_INTRIN_CALL_PACKED, "log", "calls 'log' by name"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const tn_node *args[] = {tn_str(ir, cases[i].name), x};
    const tn_node *call = mk_intrin(ir, cases[i].id, TN_DT_F32, 2, args);
    const tn_node *O = MK_BUFFER(ir, "O", TN_DT_F32, 1);
    tn_module module;
    tn_module_init(&module, ir, "M");
    tn_module_set(&module, "f", MK_FUNC(ir, "f", MK_STORE(ir, O, call, mk_i32(ir, 0)), O));
    float out = 0;
    tn_array array = {.data = &out, .dtype = TN_DT_F32, .ndim = 1, .shape = {1}, .is_view = true};
    expect_error(tn_tir_interp(&module, "f", &(tn_tir_arg){.array = &array}, 1, NULL, NULL),
                 TN_UNSUPPORTED, cases[i].part);
    tn_module_deinit(&module);
  }
}

static void every_intrinsic_is_found_by_its_name(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_intrin *all = tn_intrin_all(&n);
  assert_true(n > 90);
  for (uint32_t i = 0; i < n; ++i) {
    assert_ptr_equal(tn_intrin_find(all[i].def.name), &all[i]);
    assert_ptr_equal(tn_intrin_get(all[i].id), &all[i]);
  }
  assert_null(tn_intrin_find("no_such_thing"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_are_promoted_as_the_language_does),
      cmocka_unit_test(a_bare_literal_takes_the_other_type_when_it_fits),
      cmocka_unit_test(one_lane_is_broadcast),
      cmocka_unit_test(wrong_operands_are_refused_by_name),
      cmocka_unit_test(accesses_check_their_indices),
      cmocka_unit_test(integers_wrap_divide_and_shift_as_defined),
      cmocka_unit_test(floats_round_after_each_operation),
      cmocka_unit_test(minimum_and_maximum_take_the_second_of_unordered),
      cmocka_unit_test(casts_saturate_and_wrap),
      cmocka_unit_test(division_by_zero_is_an_error_with_its_place),
      cmocka_unit_test(lazy_operators_leave_the_other_side_alone),
      cmocka_unit_test(vectors_are_computed_lane_by_lane),
      cmocka_unit_test(bits_are_reinterpreted),
      cmocka_unit_test(mathematics_is_right),
      cmocka_unit_test(float_division_rounds_down),
      cmocka_unit_test(names_that_are_not_offered_are_refused),
      cmocka_unit_test(every_intrinsic_is_found_by_its_name),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
