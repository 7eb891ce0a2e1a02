/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The parser of Relay text: recursive descent over tokens, one tree for a file. The first syntax
 * error ends it; what is understood and not supported is reported and stepped over. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "script/relay.h"

static const tn_relay *parse_expr(tn_relay_parser *p);
static const tn_relay *parse_body(tn_relay_parser *p);

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

static bool tok_is_word(const tn_relay_parser *p, const tn_rtoken *tok, const char *word) {
  return tok->kind == TN_RTOK_NAME && strlen(word) == tok->len &&
         memcmp(p->text + tok->offset, word, tok->len) == 0;
}

bool tn_relay_is_word(const tn_relay_parser *p, const char *word) {
  return tok_is_word(p, tn_relay_tok(p), word);
}

bool tn_relay_accept(tn_relay_parser *p, char punct) {
  bool is_there = tn_relay_is(p, punct);
  p->at += is_there ? 1 : 0;
  return is_there;
}

static bool accept_word(tn_relay_parser *p, const char *word) {
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

static const tn_relay *make_text(tn_relay_parser *p, tn_relay_kind kind, size_t first, size_t base,
                                 const char *text) {
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
static const tn_relay *parse_number(tn_relay_parser *p, size_t first, bool is_negative) {
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
static bool is_special(const tn_relay_parser *p, double *out_value, tn_dtype *out_dtype) {
  const tn_rtoken *tok = tn_relay_tok(p);
  const char *text = p->text + tok->offset;
  bool is_inf = tok->len >= 3 && memcmp(text, "inf", 3) == 0;
  bool is_nan = tok->len >= 3 && memcmp(text, "nan", 3) == 0;
  *out_value = is_inf ? (double)INFINITY : (double)NAN;
  return tok->kind == TN_RTOK_NAME && (is_inf || is_nan) &&
         number_dtype(text + 3, tok->len - 3, true, out_dtype) && tn_dtype_is_float(*out_dtype);
}

static const tn_relay *parse_special(tn_relay_parser *p, size_t first, bool is_negative,
                                     double value, tn_dtype dtype) {
  p->at += 1;
  tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
  node->dtype = dtype;
  node->f64 = is_negative ? -value : value;
  return node;
}

static const tn_relay *parse_string(tn_relay_parser *p) {
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
  return make_text(p, TN_RELAY_STR, first, p->stack.len, interned);
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
static const tn_relay *parse_meta(tn_relay_parser *p) {
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
  const tn_relay *index = parse_number(p, p->at, false);
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
    return parse_number(p, first, is_negative);
  }
  if (is_special(p, &special, &dtype)) {
    return parse_special(p, first, is_negative, special, dtype);
  }
  if (is_negative) {
    return tn_relay_syntax(p, "expected a number after '-'");
  }
  if (tok->kind == TN_RTOK_STR) {
    return parse_string(p);
  }
  if (tn_relay_is(p, '[')) {
    return parse_list(p, '[', ']');
  }
  if (tn_relay_is(p, '(')) {
    return parse_list(p, '(', ')');
  }
  if (tn_relay_is_word(p, "meta")) {
    return parse_meta(p);
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
  return make_text(p, TN_RELAY_NAME, first, p->stack.len, tn_relay_word(p, tok, 0));
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
static const tn_relay *parse_attr(tn_relay_parser *p) {
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
  return make_text(p, TN_RELAY_ATTR, first, base, key);
}

static bool at_attr(const tn_relay_parser *p) {
  const tn_rtoken *next = &p->toks[p->at];
  if (next->kind != TN_RTOK_NAME) {
    return false;
  }
  const tn_rtoken *after = next + 1; /* END is last, so there is one */
  return after->kind == TN_RTOK_PUNCT && p->text[after->offset] == '=';
}

/* ---- functions ---- */

static const tn_relay *parse_param(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tok->kind != TN_RTOK_LOCAL) {
    return tn_relay_syntax(p, "expected a parameter: %%name: type");
  }
  p->at += 1;
  if (tn_relay_accept(p, ':')) {
    const tn_relay *type = tn_relay_parse_type(p);
    if (type == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, type);
  }
  return make_text(p, TN_RELAY_PARAM, first, base, tn_relay_word(p, tok, 1));
}

/* [A, B] (%x: A, Primitive=1) -> A { ... }; what comes before is behind. */
static const tn_relay *parse_function(tn_relay_parser *p, size_t first, const char *name) {
  size_t base = p->stack.len;
  if (tn_relay_is(p, '[')) {
    size_t open = p->at;
    if (!tn_relay_skip(p)) {
      return NULL;
    }
    tn_relay_refuse(p, open, "functions over types", "write the function once for a type");
  }
  TN_VEC_PUSH(&p->stack, NULL); /* the result's type and the body come later */
  TN_VEC_PUSH(&p->stack, NULL);
  if (!tn_relay_expect(p, '(', "before the parameters")) {
    return NULL;
  }
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = at_attr(p) ? parse_attr(p) : parse_param(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, ')', "after the parameters")) {
    return NULL;
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_ARROW) {
    p->at += 1;
    const tn_relay *ret = tn_relay_parse_type(p);
    if (ret == NULL) {
      return NULL;
    }
    p->stack.data[base + TN_RELAY_FN_RET] = ret;
  }
  if (!tn_relay_expect(p, '{', "before the body")) {
    return NULL;
  }
  const tn_relay *body = parse_body(p);
  if (body == NULL || !tn_relay_expect(p, '}', "after the body")) {
    return NULL;
  }
  p->stack.data[base + TN_RELAY_FN_BODY] = body;
  return make_text(p, TN_RELAY_FN, first, base, name);
}

/* ---- expressions ---- */

static const tn_relay *parse_block(tn_relay_parser *p, const char *where) {
  if (!tn_relay_expect(p, '{', where)) {
    return NULL;
  }
  const tn_relay *body = parse_body(p);
  return body != NULL && tn_relay_expect(p, '}', "after the branch") ? body : NULL;
}

static const tn_relay *parse_if(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  p->at += 1;
  if (!tn_relay_expect(p, '(', "before the condition")) {
    return NULL;
  }
  const tn_relay *cond = parse_expr(p);
  if (cond == NULL || !tn_relay_expect(p, ')', "after the condition")) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, cond);
  const tn_relay *then = parse_block(p, "before the branch");
  if (then == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, then);
  if (!accept_word(p, "else")) {
    return tn_relay_syntax(p, "expected 'else': both branches give a value");
  }
  const tn_relay *orelse =
      tn_relay_is_word(p, "if") ? parse_expr(p) : parse_block(p, "after 'else'");
  if (orelse == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, orelse);
  return tn_relay_make(p, TN_RELAY_IF, first, base);
}

/* match (%x) { ... } and match? (...): reported and stepped over. */
static const tn_relay *parse_match(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  (void)tn_relay_accept(p, '?');
  tn_relay_refuse(p, first, "match, on values of data types",
                  "use tuples, and if with conditions on tensors");
  if (!tn_relay_is(p, '(') || !tn_relay_skip(p) || !tn_relay_is(p, '{') || !tn_relay_skip(p)) {
    return tn_relay_syntax(p, "expected 'match (value) { cases }'");
  }
  return tn_relay_make(p, TN_RELAY_TUPLE, first, p->stack.len);
}

/* (e), (a, b), (a,), () */
static const tn_relay *parse_bracketed(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  bool has_comma = false;
  p->at += 1;
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = parse_expr(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
    has_comma = true;
  }
  if (!tn_relay_expect(p, ')', "after this")) {
    return NULL;
  }
  if (p->stack.len == base + 1 && !has_comma) {
    return TN_VEC_POP(&p->stack);
  }
  return tn_relay_make(p, TN_RELAY_TUPLE, first, base);
}

static const tn_relay *parse_word(tn_relay_parser *p) {
  static const char *const references[] = {"ref", "ref_read", "ref_write"};
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tn_relay_is_word(p, "if")) {
    return parse_if(p);
  }
  if (accept_word(p, "fn")) {
    return parse_function(p, first, NULL);
  }
  if (tn_relay_is_word(p, "match")) {
    return parse_match(p);
  }
  if (tn_relay_is_word(p, "meta")) {
    return parse_meta(p);
  }
  if (tn_relay_is_word(p, "let")) { /* let as a part of something: its scope is what follows */
    return parse_body(p);
  }
  if (tn_relay_is_word(p, "True") || tn_relay_is_word(p, "False")) {
    tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
    node->dtype = TN_DT_BOOL;
    node->i64 = tn_relay_is_word(p, "True");
    p->at += 1;
    return node;
  }
  p->at += 1;
  for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
    if (tok_is_word(p, tok, references[i]) && tn_relay_is(p, '(')) {
      tn_relay_refuse(p, first, "references: ref, ref_read, ref_write", "pass values in and out");
      return tn_relay_skip(p) ? tn_relay_make(p, TN_RELAY_TUPLE, first, p->stack.len) : NULL;
    }
  }
  return make_text(p, TN_RELAY_NAME, first, p->stack.len, tn_relay_word(p, tok, 0));
}

