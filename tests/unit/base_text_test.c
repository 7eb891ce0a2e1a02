/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Buffers, shortest texts of numbers, names of element types, what of a text is shown. */
#include "tn_test.h"

#include <math.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/rng.h"
#include "base/text.h"

static void a_buffer_is_text_at_any_time(void **state) {
  (void)state;
  tn_buf buf = TN_BUF_INIT;
  assert_string_equal(tn_buf_text(&buf), "");
  tn_buf_puts(&buf, "one");
  tn_buf_putc(&buf, ' ');
  tn_buf_printf(&buf, "%d %s", 2, "three");
  tn_buf_append(&buf, NULL, 0);
  assert_string_equal(tn_buf_text(&buf), "one 2 three");
  tn_buf_clear(&buf);
  assert_string_equal(tn_buf_text(&buf), "");
  for (int i = 0; i < 1000; ++i) {
    tn_buf_printf(&buf, "%03d", i);
  }
  assert_int_equal(buf.len, 3000);
  char *text = tn_buf_take(&buf);
  assert_memory_equal(text + 2997, "999", 4);
  free(text);
  text = tn_buf_take(&buf);
  assert_string_equal(text, "");
  free(text);
}

typedef struct number_case {
  double value;
  const char *text;
  const char *float_text;
} number_case;

static const number_case number_cases[] = {
    {0, "0", "0"},
    {-0.0, "-0", "-0"},
    {1, "1", "1"},
    {0.1, "0.1", "0.1"},
    {1.0 / 3, "0.3333333333333333", "0.33333334"},
    {1e300, "1e+300", "inf"},
    {-2.5e-7, "-2.5e-07", "-2.5e-07"},
    {5e-324, "5e-324", "0"},
    {INFINITY, "inf", "inf"},
    {-INFINITY, "-inf", "-inf"},
    {NAN, "nan", "nan"},
    {16777217, "16777217", "16777216"},
    {10, "10", "10"},
    {-4000, "-4000", "-4000"},
    {1e15, "1e+15", "1e+15"},
};

static void numbers_print_shortest(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(number_cases); ++i) {
    tn_buf buf = TN_BUF_INIT;
    tn_buf_put_double(&buf, number_cases[i].value);
    expect_text(tn_buf_text(&buf), number_cases[i].text);
    tn_buf_clear(&buf);
    tn_buf_put_float(&buf, (float)number_cases[i].value);
    expect_text(tn_buf_text(&buf), number_cases[i].float_text);
    tn_buf_deinit(&buf);
  }
}

static void random_bit_patterns_read_back(void **state) {
  (void)state;
  tn_rng rng = tn_rng_make(1);
  tn_buf buf = TN_BUF_INIT;
  for (int i = 0; i < 3000; ++i) {
    uint64_t bits = tn_rng_next(&rng);
    double value = 0;
    float value_f32 = 0;
    memcpy(&value, &bits, sizeof value);
    memcpy(&value_f32, &bits, sizeof value_f32);
    if (isnan(value) || isnan(value_f32)) {
      continue;
    }
    tn_buf_clear(&buf);
    tn_buf_put_double(&buf, value);
    expect_true(strtod(tn_buf_text(&buf), NULL) == value, "%s", tn_buf_text(&buf));
    tn_buf_clear(&buf);
    tn_buf_put_float(&buf, value_f32);
    expect_true(strtof(tn_buf_text(&buf), NULL) == value_f32, "%s", tn_buf_text(&buf));
  }
  tn_buf_deinit(&buf);
}

typedef struct type_case {
  const char *text;
  tn_dtype dt; /* TN_DT_NONE: no type */
} type_case;

static const type_case type_cases[] = {
    {"float32", TN_DT_F32},
    {"float16", TN_DT_F16},
    {"float64", TN_DT_F64},
    {"bfloat16", TN_DT_BF16},
    {"int8", TN_DT_I8},
    {"uint64", TN_DT_U64},
    {"bool", TN_DT_BOOL},
    {"handle", TN_DT_HANDLE},
    {"float32x4", TN_DT_F32 - 0x10000 + 0x40000},
    {"int8x65535", 0xffff0800},
    {"", TN_DT_NONE},
    {"float", TN_DT_NONE},
    {"float33", TN_DT_NONE},
    {"float32x", TN_DT_NONE},
    {"float32x0", TN_DT_NONE},
    {"float32x1", TN_DT_NONE},
    {"float32x04", TN_DT_NONE},
    {"float32x65536", TN_DT_NONE},
    {"float32 ", TN_DT_NONE},
    {"int", TN_DT_NONE},
};

static void type_names_read_and_print(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(type_cases); ++i) {
    tn_dtype dt = TN_DT_NONE;
    bool is_type = tn_dtype_parse(type_cases[i].text, strlen(type_cases[i].text), &dt);
    expect_true(is_type == (type_cases[i].dt != TN_DT_NONE), "'%s'", type_cases[i].text);
    if (is_type) {
      char text[TN_DTYPE_TEXT_BYTES];
      assert_int_equal(dt, type_cases[i].dt);
      expect_text(tn_dtype_print(dt, text), type_cases[i].text);
    }
  }
}

static void any_type_word_prints_in_its_space(void **state) {
  (void)state;
  char text[TN_DTYPE_TEXT_BYTES];
  expect_text(tn_dtype_print(0xffffffff, text), "dtype(255,255,65535)");
  expect_text(tn_dtype_print(TN_DT_NONE, text), "none");
}

static const struct {
  const char *text;
  bool keeps_lines;
  const char *shown;
} shown_cases[] = {
    {"plain \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80", false,
     "plain \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"},
    {"\x1b[2J\x07\x7f", true, "?[2J??"},
    {"a\nb\tc\r", true, "a\nb\tc?"},
    {"a\nb\tc\r", false, "a?b?c?"},
    {"\xc2\x9b\xc2\xa0", false, "?\xc2\xa0"}, /* C1, no-break space */
    {"\xe2\x80\xae x \xe2\x81\xa6\xe2\x80\x94", false,
     "? x ?\xe2\x80\x94"},                   /* turned writing, a dash */
    {"\xff\xc3-\xe2\x80", false, "?\?-?\?"}, /* no UTF-8 */
    {"", false, ""},
};

static void what_a_terminal_would_obey_is_not_shown(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(shown_cases); ++i) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s", shown_cases[i].text);
    tn_text_hide_controls(text, shown_cases[i].keeps_lines);
    expect_text(text, shown_cases[i].shown);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_buffer_is_text_at_any_time),
      cmocka_unit_test(numbers_print_shortest),
      cmocka_unit_test(random_bit_patterns_read_back),
      cmocka_unit_test(type_names_read_and_print),
      cmocka_unit_test(any_type_word_prints_in_its_space),
      cmocka_unit_test(what_a_terminal_would_obey_is_not_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
