/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* Each rule of the graph level: the smallest module that breaks it, and the diagnostic's id. What
 * the reader itself would refuse is built from a good module by replacing a node. */
#include "graph_util.h"

#define HEAD                                                                                    \
  "from tvm.script import ir as I\n"                                                            \
  "from tvm.script import relax as R\n"                                                         \
  "from tvm.script import tir as T\n"                                                           \
  "@I.ir_module\n"                                                                              \
  "class Module:\n"                                                                             \
  "    @T.prim_func\n"                                                                          \
  "    def copy(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"             \
  "        for i in range(4):\n"                                                                \
  "            B[i] = A[i]\n"                                                                   \
  "    @R.function\n"                                                                           \
  "    def other(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n" \
  "        return x\n"
#define X4 "x: R.Tensor((4,), dtype=\"float32\")"
#define OUT4 "out_sinfo=R.Tensor((4,), dtype=\"float32\")"

static void sound_modules_have_no_diagnostics(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "    @R.function\n    def main(" X4
      ") -> R.Tensor((4,), dtype=\"float32\"):\n        cls = Module\n"
      "        with R.dataflow():\n            y = R.call_tir(cls.copy, (x,), " OUT4
      ")\n            R.output(y)\n"
      "        return y\n",
      "    @R.function(pure=False)\n    def main(" X4
      "):\n        z = R.call_packed(\"f\", x, sinfo_args=(R.Object,))\n        return z\n",
      "    @R.function\n    def main(x: R.Tensor((\"n\", 4), dtype=\"float32\")):\n        n = "
      "T.int64()\n"
      "        y: R.Tensor((n, 4), dtype=\"float32\") = R.add(x, x)\n        return y\n",
      "    @R.function\n    def main(x: R.Tensor(dtype=\"float32\", ndim=1)):\n        with "
      "R.dataflow():\n"
      "            n = T.int64()\n"
      "            y = R.match_cast(x, R.Tensor((n,), dtype=\"float32\"))\n            "
      "R.output(y)\n"
      "        z = R.add(y, y)\n        return z\n",
  };
  for (size_t i = 0; i < TN_N_ROWS(bodies); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_module module;
    tn_buf_printf(&text, "%s%s", HEAD, bodies[i]);
    graph_read(&module, tn_buf_text(&text));
    expect_ok(graph_verify_all(&module, NULL));
    graph_free(&module);
    tn_buf_deinit(&text);
  }
}

