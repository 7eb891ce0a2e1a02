/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The forms that lowering counts on, one row each: what goes in, and what must come out, node for
 * node; then folding, bounds, proofs and linear forms. */
#include <math.h>

#include "arith/arith.h"
#include "tn_test.h"

typedef const tn_node *node;

typedef struct fixture {
  tn_ir *ir;
  tn_arith *ar;
  node i; /* [0, 16) */
  node j; /* [0, 8) */
  node n; /* unknown */
  node p; /* [0, n) */
  node x; /* unknown */
} fixture;

static void setup(fixture *f) {
  f->ir = tn_ir_new(0);
  f->ar = tn_arith_new(f->ir);
  f->i = tn_var_new(f->ir, "i", TN_DT_I32);
  f->j = tn_var_new(f->ir, "j", TN_DT_I32);
  f->n = tn_var_new(f->ir, "n", TN_DT_I32);
  f->p = tn_var_new(f->ir, "p", TN_DT_I32);
  f->x = tn_var_new(f->ir, "x", TN_DT_I32);
  node zero = tn_int(f->ir, TN_DT_I32, 0);
  tn_arith_bind_range(f->ar, f->i, zero, tn_int(f->ir, TN_DT_I32, 16));
  tn_arith_bind_range(f->ar, f->j, zero, tn_int(f->ir, TN_DT_I32, 8));
  tn_arith_bind_range(f->ar, f->p, zero, f->n);
}

static void teardown(fixture *f) {
  tn_arith_free(f->ar);
  tn_ir_free(f->ir);
}

static node lit(fixture *f, int64_t v) { return tn_int(f->ir, TN_DT_I32, v); }
static node add(fixture *f, node a, node b) { return tn_binary(f->ir, TN_OP_ADD, a, b); }
static node sub(fixture *f, node a, node b) { return tn_binary(f->ir, TN_OP_SUB, a, b); }
static node mul(fixture *f, node a, node b) { return tn_binary(f->ir, TN_OP_MUL, a, b); }
static node mulc(fixture *f, node a, int64_t c) { return mul(f, a, tn_int(f->ir, a->dtype, c)); }
static node addc(fixture *f, node a, int64_t c) { return add(f, a, tn_int(f->ir, a->dtype, c)); }
static node divc(fixture *f, node a, int64_t c) {
  return tn_binary(f->ir, TN_OP_FLOORDIV, a, tn_int(f->ir, a->dtype, c));
}
static node modc(fixture *f, node a, int64_t c) {
  return tn_binary(f->ir, TN_OP_FLOORMOD, a, tn_int(f->ir, a->dtype, c));
}
static node cmp(fixture *f, tn_op op, node a, node b) { return tn_binary(f->ir, op, a, b); }
static node op1(fixture *f, tn_op op, tn_dtype dtype, node a) {
  return tn_node_new(f->ir, op, dtype, (tn_attr){.i64 = 0}, 1, &a);
}
static node cast64(fixture *f, node a) { return op1(f, TN_OP_CAST, TN_DT_I64, a); }
static node ramp(fixture *f, node base, int64_t stride, uint32_t lanes) {
  node in[2] = {base, tn_int(f->ir, base->dtype, stride)};
  return tn_node_new(f->ir, TN_OP_RAMP, tn_dtype_with_lanes(base->dtype, lanes),
                     (tn_attr){.i64 = 0}, 2, in);
}
static node bcast(fixture *f, node v, uint32_t lanes) {
  return op1(f, TN_OP_BROADCAST, tn_dtype_with_lanes(v->dtype, lanes), v);
}

