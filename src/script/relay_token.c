/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The lower half of the parser of Relay text: tokens, nodes, literals, attributes and their
 * values. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "script/relay.h"

/* ---- tokens ---- */

static tn_pos pos_from(const tn_relay_parser *p, size_t first) {
  const tn_rtoken *tok = &p->toks[first];
  const tn_rtoken *last = &p->toks[p->at > first ? p->at - 1 : first];
  uint32_t n_cols = last->line == tok->line ? last->col + last->n_cols - tok->col : tok->n_cols;
  return (tn_pos){p->source, tok->line, tok->col, n_cols == 0 ? 1 : n_cols};
}

static tn_pos pos_here(const tn_relay_parser *p) {
  const tn_rtoken *tok = tn_relay_tok(p);
  return (tn_pos){p->source, tok->line, tok->col, tok->n_cols == 0 ? 1 : tok->n_cols};
}

bool tn_relay_is(const tn_relay_parser *p, char punct) {
  const tn_rtoken *tok = tn_relay_tok(p);
  return tok->kind == TN_RTOK_PUNCT && p->text[tok->offset] == punct;
}

bool tn_relay_tok_is_word(const tn_relay_parser *p, const tn_rtoken *tok, const char *word) {
  return tok->kind == TN_RTOK_NAME && strlen(word) == tok->len &&
         memcmp(p->text + tok->offset, word, tok->len) == 0;
}

bool tn_relay_is_word(const tn_relay_parser *p, const char *word) {
  return tn_relay_tok_is_word(p, tn_relay_tok(p), word);
}

bool tn_relay_accept(tn_relay_parser *p, char punct) {
  bool is_there = tn_relay_is(p, punct);
  p->at += is_there ? 1 : 0;
  return is_there;
}

bool tn_relay_accept_word(tn_relay_parser *p, const char *word) {
  bool is_there = tn_relay_is_word(p, word);
  p->at += is_there ? 1 : 0;
  return is_there;
}

const tn_relay *tn_relay_syntax(tn_relay_parser *p, const char *fmt, ...) {
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  tn_diags_add(p->diags, "syntax", pos_here(p), NULL, "%s%s", tn_buf_text(&text),
               tn_relay_tok(p)->kind == TN_RTOK_END ? "; the text ends here" : "");
  tn_buf_deinit(&text);
  return NULL;
}

bool tn_relay_expect(tn_relay_parser *p, char punct, const char *where) {
  if (!tn_relay_accept(p, punct)) {
    (void)tn_relay_syntax(p, "expected '%c' %s", punct, where);
    return false;
  }
  return true;
}

void tn_relay_refuse(tn_relay_parser *p, size_t first, const char *what, const char *instead) {
  size_t at = p->at;
  p->at = at > first ? at : first + 1;
  tn_pos pos = pos_from(p, first);
  p->at = at;
  tn_diags_add(p->diags, "unsupported", pos, instead, "not supported: %s", what);
}

bool tn_relay_enter(tn_relay_parser *p) {
  if (++p->nest > TN_RELAY_MAX_NEST) {
    p->nest -= 1;
    tn_diags_add(p->diags, "nested-too-deep", pos_here(p), NULL, "more than %d levels of nesting",
                 TN_RELAY_MAX_NEST);
    return false;
  }
  return true;
}

const char *tn_relay_word(tn_relay_parser *p, const tn_rtoken *tok, uint32_t n_skip) {
  return tn_ir_text_n(p->ir, p->text + tok->offset + n_skip, tok->len - n_skip);
}

bool tn_relay_skip(tn_relay_parser *p) {
  size_t first = p->at;
  uint32_t depth = 0;
  for (; tn_relay_tok(p)->kind != TN_RTOK_END; ++p->at) {
    bool opens = tn_relay_is(p, '(') || tn_relay_is(p, '[') || tn_relay_is(p, '{');
    bool closes = tn_relay_is(p, ')') || tn_relay_is(p, ']') || tn_relay_is(p, '}');
    depth = depth + (opens ? 1 : 0) - (closes ? 1 : 0);
    if (depth == 0) {
      p->at += 1;
      return true;
    }
  }
  p->at = first;
  (void)tn_relay_syntax(p, "nothing closes this bracket");
  return false;
}

