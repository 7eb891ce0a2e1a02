/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Text -> tokens: the Python-like surface of TVMScript with indentation, positions in characters,
 * and clear errors for what is no text at all (NUL, broken UTF-8, tabs in indentation, strings and
 * brackets that never end). */
#ifndef TN_SCRIPT_LEX_H
#define TN_SCRIPT_LEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "ir/ir.h"

typedef enum tn_tok {
#define X(id, ...) TN_TOK_##id,
#include "script/tokens.def"
#undef X
} tn_tok;

typedef struct tn_token { /* packed: a text has millions */
  tn_tok kind : 8;
  uint32_t col : 24; /* 1-based, characters; the last one stands for all beyond */
  uint32_t offset;   /* of its first byte */
  uint32_t len;      /* bytes */
  uint32_t line;     /* 1-based */
} tn_token;

typedef TN_VEC(tn_token) tn_token_vec;

/// Characters to underline: 1 for a token of several lines or of none.
uint32_t tn_token_n_cols(const tn_token *tok, const char *text);
/// The token as it is written; classes as "<name>".
const char *tn_tok_text(tn_tok kind);
bool tn_tok_is_keyword(tn_tok kind);

enum { TN_LEX_MAX_INDENTS = 500 };
/// A text being taken apart; its members are lex.c's.
typedef struct tn_lexer {
  const unsigned char *text;
  uint32_t len;
  uint32_t at;
  uint32_t source;
  uint32_t line;
  uint32_t col; /* of `at` */
  tn_token_vec *out;
  tn_diags *diags;
  TN_VEC(tn_token) brackets;
  uint32_t indents[TN_LEX_MAX_INDENTS + 1];
  uint32_t n_indents;
  bool is_line_start;
  bool is_done;
  bool has_templates; /* f"..." is a string; false after tn_lexer_init */
} tn_lexer;

/// text and diags are borrowed. source: the text's index for positions. len must be below 2^31.
void tn_lexer_init(tn_lexer *lx, const char *text, size_t len, uint32_t source, tn_diags *diags);
void tn_lexer_deinit(tn_lexer *lx);
/// Appends the tokens of whole lines (with all lines of a bracket), at least `n_least` or up to
/// END, after which it appends none.
void tn_lexer_more(tn_lexer *lx, size_t n_least, tn_token_vec *out_tokens);

/// Appends all tokens of the text, ending with END; INDENT and DEDENT balance. Problems go to diags
/// and are stepped over. source: the text's index for positions. len must be below 2^31.
void tn_lex(const char *text, size_t len, uint32_t source, tn_token_vec *out_tokens,
            tn_diags *diags);

#endif
