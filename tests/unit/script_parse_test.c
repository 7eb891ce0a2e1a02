/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* What programs mean: each row is a body and the body that the printer gives for what was read. */
#include "script_util.h"

typedef struct text_row {
  const char *body;
  const char *want; /* NULL: the body itself */
} text_row;

/* The lines after the function's head, without their indentation; "pass" for none. */
static char *body_of(const char *text, const char *head, size_t indent) {
  const char *at = strstr(text, head);
  tn_buf out = TN_BUF_INIT;
  at = at == NULL ? NULL : strchr(at, '\n');
  while (at != NULL && strncmp(at + 1, "                ", indent) == 0) {
    const char *end = strchr(at + 1, '\n');
    size_t len = end == NULL ? strlen(at + 1) : (size_t)(end - at - 1);
    tn_buf_puts(&out, out.len > 0 ? "\n" : "");
    tn_buf_append(&out, at + 1 + indent, len - indent);
    at = end;
  }
  return tn_buf_take(&out);
}

static void check_rows(const text_row *rows, size_t n, char *(*wrap)(const char *),
                       const char *head) {
  for (size_t i = 0; i < n; ++i) {
    script_case c;
    char *text = wrap(rows[i].body);
    tn_buf printed = TN_BUF_INIT;
    script_case_init(&c, text);
    char *shown = script_case_problems(&c);
    expect_true(c.diags.n == 0, "row %zu:\n%s", i, shown);
    tn_script_print(&c.module, NULL, &printed);
    char *got = body_of(tn_buf_text(&printed), head, 8);
    expect_text(got, rows[i].want != NULL ? rows[i].want : rows[i].body);
    free(got);
    free(shown);
    free(text);
    tn_buf_deinit(&printed);
    script_case_deinit(&c);
  }
}

