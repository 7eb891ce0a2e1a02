/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* ONNX models, written here byte by byte, as graph functions; and what is wrong with the others. */
#include "front/front.h"
#include "graph/graph.h"
#include "onnx_writer.h"
#include "tn_test.h"

enum { FLOAT = 1, INT64 = 7 };
static const int64_t two_three[] = {2, 3};

/* Imports the model (emptied) and prints the type of main, or gives the error. */
static tn_status import_type(onnx_model *m, const tn_onnx_opts *opts, char *out, size_t size) {
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_diags diags = {0};
  tn_buf text = TN_BUF_INIT;
  tn_buf bytes = onnx_bytes(m);
  tn_module_init(&module, ir, "Module");
  tn_status st = tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, opts, &module);
  if (st == NULL) {
    tn_module_verify(&module, &diags);
    st = tn_diags_to_status(&diags, ir);
  }
  if (st == NULL) {
    const tn_node *func = tn_module_find(&module, "main");
    for (uint32_t i = 0; i < func->in[TN_GFUNC_PARAMS]->n_in; ++i) {
      tn_ty_print(func->in[TN_GFUNC_PARAMS]->in[i]->in[0], &text);
      tn_buf_puts(&text, " ");
    }
    tn_buf_puts(&text, "-> ");
    tn_ty_print(func->in[TN_GFUNC_RET], &text);
    (void)snprintf(out, size, "%s", tn_buf_text(&text));
  }
  tn_buf_deinit(&text);
  tn_buf_deinit(&bytes);
  tn_module_deinit(&module);
  tn_ir_free(ir);
  return st;
}

static void expect_type(onnx_model *m, const char *want) {
  char got[1024] = "";
  expect_ok(import_type(m, NULL, got, sizeof got));
  expect_text(got, want);
}

static void expect_refused(onnx_model *m, tn_code code, const char *part) {
  char got[1024] = "";
  expect_error(import_type(m, NULL, got, sizeof got), code, part);
}

/* ---- what is read ---- */

static void a_node_becomes_a_call(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_node(&m, "Relu", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2, 3), dtype=\"float32\") -> R.Tensor((2, 3), dtype=\"float32\")");
}

static void several_outputs_are_a_tuple_and_may_be_inputs(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "Abs", "x", "y", NULL);
  onnx_output(&m, "y");
  onnx_output(&m, "x");
  expect_type(&m, "R.Tensor((2,), dtype=\"float32\") -> R.Tuple(R.Tensor((2,), dtype=\"float32\"), "
                  "R.Tensor((2,), dtype=\"float32\"))");
}

static void nodes_may_stand_in_any_order(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "Exp", "a", "y", NULL);
  onnx_node(&m, "Abs", "x", "a", NULL);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2,), dtype=\"float32\") -> R.Tensor((2,), dtype=\"float32\")");
}

static void named_dimensions_stay_open(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, (const int64_t[]){-1, 3});
  onnx_node(&m, "Flatten", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_type(&m,
              "R.Tensor((\"n\", 3), dtype=\"float32\") -> R.Tensor((\"n\", 3), dtype=\"float32\")");
}

static void a_given_shape_fixes_them(void **state) {
  (void)state;
  char got[1024] = "";
  const char *shapes[] = {"x=5,-1"};
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, (const int64_t[]){-1, 3});
  onnx_node(&m, "Abs", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_ok(import_type(&m, &(tn_onnx_opts){.shapes = shapes, .n_shapes = 1}, got, sizeof got));
  expect_text(got, "R.Tensor((5, 3), dtype=\"float32\") -> R.Tensor((5, 3), dtype=\"float32\")");
}

static void a_shape_for_no_input_is_refused(void **state) {
  (void)state;
  char got[1024] = "";
  const char *shapes[] = {"z=5"};
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_output(&m, "x");
  expect_error(import_type(&m, &(tn_onnx_opts){.shapes = shapes, .n_shapes = 1}, got, sizeof got),
               TN_INVALID, "no such input");
}

static void a_new_shape_may_be_a_constant_or_an_input(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_ints(&m, "s", 2, (const int64_t[]){3, -1});
  onnx_node(&m, "Reshape", "x s", "y", NULL);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2, 3), dtype=\"float32\") -> R.Tensor((3, 2), dtype=\"float32\")");
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_input(&m, "s", INT64, 1, (const int64_t[]){3});
  onnx_node(&m, "Reshape", "x s", "y", NULL);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2, 3), dtype=\"float32\") R.Tensor((3,), dtype=\"int64\") -> "
                  "R.Tensor(dtype=\"float32\", ndim=3)");
}

