/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Names of a model as identifiers of C: models call their values whatever they like ("conv/1:0", "",
 * "int", a line of text). */
#include <stdlib.h>
#include <string.h>

#include "codegen/model/model.h"

static bool is_keyword(const char *text) {
  static const char *const words[] = {
      /* of C11 and C++, and the names that the header uses itself */
      "alignas",      "alignof",   "and",           "and_eq",       "asm",
      "auto",         "bitand",    "bitor",         "bool",         "break",
      "case",         "catch",     "char",          "class",        "compl",
      "concept",      "const",     "const_cast",    "constexpr",    "continue",
      "decltype",     "default",   "delete",        "do",           "double",
      "dynamic_cast", "else",      "enum",          "explicit",     "export",
      "extern",       "false",     "float",         "for",          "friend",
      "goto",         "if",        "inline",        "int",          "long",
      "mutable",      "namespace", "new",           "noexcept",     "not",
      "not_eq",       "nullptr",   "operator",      "or",           "or_eq",
      "private",      "protected", "public",        "register",     "reinterpret_cast",
      "requires",     "restrict",  "return",        "short",        "signed",
      "sizeof",       "static",    "static_assert", "static_cast",  "struct",
      "switch",       "template",  "this",          "thread_local", "throw",
      "true",         "try",       "typedef",       "typeid",       "typename",
      "typeof",       "union",     "unsigned",      "using",        "virtual",
      "void",         "volatile",  "wchar_t",       "while",        "xor",
      "xor_eq",       "linux",     "unix",          "model",        "workspace",
      "n_bytes",      "dims",      "int8_t",        "int16_t",      "int32_t",
      "int64_t",      "uint8_t",   "uint16_t",      "uint32_t",     "uint64_t",
      "size_t"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strcmp(words[i], text) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const char *tn_model_symbol(tn_ir *ir, const char *text, tn_strmap *taken) {
  enum { MAX_CHARS = 60 };
  tn_buf base = TN_BUF_INIT;
  tn_buf name = TN_BUF_INIT;
  while (*text == '_') { /* names that begin so belong to the C library */
    ++text;
  }
  for (; *text != '\0' && base.len < MAX_CHARS; ++text) {
    bool is_digit = *text >= '0' && *text <= '9';
    if (base.len == 0 && is_digit) {
      tn_buf_putc(&base, 'v');
    }
    tn_buf_putc(&base, is_letter(*text) || is_digit ? *text : '_');
  }
  if (base.len == 0 || base.data[0] == '_') {
    tn_buf_puts(&name, "v");
  }
  tn_buf_puts(&name, tn_buf_text(&base));
  if (is_keyword(name.data)) {
    tn_buf_putc(&name, '_');
  }
  tn_buf_clear(&base);
  tn_buf_puts(&base, name.data);
  for (int i = 2; tn_strmap_has(taken, name.data); ++i) {
    tn_buf_clear(&name);
    tn_buf_printf(&name, "%s_%d", base.data, i);
  }
  const char *symbol = tn_ir_text(ir, name.data);
  tn_strmap_set(taken, symbol, taken);
  tn_buf_deinit(&base);
  tn_buf_deinit(&name);
  return symbol;
}