static void loop_level_statements_mean_what_they_say(void **state) {
  (void)state;
  static const text_row rows[] = {
      {"pass", NULL},
      {"\"documentation\"\npass", "pass"},
      /* loops */
      {"for i in range(4):\n    A[i] = T.float32(1.0)", NULL},
      {"for i in T.serial(4):\n    A[i] = 1.0", "for i in range(4):\n    A[i] = T.float32(1.0)"},
      {"for i in T.serial(2, 8, annotations={\"k\": 1}):\n    A[i] = T.float32(0.0)", NULL},
      {"for i in T.parallel(n):\n    A[i] = T.float32(0.0)", NULL},
      {"for i in T.vectorized(4):\n    A[i] = T.float32(0.0)", NULL},
      {"for i in T.unroll(2, 4):\n    A[i] = T.float32(0.0)", NULL},
      {"for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[tx] = T.float32(0.0)", NULL},
      {"for i, j in T.grid(16, n):\n    B[i, j] = A[i]", NULL},
      {"for i in range(n):\n    for j in range(i):\n        B[i, j] = A[i]", NULL},
      {"for i in range(T.int64(4)):\n    A[i] = T.float32(0.0)", NULL},
      {"for i in range(n, n + 4):\n    A[i] = T.float32(0.0)", NULL},
      {"while A[0] < T.float32(3.0) and n > 2:\n    A[0] = A[0] + T.float32(1.0)", NULL},
      {"if n > 1:\n    A[0] = T.float32(0.0)\nelse:\n    A[1] = T.float32(0.0)", NULL},
      {"if n > 1 or n < 0:\n    A[0] = 0\nelif not n == 5:\n    A[1] = 0",
       "if n > 1 or n < 0:\n    A[0] = T.float32(0.0)\nelse:\n    if not n == 5:\n        A[1] = "
       "T.float32(0.0)"},
      {"if True:\n    A[0] = T.float32(0.0)\nelse:\n    A[1] = T.float32(0.0)",
       "A[0] = T.float32(0.0)"},
      /* stores, loads, lets */
      {"A[0] += 2", "A[0] = A[0] + T.float32(2.0)"},
      {"A[0] = n", "A[0] = T.Cast(\"float32\", n)"},
      {"A[0:4] = A[4:8]", NULL},
      {"A[0:8:2] = B[0, n:n + 4]", "A[T.Ramp(0, 2, 4)] = B[0, n:n + 4]"},
      {"A[n:n + 1] = 1.0", "A[n] = T.float32(1.0)"},
      {"A.vstore([0], A.vload([4], \"float32x4\"))", "A[0:4] = A[4:8]"},
      {"A.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.float32(1.0), 4), predicate=T.Broadcast(n > 1, "
       "4))",
       NULL},
      {"x = A[0] * 2.0\nA[1] = x", "x: T.float32 = A[0] * T.float32(2.0)\nA[1] = x"},
      {"x: T.float64 = A[0]\nA[1] = T.Cast(\"float32\", x)",
       "x: T.float64 = T.Cast(\"float64\", A[0])\nA[1] = T.Cast(\"float32\", x)"},
      {"with T.LetStmt(n + 1) as x:\n    A[x] = 0.0", "x: T.int32 = n + 1\nA[x] = T.float32(0.0)"},
      {"A[T.Let(x + 1, where={x: n * 2})] = T.float32(0.0)", NULL},
      {"for i in range(4):\n    x = i\n    y = T.meta_var(i)\n    A[x] = A[y]",
       "for i in range(4):\n    x: T.int32 = i\n    A[x] = A[i]"},
      {"N = T.meta_var(4)\nA[N * 2] = 0.0", "A[8] = T.float32(0.0)"},
      {"a, b = n + 1, n + 2\nA[a] = A[b]", "a: T.int32 = n + 1\nb: T.int32 = n + 2\nA[a] = A[b]"},
      /* memory */
      {"p = T.allocate([128], \"float32\", \"local\")\nP = T.decl_buffer((8, 16), data=p, "
       "scope=\"local\")\nP[0, 0] = A[0]",
       NULL},
      {"with T.allocate([4], \"float32\") as p:\n    P = T.decl_buffer((4,), data=p)\n    P[0] = "
       "A[0]",
       "p = T.allocate([4], \"float32\", \"global\")\nP = T.decl_buffer((4,), data=p)\nP[0] = "
       "A[0]"},
      {"c = T.allocate_const([1.0, 2.0], \"float32\", [2])\nC = T.decl_buffer((2,), data=c)\nA[0] "
       "= C[1]",
       NULL},
      /* attributes and threads */
      {"with T.attr(None, \"pragma\", 1):\n    A[0] = T.float32(0.0)", NULL},
      {"A[1] = 0.0\nT.attr(None, \"pragma\", \"x\")\nA[0] = 0.0",
       "A[1] = T.float32(0.0)\nwith T.attr(None, \"pragma\", \"x\"):\n    A[0] = T.float32(0.0)"},
      {"tx = T.env_thread(\"threadIdx.x\")\nT.launch_thread(tx, 32)\nA[tx] = 0.0",
       "with T.launch_thread(\"threadIdx.x\", 32) as tx:\n    A[tx] = T.float32(0.0)"},
      {"with T.launch_thread(\"blockIdx.x\", 4) as bx:\n    A[bx] = T.float32(0.0)", NULL},
      /* the rest */
      {"T.evaluate(n)", NULL},
      {"T.evaluate(T.call_extern(\"int32\", \"f\", A.data, T.address_of(A[0])))",
       "T.call_extern(\"int32\", \"f\", A.data, T.address_of(A[0]))"},
      {"T.call_packed(\"g\", 1, \"s\")", NULL},
      {"T.tvm_storage_sync(\"shared\")", NULL},
      {"assert n == 4, \"n must be 4\"", NULL},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_prim_func, "def f(");
}

