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

/* Reads "f32[2,3]" and moves on. */
static const char *read_type(tn_ir *ir, const char *p, const tn_node **out) {
  const tn_node *dims[TN_MAX_NDIM];
  uint32_t n = 0;
  size_t len = strcspn(p, "[");
  tn_dtype dtype = dtype_of(p, len);
  p += len + 1;
  while (*p != ']') {
    char *end = NULL;
    dims[n++] = tn_int(ir, TN_DT_I64, strtoll(p, &end, 10));
    p = *end == ',' ? end + 1 : end;
  }
  *out = tn_ty_tensor(ir, dtype, n, tn_list(ir, n, dims));
  return p + 1;
}

/* "axis=[0,1]" or "axis=-1" or "dtype=i32", by name. */
static const tn_node *read_fields(tn_ir *ir, const tn_op_def *op, const char *text) {
  const tn_node *fields[8];
  for (int32_t i = 0; i < op->n_fields; ++i) {
    fields[i] = tn_none(ir);
    const char *at = strstr(text, op->fields[i].name);
    if (at == NULL) {
      continue;
    }
    at += strlen(op->fields[i].name) + 1;
    if (op->fields[i].kind == TN_FIELD_DTYPE) {
      tn_dtype dtype = dtype_of(at, strcspn(at, " "));
      fields[i] = tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL);
    } else if (*at == '[') {
      const tn_node *items[8];
      uint32_t n = 0;
      for (++at; *at != ']';) {
        char *end = NULL;
        items[n++] = tn_int(ir, TN_DT_I64, strtoll(at, &end, 10));
        at = *end == ',' ? end + 1 : end;
      }
      fields[i] = tn_list(ir, n, items);
    } else {
      bool is_bool = op->fields[i].kind == TN_FIELD_BOOL;
      fields[i] = tn_int(ir, is_bool ? TN_DT_BOOL : TN_DT_I64, strtoll(at, NULL, 10));
    }
  }
  return tn_list(ir, (uint32_t)op->n_fields, fields);
}

typedef struct example {
  tn_ir *ir;
  const tn_node *call;
  uint32_t n_args;
  tn_array arrays[4];
  const tn_array *args[4];
} example;

static void fill(tn_array *array, const tn_op_case *c, uint32_t i, tn_rng *rng) {
  tn_array_fill_random(array, rng);
  int64_t n = tn_array_n_elems(array);
  bool wants_positive =
      strcmp(c->op, "log") == 0 || strcmp(c->op, "sqrt") == 0 || strcmp(c->op, "rsqrt") == 0;
  bool is_divisor = i == 1 && strstr(c->op, "divide") != NULL;
  for (int64_t e = 0; e < n && (wants_positive || is_divisor); ++e) {
    tn_array_set_f64(array, e, fabs(tn_array_get_f64(array, e)) + 1);
  }
}

static void example_init(example *x, const tn_op_case *c, tn_rng *rng) {
  *x = (example){.ir = tn_ir_new(0)};
  const tn_op_def *op = tn_op_table_find(tn_ops_table(), c->op);
  const tn_node *vars[4];
  assert_non_null(op);
  for (const char *p = c->args; *p != '\0'; p += *p == ' ' ? 1 : 0) {
    const tn_node *type = NULL;
    int64_t shape[TN_MAX_NDIM];
    p = read_type(x->ir, p, &type);
    const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
    for (uint32_t d = 0; d < dims->n_in; ++d) {
      shape[d] = dims->in[d]->attr.i64;
    }
    expect_ok(tn_array_init(&x->arrays[x->n_args], type->dtype, (int32_t)dims->n_in, shape));
    fill(&x->arrays[x->n_args], c, x->n_args, rng);
    x->args[x->n_args] = &x->arrays[x->n_args];
    vars[x->n_args++] = tn_node_new(x->ir, TN_OP_GVAR, TN_DT_NONE,
                                    (tn_attr){.text = tn_ir_text(x->ir, "x")}, 1, &type);
  }
  x->call = tn_call_new(x->ir, op, x->n_args, vars, read_fields(x->ir, op, c->fields), NULL);
}

static void example_deinit(example *x) {
  for (uint32_t i = 0; i < x->n_args; ++i) {
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

static void run_example(const tn_op_case *c, const example *x, const char *what) {
  const tn_op_def *op = tn_op_of(x->call);
  const tn_infer_ctx ctx = {.ir = x->ir};
  const tn_node *type = NULL;
  const tn_node *want = NULL;
  (void)read_type(x->ir, c->result, &want);
  expect_ok(tn_graph_infer(&ctx, x->call, &type));
  expect_true(type == want, "%s: type rule", what);
  tn_array result = {0};
  tn_array loops = {0};
  expect_ok(op->eval(x->call, x->args, (int32_t)x->n_args, &result));
  expect_true(tn_ty_of_array(x->ir, &result) == want, "%s: reference's shape", what);
  const tn_node *func = NULL;
  tn_module module;
  tn_diags diags = {0};
  expect_ok(op->lower(x->ir, x->call, &func));
  tn_module_init(&module, x->ir, "Module");
  tn_module_set(&module, "f", func);
  tn_module_verify(&module, &diags);
  expect_ok(tn_diags_to_status(&diags, x->ir));
  expect_ok(tn_array_init(&loops, result.dtype, result.ndim, result.shape));
  tn_tir_arg args[5];
  for (uint32_t i = 0; i < x->n_args; ++i) {
    args[i] = (tn_tir_arg){.array = (tn_array *)(uintptr_t)x->args[i]};
  }
  args[x->n_args] = (tn_tir_arg){.array = &loops};
  expect_ok(tn_tir_interp(&module, "f", args, (int32_t)x->n_args + 1, NULL, NULL));
  expect_close(&result, &loops, what);
  tn_array_deinit(&result);
  tn_array_deinit(&loops);
  tn_module_deinit(&module);
}

static void rule_reference_and_loops_agree_for_every_example(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  tn_rng rng = tn_rng_make(1);
  for (uint32_t i = 0; i < n; ++i) {
    example x;
    char what[96];
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
    bool is_shown = strcmp(name, "reshape") == 0; /* takes a shape, see below */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_sorted_and_every_operator_has_an_example),
      cmocka_unit_test(rule_reference_and_loops_agree_for_every_example),
      cmocka_unit_test(reshape_agrees_and_finds_the_open_extent),
      cmocka_unit_test(wrong_operands_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