static void each_rule_has_its_diagnostic(void **state) {
  (void)state;
  static const struct {
    const char *id;
    const char *body;
  } rows[] = {
      {"wrong-callee", "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
                       "        y = R.call_tir(cls.other, (x,), " OUT4 ")\n        return y\n"},
      {"call-tir-arity", "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
                         "        y = R.call_tir(cls.copy, (x, x), " OUT4 ")\n        return y\n"},
      {"call-tir-arg", "    @R.function\n    def main(x: R.Tensor((5,), dtype=\"float32\")):\n     "
                       "   cls = Module\n"
                       "        y = R.call_tir(cls.copy, (x,), " OUT4 ")\n        return y\n"},
      {"call-tir-arg", "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
                       "        y = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), "
                       "dtype=\"float64\"))\n        return y\n"},
      {"call-tir-arg",
       "    @T.prim_func\n"
       "    def scaled(A: T.Buffer((4,), \"float32\"), k: T.int64, B: T.Buffer((4,), "
       "\"float32\")):\n"
       "        for i in range(4):\n            B[i] = A[i] * T.Cast(\"float32\", k)\n"
       "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
       "        y = R.call_tir(cls.scaled, (x, x), " OUT4 ")\n        return y\n"},
      {"call-tir-arity",
       "    @R.function(pure=False)\n    def main(" X4 "):\n        cls = Module\n"
       "        _ = R.vm.call_dps(cls.copy, x)\n        return x\n"},
      {"writes-input",
       "    @T.prim_func\n"
       "    def bad(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
       "        for i in range(4):\n            A[i] = B[i]\n"
       "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
       "        y = R.call_tir(cls.bad, (x,), " OUT4 ")\n        return y\n"},
      {"bad-field", "    @R.function\n    def main(" X4 "):\n        cls = Module\n"
                    "        y = R.call_tir_inplace(cls.copy, (x,), " OUT4
                    ", inplace_indices=[7])\n        return y\n"},
      {"dataflow-impure",
       "    @R.function(pure=False)\n    def main(" X4 "):\n        with R.dataflow():\n"
       "            y = R.call_packed(\"f\", x, sinfo_args=(R.Object,))\n            R.output(y)\n "
       "       return y\n"},
      {"impure-in-pure",
       "    @R.function\n    def main(" X4 "):\n"
       "        y = R.call_packed(\"f\", x, sinfo_args=(R.Object,))\n        return y\n"},
      {"type-mismatch",
       "    @R.function\n    def main(" X4 "):\n"
       "        y: R.Tensor((5,), dtype=\"float32\") = R.add(x, x)\n        return y\n"},
      {"type-unproved",
       "    @R.function\n    def main(x: R.Tensor((\"n\",), dtype=\"float32\")):\n"
       "        y: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\n        return y\n"},
      {"type-mismatch",
       "    @R.function\n    def main(" X4 "):\n"
       "        y = R.match_cast(x, R.Tensor((5,), dtype=\"float32\"))\n        return y\n"},
      {"return-type", "    @R.function\n    def main(" X4
                      ") -> R.Tensor((5,), dtype=\"float32\"):\n        return x\n"},
      {"bad-condition",
       "    @R.function\n    def main(" X4 "):\n        if x:\n            y = x\n        else:\n"
       "            y = x\n        return y\n"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_module module;
    tn_diags diags = {0};
    tn_script_opts opts = {.file_name = "test.py", .ops = tn_ops_table()};
    tn_buf_printf(&text, "%s%s", HEAD, rows[i].body);
    tn_module_init(&module, tn_ir_new(0), "Module");
    tn_script_parse(tn_buf_text(&text), text.len, &opts, &module, &diags);
    if (diags.n == 0) {
      tn_module_verify(&module, &diags);
    }
    const char *got = diags.n == 0 ? "none" : diags.items[0].id;
    expect_true(strcmp(got, rows[i].id) == 0, "row %zu: want %s, got %s: %s", i, rows[i].id, got,
                diags.n == 0 ? "" : diags.items[0].message);
    tn_diags_deinit(&diags);
    graph_free(&module);
    tn_buf_deinit(&text);
  }
}

/* ---- what only a builder can get wrong ---- */

typedef struct made {
  tn_ir *ir;
  tn_module module;
  const tn_node *x;    /* parameter */
  const tn_node *type; /* R.Tensor((4,), "float32") */
} made;

static void made_init(made *m) {
  m->ir = tn_ir_new(0);
  tn_module_init(&m->module, m->ir, "Module");
  const tn_node *four = tn_int(m->ir, TN_DT_I64, 4);
  m->type = tn_ty_tensor(m->ir, TN_DT_F32, 1, tn_list(m->ir, 1, &four));
  m->x = tn_node_new(m->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(m->ir, "x")}, 1,
                     &m->type);
}

static const tn_node *stmt(made *m, tn_op op, uint32_t n, const tn_node *const *in) {
  return tn_node_new(m->ir, op, TN_DT_NONE, (tn_attr){0}, n, in);
}

static const tn_node *var_of(made *m, const char *name) {
  return tn_node_new(m->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(m->ir, name)}, 1,
                     &m->type);
}

/* Puts `main(x)` with this body into the module, verifies, compares the first id, frees. */
static void expect_id(made *m, const tn_node *body, bool is_normal, const char *id) {
  const tn_node *in[] = {tn_list(m->ir, 1, &m->x), tn_none(m->ir), tn_none(m->ir),
                         tn_bool(m->ir, true), body};
  const tn_node *func = tn_node_new(m->ir, TN_OP_GFUNC, TN_DT_NONE,
                                    (tn_attr){.text = tn_ir_text(m->ir, "main")}, 5, in);
  tn_module_set(&m->module, "main", func);
  tn_diags diags = {0};
  tn_graph_verify(&m->module, func, is_normal, &diags);
  const char *got = diags.n == 0 ? "none" : diags.items[0].id;
  expect_true(strcmp(got, id) == 0, "want %s, got %s: %s", id, got,
              diags.n == 0 ? "" : diags.items[0].message);
  tn_diags_deinit(&diags);
  tn_module_deinit(&m->module);
  tn_ir_free(m->ir);
}

