/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Finds the dialect of a text by one pass over its tokens. The table holds the words that tell; the
 * strict ones stand for what 2026 reads otherwise than the years before (names given by '=',
 * T.alloc_buffer), so that a text with words of both sides has no meaning that all its readers
 * would agree on. */
#include "script/dialect.h"

#include <stdio.h>
#include <string.h>

typedef struct tell_tale {
  const char *text;   /* as messages show it */
  const char *prefix; /* the name before the dot; "" is a keyword argument, NULL a bare name */
  const char *word;
  tn_tok after; /* what must follow; END: anything */
  tn_tok not_after;
  tn_dialect dialect;
  bool is_strict;
} tell_tale;

/* clang-format off */
static const tell_tale tell_tales[] = {
    {"T.sblock",              "T", "sblock",              TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, true},
    {"T.sblock_attr",         "T", "sblock_attr",         TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, true},
    {"T.sblock_alloc_buffer", "T", "sblock_alloc_buffer", TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, true},
    {"T.let",                 "T", "let",                 TN_TOK_END,      TN_TOK_LPAREN, TN_DIALECT_2026, true},
    {"T.bind",                "T", "bind",                TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, true},
    {"T.Bind",                "T", "Bind",                TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, true},
    {"s_tir=",                "",  "s_tir",               TN_TOK_ASSIGN,   TN_TOK_END,    TN_DIALECT_2026, true},
    {"out_ty=",               "",  "out_ty",              TN_TOK_ASSIGN,   TN_TOK_END,    TN_DIALECT_2026, false},
    {"ty_args=",              "",  "ty_args",             TN_TOK_ASSIGN,   TN_TOK_END,    TN_DIALECT_2026, false},
    {"R.Any",                 "R", "Any",                 TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, false},
    {"T.inline",              "T", "inline",              TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, false},
    {"T.jit",                 "T", "jit",                 TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, false},
    {"T.constexpr",           "T", "constexpr",           TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2026, false},
    {"T.block",               "T", "block",               TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2023, true},
    {"T.block_attr",          "T", "block_attr",          TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2023, true},
    {"T.LetStmt",             "T", "LetStmt",             TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2023, true},
    {"out_sinfo=",            "",  "out_sinfo",           TN_TOK_ASSIGN,   TN_TOK_END,    TN_DIALECT_2023, false},
    {"sinfo_args=",           "",  "sinfo_args",          TN_TOK_ASSIGN,   TN_TOK_END,    TN_DIALECT_2023, false},
    {"T.Buffer[",             "T", "Buffer",              TN_TOK_LBRACKET, TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.var(",                "T", "var",                 TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.let(",                "T", "let",                 TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.preflattened_buffer", "T", "preflattened_buffer", TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.buffer_decl",         "T", "buffer_decl",         TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.store(",              "T", "store",               TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2022, true},
    {"T.load(",               "T", "load",                TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2022, true},
    {"@tvm.script.ir_module", "script", "ir_module",      TN_TOK_END,      TN_TOK_END,    TN_DIALECT_2022, false},
    {"Tensor(",               NULL, "Tensor",             TN_TOK_LPAREN,   TN_TOK_END,    TN_DIALECT_2022, false},
};
/* clang-format on */
enum { N_TELL_TALES = sizeof tell_tales / sizeof tell_tales[0] };

const char *tn_dialect_name(tn_dialect dialect) {
  switch (dialect) {
    case TN_DIALECT_2022:
      return "2022";
    case TN_DIALECT_2023:
      return "2023";
    case TN_DIALECT_2026:
      return "2026";
    case TN_DIALECT_AUTO:
      break;
  }
  return "auto";
}

/* ---- finding ---- */

typedef struct scanner {
  const char *text;
  const tn_token *toks;
  size_t n;
  uint32_t source;
  tn_dialect_marks *out;
} scanner;

static bool is_word(const scanner *s, size_t i, const char *word) {
  const tn_token *tok = &s->toks[i];
  return tok->kind == TN_TOK_NAME && tok->len == strlen(word) &&
         memcmp(s->text + tok->offset, word, tok->len) == 0;
}

static void mark(tn_dialect_mark *at, tn_pos pos, const char *text) {
  if (at->pos.line == 0) {
    *at = (tn_dialect_mark){.pos = pos, .text = text};
  }
}

static tn_pos token_pos(const scanner *s, size_t i) {
  return (tn_pos){s->source, s->toks[i].line, s->toks[i].col,
                  tn_token_n_cols(&s->toks[i], s->text)};
}

/* "T" is also called tir or tirx, R relax. */
static bool has_prefix(const scanner *s, size_t i, const char *prefix) {
  bool has_dot = i >= 2 && s->toks[i - 1].kind == TN_TOK_DOT;
  if (prefix == NULL || prefix[0] == 0) {
    return !has_dot && (i == 0 || s->toks[i - 1].kind != TN_TOK_DOT);
  }
  bool is_tir = prefix[0] == 'T';
  return has_dot && (is_word(s, i - 2, prefix) || (is_tir && is_word(s, i - 2, "tir")) ||
                     (is_tir && is_word(s, i - 2, "tirx")) ||
                     (prefix[0] == 'R' && is_word(s, i - 2, "relax")));
}

static void match_name(const scanner *s, size_t i) {
  tn_tok next = s->toks[i + 1].kind; /* END is the last token */
  const tn_token *tok = &s->toks[i];
  char first = s->text[tok->offset];
  for (int k = 0; k < N_TELL_TALES; ++k) {
    const tell_tale *row = &tell_tales[k];
    if (row->word[0] != first || (row->after != TN_TOK_END && row->after != next) ||
        (row->not_after != TN_TOK_END && row->not_after == next) || !is_word(s, i, row->word) ||
        !has_prefix(s, i, row->prefix)) {
      continue;
    }
    bool is_dotted = row->prefix != NULL && row->prefix[0] != 0;
    tn_pos pos = token_pos(s, is_dotted ? i - 2 : i);
    if (is_dotted && s->toks[i].line == pos.line) {
      pos.n_cols = tok->col + tn_token_n_cols(tok, s->text) - pos.col;
    }
    mark(&(row->is_strict ? s->out->strict : s->out->harmless)[row->dialect], pos, row->text);
  }
}

/* "from tvm.script import tirx as T": from token i to the end of the line; returns the last. */
static size_t match_import(const scanner *s, size_t i) {
  bool has_tvm = false;
  size_t first = i;
  for (; s->toks[i].kind != TN_TOK_NEWLINE && s->toks[i].kind != TN_TOK_END; ++i) {
    has_tvm = has_tvm || is_word(s, i, "tvm");
    if (has_tvm && is_word(s, i, "tirx")) {
      mark(&s->out->import[TN_DIALECT_2026], token_pos(s, first), "import tirx");
    } else if (has_tvm && is_word(s, i, "tir")) {
      mark(&s->out->import[TN_DIALECT_2023], token_pos(s, first), "import tir");
    }
  }
  return i;
}

/* Printed programs bring their imports as comments above everything else. */
static void match_header(const char *text, size_t len, uint32_t source, tn_dialect_marks *out) {
  static const char import[] = "# from tvm.script import tir";
  size_t n = sizeof import - 1;
  uint32_t line = 1;
  for (size_t at = 0; at < len; ++line) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t n_line = end == NULL ? len - at : (size_t)(end - (text + at));
    if (n_line > 0 && text[at] != '#' && text[at] != '\r') {
      return;
    }
    if (n_line > n && memcmp(text + at, import, n) == 0) {
      bool is_new = text[at + n] == 'x';
      tn_pos pos = {source, line, 1, (uint32_t)n + (is_new ? 1 : 0)};
      mark(&out->import[is_new ? TN_DIALECT_2026 : TN_DIALECT_2023], pos,
           is_new ? "import tirx" : "import tir");
    }
    at += n_line + 1;
  }
}

void tn_dialect_begin(const char *text, size_t len, uint32_t source, tn_dialect_marks *out) {
  *out = (tn_dialect_marks){0};
  match_header(text, len, source, out);
}

void tn_dialect_scan(const char *text, const tn_token *toks, size_t n_toks, uint32_t source,
                     tn_dialect_marks *out) {
  const scanner s = {.text = text, .toks = toks, .n = n_toks, .source = source, .out = out};
  for (size_t i = 0; i + 1 < n_toks; ++i) {
    bool is_line_start = i == 0 || toks[i - 1].kind == TN_TOK_NEWLINE;
    if (toks[i].kind == TN_TOK_NAME) {
      match_name(&s, i);
    } else if (is_line_start && (toks[i].kind == TN_TOK_FROM || toks[i].kind == TN_TOK_IMPORT)) {
      i = match_import(&s, i);
    }
  }
}

/* ---- deciding ---- */

static bool is_before(tn_pos a, tn_pos b) {
  return a.line != 0 && (b.line == 0 || a.line < b.line || (a.line == b.line && a.col < b.col));
}

/* The dialect whose mark stands first; AUTO when there is none. */
static tn_dialect first_of(const tn_dialect_mark *marks) {
  tn_dialect first = TN_DIALECT_AUTO;
  for (int d = TN_DIALECT_2022; d < TN_N_DIALECTS; ++d) {
    bool is_first = first == TN_DIALECT_AUTO ? marks[d].pos.line != 0
                                             : is_before(marks[d].pos, marks[first].pos);
    first = is_first ? (tn_dialect)d : first;
  }
  return first;
}

/* 2022 and 2023 mean the same by every word that both have. */
static bool is_same_meaning(tn_dialect a, tn_dialect b) {
  return (a == TN_DIALECT_2026) == (b == TN_DIALECT_2026);
}

/* The first strict mark of a dialect with another meaning; NULL: there is none. */
static const tn_dialect_mark *find_foreign(const tn_dialect_marks *marks, tn_dialect dialect,
                                           tn_dialect *out) {
  const tn_dialect_mark *first = NULL;
  for (int d = TN_DIALECT_2022; d < TN_N_DIALECTS; ++d) {
    const tn_dialect_mark *mark = &marks->strict[d];
    if (!is_same_meaning((tn_dialect)d, dialect) && mark->pos.line != 0 &&
        (first == NULL || is_before(mark->pos, first->pos))) {
      first = mark;
      *out = (tn_dialect)d;
    }
  }
  return first;
}

tn_dialect tn_dialect_decide(const tn_dialect_marks *marks, tn_dialect wanted, tn_diags *diags) {
  tn_dialect dialect = wanted;
  const tn_dialect_mark *why = NULL;
  const tn_dialect_mark *kinds[] = {marks->import, marks->strict, marks->harmless};
  for (int k = 0; k < 3 && dialect == TN_DIALECT_AUTO; ++k) {
    dialect = first_of(kinds[k]);
    why = &kinds[k][dialect];
  }
  /* the import of tir says "before 2026" and no more */
  if (wanted == TN_DIALECT_AUTO && dialect == TN_DIALECT_2023 &&
      (marks->strict[TN_DIALECT_2022].pos.line != 0 ||
       marks->harmless[TN_DIALECT_2022].pos.line != 0)) {
    dialect = TN_DIALECT_2022;
  }
  dialect = dialect == TN_DIALECT_AUTO ? TN_DIALECT_2023 : dialect;
  tn_dialect other = TN_DIALECT_AUTO;
  const tn_dialect_mark *foreign = find_foreign(marks, dialect, &other);
  if (foreign != NULL) {
    char reason[96] = "--dialect";
    if (why != NULL) {
      (void)snprintf(reason, sizeof reason, "'%s' on line %u", why->text, why->pos.line);
    }
    tn_diags_add(diags, "mixed-dialects", foreign->pos,
                 "what 'x = e' and T.alloc_buffer mean depends on the year: keep to one",
                 "'%s' is of the spelling of %s, and this text is read as %s's because of %s",
                 foreign->text, tn_dialect_name(other), tn_dialect_name(dialect), reason);
  }
  return dialect;
}
