/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* Types: construction, text, subtyping with symbolic extents, inference of calls. */
#include "graph_util.h"

typedef struct kit {
  tn_ir *ir;
  const tn_node *n;
  const tn_node *m;
  const tn_node *n4; /* n * 4 */
} kit;

static void kit_init(kit *k) {
  k->ir = tn_ir_new(0);
  k->n = tn_var_new(k->ir, "n", TN_DT_I64);
  k->m = tn_var_new(k->ir, "m", TN_DT_I64);
  k->n4 = tn_binary(k->ir, TN_OP_MUL, k->n, tn_int(k->ir, TN_DT_I64, 4));
}

static const tn_node *number(const kit *k, int64_t value) {
  return tn_int(k->ir, TN_DT_I64, value);
}

static const tn_node *tensor(const kit *k, tn_dtype dtype, const tn_node *a, const tn_node *b) {
  const tn_node *dims[] = {a, b};
  return tn_ty_tensor(k->ir, dtype, -1, tn_list(k->ir, b == NULL ? 1 : 2, dims));
}

static void types_print_as_in_a_signature(void **state) {
  (void)state;
  kit k;
  kit_init(&k);
  const tn_node *t = tensor(&k, TN_DT_F32, k.n, number(&k, 4));
  const struct {
    const tn_node *type;
    const char *text;
  } rows[] = {
      {t, "R.Tensor((\"n\", 4), dtype=\"float32\")"},
      {tensor(&k, TN_DT_F32, k.n4, NULL), "R.Tensor((\"n * 4\",), dtype=\"float32\")"},
      {tn_ty_tensor(k.ir, TN_DT_NONE, -1, NULL), "R.Tensor"},
      {tn_ty_tensor(k.ir, TN_DT_I8, 2, NULL), "R.Tensor(dtype=\"int8\", ndim=2)"},
      {tn_ty_shape(k.ir, -1, NULL), "R.Shape"},
      {tn_ty_shape(k.ir, 3, NULL), "R.Shape(ndim=3)"},
      {tn_ty_prim(k.ir, TN_DT_I64, NULL), "R.Prim(\"int64\")"},
      {tn_ty_object(k.ir), "R.Object"},
      {tn_ty_tuple(k.ir, 1, &t), "R.Tuple(R.Tensor((\"n\", 4), dtype=\"float32\"))"},
      {tn_ty_func(k.ir, tn_list(k.ir, 1, &t), t, true),
       "R.Callable((R.Tensor((\"n\", 4), dtype=\"float32\"),), R.Tensor((\"n\", 4), "
       "dtype=\"float32\"), True)"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_ty_print(rows[i].type, &text);
    expect_text(tn_buf_text(&text), rows[i].text);
    tn_buf_deinit(&text);
  }
  tn_ir_free(k.ir);
}

static void subtypes_are_proved_refuted_or_unsure(void **state) {
  (void)state;
  kit k;
  kit_init(&k);
  const tn_node *any = tn_ty_tensor(k.ir, TN_DT_NONE, -1, NULL);
  const tn_node *f4 = tensor(&k, TN_DT_F32, number(&k, 4), NULL);
  const tn_node *fn = tensor(&k, TN_DT_F32, k.n, NULL);
  const tn_node *twice[] = {f4, fn};
  const tn_node *n_plus = tn_binary(k.ir, TN_OP_ADD, k.n, number(&k, 1));
  const tn_node *sum = tn_binary(k.ir, TN_OP_ADD, tn_binary(k.ir, TN_OP_ADD, k.n, k.n),
                                 tn_binary(k.ir, TN_OP_ADD, k.n, k.n));
  const struct {
    const tn_node *sub;
    const tn_node *super;
    char want; /* yes, no, unsure */
  } rows[] = {
      {f4, f4, 'y'},
      {f4, any, 'y'},
      {f4, tn_ty_object(k.ir), 'y'},
      {any, f4, 'u'},
      {tn_ty_object(k.ir), f4, 'u'},
      {f4, tensor(&k, TN_DT_F32, number(&k, 5), NULL), 'n'},
      {f4, tensor(&k, TN_DT_F64, number(&k, 4), NULL), 'n'},
      {f4, tensor(&k, TN_DT_F32, number(&k, 4), number(&k, 1)), 'n'},
      {f4, tn_ty_tensor(k.ir, TN_DT_F32, 1, NULL), 'y'},
      {f4, fn, 'u'},
      {fn, tensor(&k, TN_DT_F32, k.m, NULL), 'u'},
      {fn, tensor(&k, TN_DT_F32, n_plus, NULL), 'n'},
      {tensor(&k, TN_DT_F32, sum, NULL), tensor(&k, TN_DT_F32, k.n4, NULL), 'y'},
      {tn_ty_tuple(k.ir, 2, twice), tn_ty_tuple(k.ir, 2, twice), 'y'},
      {tn_ty_tuple(k.ir, 1, twice), tn_ty_tuple(k.ir, 2, twice), 'n'},
      {tn_ty_shape(k.ir, 2, NULL), tn_ty_shape(k.ir, -1, NULL), 'y'},
      {tn_ty_prim(k.ir, TN_DT_I64, NULL), tn_ty_prim(k.ir, TN_DT_I32, NULL), 'n'},
      {f4, tn_ty_shape(k.ir, 1, NULL), 'n'},
      {tn_ty_func(k.ir, NULL, f4, false), tn_ty_func(k.ir, NULL, f4, true), 'n'},
      {tn_ty_func(k.ir, NULL, f4, true), tn_ty_func(k.ir, NULL, any, false), 'y'},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    bool is_unsure = false;
    bool is_sub = tn_ty_is_subtype(k.ir, rows[i].sub, rows[i].super, &is_unsure);
    char got = is_sub ? 'y' : is_unsure ? 'u' : 'n';
    expect_true(got == rows[i].want, "row %zu: want %c, got %c", i, rows[i].want, got);
  }
  tn_ir_free(k.ir);
}

static const char calls[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import relax as R\n"
    "from tvm.script import tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def twice(a: R.Tensor((\"k\",), dtype=\"float32\")) -> R.Tensor((\"k * 2\",), "
    "dtype=\"float32\"):\n"
    "        k = T.int64()\n"
    "        r = R.call_dps_packed(\"f\", (a,), out_sinfo=R.Tensor((k * 2,), dtype=\"float32\"))\n"
    "        return r\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 3), dtype=\"float32\"), v: R.Tensor((3,), "
    "dtype=\"float32\"), w: R.Tensor((\"n\",), dtype=\"float32\")):\n"
    "        n = T.int64()\n"
    "        cls = Module\n"
    "        a = R.add(x, v)\n"
    "        b = R.less(x, v)\n"
    "        c = R.matmul(x, v)\n"
    "        d = R.sum(x, axis=[0])\n"
    "        e = cls.twice(v)\n"
    "        f = cls.twice(w)\n"
    "        g = R.shape_of(x)\n"
    "        h = R.shape_to_tensor(g)\n"
    "        i = R.reshape(x, R.shape([3, n]))\n"
    "        j = (x, v)\n"
    "        k = j[1]\n"
    "        return k\n";

static void calls_have_the_types_that_follow_from_their_arguments(void **state) {
  (void)state;
  static const struct {
    const char *name;
    const char *type;
  } rows[] = {
      {"a", "R.Tensor((\"n\", 3), dtype=\"float32\")"},
      {"b", "R.Tensor((\"n\", 3), dtype=\"bool\")"},
      {"c", "R.Tensor((\"n\",), dtype=\"float32\")"},
      {"d", "R.Tensor((3,), dtype=\"float32\")"},
      {"e", "R.Tensor((6,), dtype=\"float32\")"},
      {"f", "R.Tensor((\"n * 2\",), dtype=\"float32\")"},
      {"g", "R.Shape([\"n\", 3])"},
      {"h", "R.Tensor((2,), dtype=\"int64\")"},
      {"i", "R.Tensor((3, \"n\"), dtype=\"float32\")"},
      {"k", "R.Tensor((3,), dtype=\"float32\")"},
  };
  tn_module module;
  graph_read(&module, calls);
  expect_ok(graph_passes(&module, "normalize", NULL));
  const tn_node *body = tn_module_find(&module, "main")->in[TN_GFUNC_BODY];
  size_t n_seen = 0;
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    for (size_t r = 0; r < TN_N_ROWS(rows) && stmt->op == TN_OP_GBIND; ++r) {
      const tn_node *var = stmt->in[TN_BIND_VAR];
      if (strcmp(var->attr.text, rows[r].name) == 0) {
        tn_buf text = TN_BUF_INIT;
        tn_ty_print(var->in[0], &text);
        expect_true(strcmp(tn_buf_text(&text), rows[r].type) == 0, "%s: %s", rows[r].name,
                    tn_buf_text(&text));
        tn_buf_deinit(&text);
        ++n_seen;
      }
    }
  }
  assert_int_equal(n_seen, TN_N_ROWS(rows));
  graph_free(&module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_print_as_in_a_signature),
      cmocka_unit_test(subtypes_are_proved_refuted_or_unsure),
      cmocka_unit_test(calls_have_the_types_that_follow_from_their_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