static void an_input_that_decides_a_type_may_be_given(void **state) {
  (void)state;
  char got[1024] = "";
  int64_t axis = 1;
  int64_t one = 1;
  tn_array value = {.data = &axis, .dtype = TN_DT_I64, .ndim = 1, .shape = {one}, .is_view = true};
  const tn_array *values[] = {NULL, &value};
  bool are_taken[2] = {false, false};
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_input(&m, "axes", INT64, 1, &one);
  onnx_node(&m, "Unsqueeze", "x axes", "y", NULL);
  onnx_output(&m, "y");
  const tn_onnx_opts opts = {.values = values, .n_values = 2, .are_taken = are_taken};
  expect_ok(import_type(&m, &opts, got, sizeof got));
  expect_text(got, "R.Tensor((2, 3), dtype=\"float32\") -> R.Tensor((2, 1, 3), dtype=\"float32\")");
  assert_true(are_taken[1] && !are_taken[0]);
}

/* The axes' number has a name in the model, and other inputs' lengths are compared with it. */
static void a_given_input_tells_the_sizes_that_its_type_names(void **state) {
  (void)state;
  char got[1024] = "";
  int64_t axis = 1;
  tn_array value = {.data = &axis, .dtype = TN_DT_I64, .ndim = 1, .shape = {1}, .is_view = true};
  const tn_array *values[] = {NULL, &value};
  bool are_taken[2] = {false, false};
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_input(&m, "axes", INT64, 1, (const int64_t[]){-1});
  onnx_ints(&m, "starts", 1, (const int64_t[]){1});
  onnx_ints(&m, "ends", 1, (const int64_t[]){3});
  onnx_node(&m, "Slice", "x starts ends axes", "y", NULL);
  onnx_output(&m, "y");
  const tn_onnx_opts opts = {.values = values, .n_values = 2, .are_taken = are_taken};
  expect_ok(import_type(&m, &opts, got, sizeof got));
  expect_text(got, "R.Tensor((2, 3), dtype=\"float32\") -> R.Tensor((2, 2), dtype=\"float32\")");
  assert_true(are_taken[1]);
}

/* Both branches call their result as the node calls its own, and one reads a name of outside. */
static void a_graph_inside_hides_names_around_it(void **state) {
  (void)state;
  tn_buf attrs = TN_BUF_INIT;
  onnx_model then = onnx_model_make(13);
  onnx_model otherwise = onnx_model_make(13);
  onnx_node(&then, "Neg", "x", "y", NULL);
  onnx_output(&then, "y");
  onnx_node(&otherwise, "Abs", "later", "z", NULL);
  onnx_output(&otherwise, "z");
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "cond", 9, 0, NULL);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_attr_graph(&attrs, "then_branch", &then);
  onnx_attr_graph(&attrs, "else_branch", &otherwise);
  onnx_node(&m, "If", "cond", "y", &attrs);
  onnx_node(&m, "Exp", "y", "z", NULL);
  onnx_node(&m, "Log", "x", "later", NULL);
  onnx_output(&m, "z");
  expect_type(&m, "R.Tensor((), dtype=\"bool\") R.Tensor((2, 3), dtype=\"float32\") -> "
                  "R.Tensor((2, 3), dtype=\"float32\")");
}

/* FunctionProto (field 25 of a model): a name, an overload, one input and output, one node. */
static void add_function(tn_buf *file, const char *name, const char *overload, const char *op) {
  tn_buf node = TN_BUF_INIT;
  tn_buf opset = TN_BUF_INIT;
  tn_buf func = TN_BUF_INIT;
  wire_text(&node, 1, "a");
  wire_text(&node, 2, "b");
  wire_text(&node, 4, op);
  wire_int(&opset, 2, 13);
  wire_text(&func, 1, name);
  wire_text(&func, 4, "a");
  wire_text(&func, 5, "b");
  wire_message(&func, 7, &node);
  wire_message(&func, 9, &opset);
  wire_text(&func, 10, "own");
  wire_text(&func, 13, overload);
  wire_message(file, 25, &func);
}

