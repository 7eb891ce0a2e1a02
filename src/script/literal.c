/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Decodes number and string tokens into syntax tree leaves. Integers are unsigned 64-bit here
 * (T.uint64 needs them all); their sign and type are the readers' business. Strings become text
 * without NUL, since texts are C strings everywhere. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "script/ast.h"

static int digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

typedef enum int_verdict { INT_OK, INT_MALFORMED, INT_TOO_BIG } int_verdict;

/* Digits with single underscores between them, after the base prefix. */
static int_verdict decode_int(const char *text, uint32_t len, uint64_t *out) {
  int base = 10;
  uint32_t i = 0;
  if (len > 1 && text[0] == '0' && digit_value(text[1]) > 9) {
    char mark = (char)(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    i = 2;
  }
  bool is_big = false;
  bool has_digit = false;
  bool has_nonzero = false;
  uint64_t value = 0;
  for (; i < len; ++i) {
    if (text[i] == '_' && i + 1 < len && text[i + 1] != '_' && i > 0) {
      continue;
    }
    int digit = digit_value(text[i]);
    if (digit >= base) {
      return INT_MALFORMED;
    }
    has_digit = true;
    has_nonzero = has_nonzero || digit != 0;
    is_big = is_big || value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base;
    value = value * (uint64_t)base + (uint64_t)digit;
  }
  if (!has_digit || (base == 10 && len > 1 && text[0] == '0' && has_nonzero)) {
    return INT_MALFORMED;
  }
  *out = value;
  return is_big ? INT_TOO_BIG : INT_OK;
}

/* digits [. digits] [e digits], underscores dropped; strtod judges the rest. */
static bool decode_float(const char *text, uint32_t len, double *out) {
  char small[128];
  char *copy = len < sizeof small ? small : malloc((size_t)len + 1);
  if (copy == NULL) {
    return false;
  }
  size_t n = 0;
  bool is_ok = true;
  for (uint32_t i = 0; i < len; ++i) {
    char c = text[i];
    bool is_known =
        (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    is_ok = is_ok && (is_known || (c == '_' && i > 0 && i + 1 < len));
    if (c != '_') {
      copy[n++] = c;
    }
  }
  copy[n] = 0;
  char *end = NULL;
  *out = strtod(copy, &end);
  is_ok = is_ok && end == copy + n;
  if (copy != small) {
    free(copy);
  }
  return is_ok;
}

const tn_ast *tn_parse_number(tn_parser *p) {
  const tn_token *tok = tn_parser_tok(p);
  const char *text = p->text + tok->offset;
  int n_shown = tok->len > 40 ? 40 : (int)tok->len;
  size_t first = p->at;
  if (tok->kind == TN_TOK_FLOAT) {
    double value = 0;
    if (!decode_float(text, tok->len, &value)) {
      return tn_parser_fail(p, "bad-number", "'%.*s' is no number", n_shown, text);
    }
    p->at += 1;
    return tn_ast_make_f64(p, first, value);
  }
  uint64_t value = 0;
  int_verdict verdict = decode_int(text, tok->len, &value);
  if (verdict == INT_MALFORMED) {
    return tn_parser_fail(p, "bad-number", "'%.*s' is no number", n_shown, text);
  }
  if (verdict == INT_TOO_BIG) {
    return tn_parser_fail(p, "integer-too-large", "integer '%.*s%s' does not fit 64 bits", n_shown,
                          text, n_shown < (int)tok->len ? "..." : "");
  }
  p->at += 1;
  return tn_ast_make_u64(p, first, value);
}

static void put_utf8(tn_buf *out, uint32_t c) {
  if (c < 0x80) {
    tn_buf_putc(out, (char)c);
  } else if (c < 0x800) {
    tn_buf_putc(out, (char)(0xc0 | c >> 6));
    tn_buf_putc(out, (char)(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    tn_buf_putc(out, (char)(0xe0 | c >> 12));
    tn_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    tn_buf_putc(out, (char)(0x80 | (c & 0x3f)));
  } else {
    tn_buf_putc(out, (char)(0xf0 | c >> 18));
    tn_buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
    tn_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    tn_buf_putc(out, (char)(0x80 | (c & 0x3f)));
  }
}

/* Reads n_digits digits of `base` at *at; false when there are fewer. */
static bool take_digits(const char *text, uint32_t len, uint32_t *at, uint32_t n_digits, int base,
                        uint32_t *out) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < n_digits; ++i) {
    if (*at >= len || digit_value(text[*at]) >= base) {
      return false;
    }
    value = value * (uint32_t)base + (uint32_t)digit_value(text[*at]);
    *at += 1;
  }
  *out = value;
  return true;
}

/* text[*at] is the character after a backslash. Returns false for an escape that is none or gives
 * no text. */
static bool decode_escape(const char *text, uint32_t len, uint32_t *at, tn_buf *out) {
  static const char plain[][2] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'},  {'a', '\a'},  {'b', '\b'},
                                  {'f', '\f'}, {'v', '\v'}, {'\\', '\\'}, {'\'', '\''}, {'"', '"'}};
  char c = text[(*at)++];
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i) {
    if (plain[i][0] == c) {
      tn_buf_putc(out, plain[i][1]);
      return true;
    }
  }
  uint32_t value = 0;
  if (c == '\n' || c == '\r') {
    *at += c == '\r' && *at < len && text[*at] == '\n' ? 1 : 0;
    return true;
  }
  if (c == 'x' || c == 'u' || c == 'U') {
    if (!take_digits(text, len, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, &value)) {
      return false;
    }
  } else if (c >= '0' && c <= '7') {
    value = (uint32_t)(c - '0');
    for (int i = 0; i < 2 && *at < len && digit_value(text[*at]) < 8; ++i) {
      value = value * 8 + (uint32_t)digit_value(text[(*at)++]);
    }
  } else {
    tn_buf_putc(out, '\\');
    tn_buf_putc(out, c);
    return true;
  }
  if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
    return false;
  }
  put_utf8(out, value);
  return true;
}

