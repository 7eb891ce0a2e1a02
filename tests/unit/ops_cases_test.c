/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every operator's examples: the type rule against the example, the reference's shape against the
 * type rule, the loop-level form, run by the loop interpreter, against the reference. */
#include "tn_test.h"

#include <math.h>

#include "ops/ops.h"
#include "tir/tir.h"

/* "f32" -> float32 */
static tn_dtype dtype_of(const char *text, size_t len) {
  static const struct {
    const char *name;
    tn_dtype dtype;
  } rows[] = {{"f16", TN_DT_F16}, {"f32", TN_DT_F32},  {"f64", TN_DT_F64}, {"i8", TN_DT_I8},
              {"i16", TN_DT_I16}, {"i32", TN_DT_I32},  {"i64", TN_DT_I64}, {"u8", TN_DT_U8},
              {"u16", TN_DT_U16}, {"bool", TN_DT_BOOL}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    if (strlen(rows[i].name) == len && strncmp(rows[i].name, text, len) == 0) {
      return rows[i].dtype;
    }
  }
  fail_msg("no type in '%s'", text);
  return TN_DT_NONE;
}

/* Reads "f32[2,3]" or "shape[2,3]" and moves on. */
static const char *read_type(tn_ir *ir, const char *p, const tn_node **out) {
  const tn_node *dims[TN_MAX_NDIM] = {NULL};
  uint32_t n = 0;
  size_t len = strcspn(p, "[");
  bool is_shape = strncmp(p, "shape", len) == 0;
  tn_dtype dtype = is_shape ? TN_DT_NONE : dtype_of(p, len);
  p += len + 1;
  while (*p != ']') {
    char *end = NULL;
    dims[n++] = tn_int(ir, TN_DT_I64, strtoll(p, &end, 10));
    p = *end == ',' ? end + 1 : end;
  }
  const tn_node *list = tn_list(ir, n, dims);
  *out = is_shape ? tn_ty_shape(ir, n, list) : tn_ty_tensor(ir, dtype, n, list);
  return p + 1;
}

enum { MAX_ITEMS = 16 };

/* Reads a type, or "(f32[2] f32[3])", a tuple of them, and moves on. */
static const char *read_types(tn_ir *ir, const char *p, const tn_node **out) {
  const tn_node *items[MAX_ITEMS];
  uint32_t n = 0;
  if (*p != '(') {
    return read_type(ir, p, out);
  }
  for (++p; *p != ')'; p += *p == ' ' ? 1 : 0) {
    p = read_type(ir, p, &items[n++]);
  }
  *out = tn_ty_tuple(ir, n, items);
  return p + 1;
}

/* "axis=[0,1]", "axis=-1", "dtype=i32", "layout=NHWC" */
static const tn_node *read_field(tn_ir *ir, tn_field_kind kind, const char *at) {
  const tn_node *items[MAX_ITEMS];
  uint32_t n = 0;
  size_t len = strcspn(at, " ");
  switch (kind) {
    case TN_FIELD_DTYPE:
      return tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype_of(at, len)}, 0, NULL);
    case TN_FIELD_STR:
      return tn_str(ir, tn_ir_text_n(ir, at, len));
    case TN_FIELD_FLOAT:
      return tn_float(ir, TN_DT_F64, strtod(at, NULL));
    case TN_FIELD_BOOL:
      return tn_bool(ir, *at == '1');
    case TN_FIELD_INTS:
    case TN_FIELD_INT_OR_INTS:
      if (*at == '[') {
        for (++at; *at != ']';) {
          char *end = NULL;
          items[n++] = tn_int(ir, TN_DT_I64, strtoll(at, &end, 10));
          at = *end == ',' ? end + 1 : end;
        }
        return tn_list(ir, n, items);
      }
      break;
    case TN_FIELD_INT:
    case TN_FIELD_DICT:
      break;
  }
  return tn_int(ir, TN_DT_I64, strtoll(at, NULL, 10));
}