static const tn_relay *parse_primary(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  double special = 0;
  tn_dtype dtype = TN_DT_NONE;
  switch (tok->kind) {
    case TN_RTOK_LOCAL:
    case TN_RTOK_GLOBAL:
      p->at += 1;
      return make_text(p, tok->kind == TN_RTOK_LOCAL ? TN_RELAY_LOCAL : TN_RELAY_GLOBAL, first,
                       p->stack.len, tn_relay_word(p, tok, 1));
    case TN_RTOK_NUMBER:
      return parse_number(p, first, false);
    case TN_RTOK_STR:
      return parse_string(p);
    case TN_RTOK_NAME:
      if (is_special(p, &special, &dtype)) {
        return parse_special(p, first, false, special, dtype);
      }
      return parse_word(p);
    case TN_RTOK_PUNCT:
      if (tn_relay_is(p, '(')) {
        return parse_bracketed(p);
      }
      if (tn_relay_is(p, '{')) {
        return parse_block(p, "here");
      }
      break;
    case TN_RTOK_END:
    case TN_RTOK_SECTION:
    case TN_RTOK_JSON:
    case TN_RTOK_ARROW:
    case TN_RTOK_EQ:
    case TN_RTOK_NE:
    case TN_RTOK_LE:
    case TN_RTOK_GE:
      break;
  }
  return tn_relay_syntax(p, "expected an expression");
}