static void sums_divisions_and_vectors_come_out_in_their_canonical_form(void **state) {
  (void)state;
  fixture s;
  fixture *f = &s;
  setup(f);
  tn_dtype i32x4 = tn_dtype_with_lanes(TN_DT_I32, 4);
  const struct {
    node in;
    node want;
  } rows[] = {
      {add(f, mulc(f, f->i, 4), sub(f, f->j, mulc(f, f->i, 3))), add(f, f->i, f->j)},
      {sub(f, f->x, f->x), lit(f, 0)},
      {divc(f, add(f, mulc(f, f->i, 8), f->j), 8), f->i},
      {modc(f, add(f, mulc(f, f->i, 8), f->j), 8), f->j},
      {divc(f, add(f, mulc(f, f->i, 8), f->j), 16), divc(f, f->i, 2)},
      {modc(f, add(f, mulc(f, f->i, 8), f->j), 16), add(f, mulc(f, modc(f, f->i, 2), 8), f->j)},
      {divc(f, divc(f, f->x, 4), 3), divc(f, f->x, 12)},
      {modc(f, modc(f, f->x, 12), 4), modc(f, f->x, 4)},
      {divc(f, f->i, 16), lit(f, 0)},
      {divc(f, addc(f, mulc(f, f->x, 4), 6), 4), addc(f, f->x, 1)},
      {add(f, mulc(f, divc(f, f->x, 4), 4), modc(f, f->x, 4)), f->x},
      {sub(f, f->x, mulc(f, divc(f, f->x, 4), 4)), modc(f, f->x, 4)},
      {add(f, mulc(f, modc(f, divc(f, f->x, 4), 3), 4), modc(f, f->x, 4)), modc(f, f->x, 12)},
      {tn_binary(f->ir, TN_OP_FLOORDIV, add(f, mul(f, f->i, f->n), f->p), f->n), f->i},
      {tn_binary(f->ir, TN_OP_FLOORMOD, add(f, mul(f, f->n, f->i), f->p), f->n), f->p},
      {tn_binary(f->ir, TN_OP_FLOORDIV, mulc(f, f->n, 32), mulc(f, f->n, 4)), lit(f, 8)},
      {tn_binary(f->ir, TN_OP_FLOORMOD, mulc(f, add(f, mul(f, f->i, f->n), f->p), 6),
                 mulc(f, f->n, 6)),
       mulc(f, f->p, 6)},
      {tn_binary(f->ir, TN_OP_DIV, f->i, lit(f, 4)), divc(f, f->i, 4)},
      {cmp(f, TN_OP_LT, f->i, lit(f, 16)), tn_bool(f->ir, true)},
      {cmp(f, TN_OP_GE, lit(f, -1), f->j), tn_bool(f->ir, false)},
      {cmp(f, TN_OP_LT, f->p, f->n), tn_bool(f->ir, true)},
      {cmp(f, TN_OP_LE, addc(f, f->p, 1), f->n), tn_bool(f->ir, true)},
      {cmp(f, TN_OP_LT, addc(f, mulc(f, f->x, 4), 3), lit(f, 10)),
       cmp(f, TN_OP_LT, f->x, lit(f, 2))},
      {cmp(f, TN_OP_GE, f->x, f->n), cmp(f, TN_OP_LT, f->n, addc(f, f->x, 1))},
      {cmp(f, TN_OP_EQ, addc(f, mulc(f, f->x, 2), 1), mulc(f, f->n, 2)), tn_bool(f->ir, false)},
      {tn_binary(f->ir, TN_OP_AND, cmp(f, TN_OP_LT, f->x, lit(f, 8)),
                 cmp(f, TN_OP_LT, f->x, lit(f, 4))),
       cmp(f, TN_OP_LT, f->x, lit(f, 4))},
      {tn_binary(f->ir, TN_OP_MIN, f->i, lit(f, 20)), f->i},
      {tn_binary(f->ir, TN_OP_MAX, sub(f, f->n, f->p), lit(f, 1)), sub(f, f->n, f->p)},
      {cast64(f, add(f, mulc(f, f->i, 4), f->j)),
       add(f, mulc(f, cast64(f, f->i), 4), cast64(f, f->j))},
      {op1(f, TN_OP_CAST, TN_DT_I32, cast64(f, f->x)), f->x},
      {add(f, ramp(f, f->i, 1, 4), bcast(f, f->x, 4)), ramp(f, add(f, f->i, f->x), 1, 4)},
      {mul(f, ramp(f, f->i, 1, 4), tn_int(f->ir, i32x4, 8)), ramp(f, mulc(f, f->i, 8), 8, 4)},
      {sub(f, ramp(f, f->i, 1, 4), ramp(f, f->x, 1, 4)), bcast(f, sub(f, f->i, f->x), 4)},
      {tn_binary(f->ir, TN_OP_FLOORDIV, ramp(f, mulc(f, f->x, 4), 1, 4), tn_int(f->ir, i32x4, 4)),
       bcast(f, f->x, 4)},
      {tn_binary(f->ir, TN_OP_FLOORMOD, ramp(f, mulc(f, f->x, 4), 1, 4), tn_int(f->ir, i32x4, 4)),
       ramp(f, lit(f, 0), 1, 4)},
      {cmp(f, TN_OP_LT, ramp(f, mulc(f, f->j, 2), 1, 4), tn_int(f->ir, i32x4, 18)),
       tn_int(f->ir, tn_dtype_with_lanes(TN_DT_BOOL, 4), 1)},
      {ramp(f, f->x, 0, 4), bcast(f, f->x, 4)},
  };
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    node got = tn_arith_simplify(f->ar, rows[r].in);
    tn_buf a = TN_BUF_INIT;
    tn_dump_to(got, &a);
    expect_true(got == rows[r].want, "row %zu gave\n%s", r, tn_buf_text(&a));
    tn_buf_deinit(&a);
  }
  teardown(f);
}

