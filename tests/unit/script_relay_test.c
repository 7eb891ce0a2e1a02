/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* Relay text: what each construct and operator becomes, what is refused and where, constants in the
 * metadata, texts that mean harm. What is read must also print and read back equal. */
#include <time.h>

#include "roundtrip.h"
#include "script/relay.h"
#include "tn_test.h"

typedef struct relay_case {
  tn_ir *ir;
  tn_module module;
  tn_buf text; /* as TVMScript, or the problems */
} relay_case;

/* True when the text is read and verified. */
static bool relay_init(relay_case *c, const char *text, size_t len) {
  *c = (relay_case){.ir = tn_ir_new((size_t)1 << 30)};
  tn_module_init(&c->module, c->ir, "Module");
  if (!roundtrip_read("t.relay", text, len, NULL, &c->module, &c->text)) {
    return false;
  }
  const tn_print_opts opts = {0};
  tn_script_print(&c->module, &opts, &c->text);
  return true;
}

static void relay_deinit(relay_case *c) {
  tn_module_deinit(&c->module);
  tn_ir_free(c->ir);
  tn_buf_deinit(&c->text);
}

/* `text` is read, the printed module has each line of `lines` in it, and means the same. */
static void expect_relay(const char *text, const char *lines) {
  relay_case c;
  tn_buf problem = TN_BUF_INIT;
  bool is_ok = relay_init(&c, text, strlen(text));
  expect_true(is_ok, "%s\nis not read:\n%s", text, tn_buf_text(&c.text));
  while (*lines != '\0') {
    char line[256];
    size_t len = strcspn(lines, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)len, lines);
    expect_true(strstr(tn_buf_text(&c.text), line) != NULL, "%s\nhas no\n%s\nin\n%s", text, line,
                tn_buf_text(&c.text));
    lines += len + (lines[len] == '\n');
  }
  expect_true(roundtrip_check("t", &c.module, &problem), "%s", tn_buf_text(&problem));
  tn_buf_deinit(&problem);
  relay_deinit(&c);
}

static void expect_refused(const char *text, const char *part) {
  relay_case c;
  bool is_ok = relay_init(&c, text, strlen(text));
  expect_true(!is_ok, "%s\nis read:\n%s", text, tn_buf_text(&c.text));
  expect_true(strstr(tn_buf_text(&c.text), part) != NULL, "%s\nexpected: %s\ngot: %s", text, part,
              tn_buf_text(&c.text));
  relay_deinit(&c);
}

/* ---- the language ---- */

#define X "%x: Tensor[(2, 3), float32]"

