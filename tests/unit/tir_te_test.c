/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * with: tir_te_cases.c
 * Tensor expressions: what functions they become, as text (tests/unit/tir_te_cases.py; with TN_UPDATE=1
 * it is written), what the functions compute, against loops in C, and what is refused with which
 * message. */
#include "tn_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "script/script.h"
#include "tir_te_cases.h"

static const char text_path[] = "tests/unit/tir_te_cases.py";

static tn_status build_case(const te_case *c, tn_ir *ir, const tn_node **out) {
  const tn_node *params[TE_MAX_PARAMS];
  tn_te *te = tn_te_new(ir);
  c->build(te, params);
  tn_status st = tn_te_prim_func(te, c->name, true, (uint32_t)c->n_params, params, out);
  tn_te_free(te);
  return st;
}

static void build_all(tn_ir *ir, tn_module *module) {
  for (size_t i = 0; i < te_n_cases; ++i) {
    const tn_node *func = NULL;
    expect_ok(build_case(&te_cases[i], ir, &func));
    tn_module_set(module, te_cases[i].name, func);
  }
}

static void formulas_become_the_blocks_that_one_would_write(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_buf got = TN_BUF_INIT;
  tn_buf want = TN_BUF_INIT;
  tn_print_opts opts = {0};
  tn_module_init(&module, ir, "Module");
  build_all(ir, &module);
  tn_script_print(&module, &opts, &got);
  if (getenv("TN_UPDATE") != NULL) {
    expect_ok(tn_file_write(text_path, got.data, got.len));
  }
  expect_ok(tn_file_read(text_path, (size_t)1 << 20, &want));
  expect_text(tn_buf_text(&got), tn_buf_text(&want));
  tn_buf_deinit(&got);
  tn_buf_deinit(&want);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void the_text_reads_back_to_the_same_functions(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_module built;
  tn_module read;
  tn_diags diags = {0};
  tn_buf text = TN_BUF_INIT;
  tn_buf where = TN_BUF_INIT;
  const tn_script_opts opts = {.file_name = text_path};
  tn_module_init(&built, ir, "Module");
  tn_module_init(&read, ir, "Module");
  build_all(ir, &built);
  expect_ok(tn_file_read(text_path, (size_t)1 << 20, &text));
  tn_script_parse(text.data, text.len, &opts, &read, &diags);
  expect_ok(tn_diags_to_status(&diags, ir));
  for (size_t i = 0; i < te_n_cases; ++i) {
    const char *name = te_cases[i].name;
    bool is_equal =
        tn_equal(tn_module_find(&built, name), tn_module_find(&read, name), false, &where);
    expect_true(is_equal, "%s differs at %s", name, tn_buf_text(&where));
  }
  tn_buf_deinit(&text);
  tn_buf_deinit(&where);
  tn_module_deinit(&built);
  tn_module_deinit(&read);
  tn_ir_free(ir);
}

/* ---- running ---- */

static void fill(tn_array *array, tn_rng *rng, int64_t below) {
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    int64_t v = (int64_t)tn_rng_below(rng, 9);
    if (tn_dtype_is_float(array->dtype)) {
      tn_array_set_f64(array, i, (double)(v - 4) / 2);
    } else {
      tn_array_set_i64(array, i, below > 0 ? v % below : v - 4);
    }
  }
}

static void compare(const te_case *c, const tn_array *got, const tn_array *want) {
  for (int64_t i = 0; i < tn_array_n_elems(got); ++i) {
    if (!tn_dtype_is_float(got->dtype)) {
      expect_true(tn_array_get_i64(got, i) == tn_array_get_i64(want, i), "%s: element %d", c->name,
                  (int)i);
      continue;
    }
    double a = tn_array_get_f64(got, i);
    double b = tn_array_get_f64(want, i);
    expect_true(a == b || fabs(a - b) <= c->tolerance * (fabs(b) + 1), "%s: element %d: %g, not %g",
                c->name, (int)i, a, b);
  }
}

