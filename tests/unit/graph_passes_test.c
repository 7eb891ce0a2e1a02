/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* Graph passes: each alone and all together, before and after through the interpreter. */
#include "graph_util.h"

#define HEAD                            \
  "from tvm.script import ir as I\n"    \
  "from tvm.script import relax as R\n" \
  "from tvm.script import tir as T\n"   \
  "@I.ir_module\n"                      \
  "class Module:\n"

#define DOUBLE_N                                       \
  "    @T.prim_func\n"                                 \
  "    def double(x: T.handle, y: T.handle):\n"        \
  "        n = T.int64()\n"                            \
  "        X = T.match_buffer(x, (n,), \"float32\")\n" \
  "        Y = T.match_buffer(y, (n,), \"float32\")\n" \
  "        for i in range(n):\n"                       \
  "            with T.block(\"Y\"):\n"                 \
  "                vi = T.axis.spatial(n, i)\n"        \
  "                Y[vi] = X[vi] * T.float32(2)\n"

/* Four doublings in a row: two storages of a kind are enough for the inner ones. */
static const char chain[] = HEAD DOUBLE_N
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\",), dtype=\"float32\")) -> R.Tensor((\"n\",), "
    "dtype=\"float32\"):\n"
    "        n = T.int64()\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            a = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
    "            b = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
    "            unused = R.call_tir(cls.double, (b,), out_sinfo=R.Tensor((n,), "
    "dtype=\"float32\"))\n"
    "            c = R.call_tir(cls.double, (b,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
    "            d = R.call_tir(cls.double, (c,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
    "            R.output(d)\n"
    "        return d\n";