/* Appends the contents of one string token; false for a bad escape. */
static bool decode_string(const char *text, uint32_t len, tn_buf *out) {
  uint32_t at = 0;
  bool is_raw = false;
  while (at < len && text[at] != '"' && text[at] != '\'') {
    is_raw = is_raw || text[at] == 'r' || text[at] == 'R';
    at += 1;
  }
  uint32_t n_quotes = at + 5 < len && text[at + 1] == text[at] && text[at + 2] == text[at] ? 3 : 1;
  uint32_t end = len > at + 2 * n_quotes ? len - n_quotes : at + n_quotes;
  at += n_quotes;
  while (at < end) {
    if (text[at] != '\\' || is_raw) {
      tn_buf_putc(out, text[at++]);
      continue;
    }
    at += 1;
    if (at >= end || !decode_escape(text, end, &at, out)) {
      return false;
    }
  }
  return true;
}

/* Does a string token begin with this letter, before its quotes? */
static bool has_prefix(const char *text, char letter) {
  while (*text != '"' && *text != '\'' && (*text | 0x20) != letter) {
    ++text;
  }
  return (*text | 0x20) == letter;
}

const tn_ast *tn_parse_strings(tn_parser *p) {
  size_t first = p->at;
  tn_buf text = TN_BUF_INIT;
  const tn_ast *node = NULL;
  bool is_template = false;
  while (tn_parser_is(p, TN_TOK_STR)) {
    const tn_token *tok = tn_parser_tok(p);
    is_template = is_template || has_prefix(p->text + tok->offset, 'f');
    if (!decode_string(p->text + tok->offset, tok->len, &text)) {
      tn_parser_fail(p, "bad-escape",
                     "this string has an escape that is not supported or stands for no character");
      goto done;
    }
    p->at += 1;
  }
  node = tn_ast_make_text(p, is_template ? TN_AST_TEMPLATE : TN_AST_STR, first,
                          tn_ir_text_n(p->ir, tn_buf_text(&text), text.len), 0, NULL);
done:
  tn_buf_deinit(&text);
  return node;
}