tn_relay *tn_relay_make(tn_relay_parser *p, tn_relay_kind kind, size_t first, size_t base) {
  tn_relay *node = TN_ARENA_NEW(p->arena, tn_relay);
  uint32_t n = (uint32_t)(p->stack.len - base);
  const tn_relay **in = TN_ARENA_ARRAY(p->arena, const tn_relay *, n + 1);
  uint32_t depth = 0;
  for (uint32_t i = 0; i < n; ++i) {
    in[i] = p->stack.data[base + i];
    depth = in[i] != NULL && in[i]->depth > depth ? in[i]->depth : depth;
  }
  p->stack.len = base;
  *node = (tn_relay){.kind = kind, .n = n, .depth = depth + 1, .pos = pos_from(p, first), .in = in};
  if (node->depth > TN_RELAY_MAX_DEPTH) {
    tn_diags_add(p->diags, "nested-too-deep", node->pos, NULL,
                 "this expression is nested more than %d deep", TN_RELAY_MAX_DEPTH);
    return NULL;
  }
  return node;
}

const tn_relay *tn_relay_make_text(tn_relay_parser *p, tn_relay_kind kind, size_t first,
                                   size_t base, const char *text) {
  tn_relay *node = tn_relay_make(p, kind, first, base);
  if (node != NULL) {
    node->text = text;
  }
  return node;
}

/* ---- literals ---- */

/* What follows the digits: "", "f", "f64", "i8", "u16" ... */
static bool number_dtype(const char *suffix, size_t len, bool is_float, tn_dtype *out) {
  char name[16];
  if (len == 0 || (len == 1 && *suffix == 'f')) {
    *out = is_float || len == 1 ? TN_DT_F32 : TN_DT_I32;
    return true;
  }
  if (len > 4) {
    return false;
  }
  const char *stem = *suffix == 'f'   ? "float"
                     : *suffix == 'i' ? "int"
                     : *suffix == 'u' ? "uint"
                                      : "";
  (void)snprintf(name, sizeof name, "%s%.*s", stem, (int)len - 1, suffix + 1);
  return *stem != '\0' && tn_dtype_parse(name, strlen(name), out) && tn_dtype_lanes(*out) == 1;
}

static const tn_relay *bad_number(tn_relay_parser *p, const char *id, const char *what) {
  const tn_rtoken *tok = tn_relay_tok(p);
  tn_diags_add(p->diags, id, pos_here(p), NULL, "'%.*s' %s", tok->len > 40 ? 40 : (int)tok->len,
               p->text + tok->offset, what);
  return NULL;
}

static bool read_int(const char *text, size_t n, bool is_negative, int64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < n; ++i) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value)) {
      return false;
    }
  }
  *out = (int64_t)(is_negative ? 0 - value : value);
  return is_negative ? value <= (uint64_t)INT64_MAX + 1 : true;
}

/* How many of the bytes are the number itself, and how many of these before a dot or exponent. */
static size_t split_number(const char *text, size_t *out_n_int) {
  static const char digits[] = "0123456789";
  size_t n = strspn(text, digits);
  *out_n_int = n;
  if (text[n] == '.') {
    n += 1 + strspn(text + n + 1, digits);
  }
  if (text[n] == 'e' || text[n] == 'E') {
    size_t n_sign = text[n + 1] == '-' || text[n + 1] == '+' ? 1 : 0;
    size_t n_exp = strspn(text + n + 1 + n_sign, digits);
    n += n_exp > 0 ? 1 + n_sign + n_exp : 0;
  }
  return n;
}

