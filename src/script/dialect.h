/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which of the three spellings a text has. TVMScript changed twice: 2022 (T.Buffer[...]), 2023
 * (T.Buffer(...), T.block) and 2026 (T.sblock, T.let). Every spelling is read, and where two mean
 * the same they may even be mixed; but `x = e` and T.alloc_buffer mean something else in 2026, so a
 * text has one dialect. It is decided by the option, else by the import of tir or tirx, else by the
 * first word that only one dialect has, else it is 2023's. */
#ifndef TN_SCRIPT_DIALECT_H
#define TN_SCRIPT_DIALECT_H

#include "ir/ir.h"
#include "script/lex.h"
#include "tenon/compiler.h"

enum { TN_N_DIALECTS = TN_DIALECT_2026 + 1 };

/// The first place of each kind that tells a dialect; line 0: there is none.
typedef struct tn_dialect_mark {
  tn_pos pos;
  const char *text; /* the construct, static */
} tn_dialect_mark;
typedef struct tn_dialect_marks {
  tn_dialect_mark import[TN_N_DIALECTS];
  tn_dialect_mark strict[TN_N_DIALECTS];   /* belongs to this dialect alone */
  tn_dialect_mark harmless[TN_N_DIALECTS]; /* speaks for it, and is read in all */
} tn_dialect_marks;

/// Starts with the marks that comments hold.
void tn_dialect_begin(const char *text, size_t len, uint32_t source, tn_dialect_marks *out);
/// Adds those among tokens of whole lines.
void tn_dialect_scan(const char *text, const tn_token *toks, size_t n_toks, uint32_t source,
                     tn_dialect_marks *out);
/// The dialect of a text: `wanted` when it is not AUTO. Reports "mixed-dialects", with both places,
/// where the text has something of another dialect that means another thing.
tn_dialect tn_dialect_decide(const tn_dialect_marks *marks, tn_dialect wanted, tn_diags *diags);
/// "2026".
const char *tn_dialect_name(tn_dialect dialect);

#endif