static const tn_relay *parse_arguments(tn_relay_parser *p, size_t first, const tn_relay *callee) {
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, callee);
  p->at += 1;
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = at_attr(p) ? parse_attr(p) : parse_expr(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, ')', "after the arguments")) {
    return NULL;
  }
  return tn_relay_make(p, TN_RELAY_CALL, first, base);
}

static const tn_relay *parse_index(tn_relay_parser *p, size_t first, const tn_relay *tuple) {
  size_t base = p->stack.len;
  p->at += 1;
  if (tn_relay_tok(p)->kind != TN_RTOK_NUMBER) {
    return tn_relay_syntax(p, "expected the number of a tuple's item after '.'");
  }
  const tn_relay *index = parse_number(p, p->at, false);
  if (index == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, tuple);
  tn_relay *node = tn_relay_make(p, TN_RELAY_GET, first, base);
  if (node != NULL) {
    node->i64 = index->i64;
  }
  return node;
}

static const tn_relay *parse_postfix(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_relay *expr = parse_primary(p);
  while (expr != NULL) {
    if (tn_relay_is(p, '(')) {
      expr = parse_arguments(p, first, expr);
    } else if (tn_relay_is(p, '.')) {
      expr = parse_index(p, first, expr);
    } else {
      break;
    }
  }
  return expr;
}