static void run_case(const te_case *c, const te_run *sizes) {
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_rng rng = tn_rng_make(7);
  const tn_node *func = NULL;
  tn_array arrays[TE_MAX_PARAMS] = {{0}};
  tn_array wanted[TE_MAX_PARAMS] = {{0}};
  tn_tir_arg args[TE_MAX_PARAMS] = {{0}};
  void *data[TE_MAX_PARAMS];
  tn_module_init(&module, ir, "Module");
  expect_ok(build_case(c, ir, &func));
  tn_module_set(&module, c->name, func);
  for (int i = 0; i < c->n_params; ++i) {
    const te_array *a = &sizes->arrays[i];
    expect_ok(tn_array_init(&arrays[i], a->dtype, a->ndim, a->shape));
    expect_ok(tn_array_init(&wanted[i], a->dtype, a->ndim, a->shape));
    fill(&arrays[i], &rng, a->below);
    memcpy(wanted[i].data, arrays[i].data, tn_array_n_bytes(&arrays[i]));
    data[i] = wanted[i].data;
    args[i].array = a->is_scalar ? NULL : &arrays[i];
    args[i].f64 = 3;
    args[i].is_float = a->is_scalar;
  }
  expect_ok(tn_tir_interp(&module, c->name, args, c->n_params, NULL, NULL));
  c->reference(data);
  for (int i = 0; i < c->n_params; ++i) {
    compare(c, &arrays[i], &wanted[i]);
    tn_array_deinit(&arrays[i]);
    tn_array_deinit(&wanted[i]);
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void they_compute_what_loops_in_c_do(void **state) {
  (void)state;
  for (size_t i = 0; i < te_n_cases; ++i) {
    run_case(&te_cases[i], &te_cases[i].run);
  }
}

static void a_sum_over_nothing_is_the_initial_value(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_te *te = tn_te_new(ir);
  const tn_node *n = tn_te_var(te, "n", TN_DT_I64);
  const tn_node *A = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n));
  tn_te_begin(te, "S", 0, NULL);
  const tn_node *k = tn_te_reduce_axis(te, NULL, n);
  const tn_node *S = tn_te_end_reduce(te, TN_TE_MAX, tn_te_read(te, A, TN_TE_LIST(k)));
  const tn_node *func = NULL;
  expect_ok(tn_te_prim_func(te, "f", true, TN_TE_LIST(A, S), &func));
  tn_te_free(te);
  float value = 5;
  float nothing = 0;
  tn_array arrays[2] = {{.data = &nothing, .dtype = TN_DT_F32, .ndim = 1, .is_view = true},
                        {.data = &value, .dtype = TN_DT_F32, .ndim = 0, .is_view = true}};
  tn_tir_arg args[2] = {{.array = &arrays[0]}, {.array = &arrays[1]}};
  tn_module module;
  tn_module_init(&module, ir, "Module");
  tn_module_set(&module, "f", func);
  expect_ok(tn_tir_interp(&module, "f", args, 2, NULL, NULL));
  expect_true(value == -INFINITY, "%g", (double)value);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void one_builder_makes_several_functions(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  tn_te *te = tn_te_new(ir);
  const tn_node *n = tn_te_int(te, 4);
  const tn_node *A = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n));
  tn_te_begin(te, "B", TN_TE_LIST(n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *B = tn_te_end(te, tn_te_neg(te, tn_te_read(te, A, TN_TE_LIST(i))));
  tn_te_begin(te, "C", TN_TE_LIST(n));
  i = tn_te_axis(te, 0, "i");
  const tn_node *C = tn_te_end(te, tn_te_neg(te, tn_te_read(te, B, TN_TE_LIST(i))));
  tn_module module;
  const tn_node *first = NULL;
  const tn_node *second = NULL;
  tn_module_init(&module, ir, "Module");
  expect_ok(tn_te_prim_func(te, "f", true, TN_TE_LIST(A, C), &first));
  expect_ok(tn_te_prim_func(te, "g", true, TN_TE_LIST(A, B, C), &second));
  tn_te_free(te);
  expect_true(first->in[TN_PRIM_FUNC_BODY] != second->in[TN_PRIM_FUNC_BODY], "shared");
  tn_diags diags = {0};
  tn_tir_verify(ir, first, &diags);
  tn_tir_verify(ir, second, &diags);
  expect_ok(tn_diags_to_status(&diags, ir));
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

/* ---- mistakes ---- */

typedef struct mistake {
  tn_te *te;
  const tn_node *A; /* (4, 4) float32 */
  const tn_node *n; /* 4 */
  const tn_node *params[3];
  uint32_t n_params; /* A and what the case adds */
} mistake;

static void add_param(mistake *m, const tn_node *param) { m->params[m->n_params++] = param; }

/* B[i, j] = value */
static void begin(mistake *m) { tn_te_begin(m->te, "B", TN_TE_LIST(m->n, m->n)); }
static void end(mistake *m, const tn_node *value) { add_param(m, tn_te_end(m->te, value)); }
static const tn_node *axis(mistake *m, uint32_t d) { return tn_te_axis(m->te, d, NULL); }

static void wrong_rank(mistake *m) {
  begin(m);
  end(m, tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0))));
}
static void index_outside(mistake *m) {
  begin(m);
  end(m, tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0), m->n)));
}
static void float_index(mistake *m) {
  begin(m);
  end(m, tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0), tn_te_number(m->te, TN_DT_F32, 1))));
}
static void mixed_types(mistake *m) {
  begin(m);
  const tn_node *a = tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0), axis(m, 1)));
  end(m, tn_te_and(m->te, a, a));
}
static void storage_type(mistake *m) {
  const tn_node *q = tn_te_placeholder(m->te, "Q", TN_DT_I4, TN_TE_LIST(m->n, m->n));
  add_param(m, q);
  begin(m);
  const tn_node *a = tn_te_read(m->te, q, TN_TE_LIST(axis(m, 0), axis(m, 1)));
  end(m, tn_te_add(m->te, a, a));
}
static void foreign_tensor(mistake *m) {
  tn_te *other = tn_te_new(tn_te_ir(m->te));
  const tn_node *b = tn_te_placeholder(other, "Z", TN_DT_F32, TN_TE_LIST(m->n));
  tn_te_free(other);
  begin(m);
  end(m, tn_te_read(m->te, b, TN_TE_LIST(axis(m, 0))));
}
/* An element of a tensor of another builder, as an expression of the same tn_ir. */
static const tn_node *foreign_element(mistake *m) {
  const tn_node *out = NULL;
  tn_te *other = tn_te_new(tn_te_ir(m->te));
  const tn_node *z = tn_te_placeholder(other, "Z", TN_DT_F32, TN_TE_LIST(m->n));
  tn_te_free(other);
  (void)tn_te_keep(m->te, tn_tir_load(tn_te_ir(m->te), z, 1, &m->n, NULL, &out));
  return out;
}
static void foreign_value(mistake *m) {
  begin(m);
  end(m, foreign_element(m));
}
static void extern_reads_a_foreign_tensor(mistake *m) {
  const tn_node *store = NULL;
  const tn_node *b = tn_te_declare(m->te, "D", TN_DT_F32, TN_TE_LIST(m->n));
  tn_status st = tn_tir_store(tn_te_ir(m->te), b, foreign_element(m), 1, &m->n, NULL, &store);
  (void)tn_te_keep(m->te, st);
  tn_te_extern(m->te, "block", store);
  add_param(m, b);
}
static void foreign_variable(mistake *m) {
  begin(m);
  end(m, tn_var_new(tn_te_ir(m->te), "x", TN_DT_I32));
}
static void tensor_as_value(mistake *m) {
  begin(m);
  end(m, tn_te_add(m->te, m->A, m->A));
}
static void reduce_axis_without_reduction(mistake *m) {
  begin(m);
  const tn_node *k = tn_te_reduce_axis(m->te, "k", m->n);
  end(m, tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0), k)));
}
static void axis_of_another(mistake *m) {
  begin(m);
  const tn_node *i = axis(m, 0);
  const tn_node *b = tn_te_end(m->te, tn_te_int(m->te, 1));
  tn_te_begin(m->te, "C", TN_TE_LIST(m->n));
  end(m, tn_te_read(m->te, b, TN_TE_LIST(i, i)));
}
static void axis_as_extent(mistake *m) {
  begin(m);
  (void)tn_te_reduce_axis(m->te, "k", axis(m, 0));
}
static void read_extent(mistake *m) {
  const tn_node *z = tn_te_int(m->te, 0);
  const tn_node *e = tn_te_cast(m->te, TN_DT_I32, tn_te_read(m->te, m->A, TN_TE_LIST(z, z)));
  tn_te_begin(m->te, "B", TN_TE_LIST(e));
}
static void reduce_axis_in_identity(mistake *m);
static void unfinished(mistake *m) {
  begin(m);
  add_param(m, m->A);
}
static void begun_twice(mistake *m) {
  begin(m);
  tn_te_begin(m->te, "C", TN_TE_LIST(m->n));
}
static void ended_twice(mistake *m) {
  begin(m);
  end(m, tn_te_int(m->te, 1));
  end(m, tn_te_int(m->te, 1));
}
static void missing_input(mistake *m) {
  begin(m);
  end(m, tn_te_read(m->te, m->A, TN_TE_LIST(axis(m, 0), axis(m, 1))));
  m->params[0] = m->params[--m->n_params];
}
static void nothing_computed(mistake *m) { (void)m; }
static void parameter_twice(mistake *m) { add_param(m, m->A); }
static void parameter_is_a_value(mistake *m) { add_param(m, m->n); }
static void free_size(mistake *m) {
  tn_te_begin(m->te, "B", TN_TE_LIST(m->n));
  const tn_node *x = tn_te_var(m->te, "alpha", TN_DT_F32);
  end(m, tn_te_mul(m->te, x, x));
}
static void hidden_size(mistake *m) {
  const tn_node *s = tn_te_var(m->te, "s", TN_DT_I32);
  const tn_node *twice = tn_te_mul(m->te, s, tn_te_int(m->te, 2));
  tn_te_begin(m->te, "B", TN_TE_LIST(twice));
  end(m, tn_te_int(m->te, 1));
}
static void unknown_function(mistake *m) {
  begin(m);
  end(m, tn_te_call(m->te, "sqrtt", TN_TE_LIST(tn_te_number(m->te, TN_DT_F32, 1))));
}
static void wrong_arguments(mistake *m) {
  begin(m);
  end(m, tn_te_call(m->te, "exp", 0, NULL));
}
static void number_does_not_fit(mistake *m) {
  begin(m);
  end(m, tn_te_number(m->te, TN_DT_U8, 256));
}
static void null_value(mistake *m) {
  begin(m);
  end(m, tn_te_add(m->te, NULL, m->n));
}
static void negative_extent(mistake *m) {
  const tn_node *e = tn_te_int(m->te, -1);
  add_param(m, tn_te_placeholder(m->te, "B", TN_DT_F32, TN_TE_LIST(e)));
}
static void float_extent(mistake *m) {
  const tn_node *e = tn_te_number(m->te, TN_DT_F32, 2);
  add_param(m, tn_te_placeholder(m->te, "B", TN_DT_F32, TN_TE_LIST(e)));
}
static void bad_name(mistake *m) {
  add_param(m, tn_te_placeholder(m->te, "a b", TN_DT_F32, TN_TE_LIST(m->n)));
}
static void too_many_dimensions(mistake *m) {
  const tn_node *shape[17];
  for (int i = 0; i < 17; ++i) {
    shape[i] = m->n;
  }
  tn_te_begin(m->te, "B", 17, shape);
}
static void no_such_axis(mistake *m) {
  begin(m);
  end(m, axis(m, 2));
}
static void no_tensor_begun(mistake *m) { (void)axis(m, 0); }
static void read_before_written(mistake *m) {
  const tn_node *b = tn_te_declare(m->te, "D", TN_DT_F32, TN_TE_LIST(m->n, m->n));
  begin(m);
  end(m, tn_te_read(m->te, b, TN_TE_LIST(axis(m, 0), axis(m, 1))));
}
static void never_written(mistake *m) {
  add_param(m, tn_te_declare(m->te, "D", TN_DT_F32, TN_TE_LIST(m->n, m->n)));
}
static void written_input(mistake *m) {
  begin(m);
  tn_te_end_into(m->te, m->A, tn_te_axes(m->te), tn_te_int(m->te, 1), NULL);
}
static void forgets(tn_te *te, void *ctx, const tn_node *const *so_far, const tn_node *const *value,
                    const tn_node **out) {
  (void)te;
  (void)ctx;
  (void)value;
  out[0] = so_far[0];
}
static void reducer_forgets_a_result(mistake *m) {
  const tn_node *values[] = {m->n, m->n};
  const tn_node *made[2];
  tn_te_reducer reducer = {.n = 2, .combine = forgets, .identity = values};
  begin(m);
  (void)tn_te_reduce_axis(m->te, "k", m->n);
  tn_te_end_reduce_with(m->te, &reducer, values, made);
  add_param(m, made[0]);
}
static void reduce_axis_in_identity(mistake *m) {
  const tn_node *made = NULL;
  begin(m);
  const tn_node *k = tn_te_reduce_axis(m->te, "k", m->n);
  tn_te_reducer reducer = {.n = 1, .combine = forgets, .identity = &k};
  tn_te_end_reduce_with(m->te, &reducer, &k, &made);
  add_param(m, made);
}

