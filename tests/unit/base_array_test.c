/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Host arrays: sizes that cannot be had, conversions, half precision. */
#include "tn_test.h"

#include <float.h>
#include <math.h>

#include "base/array.h"
#include "base/dtype.h"

static void sizes_that_overflow_are_refused(void **state) {
  (void)state;
  tn_array array = {0};
  expect_error(tn_array_init(&array, TN_DT_F32, 1, (int64_t[]){-1}), TN_INVALID, "negative");
  expect_error(tn_array_init(&array, TN_DT_F32, 17, (int64_t[17]){0}), TN_INVALID, "dimensions");
  expect_error(tn_array_init(&array, TN_DT_NONE, 0, NULL), TN_INVALID, "none");
  expect_error(tn_array_init(&array, TN_DT_F32, 2, (int64_t[]){INT64_MAX, INT64_MAX}), TN_NO_MEMORY,
               "overflows");
  assert_null(array.data);
  expect_ok(tn_array_init(&array, TN_DT_F32, 3, (int64_t[]){INT64_MAX, 0, INT64_MAX}));
  assert_int_equal(tn_array_n_elems(&array), 0);
  assert_int_equal(tn_array_n_bytes(&array), 0);
  assert_non_null(array.data);
  tn_array_deinit(&array);
}

static void arrays_are_zeroed_aligned_and_copied(void **state) {
  (void)state;
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_I16, 2, (int64_t[]){3, 5}));
  assert_int_equal((uintptr_t)array.data % 64, 0);
  assert_int_equal(tn_array_n_elems(&array), 15);
  assert_int_equal(tn_array_n_bytes(&array), 30);
  assert_int_equal(tn_array_get_i64(&array, 14), 0);
  tn_array_set_i64(&array, 14, -7);
  tn_array copy = {0};
  expect_ok(tn_array_init_copy(&copy, &array));
  tn_array_set_i64(&array, 14, 1);
  assert_int_equal(tn_array_get_i64(&copy, 14), -7);
  tn_array_deinit(&copy);
  tn_array_deinit(&array);
}

typedef struct conversion_case {
  tn_dtype dt;
  double stored;
  double want;
} conversion_case;

static const conversion_case conversion_cases[] = {
    {TN_DT_I8, 300, 127},
    {TN_DT_I8, -300, -128},
    {TN_DT_I8, -1.9, -1},
    {TN_DT_I8, NAN, 0},
    {TN_DT_U8, -1, 0},
    {TN_DT_U8, 255.9, 255},
    {TN_DT_I16, 40000, 32767},
    {TN_DT_U16, 1e9, 65535},
    {TN_DT_I32, INFINITY, 2147483647},
    {TN_DT_U32, INFINITY, 4294967295},
    {TN_DT_I64, 1e30, 0x1p63},
    {TN_DT_I64, -1e30, -0x1p63},
    {TN_DT_U64, 1e30, 0x1p64},
    {TN_DT_U64, 0x1p63, 0x1p63},
    {TN_DT_U64, -3, 0},
    {TN_DT_BOOL, 0.5, 1},
    {TN_DT_BOOL, 0, 0},
    {TN_DT_F32, 1e300, INFINITY},
    {TN_DT_F16, 65519, 65504},
    {TN_DT_F16, 65520, INFINITY},
    {TN_DT_F16, 0x1p-24, 0x1p-24},
    {TN_DT_F16, 0x1p-25, 0},
    {TN_DT_F16, 0x1.004p0 + 0x1p-40, 0x1.004p0 + 0x0p0},
    {TN_DT_F16, 0x1.002p0 + 0x1p-40, 0x1.004p0}, /* float32 alone would tie it down to 1 */
    {TN_DT_F16, 0x1.002p0, 1},
    {TN_DT_BF16, 0x1.01p0, 1},
    {TN_DT_BF16, 0x1.01p0 + 0x1p-40, 0x1.02p0},
    {TN_DT_BF16, DBL_MAX, INFINITY},
    {TN_DT_F64, 0.1, 0.1},
};