static void expressions_follow_the_language(void **state) {
  (void)state;
  static const text_row rows[] = {
      {"T.evaluate(n + 2 * n - 3)", NULL},
      {"T.evaluate((n + 2) * n // 3 % 5)", NULL},
      {"T.evaluate(n - (n - 1))", NULL},
      {"T.evaluate(-n)", NULL},
      {"T.evaluate(n + -5)", NULL},
      {"T.evaluate(1 + 2 * 3 + n)", "T.evaluate(7 + n)"},
      {"T.evaluate(7 // 2 - 7 % 4 + (1 << 4) + n)", "T.evaluate(16 + n)"},
      {"T.evaluate(-7 // 2 + n)", "T.evaluate(-4 + n)"},
      {"T.evaluate(T.Add(3, 4))", NULL},
      {"T.evaluate(T.FloorDiv(7, 2))", NULL},
      {"T.evaluate(T.int64(3) + T.Cast(\"int64\", n))", NULL},
      {"T.evaluate(n + T.int64(3))", "T.evaluate(T.Cast(\"int64\", n) + T.int64(3))"},
      {"T.evaluate(n * 4294967296)", "T.evaluate(T.Cast(\"int64\", n) * T.int64(4294967296))"},
      {"T.evaluate(n / 2)", "T.evaluate(T.truncdiv(n, 2))"},
      {"A[0] = A[1] / 2", "A[0] = A[1] / T.float32(2.0)"},
      {"A[0] = T.Cast(\"float32\", T.Cast(\"float64\", A[0]) + 0.1)",
       "A[0] = T.Cast(\"float32\", T.Cast(\"float64\", A[0]) + T.float64(0.1))"},
      {"T.evaluate(T.truncmod(n, 3))", NULL},
      {"T.evaluate(n & 1 | n ^ 2 | ~n | n << 2 | n >> 1)", NULL},
      {"T.evaluate(T.bitwise_and(n, 3) + T.shift_left(n, 1))", "T.evaluate((n & 3) + (n << 1))"},
      {"T.evaluate(T.min(n, 3) + T.max(3, n))", NULL},
      {"T.evaluate(n < 1 and (n > 2 or not n == 3))", NULL},
      {"T.evaluate((n < 1) == (n > 2))", NULL},
      {"A[0] = T.if_then_else(n > 0, A[0], T.float32(0.0))", NULL},
      {"A[0] = A[0] if n > 0 else 0.0", "A[0] = T.if_then_else(n > 0, A[0], T.float32(0.0))"},
      {"A[0] = T.Select(n > 0, A[0], T.float32(0.0))", NULL},
      {"A[0] = T.float32(\"inf\") + A[0] * T.float32(\"-inf\")", NULL},
      {"A[0] = T.max_value(\"float32\")", "A[0] = T.float32(3.4028235e+38)"},
      {"T.evaluate(T.min_value(\"int8\"))", "T.evaluate(T.int8(-128))"},
      {"T.evaluate(T.uint64(18446744073709551615))", NULL},
      {"T.evaluate(T.int64(-9223372036854775808))", NULL},
      {"T.evaluate(0x1F + n + 0b11 + 0o7 + 1_000)", "T.evaluate(31 + n + 3 + 7 + 1000)"},
      {"A[0] = T.exp(A[0]) + T.pow(A[0], 2) + T.sigmoid(A[1])",
       "A[0] = T.exp(A[0]) + T.pow(A[0], T.float32(2.0)) + T.sigmoid(A[1])"},
      {"A[0] = T.call_intrin(\"float32\", \"tir.exp\", A[0])", "A[0] = T.exp(A[0])"},
      {"T.evaluate(T.reinterpret(\"int32\", A[0]))", NULL},
      {"T.evaluate(A[0].astype(\"int32\"))", "T.evaluate(T.Cast(\"int32\", A[0]))"},
      {"T.evaluate(T.Shuffle([A[0:4], A[4:8]], [0, 7]))", NULL},
      {"T.evaluate(B.shape[1] + B.elem_offset + n)", "T.evaluate(T.Add(16, 0) + n)"},
      {"T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), \"r\", 0)",
       "with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), \"r\", 0):\n    pass"},
      {"T.attr(T.target({\"kind\": \"llvm\"}), \"m\", T.index_map(lambda i, j: (j, i)))",
       "with T.attr(T.target({\"kind\": \"llvm\"}), \"m\", T.index_map(lambda i, j: (j, i))):\n    "
       "pass"},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_prim_func, "def f(");
}