static void too_many_reduce_axes(mistake *m) {
  begin(m);
  for (int i = 0; i < 17; ++i) {
    (void)tn_te_reduce_axis(m->te, NULL, m->n);
  }
}
static void too_many_values(mistake *m) {
  const tn_node *values[9] = {m->n, m->n, m->n, m->n, m->n, m->n, m->n, m->n, m->n};
  const tn_node *made[9];
  begin(m);
  tn_te_end_many(m->te, 9, values, made);
}
static void nested_too_deep(mistake *m) {
  begin(m);
  const tn_node *x = axis(m, 0);
  for (int i = 0; i < 100000; ++i) {
    x = tn_te_neg(m->te, x);
  }
  end(m, x);
}
static void shared_too_often(mistake *m) {
  begin(m);
  const tn_node *x = axis(m, 0);
  for (int i = 0; i < 64; ++i) {
    x = tn_te_add(m->te, x, x);
  }
  end(m, x);
}
static void extent_shared_too_often(mistake *m) {
  const tn_node *x = tn_te_var(m->te, "s", TN_DT_I32);
  for (int i = 0; i < 64; ++i) {
    x = tn_te_add(m->te, x, x);
  }
  tn_te_begin(m->te, "B", TN_TE_LIST(x));
}
static void no_such_reduction(mistake *m) {
  begin(m);
  add_param(m, tn_te_end_reduce(m->te, (tn_te_reduction)9, m->n));
}
static void tensor_of_handles(mistake *m) {
  add_param(m, tn_te_placeholder(m->te, "H", TN_DT_HANDLE, TN_TE_LIST(m->n)));
}
static void variable_of_no_number(mistake *m) { add_param(m, tn_te_var(m->te, "h", TN_DT_HANDLE)); }
static void number_of_no_type(mistake *m) {
  begin(m);
  end(m, tn_te_number(m->te, TN_DT_HANDLE, 0));
}
static void least_of_no_type(mistake *m) {
  begin(m);
  end(m, tn_te_least(m->te, TN_DT_NONE));
}
static void null_shape(mistake *m) { tn_te_begin(m->te, "B", 2, NULL); }
static void null_parameter(mistake *m) { add_param(m, NULL); }
static void scan_of_no_axis(mistake *m) {
  begin(m);
  tn_te_scan(m->te, 2);
}
static void extern_in_a_formula(mistake *m) {
  begin(m);
  tn_te_extern(m->te, "block", tn_seq(tn_te_ir(m->te), 0, NULL));
}
static void extern_writes_an_input(mistake *m) {
  const tn_node *store = NULL;
  const tn_node *at[] = {m->n, m->n};
  (void)tn_te_keep(m->te, tn_tir_store(tn_te_ir(m->te), m->A, m->n, 2, at, NULL, &store));
  tn_te_extern(m->te, "block", store);
}