static void an_assumption_holds_until_it_is_popped(void **state) {
  (void)state;
  fixture s;
  fixture *f = &s;
  setup(f);
  node small = cmp(f, TN_OP_LT, f->x, lit(f, 4));
  size_t mark =
      tn_arith_assume(f->ar, tn_binary(f->ir, TN_OP_AND, cmp(f, TN_OP_GE, f->x, lit(f, 0)), small));
  assert_true(tn_arith_prove(f->ar, cmp(f, TN_OP_LT, f->x, lit(f, 5))));
  assert_ptr_equal(tn_arith_simplify(f->ar, divc(f, f->x, 4)), lit(f, 0));
  tn_arith_pop(f->ar, mark);
  assert_false(tn_arith_prove(f->ar, small));
  mark = tn_arith_assume(f->ar, cmp(f, TN_OP_LT, add(f, f->x, f->p), f->n)); /* symbolic */
  assert_true(tn_arith_prove(f->ar, cmp(f, TN_OP_LT, f->x, f->n)));
  tn_arith_pop(f->ar, mark);
  teardown(f);
}

static void bounds_are_those_of_the_ranges_and_saturate(void **state) {
  (void)state;
  fixture s;
  fixture *f = &s;
  setup(f);
  tn_interval iv = tn_arith_bounds(f->ar, sub(f, mulc(f, f->i, 4), f->j));
  assert_true(iv.has_lo && iv.has_hi && iv.lo == -7 && iv.hi == 60);
  iv = tn_arith_bounds(f->ar, f->p);
  assert_true(iv.has_lo && iv.lo == 0);
  iv = tn_arith_bounds(f->ar, mul(f, cast64(f, f->i), tn_int(f->ir, TN_DT_I64, INT64_MAX)));
  assert_true(iv.has_lo && iv.lo == INT64_MIN && iv.has_hi && iv.hi == INT64_MAX); /* it wraps */
  iv = tn_arith_bounds(f->ar, mul(f, f->n, f->p));
  assert_false(iv.has_lo || iv.has_hi);
  teardown(f);
}

static void linear_forms_give_coefficients_and_rest(void **state) {
  (void)state;
  fixture s;
  fixture *f = &s;
  setup(f);
  node vars[2] = {f->i, f->j};
  node coefs[2] = {NULL, NULL};
  node base = NULL;
  node e = addc(f, add(f, mul(f, addc(f, f->i, 2), f->n), mulc(f, f->j, 3)), 5);
  assert_true(tn_arith_linear(f->ar, e, 2, vars, coefs, &base));
  assert_ptr_equal(coefs[0], f->n);
  assert_ptr_equal(coefs[1], lit(f, 3));
  assert_ptr_equal(base, addc(f, mulc(f, f->n, 2), 5));
  assert_false(tn_arith_linear(f->ar, mul(f, f->i, f->j), 2, vars, coefs, &base));
  assert_false(tn_arith_linear(f->ar, divc(f, f->i, 3), 2, vars, coefs, &base));
  teardown(f);
}

