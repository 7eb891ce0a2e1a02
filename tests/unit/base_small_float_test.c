/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* float8, float6 and float4: every value of every type, and rounding against a search through all
 * values. */
#include "tn_test.h"

#include <math.h>

#include "base/array.h"

typedef struct type_row {
  tn_dtype dtype;
  const char *name;
  double max;      /* the largest value */
  double least;    /* the smallest above 0 */
  double infinity; /* what infinity becomes */
  int n_nans;      /* bit patterns that are NaN */
} type_row;

static const type_row rows[] = {
    {TN_DT_F8E3M4, "float8_e3m4", 15.5, 0x1p-6, INFINITY, 30},
    {TN_DT_F8E4M3, "float8_e4m3", 240, 0x1p-9, INFINITY, 14},
    {TN_DT_F8E4M3B11FNUZ, "float8_e4m3b11fnuz", 30, 0x1p-13, 30, 1},
    {TN_DT_F8E4M3FN, "float8_e4m3fn", 448, 0x1p-9, 448, 2},
    {TN_DT_F8E4M3FNUZ, "float8_e4m3fnuz", 240, 0x1p-10, 240, 1},
    {TN_DT_F8E5M2, "float8_e5m2", 57344, 0x1p-16, INFINITY, 6},
    {TN_DT_F8E5M2FNUZ, "float8_e5m2fnuz", 57344, 0x1p-17, 57344, 1},
    {TN_DT_F8E8M0FNU, "float8_e8m0fnu", 0x1p127, 0x1p-127, 0x1p127, 1},
    {TN_DT_F6E2M3FN, "float6_e2m3fn", 7.5, 0.125, 7.5, 0},
    {TN_DT_F6E3M2FN, "float6_e3m2fn", 28, 0x1p-4, 28, 0},
    {TN_DT_F4E2M1FN, "float4_e2m1fn", 6, 0.5, 6, 0},
};

static void the_values_of_each_type_are_those_of_its_definition(void **state) {
  (void)state;
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    const tn_small_float *type = tn_small_float_find(rows[r].dtype);
    char text[TN_DTYPE_TEXT_BYTES];
    assert_string_equal(tn_dtype_print(rows[r].dtype, text), rows[r].name);
    double max = 0;
    double least = INFINITY;
    int n_nans = 0;
    for (uint32_t bits = 0; bits < 1u << tn_dtype_bits(rows[r].dtype); ++bits) {
      double value = (double)tn_small_to_f32(type, bits);
      n_nans += isnan(value) ? 1 : 0;
      max = isfinite(value) && value > max ? value : max;
      least = value > 0 && value < least ? value : least;
      if (!isnan(value)) {
        uint32_t back = tn_f32_to_small(type, (float)value);
        if (back != bits) {
          fail_msg("%s: bits %#x are %g, which gives bits %#x", rows[r].name, bits, value, back);
        }
      }
    }
    if (max != rows[r].max || least != rows[r].least || n_nans != rows[r].n_nans) {
      fail_msg("%s: max %g least %g NaNs %d", rows[r].name, max, least, n_nans);
    }
  }
}

/* The nearest value by search; a tie goes to the even bits. Values past the middle between the
 * largest and what would come after it are "over". */
static uint32_t nearest(const type_row *row, const tn_small_float *type, double value) {
  bool has_sign = type->n_frac != 0;
  uint32_t n_sizes = (has_sign ? 1u << (tn_dtype_bits(row->dtype) - 1) : 256);
  double size = fabs(value);
  uint32_t best = 0;
  double best_gap = INFINITY;
  for (uint32_t bits = 0; bits < n_sizes; ++bits) {
    double at = (double)tn_small_to_f32(type, bits);
    double gap = fabs(at - fmin(size, row->max));
    if (isfinite(at) && (gap < best_gap || (gap == best_gap && bits % 2 == 0))) {
      best = bits;
      best_gap = gap;
    }
  }
  double step =
      (double)tn_small_to_f32(type, type->max) - (double)tn_small_to_f32(type, type->max - 1u);
  bool ties_up = type->max % 2 == 1;
  bool is_over = size > row->max + step / 2 || (ties_up && size == row->max + step / 2);
  best = is_over && type->inf != 0 ? type->inf : best;
  return best == 0 && type->is_fnuz ? 0 : best | (value < 0 && has_sign ? n_sizes : 0);
}

static void check_rounding(const type_row *row, float value) {
  const tn_small_float *type = tn_small_float_find(row->dtype);
  uint32_t got = tn_f32_to_small(type, value);
  uint32_t want = nearest(row, type, (double)value);
  if (got != want) {
    fail_msg("%s: %a gives bits %#x, wanted %#x", row->name, (double)value, got, want);
  }
}

