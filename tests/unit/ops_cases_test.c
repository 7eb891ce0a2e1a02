/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every operator's examples: the type rule against the example, the reference's shape against the
 * type rule, the loop-level form, run by the loop interpreter, against the reference. */
#include "ops_example.h"

/* The loop form on the tensors among the arrays, its results beside the reference's. */
static void run_loops(const example *x, uint32_t n_results, const tn_array *want,
                      const char *what) {
  const tn_node *func = NULL;
  tn_module module;
  tn_diags diags = {0};
  tn_array loops[MAX_ITEMS];
  tn_tir_arg args[2 * MAX_ITEMS];
  int32_t n = 0;
  expect_ok(tn_op_of(x->call)->lower(x->ir, x->call, &func));
  tn_module_init(&module, x->ir, "Module");
  tn_module_set(&module, "f", func);
  tn_module_verify(&module, &diags);
  expect_ok(tn_diags_to_status(&diags, x->ir));
  for (uint32_t i = 0; i < x->n_arrays; ++i) {
    if (!x->is_shape[i]) {
      args[n++] = (tn_tir_arg){.array = (tn_array *)(uintptr_t)&x->arrays[i]};
    }
  }
  for (uint32_t i = 0; i < n_results; ++i) {
    expect_ok(tn_array_init(&loops[i], want[i].dtype, want[i].ndim, want[i].shape));
    memset(loops[i].data, 0x5a, tn_array_n_bytes(&loops[i]));
    args[n++] = (tn_tir_arg){.array = &loops[i]};
  }
  expect_ok(tn_tir_interp(&module, "f", args, n, NULL, NULL));
  for (uint32_t i = 0; i < n_results; ++i) {
    expect_close(&want[i], &loops[i], what);
    tn_array_deinit(&loops[i]);
  }
  tn_module_deinit(&module);
}

/* Reference and loops of an example whose type is known. */
static void run_typed(const example *x, const tn_node *type, const char *what) {
  const tn_array *args[MAX_ITEMS];
  tn_array results[MAX_ITEMS] = {{0}};
  for (uint32_t i = 0; i < x->n_arrays; ++i) {
    args[i] = &x->arrays[i];
  }
  expect_ok(tn_op_of(x->call)->eval(x->call, args, (int32_t)x->n_arrays, results));
  bool is_tuple = type->op == TN_OP_TY_TUPLE;
  uint32_t n_results = is_tuple ? type->n_in : 1;
  for (uint32_t i = 0; i < n_results; ++i) {
    expect_true(tn_ty_of_array(x->ir, &results[i]) == (is_tuple ? type->in[i] : type),
                "%s: reference's shape", what);
  }
  run_loops(x, n_results, results, what);
  for (uint32_t i = 0; i < n_results; ++i) {
    tn_array_deinit(&results[i]);
  }
}

static void run_example(const tn_op_case *c, const example *x, const char *what) {
  const tn_infer_ctx ctx = {.ir = x->ir};
  const tn_node *type = NULL;
  const tn_node *want = NULL;
  (void)read_types(x->ir, c->result, &want);
  expect_ok(tn_graph_infer(&ctx, x->call, &type));
  expect_true(type == want, "%s: type rule", what);
  run_typed(x, type, what);
}

static void rule_reference_and_loops_agree_for_every_example(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  tn_rng rng = tn_rng_make(1);
  for (uint32_t i = 0; i < n; ++i) {
    example x;
    char what[160];
    (void)snprintf(what, sizeof what, "%s(%s) %s", cases[i].op, cases[i].args, cases[i].fields);
    example_init(&x, tn_ir_new(0), &cases[i], &rng);
    run_example(&cases[i], &x, what);
    example_deinit(&x);
    tn_ir_free(x.ir);
  }
}

/* "f32[2,3] i32[2]" with another type in the place of float32. */
static bool retyped(const char *text, const char *type, char *out, size_t size) {
  bool is_changed = false;
  size_t n = 0;
  while (*text != '\0' && n + 8 < size) {
    if (strncmp(text, "f32", 3) == 0) {
      n += (size_t)snprintf(out + n, size - n, "%s", type);
      text += 3;
      is_changed = true;
    } else {
      out[n++] = *text++;
    }
  }
  out[n] = '\0';
  return is_changed;
}