static const tn_node *seq2(made *m, const tn_node *a, const tn_node *b) {
  const tn_node *stmts[] = {a, b};
  return tn_node_new(m->ir, TN_OP_SEQ, TN_DT_NONE, (tn_attr){0}, 2, stmts);
}

static void a_negative_extent_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *dim = tn_int(m.ir, TN_DT_I64, -4);
  m.type = tn_ty_tensor(m.ir, TN_DT_F32, 1, tn_list(m.ir, 1, &dim));
  m.x = var_of(&m, "x");
  const tn_node *ret = stmt(&m, TN_OP_RETURN, 1, &m.x);
  expect_id(&m, tn_node_new(m.ir, TN_OP_SEQ, TN_DT_NONE, (tn_attr){0}, 1, &ret), false, "bad-dim");
}

static void an_extent_of_another_type_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *dim = tn_int(m.ir, TN_DT_I32, 4);
  m.type = tn_ty_tensor(m.ir, TN_DT_F32, 1, tn_list(m.ir, 1, &dim));
  m.x = var_of(&m, "x");
  expect_id(&m, stmt(&m, TN_OP_RETURN, 1, &m.x), false, "bad-dim");
}

static void a_field_of_another_kind_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *four = tn_int(m.ir, TN_DT_I64, 4);
  const tn_node *value = tn_call_new(m.ir, tn_graph_builtin(TN_BUILTIN_HINT_ON_DEVICE), 1, &m.x,
                                     tn_list(m.ir, 1, &four), NULL);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, value};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_GBIND, 2, bind), stmt(&m, TN_OP_RETURN, 1, &y)), false,
            "bad-field");
}

static void an_index_past_a_tuple_is_bad(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *tuple = stmt(&m, TN_OP_TUPLE, 1, &m.x);
  const tn_node *get = tn_node_new(m.ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = 3}, 1, &tuple);
  expect_id(&m, stmt(&m, TN_OP_RETURN, 1, &get), false, "bad-call");
}

static void a_result_that_is_no_variable_is_not_normal(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *args[] = {m.x, m.x};
  const tn_node *sum =
      tn_call_new(m.ir, tn_op_table_find(tn_ops_table(), "add"), 2, args, NULL, NULL);
  expect_id(&m, stmt(&m, TN_OP_RETURN, 1, &sum), true, "not-normal");
}

static void a_return_of_nothing_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *none = tn_none(m.ir);
  expect_id(&m, stmt(&m, TN_OP_RETURN, 1, &none), false, "missing-return");
}

static void a_statement_of_the_loop_level_is_misplaced(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *four = tn_int(m.ir, TN_DT_I64, 4);
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_EVAL, 1, &four), stmt(&m, TN_OP_RETURN, 1, &m.x)), false,
            "misplaced-statement");
}

static void a_body_without_return_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, m.x};
  expect_id(&m, stmt(&m, TN_OP_GBIND, 2, bind), false, "missing-return");
}

static void a_return_in_the_middle_is_misplaced(void **state) {
  (void)state;
  made m;
  made_init(&m);
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_RETURN, 1, &m.x), stmt(&m, TN_OP_RETURN, 1, &m.x)), false,
            "misplaced-statement");
}

static void an_unknown_function_is_named(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *callee = tn_node_new(m.ir, TN_OP_GLOBAL, TN_DT_NONE,
                                      (tn_attr){.text = tn_ir_text(m.ir, "nain")}, 0, NULL);
  const tn_node *call[] = {callee, tn_list(m.ir, 1, &m.x), tn_none(m.ir)};
  const tn_node *value = stmt(&m, TN_OP_INVOKE, 3, call);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, value};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_GBIND, 2, bind), stmt(&m, TN_OP_RETURN, 1, &y)), false,
            "undefined-global");
}

