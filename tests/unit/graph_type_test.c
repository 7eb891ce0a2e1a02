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
  const tn_node *other[] = {tn_ty_prim(k.ir, TN_DT_I64, NULL), fn};
  const tn_node *one = tn_list(k.ir, 1, twice);
  const tn_node *two = tn_list(k.ir, 2, twice);
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
      {tn_ty_func(k.ir, NULL, f4, true), tn_ty_func(k.ir, one, f4, true), 'y'},
      {tn_ty_func(k.ir, one, f4, true), tn_ty_func(k.ir, two, f4, true), 'n'},
      {tn_ty_tensor(k.ir, TN_DT_F32, 1, NULL), f4, 'u'},
      {tn_ty_tuple(k.ir, 2, twice), tn_ty_tuple(k.ir, 2, other), 'n'},
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

/* ---- what has no type ---- */

static const tn_node *value(const kit *k, const char *name, const tn_node *type) {
  return tn_node_new(k->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(k->ir, name)}, 1,
                     &type);
}

static const tn_node *call(const kit *k, tn_builtin_id id, const tn_node *types, uint32_t n,
                           const tn_node *const *args) {
  return tn_call_new(k->ir, tn_graph_builtin(id), n, args, NULL, types);
}
#define CALL(k, id, types, ...)                                                       \
  call((k), (id), (types), sizeof((const tn_node *[]){__VA_ARGS__}) / sizeof(void *), \
       (const tn_node *[]){__VA_ARGS__})

static const tn_node *node(const kit *k, tn_op op, const char *text, uint32_t n,
                           const tn_node *const *in) {
  return tn_node_new(k->ir, op, TN_DT_NONE, (tn_attr){.text = text}, n, in);
}

static const tn_node *invoke(const kit *k, const tn_node *callee, uint32_t n,
                             const tn_node *const *args) {
  const tn_node *in[] = {callee, tn_list(k->ir, n, args), tn_none(k->ir)};
  return tn_node_new(k->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, in);
}

static const tn_node *get(const kit *k, const tn_node *tuple, int64_t i) {
  return tn_node_new(k->ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = i}, 1, &tuple);
}

static const tn_node *nested(const kit *k, const tn_node *x, int32_t depth) {
  for (; depth > 0; --depth) {
    x = tn_node_new(k->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, 1, &x);
  }
  return x;
}

static const tn_node *without_return(const kit *k, const tn_node *x) {
  const tn_node *bind[] = {value(k, "y", x->in[0]), x};
  const tn_node *in[] = {tn_list(k->ir, 1, &x), tn_none(k->ir), tn_none(k->ir),
                         tn_bool(k->ir, true),
                         tn_node_new(k->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, bind)};
  return node(k, TN_OP_GFUNC, "f", 5, in);
}

static const tn_node *on_device(const kit *k, const tn_node *x, const char *name) {
  const tn_node *field = tn_str(k->ir, name);
  return tn_call_new(k->ir, tn_graph_builtin(TN_BUILTIN_TO_VDEVICE), 1, &x,
                     tn_list(k->ir, 1, &field), NULL);
}

