/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How libFuzzer makes new texts of old ones for the targets that read programs. Bytes changed at
 * random mostly give what the lexer refuses; so three times in four the text is changed as text:
 *   tokens     deleted, doubled, exchanged with one of their kind, replaced by a word of the language
 *   brackets   a group copied over another one, or put into itself again and again
 *   numbers    to the ends of their types
 *   lines      deleted, doubled, moved with the block under them, indented more or less
 * and two texts are crossed by putting lines of one into the other. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "fuzz/words.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n_bytes, size_t max_bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n_bytes, size_t max_bytes, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                 uint8_t *out, size_t max_bytes, unsigned seed);

typedef struct mutator {
  tn_rng rng;
  const char *text;
  size_t len;
} mutator;

typedef struct span {
  size_t at;
  size_t len;
} span;

static size_t draw(mutator *m, size_t n) { return n == 0 ? 0 : (size_t)tn_rng_below(&m->rng, n); }

/* ---- what a text is made of ---- */

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t token_len(const char *p, const char *end) {
  const char *start = p;
  if (is_word_char(*p)) {
    while (p < end && (is_word_char(*p) || (*p == '.' && isdigit((unsigned char)*start)))) {
      ++p;
    }
  } else if (*p == '"' || *p == '\'') {
    for (++p; p < end && *p != *start && *p != '\n'; ++p) {
      p += *p == '\\' && p + 1 < end;
    }
    p += p < end;
  } else {
    ++p;
  }
  return (size_t)(p - start);
}

static char kind_of(char c) {
  return isdigit((unsigned char)c)          ? '0'
         : is_word_char(c)                  ? 'a'
         : c == '"' || c == '\''            ? '"'
         : strchr("+-*/%<>=&|^", c) != NULL ? '+'
                                            : c;
}

/* A token chosen at random, of `kind` when it is not 0. len 0: there is none. */
static span pick_token(mutator *m, char kind) {
  span found = {0};
  size_t n = 0;
  const char *end = m->text + m->len;
  for (const char *p = m->text; p < end;) {
    if (isspace((unsigned char)*p)) {
      ++p;
      continue;
    }
    size_t len = token_len(p, end);
    if ((kind == 0 || kind_of(*p) == kind) && draw(m, ++n) == 0) {
      found = (span){(size_t)(p - m->text), len};
    }
    p += len;
  }
  return found;
}

/* From an opening bracket to the one that closes it. */
static span pick_group(mutator *m) {
  span found = {0};
  size_t n = 0;
  for (size_t at = 0; at < m->len; ++at) {
    if (strchr("([{", m->text[at]) == NULL || m->text[at] == '\0' || draw(m, ++n) != 0) {
      continue;
    }
    size_t depth = 0;
    size_t end = at;
    do {
      depth += strchr("([{", m->text[end]) != NULL && m->text[end] != '\0';
      depth -= strchr(")]}", m->text[end]) != NULL && m->text[end] != '\0';
      ++end;
    } while (depth > 0 && end < m->len);
    found = (span){at, end - at};
  }
  return found;
}

static size_t line_end(const mutator *m, size_t at) {
  const char *newline = at < m->len ? memchr(m->text + at, '\n', m->len - at) : NULL;
  return newline != NULL ? (size_t)(newline - m->text) + 1 : m->len;
}

static size_t indent_at(const mutator *m, size_t at) {
  size_t n = 0;
  while (at + n < m->len && m->text[at + n] == ' ') {
    ++n;
  }
  return n;
}

/* A line; with the deeper ones under it every second time. */
static span pick_lines(mutator *m) {
  size_t at = draw(m, m->len);
  while (at > 0 && m->text[at - 1] != '\n') {
    --at;
  }
  size_t end = line_end(m, at);
  if (draw(m, 2) == 0) {
    size_t indent = indent_at(m, at);
    while (end < m->len && indent_at(m, end) > indent) {
      end = line_end(m, end);
    }
  }
  return (span){at, end - at};
}

/* ---- changes ---- */

/* The text with `new_len` bytes in the place of `old`. */
static void replace(const mutator *m, span old, const char *new_text, size_t new_len, tn_buf *out) {
  tn_buf_append(out, m->text, old.at);
  tn_buf_append(out, new_text, new_len);
  tn_buf_append(out, m->text + old.at + old.len, m->len - old.at - old.len);
}

static void replace_word(const mutator *m, span old, const char *word, tn_buf *out) {
  replace(m, old, word, strlen(word), out);
}

static const char *any_word(mutator *m) { return words[draw(m, sizeof words / sizeof *words)]; }

static void change_token(mutator *m, tn_buf *out) {
  span old = pick_token(m, 0);
  span other = old.len > 0 ? pick_token(m, kind_of(m->text[old.at])) : old;
  switch (draw(m, 5)) {
    case 0:
      replace(m, old, NULL, 0, out);
      break;
    case 1:
      replace(m, (span){old.at, 0}, m->text + old.at, old.len, out);
      break;
    case 2:
      replace_word(m, old, any_word(m), out);
      break;
    case 3:
      replace_word(m, (span){old.at, 0}, any_word(m), out);
      break;
    default:
      replace(m, old, m->text + other.at, other.len, out);
      break;
  }
}