static void blocks_get_axes_and_regions(void **state) {
  (void)state;
  static const text_row rows[] = {
      {"for i, j in T.grid(16, 16):\n    with T.block(\"b\"):\n        vi, vj = "
       "T.axis.remap(\"SR\", [i, j])\n"
       "        with T.init():\n            A[vi] = 0.0\n        A[vi] += B[vi, vj]",
       "for i, j in T.grid(16, 16):\n    with T.block(\"b\"):\n        vi, vj = "
       "T.axis.remap(\"SR\", [i, j])\n"
       "        T.reads(B[vi, vj])\n        T.writes(A[vi])\n"
       "        with T.init():\n            A[vi] = T.float32(0.0)\n        A[vi] = A[vi] + B[vi, "
       "vj]"},
      {"for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.S(16, i * 4)\n        vk "
       "= T.axis.reduce((2, 8), i)\n"
       "        T.where(i * 4 < 15)\n        T.reads(B[vi, 0:8], B[vk, vk:vk + 4])\n        "
       "T.writes(A)\n"
       "        T.block_attr({\"a\": [1, 2]})\n        C = T.alloc_buffer((4,), scope=\"local\")\n "
       "       A[vi] = C[0]",
       "for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(16, i * 4)\n     "
       "   vk = T.axis.reduce((2, 8), i)\n"
       "        T.where(i * 4 < 15)\n        T.reads(B[vi, 0:8], B[vk, vk:vk + 4])\n        "
       "T.writes(A[0:16])\n"
       "        T.block_attr({\"a\": [1, 2]})\n        C = T.alloc_buffer((4,), scope=\"local\")\n "
       "       A[vi] = C[0]"},
      {"for i in range(T.int64(16)):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(16, "
       "i)\n        T.reads()\n        T.writes()\n        A[vi] = T.float32(0.0)",
       "for i in range(T.int64(16)):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"S\", "
       "[i])\n        T.reads()\n        T.writes()\n        A[vi] = T.float32(0.0)"},
      {"with T.block(\"b\"):\n    T.reads(B[0:4, 0:4])\n    T.writes()\n"
       "    C = T.match_buffer(B[0:4, 0:4], (4, 4), offset_factor=4)\n    A[0] = C[0, 0]",
       "with T.block(\"b\"):\n    T.reads(B[0:4, 0:4])\n    T.writes()\n    C_elem_offset = "
       "T.int32()\n"
       "    C = T.match_buffer(B[0:4, 0:4], (4, 4), elem_offset=C_elem_offset, offset_factor=4)\n  "
       "  A[0] = C[0, 0]"},
      {"C = T.alloc_buffer((4,))\nC[0] = A[0]",
       "# with T.block(\"root\"):\nC = T.alloc_buffer((4,))\nC[0] = A[0]"},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_prim_func, "def f(");
}

