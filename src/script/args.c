/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of the text: which row of the tables a dotted name is, and which argument belongs to which
 * parameter. */
#include <string.h>

#include "script/reader.h"

/* ---- dotted names ---- */

static bool is_prefix(const char *name) {
  static const char *const prefixes[] = {"T", "R", "I", "tvm", "tir", "relax"};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
    if (strcmp(prefixes[i], name) == 0) {
      return true;
    }
  }
  return false;
}

const char *tn_dotted(tn_reader *r, const tn_ast *ast) {
  enum { MAX_PARTS = 8 };
  const char *parts[MAX_PARTS];
  int n = 0;
  for (; ast->kind == TN_AST_ATTR && n < MAX_PARTS - 1; ast = ast->in[0]) {
    parts[n++] = ast->text;
  }
  if (ast->kind != TN_AST_NAME || n == 0 || !is_prefix(ast->text) ||
      tn_scopes_find(&r->scopes, ast->text) != NULL) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, ast->text);
  while (n > 0) {
    tn_buf_printf(&text, ".%s", parts[--n]);
  }
  const char *name = tn_ir_text_n(r->ir, text.data, text.len);
  tn_buf_deinit(&text);
  return name;
}

void tn_register_calls(tn_reader *r, tn_call_table table) {
  for (size_t i = 0; i < table.n; ++i) {
    /* the map is only read back as what it is here: a const row */
    tn_strmap_set(&r->calls, table.rows[i].name, (void *)(uintptr_t)&table.rows[i]);
  }
}

const tn_call_row *tn_find_call(tn_reader *r, const tn_ast *call, const char **out_name) {
  *out_name = tn_dotted(r, call->in[0]);
  return *out_name == NULL ? NULL : tn_strmap_find(&r->calls, *out_name);
}

/* ---- arguments ---- */

uint32_t tn_n_positional(const tn_ast *call) {
  uint32_t n = 0;
  while (n + 1 < call->n && call->in[n + 1]->kind != TN_AST_KEYWORD) {
    n += 1;
  }
  return n;
}

const tn_ast *tn_keyword(const tn_ast *call, const char *name) {
  for (uint32_t i = 1; i < call->n; ++i) {
    if (call->in[i]->kind == TN_AST_KEYWORD && strcmp(call->in[i]->text, name) == 0) {
      return call->in[i]->in[0];
    }
  }
  return NULL;
}

/* What the call is of, for messages: the last part of the callee. */
static const char *callee_text(const tn_ast *call) {
  const tn_ast *callee = call->in[0];
  return callee->kind == TN_AST_ATTR || callee->kind == TN_AST_NAME ? callee->text : "the call";
}

typedef struct param_word {
  const char *text;
  size_t len;
  bool is_optional;
} param_word;

/* Splits "a b? c?" into words; returns their number. */
static int32_t split_params(const char *params, param_word *out) {
  int32_t n = 0;
  while (*params != 0 && n < TN_MAX_ARGS) {
    size_t len = strcspn(params, " ");
    bool is_optional = params[len - 1] == '?';
    out[n++] = (param_word){params, is_optional ? len - 1 : len, is_optional};
    params += len;
    params += strspn(params, " ");
  }
  return n;
}

static int32_t find_param(const param_word *words, int32_t n, const char *name) {
  for (int32_t i = 0; i < n; ++i) {
    if (strlen(name) == words[i].len && memcmp(name, words[i].text, words[i].len) == 0) {
      return i;
    }
  }
  return -1;
}

static bool unknown_keyword(tn_reader *r, const tn_ast *call, const tn_ast *keyword,
                            const param_word *words, int32_t n) {
  const char *names[TN_MAX_ARGS];
  for (int32_t i = 0; i < n; ++i) {
    names[i] = tn_ir_text_n(r->ir, words[i].text, words[i].len);
  }
  char *hint = tn_near_of(keyword->text, names, (size_t)n);
  tn_read_fail(r, keyword, "unknown-argument", hint, "%s takes no argument '%s'", callee_text(call),
               keyword->text);
  free(hint);
  return false;
}

bool tn_bind_args(tn_reader *r, const tn_ast *call, const char *params, const tn_ast **out) {
  param_word words[TN_MAX_ARGS];
  int32_t n = split_params(params, words);
  for (int32_t i = 0; i < n; ++i) {
    out[i] = NULL;
  }
  bool had_keyword = false;
  for (uint32_t i = 1; i < call->n; ++i) {
    const tn_ast *arg = call->in[i];
    int32_t at = (int32_t)i - 1;
    if (arg->kind == TN_AST_KEYWORD) {
      had_keyword = true;
      at = find_param(words, n, arg->text);
      if (at < 0) {
        return unknown_keyword(r, call, arg, words, n);
      }
      if (out[at] != NULL) {
        tn_read_fail(r, arg, "duplicate-argument", NULL, "argument '%s' is given twice", arg->text);
        return false;
      }
      out[at] = arg->in[0];
      continue;
    }
    if (had_keyword || at >= n) {
      const char *why =
          had_keyword ? "a positional argument after a keyword" : "too many arguments";
      tn_read_fail(r, arg, "wrong-argument-count", NULL, "%s: %s takes %d", why, callee_text(call),
                   n);
      return false;
    }
    out[at] = arg;
  }
  for (int32_t i = 0; i < n; ++i) {
    if (out[i] == NULL && !words[i].is_optional) {
      tn_read_fail(r, call, "missing-argument", NULL, "%s needs the argument '%.*s'",
                   callee_text(call), (int)words[i].len, words[i].text);
      return false;
    }
  }
  return true;
}

bool tn_check_keywords(tn_reader *r, const tn_ast *call, const char *allowed) {
  param_word words[TN_MAX_ARGS];
  int32_t n = split_params(allowed, words);
  for (uint32_t i = 1; i < call->n; ++i) {
    if (call->in[i]->kind == TN_AST_KEYWORD && find_param(words, n, call->in[i]->text) < 0) {
      return unknown_keyword(r, call, call->in[i], words, n);
    }
  }
  return true;
}