/* The sign, if there is one, is behind. */
const tn_relay *tn_relay_parse_number(tn_relay_parser *p, size_t first, bool is_negative) {
  static const char what[] = "is no number: expected digits, then f, f64, i8, u16 ...";
  const tn_rtoken *tok = tn_relay_tok(p);
  char text[64];
  size_t n_int = 0;
  tn_dtype dtype = TN_DT_NONE;
  if (tok->len >= sizeof text) {
    return bad_number(p, "bad-number", what);
  }
  memcpy(text, p->text + tok->offset, tok->len);
  text[tok->len] = '\0';
  size_t n = split_number(text, &n_int);
  if (!number_dtype(text + n, tok->len - n, n > n_int, &dtype)) {
    return bad_number(p, "bad-number", what);
  }
  int64_t i64 = 0;
  double f64 = 0;
  bool is_plain = n == tok->len;
  text[n] = '\0';
  if (tn_dtype_is_float(dtype)) {
    f64 = strtod(text, NULL);
    f64 = is_negative ? -f64 : f64;
  } else if (n > n_int) {
    return bad_number(p, "bad-number", "is no integer");
  } else if (!read_int(text, n, is_negative, &i64)) {
    return bad_number(p, "integer-too-large", "does not fit 64 bits");
  }
  bool is_wide = dtype == TN_DT_I32 && (i64 < INT32_MIN || i64 > INT32_MAX);
  p->at += 1;
  tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
  node->dtype = is_wide ? TN_DT_I64 : dtype; /* a size among attributes, as a rule */
  node->is_plain = is_plain;
  node->i64 = i64;
  node->f64 = f64;
  return node;
}

/* inf and nan, as printers write them: inff, nanf64 ... */
bool tn_relay_is_special(const tn_relay_parser *p, double *out_value, tn_dtype *out_dtype) {
  const tn_rtoken *tok = tn_relay_tok(p);
  const char *text = p->text + tok->offset;
  bool is_inf = tok->len >= 3 && memcmp(text, "inf", 3) == 0;
  bool is_nan = tok->len >= 3 && memcmp(text, "nan", 3) == 0;
  *out_value = is_inf ? (double)INFINITY : (double)NAN;
  return tok->kind == TN_RTOK_NAME && (is_inf || is_nan) &&
         number_dtype(text + 3, tok->len - 3, true, out_dtype) && tn_dtype_is_float(*out_dtype);
}

const tn_relay *tn_relay_parse_special(tn_relay_parser *p, size_t first, bool is_negative,
                                       double value, tn_dtype dtype) {
  p->at += 1;
  tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
  node->dtype = dtype;
  node->f64 = is_negative && value == value ? -value : value; /* the sign of a NaN says nothing */
  return node;
}