static void each_construct_is_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *lines;
  } rows[] = {
      {"#[version = \"0.0.5\"]\ndef @main(" X ") { nn.relu(%x) }",
       "def main(x: R.Tensor((2, 3), dtype=\"float32\")) -> R.Tensor((2, 3), dtype=\"float32\"):\n"
       "R.nn.relu(x)"},
      {"v0.0.4\ndef @main(" X ") -> Tensor[(2, 3), float32] { %x }", "return x"},
      {"def @main(" X ") { %0 = exp(%x); %1 = add(%0, %0); multiply(%1, %0) }",
       "lv0: R.Tensor((2, 3), dtype=\"float32\") = R.exp(x)\nR.add(lv0, lv0)\n"
       "R.multiply(lv1, lv0)"},
      {"def @main(" X ") { let %y: Tensor[(2, 3), float32] = exp(%x); let %z = %y; add(%z, %y) }",
       "y: R.Tensor((2, 3), dtype=\"float32\") = R.exp(x)\nR.add(y, y)"},
      {"def @main(" X ", %c: bool) { if (%c) { %0 = exp(%x); add(%0, %x) } else { %x } }",
       "if c:\ngv: R.Tensor((2, 3), dtype=\"float32\") = R.add(lv0, x)\nelse:"},
      {"def @main(" X ", %c: bool) { if (%c) { %x } else if (%c) { exp(%x) } else { log(%x) } }",
       "R.exp(x)\nR.log(x)"},
      {"def @main(" X ") { (%x, (%x,), ()) }",
       "R.Tuple(R.Tensor((2, 3), dtype=\"float32\"), R.Tuple(R.Tensor((2, 3), "
       "dtype=\"float32\")), R.Tuple())"},
      {"def @main(%t: (Tensor[(2), int8], int32)) { %0 = %t.0; %1 = (%0, %t.1); %1.1 }",
       "t: R.Tuple(R.Tensor((2,), dtype=\"int8\"), R.Tensor((), dtype=\"int32\"))\nt[1]"},
      {"def @main(" X ") { %1 = fn (%p0: Tensor[(2, 3), float32], Primitive=1, hash=\"ab\") -> "
       "Tensor[(2, 3), float32] { nn.relu(exp(%p0)) }; %1(%x) }",
       "@R.function(private=True)\ndef fused_exp_nn_relu(p0: \ncls.fused_exp_nn_relu(x)"},
      {"def @main(" X ") { let %f = fn (%y: Tensor[(2, 3), float32]) { add(%y, %x) }; %f(%x) }",
       "@R.function\nR.add(y, x)\nf(x)"},
      {"def @main(" X ") { @g(@g(%x)) }\ndef @g(" X ") { exp(%x) }", "cls.g(x)\ncls.g(gv)"},
      {"def @f(" X
       ") -> Tensor[(2, 3), float32] { if (less(sum(%x), 1f)) { %x } else { @f(%x / 2f) "
       "} }\ndef @main(" X ") { @f(%x) }",
       "cls.f(gv"},
      {"def @main(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] { tanh(%x) }",
       "x: R.Tensor((\"n0\", 3), dtype=\"float32\")\n-> R.Tensor((\"n0\", 3), dtype=\"float32\")"},
      {"def @main(" X ") { %x + 1f * %x - %x / 2f == %x }", "R.equal(\nR.divide(x, R.const(2.0"},
      {"def @main(" X ") { -%x <= %x }", "R.negative(x)\nR.less_equal("},
      {"def @main(" X ") { (add(%x, -1.5e-3f), 2.5f64, 3, 4i64, True, -7i8, inff, 200u8) }",
       "R.const(-0.0015, \"float32\")\nR.const(2.5, \"float64\")\nR.const(3, \"int32\")\n"
       "R.const(4, \"int64\")\nR.const(True, \"bool\")\nR.const(-7, \"int8\")\n"
       "R.const(200, \"uint8\")"},
      {"free_var %a: Tensor[(2), float32];\nfree_var %b: Tensor[(2), float32];\nadd(%a, %b)",
       "def main(a: R.Tensor((2,), dtype=\"float32\"), b: R.Tensor((2,), dtype=\"float32\"))"},
      {"fn (" X ") { exp(%x) /* ty=Tensor[(2, 3), float32] span=a.py:1:2 */ }",
       "def main(x: R.Tensor((2, 3), dtype=\"float32\"))"},
      {"// a comment\n# another /* */\ndef /* one /* in */ one */ @main(" X ") { %x }", "return x"},
      {"def @main(%in.put: Tensor[(2), float32], %lambda: Tensor[(2), float32]) { %in.put + "
       "%lambda "
       "}",
       "in_put: \nlambda_: "},
      {"def @main(%f: fn (Tensor[(2), float32]) -> Tensor[(2), float32]) { %f(ones(shape=[2])) }",
       "R.Callable(\nf(gv"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    expect_relay(rows[i].text, rows[i].lines);
  }
}