static void what_has_no_type_is_named(void **state) {
  (void)state;
  kit k;
  kit_init(&k);
  const tn_node *f4 = tensor(&k, TN_DT_F32, number(&k, 4), NULL);
  const tn_node *shape = tn_ty_shape(k.ir, 2, NULL);
  const tn_node *object = tn_ty_object(k.ir);
  const tn_node *x = value(&k, "x", f4);
  const tn_node *s = value(&k, "s", shape);
  const tn_node *f = value(&k, "f", tn_ty_func(k.ir, tn_list(k.ir, 1, &f4), f4, true));
  const tn_node *name = node(&k, TN_OP_GLOBAL, "g", 0, NULL);
  const tn_node *packed = node(&k, TN_OP_EXTERN, "g", 0, NULL);
  const tn_node *pair =
      tn_node_new(k.ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, 2, (const tn_node *[]){x, x});
  const tn_node *dtype =
      tn_node_new(k.ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = TN_DT_F32}, 0, NULL);
  const tn_node *types = tn_list(k.ir, 1, &f4);
  const tn_node *fields = tn_list(k.ir, 2, (const tn_node *[]){x, x});
  const struct {
    const tn_node *expr;
    const char *part;
  } rows[] = {
      {name, "the module has no function 'g'"},
      {call(&k, TN_BUILTIN_VM_CALL_DPS, NULL, 0, NULL), "takes at least 1 arguments, got 0"},
      {call(&k, TN_BUILTIN_SHAPE_OF, NULL, 0, NULL), "shape_of takes 1 arguments, got 0"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, types, name), "call_tir takes 2 to 3 arguments, got 1"},
      {tn_call_new(k.ir, tn_graph_builtin(TN_BUILTIN_SHAPE_OF), 1, &x, fields, NULL),
       "shape_of has 0 fields, got 2"},
      {CALL(&k, TN_BUILTIN_TO_VDEVICE, NULL, x), "to_vdevice needs 'dst_vdevice'"},
      {invoke(&k, f, 0, NULL), "the call gives 0 arguments, the function takes 1"},
      {invoke(&k, f, 1, &s), "argument 0 of the call has type R.Shape(ndim=2), expected R.Tensor"},
      {invoke(&k, x, 1, &x), "the callee has type R.Tensor((4,), dtype=\"float32\"), expected"},
      {nested(&k, x, 200), "the tuple's type is nested more than 100 deep"},
      {get(&k, x, 0), "what is indexed has type R.Tensor"},
      {get(&k, pair, 2), "index 2 of a tuple of 2"},
      {value(&k, "z", tn_none(k.ir)), "the type of 'z' is not known"},
      {tn_list(k.ir, 1, &x), "is not a graph expression"},
      {without_return(&k, x), "function 'f' does not end in a return"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, tn_list(k.ir, 1, &object), name, pair),
       "output 0 of call_tir has type R.Object"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, types, packed, pair), "the first argument of call_tir is"},
      {CALL(&k, TN_BUILTIN_CALL_DPS_PACKED, types, name, pair),
       "expected the name of a registered function"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, types, name, x), "is not a tuple of inputs"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, types, name, pair, x), "tir_vars of call_tir is not a shape"},
      {CALL(&k, TN_BUILTIN_CALL_TIR, NULL, name, pair), "needs the types of its outputs"},
      {CALL(&k, TN_BUILTIN_SHAPE_OF, NULL, s), "shape_of takes a tensor"},
      {CALL(&k, TN_BUILTIN_TENSOR_TO_SHAPE, NULL, x), "takes an int64 tensor of one dimension"},
      {CALL(&k, TN_BUILTIN_SHAPE_TO_TENSOR, NULL, x), "shape_to_tensor takes a shape"},
      {CALL(&k, TN_BUILTIN_MEMORY_VIEW, NULL, x, x, dtype, x),
       "takes a shape as argument 1 and a dtype as argument 2"},
      {CALL(&k, TN_BUILTIN_MAKE_CLOSURE, NULL, x, pair), "make_closure takes a function"},
      {CALL(&k, TN_BUILTIN_MAKE_CLOSURE, NULL, f, pair),
       "2 values are captured by a function of 1 parameters"},
  };
  const tn_infer_ctx ctx = {.ir = k.ir};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_node *type = NULL;
    tn_status st = tn_graph_infer(&ctx, rows[i].expr, &type);
    expect_true(strstr(tn_status_message(st), rows[i].part) != NULL, "row %zu: want %s, got %s", i,
                rows[i].part, tn_status_message(st));
    tn_status_free(st);
  }
  expect_ok(tn_check_host_device(on_device(&k, x, "llvm:0")));
  expect_error(tn_check_host_device(on_device(&k, x, "cuda:0")), TN_UNSUPPORTED,
               "there is no device 'cuda:0'");
  tn_ir_free(k.ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_print_as_in_a_signature),
      cmocka_unit_test(subtypes_are_proved_refuted_or_unsure),
      cmocka_unit_test(what_has_no_type_is_named),
      cmocka_unit_test(calls_have_the_types_that_follow_from_their_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
