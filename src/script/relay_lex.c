/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The lexer of Relay text: one pass over the bytes. Comments are slash-star (nested), // and, as in
 * our other files, # when no [ follows. What follows #[metadata] is JSON and stays as it is. */
#include <string.h>

#include "script/relay.h"

typedef struct lexer {
  const unsigned char *text;
  uint32_t len;
  uint32_t at;
  uint32_t line;
  uint32_t col;
  uint32_t source;
  tn_rtoken_vec *out;
  tn_diags *diags;
} lexer;

static unsigned char peek(const lexer *lx, uint32_t ahead) {
  return lx->len - lx->at > ahead ? lx->text[lx->at + ahead] : 0;
}

static tn_pos pos_of(const lexer *lx, uint32_t line, uint32_t col, uint32_t n_cols) {
  return (tn_pos){lx->source, line, col, n_cols == 0 ? 1 : n_cols};
}

/* Steps over one byte; the bytes that continue a character take no column. */
static void step(lexer *lx) {
  unsigned char c = lx->text[lx->at++];
  if (c == '\n') {
    lx->line += 1;
    lx->col = 1;
  } else if ((c & 0xc0) != 0x80) {
    lx->col += 1;
  }
}

static void push(lexer *lx, tn_rtok kind, uint32_t start, uint32_t line, uint32_t col) {
  uint32_t n_cols = line == lx->line && lx->col > col ? lx->col - col : 1;
  TN_VEC_PUSH(lx->out, ((tn_rtoken){kind, start, lx->at - start, line, col, n_cols}));
}

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static bool is_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_word(unsigned char c) { return is_letter(c) || is_digit(c) || c >= 0x80; }

/* Letters, digits, and dots that a letter follows: nn.conv2d, but not %t.0. */
static void take_word(lexer *lx) {
  while (lx->at < lx->len &&
         (is_word(peek(lx, 0)) || (peek(lx, 0) == '.' && is_letter(peek(lx, 1))))) {
    step(lx);
  }
}

static void lex_comment(lexer *lx) {
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  uint32_t depth = 0;
  while (lx->at < lx->len) {
    if (peek(lx, 0) == '/' && peek(lx, 1) == '*') {
      depth += 1;
      step(lx);
    } else if (peek(lx, 0) == '*' && peek(lx, 1) == '/') {
      depth -= 1;
      step(lx);
    }
    step(lx);
    if (depth == 0) {
      return;
    }
  }
  tn_diags_add(lx->diags, "syntax", pos_of(lx, line, col, 2), NULL, "this comment never ends");
}

static void skip_line(lexer *lx) {
  while (lx->at < lx->len && peek(lx, 0) != '\n') {
    step(lx);
  }
}

static void lex_string(lexer *lx) {
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  unsigned char quote = peek(lx, 0);
  step(lx);
  while (lx->at < lx->len && peek(lx, 0) != quote && peek(lx, 0) != '\n' && peek(lx, 0) != 0) {
    if (peek(lx, 0) == '\\' && lx->len - lx->at > 1 && peek(lx, 1) != '\n') {
      step(lx);
    }
    step(lx);
  }
  if (peek(lx, 0) != quote) {
    tn_diags_add(lx->diags, "unterminated-string", pos_of(lx, line, col, 1), NULL,
                 "this string never ends: expected a closing quote");
    return;
  }
  step(lx);
  push(lx, TN_RTOK_STR, start, line, col);
}

/* 12, 1.5, 1e-05f, 4i64; only digits after a dot, where the number is the index of a tuple. */
static void lex_number(lexer *lx) {
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  bool is_index = lx->out->len > 0 && TN_VEC_LAST(lx->out).kind == TN_RTOK_PUNCT &&
                  lx->text[TN_VEC_LAST(lx->out).offset] == '.';
  while (is_digit(peek(lx, 0))) {
    step(lx);
  }
  if (!is_index) {
    if (peek(lx, 0) == '.' && is_digit(peek(lx, 1))) {
      do {
        step(lx);
      } while (is_digit(peek(lx, 0)));
    }
    bool is_signed = peek(lx, 1) == '-' || peek(lx, 1) == '+';
    if ((peek(lx, 0) == 'e' || peek(lx, 0) == 'E') && is_digit(peek(lx, is_signed ? 2 : 1))) {
      step(lx);
      step(lx);
    }
    while (is_word(peek(lx, 0))) {
      step(lx);
    }
  }
  push(lx, TN_RTOK_NUMBER, start, line, col);
}

/* %x, @f: the sign belongs to the token. */
static void lex_marked(lexer *lx, tn_rtok kind) {
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  step(lx);
  if (is_digit(peek(lx, 0))) {
    while (is_word(peek(lx, 0))) {
      step(lx);
    }
  } else {
    take_word(lx);
  }
  if (lx->at == start + 1) {
    tn_diags_add(lx->diags, "syntax", pos_of(lx, line, col, 1), NULL, "'%c' needs a name behind it",
                 lx->text[start]);
    return;
  }
  push(lx, kind, start, line, col);
}

