/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The entry of a compiled function: every argument that does not fit is refused with its place,
 * what was expected and what came, before anything is touched; and everything that may come in
 * does: strides that are as good as compact, offsets, empty tensors, memory with no more than
 * natural alignment. */
/* needs: script lower */
#include "codegen_text.h"

static const char program[] =
    "@T.prim_func\n"
    "def f(a: T.handle, b: T.handle, k: T.int32, x: T.float32, q: T.bool):\n"
    "    n = T.int32()\n"
    "    m = T.int64()\n"
    "    A = T.match_buffer(a, (n, m), 'float32')\n"
    "    B = T.match_buffer(b, (n * 2 + 1, 3), 'int64')\n"
    "    for i, j in T.grid(n, m):\n"
    "        A[i, j] = A[i, j] + x\n"
    "    B[0, 0] = T.Cast('int64', k) + m + T.Cast('int64', q)\n";

/* Good arguments, of which a case spoils something. */
typedef struct bag {
  float a_data[24];
  int64_t b_data[24];
  int64_t a_shape[3];
  int64_t b_shape[3];
  int64_t a_strides[3];
  int64_t b_strides[3];
  DLTensor a;
  DLTensor b;
  tn_arg args[6];
  int32_t n_args;
} bag;

static void bag_init(bag *g) {
  memset(g, 0, sizeof *g);
  memcpy(g->a_shape, (int64_t[]){2, 4, 0}, sizeof g->a_shape);
  memcpy(g->b_shape, (int64_t[]){5, 3, 0}, sizeof g->b_shape);
  g->a = (DLTensor){.data = g->a_data,
                    .device = {kDLCPU, 0},
                    .ndim = 2,
                    .dtype = {2, 32, 1},
                    .shape = g->a_shape};
  g->b = (DLTensor){.data = g->b_data,
                    .device = {kDLCPU, 0},
                    .ndim = 2,
                    .dtype = {0, 64, 1},
                    .shape = g->b_shape};
  g->args[0] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &g->a}};
  g->args[1] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &g->b}};
  g->args[2] = (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = 7}};
  g->args[3] = (tn_arg){.kind = TN_ARG_FLOAT, .u = {.f64 = 0.5}};
  g->args[4] = (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = 1}};
  g->n_args = 5;
}

typedef void (*change_fn)(bag *g);
static void nothing(bag *g) { (void)g; }
static void one_less(bag *g) { g->n_args = 4; }
static void one_more(bag *g) { g->n_args = 6; }
static void int_for_tensor(bag *g) { g->args[0].kind = TN_ARG_INT; }
static void tensor_for_int(bag *g) { g->args[2] = g->args[0]; }
static void float_for_int(bag *g) { g->args[2].kind = TN_ARG_FLOAT; }
static void text_for_float(bag *g) { g->args[3].kind = TN_ARG_STR; }
static void int_for_float(bag *g) { g->args[3] = (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = 2}}; }
static void null_tensor(bag *g) { g->args[1].u.tensor = NULL; }
static void more_dims(bag *g) { g->a.ndim = 3; }
static void other_type(bag *g) { g->a.dtype = (DLDataType){2, 64, 1}; }
static void vector_type(bag *g) { g->a.dtype.lanes = 4; }
static void other_device(bag *g) { g->b.device.device_type = 2; }
static void wrong_size(bag *g) { g->b_shape[0] = 4; }
static void wrong_constant(bag *g) { g->b_shape[1] = 4; }
static void huge_size(bag *g) { g->a_shape[0] = INT64_C(1) << 33; }
static void huge_int(bag *g) { g->args[2].u.i64 = INT64_C(1) << 40; }
static void strides_ok(bag *g) {
  memcpy(g->a_strides, (int64_t[]){4, 1}, 2 * sizeof(int64_t));
  g->a.strides = g->a_strides;
}
static void strides_wide(bag *g) {
  memcpy(g->a_strides, (int64_t[]){6, 1}, 2 * sizeof(int64_t));
  g->a.strides = g->a_strides;
}
static void strides_swapped(bag *g) {
  memcpy(g->a_strides, (int64_t[]){4, 2}, 2 * sizeof(int64_t));
  g->a.strides = g->a_strides;
}
static void one_column(bag *g) { /* the stride of a single column is never used */
  g->a_shape[1] = 1;
  memcpy(g->a_strides, (int64_t[]){1, 77}, 2 * sizeof(int64_t));
  g->a.strides = g->a_strides;
}
static void empty(bag *g) {
  g->a_shape[1] = 0;
  memcpy(g->a_strides, (int64_t[]){5, 77}, 2 * sizeof(int64_t));
  g->a.strides = g->a_strides;
  g->a.data = NULL;
}
static void no_data(bag *g) { g->b.data = NULL; }
static void offset(bag *g) { g->a.byte_offset = 8; }
static void odd_address(bag *g) { g->a.byte_offset = 6; }

