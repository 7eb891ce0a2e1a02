/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The lexer: one pass over the bytes, no look back. Lines inside brackets are joined; a line's
 * indentation is compared with a stack of open ones, as in Python. Every byte is seen once, so the
 * time is linear whatever the input. */
#include "script/lex.h"

#include <string.h>

typedef struct tok_row {
  const char *text;
  bool is_word;
} tok_row;

static const tok_row tok_rows[] = {
#define X(id, text, is_word) {text, is_word},
#include "script/tokens.def"
#undef X
};
enum { N_TOKS = sizeof(tok_rows) / sizeof(tok_rows[0]), MAX_INDENTS = TN_LEX_MAX_INDENTS };

const char *tn_tok_text(tn_tok kind) { return tok_rows[kind].text; }
bool tn_tok_is_keyword(tn_tok kind) { return tok_rows[kind].is_word; }

typedef tn_lexer lexer;

static tn_pos pos_at(const lexer *lx, uint32_t line, uint32_t col, uint32_t n_cols) {
  return (tn_pos){lx->source, line, col, n_cols == 0 ? 1 : n_cols};
}

static tn_pos pos_here(const lexer *lx) { return pos_at(lx, lx->line, lx->col, 1); }

static unsigned char peek(const lexer *lx, uint32_t ahead) {
  return lx->at + ahead < lx->len ? lx->text[lx->at + ahead] : 0;
}