static const struct {
  void (*make)(mistake *m);
  const char *message;
} mistakes[] = {
    {wrong_rank, "function 'f': tensor 'B': tensor 'A' has 2 dimensions, not 1"},
    {index_outside, "function 'f': tensor 'B': index 4 is outside of dimension 1 of tensor 'A', "
                    "whose extent is 4"},
    {float_index, "function 'f': tensor 'B': index 1 of buffer 'A' is float32, not an integer"},
    {mixed_types, "function 'f': tensor 'B': 'and' takes bools, not float32"},
    {storage_type,
     "function 'f': tensor 'B': '+' of int4, in which nothing is computed: cast it first"},
    {foreign_tensor, "function 'f': tensor 'B': what is read from is no tensor of this builder"},
    {foreign_value, "function 'f': tensor 'B': 'Z' is no tensor of this builder"},
    {extern_reads_a_foreign_tensor, "function 'f': 'Z' is no tensor of this builder"},
    {foreign_variable, "function 'f': tensor 'B': 'x' is no variable of this builder"},
    {tensor_as_value,
     "function 'f': tensor 'B': tensor 'A' stands where a value is wanted: read one "
     "of its elements"},
    {reduce_axis_without_reduction,
     "function 'f': tensor 'B': it has reduce axes and no reduction: "
     "end it with tn_te_end_reduce"},
    {axis_of_another, "function 'f': tensor 'C': axis 'i0' belongs to tensor 'B', which has ended"},
    {axis_as_extent,
     "function 'f': tensor 'B': a reduce axis: axis 'i0' of tensor 'B' in an extent, "
     "which is known before any loop"},
    {read_extent, "function 'f': dimension 0 of tensor 'B': an extent is read from tensor 'A'"},
    {reduce_axis_in_identity,
     "function 'f': tensor 'B': reduce axis 'k' in an initial value, which "
     "comes before its first step"},
    {unfinished, "function 'f': tensor 'B': it has begun and not ended"},
    {begun_twice, "function 'f': tensor 'B': 'C' begins before it has ended"},
    {ended_twice, "function 'f': no tensor has begun"},
    {missing_input, "function 'f': tensor 'B' reads 'A', which is no parameter"},
    {nothing_computed, "function 'f': no parameter is a tensor that is computed"},
    {parameter_twice, "function 'f': 'A' is a parameter twice"},
    {parameter_is_a_value,
     "function 'f': parameter 1 is neither a tensor nor a variable of this builder"},
    {free_size,
     "function 'f': nothing gives 'alpha' a value: make it a parameter, or an extent of a "
     "tensor that is one"},
    {hidden_size, "function 'f': nothing gives 's' a value: make it a parameter, or an extent of a "
                  "tensor that is one"},
    {unknown_function,
     "function 'f': tensor 'B': no function of numbers is called 'sqrtt': did you mean 'sqrt'?"},
    {wrong_arguments, "function 'f': tensor 'B': 'exp' takes 1 arguments, not 0"},
    {number_does_not_fit, "function 'f': tensor 'B': uint8 has no value 256"},
    {null_value, "function 'f': tensor 'B': a value is NULL"},
    {negative_extent, "function 'f': dimension 0 of tensor 'B': an extent is -1"},
    {float_extent,
     "function 'f': dimension 0 of tensor 'B': an extent is float32, not int32 or int64"},
    {bad_name, "function 'f': 'a b' is no name: letters, digits and '_', no digit first"},
    {too_many_dimensions, "function 'f': tensor 'B' of 17 dimensions: at most 16"},
    {no_such_axis, "function 'f': tensor 'B': axis 2 of 2 dimensions"},
    {no_tensor_begun, "function 'f': no tensor has begun"},
    {read_before_written,
     "function 'f': tensor 'B': tensor 'D' is read, and nothing has written it"},
    {never_written, "function 'f': parameter 'D' is never written"},
    {written_input, "function 'f': tensor 'B': 'A' is no tensor that can be written"},
    {too_many_reduce_axes, "function 'f': tensor 'B': more than 16 reduce axes"},
    {too_many_values, "function 'f': tensor 'B': 9 values: 1 to 8"},
    {nested_too_deep, "function 'f': tensor 'B': a formula nested more than 1000 deep"},
    {shared_too_often,
     "function 'f': tensor 'B': a formula has more than 1048576 parts when what it "
     "shares is written out: make a part of it a tensor"},
    {extent_shared_too_often,
     "function 'f': dimension 0 of tensor 'B': a formula has more than 1048576 parts when what it "
     "shares is written out: make a part of it a tensor"},
    {no_such_reduction, "function 'f': tensor 'B': no reduction has number 9"},
    {tensor_of_handles, "function 'f': tensor 'H' of handle"},
    {variable_of_no_number, "function 'f': variable 'h' is a number, not handle"},
    {number_of_no_type, "function 'f': tensor 'B': handle is no type of numbers"},
    {least_of_no_type, "function 'f': tensor 'B': none is no type of numbers"},
    {null_shape, "function 'f': dimension 0 of tensor 'B': an extent is NULL"},
    {null_parameter, "function 'f': parameter 1 is NULL"},
    {scan_of_no_axis, "function 'f': tensor 'B': axis 2 of 2 dimensions"},
    {extern_in_a_formula, "function 'f': tensor 'B': block 'block' begins before it has ended"},
    {extern_writes_an_input, "function 'f': 'A' is no tensor that can be written"},
    {reducer_forgets_a_result, "function 'f': tensor 'B': it ends with what is no value"},
};