static void each_operator_becomes_one_of_ours(void **state) {
  (void)state;
  static const struct {
    const char *expr;
    const char *lines;
  } rows[] = {
      {"nn.dense(%a, %b, units=4)", "R.permute_dims(b, axes=[1, 0])\nR.matmul(a, gv"},
      {"nn.matmul(%a, %b, transpose_b=True)", "R.permute_dims(b, axes=[1, 0])\nR.matmul(a, gv"},
      {"nn.batch_matmul(%t, %t)", "R.permute_dims(t, axes=[0, 2, 1])\nR.matmul(t, gv"},
      {"nn.batch_matmul(%t, %t, transpose_a=True, transpose_b=False)", "R.matmul(gv, t)"},
      {"nn.bias_add(%t, %v)", "R.reshape(v, R.shape([3, 1]))\nR.add(t, gv"},
      {"nn.bias_add(%a, %v, axis=-1)", "R.add(a, v)"},
      {"nn.batch_flatten(%t)", "R.reshape(t, R.shape([2, 9]))"},
      {"reshape(%t, newshape=[0, -1])", "R.reshape(t, R.shape([2, -1]))"},
      {"reshape(%t, newshape=[-3, -2])", "R.reshape(t, R.shape([6, 3]))"},
      {"reshape(%t, newshape=[-4, 1, -1, -2])", "R.reshape(t, R.shape([1, 2, 3, 3]))"},
      {"expand_dims(%a, axis=1, num_newaxis=2)", "R.expand_dims(a, axis=[1, 2])"},
      {"squeeze(expand_dims(%a, axis=0), axis=[0])", "R.squeeze(gv, axis=[0])"},
      {"transpose(%t, axes=[2, 0, 1])", "R.permute_dims(t, axes=[2, 0, 1])"},
      {"sum(%t, axis=[0], exclude=True)", "R.sum(t, axis=[1, 2])"},
      {"mean(%t, axis=[1], keepdims=True)", "R.mean(t, axis=[1], keepdims=True)"},
      {"variance(%a, mean(%a, axis=[1], keepdims=True), axis=[1])",
       "R.subtract(a, gv\nR.mean(gv_2, axis=[1])"},
      {"argmax(%a, axis=[1])", "R.argmax(a, axis=1)\nR.astype(gv, dtype=\"int32\")"},
      {"cast(%a, dtype=\"int8\")", "R.astype(a, dtype=\"int8\")"},
      {"cast_like(%a, %i)", "R.astype(a, dtype=\"int32\")"},
      {"clip(%a, a_min=0f, a_max=6f)", "R.clip(a, min=0, max=6)"},
      {"concatenate((%a, %b), axis=1)", "R.concat((a, b), axis=1)"},
      {"stack((%a, %b), axis=-1)", "R.expand_dims(a, axis=[-1])\nR.concat((gv, gv_1), axis=-1)"},
      {"split(%a, indices_or_sections=3, axis=1)", "R.split(a, indices_or_sections=3, axis=1)"},
      {"split(%a, indices_or_sections=[1], axis=1).0",
       "R.split(a, indices_or_sections=[1], axis=1)\ngv[0]"},
      {"strided_slice(%a, begin=[0, 1], end=[2, 3], strides=[1, 1], axes=None)",
       "R.strided_slice(a, begin=[0, 1], end=[2, 3], strides=[1, 1])"},
      {"take(%v, %i, axis=0, mode=\"clip\")", "R.take(v, i, axis=0, mode=\"clip\")"},
      {"where(greater(%a, %b), %a, %b)", "R.where(gv, a, b)"},
      {"nn.dropout(%a, rate=0.25f).0", "R.nn.dropout(a, rate=0.25)\ngv[0]"},
      {"nn.pad(%a, 1f, pad_width=[[0, 0], [1, 2]])",
       "R.nn.pad(a, pad_width=[0, 0, 1, 2], pad_value=1"},
      {"zeros(shape=[2, 2], dtype=\"int8\")", "R.zeros(R.shape([2, 2]), dtype=\"int8\")"},
      {"full(3f, shape=[2], dtype=\"float32\")", "R.full(R.shape([2]), R.const(3.0"},
      {"broadcast_to(%v, shape=[2, 3])", "R.broadcast_to(v, R.shape([2, 3]))"},
      {"nn.global_avg_pool2d(%d)",
       "R.nn.adaptive_avg_pool2d(d, output_size=[1, 1], layout=\"NCHW\")"},
      {"nn.global_max_pool2d(%d)", "R.max(d, axis=[2, 3], keepdims=True)"},
      {"nn.conv2d(%d, %k, padding=[1, 1, 1, 1], channels=2, kernel_size=[3, 3])",
       "R.nn.conv2d(d, k, padding=[1, 1, 1, 1])"},
      {"nn.max_pool2d(%d, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])",
       "R.nn.max_pool2d(d, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])"},
      {"nn.batch_norm(%a, %v, %v, %v, %v, epsilon=0.001f).0",
       "R.nn.batch_norm(a, v, v, v, v, epsilon="},
      {"nn.layer_norm(%a, %v, %v, axis=-1)", "R.nn.layer_norm(a, v, v, axes=[-1]"},
      {"nn.leaky_relu(%a, alpha=0.1f)", "R.nn.leakyrelu(a, alpha="},
      {"nn.log_softmax(%a)", "R.nn.log_softmax(a)"},
      {"one_hot(%i, 1f, 0f, depth=3, axis=-1, dtype=\"float32\")", "R.one_hot(i, R.const(1.0"},
      {"copy(%a)", "return a"},
      {"annotation.stop_fusion(exp(%a))", "R.exp(a)"},
      {"reverse(%a, axis=1)", "R.flip(a, axis=1)"},
      {"tile(%a, reps=[2, 1])", "R.tile(a, repeats=[2, 1])"},
      {"cumsum(%a, axis=1, dtype=\"float64\")", "R.cumsum(a, axis=1, dtype=\"float64\")"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_printf(&text,
                  "def @main(%%a: Tensor[(2, 3), float32], %%b: Tensor[(2, 3), float32], %%t: "
                  "Tensor[(2, 3, 3), float32], %%v: Tensor[(3), float32], %%i: Tensor[(4), int32], "
                  "%%d: Tensor[(1, 2, 4, 4), float32], %%k: Tensor[(2, 2, 3, 3), float32]) { %s }",
                  rows[i].expr);
    expect_relay(tn_buf_text(&text), rows[i].lines);
    tn_buf_deinit(&text);
  }
}

/* The table is searched by halves. */
static void the_table_is_sorted_and_names_operators_of_ours(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_relay_row *rows = tn_relay_rows(&n);
  for (uint32_t i = 0; i < n; ++i) {
    expect_true(tn_relay_row_find(rows[i].name) == &rows[i], "'%s' is out of order", rows[i].name);
    expect_true(rows[i].op == NULL || tn_op_table_find(tn_ops_table(), rows[i].op) != NULL,
                "'%s' becomes '%s', which does not exist", rows[i].name, rows[i].op);
  }
}

static void what_is_refused_says_what_and_where(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *part;
  } rows[] = {
      {"def @main(" X ") {\n  %y\n}", "t.relay:2:3: error: undefined name '%y' [undefined-name]"},
      {"def @main(" X ", %c: bool) { %0 = if (%c) { %y = exp(%x); %y } else { %x }; %y }",
       "was bound in a branch, which has ended [out-of-scope]"},
      {"def @main(" X ") {\n  @g(%x)\n}", "t.relay:2:3: error: the text defines no '@g' "
                                          "[undefined-function]"},
      {"def @main(" X ") { @main(%x) }", "used before its result is known"},
      {"def @main(" X ") { %x }\ndef @main(" X ") { %x }",
       "t.relay:2:1: error: there is a function '@main' already [duplicate-function]"},
      {"def @main(" X ", " X ") { %x }", "there is a parameter '%x' already [name-reused]"},
      {"def @main(%x) { %x }", "parameter '%x' needs a type [missing-annotation]"},
      {"def @main(" X ") { add(%x) }", "add takes 2 arguments, got 1 [wrong-argument-count]"},
      {"def @main() { nn.pad(pad_width=[[0, 1]]) }",
       "nn.pad takes 1 or 2 arguments, got 0 [wrong-argument-count]"},
      {"def @main(" X ") { sum(%x, axis=[9223372036854775807], exclude=True) }",
       "outside of the 2 dimensions there are [bad-field]"},
      {"def @main(" X ") { expand_dims(%x, axis=9223372036854775807, num_newaxis=2) }",
       "outside of the 2 dimensions there are [bad-field]"},
      {"def @main(" X ") { exp(%x, n=3) }",
       "the attribute 'n' of exp is not known [unknown-argument]"},
      {"def @main(" X ") { expp(%x) }", "unknown operator: expp [unknown-operator]"},
      {"def @main(" X ") { expp(%x) }", "did you mean 'exp'?"},
      {"def @main(" X ") {\n  %0 = vision.nms(%x);\n  %1 = vision.nms(image.resize2d(%0));\n  "
       "exp(%1)\n}",
       "t.relay:2:8: error: unknown operators: vision.nms (2 times), image.resize2d"},
      {"def @main(" X ") { add(%x, ones(shape=[4])) }", "the extents 3 and 4 do not broadcast"},
      {"def @main(" X ") { let %y: Tensor[(2, 4), float32] = %x; %y }",
       "not R.Tensor((2, 4), dtype=\"float32\") [type-mismatch]"},
      {"def @main(" X ") -> int32 { %x }", "[type-mismatch]"},
      {"def @main(" X ") { (%x, %x).2 }", "[type-error]"},
      {"def @main(" X ") { 12abc }", "'12abc' is no number"},
      {"def @main(" X ") { 99999999999999999999i64 }", "does not fit 64 bits [integer-too-large]"},
      {"def @main(%x: Tensor[(2), float33]) { %x }", "'float33' is no element type"},
      {"def @main(%x: Tensor[(n), float32]) { %x }", "the extent 'n', a variable over shapes"},
      {"def @main(" X ") { meta[relay.Constant][0] }", "no #[metadata] section"},
      {"def @main(" X ", %c: bool) { if (%c) { %x } else { 1i8 } }", "[branch-mismatch]"},
      {"type List[A] { Nil, Cons(A, List[A]), }\ndef @main(" X ") { %x }",
       "t.relay:1:1: error: not supported: data types"},
      {"def @main(" X ") { match (%x) { Nil => %x, Cons(%h, %t) => %x } }",
       "not supported: match, on values of data types"},
      {"def @main(" X ") { match? (%x) { Nil => %x } }", "not supported: match"},
      {"def @main(" X ") { ref_read(ref(%x)) }", "not supported: references"},
      {"def @f[A](%x: A) -> A { %x }", "not supported: functions over types"},
      {"def @main(%x: List[float32]) { 1f }", "not supported: the data type 'List'"},
      {"#[version = \"1.0\"]\ndef @main() { 1f }", "this version of the text"},
      {"def @main(" X ") {\n  exp(%x\n}", "t.relay:3:1: error: expected ')' after the arguments"},
      {"def @main(" X ") { %x ", "expected '}' after the body; the text ends here [syntax]"},
      {"def @main(" X ") { \"text\" }", "[not-an-expression]"},
      {"/* never closed", "this comment never ends [syntax]"},
      {"def @main() { $ }", "'$' has no meaning here [stray-character]"},
      {"def @main() { \"a }", "[unterminated-string]"},
      {"#[version = \"0.0.5\"]\n", "there is no function in this file [empty-module]"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    expect_refused(rows[i].text, rows[i].part);
  }
}

/* ---- metadata ---- */

static void put_base64(tn_buf *out, const uint8_t *bytes, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                 (i + 2 < n ? bytes[i + 2] : 0);
    tn_buf_putc(out, digits[v >> 18]);
    tn_buf_putc(out, digits[v >> 12 & 63]);
    tn_buf_putc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
    tn_buf_putc(out, i + 2 < n ? digits[v & 63] : '=');
  }
}