static void each_wrong_argument_is_refused_with_its_place(void **state) {
  (void)state;
  static const struct {
    const char *name;
    change_fn change;
    int32_t code;
    const char *text;
    int64_t expected;
    int64_t got;
  } cases[] = {
      {"all right", nothing, 0, "", 0, 0},
      {"too few", one_less, TN_KERR_N_ARGS, "number of arguments", 5, 4},
      {"too many", one_more, TN_KERR_N_ARGS, "number of arguments", 5, 6},
      {"int for tensor", int_for_tensor, TN_KERR_KIND, "A of argument 0", TN_ARG_TENSOR,
       TN_ARG_INT},
      {"tensor for int", tensor_for_int, TN_KERR_KIND, "k of argument 2", TN_ARG_INT,
       TN_ARG_TENSOR},
      {"float for int", float_for_int, TN_KERR_KIND, "k of argument 2", TN_ARG_INT, TN_ARG_FLOAT},
      {"text for float", text_for_float, TN_KERR_KIND, "x of argument 3", TN_ARG_FLOAT, TN_ARG_STR},
      {"int for float", int_for_float, 0, "", 0, 0},
      {"no tensor", null_tensor, TN_KERR_NULL, "B of argument 1", 0, 0},
      {"three dimensions", more_dims, TN_KERR_NDIM, "A.ndim of argument 0", 2, 3},
      {"float64", other_type, TN_KERR_DTYPE, "A.dtype of argument 0", TN_DT_F32, TN_DT_F64},
      {"lanes", vector_type, TN_KERR_DTYPE, "A.dtype of argument 0", TN_DT_F32, 0x42002},
      {"device", other_device, TN_KERR_DEVICE, "B.device of argument 1", 1, 2},
      {"expression", wrong_size, TN_KERR_SHAPE, "B.shape[0] of argument 1", 5, 4},
      {"constant", wrong_constant, TN_KERR_SHAPE, "B.shape[1] of argument 1", 3, 4},
      {"a size past int32", huge_size, TN_KERR_VALUE, "A.shape[0] of argument 0", TN_DT_I32,
       INT64_C(1) << 33},
      {"a number past int32", huge_int, TN_KERR_VALUE, "k of argument 2", TN_DT_I32,
       INT64_C(1) << 40},
      {"compact strides", strides_ok, 0, "", 0, 0},
      {"padded rows", strides_wide, TN_KERR_STRIDE, "A.strides[0] of argument 0", 4, 6},
      {"every second", strides_swapped, TN_KERR_STRIDE, "A.strides[1] of argument 0", 1, 2},
      {"one column", one_column, 0, "", 0, 0},
      {"empty", empty, 0, "", 0, 0},
      {"no data", no_data, TN_KERR_NULL, "B.data of argument 1", 0, 0},
      {"offset", offset, 0, "", 0, 0},
      {"odd address", odd_address, TN_KERR_ALIGN, "A.data of argument 0", 4, 2},
  };
  cgx x;
  cgx_init_body(&x, program, "entry");
  for (int32_t level = 0; level <= 2; level += 2) {
    cgt_compile(&x.t, "host", level);
    tn_kernel_fn f = cgt_find(&x.t, "f");
    for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
      bag g;
      cgt_host host;
      bag_init(&g);
      cgt_host_init(&host);
      cases[i].change(&g);
      int32_t code = f(&host.env, g.args, g.n_args);
      expect_true(code == cases[i].code && host.code == code &&
                      strcmp(host.text, cases[i].text) == 0 && host.expected == cases[i].expected &&
                      host.got == cases[i].got,
                  "%s: code %d, '%s', %lld, %lld", cases[i].name, code, host.text,
                  (long long)host.expected, (long long)host.got);
      expect_true(code == 0 ? g.b_data[0] != 0 : g.b_data[0] == 0, "%s: B[0] is %lld",
                  cases[i].name, (long long)g.b_data[0]);
    }
  }
  cgx_deinit(&x);
}