static const tn_relay *call_of(tn_relay_parser *p, size_t first, const char *op, const tn_relay *a,
                               const tn_relay *b) {
  size_t base = p->stack.len;
  const tn_relay *callee = make_text(p, TN_RELAY_NAME, first, base, tn_ir_text(p->ir, op));
  TN_VEC_PUSH(&p->stack, callee);
  TN_VEC_PUSH(&p->stack, a);
  if (b != NULL) {
    TN_VEC_PUSH(&p->stack, b);
  }
  return tn_relay_make(p, TN_RELAY_CALL, first, base);
}

static const tn_relay *parse_unary(tn_relay_parser *p) {
  size_t first = p->at;
  double special = 0;
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_relay_accept(p, '-')) {
    return parse_postfix(p);
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_NUMBER) {
    return parse_number(p, first, true);
  }
  if (is_special(p, &special, &dtype)) {
    return parse_special(p, first, true, special, dtype);
  }
  const tn_relay *a = parse_postfix(p);
  return a == NULL ? NULL : call_of(p, first, "negative", a, NULL);
}

/* The operator that an infix sign stands for; its precedence, 0: it is none. */
static int infix(const tn_relay_parser *p, const char **out_op) {
  const tn_rtoken *tok = tn_relay_tok(p);
  static const struct {
    tn_rtok kind;
    char punct;
    int prec;
    const char *op;
  } rows[] = {
      {TN_RTOK_EQ, 0, 1, "equal"},         {TN_RTOK_NE, 0, 1, "not_equal"},
      {TN_RTOK_LE, 0, 1, "less_equal"},    {TN_RTOK_GE, 0, 1, "greater_equal"},
      {TN_RTOK_PUNCT, '<', 1, "less"},     {TN_RTOK_PUNCT, '>', 1, "greater"},
      {TN_RTOK_PUNCT, '+', 2, "add"},      {TN_RTOK_PUNCT, '-', 2, "subtract"},
      {TN_RTOK_PUNCT, '*', 3, "multiply"}, {TN_RTOK_PUNCT, '/', 3, "divide"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (tok->kind == rows[i].kind &&
        (rows[i].punct == 0 || p->text[tok->offset] == rows[i].punct)) {
      *out_op = rows[i].op;
      return rows[i].prec;
    }
  }
  return 0;
}

static const tn_relay *parse_infix(tn_relay_parser *p, int min_prec) {
  size_t first = p->at;
  const char *op = NULL;
  const tn_relay *a = parse_unary(p);
  for (int prec = infix(p, &op); a != NULL && prec >= min_prec; prec = infix(p, &op)) {
    const char *this_op = op;
    p->at += 1;
    const tn_relay *b = parse_infix(p, prec + 1);
    a = b == NULL ? NULL : call_of(p, first, this_op, a, b);
  }
  return a;
}

static const tn_relay *parse_expr(tn_relay_parser *p) {
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  const tn_relay *expr = parse_infix(p, 1);
  p->nest -= 1;
  return expr;
}

/* ---- bodies ---- */

/* let %x: T = e;   or   %0 = e; */
static const tn_relay *parse_let(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  const tn_relay *type = NULL;
  bool is_let = accept_word(p, "let");
  const tn_rtoken *name = tn_relay_tok(p);
  if (name->kind != TN_RTOK_LOCAL) {
    return tn_relay_syntax(p, "expected a name after 'let': %%name");
  }
  p->at += 1;
  if (is_let && tn_relay_accept(p, ':')) {
    type = tn_relay_parse_type(p);
    if (type == NULL) {
      return NULL;
    }
  }
  if (!tn_relay_expect(p, '=', "after the name")) {
    return NULL;
  }
  const tn_relay *value = parse_expr(p);
  if (value == NULL || !tn_relay_expect(p, ';', "after the value of a name")) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, value);
  if (type != NULL) {
    TN_VEC_PUSH(&p->stack, type);
  }
  return make_text(p, TN_RELAY_LET, first, base, tn_relay_word(p, name, 1));
}

static bool at_let(const tn_relay_parser *p) {
  if (tn_relay_is_word(p, "let")) {
    return true;
  }
  const tn_rtoken *tok = tn_relay_tok(p);
  return tok->kind == TN_RTOK_LOCAL && tok[1].kind == TN_RTOK_PUNCT &&
         p->text[tok[1].offset] == '=';
}