/* The bytes of a float32 array (2, 2) with 1, 2, 3, 4. */
static size_t array_bytes(uint8_t *out) {
  const uint64_t magic[2] = {UINT64_C(0xDD5E40F096B4A13F), 0};
  const int32_t head[3] = {1, 0, 2};
  const uint8_t type[4] = {TN_TC_FLOAT, 32, 1, 0};
  const int64_t sizes[3] = {2, 2, 16};
  const float values[4] = {1, 2, 3, 4};
  size_t n = 0;
#define PUT(x) (memcpy(out + n, x, sizeof(x)), n += sizeof(x))
  PUT(magic);
  PUT(head);
  PUT(type);
  PUT(sizes);
  PUT(values);
#undef PUT
  return n;
}

static void text_with_array(tn_buf *text, const uint8_t *bytes, size_t n) {
  tn_buf_puts(text, "def @main(%x: Tensor[(2, 2), float32]) { add(%x, meta[relay.Constant][0]) }\n"
                    "#[metadata]\n{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": "
                    "\"Map\", \"keys\": [\"relay.Constant\"], \"data\": [2]}, {\"type_key\": "
                    "\"Array\", \"data\": [3]}, {\"type_key\": \"relay.Constant\", \"attrs\": "
                    "{\"data\": \"0\", \"span\": \"0\"}}], \"b64ndarrays\": [\"");
  put_base64(text, bytes, n);
  tn_buf_puts(text, "\"], \"attrs\": {\"tvm_version\": \"0.8\"}}\n");
}