static void graph_level_statements_mean_what_they_say(void **state) {
  (void)state;
  static const text_row rows[] = {
      {"return x", NULL},
      {"z = R.add(x, x)\nreturn z", "z: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\nreturn z"},
      {"z = x + x\nreturn z", "z: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\nreturn z"},
      {"return (x, (x,))", NULL},
      {"z = t[0]\nreturn z",
       "n = T.int64()\nz: R.Tensor((4,), dtype=\"float32\") = t[0]\nreturn z"},
      {"z = R.tuple_get_item(R.tuple(x, x), 1)\nreturn z",
       "z: R.Tensor((4,), dtype=\"float32\") = (x, x)[1]\nreturn z"},
      {"z = R.call_tir(Module.k, x, out_sinfo=R.Tensor((4,), \"float32\"))\nreturn z",
       "cls = Module\nz = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((4,), "
       "dtype=\"float32\"))\nreturn z"},
      {"n = T.int64()\nz = R.call_dps_packed(\"f\", (x, y), out_sinfo=[R.Tensor((n * 4,), "
       "\"float32\"), R.Tensor((n,), "
       "\"int32\")])\nreturn z",
       "n = T.int64()\nz = R.call_dps_packed(\"f\", (x, y), out_sinfo=[R.Tensor((n * 4,), "
       "dtype=\"float32\"), R.Tensor((n,), "
       "dtype=\"int32\")])\nreturn z"},
      {"z = R.call_packed(\"g\", x, 1, \"s\", R.shape([1, 2]), sinfo_args=R.Tensor)\nreturn z",
       "z = R.call_packed(\"g\", x, R.prim_value(1), R.str(\"s\"), R.shape([1, 2]), "
       "sinfo_args=(R.Tensor,))\nreturn z"},
      {"with R.dataflow():\n    a = R.add(x, x)\n    b = R.add(a, a)\n    R.output(b)\nreturn b",
       "with R.dataflow():\n    a: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\n    b: "
       "R.Tensor((4,), dtype=\"float32\") = "
       "R.add(a, a)\n    R.output(b)\nreturn b"},
      {"m = T.int64()\nz = R.match_cast(x, R.Tensor((m,), \"float32\"))\nreturn z",
       "m = T.int64()\nz = R.match_cast(x, R.Tensor((m,), dtype=\"float32\"))\nreturn z"},
      {"z = R.const(1.5, \"float32\")\nreturn z", NULL},
      {"R.print(x, format=\"x\")\nreturn x", "_: R.Tuple() = R.print(x, format=\"x\")\nreturn x"},
      {"if x:\n    a = R.add(x, x)\n    z = R.add(a, a)\nelse:\n    z = x\nreturn z",
       "if x:\n    a: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\n    z: R.Tensor((4,), "
       "dtype=\"float32\") = R.add(a, a)\n"
       "else:\n    z = x\nreturn z"},
      {"z = R.add(x, x)\nz = R.add(z, z)\nreturn z",
       "z: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\nz_1: R.Tensor((4,), dtype=\"float32\") "
       "= R.add(z, z)\nreturn z_1"},
      {"@R.function\ndef inner(h: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n   "
       " return inner(h)\nz = inner(x)\nreturn z",
       "@R.function\ndef inner(h: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), "
       "dtype=\"float32\"):\n    return "
       "inner(h)\nz: R.Tensor((4,), dtype=\"float32\") = inner(x)\nreturn z"},
  };
  check_rows(rows, TN_N_ROWS(rows), script_in_graph_func, "def main(");
}

static const tn_node *read_one(script_case *c, const char *text, const char *name) {
  script_case_init(c, text);
  char *shown = script_case_problems(c);
  expect_true(c->diags.n == 0, "%s", shown);
  free(shown);
  return tn_module_find(&c->module, name);
}

static void public_functions_have_a_global_symbol_first(void **state) {
  (void)state;
  script_case c;
  const tn_node *func = read_one(
      &c,
      "@T.prim_func\ndef f():\n    T.func_attr({\"a\": 1, \"global_symbol\": \"g\"})\n    pass\n",
      "f");
  const tn_node *attrs = func->in[TN_PRIM_FUNC_ATTRS];
  assert_string_equal(attrs->in[0]->attr.text, "global_symbol");
  assert_string_equal(attrs->in[1]->attr.text, "g");
  script_case_deinit(&c);
  func = read_one(&c, "@T.prim_func(private=True)\ndef f():\n    pass\n", "f");
  assert_int_equal(func->in[TN_PRIM_FUNC_ATTRS]->n_in, 0);
  script_case_deinit(&c);
}