static void functions_of_one_name_differ_by_their_overload(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_buf node = TN_BUF_INIT;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  wire_text(&node, 1, "x");
  wire_text(&node, 2, "y");
  wire_text(&node, 4, "f");
  wire_text(&node, 7, "own");
  wire_text(&node, 8, "second");
  wire_message(&m.graph, 1, &node);
  onnx_output(&m, "y");
  tn_buf file = onnx_bytes(&m);
  add_function(&file, "f", "first", "Shape");
  add_function(&file, "f", "second", "Neg");
  tn_module_init(&module, ir, "Module");
  expect_ok(tn_onnx_import_bytes((const uint8_t *)file.data, file.len, NULL, NULL, &module));
  const tn_node *type = tn_module_find(&module, "main")->in[TN_GFUNC_RET];
  assert_int_equal(type->dtype, TN_DT_F32);
  tn_buf_deinit(&file);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void operators_have_versions(void **state) {
  (void)state;
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = onnx_model_make(10);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_attr_float(&attrs, "min", -1);
  onnx_node(&m, "Clip", "x", "y", &attrs);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2,), dtype=\"float32\") -> R.Tensor((2,), dtype=\"float32\")");
  m.opset = 11; /* two inputs are left out at the end: nothing to clip at */
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "Clip", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_type(&m, "R.Tensor((2,), dtype=\"float32\") -> R.Tensor((2,), dtype=\"float32\")");
}

/* ---- what is refused ---- */

static void all_that_is_missing_is_one_list(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "Foo", "x", "a", NULL);
  onnx_node(&m, "Foo", "a", "b", NULL);
  onnx_node(&m, "Bar", "b", "y", NULL);
  onnx_output(&m, "y");
  expect_refused(&m, TN_UNSUPPORTED,
                 "2 operators of the model are not supported:\n"
                 "  Foo (ai.onnx, opset 13): 2 nodes, first 'a'\n"
                 "  Bar (ai.onnx, opset 13): 1 node, first 'y'");
}

static void a_cycle_is_refused(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_node(&m, "Abs", "b", "a", NULL);
  onnx_node(&m, "Exp", "a", "b", NULL);
  onnx_output(&m, "b");
  expect_refused(&m, TN_INVALID, "part of a cycle");
}

static void a_value_has_one_maker(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "Abs", "x", "y", NULL);
  onnx_node(&m, "Exp", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_refused(&m, TN_INVALID, "two nodes write 'y'");
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_input(&m, "y", FLOAT, 1, two_three);
  onnx_node(&m, "Abs", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_refused(&m, TN_INVALID, "node 'y' writes 'y', which is an input or initializer");
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_output(&m, "x");
  expect_refused(&m, TN_INVALID, "two inputs are called 'x'");
}

/* 30 functions that each call the next one twice. */
static void functions_that_write_out_to_too_much_are_refused(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  onnx_model m = onnx_model_make(13);
  m.domain = "own";
  m.domain_version = 1;
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_node(&m, "f0", "x", "y", NULL);
  onnx_output(&m, "y");
  tn_buf file = onnx_bytes(&m);
  for (int i = 0; i < 30; ++i) {
    tn_buf func = TN_BUF_INIT;
    char name[16];
    (void)snprintf(name, sizeof name, "f%d", i);
    wire_text(&func, 1, name);
    wire_text(&func, 4, "a");
    wire_text(&func, 5, "c");
    wire_text(&func, 10, "own");
    (void)snprintf(name, sizeof name, "f%d", i + 1);
    for (int k = 0; k < 2; ++k) {
      tn_buf node = TN_BUF_INIT;
      wire_text(&node, 1, k == 0 ? "a" : "b");
      wire_text(&node, 2, k == 0 ? "b" : "c");
      wire_text(&node, 4, i < 29 ? name : "Identity");
      wire_text(&node, 7, i < 29 ? "own" : "");
      wire_message(&func, 7, &node);
    }
    tn_buf opset = TN_BUF_INIT;
    wire_int(&opset, 2, 13);
    wire_message(&func, 9, &opset);
    wire_message(&file, 25, &func);
  }
  tn_module_init(&module, ir, "Module");
  expect_error(tn_onnx_import_bytes((const uint8_t *)file.data, file.len, NULL, NULL, &module),
               TN_UNSUPPORTED, "the model has more than");
  tn_buf_deinit(&file);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void what_nobody_makes_is_refused(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_node(&m, "Abs", "x", "y", NULL);
  onnx_output(&m, "y");
  expect_refused(&m, TN_INVALID, "its input 'x' is made by nobody");
  onnx_output(&m, "z");
  expect_refused(&m, TN_INVALID, "output 'z' is made by nobody");
}

static void an_attribute_of_another_type_is_refused(void **state) {
  (void)state;
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_attr_float(&attrs, "axis", 1);
  onnx_node(&m, "Softmax", "x", "y", &attrs);
  onnx_output(&m, "y");
  expect_refused(&m, TN_INVALID, "attribute 'axis' has type 1, expected an integer");
}

static void a_later_opset_is_refused(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(9999);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_output(&m, "x");
  expect_refused(&m, TN_UNSUPPORTED, "opset 9999");
}

static void an_axis_out_of_range_is_refused(void **state) {
  (void)state;
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 1, two_three);
  onnx_attr_int(&attrs, "axis", 7);
  onnx_node(&m, "Softmax", "x", "y", &attrs);
  onnx_output(&m, "y");
  expect_refused(&m, TN_INVALID, "node 'y' (Softmax): axis 7 of a tensor of 1 dimensions");
}

/* Every beginning of a file is an error or a model, never more. */
static void a_file_cut_anywhere_ends_in_an_error(void **state) {
  (void)state;
  onnx_model m = onnx_model_make(13);
  onnx_input(&m, "x", FLOAT, 2, two_three);
  onnx_ints(&m, "s", 2, (const int64_t[]){3, -1});
  onnx_node(&m, "Reshape", "x s", "y", NULL);
  onnx_output(&m, "y");
  tn_buf bytes = onnx_bytes(&m);
  for (size_t n = 0; n < bytes.len; ++n) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    uint8_t *cut = malloc(n + 1); /* so that a sanitizer sees what is behind it */
    assert_non_null(cut);
    memcpy(cut, bytes.data, n);
    tn_module_init(&module, ir, "Module");
    tn_status_free(tn_onnx_import_bytes(cut, n, NULL, NULL, &module));
    tn_module_deinit(&module);
    tn_ir_free(ir);
    free(cut);
  }
  tn_buf_deinit(&bytes);
}