static void rounding_goes_to_the_nearest_value_and_ties_to_even(void **state) {
  (void)state;
  tn_rng rng = tn_rng_make(1);
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    const tn_small_float *type = tn_small_float_find(rows[r].dtype);
    float sign_low = type->n_frac == 0 ? 1 : -1;
    for (uint32_t bits = 0; bits < type->max; ++bits) {
      float middle =
          (float)(((double)tn_small_to_f32(type, bits) + (double)tn_small_to_f32(type, bits + 1)) /
                  2);
      for (float sign = sign_low; sign <= 1; sign += 2) {
        check_rounding(&rows[r], sign * middle);
        check_rounding(&rows[r], sign * nextafterf(middle, INFINITY));
        check_rounding(&rows[r], sign * nextafterf(middle, 0));
      }
    }
    for (int i = 0; i < 2000; ++i) {
      float scale = ldexpf(1, (int)tn_rng_range(&rng, -140, 127));
      float value = (float)(tn_rng_unit(&rng) * 2 - 1) * scale;
      check_rounding(&rows[r], type->n_frac == 0 ? fabsf(value) + 0x1p-149f : value);
    }
  }
}

static void infinity_nan_and_what_a_type_lacks_follow_the_rules(void **state) {
  (void)state;
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    const tn_small_float *type = tn_small_float_find(rows[r].dtype);
    assert_true((double)tn_small_to_f32(type, tn_f32_to_small(type, INFINITY)) == rows[r].infinity);
    float of_nan = tn_small_to_f32(type, tn_f32_to_small(type, NAN));
    assert_true(rows[r].n_nans > 0 ? isnan(of_nan) : of_nan == 0);
    float of_minus = tn_small_to_f32(type, tn_f32_to_small(type, -INFINITY));
    assert_true(type->n_frac == 0 ? isnan(of_minus) : (double)of_minus == -rows[r].infinity);
    float of_zero = tn_small_to_f32(type, tn_f32_to_small(type, -0.0f));
    assert_true(type->n_frac == 0 ? of_zero == 0x1p-127f : of_zero == 0);
    assert_int_equal(signbit(of_zero) != 0, type->n_frac != 0 && !type->is_fnuz);
  }
}

static void from_float64_there_is_one_rounding(void **state) {
  (void)state;
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    const tn_small_float *type = tn_small_float_find(rows[r].dtype);
    uint16_t word = 0;
    tn_array one = {.data = &word, .dtype = rows[r].dtype, .is_view = true};
    for (uint32_t bits = 0; bits < type->max; ++bits) {
      double low = (double)tn_small_to_f32(type, bits);
      double high = (double)tn_small_to_f32(type, bits + 1);
      double middle = (low + high) / 2;
      tn_array_set_f64(&one, 0, nextafter(middle, INFINITY)); /* float32 cannot tell it apart */
      assert_true(tn_array_get_f64(&one, 0) == high);
      tn_array_set_f64(&one, 0, nextafter(middle, 0));
      assert_true(tn_array_get_f64(&one, 0) == low);
    }
  }
}

static void packed_elements_lie_two_to_a_byte_low_half_first(void **state) {
  (void)state;
  const int64_t shape[] = {3, 3};
  const tn_dtype dtypes[] = {TN_DT_I4, TN_DT_U4, TN_DT_F4E2M1FN};
  for (size_t d = 0; d < TN_N_ROWS(dtypes); ++d) {
    tn_array array = {0};
    expect_ok(tn_array_init(&array, dtypes[d], 2, shape));
    assert_int_equal(tn_array_n_elems(&array), 9);
    assert_int_equal(tn_array_n_bytes(&array), 5);
    for (int64_t i = 0; i < 9; ++i) {
      tn_array_set_i64(&array, i, i % 5);
    }
    for (int64_t i = 0; i < 9; ++i) {
      assert_int_equal(tn_array_get_i64(&array, i), i % 5);
    }
    assert_int_equal(((uint8_t *)array.data)[0], dtypes[d] == TN_DT_F4E2M1FN ? 0x20 : 0x10);
    tn_array_deinit(&array);
  }
}

static void integers_of_four_bits_wrap_and_floats_saturate_into_them(void **state) {
  (void)state;
  uint8_t byte = 0;
  tn_array i4 = {.data = &byte, .dtype = TN_DT_I4, .is_view = true};
  tn_array_set_i64(&i4, 1, 9);
  assert_int_equal(tn_array_get_i64(&i4, 1), -7);
  tn_array_set_f64(&i4, 1, 9);
  assert_int_equal(tn_array_get_i64(&i4, 1), 7);
  tn_array_set_f64(&i4, 0, -1e30);
  assert_int_equal(tn_array_get_i64(&i4, 0), -8);
  tn_array_set_f64(&i4, 0, NAN);
  assert_int_equal(tn_array_get_i64(&i4, 0), 0);
  i4.dtype = TN_DT_U4;
  tn_array_set_f64(&i4, 0, 99);
  assert_int_equal(tn_array_get_i64(&i4, 0), 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_values_of_each_type_are_those_of_its_definition),
      cmocka_unit_test(rounding_goes_to_the_nearest_value_and_ties_to_even),
      cmocka_unit_test(infinity_nan_and_what_a_type_lacks_follow_the_rules),
      cmocka_unit_test(from_float64_there_is_one_rounding),
      cmocka_unit_test(packed_elements_lie_two_to_a_byte_low_half_first),
      cmocka_unit_test(integers_of_four_bits_wrap_and_floats_saturate_into_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