static void every_example_of_floats_is_one_of_the_other_types_too(void **state) {
  (void)state;
  static const char *const types[] = {"f64", "i8", "i32", "i64", "u8", "u16", "bool"};
  uint32_t n = 0;
  uint32_t n_run = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  tn_rng rng = tn_rng_make(6);
  for (uint32_t i = 0; i < n; ++i) {
    for (size_t t = 0; t < TN_N_ROWS(types); ++t) {
      char args[256];
      char what[320];
      example x;
      const tn_node *type = NULL;
      if (!retyped(cases[i].args, types[t], args, sizeof args)) {
        continue;
      }
      const tn_op_case c = {cases[i].op, args, cases[i].fields, ""};
      (void)snprintf(what, sizeof what, "%s(%s) %s", c.op, c.args, c.fields);
      example_init(&x, tn_ir_new(0), &c, &rng);
      const tn_infer_ctx ctx = {.ir = x.ir};
      tn_status st = tn_graph_infer(&ctx, x.call, &type);
      if (st == NULL) {
        run_typed(&x, type, what);
        ++n_run;
      }
      tn_status_free(st); /* not a type of this operator */
      example_deinit(&x);
      tn_ir_free(x.ir);
    }
  }
  assert_true(n_run > n);
}

/* NaN, infinities and zeros of both signs among the floats. Not in the kernel of a convolution: the
 * reference leaves out the padding that loops multiply by it. */
static void fill_special(example *x, const char *op, tn_rng *rng) {
  bool is_first_alone = strncmp(op, "nn.conv", 7) == 0;
  static const double values[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0};
  for (uint32_t i = 0; i < (is_first_alone ? 1 : x->n_arrays); ++i) {
    for (int64_t e = 0;
         tn_dtype_is_float(x->arrays[i].dtype) && e < tn_array_n_elems(&x->arrays[i]); ++e) {
      uint64_t draw = tn_rng_below(rng, 2 * TN_N_ROWS(values));
      if (draw < TN_N_ROWS(values)) {
        tn_array_set_f64(&x->arrays[i], e, values[draw]);
      }
    }
  }
}

static void nan_and_infinities_go_the_same_way(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  tn_rng rng = tn_rng_make(7);
  for (uint32_t i = 0; i < n; ++i) {
    for (int round = 0; round < 4; ++round) {
      example x;
      const tn_node *type = NULL;
      char what[160];
      (void)snprintf(what, sizeof what, "%s(%s) %s, special", cases[i].op, cases[i].args,
                     cases[i].fields);
      example_init(&x, tn_ir_new(0), &cases[i], &rng);
      fill_special(&x, cases[i].op, &rng);
      const tn_infer_ctx ctx = {.ir = x.ir};
      expect_ok(tn_graph_infer(&ctx, x.call, &type));
      run_typed(&x, type, what);
      example_deinit(&x);
      tn_ir_free(x.ir);
    }
  }
}

static void the_table_is_sorted_and_every_operator_has_an_example(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  const tn_op_table *table = tn_ops_table();
  for (int32_t i = 0; i < table->n; ++i) {
    const char *name = table->defs[i]->def.name;
    bool is_shown = strcmp(name, "reshape") == 0; /* with -1 among the extents, see below */
    for (uint32_t k = 0; k < n; ++k) {
      is_shown = is_shown || strcmp(cases[k].op, name) == 0;
    }
    expect_true(is_shown, "'%s' has no example", name);
    expect_true(i == 0 || strcmp(table->defs[i - 1]->def.name, name) < 0, "'%s' is out of order",
                name);
  }
}

static const tn_node *reshape_call(tn_ir *ir, const char *from, uint32_t n, const int64_t *to) {
  const tn_node *dims[4];
  const tn_node *type = NULL;
  (void)read_type(ir, from, &type);
  for (uint32_t i = 0; i < n; ++i) {
    dims[i] = tn_int(ir, TN_DT_I64, to[i]);
  }
  const tn_node *args[] = {
      tn_node_new(ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(ir, "x")}, 1, &type),
      tn_node_new(ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, n, dims),
  };
  return tn_call_new(ir, tn_op_table_find(tn_ops_table(), "reshape"), 2, args, NULL, NULL);
}

