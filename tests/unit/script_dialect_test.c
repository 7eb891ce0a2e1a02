/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which dialect a text has: by option, import, telling words; and what is a mixture. */
#include "script/dialect.h"

#include <string.h>

#include "tn_test.h"

typedef struct dialect_row {
  const char *text;
  tn_dialect wanted;
  tn_dialect want;
  uint32_t mixed_line; /* of the word that does not belong; 0: none */
} dialect_row;

static void check_row(const dialect_row *row) {
  tn_ir *ir = tn_ir_new(0);
  tn_diags diags = {0};
  tn_token_vec toks = {0};
  tn_dialect_marks marks;
  size_t len = strlen(row->text);
  uint32_t source = tn_ir_add_source(ir, "t.py", row->text, len);
  tn_lex(row->text, len, source, &toks, &diags);
  assert_int_equal(diags.n, 0);
  tn_dialect_begin(row->text, len, source, &marks);
  tn_dialect_scan(row->text, toks.data, toks.len, source, &marks);
  tn_dialect got = tn_dialect_decide(&marks, row->wanted, &diags);
  uint32_t line = diags.n == 0 ? 0 : diags.items[0].pos.line;
  if (got != row->want || line != row->mixed_line) {
    print_message("%s\nis %s, mixed on line %u\n", row->text, tn_dialect_name(got), line);
  }
  assert_int_equal(got, row->want);
  assert_int_equal(line, row->mixed_line);
  TN_VEC_DEINIT(&toks);
  tn_diags_deinit(&diags);
  tn_ir_free(ir);
}

static void a_text_has_one_dialect(void **state) {
  (void)state;
  static const dialect_row rows[] = {
      {"", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"x = T.alloc_buffer((4,))\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"x = T.alloc_buffer((4,))\n", TN_DIALECT_2026, TN_DIALECT_2026, 0},
      /* imports */
      {"from tvm.script import tirx as T\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"from tvm.script import ir as I, tirx as T\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"import tvm.tirx as T\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"from tvm.script import tir as T\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"from mine import tirx\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"# from tvm.script import tirx as T\nx = 1\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"x = 1\n# from tvm.script import tirx as T\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"# from tvm.script import tirx as T\n", TN_DIALECT_2023, TN_DIALECT_2023, 0},
      /* words */
      {"with T.sblock('b'): pass\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"x: T.let = 1\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"T.let(x, 1)\n", TN_DIALECT_AUTO, TN_DIALECT_2022, 0},
      {"@T.prim_func(s_tir=True)\ndef f(): pass\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"s_tir = 1\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"a.let\nx.sblock\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"'T.sblock'\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"tir.sblock\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"A: T.Buffer[(4,), 'float32']\n", TN_DIALECT_AUTO, TN_DIALECT_2022, 0},
      {"@tvm.script.ir_module\nclass M: pass\n", TN_DIALECT_AUTO, TN_DIALECT_2022, 0},
      {"x: Tensor((4,))\n", TN_DIALECT_AUTO, TN_DIALECT_2022, 0},
      {"x: R.Tensor((4,))\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"from tvm.script import tir as T\nn = T.var('int64')\n", TN_DIALECT_AUTO, TN_DIALECT_2022,
       0},
      /* what is harmless decides only when nothing else does */
      {"f(out_ty=x)\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      {"f(out_ty=x)\nwith T.block('b'): pass\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 0},
      {"f(out_sinfo=x)\nwith T.sblock('b'): pass\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 0},
      /* mixtures */
      {"with T.block('b'): pass\nx: T.let = 1\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 2},
      {"x: T.let = 1\nwith T.block('b'): pass\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 2},
      {"with T.block('b'): pass\nn = T.var()\n", TN_DIALECT_AUTO, TN_DIALECT_2022, 0},
      {"from tvm.script import tir as T\n\nT.sblock\n", TN_DIALECT_AUTO, TN_DIALECT_2023, 3},
      {"from tvm.script import tirx as T\nT.Buffer[4]\n", TN_DIALECT_AUTO, TN_DIALECT_2026, 2},
      {"with T.block('b'): pass\n", TN_DIALECT_2026, TN_DIALECT_2026, 1},
      {"T.sblock\n", TN_DIALECT_2022, TN_DIALECT_2022, 1},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    check_row(&rows[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_text_has_one_dialect)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
