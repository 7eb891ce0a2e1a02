/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Names of models as C identifiers, and how much scratch memory is counted (codegen/model). */
#include "codegen/model/model.h"
#include "tn_test.h"

static void any_text_becomes_an_identifier(void **state) {
  static const struct {
    const char *text;
    const char *symbol;
  } cases[] = {
      {"x", "x"},
      {"conv/1:0", "conv_1_0"},
      {"onnx::Flatten_0", "onnx__Flatten_0"},
      {"", "v"},
      {"1st", "v1st"},
      {"int", "int_"},
      {"workspace", "workspace_"},
      {"__init", "init"},
      {"a\"); system(\"x", "a____system__x"},
      {"na\xc3\xafve", "na__ve"},
      {"*/ evil /*", "v___evil___"},
      {"line\nbreak\\", "line_break_"},
      {"0123456789012345678901234567890123456789012345678901234567890123456789",
       "v01234567890123456789012345678901234567890123456789012345678"},
  };
  tn_ir *ir = tn_ir_new(0);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_strmap taken = {0};
    assert_string_equal(tn_model_symbol(ir, cases[i].text, &taken), cases[i].symbol);
    tn_strmap_deinit(&taken);
  }
  tn_ir_free(ir);
}

static void no_identifier_is_there_twice(void **state) {
  tn_ir *ir = tn_ir_new(0);
  tn_strmap taken = {0};
  (void)state;
  assert_string_equal(tn_model_symbol(ir, "a b", &taken), "a_b");
  assert_string_equal(tn_model_symbol(ir, "a/b", &taken), "a_b_2");
  assert_string_equal(tn_model_symbol(ir, "a_b_2", &taken), "a_b_2_2");
  assert_string_equal(tn_model_symbol(ir, "a:b", &taken), "a_b_3");
  tn_strmap_deinit(&taken);
  tn_ir_free(ir);
}

static void sizes_fold_and_keep_what_is_open(void **state) {
  tn_ir *ir = tn_ir_new(0);
  (void)state;
  const tn_node *n = tn_var_new(ir, "n", TN_DT_I64);
  const tn_node *two = tn_int(ir, TN_DT_I64, 2);
  const tn_node *five = tn_int(ir, TN_DT_I64, 5);
  const tn_node *none = tn_int(ir, TN_DT_I64, 0);
  assert_true(tn_is_int(tn_model_add(ir, two, five), 7));
  assert_true(tn_is_int(tn_model_max(ir, two, five), 5));
  assert_ptr_equal(tn_model_add(ir, n, none), n);
  assert_ptr_equal(tn_model_max(ir, none, n), n);
  assert_ptr_equal(tn_model_max(ir, n, n), n);
  tn_ir_free(ir);
}

static void a_size_of_any_integer_type_is_counted_in_64_bits(void **state) {
  tn_ir *ir = tn_ir_new(0);
  tn_map vars = {0};
  (void)state;
  const tn_node *small = tn_var_new(ir, "m", TN_DT_I32);
  const tn_node *given = tn_var_new(ir, "n", TN_DT_I64);
  const tn_node *expr = tn_binary(ir, TN_OP_MUL, small, tn_int(ir, TN_DT_I32, 4));
  assert_null(tn_model_widen(ir, expr, &vars));
  tn_map_set(&vars, small->id, (uint64_t)(uintptr_t)given);
  assert_ptr_equal(tn_model_widen(ir, expr, &vars),
                   tn_binary(ir, TN_OP_MUL, given, tn_int(ir, TN_DT_I64, 4)));
  tn_map_deinit(&vars);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_text_becomes_an_identifier),
      cmocka_unit_test(no_identifier_is_there_twice),
      cmocka_unit_test(sizes_fold_and_keep_what_is_open),
      cmocka_unit_test(a_size_of_any_integer_type_is_counted_in_64_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