static void an_offset_moves_the_data(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x, program, "entry");
  cgt_compile(&x.t, "host", 2);
  bag g;
  cgt_host host;
  bag_init(&g);
  cgt_host_init(&host);
  offset(&g);
  assert_int_equal(cgt_find(&x.t, "f")(&host.env, g.args, g.n_args), 0);
  for (int32_t i = 0; i < 12; ++i) {
    assert_true(g.a_data[i] == (i >= 2 && i < 10 ? 0.5F : 0.0F));
  }
  assert_int_equal(g.b_data[0], 7 + 4 + 1);
  cgx_deinit(&x);
}

/* ---- declared strides, offsets and alignment ---- */

static void declared_strides_and_offsets_are_bound(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(
      &x,
      "@T.prim_func\n"
      "def f(a: T.handle, b: T.handle):\n"
      "    n = T.int64()\n"
      "    s = T.int64()\n"
      "    o = T.int64()\n"
      "    A = T.match_buffer(a, (n, 3), 'int32', strides=[s, 1], elem_offset=o, offset_factor=2)\n"
      "    B = T.match_buffer(b, (n, 3), 'int32', strides=[s, 1], align=16)\n"
      "    for i, j in T.grid(n, 3):\n"
      "        B[i, j] = A[i, j] + 1\n",
      "strides");
  cgt_compile(&x.t, "host", 2);
  tn_kernel_fn f = cgt_find(&x.t, "f");
  _Alignas(64) int32_t a_data[16];
  _Alignas(64) int32_t b_data[16];
  int64_t shape[] = {2, 3};
  int64_t strides[] = {5, 1};
  int64_t other[] = {4, 1};
  for (int32_t i = 0; i < 16; ++i) {
    a_data[i] = i;
    b_data[i] = 0;
  }
  DLTensor a = {.data = a_data,
                .device = {1, 0},
                .ndim = 2,
                .dtype = {0, 32, 1},
                .shape = shape,
                .strides = strides,
                .byte_offset = 8};
  DLTensor b = {.data = b_data,
                .device = {1, 0},
                .ndim = 2,
                .dtype = {0, 32, 1},
                .shape = shape,
                .strides = strides};
  tn_arg args[] = {{.kind = TN_ARG_TENSOR, .u = {.tensor = &a}},
                   {.kind = TN_ARG_TENSOR, .u = {.tensor = &b}}};
  cgt_host host;
  cgt_host_init(&host);
  assert_int_equal(f(&host.env, args, 2), 0);
  assert_int_equal(b_data[0], 3);
  assert_int_equal(b_data[2], 5);
  assert_int_equal(b_data[3], 0);
  assert_int_equal(b_data[5], 8);
  assert_int_equal(b_data[7], 10);
  b.strides = other; /* not the stride that A has */
  assert_int_equal(f(&host.env, args, 2), TN_KERR_STRIDE);
  assert_string_equal(host.text, "B.strides[0] of argument 1");
  cgt_host_init(&host);
  b.strides = strides;
  a.byte_offset = 12; /* not a multiple of two elements */
  assert_int_equal(f(&host.env, args, 2), TN_KERR_OFFSET);
  assert_string_equal(host.text, "A.byte_offset of argument 0");
  cgt_host_init(&host);
  a.byte_offset = 0;
  b.byte_offset = 4; /* declared: 16 bytes */
  assert_int_equal(f(&host.env, args, 2), TN_KERR_ALIGN);
  assert_int_equal(host.expected, 16);
  assert_int_equal(host.got, 4);
  cgx_deinit(&x);
}