/* Bytes of the well-formed UTF-8 character at `at`, or 0. */
static uint32_t utf8_len(const lexer *lx) {
  unsigned char c = lx->text[lx->at];
  uint32_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
  for (uint32_t i = 1; i < n; ++i) {
    if ((peek(lx, i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  if ((c == 0xe0 && peek(lx, 1) < 0xa0) || (c == 0xed && peek(lx, 1) > 0x9f) ||
      (c == 0xf0 && peek(lx, 1) < 0x90) || (c == 0xf4 && peek(lx, 1) > 0x8f)) {
    return 0;
  }
  return n;
}

/* Steps over one character of any kind but a newline. */
static void step(lexer *lx) {
  uint32_t n = utf8_len(lx);
  lx->at += n == 0 ? 1 : n;
  lx->col += 1;
}

static void step_newline(lexer *lx) {
  if (peek(lx, 0) == '\r' && peek(lx, 1) == '\n') {
    lx->at += 1;
  }
  lx->at += 1;
  lx->line += 1;
  lx->col = 1;
}

static void push(lexer *lx, tn_tok kind, uint32_t start, uint32_t line, uint32_t col) {
  enum { MAX_COL = 0xffffff };
  tn_token tok = {.offset = start, .len = lx->at - start, .line = line};
  tok.kind = kind;
  tok.col = col > MAX_COL ? MAX_COL : col & MAX_COL;
  TN_VEC_PUSH(lx->out, tok);
}

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static bool is_newline(unsigned char c) { return c == '\n' || c == '\r'; }
static bool is_word_start(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A letter of another script. Controls, spaces and the invisible marks that can make text read
 * differently from what it is (U+2000..206F, U+FEFF) are none. */
static bool is_wide_letter(const lexer *lx) {
  unsigned char c = peek(lx, 0);
  uint32_t n = c < 0x80 ? 0 : utf8_len(lx);
  if (n == 0 || (c == 0xc2 && peek(lx, 1) <= 0xa0)) {
    return false;
  }
  bool is_general_punct = c == 0xe2 && (peek(lx, 1) == 0x80 || peek(lx, 1) == 0x81);
  bool is_bom = c == 0xef && peek(lx, 1) == 0xbb && peek(lx, 2) == 0xbf;
  return !is_general_punct && !is_bom;
}

static bool is_word_part(const lexer *lx) {
  unsigned char c = peek(lx, 0);
  return is_word_start(c) || is_digit(c) || is_wide_letter(lx);
}

/* Skips the body of a string whose opening quotes are behind; false when the text ends first. */
static bool skip_string(lexer *lx, unsigned char quote, bool is_triple) {
  while (lx->at < lx->len) {
    unsigned char c = peek(lx, 0);
    if (is_newline(c)) {
      if (!is_triple) {
        return false;
      }
      step_newline(lx);
      continue;
    }
    if (c == 0) {
      return false;
    }
    if (c == '\\' && lx->at + 1 < lx->len) {
      step(lx);
      if (is_newline(peek(lx, 0))) {
        step_newline(lx);
      } else if (peek(lx, 0) != 0) {
        step(lx);
      }
      continue;
    }
    if (c == quote && (!is_triple || (peek(lx, 1) == quote && peek(lx, 2) == quote))) {
      lx->at += is_triple ? 3 : 1;
      lx->col += is_triple ? 3 : 1;
      return true;
    }
    if (utf8_len(lx) == 0) {
      tn_diags_add(lx->diags, "bad-utf8", pos_here(lx), NULL, "byte 0x%02x is no UTF-8 text",
                   (unsigned)c);
    }
    step(lx);
  }
  return false;
}

/* n_prefix letters (r, u) stand before the quotes. */
static void lex_string(lexer *lx, uint32_t n_prefix) {
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  lx->at += n_prefix;
  lx->col += n_prefix;
  unsigned char quote = peek(lx, 0);
  bool is_triple = peek(lx, 1) == quote && peek(lx, 2) == quote;
  lx->at += is_triple ? 3 : 1;
  lx->col += is_triple ? 3 : 1;
  if (!skip_string(lx, quote, is_triple)) {
    tn_diags_add(lx->diags, "unterminated-string", pos_at(lx, line, col, 1), NULL,
                 "this string never ends: expected a closing %s",
                 is_triple ? "triple quote" : "quote");
  }
  push(lx, TN_TOK_STR, start, line, col);
}

static tn_tok find_keyword(const unsigned char *word, uint32_t len) {
  for (int i = TN_TOK_AND; i <= TN_TOK_YIELD; ++i) {
    if (tok_rows[i].text[0] == (char)word[0] && strlen(tok_rows[i].text) == len &&
        memcmp(tok_rows[i].text, word, len) == 0) {
      return (tn_tok)i;
    }
  }
  return TN_TOK_NAME;
}

/* f, rf, fr before quotes */
static bool is_template(const lexer *lx, uint32_t start, uint32_t len) {
  const char *word = (const char *)lx->text + start;
  return lx->has_templates && strspn(word, "fF") <= 1 && strspn(word, "rR") <= 1 &&
         strspn(word, "fFrR") == len && (len == 2 || strchr("fF", word[0]) != NULL);
}

static void lex_word(lexer *lx) {
  uint32_t start = lx->at;
  uint32_t col = lx->col;
  while (lx->at < lx->len && is_word_part(lx)) {
    step(lx);
  }
  uint32_t len = lx->at - start;
  unsigned char next = peek(lx, 0);
  if ((next == '"' || next == '\'') && len <= 2) {
    bool is_plain =
        (len == 1 && strchr("rRuU", lx->text[start]) != NULL) || is_template(lx, start, len);
    lx->at = start;
    lx->col = col;
    if (!is_plain) {
      tn_diags_add(lx->diags, "bad-string-prefix", pos_at(lx, lx->line, col, len), NULL,
                   "string prefix '%.*s' is not supported: write a plain string", (int)len,
                   lx->text + start);
    }
    lex_string(lx, len);
    return;
  }
  push(lx, find_keyword(lx->text + start, len), start, lx->line, col);
}

/* Takes everything that could belong to a number, so that "12abc" is one wrong number and not two
 * tokens; the parser decodes and judges it. */
static void lex_number(lexer *lx) {
  uint32_t start = lx->at;
  uint32_t col = lx->col;
  bool is_hex = peek(lx, 0) == '0' && (peek(lx, 1) == 'x' || peek(lx, 1) == 'X');
  bool is_float = false;
  while (lx->at < lx->len) {
    unsigned char c = peek(lx, 0);
    bool is_exp = !is_hex && (c == 'e' || c == 'E');
    if (is_exp && (peek(lx, 1) == '+' || peek(lx, 1) == '-')) {
      step(lx);
    } else if (c != '.' && !is_digit(c) && !is_word_start(c)) {
      break;
    }
    is_float = is_float || is_exp || c == '.';
    step(lx);
  }
  push(lx, is_float ? TN_TOK_FLOAT : TN_TOK_INT, start, lx->line, col);
}

static void track_bracket(lexer *lx, tn_tok kind) {
  const tn_token *tok = &TN_VEC_LAST(lx->out);
  if (kind == TN_TOK_LPAREN || kind == TN_TOK_LBRACKET || kind == TN_TOK_LBRACE) {
    TN_VEC_PUSH(&lx->brackets, *tok);
    return;
  }
  if (kind != TN_TOK_RPAREN && kind != TN_TOK_RBRACKET && kind != TN_TOK_RBRACE) {
    return;
  }
  tn_pos pos = pos_at(lx, tok->line, tok->col, 1);
  if (lx->brackets.len == 0) {
    tn_diags_add(lx->diags, "unbalanced-bracket", pos, NULL, "'%s' closes nothing",
                 tn_tok_text(kind));
    return;
  }
  tn_token open = TN_VEC_POP(&lx->brackets);
  tn_tok want = open.kind == TN_TOK_LPAREN     ? TN_TOK_RPAREN
                : open.kind == TN_TOK_LBRACKET ? TN_TOK_RBRACKET
                                               : TN_TOK_RBRACE;
  if (want != kind) {
    tn_diags_add(lx->diags, "unbalanced-bracket", pos, NULL,
                 "'%s' does not close the '%s' of line %u, column %u", tn_tok_text(kind),
                 tn_tok_text(open.kind), open.line, open.col);
  }
}

static bool lex_punct(lexer *lx) {
  for (int i = TN_TOK_SHL_ASSIGN; i < N_TOKS; ++i) {
    if (tok_rows[i].text[0] != (char)peek(lx, 0)) {
      continue;
    }
    uint32_t n = (uint32_t)strlen(tok_rows[i].text);
    if (lx->at + n <= lx->len && memcmp(lx->text + lx->at, tok_rows[i].text, n) == 0) {
      uint32_t start = lx->at;
      uint32_t col = lx->col;
      lx->at += n;
      lx->col += n;
      push(lx, (tn_tok)i, start, lx->line, col);
      track_bracket(lx, (tn_tok)i);
      return true;
    }
  }
  return false;
}

static void lex_stray(lexer *lx) {
  unsigned char c = peek(lx, 0);
  if (c == 0) {
    tn_diags_add(lx->diags, "nul-byte", pos_here(lx), NULL, "NUL byte: this is no text");
    lx->at = lx->len; /* whatever the file is, what follows would not be understood either */
    return;
  }
  uint32_t n = utf8_len(lx);
  if (n == 0) {
    tn_diags_add(lx->diags, "bad-utf8", pos_here(lx), NULL, "byte 0x%02x is no UTF-8 text",
                 (unsigned)c);
  } else if (n == 1 && c > ' ' && c < 0x7f) {
    tn_diags_add(lx->diags, "stray-character", pos_here(lx), NULL, "'%c' has no meaning here", c);
  } else {
    tn_diags_add(lx->diags, "stray-character", pos_here(lx), NULL,
                 "a control or invisible character (first byte 0x%02x)", (unsigned)c);
  }
  step(lx);
}

/* At the start of a line that holds something: emits INDENT or DEDENTs. */
static void lex_indent(lexer *lx, uint32_t width) {
  if (width > lx->indents[lx->n_indents]) {
    if (lx->n_indents == MAX_INDENTS) {
      tn_diags_add(lx->diags, "nested-too-deep", pos_here(lx), NULL, "more than %d nested blocks",
                   MAX_INDENTS);
      lx->at = lx->len;
      return;
    }
    lx->indents[++lx->n_indents] = width;
    push(lx, TN_TOK_INDENT, lx->at, lx->line, lx->col);
    return;
  }
  while (width < lx->indents[lx->n_indents]) {
    lx->n_indents -= 1;
    push(lx, TN_TOK_DEDENT, lx->at, lx->line, lx->col);
  }
  if (width != lx->indents[lx->n_indents]) {
    tn_diags_add(lx->diags, "bad-indentation", pos_here(lx), NULL,
                 "this indentation (%u) matches no open block; the enclosing one has %u", width,
                 lx->indents[lx->n_indents]);
  }
}

/* Measures the blanks that begin a line and, when the line holds code, compares them with the open
 * blocks. */
static void lex_line_start(lexer *lx) {
  uint32_t width = 0;
  bool has_tab = false;
  tn_pos tab_pos = {0};
  while (peek(lx, 0) == ' ' || peek(lx, 0) == '\t' || peek(lx, 0) == '\f') {
    if (peek(lx, 0) == '\t') {
      tab_pos = has_tab ? tab_pos : pos_here(lx);
      has_tab = true;
      width += 8 - width % 8;
    } else if (peek(lx, 0) == ' ') {
      width += 1;
    }
    step(lx);
  }
  unsigned char c = peek(lx, 0);
  if (lx->at >= lx->len || is_newline(c) || c == '#' || c == 0) {
    return;
  }
  if (has_tab) {
    tn_diags_add(lx->diags, "tab-in-indentation", tab_pos, NULL,
                 "tab in the indentation: use spaces");
  }
  lex_indent(lx, width);
}

static void lex_token(lexer *lx) {
  unsigned char c = peek(lx, 0);
  if (c == ' ' || c == '\t' || c == '\f') {
    step(lx);
  } else if (c == '#') {
    while (lx->at < lx->len && !is_newline(peek(lx, 0))) {
      step(lx);
    }
  } else if (c == '\\' && is_newline(peek(lx, 1))) {
    step(lx);
    step_newline(lx);
  } else if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) {
    lex_number(lx);
  } else if (c == '"' || c == '\'') {
    lex_string(lx, 0);
  } else if (is_word_start(c) || is_wide_letter(lx)) {
    lex_word(lx);
  } else if (!lex_punct(lx)) {
    lex_stray(lx);
  }
}

static bool line_has_code(const lexer *lx) {
  if (lx->out->len == 0) {
    return false;
  }
  tn_tok kind = TN_VEC_LAST(lx->out).kind;
  return kind != TN_TOK_NEWLINE && kind != TN_TOK_INDENT && kind != TN_TOK_DEDENT;
}

static void lex_end(lexer *lx) {
  if (lx->brackets.len > 0) {
    const tn_token *open = &TN_VEC_LAST(&lx->brackets);
    tn_diags_add(lx->diags, "unbalanced-bracket", pos_at(lx, open->line, open->col, 1), NULL,
                 "this '%s' is never closed", tn_tok_text(open->kind));
  }
  if (line_has_code(lx)) {
    push(lx, TN_TOK_NEWLINE, lx->at, lx->line, lx->col);
  }
  for (; lx->n_indents > 0; --lx->n_indents) {
    push(lx, TN_TOK_DEDENT, lx->at, lx->line, lx->col);
  }
  push(lx, TN_TOK_END, lx->at, lx->line, lx->col);
}

uint32_t tn_token_n_cols(const tn_token *tok, const char *text) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < tok->len; ++i) {
    unsigned char c = (unsigned char)text[tok->offset + i];
    if (is_newline(c)) {
      return 1;
    }
    n += (c & 0xc0) != 0x80; /* not inside a character */
  }
  return n == 0 ? 1 : n;
}

void tn_lexer_init(tn_lexer *lx, const char *text, size_t len, uint32_t source, tn_diags *diags) {
  *lx = (tn_lexer){.text = (const unsigned char *)text,
                   .len = (uint32_t)len,
                   .source = source,
                   .line = 1,
                   .col = 1,
                   .diags = diags,
                   .is_line_start = true};
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    lx->at = 3;
  }
}

void tn_lexer_deinit(tn_lexer *lx) { TN_VEC_DEINIT(&lx->brackets); }

void tn_lexer_more(tn_lexer *lx, size_t n_least, tn_token_vec *out_tokens) {
  size_t n_want = out_tokens->len + n_least;
  lx->out = out_tokens;
  while (lx->at < lx->len) {
    if (lx->is_line_start && lx->brackets.len == 0) {
      if (out_tokens->len >= n_want) {
        return;
      }
      lex_line_start(lx);
      lx->is_line_start = false;
      continue;
    }
    if (!is_newline(peek(lx, 0))) {
      lex_token(lx);
      continue;
    }
    if (lx->brackets.len == 0) {
      if (line_has_code(lx)) {
        push(lx, TN_TOK_NEWLINE, lx->at, lx->line, lx->col);
      }
      lx->is_line_start = true;
    }
    step_newline(lx);
  }
  if (!lx->is_done) {
    lex_end(lx);
    lx->is_done = true;
  }
}

void tn_lex(const char *text, size_t len, uint32_t source, tn_token_vec *out_tokens,
            tn_diags *diags) {
  tn_lexer lx;
  tn_lexer_init(&lx, text, len, source, diags);
  tn_lexer_more(&lx, SIZE_MAX / 2, out_tokens);
  tn_lexer_deinit(&lx);
}