static void messages_too_deep_are_refused(void **state) {
  (void)state;
  tn_buf inner = TN_BUF_INIT;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  for (int i = 0; i < 201; ++i) { /* a graph in an attribute of a node of a graph ... */
    static const uint32_t fields[] = {6, 5, 1};
    tn_buf outer = TN_BUF_INIT;
    wire_message(&outer, fields[i % 3], &inner);
    inner = outer;
  }
  tn_buf file = TN_BUF_INIT;
  wire_message(&file, 7, &inner);
  expect_error(tn_onnx_import_bytes((const uint8_t *)file.data, file.len, NULL, NULL, &module),
               TN_CORRUPT, "deep");
  tn_buf_deinit(&file);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void sizes_that_the_file_does_not_hold_are_refused(void **state) {
  (void)state;
  static const struct {
    int64_t dim;
    size_t n_bytes;
    tn_code code;
    const char *part;
  } rows[] = {{1000000, 16, TN_CORRUPT, "the file holds 16 bytes"},
              {-1, 4, TN_INVALID, "negative"},
              {INT64_MAX, 4, TN_INVALID, "overflows"},
              {3, 13, TN_CORRUPT, "13 bytes"}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const uint8_t zeros[16] = {0};
    onnx_model m = onnx_model_make(13);
    tn_buf tensor = TN_BUF_INIT;
    wire_int(&tensor, 1, rows[i].dim);
    wire_int(&tensor, 2, FLOAT);
    wire_text(&tensor, 8, "w");
    wire_bytes(&tensor, 9, zeros, rows[i].n_bytes);
    wire_message(&m.graph, 5, &tensor);
    onnx_output(&m, "w");
    expect_refused(&m, rows[i].code, rows[i].part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_node_becomes_a_call),
      cmocka_unit_test(several_outputs_are_a_tuple_and_may_be_inputs),
      cmocka_unit_test(nodes_may_stand_in_any_order),
      cmocka_unit_test(named_dimensions_stay_open),
      cmocka_unit_test(a_given_shape_fixes_them),
      cmocka_unit_test(a_shape_for_no_input_is_refused),
      cmocka_unit_test(a_new_shape_may_be_a_constant_or_an_input),
      cmocka_unit_test(an_input_that_decides_a_type_may_be_given),
      cmocka_unit_test(a_given_input_tells_the_sizes_that_its_type_names),
      cmocka_unit_test(a_graph_inside_hides_names_around_it),
      cmocka_unit_test(functions_of_one_name_differ_by_their_overload),
      cmocka_unit_test(operators_have_versions),
      cmocka_unit_test(all_that_is_missing_is_one_list),
      cmocka_unit_test(a_cycle_is_refused),
      cmocka_unit_test(a_value_has_one_maker),
      cmocka_unit_test(functions_that_write_out_to_too_much_are_refused),
      cmocka_unit_test(what_nobody_makes_is_refused),
      cmocka_unit_test(an_attribute_of_another_type_is_refused),
      cmocka_unit_test(a_later_opset_is_refused),
      cmocka_unit_test(an_axis_out_of_range_is_refused),
      cmocka_unit_test(a_file_cut_anywhere_ends_in_an_error),
      cmocka_unit_test(messages_too_deep_are_refused),
      cmocka_unit_test(sizes_that_the_file_does_not_hold_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