static void a_constant_comes_from_the_metadata(void **state) {
  (void)state;
  uint8_t bytes[256];
  size_t n = array_bytes(bytes);
  tn_buf text = TN_BUF_INIT;
  relay_case c;
  text_with_array(&text, bytes, n);
  expect_true(relay_init(&c, text.data, text.len), "%s", tn_buf_text(&c.text));
  tn_print_opts opts = {.max_inline_elems = 8};
  tn_buf_clear(&c.text);
  tn_script_print(&c.module, &opts, &c.text);
  expect_true(strstr(tn_buf_text(&c.text), "R.const([[1.0, 2.0], [3.0, 4.0]]") != NULL, "%s",
              tn_buf_text(&c.text));
  relay_deinit(&c);
  tn_buf_deinit(&text);
}

/* Every byte cut off and every byte changed: an error at the place of the constant, or a
 * constant. */
static void wrong_metadata_is_refused(void **state) {
  (void)state;
  uint8_t bytes[256];
  size_t n = array_bytes(bytes);
  for (size_t i = 0; i < 2 * n; ++i) {
    uint8_t changed[256];
    tn_buf text = TN_BUF_INIT;
    relay_case c;
    memcpy(changed, bytes, n);
    if (i >= n) {
      changed[i - n] ^= 0xff;
    }
    text_with_array(&text, changed, i < n ? i : n);
    bool is_ok = relay_init(&c, text.data, text.len);
    bool is_told = strstr(tn_buf_text(&c.text), "t.relay:1:50: error: ") != NULL ||
                   strstr(tn_buf_text(&c.text), "[type-error]") != NULL;
    expect_true(is_ok ? i >= n : is_told, "byte %zu: %s", i, tn_buf_text(&c.text));
    relay_deinit(&c);
    tn_buf_deinit(&text);
  }
  static const char *const rest[] = {
      "",
      "{",
      "[]",
      "{\"root\": 1}",
      "{\"root\": 0, \"nodes\": [{\"keys\": [\"relay.Constant\"], \"data\": [0]}]}",
      "{\"root\": 0, \"nodes\": [{\"keys\": [\"relay.Constant\"], \"data\": [1]}, {\"data\": [2]}, "
      "{\"attrs\": {\"data\": \"7\"}}], \"b64ndarrays\": []}",
      "{\"root\": 0, \"nodes\": [{\"keys\": [\"relay.Constant\"], \"data\": [1]}, {\"data\": [2]}, "
      "{\"attrs\": {\"data\": \"0\"}}], \"b64ndarrays\": [\"%%\"]}",
  };
  for (size_t i = 0; i < TN_N_ROWS(rest); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_printf(&text, "def @main() { meta[relay.Constant][0] }\n#[metadata] %s", rest[i]);
    expect_refused(tn_buf_text(&text), "[bad-metadata]");
    tn_buf_deinit(&text);
  }
}