static const tn_node *read_fields(tn_ir *ir, const tn_op_def *op, const char *text) {
  const tn_node *fields[MAX_ITEMS];
  for (int32_t i = 0; i < op->n_fields; ++i) {
    fields[i] = tn_none(ir);
  }
  while (*text != '\0') {
    size_t len = strcspn(text, "=");
    int32_t at = -1;
    for (int32_t i = 0; i < op->n_fields; ++i) {
      at =
          strlen(op->fields[i].name) == len && strncmp(op->fields[i].name, text, len) == 0 ? i : at;
    }
    expect_true(at >= 0, "%s has no field '%s'", op->def.name, text);
    fields[at] = read_field(ir, op->fields[at].kind, text + len + 1);
    text += strcspn(text, " ");
    text += *text == ' ' ? 1 : 0;
  }
  return tn_list(ir, (uint32_t)op->n_fields, fields);
}

typedef struct example {
  tn_ir *ir;
  const tn_node *call;
  uint32_t n_arrays;
  tn_array arrays[MAX_ITEMS];
  bool is_shape[MAX_ITEMS];
} example;

/* Values for which the operator is defined. */
static void fill(tn_array *array, const tn_op_case *c, uint32_t i, tn_rng *rng) {
  static const char *const positive[] = {"log", "sqrt", "rsqrt", "acosh"};
  tn_array_fill_random(array, rng);
  int64_t n = tn_array_n_elems(array);
  bool wants_positive =
      (i == 1 && (strstr(c->op, "divide") != NULL || strstr(c->op, "mod") != NULL)) ||
      (i == 4 && strcmp(c->op, "nn.batch_norm") == 0);
  for (size_t k = 0; k < TN_N_ROWS(positive); ++k) {
    wants_positive = wants_positive || strcmp(c->op, positive[k]) == 0;
  }
  for (int64_t e = 0; e < n && wants_positive; ++e) {
    tn_array_set_f64(array, e, fabs(tn_array_get_f64(array, e)) + 1);
  }
}

/* The argument of that type: a variable, and its value among the arrays, or a shape. */
static const tn_node *add_arg(example *x, const tn_op_case *c, const tn_node *type, tn_rng *rng) {
  int64_t shape[TN_MAX_NDIM];
  const tn_node *items[MAX_ITEMS];
  if (type->op == TN_OP_TY_TUPLE) {
    for (uint32_t i = 0; i < type->n_in; ++i) {
      items[i] = add_arg(x, c, type->in[i], rng);
    }
    return tn_node_new(x->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, type->n_in, items);
  }
  bool is_shape = type->op == TN_OP_TY_SHAPE;
  const tn_node *dims = is_shape ? type->in[0] : type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    shape[d] = dims->in[d]->attr.i64;
  }
  tn_array *array = &x->arrays[x->n_arrays];
  x->is_shape[x->n_arrays] = is_shape;
  if (is_shape) {
    int64_t n = dims->n_in;
    expect_ok(tn_array_init(array, TN_DT_I64, 1, &n));
    for (int64_t d = 0; d < n; ++d) {
      tn_array_set_i64(array, d, shape[d]);
    }
    ++x->n_arrays;
    return tn_node_new(x->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in);
  }
  expect_ok(tn_array_init(array, type->dtype, (int32_t)dims->n_in, shape));
  fill(array, c, x->n_arrays, rng);
  ++x->n_arrays;
  return tn_node_new(x->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(x->ir, "x")}, 1,
                     &type);
}

static void example_init(example *x, const tn_op_case *c, tn_rng *rng) {
  *x = (example){.ir = tn_ir_new(0)};
  const tn_op_def *op = tn_op_table_find(tn_ops_table(), c->op);
  const tn_node *args[MAX_ITEMS];
  uint32_t n = 0;
  assert_non_null(op);
  for (const char *p = c->args; *p != '\0'; p += *p == ' ' ? 1 : 0) {
    const tn_node *type = NULL;
    p = read_types(x->ir, p, &type);
    args[n++] = add_arg(x, c, type, rng);
  }
  x->call = tn_call_new(x->ir, op, n, args, read_fields(x->ir, op, c->fields), NULL);
}

