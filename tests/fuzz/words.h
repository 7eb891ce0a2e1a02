/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Pieces of programs for mutate.c: numbers at the ends of types, and constructs of all dialects and
 * of Relay, so that each is a step away from every text. */
#ifndef TN_TESTS_FUZZ_WORDS_H
#define TN_TESTS_FUZZ_WORDS_H

/* clang-format off */
static const char *const numbers[] = {
    "0", "1", "-1", "2", "3", "7", "16", "127", "128", "255", "256", "65535", "65536", "100000",
    "2147483647", "-2147483648", "2147483648", "4294967295", "4294967296", "4611686018427387904",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
    "99999999999999999999999", "1e308", "1e999", "5e-324", "0.0", "-0.0", "0.1", "1e-45",
    "0x7fffffff", "0b1", "1_000"};
static const char *const words[] = {
    "from tvm.script import tir as T\n", "from tvm.script import tirx as T\n",
    "from tvm.script import relax as R\n", "from tvm.script import ir as I\n", "import tvm\n",
    "@I.ir_module\nclass Module:\n", "@T.prim_func\n", "@T.prim_func(private=True)\n",
    "@R.function\n", "@R.function(private=True)\n", "@T.macro\n", "@R.macro\n",
    "T.Buffer((4, 4), \"float32\")", "T.Buffer[(4, 4), \"float32\"]",
    "T.match_buffer(a, (n, m), \"float32\")", "T.alloc_buffer((4,), \"float32\")",
    "T.alloc_local([1])", "T.allocate([4], \"float32\", \"global\")",
    "T.allocate_const([1, 2], \"int32\", [2])", "T.decl_buffer((4,), data=A.data)",
    "with T.block(\"b\"):\n", "with T.sblock(\"b\"):\n", "with T.init():\n", "T.axis.spatial(4, i)",
    "T.axis.reduce(4, i)", "T.axis.remap(\"SR\", [i, j])", "T.axis.opaque(4, i)", "T.reads(A[0:4])",
    "T.writes(B[0:4])", "T.reads()", "T.where(i < 3)", "T.block_attr({\"k\": 1})",
    "T.func_attr({\"tir.noalias\": True})", "T.grid(4, 4)", "T.parallel(4)", "T.vectorized(4)",
    "T.unroll(4)", "T.serial(0, 4)", "T.thread_binding(4, thread=\"threadIdx.x\")", "T.evaluate(0)",
    "T.Select(a < b, a, b)", "T.if_then_else(a < b, a, b)", "T.Cast(\"int8\", x)",
    "T.Let(x, where={x: 1})", "T.let", "T.Ramp(0, 1, 4)", "T.Broadcast(1, 4)",
    "T.Shuffle([a], [0])", "T.reinterpret(\"int32\", x)", "T.min(a, b)", "T.floordiv(a, b)",
    "T.truncmod(a, b)", "T.shift_left(a, b)", "T.bitwise_and(a, b)", "T.int64(1)", "T.float16(1.5)",
    "T.bfloat16(1)", "T.bool(True)", "T.handle", "T.int32()", "T.float8_e4m3fn(1)",
    "T.float4_e2m1fn(1)", "T.int4(1)", "T.uint4(1)", "T.float32x4(1)", "T.float32(\"inf\")",
    "T.float32(\"nan\")", "T.exp(x)", "T.call_extern(\"int32\", \"f\", x)",
    "T.call_packed(\"f\", A.data)",
    "T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, 0, 4, 1)", "T.address_of(A[0])",
    "T.attr(0, \"k\", 1)", "T.assume(i < 4)", "T.ret(0)", "T.vscale()", "T.realize(A[0:4], \"\")",
    "T.prefetch(A, [0])", "T.meta_var(i + 1)", "T.comm_reducer(lambda a, b: a + b, [T.float32(0)])",
    "T.Assert(c, \"m\")", "assert x, \"m\"\n", "while True:\n", "while A[0] < 4:\n",
    "for i in range(4):\n", "for i, j in T.grid(4, 4):\n", "if i < 4:\n", "elif i:\n", "else:\n",
    "break\n", "continue\n", "pass\n", "return x\n", "lambda i: i", "x if c else y", "not x",
    "x and y", "x or y", "[i for i in range(4)]", "*args", "**kwargs", "A[0:4:2]", "A[i, j]",
    "A.data", "A.shape[0]", "A.dtype", "x.astype(\"int8\")",
    "R.Tensor((4, \"n\"), dtype=\"float32\")", "R.Tensor(dtype=\"float32\", ndim=2)",
    "R.Shape([\"n\", 4])", "R.Tuple(R.Object)", "R.Prim(\"int64\")", "R.Prim(value=\"n\")",
    "R.Callable((R.Object,), R.Object)", "R.Object", "with R.dataflow():\n", "R.output(x)\n",
    "R.emit(x)", "R.emit_te(f, x)",
    "R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), \"float32\"))",
    "R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), \"float32\"))",
    "R.call_dps_packed(\"f\", (x,), out_sinfo=R.Tensor((4,), \"float32\"))",
    "R.call_packed(\"f\", x, sinfo_args=(R.Object,))",
    "R.match_cast(x, R.Tensor((4,), \"float32\"))", "R.const(1, \"float32\")", "R.shape([n, 4])",
    "R.shape_of(x)", "R.prim_value(n)", "R.str(\"s\")", "R.dtype(\"float32\")",
    "R.func_attr({\"k\": 1})", "R.add(x, y)", "R.matmul(x, y)", "R.reshape(x, R.shape([4]))",
    "R.nn.conv2d(x, y)", "R.nn.relu(x)", "R.sum(x, axis=[0])",
    "metadata[\"relax.expr.Constant\"][0]", "cls = Module\n", "cls.f(x)",
    "I.module_attrs({\"k\": 1})\n", "I.module_global_infos({})\n", "R.ExternFunc(\"f\")",
    "R.invoke_pure_closure(f, (x,), sinfo_args=R.Object)",
    "R.vm.alloc_storage(R.shape([4]), 0, \"uint8\")", "n = T.int64()\n",
    "def f(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n",
    "def f(A: T.Buffer((4,), \"float32\")):\n", "#[version = \"0.0.5\"]\n",
    "def @main(%x: Tensor[(4, 4), float32]) -> Tensor[(4, 4), float32] {\n}",
    "fn (%x: int32) { %x }", "let %x = 1;", "%0 = nn.relu(%x);", "@main(%x)",
    "if (%c) { %x } else { %y }", "(%x, %y)", "%x.0", "meta[relay.Constant][0]",
    "Tensor[(?, 4), float32]", "add(%x, %y)", "nn.dense(%x, %y, units=4)",
    "nn.conv2d(%x, %y, padding=[1, 1, 1, 1])", "ref(%x)", "match (%x) { Nil => %y, }",
    "type List[A] { Cons(A, List[A]), Nil, }", "-> int64", "1f", "2i64", "True", "None", "/* c */",
    "// c\n", "# c\n"};
/* clang-format on */

#endif