/* ---- texts that mean harm ---- */

static void repeat(tn_buf *out, const char *text, int n) {
  for (int i = 0; i < n; ++i) {
    tn_buf_puts(out, text);
  }
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  static const char *const pieces[] = {"(", "-", "exp(", "if (", "fn () { ", "(1f, ", "{", "[["};
  for (size_t i = 0; i < TN_N_ROWS(pieces); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_puts(&text, "def @main() { ");
    repeat(&text, pieces[i], 100000);
    expect_refused(tn_buf_text(&text), "error: ");
    tn_buf_deinit(&text);
  }
  static const char *const chains[] = {" + 1f", ".0", "()"};
  for (size_t i = 0; i < TN_N_ROWS(chains); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_puts(&text, "def @main() { 1f");
    repeat(&text, chains[i], 100000);
    tn_buf_puts(&text, " }");
    expect_refused(tn_buf_text(&text), "nested more than 1000 deep [nested-too-deep]");
    tn_buf_deinit(&text);
  }
}

/* Functions are read after those that they call, which must not add up to more than the stack. */
static void deep_functions_that_call_each_other_are_read(void **state) {
  (void)state;
  enum { N_FUNCS = 200, N_SUMS = 900 };
  tn_buf text = TN_BUF_INIT;
  relay_case c;
  for (int i = 0; i < N_FUNCS; ++i) {
    tn_buf_printf(&text, "def @f%d(%s) -> Tensor[(2, 3), float32] { @f%d(%%x)", i, X, i + 1);
    repeat(&text, " + %x", N_SUMS);
    tn_buf_puts(&text, " }\n");
  }
  tn_buf_printf(&text, "def @f%d(%s) -> Tensor[(2, 3), float32] { %%x }\n", N_FUNCS, X);
  expect_true(relay_init(&c, text.data, text.len), "%s", tn_buf_text(&c.text));
  assert_int_equal(c.module.n_funcs, (uint32_t)N_FUNCS + 1);
  relay_deinit(&c);
  tn_buf_deinit(&text);
}

static void long_texts_take_linear_time(void **state) {
  (void)state;
  tn_buf text = TN_BUF_INIT;
  relay_case c;
  tn_buf_puts(&text, "def @main(" X ") {\n  %0 = exp(%x);\n");
  for (int i = 1; i < 20000; ++i) {
    tn_buf_printf(&text, "  %%%d = add(%%%d, %%0) /* ty=Tensor[(2, 3), float32] */;\n", i, i - 1);
  }
  tn_buf_puts(&text, "  %19999\n}\n");
  clock_t start = clock();
  expect_true(relay_init(&c, text.data, text.len), "%s", tn_buf_text(&c.text));
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  expect_true(seconds < 20, "20,000 bindings take %g s", seconds);
  relay_deinit(&c);
  tn_buf_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_construct_is_read),
      cmocka_unit_test(each_operator_becomes_one_of_ours),
      cmocka_unit_test(the_table_is_sorted_and_names_operators_of_ours),
      cmocka_unit_test(what_is_refused_says_what_and_where),
      cmocka_unit_test(a_constant_comes_from_the_metadata),
      cmocka_unit_test(wrong_metadata_is_refused),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(deep_functions_that_call_each_other_are_read),
      cmocka_unit_test(long_texts_take_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
