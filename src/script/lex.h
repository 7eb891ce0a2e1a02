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

/// Appends all tokens of the text, ending with END; INDENT and DEDENT balance. Problems go to diags
/// and are stepped over. source: the text's index for positions. len must be below 2^31.
void tn_lex(const char *text, size_t len, uint32_t source, tn_token_vec *out_tokens,
            tn_diags *diags);

#endif