static void change_number(mutator *m, tn_buf *out) {
  span old = pick_token(m, '0');
  replace_word(m, old, numbers[draw(m, sizeof numbers / sizeof *numbers)], out);
}

static void change_group(mutator *m, tn_buf *out) {
  span old = pick_group(m);
  span other = pick_group(m);
  if (draw(m, 8) != 0 || old.len < 2) {
    bool is_inside = draw(m, 3) == 0 && old.len >= 2; /* keep the brackets */
    span place = is_inside ? (span){old.at + 1, old.len - 2} : old;
    replace(m, place, m->text + other.at, other.len, out);
    return;
  }
  tn_buf deep = TN_BUF_INIT; /* ((((x)))) */
  size_t n = (size_t)1 << draw(m, 11);
  for (size_t i = 0; i < n; ++i) {
    tn_buf_putc(&deep, m->text[old.at]);
  }
  tn_buf_append(&deep, m->text + old.at + 1, old.len - 2);
  for (size_t i = 0; i < n; ++i) {
    tn_buf_putc(&deep, m->text[old.at + old.len - 1]);
  }
  replace(m, old, deep.data, deep.len, out);
  tn_buf_deinit(&deep);
}

/* Lines at the depth of the line they are put before. */
static void append_indented(tn_buf *out, const char *lines, size_t len, size_t indent) {
  size_t first = 0;
  while (first < len && lines[first] == ' ') {
    ++first;
  }
  for (size_t at = 0; at < len;) {
    const char *newline = memchr(lines + at, '\n', len - at);
    size_t end = newline != NULL ? (size_t)(newline - lines) + 1 : len;
    size_t own = 0;
    while (at + own < end && lines[at + own] == ' ') {
      ++own;
    }
    tn_buf_printf(out, "%*s", (int)(own > first ? indent + own - first : indent), "");
    tn_buf_append(out, lines + at + own, end - at - own);
    at = end;
  }
}

static void put_lines(mutator *m, const char *lines, size_t len, tn_buf *out) {
  span place = pick_lines(m);
  size_t indent = indent_at(m, place.at) + 4 * draw(m, 2) * draw(m, 2);
  tn_buf_append(out, m->text, place.at);
  append_indented(out, lines, len, indent);
  tn_buf_append(out, m->text + place.at, m->len - place.at);
}

static void change_lines(mutator *m, tn_buf *out) {
  span lines = pick_lines(m);
  tn_buf part = TN_BUF_INIT;
  switch (draw(m, 5)) {
    case 0:
      replace(m, lines, NULL, 0, out);
      break;
    case 1:
      replace(m, (span){lines.at, 0}, m->text + lines.at, lines.len, out);
      break;
    case 2: /* deeper, or less deep */
      append_indented(&part, m->text + lines.at, lines.len,
                      indent_at(m, lines.at) * draw(m, 2) + 4 * draw(m, 3));
      replace(m, lines, part.data, part.len, out);
      break;
    case 3:
      tn_buf_puts(&part, any_word(m));
      tn_buf_putc(&part, '\n');
      put_lines(m, part.data, part.len, out);
      break;
    default:
      put_lines(m, m->text + lines.at, lines.len, out);
      break;
  }
  tn_buf_deinit(&part);
}

static void change_once(mutator *m, tn_buf *out) {
  switch (draw(m, 8)) {
    case 0:
    case 1:
    case 2:
      change_token(m, out);
      break;
    case 3:
      change_number(m, out);
      break;
    case 4:
    case 5:
      change_group(m, out);
      break;
    default:
      change_lines(m, out);
      break;
  }
}

static size_t give(tn_buf *from, uint8_t *bytes, size_t max_bytes) {
  size_t n = from->len < max_bytes ? from->len : max_bytes;
  if (n > 0) {
    memcpy(bytes, from->data, n);
  }
  tn_buf_deinit(from);
  return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n_bytes, size_t max_bytes, unsigned seed) {
  mutator m = {.rng = tn_rng_make(seed)};
  if (n_bytes == 0 || draw(&m, 4) == 0) {
    return LLVMFuzzerMutate(bytes, n_bytes, max_bytes);
  }
  tn_buf now = TN_BUF_INIT;
  tn_buf_append(&now, bytes, n_bytes);
  for (size_t n = 1 + draw(&m, 3) * draw(&m, 3); n > 0 && now.len > 0; --n) {
    tn_buf next = TN_BUF_INIT;
    m.text = tn_buf_text(&now);
    m.len = now.len;
    change_once(&m, &next);
    tn_buf_deinit(&now);
    now = next;
  }
  return give(&now, bytes, max_bytes);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                 uint8_t *out, size_t max_bytes, unsigned seed) {
  mutator m = {.rng = tn_rng_make(seed), .text = (const char *)b, .len = n_b};
  tn_buf buf = TN_BUF_INIT;
  if (n_a == 0 || n_b == 0) {
    return 0;
  }
  span lines = pick_lines(&m);
  m.text = (const char *)a;
  m.len = n_a;
  put_lines(&m, (const char *)b + lines.at, lines.len, &buf);
  return give(&buf, out, max_bytes);
}