static void reshape_agrees_and_finds_the_open_extent(void **state) {
  (void)state;
  static const struct {
    const char *from;
    uint32_t n;
    int64_t to[4];
    const char *result;
  } rows[] = {{"f32[2,6]", 2, {3, 4}, "f32[3,4]"},
              {"f32[2,6]", 2, {-1, 2}, "f32[6,2]"},
              {"f32[2,3,4]", 1, {24}, "f32[24]"},
              {"f32[1]", 0, {0}, "f32[]"}};
  tn_rng rng = tn_rng_make(2);
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_op_case c = {"reshape", rows[i].from, "", rows[i].result};
    example x;
    example_init(&x, tn_ir_new(0), &(tn_op_case){"abs", rows[i].from, "", rows[i].from}, &rng);
    x.call = reshape_call(x.ir, rows[i].from, rows[i].n, rows[i].to);
    run_example(&c, &x, rows[i].from);
    example_deinit(&x);
    tn_ir_free(x.ir);
  }
  tn_ir *ir = tn_ir_new(0);
  const tn_infer_ctx ctx = {.ir = ir};
  const tn_node *type = NULL;
  expect_error(tn_graph_infer(&ctx, reshape_call(ir, "f32[2,6]", 2, (int64_t[]){5, 2}), &type),
               TN_INVALID, "the tensor has 12 elements, the new shape has 10");
  expect_error(tn_graph_infer(&ctx, reshape_call(ir, "f32[2,6]", 2, (int64_t[]){-1, 5}), &type),
               TN_INVALID, "12 elements do not divide into rows of 5");
  tn_ir_free(ir);
}