static void symbols_of_a_signature_are_one_variable(void **state) {
  (void)state;
  script_case c;
  const tn_node *func = read_one(&c,
                                 "@R.function\ndef f(x: R.Tensor((\"n\", 4)), y: R.Tensor((\"n + "
                                 "1\",))) -> R.Tensor((\"n\", 4)):\n"
                                 "    n = T.int64()\n    z: R.Tensor((n, 4)) = x\n    return z\n",
                                 "f");
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  const tn_node *n = params->in[0]->in[0]->in[TN_TY_TENSOR_SHAPE]->in[0];
  assert_int_equal(n->op, TN_OP_VAR);
  assert_ptr_equal(params->in[1]->in[0]->in[TN_TY_TENSOR_SHAPE]->in[0]->in[TN_A], n);
  assert_ptr_equal(func->in[TN_GFUNC_RET]->in[TN_TY_TENSOR_SHAPE]->in[0], n);
  script_case_deinit(&c);
}

static void functions_may_use_later_ones_and_themselves(void **state) {
  (void)state;
  script_case c;
  const tn_node *func = read_one(
      &c,
      "@I.ir_module\nclass M:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n"
      "        y = M.later(x)\n        return y\n"
      "    @R.function\n    def later(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), "
      "\"float32\"):\n"
      "        y = M.later(x)\n        return y\n",
      "main");
  assert_int_equal(func->in[TN_GFUNC_RET]->op, TN_OP_TY_TENSOR);
  assert_string_equal(c.module.name, "M");
  assert_string_equal(c.module.funcs[0].name, "main");
  script_case_deinit(&c);
}

static void statements_know_where_they_came_from(void **state) {
  (void)state;
  script_case c;
  const tn_node *func = read_one(
      &c, "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    for i in range(4):\n        A[i] = 1.0\n",
      "f");
  const tn_node *loop = func->in[TN_PRIM_FUNC_BODY];
  tn_pos pos = tn_ir_pos(c.ir, loop);
  assert_int_equal(pos.line, 3);
  assert_int_equal(pos.col, 5);
  pos = tn_ir_pos(c.ir, loop->in[TN_FOR_BODY]);
  assert_int_equal(pos.line, 4);
  assert_int_equal(pos.col, 9);
  pos = tn_ir_pos(c.ir, loop->in[TN_FOR_VAR]);
  assert_int_equal(pos.line, 3);
  assert_int_equal(pos.col, 9);
  script_case_deinit(&c);
}

static void values_outside_of_the_module_can_be_used_in_it(void **state) {
  (void)state;
  script_case c;
  const tn_node *func =
      read_one(&c, "N = 4 * 2\nS = (N, N)\n@T.prim_func\ndef f(A: T.Buffer(S)):\n    pass\n", "f");
  const tn_node *shape = func->in[TN_PRIM_FUNC_BUFFERS]->in[0]->in[TN_BUFFER_SHAPE];
  assert_int_equal(shape->n_in, 2);
  assert_true(tn_is_int(shape->in[1], 8));
  script_case_deinit(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loop_level_statements_mean_what_they_say),
      cmocka_unit_test(expressions_follow_the_language),
      cmocka_unit_test(blocks_get_axes_and_regions),
      cmocka_unit_test(graph_level_statements_mean_what_they_say),
      cmocka_unit_test(public_functions_have_a_global_symbol_first),
      cmocka_unit_test(symbols_of_a_signature_are_one_variable),
      cmocka_unit_test(functions_may_use_later_ones_and_themselves),
      cmocka_unit_test(statements_know_where_they_came_from),
      cmocka_unit_test(values_outside_of_the_module_can_be_used_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