static void a_call_that_inference_refuses_is_bad(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *value =
      tn_call_new(m.ir, tn_graph_builtin(TN_BUILTIN_SHAPE_OF), 0, NULL, NULL, NULL);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, value};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_GBIND, 2, bind), stmt(&m, TN_OP_RETURN, 1, &y)), false,
            "bad-call");
}

static void an_output_that_the_block_does_not_bind_is_reported(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, m.x};
  const tn_node *inner = stmt(&m, TN_OP_GBIND, 2, bind);
  const tn_node *flow[] = {tn_node_new(m.ir, TN_OP_SEQ, TN_DT_NONE, (tn_attr){0}, 1, &inner),
                           tn_list(m.ir, 1, &m.x)};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_DATAFLOW, 2, flow), stmt(&m, TN_OP_RETURN, 1, &m.x)), false,
            "dataflow-output");
}

static void a_dataflow_block_holds_bindings_only(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *inner = stmt(&m, TN_OP_RETURN, 1, &m.x);
  const tn_node *flow[] = {tn_node_new(m.ir, TN_OP_SEQ, TN_DT_NONE, (tn_attr){0}, 1, &inner),
                           tn_list(m.ir, 0, NULL)};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_DATAFLOW, 2, flow), stmt(&m, TN_OP_RETURN, 1, &m.x)), false,
            "dataflow-statement");
}

static void a_branch_must_give_a_value(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_node *y = var_of(&m, "y");
  const tn_node *truth = tn_bool(m.ir, true);
  const tn_node *cond = tn_node_new(m.ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &truth);
  const tn_node *empty = tn_node_new(m.ir, TN_OP_SEQ, TN_DT_NONE, (tn_attr){0}, 0, NULL);
  const tn_node *in[] = {y, cond, stmt(&m, TN_OP_YIELD, 1, &m.x), empty};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_GIF, 4, in), stmt(&m, TN_OP_RETURN, 1, &y)), false,
            "missing-yield");
}

static void nested_calls_are_not_normal(void **state) {
  (void)state;
  made m;
  made_init(&m);
  const tn_op_def *add = tn_op_table_find(tn_ops_table(), "add");
  const tn_node *args[] = {m.x, m.x};
  const tn_node *inner = tn_call_new(m.ir, add, 2, args, NULL, NULL);
  const tn_node *outer_args[] = {inner, m.x};
  const tn_node *outer = tn_call_new(m.ir, add, 2, outer_args, NULL, NULL);
  const tn_node *y = var_of(&m, "y");
  const tn_node *bind[] = {y, outer};
  expect_id(&m, seq2(&m, stmt(&m, TN_OP_GBIND, 2, bind), stmt(&m, TN_OP_RETURN, 1, &y)), true,
            "not-normal");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_modules_have_no_diagnostics),
      cmocka_unit_test(each_rule_has_its_diagnostic),
      cmocka_unit_test(a_negative_extent_is_reported),
      cmocka_unit_test(an_extent_of_another_type_is_reported),
      cmocka_unit_test(a_field_of_another_kind_is_reported),
      cmocka_unit_test(an_index_past_a_tuple_is_bad),
      cmocka_unit_test(a_result_that_is_no_variable_is_not_normal),
      cmocka_unit_test(a_return_of_nothing_is_reported),
      cmocka_unit_test(a_statement_of_the_loop_level_is_misplaced),
      cmocka_unit_test(a_body_without_return_is_reported),
      cmocka_unit_test(a_return_in_the_middle_is_misplaced),
      cmocka_unit_test(an_unknown_function_is_named),
      cmocka_unit_test(a_call_that_inference_refuses_is_bad),
      cmocka_unit_test(an_output_that_the_block_does_not_bind_is_reported),
      cmocka_unit_test(a_dataflow_block_holds_bindings_only),
      cmocka_unit_test(a_branch_must_give_a_value),
      cmocka_unit_test(nested_calls_are_not_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