static void a_declared_offset_and_a_pointer_are_asked_for(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(a: T.handle, p: T.handle('int32')):\n"
                "    A = T.match_buffer(a, (2,), 'int32', elem_offset=2)\n"
                "    P = T.decl_buffer((2,), 'int32', data=p)\n"
                "    P[0] = A[1]\n",
                "offset");
  cgt_compile(&x.t, "host", 2);
  tn_kernel_fn f = cgt_find(&x.t, "f");
  int32_t data[4] = {1, 2, 3, 4};
  int32_t out[2] = {0};
  int64_t shape[] = {2};
  DLTensor a = {.data = data,
                .device = {1, 0},
                .ndim = 1,
                .dtype = {0, 32, 1},
                .shape = shape,
                .byte_offset = 8};
  tn_arg args[] = {{.kind = TN_ARG_TENSOR, .u = {.tensor = &a}},
                   {.kind = TN_ARG_PTR, .u = {.ptr = out}}};
  cgt_host host;
  cgt_host_init(&host);
  assert_int_equal(f(&host.env, args, 2), 0);
  assert_int_equal(out[0], 4);
  a.byte_offset = 4;
  assert_int_equal(f(&host.env, args, 2), TN_KERR_OFFSET);
  assert_string_equal(host.text, "A.byte_offset of argument 0");
  assert_int_equal(host.expected, 8);
  assert_int_equal(host.got, 4);
  cgt_host_init(&host);
  a.byte_offset = 8;
  args[1].kind = TN_ARG_INT; /* an address, but nobody said so */
  assert_int_equal(f(&host.env, args, 2), TN_KERR_KIND);
  assert_string_equal(host.text, "p of argument 1");
  cgx_deinit(&x);
}

static void kernels_import_nothing_but_libm(void **state) {
  (void)state;
  cgx x;
  cgx_init_body(&x,
                "@T.prim_func\n"
                "def f(A: T.Buffer((4096,), 'float32'), B: T.Buffer((4096,), 'float32'), C: "
                "T.Buffer((64,), 'float16')):\n"
                "    w = T.alloc_buffer((256,), 'float32', scope='local')\n"
                "    for i in range(4096):\n"
                "        A[i] = T.float32(0)\n"
                "    for i in range(4096):\n"
                "        B[i] = A[i]\n"
                "    for i in range(256):\n"
                "        w[i] = T.float32(0)\n"
                "    for i in range(64):\n"
                "        C[i] = C[i] * T.Cast('float16', T.exp(B[i]) + w[i])\n",
                "imports");
  for (int32_t level = 0; level <= 3; ++level) {
    cgt_compile(&x.t, "x86-64-v2", level); /* tn_jit_new refuses what is not libm's */
    assert_true(tn_jit_find(x.t.jit, "f") != NULL);
    assert_true(tn_jit_find(x.t.jit, "g") == NULL);
  }
  cgx_deinit(&x);
}

static void bytes_that_are_no_object_are_refused(void **state) {
  (void)state;
  tn_jit *jit = NULL;
  char zeros[4096] = {0};
  tn_objects objects = {.n = 1};
  expect_error(tn_jit_new(&objects, &jit), TN_CORRUPT, "no object file");
  objects.all[0] = (tn_buf){.data = zeros, .len = sizeof zeros};
  expect_error(tn_jit_new(&objects, &jit), TN_CORRUPT, "not an x86-64 object file");
  cgx x;
  cgx_init_body(&x, program, "entry");
  tn_buf object = TN_BUF_INIT;
  tn_codegen_opts opts = {.opt_level = 0};
  expect_ok(tn_llvm_emit(&x.t.module, &opts, TN_EMIT_OBJ, &object));
  for (size_t cut = 0; cut < object.len;
       cut += 97) { /* truncated anywhere: an error or none, never a crash */
    objects.all[0] = (tn_buf){.data = object.data, .len = cut};
    tn_status st = tn_jit_new(&objects, &jit);
    assert_true(st != NULL);
    tn_status_free(st);
  }
  tn_buf_deinit(&object);
  cgx_deinit(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_wrong_argument_is_refused_with_its_place),
      cmocka_unit_test(an_offset_moves_the_data),
      cmocka_unit_test(declared_strides_and_offsets_are_bound),
      cmocka_unit_test(a_declared_offset_and_a_pointer_are_asked_for),
      cmocka_unit_test(kernels_import_nothing_but_libm),
      cmocka_unit_test(bytes_that_are_no_object_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