static void literals_fold_by_the_rules_of_the_language(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const struct {
    tn_op op;
    tn_dtype dtype;
    int64_t a;
    int64_t b;
    int64_t want;
  } rows[] = {
      {TN_OP_ADD, TN_DT_I8, 127, 1, -128},
      {TN_OP_SUB, TN_DT_U8, 0, 1, 255},
      {TN_OP_MUL, TN_DT_I32, 65536, 65536, 0},
      {TN_OP_DIV, TN_DT_I32, -7, 2, -3},
      {TN_OP_MOD, TN_DT_I32, -7, 2, -1},
      {TN_OP_FLOORDIV, TN_DT_I32, -7, 2, -4},
      {TN_OP_FLOORMOD, TN_DT_I32, -7, 2, 1},
      {TN_OP_FLOORMOD, TN_DT_I32, 7, -2, -1},
      {TN_OP_DIV, TN_DT_I64, INT64_MIN, -1, INT64_MIN},
      {TN_OP_FLOORMOD, TN_DT_I64, INT64_MIN, -1, 0},
      {TN_OP_SHL, TN_DT_I32, 1, 32, 0},
      {TN_OP_SHR, TN_DT_I32, -8, 40, -1},
      {TN_OP_SHR, TN_DT_I32, -8, 1, -4},
      {TN_OP_SHR, TN_DT_U8, 200, 1, 100},
      {TN_OP_MIN, TN_DT_U64, -1, 1, 1},
      {TN_OP_LT, TN_DT_U64, 1, -1, 1},
      {TN_OP_LT, TN_DT_I64, 1, -1, 0},
      {TN_OP_BXOR, TN_DT_U8, 255, 15, 240},
  };
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    node e = tn_binary(ir, rows[r].op, tn_int(ir, rows[r].dtype, rows[r].a),
                       tn_int(ir, rows[r].dtype, rows[r].b));
    node got = tn_arith_fold(ir, e);
    expect_true(got != NULL && got->attr.i64 == rows[r].want, "row %zu", r);
  }
  node zero = tn_int(ir, TN_DT_I32, 0);
  assert_null(tn_arith_fold(ir, tn_binary(ir, TN_OP_DIV, zero, zero)));
  node third = tn_binary(ir, TN_OP_DIV, tn_float(ir, TN_DT_F32, 1), tn_float(ir, TN_DT_F32, 3));
  assert_true(tn_arith_fold(ir, third)->attr.f64 == (double)(1.0f / 3.0f));
  node inf = tn_float(ir, TN_DT_F32, (double)INFINITY);
  assert_null(tn_arith_fold(ir, tn_binary(ir, TN_OP_SUB, inf, inf)));
  const struct {
    tn_dtype to;
    double v;
    int64_t want;
  } casts[] = {{TN_DT_I32, 1e30, INT32_MAX},
               {TN_DT_I32, -1e30, INT32_MIN},
               {TN_DT_I8, -3.9, -3},
               {TN_DT_U8, 300, 255},
               {TN_DT_U8, -1, 0},
               {TN_DT_I64, 1e19, INT64_MAX},
               {TN_DT_U64, 2e19, -1},
               {TN_DT_BOOL, 0.5, 1}};
  for (size_t r = 0; r < TN_N_ROWS(casts); ++r) {
    node v = tn_float(ir, TN_DT_F64, casts[r].v);
    node got =
        tn_arith_fold(ir, tn_node_new(ir, TN_OP_CAST, casts[r].to, (tn_attr){.i64 = 0}, 1, &v));
    expect_true(got != NULL && got->attr.i64 == casts[r].want, "cast %zu", r);
  }
  tn_ir_free(ir);
}

static void floats_and_impure_calls_are_left_alone(void **state) {
  (void)state;
  static const tn_def beep = {"beep", false};
  fixture s;
  fixture *f = &s;
  setup(f);
  node v = tn_var_new(f->ir, "v", TN_DT_F32);
  node zero = tn_float(f->ir, TN_DT_F32, 0);
  node e = add(f, mul(f, v, zero), zero);
  assert_ptr_equal(tn_arith_simplify(f->ar, e), e);
  node less = cmp(f, TN_OP_LT, v, v);
  assert_ptr_equal(tn_arith_simplify(f->ar, less), less);
  node call = tn_node_new(f->ir, TN_OP_INTRIN, TN_DT_I32, (tn_attr){.def = &beep}, 0, NULL);
  e = sub(f, call, call);
  assert_ptr_equal(tn_arith_simplify(f->ar, e), e);
  teardown(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_divisions_and_vectors_come_out_in_their_canonical_form),
      cmocka_unit_test(an_assumption_holds_until_it_is_popped),
      cmocka_unit_test(bounds_are_those_of_the_ranges_and_saturate),
      cmocka_unit_test(linear_forms_give_coefficients_and_rest),
      cmocka_unit_test(literals_fold_by_the_rules_of_the_language),
      cmocka_unit_test(floats_and_impure_calls_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