static void wrong_operands_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *op;
    const char *args;
    const char *fields;
    const char *part;
  } rows[] = {
      {"add", "f32[2] f64[2]", "", "R.add: the operands have types float32 and float64"},
      {"add", "f32[2] f32[3]", "", "R.add: the extents 2 and 3 do not broadcast"},
      {"exp", "i32[2]", "", "R.exp: the operand has type int32, expected a float type"},
      {"power", "i32[2] i32[2]", "", "expected a float type"},
      {"matmul", "f32[2,3] f32[4,5]", "", "3 columns on the left, 4 rows on the right"},
      {"matmul", "f32[] f32[4]", "", "no dimensions"},
      {"sum", "f32[2,3]", "axis=[2]", "axis 2 of sum is outside of 2 dimensions"},
      {"sum", "f32[2,3]", "axis=[0,-2]", "axis 0 is there twice"},
      {"permute_dims", "f32[2,3]", "axes=[0]", "1 axes for 2 dimensions"},
      {"nn.softmax", "i32[3]", "", "expected a float type"},
      {"bitwise_and", "f32[2] f32[2]", "", "expected an integer type or bool"},
      {"left_shift", "bool[2] bool[2]", "", "expected an integer type"},
      {"logical_or", "i8[2] i8[2]", "", "expected bool"},
      {"logical_not", "i8[2]", "", "expected bool"},
      {"isnan", "i8[2]", "", "expected a float type"},
      {"nn.conv2d", "f32[1,3,4,4] f32[2,4,3,3]", "",
       "the data's channel dimension has extent 3, the kernel's times 'groups' 4"},
      {"nn.conv2d", "f32[1,4,4,4] f32[3,2,3,3]", "groups=2",
       "3 output channels do not divide into 2 groups"},
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,7,3]", "padding=1",
       "kernel extent 7 exceeds padded input extent 6"},
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,3,3]", "padding=[1,1,1]",
       "'padding' has 3 numbers, expected 1, 2 or 4"},
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,3,3]", "strides=0", "'strides' holds 0"},
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,3,3]", "groups=0", "'groups' is 0"},
      {"nn.conv2d", "f32[1,1,4] f32[1,1,3,3]", "", "the data has 3 dimensions, expected 4"},
      {"nn.conv2d", "f32[1,1,4,4] f16[1,1,3,3]", "", "types float32 and float16"},
      {"nn.max_pool2d", "f32[1,1,4,4]", "pool_size=5", "kernel extent 5 exceeds"},
      {"nn.max_pool2d", "f32[1,1,4,4]", "pool_size=0", "'pool_size' holds 0"},
      {"nn.batch_norm", "f32[2,3] f32[3] f32[3] f32[4] f32[3]", "", "argument 3 has extent 4"},
      {"nn.layer_norm", "f32[2,3] f32[2] f32[3]", "", "argument 1 has extent 2"},
      {"nn.prelu", "f32[2,3] f32[2]", "", "alpha has extent 2"},
      {"variance", "i32[3]", "", "expected a float type"},
      {"concat", "(f32[2,3] f32[2,4])", "", "the first tensor has extent 3, another one 4"},
      {"concat", "(f32[2] i32[2])", "", "types float32 and int32"},
      {"concat", "(f32[2] f32[2,2])", "", "has 2 dimensions, expected 1"},
      {"split", "f32[4]", "indices_or_sections=0", "0 parts"},
      {"take", "f32[4] f32[2]", "axis=0", "the indices have type float32"},
      {"where", "f32[2] f32[2] f32[2]", "", "the condition has type float32, expected bool"},
      {"one_hot", "i32[2] f32[] f32[]", "depth=0", "'depth' is 0"},
      {"squeeze", "f32[1,2]", "axis=[1]", "axis 1 has extent 2, expected 1"},
      {"expand_dims", "f32[2]", "axis=[0,0]", "axis 0 is there twice"},
      {"broadcast_to", "f32[2] shape[3]", "", "the extents 2 and 3 do not broadcast"},
      {"broadcast_to", "f32[2,2] shape[2]", "", "does not broadcast to 1"},
      {"strided_slice", "f32[4]", "begin=[0] end=[2] strides=[0]", "a stride of 0"},
      {"strided_slice", "f32[4]", "begin=[0,1] end=[2]", "2 begins, 1 ends"},
      {"nn.pad", "f32[4]", "pad_width=[1]", "pad_width has 1 numbers for 1 dimensions"},
      {"nn.pad", "f32[4]", "pad_width=[-1,0]", "below 0"},
      {"tril", "f32[4]", "", "has no diagonal"},
      {"repeat", "f32[4]", "repeats=-1", "-1 repeats"},
      {"argmax", "f32[4]", "axis=1", "outside of 1 dimensions"},
      {"full", "shape[2] f32[2]", "", "the value has 1 dimensions, expected 0"},
      {"mean", "bool[2]", "", "type bool, expected numbers"},
      {"gather_elements", "f32[2,3] i32[3,3]", "axis=1",
       "dimension 0 has extent 2, the indices' 3"},
      {"gather_nd", "f32[2,3] i32[4,3]", "", "an index of 3 numbers into 2 dimensions"},
      {"index_tensor", "f32[2] (i32[1] i32[1])", "", "2 tensors of indices for 1 dimensions"},
      {"scatter_elements", "f32[2] i32[3] f32[2]", "", "the tensor of indices has extent 3"},
      {"scatter_elements", "bool[2] i32[2] bool[2]", "reduction=add", "are replaced alone"},
      {"scatter_nd", "f32[2,3] i32[4,1] f32[4]", "", "has 1 dimensions, expected 2"},
      {"topk", "f32[3]", "k=4", "'k' is 4 for an axis of extent 3"},
      {"topk", "f32[3]", "k=0", "'k' is 0"},
      {"sort", "f32[]", "", "axis -1 of sort is outside of 0 dimensions"},
      {"quantize", "f32[2] f32[] i8[]", "out_dtype=f32", "no type of integers"},
      {"dequantize", "i8[2,3] f32[2] i8[2]", "", "the scale has extent 2, the axis 3"},
      {"dequantize", "i8[4] f32[3] i8[]", "block_size=2",
       "the scale has extent 3, the blocks of the axis 2"},
      {"nn.conv2d_transpose", "f32[1,2,3,3] f32[3,1,2,2]", "", "the kernel's 3"},
      {"nn.conv2d_transpose", "f32[1,2,3,3] f32[2,1,2,2]", "output_padding=1",
       "less than a stride or dilation"},
      {"nn.conv2d_transpose", "f32[1,1,1,1] f32[1,1,2,2]", "padding=1", "a result of extent 0"},
      {"nn.group_norm", "f32[2,5] f32[5] f32[5]", "num_groups=2 axes=[]", "do not divide"},
      {"nn.instance_norm", "f32[2,5] f32[4] f32[5]", "axes=[]", "gamma has extent 4"},
      {"image.resize2d", "f32[1,1,2,2] shape[3]", "", "a size of 1 extents, expected 2"},
      {"image.resize2d", "i8[1,1,2,2] shape[3,3]", "", "type int8, expected a float type"},
      {"image.resize_axis", "f32[0,2] shape[3]", "axis=0", "cannot get such an extent"},
      {"image.grid_sample", "f32[1,1,2,2] f32[1,2,2,3]", "", "the grid's last dimension"},
      {"einsum", "(f32[2,3] f32[4,5])", "subscripts=ij,jk", "a letter has extent 3"},
      {"einsum", "(f32[2,3])", "subscripts=i", "1 letters for 2 dimensions"},
      {"einsum", "(f32[2,3])", "subscripts=ij->ik", "in no operand"},
      {"einsum", "(f32[2] f32[2])", "subscripts=i", "not as many operands as the 2"},
      {"arange", "", "start=0 end=4 step=0", "is no number of steps"},
      {"eye", "", "n=-1", "-1 rows"},
      {"stack", "(f32[2] f32[3])", "", "the first tensor has extent 2, another one 3"},
      {"meshgrid", "(f32[2] f32[2,2])", "", "has 2 dimensions, expected 1"},
      {"nn.lstm", "f32[4,2,12] f32[3,9] f32[2,3] f32[2,3] f32[9] i32[2]", "",
       "argument 1 has extent 9"},
      {"nn.gru", "f32[4,2,9] f32[3,9] f32[2,3] f32[9] f32[2]", "", "the lengths have type"},
      {"take_first", "f32[2] shape[3]", "", "the first 3 of dimension 0"},
      {"vision.non_max_suppression_padded", "f32[1,5,4] f32[1,2,6]", "max_output_size=1",
       "the boxes' second dimension has extent 5"},
  };
  tn_rng rng = tn_rng_make(3);
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_op_case c = {rows[i].op, rows[i].args, rows[i].fields, ""};
    example x;
    example_init(&x, tn_ir_new(0), &c, &rng);
    const tn_infer_ctx ctx = {.ir = x.ir};
    const tn_node *type = NULL;
    expect_error(tn_graph_infer(&ctx, x.call, &type), TN_INVALID, rows[i].part);
    example_deinit(&x);
    tn_ir_free(x.ir);
  }
}