const tn_relay *tn_relay_parse_string(tn_relay_parser *p) {
  const tn_rtoken *tok = tn_relay_tok(p);
  size_t first = p->at;
  tn_buf text = TN_BUF_INIT;
  for (uint32_t i = 1; i + 1 < tok->len; ++i) {
    char c = p->text[tok->offset + i];
    if (c == '\\' && i + 2 < tok->len) {
      c = p->text[tok->offset + ++i];
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    tn_buf_putc(&text, c);
  }
  p->at += 1;
  const char *interned = tn_ir_text_n(p->ir, tn_buf_text(&text), text.len);
  tn_buf_deinit(&text);
  return tn_relay_make_text(p, TN_RELAY_STR, first, p->stack.len, interned);
}

/* ---- attributes ---- */

static const tn_relay *parse_value(tn_relay_parser *p);

static const tn_relay *parse_list(tn_relay_parser *p, char open, char close) {
  size_t first = p->at;
  size_t base = p->stack.len;
  if (!tn_relay_expect(p, open, "before a list")) {
    return NULL;
  }
  while (!tn_relay_is(p, close)) {
    const tn_relay *item = parse_value(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, close, "after a list")) {
    return NULL;
  }
  return tn_relay_make(p, TN_RELAY_LIST, first, base);
}

/* meta[relay.Constant][3] */
const tn_relay *tn_relay_parse_meta(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  if (!tn_relay_expect(p, '[', "after 'meta'")) {
    return NULL;
  }
  const tn_rtoken *key = tn_relay_tok(p);
  if (key->kind != TN_RTOK_NAME) {
    return tn_relay_syntax(p, "expected the kind of a thing in the metadata: relay.Constant");
  }
  p->at += 1;
  if (!tn_relay_expect(p, ']', "after the kind") ||
      !tn_relay_expect(p, '[', "before the number of the thing in the metadata")) {
    return NULL;
  }
  if (tn_relay_tok(p)->kind != TN_RTOK_NUMBER) {
    return tn_relay_syntax(p, "expected the number of the thing in the metadata");
  }
  const tn_relay *index = tn_relay_parse_number(p, p->at, false);
  if (index == NULL || !tn_relay_expect(p, ']', "after the number")) {
    return NULL;
  }
  tn_relay *node = tn_relay_make(p, TN_RELAY_META, first, p->stack.len);
  node->text = tn_relay_word(p, key, 0);
  node->i64 = tn_dtype_is_float(index->dtype) ? -1 : index->i64;
  return node;
}

static const tn_relay *parse_plain_value(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  double special = 0;
  tn_dtype dtype = TN_DT_NONE;
  bool is_negative = tn_relay_accept(p, '-');
  if (tn_relay_tok(p)->kind == TN_RTOK_NUMBER) {
    return tn_relay_parse_number(p, first, is_negative);
  }
  if (tn_relay_is_special(p, &special, &dtype)) {
    return tn_relay_parse_special(p, first, is_negative, special, dtype);
  }
  if (is_negative) {
    return tn_relay_syntax(p, "expected a number after '-'");
  }
  if (tok->kind == TN_RTOK_STR) {
    return tn_relay_parse_string(p);
  }
  if (tn_relay_is(p, '[')) {
    return parse_list(p, '[', ']');
  }
  if (tn_relay_is(p, '(')) {
    return parse_list(p, '(', ')');
  }
  if (tn_relay_is_word(p, "meta")) {
    return tn_relay_parse_meta(p);
  }
  if (tok->kind != TN_RTOK_NAME) {
    return tn_relay_syntax(p, "expected the value of an attribute");
  }
  p->at += 1;
  if (tn_relay_is(p, '(') || tn_relay_is(p, '{')) { /* VirtualDevice(...): nothing for us */
    if (!tn_relay_skip(p)) {
      return NULL;
    }
  }
  return tn_relay_make_text(p, TN_RELAY_NAME, first, p->stack.len, tn_relay_word(p, tok, 0));
}

static const tn_relay *parse_value(tn_relay_parser *p) {
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  const tn_relay *value = parse_plain_value(p);
  p->nest -= 1;
  return value;
}

/* strides=[2, 2]; the next token is its name. */
const tn_relay *tn_relay_parse_attr(tn_relay_parser *p) {
  size_t first = p->at;
  const char *key = tn_relay_word(p, tn_relay_tok(p), 0);
  p->at += 1;
  if (!tn_relay_expect(p, '=', "after the name of an attribute")) {
    return NULL;
  }
  const tn_relay *value = parse_value(p);
  if (value == NULL) {
    return NULL;
  }
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, value);
  return tn_relay_make_text(p, TN_RELAY_ATTR, first, base, key);
}

bool tn_relay_at_attr(const tn_relay_parser *p) {
  const tn_rtoken *next = &p->toks[p->at];
  if (next->kind != TN_RTOK_NAME) {
    return false;
  }
  const tn_rtoken *after = next + 1; /* END is last, so there is one */
  return after->kind == TN_RTOK_PUNCT && p->text[after->offset] == '=';
}
