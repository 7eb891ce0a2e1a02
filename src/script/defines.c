/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values from outside (-D NAME=VALUE) for names that the text leaves open. One that nothing asks for,
 * that is given twice or that looks like a number and is none is told: it would change the program
 * silently otherwise. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "script/reader.h"

/* A text is not told from outside of the program, so the place is the file's begin. */
static tn_pos whole_file(const tn_reader *r) {
  return (tn_pos){.source = r->source, .line = 1, .col = 1, .n_cols = 1};
}

static bool is_about(const char *define, const char *name) {
  size_t n = strlen(name);
  return strncmp(define, name, n) == 0 && define[n] == '=';
}

static int name_len(const char *define) { return (int)strcspn(define, "="); }

/* True when the text would be a value of Python but for its spelling: no text is meant by it. */
static char *spelling_hint(const char *text) {
  static const char *const words[] = {"True", "False", "None"};
  bool is_numeric = isdigit((unsigned char)text[0]) || strchr("+-.", text[0]) != NULL;
  return is_numeric ? strdup("a text is written in quotes: -D NAME=\"'4x'\"")
                    : tn_near_of(text, words, sizeof words / sizeof words[0]);
}

/* A number, True, False, None, a text in quotes, or else the text itself. */
static tn_val define_value(tn_reader *r, const tn_ast *at, const char *text) {
  const tn_ast *ast = tn_ast_parse_inner(r->ir, &r->arena, text, whole_file(r));
  const tn_ast *number = ast != NULL && ast->kind == TN_AST_UNARY ? ast->in[0] : ast;
  bool is_number = number != NULL && (number->kind == TN_AST_INT || number->kind == TN_AST_FLOAT);
  if (is_number || (ast != NULL && (ast->kind == TN_AST_BOOL || ast->kind == TN_AST_STR ||
                                    ast->kind == TN_AST_NONE))) {
    return tn_read_val(r, ast);
  }
  char *hint = spelling_hint(text);
  if (hint == NULL) {
    return (tn_val){.kind = TN_VAL_STR, .text = tn_ir_text(r->ir, text)};
  }
  tn_val v = tn_read_fail(r, at, "bad-define", hint, "-D %s=%s: no number, True, False or None",
                          at->text, text);
  free(hint);
  return v;
}

bool tn_find_define(tn_reader *r, const tn_ast *at, tn_val *out) {
  int32_t n = r->opts->n_defines;
  if (n == 0) {
    return false;
  }
  tn_strmap_set(&r->asked, at->text, NULL);
  for (int32_t i = 0; i < n; ++i) {
    if (is_about(r->opts->defines[i], at->text)) {
      *out = define_value(r, at, r->opts->defines[i] + strlen(at->text) + 1);
      return true;
    }
  }
  return false;
}

/* The define nearest to a name that has no value: perhaps it was meant. */
char *tn_near_define(tn_reader *r, const char *name) {
  TN_VEC(const char *) names = {0};
  for (int32_t i = 0; i < r->opts->n_defines; ++i) {
    const char *define = r->opts->defines[i];
    TN_VEC_PUSH(&names, tn_ir_text_n(r->ir, define, (size_t)name_len(define)));
  }
  const char *near = tn_near_name(name, names.data, names.len);
  char *hint = NULL;
  if (near != NULL) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_printf(&text, "-D gives a value to '%s'", near);
    hint = tn_buf_take(&text);
  }
  TN_VEC_DEINIT(&names);
  return hint;
}

static void report_unused(tn_reader *r, const char *name) {
  char *hint = tn_near_key(&r->asked, name);
  tn_diags_add(r->diags, "unused-define", whole_file(r), hint,
               "-D %s: the text has no name '%s' that waits for a value", name, name);
  free(hint);
}

void tn_check_defines(tn_reader *r) {
  for (int32_t i = 0; i < r->opts->n_defines; ++i) {
    const char *define = r->opts->defines[i];
    const char *name = tn_ir_text_n(r->ir, define, (size_t)name_len(define));
    bool is_repeated = false;
    for (int32_t j = 0; j < i && !is_repeated; ++j) {
      is_repeated = is_about(r->opts->defines[j], name);
    }
    bool is_asked = tn_strmap_has(&r->asked, name);
    if (r->opts->out_used != NULL) {
      r->opts->out_used[i] = is_asked;
    }
    if (is_repeated) {
      tn_diags_add(r->diags, "repeated-define", whole_file(r), NULL,
                   "-D %s: '%s' was given a value already", define, name);
    } else if (!is_asked && r->opts->out_used == NULL) {
      report_unused(r, name);
    }
  }
}
