/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of the text: which row of the tables a dotted name is, and which argument belongs to which
 * parameter. */
#include <string.h>

#include "script/reader.h"

/* ---- dotted names ---- */

/* What a name before a dot stands for: "T", "R", "I" or "tvm"; NULL: for something else. */
static const char *prefix_of(const tn_reader *r, const tn_ast *name) {
  uint64_t found = 0;
  bool is_known = tn_map_find(&r->imports, (uint64_t)(uintptr_t)name->text, &found);
  const char *prefix = is_known ? (const char *)(uintptr_t)found : NULL;
  return prefix == NULL || prefix[0] == 0 || tn_scopes_find(&r->scopes, name->text) != NULL
             ? NULL
             : prefix;
}

/* tvm.script.tir.x and tvm.tir.x are T.x. */
static const char *short_name(tn_reader *r, const char *name) {
  static const struct {
    const char *full;
    const char *prefix;
  } rows[] = {{"tvm.script.tirx.", "T."},
              {"tvm.script.tir.", "T."},
              {"tvm.script.relax.", "R."},
              {"tvm.script.ir.", "I."},
              {"tvm.script.ir_module", "I.ir_module"},
              {"tvm.tirx.", "T."},
              {"tvm.tir.", "T."},
              {"tvm.relax.", "R."},
              {"tvm.ir.", "I."}};
  for (size_t i = 0; name[0] == 't' && i < sizeof rows / sizeof rows[0]; ++i) {
    size_t n = strlen(rows[i].full);
    if (strncmp(name, rows[i].full, n) == 0) {
      tn_buf text = TN_BUF_INIT;
      tn_buf_printf(&text, "%s%s", rows[i].prefix, name + n);
      name = tn_ir_text_n(r->ir, text.data, text.len);
      tn_buf_deinit(&text);
    }
  }
  return name;
}

const char *tn_dotted(tn_reader *r, const tn_ast *ast) {
  enum { MAX_PARTS = 8 };
  const char *parts[MAX_PARTS];
  int n = 0;
  for (; ast->kind == TN_AST_ATTR && n < MAX_PARTS - 1; ast = ast->in[0]) {
    parts[n++] = ast->text;
  }
  const char *prefix = ast->kind != TN_AST_NAME || n == 0 ? NULL : prefix_of(r, ast);
  if (prefix == NULL) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, prefix);
  while (n > 0) {
    tn_buf_printf(&text, ".%s", parts[--n]);
  }
  const char *name = tn_ir_text_n(r->ir, text.data, text.len);
  tn_buf_deinit(&text);
  return short_name(r, name);
}

/* ---- imports ---- */

static void set_import(tn_reader *r, const char *name, const char *prefix) {
  const char *key = tn_ir_text(r->ir, name);
  tn_map_set(&r->imports, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)prefix);
}

void tn_default_imports(tn_reader *r) {
  static const char *const rows[][2] = {{"T", "T"},   {"R", "R"},    {"I", "I"},    {"tvm", "tvm"},
                                        {"tir", "T"}, {"tirx", "T"}, {"relax", "R"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    set_import(r, rows[i][0], rows[i][1]);
  }
}

/* The next word of an import line, a dotted name or a comma; false at the end. */
static bool next_word(const char **at, char *out, size_t n_bytes) {
  *at += strspn(*at, " \t()\\\r\n");
  size_t n = **at == ',' ? 1 : strcspn(*at, " \t(),\\\r\n");
  size_t n_kept = n < n_bytes ? n : n_bytes - 1;
  memcpy(out, *at, n_kept);
  out[n_kept] = 0;
  *at += n;
  return n > 0;
}

/* What of TVM an imported thing is; "" is nothing that the text could use. */
static const char *imported_prefix(const char *module, const char *item) {
  static const char *const rows[][2] = {
      {"tir", "T"}, {"tirx", "T"}, {"relax", "R"}, {"ir", "I"}, {"script", "tvm.script"}};
  bool is_tvm = strcmp(module, "tvm") == 0 || strncmp(module, "tvm.", 4) == 0;
  if (is_tvm && item[0] == 0) {
    return "tvm";
  }
  for (size_t i = 0; is_tvm && i < sizeof rows / sizeof rows[0]; ++i) {
    if (strcmp(item, rows[i][0]) == 0) {
      return rows[i][1];
    }
  }
  return "";
}

/* One `a.b as c`, where `as c` may be missing. */
static void note_import(tn_reader *r, bool is_from, const char *module, const char *item,
                        const char *alias) {
  char name[64];
  size_t n = strcspn(item, ".");
  bool is_plain = alias[0] == 0;
  (void)snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), item);
  const char *prefix = is_from ? imported_prefix(module, item) : "";
  if (!is_from && (strcmp(item, "tvm") == 0 || strncmp(item, "tvm.", 4) == 0)) {
    const char *last = strrchr(item, '.');
    prefix = is_plain || last == NULL ? "tvm" : imported_prefix("tvm", last + 1);
  }
  set_import(r, is_plain ? name : alias, prefix);
}

void tn_read_import(tn_reader *r, const tn_ast *stmt) {
  char module[64] = "";
  char item[64] = "";
  char alias[64] = "";
  char word[64];
  const char *at = stmt->text;
  bool is_from = stmt->tok == TN_TOK_FROM;
  bool is_alias = false;
  if (is_from && (!next_word(&at, module, sizeof module) || !next_word(&at, word, sizeof word))) {
    return;
  }
  while (next_word(&at, word, sizeof word)) {
    if (strcmp(word, ",") == 0) {
      note_import(r, is_from, module, item, alias);
      item[0] = alias[0] = 0;
    } else if (strcmp(word, "as") == 0) {
      is_alias = true;
      continue;
    } else {
      memcpy(is_alias ? alias : item, word, sizeof word);
    }
    is_alias = false;
  }
  if (item[0] != 0) {
    note_import(r, is_from, module, item, alias);
  }
}

bool tn_is_foreign(const tn_reader *r, const char *name) {
  uint64_t found = 0;
  return tn_map_find(&r->imports, (uint64_t)(uintptr_t)name, &found) &&
         ((const char *)(uintptr_t)found)[0] == 0;
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
