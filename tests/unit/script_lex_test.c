/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tokens: what they are, where they stand, and what is no text at all. */
#include "script/lex.h"
#include "tn_test.h"

/* All tokens as "kind" or "text", separated by blanks. */
static char *lex_text(const char *text, size_t len, tn_diags *diags) {
  tn_token_vec toks = {0};
  tn_buf out = TN_BUF_INIT;
  tn_lex(text, len, 0, &toks, diags);
  for (size_t i = 0; i < toks.len; ++i) {
    const tn_token *tok = &toks.data[i];
    bool is_class = tok->kind <= TN_TOK_DEDENT;
    static const char *const names[] = {"END", "NL", "IN", "OUT"};
    tn_buf_puts(&out, i > 0 ? " " : "");
    if (is_class) {
      tn_buf_puts(&out, names[tok->kind]);
    } else {
      tn_buf_append(&out, text + tok->offset, tok->len);
    }
  }
  TN_VEC_DEINIT(&toks);
  return tn_buf_take(&out);
}

typedef struct text_row {
  const char *text;
  const char *want;
} text_row;

static void texts_fall_into_tokens(void **state) {
  (void)state;
  static const text_row rows[] = {
      {"", "END"},
      {"\n\n  # only a comment\n", "END"},
      {"a = b", "a = b NL END"},
      {"a<<=b>>c**d//e!=f", "a <<= b >> c ** d // e != f NL END"},
      {"x->y:...", "x -> y : ... NL END"},
      {"if a:\n  b\n  c\nd", "if a : NL IN b NL c NL OUT d NL END"},
      {"if a:\n  if b:\n    c", "if a : NL IN if b : NL IN c NL OUT OUT END"},
      {"f(a,\n   b\n)\nc", "f ( a , b ) NL c NL END"},
      {"a \\\n  + b", "a + b NL END"},
      {"1 2.5 1e-5 .5 0x1F 1_000 3.", "1 2.5 1e-5 .5 0x1F 1_000 3. NL END"},
      {"12abc", "12abc NL END"},
      {"'a' \"b\\\"c\" r'\\d' '''x\ny'''", "'a' \"b\\\"c\" r'\\d' '''x\ny''' NL END"},
      {"a\r\nb\r\n", "a NL b NL END"},
      {"\xef\xbb\xbf"
       "a",
       "a NL END"},
      {"gr\xc3\xb6\xc3\x9f"
       "e = 1",
       "gr\xc3\xb6\xc3\x9f"
       "e = 1 NL END"},
      {"a  # b\n\n# c\n  # d\ne", "a NL e NL END"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_diags diags = {0};
    char *got = lex_text(rows[i].text, strlen(rows[i].text), &diags);
    expect_true(diags.n == 0, "row %zu", i);
    expect_text(got, rows[i].want);
    free(got);
    tn_diags_deinit(&diags);
  }
}

static void positions_count_characters_not_bytes(void **state) {
  (void)state;
  static const char text[] = "\xc3\xa4\xc3\xb6 = '\xe2\x82\xac'\n  x";
  static const uint32_t want[][3] = {{1, 1, 2}, {1, 4, 1}, {1, 6, 3}};
  tn_token_vec toks = {0};
  tn_diags diags = {0};
  tn_lex(text, sizeof text - 1, 0, &toks, &diags);
  for (size_t i = 0; i < TN_N_ROWS(want); ++i) {
    assert_int_equal(toks.data[i].line, want[i][0]);
    assert_int_equal(toks.data[i].col, want[i][1]);
    assert_int_equal(tn_token_n_cols(&toks.data[i], text), want[i][2]);
  }
  assert_int_equal(toks.data[5].line, 2);
  assert_int_equal(toks.data[5].col, 3);
  TN_VEC_DEINIT(&toks);
  tn_diags_deinit(&diags);
}

typedef struct error_row {
  const char *text;
  size_t len; /* 0: strlen */
  const char *id;
  uint32_t line;
  uint32_t col;
} error_row;

static void what_is_no_text_is_reported_where_it_stands(void **state) {
  (void)state;
  static const error_row rows[] = {
      {"a\0b", 3, "nul-byte", 1, 2},
      {"a = \x01", 0, "stray-character", 1, 5},
      {"a = \xff", 0, "bad-utf8", 1, 5},
      {"'\xc3(' ", 0, "bad-utf8", 1, 2},
      {"a = 1 ? 2", 0, "stray-character", 1, 7},
      {"a = $", 0, "stray-character", 1, 5},
      {"x = 'abc\ny", 0, "unterminated-string", 1, 5},
      {"x = '''abc\ny", 0, "unterminated-string", 1, 5},
      {"x = 'abc\\", 0, "unterminated-string", 1, 5},
      {"f(a\nb", 0, "unbalanced-bracket", 1, 2},
      {"f(a]", 0, "unbalanced-bracket", 1, 4},
      {"a)", 0, "unbalanced-bracket", 1, 2},
      {"if a:\n\tb", 0, "tab-in-indentation", 2, 1},
      {"if a:\n    b\n  c", 0, "bad-indentation", 3, 3},
      {"x = f'{a}'", 0, "bad-string-prefix", 1, 5},
      {"x\xe2\x80\xae = 1", 0, "stray-character", 1, 2}, /* right-to-left override */
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_diags diags = {0};
    size_t len = rows[i].len != 0 ? rows[i].len : strlen(rows[i].text);
    free(lex_text(rows[i].text, len, &diags));
    expect_true(diags.n >= 1, "row %zu: nothing reported", i);
    expect_text(diags.items[0].id, rows[i].id);
    expect_true(diags.items[0].pos.line == rows[i].line && diags.items[0].pos.col == rows[i].col,
                "row %zu: %u:%u", i, diags.items[0].pos.line, diags.items[0].pos.col);
    tn_diags_deinit(&diags);
  }
}

static void hostile_lengths_take_linear_time(void **state) {
  (void)state;
  enum { N = 1 << 20 };
  static const char fills[] = "()[]'\"\\#\n \t0a.\xff";
  char *text = malloc(N);
  assert_non_null(text);
  for (size_t i = 0; i < sizeof fills - 1; ++i) {
    tn_diags diags = {0};
    tn_token_vec toks = {0};
    memset(text, fills[i], N);
    tn_lex(text, N, 0, &toks, &diags);
    assert_int_equal(TN_VEC_LAST(&toks).kind, TN_TOK_END);
    TN_VEC_DEINIT(&toks);
    tn_diags_deinit(&diags);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_fall_into_tokens),
      cmocka_unit_test(positions_count_characters_not_bytes),
      cmocka_unit_test(what_is_no_text_is_reported_where_it_stands),
      cmocka_unit_test(hostile_lengths_take_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