static const tn_relay *parse_body(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  while (at_let(p)) {
    const tn_relay *let = parse_let(p);
    if (let == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, let);
  }
  const tn_relay *value = parse_expr(p);
  if (value == NULL) {
    return NULL;
  }
  (void)tn_relay_accept(p, ';');
  p->nest -= 1;
  TN_VEC_PUSH(&p->stack, value);
  return tn_relay_make(p, TN_RELAY_BODY, first, base);
}

/* ---- the file ---- */

/* #[version = "0.0.5"] */
static bool parse_section(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  bool is_version = accept_word(p, "version");
  if (!is_version || !tn_relay_expect(p, '=', "after 'version'")) {
    return is_version ? false : tn_relay_syntax(p, "expected 'version' or 'metadata'") != NULL;
  }
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tok->kind != TN_RTOK_STR) {
    return tn_relay_syntax(p, "expected the version as a text") != NULL;
  }
  if (tok->len < 5 || memcmp(p->text + tok->offset + 1, "0.0.", 4) != 0) {
    tn_relay_refuse(p, first, "this version of the text", "0.0.4 and 0.0.5 are known");
  }
  p->at += 1;
  return tn_relay_expect(p, ']', "after the version");
}

/* free_var %x: T; */
static bool parse_free_var(tn_relay_parser *p) {
  p->at += 1;
  const tn_relay *param = parse_param(p);
  if (param == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, param);
  (void)tn_relay_accept(p, ';');
  return true;
}

/* type List[A] { Nil, Cons(A, List[A]), } */
static bool parse_data_type(tn_relay_parser *p) {
  size_t first = p->at;
  (void)accept_word(p, "extern");
  p->at += 1;
  tn_relay_refuse(p, first, "data types: type ... { ... }", "use tuples of tensors");
  if (tn_relay_tok(p)->kind != TN_RTOK_NAME) {
    return tn_relay_syntax(p, "expected the name of a data type") != NULL;
  }
  p->at += 1;
  if (tn_relay_is(p, '[') && !tn_relay_skip(p)) {
    return false;
  }
  return tn_relay_accept(p, ';') || (tn_relay_is(p, '{') && tn_relay_skip(p));
}

static bool parse_def(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  const tn_rtoken *name = tn_relay_tok(p);
  if (name->kind != TN_RTOK_GLOBAL) {
    return tn_relay_syntax(p, "expected the name of the function: @name") != NULL;
  }
  p->at += 1;
  const tn_relay *def = parse_function(p, first, tn_relay_word(p, name, 1));
  if (def == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, def);
  return true;
}

static bool parse_item(tn_relay_parser *p, bool *out_is_expr) {
  if (tn_relay_tok(p)->kind == TN_RTOK_SECTION) {
    return parse_section(p);
  }
  if (tn_relay_is_word(p, "def")) {
    return parse_def(p);
  }
  if (tn_relay_is_word(p, "free_var")) {
    return parse_free_var(p);
  }
  if (tn_relay_is_word(p, "type") || tn_relay_is_word(p, "extern")) {
    return parse_data_type(p);
  }
  *out_is_expr = true;
  const tn_relay *body = parse_body(p);
  if (body == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, body);
  return true;
}

const tn_relay *tn_relay_parse_file(tn_relay_parser *p, const tn_rtoken **out_json) {
  bool is_expr = false;
  *out_json = NULL;
  while (!is_expr && tn_relay_tok(p)->kind != TN_RTOK_END &&
         tn_relay_tok(p)->kind != TN_RTOK_JSON) {
    if (!parse_item(p, &is_expr)) {
      return NULL;
    }
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_JSON) {
    *out_json = tn_relay_tok(p);
    p->at += 1;
  }
  if (tn_relay_tok(p)->kind != TN_RTOK_END) {
    return tn_relay_syntax(p, "expected the end of the text");
  }
  return tn_relay_make(p, TN_RELAY_FILE, 0, 0);
}