static const char branches[] = HEAD DOUBLE_N
    "    @R.function\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\"), c: R.Tensor((), dtype=\"bool\")) -> "
    "R.Tensor((4,), dtype=\"float32\"):\n"
    "        cls = Module\n"
    "        a = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "        if c:\n"
    "            b = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "            y = R.call_tir(cls.double, (b,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "        else:\n"
    "            y = a\n"
    "        z = R.call_tir(cls.double, (y,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "        w = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "        t = (z, w)\n"
    "        u = t[0]\n"
    "        return u\n";

/* Runs main on 0, 1, 2, ... (and a condition) and gives the first result element that is not 0. */
static double run_main(const tn_module *module, int64_t n, int cond) {
  tn_array x = {0};
  tn_array c = {0};
  graph_iota(&x, 1, &n, 1);
  expect_ok(tn_array_init(&c, TN_DT_BOOL, 0, NULL));
  tn_array_set_i64(&c, 0, cond > 0);
  tn_interp *in = tn_interp_new(module, NULL);
  tn_value args[] = {graph_value(&x), graph_value(&c)};
  tn_value out = {0};
  expect_ok(tn_interp_call(in, "main", args, cond < 0 ? 1 : 2, &out));
  assert_int_equal(out.kind, TN_V_ARRAY);
  double got = tn_array_get_f64(out.array, 1);
  tn_interp_free(in);
  tn_array_deinit(&x);
  tn_array_deinit(&c);
  return got;
}

static void every_prefix_of_the_passes_keeps_the_meaning(void **state) {
  (void)state;
  const struct {
    const char *text;
    int cond;
    double want;
  } rows[] = {{chain, -1, 16}, {branches, 1, 16}, {branches, 0, 4}};
  const char *const passes[] = {"normalize",           "lift_functions", "dead_code",
                                "to_nondataflow",      "lower_call_tir", "plan_memory",
                                "kill_after_last_use", "lower_shapes"};
  for (size_t r = 0; r < TN_N_ROWS(rows); ++r) {
    tn_module module;
    graph_read(&module, rows[r].text);
    expect_ok(graph_verify_all(&module, NULL));
    for (size_t p = 0; p < TN_N_ROWS(passes); ++p) {
      expect_ok(graph_passes(&module, passes[p], NULL));
      double got = run_main(&module, 4, rows[r].cond);
      expect_true(got == rows[r].want, "program %zu after %s: %g", r, passes[p], got);
    }
    graph_free(&module);
  }
}

static void passes_run_twice_change_nothing_more(void **state) {
  (void)state;
  const char *const passes[] = {"normalize",      "dead_code",   "to_nondataflow",
                                "lower_call_tir", "plan_memory", "kill_after_last_use",
                                "lower_shapes"};
  tn_module module;
  graph_read(&module, branches);
  for (size_t p = 0; p < TN_N_ROWS(passes); ++p) {
    tn_module once;
    expect_ok(graph_passes(&module, passes[p], NULL));
    tn_module_init_copy(&once, &module);
    expect_ok(graph_passes(&module, passes[p], NULL));
    expect_true(tn_module_find(&module, "main") == tn_module_find(&once, "main"), "%s", passes[p]);
    tn_module_deinit(&once);
  }
  graph_free(&module);
}

static int64_t plan_number(const tn_module *module, const char *key) {
  const tn_node *func = tn_module_find(module, "main");
  const tn_node *plan = tn_dict_find(func->in[TN_GFUNC_ATTRS], "memory_plan");
  assert_non_null(plan);
  const tn_node *value = tn_dict_find(plan, key);
  assert_non_null(value);
  return value->attr.i64;
}

static const char mlp_like[] = HEAD DOUBLE_N
    "    @R.function\n"
    "    def main(x: R.Tensor((100,), dtype=\"float32\")) -> R.Tensor((100,), dtype=\"float32\"):\n"
    "        cls = Module\n"
    "        a = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((100,), dtype=\"float32\"))\n"
    "        b = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((100,), dtype=\"float32\"))\n"
    "        c = R.call_tir(cls.double, (b,), out_sinfo=R.Tensor((100,), dtype=\"float32\"))\n"
    "        d = R.call_tir(cls.double, (c,), out_sinfo=R.Tensor((100,), dtype=\"float32\"))\n"
    "        return d\n";

static void dead_tensors_give_their_memory_to_later_ones(void **state) {
  (void)state;
  tn_module module;
  graph_read(&module, mlp_like);
  expect_ok(graph_passes(&module, "normalize,to_nondataflow,lower_call_tir,plan_memory", NULL));
  /* a and c have one place; the result, which leaves the function, has memory of its own */
  assert_int_equal(plan_number(&module, "n_tensors"), 4);
  assert_int_equal(plan_number(&module, "n_storages"), 2);
  assert_int_equal(plan_number(&module, "planned_bytes"), 2 * 448);
  assert_int_equal(plan_number(&module, "lower_bound_bytes"), 2 * 448);
  assert_int_equal(plan_number(&module, "no_reuse_bytes"), 3 * 448);
  assert_int_equal(plan_number(&module, "result_bytes"), 448);
  graph_free(&module);
}

static void symbolic_sizes_share_memory_too(void **state) {
  (void)state;
  tn_module module;
  graph_read(&module, chain);
  expect_ok(
      graph_passes(&module, "normalize,dead_code,to_nondataflow,lower_call_tir,plan_memory", NULL));
  assert_int_equal(plan_number(&module, "n_tensors"), 4);
  assert_int_equal(plan_number(&module, "n_storages"), 3);
  assert_int_equal(plan_number(&module, "n_symbolic"), 3);
  graph_free(&module);
}

static const char linear[] =
    HEAD DOUBLE_N "    @R.function\n"
                  "    def main(x: R.Tensor((4,), dtype=\"float32\"), w: R.Tensor((\"k\", 2), "
                  "dtype=\"float32\")) -> R.Tensor((\"k\", 2), dtype=\"float32\"):\n"
                  "        k = T.int64()\n"
                  "        y: R.Tensor((k, 2), dtype=\"float32\") = w\n"
                  "        return y\n";

static void parameters_are_bound_to_constants_and_sizes_follow(void **state) {
  (void)state;
  tn_module module;
  tn_array w = {0};
  graph_read(&module, linear);
  graph_iota(&w, 2, (int64_t[]){3, 2}, 1);
  tn_named_array binds[] = {{"w", &w}};
  tn_pass_opts opts = {.binds = binds, .n_binds = 1};
  expect_ok(graph_passes(&module, "bind_params", &opts));
  const tn_node *main_func = tn_module_find(&module, "main");
  assert_int_equal(main_func->in[TN_GFUNC_PARAMS]->n_in, 1);
  tn_buf text = TN_BUF_INIT;
  tn_ty_print(main_func->in[TN_GFUNC_RET], &text);
  expect_text(tn_buf_text(&text), "R.Tensor((3, 2), dtype=\"float32\")");
  tn_buf_deinit(&text);
  double got = run_main(&module, 4, -1);
  assert_true(got == 1);
  graph_free(&module);
  tn_array_deinit(&w);
}

static void wrong_bindings_are_refused_by_name(void **state) {
  (void)state;
  tn_array good = {0};
  tn_array bad_shape = {0};
  tn_array bad_dtype = {0};
  tn_array nan = {0};
  graph_iota(&good, 2, (int64_t[]){3, 2}, 1);
  graph_iota(&bad_shape, 2, (int64_t[]){3, 4}, 1);
  graph_iota(&nan, 2, (int64_t[]){3, 2}, 1);
  tn_array_set_f64(&nan, 3, 0.0 / 0.0);
  expect_ok(tn_array_init(&bad_dtype, TN_DT_F64, 2, (int64_t[]){3, 2}));
  const struct {
    const char *name;
    const tn_array *array;
    tn_code code;
    const char *part;
  } rows[] = {
      {"v", &good, TN_NOT_FOUND, "main has no parameter 'v'; it has: x, w"},
      {"w", &bad_shape, TN_INVALID, "the array for 'w' is R.Tensor((3, 4), dtype=\"float32\")"},
      {"w", &bad_dtype, TN_INVALID, "dtype=\"float64\""},
      {"w", &nan, TN_INVALID, "'w' contains NaN at [1, 1]"}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_module module;
    graph_read(&module, linear);
    tn_named_array binds[] = {{rows[i].name, rows[i].array}};
    tn_pass_opts opts = {.binds = binds, .n_binds = 1};
    expect_error(graph_passes(&module, "bind_params", &opts), rows[i].code, rows[i].part);
    graph_free(&module);
  }
  tn_array_deinit(&good);
  tn_array_deinit(&bad_shape);
  tn_array_deinit(&bad_dtype);
  tn_array_deinit(&nan);
}

static const char private_ones[] = HEAD
    "    @T.prim_func(private=True)\n"
    "    def lonely(A: T.Buffer((4,), \"float32\")):\n"
    "        A[0] = T.float32(1)\n"
    "    @R.function(private=True)\n"
    "    def helper(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
    "        return x\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
    "        cls = Module\n"
    "        y: R.Tensor((4,), dtype=\"float32\") = cls.helper(x)\n"
    "        return y\n";

static void private_functions_that_nobody_calls_go(void **state) {
  (void)state;
  tn_module module;
  graph_read(&module, private_ones);
  expect_ok(graph_passes(&module, "dead_code", NULL));
  assert_null(tn_module_find(&module, "lonely"));
  assert_non_null(tn_module_find(&module, "helper"));
  graph_free(&module);
}

static const char nested[] =
    HEAD DOUBLE_N "    @R.function\n"
                  "    def main(x: R.Tensor((\"n\",), dtype=\"float32\")) -> R.Tensor((\"n\",), "
                  "dtype=\"float32\"):\n"
                  "        n = T.int64()\n"
                  "        cls = Module\n"
                  "        @R.function\n"
                  "        def inner(y: R.Tensor((n,), dtype=\"float32\")) -> R.Tensor((n,), "
                  "dtype=\"float32\"):\n"
                  "            s = R.add(x, y)\n"
                  "            return s\n"
                  "        z: R.Tensor((n,), dtype=\"float32\") = inner(x)\n"
                  "        return z\n";

static void inner_functions_become_closures(void **state) {
  (void)state;
  tn_module module;
  graph_read(&module, nested);
  expect_ok(graph_verify_all(&module, NULL));
  assert_true(run_main(&module, 3, -1) == 2);
  expect_ok(graph_passes(&module, "normalize,lift_functions", NULL));
  assert_non_null(tn_module_find(&module, "main_inner"));
  assert_true(run_main(&module, 3, -1) == 2);
  graph_free(&module);
}

static const char deep[] = HEAD
    "    @R.function\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
    "        y = R.add(R.multiply(x, x), R.add(x, R.const(1, \"float32\")))\n"
    "        return y\n";

static void nested_expressions_become_bindings(void **state) {
  (void)state;
  tn_module module;
  graph_read(&module, deep);
  double before = run_main(&module, 4, -1);
  expect_ok(graph_passes(&module, "normalize", NULL));
  assert_true(run_main(&module, 4, -1) == before);
  tn_diags diags = {0};
  tn_graph_verify(&module, tn_module_find(&module, "main"), true, &diags);
  expect_ok(tn_diags_to_status(&diags, module.ir));
  assert_int_equal(tn_body_n(tn_module_find(&module, "main")->in[TN_GFUNC_BODY]), 4);
  graph_free(&module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_prefix_of_the_passes_keeps_the_meaning),
      cmocka_unit_test(passes_run_twice_change_nothing_more),
      cmocka_unit_test(dead_tensors_give_their_memory_to_later_ones),
      cmocka_unit_test(symbolic_sizes_share_memory_too),
      cmocka_unit_test(parameters_are_bound_to_constants_and_sizes_follow),
      cmocka_unit_test(wrong_bindings_are_refused_by_name),
      cmocka_unit_test(private_functions_that_nobody_calls_go),
      cmocka_unit_test(inner_functions_become_closures),
      cmocka_unit_test(nested_expressions_become_bindings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