static void mistakes_are_told_by_the_tensor_that_has_them(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
    tn_ir *ir = tn_ir_new(0);
    mistake m = {.te = tn_te_new(ir)};
    const tn_node *func = NULL;
    m.n = tn_te_int(m.te, 4);
    m.A = tn_te_placeholder(m.te, "A", TN_DT_F32, TN_TE_LIST(m.n, m.n));
    add_param(&m, m.A);
    mistakes[i].make(&m);
    tn_status st = tn_te_prim_func(m.te, "f", true, m.n_params, m.params, &func);
    expect_text(tn_status_message(st), mistakes[i].message);
    tn_status_free(st);
    tn_te_free(m.te);
    tn_ir_free(ir);
  }
}

static void a_builder_that_failed_stays_failed(void **state) {
  (void)state;
  tn_te *te = NULL;
  const tn_node *func = NULL;
  expect_ok(tn_te_create(&te));
  const tn_node *bad = tn_te_placeholder(te, "", TN_DT_F32, 0, NULL);
  expect_error(tn_te_prim_func(te, "f", true, TN_TE_LIST(bad), &func), TN_INVALID, "has no name");
  expect_error(tn_te_prim_func(te, "f", true, TN_TE_LIST(bad), &func), TN_INVALID, "new one");
  tn_te_free(te);
  tn_te_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_become_the_blocks_that_one_would_write),
      cmocka_unit_test(the_text_reads_back_to_the_same_functions),
      cmocka_unit_test(they_compute_what_loops_in_c_do),
      cmocka_unit_test(a_sum_over_nothing_is_the_initial_value),
      cmocka_unit_test(one_builder_makes_several_functions),
      cmocka_unit_test(mistakes_are_told_by_the_tensor_that_has_them),
      cmocka_unit_test(a_builder_that_failed_stays_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