static void lex_section(lexer *lx) {
  static const char metadata[] = "#[metadata]";
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  uint32_t start = lx->at;
  uint32_t n = sizeof metadata - 1;
  if (lx->len - lx->at >= n && memcmp(lx->text + lx->at, metadata, n) == 0) {
    lx->at += n;
    lx->col += n;
    push(lx, TN_RTOK_JSON, lx->at, line, col);
    tn_rtoken *tok = &TN_VEC_LAST(lx->out);
    tok->len = lx->len - lx->at;
    tok->n_cols = n;
    lx->at = lx->len;
    return;
  }
  step(lx);
  step(lx);
  push(lx, TN_RTOK_SECTION, start, line, col);
}

static void lex_sign(lexer *lx) {
  static const struct {
    char text[3];
    tn_rtok kind;
  } pairs[] = {{"->", TN_RTOK_ARROW}, {"=>", TN_RTOK_ARROW}, {"==", TN_RTOK_EQ},
               {"!=", TN_RTOK_NE},    {"<=", TN_RTOK_LE},    {">=", TN_RTOK_GE}};
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  unsigned char c = peek(lx, 0);
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    if (c == (unsigned char)pairs[i].text[0] && peek(lx, 1) == (unsigned char)pairs[i].text[1]) {
      step(lx);
      step(lx);
      push(lx, pairs[i].kind, start, line, col);
      return;
    }
  }
  step(lx);
  if (c == 0) {
    tn_diags_add(lx->diags, "nul-byte", pos_of(lx, line, col, 1), NULL,
                 "NUL byte: this is no text");
    lx->at = lx->len;
  } else if (strchr("()[]{}<>,:;=.?+-*/|", c) == NULL) {
    if (c > ' ' && c < 0x7f) {
      tn_diags_add(lx->diags, "stray-character", pos_of(lx, line, col, 1), NULL,
                   "'%c' has no meaning here", c);
    } else {
      tn_diags_add(lx->diags, "stray-character", pos_of(lx, line, col, 1), NULL,
                   "a control or invisible character (first byte 0x%02x)", (unsigned)c);
    }
  } else {
    push(lx, TN_RTOK_PUNCT, start, line, col);
  }
}

static void lex_one(lexer *lx) {
  unsigned char c = peek(lx, 0);
  uint32_t start = lx->at;
  uint32_t line = lx->line;
  uint32_t col = lx->col;
  if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
    step(lx);
  } else if (c == '/' && peek(lx, 1) == '*') {
    lex_comment(lx);
  } else if ((c == '/' && peek(lx, 1) == '/') || (c == '#' && peek(lx, 1) != '[')) {
    skip_line(lx);
  } else if (c == '#') {
    lex_section(lx);
  } else if (c == '%' || c == '@') {
    lex_marked(lx, c == '%' ? TN_RTOK_LOCAL : TN_RTOK_GLOBAL);
  } else if (is_digit(c)) {
    lex_number(lx);
  } else if (c == '"' || c == '\'') {
    lex_string(lx);
  } else if (is_letter(c)) {
    take_word(lx);
    push(lx, TN_RTOK_NAME, start, line, col);
  } else {
    lex_sign(lx);
  }
}

void tn_relay_lex(const char *text, size_t len, uint32_t source, tn_rtoken_vec *out,
                  tn_diags *diags) {
  lexer lx = {.text = (const unsigned char *)text,
              .len = (uint32_t)len,
              .line = 1,
              .col = 1,
              .source = source,
              .out = out,
              .diags = diags};
  if (len > 5 && memcmp(text, "v0.0.", 5) == 0) { /* the first line of older printers */
    skip_line(&lx);
  }
  while (lx.at < lx.len && diags->n_dropped == 0) {
    lex_one(&lx);
  }
  push(&lx, TN_RTOK_END, lx.at, lx.line, lx.col);
}

/* ---- is it Relay? ---- */

/* The first bytes that are no blanks and no comments. */
static const char *first_word(const char *p, const char *end) {
  while (p < end) {
    if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == '\f') {
      ++p;
    } else if ((*p == '#' && (end - p < 2 || p[1] != '[')) ||
               (end - p >= 2 && p[0] == '/' && p[1] == '/')) {
      while (p < end && *p != '\n') {
        ++p;
      }
    } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
      p += 2;
      while (end - p >= 2 && !(p[0] == '*' && p[1] == '/')) {
        ++p;
      }
      p = end - p >= 2 ? p + 2 : end;
    } else {
      return p;
    }
  }
  return end;
}

/* `word`, and what follows it after blanks begins with one of the characters. */
static bool begins(const char *p, const char *end, const char *word, const char *follow) {
  size_t n = strlen(word);
  if ((size_t)(end - p) < n || memcmp(p, word, n) != 0) {
    return false;
  }
  p += n;
  const char *after = p;
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
    ++p;
  }
  bool is_whole = after < end && (after < p || !is_word((unsigned char)*after));
  return *follow == '\0' || (is_whole && p < end && strchr(follow, *p) != NULL && *p != '\0');
}

bool tn_relay_is_text(const char *text, size_t len, const char *file_name) {
  const char *dot = file_name == NULL ? NULL : strrchr(file_name, '.');
  if (dot != NULL && (strcmp(dot, ".relay") == 0 || strcmp(dot, ".rly") == 0)) {
    return true;
  }
  const char *end = text + len;
  const char *p = first_word(text, end);
  return begins(p, end, "#[", "") || begins(p, end, "def", "@") || begins(p, end, "fn", "([") ||
         begins(p, end, "free_var", "%") || begins(p, end, "let", "%") ||
         begins(p, end, "v0.0.", "");
}