static void storing_a_double_saturates(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(conversion_cases); ++i) {
    const conversion_case *c = &conversion_cases[i];
    tn_array array = {0};
    expect_ok(tn_array_init(&array, c->dt, 0, NULL));
    tn_array_set_f64(&array, 0, c->stored);
    expect_true(tn_array_get_f64(&array, 0) == c->want, "row %zu: %g gives %g", i, c->stored,
                tn_array_get_f64(&array, 0));
    tn_array_deinit(&array);
  }
}

static void storing_an_integer_wraps(void **state) {
  (void)state;
  static const struct {
    tn_dtype dt;
    int64_t stored;
    int64_t want;
  } rows[] = {
      {TN_DT_I8, 200, -56},        {TN_DT_U8, -1, 255},
      {TN_DT_I32, 0x100000005, 5}, {TN_DT_U16, 65537, 1},
      {TN_DT_BOOL, 2, 1},          {TN_DT_F32, 16777217, 16777216},
      {TN_DT_F64, -3, -3},         {TN_DT_F16, 100000, INT64_MAX},
      {TN_DT_U64, -1, -1},         {TN_DT_I64, INT64_MIN, INT64_MIN},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_array array = {0};
    expect_ok(tn_array_init(&array, rows[i].dt, 0, NULL));
    tn_array_set_i64(&array, 0, rows[i].stored);
    expect_true(tn_array_get_i64(&array, 0) == rows[i].want, "row %zu", i);
    tn_array_deinit(&array);
  }
}

static void every_half_survives_widening_and_narrowing(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float wide = tn_f16_to_f32((uint16_t)bits);
    float brain = tn_bf16_to_f32((uint16_t)bits);
    expect_true(isnan(wide) ? isnan(tn_f16_to_f32(tn_f32_to_f16(wide)))
                            : tn_f32_to_f16(wide) == bits,
                "float16 %04x", bits);
    expect_true(isnan(brain) ? isnan(tn_bf16_to_f32(tn_f32_to_bf16(brain)))
                             : tn_f32_to_bf16(brain) == bits,
                "bfloat16 %04x", bits);
  }
}

/* Between two neighbours the nearer one wins, and the even one when both are as near. */
static void narrowing_to_half_rounds_to_nearest_even(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double lo = (double)tn_f16_to_f32((uint16_t)bits);
    double hi = (double)tn_f16_to_f32((uint16_t)(bits + 1));
    double middle = (lo + hi) / 2;
    uint32_t even = (bits & 1) == 0 ? bits : bits + 1;
    expect_true(tn_f32_to_f16((float)middle) == even, "%04x", bits);
    expect_true(tn_f32_to_f16(nextafterf((float)middle, 0)) == bits, "%04x", bits);
    expect_true(tn_f32_to_f16(nextafterf((float)middle, INFINITY)) == bits + 1, "%04x", bits);
    expect_true(tn_f32_to_f16(-(float)middle) == (even | 0x8000), "%04x", bits);
  }
}

static void random_fills_stay_in_their_ranges(void **state) {
  (void)state;
  static const tn_dtype types[] = {TN_DT_F32, TN_DT_F16, TN_DT_I8, TN_DT_U32, TN_DT_BOOL};
  tn_rng rng = tn_rng_make(7);
  for (size_t i = 0; i < TN_N_ROWS(types); ++i) {
    tn_array array = {0};
    expect_ok(tn_array_init(&array, types[i], 1, (int64_t[]){200}));
    tn_array_fill_random(&array, &rng);
    double lo = tn_dtype_is_float(types[i]) ? -1 : tn_dtype_is_int(types[i]) ? -8 : 0;
    double hi = tn_dtype_is_float(types[i]) || tn_dtype_is_bool(types[i]) ? 1
                : tn_dtype_is_int(types[i])                               ? 8
                                                                          : 16;
    for (int64_t k = 0; k < 200; ++k) {
      double value = tn_array_get_f64(&array, k);
      expect_true(value >= lo && value <= hi, "type %zu: %g", i, value);
    }
    tn_array_deinit(&array);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_overflow_are_refused),
      cmocka_unit_test(arrays_are_zeroed_aligned_and_copied),
      cmocka_unit_test(storing_a_double_saturates),
      cmocka_unit_test(storing_an_integer_wraps),
      cmocka_unit_test(every_half_survives_widening_and_narrowing),
      cmocka_unit_test(narrowing_to_half_rounds_to_nearest_even),
      cmocka_unit_test(random_fills_stay_in_their_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