static void what_is_not_there_is_said(void **state) {
  (void)state;
  static const struct {
    const char *op;
    const char *args;
    const char *fields;
    const char *part;
  } rows[] = {
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,3,3]", "data_layout=NCHW4c", "layout 'NCHW4c'"},
      {"nn.conv2d", "f32[1,1,4,4] f32[1,1,3,3]", "kernel_layout=NCHW", "order of the letters OIHW"},
      {"nn.batch_norm", "f32[2,3] f32[3] f32[3] f32[3] f32[3]", "training=1", "training=True"},
      {"nn.pad", "f32[4]", "pad_width=[1,1] pad_mode=reflect", "pad_mode 'reflect'"},
      {"take", "f32[4] i32[2]", "axis=0 mode=nan", "mode 'nan'"},
      {"take", "f32[4,4] i32[2]", "", "take from 2 dimensions needs an axis"},
      {"cumsum", "f32[4,4]", "", "needs an axis"},
  };
  tn_rng rng = tn_rng_make(4);
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_op_case c = {rows[i].op, rows[i].args, rows[i].fields, ""};
    example x;
    example_init(&x, tn_ir_new(0), &c, &rng);
    const tn_infer_ctx ctx = {.ir = x.ir};
    const tn_node *type = NULL;
    expect_error(tn_graph_infer(&ctx, x.call, &type), TN_UNSUPPORTED, rows[i].part);
    example_deinit(&x);
    tn_ir_free(x.ir);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_sorted_and_every_operator_has_an_example),
      cmocka_unit_test(rule_reference_and_loops_agree_for_every_example),
      cmocka_unit_test(every_example_of_floats_is_one_of_the_other_types_too),
      cmocka_unit_test(nan_and_infinities_go_the_same_way),
      cmocka_unit_test(reshape_agrees_and_finds_the_open_extent),
      cmocka_unit_test(wrong_operands_are_refused),
      cmocka_unit_test(what_is_not_there_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