static void example_deinit(example *x) {
  for (uint32_t i = 0; i < x->n_arrays; ++i) {
    tn_array_deinit(&x->arrays[i]);
  }
  tn_ir_free(x->ir);
}

static void expect_close(const tn_array *want, const tn_array *got, const char *what) {
  double tolerance = want->dtype == TN_DT_F64 ? 1e-12 : want->dtype == TN_DT_F16 ? 2e-3 : 1e-5;
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    double a = tn_array_get_f64(want, i);
    double b = tn_array_get_f64(got, i);
    bool is_close = a == b || (isnan(a) && isnan(b)) ||
                    (tn_dtype_is_float(want->dtype) && fabs(a - b) <= tolerance * (1 + fabs(a)));
    expect_true(is_close, "%s: element %d: reference %g, loops %g", what, (int)i, a, b);
  }
}

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

static void run_example(const tn_op_case *c, const example *x, const char *what) {
  const tn_op_def *op = tn_op_of(x->call);
  const tn_infer_ctx ctx = {.ir = x->ir};
  const tn_node *type = NULL;
  const tn_node *want = NULL;
  const tn_array *args[MAX_ITEMS];
  tn_array results[MAX_ITEMS] = {{0}};
  (void)read_types(x->ir, c->result, &want);
  expect_ok(tn_graph_infer(&ctx, x->call, &type));
  expect_true(type == want, "%s: type rule", what);
  for (uint32_t i = 0; i < x->n_arrays; ++i) {
    args[i] = &x->arrays[i];
  }
  expect_ok(op->eval(x->call, args, (int32_t)x->n_arrays, results));
  bool is_tuple = want->op == TN_OP_TY_TUPLE;
  uint32_t n_results = is_tuple ? want->n_in : 1;
  for (uint32_t i = 0; i < n_results; ++i) {
    expect_true(tn_ty_of_array(x->ir, &results[i]) == (is_tuple ? want->in[i] : want),
                "%s: reference's shape", what);
  }
  run_loops(x, n_results, results, what);
  for (uint32_t i = 0; i < n_results; ++i) {
    tn_array_deinit(&results[i]);
  }
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
    example_init(&x, &cases[i], &rng);
    run_example(&cases[i], &x, what);
    example_deinit(&x);
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
    example_init(&x, &(tn_op_case){"abs", rows[i].from, "", rows[i].from}, &rng);
    x.call = reshape_call(x.ir, rows[i].from, rows[i].n, rows[i].to);
    run_example(&c, &x, rows[i].from);
    example_deinit(&x);
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
  };
  tn_rng rng = tn_rng_make(3);
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_op_case c = {rows[i].op, rows[i].args, rows[i].fields, ""};
    example x;
    example_init(&x, &c, &rng);
    const tn_infer_ctx ctx = {.ir = x.ir};
    const tn_node *type = NULL;
    expect_error(tn_graph_infer(&ctx, x.call, &type), TN_INVALID, rows[i].part);
    example_deinit(&x);
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
      {"take", "f32[4] i32[2]", "axis=0 mode=wrap", "mode 'wrap'"},
      {"take", "f32[4,4] i32[2]", "", "take from 2 dimensions needs an axis"},
      {"cumsum", "f32[4,4]", "", "needs an axis"},
  };
  tn_rng rng = tn_rng_make(4);
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_op_case c = {rows[i].op, rows[i].args, rows[i].fields, ""};
    example x;
    example_init(&x, &c, &rng);
    const tn_infer_ctx ctx = {.ir = x.ir};
    const tn_node *type = NULL;
    expect_error(tn_graph_infer(&ctx, x.call, &type), TN_UNSUPPORTED, rows[i].part);
    example_deinit(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_sorted_and_every_operator_has_an_example),
      cmocka_unit_test(rule_reference_and_loops_agree_for_every_example),
      cmocka_unit_test(reshape_agrees_and_finds_the_open_extent),
      cmocka_unit_test(wrong_operands_are_refused),
      cmocka_unit_test(what_is_not_there_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
